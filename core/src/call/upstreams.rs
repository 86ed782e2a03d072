//! Which of several services of a client gets an attempt: in order or by weight, without those that rest
//! after failures, each of which a single call probes first.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::time::Instant;

use crate::answer::error::Error;
use crate::answer::error_kind::{ErrorKind, TimeoutPhase};
use crate::options::config::UpstreamSettings;
use crate::system::sync::lock;

/// A service rests after this many failures in a row, after a single one to connect.
const FAILURES_MAX: u32 = 3;

/// How long it rests, doubled for each further failure.
const REST_FIRST: Duration = Duration::from_secs(1);
const REST_MAX: Duration = Duration::from_secs(60);

/// The longest `Retry-After` that holds a service back.
const RETRY_AFTER_REST_MAX: Duration = Duration::from_secs(600);

/// A probe that takes longer than this no longer keeps other calls from the service.
const PROBE_TIME_MAX: Duration = Duration::from_secs(10);

/// The state of a service.
#[derive(Clone, Debug, Default)]
struct State {
    weight: i64,
    /// What it is owed: the largest is next, and pays for all (smooth weighted round-robin).
    owed: i64,
    /// Failures in a row; attempts that began before the last one was counted are part of it.
    failures: u32,
    counted_at: Duration,
    /// Also in the past, until it answered again.
    rests_until: Option<Duration>,
    /// A `Retry-After`.
    asked_until: Duration,
    /// Nothing could be sent to it the last time.
    is_unreachable: bool,
    /// When the call began that probes it.
    probed_at: Option<Duration>,
}

impl State {
    fn is_free(&self, now: Duration) -> bool {
        match self.rests_until {
            None => true,
            Some(until) => until <= now && !self.is_probed(now),
        }
    }

    fn is_probed(&self, now: Duration) -> bool {
        self.probed_at.is_some_and(|at| now < at + PROBE_TIME_MAX)
    }
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failed {
    /// Nothing was sent.
    NotSent,
    /// The service refused it, and asks for this wait.
    Refused(Option<Duration>),
    Otherwise,
}

/// The states of all.
struct States {
    balances: bool,
    states: Vec<State>,
}

impl States {
    fn new(settings: &UpstreamSettings) -> States {
        let of = |weight| State { weight: i64::from(weight), ..State::default() };
        let states = settings.all.iter().map(|upstream| of(upstream.weight)).collect();
        States { balances: settings.balances, states }
    }

    /// See [`Upstreams::choose`].
    fn find(
        &mut self,
        now: Duration,
        tried: u64,
        mut admits: impl FnMut(usize) -> bool,
    ) -> Result<usize, Vec<usize>> {
        let mut candidates = self.candidates(now, tried);
        if candidates.is_empty() && tried == 0 {
            let ends = |s: &State| (s.is_probed(now), s.is_unreachable, s.rests_until);
            let states = self.states.iter().enumerate();
            candidates.extend(states.min_by_key(|(_, state)| ends(state)).map(|(at, _)| at));
        }
        let found = candidates.iter().copied().find(|at| admits(*at)).ok_or(candidates)?;
        self.takes(now, tried, found);
        Ok(found)
    }

    /// Those that do not rest, in the order of preference.
    fn candidates(&self, now: Duration, tried: u64) -> Vec<usize> {
        let states = self.states.iter().enumerate();
        let untried = states.filter(|(at, _)| tried & (1 << at) == 0);
        let mut free: Vec<_> =
            untried.filter(|(_, state)| state.is_free(now)).map(|(at, _)| at).collect();
        if self.balances {
            let owed = |at: &usize| self.states.get(*at).map(|state| state.owed + state.weight);
            free.sort_by_key(|at| std::cmp::Reverse(owed(at))); // stable
        }
        free
    }

