//! What a call's owner and its task share: the queue, what errors tell of the call, and how it is
//! stopped. Knows no HTTP and no way of consuming.
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

use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use once_cell::sync::OnceCell;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::call::advice::{Made, advise};
use crate::call::queue::EventQueue;
use crate::call::session::{Handlers, Listed, Session, SessionRun, UnderWay};
use crate::config::SharedSettings;
use crate::driver::driver::{Driver, Living};
use crate::driver::external::{Registered, ShutDown};
use crate::driver::wake_fd::{Bell, WireKind};
use crate::error::{Context, Error, Result};
use crate::error_kind::{ErrorKind, Metered};
use crate::prepared::Prepared;
use crate::process;
use crate::protocol::endpoint::Endpoint;
use crate::quotes::Quotes;
use crate::request::Request;
use crate::response::Response;
use crate::sync::lock;

pub(crate) struct Shared {
    /// The process that made the call: another one must not touch its locks.
    generation: u64,
    session: Arc<Session>,
    pub(crate) quotes: Quotes,
    pub(crate) queue: EventQueue,
    progress: Mutex<Progress>,
    /// What a thread that waits may do the I/O of.
    driver: OnceCell<Arc<Driver>>,
    handlers: Handlers,
    /// Where waits can be interrupted.
    bell: OnceCell<Arc<Bell>>,
}

/// What errors report of a call, and what is needed to stop it.
struct Progress {
    request: Option<Request>,
    context: Context,
    made: Made,
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

/// The error of a call that was cancelled.
pub(crate) fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the call was cancelled")
}

fn shut_down() -> Error {
    Error::new(ErrorKind::Shutdown, "the library was shut down during the call")
}

impl Shared {
    /// What a new call has.
    pub(crate) fn new(session: Arc<Session>, request: Request) -> Shared {
        let limits = session.settings.limits;
        let path = format!(
            "{}{}",
            session.settings.base_url.path().trim_end_matches('/'),
            request.endpoint().path()
        );
        let endpoint = request.endpoint();
        let quotes = Quotes {
            key: request.own_api_key().unwrap_or_else(|| session.settings.api_key.clone()),
            bytes_max: limits.error_body_bytes_max,
        };
        let made = Made { endpoint, streams: false, has_version: session.settings.has_version() };
        let progress = Progress {
            request: Some(request),
            context: Context { path, ..Context::default() },
            made,
            started: None,
            in_flight: false,
            task: Task::NotStarted,
        };
        Shared {
            generation: process::generation(),
            queue: EventQueue::new(limits.queue_events_max, limits.queue_bytes_max),
            session,
            quotes,
            progress: Mutex::new(progress),
            driver: OnceCell::new(),
            handlers: Handlers::default(),
            bell: OnceCell::new(),
        }
    }

    /// The request, for the one who starts the call.
    pub(crate) fn take_request(&self) -> Option<Request> {
        self.progress().request.take()
    }

    /// The model that is asked for, and whether to stream.
    pub(crate) fn set_asked(&self, prepared: &Prepared) {
        let mut progress = self.progress();
        progress.context.model = prepared.model.clone();
        progress.made.streams = prepared.stream;
    }

    /// What a thread that waits may do the I/O of; a call starts once.
    pub(crate) fn set_driver(&self, driver: Arc<Driver>) {
        let _ = self.driver.set(driver);
    }

    /// How the task that was just spawned is stopped; at once where the call was cancelled meanwhile.
    pub(crate) fn set_task(&self, task: AbortHandle) {
        let mut progress = self.progress();
        match progress.task {
            Task::NotStarted => progress.task = Task::Running(task),
            Task::CancelWanted => task.abort(),
            Task::Running(_) | Task::Over => {}
        }
    }

    pub(crate) fn is_of_this_process(&self) -> bool {
        process::generation() == self.generation
    }

    /// As [`Call::cancel`].
    pub(crate) fn cancel(&self) {
        if !self.is_of_this_process() {
            return; // the parent's call goes on
        }
        self.queue.abandon(|| self.explain(cancelled()));
        self.stop_task();
    }

    fn stop_task(&self) {
        let mut progress = self.progress();
        match std::mem::replace(&mut progress.task, Task::Over) {
            Task::NotStarted | Task::CancelWanted => progress.task = Task::CancelWanted,
            // Not kept: it would keep the runtime, which a shutdown ends.
            Task::Running(task) => task.abort(),
            Task::Over => {}
        }
    }

    /// Where waits for the call sleep that can be interrupted.
    pub(crate) fn bell(&self) -> Option<&Arc<Bell>> {
        self.bell.get()
    }

    pub(crate) fn make_bell(&self) -> Result<()> {
        let make = || Bell::new(WireKind::Event).map(Arc::new);
        self.bell.get_or_try_init(make).map(|_| ())
    }

