//! The run of a job: passes rows from the reader through the budget into the engine, and outcomes into the
//! store, until something stops it.

mod control;

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use modelwire::{Client, Error};
use modelwire_bulk::answers::SharedAnswers;
use modelwire_bulk::checks::Checks;
use modelwire_bulk::engine::{Engine, Offered, Over, Status, Turn, Waker};
use modelwire_bulk::input::{BadRow, Rows, Survey};
use modelwire_bulk::ledger::{Ledger, State};
use modelwire_bulk::pilot::{Pilot, Population};
use modelwire_bulk::prices::Prices;
use modelwire_bulk::row::{Finished, Key, Row};
use modelwire_bulk::store::{HeldJournal, Order, Store, StoreSendJournal};

use self::control::Control;
use super::end::{Cause, End};
use super::feed::{Receiver, feed};
use super::plan::Plan;
use super::reader::{InputRow, Read, ReadEnd, read};
use super::signals::Signals;
use crate::bulk::numbers::counted;
use crate::bulk::progress::{self, Phase, Progress};
use crate::bulk::summary::Tally;
use crate::failure::{Exit, Failure};

/// Maximum rows taken between two turns, so that neither answers nor signals wait for them.
const ROWS_A_TURN: usize = 512;

/// Maximum interval between checks for signals.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// A run.
pub(super) struct Run {
    engine: Engine<StoreSendJournal>,
    store: Store,
    tally: Tally,
    progress: Progress,
    control: Option<Control>,
    total: Option<u64>,
    /// The models of the rows, if the input was read before.
    models: Vec<Arc<str>>,
    reader: Option<JoinHandle<ReadEnd>>,
    outlet: Option<Receiver<InputRow>>,
    read: Arc<Read>,
    /// Items from the reader that are not pushed yet.
    fed: VecDeque<InputRow>,
    order: Option<Order>,
    has_read_all: bool,
    cause: Option<Cause>,
    was_told_of_room: bool,
    /// Set while the sample runs.
    piloted: Option<Piloted>,
    done_in_pilot: u64,
    failed_in_pilot: u64,
}

/// The progress of a sample.
struct Piloted {
    pilot: Pilot,
    ended: Vec<(Key, State)>,
}

impl Run {
    /// Opens results and journal, and returns what is known about the rows.
    pub(super) fn open(
        plan: &Plan,
        held: Option<HeldJournal>,
        client: Client,
        renewal: Option<impl FnMut() -> Option<String> + Send + 'static>,
        progress: Progress,
    ) -> Result<(Run, Ledger), Failure> {
        // The store is created before the engine that it wakes.
        let waker: Arc<OnceLock<Waker>> = Arc::default();
        let woken = waker.clone();
        let wake = move || {
            if let Some(waker) = woken.get() {
                waker.wake_for_disk();
            }
        };
        let (store, ledger) = Store::open(&plan.store, held, Box::new(wake))?;
        let engine = Engine::new(client, plan.engine, store.book()).with_budget(plan.budget()?);
        let mut engine = engine.with_checks(Checks::new(&plan.checks));
        if let Some(renew) = renewal {
            engine = engine.with_renewed_key(renew);
        }
        let _ = waker.set(engine.waker());
        let run = Run {
            engine,
            store,
            tally: Tally::default(),
            progress,
            control: Control::of(&plan.store),
            total: None,
            models: Vec::new(),
            reader: None,
            outlet: None,
            read: Arc::default(),
            fed: VecDeque::new(),
            order: None,
            has_read_all: false,
            cause: None,
            was_told_of_room: false,
            piloted: None,
            done_in_pilot: 0,
            failed_in_pilot: 0,
        };
        for note in &run.store.resumed().notes {
            run.progress.note(note);
        }
        Ok((run, ledger))
    }

    /// Sets the answers to copy.
    pub(super) fn set_answers(&mut self, answers: Option<SharedAnswers>) {
        self.engine.set_answers(answers);
    }