    /// An attempt goes to this one.
    fn takes(&mut self, now: Duration, tried: u64, chosen: usize) {
        if self.balances {
            let candidates = self.candidates(now, tried);
            let mut total = 0;
            for at in candidates {
                if let Some(state) = self.states.get_mut(at) {
                    total += state.weight;
                    state.owed += state.weight;
                }
            }
            if let Some(state) = self.states.get_mut(chosen) {
                state.owed -= total;
            }
        }
        if let Some(state) = self.states.get_mut(chosen)
            && state.rests_until.is_some()
            && !state.is_probed(now)
        {
            state.probed_at = Some(now);
        }
    }

    /// An attempt that began at `begun`; one from before the last failure says nothing about the time since.
    fn answers(&mut self, begun: Duration, at: usize) {
        if let Some(state) = self.states.get_mut(at).filter(|state| begun >= state.counted_at) {
            (state.rests_until, state.probed_at) = (None, None);
            (state.asked_until, state.is_unreachable) = (Duration::ZERO, false);
        }
    }

    fn ended_well(&mut self, at: usize) {
        if let Some(state) = self.states.get_mut(at) {
            state.failures = 0;
        }
    }

    /// An attempt that began at `begun` failed.
    fn failed(&mut self, begun: Duration, now: Duration, at: usize, how: Failed) {
        let Some(state) = self.states.get_mut(at) else { return };
        if state.probed_at == Some(begun) {
            state.probed_at = None;
        }
        state.is_unreachable = how == Failed::NotSent;
        if let Failed::Refused(Some(asked)) = how {
            let until = now + asked.min(RETRY_AFTER_REST_MAX);
            state.asked_until = state.asked_until.max(until);
            state.rests_until = state.rests_until.max(Some(until));
        }
        if state.failures > 0 && begun < state.counted_at {
            return;
        }
        state.failures = state.failures.saturating_add(1);
        state.counted_at = now;
        let few = if how == Failed::NotSent { 1 } else { FAILURES_MAX };
        let rest = match state.failures.checked_sub(few) {
            Some(more) => REST_FIRST.saturating_mul(2u32.saturating_pow(more)).min(REST_MAX),
            None if state.rests_until.is_some() => REST_FIRST, // a probe
            None => return,
        };
        state.rests_until = state.rests_until.max(Some(now + rest));
    }

    /// The time until the first of those that can be reached no longer asks to wait.
    fn asked_left(&self, now: Duration) -> Duration {
        let reachable = self.states.iter().filter(|state| !state.is_unreachable);
        reachable.map(|state| state.asked_until.saturating_sub(now)).min().unwrap_or_default()
    }

    /// Whether there is one that was not tried, can be reached, is not probed by another call and does not ask to
    /// wait, though it may rest.
    fn has_reachable(&self, now: Duration, tried: u64) -> bool {
        let is_so = |state: &State| {
            !state.is_unreachable && !state.is_probed(now) && state.asked_until <= now
        };
        let mut states = self.states.iter().enumerate();
        states.any(|(at, state)| tried & (1 << at) == 0 && is_so(state))
    }

    /// The time until another one may be free.
    fn until_change(&self, now: Duration) -> Duration {
        let changes = self
            .states
            .iter()
            .flat_map(|state| [state.rests_until, state.probed_at.map(|at| at + PROBE_TIME_MAX)]);
        let coming = changes.flatten().filter(|at| *at > now);
        coming.min().map_or(Duration::MAX, |at| at - now)
    }
}

/// The services of one client in one process.
pub(crate) struct Upstreams {
    origin: Instant,
    states: Mutex<States>,
}

/// An attempt's service. If it is dropped without an outcome, another call may probe the service.
pub(crate) struct Chosen {
    upstreams: Arc<Upstreams>,
    pub(crate) number: usize,
    begun: Duration,
    has_answered: bool,
    is_over: AtomicBool,
}

impl Upstreams {
    pub(crate) fn new(settings: &UpstreamSettings) -> Upstreams {
        Upstreams { origin: Instant::now(), states: Mutex::new(States::new(settings)) }
    }

    fn states(&self) -> MutexGuard<'_, States> {
        lock(&self.states)
    }

