//! The options of a client by name, with values as JSON: what bindings set them by, so that a new
//! option reaches every language with its row here. Knows no language.

use std::time::Duration;

use crate::bounds::Limits;
use crate::config::Config;
use crate::error::{Error, Result};
use crate::protocol::value::{Kind, Value};
use crate::timeouts::{Timeout, Timeouts};

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionKind {
    /// A string.
    Text,
    /// `true` or `false`.
    Flag,
    /// A whole number that is not negative.
    Count,
    /// A whole number of milliseconds; of a timeout `null` is off.
    Milliseconds,
    /// A number from 0 to 1.
    Part,
    /// An array of status numbers.
    Statuses,
    /// An object of strings.
    Headers,
}

/// One option of a client, for bindings.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ConfigOption {
    /// Its name in the JSON of [`Config::set_options`].
    pub name: &'static str,
    /// What it takes.
    pub kind: OptionKind,
    /// What it does.
    pub doc: &'static str,
}

/// What an option was given.
enum Given {
    Text(String),
    Flag(bool),
    Count(u64),
    Milliseconds(Duration),
    Part(f64),
    Statuses(Vec<u16>),
    Headers(Vec<(String, String)>),
}

impl OptionKind {
    /// What a value of the wrong kind is told.
    fn takes(self) -> &'static str {
        match self {
            OptionKind::Text => "a string",
            OptionKind::Flag => "true or false",
            OptionKind::Count => "a whole number",
            OptionKind::Milliseconds => "a whole number of milliseconds",
            OptionKind::Part => "a number from 0 to 1",
            OptionKind::Statuses => "an array of status numbers",
            OptionKind::Headers => "an object of strings",
        }
    }

    fn read(self, value: Value<'_>) -> Option<Given> {
        let count = || value.as_i64().and_then(|count| u64::try_from(count).ok());
        Some(match self {
            OptionKind::Text => Given::Text(value.as_str()?.into_owned()),
            OptionKind::Flag => Given::Flag(value.as_bool()?),
            OptionKind::Count => Given::Count(count()?),
            OptionKind::Milliseconds => Given::Milliseconds(Duration::from_millis(count()?)),
            OptionKind::Part => {
                Given::Part(value.as_f64().filter(|part| (0.0..=1.0).contains(part))?)
            }
            OptionKind::Statuses if value.kind() == Kind::Array => {
                let status = |item: Value<'_>| u16::try_from(item.as_i64()?).ok();
                Given::Statuses(value.items().into_iter().map(status).collect::<Option<_>>()?)
            }
            OptionKind::Headers if value.kind() == Kind::Object => {
                let members = value.members().into_iter();
                let pair = |(name, value): (_, Value<'_>)| {
                    Some((String::from(name), value.as_str()?.into()))
                };
                Given::Headers(members.map(pair).collect::<Option<_>>()?)
            }
            OptionKind::Statuses | OptionKind::Headers => return None,
        })
    }
}

/// A row is a name, what it takes and what it does; limits and timeouts have tables of their own.
macro_rules! options {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $kind:ident |$config:ident, $given:ident| $set:expr;
    )+) => {
        /// The options that stand in no other table.
        const OWN: &[ConfigOption] = &[$(ConfigOption {
            name: stringify!($name),
            kind: OptionKind::$kind,
            doc: concat!($($doc),+).trim_ascii(),
        },)+];

        /// Sets an option of this table; `None` if it is of no other kind.
        fn set_own(name: &str, given: Given, config: Config) -> Option<Config> {
            match (name, given) {
                $((stringify!($name), Given::$kind($given)) => {
                    #[allow(unused_mut, reason = "builders take it whole")]
                    let mut $config = config;
                    Some($set)
                })+
                _ => None,
            }
        }
    };
}

