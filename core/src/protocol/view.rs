//! Where the hot fields stand in a chunk or an answer: one validating pass that leaves spans,
//! read on demand. Knows no HTTP and no streams.
//!
//! A field of an unexpected type reads as absent; a field that nobody here knows is reachable by
//! name through [`Value`]. Nothing that is valid JSON is refused (R-STR4, R-F3).

use std::borrow::Cow;
use std::sync::Arc;

use crate::protocol::delta_scan::Twin;
use crate::protocol::json::{Cursor, Hole, JsonError, Span, StrSpan, Token};
use crate::protocol::value::{Kind, Value};

/// Most choices and tool calls, taken together, that are looked at in one event or answer. Each
/// takes more memory than the few bytes that it may be sent in, so more of them are refused.
pub const ELEMENTS_MAX: usize = 65_536;

/// Tokens that an answer reports (R-MET1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// `prompt_tokens` or `input_tokens`.
    pub input_tokens: u64,
    /// `completion_tokens` or `output_tokens`.
    pub output_tokens: u64,
    /// `total_tokens`, or the sum of the two where it is absent.
    pub total_tokens: u64,
}

impl Usage {
    pub(crate) fn read(value: Value<'_>) -> Option<Usage> {
        let (mut input, mut output, mut total) = (None, None, None);
        for (name, value) in value.members() {
            let count = match &*name {
                "prompt_tokens" | "input_tokens" => &mut input,
                "completion_tokens" | "output_tokens" => &mut output,
                "total_tokens" => &mut total,
                _ => continue,
            };
            *count = value.as_i64().and_then(|tokens| u64::try_from(tokens).ok()).or(*count);
        }
        if input.is_none() && output.is_none() && total.is_none() {
            return None;
        }
        let (input_tokens, output_tokens) = (input.unwrap_or(0), output.unwrap_or(0));
        let total_tokens = total.unwrap_or(input_tokens.saturating_add(output_tokens));
        Some(Usage { input_tokens, output_tokens, total_tokens })
    }
}

/// The spans of one tool call, or of a piece of it.
#[derive(Clone, Copy, Debug, Default)]
struct ToolCallSpans {
    index: Option<u32>,
    id: Option<StrSpan>,
    name: Option<StrSpan>,
    arguments: Option<StrSpan>,
}

impl ToolCallSpans {
    fn moved(&self, holes: &[Hole]) -> ToolCallSpans {
        let of = |span: Option<StrSpan>| span.map(|span| span.moved(holes));
        ToolCallSpans {
            index: self.index,
            id: of(self.id),
            name: of(self.name),
            arguments: of(self.arguments),
        }
    }

