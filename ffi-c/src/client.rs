//! The client handle of C, what its calls used so far, and who is told of them. Knows no call.

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
use crate::status::{MODELWIRE_OK, MODELWIRE_TIMEOUT, modelwire_status};
use crate::timeout::patience;
use crate::value::modelwire_value;

/// A client of one service: may be shared between threads, which do not wait for each other.
pub struct modelwire_client(pub(crate) Client);

impl Handle for modelwire_client {
    const NAME: &'static str = "client";
}

/// Makes a client. Connects to nothing yet.
///
/// What is not among the options has its default; base URL and key come from the environment then
/// (MODELWIRE_BASE_URL or OPENAI_BASE_URL, MODELWIRE_API_KEY or OPENAI_API_KEY).
///
/// @param options  one JSON object with options by name, as docs/options.md has them:
///                 {"base_url":"https://host/v1","api_key":"...","idle_timeout_ms":30000} for
///                 instance; UTF-8, copied; NULL means none
/// @param length   its length in bytes, or MODELWIRE_NUL
/// @param out      the client; free it with modelwire_client_free
/// @param err      what is wrong, on failure: it names the option, and of an unknown one the nearest
///                 that there is; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CONFIG if the options are wrong or miss something; or
///         MODELWIRE_E_ARGUMENT for what is not UTF-8
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

/// Frees a client. Its calls go on and keep what they need; the function of modelwire_client_on_call is
/// still told of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_free(client: *mut modelwire_client) {
    guard_io((), || free(client));
}

/// Ends what a client does: refuses new calls, ends those under way with MODELWIRE_E_CLOSED, closes
/// its connections, and returns when every callback of its started calls has seen its last event, the
/// function of modelwire_client_on_call was told of every call, and every finalizer has returned. What a host or a plugin does before it goes away: nothing of it is
/// called by this client afterwards. Other clients are not touched.
///
/// @param client      the client; it is still to be freed
/// @param timeout_ms  longest wait in milliseconds; negative waits without end
/// @param err         what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a callback did not return in time: waiting again goes
///         on; or MODELWIRE_E_CALLBACK (see CALLBACKS)
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

/// What the answered chats and responses of a client used so far, in this process, as a JSON object:
/// "calls"; "calls_without_usage", those among them whose responses reported none; "input_tokens",
/// "output_tokens", "total_tokens"; of these "cached_input_tokens", "cache_write_tokens",
/// "reasoning_tokens", "audio_input_tokens", "audio_output_tokens"; "models", an object with the same
/// ten for each requested model; "keys", an object with all of this, "models" too, for each key; and
/// "key_id", the name in "keys" of the client's own key. Keys are named by the first 16 hexadecimal
/// digits, in lower case, of the SHA-256 of "modelwire:" and the key; of more than 4096 keys the last
/// ones are summed up as "other". Of more than 16384 models, those of each key counted, the last ones are
/// summed up as "(other)", as are those with names of more than 1024 bytes. Model lists and calls that failed or were stopped do not count. A sum
/// that would be larger than 2^63 - 1 is that.
///
/// @param client  the client
/// @return the sums as they are now; free them with modelwire_value_free; NULL for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_usage(
    client: *const modelwire_client,
) -> *mut modelwire_value {
    guard_or(null_mut(), || {
        let sums =
            |client: &modelwire_client| usage_json(&client.0.usage_by_key(), client.0.key_id());
        borrow(client).map_or(null_mut(), |given| modelwire_value::of_json(sums(given)).into_raw())
    })
}

/// What modelwire_client_usage gives, and sets all sums back to 0 in one step: a call that ends
/// meanwhile is in these sums or in the next ones, never in both and never in none. Of clients that
/// share their sums it takes those of all.
///
/// @param client  the client
/// @return the sums as they were; free them with modelwire_value_free; NULL for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_take_usage(
    client: *const modelwire_client,
) -> *mut modelwire_value {
    guard_or(null_mut(), || {
        let sums =
            |client: &modelwire_client| usage_json(&client.0.take_usage(), client.0.key_id());
        borrow(client).map_or(null_mut(), |given| modelwire_value::of_json(sums(given)).into_raw())
    })
}

/// Calls a function with the record of each call of a client, in place of an earlier function: once for each
/// call that was started, after it has ended, however it ended, in the order of the ends, on one thread of the library.
/// No call waits for the function, which may block and run calls. At most 4096 records wait for it, with 64 MiB of
/// answers and times of chunks; further ones are dropped, and the next event has their number ("dropped" of
/// modelwire_event_info). The function is called a moment after the program can see the end of the call;
/// modelwire_client_close waits for the last one. The same record is "timing" in modelwire_response_info
/// and in modelwire_error_value. A program with a loop uses modelwire_queue_follow_calls, without another thread.
///
/// An earlier function first gets the calls that ended before; its finalizer has returned when the new
/// function is called for the first time. The function lives as long as the client and its calls. It ends, after
/// what waits for it, at modelwire_client_close and at modelwire_shutdown, which wait for that; after a shutdown
/// it can be set again. A forked child has none: neither the function nor its finalizer is called there.
///
/// @param client     the client
/// @param on_call    called with one event of kind MODELWIRE_EVENT_CALL for each call, whose record
///                   modelwire_event_json and modelwire_event_value give; a nonzero return ends this; NULL
///                   ends it too, for calls that end from now on
/// @param user_data  handed to both functions; may be NULL
/// @param finalizer  releases user_data, once, when the function will not be called any more, on its
///                   thread, or here if this function fails; may be NULL
/// @param err        what is wrong, on failure, which leaves an earlier function as it is; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the client was closed, MODELWIRE_E_SHUTDOWN during a
///         shutdown; or MODELWIRE_E_ARGUMENT for NULL
///
/// Any thread, the function itself too.
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
