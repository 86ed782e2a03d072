//! Callbacks: one thread per client passes the events of its started calls to their handlers. It may do
//! the I/O while it waits, but never while a handler runs, so a handler may block and run other calls.
//!
//! # Guarantees for a handler
//!
//! 1. Its events arrive in order, one at a time; the last one is `Done`, exactly once.
//! 2. Then it is dropped, once. If the start fails, the starting thread drops it.
//! 3. The handlers of one client never run at the same time; those of two clients may.
//! 4. A handler that breaks or panics cancels its call: it then receives `Done` next. After a panic it
//!    receives nothing more and is dropped at `Done`.
//! 5. No lock is held while it runs: it may cancel, start calls, and drop the client.
//! 6. A wait for its end returns after its drop has returned, and not earlier.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::answer::error::{Error, Result};
use crate::call::call::{Call, interruptibly};
use crate::call::foreign::{Foreign, check_may_close, check_may_wait, enter, guarded};
use crate::call::queue::Event;
use crate::call::session::Session;
use crate::call::task::Shared as CallShared;
use crate::delivery::completion::CompletionQueue;
use crate::delivery::many::Next;
use crate::driver::thread::OwnThread;
use crate::system::process::{self, PerProcess, Run, shutting_down};
use crate::system::sync::lock;

/// Receives the events of a started call, on the client's callback thread.
///
/// ```
/// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use std::ops::ControlFlow;
/// use modelwire::{Call, Event, Handler, Request};
///
/// struct Printer;
///
/// impl Handler for Printer {
///     fn on_event(&mut self, event: Event) -> ControlFlow<()> {
///         println!("{event:?}");
///         ControlFlow::Continue(())
///     }
/// }
///
/// let call = Call::new(&client, Request::models());
/// call.start_with(false, Printer)?;
/// call.wait_over(None)?;
/// # Ok::<(), modelwire::Error>(())
/// ```
pub trait Handler: Send {
    /// The next event. [`ControlFlow::Break`] cancels the call.
    fn on_event(&mut self, event: Event) -> ControlFlow<()>;
}

impl<F: FnMut(Event) -> ControlFlow<()> + Send> Handler for F {
    fn on_event(&mut self, event: Event) -> ControlFlow<()> {
        self(event)
    }
}

/// The callback thread of a client in one run of the library; it ends when the client and all its calls
/// are dropped, or the client is closed.
pub(crate) struct Dispatcher {
    shared: Arc<Shared>,
}

struct Shared {
    queue: CompletionQueue,
    entries: Mutex<HashMap<u64, Entry>>,
    last_tag: AtomicU64,
}

/// Dropped in this order: a handler has ended when its drop has returned.
struct Entry {
    handler: Box<dyn Handler>,
    has_panicked: bool,
    call: HandlerCount,
}

/// Counts as an unfinished handler of this call.
struct HandlerCount(Arc<CallShared>);

impl HandlerCount {
    fn new(call: Arc<CallShared>) -> HandlerCount {
        call.session().handler_comes(Some(call.handlers()));
        HandlerCount(call)
    }
}

impl Drop for HandlerCount {
    fn drop(&mut self) {
        self.0.session().handler_is_gone(Some(self.0.handlers()));
        if let Some(bell) = self.0.bell() {
            bell.nudge();
        }
    }
}

/// Ends all calls of a session, and waits for its handlers.
pub(crate) fn close(session: &Arc<Session>, timeout: Option<Duration>) -> Result<bool> {
    check_may_close(session)?;
    session.close()?;
    session.wait_for_handlers(None, timeout)
}

