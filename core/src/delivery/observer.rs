//! The observer of a client: a function that receives each ended call, one at a time, on its own
//! thread.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use crate::answer::error::{Error, Result};
use crate::call::foreign::{Foreign, enter, guarded};
use crate::call::observers::{CallEnded, EndedCalls, Observed};
use crate::call::session::{Handlers, Session};
use crate::driver::thread::OwnThread;
use crate::system::process::{self, PerProcess};
use crate::system::sync::lock;

/// The observer of a session. Dropping it ends it without a wait: queued calls are still delivered.
struct Observer {
    ended: Arc<EndedCalls>,
    observed: Observed,
    thread: Arc<OwnThread>,
}

/// The observers of this process whose threads may still run.
static RUNNING: PerProcess<Mutex<Vec<Running>>> = PerProcess::new();

/// A buffer and the thread that empties it.
type Running = (Arc<EndedCalls>, Arc<OwnThread>);

/// A function until its thread takes it: after an earlier failure, it is dropped without a lock held.
type Given<F> = Arc<Mutex<Option<F>>>;

/// Held while the thread runs: the close of the session waits for it like for a handler.
struct Own {
    session: Weak<Session>,
    held: Handlers,
}

impl Own {
    fn new(session: &Arc<Session>) -> Own {
        let own = Own { session: Arc::downgrade(session), held: Handlers::default() };
        session.handler_comes(Some(&own.held));
        own
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        if let Some(session) = self.session.upgrade() {
            session.handler_is_gone(Some(&self.held));
        }
    }
}

/// Sets the observer of a session, and replaces an earlier one.
pub(crate) fn replace(
    session: &Arc<Session>,
    function: impl FnMut(CallEnded) -> ControlFlow<()> + Send + 'static,
) -> Result<()> {
    // After a failure, the function is dropped without a lock held.
    let function = Arc::new(Mutex::new(Some(function)));
    session.change_observer(|place| {
        let earlier = place.as_ref().and_then(|earlier| earlier.downcast_ref());
        let observer = Observer::of(session, &function, earlier)?;
        *place = Some(Box::new(observer));
        Ok(())
    })
}

/// Ends the observer of a session; after a close, it has already ended.
pub(crate) fn end(session: &Session) {
    let _ = session.change_observer(|place| {
        drop(place.take());
        Ok(())
    });
}

impl Observer {
    fn of(
        session: &Arc<Session>,
        function: &Given<impl FnMut(CallEnded) -> ControlFlow<()> + Send + 'static>,
        earlier: Option<&Observer>,
    ) -> Result<Observer> {
        let mut running = lock(RUNNING.get_or_try_init(|| Ok(Mutex::default()))?);
        process::run()?; // a shutdown would not wait for it
        let before = earlier.map(|earlier| earlier.thread.clone());
        let ended = Arc::new(EndedCalls::new(None));
        let (calls, function, own) = (ended.clone(), function.clone(), Own::new(session));
        let thread = OwnThread::spawn("mw-observer".to_owned(), move || {
            enter(own.session.as_ptr(), Foreign::Observer);
            if let Some(before) = before {
                before.is_gone_within(Duration::MAX);
            }
            let given = lock(&*function).take();
            if let Some(mut function) = given {
                call_with_all(&calls, &mut function);
                match calls.is_of_this_process() {
                    true => drop(guarded(|| drop(function))),
                    false => std::mem::forget(function), // in a forked child: it is the parent's
                }
            }
            drop(own);
        });
        let thread = thread
            .map_err(|cause| Error::no_room("the thread of on_call cannot be started", &cause))?;
        let thread = Arc::new(thread);
        running.retain(|(_, thread)| !thread.is_gone());
        running.push((ended.clone(), thread.clone()));
        let earlier = earlier.map(|earlier| &earlier.observed);
        let observed =
            Observed::new(session.observers(), &ended, 0, earlier).inspect_err(|_| ended.stop())?;
        Ok(Observer { ended, observed, thread })
    }
}

/// Calls the function until the buffer is stopped and empty, or the function breaks.
fn call_with_all(calls: &EndedCalls, function: &mut impl FnMut(CallEnded) -> ControlFlow<()>) {
    while let Some(ended) = calls.wait() {
        // After a panic it still receives the next call.
        if guarded(|| function(ended)) == Some(ControlFlow::Break(())) {
            calls.stop();
            while calls.wait().is_some() {}
        }
    }
}

/// Whether the thread ends within the timeout.
fn is_over(thread: &OwnThread, timeout: Duration) -> bool {
    !thread.is_current() && thread.join_within(timeout)
}

impl Drop for Observer {
    fn drop(&mut self) {
        self.ended.stop();
    }
}

/// Ends all observers after their queued calls; returns whether they ended in time.
pub(crate) fn end_all(timeout: Duration) -> bool {
    let Some(known) = RUNNING.get() else { return true };
    let start = Instant::now();
    let mut running = std::mem::take(&mut *lock(known));
    running.iter().for_each(|(ended, _)| ended.stop());
    running.retain(|(_, thread)| !is_over(thread, timeout.saturating_sub(start.elapsed())));
    let are_gone = running.is_empty();
    lock(known).append(&mut running); // for the next shutdown
    are_gone
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::options::config::Settings;

    /// The thread of a new observer.
    fn observed(session: &Arc<Session>) -> Arc<OwnThread> {
        replace(session, |_| ControlFlow::Continue(())).unwrap();
        let mut thread = None;
        let found = session.change_observer(|place| {
            let observer: Option<&Observer> = place.as_ref().and_then(|own| own.downcast_ref());
            thread = observer.map(|observer| observer.thread.clone());
            Ok(())
        });
        found.unwrap();
        thread.unwrap()
    }

    #[test]
    fn a_shutdown_waits_for_every_observer_that_may_still_run() {
        let [first, second, third] =
            [(); 3].map(|()| Arc::new(Session::new(Settings::for_tests("sk-test"))));
        let is_known = |thread: &Arc<OwnThread>| {
            lock(RUNNING.get().unwrap()).iter().any(|(_, known)| Arc::ptr_eq(known, thread))
        };
        let (gone, running) = (observed(&first), observed(&second));
        assert!(is_known(&gone) && is_known(&running));
        end(&first);
        assert!(gone.is_gone_within(Duration::MAX));
        let new = observed(&third);
        assert!(!is_known(&gone) && is_known(&running) && is_known(&new));
    }
}
