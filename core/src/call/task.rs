//! The state shared by a call's owner and its task: the queue, the context for errors, and the way to
//! stop the call.
//!
//! # States of a call
//!
//! | state | what holds | what ends it |
//! |---|---|---|
//! | new | nothing was sent; `cancel` is remembered | `start`, once |
//! | sending | an attempt, or the wait before the next one, runs | a head with a success status, or an error |
//! | open | a success status arrived; a stream's `Open` is queued; no more retries | the answer's end, or an error |
//! | done | `Done` is in the queue, exactly once; usage is counted | – |
//!
//! From every state, `cancel` leads to done at once, without waiting for the I/O thread. After done, the
//! task may briefly continue to read the body to its end, so that the connection can be reused; the queue
//! gets nothing of that.
//!
//! The task owns a guard that inserts `Done` if nothing else did: with [`ErrorKind::Internal`] after a
//! panic, with [`ErrorKind::Shutdown`] after the end of the runtime. So every started call ends with `Done`.
//!
//! Whoever ends a call first forbids further attempts, under the same lock as the start of an attempt. So
//! error and record cover everything that was sent: the task, which may run on another thread, sends nothing
//! after `not_sent` was decided.
//!
//! Whoever inserts `Done` holds the `ending` lock, so it happens once. Under this lock the record is made,
//! passed to the observers and attached to the answer or error, then `Done` is inserted. No foreign code
//! runs under it: wakers are called after it.

use std::borrow::Cow;
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
use crate::answer::redactor::Redactor;
use crate::answer::response::Response;
use crate::call::hint::{CallForm, extend_hint};
use crate::call::observers::CallEnded;
use crate::call::queue::EventQueue;
use crate::call::recorder::Recorder;
use crate::call::session::{Handlers, Listed, Place, Session, SessionRun, UnderWay};
use crate::call::tracing_spans::{self, Spans};
use crate::driver::driver::{Driver, Living};
use crate::driver::external::{Registered, ShutDown};
use crate::driver::wake_fd::{Bell, WireKind};
use crate::http::timing::AttemptTiming;
use crate::options::config::{ExternalRuntime, SharedSettings, Upstream};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::text::cut;
use crate::request::prepared::Prepared;
use crate::request::request::Request;
use crate::system::process;
use crate::system::sync::lock;

pub(crate) struct Shared {
    /// The process that created the call: another one must not touch its locks.
    generation: u64,
    endpoint: Endpoint,
    session: Arc<Session>,
    pub(crate) redactor: Redactor,
    pub(crate) queue: EventQueue,
    progress: Mutex<Progress>,
    /// Locked before all other locks of the call.
    ending: Mutex<CallEnd>,
    tag: u64,
    /// The program's runtime, if that does the I/O.
    pub(crate) runtime: Option<ExternalRuntime>,
    /// The driver whose I/O a waiting thread may do.
    driver: OnceCell<Arc<Driver>>,
    handlers: Handlers,
    /// Where interruptible waits sleep.
    bell: OnceCell<Arc<Bell>>,
}

/// The context for errors, and what is needed to stop the call.
struct Progress {
    request: Option<Box<Request>>,
    context: Context,
    /// The service was asked to stream, whatever the caller receives.
    streams: bool,
    started: Option<Instant>,
    /// The service of the latest attempt, with several base URLs.
    service: Option<usize>,
    /// An attempt is in flight, so it may have been metered.
    in_flight: bool,
    /// Whether its answer began as a document, which is judged once it is whole.
    is_document: bool,
    /// The end is being decided: no attempt starts after this.
    is_ending: bool,
    task: Task,
    recorder: Recorder,
    spans: Spans,
}

/// The progress of a call's end.
enum CallEnd {
    Open,
    /// Cancelled before it was started: no record was made.
    OfNew,
    /// `Done` is in the queue, and the observers have this record.
    Told(CallRecord),
}

/// How `Done` enters the queue.
enum Handover {
    /// After the queued events.
    Finishes,
    /// In place of the queued events.
    Abandons,
    /// Not at all: the start failed.
    Closes,
}

/// A wait of a call; ends when dropped.
pub(crate) struct Waits<'a>(&'a Shared);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.progress().recorder.wait_ends();
    }
}

