//! The options in the documents and in the C++ wrapper, from the core's own tables.

use std::fmt::Display;
use std::fs;

use modelwire::{Config, Limits, NamedOption, OptionKind, Request, RetryPolicy, Timeouts};

use super::{read, root};

const TABLE: &str = "docs/options.md";
const REFERENCE: &str = "docs/python/reference.md";
const WRAPPER: &str = "include/modelwire.hpp";

fn takes(kind: OptionKind) -> &'static str {
    match kind {
        OptionKind::Text => "string",
        OptionKind::Flag => "true or false",
        OptionKind::Count => "whole number",
        OptionKind::Milliseconds => "milliseconds",
        OptionKind::Timeout => "milliseconds, null is off",
        OptionKind::Part => "0 to 1",
        OptionKind::Statuses => "array of numbers",
        OptionKind::Names => "array of strings",
        OptionKind::Pairs => "object of strings",
        OptionKind::BaseUrls => "array of strings or objects",
        _ => panic!("docs/options.md has no word for {kind:?}"),
    }
}

/// The description of a client's option as an option of a call: its default is the client's value.
fn of_call(doc: &str) -> String {
    let Some(end) = doc.find(" by default") else { return doc.to_owned() };
    let start = doc[..end].rfind("; ").max(doc[..end].rfind(". ")).unwrap() + 2;
    let word = if doc[..start].ends_with(". ") { "The" } else { "the" };
    format!("{}{word} client's{}", &doc[..start], &doc[end..])
}

fn rows<'a, D: Display>(rows: impl IntoIterator<Item = (String, &'a str, D)>) -> String {
    let rows =
        rows.into_iter().map(|(name, takes, doc)| format!("| `{name}` | {takes} | {doc} |\n"));
    format!("| option | takes | what it does |\n|---|---|---|\n{}", rows.collect::<String>())
}

fn named(options: &[NamedOption]) -> impl Iterator<Item = (String, &str, &str)> {
    options.iter().map(|option| (option.name.to_owned(), takes(option.kind), option.doc))
}

fn timeouts(are_per_call: bool) -> impl Iterator<Item = (String, &'static str, &'static str)> {
    let these = Timeouts::ALL.iter().filter(move |timeout| timeout.is_per_call || !are_per_call);
    these.map(|timeout| {
        let name = format!("{}_timeout_ms", timeout.name);
        (name, takes(OptionKind::Timeout), timeout.doc)
    })
}

fn table() -> String {
    let limits = Limits::ALL.iter();
    let limits = limits.map(|limit| (limit.name.to_owned(), "1 to 2147483647", limit.doc));
    let of_client = named(Config::OPTIONS).chain(named(RetryPolicy::OPTIONS));
    let of_client = rows(of_client.chain(timeouts(false)).chain(limits));
    let as_client = named(RetryPolicy::OPTIONS).chain(timeouts(true));
    let as_client = as_client.map(|(name, takes, doc)| (name, takes, of_call(doc)));
    let own = named(Request::OPTIONS).map(|(name, takes, doc)| (name, takes, doc.to_owned()));
    let of_call = rows(own.chain(as_client));
    format!(
        "# Options by name\n\n\
         <!-- Written by `make generate` from the tables in core/src. -->\n\n\
         Options are the members of one JSON object. They are applied as a whole: if one is invalid, none takes\n\
         effect. An unknown name is rejected with a suggestion, and so is a value that an option does not\n\
         accept. No error shows a value. Python has the same options as arguments of its clients and calls,\n\
         in seconds instead of milliseconds, except `idle_connection_ms_max`.\n\n\
         ## Of a client\n\n\
         For `modelwire_client_new` (C), `modelwire::client` (C++) and `Config::set_options` (Rust).\n\
         Options that are not set have their default; for the base URL and the key, that is the environment.\n\n\
         {of_client}\n\
         ## Of a call\n\n\
         For `modelwire_request_set_options` (C), `modelwire::request::options` (C++) and\n\
         `Request::set_options` (Rust). Options that are not set have the client's value, for each part of\n\
         the retry policy separately.\n\n{of_call}"
    )
}

/// One option as a setter in C++: its name in JSON, its C++ name without the unit, its parameter, and the
/// expression that sets it. `None` for kinds whose setters are written by hand.
struct Setter {
    name: String,
    kind: OptionKind,
    doc: &'static str,
}

impl Setter {
    /// The type and name of the parameter, and the call that sets the option.
    fn cpp(&self) -> Option<(&'static str, &'static str, String)> {
        let name = &self.name;
        let plain = |parameter, argument| {
            Some((parameter, argument, format!("option(\"{name}\", {argument})")))
        };
        let time = |parameter, argument| {
            Some((parameter, argument, format!("time(\"{name}\", {argument})")))
        };
        match self.kind {
            OptionKind::Text => plain("std::string_view text", "text"),
            OptionKind::Flag => plain("bool on = true", "on"),
            OptionKind::Count => plain("std::int64_t count", "count"),
            OptionKind::Part => plain("double part", "part"),
            OptionKind::Milliseconds => time("std::chrono::milliseconds wait", "wait"),
            OptionKind::Timeout => {
                time("std::optional<std::chrono::milliseconds> longest", "longest")
            }
            OptionKind::Statuses => Some((
                "std::initializer_list<int> statuses",
                "statuses",
                format!("numbers(\"{name}\", statuses)"),
            )),
            OptionKind::BaseUrls => {
                Some(("std::string_view json", "json", format!("put(\"{name}\", json)")))
            }
            _ => None,
        }
    }

