//! A choice and its tool calls, borrowed from a chunk or an answer.

use std::borrow::Cow;

use crate::protocol::offsets::{ChoiceSpans, Spans, ToolCallSpans};
use crate::protocol::reader::Reader;
use crate::protocol::shape::adds_to_message;
use crate::protocol::value::{Kind, Value};

/// One tool call of a message, or the fragment of one that a chunk adds.
///
/// ```
/// let chunk = modelwire::parse::chunk(
///     "",
///     r#"{"choices":[{"delta":{"tool_calls":[
///         {"index":0,"id":"call-1","function":{"name":"weather","arguments":"{\"city\":"}}]}}]}"#,
/// )?;
/// for choice in chunk.choices() {
///     for call in choice.tool_calls() {
///         assert_eq!((call.index(), call.id().as_deref()), (Some(0), Some("call-1")));
///         assert_eq!(call.name().as_deref(), Some("weather"));
///         assert_eq!(call.arguments().as_deref(), Some(r#"{"city":"#)); // a fragment
///     }
/// }
/// # Ok::<(), modelwire::JsonError>(())
/// ```
#[derive(Clone, Copy)]
pub struct ToolCall<'a> {
    reader: Reader<'a>,
    spans: &'a ToolCallSpans,
}

impl<'a> ToolCall<'a> {
    /// The call that a fragment belongs to; absent in whole answers and from some services.
    pub fn index(&self) -> Option<u32> {
        self.spans.index
    }

    /// The call's id, usually on its first fragment. An empty id is ignored.
    pub fn id(&self) -> Option<Cow<'a, str>> {
        self.spans.id.map(|span| self.reader.string(span)).filter(|id| !id.is_empty())
    }

    /// The function's name, usually on the first fragment. An empty name is ignored.
    pub fn name(&self) -> Option<Cow<'a, str>> {
        let name = self.spans.function.name.map(|span| self.reader.string(span));
        name.filter(|name| !name.is_empty())
    }

    /// The function's arguments as JSON text, or a fragment of that text. If a service sends the value
    /// itself instead of a text, this is the value's JSON as it was sent.
    pub fn arguments(&self) -> Option<Cow<'a, str>> {
        self.spans.function.arguments.map(|span| self.reader.string(span))
    }
}

/// The text of a content that is a list of parts, ignoring other parts; `None` if no part has text.
fn text_of_parts(parts: Value<'_>) -> Option<String> {
    let mut text = None;
    parts.each_item(|part| {
        let kind = part.get("type").and_then(Value::as_str);
        if matches!(kind.as_deref(), None | Some("text" | "output_text"))
            && let Some(piece) = part.get("text").and_then(Value::as_str)
        {
            text.get_or_insert_with(String::new).push_str(&piece);
        }
    });
    text
}

/// The names that services use for reasoning text in a delta or message.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_text"];

/// The reasoning of a delta or message, under any of these names.
fn reasoning_of(said: Value<'_>) -> Option<Cow<'_, str>> {
    let (mut texts, mut details) = ([const { None }; REASONING.len()], None);
    said.each_member(|name, value| match name {
        "reasoning_details" => details = Some(value),
        _ => {
            let found = texts.iter_mut().zip(REASONING).find(|(_, known)| *known == name);
            if let Some((text, _)) = found {
                *text = value.as_str();
            }
        }
    });
    if let Some(text) = texts.iter_mut().find(|text| text.as_ref().is_some_and(|t| !t.is_empty())) {
        return text.take();
    }
    let mut pieces = Vec::new();
    details.unwrap_or(Value::NULL).each_item(|detail| {
        let text = detail.get("text").or_else(|| detail.get("summary"));
        pieces.extend(text.and_then(Value::as_str));
    });
    if pieces.is_empty() {
        texts.into_iter().flatten().next()
    } else {
        Some(pieces.concat().into())
    }
}

/// The choices in a text, in order.
pub(crate) fn choices_of<'a>(
    reader: Reader<'a>,
    spans: &'a Spans,
) -> impl Iterator<Item = Choice<'a>> {
    spans.choices.iter().map(move |spans| Choice { reader, spans })
}

