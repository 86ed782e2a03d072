//! The engine against the loopback service: retries, stops, and results.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};

use modelwire::{Config, Endpoint, ErrorKind, RetryPolicy};
use modelwire_testing::{Exchange, Fault, Options, Point, Reply, Says, Script, Service, Step};

use super::*;
use crate::budget::Limits;
use crate::controller::{Ended, Fixed};
use crate::row::{BodyHash, Key};

pub(super) const LONG: Duration = Duration::from_secs(30);

pub(super) fn client(service: &Service) -> Client {
    client_at(&service.base_url(), "sk-test")
}

fn client_at(base_url: &str, key: &str) -> Client {
    let retry = RetryPolicy::default().max_retries(0);
    Client::new(Config::new().base_url(base_url).api_key(key).retry(retry)).unwrap()
}

pub(super) fn row(number: u64, model: &str) -> Row {
    let body = format!(
        r#"{{"model":"{model}","messages":[{{"role":"user","content":"row {number}"}}],"max_tokens":50}}"#
    );
    Row {
        key: Key::new(format!("row-{number}"), 1),
        number,
        hash: BodyHash::of(Endpoint::Chat, &body),
        endpoint: Endpoint::Chat,
        body: body.into(),
        model: model.into(),
    }
}

/// Runs all of these rows, pushed as the engine wants them.
pub(super) fn run<B: SendJournal>(
    engine: &mut Engine<B>,
    rows: impl IntoIterator<Item = Row>,
) -> (Vec<Finished>, Over) {
    let mut rows = rows.into_iter();
    let mut all = Vec::new();
    loop {
        for _ in 0..engine.wants() {
            match rows.next() {
                Some(row) => engine.push(row),
                None => engine.end(),
            }
        }
        match engine.turn(Some(LONG)) {
            Turn::Finished(finished) => {
                assert!(!finished.is_empty());
                all.extend(finished);
            }
            Turn::Idle => panic!("no event for {LONG:?}: {:?}", engine.status()),
            Turn::Over(over) => return (all, over),
        }
    }
}

pub(super) fn numbers(finished: &[Finished]) -> Vec<u64> {
    let mut numbers: Vec<u64> = finished.iter().map(|finished| finished.row.number).collect();
    numbers.sort_unstable();
    numbers
}

pub(super) fn status(status: u16, headers: &[(&str, &str)]) -> Reply {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let body = br#"{"error":{"message":"no","type":"t","code":"c"}}"#.to_vec();
    Reply { says: Says::Document { status, headers: headers.collect(), body }, faults: Vec::new() }
}

/// An answer that never comes.
fn stalled() -> Reply {
    Reply { says: Says::Played, faults: vec![Fault::At(Point::Start, Step::StallForever)] }
}

pub(super) fn options() -> EngineOptions {
    EngineOptions::default()
}

/// A slow book in memory.
#[derive(Debug, Default)]
pub(super) struct Slow {
    pub(super) tickets: u64,
    pub(super) durable: u64,
    pub(super) open: BTreeMap<String, u64>,
    pub(super) refused: Vec<u64>,
}

impl SendJournal for Slow {
    fn sending(&mut self, row: &Row) -> u64 {
        self.tickets += 1;
        *self.open.entry(row.key.text().to_owned()).or_default() += 1;
        self.tickets
    }

    fn durable(&self) -> u64 {
        self.durable
    }

    fn refused(&mut self, row: &Row) {
        *self.open.get_mut(row.key.text()).unwrap() -= 1;
        self.refused.push(row.number);
    }
}

#[test]
fn every_row_is_sent_and_finished_once() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=3_000).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert_eq!(numbers(&finished), (1..=3_000).collect::<Vec<_>>());
    for finished in &finished {
        let response = finished.outcome.as_ref().unwrap();
        assert_eq!(response.text(), format!("row {}", finished.row.number));
        assert_eq!(finished.attempts, 1);
    }
    assert_eq!(service.metered()["echo"].calls, 3_000);
    assert!(matches!(engine.turn(None), Turn::Over(Over::All)));
    assert_eq!((engine.status().sent, engine.wants()), (3_000, 0));
    assert_eq!((engine.ready_rows, engine.ready_bytes), (0, 0));
}

