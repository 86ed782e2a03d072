//! A request that was checked (R-OP2 to R-OP5) and is ready to send: the same bytes for every attempt.
//! Does no I/O.

use std::ops::Range;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::options::call_options::CallOptions;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::json::{Cursor, Walk};
use crate::protocol::text::Edited;
use crate::protocol::value::{Kind, Value};

/// The bytes on the wire, the same for every attempt.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) endpoint: Endpoint,
    pub(crate) body: Option<bytes::Bytes>,
    pub(crate) model: Option<String>,
    /// The number of choices that a chat requests (`n`); a stream is complete when each has finished.
    pub(crate) choices: u32,
    /// Whether the service is asked to stream, regardless of what the caller gets.
    pub(crate) stream: bool,
    pub(crate) options: CallOptions,
}

impl Prepared {
    /// Checks and prepares a request; the model list has no text.
    pub(crate) fn new(
        endpoint: Endpoint,
        text: Option<String>,
        options: CallOptions,
        stream: bool,
        stream_only: bool,
    ) -> Result<Prepared> {
        let Some(text) = text else {
            if stream {
                return Err(Error::argument("the model list cannot be streamed"));
            }
            let (body, model, choices) = (None, None, 1);
            return Ok(Prepared { endpoint, body, model, choices, stream, options });
        };
        let mut found = Fields::find(endpoint, &text)?;
        found.check(endpoint, &text)?;
        let (model, choices) = (found.model.take(), found.choices);
        let underneath = !stream && options.stream_only.unwrap_or(stream_only);
        let stream = stream || underneath;
        let body = Some(splice_stream(text, &found, stream, underneath)?.into());
        Ok(Prepared { endpoint, body, model, choices, stream, options })
    }
}

/// The body with its model renamed, if it is one of these: names in requests, and those to send.
pub(crate) fn with_model(body: &[u8], names: &[(String, String)]) -> Option<String> {
    let text = std::str::from_utf8(body).ok()?;
    let mut models = Vec::new();
    let mut cursor = Cursor::new(text).ok()?;
    let walked = cursor.object(|cursor, name| {
        let span = cursor.skip()?;
        if name == "model" {
            models.push(span.range());
        }
        Ok(())
    });
    walked.ok()?;
    let model = Value::validated(text.get(models.last()?.clone())?).as_str()?;
    let (_, here) = names.iter().find(|(requested, _)| *requested == model)?;
    let quoted = serde_json::Value::from(here.as_str()).to_string();
    let mut renamed = Edited::new(text);
    models.into_iter().for_each(|range| renamed.put(range, &quoted));
    Some(renamed.finish())
}

/// Checks the JSON text of a request.
pub(crate) fn check(endpoint: Endpoint, text: &str) -> Result<()> {
    Fields::find(endpoint, text)?.check(endpoint, text)
}

/// The maximum number of characters of an invalid value in a message.
const SHOWN_CHARS_MAX: usize = 40;

/// Roles whose messages need content. Any other may omit it: an assistant that called a tool or
/// refused, a function, and roles that only the service knows.
const ROLES_WITH_CONTENT: [&str; 4] = ["user", "system", "developer", "tool"];

/// The top-level fields to check, and the position of `stream`.
#[derive(Default)]
struct Fields {
    model: Option<String>,
    /// The fields with an expected form, and the positions of their values.
    formed: Vec<(&'static str, Range<usize>)>,
    /// Whether each message is valid, if there are messages.
    messages: Option<Result<()>>,
    has_input: bool,
    choices: u32,
    /// Every `stream` member: its value and position.
    stream: Vec<(Option<bool>, Range<usize>)>,
}

impl Fields {
    fn find(endpoint: Endpoint, text: &str) -> Result<Fields> {
        let mut found = Fields { choices: 1, ..Fields::default() };
        let not_json =
            |cause| Error::argument(format!("the request is not a JSON object: {cause}"));
        let mut cursor = Cursor::new(text).map_err(not_json)?;
        cursor
            .object(|cursor, name| {
                if name == "messages" && endpoint == Endpoint::Chat && cursor.peek() == Some(b'[') {
                    found.messages = Some(walk_messages(cursor)?);
                    return Ok(());
                }
                let span = cursor.skip()?;
                found.member(name, span.of(text), span.range());
                Ok(())
            })
            .and_then(|()| cursor.finish())
            .map_err(not_json)?;
        Ok(found)
    }

