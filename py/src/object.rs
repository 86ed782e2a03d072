//! Python objects over the raw bytes of chunks and answers: attributes are read on demand, unknown
//! fields through the same access; what a program assigns is kept beside the bytes. Knows no call.

use std::borrow::Cow;
use std::sync::Arc;

use modelwire::{Chunk, Kind, Response, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyAttributeError, PyKeyError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PySet, PyString, PyTuple, PyType};

use crate::asked::Asked;
use crate::edits::Edits;
use crate::encode;
use crate::pose;
use crate::shape::{
    self, CHAT_COMPLETION, CHUNK, CHUNK_CHOICE, Child, DELTA, MODEL, MODEL_LIST, OBJECT, RESPONSE,
    RESPONSE_EVENT, Shape,
};
use crate::stream;

/// What keeps the text of an object alive, with the fields that were assigned.
enum Root {
    Chunk(Py<ChatCompletionChunk>),
    Event(Py<ResponseStreamEvent>),
    Response(Arc<Answered>),
    /// Made in this process: by a pickle, a copy or a test.
    Made(Arc<Made>),
}

struct Answered {
    answer: Response,
    asked: Arc<Asked>,
    edits: Edits,
}

struct Made {
    text: String,
    request_id: Option<String>,
    edits: Edits,
}

impl Root {
    fn clone_ref(&self, py: Python<'_>) -> Root {
        match self {
            Root::Chunk(chunk) => Root::Chunk(chunk.clone_ref(py)),
            Root::Event(event) => Root::Event(event.clone_ref(py)),
            Root::Response(answered) => Root::Response(answered.clone()),
            Root::Made(made) => Root::Made(made.clone()),
        }
    }

    fn text(&self) -> &str {
        match self {
            Root::Chunk(chunk) => chunk.get().chunk.json(),
            Root::Event(event) => event.get().chunk.json(),
            Root::Response(answered) => answered.answer.json(),
            Root::Made(made) => &made.text,
        }
    }

    fn edits(&self) -> &Edits {
        match self {
            Root::Chunk(chunk) => &chunk.get().edits,
            Root::Event(event) => &event.get().edits,
            Root::Response(answered) => &answered.edits,
            Root::Made(made) => &made.edits,
        }
    }

    fn request_id(&self) -> Option<&str> {
        match self {
            Root::Chunk(_) | Root::Event(_) => None,
            Root::Response(answered) => answered.answer.head().request_id(),
            Root::Made(made) => made.request_id.as_deref(),
        }
    }
}

/// The text that an object stands in, and what was assigned to the objects of that text.
#[derive(Clone, Copy)]
struct Whole<'a> {
    text: &'a str,
    edits: &'a Edits,
}

impl Whole<'_> {
    /// Where an object begins; one that the service did not send has a place of its own.
    fn place(self, object: Value<'_>) -> usize {
        let from = (object.text().as_ptr() as usize).checked_sub(self.text.as_ptr() as usize);
        from.filter(|place| *place < self.text.len()).unwrap_or(usize::MAX)
    }

    /// What was assigned to a field of an object.
    fn assigned(self, py: Python<'_>, object: Value<'_>, name: &str) -> Option<Py<PyAny>> {
        if !self.edits.are_some() {
            return None;
        }
        self.edits.get(py, self.place(object), name)
    }
}

/// An object inside an answer, or the whole of it: its fields are attributes, and items by name.
#[pyclass(frozen, subclass, module = "modelwire.types")]
pub(crate) struct Object {
    root: Root,
    start: usize,
    end: usize,
    shape: &'static Shape,
}

impl Object {
    /// The object that an answer is as a whole.
    pub(crate) fn of_answer(answer: Response, asked: Arc<Asked>) -> Object {
        let shape = shape_of_endpoint(answer.endpoint());
        let end = answer.json().len();
        let answered = Answered { answer, asked, edits: Edits::default() };
        Object { root: Root::Response(Arc::new(answered)), start: 0, end, shape }
    }

    /// An object of a text that is no answer of the service.
    fn of_text(
        text: String,
        request_id: Option<String>,
        shape: &'static Shape,
    ) -> PyResult<Object> {
        Value::parse(&text)
            .map_err(|cause| PyValueError::new_err(format!("this is not JSON: {cause}")))?;
        Ok(Object::of_json(text, request_id, shape))
    }

