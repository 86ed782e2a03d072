//! Lanes by themselves: how many rows are recorded ahead, which service and lane comes next, and what is shown.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use modelwire::{Error, ErrorKind};

use super::*;
use crate::engine::tests::row;

const LONG: Duration = Duration::from_secs(600);

fn at(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn attempt(number: u64, estimate: u64) -> Attempt {
    Attempt::of(row(number, "echo"), 0, estimate)
}

/// A lane whose rows are all on disk.
fn lane(fixed: Fixed, services: usize, rows: u64, estimate: u64) -> Lane {
    let mut lane = Lane::new("echo".into(), fixed, services);
    (1..=rows).for_each(|number| lane.push_noted(number, attempt(number, estimate)));
    lane
}

fn failed() -> Finished {
    Finished {
        row: row(0, "echo"),
        outcome: Err(Error::argument("no")),
        rejected: None,
        attempts: 1,
        elapsed: Duration::ZERO,
    }
}

#[test]
fn rows_are_recorded_for_the_free_permits_of_all_services() {
    let mut lane = lane(Fixed::default(), 2, 0, 1);
    (1..=40).for_each(|number| lane.push_back(attempt(number, 1)));
    let mut noted = 0;
    while let Some(attempt) = lane.next_to_note(at(0), 3) {
        noted += 1;
        lane.push_noted(noted, attempt);
    }
    assert_eq!(noted, 3 + 8 + 8);
}

#[test]
fn services_take_turns_and_one_that_refused_the_row_comes_last() {
    let mut lane = lane(Fixed::default(), 3, 5, 1);
    lane.noted[4].1.refused_at = Some(1);
    let services: Vec<_> = (0..5).map(|_| lane.next(at(0), 5).unwrap().service).collect();
    assert_eq!(services, [0, 1, 2, 0, 2]);
}

#[test]
fn a_row_that_is_refused_goes_to_each_other_service() {
    let mut lane = lane(Fixed::default(), 3, 0, 1);
    let mut refuse = |attempt: &mut Attempt, service, is_forbidden| {
        attempt.service = service;
        let goes = lane.may_go_elsewhere(attempt, is_forbidden);
        (goes, lane.gates.iter().map(|gate| gate.refused_in_a_row).collect::<Vec<_>>())
    };
    let mut first = attempt(1, 1);
    assert_eq!(refuse(&mut first, 0, false), (true, vec![1, 0, 0]));
    assert_eq!(refuse(&mut first, 0, true), (true, vec![1, 0, 0]), "a row counts once");
    assert_eq!(refuse(&mut first, 2, true), (true, vec![1, 0, 1]));
    assert_eq!(refuse(&mut first, 1, true), (false, vec![1, 1, 1]), "all refused it");
    let mut second = attempt(2, 1);
    for number in 1..FORBIDDEN_MAX {
        assert!(refuse(&mut second, 2, true).0, "{number}");
    }
    assert_eq!(refuse(&mut second, 2, true), (false, vec![1, 1, 2]), "the others get no row");
    // What answered rows before may refuse one for what is in it.
    lane.gates[0].was_answered = true;
    assert!(!lane.may_go_elsewhere(&mut attempt(3, 1), false));
    assert!(lane.may_go_elsewhere(&mut attempt(3, 1), true));
    // Many rows, and the service gets no more.
    for number in 3..=FORBIDDEN_MAX {
        let mut attempt = Attempt { service: 2, ..attempt(number as u64, 1) };
        assert!(!lane.gates[2].is_given_up() && lane.may_go_elsewhere(&mut attempt, true));
    }
    assert!(lane.gates[2].is_given_up() && !lane.is_given_up());
    assert!(
        lane.has_other_than(0b101) && lane.has_other_than(0b110) && !lane.has_other_than(0b011)
    );
    (0..2).for_each(|service| lane.give_up(service));
    assert!(lane.is_given_up());
}

#[test]
fn an_estimate_is_corrected_by_what_rows_used() {
    let mut lane = lane(Fixed::default(), 1, 0, 1);
    let mut used = |tokens, number| {
        for _ in 0..number {
            let answered = Ended::Answered { tokens: Some(tokens) };
            lane.ended(&attempt(1, 100), at(1), answered);
        }
        lane.correction
    };
    assert_eq!(used(300, 1), 1.1);
    assert_eq!(used(1_000_000, 1), 1.1 + (CORRECTION_MAX - 1.1) * CORRECTION_WEIGHT);
    assert!((used(0, 1_000) - 1.0 / CORRECTION_MAX).abs() < 1e-9);
    // A hundred tokens a second: the first row takes 120, and the next waits for the rest.
    let fixed = Fixed { tokens_per_minute: Some(6_000.0), ..Fixed::default() };
    let mut limited = self::lane(fixed, 1, 2, 60);
    limited.correction = 2.0;
    assert!(limited.next(at(1_000), 2).is_some() && limited.next(at(1_000), 2).is_none());
    assert_eq!(limited.due(at(1_000)).map(|due| due.as_millis()), Some(1_200));
}

#[test]
fn few_rows_are_sent_to_a_model_that_only_refused() {
    let mut lane = lane(Fixed::default(), 2, 20, 1);
    lane.forbidden.extend([failed(), failed()]);
    let sent = std::iter::from_fn(|| lane.next(at(0), 20)).count();
    assert_eq!((sent, lane.in_flight(at(0))), (UNPROVED_MAX - 2, UNPROVED_MAX - 2));
    lane.was_answered = true;
    assert!(lane.next(at(0), 20).is_some());
}

#[test]
fn it_fails_since_the_last_service_began_to() {
    let mut lane = lane(Fixed::default(), 2, 0, 1);
    for (service, begun) in [(1, at(1_000)), (0, at(2_000))] {
        assert_eq!(lane.failing_since(), None);
        let breaker = &mut lane.gates[service].breaker;
        (0..5).for_each(|_| _ = breaker.failed(ErrorKind::Server, begun, begun, LONG));
    }
    assert_eq!(lane.failing_since(), Some(at(2_000)));
}

#[test]
fn it_awaits_the_disk_unless_nothing_may_begin() {
    let mut lanes = Lanes::new(Fixed::default(), 1);
    lanes.of(&"echo".into());
    assert!(!lanes.await_disk(4), "no row is recorded");
    (5..=7).for_each(|number| lanes.lanes[0].push_noted(number, attempt(number, 1)));
    assert!(lanes.await_disk(4) && !lanes.await_disk(5) && !lanes.await_disk(6));
    assert!(lanes.next(at(0), 5).is_some() && lanes.await_disk(5));
    lanes.give_up(0);
    assert!(!lanes.await_disk(5), "nothing begins there");
}

#[test]
fn the_view_sums_the_services() {
    let fixed = Fixed { requests_per_minute: Some(60.0), ..Fixed::default() };
    let mut paced = lane(fixed, 2, 2, 1);
    assert!(paced.next(at(1_000), 2).is_some() && paced.next(at(1_000), 2).is_some());
    let view = paced.view(at(1_000));
    assert_eq!((view.in_flight, view.allowed, view.rate), (2, 16, None));
    assert!(!view.is_paced);
    assert!(paced.gates[0].begins(at(1_000), 1.0));
    assert!(paced.view(at(1_000)).is_paced, "one of them");
    // Two of two are refused at each service: half of one a second is left.
    let mut limited = lane(Fixed::default(), 2, 0, 1);
    for gate in &mut limited.gates {
        assert!(gate.begins(at(0), 1.0) && gate.begins(at(0), 1.0));
        (0..2).for_each(|_| gate.ended(at(0), at(2_000), Ended::Refused));
        gate.begins(at(5_000), 1.0);
    }
    let view = limited.view(at(5_000));
    assert_eq!((view.rate, view.is_paced), (Some(1.0), true));
}

#[test]
fn models_beyond_the_maximum_share_the_last_lane() {
    let mut lanes = Lanes::new(Fixed::default(), 2);
    let mut of = |number: usize| lanes.of(&format!("model-{number}").into());
    assert_eq!((0..LANES_MAX).map(&mut of).collect::<Vec<_>>(), Vec::from_iter(0..LANES_MAX));
    assert_eq!((of(LANES_MAX), of(LANES_MAX + 1)), (LANES_MAX - 1, LANES_MAX - 1));
    assert_eq!((of(0), of(3), of(3), of(LANES_MAX - 1)), (0, 3, 3, LANES_MAX - 1));
}

#[test]
fn a_service_that_is_given_up_gets_no_row_of_any_model() {
    let mut lanes = Lanes::new(Fixed::default(), 2);
    lanes.of(&"a".into());
    assert!(lanes.give_up(0) && lanes.give_up(0), "there is another");
    lanes.of(&"b".into());
    for lane in &lanes.lanes {
        assert!(lane.gates[0].is_given_up() && !lane.gates[1].is_given_up());
    }
    assert!(!lanes.give_up(1));
}

#[test]
fn lanes_take_turns() {
    let mut lanes = Lanes::new(Fixed::default(), 1);
    for model in ["a", "b", "c"] {
        let lane = lanes.of(&model.into());
        (1..=2).for_each(|number| {
            lanes.lanes[lane].push_noted(1, Attempt::of(row(number, model), lane, 1))
        });
    }
    let mut next = || lanes.next(at(0), 1).map(|attempt| attempt.lane);
    let order: Vec<_> = std::iter::from_fn(&mut next).collect();
    assert_eq!(order, [0, 1, 2, 0, 1, 2]);
}
