//! Finds the error information in a response body, in any envelope (R-ERR4).

use std::borrow::Cow;

use crate::protocol::sse;
use crate::protocol::text::excerpt;
use crate::protocol::value::{Kind, Value};

/// The maximum depth of envelopes: each takes another pass over the text.
const WRAPPERS_MAX: u32 = 4;

/// The error information, from anywhere in the body (R-ERR4).
#[derive(Default)]
pub(crate) struct ErrorObject {
    pub(crate) message: Option<String>,
    pub(crate) error_type: Option<String>,
    pub(crate) code: Option<String>,
    pub(crate) param: Option<String>,
}

impl ErrorObject {
    pub(crate) fn find(body: &str) -> ErrorObject {
        let body = body.trim_start_matches('\u{feff}').trim();
        if let Ok(value) = Value::parse(body) {
            return ErrorObject::in_value(value, WRAPPERS_MAX);
        }
        // An event stream with an error status: the first event that contains an error object.
        let mut first = FirstOfStream::default();
        let mut decoder = sse::Decoder::new(body.len());
        // The limit is the text's own size, so neither call can fail.
        let _ = decoder.feed_to(body.as_bytes(), &mut first);
        let _ = decoder.finish_to(&mut first);
        first.0
    }

    fn in_value(value: Value<'_>, wrappers: u32) -> ErrorObject {
        match value.kind() {
            Kind::Array if wrappers == 0 => ErrorObject::default(),
            Kind::Array => {
                let first = value.at(0).map(|first| ErrorObject::in_value(first, wrappers - 1));
                first.unwrap_or_default()
            }
            Kind::String => ErrorObject { message: text_of(Some(value)), ..Default::default() },
            Kind::Object => ErrorObject::in_object(&Known::of(value), wrappers),
            Kind::Null | Kind::Bool | Kind::Number => ErrorObject::default(),
        }
    }

    /// An object with the error objects inside it: the first one with a message is the error; the others
    /// and the outer object complete it.
    fn in_object(known: &Known<'_>, wrappers: u32) -> ErrorObject {
        let own = ErrorObject::fields(known);
        let mut inside = ErrorObject::default();
        for (outer, inner) in WRAPPED.iter().filter(|_| wrappers > 0) {
            let wrapped = known.get(outer);
            let wrapped =
                if inner.is_empty() { wrapped } else { wrapped.and_then(|it| it.get(inner)) };
            let Some(wrapped) = wrapped else { continue };
            let is_error = matches!(wrapped.kind(), Kind::Object | Kind::Array)
                // The entries of this list contain the positions of errors, so it is shown whole.
                && !(*outer == "detail" && wrapped.kind() == Kind::Array);
            if is_error && inside.message.is_none() {
                let found = match wrapped.kind() {
                    Kind::Object => {
                        let known = Known::of(wrapped);
                        let found = ErrorObject::fields(&known);
                        // If it has a message, its inner objects are not searched.
                        match found.message {
                            Some(_) => found,
                            None => ErrorObject::in_object(&known, wrappers - 1),
                        }
                    }
                    _ => ErrorObject::in_value(wrapped, wrappers - 1),
                };
                inside = found.or(inside);
            }
        }
        let text = text_of(known.get("error").filter(|error| error.kind() == Kind::String));
        let own = ErrorObject { message: own.message.or(text), ..own };
        // The type of an envelope does not say what went wrong.
        let is_event = |kind: &String| kind == "error" || kind.starts_with("response.");
        let error_type = own.error_type.filter(|kind| inside.message.is_none() || !is_event(kind));
        inside.or(ErrorObject { error_type, ..own })
    }

    /// This one, completed from `other`.
    fn or(self, other: ErrorObject) -> ErrorObject {
        ErrorObject {
            message: self.message.or(other.message),
            error_type: self.error_type.or(other.error_type),
            code: self.code.or(other.code),
            param: self.param.or(other.param),
        }
    }

    fn fields(value: &Known<'_>) -> ErrorObject {
        let first = |names: &[&str]| names.iter().find_map(|name| text_of(value.get(name)));
        let detail = value.get("detail").filter(|detail| !detail.is_null());
        let shown =
            |detail: Value<'_>| (detail.kind() != Kind::Object).then(|| excerpt(detail.text()));
        let code = first(&["code", "error_code"]);
        // FastChat's workers put the error message in the place of the answer.
        let text = || text_of(value.get("error_code")).and_then(|_| text_of(value.get("text")));
        ErrorObject {
            message: first(&MESSAGES).or(text_of(detail)).or(detail.and_then(shown)).or_else(text),
            error_type: first(&["type", "error_type"]),
            code,
            param: text_of(value.get("param")),
        }
    }
}