#[test]
fn a_rate_limited_model_does_not_delay_another() {
    const OTHERS: u64 = 495;
    let options_of_service = Options {
        rate_limit_calls: 1,
        rate_limit_window: Duration::from_secs(500),
        ..Options::default()
    };
    let service = Service::start_with(options_of_service).unwrap();
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    // The rows of the limited model come first, and all but one of them wait for longer than this test
    // runs.
    (1..=5).for_each(|number| engine.push(row(number, "limited")));
    (6..6 + OTHERS).for_each(|number| engine.push(row(number, "echo")));
    let mut finished = Vec::new();
    while finished.len() < OTHERS as usize + 1 {
        match engine.turn(Some(LONG)) {
            Turn::Finished(more) => finished.extend(more),
            _ => panic!("the others wait: {:?}", engine.status()),
        }
    }
    assert_eq!(finished.iter().filter(|finished| &*finished.row.model == "limited").count(), 1);
    assert_eq!(engine.views().count(), 2);
    engine.drain();
    assert!(matches!(engine.turn(Some(LONG)), Turn::Over(Over::Drained)));
    assert!(finished.len() == OTHERS as usize + 1 && engine.is_empty(), "four were dropped");
}

#[test]
fn rate_limited_rows_are_retried_until_they_succeed() {
    let service = Service::start().unwrap();
    let mut engine =
        Engine::new(client(&service), options(), Slow { durable: u64::MAX, ..Slow::default() });
    service.queue(vec![status(429, &[]); 6]);
    let (finished, _) = run(&mut engine, (1..=9).map(|number| row(number, "echo")));
    assert_eq!(numbers(&finished), (1..=9).collect::<Vec<_>>());
    assert!(finished.iter().all(|finished| finished.outcome.is_ok()));
    assert_eq!(finished.iter().map(|finished| finished.attempts).sum::<u32>(), 15);
    assert_eq!((engine.status().limited, engine.book().refused.len()), (6, 6));
    assert!(engine.book().open.values().all(|open| *open == 1), "each stays recorded once");
    assert_eq!(service.metered()["echo"].calls, 9);
}

#[test]
fn a_refusal_for_too_long_is_an_outcome() {
    let service = Service::start().unwrap();
    service.queue(vec![status(429, &[("Retry-After", "601")])]);
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    let (finished, over) = run(&mut engine, [row(1, "echo")]);
    assert!(matches!(over, Over::All));
    let error = finished[0].outcome.as_ref().unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(601)));
}

#[test]
fn attempts_have_an_end() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(status(429, &[])));
    let mut options = options();
    options.rules.attempts_max = 2;
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let (finished, _) = run(&mut engine, [row(1, "echo")]);
    assert_eq!(finished[0].attempts, 2);
    assert_eq!(finished[0].outcome.as_ref().unwrap_err().kind(), ErrorKind::RateLimited);
}

#[test]
fn a_service_that_refuses_everything_stops_the_run_and_fails_no_row() {
    for (headers, attempts_max) in [(&[][..], 20), (&[][..], 2), (&[("Retry-After", "3600")], 20)] {
        let service = Service::start().unwrap();
        let mut options = options();
        // One at a time: an answer that comes after a refusal shows that the service admits rows.
        options.fixed.concurrency_max = Some(1);
        options.patience = Duration::from_secs(3);
        options.rules.attempts_max = attempts_max;
        let book = Slow { durable: u64::MAX, ..Slow::default() };
        let mut engine = Engine::new(client(&service), options, book);
        let played = Reply { says: Says::Played, faults: Vec::new() };
        service.queue(vec![played; 2]);
        service.answer_otherwise(Some(status(429, headers)));
        let (finished, over) = run(&mut engine, (1..=5_000).map(|number| row(number, "echo")));
        let Over::Stopped(stopped) = over else { panic!("{over:?}") };
        assert_eq!((stopped.reason, stopped.error.status()), (StopReason::Limited, Some(429)));
        assert_eq!(numbers(&finished).len(), 2);
        assert!(finished.iter().all(|finished| finished.outcome.is_ok()));
        let open: u64 = engine.book().open.values().sum();
        assert_eq!(open, 2, "all others are retried");
    }
}

