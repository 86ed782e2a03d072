//! When a call is attempted again, and when never.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use modelwire::{
    Client, ErrorKind, Limits, Metered, Request, RetryPolicy, TimeoutPhase, Timeouts, log,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    CHAT_ANSWER, WAYS, Way, at_once, config, event, hello, piece, retry_gaps, silence,
    stalled_after, stream_head, within_three_tries,
};

fn busy(headers: &[(&str, &str)]) -> Exchange {
    Exchange::json_with_headers(429, headers, r#"{"error":{"message":"slow down"}}"#)
}

/// By the default policy the third attempt comes 0.5 s and 1 s later.
#[test]
fn a_busy_service_is_asked_again_with_the_same_bytes() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let client = Client::new(config(service.base_url())).unwrap();
        let start = Instant::now();
        let request = Request::chat("recovers").user("a b").set_json("seed", "1.0e0");
        assert_eq!(way.send(&client, request).unwrap().text(), "a b");
        assert!(start.elapsed() >= Duration::from_millis(1500));
        let requests = service.recorded("");
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| request.body == requests[0].body));
        assert!(requests.iter().all(|request| request.headers == requests[0].headers));
        assert!(requests[1].at - requests[0].at >= Duration::from_millis(500));
        assert!(requests[2].at - requests[1].at >= Duration::from_millis(1000));
        assert_eq!(service.metered()["recovers"].calls, 1);
        assert_eq!(client.usage()["recovers"].calls, 1);
    }
}

#[test]
fn opening_a_stream_is_retried_with_the_same_bytes() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let client = Client::new(config(service.base_url()).retry(at_once())).unwrap();
        let read = way.read(&client, Request::chat("recovers").user("a b"));
        assert_eq!(read.text(), "a b");
        let requests = service.recorded("");
        assert_eq!(requests.len(), 3);
        assert!(requests.iter().all(|request| request.body == requests[0].body));
    }
}

#[test]
fn at_most_four_attempts_are_made() {
    let service = Service::start().unwrap();
    for (name, policy, wait) in [("default", RetryPolicy::default(), 3500), ("quick", at_once(), 7)]
    {
        let base_url = service.script(name, Script::one(busy(&[])));
        let client = Client::new(config(base_url).retry(policy)).unwrap();
        let error = client.blocking().send(hello()).unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::RateLimited, Some(429)));
        assert_eq!((error.attempts(), error.metered()), (4, Metered::Unknown));
        assert!(error.elapsed() >= Duration::from_millis(wait));
        assert_eq!(service.recorded(name).len(), 4);
    }
    let base_url = service.script("stream", Script::one(busy(&[])));
    let client = Client::new(config(base_url).retry(at_once())).unwrap();
    for way in WAYS {
        assert_eq!(way.read(&client, hello()).error().attempts(), 4);
    }
    assert_eq!(service.recorded("stream").len(), 8);
}

/// Judged over all attempts, and one of them was answered by something else than 401.
#[test]
fn metering_is_judged_over_all_attempts() {
    let service = Service::start().unwrap();
    let script = Script::sequence(vec![busy(&[]), Exchange::json(401, "{}")]);
    let client = Client::new(config(service.script("s", script)).retry(at_once())).unwrap();
    let error = client.blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Authentication, 2));
    assert_eq!(error.metered(), Metered::Unknown);
}

#[test]
fn the_service_may_ask_for_a_longer_wait() {
    let service = Service::start().unwrap();
    for (header, value) in [("Retry-After", "1"), ("retry-after-ms", "1000")] {
        let script =
            Script::sequence(vec![busy(&[(header, value)]), Exchange::json(200, CHAT_ANSWER)]);
        let client = Client::new(config(service.script("s", script)).retry(at_once())).unwrap();
        let start = Instant::now();
        client.blocking().send(hello()).unwrap();
        assert!(start.elapsed() >= Duration::from_secs(1));
    }
}

#[test]
fn a_wait_beyond_the_bound_returns_the_error_at_once() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(busy(&[("Retry-After", "61")])));
    let client = Client::new(config(base_url)).unwrap();
    for way in WAYS {
        let error = way.send(&client, hello()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 1));
        assert_eq!(error.retry_after(), Some(Duration::from_secs(61)));
        // clock: a third of the wait that is not to be waited for
        assert!(error.elapsed() < Duration::from_secs(20));
        assert_eq!(way.read(&client, hello()).error().attempts(), 1);
    }
    assert_eq!(service.recorded("s").len(), 4);
}

