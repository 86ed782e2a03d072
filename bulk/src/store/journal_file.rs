//! The journal file while a run holds it: its lock, and appends of whole records.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::journal::{Record, Seal};
use crate::error::Error;
use crate::system::{self, Readers, set_readers};

/// Maximum bytes of unsynced records kept in memory before a sync.
pub(crate) const UNSYNCED_BYTES_MAX: usize = 1024 * 1024;

/// How long to wait for a killed run to release its lock.
const LOCK_WAIT: Duration = Duration::from_secs(1);
const LOCK_ASK_EVERY: Duration = Duration::from_millis(20);

/// A journal that this process holds.
#[derive(Debug)]
pub(crate) struct JournalFile {
    pub(crate) file: File,
    pub(crate) path: PathBuf,
    /// The file is on disk up to this offset.
    synced: u64,
    /// There may be bytes after `synced` that are not a whole record.
    is_torn: bool,
    /// That of the last record.
    seal: Seal,
    /// Records after `synced`.
    pending: Vec<u8>,
    /// Bytes of `pending` that were handed to the operating system.
    written: usize,
    /// Files created by this run, including the journal. Empty once one has contents.
    made: Vec<PathBuf>,
}

impl JournalFile {
    /// Opens or creates the journal, and holds it until it is dropped. The `bool` is false if the file
    /// cannot be locked, as on some network file systems.
    pub(crate) fn hold(path: &Path, readers: Readers) -> Result<(JournalFile, bool), Error> {
        let begun = Instant::now();
        loop {
            let opened = open_or_make(path, readers).map_err(|error| unusable(path, error))?;
            if let Some(held) = JournalFile::hold_opened(path, opened, begun)? {
                return Ok(held);
            }
        }
    }

    /// `None` if another run created the file and has since removed it.
    fn hold_opened(
        path: &Path,
        (file, is_new): (File, bool),
        begun: Instant,
    ) -> Result<Option<(JournalFile, bool)>, Error> {
        let Some(is_locked) = lock_since(&file, begun) else { return Err(held(path, &file)) };
        if is_locked && !has_name(&file, path) {
            return Ok(None);
        }
        // Another run may have locked it first, and written it.
        let is_new = is_new && file.metadata().is_ok_and(|found| found.len() == 0);
        let path = path.to_owned();
        let made = if is_new { vec![path.clone()] } else { Vec::new() };
        let (synced, is_torn, seal) = (0, true, Seal::default());
        let (pending, written) = (Vec::new(), 0);
        let journal = JournalFile { file, path, synced, is_torn, seal, pending, written, made };
        Ok(Some((journal, is_locked)))
    }

    /// Also registers a file created for this run, to be removed with the journal if the run writes
    /// nothing.
    pub(crate) fn made(&mut self, path: &Path) {
        if !self.made.is_empty() {
            self.made.push(path.to_owned());
        }
    }

    /// Keeps the created files, whatever they contain.
    pub(crate) fn keep(&mut self) {
        self.made.clear();
    }

    /// Continues after the part that was read and is intact. What follows it is removed by the first write.
    pub(crate) fn continue_at(&mut self, end: u64, seal: Seal) {
        (self.synced, self.is_torn, self.seal) = (end, true, seal);
    }

    /// Appends whole row records, to be written later.
    pub(crate) fn push(&mut self, records: &[u8]) {
        if !records.is_empty() {
            self.keep();
        }
        self.seal.write(records, &mut self.pending);
    }

    /// Appends a job record.
    pub(crate) fn push_record(&mut self, record: &Record<'_>) {
        let mut text = Vec::new();
        record.write(&mut text);
        self.seal.write(&text, &mut self.pending);
    }

    /// Bytes that are not known to be on disk.
    pub(crate) fn unsynced(&self) -> usize {
        self.pending.len()
    }

    /// Writes pending records to the file. After an error, the file still ends with a whole record.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        let rest = self.pending.get(self.written..).unwrap_or_default();
        let at = self.synced + self.written as u64;
        if self.is_torn {
            self.file.set_len(at)?;
            self.is_torn = false;
        }
        if let Err(error) = system::write_all_at(&self.file, rest, at) {
            let _ = self.file.set_len(at);
            return Err(error);
        }
        self.written = self.pending.len();
        Ok(())
    }

    /// Syncs everything to disk.
    pub(crate) fn sync(&mut self) -> io::Result<()> {
        self.write()?;
        if let Err(error) = self.file.sync_data() {
            // The system may have dropped the data that it could not write: write all of it again next
            // time.
            self.written = 0;
            return Err(error);
        }
        self.synced += self.pending.len() as u64;
        (self.written, _) = (0, self.pending.clear());
        Ok(())
    }
}

