//! include/modelwire.json, the machine-readable description of the header. Everything follows from the
//! header's declarations, their comments and the rules on its first page.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::accessors::{self, Accessor};
use crate::declarations::{Declaration, declarations};

/// The whole of include/modelwire.json.
#[derive(Debug, Serialize)]
pub struct Description {
    library: &'static str,
    version: &'static str,
    abi: i64,
    soname: String,
    pub(crate) types: Vec<Alias>,
    pub(crate) handles: Vec<Handle>,
    pub(crate) callbacks: Vec<Function>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) functions: Vec<Function>,
    /// The members of the objects that describe a chunk, a response and an error.
    accessors: Vec<Accessor>,
}

/// Another name of a type.
#[derive(Debug, Serialize)]
pub(crate) struct Alias {
    pub(crate) name: String,
    pub(crate) is: String,
    since: String,
    doc: String,
}

/// An opaque type, and the function that frees it; none if it is only lent.
#[derive(Debug, Serialize)]
pub(crate) struct Handle {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<String>,
    since: String,
    doc: String,
}

/// A named number.
#[derive(Debug, Serialize)]
pub(crate) struct Constant {
    pub(crate) name: String,
    #[serde(rename = "type")]
    kind: String,
    pub(crate) value: Value,
    since: String,
    doc: String,
}

/// A constant's value.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Value {
    /// Written out.
    Number(i64),
    /// The name that C gives it, "SIZE_MAX".
    Named(String),
}

/// A function, or the type of a callback.
#[derive(Debug, Serialize)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// "no"; "timeout_ms", at most that long; or "call", until the call ends.
    blocks: &'static str,
    /// Whether it may return MODELWIRE_INTERRUPTED.
    interruptible: bool,
    /// "any", at any time; or "one" at a time for a handle.
    threads: &'static str,
    /// Whether signal handlers may call it.
    signal_safe: bool,
    since: String,
    doc: String,
    pub(crate) returns: Returned,
    pub(crate) parameters: Vec<Parameter>,
}

/// What a function returns.
#[derive(Debug, Serialize)]
pub(crate) struct Returned {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    /// Whether the caller frees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    owned: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<String>,
    /// The parameter that a borrowed value lives as long as, or "static".
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    /// The parameter that receives the length of a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    length_in: Option<String>,
    /// Whether it may be NULL if no argument is.
    #[serde(skip_serializing_if = "Option::is_none")]
    nullable: Option<bool>,
    doc: String,
}

/// What a function takes.
#[derive(Debug, Serialize)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    role: &'static str,
    /// For a pointer: whether NULL is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    nullable: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    handle: Option<String>,
    /// For an output: whether the caller frees it, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    owned: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    free: Option<String>,
    /// The type of a number that is output, or of the elements of an array.
    #[serde(skip_serializing_if = "Option::is_none")]
    is: Option<String>,
    /// The parameter that has the length of this text.
    #[serde(skip_serializing_if = "Option::is_none")]
    length_in: Option<String>,
    /// The text whose length this is; "" for the returned text.
    #[serde(skip_serializing_if = "Option::is_none")]
    length_of: Option<String>,
    /// For an array: the parameters with its size, and with the number of filled elements.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_in: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count_in: Option<String>,
    doc: String,
}

