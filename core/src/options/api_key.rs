//! The API key and how it is kept out of sight: checked once, wiped when dropped, masked in every
//! text of the service. Knows no header but its own.

use std::borrow::Cow;

use ring::digest::{Context, SHA256};
use zeroize::{Zeroize, Zeroizing};

use crate::answer::error::{Error, Result};

/// What a key is replaced with wherever a service echoes it.
pub(crate) const KEY_MASK: &str = "[key]";

const BEARER: &str = "Bearer ";

/// What is shorter is no key that anybody has to hide.
const KEY_BYTES_MIN: usize = 8;

/// Bytes of a hash that become the id of a key.
const ID_BYTES: usize = 8;

/// A stable name for a key that does not show it, by which [`Client::usage_by_key`] tells keys apart:
/// the first 16 hexadecimal digits, in lower case, of the SHA-256 of `modelwire:` and the key. White
/// space around the key does not count. Who has the id cannot get the key from it, but can see whether a
/// key that he has is the one.
///
/// [`Client::usage_by_key`]: crate::Client::usage_by_key
pub fn key_id(key: &str) -> String {
    let mut hash = Context::new(&SHA256);
    hash.update(b"modelwire:");
    hash.update(key.trim().as_bytes());
    let hash = hash.finish();
    hash.as_ref().iter().take(ID_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// The API key: wiped when dropped, never shown.
pub(crate) struct ApiKey {
    key: String,
    id: String,
}

impl Drop for ApiKey {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

impl ApiKey {
    /// Surrounding white space is removed; what else is no part of a key is refused, without showing
    /// any of it (R-AUTH3).
    pub(crate) fn new(mut given: String) -> Result<ApiKey> {
        let trimmed = given.trim().to_owned();
        given.zeroize();
        let key = ApiKey { id: key_id(&trimmed), key: trimmed };
        match copied_wrong(&key.key) {
            Some((message, advice)) => {
                Err(Error::config(message).with_hint(format!("{advice} {WHERE}")))
            }
            None => Ok(key),
        }
    }

    /// The name that it may be called by.
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// The value of the Authorization header, wiped when dropped.
    pub(crate) fn bearer(&self) -> Zeroizing<String> {
        let mut value = String::with_capacity(BEARER.len() + self.key.len());
        value.push_str(BEARER);
        value.push_str(&self.key);
        Zeroizing::new(value)
    }

    /// `text` with every occurrence of the key masked (R-AUTH4), also where JSON escapes parts
    /// of it.
    pub(crate) fn mask<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut masked = Cow::Borrowed(text);
        if memchr::memmem::find(text.as_bytes(), self.key.as_bytes()).is_some() {
            masked = Cow::Owned(text.replace(&self.key, KEY_MASK));
        }
        if memchr::memchr(b'\\', masked.as_bytes()).is_some()
            && let Some(more) = self.mask_escaped(&masked)
        {
            masked = Cow::Owned(more);
        }
        masked
    }

    /// The same for what a model wrote, which stays as it is where the key is too short to be one:
    /// programs give a word to services that ask for none, and that word may be meant.
    pub(crate) fn mask_answer<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.key.len() < KEY_BYTES_MIN {
            true => Cow::Borrowed(text),
            false => self.mask(text),
        }
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
        for expected in self.key.chars() {
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
        self.key.len() * "\\u0000".len()
    }
}

/// Where a key comes from and goes to: the end of every hint.
const WHERE: &str = "Pass the whole key from the service's control panel as api_key, or set \
                     MODELWIRE_API_KEY to it.";

/// Quotes that a key is copied with, and those that word processors make of them.
const QUOTES: [char; 13] = [
    '"', '\'', '`', '\u{2018}', '\u{2019}', '\u{201A}', '\u{201B}', '\u{201C}', '\u{201D}',
    '\u{201E}', '\u{201F}', '\u{AB}', '\u{BB}',
];

/// What stands in place of the rest of a key where it is not shown whole.
const SHORTENED: [&str; 4] = ["...", "\u{2026}", "***", "\u{2022}"];

/// What is wrong with a text that is to be a key, and what to do: the forms in which keys arrive
/// from web pages, shells and files. Says nothing of the key itself.
fn copied_wrong(key: &str) -> Option<(Cow<'static, str>, &'static str)> {
    let (message, advice) = if key.is_empty() {
        ("the API key is empty", "Where a variable was to hold it, it holds nothing.")
    } else if begins_with_a_name(key) {
        (
            "the API key begins with a name and an equals sign, as a line of a shell does",
            "Leave out the name and the equals sign.",
        )
    } else if key.starts_with(QUOTES) || key.ends_with(QUOTES) {
        ("the API key is in quotes", "Leave out the quotes.")
    } else if key.starts_with('<') || key.ends_with('>') {
        (
            "the API key is in angle brackets",
            "They mark what is to be replaced: leave them out, too.",
        )
    } else if is_variable(key) {
        (
            "the API key is the name of a variable, not what it holds",
            "A shell puts that in its place, but not between single quotes, and files of settings \
             often do not.",
        )
    } else if SHORTENED.iter().any(|mark| key.contains(mark)) {
        (
            "the API key is not whole: dots or asterisks stand in place of a part",
            "A key that is shown like this cannot be copied; make a new one if need be.",
        )
    } else if key.eq_ignore_ascii_case("bearer") {
        ("the API key is the word Bearer alone", "What stands behind it is the key.")
    } else if key.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("bearer ")) {
        ("the API key begins with \"Bearer \"", "Leave out the word: modelwire adds it.")
    } else {
        let at = key.bytes().position(|byte| !(0x21..=0x7E).contains(&byte))?;
        let message = format!(
            "the API key has a character at byte {at} that no key has (white space, a control \
             character or a non-ASCII character)"
        );
        return Some((message.into(), "Copy the key again, without line breaks."));
    };
    Some((message.into(), advice))
}

/// Whether this is `NAME=key`, or that behind `export`. Only a name that speaks of a key is one,
/// and a key may end in equals signs itself.
fn begins_with_a_name(key: &str) -> bool {
    let line = key.strip_prefix("export ").unwrap_or(key);
    line.split_once('=').is_some_and(|(name, value)| {
        let name = name.trim();
        let speaks_of = |word: &[u8]| {
            name.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
        };
        let is_of_a_key = speaks_of(b"key") || speaks_of(b"token");
        is_name(name) && is_of_a_key && !value.trim_start_matches('=').is_empty()
    })
}

/// Whether this is `$NAME`, or `${NAME}` with whatever a shell knows to add to it.
fn is_variable(key: &str) -> bool {
    let between = |start, end| key.strip_prefix(start).and_then(|rest| rest.strip_suffix(end));
    key.strip_prefix('$').is_some_and(|rest| {
        rest.starts_with(['{', '(']) || rest.starts_with("env:") || is_name(rest)
    }) || [("%", "%"), ("{", "}")]
        .into_iter()
        .any(|(start, end)| between(start, end).is_some_and(is_name))
}

fn is_name(text: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    text.chars().all(is_part) && text.starts_with(|char: char| is_part(char) && !char.is_numeric())
}