/// Locks another file of the run while it is open. False if another run holds it; on file systems without
/// locks, always true.
pub(crate) fn lock(file: &File) -> bool {
    lock_since(file, Instant::now()).is_some()
}

/// `None` if another run holds the file; false if it cannot be locked.
fn lock_since(file: &File, begun: Instant) -> Option<bool> {
    loop {
        match system::try_lock(file) {
            Ok(()) => return Some(true),
            Err(TryLockError::Error(_)) => return Some(false),
            Err(TryLockError::WouldBlock) if begun.elapsed() < LOCK_WAIT => {
                std::thread::sleep(LOCK_ASK_EVERY);
            }
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}

impl Drop for JournalFile {
    /// Unlocks explicitly, because a child process may have inherited the file. Removes files created for
    /// nothing while the lock is still held.
    fn drop(&mut self) {
        for path in &self.made {
            let _ = std::fs::remove_file(path);
        }
        let _ = system::unlock(&self.file);
    }
}

/// The file, and whether it was created.
fn open_or_make(path: &Path, readers: Readers) -> io::Result<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    set_readers(&mut options, readers);
    match options.clone().create_new(true).open(path) {
        Ok(file) => Ok((file, true)),
        // Also handles a writable file in a folder where no files can be created.
        Err(_) => options.create(true).truncate(false).open(path).map(|file| (file, false)),
    }
}

/// Whether the path still names this file.
pub(crate) fn has_name(file: &File, path: &Path) -> bool {
    system::has_name(file, path).unwrap_or_else(|error| error.kind() != ErrorKind::NotFound)
}

/// Makes names in a folder durable.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    system::sync_folder(folder.unwrap_or(Path::new(".")))
}

/// The error for a file that cannot be opened or created.
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

/// The error for a journal that another run holds.
fn held(path: &Path, file: &File) -> Error {
    let mut last = None;
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        let run = line.starts_with(b"{\"run\"").then(|| Seal::read(&line)).flatten();
        if let Some(Record::Run { pid, .. }) = run.map(|sealed| sealed.record) {
            last = Some(pid);
        }
    }
    Error::JournalHeld { path: path.to_owned(), process: last }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::tests::Folder;
    use super::*;

    /// A run that is about to end still holds them for a moment.
    #[test]
    fn a_file_that_was_held_is_free() {
        let folder = Folder::in_memory();
        let (journal, results) = (folder.path("journal"), folder.path("results"));
        let first = JournalFile::hold(&journal, Readers::OWNER).unwrap().0;
        let held_results = File::create(&results).unwrap();
        assert!(lock(&held_results));
        let (asks, asked) = std::sync::mpsc::channel();
        let waits = std::thread::spawn(move || {
            asks.send(()).unwrap();
            let next = JournalFile::hold(&journal, Readers::OWNER);
            (next.is_ok(), lock(&File::open(&results).unwrap()))
        });
        asked.recv().unwrap();
        drop(first);
        system::unlock(&held_results).unwrap();
        assert_eq!(waits.join().unwrap(), (true, true));
    }

    #[test]
    fn a_file_that_stays_held_is_refused() {
        let folder = Folder::in_memory();
        let journal = folder.path("journal");
        let _first = JournalFile::hold(&journal, Readers::OWNER).unwrap();
        let begun = Instant::now();
        assert!(JournalFile::hold(&journal, Readers::OWNER).is_err());
        assert!(begun.elapsed() >= LOCK_WAIT);
        assert!(!lock(&File::open(&journal).unwrap()));
        assert!(begun.elapsed() >= 2 * LOCK_WAIT);
    }

    /// Two runs begin at once, and the one that did not create the journal is the first to hold it.
    #[test]
    fn a_journal_that_another_run_wrote_is_not_removed() {
        let folder = Folder::in_memory();
        let path = folder.path("journal");
        let opened = open_or_make(&path, Readers::OWNER).unwrap();
        assert!(opened.1, "this run created it");
        let (mut other, _) = JournalFile::hold(&path, Readers::OWNER).unwrap();
        other.push_record(&Record::Run { pid: 1, began: 1 });
        other.sync().unwrap();
        drop(other);
        let held = JournalFile::hold_opened(&path, opened, Instant::now()).unwrap();
        drop(held.unwrap());
        assert!(path.exists());
    }

    #[test]
    fn a_folder_that_is_missing_is_named() {
        let folder = Folder::in_memory();
        let missing = folder.path("missing").join("out");
        let not_found = || io::Error::from(ErrorKind::NotFound);
        assert!(matches!(unusable(&missing, not_found()), Error::FolderMissing { .. }));
        assert!(matches!(unusable(&folder.path("out"), not_found()), Error::Unusable(..)));
    }
}
