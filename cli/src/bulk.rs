//! The command `modelwire bulk`: a job of the crate `modelwire-bulk` from its arguments to its exit code,
//! and its output for people and programs.

mod arguments;
pub(crate) mod command;
mod job;
mod limits;
pub(crate) mod numbers;
mod progress;
mod projection;
mod question;
mod set;
mod status;
mod summary;
mod words;
