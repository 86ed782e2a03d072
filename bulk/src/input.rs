//! Where rows come from: JSON lines from a file or standard input, plain or compressed, in any of three
//! forms. Knows no call.
//!
//! # The forms of a line
//!
//! | form | told by |
//! |---|---|
//! | a request body | it has `messages` or `input` |
//! | a line of OpenAI's batch format | it has `body`, beside `custom_id`, `method`, `url` |
//! | any object | [`RowOptions::prompt`] is set: then each line is one |
//!
//! A body is sent byte for byte as it stands. What is added to it (a model, members that it lacks) comes first in it,
//! and a `custom_id` that stands inside it is taken out, as services refuse what they do not know; the
//! rest stays as it is.

mod bad_row;
mod fault;
mod form;
mod lines;
mod options;
mod rows;
mod source;
mod survey;

pub use bad_row::BadRow;
pub use lines::ROW_BYTES_MAX;
pub use options::RowOptions;
pub use rows::{Come, RowMaker, Rows};
pub use source::Source;
pub use survey::{MODELS_MAX, SHOWN_MAX, Survey, Wish, survey};
