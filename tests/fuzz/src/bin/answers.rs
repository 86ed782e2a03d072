//! Any head and any body as the answer to a call, over a real socket: it ends once and soon, the same however the
//! bytes are cut. What has an error's status, is cut, or is no answer of the operation is never handed out as one,
//! and nothing that is said of it shows the key.
#![no_main]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use modelwire::{Client, Config, Error, ErrorKind, Metered, Request, RetryPolicy, Timeouts};
use modelwire_fuzz::{Json, is_json, json, steered};

const KEY: &str = "sk-test-fuzzed";
/// No text has this byte: in a body it stands for the key.
const KEY_MARK: u8 = 0xff;
const PATIENCE: Duration = Duration::from_secs(8);

const STATUSES: [u16; 24] = [
    200, 200, 200, 201, 202, 204, 206, 300, 302, 304, 307, 400, 401, 403, 404, 408, 409, 413, 422,
    429, 500, 503, 504, 529,
];
const TYPES: [&str; 8] = [
    "content-type: application/json\r\n",
    "content-type: text/event-stream\r\n",
    "content-type: text/event-stream; charset=utf-8\r\nx-request-id: KEY\r\n",
    "content-type: text/plain\r\n",
    "content-type: text/html\r\nlocation: http://KEY@127.0.0.1:1/?KEY\r\n",
    "",
    "content-type: application/json\r\ncontent-encoding: gzip\r\n",
    "content-type: application/x-ndjson\r\nretry-after: 1\r\nx-ratelimit-remaining-requests: KEY\r\n",
];

/// The framing of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Framing {
    Length,
    Chunks,
    Close,
    /// `content-length` is one byte more than is sent.
    Cut,
}

/// What the service writes, and where it pauses to be read.
static ANSWER: Mutex<(Vec<u8>, usize)> = Mutex::new((Vec::new(), 0));

fn serve(mut connection: TcpStream) -> Option<()> {
    let (mut read, mut piece) = (Vec::new(), [0; 2048]);
    let end = loop {
        match connection.read(&mut piece).ok()? {
            0 => return None,
            count => read.extend_from_slice(&piece[..count]),
        }
        if let Some(at) = read.windows(4).position(|four| four == b"\r\n\r\n") {
            break at + 4;
        }
    };
    let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    while read.len() < end + length {
        match connection.read(&mut piece).ok()? {
            0 => return None,
            count => read.extend_from_slice(&piece[..count]),
        }
    }
    let (answer, cut) = ANSWER.lock().unwrap().clone();
    let (first, second) = answer.split_at(cut.min(answer.len()));
    connection.write_all(first).ok()?;
    if !first.is_empty() {
        std::thread::yield_now(); // where the reader may come between, both ways must be right
    }
    connection.write_all(second).ok()?;
    connection.shutdown(Shutdown::Write).ok()?;
    while connection.read(&mut piece).ok()? != 0 {}
    Some(())
}

/// The second one looks for the first content of an answer, with a deadline for it.
static CLIENTS: LazyLock<[Client; 2]> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            serve(connection);
        }
    });
    let limits = Timeouts::OFF.total(PATIENCE);
    [limits, limits.first_content(PATIENCE)].map(|timeouts| {
        let config = Config::new().base_url(&base_url).api_key(KEY).timeouts(timeouts);
        Client::new(config.retry(RetryPolicy::default().max_retries(0))).unwrap()
    })
});

/// The key instead of each mark, as the service received it.
fn with_key(bytes: &[u8]) -> Vec<u8> {
    let parts: Vec<&[u8]> = bytes.split(|byte| *byte == KEY_MARK).collect();
    parts.join(KEY.as_bytes())
}

/// Everything that must be equal for the same bytes.
#[derive(Debug, PartialEq)]
struct Outcome {
    chunks: Vec<(String, String)>,
    answer: Option<String>,
    failed: Option<(ErrorKind, Option<u16>, String, Metered)>,
}

fn told(error: &Error) -> (ErrorKind, Option<u16>, String, Metered) {
    for text in [error.to_string(), error.report(), format!("{error:?}")] {
        assert!(!text.contains(KEY), "the key is shown: {text}");
    }
    assert!(!error.message().is_empty());
    assert_ne!(error.kind(), ErrorKind::Timeout, "the service has closed: {}", error.report());
    assert_ne!(error.metered(), Metered::NotSent);
    (error.kind(), error.status(), error.message().to_owned(), error.metered())
}

