//! The records of a journal: one JSON object per line, readable by people and programs.
//!
//! | line, without its seal | meaning |
//! |---|---|
//! | `{"modelwire_journal":2,"results":"out.jsonl","settings":{…}` | the header; neither may change |
//! | `{"run":1234,"began_unix":1790000000` | a run began: its process ID and start time |
//! | `{"sent":"row-7","check":17` | the row is about to be sent |
//! | `{"back":"row-7","check":17` | the row counts as not sent: refused for its rate, or unsendable |
//! | `{"done":"row-7","check":17,"end":5120,"crc":9` | the row's result is in the results, and ends at this byte |
//! | `{"failed":"row-7","check":17,"end":5120,"crc":9` | as `done`, for a row that failed |
//! | `{"rewritten":4096,"crc":9` | the results were rewritten without failed rows; their size in bytes |
//! | `{"replaced":4096,"crc":9` | the same, without results that later ones of the same key replace |
//! | `{"assembled":4096,"crc":9` | the results are complete and in input order; their size in bytes |
//!
//! A row with a `sent` record but no later `back`, `done` or `failed` record has an unknown outcome. Every
//! `crc` is a CRC-32: of the bytes of the results since the previous `end`; of all of them; and, of
//! `assembled` results, of their lines, decompressed.
//!
//! Every line ends with its [`Seal`], `,"n":7,"sum":9}`: the number of the line, and the CRC-32 of the
//! previous line's sum (4 bytes, little-endian; 0 at first) and of the line up to `,"sum"`. Lines that were
//! changed, removed, repeated, moved or taken from another journal do not fit.

use std::borrow::Cow;
use std::io::{self, BufRead};

use flate2::Crc;
use serde_json::Value;

use crate::output::{Outcome, read_text, write_text};

/// The format version that this program writes and reads.
pub const VERSION: u64 = 2;

/// The end of results in their file, and a checksum of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// The offset.
    pub at: u64,
    /// The CRC-32.
    pub crc: u32,
}

/// The number and the checksum of a line, which continue those of the line before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seal {
    /// The number of the line, from 1.
    pub number: u64,
    /// The checksum.
    pub sum: u32,
}

impl Seal {
    /// Appends records as the next lines.
    pub fn write(&mut self, records: &[u8], out: &mut Vec<u8>) {
        for record in records.split_inclusive(|byte| *byte == b'\n') {
            let start = out.len();
            self.number += 1;
            out.extend_from_slice(record.trim_ascii_end());
            write_member(b",\"n\":", self.number, out);
            self.sum = self.sum_after(out.get(start..).unwrap_or_default());
            write_member(b",\"sum\":", u64::from(self.sum), out);
            out.extend_from_slice(b"}\n");
        }
    }

    /// Parses the next line, without its line feed. The error reports what is wrong with it.
    pub fn follow<'a>(&mut self, line: &'a [u8]) -> Result<Record<'a>, String> {
        let sealed = Seal::read(line).ok_or("it is not a record")?;
        let expected = self.number + 1;
        if sealed.seal.number != expected {
            return Err(format!("its number is {}, not {expected}", sealed.seal.number));
        }
        if !sealed.follows(*self) {
            return Err("its checksum is wrong".to_owned());
        }
        *self = sealed.seal;
        Ok(sealed.record)
    }

    /// Parses a line, without its line feed, whatever its seal.
    pub fn read(line: &[u8]) -> Option<Sealed<'_>> {
        let (record, number, sealed, sum) = Seal::split(std::str::from_utf8(line).ok()?)?;
        let seal = Seal { number, sum };
        Some(Sealed { record: Record::read(record)?, seal, text: sealed.as_bytes() })
    }

    /// The record of a line, the number, the part that the checksum covers, the checksum.
    fn split(line: &str) -> Option<(&str, u64, &str, u32)> {
        let (sealed, sum) = last_member(line.strip_suffix('}')?, ",\"sum\":")?;
        let (record, number) = last_member(sealed, ",\"n\":")?;
        Some((record, number, sealed, u32::try_from(sum).ok()?))
    }

    fn sum_after(self, text: &[u8]) -> u32 {
        let mut crc = Crc::new();
        crc.update(&self.sum.to_le_bytes());
        crc.update(text);
        crc.sum()
    }
}

/// A line and its seal.
#[derive(Debug)]
pub struct Sealed<'a> {
    /// The record.
    pub record: Record<'a>,
    /// Its seal.
    pub seal: Seal,
    /// What the checksum covers.
    text: &'a [u8],
}

impl Sealed<'_> {
    /// Whether the checksum is that of this line after that one.
    pub fn follows(&self, previous: Seal) -> bool {
        self.seal.sum == previous.sum_after(self.text)
    }
}

