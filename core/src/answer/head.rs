//! Status and headers of an answer.

use std::fmt;
use std::time::SystemTime;

use once_cell::race::OnceBox;

use crate::answer::rate_limits::RateLimits;

/// Status and headers of an answer; the key is redacted where the service echoed it.
///
/// ```
/// # use std::io::{Read, Write};
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", listener.local_addr()?);
/// # std::thread::spawn(move || -> std::io::Result<u64> {
/// #     let mut connection = listener.accept()?.0;
/// #     connection.read(&mut [0; 4096])?;
/// #     let body = r#"{"data":[]}"#;
/// #     let head = format!("content-length: {}\r\nx-request-id: req-1", body.len());
/// #     write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")?;
/// #     std::io::copy(&mut connection, &mut std::io::sink())
/// # });
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// let answer = client.blocking().models()?;
/// let head = answer.head();
/// assert_eq!((head.status(), head.request_id()), (200, Some("req-1")));
/// assert_eq!(head.header("Content-Length"), Some("11"));
/// for (name, value) in head.headers() {
///     println!("{name}: {value}");
/// }
/// if let Some(limits) = head.rate_limits() {
///     println!("{:?} requests remain", limits.requests.remaining);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Head {
    status: u16,
    /// The names and values, one after another.
    text: String,
    /// Where each name and its value end in it.
    ends: Vec<(usize, usize)>,
    /// The same as a list; made when it is first read. Not a lock, which a fork might leave locked.
    list: OnceBox<Vec<(String, String)>>,
}

/// The usual size of a header, for the first allocation.
const HEADER_BYTES: usize = 48;

impl fmt::Debug for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Head")
            .field("status", &self.status)
            .field("headers", &self.headers())
            .finish()
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Head) -> bool {
        (self.status, &self.text, &self.ends) == (other.status, &other.text, &other.ends)
    }
}

impl Eq for Head {}

impl Head {
    /// Names must be in lower case.
    pub(crate) fn new<N: AsRef<str>, V: AsRef<str>>(
        status: u16,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Head {
        let headers = headers.into_iter();
        let (count, _) = headers.size_hint();
        let text = String::with_capacity(count * HEADER_BYTES);
        let mut head = Head { status, text, ends: Vec::with_capacity(count), list: OnceBox::new() };
        for (name, value) in headers {
            head.text.push_str(name.as_ref());
            let name_end = head.text.len();
            head.text.push_str(value.as_ref());
            head.ends.push((name_end, head.text.len()));
        }
        head
    }

    /// Names and values, one after another, without a boundary.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The HTTP status.
    pub fn status(&self) -> u16 {
        self.status
    }

    fn each(&self) -> impl Iterator<Item = (&str, &str)> {
        let text = |from, to| self.text.get(from..to).unwrap_or_default();
        let mut start = 0;
        self.ends.iter().map(move |(name_end, end)| {
            let header = (text(start, *name_end), text(*name_end, *end));
            start = *end;
            header
        })
    }

    /// All headers in the order of arrival, names in lower case; bytes that are not UTF-8 become
    /// U+FFFD.
    pub fn headers(&self) -> &[(String, String)] {
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        self.list.get_or_init(|| Box::new(self.each().map(own).collect()))
    }

    /// The first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut start = 0;
        let (from, to) = self.ends.iter().find_map(|(name_end, end)| {
            let given = self.text.as_bytes().get(start..*name_end)?;
            start = *end;
            given.eq_ignore_ascii_case(name.as_bytes()).then_some((*name_end, *end))
        })?;
        self.text.get(from..to)
    }

    /// The rate limits in the headers; `None` if there are none. Clock times are counted from the
    /// answer's `date`, or from now without one.
    pub fn rate_limits(&self) -> Option<RateLimits> {
        RateLimits::read(self.headers(), SystemTime::now())
    }

    /// The service's identifier of the request (`x-request-id`).
    pub fn request_id(&self) -> Option<&str> {
        self.header("x-request-id")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_equal_by_status_and_headers() {
        let head = Head::new(200, [("a", "b"), ("c", "d")]);
        assert_eq!(head, Head::new(200, [("a", "b"), ("c", "d")]));
        assert_eq!(head.headers().len(), 2);
        assert_eq!(head, head.clone(), "whether its list was made or not");
        for other in [
            Head::new(201, [("a", "b"), ("c", "d")]),
            Head::new(200, [("a", "b")]),
            Head::new(200, [("a", "b"), ("c", "e")]),
            Head::new(200, [("ab", ""), ("c", "d")]),
        ] {
            assert_ne!(head, other);
        }
    }
}