    /// An object of a text that is known to be JSON.
    fn of_json(text: String, request_id: Option<String>, shape: &'static Shape) -> Object {
        let end = text.len();
        let root = Root::Made(Arc::new(Made { text, request_id, edits: Edits::default() }));
        Object { root, start: 0, end, shape }
    }

    /// An answer that was gathered from chunks.
    pub(crate) fn gathered(text: String, endpoint: modelwire::Endpoint) -> Object {
        Object::of_json(text, None, shape_of_endpoint(endpoint))
    }

    /// An object of the fields that a program gives it.
    pub(crate) fn made_up(
        fields: Option<&Bound<'_, PyDict>>,
        shape: &'static Shape,
    ) -> PyResult<Object> {
        let mut text = String::from("{}");
        if let Some(fields) = fields {
            text.clear();
            encode::write(fields, &mut text)?;
        }
        Object::of_text(text, None, shape)
    }

    /// This object as Python sees it, of the class of its shape.
    pub(crate) fn into_typed(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        (self.shape.make)(py, self)
    }

    /// A field that the shape knows.
    pub(crate) fn known(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        attribute(py, &self.root, self.value(), self.shape, name)
    }

    /// A field that some services or helpers add; `None` where it is absent.
    pub(crate) fn added(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        match self.__contains__(py, name) {
            true => self.known(py, name),
            false => Ok(py.None()),
        }
    }

    fn text(&self) -> &str {
        self.root.text().get(self.start..self.end).unwrap_or("null")
    }

    pub(crate) fn value(&self) -> Value<'_> {
        Value::validated(self.text())
    }

    fn whole(&self) -> Whole<'_> {
        Whole { text: self.root.text(), edits: self.root.edits() }
    }
}

/// The shape of a whole answer.
fn shape_of_endpoint(endpoint: modelwire::Endpoint) -> &'static Shape {
    match endpoint {
        modelwire::Endpoint::Models => &MODEL_LIST,
        modelwire::Endpoint::Chat => &CHAT_COMPLETION,
        modelwire::Endpoint::Responses => &RESPONSE,
    }
}

const NULL: Value<'static> = Value::NULL;

/// What an attribute of an object is; a known field that is absent is `None`.
fn attribute(
    py: Python<'_>,
    root: &Root,
    object: Value<'_>,
    shape: &'static Shape,
    name: &str,
) -> PyResult<Py<PyAny>> {
    let edits = root.edits();
    if edits.are_some()
        && let Some(assigned) = (Whole { text: root.text(), edits }).assigned(py, object, name)
    {
        return Ok(assigned);
    }
    let field = shape.field(name);
    match object.get(name) {
        Some(value) => to_python(py, root, value, field.unwrap_or(Child::Any)),
        None if field.is_some() => Ok(py.None()),
        None => Err(PyAttributeError::new_err(format!("{} has no field {name:?}", shape.name))),
    }
}

