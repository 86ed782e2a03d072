//! The records of a journal: one JSON object per line, readable by people and programs.
//!
//! | line | meaning |
//! |---|---|
//! | `{"modelwire_journal":1,"results":"out.jsonl","settings":{…}}` | the header; neither may change |
//! | `{"run":1234,"began_unix":1790000000}` | a run began: its process ID and start time |
//! | `{"sent":"row-7","check":17}` | the row is about to be sent |
//! | `{"back":"row-7","check":17}` | the row counts as not sent: refused for its rate, or unsendable |
//! | `{"done":"row-7","check":17,"end":5120}` | the row's result is in the results, and ends at this byte |
//! | `{"failed":"row-7","check":17,"end":5120}` | as `done`, for a row that failed |
//! | `{"rewritten":4096}` | the results were rewritten without failed rows; their size in bytes |
//! | `{"assembled":4096}` | the results are complete and in input order; their size in bytes |
//!
//! A row with a `sent` record but no later `back`, `done` or `failed` record has an unknown outcome.

use std::borrow::Cow;

use serde_json::Value;

use crate::output::{Outcome, read_text, write_text};

/// The format version that this program writes and reads.
pub const VERSION: u64 = 1;

/// Identifies the job of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The name of the results file, without its folder; empty for standard output.
    pub results: String,
    /// Settings that must not change between runs, by option name.
    pub settings: Vec<(String, String)>,
}

/// A record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record<'a> {
    /// The first record.
    Header(Header),
    /// A run began.
    Run {
        /// The process ID.
        pid: u64,
        /// Seconds since 1970 UTC.
        began: u64,
    },
    /// A row is about to be sent.
    Sent {
        /// Its key.
        key: Cow<'a, str>,
        /// The checksum of its body.
        check: u32,
    },
    /// A row was not processed by the service.
    Back {
        /// Its key.
        key: Cow<'a, str>,
        /// The checksum of its body.
        check: u32,
    },
    /// A row ended.
    Ended {
        /// Its key.
        key: Cow<'a, str>,
        /// Whether it succeeded.
        outcome: Outcome,
        /// The checksum of its body.
        check: u32,
        /// Where its result ends in the results file; `None` for a stream.
        end: Option<u64>,
    },
    /// The results were rewritten without failed rows.
    Rewritten {
        /// Size of the results in bytes.
        end: u64,
    },
    /// The results are in input order.
    Assembled {
        /// Size of the results in bytes.
        end: u64,
    },
}

impl Record<'_> {
    /// Appends the record and its line feed.
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

    /// Parses a line without its line feed; `None` if it is not a record.
    pub fn read(line: &[u8]) -> Option<Record<'_>> {
        let line = std::str::from_utf8(line).ok()?;
        Record::read_plain(line).or_else(|| Record::read_any(line))
    }

    /// Parses a row record exactly as this version writes it: the fast path for nearly all lines.
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

    /// Parses any record, with any white space and member order.
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

/// Writes an outcome record up to `end`, which is known only once the result is written.
pub(crate) fn write_ended(key: &str, outcome: Outcome, check: u32, out: &mut Vec<u8>) {
    match outcome {
        Outcome::Done => write_row(b"{\"done\":", key, check, out),
        Outcome::Failed => write_row(b"{\"failed\":", key, check, out),
    }
}

/// Writes a row record without its end.
fn write_row(name: &[u8], key: &str, check: u32, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    write_text(key, out);
    out.extend_from_slice(b",\"check\":");
    write_number(u64::from(check), out);
}

/// Appends decimal digits without `fmt`.
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

/// Reads a number after this member name, if it is there.
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
