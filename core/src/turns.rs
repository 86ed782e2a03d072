//! Who turns the runtime: the I/O thread, or a thread that waits alone for all that is under way.
//! Knows no call.
//!
//! Handing work to another thread and waiting for it costs two wakes, which on an idle machine are
//! most of what a plain call costs, and of what a chunk of a slow stream costs. A program that waits
//! for one thing at a time needs no second thread: the I/O thread stands aside, and the thread that
//! waits turns the runtime meanwhile.
//!
//! # States
//!
//! | state | who turns | what ends it |
//! |---|---|---|
//! | ours | the I/O thread | a thread begins to wait, `ALONE_MIN` waits in a row were for all that lived: it takes the turn |
//! | waiter's | that thread | its wait ends: aside, or ours if something else lives or waits beside it |
//! | aside | nobody: what lives is waited for by a thread that is on its way to wait, or that looks at what it got | that thread waits again; any other work, or `ASIDE_TIME`, brings the I/O thread back |
//!
//! # Invariants
//!
//! 1. Whenever a task lives, somebody turns the runtime or was woken to do so; but for tasks whose
//!    one waiter is busy elsewhere, which rest for twice `ASIDE_TIME` at most.
//! 2. At most one thread has the turn; it takes it from the I/O thread only for what it alone waits
//!    for.
//! 3. A call that is begun while nobody watched the sockets, or may not have yet, lets the runtime
//!    look at them first: a connection that the service closed meanwhile is not used again.
//! 4. A waiter is told of no SIGPIPE that its I/O raised.
//! 5. The runtime is torn down by the I/O thread, after a waiter that has the turn let go of it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Runtime};
use tokio::sync::Notify;

use crate::owed;
use crate::runtime::without_sigpipe;

/// Waits in a row, each for all that lived, before a waiter takes the turn.
const ALONE_MIN: u32 = 4;

/// How long nothing may turn the runtime: then the I/O thread looks after connections and calls.
const ASIDE_TIME: Duration = Duration::from_millis(20);

/// After so many looks at one and the same wait the I/O thread sleeps until that ends.
const LOOKS_MAX: u32 = 5;

/// The runtime of a process, and who turns it.
pub(crate) struct Turns {
    handle: Handle,
    state: Mutex<State>,
    /// The I/O thread waits here while it stands aside, and for a waiter to let go.
    changed: Condvar,
    /// Calls the I/O thread away from turning.
    io_called: Notify,
    /// Calls a waiter away from turning.
    waiter_called: Notify,
    is_stopped: AtomicBool,
}

struct State {
    /// Taken away when the library is shut down.
    runtime: Option<Arc<Runtime>>,
    turn: Turn,
    /// Tasks of calls.
    live: usize,
    /// Waits in a row that nothing ran beside.
    alone: u32,
    /// When a waiter let go of the turn, or a call was begun that a waiter is about to wait for.
    used_at: Instant,
    /// The completion queue whose waiter let go of the turn, and its thread.
    lent_to: Option<(WaitId, usize)>,
    /// The I/O thread is outside the runtime; and then it may sleep until it is told.
    is_io_away: bool,
    is_io_asleep: bool,
    /// The I/O thread was away and has not looked at the sockets since.
    is_stale: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Ours,
    Aside,
    Waiters,
}

/// A completion queue, told apart from others by its address.
pub(crate) type WaitId = usize;

/// Who waits for a call that is about to be spawned.
#[derive(Clone, Copy)]
pub(crate) enum Awaited {
    /// Nobody is known to turn for it.
    Anywhere,
    /// This thread, next.
    Here,
    /// Whoever waits at this completion queue.
    At(WaitId),
}

/// The calling thread: an address of its own.
fn this_thread() -> usize {
    thread_local! {
        static MARK: u8 = const { 0 };
    }
    MARK.try_with(|mark| std::ptr::from_ref(mark).addr()).unwrap_or_default()
}

/// A task that lives; told of its end.
pub(crate) struct Living {
    turns: Arc<Turns>,
    looks_first: bool,
    has_ended: AtomicBool,
}

/// How a wait on the turn ended.
pub(crate) enum Waited<T> {
    Found(T),
    TimedOut,
    /// The thread has to wait as one that turns nothing.
    Elsewhere,
}

