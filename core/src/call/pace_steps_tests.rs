//! Each step of the congestion controller by its numbers: when a window is judged and what counts as too many
//! refusals, how limits fall and grow, how the background and the queue are estimated.
use super::*;

const EVEN: f64 = 1e-9;

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < EVEN, "{found} for {expected}");
}

/// A controller with a rate whose current window began at zero.
fn with_rate(rate: f64, started: u32, refused: u32) -> CongestionController {
    CongestionController {
        rate: Some(rate),
        rate_step: STEP,
        slots_step: STEP,
        cuts: 0,
        window: Window { started, refused, ..Window::default() },
        ..CongestionController::new(1_000)
    }
}

#[test]
fn more_refusals_than_background_and_chance_explain_are_too_many() {
    let is_over = |rate: Option<f64>, background: f64, started, refused| {
        CongestionController { rate, background, ..with_rate(1.0, started, refused) }.is_over()
    };
    for (background, started, most) in
        [(0.0, 30, 3), (0.0, 100, 5), (0.0, 2_500, 65), (0.18, 100, 29), (0.18, 25, 10)]
    {
        assert!(!is_over(Some(1.0), background, started, most), "{most} of {started}");
        assert!(is_over(Some(1.0), background, started, most + 1), "{most} of {started}");
    }
    // Without a known limit, the slots double: only a larger share counts.
    assert!(!is_over(None, 0.0, 100, 15) && is_over(None, 0.0, 100, 16));
    // All of them refused; a single one may be chance while no limit is known.
    assert!(is_over(Some(1.0), 0.0, 1, 1));
    assert!(!is_over(None, 0.0, 1, 1) && is_over(None, 0.0, 2, 2));
}

#[test]
fn a_window_closes_when_it_says_enough() {
    let closes = |started, refused, ms| {
        let mut pace = with_rate(1.0, started, refused);
        pace.close(at(ms));
        pace.window.closed == Some(at(ms))
    };
    assert!(closes(30, 1, 1_000) && !closes(29, 1, 1_000) && !closes(30, 1, 999));
    assert!(closes(10, 0, 1_000) && !closes(9, 0, 1_000), "a third if none was refused");
    assert!(closes(10, 6, 1_000) && !closes(10, 5, 1_000), "more than half were refused");
    assert!(!closes(29, 5, 1_000), "too many, but not most");
    assert!(closes(1, 0, 5_000) && !closes(1, 0, 4_999) && !closes(0, 0, 5_000), "after a while");
    // A dip needs a whole window, and waits a minute for it.
    let closes_dip = |started, ms| {
        let mut pace = CongestionController { is_dip: true, ..with_rate(1.0, started, 0) };
        pace.close(at(ms));
        pace.window.closed.is_some()
    };
    assert!(closes_dip(30, 1_000) && !closes_dip(29, 59_999) && closes_dip(29, 60_000));
}

#[test]
fn a_closed_window_is_judged_once_its_refusals_have_come() {
    let judged = |proved: f64, ms| {
        let mut pace = CongestionController {
            admitted: 10.0,
            proved,
            lag: at(2_000),
            rate_step: 0.1,
            ..with_rate(10.0, 150, 30)
        };
        (pace.background, pace.window.closed) = (0.2, Some(at(6_000)));
        pace.judge(at(ms));
        pace
    };
    let early = judged(5.0, 7_999);
    assert_eq!((early.window.started, early.rate), (150, Some(10.0)));
    let pace = judged(5.0, 8_000);
    assert_eq!((pace.window.started, pace.window.begun), (0, at(8_000)));
    near(pace.admitted, 11.0); // 20 a second for a tenth of the averaged time
    near(pace.proved, 20.0);
    near(pace.rate.unwrap(), 11.0);
    near(judged(0.0, 8_000).admitted, 12.5);
}

