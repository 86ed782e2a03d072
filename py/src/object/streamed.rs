//! The two fields on the path to every piece of text: the choices of a chunk, and the delta of a choice.
//! Created once, and accessed by position.

use pyo3::prelude::*;
use pyo3::types::PyList;

use crate::object::document::{ChatCompletionChunk, View, new};
use crate::object::node::{ChoiceDelta, ChunkChoice};
use crate::slots::Found;

/// The choices of a chunk; a usage chunk has none.
pub(crate) fn choices(slf: &Bound<'_, ChatCompletionChunk>) -> PyResult<Py<PyAny>> {
    let (py, this, slots) = (slf.py(), slf.get(), &slf.as_super().get().slots);
    match slots.find(py, "choices") {
        Some(Found::Value(assigned)) => return Ok(assigned),
        Some(Found::Deleted) => return Ok(py.None()),
        None => {}
    }
    if let Some(made) = slots.main() {
        return Ok(made.clone_ref(py));
    }
    let choice = |position| new(py, ChunkChoice { chunk: this.chunk.clone(), position });
    let list = match this.chunk.choices().count() {
        // Nearly every chunk; avoids a vector.
        1 => PyList::new(py, [choice(0)?]),
        count => PyList::new(py, (0..count).map(choice).collect::<PyResult<Vec<_>>>()?),
    };
    Ok(slots.give_main(py, list?.into_any().unbind()))
}

/// What a chunk adds to a choice.
pub(crate) fn delta(slf: &Bound<'_, ChunkChoice>) -> PyResult<Py<PyAny>> {
    let (py, this, slots) = (slf.py(), slf.get(), &slf.as_super().get().slots);
    match slots.find(py, "delta") {
        Some(Found::Value(assigned)) => return Ok(assigned),
        Some(Found::Deleted) => return Ok(py.None()),
        None => {}
    }
    if let Some(made) = slots.main() {
        return Ok(made.clone_ref(py));
    }
    let delta = ChoiceDelta { chunk: this.chunk.clone(), position: this.position };
    Ok(slots.give_main(py, new(py, delta)?.into_any()))
}

/// The main field that was handed out, if this is its name.
pub(crate) fn main<'a>(view: &'a Bound<'_, View>, name: &str) -> Option<&'a Py<PyAny>> {
    let is_main = match name {
        "choices" => view.is_instance_of::<ChatCompletionChunk>(),
        "delta" => view.is_instance_of::<ChunkChoice>(),
        _ => false,
    };
    is_main.then(|| view.get().slots.main()).flatten()
}

/// Whether the list, or what replaces it, has only the choices as received.
pub(crate) fn is_main_as_sent(
    view: &Bound<'_, View>,
    main: &Bound<'_, PyAny>,
    is_as_sent: impl Fn(&Bound<'_, View>) -> PyResult<bool>,
) -> PyResult<bool> {
    let Ok(list) = main.cast::<PyList>() else { return is_as_sent(main.cast()?) };
    let Ok(chunk) = view.cast::<ChatCompletionChunk>() else { return Ok(false) };
    let chunk = &chunk.get().chunk;
    if list.len() != chunk.choices().count() {
        return Ok(false);
    }
    for (position, item) in list.iter().enumerate() {
        let Ok(choice) = item.cast::<ChunkChoice>() else { return Ok(false) };
        let of_this = choice.get().position == position
            && std::ptr::eq(choice.get().chunk.json(), chunk.json());
        if !of_this || !is_as_sent(choice.as_super())? {
            return Ok(false);
        }
    }
    Ok(true)
}