    fn scan(cursor: &mut Cursor<'_>) -> Result<ToolCallSpans, JsonError> {
        let mut call = ToolCallSpans::default();
        if cursor.peek() != Some(b'{') {
            cursor.skip()?;
            return Ok(call);
        }
        cursor.object(|cursor, name| {
            match name {
                "index" => call.index = cursor.unsigned_or_skip()?,
                "id" => call.id = cursor.string_or_skip()?,
                "function" if cursor.peek() == Some(b'{') => {
                    cursor.object(|cursor, name| call.function(cursor, name))?;
                }
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        })?;
        Ok(call)
    }

    fn function(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Result<(), JsonError> {
        match name {
            "name" => self.name = cursor.string_or_skip()?,
            "arguments" => self.arguments = cursor.string_or_skip()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }
}

/// The spans of one choice.
#[derive(Clone, Debug)]
struct ChoiceSpans {
    whole: Span,
    index: u32,
    finish_reason: Option<StrSpan>,
    role: Option<StrSpan>,
    content: Option<StrSpan>,
    /// Empty, and without an allocation, in nearly every chunk.
    tool_calls: Vec<ToolCallSpans>,
}

/// The spans of a chunk, an event or an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    /// Nearly every chunk has one choice; further ones cost an allocation.
    first: Option<ChoiceSpans>,
    further: Vec<ChoiceSpans>,
    usage: Option<Span>,
    error: Option<Span>,
    kind: Option<StrSpan>,
    id: Option<StrSpan>,
    item_id: Option<StrSpan>,
    delta: Option<StrSpan>,
    response: Option<Span>,
}

impl Spans {
    const NOTHING: Spans = Spans {
        first: None,
        further: Vec::new(),
        usage: None,
        error: None,
        kind: None,
        id: None,
        item_id: None,
        delta: None,
        response: None,
    };

    /// One pass over the whole text; an error means that it is not JSON.
    pub(crate) fn scan(text: &str) -> Result<Spans, JsonError> {
        let mut cursor = Cursor::new(text)?;
        let spans = Spans::walk(&mut cursor)?;
        cursor.finish()?;
        Ok(spans)
    }

    /// The same; notes where strings and numbers stand that it did not read.
    pub(crate) fn scan_noting(text: &str, noted: &mut Vec<Token>) -> Result<Spans, JsonError> {
        let mut cursor = Cursor::new(text)?;
        cursor.note_in(std::mem::take(noted));
        let spans = Spans::walk(&mut cursor)?;
        *noted = cursor.take_noted();
        cursor.finish()?;
        Ok(spans)
    }

    fn walk(cursor: &mut Cursor<'_>) -> Result<Spans, JsonError> {
        let mut spans = Spans::default();
        if cursor.peek() == Some(b'{') {
            cursor.object(|cursor, name| spans.member(cursor, name))?;
        } else {
            cursor.skip()?;
        }
        Ok(spans)
    }

    /// The spans of a text that differs from this one's in these values.
    pub(crate) fn moved(&self, holes: &[Hole]) -> Spans {
        let of = |span: Option<Span>| span.map(|span| span.moved(holes));
        let of_str = |span: Option<StrSpan>| span.map(|span| span.moved(holes));
        Spans {
            first: self.first.as_ref().map(|choice| choice.moved(holes)),
            further: self.further.iter().map(|choice| choice.moved(holes)).collect(),
            usage: of(self.usage),
            error: of(self.error),
            kind: of_str(self.kind),
            id: of_str(self.id),
            item_id: of_str(self.item_id),
            delta: of_str(self.delta),
            response: of(self.response),
        }
    }

    fn member(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Result<(), JsonError> {
        match name {
            "choices" => self.choices(cursor)?,
            "usage" => self.usage = cursor.unless_null()?,
            "error" => self.error = cursor.unless_null()?,
            "type" => self.kind = cursor.string_or_skip()?,
            "id" => self.id = cursor.string_or_skip()?,
            "item_id" => self.item_id = cursor.string_or_skip()?,
            "delta" => self.delta = cursor.string_or_skip()?,
            "response" => self.response = cursor.unless_null()?,
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }

    fn choices(&mut self, cursor: &mut Cursor<'_>) -> Result<(), JsonError> {
        self.first = None; // of duplicate keys the last wins
        self.further.clear();
        if cursor.peek() != Some(b'[') {
            return cursor.skip().map(|_| ());
        }
        let mut position = 0;
        let mut elements = Elements::default();
        cursor.array(|cursor| {
            elements.add(cursor)?;
            if let Some(choice) = ChoiceSpans::scan(cursor, position, &mut elements)? {
                match self.first {
                    None => self.first = Some(choice),
                    Some(_) => self.further.push(choice),
                }
            }
            position += 1;
            Ok(())
        })
    }

    fn choices_in_order(&self) -> impl Iterator<Item = &ChoiceSpans> {
        self.first.iter().chain(&self.further)
    }
}

/// What was found of choices and tool calls.
#[derive(Default)]
struct Elements(usize);

impl Elements {
    fn add(&mut self, cursor: &Cursor<'_>) -> Result<(), JsonError> {
        self.0 += 1;
        if self.0 > ELEMENTS_MAX {
            return cursor.fail("at most ELEMENTS_MAX = 65536 choices and tool calls");
        }
        Ok(())
    }
}

impl ChoiceSpans {
    fn moved(&self, holes: &[Hole]) -> ChoiceSpans {
        let of = |span: Option<StrSpan>| span.map(|span| span.moved(holes));
        ChoiceSpans {
            whole: self.whole.moved(holes),
            index: self.index,
            finish_reason: of(self.finish_reason),
            role: of(self.role),
            content: of(self.content),
            tool_calls: self.tool_calls.iter().map(|call| call.moved(holes)).collect(),
        }
    }

    /// One choice of a chunk or an answer; `None` where something else than an object stands.
    fn scan(
        cursor: &mut Cursor<'_>,
        position: u32,
        elements: &mut Elements,
    ) -> Result<Option<ChoiceSpans>, JsonError> {
        let start = cursor.place();
        if cursor.peek() != Some(b'{') {
            cursor.skip()?;
            return Ok(None);
        }
        let (mut index, mut finish_reason) = (None, None);
        let mut said = Said::default();
        cursor.object(|cursor, name| {
            match name {
                "index" => index = cursor.unsigned_or_skip()?,
                "finish_reason" => finish_reason = cursor.string_or_skip()?,
                // A chunk carries a delta, an answer a message; both have the same fields.
                "delta" | "message" if cursor.peek() == Some(b'{') => {
                    said = Said::default(); // of duplicates the last wins, whole
                    cursor.object(|cursor, name| said.member(cursor, name, elements))?;
                }
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        })?;
        let whole = cursor.since(start);
        let index = index.unwrap_or(position);
        let Said { role, content, tool_calls } = said;
        Ok(Some(ChoiceSpans { whole, index, finish_reason, role, content, tool_calls }))
    }
}

/// What a delta or a message says.
#[derive(Default)]
struct Said {
    role: Option<StrSpan>,
    content: Option<StrSpan>,
    tool_calls: Vec<ToolCallSpans>,
}

impl Said {
    fn member(
        &mut self,
        cursor: &mut Cursor<'_>,
        name: &str,
        elements: &mut Elements,
    ) -> Result<(), JsonError> {
        match name {
            "role" => self.role = cursor.string_or_skip()?,
            "content" => self.content = cursor.string_or_skip()?,
            "tool_calls" if cursor.peek() == Some(b'[') => {
                self.tool_calls.clear();
                cursor.array(|cursor| {
                    elements.add(cursor)?;
                    self.tool_calls.push(ToolCallSpans::scan(cursor)?);
                    Ok(())
                })?;
            }
            _ => {
                cursor.skip()?;
            }
        }
        Ok(())
    }
}

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
        self.spans.name.map(|span| span.read(self.text))
    }

    /// The function's arguments as JSON text, or a piece of that text.
    pub fn arguments(&self) -> Option<Cow<'a, str>> {
        self.spans.arguments.map(|span| span.read(self.text))
    }
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
        self.spans.content.map(|span| span.read(self.text))
    }

    /// `delta.role` of a chunk, `message.role` of an answer.
    pub fn role(&self) -> Option<Cow<'a, str>> {
        self.spans.role.map(|span| span.read(self.text))
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

/// The texts of chunks that arrived together share one allocation of about this size: an
/// allocation for each, made on one thread and freed on another, costs more than all parsing.
/// A chunk that is kept keeps its neighbours in memory, but no more than this.
pub(crate) const SLAB_BYTES_MAX: usize = 16 << 10;

/// One event of a stream: its JSON text as it was sent, and what was found in it. Small, because
/// it is moved a dozen times on its way; cheap to clone.
#[derive(Clone)]
pub struct Chunk {
    slab: Arc<Sealed>,
    at: u32,
}

/// What chunks that arrived together share: their texts, and what was found in each.
struct Sealed {
    texts: String,
    found: Findings,
}

/// What was found in chunks, in their order. The first one needs no allocation: where a stream
/// pauses between its events there is no other.
#[derive(Default)]
struct Findings {
    first: Option<(Place, Spans)>,
    further: Vec<(Place, Spans)>,
}

impl Findings {
    fn push(&mut self, found: (Place, Spans)) {
        match &self.first {
            None => self.first = Some(found),
            Some(_) => self.further.push(found),
        }
    }

    fn get(&self, at: u32) -> Option<&(Place, Spans)> {
        match at.checked_sub(1) {
            None => self.first.as_ref(),
            Some(at) => self.further.get(at as usize),
        }
    }

    fn len(&self) -> usize {
        self.further.len() + usize::from(self.first.is_some())
    }
}

/// Where a chunk's texts stand in its slab: the event's name and the JSON text, a NUL behind each
/// so that C can borrow them.
#[derive(Clone, Copy, Default)]
struct Place {
    start: u32,
    name_end: u32,
    end: u32,
}

impl Place {
    fn write(event: &str, text: &str, slab: &mut String) -> Place {
        let start = slab.len() as u32;
        slab.push_str(event);
        let name_end = slab.len() as u32;
        slab.push('\0');
        slab.push_str(text);
        let end = slab.len() as u32;
        slab.push('\0');
        Place { start, name_end, end }
    }
}

/// Chunks under construction: scanned, their texts not shared yet.
#[derive(Default)]
pub(crate) struct Slab {
    texts: String,
    found: Findings,
    twin: Twin,
}

impl Slab {
    /// Scans one event and adds it; an error means that it is not JSON.
    pub(crate) fn add(&mut self, event: &str, text: &str) -> Result<(), JsonError> {
        let spans = self.twin.scan(text)?;
        let place = Place::write(event, text, &mut self.texts);
        self.found.push((place, spans));
        Ok(())
    }

    /// How many chunks it holds.
    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.texts.len() >= SLAB_BYTES_MAX
    }

    /// The chunks, in order; the slab is empty again.
    pub(crate) fn seal(&mut self) -> impl Iterator<Item = Chunk> + use<> {
        // As much room as was needed this time.
        let texts = String::with_capacity(self.texts.len());
        let further = Vec::with_capacity(self.found.further.len());
        let texts = std::mem::replace(&mut self.texts, texts);
        let found = std::mem::replace(&mut self.found, Findings { first: None, further });
        let count = found.len() as u32;
        let slab = Arc::new(Sealed { texts, found });
        (0..count).map(move |at| Chunk { slab: slab.clone(), at })
    }
}

impl Chunk {
    pub(crate) fn scan(event: &str, text: &str) -> Result<Chunk, JsonError> {
        let spans = Spans::scan(text)?;
        let mut texts = String::with_capacity(event.len() + text.len() + 2);
        let place = Place::write(event, text, &mut texts);
        let found = Findings { first: Some((place, spans)), ..Findings::default() };
        Ok(Chunk { slab: Arc::new(Sealed { texts, found }), at: 0 })
    }

