//! Parses a script from JSON; errors say what is wrong and where.

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::event_stream::DONE;
use crate::script::{Exchange, Script, Step};

type Fields = Map<String, Value>;

impl Script {
    /// Parses a script from the body of a control request; the error says what is wrong, and where.
    pub fn from_json(body: &[u8]) -> Result<Script, String> {
        let script: Value = serde_json::from_slice(body)
            .map_err(|error| format!("the script is not JSON: {error}"))?;
        let fields = fields_of(&script, "the script", &["exchanges"])?;
        let exchanges = list(fields, "the script", "exchanges")?;
        if exchanges.is_empty() {
            return Err("the script has no exchanges".to_owned());
        }
        let exchanges: Result<Vec<Exchange>, String> = exchanges
            .iter()
            .enumerate()
            .map(|(index, exchange)| exchange_of(exchange, &format!("exchange {index}")))
            .collect();
        Ok(Script::sequence(exchanges?))
    }
}

fn exchange_of(exchange: &Value, at: &str) -> Result<Exchange, String> {
    let fields = fields_of(exchange, at, &["steps", "json", "events", "end"])?;
    match (fields.get("steps"), fields.get("json"), fields.get("events"), fields.get("end")) {
        (Some(_), None, None, None) => {
            let steps: Result<Vec<Step>, String> = list(fields, at, "steps")?
                .iter()
                .enumerate()
                .map(|(index, step)| step_of(step, &format!("{at}, step {index}")))
                .collect();
            Ok(Exchange { steps: steps? })
        }
        (None, Some(json), None, None) => json_of(json, &format!("{at}, json")),
        (None, None, Some(_), _) => events_of(fields, at),
        (_, _, _, _) => Err(format!("{at} must have either steps, or json, or events (and end)")),
    }
}

fn step_of(step: &Value, at: &str) -> Result<Step, String> {
    let known = ["send", "send_base64", "times", "split", "split_base64", "at"];
    let known = [&known[..], &["pause_ms", "reset", "close", "stall"]].concat();
    let fields = fields_of(step, at, &known)?;
    let does: Vec<&str> =
        fields.keys().map(String::as_str).filter(|key| !["times", "at"].contains(key)).collect();
    let &[verb] = does.as_slice() else {
        return Err(format!("{at} must do exactly one thing, not {}: {does:?}", does.len()));
    };
    let qualifier = match verb {
        "send" | "send_base64" => "times",
        "split" | "split_base64" => "at",
        _ => "",
    };
    if let Some(stray) = fields.keys().find(|key| *key != verb && *key != qualifier) {
        return Err(format!("{at}: {stray} does not go with {verb}"));
    }
    match verb {
        "send" | "send_base64" => {
            let times = optional(fields, at, "times")?.unwrap_or(1);
            if times == 0 {
                return Err(format!("{at}: times must be at least 1"));
            }
            Ok(Step::Send { bytes: bytes_of(fields, at, verb)?, times })
        }
        "split" | "split_base64" => {
            let bytes = bytes_of(fields, at, verb)?;
            let at = offsets(fields, at, bytes.len())?;
            Ok(Step::SendSplit { bytes, at })
        }
        "pause_ms" => {
            let pause_ms = optional(fields, at, verb)?.unwrap_or_default();
            let pause_ms = u64::try_from(pause_ms).unwrap_or(u64::MAX);
            Ok(Step::Pause(Duration::from_millis(pause_ms)))
        }
        "reset" => truth(fields, at, verb, Step::Reset),
        "close" => truth(fields, at, verb, Step::Close),
        _ => truth(fields, at, verb, Step::StallForever),
    }
}

