//! The byte server of the benchmark: answers with bytes that were rendered before, at full speed or
//! paced.
//!
//! ```text
//! /KIND/EVENTS/EVENTS_PER_HTTP_CHUNK/BYTES_PER_EVENT/PAUSE_MS/v1/...
//! ```
//!
//! KIND is `chat` or `responses` for a stream, `plain` for a whole chat answer. `GET` of a path that
//! ends in `/expected` tells what a client must have received.
#![allow(clippy::expect_used, reason = "a benchmark that fails should stop with its reason")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use modelwire_bench::render::{Rendered, Route};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::MissedTickBehavior;

type Cache = Rc<RefCell<HashMap<String, Rc<Rendered>>>>;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime.expect("a runtime"), serve());
}

async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("the port"));
    let cache = Cache::default();
    // The harness holds our standard input: when it goes away, so do we.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    loop {
        if let Ok((socket, _)) = listener.accept().await {
            let _ = socket.set_nodelay(true);
            tokio::task::spawn_local(connection(socket, cache.clone()));
        }
    }
}

/// Requests of one connection, until the client goes away.
async fn connection(mut socket: TcpStream, cache: Cache) {
    let mut seen = Vec::new();
    while let Some(path) = next_request(&mut socket, &mut seen).await {
        let Some(rendered) = rendered(&cache, &path) else {
            let _ = socket.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
            continue;
        };
        let sent = match path.ends_with("/expected") {
            true => socket.write_all(&rendered.expected).await,
            false => send(&mut socket, &rendered).await,
        };
        if sent.is_err() {
            return;
        }
    }
}

fn rendered(cache: &Cache, path: &str) -> Option<Rc<Rendered>> {
    let key = path.split("/v1").next()?;
    if let Some(found) = cache.borrow().get(key) {
        return Some(found.clone());
    }
    let made = Rc::new(Rendered::new(&Route::parse(key)?));
    cache.borrow_mut().insert(key.to_owned(), made.clone());
    Some(made)
}

/// The path of the next request; its body is read and not looked at.
async fn next_request(socket: &mut TcpStream, seen: &mut Vec<u8>) -> Option<String> {
    loop {
        if let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(seen.get(..end)?).into_owned();
            let body = content_length(&head);
            while seen.len() < end + 4 + body {
                read_more(socket, seen).await?;
            }
            seen.drain(..end + 4 + body);
            return head.split(' ').nth(1).map(str::to_owned);
        }
        read_more(socket, seen).await?;
    }
}

async fn read_more(socket: &mut TcpStream, seen: &mut Vec<u8>) -> Option<()> {
    (socket.read_buf(seen).await.ok()? > 0).then_some(())
}

fn content_length(head: &str) -> usize {
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
}

async fn send(socket: &mut TcpStream, rendered: &Rendered) -> std::io::Result<()> {
    if rendered.pause.is_zero() {
        for (bytes, times) in &rendered.blocks {
            for _ in 0..*times {
                socket.write_all(bytes).await?;
            }
        }
        return Ok(());
    }
    let mut ticks = tokio::time::interval(rendered.pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for (bytes, times) in &rendered.blocks {
        for _ in 0..*times {
            if bytes.starts_with(b"HTTP/") {
                socket.write_all(bytes).await?;
                continue;
            }
            wait_or_gone(socket, &mut ticks).await?;
            socket.write_all(bytes).await?;
        }
    }
    Ok(())
}

/// Until the next tick; an error as soon as the client goes away.
async fn wait_or_gone(
    socket: &mut TcpStream,
    ticks: &mut tokio::time::Interval,
) -> std::io::Result<()> {
    if ticks.period() < Duration::from_secs(1) {
        ticks.tick().await; // a short pause: the next write finds out
        return Ok(());
    }
    let mut byte = [0];
    tokio::select! {
        _ = ticks.tick() => Ok(()),
        read = socket.peek(&mut byte) => match read {
            Ok(0) | Err(_) => Err(std::io::ErrorKind::ConnectionReset.into()),
            Ok(_) => Ok(()),
        },
    }
}
