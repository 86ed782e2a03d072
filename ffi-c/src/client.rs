//! The client handle of C, and what its calls used so far.

use std::ffi::c_char;
use std::ptr::null_mut;

use modelwire_core::{Client, UsageSum};

use crate::boundary::{Handle, borrow, copy_text, free, hand_over, output, write};
use crate::config::modelwire_config;
use crate::error::{guard, modelwire_error};
use crate::status::{MODELWIRE_ABSENT, MODELWIRE_OK, modelwire_status};

/// A client of one service: may be shared between threads, which do not wait for each other.
pub struct modelwire_client(pub(crate) Client);

impl Handle for modelwire_client {
    const NAME: &'static str = "client";
}

/// Makes a client. Connects to nothing yet.
///
/// @param config  the configuration, copied; NULL means every default
/// @param out     the client; free it with modelwire_client_free
/// @param err     what is wrong, on failure; may be NULL
/// @return MODELWIRE_OK; MODELWIRE_E_CONFIG if the configuration is wrong or misses something
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_new(
    config: *const modelwire_config,
    out: *mut *mut modelwire_client,
    err: *mut *mut modelwire_error,
) -> modelwire_status {
    guard(err, || {
        let slot = output(out)?;
        let config = match config.is_null() {
            true => modelwire_core::Config::new(),
            false => borrow(config)?.to_core(),
        };
        Ok(hand_over(slot, modelwire_client(Client::new(config)?)))
    })
}

/// Frees a client. Its calls go on and keep what they need.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_free(client: *mut modelwire_client) {
    free(client);
}

/// What the answered chats and responses of a client used so far, over all models, in this
/// process. Model lists and calls that failed or were stopped do not count. A sum that would be
/// larger than UINT64_MAX is UINT64_MAX.
///
/// @param client         the client
/// @param calls          answered calls; may be NULL, like the others
/// @param calls_without_usage  those among them whose responses reported no usage, as streamed chats
///                       of many services do without "stream_options": the tokens lack them
/// @param input_tokens   as the responses reported them
/// @param output_tokens  as the responses reported them
/// @param total_tokens   as the responses reported them
/// @return MODELWIRE_OK, or MODELWIRE_E_ARGUMENT for a NULL client
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_usage(
    client: *const modelwire_client,
    calls: *mut u64,
    calls_without_usage: *mut u64,
    input_tokens: *mut u64,
    output_tokens: *mut u64,
    total_tokens: *mut u64,
) -> modelwire_status {
    guard(null_mut(), || {
        let sums = borrow(client)?.0.usage();
        let mut all = UsageSum::default();
        for sum in sums.values() {
            // Each is what services reported, of any size: a sum that ends is better than one that
            // starts again from 0.
            let add = |all: &mut u64, one: u64| *all = all.saturating_add(one);
            add(&mut all.calls, sum.calls);
            add(&mut all.calls_without_usage, sum.calls_without_usage);
            add(&mut all.tokens.input_tokens, sum.tokens.input_tokens);
            add(&mut all.tokens.output_tokens, sum.tokens.output_tokens);
            add(&mut all.tokens.total_tokens, sum.tokens.total_tokens);
        }
        write_usage(&all, [calls, calls_without_usage, input_tokens, output_tokens, total_tokens]);
        Ok(MODELWIRE_OK)
    })
}

/// As modelwire_client_usage, of the calls that asked for one model.
///
/// @param client         the client
/// @param model          the model's name as the requests named it
/// @param length         its length in bytes, or MODELWIRE_NUL
/// @param calls          answered calls; may be NULL, like the others
/// @param calls_without_usage  those among them whose responses reported no usage
/// @param input_tokens   as the responses reported them
/// @param output_tokens  as the responses reported them
/// @param total_tokens   as the responses reported them
/// @return MODELWIRE_OK; MODELWIRE_ABSENT if no call of this model was answered, and nothing is
///         written; or MODELWIRE_E_ARGUMENT for NULL
#[unsafe(no_mangle)]
pub unsafe extern "C" fn modelwire_client_usage_of_model(
    client: *const modelwire_client,
    model: *const c_char,
    length: usize,
    calls: *mut u64,
    calls_without_usage: *mut u64,
    input_tokens: *mut u64,
    output_tokens: *mut u64,
    total_tokens: *mut u64,
) -> modelwire_status {
    guard(null_mut(), || {
        let sums = borrow(client)?.0.usage();
        let model = copy_text("model", model, length)?;
        let Some(sum) = sums.get(&model) else { return Ok(MODELWIRE_ABSENT) };
        write_usage(sum, [calls, calls_without_usage, input_tokens, output_tokens, total_tokens]);
        Ok(MODELWIRE_OK)
    })
}

/// In the order of the parameters.
fn write_usage(sum: &UsageSum, out: [*mut u64; 5]) {
    let [calls, calls_without_usage, input_tokens, output_tokens, total_tokens] = out;
    write(calls, sum.calls);
    write(calls_without_usage, sum.calls_without_usage);
    write(input_tokens, sum.tokens.input_tokens);
    write(output_tokens, sum.tokens.output_tokens);
    write(total_tokens, sum.tokens.total_tokens);
}
