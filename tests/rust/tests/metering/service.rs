//! A service on raw sockets that answers every call at once, unless it has moods, and counts, by the `id` of its query, which
//! requests reached it, a part of one too.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::Random;

const PATIENCE: Duration = Duration::from_secs(60);
/// Of the connection that shows that all earlier ones were accepted.
const LAST: u64 = u64::MAX;
const ANSWER: &str = concat!(
    r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"#,
    r#""finish_reason":"stop"}]}"#
);

/// What a service of moods does with a request.
#[derive(Clone, Copy)]
enum Act {
    Answers,
    Refuses,
    Closes,
    Cuts,
    /// A success that is none.
    Lies,
    Hangs,
}

/// The faults, one request in `ACTS_OF` for each of these.
const ACTS: [Act; 7] =
    [Act::Refuses, Act::Refuses, Act::Refuses, Act::Closes, Act::Cuts, Act::Lies, Act::Hangs];
const ACTS_OF: u64 = 24;

#[derive(Default)]
struct State {
    /// How often each request came.
    received: Mutex<HashMap<u64, u64>>,
    /// How often each was refused, which costs nothing.
    refused: Mutex<HashMap<u64, u64>>,
    /// The seed of its faults, if it has any.
    moods: Option<AtomicU64>,
    /// Beginnings of requests that ended before their id.
    nameless: AtomicUsize,
    open: AtomicUsize,
    is_over: AtomicBool,
}

pub struct Counting {
    address: SocketAddr,
    state: Arc<State>,
}

impl Counting {
    pub fn start() -> Counting {
        Counting::start_with(State::default())
    }

    /// One that refuses, closes, cuts, lies and hangs at random.
    pub fn with_moods(seed: u64) -> Counting {
        Counting::start_with(State { moods: Some(AtomicU64::new(seed)), ..State::default() })
    }

    fn start_with(state: State) -> Counting {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(state);
        std::thread::spawn({
            let state = state.clone();
            move || accept(&listener, &state)
        });
        Counting { address, state }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// How often each request was refused.
    pub fn refused(&self) -> HashMap<u64, u64> {
        self.state.refused.lock().unwrap().clone()
    }

    /// How often each request came, once all that was written to it was read: no client has a connection
    /// any more.
    pub fn settled(&self) -> HashMap<u64, u64> {
        let mut last = TcpStream::connect(self.address).unwrap();
        last.write_all(format!("GET /?id={LAST} HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
        let begun = Instant::now();
        let is_accepted = || self.state.received.lock().unwrap().remove(&LAST).is_some();
        while !is_accepted() {
            assert!(begun.elapsed() < PATIENCE, "the service does not accept");
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(last);
        while self.state.open.load(Ordering::SeqCst) > 0 {
            assert!(begun.elapsed() < PATIENCE, "a client keeps its connection");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(self.state.nameless.load(Ordering::SeqCst), 0, "a request without its id");
        std::mem::take(&mut *self.state.received.lock().unwrap())
    }
}

impl State {
    fn act(&self) -> Act {
        let Some(moods) = &self.moods else { return Act::Answers };
        let random = Random(moods.fetch_add(1, Ordering::SeqCst)).next();
        ACTS.get((random % ACTS_OF) as usize).copied().unwrap_or(Act::Answers)
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        drop(TcpStream::connect(self.address));
    }
}

fn accept(listener: &TcpListener, state: &Arc<State>) {
    for stream in listener.incoming() {
        if state.is_over.load(Ordering::SeqCst) {
            return;
        }
        // Too many descriptors for a moment: the queue keeps it.
        let Ok(stream) = stream else { continue };
        state.open.fetch_add(1, Ordering::SeqCst);
        let state = state.clone();
        std::thread::spawn(move || {
            serve(stream, &state);
            state.open.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

/// Reads requests to the end of a connection.
fn serve(mut stream: TcpStream, state: &State) {
    stream.set_nodelay(true).unwrap();
    let mut piece = [0; 16 << 10];
    let mut bytes = Vec::new();
    // Of the request that is being read.
    let mut is_counted = false;
    loop {
        if !is_counted && let Some(id) = id_of(&bytes) {
            *state.received.lock().unwrap().entry(id).or_default() += 1;
            is_counted = true;
        }
        if let Some(length) = length_of(&bytes).filter(|length| bytes.len() >= *length) {
            let id = id_of(&bytes);
            bytes.drain(..length);
            is_counted = false;
            let answer = match (state.act(), id) {
                (Act::Refuses, Some(id)) if id != LAST => {
                    *state.refused.lock().unwrap().entry(id).or_default() += 1;
                    answer_of("429 Too Many Requests", "{}")
                }
                (Act::Closes, _) => return,
                (Act::Cuts, _) => {
                    let whole = answer_of("200 OK", ANSWER);
                    let _ = stream.write_all(&whole.as_bytes()[..whole.len() - 9]);
                    return;
                }
                (Act::Lies, _) => answer_of("200 OK", r#"{"error":{"message":"no"}}"#),
                (Act::Hangs, _) => continue,
                (Act::Answers | Act::Refuses, _) => answer_of("200 OK", ANSWER),
            };
            // Whoever has gone away does not want it.
            let _ = stream.write_all(answer.as_bytes());
            continue;
        }
        match stream.read(&mut piece) {
            Ok(count) if count > 0 => bytes.extend_from_slice(&piece[..count]),
            Ok(_) | Err(_) => break,
        }
    }
    if !bytes.is_empty() && !is_counted {
        state.nameless.fetch_add(1, Ordering::SeqCst);
    }
}

fn answer_of(status: &str, body: &str) -> String {
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nContent-Type: application/json");
    format!("{head}\r\nContent-Length: {length}\r\n\r\n{body}")
}

/// The id in the first line, once that is whole.
fn id_of(bytes: &[u8]) -> Option<u64> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n")?;
    let line = std::str::from_utf8(&bytes[..end]).unwrap();
    let digits = line.split_once("id=").unwrap_or_else(|| panic!("no id: {line}")).1;
    digits.split(' ').next()?.parse().ok()
}

/// How long a request is, once its head is whole.
fn length_of(bytes: &[u8]) -> Option<usize> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).unwrap().to_ascii_lowercase();
    let body = head
        .split_once("content-length: ")
        .map_or(0, |(_, after)| after.split("\r\n").next().unwrap().parse::<usize>().unwrap());
    Some(end + body)
}
