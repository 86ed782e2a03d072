//! Recorded exchanges: a file of JSON lines with the bytes that a real service sent, and when; and what
//! replays them. Does no network I/O.

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::http::Request;
use crate::json::{object, quoted};
use crate::problem::Problem;
use crate::script::{Exchange, Step};

/// One exchange.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recorded {
    pub(crate) method: String,
    /// Below the base URL, with the query: `/chat/completions`.
    pub(crate) path: String,
    pub(crate) body: Vec<u8>,
    /// The bytes of each read of the answer, head and framing included, and the time since the request.
    pub(crate) answer: Vec<(Duration, Vec<u8>)>,
    pub(crate) is_reset: bool,
}

impl Recorded {
    /// The line of a file, with a line end. Every occurrence of a key is masked with as many `x`.
    pub(crate) fn line(&self, keys: &[&str]) -> String {
        let mut whole: Vec<u8> = self.answer.iter().flat_map(|(_, bytes)| bytes.clone()).collect();
        let mut body = self.body.clone();
        for key in keys {
            mask(&mut whole, key.as_bytes());
            mask(&mut body, key.as_bytes());
        }
        let mut rest = &whole[..];
        let answer = self.answer.iter().map(|(at, bytes)| {
            let (piece, behind) = rest.split_at_checked(bytes.len()).unwrap_or((rest, &[]));
            rest = behind;
            json!([(at.as_secs_f64() * 1e6).round() / 1e3, text_or_base64(piece)])
        });
        let line = object(&[
            ("method", quoted(&self.method)),
            ("path", quoted(&self.path)),
            ("body", text_or_base64(&body).to_string()),
            ("answer", Value::Array(answer.collect()).to_string()),
            ("end", quoted(if self.is_reset { "reset" } else { "close" })),
        ]);
        format!("{line}\n")
    }

    fn parse(line: &str) -> Result<Recorded, String> {
        let value: Value = serde_json::from_str(line).map_err(|wrong| wrong.to_string())?;
        let text = |name: &str| match value.get(name).and_then(Value::as_str) {
            Some(text) => Ok(text.to_owned()),
            None => Err(format!("{name:?} is not a string")),
        };
        let bytes = |value: Option<&Value>, what: &str| {
            bytes_of(value).ok_or(format!("{what} is neither text nor base64"))
        };
        let pieces = value.get("answer").and_then(Value::as_array);
        let piece = |piece: &Value| {
            let at = piece
                .get(0)
                .and_then(Value::as_f64)
                .map(|at| Duration::try_from_secs_f64(at / 1e3));
            let Some(Ok(at)) = at else {
                return Err("a time of \"answer\" is not a number".to_owned());
            };
            Ok((at, bytes(piece.get(1), "a piece of \"answer\"")?))
        };
        let answer: Vec<_> = pieces
            .ok_or_else(|| "\"answer\" is not an array".to_owned())?
            .iter()
            .map(piece)
            .collect::<Result<_, _>>()?;
        if answer.is_empty() {
            return Err("\"answer\" is empty".to_owned());
        }
        let is_reset = match &*text("end")? {
            "reset" => true,
            "close" => false,
            other => return Err(format!("\"end\" is {other:?}, neither close nor reset")),
        };
        let body = bytes(value.get("body"), "\"body\"")?;
        Ok(Recorded { method: text("method")?, path: text("path")?, body, answer, is_reset })
    }

    fn exchange(&self, pace: Pace) -> Exchange {
        let (mut steps, mut before) = (Vec::new(), Duration::ZERO);
        for (at, bytes) in &self.answer {
            let pause = at.saturating_sub(before);
            if pace == Pace::Exact && !pause.is_zero() {
                steps.push(Step::Pause(pause));
            }
            before = *at;
            steps.extend(at_events(bytes).map(Step::send));
        }
        steps.push(if self.is_reset { Step::Reset } else { Step::Close });
        Exchange { steps }
    }
}

/// Cuts bytes after each blank line, where heads and events end, so that a fault can strike between them.
fn at_events(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let ends = (1..=rest.len()).find(|end| {
            let read = rest.get(..*end).unwrap_or_default();
            read.ends_with(b"\n\n") || read.ends_with(b"\r\n\r\n")
        });
        let (piece, behind) = rest.split_at_checked(ends.unwrap_or(rest.len()))?;
        rest = behind;
        (!piece.is_empty()).then_some(piece)
    })
}

fn mask(bytes: &mut [u8], key: &[u8]) {
    let mut at = 0;
    while let Some(found) = bytes.get_mut(at..at + key.len()).filter(|_| !key.is_empty()) {
        if found == key {
            found.fill(b'x');
        }
        at += 1;
    }
}

fn json_of(body: &[u8]) -> Option<Value> {
    serde_json::from_slice(body).ok()
}

fn text_or_base64(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => json!({"base64": STANDARD.encode(bytes)}),
    }
}

fn bytes_of(value: Option<&Value>) -> Option<Vec<u8>> {
    match value? {
        Value::String(text) => Some(text.clone().into_bytes()),
        other => STANDARD.decode(other.get("base64")?.as_str()?).ok(),
    }
}

/// How fast a recording is replayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pace {
    /// With the recorded pauses.
    #[default]
    Exact,
    /// Without pauses.
    Fast,
}

