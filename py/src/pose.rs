//! What answers, streams and clients say their class is, where a program wants them to say that it
//! is another one. Knows no class.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

struct Pose {
    /// Gives the class of an object.
    class_of: Py<PyAny>,
    /// Gives what pydantic looks for in an object, by its name.
    attribute: Py<PyAny>,
}

static POSE: PyOnceLock<Pose> = PyOnceLock::new();

/// From now on objects say that they are of the class that the first function gives, and have what
/// the second one gives.
#[pyfunction]
pub(crate) fn pose(py: Python<'_>, class_of: Py<PyAny>, attribute: Py<PyAny>) {
    let _ = POSE.set(py, Pose { class_of, attribute });
}

/// The class that an object says it is of.
#[pyfunction]
#[pyo3(name = "_class_of")]
pub(crate) fn class_of<'py>(thing: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    match POSE.get(thing.py()) {
        Some(pose) => pose.class_of.bind(thing.py()).call1((thing,)),
        None => Ok(thing.get_type().into_any()),
    }
}

/// What pydantic looks for in an object, where it poses.
pub(crate) fn attribute<'py>(
    thing: &Bound<'py, PyAny>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !name.starts_with("__pydantic_") {
        return Ok(None);
    }
    let pose = POSE.get(thing.py());
    pose.map(|pose| pose.attribute.bind(thing.py()).call1((thing, name))).transpose()
}
