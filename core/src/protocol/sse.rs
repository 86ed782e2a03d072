//! Splits bytes into server-sent events by the WHATWG event-stream grammar
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream>), with a
//! limit on the size of one event. If a service deviates from the grammar, the receiver of the events
//! decides.
//!
//! Bytes may be split anywhere. Each byte is examined once, and an event that arrives whole is
//! delivered without a copy.

use std::borrow::Cow;
use std::fmt;

use crate::protocol::text::lossy;

/// One event as the grammar dispatches it.
///
/// ```
/// use modelwire::parse::Decoder;
///
/// Decoder::new(1 << 20).feed(b"event: greeting\ndata: Hello\n\n", &mut |event| {
///     assert_eq!((event.name, &*event.data), ("greeting", "Hello"));
/// })?;
/// # Ok::<(), modelwire::parse::EventTooLarge>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// The `event` field; empty if it is absent.
    pub name: &'a str,
    /// The `data` lines joined by LF; bytes that are not UTF-8 become U+FFFD.
    pub data: Cow<'a, str>,
}

/// One event, or one line of it, exceeded the limit.
///
/// ```
/// use modelwire::parse::{Decoder, EventTooLarge};
///
/// let error = Decoder::new(8).feed(b"data: Hello\n\n", &mut |_| {}).unwrap_err();
/// assert_eq!(error, EventTooLarge { bytes_max: 8 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventTooLarge {
    /// The limit in bytes.
    pub bytes_max: usize,
}

impl fmt::Display for EventTooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a server-sent event exceeds event_bytes_max = {} bytes", self.bytes_max)
    }
}

impl std::error::Error for EventTooLarge {}

/// Receives the events of a stream, and decides about lines that the grammar would join or drop: services
/// "usually" write `data: ` before a line (R-STR2), and a blank line after it.
pub(crate) trait Sink {
    /// An event: its name, and its data, which may not be UTF-8.
    fn event(&mut self, name: &str, data: &[u8]);

    /// Whether a line is complete by itself: the first data line of an event, when a second one follows
    /// without a blank line between them, or a line without a field.
    fn is_whole(&self, data: &[u8]) -> bool;

    /// Whether this data line ends the stream: then it is an event at once, even before its line end.
    fn is_end(&self, data: &[u8]) -> bool;

    /// A line without a field that is or may be data, and the preceding `event` field. What came before has
    /// been delivered.
    fn stray(&mut self, name: &str, line: &[u8]);

    /// A line with a field that the grammar does not know and ignores.
    fn unknown_field(&mut self, line: &[u8]);

    /// Whether these methods are used: the strict grammar does not need them.
    const IS_LENIENT: bool;
}

/// Receives events strictly by the grammar.
struct Strict<'a, F>(&'a mut F);

impl<F: FnMut(Event<'_>)> Sink for Strict<'_, F> {
    const IS_LENIENT: bool = false;

    fn event(&mut self, name: &str, data: &[u8]) {
        (self.0)(Event { name, data: lossy(data) });
    }

    fn is_whole(&self, _: &[u8]) -> bool {
        false
    }

    fn is_end(&self, _: &[u8]) -> bool {
        false
    }

    fn stray(&mut self, _: &str, _: &[u8]) {}

    fn unknown_field(&mut self, _: &[u8]) {}
}

/// Whether a line that is not a field of the grammar may be data: it starts like JSON, or its field is `data`
/// except for case, white space or non-letters. Any other line is an unknown field, with or without a colon,
/// and ignored.
fn may_be_data(line: &[u8], field: &[u8]) -> bool {
    let has_colon = field.len() < line.len();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_name = field.iter().all(is_plain) && !field.eq_ignore_ascii_case(b"data");
    let letters = field.iter().filter(|byte| byte.is_ascii_alphabetic());
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'))
        || has_colon && !is_name && letters.map(u8::to_ascii_lowercase).eq(*b"data")
}

/// The UTF-8 byte order mark; one is dropped at the start of a stream.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The value after a colon, without one leading space.
fn data(behind: &[u8]) -> &[u8] {
    behind.strip_prefix(b" ").unwrap_or(behind)
}

/// The position of the first line end. An event's blank line is found at once.
fn line_end(bytes: &[u8]) -> Option<usize> {
    if bytes.first() == Some(&b'\n') { Some(0) } else { memchr::memchr2(b'\n', b'\r', bytes) }
}

/// The parser of one stream.
///
/// ```
/// let mut decoder = modelwire::parse::Decoder::new(1 << 20);
/// let mut events = Vec::new();
/// let mut sink = |event: modelwire::parse::Event<'_>| events.push(event.data.into_owned());
///
/// decoder.feed(b"id: 7\nretry: 500\ndata: Hel", &mut sink)?; // split anywhere
/// decoder.feed(b"lo\n\n: a comment\n\ndata: bye", &mut sink)?;
/// assert_eq!((decoder.last_event_id(), decoder.retry_ms()), ("7", Some(500)));
/// assert_eq!((decoder.substance(), decoder.buffered()), (8, 9)); // "Hello" and "bye"; "data: bye"
/// decoder.finish(&mut sink)?;
/// assert_eq!(events, ["Hello", "bye"]);
/// # Ok::<(), modelwire::parse::EventTooLarge>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    bytes_max: usize,
    /// The start of a line whose end has not arrived.
    line: Vec<u8>,
    /// The data lines of the current event, each followed by LF, and how many of them are not blank.
    data: Vec<u8>,
    data_lines: u64,
    name: String,
    /// A name that came after data: the event's, unless this turns out to be two events.
    late_name: Option<String>,
    /// The last `id` field; it takes effect at the blank line of its block.
    id: String,
    /// It may differ from the last one.
    has_new_id: bool,
    last_event_id: String,
    retry_ms: Option<u64>,
    at_first_line: bool,
    /// The last line ended in CR: a following LF belongs to it.
    after_cr: bool,
    /// Bytes of data in complete lines.
    substance: u64,
}

