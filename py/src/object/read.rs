//! Reads fields as attributes: known objects become views, unknown ones dicts with their fields as
//! attributes, and everything else plain Python values.

use modelwire::{Kind, Outline, Part, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::depth::deeper;
use crate::kept::Kept;
use crate::modules;
use crate::object::document::{Document, View};
use crate::object::node::{InDocument, Node, ViewKind, kind_of};
use crate::object::plain::{plain, scalar};
use crate::object::shape::{Child, Object};
use crate::object::streamed;
use crate::run::Run;
use crate::slots::{Found, Slots};

/// A field of a view; a known one that is absent is `None`.
pub(crate) fn view_field(view: &Bound<'_, View>, name: &str) -> PyResult<Py<PyAny>> {
    match kind_of(view)? {
        ViewKind::Object(object) => field(object, name),
        ViewKind::Chunk(chunk) if name == "choices" => streamed::choices(chunk),
        ViewKind::Chunk(chunk) => field(chunk, name),
        ViewKind::Choice(choice) if name == "delta" => streamed::delta(choice),
        ViewKind::Choice(choice) => field(choice, name),
        ViewKind::Delta(delta) => field(delta, name),
        ViewKind::Event(event) => field(event, name),
    }
}

/// Like [`view_field`] for a known class, for any field except the main one.
pub(crate) fn field<T: InDocument>(slf: &Bound<'_, T>, name: &str) -> PyResult<Py<PyAny>> {
    let (this, slots) = (slf.get(), &slf.as_super().get().slots);
    field_of_node(slf.py(), || this.document(), slots, this.node(), name)
}

/// A field that some services or helpers add; `None` if it is absent.
pub(crate) fn extra_field(slf: &Bound<'_, Object>, name: &str) -> PyResult<Py<PyAny>> {
    let slots = &slf.as_super().get().slots;
    match slots.find(slf.py(), name) {
        Some(Found::Value(assigned)) => Ok(assigned),
        None if slf.get().node().value.get(name).is_some() => field(slf, name),
        Some(Found::Deleted) | None => Ok(slf.py().None()),
    }
}

fn field_of_node(
    py: Python<'_>,
    document: impl Fn() -> Document,
    slots: &Slots,
    node: Node<'_>,
    name: &str,
) -> PyResult<Py<PyAny>> {
    let known = node.shape.field(name);
    let sent = match slots.find(py, name) {
        Some(Found::Value(value)) => return Ok(value),
        Some(Found::Deleted) => None,
        None => node.value.get(name),
    };
    let Some(value) = sent else {
        if known.is_some() {
            return Ok(py.None());
        }
        let message = format!("{} has no field {name:?}", node.shape.name);
        return Err(PyAttributeError::new_err(message));
    };
    let found = attribute(py, &document, node.json, value, known.unwrap_or(Child::Any))?;
    match value.kind() {
        Kind::Object | Kind::Array => {
            let list = found.bind(py).cast::<PyList>();
            let items = list.map(|list| list.iter().map(Bound::unbind).collect());
            Ok(slots.give(py, name, found.clone_ref(py), items.unwrap_or_default()))
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => Ok(found),
    }
}

/// The value of a field or a list item. `json` is the text of the document.
pub(crate) fn attribute(
    py: Python<'_>,
    document: &impl Fn() -> Document,
    json: &str,
    value: Value<'_>,
    child: Child,
) -> PyResult<Py<PyAny>> {
    match (value.kind(), child) {
        (Kind::Object | Kind::Array, Child::Plain) => plain(py, value),
        (Kind::Object, Child::Any) => unknown(py, Outline::of(value).whole()),
        (Kind::Object, Child::Of(_) | Child::ByType(..)) => {
            let start = value.text().as_ptr() as usize - json.as_ptr() as usize;
            let end = start + value.text().len();
            let shape = child.shape_of(value);
            Object { document: document(), start, end, shape }.into_python(py)
        }
        (Kind::Array, _) => list(py, document, json, Outline::of(value).whole(), child),
        (Kind::Null | Kind::Bool | Kind::Number | Kind::String, _) => scalar(py, value),
    }
}

/// A list of values, which may be lists.
fn list(
    py: Python<'_>,
    document: &impl Fn() -> Document,
    json: &str,
    part: Part<'_, '_>,
    child: Child,
) -> PyResult<Py<PyAny>> {
    let _deeper = deeper()?;
    let items = part.items().into_iter().map(|item| match (item.value().kind(), child) {
        (Kind::Array, _) => list(py, document, json, item, child),
        (Kind::Object, Child::Any) => unknown(py, item),
        _ => attribute(py, document, json, item.value(), child),
    });
    PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
}

/// An object of unknown type: `modelwire.types.Object`, a dict.
fn unknown(py: Python<'_>, part: Part<'_, '_>) -> PyResult<Py<PyAny>> {
    static CLASS: Kept<Py<PyAny>> = Kept::new();
    let class = CLASS.get_or_try_init(|| {
        PyResult::Ok(modules::own(py, "types._object")?.attribute("Object")?.unbind())
    })?;
    let _deeper = deeper()?;
    let made = class.bind(py).run(())?;
    let dict = made.cast::<PyDict>()?;
    for (name, member) in part.members() {
        dict.set_item(&*name, open(py, member)?)?;
    }
    Ok(made.unbind())
}

/// A value in such an object.
fn open(py: Python<'_>, part: Part<'_, '_>) -> PyResult<Py<PyAny>> {
    match part.value().kind() {
        Kind::Object => unknown(py, part),
        Kind::Array => {
            let _deeper = deeper()?;
            let items = part.items().into_iter().map(|item| open(py, item));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, part.value()),
    }
}