    /// Whether the request was taken by who starts the call.
    pub(crate) fn was_started(&self) -> bool {
        self.progress().request.is_none()
    }

    /// The handlers that the call was given.
    pub(crate) fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }

    /// What a thread that waits for this call may do the I/O of.
    pub(crate) fn driver(&self) -> Option<&Arc<Driver>> {
        self.driver.get()
    }

    pub(crate) fn settings(&self) -> &SharedSettings {
        &self.session.settings
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// The error with everything that the call knows (R-ERR3), and without the key (R-AUTH4).
    pub(crate) fn explain(&self, error: Error) -> Error {
        let error = error.masked(|text| self.quotes.mask(text).into_owned());
        let error = error.masked_partial(|text| self.quotes.key.mask_answer(text).into_owned());
        let (mut context, made) = {
            let progress = self.progress();
            let mut context = progress.context.clone();
            context.elapsed = progress.started.map(|start| start.elapsed()).unwrap_or_default();
            if progress.in_flight {
                context.metered = context.metered.with(Metered::Unknown);
            }
            (context, progress.made)
        };
        // To list models is no processing by one (R-MET1).
        if made.endpoint == Endpoint::Models && context.metered != Metered::NotSent {
            context.metered = Metered::NormallyNot;
        }
        // Whatever the caller named it, an error shows no key.
        context.model = context.model.map(|model| self.quotes.mask(&model).into_owned());
        advise(error, made, context.attempts).with_context(&context)
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

    /// Part of an answer came: it is processing that was paid for.
    pub(crate) fn answer_began(&self) {
        self.metered(Metered::Entered);
    }

    /// A refused attempt is followed by another.
    pub(crate) fn tells_of_retry(&self, error: &Error, wait: Duration) {
        // Whoever listens may do anything, so nothing is locked meanwhile.
        let context = self.progress().context.clone();
        let model = context.model.as_deref().map(|model| self.quotes.mask(model));
        tracing::info!(
            target: "modelwire",
            status = error.status(),
            kind = error.kind().name(),
            wait_ms = wait.as_millis() as u64,
            attempts = context.attempts,
            path = context.path,
            model = model.as_deref(),
            "trying again after a wait"
        );
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
            Err(error) => Self::tells_of_failure(error),
        }
        // Counted before the consumer can see the end, and only if this is the end.
        if let (Some(usage), Some(model)) = (usage, &model)
            && !self.queue.is_finished()
        {
            self.session.count(model, usage);
        }
        self.queue.finish(outcome);
    }

    /// What was not the caller's own doing is a warning.
    fn tells_of_failure(error: &Error) {
        let (kind, elapsed_ms) = (error.kind().name(), error.elapsed().as_millis() as u64);
        macro_rules! tell {
            ($level:ident) => {
                tracing::$level!(
                    target: "modelwire",
                    kind,
                    status = error.status(),
                    code = error.code(),
                    path = error.path(),
                    model = error.model(),
                    attempts = error.attempts(),
                    elapsed_ms,
                    metered = error.metered().name(),
                    "call failed"
                )
            };
        }
        match error.kind() {
            ErrorKind::Cancelled | ErrorKind::Shutdown => tell!(debug),
            _ => tell!(warn),
        }
    }
}

impl UnderWay for Shared {
    /// Ends the call as a cancel does.
    fn client_closes(&self) {
        let closed = || Error::new(ErrorKind::Closed, "the client was closed during the call");
        self.queue.abandon(|| self.explain(closed()));
        self.stop_task();
    }
}

impl ShutDown for Shared {
    /// Ends the call, and keeps what it received.
    fn shut_down(&self) {
        self.stop_task();
        self.finish(Err(shut_down()));
    }
}

/// Notes that a task lives, for whoever does its I/O.
pub(crate) enum Alive {
    Ours(Living),
    External(#[expect(dead_code, reason = "its drop is what counts")] Registered),
}

/// Puts `Done` in when the task ends without having done so.
pub(crate) struct DoneGuard {
    pub(crate) shared: Arc<Shared>,
    pub(crate) alive: Alive,
    pub(crate) run: Arc<SessionRun>,
    pub(crate) _listed: Listed,
}

impl DoneGuard {
    /// Before anything is sent.
    pub(crate) async fn begin(&self) {
        if let Alive::Ours(living) = &self.alive {
            living.look_at_sockets().await;
        }
    }

    /// The answer of a plain call: nothing is left to do when it is in.
    pub(crate) fn finish(&self, outcome: Result<Response>) {
        // Before the caller hears of it, for its next call may begin at once.
        if let Alive::Ours(living) = &self.alive {
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
        } else if matches!(self.alive, Alive::External(_)) && process::is_running(self.run.number())
        {
            Error::new(ErrorKind::Shutdown, "the client's runtime ended during the call")
        } else {
            shut_down()
        };
        self.shared.finish(Err(error));
    }
}