/// The state of the task, for stopping it.
enum Task {
    NotStarted,
    Running(AbortHandle),
    /// Cancelled before the handle of the new task was stored.
    CancelWanted,
    /// The call has ended: the task is left alone, because it may be draining the body.
    Over,
}

const RUNTIME_HINT: &str = "The client's tokio runtime needs I/O and time: call enable_all() where it is built, or \
    Config::io_thread() where the client is created. If it has both, please report this error.";

fn cancelled() -> Error {
    Error::new(ErrorKind::Cancelled, "the call was cancelled")
}

fn shut_down() -> Error {
    Error::new(ErrorKind::Shutdown, "the library was shut down during the call")
}

impl Shared {
    /// `is_async`: its caller awaits it.
    pub(crate) fn new(session: Arc<Session>, request: Request, is_async: bool) -> Shared {
        let limits = session.settings.limits;
        let endpoint = request.endpoint();
        let path = session.path_of(endpoint);
        let redactor = Redactor {
            key: request.own_api_key().unwrap_or_else(|| session.settings.api_key.clone()),
            others: session.other_keys.clone(),
            bytes_max: limits.error_body_bytes_max,
        };
        let path = match redactor.mask_answer(&path) {
            Cow::Borrowed(_) => path,
            Cow::Owned(masked) => masked.into(),
        };
        let (tag, runtime) = (request.own_tag(), session.settings.io.runtime(is_async));
        let progress = Progress {
            request: Some(Box::new(request)),
            context: Context { path, ..Context::default() },
            streams: false,
            started: None,
            service: None,
            in_flight: false,
            is_document: false,
            is_ending: false,
            task: Task::NotStarted,
            recorder: Recorder::new(),
            spans: Spans::none(),
        };
        Shared {
            generation: process::generation(),
            endpoint,
            queue: EventQueue::new(limits.queue_events_max, limits.queue_bytes_max),
            session,
            redactor,
            progress: Mutex::new(progress),
            ending: Mutex::new(CallEnd::Open),
            tag,
            runtime,
            driver: OnceCell::new(),
            handlers: Handlers::default(),
            bell: OnceCell::new(),
        }
    }

    /// Takes the request, which marks the call as started.
    pub(crate) fn take_request(&self, streamed: bool) -> Option<Box<Request>> {
        let mut progress = self.progress();
        let request = progress.request.take()?;
        let own = request.wants_chunk_times();
        progress.recorder.starts(streamed, own.unwrap_or(self.session.settings.chunk_times));
        let path = progress.context.path.clone();
        drop(progress);
        let spans = Spans::of_call(self.endpoint, &path, streamed);
        let ending = lock(&self.ending);
        if matches!(*ending, CallEnd::Open) {
            self.progress().spans = spans;
        } // else it was cancelled in the meantime
        Some(request)
    }

    /// Sets the requested model, and whether the service streams.
    pub(crate) fn set_asked(&self, prepared: &mut Prepared) {
        let mut progress = self.progress();
        progress.context.model = prepared.model.take();
        progress.streams = prepared.stream;
    }

    /// Sets the driver whose I/O a waiting thread may do; a call starts once.
    pub(crate) fn set_driver(&self, driver: Arc<Driver>) {
        let _ = self.driver.set(driver);
    }

    /// Stores how to stop the new task; stops it if the call was cancelled in the meantime.
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

    /// Implements [`Call::cancel`].
    pub(crate) fn cancel(&self) {
        self.cancel_by(CancelledBy::Program);
    }

    pub(crate) fn cancel_by(&self, who: CancelledBy) {
        if !self.is_of_this_process() {
            return; // the parent's call goes on
        }
        self.end(Handover::Abandons, Some(who), || Err(self.explain(cancelled())));
        self.stop_task();
    }

    /// Ends a call whose start failed, without an event, and returns the explained error.
    pub(crate) fn refused(&self, error: Error) -> Error {
        let error = self.explain(error);
        self.end(Handover::Closes, None, || Err(error.clone()));
        drop(self.queue.close()); // no event follows, even if it was cancelled in the meantime
        self.told(error)
    }

    /// Ends a call whose start failed, with the error as its `Done`.
    pub(crate) fn refused_as_event(&self, error: Error) {
        self.end(Handover::Finishes, None, || Err(self.explain(error)));
    }

