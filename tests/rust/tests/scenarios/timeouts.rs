//! The timeouts, each alone.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use modelwire::{
    Client, End, Error, ErrorKind, Limits, Metered, RetryPolicy, TimeoutPhase, Timeouts,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::support::{
    CHAT_ANSWER, DONE, WAYS, Way, config, event, eventually, hello, http_chunk, opening, piece,
    respond, silence, stalled_after, stream_head, within_three_tries,
};
use crate::system::shorten_queue;

/// For timeouts that must end: short compared with every upper bound.
const SHORT: Duration = Duration::from_millis(300);
/// For timeouts that must not end too early: longer than a busy machine stalls.
const AMPLE: Duration = Duration::from_secs(4);
/// None of these timeouts takes so long, however busy the machine.
const LONG: Duration = Duration::from_secs(60);

const OFF: Timeouts = Timeouts::OFF;

fn check(error: &Error, phase: TimeoutPhase, metered: Metered) {
    assert_eq!((error.kind(), error.timeout()), (ErrorKind::Timeout, Some(phase)), "{error:?}");
    assert!(error.message().contains(phase.name()), "{error:?}");
    assert!(error.message().contains("300 ms"), "{error:?}");
    assert_eq!((error.metered(), error.attempts()), (metered, 1), "{error:?}");
    // clock: bounds a hang
    assert!(error.elapsed() >= SHORT && error.elapsed() < LONG, "{error:?}");
}

fn scripted(service: &Service, exchange: Exchange, timeouts: Timeouts) -> Client {
    let base_url = service.script("s", Script::one(exchange));
    Client::new(config(base_url).timeouts(timeouts)).unwrap()
}

/// A listener that accepts nothing and whose queue is full: the kernel leaves whoever comes
/// without an answer.
fn deaf_listener() -> (SocketAddr, TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    shorten_queue(&listener);
    let address = listener.local_addr().unwrap();
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok();
    let queued: Vec<TcpStream> = std::iter::from_fn(connect).take(16).collect();
    assert!(queued.len() < 16, "the queue was never full");
    (address, listener, queued)
}

#[test]
fn connecting_takes_too_long() {
    let (address, _listener, _queued) = deaf_listener();
    let timeouts = OFF.connect(Some(SHORT));
    let config = config(format!("http://{address}/v1")).timeouts(timeouts);
    let client = Client::new(config).unwrap();
    for way in WAYS {
        let error = way.send(&client, hello()).unwrap_err();
        check(&error, TimeoutPhase::Connect, Metered::NotSent);
        check(way.read(&client, hello()).error(), TimeoutPhase::Connect, Metered::NotSent);
    }
}

/// The time for the answer includes that for the connection: what never had one was not sent, whichever of the
/// two times is shorter, and however many calls wait.
#[test]
fn the_first_byte_takes_too_long_without_a_connection() {
    let (address, _listener, _queued) = deaf_listener();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap(); // it never answers a TLS handshake
    let silent = silent.local_addr().unwrap();
    for base_url in [format!("http://{address}/v1"), format!("https://{silent}/v1")] {
        for connect in [Some(SHORT), Some(LONG), None] {
            let timeouts = OFF.connect(connect).first_byte(Some(SHORT));
            let client = Client::new(config(&base_url).timeouts(timeouts)).unwrap();
            thread::scope(|scope| {
                for _ in 0..16 {
                    scope.spawn(|| {
                        let error = WAYS[0].send(&client, hello()).unwrap_err();
                        let (timeout, metered) = (error.timeout(), error.metered());
                        assert_eq!(timeout, Some(TimeoutPhase::Connect), "{error:?}");
                        assert_eq!(metered, Metered::NotSent, "{error:?}");
                        assert_eq!(error.record().unwrap().bytes_out(), 0, "{error:?}");
                        let name = if connect == Some(SHORT) { "connect" } else { "first_byte" };
                        let said = format!("{name}_timeout of 300 ms exceeded");
                        assert!(error.message().starts_with(&said), "{error:?}");
                    });
                }
            });
            let retry = RetryPolicy::default().connect_errors(true).first_wait(Duration::ZERO);
            let again = config(&base_url).timeouts(timeouts).retry(retry.max_retries(2));
            let error = WAYS[0].send(&Client::new(again).unwrap(), hello()).unwrap_err();
            assert_eq!((error.attempts(), error.metered()), (3, Metered::NotSent), "{error:?}");
        }
    }
}

