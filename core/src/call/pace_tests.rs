//! The pace before services that are played in virtual time; knows no socket and no clock.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use super::*;

/// The reference policy.
const RETRIES_MAX: u32 = 3;
const FIRST_WAIT: f64 = 0.5;
const JITTER: f64 = 0.25;
/// No run takes longer, in virtual time.
const END: Duration = Duration::from_secs(36_000);

/// Numbers by chance, the same ones for a seed.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.next()
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

/// What a service lets in.
#[derive(Clone, Debug)]
enum Limit {
    None,
    /// Tokens come at a rate, and so many are kept.
    Bucket {
        rate: f64,
        burst: f64,
        tokens: f64,
        at: f64,
    },
    /// So many in any window of some seconds.
    Window {
        calls: usize,
        window: f64,
        admitted: VecDeque<f64>,
    },
    /// So many at once.
    AtOnce(usize),
    /// Nothing is let in, and a wait is asked for.
    Never(f64),
}

impl Limit {
    fn bucket(rate: f64, burst: f64) -> Limit {
        Limit::Bucket { rate, burst, tokens: burst, at: 0.0 }
    }

    fn window(calls: usize, window: f64) -> Limit {
        Limit::Window { calls, window, admitted: VecDeque::new() }
    }

    /// `Ok`, or how long it takes until another one is let in.
    fn admit(&mut self, now: f64, busy: usize) -> Result<(), f64> {
        match self {
            Limit::None => Ok(()),
            Limit::Bucket { rate, burst, tokens, at } => {
                *tokens = (*tokens + (now - *at) * *rate).min(*burst);
                *at = now;
                if *tokens < 1.0 {
                    return Err((1.0 - *tokens) / *rate);
                }
                *tokens -= 1.0;
                Ok(())
            }
            Limit::Window { calls, window, admitted } => {
                admitted.retain(|at| now - at < *window);
                if admitted.len() >= *calls {
                    return Err(*window - (now - admitted[0]));
                }
                admitted.push_back(now);
                Ok(())
            }
            Limit::AtOnce(most) if busy < *most => Ok(()),
            Limit::AtOnce(_) => Err(0.1),
            Limit::Never(wait) => Err(*wait),
        }
    }
}

/// A played service, and who calls it.
#[derive(Clone, Debug)]
struct Play {
    /// From a time on each of them, in order.
    limits: Vec<(f64, Limit)>,
    /// How long an answer takes that is let in: between these.
    answer: (f64, f64),
    /// How long a request is on its way, and a refusal back.
    way: f64,
    /// In whole seconds, rounded up, as most services say it.
    says_retry_after: bool,
    /// How many calls there are, and how many of them are made at once: the others follow as these
    /// are done.
    calls: usize,
    at_once: usize,
    /// When the second half of them is made, if not with the first.
    second_half: Option<f64>,
}

impl Play {
    fn of(limit: Limit, calls: usize) -> Play {
        Play {
            limits: vec![(0.0, limit)],
            answer: (0.05, 0.1),
            way: 0.001,
            says_retry_after: false,
            calls,
            at_once: calls,
            second_half: None,
        }
    }

    fn answer(self, least: f64, most: f64) -> Play {
        Play { answer: (least, most), ..self }
    }

    fn way(self, way: f64) -> Play {
        Play { way, ..self }
    }

    fn says_retry_after(self) -> Play {
        Play { says_retry_after: true, ..self }
    }

    fn then(mut self, from: f64, limit: Limit) -> Play {
        self.limits.push((from, limit));
        self
    }

    fn at_once(self, at_once: usize) -> Play {
        Play { at_once, ..self }
    }

    fn second_half(self, at: f64) -> Play {
        Play { second_half: Some(at), ..self }
    }
}

/// What came of it.
#[derive(Debug, Default)]
struct Played {
    requests: usize,
    refused: usize,
    failed: usize,
    cuts: usize,
    /// When each call was done.
    done: Vec<f64>,
    /// When so many more were served at once than ever before: from 1 on.
    reached: Vec<f64>,
}

impl Played {
    fn end(&self) -> f64 {
        self.done.last().copied().unwrap()
    }

