//! Classifies why an attempt got no answer, or only part of it (R-ERR5), and whether it may have been metered
//! (R-MET1).

use std::error::Error as StdError;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

use crate::answer::error::Error;
use crate::answer::error_kind::{ErrorKind, Metered, TimeoutPhase};
use crate::options::config::{Proxy, Settings};
use crate::system::lacks_descriptors;

/// For an attempt whose handshake succeeded: the service verifies a client certificate after it.
const TLS_BROKE_OFF_HINT: &str = "The service may have processed the request. If it requires a client \
    certificate, configure one.";

const UNPROCESSED_HINT: &str = "It is safe to send it again: the retry policy does so if retries on connect \
    errors are enabled.";

/// A failed attempt, and whether it was metered.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) metered: Metered,
}

impl Failure {
    /// The attempt before the redirect may have been metered, whatever happened to this one.
    pub(crate) fn after_a_redirect(self) -> Failure {
        let error = match self.metered {
            Metered::NotSent => {
                let message = format!("after a redirect: {}", self.error.message());
                Error::new(ErrorKind::Disconnected, message)
            }
            Metered::NormallyNot | Metered::Entered | Metered::Unknown => self.error,
        };
        Failure { error, metered: Metered::Unknown }
    }
}

/// The causes of an error, outermost first, without repetitions.
pub(crate) fn causes(error: &(dyn StdError + 'static)) -> String {
    let mut said: Vec<String> = Vec::new();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !said.iter().any(|earlier| earlier.contains(&text)) {
            said.push(text);
        }
        next = cause.source();
    }
    if said.is_empty() { error.to_string() } else { said.join(": ") }
}

fn find<'e, E: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e E> {
    let mut next = Some(error);
    while let Some(cause) = next {
        if let Some(found) = cause.downcast_ref() {
            return Some(found);
        }
        // source() of an io::Error skips the error that it wraps.
        if let Some(inner) = cause.downcast_ref::<std::io::Error>().and_then(|io| io.get_ref())
            && let Some(found) = find::<E>(inner)
        {
            return Some(found);
        }
        next = cause.source();
    }
    None
}

/// Whether the service reported by HTTP/2 that it has not processed and will not process a request: by
/// REFUSED_STREAM (RFC 9113 section 8.7), or by a GOAWAY whose last stream is below that of the request
/// (section 6.8). h2 reports the GOAWAY as the error only for such requests, and for those whose body was not
/// started because the GOAWAY had arrived. A request that it covers gets that of its stream or connection.
#[cfg(feature = "http2")]
pub(crate) fn is_refused_unprocessed(cause: &reqwest::Error) -> bool {
    find::<h2::Error>(cause).is_some_and(|h2| {
        let is_refused = h2.is_reset() && h2.reason() == Some(h2::Reason::REFUSED_STREAM);
        h2.is_remote() && (is_refused || h2.is_go_away())
    })
}

#[cfg(not(feature = "http2"))]
pub(crate) fn is_refused_unprocessed(_: &reqwest::Error) -> bool {
    false
}

/// Classifies an attempt without a response head by the type of its error (R-ERR5). `place` is the result of
/// [`place_of`] for the client's settings.
pub(crate) fn failure(cause: reqwest::Error, settings: &Settings, place: &str) -> Failure {
    let cause = cause.without_url();
    let not_sent =
        |kind, message| Failure { error: Error::new(kind, message), metered: Metered::NotSent };
    let tls = find::<rustls::Error>(&cause);
    if let (Some(tls), true) = (tls, cause.is_connect()) {
        return not_sent(ErrorKind::Tls, format!("no TLS connection to {place}: {tls}"));
    }
    if cause.is_connect() {
        return match settings.timeouts.connect {
            Some(bound) if cause.is_timeout() => Failure {
                error: Error::timed_out(TimeoutPhase::Connect, bound),
                metered: Metered::NotSent,
            },
            _ => {
                // The system's message if there is one: "Connection refused".
                let system = find::<std::io::Error>(&cause);
                let why = system.map_or_else(|| causes(&cause), ToString::to_string);
                let message = format!("cannot connect to {place}: {why}");
                let error = match system {
                    Some(system) if lacks_descriptors(system) => {
                        Error::no_room(&format!("cannot connect to {place}"), system)
                    }
                    _ => Error::new(ErrorKind::Connect, message),
                };
                Failure { error: error.caused_by(system), metered: Metered::NotSent }
            }
        };
    }
    if cause.is_builder() {
        return not_sent(
            ErrorKind::Config,
            format!("the request cannot be sent: {}", causes(&cause)),
        );
    }
    if is_refused_unprocessed(&cause) {
        let message = format!("{place} reported that it has not processed the request (HTTP/2)");
        let failure = not_sent(ErrorKind::Connect, format!("{message}: {}", causes(&cause)));
        return Failure { error: failure.error.with_hint(UNPROCESSED_HINT), ..failure };
    }
    let hyper = find::<hyper::Error>(&cause);
    // Only for a request of which nothing was written.
    if hyper.is_some_and(hyper::Error::is_canceled) {
        let message = format!("{place} closed the connection before anything was sent");
        return not_sent(ErrorKind::Connect, format!("{message}: {}", causes(&cause)));
    }
    let (kind, what) = match hyper {
        // In TLS 1.3, the service verifies the client's certificate after the first request.
        _ if tls.is_some() => (ErrorKind::Tls, format!("the TLS connection to {place} was lost")),
        Some(hyper) if hyper.is_parse() => (
            ErrorKind::Protocol,
            format!(
                "{place} sent a response head that is not HTTP or exceeds headers_max = {}",
                settings.limits.headers_max
            ),
        ),
        _ => {
            (ErrorKind::Disconnected, format!("{place} dropped the connection before it answered"))
        }
    };
    let error = Error::new(kind, format!("{what}: {}", causes(&cause)));
    let error = if tls.is_some() { error.with_hint(TLS_BROKE_OFF_HINT) } else { error };
    Failure { error, metered: Metered::Unknown }
}

