//! The client handle of C, and what its calls used so far. Knows no call.

use std::ffi::c_char;
use std::ptr::null_mut;

use modelwire_core::{Client, Config, usage_json};

use crate::boundary::{Handle, borrow, borrow_text, free, guard_or, output};
use crate::error::{guard, modelwire_error};
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

/// Frees a client. Its calls go on and keep what they need.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_free(client: *mut modelwire_client) {
    free(client);
}

/// Ends what a client does: refuses new calls, ends those under way with MODELWIRE_E_CLOSED, closes
/// its connections, and returns when every callback of its started calls has seen its last event and
/// every finalizer has returned. What a host or a plugin does before it goes away: nothing of it is
/// called by this client afterwards. Other clients are not touched.
///
/// @param client      the client; it is still to be freed
/// @param timeout_ms  longest wait in milliseconds; negative waits without end
/// @param err         what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_TIMEOUT if a callback did not return in time: waiting again goes
///         on; or MODELWIRE_E_CALLBACK from inside a callback of this client, whose end it would
///         have to wait for: nothing was done
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
/// "output_tokens", "total_tokens"; and "models", an object with the same five for each requested
/// model. Model lists and calls that failed or were stopped do not count. A sum that would be larger
/// than 2^63 - 1 is that.
///
/// @param client  the client
/// @return the sums as they are now; free them with modelwire_value_free; NULL for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_usage(
    client: *const modelwire_client,
) -> *mut modelwire_value {
    guard_or(null_mut(), || {
        let sums = |client: &modelwire_client| usage_json(&client.0.usage());
        borrow(client).map_or(null_mut(), |given| modelwire_value::of_json(sums(given)).into_raw())
    })
}
