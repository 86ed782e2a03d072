//! The best message in an error of any envelope (tests/vectors/errors), where it is unambiguous.

use serde_json::Value;

use crate::events::{Item, items, json};

pub fn text_of(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| value.is_number().then(|| value.to_string()))
}

pub fn first_said(value: &Value, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| text_of(&value[*name]).filter(|text| !text.is_empty()))
}

/// The best message in an error of any envelope (tests/vectors/errors).
pub fn message(value: &Value) -> Option<String> {
    const DIRECT: [&str; 4] = ["message", "msg", "error_msg", "error_message"];
    if !value.is_object() {
        return value.get(0).map_or_else(|| value.as_str().map(str::to_owned), message);
    }
    let inside = ["/error", "/errors", "/response/error", "/detail", "/data/error"].into_iter();
    let nested = inside.filter_map(|path| value.pointer(path).map(|inner| (path, inner)));
    let nested =
        nested.filter(|(path, inner)| inner.is_object() || inner.is_array() && *path != "/detail");
    let mut own =
        nested.filter_map(|(_, inner)| first_said(inner, &DIRECT).or_else(|| message(inner)));
    let has_code = !value["error_code"].is_null();
    own.next()
        .or_else(|| first_said(value, &DIRECT))
        .or_else(|| first_said(value, &["error", "detail"]))
        .or_else(|| first_said(value, &["text"]).filter(|_| has_code))
}

/// A short text on one line.
pub fn one_line(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(line).filter(|line| !line.is_empty() && text.len() <= 200)
}

/// The message in the events of a body under a bad status, where each of them is an object.
pub fn first_message(text: &str) -> Option<String> {
    let values = items(text).into_iter().filter_map(|item| match item {
        Item::Event { data, .. } => Some(json(&data)),
        Item::Broken => Some(None),
        Item::Mark | Item::Unfinished => None,
    });
    let values = values.collect::<Option<Vec<_>>>()?;
    let is_clear = |value: &Value| value.is_object() && !value["detail"].is_array();
    values.iter().all(is_clear).then(|| values.iter().find_map(message))?
}
