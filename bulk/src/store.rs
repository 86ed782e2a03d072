//! The files of a bulk job: its results, and a journal of what was sent.
//!
//! # The promise
//!
//! No row is lost, and rows whose outcome is unknown are listed. Whenever the process or the machine
//! dies, each row is one of three when the job is opened again: *ended*, with its whole result in the
//! results; *new*, with nothing sent; or *unknown*, sent with an unknown outcome: those are listed.
//!
//! | file | contents |
//! |---|---|
//! | `OUT.jsonl` | the results, in the order of arrival |
//! | `OUT.jsonl.journal` | what was sent, and the outcomes; see [`journal`] |
//! | `OUT.jsonl.part` | for ordered results: the results in the order of arrival, until all are put in order |
//! | a file that is named | the failed rows, in the form of a batch's error file, as of the last run |
//! | `OUT.jsonl.unknown` | the rows with an unknown outcome, and those that were sent again, if there are any |
//! | `OUT.jsonl.journal.status`, `OUT.jsonl.journal.set` | while the job runs: see [`control`] |
//!
//! One thread writes all of them; see [`writer`] for the order that keeps the promise. Resuming verifies the
//! checksums of all of them, and [`repair()`] rebuilds damaged ones.

pub mod control;
mod extracts;
pub mod journal;
mod journal_file;
mod look;
pub mod open;
pub mod ordered;
pub mod places;
mod repair;
mod replace;
pub mod replay;
mod report;
mod rescue;
pub mod results;
mod reuse;
mod rewrite;
pub mod writer;

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead, BufWriter, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

pub use look::look;
pub use open::{HeldJournal, Resumed};
pub use ordered::Order;
pub use places::{ROOM_WAIT, StoreOptions};
pub use repair::{Repaired, repair};
pub use report::{JobReport, is_running, report};
pub use reuse::{answers, check_reuse};

pub use crate::system::Readers;

use crate::engine::SendJournal;
use crate::error::{Error, Extract, Kept};
use crate::ledger::Ledger;
use crate::output::{self, Outcome};
use crate::row::{Finished, Key, Row};
use crate::system::{readers_of, standard_output, withstand_size_limit};
use journal::{Record, write_ended};
use open::Opened;
use places::Places;
use rescue::Rescued;
use results::{Format, Results};
use writer::{Batch, Queue, Shared, WriteState, Writer, WriterEnd};

/// The maximum bytes of results that wait for the disk before sending stops.
pub const STORE_BYTES_MAX: usize = 16 * 1024 * 1024;

impl StoreOptions {
    /// Checks the names of the files before anything is sent.
    pub fn check(&self) -> Result<(), Error> {
        let name = self.results.as_deref().and_then(Path::file_name).unwrap_or_default();
        let name = name.to_string_lossy().to_ascii_lowercase();
        let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
        let tables = [(".csv", "CSV"), (".tsv", "TSV"), (".parquet", "Parquet")];
        let table = tables.iter().find(|(ending, _)| name.ends_with(ending));
        match (&self.results, table) {
            (Some(path), Some((_, format))) => {
                Err(Error::ResultsForm { path: path.clone(), format })
            }
            _ => extracts::check(self),
        }
    }
}

/// The results and the journal of a job, which lose nothing.
pub struct Store {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<WriterEnd>>,
    resumed: Resumed,
    places: Places,
    extracts: Vec<(Extract, PathBuf)>,
    temp_folder: PathBuf,
    replaces_changed: bool,
    lines: Vec<u8>,
}

/// Records rows before they are sent.
#[derive(Clone)]
pub struct StoreSendJournal(Arc<Shared>);

impl Store {
    /// Opens the files of a job, and reports what is known about its rows. `wake` is called, from
    /// another thread, after each write and each write error.
    ///
    /// If the store is dropped without being closed and has no rows, the files created for it are
    /// removed.
    pub fn open(
        options: &StoreOptions,
        held: Option<HeldJournal>,
        wake: Box<dyn Fn() + Send>,
    ) -> Result<(Store, Ledger), Error> {
        options.check()?;
        withstand_size_limit();
        let mut ledger = Ledger::new();
        let Opened { results, results_path, journal, resumed, places, has_replaced } =
            open::open(options, held, &mut ledger)?;
        let shared = Shared::new();
        let writer = Writer {
            shared: shared.clone(),
            wake,
            results,
            results_path,
            journal,
            room_wait: options.room_wait,
            batch: Batch::default(),
            state: writer::State::default(),
        };
        let thread = std::thread::Builder::new().name("modelwire-store".to_owned());
        let thread = thread.spawn(move || writer.run());
        let thread = thread.map_err(Error::Thread)?;
        let store = Store {
            shared,
            thread: Some(thread),
            resumed,
            places,
            extracts: options.extracts().map(|(of, path)| (of, path.to_owned())).collect(),
            temp_folder: options.temp_folder.clone(),
            replaces_changed: options.replaces_changed || has_replaced,
            lines: Vec::new(),
        };
        Ok((store, ledger))
    }

