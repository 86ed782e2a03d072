//! Answers that are copied to equal rows, which are then not sent: those of other jobs, and of rows of the
//! same job. Rows are equal if their operations and bodies are: if they have the same [`BodyHash`].
//!
//! # What is kept
//!
//! | of | kept | where |
//! |---|---|---|
//! | an answer that may be copied | half of its hash, and its place in a file | in memory, 17 bytes in a hash table that is half to fully used |
//! | the answer itself | its line in the results of another job, or in those that earlier runs of this job left; otherwise a copy in a temporary file | on disk |
//! | a failed row | its error, for at most [`FAILURES_MAX`] rows | in memory |
//! | a row that waits for the first one of its kind | its name and number | in memory |
//!
//! A temporary file is next to the results, and has no name: it is gone when the process is. It has the
//! answers of this run, and those of compressed files. If a survey read the rows before, it has only those
//! of rows that have equals.
//!
//! A copy is written like any result, and nothing is recorded before that: an interrupted job finds the
//! answers again in its results.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use modelwire::{Endpoint, Kind, Metered, Response, Value};

use crate::error::Error;
use crate::input::{Opened, Packing, Source};
use crate::output::{self, Outcome};
use crate::row::{BodyHash, Finished, Key, Row};
use crate::store::ordered::Window;
use crate::store::places::{Places, is_stream, spool};
use crate::store::{StoreOptions, written};
use crate::system::{Readers, are_same, write_all_at};

/// The maximum number of failed rows whose error equal rows get; those of further ones are sent.
pub const FAILURES_MAX: usize = 1_000;

/// Bytes of a file that are read at once for an answer.
const WINDOW_BYTES: usize = 16 * 1024;

/// In place of a place: a row of the survey, alone so far.
const SEEN: u64 = u64::MAX;
/// The same, with equals.
const AGAIN: u64 = u64::MAX - 1;

/// A place is the number of a file, and this many bits of an offset.
const OFFSET_BITS: u32 = 48;

/// The answers, for the engine and a survey.
pub type SharedAnswers = Arc<Mutex<Answers>>;

/// The answers that may be copied.
pub struct Answers {
    /// Whether equal rows of this job are sent once.
    once: bool,
    /// Those of other jobs first.
    files: Vec<AnswerFile>,
    /// How many are those of other jobs.
    others: usize,
    /// By half of the hash.
    places: HashMap<u64, u64>,
    is_surveyed: bool,
    /// The rows that wait for one that was passed to the engine.
    in_flight: HashMap<BodyHash, Vec<Waiting>>,
    failures: HashMap<BodyHash, Finished>,
    /// The number of the file with the answers of this run.
    spool: Option<usize>,
    /// The folder for temporary files.
    folder: PathBuf,
    notices: Vec<String>,
    /// A write failed.
    error: Option<Error>,
}

/// The name and the number of a row.
type Waiting = (Key, u64);

/// A file with answers.
struct AnswerFile {
    path: PathBuf,
    file: File,
    end: u64,
    window: Window,
}

/// What a survey finds about a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// It is to be sent.
    First,
    /// It gets a copy from this job.
    Equal,
    /// It gets a copy from another job.
    Reused,
}

/// What happens to a row that is to be sent.
#[derive(Debug)]
pub(crate) enum Taken {
    /// It is sent.
    Send,
    /// It waits for an equal row.
    Waits,
    /// Its outcome is a copy.
    Copies(Copies),
}

/// Rows with the same outcome.
#[derive(Debug)]
pub(crate) struct Copies {
    /// The outcome, without the body.
    first: Finished,
    rows: std::vec::IntoIter<Waiting>,
    /// Whether it is from another job.
    pub(crate) is_reused: bool,
}

impl Copies {
    fn new(first: &Finished, rows: Vec<Waiting>, is_reused: bool) -> Copies {
        let outcome = first.outcome.clone();
        let outcome = outcome.map_err(|error| error.with_metered(Metered::NotSent));
        let row = Row { body: Arc::from(""), ..first.row.clone() };
        let first =
            Finished { row, outcome, attempts: 0, elapsed: Duration::ZERO, ..first.clone() };
        Copies { first, rows: rows.into_iter(), is_reused }
    }
}

impl Iterator for Copies {
    type Item = Finished;

    fn next(&mut self) -> Option<Finished> {
        let (key, number) = self.rows.next()?;
        let first = self.first.clone();
        Some(Finished { row: Row { key, number, ..first.row }, ..first })
    }
}

/// Checks that the results of this job are not to be copied into themselves.
pub fn check_reuse(reuse: &[PathBuf], results: &Path) -> Result<(), Error> {
    let is_same = |path: &PathBuf| are_same(path, results).unwrap_or(path == results);
    match reuse.iter().find(|path| is_same(path)) {
        Some(path) => Err(Error::ReuseOfResults(path.clone())),
        None => Ok(()),
    }
}

