//! A mock of an OpenAI-compatible inference service on loopback, for tests of programs that call one.
//!
//! **For tests only.** It runs no model, accepts one well-known key, listens on loopback only, and must
//! never serve real users. It has two parts:
//!
//! - The *played service*: `GET /v1/models`, `POST /v1/chat/completions` and `POST /v1/responses` with
//!   authentication, errors, a rate limit, metering, and models that echo the last user message. Each model
//!   shows one behaviour: `echo`, `echo-stream-only`, `echo-reasoning`, `echo-tools`, `limited`,
//!   `recovers`, `forbidden`, `broken`, `cut`, `error-in-stream`, `slow`. Not listed are those that play
//!   faults of real servers: `flat-error`, `unended-error`, `no-mark`, `no-reason`, `late-end`.
//! - *Scripts*: exact bytes with any splits, pauses, cuts and resets, registered by name, each under a
//!   separate base URL.
//!
//! The played service can be put under *load*, see [`load`]: limits of the rate, of the concurrency, of its
//! growth, or of tokens, beyond which calls are refused; a queue; long requested waits; random 500s; and
//! slow answers. Only admitted and answered calls are metered. Simulations in virtual time use the same
//! model.
//!
//! In between are *replies*: answers queued for the next requests to the played service, in the form that
//! each request asks for, optionally with faults.
//!
//! It runs on its own thread, so it can be inside the process of a test. Each open connection uses a file
//! descriptor (two if the client is in the same process); if needed, the test raises the process's limit.
//!
//! Tests in other languages control it over HTTP:
//!
//! | request | effect |
//! |---|---|
//! | `PUT /_control/scripts/NAME` | registers a script, answers `{"base_url": "..."}` |
//! | `PUT /_control/load` | plays a load from now on: `{"at-once": 8, "latency-ms": 50}`, with the names of `load::Load::set`; `{}` for none |
//! | `GET /_control/requests/NAME` | lists the requests that reached it (no name: the service) |
//! | `GET /_control/state` | connections, open connections, metered usage, and counts of the load |
//! | `POST /_control/clear` | forgets requests, meters, rate-limit state and queued answers, but not the scripts and the load |
//!
//! ```
//! # use std::io::{Read, Write};
//! use modelwire_testing::Service;
//!
//! let service = Service::start()?;
//! let mut connection = std::net::TcpStream::connect(service.address())?; // or your client
//! connection.write_all(b"GET /v1/models HTTP/1.1\r\nAuthorization: Bearer sk-test\r\n\r\n")?;
//! # let mut answer = [0; 15];
//! # connection.read_exact(&mut answer)?;
//! # assert_eq!(&answer, b"HTTP/1.1 200 OK");
//! assert_eq!(service.recorded("").len(), 1);
//! # Ok::<(), std::io::Error>(())
//! ```
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
mod record;
mod recording;
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
pub use record::{Connection, Upstream};
pub use recording::{Pace, Replay};
pub use reply::{Event, Reply, Says, Text};
pub use script::{Exchange, Script, Step};
pub use service::{Options, Service};
pub use state::{Metered, Recorded};
