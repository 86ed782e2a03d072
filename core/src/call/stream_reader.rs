//! Reads one stream: pieces of the body through `sse` and `view` into events, and the judgement
//! whether it ended whole (R-STR7). Knows no attempt and no retry.

use std::collections::{HashSet, VecDeque};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use tokio::task::yield_now;

use crate::call::deadlines::{Clock, Progress};
use crate::call::queue::Event;
use crate::config::SharedSettings;
use crate::driver::offload::{IN_PLACE_BYTES_MAX, drop_elsewhere, offload};
use crate::error::{Error, Result};
use crate::error_kind::ErrorKind;
use crate::head::Head;
use crate::http::transport::Body;
use crate::protocol::accumulate::Gatherer;
use crate::protocol::choice::Choice;
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::slab::Slab;
use crate::protocol::sse;
use crate::protocol::usage::Usage;
use crate::response::{End, Response};

/// At most so many events are gathered before they are pushed, even if more keep coming.
const BATCH_EVENTS_MAX: usize = 512;
/// The same for the bytes that were read.
const BATCH_BYTES_MAX: usize = 64 << 10;
/// To an answer of so many bytes more is gathered in place.
const GATHERED_IN_PLACE_BYTES_MAX: usize = 1 << 20;
/// Marks the end of a stream (R-STR3).
const DONE_MARK: &str = "[DONE]";

/// What is wanted of a stream.
pub(crate) struct Wanted {
    pub(crate) settings: SharedSettings,
    pub(crate) endpoint: Endpoint,
    /// Choices that the request asks for.
    pub(crate) choices: usize,
    /// The caller gets the chunks.
    pub(crate) chunks: bool,
    /// The whole answer is put together from the chunks.
    pub(crate) gathered: bool,
}

/// A stream being read: bytes go through the decoder into what was found. It borrows nothing and
/// stands in a box, so that what takes long is done on another thread.
pub(crate) struct Reading {
    decoder: sse::Decoder,
    /// What is too large to be read in place.
    large: Option<Large>,
    found: Found,
}

/// What may complete an event that is large.
enum Large {
    Piece(Bytes),
    EndOfBody,
}

/// What was parsed and not yet pushed, and what is known of the stream's end.
struct Found {
    wanted: Wanted,
    head: Arc<Head>,
    /// Puts the whole answer together, where it is wanted.
    gathering: Gathering,
    /// Scanned, not judged yet.
    slab: Slab,
    batch: VecDeque<Event>,
    usage: Option<Usage>,
    /// The choices that have their finish reason; no more than are asked for.
    finished_choices: HashSet<u32>,
    events: u64,
    ending: Option<Ending>,
}

/// How a stream ended.
enum Ending {
    Whole(End),
    Failed(Error),
}

/// A large one is not dropped on the I/O thread.
struct Gathering(Option<Gatherer>);

impl Gathering {
    fn bytes(&self) -> usize {
        self.0.as_ref().map_or(0, Gatherer::bytes)
    }
}

