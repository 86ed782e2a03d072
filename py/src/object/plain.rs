//! Converts JSON values to plain Python values, like `json.loads`.

use modelwire::{Kind, Outline, Part, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::depth::deeper;
use crate::run::Run;

/// A value with everything below it.
pub(crate) fn plain(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object | Kind::Array => plain_part(py, Outline::of(value).whole()),
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

fn plain_part(py: Python<'_>, part: Part<'_, '_>) -> PyResult<Py<PyAny>> {
    match part.value().kind() {
        Kind::Object => {
            let (dict, _deeper) = (PyDict::new(py), deeper()?);
            for (name, member) in part.members() {
                dict.set_item(&*name, plain_part(py, member)?)?;
            }
            dict.into_py_any(py)
        }
        Kind::Array => {
            let _deeper = deeper()?;
            let items = part.items().into_iter().map(|item| plain_part(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, part.value()),
    }
}

/// A value without children.
pub(crate) fn scalar(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Bool => PyBool::new(py, value.as_bool() == Some(true)).into_py_any(py),
        Kind::String => PyString::new(py, &value.as_str().unwrap_or_default()).into_py_any(py),
        Kind::Number => number(py, value),
        Kind::Null | Kind::Array | Kind::Object => Ok(py.None()),
    }
}

/// An integer of any size stays one; a fraction or an exponent makes a float, as in `json`.
fn number(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    if let Some(small) = value.as_i64() {
        return small.into_py_any(py);
    }
    if value.text().contains(['.', 'e', 'E']) {
        return PyFloat::new(py, value.as_f64().unwrap_or(f64::NAN)).into_py_any(py);
    }
    py.get_type::<PyInt>().run((value.text(),))?.into_py_any(py)
}
