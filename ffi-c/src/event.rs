//! One event for C, lent to a callback or taken from a queue: a chunk of a stream, the end of a call,
//! the record of a call, or a record of the log.

use std::ffi::c_char;
use std::ptr::null;
use std::sync::OnceLock;

use modelwire_core::log;
use modelwire_core::{CallEnded, Chunk, Error, Event, Response};

use crate::boundary::{Handle, Marked, borrow, free, guard_or};
use crate::error::modelwire_error;
use crate::response::modelwire_response;
use crate::text::{Ready, Text, give};
use crate::value::{Lent, modelwire_value};

/// One chunk of a streamed response.
pub const MODELWIRE_EVENT_CHUNK: i32 = 1;
/// The last event of a call that succeeded.
pub const MODELWIRE_EVENT_RESPONSE: i32 = 2;
/// The last event of a call that failed, was cancelled, or could not start.
pub const MODELWIRE_EVENT_ERROR: i32 = 3;
/// A record of the log; does not belong to a call.
pub const MODELWIRE_EVENT_LOG: i32 = 4;
/// The record of a call that has ended, for the callback of modelwire_client_on_call and in queues with
/// modelwire_queue_follow_calls.
pub const MODELWIRE_EVENT_CALL: i32 = 5;

/// One event; immutable, may be shared between threads.
pub struct modelwire_event {
    tag: u64,
    what: What,
    /// Made on request, which is rare.
    extra: OnceLock<Box<Extra>>,
}

enum What {
    Chunk(Chunk, Piece),
    // Boxed: nearly every event is a chunk, which is small.
    Response(Box<Marked<modelwire_response>>),
    Error(Box<Marked<modelwire_error>>),
    Log(Box<Line>),
    Call(Box<Record>),
}

/// The record of a call; its texts are made on request.
struct Record {
    ended: CallEnded,
    json: OnceLock<Text>,
}

impl Record {
    fn json(&self) -> &Text {
        self.json.get_or_init(|| Text::new(&self.ended.record.to_json()))
    }
}

/// A record of the log.
struct Line {
    target: Text,
    message: Text,
    json: Text,
}

/// Values of an event other than its text.
#[derive(Default)]
struct Extra {
    value: Lent,
    info: Lent,
}

/// Texts of up to this many bytes are stored in the event itself.
const PIECE_BYTES: usize = 31;

/// The text that a chunk adds, for C. Usually it is a few bytes, which are stored in the event without
/// an allocation: the event does not move once C has it.
enum Piece {
    Short {
        bytes: [u8; PIECE_BYTES + 1],
        length: u8,
    },
    /// Made on request.
    Long(OnceLock<Text>),
}

impl Piece {
    fn of(chunk: &Chunk) -> Piece {
        let text = chunk.text();
        let mut bytes = [0; PIECE_BYTES + 1]; // includes the NUL at the end
        match bytes.get_mut(..text.len()) {
            Some(place) if text.len() <= PIECE_BYTES => {
                place.copy_from_slice(text.as_bytes());
                Piece::Short { bytes, length: text.len() as u8 }
            }
            _ => Piece::Long(OnceLock::new()),
        }
    }

    fn ready(&self, chunk: &Chunk) -> Option<Ready<'_>> {
        match self {
            Piece::Short { bytes, length } => bytes.get(..=usize::from(*length)).map(Ready::new),
            Piece::Long(text) => Some(text.get_or_init(|| Text::new(&chunk.text())).ready()),
        }
    }
}

impl Handle for modelwire_event {
    const NAME: &'static str = "event";
}

impl modelwire_event {
    fn new(tag: u64, what: What) -> modelwire_event {
        modelwire_event { tag, what, extra: OnceLock::new() }
    }

    /// `None` for an event that is not passed to C.
    pub(crate) fn of(tag: u64, event: Event) -> Option<modelwire_event> {
        Some(match event {
            Event::Chunk(chunk) => modelwire_event::chunk(tag, chunk),
            Event::Done(outcome) => modelwire_event::done(tag, outcome),
            Event::Open(_) => return None,
        })
    }

    pub(crate) fn chunk(tag: u64, chunk: Chunk) -> modelwire_event {
        let piece = Piece::of(&chunk);
        modelwire_event::new(tag, What::Chunk(chunk, piece))
    }

    fn done(tag: u64, outcome: Result<Response, Error>) -> modelwire_event {
        let what = match outcome {
            Ok(response) => {
                What::Response(Box::new(Marked::new(modelwire_response::new(response))))
            }
            Err(error) => What::Error(Box::new(Marked::new(modelwire_error::new(error)))),
        };
        modelwire_event::new(tag, what)
    }

