//! Conducts one exchange: attempts with their retries, then the body: a document, or events and
//! the stream's end. Knows no language and no face.
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

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};

use crate::answer::{Answer, End, Head};
use crate::client::{Client, Inner};
use crate::config::{DRAIN_BYTES_MAX, DRAIN_TIME_MAX, Settings, Timeouts};
use crate::error::{
    Context as ErrorContext, Error, ErrorKind, FailedAnswer, Metered, Result, TimeoutPhase, excerpt,
};
use crate::queue::{Event, EventQueue, Pop};
use crate::request::{Endpoint, Prepared, Request};
use crate::retry::Decision;
use crate::runtime;
use crate::sse;
use crate::transport::{Body, Failure, Reply, Transport};
use crate::view::{Choice, Chunk, Document, Slab, Usage};

/// At most so many events are gathered before they are pushed, even if more keep coming.
const BATCH_EVENTS_MAX: usize = 512;
/// Marks the end of a stream (R-STR3).
const DONE_MARK: &str = "[DONE]";
const REDIRECT_HINT: &str = "Correct base_url: redirects are not followed.";

/// One exchange with the service. Made before it starts, so that any thread can cancel it at any
/// time; started once; its events are popped in order.
///
/// Every method may be called from any thread. Dropping an unfinished call cancels it.
pub struct Call {
    shared: Arc<Shared>,
}

