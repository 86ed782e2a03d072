//! The service, the key and the client options: arguments of every command that calls a service.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use modelwire::{
    API_KEY_VARIABLES, BASE_URL_VARIABLES, Client, Config, Error, OptionKind, TimeoutPhase, Value,
};

use crate::failure::{Exit, Failure};
use crate::system::shell;

/// Maximum bytes of a key file, and of what a key command prints.
const KEY_FILE_BYTES_MAX: u64 = 16 * 1024;
/// The longest time that a key command may take.
const KEY_COMMAND_TIME_MAX: Duration = Duration::from_secs(60);
/// Maximum bytes of a file with an option's value.
const OPTION_FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;
/// Maximum seconds of `--timeout`: a year.
const TIMEOUT_SECONDS_MAX: f64 = 365.0 * 24.0 * 3600.0;
/// Options with secret values, because everyone on the machine can see arguments.
const SECRET_OPTIONS: [&str; 1] = ["client_certificate_pem"];

/// Where the service is, and how it is called.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Connection")]
pub(crate) struct Connection {
    /// The base URL, https://host/v1; by default MODELWIRE_BASE_URL or OPENAI_BASE_URL
    #[arg(long, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// A file with the API key and nothing else; by default MODELWIRE_API_KEY or OPENAI_API_KEY. The key
    /// is never an argument: everyone on the machine can see arguments
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// Run this with the shell: what it prints is the API key. In a job, this or the key file is asked again
    /// after a 401, for keys that expire
    #[arg(long, value_name = "COMMAND", conflicts_with = "key_file")]
    pub(crate) key_command: Option<String>,

    /// The longest that a call may take, with all attempts; in a job, each attempt of a row [default: no
    /// limit, but an answer must begin within 600 s and not pause for 300 s]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<Duration>,

    /// A client option by its name in docs/options.md, `http2=true` for instance; the value is JSON or
    /// text, or @FILE to read it from a file
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub(crate) options: Vec<String>,

    /// After an error, print everything that is known about it, for support; never the key
    #[arg(long)]
    pub(crate) report: bool,

    /// The key that was read first.
    #[arg(skip)]
    pub(crate) first_key: OnceLock<String>,
}

/// A command that calls a service.
#[derive(Debug, clap::Args)]
pub(crate) struct Calling<T: clap::Args> {
    #[command(flatten)]
    pub(crate) command: T,
    #[command(flatten)]
    pub(crate) connection: Connection,
}

