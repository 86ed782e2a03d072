//! Redacts and truncates a service's texts: at most a fixed size, and never the call's API key.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;

use crate::answer::error::Error;
use crate::options::api_key::{ApiKey, KEY_MASK};
use crate::protocol::text::{EXCERPT_BYTES_MAX, cut, excerpt};

/// The longest character of a text: a cut before one loses less.
const CHARACTER_BYTES_MAX: usize = 4;

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

    /// The name of a header, which is in lower case.
    pub(crate) fn redact_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.by_each(name, ApiKey::redact_name)
    }

    /// The same for a model's output, see [`ApiKey::mask_answer`].
    pub(crate) fn mask_answer<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.by_each(text, ApiKey::mask_answer)
    }

    /// A text that broke off, without half a key at its end.
    pub(crate) fn without_half<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.by_each(text, ApiKey::redact_half)
    }

    fn by_each<'a>(
        &self,
        text: &'a str,
        redact: for<'b> fn(&ApiKey, &'b str) -> Cow<'b, str>,
    ) -> Cow<'a, str> {
        if self.others.is_none() {
            return redact(&self.key, text);
        }
        // The longest first: another one may be the start of it.
        let mut keys: Vec<_> = self.keys().collect();
        keys.sort_by_key(|key| Reverse(key.longest_written()));
        keys.into_iter().fold(Cow::Borrowed(text), |text, key| match redact(key, &text) {
            Cow::Borrowed(_) => text,
            Cow::Owned(redacted) => Cow::Owned(redacted),
        })
    }

    fn keys(&self) -> impl Iterator<Item = &ApiKey> {
        let others = self.others.iter().flat_map(|others| others.iter());
        others.chain([&self.key]).map(|key| &**key)
    }

    fn longest_written(&self) -> usize {
        self.keys().map(ApiKey::longest_written).max().unwrap_or_default()
    }

    /// The size of a text to examine, so that a key that crosses the limit is redacted before the cut.
    pub(crate) fn wanted(&self) -> usize {
        self.examined(self.bytes_max)
    }

    /// The same to show this many bytes.
    fn examined(&self, shown: usize) -> usize {
        shown + CHARACTER_BYTES_MAX + self.longest_written()
    }

    /// The start of a text, redacted: more than `shown` bytes of it, unless it is shorter or has keys.
    fn start<'a>(&self, text: &'a str, shown: usize) -> Cow<'a, str> {
        let examined = self.examined(shown);
        let redacted = self.redact(cut(text, examined));
        if text.len() < examined {
            return redacted;
        }
        // It goes on, so it may end in half a key, which is not redacted.
        let after_keys = redacted.rfind(KEY_MASK).map_or(0, |at| at + KEY_MASK.len());
        let sure = redacted.len().saturating_sub(self.longest_written()).max(after_keys);
        Cow::Owned(cut(&redacted, sure).to_owned())
    }

    /// A text truncated to the limit.
    pub(crate) fn bounded_text(&self, text: &str) -> String {
        cut(&self.start(text, self.bytes_max), self.bytes_max).to_owned()
    }

    /// The beginning of an unexpected text.
    pub(crate) fn quote(&self, text: &str) -> String {
        excerpt(&self.start(text.trim_start(), EXCERPT_BYTES_MAX))
    }

    /// The error in an event or an answer of any size; its texts are truncated to the limit.
    pub(crate) fn error_in(&self, data: &str) -> Error {
        // First, because a quote of it may end in half a key.
        Error::from_event(&self.redact(data)).redacted(|text| cut(text, self.bytes_max).to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::thread;

    use super::*;
    use crate::options::config::Settings;
    use crate::system::with_signals_blocked;

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

    /// What is redacted takes less room, so that more of the text is before the cut.
    #[test]
    fn half_a_key_after_whole_ones_is_not_shown() {
        let redactor = Redactor::for_tests("sk-test-0123", 300);
        let escaped: String = "sk-test-0123".bytes().map(|byte| format!("\\u{byte:04x}")).collect();
        assert_eq!(redactor.wanted(), 300 + 4 + redactor.longest_written());
        for known in 0..=12 {
            let filler = "x".repeat(redactor.wanted() - 3 * escaped.len() - known);
            let text = format!("{escaped}{escaped}{escaped}{filler}sk-test-0123 and more");
            let read = cut(&text, redactor.wanted());
            for text in [&*text, read] {
                let shown = redactor.bounded_text(text);
                assert!(shown.starts_with("[key][key][key]xx"), "{shown}");
                assert!(!shown.contains('s'), "{known}: {shown}");
            }
        }
        let filler = "x".repeat(redactor.wanted() - 3 * escaped.len());
        let text = format!("{escaped}{escaped}{filler}{escaped} and more");
        assert_eq!(redactor.bounded_text(&text), format!("[key][key]{filler}[key]"));
        let many = format!("y{}", "sk-test-0123".repeat(40));
        assert!(redactor.quote(&many).starts_with("y[key]"));
        assert!(!redactor.quote(&many).contains('s'));
        let blank = " ".repeat(EXCERPT_BYTES_MAX);
        let text = format!("{}sk-test-0123 and more", "y".repeat(66));
        let quoted = format!("{}[key] and more", "y".repeat(66));
        assert_eq!(redactor.quote(&format!("{blank}{text}")), quoted);
    }

    /// Also where a character crosses the cut, and one byte more is marked.
    #[test]
    fn a_text_without_a_key_is_shown_up_to_the_limit() {
        let redactor = Redactor::for_tests("sk-test-0123", 100);
        for character in ["x", "é", "€", "😀"] {
            for before in 0..4 {
                let text = format!("{}{}", "a".repeat(before), character.repeat(400));
                for length in [99, 100, 101, 200, 201, 203, redactor.wanted(), text.len()] {
                    let text = cut(&text, length);
                    assert_eq!(redactor.bounded_text(text), cut(text, 100));
                    assert_eq!(redactor.quote(text), excerpt(text));
                }
            }
        }
    }

    #[test]
    fn a_name_that_is_the_key_is_redacted() {
        let redactor = Redactor::for_tests("SK-test-0123", 100);
        for (name, shown) in [("sk-test-0123", "[key]"), ("x-sk-test-012", "x-sk-test-012")] {
            assert_eq!(redactor.redact_name(name), shown);
        }
    }

    #[test]
    fn a_character_has_seven_backslashes_at_most() {
        let redactor = Redactor::for_tests("sk-test/0123", 100);
        for (count, is_redacted) in [(1, true), (7, true), (8, false)] {
            for slash in ["/", "u002f"] {
                let text = format!("a sk-test{}{slash}0123", r"\".repeat(count));
                let shown = if is_redacted { "a [key]" } else { &text };
                assert_eq!(redactor.redact(&text), shown);
            }
        }
    }

    /// As long as the longest other escape.
    #[test]
    fn a_character_in_html_has_a_longest_form() {
        let redactor = Redactor::for_tests("sk-test/0123", 100);
        assert_eq!(redactor.redact("a sk-test&#000000047;0123"), "a [key]");
        let longer = "a sk-test&#0000000047;0123";
        assert_eq!(redactor.redact(longer), longer);
    }

    /// A service without keys may have one that begins like that of another.
    #[test]
    fn a_key_that_begins_with_another_is_redacted_whole() {
        let keys = ["sk-", "sk-test-0123456789", "sk-test"];
        for first in 0..keys.len() {
            let mut keys: Vec<_> = keys.map(|key| Settings::for_tests(key).api_key).into();
            let key = keys.remove(first);
            let redactor = Redactor { key, others: Some(keys.into()), bytes_max: 100 };
            assert_eq!(redactor.redact("a sk-test-0123456789 b sk-c"), "a [key] b [key]c");
        }
    }

    #[test]
    fn half_a_key_is_redacted_where_a_text_broke_off() {
        let redactor = Redactor::for_tests("sk-test/0123", 100);
        for half in
            ["sk-t", "sk-test/012", r"sk-test\/01", r"sk-test\", "sk-test%2", "%73k&#45;t&#1"]
        {
            assert_eq!(redactor.without_half(&format!("a key {half}")), "a key [key]", "{half}");
        }
        // The longest escape, of another character, and what is too short.
        let escaped = r"a sk-t\\\\\\\u0000";
        for other in ["a risk", "sk-test a", "sk-te", "sk-test/0123", r"a sk\", escaped, ""] {
            let is_half = other == "sk-te";
            assert_eq!(redactor.without_half(other), if is_half { "[key]" } else { other });
        }
        assert_eq!(Redactor::for_tests("sk-test", 100).without_half("a sk-tes"), "a sk-tes");
    }

    #[test]
    fn a_text_of_an_error_is_cut_only_beyond_the_limit() {
        let redactor = Redactor::for_tests("sk", 4);
        for (text, bounded) in [("1 23", "1 23"), ("1 234", "1 23"), ("1 sk", "1 [k")] {
            assert_eq!(redactor.error_in(text).message(), bounded);
        }
    }

    #[test]
    fn a_quote_of_an_error_does_not_end_in_half_a_key() {
        let redactor = Redactor::for_tests("sk-test-0123", 1 << 20);
        for known in 1..12 {
            let text = format!("{}sk-test-0123 and more", "y".repeat(EXCERPT_BYTES_MAX - known));
            let error = redactor.error_in(&text);
            assert!(!error.message().contains('s'), "{known}: {}", error.message());
        }
    }

    /// The longest name that HTTP libraries take has 64 KiB.
    #[test]
    fn a_name_of_thousands_of_keys_takes_no_stack() {
        let redact = || {
            let redactor = Redactor::for_tests("sk-test0", 100);
            redactor.redact_name(&format!("x{}y", "SK-test0".repeat(8_191))).into_owned()
        };
        let stack = 128 << 10;
        let run = with_signals_blocked(|| thread::Builder::new().stack_size(stack).spawn(redact));
        let redacted = run.unwrap().join().unwrap();
        assert_eq!(redacted, format!("x{}y", "[key]".repeat(8_191)));
    }

    /// A search that goes back from each byte to the end would take minutes.
    #[test]
    fn a_text_of_nothing_but_escapes_is_read_once() {
        let redactor = Redactor::for_tests("sk-test-0123", 100);
        for escape in [r"\", "%", "&", "&#", "%7", r"\u00", "sk-test-012"] {
            let text = escape.repeat((512 << 10) / escape.len());
            assert!(matches!(redactor.redact(&text), Cow::Borrowed(_)), "{escape}");
            let half = redactor.without_half(&text);
            assert!(half.len() > text.len() - 2 * escape.len(), "{escape}");
        }
    }
}
