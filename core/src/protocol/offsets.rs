//! Locates the hot fields of a chunk or an answer: one validating pass that produces spans.
//!
//! A field of an unexpected type counts as absent. Other fields are found by name through
//! [`Value`](crate::Value). No valid JSON is rejected (R-STR4, R-F3).

use crate::protocol::json::{Cursor, Token, Walk};
use crate::protocol::one_or_more::OneOrMore;
use crate::protocol::shape::adds_to_message;
use crate::protocol::span::{Span, StrSpan};

/// The maximum number of choices and tool calls, together, in one event or answer. Each takes more memory
/// than the few bytes in which it may be sent, so more of them are rejected.
pub const ELEMENTS_MAX: usize = 65_536;

/// The hot fields of one kind of object, from one list: the struct, and the code that reads a member into it.
/// To add a field, add a line to such a list, and an accessor. A value that is not a
/// string is absent in `strings`; in `texts` it is its JSON text.
macro_rules! fields {
    (
        $(#[$meta:meta])*
        $name:ident {
            strings { $($string:ident = $string_key:literal,)* }
            texts { $($text:ident = $text_key:literal,)* }
            values { $($value:ident = $value_key:literal,)* }
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name {
            $(pub(crate) $string: Option<StrSpan>,)*
            $(pub(crate) $text: Option<StrSpan>,)*
            $(pub(crate) $value: Option<Span>,)*
        }

        impl Default for $name {
            fn default() -> $name {
                $name::NOTHING
            }
        }

        impl $name {
            const NOTHING: $name =
                $name { $($string: None,)* $($text: None,)* $($value: None,)* };

            /// Reads the member of this name, if it is in the list.
            fn read(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Walk<bool> {
                match name {
                    $($string_key => self.$string = cursor.string_or_skip()?,)*
                    $($text_key => self.$text = cursor.text_or_skip()?,)*
                    $($value_key => self.$value = cursor.unless_null()?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}

fields! {
    /// A chunk, an event or an answer itself.
    EventSpans {
        strings { id = "id", kind = "type", item_id = "item_id", delta = "delta", }
        texts {}
        values { usage = "usage", error = "error", response = "response", }
    }
}

fields! {
    /// The delta of a chunk or the message of an answer: both have the same fields.
    MessageSpans {
        strings { role = "role", content = "content", }
        texts {}
        values {}
    }
}

fields! {
    /// The function of a tool call.
    FunctionSpans {
        strings { name = "name", }
        texts { arguments = "arguments", }
        values {}
    }
}

/// One tool call, or a fragment of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToolCallSpans {
    pub(crate) index: Option<u32>,
    pub(crate) id: Option<StrSpan>,
    pub(crate) function: FunctionSpans,
}

#[derive(Clone, Debug)]
pub(crate) struct ChoiceSpans {
    pub(crate) whole: Span,
    pub(crate) index: u32,
    pub(crate) finish_reason: Option<StrSpan>,
    pub(crate) message: MessageSpans,
    /// A content that is a list of parts.
    pub(crate) parts: Option<Span>,
    /// Empty, and without an allocation, in nearly every chunk.
    pub(crate) tool_calls: Vec<ToolCallSpans>,
}

/// A whole chunk, event or answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    pub(crate) event: EventSpans,
    /// In order.
    pub(crate) choices: OneOrMore<ChoiceSpans>,
}

impl Spans {
    pub(crate) const NOTHING: Spans = Spans { event: EventSpans::NOTHING, choices: OneOrMore::NEW };

    /// Scans the whole text in one pass; an error means that it is not JSON.
    pub(crate) fn scan(text: &str) -> Walk<Spans> {
        Spans::scan_with(text, |cursor, _| cursor.skip().map(drop))
    }

    /// The same; `other` reads or skips the value of every other member.
    pub(crate) fn scan_with(
        text: &str,
        other: impl FnMut(&mut Cursor<'_>, &str) -> Walk<()>,
    ) -> Walk<Spans> {
        let mut cursor = Cursor::new(text)?;
        let spans = Spans::walk(&mut cursor, other)?;
        cursor.finish()?;
        Ok(spans)
    }

    /// Like `scan`, and records the positions of strings and numbers that it did not read.
    pub(crate) fn scan_noting(text: &str, noted: &mut Vec<Token>) -> Walk<Spans> {
        let mut cursor = Cursor::new(text)?;
        cursor.note_in(std::mem::take(noted));
        let spans = Spans::walk(&mut cursor, |cursor, _| cursor.skip().map(drop))?;
        *noted = cursor.take_noted();
        cursor.finish()?;
        Ok(spans)
    }

    fn walk(
        cursor: &mut Cursor<'_>,
        mut other: impl FnMut(&mut Cursor<'_>, &str) -> Walk<()>,
    ) -> Walk<Spans> {
        let mut spans = Spans::default();
        // Over all duplicates: what converts an answer meets each of them.
        let mut elements = Elements::default();
        if cursor.peek() == Some(b'{') {
            cursor.object(|cursor, name| match name {
                "choices" => spans.read_choices(cursor, &mut elements),
                _ if spans.event.read(cursor, name)? => Ok(()),
                _ => other(cursor, name),
            })?;
        } else {
            cursor.skip()?;
        }
        Ok(spans)
    }

    /// See [`Chunk::only_adds`](crate::Chunk).
    pub(crate) fn only_add(&self) -> bool {
        let EventSpans { kind, usage, error, response, .. } = self.event;
        let is_untyped = kind.is_none() && usage.is_none() && error.is_none() && response.is_none();
        let is_finished = |choice: &ChoiceSpans| choice.finish_reason.is_some();
        is_untyped && !self.choices.is_empty() && !self.choices.iter().any(is_finished)
    }

    fn read_choices(&mut self, cursor: &mut Cursor<'_>, elements: &mut Elements) -> Walk<()> {
        self.choices = OneOrMore::NEW; // the last of duplicate keys wins
        if cursor.peek() != Some(b'[') {
            return cursor.skip().map(drop);
        }
        let mut position = 0;
        cursor.array(|cursor| {
            elements.add(cursor)?;
            if let Some(choice) = ChoiceSpans::scan(cursor, position, elements)? {
                self.choices.push(choice);
            }
            position += 1;
            Ok(())
        })
    }
}

impl ChoiceSpans {
    /// One choice of a chunk or an answer; `None` for anything but an object.
    fn scan(
        cursor: &mut Cursor<'_>,
        position: u32,
        elements: &mut Elements,
    ) -> Walk<Option<ChoiceSpans>> {
        let start = cursor.place();
        if cursor.peek() != Some(b'{') {
            return cursor.skip().map(|_| None);
        }
        let (mut index, mut finish_reason) = (None, None);
        let (mut delta, mut message) = (None, None);
        cursor.object(|cursor, name| {
            // The last duplicate wins, as a whole.
            match (name, cursor.peek()) {
                ("index", _) => index = read_index(cursor)?,
                ("finish_reason", _) => finish_reason = cursor.string_or_skip()?,
                ("message", Some(b'{')) => message = Some(MessageFields::scan(cursor, elements)?),
                ("delta", Some(b'{')) => {
                    let start = cursor.place();
                    let said = MessageFields::scan(cursor, elements)?;
                    delta = Some((cursor.since(start), said));
                }
                _ => drop(cursor.skip()?),
            }
            Ok(())
        })?;
        let (whole, index) = (cursor.since(start), index.unwrap_or(position));
        let said = match (delta, message) {
            (Some((span, delta)), Some(message)) => {
                // Which of them counts depends on the values: a text that differs anywhere is scanned in full.
                cursor.forget_noted();
                if adds_to_message(span.of(cursor.text)) { delta } else { message }
            }
            (delta, message) => message.or(delta.map(|(_, delta)| delta)).unwrap_or_default(),
        };
        let MessageFields { message, parts, tool_calls } = said;
        Ok(Some(ChoiceSpans { whole, index, finish_reason, message, parts, tool_calls }))
    }
}

/// The scanned parts of a delta or a message.
#[derive(Default)]
struct MessageFields {
    message: MessageSpans,
    parts: Option<Span>,
    tool_calls: Vec<ToolCallSpans>,
}

impl MessageFields {
    fn scan(cursor: &mut Cursor<'_>, elements: &mut Elements) -> Walk<MessageFields> {
        let mut said = MessageFields::default();
        cursor.object(|cursor, name| match (name, cursor.peek()) {
            ("content", Some(b'[')) => {
                said.message.content = None;
                said.parts = Some(cursor.skip()?);
                Ok(())
            }
            ("tool_calls", Some(b'[')) => {
                said.tool_calls.clear();
                cursor.array(|cursor| {
                    elements.add(cursor)?;
                    said.tool_calls.push(ToolCallSpans::scan(cursor)?);
                    Ok(())
                })
            }
            _ if said.message.read(cursor, name)? => Ok(()),
            _ => cursor.skip().map(drop),
        })?;
        Ok(said)
    }
}

impl ToolCallSpans {
    fn scan(cursor: &mut Cursor<'_>) -> Walk<ToolCallSpans> {
        let mut call = ToolCallSpans::default();
        if cursor.peek() != Some(b'{') {
            return cursor.skip().map(|_| call);
        }
        cursor.object(|cursor, name| {
            match name {
                "index" => call.index = read_index(cursor)?,
                "id" => call.id = cursor.string_or_skip()?,
                "function" if cursor.peek() == Some(b'{') => cursor.object(|cursor, name| {
                    if !call.function.read(cursor, name)? {
                        cursor.skip()?;
                    }
                    Ok(())
                })?,
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        })?;
        Ok(call)
    }
}

/// The index here; any other value is skipped. It is read now, so a text that differs in it is scanned in
/// full.
fn read_index(cursor: &mut Cursor<'_>) -> Walk<Option<u32>> {
    Ok(cursor.skip_unnoted()?.of(cursor.text).as_index())
}

/// Counts choices and tool calls.
#[derive(Default)]
struct Elements(usize);

impl Elements {
    fn add(&mut self, cursor: &Cursor<'_>) -> Walk<()> {
        self.0 += 1;
        if self.0 > ELEMENTS_MAX {
            return cursor.fail("at most ELEMENTS_MAX = 65536 choices and tool calls");
        }
        Ok(())
    }
}