    /// Attaches the record of the call, if there is one, to the error of a start.
    fn told(&self, error: Error) -> Error {
        match &*lock(&self.ending) {
            CallEnd::Told(record) => error.with_record(record.clone()),
            CallEnd::Open | CallEnd::OfNew => error,
        }
    }

    /// The error of a start after a cancel.
    pub(crate) fn was_cancelled(&self) -> Error {
        let error = self.explain(cancelled());
        let mut ending = lock(&self.ending);
        // Otherwise it was cancelled just now, and the observers have its record.
        if matches!(*ending, CallEnd::OfNew) {
            let (record, _, wakes) = self.tell(Err(error.clone()), Some(CancelledBy::Program));
            *ending = CallEnd::Told(record);
            drop(ending);
            wakes.into_iter().for_each(Waker::wake);
        } else {
            drop(ending);
        }
        self.told(error)
    }

    /// Inserts `Done`, unless it is in the queue. Before that, it passes the record of a started call to the
    /// observers.
    fn end(
        &self,
        way: Handover,
        cancelled_by: Option<CancelledBy>,
        outcome: impl FnOnce() -> Result<Response>,
    ) {
        let mut ending = lock(&self.ending);
        if !matches!(*ending, CallEnd::Open) {
            return;
        }
        self.forbid_attempts();
        let outcome = outcome();
        let mut spans = Spans::none();
        let (record, outcome, wakes) = match self.was_started() {
            true => {
                spans = std::mem::replace(&mut self.progress().spans, spans);
                let (record, outcome, wakes) = self.tell(outcome, cancelled_by);
                *ending = CallEnd::Told(record.clone());
                (Some(record), outcome, wakes)
            }
            false => {
                *ending = CallEnd::OfNew;
                (None, outcome, Vec::new())
            }
        };
        let ended = match (way, outcome) {
            (Handover::Finishes, outcome) => self.queue.finish(outcome),
            (Handover::Abandons, Err(error)) => self.queue.abandon(error),
            (Handover::Abandons | Handover::Closes, _) => Some(self.queue.close()),
        };
        drop(ending);
        if let Some(record) = &record {
            spans.close(record);
        }
        drop(ended);
        wakes.into_iter().for_each(Waker::wake);
    }

    /// After this no attempt starts; called before the outcome is decided.
    fn forbid_attempts(&self) {
        self.progress().is_ending = true;
    }

    fn stop_task(&self) {
        let mut progress = self.progress();
        match std::mem::replace(&mut progress.task, Task::Over) {
            Task::NotStarted | Task::CancelWanted => progress.task = Task::CancelWanted,
            // The handle is not kept: it would keep the runtime alive, which a shutdown ends.
            Task::Running(task) => task.abort(),
            Task::Over => {}
        }
    }

    /// Where interruptible waits sleep.
    pub(crate) fn bell(&self) -> Option<&Arc<Bell>> {
        self.bell.get()
    }

    pub(crate) fn make_bell(&self) -> Result<()> {
        let make = || Bell::new(WireKind::Event).map(Arc::new);
        self.bell.get_or_try_init(make).map(|_| ())
    }

    /// Whether the call was started.
    pub(crate) fn was_started(&self) -> bool {
        self.progress().request.is_none()
    }

    pub(crate) fn handlers(&self) -> &Handlers {
        &self.handlers
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        lock(&self.progress)
    }

    /// The driver whose I/O a thread that waits for this call may do.
    pub(crate) fn driver(&self) -> Option<&Arc<Driver>> {
        self.driver.get()
    }

    pub(crate) fn settings(&self) -> &SharedSettings {
        &self.session.settings
    }

    /// The service of this number, with several base URLs.
    fn upstream(&self, service: usize) -> Option<&Upstream> {
        self.settings().upstreams.as_ref()?.all.get(service)
    }

