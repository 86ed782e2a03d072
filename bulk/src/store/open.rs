//! Opens a job's files: reads what an earlier run left, and repairs what a crash left.

use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::journal::{Header, Record};
use super::journal_file::{JournalFile, lock, sync_folder, unusable};
use super::places::{Places, StoreOptions, is_stream, repairing, unknown_beside};
use super::replay::{self, Replayed};
use super::results::{Format, Frozen, Results, ResultsFile, ResultsStream};
use super::rewrite;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::system::{readers_of, set_readers, standard_output};

/// The state left by earlier runs.
#[derive(Clone, Debug, Default)]
pub struct Resumed {
    /// The number of earlier runs.
    pub runs: u64,
    /// Rows that were sent and whose outcome is unknown.
    pub unknown: Vec<String>,
    /// Rows that an earlier run sent again while their outcome was unknown.
    pub sent_again: Vec<String>,
    /// The file that names both, one per line, if there are any.
    pub unknown_file: Option<PathBuf>,
    /// The repairs made, one line each.
    pub notes: Vec<String>,
}

/// The files of a job, and their state.
pub(crate) struct Opened {
    pub(crate) results: Results,
    /// The name for messages.
    pub(crate) results_path: PathBuf,
    pub(crate) journal: Option<JournalFile>,
    pub(crate) resumed: Resumed,
    pub(crate) places: Places,
    /// A row has a result beside an earlier one, of another content.
    pub(crate) has_replaced: bool,
}

/// The journal of a job that starts over, held before anything is deleted, so that its input is read first.
pub struct HeldJournal {
    journal: Option<(JournalFile, bool)>,
}

impl HeldJournal {
    /// Holds the journal, if the job has one.
    pub fn of(options: &StoreOptions) -> Result<HeldJournal, Error> {
        let path = Places::journal(options);
        Ok(HeldJournal {
            journal: path.map(|path| JournalFile::hold(&path, options.readers)).transpose()?,
        })
    }
}

pub(crate) fn open(
    options: &StoreOptions,
    held: Option<HeldJournal>,
    ledger: &mut Ledger,
) -> Result<Opened, Error> {
    let places = Places::of(options)?;
    let mut resumed = Resumed::default();
    let (mut journal, mut replayed) = (None, Replayed::default());
    if let Some(path) = &places.journal {
        let held = held.and_then(|held| held.journal);
        let (held, read) = open_journal(path, &places, options, held, ledger, &mut resumed.notes)?;
        (journal, replayed) = (Some(held), read);
    }
    resumed.runs = replayed.runs;
    let results_path = places.arrivals.clone().unwrap_or_else(|| PathBuf::from("standard output"));
    let out = standard_output().map_err(Error::StandardOutput)?;
    let results = Results::Stream(ResultsStream::new(out));
    let has_replaced = false;
    let mut opened = Opened { results, results_path, journal, resumed, places, has_replaced };
    match opened.places.arrivals.clone() {
        Some(path) if is_stream(&path) => {
            let file = OpenOptions::new().write(true).open(&path);
            let file = file.map_err(|error| unusable(&path, error))?;
            opened.results = Results::Stream(ResultsStream::new(file));
        }
        Some(path) => opened.open_file(&path, options, &mut replayed, ledger)?,
        None => {}
    }
    if options.retries_failed && matches!(opened.results, Results::Stream(_)) {
        // Results that were written to a stream cannot be removed.
        ledger.forget_failed();
    }
    opened.has_replaced = replayed.has_replaced;
    opened.begin(&replayed)?;
    Ok(opened)
}