#[test]
fn a_row_that_is_refused_for_the_last_time_among_answers_is_an_outcome() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    options.rules.attempts_max = 1;
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let played = || Reply { says: Says::Played, faults: Vec::new() };
    service.queue(vec![played(), status(429, &[]), played(), played()]);
    let (finished, over) = run(&mut engine, (1..=4).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    // As soon as the next answer shows that the service admits rows.
    let failed: Vec<bool> = finished.iter().map(|finished| finished.outcome.is_err()).collect();
    assert_eq!(failed, [false, true, false, false]);
    assert_eq!(engine.status().limited, 1);
}

#[test]
fn bad_rows_are_outcomes_after_one_attempt() {
    for code in [400, 404, 409, 422, 500, 503] {
        let service = Service::start().unwrap();
        service.queue(vec![status(code, &[])]);
        let mut engine = Engine::new(client(&service), options(), NoSendJournal);
        let (finished, over) = run(&mut engine, (1..=5).map(|number| row(number, "echo")));
        assert!(matches!(over, Over::All));
        let failed: Vec<_> = finished.iter().filter(|finished| finished.outcome.is_err()).collect();
        assert_eq!((finished.len(), failed.len(), failed[0].attempts), (5, 1, 1), "{code}");
        assert_eq!(failed[0].outcome.as_ref().unwrap_err().status(), Some(code));
        assert_eq!(engine.status().sent, 5);
    }
}

#[test]
fn possibly_metered_rows_are_retried_only_if_allowed() {
    let cut = Reply { says: Says::Played, faults: vec![Fault::At(Point::Start, Step::Reset)] };
    for (reply, allowed) in
        [(status(500, &[]), 3), (cut.clone(), 3), (status(500, &[]), 1), (cut, 1)]
    {
        let service = Service::start().unwrap();
        service.queue(vec![reply]);
        let mut options = options();
        options.rules.paid_attempts_max = allowed;
        let mut engine = Engine::new(client(&service), options, NoSendJournal);
        let (finished, _) = run(&mut engine, [row(1, "echo")]);
        assert_eq!(finished[0].outcome.is_ok(), allowed > 1);
        assert_eq!(finished[0].attempts, allowed.min(2));
        assert_eq!(engine.status().paid_again, u64::from(allowed > 1));
    }
}

#[test]
fn a_wrong_key_stops_the_run() {
    let service = Service::start().unwrap();
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client_at(&service.base_url(), "sk-wrong"), options(), book);
    let (finished, over) = run(&mut engine, (1..=10_000).map(|number| row(number, "echo")));
    assert!(finished.is_empty());
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!((stopped.reason, stopped.error.status()), (StopReason::KeyRefused, Some(401)));
    assert!(engine.book().open.values().all(|open| *open == 0), "all of them are retried");
    let status = engine.status();
    assert!(status.sent < 50 && status.in_flight == 0 && status.waiting == 0, "{status:?}");
    assert!(engine.is_empty(), "{status:?}");
}

