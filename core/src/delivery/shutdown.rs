//! Shutdown of the library, in an order that loses nothing.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::delivery::callbacks;
use crate::delivery::foreign::is_callback_thread;
use crate::delivery::log;
use crate::delivery::observer;
use crate::driver::runtime;
use crate::system::process::{self, PerProcess};
use crate::system::sync::{lock, unpoisoned};

/// Ends every call with [`ErrorKind::Shutdown`](crate::ErrorKind::Shutdown), closes all connections of
/// the library's own thread, delivers `Done` to the handlers, and joins the library's threads. Calls
/// that start during the shutdown fail. Afterwards the library starts again when you use it: earlier
/// clients, queues and calls continue to work, on new connections.
///
/// Returns true if everything ended within the timeout. On false the rest ends later, for instance a
/// handler that hangs; a handler of the same client may then run at the same time. Inside a handler it
/// returns false: the thread cannot wait for itself. Calling it again is harmless and waits for what is
/// left, also of earlier shutdowns; concurrent calls wait one after another, each within its own
/// timeout.
pub fn shutdown(timeout: Duration) -> bool {
    static UNDER_WAY: PerProcess<UnderWay> = PerProcess::new();
    let start = Instant::now();
    let Ok(under_way) = UNDER_WAY.get_or_try_init(|| Ok(UnderWay::default())) else { return false };
    // A running shutdown may wait for the handler on this thread.
    let patience = if is_callback_thread() { Duration::ZERO } else { timeout };
    let Some(_alone) = under_way.begin(patience) else { return false };
    let left = || timeout.saturating_sub(start.elapsed());
    let mut is_all_gone = runtime::shutdown(left);
    is_all_gone &= callbacks::join(left);
    is_all_gone &= observer::end_all(left());
    // Last, so that the log contains all of this.
    log::forward_end_within(left()).is_ok_and(|is_over| is_over) && is_all_gone
}

/// Like [`shutdown`], and no call can start afterwards: for the end of a process whose threads may
/// continue for a moment. A forked child is another process.
pub fn shutdown_for_good(timeout: Duration) -> bool {
    process::is_over_for_good();
    shutdown(timeout)
}

/// One shutdown at a time.
#[derive(Default)]
struct UnderWay {
    is: Mutex<bool>,
    changed: Condvar,
}

impl UnderWay {
    /// `None` if another shutdown is still running after this time.
    fn begin(&self, timeout: Duration) -> Option<ShutsDown<'_>> {
        let waited = self.changed.wait_timeout_while(lock(&self.is), timeout, |is| *is);
        let (mut is, waited) = unpoisoned(waited);
        if waited.timed_out() {
            return None;
        }
        process::shutdown_begins().ok()?;
        *is = true;
        Some(ShutsDown(self))
    }
}

/// Lets the next shutdown start when dropped.
struct ShutsDown<'a>(&'a UnderWay);

impl Drop for ShutsDown<'_> {
    fn drop(&mut self) {
        let mut is = lock(&self.0.is);
        process::shutdown_ends();
        *is = false;
        drop(is);
        self.0.changed.notify_all();
    }
}
