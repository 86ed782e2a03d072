//! Detects greenlets, and waits in one.

use pyo3::prelude::*;

use crate::hub::Hub;
use crate::kept::{Kept, intern};
use crate::modules::{self, loaded};
use crate::run::Run;

/// `modelwire._loops.gevent`, once gevent or eventlet has patched the program's blocking calls: this is
/// never undone.
static GREEN: Kept<Py<PyModule>> = Kept::new();

/// The greenlets of this thread, which a wait must let run.
pub(crate) struct Greenlets<'py> {
    module: Bound<'py, PyModule>,
}

impl<'py> Greenlets<'py> {
    /// None if neither gevent nor eventlet is in use: costs two look-ups in `sys.modules`.
    pub(crate) fn here(py: Python<'py>) -> PyResult<Option<Greenlets<'py>>> {
        if let Some(module) = GREEN.get() {
            return Ok(Some(Greenlets { module: module.bind(py).clone() }));
        }
        let modules = loaded(py)?;
        let is_there = |name| modules.contains(name);
        if !is_there(intern!(py, "gevent"))? && !is_there(intern!(py, "eventlet.patcher"))? {
            return Ok(None);
        }
        let module = modules::own(py, "_loops.gevent")?;
        if module.run_method(intern!(py, "library"), ())?.is_none() {
            return Ok(None);
        }
        let module = GREEN.get_or_init(|| module.unbind()).bind(py).clone();
        Ok(Some(Greenlets { module }))
    }

    /// The hub that is notified of this thread's calls.
    pub(crate) fn hub(&self) -> PyResult<Bound<'py, Hub>> {
        let hub = self.module.run_method(intern!(self.module.py(), "hub"), ())?;
        Ok(hub.cast_into::<Hub>()?)
    }

    /// Lets other greenlets run until the hub is notified of this number.
    pub(crate) fn wait(&self, number: u64) -> PyResult<()> {
        self.module.run_method(intern!(self.module.py(), "wait"), (number,))?;
        Ok(())
    }
}
