//! Rows over several services: each has a controller and a breaker for each model.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::net::TcpListener;
use std::time::{Duration, Instant};

use modelwire::{BaseUrl, Client, Config, ErrorKind, RetryPolicy};
use modelwire_testing::{Reply, Says, Service};

use crate::controller::Fixed;
use crate::engine::attempt::Attempt;
use crate::engine::gate::{Gate, Room};
use crate::engine::tests::{numbers, options, row, run, status};
use crate::engine::{Engine, EngineOptions, NoSendJournal, Over, StopReason};

fn client<'a>(base_urls: impl IntoIterator<Item = &'a str>) -> Client {
    client_of(base_urls.into_iter().map(BaseUrl::new))
}

fn client_of(base_urls: impl IntoIterator<Item = BaseUrl>) -> Client {
    let retry = RetryPolicy::default().max_retries(0);
    Client::new(Config::new().base_urls(base_urls).api_key("sk-test").retry(retry)).unwrap()
}

/// A base URL at which nothing listens.
fn dead() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/v1", listener.local_addr().unwrap())
}

fn calls(service: &Service) -> u64 {
    service.metered().get("echo").map_or(0, |metered| metered.calls)
}

#[test]
fn rows_are_spread_over_all_services() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    let urls = services.each_ref().map(Service::base_url);
    let client = client(urls.iter().map(String::as_str));
    let mut engine = Engine::new(client, options(), NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=400).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert_eq!(numbers(&finished), (1..=400).collect::<Vec<_>>());
    let calls = services.each_ref().map(calls);
    assert_eq!(calls.iter().sum::<u64>(), 400);
    assert!(calls.iter().all(|calls| *calls > 100), "{calls:?}");
}

#[test]
fn a_service_that_is_not_there_costs_no_row() {
    let service = Service::start().unwrap();
    let (dead, well) = (dead(), service.base_url());
    let mut engine = Engine::new(client([&*dead, &well]), options(), NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=400).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert_eq!(numbers(&finished), (1..=400).collect::<Vec<_>>());
    assert!(finished.iter().all(|finished| finished.outcome.is_ok()));
    assert_eq!(calls(&service), 400);
    let vain = engine.status().sent - 400;
    assert!((1..100).contains(&vain), "{vain}");
}

#[test]
fn a_service_that_refuses_everything_holds_back_no_other() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    services[0].answer_otherwise(Some(status(429, &[])));
    let urls = services.each_ref().map(Service::base_url);
    let client = client(urls.iter().map(String::as_str));
    let mut engine = Engine::new(client, options(), NoSendJournal);
    let (finished, _) = run(&mut engine, (1..=400).map(|number| row(number, "echo")));
    assert!(finished.iter().all(|finished| finished.outcome.is_ok()));
    assert_eq!((finished.len(), calls(&services[1])), (400, 400));
    assert!(engine.status().limited < 200, "{:?}", engine.status());
}

/// The breaker of the failing service opens; its rows that failed before that stay failed.
#[test]
fn a_service_that_fails_row_after_row_is_left_alone() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    services[0].answer_otherwise(Some(status(503, &[])));
    let urls = services.each_ref().map(Service::base_url);
    let client = client(urls.iter().map(String::as_str));
    let mut engine = Engine::new(client, options(), NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=400).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    let failed = finished.iter().filter(|finished| finished.outcome.is_err()).count();
    assert!((5..50).contains(&failed), "{failed}");
    assert_eq!(calls(&services[1]), 400 - failed as u64);
    assert_eq!(engine.status().outage, None, "the job goes on");
}

/// A wrong base URL, or a key without permission or balance, from the first row on or later.
#[test]
fn a_service_that_refuses_row_after_row_costs_no_row() {
    let played = || Reply { says: Says::Played, faults: Vec::new() };
    for (code, answers) in [(301, 0), (402, 0), (403, 0), (404, 0), (405, 0), (402, 30), (403, 30)]
    {
        let services = [Service::start().unwrap(), Service::start().unwrap()];
        services[0].queue(vec![played(); answers]);
        services[0].answer_otherwise(Some(status(code, &[])));
        let urls = services.each_ref().map(Service::base_url);
        let client = client(urls.iter().map(String::as_str));
        let mut engine = Engine::new(client, options(), NoSendJournal);
        let (finished, over) = run(&mut engine, (1..=400).map(|number| row(number, "echo")));
        assert!(matches!(over, Over::All), "{code}: {over:?}");
        assert_eq!(numbers(&finished), (1..=400).collect::<Vec<_>>());
        assert!(finished.iter().all(|finished| finished.outcome.is_ok()), "{code}");
        assert!(engine.status().sent < 600, "{code}: {:?}", engine.status());
    }
}

