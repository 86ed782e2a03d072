//! Which modules a program imported. Imports none itself.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// `sys.modules`.
pub(crate) fn loaded<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyDict>> {
    static MODULES: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let found = MODULES.get_or_try_init(py, || {
        let modules = py.import("sys")?.getattr("modules")?;
        PyResult::Ok(modules.cast_into::<PyDict>()?.unbind())
    })?;
    Ok(found.bind(py))
}
