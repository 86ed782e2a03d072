//! One scenario of the benchmark in one process: does the work, prints the CPU time that each
//! operation took in this process. Knows no other client.
//!
//! `bench-client SCENARIO BASE_URL COUNT`; `run.py` beside this crate calls it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a benchmark that fails should stop with its reason"
)]

use std::time::{Duration, Instant};

use modelwire::{Client, Config, Request};

const CHAT: &str = r#"{"model":"bench","messages":[{"role":"user","content":"hello"}]}"#;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [scenario, base_url, count] = arguments.as_slice() else {
        panic!("usage: bench-client SCENARIO BASE_URL COUNT");
    };
    let count: u64 = count.parse().expect("COUNT is a number");
    if scenario == "sse-linear" {
        return sse_linear();
    }
    let run = match scenario.as_str() {
        "bare-stream" => bare_stream,
        "bare-plain" => bare_plain,
        "rust-stream" => rust_stream,
        "rust-stream-async" => rust_stream_async,
        "rust-plain" => rust_plain,
        other => panic!("no scenario {other}"),
    };
    let (wall, cpu) = (Instant::now(), cpu_time());
    let done = run(base_url, count);
    let per = |time: Duration| time.as_secs_f64() * 1e6 / done as f64;
    println!("{:.4} {:.4} {done}", per(cpu_time() - cpu), per(wall.elapsed()));
}

fn cpu_time() -> Duration {
    // SAFETY: plain data that the call fills in.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let time = |value: libc::timeval| {
        Duration::from_secs(value.tv_sec as u64) + Duration::from_micros(value.tv_usec as u64)
    };
    time(usage.ru_utime) + time(usage.ru_stime)
}

fn bare_client() -> reqwest::Client {
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(rustls::RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .http1_only()
        .build()
        .unwrap()
}

/// The floor of a stream: reqwest drains the body on one runtime thread and counts bytes.
fn bare_stream(base_url: &str, chunks: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let body = CHAT.replacen('{', "{\"stream\":true,", 1);
        let url = format!("{base_url}/chat/completions");
        let mut response = bare_client().post(url).body(body).send().await.unwrap();
        let mut bytes = 0;
        while let Some(piece) = response.chunk().await.unwrap() {
            bytes += piece.len();
        }
        assert!(bytes as u64 > chunks * 50, "{bytes} bytes came");
    });
    chunks
}

/// The floor of a plain call: one after another, the body read whole.
fn bare_plain(base_url: &str, calls: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = bare_client();
        let url = format!("{base_url}/chat/completions");
        for _ in 0..calls {
            let mut response = client.post(&url).body(CHAT).send().await.unwrap();
            let mut bytes = 0;
            while let Some(piece) = response.chunk().await.unwrap() {
                bytes += piece.len();
            }
            assert!(bytes > 100);
        }
    });
    calls
}

fn client(base_url: &str) -> Client {
    Client::new(Config::new().base_url(base_url).api_key("sk-test")).unwrap()
}

fn rust_stream(base_url: &str, chunks: u64) -> u64 {
    let client = client(base_url);
    let (mut seen, mut bytes) = (0, 0);
    for chunk in client.blocking().stream(Request::chat_json(CHAT)).unwrap() {
        bytes += chunk.unwrap().text().len();
        seen += 1;
    }
    assert!(seen > chunks && bytes as u64 >= chunks, "{seen} chunks, {bytes} bytes of text");
    chunks
}

fn rust_stream_async(base_url: &str, chunks: u64) -> u64 {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let client = client(base_url);
    runtime.block_on(async {
        let mut stream = client.stream(Request::chat_json(CHAT)).await.unwrap();
        let (mut seen, mut bytes) = (0, 0);
        while let Some(chunk) = stream.next().await {
            bytes += chunk.unwrap().text().len();
            seen += 1;
        }
        assert!(seen > chunks && bytes as u64 >= chunks, "{seen} chunks, {bytes} bytes of text");
    });
    chunks
}

fn rust_plain(base_url: &str, calls: u64) -> u64 {
    let client = client(base_url);
    for _ in 0..calls {
        let answer = client.blocking().send(Request::chat_json(CHAT)).unwrap();
        assert!(!answer.text().is_empty());
    }
    calls
}

/// One event of growing size, fed in pieces of one byte and of 16 KiB: nanoseconds per byte, which
/// stay the same where the time is linear.
fn sse_linear() {
    for piece in [1, 16 << 10] {
        for mebibytes in [1, 4, 16] {
            let mut event = b"data: ".to_vec();
            event.resize((mebibytes << 20) - 2, b'x');
            event.extend_from_slice(b"\n\n");
            let mut decoder = modelwire::parse::Decoder::new(event.len());
            let (start, mut seen) = (Instant::now(), 0);
            for bytes in event.chunks(piece) {
                decoder.feed(bytes, &mut |event| seen += event.data.len()).unwrap();
            }
            assert_eq!(seen, event.len() - 8);
            let ns = start.elapsed().as_secs_f64() * 1e9 / event.len() as f64;
            println!("{mebibytes:>3} MiB in pieces of {piece:>5} bytes: {ns:.3} ns per byte");
        }
    }
}
