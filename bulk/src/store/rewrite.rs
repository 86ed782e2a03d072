//! Rewrites the results without the failed rows. A crash at any moment leaves either the old file or the
//! new one, and the journal records which.
//!
//! Before the new file is begun, the journal records all that the old one has. The new file is synced to
//! disk under a temporary name before the journal records that it counts. Only then is it renamed. A run
//! that finds this record and the temporary name does the renaming.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::Path;

use flate2::Crc;

use super::journal::{End, Record};
use super::journal_file::{JournalFile, sync_folder, unusable};
use super::places::temporary;
use super::results::{Format, ResultsFile};
use crate::error::Error;
use crate::output::{self, Outcome};
use crate::system::{readers_of, set_readers};

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

/// Completes or undoes a rewrite that a crash interrupted.
pub(crate) fn redo(path: &Path, is_rewritten: bool) -> Result<(), Error> {
    let temporary = temporary(path);
    let done = match is_rewritten {
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
    let failure = |error: io::Error| Error::Rewriting(path.to_owned(), error);
    // If the journal ended with the record of an earlier rewrite, half a file of this one would be taken
    // for that one's after a crash.
    journal.sync().map_err(|error| unusable(&journal.path, error))?;
    let temporary = temporary(path);
    let (rewritten, end) = copy(results.format, path, &temporary).map_err(failure)?;
    journal.push_record(&Record::Rewritten { end });
    journal.sync().map_err(|error| unusable(&journal.path, error))?;
    fs::rename(&temporary, path).and_then(|()| sync_folder(path)).map_err(failure)?;
    *results = rewritten;
    Ok(())
}

fn copy(format: Format, from: &Path, to: &Path) -> io::Result<(ResultsFile, End)> {
    let from = File::open(from)?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    let file = set_readers(&mut options, readers_of(&from.metadata()?)).open(to)?;
    let mut reader = format.reader(from)?;
    let mut members = Members::new(format, &file);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 {
        if output::outcome_of(line.trim_ascii_end()) == Outcome::Done {
            members.line(&line)?;
        }
        line.clear();
    }
    let end = members.finish()?.members;
    file.sync_all()?;
    Ok((ResultsFile { file, format, end: end.at }, end))
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