    /// Starts the reader thread.
    pub(super) fn read(&mut self, plan: &Plan, ledger: Ledger) -> Result<(), Failure> {
        let waker = self.engine.waker();
        let (inlet, outlet) = feed(move || waker.wake());
        let (sources, options) = (plan.sources.clone(), plan.rows.clone());
        let (policy, counts) = (plan.policy, self.read.clone());
        let order = plan.store.is_ordered.then(Order::new);
        let thread = std::thread::Builder::new().name("modelwire-rows".to_owned());
        // The first bytes of standard input may take long, so the thread opens it.
        let reader = thread.spawn(move || match Rows::open(&sources, &options) {
            Ok(rows) => read(rows, &sources, ledger, policy, order, &counts, inlet),
            Err(error) => ReadEnd::Failed(error.into()),
        });
        let reader = reader.map_err(modelwire_bulk::Error::Thread)?;
        (self.reader, self.outlet) = (Some(reader), Some(outlet));
        Ok(())
    }

    /// Runs until all rows have ended, or something stops the run.
    pub(super) fn go(&mut self, signals: &mut Signals) {
        while self.goes_on(signals) {}
    }

    /// Runs the rows of a sample. Records their outcomes in the ledger, so that they do not run again.
    pub(super) fn go_pilot(
        &mut self,
        sample: Vec<Row>,
        pilot: Pilot,
        ledger: &mut Ledger,
        signals: &mut Signals,
    ) -> Pilot {
        self.fed.extend(sample.into_iter().map(InputRow::Row));
        self.piloted = Some(Piloted { pilot, ended: Vec::new() });
        while self.goes_on(signals) && !(self.fed.is_empty() && self.engine.is_empty()) {
            if let Some(piloted) = &mut self.piloted {
                piloted.pilot.at_once(self.engine.status().in_flight as u64);
            }
        }
        let Some(Piloted { pilot, ended }) = self.piloted.take() else {
            return Pilot::new(Population::default());
        };
        for (key, state) in ended {
            ledger.settle(&key, state);
            match state {
                State::Failed => self.failed_in_pilot += 1,
                State::Done | State::New | State::Unknown => self.done_in_pilot += 1,
            }
        }
        pilot
    }

    /// One turn. False when the run is over.
    fn goes_on(&mut self, signals: &mut Signals) -> bool {
        self.heed(signals);
        self.control();
        let wait = match self.fill() {
            true => Duration::ZERO,
            false => self.progress.interval().min(LOOK_INTERVAL),
        };
        match self.engine.turn(Some(wait)) {
            Turn::Finished(finished) => {
                for finished in &finished {
                    self.came(finished);
                }
            }
            Turn::Idle => {}
            Turn::Over(Over::Stopped(stopped)) => {
                self.cause.get_or_insert(Cause::Stopped(stopped));
                return false;
            }
            Turn::Over(Over::All | Over::Drained) => return false,
        }
        self.look_after_the_store();
        self.show();
        true
    }

    /// Stops the run for this reason.
    pub(super) fn refuse(&mut self, cause: Cause) {
        self.stop(cause);
    }

    /// Whether something stopped it.
    pub(super) fn is_stopped(&self) -> bool {
        self.cause.is_some()
    }

    /// The progress display.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The progress display, to show more on it.
    pub(super) fn progress_mut(&mut self) -> &mut Progress {
        &mut self.progress
    }

    /// The prices given by the user.
    pub(super) fn prices(&self) -> &Prices {
        self.engine.budget().prices()
    }

    /// Sets the total number of rows, and their models.
    pub(super) fn set_total(&mut self, survey: &Survey) {
        self.total = Some(survey.rows + survey.bad);
        self.models = survey.models.iter().map(|(model, _)| model.clone()).collect();
    }

