//! What is found once and kept for the process, so that nobody waits for who finds it: in a child that was
//! forked meanwhile that thread is gone. PyO3's own cells let others run before they look, and one of these
//! may fork. Two that come together find it twice, and one is kept.

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

/// A text that Python keeps anyway, looked up once.
pub(crate) struct Name(&'static str, Kept<Py<PyString>>);

impl Name {
    pub(crate) const fn new(text: &'static str) -> Name {
        Name(text, Kept::new())
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        self.1.get_or_init(|| PyString::intern(py, self.0).unbind()).bind(py)
    }
}

/// As PyO3's, whose cells are the ones above.
macro_rules! intern {
    ($py:expr, $text:literal) => {{
        static NAME: $crate::kept::Name = $crate::kept::Name::new($text);
        NAME.get($py)
    }};
}
pub(crate) use intern;

/// Has PyO3 find what it keeps itself, while nobody has a reason to fork: the package is on its way in.
pub(crate) fn find_early(py: Python<'_>) -> PyResult<()> {
    let kind = py.get_type::<PyDict>();
    kind.name()?;
    kind.qualname()?;
    kind.module()?;
    kind.fully_qualified_name()?;
    let _ = (kind.mro(), kind.bases());
    Ok(())
}
