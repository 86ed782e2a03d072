//! Sends a prepared request, and returns the head and the pieces of the body. With `opening` and `failure`
//! the only file that names reqwest and hyper.

use std::borrow::Cow;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Uri;
use hyper_util::client::legacy::connect::HttpInfo;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap,
    HeaderName, HeaderValue,
};
use reqwest::{ClientBuilder, Method, Url, Version};
use tokio::task::yield_now;
use tokio::time::sleep;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::{ErrorKind, Metered};
use crate::answer::head::Head;
use crate::answer::redactor::Redactor;
use crate::http::connections::{Connections, Permit, spare_max};
use crate::http::failure::{
    Failure, broken_off, causes, failure, is_refused_unprocessed, place_of,
};
use crate::http::inflate::Inflate;
use crate::http::opening::{Names, Watch};
use crate::http::returns::{Returning, Returns};
use crate::http::reuse::{Connection, Reuse};
use crate::http::timing::AttemptTiming;
use crate::http::tls;
use crate::options::api_key::ApiKey;
use crate::options::config::{Proxy, Settings, has_authority};
use crate::options::headers::is_content_type_of_all;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::text::lossy;
use crate::request::prepared::Prepared;
use crate::system::at_unix_socket;
use crate::system::process::PerProcess;
use crate::system::sync::lock;

/// The HTTP client and the connections of one client in one process.
pub(crate) struct Transport {
    client: reqwest::Client,
    /// A client that keeps no connection; created on first use.
    fresh: PerProcess<reqwest::Client>,
    /// Those of its client.
    pub(crate) connections: Arc<Connections>,
    /// The headers of a plain request and of a streamed one, with a body.
    headers: [HeaderMap; 2],
    urls: [Url; 3],
    /// Host and port for error messages.
    place: String,
    reuse: Mutex<Reuse>,
    returns: Arc<Returns>,
    /// Its connections go through a proxy.
    is_proxied: bool,
    /// A fresh connection costs a TLS handshake.
    speaks_tls: bool,
    /// The zero of the times of `reuse`.
    made: Instant,
}

/// What to send in an attempt.
pub(crate) struct ToSend<'a> {
    pub(crate) prepared: &'a Prepared,
    pub(crate) body: Option<&'a Bytes>,
    /// The target of a redirect.
    pub(crate) moved: Option<&'a Url>,
    /// Headers of this attempt alone.
    pub(crate) more: &'a [(String, String)],
    /// For the head of the answer.
    pub(crate) redactor: &'a Redactor,
}

/// An answer whose head has arrived.
pub(crate) struct Reply {
    pub(crate) head: Arc<Head>,
    pub(crate) body: Body,
}

/// The body of an answer, piece by piece as it arrives.
pub(crate) struct Body {
    response: reqwest::Response,
    permit: Permit,
    /// The local port of its connection, if that returns to the pool.
    port: Option<u16>,
    inflate: Option<Box<Inflate>>,
    /// Why the body cannot be read, although the head is fine.
    broken: Option<Error>,
    /// A piece that was read and put back.
    ahead: Option<Bytes>,
    /// The remainder of the last piece, which was too large to be returned whole.
    rest: Option<Bytes>,
    /// Where received bytes are counted.
    seen: Arc<AttemptTiming>,
}

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const STREAM: HeaderValue = HeaderValue::from_static("text/event-stream, application/json");
#[cfg(feature = "gzip")]
const GZIP: HeaderValue = HeaderValue::from_static("gzip");

/// The maximum size of a returned piece, in bytes: a piece is processed without yielding.
const PIECE_BYTES_MAX: usize = 16 << 10;

/// A connection whose peer does not answer this many keepalive probes in a row is closed.
const KEEPALIVE_PROBES_MAX: u32 = 3;

/// The usual number of headers of a request, with those that hyper adds.
const HEADERS_USUAL: usize = 12;

