//! Replays a journal, and the results after the last one that it records.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use flate2::Crc;

use super::journal::{End, Header, Record, Seal, VERSION, crc_of_next};
use super::results::{Format, each_result};
use crate::error::Error;
use crate::ledger::{Ledger, State};
use crate::output::{self, Outcome};
use crate::row::Key;
use crate::system::read_exact_at;

const BUFFER_BYTES: usize = 1 << 17;

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
    /// That of the last record.
    pub(crate) seal: Seal,
    /// Bytes of whole records.
    pub(crate) whole: u64,
    /// Bytes after them that are not whole records.
    pub(crate) torn: u64,
    pub(crate) runs: u64,
    /// The process ID and the start of the last run.
    pub(crate) last_run: Option<(u64, u64)>,
    /// Bytes of the results that the journal accounts for.
    pub(crate) known: u64,
    /// Where the last recorded result or member begins.
    last: Option<u64>,
    /// The records of the present results begin at this byte of the journal, and the first of them is about
    /// this many bytes of results.
    base: (u64, u64),
    /// The journal ends with an outcome record: others of the same member may have been cut off.
    is_open_at_end: bool,
    /// What the results were rewritten to, if nothing was added after that.
    pub(crate) rewritten: Option<End>,
    /// A row has a result beside an earlier one, of another content.
    pub(crate) has_replaced: bool,
    /// The results in input order, if nothing was added after they were assembled.
    pub(crate) assembled: Option<End>,
    pub(crate) done: u64,
    pub(crate) failed: u64,
    /// Rows that were sent and have not ended.
    open: HashMap<String, Open>,
    sent: u64,
    /// Rows that were sent again while their outcome was unknown; without those that came back.
    sent_again: Vec<Option<String>>,
}

/// A row that was sent and has not ended.
#[derive(Debug)]
struct Open {
    /// The sequence number among all sends; and of the send before, if the outcome of that is unknown too, with
    /// the place among the rows that were sent again.
    sent: u64,
    earlier: Option<(u64, usize)>,
    /// What was known of the row before, and the check of the content that it had.
    before: (State, u32),
}

/// Reads a journal from its beginning.
pub(crate) fn journal(file: &File, path: &Path, ledger: &mut Ledger) -> Result<Replayed, Error> {
    let unreadable = |error: io::Error| Error::Unreadable(path.to_owned(), error);
    let size = file.metadata().map_err(unreadable)?.len();
    if !may_be_journal(file).map_err(unreadable)? {
        return Err(Error::JournalForeign(path.to_owned()));
    }
    let mut reader = BufReader::with_capacity(BUFFER_BYTES, file);
    reader.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let mut replayed = Replayed::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line).map_err(unreadable)?;
        // Also what a power failure leaves in unsynced data: zeros up to the end.
        let Some(text) = line.strip_suffix(b"\n") else { break };
        let taken = replayed.seal.follow(text).and_then(|record| {
            match replayed.header.is_some() != matches!(record, Record::Header(_)) {
                true => Ok(record),
                false => Err("it is not in its place".to_owned()),
            }
        });
        match taken {
            Ok(record) => replayed.take(record, ledger),
            Err(_) if replayed.header.is_none() && !text.starts_with(&version_begin()) => {
                return Err(Error::JournalVersion(path.to_owned()));
            }
            Err(fault) => {
                let (line, at) = (replayed.seal.number + 1, replayed.whole);
                return Err(Error::JournalDamaged { path: path.to_owned(), line, at, fault });
            }
        }
        replayed.whole += read as u64;
    }
    replayed.torn = size.saturating_sub(replayed.whole);
    Ok(replayed)
}

/// The first bytes of every journal.
const JOURNAL_BEGIN: &[u8; 20] = b"{\"modelwire_journal\"";

/// Whether a file may be a journal, or what a crash left of one that was just begun. A device may have no end.
pub(crate) fn may_be_journal(file: &File) -> io::Result<bool> {
    if !file.metadata()?.is_file() {
        return Ok(false);
    }
    let mut begin = [0; JOURNAL_BEGIN.len()];
    let size = begin.len().min(usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX));
    read_exact_at(file, begin.get_mut(..size).unwrap_or_default(), 0)?;
    let written = begin.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    Ok(JOURNAL_BEGIN.starts_with(begin.get(..written).unwrap_or_default()))
}

