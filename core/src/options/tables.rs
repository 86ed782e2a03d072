//! The tables of named options that bindings set, for a client and for a single call: a row here adds
//! an option to every language.

use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::error::Result;
use crate::options::api_key::ApiKey;
use crate::options::bounds::Limits;
use crate::options::call_options::CallOptions;
use crate::options::config::Config;
use crate::options::kinds::{
    Given, NamedOption, OptionKind, each_option, options, setter, unknown,
};
use crate::options::retry_policy::{RetryParts, RetryPolicy};
use crate::options::timeouts::{Timeout, Timeouts};
use crate::protocol::value::Value;
use crate::request::request::Request;

options! {
    OF_CLIENT, set by set_of_client of Config;

    /// The base URL of the service, `https://host/v1` for instance, or
    /// `http+unix://%2Frun%2Fmodels.sock/v1` at a Unix socket.
    base_url: Text |config, url| *config = take(config).base_url(url);

    /// Several base URLs instead of `base_url`, each a string or an object with `url` and, where needed,
    /// `api_key`, `weight` and `models` (names there by requested names). Attempts that were not sent or were
    /// refused with status 429 continue at the next one at once.
    base_urls: BaseUrls |config, urls| *config = take(config).base_urls(urls);

    /// Spreads calls over `base_urls` by weight; by default, all go to the first that does not rest after
    /// failures.
    balance: Flag |config, on| *config = take(config).balance(on);

    /// The API key, without the word `Bearer`.
    api_key: Text |config, key| *config = take(config).api_key(key);

    /// Headers to send with every request.
    headers: Pairs |config, headers| {
        for (name, value) in headers {
            *config = take(config).header(name, value);
        }
    };

    /// Query parameters for every request, after those of the base URL.
    query: Pairs |config, query| {
        for (name, value) in query {
            *config = take(config).query(name, value);
        }
    };

    /// A proxy for every call, `http://host:port` for instance; `https`, `socks4`, `socks4a`, `socks5` and
    /// `socks5h` also work. Empty for none, regardless of the environment.
    proxy: Text |config, url| {
        let to = take(config);
        *config = if url.is_empty() { to.no_proxy() } else { to.proxy(url) };
    };

    /// Trusted CA certificates in PEM form, in addition to the system's.
    ca_pem: Text |config, pem| *config = take(config).add_ca_pem(pem);

    /// A client certificate, its chain and its private key, together in PEM form.
    client_certificate_pem: Text |config, pem| *config = take(config).client_certificate_pem(pem);

    /// Offers HTTP/2 to an https service; off by default.
    http2: Flag |config, on| *config = take(config).http2(on);

    /// How long a connection is silent before the system probes whether the peer is still there, and the
    /// time between probes: three without an answer end the connection. From 1 s to 32767 s, in whole seconds;
    /// 15 s by default.
    tcp_keepalive_ms: Timeout |config, time| *config = take(config).tcp_keepalive(time);

    /// The header, usually `Idempotency-Key`, that carries a key with each chat and response: the same for
    /// all attempts of a call, made at random unless the call has `idempotency_key`; off by default.
    idempotency_header: Text |config, name| *config = take(config).idempotency_header(name);

    /// Makes every plain call stream internally, for models that only stream; off by default.
    stream_only: Flag |config, on| *config = take(config).stream_only(on);

    /// Stores chunk times in the record of each call; off by default.
    chunk_times: Flag |config, on| *config = take(config).chunk_times(on);

    /// Whether pings (SSE comments, blank lines) also reset the idle timeout; off by default.
    pings_reset_idle: Flag |config, on| config.timeouts_mut().pings_reset_idle = on;
}

