//! The task of a call, from its first attempt until its connection is free: runs the steps in order and
//! pushes their results into the queue.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::Arc;

use tokio::time::{Instant, timeout_at};

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::response::Response;
use crate::call::attempts::{Attempts, Opened, transport};
use crate::call::body::{self, Beginning};
use crate::call::deadlines::Deadlines;
use crate::call::document::{events_of, judge};
use crate::call::queue::Event;
use crate::call::stream_events::Wanted;
use crate::call::stream_reader::Reading;
use crate::call::task::{DoneGuard, Shared};
use crate::call::upstreams::Chosen;
use crate::driver::offload::offload;
use crate::http::transport::{Reply, Transport};
use crate::options::bounds::Limits;
use crate::options::config::Settings;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::text::excerpt;
use crate::request::prepared::Prepared;

/// Runs a started call. The guard inserts `Done` on every path.
pub(crate) async fn run(guard: DoneGuard, mut prepared: Box<Prepared>, caller_streams: bool) {
    let shared = &guard.shared;
    guard.begin().await;
    if shared.queue.is_finished() {
        return; // cancelled before the first step
    }
    let timeouts = prepared.options.timeouts.over(shared.settings().timeouts);
    let deadlines = Deadlines::start(timeouts);
    let sent = prepared.body.take();
    let (run, place) = (&*guard.run, guard.place);
    let transport = match run.transport_if_cheap(0, place) {
        Some(made) => made,
        None => Box::pin(transport(run, 0, place, deadlines)).await,
    };
    let mut attempts = match transport {
        Ok(transport) => Attempts::new(shared, run, place, transport, &prepared, deadlines, sent),
        Err(error) => return guard.finish(Err(error)),
    };
    loop {
        // Boxed: an open stream does not keep the room of its attempts.
        let Opened { mut reply, permit, deadlines, transport, chosen } =
            match Box::pin(attempts.open()).await {
                Ok(opened) => opened,
                Err(error) => return guard.finish(Err(error)),
            };
        shared.accepted(&reply.head);
        let answer = Answer {
            guard: &guard,
            shared,
            transport: &transport,
            chosen: chosen.as_ref(),
            prepared: &prepared,
            deadlines,
            caller_streams,
            may_be_retried: attempts.retries_before_content(),
        };
        let undelivered = Box::pin(answer.deliver(&mut reply)).await;
        drop((reply, permit)); // held until here: a stream occupies the service until its end
        let Some(error) = undelivered else { return };
        if let Some(chosen) = &chosen {
            chosen.ended(Some(&error));
        }
        if let Err(error) = Box::pin(attempts.again(error)).await {
            return guard.finish(Err(error));
        }
    }
}

/// An answer with a success status, not delivered yet.
struct Answer<'a> {
    guard: &'a DoneGuard,
    shared: &'a Arc<Shared>,
    transport: &'a Transport,
    /// The service, with several base URLs.
    chosen: Option<&'a Chosen>,
    prepared: &'a Prepared,
    deadlines: Deadlines,
    /// The caller wants the chunks. The service may stream even if it does not.
    caller_streams: bool,
    /// The policy retries an answer that fails before its content reaches the program.
    may_be_retried: bool,
}

/// The result of a push.
struct Pushed {
    was_full: bool,
    /// The push finished before the deadline. If not, all events are in the queue nonetheless.
    in_time: bool,
}

