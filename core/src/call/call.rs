//! One call as its owner sees it: started once, popped, cancelled from any thread. `exchange` contains
//! the I/O side, `task` the states.

use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::{ErrorKind, Metered};
use crate::answer::record::CancelledBy;
use crate::call::exchange;
use crate::call::queue::Pop;
use crate::call::session::{Place, Session, UnderWay};
use crate::call::task::{Alive, DoneGuard, Shared};
use crate::driver::driver::Waited;
use crate::driver::external::ShutDown;
use crate::driver::runtime::{self, Chosen};
use crate::driver::state::WaitedOnBy;
use crate::driver::wake_fd::{Bell, Slept};
use crate::options::config::ExternalRuntime;
use crate::options::idempotency::add_idempotency_key;
use crate::protocol::endpoint::Endpoint;
use crate::request::request::Request;

/// One call to the service, with all its attempts. You create it before it starts, so that any thread
/// can cancel it at any time. It starts once, and its events are popped in order.
///
/// Every method may be called from any thread. Dropping an unfinished call cancels it.
///
/// ```no_run
/// use modelwire::{Call, Event, Pop, Request};
///
/// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
/// let call = Call::new(&client, Request::chat("a-model").user("Say hello."));
/// call.start(true)?;
/// loop {
///     match call.pop(None)? {
///         Pop::Event(Event::Open(head)) => println!("status {}", head.status()),
///         Pop::Event(Event::Chunk(chunk)) => print!("{}", chunk.text()),
///         Pop::Event(Event::Done(outcome)) => println!("{:?}", outcome?.usage()),
///         Pop::Empty => {} // only with a timeout
///         Pop::End => break,
///     }
/// }
/// # Ok(()) }
/// ```
pub struct Call {
    shared: Arc<Shared>,
    /// Dropping it cancels the call.
    is_owner: bool,
}

/// Cancels a call from anywhere; dropping it does nothing. Cheap to clone.
///
/// ```
/// # let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", silent.local_addr()?);
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::{Call, Event, Pop, Request};
///
/// let call = Call::new(&client, Request::models());
/// let canceller = call.canceller();
/// call.start(false)?;
/// std::thread::spawn(move || canceller.cancel());
/// let Pop::Event(Event::Done(outcome)) = call.pop(None)? else { return Err("no end".into()) };
/// assert_eq!(outcome.unwrap_err().kind(), modelwire::ErrorKind::Cancelled);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Canceller {
    shared: Arc<Shared>,
}

impl Canceller {
    /// Like [`Call::cancel`].
    pub fn cancel(&self) {
        self.shared.cancel();
    }
}

impl Call {
    /// Creates a call without starting it.
    pub(crate) fn of(session: Arc<Session>, request: Request) -> Call {
        Call { shared: Arc::new(Shared::new(session, request, false)), is_owner: true }
    }

    /// Creates a call that its caller will await.
    pub(crate) fn awaited(session: Arc<Session>, request: Request) -> Call {
        Call { shared: Arc::new(Shared::new(session, request, true)), is_owner: true }
    }

    /// Checks the request and starts the call. An error means that nothing was sent and there will be
    /// no event.
    pub fn start(&self, stream: bool) -> Result<()> {
        self.begin(stream, WaitedOnBy::Anywhere)
    }

    /// Like [`Call::start`], for a thread that will [`Call::pop`] next. If no other call is in flight,
    /// that thread does the I/O itself while it waits, which avoids waking the I/O thread and being
    /// woken by it. Fails where [`Call::pop`] could not wait.
    #[doc(hidden)]
    pub fn start_to_wait(&self, stream: bool) -> Result<()> {
        self.check_may_wait()?;
        self.begin(stream, WaitedOnBy::Here)
    }

    pub(crate) fn begin(&self, stream: bool, awaited: WaitedOnBy) -> Result<()> {
        self.check_process()?;
        let shared = &self.shared;
        let request = self.take_request(stream)?;
        if shared.queue.is_finished() {
            return Err(shared.was_cancelled());
        }
        self.launch(request, stream, awaited).map_err(|error| shared.refused(error))
    }

    /// The request, for the code that starts the call.
    pub(crate) fn take_request(&self, stream: bool) -> Result<Box<Request>> {
        let shared = &self.shared;
        let started = || shared.explain(Error::argument("the call was started before"));
        shared.take_request(stream).ok_or_else(started)
    }

    /// Like [`Call::begin`], if the events already have a destination: an error becomes `Done`.
    pub(crate) fn launch_to_end(&self, request: Box<Request>, stream: bool, awaited: WaitedOnBy) {
        if self.shared.queue.is_finished() {
            let _ = self.shared.was_cancelled(); // cancelled before the start: that is its `Done`
            return;
        }
        if let Err(error) = self.launch(request, stream, awaited) {
            self.shared.refused_as_event(error);
        }
    }

