//! The call handle of C: create it, run it, wait for it, cancel it from any thread.

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use modelwire_core::{Call, Chunk, Error, Event, Pop};

use crate::boundary::{
    Callback, Handle, borrow, free, guard_io, modelwire_finalizer, output, peek,
};
use crate::client::modelwire_client;
use crate::error::{guard, modelwire_error};
use crate::event::modelwire_event;
use crate::event_fn::modelwire_event_fn;
use crate::flags::{MODELWIRE_INTERRUPTIBLE, check_flags, check_switch};
use crate::request::modelwire_request;
use crate::response::modelwire_response;
use crate::status::{
    MODELWIRE_INTERRUPTED, MODELWIRE_OK, MODELWIRE_STOPPED, MODELWIRE_TIMEOUT, modelwire_status,
};
use crate::timeout::patience;

/// One call to the service, with all its attempts. You create it before it starts, so that any thread
/// can cancel it at any time; it runs once.
pub struct modelwire_call(Arc<Inner>);

/// Shared with the functions that run, which keep it alive after the handle is freed.
struct Inner {
    core: Call,
    is_interruptible: bool,
    /// How an interrupted run ran it: the next run continues the wait. Otherwise `NOT_RUN`.
    runs: AtomicU8,
}

const NOT_RUN: u8 = 0;
const RUNS_WHOLE: u8 = 1;
const RUNS_STREAM: u8 = 2;

impl Handle for modelwire_call {
    const NAME: &'static str = "call";
}

impl Drop for modelwire_call {
    fn drop(&mut self) {
        self.0.core.give_up();
    }
}

/// The call itself.
fn inner(call: *const modelwire_call) -> Result<Arc<Inner>, Error> {
    borrow(call).map(|call| call.0.clone())
}

/// Creates a call without starting it.
///
/// @param client   the client; the call keeps what it needs from it
/// @param request  the request, copied
/// @param flags    0, or MODELWIRE_INTERRUPTIBLE: waits return MODELWIRE_INTERRUPTED when a signal
///                 handler has run on the waiting thread
/// @param out      the call; free it with modelwire_call_free
/// @param err      the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_ARGUMENT for NULL or unknown flags; or MODELWIRE_E_CONNECT if an
///         interruptible call gets no descriptor
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_new(
    client: *const modelwire_client,
    request: *const modelwire_request,
    flags: u32,
    out: *mut *mut modelwire_call,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        check_flags(flags, MODELWIRE_INTERRUPTIBLE)?;
        let is_interruptible = flags & MODELWIRE_INTERRUPTIBLE != 0;
        let core = Call::new(&borrow(client)?.0, borrow(request)?.0.clone());
        if is_interruptible {
            core.make_interruptible()?;
        }
        let inner = Inner { core, is_interruptible, runs: AtomicU8::new(NOT_RUN) };
        Ok(slot.give(modelwire_call(Arc::new(inner))))
    })
}

/// Runs a plain call, that is, without streaming, and waits for the response.
///
/// @param call  the call; running it again, except after MODELWIRE_INTERRUPTED, returns
///              MODELWIRE_E_ARGUMENT
/// @param out   the response; free it with modelwire_response_free
/// @param err   the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_INTERRUPTED for an interruptible call, which continues: run it again
///         to wait again; or the kind of the error
///
/// Blocks the calling thread only. modelwire_call_cancel from another thread ends the call at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_run(
    call: *mut modelwire_call,
    out: *mut *mut modelwire_response,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    run(call, RUNS_WHOLE, out, err, |_| ControlFlow::Continue(()))
}

/// Runs a call as a stream, and calls back for each chunk on this thread.
///
/// @param call       the call; running it again, except after MODELWIRE_INTERRUPTED, returns
///                   MODELWIRE_E_ARGUMENT
/// @param on_event   called for each chunk, in order
/// @param user_data  passed to the callback
/// @param out        how the stream ended, and its usage; free it with modelwire_response_free
/// @param err        the error, on failure, after all chunks that arrived before it; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_STOPPED if the callback ended it; MODELWIRE_INTERRUPTED for an
///         interruptible call, which continues: run it again to wait again; or the kind of the error
///
/// Blocks the calling thread only. modelwire_call_cancel ends the call at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_stream(
    call: *mut modelwire_call,
    on_event: modelwire_event_fn,
    user_data: *mut c_void,
    out: *mut *mut modelwire_response,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    let callback = Callback::new(on_event, user_data, None);
    if let Err(error) = callback.check("on_event") {
        return guard(err, || {
            output(out)?;
            Err(error)
        });
    }
    run(call, RUNS_STREAM, out, err, |chunk| go_on(callback.ask(modelwire_event::chunk(0, chunk))))
}

