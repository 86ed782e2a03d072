//! Judges an answer that is one document, and converts it into stream events if the caller streams
//! (R-STR5).

use std::collections::VecDeque;
use std::sync::Arc;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::head::Head;
use crate::answer::record::Answered;
use crate::answer::redactor::Redactor;
use crate::answer::response::Response;
use crate::call::queue::Event;
use crate::protocol::chunk::Chunk;
use crate::protocol::document::{Document, MODELS_MAX};
use crate::protocol::document_chunks::document_chunks;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::offsets::ELEMENTS_MAX;
use crate::protocol::value::Value;

const BROKEN_HINT: &str = "It begins like an answer but is damaged: truncated, altered in transit, or more \
    than one document. It may have been billed.";
const ERROR_HINT: &str =
    "The service reported an error with a success status: see the error's type and code.";

/// What arrived with a success status instead of an answer.
pub(crate) struct NoAnswer {
    pub(crate) error: Error,
    /// It starts like an answer, so part of one was metered (R-MET1).
    pub(crate) is_part: bool,
    /// The usage that it reports nonetheless.
    pub(crate) answered: Answered,
}

impl NoAnswer {
    fn new(error: Error) -> Box<NoAnswer> {
        Box::new(NoAnswer { error, is_part: false, answered: Answered::default() })
    }
}

/// Judges whether a body with a success status is an answer of this operation (R-ERR6).
pub(crate) fn judge(
    redactor: &Redactor,
    endpoint: Endpoint,
    head: Arc<Head>,
    bytes: Vec<u8>,
) -> Result<Response, Box<NoAnswer>> {
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|invalid| String::from_utf8_lossy(invalid.as_bytes()).into_owned());
    // Some writers put a byte order mark before JSON; parsers may ignore it (RFC 8259).
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    let not_an_answer = |why: &str, shown: &str| {
        // Either may have broken off.
        let message = format!("{why}: {}", redactor.quote(&redactor.without_half(shown)));
        let error = Error::new(ErrorKind::Protocol, message);
        let body = redactor.bounded_text(&redactor.without_half(&text));
        NoAnswer::new(error.with_body(body).with_answer(&head))
    };
    if text.trim_start().is_empty() {
        let error = Error::new(ErrorKind::Protocol, "the answer has no content");
        return Err(NoAnswer::new(error.with_answer(&head)));
    }
    let document = match Document::scan(&text) {
        Ok(document) => document,
        Err(cause) => {
            let mut answer = not_an_answer(&format!("the answer is not JSON ({cause})"), &text);
            if text.trim_start().starts_with('{') {
                answer.is_part = true;
                answer.error = answer.error.with_hint(BROKEN_HINT);
            }
            return Err(answer);
        }
    };
    let mut no_answer = if document.is_error(endpoint) {
        let error = redactor.error_in(&text).with_hint(ERROR_HINT);
        NoAnswer::new(error.with_answer(&head))
    } else if !document.is_answer(endpoint) {
        let why = match endpoint {
            Endpoint::Models => "the answer has no model list",
            Endpoint::Chat | Endpoint::Responses if !document.is_object() => {
                "the answer is JSON, but not an object"
            }
            Endpoint::Chat => "the chat answer has no choices",
            Endpoint::Responses => "the answer is not a response: it has no list named output",
        };
        not_an_answer(why, &text)
    } else if endpoint == Endpoint::Models
        && let Some(entry) = document.unnamed_model()
    {
        not_an_answer("an entry in the model list has no id", entry.text())
    } else if endpoint == Endpoint::Models
        && document.model_list().is_some_and(|list| list.count() > MODELS_MAX)
    {
        let why = format!("the model list has more than MODELS_MAX = {MODELS_MAX} entries");
        not_an_answer(&why, &text)
    } else {
        return Ok(Response::whole(endpoint, head, document));
    };
    let usage = document.usage();
    no_answer.is_part = usage.is_some();
    no_answer.answered.usage = usage;
    Err(no_answer)
}

