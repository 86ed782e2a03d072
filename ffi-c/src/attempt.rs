//! An attempt that is about to be sent, and the callback that may add headers to it or refuse it.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, OnceLock};

use modelwire_core::BeforeAttempt;

use crate::boundary::{Callback, Handle, borrow, copy_text, modelwire_finalizer};
use crate::client::modelwire_client;
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_OK, modelwire_status};
use crate::text::{Text, give};

/// An attempt of a call that is about to be sent, for the callback of modelwire_client_before_attempt.
pub struct modelwire_attempt {
    core: Arc<BeforeAttempt>,
    json: OnceLock<Text>,
    body: OnceLock<Text>,
}

impl Handle for modelwire_attempt {
    const NAME: &'static str = "attempt";
}

/// Called before each attempt.
///
/// @param user_data  the pointer that was passed with the callback
/// @param attempt    valid during the callback
/// @return 0 to send the attempt; any other value refuses it
///
/// It may call what on_call may (the table under CALLBACKS above), but modelwire_call_wait for its own call returns
/// MODELWIRE_E_CALLBACK. It must not throw, longjmp or end its thread (pthread_exit) through the library.
pub type modelwire_attempt_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, attempt: *const modelwire_attempt) -> i32>;

/// Sets the callback that runs before each attempt of each call of a client, also before retries and before
/// moves to another base URL: to sign requests, audit them, or add headers. It replaces an earlier callback.
///
/// It runs on helper threads of the library, never on the I/O thread, at most 256 at once in the process; its
/// call holds one of connections_max connections meanwhile. A call whose attempt it refuses ends with
/// MODELWIRE_E_CALLBACK, and nothing more is sent; the message has the number that it returned. It may take as
/// long as the call has left (total_timeout_ms), and at most 30 s; a later return is ignored.
///
/// @param client          the client
/// @param before_attempt  the callback; NULL removes an earlier one, for attempts that begin from now on
/// @param user_data       passed to both functions; may be NULL
/// @param finalizer       releases user_data, once, when the callback was replaced or removed, the client
///                        closed or freed with all its calls, and no attempt runs it any more; on any thread,
///                        or on this thread if this function fails; may be NULL
/// @param err             the error, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CLOSED if the client was closed; or MODELWIRE_E_ARGUMENT for a NULL
///         client
///
/// Any thread. modelwire_client_close waits until no callback runs, and releases user_data; modelwire_shutdown
/// waits for it as well.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_before_attempt(
    client: *const modelwire_client,
    before_attempt: modelwire_attempt_fn,
    user_data: *mut c_void,
    finalizer: modelwire_finalizer,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let callback = Callback::new(before_attempt, user_data, finalizer);
        let client = borrow(client)?.0.clone();
        match callback.is_none() {
            true => client.clear_before_attempt()?,
            false => client.before_attempt(move |attempt: &Arc<BeforeAttempt>| {
                let (core, json, body) = (attempt.clone(), OnceLock::new(), OnceLock::new());
                match callback.ask(modelwire_attempt { core, json, body }) {
                    0 => Ok(()),
                    returned => Err(format!("it returned {returned}")),
                }
            })?,
        }
        Ok(MODELWIRE_OK)
    })
}

/// What is known of an attempt, as a JSON object: "operation", "models", "chat" or "responses"; "url", with its
/// query; "number", that of the attempt of its call, from 1.
///
/// @param attempt  the attempt
/// @param length   its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_attempt_json(
    attempt: *const modelwire_attempt,
    length: *mut usize,
) -> *const c_char {
    give(attempt, length, |attempt| {
        Some(attempt.json.get_or_init(|| Text::new(&attempt.core.to_json())).ready())
    })
}

/// The request body of an attempt, a JSON text; empty for a model list.
///
/// @param attempt  the attempt
/// @param length   its length in bytes; may be NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_attempt_body(
    attempt: *const modelwire_attempt,
    length: *mut usize,
) -> *const c_char {
    give(attempt, length, |attempt| {
        let body = || Text::new(&String::from_utf8_lossy(attempt.core.body()));
        Some(attempt.body.get_or_init(body).ready())
    })
}

/// Sets a header of this attempt; it replaces one of the client or the request.
///
/// @param attempt  the attempt
/// @param name     the name
/// @param name_length   its length in bytes, or MODELWIRE_NUL
/// @param value    the value; that of "authorization" replaces the API key, and is not redacted where the
///                 service echoes it
/// @param value_length  its length in bytes, or MODELWIRE_NUL
/// @param err      the error, on failure; may be NULL
/// @return MODELWIRE_OK; or MODELWIRE_E_ARGUMENT for an invalid name or value, and for a header that the library
///         sets itself
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_attempt_set_header(
    attempt: *const modelwire_attempt,
    name: *const c_char,
    name_length: usize,
    value: *const c_char,
    value_length: usize,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let attempt = borrow(attempt)?;
        let name = copy_text("name", name, name_length)?;
        attempt.core.set_header(name, copy_text("value", value, value_length)?)?;
        Ok(MODELWIRE_OK)
    })
}
