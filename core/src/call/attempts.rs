//! The attempts of one call: each waits for admission and a connection, is sent, follows redirects within
//! the origin, continues at another base URL, and is retried if the retry policy says so.

use std::borrow::Cow;
use std::future::{pending, poll_fn};
use std::hash::{BuildHasher, Hasher};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout, timeout_at};
use url::Url;

use crate::answer::error::{Error, FailedAnswer, Result};
use crate::answer::error_kind::{ErrorKind, Metered, TimeoutPhase};
use crate::answer::head::Head;
use crate::answer::rate_limits;
use crate::answer::record::WaitReason;
use crate::call::admission::AttemptPermit;
use crate::call::before_attempt::{BeforeAttempt, Hook};
use crate::call::body;
use crate::call::deadlines::Deadlines;
use crate::call::hook;
use crate::call::retry::Decision;
use crate::call::session::{Place, SessionRun};
use crate::call::task::Shared;
use crate::call::upstreams::{Chosen, Failed, Upstreams, is_of_service};
use crate::http::connections::Permit;
use crate::http::failure::Failure;
use crate::http::timing::AttemptTiming;
use crate::http::transport::{Reply, ToSend, Transport};
use crate::options::config::Settings;
use crate::options::retry_policy::RetryPolicy;
use crate::protocol::text::without_secrets;
use crate::request::prepared::{Prepared, with_model};

/// An answer, and whether it came after redirects.
struct Sent {
    reply: Box<Reply>,
    is_redirected: bool,
}

/// The maximum number of consecutive redirects within the origin.
const REDIRECTS_MAX: usize = 5;
/// The longest wait for an admission before all services are looked at again.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
const POOL_HINT: &str = "Raise connections_max or this timeout, or make fewer concurrent calls.";
const GATE_HINT: &str = "Raise this timeout, or make fewer concurrent calls.";
const REDIRECT_HINT: &str = "Correct base_url: only a 307 or 308 within its origin is followed.";

/// A random number from 0 to 1.
fn chance() -> f64 {
    // The standard library seeds each `RandomState` differently.
    let random = std::hash::RandomState::new().build_hasher().finish();
    (random >> 11) as f64 / (1u64 << 53) as f64
}

/// What the attempts of a call share.
pub(crate) struct Attempts<'a> {
    shared: &'a Shared,
    run: &'a SessionRun,
    place: Place,
    transport: Arc<Transport>,
    prepared: &'a Prepared,
    policy: Cow<'a, RetryPolicy>,
    deadlines: Deadlines,
    /// The request body, which may be large.
    sent: Option<Bytes>,
    /// The number of retries so far.
    retries: u32,
    /// With several base URLs: those that were tried since all had been, as bits.
    tried: u64,
    /// The last error since then that the policy retries.
    retriable: Option<Error>,
}

/// An answer with a success status.
pub(crate) struct Opened {
    pub(crate) reply: Box<Reply>,
    /// Held until the answer has ended.
    pub(crate) permit: Option<AttemptPermit>,
    /// Those of its attempt.
    pub(crate) deadlines: Deadlines,
    pub(crate) transport: Arc<Transport>,
    /// The service, with several base URLs.
    pub(crate) chosen: Option<Chosen>,
}

/// What an attempt sends, and where.
struct Sending {
    /// Zero with one base URL.
    service: usize,
    /// The request body, if it differs from that of other services.
    renamed: Option<Bytes>,
    /// Headers of this attempt alone.
    more: Vec<(String, String)>,
}

