//! The rate limits in the headers of an answer: the total, the remainder, and the time of the reset.
//!
//! Services write them in many ways. None is an error: a limit that cannot be parsed is absent.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The maximum number of other limits by name; headers with more are ignored.
pub const OTHER_LIMITS_MAX: usize = 32;

/// A longer time than this is not a reset time but a mistake.
const RESET_MAX: Duration = Duration::from_secs(3660 * 86_400);

/// A plain number from this value on is a clock time, in seconds since 1970 UTC; from `CLOCK_MS_MIN`
/// on, in milliseconds.
const CLOCK_SECONDS_MIN: f64 = 1e9;
const CLOCK_MS_MIN: f64 = 1e12;

/// One rate limit of a service, as far as it reports it.
///
/// ```
/// use std::time::Duration;
/// use modelwire::{RateLimit, parse};
///
/// let headers = [("limit", "60"), ("remaining", "0"), ("reset", "1m30s")];
/// let headers = headers.map(|(part, value)| (format!("x-ratelimit-{part}-tokens"), value.to_owned()));
/// let RateLimit { limit, remaining, reset, .. } = parse::rate_limits(&headers).unwrap_or_default().tokens;
/// assert_eq!((limit, remaining, reset), (Some(60), Some(0), Some(Duration::from_secs(90))));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimit {
    /// The total.
    pub limit: Option<u64>,
    /// The remainder.
    pub remaining: Option<u64>,
    /// The time from the answer until the full reset; zero if it has passed.
    pub reset: Option<Duration>,
}

/// The rate limits in the headers of an answer: `x-ratelimit-...` and the same with other prefixes,
/// `RateLimit` of the IETF draft, `retry-after`.
///
/// ```
/// use std::time::Duration;
///
/// let headers =
///     [("x-ratelimit-limit-requests", "60"), ("x-ratelimit-limit-images", "5"), ("retry-after", "2")];
/// let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
/// let limits = modelwire::parse::rate_limits(&headers).unwrap_or_default();
/// assert_eq!(limits.requests.limit, Some(60));
/// assert_eq!(limits.others["images"].limit, Some(5));
/// assert_eq!(limits.retry_after, Some(Duration::from_secs(2)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RateLimits {
    /// Of requests, or unspecified in the headers.
    pub requests: RateLimit,
    /// Of tokens.
    pub tokens: RateLimit,
    /// Other limits by name, `input_tokens` for instance; at most [`OTHER_LIMITS_MAX`].
    pub others: BTreeMap<String, RateLimit>,
    /// How long the service asks the client to wait: `retry-after-ms` or `retry-after`.
    pub retry_after: Option<Duration>,
}

/// A header's part of a limit.
#[derive(Clone, Copy)]
enum Part {
    Limit,
    Remaining,
    Reset,
}

impl RateLimits {
    /// The rate limits in these headers; `None` if there are none. Clock times are counted from the
    /// answer's own `date`, or from now without one.
    pub(crate) fn read(headers: &[(String, String)], now: SystemTime) -> Option<RateLimits> {
        let find =
            |wanted: &str| headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
        let header = |name: &str| find(name).map(|(_, value)| value.as_str());
        let from = sent_at(header).unwrap_or(now);
        let mut limits =
            RateLimits { retry_after: retry_after(header, now), ..RateLimits::default() };
        for (name, value) in headers {
            let name = name.to_ascii_lowercase().replace("rate-limit", "ratelimit");
            match name.as_str() {
                "ratelimit" | "ratelimit-policy" => limits.take_fields(value),
                name => {
                    if let Some((of, part)) = named(name) {
                        limits.put(&of, part, value, from);
                    }
                }
            }
        }
        (limits != RateLimits::default()).then_some(limits)
    }

    fn put(&mut self, of: &str, part: Part, value: &str, from: SystemTime) {
        let (number, time) = match part {
            Part::Limit | Part::Remaining => (count(value), None),
            Part::Reset => (None, reset(value, from)),
        };
        if number.is_none() && time.is_none() {
            return;
        }
        let Some(limit) = self.of(of) else { return };
        match part {
            Part::Limit => limit.limit = number,
            Part::Remaining => limit.remaining = number,
            Part::Reset => limit.reset = time,
        }
    }

