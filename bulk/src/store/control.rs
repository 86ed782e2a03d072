//! The files through which other processes watch a running job and change its limits. Both are next to the
//! journal, hold one line of text, and are accessible by the owner only.
//!
//! | file | who writes it | who removes it |
//! |---|---|---|
//! | `OUT.jsonl.journal.status` | the run, again and again | the run at its end, or the next one |
//! | `OUT.jsonl.journal.set` | a command that asks for a change, if nobody else waits; then the run, with its answer | that command; after a crash of it, the run, or the next one |

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::places::{CONTROL, Places, StoreOptions, beside, temporary};
use crate::system::{Readers, may_write_for, set_readers};

/// The paths of the two files.
#[derive(Clone, Debug)]
pub struct ControlFiles {
    journal: PathBuf,
    /// The state of the run.
    pub status: PathBuf,
    /// A request for a change, or the answer to it.
    pub request: PathBuf,
}

impl ControlFiles {
    /// Those of a job; `None` if it has no journal.
    pub fn of(options: &StoreOptions) -> Option<ControlFiles> {
        let journal = Places::journal(options)?;
        let [status, request] = CONTROL.map(|ending| beside(&journal, ending));
        Some(ControlFiles { journal, status, request })
    }

    /// Reads one of them. `None` if it is not there, or not whole yet, or by another user than the journal: the
    /// folder may be writable by others.
    pub fn read(&self, path: &Path) -> Option<String> {
        let (found, journal) =
            (fs::symlink_metadata(path).ok()?, fs::metadata(&self.journal).ok()?);
        if !found.is_file() || !may_write_for(&found, &journal) {
            return None;
        }
        let text = fs::read_to_string(path).ok()?;
        text.strip_suffix('\n').map(str::to_owned)
    }

    /// Removes what a process that was killed left.
    pub fn remove(&self) {
        for path in [&self.status, &self.request] {
            let _ = fs::remove_file(path);
        }
    }
}

/// Writes a new file. False if it exists already.
pub fn write_new_line(path: &Path, line: &str) -> io::Result<bool> {
    let mut options = OpenOptions::new();
    set_readers(options.write(true).create_new(true), Readers::OWNER);
    match options.open(path) {
        Ok(mut file) => file.write_all(format!("{line}\n").as_bytes()).map(|()| true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Replaces a file, so that no reader sees a part of it. Not synced: after a crash of the machine it says
/// nothing.
pub fn replace_line(path: &Path, line: &str) -> io::Result<()> {
    let temporary = temporary(path);
    let _ = fs::remove_file(&temporary); // of a process that was killed
    let written = write_new_line(&temporary, line).and_then(|_| fs::rename(&temporary, path));
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::tests::Folder;
    use super::*;

    #[test]
    fn a_line_is_read_once_it_is_whole() {
        let folder = Folder::in_memory();
        let journal = folder.path("journal");
        let files = ControlFiles {
            journal: journal.clone(),
            status: folder.path("status"),
            request: folder.path("request"),
        };
        fs::write(&journal, "").unwrap();
        assert_eq!(files.read(&files.status), None);
        assert!(write_new_line(&files.status, "running").unwrap());
        assert!(!write_new_line(&files.status, "again").unwrap(), "it is there");
        assert_eq!(files.read(&files.status).as_deref(), Some("running"));
        fs::write(&files.request, "cut").unwrap();
        assert_eq!(files.read(&files.request), None);
        files.remove();
        assert!(!files.status.exists() && !files.request.exists());
        let missing = folder.path("missing").join("file");
        assert_eq!(write_new_line(&missing, "").unwrap_err().kind(), ErrorKind::NotFound);
    }
}
