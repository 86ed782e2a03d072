//! The boundary between C and Rust: it checks and converts pointers, strings and callbacks from C,
//! creates and frees handles for C, and stops panics. All `unsafe` code of the crate is in this file,
//! so that a reviewer reads one file.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use modelwire_core::{Error, without_thread_cancellation};

use crate::status::{MODELWIRE_OK, modelwire_status};

/// The length that means "ends with NUL".
pub(crate) const NUL: usize = usize::MAX;

/// Longest string, in bytes, with a length or a NUL.
const STRING_BYTES_MAX: usize = 1 << 31;

/// A type that C holds by pointer: to a `Marked` of it, in a box that C owns or one that a parent owns
/// and lends.
pub(crate) trait Handle: Sized {
    /// Its name in error messages, "request is NULL" for instance.
    const NAME: &'static str;

    fn into_raw(self) -> *mut Self {
        Box::into_raw(Box::new(Marked { mark: Marked::<Self>::mark(), value: self })).cast()
    }
}

/// A handle in memory, after a mark that distinguishes it from other types, and owned handles from
/// borrowed ones: passing the wrong one is an error, and freeing a borrowed one does nothing.
#[repr(C)]
pub(crate) struct Marked<T> {
    mark: usize,
    value: T,
}

/// The mark of a handle that was freed.
const FREED: usize = 0;
/// The bit of a mark that says that a parent frees the handle.
const LENT: usize = 1 << (usize::BITS - 1);

impl<T: Handle> Marked<T> {
    /// A handle that a parent lends.
    pub(crate) fn new(value: T) -> Marked<T> {
        Marked { mark: Marked::<T>::mark() | LENT, value }
    }

    /// Each type has its own name.
    fn mark() -> usize {
        let letters = T::NAME.bytes().take(6);
        letters.fold(0x6d77, |mark, letter| mark << 8 | usize::from(letter)) & !LENT
    }

    /// For C to borrow.
    pub(crate) fn lend(&self) -> *const T {
        std::ptr::from_ref(self).cast()
    }

    pub(crate) fn get(&self) -> &T {
        &self.value
    }
}

/// Runs the body of a function that C calls; returns `fallback` if it panics. Functions that return a
/// status use `error::guard`, those that may wait or do I/O `guard_io`.
pub(crate) fn guard_or<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

/// As `guard_or`, for code that may wait or do I/O: a `pthread_cancel` of the thread takes effect after
/// it.
pub(crate) fn guard_io<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    without_thread_cancellation(|| guard_or(fallback, body))
}

/// The handle behind a pointer, if it is one; for signal handlers too.
pub(crate) fn peek<'a, T: Handle>(handle: *const T) -> Option<&'a T> {
    // SAFETY: it is NULL, or came from `Marked` and was not freed; the header's rule for `const T *` allows
    // shared use. The mark is the first field of a handle of any type.
    let mark = unsafe { handle.cast::<usize>().as_ref() }?;
    // SAFETY: as above, and it is of this type.
    (*mark & !LENT == Marked::<T>::mark()).then(|| &unsafe { &*handle.cast::<Marked<T>>() }.value)
}

/// The handle behind a pointer.
pub(crate) fn borrow<'a, T: Handle>(handle: *const T) -> Result<&'a T, Error> {
    if handle.is_null() {
        return Err(missing(T::NAME));
    }
    let wrong =
        || Error::argument(format!("this is not a valid {} handle, or it was freed", T::NAME));
    peek(handle).ok_or_else(wrong)
}

/// The handle behind a pointer, for the caller alone.
pub(crate) fn borrow_mut<'a, T: Handle>(handle: *mut T) -> Result<&'a mut T, Error> {
    borrow(handle.cast_const())?;
    // SAFETY: as in `peek`; `T *` requires that nothing else uses the handle at the same time.
    Ok(&mut unsafe { &mut *handle.cast::<Marked<T>>() }.value)
}

/// Takes a handle back and drops it; does nothing for NULL, a handle of another type, or a borrowed
/// one.
pub(crate) fn free<T: Handle>(handle: *mut T) {
    // SAFETY: as in `peek`.
    let mark = unsafe { handle.cast::<usize>().as_ref() };
    if mark.is_some_and(|mark| *mark == Marked::<T>::mark()) {
        // SAFETY: it came from `into_raw` and the caller gives it up.
        guard_or((), || unsafe {
            (*handle.cast::<Marked<T>>()).mark = FREED;
            drop(Box::from_raw(handle.cast::<Marked<T>>()));
        });
    }
}

/// Releases the user_data of a callback. It is called once, when the callback will not be called again;
/// the function that takes it documents the thread.
///
/// @param user_data  the pointer that was passed with the callback
pub type modelwire_finalizer = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// A callback of C; its finalizer runs once, when this is dropped.
pub(crate) struct Callback<F> {
    function: F,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
}

// SAFETY: the header documents the threads on which callback and finalizer run, and that `user_data` must
// be valid there.
unsafe impl<F> Send for Callback<F> {}
// SAFETY: the same; where it says that several threads run it, they do.
unsafe impl<F> Sync for Callback<F> {}

