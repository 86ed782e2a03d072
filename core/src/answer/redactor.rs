//! Redacts and truncates a service's texts: at most a fixed size, and never the call's API key.

use std::borrow::Cow;
use std::sync::Arc;

use crate::answer::error::Error;
use crate::options::api_key::ApiKey;
use crate::protocol::text::{EXCERPT_BYTES_MAX, cut, excerpt};

/// The keys of a call, and the maximum size of a quote in its errors.
#[derive(Clone)]
pub(crate) struct Redactor {
    pub(crate) key: Arc<ApiKey>,
    /// Those of the client's other base URLs.
    pub(crate) others: Option<Arc<[Arc<ApiKey>]>>,
    /// The maximum size of a body in an error (`error_body_bytes_max`).
    pub(crate) bytes_max: usize,
}

impl Redactor {
    /// `text` with the key redacted (R-AUTH4).
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.by_each(text, ApiKey::redact)
    }

    /// The same for a model's output, see [`ApiKey::mask_answer`].
    pub(crate) fn mask_answer<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.by_each(text, ApiKey::mask_answer)
    }

    fn by_each<'a>(
        &self,
        text: &'a str,
        redact: for<'b> fn(&ApiKey, &'b str) -> Cow<'b, str>,
    ) -> Cow<'a, str> {
        let redacted = redact(&self.key, text);
        let Some(others) = &self.others else { return redacted };
        others.iter().fold(redacted, |text, key| match redact(key, &text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => Cow::Owned(redacted),
        })
    }

    fn longest_written(&self) -> usize {
        let others = self.others.iter().flat_map(|others| others.iter());
        let all = others.chain([&self.key]).map(|key| key.longest_written());
        all.max().unwrap_or_default()
    }

    /// The size of a text to examine, so that a key that crosses the limit is redacted before the cut.
    pub(crate) fn wanted(&self) -> usize {
        self.bytes_max + self.longest_written()
    }

    /// A text truncated to the limit.
    pub(crate) fn bounded_text(&self, text: &str) -> String {
        cut(&self.redact(cut(text, self.wanted())), self.bytes_max).to_owned()
    }

    /// The beginning of an unexpected text.
    pub(crate) fn quote(&self, text: &str) -> String {
        let wanted = EXCERPT_BYTES_MAX + self.longest_written();
        excerpt(&self.redact(cut(text, wanted)))
    }

    /// An error with texts from an event or an answer of any size, truncated to the limit.
    pub(crate) fn bounded(&self, error: Error) -> Error {
        error.redacted(|text| match text.len() > self.bytes_max {
            true => self.bounded_text(text),
            false => text.to_owned(), // redacted later, with all other texts
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::config::Settings;

    impl Redactor {
        /// That of a client with this key, for unit tests.
        pub(crate) fn for_tests(key: &str, bytes_max: usize) -> Redactor {
            Redactor { key: Settings::for_tests(key).api_key, others: None, bytes_max }
        }
    }

    /// The cut of a long text must not leave half a key, even one of which each character is escaped.
    #[test]
    fn a_key_at_the_cut_is_redacted_first() {
        let redactor = Redactor::for_tests("sk-test-0123", 10);
        let escaped: String = "sk-test-0123".bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        for written in ["sk-test-0123", &escaped] {
            let text = format!("12345{written} and more");
            assert_eq!(redactor.bounded_text(&text), "12345[key]", "{written}");
            let long = format!("{}{written} and more", "x".repeat(EXCERPT_BYTES_MAX - 5));
            let quoted = redactor.quote(&long);
            assert!(quoted.contains("x[key]") && !quoted.contains("\\u00"), "{quoted}");
        }
    }
}
