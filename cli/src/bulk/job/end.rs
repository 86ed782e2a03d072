//! The reason that a job ended, its message, and the exit code.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use modelwire_bulk::Error;
use modelwire_bulk::budget::Spent;
use modelwire_bulk::engine::{Status, StopReason, Stopped};
use modelwire_bulk::input::Survey;

use crate::bulk::arguments::{Bulk, Unknown};
use crate::bulk::numbers::counted;
use crate::bulk::progress::{self, How, Progress, terminal_width};
use crate::bulk::summary::{Summary, Tally};
use crate::failure::{Exit, Failure};
use crate::system::shell;

use super::command_line;
use super::plan::Plan;

/// Why a run ended early.
#[derive(Debug)]
pub(super) enum Cause {
    /// Ctrl-C, SIGTERM or a closed terminal.
    Interrupted {
        /// Rows that were cancelled, with unknown outcome.
        unknown: u64,
    },
    /// The service: the key, a permission, or unreachable.
    Stopped(Stopped),
    /// The budget, the input, or the answer to a question.
    Refused(Failure),
    /// Results cannot be written; closing the store returns the error.
    Unwritable,
}

impl Cause {
    /// One line for the user.
    pub(super) fn message(&self) -> String {
        match self {
            Cause::Interrupted { unknown: 0 } => {
                "interrupted; rows in flight were completed".to_owned()
            }
            Cause::Interrupted { unknown } => format!(
                "interrupted at once: {} in flight, with unknown outcome. They are sent again when the job \
                 resumes; --unknown skip leaves them out",
                counted(*unknown, "row was", "rows were")
            ),
            Cause::Stopped(Stopped { reason, error, row }) => {
                let what = match reason {
                    StopReason::KeyRefused => "the service rejected the key".to_owned(),
                    StopReason::Forbidden if error.status() == Some(402) => {
                        "the service asks for payment".to_owned()
                    }
                    StopReason::Forbidden => format!("model {:?} is forbidden", row.model),
                    StopReason::NotFound => {
                        format!("model {:?} is not found", row.model)
                    }
                    StopReason::Invalid => {
                        let what = match error.status() {
                            Some(400 | 422) => "rejects the first rows as invalid",
                            Some(_) | None => "refuses the first rows",
                        };
                        format!("the service {what}, and so probably all")
                    }
                    StopReason::Failing => format!("model {:?} fails every row", row.model),
                    StopReason::Unreachable => "the service cannot be reached".to_owned(),
                    StopReason::Limited => {
                        "the service rate-limits every row, and a quota may be used up; \
                                            --patience waits longer"
                            .to_owned()
                    }
                };
                let said = match reason {
                    // The hint of a single call is to slow down, which the job already did.
                    StopReason::Limited => {
                        let wait = error.retry_after().map(|wait| wait.as_secs_f64().ceil());
                        let wait = wait.map(|wait| format!(" It asks to wait {wait} s."));
                        let said = error.message().trim_end_matches('.');
                        format!("{said}.{}", wait.unwrap_or_default())
                    }
                    StopReason::KeyRefused
                    | StopReason::Forbidden
                    | StopReason::NotFound
                    | StopReason::Invalid
                    | StopReason::Failing
                    | StopReason::Unreachable => error.to_string(),
                };
                crate::console::one_line(&format!("{what}: {said}"))
            }
            Cause::Refused(failure) => failure.message.clone(),
            Cause::Unwritable => "results cannot be written".to_owned(),
        }
    }

    /// The same in one word, for programs.
    fn word(&self) -> &'static str {
        match self {
            Cause::Interrupted { .. } => "interrupted",
            Cause::Stopped(stopped) => match stopped.reason {
                StopReason::KeyRefused => "key",
                StopReason::Forbidden => "forbidden",
                StopReason::NotFound => "not_found",
                StopReason::Invalid => "invalid",
                StopReason::Failing => "failing",
                StopReason::Unreachable => "unreachable",
                StopReason::Limited => "rate_limited",
            },
            Cause::Refused(failure) if failure.exit == Exit::Budget => "budget",
            Cause::Refused(_) => "input",
            Cause::Unwritable => "file",
        }
    }

    /// The failure with its exit code.
    pub(super) fn failure(&self) -> Failure {
        let exit = match self {
            Cause::Interrupted { .. } => Exit::Interrupted,
            Cause::Stopped(stopped) => Exit::of(stopped.error.kind()),
            Cause::Refused(failure) => failure.exit,
            Cause::Unwritable => Exit::File,
        };
        Failure::new(exit, self.message())
    }
}

