//! Answers that are copied to equal rows, which are then not sent: those of other jobs, and of rows of the
//! same job. Rows are equal if their operations and bodies are: if they have the same [`BodyHash`].
//!
//! # What is kept
//!
//! | of | kept | where |
//! |---|---|---|
//! | an answer that may be copied | half of its hash, and its place in a file | in memory, 17 bytes in a hash table with room for more |
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
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use modelwire::{Endpoint, Kind, Metered, Response, Value};

use crate::error::Error;
use crate::output::{self, Outcome};
use crate::row::{BodyHash, Finished, Key, Row};
use crate::system::write_all_at;
use crate::window::Window;

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
    /// The rows that were passed to the engine, by their numbers, and those that wait for each.
    in_flight: HashMap<BodyHash, (u64, Vec<Waiting>)>,
    failures: HashMap<BodyHash, Finished>,
    /// The number of the file with the answers of this run.
    spool: Option<usize>,
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
    Copies(Box<Copies>),
}

/// Rows with the same outcome.
#[derive(Debug)]
pub(crate) struct Copies {
    /// The outcome, without the body.
    pub(crate) first: Finished,
    rows: std::vec::IntoIter<Waiting>,
    /// Whether it is from another job.
    pub(crate) is_reused: bool,
}

impl Copies {
    fn new(mut first: Finished, rows: Vec<Waiting>, is_reused: bool) -> Copies {
        first.outcome = first.outcome.map_err(|error| error.with_metered(Metered::NotSent));
        first.row.body = Arc::from("");
        (first.attempts, first.elapsed) = (0, Duration::ZERO);
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

impl Answers {
    /// No answers yet.
    pub(crate) fn new(once: bool) -> Answers {
        Answers {
            once,
            files: Vec::new(),
            others: 0,
            places: HashMap::new(),
            is_surveyed: false,
            in_flight: HashMap::new(),
            failures: HashMap::new(),
            spool: None,
            notices: Vec::new(),
            error: None,
        }
    }

    /// Adds a file: one with answers, whose lines are then [put](Answers::put), or an empty temporary one.
    pub(crate) fn add_file(&mut self, path: PathBuf, file: File) -> usize {
        let window = Window::new(WINDOW_BYTES);
        self.files.push(AnswerFile { path, file, end: 0, window });
        self.files.len() - 1
    }

    /// The files so far are those of other jobs.
    pub(crate) fn others_end(&mut self) {
        self.others = self.files.len();
    }

    /// The temporary file for the answers of this run; or why there is none, which ends the run.
    pub(crate) fn set_spool(&mut self, spool: Result<(PathBuf, File), Error>) {
        match spool {
            Ok((path, file)) => self.spool = Some(self.add_file(path, file)),
            Err(error) => self.error = Some(error),
        }
    }

    /// A line for the user.
    pub(crate) fn add_notice(&mut self, notice: String) {
        self.notices.push(notice);
    }

    /// Puts the next line of a file, which is there or is to be written there, with its bytes; of one without an
    /// answer, the line may be cut. `hash` if it has an answer.
    pub(crate) fn put(
        &mut self,
        number: usize,
        (line, bytes): (&[u8], usize),
        hash: Option<BodyHash>,
        is_there: bool,
    ) -> Result<(), Error> {
        let hash = hash.filter(|hash| !self.places.contains_key(&half(*hash)));
        let Some(file) = self.files.get_mut(number) else { return Ok(()) };
        if let Some(hash) = hash {
            self.places.insert(half(hash), place(number, file.end));
        }
        match (is_there, hash) {
            (false, None) => Ok(()),
            (false, Some(_)) => self.keep(number, line).map(|_| ()),
            (true, _) => {
                file.end += bytes as u64;
                Ok(())
            }
        }
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
        match self.in_flight.get_mut(&row.hash) {
            // The engine gave it back, and it is offered again.
            Some((first, _)) if *first == row.number => return Ok(Taken::Send),
            Some((_, rows)) => {
                rows.push(waiting);
                return Ok(Taken::Waits);
            }
            None => {}
        }
        if let Some(failure) = self.failures.get(&row.hash) {
            let copies = Copies::new(failure.clone(), vec![waiting], false);
            return Ok(Taken::Copies(Box::new(copies)));
        }
        let place = self.places.get(&half(row.hash)).filter(|place| **place < AGAIN);
        let Some(place) = place.copied() else { return Ok(Taken::Send) };
        let number = file_of(place);
        let Some(file) = self.files.get_mut(number) else { return Ok(Taken::Send) };
        Ok(match file.answer(place & ((1 << OFFSET_BITS) - 1), row)? {
            Some(response) => {
                let (row, outcome) = (row.clone(), Ok(response));
                let (rejected, attempts, elapsed) = (None, 0, Duration::ZERO);
                let first = Finished { row, outcome, rejected, attempts, elapsed };
                let copies = Copies::new(first, vec![waiting], number < self.others);
                Taken::Copies(Box::new(copies))
            }
            None => Taken::Send,
        })
    }

    /// A row was passed to the engine.
    pub(crate) fn sends(&mut self, row: &Row) {
        let has_equals = || self.places.contains_key(&half(row.hash));
        if self.once && (!self.is_surveyed || has_equals()) {
            self.in_flight.entry(row.hash).or_insert_with(|| (row.number, Vec::new()));
        }
    }

    /// A row ended. Returns the copies for the rows that wait for it.
    pub(crate) fn ended(&mut self, finished: &Finished) -> Option<Copies> {
        let hash = finished.row.hash;
        let (_, waiting) = self.in_flight.remove(&hash)?;
        let mut line = Vec::new();
        match output::write_line(finished, &mut line) {
            Outcome::Done => {
                if let Some(spool) = self.spool {
                    match self.keep(spool, &line) {
                        Ok(at) => _ = self.places.insert(half(hash), place(spool, at)),
                        Err(error) => self.error = Some(error),
                    }
                }
            }
            Outcome::Failed if self.failures.len() < FAILURES_MAX => {
                let row = Row { body: Arc::from(""), ..finished.row.clone() };
                self.failures.insert(hash, Finished { row, ..finished.clone() });
            }
            Outcome::Failed => {}
        }
        (!waiting.is_empty()).then(|| Copies::new(finished.clone(), waiting, false))
    }
}

impl AnswerFile {
    /// The answer in the line at this offset; `None` if it is that of another row, whose hash has the same
    /// half.
    fn answer(&mut self, at: u64, row: &Row) -> Result<Option<Response>, Error> {
        let changed = "it was changed by another program";
        let line = self.window.line(&self.file, self.end, at);
        let answer = line.and_then(|line| match output::hash_in(line) {
            Some(hash) => Ok((hash == row.hash).then(|| answer_in(line, row.endpoint)).flatten()),
            None => Err(io::Error::new(io::ErrorKind::InvalidData, changed)),
        });
        answer.map_err(|error| Error::Unreadable(self.path.clone(), error))
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
