//! Bulk jobs: rows in, results out, as fast as the service allows; nothing lost and nothing paid twice
//! unawares.
//!
//! # How a row goes
//!
//! `input` reads it → `row` names it → the `ledger` knows whether it was done before → the `engine`
//! lets the `controller` of its model admit it → the `store` notes in the journal that it is about to be
//! sent, on disk → it is sent → the outcome comes → the `store` writes the result, on disk, and then that
//! it is known. What the service refused for its rate (429) was not processed: it waits and goes again.

pub mod budget;
pub mod controller;
pub mod engine;
mod error;
pub mod input;
pub mod ledger;
mod money;
pub mod output;
pub mod pilot;
pub mod prices;
pub mod row;
pub mod store;
mod system;

pub use error::{Direction, Error, ErrorKind, Kept, MemberFault, OptionsError, said};
