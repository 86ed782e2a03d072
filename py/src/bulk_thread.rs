//! The engine of a bulk job on its own thread: takes rows and returns outcomes, independently of the
//! program.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::time::{Duration, Instant};

use modelwire::{Descriptor, Ready, Result};
use modelwire_bulk::ErrorKind;
use modelwire_bulk::budget::Spent;
use modelwire_bulk::checks::{Check, Rejection};
use modelwire_bulk::controller::Fixed;
use modelwire_bulk::engine::{Engine, Offered, Over, Status, Turn, Unjudged, Waker};
use modelwire_bulk::pilot::{Pilot, Projection};
use modelwire_bulk::row::{Finished, Key, Row};

use crate::bulk_store::{AnyBook, JobStore};
use crate::lock::lock;

/// Maximum age of a status.
const STATUS_AGE_MAX: Duration = Duration::from_millis(50);

/// Maximum wait of the engine while rows are in flight, which bounds the age of its status.
const TURN_MAX: Duration = Duration::from_millis(500);

/// The jobs with an output, by process: their rows in flight finish before the process ends.
static KEPT: Mutex<Vec<(u32, Weak<JobHandle>)>> = Mutex::new(Vec::new());

/// The jobs of this process with an output whose thread runs and for whose end nothing waited.
pub(crate) fn kept() -> Vec<Arc<JobHandle>> {
    let process = std::process::id();
    let kept = lock(&KEPT);
    let ours = kept.iter().filter(|(of, _)| *of == process).filter_map(|(_, desk)| desk.upgrade());
    ours.filter(|desk| !desk.was_awaited.load(Ordering::SeqCst)).collect()
}

/// The remaining work of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wanted {
    /// More rows may come.
    Rows,
    /// No more rows come.
    End,
    /// Send nothing new.
    Drain,
    /// Cancel rows in flight, too.
    Abort,
}

/// Why there are no more outcomes.
#[derive(Clone, Debug)]
pub(crate) enum JobEnd {
    /// The engine's result.
    Over(Over),
    /// The budget, or a row that it cannot judge, ended it; with the message.
    Refused(ErrorKind, String),
    /// The results could not be written; with the message.
    Unwritten(String),
    /// The thread has died: a bug.
    Lost,
}

struct Inbox {
    rows: Vec<Row>,
    /// Invalid rows, with their errors; of a job with an output.
    unsent: Vec<(Key, String)>,
    /// What the program found of answers, by the numbers of their rows: why one is not accepted.
    judged: Vec<(u64, Option<String>)>,
    wanted: Wanted,
}

#[derive(Default)]
struct Outbox {
    finished: VecDeque<Finished>,
    to_judge: Vec<Unjudged>,
    ending: Option<JobEnd>,
    status: Status,
    spent: Spent,
    notices: Vec<String>,
}

/// Connects the program and the engine's thread.
pub(crate) struct JobHandle {
    inbox: Mutex<Inbox>,
    outbox: Mutex<Outbox>,
    arrived: Condvar,
    /// While a sample runs: when it began.
    pilot: Mutex<Option<(Pilot, Instant)>>,
    /// For event loops, and whether one watches it.
    ready: Ready,
    is_watched: AtomicBool,
    /// Whether something waited for the end of the job.
    was_awaited: AtomicBool,
    waker: Waker,
}

impl JobHandle {
    /// Starts the thread, which ends with the job.
    pub(crate) fn open(
        engine: Engine<AnyBook>,
        keeper: Option<JobStore>,
    ) -> std::io::Result<Arc<JobHandle>> {
        if let Some(keeper) = &keeper {
            keeper.wakes(engine.waker());
        }
        let desk = Arc::new(JobHandle {
            inbox: Mutex::new(Inbox {
                rows: Vec::new(),
                unsent: Vec::new(),
                judged: Vec::new(),
                wanted: Wanted::Rows,
            }),
            outbox: Mutex::default(),
            arrived: Condvar::new(),
            pilot: Mutex::default(),
            ready: Ready::new(),
            is_watched: AtomicBool::new(false),
            was_awaited: AtomicBool::new(false),
            waker: engine.waker(),
        });
        if keeper.is_some() {
            let mut kept = lock(&KEPT);
            kept.retain(|(_, desk)| desk.strong_count() > 0);
            kept.push((std::process::id(), Arc::downgrade(&desk)));
        }
        let of_thread = EndNotifier(desk.clone());
        std::thread::Builder::new()
            .name("modelwire-bulk".to_owned())
            .spawn(move || of_thread.serve(engine, keeper))?;
        Ok(desk)
    }

    /// Queues a row. Wakes the engine for the first one that it has not seen, because the next one may take
    /// long.
    pub(crate) fn put(&self, row: Row) {
        let is_first = {
            let mut inbox = lock(&self.inbox);
            inbox.rows.push(row);
            inbox.rows.len() == 1
        };
        if is_first {
            self.waker.wake();
        }
    }

