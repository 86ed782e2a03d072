//! The tables of options by name, as bindings set them, for a client and for a single call: a new
//! option reaches every language with its row here. Knows no language.

use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::error::Result;
use crate::options::api_key::ApiKey;
use crate::options::bounds::Limits;
use crate::options::call_options::CallOptions;
use crate::options::config::Config;
use crate::options::kinds::{Given, NamedOption, OptionKind, each_option, options, unknown};
use crate::options::retry_policy::{RetryParts, RetryPolicy};
use crate::options::timeouts::{Timeout, Timeouts};
use crate::protocol::value::Value;

options! {
    OF_CLIENT, set by set_of_client of Config;

    /// Where the service is, `https://host/v1` for instance.
    base_url: Text |config, url| *config = take(config).base_url(url);

    /// The API key, without the word `Bearer`.
    api_key: Text |config, key| *config = take(config).api_key(key);

    /// Headers to send with every request.
    headers: Pairs |config, headers| {
        for (name, value) in headers {
            *config = take(config).header(name, value);
        }
    };

    /// Parameters of the query of every request, behind those of the base URL.
    query: Pairs |config, query| {
        for (name, value) in query {
            *config = take(config).query(name, value);
        }
    };

    /// A proxy for every call, `http://host:port` or `socks5h://host:port`; empty for none, whatever
    /// the environment says.
    proxy: Text |config, url| {
        let to = take(config);
        *config = if url.is_empty() { to.no_proxy() } else { to.proxy(url) };
    };

    /// Certificates of authorities in PEM form that are trusted beside the system's.
    ca_pem: Text |config, pem| *config = take(config).add_ca_pem(pem);

    /// A client certificate, its chain and its private key, together in PEM form.
    client_certificate_pem: Text |config, pem| *config = take(config).client_certificate_pem(pem);

    /// Offers HTTP/2 to an https service; off by default.
    http2: Flag |config, on| *config = take(config).http2(on);

    /// Lets every plain call stream underneath, for models that answer only by streaming; off by
    /// default.
    stream_only: Flag |config, on| *config = take(config).stream_only(on);

    /// Lets the record of each call have the times of its chunks; off by default.
    chunk_times: Flag |config, on| *config = take(config).chunk_times(on);

    /// Whether comments and keep-alives put the idle timeout off as well; off by default.
    pings_reset_idle: Flag |config, on| config.timeouts_mut().pings_reset_idle = on;
}

options! {
    OF_CALL, set by set_of_call of CallOptions;

    /// Headers of this call; each replaces the client's of the same name.
    headers: Pairs |call, headers| call.headers.extend(headers);

    /// Names of headers of the client that this call goes without.
    without_headers: Names |call, names| call.without_headers.extend(names);

    /// Parameters of this call's query, behind those of the client.
    query: Pairs |call, query| call.query.extend(query);

    /// The API key of this call, instead of the client's.
    api_key: Text |call, key| call.api_key = Some(ApiKey::new(key).map(Arc::new));

    /// Lets this plain call stream underneath, for a model that answers only by streaming; the
    /// client's by default.
    stream_only: Flag |call, on| call.stream_only = Some(on);

    /// Lets this streamed call gather its chunks, so that the end of the stream has the whole answer
    /// too; off by default.
    gather: Flag |call, on| call.gather = Some(on);

    /// Lets the record of this call have the times of its chunks; the client's by default.
    chunk_times: Flag |call, on| call.chunk_times = Some(on);

    /// Whether comments and keep-alives put the idle timeout off as well; the client's by default.
    pings_reset_idle: Flag |call, on| call.timeouts.set_pings_reset_idle(on);
}

options! {
    OF_RETRIES, set by set_of_retries of RetryParts;

    /// Most retries of one call; 3 by default, 0 switches retrying off.
    retries_max: Count |parts, count| parts.retries_max = Some(u32::try_from(count).unwrap_or(u32::MAX));

    /// The wait before the first retry, doubled for each further one; 500 ms by default.
    retry_first_wait_ms: Milliseconds |parts, wait| parts.first_wait = Some(wait);

    /// The doubling of waits stops here; 8 s by default.
    retry_wait_max_ms: Milliseconds |parts, wait| parts.wait_max = Some(wait);

    /// The statuses that are tried again; 429 by default.
    retry_statuses: Statuses |parts, statuses| parts.statuses = Some(statuses);

    /// Whether a call is tried again of which nothing was sent, or which an HTTP/2 service refused unprocessed; off by default.
    retry_connect_errors: Flag |parts, on| parts.connect_errors = Some(on);

    /// Whether a call is tried again whose connection was lost after something of it was sent, which
    /// may be metered twice then; off by default.
    retry_lost_connections: Flag |parts, on| parts.lost_connections = Some(on);

    /// Whether a call is tried again whose answer did not begin within its first-byte timeout, which
    /// may be metered twice then; off by default.
    retry_first_byte_timeouts: Flag |parts, on| parts.first_byte_timeouts = Some(on);

    /// How much is added to a wait by chance, as a part of it; 0.25 by default.
    retry_jitter: Part |parts, part| parts.jitter = Some(part);

    /// Longest `Retry-After` that is waited for; 60 s by default.
    retry_after_max_ms: Milliseconds |parts, wait| parts.retry_after_max = Some(wait);

    /// Whether a `Retry-After` takes the place of the policy's wait also where it is shorter; off by
    /// default.
    retry_after_exact: Flag |parts, on| parts.retry_after_exact = Some(on);

    /// Whether the calls of a client slow down together when the service refuses some of them: a
    /// common pause, then fewer at once and at the rate that the service takes; off by default.
    retry_adaptive: Flag |parts, on| parts.adaptive = Some(on);
}

/// What the option of a timeout is called behind its name.
const TIMEOUT_MS: &str = "_timeout_ms";

/// The timeout whose option has this name.
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
    /// The options that [`Config::set_options`] takes, but for those that have tables of their own:
    /// [`RetryPolicy::OPTIONS`], the timeouts of [`Timeouts::ALL`], whose names end in `_timeout_ms`
    /// there, and the bounds of [`Limits::ALL`].
    pub const OPTIONS: &'static [NamedOption] = OF_CLIENT;

    /// Sets options from a JSON object, all of them or none: an unknown name, a value of the wrong
    /// kind and a bound that is out of range are refused. What can only be judged together is judged
    /// when a client is made. Headers and parameters of the query are added to those that are set.
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
    /// The options of the retry policy, of a client and of a call; a call sets single parts of it
    /// with them, and keeps the others of its client.
    pub const OPTIONS: &'static [NamedOption] = OF_RETRIES;
}

impl CallOptions {
    /// The options that a call has of its own, but for [`RetryPolicy::OPTIONS`] and the timeouts of
    /// [`Timeouts::ALL`].
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
