//! What an object in a document is: where in the text it stands, and its shape, which says what it
//! is called and which fields are always there.

use std::sync::OnceLock;

use modelwire::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::object::document::{Document, View};

/// What an object is called, and the fields that are always there. One that the service did not
/// send reads as `None`; one that is not among them is reachable all the same.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// The values of `type` that objects of this shape have; none where `type` does not tell.
    types: &'static [&'static str],
    pub(crate) fields: &'static [(&'static str, Child)],
    class: OnceLock<Class>,
}

/// Makes a Python object of a part of a document.
pub(crate) type Make = fn(Python<'_>, Object) -> PyResult<Py<PyAny>>;

/// How the class of a shape is made.
struct Class {
    /// Of a part of a larger document.
    part: Make,
    /// Of a whole document that was made in this process.
    whole: Make,
}

/// What the objects in a field, or in the list of a field, are.
#[derive(Clone, Copy)]
pub(crate) enum Child {
    /// Nobody here knows.
    Any,
    /// Data of the caller, which stays dicts and lists.
    Plain,
    /// Of this shape.
    Of(&'static Shape),
    /// Of the shape that the object's own `type` names, or else of the last one.
    ByType(&'static [&'static Shape], &'static Shape),
}

impl Child {
    /// The shape of this object.
    pub(crate) fn shape_of(self, object: Value<'_>) -> &'static Shape {
        match self {
            Child::Any | Child::Plain => &OBJECT,
            Child::Of(shape) => shape,
            Child::ByType(shapes, other) => {
                let kind = object.get("type").and_then(Value::as_str);
                let kind = kind.as_deref().unwrap_or_default();
                let found = shapes.iter().find(|shape| shape.types.contains(&kind));
                found.copied().unwrap_or(other)
            }
        }
    }
}

/// The shape of an object that nobody here knows.
pub(crate) static OBJECT: Shape = Shape::new("Object", &[], &[]);

/// Makes a table of shapes, each as `CONSTANT "Name" as "type" { fields }`. A field says what the
/// objects in it are: `field` nobody knows, `field: SHAPE`, `field: [SHAPES]` by their `type`,
/// `field: (LIST, OTHER)` of a list or else of another one, `field: {}` data of the caller.
macro_rules! shapes {
    ($($shape:ident $name:literal $(as $($type:literal)|+)? {
        $($field:ident $(: $child:tt)?),* $(,)?
    })*) => {
        $(pub(crate) static $shape: Shape = Shape::new(
            $name,
            &[$($($type),+)?],
            &[$((stringify!($field), $crate::object::shape::child!($($child)?))),*],
        );)*

        /// The shape of the class of this name.
        pub(crate) fn by_name(name: &str) -> Option<&'static Shape> {
            [$(&$shape),*].into_iter().find(|shape| shape.name == name)
        }
    };
}
pub(crate) use shapes;

/// What the objects in a field are, as the table of shapes has it.
macro_rules! child {
    () => { $crate::object::shape::Child::Any };
    ({}) => { $crate::object::shape::Child::Plain };
    ($shape:ident) => { $crate::object::shape::Child::Of(&$shape) };
    ([$($shape:ident),+]) => {
        $crate::object::shape::Child::ByType(&[$(&$shape),+], &$crate::object::shape::OBJECT)
    };
    (($list:ident, $other:ident)) => { $crate::object::shape::Child::ByType($list, &$other) };
}
pub(crate) use child;

impl Shape {
    pub(crate) const fn new(
        name: &'static str,
        types: &'static [&'static str],
        fields: &'static [(&'static str, Child)],
    ) -> Shape {
        Shape { name, types, fields, class: OnceLock::new() }
    }

    /// What stands in a field, where the field is known.
    pub(crate) fn field(&self, name: &str) -> Option<Child> {
        let found = self.fields.iter().find(|(field, _)| *field == name);
        found.map(|(_, child)| *child)
    }

    /// pydantic's `model_fields`, as far as programs look at its names.
    pub(crate) fn model_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (name, _) in self.fields {
            names.set_item(name, py.None())?;
        }
        Ok(names)
    }

    /// Tells which Python class this shape has; until then it is `Object`.
    pub(crate) fn has_class(&self, part: Make, whole: Make) {
        let _ = self.class.set(Class { part, whole });
    }
}

/// An object inside an answer, or the whole of it: its fields are attributes, and items by name.
#[pyclass(frozen, subclass, extends = View, module = "modelwire.types")]
pub(crate) struct Object {
    pub(crate) document: Document,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) shape: &'static Shape,
}

impl Object {
    pub(crate) fn json(&self) -> &str {
        self.document.json().get(self.start..self.end).unwrap_or("null")
    }

    pub(crate) fn value(&self) -> Value<'_> {
        Value::validated(self.json())
    }

    /// This object as Python sees it, of the class of its shape.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.shape.class.get() {
            Some(class) => (class.part)(py, self),
            None => self.into_plain(py),
        }
    }

    /// The same for a whole document that was made in this process.
    pub(crate) fn into_whole(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.shape.class.get() {
            Some(class) => (class.whole)(py, self),
            None => self.into_plain(py),
        }
    }

    /// This object as one of the class `Object`.
    pub(crate) fn into_plain(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Py::new(py, self.initializer()).map(Py::into_any)
    }

    pub(crate) fn initializer(self) -> PyClassInitializer<Object> {
        PyClassInitializer::from(View::default()).add_subclass(self)
    }
}
