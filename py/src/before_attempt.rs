//! The function of a program that runs before each attempt.

use std::sync::{Arc, Mutex};

use modelwire::Client;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::raise;
use crate::lock::lock;
use crate::run::Run;

/// An attempt that is about to be sent, for the function `before_attempt` of a client.
#[pyclass(frozen, module = "modelwire")]
pub(crate) struct BeforeAttempt {
    core: Arc<modelwire::BeforeAttempt>,
}

#[pymethods]
impl BeforeAttempt {
    /// The operation: "models", "chat" or "responses".
    #[getter]
    fn operation(&self) -> &'static str {
        self.core.operation().name()
    }

    /// The URL, with its query.
    #[getter]
    fn url(&self) -> &str {
        self.core.url()
    }

    /// The number of the attempt of its call, from 1.
    #[getter]
    fn number(&self) -> u32 {
        self.core.number()
    }

    /// The JSON text of the request; empty for a model list.
    #[getter]
    fn body<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.core.body())
    }

    /// Sets a header of this attempt; it replaces one of the client or the call.
    fn set_header(&self, py: Python<'_>, name: String, value: String) -> PyResult<()> {
        raise(py, self.core.set_header(name, value))
    }

    fn __repr__(&self) -> String {
        let (operation, number) = (self.core.operation().name(), self.core.number());
        format!("BeforeAttempt(operation='{operation}', number={number})")
    }
}

/// The function, shared by a native client, which the garbage collector visits, and the core.
#[derive(Clone, Default)]
pub(crate) struct Function(Arc<Mutex<Option<Py<PyAny>>>>);

impl Function {
    /// Sets it for a client.
    pub(crate) fn set(py: Python<'_>, client: &Client, function: Py<PyAny>) -> PyResult<Function> {
        let own = Function(Arc::new(Mutex::new(Some(function))));
        let shared = own.clone();
        raise(py, client.before_attempt(move |attempt| shared.call(attempt)))?;
        Ok(own)
    }

    fn call(&self, attempt: &Arc<modelwire::BeforeAttempt>) -> Result<(), String> {
        let called = Python::try_attach(|py| {
            let function = lock(&self.0).as_ref().map(|function| function.clone_ref(py));
            let function = function.ok_or("the client was collected")?;
            let attempt = BeforeAttempt { core: attempt.clone() };
            match function.bind(py).run((attempt,)) {
                Ok(_) => Ok(()),
                Err(raised) => Err(raised.to_string()),
            }
        });
        called.unwrap_or_else(|| Err("the interpreter is ending".to_owned()))
    }

    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match &*lock(&self.0) {
            Some(function) => visit.call(function),
            None => Ok(()),
        }
    }

    pub(crate) fn clear(&self) {
        let function = lock(&self.0).take();
        drop(function); // not under the lock
    }
}
