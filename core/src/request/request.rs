//! A request as a program builds it: step by step, from a value, or from JSON text. Does no I/O.
//!
//! The caller's JSON is sent unchanged, with one edit: a top-level `stream` is inserted if the call
//! streams.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::TimeoutPhase;
use crate::answer::response::Response;
use crate::options::api_key::ApiKey;
use crate::options::call_options::CallOptions;
use crate::options::kinds::NamedOption;
use crate::options::retry_policy::RetryPolicy;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::value::{Kind, Value};
use crate::request::body::{Body, Built};
use crate::request::message::{Message, Part};
use crate::request::prepared::{self, Prepared};
use crate::request::tool::Tool;

/// A request for one of the three operations: built step by step, from any `Serialize` value, or from
/// JSON text that is sent unchanged.
///
/// It is checked before it is sent: the types of `model`, `messages`, `input` and `stream`; the `role`
/// of each message, and its `content`, which messages with the roles `user`, `system`, `developer` and
/// `tool` must have; and that the token limit, under its operation's name, is 1 or more. The error
/// names the place, `messages[2].content` for instance. The service checks everything else.
///
/// ```
/// use modelwire::Request;
///
/// let built = Request::chat("a-model").system("Be brief.").user("Hello").max_tokens(50);
/// let text = Request::chat_json(r#"{"model":"a-model","messages":[{"role":"user","content":"Hello"}]}"#);
/// let list = Request::models();
/// ```
///
/// Options of the call are set in the same way. An invalid one is an error when the call starts:
///
/// ```no_run
/// use modelwire::Request;
///
/// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
/// let request = Request::chat("a-model").user("Say hello.").gather(true).chunk_times(true);
/// let mut stream = client.blocking().stream(request)?;
/// for chunk in &mut stream {
///     print!("{}", chunk?.text());
/// }
/// let whole = stream.response().map(|response| response.json());
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Request {
    endpoint: Endpoint,
    body: Body,
    /// The first addition that was refused; reported when the request is sent.
    refused: Option<String>,
    options: CallOptions,
    tag: u64,
}

impl Request {
    /// The model list.
    pub fn models() -> Request {
        Request::with(Endpoint::Models, Body::None)
    }

    /// A chat completion, to build with [`user`](Request::user) and the other methods.
    pub fn chat(model: impl AsRef<str>) -> Request {
        Request::built(Endpoint::Chat, model.as_ref())
    }

    /// A response, to build with [`input`](Request::input) and the other methods.
    ///
    /// ```
    /// let request = modelwire::Request::responses("a-model").input("Hello").max_output_tokens(50);
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn responses(model: impl AsRef<str>) -> Request {
        Request::built(Endpoint::Responses, model.as_ref())
    }

    fn with(endpoint: Endpoint, body: Body) -> Request {
        Request { endpoint, body, refused: None, options: CallOptions::default(), tag: 0 }
    }

    fn built(endpoint: Endpoint, model: &str) -> Request {
        Request::empty(endpoint).set("model", model)
    }

    /// A request without a body yet: [`set`](Request::set) sets its model and all other fields. The
    /// model list has no fields.
    ///
    /// ```
    /// use modelwire::{Endpoint, Request};
    ///
    /// let request = Request::empty(Endpoint::Responses).set("model", "a-model").input("Hello");
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn empty(endpoint: Endpoint) -> Request {
        let body = match endpoint {
            Endpoint::Models => Body::None,
            Endpoint::Chat | Endpoint::Responses => Body::Built(Built::new(endpoint)),
        };
        Request::with(endpoint, body)
    }

    /// A request from JSON text, sent byte for byte. The model list has no body: it accepts only an
    /// empty text or an empty object, which is checked when the request is sent.
    ///
    /// ```
    /// use modelwire::{Endpoint, Request};
    ///
    /// let request = Request::of_json(Endpoint::Responses, r#"{"model":"a-model","input":"Hello"}"#);
    /// assert_eq!(request.endpoint(), Endpoint::Responses);
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn of_json(endpoint: Endpoint, text: impl Into<String>) -> Request {
        let text = text.into();
        match endpoint {
            Endpoint::Models if says_nothing(&text) => Request::models(),
            Endpoint::Models => Request::models().refuse(NO_BODY.to_owned()),
            Endpoint::Chat | Endpoint::Responses => Request::with(endpoint, Body::Text(text)),
        }
    }

    /// A chat completion from JSON text, sent byte for byte.
    pub fn chat_json(text: impl Into<String>) -> Request {
        Request::of_json(Endpoint::Chat, text)
    }

