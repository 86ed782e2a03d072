//! Unix.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub(crate) fn read_exact_at(file: &File, bytes: &mut [u8], place: u64) -> io::Result<()> {
    file.read_exact_at(bytes, place)
}

pub(crate) fn write_all_at(file: &File, bytes: &[u8], place: u64) -> io::Result<()> {
    file.write_all_at(bytes, place)
}

/// Whether two paths name the same file.
pub(crate) fn are_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (std::fs::metadata(one)?, std::fs::metadata(other)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Whether this path names the open file.
pub(crate) fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    let (one, other) = (file.metadata()?, std::fs::metadata(path)?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

/// Whether a path names a device, a terminal for instance, and no file or pipe.
pub(crate) fn is_device(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| {
        found.file_type().is_char_device() || found.file_type().is_block_device()
    })
}

/// The permissions for a file derived from this one: nobody except the owner gets more access. A file that
/// is not regular gives access to the owner only.
pub(crate) fn readers_of(found: &Metadata) -> Readers {
    match found.is_file() {
        true => Readers(0o600 | found.mode() & 0o066),
        false => Readers::OWNER,
    }
}

/// Whether a file was written by the owner of the other one, or by the administrator.
pub(crate) fn may_write_for(file: &Metadata, other: &Metadata) -> bool {
    [other.uid(), 0].contains(&file.uid())
}

/// Who may read and write a file, within the process's umask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readers(u32);

impl Readers {
    /// The owner alone.
    pub const OWNER: Readers = Readers(0o600);
    /// Everybody.
    pub const ANYBODY: Readers = Readers(0o666);

    /// Those who are in both.
    pub(crate) fn and(self, other: Readers) -> Readers {
        Readers(self.0 & other.0)
    }
}

/// Sets the permissions of a file to create.
pub(crate) fn set_readers(options: &mut OpenOptions, readers: Readers) -> &mut OpenOptions {
    options.mode(readers.0)
}

/// Takes an advisory lock against other processes, until it is released or the file is closed.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    file.try_lock()
}

/// Takes the lock together with others who take it so.
pub(crate) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    file.try_lock_shared()
}

pub(crate) fn unlock(file: &File) -> io::Result<()> {
    file.unlock()
}

/// Makes names in a folder durable.
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

/// Makes a write beyond the file size limit fail, instead of ending the process.
pub(crate) fn withstand_size_limit() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let ignored = Arc::new(AtomicBool::new(false));
        // If this fails, the system's default remains.
        let _ = signal_hook::flag::register(SIZE_LIMIT_SIGNAL, ignored);
    });
}

/// SIGXFSZ, the same on Linux and macOS.
const SIZE_LIMIT_SIGNAL: i32 = 25;

/// Creates a symbolic link.
#[cfg(test)]
pub(crate) fn symlink(to: &str, name: impl AsRef<Path>) -> io::Result<()> {
    std::os::unix::fs::symlink(to, name)
}
