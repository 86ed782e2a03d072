//! The findings, for people and programs: a line per check, or one JSON document.

use std::io::{self, Write};
use std::time::Duration;

use serde_json::{Value, json};

use crate::console::is_control;
use crate::doctor::causes::Fault;

/// The state of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It works as it should.
    Ok,
    /// It works, with a problem.
    Warning,
    /// It does not work.
    Failed,
    /// It was skipped.
    Skipped,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Warning => "warning",
            State::Failed => "failed",
            State::Skipped => "skipped",
        }
    }

    /// Its colour on a terminal: green, yellow, red, dim.
    fn colour(self) -> &'static str {
        match self {
            State::Ok => "\x1b[32m",
            State::Warning => "\x1b[33m",
            State::Failed => "\x1b[31m",
            State::Skipped => "\x1b[2m",
        }
    }
}

/// The result of a check.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) state: State,
    pub(crate) saw: String,
    pub(crate) fault: Option<Fault>,
    pub(crate) cause: String,
    pub(crate) action: String,
}

impl Finding {
    fn new(state: State, saw: impl Into<String>) -> Finding {
        let (cause, action) = (String::new(), String::new());
        Finding { state, saw: saw.into(), fault: None, cause, action }
    }

    /// It works as it should.
    pub(crate) fn ok(saw: impl Into<String>) -> Finding {
        Finding::new(State::Ok, saw)
    }

    /// It was skipped, for this reason.
    pub(crate) fn skipped(why: impl AsRef<str>) -> Finding {
        Finding::new(State::Skipped, why.as_ref())
    }

    /// It does not work.
    pub(crate) fn failed(fault: Fault, saw: impl Into<String>) -> Finding {
        Finding::new(State::Failed, saw).of(fault)
    }

    /// It works, with a problem.
    pub(crate) fn warning(fault: Fault, saw: impl Into<String>) -> Finding {
        Finding::new(State::Warning, saw).of(fault)
    }

    fn of(mut self, fault: Fault) -> Finding {
        self.fault = Some(fault);
        self.cause = fault.cause().to_owned();
        self.action = fault.action().to_owned();
        self
    }

    /// Replaces the table's cause with a more specific one.
    pub(crate) fn because(mut self, cause: impl Into<String>) -> Finding {
        self.cause = cause.into();
        self
    }

    /// Replaces the table's action with a more specific one.
    pub(crate) fn so_do(mut self, action: impl Into<String>) -> Finding {
        self.action = action.into();
        self
    }
}

/// A finding with its name and duration.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    pub(crate) name: &'static str,
    pub(crate) finding: Finding,
    pub(crate) took: Duration,
}

/// Maximum characters of a line: services put whole pages into messages.
const SHOWN_CHARS_MAX: usize = 500;

/// A text on one line, without control characters, and bounded.
pub(crate) fn shown(text: &str) -> String {
    let is_space = |sign: char| sign.is_whitespace() || is_control(sign);
    let words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

/// A duration for people.
pub(crate) fn time(took: Duration) -> String {
    match took.as_millis() {
        0 => format!("{:.1} ms", took.as_secs_f64() * 1000.0),
        millis @ 1..10_000 => format!("{millis} ms"),
        _ => format!("{:.1} s", took.as_secs_f64()),
    }
}

/// The width of the column of names.
const NAME_WIDTH: usize = 13;

/// A check as lines of text.
pub(crate) fn text(check: &Check, has_colour: bool) -> String {
    let Check { name, finding, took: _ } = check;
    let state = finding.state.name();
    let padded = format!("{state:<8}");
    let begin = match has_colour {
        true => format!("{}{padded}\x1b[0m", finding.state.colour()),
        false => padded,
    };
    let mut lines = format!("{begin} {name:<NAME_WIDTH$} {}\n", shown(&finding.saw));
    let indent = " ".repeat(8 + 1 + NAME_WIDTH + 1);
    for (what, said) in [("cause:", &finding.cause), ("do:", &finding.action)] {
        if !said.is_empty() {
            lines.push_str(&format!("{indent}{what:<6} {}\n", shown(said)));
        }
    }
    lines
}

fn json(check: &Check) -> Value {
    let Check { name, finding, took } = check;
    let said = |text: &str| match text.is_empty() {
        true => Value::Null,
        false => Value::String(shown(text)),
    };
    json!({
        "name": name,
        "state": finding.state.name(),
        "saw": shown(&finding.saw),
        "fault": finding.fault.map(Fault::name),
        "cause": said(&finding.cause),
        "action": said(&finding.action),
        "milliseconds": (took.as_secs_f64() * 1e6).round() / 1e3,
    })
}

/// The overall result.
pub(crate) struct Verdict {
    /// Nothing failed.
    pub(crate) is_ok: bool,
    line: String,
}

/// The overall result of all checks, on one line.
pub(crate) fn verdict(checks: &[Check]) -> Verdict {
    let those = |state| checks.iter().filter(move |check| check.finding.state == state);
    let warnings = those(State::Warning).count();
    let worth = match warnings {
        0 => String::new(),
        1 => ", with 1 warning".to_owned(),
        many => format!(", with {many} warnings"),
    };
    let Some(first) = those(State::Failed).next() else {
        let skipped = those(State::Skipped).count();
        let skipped = match skipped {
            0 => String::new(),
            1 => " (1 check skipped)".to_owned(),
            many => format!(" ({many} checks skipped)"),
        };
        return Verdict { is_ok: true, line: format!("passed{worth}{skipped}") };
    };
    let line = format!("failed: {}: {}{worth}", first.name, shown(&first.finding.cause));
    Verdict { is_ok: false, line }
}

/// Prints or collects findings.
pub(crate) struct Report<'a> {
    out: &'a mut dyn Write,
    is_json: bool,
    has_colour: bool,
    checks: Vec<Check>,
}

impl<'a> Report<'a> {
    /// Creates an empty report.
    pub(crate) fn new(out: &'a mut dyn Write, is_json: bool, has_colour: bool) -> Report<'a> {
        Report { out, is_json, has_colour, checks: Vec::new() }
    }

    /// Adds a check; for people, prints it at once.
    pub(crate) fn add(&mut self, check: Check) -> io::Result<()> {
        if !self.is_json {
            self.out.write_all(text(&check, self.has_colour).as_bytes())?;
            self.out.flush()?;
        }
        self.checks.push(check);
        Ok(())
    }

    /// Prints the verdict, or the whole document for programs.
    pub(crate) fn end(self) -> io::Result<Verdict> {
        let verdict = verdict(&self.checks);
        let text = match self.is_json {
            false => format!("{}\n", verdict.line),
            true => {
                let checks: Vec<Value> = self.checks.iter().map(json).collect();
                let (ok, line) = (verdict.is_ok, verdict.line.as_str());
                let version = modelwire::VERSION;
                let document =
                    json!({"ok": ok, "verdict": line, "version": version, "checks": checks});
                format!("{document:#}\n")
            }
        };
        self.out.write_all(text.as_bytes())?;
        self.out.flush()?;
        Ok(verdict)
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