    fn settings_of(&self, service: Option<usize>) -> &SharedSettings {
        let upstream = service.and_then(|service| self.upstream(service));
        upstream.map_or(self.settings(), |upstream| &upstream.settings)
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Counts the usage, makes the record, and passes it to the outcome and the observers; returns the
    /// wakers to call.
    fn tell(
        &self,
        mut outcome: Result<Response>,
        cancelled_by: Option<CancelledBy>,
    ) -> (CallRecord, Result<Response>, Vec<Waker>) {
        if let (Ok(answer), Progress { context: Context { model: Some(model), .. }, service, .. }) =
            (&outcome, &*self.progress())
        {
            let own = service.and_then(|service| self.upstream(service));
            let own = own.filter(|upstream| upstream.has_own_key);
            let key = own.map_or(&self.redactor.key, |upstream| &upstream.settings.api_key);
            self.session.count(key, &self.redactor.mask_answer(model), answer.usage());
        }
        let record = self.record(&mut outcome, cancelled_by);
        let outcome = match outcome {
            Ok(answer) => Ok(answer.with_record(record.clone())),
            Err(error) => Err(error.with_record(record.clone())),
        };
        let wakes = self.session.call_ended(|| {
            let whole = outcome.as_ref().ok().filter(|answer| answer.document().is_some());
            CallEnded::new(self.tag, record.clone(), whole.cloned())
        });
        (record, outcome, wakes)
    }

    fn record(
        &self,
        outcome: &mut Result<Response>,
        cancelled_by: Option<CancelledBy>,
    ) -> CallRecord {
        let shown = |text: String| match self.redactor.redact(&text) {
            Cow::Borrowed(_) if text.len() <= RECORD_TEXT_BYTES_MAX => text,
            redacted => cut(&redacted, RECORD_TEXT_BYTES_MAX).to_owned(),
        };
        let mut progress = self.progress();
        let context = &progress.context;
        let (path, model) = (context.path.clone(), context.model.clone().map(shown));
        let (kind, said, metered) = match &*outcome {
            Ok(_) => (None, None, metered_of(self.endpoint, context.metered)),
            Err(error) => (Some(error.kind()), error.status(), error.metered()),
        };
        let recorder = &mut progress.recorder;
        let (waits, chunk_times) = (recorder.waits(), recorder.take_chunk_times());
        let (bytes_in, bytes_out) = recorder.bytes();
        let (attempts, elapsed) = recorder.attempts(kind);
        let accepted = recorder.accepted.as_ref();
        let (own_id, answered) = match outcome {
            Ok(answer) => (None, answer.take_answered()),
            Err(error) => (error.request_id(), recorder.answered.clone()),
        };
        let request_id = own_id.or_else(|| accepted?.request_id());
        CallRecord::new(Recorded {
            start: recorder.start,
            operation: self.endpoint,
            path,
            model,
            streamed: recorder.streamed,
            attempts,
            attempts_count: recorder.attempts_count,
            waits,
            waits_count: recorder.waits_count(),
            first_chunk: recorder.first_chunk,
            last_chunk: recorder.last_chunk,
            chunks: recorder.chunks,
            elapsed,
            kind,
            status: said.or_else(|| Some(accepted?.status())),
            request_id: request_id.map(str::to_owned).map(shown),
            answered: Answered {
                response_id: answered.response_id.map(shown),
                response_model: answered.response_model.map(shown),
                finish_reason: answered.finish_reason.map(shown),
                usage: answered.usage,
            },
            metered,
            bytes_out,
            bytes_in,
            cancelled_by,
            chunk_times,
            consumer_wait: recorder.consumer_wait,
        })
    }

    /// Adds everything that the call knows to the error (R-ERR3), and redacts the key (R-AUTH4).
    pub(crate) fn explain(&self, error: Error) -> Error {
        let error = error.redacted(|text| self.redactor.redact(text).into_owned());
        let (mut context, streams, service) = {
            let progress = self.progress();
            let mut context = progress.context.clone();
            context.elapsed = progress.started.map(|start| start.elapsed()).unwrap_or_default();
            if progress.in_flight {
                let metered =
                    if progress.is_document { Metered::Entered } else { Metered::Unknown };
                context.metered = context.metered.with(metered);
            }
            (context, progress.streams, progress.service)
        };
        context.metered = metered_of(self.endpoint, context.metered);
        // The model name may contain the key.
        context.model = context.model.map(|model| self.redactor.redact(&model).into_owned());
        let path_fault = self.settings_of(service).path_fault();
        let form = CallForm { endpoint: self.endpoint, streams, path_fault };
        extend_hint(error, form, context.attempts).with_context(&context)
    }

    /// Begins a wait; it ends when the returned value is dropped.
    pub(crate) fn waits(&self, reason: WaitReason) -> Waits<'_> {
        let mut progress = self.progress();
        progress.recorder.wait_begins(reason);
        // The elapsed time of the call includes a wait for admission or for a connection.
        progress.started.get_or_insert_with(Instant::now);
        drop(progress);
        Waits(self)
    }

