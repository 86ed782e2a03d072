//! The core's table of accessors, in the forms for the headers, their tests and the documents.

use std::fmt::Write;

use serde::Serialize;

use table::{CHUNK, ERROR, RESPONSE};

/// One row of the table.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Accessor {
    /// "chunk", "response" or "error".
    of: &'static str,
    /// The name of its member in the JSON object.
    pub(crate) name: &'static str,
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(serialize_with = "joined")]
    doc: &'static [&'static str],
    example: Example,
}

/// What a service sends, and the member's value then.
#[derive(Clone, Copy, Debug, Serialize)]
struct Example {
    sent: &'static str,
    gives: &'static str,
}

/// The lines of a doc comment as one text.
fn text(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}

fn joined<S: serde::Serializer>(doc: &&[&str], to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&text(doc))
}

/// Takes from the rows what is known without the library.
macro_rules! accessors {
    (
        $(#[$json_meta:meta])*
        $of:ident::$json:ident;
        $(
            $(#[doc = $doc:literal])+
            $name:ident: $kind:ident $(|$this:ident| $read:expr,)? $(at $path:literal,)?
                sent $sent:literal gives $gives:literal;
        )*
    ) => {
        rows! { $of [$({
            name: stringify!($name),
            kind: stringify!($kind),
            doc: &[$($doc),+],
            example: $crate::accessors::Example { sent: $sent, gives: $gives },
        })*] }
    };
}

macro_rules! rows {
    (Chunk $rows:tt) => { rows! { CHUNK, "chunk", $rows } };
    (Response $rows:tt) => { rows! { RESPONSE, "response", $rows } };
    (Error $rows:tt) => { rows! { ERROR, "error", $rows } };
    ($constant:ident, $of:literal, [$({$($row:tt)*})*]) => {
        pub(crate) const $constant: &[$crate::accessors::Accessor] =
            &[$($crate::accessors::Accessor { of: $of, $($row)* }),*];
    };
}

#[path = "../../../core/src/answer/accessor_table.rs"]
mod table;

/// Every row.
pub(crate) fn all() -> Vec<Accessor> {
    [CHUNK, RESPONSE, ERROR].concat()
}

fn rows(of: &str) -> &'static [Accessor] {
    match of {
        "chunk" => CHUNK,
        "response" => RESPONSE,
        _ => ERROR,
    }
}

/// The C++ names of accessors that differ from the member's name without the unit.
const NAMES: [(&str, &str); 4] = [
    ("end", "end_mark"),
    ("kind", "kind_name"),
    ("models", "model_ids"),
    ("timeout", "timeout_name"),
];

/// Accessors whose C++ functions are written by hand, besides those of kinds that have no C++ type
/// here. A test checks that they exist.
const BY_HAND: [(&str, &str); 6] = [
    ("chunk", "name"),
    ("error", "kind"),
    ("error", "message"),
    ("error", "hint"),
    ("error", "metered"),
    ("error", "timing"), // whose type is not there yet
];

impl Accessor {
    /// The name of the C++ function.
    fn function(&self) -> &'static str {
        let other = NAMES.iter().find(|(name, _)| *name == self.name);
        let plain = self.name.strip_suffix("_unix_ms").or_else(|| self.name.strip_suffix("_ms"));
        other.map_or(plain.unwrap_or(self.name), |(_, function)| function)
    }

    /// The C++ type, whether the borrowed text must be copied from temporaries, and the expression that
    /// reads it from `info()`; `None` if it is written by hand.
    fn cpp(&self) -> Option<(&'static str, bool, String)> {
        if BY_HAND.contains(&(self.of, self.name)) {
            return None;
        }
        let path = format!("\"/{}\"", self.name);
        Some(match self.kind {
            "text" => ("std::optional<std::string_view>", true, format!("info().text({path})")),
            "record" => {
                ("std::optional<call_record>", false, format!("detail::record_in(info(), {path})"))
            }
            "word" => ("std::string_view", true, format!("info().text({path}).value_or(\"\")")),
            "number" => ("int", false, format!("detail::small_number(info(), {path})")),
            "flag" => ("bool", false, format!("info().get<bool>({path}).value_or(false)")),
            "milliseconds" => (
                "std::optional<std::chrono::milliseconds>",
                false,
                format!("detail::milliseconds(info(), {path})"),
            ),
            "duration" => (
                "std::chrono::milliseconds",
                false,
                format!(
                    "detail::milliseconds(info(), {path}).value_or(std::chrono::milliseconds(0))"
                ),
            ),
            "unix_ms" => (
                "std::optional<std::chrono::system_clock::time_point>",
                false,
                format!("detail::moment(info(), {path})"),
            ),
            "rate_limits" => (
                "std::optional<modelwire::rate_limits>",
                false,
                format!("detail::rate_limits_in(info(), {path})"),
            ),
            "usage" => {
                ("std::optional<token_usage>", false, format!("detail::usage_in(info(), {path})"))
            }
            _ => return None,
        })
    }
}

