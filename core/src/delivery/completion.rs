//! The completion queue: the events of many calls in one place, each with its call's tag, for one
//! thread or several, sleeping or in an event loop. Knows no HTTP and no language.
//!
//! # States of a member
//!
//! | state | what is true | what ends it |
//! |---|---|---|
//! | reserved | counted as live; its call is being started | `insert`, or a start that failed |
//! | armed | its waker lies in its call's queue, its number is not noted | the call puts an event in |
//! | noted | its number is in the ready list; there may be events | a pop that finds none arms it |
//! | gone | `Done` was popped; its slot is free | – |
//!
//! # Invariants
//!
//! 1. A live member is armed or noted, never neither: events that wait are always told of.
//! 2. Events of one call come out in the call's order, whoever takes them.
//! 3. A noted member stays noted while it may have events, and whoever takes some of them and
//!    leaves it noted wakes one more sleeper, if there is one: no thread sleeps while another holds
//!    back what it could take.
//! 4. After `TURN_EVENTS_MAX` events in a row a member goes behind the others.
//! 5. Closed and drained is told to every waiter: whoever is told passes it on.
//! 6. A late wake of a member that is gone notes a number that finds nothing, or the slot's next
//!    member early: both are harmless.
//! 7. The members' lock is taken before the ready list's and a call's own, never after.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use once_cell::sync::OnceCell;

use crate::call::call::Call;
use crate::call::queue::{Event, Pop};
use crate::call::task::Shared as CallShared;
use crate::delivery::ready::Ready;
use crate::driver::driver::{Driver, Waited};
use crate::driver::state::Awaited;
use crate::error::{Error, Result};
use crate::error_kind::ErrorKind;
use crate::process;
use crate::sync::{Mutex, lock, unpoisoned};

/// Events that one call may have taken in a row before others come.
const TURN_EVENTS_MAX: u32 = 64;

/// What a completion queue gave.
#[derive(Debug)]
pub enum Next {
    /// An event of the call that was submitted with this tag.
    Event(u64, Event),
    /// Nothing yet: the timeout ran out, or [`CompletionQueue::wakeup`] was called.
    Empty,
    /// The queue was closed, and every event was taken.
    Closed,
}

/// Events of many calls, each with the tag of its call. Cheap to clone; every method may be called
/// from any thread. Dropping the last clone cancels its calls.
#[derive(Clone)]
pub struct CompletionQueue {
    generation: u64,
    many: Arc<Many<Arc<CallShared>>>,
    call_events_max: usize,
    /// What a thread that waits here may do the I/O of.
    driver: Arc<OnceCell<Arc<Driver>>>,
}

impl CompletionQueue {
    /// An empty queue. `call_events_max` is how many events of one call wait at most (at least 2)
    /// before its body is no longer read; `None` leaves it to the client's limits.
    pub fn new(call_events_max: Option<usize>) -> CompletionQueue {
        let call_events_max = call_events_max.unwrap_or(usize::MAX);
        let many = Arc::new(Many::new());
        let (generation, driver) = (process::generation(), Arc::default());
        CompletionQueue { generation, many, call_events_max, driver }
    }

    /// Starts a call whose events will come out here with this tag, the last of them `Done`. An
    /// error means that nothing was sent and no event will come. The call's own pops are not to be
    /// used then; cancelling it, or dropping it, ends it as always.
    pub fn submit(&self, call: &Call, stream: bool, tag: u64) -> Result<()> {
        self.check_process()?;
        let place = self.many.reserve()?;
        let shared = call.shared();
        shared.queue.limit_events(self.call_events_max);
        match call.begin(stream, Awaited::AtQueue) {
            Ok(()) => {
                if let Some(driver) = shared.driver() {
                    self.driver.get_or_init(|| driver.clone());
                }
                self.many.insert(place, shared.clone(), tag);
            }
            Err(error) => {
                self.many.give_back(place);
                return Err(error);
            }
        }
        Ok(())
    }

    /// The next event of any call; waits for it until the timeout runs out. `None` waits for ever,
    /// zero not at all.
    pub fn next(&self, timeout: Option<Duration>) -> Result<Next> {
        self.check_process()?;
        Ok(self.many.next_by(timeout, |live, left| self.wait(live, left)))
    }

