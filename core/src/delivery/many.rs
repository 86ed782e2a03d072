//! The protocol of a completion queue, over any source of events: which members have events, in which
//! order, and which waiters are woken.
//!
//! # States of a member
//!
//! | state | meaning | ended by |
//! |---|---|---|
//! | reserved | counted as live; its call is being started | `insert`, or a start that failed |
//! | armed | its waker is in its call's queue, its number is not noted | the call inserts an event |
//! | noted | its number is in the ready list; there may be events | a pop that finds none arms it |
//! | paused | armed or noted, or passed over by a pop and neither | `resume`, or finally `cancel` or `close`, note it |
//! | gone | `Done` was popped; its slot is free | – |
//!
//! A member that the queue owns is armed before its call is started, so that it can be paused and
//! cancelled by its tag from then on; a start that fails is its `Done`.
//!
//! # Invariants
//!
//! 1. A live member is armed or noted, never neither: queued events are always reported. A paused
//!    member may be neither: it makes no descriptor readable, and no consumer checks it twice.
//! 2. Events of one call come out in the call's order, whichever consumer takes them.
//! 3. A noted member stays noted while it may have events, and a consumer that takes some of them and
//!    leaves it noted wakes one more sleeper, if any: no thread sleeps while another holds back events
//!    that it could take.
//! 4. After `TURN_EVENTS_MAX` consecutive events a member goes to the back.
//! 5. A late wake of a removed member notes a number without a member, or notes the slot's next
//!    member early: both are harmless.
//! 6. The members' lock is taken before those of the ready list and of a call, never after.
//! 7. No two members that the queue owns have the same tag.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::record::CancelledBy;
use crate::call::observers::{CallEnded, EndedCalls, Observed};
use crate::call::queue::{Event, Pop};
use crate::call::session::Session;
use crate::delivery::log::{self, Collected, Level, Record};
use crate::delivery::ready::Ready;
use crate::driver::wake_fd::Slept;
use crate::system::sync::{Mutex, lock, unpoisoned};

/// The maximum number of consecutive events from one call before the others' turn.
const TURN_EVENTS_MAX: u32 = 64;

/// The result of a wait on a completion queue.
///
/// ```
/// use modelwire::{CompletionQueue, Next};
///
/// # fn run(queue: CompletionQueue) -> modelwire::Result<()> {
/// loop {
///     match queue.next(None)? {
///         Next::Event(tag, event) => println!("call {tag}: {event:?}"),
///         Next::Log(_, record) => eprintln!("{}", record.message),
///         Next::Call(_, ended) => println!("{:?}", ended.record.elapsed()),
///         Next::Empty | Next::Interrupted => {}
///         Next::Closed => break,
///     }
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub enum Next {
    /// An event of the call that was submitted with this tag.
    Event(u64, Event),
    /// A record of the log, which this queue [follows](crate::CompletionQueue::follow_log) with this
    /// tag.
    Log(u64, Record),
    /// A call has ended whose client is [followed](crate::Client::follow_calls) here with this tag.
    Call(u64, CallEnded),
    /// No event yet: the timeout expired, or [`wakeup`](crate::CompletionQueue::wakeup) was called.
    Empty,
    /// A wait of an [interruptible](crate::QueueOptions::interruptible) queue ended: a signal handler
    /// ran on this thread, [`wakeup`](crate::CompletionQueue::wakeup) was called, or it was time to
    /// check whether either happened just before. The calls continue.
    Interrupted,
    /// The queue is closed, and every event was taken.
    Closed,
}

/// How [`next_many`](crate::CompletionQueue::next_many) ended.
///
/// ```
/// use std::time::Duration;
/// use modelwire::{CompletionQueue, Taken};
///
/// let queue = CompletionQueue::new(None);
/// let mut events = Vec::new();
/// assert_eq!(queue.next_many(100, Some(Duration::ZERO), &mut events)?, Taken::Nothing);
/// queue.close();
/// assert_eq!(queue.next_many(100, None, &mut events)?, Taken::Closed);
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// It took one or more of [`Next::Event`], [`Next::Log`] and [`Next::Call`], and no others.
    Something,
    /// Like [`Next::Empty`].
    Nothing,
    /// Like [`Next::Interrupted`].
    Interrupted,
    /// Like [`Next::Closed`].
    Closed,
}

