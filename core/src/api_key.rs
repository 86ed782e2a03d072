//! The API key and how it is kept out of sight: checked once, wiped when dropped, masked in every
//! text of the service. Knows no header but its own.

use std::borrow::Cow;

use zeroize::Zeroize;

use crate::error::{Error, Result};

/// What a key is replaced with wherever a service echoes it.
pub(crate) const KEY_MASK: &str = "[key]";

/// The API key: wiped when dropped, never shown.
pub(crate) struct ApiKey(String);

impl Drop for ApiKey {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl ApiKey {
    /// Surrounding white space is removed; any other odd byte is refused without showing the
    /// key (R-AUTH3).
    pub(crate) fn new(mut given: String) -> Result<ApiKey> {
        let trimmed = given.trim().to_owned();
        given.zeroize();
        let key = ApiKey(trimmed);
        if key.0.is_empty() {
            return Err(Error::config("the API key is empty"));
        }
        if key.0.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("bearer ")) {
            let hint = "Pass the key alone: modelwire adds the word Bearer.";
            return Err(Error::config("the API key begins with \"Bearer \"").with_hint(hint));
        }
        if let Some(at) = key.0.bytes().position(|byte| !(0x21..=0x7E).contains(&byte)) {
            let message = format!(
                "the API key has a character at byte {at} that no key has (white space, a \
                 control character or a non-ASCII character)"
            );
            return Err(
                Error::config(message).with_hint("Copy the key again, without line breaks.")
            );
        }
        Ok(key)
    }

    /// The value of the Authorization header.
    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// `text` with every occurrence of the key masked (R-AUTH4), also where JSON escapes parts
    /// of it.
    pub(crate) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        if memchr::memmem::find(text.as_bytes(), self.0.as_bytes()).is_some() {
            masked = Cow::Owned(text.replace(&self.0, KEY_MASK));
        }
        if memchr::memchr(b'\\', masked.as_bytes()).is_some()
            && let Some(more) = self.mask_escaped(&masked)
        {
            masked = Cow::Owned(more);
        }
        masked
    }

    fn mask_escaped(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let (mut copied, mut at) = (0, 0);
        while at < text.len() {
            match text.get(at..).and_then(|rest| self.escaped_at(rest)) {
                Some(length) => {
                    out.push_str(text.get(copied..at).unwrap_or_default());
                    out.push_str(KEY_MASK);
                    at += length;
                    copied = at;
                }
                None => at += 1,
            }
        }
        (copied > 0).then(|| out + text.get(copied..).unwrap_or_default())
    }

    /// How long the key is at the start of a JSON text, each character plain or escaped.
    fn escaped_at(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        for expected in self.0.chars() {
            // A backslash of the key itself is written as two.
            let doubled = (expected == '\\').then(|| rest.strip_prefix("\\\\")).flatten();
            let plain = || rest.strip_prefix(expected);
            let escape = || rest.strip_prefix('\\');
            let backslash = || escape()?.strip_prefix(expected);
            let unicode = || {
                let digits = escape()?.strip_prefix('u')?;
                let code = u32::from_str_radix(digits.get(..4)?, 16).ok()?;
                (code == expected as u32).then(|| digits.get(4..)).flatten()
            };
            rest = doubled.or_else(plain).or_else(backslash).or_else(unicode)?;
        }
        Some(text.len() - rest.len())
    }

    /// How many more bytes than a bound are read, so that a key which the bound cuts is seen
    /// whole and masked before the cut.
    pub(crate) fn longest_written(&self) -> usize {
        self.0.len() * "\\u0000".len()
    }
}