    pub(crate) fn log(tag: u64, record: &log::Record) -> modelwire_event {
        let line = Line {
            target: Text::new(&record.target),
            message: Text::new(&record.message),
            json: Text::new(&record.to_json()),
        };
        modelwire_event::new(tag, What::Log(Box::new(line)))
    }

    pub(crate) fn call(tag: u64, ended: CallEnded) -> modelwire_event {
        modelwire_event::new(tag, What::Call(Box::new(Record { ended, json: OnceLock::new() })))
    }

    pub(crate) fn tag(&self) -> u64 {
        self.tag
    }

    pub(crate) fn kind(&self) -> i32 {
        match self.what {
            What::Chunk(..) => MODELWIRE_EVENT_CHUNK,
            What::Response(_) => MODELWIRE_EVENT_RESPONSE,
            What::Error(_) => MODELWIRE_EVENT_ERROR,
            What::Log(_) => MODELWIRE_EVENT_LOG,
            What::Call(_) => MODELWIRE_EVENT_CALL,
        }
    }

    pub(crate) fn text(&self) -> Option<Ready<'_>> {
        match &self.what {
            What::Chunk(chunk, piece) => piece.ready(chunk),
            What::Response(response) => Some(response.get().text()),
            What::Error(error) => Some(error.get().message()),
            What::Log(line) => Some(line.message.ready()),
            What::Call(_) => Some(Ready::new(b"\0")),
        }
    }

    pub(crate) fn json(&self) -> Ready<'_> {
        match &self.what {
            What::Chunk(chunk, _) => Ready::new(chunk.json_and_nul().as_bytes()),
            What::Response(response) => response.get().json(),
            What::Error(error) => error.get().json(),
            What::Log(line) => line.json.ready(),
            What::Call(record) => record.json().ready(),
        }
    }

    pub(crate) fn name(&self) -> Ready<'_> {
        match &self.what {
            What::Chunk(chunk, _) => Ready::new(chunk.event_and_nul().as_bytes()),
            What::Response(_) | What::Error(_) | What::Call(_) => Ready::new(b"\0"),
            What::Log(line) => line.target.ready(),
        }
    }

    fn extra(&self) -> &Extra {
        self.extra.get_or_init(Box::default)
    }

    fn value(&self) -> *const modelwire_value {
        match &self.what {
            What::Chunk(chunk, _) => self.extra().value.get(|| modelwire_value::of_chunk(chunk)),
            What::Response(response) => response.get().value(),
            What::Error(error) => error.get().value(),
            What::Log(line) => self.of_line(line),
            What::Call(record) => {
                let value = || modelwire_value::of_json(record.json().as_str().to_owned());
                self.extra().value.get(value)
            }
        }
    }

    fn info(&self) -> *const modelwire_value {
        match &self.what {
            What::Chunk(chunk, _) => {
                self.extra().info.get(|| modelwire_value::of_json(chunk.info_json()))
            }
            What::Response(response) => response.get().info(),
            What::Error(error) => error.get().value(),
            What::Log(line) => self.of_line(line),
            What::Call(record) => {
                let info = || modelwire_value::of_json(record.ended.info_json());
                self.extra().info.get(info)
            }
        }
    }

    fn of_line(&self, line: &Line) -> *const modelwire_value {
        self.extra().value.get(|| modelwire_value::of_json(line.json.as_str().to_owned()))
    }
}

/// Frees an event that was taken from a queue. Does nothing to an event that a callback received.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_free(event: *mut modelwire_event) {
    free(event);
}

/// The kind of an event, MODELWIRE_EVENT_...; 0 for NULL. Kinds may be added: skip unknown ones. The
/// last event of a call is always of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_kind(event: *const modelwire_event) -> i32 {
    guard_or(0, || borrow(event).map_or(0, modelwire_event::kind))
}

/// The tag of the event's call in the queue; 0 in a callback and for NULL.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_tag(event: *const modelwire_event) -> u64 {
    guard_or(0, || borrow(event).map_or(0, modelwire_event::tag))
}

/// The event's human-readable text. For a chunk, the output text that it adds: the content of a chat's
/// first choice, or an output text delta of a response; empty for other chunks. For a response, its
/// whole text; for an error and a log record, the message; for the record of a call, the empty string.
///
/// @param event   the event
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_text(
    event: *const modelwire_event,
    length: *mut usize,
) -> *const c_char {
    give(event, length, modelwire_event::text)
}

