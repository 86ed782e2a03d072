//! The process-wide tokio runtime on one I/O thread, started at the first request.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::driver::driver::Driver;
use crate::driver::external;
use crate::driver::thread::OwnThread;
use crate::system::process::{self, PerProcess, Run};
use crate::system::sync::{lock, unpoisoned};

struct Running {
    driver: Arc<Driver>,
    thread: OwnThread,
}

/// The runtime of this run, and threads of earlier runs that did not end in time.
#[derive(Default)]
struct Runtimes {
    current: Option<Running>,
    left: Vec<OwnThread>,
}

static RUNTIMES: PerProcess<Mutex<Runtimes>> = PerProcess::new();
static THREADS: AtomicU32 = AtomicU32::new(0);

/// The driver of this run, started on first use. A shutdown of the library drops the tasks spawned on it.
pub(crate) fn driver() -> Result<(Arc<Driver>, Run)> {
    let mut runtimes = lock(RUNTIMES.get_or_try_init(|| Ok(Mutex::default()))?);
    let run = process::run()?;
    let driver = match &runtimes.current {
        Some(running) => running.driver.clone(),
        None => runtimes.current.insert(start()?).driver.clone(),
    };
    Ok((driver, run))
}

fn start() -> Result<Running> {
    let failed = |cause: std::io::Error| {
        Error::new(ErrorKind::Internal, format!("the I/O thread cannot be started: {cause}"))
    };
    // Not a channel: waiting on it would leave thread-local state in this thread, which is not ours.
    let built = Arc::new((Mutex::new(None), Condvar::new()));
    let building = built.clone();
    let name = format!("mw-io-{}", THREADS.fetch_add(1, Ordering::Relaxed));
    let thread = OwnThread::spawn(name, move || {
        let driver = build().map(Driver::new);
        let at_work = driver.as_ref().ok().cloned();
        let (slot, changed) = &*building;
        *lock(slot) = Some(driver);
        changed.notify_all();
        if let Some(driver) = at_work {
            driver.run();
        }
    })
    .map_err(failed)?;
    let (slot, changed) = &*built;
    let mut slot = lock(slot);
    loop {
        match slot.take() {
            Some(driver) => return Ok(Running { driver: driver.map_err(failed)?, thread }),
            None => slot = unpoisoned(changed.wait(slot)),
        }
    }
}

fn build() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        // Poll sockets and new calls often: a task may take a millisecond.
        .event_interval(16)
        .global_queue_interval(8)
        .thread_name("mw-dns")
        .build()
}

/// The I/O thread's part of [`crate::shutdown`], which has begun.
pub(crate) fn shutdown(left: impl Fn() -> Duration) -> bool {
    external::shutdown();
    let Some(runtimes) = RUNTIMES.get() else { return true };
    let (running, mut threads) = {
        let mut runtimes = lock(runtimes);
        (runtimes.current.take(), std::mem::take(&mut runtimes.left))
    };
    if let Some(Running { driver, thread }) = running {
        driver.stop();
        threads.push(thread);
    }
    threads.retain_mut(|thread| !thread.join_within(left()));
    let are_gone = threads.is_empty();
    lock(runtimes).left.append(&mut threads); // for the next shutdown
    are_gone
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::sync::mpsc;
    use std::thread;

    use super::*;
    use crate::driver::offload::offload;
    use crate::driver::state::WaitedOnBy;
    use crate::system::takes_signals;

    #[test]
    fn the_io_thread_takes_no_signal_of_the_process() {
        let (send, receive) = mpsc::channel();
        let (driver, _) = driver().unwrap();
        let (_living, handle) = driver.begin(WaitedOnBy::Anywhere);
        handle.unwrap().spawn(async move {
            let name = thread::current().name().map(str::to_owned);
            send.send((takes_signals(), name)).unwrap();
        });
        let (takes_signals, name) = receive.recv_timeout(Duration::from_secs(10)).unwrap();
        assert!(!takes_signals);
        assert!(name.unwrap().starts_with("mw-io-"));
    }

    #[test]
    fn a_helper_thread_takes_no_signals() {
        let takes = takes_signals(); // as program threads do, if there are signals
        let helper = build().unwrap().block_on(offload(usize::MAX, || {
            (takes_signals(), thread::current().name().map(str::to_owned))
        }));
        assert_eq!(helper, (false, Some("mw-dns".to_owned())));
        assert_eq!(takes_signals(), takes);
    }
}