/// The error of a body that was cut off, or whose framing is not HTTP.
pub(crate) fn broken_off(cause: &reqwest::Error) -> Error {
    use std::io::ErrorKind::{InvalidData, InvalidInput};
    let is_framing = find::<std::io::Error>(cause)
        .is_some_and(|io| matches!(io.kind(), InvalidData | InvalidInput));
    let (kind, what) = match is_framing {
        _ if find::<rustls::Error>(cause).is_some() => {
            (ErrorKind::Tls, "the TLS connection was lost in the middle of the answer")
        }
        true => (ErrorKind::Protocol, "the answer's framing is not HTTP"),
        false => (ErrorKind::Disconnected, "the connection was lost in the middle of the answer"),
    };
    Error::new(kind, format!("{what}: {}", causes(cause)))
}

/// Host, port and proxy for messages, without secrets. Called when the transport is created, because the
/// environment may change later.
pub(crate) fn place_of(settings: &Settings) -> String {
    let named = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        match url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    };
    if let Some(socket) = &settings.unix_socket {
        return socket.path.display().to_string();
    }
    let place = named(&settings.base_url);
    match &settings.proxy {
        Some(Proxy::Url(proxy)) => match Url::parse(proxy.trim()) {
            Ok(proxy) => format!("{place} through the proxy {}", named(&proxy)),
            Err(_) => format!("{place} through the proxy"),
        },
        None if !settings.is_loopback() => match of_environment(&settings.base_url) {
            Some(proxy) => {
                format!("{place} through the proxy {} of the environment", named(&proxy))
            }
            None => place,
        },
        Some(Proxy::Off) | None => place,
    }
}

/// The proxy from the environment for this URL, as reqwest chooses it.
fn of_environment(url: &Url) -> Option<Url> {
    let proxy = Matcher::from_system().intercept(&url.as_str().parse().ok()?)?;
    Url::parse(&proxy.uri().to_string()).ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::io;
    use std::pin::{Pin, pin};
    use std::task::{Context, Poll, Waker};

    use bytes::Bytes;
    use hyper::body::{Body, Frame};

    use super::*;

    /// A body that ends with this error.
    struct BreaksOff(Option<io::Error>);

    impl Body for BreaksOff {
        type Data = Bytes;
        type Error = io::Error;

        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
            Poll::Ready(self.get_mut().0.take().map(Err))
        }
    }

    fn broken_by(cause: io::Error) -> reqwest::Error {
        let body = reqwest::Body::wrap(BreaksOff(Some(cause)));
        let mut response = reqwest::Response::from(hyper::Response::new(body));
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(piece) = pin!(response.chunk()).poll(&mut cx) else { unreachable!() };
        piece.unwrap_err()
    }

    #[test]
    fn a_lost_tls_connection_is_told_from_other_breaks() {
        let (settings, tls) = (Settings::for_tests("sk-test"), rustls::Error::DecryptError);
        let lost = io::Error::new(io::ErrorKind::InvalidData, tls);
        for (cause, before, amid) in [
            (lost, ErrorKind::Tls, ErrorKind::Tls),
            (io::ErrorKind::InvalidData.into(), ErrorKind::Disconnected, ErrorKind::Protocol),
            (
                io::ErrorKind::ConnectionReset.into(),
                ErrorKind::Disconnected,
                ErrorKind::Disconnected,
            ),
        ] {
            let broken = broken_by(cause);
            assert_eq!(broken_off(&broken).kind(), amid);
            let Failure { error, metered } = failure(broken, &settings, "service.test");
            assert_eq!((error.kind(), metered), (before, Metered::Unknown));
            assert_eq!(error.hint() == TLS_BROKE_OFF_HINT, before == ErrorKind::Tls);
        }
    }

    /// Without TLS, which only decides that HTTP/2 is spoken.
    #[cfg(feature = "http2")]
    #[tokio::test]
    async fn only_a_refused_stream_was_not_processed() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let reasons = [h2::Reason::REFUSED_STREAM, h2::Reason::CANCEL];
        tokio::spawn(async move {
            let (socket, _) = listener.accept().await.unwrap();
            let mut connection = h2::server::handshake(socket).await.unwrap();
            for reason in reasons {
                let (_request, mut respond) = connection.accept().await.unwrap().unwrap();
                respond.send_reset(reason);
            }
            while connection.accept().await.is_some() {}
        });
        let tls = crate::http::tls::config(&Settings::for_tests("sk-test")).unwrap();
        let builder = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy();
        let builder = builder.retry(reqwest::retry::never().max_retries_per_request(0));
        let client = builder.http2_prior_knowledge().build().unwrap();
        for reason in reasons {
            let reset = client.get(&url).send().await.unwrap_err();
            let is_unprocessed = reason == h2::Reason::REFUSED_STREAM;
            assert_eq!(is_refused_unprocessed(&reset), is_unprocessed, "{reset:?}");
        }
    }
}
