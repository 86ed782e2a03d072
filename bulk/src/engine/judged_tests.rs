//! Answers that fail a check: asked again, kept, and counted once.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::time::Duration;

use modelwire_testing::{Fault, Point, Reply, Says, Service, Step, Text};

use super::super::tests::{LONG, Slow, client, numbers, options, row, run, status};
use super::*;
use crate::budget::{Budget, Limits};
use crate::checks::Checks;
use crate::engine::{EngineOptions, NoSendJournal, Over, Turn};
use crate::prices::Prices;
use crate::row::Finished;

fn asking_again(times: u32) -> EngineOptions {
    let mut options = options();
    options.fixed.concurrency_max = Some(1);
    options.rules.ask_again_max = times;
    options
}

/// An answer that is cut at its limit, with this usage.
fn cut(usage: Option<(u64, u64)>) -> Reply {
    let pieces = vec!["cut".to_owned()];
    let finish = modelwire_testing::Finish::Length;
    Reply { says: Says::Text(Text { pieces, finish, usage, ..Text::default() }), faults: vec![] }
}

fn engine(service: &Service, again: u32) -> Engine<Slow> {
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let checks = Checks::new(&[Check::Length]);
    Engine::new(client(service), asking_again(again), book).with_checks(checks)
}

fn reason(finished: &Finished) -> &str {
    finished.outcome.as_ref().unwrap();
    assert!(finished.is_failed());
    &finished.rejected.as_ref().unwrap().reason
}

#[test]
fn an_answer_that_fails_its_check_is_asked_again() {
    for (bad, again, attempts, is_right) in
        [(0, 2, 1, true), (2, 2, 3, true), (3, 2, 3, false), (1, 0, 1, false)]
    {
        let service = Service::start().unwrap();
        service.queue(vec![cut(None); bad]);
        let mut engine = engine(&service, again);
        let (finished, over) = run(&mut engine, [row(1, "echo")]);
        assert!(matches!(over, Over::All), "{over:?}");
        assert_eq!((finished.len(), finished[0].attempts), (1, attempts));
        assert_eq!(finished[0].is_failed(), !is_right, "{bad} {again}");
        assert_eq!(engine.status().asked_again, u64::from(attempts) - 1);
        assert_eq!(service.metered()["echo"].calls, u64::from(attempts));
        assert_eq!(engine.book().tickets, 1, "its outcome is open all the time");
        assert!(engine.book().refused.is_empty());
    }
}

#[test]
fn other_rows_are_not_held_up_by_one_that_is_asked_again() {
    let service = Service::start().unwrap();
    service.queue(vec![cut(None); 5]);
    let mut engine = engine(&service, 1);
    let (finished, _) = run(&mut engine, (1..=50).map(|number| row(number, "echo")));
    assert_eq!(numbers(&finished), (1..=50).collect::<Vec<_>>());
    let failed = finished.iter().filter(|finished| finished.is_failed()).count();
    let sent: u32 = finished.iter().map(|finished| finished.attempts).sum();
    assert_eq!(u64::from(sent), 50 + engine.status().asked_again);
    assert!(failed <= 2 && engine.status().asked_again >= 3, "{failed}");
}

/// Each answer counts, also the one that no other replaced.
#[test]
fn every_answer_is_spent_once() {
    for bad in [2, 3] {
        let service = Service::start().unwrap();
        service.queue(vec![cut(Some((100, 10))); bad]);
        let mut engine = engine(&service, 2);
        run(&mut engine, [row(1, "echo")]);
        assert_eq!(spent(&engine), billed(&service));
        assert_eq!(service.metered()["echo"].calls, 3);
    }
}

fn spent(engine: &Engine<Slow>) -> u64 {
    engine.budget().spent().tokens.total()
}

fn billed(service: &Service) -> u64 {
    let of_model = service.metered()["echo"];
    of_model.input_tokens + of_model.output_tokens
}

#[test]
fn a_budget_reserves_every_time_that_a_row_may_be_asked() {
    let limit = |tokens| {
        Budget::new(Limits { tokens: Some(tokens), ..Limits::default() }, Prices::default())
            .unwrap()
    };
    let most = row(1, "echo").body.len() as u64 + 50;
    for (tokens, sent) in [(3 * most, 3), (3 * most - 1, 0)] {
        let service = Service::start().unwrap();
        service.answer_otherwise(Some(cut(Some((most - 50, 50)))));
        let mut engine = engine(&service, 2).with_budget(limit(tokens));
        let offered = engine.offer(row(1, "echo"));
        assert_eq!(matches!(offered, crate::engine::Offered::Pushed), sent > 0);
        engine.end();
        let (finished, _) = run(&mut engine, []);
        assert_eq!((finished.len(), engine.status().sent), (sent.min(1), sent as u64));
        assert_eq!(engine.budget().spent().tokens.total(), sent as u64 * most);
    }
}

#[test]
fn an_answer_is_not_replaced_by_a_later_error() {
    for (code, is_perhaps_metered) in [(500, true), (400, false), (404, false), (403, false)] {
        let service = Service::start().unwrap();
        service.queue(vec![cut(Some((100, 10))), status(code, &[])]);
        let mut engine = engine(&service, 3);
        let (finished, over) = run(&mut engine, [row(1, "echo")]);
        assert!(matches!(over, Over::All), "{code} {over:?}");
        let reason = reason(&finished[0]);
        assert!(
            reason.contains("token limit") && reason.contains("asked again, it failed: no"),
            "{reason}"
        );
        assert_eq!(finished[0].attempts, 2);
        assert_eq!(engine.budget().spent().perhaps, u64::from(is_perhaps_metered), "{code}");
        assert_eq!(spent(&engine), billed(&service));
    }
}

