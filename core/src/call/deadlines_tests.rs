//! The clock of a body, in virtual time.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::task::Waker;

use tokio::time::{advance, sleep};

use super::*;

const SECOND: Duration = Duration::from_secs(1);
const IDLE: Duration = Duration::from_secs(10);
const PING: Progress = Progress { has_bytes: true, has_substance: false, has_events: false };
const PART: Progress = Progress { has_bytes: true, has_substance: true, has_events: false };
const EVENT: Progress = Progress { has_bytes: true, has_substance: true, has_events: true };

fn idle(pings_reset_idle: bool) -> Timeouts {
    Timeouts { idle: Some(IDLE), pings_reset_idle, ..Timeouts::OFF }
}

fn phase(error: Option<Error>) -> Option<TimeoutPhase> {
    error?.timeout()
}

#[tokio::test(start_paused = true)]
async fn only_progress_postpones_the_idle_timeout() {
    for (pings_reset_idle, progress, is_postponed) in [
        (false, Progress::default(), false),
        (false, PING, false),
        (false, PART, true),
        (false, EVENT, true),
        (true, Progress::default(), false),
        (true, PING, true),
        (true, PART, true),
    ] {
        let mut clock = Deadlines::start(idle(pings_reset_idle)).clock();
        advance(IDLE - SECOND).await;
        let mut made = progress;
        clock.note(&mut made);
        assert!(!made.has_bytes && !made.has_substance && !made.has_events, "it is reset");
        assert_eq!(phase(clock.overdue()), None);
        advance(SECOND).await;
        let expected = (!is_postponed).then_some(TimeoutPhase::Idle);
        assert_eq!(phase(clock.overdue()), expected, "{pings_reset_idle} {is_postponed}");
    }
}

/// Its bytes come all the time, and it never ends.
#[tokio::test(start_paused = true)]
async fn an_event_without_an_end_is_no_progress() {
    let mut clock = Deadlines::start(idle(false)).clock();
    let begun = Instant::now();
    while clock.overdue().is_none() {
        clock.note(&mut { PART });
        advance(IDLE / 2).await;
    }
    assert_eq!(begun.elapsed(), IDLE * (EVENT_IDLES_MAX + 1));
    // Events that end are, however long they are.
    let mut clock = Deadlines::start(idle(false)).clock();
    for number in 0..10 * EVENT_IDLES_MAX {
        clock.note(&mut if number % EVENT_IDLES_MAX == 0 { EVENT } else { PART });
        assert_eq!(phase(clock.overdue()), None);
        advance(IDLE - SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_pauses_between_events_is_quiet() {
    let mut clock = Deadlines::start(idle(false)).clock();
    assert!(!clock.was_quiet(&mut { EVENT }));
    advance(QUIET_MIN / 2).await;
    assert!(!clock.was_quiet(&mut { EVENT }));
    advance(QUIET_MIN).await;
    assert!(clock.was_quiet(&mut { EVENT }));
}

#[tokio::test]
async fn a_turn_ends_after_some_pieces_or_bytes() {
    let turns = |sizes: &[usize]| {
        let mut clock = Deadlines::start(Timeouts::OFF).clock();
        sizes.iter().map(|bytes| clock.is_turn_over(*bytes)).collect::<Vec<_>>()
    };
    let ends_each = |count: usize, bytes: usize| {
        let turns = turns(&vec![bytes; 3 * count]);
        let ends: Vec<_> = turns.iter().enumerate().filter(|(_, over)| **over).collect();
        let places: Vec<_> = ends.iter().map(|(at, _)| at + 1).collect();
        assert_eq!(places, [count, 2 * count, 3 * count], "of {bytes} bytes");
    };
    ends_each(TURN_PIECES_MAX as usize, 1);
    ends_each(4, TURN_BYTES_MAX / 4);
    ends_each(1, TURN_BYTES_MAX);
    ends_each(TURN_BYTES_MAX / EMPTY_PIECE_BYTES, 0);
    assert_eq!(turns(&[TURN_BYTES_MAX - 1, 1, 1]), [false, true, false]);
}

#[tokio::test(start_paused = true)]
async fn the_earlier_of_two_timeouts_is_blamed() {
    let total = |seconds| Timeouts { total: Some(SECOND * seconds), ..Timeouts::OFF };
    let deadlines = Deadlines::start(total(10));
    let own = |seconds: u32| deadlines.bound(TimeoutPhase::Connect, Some(SECOND * seconds));
    assert_eq!(own(9), (TimeoutPhase::Connect, SECOND * 9, Some(SECOND * 9)));
    assert_eq!(own(10), (TimeoutPhase::Connect, SECOND * 10, Some(SECOND * 10)));
    assert_eq!(own(11), (TimeoutPhase::Total, SECOND * 10, Some(SECOND * 10)));
    advance(SECOND * 4).await;
    assert_eq!(own(7), (TimeoutPhase::Total, SECOND * 10, Some(SECOND * 6)));
    let unbounded = deadlines.bound(TimeoutPhase::Connect, None);
    assert_eq!(unbounded, (TimeoutPhase::Total, SECOND * 10, Some(SECOND * 6)));
    assert!(deadlines.are_outlasted_by(SECOND * 6) && !deadlines.are_outlasted_by(SECOND * 5));
    advance(SECOND * 5).await;
    assert!(!deadlines.clock().is_past_deadline());
    advance(SECOND).await;
    assert!(deadlines.clock().is_past_deadline());
}

/// Where the first content has a timeout, the idle timeout begins with it.
#[tokio::test(start_paused = true)]
async fn the_idle_timeout_waits_for_the_first_content() {
    let timeouts = Timeouts { first_content: Some(IDLE * 3), ..idle(false) };
    let started = || {
        let deadlines = Deadlines::start(timeouts);
        Deadlines { content: deadlines.content_of_attempt(), ..deadlines }.clock()
    };
    let expired = |of: &mut Clock| match of.poll_expired(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(error) => error.timeout(),
        Poll::Pending => None,
    };
    let mut clock = started();
    assert!(clock.awaits_content());
    advance(IDLE * 2).await;
    assert_eq!(expired(&mut clock), None);
    advance(IDLE).await;
    assert_eq!(expired(&mut clock), Some(TimeoutPhase::FirstContent));

    let mut clock = started();
    advance(IDLE * 2).await;
    assert_eq!(expired(&mut clock), None);
    clock.content_came();
    assert!(!clock.awaits_content());
    advance(IDLE - SECOND).await;
    assert_eq!(expired(&mut clock), None);
    advance(SECOND).await;
    assert_eq!(expired(&mut clock), Some(TimeoutPhase::Idle));
}

/// The alarm is set to the earliest time at which a timeout can expire, and to the next one after progress.
#[tokio::test(start_paused = true)]
async fn an_alarm_rings_when_a_timeout_expires_and_not_before() {
    let mut clock = Deadlines::start(idle(false)).clock();
    let begun = Instant::now();
    let mut progress = std::pin::pin!(sleep(IDLE / 2)); // clock: virtual
    let mut is_made = false;
    let error = poll_fn(|cx| {
        if !is_made && progress.as_mut().poll(cx).is_ready() {
            is_made = true;
            clock.note(&mut { EVENT });
        }
        clock.poll_expired(cx)
    })
    .await;
    assert_eq!((error.timeout(), begun.elapsed()), (Some(TimeoutPhase::Idle), IDLE + IDLE / 2));
}
