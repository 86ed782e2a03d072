//! The fields of objects as attributes have them: objects stay views, everything else becomes
//! Python's own. Knows no method of the classes.

use modelwire::{Kind, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::object::document::{Document, View};
use crate::object::node::{InDocument, Node, ViewKind, kind_of};
use crate::object::plain::{plain, scalar};
use crate::object::shape::{Child, Object};

/// A field of a view; a known one that is absent is `None`.
pub(crate) fn view_field(view: &Bound<'_, View>, name: &str) -> PyResult<Py<PyAny>> {
    match kind_of(view)? {
        ViewKind::Object(object) => object_field(view.py(), object.get(), name),
        ViewKind::Chunk(chunk) => field(chunk, name),
        ViewKind::Choice(choice) => field(choice, name),
        ViewKind::Delta(delta) => field(delta, name),
        ViewKind::Event(event) => field(event, name),
    }
}

/// The same where the class is known.
pub(crate) fn field<T: InDocument>(slf: &Bound<'_, T>, name: &str) -> PyResult<Py<PyAny>> {
    field_of_node(slf.py(), || T::document(slf), slf.get().node(), name)
}

pub(crate) fn object_field(py: Python<'_>, object: &Object, name: &str) -> PyResult<Py<PyAny>> {
    field_of_node(py, || object.document.clone_ref(py), object.node(), name)
}

/// A field that some services or helpers add; `None` where it is absent.
pub(crate) fn extra_field(py: Python<'_>, object: &Object, name: &str) -> PyResult<Py<PyAny>> {
    match object.node().has(py, name) {
        true => object_field(py, object, name),
        false => Ok(py.None()),
    }
}

fn field_of_node(
    py: Python<'_>,
    document: impl Fn() -> Document,
    node: Node<'_>,
    name: &str,
) -> PyResult<Py<PyAny>> {
    if let Some(assigned) = node.edit(py, name) {
        return Ok(assigned);
    }
    let known = node.shape.field(name);
    match node.value.get(name) {
        Some(value) => attribute(py, &document, node.text.json, value, known.unwrap_or(Child::Any)),
        None if known.is_some() => Ok(py.None()),
        None => {
            let message = format!("{} has no field {name:?}", node.shape.name);
            Err(PyAttributeError::new_err(message))
        }
    }
}

/// What stands in a field, or in a list. `json` is the text of the document.
pub(crate) fn attribute(
    py: Python<'_>,
    document: &impl Fn() -> Document,
    json: &str,
    value: Value<'_>,
    child: Child,
) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object | Kind::Array if matches!(child, Child::Plain) => plain(py, value),
        Kind::Object => {
            let start = value.text().as_ptr() as usize - json.as_ptr() as usize;
            let end = start + value.text().len();
            let shape = child.shape_of(value);
            Object { document: document(), start, end, shape }.into_python(py)
        }
        Kind::Array => {
            let items = value.items().into_iter();
            let items = items.map(|item| attribute(py, document, json, item, child));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}