    /// Both functions of a class: on an object, with its documentation, and on a temporary.
    fn declared(&self, class: &str) -> Option<(String, String)> {
        let (parameter, argument, body) = self.cpp()?;
        let function = self.name.strip_suffix("_ms").unwrap_or(&self.name).replace("_ms_", "_");
        let doc = wrapped(&self.doc.replace('`', ""));
        let set = one_or_three(&format!("{class}& {function}({parameter}) &"), &body);
        let moved = one_or_three(
            &format!("{class}&& {function}({parameter}) &&"),
            &format!("std::move({function}({argument}))"),
        );
        Some((doc + &set, moved))
    }
}

fn one_or_three(head: &str, body: &str) -> String {
    let whole = format!("  {head} {{ return {body}; }}\n");
    if whole.len() <= 96 { whole } else { format!("  {head} {{\n    return {body};\n  }}\n") }
}

/// A doc comment of at most 98 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::from("  ///")];
    for word in text.split_whitespace() {
        let last = lines.last_mut().unwrap();
        if last.len() + 1 + word.len() > 98 {
            lines.push(format!("  /// {word}"));
        } else {
            last.push_str(&format!(" {word}"));
        }
    }
    lines.join("\n") + "\n"
}

/// The setters of a class: those that clients and requests share, or those of one of them alone.
fn setters(class: &str) -> String {
    let option = |option: &NamedOption| Setter {
        name: option.name.to_owned(),
        kind: option.kind,
        doc: option.doc,
    };
    let timeout = |timeout: &modelwire::Timeout| Setter {
        name: format!("{}_timeout_ms", timeout.name),
        kind: OptionKind::Timeout,
        doc: timeout.doc,
    };
    let limit = |limit: &modelwire::Limit| Setter {
        name: limit.name.to_owned(),
        kind: if limit.name.contains("_ms") { OptionKind::Milliseconds } else { OptionKind::Count },
        doc: limit.doc,
    };
    let (is_shared, is_request) = (class == "Self", class == "request");
    let (own, others) = match is_request {
        true => (Request::OPTIONS, Config::OPTIONS),
        false => (Config::OPTIONS, Request::OPTIONS),
    };
    let has = |one: &&NamedOption| others.iter().any(|other| other.name == one.name);
    let mut all: Vec<Setter> = own.iter().filter(|one| has(one) == is_shared).map(option).collect();
    if is_shared {
        all.extend(RetryPolicy::OPTIONS.iter().map(option));
    }
    if !is_request {
        let timeouts = Timeouts::ALL.iter().filter(|one| one.is_per_call == is_shared);
        all.extend(timeouts.map(timeout));
    }
    if class == "config" {
        all.extend(Limits::ALL.iter().map(limit));
    }
    let (set, moved): (String, String) =
        all.iter().filter_map(|setter| setter.declared(class)).unzip();
    format!("{set}\n  /// @name The same on a temporary.\n  /// @{{\n{moved}  /// @}}\n")
}

/// Replaces what stands between the mark of these options and the next mark of an end.
fn replace(text: &mut String, [begin, end]: [&str; 2], options: &str) {
    let start = text.find(begin).unwrap() + begin.len();
    let length = text[start..].find(end).unwrap();
    text.replace_range(start..start + length, options);
}

/// The C++ wrapper with regenerated setters between their marks.
fn wrapper() -> String {
    let mut out = read(WRAPPER);
    for class in ["Self", "config", "request"] {
        let mark = format!("  // <options of {class}>\n");
        replace(&mut out, [&mark, "  // </options>"], &setters(class));
    }
    out
}

/// Python's reference with the options of a call that its operations take by the same names.
fn reference() -> String {
    let (stubs, mut out) = (read("py/stubs/write.py"), read(REFERENCE));
    let is_taken = |option: &NamedOption| stubs.contains(&format!("\n{}: ", option.name));
    let taken: Vec<_> = Request::OPTIONS.iter().copied().filter(is_taken).collect();
    let marks = ["<!-- <options of a call> -->\n", "<!-- </options> -->"];
    replace(&mut out, marks, &format!("\n{}\n", rows(named(&taken))));
    out
}

#[test]
fn the_options_of_documents_and_of_cpp_are_fresh() {
    for (path, text) in [(TABLE, table()), (WRAPPER, wrapper()), (REFERENCE, reference())] {
        if std::env::var_os("UPDATE_RULES").is_some() && read(path) != text {
            fs::write(root().join(path), &text).unwrap();
        }
        assert!(read(path) == text, "{path} is stale: run `make generate`");
    }
}