options! {
    /// Where the service is, `https://host/v1` for instance.
    base_url: Text |config, url| config.base_url(url);

    /// The API key, without the word `Bearer`.
    api_key: Text |config, key| config.api_key(key);

    /// Headers to send with every request.
    headers: Headers |config, headers| {
        headers.into_iter().fold(config, |config, (name, value)| config.header(name, value))
    };

    /// A proxy for every call, `http://host:port` or `socks5h://host:port`; empty for none, whatever
    /// the environment says.
    proxy: Text |config, url| if url.is_empty() { config.no_proxy() } else { config.proxy(url) };

    /// Certificates of authorities in PEM form that are trusted beside the system's.
    ca_pem: Text |config, pem| config.add_ca_pem(pem);

    /// A client certificate, its chain and its private key, together in PEM form.
    client_certificate_pem: Text |config, pem| config.client_certificate_pem(pem);

    /// Offers HTTP/2 to an https service; off by default.
    http2: Flag |config, on| config.http2(on);

    /// Lets every plain call stream underneath, for models that answer only by streaming; off by
    /// default.
    stream_only: Flag |config, on| config.stream_only(on);

    /// Whether comments and keep-alives put the idle timeout off as well; off by default.
    pings_reset_idle: Flag |config, on| { config.timeouts_mut().pings_reset_idle = on; config };

    /// Most retries of one call; 3 by default, 0 switches retrying off.
    retries_max: Count |config, count| {
        config.retry_mut().retries_max = u32::try_from(count).unwrap_or(u32::MAX);
        config
    };

    /// The wait before the first retry, doubled for each further one; 500 ms by default.
    retry_first_wait_ms: Milliseconds |config, wait| { config.retry_mut().first_wait = wait; config };

    /// The doubling of waits stops here; 8 s by default.
    retry_wait_max_ms: Milliseconds |config, wait| { config.retry_mut().wait_max = wait; config };

    /// The statuses that are tried again; 429 by default.
    retry_statuses: Statuses |config, statuses| { config.retry_mut().statuses = statuses; config };

    /// Whether a call is tried again of which nothing was sent; off by default.
    retry_connect_errors: Flag |config, on| { config.retry_mut().connect_errors = on; config };

    /// Whether a call is tried again whose connection was lost after something of it was sent, which
    /// may be metered twice then; off by default.
    retry_lost_connections: Flag |config, on| { config.retry_mut().lost_connections = on; config };

    /// Whether a call is tried again whose answer did not begin within its first-byte timeout, which
    /// may be metered twice then; off by default.
    retry_first_byte_timeouts: Flag |config, on| { config.retry_mut().first_byte_timeouts = on; config };

    /// How much is added to a wait by chance, as a part of it; 0.25 by default.
    retry_jitter: Part |config, part| { config.retry_mut().jitter = part; config };

    /// Longest `Retry-After` that is waited for; 60 s by default.
    retry_after_max_ms: Milliseconds |config, wait| { config.retry_mut().retry_after_max = wait; config };

    /// Whether a `Retry-After` takes the place of the policy's wait also where it is shorter; off by
    /// default.
    retry_after_exact: Flag |config, on| { config.retry_mut().retry_after_exact = on; config };

    /// Whether the calls of a client slow down together when the service refuses some of them: a
    /// common pause, then fewer at once and at the rate that the service takes; off by default.
    retry_adaptive: Flag |config, on| { config.retry_mut().adaptive = on; config };
}

/// What the option of a timeout is called behind its name.
const TIMEOUT_MS: &str = "_timeout_ms";

impl Config {
    /// Every option that [`Config::set_options`] takes, but for the timeouts of [`Timeouts::ALL`],
    /// whose names end in `_timeout_ms` there, and the bounds of [`Limits::ALL`].
    pub const OPTIONS: &'static [ConfigOption] = OWN;