struct Shared {
    /// The process that made the call: another one must not touch its locks.
    generation: u64,
    client: Arc<Inner>,
    queue: EventQueue,
    progress: Mutex<Progress>,
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
            }),
        }
    }

    /// Checks the request and sends it on its way. An error means that nothing was sent and no
    /// event will come.
    pub fn start(&self, stream: bool) -> Result<()> {
        self.check_process()?;
        let shared = &self.shared;
        if shared.queue.is_finished() {
            return Err(shared.explain(cancelled()));
        }
        let Some(request) = shared.progress().request.take() else {
            return Err(shared.explain(Error::argument("the call was started before")));
        };
        self.launch(request, stream).map_err(|error| {
            shared.queue.close();
            shared.explain(error)
        })
    }

    fn launch(&self, request: Request, stream: bool) -> Result<()> {
        let shared = &self.shared;
        let prepared = request.prepare(stream)?;
        shared.progress().context.model.clone_from(&prepared.model);
        let transport = shared.client.transport()?;
        let runtime = runtime::handle()?;
        // From here on the guard answers for Done.
        let guard = DoneGuard { shared: shared.clone() };
        let task = runtime.spawn(run(guard, transport, prepared, stream)).abort_handle();
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
        Ok(self.shared.queue.pop(timeout))
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
        if self.check_process().is_err() {
            return; // the parent's call goes on
        }
        self.shared.queue.abandon(|| self.shared.explain(cancelled()));
        let mut progress = self.shared.progress();
        match &progress.task {
            Task::NotStarted => progress.task = Task::CancelWanted,
            Task::Running(task) => task.abort(),
            Task::CancelWanted | Task::Over => {}
        }
    }

    fn check_process(&self) -> Result<()> {
        if runtime::generation() == self.shared.generation {
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

impl Shared {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settings(&self) -> &Settings {
        &self.client.settings
    }

    /// The error with everything that the call knows (R-ERR3).
    fn explain(&self, error: Error) -> Error {
        let progress = self.progress();
        let mut context = progress.context.clone();
        context.elapsed = progress.started.map(|start| start.elapsed()).unwrap_or_default();
        if progress.in_flight {
            context.metered = context.metered.with(Metered::Unknown);
        }
        error.with_context(&context)
    }

    fn attempt_begins(&self) {
        let mut progress = self.progress();
        progress.context.attempts += 1;
        progress.context.request_time.get_or_insert_with(SystemTime::now);
        progress.started.get_or_insert_with(Instant::now);
        progress.in_flight = true;
    }

    fn metered(&self, metered: Metered) {
        let mut progress = self.progress();
        progress.context.metered = progress.context.metered.with(metered);
    }

    fn finish(&self, outcome: Result<Answer>) {
        let usage = outcome.as_ref().ok().map(Answer::usage);
        let outcome = outcome.map_err(|error| self.explain(error));
        let model = {
            let mut progress = self.progress();
            progress.in_flight = false;
            progress.task = Task::Over;
            progress.context.model.clone()
        };
        if let Err(error) = &outcome {
            tracing::debug!(target: "modelwire", kind = error.kind().name(), "call failed");
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

/// Puts `Done` in when the task ends without having done so.
struct DoneGuard {
    shared: Arc<Shared>,
}

impl Drop for DoneGuard {
    fn drop(&mut self) {
        if self.shared.queue.is_finished() {
            return;
        }
        let error = if std::thread::panicking() {
            Error::internal("the call's task panicked")
        } else {
            Error::new(ErrorKind::Shutdown, "the library was shut down during the call")
        };
        self.shared.finish(Err(error));
    }
}

async fn run(guard: DoneGuard, transport: Arc<Transport>, prepared: Prepared, stream: bool) {
    let shared = &guard.shared;
    if shared.queue.is_finished() {
        return; // cancelled before the first step
    }
    let timeouts = shared.settings().timeouts;
    let deadline = timeouts.total.map(|total| Instant::now() + total);
    let exchange =
        Exchange { shared, transport: &transport, prepared: &prepared, timeouts, deadline, stream };
    match exchange.open().await {
        Err(error) => shared.finish(Err(error)),
        Ok(reply) if stream => exchange.stream(reply).await,
        Ok(reply) => {
            let outcome = exchange.document(reply).await;
            shared.finish(outcome);
        }
    }
}

/// One call under way on the I/O thread.
struct Exchange<'a> {
    shared: &'a Arc<Shared>,
    transport: &'a Transport,
    prepared: &'a Prepared,
    timeouts: Timeouts,
    deadline: Option<Instant>,
    stream: bool,
}

impl Exchange<'_> {
    /// Attempts until one gets a good status, or the policy or the deadline says stop.
    async fn open(&self) -> Result<Reply> {
        let mut retries = 0;
        loop {
            self.shared.attempt_begins();
            let error = match self.attempt().await {
                Ok(reply) => return Ok(reply),
                Err(failure) => {
                    self.shared.metered(failure.metered);
                    self.shared.progress().in_flight = false;
                    failure.error
                }
            };
            let wait = match self.shared.settings().retry.decide(retries, &error) {
                Decision::Stop => return Err(error),
                Decision::Wait(wait) => wait,
            };
            // A wait beyond the deadline could only end in a less telling error.
            if self.deadline.is_some_and(|deadline| Instant::now() + wait >= deadline) {
                return Err(error);
            }
            tracing::debug!(
                target: "modelwire",
                wait_ms = wait.as_millis() as u64,
                status = error.status(),
                "trying again"
            );
            sleep(wait).await;
            retries += 1;
        }
    }

    async fn attempt(&self) -> Result<Reply, Failure> {
        let send = self.transport.send(self.shared.settings(), self.prepared, self.stream);
        let (phase, bound, limit) = self.head_bound();
        let sent = match limit {
            Some(limit) => timeout(limit, send).await,
            None => Ok(send.await),
        };
        let reply = match sent {
            Ok(sent) => sent?,
            Err(_) => {
                let error = Error::timed_out(phase, bound);
                return Err(Failure { error, metered: Metered::Unknown });
            }
        };
        if (200..300).contains(&reply.head.status) {
            self.shared.metered(Metered::Entered);
            return Ok(reply);
        }
        let metered = match reply.head.status {
            401 => Metered::NormallyNot,
            _ => Metered::Unknown,
        };
        Err(Failure { error: self.failed(reply).await, metered })
    }

    /// The tighter of the first-byte timeout and what is left until the deadline.
    fn head_bound(&self) -> (TimeoutPhase, Duration, Option<Duration>) {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match (self.timeouts.first_byte, left) {
            (Some(first), Some(left)) if left < first => {
                (TimeoutPhase::Total, self.timeouts.total.unwrap_or_default(), Some(left))
            }
            (Some(first), _) => (TimeoutPhase::FirstByte, first, Some(first)),
            (None, left) => (TimeoutPhase::Total, self.timeouts.total.unwrap_or_default(), left),
        }
    }

    /// The error of an answer with a bad status; its body is read as far as the bound goes.
    async fn failed(&self, reply: Reply) -> Error {
        let settings = self.shared.settings();
        let Reply { head, mut body } = reply;
        let bytes = self.beginning(&mut body).await;
        let text = String::from_utf8_lossy(&bytes);
        let error = Error::from_response(FailedAnswer {
            status: head.status,
            body: &settings.api_key.mask(&text),
            request_id: head.request_id().map(str::to_owned),
            retry_after: retry_after(&head, SystemTime::now()),
        });
        match (error.kind(), head.status, head.header("location")) {
            (ErrorKind::Status, 300..400, Some(location)) => {
                let message = format!("the service redirects to {location}");
                Error::new(ErrorKind::Status, message)
                    .with_answer(head.status, head.request_id().map(str::to_owned))
                    .with_hint(REDIRECT_HINT)
            }
            (ErrorKind::NotFound, ..) if !settings.has_version() => error.with_hint(
                "Check the base URL, the path and the model name: the base URL does not end in /v1.",
            ),
            _ => error,
        }
    }

    /// The whole answer of a plain call.
    async fn document(&self, reply: Reply) -> Result<Answer> {
        let Reply { head, mut body } = reply;
        let bytes_max = self.shared.settings().limits.answer_bytes_max;
        let mut clock = self.clock();
        let mut bytes = match clock.next_piece(&mut body).await? {
            Some(first) => Vec::from(first),
            None => Vec::new(),
        };
        while let Some(piece) = clock.next_piece(&mut body).await? {
            if bytes.len() + piece.len() > bytes_max {
                let message = format!("the answer exceeds answer_bytes_max = {bytes_max} bytes");
                return Err(self.answered(Error::new(ErrorKind::Protocol, message), &head));
            }
            bytes.extend_from_slice(&piece);
            clock.substance();
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(invalid) => String::from_utf8_lossy(invalid.as_bytes()).into_owned(),
        };
        self.judge(head, text)
    }

    /// Whether a text that came under a good status is an answer of this operation.
    fn judge(&self, head: Head, text: String) -> Result<Answer> {
        let not_an_answer = |why: String, text: &str| {
            let error = Error::new(ErrorKind::Protocol, format!("{why}: {}", excerpt(text)));
            self.answered(error.with_body(excerpt(text)), &head)
        };
        let document = match Document::scan(text.as_str().into()) {
            Ok(document) => document,
            Err(cause) => {
                return Err(not_an_answer(format!("the answer is not JSON ({cause})"), &text));
            }
        };
        if document.is_error() {
            let masked = self.shared.settings().api_key.mask(&text);
            return Err(self.answered(Error::from_event(&masked), &head));
        }
        let is_answer = match self.prepared.endpoint {
            Endpoint::Models if document.models().is_none() => false,
            Endpoint::Models | Endpoint::Chat | Endpoint::Responses => true,
        };
        if !is_answer {
            return Err(not_an_answer("the answer has no list of models".into(), &text));
        }
        Ok(Answer::whole(self.prepared.endpoint, Arc::new(head), document))
    }

    /// A good status with something else than events: the beginning of it is shown.
    async fn not_a_stream(&self, reply: Reply) -> Error {
        let Reply { head, mut body } = reply;
        let bytes = self.beginning(&mut body).await;
        let text =
            self.shared.settings().api_key.mask(&String::from_utf8_lossy(&bytes)).into_owned();
        let kind = head.header("content-type").unwrap_or("no content type");
        let message = format!("the stream came as {kind}, not as events: {}", excerpt(&text));
        self.answered(Error::new(ErrorKind::Protocol, message).with_body(text), &head)
    }

    /// A body as far as `error_body_bytes_max` goes. What came before a fault is still the best
    /// that is known.
    async fn beginning(&self, body: &mut Body) -> Vec<u8> {
        let bytes_max = self.shared.settings().limits.error_body_bytes_max;
        let mut bytes = Vec::new();
        let mut clock = self.clock();
        while bytes.len() < bytes_max
            && let Ok(Some(piece)) = clock.next_piece(body).await
        {
            bytes.extend_from_slice(&piece);
            clock.substance();
        }
        bytes.truncate(bytes_max);
        bytes
    }

    fn answered(&self, error: Error, head: &Head) -> Error {
        error.with_answer(head.status, head.request_id().map(str::to_owned))
    }

    fn clock(&self) -> Clock {
        Clock::new(self.timeouts, self.deadline)
    }

    /// The events of a stream into the queue, then its end, then the rest of the body.
    async fn stream(&self, reply: Reply) {
        if !is_event_stream(&reply.head) {
            return self.shared.finish(Err(self.not_a_stream(reply).await));
        }
        let Reply { head, mut body } = reply;
        let head = Arc::new(head);
        let mut reading = Reading::new(self, head);
        let mut clock = self.clock();
        let outcome = loop {
            let queue = &self.shared.queue;
            poll_fn(|cx| queue.poll_push(&mut reading.found.batch, cx)).await;
            if let Some(outcome) = reading.found.outcome.take() {
                break outcome;
            }
            clock.substance(); // the time that a full queue took is not the service's
            reading.fill(&mut body, &mut clock).await;
        };
        self.shared.finish(outcome);
        // So that the connection is used again. The caller waits for none of this.
        let _ = timeout(DRAIN_TIME_MAX, drain(&mut body)).await;
    }
}

/// Whether the service says so; one that says nothing is believed to stream as asked.
fn is_event_stream(head: &Head) -> bool {
    head.header("content-type").is_none_or(|given| {
        let essence = given.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("text/event-stream")
    })
}

async fn drain(body: &mut Body) {
    let mut left = DRAIN_BYTES_MAX;
    while let Ok(Some(piece)) = poll_fn(|cx| body.poll_piece(cx)).await
        && left > piece.len()
    {
        left -= piece.len();
    }
}

/// The idle timeout and the deadline while a body is read.
struct Clock {
    idle: Option<Duration>,
    total: Duration,
    deadline: Option<Instant>,
    /// When something of substance came last.
    last: Instant,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Clock {
    fn new(timeouts: Timeouts, deadline: Option<Instant>) -> Clock {
        let mut clock = Clock {
            idle: timeouts.idle,
            total: timeouts.total.unwrap_or_default(),
            deadline,
            last: Instant::now(),
            alarm: None,
        };
        clock.alarm = clock.due().map(|due| Box::pin(sleep_until(due)));
        clock
    }

    fn due(&self) -> Option<Instant> {
        let idle = self.idle.map(|idle| self.last + idle);
        [idle, self.deadline].into_iter().flatten().min()
    }

    fn substance(&mut self) {
        self.last = Instant::now();
    }

    /// Ready when a timeout ran out. The alarm is set to the earliest time at which that may be
    /// and looked at again only then, so that progress costs no timer work.
    fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Error> {
        loop {
            let due = self.due();
            let (Some(alarm), Some(due)) = (&mut self.alarm, due) else {
                return Poll::Pending;
            };
            std::task::ready!(alarm.as_mut().poll(cx));
            let now = Instant::now();
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                return Poll::Ready(Error::timed_out(TimeoutPhase::Total, self.total));
            }
            if now >= due {
                return Poll::Ready(Error::timed_out(
                    TimeoutPhase::Idle,
                    self.idle.unwrap_or_default(),
                ));
            }
            alarm.as_mut().reset(due);
        }
    }

    /// The next piece of a body, unless a timeout comes first.
    async fn next_piece(&mut self, body: &mut Body) -> Result<Option<Bytes>> {
        poll_fn(|cx| match body.poll_piece(cx) {
            Poll::Ready(piece) => Poll::Ready(piece),
            Poll::Pending => self.poll_expired(cx).map(Err),
        })
        .await
    }
}

/// A stream being read: bytes go through the decoder into what was found.
struct Reading<'a> {
    decoder: sse::Decoder,
    found: Found<'a>,
}

/// What was parsed and not yet pushed, and what is known of the stream's end.
struct Found<'a> {
    exchange: &'a Exchange<'a>,
    head: Arc<Head>,
    /// Scanned, not judged yet.
    slab: Slab,
    batch: VecDeque<Event>,
    usage: Option<Usage>,
    /// The choices that have their finish reason.
    finished_choices: Vec<u32>,
    events: u64,
    outcome: Option<Result<Answer>>,
}

impl<'a> Reading<'a> {
    fn new(exchange: &'a Exchange<'a>, head: Arc<Head>) -> Reading<'a> {
        let limits = exchange.shared.settings().limits;
        let found = Found {
            exchange,
            slab: Slab::default(),
            batch: VecDeque::from([Event::Open(head.clone())]),
            head,
            usage: None,
            finished_choices: Vec::new(),
            events: 0,
            outcome: None,
        };
        Reading { decoder: sse::Decoder::new(limits.event_bytes_max), found }
    }

    /// Reads until there is something to push. The connection's own task runs on this thread and
    /// hands over one piece each time it runs, so when nothing more is there it gets one turn
    /// before what was read is pushed: one push, and one wake of the consumer, for all pieces of
    /// a read.
    async fn fill(&mut self, body: &mut Body, clock: &mut Clock) {
        let mut gave_turn = false;
        poll_fn(|cx| {
            loop {
                if self.found.outcome.is_some() || self.found.waiting() >= BATCH_EVENTS_MAX {
                    return Poll::Ready(());
                }
                match body.poll_piece(cx) {
                    Poll::Ready(Ok(Some(piece))) => {
                        gave_turn = false;
                        self.take(&piece, clock);
                    }
                    Poll::Ready(Ok(None)) => self.body_ended(),
                    Poll::Ready(Err(error)) => self.found.fail(error),
                    Poll::Pending if self.found.waiting() == 0 => {
                        let error = std::task::ready!(clock.poll_expired(cx));
                        self.found.fail(error);
                    }
                    Poll::Pending if gave_turn => return Poll::Ready(()),
                    Poll::Pending => {
                        gave_turn = true;
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                }
            }
        })
        .await;
        self.found.seal();
    }

    fn take(&mut self, piece: &[u8], clock: &mut Clock) {
        let before = self.decoder.substance();
        let found = &mut self.found;
        let fed = self.decoder.feed(piece, &mut |event| found.event(event));
        if self.decoder.substance() != before {
            clock.substance();
        }
        if let Err(too_large) = fed {
            self.found.fail(Error::new(ErrorKind::Protocol, too_large.to_string()));
        }
    }

    /// A clean end of the body. The grammar drops an event without its blank line; a whole JSON
    /// value or `[DONE]` is complete for all that, anything else was cut and is told as such.
    fn body_ended(&mut self) {
        let found = &mut self.found;
        // What waits in the decoder was within its bound, so this cannot fail.
        let _ = self.decoder.finish(&mut |event| {
            let data = event.data.trim();
            if data == DONE_MARK || crate::json::Value::parse(data).is_ok() {
                found.event(event);
            }
        });
        self.found.body_ended();
    }
}

impl Found<'_> {
    /// Ends the stream with an error, unless what came before ends it.
    fn fail(&mut self, error: Error) {
        self.seal();
        if self.outcome.is_none() {
            self.outcome = Some(Err(self.exchange.answered(error, &self.head)));
        }
    }

    fn succeed(&mut self, end: End) {
        if self.outcome.is_some() {
            return;
        }
        let endpoint = self.exchange.prepared.endpoint;
        self.outcome = Some(Ok(Answer::streamed(endpoint, self.head.clone(), self.usage, end)));
    }

    /// One event of the stream; what comes after its end is ignored (R-STR3).
    fn event(&mut self, event: sse::Event<'_>) {
        let data = event.data.trim_matches([' ', '\t', '\n', '\r']);
        if self.outcome.is_some() || data.is_empty() {
            return;
        }
        self.events += 1;
        if data == DONE_MARK {
            self.seal();
            return self.succeed(End::DoneMark);
        }
        if let Err(cause) = self.slab.add(event.name, &event.data) {
            let quoted = excerpt(data);
            let message = format!("an event of the stream is not JSON ({cause}): {quoted}");
            self.fail(Error::new(ErrorKind::Protocol, message).with_body(quoted));
        } else if self.slab.is_full() {
            self.seal();
        }
    }

    /// Events that were read and not pushed.
    fn waiting(&self) -> usize {
        self.batch.len() + self.slab.len()
    }

    /// Judges what was scanned, in order, up to the stream's end.
    fn seal(&mut self) {
        for chunk in self.slab.seal() {
            if self.outcome.is_some() {
                break;
            }
            self.chunk(chunk);
        }
    }

    fn chunk(&mut self, chunk: Chunk) {
        if chunk.is_error() {
            let masked = self.exchange.shared.settings().api_key.mask(chunk.json()).into_owned();
            return self.fail(Error::from_event(&masked));
        }
        if let Some(usage) = chunk.usage() {
            self.usage = Some(usage);
        }
        for choice in chunk.choices().filter(Choice::is_finished) {
            if !self.finished_choices.contains(&choice.index()) {
                self.finished_choices.push(choice.index());
            }
        }
        let is_final = chunk.is_final_response();
        self.batch.push_back(Event::Chunk(chunk));
        if is_final {
            self.succeed(End::FinalEvent);
        }
    }

    /// Complete without an end mark only if every choice of a chat has finished (R-STR7).
    fn body_ended(&mut self) {
        self.seal();
        if self.outcome.is_some() {
            return;
        }
        let awaited = self.exchange.prepared.choices as usize;
        let is_chat = self.exchange.prepared.endpoint == Endpoint::Chat;
        if is_chat && self.finished_choices.len() >= awaited {
            return self.succeed(End::FinishReasons);
        }
        let message = match self.events {
            0 => "the stream ended without a single event".to_owned(),
            events => format!("the stream ended without its end mark after {events} events"),
        };
        self.fail(Error::new(ErrorKind::Incomplete, message));
    }
}

/// How long the service asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date
/// (RFC 9110 section 10.2.3).
fn retry_after(head: &Head, now: SystemTime) -> Option<Duration> {
    if let Some(ms) = head.header("retry-after-ms").and_then(|text| text.trim().parse().ok()) {
        return Some(Duration::from_millis(ms));
    }
    let text = head.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_in_its_three_forms() {
        let asked = |name: &str, value: &str| {
            let headers = vec![(name.to_owned(), value.to_owned())];
            retry_after(
                &Head { status: 429, headers },
                SystemTime::UNIX_EPOCH + Duration::from_secs(10),
            )
        };
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        assert_eq!(asked("retry-after", "7"), seconds(7.0));
        assert_eq!(asked("retry-after", "0.25"), seconds(0.25));
        assert_eq!(asked("retry-after-ms", "1500"), seconds(1.5));
        assert_eq!(asked("retry-after", "Thu, 01 Jan 1970 00:00:30 GMT"), seconds(20.0));
        assert_eq!(asked("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"), seconds(0.0));
        for odd in ["", "soon", "-1", "NaN", "inf"] {
            assert_eq!(asked("retry-after", odd), None, "{odd:?}");
        }
    }
}