    /// A response from JSON text, sent byte for byte.
    ///
    /// ```
    /// let request = modelwire::Request::responses_json(r#"{"model":"a-model","input":"Hello"}"#);
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn responses_json(text: impl Into<String>) -> Request {
        Request::of_json(Endpoint::Responses, text)
    }

    /// A chat completion from any value that serializes to a JSON object.
    ///
    /// ```
    /// #[derive(serde::Serialize)]
    /// struct Chat<'a> { model: &'a str, messages: [Message<'a>; 1] }
    /// #[derive(serde::Serialize)]
    /// struct Message<'a> { role: &'a str, content: &'a str }
    ///
    /// let message = Message { role: "user", content: "Hello" };
    /// let request = modelwire::Request::chat_from(&Chat { model: "a-model", messages: [message] });
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn chat_from(value: &impl Serialize) -> Request {
        Request::serialised(Endpoint::Chat, value)
    }

    /// A response from any value that serializes to a JSON object.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// let body = HashMap::from([("model", "a-model"), ("input", "Hello")]);
    /// modelwire::Request::responses_from(&body).check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn responses_from(value: &impl Serialize) -> Request {
        Request::serialised(Endpoint::Responses, value)
    }

    fn serialised(endpoint: Endpoint, value: &impl Serialize) -> Request {
        match serde_json::to_string(value) {
            Ok(text) => Request::with(endpoint, Body::Text(text)),
            Err(cause) => Request::with(endpoint, Body::None)
                .refuse(format!("the request does not serialise to JSON: {cause}")),
        }
    }

    /// Adds a text message of any role: to the messages of a chat, or to the input of a response. A
    /// longer conversation generally costs more and takes longer.
    ///
    /// ```
    /// let request = modelwire::Request::chat("a-model")
    ///     .user("What is 6 times 7?")
    ///     .message("assistant", "42.")
    ///     .user("And 7 times 8?");
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn message(self, role: &str, content: &str) -> Request {
        self.add_message(Message::new(role, content))
    }

    /// Adds a user message.
    pub fn user(self, content: &str) -> Request {
        self.message("user", content)
    }

    /// Adds a system message.
    pub fn system(self, content: &str) -> Request {
        self.message("system", content)
    }

    /// Adds a message of the assistant, as a program writes it; what the model answered is added with
    /// [`add_response`](Request::add_response).
    pub fn assistant(self, content: &str) -> Request {
        self.message("assistant", content)
    }

    /// Adds a message, which may have several parts.
    ///
    /// ```
    /// use modelwire::{Message, Request};
    ///
    /// let question = Message::user("What is this?").image_url("https://example.org/a.png");
    /// Request::responses("a-model").add_message(question).check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn add_message(self, message: Message) -> Request {
        self.change("a message", |built| built.add_message(message))
    }

    /// Adds what the model answered to the conversation, as it sent it: the message of a chat's first
    /// choice with its tool calls, or all output items of a response. A stream must have been gathered.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// use modelwire::Request;
    ///
    /// let mut request = Request::chat("a-model").user("What is 6 times 7?");
    /// let answer = client.blocking().send(request.clone())?;
    /// request = request.add_response(&answer).user("And 7 times 8?");
    /// # Ok(()) }
    /// ```
    pub fn add_response(self, response: &Response) -> Request {
        self.change("the answer", |built| built.add_response(response))
    }

    /// Adds the result of a tool call, for the call's [`id`](crate::CalledTool::id). Each call of an
    /// answer needs one. [`run_tools`](crate::Client::run_tools) does this in a loop.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client, mut request: modelwire::Request) -> modelwire::Result<()> {
    /// let answer = client.blocking().send(request.clone())?;
    /// request = request.add_response(&answer);
    /// for call in answer.tool_calls() {
    ///     request = request.tool_result(&call.id, "sunny");
    /// }
    /// # Ok(()) }
    /// ```
    pub fn tool_result(self, id: &str, output: &str) -> Request {
        match id {
            "" => self.refuse("a tool result needs the id of its call".to_owned()),
            _ => self.result_of_call(id, output),
        }
    }

    /// The result of a call as the model made it, which may have no id.
    pub(crate) fn result_of_call(self, id: &str, output: &str) -> Request {
        self.change("a tool result", |built| built.add_tool_result(id, output))
    }

    /// Adds a function that the model may call.
    ///
    /// ```
    /// use modelwire::{Request, Tool};
    ///
    /// let time = Tool::new("time").description("The present time.");
    /// Request::chat("a-model").user("What time is it?").tool(time).check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn tool(self, tool: Tool) -> Request {
        let text = tool.json(self.endpoint);
        self.change("a tool", |built| built.append("tools", &text?))
    }

    /// Requires that the output is JSON that matches this JSON schema, strictly: `response_format` of a
    /// chat, `text.format` of a response. [`Response::parse`] reads the output.
    ///
    /// ```
    /// use modelwire::Request;
    /// use std::collections::BTreeMap;
    ///
    /// let schema = BTreeMap::from([("type", "object")]);
    /// Request::chat("a-model").user("Name a city.").response_schema("city", &schema).check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn response_schema(self, name: &str, schema: &impl Serialize) -> Request {
        let text = serde_json::to_string(schema).map_err(|cause| cause.to_string());
        self.change("a schema", |built| built.set_schema(name, &text?))
    }

    /// Requires that the output is JSON of this type: [`response_schema`](Request::response_schema) with
    /// the type's name and schema, where all members are required and no others are allowed.
    ///
    /// ```
    /// #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// struct City { name: String, people: Option<u64> }
    ///
    /// modelwire::Request::chat("a-model").user("Name a city.").response_type::<City>().check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    #[cfg(feature = "schemars")]
    pub fn response_type<T: schemars::JsonSchema>(self) -> Request {
        self.response_schema(&T::schema_name(), &super::schema::strict_schema::<T>())
    }

    /// Appends JSON text to a field that is an array: a tool to `tools`, a message of any form to
    /// `messages`, an item to `input`.
    ///
    /// ```
    /// let search = r#"{"type": "web_search"}"#;
    /// let request = modelwire::Request::responses("a-model").input("Hello").add_json("tools", search);
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn add_json(self, name: &str, text: &str) -> Request {
        self.change(&format!("an item of {name}"), |built| built.append(name, text))
    }

    /// Adds a text to the last message: for bindings, which have no [`Message`].
    #[doc(hidden)]
    pub fn add_text(self, text: &str) -> Request {
        self.change("a part", |built| built.add_part(Part::Text(text.to_owned())))
    }

    /// Adds an image by its URL to the last message: for bindings.
    #[doc(hidden)]
    pub fn add_image_url(self, url: &str) -> Request {
        self.change("a part", |built| built.add_part(Part::Image(url.to_owned())))
    }

    /// Adds an image by its bytes to the last message: for bindings.
    #[doc(hidden)]
    pub fn add_image(self, media_type: &str, bytes: &[u8]) -> Request {
        self.change("a part", |built| built.add_part(Part::image(media_type, bytes)))
    }

    /// The input of a response as a plain string. A longer input generally costs more and takes longer.
    pub fn input(self, input: &str) -> Request {
        self.set("input", input)
    }

    /// Upper bound on the output of a chat completion, in tokens (R-F1): 1 or more, which is checked
    /// when the request is sent; a higher bound may consume more. A response has
    /// [`max_output_tokens`](Request::max_output_tokens).
    pub fn max_tokens(self, tokens: u32) -> Request {
        self.set("max_tokens", tokens)
    }

    /// Upper bound on the output of a response, in tokens (R-F1): 1 or more, which is checked when
    /// the request is sent; a higher bound may consume more. A chat has
    /// [`max_tokens`](Request::max_tokens).
    pub fn max_output_tokens(self, tokens: u32) -> Request {
        self.set("max_output_tokens", tokens)
    }

    /// Sets any other field of the body (R-F2); a second value replaces the first.
    ///
    /// ```
    /// use modelwire::Request;
    ///
    /// let request = Request::chat("a-model")
    ///     .user("Hello")
    ///     .set("temperature", 0.2)
    ///     .set("stop", ["\n", "END"])
    ///     .set_json("response_format", r#"{"type": "json_object"}"#);
    /// request.check()?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn set(self, name: &str, value: impl Serialize) -> Request {
        match serde_json::to_string(&value) {
            Ok(text) => self.set_json(name, &text),
            Err(cause) => self.refuse(format!("field {name}: {cause}")),
        }
    }

    /// Sets any other field to one JSON value, with all digits of numbers.
    pub fn set_json(self, name: &str, text: &str) -> Request {
        self.change(&format!("the field {name}"), |built| {
            // Without this, a text with a comma would bring other fields into the request.
            Value::parse(text).map_err(|cause| format!("the value is not JSON: {cause}"))?;
            built.set(name, text);
            Ok(())
        })
    }

    /// Checks that messages and fields can be added; the error has the reason if not.
    ///
    /// ```
    /// use modelwire::Request;
    ///
    /// assert!(Request::chat("a-model").can_be_built().is_ok());
    /// let error = Request::chat_json("{}").can_be_built().unwrap_err();
    /// assert_eq!(error.message(), "this request was created from whole JSON");
    /// ```
    pub fn can_be_built(&self) -> Result<()> {
        match &self.body {
            Body::Built(_) => self.check_parts(),
            Body::None | Body::Text(_) => Err(Error::argument(self.why_not_built())),
        }
    }

    /// Changes the request; one that is refused leaves it as it was: for bindings, which report it at
    /// once.
    #[doc(hidden)]
    pub fn try_change(&mut self, change: impl FnOnce(Request) -> Request) -> Result<()> {
        self.can_be_built()?;
        let request = std::mem::replace(self, Request::models());
        *self = change(request);
        self.refused.take().map_or(Ok(()), |why| Err(Error::argument(why)))
    }

    fn why_not_built(&self) -> &'static str {
        match self.endpoint {
            Endpoint::Models => NO_BODY,
            Endpoint::Chat | Endpoint::Responses => "this request was created from whole JSON",
        }
    }

    /// Only a request built step by step can be extended.
    fn change(
        mut self,
        what: &str,
        change: impl FnOnce(&mut Built) -> Result<(), String>,
    ) -> Request {
        let changed = match &mut self.body {
            Body::Built(built) => change(built),
            Body::None | Body::Text(_) => Err(self.why_not_built().to_owned()),
        };
        match changed {
            Ok(()) => self,
            Err(why) => self.refuse(format!("{what} cannot be added: {why}")),
        }
    }

    /// The first reason is kept.
    fn refuse(mut self, why: String) -> Request {
        self.refused.get_or_insert(why);
        self
    }

    /// For this call: the timeout of this phase, `None` is off. Only the client has a connect timeout.
    ///
    /// ```
    /// use std::time::Duration;
    /// use modelwire::{Request, TimeoutPhase};
    ///
    /// let by_phase = Request::models().timeout(TimeoutPhase::Idle, None);
    /// let by_name = Request::models()
    ///     .pool_timeout(Some(Duration::from_secs(1)))
    ///     .first_byte_timeout(Some(Duration::from_secs(10)))
    ///     .first_content_timeout(Some(Duration::from_secs(20)))
    ///     .idle_timeout(None)
    ///     .pings_reset_idle(true)
    ///     .total_timeout(Some(Duration::from_secs(60)));
    /// ```
    pub fn timeout(mut self, phase: TimeoutPhase, timeout: Option<Duration>) -> Request {
        self.options.timeouts.set(phase, timeout);
        self
    }

    /// For this call: the wait for a connection while `connections_max` are in use, and for its turn
    /// with an adaptive retry policy; `None` is off.
    pub fn pool_timeout(self, timeout: Option<Duration>) -> Request {
        self.timeout(TimeoutPhase::Pool, timeout)
    }

    /// For this call: the time from the start of an attempt until the response headers are complete;
    /// `None` is off.
    pub fn first_byte_timeout(self, timeout: Option<Duration>) -> Request {
        self.timeout(TimeoutPhase::FirstByte, timeout)
    }

    /// For this call: the time from the start of an attempt until the first content of its answer; `None`
    /// is off.
    pub fn first_content_timeout(self, timeout: Option<Duration>) -> Request {
        self.timeout(TimeoutPhase::FirstContent, timeout)
    }

    /// For this call: the longest pause in the content of its answer's body; `None` is off.
    pub fn idle_timeout(self, timeout: Option<Duration>) -> Request {
        self.timeout(TimeoutPhase::Idle, timeout)
    }

    /// For this call: the time for all attempts and the waits between them; `None` is off.
    pub fn total_timeout(self, timeout: Option<Duration>) -> Request {
        self.timeout(TimeoutPhase::Total, timeout)
    }

    /// For this call: when and how often to retry.
    ///
    /// ```
    /// use modelwire::{Request, RetryPolicy};
    ///
    /// let request = Request::models().retry(RetryPolicy::default().max_retries(0));
    /// ```
    pub fn retry(mut self, retry: RetryPolicy) -> Request {
        self.options.retry = retry.into();
        self
    }

    /// A header of this call; it replaces the client's header of the same name.
    ///
    /// ```
    /// let request = modelwire::Request::models()
    ///     .header("x-trace", "7")
    ///     .without_header("x-team")
    ///     .query("limit", "20")
    ///     .api_key("sk-other");
    /// ```
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.options.headers.push((name.into(), value.into()));
        self
    }

    /// Omits the client's header of this name.
    pub fn without_header(mut self, name: impl Into<String>) -> Request {
        self.options.without_headers.push(name.into());
        self
    }

    /// A query parameter of this call, after those of the base URL; encoded here.
    pub fn query(mut self, name: impl Into<String>, value: impl Into<String>) -> Request {
        self.options.query.push((name.into(), value.into()));
        self
    }

    /// For bindings: the number in [`CallEnded::tag`](crate::CallEnded) of this call; it is not sent. 0
    /// by default.
    #[doc(hidden)]
    pub fn tag(mut self, tag: u64) -> Request {
        self.tag = tag;
        self
    }

    pub(crate) fn own_tag(&self) -> u64 {
        self.tag
    }

    /// The options of this call; tables.rs makes the setters of those that take one value.
    pub(crate) fn options_mut(&mut self) -> &mut CallOptions {
        &mut self.options
    }

    pub(crate) fn wants_chunk_times(&self) -> Option<bool> {
        self.options.chunk_times
    }

    /// The options that [`set_options`](Request::set_options) takes, except those with their own
    /// tables: [`RetryPolicy::OPTIONS`], and those of [`Timeouts::ALL`](crate::Timeouts::ALL) that a
    /// call can set, whose names end in `_timeout_ms` there.
    pub const OPTIONS: &'static [NamedOption] = CallOptions::OPTIONS;

    /// Sets options of this call from a JSON object, all of them or none. Rejects an unknown name and
    /// an invalid value. Options of the retry policy change only that part of the client's policy.
    /// Headers and query parameters are added to those already set.
    ///
    /// ```
    /// let mut request = modelwire::Request::chat("a-model").user("Hello");
    /// request.set_options(r#"{"total_timeout_ms": 5000, "max_retries": 0, "headers": {"x-a": "b"}}"#)?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn set_options(&mut self, json: &str) -> Result<()> {
        self.options.set(json)
    }

    /// The same request with the options of another one in place of its own: timeouts, retries, key,
    /// headers, query. For many requests with the same options.
    ///
    /// ```
    /// use modelwire::Request;
    ///
    /// let mut options = Request::models();
    /// options.set_options(r#"{"total_timeout_ms": 5000, "max_retries": 1}"#)?;
    /// let questions = ["What is 6 times 7?", "And 7 times 8?"];
    /// let requests = questions.map(|text| Request::chat("a-model").user(text).with_options_of(&options));
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn with_options_of(mut self, other: &Request) -> Request {
        self.options = other.options.clone();
        self
    }

    /// Sends it to only this one of several base URLs: for bulk jobs.
    #[doc(hidden)]
    pub fn to_service(mut self, number: usize) -> Request {
        self.options.upstream = Some(number);
        self
    }

    /// The operation.
    pub fn endpoint(&self) -> Endpoint {
        self.endpoint
    }

    /// The key of this call, if it has its own.
    pub(crate) fn own_api_key(&self) -> Option<Arc<ApiKey>> {
        self.options.api_key().cloned()
    }

    /// Checks everything that does not depend on how the call is made. Starting a call checks it again.
    ///
    /// ```
    /// let error = modelwire::Request::chat("a-model").check().unwrap_err();
    /// assert_eq!(error.kind().name(), "argument");
    /// println!("{error}"); // names the place and says what is missing
    /// ```
    pub fn check(&self) -> Result<()> {
        self.options.check()?;
        match self.text()? {
            Some(text) => prepared::check(self.endpoint, &text),
            None => Ok(()),
        }
    }

    /// Fails if something that was added before is invalid.
    fn check_parts(&self) -> Result<()> {
        self.refused.as_ref().map_or(Ok(()), |why| Err(Error::argument(why)))
    }

    /// The JSON text, if there is one.
    fn text(&self) -> Result<Option<Cow<'_, str>>> {
        self.check_parts()?;
        Ok(match &self.body {
            Body::None => None,
            Body::Text(text) => Some(text.into()),
            Body::Built(built) => Some(built.text().into()),
        })
    }

    /// Checks the request and makes it ready to send, streamed or whole.
    pub(crate) fn prepare(self, stream: bool, stream_only: bool) -> Result<Prepared> {
        self.options.check()?;
        self.check_parts()?;
        let text = match self.body {
            Body::None => None,
            Body::Text(text) => Some(text),
            Body::Built(built) => Some(built.text()),
        };
        Prepared::new(self.endpoint, text, self.options, stream, stream_only)
    }
}

const NO_BODY: &str = "the model list takes no body";

/// Whether this is the JSON of a request without a body.
fn says_nothing(text: &str) -> bool {
    let is_empty = |value: Value<'_>| value.kind() == Kind::Object && value.count() == 0;
    text.trim().is_empty() || Value::parse(text).is_ok_and(is_empty)
}

#[cfg(test)]
#[path = "request_tests.rs"]
mod tests;
