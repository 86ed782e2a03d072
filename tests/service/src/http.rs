//! Parses HTTP/1.1 requests, within limits. Does no I/O.

use crate::problem::Problem;

/// Maximum bytes of the request line and headers; more are answered with 431.
pub(crate) const REQUEST_HEAD_BYTES_MAX: usize = 64 << 10;
/// Maximum number of headers; more are answered with 431.
pub(crate) const REQUEST_HEADERS_MAX: usize = 128;
/// Maximum bytes of a body; more are answered with 413.
pub(crate) const REQUEST_BODY_BYTES_MAX: usize = 64 << 20;
/// Maximum bytes of a chunk-size line or a trailer line; more are answered with 400.
const CHUNK_LINE_BYTES_MAX: usize = 4 << 10;

/// A complete request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The client will not reuse the connection.
    pub(crate) last: bool,
}

impl Request {
    /// The target without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// The framing of the body after a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
}

/// A request without its body.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) request: Request,
    pub(crate) framing: Framing,
    pub(crate) bytes: usize,
}

/// Parses the head at the beginning of `input`; `None` while it is incomplete.
pub(crate) fn parse_head(input: &[u8]) -> Result<Option<Head>, Problem> {
    let mut slots = [httparse::EMPTY_HEADER; REQUEST_HEADERS_MAX];
    let mut parsed = httparse::Request::new(&mut slots);
    let bytes = match parsed.parse(input) {
        Ok(httparse::Status::Complete(bytes)) if bytes <= REQUEST_HEAD_BYTES_MAX => bytes,
        Ok(httparse::Status::Partial) if input.len() <= REQUEST_HEAD_BYTES_MAX => return Ok(None),
        Ok(_) => {
            let message = format!("request head of more than {REQUEST_HEAD_BYTES_MAX} bytes");
            return Err(Problem::new(431, message));
        }
        Err(httparse::Error::TooManyHeaders) => {
            let message = format!("more than {REQUEST_HEADERS_MAX} request headers");
            return Err(Problem::new(431, message));
        }
        Err(error) => {
            return Err(Problem::new(400, format!("malformed request head: {error}")));
        }
    };
    let headers: Vec<(String, String)> = parsed
        .headers
        .iter()
        .map(|header| {
            let value = String::from_utf8_lossy(header.value).into_owned();
            (header.name.to_owned(), value)
        })
        .collect();
    let framing = framing(&headers)?;
    let request = Request {
        method: parsed.method.unwrap_or_default().to_owned(),
        target: parsed.path.unwrap_or_default().to_owned(),
        last: parsed.version == Some(0) || asks_to_close(&headers),
        headers,
        body: Vec::new(),
    };
    Ok(Some(Head { request, framing, bytes }))
}

fn asks_to_close(headers: &[(String, String)]) -> bool {
    headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("connection") && value.eq_ignore_ascii_case("close")
    })
}

fn framing(headers: &[(String, String)]) -> Result<Framing, Problem> {
    let mut framing = None;
    for (name, value) in headers {
        let found = if name.eq_ignore_ascii_case("content-length") {
            Framing::Length(content_length(value)?)
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            if !value.eq_ignore_ascii_case("chunked") {
                let message = format!("transfer coding {value:?} is not supported");
                return Err(Problem::new(400, message));
            }
            Framing::Chunked
        } else {
            continue;
        };
        // Two different framings allow request smuggling: never guess which one is meant.
        if framing.is_some_and(|earlier| earlier != found) {
            return Err(Problem::new(400, "the request frames its body in two ways"));
        }
        framing = Some(found);
    }
    Ok(framing.unwrap_or(Framing::Length(0)))
}

fn content_length(value: &str) -> Result<usize, Problem> {
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Problem::new(400, format!("malformed Content-Length {value:?}")));
    }
    match value.parse() {
        Ok(length) if length <= REQUEST_BODY_BYTES_MAX => Ok(length),
        // Digits that overflow are a length that is too large, not a malformed one.
        Ok(_) | Err(_) => Err(body_too_large()),
    }
}

fn body_too_large() -> Problem {
    Problem::new(413, format!("request body of more than {REQUEST_BODY_BYTES_MAX} bytes"))
}

/// Decodes a chunked request body.
#[derive(Debug, Default)]
pub(crate) struct Dechunker {
    pub(crate) body: Vec<u8>,
    expects: Expects,
}

#[derive(Clone, Copy, Debug, Default)]
enum Expects {
    #[default]
    Size,
    Data(usize),
    DataEnd,
    Trailer,
    Nothing,
}

impl Dechunker {
    /// Takes as much as possible from the front of `input`; returns the number of bytes.
    pub(crate) fn feed(&mut self, input: &[u8]) -> Result<usize, Problem> {
        let mut taken = 0;
        while let Some(rest) = input.get(taken..) {
            let step = match self.expects {
                Expects::Size => self.size(rest)?,
                Expects::Data(missing) => self.data(rest, missing),
                Expects::DataEnd => self.line(rest, |line| match line {
                    b"" => Some(Expects::Size),
                    _ => None,
                })?,
                Expects::Trailer => self.line(rest, |line| match line {
                    b"" => Some(Expects::Nothing),
                    _ => Some(Expects::Trailer),
                })?,
                Expects::Nothing => 0,
            };
            if step == 0 {
                break;
            }
            taken += step;
        }
        Ok(taken)
    }

    pub(crate) fn is_done(&self) -> bool {
        matches!(self.expects, Expects::Nothing)
    }

    fn size(&mut self, rest: &[u8]) -> Result<usize, Problem> {
        let malformed = || Problem::new(400, "malformed chunk size");
        match httparse::parse_chunk_size(rest) {
            Ok(httparse::Status::Complete((bytes, 0))) => {
                self.expects = Expects::Trailer;
                Ok(bytes)
            }
            Ok(httparse::Status::Complete((bytes, size))) => {
                let size = usize::try_from(size).map_err(|_| body_too_large())?;
                if size > REQUEST_BODY_BYTES_MAX.saturating_sub(self.body.len()) {
                    return Err(body_too_large());
                }
                self.expects = Expects::Data(size);
                Ok(bytes)
            }
            Ok(httparse::Status::Partial) if rest.len() <= CHUNK_LINE_BYTES_MAX => Ok(0),
            Ok(httparse::Status::Partial) | Err(_) => Err(malformed()),
        }
    }

    fn data(&mut self, rest: &[u8], missing: usize) -> usize {
        let bytes = rest.len().min(missing);
        self.body.extend(rest.iter().take(bytes));
        self.expects = match missing - bytes {
            0 => Expects::DataEnd,
            still_missing => Expects::Data(still_missing),
        };
        bytes
    }

    fn line(
        &mut self,
        rest: &[u8],
        next: impl FnOnce(&[u8]) -> Option<Expects>,
    ) -> Result<usize, Problem> {
        let malformed = || Problem::new(400, "malformed line in a chunked body");
        let Some(end) = rest.windows(2).position(|pair| pair == b"\r\n") else {
            return if rest.len() <= CHUNK_LINE_BYTES_MAX { Ok(0) } else { Err(malformed()) };
        };
        self.expects = next(rest.get(..end).unwrap_or_default()).ok_or_else(malformed)?;
        Ok(end + 2)
    }
}

/// The reason phrase of a status.
pub(crate) fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Status",
    }
}