impl Answers {
    /// Finds the answers in the results of other jobs and, if equal rows are to be sent once, in those that
    /// earlier runs of this job left; `None` if nothing is to be copied.
    pub fn open(
        reuse: &[PathBuf],
        once: bool,
        store: &StoreOptions,
    ) -> Result<Option<SharedAnswers>, Error> {
        if reuse.is_empty() && !once {
            return Ok(None);
        }
        let results = Places::arrivals(store).filter(|path| !is_stream(path));
        let folder = match results.as_deref().and_then(Path::parent) {
            Some(parent) if parent.as_os_str().is_empty() => PathBuf::from("."),
            Some(parent) => parent.to_owned(),
            None => store.temp_folder.clone(),
        };
        let mut answers = Answers {
            once,
            files: Vec::new(),
            others: 0,
            places: HashMap::new(),
            is_surveyed: false,
            in_flight: HashMap::new(),
            failures: HashMap::new(),
            spool: None,
            folder,
            notices: Vec::new(),
            error: None,
        };
        for path in reuse {
            let found = answers.add(path)?;
            if found.results == 0 {
                return Err(Error::NothingToReuse(path.clone()));
            }
            answers.notices.extend(found.notice(path));
        }
        answers.others = answers.files.len();
        if let Some(path) = written(store).filter(|_| once) {
            answers.add(&path)?;
        }
        Ok(Some(Arc::new(Mutex::new(answers))))
    }

    /// Adds the answers of a file. They stay there, if it is a regular file of lines.
    fn add(&mut self, path: &Path) -> Result<Found, Error> {
        let unreadable = |error: io::Error| Error::Unreadable(path.to_owned(), error);
        let source = Source::Path(path.to_owned());
        let Opened { bytes, packing } = source.open().map_err(|error| match error {
            Error::Input { error, .. } => unreadable(error),
            other => other,
        })?;
        let is_plain = packing == Packing::Plain;
        let is_kept = !(is_plain && source.can_be_read_again());
        let number = self.files.len();
        let file = match is_kept {
            true => self.temporary()?,
            false => AnswerFile::new(path.to_owned(), File::open(path).map_err(unreadable)?),
        };
        self.files.push(file);
        let mut reader = BufReader::new(bytes);
        let (mut found, mut line, mut at) = (Found::default(), Vec::new(), 0);
        loop {
            line.clear();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if is_plain => return Err(unreadable(error)),
                Err(error) => {
                    found.broken = Some(error.to_string());
                    break;
                }
            }
            let text = line.strip_suffix(b"\n");
            let read = text.and_then(|text| Some((text, output::read_line(text)?.1)));
            found.results += u64::from(read.is_some());
            found.others += u64::from(read.is_none());
            let hash = match read {
                Some((text, Outcome::Done)) => output::hash_in(text),
                Some((_, Outcome::Failed)) | None => None,
            };
            let place = place(number, at);
            if let Some(hash) = hash.filter(|hash| !self.places.contains_key(&half(*hash))) {
                self.places.insert(half(hash), place);
                if is_kept {
                    self.keep(number, &line)?;
                }
            }
            at = match is_kept {
                true => self.files.get(number).map_or(0, |file| file.end),
                false => at + line.len() as u64,
            };
        }
        if let Some(file) = self.files.get_mut(number) {
            file.end = at;
        }
        Ok(found)
    }

    /// A file without a name, for this process alone.
    fn temporary(&self) -> Result<AnswerFile, Error> {
        let path = spool(&self.folder, Readers::OWNER)?;
        let file = OpenOptions::new().read(true).write(true).open(&path);
        let file = file.and_then(|file| std::fs::remove_file(&path).map(|()| file));
        Ok(AnswerFile::new(path.clone(), file.map_err(|error| Error::Unusable(path, error))?))
    }

    /// Appends a line to a temporary file. Returns where it begins.
    fn keep(&mut self, number: usize, line: &[u8]) -> Result<u64, Error> {
        let Some(kept) = self.files.get_mut(number) else { return Ok(0) };
        let at = kept.end;
        let written = write_all_at(&kept.file, line, at);
        written.map_err(|error| Error::Unusable(kept.path.clone(), error))?;
        kept.end += line.len() as u64;
        Ok(at)
    }

    /// Looks at a row of a survey that is to be sent.
    pub(crate) fn see(&mut self, hash: BodyHash) -> Seen {
        match self.places.get_mut(&half(hash)) {
            Some(place) if *place >= AGAIN => {
                *place = AGAIN;
                Seen::Equal
            }
            Some(place) if file_of(*place) < self.others => Seen::Reused,
            Some(_) => Seen::Equal,
            None => {
                if self.once {
                    self.places.insert(half(hash), SEEN);
                }
                Seen::First
            }
        }
    }

    /// Ends a survey: only rows that have equals are kept in mind.
    pub(crate) fn end_survey(&mut self) {
        self.places.retain(|_, place| *place != SEEN);
        self.places.shrink_to_fit();
        self.is_surveyed = true;
    }

    /// Decides about a row that is to be sent.
    pub(crate) fn take(&mut self, row: &Row) -> Result<Taken, Error> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let waiting = (row.key.clone(), row.number);
        if let Some(rows) = self.in_flight.get_mut(&row.hash) {
            rows.push(waiting);
            return Ok(Taken::Waits);
        }
        if let Some(failure) = self.failures.get(&row.hash) {
            return Ok(Taken::Copies(Copies::new(failure, vec![waiting], false)));
        }
        let place = self.places.get(&half(row.hash)).filter(|place| **place < AGAIN);
        let Some(place) = place.copied() else { return Ok(Taken::Send) };
        let number = file_of(place);
        let Some(file) = self.files.get_mut(number) else { return Ok(Taken::Send) };
        Ok(match file.answer(place & ((1 << OFFSET_BITS) - 1), row)? {
            Some(response) => {
                let (row, outcome) = (row.clone(), Ok(response));
                let first = Finished { row, outcome, attempts: 0, elapsed: Duration::ZERO };
                Taken::Copies(Copies::new(&first, vec![waiting], number < self.others))
            }
            None => Taken::Send,
        })
    }

    /// A row was passed to the engine.
    pub(crate) fn sends(&mut self, row: &Row) {
        let has_equals = || self.places.get(&half(row.hash)) == Some(&AGAIN);
        if self.once && (!self.is_surveyed || has_equals()) {
            self.in_flight.insert(row.hash, Vec::new());
        }
    }

    /// A row ended. Returns the copies for the rows that wait for it.
    pub(crate) fn ended(&mut self, finished: &Finished) -> Option<Copies> {
        let hash = finished.row.hash;
        let waiting = self.in_flight.remove(&hash)?;
        let mut line = Vec::new();
        match output::write_line(finished, &mut line) {
            Outcome::Done => match self.keep_own(&line) {
                Ok(place) => _ = self.places.insert(half(hash), place),
                Err(error) => self.error = Some(error),
            },
            Outcome::Failed if self.failures.len() < FAILURES_MAX => {
                let row = Row { body: Arc::from(""), ..finished.row.clone() };
                self.failures.insert(hash, Finished { row, ..finished.clone() });
            }
            Outcome::Failed => {}
        }
        (!waiting.is_empty()).then(|| Copies::new(finished, waiting, false))
    }

    fn keep_own(&mut self, line: &[u8]) -> Result<u64, Error> {
        let number = match self.spool {
            Some(number) => number,
            None => {
                let file = self.temporary()?;
                self.files.push(file);
                *self.spool.insert(self.files.len() - 1)
            }
        };
        Ok(place(number, self.keep(number, line)?))
    }
}

