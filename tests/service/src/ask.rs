//! Parses a request to a model, and rejects missing or ill-typed fields.

use serde_json::{Map, Value};

use crate::answer::count_words;
use crate::model::Model;
use crate::problem::Problem;

/// Maximum choices of one chat.
const CHOICES_MAX: u64 = 8;

/// The requested operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Chat,
    Response,
}

/// A validated request.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) operation: Operation,
    pub(crate) model: Model,
    /// The model as the request names it.
    pub(crate) name: String,
    /// The text that an echo repeats: the last message of a user, or the results of tools after it.
    pub(crate) text: String,
    /// Whether the conversation ends with results of tools.
    pub(crate) has_tool_results: bool,
    /// The functions that a chat declares as tools.
    pub(crate) tools: Vec<Tool>,
    pub(crate) input_words: u64,
    pub(crate) words_max: Option<u64>,
    pub(crate) stream: bool,
    pub(crate) choices: usize,
    pub(crate) include_usage: bool,
}

/// A declared function.
#[derive(Debug)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The names of its parameters that are strings.
    pub(crate) texts: Vec<String>,
}

type Body = Map<String, Value>;

impl Ask {
    /// Parses a request to a played model.
    pub(crate) fn read(operation: Operation, body: &[u8]) -> Result<Ask, Problem> {
        let ask = Ask::read_any(operation, body)?;
        // Checked last, so that an ill-typed request to an unknown model reports the ill-typed field.
        let model = Model::named(&ask.name).ok_or_else(|| unknown_model(&ask.name))?;
        Ok(Ask { model, ..ask })
    }

    /// Parses a request to a model of any name: scripted answers work for every model.
    pub(crate) fn read_any(operation: Operation, body: &[u8]) -> Result<Ask, Problem> {
        let body = object_of(body)?;
        let name = match body.get("model") {
            None => {
                return Err(Problem::field("model", "you must provide a model parameter"));
            }
            Some(Value::String(name)) if !name.is_empty() => name,
            Some(_) => return Err(Problem::field("model", "model must be a non-empty string")),
        };
        let said = match operation {
            Operation::Chat => messages(&body)?,
            Operation::Response => input(&body)?,
        };
        let words_max = match operation {
            Operation::Chat => {
                let older = bound(&body, "max_tokens")?;
                bound(&body, "max_completion_tokens")?.or(older)
            }
            Operation::Response => bound(&body, "max_output_tokens")?,
        };
        Ok(Ask {
            operation,
            model: Model::Echo,
            name: name.clone(),
            has_tool_results: !said.tool_results.is_empty(),
            text: if said.tool_results.is_empty() {
                said.last_of_user
            } else {
                said.tool_results.join("\n")
            },
            tools: tools(&body),
            input_words: said.words,
            words_max,
            stream: flag(&body, "stream")?,
            choices: choices(operation, &body)?,
            include_usage: include_usage(&body)?,
        })
    }
}

fn object_of(body: &[u8]) -> Result<Body, Problem> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(Problem::new(400, "the body of the request must be a JSON object")),
        Err(error) => {
            let message = format!("could not parse the JSON body of the request: {error}");
            Err(Problem::new(400, message))
        }
    }
}

fn unknown_model(name: &str) -> Problem {
    let message = format!("The model {name:?} does not exist or you do not have access to it.");
    Problem::new(404, message).code("model_not_found")
}

/// The parts of a conversation that an echo needs.
#[derive(Default)]
struct Said {
    last_of_user: String,
    /// The results of tools since the last message of another role.
    tool_results: Vec<String>,
    words: u64,
}

impl Said {
    fn hear(&mut self, role: &str, text: String) {
        self.words += count_words(&text);
        if role == "tool" {
            self.tool_results.push(text);
            return;
        }
        self.tool_results.clear();
        if role == "user" {
            self.last_of_user = text;
        }
    }
}

fn messages(body: &Body) -> Result<Said, Problem> {
    let messages = match body.get("messages") {
        None => {
            return Err(Problem::field("messages", "missing required parameter: messages"));
        }
        Some(Value::Array(messages)) if !messages.is_empty() => messages,
        Some(_) => {
            return Err(Problem::field("messages", "messages must be a non-empty array"));
        }
    };
    let mut said = Said::default();
    for (index, message) in messages.iter().enumerate() {
        let at = format!("messages[{index}]");
        if !message.is_object() {
            return Err(Problem::field(&at, format!("{at} must be an object")));
        }
        let role = required_text(message, &at, "role")?;
        said.hear(role, content(message, &at)?);
    }
    Ok(said)
}

