//! Waits for a call without holding the interpreter, while handling Ctrl-C.

use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use modelwire::{Call, Error, ErrorKind, Event, Pop, Ready};
use pyo3::prelude::*;
use pyo3::types::PyAny;

use crate::errors::{self, raise};
use crate::green::Greenlets;
use crate::hub::next_number;
use crate::interpreter;
use crate::kept::{Kept, intern};
use crate::modules::loaded;
use crate::run::{Run, import};

/// How often the main thread checks for signals while it waits.
const SIGNAL_CHECK: Duration = Duration::from_millis(50);

/// How often a greenlet polls for what no hub signals.
const GREEN_SLICE: Duration = Duration::from_millis(5);

/// How long a daemon thread is parked, from the start of interpreter exit. By then the interpreter is gone,
/// or other code of the program still runs and may wait for the thread, such as an exit function that was
/// registered before the package was imported.
const STAY: Duration = Duration::from_secs(2);

/// When interpreter exit started.
static EXITING: Kept<Instant> = Kept::new();

/// From now on, a daemon thread that waits for a call is parked: its call ends with the process, which is
/// not an error of the program.
pub(crate) fn interpreter_exits() {
    EXITING.get_or_init(Instant::now);
}

/// The next event of a call. Takes a ready event without releasing the interpreter.
pub(crate) fn pop(py: Python<'_>, call: &Call) -> PyResult<Pop> {
    let popped = wait(py, call)?;
    stay_at_exit(py, &popped)?;
    Ok(popped)
}

/// The next event that `poll` finds, while other greenlets run; `poll` registers a number if there is none.
/// An exception in this greenlet leaves the call as it is.
pub(crate) fn pop_green(
    py: Python<'_>,
    greenlets: &Greenlets<'_>,
    poll: impl Fn(&Ready, u64) -> modelwire::Result<Pop>,
    forget: impl Fn(u64),
) -> PyResult<Pop> {
    let number = next_number();
    loop {
        // Looked up each time: a forked child has another one.
        let hub = greenlets.hub()?;
        let popped = raise(py, poll(hub.get().ready(), number))?;
        if !matches!(popped, Pop::Empty) {
            return Ok(popped);
        }
        greenlets.wait(number).inspect_err(|_| forget(number))?;
    }
}

/// Starts a call and waits for its first event. Releases the interpreter only once, because other threads
/// may hold it for long. `starts` is called right before, after everything that may raise.
pub(crate) fn start(
    py: Python<'_>,
    call: &Call,
    stream: bool,
    starts: impl FnOnce(),
) -> PyResult<Pop> {
    if let Some(greenlets) = Greenlets::here(py)? {
        drop(greenlets.hub()?); // it needs a descriptor the first time
        starts();
        raise(py, call.start(stream))?;
        return pop_green(py, &greenlets, |ready, number| poll_once(call, ready, number), |_| ());
    }
    let slice = slice(py)?;
    starts();
    let popped = py.detach(|| {
        call.start_to_wait(stream)?;
        call.pop(slice)
    });
    let popped = match begun(py, popped)? {
        Pop::Empty => {
            py.check_signals()?;
            wait(py, call)?
        }
        popped => popped,
    };
    stay_at_exit(py, &popped)?;
    Ok(popped)
}

/// The result of starting a call. A daemon thread that starts one during interpreter exit is parked.
pub(crate) fn begun<T>(py: Python<'_>, result: modelwire::Result<T>) -> PyResult<T> {
    if let Err(error) = &result {
        stay_if_over(py, error)?;
    }
    raise(py, result)
}

/// Waits until `wait` returns true, while other greenlets run; `wait` gets its maximum time.
pub(crate) fn until(
    py: Python<'_>,
    wait: impl Fn(Option<Duration>) -> bool + Send + Sync,
) -> PyResult<()> {
    if Greenlets::here(py)?.is_some() {
        let sleep = import(py, "time")?.attribute("sleep")?; // the patched one
        while !wait(Some(Duration::ZERO)) {
            sleep.run((GREEN_SLICE.as_secs_f64(),))?;
        }
        return Ok(());
    }
    let slice = slice(py)?;
    while !py.detach(|| wait(slice)) {
        py.check_signals()?;
    }
    Ok(())
}

/// Parks a daemon thread whose call ends with the interpreter.
pub(crate) fn stay_at_exit(py: Python<'_>, popped: &Pop) -> PyResult<()> {
    match popped {
        Pop::Event(Event::Done(Err(error))) => stay_if_over(py, error),
        _ => Ok(()),
    }
}

fn stay_if_over(py: Python<'_>, error: &Error) -> PyResult<()> {
    if error.kind() == ErrorKind::Shutdown
        && let Some(since) = EXITING.get()
        && current_thread(py)?.attribute(intern!(py, "daemon"))?.truth()?
    {
        py.detach(|| {
            std::thread::sleep(STAY.saturating_sub(since.elapsed()));
            while !interpreter::is_there() {
                std::thread::park();
            }
        });
    }
    Ok(())
}

fn wait(py: Python<'_>, call: &Call) -> PyResult<Pop> {
    let ready = raise(py, call.try_pop())?;
    if !matches!(ready, Pop::Empty) {
        return Ok(ready);
    }
    if let Some(greenlets) = Greenlets::here(py)? {
        return pop_green(py, &greenlets, |ready, number| poll_once(call, ready, number), |_| ());
    }
    let slice = slice(py)?;
    loop {
        let popped = raise(py, py.detach(|| call.pop(slice)))?;
        if !matches!(popped, Pop::Empty) {
            return Ok(popped);
        }
        py.check_signals()?;
    }
}

/// The next event; if there is none, `ready` is notified of its arrival. For a call with a single consumer.
fn poll_once(call: &Call, ready: &Ready, number: u64) -> modelwire::Result<Pop> {
    match call.poll_pop(&mut Context::from_waker(&ready.waker(number))) {
        Poll::Ready(popped) => popped,
        Poll::Pending => Ok(Pop::Empty),
    }
}

/// Looks up what a wait needs while modules can be imported: an object may read a stream during interpreter
/// exit.
pub(crate) fn find_early(py: Python<'_>) -> PyResult<()> {
    functions(py)?;
    loaded(py)?;
    errors::find_early(py)
}

/// How long to wait between checks for signals. Python runs signal handlers only on its main thread; other
/// threads may wait forever.
fn slice(py: Python<'_>) -> PyResult<Option<Duration>> {
    Ok(is_main_thread(py)?.then_some(SIGNAL_CHECK))
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    // Looked up each time: after a fork, another thread is the main one.
    Ok(functions(py)?.0.bind(py).run(())?.is(current_thread(py)?))
}

fn current_thread(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    functions(py)?.1.bind(py).run(())
}

/// `threading.main_thread` and `threading.current_thread`.
fn functions(py: Python<'_>) -> PyResult<&(Py<PyAny>, Py<PyAny>)> {
    static FUNCTIONS: Kept<(Py<PyAny>, Py<PyAny>)> = Kept::new();
    FUNCTIONS.get_or_try_init(|| {
        let threading = import(py, "threading")?;
        let main = threading.attribute("main_thread")?.unbind();
        PyResult::Ok((main, threading.attribute("current_thread")?.unbind()))
    })
}
