//! One call as its owner sees it: started once, popped, cancelled from anywhere. What happens on
//! the I/O thread is told in `exchange`. Knows no language and no face.
//!
//! # States of a call
//!
//! | state | what is true | what ends it |
//! |---|---|---|
//! | new | nothing was sent; `cancel` sticks | `start`, once |
//! | sending | an attempt, or the wait before the next one, is under way | a head with a good status, or an error |
//! | open | a good status came; a stream's `Open` is in the queue; nothing is retried any more | the end of the answer, or an error |
//! | done | `Done` is in the queue, exactly once; usage is counted | – |
//!
//! From every state `cancel` leads to done at once, without waiting for the I/O thread. After
//! done the task may go on for a moment to read the body to its end, so that the connection is
//! used again; nothing of that reaches the queue.
//!
//! The task owns a guard that puts `Done` in if nothing else did: a panic becomes
//! [`ErrorKind::Internal`], the end of the runtime [`ErrorKind::Shutdown`]. So every started call
//! ends with `Done`, whatever happens.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use once_cell::sync::OnceCell;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::call::attempts;
use crate::call::queue::{EventQueue, Pop};
use crate::client::{Client, Inner};
use crate::config::SharedSettings;
use crate::delivery::callbacks::Handler;
use crate::driver::driver::{self, Awaited, Driver, Waited};
use crate::driver::external;
use crate::driver::runtime;
use crate::error::{Context as ErrorContext, Error, ErrorKind, Metered, Result};
use crate::request::Request;
use crate::response::Response;

/// One exchange with the service. Made before it starts, so that any thread can cancel it at any
/// time; started once; its events are popped in order.
///
/// Every method may be called from any thread. Dropping an unfinished call cancels it.
pub struct Call {
    shared: Arc<Shared>,
}

pub(crate) struct Shared {
    /// The process that made the call: another one must not touch its locks.
    generation: u64,
    client: Arc<Inner>,
    pub(crate) queue: EventQueue,
    progress: Mutex<Progress>,
    /// What a thread that waits may do the I/O of.
    driver: OnceCell<Arc<Driver>>,
}

/// What errors report of a call, and what is needed to stop it.
struct Progress {
    request: Option<Request>,
    context: ErrorContext,
    started: Option<Instant>,
    /// An attempt is on its way, so it may have been metered.
    in_flight: bool,
    task: Task,
}

/// What stops the task, and who may still want to.
enum Task {
    NotStarted,
    Running(AbortHandle),
    /// Cancelled before the handle of the fresh task was stored.
    CancelWanted,
    /// `Done` is in: the task is left alone, it may be draining the body.
    Over,
}

impl Call {
    /// A call that is not started yet.
    pub fn new(client: &Client, request: Request) -> Call {
        let client = client.inner().clone();
        let limits = client.settings.limits;
        let path = format!(
            "{}{}",
            client.settings.base_url.path().trim_end_matches('/'),
            request.endpoint().path()
        );
        let progress = Progress {
            request: Some(request),
            context: ErrorContext { path, ..ErrorContext::default() },
            started: None,
            in_flight: false,
            task: Task::NotStarted,
        };
        Call {
            shared: Arc::new(Shared {
                generation: runtime::generation(),
                queue: EventQueue::new(limits.queue_events_max, limits.queue_bytes_max),
                client,
                progress: Mutex::new(progress),
                driver: OnceCell::new(),
            }),
        }
    }

    /// Checks the request and sends it on its way. An error means that nothing was sent and no
    /// event will come.
    pub fn start(&self, stream: bool) -> Result<()> {
        self.begin(stream, Awaited::Anywhere)
    }

    /// As [`Call::start`], on a thread that is going to [`Call::pop`] next. Where nothing else is
    /// under way that thread does the I/O itself while it waits, which saves waking the I/O thread
    /// and being woken by it.
    pub fn start_to_wait(&self, stream: bool) -> Result<()> {
        self.begin(stream, Awaited::Here)
    }

