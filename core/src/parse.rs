//! Parses what a service sends, without a client: bytes to events, events to chunks, chunks to the
//! whole answer. For tools, bindings and tests that already have the bytes.

pub use crate::protocol::accumulate::{Gatherer, ResponseTooLarge};
pub use crate::protocol::sse::{Decoder, Event, EventTooLarge};

/// Views one event's data as a chunk.
pub fn chunk(event: &str, text: &str) -> Result<crate::Chunk, crate::JsonError> {
    crate::Chunk::scan(event, text)
}

/// Views a whole answer.
pub fn document(text: &str) -> Result<crate::Document, crate::JsonError> {
    crate::Document::scan(text)
}

/// Gathers chunks into the answer, and returns whether all of them fit.
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
pub fn chunks_of(endpoint: crate::Endpoint, document: crate::Value<'_>) -> Vec<(String, String)> {
    crate::protocol::document_chunks::document_chunks(endpoint, document)
}

/// The rate limits in headers, see [`Head::rate_limits`](crate::Head::rate_limits).
pub fn rate_limits(headers: &[(String, String)]) -> Option<crate::RateLimits> {
    crate::RateLimits::read(headers, std::time::SystemTime::now())
}

/// The error for an answer with this status, or for an event of a stream if there is no status, as a
/// client with this configuration reports it.
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
        None => crate::Error::from_event(body),
    };
    Ok(error.redacted(|text| key.redact(text).into_owned()))
}

/// The bytes of a request's body as sent; empty if it has none.
pub fn body(request: crate::Request, stream: bool) -> crate::Result<Vec<u8>> {
    let prepared = request.prepare(stream, false)?;
    Ok(prepared.body.map(Vec::from).unwrap_or_default())
}
