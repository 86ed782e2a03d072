//! A line that is no row: where it stands, what is wrong with it and what to do. Knows no form.

use std::fmt;
use std::sync::Arc;

use crate::ledger::Met;
use crate::row::Key;

/// A line that is no row. Shown, it is one line of text for a person.
#[derive(Clone, Debug)]
pub struct BadRow {
    /// The file.
    pub place: Arc<str>,
    /// Its line, from 1.
    pub number: u64,
    /// Its `custom_id` where that could be read, else a name by the hash of its line.
    pub key: Key,
    /// What is known of it: a bad line that was told as an outcome before failed.
    pub met: Met,
    /// It is a row, but its `custom_id` was there before: it has no outcome of its own.
    pub is_twice: bool,
    /// What is wrong.
    pub reason: String,
    /// What to do.
    pub advice: String,
}

/// Where it stands, what is wrong and what to do with the line.
impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadRow { place, number, reason, advice, .. } = self;
        write!(f, "{place}:{number}: {reason}; {advice}")
    }
}
