//! Converts the events of one stream into chunks and the gathered answer, and decides whether the stream
//! ended completely (R-STR7).

use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use crate::answer::error::{Error, Result};
use crate::answer::error_kind::ErrorKind;
use crate::answer::head::Head;
use crate::answer::record::Answered;
use crate::answer::redactor::Redactor;
use crate::answer::response::{End, Response};
use crate::call::queue::Event;
use crate::driver::offload::drop_elsewhere;
use crate::options::config::SharedSettings;
use crate::protocol::accumulate::Gatherer;
use crate::protocol::choice::Choice;
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::slab::Slab;
use crate::protocol::sse::Sink;
use crate::protocol::value::{Value, without_blanks};

/// Marks the end of a stream (R-STR3).
const DONE_MARK: &str = "[DONE]";

const STRAY_HINT: &str = "Each line of a stream is `data: ` followed by JSON. A proxy in between may have \
    altered the stream; only part of the answer arrived.";
const NOTHING_HINT: &str = "No part of an answer arrived: check that base_url names an OpenAI-compatible \
    service, or try again.";
const INDENTED_HINT: &str =
    "There is white space before the field: a line of a stream begins with `data: `.";
const LINES_HINT: &str = "The event's data lines together are not JSON. If each was meant as an event, the \
    blank line between them is missing.";

/// The answer's id is looked for in this many chunks: some services start with a chunk that has none.
const NAMED_WITHIN: u64 = 4;

/// What the call needs from a stream.
pub(crate) struct Wanted {
    pub(crate) settings: SharedSettings,
    pub(crate) redactor: Redactor,
    pub(crate) endpoint: Endpoint,
    /// The number of choices that the request asks for.
    pub(crate) choices: usize,
    /// The caller receives the chunks.
    pub(crate) chunks: bool,
    /// The whole answer is gathered from the chunks.
    pub(crate) gathered: bool,
    /// The call needs to know when content arrives.
    pub(crate) content: bool,
}

/// The parsed events that were not yet pushed, and how the stream ended.
pub(crate) struct StreamEvents {
    wanted: Wanted,
    head: Arc<Head>,
    /// Gathers the whole answer, if wanted.
    gathering: Gathering,
    /// Scanned events that are not judged yet.
    slab: Slab,
    batch: VecDeque<Event>,
    /// The metadata that the stream has reported so far.
    answered: Answered,
    /// The choices with a finish reason; at most as many as requested.
    finished_choices: HashSet<u32>,
    count: u64,
    /// The number of chunks that arrived.
    chunks: u64,
    /// A chunk contained a part of an answer.
    has_parts: bool,
    /// A chunk contained content, or nobody asks.
    has_content: bool,
    /// The first line with an unknown field, redacted.
    ignored: Option<String>,
    ending: Option<StreamEnd>,
}

/// How a stream ended.
enum StreamEnd {
    Whole(End),
    Failed(Error),
}

/// A gatherer whose data, if large, is not dropped on the I/O thread.
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

impl StreamEvents {
    pub(crate) fn new(wanted: Wanted, head: Arc<Head>) -> StreamEvents {
        let bytes_max = wanted.settings.limits.response_bytes_max;
        let gatherer = wanted.gathered.then(|| Gatherer::new(wanted.endpoint, bytes_max));
        StreamEvents {
            gathering: Gathering(gatherer),
            has_content: !wanted.content,
            wanted,
            slab: Slab::default(),
            batch: VecDeque::new(),
            head,
            answered: Answered::default(),
            finished_choices: HashSet::new(),
            count: 0,
            chunks: 0,
            has_parts: false,
            ignored: None,
            ending: None,
        }
    }

    /// The size of the gathered answer.
    pub(crate) fn gathered_bytes(&self) -> usize {
        self.gathering.bytes()
    }

    /// The number of events that arrived.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Whether part of the answer arrived: a chunk, not only an error or an end mark (R-MET1).
    pub(crate) fn has_chunks(&self) -> bool {
        self.chunks > 0
    }

    /// Whether content arrived; always true if nobody asked for it.
    pub(crate) fn has_content(&self) -> bool {
        self.has_content
    }

