//! Ctrl-C and SIGTERM while a job runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

/// Handles the signals until it is dropped.
pub(super) struct Signals {
    came: Arc<AtomicBool>,
    taken: Vec<SigId>,
    count: u32,
}

impl Signals {
    /// If a handler cannot be installed, the signal keeps its default action.
    pub(super) fn take_over() -> Signals {
        let came = Arc::new(AtomicBool::new(false));
        let take = |signal| flag::register(signal, came.clone()).ok();
        Signals { taken: [SIGINT, SIGTERM].into_iter().filter_map(take).collect(), came, count: 0 }
    }

    /// Whether a signal arrived that was not counted yet.
    pub(super) fn has_come(&self) -> bool {
        self.came.load(Ordering::Relaxed)
    }

    /// The number of signals so far; two between two calls count as one.
    pub(super) fn count(&mut self) -> u32 {
        if self.came.swap(false, Ordering::Relaxed) {
            self.count = self.count.saturating_add(1);
        }
        self.count
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for id in self.taken.drain(..) {
            low_level::unregister(id);
        }
    }
}
