//! Judges an answer by the specification, the rules and the WHATWG event-stream grammar, and shares no
//! code with the core. A verdict that lists several outcomes is one that the rules leave open.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::events::{Item, items, json};
use crate::messages::{first_message, first_said, message, one_line, text_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Models,
    Chat,
    Response,
}

/// What arrived of an answer; `choices` is how many the request asked for.
pub struct Answer<'a> {
    pub operation: Operation,
    pub is_streamed: bool,
    pub choices: usize,
    pub status: u16,
    pub content_type: Option<&'a str>,
    pub body: &'a [u8],
    pub is_cut: bool,
}

/// Possible outcomes, the text that the caller sees unless it is open, and the error's message where it is
/// unambiguous.
#[derive(Debug, Default)]
pub struct Verdict {
    pub outcomes: Vec<&'static str>,
    pub text: Option<String>,
    pub message: Option<String>,
}

fn says(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(is_true) => *is_true,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(_) => true,
    }
}

fn has_choice(value: &Value) -> bool {
    value["choices"].as_array().is_some_and(|all| all.iter().any(Value::is_object))
}

fn is_answer(operation: Operation, value: &Value) -> bool {
    match operation {
        Operation::Models => value.is_array() || value["data"].is_array(),
        Operation::Chat => has_choice(value),
        Operation::Response => value["output"].is_array() || value["object"] == "response",
    }
}

/// Whether it is a part of a streamed answer; no list of models is streamed.
fn is_part(value: &Value) -> bool {
    has_choice(value) || value["type"].as_str().is_some_and(|kind| kind.starts_with("response."))
}

/// docs/errors.md, "Answer or error"; `event` is the name of the event, if it is one.
fn is_error(value: &Value, is_answer: bool, event: Option<&str>) -> bool {
    if event == Some("error") || value["error"] != Value::Null && says(&value["error"]) {
        return event.is_some() || !is_answer;
    }
    let said = |names: &[&str]| names.iter().any(|name| says(&value[*name]));
    let kind = value["type"].as_str();
    let is_flat = (first_said(value, &["message", "msg"]).is_some() || says(&value["detail"]))
        && kind.is_none_or(|kind| kind.ends_with("error"))
        && ["choices", "delta", "usage", "output", "response"]
            .iter()
            .all(|name| value[*name].is_null())
        && event.map_or(value["data"].is_null(), |name| ["", "message"].contains(&name));
    let is_named = value["object"] == "error" || kind == Some("error") || value["success"] == false;
    let is_coded = said(&["error_code", "error_msg", "error_message", "errors"]);
    value.is_object() && !is_answer && (is_named || is_coded || is_flat)
}

