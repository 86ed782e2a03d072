//! Scripts, seen from a socket: every byte, split, pause and end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod client;

use std::time::{Duration, Instant};

use client::{Client, End, eventually};
use modelwire_testing::{Exchange, Script, Service, Step};

const TARGET: &str = "/scripts/s/v1/chat/completions";

fn start(script: Script) -> (Service, Client) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", script);
    assert_eq!(base_url, format!("http://{}/scripts/s/v1", service.address()));
    let client = Client::connect(service.address());
    (service, client)
}

fn closing(mut exchange: Exchange) -> Script {
    exchange.steps.push(Step::Close);
    Script::one(exchange)
}

/// Everything that a script puts on the wire.
fn wire(script: Script) -> (Vec<u8>, End) {
    let (_service, mut client) = start(script);
    client.send("POST", TARGET, &[], "{}");
    client.drain()
}

fn check(script: Script, bytes: &str, end: End) {
    let (sent, ended) = wire(script);
    assert_eq!(String::from_utf8(sent).unwrap(), bytes);
    assert_eq!(ended, end);
}

#[test]
fn raw_bytes_are_exact() {
    let bytes: Vec<u8> = (0..=255).cycle().take(1_000).collect();
    assert_eq!(wire(closing(Exchange::raw(bytes.clone()))), (bytes, End::Eof));
}