    fn place(&self) -> Place {
        self.slab.found.get(self.at).map_or_else(Place::default, |(place, _)| *place)
    }

    fn spans(&self) -> &Spans {
        const NOTHING: &Spans = &Spans::NOTHING;
        self.slab.found.get(self.at).map_or(NOTHING, |(_, spans)| spans)
    }

    /// The JSON text, as it was sent.
    pub fn json(&self) -> &str {
        let range = self.place().name_end as usize + 1..self.place().end as usize;
        self.slab.texts.get(range).unwrap_or_default()
    }

    /// [`Chunk::json`] with a NUL behind it, for C.
    pub fn json_and_nul(&self) -> &str {
        let range = self.place().name_end as usize + 1..self.place().end as usize + 1;
        self.slab.texts.get(range).unwrap_or("\0")
    }

    /// [`Chunk::event`] with a NUL behind it, for C.
    pub fn event_and_nul(&self) -> &str {
        let range = self.place().start as usize..self.place().name_end as usize + 1;
        self.slab.texts.get(range).unwrap_or("\0")
    }

    /// The name of the server-sent event; empty where there was none, as in chat streams.
    pub fn event(&self) -> &str {
        let range = self.place().start as usize..self.place().name_end as usize;
        self.slab.texts.get(range).unwrap_or_default()
    }

