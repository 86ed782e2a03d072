//! The configuration of a client, and the settings that follow from it, checked once.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Handle, Id, RuntimeFlavor};
use url::Url;
use zeroize::Zeroizing;

use crate::answer::error::{Error, Result};
use crate::options::api_key::{ApiKey, ApiKeySource, KEY_MASK, without_key};
use crate::options::base_urls::{BASE_URLS_MAX, BaseUrl, WEIGHT_MAX};
use crate::options::bounds::Limits;
use crate::options::headers::{HeaderNames, check_headers};
use crate::options::retry_policy::RetryPolicy;
use crate::options::timeouts::{Timeouts, check_time};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::text::without_secrets;
use crate::system::{check_socket_path, process};

/// Environment variables for the base URL; the first one that is set wins.
pub const BASE_URL_VARIABLES: [&str; 2] = ["MODELWIRE_BASE_URL", "OPENAI_BASE_URL"];
/// Environment variables for the API key; the first one that is set wins.
pub const API_KEY_VARIABLES: [&str; 2] = ["MODELWIRE_API_KEY", "OPENAI_API_KEY"];

const WHERE_HINT: &str = "Set MODELWIRE_BASE_URL and MODELWIRE_API_KEY, or pass base_url and api_key. The key is created in the \
     service's control panel.";

/// The configuration of a client. A base URL and an API key that are not set come from the environment
/// (`MODELWIRE_BASE_URL` or `OPENAI_BASE_URL`; `MODELWIRE_API_KEY` or `OPENAI_API_KEY`); there is no
/// built-in base URL.
///
/// ```
/// let config = modelwire::Config::new().base_url("http://127.0.0.1:8080/v1").api_key("sk-test");
/// let client = modelwire::Client::new(config)?;
/// # Ok::<(), modelwire::Error>(())
/// ```
///
/// You can also set headers, query parameters, a proxy and more:
///
/// ```
/// let config = modelwire::Config::new()
///     .base_url("https://models.example/v1")
///     .header("x-team", "search")
///     .query("version", "2")
///     .proxy("http://127.0.0.1:3128")
///     .http2(true)
///     .chunk_times(true);
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct Config {
    base_url: Option<String>,
    base_urls: Option<Vec<BaseUrl>>,
    balance: bool,
    api_key: Option<ApiKeySource>,
    headers: Vec<(String, String)>,
    query: Vec<(String, String)>,
    timeouts: Timeouts,
    retry: RetryPolicy,
    limits: Limits,
    ca_pem: Option<Vec<u8>>,
    client_pem: Option<Zeroizing<Vec<u8>>>,
    proxy: Option<Proxy>,
    http2: bool,
    stream_only: bool,
    chunk_times: bool,
    tcp_keepalive: Option<Option<Duration>>,
    idempotency_header: Option<String>,
    io: IoPlace,
}

/// Shows nothing that may be secret: no key, no password, no header value, no certificate's key.
impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("base_url", &self.base_url.as_deref().map(without_secrets))
            .field("base_urls", &self.base_urls.as_ref().map(Vec::len))
            .field("balance", &self.balance)
            .field("api_key", &self.api_key.as_ref().map(|_| KEY_MASK))
            .field("headers", &HeaderNames(&self.headers))
            .field("query", &HeaderNames(&self.query))
            .field("timeouts", &self.timeouts)
            .field("retry", &self.retry)
            .field("limits", &self.limits)
            .field("proxy", &self.proxy)
            .field("http2", &self.http2)
            .field("stream_only", &self.stream_only)
            .field("chunk_times", &self.chunk_times)
            .field("tcp_keepalive", &self.tcp_keepalive)
            .field("idempotency_header", &self.idempotency_header)
            .finish_non_exhaustive()
    }
}

/// The proxy of a client.
#[derive(Clone)]
pub(crate) enum Proxy {
    /// None, regardless of the environment.
    Off,
    /// This one, for everything.
    Url(String),
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Its URL may contain a password.
        f.write_str(if matches!(self, Proxy::Off) { "off" } else { "set" })
    }
}

/// The program's own tokio runtime, and the process that has it.
#[derive(Clone)]
pub(crate) struct ExternalRuntime {
    pub(crate) handle: Handle,
    pub(crate) generation: u64,
}

