//! Checks of answers: whether one was cut at its token limit, is a refusal, or does not match the schema
//! that its row asks for. Pure.

mod effort;
mod schemas;

use std::borrow::Cow;
use std::str::FromStr;

use modelwire::{Document, Endpoint, Value};
use serde_json::json;

pub use self::schemas::{SCHEMAS_BYTES_MAX, SCHEMAS_MAX, Schemas};

/// The maximum characters of a reason: answers and schemas may be of any length.
const REASON_CHARS_MAX: usize = 500;

/// What is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// It is complete: no choice ended at its token limit.
    Length,
    /// No choice is a refusal or was cut by a content filter.
    Refusal,
    /// It matches the `response_format`, of a response the `text.format`, of its row.
    Schema,
    /// A function of the program accepts it.
    Function,
}

impl Check {
    /// Those with a name; the others are functions of a program.
    pub const NAMED: [Check; 3] = [Check::Schema, Check::Length, Check::Refusal];

    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Check::Length => "length",
            Check::Refusal => "refusal",
            Check::Schema => "schema",
            Check::Function => "function",
        }
    }

    /// The kind of the error of an answer that fails it.
    pub fn kind(self) -> &'static str {
        match self {
            Check::Length => "check_length",
            Check::Refusal => "check_refusal",
            Check::Schema => "check_schema",
            Check::Function => "check_function",
        }
    }

    /// What to do about an answer that fails it.
    pub fn hint(self) -> &'static str {
        match self {
            Check::Length => "Raise or remove the limit of output tokens, or ask for less.",
            Check::Refusal => "Reword the request.",
            Check::Schema => {
                "Ask again, describe the form in the prompt, or use a model that follows schemas."
            }
            Check::Function => "Ask again, or correct the request or the check.",
        }
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(name: &str) -> Result<Check, String> {
        let named = Check::NAMED.into_iter().find(|check| check.name() == name);
        named.ok_or_else(|| format!("unknown check {name:?}: it is schema, length or refusal"))
    }
}

/// Why an answer is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The check that it failed.
    pub check: Check,
    /// What is wrong with it.
    pub reason: String,
}

impl Rejection {
    /// With a bounded reason.
    pub fn new(check: Check, reason: impl Into<String>) -> Rejection {
        let mut reason = reason.into();
        if let Some((end, _)) = reason.char_indices().nth(REASON_CHARS_MAX) {
            reason.truncate(end);
            reason.push('…');
        }
        Rejection { check, reason }
    }

    /// The message of the error: the check and the reason.
    pub fn message(&self) -> String {
        format!("the answer failed the check {}: {}", self.check.name(), self.reason)
    }

    /// The error in the results.
    pub fn to_json(&self) -> String {
        let (kind, message, hint) = (self.check.kind(), self.message(), self.check.hint());
        json!({"kind": kind, "message": message, "hint": hint, "metered": "entered"}).to_string()
    }
}

/// The checks of a job.
#[derive(Debug, Default)]
pub struct Checks {
    length: bool,
    refusal: bool,
    schemas: Option<Schemas>,
}

impl Checks {
    /// Those of this list; a function is not among them.
    pub fn new(checks: &[Check]) -> Checks {
        Checks {
            length: checks.contains(&Check::Length),
            refusal: checks.contains(&Check::Refusal),
            schemas: checks.contains(&Check::Schema).then(Schemas::default),
        }
    }

    /// Why the answer to this request is not accepted: the first check that one of its choices fails.
    pub fn judge(
        &mut self,
        endpoint: Endpoint,
        body: &str,
        answer: &Document,
    ) -> Option<Rejection> {
        if !self.length && !self.refusal && self.schemas.is_none() {
            return None;
        }
        let choices = match endpoint {
            Endpoint::Responses => vec![Choice::of_response(answer)],
            Endpoint::Chat | Endpoint::Models => answer.choices().map(Choice::of_chat).collect(),
        };
        let is_one = choices.len() == 1;
        let failed = |check, index: usize, reason: String| match is_one {
            true => Some(Rejection::new(check, reason)),
            false => Some(Rejection::new(check, format!("choice {index}: {reason}"))),
        };
        for (index, choice) in choices.iter().enumerate() {
            if self.length && choice.is_cut() {
                return failed(Check::Length, index, "it ended at its token limit".to_owned());
            }
            if self.refusal
                && let Some(reason) = choice.refused()
            {
                return failed(Check::Refusal, index, reason);
            }
        }
        let form = self.schemas.as_mut()?.form(endpoint, body).ok()?;
        for (index, choice) in choices.iter().enumerate() {
            let fault = match &choice.text {
                None if choice.calls_tools => None,
                text => form.fault(text.as_deref().unwrap_or_default()),
            };
            if let Some(fault) = fault {
                return failed(Check::Schema, index, fault);
            }
        }
        None
    }
}

/// One choice of a chat, or a response.
struct Choice<'a> {
    /// `None` if it has none, or an empty one.
    text: Option<Cow<'a, str>>,
    calls_tools: bool,
    /// The finish reason of a chat; of a response, why it is incomplete.
    end: Option<Cow<'a, str>>,
    refusal: Option<Cow<'a, str>>,
}

impl<'a> Choice<'a> {
    fn of_chat(choice: modelwire::Choice<'a>) -> Choice<'a> {
        Choice {
            text: choice.content().filter(|text| !text.is_empty()),
            calls_tools: choice.tool_calls().next().is_some(),
            end: choice.finish_reason(),
            refusal: choice.said().get("refusal").and_then(Value::as_str),
        }
    }

    fn of_response(answer: &'a Document) -> Choice<'a> {
        let value = answer.value();
        let text = |value: Value<'a>, name| value.get(name).and_then(Value::as_str);
        let output = value.get("output").map(Value::items).unwrap_or_default();
        let refusal = |item: &Value<'a>| {
            let parts = item.get("content").map(Value::items).unwrap_or_default();
            parts.into_iter().find_map(|part| text(part, "refusal"))
        };
        let is_call =
            |item: &Value<'a>| text(*item, "type").is_some_and(|kind| kind.ends_with("_call"));
        Choice {
            text: Some(answer.text()).filter(|text| !text.is_empty()),
            calls_tools: output.iter().any(is_call),
            end: value.pointer("/incomplete_details/reason").and_then(Value::as_str),
            refusal: output.iter().find_map(refusal),
        }
    }

    fn is_cut(&self) -> bool {
        matches!(self.end.as_deref(), Some("length" | "max_output_tokens"))
    }

    fn refused(&self) -> Option<String> {
        if self.end.as_deref() == Some("content_filter") {
            return Some("a content filter cut it".to_owned());
        }
        let said = self.refusal.as_deref().filter(|said| !said.is_empty())?;
        Some(format!("the model declined: {said}"))
    }
}

#[cfg(test)]
#[path = "checks_tests.rs"]
mod tests;
