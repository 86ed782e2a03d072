//! Identifies a call that an observer follows, from before its start to its end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;

use crate::request_info::RequestInfo;

/// A call that an observer follows; the tag identifies its end.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct CallMark {
    /// Identifies its record.
    #[pyo3(get, name = "tag")]
    number: u64,
    is_started: AtomicBool,
    request: OnceLock<Arc<RequestInfo>>,
}

impl CallMark {
    /// The request that it sent, once it is started.
    pub(crate) fn request(&self) -> Option<Arc<RequestInfo>> {
        self.request.get().cloned()
    }

    /// The number that identifies its record.
    pub(crate) fn tag(&self) -> u64 {
        self.number
    }

    /// Marks the call as started: from now on, the core reports its end in any case.
    pub(crate) fn starts(&self, request: &Arc<RequestInfo>) {
        let _ = self.request.set(request.clone());
        self.is_started.store(true, Ordering::SeqCst);
    }
}

#[pymethods]
impl CallMark {
    #[new]
    fn new() -> CallMark {
        static TAGS: AtomicU64 = AtomicU64::new(1); // 0 is a call without an observer
        CallMark {
            number: TAGS.fetch_add(1, Ordering::Relaxed),
            is_started: AtomicBool::new(false),
            request: OnceLock::new(),
        }
    }

    /// Whether the core reports the end of this call.
    #[getter]
    fn is_started(&self) -> bool {
        self.is_started.load(Ordering::SeqCst)
    }
}
