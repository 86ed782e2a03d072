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

mod accumulate;
mod bell;
mod call;
mod client;
mod clock;
mod completion;
mod config;
mod connections;
mod deferred_wakes;
mod dispatch;
mod driver;
mod envelope;
mod error;
mod exchange;
mod external;
mod inflate;
mod json;
pub mod log;
#[cfg(all(test, modelwire_loom))]
mod models;
mod offload;
mod options;
mod queue;
mod reading;
mod ready;
mod request;
mod response;
mod retry;
mod reuse;
mod runtime;
mod sse;
mod stream;
mod sync;
mod tls;
mod transport;
mod twin;
mod value;
mod view;

pub use call::Call;
pub use client::{Client, UsageSum, UsageSums};
pub use completion::{CompletionQueue, Next};
pub use config::{
    API_KEY_VARIABLES, BASE_URL_VARIABLES, CONNECTIONS_MAX, Config, DRAIN_BYTES_MAX,
    DRAIN_TIME_MAX, ERROR_BODY_BYTES_MAX, ERROR_BODY_TIME_MAX, EVENT_BYTES_MAX, HEADERS_MAX,
    Limits, QUEUE_BYTES_MAX, QUEUE_EVENTS_MAX, RESPONSE_BYTES_MAX, Timeouts,
};
pub use dispatch::{Handler, is_callback_thread, shutdown};
pub use error::{ERROR_KINDS, Error, ErrorKind, Metered, Result, TimeoutPhase};
pub use json::{JSON_DEPTH_MAX, JsonError};
pub use queue::{Event, Pop};
pub use ready::Ready;
pub use request::{Endpoint, Request};
pub use response::{CalledTool, End, Head, Response};
pub use retry::{RETRY_WAIT_MAX, RetryPolicy};
pub use stream::{Blocking, BlockingStream, Stream};
pub use value::{Kind, Value};
pub use view::{Choice, Chunk, Document, ELEMENTS_MAX, ToolCall, Usage, output_text};

/// The parsers alone, for fuzzing, benchmarks and tools: bytes to events, text to chunks.
pub mod parse {
    pub use crate::accumulate::{Gatherer, ResponseTooLarge};
    pub use crate::sse::{Decoder, Event, EventTooLarge};

    /// Views one event's data as a chunk.
    pub fn chunk(event: &str, text: &str) -> Result<crate::Chunk, crate::JsonError> {
        crate::Chunk::scan(event, text)
    }

    /// Views a whole answer.
    pub fn document(text: &str) -> Result<crate::Document, crate::JsonError> {
        crate::Document::scan(text.into())
    }

    /// Gathers chunks into the answer, and says whether all of them fit.
    pub fn gather<'a>(
        endpoint: crate::Endpoint,
        response_bytes_max: usize,
        chunks: impl IntoIterator<Item = crate::Value<'a>>,
    ) -> (String, bool) {
        let mut gatherer = Gatherer::new(endpoint, response_bytes_max);
        let mut fit = true;
        for chunk in chunks {
            fit &= gatherer.add(chunk).is_ok();
        }
        (gatherer.json(), fit)
    }

    /// The chunks that a stream would have sent for this document: event names and JSON.
    pub fn chunks_of(
        endpoint: crate::Endpoint,
        document: crate::Value<'_>,
    ) -> Vec<(String, String)> {
        crate::accumulate::chunks_of_document(endpoint, document)
    }

    /// The error of an answer with this status, or of an event of a stream where there is none,
    /// as a client of this configuration reports it.
    pub fn error_of(
        config: crate::Config,
        status: Option<u16>,
        body: &str,
    ) -> crate::Result<crate::Error> {
        let key = config.validate()?.api_key;
        let masked = key.mask(body);
        let error = match status {
            Some(status) => crate::Error::from_response(crate::error::FailedAnswer {
                status,
                body: &masked,
                request_id: None,
                retry_after: None,
            }),
            None => crate::Error::from_event(body),
        };
        Ok(error.masked(|text| key.mask(text).into_owned()))
    }

    /// The bytes of a request's body as they are sent; empty where it has none.
    pub fn body(request: crate::Request, stream: bool) -> crate::Result<Vec<u8>> {
        let prepared = request.prepare(stream, false)?;
        Ok(prepared.body.map(Vec::from).unwrap_or_default())
    }
}

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
