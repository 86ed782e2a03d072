//! Saves results that could not be written to their destination.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::results::{Format, ResultsFile};
use crate::system::{Readers, set_readers};

/// Maximum file names to try.
const NAMES_MAX: u32 = 1_000;

/// Where the results were saved.
#[derive(Debug)]
pub(crate) enum Rescued {
    File(PathBuf),
    StandardError,
}

/// Writes lines to a new file in this folder, or else to standard error; after those of a file that has no
/// name any more.
pub(crate) fn rescue(
    nameless: Option<&ResultsFile>,
    lines: &[u8],
    format: Format,
    folder: &Path,
) -> Rescued {
    match write(nameless, lines, format, folder) {
        Ok(path) => Rescued::File(path),
        Err(_) => {
            let mut out = io::stderr();
            let earlier = nameless.map(|file| io::copy(&mut file.lines()?, &mut out));
            let _ = earlier.transpose();
            let _ = out.write_all(lines);
            Rescued::StandardError
        }
    }
}

fn write(
    nameless: Option<&ResultsFile>,
    lines: &[u8],
    format: Format,
    folder: &Path,
) -> io::Result<PathBuf> {
    let pid = std::process::id();
    let ending = match format {
        Format::Plain => "",
        Format::Gzip => ".gz",
        Format::Zstd => ".zst",
    };
    for number in 0..NAMES_MAX {
        let path = folder.join(format!("modelwire-rescue-{pid}-{number}.jsonl{ending}"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = match set_readers(&mut options, Readers::OWNER).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            opened => opened?,
        };
        let earlier = nameless.map_or(Ok(0), |from| io::copy(&mut from.bytes()?, &mut file));
        let written = earlier
            .and_then(|_| format.encode(lines))
            .and_then(|bytes| file.write_all(&bytes))
            .and_then(|()| file.sync_all());
        if let Err(error) = written {
            let _ = std::fs::remove_file(&path);
            return Err(error);
        }
        return Ok(path);
    }
    Err(ErrorKind::AlreadyExists.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::super::places::spool;
    use super::super::tests::Folder;
    use super::*;

    #[test]
    fn the_next_free_name_is_taken() {
        let folder = Folder::in_memory();
        let of = |path: &Path| path.parent().unwrap().to_owned();
        let parent = of(&folder.path("x"));
        for number in 0..2 {
            let rescued = write(None, b"{}\n", Format::Plain, &parent).unwrap();
            let name = format!("modelwire-rescue-{}-{number}.jsonl", std::process::id());
            assert_eq!(rescued, parent.join(name));
            assert_eq!(std::fs::read(&rescued).unwrap(), b"{}\n");
            let spooled = spool(&parent, Readers::OWNER).unwrap();
            let name = format!("modelwire-{}-{number}.part", std::process::id());
            assert_eq!(spooled, parent.join(name));
        }
        let missing = folder.path("missing");
        assert!(write(None, b"{}\n", Format::Plain, &missing).is_err());
        assert!(spool(&missing, Readers::OWNER).is_err());
    }
}