#[test]
fn services_that_all_refuse_stop_the_run_and_fail_no_row() {
    for (one, other) in [(402, 402), (402, 404), (405, 405), (400, 403)] {
        let services = [Service::start().unwrap(), Service::start().unwrap()];
        services[0].answer_otherwise(Some(status(one, &[])));
        services[1].answer_otherwise(Some(status(other, &[])));
        let urls = services.each_ref().map(Service::base_url);
        let client = client(urls.iter().map(String::as_str));
        let mut engine = Engine::new(client, options(), NoSendJournal);
        let (finished, over) = run(&mut engine, (1..=400).map(|number| row(number, "echo")));
        assert!(matches!(over, Over::Stopped(_)), "{one} {other}: {over:?}");
        assert!(finished.is_empty() && engine.status().sent < 60, "{:?}", engine.status());
    }
}

/// A row with what none of them may answer: each is asked, and goes on with the other rows.
#[test]
fn a_row_that_every_service_forbids_fails_alone() {
    for concurrency_max in [1, 8] {
        let services = [Service::start().unwrap(), Service::start().unwrap()];
        let urls = services.each_ref().map(Service::base_url);
        let mut options = options();
        options.fixed.concurrency_max = Some(concurrency_max);
        let client = client(urls.iter().map(String::as_str));
        let mut engine = Engine::new(client, options, NoSendJournal);
        let rows = (1..=60).map(|number| match number {
            30 => crate::row::Row { model: "echo".into(), ..row(number, "forbidden") },
            _ => row(number, "echo"),
        });
        let (mut finished, over) = run(&mut engine, rows);
        assert!(matches!(over, Over::All), "{over:?}");
        finished.sort_by_key(|finished| finished.row.number);
        let failed: Vec<_> = finished.iter().filter(|finished| finished.outcome.is_err()).collect();
        let [failed] = failed[..] else { panic!("{} failed", failed.len()) };
        assert_eq!((finished.len(), failed.row.number), (60, 30));
        // More than two only where the other had no room.
        assert!((2..=8).contains(&failed.attempts), "{}", failed.attempts);
        let shares = services.each_ref().map(|service| service.recorded("").len());
        assert!(shares.iter().all(|share| *share > 20), "none is given up: {shares:?}");
    }
}

/// No other service is better for it: it is sent to each that has answered no row yet, and fails.
#[test]
fn a_row_that_every_service_refuses_is_an_outcome() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    let urls = services.each_ref().map(Service::base_url);
    for code in [400, 403] {
        let mut options = options();
        options.fixed.concurrency_max = Some(1);
        services.iter().for_each(|service| service.queue(vec![status(code, &[])]));
        let client = client(urls.iter().map(String::as_str));
        let mut engine = Engine::new(client, options, NoSendJournal);
        let (finished, over) = run(&mut engine, (1..=20).map(|number| row(number, "echo")));
        assert!(matches!(over, Over::All), "{code}: {over:?}");
        assert_eq!(finished.len(), 20, "{code}");
    }
}

#[test]
fn without_any_service_the_job_stops() {
    let (one, other) = (dead(), dead());
    let options = EngineOptions { patience: Duration::from_millis(300), ..options() };
    let mut engine = Engine::new(client([&*one, &other]), options, NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=40).map(|number| row(number, "echo")));
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!(
        (stopped.reason, stopped.error.kind()),
        (StopReason::Unreachable, ErrorKind::Connect)
    );
    assert!(finished.is_empty() && engine.is_empty());
}

/// For longer than the patience, no row is spent on a probe.
#[test]
fn a_service_that_fails_for_too_long_is_given_up() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    services[0].answer_otherwise(Some(status(503, &[])));
    let urls = services.each_ref().map(Service::base_url);
    let client = client(urls.iter().map(String::as_str));
    let options = EngineOptions { patience: Duration::from_millis(1), ..options() };
    let mut engine = Engine::new(client, options, NoSendJournal);
    let mut rows = (1..).map(|number| row(number, "echo"));
    let at_first = Attempt::of(row(0, "echo"), 0, 0);
    let begun = Instant::now();
    loop {
        rows.by_ref().take(engine.wants().min(20)).for_each(|row| engine.push(row));
        engine.turn(Some(Duration::from_millis(10)));
        let gate = engine.lanes.get(0).unwrap().gate(&at_first).unwrap();
        if gate.is_given_up {
            assert!(!gate.begins(Duration::from_secs(9_999), 1.0));
            assert_eq!(gate.due(Duration::ZERO), None);
            break;
        }
        // clock: bounds a hang
        assert!(begun.elapsed() < Duration::from_secs(120), "it is probed forever");
    }
    engine.end();
    let (_, over) = run(&mut engine, []);
    assert!(matches!(over, Over::All), "{over:?}");
    assert_eq!(engine.status().outage, None);
}

