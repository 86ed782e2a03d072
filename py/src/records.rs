//! Ended calls for Python: a completion queue that follows clients, emptied by one Python thread.

use std::time::Duration;

use modelwire::{CallEnded, CompletionQueue, Next, Taken};
use pyo3::prelude::*;

use crate::client::NativeClient;
use crate::errors::raise;
use crate::mark::CallMark;
use crate::object::make;

/// A call that has ended.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct EndedCall {
    /// The number of the client, as given to `follow`.
    #[pyo3(get)]
    client: u64,
    ended: CallEnded,
}

#[pymethods]
impl EndedCall {
    /// The tag of its mark; 0 if it has none.
    #[getter]
    fn tag(&self) -> u64 {
        self.ended.tag
    }

    /// The record as the core's JSON.
    #[getter]
    fn json(&self) -> String {
        self.ended.record.to_json()
    }

    /// The number of calls dropped since the previous one.
    #[getter]
    fn dropped(&self) -> u64 {
        self.ended.dropped
    }

    /// Their tags.
    #[getter]
    fn dropped_tags(&self) -> Vec<u64> {
        self.ended.dropped_tags.clone()
    }

    /// The whole answer of the call with this mark, if there is one.
    fn answer(&self, py: Python<'_>, mark: &Bound<'_, CallMark>) -> PyResult<Option<Py<PyAny>>> {
        let (Some(response), Some(request)) = (&self.ended.response, mark.get().request()) else {
            return Ok(None);
        };
        make::of_response(response.clone(), request).into_python(py).map(Some)
    }
}

/// The ended calls of all followed clients; valid in the process that created it.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct NativeCalls(CompletionQueue);

#[pymethods]
impl NativeCalls {
    #[new]
    fn new() -> NativeCalls {
        NativeCalls(CompletionQueue::new(None))
    }

    /// Starts to collect the ended calls of this client, with this number, and those of clients that share
    /// its usage sums.
    fn follow(
        &self,
        py: Python<'_>,
        client: &Bound<'_, NativeClient>,
        number: u64,
    ) -> PyResult<()> {
        raise(py, client.get().core().follow_calls(&self.0, Some(number)))
    }

    /// Takes at most `max` of them. Waits for the first one until the timeout or `wakeup`; forever without
    /// a timeout. None once it is closed and empty.
    #[pyo3(signature = (max, seconds=None))]
    fn take(&self, py: Python<'_>, max: usize, seconds: Option<f64>) -> Option<Vec<EndedCall>> {
        let timeout = seconds.map(|it| Duration::try_from_secs_f64(it).unwrap_or_default());
        let mut taken = Vec::new();
        match py.detach(|| self.0.next_many(max, timeout, &mut taken)) {
            Ok(Taken::Something | Taken::Nothing | Taken::Interrupted) => {}
            Ok(Taken::Closed) | Err(_) => return None,
        }
        let calls = taken.into_iter().filter_map(|next| match next {
            Next::Call(client, ended) => Some(EndedCall { client, ended }),
            _ => None,
        });
        Some(calls.collect())
    }

    /// Makes the current or next `take` return with what there is.
    fn wakeup(&self) {
        self.0.wakeup();
    }

    /// Closes it; remaining calls can still be taken.
    fn close(&self) {
        self.0.close();
    }
}
