//! Settings, validated once, and the named bounds; the API key and how it is kept out of sight.
//! Knows no transport.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use url::Url;
use zeroize::Zeroize;

use crate::call::retry::RetryPolicy;
use crate::driver::external::Host;
use crate::error::{Error, ErrorKind, Result};
use crate::protocol::text::{EXCERPT_BYTES_MAX, cut, excerpt};
use crate::response::Head;

/// Largest server-sent event, in bytes.
pub const EVENT_BYTES_MAX: usize = 16 << 20;
/// Largest answer that is held whole, in bytes.
pub const RESPONSE_BYTES_MAX: usize = 256 << 20;
/// How much of a failed answer's body is read and kept, in bytes.
pub const ERROR_BODY_BYTES_MAX: usize = 64 << 10;
/// Most headers an answer may have.
pub const HEADERS_MAX: usize = 100;
/// Most bytes of events that wait in a call's queue.
pub const QUEUE_BYTES_MAX: usize = 256 << 10;
/// Most events that wait in a call's queue.
pub const QUEUE_EVENTS_MAX: usize = 1024;
/// Most connections that a client has open at once.
pub const CONNECTIONS_MAX: usize = 1000;
/// How long the body is read after its end mark, so that the connection can be used again.
pub const DRAIN_TIME_MAX: Duration = Duration::from_millis(250);
/// How much of the body is read after its end mark, in bytes.
pub const DRAIN_BYTES_MAX: usize = 64 << 10;
/// How long the body of a failed answer is waited for; what came by then is told.
pub const ERROR_BODY_TIME_MAX: Duration = Duration::from_secs(5);
/// Pooled connections are dropped after this idle time; servers close at 5 s.
pub(crate) const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(4);
/// Longest time that an option takes; about 49 days.
pub(crate) const TIMEOUT_MAX: Duration = Duration::from_millis(u32::MAX as u64);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(600);
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// Environment variables for the base URL, the first that is set wins.
pub const BASE_URL_VARIABLES: [&str; 2] = ["MODELWIRE_BASE_URL", "OPENAI_BASE_URL"];
/// Environment variables for the API key, the first that is set wins.
pub const API_KEY_VARIABLES: [&str; 2] = ["MODELWIRE_API_KEY", "OPENAI_API_KEY"];

/// What a key is replaced with wherever a service echoes it.
pub(crate) const KEY_MASK: &str = "[key]";

/// The timeouts; `None` is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// Waiting for a connection where `connections_max` are in use, before each attempt. Off by
    /// default: the call waits its turn, under its deadline alone.
    pub pool: Option<Duration>,
    /// Opening a connection, TLS included. 10 s by default; of the client only.
    pub connect: Option<Duration>,
    /// From the start of an attempt to the complete head of its answer. 600 s by default.
    pub first_byte: Option<Duration>,
    /// Between two pieces of substance of an answer; comments and keep-alives do not count, and
    /// the time that a full queue waits for its consumer does not either. 300 s by default.
    pub idle: Option<Duration>,
    /// Over all attempts and every wait, from the call's start. Off by default.
    pub total: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            pool: None,
            connect: Some(CONNECT_TIMEOUT),
            first_byte: Some(FIRST_BYTE_TIMEOUT),
            idle: Some(IDLE_TIMEOUT),
            total: None,
        }
    }
}

/// The bounds that a client can set; each is named in the error that it causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Largest server-sent event in bytes; [`EVENT_BYTES_MAX`] by default.
    pub event_bytes_max: usize,
    /// Largest answer held whole in bytes; [`RESPONSE_BYTES_MAX`] by default.
    pub response_bytes_max: usize,
    /// Bytes of a failed answer that are kept; [`ERROR_BODY_BYTES_MAX`] by default.
    pub error_body_bytes_max: usize,
    /// Headers of an answer; [`HEADERS_MAX`] by default.
    pub headers_max: usize,
    /// Bytes that wait in a queue; [`QUEUE_BYTES_MAX`] by default. A single larger event enters
    /// an empty queue.
    pub queue_bytes_max: usize,
    /// Events that wait in a queue; [`QUEUE_EVENTS_MAX`] by default.
    pub queue_events_max: usize,
    /// Connections that calls have at once; [`CONNECTIONS_MAX`] by default, and with those that are
    /// idle never more than half of the descriptors that the process may have (`RLIMIT_NOFILE`,
    /// read at the first call; 6/16 of it for the calls of all clients together, 1/16 each for the
    /// connections that a client has idle and that it is opening). Further calls wait in order, and take the first connection that gets
    /// idle. Calls that share a connection (HTTP/2) are not counted.
    pub connections_max: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            event_bytes_max: EVENT_BYTES_MAX,
            response_bytes_max: RESPONSE_BYTES_MAX,
            error_body_bytes_max: ERROR_BODY_BYTES_MAX,
            headers_max: HEADERS_MAX,
            queue_bytes_max: QUEUE_BYTES_MAX,
            queue_events_max: QUEUE_EVENTS_MAX,
            connections_max: CONNECTIONS_MAX,
        }
    }
}