    /// The number of chunks that arrived.
    pub(crate) fn chunks(&self) -> u64 {
        self.chunks
    }

    /// The metadata that the stream has reported so far.
    pub(crate) fn answered(&self) -> &Answered {
        &self.answered
    }

    /// Whether the stream has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.ending.is_some()
    }

    /// Whether the stream has ended completely.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self.ending, Some(StreamEnd::Whole(_)))
    }

    /// The events to push.
    pub(crate) fn batch(&mut self) -> &mut VecDeque<Event> {
        &mut self.batch
    }

    /// Ends the stream with an error, unless an earlier event ends it.
    pub(crate) fn fail(&mut self, error: Error) {
        self.seal();
        if self.ending.is_none() {
            self.ending = Some(StreamEnd::Failed(error));
        }
    }

    fn succeed(&mut self, end: End) {
        if self.ending.is_none() {
            self.ending = Some(StreamEnd::Whole(end));
        }
    }

    /// The outcome of the stream.
    pub(crate) fn conclude(self) -> Result<Response> {
        let gatherer = self.gathering.0.as_ref();
        match self.ending {
            Some(StreamEnd::Whole(end)) => {
                let gathered = gatherer.map(|gatherer| Document::scan(&gatherer.json()));
                let document = gathered.transpose().map_err(|cause| {
                    Error::internal(format!("the accumulated answer is not JSON: {cause}"))
                })?;
                let endpoint = self.wanted.endpoint;
                Ok(Response::streamed(endpoint, self.head.clone(), self.answered, end, document))
            }
            Some(StreamEnd::Failed(error)) => {
                let json = gatherer.filter(|gatherer| !gatherer.is_empty()).map(Gatherer::json);
                let masked = json.map(|json| self.wanted.redactor.mask_answer(&json).into_owned());
                let error = match masked.filter(|json| Value::parse(json).is_ok()) {
                    Some(partial) => error.with_partial(partial),
                    None => error,
                };
                Err(error.with_answer(&self.head))
            }
            None => Err(Error::internal("the stream was closed before its end")),
        }
    }

    /// The error in an event.
    fn error_of(&self, data: &str) -> Error {
        self.wanted.redactor.error_in(data)
    }

    /// Adds an event; events after the end are ignored (R-STR3).
    fn add(&mut self, name: &str, data: &[u8]) {
        let text = data.get(without_blanks(data)).unwrap_or_default();
        let is_error = name == "error";
        if self.ending.is_some() || (text.is_empty() && !is_error) {
            return;
        }
        if text.starts_with(DONE_MARK.as_bytes()) {
            self.seal();
            return self.done();
        }
        self.count += 1;
        if let Err(cause) = self.slab.add(name, data) {
            let data = &String::from_utf8_lossy(text);
            // An event named `error` is one, JSON or not (R-ERR6).
            if is_error {
                return self.fail(self.error_of(data));
            }
            let quoted = self.wanted.redactor.quote(data);
            let message = format!("an event of the stream is not JSON ({cause}): {quoted}");
            let error = Error::new(ErrorKind::Protocol, message).with_body(quoted);
            self.fail(match data.contains('\n') {
                true => error.with_hint(LINES_HINT),
                false => error,
            });
        } else if self.slab.is_full() {
            self.seal();
        }
    }

    /// Handles the end mark. It does not end an answer of which no part arrived (R-STR7).
    fn done(&mut self) {
        if self.has_parts {
            if self.is_chat_without_reason() {
                let events = self.count;
                tracing::warn!(target: "modelwire", events, "the stream ended without a finish reason");
            }
            return self.succeed(End::DoneMark);
        }
        let message = match self.count {
            0 => "the stream's end mark came before any event".to_owned(),
            count => format!("the stream's end mark came after {count} events without an answer"),
        };
        self.fail(self.incomplete(message));
    }

    /// Whether this is a chat that has not ended and of which no choice has finished.
    fn is_chat_without_reason(&self) -> bool {
        let is_chat = self.wanted.endpoint == Endpoint::Chat;
        is_chat && self.finished_choices.is_empty() && self.ending.is_none()
    }

    fn incomplete(&self, message: String) -> Error {
        let error = Error::new(ErrorKind::Incomplete, message);
        if self.has_parts { error } else { error.with_hint(NOTHING_HINT) }
    }

    /// Treats a line without `data: ` as an event if it could be one: it is part of what was metered
    /// (R-STR2). Broken JSON and a misspelt `data:` are errors, because ignoring them would lose parts of
    /// the answer.
    fn add_stray(&mut self, name: &str, line: &[u8]) {
        if self.ending.is_some() {
            return;
        }
        if is_whole_bytes(line) {
            return self.add(name, line);
        }
        let line = String::from_utf8_lossy(line);
        self.seal();
        let quoted = self.wanted.redactor.quote(line.trim());
        let message = format!("a line of the stream is neither a field nor JSON: {quoted}");
        let error = Error::new(ErrorKind::Protocol, message).with_body(quoted);
        let is_indented = line.starts_with([' ', '\t']) && line.trim_start().starts_with("data:");
        self.fail(error.with_hint(if is_indented { INDENTED_HINT } else { STRAY_HINT }));
    }

    /// The number of events that were read and not pushed.
    pub(crate) fn waiting(&self) -> usize {
        self.batch.len() + self.slab.len()
    }

    /// Judges the scanned events in order, up to the stream's end.
    pub(crate) fn seal(&mut self) {
        for chunk in Chunk::seal(&mut self.slab) {
            if self.ending.is_some() {
                break;
            }
            self.chunk(chunk);
        }
    }

    fn chunk(&mut self, chunk: Chunk) {
        let mut is_final = false;
        if chunk.only_adds() {
            self.has_parts = true;
        } else if chunk.is_error() {
            return self.fail(self.error_of(chunk.json()));
        } else {
            is_final = self.judge(&chunk);
        }
        if self.answered.response_id.is_none() && self.chunks < NAMED_WITHIN {
            let (id, model) = chunk.names();
            self.answered.response_id = id;
            self.answered.response_model = self.answered.response_model.take().or(model);
        }
        self.chunks += 1;
        self.has_content = self.has_content || chunk.has_content();
        let gatherer = self.gathering.0.as_mut();
        if let Some(Err(too_large)) = gatherer.map(|gatherer| gatherer.add(chunk.value())) {
            return self.fail(Error::too_large(too_large.to_string()));
        }
        if self.wanted.chunks {
            self.batch.push_back(Event::Chunk(chunk));
        }
        if is_final {
            self.succeed(End::FinalEvent);
        }
    }

    /// Notes what a chunk says of the answer. Returns whether it ends the stream.
    fn judge(&mut self, chunk: &Chunk) -> bool {
        if let Some(usage) = chunk.usage() {
            self.answered.usage = Some(usage);
        }
        for choice in chunk.choices().filter(Choice::is_finished) {
            if choice.index() == 0 || self.answered.finish_reason.is_none() {
                self.answered.finish_reason = choice.finish_reason().map(Cow::into_owned);
            }
            if self.finished_choices.len() >= self.wanted.choices {
                break; // all are known to be finished
            }
            self.finished_choices.insert(choice.index());
        }
        self.has_parts = self.has_parts || chunk.has_part();
        let is_final = chunk.is_final_response();
        if is_final {
            self.answered.finish_reason = chunk.response_status();
        }
        is_final
    }

    /// Without an end mark, a chat is complete only if every choice has finished (R-STR7).
    pub(crate) fn body_ended(&mut self, was_cut: bool) {
        self.seal();
        if self.ending.is_some() {
            return;
        }
        let is_chat = self.wanted.endpoint == Endpoint::Chat;
        if is_chat && !was_cut && self.finished_choices.len() >= self.wanted.choices {
            return self.succeed(End::FinishReasons);
        }
        let message = match self.count {
            _ if was_cut => "the stream ended in the middle of an event".to_owned(),
            0 => "the stream ended without a single event".to_owned(),
            count => format!("the stream ended without its end mark after {count} events"),
        };
        // That line may contain the service's reason.
        let message = match &self.ignored {
            Some(line) => format!("{message}; it has a line with an unknown field: {line}"),
            None => message,
        };
        self.fail(self.incomplete(message));
    }
}