/// Takes the events of a call, up to the last one.
fn run(
    call: *mut modelwire_call,
    way: u8,
    out: *mut *mut modelwire_response,
    err: *mut *mut modelwire_error,
    visit: impl Fn(Chunk) -> ControlFlow<()>,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let call = inner(call)?;
        // Only an interrupted run sets this.
        if call.runs.load(Ordering::Relaxed) != way {
            match call.is_interruptible {
                true => call.core.start(way == RUNS_STREAM)?,
                false => call.core.start_to_wait(way == RUNS_STREAM)?,
            }
        }
        call.runs.store(NOT_RUN, Ordering::Relaxed);
        loop {
            let popped = match call.is_interruptible {
                false => call.core.pop(None)?,
                true => match call.core.pop_interruptible(None)? {
                    Some(popped) => popped,
                    None => {
                        call.runs.store(way, Ordering::Relaxed);
                        return Ok(MODELWIRE_INTERRUPTED);
                    }
                },
            };
            match popped {
                Pop::Event(Event::Chunk(chunk)) => {
                    if visit(chunk).is_break() {
                        call.core.cancel();
                        return Ok(MODELWIRE_STOPPED);
                    }
                }
                Pop::Event(Event::Done(outcome)) => {
                    return Ok(slot.give(modelwire_response::new(outcome?)));
                }
                Pop::Event(Event::Open(_)) | Pop::Empty => {}
                Pop::End => return Err(Error::internal("the call ended without its last event")),
            }
        }
    })
}

/// Starts a call and returns; its events go to a callback on the client's callback thread. The callback
/// may block: the I/O continues. The callbacks of one client run one after another; those of two
/// clients may run at the same time.
///
/// The last event is of kind MODELWIRE_EVENT_RESPONSE or MODELWIRE_EVENT_ERROR, exactly once, however
/// the call ends; then the finalizer runs, once, on that thread, and nothing follows. If the callback
/// ends the call, the last event has MODELWIRE_E_CANCELLED. Freeing an unfinished call cancels it.
///
/// @param call       the call; starting it again returns MODELWIRE_E_ARGUMENT
/// @param stream     1 to stream the response, 0 for a whole response
/// @param on_event   called for each event, in order
/// @param user_data  passed to both functions, on the callback thread; may be NULL
/// @param finalizer  releases user_data; may be NULL. If the start fails, the finalizer is called
///                   before this function returns, and on_event is never called.
/// @param err        the error, on failure; may be NULL
/// @return MODELWIRE_OK if the call was started, or the kind of the error; MODELWIRE_E_ARGUMENT for a stream
///         that is neither 1 nor 0
///
/// Before you unload the callback's code or tear down its runtime, call modelwire_call_wait or
/// modelwire_client_close: both return only after the finalizer has returned.
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
        let is_stream = check_switch("stream", stream)?;
        inner(call)?.core.start_with(is_stream, Callbacks(callback))?;
        Ok(MODELWIRE_OK)
    })
}

/// Waits until a started call has ended: its callback has received the last event, and its finalizer
/// has returned. For a call that was never started, or whose start failed, it returns MODELWIRE_OK at
/// once.
///
/// @param call        the call
/// @param timeout_ms  longest wait in milliseconds; 0 does not wait, a negative value waits without
///                    limit
/// @param err         the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT; MODELWIRE_INTERRUPTED for an interruptible call;
///         MODELWIRE_E_ARGUMENT for a call that was run with
///         modelwire_call_run or modelwire_call_stream; or MODELWIRE_E_CALLBACK (see CALLBACKS)
///
/// Any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_wait(
    call: *const modelwire_call,
    timeout_ms: i32,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let call = inner(call)?;
        let is_over = match call.is_interruptible {
            false => Some(call.core.wait_over(patience(timeout_ms))?),
            true => call.core.wait_over_interruptible(patience(timeout_ms))?,
        };
        Ok(match is_over {
            Some(true) => MODELWIRE_OK,
            Some(false) => MODELWIRE_TIMEOUT,
            None => MODELWIRE_INTERRUPTED,
        })
    })
}

/// The callbacks of a started call.
struct Callbacks(Callback<modelwire_event_fn>);

impl modelwire_core::Handler for Callbacks {
    fn on_event(&mut self, event: Event) -> ControlFlow<()> {
        match modelwire_event::of(0, event) {
            Some(event) => go_on(self.0.ask(event)),
            None => ControlFlow::Continue(()),
        }
    }
}

fn go_on(returned: i32) -> ControlFlow<()> {
    if returned == 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Cancels a call now, in any state, even before it starts: it ends with MODELWIRE_E_CANCELLED. A call
/// that has ended stays as it is. Any thread, any time, but not from a signal handler. Code that sees
/// the call end may free it even before this function has returned.
///
/// @param call  the call; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_cancel(call: *const modelwire_call) {
    guard_io((), || {
        // Not through the handle, which code that sees the end may free at the same time.
        if let Ok(call) = inner(call) {
            call.core.cancel();
        }
    });
}

/// Makes the thread that waits in modelwire_call_run, modelwire_call_stream or modelwire_call_wait of an
/// interruptible call, or the next one that would wait, return MODELWIRE_INTERRUPTED. May be called on
/// any thread and in a signal handler. Has no effect on calls that are not interruptible.
///
/// @param call  the call; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_wakeup(call: *const modelwire_call) {
    guard_io((), || {
        // It may run in a signal handler: it creates no error and allocates no memory.
        if let Some(call) = peek(call) {
            call.0.core.wakeup();
        }
    });
}

/// Frees a call. No other thread may be about to call a function with it. An unfinished call is
/// cancelled: the functions that run with it return, and its memory is freed then.
///
/// @param call  the call; NULL does nothing
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_call_free(call: *mut modelwire_call) {
    guard_io((), || free(call));
}
