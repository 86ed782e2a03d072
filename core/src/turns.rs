//! Who turns the runtime: the I/O thread, or a thread that waits alone for a whole answer. Knows
//! no call.
//!
//! Handing work to another thread and waiting for it costs two wakes, which on an idle machine are
//! most of what a plain call costs. A program that makes one plain call after another needs no
//! second thread: the I/O thread stands aside, and the caller turns the runtime while it waits.
//!
//! # States
//!
//! | state | who turns | what ends it |
//! |---|---|---|
//! | ours | the I/O thread | `ALONE_MIN` waited calls in a row, nothing beside them: it stands aside |
//! | aside | nobody: nothing is under way but the call of a caller on its way to wait | a caller takes the turn; any other work, or `ASIDE_TIME`, brings the I/O thread back |
//! | caller's | one caller | its wait ends: aside if nothing is left, else ours |
//!
//! # Invariants
//!
//! 1. Whenever a task lives, somebody turns the runtime or was woken to do so; but for a call that
//!    its caller is about to wait for, which waits `ASIDE_TIME` at most.
//! 2. A caller has the turn only from `aside`, so it never takes it from the I/O thread.
//! 3. Before its call is sent a caller lets the runtime look at the sockets once: a connection that
//!    the service closed meanwhile is not used again.
//! 4. The runtime is torn down by the I/O thread, after a caller that has the turn let go of it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::runtime::{Handle, Runtime};
use tokio::sync::Notify;

use crate::owed;

/// Waited calls in a row, alone, after which the I/O thread stands aside.
const ALONE_MIN: u32 = 2;

/// How long nothing may turn the runtime: then the I/O thread looks after idle connections.
const ASIDE_TIME: Duration = Duration::from_millis(50);

/// The runtime of a process, and who turns it.
pub(crate) struct Turns {
    handle: Handle,
    state: Mutex<State>,
    /// The I/O thread waits here while it stands aside, and for the caller to let go.
    changed: Condvar,
    /// Calls the I/O thread away from turning.
    io_called: Notify,
    /// Calls a caller away from turning.
    caller_called: Notify,
    is_stopped: AtomicBool,
}

struct State {
    /// Taken away when the library is shut down.
    runtime: Option<Arc<Runtime>>,
    turn: Turn,
    /// Tasks of calls.
    live: usize,
    /// Waited calls in a row that nothing ran beside.
    alone: u32,
    used_at: Instant,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Ours,
    Aside,
    Callers,
}

/// A task that lives; told of its end.
pub(crate) struct Living {
    turns: Arc<Turns>,
    is_waited: bool,
    has_ended: AtomicBool,
}

/// The right of a thread to turn the runtime while it waits.
pub(crate) struct CallersTurn {
    turns: Arc<Turns>,
    runtime: Option<Arc<Runtime>>,
}

impl Turns {
    pub(crate) fn new(runtime: Runtime) -> Arc<Turns> {
        let state =
            State { turn: Turn::Ours, live: 0, alone: 0, used_at: Instant::now(), runtime: None };
        let turns = Turns {
            handle: runtime.handle().clone(),
            state: Mutex::new(State { runtime: Some(Arc::new(runtime)), ..state }),
            changed: Condvar::new(),
            io_called: Notify::new(),
            caller_called: Notify::new(),
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

    /// A task is about to be spawned that nobody here waits for.
    pub(crate) fn begin(self: &Arc<Self>) -> Living {
        let mut state = self.lock();
        state.live += 1;
        state.alone = 0;
        if state.turn == Turn::Aside {
            self.call_back(&mut state);
        }
        Living { turns: self.clone(), is_waited: false, has_ended: AtomicBool::new(false) }
    }

    /// A task is about to be spawned that the calling thread is going to wait for.
    pub(crate) fn begin_waited(self: &Arc<Self>) -> Living {
        if let Some(turn) = self.take() {
            turn.look_at_sockets();
        }
        let mut state = self.lock();
        state.live += 1;
        state.used_at = Instant::now();
        if state.live > 1 {
            state.alone = 0;
        }
        Living { turns: self.clone(), is_waited: true, has_ended: AtomicBool::new(false) }
    }

    /// The turn, if the I/O thread stands aside and this thread can take its place.
    pub(crate) fn take(self: &Arc<Self>) -> Option<CallersTurn> {
        let mut state = self.lock();
        if state.turn != Turn::Aside {
            return None;
        }
        if !crate::runtime::may_turn_here() {
            self.call_back(&mut state);
            return None;
        }
        state.turn = Turn::Callers;
        let runtime = state.runtime.clone();
        Some(CallersTurn { turns: self.clone(), runtime })
    }

    fn call_back(&self, state: &mut State) {
        state.turn = Turn::Ours;
        state.alone = 0;
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
        while state.turn != Turn::Ours && !self.is_stopped.load(Ordering::SeqCst) {
            let waited = self.changed.wait_timeout(state, ASIDE_TIME);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
            if state.turn == Turn::Aside && state.used_at.elapsed() >= ASIDE_TIME {
                state.turn = Turn::Ours;
                state.alone = 0;
            }
        }
    }

    /// Everything ends: tasks are dropped, and their calls with them.
    fn tear_down(&self) {
        let mut state = self.lock();
        let runtime = state.runtime.take();
        while state.turn == Turn::Callers {
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
        self.caller_called.notify_one();
        self.changed.notify_all();
        drop(state);
    }
}

impl Living {
    /// The task of a waited call is as good as over.
    pub(crate) fn end_if_waited(&self) {
        if self.is_waited {
            self.end();
        }
    }

    fn end(&self) {
        if self.has_ended.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut state = self.turns.lock();
        state.live -= 1;
        if self.is_waited && state.live == 0 && state.turn == Turn::Ours {
            state.alone = state.alone.saturating_add(1);
            if state.alone >= ALONE_MIN {
                // At once, for the caller's next call may come before the I/O thread has stopped:
                // then the caller waits for that moment inside the runtime.
                state.turn = Turn::Aside;
                state.used_at = Instant::now();
                self.turns.io_called.notify_one();
            }
        }
    }
}

impl Drop for Living {
    fn drop(&mut self) {
        self.end();
    }
}

impl CallersTurn {
    /// Lets the runtime see what happened to its connections meanwhile.
    fn look_at_sockets(&self) {
        if let Some(runtime) = &self.runtime {
            runtime.block_on(tokio::task::yield_now());
        }
    }

    /// Turns the runtime until this is ready; `None` when the time ran out or the library is shut
    /// down.
    pub(crate) fn wait_for<T>(
        &self,
        timeout: Option<Duration>,
        ready: impl Future<Output = T>,
    ) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        let until = async {
            let mut ready = pin!(ready);
            let mut called = pin!(self.turns.caller_called.notified());
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
        runtime.block_on(async {
            match timeout {
                None => until.await,
                Some(timeout) => tokio::time::timeout(timeout, until).await.ok().flatten(),
            }
        })
    }
}

impl Drop for CallersTurn {
    fn drop(&mut self) {
        self.runtime = None;
        let mut state = self.turns.lock();
        state.used_at = Instant::now();
        state.turn = Turn::Aside;
        if state.live > 0 || self.turns.is_stopped.load(Ordering::SeqCst) {
            self.turns.call_back(&mut state);
        }
    }
}