options! {
    OF_CALL, set by set_of_call of CallOptions, and setters of Request;

    /// Headers of this call; each replaces the client's header of the same name.
    headers: Pairs |call, headers| call.headers.extend(headers);

    /// Names of client headers that this call omits.
    without_headers: Names |call, names| call.without_headers.extend(names);

    /// Query parameters of this call, after those of the client.
    query: Pairs |call, query| call.query.extend(query);

    /// The API key for this call, instead of the client's, on the same connections.
    api_key: Text |call, key| call.api_key = Some(ApiKey::new(key).map(Arc::new));

    /// The idempotency key of this call, the same for all its attempts, in the client's
    /// `idempotency_header`, otherwise in `Idempotency-Key`.
    idempotency_key: Text |call, key| call.idempotency_key = Some(key);

    /// For a plain call: streams internally and returns the whole answer, for a model that only
    /// streams. Overrides a `stream` in JSON text. The client's setting by default.
    stream_only: Flag |call, on| call.stream_only = Some(on);

    /// Gathers the chunks of this streamed call, so that the end of the stream also has the whole
    /// answer, and an error the part before it; off by default, which keeps memory use constant.
    gather: Flag |call, on| call.gather = Some(on);

    /// Stores chunk times in the record of this call; the client's setting by default.
    chunk_times: Flag |call, on| call.chunk_times = Some(on);

    /// Whether pings (SSE comments, blank lines) also reset the idle timeout; the client's setting by
    /// default.
    pings_reset_idle: Flag |call, on| call.timeouts.set_pings_reset_idle(on);
}

options! {
    OF_RETRIES, set by set_of_retries of RetryParts;

    /// The maximum number of retries of one call; 3 by default, 0 disables retries.
    max_retries: Count |parts, count| parts.max_retries = Some(u32::try_from(count).unwrap_or(u32::MAX));

    /// The delay before the first retry, doubled for each further one; 500 ms by default.
    retry_first_wait_ms: Milliseconds |parts, wait| parts.first_wait = Some(wait);

    /// The maximum of the doubled delay; 8 s by default.
    retry_wait_max_ms: Milliseconds |parts, wait| parts.wait_max = Some(wait);

    /// The HTTP statuses to retry; 429 by default.
    retry_statuses: Statuses |parts, statuses| parts.statuses = Some(statuses);

    /// Whether to retry a call if nothing of it was sent, or if an HTTP/2 service rejected it
    /// unprocessed; off by default.
    retry_connect_errors: Flag |parts, on| parts.connect_errors = Some(on);

    /// Whether to retry a call whose connection was lost after some of it was sent; it may then be
    /// billed twice; off by default.
    retry_lost_connections: Flag |parts, on| parts.lost_connections = Some(on);

    /// Whether to retry a call whose answer did not begin within the first-byte timeout; it may then be
    /// billed twice; off by default.
    retry_first_byte_timeouts: Flag |parts, on| parts.first_byte_timeouts = Some(on);

    /// Whether to retry a call whose answer began and then failed (an error in the stream, silence, an
    /// empty or truncated body) before any of its content reached the program, or within the
    /// first-content timeout; the failed attempt may be billed in addition; off by default.
    retry_before_content: Flag |parts, on| parts.before_content = Some(on);

    /// The largest random addition to a delay, as a fraction of it; 0.25 by default.
    retry_jitter: Part |parts, part| parts.jitter = Some(part);

    /// The longest `Retry-After` that a call waits for; 60 s by default.
    retry_after_max_ms: Milliseconds |parts, wait| parts.retry_after_max = Some(wait);

    /// Whether a `Retry-After` replaces the policy's delay even if it is shorter; off by default.
    retry_after_exact: Flag |parts, on| parts.retry_after_exact = Some(on);

    /// Whether the calls of a client slow down together when the service answers too many of them
    /// with a retried status: fewer are in flight, at the rate that the service accepts; off by default.
    retry_adaptive: Flag |parts, on| parts.adaptive = Some(on);
}

/// The suffix of the option name of a timeout.
const TIMEOUT_MS: &str = "_timeout_ms";

/// The timeout with this option name.
fn timeout(name: &str) -> Option<&'static Timeout> {
    Timeouts::ALL.iter().find(|timeout| name.strip_suffix(TIMEOUT_MS) == Some(timeout.name))
}

fn time(name: &str, value: Value<'_>) -> Result<Option<Duration>> {
    match OptionKind::Timeout.read(name, value)? {
        Given::Timeout(time) => Ok(time),
        _ => Err(OptionKind::Timeout.refused(name)),
    }
}