/// The API key: wiped when dropped, never shown.
pub(crate) struct ApiKey(String);

impl Drop for ApiKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ApiKey {
    /// Surrounding white space is removed; any other odd byte is refused without showing the
    /// key (R-AUTH3).
    fn new(mut given: String) -> Result<ApiKey> {
        let trimmed = given.trim().to_owned();
        given.zeroize();
        let key = ApiKey(trimmed);
        if key.0.is_empty() {
            return Err(config_error("the API key is empty"));
        }
        if key.0.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("bearer ")) {
            let hint = "Pass the key alone: modelwire adds the word Bearer.";
            return Err(config_error("the API key begins with \"Bearer \"").with_hint(hint));
        }
        if let Some(at) = key.0.bytes().position(|byte| !(0x21..=0x7E).contains(&byte)) {
            let message = format!(
                "the API key has a character at byte {at} that no key has (white space, a \
                 control character or a non-ASCII character)"
            );
            return Err(config_error(message).with_hint("Copy the key again, without line breaks."));
        }
        Ok(key)
    }

    /// The value of the Authorization header.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// `text` with every occurrence of the key masked (R-AUTH4), also where JSON escapes parts
    /// of it.
    pub(crate) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        if memchr::memmem::find(text.as_bytes(), self.0.as_bytes()).is_some() {
            masked = Cow::Owned(text.replace(&self.0, KEY_MASK));
        }
        if memchr::memchr(b'\\', masked.as_bytes()).is_some()
            && let Some(more) = self.mask_escaped(&masked)
        {
            masked = Cow::Owned(more);
        }
        masked
    }

    fn mask_escaped(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while at < text.len() {
            match text.get(at..).and_then(|rest| self.escaped_at(rest)) {
                Some(length) => {
                    out.push_str(text.get(copied..at).unwrap_or_default());
                    out.push_str(KEY_MASK);
                    at += length;
                    copied = at;
                }
                None => at += 1,
            }
        }
        (copied > 0).then(|| out + text.get(copied..).unwrap_or_default())
    }

    /// How long the key is at the start of a JSON text, each character plain or escaped.
    fn escaped_at(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        for expected in self.0.chars() {
            // A backslash of the key itself is written as two.
            let doubled = (expected == '\\').then(|| rest.strip_prefix("\\\\")).flatten();
            let plain = || rest.strip_prefix(expected);
            let escape = || rest.strip_prefix('\\');
            let backslash = || escape()?.strip_prefix(expected);
            let unicode = || {
                let digits = escape()?.strip_prefix('u')?;
                let code = u32::from_str_radix(digits.get(..4)?, 16).ok()?;
                (code == expected as u32).then(|| digits.get(4..)).flatten()
            };
            rest = doubled.or_else(plain).or_else(backslash).or_else(unicode)?;
        }
        Some(text.len() - rest.len())
    }

    /// How many more bytes than a bound are read, so that a key which the bound cuts is seen
    /// whole and masked before the cut.
    pub(crate) fn longest_written(&self) -> usize {
        self.0.len() * "\\u0000".len()
    }
}

fn config_error(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message)
}

/// What a client is made from. What is not set comes from the environment
/// (`MODELWIRE_BASE_URL` or `OPENAI_BASE_URL`; `MODELWIRE_API_KEY` or `OPENAI_API_KEY`); there
/// is no built-in base URL.
///
/// ```
/// let config = modelwire::Config::new().base_url("http://127.0.0.1:8080/v1").api_key("sk-test");
/// let client = modelwire::Client::new(config)?;
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Default)]
#[must_use]
pub struct Config {
    base_url: Option<String>,
    api_key: Option<ApiKeySource>,
    headers: Vec<(String, String)>,
    timeouts: Timeouts,
    retry: RetryPolicy,
    limits: Limits,
    ca_pem: Option<Vec<u8>>,
    client_pem: Option<Vec<u8>>,
    proxy: Option<Proxy>,
    http2: bool,
    stream_only: bool,
    runtime: Option<Host>,
}

