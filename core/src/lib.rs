//! Client for OpenAI-compatible model inference services: model lists, chat completions and responses,
//! streamed or whole.
//!
//! ```no_run
//! use modelwire::{Client, Request};
//!
//! fn main() -> modelwire::Result<()> {
//!     // MODELWIRE_BASE_URL and MODELWIRE_API_KEY (or OPENAI_BASE_URL and OPENAI_API_KEY)
//!     let client = Client::from_env()?;
//!     for chunk in client.blocking().stream(Request::chat("a-model").user("Say hello."))? {
//!         print!("{}", chunk?.text());
//!     }
//!     Ok(())
//! }
//! ```
//!
//! The async methods of [`Client`] work under any runtime: the I/O runs on the library's own thread, or
//! on the program's tokio runtime ([`Config::runtime`]). What arrives waits in a bounded queue,
//! [`Call`], which is the basis of every way to consume it. Rules from the service's specification are
//! marked R-… where the code implements them.
//!
//! What is read ([`Document`], [`Chunk`], [`Value`], [`Response`], [`Usage`], [`CalledTool`], [`Error`] and
//! [`CallRecord`]) implements serde's `Serialize`, as the JSON that was sent; documents, chunks, usage and
//! tool calls also `Deserialize`.
//!
//! The crate runs on Unix and Windows. On wasm32 nothing of it does: timeouts, retries and streams need
//! threads and sockets, which a browser and WASI do not give a library.

#![cfg_attr(not(feature = "bindings"), allow(dead_code, reason = "bindings call it"))]

mod answer;
mod call;
mod client;
mod delivery;
mod driver;
mod http;
mod options;
pub mod parse;
mod protocol;
mod request;
mod stream;
mod system;

pub use answer::bottleneck::Bottleneck;
pub use answer::error::{Error, Result};
pub use answer::error_kind::{ErrorKind, Metered, TimeoutPhase};
pub use answer::head::Head;
pub use answer::parsed::NotParsed;
pub use answer::rate_limits::{RateLimit, RateLimits};
pub use answer::record::{AttemptRecord, CallRecord, CancelledBy, WaitReason, WaitRecord};
pub use answer::response::{CalledTool, End, Response};
pub use answer::usage_sums::{UsageByKey, UsageSum, UsageSums};
pub use call::before_attempt::BeforeAttempt;
pub use call::call::{Call, Canceller};
pub use call::observers::CallEnded;
pub use call::queue::{Event, Pop};
pub use client::Client;
pub use delivery::callbacks::Handler;
pub use delivery::completion::{CompletionQueue, QueueOptions};
pub use delivery::log;
pub use delivery::many::{Next, Taken};
pub use delivery::shutdown::shutdown;
pub use driver::runtime::set_io_threads;
pub use options::api_key::key_id;
pub use options::base_urls::BaseUrl;
pub use options::bounds::Limits;
pub use options::config::Config;
pub use options::retry_policy::RetryPolicy;
pub use options::timeouts::{Timeout, Timeouts};
pub use protocol::choice::{Choice, ToolCall};
pub use protocol::chunk::Chunk;
pub use protocol::document::Document;
pub use protocol::endpoint::Endpoint;
pub use protocol::json::JsonError;
pub use protocol::usage::Usage;
pub use protocol::value::{Kind, Value};
pub use request::message::Message;
pub use request::request::Request;
pub use request::run_tools::{ToolRun, ToolRunError};
pub use request::tool::Tool;
pub use stream::{Blocking, BlockingStream, Stream};

/// Fixed limits, the defaults of those that a client can set ([`Limits`]), and the names under which
/// usage beyond a limit is summed up.
pub mod limits {
    pub use crate::answer::rate_limits::OTHER_LIMITS_MAX;
    pub use crate::answer::record::{ATTEMPTS_RECORDED_MAX, CHUNK_TIMES_MAX, WAITS_RECORDED_MAX};
    pub use crate::answer::usage_sums::{
        OTHER_KEYS, OTHER_MODELS, USAGE_KEYS_MAX, USAGE_MODELS_MAX,
    };
    pub use crate::call::hook::{BEFORE_ATTEMPT_TIME_MAX, BEFORE_ATTEMPTS_MAX};
    pub use crate::call::observers::{RECORDS_WAITING_BYTES_MAX, RECORDS_WAITING_MAX};
    pub use crate::driver::runtime::IO_THREADS_MAX;
    pub use crate::options::base_urls::{BASE_URLS_MAX, WEIGHT_MAX};
    pub use crate::options::bounds::{
        CONNECTIONS_MAX, DRAIN_BYTES_MAX, DRAIN_TIME_MAX, ERROR_BODY_BYTES_MAX,
        ERROR_BODY_TIME_MAX, EVENT_BYTES_MAX, HEADERS_MAX, IDLE_CONNECTION_MS_MAX,
        IDLE_CONNECTIONS_MAX, QUEUE_BYTES_MAX, QUEUE_EVENTS_MAX, RESPONSE_BYTES_MAX,
    };
    pub use crate::options::retry_policy::RETRY_WAIT_MAX;
    pub use crate::protocol::document::MODELS_MAX;
    pub use crate::protocol::json::JSON_DEPTH_MAX;
    pub use crate::protocol::offsets::ELEMENTS_MAX;
}

/// Items only for bindings to other languages, the command and bulk jobs; not covered by semver.
#[cfg(feature = "bindings")]
#[doc(hidden)]
pub use {
    answer::error_kind::ERROR_KINDS,
    answer::json_view::usage_json,
    answer::usage_sums::usage_by_model,
    call::foreign::is_callback_thread,
    call::pace,
    delivery::ready::Ready,
    delivery::shutdown::shutdown_for_good,
    driver::thread::stack_left,
    options::bounds::Limit,
    options::config::{API_KEY_VARIABLES, BASE_URL_VARIABLES},
    options::kinds::{NamedOption, OptionKind},
    protocol::document::{model_name, output_reasoning, output_text},
    protocol::outline::{Outline, Part},
    system::{Descriptor, without_thread_cancellation},
};

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
