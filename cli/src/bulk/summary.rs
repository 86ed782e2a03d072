//! The summary of a job: counted while it runs, and printed at its end in a few lines.
//!
//! # How the job uses it
//!
//! [`Tally::add`] for each [`Finished`] row, [`Tally::bad_line`] for each invalid line that has an outcome.
//! At the end, after `Progress::end` (which takes [`Summary::members`] for the last line of
//! `--json-progress`), [`Summary::text`] goes to standard error, unless the user wants quiet.
//!
//! The additional members of the `end` line:
//!
//! | member | meaning |
//! |---|---|
//! | `left` | rows without an outcome; null if the input cannot be counted |
//! | `failures` | a list of `{"kind", "status", "count", "file", "line", "key", "message"}`, each with an example |
//! | `perhaps_metered` | failed attempts that may have been metered |
//! | `without_usage` | rows answered without usage: the totals do not include their tokens |
//! | `unknown`, `unknown_sent_again` | rows that an earlier run sent without a known outcome; whether they were sent again |
//! | `stopped` | why the run ended early; null if it did not |

use std::time::Duration;

use modelwire_bulk::budget::Spent;
use modelwire_bulk::input::{Sources, line_of};
use modelwire_bulk::row::{Finished, may_be_metered};
use serde_json::json;

use crate::bulk::numbers::{counted, grouped, percent, short, time};
use crate::bulk::progress::Members;
use crate::console::is_control;

/// Maximum kinds of failures counted separately; in practice there are fewer kinds and statuses.
pub const KINDS_MAX: usize = 32;

/// Maximum names shown of rows with unknown outcome.
pub const NAMES_MAX: usize = 20;

/// Maximum characters of an example's message.
const MESSAGE_LETTERS_MAX: usize = 200;

/// Maximum and minimum width of a summary, on any terminal.
const WIDTH_MAX: usize = 110;
const WIDTH_MIN: usize = 40;

/// The width of the column of names.
const NAMES_WIDTH: usize = 10;

/// Failures of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Failures {
    name: &'static str,
    status: Option<u16>,
    count: u64,
    /// Of the first failure: its number, key, message and hint.
    number: u64,
    key: String,
    message: String,
    hint: String,
}

/// Ended rows, by outcome.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    done: u64,
    failed: u64,
    perhaps: u64,
    failures: Vec<Failures>,
}

impl Tally {
    /// Counts a row that ended.
    pub fn add(&mut self, finished: &Finished) {
        let row = &finished.row;
        let error = match (&finished.outcome, &finished.rejected) {
            (Ok(_), None) => {
                self.done += 1;
                return;
            }
            (Ok(_), Some(rejected)) => {
                let (check, message) = (rejected.check, rejected.message());
                self.failure(check.kind(), None, || {
                    (row.number, row.key.text(), &message, check.hint())
                });
                return;
            }
            (Err(error), _) => error,
        };
        // A copy cost nothing.
        if finished.attempts > 0 && may_be_metered(error) {
            self.perhaps += 1;
        }
        self.failure(error.kind().name(), error.status(), || {
            (row.number, row.key.text(), error.message(), error.hint())
        });
    }

    /// Counts an invalid line of the input as a failure.
    pub fn bad_line(&mut self, number: u64, message: &str) {
        self.failure("bad_line", None, || (number, "", message, ""));
    }

    /// Rows that succeeded.
    pub fn done(&self) -> u64 {
        self.done
    }

    /// Rows that failed.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    fn failure<'a>(
        &mut self,
        name: &'static str,
        status: Option<u16>,
        example: impl FnOnce() -> (u64, &'a str, &'a str, &'a str),
    ) {
        self.failed += 1;
        let same = |known: &&mut Failures| known.name == name && known.status == status;
        if let Some(known) = self.failures.iter_mut().find(same) {
            known.count += 1;
            return;
        }
        if self.failures.len() >= KINDS_MAX {
            // Further kinds are counted with the last one, so that the sum is right.
            if let Some(last) = self.failures.last_mut() {
                last.count += 1;
            }
            return;
        }
        let (number, key, message, hint) = example();
        self.failures.push(Failures {
            name,
            status,
            count: 1,
            number,
            key: key.to_owned(),
            message: one_line(message),
            hint: one_line(hint),
        });
    }
}

