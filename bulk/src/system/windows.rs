//! Windows.

use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::windows::fs::FileExt;
use std::os::windows::io::{AsHandle, AsRawHandle};
use std::path::Path;

use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
use windows_sys::Win32::Storage::FileSystem::{
    LOCK_FILE_FLAGS, LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFile,
};
use windows_sys::Win32::System::IO::OVERLAPPED;

pub(crate) fn read_exact_at(file: &File, mut bytes: &mut [u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_read(bytes, place) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = bytes.get_mut(read..).unwrap_or_default();
                place += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub(crate) fn write_all_at(file: &File, mut bytes: &[u8], mut place: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match file.seek_write(bytes, place) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = bytes.get(written..).unwrap_or_default();
                place += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Whether two paths name the same file.
pub(crate) fn are_same(one: &Path, other: &Path) -> io::Result<bool> {
    same_file::is_same_file(one, other)
}

/// Whether this path names the open file.
pub(crate) fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    let own = same_file::Handle::from_file(file.try_clone()?)?;
    Ok(own == same_file::Handle::from_path(path)?)
}

/// Devices are no files here.
pub(crate) fn is_device(_path: &Path) -> bool {
    false
}

/// The byte that is locked: far beyond the end of any file, because on Windows locked bytes cannot be read
/// or written, while here locks are advisory.
const LOCKED_HIGH: u32 = 1 << 30;

/// Takes an advisory lock against other processes, until it is released or the file is closed.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    lock_with(file, LOCKFILE_EXCLUSIVE_LOCK)
}

/// Takes the lock together with others who take it so.
pub(crate) fn try_lock_shared(file: &File) -> Result<(), TryLockError> {
    lock_with(file, 0)
}

fn lock_with(file: &File, how: LOCK_FILE_FLAGS) -> Result<(), TryLockError> {
    // SAFETY: plain data, for which zero is a value.
    let mut place: OVERLAPPED = unsafe { std::mem::zeroed() };
    place.Anonymous.Anonymous.OffsetHigh = LOCKED_HIGH;
    let how = how | LOCKFILE_FAIL_IMMEDIATELY;
    // SAFETY: the handle is open, and `place` outlives the call.
    if unsafe { LockFileEx(file.as_raw_handle(), how, 0, 1, 0, &raw mut place) } != 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error().map(i32::cast_unsigned) {
        Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Err(TryLockError::WouldBlock),
        _ => Err(TryLockError::Error(error)),
    }
}

pub(crate) fn unlock(file: &File) -> io::Result<()> {
    // SAFETY: the handle is open.
    match unsafe { UnlockFile(file.as_raw_handle(), 0, LOCKED_HIGH, 1, 0) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// On Windows, the folder decides who may write a file.
pub(crate) fn may_write_for(_: &Metadata, _: &Metadata) -> bool {
    true
}

/// Who may read a file: on Windows, its folder decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readers;

impl Readers {
    /// The owner alone.
    pub const OWNER: Readers = Readers;
    /// Everybody.
    pub const ANYBODY: Readers = Readers;

    /// Those who are in both.
    pub(crate) fn and(self, _: Readers) -> Readers {
        Readers
    }
}

pub(crate) fn readers_of(_: &Metadata) -> Readers {
    Readers
}

pub(crate) fn set_readers(options: &mut OpenOptions, _: Readers) -> &mut OpenOptions {
    options
}

/// Nothing to do: NTFS journals names, and folders cannot be synced.
#[expect(clippy::unnecessary_wraps, reason = "fails on other systems")]
pub(crate) fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Standard output without a buffer.
pub(crate) fn standard_output() -> io::Result<File> {
    Ok(File::from(io::stdout().as_handle().try_clone_to_owned()?))
}

/// Windows has no such limit.
pub(crate) fn withstand_size_limit() {}

/// Creates a symbolic link.
#[cfg(test)]
pub(crate) fn symlink(to: &str, name: impl AsRef<Path>) -> io::Result<()> {
    std::os::windows::fs::symlink_file(to, name)
}