/// The name of an accessor's type in documents.
fn kind_in_words(kind: &str) -> &str {
    match kind {
        "text" | "word" => "string",
        "number" => "number",
        "flag" => "true or false",
        "milliseconds" | "duration" => "milliseconds",
        "unix_ms" => "milliseconds since 1970 UTC",
        "texts" => "array of strings",
        "tools" | "pieces" | "headers" => "array of objects",
        _ => "object",
    }
}

/// Wraps words into lines of at most `width` characters, each after the prefix.
fn wrapped(words: &str, prefix: &str, width: usize) -> String {
    let mut out = String::new();
    let mut line = prefix.to_owned();
    let mut is_empty = true;
    for word in words.split(' ') {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            out.push_str(&line);
            out.push('\n');
            line = prefix.to_owned();
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    out.push_str(&line);
    out.push('\n');
    out
}

/// Replaces each line `@accessors of` in the header by the list of members.
pub(crate) fn listed(header: &str) -> String {
    let mut out = String::new();
    for line in header.lines() {
        let Some(of) = line.trim_start_matches([' ', '*']).strip_prefix("@accessors ") else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        for row in rows(of.trim()) {
            let told = format!("- \"{}\": {}", row.name, text(row.doc));
            // Continuation lines are indented by two more columns.
            let lines = wrapped(&told, " *   ", 96);
            out.push_str(&lines.replacen(" *   - ", " * - ", 1));
        }
    }
    out
}

/// The C++ declarations that begin with these words and end with this body.
fn declared(begin: &str, body: &str) -> String {
    let whole = format!("  [[nodiscard]] {begin} {{ {body}; }}\n");
    if whole.len() <= 101 {
        whole
    } else {
        format!("  [[nodiscard]] {begin} {{\n    {body};\n  }}\n")
    }
}

/// The functions of a view, or of an error, that owns what it lends.
fn functions(of: &str) -> String {
    let is_error = of == "error";
    let mut out = String::new();
    for row in rows(of) {
        let Some((kind, is_borrowed, body)) = row.cpp() else { continue };
        out.push_str(&wrapped(&text(row.doc), "  /// ", 98));
        let name = row.function();
        let lends = if is_error && is_borrowed { "&" } else { "" };
        let safe = if is_borrowed { " noexcept" } else { "" };
        out.push_str(&declared(
            &format!("{kind} {name}() const{lends}{safe}"),
            &format!("return {body}"),
        ));
    }
    out
}

/// Functions that lend from an object that is kept, and copy from a temporary.
fn copies(of: &str) -> String {
    let mut out = String::new();
    for row in rows(of) {
        let Some((kind, true, _)) = row.cpp() else { continue };
        let name = row.function();
        let (view, lends) = match of {
            "error" => ("std::as_const(*this)", false),
            "chunk" => ("event_view", true),
            _ => ("response_view", true),
        };
        let (own, copy) = match (row.kind, lends) {
            ("text", true) => {
                ("std::optional<std::string>", format!("detail::copied({view}::{name}())"))
            }
            ("text", false) => {
                ("std::optional<std::string>", format!("detail::copied({view}.{name}())"))
            }
            (_, true) => ("std::string", format!("std::string({view}::{name}())")),
            (_, false) => ("std::string", format!("std::string({view}.{name}())")),
        };
        if lends {
            out.push_str(&declared(
                &format!("{kind} {name}() const& noexcept"),
                &format!("return {view}::{name}()"),
            ));
        }
        out.push_str(&declared(&format!("{own} {name}() &&"), &format!("return {copy}")));
    }
    out
}

/// Regenerates the text between the marks `<accessors of ...>` and `</accessors>` in the C++ header; an
/// error if a mark has no end.
pub(crate) fn with_functions(header: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut parts = header.split("  // <accessors ");
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let broken = || format!("the mark \"<accessors {}\" has no end", part.lines().count());
        let (mark, rest) = part.split_once('\n').ok_or_else(broken)?;
        let (_, behind) = rest.split_once("  // </accessors>").ok_or_else(broken)?;
        let made = match mark.trim().trim_end_matches('>').split_once(' ') {
            Some(("of", of)) => functions(of),
            Some(("copied", of)) => copies(of),
            _ => return Err(format!("what is \"<accessors {mark}\"?")),
        };
        let _ = write!(out, "  // <accessors {mark}\n{made}  // </accessors>{behind}");
    }
    Ok(out)
}