fn json_of(json: &Value, at: &str) -> Result<Exchange, String> {
    let fields = fields_of(json, at, &["status", "headers", "body"])?;
    let status = optional(fields, at, "status")?
        .and_then(|status| u16::try_from(status).ok())
        .filter(|status| (200..=999).contains(status))
        .ok_or_else(|| format!("{at}: status must be an integer from 200 to 999"))?;
    let body = text(fields, at, "body")?;
    let mut headers = Vec::new();
    match fields.get("headers") {
        None => {}
        Some(Value::Object(found)) => {
            for (name, value) in found {
                let value = value
                    .as_str()
                    .ok_or_else(|| format!("{at}: header {name} must be a string"))?;
                headers.push((name.as_str(), value));
            }
        }
        Some(_) => return Err(format!("{at}: headers must be an object")),
    }
    Ok(Exchange::json_with_headers(status, &headers, body))
}

fn events_of(fields: &Fields, at: &str) -> Result<Exchange, String> {
    let mut events = Vec::new();
    for (index, event) in list(fields, at, "events")?.iter().enumerate() {
        let event =
            event.as_str().ok_or_else(|| format!("{at}: event {index} must be a string"))?;
        events.push(event);
    }
    let end = match fields.get("end") {
        None => "done",
        Some(end) => end.as_str().unwrap_or_default(),
    };
    match end {
        "done" => {
            events.push(DONE);
            Ok(Exchange::events(&events))
        }
        "eof" => Ok(Exchange::events(&events)),
        "cut" => Ok(Exchange::events_cut(&events)),
        "reset" => Ok(Exchange::events_reset(&events)),
        _ => Err(format!("{at}: end must be done, eof, cut or reset")),
    }
}

/// The fields of an object; an unknown field is an error, because it may be misspelt.
fn fields_of<'v>(value: &'v Value, at: &str, known: &[&str]) -> Result<&'v Fields, String> {
    let fields = value.as_object().ok_or_else(|| format!("{at} must be an object"))?;
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        Some(stray) => Err(format!("{at}: unknown field {stray}; known are {}", known.join(", "))),
        None => Ok(fields),
    }
}

fn list<'f>(fields: &'f Fields, at: &str, name: &str) -> Result<&'f Vec<Value>, String> {
    let list = fields.get(name).and_then(Value::as_array);
    list.ok_or_else(|| format!("{at}: {name} must be an array"))
}

fn text<'f>(fields: &'f Fields, at: &str, name: &str) -> Result<&'f str, String> {
    let text = fields.get(name).and_then(Value::as_str);
    text.ok_or_else(|| format!("{at}: {name} must be a string"))
}

fn optional(fields: &Fields, at: &str, name: &str) -> Result<Option<usize>, String> {
    let Some(value) = fields.get(name) else {
        return Ok(None);
    };
    let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
    number.map(Some).ok_or_else(|| format!("{at}: {name} must be an integer of at least 0"))
}

/// `send` and `split` are text; with `_base64` they are any bytes.
fn bytes_of(fields: &Fields, at: &str, verb: &str) -> Result<Vec<u8>, String> {
    let text = text(fields, at, verb)?;
    if !verb.ends_with("_base64") {
        return Ok(text.as_bytes().to_vec());
    }
    STANDARD.decode(text).map_err(|error| format!("{at}: {verb} is not base64: {error}"))
}

fn offsets(fields: &Fields, at: &str, length: usize) -> Result<Vec<usize>, String> {
    let mut offsets = Vec::new();
    for offset in list(fields, at, "at")? {
        let wrong = || format!("{at}: at must be ascending offsets inside the {length} bytes");
        let offset = offset.as_u64().and_then(|offset| usize::try_from(offset).ok());
        let offset = offset.filter(|offset| (1..length).contains(offset)).ok_or_else(wrong)?;
        if offsets.last().is_some_and(|last| *last >= offset) {
            return Err(wrong());
        }
        offsets.push(offset);
    }
    Ok(offsets)
}

fn truth(fields: &Fields, at: &str, verb: &str, step: Step) -> Result<Step, String> {
    match fields.get(verb) {
        Some(Value::Bool(true)) => Ok(step),
        _ => Err(format!("{at}: {verb} must be true")),
    }
}
