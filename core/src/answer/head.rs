//! Status and headers of an answer. Knows no body.

use std::time::SystemTime;

use crate::answer::rate_limits::RateLimits;

/// Status and headers of an answer; the key is masked wherever the service echoed it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
}

impl Head {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    /// All headers in the order in which they came, names in lower case; bytes that are not
    /// UTF-8 read as U+FFFD.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The first header of that name, whatever its case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// What the headers say of the limits of the service; `None` where that is nothing. Times of the
    /// clock are counted from the answer's `date`, else from now.
    pub fn rate_limits(&self) -> Option<RateLimits> {
        RateLimits::read(&self.headers, SystemTime::now())
    }

    /// The service's name for the exchange (`x-request-id`).
    pub fn request_id(&self) -> Option<&str> {
        self.header("x-request-id")
    }
}
