//! `modelwire doctor`: finds what prevents an answer, one line per check.

mod calls;
pub mod causes;
mod certificate;
mod checks;
mod context;
mod network;
mod path;
mod proxy;
mod records;
mod report;
mod service;
mod settings;
mod streaming;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use certificate::roots;
pub(crate) use service::nearest;

use crate::connection::{Connection, without_key};
use crate::console;
use crate::doctor::checks::examine;
use crate::doctor::context::Asked;
use crate::doctor::report::{Check, Finding, Report};
use crate::failure::{Exit, Failure};

/// Default maximum time of a single step: a model may have to be loaded.
const STEP_TIME_MAX: Duration = Duration::from_secs(60);

/// The help of `--timeout`, which limits a step here instead of a call.
pub(crate) const TIMEOUT_HELP: &str = "The timeout of one step, without retries: for calls, until the \
    answer begins; at most 15 s for DNS lookups, 8 s for connections, 10 s for TLS [default: 60]";

/// Maximum that `--timeout` can set.
const STEP_TIME_LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// Printed before any metered call.
const COSTS: &str = "chat, streaming and responses are model calls, which are billed (3 short \
    ones, or 5 if a model only streams); --no-calls skips them";

/// Looks at everything between here and an answer.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {
    /// The model to check; by default MODELWIRE_MODEL, or the first that the service lists
    #[arg(short, long, value_name = "MODEL")]
    model: Option<String>,
    /// Make no model calls, which are billed
    #[arg(long)]
    no_calls: bool,
    /// Print one JSON object with all checks, at the end
    #[arg(long)]
    json: bool,
    /// Read the records of ended calls from this file, one on each line, and say which failed and where the
    /// time went; calls nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["model", "no_calls"])]
    from: Option<PathBuf>,
}

/// The check without the key, which may be in a URL, a name, or what the service said.
fn hidden(mut check: Check, connection: &Connection) -> Check {
    let Finding { saw, cause, action, .. } = &mut check.finding;
    for text in [saw, cause, action] {
        *text = without_key(Some(connection), text);
    }
    check
}

impl Doctor {
    pub(crate) fn run(&self, connection: &Connection) -> Result<(), Failure> {
        if let Some(file) = &self.from {
            let found = records::examine(file)?;
            return self.report(|report| found.into_iter().try_for_each(|check| report.add(check)));
        }
        connection.require_one_service("modelwire doctor")?;
        if !self.no_calls {
            console::say(COSTS);
        }
        let variables =
            |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        let asked = Asked {
            connection,
            variables: &variables,
            model: self.model.as_deref(),
            no_calls: self.no_calls,
            time_max: connection.timeout.unwrap_or(STEP_TIME_MAX).min(STEP_TIME_LONGEST),
        };
        self.report(|report| examine(&asked, |check| report.add(hidden(check, connection))))
    }

    fn report(
        &self,
        examine: impl FnOnce(&mut Report<'_>) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = io::stdout();
        let is_plain = std::env::var_os("NO_COLOR").is_some_and(|set| !set.is_empty());
        let has_colour = out.is_terminal() && !is_plain;
        let mut report = Report::new(&mut out, self.json, has_colour);
        examine(&mut report).map_err(|error| console::unwritten(&error))?;
        let verdict = report.end().map_err(|error| console::unwritten(&error))?;
        // The verdict is already printed.
        if verdict.is_ok { Ok(()) } else { Err(Failure::new(Exit::DoctorFailed, "")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::causes::Fault;

    /// Services may repeat it anywhere, a finish reason for instance.
    #[test]
    fn a_check_shows_no_key() {
        let connection = Connection::default();
        let _ = connection.first_key.set("sk-test-0123".to_owned());
        let text = "finish reason sk-test-0123";
        let finding = Finding::failed(Fault::NotJson, text).because(text).so_do(text);
        let check = hidden(Check { name: "chat", finding, took: Duration::ZERO }, &connection);
        let Finding { saw, cause, action, .. } = check.finding;
        assert_eq!([saw, cause, action], ["finish reason [key]"; 3]);
    }
}
