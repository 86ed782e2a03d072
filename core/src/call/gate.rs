//! The gate before the attempts of one client in one process: the next in line asks the pace, and
//! waits for its time or for a change.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, timeout};

use crate::call::pace::{Pace, Verdict};
use crate::system::sync::lock;

pub(crate) struct Gate {
    /// The moment that the pace counts from.
    origin: Instant,
    pace: Mutex<Pace>,
    /// Who has it is the next in line; the others wait for it in order.
    turn: Semaphore,
    /// The same for calls that begin: who was refused before waits behind one of them at most.
    line: Semaphore,
    /// Wakes the next in line.
    changed: Notify,
}

/// The right to one attempt, and the place that it takes until it is dropped.
pub(crate) struct Place {
    gate: Arc<Gate>,
    begun: Duration,
    was_refused: bool,
}

impl Gate {
    pub(crate) fn new() -> Gate {
        Gate {
            origin: Instant::now(),
            pace: Mutex::new(Pace::new()),
            turn: Semaphore::new(1),
            line: Semaphore::new(1),
            changed: Notify::new(),
        }
    }

    fn pace(&self) -> MutexGuard<'_, Pace> {
        lock(&self.pace)
    }

    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn place(self: &Arc<Gate>, begun: Duration) -> Place {
        Place { gate: self.clone(), begun, was_refused: false }
    }

    /// A place if nobody waits and one may be taken now. A call that was refused before goes first:
    /// so each comes to its end, whatever many others begin.
    pub(crate) fn try_enter(self: &Arc<Gate>, was_refused: bool) -> Option<Place> {
        let line = (!was_refused).then(|| self.line.try_acquire());
        let _line = line.transpose().ok()?;
        let _turn = self.turn.try_acquire().ok()?;
        let now = self.now();
        match self.pace().ask(now, false) {
            Verdict::Go => Some(self.place(now)),
            Verdict::Wait(_) => None,
        }
    }

    /// The next place, in order. Dropping the future leaves nothing behind.
    pub(crate) async fn enter(self: &Arc<Gate>, was_refused: bool) -> Place {
        // The semaphores are never closed.
        let _line = if was_refused { None } else { self.line.acquire().await.ok() };
        let _turn = self.turn.acquire().await.ok();
        loop {
            let now = self.now();
            let verdict = self.pace().ask(now, true);
            match verdict {
                Verdict::Go => return self.place(now),
                Verdict::Wait(until) => {
                    // A change between the answer and this wait is kept for it.
                    let _ = timeout(until.saturating_sub(now), self.changed.notified()).await;
                }
            }
        }
    }
}

impl Place {
    /// The answer came with a good status. The place is held until the answer has ended.
    pub(crate) fn succeeded(&self) {
        let now = self.gate.now();
        self.gate.pace().succeeded(self.begun, now);
        self.gate.changed.notify_one();
    }

