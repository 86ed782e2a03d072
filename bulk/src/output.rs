//! One line of the results: the outcome of a row, in the format of OpenAI's batch output.
//!
//! ```json
//! {"id":"modelwire-…-…","custom_id":"row-7","response":{"status_code":200,"request_id":"…","body":{…}},"error":null}
//! ```
//!
//! `id` identifies the row and its body as sent, so that results are self-contained: a hash of the key,
//! and that of the body, or the check of a row that was never sent because it is invalid. `body` is what
//! the service sent, byte for byte, except for line ends between values. If a row failed, `error` is the
//! whole error, the same as in every language, and `response` is present if the service answered; of an
//! answer that failed a check, `response` is that answer, and `error` has the reason.

use modelwire::{Document, Error, Response, Value};
use ring::digest::{SHA256, digest};
use serde_json::Value as Json;

use crate::row::{BodyHash, Finished, HASH_DIGITS, Key};

/// The number of bytes of a key's hash in `id`.
const NAME_BYTES: usize = 12;

/// The number of hexadecimal digits of the check after it, where it is not the hash of the body.
const CHECK_DIGITS: usize = 8;

/// The text before the name.
pub(crate) const HEAD: &[u8] = b"{\"id\":\"modelwire-";

/// The text between the name and the key.
const MIDDLE: &[u8] = b"\",\"custom_id\":";

/// The end of the line of a successful row.
const DONE: &[u8] = b",\"error\":null}";

/// The outcome that a result reports for its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is an answer.
    Done,
    /// There is an error.
    Failed,
}

/// A hash of the key, the same on every machine and in every version.
pub(crate) fn name_of(key: &str) -> [u8; NAME_BYTES] {
    let mut name = [0; NAME_BYTES];
    name.iter_mut()
        .zip(digest(&SHA256, key.as_bytes()).as_ref())
        .for_each(|(to, from)| *to = *from);
    name
}

/// Appends the line of a row that ended, including the line end.
pub fn write_line(finished: &Finished, out: &mut Vec<u8>) -> Outcome {
    begin(&finished.row.key, Some(finished.row.hash), out);
    match &finished.outcome {
        Ok(response) => {
            write_answer(response, out);
            let Some(rejected) = &finished.rejected else {
                out.extend_from_slice(DONE);
                out.push(b'\n');
                return Outcome::Done;
            };
            out.extend_from_slice(b",\"error\":");
            out.extend_from_slice(rejected.to_json().as_bytes());
            out.extend_from_slice(b"}\n");
            Outcome::Failed
        }
        Err(error) => {
            write_refusal(error, out);
            out.extend_from_slice(b",\"error\":");
            write_on_one_line(&error.to_json(), out);
            out.extend_from_slice(b"}\n");
            Outcome::Failed
        }
    }
}

/// Appends the line of a row that was never sent because it is invalid.
pub fn write_unsent(key: &Key, error: &Error, out: &mut Vec<u8>) {
    begin(key, None, out);
    out.extend_from_slice(b"null,\"error\":");
    write_on_one_line(&error.to_json(), out);
    out.extend_from_slice(b"}\n");
}

pub(crate) fn begin(key: &Key, hash: Option<BodyHash>, out: &mut Vec<u8>) {
    out.extend_from_slice(HEAD);
    name_of(key.text()).iter().for_each(|byte| out.extend_from_slice(&hex(*byte)));
    out.push(b'-');
    match hash {
        Some(hash) => out.extend(hash.digits().map(|digit| digit as u8)),
        None => {
            key.check().to_be_bytes().iter().for_each(|byte| out.extend_from_slice(&hex(*byte)))
        }
    }
    out.extend_from_slice(MIDDLE);
    write_text(key.text(), out);
    out.extend_from_slice(b",\"response\":");
}

fn write_answer(response: &Response, out: &mut Vec<u8>) {
    write_head(response.head().status(), response.head().request_id(), out);
    match response.json().trim_ascii() {
        "" => out.extend_from_slice(b"null"),
        json => write_on_one_line(json, out),
    }
    out.push(b'}');
}

/// The service's failed answer; `null` if none arrived.
fn write_refusal(error: &Error, out: &mut Vec<u8>) {
    let Some(status) = error.status() else {
        out.extend_from_slice(b"null");
        return;
    };
    write_head(status, error.request_id(), out);
    match error.body() {
        None => out.extend_from_slice(b"null"),
        Some(body) if Value::parse(body).is_ok() => write_on_one_line(body.trim_ascii(), out),
        Some(body) => write_text(body, out),
    }
    out.push(b'}');
}

fn write_head(status: u16, request_id: Option<&str>, out: &mut Vec<u8>) {
    out.extend_from_slice(format!("{{\"status_code\":{status},\"request_id\":").as_bytes());
    match request_id {
        Some(id) => write_text(id, out),
        None => out.extend_from_slice(b"null"),
    }
    out.extend_from_slice(b",\"body\":");
}

/// JSON without line ends. They can only be between values: in a string they are escaped.
fn write_on_one_line(json: &str, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    let written = out.get_mut(start..).unwrap_or_default();
    if written.iter().any(|byte| matches!(byte, b'\n' | b'\r')) {
        written.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|end| *end = b' ');
    }
}

/// A JSON string.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    let needs_escape = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    if text.bytes().any(needs_escape) {
        out.extend_from_slice(Json::from(text).to_string().as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.as_bytes());
    out.push(b'"');
}