impl Drop for Gathering {
    fn drop(&mut self) {
        let bytes = self.bytes();
        if let Some(gatherer) = self.0.take() {
            drop_elsewhere(bytes, gatherer);
        }
    }
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
        let limits = wanted.settings.limits;
        let gatherer = || Gatherer::new(wanted.endpoint, limits.response_bytes_max);
        let found = Found {
            gathering: Gathering(wanted.gathered.then(gatherer)),
            wanted,
            slab: Slab::default(),
            batch: VecDeque::new(),
            head,
            usage: None,
            finished_choices: HashSet::new(),
            events: 0,
            ending: None,
        };
        let decoder = sse::Decoder::new(limits.event_bytes_max);
        Box::new(Reading { decoder, large: None, found })
    }

    /// Takes what was too large for `fill`, on another thread.
    async fn fill_elsewhere(mut self: Box<Self>, clock: &mut Clock) -> Box<Reading> {
        let Some(large) = self.large.take() else { return self };
        let (reading, mut progress) = offload(usize::MAX, move || {
            let mut progress = Progress::default();
            match large {
                Large::Piece(piece) => self.take(&piece, &mut progress),
                Large::EndOfBody => self.body_ended(),
            }
            self.found.seal();
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
        &mut self.found.batch
    }

    /// Ends the stream with an error, unless what came before ends it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.found.fail(error);
    }

    /// The end, if it was reached.
    pub(crate) fn is_over(&self) -> bool {
        self.found.ending.is_some()
    }

    /// What came of the stream.
    pub(crate) async fn conclude(self: Box<Self>) -> Result<Response> {
        let bytes = self.found.gathering.bytes();
        offload(bytes, move || self.found.conclude()).await
    }

    /// Reads until there is something to push. The connection's own task runs on this thread and
    /// hands over one piece each time it runs, so when nothing more is there it gets one turn
    /// before what was read is pushed: one push, and one wake of the consumer, for all pieces of
    /// a read. What comes after a pause comes alone, most of the time, and is pushed at once.
    async fn fill(&mut self, body: &mut Body, clock: &mut Clock) {
        if clock.is_past_deadline()
            && let Some(error) = clock.overdue()
        {
            return self.found.fail(error);
        }
        let mut may_come_alone = true;
        let mut gave_turn = false;
        let mut bytes = 0;
        // The clock is looked at once for what comes in one turn.
        let mut progress = Progress::default();
        loop {
            let look = poll_fn(|cx| {
                loop {
                    let found = &mut self.found;
                    if found.ending.is_some() || found.waiting() >= BATCH_EVENTS_MAX {
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
                        Poll::Ready(Err(error)) => self.found.fail(error),
                        Poll::Pending if self.found.waiting() == 0 => {
                            clock.note(&mut progress);
                            let error = std::task::ready!(clock.poll_expired(cx));
                            self.found.fail(error);
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
                        self.found.fail(error);
                    }
                    yield_now().await;
                    // A body that is always ready is held back by its consumer, too.
                    if self.found.waiting() > 0 && bytes >= BATCH_BYTES_MAX {
                        break;
                    }
                }
            }
        }
        clock.note(&mut progress);
        self.found.seal();
    }

    /// Whether the event under way is too large to be read in place, or what it may change is: one
    /// small event can take apart or replace all that was gathered.
    fn is_large(&self) -> bool {
        self.decoder.buffered() > IN_PLACE_BYTES_MAX
            || self.found.gathering.bytes() > GATHERED_IN_PLACE_BYTES_MAX
    }

    /// Takes a piece, and notes what was in it.
    fn take(&mut self, piece: &[u8], progress: &mut Progress) {
        let (before, events) = (self.decoder.substance(), self.found.events);
        let found = &mut self.found;
        let fed = self.decoder.feed(piece, &mut |event| found.event(event));
        if let Err(too_large) = fed {
            self.found.fail(Error::new(ErrorKind::Protocol, too_large.to_string()));
        }
        progress.has_substance |= self.decoder.substance() != before;
        progress.has_events |= self.found.events != events;
    }

    /// A clean end of the body. The grammar drops an event without its blank line; a whole JSON
    /// value or `[DONE]` is complete for all that, anything else was cut and is told as such.
    fn body_ended(&mut self) {
        let found = &mut self.found;
        let mut was_cut = false;
        // What waits in the decoder was within its bound, so this cannot fail.
        let _ = self.decoder.finish(&mut |event| {
            let data = event.data.trim();
            if data == DONE_MARK || crate::protocol::value::Value::parse(data).is_ok() {
                found.event(event);
            } else {
                was_cut |= !data.is_empty();
            }
        });
        self.found.body_ended(was_cut);
    }
}

/// Only then anything can end in it.
fn has_line_end(piece: &[u8]) -> bool {
    memchr::memchr2(b'\n', b'\r', piece).is_some()
}

impl Found {
    /// Ends the stream with an error, unless what came before ends it.
    fn fail(&mut self, error: Error) {
        self.seal();
        if self.ending.is_none() {
            self.ending = Some(Ending::Failed(error));
        }
    }

    fn succeed(&mut self, end: End) {
        if self.ending.is_none() {
            self.ending = Some(Ending::Whole(end));
        }
    }

    fn conclude(self) -> Result<Response> {
        let gatherer = self.gathering.0.as_ref();
        match self.ending {
            Some(Ending::Whole(end)) => {
                let gathered = gatherer.map(|gatherer| Document::scan(gatherer.json().into()));
                let document = gathered.transpose().map_err(|cause| {
                    Error::internal(format!("the gathered answer is not JSON: {cause}"))
                })?;
                let endpoint = self.wanted.endpoint;
                Ok(Response::streamed(endpoint, self.head.clone(), self.usage, end, document))
            }
            Some(Ending::Failed(error)) => {
                let partial = gatherer.filter(|gatherer| !gatherer.is_empty());
                let error = match partial {
                    Some(gatherer) => error.with_partial(gatherer.json()),
                    None => error,
                };
                Err(error.with_answer(&self.head))
            }
            None => Err(Error::internal("the stream was left before its end")),
        }
    }

    /// The error that an event carries.
    fn error_of(&self, data: &str) -> Error {
        self.wanted.settings.bounded(Error::from_event(data))
    }

    /// One event of the stream; what comes after its end is ignored (R-STR3).
    fn event(&mut self, event: sse::Event<'_>) {
        let data = event.data.trim_matches([' ', '\t', '\n', '\r']);
        let is_error = event.name == "error";
        if self.ending.is_some() || (data.is_empty() && !is_error) {
            return;
        }
        self.events += 1;
        if data == DONE_MARK {
            self.seal();
            return self.succeed(End::DoneMark);
        }
        if let Err(cause) = self.slab.add(event.name, &event.data) {
            // What is named an error is one, JSON or not (R-ERR6).
            if is_error {
                return self.fail(self.error_of(data));
            }
            let quoted = self.wanted.settings.quote(data);
            let message = format!("an event of the stream is not JSON ({cause}): {quoted}");
            self.fail(Error::new(ErrorKind::Protocol, message).with_body(quoted));
        } else if self.slab.is_full() {
            self.seal();
        }
    }

    /// Events that were read and not pushed.
    fn waiting(&self) -> usize {
        self.batch.len() + self.slab.len()
    }

    /// Judges what was scanned, in order, up to the stream's end.
    fn seal(&mut self) {
        for chunk in Chunk::seal(&mut self.slab) {
            if self.ending.is_some() {
                break;
            }
            self.chunk(chunk);
        }
    }

    fn chunk(&mut self, chunk: Chunk) {
        if chunk.is_error() {
            return self.fail(self.error_of(chunk.json()));
        }
        if let Some(usage) = chunk.usage() {
            self.usage = Some(usage);
        }
        for choice in chunk.choices().filter(Choice::is_finished) {
            if self.finished_choices.len() >= self.wanted.choices {
                break; // it is known that all are finished
            }
            self.finished_choices.insert(choice.index());
        }
        let is_final = chunk.is_final_response();
        let gatherer = self.gathering.0.as_mut();
        if let Some(Err(too_large)) = gatherer.map(|gatherer| gatherer.add(chunk.value())) {
            return self.fail(Error::new(ErrorKind::Protocol, too_large.to_string()));
        }
        if self.wanted.chunks {
            self.batch.push_back(Event::Chunk(chunk));
        }
        if is_final {
            self.succeed(End::FinalEvent);
        }
    }

    /// Complete without an end mark only if every choice of a chat has finished (R-STR7).
    fn body_ended(&mut self, was_cut: bool) {
        self.seal();
        if self.ending.is_some() {
            return;
        }
        let is_chat = self.wanted.endpoint == Endpoint::Chat;
        if is_chat && !was_cut && self.finished_choices.len() >= self.wanted.choices {
            return self.succeed(End::FinishReasons);
        }
        let message = match self.events {
            _ if was_cut => "the stream ended in the middle of an event".to_owned(),
            0 => "the stream ended without a single event".to_owned(),
            events => format!("the stream ended without its end mark after {events} events"),
        };
        self.fail(Error::new(ErrorKind::Incomplete, message));
    }
}
