//! The idle timeout and the deadline while a body is read. Knows bodies only as something that
//! is read piece by piece.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::config::Timeouts;
use crate::error::{Error, Result, TimeoutPhase};
use crate::transport::Body;

/// The idle timeout and the deadline while a body is read.
pub(crate) struct Clock {
    idle: Option<Duration>,
    total: Duration,
    deadline: Option<Instant>,
    /// When something of substance came last.
    last: Instant,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Clock {
    pub(crate) fn new(timeouts: Timeouts, deadline: Option<Instant>) -> Clock {
        let mut clock = Clock {
            idle: timeouts.idle,
            total: timeouts.total.unwrap_or_default(),
            deadline,
            last: Instant::now(),
            alarm: None,
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

    /// Ready when a timeout ran out. The alarm is set to the earliest time at which that may be
    /// and looked at again only then, so that progress costs no timer work.
    pub(crate) fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        loop {
            let due = self.due();
            let (Some(alarm), Some(due)) = (&mut self.alarm, due) else {
                return Poll::Pending;
            };
            std::task::ready!(alarm.as_mut().poll(cx));
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                return Poll::Ready(Error::timed_out(TimeoutPhase::Total, self.total));
            }
            if now >= due {
                return Poll::Ready(Error::timed_out(
                    TimeoutPhase::Idle,
                    self.idle.unwrap_or_default(),
                ));
            }
            alarm.as_mut().reset(due);
        }
    }

    /// The next piece of a body, unless a timeout comes first.
    pub(crate) async fn next_piece(&mut self, body: &mut Body) -> Result<Option<Bytes>> {
        poll_fn(|cx| match body.poll_piece(cx) {
            Poll::Ready(piece) => Poll::Ready(piece),
            Poll::Pending => self.poll_expired(cx).map(Err),
        })
        .await
    }
}
