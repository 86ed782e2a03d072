//! The configuration builder of C. Checks nothing but its arguments: the core judges the whole
//! when a client is made.

use std::ffi::c_char;
use std::ptr::null_mut;
use std::time::Duration;

use modelwire_core::{Config, Error, RetryPolicy, Timeouts};

use crate::boundary::{Handle, borrow_mut, free, guard, guard_or, text};
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
    stream_only: bool,
}

impl Handle for modelwire_config {
    const NAME: &'static str = "config";
}

impl modelwire_config {
    pub(crate) fn to_core(&self) -> Config {
        let mut config = Config::new()
            .timeouts(self.timeouts)
            .retry(self.retry.clone())
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
        config
    }
}

/// A configuration with every default. Free it with modelwire_config_free; NULL only if memory
/// ran out.
#[unsafe(no_mangle)]
pub extern "C" fn modelwire_config_new() -> *mut modelwire_config {
    guard_or(null_mut(), || {
        let (timeouts, retry) = (Timeouts::default(), RetryPolicy::default());
        let (base_url, api_key, headers, stream_only) = (None, None, Vec::new(), false);
        modelwire_config { base_url, api_key, headers, timeouts, retry, stream_only }.into_raw()
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
        config.base_url = Some(text("base_url", base_url, length)?);
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
        config.api_key = Some(text("api_key", api_key, length)?);
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
        let header = (text("name", name, name_length)?, text("value", value, value_length)?);
        config.headers.push(header);
        Ok(())
    })
}

/// The four timeouts in milliseconds. A negative value leaves the default, 0 switches off.
///
/// @param config         the configuration
/// @param connect_ms     opening a connection, TLS included; default 10000
/// @param first_byte_ms  from the start of an attempt to the complete head of its answer;
///                       default 600000
/// @param idle_ms        between two pieces of substance of an answer; default 300000
/// @param total_ms       over all attempts and the waits between them; default 0, off
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
            if let Ok(ms) = u64::try_from(given) {
                *field = (ms > 0).then(|| Duration::from_millis(ms));
            }
        }
        Ok(())
    })
}

/// When and how often a call that was answered with status 429 is tried again. A negative value
/// leaves the default.
///
/// @param config              the configuration
/// @param retries_max         most retries of one call; default 3, 0 switches off
/// @param first_wait_ms       wait before the first retry, doubled for each further one;
///                            default 500
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
        if let Ok(retries) = u32::try_from(retries_max) {
            config.retry.retries_max = retries;
        }
        if let Ok(ms) = u64::try_from(first_wait_ms) {
            config.retry.first_wait = Duration::from_millis(ms);
        }
        if let Ok(ms) = u64::try_from(retry_after_max_ms) {
            config.retry.retry_after_max = Duration::from_millis(ms);
        }
        Ok(())
    })
}

/// Lets every call that is answered whole stream underneath and gather its answer, for a service
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

/// Every setter: its status says all that can be wrong.
fn set(
    config: *mut modelwire_config,
    edit: impl FnOnce(&mut modelwire_config) -> Result<(), Error>,
) -> modelwire_status {
    guard(null_mut(), || {
        edit(borrow_mut(config)?)?;
        Ok(MODELWIRE_OK)
    })
}
