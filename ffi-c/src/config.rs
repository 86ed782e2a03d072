//! The configuration of C. A setter checks its own arguments; whether all of it fits together is
//! checked when a client is made.

use std::ffi::c_char;
use std::ptr::null_mut;
use std::time::Duration;

use modelwire_core::{Config, Error, Limits, RetryPolicy, Timeouts};

use crate::boundary::{Handle, borrow_mut, copy_text, free, guard_or};
use crate::error::guard;
use crate::status::{MODELWIRE_OK, modelwire_status};

/// What a client is made from; used by one thread at a time. What is not set has its default:
/// base URL and key come from the environment (MODELWIRE_BASE_URL or OPENAI_BASE_URL,
/// MODELWIRE_API_KEY or OPENAI_API_KEY).
pub struct modelwire_config {
    base_url: Option<String>,
    api_key: Option<String>,
    headers: Vec<(String, String)>,
    timeouts: Timeouts,
    retry: RetryPolicy,
    limits: Limits,
    ca_pems: Vec<String>,
    client_certificate_pem: Option<String>,
    proxy: Proxy,
    http2: bool,
    stream_only: bool,
}

enum Proxy {
    FromEnvironment,
    None,
    At(String),
}

impl Handle for modelwire_config {
    const NAME: &'static str = "config";
}

impl modelwire_config {
    pub(crate) fn to_core(&self) -> Config {
        let mut config = Config::new()
            .timeouts(self.timeouts)
            .retry(self.retry.clone())
            .limits(self.limits)
            .http2(self.http2)
            .stream_only(self.stream_only);
        if let Some(base_url) = &self.base_url {
            config = config.base_url(base_url);
        }
        if let Some(api_key) = &self.api_key {
            config = config.api_key(api_key);
        }
        for (name, value) in &self.headers {
            config = config.header(name, value);
        }
        for pem in &self.ca_pems {
            config = config.add_ca_pem(pem.as_bytes());
        }
        if let Some(pem) = &self.client_certificate_pem {
            config = config.client_certificate_pem(pem.as_bytes());
        }
        match &self.proxy {
            Proxy::FromEnvironment => config,
            Proxy::None => config.no_proxy(),
            Proxy::At(url) => config.proxy(url),
        }
    }
}

/// A configuration with every default. Free it with modelwire_config_free; NULL only if memory
/// ran out.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_config_new() -> *mut modelwire_config {
    guard_or(null_mut(), || {
        let config = modelwire_config {
            base_url: None,
            api_key: None,
            headers: Vec::new(),
            timeouts: Timeouts::default(),
            retry: RetryPolicy::default(),
            limits: Limits::default(),
            ca_pems: Vec::new(),
            client_certificate_pem: None,
            proxy: Proxy::FromEnvironment,
            http2: false,
            stream_only: false,
        };
        config.into_raw()
    })
}

/// Frees a configuration; clients made from it keep their copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_free(config: *mut modelwire_config) {
    free(config);
}

/// Where the service is, "https://host/v1" for instance. A trailing slash does not matter; a
/// query is kept.
///
/// @param config    the configuration
/// @param base_url  UTF-8, copied
/// @param length    its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_base_url(
    config: *mut modelwire_config,
    base_url: *const c_char,
    length: usize,
) -> modelwire_status {
    set(config, |config| {
        config.base_url = Some(copy_text("base_url", base_url, length)?);
        Ok(())
    })
}

/// The API key, without the word "Bearer". It never appears in errors, reports or logs.
///
/// @param config   the configuration
/// @param api_key  ASCII, copied; white space around it is removed
/// @param length   its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_api_key(
    config: *mut modelwire_config,
    api_key: *const c_char,
    length: usize,
) -> modelwire_status {
    set(config, |config| {
        config.api_key = Some(copy_text("api_key", api_key, length)?);
        Ok(())
    })
}

