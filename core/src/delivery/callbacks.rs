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

use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::call::call::{Call, Shared as CallShared};
use crate::call::queue::Event;
use crate::delivery::completion::{CompletionQueue, Next};
use crate::delivery::log;
use crate::driver::runtime::{self, OwnThread, PerProcess};
use crate::error::{Error, Result};

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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

thread_local! {
    static IS_CALLBACK_THREAD: Cell<bool> = const { Cell::new(false) };
}

/// Whether this is a thread on which handlers run: it must not wait for its own end.
pub fn is_callback_thread() -> bool {
    // At the end of a thread, when its locals are gone, it is none.
    IS_CALLBACK_THREAD.try_with(Cell::get).unwrap_or(false)
}

/// Called first on each thread that runs code of the program's.
pub(crate) fn mark_callback_thread() {
    IS_CALLBACK_THREAD.set(true);
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
            Ok(Next::Empty) => {}
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

/// What the handler's code gives; `None` for a panic, which must not end the thread.
pub(crate) fn guarded<T>(foreign: impl FnOnce() -> T) -> Option<T> {
    let caught = catch_unwind(AssertUnwindSafe(foreign));
    caught
        .inspect_err(|panic: &Box<dyn Any + Send>| {
            let text = panic.downcast_ref::<&str>().copied().unwrap_or("(no text)");
            tracing::error!(target: "modelwire", panic = text, "a callback panicked");
        })
        .ok()
}

/// The callback threads of this process.
static THREADS: PerProcess<Mutex<Vec<(CompletionQueue, OwnThread)>>> = PerProcess::new();

/// Ends every call with [`ErrorKind::Shutdown`](crate::ErrorKind::Shutdown), closes all
/// connections of its own thread, lets handlers see their `Done`, and joins the library's threads. Calls that start
/// afterwards fail. True if all is gone within the timeout; false leaves what is left to end on its
/// own, a handler that hangs for instance. Inside a handler it is false: the thread cannot wait for
/// itself. Calling it again is harmless and waits for what is left; of threads that call it at once
/// each waits, one after another, within its own timeout.
pub fn shutdown(timeout: Duration) -> bool {
    static UNDER_WAY: PerProcess<UnderWay> = PerProcess::new();
    let start = Instant::now();
    let Ok(under_way) = UNDER_WAY.get_or_try_init(|| Ok(UnderWay::default())) else { return false };
    // The one that is under way may wait for the handler on this thread.
    let patience = if is_callback_thread() { Duration::ZERO } else { timeout };
    let Some(_alone) = under_way.begin(patience) else { return false };
    let left = || timeout.saturating_sub(start.elapsed());
    let mut is_all_gone = runtime::shutdown(left());
    let threads = THREADS.get().map(|threads| std::mem::take(&mut *lock(threads)));
    let threads = threads.unwrap_or_default();
    threads.iter().for_each(|(queue, _)| queue.retire());
    for (queue, mut thread) in threads {
        if thread.is_current() || !thread.join_within(left()) {
            is_all_gone = false;
            if let Some(threads) = THREADS.get() {
                lock(threads).push((queue, thread)); // for who shuts down once more
            }
        }
    }
    // Last, so that the log tells of all this.
    log::forward_end().is_ok() && is_all_gone
}

/// One shutdown at a time.
#[derive(Default)]
struct UnderWay {
    is: Mutex<bool>,
    changed: Condvar,
}

impl UnderWay {
    /// `None` if another one is still under way after this time.
    fn begin(&self, timeout: Duration) -> Option<ShutsDown<'_>> {
        let waited = self.changed.wait_timeout_while(lock(&self.is), timeout, |is| *is);
        let (mut is, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        *is = true;
        Some(ShutsDown(self))
    }
}

/// Lets the next one begin when it is dropped.
struct ShutsDown<'a>(&'a UnderWay);

impl Drop for ShutsDown<'_> {
    fn drop(&mut self) {
        *lock(&self.0.is) = false;
        self.0.changed.notify_all();
    }
}
