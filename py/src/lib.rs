//! The Python binding of modelwire: classes over the core's handles and views.
//!
//! The I/O thread never touches Python: events wait in a call's queue until a Python thread takes them.

mod async_stream;
mod awaitable;
mod before_attempt;
mod bulk;
mod bulk_budget;
mod bulk_store;
mod bulk_thread;
mod client;
mod command;
mod depth;
mod encode;
mod errors;
mod facts;
mod future;
mod green;
mod hub;
mod interpreter;
mod iteration;
mod kept;
mod lock;
mod log;
mod loops;
mod mark;
mod modules;
mod next;
mod object;
mod openai_classes;
mod records;
mod request_info;
mod run;
mod settings;
mod slots;
mod snapshot;
mod source;
mod stream;
mod stream_base;
mod testing;
mod turns;
mod wait;
mod warnings;

use std::time::Duration;

use pyo3::prelude::*;

use crate::async_stream::{AsyncPortions, AsyncStream};
use crate::awaitable::Done;
use crate::before_attempt::BeforeAttempt;
use crate::bulk::{NativeBulk, bulk_end_all, bulk_repair, prompt_parts};
use crate::bulk_budget::NativeBudget;
use crate::client::{NativeClient, id_of_key, redacted};
use crate::command::run_command;
use crate::facts::rate_limits_of;
use crate::future::Future;
use crate::hub::Hub;
use crate::iteration::{AsyncIteration, Iteration};
use crate::log::{log_start, log_stop, log_take};
use crate::mark::CallMark;
use crate::next::Next;
use crate::object::document::View;
use crate::object::dump::{dumps, plain_of};
use crate::object::make::restore;
use crate::object::shape::Object;
use crate::openai_classes::{class_of, use_openai_classes};
use crate::records::{EndedCall, NativeCalls};
use crate::snapshot::Snapshots;
use crate::stream::{Portions, Stream};
use crate::stream_base::StreamBase;
use crate::testing::{NativeAnswer, NativeService};

/// The native part of the package `modelwire`, which exports its public names. Does not need the GIL: state
/// shared between threads is frozen, atomic or locked.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    interpreter::must_be_main(module.py())?;
    modules::note_package(module)?;
    kept::find_early(module.py())?;
    module.add("__version__", modelwire::VERSION)?;
    object::classes::register(module)?;
    module.add_class::<AsyncPortions>()?;
    module.add_class::<AsyncStream>()?;
    module.add_class::<BeforeAttempt>()?;
    module.add_class::<CallMark>()?;
    module.add_class::<Done>()?;
    module.add_class::<NativeBudget>()?;
    module.add_class::<NativeBulk>()?;
    module.add_class::<NativeClient>()?;
    module.add_class::<NativeCalls>()?;
    module.add_class::<EndedCall>()?;
    module.add_class::<Future>()?;
    module.add_class::<Hub>()?;
    module.add_class::<AsyncIteration>()?;
    module.add_class::<Iteration>()?;
    module.add_class::<Next>()?;
    module.add_class::<View>()?;
    module.add_class::<Object>()?;
    module.add_class::<Snapshots>()?;
    module.add_class::<Portions>()?;
    module.add_class::<Stream>()?;
    module.add_class::<StreamBase>()?;
    module.add_class::<NativeAnswer>()?;
    module.add_class::<NativeService>()?;
    module.add_function(wrap_pyfunction!(run_command, module)?)?;
    module.add_function(wrap_pyfunction!(bulk_end_all, module)?)?;
    module.add_function(wrap_pyfunction!(bulk_repair, module)?)?;
    module.add_function(wrap_pyfunction!(prompt_parts, module)?)?;
    module.add_function(wrap_pyfunction!(log_start, module)?)?;
    module.add_function(wrap_pyfunction!(log_stop, module)?)?;
    module.add_function(wrap_pyfunction!(log_take, module)?)?;
    module.add_function(wrap_pyfunction!(id_of_key, module)?)?;
    module.add_function(wrap_pyfunction!(redacted, module)?)?;
    module.add_function(wrap_pyfunction!(rate_limits_of, module)?)?;
    module.add_function(wrap_pyfunction!(restore, module)?)?;
    module.add_function(wrap_pyfunction!(dumps, module)?)?;
    module.add_function(wrap_pyfunction!(plain_of, module)?)?;
    module.add_function(wrap_pyfunction!(class_of, module)?)?;
    module.add_function(wrap_pyfunction!(use_openai_classes, module)?)?;
    module.add_function(wrap_pyfunction!(set_io_threads, module)?)?;
    module.add_function(wrap_pyfunction!(shutdown, module)?)
}

/// Sets the number of I/O threads of this process.
#[pyfunction]
fn set_io_threads(py: Python<'_>, count: i64) -> PyResult<()> {
    // No number of threads is negative: 0 has the same error.
    let set = modelwire::set_io_threads(usize::try_from(count).unwrap_or(0));
    set.map_err(|error| errors::exception(py, &error))
}

/// Ends every call and the I/O thread permanently; called at interpreter exit.
#[pyfunction]
fn shutdown(py: Python<'_>, timeout: f64) -> bool {
    let timeout = Duration::try_from_secs_f64(timeout).unwrap_or_default();
    wait::interpreter_exits();
    py.detach(|| modelwire::shutdown_for_good(timeout))
}
