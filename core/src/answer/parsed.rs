//! An answer's text as a value of the program's type.

use std::fmt;

use crate::protocol::document::Document;
use crate::protocol::value::Value;

/// Why an answer was not parsed. It was received and paid for: the response still has it.
///
/// ```no_run
/// # fn run(answer: modelwire::Response) {
/// use modelwire::NotParsed;
///
/// match answer.parse::<Vec<String>>() {
///     Ok(names) => println!("{names:?}"),
///     Err(NotParsed::Refused(words)) => println!("refused: {words}"),
///     Err(why) => eprintln!("{why}"),
/// }
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum NotParsed {
    /// It is the end of a stream that was not gathered.
    NotGathered,
    /// It is not whole, for this finish reason: `length` or `content_filter` of a chat, `incomplete` or
    /// `failed` of a response.
    Truncated(String),
    /// The model refused, with these words.
    Refused(String),
    /// The text does not match the type.
    Mismatch {
        /// The text.
        text: String,
        /// Where and why.
        cause: serde_json::Error,
    },
}

impl fmt::Display for NotParsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotParsed::NotGathered => {
                f.write_str("the stream was not gathered: set the option gather")
            }
            NotParsed::Truncated(reason) => {
                write!(
                    f,
                    "the answer is not whole: it ended with {reason}; raise the limit of tokens, or change the prompt"
                )
            }
            NotParsed::Refused(words) => write!(f, "the model refused: {words}"),
            NotParsed::Mismatch { cause, .. } => {
                write!(f, "the answer does not match the type: {cause}")
            }
        }
    }
}

impl std::error::Error for NotParsed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            NotParsed::Mismatch { cause, .. } => Some(cause),
            _ => None,
        }
    }
}

pub(crate) fn parse<T: serde::de::DeserializeOwned>(
    document: Option<&Document>,
) -> Result<T, NotParsed> {
    let document = document.ok_or(NotParsed::NotGathered)?;
    if let Some(words) = refusal(document.value()) {
        return Err(NotParsed::Refused(words));
    }
    let reason = document.finish_reason().unwrap_or_default();
    if ["length", "content_filter", "incomplete", "failed", "cancelled"].contains(&&*reason) {
        return Err(NotParsed::Truncated(reason.into_owned()));
    }
    let text = document.text();
    serde_json::from_str(&text)
        .map_err(|cause| NotParsed::Mismatch { text: text.into_owned(), cause })
}

/// The words of a refusal: of a chat's first choice, or of the first part of a response that is one.
fn refusal(document: Value<'_>) -> Option<String> {
    let words = |value: Value<'_>| value.text_at("/refusal").map(std::borrow::Cow::into_owned);
    if let Some(message) = document.pointer("/choices/0/message") {
        return words(message);
    }
    let output = document.get("output")?.items().into_iter();
    output.filter_map(|item| item.get("content")).flat_map(Value::items).find_map(words)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::error::Error;

    use super::*;

    #[test]
    fn the_parsers_error_is_the_cause() {
        let document =
            Document::scan(r#"{"choices":[{"message":{"content":"[1, \"x\"]"}}]}"#).unwrap();
        let error = parse::<Vec<u32>>(Some(&document)).unwrap_err();
        let cause = error.source().unwrap().to_string();
        assert!(error.to_string().ends_with(&cause) && cause.contains("expected u32"), "{error}");
        assert!(parse::<u32>(None).unwrap_err().source().is_none());
    }
}
