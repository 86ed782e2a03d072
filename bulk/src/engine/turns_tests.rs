//! What a turn of the engine waits for, what its status shows, and limits that change.
use super::*;

#[test]
fn nothing_is_sent_before_it_is_on_disk() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), options(), Slow::default());
    for number in 1..=10 {
        engine.push(row(number, "echo"));
    }
    assert!(matches!(engine.turn(Some(Duration::from_millis(50))), Turn::Idle));
    let noted = engine.book().tickets;
    assert!((2..10).contains(&noted) && engine.status().in_flight == 0, "{noted}");
    assert_eq!((service.metered().len(), engine.status().sent), (0, 0));
    engine.book().durable = 1;
    let waker = engine.waker();
    std::thread::spawn(move || waker.wake());
    let finished = loop {
        match engine.turn(Some(LONG)) {
            Turn::Finished(finished) => break finished,
            Turn::Idle => {}
            Turn::Over(over) => panic!("{over:?}"),
        }
    };
    assert_eq!(numbers(&finished), [1]);
    engine.drain();
    assert!(matches!(engine.turn(None), Turn::Over(Over::Drained)));
    assert_eq!(engine.book().open.values().filter(|open| **open == 1).count(), 1);
    assert!(engine.status().sent == 1 && engine.is_empty());
}

#[test]
fn the_look_ahead_is_bounded() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    assert_eq!(engine.wants(), READY_ROWS_MAX);
    for number in 0..READY_ROWS_MAX as u64 {
        engine.push(row(number, "echo"));
    }
    assert_eq!(engine.wants(), 0);
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    let mut large = row(1, "echo");
    large.body = " ".repeat(READY_BYTES_MAX).into();
    engine.push(large);
    assert_eq!(engine.wants(), 0);
}

#[test]
fn a_limit_of_tokens_counts_what_the_output_may_have() {
    let service = Service::start().unwrap();
    let mut options = options();
    options.fixed.tokens_per_minute = Some(60_000.0);
    let engine = Engine::new(client(&service), options, NoSendJournal);
    let row = row(1, "echo");
    assert_eq!(engine.lanes.estimate(&row), row.body.len() as u64 / 4 + 50);
}

/// A service that cannot be reached, and a lane whose quota allows the next row in a minute.
#[test]
fn an_unreachable_service_and_a_held_lane_leave_a_time_to_wait_for() {
    let fixed = Fixed { requests_per_minute: Some(1.0), ..Fixed::default() };
    let client = client_at("http://127.0.0.1:9/v1", "sk-test");
    let mut engine = Engine::new(client, EngineOptions { fixed, ..options() }, NoSendJournal);
    (1..=3).for_each(|number| engine.push(row(number, "echo")));
    while engine.reach.alone_from().is_none() || engine.in_flight() > 0 {
        assert!(matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Idle));
    }
    let now = engine.reach.alone_from().unwrap().max(engine.now()) + Duration::from_millis(1);
    engine.send(now);
    assert_eq!(engine.in_flight(), 0);
    let due = engine.due(now);
    assert!(due.is_some_and(|due| due > now), "a turn would not wait: {due:?} at {now:?}");
}

#[test]
fn while_one_row_probes_nothing_is_due() {
    let client = client_at("http://127.0.0.1:9/v1", "sk-test");
    let mut engine = Engine::new(client, options(), NoSendJournal);
    (1..=3).for_each(|number| engine.push(row(number, "echo")));
    while engine.reach.alone_from().is_none() || engine.in_flight() > 0 {
        assert!(matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Idle));
    }
    assert!(engine.status().outage.is_some());
    let alone_from = engine.reach.alone_from().unwrap();
    assert_eq!(engine.due(alone_from - Duration::from_millis(1)), Some(alone_from));
    engine.send(alone_from);
    assert_eq!((engine.in_flight(), engine.due(alone_from)), (1, None));
    assert_eq!(engine.due(alone_from - Duration::from_millis(1)), None);
}

