//! Reads one stream: passes pieces of the body through the decoder, in place while that is fast, otherwise
//! on another thread.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use tokio::task::yield_now;

use crate::answer::error::{Error, Result};
use crate::answer::head::Head;
use crate::answer::record::Answered;
use crate::answer::response::Response;
use crate::call::deadlines::{Clock, Progress};
use crate::call::queue::Event;
use crate::call::stream_events::{EndOfBody, StreamEvents, Wanted};
use crate::driver::offload::{IN_PLACE_BYTES_MAX, offload};
use crate::http::transport::Body;
use crate::protocol::sse;

/// The maximum number of events in a batch before it is pushed, even if more keep arriving.
const BATCH_EVENTS_MAX: usize = 512;
/// The same in bytes read.
const BATCH_BYTES_MAX: usize = 64 << 10;
/// Up to this size of the gathered answer, chunks are added on the I/O thread.
const GATHERED_IN_PLACE_BYTES_MAX: usize = 1 << 20;

/// A stream being read: decoder and decoded events. It borrows nothing and is boxed, so that it can move to
/// another thread for slow work.
pub(crate) struct Reading {
    decoder: sse::Decoder,
    /// Input that is too large to be processed in place.
    large: Option<Large>,
    events: StreamEvents,
}

/// Input that may complete a large event.
enum Large {
    Piece(Bytes),
    EndOfBody,
    BrokenOff(Error),
}

/// Why a look at the body ended.
enum Look {
    /// There is something to push, or large input, or the end.
    Found,
    /// The task should yield.
    TurnOver,
}

impl Reading {
    pub(crate) fn new(wanted: Wanted, head: Arc<Head>) -> Box<Reading> {
        let decoder = sse::Decoder::new(wanted.settings.limits.event_bytes_max);
        Box::new(Reading { decoder, large: None, events: StreamEvents::new(wanted, head) })
    }

    /// Processes large input on another thread.
    async fn fill_elsewhere(mut self: Box<Self>, clock: &mut Clock) -> Box<Reading> {
        let Some(large) = self.large.take() else { return self };
        let (reading, mut progress) = offload(usize::MAX, move || {
            let mut progress = Progress::default();
            match large {
                Large::Piece(piece) => self.take(&piece, &mut progress),
                Large::EndOfBody => self.body_ended(),
                Large::BrokenOff(error) => self.broken_off(error),
            }
            self.events.seal();
            (self, progress)
        })
        .await;
        clock.note(&mut progress);
        reading
    }

    /// Reads until there is something to push, or the end.
    pub(crate) async fn next_batch(
        mut self: Box<Self>,
        body: &mut Body,
        clock: &mut Clock,
    ) -> Box<Reading> {
        self.fill(body, clock).await;
        match self.large {
            None => self,
            Some(_) => Box::pin(self.fill_elsewhere(clock)).await,
        }
    }

    /// The events to push.
    pub(crate) fn batch(&mut self) -> &mut VecDeque<Event> {
        self.events.batch()
    }