    /// Queues the sample of a pilot.
    pub(crate) fn pilot(&self, sample: Vec<Row>, pilot: Pilot) {
        *lock(&self.pilot) = Some((pilot, Instant::now()));
        lock(&self.inbox).rows.extend(sample);
        self.waker.wake();
    }

    /// The estimate of the pilot, whose rows have ended.
    pub(crate) fn projection(&self, fixed: &Fixed) -> Option<Projection> {
        let (pilot, begun) = lock(&self.pilot).take()?;
        Some(pilot.projection(begun.elapsed(), fixed))
    }

    /// Queues an invalid row; the engine takes it after the next [`flush`](JobHandle::flush).
    pub(crate) fn put_unsent(&self, key: Key, message: String) {
        lock(&self.inbox).unsent.push((key, message));
    }

    /// Wakes the engine to take what is queued.
    pub(crate) fn flush(&self) {
        self.waker.wake();
    }

    /// Requests this; an earlier request is never withdrawn.
    pub(crate) fn want(&self, wanted: Wanted) {
        {
            let mut inbox = lock(&self.inbox);
            inbox.wanted = inbox.wanted.max(wanted);
        }
        self.waker.wake();
    }

    /// Takes at most `max` outcomes.
    pub(crate) fn take(&self, max: usize) -> Vec<Finished> {
        if self.is_watched.load(Ordering::SeqCst) {
            while self.ready.take().is_some() {}
        }
        let mut outbox = lock(&self.outbox);
        let count = outbox.finished.len().min(max);
        let taken = outbox.finished.drain(..count).collect();
        if self.is_watched.load(Ordering::SeqCst) && outbox.has_more() {
            self.ready.note(0);
        }
        taken
    }

    /// Takes the answers to judge.
    pub(crate) fn to_judge(&self) -> Vec<Unjudged> {
        std::mem::take(&mut lock(&self.outbox).to_judge)
    }

    /// Passes in what the program found of them.
    pub(crate) fn judge(&self, judged: Vec<(u64, Option<String>)>) {
        lock(&self.inbox).judged.extend(judged);
        self.waker.wake();
    }

    /// Whether there are outcomes to take or answers to judge, or the job has ended.
    pub(crate) fn has_news(&self) -> bool {
        let outbox = lock(&self.outbox);
        outbox.has_more() || outbox.ending.is_some()
    }

    /// Why there are no more outcomes, once all were taken.
    pub(crate) fn ending(&self) -> Option<JobEnd> {
        let outbox = lock(&self.outbox);
        outbox.ending.clone().filter(|_| outbox.finished.is_empty())
    }

    /// Waits until there is news; false on timeout. `None` waits forever.
    pub(crate) fn wait(&self, timeout: Option<Duration>) -> bool {
        let until = timeout.map(|timeout| Instant::now() + timeout);
        let mut outbox = lock(&self.outbox);
        while !outbox.has_more() && outbox.ending.is_none() {
            let poisoned = std::sync::PoisonError::into_inner;
            outbox = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                None => self.arrived.wait(outbox).unwrap_or_else(poisoned),
                Some(Duration::ZERO) => return false,
                Some(left) => match self.arrived.wait_timeout(outbox, left) {
                    Ok((outbox, _)) => outbox,
                    Err(poisoned) => poisoned.into_inner().0,
                },
            };
        }
        true
    }

    /// Waits until the thread ends.
    pub(crate) fn wait_for_end(&self, timeout: Duration) -> bool {
        let outbox = lock(&self.outbox);
        let found = self.arrived.wait_timeout_while(outbox, timeout, |out| out.ending.is_none());
        let outbox = match found {
            Ok((outbox, _)) => outbox,
            Err(poisoned) => poisoned.into_inner().0,
        };
        outbox.ending.is_some()
    }

    /// Records that the end of the job was awaited, so that it is not awaited again.
    pub(crate) fn note_awaited(&self) {
        self.was_awaited.store(true, Ordering::SeqCst);
    }

    /// Returns a descriptor that is readable while there is news, and starts to signal it.
    pub(crate) fn fd(&self) -> Result<Descriptor> {
        self.is_watched.store(true, Ordering::SeqCst);
        if self.has_news() {
            self.ready.note(0);
        }
        self.ready.fd()
    }

    /// The status to display, and the usage of all answers.
    pub(crate) fn status(&self) -> (Status, Spent) {
        let outbox = lock(&self.outbox);
        (outbox.status.clone(), outbox.spent)
    }

    /// Notices of the budget since the last call.
    pub(crate) fn notices(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.outbox).notices)
    }

    fn ask_to_judge(&self, answers: Vec<Unjudged>) {
        if !answers.is_empty() {
            lock(&self.outbox).to_judge.extend(answers);
            self.notify();
        }
    }

    fn notify(&self) {
        self.arrived.notify_all();
        if self.is_watched.load(Ordering::SeqCst) {
            self.ready.note(0);
        }
    }

    fn tell(&self, finished: Vec<Finished>, ending: Option<JobEnd>, status: Option<Status>) {
        let is_news = !finished.is_empty() || ending.is_some();
        {
            let mut outbox = lock(&self.outbox);
            outbox.finished.extend(finished);
            if ending.is_some() && outbox.ending.is_none() {
                outbox.ending = ending;
            }
            if let Some(status) = status {
                outbox.status = status;
            }
        }
        if is_news {
            self.notify();
        }
    }
}