/// Describes a header's declarations. The types of constants come from the source, and the versions
/// that added names from the ABI table: both by name.
pub fn describe(
    header: &str,
    constant_types: &BTreeMap<String, String>,
    since: &BTreeMap<String, String>,
) -> Result<Description, String> {
    let mut description = Description {
        library: "modelwire",
        version: env!("CARGO_PKG_VERSION"),
        abi: 0,
        soname: format!(
            "libmodelwire.so.{}.{}",
            env!("CARGO_PKG_VERSION_MAJOR"),
            env!("CARGO_PKG_VERSION_MINOR")
        ),
        types: Vec::new(),
        handles: Vec::new(),
        callbacks: Vec::new(),
        constants: Vec::new(),
        functions: Vec::new(),
        accessors: accessors::all(),
    };
    for one in declarations(header) {
        let since = |name: &str| since.get(name).cloned().unwrap_or_default();
        if let Some(constant) = one.code.strip_prefix("#define ") {
            let (name, value) = constant.split_once(' ').ok_or(constant)?;
            if name.contains('(') {
                // A macro with an argument is for programs in C alone.
                continue;
            }
            let number = value.trim_matches(['(', ')']).parse();
            if let ("MODELWIRE_ABI", Ok(number)) = (name, &number) {
                description.abi = *number;
            }
            description.constants.push(Constant {
                name: name.to_owned(),
                kind: constant_types.get(name).map_or("size_t", |kind| kind).to_owned(),
                value: number.map_or(Value::Named(value.to_owned()), Value::Number),
                since: since(name),
                doc: one.doc,
            });
        } else if let Some(handle) = one.code.strip_prefix("typedef struct ") {
            let name = handle.split(' ').next().unwrap_or(handle).to_owned();
            let free = format!("{name}_free");
            let (free, since) =
                (header.contains(&format!(" {free}(")).then_some(free), since(&name));
            description.handles.push(Handle { name, free, since, doc: one.doc });
        } else if let Some(callback) = one.code.strip_prefix("typedef ").filter(|c| c.contains('('))
        {
            let callback = callback.replacen("(*", "", 1).replacen(')', "", 1);
            description.callbacks.push(function(&callback, &one, &since)?);
        } else if let Some(alias) = one.code.strip_prefix("typedef ") {
            let (is, name) = alias.rsplit_once(' ').ok_or(alias)?;
            let (is, name) = (is.to_owned(), name.to_owned());
            description.types.push(Alias { since: since(&name), is, name, doc: one.doc });
        } else if let Some(declared) = one.code.strip_prefix("MODELWIRE_API ") {
            description.functions.push(function(declared, &one, &since)?);
        }
    }
    description.settle();
    Ok(description)
}

/// A function as it is declared: "int32_t f(const a *a, size_t length)".
fn function(
    declared: &str,
    comment: &Declaration,
    since: &dyn Fn(&str) -> String,
) -> Result<Function, String> {
    let (before, inside) = declared.split_once('(').ok_or(declared)?;
    let (kind, name) = typed(before);
    let inside = inside.trim_end_matches(')');
    let all: Vec<(String, String)> =
        inside.split(',').filter(|one| *one != "void").map(typed).collect();
    let parameter = |(at, _): (usize, &_)| parameter(&name, &all, at, comment);
    let parameters: Vec<Parameter> = all.iter().enumerate().filter_map(parameter).collect();
    let is_waiting = all.iter().any(|(_, name)| name == "timeout_ms");
    let blocks_for_long = comment.doc.contains("Blocks the calling thread");
    let is_of_one_thread = all.first().is_some_and(|(kind, _)| kind.starts_with("modelwire_"));
    let is_of_a_handle = parameters.first().is_some_and(|first| first.role == "handle");
    Ok(Function {
        blocks: match (is_waiting, blocks_for_long) {
            (true, _) => "timeout_ms",
            (_, true) => "call",
            (false, false) => "no",
        },
        interruptible: comment.part("").contains("MODELWIRE_INTERRUPTED"),
        threads: if is_of_one_thread && is_of_a_handle { "one" } else { "any" },
        signal_safe: name.ends_with("_wakeup") && comment.doc.contains("a signal handler"),
        since: since(&name),
        doc: comment.doc.clone(),
        returns: returned(kind, &parameters, comment),
        parameters,
        name,
    })
}

/// "const char *name" as its type and its name.
fn typed(declared: &str) -> (String, String) {
    let declared = declared.trim();
    let end = declared.rfind([' ', '*']).map_or(0, |at| at + 1);
    let (kind, name) = declared.split_at(end);
    (kind.trim().to_owned(), name.to_owned())
}

/// The name of the type of a pointer to a handle.
fn handle(kind: &str) -> Option<String> {
    let name = kind.trim_start_matches("const ").trim_end_matches(['*', ' ']);
    let is_one = name.starts_with("modelwire_") && kind.ends_with('*');
    is_one.then(|| name.to_owned())
}

