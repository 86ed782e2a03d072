//! A client that slows down as a whole after refusals.

use std::time::{Duration, Instant};

use modelwire::{
    Call, Client, Config, ErrorKind, Event, Limits, Metered, Pop, Request, RetryPolicy,
    TimeoutPhase, WaitReason,
};
use modelwire_testing::{Exchange, Recorded, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    WAYS, Way, client, config, eventually, hello, piece, silence, stalled_after, within_three_tries,
};
use crate::system::forked;

/// An answer to any operation.
const ANSWER: &str = concat!(
    r#"{"object":"list","data":[],"choices":[{"index":0,"finish_reason":"stop","#,
    r#""message":{"role":"assistant","content":"Yes."}}]}"#
);

fn adaptive(base_url: impl Into<String>) -> Config {
    config(base_url).retry(RetryPolicy::default().adaptive(true))
}

/// A service that refuses one call, asks for so many milliseconds, and answers every other one.
fn refuses_one(service: &Service, asked_ms: &str) -> String {
    let refusal = Exchange::json_with_headers(429, &[("retry-after-ms", asked_ms)], "{}");
    service.script("s", Script::sequence(vec![refusal, Exchange::json(200, ANSWER)]))
}

/// What the calls say that find out whether their client is paused.
const PROBE: &str = "Is the client paused?";

/// A call that was refused and waits, as all calls of its client do now.
fn refused(client: &Client, service: &Service) -> Call {
    let call = Call::new(client, hello());
    call.start(false).unwrap();
    eventually("refused", || service.recorded("s").len() == 1);
    // The client may have yet to read the refusal: until then a call is sent.
    eventually("the client is paused", || {
        let probe = Call::new(client, Request::chat("echo").user(PROBE));
        probe.start(false).unwrap();
        let Ok(Pop::Empty) = probe.pop(Some(Duration::from_millis(50))) else { return false };
        probe.cancel();
        let Ok(Pop::Event(Event::Done(Err(error)))) = probe.try_pop() else { return false };
        let waits = error.record().unwrap().waits();
        error.attempts() == 0 && waits.iter().any(|wait| wait.reason == WaitReason::Turn)
    });
    call
}

/// The requests that reached the service, without probes.
fn sent(service: &Service) -> Vec<Recorded> {
    let is_probe = |request: &Recorded| String::from_utf8_lossy(&request.body).contains(PROBE);
    service.recorded("s").into_iter().filter(|request| !is_probe(request)).collect()
}

