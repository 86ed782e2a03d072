//! Converts one line of text to a request: detects its form, and fills in defaults. Pure.

use std::borrow::Cow;
use std::sync::Arc;

use modelwire::{Endpoint, Error, Kind, Request, Value};

use crate::checks::Schemas;
use crate::input::fault::{
    CORRECT, Fault, Members, as_clause, fault, find, kind_name, names, no_form, no_object,
    not_json, shortened,
};
use crate::input::options::RowOptions;
use crate::input::template::Template;
use crate::row::{BodyHash, CUSTOM_ID_BYTES_MAX};

/// The default name of the member that names a row.
const CUSTOM_ID: &str = "custom_id";

/// The maximum members of a row, and of its body: as many as a table has columns.
const ROW_MEMBERS_MAX: usize = 65_536;

/// A line that is a request.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    pub(crate) endpoint: Endpoint,
    pub(crate) body: Cow<'a, str>,
    pub(crate) model: Arc<str>,
    pub(crate) custom_id: Option<Cow<'a, str>>,
    pub(crate) hash: BodyHash,
}

/// The forms of lines.
#[derive(Debug)]
pub(crate) struct Forms {
    operation: Option<Endpoint>,
    prompt: Option<Template>,
    id: Option<String>,
    stream_only: bool,
    /// Set if schemas must be valid.
    schemas: Option<Schemas>,
    /// The default members of bodies: name, and the member as JSON.
    filled: Vec<(String, String)>,
    /// The member between the model and the prompt.
    system: Option<String>,
    /// The model of the last row: most rows have the same one.
    model: Arc<str>,
}

impl Forms {
    pub(crate) fn new(options: &RowOptions) -> Forms {
        let member =
            |(name, json): &(String, String)| (name.clone(), format!("{}:{json}", quoted(name)));
        let model = options.model.as_ref().map(|model| ("model".to_owned(), quoted(model)));
        Forms {
            operation: options.operation,
            prompt: options.prompt.clone(),
            id: options.id.clone(),
            stream_only: options.stream_only,
            schemas: options.checks_schemas.then(Schemas::default),
            filled: model.iter().chain(&options.set).map(member).collect(),
            system: options.system.as_deref().map(quoted),
            model: Arc::from(""),
        }
    }