/// The connection of another call comes free before the own one is open: the request goes there.
#[test]
#[cfg(target_os = "linux")]
fn a_call_that_got_a_free_connection_may_have_been_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    shorten_queue(&listener);
    let address = listener.local_addr().unwrap();
    let timeouts = OFF.first_byte(Some(AMPLE));
    let config = config(format!("http://{address}/v1")).timeouts(timeouts);
    let client = Client::new(config).unwrap();
    let opens = || {
        let place = format!(":{:04X} 02", address.port()); // SYN_SENT
        std::fs::read_to_string("/proc/net/tcp").unwrap().contains(&place)
    };
    thread::scope(|scope| {
        let first = scope.spawn(|| WAYS[0].send(&client, hello()).map(drop));
        let (mut socket, _) = listener.accept().unwrap();
        let request = socket.read(&mut [0; 4096]).unwrap();
        assert!(request > 0);
        let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok();
        let _queued: Vec<TcpStream> = std::iter::from_fn(connect).take(16).collect();
        let second = scope.spawn(|| WAYS[0].send(&client, hello()).unwrap_err());
        eventually("the second call opens a connection", opens);
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", CHAT_ANSWER.len());
        socket.write_all((head + CHAT_ANSWER).as_bytes()).unwrap();
        first.join().unwrap().unwrap();
        let error = second.join().unwrap();
        assert_eq!(error.timeout(), Some(TimeoutPhase::FirstByte), "{error:?}");
        assert_eq!(error.metered(), Metered::Unknown, "{error:?}");
        assert!(socket.read(&mut [0; 4096]).unwrap() > 0, "it was sent");
    });
}

#[test]
fn the_first_byte_takes_too_long() {
    let half_a_head = Exchange { steps: vec![Step::send("HTTP/1.1 200 OK\r\nA: b\r\n")] };
    for exchange in [silence(), half_a_head] {
        let service = Service::start().unwrap();
        let timeouts = OFF.first_byte(Some(SHORT));
        let client = scripted(&service, exchange, timeouts);
        for way in WAYS {
            let error = way.send(&client, hello()).unwrap_err();
            check(&error, TimeoutPhase::FirstByte, Metered::Unknown);
            let read = way.read(&client, hello());
            check(read.error(), TimeoutPhase::FirstByte, Metered::Unknown);
        }
        // The service may read a request later than the call ends, but none was sent twice.
        assert!(service.recorded("s").len() <= 4);
    }
}

#[test]
fn an_answer_falls_silent() {
    let service = Service::start().unwrap();
    let timeouts = OFF.idle(Some(SHORT));
    let client = scripted(&service, stalled_after(&[&piece("a"), &piece("b")]), timeouts);
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!(read.text(), "ab");
        check(read.error(), TimeoutPhase::Idle, Metered::Entered);
    }
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{\"a\"";
    let client = scripted(&service, Exchange::raw(half), timeouts);
    for way in WAYS {
        let error = way.send(&client, hello()).unwrap_err();
        check(&error, TimeoutPhase::Idle, Metered::Entered);
    }
}

fn paced(pieces: &[Step], times: usize, pause: Duration) -> Vec<Step> {
    let mut steps = Vec::new();
    for _ in 0..times {
        steps.push(Step::Pause(pause));
        steps.extend_from_slice(pieces);
    }
    steps
}

/// A service that is only kept alive is silent.
#[test]
fn comments_do_not_reset_the_idle_timeout() {
    let service = Service::start().unwrap();
    let keep_alive = [http_chunk(": ping\n\n"), http_chunk("\n"), http_chunk(":")];
    let keep_alive = [&keep_alive[..], &[http_chunk("\n")]].concat();
    let pings = paced(&keep_alive, 200, Duration::from_millis(100));
    let steps = [vec![opening(&[&piece("a")])], pings].concat();
    let timeouts = OFF.idle(Some(SHORT));
    let client = scripted(&service, Exchange { steps }, timeouts);
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!(read.text(), "a");
        check(read.error(), TimeoutPhase::Idle, Metered::Entered);
    }
}

