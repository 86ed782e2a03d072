//! Objects as dicts and lists, and as JSON text, with what was assigned to them. Knows no class.

use std::borrow::Cow;

use modelwire::{Kind, Value};
use pyo3::IntoPyObjectExt;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};

use crate::encode;
use crate::object::document::{Text, View};
use crate::object::node::{Node, node};
use crate::object::plain::{plain, scalar};
use crate::object::shape::{Child, Shape};

/// Which fields a dump has.
#[derive(Clone, Copy)]
pub(crate) struct Dump {
    /// Those that the service did not send are None.
    pub(crate) unset: bool,
    /// Those that are None.
    pub(crate) none: bool,
}

/// What the service sent, no more and no less.
const AS_SENT: Dump = Dump { unset: false, none: true };

/// An object with everything below it as Python's own dicts and lists.
pub(crate) fn dict(py: Python<'_>, node: Node<'_>, dump: Dump) -> PyResult<Py<PyAny>> {
    let edited = Some(node.text).filter(|text| text.edits.are_some());
    value(py, node.value, Child::Of(node.shape), dump, edited)
}

/// The same of any value; `edited` is its document, where something was assigned in that.
fn value(
    py: Python<'_>,
    value: Value<'_>,
    child: Child,
    dump: Dump,
    edited: Option<Text<'_>>,
) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object => object(py, value, child.shape_of(value), dump, edited)?.into_py_any(py),
        Kind::Array => {
            let items = value.items().into_iter();
            let items = items.map(|item| self::value(py, item, child, dump, edited));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

fn object<'py>(
    py: Python<'py>,
    object: Value<'_>,
    shape: &Shape,
    dump: Dump,
    edited: Option<Text<'_>>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, member) in object.members() {
        if member.is_null() && !dump.none {
            continue;
        }
        let child = shape.field(&name).unwrap_or(Child::Any);
        dict.set_item(&*name, value(py, member, child, dump, edited)?)?;
    }
    let edits = edited.map(|text| text.edits.of(py, text.place(object)));
    for (name, assigned) in edits.unwrap_or_default() {
        let assigned = assigned.into_bound(py);
        if assigned.is_none() && !dump.none {
            if dict.contains(&name)? {
                dict.del_item(&name)?;
            }
        } else if !name.starts_with('_') {
            dict.set_item(&name, assigned_value(&assigned, dump)?)?;
        }
    }
    if dump.unset && dump.none {
        for (name, _) in shape.fields {
            if !dict.contains(name)? {
                dict.set_item(name, py.None())?;
            }
        }
    }
    Ok(dict)
}

/// What a program assigned, as Python's own dicts and lists.
fn assigned_value<'py>(value: &Bound<'py, PyAny>, dump: Dump) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>() {
        let items = list.iter().map(|item| assigned_value(&item, dump));
        return Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any());
    }
    if !value.hasattr(intern!(py, "model_dump"))? {
        return Ok(value.clone());
    }
    let options = PyDict::new(py);
    options.set_item("exclude_unset", !dump.unset)?;
    options.set_item("exclude_none", !dump.none)?;
    value.call_method(intern!(py, "model_dump"), (), Some(&options))
}

/// Keeps the parts of a dump that are asked for.
pub(crate) fn filter(
    py: Python<'_>,
    dump: Py<PyAny>,
    include: Option<&Bound<'_, PyAny>>,
    exclude: Option<&Bound<'_, PyAny>>,
) -> PyResult<Py<PyAny>> {
    if include.is_none() && exclude.is_none() {
        return Ok(dump);
    }
    let kept = py.import("modelwire._parts")?.getattr("kept")?;
    kept.call1((dump, include, exclude)).map(Bound::unbind)
}

/// The JSON text of an object: as it came, or with what was assigned.
pub(crate) fn json<'a>(py: Python<'_>, node: Node<'a>) -> PyResult<Cow<'a, str>> {
    if !node.text.edits.are_some() {
        return Ok(Cow::Borrowed(node.value.text()));
    }
    encoded(dict(py, node, AS_SENT)?.bind(py)).map(Cow::Owned)
}

/// The JSON text of any Python value; our objects stand in it as they came.
pub(crate) fn encoded(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = String::with_capacity(256);
    encode::write(value, &mut text, json_of_view)?;
    Ok(text)
}

/// The JSON text of one of our objects; None for anything else.
fn json_of_view(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let Ok(view) = value.cast::<View>() else { return Ok(None) };
    json(value.py(), node(view)?).map(|text| Some(text.into_owned()))
}

/// `json.loads(text)`-like equality: same text, or same plain value.
pub(crate) fn equal(mine: &Bound<'_, View>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = mine.py();
    let mine = json(py, node(mine)?)?;
    let Some(theirs) = json_of_view(other)? else { return Ok(false) };
    if *mine == *theirs {
        return Ok(true);
    }
    let theirs = Value::parse(&theirs).unwrap_or(Value::NULL);
    plain(py, Value::validated(&mine))?.bind(py).eq(plain(py, theirs)?)
}

/// `json.dumps` of a plain value, for an indented or re-encoded text.
pub(crate) fn dumps(py: Python<'_>, plain: Py<PyAny>, indent: Option<usize>) -> PyResult<String> {
    static DUMPS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let dumps = DUMPS
        .get_or_try_init(py, || PyResult::Ok(py.import("json")?.getattr("dumps")?.unbind()))?;
    let options = PyDict::new(py);
    options.set_item("ensure_ascii", false)?;
    options.set_item("indent", indent)?;
    if indent.is_none() {
        options.set_item("separators", (",", ":"))?;
    }
    dumps.bind(py).call((plain,), Some(&options))?.extract()
}
