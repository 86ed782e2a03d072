//! The completion queue of C: the events of many calls in one place, for a thread that waits or for
//! an event loop that watches a descriptor.

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

/// A queue for the events of many calls; may be shared between threads. Its calls need no handle: each
/// has a tag, any number that the program chooses, which identifies it to submit, cancel, pause and
/// resume.
///
/// A thread waits in modelwire_queue_next. An event loop watches modelwire_queue_fd for reading and
/// then calls modelwire_queue_next with a timeout of 0 until it returns something other than
/// MODELWIRE_OK.
pub struct modelwire_queue(CompletionQueue);

impl Handle for modelwire_queue {
    const NAME: &'static str = "queue";
}

/// The queue itself, which a thread inside it keeps alive after the handle is freed.
fn core(queue: *const modelwire_queue) -> Result<CompletionQueue, Error> {
    borrow(queue).map(|queue| queue.0.clone())
}

/// Creates an empty queue.
///
/// @param flags  0, or MODELWIRE_INTERRUPTIBLE and MODELWIRE_SOCKET combined with |
/// @param out    the queue; free it with modelwire_queue_free
/// @param err    the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_ARGUMENT for a NULL out or unknown flags; or MODELWIRE_E_CONNECT if an
///         interruptible queue gets no descriptor
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

/// Frees a queue. Its unfinished calls are cancelled; events that were not taken are lost. Waiting
/// threads return MODELWIRE_CLOSED; no thread may begin a new wait.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_free(queue: *mut modelwire_queue) {
    guard_io((), || {
        if let Ok(queue) = core(queue) {
            queue.close(); // wakes the waiting threads, which hold clones of the queue
        }
    });
    guard_io((), || free(queue));
}

/// Rejects new calls and cancels those in flight. You take their last events as usual; then
/// modelwire_queue_next returns MODELWIRE_CLOSED on every thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_close(queue: *const modelwire_queue) {
    guard_io((), || {
        if let Ok(queue) = core(queue) {
            queue.close();
        }
    });
}

/// Makes one thread that waits in modelwire_queue_next, or the next one that would wait, return
/// MODELWIRE_TIMEOUT, or MODELWIRE_INTERRUPTED for an interruptible queue. Until then the descriptor is
/// readable. A call with a timeout of 0 takes it only if no thread waits. Any thread; for an interruptible
/// queue, also a signal handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_wakeup(queue: *const modelwire_queue) {
    guard_io((), || {
        // It may run in a signal handler: it copies no handle, creates no error and allocates no memory.
        if let Some(queue) = peek(queue) {
            queue.0.wakeup();
        }
    });
}

/// A descriptor for C: a socket of Windows is a number of 64 bits.
fn descriptor(found: impl TryInto<i32>) -> i32 {
    found.try_into().unwrap_or(-1)
}

/// A descriptor that is readable while the queue may have an event, and once the queue is closed and
/// drained. Non-blocking and close-on-exec; it works in epoll (level and edge triggered), poll, select
/// and every loop built on them. An eventfd where available; a socket if MODELWIRE_SOCKET is set. The
/// bytes in it have no meaning; the library reads them itself.
///
/// @param queue  the queue
/// @return the descriptor, the same each time; -1 if none can be made, in a forked child, and for
///         NULL
///
/// The queue owns it: do not close it; give a dup of it to a loop that closes the descriptors that it
/// watches.
///
/// On Windows it is always a socket, which select, WSAPoll and loops built on them can watch: cast it
/// to SOCKET, of which Windows uses only 32 bits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_fd(queue: *const modelwire_queue) -> i32 {
    guard_io(-1, || core(queue).and_then(|queue| queue.fd()).map_or(-1, descriptor))
}

/// Takes the next event of any call. The events of one call arrive in order; no call can starve the
/// others.
///
/// @param queue       the queue
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, a negative value waits without
///                    limit
/// @param out         the event; free it with modelwire_event_free
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if no event arrived in time, or modelwire_queue_wakeup was
///         called; MODELWIRE_INTERRUPTED for an interruptible queue; MODELWIRE_CLOSED if the queue is
///         closed and every event has been taken; MODELWIRE_E_FORKED in a forked child;
///         MODELWIRE_E_ARGUMENT for NULL
///
/// Several threads may take events at the same time. The events of one call are taken in order, but a thread
/// may still work on an earlier one when another takes the last: what belongs to a call is released when both
/// are done.
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

/// Takes all events that are ready, up to max, like modelwire_queue_next, and waits only for the first:
/// this costs less per event.
///
/// @param queue       the queue
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, a negative value waits without
///                    limit
/// @param out         an array of max elements; receives the taken events first, then NULL in the
///                    others; free each event with modelwire_event_free
/// @param max         the maximum number of events to take, at least 1
/// @param count       the number of events taken; 0 if the status is not MODELWIRE_OK
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