    /// Ends the stream with an error, unless an earlier event ends it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.events.fail(error);
    }

    /// Whether the stream has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.events.is_over()
    }

    /// Whether the stream has ended completely.
    pub(crate) fn is_whole(&self) -> bool {
        self.events.is_whole()
    }

    /// Whether part of the answer arrived.
    pub(crate) fn has_chunks(&self) -> bool {
        self.events.has_chunks()
    }

    /// Whether content arrived; always true if nobody asked for it.
    pub(crate) fn has_content(&self) -> bool {
        self.events.has_content()
    }

    /// The number of chunks that arrived.
    pub(crate) fn chunks(&self) -> u64 {
        self.events.chunks()
    }

    /// The metadata that the stream has reported so far.
    pub(crate) fn answered(&self) -> &Answered {
        self.events.answered()
    }

    /// The outcome of the stream.
    pub(crate) async fn conclude(self: Box<Self>) -> Result<Response> {
        let bytes = self.events.gathered_bytes();
        offload(bytes, move || self.events.conclude()).await
    }

    /// Reads until there is something to push. The connection's own task runs on this thread and hands over
    /// one piece per run. So when no more is ready, it runs once more before the batch is pushed: one push,
    /// and one wake-up of the consumer, for all pieces of a read. A piece after a pause usually comes alone
    /// and is pushed at once.
    async fn fill(&mut self, body: &mut Body, clock: &mut Clock) {
        if clock.is_past_deadline()
            && let Some(error) = clock.overdue()
        {
            return self.events.fail(error);
        }
        self.look_for_content(clock);
        let mut may_come_alone = true;
        let mut gave_turn = false;
        let mut bytes = 0;
        // One clock update for everything that arrives between two yields.
        let mut progress = Progress::default();
        loop {
            let look = poll_fn(|cx| {
                loop {
                    let events = &mut self.events;
                    if events.is_over() || events.waiting() >= BATCH_EVENTS_MAX {
                        return Poll::Ready(Look::Found);
                    }
                    match body.poll_piece(cx) {
                        Poll::Ready(Ok(Some(piece))) => {
                            gave_turn = false;
                            bytes += piece.len();
                            let is_turn_over = clock.is_turn_over(piece.len());
                            if self.is_large() && has_line_end(&piece) {
                                self.large = Some(Large::Piece(piece));
                                return Poll::Ready(Look::Found);
                            }
                            self.take(&piece, &mut progress);
                            if is_turn_over {
                                return Poll::Ready(Look::TurnOver);
                            }
                        }
                        Poll::Ready(Ok(None)) if self.is_large() => {
                            self.large = Some(Large::EndOfBody);
                            return Poll::Ready(Look::Found);
                        }
                        Poll::Ready(Ok(None)) => self.body_ended(),
                        Poll::Ready(Err(error)) if self.is_large() => {
                            self.large = Some(Large::BrokenOff(error));
                            return Poll::Ready(Look::Found);
                        }
                        Poll::Ready(Err(error)) => self.broken_off(error),
                        Poll::Pending if self.events.waiting() == 0 => {
                            clock.note(&mut progress);
                            let error = std::task::ready!(clock.poll_expired(cx));
                            if self.is_large() {
                                self.large = Some(Large::BrokenOff(error));
                                return Poll::Ready(Look::Found);
                            }
                            self.broken_off(error);
                        }
                        Poll::Pending if gave_turn => return Poll::Ready(Look::Found),
                        Poll::Pending
                            if std::mem::take(&mut may_come_alone)
                                && clock.was_quiet(&mut progress) =>
                        {
                            return Poll::Ready(Look::Found);
                        }
                        Poll::Pending => {
                            gave_turn = true;
                            cx.waker().wake_by_ref();
                            return Poll::Pending;
                        }
                    }
                }
            })
            .await;
            match look {
                Look::Found => break,
                Look::TurnOver => {
                    clock.note(&mut progress);
                    if clock.awaits_content() {
                        self.events.seal();
                        self.look_for_content(clock);
                    }
                    if let Some(error) = clock.overdue() {
                        self.events.fail(error);
                    }
                    yield_now().await;
                    // The consumer also holds back a body that is always ready.
                    if self.events.waiting() > 0 && bytes >= BATCH_BYTES_MAX {
                        break;
                    }
                }
            }
        }
        clock.note(&mut progress);
        self.events.seal();
    }

    /// Ends the first-content timeout if content has arrived.
    fn look_for_content(&self, clock: &mut Clock) {
        if self.has_content() {
            clock.content_came();
        }
    }

    /// Whether the current event is too large to be processed in place, or the gathered answer is: one small
    /// event can take apart or replace all of it.
    fn is_large(&self) -> bool {
        self.decoder.buffered() > IN_PLACE_BYTES_MAX
            || self.events.gathered_bytes() > GATHERED_IN_PLACE_BYTES_MAX
    }

    /// Decodes a piece, and records what it contained.
    fn take(&mut self, piece: &[u8], progress: &mut Progress) {
        let (substance, count) = (self.decoder.substance(), self.events.count());
        let fed = self.decoder.feed_to(piece, &mut self.events);
        if let Err(too_large) = fed {
            self.events.fail(Error::too_large(too_large.to_string()));
        }
        progress.has_bytes |= !piece.is_empty();
        progress.has_substance |= self.decoder.substance() != substance;
        progress.has_events |= self.events.count() != count;
    }

    /// Handles a clean end of the body.
    fn body_ended(&mut self) {
        let mut rest = EndOfBody::new(&mut self.events);
        // The decoder's buffer was within its limit, so this cannot fail.
        let _ = self.decoder.finish_to(&mut rest);
        let was_cut = rest.was_cut();
        self.events.body_ended(was_cut);
    }

    /// Fails the stream, after an event that lacks only its blank line.
    fn broken_off(&mut self, error: Error) {
        let mut rest = EndOfBody::new(&mut self.events);
        let _ = self.decoder.finish_to(&mut rest);
        self.events.fail(error);
    }
}