/// The choice at this position of the list.
pub(crate) fn choice_at<'a>(
    reader: Reader<'a>,
    spans: &'a Spans,
    position: usize,
) -> Option<Choice<'a>> {
    let spans = spans.choices.get(position.try_into().ok()?)?;
    Some(Choice { reader, spans })
}

/// One choice of a chunk or an answer, borrowed from it.
///
/// ```
/// let text = r#"{"choices":[{"index":0,"finish_reason":"stop","message":
///     {"role":"assistant","reasoning":"A greeting.","content":"Hello","refusal":null}}]}"#;
/// for choice in modelwire::parse::document(text)?.choices() {
///     assert_eq!((choice.index(), choice.finish_reason().as_deref()), (0, Some("stop")));
///     assert_eq!(choice.role().as_deref(), Some("assistant"));
///     assert_eq!(choice.content().as_deref(), Some("Hello"));
///     assert_eq!(choice.reasoning().as_deref(), Some("A greeting."));
///     assert!(choice.is_message() && choice.tool_calls().next().is_none());
///     assert!(choice.said().get("refusal").is_some_and(|refusal| refusal.is_null())); // any other field
///     assert!(choice.value().get("logprobs").is_none());
/// }
/// # Ok::<(), modelwire::JsonError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Choice<'a> {
    reader: Reader<'a>,
    spans: &'a ChoiceSpans,
}

impl<'a> Choice<'a> {
    /// `index`, or its position in the list if it is absent.
    pub fn index(&self) -> u32 {
        self.spans.index
    }

    /// `delta.content` of a chunk, `message.content` of an answer; for a list of parts, their text.
    pub fn content(&self) -> Option<Cow<'a, str>> {
        let text = self.spans.message.content.map(|span| self.reader.string(span));
        text.or_else(|| text_of_parts(self.reader.value(self.spans.parts?)).map(Cow::Owned))
    }

    /// The model's reasoning, or the part of it that a chunk adds: `reasoning_content`, `reasoning` or
    /// `reasoning_text` of the delta or message, otherwise the texts of its `reasoning_details`. Only
    /// one is returned: services that send several send the same text in each. Read from the text each
    /// time: the pass over a chunk does not find this field.
    pub fn reasoning(&self) -> Option<Cow<'a, str>> {
        let choice = self.value();
        let text = choice.text().as_bytes();
        // Nearly every chunk has none, and is not parsed for it. The name may be written with escapes.
        if memchr::memmem::find(text, b"reasoning").is_none()
            && memchr::memchr(b'\\', text).is_none()
        {
            return None;
        }
        reasoning_of(self.said())
    }

    /// `delta.role` of a chunk, `message.role` of an answer.
    pub fn role(&self) -> Option<Cow<'a, str>> {
        self.spans.message.role.map(|span| self.reader.string(span))
    }

    /// The tool calls of a message, or the fragments of them that a chunk adds.
    pub fn tool_calls(&self) -> impl Iterator<Item = ToolCall<'a>> + use<'a> {
        let reader = self.reader;
        self.spans.tool_calls.iter().map(move |spans| ToolCall { reader, spans })
    }

    /// Why the model stopped; `None` until it stops. Some services send an empty string until then.
    pub fn finish_reason(&self) -> Option<Cow<'a, str>> {
        let reason = self.spans.finish_reason.map(|span| self.reader.string(span));
        reason.filter(|reason| !reason.is_empty())
    }

    /// Whether it has a finish reason.
    pub(crate) fn is_finished(&self) -> bool {
        self.finish_reason().is_some()
    }

    /// Its content: `delta` of a chunk; `message` of an answer, and of a chunk whose delta adds nothing but
    /// a role, null or empty texts; null if there is neither.
    pub fn said(&self) -> Value<'a> {
        self.message().or(self.value().get("delta")).unwrap_or(Value::NULL)
    }

    /// Whether that is its `message`.
    pub fn is_message(&self) -> bool {
        self.message().is_some()
    }

    fn message(&self) -> Option<Value<'a>> {
        let object = |name| self.value().get(name).filter(|value| value.kind() == Kind::Object);
        object("message").filter(|_| !object("delta").is_some_and(adds_to_message))
    }

    /// The whole choice, for every other field.
    pub fn value(&self) -> Value<'a> {
        self.reader.value(self.spans.whole)
    }
}