#[cfg(feature = "http2")]
/// HTTP/2 flow control: how many bytes of one stream may be unread.
const HTTP2_STREAM_WINDOW: u32 = 256 << 10;
#[cfg(feature = "http2")]
/// The same over all streams of a connection: 128 streams with full windows.
const HTTP2_CONNECTION_WINDOW: u32 = 32 << 20;

impl Transport {
    /// Checks certificates and proxy, so that errors are reported when the client is created, not at its
    /// first call. Costs nothing if neither is set.
    pub(crate) fn check(settings: &Settings) -> Result<()> {
        if settings.http2 && !cfg!(feature = "http2") {
            return Err(not_built_in("http2", "http2"));
        }
        if settings.ca_pem.is_some() || settings.client_pem.is_some() {
            tls::check(settings)?;
        }
        match &settings.proxy {
            Some(Proxy::Url(url)) => proxy_of(url).map(|_| ()),
            Some(Proxy::Off) | None => Ok(()),
        }
    }

    /// With TLS, this reads the system's certificates, which takes milliseconds.
    pub(crate) fn new(settings: &Settings, connections: Arc<Connections>) -> Result<Transport> {
        let returns = Arc::default();
        let client = built(builder(settings, connections.pools(), &returns)?)?;
        let urls = Endpoint::ALL.map(|endpoint| url_of(settings, endpoint));
        Ok(Transport {
            client,
            fresh: PerProcess::new(),
            connections,
            headers: [header_map(settings, false)?, header_map(settings, true)?],
            urls,
            place: place_of(settings),
            reuse: Mutex::default(),
            returns,
            is_proxied: is_proxied(settings),
            speaks_tls: settings.needs_tls(),
            made: Instant::now(),
        })
    }

    /// One attempt, up to the complete head of its answer.
    pub(crate) async fn send(
        &self,
        settings: &Settings,
        to_send: ToSend<'_>,
        permit: Permit,
        seen: &Arc<AttemptTiming>,
    ) -> Result<Box<Reply>, Failure> {
        let chosen = self.reuse().choose(!self.speaks_tls, self.made.elapsed());
        let client = match chosen {
            Connection::Pooled => &self.client,
            Connection::PooledAfter(wait) => {
                if !wait.is_zero() {
                    let began = Instant::now();
                    sleep(wait).await;
                    seen.waited(began.elapsed());
                }
                yield_now().await; // resumes after a poll of the sockets
                &self.client
            }
            Connection::Fresh => {
                let made = self.fresh.get_or_try_init(|| {
                    let pools = self.connections.pools();
                    built(builder(settings, pools, &Arc::default())?.pool_max_idle_per_host(0))
                });
                made.map_err(|error| Failure { error, metered: Metered::NotSent })?
            }
        };
        let redactor = to_send.redactor;
        let bytes_out = to_send.body.map_or(0, Bytes::len);
        seen.sends(bytes_out);
        if self.is_proxied {
            seen.goes_through_proxy();
        }
        // Made after the waits, during which it would be held.
        let request = self.request(to_send);
        match seen.clone().scope(client.execute(request)).await {
            Ok(response) => {
                if response.version() == Version::HTTP_2 {
                    self.connections.are_shared();
                }
                let info = response.extensions().get::<HttpInfo>();
                seen.answered(
                    response.status().as_u16(),
                    info.map(|info| (info.local_addr(), info.remote_addr())),
                );
                let port = info.map(|info| info.local_addr().port());
                let port = port.filter(|_| chosen != Connection::Fresh);
                if let Some(port) = port {
                    self.reuse().answered(port);
                }
                let (inflate, broken) = match unpacker(&response) {
                    Ok(inflate) => (inflate, None),
                    Err(error) => (None, Some(error)),
                };
                let head = Arc::new(head_of(&response, redactor));
                let seen = seen.clone();
                let (ahead, rest) = (None, None);
                let body = Body { response, permit, port, inflate, broken, ahead, rest, seen };
                Ok(Box::new(Reply { head, body })) // moved through several futures
            }
            Err(cause) => {
                self.reuse().broke_off();
                let is_written = is_refused_unprocessed(&cause);
                let failure = failure(cause, settings, &self.place);
                if failure.metered == Metered::NotSent && !is_written {
                    seen.sent_nothing(bytes_out);
                }
                Err(failure)
            }
        }
    }

