//! The bounded event queue of a call: the basis of every way to consume it. A task waits through a
//! [`Waker`], a thread through a condition variable.
//!
//! The producer fills the inbox, the consumer empties the outbox, and when the outbox is empty the
//! consumer takes the whole inbox at once. So the two synchronize once for many events, and neither
//! delays the other.
//!
//! # States
//!
//! | state | queued events | a pop returns |
//! |---|---|---|
//! | running | any | the next event, or `Empty` |
//! | finished | any, the last of them `Done` | the next event |
//! | ended | none, `Done` was popped | `End`, forever |
//!
//! # Invariants
//!
//! 1. Order: at most one `Open`, then chunks, then exactly one `Done`; nothing follows `Done`.
//! 2. Bound: inbox and outbox each hold at most half of `bytes_max` and of `events_max`; a single
//!    larger event enters an empty inbox; `Done` always enters, and so does the last batch before the
//!    `Done` of a deadline.
//! 3. A consumer must be woken exactly when it found both boxes empty since the last wake. The producer
//!    takes its waker under the lock and wakes it after the lock, once, for any number of events.
//! 4. The producer must be woken exactly when it found no room. The consumer wakes it when it takes the
//!    inbox.
//! 5. Cancelling a wait takes no event: an event leaves the queue only through a pop that returns it.
//! 6. No foreign code runs under a lock: wakers are called after it. The outbox is locked before the
//!    inbox, and never while a thread sleeps.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::answer::error::{Error, Result};
use crate::answer::head::Head;
use crate::answer::response::Response;
use crate::driver::deferred_wakes;
use crate::protocol::chunk::Chunk;
use crate::system::sync::{Condvar, Mutex, MutexGuard, lock, unpoisoned};

/// An event of a call, in this order: `Open` (streams only), chunks, `Done`.
///
/// ```
/// use modelwire::Event;
///
/// fn print(event: Event) {
///     match event {
///         Event::Open(head) => println!("status {}", head.status()),
///         Event::Chunk(chunk) => print!("{}", chunk.text()),
///         Event::Done(Ok(response)) => println!("{:?}", response.usage()),
///         Event::Done(Err(error)) => eprintln!("{error}"),
///     }
/// }
/// ```
#[derive(Debug)]
pub enum Event {
    /// The service accepted the call: the status is success and the stream begins.
    Open(std::sync::Arc<Head>),
    /// One event of the stream.
    Chunk(Chunk),
    /// The end, exactly once, also on every failure.
    Done(Result<Response>),
}

impl Event {
    pub(crate) fn cost(&self) -> usize {
        match self {
            Event::Chunk(chunk) => chunk.cost(),
            Event::Open(_) | Event::Done(_) => 0,
        }
    }
}

/// The result of a pop.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use std::time::Duration;
/// use modelwire::{Call, Event, Pop, Request};
///
/// let call = Call::new(&client, Request::models());
/// call.start(false)?;
/// let error = loop {
///     match call.pop(Some(Duration::from_millis(100)))? {
///         Pop::Event(Event::Done(outcome)) => break outcome.unwrap_err(), // nothing listens there
///         Pop::Event(_) => {}
///         Pop::Empty => println!("still waiting"),
///         Pop::End => unreachable!("the end was popped"),
///     }
/// };
/// assert!(matches!(call.pop(None)?, Pop::End));
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Debug)]
pub enum Pop {
    /// The next event.
    Event(Event),
    /// No event yet; for a pop with a timeout, the timeout expired.
    Empty,
    /// `Done` was popped before; there are no more events.
    End,
}

/// The events that the producer inserted and no consumer has taken over.
#[derive(Default)]
struct Inbox {
    events: VecDeque<Event>,
    /// The size of the events.
    bytes: usize,
    /// Half of the bound on their number.
    events_max: usize,
    /// `Done` was inserted.
    finished: bool,
    /// Threads that sleep in `pop`.
    sleepers: usize,
    /// The task that found nothing to pop.
    consumer: Option<Waker>,
    /// The task that found no room.
    producer: Option<Waker>,
}

impl Inbox {
    fn leave(&mut self, waker: &Waker) {
        match &mut self.consumer {
            Some(left) => left.clone_from(waker),
            None => self.consumer = Some(waker.clone()),
        }
    }
}

