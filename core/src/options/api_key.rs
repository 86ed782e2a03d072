//! The API key and its protection: checked once, wiped when dropped, redacted in every text from the
//! service.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;

use ring::digest::{Context, SHA256};
use zeroize::{Zeroize, Zeroizing};

use crate::answer::error::{Error, Result};
use crate::system::process::warn_once;

/// The replacement for the key where a service echoes it.
pub(crate) const KEY_MASK: &str = "[key]";

const BEARER: &str = "Bearer ";

/// A shorter key does not need to be hidden.
const KEY_BYTES_MIN: usize = 8;

/// Fewer bytes at the end of a text that broke off may be its own.
const HALF_BYTES_MIN: usize = 4;

/// The longest word of a dummy key.
const WORD_BYTES_MAX: usize = 16;

/// Bytes of a hash that become the id of a key.
const ID_BYTES: usize = 8;

/// A stable name for a key that does not reveal it, which distinguishes keys in
/// [`Client::usage_by_key`]: the first 16 hexadecimal digits, in lower case, of the SHA-256 of
/// `modelwire:` and the key, without surrounding white space. The id does not reveal the key, but
/// whoever has a key can check whether the id belongs to it.
///
/// [`Client::usage_by_key`]: crate::Client::usage_by_key
///
/// ```
/// use modelwire::{Client, Config, key_id};
///
/// let client = Client::new(Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test"))?;
/// assert_eq!(client.key_id(), key_id("sk-test"));
/// # Ok::<(), modelwire::Error>(())
/// ```
pub fn key_id(key: &str) -> String {
    let mut hash = Context::new(&SHA256);
    hash.update(b"modelwire:");
    hash.update(key.trim().as_bytes());
    let hash = hash.finish();
    hash.as_ref().iter().take(ID_BYTES).map(|byte| format!("{byte:02x}")).collect()
}

/// `text` of the caller without the key: it may have been pasted into the name of an option or header.
pub(crate) fn redact_given(key: &str, text: &str) -> String {
    if key.len() < KEY_BYTES_MIN { text.to_owned() } else { text.replace(key, KEY_MASK) }
}

/// An error about the caller's options, which quotes them, without the key.
pub(crate) fn without_key(error: Error, key: &str) -> Error {
    error.redacted(|text| redact_given(key, text))
}

/// A key as given; validated with the rest.
#[derive(Clone)]
pub(crate) struct ApiKeySource(pub(crate) String);

impl Drop for ApiKeySource {
    fn drop(&mut self) {
        self.0.zeroize();
    }
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
    /// Removes surrounding white space; rejects other characters that are not part of a key, without
    /// showing any of them (R-AUTH3). Short words of letters pass with a warning.
    pub(crate) fn new(mut given: String) -> Result<ApiKey> {
        let trimmed = given.trim().to_owned();
        given.zeroize();
        let key = ApiKey { id: key_id(&trimmed), key: trimmed };
        match copied_wrong(&key.key) {
            Some((message, advice)) => {
                Err(Error::config(message).with_hint(format!("{advice} {WHERE}")))
            }
            None => {
                if key.is_dummy() {
                    static WARNED: AtomicBool = AtomicBool::new(false);
                    let text =
                        "api_key has spaces: it is sent as it is, for services that need no key";
                    warn_once(&WARNED, text);
                }
                Ok(key)
            }
        }
    }

    /// One that is only looked for in texts, whatever its form.
    pub(crate) fn sought(mut given: String) -> ApiKey {
        let key = given.trim().to_owned();
        given.zeroize();
        ApiKey { id: String::new(), key }
    }

    /// Whether it is words, such as "not needed", for a service that needs no key (R-AUTH3).
    fn is_dummy(&self) -> bool {
        self.key.contains(' ')
    }

    /// Whether it may be one or several words, which a text may contain.
    fn may_be_word(&self) -> bool {
        self.key.len() < KEY_BYTES_MIN || self.is_dummy()
    }

    /// An error about options that were given beside this key, without the key.
    pub(crate) fn hidden_in(&self, error: Error) -> Error {
        without_key(error, &self.key)
    }

    /// Its id, which is not secret.
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