impl Decoder {
    /// A parser that rejects events of more than `bytes_max` bytes.
    pub fn new(bytes_max: usize) -> Decoder {
        Decoder {
            bytes_max,
            line: Vec::new(),
            data: Vec::new(),
            data_lines: 0,
            name: String::new(),
            late_name: None,
            id: String::new(),
            has_new_id: false,
            last_event_id: String::new(),
            retry_ms: None,
            at_first_line: true,
            after_cr: false,
            substance: 0,
        }
    }

    /// Grows with every byte of data: distinguishes a stream with content from one that is only kept
    /// alive by comments, blank lines, other fields or empty data.
    pub fn substance(&self) -> u64 {
        if self.line.is_empty() {
            return self.substance;
        }
        let line = match self.at_first_line {
            true => self.line.strip_prefix(BOM).unwrap_or(&self.line),
            false => &self.line,
        };
        let unfinished = match line.first() {
            // Neither a field nor a comment: it may become an event without `data: `.
            Some(first) if !first.is_ascii_alphabetic() && *first != b':' => line.len(),
            _ => line.strip_prefix(b"data:").map_or(0, |value| data(value).len()),
        };
        self.substance + unfinished as u64
    }

    /// The bytes of incomplete lines and events.
    pub fn buffered(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// The last `id` field of a block that has ended; empty before the first.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// The last `retry` field that was a number, in milliseconds.
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Takes the next bytes and passes every event that they complete to `sink`, in order, strictly by
    /// the grammar.
    pub fn feed(
        &mut self,
        bytes: &[u8],
        sink: &mut impl FnMut(Event<'_>),
    ) -> Result<(), EventTooLarge> {
        self.feed_to(bytes, &mut Strict(sink))
    }

    /// Like `feed`; `sink` decides about lines that deviate from the grammar.
    pub(crate) fn feed_to(
        &mut self,
        bytes: &[u8],
        sink: &mut impl Sink,
    ) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        // The first data line of an event, borrowed while its event may still end within these bytes.
        let mut held: Option<&[u8]> = None;
        while let Some(end) = line_end(rest) {
            let (head, tail) = rest.split_at(end);
            rest = tail.get(1..).unwrap_or_default();
            if tail.first() == Some(&b'\r') {
                match rest.first() {
                    Some(b'\n') => rest = rest.get(1..).unwrap_or_default(),
                    Some(_) => {}
                    // A CR may be half of a CRLF whose LF has not arrived.
                    None => self.after_cr = true,
                }
            }
            if self.line.is_empty() {
                self.whole_line(head, &mut held, sink)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(head);
                let mut none = None;
                let outcome = self.whole_line(&line, &mut none, sink);
                self.hold(none);
                line.clear();
                self.line = line; // keeps its capacity for the next split line
                outcome?;
            }
        }
        self.hold(held);
        self.line.extend_from_slice(rest);
        if !rest.is_empty() {
            self.end_without_line_end(sink);
        }
        // A byte order mark is not part of the line, as in a complete line.
        let mark = if self.at_first_line && self.line.starts_with(BOM) { BOM.len() } else { 0 };
        self.check(self.line.len() - mark + self.data.len())
    }

    /// Delivers an end mark before its line end: whatever follows could not be part of it. Not after buffered
    /// data, which may be large: that ends with its line.
    fn end_without_line_end<S: Sink>(&mut self, sink: &mut S) {
        let value = self.line.strip_prefix(b"data:").map(data);
        if S::IS_LENIENT && self.data.is_empty() && value.is_some_and(|value| sink.is_end(value)) {
            let line = std::mem::take(&mut self.line);
            let value = line.strip_prefix(b"data:").map(data);
            self.dispatch(value, sink);
        }
    }

    /// Delivers the event that the end of the stream cut short, if it has data. The grammar drops such
    /// an event; the caller decides whether it is complete.
    pub fn finish(&mut self, sink: &mut impl FnMut(Event<'_>)) -> Result<(), EventTooLarge> {
        self.finish_to(&mut Strict(sink))
    }

    /// Like `finish`; `sink` decides about lines that deviate from the grammar.
    pub(crate) fn finish_to(&mut self, sink: &mut impl Sink) -> Result<(), EventTooLarge> {
        let line = std::mem::take(&mut self.line);
        let mut held = None;
        if !line.is_empty() {
            self.whole_line(&line, &mut held, sink)?;
        }
        self.hold(held);
        self.dispatch(None, sink);
        Ok(())
    }

    fn check(&self, bytes: usize) -> Result<(), EventTooLarge> {
        if bytes > self.bytes_max {
            return Err(EventTooLarge { bytes_max: self.bytes_max });
        }
        Ok(())
    }

    /// Copies a held data line, because its event continues beyond the borrowed bytes.
    fn hold(&mut self, held: Option<&[u8]>) {
        if let Some(data) = held {
            self.data.extend_from_slice(data);
            self.data.push(b'\n');
            self.data_lines += u64::from(!data.trim_ascii().is_empty());
        }
    }

    fn whole_line<'i, S: Sink>(
        &mut self,
        line: &'i [u8],
        held: &mut Option<&'i [u8]>,
        sink: &mut S,
    ) -> Result<(), EventTooLarge> {
        let line = self.without_bom(line);
        if line.is_empty() {
            if std::mem::take(&mut self.has_new_id) {
                self.last_event_id.clone_from(&self.id);
            }
            self.dispatch(held.take(), sink);
            return Ok(());
        }
        // A held line counts as it will when copied: with its LF.
        self.check(line.len() + self.data.len() + held.map_or(0, |held| held.len() + 1))?;
        // Nearly every line starts like this.
        let (field, value) = if let Some(value) = line.strip_prefix(b"data:") {
            (&b"data"[..], data(value))
        } else if let Some(colon) = memchr::memchr(b':', line) {
            let (field, value) = line.split_at(colon);
            (field, data(value.get(1..).unwrap_or_default()))
        } else {
            (line, &[][..])
        };
        match field {
            b"data" => {
                self.substance += value.len() as u64;
                if S::IS_LENIENT && sink.is_end(value) {
                    self.hand_out(held.take(), sink);
                    self.dispatch(Some(value), sink);
                } else if self.data.is_empty() && held.is_none() {
                    *held = Some(value);
                } else if S::IS_LENIENT && self.is_whole(*held, value, sink) {
                    self.hand_out(held.take(), sink);
                    *held = Some(value);
                } else {
                    self.hold(held.take());
                    self.hold(Some(value));
                }
            }
            b"event" => {
                let name = String::from_utf8_lossy(value).into_owned();
                match self.data.is_empty() && held.is_none() {
                    true => self.name = name,
                    false => self.late_name = Some(name),
                }
            }
            b"id" if !value.contains(&0) => {
                self.id = String::from_utf8_lossy(value).into_owned();
                self.has_new_id = true;
            }
            // Digits only: a sign or a fraction makes the grammar ignore the field.
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let digits = String::from_utf8_lossy(value);
                self.retry_ms = digits.parse().ok().or(self.retry_ms);
            }
            b"" | b"id" | b"retry" => {} // a comment, or a value that the grammar ignores
            _ if !S::IS_LENIENT || line.trim_ascii().is_empty() => {}
            _ if !may_be_data(line, field) && !sink.is_whole(line) => sink.unknown_field(line),
            _ => {
                self.substance += line.len() as u64;
                self.hand_out(held.take(), sink);
                sink.stray(&self.name, line);
                self.name.clear();
            }
        }
        Ok(())
    }

