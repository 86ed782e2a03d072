//! Builds libmodelwire and C programs against it, and runs them: what the tests of C share.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod build;
mod demo;
mod program;
mod replay;
mod scenario;

pub use build::{Library, compile_with, difference, forgotten_scenarios, root, rust_example};
pub use demo::{
    check_wrong_key, demo_goes_on_where_responses_are_not_served,
    demo_goes_on_where_the_model_only_streams, demo_shows_everything_in_order,
    demo_takes_the_model_from_the_environment, demo_tells_a_failure,
};
pub use program::{Ended, Program};
pub use replay::{Case, Told, replay, told};
pub use scenario::{
    accessor_samples, chat_answer, chat_chunk, check_adaptive, detailed_usage, played, scenario,
    scenarios, scripted, silent, stalling, stalling_at_once, text_samples,
};
