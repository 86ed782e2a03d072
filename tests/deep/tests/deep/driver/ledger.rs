//! What each call of a program was promised and what it got: every event once and in order, the end
//! once, none of it late.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, ThreadId};

use modelwire::{Call, Chunk, Error, ErrorKind, Event, Response};

use super::clock::{Nanos, in_ms, ms, now};
use super::server::{Plan, Stamp};

/// Within this time what is ready on a socket is handled.
const BOUND: Nanos = ms(25);
/// What a machine of this kind may add even when it says nothing of it.
const SLACK: Nanos = ms(20);
/// How long a call may wait before it uses a connection again.
const GRACE: Nanos = ms(10);
/// Where the events of a call come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Queue,
    Own,
    Blocking,
    Handler,
    Async,
}

/// What its taker did before an event came.
#[derive(Clone, Copy)]
pub enum Taker {
    /// Waited for it since then.
    Waiting(Nanos),
    /// Looked for it then, and found nothing.
    Looking(Nanos),
    /// Something else.
    Busy,
}

/// Something that took this long, and by how much it may exceed the bound.
pub struct Late {
    pub from: Nanos,
    pub to: Nanos,
    pub spare: Nanos,
    pub what: String,
}

impl Late {
    /// Whether it is too much, beside what the machine explains.
    pub fn is_fault(&self, excuse: Nanos) -> bool {
        self.to.saturating_sub(self.from) > BOUND + SLACK + self.spare + excuse
    }
}

struct Entry {
    way: Way,
    plan: Plan,
    /// Its events had to wait for their consumer.
    is_tight: bool,
    asked_at: Nanos,
    call: Option<Arc<Call>>,
    was_refused: bool,
    /// Nobody asks for its end.
    was_left: bool,
    was_cancelled: bool,
    opened: usize,
    pieces: Vec<(ThreadId, Stamp)>,
    ends: Vec<Result<Response, Error>>,
    handler_drops: usize,
}

/// All calls of a program.
#[derive(Default)]
pub struct Ledger {
    entries: Mutex<Vec<Entry>>,
    late: Mutex<Vec<Late>>,
    faults: Mutex<Vec<String>>,
    events: AtomicUsize,
    /// The library was, or is being, shut down.
    pub is_shut: AtomicBool,
}

