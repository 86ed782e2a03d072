//! How calls end, without a service: the test stands for the task.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::pin::pin;
use std::sync::Weak;
use std::task::{Context as TaskContext, Waker};

use tokio::runtime::{Builder, Handle, Runtime};

use super::*;
use crate::call::queue::{Event, Pop};
use crate::driver::driver::Load;
use crate::driver::state::WaitedOnBy;
use crate::options::config::Settings;

impl Alive {
    /// That of a task on the runtime that the test runs in.
    pub(crate) fn for_tests() -> Alive {
        let here = ExternalRuntime { handle: Handle::current(), generation: process::generation() };
        let nobody: Weak<dyn ShutDown> = Weak::<Shared>::new();
        Alive::External(here.register(nobody).unwrap().1)
    }
}

impl DoneGuard {
    /// That of a started call for the list of models.
    pub(crate) fn for_tests(settings: Settings, alive: Alive) -> DoneGuard {
        let session = Arc::new(Session::new(settings));
        let shared = Arc::new(Shared::new(session.clone(), Request::models(), false));
        assert!(shared.take_request(false).is_some());
        let call: Weak<dyn UnderWay> = Arc::<Shared>::downgrade(&shared);
        let (run, _listed) = session.enter(process::run().unwrap(), call).unwrap();
        DoneGuard { shared, alive, run, place: Place::Runtime, _listed }
    }
}

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

/// A call whose I/O a driver does that nobody runs.
fn driven() -> (DoneGuard, Arc<Driver>) {
    let driver = Driver::new(runtime());
    let (living, _) = Load::new(&driver).begin(WaitedOnBy::Anywhere);
    let guard = DoneGuard::for_tests(Settings::for_tests("sk-test"), Alive::Ours(living));
    guard.shared.set_driver(driver.clone());
    (guard, driver)
}

/// The error with which a call has ended.
fn end_of(shared: &Shared) -> Error {
    match shared.queue.try_pop() {
        Pop::Event(Event::Done(Err(error))) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_attempt_begins_once_a_call_has_ended() {
    let session = Arc::new(Session::new(Settings::for_tests("sk-test")));
    let shared = Shared::new(session, Request::models(), false);
    assert!(shared.take_request(false).is_some());
    assert!(shared.attempt_begins(None).is_some());
    shared.cancel();
    assert!(shared.attempt_begins(None).is_none());
    let error = end_of(&shared);
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Cancelled, 1));
    assert_eq!(shared.attempts(), 1);
}

/// A runtime of the library ends only with it, one of the program by itself.
#[test]
fn a_task_that_was_dropped_says_what_ended_it() {
    let (ours, _driver) = driven();
    let its_own = runtime();
    let _entered = its_own.enter();
    let theirs = DoneGuard::for_tests(Settings::for_tests("sk-test"), Alive::for_tests());
    for (guard, says) in [
        (ours, "the library was shut down during the call"),
        (theirs, "the client's runtime ended during the call"),
    ] {
        let shared = guard.shared.clone();
        drop(guard);
        let error = end_of(&shared);
        assert_eq!((error.kind(), error.message()), (ErrorKind::Shutdown, says));
    }
}

/// A connection that the service has closed in the meantime is not used.
#[test]
fn the_first_task_of_a_driver_lets_it_poll_the_sockets() {
    let (guard, driver) = driven();
    let mut begins = pin!(guard.begin());
    let mut cx = TaskContext::from_waker(Waker::noop());
    assert!(begins.as_mut().poll(&mut cx).is_pending());
    assert!(begins.as_mut().poll(&mut cx).is_ready());
    assert!(guard.shared.driver().is_some_and(|its| Arc::ptr_eq(its, &driver)));
}

#[test]
fn a_cancel_and_a_shutdown_are_no_warning() {
    for (kind, expected) in [
        (ErrorKind::Cancelled, true),
        (ErrorKind::Shutdown, true),
        (ErrorKind::Closed, false),
        (ErrorKind::Timeout, false),
        (ErrorKind::Internal, false),
    ] {
        assert_eq!(was_stopped(kind), expected, "{kind:?}");
    }
}
