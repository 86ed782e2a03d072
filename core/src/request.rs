//! From an endpoint and JSON text to method, path and body bytes, with what can be checked
//! before sending (R-OP2 to R-OP5). Does no I/O.
//!
//! The caller's JSON is sent untouched but for one edit: a top-level `stream` is spliced in
//! where the way of calling asks for it.

use std::ops::Range;
use std::time::Duration;

use serde::Serialize;

use crate::error::{Error, ErrorKind, Result, TimeoutPhase};
use crate::options::CallOptions;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::escapes::write_str;
use crate::protocol::json::Cursor;
use crate::protocol::value::{Kind, Value};
use crate::retry_policy::RetryPolicy;

/// A request of one of the three operations: built step by step, from any `Serialize` value, or
/// from JSON text that the service gets as it is. Checked when it is sent.
///
/// ```
/// use modelwire::Request;
///
/// let built = Request::chat("a-model").system("Be brief.").user("Hello").max_tokens(50);
/// let text = Request::chat_json(r#"{"model":"a-model","messages":[{"role":"user","content":"Hello"}]}"#);
/// let list = Request::models();
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Request {
    endpoint: Endpoint,
    body: Body,
    options: CallOptions,
}

#[derive(Clone, Debug)]
enum Body {
    None,
    /// Whole JSON text.
    Text(String),
    /// Members by name in their order, each as JSON text, and the messages of a chat.
    Built {
        members: Vec<(String, String)>,
        messages: Vec<String>,
    },
    /// What could not be serialised; told when the request is sent.
    Broken(String),
}

impl Request {
    /// List the models.
    pub fn models() -> Request {
        Request::with(Endpoint::Models, Body::None)
    }

    /// A chat completion, to be built with [`user`](Request::user) and the other methods.
    pub fn chat(model: impl AsRef<str>) -> Request {
        Request::built(Endpoint::Chat, model.as_ref())
    }

    /// A response, to be built with [`input`](Request::input) and the other methods.
    pub fn response(model: impl AsRef<str>) -> Request {
        Request::built(Endpoint::Responses, model.as_ref())
    }

    fn with(endpoint: Endpoint, body: Body) -> Request {
        Request { endpoint, body, options: CallOptions::default() }
    }

    fn built(endpoint: Endpoint, model: &str) -> Request {
        let body = Body::Built { members: Vec::new(), messages: Vec::new() };
        Request::with(endpoint, body).field("model", model)
    }

    /// A chat completion from JSON text, sent byte for byte.
    pub fn chat_json(text: impl Into<String>) -> Request {
        Request::with(Endpoint::Chat, Body::Text(text.into()))
    }

    /// A response from JSON text, sent byte for byte.
    pub fn response_json(text: impl Into<String>) -> Request {
        Request::with(Endpoint::Responses, Body::Text(text.into()))
    }

    /// A chat completion from any value that serialises to a JSON object.
    pub fn chat_from(value: &impl Serialize) -> Request {
        Request::with(Endpoint::Chat, Body::serialised(value))
    }

    /// A response from any value that serialises to a JSON object.
    pub fn response_from(value: &impl Serialize) -> Request {
        Request::with(Endpoint::Responses, Body::serialised(value))
    }

    /// Adds a message of any role.
    pub fn message(mut self, role: &str, content: &str) -> Request {
        let mut text = String::from("{\"role\":");
        write_str(role, &mut text);
        text.push_str(",\"content\":");
        write_str(content, &mut text);
        text.push('}');
        match &mut self.body {
            Body::Built { messages, .. } => messages.push(text),
            _ => self.refuse("a message"),
        }
        self
    }

    /// Adds a message of the user.
    pub fn user(self, content: &str) -> Request {
        self.message("user", content)
    }

    /// Adds a system message.
    pub fn system(self, content: &str) -> Request {
        self.message("system", content)
    }

    /// The input of a response as a plain string.
    pub fn input(self, input: &str) -> Request {
        self.field("input", input)
    }

    /// Upper bound on the output of a chat completion, in tokens (R-F1).
    pub fn max_tokens(self, tokens: u32) -> Request {
        self.field("max_tokens", tokens)
    }

    /// Upper bound on the output of a response, in tokens (R-F1).
    pub fn max_output_tokens(self, tokens: u32) -> Request {
        self.field("max_output_tokens", tokens)
    }

    /// Any further field of the body (R-F2); a second value replaces the first.
    pub fn field(self, name: &str, value: impl Serialize) -> Request {
        match serde_json::to_string(&value) {
            Ok(text) => self.field_json(name, &text),
            Err(cause) => Request { body: Body::Broken(format!("field {name}: {cause}")), ..self },
        }
    }

    /// Any further field as JSON text, numbers kept to the last digit.
    pub fn field_json(mut self, name: &str, text: &str) -> Request {
        match &mut self.body {
            Body::Built { members, .. } => {
                match members.iter_mut().find(|(given, _)| given == name) {
                    Some((_, value)) => text.clone_into(value),
                    None => members.push((name.to_owned(), text.to_owned())),
                }
            }
            _ => self.refuse(&format!("the field {name}")),
        }
        self
    }

