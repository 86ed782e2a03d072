//! The call handle of C: made, run in one of its ways, cancelled from any thread, freed.

use std::ffi::c_void;
use std::ops::ControlFlow;

use modelwire_core::{Call, Error, Event, Pop, Response};

use crate::boundary::{
    Callback, Handle, borrow, free, guard_or, hand_over, modelwire_finalizer, output,
};
use crate::client::modelwire_client;
use crate::error::{guard, modelwire_error};
use crate::event::modelwire_event;
use crate::queue::modelwire_queue;
use crate::request::modelwire_request;
use crate::response::modelwire_response;
use crate::status::{MODELWIRE_OK, MODELWIRE_STOPPED, modelwire_status};

/// One exchange with the service: made before it starts, so that any thread can cancel it at any
/// time; run once.
pub struct modelwire_call(Call);

impl Handle for modelwire_call {
    const NAME: &'static str = "call";
}

/// Called for each event of a call, in order.
///
/// @param user_data  as it was given
/// @param event      valid during the callback
/// @return 0 to go on; anything else ends the call and closes its exchange
///
/// Other calls may be run from inside, and this one cancelled. It must not throw or longjmp
/// through the library.
pub type modelwire_event_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event: *const modelwire_event) -> i32>;

/// Makes a call that is not started yet.
///
/// @param client   the client; the call keeps what it needs of it
/// @param request  the request, copied
/// @param out      the call; free it with modelwire_call_free
/// @param err      what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_new(
    client: *const modelwire_client,
    request: *const modelwire_request,
    out: *mut *mut modelwire_call,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let call = Call::new(&borrow(client)?.0, borrow(request)?.core.clone());
        Ok(hand_over(slot, modelwire_call(call)))
    })
}

/// Runs a call that is answered whole, and waits for the response.
///
/// @param call  the call; a second run gives MODELWIRE_E_ARGUMENT
/// @param out   the response; free it with modelwire_response_free
/// @param err   what went wrong, on failure; may be NULL
/// @return MODELWIRE_OK, or the kind of the error
///
/// Blocks the calling thread only. modelwire_call_cancel from another thread ends it at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_run(
    call: *mut modelwire_call,
    out: *mut *mut modelwire_response,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (slot, call) = (output(out)?, &borrow(call)?.0);
        call.start_to_wait(false)?;
        let response = wait(call, |_| Continue::Yes)?;
        Ok(response.map_or(MODELWIRE_STOPPED, |response| {
            hand_over(slot, modelwire_response::new(response))
        }))
    })
}

/// Runs a call that is answered piece by piece, and calls back for each piece on this thread.
///
/// @param call       the call; a second run gives MODELWIRE_E_ARGUMENT
/// @param on_event   called for each event, in order
/// @param user_data  handed to the callback
/// @param out        how the stream ended and what it used; free it with modelwire_response_free
/// @param err        what went wrong, on failure, after all events that came before; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_STOPPED if the callback ended it, and out is not written; or
///         the kind of the error
///
/// Blocks the calling thread only. modelwire_call_cancel, also from inside the callback, ends it
/// at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_stream(
    call: *mut modelwire_call,
    on_event: modelwire_event_fn,
    user_data: *mut c_void,
    out: *mut *mut modelwire_response,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (slot, call) = (output(out)?, &borrow(call)?.0);
        let callback = Callback::new(on_event, user_data, None);
        callback.check("on_event")?;
        call.start_to_wait(true)?;
        let response = wait(call, |chunk| match callback.ask(&modelwire_event::chunk(0, chunk)) {
            0 => Continue::Yes,
            _ => Continue::No,
        })?;
        Ok(response.map_or(MODELWIRE_STOPPED, |response| {
            hand_over(slot, modelwire_response::new(response))
        }))
    })
}