    /// Leaves the call to the holders of its shared state: a drop no longer cancels it.
    pub(crate) fn disown(mut self) {
        self.is_owner = false;
    }

    fn launch(&self, request: Box<Request>, stream: bool, awaited: WaitedOnBy) -> Result<()> {
        let shared = &self.shared;
        // An interruptible wait does no I/O.
        let awaited = if shared.bell().is_some() { WaitedOnBy::Anywhere } else { awaited };
        let prepared = request.prepare(stream, shared.settings().stream_only)?;
        let mut prepared = Box::new(prepared); // moved with the task
        if prepared.endpoint != Endpoint::Models {
            let options = &mut prepared.options;
            let name = shared.settings().idempotency_header.as_deref();
            add_idempotency_key(&mut options.headers, options.idempotency_key.take(), name);
        }
        prepared.options.check_key(shared.settings())?;
        shared.set_asked(&mut prepared);
        let enter = |run, place| {
            let call: Weak<dyn UnderWay> = Arc::<Shared>::downgrade(shared);
            let (run, listed) = shared.session().enter(run, call)?;
            if let Some(made) = run.transport_if_cheap(0, place) {
                made?; // returned here, not as an event
            }
            Ok::<_, Error>((run, listed, place))
        };
        let (handle, alive, (run, listed, place)) = match &shared.runtime {
            Some(external) => {
                let task: Weak<dyn ShutDown> = Arc::<Shared>::downgrade(shared);
                let (handle, registered, run) = external.register(task)?;
                (Some(handle), Alive::External(registered), enter(run, Place::Runtime)?)
            }
            None => {
                let Chosen { load, number, run } = runtime::driver()?;
                let entered = enter(run, Place::IoThread(number))?;
                let driver = load.driver().clone();
                let (living, handle) = load.begin(awaited);
                shared.set_driver(driver);
                (handle, Alive::Ours(living), entered)
            }
        };
        // From here on the guard is responsible for `Done`.
        let guard = DoneGuard { shared: shared.clone(), alive, run, place, _listed: listed };
        // Boxed: tokio copies its task several times, and aligns it, which is slow for a large one.
        let task = Box::pin(exchange::run(guard, prepared, stream));
        if let Some(handle) = handle {
            shared.set_task(handle.spawn(task).abort_handle());
        } // else the task is dropped: the library was shut down in the meantime
        Ok(())
    }

    /// The next event if there is one; never waits.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, Event, Pop, Request};
    ///
    /// let call = Call::new(&client, Request::models());
    /// call.start(false)?;
    /// let outcome = loop {
    ///     match call.try_pop()? {
    ///         Pop::Event(Event::Done(outcome)) => break outcome,
    ///         _ => std::thread::sleep(std::time::Duration::from_millis(1)), // your own work
    ///     }
    /// };
    /// assert!(outcome.is_err()); // nothing listens there
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn try_pop(&self) -> Result<Pop> {
        self.check_process()?;
        Ok(self.shared.queue.try_pop())
    }

    /// The next event; sleeps until there is one or the timeout expires (`Pop::Empty`). `None` waits
    /// forever. Fails where it would sleep on a thread of the runtime that does the I/O
    /// ([`Config::runtime`](crate::Config::runtime)), which would block all progress.
    pub fn pop(&self, timeout: Option<Duration>) -> Result<Pop> {
        self.check_process()?;
        let shared = &self.shared;
        let popped = shared.queue.try_pop();
        if !matches!(popped, Pop::Empty) || timeout == Some(Duration::ZERO) {
            return Ok(popped);
        }
        self.check_may_wait()?;
        if let Some(driver) = shared.driver() {
            let (has_company, ready) =
                (|| shared.queue.has_sleepers(), poll_fn(|cx| shared.queue.poll_pop(cx)));
            match driver.wait(1, timeout, has_company, ready) {
                Waited::Found(popped) => return Ok(popped),
                Waited::TimedOut => return Ok(Pop::Empty),
                Waited::Elsewhere => {}
            }
        }
        Ok(shared.queue.pop(timeout))
    }

    /// Enables [`Call::pop_interruptible`] and [`Call::wait_over_interruptible`] for this call, which
    /// then has its own descriptor. Fails if none is available.
    pub fn make_interruptible(&self) -> Result<()> {
        self.check_process()?;
        self.shared.make_bell()
    }

