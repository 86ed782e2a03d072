//! Texts for C: they end with a NUL, and their address stays the same as long as the handle lives
//! that gave them. Knows no handle.

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use crate::boundary::{Handle, borrow, guard_or, write};

/// A text with a NUL behind it.
pub(crate) struct Text(Vec<u8>);

impl Text {
    pub(crate) fn new(text: &str) -> Text {
        let mut bytes = Vec::with_capacity(text.len() + 1);
        bytes.extend_from_slice(text.as_bytes());
        bytes.push(0);
        Text(bytes)
    }

    /// For C. The address stays the same when the `Text` is moved.
    pub(crate) fn ready(&self) -> Ready<'_> {
        Ready(&self.0)
    }

    /// Without the NUL.
    pub(crate) fn as_str(&self) -> &str {
        let text = self.0.split_last().map(|(_, text)| text).unwrap_or_default();
        std::str::from_utf8(text).unwrap_or_default()
    }
}

/// A text that needs no copy: it has a NUL behind it where it stands.
pub(crate) struct Ready<'a>(&'a [u8]);

impl<'a> Ready<'a> {
    /// `text` with the NUL as its last byte.
    pub(crate) fn new(text_and_nul: &'a [u8]) -> Ready<'a> {
        debug_assert_eq!(text_and_nul.last(), Some(&0));
        Ready(text_and_nul)
    }

    /// The pointer for C; the length, without the NUL, through an optional pointer.
    fn give(&self, length: *mut usize) -> *const c_char {
        write(length, self.0.len().saturating_sub(1));
        self.0.as_ptr().cast()
    }
}

/// The body of every function that gives a text of a handle: NULL and length 0 where there is none.
pub(crate) fn give<'a, T: Handle + 'a>(
    handle: *const T,
    length: *mut usize,
    pick: impl FnOnce(&'a T) -> Option<Ready<'a>>,
) -> *const c_char {
    write(length, 0);
    guard_or(null(), || {
        let text = borrow(handle).ok().and_then(pick);
        text.map_or(null(), |text| text.give(length))
    })
}

/// Texts that were made because C asked for them, by a name; they live as long as this.
#[derive(Default)]
pub(crate) struct Made(Mutex<BTreeMap<String, Box<Text>>>);

impl Made {
    /// Makes a text the first time that it is asked for. Nothing is kept where there is none.
    pub(crate) fn give(
        &self,
        name: String,
        length: *mut usize,
        make: impl FnOnce() -> Option<Text>,
    ) -> *const c_char {
        // Whoever panicked here left the map whole: a text is in it or is not.
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = made.get(&name) {
            return text.ready().give(length);
        }
        match make() {
            Some(text) => made.entry(name).or_insert(Box::new(text)).ready().give(length),
            None => null(),
        }
    }
}
