//! The input of rows: JSON lines from a file or standard input, plain or compressed, in one of three
//! forms.
//!
//! # The forms of a line
//!
//! | form | recognized by |
//! |---|---|
//! | a request body | it has `messages` or `input` |
//! | a line of OpenAI's batch format | it has `body`, besides `custom_id`, `method`, `url` |
//! | any object | [`RowOptions::prompt`] is set: then each line is an object of this form |
//!
//! A body is sent byte for byte. Additions (a model, members that it lacks) come first in it, and a
//! `custom_id` inside it is removed, because services refuse unknown members; the rest is unchanged.

mod bad_row;
mod fault;
mod form;
mod lines;
mod options;
mod rows;
mod source;
mod survey;
mod template;

pub use bad_row::BadRow;
pub use lines::ROW_BYTES_MAX;
pub use options::RowOptions;
pub use rows::{InputItem, RowMaker, Rows};
pub use source::Source;
pub(crate) use source::{Opened, Packing};
pub use survey::{Extent, MODELS_MAX, SHOWN_MAX, Survey, Surveyor, Wish, survey};
pub use template::Template;
