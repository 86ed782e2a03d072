//! The state that the calls of one client share: settings, connections, admission, usage sums and the list
//! of calls in flight. Each process has its own; each run of the library too, except for the sums.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, Weak};
use std::task::Waker;
use std::time::Duration;

use once_cell::sync::OnceCell;
use tokio::sync::OnceCell as AsyncOnceCell;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::usage_sums::{Sums, UsageByKey, UsageSum};
use crate::call::admission::Admission;
use crate::call::before_attempt::Hook;
use crate::call::observers::{CallEnded, SharedObservers};
use crate::call::upstreams::Upstreams;
use crate::driver::offload::offload;
use crate::driver::runtime::{IO_THREADS_MAX, io_threads};
use crate::http::connections::Connections;
use crate::http::transport::Transport;
use crate::options::api_key::ApiKey;
use crate::options::config::{Settings, SharedSettings};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::usage::Usage;
use crate::system::process::{self, PerProcess, Run};
use crate::system::sync::{lock, unpoisoned};

pub(crate) struct Session {
    pub(crate) settings: SharedSettings,
    /// The keys of the base URLs after the first.
    pub(crate) other_keys: Option<Arc<[Arc<ApiKey>]>>,
    /// Those of the operations.
    paths: [Arc<str>; 3],
    usage: Arc<PerProcess<Mutex<Sums>>>,
    observers: SharedObservers,
    /// Runs before each attempt, if `has_hook`.
    hook: Mutex<Option<Hook>>,
    has_hook: AtomicBool,
    /// Final, also in forked children.
    is_closed: AtomicBool,
    held: PerProcess<ProcessState>,
}

/// The state of a session in one process.
#[derive(Default)]
struct ProcessState {
    state: Mutex<State>,
    /// Notified when a handler was dropped.
    changed: Condvar,
    /// The observer, a type of a floor above; dropping it ends it.
    observer: Mutex<Option<Box<dyn Any + Send + Sync>>>,
}

#[derive(Default)]
struct State {
    run: Option<Arc<SessionRun>>,
    /// The calls in flight, by number.
    under_way: BTreeMap<u64, Weak<dyn UnderWay>>,
    next: u64,
    /// Handlers of started calls that were not yet dropped.
    handlers: usize,
}

/// The state of a session in one run of the library: the next run opens new connections.
pub(crate) struct SessionRun {
    number: Run,
    service: ServiceRun,
    /// With several base URLs: which of them to call, and those after the first.
    pub(crate) upstreams: Option<Arc<Upstreams>>,
    others: Box<[ServiceRun]>,
    connections: OnceCell<Arc<Connections>>,
    companion: OnceCell<Box<dyn Any + Send + Sync>>,
}

/// What belongs to one service of a session.
struct ServiceRun {
    settings: SharedSettings,
    /// The transport of the program's runtime: a connection belongs to one runtime.
    on_runtime: AsyncOnceCell<Arc<Transport>>,
    /// Those of the I/O threads.
    on_threads: [AsyncOnceCell<Arc<Transport>>; IO_THREADS_MAX],
    admission: OnceCell<Arc<Admission>>,
}

impl ServiceRun {
    fn new(settings: SharedSettings) -> ServiceRun {
        ServiceRun {
            settings,
            on_runtime: AsyncOnceCell::new(),
            on_threads: [const { AsyncOnceCell::const_new() }; IO_THREADS_MAX],
            admission: OnceCell::new(),
        }
    }

    fn slot(&self, place: Place) -> &AsyncOnceCell<Arc<Transport>> {
        match place {
            Place::IoThread(number) => self.on_threads.get(number).unwrap_or(&self.on_runtime),
            Place::Runtime => &self.on_runtime,
        }
    }
}

/// Where the I/O of a call is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the I/O thread of this number, below `IO_THREADS_MAX`.
    IoThread(usize),
    /// On the program's runtime.
    Runtime,
}

/// A call that ends when its client is closed.
pub(crate) trait UnderWay: Send + Sync {
    fn client_closes(&self);
}

/// The entry of a call in its session's list; dropping it removes the call.
pub(crate) struct Listed {
    session: Arc<Session>,
    place: u64,
}

impl Drop for Listed {
    fn drop(&mut self) {
        if let Some(held) = self.session.held.get() {
            lock(&held.state).under_way.remove(&self.place);
        }
    }
}

/// The count of a call's handlers; changed under its session's lock.
#[derive(Default)]
pub(crate) struct Handlers {
    held: AtomicUsize,
    had: AtomicBool,
}

