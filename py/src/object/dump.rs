//! Dumps objects as dicts and lists, or as JSON, with a program's changes.

use std::borrow::Cow;

use modelwire::{Kind, Outline, Part, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::depth::deeper;
use crate::encode;
use crate::kept::intern;
use crate::modules;
use crate::object::document::View;
use crate::object::events;
use crate::object::fields::RESPONSE_STREAM_EVENT;
use crate::object::node::node;
use crate::object::plain::{plain, scalar};
use crate::object::shape::{Child, Shape};
use crate::object::streamed;
use crate::run::Run;
use crate::slots::{Found, Held};

/// The fields that a dump includes.
#[derive(Clone, Copy)]
pub(crate) struct Dump {
    /// Those that the service did not send, as None.
    pub(crate) unset: bool,
    /// Those that are None.
    pub(crate) none: bool,
    /// The values that the answer's text was parsed into.
    pub(crate) parsed: bool,
}

/// Fields with the parsed values of a program. No service knows them.
const PARSED: [&str; 2] = ["parsed", "parsed_arguments"];

/// The same field of a whole response, whose value is also in one of its parts.
const OUTPUT_PARSED: &str = "output_parsed";

/// Exactly what the service sent.
const AS_SENT: Dump = Dump { unset: false, none: true, parsed: false };

/// What two equal objects have in common: programs cannot distinguish null from absent.
const TO_COMPARE: Dump = Dump { unset: false, none: false, parsed: true };

/// An object with everything below it as dicts and lists.
pub(crate) fn dict<'py>(view: &Bound<'py, View>, dump: Dump) -> PyResult<Bound<'py, PyDict>> {
    let _deeper = deeper()?;
    let (py, node, slots) = (view.py(), node(view)?, &view.get().slots);
    let dict = PyDict::new(py);
    let outline = Outline::of(node.value);
    for (name, member) in outline.whole().members() {
        let kept = match slots.find(py, &name) {
            None => streamed::main(view, &name).map(|main| Found::Value(main.clone_ref(py))),
            kept => kept,
        };
        let found = match kept {
            Some(Found::Deleted) => continue,
            Some(Found::Value(value)) => dumped(value.bind(py), dump)?.unbind(),
            None => {
                let child = node.shape.field(&name).unwrap_or(Child::Any);
                sent(py, member, child, dump)?
            }
        };
        if dump.none || !found.is_none(py) {
            dict.set_item(&*name, found)?;
        }
    }
    for (name, held) in slots.all(py) {
        let Held::Assigned(value) = held else { continue };
        if is_no_field(&name) || dict.contains(&name)? || node.value.get(&name).is_some() {
            continue;
        }
        if !dump.parsed && PARSED.contains(&name.as_str()) {
            continue;
        }
        let value = dumped(value.bind(py), dump)?;
        if dump.none || !value.is_none() {
            dict.set_item(&name, value)?;
        }
    }
    complete(&dict, node.shape, dump)?;
    Ok(dict)
}

/// Whether a name assigned by a program is not part of the answer.
fn is_no_field(name: &str) -> bool {
    name.starts_with('_') || name == OUTPUT_PARSED
}

/// Adds the fields that were not sent, if requested.
fn complete(dict: &Bound<'_, PyDict>, shape: &Shape, dump: Dump) -> PyResult<()> {
    if !(dump.unset && dump.none) {
        return Ok(());
    }
    let add = |name: &str| match dict.contains(name)? {
        true => Ok(()),
        false => dict.set_item(name, dict.py().None()),
    };
    if std::ptr::eq(shape, &RESPONSE_STREAM_EVENT) {
        // The class has the fields of all event types.
        let kind = dict.get_item(intern!(dict.py(), "type"))?;
        let kind = kind.and_then(|kind| kind.extract::<String>().ok()).unwrap_or_default();
        ["type", "sequence_number"].into_iter().try_for_each(&add)?;
        let fields = events::fields_of(&kind).unwrap_or_default();
        return fields.iter().try_for_each(|name| add(name));
    }
    shape.fields.iter().try_for_each(|(name, _)| add(name))
}

/// A value that was not read yet.
fn sent(py: Python<'_>, part: Part<'_, '_>, child: Child, dump: Dump) -> PyResult<Py<PyAny>> {
    let value = part.value();
    match value.kind() {
        Kind::Object => {
            let (dict, shape, _deeper) = (PyDict::new(py), child.shape_of(value), deeper()?);
            for (name, member) in part.members() {
                if dump.none || !member.value().is_null() {
                    let child = shape.field(&name).unwrap_or(Child::Any);
                    dict.set_item(&*name, sent(py, member, child, dump)?)?;
                }
            }
            complete(&dict, shape, dump)?;
            dict.into_py_any(py)
        }
        Kind::Array => {
            let _deeper = deeper()?;
            let items = part.items().into_iter().map(|item| sent(py, item, child, dump));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

/// What a program assigned, or may have changed, as dicts and lists.
fn dumped<'py>(value: &Bound<'py, PyAny>, dump: Dump) -> PyResult<Bound<'py, PyAny>> {
    let (py, _deeper) = (value.py(), deeper()?);
    if let Ok(view) = value.cast::<View>() {
        return dict(view, dump).map(Bound::into_any);
    }
    if let Ok(list) = value.cast::<PyList>() {
        let items = list.iter().map(|item| dumped(&item, dump));
        return Ok(PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any());
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let plain = PyDict::new(py);
        for (name, member) in encode::pairs(dict)? {
            let member = dumped(&member, dump)?;
            if dump.none || !member.is_none() {
                plain.set_item(name, member)?;
            }
        }
        return Ok(plain.into_any());
    }
    if value.is_instance_of::<pyo3::types::PyType>()
        || !value.has_attribute(intern!(py, "model_dump"))?
    {
        return Ok(value.clone());
    }
    let options = PyDict::new(py);
    options.set_item("exclude_unset", !dump.unset)?;
    options.set_item("exclude_none", !dump.none)?;
    value.run_method_with(intern!(py, "model_dump"), (), Some(&options))
}

/// Converts nested lists and dicts to plain Python values.
#[pyfunction(name = "_plain")]
pub(crate) fn plain_of<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    dumped(value, AS_SENT)
}

