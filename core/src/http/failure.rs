//! Why an attempt got no answer, or not all of it, told apart by type (R-ERR5), and whether it may have been
//! metered (R-MET1).

use std::error::Error as StdError;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

use crate::answer::error::Error;
use crate::answer::error_kind::{ErrorKind, Metered, TimeoutPhase};
use crate::options::config::{Proxy, Settings};

/// Of an attempt whose handshake had succeeded: the service judges a certificate after it.
const TLS_BROKE_OFF_HINT: &str = "The service may have processed the request. If it requires a client \
    certificate, configure one.";

const UNPROCESSED_HINT: &str = "It is safe to send it again: the retry policy does so if retries on connect \
    errors are enabled.";

/// A failed attempt, and what it says about metering.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) metered: Metered,
}

impl Failure {
    /// What the attempt before the redirect sent may have been metered, whatever became of this one.
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

/// The causes below an error, outermost first, each said once.
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
        // An io::Error hides what it wraps from source().
        if let Some(inner) = cause.downcast_ref::<std::io::Error>().and_then(|io| io.get_ref())
            && let Some(found) = find::<E>(inner)
        {
            return Some(found);
        }
        next = cause.source();
    }
    None
}

/// Whether the service said by HTTP/2 that it has not processed and will not process a request: by
/// REFUSED_STREAM (RFC 9113 section 8.7), or by a GOAWAY whose last stream is below that of the request
/// (section 6.8). h2 gives the GOAWAY as the error of those requests alone, and of those whose body was not
/// begun because it had come; a request that it covers ends with that of its stream or its connection.
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

/// An attempt that got no head, told apart by type (R-ERR5).
/// `place` is [`place_of`] the client's settings.
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
                // The system's own words where there are any: "Connection refused".
                let why = find::<std::io::Error>(&cause)
                    .map_or_else(|| causes(&cause), ToString::to_string);
                not_sent(ErrorKind::Connect, format!("cannot connect to {place}: {why}"))
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
    // Only of a request that was not begun to be written.
    if hyper.is_some_and(hyper::Error::is_canceled) {
        let message = format!("{place} closed the connection before anything was sent");
        return not_sent(ErrorKind::Connect, format!("{message}: {}", causes(&cause)));
    }
    let (kind, what) = match hyper {
        // Of one version of TLS the service judges a client's certificate after the first request.
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

/// A body that ended before its end, or whose framing is not HTTP's.
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

/// Host and port, and the proxy on the way, without anything secret. Asked when a client's connections are
/// made: later the environment may be another one.
pub(crate) fn place_of(settings: &Settings) -> String {
    let named = |url: &Url| {
        let host = url.host_str().unwrap_or_default();
        match url.port_or_known_default() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    };
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

/// The proxy that the environment names for this URL, as the library below judges it.
fn of_environment(url: &Url) -> Option<Url> {
    let proxy = Matcher::from_system().intercept(&url.as_str().parse().ok()?)?;
    Url::parse(&proxy.uri().to_string()).ok()
}
