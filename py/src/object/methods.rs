//! The methods of all objects, and a few of `Object` alone. Their names are pydantic's and openai-python's,
//! for programs that treat answers as pydantic models.

use modelwire::{Kind, Value, model_name};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyIterator, PyList, PySet, PyString, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use crate::depth::deeper;
use crate::facts;
use crate::kept::intern;
use crate::modules;
use crate::object::document::{Document, View};
use crate::object::dump::{self, Dump, dumps, equal, filter, is_as_sent, json};
use crate::object::fields::MODEL;
use crate::object::make::{chunk, of_fields, of_json, shape_of_class};
use crate::object::node::{anew, document, node};
use crate::object::read::{attribute, view_field};
use crate::object::shape::{Child, OBJECT, Object};
use crate::openai_classes;
use crate::run::{Run, import};
use crate::slots::{Found, Held};

/// Options of pydantic's dumps that change nothing here.
const OTHERS: [&str; 8] = [
    "context",
    "ensure_ascii",
    "exclude_computed_fields",
    "fallback",
    "polymorphic_serialization",
    "round_trip",
    "serialize_as_any",
    "warnings",
];

/// A function of `modelwire._answers.repr`, which formats objects for people.
fn show<'py>(
    name: &str,
    view: &Bound<'py, View>,
    more: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = modules::own(view.py(), "_answers.repr")?.attribute(name)?;
    let class = node(view)?.shape.name;
    match more {
        Some(more) => function.run((view, class, more)),
        None => function.run((view, class)),
    }
}

#[pymethods]
impl View {
    /// The private attributes of a pydantic model, of which there are none: programs that ask whether an
    /// answer is a `BaseModel`, once openai's classes are registered, look here next.
    #[classattr]
    fn __private_attributes__(py: Python<'_>) -> Bound<'_, PyDict> {
        PyDict::new(py)
    }

    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        match openai_classes::attribute(slf.as_any(), name)? {
            Some(found) => Ok(found.unbind()),
            None => view_field(slf, name),
        }
    }

    /// A class below one of ours has no fields of its own: they would hide what stands there.
    #[classmethod]
    #[pyo3(signature = (**_named))]
    fn __init_subclass__(
        class: &Bound<'_, PyType>,
        _named: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<()> {
        let own = class.attribute(intern!(class.py(), "__dict__"))?;
        // Python 3.14 has the second one, with unevaluated annotations.
        let has_fields = own.contains("__annotations__")? || own.contains("__annotate_func__")?;
        let module = class.module()?;
        if has_fields && !module.to_cow()?.starts_with(&format!("{}.", modules::package())) {
            return Err(PyTypeError::new_err(format!(
                "{}: a subclass of an answer type cannot declare fields. Assign attributes to an answer, or \
                 wrap it in your own class",
                class.name()?
            )));
        }
        Ok(())
    }

    /// The class of this object, or the one that it is to say it is of.
    #[getter(__class__)]
    fn class_of<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        openai_classes::class_of(slf.as_any())
    }

    /// Assigns to a field, known or not; copies that were made before do not see it.
    fn __setattr__(&self, name: &str, value: Py<PyAny>) -> PyResult<()> {
        assignable(name)?;
        self.slots.set(name, Some(value));
        Ok(())
    }

    /// From now on the field reads as if the service had not sent it.
    fn __delattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<()> {
        assignable(name)?;
        if !has(slf, name)? && node(slf)?.shape.field(name).is_none() {
            return Err(PyAttributeError::new_err(name.to_owned()));
        }
        slf.get().slots.set(name, None);
        Ok(())
    }

    fn __getitem__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        let found = if has(slf, name)? { still_there(slf, name)? } else { None };
        found.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __contains__(slf: &Bound<'_, Self>, name: &str) -> PyResult<bool> {
        has(slf, name)
    }

