//! One request of a bulk job, and its name, which does not depend on its place in a file.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use modelwire::{Endpoint, Error, Metered, Response};
use ring::digest::{Context, Digest, SHA256, digest};

use crate::checks::Rejection;

/// The longest `custom_id`, in bytes.
pub const CUSTOM_ID_BYTES_MAX: usize = 512;

/// The number of bits of a body's hash in its check: a change is missed once in 268 million.
pub const CHECK_BITS: u32 = 28;

/// The prefix of the name of a row without `custom_id`.
const HASH_PREFIX: &str = "sha256-";

/// Hexadecimal digits of a hash.
pub(crate) const HASH_DIGITS: usize = 32;

/// The permanent name of a row: its `custom_id`, or `sha256-<32 hex digits of its body>-<n>` after n
/// equal rows. Never its line number: lines move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    text: Arc<str>,
    /// The check of the body as sent, which detects a changed row.
    check: u32,
}

impl Key {
    /// A key from its text and the check of its body.
    pub fn new(text: impl Into<Arc<str>>, check: u32) -> Key {
        Key { text: text.into(), check }
    }

    /// The text in the journal and, as `custom_id`, in the results.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The check of the body as sent: [`CHECK_BITS`] bits.
    pub fn check(&self) -> u32 {
        self.check
    }
}

/// The hash of a row's content: 128 bits of the SHA-256 of its operation and its body as sent. Rows
/// with the same hash are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BodyHash(u128);

impl BodyHash {
    /// The hash of this body for this operation.
    pub fn of(endpoint: Endpoint, body: &str) -> BodyHash {
        let mut context = Context::new(&SHA256);
        context.update(endpoint.path().as_bytes());
        context.update(b"\n");
        context.update(body.as_bytes());
        BodyHash(first_16_bytes(&context.finish()))
    }

    /// The hash of other bytes: a line that is not a row also has a name.
    pub(crate) fn of_bytes(bytes: &[u8]) -> BodyHash {
        BodyHash(first_16_bytes(&digest(&SHA256, bytes)))
    }

    /// The part of it in a [`Key`].
    pub fn check(self) -> u32 {
        (self.0 as u32) >> (u32::BITS - CHECK_BITS)
    }

    /// The half that is not the check.
    pub(crate) fn high(self) -> u64 {
        (self.0 >> 64) as u64
    }

    /// Its hexadecimal digits.
    pub(crate) fn digits(self) -> impl Iterator<Item = char> {
        let four_bits = move |digit| (self.0 >> (digit * 4)) as u32 & 0xF;
        (0..HASH_DIGITS)
            .rev()
            .map(move |digit| char::from_digit(four_bits(digit), 16).unwrap_or('0'))
    }

    /// The hash with these digits.
    pub(crate) fn of_digits(digits: &str) -> Option<BodyHash> {
        let is_canonical = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        let is_whole = digits.len() == HASH_DIGITS && digits.bytes().all(is_canonical);
        u128::from_str_radix(digits, 16).ok().filter(|_| is_whole).map(BodyHash)
    }

    /// The name of a row without `custom_id` after `equal` rows with this content.
    pub fn key(self, equal: u32) -> Key {
        let mut text = String::with_capacity(HASH_PREFIX.len() + HASH_DIGITS + 12);
        text.push_str(HASH_PREFIX);
        text.extend(self.digits());
        let _ = write!(text, "-{equal}");
        Key::new(text, self.check())
    }

    /// The hash that [`key`](BodyHash::key) was made from. A `custom_id` may look like one, in a job
    /// whose rows are the results of another; but then the check of its row differs from that in its
    /// text.
    pub(crate) fn of_key(text: &str, check: u32) -> Option<(BodyHash, u32)> {
        let (digits, equal) = text.strip_prefix(HASH_PREFIX)?.split_at_checked(HASH_DIGITS)?;
        let count = equal.strip_prefix('-')?;
        let has_other_forms = count.starts_with('+') || (count.len() > 1 && count.starts_with('0'));
        let hash = BodyHash::of_digits(digits).filter(|_| !has_other_forms)?;
        let equal = count.parse().ok()?;
        (hash.check() == check).then_some((hash, equal))
    }
}

fn first_16_bytes(digest: &Digest) -> u128 {
    digest.as_ref().iter().take(16).fold(0, |number, byte| number << 8 | u128::from(*byte))
}

/// The part of the rows that a run takes: part `index` of `count`, from 1. Every row is in exactly one
/// part, and stays in it when its line moves. Equal rows without `custom_id` are in the same part, so
/// that their count is right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Part `index` of `count`, from 1.
    pub fn new(index: u32, count: u32) -> Option<Shard> {
        (1..=count).contains(&index).then_some(Shard { index, count })
    }

    /// Whether a row with this `custom_id` is in it.
    pub fn has_custom_id(self, custom_id: &str) -> bool {
        self.has_hash(BodyHash::of_bytes(custom_id.as_bytes()))
    }

    /// Whether rows with this content and without `custom_id` are in it.
    pub fn has_hash(self, hash: BodyHash) -> bool {
        let place = (u128::from(hash.high()) * u128::from(self.count)) >> 64;
        place == u128::from(self.index.saturating_sub(1))
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let numbers =
            parts.and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
        numbers.and_then(|(index, count)| Shard::new(index, count)).ok_or_else(|| {
            format!(
                "invalid shard {text:?}: write i/n with i from 1 to n, 2/8 for the second of eight"
            )
        })
    }
}

/// One request, ready to send.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name.
    pub key: Key,
    /// Its position in an iterator, or its place in the input, of which [`crate::input::line_of`] is the
    /// line: another one for each row, in the order of the rows.
    pub number: u64,
    /// The hash of its content.
    pub hash: BodyHash,
    /// Chat or response.
    pub endpoint: Endpoint,
    /// The JSON of its body, sent byte for byte.
    pub body: Arc<str>,
    /// The model that the body names.
    pub model: Arc<str>,
}

/// The outcome of a row.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The row.
    pub row: Row,
    /// The answer or the error.
    pub outcome: Result<Response, Error>,
    /// Why the answer is not accepted: then the row failed, although it was answered.
    pub rejected: Option<Rejection>,
    /// The number of times it was sent; 0 if the outcome is a copy of another row's.
    pub attempts: u32,
    /// The time from its first start to its end, including waits.
    pub elapsed: Duration,
}

impl Finished {
    /// Whether the row failed.
    pub fn is_failed(&self) -> bool {
        self.outcome.is_err() || self.rejected.is_some()
    }
}

/// Whether the service may have metered a call that failed with this error. A redirect, and a refusal by a limit
/// (429) or of the request as such, did not enter processing: no model ran.
pub fn may_be_metered(error: &Error) -> bool {
    match error.metered() {
        Metered::NotSent | Metered::NormallyNot => false,
        Metered::Entered => true,
        Metered::Unknown => {
            !matches!(error.status(), Some(300..=400 | 402..=407 | 413..=415 | 422 | 429))
        }
    }
}

#[cfg(test)]
#[path = "row_tests.rs"]
mod tests;
