//! The completion queue of C: the events of many calls in one place, for a thread that waits or for
//! an event loop that watches a descriptor.

use std::ptr::null_mut;
use std::time::{Duration, Instant};

use modelwire_core::{CompletionQueue, Error, Event, Next};

use crate::boundary::{Handle, borrow, free, guard_or, hand_over, output, outputs, write};
use crate::error::{guard, modelwire_error};
use crate::event::modelwire_event;
use crate::status::{MODELWIRE_CLOSED, MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status};

/// The events of many calls in one place; may be shared between threads.
///
/// A thread waits in modelwire_queue_next.  An event loop watches modelwire_queue_fd for reading
/// and then calls modelwire_queue_next with a timeout of 0 until it gives something else than
/// MODELWIRE_OK.
pub struct modelwire_queue(pub(crate) CompletionQueue);

impl Handle for modelwire_queue {
    const NAME: &'static str = "queue";
}

/// Makes an empty queue.
///
/// @param call_events_max  how many events of one call wait at most before its body is no longer
///                         read, so that the service waits too; at least 2; 0 or less leaves it to
///                         the client's limit, 1024 by default
/// @param out              the queue; free it with modelwire_queue_free
/// @param err              what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL out
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_new(
    call_events_max: i32,
    out: *mut *mut modelwire_queue,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let call_events_max = usize::try_from(call_events_max).ok().filter(|max| *max > 0);
        Ok(hand_over(slot, modelwire_queue(CompletionQueue::new(call_events_max))))
    })
}

/// Frees a queue that no other thread uses at the moment. Its unfinished calls are cancelled;
/// events that were not taken are lost.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_free(queue: *mut modelwire_queue) {
    free(queue);
}

/// A descriptor that is readable while there may be something to take, and once the queue is
/// closed and drained. It is a socket, non-blocking and close-on-exec, and works in epoll (level
/// and edge triggered), poll, select and every loop built on them. What is read from it has no
/// meaning; the library reads it itself.
///
/// @param queue  the queue
/// @return the descriptor, the same each time; -1 if none can be made, in a forked child, and for
///         NULL
///
/// It belongs to the queue: do not close it; a loop that closes what it watches gets a dup of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_fd(queue: *const modelwire_queue) -> i32 {
    guard_or(-1, || borrow(queue).and_then(|queue| queue.0.fd()).unwrap_or(-1))
}

/// Takes the next event of any call. The events of one call come in order; no call can starve the
/// others.
///
/// @param queue       the queue
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits for ever
/// @param out         the event; free it with modelwire_event_free
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if there was none in time, or modelwire_queue_wakeup
///         was called; MODELWIRE_CLOSED if the queue was closed and every event was taken;
///         MODELWIRE_E_FORKED in a forked child; MODELWIRE_E_ARGUMENT for NULL
///
/// Several threads may take at the same time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_next(
    queue: *const modelwire_queue,
    timeout_ms: i32,
    out: *mut *mut modelwire_event,
) -> modelwire_status {
    guard(null_mut(), || {
        let (slot, queue) = (output(out)?, borrow(queue)?);
        let mut timeout = Timeout::new(timeout_ms);
        loop {
            match queue.0.next(timeout.left())? {
                Next::Event(tag, event) => {
                    if let Some(event) = for_c(tag, event) {
                        return Ok(hand_over(slot, event));
                    }
                }
                Next::Empty => return Ok(MODELWIRE_TIMEOUT),
                Next::Closed => return Ok(MODELWIRE_CLOSED),
            }
        }
    })
}

/// Takes as many events as are there, as modelwire_queue_next does, and waits only for the first
/// one: cheaper for each event.
///
/// @param queue       the queue
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, negative waits for ever
/// @param out         an array of max places; the events that were taken are written to its
///                    beginning; free each with modelwire_event_free
/// @param max         how many events to take at most, at least 1
/// @param count       how many were taken; written on MODELWIRE_OK
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
        let queue = borrow(queue)?;
        if count.is_null() || max == 0 {
            return Err(Error::argument("count is NULL, or max is 0"));
        }
        let places = outputs(out, max)?;
        let mut timeout = Timeout::new(timeout_ms);
        let mut taken = Vec::new();
        loop {
            if !queue.0.next_many(max, timeout.left(), &mut taken)? {
                return Ok(MODELWIRE_CLOSED);
            }
            if taken.is_empty() {
                return Ok(MODELWIRE_TIMEOUT);
            }
            let mut used = 0;
            let events = taken.drain(..).filter_map(|(tag, event)| for_c(tag, event));
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

/// Lets one thread that waits in modelwire_queue_next, or the next one that would, return
/// MODELWIRE_TIMEOUT. Any thread, also a signal handler's helper thread; not a signal handler.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_wakeup(queue: *const modelwire_queue) {
    guard_or((), || {
        if let Ok(queue) = borrow(queue) {
            queue.0.wakeup();
        }
    });
}

/// Refuses new calls and cancels those under way. Their last events come out as always; then
/// modelwire_queue_next gives MODELWIRE_CLOSED to every thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_queue_close(queue: *const modelwire_queue) {
    guard_or((), || {
        if let Ok(queue) = borrow(queue) {
            queue.0.close();
        }
    });
}

/// The event as C is given it; `None` for one that C is not given.
fn for_c(tag: u64, event: Event) -> Option<modelwire_event> {
    match event {
        Event::Chunk(chunk) => Some(modelwire_event::chunk(tag, chunk)),
        Event::Done(outcome) => Some(modelwire_event::done(tag, outcome)),
        Event::Open(_) => None,
    }
}

/// The timeout of a wait that goes on where an event came that C is not given.
struct Timeout {
    whole: Option<Duration>,
    start: Option<Instant>,
}

impl Timeout {
    fn new(timeout_ms: i32) -> Timeout {
        let whole = u64::try_from(timeout_ms).ok().map(Duration::from_millis);
        Timeout { whole, start: None }
    }

    /// How much is left; the first time all of it. The clock is read only if there is a second
    /// time, which is rare.
    fn left(&mut self) -> Option<Duration> {
        let whole = self.whole.filter(|whole| !whole.is_zero());
        match (whole, self.start) {
            (None, _) => self.whole,
            (Some(whole), Some(start)) => Some(whole.saturating_sub(start.elapsed())),
            (Some(whole), None) => {
                self.start = Some(Instant::now());
                Some(whole)
            }
        }
    }
}