    /// Sleeps until a member is noted, or does the I/O meanwhile if all that lives are members.
    fn wait(&self, live: usize, timeout: Option<Duration>) -> bool {
        let ready = &self.many.ready;
        if let Some(driver) = self.driver.get() {
            let noted = poll_fn(|cx| ready.poll_wait(cx));
            match driver.wait(live, timeout, || ready.has_company(), noted) {
                Waited::Found(is_noted) => return is_noted,
                Waited::TimedOut => return false,
                Waited::Elsewhere => {}
            }
        }
        ready.wait(timeout)
    }

    /// As many events as are there, at most `max`, appended to `events`; waits only for the first
    /// one. [`Next::Event`] stands for the last of them.
    pub fn next_many(
        &self,
        max: usize,
        timeout: Option<Duration>,
        events: &mut Vec<(u64, Event)>,
    ) -> Result<bool> {
        self.check_process()?;
        Ok(self.many.next_many_by(max, timeout, events, |live, left| self.wait(live, left)))
    }

    /// Lets one waiting `next`, or the next one, return [`Next::Empty`].
    pub fn wakeup(&self) {
        if self.check_process().is_ok() {
            self.many.ready.interrupt();
        }
    }

    /// Refuses new calls and cancels those under way. Their `Done` comes out as always; then every
    /// `next` gives [`Next::Closed`].
    pub fn close(&self) {
        if self.check_process().is_ok() {
            self.many.close(Closing::Cancels);
        }
    }

    /// Refuses new calls; those under way go on. Then every `next` gives [`Next::Closed`].
    pub(crate) fn retire(&self) {
        if self.check_process().is_ok() {
            self.many.close(Closing::LetsFinish);
        }
    }

    /// A descriptor that is readable while there may be something to take, and once the queue is
    /// closed: when it is, call [`CompletionQueue::next`] with a timeout of zero until it gives
    /// something else than an event. It stays the queue's: a program that wants to own it makes a
    /// duplicate.
    pub fn fd(&self) -> Result<std::os::fd::RawFd> {
        self.many.ready.fd()
    }

    fn check_process(&self) -> Result<()> {
        if process::generation() == self.generation {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Forked, "this completion queue belongs to the parent process"))
    }
}

/// Where events come from: a call, or a bare event queue in the models of this file.
pub(crate) trait Source {
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop>;
    /// Leaves the waker if nothing waits; false if something does.
    fn watch(&self, waker: &Waker) -> bool;
    fn cancel(&self);
}

impl Source for Arc<CallShared> {
    fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop> {
        self.queue.poll_pop(cx)
    }

    fn watch(&self, waker: &Waker) -> bool {
        self.queue.watch(waker)
    }