impl ExternalRuntime {
    fn new(handle: Handle) -> ExternalRuntime {
        ExternalRuntime { handle, generation: process::generation() }
    }
}

/// Where the I/O of a client's calls is done.
#[derive(Clone, Default)]
pub(crate) enum IoPlace {
    /// That of async calls on the runtime on which the client is created; all other on the library's thread.
    #[default]
    Default,
    /// On the library's thread.
    IoThread,
    /// On this runtime.
    Runtime(ExternalRuntime),
    /// That of async calls made on this runtime of several threads; all other on the library's thread. Its
    /// handle is not kept: the runtime may end before the client.
    Home { runtime: Id, generation: u64 },
}

impl IoPlace {
    /// The runtime for a call; `is_async` if its caller awaits it.
    pub(crate) fn runtime(&self, is_async: bool) -> Option<ExternalRuntime> {
        match self {
            IoPlace::Runtime(runtime) => Some(runtime.clone()),
            IoPlace::Home { runtime, generation }
                if is_async && *generation == process::generation() =>
            {
                let here = Handle::try_current().ok().filter(|here| here.id() == *runtime);
                here.map(ExternalRuntime::new)
            }
            IoPlace::Default | IoPlace::IoThread | IoPlace::Home { .. } => None,
        }
    }

    /// Determined where the client is created. A runtime of one thread stands still while that thread is
    /// outside, and calls would wait for it.
    fn of_client(self) -> IoPlace {
        let has_threads = |here: &Handle| here.runtime_flavor() == RuntimeFlavor::MultiThread;
        match self {
            IoPlace::Default => match Handle::try_current().ok().filter(has_threads) {
                Some(here) => {
                    IoPlace::Home { runtime: here.id(), generation: process::generation() }
                }
                None => IoPlace::IoThread,
            },
            IoPlace::IoThread | IoPlace::Runtime(_) | IoPlace::Home { .. } => self,
        }
    }

    /// The number of runtimes that may have connections of the client.
    pub(crate) fn pools(&self, io_threads: impl FnOnce() -> Result<usize>) -> Result<usize> {
        Ok(match self {
            IoPlace::Runtime(_) => 1,
            IoPlace::Home { .. } => 1 + io_threads()?,
            IoPlace::Default | IoPlace::IoThread => io_threads()?,
        })
    }
}

impl Config {
    /// The defaults, with base URL and key from the environment.
    pub fn new() -> Config {
        Config::default()
    }

