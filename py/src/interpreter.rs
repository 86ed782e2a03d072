//! Detects subinterpreters and interpreter exit.

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The ID of the first interpreter of a process.
const MAIN: i64 = 0;

/// Rejects any interpreter except the main one, before state is shared with it: classes and the shutdown of
/// the library belong to the process. From Python 3.12 on, the interpreter checks this itself.
#[allow(unsafe_code, reason = "PyO3 has no other way to ask which interpreter this is")]
pub(crate) fn must_be_main(_py: Python<'_>) -> PyResult<()> {
    // SAFETY: a `Python` proves that a thread state is attached, and so that there is an
    // interpreter; both functions only read from it.
    let number = unsafe { ffi::PyInterpreterState_GetID(ffi::PyInterpreterState_Get()) };
    if number == MAIN {
        return Ok(());
    }
    Err(PyImportError::new_err(
        "modelwire does not support subinterpreters: import it in the main interpreter, or in a separate \
         process (for mod_wsgi: WSGIApplicationGroup %{GLOBAL})",
    ))
}

/// Whether the interpreter exists and is not finalizing; may be called without holding it.
#[expect(unsafe_code, reason = "PyO3 asks only where it holds one")]
pub(crate) fn is_there() -> bool {
    // SAFETY: reads a process-wide flag that is valid before and after any interpreter.
    unsafe { ffi::Py_IsInitialized() != 0 }
}