/// The events with which a stream of this answer would have started: `Open` and its chunks.
pub(crate) fn events_of(endpoint: Endpoint, whole: &Response) -> Result<VecDeque<Event>> {
    let mut events = VecDeque::from([Event::Open(whole.shared_head().clone())]);
    let document = whole.document().map_or(Value::NULL, Document::value);
    let chunks = document_chunks(endpoint, document);
    if chunks.len() > ELEMENTS_MAX {
        let message = format!("the answer has more than ELEMENTS_MAX = {ELEMENTS_MAX} parts");
        return Err(Error::new(ErrorKind::Protocol, message).with_answer(whole.head()));
    }
    for (event, text) in chunks {
        events.extend(Chunk::scan(&event, &text).ok().map(Event::Chunk));
    }
    Ok(events)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    fn judged(endpoint: Endpoint, text: &str) -> Result<Response> {
        let redactor = Redactor::for_tests("sk-test", 100);
        let head = Arc::new(Head::new(200, [("x-a", "b")]));
        judge(&redactor, endpoint, head, text.into()).map_err(|no_answer| no_answer.error)
    }

    #[test]
    fn what_is_no_answer_is_named() {
        for (endpoint, text, why) in [
            (Endpoint::Chat, "5", "the answer is JSON, but not an object"),
            (Endpoint::Responses, "[{}]", "the answer is JSON, but not an object"),
            (Endpoint::Chat, "{}", "the chat answer has no choices"),
            (
                Endpoint::Responses,
                "{}",
                "the answer is not a response: it has no list named output",
            ),
            (Endpoint::Models, "5", "the answer has no model list"),
            (Endpoint::Models, "{}", "the answer has no model list"),
        ] {
            let error = judged(endpoint, text).unwrap_err();
            assert_eq!(
                (error.kind(), error.message()),
                (ErrorKind::Protocol, &*format!("{why}: {text}"))
            );
        }
        let models = r#"{"data":[{"id":"a"},{"x":1}]}"#;
        let error = judged(Endpoint::Models, models).unwrap_err();
        assert_eq!(error.message(), r#"an entry in the model list has no id: {"x":1}"#);
        assert!(judged(Endpoint::Models, r#"{"data":[{"id":"a"}]}"#).is_ok());
    }

    /// Their names take many times the text: that of a list of zeros some thirty times.
    #[test]
    fn a_model_list_has_a_bound() {
        let list = |models| judged(Endpoint::Models, &format!("[{}]", vec!["0"; models].join(",")));
        assert_eq!(list(MODELS_MAX).unwrap().model_ids().len(), MODELS_MAX);
        let error = list(MODELS_MAX + 1).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol);
        let why = "the model list has more than MODELS_MAX = 1048576 entries: ";
        assert!(error.message().starts_with(why), "{error}");
    }

    #[test]
    fn what_is_no_answer_does_not_end_in_half_a_key() {
        for text in [r#"{"a":"a sk-tes"#, "a sk-tes"] {
            let redactor = Redactor::for_tests("sk-test-0123", 100);
            let head = Arc::new(Head::new(200, [("x-a", "b")]));
            let error = judge(&redactor, Endpoint::Chat, head, text.into()).err().unwrap().error;
            assert!(error.message().ends_with("a [key]"), "{error}");
            assert!(error.body().unwrap().ends_with("a [key]"), "{error:?}");
        }
    }

    /// Its parts and its end count.
    #[test]
    fn an_answer_is_streamed_up_to_its_bound() {
        let streamed = |parts| {
            let part = r#"{"type":"output_text","text":"x"}"#;
            let parts = vec![part; parts].join(",");
            let text = format!(r#"{{"output":[{{"type":"message","content":[{parts}]}}]}}"#);
            events_of(Endpoint::Responses, &judged(Endpoint::Responses, &text).unwrap())
        };
        let events = streamed(ELEMENTS_MAX - 1).unwrap();
        assert_eq!(events.len(), 1 + ELEMENTS_MAX);
        let Some(Event::Open(head)) = events.front() else { unreachable!() };
        assert_eq!((head.status(), head.header("x-a")), (200, Some("b")));
        let error = streamed(ELEMENTS_MAX).unwrap_err();
        assert!(error.message().contains("ELEMENTS_MAX"), "{error}");
    }
}
