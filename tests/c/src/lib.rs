//! Builds libmodelwire and C programs against it, and runs them: what the tests of C share.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod build;
mod program;
mod replay;
mod scenario;

pub use build::{Library, compile_with, difference, forgotten_scenarios, root};
pub use program::{Ended, Program};
pub use replay::{Case, Told, replay};
pub use scenario::{
    chat_answer, chat_chunk, played, scenario, scenarios, scripted, silent, stalling, text_samples,
};