#[test]
fn refusals_that_remain_in_a_dip_are_background() {
    let measured = |since_dip, started, refused, admitted: f64| {
        let mut pace = CongestionController {
            is_dip: true,
            since_dip,
            background: 0.1,
            admitted: 10.0,
            rate_owed: 7.0,
            ..with_rate(7.5, started, refused)
        };
        pace.measure_background(admitted);
        assert_eq!((pace.is_dip, pace.since_dip), (false, (0, 0)));
        pace
    };
    let of = |since_dip, started, refused| measured(since_dip, started, refused, 1.0).background;
    near(of((100, 20), 30, 5), 1.0 / 6.0);
    near(of((100, 40), 50, 13), 0.26); // exactly the part that has to remain
    near(of((100, 40), 50, 12), 0.0);
    near(of((100, 20), 40, 14), 0.35);
    near(of((100, 20), 40, 15), 0.0);
    near(of((0, 0), 30, 3), 0.1);
    near(of((100, 20), 29, 0), 0.1); // too few starts: it stays
    // The rate is that of the window before the dip, whichever shows more; what chance cost is made up for.
    let pace = measured((100, 20), 40, 8, 9.0);
    near(pace.rate.unwrap(), 12.0 / 0.8);
    assert_eq!((pace.rate_step, pace.slots_step, pace.rate_owed), (STEP_MAX, STEP_MAX, 0.0));
    let pace = measured((100, 20), 40, 0, 6.0);
    near(pace.rate.unwrap(), 10.0);
    assert_eq!((pace.rate_step, pace.slots_step, pace.rate_owed), (STEP, STEP, 7.0));
    let pace = measured((50, 1), 50, 1, 6.0);
    assert_eq!(pace.rate_step, STEP_MAX, "just enough to count");
}

#[test]
fn slots_that_grew_in_vain_are_to_blame_alone() {
    let cut = |peak_since, is_felt| {
        let mut pace = CongestionController {
            slots: 30.0,
            slots_before: Some(20.0),
            peak_since,
            are_slots_felt: is_felt,
            peaks: [18, 19],
            background: 0.1,
            slots_step: STEP_MAX,
            since_dip: (100, 20),
            ..with_rate(10.0, 30, 6)
        };
        pace.cut(at(9_000), 12.0, 8.0);
        assert_eq!((pace.since_dip, pace.slots_before), ((130, 26), None));
        assert_eq!((pace.are_slots_felt, pace.slots_step), (false, STEP));
        pace
    };
    let pace = cut(20, true);
    assert_eq!((pace.slots, pace.slots_at, pace.rate), (19.0, at(9_000), Some(10.0)));
    near(pace.slots_owed, 60.0); // three beyond the background, a share of 0.05
    assert_eq!(pace.rate_owed, 0.0);
    for pace in [cut(21, true), cut(20, false)] {
        near(pace.slots, 19.0 * 1.07);
        assert_eq!(pace.slots_owed, 0.0);
        near(pace.rate_owed, 60.0);
        near(pace.rate.unwrap(), 8.0 / 0.9);
    }
}

#[test]
fn slots_fall_to_a_little_above_the_peak_and_never_rise() {
    for (slots, left, changed_at) in [
        (30.0, 10.0 * (1.0 + STEP), 9_000),
        (10.0 * (1.0 + STEP), 10.0 * (1.0 + STEP), 0),
        (5.0, 5.0, 0),
    ] {
        let mut pace = CongestionController { slots, peaks: [10, 3], ..with_rate(10.0, 30, 6) };
        pace.cut(at(9_000), 12.0, 8.0);
        assert_eq!((pace.slots, pace.slots_at), (left, at(changed_at)));
    }
    let mut unseen = CongestionController { slots: 5.0, ..with_rate(10.0, 30, 6) };
    unseen.cut(at(9_000), 12.0, 8.0);
    near(unseen.slots, 1.07);
}

