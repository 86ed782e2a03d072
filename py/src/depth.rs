//! How deep the calls of this thread are nested that follow values of a program wherever they lead:
//! into themselves, or through Python's code and back.

use std::cell::Cell;

use modelwire::JSON_DEPTH_MAX;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// As deep as JSON may be, and some levels for what stands around it.
const DEPTH_MAX: usize = JSON_DEPTH_MAX + 64;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
}

/// One level; it ends when this is dropped.
pub(crate) struct Deeper(());

/// Goes one level deeper.
pub(crate) fn deeper() -> PyResult<Deeper> {
    let depth = DEPTH.get();
    if depth >= DEPTH_MAX {
        return Err(PyValueError::new_err(format!(
            "this is nested deeper than {JSON_DEPTH_MAX} levels, or contains itself"
        )));
    }
    DEPTH.set(depth + 1);
    Ok(Deeper(()))
}

impl Drop for Deeper {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}
