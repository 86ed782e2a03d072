//! Rebuilds the files of a job from what is intact in them. Sends nothing.
//!
//! The journal then has the results that are intact, and, as sent, the rows that it knew of and that have
//! none. The damaged files are kept under another name. Until both new files are complete, the old ones are
//! in their places, so that an interrupted repair can be repeated.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::journal::{End, Header, Record, Seal, crc_of, write_ended};
use super::journal_file::{JournalFile, lock, sync_folder, unusable};
use super::open::{header, is_same, name_unknown};
use super::places::{Places, StoreOptions, beside, is_stream, repairing};
use super::replay::may_be_journal;
use super::results::{Format, Results, ResultsFile, each_result, set_end};
use super::rewrite;
use super::writer::Batch;
use crate::error::Error;
use crate::output::{self, Outcome};
use crate::row::Key;
use crate::system::{readers_of, set_readers};

/// Bytes of results that are written at once.
const BATCH_BYTES: usize = 1024 * 1024;

/// How often the bytes of compressed results may be read in vain, on average. Beyond it, a repair goes on after
/// what it read, and not within it: else each of many magic numbers could read the rest of the file.
const VAIN_READS_MAX: u64 = 16;

/// What some editors write at the beginning of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What a repair found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repaired {
    /// The number of intact results, which are kept.
    pub results: u64,
    /// The number of lines or compressed members of the results that are damaged or repeated.
    pub dropped: u64,
    /// The number of lines of the journal that are damaged or missing, as far as the others show. Rows that
    /// only these lines named, and that have no result, count as not sent.
    pub lost: u64,
    /// Rows that were sent and have no intact result.
    pub unknown: Vec<String>,
    /// The file that names them, one per line, if there are any.
    pub unknown_file: Option<PathBuf>,
    /// The damaged files, under their new names.
    pub saved: Vec<PathBuf>,
}

/// The hash of a key.
type Name = [u8; 12];

/// A row and its content: its name, and the check.
type Id = (Name, u32);

fn id_of(key: &str, check: u32) -> Id {
    (output::name_of(key), check)
}