    /// The URL of a request, or the target of a redirect.
    pub(crate) fn url(&self, prepared: &Prepared, moved: Option<&Url>) -> Url {
        let [models, chat, responses] = &self.urls;
        let url = match prepared.endpoint {
            Endpoint::Models => models,
            Endpoint::Chat => chat,
            Endpoint::Responses => responses,
        };
        let mut url = moved.unwrap_or(url).clone();
        if moved.is_none() && !prepared.options.query.is_empty() {
            url.query_pairs_mut().extend_pairs(&prepared.options.query);
        }
        url
    }

    fn request(&self, to_send: ToSend<'_>) -> reqwest::Request {
        let ToSend { prepared, body, moved, more, .. } = to_send;
        let method = match prepared.endpoint {
            Endpoint::Models => Method::GET,
            Endpoint::Chat | Endpoint::Responses => Method::POST,
        };
        let mut request = reqwest::Request::new(method, self.url(prepared, moved));
        let [plain, streamed] = &self.headers;
        let mut headers = if prepared.stream { streamed } else { plain }.clone();
        for name in &prepared.options.without_headers {
            headers.remove(name);
        }
        if let Some(value) = prepared.options.api_key().and_then(|key| bearer(key)) {
            headers.insert(AUTHORIZATION, value);
        }
        let own = prepared.options.headers.iter().chain(more);
        for (name, value) in own.filter(|(name, value)| !is_content_type_of_all(name, value)) {
            // They were checked when the call was created.
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
                headers.insert(name, value);
            }
        }
        match body {
            Some(body) => {
                if let Some(length) = headers.get_mut(CONTENT_LENGTH) {
                    *length = body.len().into();
                }
                *request.body_mut() = Some(body.clone().into());
            }
            None => {
                headers.remove(CONTENT_TYPE);
                headers.remove(CONTENT_LENGTH);
            }
        }
        *request.headers_mut() = headers;
        request
    }

    /// Records that an answer ended on this body's connection, unless the head announced a close.
    pub(crate) fn answer_ended(&self, is_stream: bool, head: &Head, body: &Body) {
        let closes = head.header("connection").is_some_and(|said| {
            said.split(',').any(|option| option.trim().eq_ignore_ascii_case("close"))
        });
        if let (Some(port), false) = (body.port, closes) {
            self.reuse().ended(is_stream, port, self.made.elapsed());
        }
    }

    /// Announces that the connection of a complete answer is about to become idle.
    pub(crate) fn connection_returns(&self) -> Returning {
        self.returns.begins()
    }

    fn reuse(&self) -> MutexGuard<'_, Reuse> {
        lock(&self.reuse)
    }
}

impl Body {
    /// The requested URL.
    pub(crate) fn url(&self) -> &Url {
        self.response.url()
    }

    /// Puts back the last piece, or the rest of it, for the next read.
    pub(crate) fn put_back(&mut self, piece: Bytes) {
        self.ahead = Some(piece).filter(|piece| !piece.is_empty());
    }

    /// Drops the body and returns the permit for its connection, for another request.
    pub(crate) fn into_permit(self) -> Permit {
        self.permit
    }

    /// The next piece, of at most `PIECE_BYTES_MAX` bytes; `None` at the clean end of the body.
    pub(crate) fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>>> {
        let mut polled = self.poll_whole_piece(cx);
        if let Poll::Ready(Ok(Some(piece))) = &mut polled
            && piece.len() > PIECE_BYTES_MAX
        {
            self.rest = Some(piece.split_off(PIECE_BYTES_MAX));
        }
        polled
    }

