//! The client handle of C, the usage sums of its calls, and the callback for call records.

use std::ffi::{c_char, c_void};
use std::ops::ControlFlow;
use std::ptr::null_mut;

use modelwire_core::{Client, Config, usage_json};

use crate::boundary::{
    Callback, Handle, borrow, borrow_text, free, guard_io, guard_or, modelwire_finalizer, output,
};
use crate::error::{guard, modelwire_error};
use crate::event::modelwire_event;
use crate::event_fn::modelwire_event_fn;
use crate::flags::check_switch;
use crate::status::{MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status};
use crate::timeout::patience;
use crate::value::modelwire_value;

/// A client of one service; may be shared between threads, which do not block each other.
pub struct modelwire_client(pub(crate) Client);

impl Handle for modelwire_client {
    const NAME: &'static str = "client";
}

/// Creates a client. Does not connect yet.
///
/// Options that are not given have their defaults; the defaults of the base URL and the key come from
/// the environment (MODELWIRE_BASE_URL or OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY).
///
/// @param options  one JSON object with options by name (see docs/options.md), for instance
///                 {"base_url":"https://host/v1","api_key":"...","idle_timeout_ms":30000}; UTF-8,
///                 copied; NULL means none
/// @param length   its length in bytes, or MODELWIRE_NUL
/// @param out      the client; free it with modelwire_client_free
/// @param err      the error, on failure: it names the option, and suggests one for an unknown name;
///                 may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CONFIG if an option is wrong or missing; or MODELWIRE_E_ARGUMENT
///         for text that is not UTF-8
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_new(
    options: *const c_char,
    length: usize,
    out: *mut *mut modelwire_client,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let mut config = Config::new();
        if !options.is_null() {
            config.set_options(borrow_text("options", options, length)?)?;
        }
        Ok(slot.give(modelwire_client(Client::new(config)?)))
    })
}

/// Frees a client. Its calls continue and keep what they need; the callback of modelwire_client_on_call
/// still receives their records.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_free(client: *mut modelwire_client) {
    guard_io((), || free(client));
}

/// Closes a client: rejects new calls, ends those in flight with MODELWIRE_E_CLOSED, and closes its
/// connections. Returns when every callback of its started calls has received its last event, the
/// callback of modelwire_client_on_call has received the record of every call, and every finalizer has
/// returned. For a host or a plugin before it is unloaded: afterwards this client calls nothing in it.
/// Other clients are not affected. The last event of a paused call of a queue waits for
/// modelwire_queue_resume.
///
/// @param client      the client; you must still free it
/// @param timeout_ms  longest wait in milliseconds; a negative value waits without limit
/// @param err         the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a callback did not return in time: call again to continue
///         waiting; or MODELWIRE_E_CALLBACK (see CALLBACKS)
///
/// Any thread. Closing again only waits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_close(
    client: *const modelwire_client,
    timeout_ms: i32,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let client = borrow(client)?.0.clone();
        let is_over = client.close(patience(timeout_ms))?;
        Ok(if is_over { MODELWIRE_OK } else { MODELWIRE_TIMEOUT })
    })
}

/// The tokens that the answered chats and responses of a client have used so far in this process, as a
/// JSON object: "calls"; "calls_without_usage", how many of these reported no usage; "input_tokens",
/// "output_tokens", "total_tokens"; of these, "cached_input_tokens", "cache_write_tokens",
/// "reasoning_tokens", "audio_input_tokens", "audio_output_tokens"; "models", an object with the same
/// ten for each requested model; "keys", an object with all of this, including "models", for each key;
/// and "key_id", the name in "keys" of the client's own key. A key is named by the first 16 hexadecimal
/// digits, in lower case, of the SHA-256 of "modelwire:" and the key; beyond 4096 keys, further keys
/// are added up under "other". Beyond 16384 models, counted over all keys, further models are added up
/// under "(other)", in parentheses, as are those with names of more than 1024 bytes. Model lists and
/// calls that failed or were stopped do not count. Totals are capped at 2^63 - 1.
///
/// @param client  the client
/// @param reset   1 to set all totals to 0 in the same atomic step: a call that ends at the same time
///                is counted once, in these totals or in the next ones; 0 to leave them
/// @return the totals as they are now; free them with modelwire_value_free; NULL if the client is NULL
///         or reset is neither 1 nor 0
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_usage(
    client: *const modelwire_client,
    reset: i32,
) -> *mut modelwire_value {
    guard_or(null_mut(), || {
        let (Ok(client), Ok(reset)) = (borrow(client), check_switch("reset", reset)) else {
            return null_mut();
        };
        let sums = if reset { client.0.take_usage() } else { client.0.usage_by_key() };
        modelwire_value::of_json(usage_json(&sums, client.0.key_id())).into_raw()
    })
}

/// Sets the callback that receives the record of each call of a client; replaces an earlier callback. It is
/// called exactly once for each started call, after the call has ended, however it ended. Records arrive in
/// the order in which calls end, on one thread of the library. No call waits for the callback, which
/// may block and run calls. At most 4096 records are queued for it, and at most 64 MiB of their answers
/// and chunk times; further ones are dropped, and the next event reports how many ("dropped" in
/// modelwire_event_info). The callback runs shortly after the program can see the end of the call;
/// modelwire_client_close waits for the last one. The same record is "timing" in
/// modelwire_response_info and in modelwire_error_value. A program with an event loop uses
/// modelwire_queue_follow_calls, which needs no other thread.
///
/// An earlier callback first receives the records of the calls that ended before the change; its
/// finalizer returns before the new callback runs for the first time. The callback lives as long as the
/// client and its calls. modelwire_client_close and modelwire_shutdown deliver the queued records, then
/// end it and wait for that; after a shutdown you can set it again. A forked child has none: neither
/// the callback nor its finalizer runs there.
///
/// @param client     the client
/// @param on_call    called with one event of kind MODELWIRE_EVENT_CALL for each call;
///                   modelwire_event_json and modelwire_event_value return its record. A nonzero return
///                   value removes it; NULL here removes it as well, for calls that end from now on
/// @param user_data  passed to both functions; may be NULL
/// @param finalizer  releases user_data, once, when on_call will not be called again, on the thread of
///                   on_call, or on this thread if this function fails; may be NULL
/// @param err        the error, on failure, which leaves an earlier callback in place; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the client was closed, MODELWIRE_E_SHUTDOWN during a
///         shutdown; or MODELWIRE_E_ARGUMENT for a NULL client
///
/// Any thread, including the callback itself.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_on_call(
    client: *const modelwire_client,
    on_call: modelwire_event_fn,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let callback = Callback::new(on_call, user_data, finalizer);
        // The finalizer may free the handle, here or on its thread.
        let client = borrow(client)?.0.clone();
        match callback.is_none() {
            true => client.clear_on_call()?,
            false => client.on_call(move |ended| {
                match callback.ask(modelwire_event::call(0, ended)) {
                    0 => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            })?,
        }
        Ok(MODELWIRE_OK)
    })
}