fn done(call: &Call) -> modelwire::Result<modelwire::Response> {
    loop {
        match call.pop(None).unwrap() {
            Pop::Event(Event::Done(outcome)) => return outcome,
            Pop::Event(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

/// Two calls a second are let in. Without the option these are 84 requests in lockstep, and 16 of
/// the calls are lost.
#[test]
fn twenty_four_calls_at_once_all_succeed() {
    const CALLS: usize = 24;
    // A service that stalls gets several calls at once, and refuses some of them.
    within_three_tries(|| {
        let service = Service::start().unwrap();
        let client = Client::new(adaptive(service.base_url())).unwrap();
        let start = Instant::now();
        let calls: Vec<_> = (0..CALLS)
            .map(|number| {
                let client = client.clone();
                std::thread::spawn(move || {
                    let request = Request::chat("limited").user("a b");
                    match number % 2 {
                        0 => Ok(client.blocking().send(request)?.text().into_owned()),
                        _ => {
                            let read = WAYS[1].read(&client, request);
                            let text = read.text();
                            read.outcome.map(|_| text)
                        }
                    }
                })
            })
            .collect();
        let outcomes: Vec<modelwire::Result<String>> =
            calls.into_iter().map(|call| call.join().unwrap()).collect();
        let requests = service.recorded("").len();
        println!("{requests} requests in {:?}", start.elapsed());
        for outcome in outcomes {
            assert_eq!(outcome.map_err(|error| error.report())?, "a b");
        }
        assert_eq!(service.metered()["limited"].calls, CALLS as u64);
        let is_paced = (CALLS..=40).contains(&requests);
        is_paced.then_some(()).ok_or_else(|| format!("{requests} requests"))
    });
}

/// No attempt of any operation begins before the time that the service asked for.
#[test]
fn every_call_waits_for_the_end_of_a_pause() {
    let check = |way: Way| {
        let service = Service::start().unwrap();
        let client = Client::new(adaptive(refuses_one(&service, "4000"))).unwrap();
        let first = refused(&client, &service);
        way.models(&client).unwrap();
        way.send(&client, hello()).unwrap();
        assert_eq!(done(&first).unwrap().attempts(), 2);
        let at: Vec<Duration> = sent(&service).iter().map(|request| request.at).collect();
        assert_eq!(at.len(), 4);
        assert!(at[1] - at[0] >= Duration::from_secs(4), "{at:?}");
    };
    std::thread::scope(|scope| {
        for way in WAYS {
            scope.spawn(move || check(way));
        }
    });
}

/// What one client is refused does not hold back another one, nor a call with a policy of its own.
#[test]
fn a_pause_does_not_delay_other_clients_and_policies() {
    let service = Service::start().unwrap();
    let base_url = refuses_one(&service, "50000");
    let paused = Client::new(adaptive(&base_url)).unwrap();
    let _first = refused(&paused, &service);
    let start = Instant::now();
    for way in WAYS {
        let other = Client::new(adaptive(&base_url)).unwrap();
        way.send(&other, hello()).unwrap();
        way.send(&client(&base_url), hello()).unwrap();
        way.send(&paused, hello().retry(RetryPolicy::default())).unwrap();
    }
    // clock: half of the wait that is not to be waited for
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// Of a client that is not adaptive, by its own policy.
#[test]
fn a_call_can_be_adaptive_by_itself() {
    let service = Service::start().unwrap();
    let client = client(refuses_one(&service, "700"));
    let own = || hello().retry(RetryPolicy::default().adaptive(true).max_retries(0));
    let error = client.blocking().send(own()).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 1));
    client.blocking().send(hello()).unwrap();
    client.blocking().send(own()).unwrap();
    let at: Vec<Duration> = service.recorded("s").iter().map(|request| request.at).collect();
    assert!(at[2] - at[0] >= Duration::from_millis(700), "{at:?}");
}

/// A wait beyond the bound is told to every call, and holds back none.
#[test]
fn a_wait_beyond_the_bound_is_no_pause() {
    let service = Service::start().unwrap();
    let refusal = Exchange::json_with_headers(429, &[("Retry-After", "61")], "{}");
    let client = Client::new(adaptive(service.script("s", Script::one(refusal)))).unwrap();
    let start = Instant::now();
    for way in WAYS {
        let error = way.send(&client, hello()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 1));
        assert_eq!(way.read(&client, hello()).error().attempts(), 1);
    }
    // clock: half of the wait that is not to be waited for
    assert!(start.elapsed() < Duration::from_secs(20));
}

/// A call that waits its turn ends at once when it is cancelled, and the next one has its place in
/// line.
#[test]
fn a_call_that_waits_its_turn_is_cancelled() {
    // Where the machine stalls, a call begins late to wait.
    within_three_tries(|| {
        let service = Service::start().unwrap();
        let client = Client::new(adaptive(refuses_one(&service, "4000"))).unwrap();
        let first = refused(&client, &service);
        let calls: Vec<Call> = (0..3).map(|_| Call::new(&client, hello())).collect();
        calls.iter().for_each(|call| call.start(false).unwrap());
        assert!(matches!(calls[0].pop(Some(Duration::from_millis(100))), Ok(Pop::Empty)));
        for call in &calls[..2] {
            call.cancel();
            let Ok(Pop::Event(Event::Done(Err(error)))) = call.try_pop() else {
                panic!("not done")
            };
            assert_eq!((error.kind(), error.attempts()), (ErrorKind::Cancelled, 0));
            assert_eq!(error.metered(), Metered::NotSent);
            // clock: half of the wait, which one of three tries has to meet
            if error.elapsed() < Duration::from_millis(50) {
                return Err(format!("the wait is not counted: {error:?}"));
            }
        }
        assert_eq!(sent(&service).len(), 1);
        done(&calls[2]).unwrap();
        done(&first).unwrap();
        assert_eq!(sent(&service).len(), 3);
        Ok(())
    });
}

#[test]
fn the_total_timeout_ends_the_wait_for_a_turn() {
    let service = Service::start().unwrap();
    let client = Client::new(adaptive(refuses_one(&service, "50000"))).unwrap();
    let _first = refused(&client, &service);
    for way in WAYS {
        let total = Duration::from_millis(200);
        let error = way.send(&client, hello().total_timeout(Some(total))).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
        assert_eq!(error.timeout(), Some(TimeoutPhase::Total));
        assert_eq!(error.metered(), Metered::NotSent);
        assert!(error.message().contains("retry_adaptive"), "{error:?}");
        // clock: bounds a hang
        assert!((total..total * 50).contains(&error.elapsed()), "{error:?}");
    }
    assert_eq!(sent(&service).len(), 1);
}

/// No wait of a call is longer than its pool timeout, this one included.
#[test]
fn the_pool_timeout_ends_the_wait_for_a_turn() {
    let service = Service::start().unwrap();
    let client = Client::new(adaptive(refuses_one(&service, "50000"))).unwrap();
    let _first = refused(&client, &service);
    for way in WAYS {
        let pool = Duration::from_millis(200);
        let error = way.send(&client, hello().pool_timeout(Some(pool))).unwrap_err();
        assert_eq!(
            (error.timeout(), error.metered()),
            (Some(TimeoutPhase::Pool), Metered::NotSent)
        );
        assert!(error.message().contains("retry_adaptive"), "{error:?}");
    }
    assert_eq!(sent(&service).len(), 1);
}

/// Nor does a call begin in a pause that waited for a connection when it began.
#[test]
fn calls_that_wait_for_a_connection_keep_the_pause() {
    let service = Service::start().unwrap();
    let refusal = Exchange::json_with_headers(429, &[("retry-after-ms", "1500")], "{}");
    let mut late = Exchange::json(200, ANSWER);
    late.steps.insert(0, Step::Pause(Duration::from_millis(50)));
    let script = Script::sequence(vec![late.clone(), late.clone(), refusal, late]);
    let limits = Limits::default().connections_max(2);
    let config = adaptive(service.script("s", script)).limits(limits);
    let client = Client::new(config).unwrap();
    let calls: Vec<Call> = (0..40).map(|_| Call::new(&client, hello())).collect();
    calls.iter().for_each(|call| call.start(false).unwrap());
    calls.iter().for_each(|call| drop(done(call).unwrap()));
    let requests = service.recorded("s");
    assert_eq!(requests.len(), 41);
    let refused_at = requests[2].at;
    let pause = refused_at..refused_at + Duration::from_millis(1500);
    let begun = requests[3..].iter().filter(|request| pause.contains(&request.at)).count();
    // The other connection may have been given to the next call before the client read the refusal.
    assert!(begun <= 2, "{begun} calls began in the pause");
}

/// The attempts that may be in flight at first.
const SLOTS: usize = 8;

/// A stream keeps the service busy until its end.
#[test]
fn a_stream_holds_its_permit_until_its_end() {
    let far = Duration::from_secs(20);
    let is_open =
        |call: &Call, wait| matches!(call.pop(Some(wait)), Ok(Pop::Event(Event::Open(_))));
    within_three_tries(|| {
        let service = Service::start().unwrap();
        let script = Script::one(stalled_after(&[&piece("a")]));
        let client = Client::new(adaptive(service.script("s", script))).unwrap();
        let stream = || {
            let call = Call::new(&client, hello());
            call.start(true).unwrap();
            call
        };
        let start = Instant::now();
        let streams: Vec<Call> = (0..SLOTS).map(|_| stream()).collect();
        streams.iter().for_each(|stream| assert!(is_open(stream, far)));
        let last = stream();
        let is_early = is_open(&last, Duration::from_millis(300));
        let sent = service.recorded("s").len();
        streams[0].cancel();
        let is_last_open = is_early || is_open(&last, far);
        let took = start.elapsed();
        // clock: room for more comes by itself after 5 s; the steps take 0.3 s, and have three tries
        if took > Duration::from_secs(4) {
            return Err(format!("{took:?}"));
        }
        assert_eq!((is_early, sent, is_last_open), (false, SLOTS, true));
        Ok(())
    });
}

/// Where no answer comes and nothing is refused, more calls begin after a while.
#[test]
fn slow_answers_delay_new_calls_only_for_a_while() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(silence()));
    let client = Client::new(adaptive(base_url)).unwrap();
    let calls: Vec<Call> = (0..=SLOTS).map(|_| Call::new(&client, hello())).collect();
    let begun = Instant::now();
    calls.iter().for_each(|call| call.start(false).unwrap());
    eventually("all are sent", || service.recorded("s").len() == calls.len());
    assert!(begun.elapsed() >= Duration::from_millis(4_900), "{:?}", begun.elapsed());
}

/// A forked child begins anew, and leaves the pause to its parent.
#[test]
fn a_forked_child_does_not_wait() {
    in_child_at("adaptive::a_forked_child_does_not_wait", &[], || {
        let service = Service::start().unwrap();
        let client = Client::new(adaptive(refuses_one(&service, "25000"))).unwrap();
        let first = refused(&client, &service);
        assert!(forked(|| {
            let start = Instant::now();
            WAYS.iter().for_each(|way| drop(way.send(&client, hello()).unwrap()));
            // clock: half of the wait that is not to be waited for
            assert!(start.elapsed() < Duration::from_secs(20));
        }));
        let total = Some(Duration::from_millis(100));
        let error = client.blocking().send(hello().total_timeout(total)).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Timeout, 0));
        first.cancel();
    });
}
