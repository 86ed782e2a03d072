//! Floor 0. Bytes and text of the protocol: server-sent events, JSON, and what stands in a chunk or
//! an answer. Pure: no I/O, no clock, no thread, no tokio. Imports nothing of the floors above.

pub(crate) mod accumulate;
pub(crate) mod delta_scan;
pub(crate) mod error_body;
pub(crate) mod json;
pub(crate) mod sse;
pub(crate) mod value;
pub(crate) mod view;
