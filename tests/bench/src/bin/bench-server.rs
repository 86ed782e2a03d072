//! The byte server of the benchmark: answers with bytes that were rendered before, at full speed or
//! paced.
//!
//! ```text
//! /KIND/EVENTS/EVENTS_PER_HTTP_CHUNK/BYTES_PER_EVENT/PAUSE_MS/v1/...
//! ```
//!
//! KIND is `chat` or `responses` for a stream, `plain` for a whole chat answer, `closing` for one after which
//! the connection is closed. `GET` of a path that ends in `/expected` tells what a client must have received.
//!
//! It prints its address. With `CERTIFICATE.pem KEY.pem` it also listens for TLS, and prints that address on the
//! next line; sessions can be resumed.
#![allow(clippy::expect_used, reason = "a benchmark that fails should stop with its reason")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use modelwire_bench::render::{Rendered, Route};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::MissedTickBehavior;
use tokio_rustls::TlsAcceptor;

type Cache = Rc<RefCell<HashMap<String, Rc<Rendered>>>>;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tasks = tokio::task::LocalSet::new();
    tasks.block_on(&runtime.expect("a runtime"), serve());
}

async fn serve() {
    let plain = listen().await;
    let cache = Cache::default();
    if let Some(acceptor) = acceptor() {
        tokio::task::spawn_local(serve_tls(listen().await, acceptor, cache.clone()));
    }
    // The harness holds our standard input: when it goes away, so do we.
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    loop {
        if let Ok((socket, _)) = plain.accept().await {
            let _ = socket.set_nodelay(true);
            tokio::task::spawn_local(connection(socket, cache.clone()));
        }
    }
}

async fn listen() -> TcpListener {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    println!("{}", listener.local_addr().expect("the port"));
    listener
}

/// Of the certificate and the key that the command line names.
fn acceptor() -> Option<TlsAcceptor> {
    let mut files = std::env::args().skip(1);
    let (certificate, key) = (files.next()?, files.next()?);
    let certificate = CertificateDer::from_pem_file(certificate).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(key).expect("a private key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("protocol versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key);
    Some(TlsAcceptor::from(Arc::new(config.expect("a certificate and its key"))))
}

async fn serve_tls(listener: TcpListener, acceptor: TlsAcceptor, cache: Cache) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { continue };
        let _ = socket.set_nodelay(true);
        let (acceptor, cache) = (acceptor.clone(), cache.clone());
        tokio::task::spawn_local(async move {
            if let Ok(socket) = acceptor.accept(socket).await {
                connection(socket, cache).await;
            }
        });
    }
}

/// Requests of one connection, until one of both sides closes it.
async fn connection(mut socket: impl AsyncRead + AsyncWrite + Unpin, cache: Cache) {
    let mut seen = Vec::new();
    while let Some(path) = next_request(&mut socket, &mut seen).await {
        let Some(rendered) = rendered(&cache, &path) else {
            let _ = socket.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n").await;
            continue;
        };
        let is_question = path.ends_with("/expected");
        let sent = match is_question {
            true => write(&mut socket, &rendered.expected).await,
            false => send(&mut socket, &rendered, &mut seen).await,
        };
        if sent.is_err() || (rendered.is_closing && !is_question) {
            let _ = socket.shutdown().await;
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
async fn next_request(socket: &mut (impl AsyncRead + Unpin), seen: &mut Vec<u8>) -> Option<String> {
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

async fn read_more(socket: &mut (impl AsyncRead + Unpin), seen: &mut Vec<u8>) -> Option<()> {
    (socket.read_buf(seen).await.ok()? > 0).then_some(())
}

fn content_length(head: &str) -> usize {
    let mut fields = head.lines().filter_map(|line| line.split_once(':'));
    let length = fields.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0)
}

/// TLS keeps what was written until it is flushed.
async fn write(socket: &mut (impl AsyncWrite + Unpin), bytes: &[u8]) -> std::io::Result<()> {
    socket.write_all(bytes).await?;
    socket.flush().await
}

async fn send(
    socket: &mut (impl AsyncRead + AsyncWrite + Unpin),
    rendered: &Rendered,
    seen: &mut Vec<u8>,
) -> std::io::Result<()> {
    if rendered.pause.is_zero() {
        for (bytes, times) in &rendered.blocks {
            for _ in 0..*times {
                write(socket, bytes).await?;
            }
        }
        return Ok(());
    }
    let mut ticks = tokio::time::interval(rendered.pause);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    for (bytes, times) in &rendered.blocks {
        for _ in 0..*times {
            if !bytes.starts_with(b"HTTP/") {
                wait_or_gone(socket, seen, &mut ticks).await?;
            }
            write(socket, bytes).await?;
        }
    }
    Ok(())
}

/// Until the next tick; an error as soon as the client goes away.
async fn wait_or_gone(
    socket: &mut (impl AsyncRead + Unpin),
    seen: &mut Vec<u8>,
    ticks: &mut tokio::time::Interval,
) -> std::io::Result<()> {
    if ticks.period() < Duration::from_secs(1) {
        ticks.tick().await; // a short pause: the next write finds out
        return Ok(());
    }
    loop {
        tokio::select! {
            _ = ticks.tick() => return Ok(()),
            read = read_more(socket, seen) => read.ok_or(std::io::ErrorKind::ConnectionReset)?,
        }
    }
}