/// Opens or takes over the journal, holds it, and replays its records.
fn open_journal(
    path: &Path,
    places: &Places,
    options: &StoreOptions,
    held: Option<(JournalFile, bool)>,
    ledger: &mut Ledger,
    notes: &mut Vec<String>,
) -> Result<(JournalFile, Replayed), Error> {
    let results = places.results.as_deref().filter(|path| !is_stream(path));
    let is_there = |path: &Path| fs::metadata(path).is_ok_and(|found| found.len() > 0);
    let without_journal = |results: &Path| {
        let (results, journal) = (results.to_owned(), path.to_owned());
        Error::JournalMissing { results, journal }
    };
    if let Some(results) = results.filter(|path| is_there(path) && !options.is_overwriting)
        && !path.exists()
    {
        return Err(without_journal(results));
    }
    let name = path.display();
    let (mut journal, is_locked) = match held {
        Some(held) => held,
        None => JournalFile::hold(path, options.readers)?,
    };
    if !is_locked {
        notes.push(format!(
            "{name} cannot be locked on this file system: make sure that no other run writes to it"
        ));
    }
    let mut replayed = Replayed::default();
    if options.is_overwriting {
        throw_away(&mut journal, places)?;
    } else {
        replayed = replay::journal(&journal.file, path, ledger)?;
    }
    if replayed.header.is_none()
        && let Some(results) = results.filter(|path| is_there(path))
    {
        return Err(without_journal(results));
    }
    if replayed.torn > 0 && replayed.header.is_some() {
        let torn = replayed.torn;
        notes.push(format!(
            "{name}: its last record was incomplete, and its {torn} bytes were removed"
        ));
    }
    journal.continue_at(replayed.whole, replayed.seal);
    let header = header(places, options);
    match &replayed.header {
        Some(found) => is_same(path, found, &header)?,
        None => journal.push_record(&Record::Header(header)),
    }
    Ok((journal, replayed))
}

/// The header of a new journal.
pub(crate) fn header(places: &Places, options: &StoreOptions) -> Header {
    // The name of the link's target: one file, whichever link names it.
    let results = places.results.as_deref().filter(|path| !is_stream(path));
    let results = results.or(options.results.as_deref()).and_then(Path::file_name);
    let results = results.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut settings = options.settings.clone();
    if options.is_ordered {
        settings.push(("--ordered".to_owned(), IS_SET.to_owned()));
    }
    Header { results, settings }
}

/// Empties the journal, if the file is one, and removes the results.
fn throw_away(journal: &mut JournalFile, places: &Places) -> Result<(), Error> {
    let path = journal.path.clone();
    let unusable = |error| unusable(&path, error);
    if !replay::may_be_journal(&journal.file).map_err(unusable)? {
        return Err(Error::JournalForeign(path));
    }
    // Empty the journal first: without it, old results are never mistaken for those of the new job.
    journal.file.set_len(0).and_then(|()| journal.file.sync_all()).map_err(unusable)?;
    rewrite::remove(&unknown_beside(&path))?;
    let results = places.results.iter().chain(&places.arrivals);
    results.filter(|old| !is_stream(old)).try_for_each(|old| rewrite::remove(old))
}

/// The recorded value of an option that takes none.
const IS_SET: &str = "yes";

/// Checks that the settings did not change between runs.
pub(crate) fn is_same(path: &Path, found: &Header, wanted: &Header) -> Result<(), Error> {
    let journal = path.to_owned();
    if found.results != wanted.results {
        let (before, now) = (found.results.clone(), wanted.results.clone());
        return Err(Error::ResultsDiffer { journal, before, now });
    }
    let of = |header: &Header, option: &str| {
        let found = header.settings.iter().find(|(name, _)| name == option);
        found.map(|(_, value)| value.clone()).filter(|value| !value.is_empty())
    };
    let options = found.settings.iter().chain(&wanted.settings);
    for (option, _) in options {
        let (before, now) = (of(found, option), of(wanted, option));
        if before != now {
            let said = |value: Option<String>| match value {
                None => format!("no {option}"),
                Some(value) if value == IS_SET => option.clone(),
                Some(value) if option.ends_with('=') => format!("{option}{value}"),
                Some(value) => format!("{option} {value}"),
            };
            let (before, now) = (said(before), said(now));
            return Err(Error::SettingDiffers { journal, before, now });
        }
    }
    Ok(())
}