impl Outbox {
    fn has_more(&self) -> bool {
        !self.finished.is_empty() || !self.to_judge.is_empty()
    }
}

/// Reports the end of the thread to waiting threads, even after a panic.
struct EndNotifier(Arc<JobHandle>);

impl Drop for EndNotifier {
    fn drop(&mut self) {
        self.0.tell(Vec::new(), Some(JobEnd::Lost), None);
    }
}

impl EndNotifier {
    fn serve(self, mut engine: Engine<AnyBook>, mut keeper: Option<JobStore>) {
        let desk = &self.0;
        let mut rows = VecDeque::new();
        let mut told_at: Option<Instant> = None;
        let mut refused = None;
        loop {
            let (wanted, unsent, judged) = {
                let mut inbox = lock(&desk.inbox);
                rows.extend(inbox.rows.drain(..));
                let judged = std::mem::take(&mut inbox.judged);
                (inbox.wanted, std::mem::take(&mut inbox.unsent), judged)
            };
            for (number, reason) in judged {
                engine.judge(number, reason.map(|reason| Rejection::new(Check::Function, reason)));
            }
            if let Some(keeper) = &mut keeper {
                unsent.into_iter().for_each(|(key, message)| keeper.unsent(&key, message));
            }
            while engine.wants() > 0 {
                let Some(row) = rows.pop_front() else { break };
                match engine.offer(row) {
                    Offered::Pushed | Offered::Copied | Offered::Waits => {}
                    Offered::Later(row) => {
                        rows.push_front(row);
                        break;
                    }
                    Offered::Refused(error) => {
                        refused = Some(JobEnd::Refused(error.kind(), error.to_string()));
                        break;
                    }
                }
            }
            while let Some(notice) = engine.notice() {
                lock(&desk.outbox).notices.push(notice);
            }
            match wanted {
                Wanted::Rows => {}
                Wanted::End if rows.is_empty() => engine.end(),
                Wanted::End => {}
                // Nobody takes outcomes or judges answers any more.
                Wanted::Drain => {
                    engine.drain();
                    engine.stop_judging();
                }
                Wanted::Abort => engine.abort(),
            }
            if wanted >= Wanted::Drain || refused.is_some() {
                rows.clear();
            }
            if keeper.as_ref().is_some_and(JobStore::is_failed) {
                engine.drain();
            }
            let timeout = (!engine.is_empty()).then_some(TURN_MAX);
            let turn = engine.turn(timeout);
            desk.ask_to_judge(engine.to_judge());
            if let Some((pilot, _)) = &mut *lock(&desk.pilot) {
                pilot.at_once(engine.status().in_flight as u64);
            }
            let is_old = told_at.is_none_or(|at| at.elapsed() >= STATUS_AGE_MAX);
            let is_over = matches!(turn, Turn::Over(_));
            let status = (is_old || is_over).then(|| {
                told_at = Some(Instant::now());
                engine.status()
            });
            match turn {
                Turn::Finished(finished) => {
                    let mut pilot = lock(&desk.pilot);
                    for finished in &finished {
                        if let Some((pilot, _)) = &mut *pilot {
                            pilot.add(finished, engine.budget().prices());
                        }
                        if let Some(keeper) = &mut keeper {
                            keeper.finished(finished, pilot.is_some());
                        }
                    }
                    drop(pilot);
                    lock(&desk.outbox).spent = engine.budget().spent();
                    desk.tell(finished, None, status);
                }
                Turn::Idle => desk.tell(Vec::new(), None, status),
                Turn::Over(over) => {
                    // Drop what holds files and calls, then report the end.
                    drop(engine);
                    let unsent = std::mem::take(&mut lock(&desk.inbox).unsent);
                    if let Some(keeper) = &mut keeper {
                        unsent.into_iter().for_each(|(key, message)| keeper.unsent(&key, message));
                    }
                    let is_whole = matches!(over, Over::All) && refused.is_none();
                    let kept = keeper.map_or(Ok(()), |keeper| keeper.close(is_whole));
                    let ending = match kept {
                        Ok(()) => refused.unwrap_or(JobEnd::Over(over)),
                        Err(error) => JobEnd::Unwritten(error.to_string()),
                    };
                    return desk.tell(Vec::new(), Some(ending), status);
                }
            }
        }
    }
}