impl Handlers {
    pub(crate) fn are_held(&self) -> bool {
        self.held.load(Ordering::SeqCst) > 0
    }

    /// Whether there has ever been one.
    pub(crate) fn were_held(&self) -> bool {
        self.had.load(Ordering::SeqCst)
    }
}

impl SessionRun {
    fn new(number: Run, settings: SharedSettings) -> SessionRun {
        let several = settings.upstreams.as_ref();
        let others = several.iter().flat_map(|several| several.all.iter().skip(1));
        SessionRun {
            number,
            upstreams: several.map(|several| Arc::new(Upstreams::new(several))),
            others: others.map(|upstream| ServiceRun::new(upstream.settings.clone())).collect(),
            service: ServiceRun::new(settings),
            connections: OnceCell::new(),
            companion: OnceCell::new(),
        }
    }

    pub(crate) fn number(&self) -> Run {
        self.number
    }

    /// The service of this number, in the order of the base URLs.
    fn service(&self, number: usize) -> &ServiceRun {
        let other = number.checked_sub(1).and_then(|other| self.others.get(other));
        other.unwrap_or(&self.service)
    }

    /// The connections of all transports.
    fn connections(&self) -> Result<Arc<Connections>> {
        let settings = &self.service.settings;
        let connections_max = settings.limits.connections_max;
        let pools = || Ok::<_, Error>(settings.io.pools(io_threads)? * (1 + self.others.len()));
        let make = || Ok(Arc::new(Connections::new(connections_max, pools()?)?));
        self.connections.get_or_try_init(make).cloned()
    }

    /// The transport to a service in this place, if it exists or is cheap to create.
    pub(crate) fn transport_if_cheap(
        &self,
        service: usize,
        place: Place,
    ) -> Option<Result<Arc<Transport>>> {
        let found = || {
            let service = self.service(service);
            let slot = service.slot(place);
            if slot.get().is_none() && !service.settings.needs_tls() {
                // Two threads may both create one: the first is kept.
                let made = Transport::new(&service.settings, self.connections()?)?;
                let _ = slot.set(Arc::new(made));
            }
            Ok(slot.get().cloned())
        };
        found().transpose()
    }

    /// The transport. With TLS, the first call creates it on a helper thread, because reading the system's
    /// certificates takes milliseconds. Other calls wait for that asynchronously.
    pub(crate) async fn transport(&self, service: usize, place: Place) -> Result<Arc<Transport>> {
        let service = self.service(service);
        let (settings, connections) = (service.settings.clone(), self.connections()?);
        let new = move || Transport::new(&settings, connections).map(Arc::new);
        service.slot(place).get_or_try_init(|| offload(usize::MAX, new)).await.cloned()
    }

    /// The settings for a service.
    pub(crate) fn settings(&self, service: usize) -> &SharedSettings {
        &self.service(service).settings
    }

    /// The admission control of a service, for calls with an adaptive policy.
    pub(crate) fn admission(&self, service: usize) -> &Arc<Admission> {
        self.service(service).admission.get_or_init(|| Arc::new(Admission::new()))
    }

    /// An object of a floor above with the lifetime of this run; created on first use.
    pub(crate) fn companion<T: Any + Send + Sync>(
        &self,
        make: impl FnOnce() -> Result<T>,
    ) -> Result<&T> {
        let found = self
            .companion
            .get_or_try_init(|| Ok::<Box<dyn Any + Send + Sync>, Error>(Box::new(make()?)))?;
        found.downcast_ref().ok_or_else(|| Error::internal("a session has one companion"))
    }
}

impl Session {
    pub(crate) fn new(settings: Settings) -> Session {
        Session::of(settings, Arc::new(PerProcess::new()), Arc::new(PerProcess::new()))
    }

    /// A session that shares usage sums and observers with this one.
    pub(crate) fn beside(&self, settings: Settings) -> Session {
        Session::of(settings, self.usage.clone(), self.observers.clone())
    }

    fn of(
        settings: Settings,
        usage: Arc<PerProcess<Mutex<Sums>>>,
        observers: SharedObservers,
    ) -> Session {
        let paths = Endpoint::ALL.map(|endpoint| settings.path_of(endpoint).into());
        let several = settings.upstreams.as_ref();
        Session {
            other_keys: several.and_then(|several| several.other_keys()),
            settings: Arc::new(settings),
            paths,
            usage,
            observers,
            hook: Mutex::new(None),
            has_hook: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            held: PerProcess::new(),
        }
    }