/// Adds a header that is sent with every request.
///
/// @param config        the configuration
/// @param name          the header's name, copied
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param value         the header's value, copied
/// @param value_length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_add_header(
    config: *mut modelwire_config,
    name: *const c_char,
    name_length: usize,
    value: *const c_char,
    value_length: usize,
) -> modelwire_status {
    set(config, |config| {
        let header =
            (copy_text("name", name, name_length)?, copy_text("value", value, value_length)?);
        config.headers.push(header);
        Ok(())
    })
}

/// The timeouts of every attempt and of the whole call, in milliseconds; waiting for a connection
/// has modelwire_config_set_pool_timeout. A negative value leaves the default, 0 switches off.
///
/// @param config         the configuration
/// @param connect_ms     opening a connection, TLS included; default 10000
/// @param first_byte_ms  from the start of an attempt to the complete head of its response;
///                       default 600000
/// @param idle_ms        between two pieces of substance of a response; default 300000
/// @param total_ms       over all attempts and every wait, from the call's start; default 0, off
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_timeouts(
    config: *mut modelwire_config,
    connect_ms: i64,
    first_byte_ms: i64,
    idle_ms: i64,
    total_ms: i64,
) -> modelwire_status {
    set(config, |config| {
        for (field, given) in [
            (&mut config.timeouts.connect, connect_ms),
            (&mut config.timeouts.first_byte, first_byte_ms),
            (&mut config.timeouts.idle, idle_ms),
            (&mut config.timeouts.total, total_ms),
        ] {
            if let Some(timeout) = timeout(given) {
                *field = timeout;
            }
        }
        Ok(())
    })
}

/// The timeout of waiting for a connection where MODELWIRE_LIMIT_CONNECTIONS are in use, before
/// each attempt. Nothing of an attempt was sent when it runs out.
///
/// @param config   the configuration
/// @param pool_ms  milliseconds; negative leaves the default, 0 switches off; default 0: a call
///                 waits its turn, under its total timeout alone
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_pool_timeout(
    config: *mut modelwire_config,
    pool_ms: i64,
) -> modelwire_status {
    set(config, |config| {
        if let Some(pool) = timeout(pool_ms) {
            config.timeouts.pool = pool;
        }
        Ok(())
    })
}

/// How often and after what waits a call is tried again: one that was answered with status 429, or
/// that failed as modelwire_config_set_retry_on says. The waits are lower bounds, to which
/// modelwire_config_set_retry_jitter adds; one that the total timeout leaves no room for returns
/// the error at once. A negative value leaves the default.
///
/// @param config              the configuration
/// @param retries_max         most retries of one call; default 3, 0 switches off
/// @param first_wait_ms       wait before the first retry, doubled for each further one up to 8
///                            seconds, and raised to what the service asks for; default 500
/// @param retry_after_max_ms  longest Retry-After that is waited for, a longer one returns the
///                            error at once; default 60000
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_retry(
    config: *mut modelwire_config,
    retries_max: i32,
    first_wait_ms: i64,
    retry_after_max_ms: i64,
) -> modelwire_status {
    set(config, |config| {
        adjust(&mut config.retry, retries_max, first_wait_ms, retry_after_max_ms);
        Ok(())
    })
}

/// MODELWIRE_RETRY_...: calls of which nothing was sent. The connection could not be opened, or was
/// closed before the request was begun to be written.
pub const MODELWIRE_RETRY_CONNECT_ERRORS: u32 = 1;
/// Calls whose connection was lost after something was sent and before the head of a response came.
/// The service may have processed such a call, and meters it twice then.
pub const MODELWIRE_RETRY_LOST_CONNECTIONS: u32 = 2;

/// Which failures without a response are tried again, beside the responses with status 429.
///
/// @param config  the configuration
/// @param what    MODELWIRE_RETRY_... joined by |, in place of what was set before; default 0, none
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or an unknown bit, which changes nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_retry_on(
    config: *mut modelwire_config,
    what: u32,
) -> modelwire_status {
    set(config, |config| retry_on(&mut config.retry, what))
}