/// Nothing that may be secret: no key, no password, no value of a header, no certificate's key.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("base_url", &self.base_url.as_deref().map(without_secrets))
            .field("api_key", &self.api_key.as_ref().map(|_| KEY_MASK))
            .field("headers", &HeaderNames(&self.headers))
            .field("timeouts", &self.timeouts)
            .field("retry", &self.retry)
            .field("limits", &self.limits)
            .field("proxy", &self.proxy)
            .field("http2", &self.http2)
            .field("stream_only", &self.stream_only)
            .finish_non_exhaustive()
    }
}

/// Shows headers by name: their values may be secret.
pub(crate) struct HeaderNames<'a>(pub(crate) &'a [(String, String)]);

impl fmt::Debug for HeaderNames<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Which proxy a client goes through.
#[derive(Clone)]
pub(crate) enum Proxy {
    /// None, whatever the environment says.
    Off,
    /// This one, for everything.
    Url(String),
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its URL may hold a password.
        f.write_str(if matches!(self, Proxy::Off) { "off" } else { "set" })
    }
}

/// A key as it was given; validated with the rest.
struct ApiKeySource(String);

impl Drop for ApiKeySource {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl Config {
    /// The defaults, with base URL and key from the environment.
    pub fn new() -> Config {
        Config::default()
    }

    /// Where the service is, `https://host/v1` for instance; a trailing slash does not matter,
    /// a query is kept (R-CFG1).
    pub fn base_url(mut self, base_url: impl Into<String>) -> Config {
        self.base_url = Some(base_url.into());
        self
    }

    /// The API key, without the word `Bearer` (R-AUTH1).
    pub fn api_key(mut self, api_key: impl Into<String>) -> Config {
        self.api_key = Some(ApiKeySource(api_key.into()));
        self
    }

    /// A header to send with every request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Config {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// The timeouts.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Config {
        self.timeouts = timeouts;
        self
    }

    /// When and how often to try again.
    pub fn retry(mut self, retry: RetryPolicy) -> Config {
        self.retry = retry;
        self
    }

    /// The bounds.
    pub fn limits(mut self, limits: Limits) -> Config {
        self.limits = limits;
        self
    }

    /// Certificates of authorities in PEM form that are trusted beside the system's.
    pub fn add_ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Config {
        let pem = pem.into();
        let all = self.ca_pem.get_or_insert_default();
        all.extend_from_slice(&pem);
        all.push(b'\n');
        self
    }

    /// A client certificate, its chain and its private key, together in PEM form.
    pub fn client_certificate_pem(mut self, pem: impl Into<Vec<u8>>) -> Config {
        self.client_pem = Some(pem.into());
        self
    }

    /// A proxy for every call, `http://user:password@host:port`, `https://...` or `socks5h://...`.
    /// Without it the environment decides (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`),
    /// but for loopback addresses, which bypass the environment's proxies.
    pub fn proxy(mut self, url: impl Into<String>) -> Config {
        self.proxy = Some(Proxy::Url(url.into()));
        self
    }

    /// No proxy, whatever the environment says.
    pub fn no_proxy(mut self) -> Config {
        self.proxy = Some(Proxy::Off);
        self
    }

    /// Offers HTTP/2 to an https service. Off by default: HTTP/1.1 gives each stream its own
    /// connection.
    pub fn http2(mut self, on: bool) -> Config {
        self.http2 = on;
        self
    }

    /// Lets every plain call stream underneath and gather its answer, for a service whose models
    /// answer only by streaming (R-STR6). A call can say so for itself.
    pub fn stream_only(mut self, on: bool) -> Config {
        self.stream_only = on;
        self
    }