/// The events that a consumer took over and has not popped.
#[derive(Default)]
struct Outbox {
    events: VecDeque<Event>,
    /// `Done` was popped.
    ended: bool,
}

pub(crate) struct EventQueue {
    inbox: Mutex<Inbox>,
    outbox: Mutex<Outbox>,
    readable: Condvar,
    /// Half of the bound, for the inbox; the outbox is what the inbox was.
    bytes_max: usize,
}

/// The wakers to call when this is dropped: taken under the lock, called after it.
#[must_use]
struct Wakes<'a> {
    waker: Option<Waker>,
    sleepers: Option<&'a Condvar>,
}

impl Drop for Wakes<'_> {
    fn drop(&mut self) {
        if let Some(waker) = self.waker.take() {
            deferred_wakes::wake(waker);
        }
        if let Some(readable) = self.sleepers {
            readable.notify_all();
        }
    }
}

/// The remaining work once a queue has its `Done` and no lock is held: wake the waiters, and drop what
/// is no longer needed.
#[must_use]
pub(crate) struct Ended<'a> {
    _consumer: Wakes<'a>,
    _producer: Wakes<'a>,
    _dropped: VecDeque<Event>,
}

impl EventQueue {
    pub(crate) fn new(events_max: usize, bytes_max: usize) -> EventQueue {
        EventQueue {
            inbox: Mutex::new(Inbox { events_max: events_max.div_ceil(2), ..Inbox::default() }),
            outbox: Mutex::new(Outbox::default()),
            readable: Condvar::new(),
            bytes_max: bytes_max.div_ceil(2),
        }
    }

    /// Tightens the bound on the number of events.
    pub(crate) fn limit_events(&self, events_max: usize) {
        let mut inbox = lock(&self.inbox);
        inbox.events_max = inbox.events_max.min(events_max.div_ceil(2)).max(1);
    }

    /// Moves events from `batch` into the queue, in order; pending while some found no room.
    pub(crate) fn poll_push(&self, batch: &mut VecDeque<Event>, cx: &Context<'_>) -> Poll<()> {
        let mut inbox = lock(&self.inbox);
        if inbox.finished {
            batch.clear(); // cancelled in the meantime: nothing follows `Done`
            return Poll::Ready(());
        }
        let before = inbox.events.len();
        while let Some(event) = batch.front() {
            let cost = event.cost();
            let has_room = inbox.events.len() < inbox.events_max
                && inbox.bytes.saturating_add(cost) <= self.bytes_max;
            if !has_room && !inbox.events.is_empty() {
                break;
            }
            inbox.bytes += cost;
            if let Some(event) = batch.pop_front() {
                inbox.events.push_back(event);
            }
        }
        let has_new = inbox.events.len() > before;
        let outcome = if batch.is_empty() {
            inbox.producer = None;
            Poll::Ready(())
        } else {
            inbox.producer = Some(cx.waker().clone());
            Poll::Pending
        };
        let wakes = has_new.then(|| self.wakes_of_consumer(&mut inbox));
        drop(inbox);
        drop(wakes);
        outcome
    }

    /// Moves every event from `batch` into the queue even without room, so that a late consumer does
    /// not lose what was received before the deadline.
    pub(crate) fn push_all(&self, batch: &mut VecDeque<Event>) {
        let mut inbox = lock(&self.inbox);
        if inbox.finished {
            return;
        }
        inbox.events.append(batch);
        let wakes = self.wakes_of_consumer(&mut inbox);
        drop(inbox);
        drop(wakes);
    }