/// Rebuilds the files of a job.
pub fn repair(options: &StoreOptions) -> Result<Repaired, Error> {
    let is_file = |path: &PathBuf| !is_stream(path);
    let path = Places::journal(options).ok_or(Error::RepairWithoutFile)?;
    let arrivals = Places::arrivals(options).filter(is_file).ok_or(Error::RepairWithoutFile)?;
    let places = Places::of(options)?;
    let (mut old, _) = JournalFile::hold(&path, options.readers)?;
    let unreadable = |error| Error::Unreadable(path.clone(), error);
    let mut repaired = Repaired::default();
    if is_stream(&path) {
        return Err(Error::JournalForeign(path));
    }
    let journal = Scan::of(&old.file, &mut repaired.lost).map_err(unreadable)?;
    if journal.lines == 0 && !may_be_journal(&old.file).map_err(unreadable)? {
        return Err(Error::JournalForeign(path));
    }
    let header = header(&places, options);
    if let Some(found) = &journal.header {
        is_same(&path, found, &header)?;
    }
    rewrite::redo(&arrivals, journal.rewritten)?;

    let results = places.results.as_ref().filter(|_| !arrivals.exists()).unwrap_or(&arrivals);
    let unusable_results = |error| unusable(results, error);
    if !results.exists() {
        return Err(Error::ResultsGone(results.clone()));
    }
    let file = File::open(results).map_err(unusable_results)?;
    if !lock(&file) {
        return Err(Error::ResultsHeld(results.clone()));
    }
    let readers = readers_of(&file.metadata().map_err(unusable_results)?);
    let (new_results, new_path) = (repairing(&arrivals), repairing(&path));
    rewrite::remove(&new_results)?;
    rewrite::remove(&new_path)?;
    let mut new_options = OpenOptions::new();
    new_options.read(true).write(true).create_new(true);
    let new_file = set_readers(&mut new_options, readers).open(&new_results);
    let new_file = new_file.map_err(|error| unusable(&new_results, error))?;
    let format = if options.is_ordered { Format::Plain } else { Format::of(&arrivals) };
    let journal_readers = readers_of(&old.file.metadata().map_err(unreadable)?);
    let mut new = New {
        results: Results::File(ResultsFile { file: new_file, format, end: 0 }),
        journal: JournalFile::hold(&new_path, journal_readers)?.0,
        batch: Batch::default(),
        has: HashSet::new(),
        created: vec![new_results.clone(), new_path.clone()],
    };
    new.journal.push_record(&Record::Header(header));
    for (pid, began) in &journal.runs {
        new.journal.push_record(&Record::Run { pid: *pid, began: *began });
    }
    let copied = new.copy(&file, Format::of(results), &journal, &mut repaired);
    copied.map_err(|error| unusable(&new_results, error))?;
    if journal.lines == 0 && repaired.results == 0 {
        return Err(Error::NothingIntact(results.clone()));
    }
    if let Results::File(file) = &mut new.results {
        let replaced = rewrite::without_replaced(file, &new_results, &mut new.journal)?;
        repaired.results -= replaced;
        repaired.dropped += replaced;
    }
    let open = open_rows(&old.file, &new.has).map_err(unreadable)?;
    let mut named = HashSet::new();
    for (key, check) in open {
        if named.insert(key.clone()) {
            repaired.unknown.push(key.clone());
        }
        new.journal.push_record(&Record::Sent { key: key.into(), check });
    }
    new.journal.sync().map_err(|error| unusable(&new_path, error))?;
    new.journal.keep();
    old.keep();
    new.created.clear();
    drop(new);

    for old in [results, &path] {
        repaired.saved.push(save(old).map_err(|error| unusable(old, error))?);
    }
    fs::rename(&new_results, &arrivals)
        .and_then(|()| sync_folder(&arrivals))
        .and_then(|()| fs::rename(&new_path, &path))
        .and_then(|()| sync_folder(&path))
        .map_err(|error| unusable(&path, error))?;
    repaired.unknown_file = name_unknown(&path, repaired.unknown.iter())?;
    Ok(repaired)
}

/// Keeps a file under another name as well.
fn save(path: &Path) -> io::Result<PathBuf> {
    let mut names = (1..u32::MAX).map(|number| beside(path, &format!(".damaged-{number}")));
    let name = names.find(|name| !name.exists()).ok_or(io::ErrorKind::AlreadyExists)?;
    fs::hard_link(path, &name).or_else(|_| fs::copy(path, &name).map(|_| ()))?;
    Ok(name)
}