/// A number too great to count is a long wait, not none.
#[test]
fn an_overflowing_retry_after_is_beyond_the_limit() {
    let service = Service::start().unwrap();
    for asked in ["100000000000", "99999999999999999999", "9".repeat(400).as_str()] {
        for header in ["Retry-After", "retry-after-ms"] {
            let base_url = service.script("s", Script::one(busy(&[(header, asked)])));
            let client = Client::new(config(base_url).retry(at_once())).unwrap();
            let error = client.blocking().send(hello()).unwrap_err();
            assert_eq!(error.attempts(), 1, "{header}: {asked}");
        }
    }
}

/// A wait that the deadline does not leave room for is not begun.
#[test]
fn a_deadline_ends_the_retries() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(busy(&[("Retry-After", "30")])));
    let timeouts = Timeouts::default().total(Some(Duration::from_secs(10)));
    let client = Client::new(config(base_url).timeouts(timeouts)).unwrap();
    let error = client.blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::RateLimited, 1));
}

#[test]
fn no_other_status_is_tried_again() {
    let service = Service::start().unwrap();
    for status in [400, 401, 403, 404, 408, 409, 418, 500, 502, 503, 504, 529] {
        let headers = [("Retry-After", "0")];
        let answer = Exchange::json_with_headers(status, &headers, r#"{"error":"429"}"#);
        let base_url = service.script("s", Script::one(answer));
        let client = Client::new(config(base_url).retry(at_once())).unwrap();
        for way in WAYS {
            assert_eq!(way.send(&client, hello()).unwrap_err().attempts(), 1, "{status}");
            assert_eq!(way.read(&client, hello()).error().attempts(), 1, "{status}");
        }
        assert_eq!(service.recorded("s").len(), 4, "{status}");
    }
}

#[test]
fn nothing_is_tried_again_once_a_stream_is_open() {
    let service = Service::start().unwrap();
    let rate_limited = r#"{"error":{"message":"busy","code":429,"type":"rate_limit_error"}}"#;
    let opened = |last: Vec<Step>| {
        let mut steps = vec![stream_head(), event(&piece("a"))];
        steps.extend(last);
        Exchange { steps }
    };
    let answers = [
        (opened(vec![event(rate_limited)]), ErrorKind::Stream, 1),
        (opened(vec![Step::Close]), ErrorKind::Disconnected, 1),
        (opened(vec![Step::send("0\r\n\r\n")]), ErrorKind::Incomplete, 1),
        (Exchange::events(&[rate_limited]), ErrorKind::Stream, 0),
        (Exchange { steps: vec![stream_head(), Step::Close] }, ErrorKind::Disconnected, 0),
    ];
    for (answer, kind, chunks) in answers {
        let base_url = service.script("s", Script::one(answer));
        let client = Client::new(config(base_url).retry(at_once())).unwrap();
        for way in WAYS {
            let read = way.read(&client, hello());
            assert_eq!((read.error().kind(), read.chunks.len()), (kind, chunks));
            let error = read.error();
            let metered = if chunks > 0 { Metered::Entered } else { Metered::Unknown };
            assert_eq!((error.attempts(), error.metered()), (1, metered));
        }
        assert_eq!(service.recorded("s").len(), 2);
    }
}

/// How often it was tried is part of what to do.
#[test]
fn the_hint_says_how_many_attempts_were_made() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(429, "slower")));
    let client = Client::new(config(base_url).retry(at_once())).unwrap();
    for way in WAYS {
        let error = way.send(&client, hello()).unwrap_err();
        assert_eq!((error.attempts(), error.kind()), (4, ErrorKind::RateLimited));
        assert!(error.hint().ends_with(" 4 attempts were made."), "{error}");
        assert!(error.hint().contains("control panel") && error.hint().contains("adaptive"));
    }
}