/// A source of events: a call, or a bare event queue in the models.
pub(crate) trait Source {
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop>;
    /// Registers the waker if no event is queued; false if one is.
    fn watch(&self, waker: &Waker) -> bool;
    fn cancel(&self, by: CancelledBy);
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Closing {
    No,
    LetsFinish,
    Cancels,
}

/// The protocol, over any source.
pub(crate) struct Many<S: Source + Clone> {
    pub(super) ready: Ready,
    members: Mutex<Members<S>>,
}

struct Members<S> {
    /// A member's number is its index here.
    slots: Vec<Option<Member<S>>>,
    free: Vec<usize>,
    /// The indexes of the owned members, by tag.
    owned: HashMap<u64, usize>,
    /// The number of reserved, armed, noted and paused members.
    live: usize,
    closing: Closing,
    /// The number of consecutive events from the first member.
    in_a_row: u32,
    log: Option<Follower>,
    calls: Option<Calls>,
}

/// The log as a member, outside of the slots.
struct Follower {
    /// `None` while the log is not delivered here.
    tag: Option<u64>,
    /// Kept as long as the queue lives, so that its number is noted at most once.
    collected: Arc<Collected>,
}

const LOG_NUMBER: u64 = u64::MAX;

/// The ended calls of clients as a member, outside of the slots.
struct Calls {
    /// The followed clients, each with its tag, by the numbers with which their ended calls arrive.
    followed: HashMap<u64, (u64, Observed)>,
    next: u64,
    /// Kept as long as the queue lives, like the log's.
    ended: Arc<EndedCalls>,
}

const CALLS_NUMBER: u64 = u64::MAX - 1;

impl Drop for Follower {
    fn drop(&mut self) {
        log::end(&self.collected);
    }
}

struct Member<S> {
    source: S,
    tag: u64,
    waker: Waker,
    is_owned: bool,
    pause: Pause,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pause {
    No,
    Yes,
    /// A pop skipped it: it is neither armed nor noted.
    PassedOver,
    /// It was cancelled: its end is not held back, even if it is paused later.
    Never,
}

impl<S> Member<S> {
    /// Changes the pause; returns whether the member has to be noted.
    fn unpause(&mut self, then: Pause) -> bool {
        let then = if self.pause == Pause::Never { Pause::Never } else { then };
        std::mem::replace(&mut self.pause, then) == Pause::PassedOver
    }

    fn is_paused(&self) -> bool {
        matches!(self.pause, Pause::Yes | Pause::PassedOver)
    }
}

fn closed() -> Error {
    Error::new(ErrorKind::Closed, "the queue was closed")
}

/// A reserved slot.
pub(super) struct ReservedSlot(usize);

impl<S: Source + Clone> Many<S> {
    /// Creates a protocol whose members notify this list.
    pub(crate) fn over(ready: Ready) -> Many<S> {
        let members = Members {
            slots: Vec::new(),
            free: Vec::new(),
            owned: HashMap::new(),
            live: 0,
            closing: Closing::No,
            in_a_row: 0,
            log: None,
            calls: None,
        };
        Many { ready, members: Mutex::new(members) }
    }

    pub(super) fn reserve(&self) -> Result<ReservedSlot> {
        lock(&self.members).reserve()
    }

    /// Adds a source that has not started as a member owned by the queue.
    pub(crate) fn adopt(&self, source: S, tag: u64) -> Result<()> {
        let mut members = lock(&self.members);
        if members.owned.contains_key(&tag) {
            let message = format!("an unfinished call of this queue has the tag {tag}");
            return Err(Error::argument(message));
        }
        let ReservedSlot(slot) = members.reserve()?;
        let waker = self.ready.waker(slot as u64);
        members.owned.insert(tag, slot);
        if let Some(place) = members.slots.get_mut(slot) {
            let (source, waker) = (source.clone(), waker.clone());
            *place = Some(Member { source, tag, waker, is_owned: true, pause: Pause::No });
        }
        drop(members);
        if !source.watch(&waker) {
            self.ready.note(slot as u64); // cancelled before it started
        }
        Ok(())
    }

    pub(crate) fn cancel(&self, tag: u64) -> bool {
        let Some((source, passed_over)) = self.unpause(tag, Pause::Never) else { return false };
        source.cancel(CancelledBy::Program); // not under the lock
        passed_over.into_iter().for_each(|number| self.ready.note(number));
        true
    }