impl AnswerFile {
    fn new(path: PathBuf, file: File) -> AnswerFile {
        AnswerFile { path, file, end: 0, window: Window::new(WINDOW_BYTES) }
    }

    /// The answer in the line at this offset; `None` if it is that of another row, whose hash has the same
    /// half.
    fn answer(&mut self, at: u64, row: &Row) -> Result<Option<Response>, Error> {
        let changed =
            || io::Error::new(io::ErrorKind::InvalidData, "it was changed by another program");
        let line = self.window.line(&self.file, self.end, at);
        let answer = line.and_then(|line| match output::hash_in(line) {
            Some(hash) if hash == row.hash => {
                answer_in(line, row.endpoint).map(Some).ok_or_else(changed)
            }
            Some(_) => Ok(None),
            None => Err(changed()),
        });
        answer.map_err(|error| Error::Unreadable(self.path.clone(), error))
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

/// A line for the user about what is not reused; each is given once.
pub fn notice(answers: &SharedAnswers) -> Option<String> {
    locked(answers).notices.pop()
}

/// Locks the answers.
pub(crate) fn locked(answers: &SharedAnswers) -> MutexGuard<'_, Answers> {
    answers.lock().unwrap_or_else(PoisonError::into_inner)
}

fn half(hash: BodyHash) -> u64 {
    hash.high()
}

fn place(file: usize, offset: u64) -> u64 {
    (file as u64) << OFFSET_BITS | offset
}

fn file_of(place: u64) -> usize {
    (place >> OFFSET_BITS) as usize
}

/// The answer in the result of a successful row.
fn answer_in(line: &[u8], endpoint: Endpoint) -> Option<Response> {
    let line = Value::parse(std::str::from_utf8(line).ok()?).ok()?;
    let response = line.get("response")?;
    let status = u16::try_from(response.get("status_code")?.as_i64()?).ok()?;
    let request_id = response.get("request_id").and_then(Value::as_str).map(Into::into);
    let body = response.get("body").filter(|body| body.kind() == Kind::Object)?;
    Response::saved(endpoint, status, request_id, body.text()).ok()
}

#[cfg(test)]
#[path = "answers_tests.rs"]
mod tests;
