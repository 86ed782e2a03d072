//! The value handle of C: a JSON text and the values in it.

use std::sync::OnceLock;

use modelwire_core::{Chunk, Response, Value};

use crate::boundary::{Handle, Marked};
use crate::text::Made;

/// A JSON text and the values in it; immutable, may be shared between threads.
///
/// A path, which is a JSON pointer (RFC 6901), addresses a value: for instance
/// "/choices/0/message/refusal", or "" for the whole text. What a function returns lives as long as
/// this handle.
pub struct modelwire_value {
    whole: Whole,
    pub(crate) made: Made,
}

/// What the paths address.
enum Whole {
    Text(String),
    Chunk(Chunk),
    Response(Response),
}

impl Handle for modelwire_value {
    const NAME: &'static str = "value";
}

impl modelwire_value {
    fn new(whole: Whole) -> modelwire_value {
        modelwire_value { whole, made: Made::default() }
    }

    /// From a text that is known to be JSON.
    pub(crate) fn of_json(text: String) -> modelwire_value {
        modelwire_value::new(Whole::Text(text))
    }

    pub(crate) fn of_chunk(chunk: &Chunk) -> modelwire_value {
        modelwire_value::new(Whole::Chunk(chunk.clone()))
    }

    pub(crate) fn of_response(response: &Response) -> modelwire_value {
        modelwire_value::new(Whole::Response(response.clone()))
    }

    /// `None` where there is no text: at the end of a stream that was not gathered.
    pub(crate) fn at(&self, path: &str) -> Option<Value<'_>> {
        let whole = match &self.whole {
            Whole::Text(text) => Value::validated(text),
            Whole::Chunk(chunk) => chunk.value(),
            Whole::Response(response) => response.document()?.value(),
        };
        whole.pointer(path)
    }
}

/// A value that a handle creates when it is first requested, and lends.
#[derive(Default)]
pub(crate) struct Lent(OnceLock<Box<Marked<modelwire_value>>>);

impl Lent {
    pub(crate) fn get(&self, make: impl FnOnce() -> modelwire_value) -> *const modelwire_value {
        self.0.get_or_init(|| Box::new(Marked::new(make()))).lend()
    }
}
