//! The state of an object besides its received text, which never changes: lists and objects that it handed
//! out, which are created once so that a program's changes to them persist, and fields that were assigned
//! or deleted.

use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, OnceLock};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use crate::lock::lock;

/// The stored fields of an object. Costs one load if there are none.
#[derive(Default)]
pub(crate) struct Slots {
    /// The one field that nearly every program reads, if the class has one: stored without a list.
    main: OnceLock<Py<PyAny>>,
    others: OnceLock<Box<Mutex<Vec<Slot>>>>,
}

struct Slot {
    name: String,
    held: Held,
}

/// What is stored of a field.
pub(crate) enum Held {
    /// Assigned by a program.
    Assigned(Py<PyAny>),
    /// Deleted by a program: reads as if it had not been sent.
    Deleted,
    /// A list or an object that was handed out; for a list, with its original items.
    Given(Py<PyAny>, Vec<Py<PyAny>>),
}

/// The current value of a field.
pub(crate) enum Found {
    Value(Py<PyAny>),
    Deleted,
}

impl Held {
    fn clone_ref(&self, py: Python<'_>) -> Held {
        match self {
            Held::Assigned(value) => Held::Assigned(value.clone_ref(py)),
            Held::Deleted => Held::Deleted,
            Held::Given(value, items) => {
                let items = items.iter().map(|item| item.clone_ref(py));
                Held::Given(value.clone_ref(py), items.collect())
            }
        }
    }
}

impl Slots {
    /// Whether any are stored besides the main one.
    #[inline]
    pub(crate) fn are_some(&self) -> bool {
        self.others.get().is_some()
    }

    /// No Python code runs while it is locked.
    fn list(&self) -> Option<MutexGuard<'_, Vec<Slot>>> {
        Some(lock(self.others.get()?))
    }

    /// What is stored of a field that is not the main one, or was assigned.
    #[inline]
    pub(crate) fn find(&self, py: Python<'_>, name: &str) -> Option<Found> {
        if !self.are_some() {
            return None;
        }
        let list = self.list()?;
        let found = list.iter().find(|slot| slot.name == name)?;
        Some(match &found.held {
            Held::Assigned(value) | Held::Given(value, _) => Found::Value(value.clone_ref(py)),
            Held::Deleted => Found::Deleted,
        })
    }

    /// Like [`Slots::find`], for what a program did, without what was handed out.
    pub(crate) fn assigned(&self, py: Python<'_>, name: &str) -> Option<Found> {
        if !self.are_some() {
            return None;
        }
        let list = self.list()?;
        let found = list.iter().find(|slot| slot.name == name)?;
        match &found.held {
            Held::Assigned(value) => Some(Found::Value(value.clone_ref(py))),
            Held::Deleted => Some(Found::Deleted),
            Held::Given(..) => None,
        }
    }

    /// Assigns to a field, or deletes it.
    pub(crate) fn set(&self, name: &str, value: Option<Py<PyAny>>) {
        let held = value.map_or(Held::Deleted, Held::Assigned);
        let mut list = lock(self.others.get_or_init(Box::default));
        let before = list.iter_mut().find(|slot| slot.name == name);
        let before = match before {
            Some(slot) => Some(std::mem::replace(&mut slot.held, held)),
            None => {
                list.push(Slot { name: name.to_owned(), held });
                None
            }
        };
        drop(list);
        drop(before); // may run the program's code
    }

    /// Stores what a field hands out. If another thread was first, returns its value instead.
    pub(crate) fn give(
        &self,
        py: Python<'_>,
        name: &str,
        value: Py<PyAny>,
        items: Vec<Py<PyAny>>,
    ) -> Py<PyAny> {
        let kept = value.clone_ref(py);
        let mut list = lock(self.others.get_or_init(Box::default));
        let known = list.iter().find(|slot| slot.name == name);
        let (given, rest) = match known.map(|slot| &slot.held) {
            Some(Held::Assigned(known) | Held::Given(known, _)) => {
                (known.clone_ref(py), Some((kept, items)))
            }
            Some(Held::Deleted) => (value.clone_ref(py), Some((kept, items))),
            None => {
                list.push(Slot { name: name.to_owned(), held: Held::Given(kept, items) });
                (value.clone_ref(py), None)
            }
        };
        drop(list);
        drop((value, rest)); // may run the program's code
        given
    }

    /// All fields stored besides the main one, in order.
    pub(crate) fn all(&self, py: Python<'_>) -> Vec<(String, Held)> {
        let Some(list) = self.list() else { return Vec::new() };
        list.iter().map(|slot| (slot.name.clone(), slot.held.clone_ref(py))).collect()
    }

    /// The main field, if it was handed out.
    #[inline]
    pub(crate) fn main(&self) -> Option<&Py<PyAny>> {
        self.main.get()
    }

    /// Stores what the main field hands out, and returns it.
    #[inline]
    pub(crate) fn give_main(&self, py: Python<'_>, value: Py<PyAny>) -> Py<PyAny> {
        // Another thread may have been first.
        let _ = self.main.set(value);
        self.main.get().map_or_else(|| py.None(), |value| value.clone_ref(py))
    }

    /// For the garbage collector: an assigned value may refer back to this object. If the list happens to
    /// be locked, all of it is kept.
    pub(crate) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(main) = self.main.get() {
            visit.call(main)?;
        }
        let Some(Ok(list)) = self.others.get().map(|list| list.try_lock()) else { return Ok(()) };
        for slot in list.iter() {
            match &slot.held {
                Held::Assigned(value) => visit.call(value)?,
                Held::Deleted => {}
                Held::Given(value, items) => {
                    visit.call(value)?;
                    items.iter().try_for_each(|item| visit.call(item))?;
                }
            }
        }
        Ok(())
    }

    /// Takes all values.
    fn values(&mut self) -> Vec<Py<PyAny>> {
        let mut values: Vec<_> = self.main.take().into_iter().collect();
        let others = self.others.take().and_then(|others| others.into_inner().ok());
        for slot in others.unwrap_or_default() {
            match slot.held {
                Held::Assigned(value) => values.push(value),
                Held::Deleted => {}
                Held::Given(value, items) => {
                    values.push(value);
                    values.extend(items);
                }
            }
        }
        values
    }

    /// Breaks reference cycles.
    pub(crate) fn clear(&self) {
        let Some(others) = self.others.get() else { return };
        let before = std::mem::take(&mut *lock(others));
        drop(before); // may run the program's code
    }
}

thread_local! {
    /// Values that the outermost drop of this thread must still drop.
    static DROPPED: RefCell<Option<Vec<Py<PyAny>>>> = const { RefCell::new(None) };
}

/// Drops values iteratively instead of recursively: a chain of objects, each assigned to a field of the
/// next, may have any length.
impl Drop for Slots {
    fn drop(&mut self) {
        if self.main.get().is_none() && self.others.get().is_none() {
            return;
        }
        let values = self.values();
        let is_outermost = DROPPED.try_with(|dropped| match &mut *dropped.borrow_mut() {
            Some(more) => {
                more.extend(values);
                false
            }
            outermost => {
                *outermost = Some(values);
                true
            }
        });
        if is_outermost != Ok(true) {
            return;
        }
        let next = || DROPPED.with_borrow_mut(|dropped| dropped.as_mut().and_then(Vec::pop));
        while let Some(value) = next() {
            drop(value);
        }
        DROPPED.set(None);
    }
}
