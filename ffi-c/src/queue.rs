//! The completion queue of C: the events of many calls in one place, for a thread that waits or for
//! an event loop that watches a descriptor. Knows no callback.

use std::ffi::c_char;
use std::ptr::null_mut;

use modelwire_core::{Call, CompletionQueue, Error, Next, QueueOptions, Request, Taken};

use crate::boundary::{
    Handle, borrow, copy_text, free, guard_io, guard_or, output, outputs, peek, write,
};
use crate::client::modelwire_client;
use crate::error::{guard, modelwire_error};
use crate::event::modelwire_event;
use crate::flags::{MODELWIRE_INTERRUPTIBLE, MODELWIRE_SOCKET, check_flags, check_switch};
use crate::log::level;
use crate::request::{endpoint, modelwire_request};
use crate::status::{
    MODELWIRE_ABSENT, MODELWIRE_CLOSED, MODELWIRE_INTERRUPTED, MODELWIRE_OK, MODELWIRE_TIMEOUT,
    modelwire_status,
};
use crate::timeout::Timeout;

/// The events of many calls in one place; may be shared between threads. Its calls need no handle:
/// each has a tag, any number of the program's, under which it is submitted, cancelled, paused and
/// resumed.
///
/// A thread waits in modelwire_queue_next.  An event loop watches modelwire_queue_fd for reading
/// and then calls modelwire_queue_next with a timeout of 0 until it gives something else than
/// MODELWIRE_OK.
pub struct modelwire_queue(CompletionQueue);

impl Handle for modelwire_queue {
    const NAME: &'static str = "queue";
}

/// The queue itself, which lives on in a thread that is inside when the handle is freed.
fn core(queue: *const modelwire_queue) -> Result<CompletionQueue, Error> {
    borrow(queue).map(|queue| queue.0.clone())
}

/// Makes an empty queue.
///
/// @param flags  0, or MODELWIRE_INTERRUPTIBLE and MODELWIRE_SOCKET joined by |
/// @param out    the queue; free it with modelwire_queue_free
/// @param err    what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL out or unknown flags
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_new(
    flags: u32,
    out: *mut *mut modelwire_queue,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        check_flags(flags, MODELWIRE_INTERRUPTIBLE | MODELWIRE_SOCKET)?;
        let options = QueueOptions {
            interruptible: flags & MODELWIRE_INTERRUPTIBLE != 0,
            socket: flags & MODELWIRE_SOCKET != 0,
            ..QueueOptions::default()
        };
        Ok(slot.give(modelwire_queue(CompletionQueue::with(options)?)))
    })
}

/// Frees a queue. Its unfinished calls are cancelled; events that were not taken are lost. Threads that
/// wait in it return MODELWIRE_CLOSED; none may begin to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_free(queue: *mut modelwire_queue) {
    guard_io((), || {
        if let Ok(queue) = core(queue) {
            queue.close(); // which tells the threads that wait, and has seen them all
        }
    });
    guard_io((), || free(queue));
}

/// Refuses new calls and cancels those under way. Their last events come out as always; then
/// modelwire_queue_next gives MODELWIRE_CLOSED to every thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_close(queue: *const modelwire_queue) {
    guard_io((), || {
        if let Ok(queue) = core(queue) {
            queue.close();
        }
    });
}

/// Lets one thread that waits in modelwire_queue_next, or the next one that would, return
/// MODELWIRE_TIMEOUT; of an interruptible queue MODELWIRE_INTERRUPTED. Any thread; of an interruptible
/// queue also a signal handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_wakeup(queue: *const modelwire_queue) {
    guard_io((), || {
        // It may run in a signal handler: no copy, no error is made, no memory taken.
        if let Some(queue) = peek(queue) {
            queue.0.wakeup();
        }
    });
}

/// A descriptor as C takes it: that of a socket of Windows is one number in 64 bits.
fn descriptor(found: impl TryInto<i32>) -> i32 {
    found.try_into().unwrap_or(-1)
}

/// A descriptor that is readable while there may be something to take, and once the queue is
/// closed and drained. Non-blocking and close-on-exec; it works in epoll (level and edge triggered),
/// poll, select and every loop built on them. An eventfd where there is one; a socket where
/// MODELWIRE_SOCKET asks for it. What is read from it has no meaning; the library reads it itself.
///
/// @param queue  the queue
/// @return the descriptor, the same each time; -1 if none can be made, in a forked child, and for
///         NULL
///
/// It belongs to the queue: do not close it; a loop that closes what it watches gets a dup of it.
///
/// On Windows it is always a socket, which select, WSAPoll and loops over them can watch: cast it to
/// SOCKET, of which Windows uses 32 bits and no more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_fd(queue: *const modelwire_queue) -> i32 {
    guard_io(-1, || core(queue).and_then(|queue| queue.fd()).map_or(-1, descriptor))
}