    /// Names and values of all fields, known ones first, as pydantic's models are iterated; so
    /// `dict(answer)` works.
    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyIterator>> {
        PyIterator::from_object(&View::fields(slf)?.items())
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PySet>> {
        let all = import(slf.py(), "builtins")?.attribute("dir")?.run((slf.get_type(),))?;
        let all = PySet::new(slf.py(), all.items_one_by_one()?.collect::<PyResult<Vec<_>>>()?)?;
        for name in names(slf)? {
            all.add(name)?;
        }
        Ok(all)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.slots.traverse(&visit)
    }

    fn __clear__(&self) {
        self.slots.clear();
    }

    /// All fields with their values as attributes have them: for `vars`.
    #[getter(__dict__)]
    fn fields<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(slf.py());
        let node = node(slf)?;
        let known = node.shape.fields.iter().map(|(name, _)| (*name).to_owned());
        for name in known.chain(names(slf)?) {
            if let Some(value) = still_there(slf, &name)? {
                dict.set_item(&name, value)?;
            }
        }
        Ok(dict)
    }

    /// All fields that the service sent as dicts and lists, unknown ones included.
    #[pyo3(signature = (*, mode="python", use_api_names=true, exclude_unset=true,
                        exclude_defaults=false, exclude_none=false, warnings=true))]
    #[expect(unused_variables, reason = "named as openai-python names them")]
    fn to_dict<'py>(
        slf: &Bound<'py, Self>,
        mode: &str,
        use_api_names: bool,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
        warnings: bool,
    ) -> PyResult<Bound<'py, PyDict>> {
        dump::dict(slf, Dump { unset: !exclude_unset, none: !exclude_none, parsed: true })
    }

    /// All fields as dicts and lists, unknown ones included; known ones that the service did not
    /// send are None, unless exclude_unset says otherwise. include and exclude are pydantic's:
    /// names, and for parts of fields dicts of them.
    #[pyo3(signature = (*, mode="python", include=None, exclude=None, by_alias=None,
                        exclude_unset=false, exclude_defaults=false, exclude_none=false,
                        **_others))]
    #[expect(unused_variables, clippy::too_many_arguments, reason = "named as pydantic names them")]
    fn model_dump<'py>(
        slf: &Bound<'py, Self>,
        mode: &str,
        include: Option<&Bound<'py, PyAny>>,
        exclude: Option<&Bound<'py, PyAny>>,
        by_alias: Option<bool>,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
        _others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        for name in _others.iter().flat_map(|others| others.keys()) {
            let name = name.cast::<PyString>()?.to_cow()?;
            if !OTHERS.contains(&&*name) {
                return Err(PyTypeError::new_err(format!("model_dump() takes no {name:?}")));
            }
        }
        let dump = Dump {
            unset: !(exclude_unset || exclude_defaults),
            none: !(exclude_none || exclude_defaults),
            parsed: true,
        };
        filter(dump::dict(slf, dump)?, include, exclude)
    }

    /// The same as `model_dump`, under its older name.
    #[pyo3(signature = (**options))]
    fn dict<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.run_method_with("model_dump", (), options)
    }

    /// What `model_dump` gives, as JSON text.
    #[pyo3(signature = (*, indent=None, **options))]
    fn model_dump_json(
        slf: &Bound<'_, Self>,
        indent: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let plain = slf.run_method_with("model_dump", (), options)?;
        dumps(&plain, indent)
    }

    /// The same as `model_dump_json`, under its older name.
    #[pyo3(signature = (**options))]
    fn json<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.run_method_with("model_dump_json", (), options)
    }

    /// The JSON text, indented as openai-python indents it. `indent=None` gives the text as the
    /// service sent it, to the byte, and is the cheap way.
    #[pyo3(signature = (*, mode="json", use_api_names=true, exclude_unset=true,
                        exclude_defaults=false, exclude_none=false, indent=Some(2),
                        warnings=true),
           text_signature = "($self, *, mode='json', use_api_names=True, \
                             exclude_unset=True, exclude_defaults=False, \
                             exclude_none=False, indent=2, warnings=True)")]
    #[expect(
        unused_variables,
        clippy::too_many_arguments,
        reason = "named as openai-python names them"
    )]
    fn to_json(
        slf: &Bound<'_, Self>,
        mode: &str,
        use_api_names: bool,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
        indent: Option<usize>,
        warnings: bool,
    ) -> PyResult<String> {
        if indent.is_none() && exclude_unset && !exclude_none {
            return json(slf).map(|text| text.into_owned());
        }
        let dump = Dump { unset: !exclude_unset, none: !exclude_none, parsed: true };
        dumps(dump::dict(slf, dump)?.as_any(), indent)
    }

    /// The fields that the service sent and nobody here knows, as dicts and lists.
    #[getter]
    fn model_extra<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (shape, dict) = (node(slf)?.shape, PyDict::new(slf.py()));
        for name in names(slf)? {
            let is_extra = shape.field(&name).is_none() && !name.starts_with('_');
            if is_extra && let Some(value) = still_there(slf, &name)? {
                dict.set_item(&name, value)?;
            }
        }
        Ok(dict)
    }

    /// The names of the fields that the service sent.
    #[getter]
    fn model_fields_set<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PySet>> {
        let names = names(slf)?;
        PySet::new(slf.py(), names.iter().filter(|name| !name.starts_with('_')))
    }

    /// A copy, with some fields replaced. What came of the service is never shared with it; what a
    /// program assigned is, unless deep says otherwise.
    #[pyo3(signature = (*, update=None, deep=false))]
    fn model_copy<'py>(
        slf: &Bound<'py, Self>,
        update: Option<&Bound<'py, PyDict>>,
        deep: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let copy = copied(slf, deep.then(|| PyDict::new(slf.py())).as_ref())?;
        for (name, value) in update.into_iter().flatten() {
            copy.setattr(name.cast::<PyString>()?, value)?;
        }
        Ok(copy.into_any())
    }

    /// The same as `model_copy`, under its older name.
    #[pyo3(signature = (*, update=None, deep=false))]
    fn copy<'py>(
        slf: &Bound<'py, Self>,
        update: Option<&Bound<'py, PyDict>>,
        deep: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        View::model_copy(slf, update, deep)
    }

    /// An object of this class from a dict, or from JSON text; nothing is validated.
    #[classmethod]
    fn model_validate(class: &Bound<'_, PyType>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if value.is_instance(class)? {
            return Ok(value.clone().unbind());
        }
        let Ok(fields) = value.cast::<PyDict>() else {
            let name = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!("expected a dict, not {name}")));
        };
        of_fields(Some(fields), shape_of_class(class)?)?.into_whole(class.py())
    }

    /// An object of this class from JSON text; nothing is validated.
    #[classmethod]
    fn model_validate_json(
        class: &Bound<'_, PyType>,
        text: &Bound<'_, PyAny>,
    ) -> PyResult<Py<PyAny>> {
        let text = match text.cast::<PyBytes>() {
            Ok(bytes) => String::from_utf8(bytes.as_bytes().to_vec())?,
            Err(_) => text.extract()?,
        };
        of_json(text, None, shape_of_class(class)?)?.into_whole(class.py())
    }

    /// An object of this class with these fields; nothing is validated.
    #[classmethod]
    #[pyo3(signature = (**fields))]
    fn construct(
        class: &Bound<'_, PyType>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        of_fields(fields, shape_of_class(class)?)?.into_whole(class.py())
    }

    /// The same as `construct`, under pydantic's newer name.
    #[classmethod]
    #[pyo3(signature = (_fields_set=None, **fields))]
    fn model_construct(
        class: &Bound<'_, PyType>,
        _fields_set: Option<&Bound<'_, PyAny>>,
        fields: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        View::construct(class, fields)
    }

    /// The JSON schema of the objects of this class; nothing is validated against it.
    #[classmethod]
    #[pyo3(signature = (**_as_pydantic))]
    fn model_json_schema<'py>(
        class: &Bound<'py, PyType>,
        _as_pydantic: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        modules::own(class.py(), "_answers.pydantic")?.run_method("json_schema", (class,))
    }

    /// What pydantic asks of a class that stands in one of its models.
    #[classmethod]
    fn __get_pydantic_core_schema__<'py>(
        class: &Bound<'py, PyType>,
        _source: &Bound<'py, PyAny>,
        _handler: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        modules::own(class.py(), "_answers.pydantic")?.run_method("schema", (class,))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        View::model_copy(slf, None, false)
    }

    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        memo: &Bound<'py, PyDict>,
    ) -> PyResult<Bound<'py, PyAny>> {
        copied(slf, Some(memo)).map(Bound::into_any)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let restore = modules::own(py, "_native")?.attribute("_restore")?;
        let document = document(slf)?;
        let parts = (node(slf)?.shape.name, json(slf)?, document.request_id());
        (restore, parts).into_pyobject(py)
    }

    /// The fields that were sent, cut where they get long; `str` and `print` show all.
    fn __repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show("short", slf, None)
    }

    fn __str__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show("whole", slf, None)
    }

    /// For IPython and the debugger.
    fn _repr_pretty_<'py>(
        slf: &Bound<'py, Self>,
        printer: &Bound<'py, PyAny>,
        _cycle: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        show("pretty", slf, Some(printer))
    }

    /// For rich.
    fn __rich_repr__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show("rich", slf, None)
    }

    /// For notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        show("html", slf, None)
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        equal(slf, other)
    }
}