    pub(crate) fn begin(&self, stream: bool, awaited: Awaited) -> Result<()> {
        self.check_process()?;
        let shared = &self.shared;
        let Some(request) = shared.progress().request.take() else {
            return Err(shared.explain(Error::argument("the call was started before")));
        };
        if shared.queue.is_finished() {
            return Err(shared.explain(cancelled()));
        }
        self.launch(request, stream, awaited).map_err(|error| {
            shared.queue.close();
            shared.explain(error)
        })
    }

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
        let dispatcher = self.shared.client.dispatcher()?;
        dispatcher.start(self, stream, Box::new(handler))
    }

    fn launch(&self, request: Request, stream: bool, awaited: Awaited) -> Result<()> {
        let shared = &self.shared;
        let prepared = request.prepare(stream, shared.settings().stream_only)?;
        shared.progress().context.model.clone_from(&prepared.model);
        if let Some(made) = shared.client.transport_if_cheap() {
            made?; // told here, and not as an event
        }
        let (handle, living) = match &shared.settings().runtime {
            Some(host) => {
                let (handle, stay) = host.take_in(Arc::downgrade(shared))?;
                (handle, Living::External(stay))
            }
            None => {
                let driver = runtime::driver()?;
                let living = driver.begin(awaited);
                let handle = driver.handle().clone();
                let _ = shared.driver.set(driver); // a call starts once
                (handle, Living::Ours(living))
            }
        };
        // From here on the guard answers for Done.
        let guard = DoneGuard { shared: shared.clone(), living };
        let exchange = attempts::run(guard, prepared, stream);
        let task = handle.spawn(exchange).abort_handle();
        let mut progress = shared.progress();
        match progress.task {
            Task::NotStarted => progress.task = Task::Running(task),
            Task::CancelWanted => task.abort(),
            Task::Running(_) | Task::Over => {}
        }
        Ok(())
    }

    /// The next event if there is one; never waits.
    pub fn try_pop(&self) -> Result<Pop> {
        self.check_process()?;
        Ok(self.shared.queue.try_pop())
    }

    /// The next event; sleeps until there is one or the timeout runs out (`Pop::Empty`). `None`
    /// waits for ever.
    pub fn pop(&self, timeout: Option<Duration>) -> Result<Pop> {
        self.check_process()?;
        let shared = &self.shared;
        let popped = shared.queue.try_pop();
        if !matches!(popped, Pop::Empty) || timeout == Some(Duration::ZERO) {
            return Ok(popped);
        }
        if let Some(driver) = shared.driver.get() {
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

    /// The next event, for a task. Pending leaves the task's waker; it is called once, from
    /// whatever thread, when there is something to pop.
    pub fn poll_pop(&self, cx: &mut Context<'_>) -> Poll<Result<Pop>> {
        if let Err(error) = self.check_process() {
            return Poll::Ready(Err(error));
        }
        self.shared.queue.poll_pop(cx).map(Ok)
    }

    /// Ends the call now: what waits in the queue is dropped, `Done` with
    /// [`ErrorKind::Cancelled`] is next. Does nothing to a call that is done.
    pub fn cancel(&self) {
        self.shared.cancel();
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn check_process(&self) -> Result<()> {
        if self.shared.is_of_this_process() {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Forked, "this call belongs to the parent process"))
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.cancel();
    }
}

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the call was cancelled")
}

fn shut_down() -> Error {
    Error::new(ErrorKind::Shutdown, "the library was shut down during the call")
}

impl Shared {
    fn is_of_this_process(&self) -> bool {
        runtime::generation() == self.generation
    }

    /// As [`Call::cancel`].
    pub(crate) fn cancel(&self) {
        if !self.is_of_this_process() {
            return; // the parent's call goes on
        }
        self.queue.abandon(|| self.explain(cancelled()));
        self.stop_task();
    }

    /// Ends the call, and keeps what it received: the library is shut down.
    pub(crate) fn shut_down(&self) {
        self.stop_task();
        self.finish(Err(shut_down()));
    }

