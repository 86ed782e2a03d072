//! Runs what may be Python code: functions, attributes, iterators. Before Python 3.14, a daemon thread that
//! acquires the interpreter during finalization is unwound, and unwinding cannot pass through this
//! extension: the process would abort. Such a thread is parked instead until the process ends, as in Python
//! 3.14.

#![expect(unsafe_code, reason = "PyO3 declares these functions as ones that never unwind")]

use std::ffi::c_int;

use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyAttributeError;
use pyo3::ffi::{self, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};

/// Dropped only by unwinding.
struct ParkOnUnwind;

impl Drop for ParkOnUnwind {
    fn drop(&mut self) {
        loop {
            std::thread::park();
        }
    }
}

/// Returns the result of a Python C API function, if it returns. It is called as a function that may
/// unwind, and no Rust value is in between that unwinding would drop without the interpreter.
macro_rules! run {
    ($function:ident($($argument:expr),*): fn($($kind:ty),*) -> $given:ty) => {{
        let function: unsafe extern "C" fn($($kind),*) -> $given = ffi::$function;
        // SAFETY: the same function; the new type only permits unwinding as well. The volatile read hides
        // its identity from the optimizer, which would otherwise rely on PyO3's declaration.
        let function: unsafe extern "C-unwind" fn($($kind),*) -> $given =
            unsafe { std::mem::transmute(std::ptr::read_volatile(&function)) };
        let stays = ParkOnUnwind;
        // SAFETY: the interpreter is held, and each object lives until the function returns.
        let given = unsafe { function($($argument),*) };
        std::mem::forget(stays);
        given
    }};
}

type Object = *mut PyObject;

/// The result of such a function as an owned reference, or the exception that it set.
fn given(py: Python<'_>, object: Object) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: a new reference or null, as the documentation of each function says.
    unsafe { Bound::from_owned_ptr_or_err(py, object) }
}

fn truth_of(py: Python<'_>, found: c_int) -> PyResult<bool> {
    match found {
        0 => Ok(false),
        -1 => Err(PyErr::fetch(py)),
        _ => Ok(true),
    }
}

/// Releases a reference, and with the last one the object.
pub(crate) fn let_go(object: Bound<'_, PyAny>) {
    run!(Py_DecRef(object.into_ptr()): fn(Object) -> ());
}

/// Imports a module.
pub(crate) fn import<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyModule>> {
    let name = PyString::new(py, name);
    let module = given(py, run!(PyImport_Import(name.as_ptr()): fn(Object) -> Object))?;
    Ok(module.cast_into()?)
}

/// The items of an iterator.
pub(crate) struct Items<'py>(Bound<'py, PyAny>);

impl<'py> Items<'py> {
    pub(crate) fn of(iterator: Bound<'py, PyIterator>) -> Items<'py> {
        Items(iterator.into_any())
    }
}

impl<'py> Iterator for Items<'py> {
    type Item = PyResult<Bound<'py, PyAny>>;

    fn next(&mut self) -> Option<Self::Item> {
        let py = self.0.py();
        match run!(PyIter_Next(self.0.as_ptr()): fn(Object) -> Object) {
            over if over.is_null() => PyErr::take(py).map(Err),
            item => Some(given(py, item)),
        }
    }
}

pub(crate) trait Run<'py> {
    fn object(&self) -> &Bound<'py, PyAny>;

    /// Calls it, with keywords if given.
    fn run_with<A>(
        &self,
        args: A,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple>,
    {
        let py = self.object().py();
        let args = args.into_bound_py_any(py)?;
        let named = named.map_or(std::ptr::null_mut(), |named| named.as_ptr());
        let object = run!(PyObject_Call(self.object().as_ptr(), args.as_ptr(), named):
            fn(Object, Object, Object) -> Object);
        let given = given(py, object);
        let_go(args);
        given
    }

    /// Calls it.
    fn run<A>(&self, args: A) -> PyResult<Bound<'py, PyAny>>
    where
        A: IntoPyObject<'py, Target = PyTuple>,
    {
        self.run_with(args, None)
    }

    /// Calls its method, with keywords if given.
    fn run_method_with<N, A>(
        &self,
        name: N,
        args: A,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>>
    where
        N: IntoPyObject<'py, Target = PyString>,
        A: IntoPyObject<'py, Target = PyTuple>,
    {
        let method = self.attribute(name)?;
        let given = method.run_with(args, named);
        let_go(method);
        given
    }

    /// Calls its method.
    fn run_method<N, A>(&self, name: N, args: A) -> PyResult<Bound<'py, PyAny>>
    where
        N: IntoPyObject<'py, Target = PyString>,
        A: IntoPyObject<'py, Target = PyTuple>,
    {
        self.run_method_with(name, args, None)
    }

    /// Its attribute.
    fn attribute<N>(&self, name: N) -> PyResult<Bound<'py, PyAny>>
    where
        N: IntoPyObject<'py, Target = PyString>,
    {
        let py = self.object().py();
        let name = name.into_bound_py_any(py)?;
        let object = run!(PyObject_GetAttr(self.object().as_ptr(), name.as_ptr()):
            fn(Object, Object) -> Object);
        given(py, object)
    }

    /// Its attribute, if it has one of this name.
    fn attribute_if_any<N>(&self, name: N) -> PyResult<Option<Bound<'py, PyAny>>>
    where
        N: IntoPyObject<'py, Target = PyString>,
    {
        let py = self.object().py();
        match self.attribute(name) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_instance_of::<PyAttributeError>(py) => {
                let_go(error.into_value(py).into_bound(py).into_any());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether it has an attribute.
    fn has_attribute<N>(&self, name: N) -> PyResult<bool>
    where
        N: IntoPyObject<'py, Target = PyString>,
    {
        Ok(self.attribute_if_any(name)?.is_some())
    }

    /// Its item for a key.
    fn item(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let object = run!(PyObject_GetItem(self.object().as_ptr(), key.as_ptr()):
            fn(Object, Object) -> Object);
        given(key.py(), object)
    }

    /// Iterates it.
    fn items_one_by_one(&self) -> PyResult<Items<'py>> {
        let iterator = run!(PyObject_GetIter(self.object().as_ptr()): fn(Object) -> Object);
        given(self.object().py(), iterator).map(Items)
    }

    /// Its truth value.
    fn truth(&self) -> PyResult<bool> {
        let found = run!(PyObject_IsTrue(self.object().as_ptr()): fn(Object) -> c_int);
        truth_of(self.object().py(), found)
    }

    /// Whether it equals the other.
    fn equals(&self, other: &Bound<'py, PyAny>) -> PyResult<bool> {
        let found = run!(PyObject_RichCompareBool(
            self.object().as_ptr(), other.as_ptr(), ffi::Py_EQ
        ): fn(Object, Object, c_int) -> c_int);
        truth_of(other.py(), found)
    }
}

impl<'py> Run<'py> for Bound<'py, PyAny> {
    fn object(&self) -> &Bound<'py, PyAny> {
        self
    }
}