/// Whether a line is an event by itself: JSON or the end mark.
fn is_whole(data: &str) -> bool {
    data == DONE_MARK || Value::parse(data).is_ok()
}

fn is_whole_bytes(data: &[u8]) -> bool {
    is_whole(String::from_utf8_lossy(data).trim())
}

impl Sink for StreamEvents {
    const IS_LENIENT: bool = true;

    fn event(&mut self, name: &str, data: &[u8]) {
        self.add(name, data);
    }

    fn is_whole(&self, data: &[u8]) -> bool {
        is_whole_bytes(data)
    }

    /// The rest of the line does not matter: it may not have arrived yet, and no JSON starts like this.
    fn is_end(&self, data: &[u8]) -> bool {
        data.starts_with(DONE_MARK.as_bytes())
    }

    fn stray(&mut self, name: &str, line: &[u8]) {
        self.add_stray(name, line);
    }

    /// The SSE grammar ignores it. Logged once, without its text, in case it was a misspelt `data`.
    fn unknown_field(&mut self, line: &[u8]) {
        if self.ending.is_some() || self.ignored.is_some() {
            return;
        }
        let line = self.wanted.redactor.quote(&String::from_utf8_lossy(line));
        let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_');
        let field = line.split(':').next().filter(|name| name.bytes().all(is_plain));
        tracing::warn!(target: "modelwire", field, "the stream has lines with an unknown field");
        self.ignored = Some(line);
    }
}