    /// Writes the rest and closes the files.
    pub(super) fn end(mut self, signals: &mut Signals) -> End {
        let is_whole = self.has_read_all && self.cause.is_none();
        self.finish_writing(signals);
        let status = self.engine.status();
        if let Some(Cause::Interrupted { unknown }) = &mut self.cause {
            *unknown = status.unknown;
        }
        let state = progress::State { phase: Phase::Writing, ..self.state(&status) };
        self.progress.show(Instant::now(), &state);
        self.publish(&state);
        let (done_before, failed_before) = self.before();
        // Report rows that an interrupted run sent again but could not report.
        let resumed = self.store.resumed();
        let sent_again: HashSet<_> = resumed.sent_again.iter().collect();
        let mut unknown = resumed.sent_again.clone();
        unknown.extend(resumed.unknown.iter().filter(|key| !sent_again.contains(key)).cloned());
        let order = self.order.filter(|_| is_whole);
        // Input without a row, or whose first line is invalid, is refused like a file, which is read before: no
        // file is left behind. Whether a later line comes before the first row is sent would be chance.
        let is_input =
            |cause: &Cause| matches!(cause, Cause::Refused(why) if why.exit == Exit::Usage);
        let is_untouched =
            self.cause.as_ref().is_some_and(is_input) && self.read.is_nothing() && status.sent == 0;
        let closed = match is_untouched {
            true => {
                drop(self.store);
                Ok(())
            }
            false => self.store.close(order.as_ref()),
        };
        End {
            is_untouched,
            cause: self.cause,
            tally: self.tally,
            spent: self.engine.budget().spent(),
            status,
            done_before,
            failed_before,
            unknown,
            is_whole,
            closed,
            progress: self.progress,
            state,
        }
    }

