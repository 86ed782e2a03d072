//! The C library inside other programs: this file lists what is tried. Run with `tests/release/test-hosts`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod build;
mod coroutines;
mod embedded;
mod headers;
mod http;
mod json;
mod loops;
mod page;
mod plugins;
mod postgres;
mod postgres_server;
mod running;
mod scripts;
mod sqlite;