    /// The base URL of the service, `https://host/v1` for instance; a trailing slash is ignored, a
    /// query is kept (R-CFG1). `http+unix://%2Frun%2Fmodels.sock/v1` is a service at the Unix socket
    /// `/run/models.sock`, without a proxy.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Config {
        self.base_url = Some(base_url.into());
        self
    }

    /// Several services instead of one [`base_url`](Config::base_url), in the order of preference, or
    /// [balanced](Config::balance).
    ///
    /// An attempt that cannot be sent (refused connections, failed name lookups, TLS), or that is refused
    /// with status 429, continues at the next service at once, because neither is metered; this is no
    /// retry. Any other failure is up to the retry policy, whose retries go to services that the call has
    /// not tried, without a wait, or else to any. A service rests for a while after a failure to connect,
    /// after a `Retry-After`, and after some failures in a row; after that, a single call probes it first.
    /// If all rest, calls go to the one whose rest ends first.
    ///
    /// Each attempt in the [record](crate::CallRecord) has the base URL to which it was sent. All other
    /// options apply to all services. A client with several has no connection, limit or controller
    /// (`retry_adaptive`) that two services share, except `connections_max`.
    pub fn base_urls(mut self, base_urls: impl IntoIterator<Item = BaseUrl>) -> Config {
        self.base_urls = Some(base_urls.into_iter().collect());
        self
    }

    /// Spreads the calls over the [`base_urls`](Config::base_urls) by their weights; by default, all go to
    /// the first that does not rest.
    pub fn balance(mut self, on: bool) -> Config {
        self.balance = on;
        self
    }

    /// The API key, without the word `Bearer` (R-AUTH1). Surrounding white space is removed; a key with
    /// other surrounding characters, such as quotes, or an abbreviated key is rejected when the client
    /// is made. Short words of letters, such as `not needed`, are a key for services that need none.
    pub fn api_key(mut self, api_key: impl Into<String>) -> Config {
        self.api_key = Some(ApiKeySource(api_key.into()));
        self
    }

    /// A header to send with every request.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Config {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// A query parameter for every request, after those of the base URL; encoded here.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Config {
        self.query.push((name.into(), value.into()));
        self
    }

    /// The timeouts.
    pub fn timeouts(mut self, timeouts: Timeouts) -> Config {
        self.timeouts = timeouts;
        self
    }

    /// The current timeouts, to change: for bindings.
    ///
    /// ```
    /// use modelwire::{Config, TimeoutPhase};
    ///
    /// let mut config = Config::new();
    /// config.timeouts_mut().set(TimeoutPhase::Idle, None)?; // off
    /// config.retry_mut().max_retries = 0;
    /// config.limits_mut().set("headers_max", 50)?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn timeouts_mut(&mut self) -> &mut Timeouts {
        &mut self.timeouts
    }

    /// The current retry policy, to change: for bindings.
    pub fn retry_mut(&mut self) -> &mut RetryPolicy {
        &mut self.retry
    }

    /// The current limits, to change: for bindings.
    pub fn limits_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }

    /// When and how often to retry.
    pub fn retry(mut self, retry: RetryPolicy) -> Config {
        self.retry = retry;
        self
    }

    /// The limits.
    pub fn limits(mut self, limits: Limits) -> Config {
        self.limits = limits;
        self
    }

    /// Trusted CA certificates in PEM form, in addition to the system's.
    ///
    /// ```no_run
    /// let config = modelwire::Config::new()
    ///     .add_ca_pem(std::fs::read("ca.pem")?)
    ///     .client_certificate_pem(std::fs::read("client.pem")?);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn add_ca_pem(mut self, pem: impl Into<Vec<u8>>) -> Config {
        let pem = pem.into();
        let all = self.ca_pem.get_or_insert_default();
        all.extend_from_slice(&pem);
        all.push(b'\n');
        self
    }

    /// A client certificate, its chain and its private key, together in PEM form.
    pub fn client_certificate_pem(mut self, pem: impl Into<Vec<u8>>) -> Config {
        self.client_pem = Some(Zeroizing::new(pem.into()));
        self
    }

    /// A proxy for every call, `http://user:password@host:port`, `https://...` or `socks5h://...`.
    /// Without it the environment decides (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`),
    /// except for loopback addresses, which bypass the environment's proxies.
    pub fn proxy(mut self, url: impl Into<String>) -> Config {
        self.proxy = Some(Proxy::Url(url.into()));
        self
    }

    /// No proxy, regardless of the environment.
    ///
    /// ```
    /// let config = modelwire::Config::new().base_url("https://models.example/v1").no_proxy();
    /// ```
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

    /// Streams internally and gathers the answer for every call without streaming, for a service whose
    /// models only stream (R-STR6). A call can override it.
    ///
    /// ```
    /// use modelwire::{Config, Request};
    ///
    /// let config = Config::new().stream_only(true);
    /// let request = Request::chat("a-model").user("Hello").stream_only(false); // overrides it
    /// ```
    pub fn stream_only(mut self, on: bool) -> Config {
        self.stream_only = on;
        self
    }

    /// Stores chunk times in the record of each call, for the first
    /// [`CHUNK_TIMES_MAX`](crate::limits::CHUNK_TIMES_MAX) chunks. Off by default. A call can override it.
    pub fn chunk_times(mut self, on: bool) -> Config {
        self.chunk_times = on;
        self
    }

    /// How long a connection is silent before the system probes whether the peer is still there, and the
    /// time between probes: three without an answer end the connection. From 1 s to 32767 s, in whole
    /// seconds; 15 s by default, `None` is off.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let config = modelwire::Config::new().tcp_keepalive(Duration::from_secs(60));
    /// ```
    pub fn tcp_keepalive(mut self, time: impl Into<Option<Duration>>) -> Config {
        self.tcp_keepalive = Some(time.into());
        self
    }

    /// Sends an idempotency key with each chat and response, in the header of this name, usually
    /// `Idempotency-Key`: the same for all attempts of a call, made at random unless the call has
    /// [`Request::idempotency_key`](crate::Request::idempotency_key). A service that knows it processes
    /// such attempts only once. Off by default.
    ///
    /// ```
    /// let config = modelwire::Config::new().idempotency_header("Idempotency-Key");
    /// ```
    pub fn idempotency_header(mut self, name: impl Into<String>) -> Config {
        self.idempotency_header = Some(name.into());
        self
    }

    /// Does all I/O of this client on this tokio runtime, which needs I/O and time enabled, and none on the
    /// library's thread: also that of blocking calls, of [`Call`](crate::Call) and of queues. Without this
    /// and [`Config::io_thread`], the library's thread does that, and async calls
    /// ([`Client::send`](crate::Client::send), [`Client::stream`](crate::Client::stream)) on the
    /// multi-threaded runtime on which the client was created do their I/O there.
    ///
    /// On the consumer's runtime there is no thread wake-up for each arrival, which is most of the cost of a
    /// chunk in a slow stream. The consequences, as for any client on that runtime: nothing is received and no
    /// timeout expires while its threads are busy; a blocking call
    /// ([`Client::blocking`](crate::Client::blocking),
    /// [`Call::pop`](crate::Call::pop)) fails with [`ErrorKind::Argument`](crate::ErrorKind::Argument)
    /// in its tasks, where it would wait for itself, and works in `spawn_blocking` and
    /// `block_in_place`; calls in flight when the runtime ends fail with
    /// [`ErrorKind::Shutdown`](crate::ErrorKind::Shutdown); and in a forked child the client fails with
    /// [`ErrorKind::Forked`](crate::ErrorKind::Forked). Large answers are read on its blocking threads.
    ///
    /// ```no_run
    /// # async fn run() -> modelwire::Result<()> {
    /// use modelwire::{Client, Config};
    ///
    /// let client = Client::new(Config::new().runtime(tokio::runtime::Handle::current()))?;
    /// # Ok(()) }
    /// ```
    pub fn runtime(mut self, runtime: Handle) -> Config {
        self.io = IoPlace::Runtime(ExternalRuntime::new(runtime));
        self
    }

    /// Does all I/O of this client on the library's thread, also that of async calls on a tokio runtime, which
    /// may then block its threads: everything is received and every timeout expires in time. See
    /// [`Config::runtime`] for the default.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> modelwire::Result<()> {
    /// use modelwire::{Client, Config};
    ///
    /// let config = Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// let client = Client::new(config.io_thread())?;
    /// assert!(client.models().await.is_err()); // nothing listens there
    /// # Ok(()) }
    /// ```
    pub fn io_thread(mut self) -> Config {
        self.io = IoPlace::IoThread;
        self
    }

    /// Checks everything that can be checked without a connection.
    pub(crate) fn validate(self) -> Result<Settings> {
        let key = self.api_key.clone();
        self.settings().map_err(|error| match key {
            Some(key) => without_key(error, &key.0),
            None => error,
        })
    }

    fn settings(mut self) -> Result<Settings> {
        if let Some(base_urls) = self.base_urls.take() {
            return self.validate_several(base_urls);
        }
        if self.balance {
            let error = Error::config("balance needs base_urls");
            return Err(error.with_hint("Give the base URLs, or leave out balance."));
        }
        let base_url = match self.base_url.take() {
            Some(given) => given,
            None => from_environment(&BASE_URL_VARIABLES)
                .ok_or_else(|| Error::config("no base URL is configured").with_hint(WHERE_HINT))?,
        };
        let api_key = match self.api_key.take() {
            Some(mut given) => std::mem::take(&mut given.0),
            None => from_environment(&API_KEY_VARIABLES)
                .ok_or_else(|| Error::config("no API key is configured").with_hint(WHERE_HINT))?,
        };
        let (base_url, unix_socket) = match unix_socket_of(&base_url)? {
            Some((socket, behind)) => (behind, Some(socket)),
            None => (base_url, None),
        };
        let mut base_url = parse_base_url(&base_url)?;
        if !self.query.is_empty() {
            base_url.query_pairs_mut().extend_pairs(&self.query);
        }
        let settings = Settings {
            base_url,
            api_key: Arc::new(ApiKey::new(api_key)?),
            headers: self.headers,
            timeouts: self.timeouts,
            retry: self.retry,
            limits: self.limits,
            ca_pem: self.ca_pem,
            client_pem: self.client_pem,
            proxy: self.proxy,
            http2: self.http2,
            stream_only: self.stream_only,
            chunk_times: self.chunk_times,
            tcp_keepalive: self.tcp_keepalive.unwrap_or(Some(TCP_KEEPALIVE)),
            idempotency_header: self.idempotency_header,
            unix_socket,
            io: self.io.of_client(),
            upstreams: None,
        };
        check_headers(&settings.headers)?;
        if let Some(name) = &settings.idempotency_header {
            check_headers(&[(name.clone(), "key".to_owned())])?;
        }
        check_keepalive(settings.tcp_keepalive)?;
        if settings.unix_socket.is_some() && matches!(settings.proxy, Some(Proxy::Url(_))) {
            let error = Error::config("a Unix socket cannot be reached through a proxy");
            return Err(error.with_hint("Leave out proxy, or use a base_url of http or https."));
        }
        settings.retry.check()?;
        settings.timeouts.check()?;
        settings.limits.check()?;
        Ok(settings)
    }
}