    /// The limit of this name; `None` where there are too many others.
    fn of(&mut self, name: &str) -> Option<&mut RateLimit> {
        match name {
            "" | "requests" => Some(&mut self.requests),
            "tokens" => Some(&mut self.tokens),
            name => {
                let is_full = self.others.len() >= OTHER_LIMITS_MAX;
                if is_full && !self.others.contains_key(name) {
                    return None;
                }
                Some(self.others.entry(name.to_owned()).or_default())
            }
        }
    }

    /// The draft's fields: `"name";r=1;t=2` and `"name";q=3`, and `limit=3, remaining=1, reset=2` of an
    /// earlier draft.
    fn take_fields(&mut self, value: &str) {
        for item in value.split(',') {
            let mut parts = item.split(';').map(str::trim);
            let name = parts.next().unwrap_or_default();
            let (of, first) = match name.split_once('=') {
                Some(_) => (String::new(), Some(name)),
                None => (plain_name(name.trim_matches('"')), None),
            };
            for part in first.into_iter().chain(parts) {
                let Some((key, value)) = part.split_once('=') else { continue };
                let part = match key.trim() {
                    "q" | "limit" => Part::Limit,
                    "r" | "remaining" => Part::Remaining,
                    "t" | "reset" => Part::Reset,
                    _ => continue,
                };
                self.put(&of, part, value, UNIX_EPOCH);
            }
        }
    }
}

/// When the service sent an answer, by its own clock, which may not be the client's.
fn sent_at<'a>(header: impl Fn(&str) -> Option<&'a str>) -> Option<SystemTime> {
    httpdate::parse_http_date(header("date")?.trim()).ok()
}

/// How long the service asks the client to wait: `retry-after-ms`, or `Retry-After` in seconds or as a
/// date (RFC 9110 section 10.2.3), which is counted from the answer's own `date`, or from now without one.
pub(crate) fn retry_after<'a>(
    header: impl Fn(&str) -> Option<&'a str>,
    now: SystemTime,
) -> Option<Duration> {
    // A number that is too large for any clock is still a wait, longer than every limit.
    let too_large = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some(text) = header("retry-after-ms").map(str::trim) {
        match text.parse() {
            Ok(ms) => return Some(Duration::from_millis(ms)),
            Err(_) if too_large(text) => return Some(Duration::MAX),
            Err(_) => {}
        }
    }
    let text = header("retry-after")?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        let wait = Duration::try_from_secs_f64(seconds).ok();
        return wait.or(too_large(text).then_some(Duration::MAX));
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(sent_at(header).unwrap_or(now)).unwrap_or_default())
}

/// A name in the style of JSON members: lower case with underscores.
fn plain_name(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    name.chars().map(plain).collect()
}

/// The limit and the part that a header reports: `x-ratelimit-limit-tokens` and
/// `vendor-ratelimit-tokens-limit`.
fn named(header: &str) -> Option<(String, Part)> {
    let (before, rest) = header.split_once("ratelimit-")?;
    if !(before.is_empty() || before.ends_with('-')) {
        return None;
    }
    let parts = [("limit", Part::Limit), ("remaining", Part::Remaining), ("reset", Part::Reset)];
    parts.into_iter().find_map(|(word, part)| {
        let of = rest
            .strip_prefix(word)
            .and_then(|of| of.strip_prefix('-').or(of.is_empty().then_some("")));
        let of = of.or_else(|| rest.strip_suffix(word)?.strip_suffix('-'))?;
        Some((plain_name(of), part))
    })
}

/// A number of requests or tokens; text after a comma or a semicolon describes it.
fn count(text: &str) -> Option<u64> {
    let text = text.split([',', ';']).next()?.trim();
    let whole = text.split_once('.').map_or(text, |(whole, _)| whole);
    let is_number =
        !whole.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_number { whole.parse().ok() } else { None }
}

