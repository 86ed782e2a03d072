//! The records of a journal: one JSON object a line, for people and programs to read.
//!
//! | line | says |
//! |---|---|
//! | `{"modelwire_journal":1,"results":"out.jsonl","settings":{…}}` | the first one: whose journal it is, and what must not change between runs |
//! | `{"run":1234,"began_unix":1790000000}` | a run began, and its process |
//! | `{"sent":"row-7","check":17}` | this row is about to be sent |
//! | `{"back":"row-7","check":17}` | it is as if never sent: the service refused it for its rate, or it could not be sent |
//! | `{"done":"row-7","check":17,"end":5120}` | its result is in the results, and where its bytes end |
//! | `{"failed":"row-7","check":17,"end":5120}` | likewise |
//! | `{"rewritten":4096}` | the results were written anew without those that failed; so many bytes |
//! | `{"assembled":4096}` | the results are in the order of the input, whole |
//!
//! A row that was sent and neither came back nor ended is unknown.

use std::borrow::Cow;

use serde_json::Value;

use crate::output::{Outcome, read_text, write_text};

/// The format that this version writes and reads.
pub const VERSION: u64 = 1;

/// Whose journal it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The name of the file of results, without its folder; empty for standard output.
    pub results: String,
    /// What must not change between runs, by the name of its option.
    pub settings: Vec<(String, String)>,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// The first one.
    Header(Header),
    /// A run began.
    Run {
        /// Its process.
        pid: u64,
        /// Seconds since 1970 UTC.
        began: u64,
    },
    /// A row is about to be sent.
    Sent {
        /// Its key.
        key: Cow<'a, str>,
        /// Of its body.
        check: u32,
    },
    /// A row was not processed.
    Back {
        /// Its key.
        key: Cow<'a, str>,
        /// Of its body.
        check: u32,
    },
    /// A row came to its end.
    Ended {
        /// Its key.
        key: Cow<'a, str>,
        /// How.
        outcome: Outcome,
        /// Of its body.
        check: u32,
        /// Where its result ends, if the results are a file.
        end: Option<u64>,
    },
    /// The results were written anew, without those that failed.
    Rewritten {
        /// So many bytes.
        end: u64,
    },
    /// The results are in the order of the input.
    Assembled {
        /// So many bytes.
        end: u64,
    },
}

impl Record<'_> {
    /// Appends the line, line end included.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Record::Header(header) => {
                out.extend_from_slice(
                    format!("{{\"modelwire_journal\":{VERSION},\"results\":").as_bytes(),
                );
                write_text(&header.results, out);
                out.extend_from_slice(b",\"settings\":{");
                for (index, (name, value)) in header.settings.iter().enumerate() {
                    if index > 0 {
                        out.push(b',');
                    }
                    write_text(name, out);
                    out.push(b':');
                    write_text(value, out);
                }
                out.extend_from_slice(b"}");
            }
            Record::Run { pid, began } => {
                out.extend_from_slice(b"{\"run\":");
                write_number(*pid, out);
                out.extend_from_slice(b",\"began_unix\":");
                write_number(*began, out);
            }
            Record::Sent { key, check } => write_row(b"{\"sent\":", key, *check, out),
            Record::Back { key, check } => write_row(b"{\"back\":", key, *check, out),
            Record::Ended { key, outcome, check, end } => {
                write_ended(key, *outcome, *check, out);
                if let Some(end) = end {
                    out.extend_from_slice(b",\"end\":");
                    write_number(*end, out);
                }
            }
            Record::Rewritten { end } => {
                out.extend_from_slice(b"{\"rewritten\":");
                write_number(*end, out);
            }
            Record::Assembled { end } => {
                out.extend_from_slice(b"{\"assembled\":");
                write_number(*end, out);
            }
        }
        out.extend_from_slice(b"}\n");
    }

    /// What a line without its end says; `None` if it is no record.
    pub fn read(line: &[u8]) -> Option<Record<'_>> {
        let line = std::str::from_utf8(line).ok()?;
        Record::read_plain(line).or_else(|| Record::read_any(line))
    }

    /// As this version writes it: all but a few lines of a journal are such.
    fn read_plain(line: &str) -> Option<Record<'_>> {
        let inner = line.strip_prefix("{\"")?.strip_suffix('}')?;
        let (name, rest) = inner.split_once("\":")?;
        let outcome = match name {
            "sent" | "back" => None,
            "done" => Some(Outcome::Done),
            "failed" => Some(Outcome::Failed),
            _ => return None,
        };
        let (key, rest) = read_text(rest)?;
        let (check, rest) = read_member(rest, ",\"check\":");
        let check = u32::try_from(check?).ok()?;
        let (end, rest) = read_member(rest, ",\"end\":");
        if !rest.is_empty() {
            return None;
        }
        match outcome {
            Some(outcome) => Some(Record::Ended { key, outcome, check, end }),
            None if name == "sent" => Some(Record::Sent { key, check }),
            None => Some(Record::Back { key, check }),
        }
    }

    /// Any record, whatever its white space and the order of its members.
    fn read_any(line: &str) -> Option<Record<'static>> {
        let value: Value = serde_json::from_str(line).ok()?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        let key = |name: &str| Some(Cow::Owned(value.get(name)?.as_str()?.to_owned()));
        let check = number("check").and_then(|check| u32::try_from(check).ok());
        if number("modelwire_journal") == Some(VERSION) {
            let setting =
                |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
            let settings = value.get("settings")?.as_object()?.iter().map(setting);
            let results = value.get("results")?.as_str()?.to_owned();
            return Some(Record::Header(Header {
                results,
                settings: settings.collect::<Option<_>>()?,
            }));
        }
        if let Some(pid) = number("run") {
            return Some(Record::Run { pid, began: number("began_unix")? });
        }
        if let Some(key) = key("sent") {
            return Some(Record::Sent { key, check: check? });
        }
        if let Some(key) = key("back") {
            return Some(Record::Back { key, check: check? });
        }
        for (name, outcome) in [("done", Outcome::Done), ("failed", Outcome::Failed)] {
            if let Some(key) = key(name) {
                return Some(Record::Ended { key, outcome, check: check?, end: number("end") });
            }
        }
        if let Some(end) = number("rewritten") {
            return Some(Record::Rewritten { end });
        }
        Some(Record::Assembled { end: number("assembled")? })
    }
}

/// An outcome up to its `end`, which is known when it was written.
pub(crate) fn write_ended(key: &str, outcome: Outcome, check: u32, out: &mut Vec<u8>) {
    match outcome {
        Outcome::Done => write_row(b"{\"done\":", key, check, out),
        Outcome::Failed => write_row(b"{\"failed\":", key, check, out),
    }
}

/// A record of a row but for its end.
fn write_row(name: &[u8], key: &str, check: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    write_text(key, out);
    out.extend_from_slice(b",\"check\":");
    write_number(u64::from(check), out);
}

/// Decimal digits, without a detour through a formatter.
pub(crate) fn write_number(number: u64, out: &mut Vec<u8>) {
    let mut digits = [0; 20];
    let mut rest = number;
    let mut start = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        start -= 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// A number behind this name, if it is there.
fn read_member<'a>(text: &'a str, name: &str) -> (Option<u64>, &'a str) {
    let Some(rest) = text.strip_prefix(name) else { return (None, text) };
    let end = rest.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
    match rest.get(..end).and_then(|digits| digits.parse().ok()) {
        Some(number) => (Some(number), rest.get(end..).unwrap_or_default()),
        None => (None, text),
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
