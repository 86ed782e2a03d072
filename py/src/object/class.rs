//! The macros that turn a line of `py/fields.txt` into a class: PyO3 needs macros here.

/// The name of a field without the prefix of a raw identifier.
pub(crate) const fn name(written: &'static str) -> &'static str {
    match written.as_bytes() {
        [b'r', b'#', ..] => written.split_at(2).1,
        _ => written,
    }
}

/// Defines a subclass of `Object`: a getter for each field, and a constructor for programs that create
/// answers, mostly in tests.
macro_rules! object_class {
    (
        $(#[$doc:meta])*
        $class:ident = $shape:ident in $module:literal {
            { $($field:ident),* $(,)? }
            $(extra { $($extra:ident),* $(,)? })?
            $(computed { $($(#[$said:meta])* $computed:ident = $function:ident),* $(,)? })?
        }
    ) => {
        $(#[$doc])*
        #[pyclass(frozen, subclass, extends = $crate::object::shape::Object, module = $module)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (**fields))]
            fn new(
                fields: Option<&Bound<'_, pyo3::types::PyDict>>,
            ) -> PyResult<PyClassInitializer<Self>> {
                let object = $crate::object::make::of_fields(fields, &$crate::object::fields::$shape)?;
                Ok(object.initializer().add_subclass($class))
            }

            /// The names of the fields that are always there.
            #[classattr]
            fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, pyo3::types::PyDict>> {
                $crate::object::fields::$shape.model_fields(py)
            }

            $(
                #[doc = concat!("The field `", stringify!($field), "`; None where it is absent.")]
                #[getter]
                fn $field(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                    const NAME: &str = $crate::object::class::name(stringify!($field));
                    $crate::object::read::field(slf.as_super(), NAME)
                }
            )*
            $($(
                /// None: nothing is parsed here; for programs that look.
                #[getter]
                fn $extra(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                    $crate::object::read::extra_field(slf.as_super(), stringify!($extra))
                }
            )*)?
            $($(
                $(#[$said])*
                #[getter]
                fn $computed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                    $crate::object::computed::$function(slf.as_super())
                }
            )*)?
        }

        impl $class {
            fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
                fn make(
                    py: Python<'_>,
                    object: $crate::object::shape::Object,
                ) -> PyResult<Py<PyAny>> {
                    let made = object.initializer().add_subclass($class);
                    Py::new(py, made).map(Py::into_any)
                }
                $crate::object::fields::$shape.has_class(make, make);
                module.add_class::<$class>()
            }
        }
    };
}

/// Defines the class of a streamed object, whose struct is defined elsewhere.
macro_rules! streamed_class {
    (
        $(#[$doc:meta])*
        $class:ident = $shape:ident in $module:literal {
            { $($field:ident),* $(,)? }
            $(computed { $($(#[$said:meta])* $computed:ident = $function:ident),* $(,)? })?
        }
    ) => {
        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (**fields))]
            fn new(
                fields: Option<&Bound<'_, pyo3::types::PyDict>>,
            ) -> PyResult<PyClassInitializer<Self>> {
                let object = $crate::object::make::of_fields(fields, &$crate::object::fields::$shape)?;
                $crate::object::make::whole(&object)
            }

            /// The names of the fields that are always there.
            #[classattr]
            fn model_fields(py: Python<'_>) -> PyResult<Bound<'_, pyo3::types::PyDict>> {
                $crate::object::fields::$shape.model_fields(py)
            }

            $(
                #[doc = concat!("The field `", stringify!($field), "`; None where it is absent.")]
                #[getter]
                fn $field(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                    const NAME: &str = $crate::object::class::name(stringify!($field));
                    $crate::object::read::field(slf, NAME)
                }
            )*
            $($(
                $(#[$said])*
                #[getter]
                fn $computed(slf: &Bound<'_, Self>) -> PyResult<Py<PyAny>> {
                    $crate::object::computed::$function(slf)
                }
            )*)?
        }

        impl $class {
            fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
                $crate::object::fields::$shape.has_class(
                    |py, object| object.into_plain(py),
                    |py, object| {
                        let made = $crate::object::make::whole::<$class>(&object)?;
                        Py::new(py, made).map(Py::into_any)
                    },
                );
                module.add_class::<$class>()
            }
        }
    };
}

pub(crate) use {object_class, streamed_class};