/// The contents of a summary.
#[derive(Debug)]
pub struct Summary<'a> {
    /// The input.
    pub sources: &'a Sources,
    /// The rows that ended in this run.
    pub tally: &'a Tally,
    /// Its usage.
    pub spent: Spent,
    /// Its duration.
    pub elapsed: Duration,
    /// Rows that earlier runs ended.
    pub before: u64,
    /// Rows without an outcome; `None` if the input cannot be counted.
    pub left: Option<u64>,
    /// Rows that were not sent: they got a copy of the outcome of an equal row, or of another job.
    pub equal: u64,
    pub reused: u64,
    /// Attempts sent.
    pub attempts: u64,
    /// Attempts that were rate limited (429).
    pub rate_limited: u64,
    /// Answers that failed a check and were asked again.
    pub asked_again: u64,
    /// Rows that an earlier run sent without a known outcome.
    pub unknown: u64,
    /// The names of these; at most [`NAMES_MAX`] are shown.
    pub unknown_names: &'a [String],
    /// Whether they were sent again; otherwise they were left out.
    pub unknown_sent_again: bool,
    /// Why the run ended early.
    pub stopped: Option<&'a str>,
    /// Where the results are; `None`: standard output.
    pub output: Option<&'a str>,
    /// The command of this run, for the lines that say how to resume; `None` if there was none.
    pub command: Option<&'a str>,
}

