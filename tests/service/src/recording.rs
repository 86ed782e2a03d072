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
        let mut whole = OnWire::of(&self.answer);
        whole.mask_cookies();
        let (mut body, mut path) = (self.body.clone(), self.path.clone().into_bytes());
        for key in keys {
            whole.mask(key);
            mask(&mut body, key);
            mask(&mut path, key);
        }
        let mut rest = &whole.bytes[..];
        let answer = self.answer.iter().map(|(at, bytes)| {
            let (piece, behind) = rest.split_at_checked(bytes.len()).unwrap_or((rest, &[]));
            rest = behind;
            json!([(at.as_secs_f64() * 1e6).round() / 1e3, text_or_base64(piece)])
        });
        let line = object(&[
            ("method", quoted(&self.method)),
            ("path", quoted(&String::from_utf8_lossy(&path))),
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

    fn exchange(&self, pace: Pace, cut_after: Option<usize>) -> Exchange {
        let mut left = match cut_after {
            Some(events) => OnWire::of(&self.answer).after_events(events),
            None => usize::MAX,
        };
        let (mut steps, mut before) = (Vec::new(), Duration::ZERO);
        for (at, bytes) in &self.answer {
            let pause = at.saturating_sub(before);
            if pace == Pace::Exact && !pause.is_zero() {
                steps.push(Step::Pause(pause));
            }
            before = *at;
            let bytes = bytes.get(..left.min(bytes.len())).unwrap_or_default();
            steps.push(Step::send(bytes));
            left -= bytes.len();
            if left == 0 {
                break;
            }
        }
        steps.push(if self.is_reset && left > 0 { Step::Reset } else { Step::Close });
        Exchange { steps }
    }
}

/// Keys shorter than this are words, for services that need no key; masking them would mask texts.
const KEY_BYTES_MIN: usize = 8;

/// Replaces a key, as it is and in the escapes of JSON and URLs, by as many `x`.
fn mask(bytes: &mut [u8], key: &str) {
    if key.len() < KEY_BYTES_MIN {
        return;
    }
    let percent = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    };
    let encoded: String = key.bytes().map(percent).collect();
    for form in [key, &key.replace('/', "\\/"), &encoded, &encoded.to_lowercase()] {
        let mut rest = &mut *bytes;
        while let Some(at) = find(rest, form.as_bytes()) {
            let (found, behind) = rest.split_at_mut(at + form.len());
            found.iter_mut().skip(at).for_each(|byte| *byte = b'x');
            rest = behind;
        }
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    loop {
        let rest = bytes.get(from..)?;
        let at = from + rest.iter().position(|byte| *byte == first)?;
        if bytes.get(at..)?.starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// An answer on the wire.
struct OnWire {
    bytes: Vec<u8>,
    head: usize,
    /// The body without its transfer coding, and the position of each of its bytes.
    body: Vec<u8>,
    places: Vec<usize>,
}

impl OnWire {
    fn of(answer: &[(Duration, Vec<u8>)]) -> OnWire {
        let bytes: Vec<u8> = answer.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect();
        let head = find(&bytes, b"\r\n\r\n").map_or(bytes.len(), |end| end + 4);
        let places: Vec<usize> = match has_header(&bytes, head, "transfer-encoding", "chunked") {
            true => of_chunks(&bytes, head),
            false => (head..bytes.len()).collect(),
        };
        let body = places.iter().filter_map(|at| bytes.get(*at).copied()).collect();
        OnWire { bytes, head, body, places }
    }

    /// Masks a key everywhere, also where the transfer coding splits it; and cookies.
    fn mask(&mut self, key: &str) {
        mask(&mut self.bytes, key);
        mask(&mut self.body, key);
        for (at, byte) in self.places.iter().zip(&self.body) {
            if let Some(on_wire) = self.bytes.get_mut(*at) {
                *on_wire = *byte;
            }
        }
    }

    fn mask_cookies(&mut self) {
        let Some(head) = self.bytes.get_mut(..self.head) else { return };
        for line in head.split_mut(|byte| *byte == b'\n') {
            let is_cookie =
                line.get(..11).is_some_and(|name| name.eq_ignore_ascii_case(b"set-cookie:"));
            let value = line.iter_mut().skip(11).filter(|_| is_cookie);
            value.filter(|byte| !matches!(byte, b' ' | b'\r')).for_each(|byte| *byte = b'x');
        }
    }

    /// The position after this many events of a stream; in another answer, halfway through its body.
    fn after_events(&self, count: usize) -> usize {
        let is_stream = has_header(&self.bytes, self.head, "content-type", "text/event-stream");
        let end = match (is_stream, count) {
            (false, _) => self.body.len() / 2,
            (true, 0) => 0,
            (true, count) => {
                let ends = (0..self.body.len()).filter(|at| {
                    let read = self.body.get(..=*at).unwrap_or_default();
                    read.ends_with(b"\n\n") || read.ends_with(b"\n\r\n")
                });
                ends.map(|at| at + 1).nth(count - 1).unwrap_or(self.body.len())
            }
        };
        end.checked_sub(1).and_then(|last| self.places.get(last)).map_or(self.head, |at| at + 1)
    }
}

/// Whether a head has this header with a value that contains the text.
fn has_header(bytes: &[u8], head: usize, name: &str, text: &str) -> bool {
    let head = String::from_utf8_lossy(bytes.get(..head).unwrap_or_default()).to_lowercase();
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.any(|(known, value)| known == name && value.contains(text))
}

/// The positions of the payload of a chunked body.
fn of_chunks(bytes: &[u8], head: usize) -> Vec<usize> {
    let (mut places, mut at) = (Vec::new(), head);
    while let Some(end) = bytes.get(at..).and_then(|rest| find(rest, b"\r\n")) {
        let line = bytes.get(at..at + end).and_then(|line| std::str::from_utf8(line).ok());
        let size = line.and_then(|line| line.split(';').next()).map(str::trim);
        let size = size.and_then(|size| usize::from_str_radix(size, 16).ok()).unwrap_or(0);
        if size == 0 {
            break;
        }
        let first = at + end + 2;
        let last = first.saturating_add(size).min(bytes.len());
        places.extend(first..last);
        at = last.saturating_add(2);
    }
    places
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
    pub(crate) fn answer(
        &self,
        request: &Request,
        pace: Pace,
        cut_after: Option<usize>,
    ) -> Result<Exchange, Problem> {
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
        Ok(exchange.exchange(pace, cut_after))
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

    /// Also where reads or chunks split it, and in escapes; the length stays, which a head may name.
    #[test]
    fn keys_are_masked() {
        let chunked =
            "HTTP/1.1 401 X\r\nSet-Cookie: session=1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let answer = ["9\r\nwrong: sk\r\n1", "a\r\n-sec/ret or sk-sec\\/ret, ok\r\n0\r\n\r\n"];
        let mut one = recorded("sk-sec/ret", &[chunked, answer[0], answer[1]]);
        one.path = "/models?key=sk-sec%2Fret&word=ok".to_owned();
        let line = one.line(&["sk-sec/ret", "ok", ""]);
        assert!(!line.contains("sec") && !line.contains("session"), "{line}");
        assert!(line.contains(", ok") && line.contains("word=ok"), "a word is no secret: {line}");
        let read = Recorded::parse(&line).unwrap();
        assert_eq!(read.body, b"xxxxxxxxxx");
        let lengths =
            |one: &Recorded| one.answer.iter().map(|(_, bytes)| bytes.len()).collect::<Vec<_>>();
        assert_eq!(lengths(&read), lengths(&one));
    }

    #[test]
    fn an_answer_is_cut_after_events() {
        let chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
        let pieces = [chunked, "9\r\ndata: a\n\n\r\n8\r\ndat", "a: b\n\r\n1\r\n\n\r\n0\r\n\r\n"];
        let cut = |one: &Recorded, events| {
            let sent =
                one.exchange(Pace::Fast, Some(events)).steps.into_iter().filter_map(|step| {
                    match step {
                        Step::Send { bytes, .. } => Some(bytes),
                        _ => None,
                    }
                });
            let sent: Vec<u8> = sent.flatten().collect();
            String::from_utf8(sent).unwrap()
        };
        let stream = recorded("", &pieces);
        assert_eq!(cut(&stream, 0), chunked);
        assert_eq!(cut(&stream, 1), format!("{chunked}9\r\ndata: a\n\n"));
        assert!(cut(&stream, 2).ends_with("a: b\n\r\n1\r\n\n"));
        let document = recorded("", &["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab", "cd"]);
        assert!(cut(&document, 3).ends_with("\r\n\r\nab"));
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
