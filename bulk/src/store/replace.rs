//! Writes files under a temporary name, so that under its own name none is half written.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

use super::journal_file::sync_folder;
use super::places::temporary;
use crate::system::{Readers, set_readers};

/// Writes a file under its temporary name and syncs it to disk. Half a file is removed: it would
/// keep a full disk full.
pub(crate) fn write_temporary<T>(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&File) -> io::Result<T>,
) -> io::Result<(File, T)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(true);
    let temporary = temporary(path);
    let file = set_readers(&mut options, readers).open(&temporary)?;
    match write(&file).and_then(|written| file.sync_all().map(|()| written)) {
        Ok(written) => Ok((file, written)),
        Err(error) => {
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

/// Replaces a file by one that is written at once. After an error, no half of it is left.
pub(crate) fn replace<T>(
    path: &Path,
    readers: Readers,
    write: impl FnOnce(&File) -> io::Result<T>,
) -> io::Result<(File, T)> {
    let written = write_temporary(path, readers, write)?;
    let temporary = temporary(path);
    fs::rename(&temporary, path).inspect_err(|_| _ = fs::remove_file(&temporary))?;
    sync_folder(path)?;
    Ok(written)
}