    /// The state that an earlier run left.
    pub fn resumed(&self) -> &Resumed {
        &self.resumed
    }

    /// The part for the sender.
    pub fn book(&self) -> StoreSendJournal {
        StoreSendJournal(self.shared.clone())
    }

    /// Records the end of a row.
    pub fn finished(&mut self, finished: &Finished) -> Outcome {
        self.lines.clear();
        let outcome = output::write_line(finished, &mut self.lines);
        self.add(&finished.row.key, outcome);
        outcome
    }

    /// Records an invalid row, which is not sent.
    pub fn unsent(&mut self, key: &Key, error: &modelwire::Error) {
        self.lines.clear();
        output::write_unsent(key, error, &mut self.lines);
        self.add(key, Outcome::Failed);
    }

    fn add(&mut self, key: &Key, outcome: Outcome) {
        let lines = &self.lines;
        self.shared.add(|Queue { results, .. }| {
            results.lines.extend_from_slice(lines);
            let before = results.records.len();
            write_ended(key.text(), outcome, key.check(), &mut results.records);
            results.sizes.push((lines.len(), results.records.len() - before));
        });
    }

    /// Whether sending must pause: results are not written yet, or cannot be.
    pub fn is_behind(&self) -> bool {
        is_behind(&self.shared)
    }

    /// A line for the user about what cannot be written for now: the store waits for space.
    pub fn waits_for_room(&self) -> Option<String> {
        match self.shared.trouble() {
            WriteState::Waiting(what) => Some(what),
            WriteState::None | WriteState::Failed(_) => None,
        }
    }

    /// Whether something permanently cannot be written: the job must end. Rows in flight may finish,
    /// and their results are kept until [`Store::close`].
    pub fn is_failed(&self) -> bool {
        matches!(self.shared.trouble(), WriteState::Failed(_))
    }

    /// Nothing is added any more: writes the rest, which a full disk may hold up. [`Store::close`] waits for it.
    pub fn finish_writing(&self) {
        self.shared.close();
    }

