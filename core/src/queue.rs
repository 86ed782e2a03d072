//! The bounded event queue of a call: the one primitive under every way of consuming. Knows no
//! HTTP and no runtime; a task waits through a [`Waker`], a thread through a condition variable.
//!
//! # States
//!
//! | state | events that wait | what a pop finds |
//! |---|---|---|
//! | running | any | the next event, or `Empty` |
//! | finished | any, the last of them `Done` | the next event |
//! | ended | none, `Done` was popped | `End`, for ever |
//!
//! # Invariants
//!
//! 1. Order: at most one `Open`, then chunks, then exactly one `Done`; nothing follows `Done`.
//! 2. Bound: the events that wait cost at most `bytes_max` and number at most `events_max`; a
//!    single larger event enters an empty queue; `Done` always enters.
//! 3. A wake is owed to a consumer exactly when it found the queue empty since the last wake.
//!    Whoever puts events in takes the debt under the lock and pays it after the lock, once,
//!    however many events went in.
//! 4. A wake is owed to the producer exactly when it found no room. The consumer pays it when
//!    half of the bound is free again, so that the two do not wake each other for each event.
//! 5. Cancelling a wait takes no event: an event leaves the queue only into the hands of a pop
//!    that returns it.
//! 6. Nothing foreign runs under the lock: wakers are called after it.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Head};
use crate::error::{Error, Result};
use crate::view::Chunk;

/// What comes out of a call, in this order: `Open` (streams only), chunks, `Done`.
#[derive(Debug)]
pub enum Event {
    /// The service accepted the call: its status was success and the stream begins.
    Open(std::sync::Arc<Head>),
    /// One event of the stream.
    Chunk(Chunk),
    /// The end, exactly once, also on every failure.
    Done(Result<Answer>),
}

impl Event {
    fn cost(&self) -> usize {
        match self {
            Event::Chunk(chunk) => chunk.cost(),
            Event::Open(_) | Event::Done(_) => 0,
        }
    }
}

/// What a pop found.
#[derive(Debug)]
pub enum Pop {
    /// The next event.
    Event(Event),
    /// Nothing yet; for a pop with a timeout: it ran out.
    Empty,
    /// `Done` was popped before; nothing will ever come.
    End,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Event>,
    /// What the waiting events cost.
    bytes: usize,
    /// `Done` was put in.
    finished: bool,
    /// `Done` was taken out.
    ended: bool,
    /// Threads that sleep in `pop`.
    sleepers: usize,
    /// The task that found the queue empty.
    consumer: Option<Waker>,
    /// The task that found the queue full.
    producer: Option<Waker>,
}

pub(crate) struct EventQueue {
    state: Mutex<State>,
    readable: Condvar,
    events_max: usize,
    bytes_max: usize,
}

/// Wakes that were taken under the lock and are paid when this is dropped, after it.
#[must_use]
struct Owed<'a> {
    waker: Option<Waker>,
    sleepers: Option<&'a Condvar>,
}

impl Drop for Owed<'_> {
    fn drop(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
        if let Some(readable) = self.sleepers {
            readable.notify_all();
        }
    }
}

impl EventQueue {
    pub(crate) fn new(events_max: usize, bytes_max: usize) -> EventQueue {
        EventQueue { state: Mutex::default(), readable: Condvar::new(), events_max, bytes_max }
    }

    /// A panic of a foreign waker cannot happen under the lock (invariant 6), so a poisoned lock
    /// guards a consistent state.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves events from `batch` into the queue, in order; pending while some found no room.
    pub(crate) fn poll_push(&self, batch: &mut VecDeque<Event>, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.lock();
        let before = state.waiting.len();
        while let Some(event) = batch.front() {
            let cost = event.cost();
            let has_room = state.waiting.len() < self.events_max
                && state.bytes.saturating_add(cost) <= self.bytes_max;
            if state.finished {
                batch.clear(); // cancelled meanwhile: nothing follows Done
                break;
            }
            if !has_room && !state.waiting.is_empty() {
                break;
            }
            state.bytes += cost;
            state.waiting.extend(batch.pop_front());
        }
        let has_new = state.waiting.len() > before;
        let outcome = if batch.is_empty() {
            state.producer = None;
            Poll::Ready(())
        } else {
            state.producer = Some(cx.waker().clone());
            Poll::Pending
        };
        let owed = has_new.then(|| self.owed_to_consumer(&mut state));
        drop(state);
        drop(owed);
        outcome
    }