impl Connection {
    /// Creates the client that the arguments describe.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        self.client_with(|_| ())
    }

    /// Like [`Connection::client`], with a changed configuration.
    pub(crate) fn client_with(&self, change: impl FnOnce(&mut Config)) -> Result<Client, Failure> {
        self.require()?;
        let mut config = self.config()?;
        change(&mut config);
        Client::new(config).map_err(Failure::from)
    }

    /// The configuration from the arguments, and otherwise from the environment.
    pub(crate) fn config(&self) -> Result<Config, Failure> {
        let mut config = Config::new();
        config.set_options(&self.options_json()?).map_err(wrong_option)?;
        if let Some(base_url) = &self.base_url {
            config = config.base_url(base_url);
        }
        if let Some(source) = self.key_source() {
            let key = source.key()?;
            let _ = self.first_key.set(key.clone());
            config = config.api_key(key);
        }
        if let Some(timeout) = self.timeout {
            config.timeouts_mut().set(TimeoutPhase::Total, Some(timeout))?;
        }
        Ok(config)
    }

    /// Checks that there is a base URL and a key; the error says what to set.
    pub(crate) fn require(&self) -> Result<(), Failure> {
        if self.option("base_urls").is_some() {
            return Ok(()); // the client checks them with their keys
        }
        self.require_base_url()?;
        if self.key_source().is_none() && set_variable(&API_KEY_VARIABLES).is_none() {
            let message = "no API key: set MODELWIRE_API_KEY (or OPENAI_API_KEY), or give --key-file \
                           FILE. The key is created in the service's control panel";
            return Err(Failure::new(Exit::Config, message));
        }
        Ok(())
    }

    /// Refuses several base URLs, for a command that is about one.
    pub(crate) fn require_one_service(&self, command: &str) -> Result<(), Failure> {
        match self.option("base_urls") {
            None => Ok(()),
            Some(_) => {
                let message = format!("{command} is about one service: give --base-url URL");
                Err(Failure::usage(message))
            }
        }
    }

    /// Where the key comes from, if not from the environment.
    pub(crate) fn key_source(&self) -> Option<KeySource> {
        let of_file = self.key_file.clone().map(KeySource::File);
        of_file.or_else(|| self.key_command.clone().map(KeySource::Command))
    }

    /// For a job: the key if it is another one than before, asked for after a 401.
    pub(crate) fn renewed_key(&self) -> Option<impl FnMut() -> Option<String> + Send + 'static> {
        let source = self.key_source()?;
        let mut before = self.first_key.get().cloned();
        Some(move || {
            let key = source.can_be_asked_again().then(|| source.key())?;
            match key {
                Ok(key) if before.as_ref() != Some(&key) => {
                    before = Some(key.clone());
                    Some(key)
                }
                Ok(_) => None,
                Err(failure) => {
                    crate::console::say(&failure.message);
                    None
                }
            }
        })
    }

    /// The base URL; the error says what to set.
    pub(crate) fn require_base_url(&self) -> Result<String, Failure> {
        let of_environment = || {
            let name = set_variable(&BASE_URL_VARIABLES)?;
            Some(std::env::var_os(name)?.to_string_lossy().trim().to_owned())
        };
        let given = match &self.base_url {
            Some(base_url) => Some(base_url.trim().to_owned()),
            None => self.option_text("base_url")?.or_else(of_environment),
        };
        given.ok_or_else(|| {
            let message = "no base URL: give --base-url https://host/v1, or set MODELWIRE_BASE_URL (or \
                           OPENAI_BASE_URL)";
            Failure::new(Exit::Config, message)
        })
    }

    /// The last value given for an option, unparsed.
    pub(crate) fn option(&self, name: &str) -> Option<&str> {
        let pairs = self.options.iter().rev().filter_map(|given| given.split_once('='));
        pairs.filter(|(known, _)| *known == name).map(|(_, value)| value).next()
    }

    /// The text of a text option, if given.
    pub(crate) fn option_text(&self, name: &str) -> Result<Option<String>, Failure> {
        let Some(value) = self.option(name) else { return Ok(None) };
        let json = json_of(name, value)?;
        Ok(Value::parse(&json).ok().and_then(|value| value.as_str().map(String::from)))
    }

    /// The pairs of an option that takes an object of texts, in order.
    pub(crate) fn option_pairs(&self, name: &str) -> Result<Vec<(String, String)>, Failure> {
        let mut pairs = Vec::new();
        for given in &self.options {
            let (known, value) = named("--option", given)?;
            if known == name {
                let json = json_of(name, value)?;
                let members = Value::parse(&json).map(Value::members).unwrap_or_default();
                let text = |value: Value<'_>| value.as_str().map(String::from).unwrap_or_default();
                pairs.extend(members.into_iter().map(|(name, value)| (name.into(), text(value))));
            }
        }
        Ok(pairs)
    }

    /// The options as one JSON object.
    fn options_json(&self) -> Result<String, Failure> {
        let mut members = Vec::new();
        for given in &self.options {
            let (name, value) = named("--option", given)?;
            if name == "api_key" {
                let message = "--option api_key: the key must not be an argument, which everyone on the \
                               machine can see: set MODELWIRE_API_KEY, or give --key-file FILE";
                return Err(Failure::usage(message));
            }
            members.push(format!("{}:{}", quoted(name), json_of(name, value)?));
        }
        Ok(format!("{{{}}}", members.join(",")))
    }
}

