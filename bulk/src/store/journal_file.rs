//! The file of a journal while a run holds it: its lock, and appends of whole records.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::journal::Record;
use crate::error::Error;
use crate::system::{self, Readers, set_readers};

/// What was written but is not known to be on disk is kept in memory up to this, and then brought there.
pub(crate) const UNSYNCED_BYTES_MAX: usize = 1024 * 1024;

/// A run that was killed may take so long to be gone.
const LOCK_WAIT: Duration = Duration::from_secs(1);
const LOCK_ASK_EVERY: Duration = Duration::from_millis(20);

/// A journal that this process holds.
#[derive(Debug)]
pub(crate) struct JournalFile {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
    /// Up to here it is on disk.
    synced: u64,
    /// What comes behind that.
    pending: Vec<u8>,
    /// So much of what is pending was handed to the system.
    written: usize,
    /// Files that this run made, this one among them, while nothing of the run stands in any.
    made: Vec<PathBuf>,
}

impl JournalFile {
    /// Opens it, made if it is not there, and holds it until it is dropped. The second one says whether
    /// it could be locked: some network file systems know no locks.
    pub(crate) fn hold(path: &Path, readers: Readers) -> Result<(JournalFile, bool), Error> {
        let begun = Instant::now();
        let (mut file, mut is_new) =
            open_or_make(path, readers).map_err(|error| unusable(path, error))?;
        let is_locked = loop {
            match system::try_lock(&file) {
                Ok(()) if has_name(&file, path) => break true,
                Ok(()) => {
                    // Whoever made it took it away meanwhile.
                    (file, is_new) =
                        open_or_make(path, readers).map_err(|error| unusable(path, error))?;
                }
                Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_WAIT => {
                    std::thread::sleep(LOCK_ASK_EVERY);
                }
                Err(TryLockError::WouldBlock) => return Err(held(path, &file)),
                Err(TryLockError::Error(_)) => break false,
            }
        };
        let path = path.to_owned();
        let made = if is_new { vec![path.clone()] } else { Vec::new() };
        let (synced, pending, written) = (0, Vec::new(), 0);
        Ok((JournalFile { file, path, synced, pending, written, made }, is_locked))
    }

    /// A file that was made for this run, too: it goes with the journal where nothing comes of the run.
    pub(crate) fn made(&mut self, path: &Path) {
        if !self.made.is_empty() {
            self.made.push(path.to_owned());
        }
    }

    /// The files stay, whatever stands in them.
    pub(crate) fn keep(&mut self) {
        self.made.clear();
    }

    /// What was read so far is whole, and nothing stands behind it.
    pub(crate) fn cut(&mut self, end: u64) -> io::Result<()> {
        self.file.set_len(end)?;
        (self.synced, self.written) = (end, 0);
        self.pending.clear();
        Ok(())
    }

    /// Notes whole records of rows, which are written later.
    pub(crate) fn push(&mut self, records: &[u8]) {
        if !records.is_empty() {
            self.keep();
        }
        self.pending.extend_from_slice(records);
    }

    /// Notes a record of the job.
    pub(crate) fn push_record(&mut self, record: &Record<'_>) {
        record.write(&mut self.pending);
    }

    /// So many bytes are not known to be on disk.
    pub(crate) fn unsynced(&self) -> usize {
        self.pending.len()
    }

    /// Hands what is pending to the system. Where that fails, whole records stand in the file.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        let rest = self.pending.get(self.written..).unwrap_or_default();
        let at = self.synced + self.written as u64;
        if let Err(error) = system::write_all_at(&self.file, rest, at) {
            let _ = self.file.set_len(at);
            return Err(error);
        }
        self.written = self.pending.len();
        Ok(())
    }

    /// Brings everything to disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.write()?;
        if let Err(error) = self.file.sync_data() {
            // The system may have dropped what it could not write: next time all of it goes again.
            self.written = 0;
            return Err(error);
        }
        self.synced += self.pending.len() as u64;
        (self.written, _) = (0, self.pending.clear());
        Ok(())
    }
}

/// Locks another file of the run as well, while it is open. False where another run has it; file systems
/// that know no locks let everybody.
pub(crate) fn lock(file: &File) -> bool {
    let begun = Instant::now();
    loop {
        match system::try_lock(file) {
            Ok(()) | Err(TryLockError::Error(_)) => return true,
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_ASK_EVERY);
            }
            Err(TryLockError::WouldBlock) => return false,
        }
    }
}

impl Drop for JournalFile {
    /// Also where a child of this process has the file open, too. What was made for nothing goes while it
    /// is still held.
    fn drop(&mut self) {
        for path in &self.made {
            let _ = std::fs::remove_file(path);
        }
        let _ = system::unlock(&self.file);
    }
}

/// The file, and whether it was made.
fn open_or_make(path: &Path, readers: Readers) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    set_readers(&mut options, readers);
    match options.clone().create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        // Also what is there and may be written in a folder where nothing may be made.
        Err(_) => options.create(true).truncate(false).open(path).map(|file| (file, false)),
    }
}

/// Whether it is still the file of this name.
fn has_name(file: &File, path: &Path) -> bool {
    system::has_name(file, path).unwrap_or_else(|error| error.kind() != ErrorKind::NotFound)
}

/// Makes names in a folder last as its files do.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    system::sync_folder(folder.unwrap_or(Path::new(".")))
}

/// Why a file cannot be opened or made.
pub(crate) fn unusable(path: &Path, error: io::Error) -> Error {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let path = path.to_owned();
    match (error.kind(), folder) {
        (ErrorKind::NotFound, Some(folder)) if !folder.exists() => {
            let folder = folder.to_owned();
            Error::FolderMissing { path, folder }
        }
        _ => Error::Unusable(path, error),
    }
}

/// Another run holds it.
fn held(path: &Path, file: &File) -> Error {
    let mut last = None;
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        if let Some(Record::Run { pid, .. }) =
            line.starts_with(b"{\"run\"").then(|| Record::read(&line)).flatten()
        {
            last = Some(pid);
        }
    }
    Error::JournalHeld { path: path.to_owned(), process: last }
}
