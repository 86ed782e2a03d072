//! Finds what a service says of an error, whatever it wrapped it in (R-ERR4).

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
        let mut first = FirstOfStream::default();
        let mut decoder = sse::Decoder::new(body.len() + 1);
        // The bound is the text's own size, so neither call can fail.
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
            Kind::Object => ErrorObject::in_object(value, wrappers),
            Kind::Null | Kind::Bool | Kind::Number => ErrorObject::default(),
        }
    }

    /// An object with the error objects that it wraps: the first that has a message is the error, and
    /// what it leaves out, the others and the wrapper say.
    fn in_object(value: Value<'_>, wrappers: u32) -> ErrorObject {
        let own = ErrorObject::fields(value);
        let mut inside = ErrorObject::default();
        for pointer in WRAPPED.iter().filter(|_| wrappers > 0) {
            let Some(wrapped) = value.pointer(pointer) else { continue };
            let is_error = matches!(wrapped.kind(), Kind::Object | Kind::Array)
                // The entries of this list say where each stands, so it is shown whole.
                && !(*pointer == "/detail" && wrapped.kind() == Kind::Array);
            if is_error && inside.message.is_none() {
                let found = match wrapped.kind() {
                    Kind::Object if has_message(wrapped) => ErrorObject::fields(wrapped),
                    _ => ErrorObject::in_value(wrapped, wrappers - 1),
                };
                inside = found.or(inside);
            }
        }
        let text = text_of(value.get("error").filter(|error| error.kind() == Kind::String));
        let own = ErrorObject { message: own.message.or(text), ..own };
        // Of a wrapper this says what it is, not what went wrong.
        let is_event = |kind: &String| kind == "error" || kind.starts_with("response.");
        let error_type = own.error_type.filter(|kind| inside.message.is_none() || !is_event(kind));
        inside.or(ErrorObject { error_type, ..own })
    }

    /// This one, with what it leaves out of the other.
    fn or(self, other: ErrorObject) -> ErrorObject {
        ErrorObject {
            message: self.message.or(other.message),
            error_type: self.error_type.or(other.error_type),
            code: self.code.or(other.code),
            param: self.param.or(other.param),
        }
    }

    fn fields(value: Value<'_>) -> ErrorObject {
        let first = |names: &[&str]| names.iter().find_map(|name| text_of(value.get(name)));
        let detail = value.get("detail").filter(|detail| !detail.is_null());
        let shown =
            |detail: Value<'_>| (detail.kind() != Kind::Object).then(|| excerpt(detail.text()));
        let code = first(&["code", "error_code"]);
        // FastChat's workers say in the place of the answer what went wrong.
        let text = || text_of(value.get("error_code")).and_then(|_| text_of(value.get("text")));
        ErrorObject {
            message: first(&MESSAGES).or(text_of(detail)).or(detail.and_then(shown)).or_else(text),
            error_type: first(&["type", "error_type"]),
            code,
            param: text_of(value.get("param")),
        }
    }
}

/// The first error object in the events of a body, whose lines may leave the grammar as those of a stream
/// may (R-STR2).
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

    fn event(&mut self, event: sse::Event<'_>) {
        if let Ok(value) = Value::parse(event.data.trim()) {
            self.add(value);
        }
    }

    fn is_whole(&self, data: &[u8]) -> bool {
        Value::parse(String::from_utf8_lossy(data).trim()).is_ok()
    }

    /// It ends the event before it; an error behind it is read all the same.
    fn is_end(&self, data: &[u8]) -> bool {
        data.starts_with(b"[DONE]")
    }

    /// An object only: any other value may be a line of a broken document.
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

/// Where services put an error object: a failed response carries it one level down, FastAPI says detail.
const WRAPPED: [&str; 5] = ["/error", "/errors", "/response/error", "/detail", "/data/error"];

/// The names that services have for the message.
const MESSAGES: [&str; 4] = ["message", "msg", "error_msg", "error_message"];

/// Whether an error object says what went wrong: it is not asked for a further one inside then.
fn has_message(error: Value<'_>) -> bool {
    ErrorObject::fields(error).message.is_some()
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
