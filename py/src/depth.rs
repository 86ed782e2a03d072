//! The nesting depth of this thread's calls that follow a program's values, which may contain themselves or
//! call back through Python code.

use std::cell::Cell;

use modelwire::limits::JSON_DEPTH_MAX;
use modelwire::stack_left;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The maximum depth of JSON, plus a few levels for what surrounds it.
const DEPTH_MAX: usize = JSON_DEPTH_MAX + 64;

/// The bytes of stack that one more level may need.
const STACK_BYTES_MIN: usize = 24 << 10;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// One level; dropping it ends the level.
pub(crate) struct Deeper(());

/// Enters one level.
pub(crate) fn deeper() -> PyResult<Deeper> {
    let depth = DEPTH.get();
    if depth >= DEPTH_MAX {
        return Err(PyValueError::new_err(format!(
            "this is nested deeper than {JSON_DEPTH_MAX} levels, or contains itself"
        )));
    }
    if stack_left().is_some_and(|left| left < STACK_BYTES_MIN) {
        return Err(PyValueError::new_err(
            "this is nested too deep for the stack of this thread (threading.stack_size), or contains \
             itself",
        ));
    }
    DEPTH.set(depth + 1);
    Ok(Deeper(()))
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}