    fn poll_whole_piece(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Bytes>>> {
        if let Some(error) = &self.broken {
            return Poll::Ready(Err(error.clone()));
        }
        if self.ahead.is_some() || self.rest.is_some() {
            return Poll::Ready(Ok(self.ahead.take().or_else(|| self.rest.take())));
        }
        loop {
            if let Some(inflate) = &mut self.inflate {
                match inflate.take() {
                    Ok(None) => {}
                    Ok(Some(piece)) => return Poll::Ready(Ok(Some(piece))),
                    Err(cause) => return Poll::Ready(Err(not_gzip(&cause))),
                }
            }
            // The future holds no state, so a new one may be created for each poll.
            let piece = match std::task::ready!(pin!(self.response.chunk()).poll(cx)) {
                Ok(piece) => piece,
                Err(cause) => return Poll::Ready(Err(broken_off(&cause))),
            };
            if let Some(piece) = &piece {
                self.seen.received(piece.len());
            }
            match (piece, &mut self.inflate) {
                (Some(packed), Some(inflate)) => inflate.put(packed),
                (None, Some(inflate)) => {
                    let ended = inflate.finish().map_err(|cause| not_gzip(&cause));
                    return Poll::Ready(ended.map(|()| None));
                }
                (piece, None) => return Poll::Ready(Ok(piece)),
            }
        }
    }
}

/// The builder of a reqwest client with these settings, which shares the limits with the others of `pools`.
fn builder(settings: &Settings, pools: usize, returns: &Arc<Returns>) -> Result<ClientBuilder> {
    let limits = &settings.limits;
    let spare_max = spare_max(limits.connections_max, pools);
    let mut builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls::config(settings)?)
        .redirect(reqwest::redirect::Policy::none())
        .http1_max_headers(limits.headers_max)
        .pool_idle_timeout(Duration::from_millis(limits.idle_connection_ms_max as u64))
        .pool_max_idle_per_host(spare_max.min(limits.idle_connections_max.div_ceil(pools)))
        .connector_layer(Watch::new(returns.clone(), spare_max))
        .dns_resolver(Names::new())
        .tcp_nodelay(true)
        .tcp_keepalive(settings.tcp_keepalive)
        .tcp_keepalive_interval(settings.tcp_keepalive)
        .tcp_keepalive_retries(settings.tcp_keepalive.map(|_| KEEPALIVE_PROBES_MAX));
    if let Some(socket) = &settings.unix_socket {
        builder = at_unix_socket!(builder, socket.path.as_path());
    }
    // A request that was written is never resent silently: by default reqwest resends one that an HTTP/2
    // server refused, without counting it or asking the retry policy.
    // Without a limit of 0, it keeps a copy of each request nonetheless.
    builder = builder.retry(reqwest::retry::never().max_retries_per_request(0));
    builder = match settings.http2 {
        #[cfg(not(feature = "http2"))]
        true => return Err(not_built_in("http2", "http2")),
        false => builder.http1_only(),
        // hyper opens no second connection at a peer's stream limit, so one connection has to carry many
        // streams with slow consumers.
        #[cfg(feature = "http2")]
        true => builder
            .http2_initial_stream_window_size(HTTP2_STREAM_WINDOW)
            .http2_initial_connection_window_size(HTTP2_CONNECTION_WINDOW),
    };
    if let Some(timeout) = settings.timeouts.connect {
        builder = builder.connect_timeout(timeout);
    }
    match &settings.proxy {
        Some(Proxy::Off) => builder = builder.no_proxy(),
        Some(Proxy::Url(url)) => builder = builder.proxy(proxy_of(url)?),
        None if settings.is_loopback() => builder = builder.no_proxy(),
        None => {}
    }
    Ok(builder)
}

fn built(builder: ClientBuilder) -> Result<reqwest::Client> {
    builder.build().map_err(|cause| {
        let message = format!("the HTTP client cannot be built: {}", causes(&cause));
        Error::new(ErrorKind::Config, message)
    })
}

