//! Why a line is not a request: the error and what to do.

use std::borrow::Cow;

use modelwire::limits::JSON_DEPTH_MAX;
use modelwire::{JsonError, Kind, Value};

/// The maximum number of member names shown for an object of no known form.
pub(crate) const NAMES_SHOWN_MAX: usize = 8;

/// The members of an object.
pub(crate) type Members<'a> = Vec<(Cow<'a, str>, Value<'a>)>;

/// Why a line is not a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// If it could be read.
    pub(crate) custom_id: Option<String>,
    pub(crate) reason: String,
    pub(crate) advice: String,
}

/// The last of duplicate members counts, as in a service.
pub(crate) fn find<'a>(members: &Members<'a>, name: &str) -> Option<Value<'a>> {
    members.iter().rev().find(|(found, _)| found == name).map(|(_, value)| *value)
}

/// What to do, if the error is clear.
pub(crate) const CORRECT: &str = "correct the line";

/// For a line whose name could not be read.
pub(crate) fn fault(reason: impl Into<String>, advice: &str) -> Fault {
    Fault { custom_id: None, reason: reason.into(), advice: advice.to_owned() }
}

/// The text of these bytes.
pub(crate) fn as_utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let column = String::from_utf8_lossy(valid).chars().count() + 1;
        let is_utf_16 = matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]);
        let advice = match is_utf_16 {
            true => "it seems to be UTF-16: convert it with `iconv -f UTF-16 -t UTF-8`",
            false => CORRECT,
        };
        fault(format!("not valid UTF-8 at column {column}"), advice)
    })
}

/// A sentence as a clause of another.
pub(crate) fn as_clause(sentence: &str) -> String {
    let mut characters = sentence.trim_end_matches('.').chars();
    let first = characters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(characters).collect()
}

pub(crate) fn not_json(line: &str, error: JsonError) -> Fault {
    let before = line.get(..error.offset).unwrap_or(line);
    let column = before.chars().count() + 1;
    if error.expected.contains("JSON_DEPTH_MAX") {
        let reason =
            format!("nested too deep at column {column}: JSON_DEPTH_MAX is {JSON_DEPTH_MAX}");
        return fault(reason, "reduce its nesting");
    }
    let reason = format!("not valid JSON at column {column}: expected {}", error.expected);
    // The first line of a file that is one document is incomplete JSON.
    let is_open = error.offset == line.len() && line.trim().len() <= 1;
    fault(reason, if is_open { ONE_DOCUMENT } else { CORRECT })
}

const ONE_DOCUMENT: &str = "write one object per line: `jq -c '.[]'` does that for an array, `jq -c .` for \
    objects over several lines";

pub(crate) fn no_object(value: Value<'_>) -> Fault {
    let reason = format!("each line must be an object, not {}", kind_name(value.kind()));
    fault(reason, if value.kind() == Kind::Array { ONE_DOCUMENT } else { CORRECT })
}

pub(crate) fn no_form(members: &Members<'_>) -> Fault {
    let reason = format!(
        "neither a request (messages or input) nor a batch line (body); {}",
        names(members)
    );
    fault(reason, "write the prompt with --prompt \"... {FIELD} ...\", or correct the line")
}

/// The members that are present instead.
pub(crate) fn names(members: &Members<'_>) -> String {
    let shown =
        members.iter().take(NAMES_SHOWN_MAX).map(|(name, _)| format!("{:?}", shortened(name)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match members.len() {
        0 => "it is empty".to_owned(),
        1 if members.iter().any(|(name, _)| has_separator(name)) => {
            format!("it has {shown}, which is one field: {SEPARATORS}")
        }
        1..=NAMES_SHOWN_MAX => format!("it has {shown}"),
        more => format!("it has {shown} and {} more", more - NAMES_SHOWN_MAX),
    }
}

/// Whether the only name of a table seems to be several.
pub(crate) fn has_separator(name: &str) -> bool {
    name.contains([';', '\t', ','])
}

pub(crate) const SEPARATORS: &str = "separate fields by commas in .csv, by tabs in .tsv";

/// Maximum characters of a text in a message.
const SHOWN_CHARS_MAX: usize = 40;

pub(crate) fn shortened(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

pub(crate) fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_line_that_only_opens_is_the_first_of_one_document() {
        let advice = |line: &str| not_json(line, Value::parse(line).unwrap_err()).advice;
        assert_eq!(advice("["), ONE_DOCUMENT);
        assert_eq!(advice(" { "), ONE_DOCUMENT);
        assert_eq!(advice("x"), CORRECT);
        assert_eq!(advice(r#"{"a":"#), CORRECT, "cut off");
    }
}
