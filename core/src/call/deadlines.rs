//! How long a call and its phases may take, and when others get their turn while a body is read.

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

/// The timeouts of one call, and when all of it is to be over.
#[derive(Clone, Copy)]
pub(crate) struct Deadlines {
    pub(crate) timeouts: Timeouts,
    pub(crate) deadline: Option<Instant>,
}

impl Deadlines {
    /// From now on.
    pub(crate) fn start(timeouts: Timeouts) -> Deadlines {
        Deadlines { timeouts, deadline: timeouts.total.map(|total| Instant::now() + total) }
    }

    /// The error of a call that is not over in time.
    pub(crate) fn error(&self) -> Error {
        Error::timed_out(TimeoutPhase::Total, self.timeouts.total.unwrap_or_default())
    }

    /// Whether a wait would end behind the deadline.
    pub(crate) fn are_outlasted_by(&self, wait: Duration) -> bool {
        let outlasts = |deadline| Instant::now().checked_add(wait).is_none_or(|at| at >= deadline);
        self.deadline.is_some_and(outlasts)
    }

    /// The tighter of a phase's own timeout and what is left until the deadline.
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

    /// A clock for a body that is read from now on.
    pub(crate) fn clock(&self) -> Clock {
        Clock::new(self.timeouts, self.deadline)
    }
}

/// The idle timeout and the deadline while a body is read.
pub(crate) struct Clock {
    idle: Option<Duration>,
    pings_reset_idle: bool,
    total: Duration,
    deadline: Option<Instant>,
    /// When something of substance came last.
    last: Instant,
    /// When the first substance of an event came that is not whole yet.
    event_began: Option<Instant>,
    alarm: Option<Pin<Box<Sleep>>>,
    /// The alarm has the task's waker.
    is_set: bool,
    /// What was read in this turn.
    pieces: u32,
    bytes: usize,
}

/// A body that is always ready would keep its task from everything else on the thread, timeouts and
/// sockets included: after so many pieces the clock is looked at and others get their turn.
const TURN_PIECES_MAX: u32 = 64;
/// The same after so many bytes.
const TURN_BYTES_MAX: usize = 16 << 10;

/// What a piece counts that unpacked to nothing: it was work all the same.
const EMPTY_PIECE_BYTES: usize = 1 << 10;

/// A stream that was silent for so long pauses between its events.
const QUIET_MIN: Duration = Duration::from_millis(1);

/// The bytes of an event put the idle timeout off until so many of them have passed since its
/// first: an event that never ends is no progress.
const EVENT_IDLES_MAX: u32 = 8;

/// What was read since the clock was looked at.
#[derive(Clone, Copy, Default)]
pub(crate) struct Progress {
    /// Anything at all, comments included.
    pub(crate) has_bytes: bool,
    pub(crate) has_substance: bool,
    /// An event was whole.
    pub(crate) has_events: bool,
}

impl Clock {
    fn new(timeouts: Timeouts, deadline: Option<Instant>) -> Clock {
        let mut clock = Clock {
            idle: timeouts.idle,
            pings_reset_idle: timeouts.pings_reset_idle,
            total: timeouts.total.unwrap_or_default(),
            deadline,
            last: Instant::now(),
            event_began: None,
            alarm: None,
            is_set: false,
            pieces: 0,
            bytes: 0,
        };
        clock.alarm = clock.due().map(|due| Box::pin(sleep_until(due)));
        clock
    }

    fn due(&self) -> Option<Instant> {
        let idle = self.idle.map(|idle| self.last + idle);
        [idle, self.deadline].into_iter().flatten().min()
    }

    pub(crate) fn substance(&mut self) {
        self.last = Instant::now();
    }

    /// Notes what was read; the progress is used up.
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
            self.event_began = None; // of what follows it the first bytes are seen a piece later
        } else {
            let began = *self.event_began.get_or_insert(now);
            if self.idle.is_some_and(|idle| now - began > idle * EVENT_IDLES_MAX) {
                return;
            }
        }
        self.last = now;
    }

    /// The same; whether nothing was noted for `QUIET_MIN` before.
    pub(crate) fn was_quiet(&mut self, progress: &mut Progress) -> bool {
        let before = self.last;
        self.note(progress);
        self.last.duration_since(before) >= QUIET_MIN
    }

    /// Counts a piece of so many bytes; true when others are to get their turn.
    pub(crate) fn is_turn_over(&mut self, bytes: usize) -> bool {
        self.pieces += 1;
        self.bytes += bytes.max(EMPTY_PIECE_BYTES * usize::from(bytes == 0));
        let is_over = self.pieces >= TURN_PIECES_MAX || self.bytes >= TURN_BYTES_MAX;
        if is_over {
            (self.pieces, self.bytes) = (0, 0);
        }
        is_over
    }

    /// Ready when a timeout ran out; always for the same task. The alarm is set to the earliest time
    /// at which that may be and looked at again only then, so that progress costs no timer work.
    pub(crate) fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        loop {
            let due = self.due();
            let (Some(alarm), Some(due)) = (&mut self.alarm, due) else {
                return Poll::Pending;
            };
            if self.is_set && !alarm.is_elapsed() {
                return Poll::Pending; // it has the waker of this task
            }
            // A task without budget is sent on before its waker is left.
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

    /// The timeout that ran out, if one did, whatever the alarm says.
    pub(crate) fn overdue(&self) -> Option<Error> {
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| now >= deadline) {
            return Some(Error::timed_out(TimeoutPhase::Total, self.total));
        }
        let idle = self.idle.filter(|idle| now >= self.last + *idle)?;
        Some(Error::timed_out(TimeoutPhase::Idle, idle))
    }

    /// Whether the deadline was reached, which progress does not put off.
    pub(crate) fn is_past_deadline(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The next piece of a body, unless a timeout comes first.
    pub(crate) async fn next_piece(&mut self, body: &mut Body) -> Result<Option<Bytes>> {
        let piece = poll_fn(|cx| match body.poll_piece(cx) {
            Poll::Ready(piece) => Poll::Ready(piece),
            Poll::Pending => self.poll_expired(cx).map(Err),
        })
        .await?;
        let bytes = piece.as_ref().map_or(0, Bytes::len);
        if self.pings_reset_idle && bytes > 0 {
            self.substance(); // white space before an answer, which says that it is being made
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
