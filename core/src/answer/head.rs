//! Status and headers of an answer.

use std::time::SystemTime;

use crate::answer::rate_limits::RateLimits;

/// Status and headers of an answer; the key is redacted where the service echoed it.
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

    /// All headers in the order of arrival, names in lower case; bytes that are not UTF-8 become
    /// U+FFFD.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// The first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The rate limits in the headers; `None` if there are none. Clock times are counted from the
    /// answer's `date`, or from now without one.
    pub fn rate_limits(&self) -> Option<RateLimits> {
        RateLimits::read(&self.headers, SystemTime::now())
    }

    /// The service's identifier of the exchange (`x-request-id`).
    pub fn request_id(&self) -> Option<&str> {
        self.header("x-request-id")
    }
}
