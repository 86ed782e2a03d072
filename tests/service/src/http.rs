//! Parses HTTP/1.1 requests out of bytes, within bounds. Does no I/O and knows no path.

use crate::problem::Problem;

/// The request line and headers of one request; beyond it the answer is 431.
pub(crate) const REQUEST_HEAD_BYTES_MAX: usize = 64 << 10;
/// The headers of one request; beyond it the answer is 431.
pub(crate) const REQUEST_HEADERS_MAX: usize = 128;
/// The body of one request; beyond it the answer is 413.
pub(crate) const REQUEST_BODY_BYTES_MAX: usize = 64 << 20;
/// A chunk-size line or a trailer line of a chunked request; beyond it the answer is 400.
const CHUNK_LINE_BYTES_MAX: usize = 4 << 10;

/// One whole request.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The client will not use the connection again.
    pub(crate) last: bool,
}

impl Request {
    /// The target without its query.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

/// How the body that follows a head is delimited.
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

/// The head that `input` begins with, or `None` while it is not whole.
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
        // Two framings are how requests are smuggled: never guess which one is meant.
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
        // Digits that do not fit are a length too great, not a malformed one.
        Ok(_) | Err(_) => Err(body_too_large()),
    }
}

fn body_too_large() -> Problem {
    Problem::new(413, format!("request body of more than {REQUEST_BODY_BYTES_MAX} bytes"))
}

/// Takes the chunked coding off a request body.
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
    /// Takes what it can from the front of `input`; says how many bytes that was.
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

/// The words that go with a status on the first line of an answer.
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