    /// The path of an operation's URL.
    pub(crate) fn path_of(&self, endpoint: Endpoint) -> Arc<str> {
        let [models, chat, responses] = &self.paths;
        match endpoint {
            Endpoint::Models => models.clone(),
            Endpoint::Chat => chat.clone(),
            Endpoint::Responses => responses.clone(),
        }
    }

    fn held(&self) -> Result<&ProcessState> {
        self.held.get_or_try_init(|| Ok(ProcessState::default()))
    }

    pub(crate) fn check_open(&self) -> Result<()> {
        if self.is_closed.load(Ordering::SeqCst) {
            return Err(Error::new(ErrorKind::Closed, "the client was closed"));
        }
        Ok(())
    }

    /// The state in this run; replaces that of an earlier run.
    pub(crate) fn in_run(&self, number: Run) -> Result<Arc<SessionRun>> {
        self.change_in_run(number, |_| ()).map(|(run, ())| run)
    }

    /// Like `in_run`, and adds a starting call to the list.
    pub(crate) fn enter(
        self: &Arc<Self>,
        number: Run,
        call: Weak<dyn UnderWay>,
    ) -> Result<(Arc<SessionRun>, Listed)> {
        self.change_in_run(number, |state| {
            let place = state.next;
            state.next += 1;
            state.under_way.insert(place, call);
            Listed { session: self.clone(), place }
        })
    }

    fn change_in_run<T>(
        &self,
        number: Run,
        change: impl FnOnce(&mut State) -> T,
    ) -> Result<(Arc<SessionRun>, T)> {
        let mut state = lock(&self.held()?.state);
        self.check_open()?;
        let earlier = match &state.run {
            Some(run) if run.number > number => return Err(process::shutting_down()),
            Some(run) if run.number == number => None,
            Some(_) | None => {
                let run = Arc::new(SessionRun::new(number, self.settings.clone()));
                state.run.replace(run)
            }
        };
        let Some(run) = state.run.clone() else { return Err(process::shutting_down()) };
        let changed = change(&mut state);
        drop(state);
        drop(earlier); // not under the lock
        Ok((run, changed))
    }

    /// Rejects new calls, ends those in flight, and closes idle connections.
    pub(crate) fn close(&self) -> Result<()> {
        let held = self.held()?;
        let (calls, run) = {
            let mut state = lock(&held.state);
            self.is_closed.store(true, Ordering::SeqCst);
            let calls: Vec<_> = state.under_way.values().filter_map(Weak::upgrade).collect();
            (calls, state.run.take())
        };
        calls.iter().for_each(|call| call.client_closes());
        drop(run);
        self.set_hook_of(None);
        drop(lock(&held.observer).take()); // after the records of these calls
        Ok(())
    }

    /// Sets the function that runs before each attempt, or removes it.
    pub(crate) fn set_hook(&self, hook: Option<Hook>) -> Result<()> {
        self.check_open()?;
        self.set_hook_of(hook);
        self.check_open().inspect_err(|_| self.set_hook_of(None)) // it may be closed by now
    }

    fn set_hook_of(&self, hook: Option<Hook>) {
        let earlier = {
            let mut own = lock(&self.hook);
            self.has_hook.store(hook.is_some(), Ordering::SeqCst);
            std::mem::replace(&mut *own, hook)
        };
        drop(earlier); // not under the lock
    }

    /// The function that runs before each attempt.
    pub(crate) fn hook(&self) -> Option<Hook> {
        match self.has_hook.load(Ordering::Relaxed) {
            true => lock(&self.hook).clone(),
            false => None,
        }
    }

    /// Changes the observer of a session, unless it is closed.
    pub(crate) fn change_observer(
        &self,
        change: impl FnOnce(&mut Option<Box<dyn Any + Send + Sync>>) -> Result<()>,
    ) -> Result<()> {
        let mut observer = lock(&self.held()?.observer);
        self.check_open()?;
        change(&mut observer)
    }

    /// Counts a new handler, of a call or of the client.
    pub(crate) fn handler_comes(&self, of_call: Option<&Handlers>) {
        let Ok(held) = self.held() else { return };
        let mut state = lock(&held.state);
        state.handlers += 1;
        if let Some(of_call) = of_call {
            of_call.had.store(true, Ordering::SeqCst);
            of_call.held.fetch_add(1, Ordering::SeqCst);
        }
    }

    /// Records that the drop of a handler has returned.
    pub(crate) fn handler_is_gone(&self, of_call: Option<&Handlers>) {
        let Ok(held) = self.held() else { return };
        let mut state = lock(&held.state);
        state.handlers = state.handlers.saturating_sub(1);
        if let Some(of_call) = of_call {
            of_call.held.fetch_sub(1, Ordering::SeqCst);
        }
        drop(state);
        held.changed.notify_all();
    }

