//! The command `modelwire bulk`: a job of the crate `modelwire-bulk` from its arguments to its exit code,
//! and what a person or a program is shown of it.

pub(crate) mod arguments;
mod job;
mod numbers;
mod progress;
mod projection;
mod question;
mod summary;
mod words;
