//! The arguments of `chat` and `respond`, and the request that they make.

use modelwire::{Client, Endpoint, Request};

use crate::connection::{Connection, json_or_text, named, quoted, set_variable};
use crate::console::Output;
use crate::everyday::{answer, curl, prompt};
use crate::failure::Failure;

/// The variable with the model, if there is no `--model`.
pub(crate) const MODEL_VARIABLE: &str = "MODELWIRE_MODEL";
/// Maximum models that an error lists.
const MODELS_SHOWN_MAX: usize = 5;

/// What is asked, and how its answer is printed.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct Question {
    /// The prompt, in quotes; `-` reads only standard input. If standard input is not a terminal, its text
    /// follows after a blank line
    #[arg(value_name = "PROMPT")]
    prompt: Option<String>,

    /// The model; by default MODELWIRE_MODEL, or the only one that the service lists
    #[arg(short, long, value_name = "MODEL")]
    model: Option<String>,

    /// The system message
    #[arg(short, long, value_name = "TEXT")]
    system: Option<String>,

    /// Maximum tokens of the answer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,

    /// The sampling temperature
    #[arg(long, value_name = "X", value_parser = number)]
    temperature: Option<f64>,

    /// Another field of the request, `seed=7` for instance; the value is JSON, or text
    #[arg(long, value_name = "NAME=JSON")]
    set: Vec<String>,

    /// Maximum retries of a call that is rate-limited (429) [default: 3]
    #[arg(long, value_name = "N")]
    retries: Option<u32>,

    /// Get the whole answer at once
    #[arg(long)]
    no_stream: bool,

    /// Print the service's answer as it arrived: each chunk on a line; with --no-stream, the document
    #[arg(long)]
    json: bool,

    /// Print the tokens used to standard error
    #[arg(long)]
    usage: bool,

    /// Print the request as a curl command, and send nothing
    #[arg(long, conflicts_with = "json")]
    curl: bool,
}

impl Question {
    /// Sends the request, and prints the answer.
    pub(crate) fn ask(&self, endpoint: Endpoint, connection: &Connection) -> Result<(), Failure> {
        let set = self.fields()?;
        if self.curl {
            let model = self.named_model(&set).ok_or_else(|| {
                Failure::usage(format!(
                    "--curl sends nothing, so it cannot list the models: name one with --model, or in \
                     {MODEL_VARIABLE}"
                ))
            })?;
            let prompt = prompt::read(self.prompt.as_deref())?;
            let body = self.body(endpoint, &model, &set, &prompt);
            let mut output = Output::standard();
            output.line(&curl::command(connection, endpoint, Some(&body), !self.no_stream)?)?;
            return output.flush();
        }
        let client = connection.client_with(|config| {
            if let Some(retries) = self.retries {
                config.retry_mut().max_retries = retries;
            }
        })?;
        let prompt = prompt::read(self.prompt.as_deref())?;
        let model = match self.named_model(&set) {
            Some(model) => model,
            None => only_model(&client)?,
        };
        let body = self.body(endpoint, &model, &set, &prompt);
        let shape = answer::Shape { stream: !self.no_stream, json: self.json, usage: self.usage };
        answer::print(&client, Request::of_json(endpoint, body), shape)
    }

    /// The fields of `--set`: names, and values as JSON.
    fn fields(&self) -> Result<Vec<(&str, String)>, Failure> {
        let mut fields: Vec<(&str, String)> = Vec::new();
        for given in &self.set {
            let (name, value) = named("--set", given)?;
            if name == "stream" {
                let message = "--set stream: answers stream unless --no-stream is given";
                return Err(Failure::usage(message));
            }
            let value = json_or_text("--set", name, value)?;
            fields.retain(|(known, _)| *known != name);
            fields.push((name, value));
        }
        Ok(fields)
    }

    /// The model that the arguments or the environment name.
    fn named_model(&self, set: &[(&str, String)]) -> Option<String> {
        if let Some(model) = &self.model {
            return Some(model.clone());
        }
        if set.iter().any(|(name, _)| *name == "model") {
            return Some(String::new()); // replaced by the field of `--set`
        }
        let variable = set_variable(&[MODEL_VARIABLE])?;
        Some(std::env::var_os(variable)?.to_string_lossy().trim().to_owned())
    }

    /// The JSON of the request, as it is sent.
    fn body(
        &self,
        endpoint: Endpoint,
        model: &str,
        set: &[(&str, String)],
        prompt: &str,
    ) -> String {
        let mut members = vec![("model", quoted(model))];
        let tokens = self.max_tokens.map(|tokens| tokens.to_string());
        match endpoint {
            Endpoint::Chat | Endpoint::Models => {
                let message =
                    |role, text| format!("{{\"role\":\"{role}\",\"content\":{}}}", quoted(text));
                let system = self.system.as_deref().map(|text| message("system", text));
                let messages: Vec<_> =
                    system.into_iter().chain([message("user", prompt)]).collect();
                members.push(("messages", format!("[{}]", messages.join(","))));
                members.extend(tokens.map(|tokens| ("max_tokens", tokens)));
            }
            Endpoint::Responses => {
                let system = self.system.as_deref();
                members.extend(system.map(|text| ("instructions", quoted(text))));
                members.push(("input", quoted(prompt)));
                members.extend(tokens.map(|tokens| ("max_output_tokens", tokens)));
            }
        }
        members.extend(self.temperature.map(|degree| ("temperature", degree.to_string())));
        if !self.no_stream {
            members.push(("stream", "true".to_owned()));
            if self.usage && endpoint == Endpoint::Chat {
                members.push(("stream_options", "{\"include_usage\":true}".to_owned()));
            }
        }
        for (name, value) in set {
            match members.iter_mut().find(|(known, _)| known == name) {
                Some((_, text)) => text.clone_from(value),
                None => members.push((name, value.clone())),
            }
        }
        let members: Vec<_> =
            members.iter().map(|(name, value)| format!("{}:{value}", quoted(name))).collect();
        format!("{{{}}}", members.join(","))
    }
}

/// A number that JSON can represent.
fn number(given: &str) -> Result<f64, String> {
    match given.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err("it must be a number".to_owned()),
    }
}

/// The model of a service that lists exactly one; otherwise the error lists the first ones.
fn only_model(client: &Client) -> Result<String, Failure> {
    let what_to_do = format!("name one with --model, or in {MODEL_VARIABLE}");
    let answer = client.blocking().models().map_err(|error| {
        Failure::from(error)
            .within("no model is named, and listing the models failed")
            .and(&format!("To go without the list, {what_to_do}."))
    })?;
    let models = answer.model_ids();
    match models.as_slice() {
        [only] => Ok(only.clone()),
        [] => Err(Failure::usage(format!(
            "no model is named, and the service lists none: {what_to_do}"
        ))),
        [..] => {
            let shown: Vec<_> = models.iter().take(MODELS_SHOWN_MAX).map(String::as_str).collect();
            let more = if models.len() > shown.len() { ", ..." } else { "" };
            Err(Failure::usage(format!(
                "no model is named, and the service lists {} ({}{more}): {what_to_do}",
                models.len(),
                shown.join(", ")
            )))
        }
    }
}

#[cfg(test)]
#[path = "question_tests.rs"]
mod tests;