    /// The piece of output text that this chunk adds: `delta.content` of its first choice, or
    /// `delta` of a `response.output_text.delta` event; empty for every other chunk.
    pub fn text(&self) -> Cow<'_, str> {
        let span = match &self.spans().first {
            Some(choice) => choice.content,
            None if self.type_is(OUTPUT_TEXT_DELTA) => self.spans().delta,
            None => None,
        };
        span.map_or(Cow::Borrowed(""), |span| span.read(self.json()))
    }

    /// The choices of a chat chunk.
    pub fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        let text = self.json();
        self.spans().choices_in_order().map(move |spans| Choice { text, spans })
    }

    /// Why the first choice stopped; `None` while it has not.
    pub fn finish_reason(&self) -> Option<Cow<'_, str>> {
        self.choices().next()?.finish_reason()
    }

    /// `id` of a chat chunk, the same on every chunk of an answer.
    pub fn id(&self) -> Option<Cow<'_, str>> {
        self.spans().id.map(|span| span.read(self.json()))
    }

    /// `item_id` of a response event: the output item that it adds to.
    pub fn item_id(&self) -> Option<Cow<'_, str>> {
        self.spans().item_id.map(|span| span.read(self.json()))
    }

    /// `type` of a response event.
    pub fn kind(&self) -> Option<Cow<'_, str>> {
        self.spans().kind.map(|span| span.read(self.json()))
    }

    /// The usage that this chunk reports: its own, or that of the response it completes.
    pub fn usage(&self) -> Option<Usage> {
        let own = self.spans().usage.map(|span| span.of(self.json()));
        let usage = own.or_else(|| self.response()?.get("usage"))?;
        Usage::read(usage)
    }

    /// `response` of a response event.
    pub fn response(&self) -> Option<Value<'_>> {
        self.spans().response.map(|span| span.of(self.json()))
    }

    /// The whole chunk, for every other field.
    pub fn value(&self) -> Value<'_> {
        Value::validated(self.json())
    }

    fn type_is(&self, expected: &str) -> bool {
        self.kind().is_some_and(|kind| kind == expected)
    }

    /// Whether this is an error of the service and not a chunk (R-ERR6).
    pub(crate) fn is_error(&self) -> bool {
        self.spans().error.is_some() && !self.is_final_response()
            || self.event() == "error"
            || self.type_is("error")
    }

    /// Whether this event ends a response stream (R-STR7).
    pub(crate) fn is_final_response(&self) -> bool {
        self.kind().is_some_and(|kind| {
            matches!(&*kind, "response.completed" | "response.failed" | "response.incomplete")
        })
    }

    /// What it takes of a queue's bound.
    pub(crate) fn cost(&self) -> usize {
        self.json().len() + size_of::<(Place, Spans)>()
    }
}

