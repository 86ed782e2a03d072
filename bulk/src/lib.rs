//! Bulk jobs: rows in, results out, as fast as the service allows. No row is lost, and rows
//! whose outcome is unknown are listed.
//!
//! # The path of a row
//!
//! `input` reads it → `row` names it → the `ledger` knows whether it was done before → `answers` may have one
//! to copy → the `controller`
//! of its model admits it in the `engine` → the `store` records in the journal, on disk, that it is
//! about to be sent → it is sent → its outcome arrives → the `store` writes the result to disk, and
//! then records the outcome. A row that was refused for its rate (429) was not processed: it waits and
//! is sent again.

pub mod answers;
pub mod budget;
pub mod checks;
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
mod window;

pub use error::{Direction, Error, ErrorKind, Extract, Kept, MemberFault, OptionsError, said};