/// Rows in flight with the old key are sent again as well, and none is paid twice.
#[test]
fn a_key_that_expires_is_renewed() {
    let service = Service::start().unwrap();
    let mut given = vec!["sk-test"];
    let engine = Engine::new(client_at(&service.base_url(), "sk-wrong"), options(), NoSendJournal);
    let mut engine = engine.with_renewed_key(move || given.pop().map(str::to_owned));
    let (finished, over) = run(&mut engine, (1..=500).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert!(finished.len() == 500 && finished.iter().all(|row| row.outcome.is_ok()));
    assert_eq!(service.metered()["echo"].calls, 500);
}

#[test]
fn attempts_of_a_row_have_one_idempotency_key() {
    let service = Service::start().unwrap();
    let busy = Exchange::json(429, "{}");
    let answer = Exchange::json(200, r#"{"choices":[{}]}"#);
    let base_url = service.script("s", Script::sequence(vec![busy.clone(), busy, answer]));
    let config = Config::new().base_url(base_url).api_key("sk-test");
    let config = config.retry(RetryPolicy::default().max_retries(0));
    let client = Client::new(config.idempotency_header("Idempotency-Key")).unwrap();
    for _ in 0..2 {
        let mut engine = Engine::new(client.clone(), options(), NoSendJournal);
        run(&mut engine, [row(1, "echo")]);
    }
    let mut engine = Engine::new(client, options(), NoSendJournal);
    run(&mut engine, [row(2, "echo")]);
    let sent = service.recorded("s");
    let keys: Vec<_> = sent.iter().map(|one| one.header("idempotency-key").unwrap()).collect();
    let (of_row, of_other) = keys.split_at(4);
    assert!(of_row.iter().all(|key| *key == of_row[0]), "in each run: {keys:?}");
    assert!(of_other.iter().all(|key| *key != of_row[0]), "{keys:?}");
}

#[test]
fn a_forbidden_model_stops_the_run() {
    let service = Service::start().unwrap();
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options(), book);
    let rows = (1..=100).map(|number| row(number, if number == 50 { "forbidden" } else { "echo" }));
    let (finished, over) = run(&mut engine, rows);
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!((stopped.reason, &*stopped.row.model), (StopReason::Forbidden, "forbidden"));
    let noted: BTreeSet<String> = engine
        .book()
        .open
        .iter()
        .filter(|(_, open)| **open > 0)
        .map(|(key, _)| key.clone())
        .collect();
    let through: BTreeSet<String> =
        finished.iter().map(|finished| finished.row.key.text().to_owned()).collect();
    assert_eq!(noted, through);
}

#[test]
fn a_row_that_is_forbidden_among_answers_is_an_outcome_and_many_are_not() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    let mut engine =
        Engine::new(client(&service), options, Slow { durable: u64::MAX, ..Slow::default() });
    let played = || Reply { says: Says::Played, faults: Vec::new() };
    let forbidden = || status(403, &[]);
    service.queue(vec![played(), forbidden(), played(), forbidden(), forbidden(), played()]);
    service.answer_otherwise(Some(forbidden()));
    let (finished, over) = run(&mut engine, (1..=100).map(|number| row(number, "echo")));
    assert!(
        matches!(over, Over::Stopped(Stopped { reason: StopReason::Forbidden, .. })),
        "{over:?}"
    );
    let failed: Vec<bool> = finished.iter().map(|finished| finished.outcome.is_err()).collect();
    assert_eq!(failed, [false, true, false, true, true, false]);
    // The rows that were refused, and the rows recorded after them.
    let refused = &engine.book().refused;
    assert!(
        refused.starts_with(&(7..=14).collect::<Vec<_>>()) && refused.len() < 12,
        "{refused:?}"
    );
    assert!(engine.is_empty(), "the others were dropped");
}

#[test]
fn a_missing_model_stops_the_run_and_fails_no_row() {
    let service = Service::start().unwrap();
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options(), book);
    let rows = (1..=1_000).map(|number| row(number, if number < 3 { "echo" } else { "ecko" }));
    let (finished, over) = run(&mut engine, rows);
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!((stopped.reason, &*stopped.row.model), (StopReason::NotFound, "ecko"));
    assert_eq!(numbers(&finished), [1, 2]);
    assert!(engine.status().sent < 100, "{:?}", engine.status());
}

#[test]
fn a_row_that_is_forbidden_last_is_an_outcome() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    service.queue(vec![Reply { says: Says::Played, faults: Vec::new() }, status(403, &[])]);
    let (finished, over) = run(&mut engine, (1..=2).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert_eq!(finished.len(), 2);
}

/// Whether the row or the model was forbidden is not known: the next run asks again, at no cost.
#[test]
fn a_drain_withdraws_forbidden_rows_that_are_undecided() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options, book);
    let played = || Reply { says: Says::Played, faults: Vec::new() };
    service.queue(vec![played(), status(403, &[])]);
    service.answer_otherwise(Some(Reply {
        says: Says::Played,
        faults: vec![Fault::At(Point::Start, Step::StallForever)],
    }));
    (1..=3).for_each(|number| engine.push(row(number, "echo")));
    let Turn::Finished(first) = engine.turn(Some(LONG)) else { panic!("no answer") };
    assert_eq!(numbers(&first), [1]);
    // Until the service has it: a call that was not sent yet would be withdrawn, too.
    while service.recorded("").len() < 3 {
        assert!(matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Idle));
    }
    engine.abort();
    let (finished, over) = run(&mut engine, []);
    assert!(finished.is_empty() && matches!(over, Over::Drained), "{over:?}");
    assert_eq!(engine.book().refused, [2]);
    assert_eq!(engine.status().unknown, 1);
}

