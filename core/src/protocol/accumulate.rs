//! Gathers the chunks of a stream into the answer that one document would have been (R-STR5,
//! R-STR6).

mod chat;
mod content;
mod responses;
mod tree;

use crate::protocol::endpoint::Endpoint;
use crate::protocol::value::{Kind, Value};

use chat::Chat;
use responses::Response;
pub use tree::ResponseTooLarge;
use tree::Room;

/// The partial answer of a stream: what [`Request::gather`](crate::Request::gather) assembles from the
/// chunks, for code that reads it before the end.
///
/// ```
/// use modelwire::{Endpoint, Value, parse::Gatherer};
///
/// let mut gatherer = Gatherer::new(Endpoint::Chat, 1 << 20);
/// assert!(gatherer.is_empty());
/// gatherer.add(Value::validated(r#"{"choices":[{"delta":{"content":"Hel"}}]}"#))?;
/// gatherer.add(Value::validated(r#"{"choices":[{"delta":{"content":"lo"}}]}"#))?;
/// let text = gatherer.json();
/// assert_eq!(modelwire::parse::document(&text)?.text(), "Hello");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Gatherer {
    room: Room,
    whole: Whole,
    /// Nothing is added after the first chunk that did not fit: a text with a gap is worse than a short
    /// one.
    full: Option<ResponseTooLarge>,
}

#[derive(Debug)]
enum Whole {
    Chat(Chat),
    Responses(Response),
}

impl Gatherer {
    /// Gathers at most `bytes_max` bytes of text, `response_bytes_max`.
    pub fn new(endpoint: Endpoint, bytes_max: usize) -> Gatherer {
        let whole = match endpoint {
            Endpoint::Responses => Whole::Responses(Response::default()),
            Endpoint::Models | Endpoint::Chat => Whole::Chat(Chat::default()),
        };
        Gatherer { room: Room::new(bytes_max), whole, full: None }
    }

    /// Adds one chunk. What was gathered before an error remains.
    pub fn add(&mut self, chunk: Value<'_>) -> Result<(), ResponseTooLarge> {
        if let Some(too_large) = self.full {
            return Err(too_large);
        }
        if chunk.kind() != Kind::Object {
            return Ok(());
        }
        let added = match &mut self.whole {
            Whole::Chat(chat) => chat.add(chunk, &mut self.room),
            Whole::Responses(response) => response.add(chunk, &mut self.room),
        };
        self.full = added.err();
        added
    }

    /// The size of its text.
    pub(crate) fn bytes(&self) -> usize {
        self.room.used
    }

    /// Whether no part of an answer arrived.
    pub fn is_empty(&self) -> bool {
        match &self.whole {
            Whole::Chat(chat) => chat.is_empty(),
            Whole::Responses(response) => response.is_empty(),
        }
    }

    /// The JSON text gathered so far.
    pub fn json(&self) -> String {
        let mut out = String::with_capacity(self.room.used + self.room.used / 8);
        match &self.whole {
            Whole::Chat(chat) => chat.write(&mut out),
            Whole::Responses(response) => response.write(&mut out),
        }
        out
    }
}

#[cfg(test)]
#[path = "accumulate_tests.rs"]
mod tests;