/// The event that C receives for it, if any.
fn for_c(next: Next) -> Option<modelwire_event> {
    match next {
        Next::Event(tag, event) => modelwire_event::of(tag, event),
        Next::Log(tag, record) => Some(modelwire_event::log(tag, &record)),
        Next::Call(tag, ended) => Some(modelwire_event::call(tag, ended)),
        Next::Empty | Next::Interrupted | Next::Closed => None,
    }
}

/// Submits a request; its events come out of the queue under a tag. The last event is of kind
/// MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once, and reports any error in the
/// request or during the call.
///
/// @param queue      the queue
/// @param client     the client
/// @param operation  MODELWIRE_OPERATION_...
/// @param json       the request, as for modelwire_request_new, copied; NULL for the model list
/// @param length     its length in bytes, or MODELWIRE_NUL
/// @param stream     1 to stream the response, 0 for a whole response
/// @param tag        any number that no unfinished call of the queue uses: an index, or a pointer
/// @param err        the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
///         child; or MODELWIRE_E_ARGUMENT for NULL,
///         an unknown operation, `stream` that is neither 1 nor 0, text that is not UTF-8, or a tag in
///         use; after an error no event follows
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

/// Like modelwire_queue_submit, with a request handle: for requests with their own options, and for
/// programs without a JSON library.
///
/// @param queue    the queue
/// @param client   the client
/// @param request  the request, copied
/// @param stream   1 to stream the response, 0 for a whole response
/// @param tag      any number that no unfinished call of the queue uses
/// @param err      the error, on failure; may be NULL
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

/// Cancels a call now: its last event has MODELWIRE_E_CANCELLED and comes out next, even if the call is
/// paused. If the answer was already received completely, this has no effect: the queued events are
/// still delivered. Any thread, any time.
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

/// Holds back the events of a call until modelwire_queue_resume; the events of other calls still come
/// out. When the waiting events reach queue_bytes_max or queue_events_max of the client, the library
/// stops reading the response body, and the service waits too, so that a slow consumer of one stream
/// uses bounded memory. The last event is held back as well; but a call ended by
/// modelwire_queue_cancel, or by closing the queue, is no longer paused. During a pause the idle
/// timeout stops, the total timeout does not.
///
/// @param queue  the queue
/// @param tag    the call's tag
/// @return as modelwire_queue_cancel; pausing a paused call is not an error
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_pause(
    queue: *const modelwire_queue,
    tag: u64,
) -> modelwire_status {
    by_tag(queue, |queue| queue.pause(tag))
}

/// Resumes a paused call: its events come out again.
///
/// @param queue  the queue
/// @param tag    the call's tag
/// @return as modelwire_queue_cancel; resuming a call that is not paused is not an error
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

/// The number of calls whose last event has not been taken yet; 0 for NULL.
///
/// @param queue  the queue
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_count(queue: *const modelwire_queue) -> usize {
    guard_or(0, || core(queue).map_or(0, |queue| queue.unfinished()))
}

/// Delivers the log of the whole library through a queue, as events of kind MODELWIRE_EVENT_LOG; other
/// queues still receive it. At most 4096 records are queued; further records are dropped, and one
/// record reports how many. The log never contains the API key. Ends when the queue is closed or freed.
///
/// @param queue  the queue
/// @param level  MODELWIRE_LOG_ERROR to MODELWIRE_LOG_TRACE: records of this level and more important
///               ones; MODELWIRE_LOG_OFF ends the log here
/// @param tag    the tag of these events; calls may use the same tag
/// @param err    the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
///         child; or MODELWIRE_E_ARGUMENT for NULL or
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

/// Delivers the record of each call of a client through a queue as well, as an event of kind
/// MODELWIRE_EVENT_CALL: one for each call that is started, by whatever function; it is in the queue before
/// the program can see the end of the call. The records are those of modelwire_client_on_call, for a
/// program with an event loop. At most 4096 are queued, for all clients together, and at most 64 MiB of
/// answers and chunk times; further ones are dropped, and the next event reports how many ("dropped" in
/// modelwire_event_info). A closed queue still delivers the records of the calls that were submitted to
/// it, and no others. After a client is freed, records continue until its last call has ended. Ends at
/// modelwire_queue_free.
///
/// @param queue   the queue
/// @param client  the client
/// @param on      1 to begin, 0 to end: ending discards the queued records
/// @param tag     the tag of these events, in place of an earlier one; calls, the log and other clients
///                may use the same tag
/// @param err     the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the queue was closed; MODELWIRE_E_FORKED in a forked
///         child; or MODELWIRE_E_ARGUMENT for NULL or `on` that is neither 1 nor 0
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
