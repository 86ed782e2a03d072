//! Conducts one exchange on the I/O thread: attempts with their retries, then the body, whole or
//! as a stream. Knows no language and no face.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use crate::call::call::{DoneGuard, Shared};
use crate::call::deadlines::Clock;
use crate::call::queue::Event;
use crate::call::retry::Decision;
use crate::call::stream_reader::{Reading, Wanted};
use crate::config::{
    DRAIN_BYTES_MAX, DRAIN_TIME_MAX, ERROR_BODY_TIME_MAX, Settings, Timeouts, without_secrets,
};
use crate::driver::offload::{Held, offload};
use crate::error::{Error, ErrorKind, FailedAnswer, Metered, Result, TimeoutPhase};
use crate::http::connections::Permit;
use crate::http::transport::{Body, Failure, Reply, Transport};
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::document_chunks::document_chunks;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::spans::ELEMENTS_MAX;
use crate::protocol::text::{cut, excerpt};
use crate::protocol::value::Value;
use crate::request::Prepared;
use crate::response::{Head, Response};

/// Redirects within the origin that are followed in a row.
const REDIRECTS_MAX: usize = 5;
const POOL_HINT: &str = "Raise connections_max, make fewer calls at once, or wait longer.";
const REDIRECT_HINT: &str = "Correct base_url: only a 307 or 308 within its origin is followed.";

/// A random number from 0 to 1.
fn chance() -> f64 {
    // The standard library seeds each of these anew.
    let random = std::hash::RandomState::new().build_hasher().finish();
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// The task of a call, from its first attempt until the connection is free again.
pub(crate) async fn run(guard: DoneGuard, mut prepared: Prepared, caller_streams: bool) {
    let shared = &guard.shared;
    guard.begin().await;
    if shared.queue.is_finished() {
        return; // cancelled before the first step
    }
    let timeouts = prepared.options.timeouts(shared.settings());
    let deadline = timeouts.total.map(|total| Instant::now() + total);
    let sent = prepared.body.take();
    let transport = match transport(shared, timeouts, deadline).await {
        Ok(transport) => transport,
        Err(error) => return guard.finish(Err(error)),
    };
    let exchange = Exchange {
        guard: &guard,
        shared,
        transport: &transport,
        prepared: &prepared,
        timeouts,
        deadline,
        caller_streams,
    };
    let mut reply = match exchange.open(sent).await {
        Ok(reply) => reply,
        Err(error) => return guard.finish(Err(error)),
    };
    exchange.answer(&mut reply).await;
}

/// The client's connections, before the deadline.
async fn transport(
    shared: &Shared,
    timeouts: Timeouts,
    deadline: Option<Instant>,
) -> Result<Arc<Transport>> {
    if let Some(made) = shared.session().transport_if_cheap() {
        return made;
    }
    let made = Box::pin(shared.session().transport());
    match deadline {
        None => made.await,
        Some(deadline) => timeout_at(deadline, made).await.unwrap_or_else(|_| {
            Err(Error::timed_out(TimeoutPhase::Total, timeouts.total.unwrap_or_default()))
        }),
    }
}

/// One call under way on the I/O thread.
struct Exchange<'a> {
    guard: &'a DoneGuard,
    shared: &'a Arc<Shared>,
    transport: &'a Transport,
    prepared: &'a Prepared,
    timeouts: Timeouts,
    deadline: Option<Instant>,
    /// Whether the caller wants the chunks; the service may be asked to stream all the same.
    caller_streams: bool,
}

/// What a body begins like.
enum Beginning {
    Events,
    Json,
    Other,
}

