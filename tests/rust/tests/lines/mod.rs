//! The vectors of lines that leave the grammar, for every language that replays them from Rust: what stands
//! on the wire, and what a call made of it in the words of the vectors.

use modelwire_testing::{Exchange, Step};
use serde_json::{Value, json};

/// How many there are.
pub const COUNT: usize = 65;

/// The stream of a vector, in HTTP chunks, and how its connection ends.
pub fn exchange(vector: &Value) -> Exchange {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let body = vector["input"].as_str().unwrap();
    let mut steps = vec![Step::send(head)];
    if !body.is_empty() {
        steps.push(Step::send(format!("{:x}\r\n{body}\r\n", body.len())));
    }
    steps.push(match vector["end"].as_str() {
        None => Step::send("0\r\n\r\n"),
        Some("open") => Step::StallForever,
        Some("cut") => Step::Close,
        Some(other) => panic!("{}: unknown end {other}", vector["name"]),
    });
    Exchange { steps }
}

/// How a call ended: its end, or kind, message, hint and `metered` of its error.
pub type Ended<'a> = Result<&'a str, [&'a str; 4]>;

/// What is wrong with what a call made of a vector.
pub fn judge(vector: &Value, chunks: &[impl AsRef<str>], ended: Ended<'_>) -> Option<String> {
    let expected = &vector["expected"];
    let chunks: Vec<&str> = chunks.iter().map(AsRef::as_ref).collect();
    let found = match ended {
        Ok(end) => json!({"chunks": chunks, "end": end}),
        Err([kind, message, hint, metered]) => {
            assert!(!hint.is_empty());
            let is_said = expected["message"].as_str().is_none_or(|says| message.contains(says));
            let message = if is_said { expected["message"].clone() } else { json!(message) };
            json!({"chunks": chunks, "kind": kind, "message": message, "metered": metered})
        }
    };
    let name = &vector["name"];
    (found != *expected).then(|| format!("{name}\n  expected {expected}\n  found    {found}"))
}
