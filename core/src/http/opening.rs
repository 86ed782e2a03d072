//! Measures the opening of a connection: the durations of name lookup, connect and TLS, for the attempt that
//! requested it.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Instant;

use hyper::http::Extensions;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name as HostName};
use hyper_util::client::legacy::connect::{Connection, HttpInfo};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tower::{Layer, Service};

use crate::http::returns::Returns;
use crate::http::timing::{AttemptTiming, Opening};
use crate::system::with_helper_thread;

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The layer around reqwest's connector.
#[derive(Clone)]
pub(crate) struct Watch {
    returns: Arc<Returns>,
    /// A permit for each connection that may be opening.
    openings: Arc<Semaphore>,
}

impl Watch {
    pub(crate) fn new(returns: Arc<Returns>, openings_max: usize) -> Watch {
        Watch { returns, openings: Arc::new(Semaphore::new(openings_max)) }
    }
}

impl<S> Layer<S> for Watch {
    type Service = Watched<S>;

    fn layer(&self, connector: S) -> Watched<S> {
        Watched::new(Arc::new(connector), self.clone())
    }
}

/// It is cloned for each request, and its connector only for each connection.
pub(crate) struct Watched<S> {
    connector: Arc<S>,
    watch: Watch,
    permit: OpeningPermit,
}

/// The permit of one connection, which is waited for before the connect timeout starts.
enum OpeningPermit {
    None,
    Awaited(
        Pin<Box<dyn Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send + Sync>>,
    ),
    Held(#[expect(dead_code, reason = "its drop is what counts")] OwnedSemaphorePermit),
}

impl<S> Watched<S> {
    fn new(connector: Arc<S>, watch: Watch) -> Watched<S> {
        Watched { connector, watch, permit: OpeningPermit::None }
    }
}

impl<S> Clone for Watched<S> {
    fn clone(&self) -> Watched<S> {
        Watched::new(self.connector.clone(), self.watch.clone())
    }
}

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

impl<S, R> Service<R> for Watched<S>
where
    R: Send + 'static,
    S: Service<R> + Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
    S::Response: Connection,
    S::Error: Into<BoxError>,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Connecting<S::Response>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        loop {
            match &mut self.permit {
                OpeningPermit::Held(_) => return Poll::Ready(Ok(())),
                OpeningPermit::Awaited(permit) => {
                    self.permit = OpeningPermit::Held(ready!(noted(permit.as_mut().poll(cx)))?);
                }
                OpeningPermit::None => {
                    let permit = self.watch.openings.clone().acquire_owned();
                    self.permit = OpeningPermit::Awaited(Box::pin(permit));
                }
            }
        }
    }

    /// Opens a connection for the current attempt. If the attempt gets another one during the wait for a permit
    /// or for returning connections, none is opened; if it gets another one later, the opening continues
    /// without it.
    fn call(&mut self, place: R) -> Self::Future {
        let (mut connector, watch) = ((*self.connector).clone(), self.watch.clone());
        let permit = std::mem::replace(&mut self.permit, OpeningPermit::None);
        let mut opening = Box::pin(async move {
            let _permit = permit;
            poll_fn(|cx| connector.poll_ready(cx)).await.map_err(Into::into)?;
            let connecting = connector.call(place);
            let seen = AttemptTiming::current().ok_or(NOT_NEEDED)?;
            watch.returns.wait().await;
            AttemptTiming::current().ok_or(NOT_NEEDED)?;
            let opening = Arc::new(Opening::begins());
            seen.opens(&opening);
            let connected = opening.clone().scope(connecting).await.map_err(Into::into)?;
            let mut extras = Extensions::new();
            connected.connected().get_extras(&mut extras);
            let info = extras.get::<HttpInfo>();
            opening.ended(info.map(|info| (info.local_addr(), info.remote_addr())));
            Ok(connected)
        });
        Box::pin(poll_fn(move |cx| noted(opening.as_mut().poll(cx))))
    }
}

/// Notes for the attempt that polls whether the opening is still pending.
fn noted<T>(polled: Poll<T>) -> Poll<T> {
    if let Some(seen) = AttemptTiming::current() {
        seen.polls_opening(polled.is_pending());
    }
    polled
}

/// Why no connection is opened.
const NOT_NEEDED: &str = "the attempt got a connection that was returned";

/// Why a name is not looked up.
const NO_THREAD: &str = "the thread of a name lookup cannot be started";

/// Resolves names like reqwest by default, and measures it.
pub(crate) struct Names(GaiResolver);

impl Names {
    pub(crate) fn new() -> Names {
        Names(GaiResolver::new())
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let mut resolver = self.0.clone();
        let opening = Opening::current();
        Box::pin(async move {
            let began = Instant::now();
            let name = HostName::from_str(name.as_str())?;
            // The resolver uses a helper thread, which a thread of the program may spawn.
            let found = with_helper_thread(|| resolver.call(name)).ok_or(NO_THREAD)?.await;
            if let Some(opening) = opening {
                opening.looked_up(began.elapsed());
            }
            Ok(Box::new(found?) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::future;
    use std::pin::pin;
    use std::task::Waker;

    use hyper_util::client::legacy::connect::Connected;

    use super::*;

    /// Connects at once.
    #[derive(Clone)]
    struct Connects;

    impl Connection for Connects {
        fn connected(&self) -> Connected {
            Connected::new()
        }
    }

    impl Service<()> for Connects {
        type Response = Connects;
        type Error = BoxError;
        type Future = future::Ready<Result<Connects, BoxError>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, (): ()) -> Self::Future {
            future::ready(Ok(Connects))
        }
    }

    #[test]
    fn a_connection_beyond_the_limit_is_opened_after_another_is_open() {
        let mut cx = Context::from_waker(Waker::noop());
        let mut first = Watch::new(Arc::default(), 1).layer(Connects);
        let mut second = first.clone();
        assert!(first.poll_ready(&mut cx).is_ready());
        assert!(second.poll_ready(&mut cx).is_pending());
        let mut opening = pin!(first.call(()));
        assert!(second.poll_ready(&mut cx).is_pending());
        assert!(opening.as_mut().poll(&mut cx).is_ready());
        assert!(second.poll_ready(&mut cx).is_ready());
    }
}
