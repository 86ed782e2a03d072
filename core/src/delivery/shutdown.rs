//! Shutdown of the library, in an order that loses nothing.

use std::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

use crate::call::foreign::{is_callback_thread, join_helpers};
use crate::delivery::callbacks;
use crate::delivery::observer;
use crate::driver::runtime;
use crate::system::process::{self, PerProcess};
use crate::system::sync::{lock, unpoisoned};

/// Ends every call with [`ErrorKind::Shutdown`](crate::ErrorKind::Shutdown), closes all connections of
/// the library's own thread, delivers `Done` to the callbacks, and joins the library's threads. Calls
/// that start during the shutdown fail. Afterwards the library starts again when you use it: earlier
/// clients, queues and calls continue to work, on new connections.
///
/// Returns true if everything ended within the timeout. On false the rest ends later, for instance a
/// callback that hangs; a callback of the same client may then run at the same time. Inside a callback
/// it returns false: the thread cannot wait for itself. Calling it again is harmless and waits for what
/// is left, also of earlier shutdowns; concurrent calls wait one after another, each within its own
/// timeout.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use std::time::Duration;
///
/// let _ = client.blocking().models();
/// assert!(modelwire::shutdown(Duration::from_secs(5)));
/// # Ok::<(), modelwire::Error>(())
/// ```
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
    is_all_gone &= join_helpers(left());
    is_all_gone & observer::end_all(left())
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

/// Lets the next shutdown begin when it is dropped.
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