    /// Whether the data so far is one line and complete by itself, so that `next` starts another event.
    /// Checked at most once per line.
    fn is_whole(&self, held: Option<&[u8]>, next: &[u8], sink: &impl Sink) -> bool {
        let first = match (held, self.data_lines) {
            (Some(held), _) => held,
            (None, 1) => &self.data,
            (None, _) => return false,
        };
        !next.trim_ascii().is_empty() && sink.is_whole(first)
    }

    /// Delivers the data so far as an event without its blank line.
    fn hand_out(&mut self, held: Option<&[u8]>, sink: &mut impl Sink) {
        if held.is_none() && self.data.is_empty() {
            return; // a pending name belongs to the data after it
        }
        let late = self.late_name.take();
        self.dispatch(held, sink);
        self.name = late.unwrap_or_default();
    }

    fn without_bom<'i>(&mut self, line: &'i [u8]) -> &'i [u8] {
        if !self.at_first_line {
            return line;
        }
        self.at_first_line = false;
        line.strip_prefix(BOM).unwrap_or(line)
    }

    fn dispatch(&mut self, held: Option<&[u8]>, sink: &mut impl Sink) {
        if let Some(late) = self.late_name.take() {
            self.name = late;
        }
        let data = match held {
            Some(data) => data,
            None if self.data.is_empty() => {
                self.name.clear();
                return;
            }
            None => self.data.strip_suffix(b"\n").unwrap_or(&self.data),
        };
        sink.event(&self.name, data);
        self.data.clear();
        self.data_lines = 0;
        self.name.clear();
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
