//! What the played service does under load: in real time by real requests, and alone in virtual time.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod client;

use std::time::{Duration, Instant};

use client::{call, post};
use modelwire_testing::load::{Admission, Gate, Load};
use modelwire_testing::{ARGUMENTS, Options, Service};
use serde_json::json;

fn seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds)
}

fn gate(load: &str) -> Gate {
    Gate::new(Load::parse(load).unwrap())
}

fn service(load: &str) -> Service {
    let load = Load::parse(load).unwrap();
    Service::start_with(Options { load, ..Options::default() }).unwrap()
}

/// How many of calls at these times are let in.
fn admitted(gate: &mut Gate, times: impl Iterator<Item = f64>, tokens: u64) -> usize {
    let is_in = |at: f64| !matches!(gate.arrive(seconds(at), tokens), Admission::Refused(_));
    times.map(is_in).filter(|is_in| *is_in).count()
}

fn every(gap: f64, until: f64) -> impl Iterator<Item = f64> {
    (0..(until / gap) as u32).map(move |number| f64::from(number) * gap)
}

#[test]
fn a_bucket_admits_its_burst_and_then_its_rate() {
    let mut gate = gate("requests-per-second=10,burst=5");
    assert_eq!(admitted(&mut gate, every(0.001, 10.0), 1), 104);
    assert_eq!(gate.counts().refused, 9896);
}

#[test]
fn a_token_rate_is_separate_and_may_be_overdrawn() {
    let mut gate = gate("tokens-per-minute=6000,tokens-burst=100");
    let calls = admitted(&mut gate, every(0.01, 10.0), 250);
    assert!((4..=5).contains(&calls), "{calls}");
}

#[test]
fn concurrency_is_limited() {
    let mut gate = gate("at-once=3,latency-ms=1000");
    assert_eq!(admitted(&mut gate, every(0.1, 1.0), 1), 3);
    assert_eq!(gate.arrive(seconds(0.95), 1), Admission::Refused(Some(seconds(1.0))));
    assert_eq!(gate.arrive(seconds(1.0), 1), Admission::Answered(seconds(2.0)));
    assert_eq!(gate.counts().at_once, 3);
}

#[test]
fn a_growth_limit_refuses_fast_growth_but_no_rate() {
    let rules = "slope-window-ms=1000,slope-over-ms=1000,slope-factor=2,slope-floor=10";
    assert_eq!(admitted(&mut gate(rules), every(0.001, 1.0), 1), 10);
    // Slow growth to any rate is fine.
    let mut gate = gate(rules);
    for second in 0..20 {
        let rate = 7.0 * 1.3f64.powi((second - 2).max(0));
        let times = every(1.0 / rate, 1.0).map(|at| at + f64::from(second));
        let all = (rate - 1.0) as usize;
        assert!(admitted(&mut gate, times, 1) >= all, "second {second}");
    }
}

#[test]
fn a_queue_refuses_nothing_and_takes_longer() {
    let mut gate = gate("queue=2,latency-ms=1000");
    let mut ends = |at: f64| match gate.arrive(seconds(at), 1) {
        Admission::Answered(end) => end.as_secs_f64(),
        other => panic!("{other:?}"),
    };
    assert_eq!([ends(0.0), ends(0.0), ends(0.0), ends(0.5)], [1.0, 1.0, 2.0, 2.0]);
    assert_eq!(ends(1.5), 3.0);
    assert_eq!(ends(9.0), 10.0);
}

#[test]
fn a_share_of_calls_fails_and_a_share_gets_a_long_retry_after() {
    let mut faulty = gate("fault-share=0.25,latency-ms=1");
    assert_eq!(admitted(&mut faulty, every(0.001, 10.0), 1), 10_000);
    assert!((2300..2700).contains(&faulty.counts().failed), "{:?}", faulty.counts());
    let mut refusing = gate("requests-per-second=1,burst=1,retry-after=89,retry-after-share=0.5");
    let long = every(0.0001, 0.5)
        .filter(|at| refusing.arrive(seconds(*at), 1) == Admission::Refused(Some(seconds(89.0))));
    assert!((2300..2700).contains(&long.count()));
}

