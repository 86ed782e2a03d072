//! Parses what a service sends, without a client: bytes to events, events to chunks, chunks to the
//! whole answer. For tools, bindings and tests that already have the bytes.
//!
//! ```
//! use modelwire::{Endpoint, Value, parse};
//!
//! let stream = "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\n\n\
//!               data: {\"choices\":[{\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n";
//! let mut texts = Vec::new();
//! parse::Decoder::new(1 << 20).feed(stream.as_bytes(), &mut |event| texts.push(event.data.into_owned()))?;
//!
//! let chunks = texts.iter().map(|text| Value::validated(text));
//! let (json, all_fit) = parse::gather(Endpoint::Chat, 1 << 20, chunks);
//! assert_eq!(parse::document(&json)?.text(), "Hello");
//! assert!(all_fit);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::sync::Arc;

use crate::answer::redactor::Redactor;
use crate::options::api_key::ApiKey;
pub use crate::protocol::accumulate::{Gatherer, ResponseTooLarge};
#[doc(hidden)]
pub use crate::protocol::escapes::quoted;
pub use crate::protocol::sse::{Decoder, Event, EventTooLarge};

/// Views one event's data as a chunk.
///
/// ```
/// let chunk = modelwire::parse::chunk("", r#"{"choices":[{"delta":{"content":"Hello"}}]}"#)?;
/// assert_eq!(chunk.text(), "Hello");
/// # Ok::<(), modelwire::JsonError>(())
/// ```
pub fn chunk(event: &str, text: &str) -> Result<crate::Chunk, crate::JsonError> {
    crate::Chunk::scan(event, text)
}

/// Views the data of events that arrive together, as a stream does: it reads an event by its differences from
/// one before.
#[cfg(feature = "bindings")]
#[doc(hidden)]
pub fn chunks<'a>(
    events: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<Result<crate::Chunk, crate::JsonError>> {
    let (mut slab, mut found) = (crate::protocol::slab::Slab::default(), Vec::new());
    for data in events {
        if let Err(error) = slab.add("", data) {
            found.extend(crate::Chunk::seal(&mut slab).map(Ok));
            found.push(Err(error));
        }
    }
    found.extend(crate::Chunk::seal(&mut slab).map(Ok));
    found
}

/// Views a whole answer.
///
/// ```
/// let document = modelwire::parse::document(r#"{"choices":[{"message":{"content":"Hello"}}]}"#)?;
/// assert_eq!(document.text(), "Hello");
/// # Ok::<(), modelwire::JsonError>(())
/// ```
pub fn document(text: &str) -> Result<crate::Document, crate::JsonError> {
    crate::Document::scan(text)
}

/// Gathers chunks into the answer, and returns whether all of them fit.
///
/// ```
/// use modelwire::{Endpoint, Value, parse};
///
/// let first = Value::validated(r#"{"choices":[{"delta":{"content":"Hel"}}]}"#);
/// let second = Value::validated(r#"{"choices":[{"delta":{"content":"lo"}}]}"#);
/// let (json, all_fit) = parse::gather(Endpoint::Chat, 1 << 20, [first, second]);
/// assert_eq!(parse::document(&json)?.text(), "Hello");
/// assert!(all_fit);
/// # Ok::<(), modelwire::JsonError>(())
/// ```
pub fn gather<'a>(
    endpoint: crate::Endpoint,
    response_bytes_max: usize,
    chunks: impl IntoIterator<Item = crate::Value<'a>>,
) -> (String, bool) {
    let mut gatherer = Gatherer::new(endpoint, response_bytes_max);
    let mut fit = true;
    for chunk in chunks {
        fit &= gatherer.add(chunk).is_ok();
    }
    (gatherer.json(), fit)
}

/// The chunks that a stream would have sent for this document: event names and JSON.
///
/// ```
/// use modelwire::{Endpoint, Value, parse};
///
/// let document = Value::parse(r#"{"choices":[{"message":{"content":"Hello"}}]}"#)?;
/// let chunks = parse::chunks_of(Endpoint::Chat, document);
/// assert_eq!(chunks, [(String::new(), r#"{"choices":[{"delta":{"content":"Hello"}}]}"#.to_owned())]);
/// # Ok::<(), modelwire::JsonError>(())
/// ```
pub fn chunks_of(endpoint: crate::Endpoint, document: crate::Value<'_>) -> Vec<(String, String)> {
    crate::protocol::document_chunks::document_chunks(endpoint, document)
}

/// The rate limits in headers, see [`Head::rate_limits`](crate::Head::rate_limits).
///
/// ```
/// let headers = [("x-ratelimit-remaining-requests".to_owned(), "59".to_owned())];
/// let limits = modelwire::parse::rate_limits(&headers).ok_or("no rate limits")?;
/// assert_eq!(limits.requests.remaining, Some(59));
/// # Ok::<(), &str>(())
/// ```
pub fn rate_limits(headers: &[(String, String)]) -> Option<crate::RateLimits> {
    crate::RateLimits::read(headers, std::time::SystemTime::now())
}