/// A retry is worth knowing, a failure is a warning; neither shows the key or what was said.
#[test]
fn retries_and_failures_are_in_the_log() {
    in_child_at("retries::retries_and_failures_are_in_the_log", &[], || {
        log::start(log::Level::Info).unwrap();
        let service = Service::start().unwrap();
        let refused = r#"{"error":{"message":"sk-secret","code":"c-sk-secret","type":"t"}}"#;
        let base_url = service.script("s", Script::one(Exchange::json(429, refused)));
        let config = config(base_url).api_key("sk-secret").retry(at_once().max_retries(1));
        let client = Client::new(config).unwrap();
        let request = Request::chat("m-sk-secret").user("What was said.");
        client.blocking().send(request).unwrap_err();
        client.blocking().send(Request::chat("").user("a")).unwrap_err();
        assert!(client.blocking().stream(hello()).is_err());
        let records = log::take(usize::MAX, Duration::ZERO).unwrap();
        let told: Vec<_> = records.iter().map(|record| (record.level, &*record.message)).collect();
        let [(again, retry), (failed, failure), _, _] = *told else { panic!("{told:#?}") };
        assert_eq!((again, failed), (log::Level::Info, log::Level::Warn));
        let path = "path=\"/scripts/s/v1/chat/completions\"";
        let common = ["status=429", "kind=\"rate_limited\"", path, "model=\"m-[key]\""];
        for (text, own) in [
            (retry, &["retrying after a delay", "wait_ms=1", "attempts=1"][..]),
            (failure, &["call failed", "attempts=2", "code=\"c-[key]\"", "metered=\"unknown\""]),
        ] {
            for part in common.iter().chain(own) {
                assert!(text.contains(part), "{part} in {text}");
            }
            assert!(!text.contains("sk-secret") && !text.contains("What was said"), "{text}");
        }
    });
}

/// Calls that were refused together do not come back together.
#[test]
fn waits_are_spread_by_default() {
    let gaps = retry_gaps(24, &[], config);
    let (shortest, longest) = (gaps.iter().min().unwrap(), gaps.iter().max().unwrap());
    assert!(*shortest >= Duration::from_millis(500), "no wait is shorter: {gaps:?}");
    // Of 24 chances in an eighth of a second the first and the last are this close less than once
    // in ten million times.
    let spread = *longest - *shortest;
    assert!(spread >= Duration::from_millis(40), "all came back within {spread:?}");
}

/// A server that takes connections, reads what comes, and closes them without an answer until
/// `answers_from`; how often it was asked.
fn closing(reads: bool, answers_from: usize) -> (String, std::sync::Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = std::sync::Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let number = count.fetch_add(1, Ordering::SeqCst);
            if reads || number >= answers_from {
                let mut bytes = [0; 4096];
                let _ = stream.read(&mut bytes);
            }
            if number >= answers_from {
                let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length:";
                let _ = write!(stream, "{head} {}\r\n\r\n{CHAT_ANSWER}", CHAT_ANSWER.len());
            }
        }
    });
    (base_url, asked)
}

/// An answer that did not begin in time is asked for again only if that is wanted, for the call may
/// be metered twice then.
#[test]
fn a_first_byte_timeout_is_tried_again_if_wanted() {
    let service = Service::start().unwrap();
    let silent = service.script("silent", Script::one(silence()));
    for way in WAYS {
        let client = Client::new(config(&silent)).unwrap();
        let soon = hello().first_byte_timeout(Some(Duration::from_millis(300)));
        let error = way.send(&client, soon.clone()).unwrap_err();
        assert_eq!((error.timeout(), error.attempts()), (Some(TimeoutPhase::FirstByte), 1));
        let wanted = at_once().first_byte_timeouts(true);
        let error =
            way.send(&client, soon.clone().retry(wanted.clone().max_retries(2))).unwrap_err();
        assert_eq!((error.timeout(), error.attempts()), (Some(TimeoutPhase::FirstByte), 3));
        let mut tries = 0;
        within_three_tries(|| {
            tries += 1;
            let script = Script::sequence(vec![silence(), Exchange::json(200, CHAT_ANSWER)]);
            let url = service.script(&format!("{way:?}-{tries}"), script);
            let client = Client::new(config(url)).unwrap();
            let answer = way.send(&client, soon.clone().retry(wanted.clone().max_retries(1)));
            // Where the machine stalls, the answer comes too late, or the first request does.
            match answer.map_err(|error| error.report())?.attempts() {
                2 => Ok(()),
                attempts => Err(format!("{attempts} attempts")),
            }
        });
    }
}

