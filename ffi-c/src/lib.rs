//! The C face of modelwire: handles, numbers and callbacks over the core. Knows no HTTP and
//! parses no JSON of the service.
//!
//! The conventions that C programmers see stand at the head of `include/modelwire.h` (they come
//! from `cbindgen.toml`). Every function here is: boundary, convert, one core call, return.
//! `unsafe` stands in `boundary` and in the signatures.
#![allow(
    non_camel_case_types,
    reason = "the names are C's: one lower-case prefix for functions and types"
)]
#![allow(
    clippy::missing_safety_doc,
    reason = "the rules for all pointers stand once, in the header's conventions"
)]

mod boundary;
mod text;

// In the order in which the header shows them.
mod status;

mod library;

mod log;

mod config;

mod client;

mod request;

mod call;

mod queue;

mod event;

mod response;

mod field;

mod error;