impl Dispatcher {
    fn new(session: &Arc<Session>, run: Run) -> Result<Dispatcher> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let shared = Arc::new(Shared {
            queue: CompletionQueue::new(None),
            entries: Mutex::default(),
            last_tag: AtomicU64::new(0),
        });
        let name = format!("mw-cb-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let (at_work, of) = (shared.clone(), Arc::downgrade(session));
        let threads = THREADS.get_or_try_init(|| Ok(Mutex::default()))?;
        let mut threads = lock(threads);
        if !process::is_running(run) {
            return Err(process::shutting_down()); // no shutdown would join it
        }
        let begin = move || {
            enter(of.as_ptr(), Foreign::Handlers);
            run_thread(&at_work);
        };
        let thread = OwnThread::spawn(name, begin)
            .map_err(|cause| Error::no_room("the callback thread cannot be started", &cause))?;
        threads.retain(|(_, thread)| !thread.is_gone());
        threads.push((shared.queue.clone(), thread));
        drop(threads);
        Ok(Dispatcher { shared })
    }

    pub(crate) fn start(&self, call: &Call, stream: bool, handler: Box<dyn Handler>) -> Result<()> {
        let tag = self.shared.last_tag.fetch_add(1, Ordering::Relaxed);
        let held = HandlerCount::new(call.shared().clone());
        let entry = Entry { handler, has_panicked: false, call: held };
        // Before the start, so that it is registered for its first event.
        lock(&self.shared.entries).insert(tag, entry);
        self.shared.queue.submit(call, stream, tag).map_err(|error| {
            let entry = lock(&self.shared.entries).remove(&tag);
            drop(entry);
            match self.shared.queue.is_closed() {
                // Retired in between, by a close or by a shutdown.
                true => call.shared().session().check_open().err().unwrap_or_else(shutting_down),
                false => error,
            }
        })
    }
}

impl Call {
    /// Like [`Call::start`]; the events go to this callback, on the client's callback thread, and not to
    /// pops. The callback is dropped after `Done`, or here if the start fails.
    ///
    /// ```no_run
    /// # fn run(client: &modelwire::Client) -> modelwire::Result<()> {
    /// use std::ops::ControlFlow;
    /// use modelwire::{Call, Event, Request};
    ///
    /// let call = Call::new(client, Request::chat("a-model").user("Say hello."));
    /// call.start_with(true, |event: Event| {
    ///     if let Event::Chunk(chunk) = event {
    ///         print!("{}", chunk.text());
    ///     }
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok(()) }
    /// ```
    pub fn start_with(&self, stream: bool, handler: impl Handler + 'static) -> Result<()> {
        self.check_process()?;
        let session = self.shared().session();
        let run = session.in_run(process::run()?)?;
        let dispatcher = run.companion(|| Dispatcher::new(session, run.number()))?;
        dispatcher.start(self, stream, Box::new(handler))
    }

    /// Waits until the callback of [`Call::start_with`] is dropped and its drop has returned: none of
    /// its code runs any more. Returns true at once for a call that was never started, or whose start
    /// failed; false on timeout. Fails inside a callback of the same client, which would wait for
    /// itself, and for a call that was started without a callback.
    pub fn wait_over(&self, timeout: Option<Duration>) -> Result<bool> {
        self.check_waitable()?;
        let (session, handlers) = (self.shared().session(), self.shared().handlers());
        if handlers.are_held() && timeout != Some(Duration::ZERO) {
            self.check_may_wait()?;
        }
        session.wait_for_handlers(Some(handlers), timeout)
    }

    /// The same for a call that was [made interruptible](Call::make_interruptible): `None` as for
    /// [`Call::pop_interruptible`].
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use std::ops::ControlFlow;
    /// use modelwire::{Call, Request};
    ///
    /// let call = Call::new(&client, Request::models());
    /// call.make_interruptible()?;
    /// call.start_with(false, |_| ControlFlow::Continue(()))?;
    /// while call.wait_over_interruptible(None)?.is_none() {
    ///     println!("interrupted");
    /// }
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn wait_over_interruptible(&self, timeout: Option<Duration>) -> Result<Option<bool>> {
        self.check_waitable()?;
        if self.shared().handlers().are_held() && timeout != Some(Duration::ZERO) {
            self.check_may_wait()?;
        }
        let is_over = || (!self.shared().handlers().are_held()).then_some(());
        let waited = interruptibly(self.bell()?, timeout, is_over);
        Ok(waited.map(|over| over.is_some()))
    }

    fn check_waitable(&self) -> Result<()> {
        self.check_process()?;
        let shared = self.shared();
        if !shared.handlers().were_held() && shared.was_started() {
            return Err(Error::argument("the call was not started with a callback"));
        }
        check_may_wait(shared.session(), shared)
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.shared.queue.retire();
    }
}