/// The decompressor for a compressed body; only gzip is requested.
fn unpacker(response: &reqwest::Response) -> Result<Option<Box<Inflate>>> {
    let Some(coding) = response.headers().get(CONTENT_ENCODING) else { return Ok(None) };
    match coding.to_str().unwrap_or("?").trim() {
        #[cfg(feature = "gzip")]
        coding if coding.eq_ignore_ascii_case("gzip") || coding == "x-gzip" => {
            Ok(Some(Box::new(Inflate::new())))
        }
        coding if coding.is_empty() || coding.eq_ignore_ascii_case("identity") => Ok(None),
        coding => {
            let message =
                format!("the answer has the content encoding {coding:?}, which was not requested");
            Err(Error::new(ErrorKind::Protocol, message))
        }
    }
}

fn not_gzip(cause: &std::io::Error) -> Error {
    Error::new(ErrorKind::Protocol, format!("the answer's gzip data is corrupt: {cause}"))
}

/// The error for an option that needs a feature missing from this build.
fn not_built_in(option: &str, feature: &str) -> Error {
    let message = format!("{option} needs the feature {feature:?}, which this build does not have");
    Error::new(ErrorKind::Config, message)
        .with_hint("Build the crate modelwire with that feature, or leave the option out.")
}

/// Parses the proxy URL, which may contain a password and is not shown.
fn proxy_of(given: &str) -> Result<reqwest::Proxy> {
    const SCHEMES: [&str; 6] = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
    let refused = || {
        let hint = "Write it as http://host:port or socks5h://host:port.";
        Error::new(ErrorKind::Config, "proxy is not a proxy URL").with_hint(hint)
    };
    let url = Url::parse(given.trim()).map_err(|_| refused())?;
    let has_host = has_authority(given) && url.host_str().is_some_and(|host| !host.is_empty());
    if !cfg!(feature = "socks") && url.scheme().starts_with("socks") {
        return Err(not_built_in("proxy", "socks"));
    }
    if !has_host || !SCHEMES.contains(&url.scheme()) {
        return Err(refused());
    }
    reqwest::Proxy::all(url).map_err(|_| refused())
}

/// Whether the connections go through a proxy, of the settings or of the environment.
fn is_proxied(settings: &Settings) -> bool {
    match &settings.proxy {
        Some(Proxy::Url(_)) => true,
        Some(Proxy::Off) => false,
        None if settings.is_loopback() => false, // a Unix socket too
        None => {
            let uri = settings.base_url.as_str().parse::<Uri>();
            uri.is_ok_and(|uri| Matcher::from_env().intercept(&uri).is_some())
        }
    }
}

fn url_of(settings: &Settings, endpoint: Endpoint) -> Url {
    let mut url = settings.base_url.clone();
    url.set_path(&settings.path_of(endpoint));
    url
}

/// The value of the Authorization header; every checked key has one. All its clones share one buffer, which
/// is wiped when the last of them is dropped.
fn bearer(key: &ApiKey) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_maybe_shared(Bytes::from_owner(key.bearer())).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The headers of a request with a body. They are cloned for each, which is cheaper than to insert them.
fn header_map(settings: &Settings, streams: bool) -> Result<HeaderMap> {
    let refused = |what: &str| Error::new(ErrorKind::Config, format!("{what} cannot be sent"));
    let mut headers = HeaderMap::with_capacity(HEADERS_USUAL);
    headers.insert(AUTHORIZATION, bearer(&settings.api_key).ok_or_else(|| refused("the API key"))?);
    // Otherwise hyper makes it for each request. With HTTP/2 there is none.
    if !settings.http2 {
        let url = &settings.base_url;
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        let host = url.host_str().unwrap_or_default().to_owned() + &port;
        headers.insert(HOST, HeaderValue::try_from(host).map_err(|_| refused("the host"))?);
    }
    let agent = concat!("modelwire/", env!("CARGO_PKG_VERSION"));
    headers.insert(reqwest::header::USER_AGENT, HeaderValue::from_static(agent));
    let own = settings.headers.iter();
    for (name, value) in own.filter(|(name, value)| !is_content_type_of_all(name, value)) {
        let parsed = (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()));
        let (Ok(parsed_name), Ok(parsed_value)) = parsed else {
            return Err(refused(&format!("header {name}")));
        };
        headers.insert(parsed_name, parsed_value);
    }
    if streams {
        // Not compressed: a compressed stream arrives in bursts.
        headers.insert(ACCEPT, STREAM);
    } else {
        headers.insert(ACCEPT, JSON);
        #[cfg(feature = "gzip")]
        headers.insert(reqwest::header::ACCEPT_ENCODING, GZIP);
    }
    headers.insert(CONTENT_TYPE, JSON);
    // A place for each request's, which hyper would insert: the clone of a map has no room for one more.
    headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    Ok(headers)
}