/// A connection that was lost after the request was sent is tried again only if that is wanted, for
/// the call may be metered twice then.
#[test]
fn a_lost_connection_is_tried_again_if_wanted() {
    for way in WAYS {
        let (base_url, asked) = closing(true, 2);
        let client = Client::new(config(&base_url)).unwrap();
        let error = way.send(&client, hello()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Disconnected, 1), "{error:?}");
        assert_eq!(error.metered(), Metered::Unknown);
        let unsent = at_once().connect_errors(true);
        let error = way.send(&client, hello().retry(unsent)).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Disconnected, 1), "{error:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        let (base_url, asked) = closing(true, 2);
        let client = Client::new(config(&base_url)).unwrap();
        let wanted = at_once().lost_connections(true);
        let answer = way.send(&client, hello().retry(wanted.clone())).unwrap();
        assert_eq!((answer.attempts(), asked.load(Ordering::SeqCst)), (3, 3));
        let (base_url, _) = closing(true, usize::MAX);
        let client = Client::new(config(&base_url).retry(wanted)).unwrap();
        let error = way.send(&client, hello()).unwrap_err();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Disconnected, 4), "{error:?}");
    }
}

/// What was sent before a redirect may have been metered, whatever became of the place that it
/// pointed to; and it is not sent again as something of which nothing was sent.
#[test]
fn a_failed_redirect_counts_as_sent() {
    let policy = at_once().connect_errors(true);
    for way in WAYS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            drop(listener); // nobody is there any more
            let mut bytes = [0; 4096];
            assert!(stream.read(&mut bytes).unwrap() > 0);
            let head = "HTTP/1.1 307 Moved\r\nLocation: /v1/elsewhere\r\nConnection: close\r\n";
            write!(stream, "{head}Content-Length: 0\r\n\r\n").unwrap();
        });
        let client = Client::new(config(&base_url).retry(policy.clone())).unwrap();
        let error = way.send(&client, hello()).unwrap_err();
        server.join().unwrap();
        assert_eq!((error.kind(), error.attempts()), (ErrorKind::Disconnected, 1), "{error:?}");
        assert_eq!(error.metered(), Metered::Unknown);
        assert!(error.message().contains("after a redirect"), "{error:?}");
    }
}

const ROLE: &str = r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#;

fn before_content() -> RetryPolicy {
    at_once().before_content(true)
}