fn assignable(name: &str) -> PyResult<()> {
    if name.starts_with("__") {
        let message = format!("{name} of an answer cannot be assigned or deleted");
        return Err(PyAttributeError::new_err(message));
    }
    Ok(())
}

/// Whether a field of this name was sent or assigned.
fn has(view: &Bound<'_, View>, name: &str) -> PyResult<bool> {
    match view.get().slots.find(view.py(), name) {
        Some(Found::Value(_)) => Ok(true),
        Some(Found::Deleted) => Ok(false),
        None => Ok(node(view)?.value.get(name).is_some()),
    }
}

/// A field that existed a moment ago; None if another thread has deleted it.
fn still_there(view: &Bound<'_, View>, name: &str) -> PyResult<Option<Py<PyAny>>> {
    match view_field(view, name) {
        Err(error) if error.is_instance_of::<PyAttributeError>(view.py()) => Ok(None),
        found => found.map(Some),
    }
}

/// The names of the fields that were sent or assigned.
fn names(view: &Bound<'_, View>) -> PyResult<Vec<String>> {
    let sent = node(view)?.value.members().into_iter();
    let mut names: Vec<String> = sent.map(|(name, _)| name.into_owned()).collect();
    for (name, held) in view.get().slots.all(view.py()) {
        match held {
            Held::Deleted => names.retain(|sent| *sent != name),
            Held::Assigned(_) | Held::Given(..) if names.contains(&name) => {}
            Held::Assigned(_) | Held::Given(..) => names.push(name),
        }
    }
    Ok(names)
}