    /// The timing of a new attempt; `None` if the call is being ended.
    pub(crate) fn attempt_begins(&self, service: Option<usize>) -> Option<Arc<AttemptTiming>> {
        let mut progress = self.progress();
        if progress.is_ending {
            return None;
        }
        let upstream = service.and_then(|service| self.upstream(service));
        if let Some(upstream) = upstream {
            progress.service = service;
            let path = upstream.settings.path_of(self.endpoint);
            progress.context.path = self.redactor.mask_answer(&path).into();
        }
        progress.context.attempts += 1;
        progress.context.request_time.get_or_insert_with(SystemTime::now);
        progress.started.get_or_insert_with(Instant::now);
        (progress.in_flight, progress.is_document) = (true, false);
        let base_url = upstream.map(|upstream| upstream.shown.clone());
        let seen = progress.recorder.attempt_begins(base_url.clone());
        let call = progress.spans.call();
        drop(progress);
        let span = tracing_spans::of_attempt(&call, base_url.as_deref());
        let mut progress = self.progress();
        if progress.is_ending {
            drop(progress);
            drop((span, call)); // in this order, not under the lock
            return None;
        }
        let earlier = progress.spans.attempts(span);
        drop(progress);
        drop((earlier, call)); // not under the lock
        Some(seen)
    }

    /// The number of attempts so far.
    pub(crate) fn attempts(&self) -> u32 {
        self.progress().context.attempts
    }

    /// Records an answer with a success status.
    pub(crate) fn accepted(&self, head: &Arc<Head>) {
        self.progress().recorder.accepted(head);
    }

    /// Records that `count` chunks have arrived in total, and what the stream reported.
    pub(crate) fn chunks_came(&self, count: u64, answered: &Answered) {
        let mut progress = self.progress();
        progress.recorder.chunks_came(count);
        progress.recorder.learns(answered);
    }

    /// A full queue waited for its consumer.
    pub(crate) fn waited_for_consumer(&self, length: Duration) {
        self.progress().recorder.consumer_wait += length;
    }

    /// Whether the current attempt reported usage.
    pub(crate) fn has_reported_usage(&self) -> bool {
        self.progress().recorder.answered.usage.is_some()
    }

    /// Part of an answer arrived: processing that was metered.
    pub(crate) fn answer_began(&self) {
        self.metered(Metered::Entered);
    }

    /// Whether the answer of the current attempt begins as a document, which is a part of an answer unless it is an
    /// error.
    pub(crate) fn is_document(&self, is_document: bool) {
        self.progress().is_document = is_document;
    }

    /// Logs that a failed attempt will be retried.
    pub(crate) fn tells_of_retry(&self, error: &Error, wait: Duration) {
        // A subscriber may run any code, so no lock is held.
        let (context, service) = {
            let progress = self.progress();
            (progress.context.clone(), progress.service)
        };
        let base_url = service.and_then(|service| self.upstream(service)).map(|one| &*one.shown);
        let model = context.model.as_deref().map(|model| self.redactor.redact(model));
        tracing::info!(
            target: "modelwire",
            status = error.status(),
            kind = error.kind().name(),
            wait_ms = wait.as_millis() as u64,
            attempts = context.attempts,
            path = &*context.path,
            base_url,
            model = model.as_deref(),
            "retrying after a delay"
        );
    }