    pub(crate) fn pause(&self, tag: u64) -> bool {
        let mut members = lock(&self.members);
        let is_closed = members.closing == Closing::Cancels;
        let Some((_, member)) = members.owned(tag) else { return false };
        // A cancelled queue delivers every end.
        if member.pause == Pause::No && !is_closed {
            member.pause = Pause::Yes;
        }
        true
    }

    pub(crate) fn resume(&self, tag: u64) -> bool {
        let Some((_, passed_over)) = self.unpause(tag, Pause::No) else { return false };
        passed_over.into_iter().for_each(|number| self.ready.note(number));
        true
    }

    pub(super) fn follow_log(&self, level: Option<Level>, tag: u64) -> Result<()> {
        let mut members = lock(&self.members);
        let Some(level) = level else {
            if let Some(follower) = &mut members.log {
                follower.tag = None;
                log::ignore(&follower.collected);
            }
            return Ok(());
        };
        if members.closing != Closing::No {
            return Err(closed());
        }
        if let Some(follower) = &mut members.log {
            log::listen(level, &follower.collected)?;
            follower.tag = Some(tag);
            return Ok(());
        }
        let collected = Arc::new(Collected::new(Some(self.ready.waker(LOG_NUMBER))));
        log::listen(level, &collected)?;
        members.log = Some(Follower { tag: Some(tag), collected });
        drop(members);
        self.ready.note(LOG_NUMBER); // the first look there arms it
        Ok(())
    }

    /// Delivers the ended calls of a session here with this tag; with `None`, no longer.
    pub(super) fn follow_calls(&self, session: &Session, tag: Option<u64>) -> Result<()> {
        let mut members = lock(&self.members);
        let Some(tag) = tag else {
            if let Some(calls) = &mut members.calls {
                calls.followed.retain(|_, (_, observed)| !observed.is_on(session.observers()));
            }
            return Ok(());
        };
        if members.closing != Closing::No {
            return Err(closed());
        }
        let is_new = members.calls.is_none();
        let calls = members.calls.get_or_insert_with(|| {
            let ended = Arc::new(EndedCalls::new(Some(self.ready.waker(CALLS_NUMBER))));
            Calls { followed: HashMap::new(), next: 0, ended }
        });
        // Remove those of dropped clients, so that a program that keeps creating clients does not grow the
        // map.
        if calls.ended.is_empty() {
            calls.followed.retain(|_, (_, observed)| !observed.is_orphaned());
        }
        let mut all = calls.followed.values_mut();
        if let Some((own, _)) = all.find(|(_, observed)| observed.is_on(session.observers())) {
            *own = tag;
            return Ok(());
        }
        let observed = Observed::new(session.observers(), &calls.ended, calls.next, None)?;
        calls.followed.insert(calls.next, (tag, observed));
        calls.next += 1;
        drop(members);
        if is_new {
            self.ready.note(CALLS_NUMBER); // the first look there arms it
        }
        Ok(())
    }

    /// Ends a pause; returns the source, and the number to note if a pop skipped it.
    fn unpause(&self, tag: u64, then: Pause) -> Option<(S, Option<u64>)> {
        let mut members = lock(&self.members);
        let (slot, member) = members.owned(tag)?;
        let was_passed_over = member.unpause(then);
        Some((member.source.clone(), was_passed_over.then_some(slot as u64)))
    }

    pub(super) fn give_back(&self, place: ReservedSlot) {
        let mut members = lock(&self.members);
        members.free.push(place.0);
        members.live -= 1;
        let is_over = members.is_over();
        drop(members);
        if is_over {
            self.ready.interrupt();
        }
    }

    pub(super) fn insert(&self, ReservedSlot(slot): ReservedSlot, source: S, tag: u64) {
        let number = slot as u64;
        let waker = self.ready.waker(number);
        let mut members = lock(&self.members);
        let is_closed = members.closing == Closing::Cancels;
        if let Some(place) = members.slots.get_mut(slot) {
            let (source, waker) = (source.clone(), waker.clone());
            *place = Some(Member { source, tag, waker, is_owned: false, pause: Pause::No });
        }
        drop(members);
        if is_closed {
            source.cancel(CancelledBy::Program); // closed during its start
        }
        if !source.watch(&waker) {
            self.ready.note(number);
        }
    }