    /// Does this client's I/O on a tokio runtime of the program's own, which has I/O and time
    /// enabled, and not on the library's thread. A program that consumes on the same runtime saves
    /// waking one thread from the other for what arrives: most of what a chunk of a slow stream
    /// costs. Then, as with any client on that runtime, nothing is received and no timeout runs out
    /// while its threads are busy, a waiting call ([`Client::blocking`](crate::Client::blocking),
    /// [`Call::pop`](crate::Call::pop)) must not be made on one of them, calls that are under way
    /// when the runtime ends fail with [`ErrorKind::Shutdown`], and in a forked child the client
    /// fails with [`ErrorKind::Forked`]. Large answers are read on its blocking threads.
    ///
    /// ```no_run
    /// # async fn run() -> modelwire::Result<()> {
    /// use modelwire::{Client, Config};
    ///
    /// let client = Client::new(Config::new().runtime(tokio::runtime::Handle::current()))?;
    /// # Ok(()) }
    /// ```
    pub fn runtime(mut self, runtime: Handle) -> Config {
        self.runtime = Some(Host::new(runtime));
        self
    }

    /// Checks everything that can be checked without a connection.
    pub(crate) fn validate(mut self) -> Result<Settings> {
        let base_url = match self.base_url.take() {
            Some(given) => given,
            None => from_environment(&BASE_URL_VARIABLES)
                .ok_or_else(|| config_error("no base URL is configured"))?,
        };
        let api_key = match self.api_key.take() {
            Some(mut given) => std::mem::take(&mut given.0),
            None => from_environment(&API_KEY_VARIABLES)
                .ok_or_else(|| config_error("no API key is configured"))?,
        };
        let settings = Settings {
            base_url: parse_base_url(&base_url)?,
            api_key: ApiKey::new(api_key)?,
            headers: check_headers(self.headers)?,
            timeouts: self.timeouts,
            retry: self.retry,
            limits: self.limits,
            ca_pem: self.ca_pem,
            client_pem: self.client_pem,
            proxy: self.proxy,
            http2: self.http2,
            stream_only: self.stream_only,
            runtime: self.runtime,
        };
        settings.check_bounds()?;
        Ok(settings)
    }
}

/// The first variable that is set to more than white space. What is not UTF-8 in it is judged like
/// any other odd character.
fn from_environment(names: &[&str]) -> Option<String> {
    let values = names.iter().filter_map(std::env::var_os);
    let mut texts = values.map(|value| value.to_string_lossy().into_owned());
    texts.find(|text| !text.trim().is_empty())
}

fn parse_base_url(given: &str) -> Result<Url> {
    let hint = "Give it like https://host/v1.";
    let url = Url::parse(given.trim())
        .map_err(|cause| config_error(format!("base_url is not a URL: {cause}")).with_hint(hint))?;
    if !matches!(url.scheme(), "http" | "https") {
        let message = format!("base_url has the scheme {:?}, not http or https", url.scheme());
        return Err(config_error(message).with_hint(hint));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let hint = "Pass the key as api_key; it is sent as a bearer token.";
        return Err(config_error("base_url contains user information").with_hint(hint));
    }
    Ok(url)
}

/// Headers that the library itself sets and a caller may not.
const OWN_HEADERS: [&str; 5] =
    ["authorization", "content-type", "content-length", "transfer-encoding", "host"];

pub(crate) fn check_headers(headers: Vec<(String, String)>) -> Result<Vec<(String, String)>> {
    for (name, value) in &headers {
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return Err(config_error(format!("{name:?} is not a header name (RFC 9110)")));
        }
        if !value.bytes().all(|byte| byte == b'\t' || (0x20..0x7F).contains(&byte)) {
            let message =
                format!("the value of header {name} has a character beyond visible ASCII");
            return Err(config_error(message));
        }
        if OWN_HEADERS.iter().any(|own| name.eq_ignore_ascii_case(own)) {
            let hint = "modelwire sets it itself; the key is configured as api_key.";
            return Err(config_error(format!("header {name} cannot be set")).with_hint(hint));
        }
    }
    Ok(headers)
}

/// A configuration that was checked.
pub(crate) struct Settings {
    pub(crate) base_url: Url,
    pub(crate) api_key: ApiKey,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry: RetryPolicy,
    pub(crate) limits: Limits,
    pub(crate) ca_pem: Option<Vec<u8>>,
    pub(crate) client_pem: Option<Vec<u8>>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) http2: bool,
    pub(crate) stream_only: bool,
    pub(crate) runtime: Option<Host>,
}