/// The first bytes of those of this version.
fn version_begin() -> Vec<u8> {
    [JOURNAL_BEGIN, format!(":{VERSION},").as_bytes()].concat()
}

impl Replayed {
    fn take(&mut self, record: Record<'_>, ledger: &mut Ledger) {
        self.is_open_at_end = matches!(record, Record::Ended { end: Some(_), .. });
        match record {
            Record::Header(header) => self.header = Some(header),
            Record::Run { pid, began } => {
                self.runs += 1;
                self.last_run = Some((pid, began));
            }
            Record::Sent { key, check } => self.sent(&key, check, ledger),
            Record::Back { key, check } => self.back(&key, check, ledger),
            Record::Ended { key, outcome, check, end } => {
                self.ended(&key, check, outcome, ledger);
                if let Some(end) = end {
                    if end.at != self.known {
                        self.last = Some(self.known);
                    }
                    self.known = end.at;
                    (self.rewritten, self.assembled) = (None, None);
                }
            }
            Record::Rewritten { end } => {
                ledger.forget_failed();
                self.failed = 0;
                self.rewritten_to(end);
            }
            Record::Replaced { end } => {
                self.has_replaced = false;
                self.rewritten_to(end);
            }
            Record::Assembled { end } => {
                // Arrivals made from the ordered file again have its order.
                (self.rewritten, self.assembled, self.last) = (None, Some(end), None);
                self.base = (self.whole, self.known);
            }
        }
    }

    fn rewritten_to(&mut self, end: End) {
        (self.known, self.last, self.base) = (end.at, None, (self.whole, end.at));
        (self.rewritten, self.assembled) = (Some(end), None);
    }

    fn sent(&mut self, key: &str, check: u32, ledger: &mut Ledger) {
        self.sent += 1;
        let open = match self.open.remove(key) {
            None => Open { sent: self.sent, earlier: None, before: ledger.known(key, check) },
            Some(open) => {
                let earlier = Some((open.sent, self.sent_again.len()));
                self.sent_again.push(Some(key.to_owned()));
                Open { sent: self.sent, earlier, ..open }
            }
        };
        ledger.mark(key, check, State::Unknown);
        self.open.insert(key.to_owned(), open);
    }

    /// The row is what it was before it was sent.
    fn back(&mut self, key: &str, check: u32, ledger: &mut Ledger) {
        match self.open.remove(key) {
            Some(Open { earlier: Some((sent, place)), before, .. }) => {
                if let Some(again) = self.sent_again.get_mut(place) {
                    *again = None;
                }
                self.open.insert(key.to_owned(), Open { sent, earlier: None, before });
            }
            Some(Open { before: (state, check), .. }) if state != State::New => {
                ledger.mark(key, check, state);
            }
            _ => ledger.mark(key, check, State::New),
        }
    }

    fn ended(&mut self, key: &str, check: u32, outcome: Outcome, ledger: &mut Ledger) {
        let open = self.open.remove(key);
        let (before, _) = open.map_or_else(|| ledger.known(key, check), |open| open.before);
        ledger.mark(key, check, outcome.into());
        match outcome {
            Outcome::Done => self.done += 1,
            Outcome::Failed => self.failed += 1,
        }
        // Another content of the row had a result: the row is counted once.
        let earlier = match before {
            State::Done => &mut self.done,
            State::Failed => &mut self.failed,
            State::New | State::Unknown => return,
        };
        *earlier = earlier.saturating_sub(1);
        self.has_replaced = true;
    }

    /// Where to start reading results: a compressed member has many rows, and may be recorded only in part.
    fn read_from(&self, format: Format) -> u64 {
        match (format, self.last) {
            (Format::Gzip | Format::Zstd, Some(start)) if self.is_open_at_end => start,
            _ => self.known,
        }
    }