impl Ledger {
    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap()
    }

    pub fn fault(&self, what: impl Into<String>) {
        self.faults.lock().unwrap().push(what.into());
    }

    fn late(&self, from: Nanos, to: Nanos, spare: Nanos, what: impl Into<String>) {
        let late = Late { from, to, spare, what: what.into() };
        if late.is_fault(0) {
            self.late.lock().unwrap().push(late);
        }
    }

    /// Whatever had to be over by this time is over now.
    pub fn due(&self, at: Nanos, what: &str) {
        self.late(at, now(), 0, what);
    }

    /// A call that is about to be made; its tag.
    pub fn ask(&self, way: Way, plan: Plan, is_tight: bool) -> usize {
        let mut entries = self.entries();
        entries.push(Entry {
            way,
            plan,
            is_tight,
            asked_at: now(),
            call: None,
            was_refused: false,
            was_left: false,
            was_cancelled: false,
            opened: 0,
            pieces: Vec::new(),
            ends: Vec::new(),
            handler_drops: 0,
        });
        entries.len() - 1
    }

    /// Whether the call was started.
    pub fn started(&self, tag: usize, call: Call, outcome: modelwire::Result<()>) -> bool {
        let call = Arc::new(call);
        let mut entries = self.entries();
        let entry = &mut entries[tag];
        entry.was_refused = outcome.is_err();
        entry.call = Some(call);
        drop(entries);
        if let Err(error) = outcome {
            self.check_error(tag, &error);
            return false;
        }
        true
    }

    /// Cancels it through this; what it still had is not asked for.
    pub fn cancels(&self, tag: usize) {
        self.entries()[tag].was_cancelled = true;
    }

    /// Nobody will take its end.
    pub fn leaves(&self, tag: usize) {
        self.entries()[tag].was_left = true;
    }

    pub fn call(&self, tag: usize) -> Option<Arc<Call>> {
        self.entries()[tag].call.clone()
    }

    pub fn take_call(&self, tag: usize) -> Option<Arc<Call>> {
        self.entries()[tag].call.take()
    }

    /// Calls that can be cancelled and have not ended.
    pub fn running(&self) -> Vec<usize> {
        let entries = self.entries();
        let running = |entry: &Entry| entry.call.is_some() && !entry.is_over();
        (0..entries.len()).filter(|tag| running(&entries[*tag])).collect()
    }

    /// Calls that have not ended, each with what is known of it.
    pub fn under_way(&self) -> Vec<String> {
        let entries = self.entries();
        let told = entries.iter().enumerate().filter(|(_, entry)| !entry.is_over());
        told.map(|(tag, entry)| format!("call {tag} ({entry})")).collect()
    }

    pub fn all_are_over(&self) -> bool {
        self.entries().iter().all(Entry::is_over)
    }

    pub fn event(&self, tag: usize, event: &Event, taker: Taker) {
        match event {
            Event::Open(_) => self.opened(tag),
            Event::Chunk(chunk) => self.piece(tag, chunk, taker),
            Event::Done(Ok(answer)) => self.end(tag, Ok(answer.clone()), taker),
            Event::Done(Err(error)) => self.end(tag, Err(error.clone()), taker),
        }
    }

    pub fn opened(&self, tag: usize) {
        self.entries()[tag].opened += 1;
    }

    pub fn piece(&self, tag: usize, chunk: &Chunk, taker: Taker) {
        self.say(tag, &chunk.text(), taker);
    }

    pub fn end(&self, tag: usize, outcome: Result<Response, Error>, taker: Taker) {
        match &outcome {
            // The text of a stream came in pieces.
            Ok(answer) if answer.document().is_some() => self.say(tag, &answer.text(), taker),
            Ok(_) => {}
            Err(error) => self.check_error(tag, error),
        }
        self.entries()[tag].ends.push(outcome);
    }

    fn say(&self, tag: usize, text: &str, taker: Taker) {
        let taken_at = now();
        self.events.fetch_add(1, Ordering::Relaxed);
        let stamp = match text.parse::<Stamp>() {
            Ok(stamp) if stamp.tag == tag => stamp,
            Ok(_) => return self.fault(format!("call {tag} got what is another's: {text}")),
            Err(wrong) => return self.fault(format!("call {tag}: {wrong}")),
        };
        match taker {
            Taker::Waiting(since) => {
                self.late(stamp.written.max(since), taken_at, 0, format!("wait for {stamp}"));
            }
            Taker::Looking(at) => self.late(stamp.written, at, 0, format!("look for {stamp}")),
            Taker::Busy => {}
        }
        self.entries()[tag].pieces.push((thread::current().id(), stamp));
    }

    fn check_error(&self, tag: usize, error: &Error) {
        let entries = self.entries();
        let Entry { plan, asked_at, was_cancelled, .. } = &entries[tag];
        let (since, service_time, was_cancelled) = (*asked_at, plan.time(), *was_cancelled);
        drop(entries);
        match error.kind() {
            ErrorKind::Cancelled if was_cancelled => {}
            ErrorKind::Shutdown if self.is_shut.load(Ordering::SeqCst) => {}
            // No plan takes so long: the answer was there and was not read.
            ErrorKind::Timeout => {
                let elapsed = Nanos::try_from(error.elapsed().as_nanos()).unwrap();
                let what = format!("call {tag} timed out: {error}");
                self.late(since, since + elapsed, ms(service_time) + GRACE + BOUND, what);
            }
            _ => self.fault(format!("call {tag} failed: {error:?}")),
        }
    }

    pub fn handler_dropped(&self, tag: usize) {
        self.entries()[tag].handler_drops += 1;
    }

    /// What was wrong, what was late, how many calls and events there were.
    pub fn judge(&self, is_cut: bool) -> (Vec<String>, Vec<Late>, usize, usize) {
        for (tag, entry) in self.entries().iter().enumerate() {
            if let Err(fault) = entry.check(is_cut) {
                self.fault(format!("call {tag} {fault}: {entry}"));
            }
            if !is_cut {
                self.check_times(tag, entry);
            }
        }
        let faults = std::mem::take(&mut *self.faults.lock().unwrap());
        let mut late = std::mem::take(&mut *self.late.lock().unwrap());
        if is_cut {
            late.clear();
        }
        (faults, late, self.entries().len(), self.events.load(Ordering::Relaxed))
    }

    fn check_times(&self, tag: usize, entry: &Entry) {
        let Some((_, first)) = entry.pieces.first() else { return };
        let Entry { way, plan, asked_at, .. } = entry;
        let spare = GRACE + if first.is_fresh { BOUND } else { 0 };
        let what = format!("call {tag} ({way:?}, {plan:?}) was sent");
        self.late(*asked_at, first.arrived, spare, what);
        let (Some(Ok(answer)), false) = (entry.ends.first(), entry.is_tight) else { return };
        // Its first attempt began when it was asked for, or later.
        let elapsed = Nanos::try_from(answer.elapsed().as_nanos()).unwrap();
        let written = entry.pieces.iter().map(|(_, stamp)| stamp.written).max();
        let what = format!("call {tag} ({way:?}, {plan:?}) was finished");
        self.late(written.unwrap_or_default(), asked_at + elapsed, 0, what);
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { way, plan, was_cancelled, opened, ends, .. } = self;
        write!(f, "{way:?} {plan:?}")?;
        if *was_cancelled {
            write!(f, " that was cancelled")?;
        }
        let got: Vec<u64> = self.pieces.iter().map(|(_, stamp)| stamp.number).collect();
        write!(f, ", {opened} times opened, got {got:?} and {ends:?}")
    }
}