/// The first error object in the events of a body, whose lines may violate the grammar as in a stream
/// (R-STR2).
#[derive(Default)]
struct FirstOfStream(ErrorObject);

impl FirstOfStream {
    fn add(&mut self, value: Value<'_>) {
        if self.0.message.is_none() {
            self.0 = ErrorObject::in_value(value, WRAPPERS_MAX);
        }
    }
}

impl sse::Sink for FirstOfStream {
    const IS_LENIENT: bool = true;

    fn event(&mut self, _: &str, data: &[u8]) {
        if let Ok(value) = Value::parse(String::from_utf8_lossy(data).trim()) {
            self.add(value);
        }
    }

    fn is_whole(&self, data: &[u8]) -> bool {
        Value::parse(String::from_utf8_lossy(data).trim()).is_ok()
    }

    /// It ends the event before it; an error after it is read nonetheless.
    fn is_end(&self, data: &[u8]) -> bool {
        data.starts_with(b"[DONE]")
    }

    /// Only an object: any other value may be a line of a broken document.
    fn stray(&mut self, _: &str, line: &[u8]) {
        let line = String::from_utf8_lossy(line);
        if let Ok(value) = Value::parse(line.trim())
            && value.kind() == Kind::Object
        {
            self.add(value);
        }
    }

    fn unknown_field(&mut self, _: &[u8]) {}
}

/// Where services put an error object: in a failed response it is one level down, FastAPI uses `detail`.
const WRAPPED: [(&str, &str); 5] =
    [("error", ""), ("errors", ""), ("response", "error"), ("detail", ""), ("data", "error")];

/// The members of an object that may say something of an error.
const NAMES: [&str; 15] = [
    "message",
    "msg",
    "error_msg",
    "error_message",
    "detail",
    "code",
    "error_code",
    "text",
    "type",
    "error_type",
    "param",
    "error",
    "errors",
    "response",
    "data",
];

/// The names that services use for the message.
const MESSAGES: [&str; 4] = ["message", "msg", "error_msg", "error_message"];

/// The members of these names, found in one pass: an error may be as large as an answer.
struct Known<'a>([Option<Value<'a>>; NAMES.len()]);

impl<'a> Known<'a> {
    fn of(object: Value<'a>) -> Known<'a> {
        let mut known = Known([None; NAMES.len()]);
        object.each_member(|name, value| {
            let places = known.0.iter_mut().zip(NAMES);
            places.filter(|(_, known)| *known == name).for_each(|(place, _)| *place = Some(value));
        });
        known
    }

    /// The member of one of these names.
    fn get(&self, name: &str) -> Option<Value<'a>> {
        debug_assert!(NAMES.contains(&name), "{name} is not looked for");
        self.0.iter().zip(NAMES).find(|(_, known)| *known == name).and_then(|(value, _)| *value)
    }
}

/// A non-blank string, or the digits of a number.
fn text_of(value: Option<Value<'_>>) -> Option<String> {
    let value = value?;
    match value.kind() {
        Kind::String => value.as_str().map(Cow::into_owned).filter(|text| !text.trim().is_empty()),
        Kind::Number => Some(value.text().to_owned()),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As deep as proxies wrap it, and no deeper: the body is the service's.
    #[test]
    fn an_error_is_found_in_some_wrappers() {
        let found = |begin: &str, end: &str, depth: usize| {
            let body =
                format!("{}{}{}", begin.repeat(depth), r#"{"message":"no"}"#, end.repeat(depth));
            ErrorObject::find(&body).message
        };
        for (begin, end) in [("[", "]"), (r#"{"error":"#, "}"), (r#"{"data":{"error":"#, "}}")] {
            for depth in 0..=WRAPPERS_MAX as usize {
                assert_eq!(found(begin, end, depth).as_deref(), Some("no"), "{depth} {begin}");
            }
            for depth in [1, 2, 100].map(|more| WRAPPERS_MAX as usize + more) {
                assert_eq!(found(begin, end, depth), None, "{depth} {begin}");
            }
        }
        // A list in an object counts as two.
        let in_lists = |depth| found(r#"{"error":["#, "]}", depth);
        for depth in 0..=WRAPPERS_MAX as usize / 2 {
            assert_eq!(in_lists(depth).as_deref(), Some("no"), "{depth}");
        }
        for depth in [1, 2, 100].map(|more| WRAPPERS_MAX as usize / 2 + more) {
            assert_eq!(in_lists(depth), None, "{depth}");
        }
    }
}