    /// Inserts `Done`; `None` if it was already in. Dropping the returned value wakes the waiters.
    pub(crate) fn finish(&self, outcome: Result<Response>) -> Option<Ended<'_>> {
        let inbox = lock(&self.inbox);
        (!inbox.finished).then(|| self.end(inbox, Some(outcome), VecDeque::new()))
    }

    /// Drops the queued chunks and inserts `Done`; `None` if it was already in: then all events remain
    /// to be popped.
    pub(crate) fn abandon(&self, error: Error) -> Option<Ended<'_>> {
        let mut outbox = lock(&self.outbox);
        let mut inbox = lock(&self.inbox);
        if inbox.finished {
            return None;
        }
        let mut dropped = std::mem::take(&mut outbox.events);
        dropped.append(&mut inbox.events);
        inbox.bytes = 0;
        drop(outbox);
        Some(self.end(inbox, Some(Err(error)), dropped))
    }

    /// There will be no event: the call could not be started.
    pub(crate) fn close(&self) -> Ended<'_> {
        lock(&self.outbox).ended = true;
        self.end(lock(&self.inbox), None, VecDeque::new())
    }

    pub(crate) fn is_finished(&self) -> bool {
        lock(&self.inbox).finished
    }

    fn end(
        &self,
        mut inbox: MutexGuard<'_, Inbox>,
        outcome: Option<Result<Response>>,
        dropped: VecDeque<Event>,
    ) -> Ended<'_> {
        inbox.finished = true;
        inbox.events.extend(outcome.map(Event::Done));
        let producer = Wakes { waker: inbox.producer.take(), sleepers: None };
        let consumer = self.wakes_of_consumer(&mut inbox);
        Ended { _consumer: consumer, _producer: producer, _dropped: dropped }
    }

    fn wakes_of_consumer(&self, inbox: &mut Inbox) -> Wakes<'_> {
        Wakes {
            waker: inbox.consumer.take(),
            sleepers: (inbox.sleepers > 0).then_some(&self.readable),
        }
    }

    /// Takes the next event; if there is none, returns the locked inbox, so that a waiter can be
    /// registered before anything is inserted.
    fn take(&self) -> Result<Pop, MutexGuard<'_, Inbox>> {
        let mut outbox = lock(&self.outbox);
        let mut wakes = Wakes { waker: None, sleepers: None };
        if outbox.events.is_empty() {
            if outbox.ended {
                return Ok(Pop::End);
            }
            let mut inbox = lock(&self.inbox);
            if inbox.events.is_empty() {
                return Err(inbox);
            }
            // The empty deque goes back to the inbox and keeps its allocation.
            std::mem::swap(&mut outbox.events, &mut inbox.events);
            inbox.bytes = 0;
            wakes.waker = inbox.producer.take();
        }
        let event = outbox.events.pop_front();
        outbox.ended = matches!(event, Some(Event::Done(_)));
        drop(outbox);
        drop(wakes);
        Ok(event.map_or(Pop::Empty, Pop::Event))
    }

    /// The next event if there is one; never waits.
    pub(crate) fn try_pop(&self) -> Pop {
        self.take().unwrap_or(Pop::Empty)
    }

    /// The next event; sleeps until there is one or the timeout expires. `None` waits forever.
    pub(crate) fn pop(&self, timeout: Option<Duration>) -> Pop {
        let mut deadline = None;
        loop {
            let mut inbox = match self.take() {
                Ok(pop) => return pop,
                Err(inbox) => inbox,
            };
            let left = match (timeout, deadline) {
                (None, _) => None,
                (Some(timeout), None) => {
                    deadline = Instant::now().checked_add(timeout);
                    Some(timeout)
                }
                (Some(_), Some(at)) => Some(at.saturating_duration_since(Instant::now())),
            };
            if left == Some(Duration::ZERO) {
                return Pop::Empty;
            }
            inbox.sleepers += 1;
            let mut inbox = match left {
                Some(left) => {
                    let waited = self.readable.wait_timeout(inbox, left);
                    unpoisoned(waited).0
                }
                None => unpoisoned(self.readable.wait(inbox)),
            };
            inbox.sleepers -= 1;
        }
    }

    /// The next event, for a task: pending leaves the task's waker, which is called once when
    /// there is something to pop. One task at a time: a later waker replaces an earlier one.
    pub(crate) fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop> {
        let mut inbox = match self.take() {
            Ok(pop) => return Poll::Ready(pop),
            Err(inbox) => inbox,
        };
        inbox.leave(cx.waker());
        Poll::Pending
    }

    /// Whether threads sleep in `pop`.
    pub(crate) fn has_sleepers(&self) -> bool {
        lock(&self.inbox).sleepers > 0
    }

    /// Leaves a task's waker as `poll_pop` does if nothing is there; false if something is.
    pub(crate) fn watch(&self, waker: &Waker) -> bool {
        let outbox = lock(&self.outbox);
        let mut inbox = lock(&self.inbox);
        let is_empty = outbox.events.is_empty() && !outbox.ended && inbox.events.is_empty();
        if is_empty {
            inbox.leave(waker);
        }
        is_empty
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
