//! Floor 2. Does the I/O, on the I/O thread or on a waiting thread.

pub(crate) mod deferred_wakes;
#[allow(clippy::module_inception, reason = "the floor is named after its main room")]
pub(crate) mod driver;
pub(crate) mod external;
#[cfg(test)]
#[path = "driver/model_tests.rs"]
mod model;
pub(crate) mod offload;
pub(crate) mod runtime;
pub(crate) mod state;
pub(crate) mod thread;
pub(crate) mod wake_fd;
