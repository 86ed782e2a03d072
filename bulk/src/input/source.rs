//! A file or standard input, decompressed if needed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use zstd::stream::read::Decoder;

use crate::error::Error;
use crate::system::{self, Readers, readers_of};

/// A source of rows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// Standard input.
    Stdin,
    /// A file, or something that behaves like one.
    Path(PathBuf),
}

/// A reader of decompressed bytes, and the compression, for messages.
pub(crate) struct Opened {
    pub(crate) bytes: Box<dyn Read + Send>,
    pub(crate) packing: Packing,
}

/// Adds the bytes that are read from a file to a count.
struct Counted {
    file: Box<dyn Read + Send>,
    bytes_read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(bytes)?;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// A compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    fn name(self) -> &'static str {
        match self {
            Packing::Plain => "plain",
            Packing::Gzip => "gzip",
            Packing::Zstd => "zstd",
        }
    }

    /// By the first four bytes: neither mark begins a line of JSON.
    fn of_bytes(head: &[u8]) -> Packing {
        match head {
            [0x1F, 0x8B, ..] => Packing::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD] => Packing::Zstd,
            // A skippable frame: parallel compressors begin with one.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18] => Packing::Zstd,
            _ => Packing::Plain,
        }
    }
}

/// The format of a columnar file, by its first four bytes.
fn columns(head: &[u8]) -> Option<&'static str> {
    match head {
        b"PAR1" => Some("Parquet"),
        b"ARRO" => Some("Arrow"),
        _ => None,
    }
}

/// A packed format that is not read, by its first four bytes.
fn foreign(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xFD, b'7', b'z', b'X'] => Some("xz"),
        [b'B', b'Z', b'h', b'1'..=b'9'] => Some("bzip2"),
        b"PK\x03\x04" => Some("zip"),
        _ => None,
    }
}

impl Source {
    /// The source that an argument names; `-` is standard input.
    pub(crate) fn of(argument: impl AsRef<OsStr>) -> Source {
        let argument = argument.as_ref();
        if argument == "-" { Source::Stdin } else { Source::Path(argument.into()) }
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::Stdin => "standard input".to_owned(),
            Source::Path(path) => path.display().to_string(),
        }
    }

    /// Whether it can be read more than once: a regular file can, a pipe cannot.
    pub(crate) fn can_be_read_again(&self) -> bool {
        match self {
            Source::Stdin => false,
            Source::Path(path) => fs::metadata(path).is_ok_and(|about| about.is_file()),
        }
    }

    /// Checks that it exists and can be read, before anything is created for it. Only a regular file is
    /// opened for this: a pipe can be opened only once.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self {
            Source::Path(path) if self.can_be_read_again() => File::open(path).map(drop),
            Source::Path(path) => fs::metadata(path).and_then(|about| match about.is_dir() {
                true => Err(io::ErrorKind::IsADirectory.into()),
                false => Ok(()),
            }),
            Source::Stdin => Ok(()),
        }
        .map_err(|cause| self.cannot(cause))
    }

    /// Checks that a file may be written: if it were the input, the input would be lost.
    pub(crate) fn check_output(&self, path: &Path) -> Result<(), Error> {
        let Source::Path(input) = self else { return Ok(()) };
        let is_device = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
        let is_same = system::are_same(input, path).unwrap_or(input == path);
        match is_same && !is_device(input) {
            true => Err(Error::SameFile(path.to_owned())),
            false => Ok(()),
        }
    }

    /// The bytes of the file, compressed or not; 0 if they are not known.
    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Source::Stdin => 0,
            Source::Path(path) => fs::metadata(path).map_or(0, |found| found.len()),
        }
    }

    /// The path without links and detours, if it has one.
    pub(crate) fn identity(&self) -> Source {
        match self {
            Source::Stdin => Source::Stdin,
            Source::Path(path) => Source::Path(fs::canonicalize(path).unwrap_or(path.clone())),
        }
    }

    /// The permissions of results and journal: those who may read the input, and nobody else.
    pub(crate) fn readers(&self) -> Readers {
        match self {
            Source::Stdin => Readers::OWNER,
            Source::Path(path) => {
                fs::metadata(path).map_or(Readers::OWNER, |found| readers_of(&found))
            }
        }
    }

    /// What separates the fields of a table, by its name.
    pub(crate) fn separator(&self) -> Option<u8> {
        let Source::Path(path) = self else { return None };
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        match name.rsplit_once('.')?.1 {
            "csv" => Some(b','),
            "tsv" => Some(b'\t'),
            _ => None,
        }
    }

    pub(crate) fn cannot(&self, cause: io::Error) -> Error {
        Error::Input { name: self.name(), error: cause }
    }

    /// Opens it, and detects its compression. Adds the bytes that are read, before decompression.
    pub(crate) fn open(&self, bytes_read: &Arc<AtomicU64>) -> Result<Opened, Error> {
        let cannot = |cause: io::Error| self.cannot(cause);
        let file: Box<dyn Read + Send> = match self {
            Source::Stdin => Box::new(io::stdin()),
            Source::Path(path) => Box::new(File::open(path).map_err(cannot)?),
        };
        let mut file = Counted { file, bytes_read: bytes_read.clone() };
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head).map_err(cannot)?;
        if let Some(format) = columns(&head) {
            return Err(self.has_columns(format));
        }
        if let Some(format) = foreign(&head) {
            return Err(Error::InputForeign { name: self.name(), format });
        }
        let packing = Packing::of_bytes(&head);
        let promised = self.promised();
        if promised != Packing::Plain && promised != packing {
            return Err(Error::InputPacking { name: self.name(), promised: promised.name() });
        }
        let file = Cursor::new(head).chain(file);
        let bytes: Box<dyn Read + Send> = match packing {
            Packing::Plain => Box::new(file),
            Packing::Gzip => Box::new(MultiGzDecoder::new(file)),
            Packing::Zstd => Box::new(Decoder::new(file).map_err(cannot)?),
        };
        Ok(Opened { bytes, packing })
    }

    /// A columnar file has no lines: the Python package reads it.
    fn has_columns(&self, format: &'static str) -> Error {
        let path = match self {
            Source::Path(path) => Some(path.clone()),
            Source::Stdin => None,
        };
        Error::InputColumns { path, format }
    }

    /// The compression that its name implies.
    fn promised(&self) -> Packing {
        let extension = match self {
            Source::Stdin => None,
            Source::Path(path) => path.extension().and_then(OsStr::to_str),
        };
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("gz") => Packing::Gzip,
            Some("zst") => Packing::Zstd,
            _ => Packing::Plain,
        }
    }

    /// Why reading failed after this many whole lines.
    pub(crate) fn broke_off(&self, packing: Packing, lines: u64, error: io::Error) -> Error {
        let packing = (packing != Packing::Plain).then(|| packing.name());
        Error::InputBroken { name: self.name(), packing, lines, error }
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
