//! What a program assigned to fields of an answer, kept beside the text that came, which never
//! changes. All objects of one text share it, so that a field that was assigned by way of one is
//! seen by way of all. Knows no JSON.

use std::sync::{Mutex, MutexGuard, OnceLock};

use pyo3::prelude::*;

use crate::lock::lock;

/// The fields that were assigned. Costs a load where there are none.
#[derive(Default)]
pub(crate) struct Edits(OnceLock<Box<Mutex<Vec<Edit>>>>);

struct Edit {
    /// Where in the text the object begins whose field it is.
    place: usize,
    name: String,
    value: Py<PyAny>,
}

impl Edits {
    /// Whether there are any.
    #[inline]
    pub(crate) fn are_some(&self) -> bool {
        self.0.get().is_some()
    }

    /// No Python runs while it is held.
    fn list(&self) -> Option<MutexGuard<'_, Vec<Edit>>> {
        Some(lock(self.0.get()?))
    }

    /// What was assigned to a field of the object at this place.
    pub(crate) fn get(&self, py: Python<'_>, place: usize, name: &str) -> Option<Py<PyAny>> {
        let list = self.list()?;
        let mut found = list.iter().filter(|edit| edit.place == place && edit.name == name);
        found.next().map(|edit| edit.value.clone_ref(py))
    }

    /// Assigns to a field of the object at this place.
    pub(crate) fn set(&self, place: usize, name: &str, value: Py<PyAny>) {
        let mut list = lock(self.0.get_or_init(Box::default));
        let before = list.iter_mut().find(|edit| edit.place == place && edit.name == name);
        let before = match before {
            Some(edit) => Some(std::mem::replace(&mut edit.value, value)),
            None => {
                list.push(Edit { place, name: name.to_owned(), value });
                None
            }
        };
        drop(list);
        drop(before); // its own code may run
    }

    /// All fields that were assigned of the object at this place, in their order.
    pub(crate) fn of(&self, py: Python<'_>, place: usize) -> Vec<(String, Py<PyAny>)> {
        let Some(list) = self.list() else { return Vec::new() };
        let of_this = list.iter().filter(|edit| edit.place == place);
        of_this.map(|edit| (edit.name.clone(), edit.value.clone_ref(py))).collect()
    }
}