    /// Puts `Done` in; false if it was in already.
    pub(crate) fn finish(&self, outcome: Result<Answer>) -> bool {
        self.end_with(outcome, false)
    }

    /// Drops the chunks that wait and puts `Done` in; false if it was in already: then
    /// everything that came stays to be popped.
    pub(crate) fn abandon(&self, error: impl FnOnce() -> Error) -> bool {
        if self.is_finished() {
            return false;
        }
        self.end_with(Err(error()), true)
    }

    /// No event will come: the call could not be started.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        (state.finished, state.ended) = (true, true);
        let owed = self.owed_to_consumer(&mut state);
        drop(state);
        drop(owed);
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.lock().finished
    }

    fn end_with(&self, outcome: Result<Answer>, drop_waiting: bool) -> bool {
        let mut state = self.lock();
        if state.finished {
            return false;
        }
        state.finished = true;
        let dropped = if drop_waiting {
            state.bytes = 0;
            std::mem::take(&mut state.waiting)
        } else {
            VecDeque::new()
        };
        state.waiting.push_back(Event::Done(outcome));
        let producer = state.producer.take();
        let owed = self.owed_to_consumer(&mut state);
        drop(state);
        drop(owed);
        drop(Owed { waker: producer, sleepers: None });
        drop(dropped);
        true
    }

    fn owed_to_consumer(&self, state: &mut State) -> Owed<'_> {
        Owed {
            waker: state.consumer.take(),
            sleepers: (state.sleepers > 0).then_some(&self.readable),
        }
    }

    /// Takes the next event and pays the producer's wake when enough room is free again.
    fn take(&self, state: &mut State) -> (Pop, Owed<'_>) {
        let mut owed = Owed { waker: None, sleepers: None };
        let Some(event) = state.waiting.pop_front() else {
            return (if state.ended { Pop::End } else { Pop::Empty }, owed);
        };
        state.bytes -= event.cost();
        state.ended = matches!(event, Event::Done(_));
        let has_room =
            state.bytes <= self.bytes_max / 2 && state.waiting.len() <= self.events_max / 2;
        if has_room && state.producer.is_some() {
            owed.waker = state.producer.take();
        }
        (Pop::Event(event), owed)
    }

    /// The next event if there is one; never waits.
    pub(crate) fn try_pop(&self) -> Pop {
        let mut state = self.lock();
        let (pop, owed) = self.take(&mut state);
        drop(state);
        drop(owed);
        pop
    }

    /// The next event; sleeps until there is one or the timeout runs out. `None` waits for ever.
    pub(crate) fn pop(&self, timeout: Option<Duration>) -> Pop {
        let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut state = self.lock();
        loop {
            let (pop, owed) = self.take(&mut state);
            if !matches!(pop, Pop::Empty) {
                drop(state);
                drop(owed);
                return pop;
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Pop::Empty;
            }
            state.sleepers += 1;
            state = match left {
                Some(left) => {
                    let waited = self.readable.wait_timeout(state, left);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.readable.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
            state.sleepers -= 1;
        }
    }

    /// The next event, for a task: pending leaves the task's waker, which is called once when
    /// there is something to pop. One task at a time: a later waker replaces an earlier one.
    pub(crate) fn poll_pop(&self, cx: &Context<'_>) -> Poll<Pop> {
        let mut state = self.lock();
        let (pop, owed) = self.take(&mut state);
        if matches!(pop, Pop::Empty) {
            match &mut state.consumer {
                Some(waker) => waker.clone_from(cx.waker()),
                None => state.consumer = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        drop(state);
        drop(owed);
        Poll::Ready(pop)
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
