//! The configuration of C. A setter checks its own arguments; whether all of it fits together is
//! checked when a client is made.

use std::ffi::c_char;
use std::ptr::null_mut;
use std::time::Duration;

use modelwire_core::{Config, Error, Limits, RetryPolicy};

use crate::boundary::{Handle, borrow_mut, borrow_text, copy_text, free, guard_or};
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_OK, modelwire_status};

/// What a client is made from; used by one thread at a time. What is not set has its default:
/// base URL and key come from the environment (MODELWIRE_BASE_URL or OPENAI_BASE_URL,
/// MODELWIRE_API_KEY or OPENAI_API_KEY).
pub struct modelwire_config {
    core: Config,
}

impl Handle for modelwire_config {
    const NAME: &'static str = "config";
}

impl modelwire_config {
    pub(crate) fn to_core(&self) -> Config {
        self.core.clone()
    }

    /// Sets an option through the core's builder, which takes the configuration whole.
    fn build(&mut self, option: impl FnOnce(Config) -> Config) {
        self.core = option(std::mem::take(&mut self.core));
    }
}

/// A configuration with every default. Free it with modelwire_config_free; NULL only if memory
/// ran out.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_config_new() -> *mut modelwire_config {
    guard_or(null_mut(), || modelwire_config { core: Config::new() }.into_raw())
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
        let base_url = copy_text("base_url", base_url, length)?;
        config.build(|core| core.base_url(base_url));
        Ok(())
    })
}

/// The API key, without the word "Bearer". It never appears in errors, reports or logs. One that
/// was copied with something around it, quotes for instance, or that is not whole, is refused when
/// the client is made, by MODELWIRE_E_CONFIG with a message that says what it is.
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
        let api_key = copy_text("api_key", api_key, length)?;
        config.build(|core| core.api_key(api_key));
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
        let name = copy_text("name", name, name_length)?;
        let value = copy_text("value", value, value_length)?;
        config.build(|core| core.header(name, value));
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
        let timeouts = config.core.timeouts_mut();
        for (field, given) in [
            (&mut timeouts.connect, connect_ms),
            (&mut timeouts.first_byte, first_byte_ms),
            (&mut timeouts.idle, idle_ms),
            (&mut timeouts.total, total_ms),
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
            config.core.timeouts_mut().pool = pool;
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
        adjust(config.core.retry_mut(), retries_max, first_wait_ms, retry_after_max_ms);
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
    set(config, |config| retry_on(config.core.retry_mut(), what))
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
    set(config, |config| retry_jitter(config.core.retry_mut(), part))
}

/// Whether the calls of a client slow down together when the service refuses some of them: after a
/// response with a status that is tried again no call begins until a common pause is over, then
/// fewer are on their way at once, at the rate that the service was seen to take, and more again
/// when nothing is refused any more. Calls wait their turn in order, under their pool timeout and
/// their total timeout. For many calls at once on a service whose limits are not known; such a client
/// begins with few of them and needs some round trips until many are on their way.
///
/// @param config  the configuration
/// @param on      0 or 1; default 0
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_retry_adaptive(
    config: *mut modelwire_config,
    on: i32,
) -> modelwire_status {
    set(config, |config| {
        config.core.retry_mut().adaptive = on != 0;
        Ok(())
    })
}

// limits: the header has MODELWIRE_LIMIT_... here, from the table in core/src/bounds.rs.

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
        let Some(known) = Limits::ALL.iter().find(|known| known.number == limit) else {
            return Err(Error::argument(format!("there is no limit {limit}")));
        };
        let value = usize::try_from(value)
            .map_err(|_| Error::argument(format!("{} cannot be {value}", known.name)))?;
        config.core.limits_mut().set(known.name, value).map_err(as_argument)
    })
}

/// Sets options by name from one JSON object: all of them, or none if one is refused. Every option
/// of a client can be set so, also those that have no function here. Times are in milliseconds, and
/// null switches a timeout off; the names stand in docs/options.md, and the error of an unknown one
/// lists them.
///
/// @param config  the configuration
/// @param json    {"base_url": "https://host/v1", "idle_timeout_ms": 30000}, for instance; UTF-8
/// @param length  its length in bytes, or MODELWIRE_NUL
/// @param error   receives the error, to be freed with modelwire_error_free; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT or MODELWIRE_E_CONFIG, which changes nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_config_set_options(
    config: *mut modelwire_config,
    json: *const c_char,
    length: usize,
    error: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(error, || {
        let config = borrow_mut(config)?;
        // Not copied: the key may be in it, and a copy would have to be wiped.
        config.core.set_options(borrow_text("json", json, length)?)?;
        Ok(MODELWIRE_OK)
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
        let pem = copy_text("pem", pem, length)?;
        config.build(|core| core.add_ca_pem(pem));
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
        let pem = copy_text("pem", pem, length)?;
        config.build(|core| core.client_certificate_pem(pem));
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
        config.build(|core| if url.is_empty() { core.no_proxy() } else { core.proxy(url) });
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
        config.build(|core| core.http2(on != 0));
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
        config.build(|core| core.stream_only(on != 0));
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

/// What the core says of an option is here about an argument.
fn as_argument(error: Error) -> Error {
    Error::argument(error.message())
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
