//! JSON views of what the library knows, the same for every language: a function for each kind of
//! member, and the JSON of usage and records.
//!
//! Absent values are null. No number exceeds 63 bits.

use std::borrow::Cow;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::answer::bottleneck::Bottleneck;
use crate::answer::error_kind::ErrorKind;
use crate::answer::rate_limits::{RateLimit, RateLimits};
use crate::answer::record::{AttemptRecord, CallRecord, CancelledBy, WaitRecord};
use crate::answer::response::CalledTool;
use crate::answer::usage_sums::{UsageByKey, UsageSum, UsageSums, usage_by_model};
use crate::protocol::choice::Choice;
use crate::protocol::escapes::{quoted, write_str};
use crate::protocol::usage::Usage;

/// A text that may be absent, in any representation.
pub(crate) trait MaybeText {
    fn maybe_text(&self) -> Option<&str>;
}

impl MaybeText for &str {
    fn maybe_text(&self) -> Option<&str> {
        Some(self)
    }
}

impl MaybeText for Option<&str> {
    fn maybe_text(&self) -> Option<&str> {
        *self
    }
}

impl MaybeText for Option<Cow<'_, str>> {
    fn maybe_text(&self) -> Option<&str> {
        self.as_deref()
    }
}

/// An object, written member by member.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Object {
        Object("{".to_owned())
    }

    /// A member whose value is already JSON.
    pub(crate) fn json(mut self, name: &str, value: Option<&str>) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_str(name, &mut self.0);
        self.0.push(':');
        self.0.push_str(value.unwrap_or("null"));
        self
    }

    pub(crate) fn text(self, name: &str, text: impl MaybeText) -> Object {
        self.json(name, text.maybe_text().map(quoted).as_deref())
    }

    /// A text that is always present.
    pub(crate) fn word(self, name: &str, word: &str) -> Object {
        self.text(name, word)
    }

    pub(crate) fn number(self, name: &str, number: impl Into<Option<u64>>) -> Object {
        let number = number.into().map(|number| number.min(i64::MAX as u64).to_string());
        self.json(name, number.as_deref())
    }

    pub(crate) fn milliseconds(self, name: &str, time: impl Into<Option<Duration>>) -> Object {
        let whole = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.number(name, time.into().map(whole))
    }

    /// Milliseconds that are always present.
    pub(crate) fn duration(self, name: &str, time: Duration) -> Object {
        self.milliseconds(name, time)
    }

    /// A clock time in milliseconds since 1970 UTC; null if it is earlier.
    pub(crate) fn unix_ms(self, name: &str, time: Option<SystemTime>) -> Object {
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        self.milliseconds(name, since)
    }

    pub(crate) fn flag(self, name: &str, flag: bool) -> Object {
        self.json(name, Some(if flag { "true" } else { "false" }))
    }

    fn array(self, name: &str, items: impl Iterator<Item = String>) -> Object {
        let items = items.collect::<Vec<_>>().join(",");
        self.json(name, Some(&format!("[{items}]")))
    }

    fn microseconds(self, name: &str, time: impl Into<Option<Duration>>) -> Object {
        let whole = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.number(name, time.into().map(whole))
    }

    fn maybe(self, name: &str, flag: Option<bool>) -> Object {
        match flag {
            Some(flag) => self.flag(name, flag),
            None => self.json(name, None),
        }
    }

    /// An array that may be absent.
    fn list<T>(self, name: &str, items: Option<Vec<T>>, json: impl FnMut(&T) -> String) -> Object {
        match items {
            Some(items) => self.array(name, items.iter().map(json)),
            None => self.json(name, None),
        }
    }

    pub(crate) fn texts(self, name: &str, texts: Option<Vec<String>>) -> Object {
        self.list(name, texts, |text| quoted(text))
    }

    pub(crate) fn headers(self, name: &str, headers: &[(String, String)]) -> Object {
        let header = |(name, value): &(String, String)| {
            Object::new().text("name", &**name).text("value", &**value).finish()
        };
        self.array(name, headers.iter().map(header))
    }

    /// Whole tool calls.
    pub(crate) fn tools(self, name: &str, tools: Option<Vec<CalledTool>>) -> Object {
        self.list(name, tools, |tool| {
            let object = Object::new().text("id", &*tool.id).text("name", &*tool.name);
            object.text("arguments", &*tool.arguments).finish()
        })
    }

    /// The fragments of tool calls in a choice; an empty array if there is no choice.
    pub(crate) fn pieces(self, name: &str, choice: Option<Choice<'_>>) -> Object {
        let pieces = choice.iter().flat_map(Choice::tool_calls).map(|piece| {
            Object::new()
                .number("index", piece.index().map(u64::from))
                .text("id", piece.id())
                .text("name", piece.name())
                .text("arguments", piece.arguments())
                .finish()
        });
        self.array(name, pieces)
    }

    pub(crate) fn usage(self, name: &str, usage: Option<Usage>) -> Object {
        let usage = usage.map(|usage| Object::new().tokens(usage).finish());
        self.json(name, usage.as_deref())
    }

    /// The rate limits of a service; null if there are none.
    pub(crate) fn rate_limits(self, name: &str, limits: Option<RateLimits>) -> Object {
        let one = |limit: &RateLimit| {
            Object::new()
                .number("limit", limit.limit)
                .number("remaining", limit.remaining)
                .milliseconds("reset_ms", limit.reset)
                .finish()
        };
        let told = |limits: RateLimits| {
            let mut others = Object::new();
            for (name, limit) in &limits.others {
                others = others.json(name, Some(&one(limit)));
            }
            Object::new()
                .json("requests", Some(&one(&limits.requests)))
                .json("tokens", Some(&one(&limits.tokens)))
                .json("others", Some(&others.finish()))
                .milliseconds("retry_after_ms", limits.retry_after)
                .finish()
        };
        self.json(name, limits.map(told).as_deref())
    }

    pub(crate) fn record(self, name: &str, record: Option<&CallRecord>) -> Object {
        self.json(name, record.map(CallRecord::to_json).as_deref())
    }

    fn tokens(self, usage: Usage) -> Object {
        usage.counts().fold(self, |object, (name, count)| object.number(name, count))
    }

    fn sum(self, sum: &UsageSum) -> Object {
        self.number("calls", sum.calls)
            .number("calls_without_usage", sum.calls_without_usage)
            .tokens(sum.tokens)
    }

    /// The sum over all models, and for each model.
    fn sums(self, sums: &UsageSums) -> Object {
        let mut all = UsageSum::default();
        let mut models = Object::new();
        for (model, sum) in sums {
            all.add(sum);
            models = models.json(model, Some(&Object::new().sum(sum).finish()));
        }
        self.sum(&all).json("models", Some(&models.finish()))
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

impl CallRecord {
    /// The record as a JSON object, for programs in other languages: members in fixed order, absent
    /// values null. Times are whole microseconds from the start of the call; the start itself is in
    /// milliseconds since 1970 UTC. Without the key (R-AUTH4).
    pub fn to_json(&self) -> String {
        let kind = |kind: Option<ErrorKind>| kind.map(ErrorKind::name);
        let attempt = |attempt: &AttemptRecord| {
            Object::new()
                .microseconds("start_us", attempt.start)
                .text("base_url", attempt.base_url.as_deref())
                .text("address", attempt.address.map(|address| address.to_string()).as_deref())
                .maybe("reused", attempt.reused)
                .microseconds("dns_us", attempt.dns)
                .microseconds("connect_us", attempt.connect)
                .microseconds("tls_us", attempt.tls)
                .microseconds("head_us", attempt.head)
                .microseconds("first_byte_us", attempt.first_byte)
                .microseconds("end_us", attempt.end)
                .number("status", attempt.status.map(u64::from))
                .text("kind", kind(attempt.kind))
                .finish()
        };
        let wait = |wait: &WaitRecord| {
            Object::new()
                .text("reason", wait.reason.name())
                .microseconds("start_us", wait.start)
                .microseconds("length_us", wait.length)
                .finish()
        };
        let micros = |time: &Duration| time.as_micros().to_string();
        Object::new()
            .unix_ms("start_unix_ms", Some(self.start()))
            .text("operation", self.operation().name())
            .text("path", self.path())
            .text("model", self.model())
            .flag("streamed", self.streamed())
            .array("attempts", self.attempts().iter().map(attempt))
            .number("attempts_count", self.attempts_count())
            .array("waits", self.waits().iter().map(wait))
            .number("waits_count", self.waits_count())
            .microseconds("first_chunk_us", self.first_chunk())
            .microseconds("last_chunk_us", self.last_chunk())
            .number("chunks", self.chunks())
            .array("chunk_times_us", self.chunk_times().iter().map(micros))
            .microseconds("consumer_wait_us", self.consumer_wait())
            .microseconds("elapsed_us", self.elapsed())
            .text("bottleneck", self.bottleneck().map(Bottleneck::name))
            .text("kind", kind(self.kind()))
            .number("status", self.status().map(u64::from))
            .text("request_id", self.request_id())
            .text("response_id", self.response_id())
            .text("response_model", self.response_model())
            .text("finish_reason", self.finish_reason())
            .usage("usage", self.usage())
            .text("metered", self.metered().name())
            .number("bytes_out", self.bytes_out())
            .number("bytes_in", self.bytes_in())
            .text("cancelled_by", self.cancelled_by().map(CancelledBy::name))
            .finish()
    }
}

/// The usage of a client's calls as a JSON object, for programs in other languages: the sums over
/// everything, those of each model in `models`, and those of each key, by its id, in `keys`, with its
/// models; `key_id` is the id of the client's own key.
pub fn usage_json(sums: &UsageByKey, key_id: &str) -> String {
    let mut keys = Object::new();
    for (key_id, models) in sums {
        keys = keys.json(key_id, Some(&Object::new().sums(models).finish()));
    }
    let object = Object::new().sums(&usage_by_model(sums));
    object.json("keys", Some(&keys.finish())).text("key_id", key_id).finish()
}

#[cfg(test)]
#[path = "json_view_tests.rs"]
pub(crate) mod tests;