/// An object with the same text and a copy of a program's changes, including those to objects and lists
/// below. For a deep copy, `memo` is the memo of `copy.deepcopy`.
fn copied<'py>(
    view: &Bound<'py, View>,
    memo: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, View>> {
    let (py, _deeper) = (view.py(), deeper()?);
    let (copy, slots) = (anew(view)?, &view.get().slots);
    // What was handed out unchanged is created again by the copy on demand.
    let as_sent = memo.is_none() && is_as_sent(view)?;
    let below = PyDict::new(py);
    if let Some(memo) = memo {
        memo.set_item(view.as_ptr() as usize, &copy)?;
    }
    let known = memo.unwrap_or(&below);
    let deeply = import(py, "copy")?.attribute("deepcopy")?;
    let mut kept = slots.all(py);
    if let Some(main) = slots.main() {
        let name = if main.bind(py).is_instance_of::<PyList>() { "choices" } else { "delta" };
        kept.insert(0, (name.to_owned(), Held::Given(main.clone_ref(py), Vec::new())));
    }
    for (name, held) in kept {
        let value = match held {
            Held::Assigned(value) if memo.is_none() => Some(value),
            Held::Given(..) if as_sent => continue,
            Held::Assigned(value) | Held::Given(value, _) => {
                Some(deeply.run((value, known))?.unbind())
            }
            Held::Deleted => None,
        };
        copy.get().slots.set(&name, value);
    }
    Ok(copy)
}