fn run(client: &Client, operation: u8, is_stream: bool) -> Outcome {
    let mut outcome = Outcome { chunks: Vec::new(), answer: None, failed: None };
    let client = client.blocking();
    let request = || match operation {
        0 => Request::models(),
        1 => Request::chat("m").user("a"),
        _ => Request::responses("m").user("a"),
    };
    if !is_stream || operation == 0 {
        match client.send(request()) {
            Ok(answer) => outcome.answer = Some(answer.json().to_owned()),
            Err(error) => outcome.failed = Some(told(&error)),
        }
        return outcome;
    }
    match client.stream(request()) {
        Err(error) => outcome.failed = Some(told(&error)),
        Ok(stream) => {
            for chunk in stream {
                match chunk {
                    Ok(chunk) => {
                        assert!(outcome.failed.is_none(), "a chunk after the end");
                        assert!(is_json(chunk.json()), "{}", chunk.json());
                        outcome.chunks.push((chunk.event().to_owned(), chunk.json().to_owned()));
                    }
                    Err(error) => outcome.failed = Some(told(&error)),
                }
            }
        }
    }
    outcome
}

/// Whether a JSON text may be an answer of the operation: what the specification's tables ask for at least.
fn may_answer(operation: u8, value: &Json) -> bool {
    match operation {
        0 => value.is_array() || value.get("data").is_some_and(|data| !data.is_null()),
        1 => value.get("choices").is_some_and(|choices| !choices.is_null()),
        // One that is not finished may have no output yet.
        _ => {
            value.get("output").is_some_and(|output| !output.is_null())
                || value["object"] == "response"
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let ([work, status, kind, cut], body) = steered::<4>(input);
    let (operation, is_stream) = (work % 3, work & 4 != 0);
    let framing = [Framing::Length, Framing::Chunks, Framing::Close, Framing::Cut]
        [usize::from(work >> 3) % 4];
    let status = STATUSES[usize::from(status) % STATUSES.len()];
    let kind = TYPES[usize::from(kind) % TYPES.len()];
    let body = with_key(body);

    let mut answer = format!("HTTP/1.1 {status} S\r\nconnection: close\r\n").into_bytes();
    answer.extend_from_slice(kind.replace("KEY", KEY).as_bytes());
    match framing {
        Framing::Length => write!(answer, "content-length: {}\r\n\r\n", body.len()).unwrap(),
        Framing::Cut => write!(answer, "content-length: {}\r\n\r\n", body.len() + 1).unwrap(),
        Framing::Chunks => write!(answer, "transfer-encoding: chunked\r\n\r\n").unwrap(),
        Framing::Close => answer.extend_from_slice(b"\r\n"),
    }
    match framing {
        Framing::Chunks => {
            for piece in body.chunks(usize::from(cut).max(1)) {
                write!(answer, "{:x}\r\n", piece.len()).unwrap();
                answer.extend_from_slice(piece);
                answer.extend_from_slice(b"\r\n");
            }
            answer.extend_from_slice(b"0\r\n\r\n");
        }
        _ => answer.extend_from_slice(&body),
    }

    let [other, outcome] = [(0, 0), (1, usize::from(cut) * 4)].map(|(client, cut)| {
        *ANSWER.lock().unwrap() = (answer.clone(), cut);
        run(&CLIENTS[client], operation, is_stream)
    });
    assert_eq!(other, outcome, "the cut or the deadline makes a difference");

    let is_good = (200..300).contains(&status);
    if !is_good {
        let (of, shown, ..) = outcome.failed.as_ref().expect("an error's status");
        assert_eq!((*of, *shown), (ErrorKind::of_status(status), Some(status)));
        assert!(outcome.chunks.is_empty() && outcome.answer.is_none());
    }
    let is_plain = !is_stream || operation == 0;
    assert!(!is_plain || outcome.answer.is_some() != outcome.failed.is_some());
    // A stream may have had its end mark before the cut.
    let is_document = operation == 0 || !kind.contains("event-stream") && body.starts_with(b"{");
    if framing == Framing::Cut && is_plain && is_document && status != 204 && status != 304 {
        assert!(outcome.failed.is_some(), "a cut answer is handed out");
    }
    if let Some(answer) = &outcome.answer
        && let Some(value) = json(answer)
    {
        assert!(may_answer(operation, &value), "no answer is handed out: {answer}");
    }
});
