//! One event of a stream, with its hot fields read on demand.

use std::borrow::Cow;

use crate::protocol::choice::{Choice, choice_at, choices_of};
use crate::protocol::document::names_of;
use crate::protocol::json::JsonError;
use crate::protocol::offsets::EventSpans;
use crate::protocol::shape::{says_failed, says_something};
use crate::protocol::slab::{Entry, Slab};
use crate::protocol::span::{Span, StrSpan};
use crate::protocol::steps::{Step, Steps};
use crate::protocol::usage::Usage;
use crate::protocol::value::{Kind, Value};

/// One event of a stream: its JSON text as it was sent, and the fields found in it. Cheap to clone and
/// to move.
///
/// ```
/// use modelwire::parse;
///
/// let chat = parse::chunk("", r#"{"id":"chat-1","choices":[{"delta":{"content":"Hello"}}]}"#)?;
/// assert_eq!((&*chat.text(), chat.id().as_deref()), ("Hello", Some("chat-1")));
/// assert_eq!(chat.finish_reason(), None); // the answer continues
/// println!("{}", chat.info_json()); // the same for programs in other languages
///
/// let event = r#"{"type":"response.output_text.delta","item_id":"msg-1","delta":"Hello","at":3}"#;
/// let event = parse::chunk("response.output_text.delta", event)?;
/// assert_eq!((event.event(), &*event.text()), ("response.output_text.delta", "Hello"));
/// assert_eq!(event.item_id().as_deref(), Some("msg-1"));
/// assert_eq!(event.value().get("at").and_then(|at| at.as_i64()), Some(3)); // any other field
/// # Ok::<(), modelwire::JsonError>(())
/// ```
#[derive(Clone)]
pub struct Chunk(Entry);

impl Chunk {
    /// A chunk alone.
    pub(crate) fn scan(event: &str, text: &str) -> Result<Chunk, JsonError> {
        Entry::scan(event, text).map(Chunk)
    }

    /// The chunks of a slab, in order; it is empty again.
    pub(crate) fn seal(slab: &mut Slab) -> impl Iterator<Item = Chunk> + use<> {
        slab.seal().map(Chunk)
    }