/// How much is added to the waits between attempts by chance, so that calls that were refused
/// together do not come back together.
///
/// @param config  the configuration
/// @param part    the part of a wait that is added at most, 0 to 1; default 0.25
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or a part that is not from 0 to 1 (NaN is
///         not), which changes nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_retry_jitter(
    config: *mut modelwire_config,
    part: f64,
) -> modelwire_status {
    set(config, |config| retry_jitter(&mut config.retry, part))
}

/// MODELWIRE_LIMIT_...: largest server-sent event in bytes; default 16 MiB.
pub const MODELWIRE_LIMIT_EVENT_BYTES: i32 = 1;
/// Largest response held whole, in bytes; default 256 MiB.
pub const MODELWIRE_LIMIT_RESPONSE_BYTES: i32 = 2;
/// Bytes of a failed response that are kept; default 64 KiB.
pub const MODELWIRE_LIMIT_ERROR_BODY_BYTES: i32 = 3;
/// Headers of a response; default 100.
pub const MODELWIRE_LIMIT_HEADERS: i32 = 4;
/// Bytes of one call that wait to be taken before its body is no longer read; default 256 KiB. A
/// single larger event waits alone.
pub const MODELWIRE_LIMIT_QUEUE_BYTES: i32 = 5;
/// Events of one call that wait to be taken before its body is no longer read; default 1024.
pub const MODELWIRE_LIMIT_QUEUE_EVENTS: i32 = 6;
/// Connections of the client that are open at once; default 1000, and all clients of the process
/// together never take more than half of the descriptors that it may have (RLIMIT_NOFILE, read at
/// the first call). Further calls wait in order. Calls that share a connection (HTTP/2) are not
/// counted.
pub const MODELWIRE_LIMIT_CONNECTIONS: i32 = 7;

/// The largest value that the core takes for a limit.
const LIMIT_MAX: i64 = i32::MAX as i64;

/// Sets one of the bounds. A response that breaks one is an error that names it.
///
/// @param config  the configuration
/// @param limit   MODELWIRE_LIMIT_...
/// @param value   the bound, 1 to 2147483647; in the unit that the limit's comment names
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL, an unknown limit or a value out of
///         range, which changes nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_limit(
    config: *mut modelwire_config,
    limit: i32,
    value: i64,
) -> modelwire_status {
    set(config, |config| {
        let limits = &mut config.limits;
        let field = match limit {
            MODELWIRE_LIMIT_EVENT_BYTES => &mut limits.event_bytes_max,
            MODELWIRE_LIMIT_RESPONSE_BYTES => &mut limits.response_bytes_max,
            MODELWIRE_LIMIT_ERROR_BODY_BYTES => &mut limits.error_body_bytes_max,
            MODELWIRE_LIMIT_HEADERS => &mut limits.headers_max,
            MODELWIRE_LIMIT_QUEUE_BYTES => &mut limits.queue_bytes_max,
            MODELWIRE_LIMIT_QUEUE_EVENTS => &mut limits.queue_events_max,
            MODELWIRE_LIMIT_CONNECTIONS => &mut limits.connections_max,
            other => return Err(Error::argument(format!("there is no limit {other}"))),
        };
        *field = usize::try_from(value)
            .ok()
            .filter(|_| (1..=LIMIT_MAX).contains(&value))
            .ok_or_else(|| Error::argument(format!("limit {limit} cannot be {value}")))?;
        Ok(())
    })
}

/// Adds certificates that are trusted beside the system's, which SSL_CERT_FILE and SSL_CERT_DIR
/// replace.
///
/// @param config  the configuration
/// @param pem     one or more certificates as PEM text, copied; checked when a client is made
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_add_ca_pem(
    config: *mut modelwire_config,
    pem: *const c_char,
    length: usize,
) -> modelwire_status {
    set(config, |config| {
        config.ca_pems.push(copy_text("pem", pem, length)?);
        Ok(())
    })
}