impl Entry {
    fn is_over(&self) -> bool {
        let has_handler = self.way == Way::Handler;
        let has_ended = self.was_refused || self.was_left || !self.ends.is_empty();
        has_ended && (!has_handler || self.handler_drops > 0)
    }

    /// That it got all that it had to get, and nothing else.
    fn check(&self, is_cut: bool) -> Result<(), &'static str> {
        let ensure = |is_so: bool, otherwise| if is_so { Ok(()) } else { Err(otherwise) };
        if self.way == Way::Handler {
            ensure(self.handler_drops == 1, "had its handler dropped not once")?;
        }
        if self.was_refused {
            let nothing = self.ends.is_empty() && self.pieces.is_empty() && self.opened == 0;
            return ensure(nothing, "was refused and got something");
        }
        ensure(self.ends.len() <= 1, "ended more than once")?;
        ensure(self.was_left || self.ends.len() == 1, "did not end")?;
        ensure(self.opened <= usize::from(self.plan.chunks > 0), "was opened too often")?;
        let mut numbers: Vec<u64> = self.pieces.iter().map(|(_, stamp)| stamp.number).collect();
        let mut threads: Vec<ThreadId> = self.pieces.iter().map(|(thread, _)| *thread).collect();
        threads.dedup();
        for thread in threads {
            let its = self.pieces.iter().filter(|(by, _)| *by == thread);
            ensure(its.is_sorted_by_key(|(_, stamp)| stamp.number), "was given out of order")?;
        }
        numbers.sort_unstable();
        ensure((0..).zip(&numbers).all(|(at, number)| at == *number), "lost or doubled a piece")?;
        if self.was_left || self.was_cancelled || is_cut {
            return Ok(());
        }
        let has_failed = self.ends.iter().any(Result::is_err);
        let wanted = self.plan.chunks.max(1);
        ensure(has_failed || numbers.len() as u64 == wanted, "did not get all")?;
        ensure(has_failed || self.opened == usize::from(self.plan.chunks > 0), "was not opened")
    }
}

/// A line of a report.
impl fmt::Display for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms: {}", in_ms(self.to.saturating_sub(self.from)), self.what)
    }
}