    /// Whether all is written after [`Store::finish_writing`], or cannot be.
    pub fn is_written(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Stops waiting for space.
    pub fn hurry(&self) {
        self.shared.hurry();
    }

    /// Writes all results, in the order of the input if it is given, and then the files that are made of
    /// them. If something cannot be written to its place, the error reports where it is.
    pub fn close(mut self, order: Option<&Order>) -> Result<(), Error> {
        self.close_results(order)?;
        let mut extracts = self.extracts.iter();
        extracts.try_for_each(|(extract, path)| extracts::write(*extract, path, &self.places))
    }

    fn close_results(&mut self, order: Option<&Order>) -> Result<(), Error> {
        let Some(left) = self.join() else {
            return Err(Error::WriterLost);
        };
        let WriterEnd { mut results, mut journal, unwritten, error } = left;
        if let Some(journal) = &mut journal {
            journal.keep();
        }
        // Spooled results for standard output go there in any case.
        let as_they_came = Order::new();
        let is_spooled = self.places.results.is_none() && self.places.arrivals.is_some();
        let order = order.or(is_spooled.then_some(&as_they_came));
        let error = error.or_else(|| {
            let path = self.places.arrivals.as_ref().filter(|_| journal.is_some())?;
            let error = results.check_file(path).err()?;
            Some((path.display().to_string(), error))
        });
        let Some((name, error)) = error else {
            if self.replaces_changed
                && let (Results::File(file), Some(journal), Some(path)) =
                    (&mut results, &mut journal, &self.places.arrivals)
            {
                rewrite::without_replaced(file, path, journal)?;
            }
            return match order {
                Some(order) => self.put_in_order(&mut results, journal.as_mut(), order),
                None => Ok(()),
            };
        };
        if error.kind() == ErrorKind::BrokenPipe && journal.is_none() {
            return Err(Error::Closed);
        }
        let kept = self.rescue(&results, &unwritten);
        if let (Kept::All, Some(known), Some(path)) = (&kept, results.end(), &self.places.arrivals)
            && let Ok(found) = fs::metadata(path).map(|found| found.len())
            && found < known
        {
            return Err(Error::ResultsShorter { path: path.clone(), found, known });
        }
        if let (None, Some(order)) = (&self.places.results, order) {
            self.put_in_order(&mut results, None, order)?;
        }
        Err(Error::Unwritten { name, error, kept })
    }

    fn join(&mut self) -> Option<WriterEnd> {
        self.shared.close();
        self.thread.take()?.join().ok()
    }

    /// Writes unwritten results to another place, with the earlier ones if their file has no name any more.
    fn rescue(&self, results: &Results, unwritten: &Batch) -> Kept {
        let arrivals = self.places.arrivals.as_deref();
        let file = match results {
            Results::File(file) => Some(file),
            Results::Stream(_) | Results::Frozen(_) => None,
        };
        let nameless = file.filter(|file| {
            file.end > 0 && arrivals.is_some_and(|path| !journal_file::has_name(&file.file, path))
        });
        let earlier = nameless.and_then(|file| Some(file.lines().ok()?.split(b'\n').count()));
        let count = unwritten.sizes.len() + earlier.unwrap_or_default();
        if count == 0 {
            return Kept::All;
        }
        let format = results.format();
        match rescue::rescue(nameless, &unwritten.lines, format, &self.temp_folder) {
            Rescued::StandardError => Kept::StandardError { count },
            Rescued::File(path) => {
                // What replaced the file is not continued with its results.
                let is_free = |path: &&Path| nameless.is_none() || !path.exists();
                let belongs = arrivals.filter(is_free).filter(|_| file.is_some());
                let belongs = belongs.map(Path::to_owned);
                Kept::File { count, path, belongs }
            }
        }
    }

    /// Writes the results in the order of the input, under their final name.
    fn put_in_order(
        &self,
        results: &mut Results,
        journal: Option<&mut journal_file::JournalFile>,
        order: &Order,
    ) -> Result<(), Error> {
        let (Results::File(arrived), Some(arrivals)) = (&*results, &self.places.arrivals) else {
            // In order already.
            return Ok(());
        };
        let Some(path) = self.places.results.as_ref().filter(|path| !places::is_stream(path))
        else {
            let out = match &self.places.results {
                Some(path) => OpenOptions::new().write(true).open(path),
                None => standard_output(),
            };
            let written = out.and_then(|out| {
                let out = BufWriter::new(out);
                ordered::assemble(&arrived.file, arrived.end, order, Format::Plain, out)
            });
            return match written {
                Ok(_) => fs::remove_file(arrivals)
                    .map_err(|error| journal_file::unusable(arrivals, error)),
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {
                    let _ = fs::remove_file(arrivals);
                    Err(Error::Closed)
                }
                Err(error) => {
                    Err(Error::Unordered { path: None, arrivals: arrivals.clone(), error })
                }
            };
        };
        let assembled = || -> io::Result<()> {
            let readers = readers_of(&arrived.file.metadata()?);
            let (_, written) = replace::replace(path, readers, |file| {
                let (out, format) = (BufWriter::new(file), Format::of(path));
                ordered::assemble(&arrived.file, arrived.end, order, format, out)
            })?;
            if let Some(journal) = journal {
                journal.push_record(&Record::Assembled { end: written.lines });
                journal.sync()?;
            }
            fs::remove_file(arrivals)
        };
        assembled().map_err(|error| {
            let (path, arrivals) = (Some(path.clone()), arrivals.clone());
            Error::Unordered { path, arrivals, error }
        })
    }
}

impl Drop for Store {
    /// Known results are written in any case.
    fn drop(&mut self) {
        let Some(left) = self.join() else { return };
        if left.error.is_some() && !left.unwritten.is_empty() {
            let kept = self.rescue(&left.results, &left.unwritten);
            eprintln!("modelwire: results could not be written{kept}");
        }
        if let (None, Some(spool), Results::File(file)) =
            (&self.places.results, &self.places.arrivals, &left.results)
            && file.end == 0
        {
            let _ = fs::remove_file(spool);
        }
    }
}

impl SendJournal for StoreSendJournal {
    fn sending(&mut self, row: &Row) -> u64 {
        let (key, check) = (row.key.text().into(), row.key.check());
        self.0.add(|queue| {
            Record::Sent { key, check }.write(&mut queue.records);
            queue.are_awaited = true;
            queue.ticket += 1;
            queue.ticket
        })
    }

    fn durable(&self) -> u64 {
        self.0.durable()
    }

    fn refused(&mut self, row: &Row) {
        let (key, check) = (row.key.text().into(), row.key.check());
        self.0.add(|queue| Record::Back { key, check }.write(&mut queue.records));
    }

    fn is_behind(&self) -> bool {
        is_behind(&self.0)
    }
}

fn is_behind(shared: &Shared) -> bool {
    shared.bytes() > STORE_BYTES_MAX || shared.is_in_trouble()
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("places", &self.places).finish_non_exhaustive()
    }
}

impl fmt::Debug for StoreSendJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreSendJournal").field("durable", &self.durable()).finish()
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
