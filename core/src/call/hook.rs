//! Runs the program's function before an attempt: on a helper thread, bounded in time.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::{ErrorKind, TimeoutPhase};
use crate::answer::redactor::Redactor;
use crate::call::before_attempt::{BeforeAttempt, Hook};
use crate::call::deadlines::Deadlines;
use crate::call::foreign::{Foreign, OnHelper, enter, leave};
use crate::call::session::Session;
use crate::driver::offload::on_helper_thread;
use crate::protocol::text::cut;
use crate::system::process::PerProcess;

/// How long [`Client::before_attempt`](crate::Client::before_attempt) may take for one attempt.
pub const BEFORE_ATTEMPT_TIME_MAX: Duration = Duration::from_secs(30);

/// The maximum number of such functions that run at a time in the process: half of the helper threads, which also
/// look up names.
pub const BEFORE_ATTEMPTS_MAX: usize = 256;

/// The maximum bytes of a reason in an error.
const REASON_BYTES_MAX: usize = 4096;

const REFUSED_HINT: &str =
    "The program's own before_attempt function decided this: this attempt was not sent.";
const THREAD_HINT: &str = "Raise the limit on the threads of the process.";
const SLOW_HINT: &str = "Let the program's before_attempt function return earlier.";

/// Counts as a callback of its client, for which a close waits, and in the process, for a shutdown.
struct Running(Arc<Session>, OnHelper);

impl Running {
    fn new(session: Arc<Session>) -> Running {
        session.handler_comes(None);
        Running(session, OnHelper::new())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.handler_is_gone(None);
    }
}

/// Waits until one more may run in the process.
async fn turn(deadlines: &Deadlines) -> Result<OwnedSemaphorePermit> {
    static AT_ONCE: PerProcess<Arc<Semaphore>> = PerProcess::new();
    let at_once = AT_ONCE.get_or_try_init(|| Ok(Arc::new(Semaphore::new(BEFORE_ATTEMPTS_MAX))))?;
    let (phase, bound, limit) = deadlines.bound(TimeoutPhase::Pool, deadlines.timeouts.pool);
    let acquired = timeout(limit.unwrap_or(Duration::MAX), at_once.clone().acquire_owned()).await;
    match acquired {
        Ok(permit) => permit.map_err(|_| Error::internal("the permits of before_attempt are gone")),
        Err(_) => {
            let error = Error::timed_out(phase, bound);
            let message = format!(
                "{}: BEFORE_ATTEMPTS_MAX = {BEFORE_ATTEMPTS_MAX} before_attempt functions run",
                error.message()
            );
            Err(error.with_message(message))
        }
    }
}

/// Runs the function on a helper thread for the call at this address; returns the headers that it set.
pub(crate) async fn run(
    hook: Hook,
    session: &Arc<Session>,
    call: usize,
    redactor: &Redactor,
    deadlines: &Deadlines,
    attempt: Arc<BeforeAttempt>,
) -> Result<Vec<(String, String)>> {
    let permit = turn(deadlines).await?;
    let running = Running::new(session.clone());
    let work = move || {
        enter(Arc::as_ptr(&running.0), Foreign::BeforeAttempt(call));
        let decided = catch_unwind(AssertUnwindSafe(|| hook.run(&attempt)));
        drop(hook);
        leave();
        drop((running, permit));
        let decided = decided.unwrap_or_else(|panic| resume_unwind(panic));
        decided.map(|()| attempt.take_headers())
    };
    let (phase, bound, limit) = deadlines.bound(TimeoutPhase::Pool, Some(BEFORE_ATTEMPT_TIME_MAX));
    let decided = timeout(limit.unwrap_or(bound), on_helper_thread(work)).await;
    match decided {
        Ok(None) => {
            let message = "there is no thread for before_attempt";
            Err(Error::new(ErrorKind::Callback, message).with_hint(THREAD_HINT))
        }
        Ok(Some(Ok(headers))) => Ok(headers),
        Ok(Some(Err(reason))) => {
            let redacted = redactor.redact(&reason); // first: a cut may leave half a key
            let reason = cut(&redacted, REASON_BYTES_MAX);
            let message = format!("before_attempt refused the attempt: {reason}");
            Err(Error::new(ErrorKind::Callback, message).with_hint(REFUSED_HINT))
        }
        Err(_) if phase == TimeoutPhase::Total => {
            let error = Error::timed_out(phase, bound);
            let message = format!("{} in before_attempt", error.message());
            Err(error.with_message(message))
        }
        Err(_) => {
            let message = format!(
                "before_attempt took longer than BEFORE_ATTEMPT_TIME_MAX = {} s",
                BEFORE_ATTEMPT_TIME_MAX.as_secs()
            );
            Err(Error::new(ErrorKind::Callback, message).with_hint(SLOW_HINT))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::pin::pin;
    use std::sync::{Mutex, mpsc};

    use super::*;
    use crate::options::config::Settings;
    use crate::options::timeouts::Timeouts;
    use crate::protocol::endpoint::Endpoint;
    use crate::system::sync::lock;

    fn attempt() -> Arc<BeforeAttempt> {
        let (url, body) = ("http://127.0.0.1/v1".to_owned(), bytes::Bytes::new());
        Arc::new(BeforeAttempt::new(Endpoint::Chat, url, 1, body))
    }

    #[tokio::test]
    async fn a_reason_that_is_cut_ends_in_no_half_of_a_key() {
        let session = Arc::new(Session::new(Settings::for_tests("sk-test-0123")));
        let redactor = Redactor::for_tests("sk-test-0123", 1 << 10);
        let refuses = |_: &Arc<BeforeAttempt>| {
            Err(format!("{}sk-test-0123 and more", "y".repeat(REASON_BYTES_MAX - 6)))
        };
        let deadlines = Deadlines::start(Timeouts::OFF);
        let refused = run(Hook::new(refuses), &session, 0, &redactor, &deadlines, attempt()).await;
        assert!(refused.unwrap_err().message().ends_with("yyy[key] "));
    }

    /// In virtual time: which bound ended the wait, the function's own or that of the whole call.
    #[tokio::test(start_paused = true)]
    async fn a_function_that_takes_too_long_is_not_waited_for() {
        let session = Arc::new(Session::new(Settings::for_tests("sk-test")));
        let second = Duration::from_secs(1);
        for (total, kind, says) in [
            (
                None,
                ErrorKind::Callback,
                "before_attempt took longer than BEFORE_ATTEMPT_TIME_MAX = 30 s",
            ),
            (Some(31 * second), ErrorKind::Callback, "before_attempt took longer"),
            (Some(29 * second), ErrorKind::Timeout, "in before_attempt"),
        ] {
            let (release, held) = mpsc::channel::<()>();
            let held = Mutex::new(held);
            let hook = Hook::new(move |_| {
                let _ = lock(&held).recv();
                Ok(())
            });
            let deadlines = Deadlines::start(Timeouts { total, ..Timeouts::OFF });
            let redactor = Redactor::for_tests("sk-test", 1 << 10);
            let mut running = pin!(run(hook, &session, 0, &redactor, &deadlines, attempt()));
            let early =
                total.map_or(BEFORE_ATTEMPT_TIME_MAX, |total| total.min(BEFORE_ATTEMPT_TIME_MAX));
            tokio::select! {
                biased;
                _ = &mut running => unreachable!("{says}"),
                () = tokio::time::advance(early - second) => {}
            }
            tokio::time::advance(second).await;
            let error = running.await.unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.message().contains(says), "{error}");
            drop(release);
        }
    }
}