#[test]
fn a_row_that_waits_for_its_next_attempt_is_delayed_and_no_longer_waiting() {
    let service = Service::start().unwrap();
    service.queue(vec![status(429, &[("Retry-After", "60")])]);
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    engine.push(row(1, "echo"));
    while engine.status().delayed == 0 {
        assert!(matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Idle));
    }
    assert_eq!((engine.status().waiting, engine.status().in_flight), (0, 0));
    assert_eq!(engine.ready_bytes, row(1, "echo").body.len());
}

#[test]
fn the_status_sums_the_models() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    (1..=2).for_each(|number| engine.push(row(number, ["a", "b"][number as usize - 1])));
    let free = engine.status();
    assert_eq!((free.allowed, free.rate), (16, None));
    // Everything is refused, until a limit of each model is known.
    service.answer_otherwise(Some(status(429, &[])));
    while engine.views().any(|(_, view)| view.rate.is_none()) {
        assert!(!matches!(engine.turn(Some(Duration::from_millis(10))), Turn::Over(_)));
    }
    let rate = engine.status().rate;
    let rates: Vec<f64> = engine.views().filter_map(|(_, view)| view.rate).collect();
    assert!(rates.len() == 2 && rate == Some(rates.iter().sum()), "{rate:?} {rates:?}");
}

/// A book whose results are not yet written.
#[derive(Debug, Default)]
struct Behind {
    is_behind: bool,
    durable: u64,
    tickets: u64,
}

impl SendJournal for Behind {
    fn sending(&mut self, _row: &Row) -> u64 {
        self.tickets += 1;
        self.tickets
    }

    fn durable(&self) -> u64 {
        self.durable
    }

    fn refused(&mut self, _row: &Row) {}

    fn is_behind(&self) -> bool {
        self.is_behind
    }
}

#[test]
fn nothing_begins_while_results_wait_to_be_written() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), options(), Behind::default());
    (1..=10).for_each(|number| engine.push(row(number, "echo")));
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    let noted = engine.book().tickets;
    assert!(noted > 0);
    // The rows are on disk, and the results of others are not.
    (engine.book().durable, engine.book().is_behind) = (noted, true);
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    assert_eq!((engine.status().sent, engine.book().tickets), (0, noted));
    engine.book().is_behind = false;
    assert!(matches!(engine.turn(Some(LONG)), Turn::Finished(_)));
}

#[test]
fn no_more_rows_are_in_flight_than_connections() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(stalled()));
    let options = EngineOptions { in_flight_max: 3, ..options() };
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    (1..=10).for_each(|number| engine.push(row(number, "echo")));
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    let status = engine.status();
    assert_eq!((status.in_flight, status.allowed, engine.concurrency_max()), (3, 3, 3));
    // Without them the run is over, and what became of them is unknown.
    engine.lose_flights();
    assert_eq!((engine.in_flight(), engine.status().unknown), (0, 3));
}

/// Pushes as many rows as the budget allows; returns the first that it does not.
fn offer(
    engine: &mut Engine<Slow>,
    rows: impl IntoIterator<Item = Row>,
) -> Option<crate::error::Error> {
    for row in rows {
        match engine.offer(row) {
            Offered::Pushed | Offered::Copied | Offered::Waits => {}
            Offered::Later(row) => panic!("row {} is to wait", row.number),
            Offered::Refused(error) => return Some(error),
        }
    }
    None
}

#[test]
fn a_budget_that_is_lowered_takes_back_rows_that_were_not_sent() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(stalled()));
    let mut options = options();
    options.fixed.concurrency_max = Some(3);
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options, book).with_budget(Budget::default());
    assert!(offer(&mut engine, (1..=1_000).map(|number| row(number, "echo"))).is_none());
    engine.end();
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    assert_eq!(engine.status().in_flight, 3);
    let limits = Limits { rows: Some(5), ..Limits::default() };
    let back = engine.set_budget(limits).unwrap();
    assert_eq!(
        back.iter().map(|row| row.number).collect::<Vec<_>>(),
        (4..=1_000).collect::<Vec<_>>()
    );
    let open: u64 = engine.book().open.values().sum();
    assert_eq!(open, 3, "those in flight");
    assert_eq!((engine.ready_rows, engine.ready_bytes), (0, 0));
    // Two more fit; the run ends with them.
    let refused = offer(&mut engine, back);
    assert!(matches!(refused, Some(crate::error::Error::RowsMax(5))), "{refused:?}");
    assert_eq!((engine.status().waiting, engine.status().in_flight), (2, 3));
}