    /// Reads a line.
    pub(crate) fn read<'a>(&mut self, line: &'a str) -> Result<Draft<'a>, Fault> {
        let value = Value::parse(line).map_err(|error| not_json(line, error))?;
        if value.kind() != Kind::Object {
            return Err(no_object(value));
        }
        let members = members_of(value)?;
        let custom_id = self.custom_id(&members)?;
        let mut draft = self.draft(value, members, custom_id.clone());
        if let (Some(schemas), Ok(made)) = (&mut self.schemas, &draft)
            && let Err(reason) = schemas.check(made.endpoint, &made.body)
        {
            draft = Err(fault(reason, "correct the schema"));
        }
        draft.map_err(|fault| Fault { custom_id: custom_id.map(Cow::into_owned), ..fault })
    }

    fn draft<'a>(
        &mut self,
        value: Value<'a>,
        members: Members<'a>,
        custom_id: Option<Cow<'a, str>>,
    ) -> Result<Draft<'a>, Fault> {
        let has = |name| find(&members, name).is_some();
        if let Some(template) = &self.prompt {
            let body = self.of_prompt(&template.prompt(&members)?);
            let endpoint = self.operation.unwrap_or(Endpoint::Chat);
            let made = Value::validated(&body).members();
            let body = self.filled(&body, &made, None);
            let model = self.model_of(&made)?;
            return finish(endpoint, Cow::Owned(body.into_owned()), model, custom_id);
        }
        if has("messages") || has("input") {
            let name = self.id.as_deref().unwrap_or(CUSTOM_ID);
            let body = self.filled(value.text(), &members, Some(name));
            let endpoint = self.endpoint(&members, None)?;
            self.check_stream(&members)?;
            let model = self.model_of(&members)?;
            return finish(endpoint, body, model, custom_id);
        }
        let Some(body) = find(&members, "body") else { return Err(no_form(&members)) };
        let url = url(&members)?;
        if body.kind() != Kind::Object {
            let reason = format!("body must be an object, not {}", kind_name(body.kind()));
            return Err(fault(reason, "write the request as an object, not as a string"));
        }
        let members = members_of(body)?;
        let endpoint = self.endpoint(&members, url)?;
        self.check_stream(&members)?;
        let model = self.model_of(&members)?;
        finish(endpoint, self.filled(body.text(), &members, None), model, custom_id)
    }

    /// The row's own name, if it has one.
    fn custom_id<'a>(&self, members: &Members<'a>) -> Result<Option<Cow<'a, str>>, Fault> {
        let name = self.id.as_deref().unwrap_or(CUSTOM_ID);
        let found = find(members, name);
        let Some(value) = found.filter(|value| !value.is_null()) else {
            let what = if found.is_some() { "null" } else { "missing" };
            return match &self.id {
                Some(id) => Err(fault(
                    format!(
                        "{id:?} is {what}, which names each row (--id-field); {}",
                        names(members)
                    ),
                    if found.is_some() { "write a string or a number" } else { "add it" },
                )),
                None => Ok(None),
            };
        };
        let text = match value.kind() {
            Kind::String => value.as_str().unwrap_or_default(),
            Kind::Number => Cow::Borrowed(value.text()),
            kind @ (Kind::Null | Kind::Bool | Kind::Array | Kind::Object) => {
                let reason =
                    format!("{name} must be a string or a number, not {}", kind_name(kind));
                return Err(fault(reason, "write one that no other row has"));
            }
        };
        let reason = if text.is_empty() {
            "is empty".to_owned()
        } else if text.len() > CUSTOM_ID_BYTES_MAX {
            format!(
                "has {} bytes, more than CUSTOM_ID_BYTES_MAX = {CUSTOM_ID_BYTES_MAX}",
                text.len()
            )
        } else if text.chars().any(char::is_control) {
            "has control characters".to_owned()
        } else {
            return Ok(Some(text));
        };
        Err(fault(format!("{name} {reason}"), "write a short string that no other row has"))
    }

    /// The body for any object, with this prompt as JSON.
    fn of_prompt(&self, text: &str) -> String {
        match (self.operation, &self.system) {
            (Some(Endpoint::Responses), None) => format!("{{\"input\":{text}}}"),
            (Some(Endpoint::Responses), Some(system)) => {
                format!("{{\"instructions\":{system},\"input\":{text}}}")
            }
            (_, None) => format!("{{\"messages\":[{{\"role\":\"user\",\"content\":{text}}}]}}"),
            (_, Some(system)) => format!(
                "{{\"messages\":[{{\"role\":\"system\",\"content\":{system}}},\
                 {{\"role\":\"user\",\"content\":{text}}}]}}"
            ),
        }
    }

    /// The operation that the url, the content and the options agree on.
    fn endpoint(&self, body: &Members<'_>, url: Option<Endpoint>) -> Result<Endpoint, Fault> {
        let has = |name| find(body, name).is_some();
        let told = match (has("messages"), has("input")) {
            _ if url.is_some() => url,
            (true, false) => Some(Endpoint::Chat),
            (false, true) => Some(Endpoint::Responses),
            (true, true) | (false, false) => None,
        };
        match (told, self.operation) {
            (Some(told), Some(asked)) if told != asked => {
                let by = if url.is_some() { "its url says" } else { "it is" };
                let (told, asked) = (operation_name(told), operation_name(asked));
                let reason = format!("{by} {told}, but --operation is {asked}");
                Err(fault(reason, "leave --operation out, or correct the line"))
            }
            (Some(endpoint), _) | (None, Some(endpoint)) => Ok(endpoint),
            (None, None) if has("messages") => Err(fault(
                "the body has messages (chat) and input (responses)",
                "remove one of them, or give --operation chat or --operation responses",
            )),
            (None, None) => Err(fault("the body has neither messages nor input", CORRECT)),
        }
    }

    /// The model that the body names, or the default one.
    fn model_of(&mut self, body: &Members<'_>) -> Result<Arc<str>, Fault> {
        let named = find(body, "model");
        let filled = self.filled.iter().find(|(name, _)| name == "model");
        let member =
            filled.map(|(_, member)| Value::validated(member.trim_start_matches("\"model\":")));
        let Some(model) = named.or(member) else {
            let advice = "add \"model\" to the body, or give --model";
            return Err(fault("no model: neither the row nor --model names one", advice));
        };
        // The check of the whole request reports a model that is not a string.
        let model = model.as_str().unwrap_or_default();
        if *self.model != *model {
            self.model = Arc::from(&*model);
        }
        Ok(self.model.clone())
    }

    fn check_stream(&self, body: &Members<'_>) -> Result<(), Fault> {
        let streams = find(body, "stream").and_then(Value::as_bool) == Some(true);
        if !streams || self.stream_only {
            return Ok(());
        }
        Err(fault(
            "the body says \"stream\": true, but results are whole answers",
            "remove stream, or give --option stream_only=true, which streams internally",
        ))
    }

    /// The body with the missing members in front, and without the member that names the row.
    fn filled<'a>(&self, body: &'a str, members: &Members<'_>, id: Option<&str>) -> Cow<'a, str> {
        let mut body = match id {
            Some(id) if find(members, id).is_some() => Cow::Owned(without(body, members, id)),
            _ => Cow::Borrowed(body),
        };
        let lacking = self.filled.iter().filter(|(name, _)| find(members, name).is_none());
        let mut added: String = lacking.map(|(_, member)| format!("{member},")).collect();
        if !added.is_empty() {
            let rest = body.strip_prefix('{').unwrap_or_default();
            if rest.trim_start() == "}" {
                added.pop();
            }
            body = Cow::Owned(format!("{{{added}{rest}"));
        }
        body
    }
}