/// Starts a call and returns; its events go to a callback on the client's callback thread. The
/// callback may block and run other calls: the I/O goes on without it. The
/// callbacks of one client run one after another; those of two clients may run at the same time.
///
/// The last event is of kind MODELWIRE_EVENT_DONE, exactly once, however the call ends; then comes
/// the finalizer, once, on that thread, and nothing follows. If the callback ends the call, the
/// last event says MODELWIRE_E_CANCELLED. Freeing an unfinished call cancels it.
///
/// @param call       the call; a second start gives MODELWIRE_E_ARGUMENT
/// @param stream     1 for a response piece by piece, 0 for a whole one
/// @param on_event   called for each event, in order
/// @param user_data  handed to both functions, on the callback thread; may be NULL
/// @param finalizer  releases user_data; may be NULL. If the start fails it is called too, before
///                   this function returns, and on_event never is.
/// @param err        what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK if it is on its way, or the kind of the error
///
/// A program that unloads itself, or tears its own runtime down, calls modelwire_shutdown first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_start(
    call: *mut modelwire_call,
    stream: i32,
    on_event: modelwire_event_fn,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let callback = Callback::new(on_event, user_data, finalizer);
        callback.check("on_event")?;
        borrow(call)?.0.start_with(stream != 0, Callbacks(callback))?;
        Ok(MODELWIRE_OK)
    })
}

/// Starts a call and returns; its events come out of a completion queue with this tag, the last
/// of them of kind MODELWIRE_EVENT_DONE, exactly once, however the call ends. Freeing an
/// unfinished call cancels it.
///
/// @param call    the call; a second start gives MODELWIRE_E_ARGUMENT
/// @param stream  1 for a response piece by piece, 0 for a whole one
/// @param queue   the queue
/// @param tag     any number: an index, or a pointer of the program's
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK if it is on its way; MODELWIRE_E_CLOSED if the queue was closed; or the
///         kind of the error: then no event comes
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_submit(
    call: *mut modelwire_call,
    stream: i32,
    queue: *const modelwire_queue,
    tag: u64,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let (queue, call) = (borrow(queue)?, borrow(call)?);
        queue.0.submit(&call.0, stream != 0, tag)?;
        Ok(MODELWIRE_OK)
    })
}

/// The callbacks of a started call.
struct Callbacks(Callback<modelwire_event_fn>);

impl modelwire_core::Handler for Callbacks {
    fn on_event(&mut self, event: Event) -> ControlFlow<()> {
        let event = match event {
            Event::Chunk(chunk) => modelwire_event::chunk(0, chunk),
            Event::Done(outcome) => modelwire_event::done(0, outcome),
            Event::Open(_) => return ControlFlow::Continue(()),
        };
        match self.0.ask(&event) {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

enum Continue {
    Yes,
    No,
}

/// Takes events until the last one. `None` if `visit` ended the call.
fn wait(
    call: &Call,
    mut visit: impl FnMut(modelwire_core::Chunk) -> Continue,
) -> Result<Option<Response>, Error> {
    loop {
        match call.pop(None)? {
            Pop::Event(Event::Chunk(chunk)) => {
                if let Continue::No = visit(chunk) {
                    call.cancel();
                    return Ok(None);
                }
            }
            Pop::Event(Event::Done(outcome)) => return outcome.map(Some),
            Pop::Event(Event::Open(_)) | Pop::Empty => {}
            Pop::End => return Err(Error::internal("the call ended without its last event")),
        }
    }
}

/// Ends a call now, in whatever state it is, also before it starts: it gives
/// MODELWIRE_E_CANCELLED. A call that is done stays as it is. Any thread, any time, also from
/// inside a callback.
///
/// @param call  the call; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_cancel(call: *const modelwire_call) {
    guard_or((), || {
        if let Ok(call) = borrow(call) {
            call.0.cancel();
        }
    });
}

/// Frees a call that no other thread runs or cancels at the moment.
///
/// @param call  the call; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_free(call: *mut modelwire_call) {
    free(call);
}
