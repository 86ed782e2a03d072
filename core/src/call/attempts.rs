//! The attempts of one call: each waits for admission and a connection, is sent, follows redirects within
//! the origin, and is retried if the retry policy says so.

use std::future::pending;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use tokio::time::{Instant, sleep, timeout};
use url::Url;

use crate::answer::error::{Error, FailedAnswer, Result};
use crate::answer::error_kind::{ErrorKind, Metered, TimeoutPhase};
use crate::answer::head::Head;
use crate::answer::rate_limits;
use crate::answer::record::WaitReason;
use crate::call::admission::{Admission, AttemptPermit};
use crate::call::body;
use crate::call::deadlines::Deadlines;
use crate::call::retry::Decision;
use crate::call::session::SessionRun;
use crate::call::task::Shared;
use crate::http::connections::Permit;
use crate::http::failure::Failure;
use crate::http::timing::AttemptTiming;
use crate::http::transport::{Reply, Transport};
use crate::options::config::Settings;
use crate::protocol::text::without_secrets;
use crate::request::prepared::Prepared;

/// The maximum number of consecutive redirects within the origin.
const REDIRECTS_MAX: usize = 5;
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
    pub(crate) shared: &'a Shared,
    pub(crate) run: &'a SessionRun,
    pub(crate) transport: &'a Transport,
    pub(crate) prepared: &'a Prepared,
    pub(crate) deadlines: Deadlines,
    /// The request body, which may be large.
    pub(crate) sent: Option<Bytes>,
    /// The number of retries so far.
    pub(crate) retries: u32,
}

/// An answer with a success status.
pub(crate) struct Opened {
    pub(crate) reply: Box<Reply>,
    /// Held until the answer has ended.
    pub(crate) permit: Option<AttemptPermit>,
    /// Those of its attempt.
    pub(crate) deadlines: Deadlines,
}

impl Attempts<'_> {
    /// Makes attempts until one gets a success status, or the policy or the deadline stops it. Releases the
    /// request body when it returns, unless it may be needed for [`Attempts::again`].
    pub(crate) async fn open(&mut self) -> Result<Opened> {
        loop {
            let (mut admitted, permit) = self.enter(self.retries > 0).await?;
            let Some(seen) = self.shared.attempt_begins() else {
                // Whoever ends the call also stops this task.
                return pending().await;
            };
            let deadlines = self.deadlines.attempt();
            let error = match self.attempt(permit, &seen).await {
                Ok(reply) => {
                    admitted.iter_mut().for_each(AttemptPermit::succeeded);
                    if !self.retries_before_content() {
                        self.sent = None;
                    }
                    return Ok(Opened { reply, permit: admitted, deadlines });
                }
                Err(failure) => {
                    self.shared.attempt_failed(failure.metered, failure.error.kind());
                    failure.error
                }
            };
            let policy = self.prepared.options.retry(self.shared.settings());
            let chance = chance();
            if let (Some(admitted), Some(asked)) = (admitted, policy.refusal(&error)) {
                admitted.refused(asked);
            }
            let decision = policy.decide(self.retries, &error, chance);
            let Some(wait) = self.allowed(decision) else { return Err(error) };
            self.pause(wait, &error).await;
        }
    }

    /// Whether an answer that failed before its content is retried.
    pub(crate) fn retries_before_content(&self) -> bool {
        self.prepared.options.retry(self.shared.settings()).before_content
    }

    /// Records that an answer failed before its content, and waits for the next attempt; returns the error if
    /// there is none.
    pub(crate) async fn again(&mut self, error: Error) -> Result<()> {
        let policy = self.prepared.options.retry(self.shared.settings());
        let decision = policy.decide(self.retries, &error, chance());
        let Some(wait) = self.allowed(decision) else { return Err(error) };
        self.shared.attempt_failed(Metered::Unknown, error.kind());
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

    async fn pause(&mut self, wait: Duration, error: &Error) {
        self.shared.tells_of_retry(error, wait);
        let waits = self.shared.waits(WaitReason::Retry);
        sleep(wait).await;
        drop(waits);
        self.retries += 1;
    }

    /// Waits for admission and a connection. No attempt starts during a pause: if the wait for a connection
    /// ends in one, the call queues again.
    async fn enter(&self, was_refused: bool) -> Result<(Option<AttemptPermit>, Permit)> {
        if !self.prepared.options.retry(self.shared.settings()).adaptive {
            return Ok((None, self.connection().await?));
        }
        Box::pin(async {
            let admission = self.run.admission();
            loop {
                let admitted = self.admit(admission, was_refused).await?;
                if let Some(permit) = self.transport.connections.try_get() {
                    return Ok((Some(admitted), permit));
                }
                drop(admitted);
                let permit = self.connection().await?;
                if let Some(admitted) = admission.try_enter(was_refused) {
                    return Ok((Some(admitted), permit));
                }
            }
        })
        .await
    }

    /// Waits for admission, and queues if it is not granted at once.
    async fn admit(&self, admission: &Arc<Admission>, was_refused: bool) -> Result<AttemptPermit> {
        if let Some(admitted) = admission.try_enter(was_refused) {
            return Ok(admitted);
        }
        let _waits = self.shared.waits(WaitReason::Turn);
        let (phase, bound, limit) =
            self.deadlines.bound(TimeoutPhase::Pool, self.deadlines.timeouts.pool);
        let enter = admission.enter(was_refused);
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
    ) -> Result<Box<Reply>, Failure> {
        let send = self.send_and_follow(permit, seen);
        let (phase, bound, limit) = self.deadlines.until_head();
        let sent = match limit {
            Some(limit) => timeout(limit, send).await,
            None => Ok(send.await),
        };
        let reply = match sent {
            Ok(sent) => sent?,
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
            401 => Metered::NormallyNot,
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
    ) -> Result<Box<Reply>, Failure> {
        let settings = self.shared.settings();
        let mut moved: Option<Url> = None;
        // The request itself, then up to REDIRECTS_MAX redirects.
        for _ in 0..=REDIRECTS_MAX {
            let place = moved.as_ref();
            let sent = self.sent.as_ref();
            let reply = self.transport.send(settings, self.prepared, sent, place, permit, seen);
            let reply = reply.await;
            let reply = match moved.is_some() {
                true => reply.map_err(Failure::after_a_redirect)?,
                false => reply?,
            };
            match redirect_within_origin(settings, reply.body.url(), &reply.head) {
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

    /// The error for an answer with an error status; reads its body up to the limits.
    async fn failed(&self, reply: Box<Reply>) -> Error {
        let Reply { head, mut body } = *reply;
        let text = body::excerpt(&self.shared.redactor, &mut body, self.deadlines.clock()).await;
        let error = Error::from_response(FailedAnswer {
            status: head.status(),
            body: &text,
            request_id: head.request_id().map(str::to_owned),
            retry_after: retry_after(&head, SystemTime::now()),
        });
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
mod tests {
    use super::*;

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
        for huge in ["99999999999999999999", "184467440737095516160"] {
            assert_eq!(asked("retry-after", huge), Some(Duration::MAX));
            assert_eq!(asked("retry-after-ms", huge), Some(Duration::MAX));
        }
        for odd in ["", "soon", "-1", "NaN", "inf"] {
            assert_eq!(asked("retry-after", odd), None, "{odd:?}");
        }
    }
}