/// The functions among the tools; what is none is skipped, and so is a function without a name.
fn tools(body: &Body) -> Vec<Tool> {
    let declared = body.get("tools").and_then(Value::as_array).into_iter().flatten();
    let functions = declared.filter_map(|tool| tool.get("function"));
    let tool = |function: &Value| {
        let name = function.get("name")?.as_str()?.to_owned();
        let parameters = function.pointer("/parameters/properties").and_then(Value::as_object);
        let texts = parameters.into_iter().flatten().filter(|(_, schema)| {
            schema.get("type").and_then(Value::as_str).is_some_and(|kind| kind == "string")
        });
        Some(Tool { name, texts: texts.map(|(name, _)| name.clone()).collect() })
    };
    functions.filter_map(tool).collect()
}

fn input(body: &Body) -> Result<Said, Problem> {
    let mut said = Said::default();
    let items = match body.get("input") {
        None => return Err(Problem::field("input", "missing required parameter: input")),
        Some(Value::String(text)) => {
            said.hear("user", text.clone());
            return Ok(said);
        }
        Some(Value::Array(items)) if !items.is_empty() => items,
        Some(_) => {
            let message = "input must be a string or a non-empty array of items";
            return Err(Problem::field("input", message));
        }
    };
    for (index, item) in items.iter().enumerate() {
        let at = format!("input[{index}]");
        if !item.is_object() {
            return Err(Problem::field(&at, format!("{at} must be an object")));
        }
        // Items other than messages (tool outputs, references) have no role and no text.
        if item.get("role").is_some() {
            let role = required_text(item, &at, "role")?;
            said.hear(role, content(item, &at)?);
        }
    }
    Ok(said)
}

fn required_text<'v>(object: &'v Value, at: &str, name: &str) -> Result<&'v str, Problem> {
    object.get(name).and_then(Value::as_str).ok_or_else(|| {
        let at = format!("{at}.{name}");
        Problem::field(&at, format!("{at} must be a string"))
    })
}

/// The text of a message; parts that are not text are skipped.
fn content(message: &Value, at: &str) -> Result<String, Problem> {
    let at = format!("{at}.content");
    match message.get("content") {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Array(parts)) => {
            let mut text = String::new();
            for (index, part) in parts.iter().enumerate() {
                let kind = required_text(part, &format!("{at}[{index}]"), "type")?;
                if matches!(kind, "text" | "input_text" | "output_text") {
                    text.push_str(required_text(part, &format!("{at}[{index}]"), "text")?);
                }
            }
            Ok(text)
        }
        Some(_) => {
            let message = format!("{at} must be a string or an array of parts");
            Err(Problem::field(&at, message))
        }
    }
}

/// A field that is present; null counts as absent, as in OpenAI's API.
fn present<'b>(body: &'b Body, name: &str) -> Option<&'b Value> {
    body.get(name).filter(|value| !value.is_null())
}

fn flag(body: &Body, name: &str) -> Result<bool, Problem> {
    match present(body, name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Problem::field(name, format!("{name} must be a boolean"))),
    }
}

fn bound(body: &Body, name: &str) -> Result<Option<u64>, Problem> {
    match present(body, name) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(bound) if bound > 0 => Ok(Some(bound)),
            _ => Err(Problem::field(name, format!("{name} must be an integer of at least 1"))),
        },
    }
}

fn choices(operation: Operation, body: &Body) -> Result<usize, Problem> {
    let choices = match operation {
        Operation::Chat => bound(body, "n")?.unwrap_or(1),
        Operation::Response => 1,
    };
    usize::try_from(choices)
        .ok()
        .filter(|_| choices <= CHOICES_MAX)
        .ok_or_else(|| Problem::field("n", format!("n must be at most {CHOICES_MAX}")))
}

fn include_usage(body: &Body) -> Result<bool, Problem> {
    match present(body, "stream_options") {
        None => Ok(false),
        Some(Value::Object(options)) => flag(options, "include_usage"),
        Some(_) => Err(Problem::field("stream_options", "stream_options must be an object")),
    }
}
