//! Where C and Rust meet: pointers, strings and callbacks from C are checked and converted here,
//! handles for C are made and freed here, and no panic gets through to C. All `unsafe` code of the
//! crate stands in this file, so that whoever reviews it has one file to read.

use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use modelwire_core::{Error, without_thread_cancellation};

use crate::status::{MODELWIRE_OK, modelwire_status};

/// The length that stands for "ends with NUL".
const NUL: usize = usize::MAX;

/// Longest string that is read up to its NUL, in bytes: one whose NUL was forgotten is refused
/// before it is read without end.
const NUL_BYTES_MAX: usize = 1 << 31;

/// A type of which C holds a pointer: to a `Marked` of it, in a box that C owns or in one that a
/// parent owns and lends.
pub(crate) trait Handle: Sized {
    /// What error messages call it, "request is NULL" for instance.
    const NAME: &'static str;

    fn into_raw(self) -> *mut Self {
        Box::into_raw(Box::new(Marked { mark: Marked::<Self>::mark(), value: self })).cast()
    }
}

/// A handle where it stands in memory, behind a mark that tells it from other types, and what C owns
/// from what it borrows: who hands over the wrong one gets an error, and nobody frees what is lent.
#[repr(C)]
pub(crate) struct Marked<T> {
    mark: usize,
    value: T,
}

/// The mark of a handle that was freed.
const FREED: usize = 0;
/// The bit of a mark that says who frees it: a parent.
const LENT: usize = 1 << (usize::BITS - 1);

impl<T: Handle> Marked<T> {
    /// For a parent that lends it.
    pub(crate) fn new(value: T) -> Marked<T> {
        Marked { mark: Marked::<T>::mark() | LENT, value }
    }

    /// Each type has a name of its own.
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

/// Runs the body of a function that C calls; `fallback` is given where it panics. Functions that
/// give a status use `error::guard`, those that may wait or do I/O `guard_io`.
pub(crate) fn guard_or<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(fallback)
}

/// As `guard_or`, for what may wait or do I/O: a `pthread_cancel` of the thread takes effect behind it.
pub(crate) fn guard_io<T>(fallback: T, body: impl FnOnce() -> T) -> T {
    without_thread_cancellation(|| guard_or(fallback, body))
}

/// The handle behind a pointer, if it is one; for signal handlers too.
pub(crate) fn peek<'a, T: Handle>(handle: *const T) -> Option<&'a T> {
    // SAFETY: it is NULL or came from `Marked` and was not freed; shared use is allowed by the
    // header's rule for `const T *`. The mark stands first in a handle of any type.
    let mark = unsafe { handle.cast::<usize>().as_ref() }?;
    // SAFETY: as above, and it is of this type.
    (*mark & !LENT == Marked::<T>::mark()).then(|| &unsafe { &*handle.cast::<Marked<T>>() }.value)
}

/// The handle behind a pointer.
pub(crate) fn borrow<'a, T: Handle>(handle: *const T) -> Result<&'a T, Error> {
    if handle.is_null() {
        return Err(missing(T::NAME));
    }
    let wrong = || Error::argument(format!("this is no {}, or it was freed", T::NAME));
    peek(handle).ok_or_else(wrong)
}

/// The handle behind a pointer, for the caller alone.
pub(crate) fn borrow_mut<'a, T: Handle>(handle: *mut T) -> Result<&'a mut T, Error> {
    borrow(handle.cast_const())?;
    // SAFETY: as in `peek`; `T *` demands that nobody else uses the handle meanwhile.
    Ok(&mut unsafe { &mut *handle.cast::<Marked<T>>() }.value)
}

/// Takes a handle back and drops it; NULL, what is no handle of this type, and what is lent do
/// nothing.
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

impl<T: Handle> Callback<Option<unsafe extern "C" fn(*mut c_void, *const T) -> i32>> {
    /// Calls the function and gives what it returns; 0 where C gave no function.
    pub(crate) fn ask(&self, about: T) -> i32 {
        let about = Marked::new(about);
        // SAFETY: the caller's function and data; what it is about outlives the callback.
        self.function.map_or(0, |function| unsafe { function(self.user_data, about.lend()) })
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

/// An array of handles that the caller lets us write, all NULL at first.
pub(crate) fn outputs<'a, T>(out: *mut *mut T, count: usize) -> Result<&'a mut [*mut T], Error> {
    if out.is_null() {
        return Err(missing("out"));
    }
    // SAFETY: the caller gives that many writable places; each is written before it can be read.
    unsafe {
        for at in 0..count {
            out.add(at).write(std::ptr::null_mut());
        }
        Ok(std::slice::from_raw_parts_mut(out, count))
    }
}

/// A place that the caller lets us write a handle to. It is NULL until then.
pub(crate) struct Output<T>(*mut *mut T);

/// Checks an `out` argument before any work is done, so that nothing is made and lost, and makes it
/// NULL, so that a caller who misses a failure does not use what stood there.
pub(crate) fn output<T>(out: *mut *mut T) -> Result<Output<T>, Error> {
    if out.is_null() {
        return Err(missing("out"));
    }
    write(out, std::ptr::null_mut());
    Ok(Output(out))
}

impl<T: Handle> Output<T> {
    /// Gives a handle to the caller, who frees it.
    pub(crate) fn give(self, handle: T) -> modelwire_status {
        write(self.0, handle.into_raw());
        MODELWIRE_OK
    }
}

/// Writes through a pointer; NULL means that the caller does not want it.
pub(crate) fn write<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: it points to a place that the caller lets us write, whatever is in it.
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
