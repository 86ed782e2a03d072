//! The idle timeout and the deadline while a body is read. Knows bodies only as something that
//! is read piece by piece.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::task::coop::has_budget_remaining;
use tokio::task::yield_now;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::config::Timeouts;
use crate::error::{Error, Result, TimeoutPhase};
use crate::owed;
use crate::transport::Body;

/// The idle timeout and the deadline while a body is read.
pub(crate) struct Clock {
    idle: Option<Duration>,
    total: Duration,
    deadline: Option<Instant>,
    /// When something of substance came last.
    last: Instant,
    alarm: Option<Pin<Box<Sleep>>>,
    /// The alarm has the task's waker.
    is_set: bool,
    pieces: u32,
}

/// A body that is always ready would keep its task from everything else on the thread, timeouts
/// included: after so many pieces the clock is looked at and others get their turn.
pub(crate) const PIECES_PER_TURN: u32 = 64;

/// A stream that was silent for so long pauses between its events.
const QUIET_MIN: Duration = Duration::from_millis(1);

impl Clock {
    pub(crate) fn new(timeouts: Timeouts, deadline: Option<Instant>) -> Clock {
        let mut clock = Clock {
            idle: timeouts.idle,
            total: timeouts.total.unwrap_or_default(),
            deadline,
            last: Instant::now(),
            alarm: None,
            is_set: false,
            pieces: 0,
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

    /// The same if there was any; the note of it is used up.
    pub(crate) fn substance_if(&mut self, had: &mut bool) {
        if std::mem::take(had) {
            self.substance();
        }
    }

    /// The same; whether nothing was noted for `QUIET_MIN` before.
    pub(crate) fn was_quiet(&mut self, had: &mut bool) -> bool {
        let before = self.last;
        self.substance_if(had);
        self.last.duration_since(before) >= QUIET_MIN
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
        self.pieces = self.pieces.wrapping_add(1);
        if self.pieces.is_multiple_of(PIECES_PER_TURN) {
            if let Some(error) = self.overdue() {
                return Err(error);
            }
            owed::pay();
            yield_now().await;
        }
        poll_fn(|cx| match body.poll_piece(cx) {
            Poll::Ready(piece) => Poll::Ready(piece),
            Poll::Pending => self.poll_expired(cx).map(Err),
        })
        .await
    }
}