#[test]
fn calls_are_refused_at_random_and_for_a_neighbour() {
    let mut by_chance = gate("refused-share=0.25");
    let admitted_by_chance = admitted(&mut by_chance, every(0.001, 10.0), 1);
    assert!((7300..7700).contains(&admitted_by_chance), "{admitted_by_chance}");
    // Who comes somewhat more often than the bucket fills gets less of it beside a neighbour.
    let let_in = |load: &str| admitted(&mut gate(load), every(0.07, 100.0), 1);
    let alone = let_in("requests-per-second=10,burst=5");
    let beside = let_in("requests-per-second=10,burst=5,neighbour=8");
    assert!(beside < alone * 4 / 5 && beside > alone / 10, "{beside} beside {alone}");
}

#[test]
fn calls_in_flight_are_kept_when_the_load_changes() {
    let mut gate = gate("at-once=3,latency-ms=1000");
    assert_eq!(admitted(&mut gate, every(0.01, 0.1), 1), 3);
    gate.change(Load::parse("at-once=4,latency-ms=1000").unwrap());
    assert_eq!(admitted(&mut gate, every(0.01, 0.1).map(|at| at + 0.1), 1), 1);
}

#[test]
fn an_invalid_load_is_refused_with_the_reason() {
    let check = |text: &str, expected: &str| {
        let reason = Load::parse(text).unwrap_err();
        assert!(reason.contains(expected), "{text}: {reason}");
    };
    check("at-once", "NAME=VALUE");
    check("at-once=-1", "at-once needs a whole number");
    check("fault-share=2", "fault-share needs a share");
    check("requests-per-second=0", "above 0");
    check("latency-ms=NaN", "at least 0");
    check("retry-after-share=1", "comes after retry-after=SECONDS");
    check("nonsense=1", "unknown load nonsense");
}

fn ask(service: &Service) -> client::Answer {
    post(service.address(), "/v1/responses", &json!({"model": "echo", "input": "a b"}))
}

#[test]
fn calls_beyond_a_limit_are_refused_and_not_metered() {
    let service = service("requests-per-second=0.01,burst=2");
    let answers: Vec<_> = (0..4).map(|_| ask(&service)).collect();
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert_eq!(statuses, [200, 200, 429, 429]);
    assert_eq!(answers[2].error("code"), "rate_limit_exceeded");
    let wait: u64 = answers[2].header("retry-after").unwrap().parse().unwrap();
    assert!((90..=100).contains(&wait), "{wait}");
    assert_eq!(service.metered()["echo"].calls, 2);
    assert_eq!((service.load_counts().answered, service.load_counts().refused), (2, 2));
    service.clear();
    assert_eq!(ask(&service).status, 200, "the limit is as new");
}

#[test]
fn answers_and_faults_take_their_time() {
    let slow = service("latency-ms=150");
    let start = Instant::now();
    assert_eq!(ask(&slow).status, 200);
    assert!(start.elapsed() >= seconds(0.15));
    let faulty = service("fault-share=1,latency-ms=50");
    let start = Instant::now();
    assert_eq!(ask(&faulty).status, 500);
    assert!(start.elapsed() >= seconds(0.05));
    assert!(faulty.metered().is_empty());
}

#[test]
fn a_load_can_be_set_over_http() {
    let service = Service::start().unwrap();
    let put = |load: serde_json::Value| {
        call(service.address(), "PUT", "/_control/load", &[], &load.to_string())
    };
    let load =
        json!({"requests-per-second": 0.01, "burst": 1, "retry-after-share": 1, "retry-after": 89});
    assert_eq!(put(load).status, 200);
    assert_eq!(ask(&service).status, 200);
    assert_eq!(ask(&service).header("retry-after"), Some("89"));
    let state = call(service.address(), "GET", "/_control/state", &[], "").json();
    assert_eq!(state["load"]["refused"], 1);
    assert_eq!(put(json!({})).status, 200);
    assert_eq!(ask(&service).status, 200);
    assert!(put(json!({"at-once": true})).error("message").contains("a number or a string"));
    assert!(put(json!({"at-once": 0})).error("message").contains("at-once needs"));
    assert!(put(json!([])).error("message").contains("must be a JSON object"));
}

#[test]
fn the_help_names_every_load() {
    let argument = ARGUMENTS.iter().find(|argument| argument.name == "load").unwrap();
    let known = Load::parse("speed=1").unwrap_err();
    let (_, names) = known.split_once("known are ").unwrap();
    for name in names.split(", ") {
        assert!(argument.doc.contains(name), "{name}");
    }
}
