//! What a call's owner and its task share: the queue, what errors tell of the call, and how it is
//! stopped.
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
//!
//! Whoever ends a call first forbids further attempts, under the lock under which attempts begin. So the
//! error and the record cover all that was sent: the task, which may run on another thread, sends nothing
//! after `not_sent` was decided.
//!
//! Whoever puts `Done` in holds the lock of the end, so that it is one who does: under it the record is
//! made, told to those who listen, and put on the answer or the error, then `Done` goes in. Nothing
//! foreign runs under it: who is to be woken is woken after it.

use std::sync::{Arc, Mutex, MutexGuard};
use std::task::Waker;
use std::time::{Duration, SystemTime};

use once_cell::sync::OnceCell;
use tokio::task::AbortHandle;
use tokio::time::Instant;
use tracing::Span;

use crate::answer::error::{Context, Error, Result};
use crate::answer::error_kind::{ErrorKind, Metered};
use crate::answer::head::Head;
use crate::answer::record::{
    Answered, CallRecord, CancelledBy, RECORD_TEXT_BYTES_MAX, Recorded, WaitReason,
};
use crate::answer::redactor::Quotes;
use crate::answer::response::Response;
use crate::call::advice::{Made, advise};
use crate::call::notes::Notes;
use crate::call::observers::CallEnded;
use crate::call::queue::EventQueue;
use crate::call::session::{Handlers, Listed, Session, SessionRun, UnderWay};
use crate::call::spans::{self, Spans};
use crate::driver::driver::{Driver, Living};
use crate::driver::external::{Registered, ShutDown};
use crate::driver::wake_fd::{Bell, WireKind};
use crate::http::timing::Seen;
use crate::options::config::SharedSettings;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::text::cut;
use crate::request::prepared::Prepared;
use crate::request::request::Request;
use crate::system::process;
use crate::system::sync::lock;

pub(crate) struct Shared {
    /// The process that made the call: another one must not touch its locks.
    generation: u64,
    session: Arc<Session>,
    pub(crate) quotes: Quotes,
    pub(crate) queue: EventQueue,
    progress: Mutex<Progress>,
    /// Taken before all other locks of the call.
    ending: Mutex<Ending>,
    tag: u64,
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
    /// The end is being decided: no attempt begins any more.
    is_ending: bool,
    task: Task,
    notes: Notes,
    spans: Spans,
}

/// How far the end of a call is.
enum Ending {
    Open,
    /// It was cancelled before it was started: there is nothing to tell as yet.
    OfNew,
    /// It is in, and this was told.
    Told(CallRecord),
}

/// How `Done` goes in.
enum Way {
    /// Behind what waits.
    Finishes,
    /// In place of what waits.
    Abandons,
    /// Not at all: the start failed.
    Closes,
}

