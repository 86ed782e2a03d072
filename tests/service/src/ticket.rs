//! The values that distinguish answers with the same words.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The number, the time and the word pause of one answer.
pub(crate) struct Ticket {
    pub(crate) number: u64,
    /// Unix time in seconds.
    pub(crate) created: u64,
    pub(crate) word_pause: Duration,
}

impl Ticket {
    pub(crate) fn new(number: u64, word_pause: Duration) -> Ticket {
        // A clock before 1970 must not fail a test.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ticket { number, created: now.as_secs(), word_pause }
    }

    pub(crate) fn request_id(&self) -> String {
        request_id(self.number)
    }
}

/// The value of the request ID header, which every answer of the played service has.
pub(crate) fn request_id(number: u64) -> String {
    format!("req-{number}")
}