    fn chosen(self: &Arc<Self>, number: usize, begun: Duration) -> Chosen {
        let (has_answered, is_over) = (false, AtomicBool::new(false));
        Chosen { upstreams: self.clone(), number, begun, has_answered, is_over }
    }

    /// The next service for a call that has tried these (as bits), if `admits` says so. Otherwise those that
    /// may admit it later, in this order: none if it has tried all that do not rest.
    pub(crate) fn choose(
        self: &Arc<Self>,
        tried: u64,
        admits: impl FnMut(usize) -> bool,
    ) -> Result<Chosen, Vec<usize>> {
        let now = self.origin.elapsed();
        let found = self.states().find(now, tried, admits);
        found.map(|number| self.chosen(number, now))
    }

    /// This one, which has admitted a call that has tried these.
    pub(crate) fn take(self: &Arc<Self>, tried: u64, number: usize) -> Chosen {
        let now = self.origin.elapsed();
        self.states().takes(now, tried, number);
        self.chosen(number, now)
    }

    /// See [`States::has_reachable`].
    pub(crate) fn has_reachable(&self, tried: u64) -> bool {
        self.states().has_reachable(self.origin.elapsed(), tried)
    }

    /// The time until the first of those that can be reached no longer asks to wait; zero if one does not.
    pub(crate) fn asked_left(&self) -> Duration {
        self.states().asked_left(self.origin.elapsed())
    }

    /// The time until another one may be free.
    pub(crate) fn until_change(&self) -> Duration {
        self.states().until_change(self.origin.elapsed())
    }
}

impl Chosen {
    /// It answered with a success status.
    pub(crate) fn answers(&mut self) {
        self.has_answered = true;
        self.upstreams.states().answers(self.begun, self.number);
    }

    /// It answered, with an error that is the request's.
    pub(crate) fn answered_well(mut self) {
        self.answers();
    }

    pub(crate) fn failed(&self, how: Failed) {
        self.is_over.store(true, Ordering::Relaxed);
        let upstreams = &self.upstreams;
        upstreams.states().failed(self.begun, upstreams.origin.elapsed(), self.number, how);
    }

    /// An answer with a success status ended.
    pub(crate) fn ended(&self, error: Option<&Error>) {
        if error.is_some_and(is_of_service) {
            self.failed(Failed::Otherwise);
        }
    }
}

impl Drop for Chosen {
    fn drop(&mut self) {
        if *self.is_over.get_mut() {
            return;
        }
        let mut states = self.upstreams.states();
        match self.has_answered {
            true => states.ended_well(self.number),
            false => {
                let state = states.states.get_mut(self.number);
                if let Some(state) = state.filter(|state| state.probed_at == Some(self.begun)) {
                    state.probed_at = None;
                }
            }
        }
    }
}