#[test]
fn the_rate_falls_to_what_was_admitted() {
    let cut = |pace: CongestionController, admitted| {
        let mut pace = CongestionController { has_rate_grown: true, ..pace };
        pace.cut(at(9_000), 12.0, admitted);
        assert!(!pace.has_rate_grown);
        pace
    };
    let admits = |admitted: f64, proved: f64| CongestionController {
        admitted,
        proved,
        ..with_rate(10.0, 30, 6)
    };
    near(cut(admits(7.0, 5.0), 6.0).rate.unwrap(), 7.0);
    near(cut(admits(5.0, 6.0), 7.0).rate.unwrap(), 7.0);
    near(cut(admits(5.0, 7.0), 6.0).rate.unwrap(), 7.0); // it grew before: it was that
    let mut fallen = admits(5.0, 7.0);
    fallen.cut(at(9_000), 12.0, 6.0);
    near(fallen.proved, 7.0 * KEPT);
    near(fallen.rate.unwrap(), 7.0 * KEPT);
    let pace = cut(admits(7.0, 5.0), 6.0);
    near(pace.rate_owed, 120.0);
    // The first limit: what was admitted before said nothing, and the search cost nothing.
    let first = cut(CongestionController { rate: None, ..admits(2.0, 9.0) }, 6.0);
    assert_eq!((first.rate, first.proved, first.rate_owed), (Some(6.0), 0.0, 0.0));
    // All were refused: half of what was tried.
    let none = cut(with_rate(10.0, 30, 30), 0.0);
    assert_eq!((none.rate, none.rate_owed, none.cuts), (Some(6.0), 0.0, 0));
    let one = cut(with_rate(10.0, 30, 29), 0.4);
    assert_eq!((one.rate, one.cuts), (Some(0.4), 1));
    near(one.rate_owed, 580.0);
    near(cut(with_rate(10.0, 30, 29), 0.0).rate.unwrap(), 1.0 / 60.0);
}

#[test]
fn every_sixth_decrease_is_a_dip() {
    for (cuts, rate, is_dip, left) in [(4, 8.0, false, 5), (5, 6.0, true, 0)] {
        let mut pace = CongestionController { cuts, ..with_rate(10.0, 30, 6) };
        pace.cut(at(9_000), 12.0, 8.0);
        assert_eq!((pace.is_dip, pace.cuts), (is_dip, left));
        near(pace.rate.unwrap(), rate);
    }
}

#[test]
fn limits_that_were_reached_grow_once_their_search_is_paid() {
    let grown = |owed: f64, tried, is_felt| {
        let mut pace = CongestionController {
            slots: 10.0,
            slots_owed: owed,
            rate_owed: owed,
            are_slots_felt: is_felt,
            proved: 3.0,
            slots_before: Some(2.0),
            ..with_rate(10.0, 30, 0)
        };
        pace.grow(at(9_000), tried, 7.0);
        near(pace.slots_owed, owed - 30.0);
        near(pace.rate_owed, owed - 30.0);
        near(pace.proved, 7.0);
        pace
    };
    let pace = grown(30.0, 7.5, true);
    near(pace.slots, 10.7);
    near(pace.rate.unwrap(), 10.7);
    near(pace.slots_step, 2.0 * STEP);
    near(pace.rate_step, 2.0 * STEP);
    assert_eq!((pace.slots_before, pace.slots_at), (Some(10.0), at(9_000)));
    assert!(pace.has_rate_grown && !pace.are_slots_felt);
    let pace = grown(31.0, 7.5, true);
    assert_eq!((pace.slots, pace.rate, pace.has_rate_grown), (10.0, Some(10.0), false));
    let pace = grown(30.0, 7.4, false);
    assert_eq!((pace.slots, pace.rate, pace.slots_before), (10.0, Some(10.0), None));
}

#[test]
fn a_step_doubles_up_to_its_maximum() {
    let mut pace = CongestionController { are_slots_felt: true, ..with_rate(10.0, 30, 0) };
    (pace.rate_step, pace.slots_step) = (0.2, 0.2);
    pace.grow(at(9_000), 10.0, 10.0);
    assert_eq!((pace.rate_step, pace.slots_step), (STEP_MAX, STEP_MAX));
    // Without a limit the slots double, and so does nothing else.
    let mut free = CongestionController::new(1_000);
    free.grow_slots(at(1_000));
    assert_eq!((free.slots, free.slots_step, free.slots_before), (16.0, 1.0, None));
}

#[test]
fn the_rate_allows_for_the_background() {
    let mut pace = CongestionController { background: 0.2, ..with_rate(10.0, 0, 0) };
    pace.set_rate(8.0, DIP);
    near(pace.rate.unwrap(), 7.5);
    pace.set_rate(0.0, 1.0);
    near(pace.rate.unwrap(), 1.0 / 60.0);
}

