//! A file or standard input, decompressed if needed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use zstd::stream::read::Decoder;

use crate::error::Error;
use crate::system::{self, Readers, readers_of};

/// The source of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
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

impl Source {
    /// The source that an argument names; `-` is standard input.
    pub fn of(argument: impl AsRef<OsStr>) -> Source {
        let argument = argument.as_ref();
        if argument == "-" { Source::Stdin } else { Source::Path(argument.into()) }
    }

    /// Its name in messages.
    pub fn name(&self) -> String {
        match self {
            Source::Stdin => "standard input".to_owned(),
            Source::Path(path) => path.display().to_string(),
        }
    }

    /// Whether it can be read more than once: a regular file can, a pipe cannot.
    pub fn can_be_read_again(&self) -> bool {
        match self {
            Source::Stdin => false,
            Source::Path(path) => fs::metadata(path).is_ok_and(|about| about.is_file()),
        }
    }

    /// Checks that it exists and can be read, before anything is created for it. Only a regular file is
    /// opened for this: a pipe can be opened only once.
    pub fn check(&self) -> Result<(), Error> {
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

    /// Checks that the results may go to this file: if it were the input, the input would be lost.
    pub fn check_results(&self, results: &Path) -> Result<(), Error> {
        let Source::Path(input) = self else { return Ok(()) };
        let is_device = |path: &Path| fs::metadata(path).is_ok_and(|found| !found.is_file());
        let is_same = system::are_same(input, results).unwrap_or(input == results);
        match is_same && !is_device(input) {
            true => Err(Error::SameFile(results.to_owned())),
            false => Ok(()),
        }
    }

    /// The permissions of results and journal: those who may read the input, and nobody else.
    pub fn readers(&self) -> Readers {
        match self {
            Source::Stdin => Readers::OWNER,
            Source::Path(path) => {
                fs::metadata(path).map_or(Readers::OWNER, |found| readers_of(&found))
            }
        }
    }

    fn cannot(&self, cause: io::Error) -> Error {
        Error::Input { name: self.name(), error: cause }
    }

    /// Opens it, and detects its compression.
    pub(crate) fn open(&self) -> Result<Opened, Error> {
        let cannot = |cause: io::Error| self.cannot(cause);
        let mut file: Box<dyn Read + Send> = match self {
            Source::Stdin => Box::new(io::stdin()),
            Source::Path(path) => Box::new(File::open(path).map_err(cannot)?),
        };
        let mut head = Vec::new();
        file.by_ref().take(4).read_to_end(&mut head).map_err(cannot)?;
        if let Some(format) = columns(&head) {
            return Err(self.has_columns(format));
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
