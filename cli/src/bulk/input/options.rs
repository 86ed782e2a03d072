//! How lines are to be read, and whether that fits together. Knows no line.

use modelwire::{Endpoint, Value};

use crate::bulk::row::Shard;
use crate::failure::Failure;

/// How lines are read.
#[derive(Clone, Debug, Default)]
pub struct RowOptions {
    /// `--model`: of rows that name none.
    pub model: Option<String>,
    /// `--operation`: chat or responses.
    pub operation: Option<Endpoint>,
    /// `--prompt`: the member that has the prompt; each line is then any object.
    pub prompt: Option<String>,
    /// `--system`: the system message beside each prompt.
    pub system: Option<String>,
    /// `--id`: the member that names the row, instead of `custom_id`.
    pub id: Option<String>,
    /// `--set`: members as name and JSON text, for bodies that lack them.
    pub set: Vec<(String, String)>,
    /// `--shard`: the part of the rows that is taken.
    pub shard: Option<Shard>,
    /// Whether the client streams underneath (`--option stream_only=true`): then a body may say
    /// `"stream": true`.
    pub stream_only: bool,
}

impl RowOptions {
    /// Whether they fit each other.
    pub fn check(&self) -> Result<(), Failure> {
        let wrong = |message: &str| Err(Failure::usage(message));
        if self.prompt.is_some() && self.model.is_none() {
            return wrong(
                "--prompt makes requests of its own, and they need a model; give --model",
            );
        }
        if self.system.is_some() && self.prompt.is_none() {
            return wrong(
                "--system goes with --prompt; a row that is a whole request has its own messages",
            );
        }
        if self.model.as_deref() == Some("") {
            return wrong(
                "--model is empty; give the name of a model, `modelwire models` lists them",
            );
        }
        for (place, (name, json)) in self.set.iter().enumerate() {
            let is_again = self.set.iter().take(place).any(|(before, _)| before == name);
            let reason = match (&**name, Value::parse(json)) {
                _ if is_again => "is given twice; leave one of them out",
                ("", _) => "has no name; write NAME=JSON",
                ("model", _) => "is what --model does; give --model",
                ("stream", _) => "is not for you to choose; see --option stream_only=true",
                (_, Err(_)) => "has no JSON behind its =; a text has quotes: 'user=\"me\"'",
                (_, Ok(_)) => continue,
            };
            return Err(Failure::usage(format!("--set {name}={json} {reason}")));
        }
        Ok(())
    }
}
