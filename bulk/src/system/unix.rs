//! What bulk jobs ask of Unix systems.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    file.read_exact_at(bytes, place)
}

pub(crate) fn write_all_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    file.write_all_at(bytes, place)
}

/// Whether two names are of one file.
pub(crate) fn are_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (std::fs::metadata(one)?, std::fs::metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Whether a file that is open is the one of this name.
pub(crate) fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    let (one, other) = (file.metadata()?, std::fs::metadata(path)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Who may read and write what is made from this file: nobody that may not read or write it, but for the
/// owner. What is no regular file says nothing.
pub(crate) fn readers_of(found: &Metadata) -> Readers {
    match found.is_file() {
        true => Readers(0o600 | found.mode() & 0o066),
        false => Readers::OWNER,
    }
}

/// Who may read and write a file, as far as the process's umask lets them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readers(u32);

impl Readers {
    /// The owner alone.
    pub const OWNER: Readers = Readers(0o600);
    /// Everybody.
    pub const ANYBODY: Readers = Readers(0o666);
}

/// For a file that is made by these options.
pub(crate) fn set_readers(options: &mut OpenOptions, readers: Readers) -> &mut OpenOptions {
    options.mode(readers.0)
}

/// Locks a file against other processes that ask, until it is unlocked or closed.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

pub(crate) fn unlock(file: &File) -> io::Result<()> {
    file.unlock()
}

/// Makes names in a folder last as its files do.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Some file systems do not sync folders, and need not.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        done => done,
    }
}

/// Standard output without a buffer.
pub(crate) fn standard_output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_fd().try_clone_to_owned()?))
}

/// A limit of the size of files is an error of a write, and not the end of the process.
pub(crate) fn withstand_size_limit() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let ignored = Arc::new(AtomicBool::new(false));
        // Where this fails, the system's default stays.
        let _ = signal_hook::flag::register(SIZE_LIMIT_SIGNAL, ignored);
    });
}

/// SIGXFSZ, on Linux as on macOS.
const SIZE_LIMIT_SIGNAL: i32 = 25;

/// A name that leads to another file.
#[cfg(test)]
pub(crate) fn symlink(to: &str, name: impl AsRef<Path>) -> io::Result<()> {
    std::os::unix::fs::symlink(to, name)
}
