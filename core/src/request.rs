//! Floor 1. What a call asks: a request as a program builds it, and the same checked and ready.

pub(crate) mod prepared;
#[allow(clippy::module_inception, reason = "the folder is named after its main file")]
pub(crate) mod request;