/// The event's machine-readable JSON text. For a chunk and a response, the text as the service sent it
/// (empty at the end of a stream that was not gathered); for an error, what modelwire_error_json
/// returns; for a log record, an object with "level" ("error" to "trace"), "target", "message" and
/// "unix_ms".
///
/// For the record of a call, an object without the API key; texts from the service are truncated to
/// 1024 bytes. Times are whole microseconds since the start of the call; absent values are null.
/// Members:
///
/// "start_unix_ms", when the call was started, in milliseconds since 1970; "operation", "models",
/// "chat" or "responses"; "path" of the request; "model", the requested model; "streamed", whether the
/// caller requested a stream; "attempts", the last 32 of them (see below); "attempts_count", how many
/// there were in all; "waits", the last 32, objects with "reason" ("retry", the delay before another
/// attempt; "connection", for a free connection under connections_max; "turn", behind other calls of
/// the client with retry_adaptive; "reuse", a short delay in which the service may close a connection
/// that has just carried a stream), "start_us" and "length_us"; "waits_count", how many there were in
/// all; "first_chunk_us" and "last_chunk_us", when these were read, even if chunks are only gathered;
/// "chunks", the number of chunks; "chunk_times_us", when each was read, for the first 16384, with the
/// option chunk_times, otherwise empty; "consumer_wait_us", how long the stream was not read any further
/// because its queue was full; "elapsed_us", when the call ended; "bottleneck", where most of this time
/// went, or where the call failed: "queue" (of the client), "retry", "dns", "connect", "proxy", "tls",
/// "service" (before its answer began), "stream" or "consumer"; "kind", the kind of its error as
/// modelwire_status_name names it; "status", the HTTP status; "request_id", the service's
/// identifier of the request; "response_id", "response_model" and "finish_reason", as the answer states
/// them, even if it was truncated; "usage", as in modelwire_response_info; "metered", whether the call
/// may have been metered, that is, counted by the service for billing: "not_sent", "normally_not",
/// "entered" (part of an answer arrived) or "unknown"; "bytes_out" and "bytes_in", of the bodies of all
/// attempts, as transferred; "cancelled_by", who ended it early: "program", "dropped" (its handle was
/// freed), "closed" (its client), "shutdown".
///
/// An attempt is an object with "start_us"; "base_url", where it was sent, if the client has several
/// (base_urls); "address", the peer of the connection, possibly a proxy;
/// "reused", whether the connection already existed; the time that a new connection took, "dns_us" for
/// the DNS lookup, "connect_us" including the proxy's part, and "tls_us" for the handshake; "head_us",
/// when the response headers were complete; "first_byte_us", when the first byte of the body arrived;
/// "end_us"; "status"; "kind".
///
/// @param event   the event
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_json(
    event: *const modelwire_event,
    length: *mut usize,
) -> *const c_char {
    give(event, length, |event| Some(event.json()))
}

/// The name of the server-sent event, "response.completed" for instance; empty if it had none, as in
/// chat streams. For a log record, its source: "modelwire", or a library that it uses.
///
/// @param event   the event
/// @param length  its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_name(
    event: *const modelwire_event,
    length: *mut usize,
) -> *const c_char {
    give(event, length, |event| Some(event.name()))
}

/// The fields of modelwire_event_json, to read by path; borrowed. NULL for NULL.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_value(
    event: *const modelwire_event,
) -> *const modelwire_value {
    guard_or(null(), || borrow(event).map_or(null(), modelwire_event::value))
}

/// What the library knows about the event, as a JSON object to read by path; borrowed. NULL for NULL.
/// For a response, what modelwire_response_info returns; for an error, what modelwire_error_json
/// returns; for the record of a call, an object with "dropped", the number of records dropped since the
/// previous one. For a chunk, with null for absent members:
///
/// @accessors chunk
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_info(
    event: *const modelwire_event,
) -> *const modelwire_value {
    guard_or(null(), || borrow(event).map_or(null(), modelwire_event::info))
}

/// The response of an event of kind MODELWIRE_EVENT_RESPONSE, borrowed; NULL for every other one.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_response(
    event: *const modelwire_event,
) -> *const modelwire_response {
    guard_or(null(), || match borrow(event).map(|event| &event.what) {
        Ok(What::Response(response)) => response.lend(),
        _ => null(),
    })
}

/// The error of an event of kind MODELWIRE_EVENT_ERROR, borrowed; NULL for every other one.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_error(
    event: *const modelwire_event,
) -> *const modelwire_error {
    guard_or(null(), || match borrow(event).map(|event| &event.what) {
        Ok(What::Error(error)) => error.lend(),
        _ => null(),
    })
}