    /// Of duplicate members, the last counts, as in a service; each is checked.
    fn member(&mut self, name: &str, value: Value<'_>, range: Range<usize>) {
        let mut expect = |name| self.formed.push((name, range.clone()));
        match name {
            "model" => {
                self.model = value.as_str().map(std::borrow::Cow::into_owned);
                expect("model");
            }
            "messages" => expect("messages"),
            "input" => {
                self.has_input = true;
                expect("input");
            }
            "max_tokens" => expect("max_tokens"),
            "max_output_tokens" => expect("max_output_tokens"),
            "n" => self.choices = value.as_i64().and_then(|n| n.try_into().ok()).unwrap_or(1),
            "stream" => {
                expect("stream");
                self.stream.push((value.as_bool(), range));
            }
            _ => {}
        }
    }

    fn check(&self, endpoint: Endpoint, text: &str) -> Result<()> {
        for (name, range) in &self.formed {
            check_form(
                endpoint,
                name,
                Value::validated(text.get(range.clone()).unwrap_or("null")),
            )?;
        }
        match &self.model {
            None => return Err(Error::argument("the field model is missing")),
            Some(model) if model.is_empty() => {
                return Err(Error::argument("model must be a non-empty string, not \"\""));
            }
            Some(_) => {}
        }
        let has_content = match endpoint {
            Endpoint::Models => true,
            Endpoint::Chat => self.messages.is_some(),
            Endpoint::Responses => self.has_input,
        };
        if !has_content {
            let name = endpoint.content_field();
            return Err(Error::argument(format!("the field {name} is missing")));
        }
        self.messages.clone().unwrap_or(Ok(()))
    }
}

/// The error for an invalid value at this place.
fn must_be(place: &str, expected: &str, value: Value<'_>) -> Error {
    Error::argument(format!("{place} must be {expected}, not {}", shown(value)))
}

fn shown(value: Value<'_>) -> String {
    value.text().chars().take(SHOWN_CHARS_MAX).collect()
}

/// Whether a field is valid for this operation; a field of another operation passes.
fn check_form(endpoint: Endpoint, name: &str, value: Value<'_>) -> Result<()> {
    let is_chat = endpoint == Endpoint::Chat;
    let (expected, is_right) = match (name, value.kind()) {
        ("model", kind) => ("a non-empty string", kind == Kind::String),
        // The array of a chat was already checked.
        ("messages", _) => ("an array", !is_chat),
        ("input", Kind::String | Kind::Array) => return Ok(()),
        ("input", _) => ("a string or an array of items", is_chat),
        ("stream", kind) => ("a boolean", matches!(kind, Kind::Bool | Kind::Null)),
        (_, Kind::Null) => return Ok(()),
        _ => return check_bound(endpoint, name, value),
    };
    if is_right {
        return Ok(());
    }
    let error = must_be(name, expected, value);
    Err(match value.kind() {
        Kind::Object if name == "input" => error.with_hint("Put the item into an array: [{...}]."),
        Kind::Object if name == "messages" => {
            error.with_hint("Put the message into an array: [{...}].")
        }
        _ => error,
    })
}

/// `max_tokens` of a chat and `max_output_tokens` of a response: integers of at least 1.
fn check_bound(endpoint: Endpoint, name: &str, value: Value<'_>) -> Result<()> {
    let right = endpoint.bound_field();
    let text = value.text();
    if name != right {
        let (what, other) = match endpoint {
            Endpoint::Chat | Endpoint::Models => ("chat", "response"),
            Endpoint::Responses => ("response", "chat"),
        };
        let message = format!(
            "{name} is {}, but it is a parameter of a {other}; a {what} takes {right}",
            shown(value)
        );
        return Err(Error::argument(message).with_hint(format!("Write {right} instead of {name}.")));
    }
    if value.kind() != Kind::Number || text.contains(['.', 'e', 'E']) {
        return Err(must_be(name, "an integer", value));
    }
    if text == "0" || text.starts_with('-') {
        let hint = format!("Leave {name} out if you want no limit.");
        return Err(must_be(name, "at least 1", value).with_hint(hint));
    }
    Ok(())
}

/// Walks the messages of a chat, and reports the first invalid one. One walk: a conversation may be
/// long, and is read for each call.
fn walk_messages(cursor: &mut Cursor<'_>) -> Walk<Result<()>> {
    let (mut index, mut verdict) = (0, Ok(()));
    cursor.array(|cursor| {
        let message = Message::read(cursor)?;
        if verdict.is_ok() {
            verdict = message.check(index);
        }
        index += 1;
        Ok(())
    })?;
    Ok(verdict)
}

/// The checked parts of a message; the last of duplicate members counts.
enum Message<'a> {
    Object { role: Option<Value<'a>>, content: Option<Value<'a>> },
    Other(Value<'a>),
}

impl<'a> Message<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Walk<Message<'a>> {
        let text = cursor.text;
        if cursor.peek() != Some(b'{') {
            return Ok(Message::Other(cursor.skip()?.of(text)));
        }
        let (mut role, mut content) = (None, None);
        cursor.object(|cursor, name| {
            let value = cursor.skip()?.of(text);
            match name {
                "role" => role = Some(value),
                "content" => content = Some(value),
                _ => {}
            }
            Ok(())
        })?;
        Ok(Message::Object { role, content })
    }

