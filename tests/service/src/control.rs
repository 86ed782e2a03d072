//! The control API, with which tests in other languages configure and inspect the service.

use serde_json::{Value, json};

use crate::http::Request;
use crate::load::Load;
use crate::problem::Problem;
use crate::script::{Exchange, Script};
use crate::state::{Recorded, Shared};

/// The answer to a control request; `rest` is its path after `/_control`.
pub(crate) fn answer(shared: &Shared, request: &Request, rest: &str) -> Exchange {
    respond(shared, request, rest).map_or_else(
        |problem| problem.exchange("control"),
        |body| Exchange::json(200, body.to_string()),
    )
}

fn respond(shared: &Shared, request: &Request, rest: &str) -> Result<Value, Problem> {
    let mut parts = rest.trim_start_matches('/').splitn(2, '/');
    let noun = parts.next().unwrap_or_default();
    let name = parts.next().unwrap_or_default();
    match (request.method.as_str(), noun) {
        ("PUT", "scripts") => register(shared, request, name),
        ("PUT", "load") => {
            shared.set_load(load(&request.body).map_err(|reason| Problem::new(400, reason))?);
            Ok(json!({}))
        }
        ("GET", "requests") => Ok(shared.recorded(name).iter().map(recorded).collect()),
        ("GET", "state") => Ok(state(shared)),
        ("POST", "clear") => {
            shared.clear();
            Ok(json!({}))
        }
        (method, _) => {
            let message = format!("the control face has no {method} {}", request.path());
            Err(Problem::new(404, message))
        }
    }
}

fn register(shared: &Shared, request: &Request, name: &str) -> Result<Value, Problem> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_plain) {
        let message = "the name of a script has letters, digits, '-', '_' and '.'";
        return Err(Problem::new(400, message));
    }
    let script = Script::from_json(&request.body).map_err(|reason| Problem::new(400, reason))?;
    shared.register(name, script);
    // The host from the caller's request, so that the returned URL is usable as it is.
    let host = request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("host"));
    let host = host.map_or("127.0.0.1", |(_, value)| value.as_str());
    Ok(json!({ "base_url": format!("http://{host}/scripts/{name}/v1") }))
}

/// Parses a load from an object of names and values.
fn load(body: &[u8]) -> Result<Load, String> {
    let fields: serde_json::Map<String, Value> = serde_json::from_slice(body)
        .map_err(|error| format!("the load must be a JSON object: {error}"))?;
    let mut load = Load::default();
    // Members may be in any order, but this one must be set last.
    let (late, early): (Vec<_>, Vec<_>) =
        fields.iter().partition(|(name, _)| *name == "retry-after-share");
    for (name, value) in early.into_iter().chain(late) {
        match value {
            Value::String(text) => load.set(name, text)?,
            Value::Number(number) => load.set(name, &number.to_string())?,
            _ => return Err(format!("{name} must be a number or a string")),
        }
    }
    Ok(load)
}

fn recorded(request: &Recorded) -> Value {
    json!({
        "method": request.method,
        "target": request.target,
        "headers": request.headers,
        "body": String::from_utf8_lossy(&request.body),
        "connection": request.connection,
        "at_ms": u64::try_from(request.at.as_millis()).unwrap_or(u64::MAX),
    })
}

fn state(shared: &Shared) -> Value {
    let metered: serde_json::Map<String, Value> = shared
        .metered()
        .into_iter()
        .map(|(model, metered)| {
            let sums = json!({
                "calls": metered.calls,
                "input_tokens": metered.input_tokens,
                "output_tokens": metered.output_tokens,
            });
            (model, sums)
        })
        .collect();
    let counts = shared.load_counts();
    json!({
        "load": {
            "answered": counts.answered,
            "failed": counts.failed,
            "refused": counts.refused,
            "at_once": counts.at_once,
        },
        "connections": shared.connections(),
        "open_connections": shared.open_connections(),
        "metered": metered,
    })
}
