//! The operations of the service (R-OP1) and their paths.

/// The three operations of the service (R-OP1).
///
/// ```
/// use modelwire::{Endpoint, Request};
///
/// assert_eq!(Endpoint::Chat.path(), "/chat/completions");
/// assert_eq!(Request::chat("a-model").endpoint().name(), "chat");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// `GET /models`
    Models,
    /// `POST /chat/completions`
    Chat,
    /// `POST /responses`
    Responses,
}

impl Endpoint {
    pub(crate) const ALL: [Endpoint; 3] = [Endpoint::Models, Endpoint::Chat, Endpoint::Responses];

    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Endpoint::Models => "models",
            Endpoint::Chat => "chat",
            Endpoint::Responses => "responses",
        }
    }

    /// The HTTP method.
    pub(crate) fn method(self) -> &'static str {
        match self {
            Endpoint::Models => "GET",
            Endpoint::Chat | Endpoint::Responses => "POST",
        }
    }

    /// The path below the base URL.
    pub fn path(self) -> &'static str {
        match self {
            Endpoint::Models => "/models",
            Endpoint::Chat => "/chat/completions",
            Endpoint::Responses => "/responses",
        }
    }

    /// The field that a body must have in addition to `model`.
    pub(crate) fn content_field(self) -> &'static str {
        match self {
            Endpoint::Models => "",
            Endpoint::Chat => "messages",
            Endpoint::Responses => "input",
        }
    }

    /// The field that limits the length of the output (R-F1).
    pub(crate) fn bound_field(self) -> &'static str {
        match self {
            Endpoint::Models => "",
            Endpoint::Chat => "max_tokens",
            Endpoint::Responses => "max_output_tokens",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Endpoint;

    #[test]
    fn each_operation_has_its_method() {
        let methods = Endpoint::ALL.map(|endpoint| (endpoint.name(), endpoint.method()));
        assert_eq!(methods, [("models", "GET"), ("chat", "POST"), ("responses", "POST")]);
    }
}
