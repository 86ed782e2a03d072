//! The process-wide tokio runtimes, each on an I/O thread: one, or as many as the program asks for. A thread is
//! started at the first request that finds all others with calls in flight.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::driver::driver::{Driver, Load};
use crate::driver::external;
use crate::driver::thread::OwnThread;
use crate::system::process::{self, PerProcess, Run};
use crate::system::sync::{lock, unpoisoned};

/// The maximum number of I/O threads of a process.
pub const IO_THREADS_MAX: usize = 16;

/// The environment variable with the number of I/O threads.
const IO_THREADS_VARIABLE: &str = "MODELWIRE_IO_THREADS";

struct Running {
    driver: Arc<Driver>,
    thread: OwnThread,
}

/// The runtimes of this run, and threads of earlier runs that did not end in time.
#[derive(Default)]
struct Runtimes {
    /// At most `io_threads`, in the order in which calls fill them.
    current: Vec<Running>,
    left: Vec<OwnThread>,
}

static RUNTIMES: PerProcess<Mutex<Runtimes>> = PerProcess::new();
static THREADS: AtomicU32 = AtomicU32::new(0);
/// Set by the program; 0 until then. A forked child has the same.
static IO_THREADS: AtomicUsize = AtomicUsize::new(0);

/// Sets the number of I/O threads of this process: 1 to [`IO_THREADS_MAX`]; without this, the environment
/// variable `MODELWIRE_IO_THREADS` has it, and the default is 1.
///
/// One thread carries the I/O of all clients up to some 100,000 chunks a second, and then it is what limits
/// them. Each further thread has a runtime and connections of its own. A call stays on one thread; it goes to
/// the one with the fewest calls in flight, and to the first of these, so calls one after another use the
/// first thread alone and its connections. A thread is started when calls need it. The limits on connections
/// hold for all threads together. With several, a thread that waits at a completion queue does no I/O.
///
/// Set it before the first call or after a [`shutdown`](crate::shutdown): while threads are running, a
/// different number is an error ([`ErrorKind::Config`](crate::ErrorKind::Config)), as is one outside the range. Clients on a
/// [runtime](crate::Config::runtime) of the program are not affected.
///
/// ```
/// modelwire::set_io_threads(2)?;
/// assert!(modelwire::set_io_threads(0).is_err());
/// # Ok::<(), modelwire::Error>(())
/// ```
pub fn set_io_threads(count: usize) -> Result<()> {
    if !(1..=IO_THREADS_MAX).contains(&count) {
        return Err(not_a_count(&count.to_string()));
    }
    let runtimes = lock(RUNTIMES.get_or_try_init(|| Ok(Mutex::default()))?);
    if !runtimes.current.is_empty() && io_threads()? != count {
        let error = Error::config("the I/O threads are running: their number cannot be changed");
        return Err(error.with_hint("Set it before the first call, or after a shutdown."));
    }
    IO_THREADS.store(count, Ordering::Relaxed);
    Ok(())
}

fn not_a_count(given: &str) -> Error {
    let message = format!("the number of I/O threads is {given}: it must be 1 to {IO_THREADS_MAX}");
    Error::config(message).with_hint(format!(
        "Correct it where it is set: {IO_THREADS_VARIABLE}, or the function that sets it."
    ))
}

/// The number of I/O threads that may run.
pub(crate) fn io_threads() -> Result<usize> {
    match IO_THREADS.load(Ordering::Relaxed) {
        0 => {}
        count => return Ok(count),
    }
    let count = match std::env::var_os(IO_THREADS_VARIABLE) {
        None => 1,
        Some(given) if given.is_empty() => 1,
        Some(given) => {
            let count = given.to_str().and_then(|given| given.trim().parse().ok());
            count
                .filter(|count| (1..=IO_THREADS_MAX).contains(count))
                .ok_or_else(|| not_a_count(&given.to_string_lossy()))?
        }
    };
    // What the program sets meanwhile counts.
    match IO_THREADS.compare_exchange(0, count, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Ok(count),
        Err(set) => Ok(set),
    }
}

/// A driver of this run and its number, below `IO_THREADS_MAX`. A shutdown of the library drops the tasks
/// spawned on it.
pub(crate) struct Chosen {
    /// The driver, which counts the call from now on.
    pub(crate) load: Load,
    pub(crate) number: usize,
    pub(crate) run: Run,
}

/// Chooses the driver for a new call; starts one if all that are running have calls.
pub(crate) fn driver() -> Result<Chosen> {
    let mut runtimes = lock(RUNTIMES.get_or_try_init(|| Ok(Mutex::default()))?);
    let (run, threads_max) = (process::run()?, io_threads()?);
    let least = runtimes.current.iter().map(|running| running.driver.load()).enumerate();
    let least = least.min_by_key(|(_, load)| *load); // the first of several
    let number = match least {
        Some((number, load)) if load == 0 || runtimes.current.len() >= threads_max => number,
        Some(_) | None => match (start(), least) {
            (Ok(running), _) => {
                runtimes.current.push(running);
                runtimes.current.len() - 1
            }
            (Err(_), Some((number, _))) => number, // the system has no room for another thread
            (Err(error), None) => return Err(error),
        },
    };
    let chosen = runtimes.current.get(number).map(|running| Load::new(&running.driver));
    let load = chosen.ok_or_else(|| Error::internal("the chosen I/O thread is missing"))?;
    Ok(Chosen { load, number, run })
}

fn start() -> Result<Running> {
    let failed = |cause: std::io::Error| Error::no_room("the I/O thread cannot be started", &cause);
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
        (std::mem::take(&mut runtimes.current), std::mem::take(&mut runtimes.left))
    };
    for Running { driver, thread } in running {
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
        let (_living, handle) = driver().unwrap().load.begin(WaitedOnBy::Anywhere);
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
