//! The admission control for the attempts of one client in one process: the first in line asks the
//! congestion controller (`pace`), and waits until a time or for a change.

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, timeout};

use crate::call::pace::{CongestionController, Decision};
use crate::system::sync::lock;

/// The maximum number of attempts of one client in flight, whatever the service accepts.
const IN_FLIGHT_MAX: u32 = 10_000;

/// A longer `Retry-After` also holds back the attempts of other calls. A shorter one does so only while most
/// attempts are refused: services also send it near a rate limit, and the controller keeps to that limit.
const LONG_WAIT: Duration = Duration::from_secs(1);

/// If nothing was accepted for this long, a quota is exhausted rather than a rate exceeded. Calls then no
/// longer queue: up to `BARREN_IN_FLIGHT` are in flight, and each gets its own refusal.
const BARREN_MAX: Duration = Duration::from_secs(30);
const BARREN_IN_FLIGHT: u32 = 64;

struct State {
    pace: CongestionController,
    paused_until: Duration,
    /// The first refusal since an attempt was accepted.
    refused_since: Option<Duration>,
}

pub(crate) struct Admission {
    /// The zero of the controller's time.
    origin: Instant,
    state: Mutex<State>,
    /// Its holder is the first in line; the others wait for it in order.
    turn: Semaphore,
    /// Queues new calls in front of `turn`: a retry waits behind at most one of them.
    line: Semaphore,
    /// Wakes the first in line.
    changed: Notify,
}

/// The permit for one attempt; it occupies a slot until it is dropped.
pub(crate) struct AttemptPermit {
    admission: Arc<Admission>,
    begun: Duration,
    end: PlaceEnd,
}

/// What to record when a permit is dropped.
enum PlaceEnd {
    Released,
    Answered,
    Nothing,
}

impl State {
    fn ask(&mut self, now: Duration) -> Decision {
        if now < self.paused_until {
            return Decision::At(self.paused_until);
        }
        let barren_at = self.refused_since.map(|since| since + BARREN_MAX);
        let Some(barren_at) = barren_at.filter(|_| self.pace.in_flight() < BARREN_IN_FLIGHT) else {
            return self.pace.ask(now);
        };
        if now >= barren_at {
            self.pace.start_unasked(now);
            return Decision::Go;
        }
        match self.pace.ask(now) {
            Decision::Go => Decision::Go,
            Decision::At(at) => Decision::At(at.min(barren_at)),
            Decision::Full => Decision::At(barren_at),
        }
    }

    /// Whether nothing was accepted for [`BARREN_MAX`].
    fn is_barren(&self, now: Duration) -> bool {
        self.refused_since.is_some_and(|since| now >= since + BARREN_MAX)
    }
}

