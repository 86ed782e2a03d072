//! The input of rows: JSON lines from files or standard input, plain or compressed, in one of three
//! forms; or the records of a CSV or TSV file, which are objects of strings.
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
mod sources;
mod survey;
mod table;
mod template;

pub use bad_row::BadRow;
pub(crate) use fault::NAMES_SHOWN_MAX;
pub use lines::ROW_BYTES_MAX;
pub use options::RowOptions;
pub use rows::{InputItem, RowMaker, Rows};
pub(crate) use source::{Opened, Packing, Source};
pub use sources::{Sources, line_of};
pub use survey::{Extent, MODELS_MAX, Progress, SHOWN_MAX, Survey, Surveyor, Wish, survey};
pub use template::Template;
