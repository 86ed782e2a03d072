//! An answer that is one document: judged, and turned into a stream's events where the caller streams
//! (R-STR5). Knows no body and no connection.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::call::queue::Event;
use crate::error::{Error, Result};
use crate::error_kind::ErrorKind;
use crate::head::Head;
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::document_chunks::document_chunks;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::spans::ELEMENTS_MAX;
use crate::protocol::value::Value;
use crate::quotes::Quotes;
use crate::response::Response;

const BROKEN_HINT: &str = "It begins like an answer and is broken: cut short, changed on its way, or more \
    than one document. It may have been metered.";
const ERROR_HINT: &str =
    "The service reports an error under a good status: judge by type and code.";

/// Whether a body that came under a good status is an answer of this operation.
pub(crate) fn judge(
    quotes: &Quotes,
    endpoint: Endpoint,
    head: Head,
    bytes: Vec<u8>,
) -> Result<Response> {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|invalid| String::from_utf8_lossy(invalid.as_bytes()).into_owned());
    // Some writers put a byte order mark before JSON; readers may pass over it (RFC 8259).
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    let not_an_answer = |why: &str, text: &str| {
        let quoted = quotes.quote(text);
        let error = Error::new(ErrorKind::Protocol, format!("{why}: {quoted}"));
        Err(error.with_body(quoted).with_answer(&head))
    };
    if text.trim().is_empty() {
        let error = Error::new(ErrorKind::Protocol, "the answer has no content");
        return Err(error.with_answer(&head));
    }
    let document = match Document::scan(&text) {
        Ok(document) => document,
        Err(cause) => {
            let answer = not_an_answer(&format!("the answer is not JSON ({cause})"), &text);
            let is_begun = text.trim_start().starts_with('{');
            return answer
                .map_err(|error| if is_begun { error.with_hint(BROKEN_HINT) } else { error });
        }
    };
    if document.is_error() {
        let error = quotes.bounded(Error::from_event(&text)).with_hint(ERROR_HINT);
        return Err(error.with_answer(&head));
    }
    match endpoint {
        Endpoint::Models if !document.is_model_list() => {
            not_an_answer("the answer has no list of models", &text)
        }
        Endpoint::Chat | Endpoint::Responses if !document.is_object() => {
            not_an_answer("the answer is JSON, but not an object", &text)
        }
        Endpoint::Models | Endpoint::Chat | Endpoint::Responses => {
            Ok(Response::whole(endpoint, Arc::new(head), document))
        }
    }
}

/// The events that a stream of this answer would have begun with: `Open` and its chunks.
pub(crate) fn events_of(endpoint: Endpoint, whole: &Response) -> Result<VecDeque<Event>> {
    let mut events = VecDeque::from([Event::Open(Arc::new(whole.head().clone()))]);
    let document = whole.document().map_or(Value::NULL, Document::value);
    let chunks = document_chunks(endpoint, document);
    if chunks.len() > ELEMENTS_MAX {
        let message = format!("the answer has more than ELEMENTS_MAX = {ELEMENTS_MAX} parts");
        return Err(Error::new(ErrorKind::Protocol, message).with_answer(whole.head()));
    }
    for (event, text) in chunks {
        events.extend(Chunk::scan(&event, &text).ok().map(Event::Chunk));
    }
    Ok(events)
}
