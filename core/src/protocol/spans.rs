//! Where the hot fields stand in a chunk or an answer: one validating pass that leaves spans.
//!
//! A field of an unexpected type is as good as absent; one that nobody here knows is found by name
//! through [`Value`](crate::Value). Nothing that is valid JSON is refused (R-STR4, R-F3).

use crate::protocol::json::{Cursor, Token, Walk};
use crate::protocol::span::{Edit, Span, StrSpan};

/// Most choices and tool calls, taken together, that are looked at in one event or answer. Each
/// takes more memory than the few bytes that it may be sent in, so more of them are refused.
pub const ELEMENTS_MAX: usize = 65_536;

/// The hot fields of one kind of object, from one list: the struct, what reads a member into it, and
/// what moves all of it. A new field is a line in such a list, and an accessor that reads it. What is
/// no string is absent among the strings, and its JSON text among the texts.
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

            /// Reads the member of this name, if it is one of the list.
            fn read(&mut self, cursor: &mut Cursor<'_>, name: &str) -> Walk<bool> {
                match name {
                    $($string_key => self.$string = cursor.string_or_skip()?,)*
                    $($text_key => self.$text = cursor.text_or_skip()?,)*
                    $($value_key => self.$value = cursor.unless_null()?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }

            /// Where all of it stands in a text that differs in these values.
            fn moved(&self, edits: &[Edit]) -> $name {
                $name {
                    $($string: self.$string.map(|span| span.moved(edits)),)*
                    $($text: self.$text.map(|span| span.moved(edits)),)*
                    $($value: self.$value.map(|span| span.moved(edits)),)*
                }
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
    /// What a delta or a message says: a chunk carries the one, an answer the other, and both have
    /// the same fields.
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

/// One tool call, or a piece of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToolCallSpans {
    pub(crate) index: Option<u32>,
    pub(crate) id: Option<StrSpan>,
    pub(crate) function: FunctionSpans,
}

/// One choice.
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

/// A chunk, an event or an answer, whole.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans {
    pub(crate) event: EventSpans,
    /// Nearly every chunk has one choice; further ones cost an allocation.
    first: Option<ChoiceSpans>,
    further: Vec<ChoiceSpans>,
}

impl Spans {
    pub(crate) const NOTHING: Spans =
        Spans { event: EventSpans::NOTHING, first: None, further: Vec::new() };

    /// One pass over the whole text; an error means that it is not JSON.
    pub(crate) fn scan(text: &str) -> Walk<Spans> {
        let mut cursor = Cursor::new(text)?;
        let spans = Spans::walk(&mut cursor)?;
        cursor.finish()?;
        Ok(spans)
    }

    /// The same; notes where strings and numbers stand that it did not read.
    pub(crate) fn scan_noting(text: &str, noted: &mut Vec<Token>) -> Walk<Spans> {
        let mut cursor = Cursor::new(text)?;
        cursor.note_in(std::mem::take(noted));
        let spans = Spans::walk(&mut cursor)?;
        *noted = cursor.take_noted();
        cursor.finish()?;
        Ok(spans)
    }

    fn walk(cursor: &mut Cursor<'_>) -> Walk<Spans> {
        let mut spans = Spans::default();
        if cursor.peek() == Some(b'{') {
            cursor.object(|cursor, name| match name {
                "choices" => spans.read_choices(cursor),
                _ if spans.event.read(cursor, name)? => Ok(()),
                _ => cursor.skip().map(drop),
            })?;
        } else {
            cursor.skip()?;
        }
        Ok(spans)
    }

    fn read_choices(&mut self, cursor: &mut Cursor<'_>) -> Walk<()> {
        self.first = None; // of duplicate keys the last wins
        self.further.clear();
        if cursor.peek() != Some(b'[') {
            return cursor.skip().map(drop);
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

    /// The spans of a text that differs from this one's in these values.
    pub(crate) fn moved(&self, edits: &[Edit]) -> Spans {
        Spans {
            event: self.event.moved(edits),
            first: self.first.as_ref().map(|choice| choice.moved(edits)),
            further: self.further.iter().map(|choice| choice.moved(edits)).collect(),
        }
    }

    /// The choices in their order.
    pub(crate) fn choices(&self) -> impl Iterator<Item = &ChoiceSpans> {
        self.first.iter().chain(&self.further)
    }
}

impl ChoiceSpans {
    /// One choice of a chunk or an answer; `None` where something else than an object stands.
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
        let mut said = Said::default();
        let (mut has_delta, mut has_message) = (false, false);
        cursor.object(|cursor, name| {
            match name {
                "index" => index = read_index(cursor)?,
                "finish_reason" => finish_reason = cursor.string_or_skip()?,
                // What a chunk adds is its delta, whatever message stands beside it.
                // An empty one adds nothing.
                "message" if has_delta => drop(cursor.skip()?),
                "message" if cursor.peek() == Some(b'{') => {
                    said = Said::scan(cursor, elements)?;
                    has_message = true;
                }
                "delta" if cursor.peek() == Some(b'{') => {
                    let delta = Said::scan(cursor, elements)?;
                    if !delta.is_empty || !has_message {
                        // Of duplicates the last wins, whole.
                        said = delta;
                        has_delta = !said.is_empty;
                    }
                }
                _ => {
                    cursor.skip()?;
                }
            }
            Ok(())
        })?;
        let (whole, index) = (cursor.since(start), index.unwrap_or(position));
        let Said { message, parts, tool_calls, .. } = said;
        Ok(Some(ChoiceSpans { whole, index, finish_reason, message, parts, tool_calls }))
    }

    fn moved(&self, edits: &[Edit]) -> ChoiceSpans {
        ChoiceSpans {
            whole: self.whole.moved(edits),
            index: self.index,
            finish_reason: self.finish_reason.map(|span| span.moved(edits)),
            message: self.message.moved(edits),
            parts: self.parts.map(|span| span.moved(edits)),
            tool_calls: self.tool_calls.iter().map(|call| call.moved(edits)).collect(),
        }
    }
}

/// A delta or a message, as far as it is looked at.
struct Said {
    message: MessageSpans,
    parts: Option<Span>,
    tool_calls: Vec<ToolCallSpans>,
    /// It has no member at all.
    is_empty: bool,
}

impl Default for Said {
    fn default() -> Said {
        Said { message: MessageSpans::NOTHING, parts: None, tool_calls: Vec::new(), is_empty: true }
    }
}

impl Said {
    fn scan(cursor: &mut Cursor<'_>, elements: &mut Elements) -> Walk<Said> {
        let mut said = Said::default();
        cursor.object(|cursor, name| {
            said.is_empty = false;
            match (name, cursor.peek()) {
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
            }
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

    fn moved(&self, edits: &[Edit]) -> ToolCallSpans {
        ToolCallSpans {
            index: self.index,
            id: self.id.map(|span| span.moved(edits)),
            function: self.function.moved(edits),
        }
    }
}

/// The index that stands here; any other value is skipped. It is read now, so a text that differs in
/// it is scanned anew.
fn read_index(cursor: &mut Cursor<'_>) -> Walk<Option<u32>> {
    Ok(cursor.skip_unnoted()?.of(cursor.text).as_index())
}

/// What was found of choices and tool calls.
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
