//! The result of a finished call: the HTTP head, the document, and how a stream ended.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::answer::head::Head;
use crate::answer::parsed::{self, NotParsed};
use crate::answer::rate_limits::RateLimits;
use crate::answer::record::{Answered, CallRecord};
use crate::protocol::choice::ToolCall;
use crate::protocol::document::{Document, model_name};
use crate::protocol::endpoint::Endpoint;
use crate::protocol::json::JsonError;
use crate::protocol::usage::Usage;
use crate::protocol::value::Value;

/// How an answer was known to be complete (R-STR7).
///
/// ```
/// # use std::io::{Read, Write};
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", listener.local_addr()?);
/// # std::thread::spawn(move || -> std::io::Result<u64> {
/// #     let mut connection = listener.accept()?.0;
/// #     connection.read(&mut [0; 4096])?;
/// #     let body = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n\
/// #         data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\n\
/// #         data: [DONE]\n\n";
/// #     let head = format!("content-length: {}\r\nx-request-id: req-1", body.len());
/// #     write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")?;
/// #     std::io::copy(&mut connection, &mut std::io::sink())
/// # });
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::{End, Request};
///
/// let mut stream = client.blocking().stream(Request::chat("a-model").user("Say hello."))?;
/// for chunk in &mut stream {
///     print!("{}", chunk?.text());
/// }
/// let end = stream.response().map(|response| response.end());
/// assert_eq!(end, Some(End::DoneMark));
/// assert_eq!(end.map(End::name), Some("done_mark"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was one document.
    Document,
    /// `data: [DONE]`
    DoneMark,
    /// `response.completed`, `response.failed` or `response.incomplete`
    FinalEvent,
    /// A clean end of the body after every choice had its finish reason
    FinishReasons,
}

impl End {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            End::Document => "document",
            End::DoneMark => "done_mark",
            End::FinalEvent => "final_event",
            End::FinishReasons => "finish_reasons",
        }
    }
}

/// A tool call of an answer. Members that the service omitted are empty.
///
/// ```
/// # use std::io::{Read, Write};
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", listener.local_addr()?);
/// # std::thread::spawn(move || -> std::io::Result<u64> {
/// #     let mut connection = listener.accept()?.0;
/// #     connection.read(&mut [0; 4096])?;
/// #     let body = r#"{"choices":[{"message":{"tool_calls":[
/// #         {"id":"call-1","function":{"name":"weather","arguments":"{\"city\":\"Rome\"}"}}]}}]}"#;
/// #     let head = format!("content-length: {}\r\nx-request-id: req-1", body.len());
/// #     write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")?;
/// #     std::io::copy(&mut connection, &mut std::io::sink())
/// # });
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::{Request, Value};
///
/// let tools = r#"[{"type": "function", "function": {"name": "weather"}}]"#;
/// let request = Request::chat("a-model").user("Is it raining in Rome?").set_json("tools", tools);
/// for call in client.blocking().send(request)?.tool_calls() {
///     let arguments = Value::parse(&call.arguments)?;
///     let city = arguments.get("city").and_then(Value::as_str);
///     assert_eq!((&*call.name, city.as_deref()), ("weather", Some("Rome")));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalledTool {
    /// The id that its result must refer to: `id` in chats, `call_id` in responses.
    pub id: String,
    /// The function's name.
    pub name: String,
    /// The function's arguments as JSON text, as the model wrote it.
    pub arguments: String,
}

impl CalledTool {
    /// The arguments as a value of this type; no arguments read as an empty object.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// # let call = modelwire::CalledTool { id: "1".into(), name: "weather".into(), arguments: r#"{"city":"Rome"}"#.into() };
    /// let arguments: HashMap<String, String> = call.parse()?;
    /// assert_eq!(arguments["city"], "Rome");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(if self.arguments.trim().is_empty() { "{}" } else { &self.arguments })
    }

    fn of_chat(call: ToolCall<'_>) -> CalledTool {
        let own = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned).unwrap_or_default();
        CalledTool { id: own(call.id()), name: own(call.name()), arguments: own(call.arguments()) }
    }

    fn of_response(item: Value<'_>) -> Option<CalledTool> {
        let text = |name| Some(item.get(name)?.as_text()?.into_owned());
        if text("type")? != "function_call" {
            return None;
        }
        let part = |name| text(name).unwrap_or_default();
        Some(CalledTool { id: part("call_id"), name: part("name"), arguments: part("arguments") })
    }
}