    /// The service refused, and all calls of the client are to wait for so long.
    pub(crate) fn refused(mut self, wait: Duration) {
        self.was_refused = true;
        let now = self.gate.now();
        let cut = self.gate.pace().refused(self.begun, now, wait);
        if let Some(cut) = cut {
            tracing::info!(
                target: "modelwire",
                wait_ms = u64::try_from(cut.pause.as_millis()).unwrap_or(u64::MAX),
                allowed = cut.allowed,
                "pausing after a refusal"
            );
        }
        self.gate.changed.notify_one();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if !self.was_refused {
            self.gate.pace().release();
            self.gate.changed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn full() -> (Arc<Gate>, Vec<Place>) {
        let gate = Arc::new(Gate::new());
        let places = std::iter::from_fn(|| gate.try_enter(false)).collect();
        (gate, places)
    }

    fn in_flight(gate: &Gate) -> u32 {
        gate.pace().in_flight()
    }

    #[tokio::test]
    async fn whoever_waits_is_served_in_order() {
        let (gate, mut places) = full();
        let mut cx = Context::from_waker(Waker::noop());
        let (mut second, mut third) = (pin!(gate.enter(false)), pin!(gate.enter(false)));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        assert!(third.as_mut().poll(&mut cx).is_pending());
        places.pop();
        assert!(gate.try_enter(false).is_none(), "it belongs to the one that waits");
        assert!(third.as_mut().poll(&mut cx).is_pending());
        let Poll::Ready(place) = second.as_mut().poll(&mut cx) else { unreachable!() };
        drop(place);
        assert!(third.as_mut().poll(&mut cx).is_ready());
        assert_eq!(in_flight(&gate) as usize, places.len());
    }

    /// However many calls begin: those that are refused come to their end.
    #[tokio::test]
    async fn whoever_was_refused_goes_first() {
        let (gate, mut places) = full();
        let mut cx = Context::from_waker(Waker::noop());
        let (mut head, mut later) = (pin!(gate.enter(false)), pin!(gate.enter(false)));
        assert!(head.as_mut().poll(&mut cx).is_pending());
        assert!(later.as_mut().poll(&mut cx).is_pending());
        let mut refused = pin!(gate.enter(true));
        assert!(refused.as_mut().poll(&mut cx).is_pending());
        places.pop();
        assert!(head.as_mut().poll(&mut cx).is_ready(), "it was the next already");
        places.pop();
        assert!(later.as_mut().poll(&mut cx).is_pending());
        assert!(refused.as_mut().poll(&mut cx).is_ready());
        assert!(later.as_mut().poll(&mut cx).is_ready() || places.pop().is_some());
    }

    /// In line and at its head.
    #[tokio::test]
    async fn a_wait_that_is_given_up_leaves_nothing() {
        let (gate, mut places) = full();
        let mut cx = Context::from_waker(Waker::noop());
        {
            let (mut head, mut next) = (pin!(gate.enter(false)), pin!(gate.enter(false)));
            assert!(head.as_mut().poll(&mut cx).is_pending());
            assert!(next.as_mut().poll(&mut cx).is_pending());
            places.pop(); // the head is woken, and gives up all the same
        }
        assert_eq!(in_flight(&gate) as usize, places.len());
        places.push(gate.try_enter(false).unwrap());
        let mut later = pin!(gate.enter(false));
        assert!(later.as_mut().poll(&mut cx).is_pending());
        places.clear();
        assert!(later.as_mut().poll(&mut cx).is_ready());
        assert_eq!(in_flight(&gate), 0);
    }

    /// For as long as the pause takes, and no longer.
    #[tokio::test]
    async fn all_wait_for_the_end_of_a_pause() {
        let gate = Arc::new(Gate::new());
        let wait = Duration::from_millis(30);
        let start = Instant::now();
        gate.try_enter(false).unwrap().refused(wait);
        assert_eq!(in_flight(&gate), 0);
        assert!(gate.try_enter(false).is_none());
        let first = gate.enter(false).await;
        assert!(start.elapsed() >= wait, "{:?}", start.elapsed());
        first.succeeded();
        drop(first);
        let (_first, _second) = (gate.enter(false).await, gate.enter(false).await);
        assert_eq!(in_flight(&gate), 2);
    }

    /// A pause that grows while somebody waits for its end.
    #[tokio::test]
    async fn a_pause_is_prolonged() {
        let (gate, mut places) = full();
        let (last, first) = (places.pop().unwrap(), places.pop().unwrap());
        let start = Instant::now();
        first.refused(Duration::from_millis(20));
        let waits = tokio::spawn({
            let gate = gate.clone();
            async move { drop(gate.enter(false).await) }
        });
        tokio::task::yield_now().await;
        last.refused(Duration::from_millis(60));
        waits.await.unwrap();
        assert!(start.elapsed() >= Duration::from_millis(60));
    }
}
