//! Single rules of the congestion controller. Its performance against many kinds of services is a table of
//! the bulk crate (`bulk/src/controller_tests.rs`), in virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use super::*;

fn at(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Starts as many attempts as are allowed now.
fn fill(pace: &mut CongestionController, now: Duration) -> u32 {
    let before = pace.in_flight();
    while pace.ask(now) == Decision::Go {}
    pace.in_flight() - before
}

/// A controller whose attempts were all refused for ten seconds.
fn limited() -> CongestionController {
    let mut pace = CongestionController::new(1_000);
    for tick in 0..100 {
        if pace.ask(at(tick * 100)) == Decision::Go {
            pace.refused(at(tick * 100), at(tick * 100));
        }
    }
    assert!(pace.rate().is_some());
    pace
}

#[test]
fn slots_double_while_answers_come_and_slowly_without_any() {
    let mut pace = CongestionController::new(1_000);
    assert_eq!(fill(&mut pace, at(0)), 8);
    assert_eq!(fill(&mut pace, at(4_900)), 0);
    assert_eq!(fill(&mut pace, at(5_000)), 8, "no answer and no refusal");
    pace.answered(at(5_000), at(5_500));
    assert_eq!(fill(&mut pace, at(6_100)), 17, "double, plus the slot of the one that ended");
    let mut silent = CongestionController::new(1_000);
    let total: u32 = (0..100).map(|step| fill(&mut silent, at(step * 5_000))).sum();
    assert_eq!(total, UNANSWERED_MAX as u32);
}

#[test]
fn more_than_the_maximum_are_never_in_flight() {
    let mut pace = CongestionController::new(10);
    for second in 0..60 {
        fill(&mut pace, at(second * 1_000));
        assert!(pace.in_flight() <= 10);
        pace.answered(at(second * 1_000), at(second * 1_000 + 500));
    }
    assert_eq!(fill(&mut CongestionController::new(0), at(0)), 1, "one is always allowed");
}

/// A service that accepts ten calls a second, and a burst of five more after a rest; it refuses at once.
#[test]
fn refusals_limit_the_rate() {
    let mut pace = CongestionController::new(1_000);
    let (mut tokens, mut refused, mut accepted) = (5.0, 0, 0);
    for tick in 0..60_000 {
        let now = at(tick);
        tokens = f64::min(tokens + 0.01, 5.0);
        if pace.ask(now) != Decision::Go {
            continue;
        }
        let is_accepted = tokens >= 1.0;
        if is_accepted {
            tokens -= 1.0;
            pace.answered(now, now);
        } else {
            pace.refused(now, now);
        }
        accepted += u32::from(is_accepted && tick > 10_000);
        refused += u32::from(!is_accepted && tick > 10_000);
    }
    assert!(pace.rate().is_some());
    assert!(accepted > 400, "{accepted} of 500");
    assert!(refused < accepted / 5, "{refused} refused, {accepted} accepted");
}

/// While everything is refused, at least one attempt starts each minute, and few more.
#[test]
fn a_service_that_refuses_everything_is_probed_once_a_minute() {
    let mut pace = CongestionController::new(1_000);
    let mut starts = Vec::new();
    for tick in 0..36_000 {
        let now = at(tick * 100);
        while pace.ask(now) == Decision::Go {
            starts.push(now);
            pace.refused(now, now);
        }
    }
    let (first, last) = (starts[0], starts[starts.len() - 1]);
    assert!(first.is_zero() && last > at(3_500_000));
    let late = starts.iter().filter(|start| **start > at(1_800_000)).count();
    assert!((25..=60).contains(&late), "{late} in the last half hour");
    assert!(starts.windows(2).all(|pair| pair[1] - pair[0] <= at(61_000)));
}

#[test]
fn other_ends_release_the_slot_and_change_no_estimate() {
    let mut pace = CongestionController::new(1_000);
    for second in 0..100 {
        fill(&mut pace, at(second * 1_000));
        (0..pace.in_flight()).for_each(|_| pace.released(at(second * 1_000 + 10)));
    }
    assert_eq!((pace.in_flight(), pace.rate()), (0, None));
}

/// A service that processes eight calls at a time, one second each, and queues the others.
#[test]
fn a_queue_gets_some_more_than_it_serves() {
    let mut pace = CongestionController::new(10_000);
    let mut ends = VecDeque::new();
    let mut most = 0;
    for tick in 0..600_000 {
        let now = at(tick);
        while ends.front().is_some_and(|(_, end)| *end <= now) {
            let (begun, _) = ends.pop_front().unwrap();
            pace.answered(begun, now);
        }
        while pace.ask(now) == Decision::Go {
            let behind = ends.len().checked_sub(8).map(|index| ends[index]);
            let begins = behind.map_or(now, |(_, end): (Duration, Duration)| end.max(now));
            ends.push_back((now, begins + at(1_000)));
        }
        if tick > 300_000 {
            most = most.max(pace.in_flight());
        }
    }
    assert!((8..=100).contains(&most), "{most}");
}

/// A client that makes a call occasionally, and many at once later.
#[test]
fn a_light_load_does_not_lower_the_limit() {
    let mut pace = CongestionController::new(1_000);
    for call in 0..200 {
        assert_eq!(pace.ask(at(call * 3_000)), Decision::Go);
        pace.answered(at(call * 3_000), at(call * 3_000 + 500));
    }
    assert!(fill(&mut pace, at(603_000)) >= 8);
}

#[test]
fn estimates_are_forgotten_without_calls() {
    let mut pace = limited();
    assert_eq!(fill(&mut pace, at(100_000)), 1, "one starts after a minute");
    pace.released(at(100_000));
    assert_eq!(fill(&mut pace, at(300_000)), 8);
    assert_eq!(pace.rate(), None);
}

/// Short calls, and then streams of an hour.
#[test]
fn long_streams_after_short_calls_do_not_block_new_calls() {
    let mut pace = CongestionController::new(1_000);
    for call in 0..60 {
        assert_eq!(pace.ask(at(call * 1_000)), Decision::Go);
        pace.answered(at(call * 1_000), at(call * 1_000 + 500));
    }
    let total: u32 = (60..600).map(|second| fill(&mut pace, at(second * 1_000))).sum();
    assert!(total >= 64, "{total}");
}

/// After a limit was exceeded, hour-long streams occupy all remaining slots.
#[test]
fn long_streams_do_not_block_others_forever() {
    let mut pace = limited();
    let mut now = at(10_000);
    let mut total = 0;
    while now < at(1_800_000) {
        total += match pace.ask(now) {
            Decision::Go => 1,
            Decision::At(next) => {
                now = next;
                0
            }
            Decision::Full => panic!("no wake-up within an hour"),
        };
    }
    assert!(total >= 8, "{total}");
}

/// One call per 50 seconds, one of which is refused.
#[test]
fn a_single_refusal_does_not_lower_the_limit() {
    let mut pace = CongestionController::new(1_000);
    for call in 0..20 {
        let now = at(call * 50_000);
        assert_eq!(pace.ask(now), Decision::Go);
        match call {
            10 => pace.refused(now, now),
            _ => pace.answered(now, now + at(500)),
        }
    }
    assert_eq!(pace.rate(), None);
    assert!(fill(&mut pace, at(1_000_000)) >= 8);
}

/// A gateway that lets attempts wait before it refuses them, while those that it admits are answered at once:
/// the refusals tell of the limit late, and hide no attempt that was admitted.
#[test]
fn late_refusals_hide_no_admitted_attempts() {
    const CAP: usize = 40;
    let mut pace = CongestionController::new(1_000);
    // The ends of attempts: when, whether admitted, and the start.
    let mut open: Vec<(u64, bool, u64)> = Vec::new();
    let mut answered = 0;
    // Asked as often as a start may be late.
    for now in (0..120_000).step_by(SLACK.as_millis() as usize) {
        open.sort_unstable();
        while let Some((_, is_admitted, begun)) = open.first().copied().filter(|one| one.0 <= now) {
            open.remove(0);
            match is_admitted {
                true => pace.answered(at(begun), at(now)),
                false => pace.refused(at(begun), at(now)),
            }
            answered += u32::from(is_admitted && now >= 60_000);
        }
        for _ in 0..fill(&mut pace, at(now)) {
            let is_admitted = open.iter().filter(|one| one.1).count() < CAP;
            open.push((now + if is_admitted { 100 } else { 2_000 }, is_admitted, now));
        }
    }
    // At most 40 are answered each 100 ms, for a minute.
    assert!(answered >= 24_000 * 2 / 5, "{answered}");
    assert!(pace.recent.len() <= pace.in_flight() as usize, "only what is undecided");
}

#[path = "pace_steps_tests.rs"]
mod steps;