fn verdict(outcomes: &[&'static str], text: Option<String>) -> Verdict {
    Verdict { outcomes: outcomes.to_vec(), text, message: None }
}

/// The events that end the stream of a response.
const ENDS: [&str; 3] = ["response.completed", "response.failed", "response.incomplete"];

/// The pieces of text that a stream's parts add up to, by choice, and in the order of the stream.
#[derive(Default)]
struct Texts {
    streamed: String,
    choices: BTreeMap<i64, String>,
    /// Of the response object that a last event carries.
    last: Option<String>,
    /// An earlier event carries output, or a piece is of another place than the first: what the whole
    /// answer makes of it is open.
    is_open: bool,
    finished: BTreeSet<i64>,
    is_begun: bool,
}

impl Texts {
    fn add(&mut self, answer: &Answer<'_>, value: &Value) {
        self.is_begun |= is_part(value);
        let choices = value["choices"].as_array().into_iter().flatten();
        for (at, choice) in choices.filter(|choice| choice.is_object()).enumerate() {
            let index = choice["index"].as_i64().unwrap_or(at as i64);
            let piece = &content(choice, "delta", "message");
            if answer.operation == Operation::Chat {
                self.choices.entry(index).or_default().push_str(piece);
            }
            self.streamed.push_str(if at == 0 { piece } else { "" });
            if choice["finish_reason"].as_str().is_some_and(|reason| !reason.is_empty()) {
                self.finished.insert(index);
            }
        }
        if value["type"] == "response.output_text.delta" {
            let piece = value["delta"].as_str().unwrap_or_default();
            self.is_open |= value["output_index"] != 0 || value["content_index"] != 0;
            self.choices.entry(0).or_default().push_str(piece);
            self.streamed.push_str(piece);
        }
        let response = &value["response"];
        if response["output"].as_array().is_some_and(|output| !output.is_empty()) {
            self.last = Some(output_text(response).concat());
            self.is_open |= ENDS.iter().all(|end| value["type"] != *end);
        }
    }

    fn seen(self, answer: &Answer<'_>) -> Option<String> {
        let gathered = self.last.or_else(|| self.choices.into_values().next());
        match answer.is_streamed {
            true => Some(self.streamed),
            false => Some(gathered.unwrap_or_default()).filter(|_| !self.is_open),
        }
    }
}

/// The text of a choice; the one of delta and message stands for the other where that is missing.
fn content(choice: &Value, first: &str, second: &str) -> String {
    let name = if choice[first].is_null() { second } else { first };
    choice[name]["content"].as_str().unwrap_or_default().to_owned()
}

fn output_text(value: &Value) -> Vec<String> {
    let output = value["output"].as_array().into_iter().flatten();
    let parts = output.filter_map(|item| item["content"].as_array()).flatten();
    let parts = parts.filter(|part| part["type"] == "output_text");
    parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect()
}

/// The names of a list of models; `None` where an entry has none.
fn names(value: &Value) -> Option<String> {
    let entries = value.as_array().or_else(|| value["data"].as_array())?;
    let said = |entry: &Value| text_of(entry).filter(|text| !text.is_empty());
    let names = ["id", "identifier", "name", "model"];
    let name = |entry: &Value| said(entry).or_else(|| first_said(entry, &names));
    Some(entries.iter().map(name).collect::<Option<Vec<_>>>()?.join(" "))
}

fn stream(answer: &Answer<'_>, text: &str) -> Verdict {
    let cut = if answer.is_cut { "disconnected" } else { "incomplete" };
    let mut texts = Texts::default();
    for item in items(text) {
        let (name, data) = match item {
            Item::Event { name, data } => (name, data),
            Item::Mark if texts.is_begun => return verdict(&["whole"], texts.seen(answer)),
            Item::Mark => return verdict(&["incomplete"], texts.seen(answer)),
            Item::Broken => return verdict(&["protocol"], texts.seen(answer)),
            Item::Unfinished => return verdict(&[cut], texts.seen(answer)),
        };
        let value = json(&data);
        if name == "error"
            || value.as_ref().is_some_and(|value| is_error(value, is_part(value), Some(&name)))
        {
            let message = value
                .as_ref()
                .map_or_else(|| one_line(&data).filter(|_| !data.contains('\n')), message);
            return Verdict { message, ..verdict(&["stream"], texts.seen(answer)) };
        }
        match value {
            Some(value) => {
                texts.add(answer, &value);
                if ENDS.iter().any(|end| value["type"] == *end) {
                    return verdict(&["whole"], texts.seen(answer));
                }
            }
            None if data.trim().is_empty() => {}
            None => return verdict(&["protocol"], texts.seen(answer)),
        }
    }
    let is_finished = answer.operation == Operation::Chat && texts.finished.len() >= answer.choices;
    verdict(&[if is_finished && !answer.is_cut { "whole" } else { cut }], texts.seen(answer))
}

fn document(answer: &Answer<'_>, text: &str) -> Verdict {
    if answer.is_cut {
        // A page is no stream, whole or not: which of the two is reported is open.
        let is_page = answer.is_streamed && !text.trim_start().starts_with(['{', '[']);
        return verdict(
            if is_page { &["disconnected", "protocol"] } else { &["disconnected"] },
            Some(String::new()),
        );
    }
    let Some(value) = json(text) else { return verdict(&["protocol"], Some(String::new())) };
    let is_answer = is_answer(answer.operation, &value);
    if is_error(&value, is_answer, None) {
        return Verdict { message: message(&value), ..verdict(&["stream"], Some(String::new())) };
    }
    let text = match answer.operation {
        Operation::Models => names(&value),
        Operation::Chat => {
            let first = value["choices"]
                .as_array()
                .and_then(|all| all.iter().find(|choice| choice.is_object()));
            first.map(|choice| content(choice, "message", "delta"))
        }
        Operation::Response => Some(output_text(&value).concat()),
    };
    match text.filter(|_| is_answer) {
        // Whether `object` alone makes a response of what has no output and an error is open.
        Some(text)
            if says(&value["error"]) && value["output"].is_null() && value["choices"].is_null() =>
        {
            verdict(&["whole", "stream"], Some(text))
        }
        Some(text) => verdict(&["whole"], Some(text)),
        None => verdict(&["protocol"], Some(String::new())),
    }
}

pub fn judge(answer: &Answer<'_>) -> Verdict {
    let whole = String::from_utf8_lossy(answer.body);
    let text = whole.strip_prefix('\u{feff}').unwrap_or(&whole);
    let kind = match answer.status {
        200..300 => "",
        400 => "invalid_request",
        401 => "authentication",
        403 => "permission",
        404 => "not_found",
        429 => "rate_limited",
        500..600 => "server",
        _ => "status",
    };
    let fields = ["data:", "event:", "id:", "retry:", ":"];
    let start = text.trim_start();
    let is_events = fields.iter().any(|field| start.starts_with(field));
    let says_events = answer.content_type.is_some_and(|kind| kind.starts_with("text/event-stream"));
    if !kind.is_empty() {
        let message = match json(text) {
            Some(value) => message(&value),
            None if items(text)
                .iter()
                .any(|item| item.is_event() || text.trim().contains(['\n', '\r'])) =>
            {
                first_message(text)
            }
            None => one_line(text),
        };
        return Verdict { message, ..verdict(&[kind], Some(String::new())) };
    }
    if answer.operation == Operation::Models {
        return document(answer, text); // a list is never a stream (R-OP2)
    }
    match (says_events, is_events) {
        (true, _) => stream(answer, &whole),
        (false, true) => stream(answer, start),
        (false, false) => document(answer, text),
    }
}
