//! The class that answers, streams and clients report as `__class__`: their own, or openai-python's if the
//! program called `modelwire.register_openai_classes`. Python's `modelwire._openai.classes` finds them.

use pyo3::prelude::*;

use crate::kept::Kept;
use crate::run::Run;

/// Python functions that replace those of the object.
struct Substitute {
    /// Returns the class of an object.
    class_of: Py<PyAny>,
    /// Returns an attribute that pydantic looks up, by name.
    attribute: Py<PyAny>,
}

static SUBSTITUTE: Kept<Substitute> = Kept::new();

/// Makes objects report the class that the first function returns, with the attributes from the second one.
#[pyfunction]
pub(crate) fn use_openai_classes(class_of: Py<PyAny>, attribute: Py<PyAny>) {
    SUBSTITUTE.get_or_init(|| Substitute { class_of, attribute });
}

/// The class that an object reports.
#[pyfunction]
#[pyo3(name = "_class_of")]
pub(crate) fn class_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match SUBSTITUTE.get() {
        Some(substitute) => substitute.class_of.bind(object.py()).run((object,)),
        None => Ok(object.get_type().into_any()),
    }
}

/// An attribute that pydantic looks up in an object that reports one of openai-python's classes.
pub(crate) fn attribute<'py>(
    object: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !name.starts_with("__pydantic_") {
        return Ok(None);
    }
    let substitute = SUBSTITUTE.get();
    substitute.map(|one| one.attribute.bind(object.py()).run((object, name))).transpose()
}