impl Admission {
    pub(crate) fn new() -> Admission {
        let pace = CongestionController::new(IN_FLIGHT_MAX);
        Admission {
            origin: Instant::now(),
            state: Mutex::new(State { pace, paused_until: Duration::ZERO, refused_since: None }),
            turn: Semaphore::new(1),
            line: Semaphore::new(1),
            changed: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn now(&self) -> Duration {
        self.origin.elapsed()
    }

    fn place(self: &Arc<Admission>, begun: Duration) -> AttemptPermit {
        AttemptPermit { admission: self.clone(), begun, end: PlaceEnd::Released }
    }

    /// A permit, if nobody queues and one is available now. Retries have priority, so that each call finishes
    /// however many others start.
    pub(crate) fn try_enter(self: &Arc<Admission>, was_refused: bool) -> Option<AttemptPermit> {
        let line = (!was_refused).then(|| self.line.try_acquire());
        let _line = line.transpose().ok()?;
        let _turn = self.turn.try_acquire().ok()?;
        let now = self.now();
        match self.state().ask(now) {
            Decision::Go => Some(self.place(now)),
            Decision::At(_) | Decision::Full => None,
        }
    }

    /// Queues for a permit. Dropping the future leaves no trace.
    pub(crate) async fn enter(self: &Arc<Admission>, was_refused: bool) -> AttemptPermit {
        // The semaphores are never closed.
        let _line = if was_refused { None } else { self.line.acquire().await.ok() };
        let _turn = self.turn.acquire().await.ok();
        loop {
            let now = self.now();
            let verdict = self.state().ask(now);
            // `Notify` keeps a change that happens between the verdict and this wait.
            match verdict {
                Decision::Go => return self.place(now),
                Decision::At(at) => {
                    let _ = timeout(at.saturating_sub(now), self.changed.notified()).await;
                }
                Decision::Full => self.changed.notified().await,
            }
        }
    }
}

impl AttemptPermit {
    /// The answer has a success status. The permit is held until the answer has ended.
    pub(crate) fn succeeded(&mut self) {
        self.end = PlaceEnd::Answered;
        let now = self.admission.now();
        let mut state = self.admission.state();
        if state.is_barren(now) {
            state.pace.forget(now);
        }
        state.refused_since = None;
    }

    /// The service refused the attempt, and asks for a wait, or for none (zero).
    pub(crate) fn refused(mut self, asked: Duration) {
        self.end = PlaceEnd::Nothing;
        let now = self.admission.now();
        let mut state = self.admission.state();
        match state.is_barren(now) {
            true => state.pace.released(now),
            false => state.pace.refused(self.begun, now),
        }
        state.refused_since.get_or_insert(now);
        let until = now.saturating_add(asked);
        let is_pause = asked > LONG_WAIT || state.pace.is_mostly_refused();
        if is_pause && until > state.paused_until {
            state.paused_until = until;
            tracing::info!(
                target: "modelwire",
                wait_ms = u64::try_from(asked.as_millis()).unwrap_or(u64::MAX),
                allowed = state.pace.slots(),
                "pausing after a rate limit"
            );
        }
    }
}

impl Drop for AttemptPermit {
    fn drop(&mut self) {
        let now = self.admission.now();
        match self.end {
            PlaceEnd::Released => self.admission.state().pace.released(now),
            PlaceEnd::Answered => self.admission.state().pace.answered(self.begun, now),
            PlaceEnd::Nothing => {}
        }
        self.admission.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    fn full() -> (Arc<Admission>, Vec<AttemptPermit>) {
        let admission = Arc::new(Admission::new());
        let places = std::iter::from_fn(|| admission.try_enter(false)).collect();
        (admission, places)
    }

    fn in_flight(admission: &Admission) -> u32 {
        admission.state().pace.in_flight()
    }

    #[tokio::test]
    async fn waiters_are_served_in_order() {
        let (admission, mut places) = full();
        let mut cx = Context::from_waker(Waker::noop());
        let (mut second, mut third) = (pin!(admission.enter(false)), pin!(admission.enter(false)));
        assert!(second.as_mut().poll(&mut cx).is_pending());
        assert!(third.as_mut().poll(&mut cx).is_pending());
        places.pop();
        assert!(admission.try_enter(false).is_none(), "the slot belongs to the waiter");
        assert!(third.as_mut().poll(&mut cx).is_pending());
        let Poll::Ready(place) = second.as_mut().poll(&mut cx) else { unreachable!() };
        drop(place);
        // The third is now the first in line, and has not noticed.
        assert!(admission.try_enter(false).is_none());
        assert!(admission.try_enter(true).is_some(), "a retry goes before it");
        assert!(third.as_mut().poll(&mut cx).is_ready());
        assert_eq!(in_flight(&admission) as usize, places.len());
    }

    /// Refused calls finish, however many new calls start.
    #[tokio::test]
    async fn refused_calls_go_first() {
        let (admission, mut places) = full();
        let mut cx = Context::from_waker(Waker::noop());
        let (mut head, mut later) = (pin!(admission.enter(false)), pin!(admission.enter(false)));
        assert!(head.as_mut().poll(&mut cx).is_pending());
        assert!(later.as_mut().poll(&mut cx).is_pending());
        let mut refused = pin!(admission.enter(true));
        assert!(refused.as_mut().poll(&mut cx).is_pending());
        places.pop();
        assert!(head.as_mut().poll(&mut cx).is_ready(), "it was already next");
        places.pop();
        assert!(later.as_mut().poll(&mut cx).is_pending());
        assert!(refused.as_mut().poll(&mut cx).is_ready());
        assert!(later.as_mut().poll(&mut cx).is_ready() || places.pop().is_some());
    }

    /// In line and as the first in line.
    #[tokio::test]
    async fn an_abandoned_wait_takes_no_permit() {
        let (admission, mut places) = full();
        let mut cx = Context::from_waker(Waker::noop());
        {
            let (mut head, mut next) = (pin!(admission.enter(false)), pin!(admission.enter(false)));
            assert!(head.as_mut().poll(&mut cx).is_pending());
            assert!(next.as_mut().poll(&mut cx).is_pending());
            places.pop(); // the head is woken, and gives up nonetheless
        }
        assert_eq!(in_flight(&admission) as usize, places.len());
        places.push(admission.try_enter(false).unwrap());
        let mut later = pin!(admission.enter(false));
        assert!(later.as_mut().poll(&mut cx).is_pending());
        places.clear();
        assert!(later.as_mut().poll(&mut cx).is_ready());
        assert_eq!(in_flight(&admission), 0);
    }

    fn paused(admission: &Arc<Admission>) -> Duration {
        admission.state().paused_until.saturating_sub(admission.now())
    }

    /// A long requested wait holds back the others, and a longer one extends it.
    #[test]
    fn a_long_wait_is_a_pause_for_all() {
        let (admission, mut places) = full();
        let mut refuse = |seconds| places.pop().unwrap().refused(Duration::from_secs(seconds));
        refuse(1);
        assert_eq!(
            paused(&admission),
            Duration::ZERO,
            "seven of eight are accepted, as far as is known"
        );
        refuse(30);
        let pause = paused(&admission);
        assert!(pause > Duration::from_secs(20) && pause <= Duration::from_secs(30), "{pause:?}");
        refuse(20);
        assert!(paused(&admission) <= pause);
        refuse(60);
        assert!(paused(&admission) > pause);
        assert!(admission.try_enter(true).is_none());
    }

    /// If everything is refused for long, calls start concurrently, until one is accepted.
    #[test]
    fn several_calls_at_once_try_an_exhausted_quota() {
        let mut state = Admission::new();
        let state = state.state.get_mut().unwrap();
        let seconds = Duration::from_secs;
        while state.ask(seconds(0)) == Decision::Go {}
        state.refused_since = Some(seconds(1));
        let Decision::At(next) = state.ask(seconds(2)) else { unreachable!() };
        assert!(next <= seconds(31), "a waiter is woken by then: {next:?}");
        while state.ask(seconds(31)) == Decision::Go {}
        assert_eq!(state.pace.in_flight(), BARREN_IN_FLIGHT);
    }

    /// The first acceptance after such a time resets the controller.
    #[tokio::test(start_paused = true)]
    async fn an_acceptance_after_a_long_refusal_forgets_what_was_learned() {
        let accept = |admission: &Arc<Admission>| {
            let mut place = admission.try_enter(true).unwrap();
            place.succeeded();
        };
        for (time, is_forgotten) in [(BARREN_MAX - LONG_WAIT, false), (BARREN_MAX, true)] {
            let admission = Arc::new(Admission::new());
            admission.state().pace.set_in_flight_max(3);
            let slots = |admission: &Admission| admission.state().pace.slots();
            admission.try_enter(false).unwrap().refused(Duration::ZERO);
            admission.state().pace.set_in_flight_max(IN_FLIGHT_MAX);
            assert_eq!(slots(&admission), 3);
            tokio::time::advance(time).await;
            accept(&admission);
            assert_eq!(slots(&admission) > 3, is_forgotten, "{time:?}");
            assert_eq!(admission.state().refused_since, None);
        }
    }

    /// A second is not long.
    #[tokio::test(start_paused = true)]
    async fn a_pause_begins_above_its_bound() {
        for (asked, is_pause) in [(LONG_WAIT, false), (LONG_WAIT + Duration::from_millis(1), true)]
        {
            let (admission, mut places) = full();
            places.pop().unwrap().refused(asked);
            assert_eq!(paused(&admission) > Duration::ZERO, is_pause, "{asked:?}");
        }
    }
}