impl Config {
    /// The settings of the first base URL, with those of all.
    fn validate_several(mut self, base_urls: Vec<BaseUrl>) -> Result<Settings> {
        if self.base_url.is_some() {
            let error = Error::config("both base_url and base_urls are set");
            return Err(error.with_hint("Put the base URL into base_urls."));
        }
        if base_urls.len() > BASE_URLS_MAX {
            let message =
                format!("base_urls has more than BASE_URLS_MAX = {BASE_URLS_MAX} base URLs");
            return Err(Error::config(message));
        }
        let balances = std::mem::take(&mut self.balance);
        let mut all = Vec::with_capacity(base_urls.len());
        for (at, base_url) in base_urls.into_iter().enumerate() {
            let checked = self.clone().validate_one_of(base_url).map_err(|error| {
                let (message, hint) = (error.message(), error.hint().to_owned());
                Error::config(format!("base_urls[{at}]: {message}")).with_hint(hint)
            });
            all.push(checked?);
        }
        let Some(first) = all.first() else {
            let error = Error::config("base_urls is empty");
            return Err(error.with_hint("Give at least one, or use base_url."));
        };
        let settings = Settings::clone(&first.settings);
        let upstreams = Some(Arc::new(UpstreamSettings { balances, all }));
        Ok(Settings { upstreams, ..settings })
    }

