//! What needs real programs or much of a machine: this file lists it. Run with `make test-deep`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod driver;
mod forks;
mod http2;
mod many;
mod programs;
mod proxies;
mod records;
mod refusals;
mod secure;
mod support;
mod tls;