    /// Like [`Call::pop`], but `None` when a signal handler has run on this thread during the wait,
    /// when [`Call::wakeup`] was called, and occasionally without a cause, because a signal just before
    /// the wait does not end it. Check what the handler left, and wait again. The wait does no I/O.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, Event, Pop, Request};
    ///
    /// let call = Call::new(&client, Request::models());
    /// call.make_interruptible()?;
    /// call.start(false)?;
    /// call.wakeup(); // in a signal handler, for instance
    /// let outcome = loop {
    ///     match call.pop_interruptible(None)? {
    ///         None => println!("interrupted"),
    ///         Some(Pop::Event(Event::Done(outcome))) => break outcome,
    ///         Some(_) => {}
    ///     }
    /// };
    /// assert!(outcome.is_err()); // nothing listens there
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn pop_interruptible(&self, timeout: Option<Duration>) -> Result<Option<Pop>> {
        self.check_process()?;
        let bell = self.bell()?;
        if let Err(error) = self.check_may_wait() {
            let popped = self.shared.queue.try_pop();
            let is_found = !matches!(popped, Pop::Empty) || timeout == Some(Duration::ZERO);
            return if is_found { Ok(Some(popped)) } else { Err(error) };
        }
        let waker = Waker::from(bell.clone());
        let pop = || match self.shared.queue.poll_pop(&Context::from_waker(&waker)) {
            Poll::Ready(popped) => Some(popped),
            Poll::Pending => None,
        };
        Ok(interruptibly(bell, timeout, pop).map(|popped| popped.unwrap_or(Pop::Empty)))
    }

    /// Lets one interruptible wait for this call, or the next one, return `None`. It may be called from
    /// inside a signal handler: it takes no lock and allocates no memory. Does nothing if the call was
    /// not [made interruptible](Call::make_interruptible).
    pub fn wakeup(&self) {
        if let Some(bell) = self.shared.bell() {
            bell.ring();
        }
    }

    pub(crate) fn bell(&self) -> Result<&Arc<Bell>> {
        let not = || Error::argument("the call was not made interruptible before");
        self.shared.bell().ok_or_else(not)
    }

    /// The next event, for a task. Pending leaves the task's waker, which is called once, from any
    /// thread, when there is something to pop.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> modelwire::Result<()> {
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, Event, Pop, Request};
    ///
    /// let call = Call::new(&client, Request::models());
    /// call.start(false)?;
    /// match std::future::poll_fn(|cx| call.poll_pop(cx)).await? {
    ///     Pop::Event(Event::Done(outcome)) => assert!(outcome.is_err()), // nothing listens there
    ///     other => println!("{other:?}"),
    /// }
    /// # Ok(()) }
    /// ```
    pub fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Result<Pop>> {
        if let Err(error) = self.check_process() {
            return Poll::Ready(Err(error));
        }
        self.shared.queue.poll_pop(cx).map(Ok)
    }

    /// Cancels the call now: drops the queued events; `Done` with [`ErrorKind::Cancelled`] is next.
    /// Does nothing to a call that has ended.
    pub fn cancel(&self) {
        self.shared.cancel();
    }

    /// Cancels the call as a drop does, while other references exist.
    ///
    /// ```
    /// # let silent = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// # let base_url = format!("http://{}/v1", silent.local_addr()?);
    /// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{Call, CancelledBy, Event, Pop, Request};
    ///
    /// let call = Call::new(&client, Request::models());
    /// call.start(false)?;
    /// call.give_up();
    /// let Pop::Event(Event::Done(Err(error))) = call.pop(None)? else { return Err("no error".into()) };
    /// assert_eq!(error.record().and_then(|record| record.cancelled_by()), Some(CancelledBy::Dropped));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn give_up(&self) {
        self.shared.cancel_by(CancelledBy::Dropped);
    }

    /// A canceller for this call, which may outlive it.
    pub fn canceller(&self) -> Canceller {
        Canceller { shared: self.shared.clone() }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Fails on a thread that must do the I/O of this call during the wait.
    pub(crate) fn check_may_wait(&self) -> Result<()> {
        self.shared.runtime.as_ref().map_or(Ok(()), ExternalRuntime::check_may_wait)
    }

    pub(crate) fn check_process(&self) -> Result<()> {
        if self.shared.is_of_this_process() {
            return Ok(());
        }
        // The parent may have sent it, and its locks must not be touched.
        let error = Error::new(ErrorKind::Forked, "this call belongs to the parent process");
        Err(error.with_metered(Metered::Unknown))
    }
}

/// Waits at a bell until there is something: the inner `None` is a timeout, the outer one an
/// interrupted wait.
pub(crate) fn interruptibly<T>(
    bell: &Bell,
    timeout: Option<Duration>,
    mut find: impl FnMut() -> Option<T>,
) -> Option<Option<T>> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    loop {
        // In this order: empty, check, report, so that nothing that arrives in between is missed.
        if let Some(found) = find() {
            return Some(Some(found));
        }
        if bell.take() {
            return None;
        }
        let left = deadline.map(|at| at.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Some(None);
        }
        match bell.sleep(left) {
            Slept::Noted => bell.empty(),
            Slept::InVain => {}
            Slept::Interrupted => return find().map(Some),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if self.is_owner {
            self.give_up();
        }
    }
}