#[pymethods]
impl Object {
    /// An object of these fields, for the tests of programs mostly.
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(fields: Option<&Bound<'_, PyDict>>) -> PyResult<PyClassInitializer<Object>> {
        Ok(of_fields(fields, &OBJECT)?.initializer())
    }

    /// The names of the fields that are always there.
    #[classattr]
    fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        OBJECT.model_fields(py)
    }

    /// The entries of a model list in either of its two forms. Each has its name as `id`, wherever the
    /// service sent it (R-OP2).
    fn _items(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let whole = self.value();
        let list = if whole.kind() == Kind::Array { Some(whole) } else { whole.get("data") };
        let models = list.map(Value::items).unwrap_or_default().into_iter();
        let json = self.document.json();
        let document = || self.document.clone();
        let has_id = |model: Value<'_>| {
            model.get("id").and_then(Value::as_str).is_some_and(|id| !id.is_empty())
        };
        let entry = |model: Value<'_>| match (model_name(model), model.kind()) {
            (Some(name), Kind::String | Kind::Number) => {
                let named = PyDict::new(py);
                named.set_item("id", name)?;
                of_fields(Some(&named), &MODEL)?.into_whole(py)
            }
            (Some(name), _) if !has_id(model) => {
                let found = attribute(py, &document, json, model, Child::Of(&MODEL))?;
                found.setattr(py, "id", name)?;
                Ok(found)
            }
            _ => attribute(py, &document, json, model, Child::Of(&MODEL)),
        };
        models.map(entry).collect()
    }

    /// Status and headers of the answer; None if it was not received here.
    #[getter]
    fn _response<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Document::Response(received) = &self.document else { return Ok(None) };
        let (answer, request) = (&received.response, &received.request);
        let response = facts::response(py, answer.head(), request, answer.record())?;
        let took = (received.response.attempts(), received.response.elapsed().as_secs_f64());
        response.run_method(intern!(py, "_took"), took)?;
        Ok(Some(response))
    }

    /// The limits that the service reported; None if it reported none, or if the answer was not received
    /// here.
    #[getter]
    fn _rate_limits<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Document::Response(received) = &self.document else { return Ok(None) };
        facts::rate_limits(py, received.response.rate_limits())
    }

    /// The tokens that an answer reports, under any of the known names.
    #[getter]
    fn _usage<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyAny>>> {
        facts::usage(slf.py(), chunk(&json(slf.as_super())?)?.usage())
    }

    /// The record of its call; None if the answer was not received here.
    #[getter]
    fn _timing<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Document::Response(received) = &self.document else { return Ok(None) };
        facts::timing(py, received.response.record())
    }

    /// The service's request ID.
    #[getter]
    fn _request_id(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
        match slf.as_super().get().slots.find(slf.py(), "_request_id") {
            Some(Found::Value(assigned)) => Ok(assigned),
            Some(Found::Deleted) => Ok(slf.py().None()),
            None => slf.get().document.request_id().into_py_any(slf.py()),
        }
    }
}
