//! The question whether to continue after a pilot, and when it is asked.
//!
//! | | standard error is a terminal | it is not |
//! |---|---|---|
//! | more than `ROWS_FROM` rows | a pilot and the question; `--yes` answers it | none |
//! | `--pilot N` | a pilot and the question; `--yes` answers it | a pilot; continues with `--yes`, else stops with exit 4 because nobody can be asked |
//! | `--no-pilot` | none | none |
//!
//! Standard input can be read only once, so no sample can be drawn from it: there is no pilot, and
//! `--pilot` is a usage error ([`needs_a_file`]).

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::bulk::numbers::counted;
use crate::failure::{Exit, Failure};
use crate::system::TERMINAL;

/// How often to check for Ctrl-C while waiting for the answer.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Maximum bytes of an answer that are read.
const ANSWER_BYTES_MAX: u64 = 1024;

/// Whether the user can be asked: standard error is a terminal, and the terminal can be opened.
pub(crate) fn can_ask() -> bool {
    std::io::stderr().is_terminal() && !console::is_dumb() && open().is_some()
}

/// Opens the terminal, because standard input may be the rows.
fn open() -> Option<(File, File)> {
    let input = File::open(TERMINAL.0).ok()?;
    let output = OpenOptions::new().write(true).open(TERMINAL.1).ok()?;
    Some((input, output))
}

/// The error for `--pilot` with rows from standard input.
pub(crate) fn needs_a_file() -> Failure {
    Failure::usage(
        "--pilot needs a file: standard input can be read only once, so no random sample can be drawn from \
         it. Write the rows to a file, or leave --pilot out and bound the run by --max-rows or --max-cost",
    )
}

/// Continues, or ends the run, as the user wishes. `ask` gets the question and returns the answer; `None`
/// if there was none.
pub(crate) fn decide(
    yes: bool,
    rows: u64,
    ask: impl FnOnce(&str) -> Option<bool>,
) -> Result<(), Failure> {
    if yes {
        return Ok(());
    }
    let stop = |why| Err(Failure::new(Exit::Budget, why));
    match ask(&format!("Continue with {}? [y/N] ", counted(rows, "row", "rows"))) {
        Some(true) => Ok(()),
        Some(false) => stop("stopped after the pilot, whose results are kept"),
        None => {
            stop("stopped after the pilot, whose results are kept: --yes continues without asking")
        }
    }
}

/// Asks on the terminal. `None` without a terminal, at its end, or once `is_interrupted`.
pub(crate) fn ask_terminal(question: &str, is_interrupted: impl Fn() -> bool) -> Option<bool> {
    let (input, mut output) = open()?;
    write!(output, "{question}").and_then(|()| output.flush()).ok()?;
    // A blocked read cannot be cancelled, so the thread is abandoned if the user interrupts.
    let (sender, answers) = channel();
    let read = move || {
        let mut line = String::new();
        let _ = BufReader::new(std::io::Read::take(input, ANSWER_BYTES_MAX)).read_line(&mut line);
        let _ = sender.send(line);
    };
    std::thread::Builder::new().name("modelwire-question".to_owned()).spawn(read).ok()?;
    loop {
        match answers.recv_timeout(LOOK_INTERVAL) {
            Ok(line) => return answer(&line),
            Err(RecvTimeoutError::Timeout) if !is_interrupted() => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                let _ = writeln!(output);
                return None;
            }
        }
    }
}

/// `None` for the end of input.
fn answer(line: &str) -> Option<bool> {
    if line.is_empty() {
        return None;
    }
    Some(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_yes() {
        for (line, means) in [
            ("y\n", Some(true)),
            (" YES \r\n", Some(true)),
            ("\n", Some(false)),
            ("n\n", Some(false)),
            ("yesterday\n", Some(false)),
            ("", None),
        ] {
            assert_eq!(answer(line), means, "{line:?}");
        }
    }

    #[test]
    fn a_declined_or_unanswered_question_exits_with_the_budget_code() {
        assert!(decide(true, 5, |_| None).is_ok());
        let ask = |question: &str| {
            assert_eq!(question, "Continue with 48,213 rows? [y/N] ");
            Some(true)
        };
        assert!(decide(false, 48_213, ask).is_ok());
        for answer in [Some(false), None] {
            let failure = decide(false, 1, |_| answer).err();
            assert_eq!(failure.as_ref().map(|failure| failure.exit), Some(Exit::Budget));
            let says_yes = failure.is_some_and(|failure| failure.message.contains("--yes"));
            assert_eq!(says_yes, answer.is_none());
        }
    }
}
