//! The methods that every object has, and the few of `Object` alone. Their names are pydantic's and
//! openai-python's, for programs that know answers as pydantic models. Knows no field.

use modelwire::{Kind, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PySet, PyString, PyTuple, PyType};

use crate::facts;
use crate::object::document::{Document, View};
use crate::object::dump::{self, Dump, dumps, equal, filter, json};
use crate::object::fields::MODEL;
use crate::object::make::{of_fields, of_json, shape_of_class};
use crate::object::node::{InDocument, document, node};
use crate::object::plain::plain;
use crate::object::read::{attribute, view_field};
use crate::object::shape::{Child, OBJECT, Object, Shape};
use crate::openai_classes;

/// Longest text that a repr shows of a whole object, in characters.
const REPR_CHARS_MAX: usize = 400;

fn repr(shape: &Shape, text: &str) -> String {
    match text.char_indices().nth(REPR_CHARS_MAX) {
        Some((end, _)) => format!("{}({}...)", shape.name, text.get(..end).unwrap_or_default()),
        None => format!("{}({text})", shape.name),
    }
}

#[pymethods]
impl View {
    fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        match openai_classes::attribute(slf.as_any(), name)? {
            Some(found) => Ok(found.unbind()),
            None => view_field(slf, name),
        }
    }

    /// The class of this object, or the one that it is to say it is of.
    #[getter(__class__)]
    fn class_of<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        openai_classes::class_of(slf.as_any())
    }

    /// Assigns to a field, known or not; copies that were made before do not see it.
    fn __setattr__(slf: &Bound<'_, Self>, name: &str, value: Py<PyAny>) -> PyResult<()> {
        if name.starts_with("__") {
            let message = format!("{name} of an answer cannot be assigned");
            return Err(PyAttributeError::new_err(message));
        }
        let node = node(slf)?;
        node.text.edits.set(node.text.place(node.value), name, value);
        Ok(())
    }

    fn __getitem__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
        if node(slf)?.has(slf.py(), name) {
            return view_field(slf, name);
        }
        Err(PyKeyError::new_err(name.to_owned()))
    }

    fn __contains__(slf: &Bound<'_, Self>, name: &str) -> PyResult<bool> {
        Ok(node(slf)?.has(slf.py(), name))
    }

    fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let names = py.import("builtins")?.getattr("dir")?.call1((slf.get_type(),))?;
        for name in node(slf)?.names(py) {
            names.call_method1("append", (name,))?;
        }
        Ok(names)
    }

    /// All fields with their values as attributes have them: for `vars`.
    #[getter(__dict__)]
    fn fields<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(slf.py());
        let node = node(slf)?;
        let known = node.shape.fields.iter().map(|(name, _)| (*name).to_owned());
        for name in known.chain(node.names(slf.py())) {
            dict.set_item(&name, view_field(slf, &name)?)?;
        }
        Ok(dict)
    }

    /// All fields that the service sent as dicts and lists, unknown ones included.
    #[pyo3(signature = (*, mode="python", use_api_names=true, exclude_unset=true,
                        exclude_defaults=false, exclude_none=false, warnings=true))]
    #[expect(unused_variables, reason = "named as openai-python names them")]
    fn to_dict(
        slf: &Bound<'_, Self>,
        mode: &str,
        use_api_names: bool,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
        warnings: bool,
    ) -> PyResult<Py<PyAny>> {
        let dump = Dump { unset: !exclude_unset, none: !exclude_none };
        dump::dict(slf.py(), node(slf)?, dump)
    }

    /// All fields as dicts and lists, unknown ones included; known ones that the service did not
    /// send are None, unless exclude_unset says otherwise. include and exclude are pydantic's:
    /// names, and for parts of fields dicts of them.
    #[pyo3(signature = (*, mode="python", include=None, exclude=None, by_alias=None,
                        exclude_unset=false, exclude_defaults=false, exclude_none=false,
                        **_others))]
    #[expect(unused_variables, clippy::too_many_arguments, reason = "named as pydantic names them")]
    fn model_dump(
        slf: &Bound<'_, Self>,
        mode: &str,
        include: Option<&Bound<'_, PyAny>>,
        exclude: Option<&Bound<'_, PyAny>>,
        by_alias: Option<bool>,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
        _others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let dump = Dump {
            unset: !(exclude_unset || exclude_defaults),
            none: !(exclude_none || exclude_defaults),
        };
        filter(slf.py(), dump::dict(slf.py(), node(slf)?, dump)?, include, exclude)
    }

    /// The same as `model_dump`, under its older name.
    #[pyo3(signature = (**options))]
    fn dict<'py>(
        slf: &Bound<'py, Self>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.call_method("model_dump", (), options)
    }

    /// What `model_dump` gives, as JSON text.
    #[pyo3(signature = (*, indent=None, **options))]
    fn model_dump_json(
        slf: &Bound<'_, Self>,
        indent: Option<usize>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<String> {
        let plain = slf.call_method("model_dump", (), options)?;
        dumps(slf.py(), plain.unbind(), indent)
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
        let (py, node) = (slf.py(), node(slf)?);
        if indent.is_none() && exclude_unset && !exclude_none {
            return json(py, node).map(|text| text.into_owned());
        }
        let dump = Dump { unset: !exclude_unset, none: !exclude_none };
        dumps(py, dump::dict(py, node, dump)?, indent)
    }

    /// The fields that the service sent and nobody here knows, as dicts and lists.
    #[getter]
    fn model_extra<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let (py, node) = (slf.py(), node(slf)?);
        let dict = PyDict::new(py);
        let text = json(py, node)?;
        for (name, value) in Value::validated(&text).members() {
            if node.shape.field(&name).is_none() {
                dict.set_item(&*name, plain(py, value)?)?;
            }
        }
        Ok(dict)
    }

    /// The names of the fields that the service sent.
    #[getter]
    fn model_fields_set<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PySet>> {
        let names = node(slf)?.names(slf.py());
        PySet::new(slf.py(), names.iter().filter(|name| !name.starts_with('_')))
    }

    /// A copy, with some fields replaced.
    #[pyo3(signature = (*, update=None, deep=false))]
    #[expect(unused_variables, reason = "named as pydantic names them")]
    fn model_copy<'py>(
        slf: &Bound<'py, Self>,
        update: Option<&Bound<'py, PyDict>>,
        deep: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, node) = (slf.py(), node(slf)?);
        let request_id = document(slf)?.request_id().map(str::to_owned);
        let copy = of_json(json(py, node)?.into_owned(), request_id, node.shape)?;
        let copy = copy.into_whole(py)?.into_bound(py);
        for (name, value) in update.into_iter().flatten() {
            copy.setattr(name.cast::<PyString>()?, value)?;
        }
        Ok(copy)
    }

    /// An object of this class from a dict, or from JSON text; nothing is validated.
    #[classmethod]
    fn model_validate(class: &Bound<'_, PyType>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        if value.is_instance(class)? {
            return Ok(value.clone().unbind());
        }
        let Ok(fields) = value.cast::<PyDict>() else {
            let name = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!("a dict is needed, not {name}")));
        };
        of_fields(Some(fields), shape_of_class(class)?)?.into_whole(class.py())
    }

    /// An object of this class from JSON text; nothing is validated.
    #[classmethod]
    fn model_validate_json(class: &Bound<'_, PyType>, text: String) -> PyResult<Py<PyAny>> {
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
        class.py().import("modelwire._pydantic")?.call_method1("json_schema", (class,))
    }

    /// What pydantic asks of a class that stands in one of its models.
    #[classmethod]
    fn __get_pydantic_core_schema__<'py>(
        class: &Bound<'py, PyType>,
        _source: &Bound<'py, PyAny>,
        _handler: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        class.py().import("modelwire._pydantic")?.call_method1("schema", (class,))
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        View::model_copy(slf, None, false)
    }

    fn __deepcopy__<'py>(
        slf: &Bound<'py, Self>,
        _memo: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        View::model_copy(slf, None, true)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, node) = (slf.py(), node(slf)?);
        let restore = py.import("modelwire._native")?.getattr("_restore")?;
        let document = document(slf)?;
        let parts = (node.shape.name, json(py, node)?, document.request_id());
        (restore, parts).into_pyobject(py)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let node = node(slf)?;
        Ok(repr(node.shape, &json(slf.py(), node)?))
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        equal(slf, other)
    }
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

    /// The entries of a model list, whichever of its two forms came.
    fn _items(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let whole = self.value();
        let list = if whole.kind() == Kind::Array { Some(whole) } else { whole.get("data") };
        let models = list.map(Value::items).unwrap_or_default().into_iter();
        let json = self.document.text().json;
        let document = || self.document.clone_ref(py);
        models.map(|model| attribute(py, &document, json, model, Child::Of(&MODEL))).collect()
    }

    /// Status and headers of the answer; None where it came from elsewhere.
    #[getter]
    fn _response<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Document::Response(received) = &self.document else { return Ok(None) };
        let response = facts::response(py, received.response.head(), &received.request)?;
        let took = (received.response.attempts(), received.response.elapsed().as_secs_f64());
        response.call_method1(intern!(py, "_took"), took)?;
        Ok(Some(response))
    }

    /// The service's name for the exchange.
    #[getter]
    fn _request_id(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.node().edit(py, "_request_id") {
            Some(assigned) => Ok(assigned),
            None => self.document.request_id().into_py_any(py),
        }
    }
}
