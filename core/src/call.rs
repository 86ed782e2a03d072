//! Floor 3. One call, from its start to its `Done`: attempts, the whole or streamed answer, and the
//! event queue.

pub(crate) mod admission;
pub(crate) mod attempts;
pub(crate) mod before_attempt;
pub(crate) mod body;
#[allow(clippy::module_inception, reason = "the floor is named after its main room")]
pub(crate) mod call;
pub(crate) mod deadlines;
pub(crate) mod document;
pub(crate) mod exchange;
pub(crate) mod foreign;
pub(crate) mod hint;
pub(crate) mod hook;
pub(crate) mod observers;
pub mod pace;
pub(crate) mod queue;
pub(crate) mod recorder;
pub(crate) mod retry;
pub(crate) mod session;
pub(crate) mod stream_events;
pub(crate) mod stream_reader;
pub(crate) mod task;
pub(crate) mod tracing_spans;
pub(crate) mod upstreams;