    fn validate_one_of(self, base_url: BaseUrl) -> Result<Upstream> {
        let BaseUrl { url, api_key, weight, models } = base_url;
        if !(1..=WEIGHT_MAX).contains(&weight) {
            let message = format!("weight must be from 1 to WEIGHT_MAX = {WEIGHT_MAX}");
            return Err(Error::config(message));
        }
        if models.iter().any(|(_, here)| here.is_empty()) {
            return Err(Error::config("the name of a model is empty"));
        }
        let has_own_key = api_key.is_some();
        let mut config = self.base_url(url);
        config.api_key = api_key.or(config.api_key);
        let settings = Arc::new(config.validate()?);
        let shown = settings.shown_base_url().into();
        Ok(Upstream { settings, weight, models, shown, has_own_key })
    }
}

/// The first variable that is set to more than white space. Invalid UTF-8 in it is treated like any
/// other invalid character.
fn from_environment(names: &[&str]) -> Option<String> {
    let values = names.iter().filter_map(std::env::var_os);
    // Makes no copy of valid text: it may be the key.
    let lossy = |value: OsString| value.to_string_lossy().into_owned();
    let mut texts = values.map(|value| value.into_string().unwrap_or_else(lossy));
    texts.find(|text| !text.trim().is_empty())
}

/// The default of [`Config::tcp_keepalive`], and its bounds: what Linux accepts.
const TCP_KEEPALIVE: Duration = Duration::from_secs(15);
const TCP_KEEPALIVE_MIN: Duration = Duration::from_secs(1);
const TCP_KEEPALIVE_MAX: Duration = Duration::from_secs(32_767);