/// It was answered: nobody may take it for a row that was never sent.
#[test]
fn a_row_that_was_answered_is_not_withdrawn() {
    let service = Service::start().unwrap();
    service.queue(vec![cut(None), status(429, &[("retry-after", "0")])]);
    let mut engine = engine(&service, 1);
    let (finished, _) = run(&mut engine, [row(1, "echo")]);
    assert!(!finished[0].is_failed());
    assert_eq!(finished[0].attempts, 3);
    assert!(engine.book().refused.is_empty());
}

/// A key that is rejected meanwhile, and a drain while the row waits for its retry.
#[test]
fn a_run_that_ends_keeps_the_answer() {
    let service = Service::start().unwrap();
    service.queue(vec![cut(None), status(401, &[])]);
    let mut engine = engine(&service, 5);
    let (finished, over) = run(&mut engine, (1..=3).map(|number| row(number, "echo")));
    assert!(matches!(over, Over::Stopped(_)), "{over:?}");
    assert_eq!(numbers(&finished), [1]);
    assert!(reason(&finished[0]).contains("token limit"));
    assert!(engine.is_empty(), "the others were dropped");

    let service = Service::start().unwrap();
    service.queue(vec![cut(None), status(429, &[("retry-after", "300")])]);
    let mut engine = self::engine(&service, 5);
    engine.push(row(1, "echo"));
    while engine.status().limited == 0 {
        assert!(matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Idle));
    }
    engine.drain();
    let (finished, over) = run(&mut engine, []);
    assert!(matches!(over, Over::Drained), "{over:?}");
    assert!(reason(&finished[0]).contains("token limit"));
    assert_eq!((finished.len(), engine.book().refused.len()), (1, 0));
}

#[test]
fn an_abort_counts_the_answers_before_it() {
    let service = Service::start().unwrap();
    service.queue(vec![cut(Some((100, 10)))]);
    let faults = vec![Fault::At(Point::Start, Step::StallForever)];
    service.answer_otherwise(Some(Reply { says: Says::Played, faults }));
    let mut engine = engine(&service, 5);
    engine.push(row(1, "echo"));
    while service.recorded("").len() < 2 {
        assert!(matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Idle));
    }
    engine.abort();
    let (finished, over) = run(&mut engine, []);
    assert!(finished.is_empty() && matches!(over, Over::Drained), "{over:?}");
    assert_eq!((engine.status().unknown, spent(&engine)), (1, 110));
}

/// Judges as the program does, until a turn returns something.
fn judged(
    engine: &mut Engine<NoSendJournal>,
    mut judge: impl FnMut(&Response) -> Option<Rejection>,
) -> Turn {
    loop {
        let turn = engine.turn(Some(LONG));
        let answers = engine.to_judge();
        match turn {
            Turn::Idle if answers.is_empty() => panic!("nothing came: {:?}", engine.status()),
            Turn::Idle => {}
            turn => return turn,
        }
        for Unjudged { number, answer, .. } in answers {
            let found = judge(&answer);
            engine.judge(number, found);
        }
    }
}

#[test]
fn the_program_may_judge_answers() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), asking_again(2), NoSendJournal).with_judge();
    let (mut asked, mut finished) = (0, Vec::new());
    (1..=3).for_each(|number| engine.push(row(number, "echo")));
    engine.end();
    while let Turn::Finished(some) = judged(&mut engine, |answer| {
        asked += 1;
        (answer.text() == "row 2").then(|| Rejection::new(Check::Function, "it is row 2"))
    }) {
        finished.extend(some);
    }
    assert_eq!((asked, numbers(&finished)), (5, vec![1, 2, 3]));
    let failed: Vec<_> = finished.iter().filter(|finished| finished.is_failed()).collect();
    assert_eq!((failed.len(), failed[0].row.number, reason(failed[0])), (1, 2, "it is row 2"));
    assert_eq!(failed[0].attempts, 3);
}

#[test]
fn answers_that_nobody_judges_any_more_are_kept_and_fail() {
    let service = Service::start().unwrap();
    service.queue(vec![
        Reply { says: Says::Played, faults: vec![] },
        Reply {
            says: Says::Played,
            faults: vec![Fault::At(Point::Start, Step::Pause(Duration::from_millis(100)))],
        },
    ]);
    let mut options = asking_again(2);
    options.fixed.concurrency_max = Some(2);
    let mut engine = Engine::new(client(&service), options, NoSendJournal).with_judge();
    (1..=2).for_each(|number| engine.push(row(number, "echo")));
    while engine.to_judge().is_empty() || engine.status().sent < 2 {
        assert!(matches!(engine.turn(Some(LONG)), Turn::Idle));
    }
    engine.drain();
    engine.stop_judging();
    let (finished, over) = run(&mut engine, []);
    assert!(matches!(over, Over::Drained), "{over:?}");
    assert_eq!(numbers(&finished), [1, 2]);
    assert!(finished.iter().all(|one| reason(one) == "the job ended before it was checked"));
}