impl Exchange<'_> {
    /// Attempts until one gets a good status, or the policy or the deadline says stop. What was
    /// sent, which may be large, is not kept beyond that.
    async fn open(&self, sent: Option<Bytes>) -> Result<Reply> {
        let mut retries = 0;
        loop {
            let permit = self.connection().await?;
            self.shared.attempt_begins();
            let error = match self.attempt(sent.as_ref(), permit).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => {
                    self.shared.attempt_failed(failure.metered);
                    failure.error
                }
            };
            let policy = self.prepared.options.retry(self.shared.settings());
            let wait = match policy.decide(retries, &error, chance()) {
                Decision::Stop => return Err(error),
                Decision::Wait(wait) => wait,
            };
            // A wait beyond the deadline could only end in a less telling error.
            let outlasts =
                |deadline| Instant::now().checked_add(wait).is_none_or(|at| at >= deadline);
            if self.deadline.is_some_and(outlasts) {
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

    /// The right to a connection. Where as many are in use as may be the call waits its turn.
    async fn connection(&self) -> Result<Permit> {
        let connections = &self.transport.connections;
        if let Some(permit) = connections.try_get() {
            return Ok(permit);
        }
        Box::pin(async {
            self.shared.waits_for_connection();
            let (phase, bound, limit) = self.bound(TimeoutPhase::Pool, self.timeouts.pool);
            let (connections_max, waiting) = (connections.bound(), connections.waiting());
            tracing::debug!(
                target: "modelwire",
                connections_max,
                waiting,
                "all connections are in use: waiting for one"
            );
            let start = Instant::now();
            let get = connections.get();
            let got = match limit {
                Some(limit) => timeout(limit, get).await.ok(),
                None => Some(get.await),
            };
            let waited_ms = start.elapsed().as_millis() as u64;
            let Some(permit) = got else {
                let error = Error::timed_out(phase, bound);
                let message = format!(
                    "{}, in which all connections of the client were in use (connections_max = {})",
                    error.message(),
                    connections.bound()
                );
                return Err(error.with_message(message).with_hint(POOL_HINT));
            };
            tracing::debug!(target: "modelwire", waited_ms, "a connection is free");
            Ok(permit)
        })
        .await
    }

    async fn attempt(&self, sent: Option<&Bytes>, permit: Permit) -> Result<Reply, Failure> {
        let send = self.send_and_follow(sent, permit);
        let (phase, bound, limit) = self.bound(TimeoutPhase::FirstByte, self.timeouts.first_byte);
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
            self.shared.attempt_succeeded();
            return Ok(reply);
        }
        let metered = match reply.head.status {
            401 => Metered::NormallyNot,
            _ => Metered::Unknown,
        };
        // In a box, as all that is rare: an open stream carries the room for the largest of its
        // branches all its life.
        Err(Failure { error: Box::pin(self.failed(reply)).await, metered })
    }

    /// Sends the request, and sends it on where a 307 or 308 points to another place of the same
    /// origin: those ask for the same method and body (RFC 9110 section 15.4.8). Any other redirect
    /// is an error that the caller sees.
    async fn send_and_follow(
        &self,
        sent: Option<&Bytes>,
        mut permit: Permit,
    ) -> Result<Reply, Failure> {
        let settings = self.shared.settings();
        let mut moved: Option<Url> = None;
        for _ in 0..REDIRECTS_MAX {
            let place = moved.as_ref();
            let reply = self.transport.send(settings, self.prepared, sent, place, permit).await;
            let reply = match moved.is_some() {
                true => reply.map_err(Failure::after_a_redirect)?,
                false => reply?,
            };
            match settings.redirect_within_origin(&reply.url, &reply.head) {
                Some(place) => moved = Some(place),
                None => return Ok(reply),
            }
            permit = reply.body.into_permit();
        }
        let place = moved.map(|place| without_secrets(place.as_str())).unwrap_or_default();
        let message = format!(
            "the service redirects more than REDIRECTS_MAX = {REDIRECTS_MAX} times, last to {place}"
        );
        let error = Error::new(ErrorKind::Protocol, message);
        Err(Failure { error, metered: Metered::Unknown })
    }

    /// The tighter of a phase's own timeout and what is left until the deadline.
    fn bound(
        &self,
        phase: TimeoutPhase,
        own: Option<Duration>,
    ) -> (TimeoutPhase, Duration, Option<Duration>) {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match (own, left) {
            (Some(own), Some(left)) if left < own => {
                (TimeoutPhase::Total, self.timeouts.total.unwrap_or_default(), Some(left))
            }
            (Some(own), _) => (phase, own, Some(own)),
            (None, left) => (TimeoutPhase::Total, self.timeouts.total.unwrap_or_default(), left),
        }
    }

    /// The error of an answer with a bad status; its body is read as far as the bounds go.
    async fn failed(&self, reply: Reply) -> Error {
        let settings = self.shared.settings();
        let Reply { head, mut body, .. } = reply;
        let text = self.beginning(&mut body).await;
        let error = Error::from_response(FailedAnswer {
            status: head.status,
            body: &text,
            request_id: head.request_id().map(str::to_owned),
            retry_after: retry_after(&head, SystemTime::now()),
        });
        let error = match (error.kind(), head.status, head.header("location")) {
            (ErrorKind::Status, 300..400, Some(location)) => {
                let place = without_secrets(location);
                let message = format!("the service redirects to {place}");
                let error = Error::new(ErrorKind::Status, message).with_hint(REDIRECT_HINT);
                error.with_body(text)
            }
            (ErrorKind::NotFound, ..) if !settings.has_version() => error.with_hint(
                "Check the base URL, the path and the model name: the base URL does not end in /v1.",
            ),
            _ => error,
        };
        error.with_answer(&head)
    }

    /// Whether the whole answer is put together from a stream's chunks.
    fn gathers(&self) -> bool {
        !self.caller_streams || self.prepared.options.gather == Some(true)
    }

    /// The answer behind a good status. What was asked for and what came may differ (R-STR5): a
    /// document is handed to a streaming caller as chunks, events are gathered for a plain one.
    async fn answer(&self, reply: &mut Reply) {
        match (self.beginning_of(reply).await, self.caller_streams) {
            (Err(error), _) => self.guard.finish(Err(error.with_answer(&reply.head))),
            (Ok(Beginning::Events), _) => self.events(reply).await,
            (Ok(Beginning::Json), true) => Box::pin(self.document_as_stream(reply)).await,
            (Ok(Beginning::Other), true) => {
                let error = Box::pin(self.not_a_stream(reply)).await;
                self.guard.finish(Err(error));
            }
            (Ok(Beginning::Json | Beginning::Other), false) => {
                let outcome = self.document(reply).await;
                self.guard.finish(outcome);
            }
        }
    }

    /// What the content type says, and where it does not say events, what the body itself looks
    /// like: services get it wrong in both directions.
    async fn beginning_of(&self, reply: &mut Reply) -> Result<Beginning> {
        if is_event_stream(&reply.head) {
            return Ok(Beginning::Events);
        }
        let bytes_max = self.shared.settings().limits.response_bytes_max;
        let mut clock = self.clock();
        let mut start = Start::default();
        loop {
            let Some(piece) = clock.next_piece(&mut reply.body).await? else {
                reply.body.put_back(start.seen.into());
                return Ok(Beginning::Other);
            };
            match start.add(piece) {
                Some((beginning, unread)) => {
                    reply.body.put_back(unread);
                    return Ok(beginning);
                }
                None if start.blank_bytes > bytes_max => return Err(too_large(bytes_max)),
                None => {}
            }
        }
    }

    /// A document that answers a streamed call: as the chunks that a stream would have been, then
    /// the document itself at the end.
    async fn document_as_stream(&self, reply: &mut Reply) {
        let answer = match self.document(reply).await {
            Ok(answer) => answer,
            Err(error) => return self.shared.finish(Err(error)),
        };
        let (endpoint, whole) = (self.prepared.endpoint, answer.clone());
        let batch = offload(answer.json().len(), move || {
            let head = Arc::new(whole.head().clone());
            let mut batch = VecDeque::from([Event::Open(head)]);
            let document = whole.document().map_or(Value::NULL, Document::value);
            let chunks = document_chunks(endpoint, document);
            if chunks.len() > ELEMENTS_MAX {
                let message =
                    format!("the answer has more than ELEMENTS_MAX = {ELEMENTS_MAX} parts");
                return Err(Error::new(ErrorKind::Protocol, message).with_answer(whole.head()));
            }
            for (event, text) in chunks {
                batch.extend(Chunk::scan(&event, &text).ok().map(Event::Chunk));
            }
            Ok(batch)
        })
        .await;
        let mut batch = match batch {
            Ok(batch) => batch,
            Err(error) => return self.shared.finish(Err(error)),
        };
        poll_fn(|cx| self.shared.queue.poll_push(&mut batch, cx)).await;
        self.shared.finish(Ok(answer));
    }

    /// The whole answer of a plain call.
    async fn document(&self, reply: &mut Reply) -> Result<Response> {
        let read = self.whole(&mut reply.body).await;
        let mut held = read.map_err(|error| error.with_answer(&reply.head))?;
        self.transport.answer_ended(false, &reply.head, &reply.body);
        settle(&mut reply.body).await;
        let head = std::mem::take(&mut reply.head);
        let (settings, endpoint) = (self.shared.settings().clone(), self.prepared.endpoint);
        let bytes = std::mem::take(&mut held.0);
        offload(bytes.len(), move || judge(&settings, endpoint, head, bytes)).await
    }

    /// A body whole.
    async fn whole(&self, body: &mut Body) -> Result<Held> {
        let bytes_max = self.shared.settings().limits.response_bytes_max;
        let mut clock = self.clock();
        let mut held = Held::default();
        while let Some(piece) = clock.next_piece(body).await? {
            let bytes = &mut held.0;
            if bytes.len() + piece.len() > bytes_max {
                return Err(too_large(bytes_max));
            }
            // Most answers come in one piece, which is taken over without a copy.
            if bytes.is_empty() {
                *bytes = Vec::from(piece.clone());
            } else {
                bytes.extend_from_slice(&piece);
            }
            if !piece.is_empty() {
                clock.substance();
            }
        }
        Ok(held)
    }

    /// A good status with something else than events: the beginning of it is shown.
    async fn not_a_stream(&self, reply: &mut Reply) -> Error {
        let text = self.beginning(&mut reply.body).await;
        let head = &reply.head;
        let kind = head.header("content-type").unwrap_or("no content type");
        let message = format!("the stream came as {kind}, not as events: {}", excerpt(&text));
        Error::new(ErrorKind::Protocol, message).with_body(text).with_answer(head)
    }

    /// A body as far as `error_body_bytes_max` and `ERROR_BODY_TIME_MAX` go, the key masked. What
    /// came before a fault is still the best that is known.
    async fn beginning(&self, body: &mut Body) -> String {
        let settings = self.shared.settings();
        let bytes_max = settings.limits.error_body_bytes_max;
        // A key that the bound would cut is read whole, so that it is seen and masked.
        let wanted = bytes_max + settings.api_key.longest_written();
        let mut bytes = Vec::new();
        let mut clock = self.clock();
        let read = async {
            while bytes.len() < wanted
                && let Ok(Some(piece)) = clock.next_piece(body).await
            {
                bytes.extend_from_slice(&piece);
                clock.substance();
            }
        };
        let _ = timeout(ERROR_BODY_TIME_MAX, read).await;
        bytes.truncate(wanted);
        let text = String::from_utf8_lossy(&bytes);
        cut(&settings.api_key.mask(&text), bytes_max).to_owned()
    }

    fn clock(&self) -> Clock {
        Clock::new(self.timeouts, self.deadline)
    }

    /// What was read into the queue; whether that was full. While it is the deadline goes on.
    async fn push(&self, reading: &mut Reading) -> bool {
        let queue = &self.shared.queue;
        let mut was_full = false;
        let push = poll_fn(|cx| {
            let pushed = queue.poll_push(&mut reading.found.batch, cx);
            was_full |= pushed.is_pending();
            pushed
        });
        let has_pushed = match self.deadline {
            Some(deadline) => timeout_at(deadline, push).await.is_ok(),
            None => {
                push.await;
                true
            }
        };
        if !has_pushed {
            queue.push_all(&mut reading.found.batch);
            let total = self.timeouts.total.unwrap_or_default();
            reading.found.fail(Error::timed_out(TimeoutPhase::Total, total));
        }
        was_full
    }

    /// The events of a stream into the queue, then its end, then the rest of the body.
    async fn events(&self, reply: &mut Reply) {
        let body = &mut reply.body;
        let head = Arc::new(std::mem::take(&mut reply.head));
        let opening = self.caller_streams.then(|| Event::Open(head.clone()));
        let wanted = Wanted {
            settings: self.shared.settings().clone(),
            endpoint: self.prepared.endpoint,
            choices: (self.prepared.choices as usize).max(1),
            chunks: self.caller_streams,
            gathered: self.gathers(),
        };
        let mut reading = Reading::new(wanted, head.clone());
        reading.found.batch.extend(opening);
        let mut clock = self.clock();
        loop {
            let was_full = self.push(&mut reading).await;
            if reading.is_over() {
                break;
            }
            if was_full {
                clock.substance(); // the time that this took is not the service's
            }
            reading.fill(body, &mut clock).await;
            if reading.has_large() {
                reading = Box::pin(reading.fill_elsewhere(&mut clock)).await;
            }
        }
        self.transport.answer_ended(true, &head, body);
        settle(body).await;
        let outcome = Box::pin(reading.conclude()).await;
        self.shared.finish(outcome);
        // So that the connection is used again. The caller waits for none of this.
        let _ = timeout(DRAIN_TIME_MAX, drain(body)).await;
    }
}