    /// The ordered results, if all are in them: arrivals that are no longer than those are left over.
    pub(crate) fn ordered(&self, arrivals: &Path) -> Option<End> {
        let has_more = std::fs::metadata(arrivals).is_ok_and(|found| found.len() > self.known);
        self.assembled.filter(|_| !has_more)
    }

    /// Takes a result that follows the recorded ones. Returns whether the journal does not record it.
    pub(crate) fn found(
        &mut self,
        (key, outcome, end): &(Key, Outcome, End),
        path: &Path,
        ledger: &mut Ledger,
    ) -> Result<bool, Error> {
        let (text, check) = (key.text(), key.check());
        if matches!(ledger.known(text, check).0, State::New | State::Unknown) {
            self.ended(text, check, *outcome, ledger);
            return Ok(true);
        }
        if end.at > self.known {
            let (path, key, at) = (path.to_owned(), text.to_owned(), self.known);
            return Err(Error::ResultsTwice { path, key, at });
        }
        Ok(false)
    }

    /// Rows that were sent again while their outcome was unknown, in that order.
    pub(crate) fn sent_again(&self) -> Vec<String> {
        self.sent_again.iter().flatten().cloned().collect()
    }

    /// Rows whose outcome is unknown, in the order they were sent.
    pub(crate) fn unknown(&self) -> Vec<String> {
        let mut unknown: Vec<_> = self.open.iter().collect();
        unknown.sort_by_key(|(_, open)| open.sent);
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
    pub(crate) ended: Vec<(Key, Outcome, End)>,
}

/// Checks that the results are those that the journal records, and reads the rest.
pub(crate) fn results(
    file: &File,
    path: &Path,
    format: Format,
    journal: &File,
    replayed: &Replayed,
) -> Result<Tail, Error> {
    let unreadable = |error: io::Error| Error::Unreadable(path.to_owned(), error);
    let size = file.metadata().map_err(unreadable)?.len();
    if size < replayed.known {
        let (path, known) = (path.to_owned(), replayed.known);
        return Err(Error::ResultsShorter { path, found: size, known });
    }
    if let Some((from, to)) = changed(file, journal, replayed).map_err(unreadable)? {
        return Err(Error::ResultsChanged { path: path.to_owned(), from, to });
    }
    let from = replayed.read_from(format);
    let inner = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut reader = Counted { inner, taken: from, crc: Crc::new() };
    reader.inner.seek(SeekFrom::Start(from)).map_err(unreadable)?;
    let mut tail = Tail { whole: from, ..Tail::default() };
    loop {
        if reader.fill_buf().map_err(unreadable)?.is_empty() {
            break;
        }
        let foreign = |at: u64| Error::ResultsForeign { path: path.to_owned(), at };
        // The results of one line, or of one member, and whether it has a line that is none.
        let (mut found, mut has_other) = (Vec::new(), false);
        let mut take = |read: Option<_>| {
            has_other |= read.is_none();
            found.extend(read.filter(|_| !has_other));
        };
        let is_whole = match format {
            Format::Plain => {
                let mut line = Vec::new();
                reader.read_until(b'\n', &mut line).map_err(unreadable)?;
                take(output::read_line(line.trim_ascii_end()));
                line.ends_with(b"\n")
            }
            Format::Gzip | Format::Zstd => {
                let lines = format.of_member(&mut reader).map(BufReader::new);
                let taken = lines.and_then(|lines| {
                    each_result(lines, |_, read| {
                        take(read);
                        Ok(())
                    })
                });
                match taken {
                    Ok(()) => true,
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => false,
                    Err(_) if are_zero(file, tail.whole).map_err(unreadable)? => false,
                    Err(_) => return Err(foreign(tail.whole)),
                }
            }
        };
        if !is_whole {
            break;
        }
        let end = End { at: reader.taken, crc: reader.crc.sum() };
        if has_other {
            return Err(foreign(tail.whole));
        }
        if !found.is_empty() {
            reader.crc.reset();
            tail.whole = end.at;
        }
        tail.ended.extend(found.into_iter().map(|(key, outcome)| (key, outcome, end)));
    }
    tail.torn = size.saturating_sub(tail.whole);
    Ok(tail)
}

/// The first bytes of the results that are not those that the journal records: from, and to.
fn changed(file: &File, journal: &File, replayed: &Replayed) -> io::Result<Option<(u64, u64)>> {
    let mut results = BufReader::with_capacity(BUFFER_BYTES, file);
    results.seek(SeekFrom::Start(0))?;
    let (base, base_end) = replayed.base;
    let mut lines = BufReader::with_capacity(BUFFER_BYTES, journal);
    lines.seek(SeekFrom::Start(base))?;
    let (mut line, mut place, mut at) = (Vec::new(), base, 0);
    while place < replayed.whole {
        line.clear();
        place += lines.read_until(b'\n', &mut line)? as u64;
        let line = line.trim_ascii_end();
        let end = match line.get(2) {
            Some(b'd' | b'f') => End::in_line(line),
            Some(b'r' | b'a') => match Seal::read(line).map(|sealed| sealed.record) {
                // The size of assembled results may be that of a compressed file.
                Some(
                    Record::Rewritten { end }
                    | Record::Replaced { end }
                    | Record::Assembled { end },
                ) => Some(End { at: base_end, ..end }),
                Some(_) | None => None,
            },
            Some(_) | None => None,
        };
        let Some(end) = end else { continue };
        // The rows of one member have the same end.
        if end.at != at && crc_of_next(&mut results, end.at.saturating_sub(at))? != Some(end.crc) {
            return Ok(Some((at, end.at)));
        }
        at = end.at;
    }
    Ok(None)
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
struct Counted<'a> {
    inner: BufReader<&'a File>,
    taken: u64,
    crc: Crc,
}

impl Read for Counted<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(out)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Counted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.crc.update(self.inner.buffer().get(..amount).unwrap_or_default());
        self.inner.consume(amount);
        self.taken += amount as u64;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::super::tests::Folder;
    use super::*;