/// 3,000 rows, 64 at a time; after 1,000 of them the service answers 503 until it was asked by `probes` more
/// attempts. What failed, and the engine.
fn outage(paid_attempts_max: u32) -> (usize, Engine<NoSendJournal>) {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(64);
    options.rules.paid_attempts_max = paid_attempts_max;
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let mut rows = (1..3_001).map(|number| row(number, "echo"));
    let (mut finished, mut down_at, mut is_up_again) = (Vec::new(), None, false);
    loop {
        rows.by_ref().take(engine.wants()).for_each(|row| engine.push(row));
        if rows.size_hint().1 == Some(0) {
            engine.end();
        }
        match engine.turn(Some(Duration::from_millis(20))) {
            Turn::Finished(some) => finished.extend(some),
            Turn::Idle => {}
            Turn::Over(over) => {
                assert!(matches!(over, Over::All), "{over:?}");
                break;
            }
        }
        let sent = engine.status().sent;
        match down_at {
            None if finished.len() >= 1_000 => {
                service.answer_otherwise(Some(status(503, &[])));
                down_at = Some(sent);
            }
            // All that were in flight, those until it was noticed, and four probes.
            Some(_)
                if !is_up_again
                    && engine.status().outage.is_some_and(|time| time > Duration::from_secs(2)) =>
            {
                service.answer_otherwise(None);
                is_up_again = true;
            }
            _ => {}
        }
    }
    assert!(is_up_again);
    assert_eq!(numbers(&finished), (1..=3_000).collect::<Vec<_>>());
    (finished.iter().filter(|finished| finished.outcome.is_err()).count(), engine)
}

#[test]
fn a_short_outage_fails_the_rows_in_flight_and_ten_at_most() {
    let (failed, engine) = outage(1);
    assert!((1..=64 + 10).contains(&failed), "{failed}");
    assert_eq!(engine.status().paid_again, 0);
}

#[test]
fn an_outage_fails_no_row_that_may_be_sent_again() {
    let (failed, engine) = outage(2);
    assert_eq!(failed, 0);
    assert!((1..=64 + 10).contains(&engine.status().paid_again), "{:?}", engine.status());
}

#[test]
fn a_service_that_fails_every_row_stops_the_run() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(status(503, &[])));
    let mut options = options();
    options.patience = Duration::from_secs(1);
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=1_000).map(|number| row(number, "echo")));
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!((stopped.reason, stopped.error.status()), (StopReason::Failing, Some(503)));
    assert!(finished.len() < 30, "{}", finished.len());
}

/// Its first attempt may be metered: nobody may take it for a row that was never sent.
#[test]
fn a_row_that_may_be_metered_is_not_withdrawn() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.rules.paid_attempts_max = 5;
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options, book);
    service.queue(vec![status(503, &[]), status(429, &[("retry-after", "0")])]);
    let (finished, over) = run(&mut engine, (1..=1).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All) && finished[0].outcome.is_ok(), "{over:?}");
    assert_eq!(finished[0].attempts, 3);
    assert!(engine.book().refused.is_empty());
}

/// A stalled row from before an outage is no probe.
#[test]
fn a_row_that_hangs_does_not_prolong_an_outage() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(2);
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let stalled =
        Reply { says: Says::Played, faults: vec![Fault::At(Point::Start, Step::StallForever)] };
    service.queue([vec![stalled], vec![status(503, &[]); 5]].concat());
    (1..=20).for_each(|number| engine.push(row(number, "echo")));
    let mut finished = Vec::new();
    while finished.len() < 19 {
        if let Turn::Finished(some) = engine.turn(Some(LONG)) {
            finished.extend(some);
        }
    }
    assert_eq!(finished.iter().filter(|finished| finished.outcome.is_err()).count(), 5);
    assert_eq!((engine.status().in_flight, engine.status().outage), (1, None));
}

