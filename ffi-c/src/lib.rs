//! libmodelwire, the C binding: handles, numbers and callbacks over the core, which does all HTTP
//! and reads all JSON.
//!
//! What C programmers have to know stands at the head of `include/modelwire.h`; that text comes
//! from `cbindgen.toml`. Every function here does the same: check what came from C, call the core
//! once, convert what it gives.
//!
//! The files, from the bottom to the top. Each imports only from files that
//! stand before it in this table.
//!
//! | file | what it has |
//! |---|---|
//! | `status` | the numbers of the ABI, and which error has which |
//! | `boundary` | pointers from C and to C, callbacks, panics: all `unsafe` code stands here |
//! | `text` | texts with a NUL behind them, and `texts!`, which writes the functions that give one |
//! | `error` | the error object, and `guard`, which makes a status of whatever a function does |
//! | `library`, `log` | version and shutdown; the log |
//! | `config`, `client` | what a client is made of; the client and what its calls used |
//! | `request` | a request, from JSON text or field by field |
//! | `response`, `event` | what a call gives at its end, and on its way |
//! | `field` | any field of a response or an event, by its path |
//! | `queue` | the completion queue: events of many calls in one place |
//! | `call` | one exchange, in each of the ways to run it |
//!
//! A new text of a response, an event or an error: one line in a `texts!` table there, one line in
//! `include/modelwire.hpp`, one line of data in `tests/c/scenarios/texts.h`. `make header` writes the rest, and tests name what is missing.
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

// In the order in which the header shows them, which the empty lines keep: cargo fmt sorts modules
// that stand together.
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