/// The head of an answer, with the key redacted.
fn head_of(response: &reqwest::Response, redactor: &Redactor) -> Head {
    let status = response.status().as_u16();
    let named = |name| redactor.redact_name(HeaderName::as_str(name));
    let headers = || response.headers().iter();
    let head =
        Head::new(status, headers().map(|(name, value)| (named(name), lossy(value.as_bytes()))));
    match redactor.redact(head.text()) {
        Cow::Borrowed(_) => head, // one search for all, as usual
        Cow::Owned(_) => {
            let redacted =
                |value: &HeaderValue| redactor.redact(&lossy(value.as_bytes())).into_owned();
            Head::new(status, headers().map(|(name, value)| (named(name), redacted(value))))
        }
    }
}

#[cfg(test)]
mod played {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::collections::VecDeque;
    use std::io;
    use std::pin::Pin;

    use hyper::body::Frame;

    use super::*;

    /// What polls of a body return, in this order; then it is pending, and wakes nobody.
    type Polls = VecDeque<Poll<Option<io::Result<Bytes>>>>;

    struct Played(Mutex<Polls>);

    impl hyper::body::Body for Played {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
        ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
            let Some(polled) = lock(&self.0).pop_front() else { return Poll::Pending };
            if polled.is_pending() {
                cx.waker().wake_by_ref();
            }
            polled.map(|ready| ready.map(|piece| piece.map(Frame::data)))
        }
    }

    /// An answer with these headers, and without a body.
    pub(crate) fn answer_with(headers: &[(&str, &str)]) -> reqwest::Response {
        let with = |answer: hyper::http::response::Builder, (name, value): &(&str, &str)| {
            answer.header(*name, *value)
        };
        let answer = headers.iter().fold(hyper::Response::builder(), with);
        answer.body(reqwest::Body::default()).unwrap().into()
    }

    impl Body {
        /// One without a connection, for unit tests: what each poll returns. A pending one wakes the
        /// task at once, what follows the last does not.
        pub(crate) fn for_tests<const N: usize>(
            polls: [Poll<Option<io::Result<Bytes>>>; N],
        ) -> Body {
            let played = reqwest::Body::wrap(Played(Mutex::new(polls.into())));
            Body {
                response: hyper::Response::new(played).into(),
                permit: Connections::new(1, 1).unwrap().try_get().unwrap(),
                port: None,
                inflate: None,
                broken: None,
                ahead: None,
                rest: None,
                seen: Arc::new(AttemptTiming::new(Instant::now())),
            }
        }

        /// The poll of a body that gives a piece.
        pub(crate) fn gives(piece: impl Into<Vec<u8>>) -> Poll<Option<io::Result<Bytes>>> {
            Poll::Ready(Some(Ok(piece.into().into())))
        }

        /// The poll of a body whose connection is lost.
        pub(crate) fn breaks() -> Poll<Option<io::Result<Bytes>>> {
            Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())))
        }
    }
}

#[cfg(test)]
#[path = "transport_tests.rs"]
mod tests;