/// The right of a thread to turn the runtime while it waits.
struct WaitersTurn {
    turns: Arc<Turns>,
    runtime: Option<Arc<Runtime>>,
    /// How many tasks it may wait for.
    own: usize,
    queue: Option<WaitId>,
    /// Somebody else waits for the same.
    has_company: bool,
}

impl Turns {
    pub(crate) fn new(runtime: Runtime) -> Arc<Turns> {
        let handle = runtime.handle().clone();
        let state = State {
            runtime: Some(Arc::new(runtime)),
            turn: Turn::Ours,
            live: 0,
            alone: 0,
            used_at: Instant::now(),
            lent_to: None,
            is_io_away: false,
            is_io_asleep: false,
            is_stale: true,
        };
        let turns = Turns {
            handle,
            state: Mutex::new(state),
            changed: Condvar::new(),
            io_called: Notify::new(),
            waiter_called: Notify::new(),
            is_stopped: AtomicBool::new(false),
        };
        Arc::new(turns)
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task is about to be spawned.
    pub(crate) fn begin(self: &Arc<Self>, awaited: Awaited) -> Living {
        let mut state = self.lock();
        let looks_first = state.turn != Turn::Ours || state.is_stale;
        // Whether it disturbs nobody who turns alone, and is turned itself.
        let (is_alone, comes_back) = match awaited {
            Awaited::Anywhere => (false, false),
            Awaited::Here => (state.live == 0, state.live == 0),
            Awaited::At(queue) => (true, state.lent_to == Some((queue, this_thread()))),
        };
        if state.turn == Turn::Aside {
            match comes_back {
                true => state.used_at = Instant::now(),
                false => self.call_back(&mut state),
            }
        }
        if !is_alone {
            state.alone = 0;
        }
        state.live += 1;
        Living { turns: self.clone(), looks_first, has_ended: AtomicBool::new(false) }
    }

    /// Waits for this on the turn, where the thread may have it: it waits for `own` tasks or what is
    /// left of them, and nobody else waits for the same.
    pub(crate) fn wait<T>(
        self: &Arc<Self>,
        (own, queue): (usize, Option<WaitId>),
        timeout: Option<Duration>,
        has_company: impl Fn() -> bool,
        ready: impl Future<Output = T>,
    ) -> Waited<T> {
        if timeout == Some(Duration::ZERO) || has_company() {
            return Waited::Elsewhere;
        }
        let Some(mut turn) = self.take(own, queue) else { return Waited::Elsewhere };
        let found = turn.wait_for(timeout, ready);
        // Who came meanwhile is not to depend on this thread's coming back.
        turn.has_company = has_company();
        match found {
            Some(found) => Waited::Found(found),
            None if timeout.is_some() => Waited::TimedOut,
            None => Waited::Elsewhere, // shut down: there is something to be found soon
        }
    }

    /// The turn, for a thread that is about to wait for `own` tasks or what is left of them.
    fn take(self: &Arc<Self>, own: usize, queue: Option<WaitId>) -> Option<WaitersTurn> {
        let mut state = self.lock();
        if state.live == 0 || state.live > own {
            state.alone = 0;
            if state.turn == Turn::Aside {
                self.call_back(&mut state);
            }
            return None;
        }
        match state.turn {
            Turn::Waiters => return None,
            Turn::Aside => {}
            Turn::Ours => {
                state.alone = state.alone.saturating_add(1);
                if state.alone < ALONE_MIN {
                    return None;
                }
            }
        }
        self.hand_over(state, own, queue)
    }

    fn hand_over(
        self: &Arc<Self>,
        mut state: MutexGuard<'_, State>,
        own: usize,
        queue: Option<WaitId>,
    ) -> Option<WaitersTurn> {
        if self.is_stopped.load(Ordering::SeqCst) {
            return None;
        }
        if !crate::runtime::may_turn_here() {
            self.call_back(&mut state);
            return None;
        }
        state.turn = Turn::Waiters;
        // Not inside the runtime, which would leave something of its own behind in this thread.
        while !state.is_io_away {
            self.io_called.notify_one();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            if self.is_stopped.load(Ordering::SeqCst) {
                self.call_back(&mut state);
                return None;
            }
        }
        let runtime = state.runtime.clone();
        Some(WaitersTurn { turns: self.clone(), runtime, own, queue, has_company: false })
    }

    fn call_back(&self, state: &mut State) {
        state.turn = Turn::Ours;
        state.alone = 0;
        state.lent_to = None;
        self.changed.notify_all();
    }

    /// The life of the I/O thread.
    pub(crate) fn run(&self) {
        loop {
            let Some(runtime) = self.lock().runtime.clone() else { return };
            let promise = owed::promise();
            runtime.block_on(self.called_away());
            drop((runtime, promise));
            if self.is_stopped.load(Ordering::SeqCst) {
                return self.tear_down();
            }
            self.stand_aside();
        }
    }

    async fn called_away(&self) {
        look_at_sockets().await;
        self.lock().is_stale = false;
        loop {
            let called = self.io_called.notified();
            if self.is_stopped.load(Ordering::SeqCst) || self.lock().turn != Turn::Ours {
                return;
            }
            called.await;
        }
    }

    fn stand_aside(&self) {
        let mut state = self.lock();
        (state.is_io_away, state.is_stale) = (true, true);
        self.changed.notify_all();
        let (mut looks, mut used_at) = (0, state.used_at);
        while state.turn != Turn::Ours && !self.is_stopped.load(Ordering::SeqCst) {
            state.is_io_asleep = state.turn == Turn::Waiters && looks >= LOOKS_MAX;
            state = if state.is_io_asleep {
                self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
            } else {
                let waited = self.changed.wait_timeout(state, ASIDE_TIME);
                waited.unwrap_or_else(PoisonError::into_inner).0
            };
            state.is_io_asleep = false;
            if state.turn == Turn::Aside && state.used_at.elapsed() >= ASIDE_TIME {
                state.turn = Turn::Ours;
                state.alone = 0;
                state.lent_to = None;
            }
            looks = if state.used_at == used_at { looks + 1 } else { 0 };
            used_at = state.used_at;
        }
        state.is_io_away = false;
    }

    /// Everything ends: tasks are dropped, and their calls with them.
    fn tear_down(&self) {
        let mut state = self.lock();
        let runtime = state.runtime.take();
        while state.turn == Turn::Waiters {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        // A name lookup may still block a helper thread; nobody waits for it.
        if let Some(runtime) = runtime.and_then(Arc::into_inner) {
            runtime.shutdown_background();
        }
    }

    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        let state = self.lock();
        self.io_called.notify_one();
        self.waiter_called.notify_one();
        self.changed.notify_all();
        drop(state);
    }
}

/// Lets the runtime see what happened to its connections meanwhile: who yields goes on after that.
async fn look_at_sockets() {
    tokio::task::yield_now().await;
}

impl Living {
    /// What the task does first.
    pub(crate) async fn look_at_sockets(&self) {
        if self.looks_first {
            look_at_sockets().await;
        }
    }

