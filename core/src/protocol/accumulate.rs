//! Gathers the chunks of a stream into the answer that one document would have been (R-STR5,
//! R-STR6). Knows no I/O and no end of a stream.

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

/// The answer as far as its stream has come: what [`Request::gather`](crate::Request::gather) makes
/// of a stream's chunks, for those who want to look at it on the way.
#[derive(Debug)]
pub struct Gatherer {
    room: Room,
    whole: Whole,
    /// After the first chunk that did not fit nothing is added: a text with a gap is worse than
    /// a short one.
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

    /// Takes one chunk. What was gathered before an error stays.
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

    /// How much text it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.room.used
    }

    /// Nothing of an answer came.
    pub fn is_empty(&self) -> bool {
        match &self.whole {
            Whole::Chat(chat) => chat.is_empty(),
            Whole::Responses(response) => response.is_empty(),
        }
    }

    /// The JSON text of what was gathered so far.
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
