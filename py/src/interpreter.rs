//! Which interpreter of the process this is.

use pyo3::exceptions::PyImportError;
use pyo3::ffi;
use pyo3::prelude::*;

/// The first interpreter of a process has this number.
const MAIN: i64 = 0;

/// Refuses every interpreter but the main one, before it shares anything with it: classes and the
/// end of the library are the process's. From Python 3.12 on the interpreter itself sees to that.
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

/// Whether it is there, and not on its way out; asked without holding it.
#[expect(unsafe_code, reason = "PyO3 asks only where it holds one")]
pub(crate) fn is_there() -> bool {
    // SAFETY: reads a flag of the process, which is there before and after any interpreter.
    unsafe { ffi::Py_IsInitialized() != 0 }
}