/// The service waits as it asks to, and its rows go to the other; even where it asks for longer than rows wait.
#[test]
fn a_retry_after_holds_its_service_and_no_row() {
    for asked in ["5", "50", "3600"] {
        let services = [Service::start().unwrap(), Service::start().unwrap()];
        services[0].answer_otherwise(Some(status(429, &[("Retry-After", asked)])));
        let urls = services.each_ref().map(Service::base_url);
        let mut options = options();
        options.rules.attempts_max = 2;
        let client = client(urls.iter().map(String::as_str));
        let mut engine = Engine::new(client, options, NoSendJournal);
        let (finished, over) = run(&mut engine, (1..=300).map(|number| row(number, "echo")));
        assert!(matches!(over, Over::All), "{asked}: {over:?}");
        assert!(finished.iter().all(|finished| finished.outcome.is_ok()), "{asked}");
        assert_eq!((finished.len(), calls(&services[1])), (300, 300));
    }
}

/// Also in a lane whose controller waits for a point in time: nothing wakes the engine for it.
#[test]
fn a_service_that_is_given_up_is_never_due() {
    let fixed = Fixed { requests_per_minute: Some(60.0), ..Fixed::default() };
    let mut gate = Gate::new(fixed);
    let now = Duration::from_secs(1);
    while gate.begins(now, 1.0) {}
    assert!(gate.due(now).is_some_and(|due| due > now), "it is paced");
    gate.give_up();
    assert_eq!((gate.due(now), gate.due(now * 1_000)), (None, None));
    assert_eq!(gate.room(now * 1_000), Room::One);
}

/// Its rows go to the others, and no other key is tried there.
#[test]
fn a_service_that_rejects_its_own_key_is_given_up() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    let urls = services.each_ref().map(Service::base_url);
    let wrong = BaseUrl::new(&*urls[0]).api_key("sk-wrong");
    let renewed = || panic!("no key of the client was rejected");
    let mut engine =
        Engine::new(client_of([wrong, BaseUrl::new(&*urls[1])]), options(), NoSendJournal)
            .with_renewed_key(renewed);
    let (finished, over) = run(&mut engine, (1..=100).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert!(finished.iter().all(|finished| finished.outcome.is_ok()));
    assert_eq!((finished.len(), calls(&services[1])), (100, 100));
    let both = urls.each_ref().map(|url| BaseUrl::new(&**url).api_key("sk-wrong"));
    let mut engine = Engine::new(client_of(both), options(), NoSendJournal);
    let (_, over) = run(&mut engine, (1..=10).map(|number| row(number, "echo")));
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!(stopped.reason, StopReason::KeyRefused);
}

/// A renewed key replaces that of the client, and no key of a service of its own.
#[test]
fn each_service_gets_its_own_key() {
    let services = [Service::start().unwrap(), Service::start().unwrap()];
    services[0].queue(vec![status(401, &[])]);
    let urls = services.each_ref().map(Service::base_url);
    let own = BaseUrl::new(&*urls[1]).api_key("sk-test");
    let mut keys = vec!["sk-test".to_owned()];
    let mut engine =
        Engine::new(client_of([BaseUrl::new(&*urls[0]), own]), options(), NoSendJournal)
            .with_renewed_key(move || keys.pop());
    let (finished, over) = run(&mut engine, (1..=40).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert!(finished.iter().all(|finished| finished.outcome.is_ok()));
    assert_eq!(finished.len(), 40);
}

#[test]
fn a_row_begins_when_its_time_has_come() {
    let at = Duration::from_secs;
    let mut gate = Gate::new(Fixed::default());
    gate.held = super::NextRow::Until(at(5));
    assert_eq!((gate.room(at(4)), gate.begins(at(4), 1.0)), (Room::One, false));
    assert_eq!((gate.room(at(5)), gate.begins(at(5), 1.0)), (Room::Permits(8), true));
    (0..5).for_each(|_| _ = gate.breaker.failed(ErrorKind::Server, at(5), at(6), at(600)));
    let probe_at = gate.breaker.probe_at().unwrap();
    assert!(!gate.begins(probe_at - Duration::from_millis(1), 1.0));
    assert!(gate.begins(probe_at, 1.0));
}
