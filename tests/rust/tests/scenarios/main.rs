//! The core's scenarios over real sockets, against the played service and scripts: this file lists
//! them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod adaptive;
mod calls;
mod cancelling;
mod driver;
#[path = "../ended/mod.rs"]
mod ended;
mod errors;
mod external;
mod flow;
mod gather;
mod interrupts;
mod io_threads;
mod lifecycle;
mod logs;
mod lone_waiters;
mod owned;
mod processes;
mod records;
mod retries;
mod spans;
mod streams;
mod support;
mod system;
mod timeouts;
mod together;
mod tools;
mod transport;