/// A text for the user without the key: that of a file or a command, if it was read, and those of the
/// environment.
pub(crate) fn without_key(connection: Option<&Connection>, text: &str) -> String {
    let read = connection.and_then(|connection| connection.first_key.get().cloned());
    let variables = API_KEY_VARIABLES.iter().filter_map(|name| std::env::var(name).ok());
    modelwire::parse::redacted(text, read.into_iter().chain(variables))
}

/// The first of these variables with more than white space.
pub(crate) fn set_variable(names: &[&'static str]) -> Option<&'static str> {
    let is_set = |name: &&&str| {
        std::env::var_os(name).is_some_and(|value| !value.to_string_lossy().trim().is_empty())
    };
    names.iter().find(is_set).copied()
}

/// A string as JSON.
pub(crate) fn quoted(text: &str) -> String {
    // Serializing a string cannot fail.
    serde_json::to_string(text).unwrap_or_default()
}

/// Splits `NAME=VALUE`.
pub(crate) fn named<'a>(argument: &str, given: &'a str) -> Result<(&'a str, &'a str), Failure> {
    match given.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name, value)),
        _ => Err(Failure::usage(format!("{argument} takes NAME=VALUE, not {given:?}"))),
    }
}

/// The value after `NAME=` as JSON: valid JSON as it is, other text as a string. Text that begins like a
/// JSON array, object or string but is invalid is rejected as a typo.
pub(crate) fn json_or_text(argument: &str, name: &str, value: &str) -> Result<String, Failure> {
    match Value::parse(value) {
        Ok(_) => Ok(value.trim().to_owned()),
        Err(cause) if value.trim_start().starts_with(['{', '[', '"']) => {
            let message = format!(
                "{argument} {name}: the value is not JSON: {cause}. In a shell, put it in single quotes"
            );
            Err(Failure::usage(message))
        }
        Err(_) => Ok(quoted(value)),
    }
}

/// The value of a client option as JSON.
fn json_of(name: &str, value: &str) -> Result<String, Failure> {
    let of_file;
    let value = match value.strip_prefix('@') {
        Some(file) => {
            of_file = read_whole(Path::new(file), file, OPTION_FILE_BYTES_MAX)
                .map_err(|failure| failure.within(&format!("--option {name}")))?;
            of_file.as_str()
        }
        None if SECRET_OPTIONS.contains(&name) || has_keys(name, value) => {
            let message = format!(
                "--option {name} takes @FILE: its value is secret, and everyone on the machine can see \
                 arguments"
            );
            return Err(Failure::usage(message));
        }
        None => value,
    };
    let takes_text =
        Config::OPTIONS.iter().any(|option| option.name == name && option.kind == OptionKind::Text);
    if takes_text && !value.starts_with('"') {
        return Ok(quoted(value));
    }
    json_or_text("--option", name, value)
}

/// Whether these base URLs have API keys.
fn has_keys(name: &str, value: &str) -> bool {
    name == "base_urls" && value.contains("api_key")
}

/// The usage error for an option that the client does not accept.
fn wrong_option(error: Error) -> Failure {
    Failure { exit: Exit::Usage, ..Failure::from(error).within("--option") }
}

/// Where the API key comes from.
#[derive(Clone, Debug)]
pub(crate) enum KeySource {
    File(PathBuf),
    Command(String),
}

impl KeySource {
    /// The argument that names it.
    pub(crate) fn shown(&self) -> String {
        match self {
            KeySource::File(file) if may_be_key(file) => "--key-file".to_owned(),
            KeySource::File(file) => format!("--key-file {}", file.display()),
            KeySource::Command(_) => "--key-command".to_owned(),
        }
    }

    /// Reads the key. Errors never show any of its characters.
    pub(crate) fn key(&self) -> Result<String, Failure> {
        let text = match self {
            KeySource::File(file) => {
                let name = match may_be_key(file) {
                    true => "the file, whose name may be the key and is not shown,".to_owned(),
                    false => file.display().to_string(),
                };
                read_whole(file, &name, KEY_FILE_BYTES_MAX)
                    .map_err(|failure| failure.within("--key-file"))?
            }
            KeySource::Command(command) => printed_by(command).map_err(|what| {
                Failure::new(Exit::Config, format!("--key-command: the command {what}"))
            })?,
        };
        checked_key(&self.shown(), &text)
    }