#[test]
fn a_refused_attempt_keeps_its_slot_for_a_while() {
    let refused = |rate, duration, begun, closed: Option<Duration>| {
        let mut pace = CongestionController { rate, in_flight: 1, ..with_rate(1.0, 5, 0) };
        (pace.crowd.duration, pace.window.begun, pace.window.closed) = (duration, at(500), closed);
        pace.lag = at(60_000);
        pace.refused(begun, at(2_000));
        (pace.cooling.back().copied().unwrap() - at(2_000), pace.window.refused)
    };
    assert_eq!(refused(None, at(3_000), at(500), None), (WINDOW_MIN / 2, 1));
    assert_eq!(refused(Some(1.0), at(3_000), at(499), None), (at(1_500), 0));
    assert_eq!(refused(Some(1.0), at(30_000), at(900), Some(at(900))), (PATIENCE, 1));
    assert_eq!(refused(Some(1.0), at(30_000), at(901), Some(at(900))), (PATIENCE, 0));
}

#[test]
fn the_last_free_slot_is_taken_without_being_felt() {
    let mut pace = CongestionController::new(1_000);
    assert_eq!(fill(&mut pace, at(0)), 8);
    assert!(pace.are_slots_felt, "by the ninth");
    let mut pace = CongestionController::new(8);
    for _ in 0..8 {
        assert_eq!(pace.ask(at(0)), Decision::Go);
        assert!(!pace.are_slots_felt);
    }
    // A slot that an attempt had to wait for is free as soon as they have grown.
    let mut pace = CongestionController { slots: 1.0, is_turned: true, ..with_rate(1.0, 0, 0) };
    (pace.rate, pace.slots_step, pace.in_flight) = (None, 1.0, 1);
    assert_eq!(pace.ask(at(499)), Decision::At(at(500)));
    assert_eq!(pace.ask(at(500)), Decision::Go);
}

#[test]
fn peaks_are_of_this_time_and_of_the_one_before() {
    let mut pace = CongestionController { peaks: [7, 3], in_flight: 5, ..with_rate(1.0, 0, 0) };
    pace.answered(at(0), at(4_999));
    assert_eq!((pace.peaks, pace.peaks_at), ([7, 3], at(0)));
    pace.answered(at(0), at(5_000));
    assert_eq!((pace.peaks, pace.peaks_at), ([0, 7], at(5_000)));
    pace.crowd.duration = at(8_000);
    pace.answered(at(0), at(12_999));
    assert_eq!((pace.peaks, pace.peaks_at), ([3, 7], at(5_000)), "calls last longer");
}

#[test]
fn a_start_may_be_refused_until_the_longest_such_time_has_passed() {
    let mut pace = with_rate(1.0, 0, 0);
    (pace.lag, pace.in_flight) = (at(1_000), 3);
    pace.recent.extend([at(0), at(10)]);
    pace.note_peak(at(1_000));
    assert_eq!(pace.peaks[0], 1);
    pace.note_peak(at(1_001));
    assert_eq!(pace.peaks[0], 2);
}

/// An estimate that saw ten answers a second, each of which took two seconds.
fn queue() -> QueueEstimate {
    QueueEstimate { best: 10.0, least: Some(2.0), is_tried: true, ..QueueEstimate::default() }
}

#[test]
fn a_queue_is_bounded_by_throughput_and_duration() {
    let bound = |samples, is_tried| QueueEstimate { samples, is_tried, ..queue() }.bound();
    assert_eq!(bound(0, true), Some(CROWD * 20.0));
    assert_eq!(bound(0, false), Some(2.0 * CROWD * 20.0));
    assert_eq!(bound(DIP_EVERY - 1, true), Some(CROWD * 20.0));
    assert_eq!(bound(DIP_EVERY, true), Some(DIP * 20.0));
    assert_eq!(QueueEstimate { best: 1.0, ..queue() }.bound(), Some(START));
    assert_eq!(QueueEstimate::default().bound(), None);
    let overdue = QueueEstimate { since: at(1_000), duration: at(7_000), ..queue() };
    assert_eq!(overdue.overdue_at(), at(15_000));
    assert_eq!(QueueEstimate { last: at(2_000), ..queue() }.overdue_at(), at(12_000));
}