    pub(crate) fn attempt_failed(&self, metered: Metered, kind: ErrorKind) {
        self.metered(metered);
        let mut progress = self.progress();
        progress.in_flight = false;
        let attempt = progress.recorder.attempt_failed(kind);
        let span = progress.spans.attempts(Span::none());
        drop(progress);
        if let Some(attempt) = attempt {
            tracing_spans::close_attempt(span, &attempt);
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
        match &outcome {
            Ok(answer) => self.tells_of_success(answer),
            Err(error) => Self::tells_of_failure(error),
        }
        self.end(Handover::Finishes, cancelled_by, || outcome);
    }

    /// Logs the one line of a call that was answered.
    fn tells_of_success(&self, answer: &Response) {
        let endpoint = answer.endpoint();
        let url = || {
            let settings = self.settings_of(self.progress().service);
            settings.base_url.origin().ascii_serialization() + &settings.path_of(endpoint)
        };
        tracing::info!(
            target: "modelwire",
            method = endpoint.method(),
            url = &*self.redactor.redact(&url()),
            status = answer.head().status(),
            request_id = answer.head().request_id(),
            attempts = answer.attempts(),
            elapsed_ms = answer.elapsed().as_millis() as u64,
            "call done"
        );
    }

    /// Logs a failure: as a warning, unless a cancel or a shutdown caused it.
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
                    request_id = error.request_id(),
                    metered = error.metered().name(),
                    "call failed"
                )
            };
        }
        match was_stopped(error.kind()) {
            true => tell!(debug),
            false => tell!(warn),
        }
    }
}

impl UnderWay for Shared {
    /// Ends the call as a cancel does.
    fn client_closes(&self) {
        let closed = || Error::new(ErrorKind::Closed, "the client was closed during the call");
        self.end(Handover::Abandons, Some(CancelledBy::Closed), || Err(self.explain(closed())));
        self.stop_task();
    }
}

impl ShutDown for Shared {
    /// Ends the call, and keeps the received events.
    fn shut_down(&self) {
        self.stop_task();
        self.finish_by(Some(CancelledBy::Shutdown), Err(shut_down()));
    }
}

/// Keeps the task counted as alive for the code that does its I/O.
pub(crate) enum Alive {
    Ours(Living),
    External(#[expect(dead_code, reason = "its drop is what counts")] Registered),
}

/// Inserts `Done` if the task ends without doing so.
pub(crate) struct DoneGuard {
    pub(crate) shared: Arc<Shared>,
    pub(crate) alive: Alive,
    pub(crate) run: Arc<SessionRun>,
    pub(crate) place: Place,
    pub(crate) _listed: Listed,
}

impl DoneGuard {
    /// Runs before anything is sent.
    pub(crate) async fn begin(&self) {
        if let Alive::Ours(living) = &self.alive {
            living.look_at_sockets().await;
        }
    }

    /// Finishes a stream, whose task may go on to read the rest of its body.
    pub(crate) fn finish_stream(&self, outcome: Result<Response>) {
        if let Alive::Ours(living) = &self.alive {
            living.release_load();
        }
        self.shared.finish(outcome);
    }

    /// Finishes a plain call: nothing is left to do once its answer is in the queue.
    pub(crate) fn finish(&self, outcome: Result<Response>) {
        // Before the caller is woken, because it may start its next call at once.
        if let Alive::Ours(living) = &self.alive {
            living.end();
        }
        self.shared.finish(outcome);
    }
}

impl Drop for DoneGuard {
    fn drop(&mut self) {
        // A forked child that drops a runtime of the program drops tasks of its parent, whose calls go on.
        if !self.shared.is_of_this_process() || self.shared.queue.is_finished() {
            return;
        }
        let mut who = Some(CancelledBy::Shutdown);
        let error = if std::thread::panicking() {
            who = None;
            let error = Error::internal("the call's task panicked");
            match self.alive {
                Alive::Ours(_) => error,
                Alive::External(_) => error.with_hint(RUNTIME_HINT),
            }
        } else if matches!(self.alive, Alive::External(_)) && process::is_running(self.run.number())
        {
            Error::new(ErrorKind::Shutdown, "the client's runtime ended during the call")
        } else {
            shut_down()
        };
        self.shared.finish_by(who, Err(error));
    }
}

/// Whether a cancel or a shutdown caused a failure of this kind.
fn was_stopped(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Cancelled | ErrorKind::Shutdown)
}

/// Listing models is not metered (R-MET1).
fn metered_of(endpoint: Endpoint, metered: Metered) -> Metered {
    match endpoint {
        Endpoint::Models if metered != Metered::NotSent => Metered::NormallyNot,
        Endpoint::Models | Endpoint::Chat | Endpoint::Responses => metered,
    }
}

#[cfg(test)]
#[path = "task_tests.rs"]
mod tests;