    /// The task is as good as over.
    pub(crate) fn end(&self) {
        if !self.has_ended.swap(true, Ordering::Relaxed) {
            self.turns.lock().live -= 1;
        }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.end();
    }
}

impl WaitersTurn {
    /// Turns the runtime until this is ready; `None` when the time ran out or the library is shut
    /// down.
    fn wait_for<T>(&self, timeout: Option<Duration>, ready: impl Future<Output = T>) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        let until = async {
            let mut ready = pin!(ready);
            let mut called = pin!(self.turns.waiter_called.notified());
            poll_fn(|cx| {
                if let Poll::Ready(found) = ready.as_mut().poll(cx) {
                    return Poll::Ready(Some(found));
                }
                if self.turns.is_stopped.load(Ordering::SeqCst) {
                    return Poll::Ready(None);
                }
                called.as_mut().poll(cx).map(|()| None)
            })
            .await
        };
        without_sigpipe(|| {
            runtime.block_on(async {
                match timeout {
                    None => until.await,
                    Some(timeout) => tokio::time::timeout(timeout, until).await.ok().flatten(),
                }
            })
        })
    }
}

impl Drop for WaitersTurn {
    fn drop(&mut self) {
        self.runtime = None;
        let turns = &self.turns;
        let mut state = turns.lock();
        state.turn = Turn::Aside;
        state.used_at = Instant::now();
        state.lent_to = self.queue.map(|queue| (queue, this_thread()));
        let has_others = state.live > self.own || self.has_company;
        if has_others || turns.is_stopped.load(Ordering::SeqCst) {
            turns.call_back(&mut state);
        } else if state.is_io_asleep {
            turns.changed.notify_all(); // it looks again from now on
        }
    }
}
