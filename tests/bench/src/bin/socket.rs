//! The lowest floor: a raw socket that only finds the ends of events.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark that fails should stop with its reason"
)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use modelwire_bench::measure::{CHAT_STREAM, Found, Seen, Task, measure, median_us};

fn main() {
    measure(|task| match task.work.as_str() {
        "stream" => stream(task),
        "first" => first(task),
        other => panic!("no work {other}"),
    });
}

/// `http://HOST:PORT/PATH` to a connection and the bytes of a request.
fn connect(base_url: &str) -> (TcpStream, String) {
    let (host, path) = base_url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let request = format!(
        "POST /{path}/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{CHAT_STREAM}",
        CHAT_STREAM.len()
    );
    let socket = TcpStream::connect(host).unwrap();
    socket.set_nodelay(true).unwrap();
    (socket, request)
}

/// Counts blank lines; text is not looked at, so none is told.
fn stream(task: &Task) -> (Seen, Found) {
    let (mut socket, request) = connect(&task.base_url);
    socket.write_all(request.as_bytes()).unwrap();
    let mut ends = Ends::default();
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = socket.read(&mut buffer).unwrap();
        assert!(length > 0, "the server closed early");
        ends.count(&buffer[..length]);
        if ends.is_last(&buffer[..length]) {
            // [DONE] is an event of the wire but no chunk.
            return (Seen { events: ends.seen - 1, text_bytes: 0 }, vec![]);
        }
    }
}

/// From writing the request to the end of the first event, on one connection.
fn first(task: &Task) -> (Seen, Found) {
    let (mut socket, request) = connect(&task.base_url);
    let mut times = Vec::new();
    let mut buffer = vec![0; 256 << 10];
    for _ in 0..task.operations {
        let start = Instant::now();
        let mut ends = Ends::default();
        let mut has_first = false;
        socket.write_all(request.as_bytes()).unwrap();
        loop {
            let length = socket.read(&mut buffer).unwrap();
            assert!(length > 0, "the server closed early");
            ends.count(&buffer[..length]);
            if ends.seen > 0 && !has_first {
                has_first = true;
                times.push(start.elapsed());
            }
            if ends.is_last(&buffer[..length]) {
                break;
            }
        }
    }
    let seen = Seen { events: 2 * task.operations, text_bytes: 0 };
    (seen, vec![("first_us", median_us(&mut times))])
}

/// Pairs of newlines, also across reads; the last bytes of the body.
#[derive(Default)]
struct Ends {
    seen: u64,
    has_newline: bool,
    last: Vec<u8>,
}

impl Ends {
    fn count(&mut self, bytes: &[u8]) {
        let mut at = 0;
        if self.has_newline && bytes[0] == b'\n' {
            self.seen += 1;
        }
        // An event of the benchmark ends in a newline that follows a newline; memchr is the C
        // library's, vectorised.
        while let Some(found) = newline(&bytes[at..]) {
            at += found + 1;
            if bytes.get(at) == Some(&b'\n') {
                self.seen += 1;
                at += 1;
            }
        }
        self.has_newline = bytes.ends_with(b"\n") && !bytes.ends_with(b"\n\n");
    }

    /// The body's end: the last chunk of HTTP's framing.
    fn is_last(&mut self, bytes: &[u8]) -> bool {
        self.last.extend_from_slice(&bytes[bytes.len().saturating_sub(7)..]);
        let excess = self.last.len().saturating_sub(7);
        self.last.drain(..excess);
        self.last.ends_with(b"\r\n0\r\n\r\n")
    }
}

fn newline(bytes: &[u8]) -> Option<usize> {
    // SAFETY: memchr reads within the slice.
    let found = unsafe { libc::memchr(bytes.as_ptr().cast(), i32::from(b'\n'), bytes.len()) };
    (!found.is_null()).then(|| found as usize - bytes.as_ptr() as usize)
}
