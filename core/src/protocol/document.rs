//! A whole answer: its JSON text and the fields found in it.

use std::borrow::Cow;

use crate::protocol::choice::{Choice, choices_of};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::json::JsonError;
use crate::protocol::offsets::Spans;
use crate::protocol::reader::Reader;
use crate::protocol::shape::says_failed;
use crate::protocol::span::StrSpan;
use crate::protocol::usage::Usage;
use crate::protocol::value::{Kind, Value};

/// The maximum entries of a model list.
pub const MODELS_MAX: usize = 1 << 20;

/// Visits the items of a list in an object; none if the member is something else.
fn each<'a>(value: Value<'a>, name: &str, visit: impl FnMut(Value<'a>)) {
    value.get(name).unwrap_or(Value::NULL).each_item(visit);
}

fn type_is(value: Value<'_>, expected: &str) -> bool {
    value.get("type").and_then(Value::as_str).as_deref() == Some(expected)
}

/// Every `output_text` part of a response object, in order.
pub fn output_text(response: Value<'_>) -> String {
    let mut text = String::new();
    each(response, "output", |item| {
        each(item, "content", |part| {
            if type_is(part, "output_text") {
                text.push_str(&part.get("text").and_then(Value::as_str).unwrap_or_default());
            }
        });
    });
    text
}

/// The texts of every `reasoning` item of a response object, in order: its own text, or its summary if
/// the service withholds the text, so that nothing is returned twice.
pub fn output_reasoning(response: Value<'_>) -> String {
    let mut text = String::new();
    each(response, "output", |item| {
        if type_is(item, "reasoning") {
            text.push_str(&texts_of(item, reasoning_list(item)));
        }
    });
    text
}

/// The list with a reasoning item's text: `content`, or `summary` if that has no text.
pub(crate) fn reasoning_list(item: Value<'_>) -> &'static str {
    if texts_of(item, "content").is_empty() { "summary" } else { "content" }
}

/// The texts of the parts in a list of an item.
fn texts_of(item: Value<'_>, name: &str) -> String {
    let mut texts = String::new();
    each(item, name, |part| {
        texts.push_str(&part.get("text").and_then(Value::as_str).unwrap_or_default());
    });
    texts
}

/// The name of an entry of a model list (R-OP2): its `id`, otherwise `identifier`, `name` or `model`,
/// or the entry itself; a number counts as its digits. `None` if it has none.
#[doc(hidden)]
pub fn model_name(entry: Value<'_>) -> Option<String> {
    let text = |value: Value<'_>| match value.kind() {
        Kind::String => value.as_str().filter(|text| !text.is_empty()).map(Cow::into_owned),
        Kind::Number => Some(value.text().to_owned()),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    };
    let names = ["id", "identifier", "name", "model"];
    text(entry).or_else(|| names.iter().find_map(|name| text(entry.get(name)?)))
}

/// The id and the model in an answer; an empty name counts as absent. They are usually at the start, and then
/// the rest is not parsed.
pub(crate) fn names_of(answer: Value<'_>) -> (Option<String>, Option<String>) {
    let (mut id, mut model) = (None, None);
    answer.find_members(|name, value| {
        let found = match name {
            "id" => &mut id,
            "model" => &mut model,
            _ => return false,
        };
        let text = value.as_str().filter(|text| !text.is_empty());
        *found = text.map(Cow::into_owned);
        id.is_some() && model.is_some()
    });
    (id, model)
}

/// A whole answer: its JSON text as it was sent, and the fields found in it.
///
/// ```
/// let text = r#"{"model":"a-model","choices":[{"finish_reason":"stop","message":{"content":"Hello"}}],
///     "usage":{"prompt_tokens":3,"completion_tokens":1},"system_fingerprint":"fp-1"}"#;
/// let document = modelwire::parse::document(text)?;
/// assert_eq!((&*document.text(), document.model().as_deref()), ("Hello", Some("a-model")));
/// assert_eq!(document.finish_reason().as_deref(), Some("stop"));
/// assert_eq!(document.usage().map(|usage| usage.total_tokens), Some(4));
/// assert_eq!((document.json(), &*document.reasoning()), (text, ""));
/// assert!(document.value().get("system_fingerprint").is_some()); // any other field
/// # Ok::<(), modelwire::JsonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document {
    /// With a terminating NUL for callers that need it.
    text: Box<str>,
    spans: Spans,
    /// Of an answer alone: each chunk would take room for them in its queue.
    model: Option<StrSpan>,
    status: Option<StrSpan>,
}

impl Document {
    pub(crate) fn scan(text: &str) -> Result<Document, JsonError> {
        let (mut model, mut status) = (None, None);
        let spans = Spans::scan_with(text, |cursor, name| {
            match name {
                "model" => model = cursor.string_or_skip()?,
                "status" => status = cursor.string_or_skip()?,
                _ => drop(cursor.skip()?),
            }
            Ok(())
        })?;
        let mut with_nul = String::with_capacity(text.len() + 1);
        with_nul.push_str(text);
        with_nul.push('\0');
        Ok(Document { text: with_nul.into_boxed_str(), spans, model, status })
    }