    /// The next event; `wait` receives the number of live members and the longest wait.
    pub(super) fn next_by(
        &self,
        timeout: Option<Duration>,
        wait: impl Fn(usize, Option<Duration>) -> Slept,
    ) -> Next {
        let mut one = None;
        let take = |members: &mut Members<S>, ready: &Ready| {
            members.pop(1, ready, |taken| one = Some(taken)) > 0
        };
        match self.wait_for(timeout, take, wait) {
            Taken::Something | Taken::Nothing => one.unwrap_or(Next::Empty),
            Taken::Interrupted => Next::Interrupted,
            Taken::Closed => Next::Closed,
        }
    }

    pub(super) fn next_many_by(
        &self,
        max: usize,
        timeout: Option<Duration>,
        taken: &mut Vec<Next>,
        wait: impl Fn(usize, Option<Duration>) -> Slept,
    ) -> Taken {
        let take = |members: &mut Members<S>, ready: &Ready| {
            let before = taken.len();
            loop {
                let left = max - (taken.len() - before);
                if left == 0 || members.pop(left, ready, |one| taken.push(one)) == 0 {
                    return taken.len() > before;
                }
            }
        };
        self.wait_for(timeout, take, wait)
    }

    /// Tries until `take` takes something or a wait ends without a result.
    fn wait_for(
        &self,
        timeout: Option<Duration>,
        mut take: impl FnMut(&mut Members<S>, &Ready) -> bool,
        wait: impl Fn(usize, Option<Duration>) -> Slept,
    ) -> Taken {
        let mut deadline = None;
        let mut last = None;
        loop {
            let mut members = lock(&self.members);
            if take(&mut members, &self.ready) {
                return Taken::Something;
            }
            let (is_over, live) = (members.is_over(), members.live);
            drop(members);
            if is_over {
                self.ready.interrupt(); // passes it on to the next waiter
                return Taken::Closed;
            }
            if let Some(last) = last {
                return last;
            }
            let left = timeout.map(|timeout| match deadline {
                None => {
                    deadline = Instant::now().checked_add(timeout);
                    timeout
                }
                Some(at) => at.saturating_duration_since(Instant::now()),
            });
            // The wait may have ended because of the close: check once more.
            last = match wait(live, left) {
                Slept::Noted => None,
                Slept::InVain => Some(Taken::Nothing),
                Slept::Interrupted => Some(Taken::Interrupted),
            };
        }
    }

    /// The number of members whose `Done` was not taken.
    pub(super) fn unfinished(&self) -> usize {
        lock(&self.members).live
    }

    pub(super) fn is_closed(&self) -> bool {
        lock(&self.members).closing != Closing::No
    }

    pub(super) fn close(&self, closing: Closing) {
        let mut members = lock(&self.members);
        if members.closing != Closing::Cancels {
            members.closing = closing;
        }
        let (mut sources, mut passed_over) = (Vec::new(), Vec::new());
        if closing == Closing::Cancels {
            for (slot, member) in members.slots.iter_mut().enumerate() {
                let Some(member) = member else { continue };
                sources.push(member.source.clone());
                if member.unpause(Pause::Never) {
                    passed_over.push(slot as u64);
                }
            }
        }
        let is_over = members.is_over();
        let log = members.log.take();
        drop(members);
        drop(log);
        sources.iter().for_each(|source| source.cancel(CancelledBy::Program));
        passed_over.into_iter().for_each(|number| self.ready.note(number));
        if is_over {
            self.ready.interrupt();
        }
    }
}

impl<S: Source> Members<S> {
    /// Whether the queue is closed and drained. The records of the last calls come out too, and no later
    /// ones.
    fn is_over(&self) -> bool {
        let is_over = |calls: &Calls| {
            calls.ended.stop();
            calls.ended.is_empty()
        };
        self.closing != Closing::No && self.live == 0 && self.calls.as_ref().is_none_or(is_over)
    }

    fn reserve(&mut self) -> Result<ReservedSlot> {
        if self.closing != Closing::No {
            return Err(closed());
        }
        self.live += 1;
        Ok(ReservedSlot(self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        })))
    }

    /// The owned member with this tag, and its index.
    fn owned(&mut self, tag: u64) -> Option<(usize, &mut Member<S>)> {
        let slot = *self.owned.get(&tag)?;
        Some((slot, self.slots.get_mut(slot)?.as_mut()?))
    }