/// The answer to a call. Cheap to clone.
///
/// ```
/// # use std::io::{Read, Write};
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", listener.local_addr()?);
/// # std::thread::spawn(move || -> std::io::Result<u64> {
/// #     let mut connection = listener.accept()?.0;
/// #     connection.read(&mut [0; 4096])?;
/// #     let body = r#"{"model":"a-model","usage":{"prompt_tokens":3,"completion_tokens":1},
/// #         "choices":[{"finish_reason":"stop","message":{"content":"Hello"}}]}"#;
/// #     let head = format!("content-length: {}\r\nx-request-id: req-1", body.len());
/// #     write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")?;
/// #     std::io::copy(&mut connection, &mut std::io::sink())
/// # });
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::Request;
///
/// let answer = client.blocking().send(Request::chat("a-model").user("Say hello."))?;
/// assert_eq!((&*answer.text(), answer.model().as_deref()), ("Hello", Some("a-model")));
/// assert_eq!(answer.finish_reason().as_deref(), Some("stop"));
/// assert_eq!(answer.usage().map(|usage| usage.total_tokens), Some(4));
/// assert_eq!((answer.head().status(), answer.attempts()), (200, 1));
/// assert!(answer.tool_calls().is_empty() && answer.reasoning().is_empty());
/// println!("{} in {:?}: {}", answer.json(), answer.elapsed(), answer.info_json());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Response(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    endpoint: Endpoint,
    head: Arc<Head>,
    document: Option<Document>,
    answered: Answered,
    end: End,
    is_gathered: bool,
    attempts: u32,
    elapsed: Duration,
    record: Option<CallRecord>,
}

impl Response {
    pub(crate) fn whole(endpoint: Endpoint, head: Arc<Head>, document: Document) -> Response {
        let answered = answered(endpoint, &document);
        Response::new(endpoint, head, answered, End::Document, Some(document), false)
    }

    /// An answer that was saved, for bulk jobs, which copy it; an error if it is not JSON.
    #[doc(hidden)]
    pub fn saved(
        endpoint: Endpoint,
        status: u16,
        request_id: Option<String>,
        json: &str,
    ) -> Result<Response, JsonError> {
        let head = Head::new(status, request_id.map(|id| ("x-request-id", id)));
        Ok(Response::whole(endpoint, Arc::new(head), Document::scan(json)?))
    }

    fn new(
        endpoint: Endpoint,
        head: Arc<Head>,
        answered: Answered,
        end: End,
        document: Option<Document>,
        is_gathered: bool,
    ) -> Response {
        let (attempts, elapsed, record) = (0, Duration::ZERO, None);
        Response(Arc::new(Parts {
            endpoint,
            head,
            document,
            answered,
            end,
            is_gathered,
            attempts,
            elapsed,
            record,
        }))
    }

    /// The record of its call.
    pub(crate) fn with_record(mut self, record: CallRecord) -> Response {
        if let Some(parts) = Arc::get_mut(&mut self.0) {
            parts.record = Some(record);
        }
        self
    }

    /// The record of its call: the times of its steps, and its outcome.
    pub fn record(&self) -> Option<&CallRecord> {
        self.0.record.as_ref()
    }

    /// The metadata of the answer, for its record; moved, unless the answer was cloned.
    pub(crate) fn take_answered(&mut self) -> Answered {
        let Some(parts) = Arc::get_mut(&mut self.0) else { return self.0.answered.clone() };
        let usage = parts.answered.usage;
        std::mem::replace(&mut parts.answered, Answered { usage, ..Answered::default() })
    }

    /// The metadata of the answer.
    pub(crate) fn answered(&self) -> &Answered {
        &self.0.answered
    }

    /// Sets attempts and elapsed time.
    pub(crate) fn after(mut self, attempts: u32, elapsed: Duration) -> Response {
        if let Some(parts) = Arc::get_mut(&mut self.0) {
            (parts.attempts, parts.elapsed) = (attempts, elapsed);
        }
        self
    }

