//! Where C and Rust meet: pointers, strings and callbacks from C are checked and converted here,
//! handles for C are made and freed here, and no panic gets through to C. All `unsafe` code of the
//! crate stands in this file, so that whoever reviews it has one file to read.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use modelwire_core::Error;

use crate::status::{MODELWIRE_OK, modelwire_status};

/// The length that stands for "ends with NUL".
const NUL: usize = usize::MAX;

/// Longest string that is read up to its NUL, in bytes: one whose NUL was forgotten is refused
/// before it is read without end.
const NUL_BYTES_MAX: usize = 1 << 31;

/// A type of which C holds a pointer. What it points to is a `Box` of Rust.
pub(crate) trait Handle: Sized {
    /// What error messages call it, "request is NULL" for instance.
    const NAME: &'static str;

    fn into_raw(self) -> *mut Self {
        Box::into_raw(Box::new(self))
    }
}

/// Runs the body of a function that C calls; `fallback` is given where it panics. Functions that
/// give a status use `error::guard`.
pub(crate) fn guard_or<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

/// The handle behind a pointer.
pub(crate) fn borrow<'a, T: Handle>(handle: *const T) -> Result<&'a T, Error> {
    // SAFETY: it is NULL or came from `into_raw` and was not freed; shared use is allowed by the
    // header's rule for `const T *`.
    unsafe { handle.as_ref() }.ok_or_else(|| missing(T::NAME))
}

/// The handle behind a pointer, for the caller alone.
pub(crate) fn borrow_mut<'a, T: Handle>(handle: *mut T) -> Result<&'a mut T, Error> {
    // SAFETY: as in `borrow`; `T *` demands that nobody else uses the handle meanwhile.
    unsafe { handle.as_mut() }.ok_or_else(|| missing(T::NAME))
}

/// Takes a handle back and drops it; NULL does nothing.
pub(crate) fn free<T: Handle>(handle: *mut T) {
    if !handle.is_null() {
        // SAFETY: it came from `into_raw` and the caller gives it up.
        guard_or((), || drop(unsafe { Box::from_raw(handle) }));
    }
}

/// Releases the user_data of a callback. It is called once, when the callback will not be called
/// any more; on which thread, the function that takes it says.
///
/// @param user_data  as it was given
pub type modelwire_finalizer = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

/// Calls a C function back, and its finalizer once, when it is dropped.
pub(crate) struct Callback<F> {
    function: F,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
}

// SAFETY: the header says on which thread callback and finalizer run and that `user_data` must be
// good there.
unsafe impl<F> Send for Callback<F> {}

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

    /// Refuses the callback that a function cannot do without.
    pub(crate) fn check(&self, name: &str) -> Result<(), Error> {
        if self.is_none() { Err(missing(name)) } else { Ok(()) }
    }
}

impl<T> Callback<Option<unsafe extern "C" fn(*mut c_void, *const T) -> i32>> {
    /// Calls the function and gives what it returns; 0 where C gave no function.
    pub(crate) fn ask(&self, about: &T) -> i32 {
        // SAFETY: the caller's function and data; what it is about outlives the callback.
        self.function.map_or(0, |function| unsafe { function(self.user_data, about) })
    }
}

impl<T> Callback<Option<unsafe extern "C" fn(*mut c_void, *const T)>> {
    /// Calls the function, if C gave one.
    pub(crate) fn tell(&self, about: &T) {
        if let Some(function) = self.function {
            // SAFETY: the caller's function and data; what it is about outlives the callback.
            unsafe { function(self.user_data, about) };
        }
    }
}

impl<F> Drop for Callback<F> {
    fn drop(&mut self) {
        if let Some(finalizer) = self.finalizer.take() {
            // SAFETY: the caller's finalizer, called this once.
            unsafe { finalizer(self.user_data) };
        }
    }
}

/// An array of handles that the caller lets us write.
pub(crate) fn outputs<'a, T>(out: *mut *mut T, count: usize) -> Result<&'a mut [*mut T], Error> {
    if out.is_null() {
        return Err(missing("out"));
    }
    // SAFETY: the caller gives that many writable pointers.
    Ok(unsafe { std::slice::from_raw_parts_mut(out, count) })
}

/// Checks an `out` argument before any work is done, so that nothing is made and lost.
pub(crate) fn output<'a, T>(out: *mut *mut T) -> Result<&'a mut *mut T, Error> {
    // SAFETY: it is NULL or points to a pointer that the caller lets us write.
    unsafe { out.as_mut() }.ok_or_else(|| missing("out"))
}

/// Writes through a pointer; NULL means that the caller does not want it.
pub(crate) fn write<T>(out: *mut T, value: T) {
    // SAFETY: it is NULL or points to a place that the caller lets us write.
    if let Some(slot) = unsafe { out.as_mut() } {
        *slot = value;
    }
}

fn missing(name: &str) -> Error {
    Error::argument(format!("{name} is NULL"))
}

/// A string from C, copied.
pub(crate) fn copy_text(name: &str, start: *const c_char, length: usize) -> Result<String, Error> {
    borrow_text(name, start, length).map(str::to_owned)
}

/// A string from C where it stands, for as long as the function runs that was given it.
pub(crate) fn borrow_text<'a>(
    name: &str,
    start: *const c_char,
    length: usize,
) -> Result<&'a str, Error> {
    if start.is_null() {
        return Err(missing(name));
    }
    let length = if length == NUL {
        // SAFETY: the caller says that the string ends with NUL.
        unsafe { std::ffi::CStr::from_ptr(start) }.count_bytes()
    } else {
        length
    };
    if length > NUL_BYTES_MAX {
        return Err(Error::argument(format!("{name} is longer than {NUL_BYTES_MAX} bytes")));
    }
    // SAFETY: the caller gives that many readable bytes.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) };
    std::str::from_utf8(bytes).map_err(|invalid| {
        Error::argument(format!("{name} is not UTF-8 at byte {}", invalid.valid_up_to()))
    })
}

/// Gives a handle to the caller, who frees it.
pub(crate) fn hand_over<T: Handle>(slot: &mut *mut T, handle: T) -> modelwire_status {
    *slot = handle.into_raw();
    MODELWIRE_OK
}