/// By option of the client or of the call whatever comes resets it, for services that say by pings
/// that they are at work; also before a plain answer, where white space says so.
#[test]
fn pings_reset_the_idle_timeout_if_wanted() {
    let service = Service::start().unwrap();
    let pings = paced(&[http_chunk(": ping\n\n")], 50, Duration::from_millis(100));
    let first = vec![stream_head(), event(&piece("a"))];
    let last = vec![event(&piece("b")), event(DONE), Step::send("0\r\n\r\n")];
    let streamed = Exchange { steps: [first, pings, last].concat() };
    let blanks = paced(&[http_chunk("\n")], 50, Duration::from_millis(100));
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    let last = vec![http_chunk(r#"{"choices":[{}]}"#), Step::send("0\r\n\r\n")];
    let plain = Exchange { steps: [vec![Step::send(head)], blanks, last].concat() };
    let streamed = service.script("streamed", Script::one(streamed));
    let idle = OFF.idle(Some(AMPLE));
    thread::scope(|scope| {
        let plain = service.script("plain", Script::one(plain.clone()));
        for (timeouts, request) in
            [(idle.pings_reset_idle(true), hello()), (idle, hello().pings_reset_idle(true))]
        {
            let client = |url: &str| Client::new(config(url).timeouts(timeouts)).unwrap();
            let (stream, call) = (client(&streamed), client(&plain));
            let again = request.clone();
            scope.spawn(move || {
                let read = Way::Async.read(&stream, again);
                assert_eq!((read.text().as_str(), read.response().end()), ("ab", End::DoneMark));
                assert!(read.response().elapsed() > AMPLE, "{:?}", read.response().elapsed());
            });
            scope.spawn(move || {
                let answer = Way::Async.send(&call, request).unwrap();
                assert!(answer.elapsed() > AMPLE, "{:?}", answer.elapsed());
            });
        }
    });
    let client = scripted(&service, plain, OFF.idle(Some(SHORT)));
    let error = Way::Async.send(&client, hello()).unwrap_err();
    check(&error, TimeoutPhase::Idle, Metered::Unknown);
}

/// Whatever is not a comment does reset it, also when no event is whole for long.
#[test]
fn content_resets_the_idle_timeout() {
    let service = Service::start().unwrap();
    let pause = Duration::from_millis(250);
    let idle = pause * 5;
    let json = piece("abcdef");
    let bytes = format!("data: {json}\n\n");
    let (head, tail) = bytes.split_at(20);
    let pieces = tail.as_bytes().chunks(8).map(|part| std::str::from_utf8(part).unwrap());
    let slowly = pieces.flat_map(|part| [Step::Pause(pause), http_chunk(part)]);
    let steps: Vec<Step> = [stream_head(), http_chunk(head)].into_iter().chain(slowly).collect();
    let last = vec![event(DONE), Step::send("0\r\n\r\n")];
    let exchange = Exchange { steps: [steps, last].concat() };
    let client = scripted(&service, exchange, OFF.idle(Some(idle)));
    within_three_tries(|| {
        let read = Way::Async.read(&client, hello());
        let answer = read.outcome.as_ref().map_err(|error| error.report())?;
        assert_eq!((read.text().as_str(), answer.end()), ("abcdef", End::DoneMark));
        assert!(answer.elapsed() > idle, "longer than the timeout: {:?}", answer.elapsed());
        Ok(())
    });
}

/// Data and the blank line behind it may come apart, for as long as the stream goes on.
#[test]
fn events_in_two_pieces_are_progress() {
    const EVENTS: usize = 40;
    let service = Service::start().unwrap();
    let data = format!("data: {}\n", piece("a"));
    let pieces = [http_chunk(&data), Step::Pause(Duration::from_millis(60)), http_chunk("\n")];
    let steps = paced(&pieces, EVENTS, Duration::from_millis(15));
    let last = vec![event(DONE), Step::send("0\r\n\r\n")];
    let exchange = Exchange { steps: [vec![stream_head()], steps, last].concat() };
    // The whole takes ten times as long, more than a single event may.
    let client = scripted(&service, exchange, OFF.idle(Some(SHORT)));
    within_three_tries(|| {
        let read = Way::Async.read(&client, hello());
        let answer = read.outcome.as_ref().map_err(|error| error.report())?;
        assert_eq!((read.text(), answer.end()), ("a".repeat(EVENTS), End::DoneMark));
        assert!(answer.elapsed() > SHORT * 9, "{:?}", answer.elapsed());
        Ok(())
    });
}

#[test]
fn the_whole_call_takes_too_long() {
    let service = Service::start().unwrap();
    let timeouts = OFF.total(Some(SHORT));
    let client = scripted(&service, silence(), timeouts);
    for way in WAYS {
        let error = way.send(&client, hello()).unwrap_err();
        check(&error, TimeoutPhase::Total, Metered::Unknown);
    }
    let drip = paced(&[event(&piece("a"))], 200, Duration::from_millis(50));
    let steps = [vec![stream_head()], drip].concat();
    let timeouts = timeouts.idle(Some(LONG));
    let client = scripted(&service, Exchange { steps }, timeouts);
    for way in WAYS {
        within_three_tries(|| {
            let read = way.read(&client, hello());
            if read.chunks.is_empty() {
                return Err(format!("nothing came in time: {:?}", read.outcome));
            }
            check(read.error(), TimeoutPhase::Total, Metered::Entered);
            assert_eq!(read.text(), "a".repeat(read.chunks.len()));
            Ok(())
        });
    }
}

/// The time that a full queue waits for its consumer is not the service's.
#[test]
fn a_slow_consumer_does_not_run_into_the_idle_timeout() {
    let service = Service::start().unwrap();
    let times = 200;
    let exchange = Exchange::pre_rendered_stream(&piece(&"x".repeat(64 << 10)), times, 1);
    let base_url = service.script("s", Script::one(exchange));
    let limits = Limits::default().queue_events_max(1).queue_bytes_max(1);
    let timeouts = OFF.idle(Some(SHORT));
    let client = Client::new(config(base_url).timeouts(timeouts).limits(limits)).unwrap();
    let mut stream = client.blocking().stream(hello()).unwrap();
    stream.next().unwrap().unwrap();
    // Longer than the timeout: the point is that this does not count.
    // clock: the slowness itself
    thread::sleep(SHORT * 3);
    // What the machine holds by now: the service may be silent before it sends the rest.
    for _ in 0..8 {
        assert_eq!(stream.next().unwrap().unwrap().text().len(), 64 << 10);
    }
}

/// A document that answers a streamed call waits for its consumer under the deadline, as a stream
/// does, and nothing that came is lost.
#[test]
fn a_document_for_a_streaming_caller_keeps_the_deadline() {
    let service = Service::start().unwrap();
    let part = r#"{"type":"message","content":[{"type":"output_text","text":"a"}]}"#;
    let document = format!(r#"{{"status":"completed","output":[{}]}}"#, [part; 9].join(","));
    let base_url = service.script("s", Script::one(Exchange::json(200, &document)));
    let limits = Limits::default().queue_events_max(2);
    let config = config(base_url).timeouts(OFF.total(SHORT)).limits(limits);
    let client = Client::new(config).unwrap();
    within_three_tries(|| {
        let mut stream = client.blocking().stream(respond()).map_err(|error| error.report())?;
        // clock: the slowness itself
        thread::sleep(SHORT * 3);
        let mut read: Vec<_> = stream.by_ref().collect();
        let error = read.pop().unwrap().unwrap_err();
        check(&error, TimeoutPhase::Total, Metered::Entered);
        let text: String = read.iter().map(|chunk| chunk.as_ref().unwrap().text()).collect();
        assert_eq!(text, "a".repeat(9));
        Ok(())
    });
}

const ROLE: &str =
    r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","tool_calls":null}}]}"#;

/// A head, pings, roles and empty deltas are not content. Reasoning, tool calls and text are.
#[test]
fn the_first_content_takes_too_long() {
    let service = Service::start().unwrap();
    let timeouts = OFF.first_content(Some(SHORT)).first_byte(Some(LONG));
    let pings = paced(&[http_chunk(": ping\n\n"), event(ROLE)], 200, Duration::from_millis(50));
    let created = r#"{"type":"response.created","response":{"status":"in_progress"}}"#;
    for (exchange, metered) in [
        (silence(), Metered::Unknown),
        (Exchange { steps: vec![stream_head(), Step::Pause(LONG)] }, Metered::Unknown),
        (stalled_after(&[ROLE]), Metered::Entered),
        (Exchange { steps: [vec![stream_head()], pings].concat() }, Metered::Entered),
        (
            stalled_after(&[created, r#"{"type":"response.output_text.delta","delta":""}"#]),
            Metered::Entered,
        ),
    ] {
        let client = scripted(&service, exchange, timeouts);
        for way in WAYS {
            check(way.read(&client, hello()).error(), TimeoutPhase::FirstContent, metered);
            let error = way.send(&client, hello()).unwrap_err();
            check(&error, TimeoutPhase::FirstContent, metered);
        }
    }
    let silent = scripted(&service, silence(), timeouts);
    let error = silent.blocking().send(hello()).unwrap_err();
    assert!(error.message().ends_with(": no response headers"), "{error}");
    let begun = scripted(&service, stalled_after(&[ROLE]), timeouts);
    let error = begun.blocking().send(hello()).unwrap_err();
    assert!(error.message().ends_with(": the answer began without content"), "{error}");
}

/// After the first content it no longer counts.
#[test]
fn content_ends_the_first_content_timeout() {
    let service = Service::start().unwrap();
    let reasoning = r#"{"choices":[{"index":0,"delta":{"reasoning":"hm"}}]}"#;
    let tool = r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c"}]}}]}"#;
    let delta = r#"{"type":"response.reasoning_text.delta","delta":"hm"}"#;
    let rest = || vec![Step::Pause(AMPLE + SHORT), event(&piece("a")), event(DONE)];
    let text = piece("b");
    thread::scope(|scope| {
        for (number, first) in [reasoning, tool, delta, &text].into_iter().enumerate() {
            let steps = [vec![opening(&[ROLE, first])], rest()].concat();
            let base_url = service.script(&format!("s{number}"), Script::one(Exchange { steps }));
            let timeouts = OFF.first_content(Some(AMPLE));
            let client = Client::new(config(base_url).timeouts(timeouts)).unwrap();
            scope.spawn(move || {
                let read = Way::Async.read(&client, hello());
                assert!(read.response().elapsed() > AMPLE, "{first}");
            });
        }
        let document = "HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"choices\":";
        let steps = vec![Step::send(document), Step::Pause(AMPLE + SHORT), Step::send("[{}]}")];
        let timeouts = OFF.first_content(Some(AMPLE));
        let client = scripted(&service, Exchange { steps }, timeouts);
        scope.spawn(move || {
            let answer = Way::Async.send(&client, hello()).unwrap();
            assert!(answer.elapsed() > AMPLE);
        });
    });
}

/// "Long to begin, short between": until the first content, only its own timeout counts.
#[test]
fn the_idle_timeout_starts_with_the_first_content() {
    let service = Service::start().unwrap();
    let late = vec![opening(&[ROLE]), Step::Pause(SHORT * 3), event(&piece("a"))];
    let steps = [late, vec![Step::Pause(LONG)]].concat();
    let timeouts = OFF.first_content(Some(LONG)).idle(Some(SHORT));
    let client = scripted(&service, Exchange { steps }, timeouts);
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!(read.text(), "a");
        let error = read.error();
        assert_eq!(error.timeout(), Some(TimeoutPhase::Idle), "{error:?}");
        // clock: bounds a hang
        assert!(error.elapsed() < LONG, "{error:?}");
    }
}