/// Handles what is buffered when the body ends: the SSE grammar drops an event without its blank line. A
/// whole JSON value, `[DONE]` and an event named `error` (R-ERR6) are complete nonetheless; anything else
/// was cut.
pub(crate) struct EndOfBody<'a> {
    events: &'a mut StreamEvents,
    /// An incomplete event, cut by the end of the body unless another one follows.
    unfinished: Option<(String, Vec<u8>)>,
    /// There is an incomplete line.
    has_cut_line: bool,
}

impl EndOfBody<'_> {
    pub(crate) fn new(events: &mut StreamEvents) -> EndOfBody<'_> {
        EndOfBody { events, unfinished: None, has_cut_line: false }
    }

    /// Whether the end of the body cut off an event.
    pub(crate) fn was_cut(self) -> bool {
        self.has_cut_line || self.unfinished.is_some()
    }

    /// If something follows an unfinished event, it was not cut: it is judged like any other.
    fn judge_unfinished(&mut self) {
        if let Some((name, data)) = self.unfinished.take() {
            self.events.add(&name, &data);
        }
    }
}

impl Sink for EndOfBody<'_> {
    const IS_LENIENT: bool = true;

    fn event(&mut self, name: &str, data: &[u8]) {
        self.judge_unfinished();
        let text = String::from_utf8_lossy(data);
        let text = text.trim();
        if text.starts_with(DONE_MARK) || is_whole(text) {
            self.events.add(name, data);
        } else if name == "error" {
            let text = self.events.wanted.redactor.without_half(text).into_owned();
            self.events.add(name, text.as_bytes());
        } else if !text.is_empty() {
            self.unfinished = Some((name.to_owned(), data.to_owned()));
        }
    }

    fn is_whole(&self, data: &[u8]) -> bool {
        is_whole_bytes(data)
    }

    fn is_end(&self, data: &[u8]) -> bool {
        self.events.is_end(data)
    }

    fn stray(&mut self, name: &str, line: &[u8]) {
        self.judge_unfinished();
        if is_whole_bytes(line) {
            self.events.add(name, line);
        } else {
            self.has_cut_line |= !String::from_utf8_lossy(line).trim().is_empty();
        }
    }

    fn unknown_field(&mut self, line: &[u8]) {
        const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];
        // The beginning of a known field name has lost no content.
        if !FIELDS.iter().any(|field| field.starts_with(line)) {
            let line = String::from_utf8_lossy(line);
            let line = self.events.wanted.redactor.without_half(&line).into_owned();
            self.events.unknown_field(line.as_bytes());
        }
    }
}

#[cfg(test)]
#[path = "stream_events_tests.rs"]
mod tests;
