//! Files that are made of the results, and replaced at the end of each run: the failed rows in the form of
//! the error file of OpenAI's batches, and all results as a table.

use std::fs::{self, File};
use std::io::{self, BufRead, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::journal_file::unusable;
use super::places::{Places, StoreOptions, is_stream, real, spool, temporary};
use super::replace::replace;
use super::results::Format;
use super::rewrite::Members;
use crate::error::{Error, Extract};
use crate::output::{self, Outcome};
use crate::system::{Readers, are_same, readers_of};

/// The first line of a file.
fn head(extract: Extract) -> &'static [u8] {
    match extract {
        Extract::Errors => b"",
        Extract::Csv => output::TABLE_HEAD,
    }
}

/// Appends what a file has of one result; `None` if that is none of ours.
fn write_one(extract: Extract, result: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match (extract, output::outcome_of(result)) {
        (Extract::Errors, Outcome::Done) => Some(()),
        (Extract::Errors, Outcome::Failed) => output::write_batch_error(result, out),
        (Extract::Csv, _) => output::write_table_row(result, out),
    }
}

/// Checks the files before anything is sent: each must be a file, and none of the job's.
pub(crate) fn check(options: &StoreOptions) -> Result<(), Error> {
    if let (Some(errors), Some(csv)) = (&options.errors, &options.csv)
        && is_same_file(errors, csv)
    {
        let fault = "is also the file for failed rows";
        return Err(Error::ExtractFile { extract: Extract::Csv, path: csv.clone(), fault });
    }
    options.extracts().try_for_each(|(extract, path)| check_one(extract, path, options))
}

fn is_same_file(path: &Path, other: &Path) -> bool {
    are_same(path, other).unwrap_or_else(|_| absolute(path) == absolute(other))
}

fn check_one(extract: Extract, path: &Path, options: &StoreOptions) -> Result<(), Error> {
    let wrong = |fault| Err(Error::ExtractFile { extract, path: path.to_owned(), fault });
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
    let is = |other: &Path| is_same_file(path, other);
    if Places::arrivals(options).iter().chain(&options.results).any(|results| is(results)) {
        return wrong("is also the file for the results");
    }
    // While it is written, it has another name.
    let new = temporary(&whole);
    let own = Places::own(options);
    if own.iter().any(|other| is(other) || new == absolute(other)) {
        return wrong("is also a file of the journal, or one that the job needs for a moment");
    }
    // It is replaced at the end of the run, too late for an answer about its folder.
    let folder = whole.parent().unwrap_or(Path::new("."));
    let tried = spool(folder, Readers::OWNER).is_ok_and(|file| fs::remove_file(file).is_ok());
    match tried {
        true => Ok(()),
        false => wrong("is in a folder where no file can be created"),
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

/// Writes a file from the results.
pub(crate) fn write(extract: Extract, path: &Path, places: &Places) -> Result<(), Error> {
    let path = real(path);
    copy(extract, &path, places).map_err(|error| unusable(&path, error))
}

fn copy(extract: Extract, path: &Path, places: &Places) -> io::Result<()> {
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
    let mut reader = format.reader(from)?;
    let replaced = replace(path, readers_of(&found), |mut file| {
        let mut members = Members::new(Format::of(path), file);
        let (mut line, mut written) = (Vec::new(), head(extract).to_vec());
        loop {
            if !written.is_empty() {
                members.line(&written)?;
            }
            line.clear();
            written.clear();
            if reader.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            write_one(extract, line.trim_ascii_end(), &mut written)
                .ok_or(ErrorKind::InvalidData)?;
        }
        if members.finish()?.members.at == 0 {
            // No program decompresses a file without any member.
            file.write_all(&Format::of(path).encode(&[])?)?;
        }
        Ok(())
    });
    replaced.map(|_| ())
}
