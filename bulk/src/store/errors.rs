//! The failed rows in a file of their own, in the form of the error file of OpenAI's batches. Each run
//! replaces it at its end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::journal_file::{sync_folder, unusable};
use super::places::{Places, StoreOptions, is_stream, real, temporary};
use super::results::Format;
use super::rewrite::Members;
use crate::error::Error;
use crate::output::{self, Outcome};
use crate::system::{are_same, readers_of, set_readers};

/// Checks the file before anything is sent: it must be a file, and none of the job's.
pub(crate) fn check(options: &StoreOptions) -> Result<(), Error> {
    let Some(path) = &options.errors else { return Ok(()) };
    let wrong = |fault| Err(Error::ErrorsFile { path: path.clone(), fault });
    if path.is_dir() {
        return Err(unusable(path, ErrorKind::IsADirectory.into()));
    }
    if path.as_os_str() == "-" || is_stream(path) {
        return wrong("is not a regular file");
    }
    let whole = absolute(path);
    if whole.parent().is_some_and(|folder| !folder.is_dir()) {
        return Err(unusable(path, ErrorKind::NotFound.into()));
    }
    if Places::arrivals(options).is_none_or(|arrivals| is_stream(&arrivals)) {
        return wrong("needs results in a file, from which it is made");
    }
    let is = |other: &Path| are_same(path, other).unwrap_or_else(|_| whole == absolute(other));
    if Places::arrivals(options).iter().chain(&options.results).any(|results| is(results)) {
        return wrong("is also the file for the results");
    }
    // While it is written, it has another name.
    let new = temporary(&whole);
    let own = Places::own(options);
    match own.iter().any(|other| is(other) || new == absolute(other)) {
        true => wrong("is also a file of the journal, or one that the job needs for a moment"),
        false => Ok(()),
    }
}

/// The path without links and detours, whether the file exists or not.
fn absolute(path: &Path) -> PathBuf {
    let path = real(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Writes the failed rows of the results.
pub(crate) fn write(path: &Path, places: &Places) -> Result<(), Error> {
    let path = real(path);
    copy(&path, places).map_err(|error| unusable(&path, error))
}

fn copy(path: &Path, places: &Places) -> io::Result<()> {
    // Results that are to be put in order are plain until then.
    let (from, format) = match (&places.arrivals, &places.results) {
        (Some(arrivals), Some(results)) if arrivals != results && arrivals.exists() => {
            (arrivals, Format::Plain)
        }
        (_, Some(results)) => (results, Format::of(results)),
        (_, None) => return Ok(()),
    };
    let from = File::open(from)?;
    let found = from.metadata()?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let new = temporary(path);
    let mut file = set_readers(&mut options, readers_of(&found)).open(&new)?;
    let mut members = Members::new(Format::of(path), &file);
    let mut reader = format.reader(from)?;
    let (mut line, mut error) = (Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 {
        let result = line.trim_ascii_end();
        if output::outcome_of(result) == Outcome::Failed {
            error.clear();
            output::write_batch_error(result, &mut error).ok_or(ErrorKind::InvalidData)?;
            members.line(&error)?;
        }
        line.clear();
    }
    if members.finish()?.members.at == 0 {
        // No program decompresses a file without any member.
        file.write_all(&Format::of(path).encode(&[])?)?;
    }
    file.sync_all()?;
    fs::rename(&new, path)?;
    sync_folder(path)
}
