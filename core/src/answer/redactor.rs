//! What a call shows of the texts of a service: no more than a bound, and never the key that the call
//! sends. Knows no text's meaning.

use std::borrow::Cow;
use std::sync::Arc;

use crate::answer::error::Error;
use crate::options::api_key::ApiKey;
use crate::protocol::text::{EXCERPT_BYTES_MAX, cut, excerpt};

/// The key of a call, and how much its errors may quote.
#[derive(Clone)]
pub(crate) struct Quotes {
    pub(crate) key: Arc<ApiKey>,
    /// The most of a body that an error carries (`error_body_bytes_max`).
    pub(crate) bytes_max: usize,
}

impl Quotes {
    /// `text` with the key masked (R-AUTH4).
    pub(crate) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.key.mask(text)
    }

    /// How much of a text is looked at: a key that the bound would cut is seen whole, and masked
    /// before the cut.
    pub(crate) fn wanted(&self) -> usize {
        self.bytes_max + self.key.longest_written()
    }

    /// A text as far as the bound goes.
    pub(crate) fn bounded_text(&self, text: &str) -> String {
        cut(&self.mask(cut(text, self.wanted())), self.bytes_max).to_owned()
    }

    /// The beginning of an unexpected text.
    pub(crate) fn quote(&self, text: &str) -> String {
        let wanted = EXCERPT_BYTES_MAX + self.key.longest_written();
        excerpt(&self.mask(cut(text, wanted)))
    }

    /// An error whose texts came in an event or an answer of any size: no longer than the bound.
    pub(crate) fn bounded(&self, error: Error) -> Error {
        error.masked(|text| match text.len() > self.bytes_max {
            true => self.bounded_text(text),
            false => text.to_owned(), // masked with all the others
        })
    }
}
