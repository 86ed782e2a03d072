//! Delta scan: consecutive events of a stream differ in a few values. Finds these, and reuses everything else
//! from a previously scanned event.
//!
//! It is exact. The bytes outside the differing values are identical, so they mean the same. Each differing
//! value starts where one of its kind was, and is read by the same code as in a full scan. A text that does
//! not fit is scanned in full.

use crate::protocol::json::{Cursor, JsonError, Token};
use crate::protocol::offsets::Spans;
use crate::protocol::span::Edit;

/// The maximum number of differing values: the text, a sequence number, padding.
const EDITS_MAX: usize = 6;

/// Larger events are not stored: the copy would cost more than it saves.
const KNOWN_BYTES_MAX: usize = 4 << 10;

#[derive(Default)]
struct Edits {
    all: [Edit; EDITS_MAX],
    count: usize,
}

impl Edits {
    fn get(&self) -> &[Edit] {
        self.all.get(..self.count).unwrap_or_default()
    }

    /// `None` if there are too many.
    fn add(&mut self, edit: Edit) -> Option<()> {
        *self.all.get_mut(self.count)? = edit;
        self.count += 1;
        Some(())
    }
}

/// The last event scanned in full: its text, its spans, and the positions of its strings and numbers.
#[derive(Default)]
pub(crate) struct DeltaScan {
    known: String,
    spans: Spans,
    tokens: Vec<Token>,
}

impl DeltaScan {
    /// The spans of a text, as a full scan finds them.
    pub(crate) fn scan(&mut self, text: &str) -> Result<Spans, JsonError> {
        if let Some(edits) = self.edits(text) {
            return Ok(self.spans.moved(edits.get()));
        }
        self.known.clear();
        if text.len() > KNOWN_BYTES_MAX {
            return Spans::scan(text);
        }
        let spans = Spans::scan_noting(text, &mut self.tokens)?;
        self.known.push_str(text);
        self.spans.clone_from(&spans);
        Ok(spans)
    }

    /// The differences from the known text, if only values of the same kind differ.
    fn edits(&self, text: &str) -> Option<Edits> {
        if self.known.is_empty() {
            return None;
        }
        let (old, new) = (self.known.as_bytes(), text.as_bytes());
        let (mut old_at, mut new_at) = (0, 0);
        let mut tokens = self.tokens.iter();
        let mut edits = Edits::default();
        loop {
            let same = common(old.get(old_at..)?, new.get(new_at..)?);
            old_at += same;
            new_at += same;
            if old_at == old.len() && new_at == new.len() {
                return Some(edits);
            }
            let token = tokens.find(|token| token.end as usize >= old_at)?;
            let start = new_at - old_at.checked_sub(token.start as usize)?;
            let (end, has_escapes) = Cursor::value_end(text, start, token.is_string)?;
            let grown = (end - start) as i32 - (token.end - token.start) as i32;
            edits.add(Edit { start: token.start, end: token.end, grown, has_escapes })?;
            (old_at, new_at) = (token.end as usize, end);
        }
    }
}

/// The length of the common prefix of two texts, in bytes.
fn common(one: &[u8], other: &[u8]) -> usize {
    const BLOCK: usize = 32;
    let blocks = one.as_chunks::<BLOCK>().0.iter().zip(other.as_chunks::<BLOCK>().0);
    let count = BLOCK * blocks.take_while(|(x, y)| !differ(x, y)).count();
    let one = one.get(count..).unwrap_or_default();
    let other = other.get(count..).unwrap_or_default();
    count + one.iter().zip(other).take_while(|(x, y)| x == y).count()
}

/// Not `!=`, which calls a function for these few bytes.
fn differ(one: &[u8; 32], other: &[u8; 32]) -> bool {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    words.fold(0, |bits, (x, y)| bits | u64::from_ne_bytes(*x) ^ u64::from_ne_bytes(*y)) != 0
}

#[cfg(test)]
#[path = "delta_scan_tests.rs"]
mod tests;