fn too_large(bytes_max: usize) -> Error {
    let message = format!("the answer exceeds response_bytes_max = {bytes_max} bytes");
    Error::new(ErrorKind::Protocol, message)
}

/// Whether a body that came under a good status is an answer of this operation.
fn judge(settings: &Settings, endpoint: Endpoint, head: Head, bytes: Vec<u8>) -> Result<Response> {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|invalid| String::from_utf8_lossy(invalid.as_bytes()).into_owned());
    // Some writers put a byte order mark before JSON; readers may pass over it (RFC 8259).
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    let not_an_answer = |why: &str, text: &str| {
        let quoted = settings.quote(text);
        let error = Error::new(ErrorKind::Protocol, format!("{why}: {quoted}"));
        Err(error.with_body(quoted).with_answer(&head))
    };
    let document = match Document::scan(text.as_str().into()) {
        Ok(document) => document,
        Err(cause) => return not_an_answer(&format!("the answer is not JSON ({cause})"), &text),
    };
    if document.is_error() {
        return Err(settings.bounded(Error::from_event(&text)).with_answer(&head));
    }
    match endpoint {
        Endpoint::Models if !document.is_model_list() => {
            not_an_answer("the answer has no list of models", &text)
        }
        Endpoint::Chat | Endpoint::Responses if !document.is_object() => {
            not_an_answer("the answer is JSON, but not an object", &text)
        }
        Endpoint::Models | Endpoint::Chat | Endpoint::Responses => {
            Ok(Response::whole(endpoint, Arc::new(head), document))
        }
    }
}

