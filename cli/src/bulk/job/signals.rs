//! Ctrl-C, SIGTERM and a closed terminal (SIGHUP) while a job runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{SigId, flag, low_level};

use crate::failure::Exit;
use crate::system;

/// Handles the signals until it is dropped.
pub(super) struct Signals {
    came: Arc<AtomicBool>,
    /// A closed terminal is signalled by the kernel and by the shell, and means only once to end.
    hung_up: Arc<AtomicBool>,
    /// Until the signals are counted for the first time, they end the process, with the same exit code. Before that,
    /// the job opens files, which may block without a bound, and no request was sent.
    is_end: Arc<AtomicBool>,
    taken: Vec<SigId>,
    count: u32,
}

impl Signals {
    /// If a handler cannot be installed, the signal keeps its default action.
    pub(super) fn take_over() -> Signals {
        let (came, hung_up) = (Arc::default(), Arc::default());
        let is_end = Arc::new(AtomicBool::new(true));
        let ends = [SIGINT, SIGTERM].map(|signal| (signal, &came));
        let all = ends.into_iter().chain(system::hang_up().map(|signal| (signal, &hung_up)));
        let taken = all
            .flat_map(|(signal, sets)| {
                let code = Exit::Interrupted as i32;
                let ends = flag::register_conditional_shutdown(signal, code, Arc::clone(&is_end));
                [ends, flag::register(signal, Arc::clone(sets))]
            })
            .flatten()
            .collect();
        Signals { came, hung_up, is_end, taken, count: 0 }
    }

    /// Whether a signal arrived that was not counted yet.
    pub(super) fn has_come(&self) -> bool {
        self.came.load(Ordering::Relaxed) || self.count == 0 && self.hung_up.load(Ordering::Relaxed)
    }

    /// The number of signals so far; two between two calls count as one.
    pub(super) fn count(&mut self) -> u32 {
        self.is_end.store(false, Ordering::Relaxed);
        if self.came.swap(false, Ordering::Relaxed) {
            self.count = self.count.saturating_add(1);
        }
        self.count = self.count.max(u32::from(self.hung_up.load(Ordering::Relaxed)));
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
