//! What the scenarios share: clients, both ways of calling, wire bytes, waiting.

use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use modelwire::{Chunk, Client, Config, Error, Request, Response, Result, RetryPolicy};
use modelwire_testing::{Exchange, Script, Service, Step};

/// How long a condition may take to come true; far beyond what it should take.
const PATIENCE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(2);

pub fn config(base_url: impl Into<String>) -> Config {
    Config::new().base_url(base_url).api_key("sk-test")
}

pub fn client(base_url: impl Into<String>) -> Client {
    Client::new(config(base_url)).unwrap()
}

/// As many retries as by default, without the waits.
pub fn at_once() -> RetryPolicy {
    RetryPolicy::default().first_wait(Duration::from_millis(1))
}

pub fn hello() -> Request {
    Request::chat("echo").user("Hello from both sides.")
}

pub fn respond() -> Request {
    Request::responses("echo").input("Hello from both sides.")
}

pub fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().unwrap().block_on(future)
}

/// The two twins of every call.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    Async,
    Blocking,
}

pub const WAYS: [Way; 2] = [Way::Async, Way::Blocking];

/// A stream, read to its end.
#[derive(Debug)]
pub struct Read {
    pub chunks: Vec<Chunk>,
    pub outcome: Result<Response>,
}

impl Read {
    pub fn text(&self) -> String {
        self.chunks.iter().map(Chunk::text).collect()
    }

    pub fn error(&self) -> &Error {
        self.outcome.as_ref().unwrap_err()
    }

    pub fn response(&self) -> &Response {
        self.outcome.as_ref().unwrap()
    }
}

impl Way {
    pub fn models(self, client: &Client) -> Result<Response> {
        match self {
            Way::Async => block_on(client.models()),
            Way::Blocking => client.blocking().models(),
        }
    }

    pub fn send(self, client: &Client, request: Request) -> Result<Response> {
        match self {
            Way::Async => block_on(client.send(request)),
            Way::Blocking => client.blocking().send(request),
        }
    }

    /// A stream from its opening to its end; an error before the first chunk counts, too.
    pub fn read(self, client: &Client, request: Request) -> Read {
        let mut chunks = Vec::new();
        let outcome = match self {
            Way::Async => block_on(async {
                let mut stream = client.stream(request).await?;
                while let Some(chunk) = stream.next().await {
                    chunks.push(chunk?);
                }
                assert!(stream.next().await.is_none(), "the end stays");
                Ok(stream.response().unwrap().clone())
            }),
            Way::Blocking => read_blocking(client, request, &mut chunks),
        };
        Read { chunks, outcome }
    }
}

fn read_blocking(client: &Client, request: Request, chunks: &mut Vec<Chunk>) -> Result<Response> {
    let mut stream = client.blocking().stream(request)?;
    for chunk in stream.by_ref() {
        chunks.push(chunk?);
    }
    assert!(stream.next().is_none(), "the end stays");
    Ok(stream.response().unwrap().clone())
}

/// Waits until a condition holds.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        // clock: bounds a hang
        assert!(start.elapsed() < PATIENCE, "never came true: {what}");
        // clock: between two looks
        std::thread::sleep(POLL);
    }
}

/// The same for a task.
pub async fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        // clock: bounds a hang
        assert!(start.elapsed() < PATIENCE, "never came true: {what}");
        // clock: between two looks
        tokio::time::sleep(POLL).await;
    }
}

/// Repeats a measurement that a stall of the machine can spoil: one success in three tries is enough.
pub fn within_three_tries(mut measure: impl FnMut() -> std::result::Result<(), String>) {
    let mut failures = Vec::new();
    while let Err(failure) = measure() {
        failures.push(failure);
        assert!(failures.len() < 3, "all tries failed: {failures:#?}");
    }
}

/// How long after the first attempt of a call the second one came, for many calls at once that are
/// refused once each, with these headers.
pub fn retry_gaps(
    calls: usize,
    headers: &[(&str, &str)],
    config: impl Fn(String) -> Config,
) -> Vec<Duration> {
    let service = Service::start().unwrap();
    let busy = Exchange::json_with_headers(429, headers, "{}");
    let begun: Vec<_> = (0..calls)
        .map(|number| {
            let name = format!("s{number}");
            let script = Script::sequence(vec![busy.clone(), Exchange::json(200, CHAT_ANSWER)]);
            let client = Client::new(config(service.script(&name, script))).unwrap();
            (name, std::thread::spawn(move || client.blocking().send(hello()).unwrap()))
        })
        .collect();
    let gap = |(name, call): (String, JoinHandle<Response>)| {
        assert_eq!(call.join().unwrap().attempts(), 2);
        let sent = service.recorded(&name);
        assert_eq!(sent.len(), 2);
        sent[1].at - sent[0].at
    };
    begun.into_iter().map(gap).collect()
}

/// A chat chunk that adds a piece of text.
pub fn piece(text: &str) -> String {
    let text = serde_json::to_string(text).unwrap();
    format!(r#"{{"choices":[{{"index":0,"delta":{{"content":{text}}},"finish_reason":null}}]}}"#)
}

/// A chat chunk that finishes a choice.
pub fn finish(index: u32) -> String {
    format!(r#"{{"choices":[{{"index":{index},"delta":{{}},"finish_reason":"stop"}}]}}"#)
}

pub const DONE: &str = "[DONE]";

/// The head of a stream in HTTP chunks.
pub fn stream_head() -> Step {
    Step::send(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
    )
}

/// One HTTP chunk.
pub fn http_chunk(payload: &str) -> Step {
    Step::send(format!("{:x}\r\n{payload}\r\n", payload.len()))
}

/// One event in an HTTP chunk of its own.
pub fn event(data: &str) -> Step {
    http_chunk(&format!("data: {data}\n\n"))
}

/// The head of a stream and its first events in one write: no idle timeout ends between them.
pub fn opening(data: &[&str]) -> Step {
    let mut bytes = Vec::new();
    for step in std::iter::once(stream_head()).chain(data.iter().map(|data| event(data))) {
        let Step::Send { bytes: more, .. } = step else { unreachable!() };
        bytes.extend(more);
    }
    Step::send(bytes)
}

/// A stream that sends these events and then nothing more.
pub fn stalled_after(data: &[&str]) -> Exchange {
    Exchange { steps: vec![opening(data), Step::StallForever] }
}

/// Accepts a request and says nothing, for ever.
pub fn silence() -> Exchange {
    Exchange { steps: vec![Step::StallForever] }
}

pub const CHAT_ANSWER: &str = concat!(
    r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"#,
    r#""finish_reason":"stop"}]}"#
);
