//! Client for OpenAI-compatible model inference services: list models, chat completions,
//! responses; streamed or whole.
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
//! The async methods of [`Client`] work under any runtime: the I/O runs on a thread of the
//! library's own, or on the program's tokio runtime ([`Config::runtime`]), and what arrives waits
//! in a bounded queue, [`Call`], under every way of consuming it. The rules that the service's specification sets are named R-… where they are
//! honoured.

mod call;
mod client;
mod config;
mod delivery;
mod driver;
mod error;
mod http;
mod options;
pub mod parse;
mod protocol;
mod request;
mod response;
mod stream;
mod sync;

pub use call::call::Call;
pub use call::queue::{Event, Pop};
pub use call::retry::{RETRY_WAIT_MAX, RetryPolicy};
pub use client::{Client, UsageSum, UsageSums};
pub use config::{
    API_KEY_VARIABLES, BASE_URL_VARIABLES, CONNECTIONS_MAX, Config, DRAIN_BYTES_MAX,
    DRAIN_TIME_MAX, ERROR_BODY_BYTES_MAX, ERROR_BODY_TIME_MAX, EVENT_BYTES_MAX, HEADERS_MAX,
    Limits, QUEUE_BYTES_MAX, QUEUE_EVENTS_MAX, RESPONSE_BYTES_MAX, Timeouts,
};
pub use delivery::callbacks::{Handler, is_callback_thread, shutdown};
pub use delivery::completion::{CompletionQueue, Next};
pub use delivery::log;
pub use delivery::ready::Ready;
pub use error::{ERROR_KINDS, Error, ErrorKind, Metered, Result, TimeoutPhase};
pub use protocol::choice::{Choice, ToolCall};
pub use protocol::chunk::Chunk;
pub use protocol::document::{Document, output_text};
pub use protocol::endpoint::Endpoint;
pub use protocol::json::{JSON_DEPTH_MAX, JsonError};
pub use protocol::spans::ELEMENTS_MAX;
pub use protocol::usage::Usage;
pub use protocol::value::{Kind, Value};
pub use request::Request;
pub use response::{CalledTool, End, Head, Response};
pub use stream::{Blocking, BlockingStream, Stream};

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
