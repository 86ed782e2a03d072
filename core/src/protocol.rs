//! Floor 0. Bytes and text of the protocol: server-sent events, JSON, and the fields of chunks and answers.
//! Pure: no I/O, no clock, no thread, no tokio.

pub(crate) mod accumulate;
pub(crate) mod choice;
pub(crate) mod chunk;
pub(crate) mod delta_scan;
pub(crate) mod document;
pub(crate) mod document_chunks;
pub(crate) mod endpoint;
pub(crate) mod error_body;
pub(crate) mod escapes;
pub(crate) mod json;
pub(crate) mod offsets;
pub(crate) mod one_or_more;
pub(crate) mod outline;
pub(crate) mod reader;
mod serialized;
pub(crate) mod shape;
pub(crate) mod slab;
pub(crate) mod span;
pub(crate) mod sse;
pub(crate) mod steps;
pub(crate) mod text;
pub(crate) mod usage;
pub(crate) mod value;
