//! A refusal: a status with OpenAI's error envelope.

use crate::json::{null, object, quoted, quoted_or_null};
use crate::script::Exchange;

/// The `type` of every error caused by the caller.
const INVALID_REQUEST: &str = "invalid_request_error";

/// The code of model `flat-error`: FastChat's code for a CUDA fault.
const FLAT_CODE: u32 = 50_002;

/// An error instead of a model's answer.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    status: u16,
    message: String,
    kind: &'static str,
    param: Option<String>,
    code: Option<&'static str>,
    headers: Vec<(&'static str, String)>,
}

impl Problem {
    pub(crate) fn new(status: u16, message: impl Into<String>) -> Problem {
        Problem {
            status,
            message: message.into(),
            kind: INVALID_REQUEST,
            param: None,
            code: None,
            headers: Vec::new(),
        }
    }

    /// A 400 for this field.
    pub(crate) fn field(param: impl Into<String>, message: impl Into<String>) -> Problem {
        let mut problem = Problem::new(400, message);
        problem.param = Some(param.into());
        problem
    }

    /// The fault of models whose stream ends with an error: an event of the stream, or a 502.
    pub(crate) fn upstream_failed() -> Problem {
        Problem::new(502, "The upstream provider failed.")
            .kind("server_error")
            .code("upstream_failed")
    }

    pub(crate) fn kind(mut self, kind: &'static str) -> Problem {
        self.kind = kind;
        self
    }

    pub(crate) fn code(mut self, code: &'static str) -> Problem {
        self.code = Some(code);
        self
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Problem {
        self.headers.push((name, value.into()));
        self
    }

    /// `{"error": {...}}`, as a body or as an event of a stream.
    pub(crate) fn envelope(&self) -> String {
        let error = object(&[
            ("message", quoted(&self.message)),
            ("type", quoted(self.kind)),
            ("param", quoted_or_null(self.param.as_deref())),
            ("code", quoted_or_null(self.code)),
        ]);
        object(&[("error", error)])
    }

    /// The error event of model `flat-error`, without an `error` member.
    pub(crate) fn flat_event(&self) -> String {
        object(&[("text", quoted(&self.message)), ("error_code", FLAT_CODE.to_string())])
    }

    /// The body of model `flat-error`, with the status 200.
    pub(crate) fn flat_body(&self) -> String {
        object(&[
            ("object", quoted("error")),
            ("message", quoted(&self.message)),
            ("code", FLAT_CODE.to_string()),
        ])
    }

    /// The `error` event of a response stream, whose fields are at the top level.
    pub(crate) fn response_event(&self, sequence_number: u64) -> String {
        object(&[
            ("type", quoted("error")),
            ("code", quoted_or_null(self.code)),
            ("message", quoted(&self.message)),
            ("param", null()),
            ("sequence_number", sequence_number.to_string()),
        ])
    }

    pub(crate) fn exchange(&self, request_id: &str) -> Exchange {
        let mut headers = vec![("x-request-id", request_id)];
        headers.extend(self.headers.iter().map(|(name, value)| (*name, value.as_str())));
        Exchange::json_with_headers(self.status, &headers, self.envelope())
    }
}
