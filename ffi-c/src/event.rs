//! One event of a call for C, lent to a callback or taken from a queue: a chunk of a stream, or how
//! the call ended.

use std::ffi::c_char;
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use modelwire_core::{Choice, Chunk, Error, Response, ToolCall};

use crate::boundary::{Handle, borrow, free, guard_or, write};
use crate::error::{guard, modelwire_error};
use crate::response::modelwire_response;
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};
use crate::text::{Made, Parent, Ready, Text, texts};

/// An event of a stream: one chunk of the response.
pub const MODELWIRE_EVENT_CHUNK: i32 = 1;
/// The last event of a call: modelwire_event_response or modelwire_event_error says how it ended.
pub const MODELWIRE_EVENT_DONE: i32 = 2;

/// One event of a call; immutable, may be shared between threads.
pub struct modelwire_event {
    tag: u64,
    what: What,
    tools: OnceLock<Vec<Tool>>,
    made: Made,
}

enum What {
    Chunk(Chunk, Piece),
    // In boxes: nearly every event is a chunk, and is small.
    Response(Box<modelwire_response>),
    Error(Box<modelwire_error>),
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

/// What a chunk adds to a tool call.
struct Tool {
    index: i64,
    id: Option<Text>,
    name: Option<Text>,
    arguments: Option<Text>,
}

impl Tool {
    fn new(call: ToolCall<'_>) -> Tool {
        Tool {
            index: call.index().map_or(-1, i64::from),
            id: call.id().map(|id| Text::new(&id)),
            name: call.name().map(|name| Text::new(&name)),
            arguments: call.arguments().map(|piece| Text::new(&piece)),
        }
    }
}

impl Handle for modelwire_event {
    const NAME: &'static str = "event";
}

impl Parent for modelwire_event {
    fn made(&self) -> &Made {
        &self.made
    }
}

impl modelwire_event {
    fn new(tag: u64, what: What) -> modelwire_event {
        modelwire_event { tag, what, tools: OnceLock::new(), made: Made::default() }
    }

    pub(crate) fn chunk(tag: u64, chunk: Chunk) -> modelwire_event {
        let piece = Piece::of(&chunk);
        modelwire_event::new(tag, What::Chunk(chunk, piece))
    }

    pub(crate) fn done(tag: u64, outcome: Result<Response, Error>) -> modelwire_event {
        let what = match outcome {
            Ok(response) => What::Response(Box::new(modelwire_response::new(response))),
            Err(error) => What::Error(Box::new(modelwire_error::new(error))),
        };
        modelwire_event::new(tag, what)
    }

    pub(crate) fn as_chunk(&self) -> Option<&Chunk> {
        match &self.what {
            What::Chunk(chunk, _) => Some(chunk),
            What::Response(_) | What::Error(_) => None,
        }
    }

    fn tools(&self) -> &[Tool] {
        self.tools.get_or_init(|| {
            let choice = self.as_chunk().and_then(|chunk| chunk.choices().next());
            choice.iter().flat_map(Choice::tool_calls).map(Tool::new).collect()
        })
    }

    fn piece(&self) -> Option<Ready<'_>> {
        match &self.what {
            What::Chunk(chunk, piece) => piece.ready(chunk),
            What::Response(_) | What::Error(_) => None,
        }
    }
}

/// Frees an event that was taken from a queue. One that a callback was given is not freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_free(event: *mut modelwire_event) {
    free(event);
}

/// MODELWIRE_EVENT_CHUNK or MODELWIRE_EVENT_DONE; 0 for NULL. Kinds may be added: skip what you
/// do not know.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_kind(event: *const modelwire_event) -> i32 {
    guard_or(0, || match borrow(event).map(|event| &event.what) {
        Ok(What::Chunk(..)) => MODELWIRE_EVENT_CHUNK,
        Ok(What::Response(_) | What::Error(_)) => MODELWIRE_EVENT_DONE,
        Err(_) => 0,
    })
}

