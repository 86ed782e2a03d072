//! The deadline and timeouts of a call, and its cooperative yielding while a body is read.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::task::coop::has_budget_remaining;
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::TimeoutPhase;
use crate::http::transport::Body;
use crate::options::timeouts::Timeouts;

/// The timeouts of one call, and its deadline.
#[derive(Clone, Copy)]
pub(crate) struct Deadlines {
    pub(crate) timeouts: Timeouts,
    pub(crate) deadline: Option<Instant>,
    /// The deadline of the first content of the current attempt.
    pub(crate) content: Option<Instant>,
}

impl Deadlines {
    /// Starts the total timeout now.
    pub(crate) fn start(timeouts: Timeouts) -> Deadlines {
        let deadline = timeouts.total.map(|total| Instant::now() + total);
        Deadlines { timeouts, deadline, content: None }
    }

    /// The deadline of the first content of an attempt that begins now.
    pub(crate) fn content_of_attempt(&self) -> Option<Instant> {
        self.timeouts.first_content.map(|time| Instant::now() + time)
    }

    /// The bound of the time until the response headers are complete, as [`Deadlines::bound`].
    pub(crate) fn until_head(&self) -> (TimeoutPhase, Duration, Option<Duration>) {
        let (head, content) = (self.timeouts.first_byte, self.timeouts.first_content);
        match content.filter(|content| head.is_none_or(|head| *content <= head)) {
            Some(content) => self.bound(TimeoutPhase::FirstContent, Some(content)),
            None => self.bound(TimeoutPhase::FirstByte, head),
        }
    }

    /// Without the first-content timeout: content has arrived.
    pub(crate) fn with_content(mut self) -> Deadlines {
        self.content = None;
        self
    }

    /// The error of a call that missed its deadline.
    pub(crate) fn error(&self) -> Error {
        Error::timed_out(TimeoutPhase::Total, self.timeouts.total.unwrap_or_default())
    }

    /// Whether a wait would end after the deadline.
    pub(crate) fn are_outlasted_by(&self, wait: Duration) -> bool {
        let outlasts = |deadline| Instant::now().checked_add(wait).is_none_or(|at| at >= deadline);
        self.deadline.is_some_and(outlasts)
    }

    /// The earlier of a phase's own timeout and the deadline: the phase to blame, its configured timeout, and
    /// the time left.
    pub(crate) fn bound(
        &self,
        phase: TimeoutPhase,
        own: Option<Duration>,
    ) -> (TimeoutPhase, Duration, Option<Duration>) {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match (own, left) {
            (Some(own), Some(left)) if left < own => {
                (TimeoutPhase::Total, self.timeouts.total.unwrap_or_default(), Some(left))
            }
            (Some(own), _) => (phase, own, Some(own)),
            (None, left) => (TimeoutPhase::Total, self.timeouts.total.unwrap_or_default(), left),
        }
    }

    /// A clock for a body, started now.
    pub(crate) fn clock(&self) -> Clock {
        Clock::new(self)
    }
}

/// The idle timeout and the deadline while a body is read.
pub(crate) struct Clock {
    idle: Option<Duration>,
    pings_reset_idle: bool,
    total: Duration,
    deadline: Option<Instant>,
    /// The deadline of the first content, until it has arrived, and the timeout.
    content: Option<(Instant, Duration)>,
    /// When content last arrived.
    last: Instant,
    /// When the first content of the current incomplete event arrived.
    event_began: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
    /// The alarm holds the task's waker.
    is_set: bool,
    /// Read since the last yield.
    pieces: u32,
    bytes: usize,
}

/// A body that is always ready would starve everything else on the thread, including timers and sockets.
/// After this many pieces the task checks the clock and yields.
const TURN_PIECES_MAX: u32 = 64;
/// The same in bytes.
const TURN_BYTES_MAX: usize = 16 << 10;

/// The cost of a piece that decompressed to nothing, in bytes: it took work too.
const EMPTY_PIECE_BYTES: usize = 1 << 10;

/// A stream that was silent for this long pauses between its events.
const QUIET_MIN: Duration = Duration::from_millis(1);

/// The bytes of one event postpone the idle timeout for at most this many idle timeouts after its first
/// byte: an event that never ends is no progress.
const EVENT_IDLES_MAX: u32 = 8;

/// What was read since the clock was last updated.
#[derive(Clone, Copy, Default)]
pub(crate) struct Progress {
    /// Any bytes, including comments.
    pub(crate) has_bytes: bool,
    pub(crate) has_substance: bool,
    /// An event was completed.
    pub(crate) has_events: bool,
}

impl Clock {
    fn new(deadlines: &Deadlines) -> Clock {
        let Deadlines { timeouts, deadline, content } = *deadlines;
        Clock {
            idle: timeouts.idle,
            pings_reset_idle: timeouts.pings_reset_idle,
            total: timeouts.total.unwrap_or_default(),
            deadline,
            content: content.zip(timeouts.first_content),
            last: Instant::now(),
            event_began: None,
            alarm: None,
            is_set: false,
            pieces: 0,
            bytes: 0,
        }
    }