fn hex(byte: u8) -> [u8; 2] {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + value - 10 };
    [digit(byte >> 4), digit(byte & 15)]
}

/// What a whole line, without its end, reports about its row; `None` if it is not one of ours.
pub(crate) fn read_line(line: &[u8]) -> Option<(Key, Outcome)> {
    Value::parse(std::str::from_utf8(line).ok()?).ok()?;
    let key = key_of(line)?;
    (name_in(line)? == name_of(key.text())).then(|| (key, outcome_of(line)))
}

/// Appends a line of a failed row as OpenAI's batches write it: the response only if it is an HTTP error,
/// and of our error its code and its message. `None` if it is no such line.
pub(crate) fn write_batch_error(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let line = Value::parse(std::str::from_utf8(line).ok()?).ok()?;
    let (response, error) = (line.get("response")?, line.get("error")?);
    let status = response.get("status_code").and_then(Value::as_i64);
    let response =
        if status.is_some_and(|status| status >= 400) { response.text() } else { "null" };
    for (name, value) in [
        ("{\"id\":", line.get("id")?.text()),
        (",\"custom_id\":", line.get("custom_id")?.text()),
        (",\"response\":", response),
    ] {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(value.as_bytes());
    }
    let text = |name| error.get(name).and_then(Value::as_text);
    out.extend_from_slice(b",\"error\":{\"code\":");
    write_text(&text("code").or(text("kind"))?, out);
    out.extend_from_slice(b",\"message\":");
    write_text(&text("message")?, out);
    out.extend_from_slice(b"}}\n");
    Some(())
}

/// The first line of a table of results.
pub(crate) const TABLE_HEAD: &[u8] = b"custom_id,answer,error,error_kind,metered,total_tokens\n";

/// Appends a line of a table with what one of our lines reports. `None` if it is none of ours.
pub(crate) fn write_table_row(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let line = Value::parse(std::str::from_utf8(line).ok()?).ok()?;
    let error = line.get("error")?;
    let text = |name| error.get(name).and_then(Value::as_text);
    let body = line.get("response")?.get("body");
    let answer = body.and_then(|body| modelwire::parse::document(body.text()).ok());
    let tokens = answer.as_ref().and_then(Document::usage).map(|usage| usage.total_tokens);
    for (field, end) in [
        (line.get("custom_id")?.as_text(), b','),
        (answer.as_ref().map(Document::text), b','),
        (text("message"), b','),
        (text("kind"), b','),
        (text("metered"), b','),
        (tokens.map(|tokens| tokens.to_string().into()), b'\n'),
    ] {
        write_csv(&field.unwrap_or_default(), out);
        out.push(end);
    }
    Some(())
}

/// A field of CSV (RFC 4180): in quotes where it has to be.
fn write_csv(text: &str, out: &mut Vec<u8>) {
    if !text.contains([',', '"', '\n', '\r']) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// What one of our lines, without its end, reports about its row.
pub(crate) fn outcome_of(line: &[u8]) -> Outcome {
    if line.ends_with(DONE) { Outcome::Done } else { Outcome::Failed }
}

/// The hash of the key in one of our lines.
pub(crate) fn name_in(line: &[u8]) -> Option<[u8; NAME_BYTES]> {
    let digits = line.strip_prefix(HEAD)?.get(..2 * NAME_BYTES)?;
    let mut name = [0; NAME_BYTES];
    for (byte, pair) in name.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(name)
}

/// The key in one of our lines.
pub(crate) fn key_of(line: &[u8]) -> Option<Key> {
    let (digits, rest) = check_and_key(line)?;
    let check = match digits.len() {
        CHECK_DIGITS => u32::from_str_radix(digits, 16).ok()?,
        _ => BodyHash::of_digits(digits)?.check(),
    };
    Some(Key::new(read_text(rest)?.0, check))
}

/// The hash of the body in one of our lines; a line that was never sent has none.
pub(crate) fn hash_in(line: &[u8]) -> Option<BodyHash> {
    BodyHash::of_digits(check_and_key(line)?.0)
}

/// The digits of the check or hash in one of our lines, and the text that begins with the key.
fn check_and_key(line: &[u8]) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(HEAD)?.get(2 * NAME_BYTES..)?.strip_prefix(b"-")?;
    let middle = rest.iter().take(HASH_DIGITS + 1).position(|byte| *byte == b'"')?;
    let (digits, rest) = rest.split_at_checked(middle)?;
    Some((std::str::from_utf8(digits).ok()?, std::str::from_utf8(rest.strip_prefix(MIDDLE)?).ok()?))
}

/// A JSON string at the beginning of a text, and the text after it.
pub(crate) fn read_text(text: &str) -> Option<(std::borrow::Cow<'_, str>, &str)> {
    let inner = text.strip_prefix('"')?;
    let end = inner.bytes().position(|byte| byte == b'"' || byte == b'\\')?;
    if inner.as_bytes().get(end) == Some(&b'"') {
        return Some((inner.get(..end)?.into(), inner.get(end + 1..)?));
    }
    let mut strings = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    let Some(Ok(Json::String(string))) = strings.next() else { return None };
    let rest = text.get(strings.byte_offset()..)?;
    Some((string.into(), rest))
}

#[cfg(test)]
#[path = "output_tests.rs"]
mod tests;