fn check_keepalive(time: Option<Duration>) -> Result<()> {
    check_time("tcp_keepalive", time)?;
    match time {
        Some(time) if !(TCP_KEEPALIVE_MIN..=TCP_KEEPALIVE_MAX).contains(&time) => {
            let error = Error::config("tcp_keepalive must be from 1 s to 32767 s");
            Err(error.with_hint("None (null in JSON) switches it off."))
        }
        _ => Ok(()),
    }
}

/// The scheme of a base URL with a Unix socket, and what stands for it and the socket in that of the service.
const UNIX_SCHEME: &str = "http+unix://";
const BEHIND_SOCKET: &str = "http://localhost";

/// The Unix socket of a service.
#[derive(Clone)]
pub(crate) struct UnixSocket {
    pub(crate) path: PathBuf,
    /// As in the base URL.
    encoded: String,
}

/// The path of the Unix socket in a base URL, and the base URL of the service behind it.
fn unix_socket_of(base_url: &str) -> Result<Option<(UnixSocket, String)>> {
    let base_url = base_url.trim();
    let Some(behind) = base_url
        .get(..UNIX_SCHEME.len())
        .filter(|start| start.eq_ignore_ascii_case(UNIX_SCHEME))
        .and_then(|_| base_url.get(UNIX_SCHEME.len()..))
    else {
        return Ok(None);
    };
    let refused = |what: &str| {
        let hint = "Write it as http+unix://%2Frun%2Fmodels.sock/v1, the path of the socket with %2F for /.";
        Error::config(format!("base_url {what}")).with_hint(hint)
    };
    let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
    let (encoded, path) = behind.split_at(end);
    let below_root = encoded.strip_prefix("%2F").or_else(|| encoded.strip_prefix("%2f"));
    let below_root = below_root.ok_or_else(|| refused("has no absolute path of a Unix socket"))?;
    let decoded = Url::parse(&format!("file:///{below_root}")).ok();
    let socket = decoded
        .and_then(|url| url.to_file_path().ok())
        .ok_or_else(|| refused("has an invalid path of a Unix socket"))?;
    check_socket_path(&socket)
        .map_err(|cause| refused(&format!("has an invalid path of a Unix socket: {cause}")))?;
    let socket = UnixSocket { path: socket, encoded: encoded.to_owned() };
    Ok(Some((socket, format!("{BEHIND_SOCKET}{path}"))))
}

