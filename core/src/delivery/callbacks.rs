//! Callbacks: one thread per client hands the events of its started calls to their handlers. It may
//! do the I/O while it waits, and never while a handler runs, so a handler may block and run
//! other calls. Knows no language.
//!
//! # What a handler can count on
//!
//! 1. Its events come in order, one at a time, the last of them `Done`, exactly once.
//! 2. Then it is dropped, once. It is dropped too when the start fails, by the thread that started.
//! 3. The handlers of one client never run at the same time; those of two clients may.
//! 4. A handler that breaks, or panics, cancels its call: `Done` is the next it sees. After a panic
//!    it sees nothing more and is dropped when `Done` comes.
//! 5. No lock is held while it runs: it may cancel, start calls, and drop the client.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::call::call::Call;
use crate::call::queue::Event;
use crate::call::task::Shared as CallShared;
use crate::delivery::completion::{CompletionQueue, Next};
use crate::delivery::foreign::{guarded, mark_callback_thread};
use crate::driver::runtime;
use crate::driver::thread::OwnThread;
use crate::error::{Error, Result};
use crate::process::PerProcess;
use crate::sync::lock;

/// Takes the events of a started call, on the client's callback thread.
pub trait Handler: Send {
    /// The next event. [`ControlFlow::Break`] cancels the call.
    fn on_event(&mut self, event: Event) -> ControlFlow<()>;
}

impl<F: FnMut(Event) -> ControlFlow<()> + Send> Handler for F {
    fn on_event(&mut self, event: Event) -> ControlFlow<()> {
        self(event)
    }
}

/// The callback thread of a client; it ends when the client and all its calls are gone.
pub(crate) struct Dispatcher {
    shared: Arc<Shared>,
}

struct Shared {
    queue: CompletionQueue,
    entries: Mutex<HashMap<u64, Entry>>,
    last_tag: AtomicU64,
}

struct Entry {
    handler: Box<dyn Handler>,
    call: Arc<CallShared>,
    has_panicked: bool,
}

impl Dispatcher {
    pub(crate) fn new() -> Result<Dispatcher> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let shared = Arc::new(Shared {
            queue: CompletionQueue::new(None),
            entries: Mutex::default(),
            last_tag: AtomicU64::new(0),
        });
        let name = format!("mw-cb-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let at_work = shared.clone();
        let thread = OwnThread::spawn(name, move || run(&at_work)).map_err(|cause| {
            Error::internal(format!("the callback thread cannot be started: {cause}"))
        })?;
        let threads = THREADS.get_or_try_init(|| Ok(Mutex::default()))?;
        let mut threads = lock(threads);
        threads.retain(|(_, thread)| !thread.is_gone());
        threads.push((shared.queue.clone(), thread));
        drop(threads);
        Ok(Dispatcher { shared })
    }

    pub(crate) fn start(&self, call: &Call, stream: bool, handler: Box<dyn Handler>) -> Result<()> {
        let tag = self.shared.last_tag.fetch_add(1, Ordering::Relaxed);
        let entry = Entry { handler, call: call.shared().clone(), has_panicked: false };
        // Before the start, so that its first event finds it.
        lock(&self.shared.entries).insert(tag, entry);
        self.shared.queue.submit(call, stream, tag).inspect_err(|_| {
            let entry = lock(&self.shared.entries).remove(&tag);
            drop(entry);
        })
    }
}

impl Call {
    /// As [`Call::start`]; the events go to this handler, on the client's callback thread, and not
    /// to pops. The handler is dropped after `Done`, or here if the start fails.
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
        runtime::driver()?; // no callback thread is started after the shutdown
        let dispatcher = self.shared().session().companion(Dispatcher::new)?;
        dispatcher.start(self, stream, Box::new(handler))
    }
}

impl Drop for Dispatcher {
    fn drop(&mut self) {
        self.shared.queue.retire();
    }
}

/// The life of a callback thread.
fn run(shared: &Shared) {
    mark_callback_thread();
    loop {
        match shared.queue.next(None) {
            Ok(Next::Event(tag, event)) => deliver(shared, tag, event),
            Ok(Next::Empty | Next::Interrupted | Next::Log(..)) => {}
            Ok(Next::Closed) | Err(_) => return,
        }
    }
}

fn deliver(shared: &Shared, tag: u64, event: Event) {
    let is_last = matches!(event, Event::Done(_));
    // Out of the map while it runs: no lock is held then.
    let Some(mut entry) = lock(&shared.entries).remove(&tag) else { return };
    if !entry.has_panicked {
        match guarded(|| entry.handler.on_event(event)) {
            Some(ControlFlow::Continue(())) => {}
            Some(ControlFlow::Break(())) => entry.call.cancel(),
            None => {
                entry.has_panicked = true;
                entry.call.cancel();
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

/// Lets the threads see the end of their calls, and joins them; whether all are gone in time.
pub(crate) fn join(left: impl Fn() -> Duration) -> bool {
    let Some(known) = THREADS.get() else { return true };
    let threads = std::mem::take(&mut *lock(known));
    threads.iter().for_each(|(queue, _)| queue.retire());
    let mut is_all_gone = true;
    for (queue, mut thread) in threads {
        if thread.is_current() || !thread.join_within(left()) {
            is_all_gone = false;
            lock(known).push((queue, thread)); // for who shuts down once more
        }
    }
    is_all_gone
}