/// The checksum of a result.
pub(crate) fn crc_of(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The checksum of the next bytes; `None` if there are not as many.
pub(crate) fn crc_of_next(reader: &mut impl BufRead, mut length: u64) -> io::Result<Option<u32>> {
    let mut crc = Crc::new();
    while length > 0 {
        let bytes = reader.fill_buf()?;
        let taken = bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX));
        let Some(bytes) = bytes.get(..taken).filter(|bytes| !bytes.is_empty()) else {
            return Ok(None);
        };
        crc.update(bytes);
        reader.consume(taken);
        length -= taken as u64;
    }
    Ok(Some(crc.sum()))
}

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
        end: Option<End>,
    },
    /// The results were rewritten without failed rows.
    Rewritten {
        /// The size of the results, and their checksum.
        end: End,
    },
    /// The results were rewritten without those that later ones of the same key replace.
    Replaced {
        /// The size of the results, and their checksum.
        end: End,
    },
    /// The results are in input order.
    Assembled {
        /// The size of the results, and the checksum of their lines.
        end: End,
    },
}

impl Record<'_> {
    /// Appends the record without its seal, and a line feed.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Record::Header(header) => {
                write_member(b"{\"modelwire_journal\":", VERSION, out);
                out.extend_from_slice(b",\"results\":");
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
                write_member(b"{\"run\":", *pid, out);
                write_member(b",\"began_unix\":", *began, out);
            }
            Record::Sent { key, check } => write_row(b"{\"sent\":", key, *check, out),
            Record::Back { key, check } => write_row(b"{\"back\":", key, *check, out),
            Record::Ended { key, outcome, check, end } => {
                write_ended(key, *outcome, *check, out);
                if let Some(end) = end {
                    end.write(b",\"end\":", out);
                }
            }
            Record::Rewritten { end } => end.write(b"{\"rewritten\":", out),
            Record::Replaced { end } => end.write(b"{\"replaced\":", out),
            Record::Assembled { end } => end.write(b"{\"assembled\":", out),
        }
        out.push(b'\n');
    }

    /// Parses a record without its seal; `None` if it is not one.
    fn read(text: &str) -> Option<Record<'_>> {
        Record::read_row(text).or_else(|| Record::read_job(text))
    }

    fn read_row(text: &str) -> Option<Record<'_>> {
        let (name, rest) = text.strip_prefix("{\"")?.split_once("\":")?;
        let outcome = match name {
            "sent" | "back" => None,
            "done" => Some(Outcome::Done),
            "failed" => Some(Outcome::Failed),
            _ => return None,
        };
        let (key, rest) = read_text(rest)?;
        let (check, rest) = read_member(rest, ",\"check\":");
        let check = u32::try_from(check?).ok()?;
        let (end, rest) = match outcome {
            Some(_) if !rest.is_empty() => {
                End::read(rest, ",\"end\":").map(|(end, rest)| (Some(end), rest))?
            }
            _ => (None, rest),
        };
        if !rest.is_empty() {
            return None;
        }
        match outcome {
            Some(outcome) => Some(Record::Ended { key, outcome, check, end }),
            None if name == "sent" => Some(Record::Sent { key, check }),
            None => Some(Record::Back { key, check }),
        }
    }

    fn read_job(text: &str) -> Option<Record<'static>> {
        let end = |name| End::read(text, name).filter(|(_, rest)| rest.is_empty());
        if let Some((end, _)) = end("{\"rewritten\":") {
            return Some(Record::Rewritten { end });
        }
        if let Some((end, _)) = end("{\"replaced\":") {
            return Some(Record::Replaced { end });
        }
        if let Some((end, _)) = end("{\"assembled\":") {
            return Some(Record::Assembled { end });
        }
        let value: Value = serde_json::from_str(&format!("{text}}}")).ok()?;
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        if let Some(pid) = number("run") {
            return Some(Record::Run { pid, began: number("began_unix")? });
        }
        if number("modelwire_journal") != Some(VERSION) {
            return None;
        }
        let setting =
            |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
        let settings = value.get("settings")?.as_object()?.iter().map(setting);
        let results = value.get("results")?.as_str()?.to_owned();
        Some(Record::Header(Header { results, settings: settings.collect::<Option<_>>()? }))
    }
}

impl End {
    /// Appends it after this name.
    pub(crate) fn write(self, name: &[u8], out: &mut Vec<u8>) {
        write_member(name, self.at, out);
        write_member(b",\"crc\":", u64::from(self.crc), out);
    }

    /// That of the outcome record in a line.
    pub(crate) fn in_line(line: &[u8]) -> Option<End> {
        let (record, ..) = Seal::split(std::str::from_utf8(line).ok()?)?;
        let (rest, crc) = last_member(record, ",\"crc\":")?;
        let (_, at) = last_member(rest, ",\"end\":")?;
        Some(End { at, crc: u32::try_from(crc).ok()? })
    }

    fn read<'a>(text: &'a str, name: &str) -> Option<(End, &'a str)> {
        let (at, rest) = read_member(text, name);
        let (crc, rest) = read_member(rest, ",\"crc\":");
        Some((End { at: at?, crc: u32::try_from(crc?).ok()? }, rest))
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
    write_member(b",\"check\":", u64::from(check), out);
}

fn write_member(name: &[u8], number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(name);
    write_number(number, out);
}

/// Appends decimal digits without `fmt`.
fn write_number(number: u64, out: &mut Vec<u8>) {
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

/// Splits off the last member, which has this name and is a number.
fn last_member<'a>(text: &'a str, name: &str) -> Option<(&'a str, u64)> {
    let digits = text.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (rest, number) = text.split_at_checked(text.len() - digits)?;
    Some((rest.strip_suffix(name)?, number.parse().ok()?))
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
