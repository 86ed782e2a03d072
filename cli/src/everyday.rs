//! The everyday commands: models, chat, respond, serve, completion, man. Each is in a file.
//!
//! `chat` and `respond` are the same command for two operations: `question` has their arguments and makes
//! the request, `prompt` reads the prompt, `answer` sends the request and prints the answer, `curl` prints
//! the request instead. `upstream` is the service that `serve` records.

mod answer;
pub(crate) mod chat;
pub(crate) mod completion;
mod curl;
pub(crate) mod man;
pub(crate) mod models;
mod prompt;
mod question;
pub(crate) mod respond;
pub(crate) mod serve;
mod upstream;