/// The state of a run that ended.
pub(super) struct End {
    /// The input was refused at its first line.
    pub(super) is_untouched: bool,
    pub(super) cause: Option<Cause>,
    pub(super) tally: Tally,
    pub(super) spent: Spent,
    pub(super) status: Status,
    /// Rows that succeeded in earlier runs; then those that failed.
    pub(super) done_before: u64,
    pub(super) failed_before: u64,
    /// Rows that earlier runs sent without a known outcome.
    pub(super) unknown: Vec<String>,
    /// Whether the input was read to its end and all of it ran.
    pub(super) is_whole: bool,
    pub(super) closed: Result<(), Error>,
    pub(super) progress: Progress,
    pub(super) state: progress::State,
}

/// Reports the outcomes, and returns the result of the command. `needs_yes`: it goes on only with `--yes`.
pub(super) fn finish(
    mut end: End,
    bulk: &Bulk,
    plan: &Plan,
    survey: Option<&Survey>,
    begun: Instant,
    how: How,
    needs_yes: bool,
) -> Result<(), Failure> {
    if end.is_untouched
        && let Some(cause) = &end.cause
    {
        return Err(cause.failure());
    }
    let (done_before, failed_before) = (end.done_before, end.failed_before);
    let ended = end.tally.done() + end.tally.failed();
    let left = match (survey, end.is_whole) {
        (_, true) => Some(0),
        (Some(survey), false) => {
            let copied = survey.equal + survey.reused;
            let bad = survey.bad - survey.bad_before;
            Some((survey.wanted + copied + bad).saturating_sub(ended))
        }
        (None, false) => None,
    };
    let stopped = end.cause.as_ref().map(Cause::message);
    let command = command_line::to_go_on(std::env::args_os(), needs_yes.then_some("--yes"));
    let output = bulk.writing.output.to_string_lossy();
    let summary = Summary {
        sources: &plan.sources,
        tally: &end.tally,
        spent: end.spent,
        elapsed: begun.elapsed(),
        before: done_before + failed_before,
        left,
        equal: end.status.equal,
        reused: end.status.reused,
        attempts: end.status.sent,
        rate_limited: end.status.limited,
        asked_again: end.status.asked_again,
        unknown: end.unknown.len() as u64,
        unknown_names: &end.unknown,
        unknown_sent_again: bulk.resume.unknown == Unknown::Send,
        stopped: stopped.as_deref(),
        output: (output != "-").then_some(&*output),
        command: Some(&command),
    };
    end.progress.end(Instant::now(), &end.state, summary.members());
    match how {
        How::Bar | How::Notes
            if ended == 0 && end.cause.is_none() && done_before + failed_before > 0 =>
        {
            let failed = match failed_before {
                0 => String::new(),
                failed => format!(", {failed} failed; --retry-failed runs those again"),
            };
            let done = counted(done_before, "row is done", "rows are done");
            crate::console::say(&format!("nothing to run: {done} already{failed}"));
        }
        How::Bar | How::Notes => {
            let text = summary.text(terminal_width(), ::console::colors_enabled_stderr());
            // If this fails, there is nowhere to report it.
            let _ = std::io::stderr().write_all(text.as_bytes());
        }
        How::Quiet | How::Json => {}
    }
    let word = match (&end.cause, &end.closed) {
        (_, Err(_)) => "file",
        (Some(cause), Ok(())) => cause.word(),
        (None, Ok(())) => "",
    };
    let (done, failed) = (end.tally.done(), end.tally.failed());
    let result = match (end.closed, end.cause) {
        (Err(error), _) => Err(error.into()),
        (Ok(()), Some(cause)) => {
            let failure = cause.failure();
            // In the other modes, the summary has reported it.
            let message = if how == How::Quiet { failure.message } else { String::new() };
            Err(Failure::new(failure.exit, message))
        }
        (Ok(()), None) if failed + failed_before > 0 => Err(Failure::new(Exit::RowsFailed, "")),
        (Ok(()), None) => Ok(()),
    };
    if let Some(command) = &bulk.shown.on_end {
        let exit = result.as_ref().map_or_else(|failure: &Failure| failure.exit, |()| Exit::Done);
        let left = left.map(|left| left.to_string()).unwrap_or_default();
        let variables = [
            ("MODELWIRE_BULK_EXIT", (exit as u8).to_string()),
            ("MODELWIRE_BULK_DONE", done.to_string()),
            ("MODELWIRE_BULK_FAILED", failed.to_string()),
            ("MODELWIRE_BULK_LEFT", left),
            ("MODELWIRE_BULK_STOPPED", word.to_owned()),
        ];
        if let Err(what) = on_end(command, variables, &bulk.writing.output) {
            end.progress.note(&format!("--on-end: {what}"));
        }
    }
    result
}

/// Runs the command of `--on-end`. The error says how it failed.
fn on_end(
    command: &str,
    variables: impl IntoIterator<Item = (&'static str, String)>,
    output: &Path,
) -> Result<(), String> {
    let mut command = shell(command);
    command.envs(variables).env("MODELWIRE_BULK_OUTPUT", output);
    let ran = command.stdin(Stdio::null()).stdout(std::io::stderr()).status();
    match ran {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(format!("the shell cannot be started: {error}")),
    }
}