impl Answer<'_> {
    /// Request and answer may differ in form (R-STR5): a streaming caller gets a document as chunks, a plain
    /// caller gets gathered events. Returns an error that may be retried, since nothing has reached the
    /// program; otherwise the call has ended.
    async fn deliver(&self, reply: &mut Reply) -> Option<Error> {
        let bytes_max = self.shared.settings().limits.response_bytes_max;
        let beginning = body::beginning_of(reply, self.deadlines.clock(), bytes_max).await;
        let beginning = match beginning {
            // A list of models is a document, whatever its type says (R-OP2).
            Ok(Beginning::Events) if self.prepared.endpoint == Endpoint::Models => {
                Ok(Beginning::Other)
            }
            beginning => beginning,
        };
        match (beginning, self.caller_streams) {
            (Err(error), _) => self.finish(Err(error.with_answer(&reply.head))),
            (Ok(Beginning::Events), _) => self.events(reply).await,
            // Boxed, like everything rare: the future of an open stream is as large as its largest branch.
            (Ok(Beginning::Json), true) => Box::pin(self.document_as_stream(reply)).await,
            (Ok(Beginning::Other), true) => {
                let error = Box::pin(self.not_a_stream(reply)).await;
                self.finish(Err(error))
            }
            (Ok(beginning @ (Beginning::Json | Beginning::Other)), false) => {
                let outcome = self.document(reply, beginning).await;
                self.finish(outcome)
            }
        }
    }

    /// Ends the call, unless the error may be retried: no event has reached the program.
    fn finish(&self, outcome: Result<Response>) -> Option<Error> {
        match outcome {
            Err(error) if self.may_be_retried() => Some(error),
            outcome => {
                self.note(&outcome);
                self.guard.finish(outcome);
                None
            }
        }
    }

    /// Records how the answer ended, for the choice among several services.
    fn note(&self, outcome: &Result<Response>) {
        if let Some(chosen) = self.chosen {
            chosen.ended(outcome.as_ref().err());
        }
    }

    /// An attempt that reported usage was paid, and is not retried.
    fn may_be_retried(&self) -> bool {
        self.may_be_retried && !self.shared.has_reported_usage()
    }

    /// The whole answer of a plain call. A body that is or starts like a document counts as part of an
    /// answer; a web page or an error does not (R-MET1).
    async fn document(&self, reply: &mut Reply, beginning: Beginning) -> Result<Response> {
        let is_begun = matches!(beginning, Beginning::Json);
        let bytes_max = self.shared.settings().limits.response_bytes_max;
        let clock = match is_begun {
            true => self.deadlines.with_content().clock(),
            false => self.deadlines.clock(),
        };
        self.shared.is_document(is_begun);
        let read = body::whole(&mut reply.body, clock, bytes_max).await;
        let mut held = read.map_err(|error| {
            if is_begun {
                self.shared.answer_began();
            }
            error.with_answer(&reply.head)
        })?;
        self.transport.answer_ended(false, &reply.head, &reply.body);
        body::settle(&mut reply.body).await;
        let head = reply.head.clone();
        let (redactor, endpoint) = (self.shared.redactor.clone(), self.prepared.endpoint);
        let bytes = std::mem::take(&mut held.0);
        let judged = offload(bytes.len(), move || judge(&redactor, endpoint, head, bytes)).await;
        let is_part = judged.as_ref().err().is_none_or(|no_answer| no_answer.is_part);
        self.shared.is_document(is_part);
        if is_part {
            self.shared.answer_began();
        }
        judged.map_err(|no_answer| {
            self.shared.chunks_came(0, &no_answer.answered);
            no_answer.error
        })
    }

    /// Delivers a document to a streaming caller: as the chunks of an equivalent stream, then the document
    /// itself at the end.
    async fn document_as_stream(&self, reply: &mut Reply) -> Option<Error> {
        let response = match self.document(reply, Beginning::Json).await {
            Ok(response) => response,
            Err(error) => return self.finish(Err(error)),
        };
        let (endpoint, whole) = (self.prepared.endpoint, response.clone());
        let events = offload(response.json().len(), move || events_of(endpoint, &whole)).await;
        let outcome = match events {
            Ok(mut events) => {
                let chunks = events.iter().filter(|event| matches!(event, Event::Chunk(_)));
                self.shared.chunks_came(chunks.count() as u64, response.answered());
                match self.push(&mut events).await {
                    Pushed { in_time: true, .. } => Ok(response),
                    Pushed { in_time: false, .. } => {
                        Err(self.deadlines.error().with_answer(response.head()))
                    }
                }
            }
            Err(error) => Err(error),
        };
        self.note(&outcome);
        self.guard.finish_stream(outcome);
        None
    }

    /// The error for a success status without events; quotes the start of the body.
    async fn not_a_stream(&self, reply: &mut Reply) -> Error {
        let (text, _) =
            body::excerpt(&self.shared.redactor, &mut reply.body, self.deadlines.clock()).await;
        let head = &reply.head;
        let kind = head.header("content-type").unwrap_or("an unnamed type");
        let message = match text.trim().is_empty() {
            true => "the stream has no content".to_owned(),
            false => {
                format!("the service sent {kind} instead of an event stream: {}", excerpt(&text))
            }
        };
        Error::new(ErrorKind::Protocol, message).with_body(text).with_answer(head)
    }

    /// Pushes the events of a stream, then its end, then drains the body.
    async fn events(&self, reply: &mut Reply) -> Option<Error> {
        let body = &mut reply.body;
        let head = reply.head.clone();
        let opening = self.caller_streams.then(|| Event::Open(head.clone()));
        let wanted = Wanted {
            settings: self.shared.settings().clone(),
            redactor: self.shared.redactor.clone(),
            endpoint: self.prepared.endpoint,
            choices: (self.prepared.choices as usize).max(1),
            chunks: self.caller_streams,
            gathered: !self.caller_streams || self.prepared.options.gather == Some(true),
            content: self.may_be_retried || self.deadlines.content.is_some(),
        };
        let mut reading = Reading::new(wanted, head.clone());
        reading.batch().extend(opening);
        let mut clock = self.deadlines.clock();
        let mut has_begun = false;
        let mut noted = 0;
        let mut held = self.may_be_retried.then(|| HeldEvents::new(self.shared.settings()));
        loop {
            if reading.chunks() != noted {
                noted = reading.chunks();
                self.shared.chunks_came(noted, reading.answered());
            }
            if !has_begun && reading.has_chunks() {
                has_begun = true;
                self.shared.answer_began();
            }
            let holds =
                held.as_mut().is_some_and(|held| held.holds(&mut reading, self.caller_streams));
            if !holds {
                if let Some(held) = held.take() {
                    held.release(reading.batch());
                }
                let pushed = self.push(reading.batch()).await;
                if !pushed.in_time {
                    reading.fail(self.deadlines.error());
                }
                if pushed.was_full {
                    clock.substance(); // the consumer, not the service, took this time
                }
            }
            if reading.is_over() {
                break;
            }
            reading = reading.next_batch(body, &mut clock).await;
        }
        self.transport.answer_ended(true, &head, body);
        let has_ended = body::settle(body).await;
        let outcome = Box::pin(reading.conclude()).await;
        let outcome = match outcome {
            Err(error) if held.is_some() && self.may_be_retried() => return Some(error),
            outcome => outcome,
        };
        self.note(&outcome);
        let returning = (!has_ended).then(|| self.transport.connection_returns());
        self.guard.finish_stream(outcome);
        // The caller does not wait for any of this.
        if returning.is_some() && body::drain(body).await {
            self.transport.answer_ended(true, &head, body);
            body::settle(body).await;
        }
        None
    }

    /// Pushes events, and waits while the queue is full, until the deadline.
    async fn push(&self, events: &mut VecDeque<Event>) -> Pushed {
        let queue = &self.shared.queue;
        let mut full_since = None;
        let push = poll_fn(|cx| {
            let pushed = queue.poll_push(events, cx);
            if pushed.is_pending() {
                full_since.get_or_insert_with(Instant::now);
            }
            pushed
        });
        let in_time = match self.deadlines.deadline {
            Some(deadline) => timeout_at(deadline, push).await.is_ok(),
            None => {
                push.await;
                true
            }
        };
        if !in_time {
            queue.push_all(events);
        }
        if let Some(since) = full_since {
            self.shared.waited_for_consumer(since.elapsed());
        }
        Pushed { was_full: full_since.is_some(), in_time }
    }
}