/// However long an outage is, a row is sent as often as the user allows.
#[test]
fn an_outage_uses_no_more_attempts_than_allowed() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(status(503, &[])));
    let mut options = options();
    options.rules.paid_attempts_max = 3;
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=2).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    let attempts: Vec<u32> = finished.iter().map(|finished| finished.attempts).collect();
    assert_eq!((attempts, engine.status().sent), (vec![3, 3], 6));
}

#[test]
fn a_mistake_is_noticed_where_rows_come_one_by_one() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(status(400, &[])));
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    for number in 1..=8 {
        engine.push(row(number, "echo"));
        let turn = engine.turn(Some(LONG));
        if number < 8 {
            assert!(matches!(turn, Turn::Finished(_)), "{number}: {turn:?}");
        } else {
            let Turn::Over(Over::Stopped(stopped)) = turn else { panic!("{turn:?}") };
            assert_eq!(stopped.reason, StopReason::Invalid);
        }
    }
}

/// A service that finds a row invalid works again: the rows after it need not go one by one.
#[test]
fn an_invalid_row_ends_an_outage() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let played = || Reply { says: Says::Played, faults: Vec::new() };
    let failing = || vec![status(503, &[]); 5];
    service.queue([vec![played()], failing(), vec![status(400, &[])]].concat());
    service.answer_otherwise(Some(Reply {
        says: Says::Played,
        faults: vec![Fault::At(Point::Start, Step::StallForever)],
    }));
    (1..=8).for_each(|number| engine.push(row(number, "echo")));
    while service.recorded("").len() < 8 {
        engine.turn(Some(Duration::from_millis(10)));
    }
    assert_eq!(engine.status().outage, None);
}

#[test]
fn a_mistake_in_every_row_stops_the_run_within_ten() {
    for code in [301, 400, 405, 409, 413, 422] {
        let service = Service::start().unwrap();
        service.answer_otherwise(Some(status(code, &[])));
        let book = Slow { durable: u64::MAX, ..Slow::default() };
        let mut engine = Engine::new(client(&service), options(), book);
        let (finished, over) = run(&mut engine, (1..=1_000).map(|number| row(number, "echo")));
        let Over::Stopped(stopped) = over else { panic!("{over:?}") };
        assert_eq!((stopped.reason, stopped.error.status()), (StopReason::Invalid, Some(code)));
        assert!(finished.len() <= 2 && engine.status().sent <= 10, "{:?}", engine.status());
    }
}

#[test]
fn a_balance_that_is_used_up_stops_the_run_and_fails_no_row() {
    for paid in [0, 20] {
        let service = Service::start().unwrap();
        service.queue(vec![Reply { says: Says::Played, faults: Vec::new() }; paid]);
        service.answer_otherwise(Some(status(402, &[])));
        let mut engine = Engine::new(client(&service), options(), NoSendJournal);
        let (finished, over) = run(&mut engine, (1..=1_000).map(|number| row(number, "echo")));
        let Over::Stopped(stopped) = over else { panic!("{over:?}") };
        assert_eq!((stopped.reason, stopped.error.status()), (StopReason::Forbidden, Some(402)));
        assert!(stopped.error.hint().contains("balance"), "{}", stopped.error.hint());
        assert!(finished.len() == paid && finished.iter().all(|row| row.outcome.is_ok()));
        assert!(engine.status().sent < 200, "{:?}", engine.status());
    }
}

#[test]
fn an_unreachable_service_stops_the_run_and_fails_no_row() {
    let service = Service::start().unwrap();
    let base_url = service.base_url();
    drop(service);
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client_at(&base_url, "sk-test"), options(), book);
    let (finished, over) = run(&mut engine, (1..=1_000).map(|number| row(number, "echo")));
    assert!(finished.is_empty());
    let Over::Stopped(stopped) = over else { panic!("{over:?}") };
    assert_eq!(
        (stopped.reason, stopped.error.kind()),
        (StopReason::Unreachable, ErrorKind::Connect)
    );
    assert!(engine.book().open.values().all(|open| *open == 0));
    assert!(engine.status().sent < 50, "{:?}", engine.status());
}

