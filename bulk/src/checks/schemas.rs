//! The forms that rows ask of their answers, with each schema compiled once. Nothing is fetched.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use boon::{CompileError, Compiler, Draft, SchemaIndex, UrlLoader, ValidationError};
use modelwire::{Endpoint, Value};
use serde_json::Value as Json;

use super::effort::effort;

/// The maximum number of compiled schemas that are kept; with one more, all are dropped.
pub const SCHEMAS_MAX: usize = 256;

/// The maximum bytes of their texts; a single larger one is kept alone.
pub const SCHEMAS_BYTES_MAX: usize = 4 << 20;

/// The base of relative references in a schema, which is part of no message.
const BASE: &str = "schema:/";

/// The stack of the thread for what nests deeper than `DEPTH_HERE`. Only what is used of it takes memory.
const STACK_BYTES: usize = 64 << 20;

/// How deep schemas may nest within each other on the stack of any thread.
const DEPTH_HERE: u32 = 16;

/// The maximum number of differences that a reason names.
const FAULTS_MAX: usize = 3;

/// Compiled schemas by their texts; those that are invalid with their error.
#[derive(Default)]
pub struct Schemas {
    known: HashMap<Box<str>, Result<Form, String>>,
    bytes: usize,
}

/// The form that a row asks of its answers.
#[derive(Clone)]
pub(super) enum Form {
    Any,
    Json,
    Object,
    Schema(Arc<Compiled>),
}

/// A compiled schema.
pub(super) struct Compiled {
    schemas: boon::Schemas,
    index: SchemaIndex,
    schema: Json,
}

impl Compiled {
    /// What is wrong with a value.
    fn fault(&self, value: &Json) -> Option<String> {
        let validate =
            || self.schemas.validate(value, self.index).err().map(|error| faults(&error));
        match effort(&self.schema, &self.schema, value) {
            Err(reason) => Some(reason),
            Ok(effort) if effort.depth <= DEPTH_HERE => validate(),
            Ok(_) => on_large_stack(validate).unwrap_or_else(|error| Some(error.to_string())),
        }
    }
}

impl Schemas {
    /// What is wrong with the schema of a body, and what to do; nothing if it has none.
    pub fn check(&mut self, endpoint: Endpoint, body: &str) -> Result<(), String> {
        self.form(endpoint, body).map(|_| ())
    }

    pub(super) fn form(&mut self, endpoint: Endpoint, body: &str) -> Result<Form, String> {
        let body = Value::validated(body);
        let format = match endpoint {
            Endpoint::Responses => body.pointer("/text/format"),
            Endpoint::Chat | Endpoint::Models => body.get("response_format"),
        };
        let Some(format) = format else { return Ok(Form::Any) };
        let schema = match (format.get("type").and_then(Value::as_str).as_deref(), endpoint) {
            (Some("json_schema"), Endpoint::Responses) => format.get("schema"),
            (Some("json_schema"), _) => format.pointer("/json_schema/schema"),
            (Some("json_object"), _) => return Ok(Form::Object),
            _ => return Ok(Form::Any),
        };
        match schema.filter(|schema| !schema.is_null()) {
            Some(schema) => self.compiled(schema.text()),
            None => Ok(Form::Json),
        }
    }

    /// The number of compiled schemas that are kept.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.known.len()
    }

    fn compiled(&mut self, schema: &str) -> Result<Form, String> {
        if let Some(known) = self.known.get(schema) {
            return known.clone();
        }
        if self.known.len() >= SCHEMAS_MAX || self.bytes + schema.len() > SCHEMAS_BYTES_MAX {
            self.known.clear();
            self.bytes = 0;
        }
        let compiled =
            on_large_stack(|| compile(schema)).unwrap_or_else(|error| Err(error.to_string()));
        let compiled = compiled.map(|compiled| Form::Schema(Arc::new(compiled)));
        self.bytes += schema.len();
        self.known.insert(schema.into(), compiled.clone());
        compiled
    }
}

impl fmt::Debug for Schemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schemas").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl Form {
    /// What is wrong with the text of an answer.
    pub(super) fn fault(&self, text: &str) -> Option<String> {
        if matches!(self, Form::Any) {
            return None;
        }
        if text.is_empty() {
            return Some("it has no text".to_owned());
        }
        let value: Json = match serde_json::from_str(text) {
            Ok(value) => value,
            Err(error) => return Some(format!("it is not JSON: {error}")),
        };
        match self {
            Form::Object if !value.is_object() => Some("it is not a JSON object".to_owned()),
            Form::Any | Form::Json | Form::Object => None,
            Form::Schema(compiled) => compiled.fault(&value),
        }
    }
}

fn compile(schema: &str) -> Result<Compiled, String> {
    let invalid = |fault: String| format!("the schema is invalid: {fault}");
    let value: Json = serde_json::from_str(schema).map_err(|error| invalid(error.to_string()))?;
    if !value.is_object() && !value.is_boolean() {
        return Err(invalid("it is not an object".to_owned()));
    }
    let mut compiler = Compiler::new();
    compiler.set_default_draft(Draft::V2020_12);
    compiler.use_loader(Box::new(NothingFetched));
    let mut schemas = boon::Schemas::new();
    let fault = |error: CompileError| match &error {
        CompileError::LoadUrlError { url, .. } => format!(
            "the schema refers to {:?}, and nothing is fetched: put that under $defs",
            url.strip_prefix(BASE).unwrap_or(url)
        ),
        CompileError::ValidationError { src, .. } => invalid(faults(src)),
        _ => invalid(format!("{error:#}").replace(BASE, "")),
    };
    compiler.add_resource(BASE, value.clone()).map_err(fault)?;
    let index = compiler.compile(BASE, &mut schemas).map_err(fault)?;
    // What applies to any value.
    effort(&value, &value, &Json::Null)
        .map_err(|reason| format!("the schema is too large: {reason}"))?;
    Ok(Compiled { schemas, index, schema: value })
}

/// Runs it on a thread with more stack than most have: schemas and values are read by recursion.
fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, run)?;
        thread.join().map_err(|_| io::Error::other("the check panicked"))
    })
}

/// The first differences between a value and its schema, each with its place in the value.
fn faults(error: &ValidationError<'_, '_>) -> String {
    let mut found = Vec::new();
    leaves(error, &mut found);
    found.join("; ")
}

fn leaves(error: &ValidationError<'_, '_>, found: &mut Vec<String>) {
    if found.len() >= FAULTS_MAX {
        return;
    }
    match error.causes.as_slice() {
        [] => {
            let fault = match error.instance_location.to_string().as_str() {
                "" => error.kind.to_string(),
                place => format!("at {place}: {}", error.kind),
            };
            if !found.contains(&fault) {
                found.push(fault);
            }
        }
        causes => causes.iter().for_each(|cause| leaves(cause, found)),
    }
}

/// A schema is whole: what it refers to is not read from the network, nor from a file.
struct NothingFetched;

impl UrlLoader for NothingFetched {
    fn load(&self, _url: &str) -> Result<Json, Box<dyn Error>> {
        Err("nothing is fetched".into())
    }
}
