//! Byte positions of values in a JSON text, and their positions in a text that differs from it in a few
//! values.

use std::borrow::Cow;
use std::num::NonZeroU32;

use crate::protocol::escapes::unescape;

/// A string inside JSON text, without its quotes; stores whether it has escapes. An optional span is as small
/// as a span, because no end is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StrSpan {
    start: u32,
    /// The end, with [`ESCAPED`] set if the string has a backslash.
    end: NonZeroU32,
}

const ESCAPED: u32 = 1 << 31;

impl StrSpan {
    /// Its position in a text that differs in these values.
    pub(crate) fn moved(self, edits: &[Edit]) -> StrSpan {
        let whole = Span { start: self.start, end: non_zero(self.end.get() & !ESCAPED) };
        let Span { start, end } = whole.moved(edits);
        let own = edits.iter().find(|edit| edit.start == self.start);
        let escaped = own.map_or(self.has_escapes(), |edit| edit.has_escapes);
        StrSpan::new(start as usize, end.get() as usize, escaped)
    }

    /// The string, with escapes resolved.
    #[inline(always)]
    pub(crate) fn read(self, text: &str) -> Cow<'_, str> {
        let raw =
            text.get(self.start as usize..(self.end.get() & !ESCAPED) as usize).unwrap_or_default();
        if self.has_escapes() { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }
    }

    pub(crate) fn has_escapes(self) -> bool {
        self.end.get() & ESCAPED != 0
    }

    /// The string between these positions.
    pub(crate) fn new(start: usize, end: usize, escaped: bool) -> StrSpan {
        let flag = if escaped { ESCAPED } else { 0 };
        StrSpan { start: start as u32, end: non_zero(end as u32 | flag) }
    }
}

/// Any value inside JSON text, as a byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: NonZeroU32,
}

/// The end of a value or string is never zero.
fn non_zero(end: u32) -> NonZeroU32 {
    NonZeroU32::new(end).unwrap_or(NonZeroU32::MIN)
}

/// A differing value: its position in the known text, and how much it grew.
#[derive(Clone, Copy, Default)]
pub(crate) struct Edit {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) grown: i32,
    /// The new value is a string with escapes.
    pub(crate) has_escapes: bool,
}

/// The maximum number of differing values: the text, a sequence number, padding.
const EDITS_MAX: usize = 6;

/// The differing values of a text, in order.
#[derive(Clone, Copy, Default)]
pub(crate) struct Edits {
    all: [Edit; EDITS_MAX],
    count: u8,
}

impl Edits {
    pub(crate) fn get(&self) -> &[Edit] {
        self.all.get(..usize::from(self.count)).unwrap_or_default()
    }

    /// `None` if there are too many.
    pub(crate) fn add(&mut self, edit: Edit) -> Option<()> {
        *self.all.get_mut(usize::from(self.count))? = edit;
        self.count += 1;
        Some(())
    }
}

impl Span {
    pub(crate) fn new(start: usize, end: usize) -> Span {
        Span { start: start as u32, end: non_zero(end as u32) }
    }

    /// Its position in a text that differs in these values: its start moves by the growth of the values before
    /// it, its end by that of its own, too.
    pub(crate) fn moved(self, edits: &[Edit]) -> Span {
        let (mut start, mut end) = (self.start, self.end.get());
        for edit in edits {
            if edit.end < self.start {
                start = start.wrapping_add_signed(edit.grown);
            }
            if edit.end <= self.end.get() {
                end = end.wrapping_add_signed(edit.grown);
            }
        }
        Span { start, end: non_zero(end) }
    }

    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end.get() as usize
    }
}