/// Calls a function with each line of a journal that is a record, with its number and whether it follows the
/// one before it. Returns the number of lines that are none.
fn each_record(file: &File, mut take: impl FnMut(Record<'_>, u64, bool)) -> io::Result<u64> {
    let mut reader = BufReader::new(file);
    reader.seek(SeekFrom::Start(0))?;
    let (mut line, mut last, mut damaged) = (Vec::new(), Seal::default(), 0);
    loop {
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        let Some(text) = line.strip_suffix(b"\n") else { return Ok(damaged) };
        let Some(sealed) = Seal::read(text.trim_ascii_end()) else {
            damaged += 1;
            continue;
        };
        let (seal, is_intact) = (sealed.seal, sealed.follows(last));
        take(sealed.record, seal.number, is_intact);
        last = seal;
    }
}

/// What the journal has, apart from the rows.
#[derive(Default)]
struct Scan {
    header: Option<Header>,
    lines: u64,
    runs: Vec<(u64, u64)>,
    /// What the results were rewritten to, if nothing was added after that.
    rewritten: Option<End>,
    /// The known checksums of results.
    crcs: HashMap<Name, HashMap<u32, Outcome>>,
    /// Rows with a damaged record of a result, whose checksum is unknown.
    doubtful: HashSet<Name>,
}

impl Scan {
    fn of(file: &File, lost: &mut u64) -> io::Result<Scan> {
        let (mut scan, mut last, mut strange) = (Scan::default(), 0, 0);
        let damaged = each_record(file, |record, number, is_intact| {
            scan.lines += 1;
            strange += u64::from(!is_intact);
            last = if is_intact { last.max(number) } else { last };
            match record {
                Record::Header(header) if is_intact => scan.header = Some(header),
                Record::Run { pid, began } => scan.runs.push((pid, began)),
                Record::Rewritten { end } => {
                    scan.rewritten = is_intact.then_some(end);
                    if is_intact {
                        // The results no longer have the failed rows.
                        scan.crcs.retain(|_, crcs| {
                            crcs.retain(|_, outcome| *outcome == Outcome::Done);
                            !crcs.is_empty()
                        });
                    }
                }
                Record::Replaced { end } => scan.rewritten = is_intact.then_some(end),
                Record::Assembled { .. } => scan.rewritten = None,
                Record::Ended { key, outcome, end: Some(end), .. } => {
                    scan.rewritten = None;
                    let name = output::name_of(&key);
                    if is_intact {
                        scan.crcs.entry(name).or_default().insert(end.crc, outcome);
                    } else {
                        scan.doubtful.insert(name);
                    }
                }
                _ => {}
            }
        })?;
        let none = u64::from(scan.header.is_none());
        *lost = last.saturating_sub(scan.lines).max(damaged).max(strange).max(none);
        Ok(scan)
    }
}

/// A row that was sent.
struct Sent {
    /// The number of its last record.
    number: u64,
    key: String,
    is_failed: bool,
    is_intact: bool,
}

/// The rows that were sent and have no result, in the order they were sent.
fn open_rows(file: &File, has: &HashSet<Id>) -> io::Result<Vec<(String, u32)>> {
    let mut open: HashMap<Id, Sent> = HashMap::new();
    let names: HashSet<_> = has.iter().map(|id| id.0).collect();
    each_record(file, |record, number, is_intact| {
        let (key, check, is_failed) = match record {
            Record::Sent { key, check } => (key, check, false),
            Record::Ended { key, check, outcome, .. } => (key, check, outcome == Outcome::Failed),
            Record::Back { key, check } if is_intact => {
                // Lines may have been moved.
                let id = id_of(&key, check);
                if open.get(&id).is_some_and(|sent| sent.number < number) {
                    open.remove(&id);
                }
                return;
            }
            Record::Rewritten { .. } if is_intact => {
                open.retain(|_, sent| !sent.is_failed || sent.number > number);
                return;
            }
            Record::Replaced { .. } if is_intact => {
                open.retain(|id, sent| !names.contains(&id.0) || sent.number > number);
                return;
            }
            _ => return,
        };
        let id = id_of(&key, check);
        if !has.contains(&id) {
            let sent = Sent { number, key: key.into_owned(), is_failed, is_intact };
            let newer = open.remove(&id).filter(|before| before.number > number);
            open.insert(id, newer.unwrap_or(sent));
        }
    })?;
    // A damaged record may have another check than its row.
    let doubtful: HashSet<_> =
        open.iter().filter(|(_, sent)| !sent.is_intact).map(|(id, _)| id.0).collect();
    let certain = open.iter().filter(|(_, sent)| sent.is_intact).map(|(id, _)| id);
    let certain = certain.chain(has).map(|id| id.0).filter(|name| doubtful.contains(name));
    let certain: HashSet<_> = certain.collect();
    open.retain(|id, sent| sent.is_intact || !certain.contains(&id.0));
    let mut open: Vec<_> = open.into_iter().collect();
    open.sort_unstable_by_key(|(_, sent)| sent.number);
    Ok(open.into_iter().map(|((_, check), sent)| (sent.key, check)).collect())
}

/// Where these bytes begin next, from this offset on.
fn next(reader: &mut BufReader<&File>, magic: &[u8], from: u64) -> io::Result<Option<u64>> {
    reader.seek(SeekFrom::Start(from))?;
    let mut last = [0; 4]; // no magic number begins with a zero
    for (end, byte) in (from + 1..).zip(reader.bytes()) {
        let [_, first, second, third] = last;
        last = [first, second, third, byte?];
        if last.ends_with(magic) {
            return Ok(Some(end - magic.len() as u64));
        }
    }
    Ok(None)
}

/// The new files.
struct New {
    results: Results,
    journal: JournalFile,
    batch: Batch,
    /// The rows with a result.
    has: HashSet<Id>,
    /// Removed with it, until all is written.
    created: Vec<PathBuf>,
}

impl Drop for New {
    fn drop(&mut self) {
        for path in &self.created {
            let _ = fs::remove_file(path);
        }
    }
}

impl New {
    /// Copies intact results.
    fn copy(
        &mut self,
        file: &File,
        format: Format,
        journal: &Scan,
        repaired: &mut Repaired,
    ) -> io::Result<()> {
        let mut reader = BufReader::new(file);
        reader.seek(SeekFrom::Start(0))?;
        if format == Format::Plain {
            if reader.fill_buf()?.starts_with(BYTE_ORDER_MARK) {
                reader.consume(BYTE_ORDER_MARK.len());
            }
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line)? > 0 {
                let had_end = line.ends_with(b"\n");
                set_end(&mut line);
                let is_intact = |name: Name| {
                    let known =
                        journal.crcs.get(&name).filter(|_| !journal.doubtful.contains(&name));
                    known.map_or(had_end, |crcs| crcs.contains_key(&crc_of(&line)))
                };
                let read = output::read_line(line.trim_ascii_end());
                let read = read.filter(|(key, _)| is_intact(output::name_of(key.text())));
                self.add(&line, read, repaired)?;
                line.clear();
            }
            return self.commit();
        }
        // A member has its own checksum. After a damaged one, the next begins where one can be read.
        let end = file.metadata()?.len();
        let (mut at, mut in_vain) = (0, 0);
        while at < end {
            reader.seek(SeekFrom::Start(at))?;
            let is_whole = format
                .of_member(&mut reader)
                .and_then(|mut lines| io::copy(&mut lines, &mut io::sink()));
            let after = reader.stream_position()?;
            match is_whole {
                Ok(_) => {
                    reader.seek(SeekFrom::Start(at))?;
                    let lines = BufReader::new(format.of_member(&mut reader)?);
                    each_result(lines, |line, read| self.add(line, read, repaired))?;
                    at = after;
                }
                Err(error) if error.raw_os_error().is_some() => return Err(error),
                Err(_) => {
                    repaired.dropped += 1;
                    in_vain += after - at;
                    let may_read_again = in_vain / VAIN_READS_MAX <= end;
                    let from = if may_read_again { at + 1 } else { after.max(at + 1) };
                    at = next(&mut reader, format.magic(), from)?.unwrap_or(end);
                }
            }
        }
        self.commit()
    }

    fn add(
        &mut self,
        line: &[u8],
        read: Option<(Key, Outcome)>,
        repaired: &mut Repaired,
    ) -> io::Result<()> {
        let read = read.filter(|(key, _)| self.has.insert(id_of(key.text(), key.check())));
        let Some((key, outcome)) = read else {
            repaired.dropped += 1;
            return Ok(());
        };
        repaired.results += 1;
        let Batch { lines, records, sizes } = &mut self.batch;
        let before = records.len();
        lines.extend_from_slice(line);
        write_ended(key.text(), outcome, key.check(), records);
        sizes.push((line.len(), records.len() - before));
        if lines.len() >= BATCH_BYTES { self.commit() } else { Ok(()) }
    }

    fn commit(&mut self) -> io::Result<()> {
        let batch = std::mem::take(&mut self.batch);
        if batch.is_empty() {
            return Ok(());
        }
        let start = self.results.end();
        let member = self.results.commit(&batch.lines).map_err(|refused| refused.error)?;
        let mut records = Vec::new();
        batch.write_records(start, member, &mut records);
        self.journal.push(&records);
        self.journal.write()
    }
}

#[cfg(test)]
#[path = "repair_tests.rs"]
mod tests;