fn parse_base_url(given: &str) -> Result<Url> {
    let hint = "Write it as https://host/v1.";
    if given.trim().is_empty() {
        return Err(Error::config("base_url is empty").with_hint(hint));
    }
    let url = Url::parse(given.trim()).map_err(|cause| {
        Error::config(format!("base_url is not a URL: {cause}")).with_hint(hint)
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        let message = format!("base_url has the scheme {:?}, not http or https", url.scheme());
        return Err(Error::config(message).with_hint(hint));
    }
    if !has_authority(given.trim()) {
        return Err(Error::config("base_url has no host").with_hint(hint));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let hint = "Pass the key as api_key; it is sent as a bearer token.";
        return Err(Error::config("base_url contains user information").with_hint(hint));
    }
    Ok(url)
}

/// Whether a host follows `scheme://`. The parser takes the next name as the host wherever it is: in
/// `http:///v1` it is "v1".
pub(crate) fn has_authority(url: &str) -> bool {
    let behind = url.split_once("://").map(|(_, behind)| behind);
    behind.is_some_and(|behind| !behind.starts_with(['/', '\\']))
}

/// Paths that calls add to the base URL themselves.
const OPERATIONS: [&str; 4] = ["/chat/completions", "/completions", "/responses", "/models"];

/// The possible faults in the path of a base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathFault {
    NoVersion,
    VersionTwice,
    /// It ends in a path that calls add to it.
    Operation(&'static str),
}

/// One of several services of a client.
pub(crate) struct Upstream {
    /// The client's, with this base URL and key.
    pub(crate) settings: SharedSettings,
    pub(crate) weight: u32,
    /// Names of models: in requests, and here.
    pub(crate) models: Vec<(String, String)>,
    /// Its base URL as it is shown.
    pub(crate) shown: Arc<str>,
    pub(crate) has_own_key: bool,
}

/// The services of a client with several.
pub(crate) struct UpstreamSettings {
    /// Calls are spread by weight.
    pub(crate) balances: bool,
    pub(crate) all: Vec<Upstream>,
}

impl UpstreamSettings {
    /// The keys of the others than the first.
    pub(crate) fn other_keys(&self) -> Option<Arc<[Arc<ApiKey>]>> {
        let first = self.all.first()?.settings.api_key.id();
        let keys = self.all.iter().map(|upstream| &upstream.settings.api_key);
        let others: Vec<_> = keys.filter(|key| key.id() != first).cloned().collect();
        (!others.is_empty()).then(|| others.into())
    }
}

/// A checked configuration.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) base_url: Url,
    pub(crate) api_key: Arc<ApiKey>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) timeouts: Timeouts,
    pub(crate) retry: RetryPolicy,
    pub(crate) limits: Limits,
    pub(crate) ca_pem: Option<Vec<u8>>,
    pub(crate) client_pem: Option<Zeroizing<Vec<u8>>>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) http2: bool,
    pub(crate) stream_only: bool,
    pub(crate) chunk_times: bool,
    pub(crate) tcp_keepalive: Option<Duration>,
    pub(crate) idempotency_header: Option<String>,
    /// The socket at which the service is, instead of the host of `base_url`.
    pub(crate) unix_socket: Option<UnixSocket>,
    pub(crate) io: IoPlace,
    /// With several base URLs: all of them. The rest is that of the first.
    pub(crate) upstreams: Option<Arc<UpstreamSettings>>,
}

/// Shared by a client and its calls.
pub(crate) type SharedSettings = Arc<Settings>;

impl Settings {
    /// The path of an operation's URL.
    pub(crate) fn path_of(&self, endpoint: Endpoint) -> String {
        format!("{}{}", self.base_url.path().trim_end_matches('/'), endpoint.path())
    }

    /// The fault in the path of `base_url` if it does not end in `/v1`, once (R-CFG1).
    pub(crate) fn path_fault(&self) -> Option<PathFault> {
        let path = self.base_url.path().trim_end_matches('/');
        let is_operation = |operation: &&&str| path.ends_with(**operation);
        match OPERATIONS.iter().find(is_operation) {
            Some(operation) => Some(PathFault::Operation(operation)),
            None if !path.ends_with("/v1") => Some(PathFault::NoVersion),
            None => path.ends_with("/v1/v1").then_some(PathFault::VersionTwice),
        }
    }

    /// The base URL as it is shown: a query may be secret, and the key may be in the path.
    pub(crate) fn shown_base_url(&self) -> String {
        let mut url = self.base_url.clone();
        if url.query().is_some() {
            url.set_query(Some("[query]"));
        }
        let shown = match &self.unix_socket {
            Some(UnixSocket { encoded, .. }) => {
                url.as_str().replacen(BEHIND_SOCKET, &format!("{UNIX_SCHEME}{encoded}"), 1)
            }
            None => url.to_string(),
        };
        self.api_key.mask_answer(&shown).into_owned()
    }

    /// Whether any connection of the client speaks TLS: to the service, or to a proxy.
    pub(crate) fn needs_tls(&self) -> bool {
        self.needs_tls_in(|name| std::env::var(name).ok())
    }

    /// The same with these variables of the environment.
    fn needs_tls_in(&self, variable: impl Fn(&str) -> Option<String>) -> bool {
        let is_https = |url: &str| url.trim_start().to_ascii_lowercase().starts_with("https:");
        match &self.proxy {
            _ if self.base_url.scheme() == "https" => true,
            Some(Proxy::Url(url)) => is_https(url),
            Some(Proxy::Off) => false,
            None if self.is_loopback() => false,
            None => ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
                .iter()
                .any(|name| variable(name).is_some_and(|url| is_https(&url))),
        }
    }

    /// Loopback addresses bypass the environment's proxies and may use plain http without a warning.
    pub(crate) fn is_loopback(&self) -> bool {
        match self.base_url.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
            None => false,
        }
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