    /// `text` with every occurrence of the key redacted (R-AUTH4), even if parts of it are escaped.
    pub(crate) fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut redacted = Cow::Borrowed(text);
        if text.len() < self.key.len() {
            return redacted; // most texts are shorter than a key, and escapes only lengthen it
        }
        if memchr::memmem::find(text.as_bytes(), self.key.as_bytes()).is_some() {
            redacted = Cow::Owned(text.replace(&self.key, KEY_MASK));
        }
        let [first, second, third] = ESCAPES;
        if memchr::memchr3(first, second, third, redacted.as_bytes()).is_some()
            && let Some(more) = self.redact_escaped(&redacted)
        {
            redacted = Cow::Owned(more);
        }
        redacted
    }

    /// The same for a model's output, which is unchanged if the key is too short to be one: programs
    /// pass a word or several to services that need no key, and the output may contain these.
    pub(crate) fn mask_answer<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match self.may_be_word() {
            true => Cow::Borrowed(text),
            false => self.redact(text),
        }
    }

    /// The same for the name of a header in lower case, unless the key may be a word.
    pub(crate) fn redact_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        if name.len() < self.key.len() || self.may_be_word() {
            return Cow::Borrowed(name);
        }
        let key = self.key.as_bytes();
        let is_key = |part: &[u8]| part.eq_ignore_ascii_case(key);
        let (mut out, mut rest) = (String::new(), name);
        while let Some(at) = rest.as_bytes().windows(key.len()).position(is_key) {
            out.push_str(rest.get(..at).unwrap_or_default());
            out.push_str(KEY_MASK);
            rest = rest.get(at + key.len()..).unwrap_or_default();
        }
        if out.is_empty() { Cow::Borrowed(name) } else { Cow::Owned(out + rest) }
    }

    /// A text that broke off, perhaps within the key: half a key at its end is redacted.
    pub(crate) fn redact_half<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let tail = text.len().saturating_sub(self.longest_written());
        let is_half = |at: &usize| {
            let from = text.get(*at..).unwrap_or_default();
            let (is_whole, rest) = self.written_at(from);
            // An escape may have broken off, too.
            let is_end =
                rest.len() < ESCAPED_BYTES_MAX && rest.bytes().next().is_none_or(is_escape);
            !is_whole && is_end && from.len() - rest.len() >= HALF_BYTES_MIN
        };
        let mut starts = self.starts(text).skip_while(|at| *at < tail);
        match starts.find(is_half).filter(|_| !self.may_be_word()) {
            Some(at) => Cow::Owned(text.get(..at).unwrap_or_default().to_owned() + KEY_MASK),
            None => Cow::Borrowed(text),
        }
    }

    fn redact_escaped(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut copied = 0;
        for at in self.starts(text) {
            // What is before `copied` belongs to the last key.
            if let Some(between) = text.get(copied..at)
                && let (true, rest) = self.written_at(text.get(at..).unwrap_or_default())
            {
                out.push_str(between);
                out.push_str(KEY_MASK);
                copied = text.len() - rest.len();
            }
        }
        (copied > 0).then(|| out + text.get(copied..).unwrap_or_default())
    }

    /// Where the key may begin, plain or escaped.
    fn starts<'a>(&self, text: &'a str) -> impl Iterator<Item = usize> + use<'a> {
        let first = self.key.bytes().next().unwrap_or_default();
        let may_begin = move |byte: u8| byte == first || is_escape(byte);
        text.bytes().enumerate().filter(move |(_, byte)| may_begin(*byte)).map(|(at, _)| at)
    }

    /// Whether a text begins with the key, each character plain or escaped, and what follows as much of it as is
    /// there.
    fn written_at<'a>(&self, text: &'a str) -> (bool, &'a str) {
        let mut rest = text;
        for expected in self.key.chars() {
            match behind(rest, expected) {
                Some(behind) => rest = behind,
                None => return (false, rest),
            }
        }
        (true, rest)
    }

    /// The bytes to read beyond a limit, so that a key that crosses the limit is redacted before the cut.
    pub(crate) fn longest_written(&self) -> usize {
        self.key.len() * ESCAPED_BYTES_MAX
    }
}

/// The bytes with which an escaped character begins.
const ESCAPES: [u8; 3] = [b'\\', b'%', b'&'];

fn is_escape(byte: u8) -> bool {
    ESCAPES.contains(&byte)
}

/// The backslashes before a character that was escaped three times, as in JSON within JSON within JSON.
const BACKSLASHES_MAX: usize = 7;

/// The longest form of a character.
const ESCAPED_BYTES_MAX: usize = BACKSLASHES_MAX + "u0000".len();

