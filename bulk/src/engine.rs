//! Sends rows as fast as their controllers allow and returns their outcomes: look-ahead, lanes, attempts,
//! and the end of a run.
//!
//! # The states of a row
//!
//! | state | meaning | ended by |
//! |---|---|---|
//! | waiting | pushed, in its model's lane; counts towards the look-ahead | it is one of the next |
//! | noted | one of the next of its lane, and passed to the book | it is on disk, and its controller admits it: it is sent |
//! | in flight | its call is in the completion queue | the outcome arrives |
//! | unjudged | answered; the program says whether it accepts the answer | it did |
//! | delayed | refused by a limit, its answer failed a check, or another failure that may be retried; holds no permit | its time comes: it waits, first in its lane |
//! | finished | returned by [`Engine::turn`] | – |
//!
//! After [`Engine::drain`], or when the run stops by itself, waiting and delayed rows are dropped,
//! noted rows are withdrawn from the book, and rows in flight finish.
//!
//! One thread does everything: the caller of [`Engine::turn`] does the I/O of the calls while it waits.

mod admission;
mod ahead;
mod attempt;
mod breaker;
mod budgeted;
mod change;
mod classify;
mod gate;
mod judged;
mod keys;
mod lanes;
mod outage;
mod outcome;
mod reach;
mod send_journal;
mod slow;
mod types;
mod wait;

use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use modelwire::{Call, Client, CompletionQueue, Event, Next, Request, Taken};

use admission::Admission;
use ahead::Ahead;
use attempt::{Attempt, Delayed, Flights};
use judged::Judging;
use keys::Keys;
use lanes::{Lane, Lanes};
use reach::Reach;
use slow::SlowRows;

use crate::answers::{Copies, SharedAnswers};
use crate::budget::Budget;
use crate::checks::Checks;
use crate::controller::View;
use crate::row::{Finished, Row};

pub use budgeted::Offered;
pub use classify::Rules;
pub use judged::Unjudged;
pub use lanes::LANES_MAX;
pub use send_journal::{NoSendJournal, SendJournal};
pub use types::{EngineOptions, Over, PAID_ATTEMPTS_MAX, Status, StopReason, Stopped, Turn};

/// The maximum number of waiting or delayed rows: enough for lanes that proceed while others are held.
pub const READY_ROWS_MAX: usize = 4_096;

/// The maximum bytes of their bodies; a single larger one waits alone.
pub const READY_BYTES_MAX: usize = 16 << 20;

/// The maximum number of copies of answers made at once.
const COPIES_MAX: usize = 64;

/// The maximum number of events taken at once.
const EVENTS_MAX: usize = 256;

/// Ends a wait of [`Engine::turn`], from any thread. Cheap to clone.
#[derive(Clone)]
pub struct Waker {
    queue: CompletionQueue,
    awaits_disk: Arc<AtomicBool>,
}

impl Waker {
    /// Lets the waiting turn, or the next one, check its state and return.
    pub fn wake(&self) {
        self.queue.wakeup();
    }

    /// For a book, after a write to disk: the same, if a row waits for it.
    pub fn wake_for_disk(&self) {
        if self.awaits_disk.swap(false, Ordering::SeqCst) {
            self.queue.wakeup();
        }
    }
}

/// The remaining work of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Taking,
    /// No more rows are pushed.
    Ending,
    /// Nothing more is sent.
    Draining,
}

