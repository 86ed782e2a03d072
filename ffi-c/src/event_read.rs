//! Many events read in one call, for runtimes in which calls into C are expensive.

use std::ffi::c_char;
use std::ptr::null_mut;

use crate::boundary::{borrow, copy_to, free, guard_or, inputs, write_at};
use crate::event::modelwire_event;
use crate::text::Ready;

/// For modelwire_event_read_all: the text, see modelwire_event_text.
pub const MODELWIRE_READ_TEXT: u32 = 1;
/// For modelwire_event_read_all: the JSON text, see modelwire_event_json.
pub const MODELWIRE_READ_JSON: u32 = 2;
/// For modelwire_event_read_all: the name, see modelwire_event_name.
pub const MODELWIRE_READ_NAME: u32 = 4;

/// For modelwire_event_read_all: frees each event once it is read, and sets its place to NULL.
pub const MODELWIRE_READ_FREE: u32 = 8;

/// The parts, whose bits are in the order in which they are written.
const PARTS: u32 = MODELWIRE_READ_TEXT | MODELWIRE_READ_JSON | MODELWIRE_READ_NAME;

/// Reads many events in one call, for runtimes in which calls into C are expensive: their tags and
/// kinds, and the chosen texts of all of them in one buffer, one after another and without a NUL. Or
/// frees many in one call.
///
/// @param events     an array of count events, from modelwire_queue_take for instance
/// @param count      how many events there are
/// @param parts      what to read: MODELWIRE_READ_TEXT, MODELWIRE_READ_JSON and MODELWIRE_READ_NAME
///                   combined with |, or none of them; and MODELWIRE_READ_FREE, without which the
///                   events stay the caller's
/// @param tags       an array of count elements receives what modelwire_event_tag returns; may be NULL
/// @param kinds      an array of count elements receives what modelwire_event_kind returns; may be NULL
/// @param lengths    an array of count elements for each part receives the lengths in bytes: those of
///                   the first event in the order text, JSON, name, then those of the second; may be
///                   NULL where there are no parts
/// @param texts      a buffer receives the parts in the same order; may be NULL where there are none
/// @param texts_max  the size of the buffer in bytes
/// @return how many events were read, from the first on: fewer than count where the parts of the next
///         one do not fit into the rest of the buffer. Go on with that one; where none fits into the
///         whole buffer, read it with modelwire_event_text and its siblings. 0 for NULL or unknown parts
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_event_read_all(
    events: *mut *mut modelwire_event,
    count: usize,
    parts: u32,
    tags: *mut u64,
    kinds: *mut i32,
    lengths: *mut usize,
    texts: *mut c_char,
    texts_max: usize,
) -> usize {
    let is_missing = parts & PARTS != 0 && (lengths.is_null() || texts.is_null());
    if is_missing || parts & !(PARTS | MODELWIRE_READ_FREE) != 0 {
        return 0;
    }
    guard_or(0, || {
        let (mut used, mut length_at) = (0, 0);
        let events = inputs(events, count);
        for (at, place) in events.iter_mut().enumerate() {
            let event = borrow(place.cast_const()).ok();
            let chosen = event.map_or([const { None }; 3], |event| parts_of(event, parts));
            let chosen = chosen.each_ref().map(|part| part.as_ref().map_or(&[][..], Ready::bytes));
            if chosen.iter().map(|part| part.len()).sum::<usize>() > texts_max - used {
                return at;
            }
            for (part, bytes) in chosen.iter().enumerate() {
                if parts & 1 << part != 0 {
                    write_at(lengths, length_at, bytes.len());
                    copy_to(texts, used, bytes);
                    (used, length_at) = (used + bytes.len(), length_at + 1);
                }
            }
            write_at(tags, at, event.map_or(0, modelwire_event::tag));
            write_at(kinds, at, event.map_or(0, modelwire_event::kind));
            if parts & MODELWIRE_READ_FREE != 0 {
                free(std::mem::replace(place, null_mut()));
            }
        }
        events.len()
    })
}

/// The chosen texts, in the order of their bits.
fn parts_of(event: &modelwire_event, parts: u32) -> [Option<Ready<'_>>; 3] {
    [
        (parts & MODELWIRE_READ_TEXT != 0).then(|| event.text()).flatten(),
        (parts & MODELWIRE_READ_JSON != 0).then(|| event.json()),
        (parts & MODELWIRE_READ_NAME != 0).then(|| event.name()),
    ]
}
