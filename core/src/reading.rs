//! Reads one stream: pieces of the body through `sse` and `view` into events, and the judgement
//! whether it ended whole (R-STR7). Knows no attempt and no retry.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use crate::accumulate::Gatherer;
use crate::answer::{Answer, End, Head};
use crate::clock::{Clock, PIECES_PER_TURN};
use crate::error::{Error, ErrorKind, Result};
use crate::exchange::Exchange;
use crate::owed;
use crate::queue::Event;
use crate::request::Endpoint;
use crate::sse;
use crate::transport::Body;
use crate::view::{Choice, Chunk, Document, Slab, Usage};

/// At most so many events are gathered before they are pushed, even if more keep coming.
const BATCH_EVENTS_MAX: usize = 512;
/// Marks the end of a stream (R-STR3).
const DONE_MARK: &str = "[DONE]";

/// A stream being read: bytes go through the decoder into what was found.
pub(crate) struct Reading<'a> {
    decoder: sse::Decoder,
    pub(crate) found: Found<'a>,
}

/// What was parsed and not yet pushed, and what is known of the stream's end.
pub(crate) struct Found<'a> {
    exchange: &'a Exchange<'a>,
    head: Arc<Head>,
    /// Puts the whole answer together, where it is wanted.
    gatherer: Option<Gatherer>,
    /// Scanned, not judged yet.
    slab: Slab,
    pub(crate) batch: VecDeque<Event>,
    usage: Option<Usage>,
    /// The choices that have their finish reason.
    finished_choices: Vec<u32>,
    events: u64,
    pub(crate) outcome: Option<Result<Answer>>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(exchange: &'a Exchange<'a>, head: Arc<Head>) -> Reading<'a> {
        let limits = exchange.shared.settings().limits;
        let gatherer = || Gatherer::new(exchange.prepared.endpoint, limits.answer_bytes_max);
        let found = Found {
            exchange,
            gatherer: exchange.gathers().then(gatherer),
            slab: Slab::default(),
            batch: VecDeque::new(),
            head,
            usage: None,
            finished_choices: Vec::new(),
            events: 0,
            outcome: None,
        };
        Reading { decoder: sse::Decoder::new(limits.event_bytes_max), found }
    }

    /// Reads until there is something to push. The connection's own task runs on this thread and
    /// hands over one piece each time it runs, so when nothing more is there it gets one turn
    /// before what was read is pushed: one push, and one wake of the consumer, for all pieces of
    /// a read. What comes after a pause comes alone, most of the time, and is pushed at once.
    pub(crate) async fn fill(&mut self, body: &mut Body, clock: &mut Clock) {
        if clock.is_past_deadline()
            && let Some(error) = clock.overdue()
        {
            return self.found.fail(error);
        }
        let mut may_come_alone = true;
        let mut gave_turn = false;
        let mut pieces = 0;
        // The clock is looked at once for what comes in one turn.
        let mut had_substance = false;
        poll_fn(|cx| {
            loop {
                if self.found.outcome.is_some() || self.found.waiting() >= BATCH_EVENTS_MAX {
                    return Poll::Ready(());
                }
                match body.poll_piece(cx) {
                    Poll::Ready(Ok(Some(piece))) => {
                        gave_turn = false;
                        had_substance |= self.take(&piece);
                        pieces += 1;
                        if pieces % PIECES_PER_TURN == 0 {
                            clock.substance_if(&mut had_substance);
                            owed::pay();
                            if let Some(error) = clock.overdue() {
                                self.found.fail(error);
                            }
                            cx.waker().wake_by_ref();
                            return Poll::Pending;
                        }
                    }
                    Poll::Ready(Ok(None)) => self.body_ended(),
                    Poll::Ready(Err(error)) => self.found.fail(error),
                    Poll::Pending if self.found.waiting() == 0 => {
                        clock.substance_if(&mut had_substance);
                        let error = std::task::ready!(clock.poll_expired(cx));
                        self.found.fail(error);
                    }
                    Poll::Pending if gave_turn => return Poll::Ready(()),
                    Poll::Pending
                        if std::mem::take(&mut may_come_alone)
                            && clock.was_quiet(&mut had_substance) =>
                    {
                        return Poll::Ready(());
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
        self.found.seal();
    }

    /// Whether there was something of substance in it.
    fn take(&mut self, piece: &[u8]) -> bool {
        let before = self.decoder.substance();
        let found = &mut self.found;
        let fed = self.decoder.feed(piece, &mut |event| found.event(event));
        if let Err(too_large) = fed {
            self.found.fail(Error::new(ErrorKind::Protocol, too_large.to_string()));
        }
        self.decoder.substance() != before
    }

    /// A clean end of the body. The grammar drops an event without its blank line; a whole JSON
    /// value or `[DONE]` is complete for all that, anything else was cut and is told as such.
    fn body_ended(&mut self) {
        let found = &mut self.found;
        let mut was_cut = false;
        // What waits in the decoder was within its bound, so this cannot fail.
        let _ = self.decoder.finish(&mut |event| {
            let data = event.data.trim();
            if data == DONE_MARK || crate::value::Value::parse(data).is_ok() {
                found.event(event);
            } else {
                was_cut |= !data.is_empty();
            }
        });
        self.found.body_ended(was_cut);
    }
}

impl Found<'_> {
    /// Ends the stream with an error, unless what came before ends it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.seal();
        if self.outcome.is_none() {
            let error = match &self.gatherer {
                Some(gatherer) if !gatherer.is_empty() => error.with_partial(gatherer.json()),
                _ => error,
            };
            self.outcome = Some(Err(self.exchange.answered(error, &self.head)));
        }
    }

    fn succeed(&mut self, end: End) {
        if self.outcome.is_some() {
            return;
        }
        let gathered =
            self.gatherer.as_ref().map(|gatherer| Document::scan(gatherer.json().into()));
        self.outcome = Some(match gathered.transpose() {
            Ok(document) => {
                let endpoint = self.exchange.prepared.endpoint;
                Ok(Answer::streamed(endpoint, self.head.clone(), self.usage, end, document))
            }
            Err(cause) => Err(Error::internal(format!("the gathered answer is not JSON: {cause}"))),
        });
    }

    /// One event of the stream; what comes after its end is ignored (R-STR3).
    fn event(&mut self, event: sse::Event<'_>) {
        let data = event.data.trim_matches([' ', '\t', '\n', '\r']);
        let is_error = event.name == "error";
        if self.outcome.is_some() || (data.is_empty() && !is_error) {
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
                return self.fail(Error::from_event(data));
            }
            let quoted = self.exchange.quote(data);
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
        for chunk in self.slab.seal() {
            if self.outcome.is_some() {
                break;
            }
            self.chunk(chunk);
        }
    }

    fn chunk(&mut self, chunk: Chunk) {
        if chunk.is_error() {
            return self.fail(Error::from_event(chunk.json()));
        }
        if let Some(usage) = chunk.usage() {
            self.usage = Some(usage);
        }
        for choice in chunk.choices().filter(Choice::is_finished) {
            if !self.finished_choices.contains(&choice.index()) {
                self.finished_choices.push(choice.index());
            }
        }
        let is_final = chunk.is_final_response();
        if let Some(Err(too_large)) = self.gatherer.as_mut().map(|all| all.add(chunk.value())) {
            return self.fail(Error::new(ErrorKind::Protocol, too_large.to_string()));
        }
        if self.exchange.caller_streams {
            self.batch.push_back(Event::Chunk(chunk));
        }
        if is_final {
            self.succeed(End::FinalEvent);
        }
    }

    /// Complete without an end mark only if every choice of a chat has finished (R-STR7).
    fn body_ended(&mut self, was_cut: bool) {
        self.seal();
        if self.outcome.is_some() {
            return;
        }
        let awaited = (self.exchange.prepared.choices as usize).max(1);
        let is_chat = self.exchange.prepared.endpoint == Endpoint::Chat;
        if is_chat && !was_cut && self.finished_choices.len() >= awaited {
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
