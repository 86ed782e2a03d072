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
//! | `timeout`, `flags` | timeouts of waits; what calls and queues are made with |
//! | `text` | texts with a NUL behind them |
//! | `value`, `error` | a JSON text as a handle; the error, and `guard`, which makes a status of whatever a function does |
//! | `field` | what stands in a value, by its path |
//! | `library` | version and shutdown |
//! | `request` | a request, from JSON text or field by field |
//! | `response`, `event`, `event_fn` | what a call gives at its end, and on its way, and who takes it |
//! | `client` | a client, made from one JSON object, and who is told of its calls |
//! | `log` | the log, to a callback |
//! | `queue` | the completion queue: calls by tag, their events in one place |
//! | `call` | one exchange with a handle of its own: blocking, or with callbacks |
//!
//! What concerns no thread and no ownership is no function but a member of a JSON text (an option, an
//! error's field, what is known of a response): the core's tables have those, and a new one is no
//! change of the ABI.
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
mod timeout;

// In the order in which the header shows them, which the empty lines keep: cargo fmt sorts modules
// that stand together.
mod status;

mod flags;

mod library;

mod client;

mod request;

mod event_fn;

mod queue;

mod call;

mod event;

mod response;

mod error;

mod value;

mod field;

mod log;
