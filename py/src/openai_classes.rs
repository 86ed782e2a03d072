//! The class that answers, streams and clients say they are of: their own, or openai-python's where
//! the program asked for that (`modelwire.register_openai_classes`). Python's
//! `modelwire._openai.classes` finds them.

use pyo3::prelude::*;

use crate::kept::Kept;
use crate::run::Run;

/// Python functions that are asked instead of the object itself.
struct Substitute {
    /// Gives the class of an object.
    class_of: Py<PyAny>,
    /// Gives what pydantic looks for in an object, by its name.
    attribute: Py<PyAny>,
}

static SUBSTITUTE: Kept<Substitute> = Kept::new();

/// From now on objects say that they are of the class that the first function gives, and have what
/// the second one gives.
#[pyfunction]
pub(crate) fn use_openai_classes(class_of: Py<PyAny>, attribute: Py<PyAny>) {
    SUBSTITUTE.get_or_init(|| Substitute { class_of, attribute });
}

/// The class that an object says it is of.
#[pyfunction]
#[pyo3(name = "_class_of")]
pub(crate) fn class_of<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match SUBSTITUTE.get() {
        Some(substitute) => substitute.class_of.bind(object.py()).run((object,)),
        None => Ok(object.get_type().into_any()),
    }
}

/// What pydantic looks for in an object that says it is of one of openai-python's classes.
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
