//! Rewrites the results without the failed rows, or without those that later ones replace. A crash at any
//! moment leaves either the old file or the new one, and the journal records which.
//!
//! Before the new file is begun, the journal records all that the old one has. The new file is synced to
//! disk under a temporary name before the journal records that it counts. Only then is it renamed. A run
//! that finds this record and the temporary name does the renaming.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, ErrorKind, Write};
use std::path::Path;

use flate2::Crc;

use super::journal::{End, Record, crc_of_next};
use super::journal_file::{JournalFile, sync_folder, unusable};
use super::places::temporary;
use super::replace::write_temporary;
use super::results::{Format, ResultsFile};
use crate::error::Error;
use crate::output::{self, Outcome};
use crate::system::readers_of;

/// Bytes of lines that are compressed into one member.
const MEMBER_BYTES: usize = 1024 * 1024;

/// Removes a file and its temporary file, if they exist.
pub(crate) fn remove(path: &Path) -> Result<(), Error> {
    for path in [path.to_owned(), temporary(path)] {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(unusable(&path, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the temporary file of these results is what they were rewritten to, and not the beginning of
/// another rewrite.
pub(crate) fn is_complete(temporary: &Path, end: End) -> bool {
    let Ok(file) = File::open(temporary) else { return false };
    let is_so_long = file.metadata().is_ok_and(|found| found.len() == end.at);
    let crc = || crc_of_next(&mut BufReader::new(&file), end.at);
    is_so_long && crc().is_ok_and(|crc| crc == Some(end.crc))
}

/// Completes or undoes a rewrite that a crash interrupted. `end` is what the journal says of the last one.
pub(crate) fn redo(path: &Path, end: Option<End>) -> Result<(), Error> {
    let temporary = temporary(path);
    let done = match end.is_some_and(|end| is_complete(&temporary, end)) {
        true => fs::rename(&temporary, path).and_then(|()| sync_folder(path)),
        false => fs::remove_file(&temporary),
    };
    match done {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(unusable(&temporary, error)),
        _ => Ok(()),
    }
}

/// Removes failed results from the file.
pub(crate) fn without_failed(
    results: &mut ResultsFile,
    path: &Path,
    journal: &mut JournalFile,
) -> Result<(), Error> {
    let is_done = |_, line: &[u8]| output::outcome_of(line) == Outcome::Done;
    rewrite(results, path, journal, is_done, |end| Record::Rewritten { end })
}

/// Removes each result from the file that a later one of the same key replaces, and returns how many. While
/// it runs, it holds some 50 bytes for each row.
pub(crate) fn without_replaced(
    results: &mut ResultsFile,
    path: &Path,
    journal: &mut JournalFile,
) -> Result<u64, Error> {
    let mut last = HashMap::new();
    let mut lines = 0_u64;
    let file = File::open(path).and_then(|file| {
        each_line(results.format.reader(file)?, |number, line| {
            lines += 1;
            output::name_in(line).map(|name| last.insert(name, number));
            Ok(())
        })
    });
    file.map_err(|error| unusable(path, error))?;
    let replaced = lines.saturating_sub(last.len() as u64);
    if replaced == 0 {
        return Ok(0);
    }
    let is_last = |number, line: &[u8]| {
        output::name_in(line).is_none_or(|name| last.get(&name) == Some(&number))
    };
    rewrite(results, path, journal, is_last, |end| Record::Replaced { end })?;
    Ok(replaced)
}

/// Keeps the lines, counted from 0, for which `keeps` says so.
fn rewrite(
    results: &mut ResultsFile,
    path: &Path,
    journal: &mut JournalFile,
    keeps: impl Fn(u64, &[u8]) -> bool,
    record: impl Fn(End) -> Record<'static>,
) -> Result<(), Error> {
    let failure = |error: io::Error| Error::Rewriting(path.to_owned(), error);
    // If the journal ended with the record of an earlier rewrite, half a file of this one would be taken
    // for that one's after a crash.
    journal.sync().map_err(|error| unusable(&journal.path, error))?;
    let (rewritten, end) = copy(results.format, path, keeps).map_err(failure)?;
    journal.push_record(&record(end));
    journal.sync().map_err(|error| unusable(&journal.path, error))?;
    fs::rename(temporary(path), path).and_then(|()| sync_folder(path)).map_err(failure)?;
    *results = rewritten;
    Ok(())
}

fn copy(
    format: Format,
    path: &Path,
    keeps: impl Fn(u64, &[u8]) -> bool,
) -> io::Result<(ResultsFile, End)> {
    let from = File::open(path)?;
    let (file, end) = write_temporary(path, readers_of(&from.metadata()?), |file| {
        let mut members = Members::new(format, file);
        each_line(format.reader(from)?, |number, line| {
            match keeps(number, line.trim_ascii_end()) {
                true => members.line(line),
                false => Ok(()),
            }
        })?;
        Ok(members.finish()?.members)
    })?;
    Ok((ResultsFile { file, format, end: end.at }, end))
}

/// Every line with its line end, counted from 0.
fn each_line(
    mut reader: impl BufRead,
    mut takes: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let (mut line, mut number) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        takes(number, &line)?;
        line.clear();
        number += 1;
    }
    Ok(())
}

/// Writes lines in members of about `MEMBER_BYTES`.
pub(crate) struct Members<W> {
    format: Format,
    out: W,
    lines: Vec<u8>,
    written: u64,
    crc: Crc,
    crc_of_lines: Crc,
}

/// What was written: its size, with the checksum of the file, and with that of the lines in it.
#[derive(Debug)]
pub(crate) struct Written {
    pub(crate) members: End,
    pub(crate) lines: End,
}

impl<W: Write> Members<W> {
    pub(crate) fn new(format: Format, out: W) -> Members<W> {
        let (crc, crc_of_lines) = (Crc::new(), Crc::new());
        Members { format, out, lines: Vec::new(), written: 0, crc, crc_of_lines }
    }

    pub(crate) fn line(&mut self, line: &[u8]) -> io::Result<()> {
        self.lines.extend_from_slice(line);
        if self.lines.len() >= MEMBER_BYTES { self.member() } else { Ok(()) }
    }

    fn member(&mut self) -> io::Result<()> {
        if self.lines.is_empty() {
            return Ok(());
        }
        let bytes = self.format.encode(&self.lines)?;
        self.out.write_all(&bytes)?;
        self.crc.update(&bytes);
        self.crc_of_lines.update(&self.lines);
        self.written += bytes.len() as u64;
        self.lines.clear();
        Ok(())
    }

    /// Writes the rest.
    pub(crate) fn finish(mut self) -> io::Result<Written> {
        self.member()?;
        self.out.flush()?;
        let end = |crc: Crc| End { at: self.written, crc: crc.sum() };
        Ok(Written { members: end(self.crc), lines: end(self.crc_of_lines) })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::journal::crc_of;
    use super::super::tests::Folder;
    use super::*;

    #[test]
    fn a_rewrite_is_complete_by_its_size_and_its_checksum() {
        let folder = Folder::in_memory();
        let path = folder.path("out");
        fs::write(&path, b"results").unwrap();
        let end = End { at: 7, crc: crc_of(b"results") };
        assert!(is_complete(&path, end));
        assert!(!is_complete(&path, End { crc: end.crc ^ 1, ..end }));
        assert!(!is_complete(&path, End { at: 6, crc: crc_of(b"result") }));
        assert!(!is_complete(&folder.path("missing"), end));
    }

    #[test]
    fn what_cannot_be_removed_is_an_error_and_what_is_not_there_is_none() {
        let folder = Folder::in_memory();
        let path = folder.path("out");
        assert!(remove(&path).is_ok() && redo(&path, None).is_ok());
        fs::create_dir(temporary(&path)).unwrap();
        assert!(remove(&path).is_err() && redo(&path, None).is_err());
    }
}
