//! Scripts: what to send, in which pieces and when.

use std::time::Duration;

use serde_json::Value;

use crate::event_stream::{DONE, EventStream, event, http_chunk};
use crate::http::reason;
use crate::json::{array, null, object, quoted};

/// The answers at a separate base URL: one exchange per request; the last one is repeated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The exchanges, in the order of requests.
    pub exchanges: Vec<Exchange>,
}

impl Script {
    /// Answers every request with the same exchange.
    pub fn one(exchange: Exchange) -> Script {
        Script::sequence(vec![exchange])
    }

    /// Answers the first request with the first exchange, and so on; then repeats the last.
    pub fn sequence(exchanges: Vec<Exchange>) -> Script {
        Script { exchanges }
    }
}

/// The answer to one request. Its steps include all framing: nothing is added to their bytes.
///
/// After the last step the connection stays open for the next request, unless that step was
/// [`Step::Close`] or [`Step::Reset`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// What to do, in order. If the peer disconnects, the rest is skipped.
    pub steps: Vec<Step>,
}

/// One action on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Writes the bytes repeatedly. They are rendered in blocks of about 64 KiB, so that they never limit a
    /// benchmark.
    Send {
        /// What to write.
        bytes: Vec<u8>,
        /// How many times, at least 1.
        times: usize,
    },
    /// Writes the bytes in pieces, with a short pause between them, so that a waiting peer really reads
    /// them separately.
    SendSplit {
        /// What to write.
        bytes: Vec<u8>,
        /// Where pieces begin, ascending; offsets outside the bytes are ignored.
        at: Vec<usize>,
    },
    /// Waits.
    Pause(Duration),
    /// Resets the connection (RST); bytes that the peer's kernel has not received are lost.
    Reset,
    /// Closes the connection.
    Close,
    /// Stalls until the peer disconnects.
    StallForever,
}

impl Step {
    /// Writes the bytes once.
    pub fn send(bytes: impl Into<Vec<u8>>) -> Step {
        Step::Send { bytes: bytes.into(), times: 1 }
    }
}

impl Exchange {
    /// Exactly these bytes.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Exchange {
        Exchange { steps: vec![Step::send(bytes)] }
    }

    /// A whole JSON answer with `Content-Length`.
    pub fn json(status: u16, body: impl AsRef<[u8]>) -> Exchange {
        Exchange::json_with_headers(status, &[], body)
    }

    /// A whole JSON answer with additional headers; a `Content-Type` replaces the default one.
    pub fn json_with_headers(
        status: u16,
        headers: &[(&str, &str)],
        body: impl AsRef<[u8]>,
    ) -> Exchange {
        let body = body.as_ref();
        let mut bytes = answer_head(status, headers, body.len()).into_bytes();
        bytes.extend_from_slice(body);
        Exchange::raw(bytes)
    }

    /// A stream of these events, each in an HTTP chunk (`data: X` and a blank line), ended cleanly. No
    /// `[DONE]` is added.
    pub fn events<S: AsRef<str>>(events: &[S]) -> Exchange {
        stream_of(events).end()
    }

    /// The same, but the connection is closed without the last chunk.
    pub fn events_cut<S: AsRef<str>>(events: &[S]) -> Exchange {
        stream_of(events).cut()
    }

    /// The same, but the connection is reset without the last chunk.
    pub fn events_reset<S: AsRef<str>>(events: &[S]) -> Exchange {
        stream_of(events).reset()
    }

    /// A long stream for benchmarks: `times` events with `chunk_json`, several in each HTTP chunk; then a
    /// chunk with the finish reason `stop`, `[DONE]`, and a clean end.
    pub fn pre_rendered_stream(
        chunk_json: &str,
        times: usize,
        events_per_http_chunk: usize,
    ) -> Exchange {
        let per_chunk = events_per_http_chunk.max(1);
        let event = event(chunk_json);
        let mut stream = EventStream::open(&[]);
        stream.rendered(http_chunk(&event.repeat(per_chunk)), times / per_chunk);
        let rest = times % per_chunk;
        stream.rendered(http_chunk(&event.repeat(rest)), usize::from(rest > 0));
        stream.data(&finish_like(chunk_json));
        stream.data(DONE);
        stream.end()
    }
}

/// The head of an answer whose body has a known length.
pub(crate) fn answer_head(status: u16, headers: &[(&str, &str)], body_bytes: usize) -> String {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        head.push_str("Content-Type: application/json\r\n");
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {body_bytes}\r\n\r\n"));
    head
}

fn stream_of<S: AsRef<str>>(events: &[S]) -> EventStream {
    let mut stream = EventStream::open(&[]);
    for event in events {
        stream.data(event.as_ref());
    }
    stream
}

/// The chunk that finishes the chat of `chunk_json`.
fn finish_like(chunk_json: &str) -> String {
    let chunk: Value = serde_json::from_str(chunk_json).unwrap_or_default();
    let field = |name: &str, otherwise: String| {
        chunk.get(name).map_or(otherwise, |value| value.to_string())
    };
    let choice = object(&[
        ("index", "0".to_owned()),
        ("delta", object(&[])),
        ("logprobs", null()),
        ("finish_reason", quoted("stop")),
    ]);
    object(&[
        ("id", field("id", quoted("chatcmpl-rendered"))),
        ("object", quoted("chat.completion.chunk")),
        ("created", field("created", "0".to_owned())),
        ("model", field("model", quoted("rendered"))),
        ("choices", array(&[choice])),
    ])
}