    fn cancel(&self) {
        CallShared::cancel(self);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Closing {
    No,
    LetsFinish,
    Cancels,
}

/// The protocol, over any source.
pub(crate) struct Many<S: Source + Clone> {
    ready: Ready,
    members: Mutex<Members<S>>,
}

struct Members<S> {
    /// A member's number is its place here.
    slots: Vec<Option<Member<S>>>,
    free: Vec<usize>,
    /// Reserved, armed and noted ones.
    live: usize,
    closing: Closing,
    /// Events that the first one gave in a row.
    in_a_row: u32,
}

struct Member<S> {
    source: S,
    tag: u64,
    waker: Waker,
}

/// A slot that was reserved.
struct Place(usize);

impl<S: Source + Clone> Many<S> {
    pub(crate) fn new() -> Many<S> {
        let members = Members {
            slots: Vec::new(),
            free: Vec::new(),
            live: 0,
            closing: Closing::No,
            in_a_row: 0,
        };
        Many { ready: Ready::new(), members: Mutex::new(members) }
    }

    fn reserve(&self) -> Result<Place> {
        let mut members = lock(&self.members);
        if members.closing != Closing::No {
            return Err(Error::new(ErrorKind::Closed, "the completion queue was closed"));
        }
        members.live += 1;
        let slot = members.free.pop().unwrap_or_else(|| {
            members.slots.push(None);
            members.slots.len() - 1
        });
        Ok(Place(slot))
    }

    fn give_back(&self, place: Place) {
        let mut members = lock(&self.members);
        members.free.push(place.0);
        members.live -= 1;
        let is_over = members.is_over();
        drop(members);
        if is_over {
            self.ready.interrupt();
        }
    }

    fn insert(&self, Place(slot): Place, source: S, tag: u64) {
        let number = slot as u64;
        let waker = self.ready.waker(number);
        let mut members = lock(&self.members);
        let is_closed = members.closing == Closing::Cancels;
        if let Some(place) = members.slots.get_mut(slot) {
            *place = Some(Member { source: source.clone(), tag, waker: waker.clone() });
        }
        drop(members);
        if is_closed {
            source.cancel(); // closed while it was started
        }
        if !source.watch(&waker) {
            self.ready.note(number);
        }
    }

    /// The next event; `wait` is told how many members live, and how long it may wait. False if
    /// nothing was noted.
    fn next_by(
        &self,
        timeout: Option<Duration>,
        wait: impl Fn(usize, Option<Duration>) -> bool,
    ) -> Next {
        let mut one = None;
        let take = |members: &mut Members<S>, ready: &Ready| {
            members.pop(1, ready, |tag, event| one = Some((tag, event))) > 0
        };
        let is_closed = !self.wait_for(timeout, take, wait);
        match one {
            Some((tag, event)) => Next::Event(tag, event),
            None if is_closed => Next::Closed,
            None => Next::Empty,
        }
    }

    /// False if the queue is closed and drained.
    fn next_many_by(
        &self,
        max: usize,
        timeout: Option<Duration>,
        events: &mut Vec<(u64, Event)>,
        wait: impl Fn(usize, Option<Duration>) -> bool,
    ) -> bool {
        let take = |members: &mut Members<S>, ready: &Ready| {
            let before = events.len();
            loop {
                let left = max - (events.len() - before);
                if left == 0
                    || members.pop(left, ready, |tag, event| events.push((tag, event))) == 0
                {
                    return events.len() > before;
                }
            }
        };
        self.wait_for(timeout, take, wait)
    }

    /// Tries until it takes something or the time is over; false if closed and drained.
    fn wait_for(
        &self,
        timeout: Option<Duration>,
        mut take: impl FnMut(&mut Members<S>, &Ready) -> bool,
        wait: impl Fn(usize, Option<Duration>) -> bool,
    ) -> bool {
        let mut deadline = None;
        let mut is_last_look = false;
        loop {
            let mut members = lock(&self.members);
            if take(&mut members, &self.ready) {
                return true;
            }
            let (is_over, live) = (members.is_over(), members.live);
            drop(members);
            if is_over {
                self.ready.interrupt(); // the next waiter is told too
                return false;
            }
            if is_last_look {
                return true;
            }
            let left = timeout.map(|timeout| match deadline {
                None => {
                    deadline = Instant::now().checked_add(timeout);
                    timeout
                }
                Some(at) => at.saturating_duration_since(Instant::now()),
            });
            // What ended the wait may be the close: one more look.
            is_last_look = !wait(live, left);
        }
    }

    fn close(&self, closing: Closing) {
        let mut members = lock(&self.members);
        if members.closing != Closing::Cancels {
            members.closing = closing;
        }
        let sources: Vec<S> =
            members.slots.iter().flatten().map(|member| member.source.clone()).collect();
        let is_over = members.is_over();
        drop(members);
        if closing == Closing::Cancels {
            sources.iter().for_each(Source::cancel);
        }
        if is_over {
            self.ready.interrupt();
        }
    }
}

impl<S: Source> Members<S> {
    fn is_over(&self) -> bool {
        self.closing != Closing::No && self.live == 0
    }

    /// Takes what the first member has, at most `max` events in a row; how many it were.
    fn pop(&mut self, max: usize, ready: &Ready, mut put: impl FnMut(u64, Event)) -> usize {
        while let Some(number) = ready.first() {
            let slot = number as usize;
            let Some(member) = self.slots.get(slot).and_then(Option::as_ref) else {
                ready.drop_first(); // a late wake
                continue;
            };
            let mut count = 0;
            let found = loop {
                let popped = member.source.poll_pop(&Context::from_waker(&member.waker));
                let Poll::Ready(Pop::Event(event)) = popped else { break Some(popped) };
                let is_last = matches!(event, Event::Done(_));
                put(member.tag, event);
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
                    // Armed now; or gone, if its `Done` was popped here or past us.
                    if popped.is_ready() {
                        self.remove(slot, ready);
                    }
                }
            }
            if count > 0 {
                return count;
            }
        }
        0
    }

    fn remove(&mut self, slot: usize, ready: &Ready) {
        self.in_a_row = 0;
        if self.slots.get_mut(slot).and_then(Option::take).is_some() {
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
        // Nobody else holds it, so no lock is taken: a fork may have left it locked.
        let members = unpoisoned(self.members.get_mut());
        members.slots.iter().flatten().for_each(|member| member.source.cancel());
    }
}

#[cfg(test)]
#[path = "completion_tests.rs"]
pub(crate) mod tests;
