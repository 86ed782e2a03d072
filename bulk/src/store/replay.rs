//! Replays a journal, and the results after the last one that it records.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::journal::{Header, Record};
use super::results::Format;
use crate::error::Error;
use crate::ledger::{Ledger, State};
use crate::output::{self, Outcome};
use crate::row::Key;
use crate::system::read_exact_at;

/// Receives the state of rows while files are read.
pub trait RowStates {
    /// Sets the state of a row.
    fn mark(&mut self, key: &str, check: u32, state: State);
    /// The last state of a row.
    fn state(&mut self, key: &str, check: u32) -> State;
    /// Makes all failed rows new again.
    fn forget_failed(&mut self);
}

impl RowStates for Ledger {
    fn mark(&mut self, key: &str, check: u32, state: State) {
        Ledger::mark(self, key, check, state);
    }

    fn state(&mut self, key: &str, check: u32) -> State {
        Ledger::state(self, key, check)
    }

    fn forget_failed(&mut self) {
        Ledger::forget_failed(self);
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> State {
        match outcome {
            Outcome::Done => State::Done,
            Outcome::Failed => State::Failed,
        }
    }
}

/// The contents of a journal, apart from its rows.
#[derive(Debug, Default)]
pub(crate) struct Replayed {
    pub(crate) header: Option<Header>,
    /// Bytes of whole records.
    pub(crate) whole: u64,
    /// Bytes after them that are not whole records.
    pub(crate) torn: u64,
    pub(crate) runs: u64,
    /// Bytes of the results that the journal accounts for.
    pub(crate) known: u64,
    /// The last recorded result: its offset and its key.
    pub(crate) last: Option<(u64, String)>,
    /// The journal ends with an outcome record: others of the same member may have been cut off.
    is_open_at_end: bool,
    /// The results were rewritten, and nothing was added after that.
    pub(crate) is_rewritten: bool,
    /// The size in bytes of the results in input order, if nothing was added after they were assembled.
    pub(crate) assembled: Option<u64>,
    pub(crate) failed: u64,
    /// Rows that were sent and have not ended, with their sequence number among all sends.
    open: HashMap<String, u64>,
    sent: u64,
    /// Rows that were sent again while their outcome was unknown.
    pub(crate) sent_again: Vec<String>,
}

/// Reads a journal from its beginning.
pub(crate) fn journal(
    file: &File,
    path: &Path,
    memory: &mut impl RowStates,
) -> Result<Replayed, Error> {
    let unreadable = |error: io::Error| Error::Unreadable(path.to_owned(), error);
    let size = file.metadata().map_err(unreadable)?.len();
    let mut reader = BufReader::with_capacity(1 << 17, file);
    reader.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let mut replayed = Replayed::default();
    let (mut line, mut number) = (Vec::new(), 0_u64);
    loop {
        line.clear();
        number += 1;
        let read = reader.read_until(b'\n', &mut line).map_err(unreadable)?;
        let Some(text) = line.strip_suffix(b"\n") else { break };
        if text.contains(&0) {
            // A power failure leaves such holes in unsynced data. Nothing acted on that data yet.
            break;
        }
        let Some(record) = Record::read(text) else { return Err(damaged(path, number)) };
        if replayed.header.is_none() != matches!(record, Record::Header(_)) {
            return Err(damaged(path, number));
        }
        replayed.take(record, memory);
        replayed.whole += read as u64;
    }
    replayed.torn = size.saturating_sub(replayed.whole);
    Ok(replayed)
}

pub(crate) fn damaged(path: &Path, number: u64) -> Error {
    let path = path.to_owned();
    match number {
        1 => Error::JournalForeign(path),
        line => Error::JournalDamaged { path, line },
    }
}

impl Replayed {
    fn take(&mut self, record: Record<'_>, memory: &mut impl RowStates) {
        self.is_open_at_end = matches!(record, Record::Ended { end: Some(_), .. });
        match record {
            Record::Header(header) => self.header = Some(header),
            Record::Run { .. } => self.runs += 1,
            Record::Sent { key, check } => self.sent(&key, check, memory),
            Record::Back { key, check } => {
                memory.mark(&key, check, State::New);
                self.open.remove(&*key);
            }
            Record::Ended { key, outcome, check, end } => {
                self.ended(&key, check, outcome, memory);
                if let Some(end) = end {
                    if end != self.known {
                        self.last = Some((self.known, key.into_owned()));
                    }
                    self.known = end;
                    (self.is_rewritten, self.assembled) = (false, None);
                }
            }
            Record::Rewritten { end } => {
                memory.forget_failed();
                self.failed = 0;
                (self.known, self.last) = (end, None);
                (self.is_rewritten, self.assembled) = (true, None);
            }
            Record::Assembled { end } => {
                // Arrivals made from the ordered file again have its order.
                (self.is_rewritten, self.assembled, self.last) = (false, Some(end), None);
            }
        }
    }