/// Without a line end, no event can end in this piece.
fn has_line_end(piece: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', piece).is_some()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;
    use crate::answer::error_kind::{ErrorKind, TimeoutPhase};
    use crate::call::deadlines::Deadlines;
    use crate::options::timeouts::Timeouts;

    fn reading(gathered: bool) -> Box<Reading> {
        Reading::new(Wanted::for_tests(1, gathered), Arc::new(Head::default()))
    }

    /// Comments keep a stream alive and are no part of an answer; an event counts when it is complete.
    #[test]
    fn a_piece_tells_what_it_had() {
        let mut reading = reading(false);
        for (piece, bytes, substance, events) in [
            ("", false, false, false),
            (": ping\n\n", true, false, false),
            ("data: {\"choices\"", true, true, false),
            (":[]}\n", true, true, false),
            ("\n", true, false, true),
            (": ping\n", true, false, false),
            ("data: {}\n\n", true, true, true),
        ] {
            let mut progress = Progress::default();
            reading.take(piece.as_bytes(), &mut progress);
            let found = (progress.has_bytes, progress.has_substance, progress.has_events);
            assert_eq!(found, (bytes, substance, events), "{piece:?}");
        }
        // What was seen since the last look stays.
        let mut progress = Progress { has_bytes: true, has_substance: true, has_events: true };
        reading.take(b"", &mut progress);
        assert!(progress.has_bytes && progress.has_substance && progress.has_events);
        assert!(!reading.is_over() && !reading.is_whole());
        reading.take(b"data: {\"choices\":[{}]}\n\ndata: [DONE]\n\n", &mut progress);
        assert!(reading.is_over() && reading.is_whole());
        reading.fail(Error::internal("late"));
        assert!(reading.is_whole(), "the first end counts");
    }

    #[test]
    fn a_stream_that_fails_is_over() {
        let mut reading = reading(false);
        reading.fail(Error::new(ErrorKind::Disconnected, "cut"));
        assert!(reading.is_over() && !reading.is_whole());
    }

    /// An event that long, or a gathered answer, is handled on a helper thread.
    #[test]
    fn what_takes_long_is_large() {
        let mut progress = Progress::default();
        let mut reading_one = reading(false);
        reading_one.take(b"data:", &mut progress);
        let rest = IN_PLACE_BYTES_MAX - reading_one.decoder.buffered();
        reading_one.take("x".repeat(rest).as_bytes(), &mut progress);
        assert!(!reading_one.is_large());
        reading_one.take(b"x", &mut progress);
        assert!(reading_one.is_large());

        let chunk = |text: &str| {
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
        };
        let mut gathering = reading(true);
        let mut gather = |text: &str| {
            gathering.take(chunk(text).as_bytes(), &mut progress);
            gathering.events.seal();
            (gathering.events.gathered_bytes(), gathering.is_large())
        };
        let (begun, _) = gather("x");
        let mut left = GATHERED_IN_PLACE_BYTES_MAX - begun;
        while left > 0 {
            let some = left.min(1 << 16);
            left -= some;
            assert_eq!(gather(&"x".repeat(some)), (GATHERED_IN_PLACE_BYTES_MAX - left, false));
        }
        assert_eq!(gather("x"), (GATHERED_IN_PLACE_BYTES_MAX + 1, true));
    }

    const EVENT: &str = "data: {\"choices\":[{}]}\n\n";

    fn untimed() -> Clock {
        Deadlines::start(Timeouts::OFF).clock()
    }

    /// The task of a connection hands over one piece in each of its turns.
    #[tokio::test(start_paused = true)]
    async fn pieces_of_one_read_are_one_batch_and_one_after_a_pause_is_alone() {
        for (pause, together) in [(Duration::ZERO, 2), (Duration::from_millis(1), 1)] {
            let event = || Body::gives(EVENT);
            let (waits, later) = (|| Poll::Pending, event());
            let mut body = Body::for_tests([event(), waits(), event(), waits(), waits(), later]);
            let (mut reading, mut clock) = (reading(false), untimed());
            advance(pause).await;
            reading.fill(&mut body, &mut clock).await;
            assert_eq!(reading.batch().len(), together, "{pause:?}");
        }
    }

    /// At the end of a turn, once there is something to push.
    #[tokio::test(start_paused = true)]
    async fn a_body_that_is_always_ready_is_pushed_in_parts() {
        const TURN: usize = 16 << 10;
        let padded = |start: &str, end: &str| {
            let piece = start.to_owned() + &"x".repeat(TURN - start.len() - end.len()) + end;
            Body::gives(piece)
        };
        let event = || padded("data: {\"choices\":[{}],\"x\":\"", "\"}\n\n");
        let mut body = Body::for_tests([(); 10].map(|()| event()));
        let (mut reading_one, mut clock) = (reading(false), untimed());
        reading_one.fill(&mut body, &mut clock).await;
        assert_eq!(reading_one.batch().len(), BATCH_BYTES_MAX / TURN);

        let ping = || padded(": ", "\n\n");
        let pings = [ping(), ping(), ping(), ping(), ping()];
        let [first, second, third, fourth, fifth] = pings;
        let mut body = Body::for_tests([first, second, third, fourth, fifth, event()]);
        let mut reading_pings = reading(false);
        reading_pings.fill(&mut body, &mut clock).await;
        assert_eq!(reading_pings.batch().len(), 1);
    }

    /// What is left for a helper thread.
    #[tokio::test(start_paused = true)]
    async fn only_what_may_complete_a_large_event_is_left() {
        let ends = || Poll::Ready(None);
        for size in [1, IN_PLACE_BYTES_MAX] {
            for (polls, left) in [
                ([Body::gives("\n"), ends()], "piece"),
                ([Body::gives("x"), ends()], "end"),
                ([Body::breaks(), ends()], "error"),
            ] {
                let mut reading = reading(false);
                let begun = format!("data: {}", "x".repeat(size));
                reading.take(begun.as_bytes(), &mut Progress::default());
                reading.fill(&mut Body::for_tests(polls), &mut untimed()).await;
                let found = match reading.large {
                    Some(Large::Piece(_)) => "piece",
                    Some(Large::EndOfBody) => "end",
                    Some(Large::BrokenOff(_)) => "error",
                    None => "nothing",
                };
                let is_large = size > 1;
                assert_eq!(found, if is_large { left } else { "nothing" });
                assert_eq!(reading.is_over(), !is_large);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn content_ends_its_timeout() {
        let time = Duration::from_secs(10);
        let timeouts = Timeouts { first_content: Some(time), ..Timeouts::OFF };
        for (content, is_late) in [("", true), ("x", false)] {
            let deadlines = Deadlines::start(timeouts);
            let content_by = deadlines.content_of_attempt();
            let mut clock = Deadlines { content: content_by, ..deadlines }.clock();
            let piece =
                format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n");
            let (waits, piece) = (|| Poll::Pending, || Body::gives(&*piece));
            let polls = [piece(), waits(), waits(), piece(), waits(), waits()];
            let (mut body, mut reading) = (Body::for_tests(polls), reading(false));
            reading.fill(&mut body, &mut clock).await;
            reading.batch().clear();
            reading.fill(&mut body, &mut clock).await;
            assert_eq!(reading.batch().len(), 1);
            advance(time).await;
            let overdue = clock.overdue().and_then(|error| error.timeout());
            assert_eq!(overdue, is_late.then_some(TimeoutPhase::FirstContent), "{content:?}");
        }
    }

    #[test]
    fn only_a_line_end_can_end_an_event() {
        for (piece, has_end) in [("", false), ("data: x", false), ("x\ny", true), ("\r", true)] {
            assert_eq!(has_line_end(piece.as_bytes()), has_end, "{piece:?}");
        }
    }
}
