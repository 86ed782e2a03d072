//! Reads one stream: pieces of the body through the decoder into events, as long as that keeps nobody
//! waiting, and on another thread where it would.

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
use crate::call::stream_events::{Rest, StreamEvents, Wanted};
use crate::driver::offload::{IN_PLACE_BYTES_MAX, offload};
use crate::http::transport::Body;
use crate::protocol::sse;

/// At most so many events are gathered before they are pushed, even if more keep coming.
const BATCH_EVENTS_MAX: usize = 512;
/// The same for the bytes that were read.
const BATCH_BYTES_MAX: usize = 64 << 10;
/// To an answer of so many bytes more is gathered in place.
const GATHERED_IN_PLACE_BYTES_MAX: usize = 1 << 20;

/// A stream being read: bytes go through the decoder into what was found. It borrows nothing and
/// stands in a box, so that what takes long is done on another thread.
pub(crate) struct Reading {
    decoder: sse::Decoder,
    /// What is too large to be read in place.
    large: Option<Large>,
    events: StreamEvents,
}

/// What may complete an event that is large.
enum Large {
    Piece(Bytes),
    EndOfBody,
    BrokenOff(Error),
}

/// What ended a look at the body.
enum Look {
    /// There is something to push, or a large piece, or the end.
    Found,
    /// Others get their turn.
    TurnOver,
}

impl Reading {
    pub(crate) fn new(wanted: Wanted, head: Arc<Head>) -> Box<Reading> {
        let decoder = sse::Decoder::new(wanted.settings.limits.event_bytes_max);
        Box::new(Reading { decoder, large: None, events: StreamEvents::new(wanted, head) })
    }

    /// Takes what was too large for `fill`, on another thread.
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

    /// What was read and is to be pushed.
    pub(crate) fn batch(&mut self) -> &mut VecDeque<Event> {
        self.events.batch()
    }

    /// Ends the stream with an error, unless what came before ends it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.events.fail(error);
    }

    /// The end, if it was reached.
    pub(crate) fn is_over(&self) -> bool {
        self.events.is_over()
    }

    /// Whether part of the answer came.
    pub(crate) fn has_chunks(&self) -> bool {
        self.events.has_chunks()
    }

    /// How many chunks came.
    pub(crate) fn chunks(&self) -> u64 {
        self.events.chunks()
    }

    /// What the stream said of itself so far.
    pub(crate) fn answered(&self) -> &Answered {
        self.events.answered()
    }

    /// What came of the stream.
    pub(crate) async fn conclude(self: Box<Self>) -> Result<Response> {
        let bytes = self.events.gathered_bytes();
        offload(bytes, move || self.events.conclude()).await
    }

    /// Reads until there is something to push. The connection's own task runs on this thread and
    /// hands over one piece each time it runs, so when nothing more is there it gets one turn
    /// before what was read is pushed: one push, and one wake of the consumer, for all pieces of
    /// a read. What comes after a pause comes alone, most of the time, and is pushed at once.
    async fn fill(&mut self, body: &mut Body, clock: &mut Clock) {
        if clock.is_past_deadline()
            && let Some(error) = clock.overdue()
        {
            return self.events.fail(error);
        }
        let mut may_come_alone = true;
        let mut gave_turn = false;
        let mut bytes = 0;
        // The clock is looked at once for what comes in one turn.
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
                    if let Some(error) = clock.overdue() {
                        self.events.fail(error);
                    }
                    yield_now().await;
                    // A body that is always ready is held back by its consumer, too.
                    if self.events.waiting() > 0 && bytes >= BATCH_BYTES_MAX {
                        break;
                    }
                }
            }
        }
        clock.note(&mut progress);
        self.events.seal();
    }

    /// Whether the event under way is too large to be read in place, or what it may change is: one
    /// small event can take apart or replace all that was gathered.
    fn is_large(&self) -> bool {
        self.decoder.buffered() > IN_PLACE_BYTES_MAX
            || self.events.gathered_bytes() > GATHERED_IN_PLACE_BYTES_MAX
    }

    /// Takes a piece, and notes what was in it.
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

    /// A clean end of the body.
    fn body_ended(&mut self) {
        let mut rest = Rest::new(&mut self.events);
        // What waits in the decoder was within its bound, so this cannot fail.
        let _ = self.decoder.finish_to(&mut rest);
        let was_cut = rest.was_cut();
        self.events.body_ended(was_cut);
    }

    /// The stream fails, behind an event that only its blank line was missing of.
    fn broken_off(&mut self, error: Error) {
        let mut rest = Rest::new(&mut self.events);
        let _ = self.decoder.finish_to(&mut rest);
        self.events.fail(error);
    }
}

/// Only then anything can end in it.
fn has_line_end(piece: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', piece).is_some()
}