/// A time to wait: `6m0s`, seconds, a clock time in seconds or milliseconds since 1970, or a date.
fn reset(text: &str, from: SystemTime) -> Option<Duration> {
    let text = text.trim();
    let until = |time: SystemTime| Some(time.duration_since(from).unwrap_or_default());
    let seconds = |number: f64| Duration::try_from_secs_f64(number).ok();
    let number = || {
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_plain { text.parse::<f64>().ok() } else { None }
    };
    let found = match number() {
        Some(number) if number >= CLOCK_MS_MIN => {
            until(UNIX_EPOCH.checked_add(seconds(number / 1000.0)?)?)
        }
        Some(number) if number >= CLOCK_SECONDS_MIN => {
            until(UNIX_EPOCH.checked_add(seconds(number)?)?)
        }
        Some(number) => seconds(number),
        None => duration(text)
            .or_else(|| until(date(text)?))
            .or_else(|| until(httpdate::parse_http_date(text).ok()?)),
    };
    found.filter(|time| *time <= RESET_MAX)
}

/// `1h2m`, `6m0s`, `1.5s`, `20ms`: numbers with units, for the whole text.
fn duration(text: &str) -> Option<Duration> {
    if text.is_empty() {
        return None;
    }
    let (mut rest, mut sum) = (text, Duration::ZERO);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, behind) = rest.split_at(end);
        let end = behind.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(behind.len());
        let (unit, next) = behind.split_at(end);
        let seconds = match unit.trim() {
            "d" => 86_400.0,
            "h" => 3600.0,
            "m" => 60.0,
            "s" => 1.0,
            "ms" => 1e-3,
            "us" | "µs" => 1e-6,
            "ns" => 1e-9,
            _ => return None,
        };
        let more = Duration::try_from_secs_f64(number.parse::<f64>().ok()? * seconds).ok()?;
        (sum, rest) = (sum.checked_add(more)?, next);
    }
    Some(sum)
}

/// A date of RFC 3339: `2026-01-02T03:04:05.5Z`, possibly with an offset instead of the `Z`.
fn date(text: &str) -> Option<SystemTime> {
    let digits = |range: std::ops::Range<usize>| {
        let part = text.get(range).filter(|part| part.bytes().all(|byte| byte.is_ascii_digit()))?;
        part.parse::<i64>().ok()
    };
    let is = |at: usize, one_of: &[u8]| {
        text.as_bytes().get(at).is_some_and(|byte| one_of.contains(byte))
    };
    let shape = is(4, b"-") && is(7, b"-") && is(10, b"Tt ") && is(13, b":") && is(16, b":");
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let (hour, minute, second) = (digits(11..13)?, digits(14..16)?, digits(17..19)?);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    if !(shape && is_date && hour < 24 && minute < 60 && second <= 60) {
        return None;
    }
    let rest = text.get(19..)?;
    let zone = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
    let (fraction, zone) = rest.split_at_checked(zone)?;
    let fraction =
        if fraction.is_empty() { 0.0 } else { format!("0{fraction}").parse::<f64>().ok()? };
    let offset = match zone.as_bytes() {
        b"Z" | b"z" => 0,
        [sign @ (b'+' | b'-'), ..] if zone.len() == 6 && zone.get(3..4) == Some(":") => {
            let part = |range: std::ops::Range<usize>| zone.get(range)?.parse::<u8>().ok();
            let minutes = i64::from(part(1..3)?) * 60 + i64::from(part(4..6)?);
            if *sign == b'-' { -minutes } else { minutes }
        }
        _ => return None,
    };
    // Days of the Gregorian calendar, in years that begin with March: a leap day is their last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let of_years = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let days = of_years + (153 * month + 2) / 5 + day - 1 - 719_468;
    let seconds = days * 86_400 + hour * 3600 + (minute - offset) * 60 + second;
    let whole = UNIX_EPOCH.checked_add(Duration::from_secs(u64::try_from(seconds).ok()?))?;
    whole.checked_add(Duration::try_from_secs_f64(fraction).ok()?)
}

#[cfg(test)]
#[path = "rate_limits_tests.rs"]
mod tests;