    /// Each message is an object with a string `role` and, if its role requires it, content; the
    /// service checks the rest (R-OP5).
    fn check(&self, index: usize) -> Result<()> {
        let place = |name: &str| format!("messages[{index}]{name}");
        let (role, content) = match self {
            Message::Other(value) => return Err(must_be(&place(""), "an object", *value)),
            Message::Object { role, content } => (role, content),
        };
        let Some(role) = role else {
            return Err(Error::argument(format!("{} is missing", place(".role"))));
        };
        let Some(role) = role.as_str() else {
            return Err(must_be(&place(".role"), "a string", *role));
        };
        let expected = "a string or an array of parts";
        let error = match content.map(|value| (value, value.kind())) {
            Some((_, Kind::String | Kind::Array)) => return Ok(()),
            Some((value, Kind::Object)) => {
                let hint = "Put the part into an array: [{...}].";
                return Err(must_be(&place(".content"), expected, value).with_hint(hint));
            }
            Some((value, Kind::Bool | Kind::Number)) => {
                let hint = "Write it as a string.";
                return Err(must_be(&place(".content"), expected, value).with_hint(hint));
            }
            _ if !ROLES_WITH_CONTENT.contains(&&*role) => return Ok(()),
            Some((value, Kind::Null)) => must_be(&place(".content"), expected, value),
            None => Error::argument(format!(
                "{} is missing; it must be {expected}, for a message of the role {role}",
                place(".content")
            )),
        };
        Err(error.with_hint(match &*role {
            "tool" => "If the tool returned nothing, set content to \"\".",
            _ => {
                "Set the text of the message, \"\" if it has none. Only an assistant message may omit it, \
                 with tool_calls for instance."
            }
        }))
    }
}

/// Makes the top-level `stream` agree with the call.
fn splice_stream(text: String, found: &Fields, stream: bool, underneath: bool) -> Result<String> {
    if !underneath && found.stream.iter().any(|(value, _)| *value == Some(!stream)) {
        let message = if stream {
            "the request says \"stream\": false, but the call streams"
        } else {
            "the request says \"stream\": true, but the call does not stream"
        };
        return Err(Error::new(ErrorKind::Argument, message)
            .with_hint("Leave stream out: modelwire sets it for each call."));
    }
    if !stream {
        return Ok(text); // false, null or absent all mean the same to the service
    }
    if found.stream.is_empty() {
        // The object has members (model at least), so a comma follows.
        return Ok(text.replacen('{', "{\"stream\":true,", 1));
    }
    let mut spliced = Edited::new(&text);
    let others = found.stream.iter().filter(|(value, _)| *value != Some(true));
    others.for_each(|(_, range)| spliced.put(range.clone(), "true"));
    Ok(spliced.finish())
}
