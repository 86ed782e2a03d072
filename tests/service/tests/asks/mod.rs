//! What tests ask of played models, and what they read out of answers.
#![allow(dead_code, reason = "each test file uses its own part")]

use modelwire_testing::Metered;
use serde_json::{Value, json};

pub const CHAT: &str = "/v1/chat/completions";
pub const RESPONSES: &str = "/v1/responses";

pub fn chat(model: &str, text: &str) -> Value {
    json!({"model": model, "messages": [{"role": "user", "content": text}]})
}

pub fn with(mut body: Value, fields: Value) -> Value {
    let more = fields.as_object().unwrap().clone();
    body.as_object_mut().unwrap().extend(more);
    body
}

pub fn streamed(body: Value) -> Value {
    with(body, json!({"stream": true}))
}

pub fn content(events: &[Value], field: &str) -> String {
    let pieces = events.iter().filter_map(|event| event["choices"][0]["delta"][field].as_str());
    pieces.collect()
}

pub fn finish_reasons(events: &[Value]) -> Vec<String> {
    let choices = events.iter().flat_map(|event| event["choices"].as_array().unwrap());
    choices.filter_map(|choice| choice["finish_reason"].as_str()).map(str::to_owned).collect()
}

pub fn metered(calls: u64, input_tokens: u64, output_tokens: u64) -> Metered {
    Metered { calls, input_tokens, output_tokens }
}