/// The engine. [`push`](Engine::push) adds rows, and [`turn`](Engine::turn) returns their outcomes.
pub struct Engine<B: SendJournal> {
    client: Client,
    requests: Box<dyn Fn(&Row) -> Request + Send>,
    options: EngineOptions,
    keys: Keys,
    book: B,
    queue: CompletionQueue,
    zero: Instant,
    phase: Phase,
    stopped: Option<Stopped>,
    lanes: Lanes,
    delayed: BinaryHeap<Delayed>,
    ahead: Ahead,
    /// A row waits only for the disk, or the book is behind: see [`Waker::wake_for_disk`].
    awaits_disk: Arc<AtomicBool>,
    flights: Flights,
    slow: SlowRows,
    reach: Reach,
    admission: Admission,
    /// Rows that were refused (429) for the last time, and when: whether only they or all rows are
    /// refused is unknown until a later row is accepted.
    limited: Vec<(Duration, Finished)>,
    /// Waiting and delayed rows, and the bytes of their bodies.
    ready_rows: usize,
    ready_bytes: usize,
    finished: Vec<Finished>,
    budget: Budget,
    answers: Option<SharedAnswers>,
    /// Rows that end with copies.
    copies: VecDeque<Copies>,
    checks: Checks,
    judging: Judging,
    /// Emptied at once; kept for its capacity.
    events: Vec<Next>,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    sent: u64,
    limited: u64,
    paid_again: u64,
    asked_again: u64,
    unknown: u64,
    equal: u64,
    reused: u64,
}

impl<B: SendJournal> Engine<B> {
    /// Creates an engine with this client, whose own retries must be off.
    pub fn new(client: Client, options: EngineOptions, book: B) -> Engine<B> {
        Engine {
            requests: Box::new(|row| Request::of_json(row.endpoint, &*row.body)),
            options,
            keys: Keys::default(),
            book,
            queue: CompletionQueue::new(None),
            zero: Instant::now(),
            phase: Phase::Taking,
            stopped: None,
            lanes: Lanes::new(options.fixed, client.services()),
            delayed: BinaryHeap::new(),
            ahead: Ahead::default(),
            awaits_disk: Arc::default(),
            flights: Flights::default(),
            slow: SlowRows::default(),
            reach: Reach::new(options.patience),
            admission: Admission::new(options.patience),
            limited: Vec::new(),
            ready_rows: 0,
            ready_bytes: 0,
            finished: Vec::new(),
            budget: Budget::default(),
            answers: None,
            copies: VecDeque::new(),
            checks: Checks::default(),
            judging: Judging::default(),
            events: Vec::with_capacity(EVENTS_MAX),
            counts: Counts::default(),
            client,
        }
    }

    /// Sets the function that makes requests, if they need more than the endpoint and the body of the
    /// row.
    #[must_use]
    pub fn with_requests(
        mut self,
        requests: impl Fn(&Row) -> Request + Send + 'static,
    ) -> Engine<B> {
        self.requests = Box::new(requests);
        self
    }

    /// Sets where another API key comes from after the service rejected the current one (401): `None` if
    /// there is none, which ends the run. The rejected rows are sent again. Called by
    /// [`turn`](Engine::turn).
    #[must_use]
    pub fn with_renewed_key(
        mut self,
        renew: impl FnMut() -> Option<String> + Send + 'static,
    ) -> Engine<B> {
        self.keys = Keys::renewed_by(renew);
        self
    }

    /// Sets the checks of answers: a row whose answer fails one is asked again as often as
    /// [`Rules::ask_again_max`] allows, and then fails.
    #[must_use]
    pub fn with_checks(mut self, checks: Checks) -> Engine<B> {
        self.checks = checks;
        self
    }

    /// The maximum number of rows to push before the next turn; 0 once no more are accepted.
    pub fn wants(&self) -> usize {
        match self.phase {
            Phase::Taking
                if self.ready_bytes < READY_BYTES_MAX && self.copies.len() < COPIES_MAX =>
            {
                READY_ROWS_MAX.saturating_sub(self.ready_rows)
            }
            Phase::Taking | Phase::Ending | Phase::Draining => 0,
        }
    }