/// The main loop of a callback thread.
fn run_thread(shared: &Shared) {
    loop {
        match shared.queue.next(None) {
            Ok(Next::Event(tag, event)) => deliver(shared, tag, event),
            Ok(Next::Empty | Next::Interrupted | Next::Log(..) | Next::Call(..)) => {}
            Ok(Next::Closed) | Err(_) => return,
        }
    }
}

fn deliver(shared: &Shared, tag: u64, event: Event) {
    let is_last = matches!(event, Event::Done(_));
    // Removed from the map while it runs, so that no lock is held.
    let Some(mut entry) = lock(&shared.entries).remove(&tag) else { return };
    if !entry.has_panicked {
        match guarded(|| entry.handler.on_event(event)) {
            Some(ControlFlow::Continue(())) => {}
            Some(ControlFlow::Break(())) => entry.call.0.cancel(),
            None => {
                entry.has_panicked = true;
                entry.call.0.cancel();
            }
        }
    }
    if is_last {
        guarded(|| drop(entry));
    } else {
        lock(&shared.entries).insert(tag, entry);
    }
}

/// The callback threads of this process.
static THREADS: PerProcess<Mutex<Vec<(CompletionQueue, OwnThread)>>> = PerProcess::new();

/// Lets the threads deliver the ends of their calls, and joins them; returns whether all ended in time.
pub(crate) fn join(left: impl Fn() -> Duration) -> bool {
    let Some(known) = THREADS.get() else { return true };
    let threads = std::mem::take(&mut *lock(known));
    threads.iter().for_each(|(queue, _)| queue.retire());
    let mut is_all_gone = true;
    for (queue, thread) in threads {
        if thread.is_current() || !thread.join_within(left()) {
            is_all_gone = false;
            lock(known).push((queue, thread)); // for the next shutdown
        }
    }
    is_all_gone
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::net::TcpListener;

    use super::*;
    use crate::answer::error_kind::ErrorKind;
    use crate::client::Client;
    use crate::options::config::{Config, Settings};
    use crate::request::request::Request;

    fn goes_on(_: Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    #[test]
    fn a_start_that_finds_the_thread_retired_says_why() {
        let session = Arc::new(Session::new(Settings::for_tests("sk-test")));
        let dispatcher = Dispatcher::new(&session, process::run().unwrap()).unwrap();
        let start = || {
            let call = Call::of(session.clone(), Request::models());
            let refused = dispatcher.start(&call, false, Box::new(goes_on)).unwrap_err();
            (refused.kind(), refused.message().to_owned())
        };
        dispatcher.shared.queue.retire();
        assert_eq!(start(), (ErrorKind::Shutdown, shutting_down().message().to_owned()));
        session.close().unwrap();
        assert_eq!(start(), (ErrorKind::Closed, "the client was closed".to_owned()));
    }

    #[test]
    fn only_a_wait_for_a_handler_is_refused_where_it_would_block_the_io() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let base_url = format!("http://{}/v1", silent.local_addr().unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let config = Config::new().base_url(base_url).api_key("sk-test");
        let client = Client::new(config.runtime(runtime.handle().clone())).unwrap();
        let call = Call::new(&client, Request::models());
        call.make_interruptible().unwrap();
        runtime.block_on(async {
            let wait =
                |timeout| call.wait_over_interruptible(timeout).map_err(|error| error.kind());
            assert_eq!(wait(None), Ok(Some(true)), "there is no handler");
            call.start_with(false, goes_on).unwrap();
            assert_eq!(wait(Some(Duration::ZERO)), Ok(Some(false)));
            assert_eq!(wait(None), Err(ErrorKind::Argument));
            call.cancel();
        });
        let over = std::iter::repeat_with(|| call.wait_over_interruptible(None).unwrap());
        assert_eq!(over.flatten().next(), Some(true));
    }
}
