//! Bulk jobs: rows in, results out, as fast as the service allows; nothing lost and nothing paid twice
//! unawares.
//!
//! # How a row goes
//!
//! `input` reads it → `row` names it → `job` asks the `ledger` whether it was done before → the `engine`
//! lets the `controller` of its model admit it → the `store` notes in the journal that it is about to be
//! sent, on disk → it is sent → the outcome comes → the `store` writes the result, on disk, and then that
//! it is known. What the service refused for its rate (429) was not processed: it waits and goes again.

pub(crate) mod arguments;
pub mod budget;
pub mod controller;
pub mod engine;
pub mod input;
pub mod job;
pub mod ledger;
pub mod numbers;
pub mod output;
pub mod pilot;
pub mod prices;
pub mod progress;
pub mod row;
pub mod store;
pub mod summary;