/// The events of a stream before its first content, while the call may still be retried; within the bounds
/// of a queue.
struct HeldEvents {
    events: VecDeque<Event>,
    bytes: usize,
    events_max: usize,
    bytes_max: usize,
}

impl HeldEvents {
    fn new(settings: &Settings) -> HeldEvents {
        let Limits { queue_events_max, queue_bytes_max, .. } = settings.limits;
        let (events_max, bytes_max) = (queue_events_max, queue_bytes_max);
        HeldEvents { events: VecDeque::new(), bytes: 0, events_max, bytes_max }
    }

    /// Takes the events that were read, unless they are to be pushed. A plain caller gets none of them.
    fn holds(&mut self, reading: &mut Reading, caller_streams: bool) -> bool {
        if !caller_streams {
            return true;
        }
        let (has_content, is_whole, batch) =
            (reading.has_content(), reading.is_whole(), reading.batch());
        self.bytes += batch.iter().map(Event::cost).sum::<usize>();
        let is_full = self.events.len() + batch.len() > self.events_max;
        if has_content || is_whole || is_full || self.bytes > self.bytes_max {
            return false;
        }
        self.events.append(batch);
        true
    }

    /// Puts the events back in front of a batch.
    fn release(mut self, batch: &mut VecDeque<Event>) {
        self.events.append(batch);
        *batch = self.events;
    }
}

#[cfg(test)]
#[path = "exchange_tests.rs"]
mod tests;
