//! Finds what a service says of an error, whatever it wrapped it in (R-ERR4). Knows no status and
//! no kind.

use std::borrow::Cow;

use crate::error::excerpt;
use crate::sse;
use crate::value::{Kind, Value};

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
        let body = body.trim();
        if let Ok(value) = Value::parse(body) {
            return ErrorObject::in_value(value);
        }
        // An event stream under a bad status: the first event that carries an error object.
        let mut found = ErrorObject::default();
        let mut visit = |event: sse::Event<'_>| {
            if found.message.is_none()
                && let Ok(value) = Value::parse(event.data.trim())
            {
                found = ErrorObject::in_value(value);
            }
        };
        let mut decoder = sse::Decoder::new(body.len() + 1);
        // The bound is the text's own size, so neither call can fail.
        let _ = decoder.feed(body.as_bytes(), &mut visit);
        let _ = decoder.finish(&mut visit);
        found
    }

    fn in_value(value: Value<'_>) -> ErrorObject {
        match value.kind() {
            Kind::Array => value.at(0).map(ErrorObject::in_value).unwrap_or_default(),
            Kind::String => ErrorObject { message: text_of(Some(value)), ..Default::default() },
            Kind::Object => ErrorObject::in_object(value),
            Kind::Null | Kind::Bool | Kind::Number => ErrorObject::default(),
        }
    }

    fn in_object(value: Value<'_>) -> ErrorObject {
        match value.get("error") {
            Some(error) if error.kind() == Kind::Object => return ErrorObject::in_object(error),
            Some(error) if error.kind() == Kind::String => {
                let flat = ErrorObject::fields(value);
                return ErrorObject { message: flat.message.or(text_of(Some(error))), ..flat };
            }
            _ => {}
        }
        // A failed response carries its error one level down.
        if let Some(error) = value.pointer("/response/error").filter(|error| !error.is_null()) {
            return ErrorObject::in_object(error);
        }
        ErrorObject::fields(value)
    }

    fn fields(value: Value<'_>) -> ErrorObject {
        let detail = value.get("detail").filter(|detail| !detail.is_null());
        ErrorObject {
            message: text_of(value.get("message"))
                .or(text_of(detail))
                .or(detail.map(|detail| excerpt(detail.text()))),
            error_type: text_of(value.get("type")),
            code: text_of(value.get("code")),
            param: text_of(value.get("param")),
        }
    }
}

/// A string, or a number as its digits.
fn text_of(value: Option<Value<'_>>) -> Option<String> {
    let value = value?;
    match value.kind() {
        Kind::String => value.as_str().map(Cow::into_owned),
        Kind::Number => Some(value.text().to_owned()),
        Kind::Null | Kind::Bool | Kind::Array | Kind::Object => None,
    }
}