/// The shape of this object in a field.
fn shape_of(value: Value<'_>, child: Child) -> &'static Shape {
    match child {
        Child::Any | Child::Plain => &OBJECT,
        Child::Of(shape) => shape,
        Child::ByType(shapes, other) => {
            let kind = value.get("type").and_then(Value::as_str);
            let found = shapes.iter().find(|(name, _)| kind.as_deref() == Some(*name));
            found.map_or(other, |(_, shape)| shape)
        }
    }
}

/// A value as Python sees it: objects stay views, everything else becomes Python's own.
fn to_python(py: Python<'_>, root: &Root, value: Value<'_>, child: Child) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object | Kind::Array if matches!(child, Child::Plain) => to_plain(py, value),
        Kind::Object => {
            let start = value.text().as_ptr() as usize - root.text().as_ptr() as usize;
            let end = start + value.text().len();
            let shape = shape_of(value, child);
            Object { root: root.clone_ref(py), start, end, shape }.into_typed(py)
        }
        Kind::Array => {
            let items = value.items().into_iter().map(|item| to_python(py, root, item, child));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

/// Which fields a dump has.
#[derive(Clone, Copy)]
struct Dump {
    /// Those that the service did not send are None.
    unset: bool,
    /// Those that are None.
    none: bool,
}

/// What the service sent, no more and no less.
const AS_SENT: Dump = Dump { unset: false, none: true };

/// A value with everything below it as Python's own dicts and lists.
fn to_plain(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
    dumped(py, value, Child::Any, AS_SENT, None)
}

/// The same with the fields that a dump has; those that were assigned, where some were.
fn dumped(
    py: Python<'_>,
    value: Value<'_>,
    child: Child,
    dump: Dump,
    whole: Option<Whole<'_>>,
) -> PyResult<Py<PyAny>> {
    match value.kind() {
        Kind::Object => {
            dumped_object(py, value, shape_of(value, child), dump, whole)?.into_py_any(py)
        }
        Kind::Array => {
            let items = value.items().into_iter();
            let items = items.map(|item| dumped(py, item, child, dump, whole));
            PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_py_any(py)
        }
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => scalar(py, value),
    }
}

fn dumped_object<'py>(
    py: Python<'py>,
    value: Value<'_>,
    shape: &Shape,
    dump: Dump,
    whole: Option<Whole<'_>>,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, member) in value.members() {
        if member.is_null() && !dump.none {
            continue;
        }
        let child = shape.field(&name).unwrap_or(Child::Any);
        dict.set_item(&*name, dumped(py, member, child, dump, whole)?)?;
    }
    for (name, assigned) in whole.map(|one| one.edits.of(py, one.place(value))).unwrap_or_default()
    {
        let assigned = assigned.into_bound(py);
        if assigned.is_none() && !dump.none {
            if dict.contains(&name)? {
                dict.del_item(&name)?;
            }
        } else if !name.starts_with('_') {
            dict.set_item(&name, dumped_assigned(&assigned, dump)?)?;
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
fn dumped_assigned<'py>(value: &Bound<'py, PyAny>, dump: Dump) -> PyResult<Bound<'py, PyAny>> {
    let py = value.py();
    if let Ok(list) = value.cast::<PyList>() {
        let items = list.iter().map(|item| dumped_assigned(&item, dump));
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
fn filter(
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

fn scalar(py: Python<'_>, value: Value<'_>) -> PyResult<Py<PyAny>> {
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
    py.get_type::<PyInt>().call1((value.text(),))?.into_py_any(py)
}

/// The JSON text of an object: as it came, or with what was assigned.
fn current<'a>(
    py: Python<'_>,
    value: Value<'a>,
    shape: &'static Shape,
    whole: Whole<'_>,
) -> PyResult<Cow<'a, str>> {
    if !whole.edits.are_some() {
        return Ok(Cow::Borrowed(value.text()));
    }
    let mut text = String::new();
    let plain = dumped(py, value, Child::Of(shape), AS_SENT, Some(whole))?;
    encode::write(plain.bind(py), &mut text)?;
    Ok(Cow::Owned(text))
}

/// The JSON text of one of our objects, to be put back into a request as it came.
pub(crate) fn raw_json(value: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    let py = value.py();
    let text = if let Ok(object) = value.cast::<Object>() {
        object.get().current(py)?
    } else if let Ok(chunk) = value.cast::<ChatCompletionChunk>() {
        chunk.get().current(py)?
    } else if let Ok(event) = value.cast::<ResponseStreamEvent>() {
        event.get().current(py)?
    } else if let Ok(choice) = value.cast::<ChunkChoice>() {
        choice.get().current(py)?
    } else if let Ok(delta) = value.cast::<ChunkDelta>() {
        delta.get().current(py)?
    } else {
        return Ok(None);
    };
    Ok(Some(text.into_owned()))
}

/// `json.loads(text)`-like equality: same text, or same plain value.
fn same(py: Python<'_>, mine: &str, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(theirs) = raw_json(other)? else { return Ok(false) };
    if mine == theirs {
        return Ok(true);
    }
    let theirs = Value::parse(&theirs).unwrap_or(NULL);
    to_plain(py, Value::validated(mine))?.bind(py).eq(to_plain(py, theirs)?)
}

/// `json.dumps` of a plain value, for an indented or re-encoded text.
fn dumps(py: Python<'_>, plain: Py<PyAny>, indent: Option<usize>) -> PyResult<String> {
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

/// Longest text that a repr shows of a whole object, in characters.
const REPR_CHARS_MAX: usize = 400;

fn repr(shape: &Shape, text: &str) -> String {
    match text.char_indices().nth(REPR_CHARS_MAX) {
        Some((end, _)) => format!("{}({}...)", shape.name, text.get(..end).unwrap_or_default()),
        None => format!("{}({text})", shape.name),
    }
}

/// The methods that every object has, and nothing else than these. Their names are pydantic's,
/// for programs that know answers as pydantic models.
macro_rules! object_methods {
    ($class:ident { $($hot:tt)* }) => {
        #[pymethods]
        impl $class {
            $($hot)*

            fn __getattr__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
                match pose::attribute(slf.as_any(), name)? {
                    Some(found) => Ok(found.unbind()),
                    None => $class::field(slf, name),
                }
            }

            /// The class of this object, or the one that it is to say it is of.
            #[getter(__class__)]
            fn class_of<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                pose::class_of(slf.as_any())
            }

            /// Assigns to a field, known or not; copies that were made before do not see it.
            fn __setattr__(&self, name: &str, value: Py<PyAny>) -> PyResult<()> {
                if name.starts_with("__") {
                    let message = format!("{name} of an answer cannot be assigned");
                    return Err(PyAttributeError::new_err(message));
                }
                let whole = self.whole();
                whole.edits.set(whole.place(self.value()), name, value);
                Ok(())
            }

            fn __getitem__(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
                if slf.get().__contains__(slf.py(), name) {
                    return $class::field(slf, name);
                }
                Err(PyKeyError::new_err(name.to_owned()))
            }

            fn __contains__(&self, py: Python<'_>, name: &str) -> bool {
                let value = self.value();
                value.get(name).is_some() || self.whole().assigned(py, value, name).is_some()
            }

            fn __dir__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
                let names = slf.py().import("builtins")?.getattr("dir")?.call1((slf.get_type(),))?;
                for name in slf.get().names(slf.py()) {
                    names.call_method1("append", (name,))?;
                }
                Ok(names)
            }

            /// All fields with their values as attributes have them: for `vars`.
            #[getter(__dict__)]
            fn fields<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(slf.py());
                let known = slf.get().shape().fields.iter().map(|(name, _)| (*name).to_owned());
                for name in known.chain(slf.get().names(slf.py())) {
                    dict.set_item(&name, $class::field(slf, &name)?)?;
                }
                Ok(dict)
            }

            /// All fields that the service sent as dicts and lists, unknown ones included.
            #[pyo3(signature = (*, mode="python", use_api_names=true, exclude_unset=true,
                                exclude_defaults=false, exclude_none=false, warnings=true))]
            #[expect(
                unused_variables,
                clippy::too_many_arguments,
                reason = "named as openai-python names them"
            )]
            fn to_dict(
                &self,
                py: Python<'_>,
                mode: &str,
                use_api_names: bool,
                exclude_unset: bool,
                exclude_defaults: bool,
                exclude_none: bool,
                warnings: bool,
            ) -> PyResult<Py<PyAny>> {
                let dump = Dump { unset: !exclude_unset, none: !exclude_none };
                self.plain(py, dump)
            }

            /// All fields as dicts and lists, unknown ones included; known ones that the service
            /// did not send are None, unless exclude_unset says otherwise. include and exclude
            /// are pydantic's: names, and for parts of fields dicts of them.
            #[pyo3(signature = (*, mode="python", include=None, exclude=None, by_alias=None,
                                exclude_unset=false, exclude_defaults=false, exclude_none=false,
                                **_others))]
            #[expect(
                unused_variables,
                clippy::too_many_arguments,
                reason = "named as pydantic names them"
            )]
            fn model_dump(
                &self,
                py: Python<'_>,
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
                let plain = self.plain(py, dump)?;
                filter(py, plain, include, exclude)
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

            /// The JSON text, indented as openai-python indents it. `indent=None` gives the text as
            /// the service sent it, to the byte, and is the cheap way.
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
                &self,
                py: Python<'_>,
                mode: &str,
                use_api_names: bool,
                exclude_unset: bool,
                exclude_defaults: bool,
                exclude_none: bool,
                indent: Option<usize>,
                warnings: bool,
            ) -> PyResult<String> {
                if indent.is_none() && exclude_unset && !exclude_none {
                    return self.current(py).map(Cow::into_owned);
                }
                let dump = Dump { unset: !exclude_unset, none: !exclude_none };
                dumps(py, self.plain(py, dump)?, indent)
            }

            /// The fields that the service sent and nobody here knows, as dicts and lists.
            #[getter]
            fn model_extra<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                let text = self.current(py)?;
                for (name, value) in Value::validated(&text).members() {
                    if self.shape().field(&name).is_none() {
                        dict.set_item(&*name, to_plain(py, value)?)?;
                    }
                }
                Ok(dict)
            }

            /// The names of the fields that the service sent.
            #[getter]
            fn model_fields_set<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PySet>> {
                PySet::new(py, self.names(py).iter().filter(|name| !name.starts_with('_')))
            }

            /// A copy, with some fields replaced.
            #[pyo3(signature = (*, update=None, deep=false))]
            #[expect(unused_variables, reason = "named as pydantic names them")]
            fn model_copy<'py>(
                slf: &Bound<'py, Self>,
                update: Option<&Bound<'py, PyDict>>,
                deep: bool,
            ) -> PyResult<Bound<'py, PyAny>> {
                let (this, py) = (slf.get(), slf.py());
                let text = this.current(py)?.into_owned();
                let request_id = $class::root(slf).request_id().map(str::to_owned);
                let copy = restored(py, Object::of_text(text, request_id, this.shape())?)?;
                for (name, value) in update.into_iter().flatten() {
                    copy.setattr(name.cast::<PyString>()?, value)?;
                }
                Ok(copy)
            }

            /// An object of this class from a dict, or from JSON text; nothing is validated.
            #[classmethod]
            fn model_validate<'py>(
                class: &Bound<'py, PyType>,
                value: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                if value.is_instance(class)? {
                    return Ok(value.clone());
                }
                let Ok(fields) = value.cast::<PyDict>() else {
                    let name = value.get_type().name()?;
                    let message = format!("a dict is needed, not {name}");
                    return Err(PyTypeError::new_err(message));
                };
                let made = Object::made_up(Some(fields), shape_of_class(class)?)?;
                restored(class.py(), made)
            }

            /// An object of this class from JSON text; nothing is validated.
            #[classmethod]
            fn model_validate_json<'py>(
                class: &Bound<'py, PyType>,
                text: String,
            ) -> PyResult<Bound<'py, PyAny>> {
                let made = Object::of_text(text, None, shape_of_class(class)?)?;
                restored(class.py(), made)
            }

            /// An object of this class with these fields; nothing is validated.
            #[classmethod]
            #[pyo3(signature = (**fields))]
            fn construct<'py>(
                class: &Bound<'py, PyType>,
                fields: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                let made = Object::made_up(fields, shape_of_class(class)?)?;
                restored(class.py(), made)
            }

            /// The same as `construct`, under pydantic's newer name.
            #[classmethod]
            #[pyo3(signature = (_fields_set=None, **fields))]
            fn model_construct<'py>(
                class: &Bound<'py, PyType>,
                _fields_set: Option<&Bound<'py, PyAny>>,
                fields: Option<&Bound<'py, PyDict>>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $class::construct(class, fields)
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
                $class::model_copy(slf, None, false)
            }

            fn __deepcopy__<'py>(
                slf: &Bound<'py, Self>,
                _memo: &Bound<'py, PyAny>,
            ) -> PyResult<Bound<'py, PyAny>> {
                $class::model_copy(slf, None, true)
            }

            fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
                let (this, py) = (slf.get(), slf.py());
                let restore = py.import("modelwire._native")?.getattr("_restore")?;
                let root = $class::root(slf);
                let parts = (this.shape().name, this.current(py)?, root.request_id());
                (restore, parts).into_pyobject(py)
            }

            fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
                Ok(repr(self.shape(), &self.current(py)?))
            }

            fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
                same(py, &self.current(py)?, other)
            }
        }

        impl $class {
            /// A field by its name.
            fn field(slf: &Bound<'_, Self>, name: &str) -> PyResult<Py<PyAny>> {
                let this = slf.get();
                attribute(slf.py(), &$class::root(slf), this.value(), this.shape(), name)
            }

            fn plain(&self, py: Python<'_>, dump: Dump) -> PyResult<Py<PyAny>> {
                let whole = Some(self.whole()).filter(|whole| whole.edits.are_some());
                dumped(py, self.value(), Child::Of(self.shape()), dump, whole)
            }

            pub(crate) fn current(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
                current(py, self.value(), self.shape(), self.whole())
            }

            /// The names of the fields that were sent or assigned.
            fn names(&self, py: Python<'_>) -> Vec<String> {
                let (value, whole) = (self.value(), self.whole());
                let mut names: Vec<String> =
                    value.members().into_iter().map(|(name, _)| name.into_owned()).collect();
                for (name, _) in whole.edits.of(py, whole.place(value)) {
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
                names
            }
        }
    };
}