fn returned(kind: String, parameters: &[Parameter], comment: &Declaration) -> Returned {
    let handle = handle(&kind);
    let is_borrowed = kind.starts_with("const ");
    let first = parameters.first().filter(|first| first.role == "handle");
    let owner = first.map_or("static", |first| &first.name);
    let is_null_told = ["NULL where", "NULL for every other"]
        .iter()
        .any(|told| comment.doc.contains(told) || comment.part("").contains(told));
    let is_pointer = kind.ends_with('*');
    Returned {
        role: match (kind.as_str(), &handle) {
            ("void", _) => "none",
            ("modelwire_status", _) => "status",
            ("const char *", _) => "text",
            (_, Some(_)) => "handle",
            (_, None) => "number",
        },
        owned: is_pointer.then_some(!is_borrowed),
        free: handle.as_ref().filter(|_| !is_borrowed).map(|name| format!("{name}_free")),
        from: is_borrowed.then(|| owner.to_owned()),
        length_in: parameters
            .iter()
            .find(|one| one.role == "out_length")
            .map(|one| one.name.clone()),
        nullable: is_pointer.then_some(is_null_told),
        doc: comment.part("").to_owned(),
        handle,
        kind,
    }
}

/// One parameter of a function, by its type, its name and its neighbours.
fn parameter(
    function: &str,
    all: &[(String, String)],
    at: usize,
    comment: &Declaration,
) -> Option<Parameter> {
    let (kind, name) = all.get(at)?;
    let next = |steps: usize| all.get(at + steps).map(|(_, name)| name.clone());
    let is_length = |of: &(String, String), length: &(String, String)| {
        let is_named = length.1 == "length" || length.1 == format!("{}_length", of.1);
        of.0 == "const char *" && length.0 == "size_t" && is_named
    };
    let before = at.checked_sub(1).and_then(|at| all.get(at));
    let text = before.filter(|before| is_length(before, &(kind.clone(), name.clone())));
    let array_max = all.get(at + 1).filter(|(_, name)| name == "max");
    let doc = comment.part(name).to_owned();
    let is_array =
        name != "out" && (doc.starts_with("an array of ") || doc.starts_with("a buffer "));
    let role = match kind.as_str() {
        "modelwire_error **" => "error",
        _ if is_array => "array",
        "const char *" => "text",
        "size_t" if text.is_some() => "length",
        "size_t *" if name == "length" => "out_length",
        "void *" => "user_data",
        "modelwire_event_fn" | "modelwire_attempt_fn" => "callback",
        "modelwire_finalizer" => "finalizer",
        kind if kind.ends_with("**") || (handle(kind).is_none() && kind.ends_with('*')) => "out",
        kind if handle(kind).is_some() => "handle",
        _ => "number",
    };
    let handle = handle(kind).filter(|_| !is_array);
    let comes_out = handle.is_some() && kind.ends_with("**");
    let is_pointer = kind.ends_with('*') || matches!(role, "callback" | "finalizer");
    let frees = function.ends_with("_free");
    let is_null_told = role != "out" && doc.contains("NULL");
    Some(Parameter {
        nullable: is_pointer
            .then_some(frees || matches!(role, "out_length" | "user_data") || is_null_told),
        owned: comes_out.then_some(true),
        free: handle.as_ref().filter(|_| comes_out).map(|name| format!("{name}_free")),
        is: match role {
            "out" if !comes_out => Some(kind.trim_end_matches([' ', '*']).to_owned()),
            "array" => kind.strip_suffix('*').map(|of| of.trim_end().to_owned()),
            _ => None,
        },
        length_in: all
            .get(at + 1)
            .filter(|length| is_length(&(kind.clone(), name.clone()), length))
            .map(|(_, name)| name.clone()),
        length_of: match role {
            "length" => text.map(|(_, name)| name.clone()),
            "out_length" => Some(String::new()),
            _ => None,
        },
        max_in: array_max.map(|(_, name)| name.clone()).filter(|_| comes_out),
        count_in: array_max.and_then(|_| next(2)).filter(|_| comes_out),
        name: name.clone(),
        kind: kind.clone(),
        role,
        handle,
        doc,
    })
}

impl Description {
    /// A function that returns "as modelwire_queue_next" has the outcomes of that one.
    fn settle(&mut self) {
        let interruptible = |one: &Function| one.interruptible.then(|| one.name.clone());
        let all: Vec<String> = self.functions.iter().filter_map(interruptible).collect();
        for one in &mut self.functions {
            let as_another = one.returns.doc.strip_prefix("as ");
            one.interruptible |= as_another.is_some_and(|name| all.iter().any(|one| one == name));
        }
    }

    /// The text of include/modelwire.json.
    pub fn json(&self) -> Result<String, String> {
        let text = serde_json::to_string_pretty(self).map_err(|cause| cause.to_string())?;
        Ok(text + "\n")
    }
}
