//! What the library itself says as JSON, so that every language has the same: an error, and what is
//! known of a response, of a chunk and of usage. Knows no language.
//!
//! The members and their order are fixed, and what is absent is null. No number is larger than
//! what 63 bits hold.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::error::Error;
use crate::protocol::choice::Choice;
use crate::protocol::chunk::Chunk;
use crate::protocol::escapes::write_str;
use crate::protocol::usage::Usage;
use crate::response::{CalledTool, Response};
use crate::usage_sums::{UsageSum, UsageSums};

/// An object, written member by member.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn new() -> Object {
        Object("{".to_owned())
    }

    /// A member whose value is JSON already.
    pub(crate) fn json(mut self, name: &str, value: Option<&str>) -> Object {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        write_str(name, &mut self.0);
        self.0.push(':');
        self.0.push_str(value.unwrap_or("null"));
        self
    }

    pub(crate) fn text<'a>(self, name: &str, text: impl Into<Option<&'a str>>) -> Object {
        self.json(name, text.into().map(quoted).as_deref())
    }

    pub(crate) fn number(self, name: &str, number: impl Into<Option<u64>>) -> Object {
        let number = number.into().map(|number| number.min(i64::MAX as u64).to_string());
        self.json(name, number.as_deref())
    }

    pub(crate) fn milliseconds(self, name: &str, time: impl Into<Option<Duration>>) -> Object {
        let whole = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.number(name, time.into().map(whole))
    }

    /// A time of the clock in milliseconds since 1970 UTC; null if it is before that.
    pub(crate) fn unix_ms(self, name: &str, time: Option<SystemTime>) -> Object {
        let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        self.milliseconds(name, since)
    }

    fn flag(self, name: &str, flag: bool) -> Object {
        self.json(name, Some(if flag { "true" } else { "false" }))
    }

    fn array(self, name: &str, items: impl Iterator<Item = String>) -> Object {
        let items = items.collect::<Vec<_>>().join(",");
        self.json(name, Some(&format!("[{items}]")))
    }

    fn headers(self, headers: &[(String, String)]) -> Object {
        let header = |(name, value): &(String, String)| {
            Object::new().text("name", &**name).text("value", &**value).finish()
        };
        self.array("headers", headers.iter().map(header))
    }

    fn usage(self, usage: Option<Usage>) -> Object {
        let usage = usage.map(|usage| Object::new().tokens(usage).finish());
        self.json("usage", usage.as_deref())
    }

    fn tokens(self, usage: Usage) -> Object {
        self.number("input_tokens", usage.input_tokens)
            .number("output_tokens", usage.output_tokens)
            .number("total_tokens", usage.total_tokens)
    }

    fn sum(self, sum: &UsageSum) -> Object {
        self.number("calls", sum.calls)
            .number("calls_without_usage", sum.calls_without_usage)
            .tokens(sum.tokens)
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    write_str(text, &mut quoted);
    quoted
}

impl Error {
    /// Everything that is known of the error as a JSON object, for programs that are not Rust: each
    /// accessor is a member, in one order, and what is absent is null. No key (R-AUTH4).
    pub fn to_json(&self) -> String {
        Object::new()
            .text("kind", self.kind().name())
            .text("message", self.message())
            .text("hint", self.hint())
            .number("http_status", self.status().map(u64::from))
            .text("type", self.error_type())
            .text("code", self.code())
            .text("param", self.param())
            .text("request_id", self.request_id())
            .text("path", self.path())
            .text("model", self.model())
            .text("timeout", self.timeout().map(|phase| phase.name()))
            .text("metered", self.metered().name())
            .text("body", self.body())
            .text("partial", self.partial())
            .headers(self.headers())
            .unix_ms("request_time_unix_ms", self.request_time())
            .number("attempts", u64::from(self.attempts()))
            .milliseconds("elapsed_ms", self.elapsed())
            .milliseconds("retry_after_ms", self.retry_after())
            .finish()
    }
}

impl Response {
    /// What the library knows of the response beside its document, as a JSON object, for programs
    /// that are not Rust: status, headers, how it ended, and what is often read of it.
    pub fn info_json(&self) -> String {
        let tools = self.tool_calls();
        let tool = |tool: &CalledTool| {
            let object = Object::new().text("id", &*tool.id).text("name", &*tool.name);
            object.text("arguments", &*tool.arguments).finish()
        };
        // At the end of a stream that was not gathered nobody looked.
        let is_known = self.document().is_some();
        let list = |object: Object, name, items: Vec<String>| match is_known {
            true => object.array(name, items.into_iter()),
            false => object.text(name, None::<&str>),
        };
        let object = Object::new()
            .number("http_status", u64::from(self.head().status()))
            .text("request_id", self.head().request_id())
            .number("attempts", u64::from(self.attempts()))
            .milliseconds("elapsed_ms", self.elapsed())
            .text("end", self.end().name())
            .flag("is_gathered", self.is_gathered())
            .text("finish_reason", self.finish_reason().as_deref())
            .usage(self.usage());
        let object = list(object, "tool_calls", tools.iter().map(tool).collect());
        let models = self.model_ids().iter().map(|id| quoted(id)).collect();
        list(object, "models", models).headers(self.head().headers()).finish()
    }
}

impl Chunk {
    /// What the library knows of the chunk beside its text, as a JSON object, for programs that are
    /// not Rust; the tool calls are those of the first choice.
    pub fn info_json(&self) -> String {
        let choice = self.choices().next();
        let tools = choice.iter().flat_map(Choice::tool_calls).map(|tool| {
            Object::new()
                .number("index", tool.index().map(u64::from))
                .text("id", tool.id().as_deref())
                .text("name", tool.name().as_deref())
                .text("arguments", tool.arguments().as_deref())
                .finish()
        });
        Object::new()
            .text("name", self.event())
            .text("finish_reason", self.finish_reason().as_deref())
            .usage(self.usage())
            .array("tool_calls", tools)
            .finish()
    }
}

/// What the calls of a client used as a JSON object, for programs that are not Rust: the sums over
/// all models, and those of each model below `models`.
pub fn usage_json(sums: &UsageSums) -> String {
    let mut all = UsageSum::default();
    sums.values().for_each(|sum| all.add(sum));
    let mut models = Object::new();
    for (model, sum) in sums {
        models = models.json(model, Some(&Object::new().sum(sum).finish()));
    }
    Object::new().sum(&all).json("models", Some(&models.finish())).finish()
}

#[cfg(test)]
#[path = "texts_tests.rs"]
mod tests;