    /// How many calls were done in a time.
    fn done_between(&self, from: f64, to: f64) -> usize {
        self.done.iter().filter(|at| (from..to).contains(*at)).count()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Calls(usize),
    Arrives(usize),
    Refused(usize, Option<Duration>),
    Answered(usize),
    Wakes,
}

fn play(play: &Play, seed: u64) -> Played {
    let mut chance = Chance(seed);
    let mut limits: VecDeque<_> = play.limits.clone().into();
    let (_, mut limit) = limits.pop_front().unwrap();
    let mut pace = Pace::new();
    let mut played = Played::default();
    let mut heap = BinaryHeap::new();
    // Behind equal times the order in which they were said.
    let mut number = 0u64;
    let mut at = |heap: &mut BinaryHeap<_>, time: Duration, what: Happens| {
        number += 1;
        heap.push(Reverse((time, number, what)));
    };
    let (mut begun, mut retries) = (vec![Duration::ZERO; play.calls], vec![0; play.calls]);
    let mut line: VecDeque<(usize, bool)> = VecDeque::new();
    let (mut next_call, mut busy) = (0, 0usize);
    while next_call < play.at_once.min(play.calls) {
        let is_second = next_call >= play.calls / 2;
        let begins = play.second_half.filter(|_| is_second).unwrap_or_default();
        at(&mut heap, seconds(begins), Happens::Calls(next_call));
        next_call += 1;
    }
    let mut wakes_at = Duration::MAX;
    while played.done.len() < play.calls {
        let Some(Reverse((now, _, what))) = heap.pop() else {
            panic!("stuck: {line:?} wait, {pace:?}");
        };
        assert!(now < END, "it never ends: {pace:?}");
        let t = now.as_secs_f64();
        while limits.front().is_some_and(|(from, _)| *from <= t) {
            (_, limit) = limits.pop_front().unwrap();
        }
        let mut ended = false;
        match what {
            Happens::Calls(call) => {
                let is_alone = line.is_empty();
                line.push_back((call, !is_alone));
            }
            Happens::Arrives(call) => match limit.admit(t, busy) {
                Ok(()) => {
                    busy += 1;
                    if busy > played.reached.len() {
                        played.reached.push(t);
                    }
                    let takes = chance.between(play.answer.0, play.answer.1) + play.way;
                    at(&mut heap, now + seconds(takes), Happens::Answered(call));
                }
                Err(wait) => {
                    let asked = play.says_retry_after.then(|| seconds(wait.ceil()));
                    at(&mut heap, now + seconds(play.way), Happens::Refused(call, asked));
                }
            },
            Happens::Answered(call) => {
                busy -= 1;
                pace.succeeded(begun[call], now);
                pace.release();
                ended = true;
            }
            Happens::Refused(call, asked) => {
                played.refused += 1;
                let by_chance = 1.0 + JITTER * chance.next();
                let wait = |retries: i32| {
                    let backoff = seconds(FIRST_WAIT * 2f64.powi(retries)).min(RETRY_WAIT_MAX);
                    backoff.max(asked.unwrap_or_default()).mul_f64(by_chance)
                };
                if let Some(cut) = pace.refused(begun[call], now, wait(0)) {
                    played.cuts += 1;
                    assert!(cut.pause >= asked.unwrap_or_default());
                }
                if retries[call] == RETRIES_MAX {
                    played.failed += 1;
                    ended = true;
                } else {
                    at(&mut heap, now + wait(retries[call] as i32), Happens::Calls(call));
                    retries[call] += 1;
                }
            }
            Happens::Wakes => wakes_at = Duration::MAX,
        }
        if ended {
            played.done.push(t);
            if next_call < play.calls {
                at(&mut heap, now, Happens::Calls(next_call));
                next_call += 1;
            }
        }
        while let Some((call, waited)) = line.front_mut() {
            let (paused_until, next_start) = (pace.paused_until, pace.next_start);
            match pace.ask(now, *waited) {
                Verdict::Go => {
                    assert!(now >= paused_until && now >= next_start, "{pace:?}");
                    assert!(pace.in_flight <= pace.allowed, "{pace:?}");
                    played.requests += 1;
                    begun[*call] = now;
                    at(&mut heap, now + seconds(play.way), Happens::Arrives(*call));
                    line.pop_front();
                }
                Verdict::Wait(until) => {
                    assert!(until > now, "{pace:?}");
                    *waited = true;
                    if until < wakes_at {
                        wakes_at = until;
                        at(&mut heap, until, Happens::Wakes);
                    }
                    break;
                }
            }
        }
    }
    played
}

/// The runs of a play by many seeds.
fn runs(one: &Play) -> Vec<Played> {
    (0..25).map(|seed| play(one, seed)).collect()
}

/// All limits of two calls a second: each with and without `Retry-After`, near and far, with answers
/// of any length.
fn plays_of_two_a_second(calls: usize) -> Vec<Play> {
    let mut plays = Vec::new();
    for limit in [
        Limit::window(2, 1.0),
        Limit::bucket(2.0, 1.0),
        Limit::bucket(2.0, 2.0),
        Limit::bucket(2.0, 10.0),
    ] {
        for (least, most) in [(0.001, 0.002), (0.05, 0.1), (0.5, 1.5), (3.0, 7.0)] {
            for way in [0.0002, 0.005, 0.05, 0.3] {
                let one = Play::of(limit.clone(), calls).answer(least, most).way(way);
                plays.extend([one.clone().says_retry_after(), one]);
            }
        }
    }
    plays
}

/// With waits of their own alone these are 84 requests, and 16 of the calls are lost.
#[test]
fn twenty_four_calls_on_two_a_second() {
    for one in plays_of_two_a_second(24) {
        for run in runs(&one) {
            assert_eq!(run.failed, 0, "{one:?}: {run:?}");
            assert!(run.requests <= 40, "{one:?}: {run:?}");
        }
    }
}

/// The time in which nobody calls says nothing about the rate.
#[test]
fn an_idle_time_is_not_taken_for_a_slow_service() {
    for one in [Limit::window(2, 1.0), Limit::bucket(2.0, 2.0)] {
        let one = Play::of(one, 48).says_retry_after().second_half(300.0);
        for run in runs(&one) {
            assert_eq!(run.failed, 0);
            assert!(run.end() < 300.0 + 25.0, "{}", run.end());
        }
    }
}

/// Workers that each make a call after another, on a service that takes fewer. One that keeps a
/// single token refuses whatever comes a little early; there a call in some thousands is lost.
#[test]
fn eight_workers_on_two_a_second() {
    let mut lost = 0;
    for one in plays_of_two_a_second(60) {
        let one = one.at_once(8);
        for run in runs(&one) {
            lost += run.failed;
            assert!(run.requests <= 90, "{one:?}: {run:?}");
        }
    }
    assert!(lost <= 16, "{lost} of 48000 calls are lost");
}

/// At least 85 % of what the service takes, with few refusals.
#[test]
fn three_hundred_calls_on_twenty_a_second() {
    const IDEAL: f64 = (300.0 - 20.0) / 20.0;
    for (least, most) in [(0.001, 0.002), (0.05, 0.1), (0.1, 0.4)] {
        for way in [0.0002, 0.005, 0.02] {
            let one = Play::of(Limit::bucket(20.0, 20.0), 300).answer(least, most).way(way);
            for run in runs(&one) {
                assert!(run.end() <= IDEAL / 0.85, "{one:?}: {} s", run.end());
                assert!(run.failed == 0 && run.refused <= 30, "{one:?}: {run:?}");
            }
        }
    }
}

/// The longer it goes, the nearer: less than 2 % of the requests are refused, and 90 % of the rate
/// is used.
#[test]
fn two_thousand_calls_on_twenty_a_second() {
    for run in runs(&Play::of(Limit::bucket(20.0, 20.0), 2000)) {
        assert!(run.failed == 0 && run.refused <= 40, "{run:?}");
        assert!(run.end() <= (2000.0 - 20.0) / 20.0 / 0.9, "{}", run.end());
    }
}

/// A window loses what a pause outlasts it by, and still more than half is used.
#[test]
fn windows_are_used_by_more_than_half() {
    const IDEAL: f64 = (300.0 - 20.0) / 20.0;
    let one = Play::of(Limit::window(20, 1.0), 300);
    for one in [one.clone().says_retry_after(), one.answer(0.4, 0.6)] {
        for run in runs(&one) {
            assert!(run.failed == 0 && run.refused <= 25, "{run:?}");
            assert!(run.end() <= IDEAL / 0.55, "{}", run.end());
        }
    }
    // Twenty a minute.
    for run in runs(&Play::of(Limit::window(20, 60.0), 60).says_retry_after()) {
        assert!(run.failed == 0 && run.refused <= 15, "{run:?}");
        assert!(run.end() <= 180.0, "{}", run.end());
    }
}

/// A service that takes so many at once.
#[test]
fn so_many_at_once() {
    for (most, least, longest, calls, part) in [
        (1, 0.2, 0.8, 100, 0.7),
        (8, 0.05, 0.15, 2000, 0.7),
        (8, 0.5, 1.5, 200, 0.75),
        (64, 8.0, 12.0, 1000, 0.8),
    ] {
        let one = Play::of(Limit::AtOnce(most), calls).answer(least, longest);
        let ideal = calls as f64 * (least + longest) / 2.0 / most as f64;
        for run in runs(&one) {
            assert_eq!(run.failed, 0);
            assert!(run.refused * 4 <= calls, "{most}: {} refused", run.refused);
            assert!(run.end() <= ideal / part, "{most}: {} s, not {ideal} s", run.end());
        }
    }
}

/// A service that takes everything: 4 at once, then twice as many after each round trip, 1024 after
/// the eighth. Where answers are slow it is a second instead.
#[test]
fn a_healthy_service_is_soon_used_by_a_thousand_calls() {
    for (answer, round) in [(0.1, 0.1), (0.6, 0.6), (30.0, 1.0)] {
        let one = Play::of(Limit::None, 3000).answer(answer, answer);
        let run = play(&one, 1);
        assert_eq!((run.refused, run.requests), (0, 3000));
        for (trips, most) in [(1, 8), (4, 64), (8, 1000)] {
            let at = run.reached[most - 1];
            let latest = f64::from(trips) * (round + 2.0 * one.way) + 0.01;
            assert!(at <= latest, "{most} at once after {at} s of {answer} s each");
        }
    }
}

/// Refused by 2 a second for a while, or altogether; then all 64 are soon served at once again.
#[test]
fn a_service_recovers() {
    for slow in [Limit::bucket(2.0, 2.0), Limit::AtOnce(0)] {
        let one = Play::of(Limit::None, 6000).answer(0.3, 0.6).at_once(64);
        let one = one.then(10.0, slow).then(20.0, Limit::None);
        for run in runs(&one) {
            assert!(run.failed == 0 && run.refused <= 80, "{run:?}");
            let before = run.done_between(5.0, 10.0);
            let after = run.done_between(55.0, 60.0);
            assert!(after * 10 >= before * 8, "{before} in five seconds, then {after}");
        }
    }
}

/// Both ways.
#[test]
fn a_rate_that_changes_is_followed() {
    let one = Play::of(Limit::bucket(20.0, 20.0), 4000);
    for run in runs(&one.clone().then(30.0, Limit::bucket(50.0, 50.0))) {
        let after = run.done_between(60.0, 80.0);
        assert!(run.failed == 0 && after >= 20 * 35, "{after} in twenty seconds");
    }
    for run in runs(&one.then(30.0, Limit::bucket(5.0, 5.0))) {
        let after = run.done_between(60.0, 160.0);
        assert!(run.failed == 0 && after >= 100 * 4, "{after} in a hundred seconds");
    }
}

/// Where a quota is used up every call ends, and not one after another.
#[test]
fn calls_end_where_nothing_is_ever_let_in() {
    for (wait, most) in [(0.1, 90.0), (20.0, 1000.0)] {
        let one = Play::of(Limit::Never(wait), 500);
        for one in [one.clone().says_retry_after(), one] {
            for run in runs(&one) {
                assert_eq!((run.failed, run.requests), (500, 2000));
                assert!(run.end() < most, "{wait}: {} s", run.end());
            }
        }
    }
}

/// A long wait that a service asked for once is no rate.
#[test]
fn a_burst_of_long_waits_is_soon_forgotten() {
    let one = Play::of(Limit::Never(20.0), 6000).answer(0.3, 0.6).at_once(64).says_retry_after();
    for run in runs(&one.then(15.0, Limit::None)) {
        let after = run.done_between(60.0, 65.0);
        assert!(run.failed == 0 && after > 5 * 64, "{after} in five seconds");
    }
}

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

/// As many as may begin at a time.
fn begun(pace: &mut Pace, now: Duration) -> u32 {
    let mut begun = 0;
    while pace.ask(now, true) == Verdict::Go {
        begun += 1;
    }
    begun
}

/// One cut for each burst; what was not refused of it is what may be on its way.
#[test]
fn a_burst_cuts_once() {
    let mut pace = Pace::new();
    assert_eq!(begun(&mut pace, MS), START);
    let cut = pace.refused(MS, 2 * MS, SECOND).unwrap();
    assert_eq!(cut, Cut { pause: SECOND, allowed: START - 1 });
    assert_eq!(pace.refused(MS, 3 * MS, SECOND), None);
    assert_eq!(pace.ask(4 * MS, true), Verdict::Wait(SECOND + 3 * MS));
    // A later refusal of the burst asks for more.
    assert_eq!(pace.refused(MS, 5 * MS, 2 * SECOND), None);
    assert_eq!(pace.ask(2 * SECOND, true), Verdict::Wait(2 * SECOND + 5 * MS));
    pace.succeeded(MS, 6 * MS);
    pace.release();
    assert_eq!(begun(&mut pace, 3 * SECOND), 1);
    assert_eq!(pace.in_flight(), 1);
}

/// The longest wait that the service asks for is never undercut, nor waited for twice.
#[test]
fn pauses_double_while_nothing_is_admitted() {
    let mut pace = Pace::new();
    let mut now = MS;
    let mut pauses = Vec::new();
    for _ in 0..7 {
        assert_eq!(pace.ask(now, true), Verdict::Go);
        let pause = pace.refused(now, now + MS, 500 * MS).unwrap().pause;
        assert_eq!(pace.ask(now + pause, true), Verdict::Wait(now + MS + pause));
        pauses.push(pause.as_millis());
        now += MS + pause;
    }
    assert_eq!(pauses, [500, 1000, 2000, 4000, 8000, 8000, 8000]);
    assert_eq!(pace.ask(now, true), Verdict::Go);
    assert_eq!(pace.refused(now, now + MS, 60 * SECOND).unwrap().pause, 60 * SECOND);
    now += MS + 60 * SECOND;
    // One is admitted, and the next refusal is a first one again.
    assert_eq!(pace.ask(now, true), Verdict::Go);
    pace.succeeded(now, now);
    pace.release();
    assert_eq!(pace.ask(now, true), Verdict::Go);
    assert_eq!(pace.refused(now, now + MS, 500 * MS).unwrap().pause, 500 * MS);
}

/// A pace that learned that ten a second are taken.
fn ten_a_second() -> (Pace, Duration) {
    let mut pace = Pace::new();
    assert_eq!(pace.ask(Duration::ZERO, true), Verdict::Go);
    pace.refused(Duration::ZERO, Duration::ZERO, SECOND).unwrap();
    for _ in 0..50 {
        assert_eq!(pace.ask(5 * SECOND - MS, true), Verdict::Go);
        pace.release();
    }
    assert_eq!(pace.ask(5 * SECOND - MS, true), Verdict::Go);
    pace.refused(5 * SECOND - MS, 5 * SECOND, 10 * MS).unwrap();
    (pace, 5 * SECOND)
}

/// The gap is what was measured and a twentieth, counted from the cut; it is kept, and then falls.
#[test]
fn attempts_begin_a_gap_apart() {
    let (mut pace, cut) = ten_a_second();
    let mut now = cut + 10 * MS;
    assert_eq!(pace.ask(now, true), Verdict::Wait(cut + 105 * MS));
    now = cut + 105 * MS;
    for _ in 0..40 {
        assert_eq!(pace.ask(now, true), Verdict::Go);
        pace.release();
        assert_eq!(pace.ask(now, true), Verdict::Wait(now + 105 * MS));
        now += 105 * MS;
    }
    // A beginning that is a little late is not late.
    assert_eq!(pace.ask(now + 4 * MS, true), Verdict::Go);
    pace.release();
    assert_eq!(pace.ask(now + 4 * MS, true), Verdict::Wait(now + 105 * MS));
    for (after, gap) in [(5, 105), (15, 52), (25, 6)] {
        let left = pace.gap(cut + after * SECOND).as_millis();
        assert_eq!(left, gap, "after {after} s");
    }
    assert_eq!(pace.gap(cut + 60 * SECOND), Duration::ZERO);
}

/// Nothing is learned of a time in which a call did not have to wait.
#[test]
fn a_call_that_did_not_wait_ends_the_measuring() {
    let (mut pace, cut) = ten_a_second();
    let later = cut + 100 * SECOND;
    assert_eq!(pace.ask(later, false), Verdict::Go);
    pace.refused(later, later + MS, 10 * MS).unwrap();
    assert_eq!(pace.ask(later + 21 * MS, true), Verdict::Go);
    assert_eq!(pace.gap(later + 21 * MS), Duration::ZERO);
}

/// A full house grows in time: at first it doubles, after a cut it waits and adds a little.
#[test]
fn a_full_house_grows() {
    let mut pace = Pace::new();
    let mut counts = Vec::new();
    for second in 0..5 {
        counts.push(begun(&mut pace, second * SECOND));
    }
    assert_eq!(counts, [4, 4, 8, 16, 32]);
    assert_eq!(pace.ask(4 * SECOND, true), Verdict::Wait(5 * SECOND));
    let now = 4 * SECOND + MS;
    assert_eq!(pace.refused(4 * SECOND, now, MS).unwrap().allowed, 63);
    assert_eq!(pace.ask(now + MS, true), Verdict::Wait(now + HOLD));
    assert_eq!(begun(&mut pace, now + HOLD), 3);
    assert_eq!(begun(&mut pace, now + HOLD + PATIENCE), 4);
}

#[test]
fn no_more_than_the_bound_are_on_their_way() {
    let mut pace = Pace::new();
    let mut now = Duration::ZERO;
    for _ in 0..40 {
        begun(&mut pace, now);
        now += PATIENCE;
    }
    assert_eq!(pace.in_flight(), IN_FLIGHT_MAX);
    assert_eq!(pace.ask(now, true), Verdict::Wait(now + PATIENCE));
}

/// Whatever happens in whatever order: nothing begins in a pause or beside the number, and whoever
/// waits may begin after a while, even if nothing else ends.
#[test]
fn nobody_waits_for_ever() {
    for seed in 0..200 {
        let mut chance = Chance(seed);
        let mut pace = Pace::new();
        let mut now = SECOND;
        let mut on_their_way = Vec::new();
        let mut pause_ends = Duration::ZERO;
        for _ in 0..400 {
            now += seconds(chance.next().powi(8) * 10.0);
            let one = (chance.next() * on_their_way.len() as f64) as usize;
            match (chance.next(), on_their_way.is_empty()) {
                (..0.5, _) | (_, true) => match pace.ask(now, chance.next() < 0.8) {
                    Verdict::Go => {
                        assert!(now >= pause_ends && pace.in_flight <= pace.allowed);
                        on_their_way.push(now);
                    }
                    Verdict::Wait(until) => assert!(until > now),
                },
                (..0.65, _) => pace.succeeded(on_their_way[one], now),
                (..0.8, _) => {
                    on_their_way.swap_remove(one);
                    pace.release();
                }
                _ => {
                    let wait = seconds(chance.next());
                    pace.refused(on_their_way.swap_remove(one), now, wait);
                    pause_ends = pause_ends.max(now + wait);
                }
            }
            assert!((1..=IN_FLIGHT_MAX).contains(&pace.allowed), "{pace:?}");
            assert_eq!(pace.in_flight() as usize, on_their_way.len());
        }
        // From here on nothing ends.
        let latest = pause_ends + RETRY_WAIT_MAX + HOLD + now;
        for _ in 0..20 {
            match pace.ask(now, true) {
                Verdict::Go => break,
                Verdict::Wait(until) => now = until,
            }
            assert!(now < latest, "{pace:?}");
        }
        assert!(pace.ask(now, true) != Verdict::Wait(now), "{pace:?}");
    }
}
