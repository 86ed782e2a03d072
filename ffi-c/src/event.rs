//! One event for C, lent to a callback or taken from a queue: a chunk of a stream, how a call ended,
//! what it tells of itself, or a record of the log. Knows no queue.

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
/// The last event of a call that ended well.
pub const MODELWIRE_EVENT_RESPONSE: i32 = 2;
/// The last event of a call that failed, was cancelled, or could not begin.
pub const MODELWIRE_EVENT_ERROR: i32 = 3;
/// A record of the log; belongs to no call.
pub const MODELWIRE_EVENT_LOG: i32 = 4;
/// The record of a call that has ended, in the function of modelwire_client_on_call and in queues with
/// modelwire_queue_follow_calls.
pub const MODELWIRE_EVENT_CALL: i32 = 5;

/// One event; immutable, may be shared between threads.
pub struct modelwire_event {
    tag: u64,
    what: What,
    /// Made when it is asked for, and rarely.
    extra: OnceLock<Box<Extra>>,
}

enum What {
    Chunk(Chunk, Piece),
    // In boxes: nearly every event is a chunk, and is small.
    Response(Box<Marked<modelwire_response>>),
    Error(Box<Marked<modelwire_error>>),
    Log(Box<Line>),
    Call(Box<Record>),
}

/// The record of a call; its texts are made when they are asked for.
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

/// What is known of an event beside its text.
#[derive(Default)]
struct Extra {
    value: Lent,
    info: Lent,
}

/// A text of up to so many bytes is stored in the event itself.
const PIECE_BYTES: usize = 31;

/// The text that a chunk adds, for C. Mostly it is a few bytes, which are stored in the event and
/// need no allocation: the event does not move any more once C has it.
enum Piece {
    Short {
        bytes: [u8; PIECE_BYTES + 1],
        length: u8,
    },
    /// Made ready when it is asked for.
    Long(OnceLock<Text>),
}

impl Piece {
    fn of(chunk: &Chunk) -> Piece {
        let text = chunk.text();
        let mut bytes = [0; PIECE_BYTES + 1]; // the NUL behind it is there
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

    /// `None` for one that C is not given.
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

    fn kind(&self) -> i32 {
        match self.what {
            What::Chunk(..) => MODELWIRE_EVENT_CHUNK,
            What::Response(_) => MODELWIRE_EVENT_RESPONSE,
            What::Error(_) => MODELWIRE_EVENT_ERROR,
            What::Log(_) => MODELWIRE_EVENT_LOG,
            What::Call(_) => MODELWIRE_EVENT_CALL,
        }
    }

    fn text(&self) -> Option<Ready<'_>> {
        match &self.what {
            What::Chunk(chunk, piece) => piece.ready(chunk),
            What::Response(response) => Some(response.get().text()),
            What::Error(error) => Some(error.get().message()),
            What::Log(line) => Some(line.message.ready()),
            What::Call(_) => Some(Ready::new(b"\0")),
        }
    }

    fn json(&self) -> Ready<'_> {
        match &self.what {
            What::Chunk(chunk, _) => Ready::new(chunk.json_and_nul().as_bytes()),
            What::Response(response) => response.get().json(),
            What::Error(error) => error.get().json(),
            What::Log(line) => line.json.ready(),
            What::Call(record) => record.json().ready(),
        }
    }

    fn name(&self) -> Ready<'_> {
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

/// Frees an event that was taken from a queue. Does nothing to one that a callback is given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_free(event: *mut modelwire_event) {
    free(event);
}

/// MODELWIRE_EVENT_...; 0 for NULL. Kinds may be added: skip what you do not know. The last event of a
/// call is of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, always.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_kind(event: *const modelwire_event) -> i32 {
    guard_or(0, || borrow(event).map_or(0, modelwire_event::kind))
}

/// The tag of its call in the queue; 0 in a callback and for NULL.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_tag(event: *const modelwire_event) -> u64 {
    guard_or(0, || borrow(event).map_or(0, |event| event.tag))
}

/// What a person reads of it. Of a chunk the piece of output text that it adds: the content of a
/// chat's first choice, or an output text delta of a response; empty for every other chunk. Of a
/// response its whole text, of an error and of the log the message; of the record of a call nothing.
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

/// What a program reads of it. Of a chunk and of a response the JSON text as the service sent it
/// (empty at the end of a stream that was not gathered); of an error what modelwire_error_json gives;
/// of the log an object with "level" ("error" to "trace"), "target", "message" and "unix_ms".
///
/// Of the record of a call an object, without the key, whose texts of the service are cut after 1024
/// bytes. Times are whole microseconds counted from the start of the call; what there is none of is
/// null. Members:
///
/// "start_unix_ms", when the call was started, in milliseconds since 1970; "operation", "models", "chat"
/// or "responses"; "path" of the request; "model" that was asked for; "streamed", whether the caller
/// asked for a stream; "attempts", the last 32 of them (see below); "attempts_count", of all; "waits", the
/// last 32, objects with "reason" ("retry", the time before another attempt; "connection", one of
/// connections_max; "turn", behind other calls where retrying is adaptive; "reuse", a moment in which the
/// service may close a connection that carried a stream just now), "start_us" and "length_us";
/// "waits_count", of all; "first_chunk_us" and "last_chunk_us", when these were read, also where they are
/// gathered only; "chunks", how many came; "chunk_times_us", when each was read, the first 16384, with the
/// option chunk_times, else empty; "elapsed_us", the end; "kind", the name of the status that it failed
/// with; "status", the HTTP status; "request_id", the service's name for the exchange; "response_id",
/// "response_model" and "finish_reason", what the answer says of itself, also one that broke off;
/// "usage", as modelwire_response_info has it; "metered", whether the call may have been metered:
/// "not_sent", "normally_not", "entered" or "unknown"; "bytes_out" and "bytes_in", of the bodies of all
/// attempts, as they were on the wire; "cancelled_by", who ended it before its end: "program", "dropped"
/// (what held it was freed), "closed" (its client), "shutdown".
///
/// An attempt is an object with "start_us"; "address", what it was connected to, a proxy maybe; "reused",
/// whether the connection was there before; how long its own connection took, "dns_us" to look the host up,
/// "connect_us" with what a proxy took and "tls_us" for the handshake; "head_us", when the head of the
/// answer was complete; "first_byte_us", when the first byte of its body came; "end_us"; "status"; "kind".
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

/// The name of the server-sent event, "response.completed" for instance; empty where there was none,
/// as in chat streams. Of the log who says it: "modelwire", or a library below it.
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

/// The fields of modelwire_event_json, to be read by path; borrowed. NULL for NULL.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_value(
    event: *const modelwire_event,
) -> *const modelwire_value {
    guard_or(null(), || borrow(event).map_or(null(), modelwire_event::value))
}

/// What the library knows of it, as a JSON object to be read by path; borrowed. NULL for NULL. Of a
/// response what modelwire_response_info gives, of an error what modelwire_error_json gives; of the record
/// of a call an object with "dropped", how many records found no room since the one before. Of a
/// chunk, null where there is none:
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
