//! Texts for C: they end with a NUL, and their address stays the same as long as the handle lives
//! that gave them. And `texts!`, which writes the C functions that give one.

use std::borrow::Cow;
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
    pub(crate) fn give(&self, length: *mut usize) -> *const c_char {
        write(length, self.0.len().saturating_sub(1));
        self.0.as_ptr().cast()
    }
}

/// An optional text for C: NULL and length 0 where it is absent.
pub(crate) fn give(text: Option<Ready<'_>>, length: *mut usize) -> *const c_char {
    match text {
        Some(text) => text.give(length),
        None => {
            write(length, 0);
            null()
        }
    }
}

/// Which text of a handle.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// What a function gives, by the function's name, and for which index.
    Accessor(&'static str, usize),
    /// What stands at a path, decoded.
    Field(String),
    /// What stands at a path, as JSON text.
    Json(String),
}

/// The texts that were made for a handle because C asked for them; they live as long as it.
#[derive(Default)]
pub(crate) struct Made(Mutex<BTreeMap<Key, Text>>);

impl Made {
    /// Makes a text the first time that it is asked for. Nothing is kept where there is none.
    pub(crate) fn give<'a>(
        &self,
        key: Key,
        length: *mut usize,
        make: impl FnOnce() -> Option<Cow<'a, str>>,
    ) -> *const c_char {
        // Whoever panicked here left the map whole: a text is in it or is not.
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = made.get(&key) {
            return text.ready().give(length);
        }
        match make() {
            Some(text) => made.entry(key).or_insert(Text::new(&text)).ready().give(length),
            None => give(None, length),
        }
    }
}

/// A handle whose texts are made when they are asked for.
pub(crate) trait Parent: Handle {
    fn made(&self) -> &Made;
}

/// What the expression of an accessor gives.
pub(crate) trait Source<'a>: Sized {
    fn give<P: Parent>(
        parent: &'a P,
        key: Key,
        length: *mut usize,
        pick: impl FnOnce(&'a P) -> Option<Self>,
    ) -> *const c_char;
}

impl<'a> Source<'a> for Ready<'a> {
    fn give<P: Parent>(
        parent: &'a P,
        _: Key,
        length: *mut usize,
        pick: impl FnOnce(&'a P) -> Option<Self>,
    ) -> *const c_char {
        give(pick(parent), length)
    }
}

/// Texts of which a copy with a NUL is made, and kept.
macro_rules! made_from {
    ($($type:ty),*) => { $(
        impl<'a> Source<'a> for $type {
            fn give<P: Parent>(
                parent: &'a P,
                key: Key,
                length: *mut usize,
                pick: impl FnOnce(&'a P) -> Option<Self>,
            ) -> *const c_char {
                parent.made().give(key, length, || Some(pick(parent)?.into()))
            }
        }
    )* };
}

made_from!(&'a str, &'a String, String, Cow<'a, str>);

/// The body of every function that `texts!` writes.
pub(crate) fn give_text<'a, P: Parent + 'a, S: Source<'a>>(
    parent: *const P,
    key: Key,
    length: *mut usize,
    pick: impl FnOnce(&'a P) -> Option<S>,
) -> *const c_char {
    guard_or(null(), || match borrow(parent) {
        Ok(parent) => S::give(parent, key, length, pick),
        Err(_) => give(None, length),
    })
}

/// The texts of a handle: for each line the C function that gives it.
///
/// ```text
/// texts! { error: modelwire_error,
///     /// What the header says of it, whole sentences.
///     modelwire_error_model() => error.model();
/// }
/// ```
///
/// Between the parentheses stands what the function is given beside the handle: `length` for the
/// optional place of the length, and before it a name for an index, where there is one. The
/// expression is an `Option` of a text, None where there is none: a `Ready` is given as it stands,
/// of any other text a copy with a NUL is made when it is first asked for.
///
/// The header is made from these lines too: `ffi-c/header` reads them, and adds the `@param` lines.
macro_rules! texts {
    ($parent:ident: $type:ty, $($(#[$doc:meta])* $name:ident $given:tt => $pick:expr;)*) => {
        $($crate::text::texts! { @function $parent: $type, $(#[$doc])* $name $given => $pick })*
    };
    (@function $parent:ident: $type:ty, $(#[$doc:meta])* $name:ident () => $pick:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($parent: *const $type) -> *const c_char {
            let key = $crate::text::Key::Accessor(stringify!($name), 0);
            $crate::text::give_text($parent, key, std::ptr::null_mut(), |$parent| $pick)
        }
    };
    (@function $parent:ident: $type:ty, $(#[$doc:meta])* $name:ident (length) => $pick:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($parent: *const $type, length: *mut usize) -> *const c_char {
            let key = $crate::text::Key::Accessor(stringify!($name), 0);
            $crate::text::give_text($parent, key, length, |$parent| $pick)
        }
    };
    (@function $parent:ident: $type:ty, $(#[$doc:meta])* $name:ident ($at:ident) => $pick:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($parent: *const $type, $at: usize) -> *const c_char {
            let key = $crate::text::Key::Accessor(stringify!($name), $at);
            $crate::text::give_text($parent, key, std::ptr::null_mut(), |$parent| $pick)
        }
    };
    (@function $parent:ident: $type:ty, $(#[$doc:meta])* $name:ident ($at:ident, length) => $pick:expr) => {
        $(#[$doc])*
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            $parent: *const $type,
            $at: usize,
            length: *mut usize,
        ) -> *const c_char {
            let key = $crate::text::Key::Accessor(stringify!($name), $at);
            $crate::text::give_text($parent, key, length, |$parent| $pick)
        }
    };
}

pub(crate) use texts;