impl Summary<'_> {
    /// The lines, each with a line feed. `colours`: whether the terminal shows them.
    pub fn text(&self, width: usize, colours: bool) -> String {
        let mut lines =
            Lines { text: String::new(), width: width.clamp(WIDTH_MIN, WIDTH_MAX), colours };
        self.rows(&mut lines);
        self.failures(&mut lines);
        self.unknown_rows(&mut lines);
        self.use_of_tokens(&mut lines);
        if let Some(output) = self.output {
            lines.add("results", Look::Plain, &[output.to_owned()]);
        }
        self.how_to_go_on(&mut lines);
        lines.text
    }

    /// The additional members of the last line of `--json-progress`.
    pub fn members(&self) -> Members {
        let failures = self.tally.failures.iter().map(|known| {
            json!({
                "kind": known.name, "status": known.status, "count": known.count,
                "file": self.sources.name_of(known.number), "line": line_of(known.number), "key": known.key, "message": known.message,
            })
        });
        vec![
            ("left", json!(self.left)),
            ("failures", failures.collect()),
            ("perhaps_metered", json!(self.spent.perhaps)),
            ("without_usage", json!(self.spent.rows_without_usage)),
            ("unknown", json!(self.unknown)),
            ("unknown_sent_again", json!(self.unknown_sent_again)),
            ("stopped", json!(self.stopped)),
        ]
    }

    fn rows(&self, lines: &mut Lines) {
        let ended = self.tally.done.saturating_add(self.tally.failed);
        let speed = ended as f64 / self.elapsed.as_secs_f64().max(1e-3);
        let mut parts =
            vec![format!("{} in {}", counted(self.tally.done, "row", "rows"), time(self.elapsed))];
        if ended > 0 {
            parts.push(format!("{} rows/s", short(speed)));
        }
        if self.before > 0 {
            parts.push(format!("{} before", grouped(self.before)));
        }
        lines.add("done", Look::Good, &parts);
        let copied = [(self.equal, "equal to another row"), (self.reused, "from other jobs")];
        let copied = copied.iter().filter(|(count, _)| *count > 0);
        let copied: Vec<_> =
            copied.map(|(count, what)| format!("{} {what}", grouped(*count))).collect();
        if !copied.is_empty() {
            lines.add("copied", Look::Plain, &copied);
        }
        match self.left {
            Some(left) if left > 0 => {
                lines.add("left", Look::Warning, &[counted(left, "row", "rows")])
            }
            None if self.stopped.is_some() => {
                lines.add("left", Look::Warning, &["the rest of the input, not read".to_owned()]);
            }
            _ => {}
        }
        if let Some(why) = self.stopped {
            // The label says it already.
            let why = why.strip_prefix("stopped ").unwrap_or(why);
            lines.add("stopped", Look::Warning, &[why.to_owned()]);
        }
    }

    fn failures(&self, lines: &mut Lines) {
        if self.tally.failed > 0 {
            lines.add("failed", Look::Bad, &[counted(self.tally.failed, "row", "rows")]);
        }
        let mut known: Vec<&Failures> = self.tally.failures.iter().collect();
        known.sort_by_key(|failures| std::cmp::Reverse(failures.count));
        for failures in known {
            let what = match failures.status {
                Some(status) => format!("{status} {}", failures.name),
                None => failures.name.to_owned(),
            };
            let mut example = match self.sources.are_several() {
                true => self.sources.place(failures.number),
                false => format!("line {}", grouped(line_of(failures.number))),
            };
            if !failures.key.is_empty() {
                example = format!("{example}, {}", failures.key);
            }
            lines.add("", Look::Plain, &[format!("{} × {what}", grouped(failures.count)), example]);
            lines.indented(&failures.message, false);
            if !failures.hint.is_empty() {
                lines.indented(&failures.hint, true);
            }
        }
        // With retries, there are more attempts than rows.
        let perhaps = self.tally.perhaps.max(self.spent.perhaps);
        if perhaps > 0 {
            let (one, many) = match perhaps > self.tally.perhaps {
                true => ("attempt", "attempts"),
                false => ("row", "rows"),
            };
            let parts = [match perhaps {
                1 => {
                    format!("1 {one} failed after it was sent: it may have been billed")
                }
                count => {
                    let count = counted(count, one, many);
                    format!("{count} failed after they were sent: they may have been billed")
                }
            }];
            lines.add("billed?", Look::Warning, &parts);
        }
    }

    fn unknown_rows(&self, lines: &mut Lines) {
        if self.unknown == 0 {
            return;
        }
        let what = match self.unknown_sent_again {
            true => "sent by an interrupted run, now again: perhaps billed twice",
            false => "sent by an interrupted run, left out of this one",
        };
        let parts = [format!("{} {what}", counted(self.unknown, "row", "rows"))];
        lines.add("unknown", Look::Warning, &parts);
        let names: Vec<&str> =
            self.unknown_names.iter().take(NAMES_MAX).map(String::as_str).collect();
        let more = self.unknown.saturating_sub(names.len() as u64);
        let mut text = names.join(", ");
        if more > 0 {
            text.push_str(&format!(" and {} more, in the file .unknown", grouped(more)));
        }
        lines.indented(&text, true);
    }

    fn use_of_tokens(&self, lines: &mut Lines) {
        let spent = &self.spent;
        let tokens = spent.tokens;
        let mut parts = Vec::new();
        if tokens.total() > 0 {
            let cached = match tokens.cached {
                0 => String::new(),
                cached => format!(" ({} cached)", grouped(cached)),
            };
            parts.push(format!("{} in{cached}", grouped(tokens.input)));
            parts.push(format!("{} out", grouped(tokens.output)));
        }
        if spent.rows_without_usage > 0 {
            let rows = counted(spent.rows_without_usage, "row", "rows");
            parts.push(format!("{rows} answered without usage: unknown"));
        }
        if !parts.is_empty() {
            lines.add("tokens", Look::Plain, &parts);
        }
        if let Some(cost) = spent.cost {
            let mut parts = vec![cost.to_string()];
            if spent.most_cost() > cost {
                parts.push(format!(
                    "at most {} including what may have been metered",
                    spent.most_cost()
                ));
            }
            if spent.rows_without_price > 0 {
                let rows = counted(spent.rows_without_price, "row", "rows");
                parts.push(format!("{rows} of models without a price, not counted"));
            }
            lines.add("cost", Look::Plain, &parts);
        }
        if self.asked_again > 0 {
            let answers = counted(self.asked_again, "answer", "answers");
            lines.add("again", Look::Plain, &[format!("{answers} failed a check, asked again")]);
        }
        if self.rate_limited > 0 {
            let share = percent(self.rate_limited, self.attempts);
            let parts = [format!(
                "{} of {} requests, {share}",
                grouped(self.rate_limited),
                grouped(self.attempts)
            )];
            lines.add("429s", Look::Plain, &parts);
        }
    }

    fn how_to_go_on(&self, lines: &mut Lines) {
        let Some(command) = self.command else { return };
        if self.left.is_some_and(|left| left > 0) || (self.left.is_none() && self.stopped.is_some())
        {
            lines.command("resume", command);
        }
        if self.tally.failed > 0 {
            lines.command("retry", &with_option(command, "--retry-failed"));
        }
    }
}

