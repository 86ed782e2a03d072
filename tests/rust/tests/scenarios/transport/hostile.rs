//! Peers that send too much, for ever, or a byte at a time: each meets a bound that has a name.

use std::time::{Duration, Instant};

use modelwire::{Client, Config, Error, ErrorKind, Limits, TimeoutPhase, Timeouts};
use modelwire_testing::{Exchange, Script, Service, Step};

use super::in_child;
use crate::support::{
    CHAT_ANSWER, WAYS, client, config, hello, http_chunk, opening, piece, stream_head,
    within_three_tries,
};

const SHORT: Duration = Duration::from_millis(500);
/// Far beyond any bound of these tests.
const GENEROUS: Duration = Duration::from_secs(30);
const OFF: Timeouts = Timeouts::OFF;
/// As good as endless: some GiB.
const FOR_EVER: usize = 1 << 22;

fn scripted(service: &Service, steps: Vec<Step>, with: impl Fn(Config) -> Config) -> Client {
    let base_url = service.script("s", Script::one(Exchange { steps }));
    Client::new(with(config(base_url))).unwrap()
}

fn times(bytes: impl Into<Vec<u8>>, times: usize) -> Step {
    Step::Send { bytes: bytes.into(), times }
}

/// The same from every way of calling, each in good time.
fn each(client: &Client, check: impl Fn(&Error)) {
    for way in WAYS {
        let start = Instant::now();
        check(&way.send(client, hello()).unwrap_err());
        check(way.read(client, hello()).error());
        // clock: bounds a hang
        assert!(start.elapsed() < GENEROUS, "took {:?}", start.elapsed());
    }
}

fn protocol(error: &Error, named: &str) {
    assert_eq!(error.kind(), ErrorKind::Protocol, "{error:?}");
    assert!(error.message().contains(named), "{named:?} in {error:?}");
}

fn timed_out(error: &Error, phase: TimeoutPhase) {
    assert_eq!((error.kind(), error.timeout()), (ErrorKind::Timeout, Some(phase)), "{error:?}");
    assert!(error.message().contains(phase.name()), "{error:?}");
}

/// The bound is exact.
#[test]
fn a_head_of_too_many_headers_is_refused() {
    let service = Service::start().unwrap();
    let headers = |count: usize| {
        let lines: String = (1..count).map(|number| format!("x-{number}: 1\r\n")).collect();
        let body = format!("Content-Length: {}\r\n\r\n{CHAT_ANSWER}", CHAT_ANSWER.len());
        vec![Step::send(format!("HTTP/1.1 200 OK\r\n{lines}{body}"))]
    };
    let fits = scripted(&service, headers(100), |config| config);
    for way in WAYS {
        assert_eq!(way.send(&fits, hello()).unwrap().text(), "Yes.");
    }
    let too_many = scripted(&service, headers(101), |config| config);
    each(&too_many, |error| protocol(error, "headers_max = 100"));
}

#[test]
fn a_head_that_is_too_large_is_refused() {
    let service = Service::start().unwrap();
    let heads = [
        vec![Step::send("HTTP/1.1 200 OK\r\nx: "), times("y", 1 << 20), Step::send("\r\n\r\n")],
        vec![Step::send("HTTP/1.1 200 OK\r\nx: "), times("yyyyyyyyyyyyyyyy", FOR_EVER)],
        vec![Step::send("HTTP/1.1 200 OK\r\n"), times("x: y\r\n", FOR_EVER)],
        vec![times("HTTP/1.1 200 OK ", FOR_EVER)],
    ];
    for steps in heads {
        let client = scripted(&service, steps, |config| config);
        each(&client, |error| {
            protocol(error, "head");
            assert!(error.message().len() < 1000, "{} bytes", error.message().len());
        });
    }
}

/// Interim heads are no answer, however many come, and calls beside them go on. They come in
/// bursts: what is there at once is parsed at once, before any clock is looked at. In a process of
/// its own: whatever it does to the I/O thread, no other test suffers.
#[test]
fn endless_interim_heads_run_into_the_first_byte_timeout() {
    in_child("hostile::endless_interim_heads_run_into_the_first_byte_timeout", || {
        let service = Service::start().unwrap();
        let beside = client(service.base_url());
        let heads = ["HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n"];
        for interim in heads {
            let timeouts = OFF.first_byte(Some(SHORT));
            let burst = [times(interim, 100), Step::Pause(Duration::from_millis(5))];
            let steps: Vec<Step> = burst.iter().cycle().take(4000).cloned().collect();
            let client = scripted(&service, steps, |config| config.timeouts(timeouts));
            each(&client, |error| {
                timed_out(error, TimeoutPhase::FirstByte);
                // clock: bounds a hang: what is sent goes on for longer
                assert!(error.elapsed() < SHORT * 30, "late: {error:?}");
            });
            beside.blocking().models().unwrap();
        }
    });
}

#[test]
fn an_endless_error_body_is_cut_at_its_bound() {
    let service = Service::start().unwrap();
    let head = "HTTP/1.1 503 Busy\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunk = format!("400\r\n{}\r\n", "x".repeat(0x400));
    let client =
        scripted(&service, vec![Step::send(head), times(chunk, FOR_EVER)], |config| config);
    each(&client, |error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(503)));
        assert_eq!(error.body().unwrap().len(), Limits::default().error_body_bytes_max);
        assert!(error.message().len() < 1000);
    });
}

fn dripping(head: &str, drop: Step) -> Vec<Step> {
    let drip = [Step::Pause(Duration::from_millis(50)), drop];
    std::iter::once(Step::send(head)).chain(drip.into_iter().cycle().take(2000)).collect()
}

