//! Strings for C: NUL-terminated, at a fixed address for as long as the handle that returned them
//! lives.

use std::collections::BTreeMap;
use std::ffi::c_char;
use std::ptr::null;
use std::sync::{Mutex, PoisonError};

use crate::boundary::{Handle, borrow, guard_or, write};

/// A NUL-terminated text.
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

/// A text that needs no copy, because it is already NUL-terminated in memory.
pub(crate) struct Ready<'a>(&'a [u8]);

impl<'a> Ready<'a> {
    /// `text` with the NUL as its last byte.
    pub(crate) fn new(text_and_nul: &'a [u8]) -> Ready<'a> {
        debug_assert_eq!(text_and_nul.last(), Some(&0));
        Ready(text_and_nul)
    }

    /// Without the NUL.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.0.split_last().map_or(&[], |(_, text)| text)
    }

    /// Returns the pointer for C; writes the length, without the NUL, through an optional pointer.
    fn give(&self, length: *mut usize) -> *const c_char {
        write(length, self.0.len().saturating_sub(1));
        self.0.as_ptr().cast()
    }
}

/// The body of every function that returns a text of a handle: NULL and length 0 where there is none.
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

/// Texts made on request from C, by name; they live as long as this.
#[derive(Default)]
pub(crate) struct Made(Mutex<BTreeMap<String, Box<Text>>>);

impl Made {
    /// Makes a text when it is first requested. Stores nothing where there is none.
    pub(crate) fn give(
        &self,
        name: String,
        length: *mut usize,
        make: impl FnOnce() -> Option<Text>,
    ) -> *const c_char {
        // A panic leaves the map consistent: a text is in it or not.
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