    /// Sets options from a JSON object, all of them or none: an unknown name, a value of the wrong
    /// kind and a bound that is out of range are refused. What can only be judged together is judged
    /// when a client is made.
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
        let options = Value::parse(json)
            .map_err(|cause| Error::config(format!("the options are not JSON: {cause}")))?;
        if options.kind() != Kind::Object {
            return Err(Error::config("the options are JSON, but not an object"));
        }
        let mut config = self.clone();
        for (name, value) in options.members() {
            config = config.with_option(&name, value)?;
        }
        *self = config;
        Ok(())
    }

    /// Nothing of a value is shown: it may be the key.
    fn with_option(mut self, name: &str, value: Value<'_>) -> Result<Config> {
        let refused = |kind: OptionKind| Error::config(format!("{name} takes {}", kind.takes()));
        let read = |kind: OptionKind| kind.read(value).ok_or_else(|| refused(kind));
        let timeout = |timeout: &&Timeout| name.strip_suffix(TIMEOUT_MS) == Some(timeout.name);
        if let Some(timeout) = Timeouts::ALL.iter().find(timeout) {
            let time = match value.is_null() {
                true => None,
                false => match read(OptionKind::Milliseconds)? {
                    Given::Milliseconds(time) => Some(time),
                    _ => return Err(refused(OptionKind::Milliseconds)),
                },
            };
            self.timeouts_mut().set(timeout.phase, time)?;
            return Ok(self);
        }
        if Limits::ALL.iter().any(|limit| limit.name == name) {
            let Given::Count(count) = read(OptionKind::Count)? else {
                return Err(refused(OptionKind::Count));
            };
            self.limits_mut().set(name, usize::try_from(count).unwrap_or(usize::MAX))?;
            return Ok(self);
        }
        let Some(option) = OWN.iter().find(|option| option.name == name) else {
            let own = OWN.iter().map(|option| option.name.to_owned());
            let timeouts = Timeouts::ALL.iter().map(|timeout| timeout.name.to_owned() + TIMEOUT_MS);
            let limits = Limits::ALL.iter().map(|limit| limit.name.to_owned());
            let known: Vec<_> = own.chain(timeouts).chain(limits).collect();
            let hint = format!("There are {}.", known.join(", "));
            return Err(Error::config(format!("there is no option {name:?}")).with_hint(hint));
        };
        set_own(name, read(option.kind)?, self).ok_or_else(|| refused(option.kind))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;
    use crate::retry_policy::RetryPolicy;

    fn set(json: &str) -> Result<Config> {
        let mut config = Config::new();
        config.set_options(json).map(|()| config)
    }

    #[test]
    fn options_are_set_by_name() {
        let config = set(r#"{"base_url":"http://h/v1","api_key":"sk-test","headers":{"x-a":"b"},
            "idle_timeout_ms":5,"connect_timeout_ms":null,"headers_max":7,"retry_statuses":[429,503],
            "retries_max":9,"retry_first_wait_ms":0,"retry_jitter":0.5,"retry_connect_errors":true,
            "retry_lost_connections":true,"retry_after_max_ms":1000,"retry_adaptive":true,
            "retry_wait_max_ms":3000,"retry_first_byte_timeouts":true,"retry_after_exact":true,
            "pings_reset_idle":true,"stream_only":true}"#)
        .unwrap();
        let settings = config.validate().unwrap();
        assert_eq!(settings.base_url.as_str(), "http://h/v1");
        assert_eq!(settings.headers, [("x-a".to_owned(), "b".to_owned())]);
        assert!(settings.stream_only && !settings.http2);
        let idle = Timeouts::default().idle(Duration::from_millis(5)).connect(None);
        assert_eq!(settings.timeouts, idle.pings_reset_idle(true));
        assert_eq!(settings.limits, Limits::default().headers_max(7));
        let retry = RetryPolicy::default().retries_max(9).first_wait(Duration::ZERO).jitter(0.5);
        let retry = retry.statuses(vec![429, 503]).connect_errors(true).lost_connections(true);
        let retry = retry.adaptive(true).wait_max(Duration::from_secs(3));
        let retry = retry.first_byte_timeouts(true).retry_after_exact(true);
        assert_eq!(settings.retry, retry.retry_after_max(Duration::from_secs(1)));
    }

    /// Every option refuses what is of no kind that it takes, and shows nothing of it.
    #[test]
    fn a_value_of_the_wrong_kind_is_refused_and_not_shown() {
        let timeouts = Timeouts::ALL.iter().map(|timeout| timeout.name.to_owned() + TIMEOUT_MS);
        let limits = Limits::ALL.iter().map(|limit| limit.name.to_owned());
        let own = OWN.iter().map(|option| option.name.to_owned());
        for name in own.chain(timeouts).chain(limits) {
            for wrong in [r#"["sk-secret"]"#, r#"{"sk-secret":7}"#, "-1.5"] {
                let error = set(&format!(r#"{{"{name}":{wrong}}}"#)).unwrap_err();
                assert!(error.message().starts_with(&format!("{name} takes ")), "{error}");
                assert!(!error.report().contains("secret"), "{error:?}");
            }
        }
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut config = set(r#"{"headers_max":7}"#).unwrap();
        for json in [
            r#"{"headers_max":8,"events_max":1}"#,
            r#"{"headers_max":8,"event_bytes_max":0}"#,
            r#"{"headers_max":8,"idle_timeout_ms":0}"#,
            r#"{"headers_max":8,"http2":1}"#,
            "[]",
            "{",
        ] {
            let before = format!("{config:?}");
            config.set_options(json).unwrap_err();
            assert_eq!(format!("{config:?}"), before, "{json}");
        }
        let error = config.set_options(r#"{"event_max":1}"#).unwrap_err();
        assert!(error.hint().contains("event_bytes_max") && error.hint().contains("http2"));
    }

    /// A part of the retry policy without an option would be out of reach of bindings.
    #[test]
    fn every_part_of_the_retry_policy_has_its_option() {
        for part in RetryPolicy::NAMES {
            let found = OWN.iter().any(|option| {
                let name = option.name.trim_end_matches("_ms");
                name == *part || name == format!("retry_{part}")
            });
            assert!(found, "no option for RetryPolicy::{part}");
        }
    }
}
