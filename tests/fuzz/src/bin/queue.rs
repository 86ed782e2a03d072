//! Any order of submits, cancels, pauses, takes and a close of a completion queue, of which the C queue is made:
//! each call ends exactly once under its tag, in the order of its events, and a tag is in use until then. The
//! service is a thread here, on a real socket.
#![no_main]

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::LazyLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use modelwire::{Call, Client, CompletionQueue, Config, Event, Next, Request, RetryPolicy};

const TAGS: u64 = 4;
const PATIENCE: Duration = Duration::from_secs(8);

const CHUNKS: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n\
    data: {\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
const WHOLE: &str = r#"{"choices":[{"message":{"content":"ab"},"finish_reason":"stop"}]}"#;

/// Answers requests of one connection by their models, until it closes: `echo` answers, `fail` refuses, and
/// `hang` says nothing.
fn serve(mut connection: TcpStream) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let end = loop {
            if let Some(at) = read.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            let mut piece = [0; 1024];
            match connection.read(&mut piece).ok()? {
                0 => return None,
                count => read.extend_from_slice(&piece[..count]),
            }
        };
        let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
        let length = head.split("content-length: ").nth(1)?.split("\r\n").next()?.parse().ok()?;
        let mut body = read.split_off(end);
        while body.len() < length {
            let mut piece = [0; 1024];
            match connection.read(&mut piece).ok()? {
                0 => return None,
                count => body.extend_from_slice(&piece[..count]),
            }
        }
        read = body.split_off(length);
        let body = String::from_utf8_lossy(&body);
        let (status, kind, text) = match () {
            () if body.contains("\"hang\"") => continue,
            () if body.contains("\"fail\"") => (400, "application/json", "{\"error\":{}}"),
            () if body.contains("\"stream\":true") => (200, "text/event-stream", CHUNKS),
            () => (200, "application/json", WHOLE),
        };
        let length = text.len();
        let head = format!("content-type: {kind}\r\ncontent-length: {length}");
        write!(connection, "HTTP/1.1 {status} OK\r\n{head}\r\n\r\n{text}").ok()?;
    }
}

static CLIENT: LazyLock<Client> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            std::thread::spawn(move || serve(connection));
        }
    });
    let retry = RetryPolicy::default().max_retries(0);
    Client::new(Config::new().base_url(base_url).api_key("sk-test").retry(retry)).unwrap()
});

/// What is known of an unfinished call.
struct Known {
    is_stream: bool,
    chunks: usize,
    /// It may be cancelled: by the call, or by the close of the queue.
    may_be_cancelled: bool,
    is_paused: bool,
    model: &'static str,
}

impl Known {
    /// Whether an event of it must come.
    fn goes_on(&self) -> bool {
        self.may_be_cancelled || !self.is_paused && self.model != "hang"
    }
}

/// Judges an event, and forgets a call that ended.
fn judge(next: Next, open: &mut BTreeMap<u64, Known>) -> bool {
    let (tag, event) = match next {
        Next::Event(tag, event) => (tag, event),
        Next::Empty => return false,
        other => panic!("{other:?} with {} calls", open.len()),
    };
    let known = open.get_mut(&tag).expect("an event of an unfinished call");
    match event {
        Event::Open(_) => assert!(known.is_stream && known.chunks == 0),
        Event::Chunk(chunk) => {
            assert_eq!(chunk.text(), ["a", "b"][known.chunks], "the chunks are in order");
            known.chunks += 1;
        }
        Event::Done(outcome) => {
            match (outcome, known.model) {
                (Ok(answer), "echo") if !known.is_stream => assert_eq!(answer.text(), "ab"),
                (Ok(_), "echo") => assert_eq!(known.chunks, 2, "no chunk is lost"),
                (Err(error), "fail") if error.status() == Some(400) => {}
                (Err(_), _) if known.may_be_cancelled => {}
                (outcome, model) => panic!("{model}: {outcome:?}"),
            }
            open.remove(&tag);
        }
    }
    true
}

/// Takes the event that must come. A wakeup before may end one wait without one.
fn take(queue: &CompletionQueue, open: &mut BTreeMap<u64, Known>) {
    let mut next = || judge(queue.next(Some(PATIENCE)).unwrap(), open);
    let has_come = next() || next();
    assert!(has_come, "no event comes of {:?}", open.keys());
}

fuzz_target!(|input: &[u8]| {
    let queue = CompletionQueue::new(None);
    let (mut open, mut is_closed) = (BTreeMap::<u64, Known>::new(), false);
    for step in input.chunks_exact(2).take(40) {
        let tag = u64::from(step[1]) % TAGS;
        let model = ["echo", "fail", "hang"][usize::from(step[1] / 4) % 3];
        match step[0] % 9 {
            kind @ (0 | 1) => {
                let is_stream = kind == 0;
                let call = Call::new(&CLIENT, Request::chat(model).user("a"));
                let submitted = queue.submit_owned(call, is_stream, tag);
                assert_eq!(submitted.is_ok(), !is_closed && !open.contains_key(&tag));
                if submitted.is_ok() {
                    let (may_be_cancelled, is_paused) = (false, false);
                    let known = Known { is_stream, chunks: 0, may_be_cancelled, is_paused, model };
                    open.insert(tag, known);
                }
            }
            2 => {
                assert_eq!(queue.cancel(tag), open.contains_key(&tag));
                if let Some(known) = open.get_mut(&tag) {
                    known.may_be_cancelled = true;
                }
            }
            kind @ (3 | 4) => {
                let found = if kind == 3 { queue.pause(tag) } else { queue.resume(tag) };
                assert_eq!(found, open.contains_key(&tag));
                if let Some(known) = open.get_mut(&tag) {
                    known.is_paused = kind == 3;
                }
            }
            5 if !(is_closed && open.is_empty()) => {
                judge(queue.next(Some(Duration::ZERO)).unwrap(), &mut open);
            }
            6 if open.values().any(Known::goes_on) => take(&queue, &mut open),
            7 => queue.wakeup(),
            8 if step[1] < 32 => {
                queue.close();
                is_closed = true;
                open.values_mut().for_each(|known| known.may_be_cancelled = true);
            }
            _ => {}
        }
        assert_eq!(queue.unfinished(), open.len());
    }
    queue.close();
    open.values_mut().for_each(|known| known.may_be_cancelled = true);
    while !open.is_empty() {
        take(&queue, &mut open);
    }
    let mut last = queue.next(Some(PATIENCE)).unwrap();
    if matches!(last, Next::Empty) {
        last = queue.next(Some(PATIENCE)).unwrap();
    }
    assert!(matches!(last, Next::Closed), "{last:?}");
});
