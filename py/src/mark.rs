//! Identifies a call that an observer follows, from before its start to its end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;

use crate::request_info::RequestInfo;

/// A call that an observer follows; the tag identifies its end.
#[pyclass(frozen, module = "modelwire._native")]
pub(crate) struct CallMark {
    /// By which its record is known again.
    #[pyo3(get, name = "tag")]
    number: u64,
    is_started: AtomicBool,
    request: OnceLock<Arc<RequestInfo>>,
}

impl CallMark {
    /// What it sent, once it is started.
    pub(crate) fn request(&self) -> Option<Arc<RequestInfo>> {
        self.request.get().cloned()
    }

    /// The number by which its record is known again.
    pub(crate) fn tag(&self) -> u64 {
        self.number
    }

    /// The core has the call now, and tells its end whatever happens.
    pub(crate) fn starts(&self, request: &Arc<RequestInfo>) {
        let _ = self.request.set(request.clone());
        self.is_started.store(true, Ordering::SeqCst);
    }
}

#[pymethods]
impl CallMark {
    #[new]
    fn new() -> CallMark {
        static TAGS: AtomicU64 = AtomicU64::new(1); // 0 is a call that nobody asked about
        CallMark {
            number: TAGS.fetch_add(1, Ordering::Relaxed),
            is_started: AtomicBool::new(false),
            request: OnceLock::new(),
        }
    }

    /// Whether the core tells the end of this call.
    #[getter]
    fn is_started(&self) -> bool {
        self.is_started.load(Ordering::SeqCst)
    }
}