#[test]
fn a_service_that_comes_back_is_waited_for() {
    // Below the ports that systems hand out, so that nobody else gets it while the service is gone.
    let started = (20_000..30_000).find_map(|port| {
        let options = Options { port, ..Options::default() };
        Some((port, Service::start_with(options).ok()?))
    });
    let (port, service) = started.unwrap();
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    engine.push(row(1, "echo"));
    assert!(matches!(engine.turn(Some(LONG)), Turn::Finished(_)));
    drop(service);
    let rows: Vec<_> = (2..=50).map(|number| row(number, "echo")).collect();
    let later = std::thread::spawn(move || {
        // clock: how long the service is gone
        std::thread::sleep(Duration::from_millis(700));
        Service::start_with(Options { port, ..Options::default() }).unwrap()
    });
    let (finished, over) = run(&mut engine, rows);
    assert!(matches!(over, Over::All), "{over:?}");
    let service = later.join().unwrap();
    // The engine may have reused a connection that the old service had closed.
    let lost = finished.iter().filter(|finished| finished.outcome.is_err()).count();
    assert!(lost <= 1, "{lost}");
    assert_eq!(service.metered()["echo"].calls + lost as u64, 49);
}

#[test]
fn a_drain_finishes_requests_in_flight() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(Reply {
        says: Says::Played,
        faults: vec![Fault::At(Point::Start, Step::Pause(Duration::from_secs(4)))],
    }));
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    for number in 1..=100 {
        engine.push(row(number, "echo"));
    }
    assert!(matches!(engine.turn(Some(Duration::from_millis(30))), Turn::Idle));
    let on_their_way = engine.status().in_flight;
    assert!(on_their_way > 0 && on_their_way < 100);
    engine.drain();
    engine.push(row(101, "echo"));
    let (finished, over) = run(&mut engine, []);
    assert!(matches!(over, Over::Drained));
    assert_eq!(finished.len(), on_their_way);
    assert_eq!(engine.status().sent as usize, on_their_way);
}

#[test]
fn an_abort_ends_at_once_and_counts_unknown_outcomes() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(Reply {
        says: Says::Played,
        faults: vec![Fault::At(Point::Start, Step::StallForever)],
    }));
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options(), book);
    for number in 1..=100 {
        engine.push(row(number, "echo"));
    }
    assert!(matches!(engine.turn(Some(Duration::from_millis(300))), Turn::Idle));
    engine.abort();
    let (finished, over) = run(&mut engine, []);
    assert!(matches!(over, Over::Drained) && finished.is_empty());
    let unknown = engine.book().open.values().filter(|open| **open == 1).count();
    assert!(unknown > 0);
    assert_eq!(engine.status().unknown as usize, unknown);
}

#[test]
fn only_answers_and_refusals_count_for_the_controller() {
    let ended = |status| {
        let config = Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
        outcome::ended_by(&modelwire::parse::error_of(config, status, "{}").unwrap())
    };
    assert!(matches!(ended(Some(429)), Ended::Refused));
    for status in [400, 404, 499] {
        assert!(matches!(ended(Some(status)), Ended::Answered { tokens: None }), "{status}");
    }
    for status in [Some(500), Some(503), None] {
        assert!(matches!(ended(status), Ended::Otherwise), "{status:?}");
    }
}

#[test]
fn a_drain_repeats_no_row_that_may_have_been_paid() {
    let service = Service::start().unwrap();
    service.queue(vec![status(500, &[])]);
    let mut options = options();
    options.rules.paid_attempts_max = 3;
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    engine.push(row(1, "echo"));
    // Without a turn, which might already take the answer.
    engine.send(engine.now());
    engine.drain();
    let (finished, over) = run(&mut engine, []);
    assert!(matches!(over, Over::Drained), "{over:?}");
    assert_eq!((finished[0].attempts, engine.status().paid_again), (1, 0));
    assert_eq!(finished[0].outcome.as_ref().unwrap_err().status(), Some(500));
}

#[test]
fn refusals_of_single_rows_are_no_outage() {
    let service = Service::start().unwrap();
    service.queue(vec![Reply { says: Says::Played, faults: Vec::new() }]);
    service.answer_otherwise(Some(status(409, &[])));
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    let (finished, over) = run(&mut engine, (1..=40).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::All), "{over:?}");
    assert_eq!((finished.len(), engine.status().outage), (40, None));
    assert!(engine.lanes.iter().all(|lane| !lane.is_failing()));
}

#[path = "engine/turns_tests.rs"]
mod turns;
