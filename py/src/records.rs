//! What the calls of this process tell at their ends, on its way to Python: collected by the core, taken
//! by one thread of Python's own. Knows no observer.

use std::time::Duration;

use modelwire::{Collector, RecordsOptions, Response};
use pyo3::prelude::*;

use crate::client::NativeClient;
use crate::errors::raise;
use crate::mark::CallMark;
use crate::object::make;

/// What one call told.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeTold {
    /// The number of the client, as it was given to `follow`.
    #[pyo3(get)]
    client: u64,
    /// The tag of its mark; 0 where it has none.
    #[pyo3(get)]
    tag: u64,
    /// The record as the core writes it.
    #[pyo3(get)]
    json: String,
    response: Option<Response>,
}

#[pymethods]
impl NativeTold {
    /// The whole answer of the call with this mark, where there is one.
    fn answer(&self, py: Python<'_>, mark: &Bound<'_, CallMark>) -> PyResult<Option<Py<PyAny>>> {
        let (Some(response), Some(request)) = (&self.response, mark.get().request()) else {
            return Ok(None);
        };
        make::of_response(response.clone(), request).into_python(py).map(Some)
    }
}

/// What calls tell, of all clients that it follows; for the process that made it.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeRecords(Collector);

#[pymethods]
impl NativeRecords {
    #[new]
    fn new() -> NativeRecords {
        NativeRecords(Collector::new())
    }

    /// Collects what the calls of this client tell from now on, and of those that share its sums;
    /// their answers too, where they are asked for.
    fn follow(
        &self,
        py: Python<'_>,
        client: &Bound<'_, NativeClient>,
        number: u64,
        responses: bool,
    ) -> PyResult<()> {
        let options = RecordsOptions { responses };
        raise(py, client.get().core().records_into(&self.0, options, number))
    }

    /// What was told, at most `max`; waits for the first one until the time runs out, for ever
    /// without one. None once it was stopped and nothing is left.
    #[pyo3(signature = (max, seconds=None))]
    fn take(&self, py: Python<'_>, max: usize, seconds: Option<f64>) -> Option<Vec<NativeTold>> {
        let timeout = seconds.map(|it| Duration::try_from_secs_f64(it).unwrap_or_default());
        py.detach(|| {
            let told = self.0.take(max, timeout)?.into_iter().map(|(client, told)| NativeTold {
                client,
                tag: told.tag,
                json: told.record.to_json(),
                response: told.response,
            });
            Some(told.collect())
        })
    }

    /// Lets the one who waits in `take`, or the next one, return with what there is.
    fn interrupt(&self) {
        self.0.interrupt();
    }

    /// How many records came in so far.
    fn heard(&self) -> u64 {
        self.0.heard()
    }

    /// How many found no room so far.
    fn dropped(&self) -> u64 {
        self.0.dropped()
    }

    /// The tags of those that found no room since this was last asked.
    fn take_dropped(&self) -> Vec<u64> {
        self.0.take_dropped()
    }

    /// The numbers of clients that are gone, with all of their calls, since this was last asked.
    fn take_gone(&self) -> Vec<u64> {
        self.0.take_gone()
    }

    /// Ends it: what is there can still be taken.
    fn stop(&self) {
        self.0.stop();
    }
}
