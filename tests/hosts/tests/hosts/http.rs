//! The example with libevent, an HTTP server: readers that are fast, slow, and gone.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use modelwire_testing::Service;

use crate::build::example;
use crate::running::{PATIENCE, Running, at, check_idle, wait_until};
use crate::scripts::{cut, long_stream, stalling_service};

const READERS: usize = 200;
const LONG: usize = 200 << 20;
/// What the server may need more while 200 MiB wait for a slow reader: two sockets, the queue of
/// one call, libevent's buffer.
const SLACK_KIB: u64 = 16 << 10;

struct Server {
    running: Running,
    port: u16,
}

impl Server {
    fn start(base_url: &str, model: &str) -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let program = example("libevent.c");
        let running = Running::start(at(program, base_url).args([model, &port.to_string()]));
        wait_until("it listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Server { running, port }
    }

    fn post(&self, text: impl AsRef<[u8]>) -> TcpStream {
        let text = text.as_ref();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let length = text.len();
        let head = format!("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n");
        write!(stream, "{head}Connection: close\r\n\r\n").unwrap();
        stream.write_all(text).unwrap();
        stream
    }

    fn memory_kib(&self) -> u64 {
        let path = format!("/proc/{}/status", self.running.id());
        let text = std::fs::read_to_string(path).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    }
}

/// The whole answer, without its framing where it is in chunks.
fn answer(mut stream: TcpStream) -> String {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let Some((head, body)) = text.split_once("\r\n\r\n") else {
        return format!("{text}(broken off)");
    };
    if !head.contains("chunked") {
        return text;
    }
    let mut rest = body;
    let mut told = String::new();
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return told;
        }
        told.push_str(&after[..length]);
        rest = &after[length + 2..];
    }
    format!("{told} (broken off)")
}

#[test]
fn hundreds_of_readers_are_served_at_once() {
    let service = Service::start().unwrap();
    let server = Server::start(&service.base_url(), "slow");
    let texts: Vec<String> = (0..READERS).map(|number| format!("a b {number}")).collect();
    let start = std::time::Instant::now();
    let streams: Vec<TcpStream> = texts.iter().map(|text| server.post(text)).collect();
    let told: Vec<String> = streams.into_iter().map(answer).collect();
    assert_eq!(told, texts);
    // clock: beside what they take one after another
    assert!(start.elapsed() < Duration::from_secs(20), "one after another they take 80 s");
}

#[test]
fn failures_become_statuses() {
    let service = Service::start().unwrap();
    let server = Server::start(&service.base_url(), "none");
    assert!(answer(server.post("x")).starts_with("HTTP/1.1 502 not_found\r\n"));
    let mut bad = server.post("x");
    bad = {
        drop(bad);
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let head =
            b"POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\n\xff";
        stream.write_all(head).unwrap();
        stream
    };
    assert!(answer(bad).starts_with("HTTP/1.1 400 "));
}

#[test]
fn a_truncated_stream_is_not_shown_as_complete() {
    let service = Service::start().unwrap();
    let server = Server::start(&service.script("cut", cut()), "any");
    // What libevent had not sent yet is lost too.
    let told = answer(server.post("x"));
    assert!(["half (broken off)", "(broken off)"].contains(&&*told), "{told}");
}

#[test]
fn a_slow_reader_uses_little_memory_and_blocks_no_other() {
    let service = Service::start().unwrap();
    let server = Server::start(&service.script("long", long_stream(LONG)), "any");
    let slow = server.post("x");
    // It reads nothing, until nothing moves any more.
    // clock: the host stops in the middle
    std::thread::sleep(Duration::from_millis(500));
    check_idle("libevent, with a reader that does not read", server.running.id());
    let before = server.memory_kib();
    let fast = answer(server.post("x"));
    assert_eq!(fast.len(), LONG, "{}", &fast[fast.len() - 20..]);
    let more = server.memory_kib().saturating_sub(before);
    println!("libevent: {more} KiB more while another reader took {LONG} bytes");
    assert!(more < SLACK_KIB && before < 4 * SLACK_KIB, "{before} KiB, then {more} KiB more");
    // It is not lost either.
    assert_eq!(answer(slow).len(), LONG);
}

#[test]
fn a_reader_that_goes_away_ends_its_chat() {
    let (service, url) = stalling_service(&["once"]);
    let server = Server::start(&url, "any");
    let mut streams: Vec<TcpStream> = (0..20).map(|_| server.post("x")).collect();
    for stream in &mut streams {
        let mut some = [0; 100];
        assert!(stream.read(&mut some).unwrap() > 0);
    }
    assert_eq!(service.open_connections(), 20);
    check_idle("libevent, with 20 silent chats", server.running.id());
    streams.truncate(5);
    wait_until("their exchanges are closed", || service.open_connections() == 5);
    server.running.signal(libc::SIGINT);
    let (status, lines) = server.running.end();
    assert!(status.success(), "{status}: {lines:?}");
    wait_until("all are closed", || service.open_connections() == 0);
}