    /// Whether messages and fields can be added; the error says why not.
    pub fn can_be_built(&self) -> Result<()> {
        match &self.body {
            Body::Built { .. } => Ok(()),
            Body::Broken(reason) => Err(Error::argument(reason)),
            Body::None | Body::Text(_) => Err(Error::argument(self.why_not_built())),
        }
    }

    fn why_not_built(&self) -> &'static str {
        match self.endpoint {
            Endpoint::Models => "the model list takes no body",
            Endpoint::Chat | Endpoint::Responses => "this request was given as whole JSON",
        }
    }

    /// Only a request that is being built can be added to; the first reason is kept.
    fn refuse(&mut self, what: &str) {
        if !matches!(self.body, Body::Broken(_)) {
            self.body = Body::Broken(format!("{what} cannot be added: {}", self.why_not_built()));
        }
    }

    /// For this call: waiting for a connection where `connections_max` are in use; `None` is off.
    pub fn pool_timeout(mut self, timeout: Option<Duration>) -> Request {
        self.options.timeouts.set(TimeoutPhase::Pool, timeout);
        self
    }

    /// For this call: from the start of an attempt to the complete head of its answer; `None` is
    /// off.
    pub fn first_byte_timeout(mut self, timeout: Option<Duration>) -> Request {
        self.options.timeouts.set(TimeoutPhase::FirstByte, timeout);
        self
    }

    /// For this call: between two pieces of substance of its answer; `None` is off.
    pub fn idle_timeout(mut self, timeout: Option<Duration>) -> Request {
        self.options.timeouts.set(TimeoutPhase::Idle, timeout);
        self
    }

    /// For this call: over all attempts and the waits between them; `None` is off.
    pub fn total_timeout(mut self, timeout: Option<Duration>) -> Request {
        self.options.timeouts.set(TimeoutPhase::Total, timeout);
        self
    }

    /// For this call: when and how often to try again.
    pub fn retry(mut self, retry: RetryPolicy) -> Request {
        self.options.retry = Some(retry);
        self
    }

    /// A header of this call; it replaces the client's of the same name.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.options.headers.push((name.into(), value.into()));
        self
    }

    /// A parameter of this call's query, behind those of the base URL; encoded here.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.options.query.push((name.into(), value.into()));
        self
    }

    /// Lets this plain call stream underneath and gather its answer, for a model that answers only
    /// by streaming (R-STR6). A `stream` in whole JSON gives way to it.
    pub fn stream_only(mut self, on: bool) -> Request {
        self.options.stream_only = Some(on);
        self
    }

    /// Lets this streamed call gather its chunks, so that the end of the stream has the whole
    /// answer too; off by default, which keeps memory flat.
    pub fn gather(mut self, on: bool) -> Request {
        self.options.gather = Some(on);
        self
    }

    /// Which operation this is.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// Checks what can be checked before it is known how the call is made. Starting a call checks
    /// all of it again.
    pub fn check(&self) -> Result<()> {
        match &self.body {
            Body::None => Ok(()),
            Body::Broken(reason) => Err(Error::argument(reason)),
            Body::Text(text) => Fields::find(text)?.check(self.endpoint, text),
            Body::Built { members, messages } => {
                let text = join(members, messages);
                Fields::find(&text)?.check(self.endpoint, &text)
            }
        }
    }

    /// Checks the request and makes it ready to send, streamed or whole.
    pub(crate) fn prepare(self, stream: bool, stream_only: bool) -> Result<Prepared> {
        let (endpoint, options) = (self.endpoint, self.options);
        options.check()?;
        let text = match self.body {
            Body::None if stream => return Err(Error::argument("the model list does not stream")),
            Body::None => {
                let (body, model, choices, stream) = (None, None, 1, false);
                return Ok(Prepared { endpoint, body, model, choices, stream, options });
            }
            Body::Broken(reason) => return Err(Error::argument(reason)),
            Body::Text(text) => text,
            Body::Built { members, messages } => join(&members, &messages),
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

impl Body {
    fn serialised(value: &impl Serialize) -> Body {
        match serde_json::to_string(value) {
            Ok(text) => Body::Text(text),
            Err(cause) => Body::Broken(format!("the request does not serialise to JSON: {cause}")),
        }
    }
}

/// The text of a request that was built step by step.
fn join(members: &[(String, String)], messages: &[String]) -> String {
    let mut text = String::from("{");
    for (name, value) in members {
        write_str(name, &mut text);
        text.push(':');
        text.push_str(value);
        text.push(',');
    }
    if !messages.is_empty() {
        text.push_str("\"messages\":[");
        text.push_str(&messages.join(","));
        text.push_str("],");
    }
    text.truncate(text.trim_end_matches(',').len());
    text.push('}');
    text
}

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

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
