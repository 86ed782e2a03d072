//! `modelwire serve`: the mock service on a local port, for tests of programs in any language.

use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, value_parser};
use modelwire_testing::{ARGUMENTS, Options, Service};

use crate::console::{self, Output};
use crate::everyday::upstream::upstream;
use crate::failure::Failure;

/// The additional arguments, which the service's own table does not have.
const EXIT_WITH_STDIN: &str = "exit-with-stdin";
const RECORD: &str = "record";
const TO: &str = "to";
const KEY_FILE: &str = "key-file";

/// Runs the service. Its arguments are those of the service's own table.
#[derive(Clone, Debug, Default)]
pub(crate) struct Serve {
    options: Options,
    exit_with_stdin: bool,
    /// The base URL of the service to record, and the file.
    record: Option<(String, PathBuf)>,
    /// The file with its key.
    key_file: Option<PathBuf>,
}

impl Serve {
    pub(crate) fn run(mut self) -> Result<(), Failure> {
        let mut recorded = None;
        if let Some((base_url, to)) = &self.record {
            let upstream = upstream(base_url, self.key_file.as_deref(), to)?;
            recorded =
                Some(format!("records the exchanges with {} in {}", upstream.host, to.display()));
            self.options.record = Some(Arc::new(upstream));
        }
        let port = self.options.port;
        let key = self.options.key.clone();
        let has_replay = self.options.replay.is_some();
        let service = Service::start_with(self.options).map_err(|cause| {
            Failure::file(format!("cannot listen on port {port} of 127.0.0.1: {cause}"))
        })?;
        let plays = match has_replay {
            true => "replays recorded exchanges",
            false => "a mock service for tests, without a model",
        };
        let what = recorded.unwrap_or_else(|| plays.to_owned());
        console::say(&format!("{what}; its key is {key}; Ctrl-C ends it"));
        let mut output = Output::standard();
        output.line(&service.base_url())?;
        output.flush()?;
        if self.exit_with_stdin {
            let mut ignored = [0; 1024];
            // However reading ends, the parent is gone.
            while io::stdin().read(&mut ignored).is_ok_and(|count| count > 0) {}
            return Ok(());
        }
        loop {
            std::thread::park();
        }
    }
}

impl clap::Args for Serve {
    fn augment_args(command: Command) -> Command {
        let of_table = ARGUMENTS.iter().map(|argument| {
            Arg::new(argument.name)
                .long(argument.name)
                .value_name(argument.value)
                .help(argument.doc)
        });
        let flag = Arg::new(EXIT_WITH_STDIN).long(EXIT_WITH_STDIN).action(ArgAction::SetTrue).help(
            "Exit when standard input closes, which happens when the program that started it ends",
        );
        let record = Arg::new(RECORD).long(RECORD).value_name("URL").requires(TO).conflicts_with_all(["replay", "pace", "cut-after", "status", "every", "load", "usage", "word-pause-ms"]).help(
            "Pass requests on to the service at this base URL, with the key of MODELWIRE_API_KEY or --key-file, and record every exchange, byte for byte with times, without the keys",
        );
        let to = Arg::new(TO)
            .long(TO)
            .value_name("FILE")
            .requires(RECORD)
            .value_parser(value_parser!(PathBuf))
            .help("The file to which --record appends exchanges");
        let key_file = Arg::new(KEY_FILE)
            .long(KEY_FILE)
            .value_name("FILE")
            .requires(RECORD)
            .value_parser(value_parser!(PathBuf))
            .help("A file with the API key of the recorded service and nothing else");
        command
            .args(of_table)
            .args([record, to, key_file, flag])
            .after_help("Prints the base URL on a line of standard output when it is ready.")
    }

    fn augment_args_for_update(command: Command) -> Command {
        Serve::augment_args(command)
    }
}

impl clap::FromArgMatches for Serve {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Serve, Error> {
        let mut serve = Serve::default();
        serve.update_from_arg_matches(matches)?;
        Ok(serve)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        for argument in ARGUMENTS {
            let Some(value) = matches.get_one::<String>(argument.name) else { continue };
            (argument.set)(&mut self.options, value).map_err(|wrong| {
                let message = format!("--{} {wrong}", argument.name);
                Error::raw(ErrorKind::ValueValidation, message)
            })?;
        }
        self.exit_with_stdin = matches.get_flag(EXIT_WITH_STDIN);
        let (url, to) = (matches.get_one::<String>(RECORD), matches.get_one::<PathBuf>(TO));
        self.record = url.cloned().zip(to.cloned());
        self.key_file = matches.get_one::<PathBuf>(KEY_FILE).cloned();
        Ok(())
    }
}