/// Takes the next event of any call. The events of one call come in order; no call can starve the
/// others.
///
/// @param queue       the queue
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits without end
/// @param out         the event; free it with modelwire_event_free
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if there was none in time, or modelwire_queue_wakeup
///         was called; MODELWIRE_INTERRUPTED of an interruptible queue; MODELWIRE_CLOSED if the queue
///         was closed and every event was taken; MODELWIRE_E_FORKED in a forked child;
///         MODELWIRE_E_ARGUMENT for NULL
///
/// Several threads may take at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_next(
    queue: *const modelwire_queue,
    timeout_ms: i32,
    out: *mut *mut modelwire_event,
) -> modelwire_status {
    guard(null_mut(), || {
        let (slot, queue) = (output(out)?, core(queue)?);
        let mut timeout = Timeout::new(timeout_ms);
        loop {
            let event = match queue.next(timeout.left())? {
                Next::Empty => return Ok(MODELWIRE_TIMEOUT),
                Next::Interrupted => return Ok(MODELWIRE_INTERRUPTED),
                Next::Closed => return Ok(MODELWIRE_CLOSED),
                next => for_c(next),
            };
            if let Some(event) = event {
                return Ok(slot.give(event));
            }
        }
    })
}

/// Takes as many events as are there, as modelwire_queue_next does, and waits only for the first
/// one: cheaper for each event.
///
/// @param queue       the queue
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits without end
/// @param out         an array of max places; the events that were taken are written to its
///                    beginning, NULL to the others; free each event with modelwire_event_free
/// @param max         how many events to take at most, at least 1
/// @param count       how many were taken; 0 where it is not MODELWIRE_OK
/// @return as modelwire_queue_next
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_take(
    queue: *const modelwire_queue,
    timeout_ms: i32,
    out: *mut *mut modelwire_event,
    max: usize,
    count: *mut usize,
) -> modelwire_status {
    guard(null_mut(), || {
        write(count, 0);
        let queue = core(queue)?;
        if count.is_null() || max == 0 {
            return Err(Error::argument("count is NULL, or max is 0"));
        }
        let places = outputs(out, max)?;
        let mut timeout = Timeout::new(timeout_ms);
        let mut taken = Vec::new();
        loop {
            match queue.next_many(max, timeout.left(), &mut taken)? {
                Taken::Something => {}
                Taken::Nothing => return Ok(MODELWIRE_TIMEOUT),
                Taken::Interrupted => return Ok(MODELWIRE_INTERRUPTED),
                Taken::Closed => return Ok(MODELWIRE_CLOSED),
            }
            let mut used = 0;
            let events = taken.drain(..).filter_map(for_c);
            for (place, event) in places.iter_mut().zip(events) {
                *place = event.into_raw();
                used += 1;
            }
            if used > 0 {
                write(count, used);
                return Ok(MODELWIRE_OK);
            }
        }
    })
}

/// What C is given of what came out, if anything.
fn for_c(next: Next) -> Option<modelwire_event> {
    match next {
        Next::Event(tag, event) => modelwire_event::of(tag, event),
        Next::Log(tag, record) => Some(modelwire_event::log(tag, &record)),
        Next::Call(tag, ended) => Some(modelwire_event::call(tag, ended)),
        Next::Empty | Next::Interrupted | Next::Closed => None,
    }
}

/// Sends a request on its way; its events come out of the queue under a tag, the last of them of kind
/// MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once. Whatever is wrong with the request,
/// or happens to it, is told by that event.
///
/// @param queue      the queue
/// @param client     the client
/// @param operation  MODELWIRE_OPERATION_...
/// @param json       the request as modelwire_request_new takes it, copied; NULL for the model list
/// @param length     its length in bytes, or MODELWIRE_NUL
/// @param stream     1 for a response piece by piece, 0 for a whole one
/// @param tag        any number that no unfinished call of the queue has: an index, or a pointer
/// @param err        what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; or MODELWIRE_E_ARGUMENT for NULL,
///         an unknown operation, a stream that is neither 1 nor 0, what is not UTF-8, or a tag in use: then
///         no event comes
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_submit(
    queue: *const modelwire_queue,
    client: *const modelwire_client,
    operation: i32,
    json: *const c_char,
    length: usize,
    stream: i32,
    tag: u64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let endpoint = endpoint(operation)?;
        let request = match json.is_null() {
            true => Request::empty(endpoint),
            false => Request::of_json(endpoint, copy_text("json", json, length)?),
        };
        submit(queue, client, request, stream, tag)
    })
}

/// As modelwire_queue_submit, with a request that was made before: for one with options of its own, and
/// for programs without a JSON library.
///
/// @param queue    the queue
/// @param client   the client
/// @param request  the request, copied
/// @param stream   1 for a response piece by piece, 0 for a whole one
/// @param tag      any number that no unfinished call of the queue has
/// @param err      what is wrong, on failure; may be NULL
/// @return as modelwire_queue_submit
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_submit_request(
    queue: *const modelwire_queue,
    client: *const modelwire_client,
    request: *const modelwire_request,
    stream: i32,
    tag: u64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let request = borrow(request)?.0.clone();
        submit(queue, client, request, stream, tag)
    })
}