    /// The number of attempts.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// The time from the start of the call's first wait or attempt to the end of the answer.
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed
    }

    /// The end of a stream; `gathered` is the assembled answer, if the call gathers.
    pub(crate) fn streamed(
        endpoint: Endpoint,
        head: Arc<Head>,
        answered: Answered,
        end: End,
        gathered: Option<Document>,
    ) -> Response {
        let is_gathered = gathered.is_some();
        Response::new(endpoint, head, answered, end, gathered, is_gathered)
    }

    /// Whether the document was assembled from the chunks of a stream; false for one that the service
    /// sent.
    pub fn is_gathered(&self) -> bool {
        self.0.is_gathered
    }

    /// The operation that was called.
    pub fn endpoint(&self) -> Endpoint {
        self.0.endpoint
    }

    /// Status and headers.
    pub fn head(&self) -> &Head {
        &self.0.head
    }

    pub(crate) fn shared_head(&self) -> &Arc<Head> {
        &self.0.head
    }

    /// The whole answer; `None` at the end of a stream that was not gathered, where the chunks were the
    /// answer.
    pub fn document(&self) -> Option<&Document> {
        self.0.document.as_ref()
    }

    /// The JSON text of the whole answer, as it was sent or gathered; empty at the end of a stream
    /// that was not gathered.
    pub fn json(&self) -> &str {
        self.document().map_or("", Document::json)
    }

    /// [`Response::json`] with a terminating NUL, without a copy.
    #[doc(hidden)]
    pub fn json_and_nul(&self) -> &str {
        self.document().map_or("\0", Document::json_and_nul)
    }

    /// Why the first choice of a chat stopped, or the `status` of a response; `None` where there is
    /// none, and at the end of a stream that was not gathered.
    pub fn finish_reason(&self) -> Option<Cow<'_, str>> {
        self.document()?.finish_reason()
    }

    /// The output text of the whole answer; empty at the end of a stream that was not gathered.
    pub fn text(&self) -> Cow<'_, str> {
        self.document().map(Document::text).unwrap_or_default()
    }

    /// The output text as a value of this type, for structured output.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use modelwire::Request;
    /// use std::collections::HashMap;
    ///
    /// let request = Request::chat("a-model").user("People by city, as JSON.");
    /// let people: HashMap<String, u64> = client.blocking().send(request)?.parse()?;
    /// # Ok(()) }
    /// ```
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, NotParsed> {
        parsed::parse(self.document())
    }

    /// The model's reasoning, see [`Document::reasoning`]; empty at the end of a stream that was not
    /// gathered.
    pub fn reasoning(&self) -> Cow<'_, str> {
        self.document().map(Document::reasoning).unwrap_or_default()
    }

    /// The rate limits in the headers, see [`Head::rate_limits`].
    pub fn rate_limits(&self) -> Option<RateLimits> {
        self.head().rate_limits()
    }

    /// The usage that the service reported, whole or streamed (R-MET2).
    pub fn usage(&self) -> Option<Usage> {
        self.0.answered.usage
    }

    /// How the answer was known to be complete.
    pub fn end(&self) -> End {
        self.0.end
    }

    /// The tool calls that the model made: those of a chat's first choice, or the function calls
    /// of a response, in order.
    pub fn tool_calls(&self) -> Vec<CalledTool> {
        let Some(document) = self.document() else { return Vec::new() };
        if let Some(choice) = document.choices().next() {
            return choice.tool_calls().map(CalledTool::of_chat).collect();
        }
        let output = document.value().get("output").map(Value::items).unwrap_or_default();
        output.into_iter().filter_map(CalledTool::of_response).collect()
    }

    /// The ids of a model list, which requests use: for each entry its `id`, otherwise `identifier`,
    /// `name` or `model`, or the entry itself if it is a text (R-OP2).
    pub fn model_ids(&self) -> Vec<String> {
        let mut ids = Vec::new();
        let list = self.document().and_then(Document::model_list).unwrap_or(Value::NULL);
        list.each_item(|entry| ids.extend(model_name(entry)));
        ids
    }
}

/// A document's own id, model and finish reason; a model list has none.
fn answered(endpoint: Endpoint, document: &Document) -> Answered {
    let usage = document.usage();
    if endpoint == Endpoint::Models {
        return Answered { usage, ..Answered::default() };
    }
    let own = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
    Answered {
        response_id: own(document.id()),
        response_model: own(document.model().filter(|model| !model.is_empty())),
        finish_reason: own(document.finish_reason()),
        usage,
    }
}
