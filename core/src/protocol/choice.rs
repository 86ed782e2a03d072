//! A choice and its tool calls, borrowed from a chunk or an answer. Knows no stream.

use std::borrow::Cow;

use crate::protocol::spans::{ChoiceSpans, Spans, ToolCallSpans};
use crate::protocol::value::Value;

/// One tool call of a message, or the piece of one that a chunk adds.
#[derive(Clone, Copy)]
pub struct ToolCall<'a> {
    text: &'a str,
    spans: &'a ToolCallSpans,
}

impl<'a> ToolCall<'a> {
    /// Which call a piece belongs to; absent in whole answers and from some services.
    pub fn index(&self) -> Option<u32> {
        self.spans.index
    }

    /// The call's id, on its first piece mostly.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.spans.id.map(|span| span.read(self.text))
    }

    /// The function's name, on the first piece mostly.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        self.spans.function.name.map(|span| span.read(self.text))
    }

    /// The function's arguments as JSON text, or a piece of that text.
    pub fn arguments(&self) -> Option<Cow<'a, str>> {
        self.spans.function.arguments.map(|span| span.read(self.text))
    }
}

/// The choices in a text, in their order.
pub(crate) fn choices_of<'a>(text: &'a str, spans: &'a Spans) -> impl Iterator<Item = Choice<'a>> {
    spans.choices().map(move |spans| Choice { text, spans })
}

/// One choice of a chunk or an answer, borrowed from it.
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    text: &'a str,
    spans: &'a ChoiceSpans,
}

impl<'a> Choice<'a> {
    /// `index`; its place in the list where it is absent.
    pub fn index(&self) -> u32 {
        self.spans.index
    }

    /// `delta.content` of a chunk, `message.content` of an answer.
    pub fn content(&self) -> Option<Cow<'a, str>> {
        self.spans.message.content.map(|span| span.read(self.text))
    }

    /// `delta.role` of a chunk, `message.role` of an answer.
    pub fn role(&self) -> Option<Cow<'a, str>> {
        self.spans.message.role.map(|span| span.read(self.text))
    }

    /// The tool calls of a message, or the pieces of them that a chunk adds.
    pub fn tool_calls(&self) -> impl Iterator<Item = ToolCall<'a>> {
        let text = self.text;
        self.spans.tool_calls.iter().map(move |spans| ToolCall { text, spans })
    }

    /// Why the model stopped; `None` while it has not.
    pub fn finish_reason(&self) -> Option<Cow<'a, str>> {
        self.spans.finish_reason.map(|span| span.read(self.text))
    }

    /// Whether it has a finish reason.
    pub(crate) fn is_finished(&self) -> bool {
        self.spans.finish_reason.is_some()
    }

    /// The whole choice, for every other field.
    pub fn value(&self) -> Value<'a> {
        self.spans.whole.of(self.text)
    }
}