    /// Whether it can be asked again: a pipe is read once, and may wait for its writer forever.
    fn can_be_asked_again(&self) -> bool {
        match self {
            KeySource::File(file) => std::fs::metadata(file).is_ok_and(|file| file.is_file()),
            KeySource::Command(_) => true,
        }
    }
}

/// Runs a command with the shell and returns what it prints; the error says what it did instead.
fn printed_by(command: &str) -> Result<String, String> {
    let mut command = shell(command);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    let mut child = command.spawn().map_err(|cause| format!("cannot be started: {cause}"))?;
    let (send, receive) = mpsc::channel();
    // Left behind if the command takes too long.
    std::thread::spawn(move || {
        let mut text = Vec::new();
        let pipe = child.stdout.take();
        let read = pipe.map(|pipe| pipe.take(KEY_FILE_BYTES_MAX).read_to_end(&mut text));
        let _ = send.send((read.transpose(), child.wait(), text));
    });
    let ended = receive.recv_timeout(KEY_COMMAND_TIME_MAX);
    let Ok((read, status, text)) = ended else {
        return Err(format!("took longer than {} s", KEY_COMMAND_TIME_MAX.as_secs()));
    };
    read.map_err(|cause| format!("cannot be read: {cause}"))?;
    match status {
        Ok(status) if status.success() => {
            String::from_utf8(text).map_err(|_| "printed something else than UTF-8 text".to_owned())
        }
        Ok(status) => Err(format!("failed: {status}")),
        Err(cause) => Err(format!("failed: {cause}")),
    }
}

/// The key in a text, which is nothing else.
fn checked_key(place: &str, text: &str) -> Result<String, Failure> {
    let key = text.strip_suffix('\n').unwrap_or(text);
    let key = key.strip_suffix('\r').unwrap_or(key);
    let wrong = |what: &str| {
        let message = format!("{place} {what}: it must contain the API key and nothing else");
        Err(Failure::new(Exit::Config, message))
    };
    match key {
        "" => wrong("is empty"),
        key if key.trim().is_empty() => wrong("has white space only"),
        key if key.contains(['\n', '\r']) => wrong("has more than one line"),
        key if key.contains(char::is_whitespace) => wrong("has white space in its line"),
        key => Ok(key.to_owned()),
    }
}

/// Whether the key itself may have been given in place of the name of its file: there is no such file, and no
/// folder with which the name begins.
fn may_be_key(file: &Path) -> bool {
    let mut parts = file.components();
    let first = parts.next().filter(|_| parts.next().is_some());
    let is_place = first.is_some_and(|first| Path::new(first.as_os_str()).exists());
    !is_place && !file.exists()
}

/// Reads a whole text file; `name` is its name in messages.
fn read_whole(file: &Path, name: &str, bytes_max: u64) -> Result<String, Failure> {
    let unread = |cause: std::io::Error| Failure::file(format!("{name} cannot be read: {cause}"));
    let mut bytes = Vec::new();
    // One byte more, to detect a file that is too long.
    let mut read = File::open(file).map_err(unread)?.take(bytes_max.saturating_add(1));
    read.read_to_end(&mut bytes).map_err(unread)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > bytes_max {
        return Err(Failure::file(format!("{name} is larger than {bytes_max} bytes")));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::new(Exit::Config, format!("{name} is not UTF-8 text")))
}

/// Parses a time in seconds, with decimals.
fn seconds(given: &str) -> Result<Duration, String> {
    match given.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= TIMEOUT_SECONDS_MAX => {
            Ok(Duration::from_secs_f64(seconds))
        }
        _ => Err(format!("it must be seconds, above 0 and up to {TIMEOUT_SECONDS_MAX}")),
    }
}

#[cfg(test)]
#[path = "connection_tests.rs"]
mod tests;
