//! Detects the event loop that runs the awaiting code: asyncio-compatible, or trio. Imports neither.

use pyo3::prelude::*;

use crate::hub::Hub;
use crate::kept::{Kept, Name, intern};
use crate::modules::{self, loaded};
use crate::run::Run;

/// The running event loop.
pub(crate) enum Running<'py> {
    /// A loop with asyncio's interface.
    Asyncio(Bound<'py, PyAny>),
    Trio,
    Nobody,
}

/// A function of a module, if the program imported the module.
struct Found {
    /// Looked up at each wait.
    module: Name,
    name: &'static str,
    function: Kept<Py<PyAny>>,
}

impl Found {
    const fn new(module: &'static str, name: &'static str) -> Found {
        Found { module: Name::new(module), name, function: Kept::new() }
    }

    fn get<'py>(&self, py: Python<'py>) -> PyResult<Option<&Bound<'py, PyAny>>> {
        if let Some(function) = self.function.get() {
            return Ok(Some(function.bind(py)));
        }
        let Some(module) = loaded(py)?.get_item(self.module.get(py))? else { return Ok(None) };
        // A module that is still being imported may lack it.
        let Some(function) = module.attribute_if_any(self.name)? else { return Ok(None) };
        Ok(Some(self.function.get_or_init(|| function.unbind()).bind(py)))
    }
}

static ASYNCIO_LOOP: Found = Found::new("asyncio", "_get_running_loop");
static ASYNCIO_TASK: Found = Found::new("asyncio", "current_task");
static TRIO_TASK: Found = Found::new("trio.lowlevel", "in_trio_task");

/// The current event loop.
pub(crate) fn running(py: Python<'_>) -> PyResult<Running<'_>> {
    let event_loop = match ASYNCIO_LOOP.get(py)? {
        Some(function) => Some(function.run(())?).filter(|found| !found.is_none()),
        None => None,
    };
    let is_in_trio = match TRIO_TASK.get(py)? {
        Some(function) => function.run(())?.truth()?,
        None => false,
    };
    match event_loop {
        // One may run inside the other; the one with a current task is the inner one.
        Some(event_loop) if is_in_trio => match ASYNCIO_TASK.get(py)? {
            Some(function) if !function.run(())?.is_none() => Ok(Running::Asyncio(event_loop)),
            _ => Ok(Running::Trio),
        },
        Some(event_loop) => Ok(Running::Asyncio(event_loop)),
        None if is_in_trio => Ok(Running::Trio),
        None => Ok(Running::Nobody),
    }
}

/// The hub of an asyncio-compatible loop, stored as an attribute of it.
pub(crate) fn asyncio_hub<'py>(event_loop: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Hub>> {
    let py = event_loop.py();
    let hub = match event_loop.attribute_if_any(intern!(py, "_modelwire_hub"))? {
        Some(hub) => hub,
        None => modules::own(py, "_loops.event_loop")?.run_method("new_hub", (event_loop,))?,
    };
    Ok(hub.cast_into::<Hub>()?)
}

/// The hub of the current trio run.
pub(crate) fn trio_hub(py: Python<'_>) -> PyResult<Bound<'_, Hub>> {
    Ok(trio(py)?.run_method(intern!(py, "hub"), ())?.cast_into::<Hub>()?)
}

/// A coroutine that waits until the hub of this run is notified of the number.
pub(crate) fn trio_wait(py: Python<'_>, number: u64) -> PyResult<Bound<'_, PyAny>> {
    trio(py)?.run_method(intern!(py, "wait"), (number,))
}

/// A coroutine that yields to trio.
pub(crate) fn trio_checkpoint(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    trio(py)?.run_method(intern!(py, "checkpoint"), ())
}

/// `modelwire._loops.trio`.
fn trio(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    modules::own(py, "_loops.trio")
}

/// The error of a call without an event loop to wait in.
pub(crate) fn nobody_runs(py: Python<'_>) -> PyErr {
    match modules::own(py, "_loops.event_loop").and_then(|hub| hub.run_method("nobody_runs", ())) {
        Ok(error) => PyErr::from_value(error),
        Err(failed) => failed,
    }
}