fn submit(
    queue: *const modelwire_queue,
    client: *const modelwire_client,
    request: Request,
    stream: i32,
    tag: u64,
) -> Result<modelwire_status, Error> {
    let is_stream = check_switch("stream", stream)?;
    let call = Call::new(&borrow(client)?.0, request);
    core(queue)?.submit_owned(call, is_stream, tag)?;
    Ok(MODELWIRE_OK)
}

/// Ends a call now: its last event says MODELWIRE_E_CANCELLED, and comes out next, paused or not. One that
/// was received to its end already stays as it is: what waits of it comes out. Any thread, any time.
///
/// @param queue  the queue
/// @param tag    the call's tag
/// @return MODELWIRE_OK; MODELWIRE_ABSENT if no unfinished call has the tag; MODELWIRE_E_FORKED in a
///         forked child; or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_cancel(
    queue: *const modelwire_queue,
    tag: u64,
) -> modelwire_status {
    by_tag(queue, |queue| queue.cancel(tag))
}

/// Keeps the events of a call back until modelwire_queue_resume, while those of others come out. When
/// as many wait as the client's queue_bytes_max and queue_events_max allow, its body is no longer read,
/// and the service waits too: so a slow consumer of one stream needs no memory of the program's. Its last
/// event is kept back as well, whatever ends the call but modelwire_queue_cancel and the queue's own
/// close, after which no pause holds. The idle timeout stands still meanwhile, the total timeout does not.
///
/// @param queue  the queue
/// @param tag    the call's tag
/// @return as modelwire_queue_cancel; pausing a paused call is no error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_pause(
    queue: *const modelwire_queue,
    tag: u64,
) -> modelwire_status {
    by_tag(queue, |queue| queue.pause(tag))
}

/// Lets the events of a paused call come out again.
///
/// @param queue  the queue
/// @param tag    the call's tag
/// @return as modelwire_queue_cancel; resuming a call that is not paused is no error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_resume(
    queue: *const modelwire_queue,
    tag: u64,
) -> modelwire_status {
    by_tag(queue, |queue| queue.resume(tag))
}

fn by_tag(
    queue: *const modelwire_queue,
    act: impl FnOnce(&CompletionQueue) -> bool,
) -> modelwire_status {
    guard(null_mut(), || {
        let queue = core(queue)?;
        queue.check_process()?;
        let is_found = act(&queue);
        Ok(if is_found { MODELWIRE_OK } else { MODELWIRE_ABSENT })
    })
}

/// How many calls have not given their last event yet; 0 for NULL.
///
/// @param queue  the queue
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_count(queue: *const modelwire_queue) -> usize {
    guard_or(0, || core(queue).map_or(0, |queue| queue.unfinished()))
}

/// Lets the log of the library come out of a queue too, as events of kind MODELWIRE_EVENT_LOG. Other
/// queues and the callback of modelwire_set_log have it as well. At most 4096 records wait; what comes on
/// top is dropped, and a record says how many. Ends when the queue is closed or freed.
///
/// @param queue  the queue
/// @param level  MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more important
///               ones; MODELWIRE_LOG_OFF ends the log here
/// @param tag    the tag of these events; calls may have the same
/// @param err    what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; or MODELWIRE_E_ARGUMENT for NULL or
///         an unknown level
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_log(
    queue: *const modelwire_queue,
    level: i32,
    tag: u64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        core(queue)?.follow_log(self::level(level)?, tag)?;
        Ok(MODELWIRE_OK)
    })
}

/// Puts the record of each call of a client into a queue too, as an event of kind MODELWIRE_EVENT_CALL: one for
/// each call that was started, wherever it was started, in the queue before the program can see the end of
/// the call. The records are those of modelwire_client_on_call, for a program with a loop. At most 4096
/// wait, of all clients together, with 64 MiB of answers and times of chunks; further ones are dropped, and the next event
/// has their number ("dropped" of modelwire_event_info). A queue that is closed gives the records of its
/// calls, and then no more. A client that is freed is followed until its last call has ended. Ends at
/// modelwire_queue_free.
///
/// @param queue   the queue
/// @param client  the client
/// @param on      1 to begin, 0 to end: then what waits is lost
/// @param tag     the tag of these events, in place of an earlier one; calls, the log and other clients
///                may have the same
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
///         child; or MODELWIRE_E_ARGUMENT for NULL or an on that is neither 1 nor 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_follow_calls(
    queue: *const modelwire_queue,
    client: *const modelwire_client,
    on: i32,
    tag: u64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let tag = check_switch("on", on)?.then_some(tag);
        borrow(client)?.0.follow_calls(&core(queue)?, tag)?;
        Ok(MODELWIRE_OK)
    })
}