/// The members of an object, unless there are too many: a list of them may take eight times the text.
fn members_of(object: Value<'_>) -> Result<Members<'_>, Fault> {
    // A member has at least five bytes, as in `"":0,`. Others need not be counted.
    let may_exceed = object.text().len() / 5 > ROW_MEMBERS_MAX;
    match if may_exceed { object.count() } else { 0 } {
        0..=ROW_MEMBERS_MAX => Ok(object.members()),
        many => {
            let reason =
                format!("it has {many} members, more than ROW_MEMBERS_MAX = {ROW_MEMBERS_MAX}");
            Err(fault(reason, CORRECT))
        }
    }
}

fn finish<'a>(
    endpoint: Endpoint,
    body: Cow<'a, str>,
    model: Arc<str>,
    custom_id: Option<Cow<'a, str>>,
) -> Result<Draft<'a>, Fault> {
    if let Err(error) = Request::of_json(endpoint, &*body).check() {
        let general = Error::argument("");
        let advice = if error.hint() == general.hint() { CORRECT } else { error.hint() };
        return Err(fault(error.message(), &as_clause(advice)));
    }
    let hash = BodyHash::of(endpoint, &body);
    Ok(Draft { endpoint, body, model, custom_id, hash })
}

fn quoted(text: impl AsRef<str>) -> String {
    serde_json::Value::from(text.as_ref()).to_string()
}

/// The text of an object without the members of this name.
fn without(object: &str, members: &Members<'_>, name: &str) -> String {
    let mut kept = String::with_capacity(object.len());
    let mut begin = 1; // after the brace, then after each comma
    for (found, value) in members {
        let text = value.text();
        // Values are slices of their object.
        let end = (text.as_ptr() as usize).wrapping_sub(object.as_ptr() as usize) + text.len();
        if found != name {
            kept.push(if kept.is_empty() { '{' } else { ',' });
            kept.push_str(object.get(begin..end).unwrap_or_default());
        }
        let rest = object.get(end..).unwrap_or_default();
        begin = end + rest.find(',').map_or(0, |comma| comma + 1);
    }
    if kept.is_empty() {
        kept.push('{');
    }
    kept.push('}');
    kept
}

/// The operation of a batch line.
fn url(members: &Members<'_>) -> Result<Option<Endpoint>, Fault> {
    let text = |name| {
        let value = find(members, name).filter(|value| !value.is_null());
        value.map(|value| value.as_str().unwrap_or(Cow::Borrowed(value.text())))
    };
    if let Some(method) = text("method").filter(|method| method != "POST") {
        let reason = format!("method is {:?}", shortened(&method));
        return Err(fault(reason, "write \"POST\", or leave it out"));
    }
    let Some(url) = text("url") else { return Ok(None) };
    for endpoint in [Endpoint::Chat, Endpoint::Responses] {
        if url.strip_prefix("/v1").unwrap_or(&url) == endpoint.path() {
            return Ok(Some(endpoint));
        }
    }
    let reason = format!("url is {:?}, which bulk does not support", shortened(&url));
    Err(fault(reason, "write \"/v1/chat/completions\" or \"/v1/responses\""))
}

fn operation_name(endpoint: Endpoint) -> &'static str {
    match endpoint {
        Endpoint::Models => "models",
        Endpoint::Chat => "chat",
        Endpoint::Responses => "responses",
    }
}

#[cfg(test)]
#[path = "form_tests.rs"]
mod tests;
