//! Floor 1. Requests: as a program builds them, and checked and ready to send.

pub(crate) mod body;
pub(crate) mod message;
pub(crate) mod prepared;
#[allow(clippy::module_inception, reason = "the folder is named after its main file")]
pub(crate) mod request;
pub(crate) mod run_tools;
#[cfg(feature = "schemars")]
mod schema;
pub(crate) mod tool;
