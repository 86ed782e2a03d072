//! Floor 4. The delivery of events to a program: many calls in one queue, a descriptor for event loops,
//! handlers on a thread, the log.

pub(crate) mod callbacks;
pub(crate) mod completion;
pub mod log;
pub(crate) mod many;
#[cfg(all(test, modelwire_loom))]
#[path = "delivery/models_tests.rs"]
mod models;
pub(crate) mod observer;
pub(crate) mod ready;
pub(crate) mod shutdown;