/// The error for an answer with this status, or for an event of a stream if there is no status, as a
/// client with this configuration reports it.
///
/// ```
/// use modelwire::{Config, ErrorKind, parse};
///
/// let config = Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// let body = r#"{"error":{"message":"No such model.","type":"invalid","param":"model"}}"#;
/// let error = parse::error_of(config, Some(404), body)?;
/// assert_eq!(error.kind(), ErrorKind::NotFound);
/// assert_eq!((error.message(), error.code()), ("No such model.", None));
/// assert_eq!((error.error_type(), error.param()), (Some("invalid"), Some("model")));
/// # Ok::<(), modelwire::Error>(())
/// ```
pub fn error_of(
    config: crate::Config,
    status: Option<u16>,
    body: &str,
) -> crate::Result<crate::Error> {
    let key = config.validate()?.api_key;
    let redacted = key.redact(body);
    let error = match status {
        Some(status) => crate::Error::from_response(crate::answer::error::FailedAnswer {
            status,
            body: &redacted,
            request_id: None,
            retry_after: None,
        }),
        None => crate::Error::from_event(&redacted),
    };
    Ok(error.redacted(|text| key.redact(text).into_owned()))
}

/// `text` with these keys redacted as in a model's output (R-AUTH4): one that may be a word stays.
#[doc(hidden)]
pub fn redacted(text: &str, keys: impl IntoIterator<Item = String>) -> String {
    let mut keys: Vec<_> = keys.into_iter().map(|key| Arc::new(ApiKey::sought(key))).collect();
    let Some(key) = keys.pop() else { return text.to_owned() };
    let redactor = Redactor { key, others: Some(keys.into()), bytes_max: 0 };
    redactor.mask_answer(text).into_owned()
}

/// The bytes of a request's body as sent; empty if it has none.
///
/// ```
/// use modelwire::{Request, parse};
///
/// let body = parse::body(Request::responses("a-model").input("Hello"), true)?;
/// assert_eq!(body, br#"{"stream":true,"model":"a-model","input":"Hello"}"#);
/// # Ok::<(), modelwire::Error>(())
/// ```
pub fn body(request: crate::Request, stream: bool) -> crate::Result<Vec<u8>> {
    let prepared = request.prepare(stream, false)?;
    Ok(prepared.body.map(Vec::from).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;
    use crate::{Endpoint, Request, Value};

    #[test]
    fn an_error_quotes_no_half_of_a_key() {
        let config =
            || crate::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test-0123");
        for status in [None, Some(500)] {
            let body = format!("{}sk-test-0123 and more", "y".repeat(195));
            let error = error_of(config(), status, &body).unwrap();
            assert!(error.message().contains("yyy[key"), "{error}");
        }
    }

    const CHUNK: &str = r#"{"choices":[{"delta":{"content":"Hello"}}]}"#;

    #[test]
    fn keys_are_redacted_in_any_text_unless_they_may_be_words() {
        let keys = ["none", "sk-test-", " sk-test-0123\n"].map(str::to_owned);
        assert_eq!(redacted("none, sk-test-0123, sk-test-4", keys), "none, [key], [key]4");
        assert_eq!(redacted("a", []), "a");
    }

    #[test]
    fn it_says_whether_all_that_is_gathered_fits() {
        let twice = |bytes_max| gather(Endpoint::Chat, bytes_max, [Value::validated(CHUNK); 2]);
        let (json, all_fit) = twice(1000);
        assert!(all_fit);
        assert_eq!(document(&json).unwrap().text(), "HelloHello");
        let once = gather(Endpoint::Chat, 1000, [Value::validated(CHUNK)]).0;
        let bytes = {
            let mut gatherer = Gatherer::new(Endpoint::Chat, 1000);
            gatherer.add(Value::validated(CHUNK)).unwrap();
            gatherer.bytes()
        };
        assert_eq!(twice(bytes), (once, false));
    }

    #[test]
    fn a_document_becomes_its_chunks() {
        let document = r#"{"choices":[{"message":{"content":"Hello"}}]}"#;
        let chunks = chunks_of(Endpoint::Chat, Value::validated(document));
        assert_eq!(chunks, [(String::new(), CHUNK.to_owned())]);
    }

    #[cfg(feature = "bindings")]
    #[test]
    fn chunks_and_errors_come_in_their_order() {
        let read = chunks([CHUNK.as_bytes(), b"{", CHUNK.as_bytes(), b"7"]);
        let texts: Vec<_> =
            read.iter().map(|chunk| chunk.as_ref().ok().map(|c| c.json())).collect();
        assert_eq!(texts, [Some(CHUNK), None, Some(CHUNK), Some("7")]);
    }

    #[test]
    fn limits_are_read_from_headers() {
        let header = ("x-ratelimit-remaining-requests".to_owned(), "59".to_owned());
        assert_eq!(rate_limits(&[header]).unwrap().requests.remaining, Some(59));
        assert!(rate_limits(&[]).is_none());
    }

    #[test]
    fn a_body_is_that_of_the_request_as_it_is_sent() {
        let input = || Request::responses("m").input("Hello");
        let text = |stream| String::from_utf8(body(input(), stream).unwrap()).unwrap();
        assert_eq!(text(true), r#"{"stream":true,"model":"m","input":"Hello"}"#);
        assert_eq!(text(false), r#"{"model":"m","input":"Hello"}"#);
        assert_eq!(body(Request::models(), false).unwrap(), b"");
    }
}
