//! Connections as they are opened: how long the name, the connection and TLS took, noted for the attempt
//! that asked for one. Knows no request.

use std::future::Future;
use std::pin::Pin;
use std::str::FromStr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Instant;

use hyper::http::Extensions;
use hyper_util::client::legacy::connect::dns::{GaiResolver, Name as HostName};
use hyper_util::client::legacy::connect::{Connection, HttpInfo};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use tower::{Layer, Service};

use crate::http::timing::{Opening, Seen};
use crate::system::with_signals_blocked;

/// Around whatever connects.
#[derive(Clone)]
pub(crate) struct Watch;

impl<S> Layer<S> for Watch {
    type Service = Watched<S>;

    fn layer(&self, inner: S) -> Watched<S> {
        Watched(inner)
    }
}

#[derive(Clone)]
pub(crate) struct Watched<S>(S);

type Connecting<T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send>>;

impl<S, R> Service<R> for Watched<S>
where
    S: Service<R>,
    S::Future: Send + 'static,
    S::Response: Connection,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = Connecting<S::Response, S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    /// The attempt is the one on whose behalf this is called. It may get another connection meanwhile;
    /// then this one goes on without it.
    fn call(&mut self, place: R) -> Self::Future {
        let connecting = self.0.call(place);
        let Some(seen) = Seen::current() else { return Box::pin(connecting) };
        let opening = Arc::new(Opening::begins());
        seen.opens(&opening);
        Box::pin(opening.clone().scope(async move {
            let connected = connecting.await;
            if let Ok(connection) = &connected {
                let mut extras = Extensions::new();
                connection.connected().get_extras(&mut extras);
                let info = extras.get::<HttpInfo>();
                opening.ended(info.map(|info| (info.local_addr(), info.remote_addr())));
            }
            connected
        }))
    }
}

/// Looks names up as the library below does by itself.
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
            // It looks them up on a helper thread, which a thread of the program may start.
            let found = with_signals_blocked(|| resolver.call(name)).await;
            if let Some(opening) = opening {
                opening.looked_up(began.elapsed());
            }
            Ok(Box::new(found?) as Addrs)
        })
    }
}