    /// Waits until no handler is left, of this call or of any. False if the timeout expired.
    pub(crate) fn wait_for_handlers(
        &self,
        of_call: Option<&Handlers>,
        timeout: Option<Duration>,
    ) -> Result<bool> {
        let held = self.held()?;
        let is_held = |state: &mut State| match of_call {
            Some(handlers) => handlers.are_held(),
            None => state.handlers > 0,
        };
        let state = lock(&held.state);
        Ok(match timeout {
            None => {
                drop(unpoisoned(held.changed.wait_while(state, is_held)));
                true
            }
            Some(timeout) => {
                let waited = held.changed.wait_timeout_while(state, timeout, is_held);
                !unpoisoned(waited).1.timed_out()
            }
        })
    }

    /// The base URL, with its query redacted.
    pub(crate) fn base_url(&self) -> String {
        self.settings.shown_base_url()
    }

    /// The usage of the answered calls so far, in this process.
    pub(crate) fn usage(&self) -> UsageByKey {
        self.usage.get().map(|sums| lock(sums).by_key()).unwrap_or_default()
    }

    /// Returns the usage and resets it to zero; with several takers, each call is counted for one of them.
    pub(crate) fn take_usage(&self) -> UsageByKey {
        self.usage.get().map(|sums| lock(sums).take()).unwrap_or_default()
    }

    /// The buffers for ended calls.
    pub(crate) fn observers(&self) -> &SharedObservers {
        &self.observers
    }

    /// Passes an ended call to the observers; returns the wakers to call once no lock is held.
    pub(crate) fn call_ended(&self, ended: impl FnOnce() -> CallEnded) -> Vec<Waker> {
        match self.observers.get() {
            Some(observers) if observers.are_there() => observers.put(&ended()),
            Some(_) | None => Vec::new(),
        }
    }

    pub(crate) fn count(&self, key: &ApiKey, model: &str, usage: Option<Usage>) {
        let Ok(sums) = self.usage.get_or_try_init(|| Ok(Mutex::default())) else { return };
        let used = UsageSum {
            calls: 1,
            calls_without_usage: u64::from(usage.is_none()),
            tokens: usage.unwrap_or_default(),
        };
        lock(sums).count(key.id(), model, &used);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::answer::record::{CallRecord, Recorded};
    use crate::call::observers::{EndedCalls, Observed};

    struct Call;

    impl UnderWay for Call {
        fn client_closes(&self) {}
    }

    /// A list that kept them would grow with each call of a program.
    #[test]
    fn a_call_that_ended_is_not_in_the_list() {
        let session = Arc::new(Session::new(Settings::for_tests("sk-test")));
        let call: Arc<dyn UnderWay> = Arc::new(Call);
        let enter = || session.enter(process::run().unwrap(), Arc::downgrade(&call)).unwrap().1;
        let count = || lock(&session.held.get().unwrap().state).under_way.len();
        let (first, second) = (enter(), enter());
        assert_eq!(count(), 2);
        drop(first);
        assert_eq!(count(), 1);
        drop(second);
        assert_eq!(count(), 0);
    }

    #[test]
    fn a_session_has_one_state_in_each_run_and_none_in_an_earlier_one() {
        let session = Session::new(Settings::for_tests("sk-test"));
        let first = session.in_run(2).unwrap();
        assert!(Arc::ptr_eq(&first, &session.in_run(2).unwrap()));
        let next = session.in_run(4).unwrap();
        assert_eq!((first.number(), next.number()), (2, 4));
        assert_eq!(session.in_run(2).err().unwrap().kind(), ErrorKind::Shutdown);
        assert!(Arc::ptr_eq(&next, &session.in_run(4).unwrap()));
    }

    /// Without an observer an answer is not copied for one.
    #[test]
    fn an_ended_call_is_told_only_if_someone_observes() {
        let session = Session::new(Settings::for_tests("sk-test"));
        let told = || {
            let mut is_told = false;
            session.call_ended(|| {
                is_told = true;
                CallEnded::new(1, CallRecord::new(Recorded::empty()), None)
            });
            is_told
        };
        assert!(!told());
        let buffer = Arc::new(EndedCalls::new(None));
        let observed = Observed::new(session.observers(), &buffer, 1, None).unwrap();
        assert!(told());
        drop(observed);
        assert!(!told());
    }
}