fn with_option(command: &str, option: &str) -> String {
    if command.split(' ').any(|word| word == option) {
        command.to_owned()
    } else {
        format!("{command} {option}")
    }
}

/// On one line, without control characters, and bounded, because a service may send anything.
fn one_line(text: &str) -> String {
    let mut line = String::new();
    let words = text.split(|letter: char| is_control(letter) || letter == ' ');
    for word in words.filter(|word| !word.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(MESSAGE_LETTERS_MAX) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    Plain,
    Good,
    Warning,
    Bad,
}

/// Lines with names on the left and text on the right.
#[derive(Debug)]
struct Lines {
    text: String,
    width: usize,
    colours: bool,
}

impl Lines {
    /// Adds a named line; parts that do not fit next to each other are wrapped.
    fn add(&mut self, name: &str, look: Look, parts: &[String]) {
        let style = match look {
            Look::Plain => "2",
            Look::Good => "32",
            Look::Warning => "33",
            Look::Bad => "31",
        };
        let name = format!("{name:>NAMES_WIDTH$}");
        self.text.push_str(&self.styled(&name, style));
        let room = self.width - NAMES_WIDTH - 2;
        let mut line = String::new();
        for part in parts {
            let needs = line.chars().count() + 3 + part.chars().count();
            if !line.is_empty() && needs > room {
                self.end_line(&std::mem::take(&mut line));
                self.text.push_str(&" ".repeat(NAMES_WIDTH));
            }
            if !line.is_empty() {
                line.push_str("   ");
            }
            line.push_str(part);
        }
        let rest = wrapped(&line, room);
        for (place, line) in rest.iter().enumerate() {
            if place > 0 {
                self.text.push_str(&" ".repeat(NAMES_WIDTH));
            }
            self.end_line(line);
        }
    }

    fn end_line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds indented text below.
    fn indented(&mut self, text: &str, is_dim: bool) {
        let indent = NAMES_WIDTH + 4;
        for line in wrapped(text, self.width - indent) {
            let line = if is_dim { self.styled(&line, "2") } else { line };
            self.text.push_str(&" ".repeat(indent));
            self.text.push_str(&line);
            self.text.push('\n');
        }
    }

    /// Adds a command, never cut or wrapped, so that it can be copied.
    fn command(&mut self, name: &str, command: &str) {
        let name = self.styled(&format!("{name:>NAMES_WIDTH$}"), "2");
        let command = self.styled(command, "36");
        self.text.push_str(&format!("{name}  {command}\n"));
    }

    fn styled(&self, text: &str, style: &str) -> String {
        if self.colours { format!("\u{1b}[{style}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Wraps text at words; only a single longer word exceeds `width`. Spaces within a line are kept.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let needs = line.chars().count() + 1 + word.chars().count();
        if !line.is_empty() && needs > width {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        } else if !line.is_empty() {
            line.push(' ');
        }
        if line.is_empty() && word.is_empty() && !lines.is_empty() {
            continue;
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
#[path = "summary_tests.rs"]
mod tests;
