//! The paths of a job's files, from the one that the user named.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::journal_file::unusable;
use crate::error::{Error, Extract};
use crate::system::{Readers, are_same, set_readers};

/// Default time to wait for space on a full disk.
pub const ROOM_WAIT: Duration = Duration::from_secs(60);

/// Where a job's results and journal are, and how to treat them.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The results file; `None` is standard output.
    pub results: Option<PathBuf>,
    /// The journal; by default, the results path plus `.journal`. Standard output has none by default.
    pub journal: Option<PathBuf>,
    /// A file for the failed rows, replaced at the end of each run.
    pub errors: Option<PathBuf>,
    /// A file for a table of the results, replaced at the end of each run.
    pub csv: Option<PathBuf>,
    /// Writes the results in input order, at the end.
    pub is_ordered: bool,
    /// Deletes what an earlier job left.
    pub is_overwriting: bool,
    /// Treats failed rows as never sent.
    pub retries_failed: bool,
    /// Removes, at the end, each result that a later one of the same key replaces.
    pub replaces_changed: bool,
    /// Settings that must not change between runs, by option name.
    pub settings: Vec<(String, String)>,
    /// How long to wait for space on a full disk.
    pub room_wait: Duration,
    /// The folder for results that cannot be written anywhere else.
    pub temp_folder: PathBuf,
    /// Who may read the created files.
    pub readers: Readers,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            results: None,
            journal: None,
            errors: None,
            csv: None,
            is_ordered: false,
            is_overwriting: false,
            retries_failed: false,
            replaces_changed: false,
            settings: Vec::new(),
            room_wait: ROOM_WAIT,
            temp_folder: std::env::temp_dir(),
            readers: Readers::ANYBODY,
        }
    }
}

impl StoreOptions {
    /// Whether a file is one that the job writes. False for one that is not there.
    pub fn writes(&self, path: &Path) -> bool {
        let extracts = self.extracts().flat_map(|(_, path)| [path.to_owned(), temporary(path)]);
        let mut own = Places::own(self).into_iter().chain(extracts);
        own.any(|own| are_same(path, &own).unwrap_or(false))
    }

    /// The files that are made of the results.
    pub fn extracts(&self) -> impl Iterator<Item = (Extract, &Path)> {
        let all = [(Extract::Errors, &self.errors), (Extract::Csv, &self.csv)];
        all.into_iter().filter_map(|(extract, path)| Some((extract, path.as_deref()?)))
    }
}

/// The paths of a job's files.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// The path that the user named; `None` is standard output.
    pub(crate) results: Option<PathBuf>,
    /// Where results go as they arrive: `results`, or a file next to it until all are put in order.
    pub(crate) arrivals: Option<PathBuf>,
    pub(crate) journal: Option<PathBuf>,
}

impl Places {
    /// The path of the journal, if the job has one.
    pub(crate) fn journal(options: &StoreOptions) -> Option<PathBuf> {
        let results = results(options).filter(|path| !is_stream(path));
        options.journal.clone().or_else(|| results.map(|path| beside(&path, ".journal")))
    }

    /// The path that results go to as they arrive, if it is known in advance.
    pub(crate) fn arrivals(options: &StoreOptions) -> Option<PathBuf> {
        let results = results(options)?;
        Some(if options.is_ordered { beside(&results, ".part") } else { results })
    }

    /// The paths of all files of the job, and of those that are there for a moment, but not of the one for
    /// failed rows.
    pub(crate) fn own(options: &StoreOptions) -> Vec<PathBuf> {
        let mut own: Vec<_> =
            results(options).into_iter().chain(Places::arrivals(options)).collect();
        if let Some(journal) = Places::journal(options) {
            own.push(unknown_beside(&journal));
            own.extend(CONTROL.map(|ending| beside(&journal, ending)));
            own.push(journal);
        }
        own.extend(own.clone().iter().map(|path| temporary(path)));
        own
    }

    pub(crate) fn of(options: &StoreOptions) -> Result<Places, Error> {
        let results = results(options);
        if let Some(path) = results.as_ref().filter(|path| path.is_dir()) {
            return Err(unusable(path, ErrorKind::IsADirectory.into()));
        }
        let is_stream = results.as_deref().is_none_or(is_stream);
        let journal = Places::journal(options);
        if options.is_ordered && is_stream && journal.is_some() {
            return Err(Error::OrderWithoutFile);
        }
        let arrivals = match (options.is_ordered, is_stream) {
            (false, _) | (true, false) => Places::arrivals(options),
            (true, true) => Some(spool(&options.temp_folder, options.readers)?),
        };
        Ok(Places { results, arrivals, journal })
    }
}

/// The results file, with links resolved, so that a rename replaces the target and not the link.
fn results(options: &StoreOptions) -> Option<PathBuf> {
    options.results.as_deref().map(real)
}

/// Resolves links even if the target does not exist yet: the journal is next to the target from the first
/// run on.
pub(crate) fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        if let Ok(real) = fs::canonicalize(&path) {
            return real;
        }
        // A pipe behind /dev/stdout exists, but has no path.
        let Some(target) = fs::read_link(&path).ok().filter(|_| fs::metadata(&path).is_err())
        else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Maximum links to follow, as operating systems have.
const LINKS_MAX: u32 = 40;

/// Whether the path is not a regular file or folder: a pipe, a device.
pub(crate) fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The path with a suffix appended to its name.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Creates a file for this process alone, for results that wait to be put in order or to be copied.
pub(crate) fn spool(folder: &Path, readers: Readers) -> Result<PathBuf, Error> {
    let pid = std::process::id();
    for number in 0..u32::MAX {
        let path = folder.join(format!("modelwire-{pid}-{number}.part"));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        match set_readers(&mut options, readers).open(&path) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unusable(&path, error)),
        }
    }
    Err(Error::NamesTaken(folder.to_owned()))
}

/// The file that names rows of unknown outcome: `OUT.jsonl.unknown` for `OUT.jsonl.journal`.
pub(crate) fn unknown_beside(journal: &Path) -> PathBuf {
    match journal.extension() {
        Some(ending) if ending == "journal" => journal.with_extension("unknown"),
        Some(_) | None => beside(journal, ".unknown"),
    }
}

/// The endings of the two files through which other processes watch and change a run, after the journal's name.
pub(crate) const CONTROL: [&str; 2] = [".status", ".set"];

/// The name of a file while a repair writes it.
pub(crate) fn repairing(path: &Path) -> PathBuf {
    beside(path, ".repairing")
}

/// The temporary name of a file while it is written.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    beside(path, ".rewriting")
}