/// The lists by which the tests of C and C++ walk the table: NAME(function, "/member", "gives").
pub(crate) fn lists() -> String {
    let mut out = "/*\n * The table of accessors for the tests of C and C++: the name of the C++ \
                   function, that of the\n * member, and the JSON that it has in the sample. \
                   Generated from core/src/answer/accessor_table.rs\n * (`make generate`); do not edit.\n \
                   */\n#ifndef ACCESSORS_H\n#define ACCESSORS_H\n"
        .to_owned();
    for (name, of) in [("CHUNK", "chunk"), ("RESPONSE", "response"), ("ERROR", "error")] {
        let _ = write!(out, "\n#define {name}_ACCESSORS(ROW)");
        for row in rows(of) {
            let gives = row.example.gives.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = write!(out, " \\\n  ROW({}, \"/{}\", \"{gives}\")", row.function(), row.name);
        }
        out.push('\n');
    }
    out.push_str("\n#endif\n");
    out
}

/// docs/accessors.md.
pub(crate) fn document() -> String {
    let mut out = "# Accessors of answers and errors\n\
        \n\
        <!-- Written by `make generate` from core/src/answer/accessor_table.rs. -->\n\
        \n\
        You reach every field that a service sends by its path. The accessors below are in addition: what the library\n\
        knows, and what services name differently.\n\
        \n\
        - **Rust**: functions of `Chunk`, `Response` and `Error`, or of the types in them; `info_json` and `to_json`\n\
        \x20 give all of them as JSON.\n\
        - **C**: members of `modelwire_event_info`, `modelwire_response_info` and `modelwire_error_value`, in this\n\
        \x20 order; null if absent.\n\
        - **C++**: the functions in the third column; a number is 0 if absent.\n\
        - **Python**: attributes, unless the answer has a field of that name.\n\
        - **Bindings**: `include/modelwire.json` lists them with an example each.\n"
        .to_owned();
    for (heading, of) in
        [("Of a chunk", "chunk"), ("Of a response", "response"), ("Of an error", "error")]
    {
        let _ = write!(
            out,
            "\n## {heading}\n\n| member | is | C++ | what it is |\n|---|---|---|---|\n"
        );
        for row in rows(of) {
            let _ = writeln!(
                out,
                "| `{}` | {} | `{}()` | {} |",
                row.name,
                kind_in_words(row.kind),
                row.function(),
                text(row.doc)
            );
        }
    }
    out
}
