//! The example that Rust programmers copy, run as they would run it; its output is compared.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use modelwire_tests_c::{
    demo_goes_on_where_responses_are_not_served, demo_goes_on_where_the_model_only_streams,
    demo_shows_everything_in_order, demo_takes_the_model_from_the_environment,
    demo_tells_a_failure, rust_example,
};

fn demo() -> &'static Path {
    static DEMO: OnceLock<PathBuf> = OnceLock::new();
    DEMO.get_or_init(|| rust_example("demo"))
}

#[test]
fn shows_everything_in_order() {
    demo_shows_everything_in_order(demo());
}

#[test]
fn continues_if_the_model_only_streams() {
    demo_goes_on_where_the_model_only_streams(demo());
}

#[test]
fn continues_if_responses_are_not_served() {
    demo_goes_on_where_responses_are_not_served(demo());
}

#[test]
fn takes_the_model_from_the_environment() {
    demo_takes_the_model_from_the_environment(demo());
}

#[test]
fn reports_a_failure() {
    demo_tells_a_failure(demo());
}