/// The certificate with which the client proves itself to the service (mutual TLS).
///
/// @param config  the configuration
/// @param pem     the certificate, its chain and its private key as PEM text, copied; checked when
///                a client is made
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_client_certificate_pem(
    config: *mut modelwire_config,
    pem: *const c_char,
    length: usize,
) -> modelwire_status {
    set(config, |config| {
        config.client_certificate_pem = Some(copy_text("pem", pem, length)?);
        Ok(())
    })
}

/// The proxy for every request. Without this the environment decides (HTTP_PROXY, HTTPS_PROXY,
/// ALL_PROXY, NO_PROXY), and loopback addresses are never proxied.
///
/// @param config  the configuration
/// @param url     "http://...", "https://..." or "socks5h://...", copied; empty for none at all
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL or what is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_proxy(
    config: *mut modelwire_config,
    url: *const c_char,
    length: usize,
) -> modelwire_status {
    set(config, |config| {
        let url = copy_text("url", url, length)?;
        config.proxy = if url.is_empty() { Proxy::None } else { Proxy::At(url) };
        Ok(())
    })
}

/// Speaks HTTP/2: many calls share one connection. Over TLS the service may still choose HTTP/1.1.
///
/// @param config  the configuration
/// @param on      0 or 1; default 0
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_http2(
    config: *mut modelwire_config,
    on: i32,
) -> modelwire_status {
    set(config, |config| {
        config.http2 = on != 0;
        Ok(())
    })
}

/// Lets every call that is answered whole stream underneath and gather its response, for a service
/// whose models answer only by streaming.
///
/// @param config  the configuration
/// @param on      0 or 1; default 0
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_stream_only(
    config: *mut modelwire_config,
    on: i32,
) -> modelwire_status {
    set(config, |config| {
        config.stream_only = on != 0;
        Ok(())
    })
}

/// A timeout in milliseconds from C: `None` if it is negative, which leaves it as it is; and
/// `Some(None)` if it is 0, which switches it off.
pub(crate) fn timeout(given: i64) -> Option<Option<Duration>> {
    let ms = u64::try_from(given).ok()?;
    Some((ms > 0).then(|| Duration::from_millis(ms)))
}

/// Changes a policy; a negative number leaves its part as it is.
pub(crate) fn adjust(
    retry: &mut RetryPolicy,
    retries_max: i32,
    first_wait_ms: i64,
    retry_after_max_ms: i64,
) {
    if let Ok(retries) = u32::try_from(retries_max) {
        retry.retries_max = retries;
    }
    if let Ok(ms) = u64::try_from(first_wait_ms) {
        retry.first_wait = Duration::from_millis(ms);
    }
    if let Ok(ms) = u64::try_from(retry_after_max_ms) {
        retry.retry_after_max = Duration::from_millis(ms);
    }
}

/// Sets which failures are tried again.
pub(crate) fn retry_on(retry: &mut RetryPolicy, what: u32) -> Result<(), Error> {
    let unknown = what & !(MODELWIRE_RETRY_CONNECT_ERRORS | MODELWIRE_RETRY_LOST_CONNECTIONS);
    if unknown != 0 {
        return Err(Error::argument(format!("there is no MODELWIRE_RETRY_... {unknown:#x}")));
    }
    retry.connect_errors = what & MODELWIRE_RETRY_CONNECT_ERRORS != 0;
    retry.lost_connections = what & MODELWIRE_RETRY_LOST_CONNECTIONS != 0;
    Ok(())
}

/// Sets which part of a wait is added at most, by chance.
pub(crate) fn retry_jitter(retry: &mut RetryPolicy, part: f64) -> Result<(), Error> {
    if !(0.0..=1.0).contains(&part) {
        return Err(Error::argument(format!("the retry jitter is {part}: it takes 0 to 1")));
    }
    retry.jitter = part;
    Ok(())
}

/// Runs a setter. There is no error object: the status says enough.
fn set(
    config: *mut modelwire_config,
    edit: impl FnOnce(&mut modelwire_config) -> Result<(), Error>,
) -> modelwire_status {
    guard(null_mut(), || {
        edit(borrow_mut(config)?)?;
        Ok(MODELWIRE_OK)
    })
}