    #[test]
    fn results_are_read_from_the_last_member_if_its_records_may_be_cut_off() {
        let from = |is_open_at_end, format| {
            let replayed =
                Replayed { known: 90, last: Some(70), is_open_at_end, ..Replayed::default() };
            replayed.read_from(format)
        };
        assert_eq!((from(true, Format::Gzip), from(true, Format::Zstd)), (70, 70));
        assert_eq!((from(false, Format::Gzip), from(true, Format::Plain)), (90, 90));
    }

    #[test]
    fn results_in_order_count_unless_others_came_after_them() {
        let folder = Folder::in_memory();
        let (path, end) = (folder.path("arrivals"), End { at: 7, crc: 8 });
        let replayed = Replayed { known: 10, assembled: Some(end), ..Replayed::default() };
        assert_eq!(replayed.ordered(&path), Some(end), "there are no arrivals");
        for (bytes, expected) in [(9, Some(end)), (10, Some(end)), (11, None)] {
            std::fs::write(&path, vec![b'x'; bytes]).unwrap();
            assert_eq!(replayed.ordered(&path), expected, "{bytes}");
        }
    }

    /// To look for each among all others would take minutes.
    #[test]
    fn rows_that_came_back_were_not_sent_again() {
        let (mut replayed, mut ledger) = (Replayed::default(), Ledger::new());
        let keys: Vec<String> = (0..300_000).map(|row| format!("row-{row:08}")).collect();
        for key in keys.iter().chain(&keys) {
            replayed.sent(key, 1, &mut ledger);
        }
        assert!(replayed.sent_again() == keys);
        let (back, kept) = keys.split_at(keys.len() - 2);
        back.iter().for_each(|key| replayed.back(key, 1, &mut ledger));
        assert_eq!(replayed.sent_again(), kept);
        assert!(replayed.unknown()[..2] == keys[..2], "as unknown as before");
    }

    #[test]
    fn a_journal_of_this_version_is_known_by_its_beginning() {
        let mut line = Vec::new();
        Record::Header(Header::default()).write(&mut line);
        assert!(line.starts_with(&version_begin()));
        assert!(version_begin().starts_with(JOURNAL_BEGIN));
    }
}