#[test]
fn a_budget_that_is_set_later_counts_the_rows_in_flight() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(stalled()));
    let mut options = options();
    options.fixed.concurrency_max = Some(4);
    let book = Slow { durable: u64::MAX, ..Slow::default() };
    let mut engine = Engine::new(client(&service), options, book).with_budget(Budget::default());
    assert!(offer(&mut engine, (1..=100).map(|number| row(number, "echo"))).is_none());
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    // Each row may use 50 tokens and one for each of its bytes.
    let row_tokens = 50 + row(5, "echo").body.len() as u64;
    let limits = Limits { tokens: Some(6 * row_tokens), ..Limits::default() };
    let mut back = engine.set_budget(limits).unwrap().into_iter();
    for _ in 0..2 {
        assert!(matches!(engine.offer(back.next().unwrap()), Offered::Pushed));
    }
    assert!(matches!(engine.offer(back.next().unwrap()), Offered::Later(_)), "four are in flight");
    let wrong = Limits { cost: Some(1.0), ..Limits::default() };
    assert!(engine.set_budget(wrong).is_err(), "there are no prices");
    assert_eq!(engine.budget().limits(), limits);
}

#[test]
fn limits_that_change_count_at_once() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(stalled()));
    let mut options = options();
    options.fixed.requests_per_minute = Some(0.01);
    let mut engine = Engine::new(client(&service), options, NoSendJournal);
    (1..=100).for_each(|number| engine.push(row(number, "echo")));
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    assert_eq!(engine.status().in_flight, 1);
    engine.set_fixed(Fixed::default());
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    let in_flight = engine.status().in_flight;
    assert!(in_flight > 2, "{in_flight}: the next one had to wait for hours");
    engine.set_fixed(Fixed { concurrency_max: Some(2), ..Fixed::default() });
    assert_eq!(engine.fixed().concurrency_max, Some(2));
    // A lane that is made later has the limit, too.
    engine.push(row(101, "other"));
    let allowed: Vec<_> = engine.views().map(|(_, view)| view.allowed).collect();
    assert_eq!(allowed, [2, 2]);
    assert_eq!(engine.status().in_flight, in_flight, "rows in flight go on");
}

#[test]
fn a_waker_ends_a_turn_that_waits() {
    let service = Service::start().unwrap();
    let mut engine = Engine::new(client(&service), options(), Slow::default());
    let waker = engine.waker();
    let other = waker.clone();
    std::thread::spawn(move || other.wake());
    assert!(matches!(engine.turn(None), Turn::Idle));
    // For the disk, only if a row waits for that.
    waker.wake_for_disk();
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    engine.push(row(1, "echo"));
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    std::thread::spawn(move || waker.wake_for_disk());
    assert!(matches!(engine.turn(None), Turn::Idle));
}

#[test]
fn rows_in_flight_end_with_the_engine() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(stalled()));
    let mut engine = Engine::new(client(&service), options(), NoSendJournal);
    engine.push(row(1, "echo"));
    assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
    assert_eq!(engine.in_flight(), 1);
    let waker = engine.waker();
    drop(engine);
    while !matches!(waker.queue.next(None), Ok(Next::Closed)) {}
}

#[test]
fn a_run_that_ends_takes_rows_again_only_if_some_come_back() {
    let service = Service::start().unwrap();
    service.answer_otherwise(Some(stalled()));
    for (rows, wants) in [(2, false), (100, true)] {
        let book = Slow { durable: u64::MAX, ..Slow::default() };
        let mut engine =
            Engine::new(client(&service), options(), book).with_budget(Budget::default());
        assert!(offer(&mut engine, (1..=rows).map(|number| row(number, "echo"))).is_none());
        engine.end();
        assert!(matches!(engine.turn(Some(Duration::ZERO)), Turn::Idle));
        let back = engine.set_budget(Limits::default()).unwrap();
        assert_eq!((back.is_empty(), engine.wants() > 0), (!wants, wants));
    }
}
