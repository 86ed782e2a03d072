//! Delta scan: consecutive events of a stream differ in a few values. Finds these, and reuses everything else
//! from a previously scanned event.
//!
//! It is exact. The bytes outside the differing values are identical, so they mean the same. Each differing
//! value starts where one of its kind was, and is read by the same code as in a full scan. A text that does
//! not fit is scanned in full.

use std::sync::Arc;

use crate::protocol::json::{Cursor, JsonError, Token};
use crate::protocol::offsets::Spans;
use crate::protocol::span::{Edit, Edits};
use crate::protocol::text::lossy;

/// Larger events are not stored: the copy would cost more than it saves.
const KNOWN_BYTES_MAX: usize = 4 << 10;

/// The last event scanned in full: its text, its spans, and the positions of its strings and numbers.
#[derive(Default)]
pub(crate) struct DeltaScan {
    known: String,
    spans: Arc<Spans>,
    tokens: Vec<Token>,
    /// Those that differed in the last text: they probably differ again.
    differing: Vec<Token>,
}

impl DeltaScan {
    /// Scans the data of an event and appends it to `texts`, with U+FFFD for what is not UTF-8. Returns how it
    /// differs from the text to which [`DeltaScan::spans`] belong from then on. After an error a part of it may
    /// be appended.
    pub(crate) fn scan(&mut self, data: &[u8], texts: &mut String) -> Result<Edits, JsonError> {
        let start = texts.len();
        if let Some(edits) = self.same_edits(data)
            && self.append(data, &edits, texts).is_some()
        {
            return Ok(edits);
        }
        texts.truncate(start);
        texts.push_str(&lossy(data));
        let text = texts.get(start..).unwrap_or_default();
        if let Some(edits) = self.edits(text) {
            return Ok(edits);
        }
        self.known.clear();
        self.differing.clear(); // they are of the text before
        let is_small = text.len() <= KNOWN_BYTES_MAX;
        self.spans = Arc::new(match is_small {
            true => Spans::scan_noting(text, &mut self.tokens)?,
            false => Spans::scan(text)?,
        });
        if is_small {
            self.known.push_str(text);
        }
        Ok(Edits::default())
    }

    /// What the last full scan found.
    pub(crate) fn spans(&self) -> &Arc<Spans> {
        &self.spans
    }

    /// The differences from the known text, if only the values differ that differed last time.
    fn same_edits(&self, data: &[u8]) -> Option<Edits> {
        let known = self.known.as_bytes();
        let (mut known_at, mut at) = (0, 0);
        let mut edits = Edits::default();
        for token in &self.differing {
            let same = known.get(known_at..token.start as usize)?;
            let start = at + same.len();
            if data.get(at..start)? != same {
                return None;
            }
            at = add_edit(&mut edits, token, data, start)?;
            known_at = token.end as usize;
        }
        (known.get(known_at..)? == data.get(at..)? && !known.is_empty()).then_some(edits)
    }

    /// Appends data with these differences: what is the same is known to be UTF-8.
    fn append(&self, data: &[u8], edits: &Edits, texts: &mut String) -> Option<()> {
        let (mut known_at, mut at) = (0, 0);
        for edit in edits.get() {
            let same = self.known.get(known_at..edit.start as usize)?;
            let value = at + same.len();
            at = value + (edit.end - edit.start).checked_add_signed(edit.grown)? as usize;
            texts.push_str(same);
            texts.push_str(std::str::from_utf8(data.get(value..at)?).ok()?);
            known_at = edit.end as usize;
        }
        texts.push_str(self.known.get(known_at..)?);
        Some(())
    }

    /// The differences from the known text, if only values of the same kind differ.
    fn edits(&mut self, text: &str) -> Option<Edits> {
        self.differing.clear();
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
            new_at = add_edit(&mut edits, token, new, start)?;
            old_at = token.end as usize;
            self.differing.push(*token);
        }
    }
}

/// Adds the value that is at `start` in place of a known one. Returns its end, if it is of the same kind.
fn add_edit(edits: &mut Edits, known: &Token, bytes: &[u8], start: usize) -> Option<usize> {
    let (end, has_escapes) = Cursor::value_end(bytes, start, known.is_string)?;
    let grown = (end - start) as i32 - (known.end - known.start) as i32;
    edits.add(Edit { start: known.start, end: known.end, grown, has_escapes })?;
    Some(end)
}

/// The length of the common prefix of two texts, in bytes.
fn common(one: &[u8], other: &[u8]) -> usize {
    let words = one.as_chunks::<8>().0.iter().zip(other.as_chunks::<8>().0);
    let same = 8 * words.take_while(|(x, y)| x == y).count();
    let one = one.get(same..).unwrap_or_default();
    let other = other.get(same..).unwrap_or_default();
    same + one.iter().zip(other).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
#[path = "delta_scan_tests.rs"]
mod tests;