/// The start of a body, as far as it takes to see what it is. White space before that is counted
/// and dropped.
#[derive(Default)]
struct Start {
    seen: Vec<u8>,
    blank_bytes: usize,
}

impl Start {
    /// What the body is and what is left to be read, once that can be told.
    fn add(&mut self, piece: Bytes) -> Option<(Beginning, Bytes)> {
        let bytes = match self.seen.is_empty() {
            true => piece,
            false => {
                self.seen.extend_from_slice(&piece);
                std::mem::take(&mut self.seen).into()
            }
        };
        let marked = match self.blank_bytes {
            0 => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes),
            _ => &bytes,
        };
        let text = marked.trim_ascii_start();
        self.blank_bytes += bytes.len() - text.len();
        let found = look(text);
        if found.is_none() {
            self.seen.extend_from_slice(text); // shorter than a field's name
        }
        found.map(|found| (found, bytes.slice_ref(text)))
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn is_event_stream(head: &Head) -> bool {
    head.header("content-type").is_some_and(|given| {
        let essence = given.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("text/event-stream")
    })
}

/// What a body's first bytes say, white space aside; `None` while they are too few to tell.
fn look(bytes: &[u8]) -> Option<Beginning> {
    match bytes.first()? {
        b'{' | b'[' => return Some(Beginning::Json),
        b':' => return Some(Beginning::Events),
        _ => {}
    }
    let fields: [&[u8]; 4] = [b"data:", b"event:", b"id:", b"retry:"];
    if fields.iter().any(|field| bytes.starts_with(field)) {
        return Some(Beginning::Events);
    }
    let may_become =
        fields.iter().any(|field| field.starts_with(bytes)) || BYTE_ORDER_MARK.starts_with(bytes);
    (!may_become).then_some(Beginning::Other)
}

/// The connection goes back to its pool in a few turns of its own tasks. They get these turns
/// before the caller hears of the end, so that its next call finds the connection there; nothing
/// is waited for.
async fn settle(body: &mut Body) {
    const TURNS: u32 = 4;
    let mut turns = 0;
    let mut has_ended = false;
    poll_fn(|cx| {
        has_ended = has_ended || matches!(body.poll_piece(cx), Poll::Ready(Ok(None) | Err(_)));
        turns += 1;
        if turns > TURNS {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

async fn drain(body: &mut Body) {
    let mut left = DRAIN_BYTES_MAX;
    while let Ok(Some(piece)) = poll_fn(|cx| body.poll_piece(cx)).await
        && left > piece.len()
    {
        left -= piece.len();
    }
}

/// How long the service asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as a date
/// (RFC 9110 section 10.2.3).
fn retry_after(head: &Head, now: SystemTime) -> Option<Duration> {
    // A number that is too large for any clock is still a wait, and longer than every bound.
    let too_large = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(text) = head.header("retry-after-ms").map(str::trim) {
        match text.parse() {
            Ok(ms) => return Some(Duration::from_millis(ms)),
            Err(_) if too_large(text) => return Some(Duration::MAX),
            Err(_) => {}
        }
    }
    let text = head.header("retry-after")?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let wait = Duration::try_from_secs_f64(seconds).ok();
        return wait.or(too_large(text).then_some(Duration::MAX));
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
        for huge in ["99999999999999999999", "184467440737095516160"] {
            assert_eq!(asked("retry-after", huge), Some(Duration::MAX));
            assert_eq!(asked("retry-after-ms", huge), Some(Duration::MAX));
        }
        for odd in ["", "soon", "-1", "NaN", "inf"] {
            assert_eq!(asked("retry-after", odd), None, "{odd:?}");
        }
    }
}
