//! The future that an asyncio task waits for: only what a task needs of one. The hub resumes it without
//! another iteration of the event loop.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit};

use crate::kept::{Kept, intern};
use crate::run::{Run, import};

/// A callback and its context.
type Callback = (Py<PyAny>, Py<PyAny>);

enum Outcome {
    Pending,
    Woken,
    /// With the message of the cancellation.
    Cancelled(Option<Py<PyAny>>),
}

/// A wait. It has no value: the resumed task checks for itself.
#[pyclass(module = "modelwire._native")]
pub(crate) struct Future {
    event_loop: Option<Py<PyAny>>,
    outcome: Outcome,
    first: Option<Callback>,
    /// Further callbacks; nearly always none.
    more: Vec<Callback>,
    /// Set by the awaiting coroutine, and cleared by the task.
    #[pyo3(get, set, name = "_asyncio_future_blocking")]
    blocking: bool,
}

impl Future {
    pub(crate) fn new(event_loop: Py<PyAny>) -> Future {
        Future {
            event_loop: Some(event_loop),
            outcome: Outcome::Pending,
            first: None,
            more: Vec::new(),
            blocking: true,
        }
    }

    fn callbacks(&mut self) -> impl Iterator<Item = Callback> + use<> {
        self.first.take().into_iter().chain(std::mem::take(&mut self.more))
    }

    /// Runs the callbacks now; no Python task may be running.
    pub(crate) fn wake(slf: &Bound<'_, Self>) -> PyResult<()> {
        let py = slf.py();
        let callbacks = {
            let mut this = slf.try_borrow_mut()?;
            if !matches!(this.outcome, Outcome::Pending) {
                return Ok(());
            }
            this.outcome = Outcome::Woken;
            this.callbacks()
        };
        for (callback, context) in callbacks {
            context.bind(py).run_method(intern!(py, "run"), (callback, slf))?;
        }
        Ok(())
    }

    /// Schedules a callback for a later iteration of the event loop.
    fn schedule(slf: &Bound<'_, Self>, (callback, context): Callback) -> PyResult<()> {
        let py = slf.py();
        let named = PyDict::new(py);
        named.set_item(intern!(py, "context"), context)?;
        let event_loop = slf.try_borrow()?.get_loop(py)?;
        event_loop.bind(py).run_method_with(
            intern!(py, "call_soon"),
            (callback, slf),
            Some(&named),
        )?;
        Ok(())
    }
}

#[pymethods]
impl Future {
    /// The event loop whose task waits.
    fn get_loop(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match &self.event_loop {
            Some(event_loop) => Ok(event_loop.clone_ref(py)),
            None => Err(PyRuntimeError::new_err("the wait is over")),
        }
    }

    /// Calls `callback` in this context once the wait is over.
    #[pyo3(signature = (callback, *, context=None))]
    fn add_done_callback(
        slf: &Bound<'_, Self>,
        callback: Py<PyAny>,
        context: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let context = match context {
            Some(context) => context,
            None => import(slf.py(), "contextvars")?.run_method("copy_context", ())?.unbind(),
        };
        {
            let mut this = slf.try_borrow_mut()?;
            if matches!(this.outcome, Outcome::Pending) {
                match &this.first {
                    None => this.first = Some((callback, context)),
                    Some(_) => this.more.push((callback, context)),
                }
                return Ok(());
            }
        }
        Future::schedule(slf, (callback, context))
    }

    /// Removes a callback; returns how often it was registered.
    fn remove_done_callback(&mut self, callback: &Bound<'_, PyAny>) -> PyResult<usize> {
        let mut kept = Vec::new();
        let mut removed = 0;
        for (one, context) in self.callbacks() {
            if callback.equals(one.bind(callback.py()))? {
                removed += 1;
            } else {
                kept.push((one, context));
            }
        }
        self.more = kept;
        Ok(removed)
    }

    /// Cancels the wait; false if it is already over.
    #[pyo3(signature = (msg=None))]
    fn cancel(slf: &Bound<'_, Self>, msg: Option<Py<PyAny>>) -> PyResult<bool> {
        let callbacks = {
            let mut this = slf.try_borrow_mut()?;
            if !matches!(this.outcome, Outcome::Pending) {
                return Ok(false);
            }
            this.outcome = Outcome::Cancelled(msg);
            this.callbacks()
        };
        for callback in callbacks {
            Future::schedule(slf, callback)?;
        }
        Ok(true)
    }

    /// Whether the wait is over.
    pub(crate) fn done(&self) -> bool {
        !matches!(self.outcome, Outcome::Pending)
    }

    /// Whether it was cancelled.
    fn cancelled(&self) -> bool {
        matches!(self.outcome, Outcome::Cancelled(_))
    }

    /// Nothing, or the cancellation as an exception.
    fn result(&self, py: Python<'_>) -> PyResult<()> {
        match &self.outcome {
            Outcome::Woken => Ok(()),
            Outcome::Cancelled(message) => Err(cancelled_error(py, message.as_ref())),
            Outcome::Pending => Err(PyRuntimeError::new_err("the wait is not over")),
        }
    }

    /// Like `result`: a wait fails in no other way.
    fn exception(&self, py: Python<'_>) -> PyResult<()> {
        self.result(py)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.event_loop)?;
        if let Outcome::Cancelled(message) = &self.outcome {
            visit.call(message)?;
        }
        for (callback, context) in self.first.iter().chain(&self.more) {
            visit.call(callback)?;
            visit.call(context)?;
        }
        Ok(())
    }

    fn __clear__(&mut self) {
        self.event_loop = None;
        self.outcome = Outcome::Woken;
        drop(self.callbacks());
    }
}

fn cancelled_error(py: Python<'_>, message: Option<&Py<PyAny>>) -> PyErr {
    static CLASS: Kept<Py<PyAny>> = Kept::new();
    let made = CLASS
        .get_or_try_init(|| {
            PyResult::Ok(import(py, "asyncio")?.attribute("CancelledError")?.unbind())
        })
        .and_then(|class| match message {
            Some(message) => class.bind(py).run((message,)),
            None => class.bind(py).run(()),
        });
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(failed) => failed,
    }
}
