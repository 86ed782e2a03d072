//! Describes an object in a document: its position in the text, and its shape, which has its name and its
//! fields.

use std::sync::OnceLock;

use modelwire::Value;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::object::document::{Document, View};

/// The name of an object, and its known fields. A known field that the service did not send reads as
/// `None`; other fields are accessible all the same.
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    /// The values of `type` for objects of this shape; empty if `type` does not identify it.
    types: &'static [&'static str],
    pub(crate) fields: &'static [(&'static str, Child)],
    class: OnceLock<Class>,
}

/// Creates a Python object from a part of a document.
pub(crate) type Make = fn(Python<'_>, Object) -> PyResult<Py<PyAny>>;

/// How to create the class of a shape.
struct Class {
    /// From a part of a larger document.
    part: Make,
    /// From a whole document that was created in this process.
    whole: Make,
}

/// The kind of objects in a field, or in the list of a field.
#[derive(Clone, Copy)]
pub(crate) enum Child {
    /// Unknown.
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

/// The shape of an unknown object.
pub(crate) static OBJECT: Shape = Shape::new("Object", &[], &[]);

/// Defines a table of shapes, each as `CONSTANT "Name" as "type" { fields }`. A field describes the objects
/// in it: `field` unknown, `field: SHAPE`, `field: [SHAPES]` by their `type`, `field: (LIST, OTHER)` by their
/// `type` from a list of shapes or else OTHER, `field: {}` data of the caller.
macro_rules! shapes {
    ($($shape:ident $name:literal $(as $($type:literal)|+)? {
        $($field:ident $(: $child:tt)?),* $(,)?
    })*) => {
        $(pub(crate) static $shape: Shape = Shape::new(
            $name,
            &[$($($type),+)?],
            &[$((stringify!($field), $crate::object::shape::child!($($child)?))),*],
        );)*

        /// The shape of the class with this name.
        pub(crate) fn by_name(name: &str) -> Option<&'static Shape> {
            [$(&$shape),*].into_iter().find(|shape| shape.name == name)
        }
    };
}
pub(crate) use shapes;

/// The kind of objects in a field, from the table of shapes.
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

    /// The kind of objects in a field, if the field is known.
    pub(crate) fn field(&self, name: &str) -> Option<Child> {
        let found = self.fields.iter().find(|(field, _)| *field == name);
        found.map(|(_, child)| *child)
    }

    /// pydantic's `model_fields`, but only the names.
    pub(crate) fn model_fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let names = PyDict::new(py);
        for (name, _) in self.fields {
            names.set_item(name, py.None())?;
        }
        Ok(names)
    }

    /// Sets the Python class of this shape; until then it is `Object`.
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

    /// This object as a Python object of its shape's class.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.shape.class.get() {
            Some(class) => (class.part)(py, self),
            None => self.into_plain(py),
        }
    }

    /// Like [`Object::into_python`], for a whole document that was created in this process.
    pub(crate) fn into_whole(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self.shape.class.get() {
            Some(class) => (class.whole)(py, self),
            None => self.into_plain(py),
        }
    }

    /// This object as a Python object of the class `Object`.
    pub(crate) fn into_plain(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Py::new(py, self.initializer()).map(Py::into_any)
    }

    pub(crate) fn initializer(self) -> PyClassInitializer<Object> {
        PyClassInitializer::from(View::default()).add_subclass(self)
    }
}
