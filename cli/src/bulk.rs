//! The command `modelwire bulk`: a job of the crate `modelwire-bulk` from its arguments to its exit code,
//! and its output for people and programs.

pub(crate) mod arguments;
mod job;
mod numbers;
mod progress;
mod projection;
mod question;
mod summary;
mod words;
