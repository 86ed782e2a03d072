//! Finds the answers that may be copied: in the results of other jobs, and in those of this one.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::look::written;
use super::places::{Places, StoreOptions, is_stream, spool};
use super::results::next_line;
use crate::answers::{Answers, SharedAnswers};
use crate::error::Error;
use crate::input::{Opened, Packing, Source};
use crate::output::{self, Outcome};
use crate::system::{Readers, are_same, is_device};

/// Checks that the results of this job are not to be copied into themselves.
pub fn check_reuse(reuse: &[PathBuf], options: &StoreOptions) -> Result<(), Error> {
    let reused = |written: &Path| {
        let is_same = |path: &&PathBuf| are_same(path, written).unwrap_or(*path == written);
        reuse.iter().find(is_same).cloned()
    };
    if let Some(path) = options.results.as_deref().and_then(reused) {
        return Err(Error::ReuseOfResults(path));
    }
    for (extract, path) in options.extracts() {
        if let Some(path) = reused(path) {
            return Err(Error::ExtractFile { extract, path, fault: "has the answers to reuse" });
        }
    }
    Ok(())
}

/// The answers in the results of other jobs and, if equal rows are to be sent once, in those that earlier runs
/// of this job left; `None` if nothing is to be copied.
pub fn answers(
    reuse: &[PathBuf],
    once: bool,
    options: &StoreOptions,
) -> Result<Option<SharedAnswers>, Error> {
    if reuse.is_empty() && !once {
        return Ok(None);
    }
    let arrivals = Places::arrivals(options).filter(|path| !is_stream(path));
    let folder = match arrivals.as_deref().and_then(Path::parent) {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => &options.temp_folder,
    };
    let mut answers = Answers::new(once);
    for path in reuse {
        let found = add(&mut answers, path, folder)?;
        if found.results == 0 {
            return Err(Error::NothingToReuse(path.clone()));
        }
        found.notice(path).into_iter().for_each(|notice| answers.add_notice(notice));
    }
    answers.others_end();
    if once {
        if let Some(path) = written(options) {
            add(&mut answers, &path, folder)?;
        }
        answers.set_spool(temporary(folder));
    }
    Ok(Some(Arc::new(Mutex::new(answers))))
}

/// Adds the answers of a file. They stay there, if it is a regular file of lines.
fn add(answers: &mut Answers, path: &Path, folder: &Path) -> Result<Found, Error> {
    let unreadable = |error: io::Error| Error::Unreadable(path.to_owned(), error);
    if is_device(path) {
        // It may have no end.
        return Err(Error::NothingToReuse(path.to_owned()));
    }
    let source = Source::Path(path.to_owned());
    let Opened { bytes, packing } = source.open(&Arc::default()).map_err(|error| match error {
        Error::Input { error, .. } => unreadable(error),
        other => other,
    })?;
    let is_plain = packing == Packing::Plain;
    let is_there = is_plain && source.can_be_read_again();
    let (name, file) = match is_there {
        true => (path.to_owned(), File::open(path).map_err(unreadable)?),
        false => temporary(folder)?,
    };
    let number = answers.add_file(name, file);
    let mut reader = BufReader::new(bytes);
    let (mut found, mut line) = (Found::default(), Vec::new());
    loop {
        let bytes = match next_line(&mut reader, &mut line) {
            Ok(0) => return Ok(found),
            Ok(bytes) => bytes,
            Err(error) if is_plain => return Err(unreadable(error)),
            Err(error) => {
                found.broken = Some(error.to_string());
                return Ok(found);
            }
        };
        let text = line.strip_suffix(b"\n").unwrap_or_default().trim_ascii_end();
        let read = output::read_line(text).map(|(_, outcome)| (outcome, output::hash_in(text)));
        // An answer without the hash of its body is that of no row.
        let is_result = !matches!(read, None | Some((Outcome::Done, None)));
        found.results += u64::from(is_result);
        found.others += u64::from(!is_result);
        let hash = read.filter(|(outcome, _)| *outcome == Outcome::Done).and_then(|(_, hash)| hash);
        answers.put(number, (&line, bytes), hash, is_there)?;
    }
}

/// A file without a name, for this process alone.
fn temporary(folder: &Path) -> Result<(PathBuf, File), Error> {
    let path = spool(folder, Readers::OWNER)?;
    let file = OpenOptions::new().read(true).write(true).open(&path);
    let file = file.and_then(|file| std::fs::remove_file(&path).map(|()| file));
    match file {
        Ok(file) => Ok((path, file)),
        Err(error) => Err(Error::Unusable(path, error)),
    }
}

/// What a file has.
#[derive(Debug, Default)]
struct Found {
    /// Results.
    results: u64,
    /// Lines that are not results.
    others: u64,
    /// Why it could not be decompressed to its end.
    broken: Option<String>,
}

impl Found {
    fn notice(&self, path: &Path) -> Option<String> {
        let (path, results, others) = (path.display(), self.results, self.others);
        match &self.broken {
            Some(why) => Some(format!(
                "{path} cannot be decompressed to its end ({why}); the {results} results before that are reused"
            )),
            None if others > 0 => Some(format!(
                "{path}: not reused, because they are not whole results: {others} of its lines"
            )),
            None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn what_is_not_reused_is_said() {
        let notice = |others, broken: Option<&str>| {
            let broken = broken.map(str::to_owned);
            Found { results: 3, others, broken }.notice(Path::new("old.jsonl"))
        };
        assert_eq!(notice(0, None), None);
        assert!(notice(1, None).unwrap().ends_with("not whole results: 1 of its lines"));
        assert!(notice(0, Some("cut")).unwrap().contains("(cut); the 3 results before that"));
    }
}