    /// Lets the store write the rest. A full disk is reported, and a signal ends the wait for space.
    fn finish_writing(&mut self, signals: &mut Signals) {
        self.store.finish_writing();
        let mut pause = Duration::from_millis(1);
        while !self.store.is_written() {
            if self.store.waits_for_room().is_some() {
                self.heed(signals);
            }
            self.look_after_the_store();
            let (now, status) = (Instant::now(), self.engine.status());
            if self.progress.is_due(now) {
                let state = progress::State { phase: Phase::Writing, ..self.state(&status) };
                self.progress.show(now, &state);
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(LOOK_INTERVAL);
        }
    }

    /// Handles signals: after the first, nothing new is sent; after the second, nothing is waited for.
    fn heed(&mut self, signals: &mut Signals) {
        let count = signals.count();
        if count >= 1 && !matches!(self.cause, Some(Cause::Interrupted { .. })) {
            // An interruption replaces an earlier cause.
            self.stop(Cause::Interrupted { unknown: 0 });
            self.cause = Some(Cause::Interrupted { unknown: 0 });
            self.store.hurry();
            let on_their_way = self.engine.status().in_flight;
            if on_their_way > 0 && count == 1 {
                self.progress.note(&format!(
                    "interrupted: waiting for {}; interrupt again to stop at once",
                    counted(on_their_way as u64, "row in flight", "rows in flight")
                ));
            }
        }
        if count >= 2 {
            self.engine.abort();
        }
    }

    /// Stops sending.
    fn stop(&mut self, cause: Cause) {
        self.cause.get_or_insert(cause);
        self.outlet = None;
        self.fed.clear();
        self.engine.drain();
    }

    /// Gives the engine as many rows as it wants, and at most those of a turn: rows that are not
    /// sent take time, too. Returns whether it may want more at once.
    fn fill(&mut self) -> bool {
        let mut left = ROWS_A_TURN;
        while left > 0 {
            let wanted = self.engine.wants().min(left);
            if wanted == 0 || (self.fed.is_empty() && !self.fetch(wanted)) {
                break;
            }
            left -= 1;
            match self.fed.pop_front() {
                Some(InputRow::Bad(bad)) if self.store.is_behind() => {
                    self.fed.push_front(InputRow::Bad(bad));
                    break;
                }
                Some(InputRow::Bad(bad)) => self.bad_line(&bad),
                Some(InputRow::Row(row)) => match self.engine.offer(row) {
                    Offered::Pushed | Offered::Copied | Offered::Waits => {}
                    Offered::Later(row) => {
                        self.fed.push_front(InputRow::Row(row));
                        break;
                    }
                    Offered::Refused(error) => {
                        self.cause.get_or_insert(Cause::Refused(error.into()));
                        self.outlet = None;
                        self.fed.clear();
                        break;
                    }
                },
                None => break,
            }
        }
        if self.has_read_all && self.fed.is_empty() {
            self.engine.end();
        }
        while let Some(notice) = self.engine.notice() {
            self.progress.note(&notice);
        }
        left == 0
    }

    /// Takes items from the reader. False if there are none now.
    fn fetch(&mut self, most: usize) -> bool {
        let Some(outlet) = &self.outlet else { return false };
        if !outlet.take(most, &mut self.fed) {
            self.outlet = None;
            self.has_read();
        }
        !self.fed.is_empty()
    }

    /// Handles the end of the reader.
    fn has_read(&mut self) {
        match self.reader.take().map(JoinHandle::join) {
            Some(Ok(ReadEnd::Whole(order))) => {
                (self.order, self.has_read_all) = (order, true);
            }
            Some(Ok(ReadEnd::Failed(failure))) => self.stop(Cause::Refused(failure)),
            Some(Ok(ReadEnd::Closed)) | None => {}
            Some(Err(_)) => {
                let message = "the thread that reads rows ended unexpectedly";
                self.stop(Cause::Refused(Failure::new(Exit::Internal, message)));
            }
        }
    }

    /// Records the outcome of an invalid line.
    fn bad_line(&mut self, bad: &BadRow) {
        let message = bad.to_string();
        self.tally.bad_line(bad.number, &message);
        if !bad.is_twice {
            self.store.unsent(&bad.key, &Error::argument(message));
        }
    }

    fn came(&mut self, finished: &Finished) {
        let outcome = self.store.finished(finished);
        self.tally.add(finished);
        if let Some(Piloted { pilot, ended }) = &mut self.piloted {
            pilot.add(finished, self.engine.budget().prices());
            ended.push((finished.row.key.clone(), outcome.into()));
        }
    }

    fn look_after_the_store(&mut self) {
        if self.store.is_failed() {
            self.stop(Cause::Unwritable);
        }
        match self.store.waits_for_room() {
            Some(what) if !self.was_told_of_room => {
                self.was_told_of_room = true;
                self.progress.note(&what);
            }
            Some(_) => {}
            None => self.was_told_of_room = false,
        }
    }

    fn show(&mut self) {
        let now = Instant::now();
        if self.progress.is_due(now) {
            let state = self.state(&self.engine.status());
            self.progress.show(now, &state);
        }
    }

    /// Rows that succeeded and failed in earlier runs, without those of the pilot, which the reader counts
    /// too.
    fn before(&self) -> (u64, u64) {
        let done = self.read.done_before.load(Ordering::Relaxed);
        let failed = self.read.failed_before.load(Ordering::Relaxed);
        (done.saturating_sub(self.done_in_pilot), failed.saturating_sub(self.failed_in_pilot))
    }

    fn state(&self, status: &Status) -> progress::State {
        let spent = self.engine.budget().spent();
        let (done_before, failed_before) = self.before();
        let kept_out = self.read.kept_out.load(Ordering::Relaxed);
        progress::State {
            phase: match (&self.cause, status.outage, &self.piloted) {
                (Some(_), _, _) => Phase::Draining,
                (None, Some(_), _) => Phase::Pausing,
                (None, None, Some(_)) => Phase::Pilot,
                (None, None, None) => Phase::Running,
            },
            total: self.total,
            before: done_before + failed_before + kept_out,
            done: self.tally.done(),
            failed: self.tally.failed(),
            in_flight: u32::try_from(status.in_flight).unwrap_or(u32::MAX),
            concurrency_limit: status.allowed,
            rate: status.rate,
            equal: status.equal,
            reused: status.reused,
            attempts: status.sent,
            rate_limited: status.limited,
            asked_again: status.asked_again,
            tokens: spent.tokens,
            cost: spent.cost,
        }
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
