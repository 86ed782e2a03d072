//! The commands of every day: models, chat, respond, serve, completion, man. Each is a file.
//!
//! `chat` and `respond` are the same command for two operations: `question` has their arguments and makes
//! the request, `prompt` what is asked, `answer` sends it and prints what comes, `curl` shows it instead.

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
