//! A line that is not a row: its position, its error and what to do.

use std::fmt;
use std::sync::Arc;

use crate::input::sources::line_of;
use crate::ledger::KnownState;
use crate::row::Key;

/// A line that is not a row. Displayed, it is one line of text.
#[derive(Clone, Debug)]
pub struct BadRow {
    /// The file.
    pub place: Arc<str>,
    /// Its number, of which [`line_of`] is the line.
    pub number: u64,
    /// Its `custom_id` if it could be read, otherwise a name from the hash of its line.
    pub key: Key,
    /// Its known status: a bad line that was reported as an outcome before has failed.
    pub met: KnownState,
    /// Its `custom_id` is that of an earlier row: it has no outcome of its own.
    pub is_twice: bool,
    /// The error.
    pub reason: String,
    /// What to do.
    pub advice: String,
}

/// Its position, its error and what to do with the line.
impl fmt::Display for BadRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let BadRow { place, number, reason, advice, .. } = self;
        write!(f, "{place}:{}: {reason}; {advice}", line_of(*number))
    }
}