    /// Adds a row, even beyond that number. It is sent in a later [`turn`](Engine::turn); after
    /// [`end`](Engine::end) or [`drain`](Engine::drain) it is dropped.
    pub fn push(&mut self, row: Row) {
        if self.phase != Phase::Taking {
            return;
        }
        self.ready_rows += 1;
        self.ready_bytes += row.body.len();
        let (lane, estimate) = (self.lanes.of(&row.model), self.lanes.estimate(&row));
        if let Some(of_model) = self.lanes.get(lane) {
            of_model.push_back(Attempt::of(row, lane, estimate));
        }
    }

    /// Declares that there are no more rows: once all have finished, a turn returns [`Over::All`].
    pub fn end(&mut self) {
        if self.phase == Phase::Taking {
            self.phase = Phase::Ending;
        }
    }

    /// Sends nothing new. Rows in flight finish, then a turn returns [`Over::Drained`].
    pub fn drain(&mut self) {
        if self.phase == Phase::Draining {
            return;
        }
        self.phase = Phase::Draining;
        let (waiting, noted) = self.lanes.take_waiting();
        noted.iter().for_each(|attempt| self.withdraw(attempt));
        let delayed = std::mem::take(&mut self.delayed).into_iter().map(|delayed| delayed.attempt);
        waiting.into_iter().chain(noted).chain(delayed).for_each(|attempt| self.unsent(attempt));
        let limited = std::mem::take(&mut self.limited).into_iter().map(|(_, finished)| finished);
        let mut held_back: Vec<Finished> = limited.collect();
        self.lanes.iter_mut().for_each(|lane| held_back.append(&mut lane.forbidden));
        held_back.into_iter().for_each(|finished| self.refused(finished));
        self.copies.clear();
        (self.ready_rows, self.ready_bytes) = (0, 0);
    }

    /// Also cancels rows in flight. What the service did with them is unknown: they have no outcome,
    /// and the book keeps them as sent.
    pub fn abort(&mut self) {
        self.drain();
        self.stop_judging();
        self.queue.close();
    }

    /// Sends what may be sent, and waits until rows have finished, the timeout runs out or the waker is
    /// used. `None` waits forever, zero not at all.
    pub fn turn(&mut self, timeout: Option<Duration>) -> Turn {
        let turn = self.next_turn(timeout);
        if let Turn::Finished(finished) = &turn {
            finished.iter().for_each(|finished| self.ended(finished));
        }
        turn
    }

    fn next_turn(&mut self, timeout: Option<Duration>) -> Turn {
        let until = timeout.map(|timeout| self.now() + timeout);
        loop {
            let now = self.now();
            self.send(now);
            if let Some(over) = self.is_over() {
                return over;
            }
            if self.heard_of_disk() {
                continue;
            }
            let due = if self.may_copy() { Some(now) } else { self.due(now) };
            let wake_at = [until, due].into_iter().flatten().min();
            let wait = wake_at.map(|time| time.saturating_sub(self.now()));
            let mut events = std::mem::take(&mut self.events);
            let taken = self.queue.next_many(EVENTS_MAX, wait, &mut events);
            let now = self.now();
            for event in events.drain(..) {
                self.take(event, now);
            }
            self.events = events;
            self.copy();
            match taken {
                Ok(Taken::Something) => {
                    // Arrived outcomes made room: the service must not wait until the rows are written.
                    self.send(now);
                    if !self.finished.is_empty() {
                        return Turn::Finished(std::mem::take(&mut self.finished));
                    }
                    if self.judging.has_new() {
                        return Turn::Idle;
                    }
                    if until.is_some_and(|until| now >= until) {
                        return Turn::Idle;
                    }
                }
                Ok(Taken::Nothing) if due.is_some_and(|due| now >= due) => {
                    if until.is_some_and(|until| now >= until) {
                        self.send(now);
                        return Turn::Idle;
                    }
                }
                Ok(Taken::Nothing | Taken::Interrupted) => {
                    self.send(now);
                    return Turn::Idle;
                }
                // Aborted, or another process: nothing is in flight any more.
                Ok(Taken::Closed) | Err(_) => self.lose_flights(),
            }
        }
    }

