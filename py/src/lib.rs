//! The Python binding of modelwire: classes over the core's handles and views. Knows no HTTP, and no
//! field of the service beyond the shapes that Python programs expect.
//!
//! The I/O thread never touches Python: what arrives waits in a call's queue, and the thread that
//! asks for it takes it out.

mod async_stream;
mod awaitable;
mod client;
mod encode;
mod errors;
mod facts;
mod hub;
mod iteration;
mod lock;
mod log;
mod object;
mod openai_classes;
mod request_info;
mod settings;
mod slots;
mod snapshot;
mod source;
mod started;
mod stream;
mod stream_base;
mod testing;
mod wait;
mod warnings;

use pyo3::prelude::*;

/// The native part of the package `modelwire`; its public names are exported by the package.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::async_stream::{AsyncPortions, AsyncStream, Next};
    #[pymodule_export]
    use super::awaitable::Done;
    #[pymodule_export]
    use super::client::NativeClient;
    #[pymodule_export]
    use super::hub::Hub;
    #[pymodule_export]
    use super::iteration::{AsyncIteration, Iteration};
    #[pymodule_export]
    use super::log::{log_start, log_stop, log_take};
    #[pymodule_export]
    use super::object::document::View;
    #[pymodule_export]
    use super::object::dump::{dumps, plain_of};
    #[pymodule_export]
    use super::object::make::restore;
    #[pymodule_export]
    use super::object::shape::Object;
    #[pymodule_export]
    use super::openai_classes::{class_of, use_openai_classes};
    #[pymodule_export]
    use super::snapshot::Snapshots;
    #[pymodule_export]
    use super::started::Started;
    #[pymodule_export]
    use super::stream::{Portions, Stream};
    #[pymodule_export]
    use super::stream_base::StreamBase;
    #[pymodule_export]
    use super::testing::{NativeAnswer, NativeService};

    use pyo3::prelude::*;
    use std::time::Duration;

    /// Ends every call and the I/O thread; called at interpreter exit.
    #[pyfunction]
    fn shutdown(py: Python<'_>, timeout: f64) -> bool {
        let timeout = Duration::try_from_secs_f64(timeout).unwrap_or_default();
        super::wait::interpreter_exits();
        py.detach(|| modelwire::shutdown(timeout))
    }

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::object::classes::register(module)?;
        module.add("__version__", modelwire::VERSION)
    }
}
