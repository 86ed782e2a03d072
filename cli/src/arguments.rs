//! The table of commands and their arguments, from which help, completions and the man page are generated.

use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::connection::{Calling, Connection, without_key};
use crate::failure::{Exit, Failure};
use crate::{bulk, console, doctor, everyday};

/// Maximum columns of a line of help.
const HELP_COLUMNS_MAX: usize = 100;

/// Calls OpenAI-compatible model inference services: bulk jobs, chats, responses, and a diagnosis of failing calls
#[derive(Debug, Parser)]
#[command(name = "modelwire", version, max_term_width = HELP_COLUMNS_MAX)]
#[command(arg_required_else_help = true, subcommand_required = true)]
#[command(
    after_help = "MODELWIRE_BASE_URL (or OPENAI_BASE_URL) and MODELWIRE_API_KEY (or OPENAI_API_KEY) \
    set the service and the key; MODELWIRE_MODEL sets the model of chat, respond and doctor. \
    `modelwire COMMAND --help` lists a command's options."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Ask a model, and print its answer as it arrives
    Chat(Box<Calling<everyday::chat::Chat>>),
    /// Ask a model through /responses, and print its answer as it arrives
    Respond(Box<Calling<everyday::respond::Respond>>),
    /// List the models of the service
    Models(Box<Calling<everyday::models::Models>>),
    /// Run many requests from files: loses none, and lists those whose outcome is unknown
    Bulk(bulk::command::BulkCommand),
    /// Find out why calls fail
    #[command(mut_arg("timeout", |argument| argument.help(doctor::TIMEOUT_HELP)))]
    Doctor(Box<Calling<doctor::Doctor>>),
    /// Run a mock service on a local port, to test programs against
    Serve(Box<everyday::serve::Serve>),
    /// Print a shell completion script for this command
    Completion(everyday::completion::Completion),
    /// Print the manual page
    Man(everyday::man::Man),
}

pub(crate) fn run(arguments: Vec<OsString>) -> u8 {
    let named: Vec<_> = arguments.iter().skip(1).take(2).cloned().collect();
    let command = match parsed(arguments) {
        Ok(arguments) => arguments.command,
        Err(error) => return refuse(&error, &named) as u8,
    };
    let report = command.connection().is_some_and(|connection| connection.report);
    let Err(failure) = command.run() else { return Exit::Done as u8 };
    if !failure.message.is_empty() {
        // The key may have been given in place of a name.
        console::say(&without_key(None, &failure.message));
    }
    if let Some(known) = failure.report.filter(|_| report) {
        console::say_lines(&known);
    }
    failure.exit as u8
}

fn parsed<A: Into<OsString> + Clone>(
    arguments: impl IntoIterator<Item = A>,
) -> Result<Arguments, clap::Error> {
    let mut matches =
        with_negative_numbers(Arguments::command()).try_get_matches_from(arguments)?;
    Arguments::from_arg_matches_mut(&mut matches)
}

/// A negative number is a value: its option says what is wrong with it.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let with_them = |argument: clap::Arg| {
        let has_value = argument.get_action().takes_values();
        argument.allow_negative_numbers(has_value)
    };
    command.mut_args(with_them).mut_subcommands(with_negative_numbers)
}

impl Command {
    fn connection(&self) -> Option<&Connection> {
        match self {
            Command::Chat(chat) => Some(&chat.connection),
            Command::Respond(respond) => Some(&respond.connection),
            Command::Models(models) => Some(&models.connection),
            Command::Bulk(bulk) => bulk.connection(),
            Command::Doctor(doctor) => Some(&doctor.connection),
            Command::Serve(_) | Command::Completion(_) | Command::Man(_) => None,
        }
    }

    fn run(self) -> Result<(), Failure> {
        match self {
            Command::Chat(chat) => chat.command.run(&chat.connection),
            Command::Respond(respond) => respond.command.run(&respond.connection),
            Command::Models(models) => models.command.run(&models.connection),
            Command::Bulk(bulk) => bulk.run(),
            Command::Doctor(doctor) => doctor.command.run(&doctor.connection),
            Command::Serve(serve) => serve.run(),
            Command::Completion(completion) => completion.run(Arguments::command()),
            Command::Man(man) => man.run(Arguments::command()),
        }
    }
}

/// Handles what is not a command: requests for help or the version, and invalid arguments.
fn refuse(error: &clap::Error, named: &[OsString]) -> Exit {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            let printed = error.print().and_then(|()| io::stdout().flush());
            let Err(failure) = printed.map_err(|cause| console::unwritten(&cause)) else {
                return Exit::Done;
            };
            if !failure.message.is_empty() {
                console::say(&failure.message);
            }
            failure.exit
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // If this fails, there is nowhere to report it.
            let _ = error.print();
            Exit::Usage
        }
        kind => {
            let (mut table, mut help) = (Arguments::command(), "modelwire".to_owned());
            for name in named.iter().filter_map(|name| name.to_str()) {
                let Some(command) = table.find_subcommand(name) else { break };
                help = format!("{help} {}", command.get_name());
                table = command.clone();
            }
            let mut message = in_a_line(&error.render().to_string());
            // Clap takes one argument too many for a subcommand where there are some.
            let too_many = match error.get(ContextKind::InvalidSubcommand) {
                Some(ContextValue::String(name)) if kind == ErrorKind::ArgumentConflict => {
                    Some(name).filter(|name| table.find_subcommand(name).is_none())
                }
                _ => None,
            };
            if let Some(argument) = too_many {
                message = format!("unexpected argument '{argument}' found");
            }
            let is_unknown = kind == ErrorKind::UnknownArgument || too_many.is_some();
            if is_unknown && !message.contains("tip: ") {
                message.push_str("; quote a value that contains spaces");
            }
            if let Some(meant) = named.get(1).filter(|_| kind == ErrorKind::MissingRequiredArgument)
            {
                let listed: Vec<_> =
                    table.get_subcommands().map(|it| it.get_name().to_owned()).collect();
                if let Some(nearest) = doctor::nearest(&meant.to_string_lossy(), &listed) {
                    message.push_str(&format!("; tip: a similar subcommand exists: '{nearest}'"));
                }
            }
            if let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg)
                && let Some(meant) = meant(option, &table).filter(|_| is_unknown)
            {
                message = format!("unexpected argument '{option}' found; {meant}");
            }
            let message = without_key(None, &message);
            console::say(&format!("{message} (see `{help} --help`)"));
            Exit::Usage
        }
    }
}

/// What to give in place of an option of another program, or of `modelwire chat`.
fn meant(option: &str, command: &clap::Command) -> Option<String> {
    let mut options = command.get_arguments().filter_map(|argument| argument.get_long());
    match option {
        "--api-key" | "--api_key" | "--key" => {
            options.any(|known| known == "key-file").then(|| {
                "set MODELWIRE_API_KEY to the key, or give a file with --key-file FILE".to_owned()
            })
        }
        "--max-tokens" | "--max_tokens" | "--temperature" if command.get_name() == "bulk" => {
            let member = option.trim_start_matches('-').replace('-', "_");
            Some(format!("give --default {member}=N, for requests that lack it"))
        }
        _ => None,
    }
}

/// Clap's error on one line: the error and its tips.
fn in_a_line(rendered: &str) -> String {
    let words = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts = rendered.trim().split("\n\n").map(words);
    let said = parts
        .filter(|part| !part.starts_with("Usage: ") && !part.starts_with("For more information"))
        .map(|part| part.strip_prefix("error: ").map(str::to_owned).unwrap_or(part));
    said.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
#[path = "arguments_tests.rs"]
mod tests;
