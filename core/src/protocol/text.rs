//! Reads foreign texts, rewrites them, and prepares them for display: short, on one line, without secrets.

use std::borrow::Cow;
use std::ops::Range;

/// The maximum size of an excerpt of an unexpected body in a message, in bytes.
pub(crate) const EXCERPT_BYTES_MAX: usize = 200;

/// Bytes as text, with U+FFFD for what is not UTF-8. The lossy conversion alone is slower, even for valid UTF-8.
pub(crate) fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// A text that is written again in one pass, edit by edit: there may be as many as fit.
pub(crate) struct Edited<'a> {
    text: &'a str,
    /// What is before this place is written.
    done: usize,
    out: String,
}

impl<'a> Edited<'a> {
    pub(crate) fn new(text: &'a str) -> Edited<'a> {
        Edited { text, done: 0, out: String::with_capacity(text.len() + 8) }
    }

    /// Writes this in place of a range behind those before it.
    pub(crate) fn put(&mut self, range: Range<usize>, new: &str) {
        self.out.push_str(self.text.get(self.done..range.start).unwrap_or_default());
        self.out.push_str(new);
        self.done = range.end;
    }

    /// Writes the rest.
    pub(crate) fn finish(mut self) -> String {
        self.out.push_str(self.text.get(self.done..).unwrap_or_default());
        self.out
    }
}

/// A prefix of whole characters that fits.
pub(crate) fn cut(text: &str, bytes_max: usize) -> &str {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

/// The start of an unexpected text, on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let text = text.trim();
    let shown = cut(text, EXCERPT_BYTES_MAX);
    let rest = text.get(shown.len()..).unwrap_or_default();
    let mut line = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    if !rest.is_empty() {
        line.push_str(" ...");
    }
    line
}

/// A URL without user information and with its query redacted.
pub(crate) fn without_secrets(location: &str) -> String {
    let (location, query) = match location.split_once('?') {
        Some((place, _)) => (place, "?[query]"),
        None => (location, ""),
    };
    let place = match location.split_once("//") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}//{host}{path}")
        }
        None => location.to_owned(),
    };
    place + query
}