/// A wait of a call, until it is dropped.
pub(crate) struct Waits<'a>(&'a Shared);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.progress().notes.wait_ends();
    }
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
fn cancelled() -> Error {
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
        let made = Made { endpoint, streams: false, path_fault: session.settings.path_fault() };
        let tag = request.own_tag();
        let progress = Progress {
            request: Some(request),
            context: Context { path, ..Context::default() },
            made,
            started: None,
            in_flight: false,
            is_ending: false,
            task: Task::NotStarted,
            notes: Notes::new(),
            spans: Spans::none(),
        };
        Shared {
            generation: process::generation(),
            queue: EventQueue::new(limits.queue_events_max, limits.queue_bytes_max),
            session,
            quotes,
            progress: Mutex::new(progress),
            ending: Mutex::new(Ending::Open),
            tag,
            driver: OnceCell::new(),
            handlers: Handlers::default(),
            bell: OnceCell::new(),
        }
    }

    /// The request, for the one who starts the call: it is started by this.
    pub(crate) fn take_request(&self, streamed: bool) -> Option<Request> {
        let mut progress = self.progress();
        let request = progress.request.take()?;
        let own = request.wants_chunk_times();
        progress.notes.starts(streamed, own.unwrap_or(self.session.settings.chunk_times));
        let (operation, path) = (progress.made.endpoint, progress.context.path.clone());
        drop(progress);
        let spans = Spans::of_call(operation, &path, streamed);
        let ending = lock(&self.ending);
        if matches!(*ending, Ending::Open) {
            self.progress().spans = spans;
        } // else it was cancelled meanwhile
        Some(request)
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
        self.cancel_by(CancelledBy::Program);
    }

    pub(crate) fn cancel_by(&self, who: CancelledBy) {
        if !self.is_of_this_process() {
            return; // the parent's call goes on
        }
        self.end(Way::Abandons, Some(who), || Err(self.explain(cancelled())));
        self.stop_task();
    }

    /// What was wrong with a start that failed, and told as an event to nobody.
    pub(crate) fn refused(&self, error: Error) -> Error {
        let error = self.explain(error);
        self.end(Way::Closes, None, || Err(error.clone()));
        drop(self.queue.close()); // no event comes, also where it was cancelled meanwhile
        self.told(error)
    }

    /// What was wrong with a start that failed, told as its end.
    pub(crate) fn refused_as_event(&self, error: Error) {
        self.end(Way::Finishes, None, || Err(self.explain(error)));
    }

    /// The error of a start, with what was told of the call.
    fn told(&self, error: Error) -> Error {
        match &*lock(&self.ending) {
            Ending::Told(record) => error.with_record(record.clone()),
            Ending::Open | Ending::OfNew => error,
        }
    }

    /// The start of a call that was cancelled before.
    pub(crate) fn was_cancelled(&self) -> Error {
        let error = self.explain(cancelled());
        let mut ending = lock(&self.ending);
        // Else it was cancelled in this very moment, and is told.
        if matches!(*ending, Ending::OfNew) {
            let (record, _, wakes) = self.tell(Err(error.clone()), Some(CancelledBy::Program));
            *ending = Ending::Told(record);
            drop(ending);
            wakes.into_iter().for_each(Waker::wake);
        } else {
            drop(ending);
        }
        self.told(error)
    }

    /// Puts `Done` in, unless it is in; of a started call it tells the record before.
    fn end(
        &self,
        way: Way,
        cancelled_by: Option<CancelledBy>,
        outcome: impl FnOnce() -> Result<Response>,
    ) {
        let mut ending = lock(&self.ending);
        if !matches!(*ending, Ending::Open) {
            return;
        }
        self.forbid_attempts();
        let outcome = outcome();
        let mut spans = Spans::none();
        let (record, outcome, wakes) = match self.was_started() {
            true => {
                spans = std::mem::replace(&mut self.progress().spans, spans);
                let (record, outcome, wakes) = self.tell(outcome, cancelled_by);
                *ending = Ending::Told(record.clone());
                (Some(record), outcome, wakes)
            }
            false => {
                *ending = Ending::OfNew;
                (None, outcome, Vec::new())
            }
        };
        let ended = match (way, outcome) {
            (Way::Finishes, outcome) => self.queue.finish(outcome),
            (Way::Abandons, Err(error)) => self.queue.abandon(error),
            (Way::Abandons | Way::Closes, _) => Some(self.queue.close()),
        };
        drop(ending);
        if let Some(record) = &record {
            spans.close(record);
        }
        drop(ended);
        wakes.into_iter().for_each(Waker::wake);
    }

    /// No attempt begins after this; called before the outcome is decided.
    fn forbid_attempts(&self) {
        self.progress().is_ending = true;
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

    /// Counts an answer, makes the record, puts it on the outcome and tells it; gives who is to be woken.
    fn tell(
        &self,
        outcome: Result<Response>,
        cancelled_by: Option<CancelledBy>,
    ) -> (CallRecord, Result<Response>, Vec<Waker>) {
        let record = self.record(&outcome, cancelled_by);
        let outcome = match outcome {
            Ok(answer) => Ok(answer.with_record(record.clone())),
            Err(error) => Err(error.with_record(record.clone())),
        };
        if let (Ok(answer), Some(model)) = (&outcome, &self.progress().context.model) {
            self.session.count(&self.quotes.key, model, answer.usage());
        }
        let wakes = self.session.call_ended(|| {
            let whole = outcome.as_ref().ok().filter(|answer| answer.document().is_some());
            CallEnded::new(self.tag, record.clone(), whole.cloned())
        });
        (record, outcome, wakes)
    }

    fn record(&self, outcome: &Result<Response>, cancelled_by: Option<CancelledBy>) -> CallRecord {
        let shown = |text: &String| cut(&self.quotes.mask(text), RECORD_TEXT_BYTES_MAX).to_owned();
        let mut progress = self.progress();
        let context = &progress.context;
        let (path, model) = (context.path.clone(), context.model.as_ref().map(shown));
        let (kind, said, metered) = match outcome {
            Ok(_) => (None, None, metered_of(progress.made, context.metered)),
            Err(error) => (Some(error.kind()), error.status(), error.metered()),
        };
        let (operation, notes) = (progress.made.endpoint, &mut progress.notes);
        let (waits, chunk_times) = (notes.waits(), notes.take_chunk_times());
        let (bytes_in, bytes_out) = notes.bytes();
        let (attempts, elapsed) = notes.attempts(kind);
        let (accepted, request_id) = match &notes.accepted {
            Some((status, request_id)) => (Some(*status), request_id.as_ref()),
            None => (None, None),
        };
        let answered = match outcome {
            Ok(answer) => answer.answered(),
            Err(_) => &notes.answered,
        };
        let own_id = outcome.as_ref().err().and_then(Error::request_id).map(str::to_owned);
        CallRecord::new(Recorded {
            start: notes.start,
            operation,
            path,
            model,
            streamed: notes.streamed,
            attempts,
            attempts_count: notes.attempts_count,
            waits,
            waits_count: notes.waits_count(),
            first_chunk: notes.first_chunk,
            last_chunk: notes.last_chunk,
            chunks: notes.chunks,
            elapsed,
            kind,
            status: said.or(accepted),
            request_id: own_id.as_ref().or(request_id).map(shown),
            answered: Answered {
                response_id: answered.response_id.as_ref().map(shown),
                response_model: answered.response_model.as_ref().map(shown),
                finish_reason: answered.finish_reason.as_ref().map(shown),
                usage: answered.usage,
            },
            metered,
            bytes_out,
            bytes_in,
            cancelled_by,
            chunk_times,
        })
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
        context.metered = metered_of(made, context.metered);
        // Whatever the caller named it, an error shows no key.
        context.model = context.model.map(|model| self.quotes.mask(&model).into_owned());
        advise(error, made, context.attempts).with_context(&context)
    }

    /// A wait begins, until what is given is dropped.
    pub(crate) fn waits(&self, reason: WaitReason) -> Waits<'_> {
        let mut progress = self.progress();
        progress.notes.wait_begins(reason);
        // A wait for a turn is counted in the time that the call took.
        progress.started.get_or_insert_with(Instant::now);
        drop(progress);
        Waits(self)
    }

    /// The timing of the attempt that begins; `None` where the call is being ended.
    pub(crate) fn attempt_begins(&self) -> Option<Arc<Seen>> {
        let mut progress = self.progress();
        if progress.is_ending {
            return None;
        }
        progress.context.attempts += 1;
        progress.context.request_time.get_or_insert_with(SystemTime::now);
        progress.started.get_or_insert_with(Instant::now);
        progress.in_flight = true;
        let seen = progress.notes.attempt_begins();
        let call = progress.spans.call();
        drop(progress);
        let span = spans::of_attempt(&call);
        let mut progress = self.progress();
        if progress.is_ending {
            drop(progress);
            drop((span, call)); // in this order, and not under the lock
            return None;
        }
        let earlier = progress.spans.attempts(span);
        drop(progress);
        drop((earlier, call)); // not under the lock
        Some(seen)
    }

    /// A good answer begins.
    pub(crate) fn accepted(&self, head: &Head) {
        self.progress().notes.accepted(head);
    }

    /// There are so many chunks by now, and the stream said this of itself.
    pub(crate) fn chunks_came(&self, count: u64, answered: &Answered) {
        let mut progress = self.progress();
        progress.notes.chunks_came(count);
        progress.notes.learns(answered);
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
            "retrying after a wait"
        );
    }

    pub(crate) fn attempt_failed(&self, metered: Metered, kind: ErrorKind) {
        self.metered(metered);
        let mut progress = self.progress();
        progress.in_flight = false;
        let attempt = progress.notes.attempt_failed(kind);
        let span = progress.spans.attempts(Span::none());
        drop(progress);
        if let Some(attempt) = attempt {
            spans::close_attempt(span, &attempt);
        }
    }

    fn metered(&self, metered: Metered) {
        let mut progress = self.progress();
        progress.context.metered = progress.context.metered.with(metered);
    }

    pub(crate) fn finish(&self, outcome: Result<Response>) {
        self.finish_by(None, outcome);
    }

    fn finish_by(&self, cancelled_by: Option<CancelledBy>, outcome: Result<Response>) {
        self.forbid_attempts();
        let outcome = outcome.map_err(|error| self.explain(error));
        let (attempts, elapsed) = {
            let mut progress = self.progress();
            progress.task = Task::Over;
            let elapsed = progress.started.map(|start| start.elapsed()).unwrap_or_default();
            (progress.context.attempts, elapsed)
        };
        let outcome = outcome.map(|answer| answer.after(attempts, elapsed));
        let elapsed_ms = elapsed.as_millis() as u64;
        match &outcome {
            Ok(_) => tracing::debug!(target: "modelwire", attempts, elapsed_ms, "call done"),
            Err(error) => Self::tells_of_failure(error),
        }
        self.end(Way::Finishes, cancelled_by, || outcome);
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
        self.end(Way::Abandons, Some(CancelledBy::Closed), || Err(self.explain(closed())));
        self.stop_task();
    }
}

impl ShutDown for Shared {
    /// Ends the call, and keeps what it received.
    fn shut_down(&self) {
        self.stop_task();
        self.finish_by(Some(CancelledBy::Shutdown), Err(shut_down()));
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
        let mut who = Some(CancelledBy::Shutdown);
        let error = if std::thread::panicking() {
            who = None;
            Error::internal("the call's task panicked")
        } else if matches!(self.alive, Alive::External(_)) && process::is_running(self.run.number())
        {
            Error::new(ErrorKind::Shutdown, "the client's runtime ended during the call")
        } else {
            shut_down()
        };
        self.shared.finish_by(who, Err(error));
    }
}

/// To list models is no processing by one (R-MET1).
fn metered_of(made: Made, metered: Metered) -> Metered {
    match made.endpoint {
        Endpoint::Models if metered != Metered::NotSent => Metered::NormallyNot,
        Endpoint::Models | Endpoint::Chat | Endpoint::Responses => metered,
    }
}