fn names(table: &[NamedOption]) -> impl Iterator<Item = String> {
    table.iter().chain(OF_RETRIES).map(|option| option.name.to_owned())
}

fn timeout_names(are_per_call: bool) -> impl Iterator<Item = String> {
    let these = Timeouts::ALL.iter().filter(move |timeout| timeout.is_per_call || !are_per_call);
    these.map(|timeout| timeout.name.to_owned() + TIMEOUT_MS)
}

fn names_of_client() -> Vec<String> {
    let limits = Limits::ALL.iter().map(|limit| limit.name.to_owned());
    names(OF_CLIENT).chain(timeout_names(false)).chain(limits).collect()
}

fn names_of_call() -> Vec<String> {
    names(OF_CALL).chain(timeout_names(true)).collect()
}

impl Config {
    /// The options that [`Config::set_options`] takes, except those with their own tables:
    /// [`RetryPolicy::OPTIONS`], the timeouts of [`Timeouts::ALL`], whose names end in `_timeout_ms`
    /// there, and the limits of [`Limits::ALL`].
    pub const OPTIONS: &'static [NamedOption] = OF_CLIENT;

    /// Sets options from a JSON object, all of them or none. Rejects an unknown name, a value of the
    /// wrong kind, and a limit out of range. Options that depend on each other are checked when a
    /// client is made. Headers and query parameters are added to those already set.
    ///
    /// ```
    /// let mut config = modelwire::Config::new();
    /// config.set_options(
    ///     r#"{"base_url": "http://127.0.0.1:8080/v1", "api_key": "sk-test",
    ///         "idle_timeout_ms": 30000, "total_timeout_ms": null, "event_bytes_max": 1000000}"#,
    /// )?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn set_options(&mut self, json: &str) -> Result<()> {
        let mut config = self.clone();
        each_option(
            json,
            |name, value| config.set_option(name, value),
            |name| unknown(name, &names_of_client(), &names_of_call(), "a call"),
        )?;
        *self = config;
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Value<'_>) -> Result<bool> {
        if let Some(timeout) = timeout(name) {
            self.timeouts_mut().set(timeout.phase, time(name, value)?)?;
            return Ok(true);
        }
        if Limits::ALL.iter().any(|limit| limit.name == name) {
            let Given::Count(count) = OptionKind::Count.read(name, value)? else {
                return Err(OptionKind::Count.refused(name));
            };
            self.limits_mut().set(name, usize::try_from(count).unwrap_or(usize::MAX))?;
            return Ok(true);
        }
        let mut parts = RetryParts::default();
        if set_of_retries(name, value, &mut parts)? {
            *self.retry_mut() = parts.over(self.retry_mut()).into_owned();
            return Ok(true);
        }
        set_of_client(name, value, self)
    }
}

impl RetryPolicy {
    /// The options of the retry policy, for a client and for a call; a call sets single parts with
    /// them, and keeps its client's other parts.
    pub const OPTIONS: &'static [NamedOption] = OF_RETRIES;
}

impl CallOptions {
    /// The options of a call, except [`RetryPolicy::OPTIONS`] and the timeouts of [`Timeouts::ALL`].
    pub(crate) const OPTIONS: &'static [NamedOption] = OF_CALL;

    /// Sets options from a JSON object, all of them or none.
    pub(crate) fn set(&mut self, json: &str) -> Result<()> {
        let mut call = self.clone();
        each_option(
            json,
            |name, value| call.set_option(name, value),
            |name| unknown(name, &names_of_call(), &names_of_client(), "the client"),
        )
        .and_then(|()| call.check())
        .map_err(CallOptions::as_argument)?;
        *self = call;
        Ok(())
    }

    fn set_option(&mut self, name: &str, value: Value<'_>) -> Result<bool> {
        if let Some(timeout) = timeout(name).filter(|timeout| timeout.is_per_call) {
            self.timeouts.set(timeout.phase, time(name, value)?);
            return Ok(true);
        }
        Ok(set_of_retries(name, value, &mut self.retry)? || set_of_call(name, value, self)?)
    }
}

#[cfg(test)]
#[path = "tables_tests.rs"]
mod tests;