    /// The JSON text as it was sent, without leading white space.
    pub fn json(&self) -> &str {
        self.text.get(..self.text.len() - 1).unwrap_or_default()
    }

    /// [`Document::json`] with a terminating NUL, without a copy.
    #[doc(hidden)]
    pub fn json_and_nul(&self) -> &str {
        &self.text
    }

    /// The whole answer, for every field.
    pub fn value(&self) -> Value<'_> {
        Value::validated(self.json())
    }

    /// The output text: `message.content` of the first choice, or every `output_text` part of a
    /// response in order; empty if there is none.
    pub fn text(&self) -> Cow<'_, str> {
        if let Some(choice) = self.choices().next() {
            return choice.content().unwrap_or_default();
        }
        Cow::Owned(output_text(self.value()))
    }

    /// The model's reasoning: that of the first choice (see [`Choice::reasoning`]), or of every
    /// reasoning item of a response, in order; empty if there is none.
    pub fn reasoning(&self) -> Cow<'_, str> {
        if let Some(choice) = self.choices().next() {
            return choice.reasoning().unwrap_or_default();
        }
        Cow::Owned(output_reasoning(self.value()))
    }

    /// The choices of a chat completion.
    pub fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        choices_of(self.reader(), &self.spans)
    }

    /// Why the first choice stopped; the `status` of a response.
    pub fn finish_reason(&self) -> Option<Cow<'_, str>> {
        match self.choices().next() {
            Some(choice) => choice.finish_reason(),
            None => self.read(self.status),
        }
    }

    fn reader(&self) -> Reader<'_> {
        Reader { text: self.json(), edits: &[] }
    }

    fn read(&self, span: Option<StrSpan>) -> Option<Cow<'_, str>> {
        span.map(|span| self.reader().string(span))
    }

    /// Its id; an empty one counts as absent.
    pub(crate) fn id(&self) -> Option<Cow<'_, str>> {
        self.read(self.spans.event.id).filter(|id| !id.is_empty())
    }

    /// Whether this is an error after a success status: it reports a failure and has no part of an
    /// answer of this operation (R-ERR6). A message alone is not enough if the text could be an answer
    /// of another operation.
    pub(crate) fn is_error(&self, endpoint: Endpoint) -> bool {
        let whole = self.value();
        let has = |field| whole.get(field).is_some_and(|value| !value.is_null());
        let has_part = match endpoint {
            Endpoint::Models => self.model_list().is_some(),
            Endpoint::Chat => self.choices().next().is_some(),
            Endpoint::Responses => has("output"),
        };
        // Choices and an output are looked for there.
        !has_part && says_failed(whole, has("data"))
    }

    /// Whether it has the parts of an answer of this operation (R-ERR6): a choice; the output of a
    /// response, or its type; a model list.
    pub(crate) fn is_answer(&self, endpoint: Endpoint) -> bool {
        let whole = self.value();
        match endpoint {
            Endpoint::Models => self.model_list().is_some(),
            Endpoint::Chat => self.choices().next().is_some(),
            Endpoint::Responses => {
                let is_response = whole.get("object").and_then(Value::as_str);
                is_response.as_deref() == Some("response")
                    || whole.get("output").is_some_and(|output| output.kind() == Kind::Array)
            }
        }
    }

    /// The usage that the answer reports.
    pub fn usage(&self) -> Option<Usage> {
        Usage::read(self.spans.event.usage?.of(self.json()))
    }

    /// The model that answered, as the service names it.
    pub fn model(&self) -> Option<Cow<'_, str>> {
        self.read(self.model)
    }

    /// The entries of a model list: `data`, or a top-level array (R-OP2). `None` if it is neither.
    ///
    /// ```
    /// let list = modelwire::parse::document(r#"{"data":[{"id":"a-model","owned_by":"a-team"}]}"#)?;
    /// for model in list.models().unwrap_or_default() {
    ///     assert_eq!(model.get("owned_by").and_then(|owner| owner.as_str()).as_deref(), Some("a-team"));
    /// }
    /// # Ok::<(), modelwire::JsonError>(())
    /// ```
    pub fn models(&self) -> Option<Vec<Value<'_>>> {
        self.model_list().map(Value::items)
    }

    /// The first entry of a model list that has no name.
    pub(crate) fn unnamed_model(&self) -> Option<Value<'_>> {
        self.model_list()?.find_item(|entry| model_name(entry).is_none())
    }

    /// The entries of a model list.
    pub(crate) fn model_list(&self) -> Option<Value<'_>> {
        let whole = self.value();
        let list = if whole.kind() == Kind::Array { Some(whole) } else { whole.get("data") };
        list.filter(|list| list.kind() == Kind::Array)
    }

    /// Whether it is an object, as all answers are except model lists.
    pub(crate) fn is_object(&self) -> bool {
        self.value().kind() == Kind::Object
    }
}
