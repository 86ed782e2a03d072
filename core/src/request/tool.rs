//! The definition of a function that the model may call. Does no I/O.

use serde::Serialize;

use crate::protocol::endpoint::Endpoint;
use crate::protocol::escapes::write_str;

/// A function that the model may call: its name, what it does, and its parameters as a JSON schema.
///
/// A definition is part of the input of every call that it is sent with, and consumes tokens.
///
/// ```
/// use modelwire::{Request, Tool};
///
/// let weather = Tool::new("weather").description("The weather of a city.").parameters_json(
///     r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#,
/// );
/// let request = Request::chat("a-model").user("Is it raining in Rome?").tool(weather);
/// request.check()?;
/// # Ok::<(), modelwire::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Tool {
    name: String,
    description: Option<String>,
    /// JSON text, or why it could not be written.
    parameters: Option<Result<String, String>>,
    is_strict: Option<bool>,
}

impl Tool {
    /// A function without parameters yet.
    pub fn new(name: impl Into<String>) -> Tool {
        Tool { name: name.into(), description: None, parameters: None, is_strict: None }
    }

    /// A function whose parameters are the members of this type, strictly: the model's arguments have
    /// exactly these members. Optional ones are null where they are absent.
    ///
    /// ```
    /// #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// struct Weather { city: String }
    ///
    /// let tool = modelwire::Tool::of::<Weather>("weather").description("The weather of a city.");
    /// ```
    #[cfg(feature = "schemars")]
    pub fn of<T: schemars::JsonSchema>(name: impl Into<String>) -> Tool {
        Tool::new(name).parameters(&super::schema::strict_schema::<T>()).strict(true)
    }

    /// What it does, for the model.
    pub fn description(mut self, description: impl Into<String>) -> Tool {
        self.description = Some(description.into());
        self
    }

    /// The JSON schema of its parameters, as a value.
    pub fn parameters(mut self, schema: &impl Serialize) -> Tool {
        self.parameters = Some(serde_json::to_string(schema).map_err(|cause| cause.to_string()));
        self
    }

    /// The JSON schema of its parameters, as text.
    pub fn parameters_json(mut self, schema: impl Into<String>) -> Tool {
        self.parameters = Some(Ok(schema.into()));
        self
    }

    /// Whether the arguments must match the schema exactly, which only some services and schemas
    /// support; by default they need not.
    pub fn strict(mut self, is_strict: bool) -> Tool {
        self.is_strict = Some(is_strict);
        self
    }

    /// The definition in the form of the operation.
    pub(crate) fn json(&self, endpoint: Endpoint) -> Result<String, String> {
        let is_chat = endpoint == Endpoint::Chat;
        let mut text = String::from("{\"type\":\"function\",");
        text.push_str(if is_chat { "\"function\":{\"name\":" } else { "\"name\":" });
        write_str(&self.name, &mut text);
        if let Some(description) = &self.description {
            text.push_str(",\"description\":");
            write_str(description, &mut text);
        }
        // A response's definition has both members; without `strict`, services take it as strict there.
        let in_response = !is_chat;
        let parameters = match &self.parameters {
            Some(Ok(parameters)) => Some(&**parameters),
            Some(Err(cause)) => return Err(format!("the parameters of {}: {cause}", self.name)),
            None => in_response.then_some("null"),
        };
        if let Some(parameters) = parameters {
            text.push_str(&format!(",\"parameters\":{parameters}"));
        }
        if let Some(is_strict) = self.is_strict.or(in_response.then_some(false)) {
            text.push_str(&format!(",\"strict\":{is_strict}"));
        }
        text.push_str(if is_chat { "}}" } else { "}" });
        Ok(text)
    }
}