    fn sent(&mut self, key: &str, check: u32, memory: &mut impl RowStates) {
        memory.mark(key, check, State::Unknown);
        self.sent += 1;
        if self.open.insert(key.to_owned(), self.sent).is_some() {
            self.sent_again.push(key.to_owned());
        }
    }

    fn ended(&mut self, key: &str, check: u32, outcome: Outcome, memory: &mut impl RowStates) {
        memory.mark(key, check, outcome.into());
        self.failed += u64::from(outcome == Outcome::Failed);
        self.open.remove(key);
    }

    /// Where to start reading results: a compressed member has many rows, and may be recorded only in part.
    fn read_from(&self, format: Format) -> u64 {
        match (format, &self.last) {
            (Format::Gzip | Format::Zstd, Some((start, _))) if self.is_open_at_end => *start,
            _ => self.known,
        }
    }

    /// Takes a result that the journal does not record. Returns whether it is the only one of its row.
    pub(crate) fn found(
        &mut self,
        key: &Key,
        outcome: Outcome,
        memory: &mut impl RowStates,
    ) -> bool {
        let (text, check) = (key.text(), key.check());
        let is_new = matches!(memory.state(text, check), State::New | State::Unknown);
        self.ended(text, check, outcome, memory);
        is_new
    }

    /// Rows whose outcome is unknown, in the order they were sent.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let mut unknown: Vec<_> = self.open.iter().collect();
        unknown.sort_by_key(|(_, sent)| **sent);
        unknown.into_iter().map(|(key, _)| key.clone()).collect()
    }
}

/// Results that the journal does not record.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    /// The results are intact up to this offset.
    pub(crate) whole: u64,
    /// Bytes after that which are not intact.
    pub(crate) torn: u64,
    /// Outcomes, and where their bytes end, including those of a last member that is recorded in part.
    pub(crate) ended: Vec<(Key, Outcome, u64)>,
}

/// Checks that the results are those that the journal records, and reads the rest.
pub(crate) fn results(
    file: &File,
    path: &Path,
    format: Format,
    replayed: &Replayed,
) -> Result<Tail, Error> {
    let unreadable = |error: io::Error| Error::Unreadable(path.to_owned(), error);
    let size = file.metadata().map_err(unreadable)?.len();
    if size < replayed.known {
        let (path, known) = (path.to_owned(), replayed.known);
        return Err(Error::ResultsShorter { path, found: size, known });
    }
    let changed = || Error::ResultsChanged(path.to_owned());
    if !fits(file, format, replayed).map_err(unreadable)? {
        return Err(changed());
    }
    let from = replayed.read_from(format);
    let mut reader = Counted { inner: BufReader::with_capacity(1 << 17, file), taken: from };
    reader.inner.seek(SeekFrom::Start(from)).map_err(unreadable)?;
    let mut tail = Tail { whole: from, ..Tail::default() };
    let strange = |at: u64| match at < replayed.known {
        true => changed(),
        false => Error::ResultsForeign { path: path.to_owned(), at },
    };
    loop {
        if reader.fill_buf().map_err(unreadable)?.is_empty() {
            break;
        }
        let lines = match format {
            Format::Plain => {
                let mut line = Vec::new();
                reader.read_until(b'\n', &mut line).map_err(unreadable)?;
                Some(line).filter(|line| line.ends_with(b"\n"))
            }
            Format::Gzip | Format::Zstd => match format.member(&mut reader) {
                Ok(lines) => lines,
                Err(_) if are_zero(file, tail.whole).map_err(unreadable)? => None,
                Err(_) => return Err(strange(tail.whole)),
            },
        };
        let Some(lines) = lines.filter(|lines| !lines.contains(&0)) else { break };
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let line = line.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            let Some((key, outcome)) = output::read_line(line) else {
                return Err(strange(tail.whole));
            };
            tail.ended.push((key, outcome, reader.taken));
        }
        tail.whole = reader.taken;
    }
    if tail.whole < replayed.known {
        return Err(changed());
    }
    tail.torn = size.saturating_sub(tail.whole);
    Ok(tail)
}

/// Whether the last recorded result is at its recorded offset.
fn fits(file: &File, format: Format, replayed: &Replayed) -> io::Result<bool> {
    let (Format::Plain, Some((start, key))) = (format, &replayed.last) else { return Ok(true) };
    let length = usize::try_from(replayed.known.saturating_sub(*start)).unwrap_or(usize::MAX);
    let mut line = vec![0; length];
    read_exact_at(file, &mut line, *start)?;
    let is_whole = line.ends_with(b"\n");
    Ok(is_whole && output::key_of(&line).is_some_and(|found| found.text() == key))
}

/// Whether only zeros follow this offset, as after a power failure.
fn are_zero(file: &File, at: u64) -> io::Result<bool> {
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(at))?;
    for byte in reader.bytes() {
        if byte? != 0 {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A reader that counts the bytes read.
struct Counted<R> {
    inner: R,
    taken: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(out)?;
        self.taken += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
        self.taken += amount as u64;
    }
}