/// Shared by a client and its calls.
pub(crate) type SharedSettings = Arc<Settings>;

impl Settings {
    fn check_bounds(&self) -> Result<()> {
        let times = [
            ("pool_timeout", self.timeouts.pool),
            ("connect_timeout", self.timeouts.connect),
            ("first_byte_timeout", self.timeouts.first_byte),
            ("idle_timeout", self.timeouts.idle),
            ("total_timeout", self.timeouts.total),
        ];
        self.retry.check()?;
        for (name, time) in times {
            check_time(name, time)?;
        }
        let limits = &self.limits;
        let sizes = [
            ("event_bytes_max", limits.event_bytes_max),
            ("response_bytes_max", limits.response_bytes_max),
            ("error_body_bytes_max", limits.error_body_bytes_max),
            ("headers_max", limits.headers_max),
            ("queue_bytes_max", limits.queue_bytes_max),
            ("queue_events_max", limits.queue_events_max),
            ("connections_max", limits.connections_max),
        ];
        for (name, size) in sizes {
            if size == 0 || size > crate::protocol::json::JSON_BYTES_MAX {
                let message = format!(
                    "{name} is {size}: it takes 1 to {}",
                    crate::protocol::json::JSON_BYTES_MAX
                );
                return Err(config_error(message));
            }
        }
        Ok(())
    }

    /// The beginning of an unexpected text, the key masked before it is cut.
    pub(crate) fn quote(&self, text: &str) -> String {
        let wanted = EXCERPT_BYTES_MAX + self.api_key.longest_written();
        excerpt(&self.api_key.mask(cut(text, wanted)))
    }

    /// An error whose texts came in an event or an answer of any size: no longer than
    /// `error_body_bytes_max`, the key masked before they are cut.
    pub(crate) fn bounded(&self, error: Error) -> Error {
        let bytes_max = self.limits.error_body_bytes_max;
        let wanted = bytes_max + self.api_key.longest_written();
        error.masked(|text| match text.len() > bytes_max {
            true => cut(&self.api_key.mask(cut(text, wanted)), bytes_max).to_owned(),
            false => text.to_owned(), // masked with all the others
        })
    }

    /// Whether `base_url` ends in the version that the service prescribes (R-CFG1).
    pub(crate) fn has_version(&self) -> bool {
        self.base_url.path().trim_end_matches('/').ends_with("/v1")
    }

    /// Where a 307 or 308 points, if that is within the origin of the base URL.
    pub(crate) fn redirect_within_origin(&self, from: &Url, head: &Head) -> Option<Url> {
        if !matches!(head.status(), 307 | 308) {
            return None;
        }
        let place = from.join(head.header("location")?).ok()?;
        (place.origin() == self.base_url.origin()).then_some(place)
    }

    /// Whether any connection of the client speaks TLS: to the service, or to a proxy.
    pub(crate) fn needs_tls(&self) -> bool {
        let is_https = |url: &str| url.trim_start().to_ascii_lowercase().starts_with("https:");
        match &self.proxy {
            _ if self.base_url.scheme() == "https" => true,
            Some(Proxy::Url(url)) => is_https(url),
            Some(Proxy::Off) => false,
            None if self.is_loopback() => false,
            None => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
                .iter()
                .any(|name| std::env::var(name).is_ok_and(|url| is_https(&url))),
        }
    }

    /// Loopback addresses bypass the environment's proxies and may speak plain http unwarned.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.base_url.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            None => false,
        }
    }
}

pub(crate) fn check_time(name: &str, time: Option<Duration>) -> Result<()> {
    match time {
        Some(Duration::ZERO) => {
            let hint = "Leave it out (None) to switch a timeout off.";
            Err(config_error(format!("{name} is zero")).with_hint(hint))
        }
        Some(time) if time > TIMEOUT_MAX => {
            Err(config_error(format!("{name} is over {} ms", TIMEOUT_MAX.as_millis())))
        }
        _ => Ok(()),
    }
}

/// A URL without user information and with its query masked.
pub(crate) fn without_secrets(location: &str) -> String {
    let (location, query) = match location.split_once('?') {
        Some((place, _)) => (place, "?[query]"),
        None => (location, ""),
    };
    let place = match location.split_once("//") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            format!("{scheme}//{host}{path}")
        }
        None => location.to_owned(),
    };
    place + query
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
