//! Reads the body of an answer: detects its format, reads it whole, or reads an excerpt for an error; and
//! drains it, so that its connection can be reused.

use std::future::poll_fn;
use std::task::Poll;

use bytes::Bytes;
use tokio::time::timeout;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::head::Head;
use crate::answer::redactor::Redactor;
use crate::call::deadlines::Clock;
use crate::driver::offload::LargeBytes;
use crate::http::transport::{Body, Reply};
use crate::options::bounds::{DRAIN_BYTES_MAX, DRAIN_TIME_MAX, ERROR_BODY_TIME_MAX};

/// What the start of a body looks like.
pub(crate) enum Beginning {
    Events,
    Json,
    Other,
}

/// The format by content type. Unless that says events, the body's first bytes decide: services get the
/// content type wrong in both directions.
pub(crate) async fn beginning_of(
    reply: &mut Reply,
    mut clock: Clock,
    bytes_max: usize,
) -> Result<Beginning> {
    if is_event_stream(&reply.head) {
        return Ok(Beginning::Events);
    }
    let mut start = Start::default();
    loop {
        let Some(piece) = clock.next_piece(&mut reply.body).await? else {
            reply.body.put_back(start.seen.into());
            return Ok(Beginning::Other);
        };
        match start.add(piece) {
            Some((beginning, unread)) => {
                reply.body.put_back(unread);
                return Ok(beginning);
            }
            None if start.blank_bytes > bytes_max => return Err(too_large(bytes_max)),
            None => {}
        }
    }
}