    /// Ends a wait of [`turn`](Engine::turn) from elsewhere.
    pub fn waker(&self) -> Waker {
        Waker { queue: self.queue.clone(), awaits_disk: self.awaits_disk.clone() }
    }

    /// Whether every pushed row has finished or was dropped.
    pub fn is_empty(&self) -> bool {
        self.is_quiet() && self.finished.is_empty() && self.held_back() == 0
    }

    /// The book.
    pub fn book(&mut self) -> &mut B {
        &mut self.book
    }

    /// The status to display.
    pub fn status(&self) -> Status {
        let now = self.now();
        let mut status = Status {
            waiting: self.ready_rows - self.delayed.len().min(self.ready_rows),
            delayed: self.delayed.len(),
            in_flight: self.in_flight(),
            sent: self.counts.sent,
            limited: self.counts.limited,
            paid_again: self.counts.paid_again,
            asked_again: self.counts.asked_again,
            unknown: self.counts.unknown,
            equal: self.counts.equal,
            reused: self.counts.reused,
            outage: self.outage_since().map(|at| now.saturating_sub(at)),
            ..Status::default()
        };
        for (_, view) in self.views() {
            status.allowed = status.allowed.saturating_add(view.allowed);
            if let Some(rate) = view.rate {
                status.rate = Some(status.rate.unwrap_or(0.0) + rate);
            }
        }
        status.allowed =
            status.allowed.min(u32::try_from(self.options.in_flight_max).unwrap_or(u32::MAX));
        status
    }

    /// The same for each model.
    pub fn views(&self) -> impl Iterator<Item = (&Arc<str>, View)> {
        let now = self.now();
        self.lanes.iter().map(move |lane| (&lane.model, lane.view(now)))
    }

    /// Since when the service has been unreachable, or has failed the rows of a model.
    fn outage_since(&self) -> Option<Duration> {
        let failing = self.lanes.iter().filter_map(Lane::failing_since);
        failing.chain(self.reach.lost_at()).min()
    }

    fn now(&self) -> Duration {
        self.zero.elapsed()
    }

    fn in_flight(&self) -> usize {
        self.flights.len()
    }

    /// Whether no row is between its push and its end.
    fn is_quiet(&self) -> bool {
        self.ready_rows == 0
            && self.in_flight() == 0
            && self.judging.is_empty()
            && self.copies.is_empty()
    }

    fn held_back(&self) -> usize {
        self.limited.len() + self.lanes.iter().map(|lane| lane.forbidden.len()).sum::<usize>()
    }

    /// What a turn returns without a wait.
    fn is_over(&mut self) -> Option<Turn> {
        if self.is_quiet() && self.held_back() > 0 {
            // No later row can show otherwise, so only these were refused.
            self.finished.extend(self.limited.drain(..).map(|(_, finished)| finished));
            for lane in self.lanes.iter_mut() {
                self.finished.append(&mut lane.forbidden);
            }
        }
        if !self.finished.is_empty() {
            return Some(Turn::Finished(std::mem::take(&mut self.finished)));
        }
        if !self.is_quiet() {
            return None;
        }
        match (self.phase, &self.stopped) {
            (Phase::Draining, Some(stopped)) => Some(Turn::Over(Over::Stopped(stopped.clone()))),
            (Phase::Draining, None) => Some(Turn::Over(Over::Drained)),
            (Phase::Ending, _) => Some(Turn::Over(Over::All)),
            (Phase::Taking, _) => None,
        }
    }

    /// The time of the next action if nothing arrives.
    fn due(&self, now: Duration) -> Option<Duration> {
        if self.ready_rows == 0 {
            return None;
        }
        if let Some(alone_from) = self.reach.alone_from() {
            if self.in_flight() > 0 {
                return None;
            }
            if alone_from > now {
                return Some(alone_from);
            }
        }
        let delayed = self.delayed.peek().map(|delayed| delayed.due);
        // If no row may begin, an end or the waker triggers the next check.
        let lanes = self.lanes.due(now).filter(|_| self.may_begin(now));
        [delayed, lanes].into_iter().flatten().min()
    }