/// What is behind a character at the start of a text, plain or escaped: as in JSON, which may be a string of
/// other JSON, as in a URL, or as in HTML.
fn behind(text: &str, expected: char) -> Option<&str> {
    let unicode = |escaped: &'_ str| -> Option<usize> {
        let digits = escaped.strip_prefix('u')?.get(..4)?;
        (u32::from_str_radix(digits, 16).ok()? == expected as u32).then_some("u0000".len())
    };
    if expected == '\\' {
        // A backslash in the key is written as two.
        let escaped = text.strip_prefix('\\')?;
        let length = escaped.strip_prefix('\\').map(|_| 1).or_else(|| unicode(escaped));
        return escaped.get(length.unwrap_or_default()..);
    }
    // A text of nothing but backslashes is not read to its end from each of them.
    let escape = text.bytes().take(BACKSLASHES_MAX).take_while(|byte| *byte == b'\\').count();
    let escaped = text.get(escape..)?;
    if escape == 0 {
        // Before the character itself, which may be that with which its escape begins.
        return in_url(text, expected)
            .or_else(|| in_html(text, expected))
            .or_else(|| text.strip_prefix(expected));
    }
    match unicode(escaped) {
        Some(length) => escaped.get(length..),
        None => escaped.strip_prefix(expected),
    }
}

fn in_url(text: &str, expected: char) -> Option<&str> {
    let digits = text.strip_prefix('%')?;
    let code = u32::from_str_radix(digits.get(..2)?, 16).ok()?;
    (code == expected as u32).then(|| digits.get(2..)).flatten()
}

fn in_html(text: &str, expected: char) -> Option<&str> {
    let entity = text.strip_prefix('&')?;
    let end = entity.bytes().take(ESCAPED_BYTES_MAX - "&".len()).position(|byte| byte == b';')?;
    let (name, behind) = (entity.get(..end)?, entity.get(end + 1..)?);
    let is_this = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            code.is_ok_and(|code| code == expected as u32)
        }
        None => {
            let named = [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\'')];
            named.contains(&(name, expected))
        }
    };
    is_this.then_some(behind)
}

/// Where to get and set a key: the end of every hint.
const WHERE: &str = "Pass the whole key from the service's control panel as api_key, or set \
                     MODELWIRE_API_KEY to it.";

/// Quotes that may surround a copied key, including those of word processors.
const QUOTES: [char; 13] = [
    '"', '\'', '`', '\u{2018}', '\u{2019}', '\u{201A}', '\u{201B}', '\u{201C}', '\u{201D}',
    '\u{201E}', '\u{201F}', '\u{AB}', '\u{BB}',
];

/// Marks in place of the rest of an abbreviated key.
const SHORTENED: [&str; 4] = ["...", "\u{2026}", "***", "\u{2022}"];

/// The fault in a text given as a key, and what to do: the forms in which keys arrive from web pages,
/// shells and files. Never includes the key itself.
fn copied_wrong(key: &str) -> Option<(Cow<'static, str>, &'static str)> {
    let (message, advice) = if key.is_empty() {
        ("the API key is empty", "If it comes from an environment variable, the variable is empty.")
    } else if begins_with_a_name(key) {
        (
            "the API key begins with a name and an equals sign, like a shell assignment",
            "Leave out the name and the equals sign.",
        )
    } else if key.starts_with(QUOTES) || key.ends_with(QUOTES) {
        ("the API key is in quotes", "Leave out the quotes.")
    } else if key.starts_with('<') || key.ends_with('>') {
        ("the API key is in angle brackets", "They mark a placeholder: leave them out.")
    } else if is_variable(key) {
        (
            "the API key is the name of a variable, not its value",
            "A shell does not expand variables in single quotes, and many configuration files do not at \
             all.",
        )
    } else if SHORTENED.iter().any(|mark| key.contains(mark)) {
        (
            "the API key is incomplete: dots or asterisks replace a part of it",
            "A masked key cannot be copied; create a new one if necessary.",
        )
    } else if key.eq_ignore_ascii_case("bearer") {
        ("the API key is the word Bearer alone", "The key is what follows it.")
    } else if key.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("bearer ")) {
        ("the API key begins with \"Bearer \"", "Leave out the word: modelwire adds it.")
    } else if are_words(key) {
        return None;
    } else {
        let at = key.bytes().position(|byte| !(0x21..=0x7E).contains(&byte))?;
        let message = format!(
            "the API key has a character at byte {at} that is not allowed (white space, a control character \
             or a non-ASCII character)"
        );
        return Some((message.into(), "Copy the key again, without line breaks."));
    };
    Some((message.into(), advice))
}

/// Whether these are short words of letters alone, each after one space. A key that was broken in copying has
/// other characters, or is longer.
fn are_words(key: &str) -> bool {
    let is_word = |word: &str| {
        (1..=WORD_BYTES_MAX).contains(&word.len())
            && word.bytes().all(|byte| byte.is_ascii_alphabetic())
    };
    key.split(' ').all(is_word)
}

/// Whether this is `NAME=key`, optionally after `export`. Only a name that mentions a key counts, and a
/// key may itself end in equals signs.
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

/// Whether this is `$NAME`, or `${NAME}` with any shell expansion.
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