/// Reads a whole body.
pub(crate) async fn whole(
    body: &mut Body,
    mut clock: Clock,
    bytes_max: usize,
) -> Result<LargeBytes> {
    let mut held = LargeBytes::default();
    while let Some(piece) = clock.next_piece(body).await? {
        let bytes = &mut held.0;
        if bytes.len() + piece.len() > bytes_max {
            return Err(too_large(bytes_max));
        }
        if !piece.is_empty() {
            clock.substance();
        }
        // Most answers arrive in one piece, which is not copied.
        if bytes.is_empty() {
            *bytes = Vec::from(piece);
        } else {
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(held)
}

/// Reads a body up to the limit of the redactor and for up to `ERROR_BODY_TIME_MAX`, with the key redacted.
/// If reading fails, returns what arrived before, and why.
pub(crate) async fn excerpt(
    redactor: &Redactor,
    body: &mut Body,
    mut clock: Clock,
) -> (String, Option<Error>) {
    let wanted = redactor.wanted();
    let mut bytes = Vec::new();
    let read = async {
        while bytes.len() < wanted {
            match clock.next_piece(body).await? {
                Some(piece) => bytes.extend_from_slice(&piece),
                None => break,
            }
            clock.substance();
        }
        Ok(())
    };
    let late = || {
        let message = format!("it did not end within {ERROR_BODY_TIME_MAX:?}");
        Err(Error::new(ErrorKind::Disconnected, message))
    };
    let broken = timeout(ERROR_BODY_TIME_MAX, read).await.unwrap_or_else(|_| late()).err();
    bytes.truncate(wanted);
    let text = String::from_utf8_lossy(&bytes);
    let text = match broken {
        None => redactor.bounded_text(&text),
        Some(_) => redactor.bounded_text(&redactor.without_half(&text)),
    };
    (text, broken)
}

fn too_large(bytes_max: usize) -> Error {
    Error::too_large(format!("the answer exceeds response_bytes_max = {bytes_max} bytes"))
}

/// The start of a body, until its format is known. Leading white space is counted and dropped.
#[derive(Default)]
struct Start {
    seen: Vec<u8>,
    blank_bytes: usize,
}

impl Start {
    /// The format and the unread rest, once the format is known.
    fn add(&mut self, piece: Bytes) -> Option<(Beginning, Bytes)> {
        let bytes = match self.seen.is_empty() {
            true => piece,
            false => {
                self.seen.extend_from_slice(&piece);
                std::mem::take(&mut self.seen).into()
            }
        };
        let marked = match self.blank_bytes {
            0 => bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes),
            _ => &bytes,
        };
        let text = marked.trim_ascii_start();
        self.blank_bytes += bytes.len() - text.len();
        let found = look(text);
        if found.is_none() {
            self.seen.extend_from_slice(text); // shorter than a field name
        }
        found.map(|found| (found, bytes.slice_ref(text)))
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn is_event_stream(head: &Head) -> bool {
    head.header("content-type").is_some_and(|given| {
        let essence = given.split(';').next().unwrap_or_default().trim();
        essence.eq_ignore_ascii_case("text/event-stream")
    })
}

/// The format by the first bytes, without leading white space; `None` if there are too few.
fn look(bytes: &[u8]) -> Option<Beginning> {
    match bytes.first()? {
        b'{' | b'[' => return Some(Beginning::Json),
        b':' => return Some(Beginning::Events),
        _ => {}
    }
    let fields: [&[u8]; 4] = [b"data:", b"event:", b"id:", b"retry:"];
    if fields.iter().any(|field| bytes.starts_with(field)) {
        return Some(Beginning::Events);
    }
    let may_become =
        fields.iter().any(|field| field.starts_with(bytes)) || BYTE_ORDER_MARK.starts_with(bytes);
    (!may_become).then_some(Beginning::Other)
}

/// Yields up to `TURNS_MAX` times for the end of the body, and once after it, so that the connection's own
/// tasks can return it to the pool before the caller learns of the end: the caller's next call then finds it
/// there. Waits for nothing. Returns whether the body has ended.
pub(crate) async fn settle(body: &mut Body) -> bool {
    const TURNS_MAX: u32 = 4;
    let (mut turns, mut has_ended) = (0, false);
    poll_fn(|cx| {
        if has_ended || turns == TURNS_MAX {
            return Poll::Ready(has_ended);
        }
        has_ended = matches!(body.poll_piece(cx), Poll::Ready(Ok(None) | Err(_)));
        turns += 1;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await
}

/// Reads the rest of a body within narrow limits, so that its connection can be reused. Returns whether
/// the body ended cleanly.
pub(crate) async fn drain(body: &mut Body) -> bool {
    timeout(DRAIN_TIME_MAX, read_rest(body)).await.unwrap_or(false)
}

async fn read_rest(body: &mut Body) -> bool {
    let mut left = DRAIN_BYTES_MAX;
    loop {
        match poll_fn(|cx| body.poll_piece(cx)).await {
            Ok(Some(piece)) if left > piece.len() => left -= piece.len(),
            Ok(ended) => return ended.is_none(),
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Waker};
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;
    use crate::answer::error_kind::TimeoutPhase;
    use crate::call::deadlines::Deadlines;
    use crate::options::api_key::KEY_MASK;
    use crate::options::timeouts::Timeouts;

    const ENDS: Poll<Option<std::io::Result<Bytes>>> = Poll::Ready(None);

    fn untimed() -> Clock {
        Deadlines::start(Timeouts::OFF).clock()
    }

    #[tokio::test]
    async fn white_space_before_an_answer_is_bounded() {
        for (blanks, is_read) in [(4, true), (5, false)] {
            let body = Body::for_tests([
                Body::gives(" ".repeat(blanks - 1)),
                Body::gives("\n"),
                Body::gives("{}"),
            ]);
            let mut reply = Reply { head: Arc::new(Head::default()), body };
            let beginning = beginning_of(&mut reply, untimed(), 4).await;
            assert_eq!(matches!(&beginning, Ok(Beginning::Json)), is_read, "{blanks}");
            assert_eq!(beginning.is_err_and(|error| error.is_too_large()), !is_read, "{blanks}");
        }
    }

    /// Pieces that are empty do not.
    #[tokio::test(start_paused = true)]
    async fn each_piece_of_a_whole_answer_postpones_the_idle_timeout() {
        let idle = Duration::from_secs(10);
        for (piece, pings_reset_idle, is_read) in
            [("1", false, true), ("1", true, true), ("", false, false), ("", true, false)]
        {
            let timeouts = Timeouts { idle: Some(idle), pings_reset_idle, ..Timeouts::OFF };
            let gives = || Body::gives(piece);
            let waits = || Poll::Pending;
            let polls = [gives(), waits(), gives(), waits(), waits(), gives(), ENDS];
            let (mut body, clock) = (Body::for_tests(polls), Deadlines::start(timeouts).clock());
            let mut reading = pin!(whole(&mut body, clock, 3));
            let mut cx = Context::from_waker(Waker::noop());
            assert!(reading.as_mut().poll(&mut cx).is_pending());
            advance(idle * 3 / 4).await;
            assert!(reading.as_mut().poll(&mut cx).is_pending());
            advance(idle * 3 / 4).await;
            match reading.as_mut().poll(&mut cx) {
                Poll::Ready(read) => {
                    let expired = read.err().and_then(|error| error.timeout());
                    assert_eq!((expired, is_read), (Some(TimeoutPhase::Idle), false), "{piece:?}");
                }
                Poll::Pending => {
                    assert!(is_read, "{piece:?}");
                    assert_eq!(reading.await.unwrap().0, b"111");
                }
            }
        }
    }

    /// It does not wait for more.
    #[tokio::test]
    async fn an_excerpt_is_read_up_to_its_size() {
        let redactor = Redactor::for_tests("sk-test", 10);
        let wanted = redactor.wanted();
        for (bytes, is_enough) in [(wanted - 1, false), (wanted, true)] {
            let mut body = Body::for_tests([Body::gives("x".repeat(bytes))]);
            let mut reading = pin!(excerpt(&redactor, &mut body, untimed()));
            let read = reading.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(read.is_ready(), is_enough);
            if let Poll::Ready((text, broken)) = read {
                assert_eq!(text, "x".repeat(10));
                assert!(broken.is_none());
            }
        }
    }

    /// Of a body that ends, the last word is its own.
    #[tokio::test(start_paused = true)]
    async fn an_excerpt_that_broke_off_does_not_end_in_half_a_key() {
        let redactor = Redactor::for_tests("sk-test-0123", 100);
        let half = || Body::gives("a key sk-test-01");
        let waits = || Body::for_tests([half()]);
        let breaks = Body::for_tests([half(), Body::breaks()]);
        let ends = Body::for_tests([half(), ENDS]);
        for (mut body, shown) in
            [(waits(), "a key [key]"), (breaks, "a key [key]"), (ends, "a key sk-test-01")]
        {
            let (text, broken) = excerpt(&redactor, &mut body, untimed()).await;
            assert_eq!((&*text, broken.is_some()), (shown, shown.ends_with(KEY_MASK)));
        }
    }

    #[tokio::test]
    async fn the_end_of_a_body_is_looked_for_in_some_turns() {
        let gives = || Body::gives("x");
        let ends_fourth = Body::for_tests([gives(), Poll::Pending, gives(), ENDS]);
        let ends_fifth = Body::for_tests([gives(), Poll::Pending, gives(), gives(), ENDS]);
        let breaks = Body::for_tests([gives(), Body::breaks()]);
        for (mut body, is_found) in [(ends_fourth, true), (ends_fifth, false), (breaks, true)] {
            assert_eq!(settle(&mut body).await, is_found);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_rest_of_a_body_is_read_below_its_bound() {
        let quarter = || Body::gives("x".repeat(DRAIN_BYTES_MAX / 4));
        let last = |more: usize| Body::gives("x".repeat(DRAIN_BYTES_MAX / 4 - 1 + more));
        let drained = async |polls: [_; 6]| drain(&mut Body::for_tests(polls)).await;
        let waits = || Poll::Pending;
        assert!(drained([quarter(), waits(), quarter(), quarter(), last(0), ENDS]).await);
        assert!(!drained([quarter(), waits(), quarter(), quarter(), last(1), ENDS]).await);
        assert!(!drained([quarter(), waits(), quarter(), last(0), Body::breaks(), ENDS]).await);
        // A body without an end is left after a while.
        assert!(!drain(&mut Body::for_tests([quarter()])).await);
    }

    /// However it comes in pieces; blanks are counted, and a byte order mark is one only at the start.
    #[test]
    fn the_start_of_a_body_is_found_in_pieces() {
        let read = |text: &[u8], size: usize| {
            let mut start = Start::default();
            for (at, piece) in text.chunks(size).enumerate() {
                if let Some((beginning, unread)) = start.add(Bytes::copy_from_slice(piece)) {
                    let rest = text.get((at + 1) * size..).unwrap_or_default();
                    let is_json = matches!(beginning, Beginning::Json);
                    return (is_json, [&unread, rest].concat(), start.blank_bytes);
                }
            }
            unreachable!("{text:?} is never known")
        };
        for (text, is_json, unread, blank) in [
            (b"{\"a\":1}" as &[u8], true, b"{\"a\":1}" as &[u8], 0),
            (b" \n\t{}", true, b"{}", 3),
            (b"\xEF\xBB\xBF{}", true, b"{}", 3),
            (b"\xEF\xBB\xBF  {}", true, b"{}", 5),
            (b"  data: 1", false, b"data: 1", 2),
            (b"   dat!", false, b"dat!", 3),
        ] {
            for size in [1, 2, 3, 4, 100] {
                assert_eq!(
                    read(text, size),
                    (is_json, unread.to_vec(), blank),
                    "{text:?} by {size}"
                );
            }
        }
    }

    #[test]
    fn the_first_bytes_say_what_a_body_is() {
        let name = |bytes: &[u8]| match look(bytes) {
            Some(Beginning::Events) => "events",
            Some(Beginning::Json) => "json",
            Some(Beginning::Other) => "other",
            None => "too few",
        };
        for events in ["data:", "data: {}", "event: error", "id:", "retry: 1", ": ping"] {
            assert_eq!(name(events.as_bytes()), "events", "{events:?}");
        }
        for json in ["{", "[]"] {
            assert_eq!(name(json.as_bytes()), "json", "{json:?}");
        }
        for other in ["<html>", "data", "eventual"].map(|text| text.to_owned() + "!") {
            assert_eq!(name(other.as_bytes()), "other", "{other:?}");
        }
        for few in
            [b"" as &[u8], b"d", b"data", b"even", b"retry", b"\xEF", b"\xEF\xBB", BYTE_ORDER_MARK]
        {
            assert_eq!(name(few), "too few", "{few:?}");
        }
    }
}
