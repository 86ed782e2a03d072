//! How an answer ends and reaches the queue, without a service.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::time::Duration;

use super::*;
use crate::answer::head::Head;
use crate::answer::record::Answered;
use crate::call::attempts::tests::with_two_services;
use crate::call::queue::Pop;
use crate::call::session::Place;
use crate::call::task::Alive;
use crate::options::timeouts::Timeouts;
use crate::protocol::chunk::Chunk;
use crate::protocol::usage::Usage;
use crate::request::request::Request;

fn chunk() -> Event {
    Event::Chunk(Chunk::scan("", "{\"choices\":[{}]}").unwrap())
}

/// Runs `check` with an answer to a streamed call.
async fn with_answer<T>(
    settings: Settings,
    timeouts: Timeouts,
    check: impl AsyncFnOnce(Answer<'_>) -> T,
) -> T {
    let guard = DoneGuard::for_tests(settings, Alive::for_tests());
    let transport = guard.run.transport_if_cheap(0, Place::Runtime).unwrap().unwrap();
    let prepared = Request::models().prepare(false, false).unwrap();
    check(Answer {
        guard: &guard,
        shared: &guard.shared,
        transport: &transport,
        chosen: None,
        prepared: &prepared,
        deadlines: Deadlines::start(timeouts),
        caller_streams: true,
        may_be_retried: false,
    })
    .await
}

#[tokio::test]
async fn an_answer_that_failed_ends_the_call_unless_it_may_be_retried() {
    for (may_be_retried, usage, is_over) in
        [(false, None, true), (true, None, false), (true, Some(Usage::default()), true)]
    {
        with_answer(Settings::for_tests("sk-test"), Timeouts::OFF, async |answer| {
            answer.shared.chunks_came(1, &Answered { usage, ..Answered::default() });
            let answer = Answer { may_be_retried, ..answer };
            let left = answer.finish(Err(Error::new(ErrorKind::Incomplete, "cut")));
            assert_eq!(left.is_none(), is_over);
            assert_eq!(answer.shared.queue.is_finished(), is_over);
        })
        .await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_service_whose_answers_fail_rests() {
    with_answer(with_two_services(false), Timeouts::OFF, async |answer| {
        let upstreams = answer.guard.run.upstreams.as_ref().unwrap();
        let choose = || upstreams.choose(0, |_| true).ok().unwrap();
        for _ in 0..3 {
            let mut chosen = choose();
            assert_eq!(chosen.number, 0);
            chosen.answers();
            let answer = Answer { chosen: Some(&chosen), ..answer };
            assert!(answer.finish(Err(Error::new(ErrorKind::Incomplete, "cut"))).is_none());
        }
        assert_eq!(choose().number, 1);
    })
    .await;
}

/// A consumer that is late gets all that was received in time.
#[tokio::test(start_paused = true)]
async fn at_the_deadline_events_enter_a_full_queue() {
    for (events, is_in_time) in [(2, true), (5, false)] {
        let mut settings = Settings::for_tests("sk-test");
        settings.limits.queue_events_max = 4;
        let timeouts = Timeouts { total: Some(Duration::from_secs(1)), ..Timeouts::OFF };
        with_answer(settings, timeouts, async |answer| {
            let mut batch: VecDeque<_> = (0..events).map(|_| chunk()).collect();
            let pushed = answer.push(&mut batch).await;
            assert_eq!((pushed.in_time, pushed.was_full), (is_in_time, !is_in_time));
            let popped = || matches!(answer.shared.queue.try_pop(), Pop::Event(_));
            assert_eq!((0..10).filter(|_| popped()).count(), events);
        })
        .await;
    }
}

#[test]
fn events_are_held_within_the_bounds_of_a_queue() {
    let cost = chunk().cost();
    for (events_max, bytes_max, is_held) in
        [(3, 3 * cost, true), (2, 3 * cost, false), (3, 3 * cost - 1, false)]
    {
        let events = VecDeque::from([chunk()]);
        let mut held = HeldEvents { events, bytes: cost, events_max, bytes_max };
        let mut reading = Reading::new(Wanted::for_tests(1, false), Arc::new(Head::default()));
        reading.batch().extend([chunk(), chunk()]);
        assert_eq!(held.holds(&mut reading, true), is_held, "{events_max} {bytes_max}");
        assert_eq!(held.events.len(), if is_held { 3 } else { 1 });
        held.release(reading.batch());
        assert_eq!(reading.batch().len(), 3);
    }
}