impl<F> Callback<F> {
    pub(crate) fn new(
        function: F,
        user_data: *mut c_void,
        finalizer: modelwire_finalizer,
    ) -> Callback<F> {
        Callback { function, user_data, finalizer }
    }
}

impl<F> Callback<Option<F>> {
    pub(crate) fn is_none(&self) -> bool {
        self.function.is_none()
    }

    /// Checks a callback that a function requires.
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        if self.is_none() { Err(missing(name)) } else { Ok(()) }
    }
}

impl<T: Handle> Callback<Option<unsafe extern "C" fn(*mut c_void, *const T) -> i32>> {
    /// Calls the function and returns its result; 0 if C passed no function.
    pub(crate) fn ask(&self, about: T) -> i32 {
        let about = Marked::new(about);
        // SAFETY: the caller's function and data; its argument outlives the callback.
        self.function.map_or(0, |function| unsafe { function(self.user_data, about.lend()) })
    }
}

impl<F> Drop for Callback<F> {
    fn drop(&mut self) {
        if let Some(finalizer) = self.finalizer.take() {
            // SAFETY: the caller's finalizer, called only here.
            unsafe { finalizer(self.user_data) };
        }
    }
}

/// An array of handles in the caller's memory, all NULL at first.
pub(crate) fn outputs<'a, T>(out: *mut *mut T, count: usize) -> Result<&'a mut [*mut T], Error> {
    if out.is_null() {
        return Err(missing("out"));
    }
    // SAFETY: the caller provides that many writable places; each is written before it can be read.
    unsafe {
        for at in 0..count {
            out.add(at).write(std::ptr::null_mut());
        }
        Ok(std::slice::from_raw_parts_mut(out, count))
    }
}

/// A place in the caller's memory for a handle. It is NULL until one is written.
pub(crate) struct Output<T>(*mut *mut T);

/// Checks an `out` argument before any work is done, so that no result is lost, and sets it to NULL, so
/// that a caller who overlooks a failure does not use an old value.
pub(crate) fn output<T>(out: *mut *mut T) -> Result<Output<T>, Error> {
    if out.is_null() {
        return Err(missing("out"));
    }
    write(out, std::ptr::null_mut());
    Ok(Output(out))
}

impl<T: Handle> Output<T> {
    /// Hands a handle to the caller, who frees it.
    pub(crate) fn give(self, handle: T) -> modelwire_status {
        write(self.0, handle.into_raw());
        MODELWIRE_OK
    }
}

/// Handles in an array of C's.
pub(crate) fn inputs<'a, T>(handles: *mut *mut T, count: usize) -> &'a mut [*mut T] {
    if handles.is_null() {
        return &mut [];
    }
    // SAFETY: the caller provides that many, for this function alone.
    unsafe { std::slice::from_raw_parts_mut(handles, count) }
}

/// Writes to a place of an array; NULL means that the caller does not want it.
pub(crate) fn write_at<T>(array: *mut T, at: usize, value: T) {
    if !array.is_null() {
        // SAFETY: the caller provides that many places.
        write(unsafe { array.add(at) }, value);
    }
}

/// Copies bytes to a place of a buffer that has room for them.
pub(crate) fn copy_to(buffer: *mut c_char, at: usize, bytes: &[u8]) {
    // SAFETY: the caller provides the room that was asked for, which no handle is in.
    unsafe { buffer.add(at).cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
}

/// Writes through a pointer; NULL means that the caller does not want it.
pub(crate) fn write<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: it points to memory that the caller lets us overwrite.
        unsafe { out.write(value) };
    }
}

pub(crate) fn missing(name: &str) -> Error {
    Error::argument(format!("{name} is NULL"))
}

/// A string from C, copied.
pub(crate) fn copy_text(name: &str, start: *const c_char, length: usize) -> Result<String, Error> {
    borrow_text(name, start, length).map(str::to_owned)
}

/// A string from C in place, for as long as the function runs that received it.
pub(crate) fn borrow_text<'a>(
    name: &str,
    start: *const c_char,
    length: usize,
) -> Result<&'a str, Error> {
    std::str::from_utf8(borrow_bytes(name, start, length)?).map_err(|invalid| {
        Error::argument(format!("{name} is not UTF-8 at byte {}", invalid.valid_up_to()))
    })
}

/// Bytes from C in place, for as long as the function runs that received them.
pub(crate) fn borrow_bytes<'a>(
    name: &str,
    start: *const c_char,
    length: usize,
) -> Result<&'a [u8], Error> {
    if start.is_null() {
        return Err(missing(name));
    }
    let length = if length == NUL {
        // SAFETY: the caller says that the string ends with NUL.
        unsafe { std::ffi::CStr::from_ptr(start) }.count_bytes()
    } else {
        length
    };
    if length > STRING_BYTES_MAX {
        return Err(Error::argument(format!("{name} is longer than {STRING_BYTES_MAX} bytes")));
    }
    // SAFETY: the caller provides that many readable bytes.
    Ok(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) })
}