/// The tag with which the call was submitted to a queue; 0 for other calls and for NULL.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_tag(event: *const modelwire_event) -> u64 {
    guard_or(0, || borrow(event).map_or(0, |event| event.tag))
}

/// The response of a call that ended well, borrowed from the event; NULL for every other event.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_response(
    event: *const modelwire_event,
) -> *const modelwire_response {
    guard_or(null(), || match borrow(event).map(|event| &event.what) {
        Ok(What::Response(response)) => &raw const **response,
        _ => null(),
    })
}

/// The error of a call that failed, borrowed from the event; NULL for every other event.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_error(
    event: *const modelwire_event,
) -> *const modelwire_error {
    guard_or(null(), || match borrow(event).map(|event| &event.what) {
        Ok(What::Error(error)) => &raw const **error,
        _ => null(),
    })
}

texts! { event: modelwire_event,
    /// The chunk's JSON text as the service sent it; NULL for the last event.
    modelwire_event_json(length) => Some(Ready::new(event.as_chunk()?.json_and_nul().as_bytes()));

    /// The piece of output text that the chunk adds: the content of a chat's first choice, or an
    /// output text delta of a response; empty for every other chunk, NULL for the last event.
    modelwire_event_text(length) => event.piece();

    /// The name of the server-sent event, "response.completed" for instance; empty where there was
    /// none, as in chat streams; NULL for the last event.
    modelwire_event_name(length) => Some(Ready::new(event.as_chunk()?.event_and_nul().as_bytes()));

    /// Why the first choice stopped, "stop" for instance; NULL while it has not.
    modelwire_event_finish_reason() => event.as_chunk()?.finish_reason();
}

/// The tokens that the chunk, or the response at the end, reports.
///
/// @param event          the event
/// @param input_tokens   may be NULL, like the others
/// @param output_tokens  output
/// @param total_tokens   both together
/// @return MODELWIRE_OK; MODELWIRE_ABSENT if it reports none, and nothing is written; or
///         MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_usage(
    event: *const modelwire_event,
    input_tokens: *mut u64,
    output_tokens: *mut u64,
    total_tokens: *mut u64,
) -> modelwire_status {
    guard(null_mut(), || {
        let usage = match &borrow(event)?.what {
            What::Chunk(chunk, _) => chunk.usage(),
            What::Response(response) => response.core().usage(),
            What::Error(_) => None,
        };
        let Some(usage) = usage else { return Ok(MODELWIRE_ABSENT) };
        write(input_tokens, usage.input_tokens);
        write(output_tokens, usage.output_tokens);
        write(total_tokens, usage.total_tokens);
        Ok(MODELWIRE_OK)
    })
}

/// How many tool calls the chunk adds a piece to, in its first choice; 0 for every other event.
///
/// @param event  the event
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_tool_call_count(event: *const modelwire_event) -> usize {
    guard_or(0, || borrow(event).map_or(0, |event| event.tools().len()))
}

/// Which tool call of the response a piece belongs to; -1 where the service did not say, and beyond
/// the end.
///
/// @param event  the event
/// @param at     which piece, from 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_tool_call_index(
    event: *const modelwire_event,
    at: usize,
) -> i64 {
    guard_or(-1, || {
        borrow(event).ok().and_then(|event| event.tools().get(at)).map_or(-1, |tool| tool.index)
    })
}

texts! { event: modelwire_event,
    /// The id of a tool call, on its first piece mostly; NULL where it is absent.
    modelwire_event_tool_call_id(at) => event.tools().get(at)?.id.as_ref().map(Text::ready);

    /// The name of the function of a tool call, on its first piece mostly; NULL where it is absent.
    modelwire_event_tool_call_name(at) => event.tools().get(at)?.name.as_ref().map(Text::ready);

    /// A piece of the arguments of a tool call, which together are JSON text; NULL where it is
    /// absent.
    modelwire_event_tool_call_arguments(at, length) =>
        event.tools().get(at)?.arguments.as_ref().map(Text::ready);
}
