//! Reads what was found, also in a text that differs in a few values from the one in which it was found.

use std::borrow::Cow;

use crate::protocol::span::{Edit, Span, StrSpan};
use crate::protocol::value::Value;

/// Reads spans in a text: the one in which they were found, or one that differs from it in these values.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) text: &'a str,
    pub(crate) edits: &'a [Edit],
}

impl<'a> Reader<'a> {
    pub(crate) fn string(self, span: StrSpan) -> Cow<'a, str> {
        span.moved(self.edits).read(self.text)
    }

    pub(crate) fn value(self, span: Span) -> Value<'a> {
        span.moved(self.edits).of(self.text)
    }
}
