//! The loopback test service: starts and stops it, and lets a test look inside.
//!
//! **A stand-in for tests.** It runs no model, checks one key that everyone knows, listens on
//! loopback only, and must never serve anybody in earnest. It has two faces:
//!
//! - It *plays the service*: `GET /v1/models`, `POST /v1/chat/completions` and
//!   `POST /v1/responses` with authentication, errors, a rate limit, metering, and models that
//!   echo what they are told. Each model shows one behaviour: `echo`, `echo-stream-only`,
//!   `echo-reasoning`, `echo-tools`, `limited`, `recovers`, `forbidden`, `broken`, `cut`,
//!   `error-in-stream`, `slow`. Not listed are those that play faults of real servers: `flat-error`,
//!   `unended-error`, `no-mark`, `no-reason`, `late-end`.
//! - It *plays scripts*: exact bytes with any split, pauses, cuts and resets, registered by name
//!   and reached under a base URL of their own.
//!
//! What is played can be put under *load*, see [`load`]: a rate, a number at once, a slope or a rate
//! of tokens beyond which calls are refused, a queue, long waits that are asked for, random 500s, and
//! answers that take their time. Only what was let in and answered is metered. The same model of it
//! serves simulations in virtual time.
//!
//! Between the two stand *replies*: answers queued for the next requests to the played service,
//! in the shape that each request asks for, with faults worked in.
//!
//! It runs on a thread of its own, so that it can live inside the process of a test. Each open
//! connection costs a file descriptor (two, when the client lives in the same process); raising
//! the limit of the process is the business of the test.
//!
//! Tests in other languages steer it over HTTP:
//!
//! | request | does |
//! |---|---|
//! | `PUT /_control/scripts/NAME` | registers a script, answers `{"base_url": "..."}` |
//! | `PUT /_control/load` | plays a load from now on: `{"at-once": 8, "latency-ms": 50}`, by the names of `load::Load::set`; `{}` for none |
//! | `GET /_control/requests/NAME` | lists the requests that reached it (no name: the service) |
//! | `GET /_control/state` | connections, open connections, what was metered, what the load let in |
//! | `POST /_control/clear` | forgets requests, meters, rate-limit state and queued answers, not the scripts and which load is played |
#![forbid(unsafe_code)]

mod answer;
mod arguments;
mod ask;
mod chat;
mod connection;
mod control;
mod control_script;
mod event_stream;
mod fault;
mod http;
mod json;
pub mod load;
mod model;
mod played;
mod problem;
mod reply;
mod response;
mod script;
mod service;
mod state;
mod ticket;
mod wire;

pub use answer::{Finish, Reported, ToolCall};
pub use arguments::{ARGUMENTS, Argument};
pub use fault::{Fault, Point};
pub use reply::{Event, Reply, Says, Text};
pub use script::{Exchange, Script, Step};
pub use service::{Options, Service};
pub use state::{Metered, Recorded};