    fn stop_task(&self) {
        let mut progress = self.progress();
        match &progress.task {
            Task::NotStarted => progress.task = Task::CancelWanted,
            Task::Running(task) => task.abort(),
            Task::CancelWanted | Task::Over => {}
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a thread that waits for this call may do the I/O of.
    pub(crate) fn driver(&self) -> Option<&Arc<Driver>> {
        self.driver.get()
    }

    pub(crate) fn settings(&self) -> &SharedSettings {
        &self.client.settings
    }

    pub(crate) fn session(&self) -> &Arc<Inner> {
        &self.client
    }

    /// The error with everything that the call knows (R-ERR3), and without the key (R-AUTH4).
    pub(crate) fn explain(&self, error: Error) -> Error {
        let error = error.masked(|text| self.settings().api_key.mask(text).into_owned());
        let progress = self.progress();
        let mut context = progress.context.clone();
        context.elapsed = progress.started.map(|start| start.elapsed()).unwrap_or_default();
        if progress.in_flight {
            context.metered = context.metered.with(Metered::Unknown);
        }
        error.with_context(&context)
    }

    /// A wait that is counted in the time that the call took.
    pub(crate) fn waits_for_connection(&self) {
        self.progress().started.get_or_insert_with(Instant::now);
    }

    pub(crate) fn attempt_begins(&self) {
        let mut progress = self.progress();
        progress.context.attempts += 1;
        progress.context.request_time.get_or_insert_with(SystemTime::now);
        progress.started.get_or_insert_with(Instant::now);
        progress.in_flight = true;
    }

    /// The answer is under way: part of it is processing that was paid for.
    pub(crate) fn attempt_succeeded(&self) {
        self.metered(Metered::Entered);
    }

    pub(crate) fn attempt_failed(&self, metered: Metered) {
        self.metered(metered);
        self.progress().in_flight = false;
    }

    fn metered(&self, metered: Metered) {
        let mut progress = self.progress();
        progress.context.metered = progress.context.metered.with(metered);
    }

    pub(crate) fn finish(&self, outcome: Result<Response>) {
        let usage = outcome.as_ref().ok().map(Response::usage);
        let outcome = outcome.map_err(|error| self.explain(error));
        let (model, attempts, elapsed) = {
            let mut progress = self.progress();
            progress.in_flight = false;
            progress.task = Task::Over;
            let elapsed = progress.started.map(|start| start.elapsed()).unwrap_or_default();
            (progress.context.model.clone(), progress.context.attempts, elapsed)
        };
        let outcome = outcome.map(|answer| answer.after(attempts, elapsed));
        let elapsed_ms = elapsed.as_millis() as u64;
        match &outcome {
            Ok(_) => tracing::debug!(target: "modelwire", attempts, elapsed_ms, "call done"),
            Err(error) => {
                let kind = error.kind().name();
                tracing::debug!(target: "modelwire", attempts, elapsed_ms, kind, "call failed");
            }
        }
        // Counted before the consumer can see the end, and only if this is the end.
        if let (Some(usage), Some(model)) = (usage, &model)
            && !self.queue.is_finished()
        {
            self.client.count(model, usage.unwrap_or_default());
        }
        self.queue.finish(outcome);
    }
}

/// Notes that a task lives, for whoever does its I/O.
enum Living {
    Ours(driver::Living),
    External(#[expect(dead_code, reason = "its drop is what counts")] external::Stay),
}

/// Puts `Done` in when the task ends without having done so.
pub(crate) struct DoneGuard {
    pub(crate) shared: Arc<Shared>,
    living: Living,
}

impl DoneGuard {
    /// Before anything is sent.
    pub(crate) async fn begin(&self) {
        if let Living::Ours(living) = &self.living {
            living.look_at_sockets().await;
        }
    }

    /// The answer of a plain call: nothing is left to do when it is in.
    pub(crate) fn finish(&self, outcome: Result<Response>) {
        // Before the caller hears of it, for its next call may begin at once.
        if let Living::Ours(living) = &self.living {
            living.end();
        }
        self.shared.finish(outcome);
    }
}

impl Drop for DoneGuard {
    fn drop(&mut self) {
        if self.shared.queue.is_finished() {
            return;
        }
        let error = if std::thread::panicking() {
            Error::internal("the call's task panicked")
        } else if matches!(self.living, Living::External(_))
            && runtime::check_not_shut_down().is_ok()
        {
            Error::new(ErrorKind::Shutdown, "the client's runtime ended during the call")
        } else {
            shut_down()
        };
        self.shared.finish(Err(error));
    }
}
