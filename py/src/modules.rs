//! The program's imported modules, and the package that this extension belongs to, under any name: a
//! program may contain a copy of it.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::kept::Kept;
use crate::run::{Run, import};

static PACKAGE: Kept<String> = Kept::new();

/// Records the package of this extension.
pub(crate) fn note_package(native: &Bound<'_, PyModule>) -> PyResult<()> {
    let name = native.name()?;
    let package =
        name.to_cow()?.rsplit_once('.').map_or("modelwire", |(package, _)| package).to_owned();
    PACKAGE.get_or_init(|| package);
    Ok(())
}

/// The name of the package, `modelwire` unless it was copied into another.
pub(crate) fn package() -> &'static str {
    PACKAGE.get().map_or("modelwire", String::as_str)
}

/// A module of the package.
pub(crate) fn own<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    import(py, &format!("{}.{name}", package()))
}

/// `sys.modules`.
pub(crate) fn loaded<'py>(py: Python<'py>) -> PyResult<&'py Bound<'py, PyDict>> {
    static MODULES: Kept<Py<PyDict>> = Kept::new();
    let found = MODULES.get_or_try_init(|| {
        let modules = import(py, "sys")?.attribute("modules")?;
        PyResult::Ok(modules.cast_into::<PyDict>()?.unbind())
    })?;
    Ok(found.bind(py))
}
