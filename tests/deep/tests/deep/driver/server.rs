//! A service that stamps what it says: when the request came, when each piece was written. A thread
//! for each connection.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::str::FromStr;
use std::thread;
use std::time::Duration;

use super::clock::{Nanos, now};
use crate::support::{DONE, piece};

pub const PLAN_HEADER: &str = "x-plan";
const STACK_BYTES: usize = 256 << 10;

/// What a call wants to be answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Milliseconds before the answer begins.
    pub think: u64,
    /// Pieces of a stream; none for a plain answer.
    pub chunks: u64,
    /// Milliseconds between two of them.
    pub gap: u64,
    /// The connection is announced to close, and closed, after the answer.
    pub closes: bool,
}

impl Plan {
    /// As it stands in the header, with the tag of the call.
    pub fn header(self, tag: usize) -> String {
        let Plan { think, chunks, gap, closes } = self;
        format!("{tag} {think} {chunks} {gap} {}", u64::from(closes))
    }

    fn parse(header: &str) -> Option<(usize, Plan)> {
        let words = header.split_whitespace().map(|word| word.parse().ok());
        let words: Option<Vec<u64>> = words.collect();
        let [tag, think, chunks, gap, closes] = words?[..] else { return None };
        Some((usize::try_from(tag).ok()?, Plan { think, chunks, gap, closes: closes == 1 }))
    }
}

/// What each piece of an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub tag: usize,
    /// Which piece it is, from 0.
    pub number: u64,
    /// When the request had come.
    pub arrived: Nanos,
    /// When the piece was about to be written.
    pub written: Nanos,
    /// The request was the first one of its connection.
    pub is_fresh: bool,
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stamp { tag, number, arrived, written, is_fresh } = self;
        write!(f, "{tag} {number} {arrived} {written} {}", u64::from(*is_fresh))
    }
}

impl FromStr for Stamp {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Stamp, String> {
        let wrong = || format!("not what the server says: {text:?}");
        let words = text.split(' ').map(|word| word.parse().ok());
        let words: Option<Vec<u64>> = words.collect();
        let [tag, number, arrived, written, is_fresh] = words.ok_or_else(wrong)?[..] else {
            return Err(wrong());
        };
        let tag = usize::try_from(tag).map_err(|_| wrong())?;
        Ok(Stamp { tag, number, arrived, written, is_fresh: is_fresh == 1 })
    }
}

/// Serves until the process ends.
pub fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for peer in listener.incoming().flatten() {
            // A peer that goes away ends its thread.
            let serve = move || drop(serve(&peer));
            thread::Builder::new().stack_size(STACK_BYTES).spawn(serve).unwrap();
        }
    });
    address
}

fn serve(peer: &TcpStream) -> Result<()> {
    peer.set_nodelay(true)?;
    let mut requests = BufReader::new(peer);
    let mut is_fresh = true;
    while let Some((tag, plan)) = read_request(&mut requests)? {
        let stamp = Stamp { tag, number: 0, arrived: now(), written: 0, is_fresh };
        // clock: the slowness itself
        thread::sleep(Duration::from_millis(plan.think));
        match plan.chunks {
            0 => answer(peer, plan, stamp)?,
            _ => stream(peer, plan, stamp)?,
        }
        if plan.closes {
            return Ok(());
        }
        is_fresh = false;
    }
    Ok(())
}

/// The plan of the next request; `None` at the end of the connection.
fn read_request(from: &mut impl BufRead) -> Result<Option<(usize, Plan)>> {
    let (mut length, mut plan) = (0, None);
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim_end().to_lowercase();
        if line.is_empty() {
            break;
        }
        match line.split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap_or(0),
            Some((PLAN_HEADER, value)) => plan = Plan::parse(value),
            _ => {}
        }
    }
    from.take(length).read_to_end(&mut Vec::new())?;
    Ok(Some(plan.unwrap_or_default()))
}

fn head(plan: Plan, kind: &str, body: &str) -> String {
    let keep = if plan.closes { "close" } else { "keep-alive" };
    format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: {keep}\r\n{body}\r\n\r\n")
}

fn answer(mut peer: &TcpStream, plan: Plan, stamp: Stamp) -> Result<()> {
    let stamp = Stamp { written: now(), ..stamp };
    let body = format!(
        "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{stamp}\"}},\
         \"finish_reason\":\"stop\"}}]}}"
    );
    let head = head(plan, "application/json", &format!("Content-Length: {}", body.len()));
    peer.write_all((head + &body).as_bytes())
}

/// The end of the body comes with the last piece.
fn stream(mut peer: &TcpStream, plan: Plan, stamp: Stamp) -> Result<()> {
    let mut text = head(plan, "text/event-stream", "Transfer-Encoding: chunked");
    for number in 0..plan.chunks {
        if number > 0 {
            // clock: the slowness itself
            thread::sleep(Duration::from_millis(plan.gap));
        }
        let stamp = Stamp { number, written: now(), ..stamp };
        let event = format!("data: {}\n\n", piece(&stamp.to_string()));
        text += &format!("{:x}\r\n{event}\r\n", event.len());
        if number + 1 == plan.chunks {
            let end = format!("data: {DONE}\n\n");
            text += &format!("{:x}\r\n{end}\r\n0\r\n\r\n", end.len());
        }
        peer.write_all(text.as_bytes())?;
        text.clear();
    }
    Ok(())
}