// Behind the macro, which it uses.
mod chunk;

pub(crate) use chunk::{ChatCompletionChunk, ChunkChoice, ChunkDelta, ResponseStreamEvent};

/// The shape that a class stands for: its own, or that of the class it is a special case of.
fn shape_of_class(class: &Bound<'_, PyType>) -> PyResult<&'static Shape> {
    for class in class.mro() {
        let shape = shape::by_name(&class.cast::<PyType>()?.name()?.to_string());
        if !std::ptr::eq(shape, &OBJECT) {
            return Ok(shape);
        }
    }
    Ok(&OBJECT)
}

/// An object that was made in this process, of the class of its shape.
fn restored(py: Python<'_>, made: Object) -> PyResult<Bound<'_, PyAny>> {
    let shape = made.shape;
    if std::ptr::eq(shape, &CHUNK) {
        return ChatCompletionChunk::of(py, &made)?.into_bound_py_any(py);
    }
    if std::ptr::eq(shape, &RESPONSE_EVENT) {
        return ResponseStreamEvent::of(py, &made)?.into_bound_py_any(py);
    }
    if std::ptr::eq(shape, &CHUNK_CHOICE) {
        return ChunkChoice::of(py, &made)?.into_bound_py_any(py);
    }
    if std::ptr::eq(shape, &DELTA) {
        return ChunkDelta::of(py, &made)?.into_bound_py_any(py);
    }
    Ok(made.into_typed(py)?.into_bound(py))
}

/// What a pickle is made of again.
#[pyfunction(name = "_restore")]
pub(crate) fn restore(
    py: Python<'_>,
    name: &str,
    text: String,
    request_id: Option<String>,
) -> PyResult<Py<PyAny>> {
    restored(py, Object::of_text(text, request_id, shape::by_name(name))?).map(Bound::unbind)
}

impl Object {
    fn root(slf: &Bound<'_, Self>) -> Root {
        slf.get().root.clone_ref(slf.py())
    }

    fn shape(&self) -> &'static Shape {
        self.shape
    }
}

object_methods!(Object {
    /// An object of these fields, for the tests of programs mostly.
    #[new]
    #[pyo3(signature = (**fields))]
    fn new(fields: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Object::made_up(fields, &OBJECT)
    }

    /// The names of the fields that are always there.
    #[classattr]
    fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        shape::field_names(py, &OBJECT)
    }

    /// The entries of a model list, whichever of its two forms came.
    fn _items(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let whole = self.value();
        let list = if whole.kind() == Kind::Array { Some(whole) } else { whole.get("data") };
        let models = list.map(Value::items).unwrap_or_default();
        models.into_iter().map(|model| to_python(py, &self.root, model, Child::Of(&MODEL))).collect()
    }

    /// Status and headers of the answer; None where it came from elsewhere.
    #[getter]
    fn _response<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Root::Response(answered) = &self.root else { return Ok(None) };
        let response = stream::response(py, answered.answer.head(), &answered.asked)?;
        let took = (answered.answer.attempts(), answered.answer.elapsed().as_secs_f64());
        response.call_method1(intern!(py, "_took"), took)?;
        Ok(Some(response))
    }

    /// The service's name for the exchange.
    #[getter]
    fn _request_id(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.whole().assigned(py, self.value(), "_request_id") {
            Some(assigned) => Ok(assigned),
            None => self.root.request_id().into_py_any(py),
        }
    }
});

/// Usage as the answers of a client report it, for the sums of the client.
pub(crate) fn usage_dict(py: Python<'_>, usage: modelwire::Usage) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("input_tokens", usage.input_tokens)?;
    dict.set_item("output_tokens", usage.output_tokens)?;
    dict.set_item("total_tokens", usage.total_tokens)?;
    Ok(dict)
}