    /// Takes at most `max` consecutive events of the first member; returns their number.
    fn pop(&mut self, max: usize, ready: &Ready, mut put: impl FnMut(Next)) -> usize {
        while let Some(number) = ready.first() {
            if matches!(number, LOG_NUMBER | CALLS_NUMBER) {
                match self.pop_other(number, max, ready, &mut put) {
                    0 => continue,
                    count => return count,
                }
            }
            let slot = number as usize;
            let Some(member) = self.slots.get_mut(slot).and_then(Option::as_mut) else {
                ready.drop_first(); // a late wake
                continue;
            };
            if member.is_paused() {
                member.pause = Pause::PassedOver;
                ready.drop_first(); // whoever ends the pause notes it again
                self.in_a_row = 0;
                continue;
            }
            let mut count = 0;
            let found = loop {
                let popped = member.source.poll_pop(&Context::from_waker(&member.waker));
                let Poll::Ready(Pop::Event(event)) = popped else { break Some(popped) };
                let is_last = matches!(event, Event::Done(_));
                put(Next::Event(member.tag, event));
                count += 1;
                self.in_a_row += 1;
                if is_last {
                    break Some(Poll::Ready(Pop::End));
                }
                if count == max || self.in_a_row >= TURN_EVENTS_MAX {
                    break None;
                }
            };
            match found {
                None => {
                    let is_turn_over = self.in_a_row >= TURN_EVENTS_MAX;
                    ready.keep_first(is_turn_over);
                    if is_turn_over {
                        self.in_a_row = 0;
                    }
                }
                Some(popped) => {
                    ready.drop_first();
                    self.in_a_row = 0;
                    // Armed now; or gone, if its `Done` was popped here or directly from the call.
                    if popped.is_ready() {
                        self.remove(slot, ready);
                    }
                }
            }
            if count > 0 {
                return count;
            }
        }
        self.pop_ended(max, put)
    }

    /// Takes ended calls that are queued but not noted yet, so that a consumer that saw the end of a
    /// call finds its record. The later note then finds nothing.
    fn pop_ended(&self, max: usize, mut put: impl FnMut(Next)) -> usize {
        let Some(Calls { followed, ended, .. }) = &self.calls else { return 0 };
        let mut count = 0;
        while count < max
            && let Some((number, ended)) = ended.pop()
        {
            if let Some((tag, _)) = followed.get(&number) {
                put(Next::Call(*tag, ended));
                count += 1;
            }
        }
        count
    }

    /// The next record of the log or of ended calls; the inner `None` is one without a receiver.
    fn next_other(&self, number: u64) -> Option<Option<Next>> {
        if number == LOG_NUMBER {
            let Follower { tag, collected } = self.log.as_ref()?;
            let record = collected.next()?;
            return Some(tag.map(|tag| Next::Log(tag, record)));
        }
        let Calls { followed, ended, .. } = self.calls.as_ref()?;
        let (number, ended) = ended.next()?;
        Some(followed.get(&number).map(|(tag, _)| Next::Call(*tag, ended)))
    }

    /// Like `pop`, for the log or the ended calls.
    fn pop_other(
        &mut self,
        number: u64,
        max: usize,
        ready: &Ready,
        put: &mut impl FnMut(Next),
    ) -> usize {
        let mut count = 0;
        let has_more = loop {
            let Some(next) = self.next_other(number) else { break false };
            let Some(next) = next else { continue }; // no longer followed
            put(next);
            count += 1;
            self.in_a_row += 1;
            if count == max || self.in_a_row >= TURN_EVENTS_MAX {
                break true;
            }
        };
        let is_turn_over = self.in_a_row >= TURN_EVENTS_MAX;
        match has_more {
            true => ready.keep_first(is_turn_over),
            false => ready.drop_first(),
        }
        if !has_more || is_turn_over {
            self.in_a_row = 0;
        }
        if self.is_over() {
            ready.interrupt();
        }
        count
    }

    fn remove(&mut self, slot: usize, ready: &Ready) {
        self.in_a_row = 0;
        if let Some(member) = self.slots.get_mut(slot).and_then(Option::take) {
            if member.is_owned {
                self.owned.remove(&member.tag);
            }
            self.free.push(slot);
            self.live -= 1;
        }
        if self.is_over() {
            ready.interrupt();
        }
    }
}

impl<S: Source + Clone> Drop for Many<S> {
    fn drop(&mut self) {
        // This is the last reference, so no lock is needed: after a fork it may be locked forever.
        let members = unpoisoned(self.members.get_mut());
        let slots = members.slots.iter().flatten();
        slots.for_each(|member| member.source.cancel(CancelledBy::Dropped));
    }
}

#[cfg(test)]
#[path = "many_tests.rs"]
pub(crate) mod tests;
