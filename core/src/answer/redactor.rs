//! Redacts and truncates a service's texts: at most a fixed size, and never the call's API key.

use std::borrow::Cow;
use std::sync::Arc;

use crate::answer::error::Error;
use crate::options::api_key::ApiKey;
use crate::protocol::text::{EXCERPT_BYTES_MAX, cut, excerpt};

/// The key of a call, and the maximum size of a quote in its errors.
#[derive(Clone)]
pub(crate) struct Redactor {
    pub(crate) key: Arc<ApiKey>,
    /// The maximum size of a body in an error (`error_body_bytes_max`).
    pub(crate) bytes_max: usize,
}

impl Redactor {
    /// `text` with the key redacted (R-AUTH4).
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.key.redact(text)
    }

    /// The size of a text to examine, so that a key that crosses the limit is redacted before the cut.
    pub(crate) fn wanted(&self) -> usize {
        self.bytes_max + self.key.longest_written()
    }

    /// A text truncated to the limit.
    pub(crate) fn bounded_text(&self, text: &str) -> String {
        cut(&self.redact(cut(text, self.wanted())), self.bytes_max).to_owned()
    }

    /// The beginning of an unexpected text.
    pub(crate) fn quote(&self, text: &str) -> String {
        let wanted = EXCERPT_BYTES_MAX + self.key.longest_written();
        excerpt(&self.redact(cut(text, wanted)))
    }

    /// An error with texts from an event or an answer of any size, truncated to the limit.
    pub(crate) fn bounded(&self, error: Error) -> Error {
        error.redacted(|text| match text.len() > self.bytes_max {
            true => self.bounded_text(text),
            false => text.to_owned(), // redacted later, with all other texts
        })
    }
}