/// Ways in which an answer with a success status fails before its content.
fn failures_before_content() -> Vec<(&'static str, Exchange)> {
    let role_then = |then: &str| Exchange::events(&[ROLE, then]);
    vec![
        (
            "an error event",
            role_then(r#"{"error":{"message":"overloaded","type":"server_error"}}"#),
        ),
        ("a cut", Exchange::events_cut(&[ROLE])),
        ("a reset", Exchange::events_reset(&[ROLE])),
        ("an empty stream", Exchange::events::<&str>(&[])),
        ("only an end mark", Exchange::events(&["[DONE]"])),
        ("silence", stalled_after(&[ROLE])),
        ("no JSON", role_then("{")),
        ("a page", Exchange::raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")),
        ("half a document", Exchange::raw("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"a\"")),
    ]
}

/// Nothing of the failed attempts reaches the program, and the record has all of them.
#[test]
fn an_answer_that_fails_before_its_content_is_retried_if_wanted() {
    let service = Service::start().unwrap();
    let timeouts = Timeouts::default().idle(Some(Duration::from_millis(300)));
    let good = Exchange::events(&[ROLE, &piece("a"), &piece("b"), "[DONE]"]);
    for (what, failure) in failures_before_content() {
        let script = || Script::sequence(vec![failure.clone(), failure.clone(), good.clone()]);
        for way in WAYS {
            let client = |policy| {
                let base_url = service.script("s", script());
                Client::new(config(base_url).retry(policy).timeouts(timeouts)).unwrap()
            };
            let read = way.read(&client(before_content()), hello());
            assert_eq!((read.text().as_str(), read.chunks.len()), ("ab", 3), "{what}");
            assert_eq!(read.response().attempts(), 3, "{what}");
            let record = read.response().record().unwrap();
            assert_eq!((record.attempts().len(), record.chunks()), (3, 3), "{what}");
            assert!(record.attempts()[0].kind.is_some() && record.attempts()[1].kind.is_some());
            assert_eq!(record.attempts()[2].kind, None);
            assert_eq!(record.metered(), Metered::Entered);
            assert_eq!(service.recorded("s").len(), 3);

            let answer = way.send(&client(before_content()), hello()).unwrap();
            assert_eq!((answer.text().as_ref(), answer.attempts()), ("ab", 3), "{what}");

            let read = way.read(&client(at_once()), hello());
            assert_eq!(read.error().attempts(), 1, "{what}: off by default");
            let error = way.send(&client(at_once()), hello()).unwrap_err();
            assert_eq!(error.attempts(), 1, "{what}: off by default");
        }
    }
}

#[test]
fn a_call_that_always_fails_before_its_content_ends_with_its_last_error() {
    let service = Service::start().unwrap();
    let timeouts = Timeouts::default().idle(Some(Duration::from_millis(300)));
    for (what, failure) in failures_before_content() {
        let base_url = service.script("s", Script::one(failure));
        let policy = before_content().max_retries(1);
        let client = Client::new(config(base_url).retry(policy).timeouts(timeouts)).unwrap();
        let read = Way::Async.read(&client, hello());
        assert_eq!(read.error().attempts(), 2, "{what}");
        assert_eq!(service.recorded("s").len(), 2, "{what}");
        assert_eq!(read.error().record().unwrap().attempts().len(), 2);
        assert!(matches!(read.error().metered(), Metered::Unknown | Metered::Entered), "{what}");
    }
}

/// What reached the program, was paid, or would fail again is not asked for again.
#[test]
fn nothing_is_retried_after_its_content() {
    let service = Service::start().unwrap();
    let usage = r#"{"choices":[],"usage":{"prompt_tokens":3,"total_tokens":3}}"#;
    let invalid = r#"{"error":{"message":"too long","type":"invalid_request_error"}}"#;
    for (what, failure, chunks) in [
        ("content", Exchange::events_cut(&[ROLE, &piece("a")]), 2),
        ("usage", Exchange::events_cut(&[ROLE, usage]), 0),
        ("an invalid request", Exchange::events(&[ROLE, invalid]), 0),
        ("too large", Exchange::events(&[&format!("\"{}\"", "x".repeat(2000))]), 0),
    ] {
        let base_url = service.script("s", Script::one(failure));
        let limits = Limits::default().event_bytes_max(1000);
        let client = Client::new(config(base_url).retry(before_content()).limits(limits)).unwrap();
        for way in WAYS {
            let read = way.read(&client, hello());
            assert_eq!(read.error().attempts(), 1, "{what}");
            assert_eq!(read.chunks.len(), chunks, "{what}");
        }
    }
}

/// Events before the content are held up to the bounds of a queue; then they are delivered.
#[test]
fn events_before_the_content_are_held_within_bounds() {
    let service = Service::start().unwrap();
    let events = [vec![ROLE; 40], vec!["{"]].concat();
    for (limits, chunks) in [
        (Limits::default(), 0),
        (Limits::default().queue_events_max(20), 40),
        (Limits::default().queue_bytes_max(1000), 40),
    ] {
        let base_url = service.script("s", Script::one(Exchange::events(&events)));
        let policy = before_content().max_retries(1);
        let client = Client::new(config(base_url).retry(policy).limits(limits)).unwrap();
        let read = Way::Async.read(&client, hello());
        assert_eq!(read.chunks.len(), chunks, "{limits:?}");
        assert_eq!(read.error().attempts(), if chunks == 0 { 2 } else { 1 });
    }
}

/// The time until the content includes that until the response headers.
#[test]
fn a_late_first_content_is_retried_if_wanted() {
    let service = Service::start().unwrap();
    let good = Exchange::events(&[&piece("a"), "[DONE]"]);
    for late in [silence(), stalled_after(&[ROLE])] {
        let script = Script::sequence(vec![late, good.clone()]);
        let timeouts = Timeouts::default().first_content(Some(Duration::from_millis(300)));
        let base_url = service.script("s", script);
        let config = config(base_url).retry(before_content()).timeouts(timeouts);
        let read = Way::Async.read(&Client::new(config).unwrap(), hello());
        assert_eq!((read.text().as_str(), read.response().attempts()), ("a", 2));
    }
}
