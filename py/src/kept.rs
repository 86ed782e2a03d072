//! Process-wide values that are looked up once, without blocking: in a forked child, the thread that does
//! the look-up may not exist. PyO3's own cells release the interpreter before they look, and another thread
//! may fork then. Two concurrent look-ups both run, and one result is kept.

use once_cell::race::OnceBox;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

pub(crate) struct Kept<T>(OnceBox<T>);

impl<T> Kept<T> {
    pub(crate) const fn new() -> Kept<T> {
        Kept(OnceBox::new())
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    pub(crate) fn get_or_init(&self, find: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(|| Box::new(find()))
    }

    pub(crate) fn get_or_try_init(&self, find: impl FnOnce() -> PyResult<T>) -> PyResult<&T> {
        self.0.get_or_try_init(|| find().map(Box::new))
    }
}

/// An interned string, looked up once.
pub(crate) struct Name(&'static str, Kept<Py<PyString>>);

impl Name {
    pub(crate) const fn new(text: &'static str) -> Name {
        Name(text, Kept::new())
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.1.get_or_init(|| PyString::intern(py, self.0).unbind()).bind(py)
    }
}

/// Like PyO3's macro, with the cells above.
macro_rules! intern {
    ($py:expr, $text:literal) => {{
        static NAME: $crate::kept::Name = $crate::kept::Name::new($text);
        NAME.get($py)
    }};
}
pub(crate) use intern;

/// Fills PyO3's own caches during the import of the package, when nothing has a reason to fork.
pub(crate) fn find_early(py: Python<'_>) -> PyResult<()> {
    let kind = py.get_type::<PyDict>();
    kind.name()?;
    kind.qualname()?;
    kind.module()?;
    kind.fully_qualified_name()?;
    let _ = (kind.mro(), kind.bases());
    Ok(())
}