#[test]
fn constructors_frame_as_documented() {
    check(
        closing(Exchange::json(404, r#"{"a":1}"#)),
        "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n\
         Content-Length: 7\r\n\r\n{\"a\":1}",
        End::Eof,
    );
    check(
        closing(Exchange::json_with_headers(
            429,
            &[("Retry-After", "0"), ("content-type", "text/html")],
            "no",
        )),
        "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\ncontent-type: text/html\r\n\
         Content-Length: 2\r\n\r\nno",
        End::Eof,
    );
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let cut = format!("{head}9\r\ndata: 1\n\n\r\na\r\ndata: ü\n\n\r\n");
    check(closing(Exchange::events(&["1", "ü"])), &format!("{cut}0\r\n\r\n"), End::Eof);
    check(Script::one(Exchange::events_cut(&["1", "ü"])), &cut, End::Eof);
    check(Script::one(Exchange::events_reset(&["1", "ü"])), &cut, End::Reset);
}

#[test]
fn repeated_bytes_are_all_there() {
    let repeated = |bytes: &[u8], times| {
        let steps = vec![Step::Send { bytes: bytes.to_vec(), times }, Step::Close];
        assert_eq!(wire(Script::one(Exchange { steps })), (bytes.repeat(times), End::Eof));
    };
    repeated(b"abc", 2);
    repeated(b"abc", 100_003);
    repeated(&[b'x'; 100_000], 3);
    repeated(b"", 3);
}

#[test]
fn pre_rendered_streams_hold_every_event() {
    let chunk =
        r#"{"id":"c","created":7,"model":"m","choices":[{"index":0,"delta":{"content":"x"}}]}"#;
    for (times, per_chunk, http_chunks) in
        [(10, 1, 10), (10, 4, 3), (3, 8, 1), (0, 4, 0), (20_000, 1, 20_000)]
    {
        let (_service, mut client) =
            start(Script::one(Exchange::pre_rendered_stream(chunk, times, per_chunk)));
        let answer = client.call("POST", TARGET, &[], "{}");
        assert_eq!(answer.end, End::LastChunk);
        assert_eq!(answer.chunks.len(), http_chunks + 2);
        let body = String::from_utf8(answer.body).unwrap();
        let data: Vec<&str> = body.split_terminator("\n\n").map(|event| &event[6..]).collect();
        assert_eq!(data.len(), times + 2);
        assert!(data[..times].iter().all(|data| *data == chunk));
        let last: serde_json::Value = serde_json::from_str(data[times]).unwrap();
        assert_eq!(last["choices"][0]["finish_reason"], "stop");
        assert_eq!(
            (&last["id"], &last["created"], &last["model"]),
            (&"c".into(), &7.into(), &"m".into())
        );
        assert_eq!(data[times + 1], "[DONE]");
    }
}

#[test]
fn splits_arrive_apart() {
    let bytes = b"data: {\"a\"}\n\n".to_vec();
    let steps = vec![Step::SendSplit { bytes: bytes.clone(), at: vec![1, 6, 12, 99] }, Step::Close];
    // A reader that the machine held up may find two pieces at once, but not each time.
    for attempt in 0.. {
        let (_service, mut client) = start(Script::one(Exchange { steps: steps.clone() }));
        let start = Instant::now();
        client.send("POST", TARGET, &[], "{}");
        let mut reads = Vec::new();
        while let Ok(read) = client.read() {
            if read.is_empty() {
                break;
            }
            reads.push(read);
        }
        assert_eq!(reads.concat(), bytes);
        // Three pauses lie between the pieces, whatever the reads were.
        assert!(start.elapsed() >= Duration::from_millis(4));
        if reads == [&bytes[..1], &bytes[1..6], &bytes[6..12], &bytes[12..]] {
            return;
        }
        assert!(attempt < 20, "never apart: {reads:?}");
    }
}

#[test]
fn pauses_are_kept() {
    let pause = Duration::from_millis(60);
    let (_service, mut client) = start(Script::one(Exchange {
        steps: vec![Step::send("a"), Step::Pause(pause), Step::send("b"), Step::Close],
    }));
    client.send("POST", TARGET, &[], "{}");
    assert_eq!(client.read().unwrap(), b"a");
    let start = Instant::now();
    assert_eq!(client.read().unwrap(), b"b");
    // The first byte was read a little after it was sent.
    assert!(start.elapsed() >= pause / 2);
}

#[test]
fn a_reset_step_resets_the_connection() {
    assert_eq!(wire(Script::one(Exchange { steps: vec![Step::Reset] })), (vec![], End::Reset));
    let steps = vec![Step::send("HTTP/1.1 200 OK\r\n"), Step::Reset];
    assert_eq!(
        wire(Script::one(Exchange { steps })),
        (b"HTTP/1.1 200 OK\r\n".to_vec(), End::Reset)
    );
    assert_eq!(wire(Script::one(Exchange { steps: vec![Step::Close] })), (vec![], End::Eof));
}

#[test]
fn the_last_exchange_repeats_on_a_connection_kept_open() {
    let script = Script::sequence(vec![Exchange::json(429, "1"), Exchange::json(200, "2")]);
    let (service, mut client) = start(script);
    let mut ask = || {
        let answer = client.call("POST", "/scripts/s/v1/x?y=1", &[("X-Mark", "m")], "{\"q\":0}");
        (answer.status, answer.body)
    };
    assert_eq!(ask(), (429, b"1".to_vec()));
    assert_eq!((ask(), ask()), ((200, b"2".to_vec()), (200, b"2".to_vec())));
    let recorded = service.recorded("s");
    assert_eq!(recorded.len(), 3);
    assert!(recorded.iter().all(|request| request.connection == 1 && request.body == b"{\"q\":0}"));
    assert_eq!(
        (recorded[0].method.as_str(), recorded[0].target.as_str()),
        ("POST", "/scripts/s/v1/x?y=1")
    );
    assert_eq!(recorded[0].header("x-mark"), Some("m"));
    assert!(recorded.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert!(service.recorded("").is_empty());
    // Registering again begins again.
    service.script("s", Script::sequence(vec![Exchange::json(500, "3")]));
    assert!(service.recorded("s").is_empty());
    assert_eq!(ask(), (500, b"3".to_vec()));
    service.clear();
    assert!(service.recorded("s").is_empty());
    assert_eq!(ask(), (500, b"3".to_vec()));
}

#[test]
fn a_script_may_leave_a_body_unfinished() {
    let part = Exchange::raw("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
    let (_service, mut client) = start(Script::sequence(vec![part, Exchange::raw("cd")]));
    client.send("POST", TARGET, &[("Connection", "close")], "{}");
    assert!(client.read().unwrap().ends_with(b"\r\n\r\nab"));
    client.send("POST", TARGET, &[], "{}");
    assert_eq!(client.read().unwrap(), b"cd");
}

#[test]
fn a_client_leaving_a_stalled_script_closes_the_connection() {
    let steps = vec![Step::send("a"), Step::StallForever];
    let (service, mut client) = start(Script::one(Exchange { steps }));
    client.send("POST", TARGET, &[], "{}");
    assert_eq!(client.read().unwrap(), b"a");
    assert_eq!(service.open_connections(), 1);
    drop(client);
    eventually("the connection is closed", || service.open_connections() == 0);
    assert_eq!(service.connections(), 1);
}

#[test]
fn unknown_scripts_are_reported() {
    let (_service, mut client) = start(Script::one(Exchange::json(200, "1")));
    let answer = client.call("POST", "/scripts/other/v1/models", &[], "");
    assert_eq!(answer.status, 404);
    assert!(answer.error("message").contains("\"other\""));
    assert_eq!(client.call("GET", "/scriptsx", &[], "").status, 404);
}
