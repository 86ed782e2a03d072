//! Thousands of streams at once and millions of chunks, the service in a process of its own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use modelwire::{Call, Client, Event, Limits, Pop};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::support::{Helper, config, eventually, hello, in_child, is_child, memory, piece};

const STREAMS: usize = 2000;
/// What one open stream may cost; generous.
const STREAM_BYTES_MAX: usize = 64 << 10;
const CHUNKS: usize = 1_000_000;
/// What a long stream may leave behind; generous.
const GROWTH_MAX: usize = 16 << 20;

/// As many files as the system lets this process have open.
fn raise_files(needed: usize) {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls only read or fill in the structure.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
        limit.rlim_cur = limit.rlim_max;
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
    }
    let most = usize::try_from(limit.rlim_max).unwrap_or(usize::MAX);
    assert!(most >= needed, "needs {needed} open files, the limit is {most}: ulimit -Hn {needed}");
}

/// The role of the service's process, and an empty test where nobody asked for it.
#[test]
fn service_process() {
    if !is_child() {
        return;
    }
    raise_files(STREAMS + 100);
    let service = Service::start().unwrap();
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let first = format!("{head}data: {}\n\n", piece("a"));
    let stalled = Exchange { steps: vec![Step::send(first), Step::StallForever] };
    service.script("stalled", Script::one(stalled));
    let long = Exchange::pre_rendered_stream(&piece("word "), CHUNKS, 1);
    service.script("long", Script::one(long));
    println!("\nservice at {}", service.address());
    let mut rest = Vec::new();
    std::io::stdin().read_to_end(&mut rest).unwrap();
}

fn start_service() -> Helper {
    Helper::start("many::service_process", "service at ")
}

/// The connections that the service has open, this question's own not counted.
fn open_connections(address: &str) -> u64 {
    let mut peer = TcpStream::connect(address).unwrap();
    write!(peer, "GET /_control/state HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
    let mut told = String::new();
    peer.read_to_string(&mut told).unwrap();
    let body = told.split_once("\r\n\r\n").unwrap().1;
    let state: serde_json::Value = serde_json::from_str(body).unwrap();
    state["open_connections"].as_u64().unwrap().saturating_sub(1)
}

/// How many sockets this process has open.
fn sockets() -> usize {
    let links = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    let targets = links.filter_map(|link| std::fs::read_link(link.path()).ok());
    targets.filter(|target| target.to_string_lossy().starts_with("socket:")).count()
}

/// Design: one stream costs almost nothing.
#[test]
fn two_thousand_streams_are_open_at_once() {
    in_child("many::two_thousand_streams_are_open_at_once", &[], || {
        // Connections take no more than half of them.
        raise_files(3 * STREAMS);
        let service = start_service();
        let base_url = format!("http://{}/scripts/stalled/v1", service.said);
        let limits = Limits::default().connections_max(STREAMS + 1);
        let client = Client::new(config(base_url).limits(limits)).unwrap();
        // The first one makes what all share.
        drop(client.blocking().stream(hello()).unwrap());
        let (before, start) = (memory(), Instant::now());
        let calls: Vec<Call> = (0..STREAMS)
            .map(|_| {
                let call = Call::new(&client, hello());
                call.start(true).unwrap();
                call
            })
            .collect();
        for call in &calls {
            assert!(matches!(call.pop(None), Ok(Pop::Event(Event::Open(_)))));
            let Ok(Pop::Event(Event::Chunk(chunk))) = call.pop(None) else {
                panic!("each stream gets its chunk");
            };
            assert_eq!(chunk.text(), "a");
        }
        let each = memory().saturating_sub(before) / STREAMS;
        println!("\nmeasured: {STREAMS} streams open in {:?}, {each} bytes each", start.elapsed());
        assert!(each < STREAM_BYTES_MAX, "{each} bytes a stream");
        assert!(sockets() >= STREAMS);
        assert_eq!(open_connections(&service.said), STREAMS as u64);
        let start = Instant::now();
        drop(calls);
        eventually("all sockets are closed", || sockets() < 20);
        eventually("the service sees it", || open_connections(&service.said) == 0);
        println!("measured: all closed in {:?}", start.elapsed());
        let again = client.blocking().stream(hello()).unwrap().next().unwrap().unwrap();
        assert_eq!(again.text(), "a");
    });
}

/// Calls beyond the cap wait in order, and each gets its answer.
#[test]
fn ten_thousand_calls_share_64_connections() {
    const CALLS: usize = 10_000;
    const CONNECTIONS: usize = 64;
    in_child("many::ten_thousand_calls_share_64_connections", &[], || {
        let service = start_service();
        let limits = Limits::default().connections_max(CONNECTIONS);
        let base_url = format!("http://{}/v1", service.said);
        let client = Client::new(config(base_url).limits(limits)).unwrap();
        let start = Instant::now();
        let calls: Vec<Call> = (0..CALLS)
            .map(|_| {
                let call = Call::new(&client, hello());
                call.start(false).unwrap();
                call
            })
            .collect();
        let started = start.elapsed();
        let mut most = 0;
        for (number, call) in calls.iter().enumerate() {
            if number % 100 == 0 {
                most = most.max(sockets());
            }
            let Ok(Pop::Event(Event::Done(outcome))) = call.pop(None) else {
                panic!("a plain call has one event");
            };
            outcome.unwrap();
        }
        let took = start.elapsed();
        println!("\nmeasured: {CALLS} calls started in {started:?}, answered in {took:?}");
        println!("measured: {most} sockets at the most");
        assert!(most <= 2 * CONNECTIONS, "{most} sockets");
        assert_eq!(client.usage()["echo"].calls, CALLS as u64);
    });
}

/// What was popped is gone.
#[test]
fn a_million_chunks_leave_the_memory_flat() {
    in_child("many::a_million_chunks_leave_the_memory_flat", &[], || {
        let service = start_service();
        let base_url = format!("http://{}/scripts/long/v1", service.said);
        let client = Client::new(config(base_url)).unwrap();
        let start = Instant::now();
        let mut stream = client.blocking().stream(hello()).unwrap();
        let (mut chunks, mut early) = (0, 0);
        for chunk in stream.by_ref() {
            chunks += usize::from(chunk.unwrap().text() == "word ");
            if chunks == CHUNKS / 100 {
                early = memory();
            }
        }
        assert_eq!(chunks, CHUNKS);
        assert!(stream.response().is_some());
        let growth = memory().saturating_sub(early);
        println!("\nmeasured: {CHUNKS} chunks in {:?}, {growth} bytes more", start.elapsed());
        assert!(growth < GROWTH_MAX, "{growth} bytes more");
    });
}