/// Whether a failure says something about the service: the timeouts of a whole call and of the client's queue
/// do not.
pub(crate) fn is_of_service(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Timeout => {
            !matches!(error.timeout(), Some(TimeoutPhase::Total | TimeoutPhase::Pool) | None)
        }
        ErrorKind::Server
        | ErrorKind::Connect
        | ErrorKind::Tls
        | ErrorKind::Disconnected
        | ErrorKind::Protocol
        | ErrorKind::Incomplete
        | ErrorKind::Stream => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    const NOW: Duration = Duration::from_secs(10);

    fn states(balances: bool, weights: &[i64]) -> States {
        let of = |weight: &i64| State { weight: *weight, ..State::default() };
        States { balances, states: weights.iter().map(of).collect() }
    }

    fn next(states: &mut States, now: Duration, tried: u64) -> Result<usize, Vec<usize>> {
        states.find(now, tried, |_| true)
    }

    #[test]
    fn in_order_the_first_that_was_not_tried_is_next() {
        let mut three = states(false, &[1, 1, 1]);
        for (tried, expected) in
            [(0b000, Ok(0)), (0b001, Ok(1)), (0b011, Ok(2)), (0b111, Err(vec![]))]
        {
            assert_eq!(next(&mut three, NOW, tried), expected);
        }
        assert_eq!(three.find(NOW, 0, |at| at == 2), Ok(2));
        assert_eq!(three.find(NOW, 1, |_| false), Err(vec![1, 2]));
    }

    #[test]
    fn balanced_calls_are_spread_by_weight() {
        let mut three = states(true, &[5, 1, 2]);
        let mut counts = [0; 3];
        let mut in_a_row = 0;
        for turn in 0..800 {
            let Ok(at) = next(&mut three, NOW, 0) else { panic!() };
            assert_eq!(at, [0, 2, 0, 0, 1, 0, 2, 0][turn % 8]);
            counts[at] += 1;
            in_a_row = if at == 0 { in_a_row + 1 } else { 0 };
            assert!(in_a_row <= 3, "evenly");
        }
        assert_eq!(counts, [500, 100, 200]);
        three.failed(NOW, NOW, 0, Failed::NotSent);
        for _ in 0..300 {
            let Ok(at) = next(&mut three, NOW, 0) else { panic!() };
            counts[at] += 1;
        }
        assert_eq!(counts, [500, 200, 400], "by the weights of those that do not rest");
    }

    #[test]
    fn a_service_that_failed_rests_and_is_probed_by_one_call() {
        let mut two = states(false, &[1, 1]);
        two.failed(NOW, NOW, 0, Failed::NotSent);
        assert_eq!(next(&mut two, NOW, 0), Ok(1));
        let later = NOW + REST_FIRST;
        assert_eq!(next(&mut two, later, 0), Ok(0), "the probe");
        assert_eq!(next(&mut two, later, 0), Ok(1), "no second one");
        two.failed(later, later, 0, Failed::NotSent);
        assert_eq!(next(&mut two, later + REST_FIRST, 0), Ok(1), "it rests twice as long");
        assert_eq!(next(&mut two, later + 2 * REST_FIRST, 0), Ok(0));
        two.answers(later + 2 * REST_FIRST, 0);
        assert_eq!(next(&mut two, later + 2 * REST_FIRST, 0), Ok(0));
    }

    #[test]
    fn single_failures_of_calls_are_no_reason_to_rest_and_several_are() {
        for how in [Failed::Refused(None), Failed::Otherwise] {
            let mut two = states(false, &[1, 1]);
            for _ in 1..FAILURES_MAX {
                two.failed(NOW, NOW, 0, how);
                assert_eq!(next(&mut two, NOW, 0), Ok(0), "{how:?}");
            }
            let mut mended = two.states.clone();
            two.failed(NOW, NOW, 0, how);
            assert_eq!(next(&mut two, NOW, 0), Ok(1), "{how:?}");
            std::mem::swap(&mut two.states, &mut mended);
            two.ended_well(0);
            two.failed(NOW, NOW, 0, how);
            assert_eq!(next(&mut two, NOW, 0), Ok(0), "{how:?}");
        }
    }

    #[test]
    fn a_retry_after_is_kept_and_bounded() {
        let mut two = states(false, &[1, 1]);
        two.failed(NOW, NOW, 0, Failed::Refused(Some(Duration::from_secs(30))));
        assert_eq!(next(&mut two, NOW + Duration::from_secs(29), 0), Ok(1));
        assert_eq!(two.asked_left(NOW), Duration::ZERO);
        two.failed(NOW, NOW, 1, Failed::Refused(Some(Duration::from_secs(7))));
        assert_eq!(two.asked_left(NOW), Duration::from_secs(7));
        assert_eq!(next(&mut two, NOW, 0), Ok(1), "its rest ends first");
        assert_eq!(next(&mut two, NOW, 2), Err(vec![]));
        two.failed(NOW, NOW, 0, Failed::Refused(Some(Duration::MAX)));
        assert_eq!(next(&mut two, NOW + RETRY_AFTER_REST_MAX, 0b10), Ok(0));
    }

    #[test]
    fn an_answer_from_before_a_refusal_ends_no_rest() {
        let (mut two, asked) = (states(false, &[1, 1]), Duration::from_secs(7));
        let before = NOW.saturating_sub(Duration::from_millis(1));
        two.failed(NOW, NOW, 0, Failed::Refused(Some(asked)));
        two.failed(NOW, NOW, 1, Failed::Refused(Some(asked)));
        two.answers(before, 0);
        assert_eq!(two.asked_left(NOW), asked);
        assert_eq!(next(&mut two, NOW, 0b10), Err(vec![]));
        two.answers(NOW, 0);
        assert_eq!(two.asked_left(NOW), Duration::ZERO);
        assert_eq!(next(&mut two, NOW, 0b10), Ok(0));
    }

    /// One that cannot be reached is no reason not to wait for one that can, and is called last.
    #[test]
    fn a_service_that_cannot_be_reached_counts_as_none() {
        let (mut two, asked) = (states(false, &[1, 1]), Duration::from_secs(7));
        two.failed(NOW, NOW, 0, Failed::NotSent);
        assert!(two.has_reachable(NOW, 0b01) && !two.has_reachable(NOW, 0b10));
        two.failed(NOW, NOW, 1, Failed::Refused(Some(asked)));
        assert_eq!(two.asked_left(NOW), asked);
        assert!(!two.has_reachable(NOW, 0) && two.has_reachable(NOW + asked, 0));
        assert_eq!(next(&mut two, NOW, 0), Ok(1), "though its rest is longer");
        assert!(!two.has_reachable(NOW + asked, 0), "another call probes it");
        assert_eq!(next(&mut two, NOW, 0), Ok(0), "so a call would come back here at once");
        two.failed(NOW, NOW, 0, Failed::Otherwise);
        assert_eq!(two.asked_left(NOW), Duration::ZERO);
    }

    /// Attempts in flight together that fail for one reason are one failure.
    #[test]
    fn a_burst_of_failures_counts_as_one() {
        for how in [Failed::NotSent, Failed::Refused(None), Failed::Otherwise] {
            let mut two = states(false, &[1, 1]);
            for each in 1..50 {
                two.failed(NOW, NOW + Duration::from_millis(each), 0, how);
            }
            let later = NOW + 2 * REST_FIRST;
            assert_eq!(next(&mut two, later, 0), Ok(0), "{how:?}");
        }
        let mut two = states(false, &[1, 1]);
        let asks = Failed::Refused(Some(Duration::from_secs(1)));
        let end = NOW + Duration::from_millis(1);
        (0..50).for_each(|_| two.failed(NOW, end, 0, asks));
        assert_eq!(next(&mut two, end + Duration::from_secs(1), 0), Ok(0));
        // After an answer that ended well another row begins, whenever its attempt did.
        let mut two = states(false, &[1, 1]);
        two.failed(NOW, end, 0, Failed::Otherwise);
        two.ended_well(0);
        two.failed(NOW, end, 0, Failed::NotSent);
        assert_eq!(next(&mut two, end, 0), Ok(1));
    }

    /// Neither an older attempt nor its end makes room for a second probe, and a slow one does.
    #[test]
    fn a_probe_belongs_to_its_call_and_is_bounded() {
        let mut two = states(false, &[1, 1]);
        two.failed(NOW, NOW, 0, Failed::NotSent);
        let later = NOW + REST_FIRST;
        assert_eq!(next(&mut two, later, 0), Ok(0));
        two.failed(NOW, later, 0, Failed::Otherwise);
        assert_eq!(next(&mut two, later + REST_FIRST, 0), Ok(1));
        assert_eq!(next(&mut two, later + PROBE_TIME_MAX, 0), Ok(0));
        assert_eq!(next(&mut two, later + PROBE_TIME_MAX, 0), Ok(1), "another probe");
    }

    /// However few failures there were.
    #[test]
    fn a_probe_that_fails_is_followed_by_a_rest() {
        let mut two = states(false, &[1, 1]);
        two.failed(NOW, NOW, 0, Failed::NotSent);
        let later = NOW + REST_FIRST;
        assert_eq!(next(&mut two, later, 0), Ok(0));
        two.failed(later, later, 0, Failed::Otherwise);
        assert_eq!(two.states[0].failures, 2);
        assert_eq!(next(&mut two, later, 0), Ok(1));
        assert_eq!(next(&mut two, later + REST_FIRST, 0), Ok(0));
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_until_a_change_is_counted_from_now() {
        let upstreams = rested();
        upstreams.states().states[0].rests_until = Some(NOW);
        assert_eq!(upstreams.until_change(), NOW);
        tokio::time::advance(REST_FIRST).await;
        assert_eq!(upstreams.until_change(), NOW - REST_FIRST);
    }

    /// If all rest, no call follows one that may hang.
    #[test]
    fn among_resting_services_one_that_is_not_probed_is_preferred() {
        let mut two = states(false, &[1, 1]);
        two.failed(NOW, NOW, 0, Failed::NotSent);
        let later = NOW + REST_FIRST;
        assert_eq!(next(&mut two, later, 0), Ok(0), "the probe");
        two.failed(later, later, 1, Failed::NotSent);
        assert_eq!(next(&mut two, later, 0), Ok(1));
        assert_eq!(two.until_change(later), REST_FIRST);
        // A probe gives way to another one before a longer rest ends.
        let asks = Failed::Refused(Some(2 * PROBE_TIME_MAX));
        two.failed(later, later, 1, asks);
        assert_eq!(two.until_change(later), PROBE_TIME_MAX);
        assert_eq!(two.until_change(later + 3 * PROBE_TIME_MAX), Duration::MAX);
    }

    /// The first of two services has rested, and its rest is over: the next call is a probe.
    fn rested() -> Arc<Upstreams> {
        let mut two = states(false, &[1, 1]);
        two.states[0].rests_until = Some(Duration::ZERO);
        Arc::new(Upstreams { origin: Instant::now(), states: Mutex::new(two) })
    }

    fn choose(upstreams: &Arc<Upstreams>) -> Chosen {
        upstreams.choose(0, |_| true).unwrap_or_else(|_| panic!("none"))
    }

    #[test]
    fn a_probe_that_answers_ends_the_rest() {
        for says in [Chosen::answers as fn(&mut Chosen), |_| ()] {
            let upstreams = rested();
            let mut probe = choose(&upstreams);
            assert_eq!((probe.number, choose(&upstreams).number), (0, 1));
            says(&mut probe);
            let is_over = probe.has_answered;
            assert_eq!(choose(&upstreams).number, usize::from(!is_over));
            // A probe without an outcome makes room for another one.
            drop(probe);
            let next = choose(&upstreams);
            assert_eq!((next.number, choose(&upstreams).number), (0, usize::from(!is_over)));
        }
        let upstreams = rested();
        choose(&upstreams).answered_well();
        let (first, second) = (choose(&upstreams), choose(&upstreams));
        assert_eq!((first.number, second.number), (0, 0));
    }

    #[test]
    fn a_probe_that_failed_is_over() {
        let upstreams = rested();
        let probe = choose(&upstreams);
        probe.failed(Failed::NotSent);
        upstreams.states().states[0].probed_at = Some(probe.begun);
        drop(probe);
        assert_eq!(upstreams.states().states[0].failures, 1);
        assert!(
            upstreams.states().states[0].probed_at.is_some(),
            "only a probe without an outcome"
        );
    }

    #[test]
    fn failures_in_answers_count_until_one_ends_well() {
        let of_service = Error::new(ErrorKind::Incomplete, "x");
        let upstreams = rested();
        let failures = || upstreams.states().states[0].failures;
        let end = |error: Option<&Error>| {
            let mut chosen = choose(&upstreams);
            assert_eq!(chosen.number, 0);
            chosen.answers();
            chosen.ended(error);
        };
        end(Some(&of_service));
        assert_eq!(failures(), 1);
        // A call that was cancelled says nothing of the service; its answer had begun well.
        end(Some(&Error::argument("x")));
        assert_eq!(failures(), 0);
        end(Some(&of_service));
        end(Some(&of_service));
        assert_eq!(failures(), 2);
        end(None);
        assert_eq!(failures(), 0);
    }
}
