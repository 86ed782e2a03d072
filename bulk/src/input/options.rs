//! The options for reading lines, and whether they are consistent.

use modelwire::{Endpoint, Value};

use crate::error::{Error, MemberFault, OptionsError};
use crate::input::template::Template;
use crate::row::Shard;

/// The options for reading lines.
#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    /// The model for rows that name none.
    pub model: Option<String>,
    /// The operation of rows that do not specify one: chat or responses.
    pub operation: Option<Endpoint>,
    /// The prompt, with members of the line in braces; each line may then be any object.
    pub prompt: Option<Template>,
    /// The system message for each prompt.
    pub system: Option<String>,
    /// The member that names the row, instead of `custom_id`.
    pub id: Option<String>,
    /// Default members, as name and JSON text, for bodies that lack them.
    pub set: Vec<(String, String)>,
    /// The part of the rows to take.
    pub shard: Option<Shard>,
    /// Whether the client streams internally (`stream_only`): then a body may have `"stream": true`.
    pub stream_only: bool,
    /// Whether answers are checked against the schemas of their rows, which must then be valid.
    pub checks_schemas: bool,
}

impl RowOptions {
    /// Whether they are consistent.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |error| Err(Error::Options(error));
        if self.prompt.is_some() && self.model.is_none() {
            return wrong(OptionsError::PromptWithoutModel);
        }
        if self.system.is_some() && self.prompt.is_none() {
            return wrong(OptionsError::SystemWithoutPrompt);
        }
        if self.model.as_deref() == Some("") {
            return wrong(OptionsError::ModelEmpty);
        }
        for (place, (name, json)) in self.set.iter().enumerate() {
            let is_again = self.set.iter().take(place).any(|(before, _)| before == name);
            let fault = match (&**name, Value::parse(json)) {
                _ if is_again => MemberFault::Twice,
                ("", _) => MemberFault::Unnamed,
                ("model", _) => MemberFault::Model,
                ("stream", _) => MemberFault::Stream,
                (_, Err(_)) => MemberFault::NotJson,
                (_, Ok(_)) => continue,
            };
            let (name, json) = (name.clone(), json.clone());
            return wrong(OptionsError::Member { name, json, fault });
        }
        Ok(())
    }
}
