//! libmodelwire, the C binding: handles, numbers and callbacks over the core, which does all HTTP and
//! parses all JSON.
//!
//! The comment at the top of `include/modelwire.h`, which comes from `cbindgen.toml`, is the
//! documentation for C programmers. Every function here has the same shape: check the arguments from C,
//! call the core once, convert the result.
//!
//! The files, from the bottom to the top. Each imports only from files before it in this table.
//!
//! | file | contents |
//! |---|---|
//! | `status` | the numbers of the ABI, and the status of each error kind |
//! | `boundary` | pointers from and to C, callbacks, panics: all `unsafe` code |
//! | `timeout`, `flags` | timeouts of waits; flags of calls and queues |
//! | `text` | NUL-terminated texts |
//! | `value`, `error` | a JSON text as a handle; the error, and `guard`, which turns the outcome of a function into a status |
//! | `field` | fields of a value, by path |
//! | `library` | version and shutdown |
//! | `request` | a request, from JSON text or field by field |
//! | `response`, `event`, `event_fn` | the result of a call, its events, and the type of the callback for them |
//! | `event_read` | many events, read in one call |
//! | `client` | a client, made from one JSON object, and the callback for call records |
//! | `attempt` | an attempt that is about to be sent, and the callback for it |
//! | `log` | the levels of the log |
//! | `queue` | the completion queue: calls by tag, their events in one place |
//! | `call` | one call with its own handle: blocking, or with callbacks |
//!
//! Whatever involves neither threads nor ownership is not a function but a member of a JSON text (an
//! option, a field of an error, a fact about a response): these are in the core's tables, and adding
//! one does not change the ABI.
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

// In the order of the header. The empty lines keep it: cargo fmt sorts adjacent modules.
mod status;

mod flags;

mod library;

mod client;

mod attempt;

mod request;

mod event_fn;

mod queue;

mod call;

mod event;

mod event_read;

mod response;

mod error;

mod value;

mod field;

mod log;