/// The exchanges of a file, for replay. A request gets the first exchange with its method, path and body
/// (or the same JSON) that was not replayed yet, or the last of these again; if none has its body, it gets the
/// first with its method and path that was not replayed yet, or the last of these again.
#[derive(Debug)]
pub struct Replay {
    /// With the JSON of the request's body, if it is JSON.
    exchanges: Vec<(Recorded, Option<Value>)>,
    is_used: Mutex<Vec<bool>>,
}

impl Replay {
    /// Reads a file that a recorder wrote. The error names the line.
    pub fn read(file: &Path) -> io::Result<Replay> {
        let text = std::fs::read_to_string(file)?;
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let exchanges: Vec<_> = lines
            .map(|(number, line)| {
                Recorded::parse(line).map_err(|wrong| {
                    io::Error::other(format!(
                        "line {} is no recorded exchange: {wrong}",
                        number + 1
                    ))
                })
            })
            .collect::<Result<_, _>>()?;
        if exchanges.is_empty() {
            return Err(io::Error::other("it has no recorded exchange"));
        }
        let is_used = Mutex::new(vec![false; exchanges.len()]);
        let exchanges = exchanges.into_iter().map(|one| {
            let json = json_of(&one.body);
            (one, json)
        });
        Ok(Replay { exchanges: exchanges.collect(), is_used })
    }

    /// The answer to a request below the base URL.
    pub(crate) fn answer(&self, request: &Request, pace: Pace) -> Result<Exchange, Problem> {
        let path = request.target.strip_prefix("/v1").unwrap_or(&request.target);
        let mut is_used = self.is_used.lock().unwrap_or_else(PoisonError::into_inner);
        let like: Vec<_> = self
            .exchanges
            .iter()
            .zip(is_used.iter_mut())
            .filter(|((one, _), _)| one.method == request.method && one.path == path)
            .collect();
        let is_free = |at: &usize| like.get(*at).is_some_and(|(_, is_used)| !**is_used);
        let asked = json_of(&request.body);
        let is_same = |at: &usize| {
            like.get(*at).is_some_and(|((one, json), _)| {
                one.body == request.body || (json.is_some() && *json == asked)
            })
        };
        let all = || 0..like.len();
        let chosen = all()
            .find(|at| is_free(at) && is_same(at))
            .or_else(|| all().rev().find(is_same))
            .or_else(|| all().find(is_free))
            .or(like.len().checked_sub(1));
        let Some(((exchange, _), used)) = chosen.and_then(|at| like.into_iter().nth(at)) else {
            let message = format!("no exchange of {} {path} is recorded", request.method);
            return Err(Problem::new(404, message));
        };
        *used = true;
        Ok(exchange.exchange(pace))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    fn recorded(body: &str, answer: &[&str]) -> Recorded {
        let piece = |(at, text): (usize, &&str)| {
            (Duration::from_millis(at as u64 * 5), text.as_bytes().to_vec())
        };
        Recorded {
            method: "POST".to_owned(),
            path: "/chat/completions".to_owned(),
            body: body.as_bytes().to_vec(),
            answer: answer.iter().enumerate().map(piece).collect(),
            is_reset: false,
        }
    }

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let mut one = recorded("{}", &["HTTP/1.1 200 OK\r\n\r\n", "data: é\n\n"]);
        one.answer.push((Duration::from_millis(12), vec![0xFF, 0xFE]));
        assert_eq!(Recorded::parse(&one.line(&[])).unwrap(), one);
    }

    /// Also where it is split between two reads; the length stays, which a head may name.
    #[test]
    fn keys_are_masked() {
        let one = recorded("sk-secret", &["HTTP/1.1 401 X\r\n\r\nwrong: sk-se", "cret, sk-other"]);
        let line = one.line(&["sk-secret", "sk-other", ""]);
        assert!(!line.contains("secret") && !line.contains("sk-"), "{line}");
        let read = Recorded::parse(&line).unwrap();
        assert_eq!(read.body, b"xxxxxxxxx");
        assert_eq!(read.answer.iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>(), [30, 14]);
    }

    #[test]
    fn faults_can_strike_between_events() {
        let pieces: Vec<_> =
            at_events(b"HTTP/1.1 200 OK\r\n\r\ndata: a\n\ndata: b\n\nda").collect();
        let expected: [&[u8]; 4] =
            [b"HTTP/1.1 200 OK\r\n\r\n", b"data: a\n\n", b"data: b\n\n", b"da"];
        assert_eq!(pieces, expected);
    }

    #[test]
    fn what_is_no_recording_is_named() {
        for (line, expected) in [
            ("{", "EOF"),
            ("{}", "\"answer\" is not an array"),
            (r#"{"answer":[]}"#, "\"answer\" is empty"),
            (r#"{"answer":[[0,1]]}"#, "a piece of \"answer\""),
            (r#"{"answer":[[-1,"a"]]}"#, "a time of"),
            (r#"{"answer":[[0,"a"]],"end":"open"}"#, "\"end\" is \"open\""),
        ] {
            let wrong = Recorded::parse(line).unwrap_err();
            assert!(wrong.contains(expected), "{line}: {wrong}");
        }
    }
}