    fn due(&self) -> Option<Instant> {
        let idle = self.idle().map(|idle| self.last + idle);
        let content = self.content.map(|(deadline, _)| deadline);
        [idle, self.deadline, content].into_iter().flatten().min()
    }

    /// Whether the first-content timeout is running.
    pub(crate) fn awaits_content(&self) -> bool {
        self.content.is_some()
    }

    /// The first content has arrived.
    pub(crate) fn content_came(&mut self) {
        if self.content.take().is_some() {
            self.last = Instant::now();
            // It was set for the content, which may be later than the idle timeout.
            (self.alarm, self.is_set) = (None, false);
        }
    }

    /// The idle timeout, which starts with the first content where that has its own.
    fn idle(&self) -> Option<Duration> {
        self.idle.filter(|_| self.content.is_none())
    }

    pub(crate) fn substance(&mut self) {
        self.last = Instant::now();
    }

    /// Records what was read, and resets the progress.
    pub(crate) fn note(&mut self, progress: &mut Progress) {
        let progress = std::mem::take(progress);
        if self.pings_reset_idle && progress.has_bytes {
            self.last = Instant::now();
        }
        if !progress.has_substance && !progress.has_events {
            return;
        }
        let now = Instant::now();
        if progress.has_events {
            self.event_began = None; // the first bytes of the next event are seen one piece later
        } else {
            let began = *self.event_began.get_or_insert(now);
            if self.idle.is_some_and(|idle| now - began > idle * EVENT_IDLES_MAX) {
                return;
            }
        }
        self.last = now;
    }

    /// Like `note`; whether nothing was recorded during the `QUIET_MIN` before.
    pub(crate) fn was_quiet(&mut self, progress: &mut Progress) -> bool {
        let before = self.last;
        self.note(progress);
        self.last.duration_since(before) >= QUIET_MIN
    }

    /// Counts a piece of `bytes` bytes; true if the task should yield.
    pub(crate) fn is_turn_over(&mut self, bytes: usize) -> bool {
        self.pieces += 1;
        self.bytes += bytes.max(EMPTY_PIECE_BYTES * usize::from(bytes == 0));
        let is_over = self.pieces >= TURN_PIECES_MAX || self.bytes >= TURN_BYTES_MAX;
        if is_over {
            (self.pieces, self.bytes) = (0, 0);
        }
        is_over
    }

    /// Ready when a timeout has expired. Always poll it from the same task. The alarm is set to the earliest
    /// possible expiry and checked only then, so that progress costs no timer work.
    pub(crate) fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        loop {
            let Some(due) = self.due() else { return Poll::Pending };
            let alarm = self.alarm.get_or_insert_with(|| Box::pin(sleep_until(due)));
            if self.is_set && !alarm.is_elapsed() {
                return Poll::Pending; // the alarm has this task's waker
            }
            // Without coop budget, polling the alarm wakes the task and registers no waker.
            let leaves_waker = has_budget_remaining();
            if alarm.as_mut().poll(cx).is_pending() {
                self.is_set = leaves_waker;
                return Poll::Pending;
            }
            self.is_set = false;
            if let Some(error) = self.overdue() {
                return Poll::Ready(error);
            }
            if let Some(alarm) = &mut self.alarm {
                alarm.as_mut().reset(due);
            }
        }
    }

    /// The timeout that has expired, if any, independent of the alarm.
    pub(crate) fn overdue(&self) -> Option<Error> {
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Error::timed_out(TimeoutPhase::Total, self.total));
        }
        if let Some((_, time)) = self.content.filter(|(deadline, _)| now >= *deadline) {
            let error = Error::timed_out(TimeoutPhase::FirstContent, time);
            let message = format!("{}: the answer began without content", error.message());
            return Some(error.with_message(message));
        }
        let idle = self.idle().filter(|idle| now >= self.last + *idle)?;
        Some(Error::timed_out(TimeoutPhase::Idle, idle))
    }

    /// Whether the deadline has passed. Progress does not postpone it.
    pub(crate) fn is_past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The next piece of a body, unless a timeout expires first.
    pub(crate) async fn next_piece(&mut self, body: &mut Body) -> Result<Option<Bytes>> {
        let piece = poll_fn(|cx| match body.poll_piece(cx) {
            Poll::Ready(piece) => Poll::Ready(piece),
            Poll::Pending => self.poll_expired(cx).map(Err),
        })
        .await?;
        let bytes = piece.as_ref().map_or(0, Bytes::len);
        if self.pings_reset_idle && bytes > 0 {
            self.substance(); // white space before an answer: the service signals that it is working
        }
        if self.is_turn_over(bytes) {
            if let Some(error) = self.overdue() {
                return Err(error);
            }
            yield_now().await;
        }
        Ok(piece)
    }
}

#[cfg(test)]
#[path = "deadlines_tests.rs"]
mod tests;