/// Where an attempt goes, and what it holds.
struct Entered {
    chosen: Option<Chosen>,
    admitted: Option<AttemptPermit>,
    permit: Permit,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(
        shared: &'a Shared,
        run: &'a SessionRun,
        place: Place,
        transport: Arc<Transport>,
        prepared: &'a Prepared,
        deadlines: Deadlines,
        sent: Option<Bytes>,
    ) -> Attempts<'a> {
        let (retries, tried, retriable) = (0, 0, None);
        Attempts {
            shared,
            run,
            place,
            transport,
            prepared,
            policy: prepared.options.retry(shared.settings()),
            deadlines,
            sent,
            retries,
            tried,
            retriable,
        }
    }

    /// Makes attempts until one gets a success status, or the policy or the deadline stops it. Releases the
    /// request body when it returns, unless it may be needed for [`Attempts::again`].
    pub(crate) async fn open(&mut self) -> Result<Opened> {
        loop {
            let Entered { mut chosen, mut admitted, permit } = self.enter().await?;
            let service = chosen.as_ref().map(|chosen| chosen.number);
            let renamed = service.and_then(|service| self.renamed(service));
            let more = match self.shared.session().hook() {
                Some(hook) => {
                    let body = renamed.as_ref().or(self.sent.as_ref()).cloned();
                    Box::pin(self.asks(hook, body)).await?
                }
                None => Vec::new(),
            };
            let sending = Sending { service: service.unwrap_or_default(), renamed, more };
            let Some(seen) = self.shared.attempt_begins(service) else {
                // Whoever ends the call also stops this task.
                return pending().await;
            };
            let content = self.deadlines.content_of_attempt();
            let (error, metered) = match self.attempt(permit, &seen, &sending).await {
                Ok(reply) => {
                    admitted.iter_mut().for_each(AttemptPermit::succeeded);
                    chosen.iter_mut().for_each(Chosen::answers);
                    if !self.retries_before_content() {
                        self.sent = None;
                    }
                    let transport = self.transport.clone();
                    let deadlines = Deadlines { content, ..self.deadlines };
                    return Ok(Opened { reply, permit: admitted, deadlines, transport, chosen });
                }
                Err(Failure { error, metered }) => {
                    self.shared.attempt_failed(metered, error.kind());
                    (error, metered)
                }
            };
            let policy = &self.policy;
            if let (Some(admitted), Some(asked)) = (admitted, policy.refusal(&error)) {
                admitted.refused(asked);
            }
            let Some(chosen) = chosen else {
                let decision = policy.decide(self.retries, &error, error.retry_after(), chance());
                let Some(wait) = self.allowed(decision) else { return Err(error) };
                self.pause(wait, &error).await;
                continue;
            };
            self.moves_on(chosen, error, metered).await?;
        }
    }

    /// After a failure at one of several services: returns where the next attempt may begin, or the error.
    ///
    /// What costs nothing, an attempt that was not sent or was refused with status 429, moves on to a service
    /// that the call has not tried. Anything else that the policy retries is a retry, without a wait while
    /// there is such a service.
    async fn moves_on(&mut self, chosen: Chosen, error: Error, metered: Metered) -> Result<()> {
        let policy = &self.policy;
        let is_unsent = metered == Metered::NotSent && is_of_service(&error);
        let is_refusal = policy.is_refusal(&error);
        match error.status() {
            _ if is_unsent => chosen.failed(Failed::NotSent),
            Some(_) if is_refusal => chosen.failed(Failed::Refused(error.retry_after())),
            Some(status) if status < 500 => chosen.answered_well(),
            _ if is_of_service(&error) => chosen.failed(Failed::Otherwise),
            _ => drop(chosen),
        }
        if !is_unsent {
            self.retriable = is_refusal.then(|| error.clone());
        }
        let has_another = self.has_another() || is_unsent && self.has_reachable();
        if has_another && (is_unsent || is_refusal && error.kind() == ErrorKind::RateLimited) {
            self.shared.tells_of_retry(&error, Duration::ZERO);
            return Ok(());
        }
        let earlier = self.retriable.clone().filter(|_| is_unsent && !policy.covers(&error));
        let error = earlier.unwrap_or(error);
        let decision = policy.decide(self.retries, &error, self.asked(), chance());
        let Some(wait) = self.allowed(decision) else { return Err(error) };
        self.pause(wait, &error).await;
        Ok(())
    }

    /// The services among which the call may choose.
    fn choices(&self) -> Option<&'a Arc<Upstreams>> {
        self.run.upstreams.as_ref().filter(|_| self.prepared.options.upstream.is_none())
    }

    /// Whether there is a service that does not rest and that the call has not tried.
    fn has_another(&self) -> bool {
        self.choices().is_some_and(|upstreams| {
            upstreams.choose(self.tried, |_| false).is_err_and(|later| !later.is_empty())
        })
    }

    /// Whether there is one that rests after failures, and is better than one that cannot be reached.
    fn has_reachable(&self) -> bool {
        self.choices().is_some_and(|upstreams| upstreams.has_reachable(self.tried))
    }

    /// How long all of several services ask to wait.
    fn asked(&self) -> Option<Duration> {
        let left = self.run.upstreams.as_ref()?.asked_left();
        (!left.is_zero()).then_some(left)
    }

    /// Whether an answer that failed before its content is retried.
    pub(crate) fn retries_before_content(&self) -> bool {
        self.policy.before_content
    }

    /// Records that an answer failed before its content, and waits for the next attempt; returns the error if
    /// there is none.
    pub(crate) async fn again(&mut self, error: Error) -> Result<()> {
        let policy = &self.policy;
        let asked = self.asked().or(error.retry_after());
        let decision = policy.decide(self.retries, &error, asked, chance());
        let Some(wait) = self.allowed(decision) else { return Err(error) };
        self.shared.attempt_failed(Metered::Unknown, error.kind());
        self.retriable = None;
        self.pause(wait, &error).await;
        Ok(())
    }

    /// The wait before the next attempt, if there is one: a wait beyond the deadline could only end in a less
    /// specific error.
    fn allowed(&self, decision: Decision) -> Option<Duration> {
        match decision {
            Decision::Wait(wait) => {
                Some(wait).filter(|wait| !self.deadlines.are_outlasted_by(*wait))
            }
            Decision::Stop => None,
        }
    }

    /// A retry waits and begins a round of services, or goes without a wait to one that the call has not tried.
    async fn pause(&mut self, mut wait: Duration, error: &Error) {
        match self.has_another() {
            true => wait = Duration::ZERO,
            false => self.tried = 0,
        }
        self.shared.tells_of_retry(error, wait);
        let waits = self.shared.waits(WaitReason::Retry);
        sleep(wait).await;
        drop(waits);
        self.retries += 1;
    }

    /// Waits for admission and a connection. No attempt starts during a pause: if the wait for a connection
    /// ends in one, the call queues again.
    async fn enter(&mut self) -> Result<Entered> {
        let was_refused = self.retries > 0;
        let is_adaptive = self.policy.adaptive;
        if self.run.upstreams.is_some() {
            return Box::pin(self.enter_one_of_several(is_adaptive, was_refused)).await;
        }
        if !is_adaptive {
            let permit = self.connection().await?;
            return Ok(Entered { chosen: None, admitted: None, permit });
        }
        Box::pin(async {
            let admission = self.run.admission(0);
            loop {
                let admitted = match admission.try_enter(was_refused) {
                    Some(admitted) => admitted,
                    None => self.queued(admission.enter(was_refused)).await?,
                };
                if let Some(permit) = self.transport.connections.try_get() {
                    return Ok(Entered { chosen: None, admitted: Some(admitted), permit });
                }
                drop(admitted);
                let permit = self.connection().await?;
                if let Some(admitted) = admission.try_enter(was_refused) {
                    return Ok(Entered { chosen: None, admitted: Some(admitted), permit });
                }
            }
        })
        .await
    }

    /// The same for the next of several services.
    async fn enter_one_of_several(
        &mut self,
        is_adaptive: bool,
        was_refused: bool,
    ) -> Result<Entered> {
        let (run, only) = (self.run, self.prepared.options.upstream);
        let Some(upstreams) = &run.upstreams else { return Err(Error::internal("one base URL")) };
        let mut waited = None; // for admission
        let (chosen, admitted, permit) = loop {
            // Before the choice, which is counted.
            let permit = self.connection().await?;
            if let Some(only) = only {
                break (upstreams.take(self.tried, only), None, permit);
            }
            let mut admitted = None;
            let choice = upstreams.choose(self.tried, |number| {
                admitted = match waited.take_if(|(of, _)| *of == number) {
                    Some((_, entered)) => Some(entered),
                    None if is_adaptive => run.admission(number).try_enter(was_refused),
                    None => return true,
                };
                admitted.is_some()
            });
            waited = None;
            match choice {
                Ok(chosen) => break (chosen, admitted, permit),
                Err(later) if later.is_empty() => self.tried = 0,
                Err(_) => {
                    drop(permit); // none is held while a call waits for others
                    waited = Some(self.queued(admission_of(run, self.tried, was_refused)).await?);
                }
            }
        };
        self.tried |= 1 << chosen.number;
        self.transport = match run.transport_if_cheap(chosen.number, self.place) {
            Some(made) => made?,
            None => transport(run, chosen.number, self.place, self.deadlines).await?,
        };
        Ok(Entered { chosen: Some(chosen), admitted, permit })
    }

    /// Waits for admission behind other calls.
    async fn queued<T>(&self, enter: impl Future<Output = T>) -> Result<T> {
        let _waits = self.shared.waits(WaitReason::Turn);
        let (phase, bound, limit) =
            self.deadlines.bound(TimeoutPhase::Pool, self.deadlines.timeouts.pool);
        let entered = match limit {
            Some(limit) => timeout(limit, enter).await.ok(),
            None => Some(enter.await),
        };
        entered.ok_or_else(|| {
            let error = Error::timed_out(phase, bound);
            let message = format!(
                "{} while the call was queued behind other calls of the client (retry_adaptive)",
                error.message()
            );
            error.with_message(message).with_hint(GATE_HINT)
        })
    }

    /// Waits for a connection permit while all connections are in use.
    async fn connection(&self) -> Result<Permit> {
        let connections = &self.transport.connections;
        if let Some(permit) = connections.try_get() {
            return Ok(permit);
        }
        Box::pin(async {
            let _waits = self.shared.waits(WaitReason::Connection);
            let (phase, bound, limit) =
                self.deadlines.bound(TimeoutPhase::Pool, self.deadlines.timeouts.pool);
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
                    "{} while all connections of the client were in use (connections_max = {})",
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

    async fn attempt(
        &self,
        permit: Permit,
        seen: &Arc<AttemptTiming>,
        sending: &Sending,
    ) -> Result<Box<Reply>, Failure> {
        let send = self.send_and_follow(permit, seen, sending);
        let (phase, bound, limit) = self.deadlines.until_head();
        let sent = match limit {
            Some(limit) => {
                let mut send = pin!(timeout(limit, send));
                poll_fn(|cx| {
                    seen.is_polled();
                    send.as_mut().poll(cx)
                })
                .await
            }
            None => Ok(send.await),
        };
        let Sent { reply, is_redirected } = match sent {
            Ok(sent) => sent?,
            // The answer's timeout includes the connection's, which may be as long, or longer.
            Err(_) if phase != TimeoutPhase::Total && seen.is_unsent() => {
                let body = sending.renamed.as_ref().or(self.sent.as_ref());
                seen.sent_nothing(body.map_or(0, Bytes::len));
                let connect = self.run.settings(sending.service).timeouts.connect;
                let error = match connect.filter(|connect| *connect <= bound) {
                    Some(connect) => Error::timed_out(TimeoutPhase::Connect, connect),
                    None => {
                        let name = Error::timed_out(phase, bound);
                        let message = format!("{} before a connection was open", name.message());
                        Error::timed_out(TimeoutPhase::Connect, bound).with_message(message)
                    }
                };
                return Err(Failure { error, metered: Metered::NotSent });
            }
            Err(_) => {
                let error = Error::timed_out(phase, bound);
                let error = match phase {
                    TimeoutPhase::FirstContent => {
                        let message = format!("{}: no response headers", error.message());
                        error.with_message(message)
                    }
                    _ => error,
                };
                return Err(Failure { error, metered: Metered::Unknown });
            }
        };
        if (200..300).contains(&reply.head.status()) {
            return Ok(reply);
        }
        let metered = match reply.head.status() {
            // Before a redirect it may have been accepted.
            401 if !is_redirected => Metered::NormallyNot,
            _ => Metered::Unknown,
        };
        // Boxed, like everything rare: the future of an open stream is as large as its largest branch.
        Err(Failure { error: Box::pin(self.failed(reply)).await, metered })
    }

    /// Sends the request, and sends it again to another URL of the same origin after a 307 or 308, which
    /// require the same method and body (RFC 9110 section 15.4.8). The caller gets any other redirect as an
    /// error.
    async fn send_and_follow(
        &self,
        mut permit: Permit,
        seen: &Arc<AttemptTiming>,
        sending: &Sending,
    ) -> Result<Sent, Failure> {
        let settings = self.run.settings(sending.service);
        let mut moved: Option<Box<Url>> = None;
        // The request itself, then up to REDIRECTS_MAX redirects.
        for _ in 0..=REDIRECTS_MAX {
            let place = moved.as_deref();
            let Sending { renamed, more, .. } = sending;
            let (prepared, body) = (self.prepared, renamed.as_ref().or(self.sent.as_ref()));
            let redactor = &self.shared.redactor;
            let to_send = ToSend { prepared, body, moved: place, more, redactor };
            let reply = self.transport.send(settings, to_send, permit, seen);
            let reply = reply.await;
            let reply = match moved.is_some() {
                true => reply.map_err(Failure::after_a_redirect)?,
                false => reply?,
            };
            match redirect_within_origin(settings, reply.body.url(), &reply.head) {
                Some(place) => moved = Some(Box::new(place)),
                None => return Ok(Sent { reply, is_redirected: moved.is_some() }),
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

    /// Runs the program's function before an attempt; returns the headers that it set.
    async fn asks(&self, program: Hook, body: Option<Bytes>) -> Result<Vec<(String, String)>> {
        let url = self.transport.url(self.prepared, None).into();
        let (number, body) = (self.shared.attempts() + 1, body.unwrap_or_default());
        let attempt = Arc::new(BeforeAttempt::new(self.prepared.endpoint, url, number, body));
        let (session, redactor) = (self.shared.session(), &self.shared.redactor);
        let call = std::ptr::from_ref(self.shared).addr();
        hook::run(program, session, call, redactor, &self.deadlines, attempt).await
    }

    /// The request body for a service where its model has another name.
    fn renamed(&self, service: usize) -> Option<Bytes> {
        let upstream = self.shared.settings().upstreams.as_ref()?.all.get(service)?;
        if upstream.models.is_empty() {
            return None;
        }
        with_model(self.sent.as_ref()?, &upstream.models).map(Bytes::from)
    }

    /// The error for an answer with an error status; reads its body up to the limits.
    async fn failed(&self, reply: Box<Reply>) -> Error {
        let Reply { head, mut body } = *reply;
        let (text, broken) =
            body::excerpt(&self.shared.redactor, &mut body, self.deadlines.clock()).await;
        let error = Error::from_response(FailedAnswer {
            status: head.status(),
            body: &text,
            request_id: head.request_id().map(str::to_owned),
            retry_after: retry_after(&head, SystemTime::now()),
        });
        let error = match broken.filter(|_| text.trim().is_empty()) {
            Some(broken) => {
                let (status, why) = (head.status(), broken.message());
                let message = format!(
                    "the service returned status {status}, and its body cannot be read: {why}"
                );
                error.with_message(message)
            }
            None => error,
        };
        let error = match (head.status(), head.header("location")) {
            (300..400, Some(location)) => {
                let place = without_secrets(location);
                let message = format!("the service redirects to {place}");
                let error = Error::new(ErrorKind::Status, message).with_hint(REDIRECT_HINT);
                error.with_body(text)
            }
            _ => error,
        };
        error.with_answer(&head)
    }
}

/// The transport to a service, made now, or an error at the deadline.
pub(crate) async fn transport(
    run: &SessionRun,
    service: usize,
    place: Place,
    deadlines: Deadlines,
) -> Result<Arc<Transport>> {
    let made = run.transport(service, place);
    match deadlines.deadline {
        None => made.await,
        Some(deadline) => {
            timeout_at(deadline, made).await.unwrap_or_else(|_| Err(deadlines.error()))
        }
    }
}

/// Waits until one of the services admits a call that has tried these; services that no longer rest join in.
async fn admission_of(run: &SessionRun, tried: u64, was_refused: bool) -> (usize, AttemptPermit) {
    let Some(upstreams) = &run.upstreams else { return pending().await };
    loop {
        let numbers = upstreams.choose(tried, |_| false).err().unwrap_or_default();
        // Of none, never: all rest.
        let first = first_of(numbers.into_iter().map(|number| {
            let entered = run.admission(number).enter(was_refused);
            Box::pin(async move { (number, entered.await) })
        }));
        if let Ok(entered) = timeout(upstreams.until_change().min(LOOK_AGAIN), first).await {
            return entered;
        }
    }
}

/// The result of the first of these futures that is ready; the others are dropped.
async fn first_of<T>(futures: impl Iterator<Item = Pin<Box<impl Future<Output = T>>>>) -> T {
    let mut futures: Vec<_> = futures.collect();
    poll_fn(|cx| {
        let mut polled = futures.iter_mut().map(|future| future.as_mut().poll(cx));
        polled.find(Poll::is_ready).unwrap_or(Poll::Pending)
    })
    .await
}

/// The target of a 307 or 308, if it is within the origin of the base URL.
fn redirect_within_origin(settings: &Settings, from: &Url, head: &Head) -> Option<Url> {
    if !matches!(head.status(), 307 | 308) {
        return None;
    }
    let place = from.join(head.header("location")?).ok()?;
    (place.origin() == settings.base_url.origin()).then_some(place)
}

fn retry_after(head: &Head, now: SystemTime) -> Option<Duration> {
    rate_limits::retry_after(|name| head.header(name), now)
}

#[cfg(test)]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::iter::from_fn;
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::*;
    use crate::call::task::{Alive, DoneGuard};
    use crate::options::base_urls::BaseUrl;
    use crate::options::config::Config;
    use crate::options::timeouts::Timeouts;
    use crate::request::request::Request;

    /// The settings of a client with two base URLs.
    pub(crate) fn with_two_services(is_adaptive: bool) -> Settings {
        let urls = ["http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"];
        let policy = RetryPolicy::default().adaptive(is_adaptive);
        let config = Config::new().api_key("sk-test").retry(policy);
        config.base_urls(urls.map(BaseUrl::new)).validate().unwrap()
    }

    /// What the attempts of a call borrow.
    struct Made {
        guard: DoneGuard,
        prepared: Prepared,
    }

    impl Made {
        fn new(settings: Settings) -> Made {
            let prepared = Request::models().prepare(false, false).unwrap();
            Made { guard: DoneGuard::for_tests(settings, Alive::for_tests()), prepared }
        }

        fn attempts(&self) -> Attempts<'_> {
            let (run, place) = (&*self.guard.run, Place::Runtime);
            let transport = run.transport_if_cheap(0, place).unwrap().unwrap();
            let deadlines = Deadlines::start(Timeouts::OFF);
            Attempts::new(
                &self.guard.shared,
                run,
                place,
                transport,
                &self.prepared,
                deadlines,
                None,
            )
        }
    }

    /// Which service comes after a row of failures with these statuses.
    #[tokio::test(start_paused = true)]
    async fn errors_from_status_500_make_a_service_rest_and_a_refused_request_ends_the_row() {
        for (statuses, next) in
            [(&[500, 500, 500][..], 1), (&[500, 500, 404, 500], 0), (&[499, 499, 499], 0)]
        {
            let made = Made::new(with_two_services(false));
            let upstreams = made.guard.run.upstreams.as_ref().unwrap();
            let choose = || upstreams.choose(0, |_| true).ok().unwrap();
            for status in statuses.iter().copied() {
                let chosen = choose();
                assert_eq!(chosen.number, 0);
                let (body, request_id, retry_after) = ("", None, None);
                let answer = FailedAnswer { status, body, request_id, retry_after };
                let error = Error::from_response(answer);
                let moved = made.attempts().moves_on(chosen, error, Metered::Unknown).await;
                assert_eq!(moved.unwrap_err().status(), Some(status), "it is not retried");
            }
            assert_eq!(choose().number, next, "{statuses:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_a_retry_passes_those_in_line() {
        for (retries, is_first) in [(0, false), (1, true)] {
            let mut settings = Settings::for_tests("sk-test");
            settings.retry.adaptive = true;
            let made = Made::new(settings);
            let admission = made.guard.run.admission(0);
            let mut places: Vec<_> = from_fn(|| admission.try_enter(false)).collect();
            let mut cx = Context::from_waker(Waker::noop());
            let mut head = pin!(admission.enter(false));
            let mut next = pin!(admission.enter(false));
            assert!(head.as_mut().poll(&mut cx).is_pending());
            assert!(next.as_mut().poll(&mut cx).is_pending());
            places.pop();
            // Now the next one is the first in line, and has not noticed.
            let Poll::Ready(_place) = head.as_mut().poll(&mut cx) else { unreachable!() };
            places.pop();
            let mut attempts = made.attempts();
            attempts.retries = retries;
            assert_eq!(pin!(attempts.enter()).poll(&mut cx).is_ready(), is_first, "{retries}");
        }
    }

    #[tokio::test]
    async fn only_calls_that_adapt_are_admitted_by_a_service() {
        for is_adaptive in [false, true] {
            let made = Made::new(with_two_services(is_adaptive));
            let entered = made.attempts().enter().await.ok().unwrap();
            assert_eq!(entered.admitted.is_some(), is_adaptive);
            assert_eq!(entered.chosen.unwrap().number, 0);
        }
    }

    /// It does not go back to one that it has tried.
    #[tokio::test(start_paused = true)]
    async fn a_call_waits_for_a_service_that_it_has_not_tried() {
        let made = Made::new(with_two_services(true));
        let admission = made.guard.run.admission(1);
        let places: Vec<_> = from_fn(|| admission.try_enter(false)).collect();
        let mut attempts = made.attempts();
        attempts.tried = 0b01;
        let mut entering = pin!(attempts.enter());
        let mut cx = Context::from_waker(Waker::noop());
        assert!(entering.as_mut().poll(&mut cx).is_pending());
        drop(places);
        let Poll::Ready(entered) = entering.as_mut().poll(&mut cx) else { unreachable!() };
        assert_eq!(entered.ok().unwrap().chosen.unwrap().number, 1);
    }

    /// Of a thousand, the chance that a tenth of the range has none is below 1e-44.
    #[test]
    fn chances_are_spread_from_zero_to_one() {
        let mut tenths = [0; 10];
        for _ in 0..1000 {
            let chance = chance();
            assert!((0.0..1.0).contains(&chance), "{chance}");
            *tenths.get_mut((chance * 10.0) as usize).unwrap() += 1;
        }
        assert!(tenths.iter().all(|count| *count > 0), "{tenths:?}");
    }

    #[test]
    fn retry_after_is_read_in_its_three_forms() {
        let asked = |name: &str, value: &str| {
            let headers = [(name, value)];
            retry_after(&Head::new(429, headers), SystemTime::UNIX_EPOCH + Duration::from_secs(10))
        };
        let seconds = |seconds| Some(Duration::from_secs_f64(seconds));
        assert_eq!(asked("retry-after", "7"), seconds(7.0));
        assert_eq!(asked("retry-after", "0.25"), seconds(0.25));
        assert_eq!(asked("retry-after-ms", "1500"), seconds(1.5));
        assert_eq!(asked("retry-after", "Thu, 01 Jan 1970 00:00:30 GMT"), seconds(20.0));
        assert_eq!(asked("retry-after", "Thu, 01 Jan 1970 00:00:00 GMT"), seconds(0.0));
        let at = |date: &'static str| {
            let headers = [("retry-after", "Thu, 01 Jan 1970 00:05:30 GMT"), ("date", date)];
            retry_after(&Head::new(429, headers), SystemTime::UNIX_EPOCH)
        };
        assert_eq!(at("Thu, 01 Jan 1970 00:05:00 GMT"), seconds(30.0), "by the service's clock");
        assert_eq!(at("soon"), seconds(330.0));
        for huge in ["99999999999999999999", "184467440737095516160"] {
            assert_eq!(asked("retry-after", huge), Some(Duration::MAX));
            assert_eq!(asked("retry-after-ms", huge), Some(Duration::MAX));
        }
        for odd in ["", "soon", "-1", "NaN", "inf"] {
            assert_eq!(asked("retry-after", odd), None, "{odd:?}");
        }
    }
}
