//! Finds what a service says of an error, whatever it wrapped it in (R-ERR4). Knows no status and
//! no kind.

use std::borrow::Cow;

use crate::protocol::sse;
use crate::protocol::text::excerpt;
use crate::protocol::value::{Kind, Value};

/// How many wrappers are looked into: each is one more pass over the text.
const WRAPPERS_MAX: u32 = 4;

/// What a service says of an error, wherever in the body it stands (R-ERR4).
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
        // An event stream under a bad status: the first event that carries an error object.
        let mut found = ErrorObject::default();
        let mut visit = |event: sse::Event<'_>| {
            if found.message.is_none()
                && let Ok(value) = Value::parse(event.data.trim())
            {
                found = ErrorObject::in_value(value, WRAPPERS_MAX);
            }
        };
        let mut decoder = sse::Decoder::new(body.len() + 1);
        // The bound is the text's own size, so neither call can fail.
        let _ = decoder.feed(body.as_bytes(), &mut visit);
        let _ = decoder.finish(&mut visit);
        found
    }

    fn in_value(value: Value<'_>, wrappers: u32) -> ErrorObject {
        match value.kind() {
            Kind::Array if wrappers == 0 => ErrorObject::default(),
            Kind::Array => {
                let first = value.at(0).map(|first| ErrorObject::in_value(first, wrappers - 1));
                first.unwrap_or_default()
            }
            Kind::String => ErrorObject { message: text_of(Some(value)), ..Default::default() },
            Kind::Object => ErrorObject::in_object(value, false, wrappers),
            Kind::Null | Kind::Bool | Kind::Number => ErrorObject::default(),
        }
    }

    /// `is_error` tells an error object from what it is wrapped in: one that says a message of its
    /// own is not asked for a further one inside.
    fn in_object(value: Value<'_>, is_error: bool, wrappers: u32) -> ErrorObject {
        let own = ErrorObject::fields(value);
        if wrappers == 0 || is_error && own.message.is_some() {
            return own;
        }
        let inside =
            |pointer: &str| value.pointer(pointer).filter(|value| value.kind() == Kind::Object);
        // A failed response carries its error one level down; FastAPI says detail.
        for wrapped in ["/error", "/response/error", "/detail"] {
            let found =
                inside(wrapped).map(|error| ErrorObject::in_object(error, true, wrappers - 1));
            if let Some(found) =
                found.filter(|found| found.message.is_some() || wrapped == "/error")
            {
                return found;
            }
        }
        let text = text_of(value.get("error").filter(|error| error.kind() == Kind::String));
        ErrorObject { message: own.message.or(text), ..own }
    }

    fn fields(value: Value<'_>) -> ErrorObject {
        let detail = value.get("detail").filter(|detail| !detail.is_null());
        let shown =
            |detail: Value<'_>| (detail.kind() != Kind::Object).then(|| excerpt(detail.text()));
        ErrorObject {
            message: text_of(value.get("message")).or(text_of(detail)).or(detail.and_then(shown)),
            error_type: text_of(value.get("type")),
            code: text_of(value.get("code")),
            param: text_of(value.get("param")),
        }
    }
}

/// A string that says something, or a number as its digits.
fn text_of(value: Option<Value<'_>>) -> Option<String> {
    let value = value?;
    match value.kind() {
        Kind::String => value.as_str().map(Cow::into_owned).filter(|text| !text.trim().is_empty()),
        Kind::Number => Some(value.text().to_owned()),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    }
}
