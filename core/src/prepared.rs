//! A request that was checked (R-OP2 to R-OP5) and is ready to be sent: the same bytes for every
//! attempt. Does no I/O.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::error_kind::ErrorKind;
use crate::options::CallOptions;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::json::Cursor;
use crate::protocol::value::{Kind, Value};

/// What goes over the wire, the same bytes for every attempt.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) endpoint: Endpoint,
    pub(crate) body: Option<bytes::Bytes>,
    pub(crate) model: Option<String>,
    /// How many choices a chat asks for (`n`); a stream is whole when each has finished.
    pub(crate) choices: u32,
    /// Whether the service is asked to stream, whatever the caller gets.
    pub(crate) stream: bool,
    pub(crate) options: CallOptions,
}

impl Prepared {
    /// Checks a request and makes it ready; the list of models has no text.
    pub(crate) fn new(
        endpoint: Endpoint,
        text: Option<String>,
        options: CallOptions,
        stream: bool,
        stream_only: bool,
    ) -> Result<Prepared> {
        let Some(text) = text else {
            if stream {
                return Err(Error::argument("the model list does not stream"));
            }
            let (body, model, choices) = (None, None, 1);
            return Ok(Prepared { endpoint, body, model, choices, stream, options });
        };
        let found = Fields::find(&text)?;
        found.check(endpoint, &text)?;
        let (model, choices) = (found.model.clone(), found.choices);
        let underneath = !stream && options.stream_only.unwrap_or(stream_only);
        let stream = stream || underneath;
        let body = Some(splice_stream(text, &found, stream, underneath)?.into());
        Ok(Prepared { endpoint, body, model, choices, stream, options })
    }
}

/// Checks the JSON text of a request.
pub(crate) fn check(endpoint: Endpoint, text: &str) -> Result<()> {
    Fields::find(text)?.check(endpoint, text)
}

/// Characters of a wrong value that a message shows.
const SHOWN_CHARS_MAX: usize = 40;

/// The top-level fields that are checked, and where `stream` stands.
#[derive(Default)]
struct Fields {
    model: Option<String>,
    /// The kinds of fields that have one expected kind, and where they stand.
    kinds: Vec<(&'static str, Kind, Range<usize>)>,
    messages: Option<Range<usize>>,
    has_input: bool,
    choices: u32,
    /// Every `stream` member: its value, and where the value stands.
    stream: Vec<(Option<bool>, Range<usize>)>,
}

impl Fields {
    fn find(text: &str) -> Result<Fields> {
        let mut found = Fields { choices: 1, ..Fields::default() };
        let not_json =
            |cause| Error::argument(format!("the request is not a JSON object: {cause}"));
        let mut cursor = Cursor::new(text).map_err(not_json)?;
        cursor
            .object(|cursor, name| {
                let span = cursor.skip()?;
                found.member(name, span.of(text), span.range());
                Ok(())
            })
            .and_then(|()| cursor.finish())
            .map_err(not_json)?;
        Ok(found)
    }

    /// Of duplicate members the last one counts, as for a service; each is checked.
    fn member(&mut self, name: &str, value: Value<'_>, range: Range<usize>) {
        match name {
            "model" => {
                self.model = value.as_str().map(std::borrow::Cow::into_owned);
                self.kinds.push(("model", value.kind(), range));
            }
            "messages" => {
                self.messages = Some(range.clone());
                self.kinds.push(("messages", value.kind(), range));
            }
            "input" => self.has_input = true,
            "max_tokens" => self.kinds.push(("max_tokens", integer(value), range)),
            "max_output_tokens" => self.kinds.push(("max_output_tokens", integer(value), range)),
            "n" => self.choices = value.as_i64().and_then(|n| n.try_into().ok()).unwrap_or(1),
            "stream" => {
                self.kinds.push(("stream", value.kind(), range.clone()));
                self.stream.push((value.as_bool(), range));
            }
            _ => {}
        }
    }

    fn check(&self, endpoint: Endpoint, text: &str) -> Result<()> {
        for (name, kind, range) in &self.kinds {
            let (expected, is_right) = match *name {
                "model" => ("a non-empty string", *kind == Kind::String),
                "messages" => ("an array", *kind == Kind::Array || endpoint != Endpoint::Chat),
                "stream" => ("a boolean", matches!(kind, Kind::Bool | Kind::Null)),
                _ => ("an integer", matches!(kind, Kind::Number | Kind::Null)),
            };
            if !is_right {
                let shown = text.get(range.clone()).unwrap_or_default();
                let shown: String = shown.chars().take(SHOWN_CHARS_MAX).collect();
                return Err(Error::argument(format!("{name} must be {expected}, not {shown}")));
            }
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
        match (&self.messages, endpoint) {
            (Some(range), Endpoint::Chat) => {
                check_messages(Value::validated(text.get(range.clone()).unwrap_or("[]")))
            }
            _ => Ok(()),
        }
    }
}

/// `Number` for an integer, the value's own kind or `String` for what is not one.
fn integer(value: Value<'_>) -> Kind {
    match value.kind() {
        Kind::Number if value.text().contains(['.', 'e', 'E']) => Kind::String,
        kind => kind,
    }
}

/// Each message is an object with a string `role`; the service judges the rest (R-OP5).
fn check_messages(messages: Value<'_>) -> Result<()> {
    for (index, message) in messages.items().into_iter().enumerate() {
        if message.kind() != Kind::Object {
            return Err(Error::argument(format!("messages[{index}] must be an object")));
        }
        match message.get("role").map(Value::kind) {
            Some(Kind::String) => {}
            Some(_) => {
                return Err(Error::argument(format!("messages[{index}].role must be a string")));
            }
            None => return Err(Error::argument(format!("messages[{index}].role is missing"))),
        }
    }
    Ok(())
}

/// Makes the top-level `stream` agree with how the call is made.
fn splice_stream(text: String, found: &Fields, stream: bool, underneath: bool) -> Result<String> {
    if !underneath && found.stream.iter().any(|(value, _)| *value == Some(!stream)) {
        let message = if stream {
            "the request says \"stream\": false, but the call streams"
        } else {
            "the request says \"stream\": true, but the call does not stream"
        };
        return Err(Error::new(ErrorKind::Argument, message)
            .with_hint("Leave stream out: the way of calling decides."));
    }
    if !stream {
        return Ok(text); // false, null or absent all mean the same to the service
    }
    if found.stream.is_empty() {
        // The object has members (model at least), so a comma follows.
        return Ok(text.replacen('{', "{\"stream\":true,", 1));
    }
    let mut spliced = text;
    for (value, range) in found.stream.iter().rev() {
        if *value != Some(true) {
            spliced.replace_range(range.clone(), "true");
        }
    }
    Ok(spliced)
}