    /// A string that was found, with its escapes resolved.
    fn string(&self, of: impl Fn(&EventSpans) -> Option<StrSpan>) -> Option<Cow<'_, str>> {
        let (spans, reader) = self.0.found();
        of(&spans.event).map(|span| reader.string(span))
    }

    /// A value that was found.
    fn found(&self, of: impl Fn(&EventSpans) -> Option<Span>) -> Option<Value<'_>> {
        let (spans, reader) = self.0.found();
        of(&spans.event).map(|span| reader.value(span))
    }

    /// The JSON text, as it was sent.
    pub fn json(&self) -> &str {
        self.0.json()
    }

    /// [`Chunk::json`] with a terminating NUL, without a copy.
    #[doc(hidden)]
    pub fn json_and_nul(&self) -> &str {
        self.0.json_and_nul()
    }

    /// [`Chunk::event`] with a terminating NUL, without a copy.
    ///
    /// ```
    /// let chunk = modelwire::parse::chunk("ping", "{}")?;
    /// assert_eq!(chunk.event_and_nul(), "ping\0");
    /// # Ok::<(), modelwire::JsonError>(())
    /// ```
    #[doc(hidden)]
    pub fn event_and_nul(&self) -> &str {
        self.0.name_and_nul()
    }

    /// The name of the server-sent event; empty if it had none, as in chat streams.
    pub fn event(&self) -> &str {
        self.0.name()
    }

    /// The output text that this chunk adds: `delta.content` of its first choice, or `delta` of a
    /// `response.output_text.delta` event; empty for other chunks.
    pub fn text(&self) -> Cow<'_, str> {
        let text = match self.choices().next() {
            Some(choice) => choice.content(),
            None if self.type_is(OUTPUT_TEXT_DELTA) => self.string(|event| event.delta),
            None => None,
        };
        text.unwrap_or_default()
    }

    /// The reasoning text that this chunk adds: that of its first choice (see [`Choice::reasoning`]),
    /// or `delta` of an event that adds to a reasoning text or to its summary; empty for other chunks.
    ///
    /// ```
    /// let chunk = modelwire::parse::chunk("", r#"{"choices":[{"delta":{"reasoning":"A greeting."}}]}"#)?;
    /// assert_eq!((&*chunk.reasoning(), &*chunk.text()), ("A greeting.", ""));
    /// # Ok::<(), modelwire::JsonError>(())
    /// ```
    pub fn reasoning(&self) -> Cow<'_, str> {
        match self.choices().next() {
            Some(choice) => choice.reasoning().unwrap_or_default(),
            None if self.kind().is_some_and(|kind| REASONING_DELTAS.contains(&&*kind)) => {
                self.string(|event| event.delta).unwrap_or_default()
            }
            None => Cow::Borrowed(""),
        }
    }

    /// The choices of a chat chunk.
    pub fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        let (spans, reader) = self.0.found();
        choices_of(reader, spans)
    }

    /// The choice at this position of the list, without those before it.
    #[doc(hidden)]
    pub fn choice(&self, position: usize) -> Option<Choice<'_>> {
        let (spans, reader) = self.0.found();
        choice_at(reader, spans, position)
    }

    /// Why the first choice stopped; `None` until it stops.
    pub fn finish_reason(&self) -> Option<Cow<'_, str>> {
        self.choices().next()?.finish_reason()
    }

    /// `id` of a chat chunk, the same on every chunk of an answer.
    pub fn id(&self) -> Option<Cow<'_, str>> {
        self.string(|event| event.id)
    }

    /// `item_id` of a response event: the output item that it adds to.
    pub fn item_id(&self) -> Option<Cow<'_, str>> {
        self.string(|event| event.item_id)
    }

    /// `type` of a response event.
    pub fn kind(&self) -> Option<Cow<'_, str>> {
        self.string(|event| event.kind)
    }

    /// The usage that this chunk reports: its own, or that of the response it completes.
    pub fn usage(&self) -> Option<Usage> {
        let own = self.found(|event| event.usage);
        let usage = own.or_else(|| self.response()?.get("usage"))?;
        Usage::read(usage)
    }

    /// `response` of a response event.
    ///
    /// ```
    /// let text = r#"{"type":"response.completed",
    ///     "response":{"status":"completed","usage":{"total_tokens":9}}}"#;
    /// let chunk = modelwire::parse::chunk("response.completed", text)?;
    /// assert_eq!(chunk.kind().as_deref(), Some("response.completed"));
    /// assert_eq!(chunk.usage().map(|usage| usage.total_tokens), Some(9));
    /// let status = chunk.response().and_then(|response| response.get("status")?.as_str());
    /// assert_eq!(status.as_deref(), Some("completed"));
    /// # Ok::<(), modelwire::JsonError>(())
    /// ```
    pub fn response(&self) -> Option<Value<'_>> {
        self.found(|event| event.response)
    }

    /// The whole chunk, for every other field.
    pub fn value(&self) -> Value<'_> {
        Value::validated(self.json())
    }

    fn type_is(&self, expected: &str) -> bool {
        self.kind().is_some_and(|kind| kind == expected)
    }

    /// Whether it does nothing but add to a chat, as nearly every chunk: it has a choice, and neither ends one,
    /// reports usage or an error, nor is a named or typed event.
    pub(crate) fn only_adds(&self) -> bool {
        !self.0.has_name() && self.0.found().0.only_add()
    }

    /// Whether this is an error of the service and not a chunk (R-ERR6).
    pub(crate) fn is_error(&self) -> bool {
        let error = self.found(|event| event.error);
        if self.event() == "error" || error.is_some_and(says_something) && !self.is_final_response()
        {
            return true;
        }
        // Nearly every chunk has a part of an answer, and is not parsed for this.
        !self.has_part() && says_failed(self.value(), !matches!(self.event(), "" | "message"))
    }

    /// Whether it has a part of an answer: a choice, or an event of a response.
    pub(crate) fn has_part(&self) -> bool {
        !self.0.found().0.choices.is_empty()
            || self.kind().is_some_and(|kind| kind.starts_with("response."))
    }

    /// Whether it adds content or ends an answer: not a role, an empty delta, or the start of an item.
    pub(crate) fn has_content(&self) -> bool {
        let adds = |choice: Choice<'_>| {
            let mut adds = choice.is_finished();
            choice.said().each_member(|name, value| adds |= name != "role" && says(value));
            adds
        };
        let kind = self.kind().filter(|kind| kind.starts_with("response.")).unwrap_or_default();
        self.choices().any(adds)
            || kind.ends_with(".done")
            || kind.ends_with(".delta") && self.value().get("delta").is_some_and(says)
            || self.is_final_response()
    }

    /// Whether this event ends a response stream (R-STR7).
    pub(crate) fn is_final_response(&self) -> bool {
        self.kind().is_some_and(|kind| {
            matches!(&*kind, "response.completed" | "response.failed" | "response.incomplete")
        })
    }

    /// The id and the model of its answer, as in the chunk.
    pub(crate) fn names(&self) -> (Option<String>, Option<String>) {
        names_of(self.response().unwrap_or_else(|| self.value()))
    }

    /// The `status` of the response that it has.
    pub(crate) fn response_status(&self) -> Option<String> {
        Some(self.response()?.get("status")?.as_str()?.into_owned())
    }

    /// Its size for a queue's limit.
    pub(crate) fn cost(&self) -> usize {
        self.0.cost()
    }
}

impl std::fmt::Debug for Chunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.json())
    }
}

/// Whether a part of a delta has text or a value somewhere. Read in one pass: it may be nested deep.
fn says(value: Value<'_>) -> bool {
    let mut steps = Steps::of(value);
    while let Some(step) = steps.next() {
        match step {
            Step::Name(name) if matches!(&*name, "index" | "type") => steps.pass_over(),
            Step::Scalar(scalar) => match scalar.kind() {
                Kind::String if scalar.text() == "\"\"" => {}
                Kind::String => return true,
                _ if says_something(scalar) => return true,
                _ => {}
            },
            Step::Name(_) | Step::Begin(_) | Step::End => {}
        }
    }
    false
}

const OUTPUT_TEXT_DELTA: &str = "response.output_text.delta";
const REASONING_DELTAS: [&str; 2] =
    ["response.reasoning_text.delta", "response.reasoning_summary_text.delta"];

#[cfg(test)]
#[path = "chunk_tests.rs"]
mod tests;