impl Opened {
    fn open_file(
        &mut self,
        path: &Path,
        options: &StoreOptions,
        replayed: &mut Replayed,
        ledger: &mut Ledger,
    ) -> Result<(), Error> {
        let format = if options.is_ordered { Format::Plain } else { Format::of(path) };
        rewrite::redo(path, replayed.rewritten)?;
        if let (true, Some(whole)) = (options.is_ordered, &self.places.results)
            && let Some(expected) = replayed.ordered(path)
        {
            let frozen = Frozen::new(whole, path, expected, replayed.known)?;
            rewrite::remove(path)?;
            self.results = Results::Frozen(frozen);
            if !(options.retries_failed && replayed.failed > 0) {
                return Ok(());
            }
            self.results.thaw().map_err(|error| unusable(path, error))?;
        }
        let name = path.display();
        let is_missing = !path.exists();
        let mut file = OpenOptions::new();
        file.read(true).write(true).create(replayed.known == 0);
        let file =
            set_readers(&mut file, options.readers).open(path).map_err(|error| {
                match error.kind() {
                    ErrorKind::NotFound if replayed.known > 0 => {
                        Error::ResultsGone(path.to_owned())
                    }
                    _ => unusable(path, error),
                }
            })?;
        // Another run may use the same file under another name, or with another journal.
        if !lock(&file) {
            return Err(Error::ResultsHeld(path.to_owned()));
        }
        let is_new = is_missing && file.metadata().is_ok_and(|found| found.len() == 0);
        let mut results = ResultsFile { file, format, end: 0 };
        let Some(journal) = &mut self.journal else {
            self.results = Results::File(results);
            return Ok(());
        };
        if is_new {
            journal.made(path);
        }
        let tail = replay::results(&results.file, path, format, &journal.file, replayed)?;
        for found in &tail.ended {
            if replayed.found(found, path, ledger)? || found.2.at > replayed.known {
                let (key, outcome, end) = (found.0.text().into(), found.1, Some(found.2));
                let check = found.0.check();
                journal.push_record(&Record::Ended { key, outcome, check, end });
            }
        }
        if tail.torn > 0 {
            let torn = tail.torn;
            self.resumed.notes.push(format!(
                "{name}: its last line was incomplete, and its {torn} bytes were removed"
            ));
        }
        results.end = tail.whole;
        let put_right = results.file.set_len(tail.whole).and_then(|()| results.file.sync_all());
        put_right.map_err(|error| unusable(path, error))?;
        if options.retries_failed && replayed.failed > 0 {
            rewrite::without_failed(&mut results, path, journal)?;
            ledger.forget_failed();
        }
        self.results = Results::File(results);
        Ok(())
    }

    /// Starts this run, with everything so far synced to disk.
    fn begin(&mut self, replayed: &Replayed) -> Result<(), Error> {
        self.resumed.unknown = replayed.unknown();
        self.resumed.sent_again = replayed.sent_again();
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let began = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        journal.push_record(&Record::Run { pid: u64::from(std::process::id()), began });
        let path = journal.path.clone();
        // A repair that was killed left them; one that runs holds the journal.
        let files = [Some(&path), self.places.arrivals.as_ref()];
        files.into_iter().flatten().try_for_each(|path| rewrite::remove(&repairing(path)))?;
        let written = journal.sync().and_then(|()| sync_folder(&path));
        let written = written.and_then(|()| match &self.places.arrivals {
            Some(path) if !is_stream(path) => sync_folder(path),
            Some(_) | None => Ok(()),
        });
        written.map_err(|error| unusable(&path, error))?;
        let rows = self.resumed.unknown.iter().chain(&self.resumed.sent_again);
        self.resumed.unknown_file = name_unknown(&path, rows)?;
        Ok(())
    }
}

/// Writes a file that names rows, if there are any: those of unknown outcome, and those that may be billed
/// twice.
pub(crate) fn name_unknown<'a>(
    journal: &Path,
    rows: impl Iterator<Item = &'a String>,
) -> Result<Option<PathBuf>, Error> {
    let path = unknown_beside(journal);
    let mut named = HashSet::new();
    let mut names = String::new();
    for name in rows {
        if !named.insert(name) {
            continue;
        }
        match name.chars().any(char::is_control) {
            true => names.push_str(&serde_json::Value::from(name.as_str()).to_string()),
            false => names.push_str(name),
        }
        names.push('\n');
    }
    if names.is_empty() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let written = fs::metadata(journal)
        .and_then(|found| set_readers(&mut options, readers_of(&found)).open(&path))
        .and_then(|mut file| file.write_all(names.as_bytes()));
    written.map_err(|error| unusable(&path, error))?;
    Ok(Some(path))
}