#[test]
fn an_overdue_queue_bounds_nothing() {
    let asks = |ms| {
        let mut pace = CongestionController::new(1_000);
        (pace.slots, pace.in_flight, pace.crowd) = (40.0, 30, queue());
        (pace.ask(at(ms)), pace.crowd.least)
    };
    assert_eq!(asks(9_999), (Decision::At(at(10_000)), Some(2.0)));
    assert_eq!(asks(10_000), (Decision::Go, None));
    // The time at which the slots would have grown is past, and no reason to ask again at once.
    assert_eq!(asks(5_000), (Decision::At(at(10_000)), Some(2.0)));
}

#[test]
fn a_sample_has_as_many_answers_as_were_in_flight() {
    let ends = |answers, needed, since_ms, last_ms| {
        let mut sample = QueueEstimate {
            answers,
            needed,
            since: at(since_ms),
            last: at(last_ms),
            area: 60.0,
            samples: 1,
            ..queue()
        };
        sample.answered(at(10_000), 25);
        let has_ended = sample.answers == 1;
        assert_eq!(sample.last, at(10_000));
        assert_eq!(sample.needed, if has_ended { 25 } else { needed });
        has_ended
    };
    assert!(ends(30, 30, 9_000, 9_900) && !ends(29, 30, 9_000, 9_900));
    assert!(ends(20, 5, 9_000, 9_900) && !ends(19, 5, 9_000, 9_900), "twenty at least");
    assert!(ends(30, 30, 9_500, 9_900) && !ends(30, 30, 9_501, 9_900), "half a second at least");
    assert!(!ends(30, 30, 9_000, 10_000), "others of the same moment");
}

#[test]
fn a_dip_waits_until_fewer_are_in_flight() {
    let sixth = || QueueEstimate {
        samples: DIP_EVERY - 1,
        is_felt: true,
        answers: 20,
        needed: 20,
        area: 40.0,
        since: at(8_000),
        ..queue()
    };
    let mut dip = sixth();
    dip.answered(at(10_000), 30);
    assert_eq!((dip.samples, dip.needed), (DIP_EVERY, 0));
    dip.answered(at(10_100), 16);
    assert_eq!((dip.needed, dip.answers), (0, 1), "more than three quarters of twenty");
    dip.answered(at(10_200), 15);
    assert_eq!((dip.needed, dip.answers, dip.since), (15, 0, at(10_200)));
    assert!(!dip.is_felt && dip.area == 0.0);
}

#[test]
fn a_sample_gives_throughput_and_duration() {
    let learned = |is_felt, answers, area, time| {
        let mut sample = QueueEstimate { is_felt, answers, area, ..queue() };
        sample.learn(time);
        sample
    };
    let sample = learned(true, 30, 45.0, 2.0);
    assert_eq!(sample.duration, at(1_500));
    assert_eq!((sample.best, sample.least, sample.samples), (15.0, Some(1.5), 1));
    let slower = learned(false, 20, 60.0, 4.0);
    assert_eq!((slower.best, slower.least, slower.samples), (8.75, Some(2.0), 0));
    assert_eq!(learned(true, 20, 60.0, 10.0).samples, 3, "one of ten seconds counts as three");
    assert_eq!(learned(true, 20, 60.0, 4.9).samples, 1);
}

#[test]
fn a_dip_that_costs_no_throughput_had_a_queue() {
    let dipped = |best: f64, is_felt, answers, area| {
        let mut dip = QueueEstimate {
            samples: DIP_EVERY,
            is_tried: false,
            is_felt,
            best,
            answers,
            area,
            ..queue()
        };
        dip.learn(2.0);
        assert!(!dip.is_felt && dip.is_tried);
        assert_eq!(dip.best, best);
        (dip.samples, dip.least.unwrap())
    };
    // 8.75 of 10 a second are enough: the next dip follows, a part lower.
    assert_eq!(dipped(10.0, true, 18, 36.0), (DIP_EVERY, 1.5));
    assert_eq!(dipped(16.0, true, 28, 56.0), (DIP_EVERY, 1.5), "exactly enough");
    assert_eq!(dipped(10.0, true, 17, 34.0), (0, 2.0));
    assert_eq!(dipped(10.0, false, 18, 36.0), (0, 2.0), "the bound was not reached");
    assert_eq!(dipped(10.0, true, 10, 50.0), (0, 3.0), "longer by a half at most");
    assert_eq!(dipped(5.0, true, 10, 20.0), (0, 2.0), "never below the initial slots");
}