    /// Sends all rows that may be sent now.
    fn send(&mut self, now: Duration) {
        while self.delayed.peek().is_some_and(|delayed| delayed.due <= now) {
            let Some(Delayed { attempt, .. }) = self.delayed.pop() else { break };
            if let Some(lane) = self.lanes.get(attempt.lane) {
                lane.push_again(attempt);
            }
        }
        if self.ready_rows == self.delayed.len() {
            return;
        }
        self.note(now);
        let durable = self.book.durable();
        self.ahead.durable(durable, now);
        while self.may_begin(now) {
            let Some(mut attempt) = self.lanes.next(now, durable) else { break };
            self.ready_rows -= 1;
            self.ready_bytes -= attempt.row.body.len();
            self.ahead.sent(now);
            attempt.begins(now);
            self.launch(attempt);
        }
    }

    /// Notes the next rows to send.
    fn note(&mut self, now: Duration) {
        if self.book.is_behind() {
            return;
        }
        let ahead = if self.reach.alone_from().is_some() { 1 } else { self.ahead.rows() };
        for lane in self.lanes.iter_mut() {
            while let Some(attempt) = lane.next_to_note(now, ahead) {
                if attempt.is_recorded() {
                    lane.push_noted(0, attempt);
                    continue;
                }
                let ticket = self.book.sending(&attempt.row);
                self.ahead.noted(ticket, now);
                lane.push_noted(ticket, attempt);
            }
        }
    }

    /// Whether the engine needs a notification from the disk; from then on it gets one.
    fn heard_of_disk(&self) -> bool {
        let durable = self.book.durable();
        let awaits = self.lanes.await_disk(durable) || self.book.is_behind();
        self.awaits_disk.store(awaits, Ordering::SeqCst);
        // Writes in between were not notified.
        awaits && (self.book.durable() != durable)
    }

    /// Whether one more row may begin, for any model.
    fn may_begin(&self, now: Duration) -> bool {
        let in_flight = self.in_flight();
        if in_flight >= self.options.in_flight_max || self.book.is_behind() {
            return false;
        }
        match self.reach.alone_from() {
            Some(alone_from) => in_flight == 0 && now >= alone_from,
            None => true,
        }
    }

    fn launch(&mut self, mut attempt: Attempt) {
        attempt.sent += 1;
        self.counts.sent += 1;
        let mut request = (self.requests)(&attempt.row);
        let (key, number) = self.keys.current();
        if let Some(key) = key
            && !self.client.service_has_own_key(attempt.service)
        {
            request = request.api_key(key);
        }
        request = request.to_service(attempt.service);
        attempt.key = number;
        if self.client.sends_idempotency_keys() {
            request = request.idempotency_key(attempt.idempotency_key());
        }
        let call = Call::new(&self.client, request);
        let tag = self.flights.put(attempt);
        if let Err(error) = self.queue.submit_owned(call, false, tag)
            && let Some(attempt) = self.flights.take(tag)
        {
            let now = self.now();
            self.came(attempt, Err(error), now);
        }
    }

    fn take(&mut self, event: Next, now: Duration) {
        let Next::Event(tag, Event::Done(outcome)) = event else { return };
        if let Some(attempt) = self.flights.take(tag) {
            self.came(attempt, outcome, now);
        }
    }

    fn lose_flights(&mut self) {
        self.drain();
        std::mem::take(&mut self.flights).for_each(|attempt| self.lost(&attempt));
    }
}

impl<B: SendJournal> Drop for Engine<B> {
    /// Wakers keep the queue alive, so rows in flight would continue.
    fn drop(&mut self) {
        self.queue.close();
    }
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