impl std::fmt::Debug for Chunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.json())
    }
}

const OUTPUT_TEXT_DELTA: &str = "response.output_text.delta";

/// Every `output_text` part of a response object, in order.
pub fn output_text(response: Value<'_>) -> String {
    fn list<'a>(value: Value<'a>, name: &str) -> Vec<Value<'a>> {
        value.get(name).map(Value::items).unwrap_or_default()
    }
    let mut text = String::new();
    for part in list(response, "output").into_iter().flat_map(|item| list(item, "content")) {
        if part.get("type").and_then(Value::as_str).as_deref() == Some("output_text") {
            text.push_str(&part.get("text").and_then(Value::as_str).unwrap_or_default());
        }
    }
    text
}

/// A whole answer: its JSON text as it was sent, and what was found in it.
#[derive(Clone, Debug)]
pub struct Document {
    text: Box<str>,
    spans: Spans,
}

impl Document {
    pub(crate) fn scan(text: Box<str>) -> Result<Document, JsonError> {
        let spans = Spans::scan(&text)?;
        Ok(Document { text, spans })
    }

    /// The JSON text, as it was sent, white space before it aside.
    pub fn json(&self) -> &str {
        &self.text
    }

    /// The whole answer, for every field.
    pub fn value(&self) -> Value<'_> {
        Value::validated(&self.text)
    }

    /// The output text: `message.content` of the first choice, or every `output_text` part of a
    /// response in order; empty where there is none.
    pub fn text(&self) -> Cow<'_, str> {
        if let Some(choice) = self.choices().next() {
            return choice.content().unwrap_or_default();
        }
        Cow::Owned(output_text(self.value()))
    }

    /// The choices of a chat completion.
    pub fn choices(&self) -> impl Iterator<Item = Choice<'_>> {
        self.spans.choices_in_order().map(|spans| Choice { text: &self.text, spans })
    }

    /// Why the first choice stopped; the `status` of a response.
    pub fn finish_reason(&self) -> Option<Cow<'_, str>> {
        match self.choices().next() {
            Some(choice) => choice.finish_reason(),
            None => self.value().get("status")?.as_str(),
        }
    }

    /// Whether this is an error that came under a good status: it says `error` and has nothing of
    /// an answer.
    pub(crate) fn is_error(&self) -> bool {
        let whole = self.value();
        self.spans.error.is_some()
            && ["choices", "output", "data"]
                .iter()
                .all(|field| whole.get(field).is_none_or(Value::is_null))
    }

    /// The usage that the answer reports.
    pub fn usage(&self) -> Option<Usage> {
        Usage::read(self.spans.usage?.of(&self.text))
    }

    /// The model that answered, as it calls itself.
    pub fn model(&self) -> Option<Cow<'_, str>> {
        self.value().get("model")?.as_str()
    }

    /// The entries of a model list: `data`, or a top-level array (R-OP2). `None` if it is neither.
    pub fn models(&self) -> Option<Vec<Value<'_>>> {
        self.model_list().map(Value::items)
    }

    fn model_list(&self) -> Option<Value<'_>> {
        let whole = self.value();
        let list = if whole.kind() == Kind::Array { Some(whole) } else { whole.get("data") };
        list.filter(|list| list.kind() == Kind::Array)
    }

    /// Whether it is a model list.
    pub(crate) fn is_model_list(&self) -> bool {
        self.model_list().is_some()
    }

    /// Whether it is an object, as the answers of the other operations are.
    pub(crate) fn is_object(&self) -> bool {
        self.value().kind() == Kind::Object
    }
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