/// What came by then is told.
#[test]
fn a_dripping_error_body_is_read_for_a_limited_time() {
    let service = Service::start().unwrap();
    let head = "HTTP/1.1 503 Busy\r\nConnection: close\r\n\r\n";
    let client = scripted(&service, dripping(head, Step::send("x")), |config| config);
    let check = |error: &Error| {
        assert_eq!((error.kind(), error.status()), (ErrorKind::Server, Some(503)));
        assert!(error.message().starts_with("xxx"), "{error:?}");
        assert!(error.elapsed() >= modelwire::limits::ERROR_BODY_TIME_MAX, "{error:?}");
    };
    // Each takes as long as the bound, so that one of either kind has to do.
    check(&WAYS[0].send(&client, hello()).unwrap_err());
    check(WAYS[1].read(&client, hello()).error());
}

/// The timeout is for the whole head, not for each byte of it.
#[test]
fn a_head_a_byte_at_a_time_runs_into_the_first_byte_timeout() {
    let service = Service::start().unwrap();
    let timeouts = OFF.first_byte(Some(SHORT));
    for drop in ["x", "a: b\r\n"] {
        let steps = dripping("HTTP/1.1 200 OK\r\n", Step::send(drop));
        let client = scripted(&service, steps, |config| config.timeouts(timeouts));
        each(&client, |error| timed_out(error, TimeoutPhase::FirstByte));
    }
}

/// Each byte is substance, so that only the total deadline ends it.
#[test]
fn a_body_a_byte_at_a_time_runs_into_the_total_timeout() {
    let service = Service::start().unwrap();
    let timeouts = OFF.idle(Some(GENEROUS)).total(Some(SHORT));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n";
    let slow = scripted(&service, dripping(head, Step::send("[")), |c| c.timeouts(timeouts));
    for way in WAYS {
        timed_out(&way.send(&slow, hello()).unwrap_err(), TimeoutPhase::Total);
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ";
    let slow = scripted(&service, dripping(head, Step::send("[")), |c| c.timeouts(timeouts));
    for way in WAYS {
        timed_out(way.read(&slow, hello()).error(), TimeoutPhase::Total);
    }
    // Framing is no substance: a chunk size a digit at a time.
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;";
    let timeouts = OFF.idle(Some(SHORT));
    let slow = scripted(&service, dripping(head, Step::send("x")), |c| c.timeouts(timeouts));
    for way in WAYS {
        timed_out(&way.send(&slow, hello()).unwrap_err(), TimeoutPhase::Idle);
    }
}

/// Neither an event nor an answer without an end fills the memory.
#[test]
fn endless_answers_meet_their_bounds() {
    let service = Service::start().unwrap();
    let bound = 1 << 20;
    let limits = Limits::default().response_bytes_max(bound).event_bytes_max(bound);
    let block = http_chunk(&"x".repeat(1000));
    let Step::Send { bytes: block, .. } = block else { unreachable!() };
    let steps = vec![stream_head(), http_chunk("data: "), times(block, FOR_EVER)];
    let client = scripted(&service, steps, |config| config.limits(limits));
    for way in WAYS {
        protocol(way.read(&client, hello()).error(), "event_bytes_max = 1048576");
        let error = way.send(&client, hello()).unwrap_err();
        // A stream under a plain call is gathered, so that either bound may be met first.
        protocol(&error, "_bytes_max = 1048576");
    }
}

/// A stream that begins with one event and goes on with so many of the same HTTP chunk.
fn flood(payload: &str, count: usize) -> Vec<Step> {
    let Step::Send { bytes, .. } = http_chunk(payload) else { unreachable!() };
    vec![opening(&[&piece("a")]), times(bytes, count)]
}

/// Comments are no substance, at whatever speed.
#[test]
fn a_flood_of_comments_does_not_outrun_the_idle_timeout() {
    in_child("hostile::a_flood_of_comments_does_not_outrun_the_idle_timeout", || {
        let service = Service::start().unwrap();
        let long = format!(": {}\n", "x".repeat(10_000));
        for (comment, count) in
            [(": ping\n\n", FOR_EVER * 64), ("\n\n\n\n", FOR_EVER * 64), (&long, 1 << 17)]
        {
            let timeouts = OFF.idle(Some(SHORT));
            let steps = flood(comment, count);
            let client = scripted(&service, steps, |config| config.timeouts(timeouts));
            for way in WAYS {
                let read = way.read(&client, hello());
                assert_eq!(read.text(), "a");
                timed_out(read.error(), TimeoutPhase::Idle);
                // clock: bounds a hang: what is sent goes on for longer
                assert!(read.error().elapsed() < SHORT * 30, "late: {:?}", read.error());
            }
        }
    });
}

/// A stream has a deadline, at whatever speed it comes and is read.
#[test]
fn a_flood_of_events_does_not_outrun_the_deadline() {
    in_child("hostile::a_flood_of_events_does_not_outrun_the_deadline", || {
        let service = Service::start().unwrap();
        let timeouts = OFF.total(Some(SHORT));
        let events = format!("data: {}\n\n", piece("b"));
        for payload in [events.clone(), events.repeat(100)] {
            let steps = flood(&payload, FOR_EVER);
            let client = scripted(&service, steps, |config| config.timeouts(timeouts));
            within_three_tries(|| {
                let mut stream = client.blocking().stream(hello()).map_err(|e| e.report())?;
                let error = stream.by_ref().find_map(Result::err).unwrap();
                timed_out(&error, TimeoutPhase::Total);
                // clock: bounds a hang: what is sent goes on for longer
                assert!(error.elapsed() < SHORT * 30, "late: {error:?}");
                Ok(())
            });
        }
    });
}
