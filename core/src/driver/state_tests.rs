//! Who becomes the driver and when: single decisions that the model leaves open.

use super::*;

const THREAD: ThreadId = 7;
const OTHER: ThreadId = 8;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// A state in which a waiter is the driver, with one task alive.
fn driven_by_a_waiter() -> State {
    let mut state = State::new();
    for round in 1..=ALONE_MIN {
        let _ = state.begin(WaitedOnBy::Here, THREAD, ms(0));
        let granted = state.take(1, true) == Take::Granted;
        assert_eq!(granted, round == ALONE_MIN, "in round {round}");
        if !granted {
            state.end();
        }
    }
    state
}

#[test]
fn a_waiter_becomes_the_driver_after_some_waits_alone() {
    assert_eq!(driven_by_a_waiter().driver, DrivenBy::Waiter);
}

#[test]
fn a_wait_without_a_call_makes_no_driver() {
    let mut state = State::new();
    for _ in 0..=ALONE_MIN {
        assert_eq!(state.take(1, true), Take::Refused(Wake::Nobody));
    }
}

#[test]
fn work_of_others_restarts_the_count() {
    for awaited in [WaitedOnBy::Anywhere, WaitedOnBy::Here] {
        let mut state = State::new();
        for _ in 1..ALONE_MIN {
            let _ = state.begin(WaitedOnBy::Here, THREAD, ms(0));
            assert_eq!(state.take(1, true), Take::Refused(Wake::Nobody));
            state.end();
        }
        let _ = state.begin(WaitedOnBy::Here, THREAD, ms(0));
        let _ = state.begin(awaited, OTHER, ms(0)); // not alone: another task lives
        state.end();
        assert_eq!(state.take(1, true), Take::Refused(Wake::Nobody), "{awaited:?}");
    }
}

#[test]
fn a_call_looks_first_unless_the_io_thread_has_looked() {
    let mut state = State::new();
    let looks_first = |state: &State| state.clone().begin(WaitedOnBy::Anywhere, THREAD, ms(0)).0;
    assert!(looks_first(&state), "it has not polled yet");
    state.io_thread_looked();
    assert!(!looks_first(&state));
    assert!(looks_first(&driven_by_a_waiter()));
}

#[test]
fn after_a_wait_the_io_thread_drives_only_if_work_is_left() {
    for (begun, own, has_company, driver) in [
        (0, 1, false, DrivenBy::Nobody { left_by: THREAD }),
        (1, 2, false, DrivenBy::Nobody { left_by: THREAD }),
        (1, 1, false, DrivenBy::IoThread),
        (2, 1, false, DrivenBy::IoThread),
        (0, 1, true, DrivenBy::IoThread),
    ] {
        let mut state = driven_by_a_waiter();
        for _ in 0..begun {
            let _ = state.begin(WaitedOnBy::AtQueue, THREAD, ms(0));
        }
        let _ = state.let_go(own, THREAD, true, has_company, ms(1));
        assert_eq!(state.driver, driver, "{begun} more, own {own}, company {has_company}");
    }
}

/// A thread that was away for long, or another one, is not relied on to poll for what it submits.
#[test]
fn only_a_waiter_returning_soon_keeps_the_io() {
    let left = {
        let mut state = driven_by_a_waiter();
        let _ = state.let_go(1, THREAD, true, false, ms(10));
        state
    };
    let soon = ms(10) + AWAY_MAX - Duration::from_nanos(1);
    for (thread, now, stays) in
        [(THREAD, soon, true), (THREAD, ms(10) + AWAY_MAX, false), (OTHER, ms(10), false)]
    {
        let mut state = left.clone();
        let _ = state.begin(WaitedOnBy::AtQueue, thread, now);
        assert_eq!(state.driver == DrivenBy::IoThread, !stays, "{thread} at {now:?}");
    }
}

/// It is woken only if it would sleep beyond the time of the next required poll.
#[test]
fn the_io_thread_sleeps_on_where_it_wakes_in_time() {
    for (looks_at, is_woken) in [(None, false), (Some(ms(5)), false)] {
        let mut state = driven_by_a_waiter();
        state.io_thread_left(ms(0));
        assert_eq!(state.rest(ms(0)), Parked::SleepUntil(Some(UNWATCHED_MAX)));
        let now = looks_at.unwrap_or_default();
        let call = state.let_go(1, THREAD, looks_at.is_some(), false, now);
        assert_eq!(call == Wake::IoThread, is_woken, "{looks_at:?}");
    }
    let mut state = driven_by_a_waiter();
    state.io_thread_left(ms(0));
    while state.rest(ms(0)) != Parked::SleepUntil(None) {
        state.io_thread_woke();
    }
    assert_eq!(state.let_go(1, THREAD, true, false, ms(5)), Wake::IoThread, "it sleeps forever");
}

/// While a waiter drives, the alarm fires a few times, then no more until the next poll.
#[test]
fn timed_wakeups_of_the_io_thread_end_while_a_waiter_drives() {
    let mut state = driven_by_a_waiter();
    state.io_thread_left(ms(0));
    for (now, until) in [(0, Some(ms(10))), (10, Some(ms(20))), (20, None), (30, None)] {
        assert_eq!(state.rest(ms(now)), Parked::SleepUntil(until), "at {now} ms");
        assert_eq!(state.io_thread, IoThread::Asleep { until });
        state.io_thread_woke();
        assert_eq!(state.io_thread, IoThread::Awake);
    }
    let _ = state.let_go(1, THREAD, true, false, ms(35));
    assert_eq!(state.rest(ms(36)), Parked::SleepUntil(Some(ms(45))), "nobody drives");
    state.io_thread_woke();
    assert_eq!(state.take(1, true), Take::Granted);
    assert_eq!(state.rest(ms(40)), Parked::SleepUntil(Some(ms(50))), "the sockets were polled");
    state.io_thread_woke();
    let _ = state.let_go(1, THREAD, false, false, ms(44));
    assert_eq!(state.rest(ms(45)), Parked::Enter, "no poll for UNWATCHED_MAX");
}