/// Keeps the requested parts of a dump.
pub(crate) fn filter<'py>(
    dump: Bound<'py, PyDict>,
    include: Option<&Bound<'py, PyAny>>,
    exclude: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    if include.is_none() && exclude.is_none() {
        return Ok(dump.into_any());
    }
    let kept = modules::own(dump.py(), "_answers.parts")?.attribute("kept")?;
    kept.run((dump, include, exclude))
}

/// Whether an object, with everything that it handed out, is as the service sent it.
pub(crate) fn is_as_sent(view: &Bound<'_, View>) -> PyResult<bool> {
    let _deeper = deeper()?;
    let (py, slots) = (view.py(), &view.get().slots);
    if let Some(main) = slots.main()
        && !streamed::is_main_as_sent(view, main.bind(py), is_as_sent)?
    {
        return Ok(false);
    }
    for (name, held) in slots.all(py) {
        let is_as_sent = match held {
            Held::Given(value, items) => is_given_as_sent(view, &name, value.bind(py), &items)?,
            Held::Assigned(_) if PARSED.contains(&name.as_str()) => {
                node(view)?.value.get(&name).is_none()
            }
            Held::Assigned(_) => is_no_field(&name),
            Held::Deleted => false,
        };
        if !is_as_sent {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_given_as_sent(
    view: &Bound<'_, View>,
    name: &str,
    given: &Bound<'_, PyAny>,
    items: &[Py<PyAny>],
) -> PyResult<bool> {
    let came = || PyResult::Ok(node(view)?.value.get(name).unwrap_or(Value::NULL));
    if let Ok(view) = given.cast::<View>() {
        return is_as_sent(view);
    }
    let Ok(list) = given.cast::<PyList>() else { return is_text_of(given, came()?) };
    if list.len() != items.len() {
        return Ok(false);
    }
    for ((now, then), came) in list.iter().zip(items).zip(came()?.items()) {
        let is_same = match now.cast::<View>() {
            _ if !now.is(then) => false,
            Ok(view) => is_as_sent(view)?,
            Err(_) if now.is_instance_of::<PyDict>() || now.is_instance_of::<PyList>() => {
                is_text_of(&now, came)?
            }
            Err(_) => true,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether dicts and lists still equal this JSON.
fn is_text_of(value: &Bound<'_, PyAny>, text: Value<'_>) -> PyResult<bool> {
    let as_it_came = plain(value.py(), text)?;
    Ok(encoded(value)? == encoded(as_it_came.bind(value.py()))?)
}

/// The JSON of an object: as received, or with a program's changes.
pub(crate) fn json<'a>(view: &'a Bound<'_, View>) -> PyResult<Cow<'a, str>> {
    if is_as_sent(view)? {
        return Ok(Cow::Borrowed(node(view)?.value.text()));
    }
    encoded(dict(view, AS_SENT)?.as_any()).map(Cow::Owned)
}

/// The JSON of any Python value; our objects are written as received.
pub(crate) fn encoded(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = String::with_capacity(256);
    encode::write(value, &mut text, json_of_view)?;
    Ok(text)
}

/// Like [`encoded`], for the fields of a request, a dict that nothing else refers to.
pub(crate) fn encoded_request(fields: &Bound<'_, PyDict>) -> PyResult<String> {
    let mut text = String::with_capacity(256);
    encode::write_own(fields, &mut text, json_of_view)?;
    Ok(text)
}

/// The JSON of one of our objects; None for anything else.
fn json_of_view(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let Ok(view) = value.cast::<View>() else { return Ok(None) };
    json(view).map(|text| Some(text.into_owned()))
}

/// Whether two objects have the same values in all their fields.
pub(crate) fn equal(mine: &Bound<'_, View>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(theirs) = other.cast::<View>() else { return Ok(false) };
    if mine.is(theirs) {
        return Ok(true);
    }
    dict(mine, TO_COMPARE)?.equals(dict(theirs, TO_COMPARE)?.as_any())
}

/// The JSON of a dump, on one line or with this indentation.
#[pyfunction(name = "_json")]
#[pyo3(signature = (plain, indent=None))]
pub(crate) fn dumps(plain: &Bound<'_, PyAny>, indent: Option<usize>) -> PyResult<String> {
    let mut text = String::with_capacity(256);
    encode::write_dump(plain, &mut text, json_of_view)?;
    Ok(match indent {
        Some(spaces) => encode::indented(&text, spaces),
        None => text,
    })
}
