//! A validating cursor over JSON text (RFC 8259).
//!
//! The cursor makes one pass and stores only its position. Nesting is parsed without recursion and
//! limited by [`JSON_DEPTH_MAX`], so no input can exhaust the stack.

use std::fmt;

use crate::protocol::span::{Span, StrSpan};

/// The deepest accepted nesting of arrays and objects.
pub const JSON_DEPTH_MAX: usize = 1024;

/// The longest JSON text, in bytes: spans are 31-bit.
pub(crate) const JSON_BYTES_MAX: usize = (1 << 31) - 1;

const TOO_DEEP: &str = "nesting of at most JSON_DEPTH_MAX = 1024";
pub(crate) const DEPTH_WORDS: usize = JSON_DEPTH_MAX / 64;

/// Why a text is not JSON, and at which position.
///
/// ```
/// let error = modelwire::Value::parse(r#"{"model": }"#).unwrap_err();
/// assert_eq!((error.offset, error.expected), (10, "a JSON value"));
/// assert_eq!(error.to_string(), "expected a JSON value at byte 10");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The offset in bytes of the first invalid byte.
    pub offset: usize,
    /// What was expected there.
    pub expected: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "expected {} at byte {}", self.expected, self.offset)
    }
}

impl std::error::Error for JsonError {}

pub(crate) type Walk<T> = Result<T, JsonError>;

/// One pass over JSON text. Every method starts at the cursor's position, and moves it behind what it read.
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// The number of arrays and objects that are open here.
    depth: usize,
    /// The positions of values, if they are recorded.
    noted: Option<Vec<Token>>,
}

