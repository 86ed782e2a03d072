//! Makes the calls of one case at once, each a task: a JSON object on standard input. Prints what came of
//! them as one JSON array, of the same form as ask.c's.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a program of tests fails by panicking"
)]

use std::time::Duration;

use modelwire::{Client, Config, Error, Request, RetryPolicy};
use serde_json::{Value, json};

fn client(options: &Value) -> Client {
    let text = |name: &str| options[name].as_str().unwrap();
    let mut config = Config::new()
        .base_url(text("base_url"))
        .api_key(text("api_key"))
        .retry(RetryPolicy::default().max_retries(0));
    let after = |name: &str| options[name].as_u64().map(Duration::from_millis);
    config.timeouts_mut().first_byte = after("first_byte_timeout_ms");
    config.timeouts_mut().idle = after("idle_timeout_ms");
    for (name, value) in options["headers"].as_object().unwrap() {
        config = config.header(name, value.as_str().unwrap());
    }
    Client::new(config).unwrap()
}

fn request(operation: &str, body: &Value) -> Request {
    match operation {
        "models" => Request::models(),
        "chat" => Request::chat_json(body.as_str().unwrap()),
        _ => Request::responses_json(body.as_str().unwrap()),
    }
}

fn failed(call: usize, error: &Error) -> Value {
    json!({"call": call, "error": {
        "kind": error.kind().name(),
        "message": error.message(),
        "http_status": error.status(),
        "type": error.error_type(),
        "code": error.code(),
        "param": error.param(),
    }})
}

fn came(call: usize, name: &str, json: &str) -> Value {
    let value: Value = serde_json::from_str(json).unwrap();
    json!({"call": call, name: value})
}

/// One call, piece by piece; dropped in its midst where it is to be left.
async fn stream(client: &Client, request: Request, call: usize, leave: u64) -> Vec<Value> {
    let mut stream = match client.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return vec![failed(call, &error)],
    };
    let mut events = Vec::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => events.push(came(call, "chunk", chunk.json())),
            Err(error) => events.push(failed(call, &error)),
        }
        if u64::try_from(events.len()).unwrap() == leave {
            break;
        }
    }
    events
}

#[tokio::main]
async fn main() {
    let case: Value = serde_json::from_reader(std::io::stdin()).unwrap();
    let client = client(&serde_json::from_str(case["options"].as_str().unwrap()).unwrap());
    let operation = case["operation"].as_str().unwrap();
    let leave = case["leave"].as_u64().unwrap_or(0);
    let streams = case["stream"] == true;
    let bodies = case["bodies"].as_array().unwrap();
    let tasks: Vec<_> = bodies.iter().map(|body| request(operation, body)).enumerate().collect();
    let tasks: Vec<_> = tasks
        .into_iter()
        .map(|(call, request)| {
            let client = client.clone();
            tokio::spawn(async move {
                if streams {
                    return stream(&client, request, call, leave).await;
                }
                match client.send(request).await {
                    Ok(answer) => vec![came(call, "response", answer.json())],
                    Err(error) => vec![failed(call, &error)],
                }
            })
        })
        .collect();
    let mut events = Vec::new();
    for task in tasks {
        events.extend(task.await.unwrap());
    }
    println!("{}", Value::from(events));
}
