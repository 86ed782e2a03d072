//! Where the files of a job are, by the name that the user gave one of them.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::journal_file::unusable;
use crate::error::Error;
use crate::system::{Readers, set_readers};

/// A full disk is waited for so long.
pub const ROOM_WAIT: Duration = Duration::from_secs(60);

/// Where a job's results and journal are, and how they are treated.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    /// The file of results; `None` is standard output.
    pub results: Option<PathBuf>,
    /// The journal; where it is `None`, it stands beside the results, and there is none for standard output.
    pub journal: Option<PathBuf>,
    /// The results come in the order of the input, at the end.
    pub is_ordered: bool,
    /// What an earlier job left is thrown away.
    pub is_overwriting: bool,
    /// Rows that failed are as if never sent.
    pub retries_failed: bool,
    /// What must not change between runs, by the name of its option.
    pub settings: Vec<(String, String)>,
    /// So long a full disk is waited for.
    pub room_wait: Duration,
    /// For what cannot be written anywhere else.
    pub temp_folder: PathBuf,
    /// Who may read the files that are made.
    pub readers: Readers,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            results: None,
            journal: None,
            is_ordered: false,
            is_overwriting: false,
            retries_failed: false,
            settings: Vec::new(),
            room_wait: ROOM_WAIT,
            temp_folder: std::env::temp_dir(),
            readers: Readers::ANYBODY,
        }
    }
}

/// Where everything is.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// What the user named; `None` is standard output.
    pub(crate) results: Option<PathBuf>,
    /// Where results go as they come: the same, or a file beside it until all are put in order.
    pub(crate) arrivals: Option<PathBuf>,
    pub(crate) journal: Option<PathBuf>,
}

impl Places {
    /// Where the journal is, if the job has one.
    pub(crate) fn journal(options: &StoreOptions) -> Option<PathBuf> {
        let results = results(options).filter(|path| !is_stream(path));
        options.journal.clone().or_else(|| results.map(|path| beside(&path, ".journal")))
    }

    /// Where results go as they come, if that is a file with a name that is known before.
    pub(crate) fn arrivals(options: &StoreOptions) -> Option<PathBuf> {
        let results = results(options)?;
        Some(if options.is_ordered { beside(&results, ".part") } else { results })
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

/// The file of results. A link stays one: what is renamed is what it leads to.
fn results(options: &StoreOptions) -> Option<PathBuf> {
    options.results.as_deref().map(real)
}

/// What a path leads to, also where that is still to be made: the journal stands beside it from the first
/// run on.
fn real(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        if let Ok(real) = fs::canonicalize(&path) {
            return real;
        }
        // A pipe behind /dev/stdout has no path, and is there.
        let Some(target) = fs::read_link(&path).ok().filter(|_| fs::metadata(&path).is_err())
        else {
            break;
        };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// Links that lead to links are followed so far, as systems do.
const LINKS_MAX: u32 = 40;

/// Something that is no file with an end: a pipe, a device.
pub(crate) fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The path with this behind its name.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A file of this process alone, for results that wait for their order.
fn spool(folder: &Path, readers: Readers) -> Result<PathBuf, Error> {
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

/// Where rows of unknown outcome are named: `OUT.jsonl.unknown` beside `OUT.jsonl.journal`.
pub(crate) fn unknown_beside(journal: &Path) -> PathBuf {
    match journal.extension() {
        Some(ending) if ending == "journal" => journal.with_extension("unknown"),
        Some(_) | None => beside(journal, ".unknown"),
    }
}

/// Where a file is written before it has its name.
pub(crate) fn temporary(path: &Path) -> PathBuf {
    beside(path, ".rewriting")
}