/// A string value, without its quotes, or a number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) is_string: bool,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Walk<Cursor<'a>> {
        if text.len() > JSON_BYTES_MAX {
            return Err(JsonError { offset: JSON_BYTES_MAX, expected: "at most 2 GiB of JSON" });
        }
        let mut cursor = Cursor { text, bytes: text.as_bytes(), at: 0, depth: 0, noted: None };
        cursor.blank();
        Ok(cursor)
    }

    /// Records the positions of strings and numbers in this list from now on.
    pub(crate) fn note_in(&mut self, mut list: Vec<Token>) {
        list.clear();
        self.noted = Some(list);
    }

    /// Returns the list, and stops recording.
    pub(crate) fn take_noted(&mut self) -> Vec<Token> {
        self.noted.take().unwrap_or_default()
    }

    /// The end of the string that starts at `start`, after its quote, or of the number there; and whether
    /// it has escapes.
    pub(crate) fn value_end(bytes: &[u8], start: usize, is_string: bool) -> Option<(usize, bool)> {
        let at = if is_string { start.checked_sub(1)? } else { start };
        let mut cursor = Cursor { text: "", bytes, at, depth: 0, noted: None };
        if is_string {
            let span = cursor.string().ok()?;
            Some((cursor.at - 1, span.has_escapes()))
        } else {
            cursor.number().ok()?;
            Some((cursor.at, false))
        }
    }

    fn note(&mut self, start: usize, end: usize, is_string: bool) {
        if let Some(noted) = &mut self.noted {
            noted.push(Token { start: start as u32, end: end as u32, is_string });
        }
    }

    /// A string in the position of a value.
    fn string_value(&mut self) -> Walk<StrSpan> {
        let start = self.at + 1;
        let span = self.string()?;
        self.note(start, self.at - 1, true);
        Ok(span)
    }

    /// Checks the end of the text: only white space may follow a document.
    pub(crate) fn finish(mut self) -> Walk<()> {
        self.blank();
        if self.at == self.bytes.len() { Ok(()) } else { self.fail("the end of the text") }
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn fail<T>(&self, expected: &'static str) -> Walk<T> {
        Err(JsonError { offset: self.at, expected })
    }

    pub(crate) fn blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Whether this byte is here; it is passed over.
    pub(crate) fn takes(&mut self, byte: u8) -> bool {
        let is_here = self.peek() == Some(byte);
        self.at += usize::from(is_here);
        is_here
    }

    fn expect(&mut self, byte: u8, expected: &'static str) -> Walk<()> {
        if self.peek() != Some(byte) {
            return self.fail(expected);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads an opening bracket, within the depth limit.
    fn open(&mut self, bracket: u8, expected: &'static str) -> Walk<()> {
        if self.depth == JSON_DEPTH_MAX {
            return self.fail(TOO_DEEP);
        }
        self.expect(bracket, expected)?;
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// Walks an object; `member` reads the value of each key.
    pub(crate) fn object(
        &mut self,
        mut member: impl FnMut(&mut Cursor<'a>, &str) -> Walk<()>,
    ) -> Walk<()> {
        self.open(b'{', "an object")?;
        self.blank();
        if self.peek() == Some(b'}') {
            self.close();
            return Ok(());
        }
        loop {
            let key = self.key()?;
            member(self, &key.read(self.text))?;
            self.blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.close();
                    return Ok(());
                }
                _ => return self.fail("',' or '}'"),
            }
            self.blank();
        }
    }

    /// Walks an array; `item` reads each value.
    pub(crate) fn array(&mut self, mut item: impl FnMut(&mut Cursor<'a>) -> Walk<()>) -> Walk<()> {
        self.open(b'[', "an array")?;
        self.blank();
        if self.peek() == Some(b']') {
            self.close();
            return Ok(());
        }
        loop {
            item(self)?;
            self.blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.close();
                    return Ok(());
                }
                _ => return self.fail("',' or ']'"),
            }
            self.blank();
        }
    }

    /// A key, its colon and the white space around it.
    pub(crate) fn key(&mut self) -> Walk<StrSpan> {
        let key = self.string()?;
        self.blank();
        self.expect(b':', "':'")?;
        self.blank();
        Ok(key)
    }

    pub(crate) fn string(&mut self) -> Walk<StrSpan> {
        self.expect(b'"', "a string")?;
        let start = self.at;
        let mut escaped = false;
        loop {
            self.plain();
            match self.peek() {
                Some(b'"') => {
                    let end = self.at;
                    self.at += 1;
                    return Ok(StrSpan::new(start, end, escaped));
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return self.fail("no raw control character inside a string"),
                None => return self.fail("the end of a string"),
            }
        }
    }

    /// Skips ordinary characters, eight bytes at a time while none of them is a quote, a backslash or a
    /// control character.
    #[inline]
    fn plain(&mut self) {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGH: u64 = 0x8080_8080_8080_8080;
        let zero_in = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
        while let Some(Ok(eight)) = self.bytes.get(self.at..self.at + 8).map(<[u8; 8]>::try_from) {
            let word = u64::from_le_bytes(eight);
            let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
            let stop = control
                | zero_in(word ^ (ONES * u64::from(b'"')))
                | zero_in(word ^ (ONES * u64::from(b'\\')));
            if stop != 0 {
                // A borrow can only produce false hits above the first true one, so the lowest is right.
                self.at += stop.trailing_zeros() as usize / 8;
                return;
            }
            self.at += 8;
        }
        while let Some(byte) = self.peek() {
            if byte == b'"' || byte == b'\\' || byte < 0x20 {
                return;
            }
            self.at += 1;
        }
    }

    fn escape(&mut self) -> Walk<()> {
        self.at += 1;
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                for _ in 0..4 {
                    if !self.peek().is_some_and(|byte| byte.is_ascii_hexdigit()) {
                        return self.fail("four hexadecimal digits");
                    }
                    self.at += 1;
                }
            }
            _ => return self.fail("an escape character"),
        }
        Ok(())
    }

    /// Skips and validates any value.
    pub(crate) fn skip(&mut self) -> Walk<Span> {
        let start = self.at;
        if let Some(b'{' | b'[') = self.peek() {
            self.skip_nested()?;
        } else {
            self.scalar()?;
        }
        Ok(self.since(start))
    }

    /// Skips an array or an object; a bit per open level tells which it is.
    fn skip_nested(&mut self) -> Walk<()> {
        let mut open = [0u64; DEPTH_WORDS];
        let mut depth = 0;
        loop {
            // A value starts here.
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    if self.depth + depth == JSON_DEPTH_MAX {
                        return self.fail(TOO_DEEP);
                    }
                    let is_object = bracket == b'{';
                    set_bit(&mut open, depth, is_object);
                    depth += 1;
                    self.at += 1;
                    self.blank();
                    let close = if is_object { b'}' } else { b']' };
                    if self.peek() != Some(close) {
                        if is_object {
                            self.key()?;
                        }
                        continue;
                    }
                    self.at += 1;
                    depth -= 1;
                }
                _ => self.scalar()?,
            }
            // A value ended here: close the containers that end with it, or continue with the next one.
            loop {
                if depth == 0 {
                    return Ok(());
                }
                self.blank();
                let in_object = bit(&open, depth - 1);
                match (self.peek(), in_object) {
                    (Some(b','), _) => {
                        self.at += 1;
                        self.blank();
                        if in_object {
                            self.key()?;
                        }
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        depth -= 1;
                    }
                    (_, true) => return self.fail("',' or '}'"),
                    (_, false) => return self.fail("',' or ']'"),
                }
            }
        }
    }

    fn scalar(&mut self) -> Walk<()> {
        match self.peek() {
            Some(b'"') => self.string_value().map(|_| ()),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(b'-' | b'0'..=b'9') => {
                let start = self.at;
                self.number()?;
                self.note(start, self.at, false);
                Ok(())
            }
            _ => self.fail("a JSON value"),
        }
    }

    fn word(&mut self, word: &'static str) -> Walk<()> {
        let found = self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes()));
        if !found {
            return self.fail(word);
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Walk<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1; // no digit may follow a leading zero
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Walk<()> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { self.fail("a digit") } else { Ok(()) }
    }

    /// The cursor's position, for [`since`](Cursor::since).
    pub(crate) fn place(&self) -> usize {
        self.at
    }

    /// Goes to a position that is known.
    pub(crate) fn jump(&mut self, to: usize) {
        self.at = to;
    }

    /// The span from `start` to the cursor.
    pub(crate) fn since(&self, start: usize) -> Span {
        Span::new(start, self.at)
    }

    /// The value here, without recording it, because the caller reads it now.
    pub(crate) fn skip_unnoted(&mut self) -> Walk<Span> {
        let before = self.noted.as_ref().map_or(0, Vec::len);
        let span = self.skip()?;
        if let Some(noted) = &mut self.noted {
            noted.truncate(before);
        }
        Ok(span)
    }

    /// Forgets what was recorded until here: a text that differs there is scanned in full.
    pub(crate) fn forget_noted(&mut self) {
        self.noted.iter_mut().for_each(Vec::clear);
    }

    /// The string here; any other value is skipped.
    pub(crate) fn string_or_skip(&mut self) -> Walk<Option<StrSpan>> {
        if self.peek() == Some(b'"') {
            return self.string_value().map(Some);
        }
        self.skip().map(|_| None)
    }

    /// The string here, or the JSON text of any other value except null.
    pub(crate) fn text_or_skip(&mut self) -> Walk<Option<StrSpan>> {
        if self.peek() == Some(b'"') {
            return self.string_value().map(Some);
        }
        let range = self.unless_null()?.map(Span::range);
        Ok(range.map(|range| StrSpan::new(range.start, range.end, false)))
    }

    /// The value here, unless it is null.
    pub(crate) fn unless_null(&mut self) -> Walk<Option<Span>> {
        let is_null = self.peek() == Some(b'n');
        let span = self.skip()?;
        Ok((!is_null).then_some(span))
    }
}

pub(crate) fn set_bit(words: &mut [u64; DEPTH_WORDS], index: usize, on: bool) {
    if let Some(word) = words.get_mut(index / 64) {
        *word = *word & !(1 << (index % 64)) | u64::from(on) << (index % 64);
    }
}

pub(crate) fn bit(words: &[u64; DEPTH_WORDS], index: usize) -> bool {
    words.get(index / 64).is_some_and(|word| word >> (index % 64) & 1 == 1)
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
