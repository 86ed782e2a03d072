//! Python objects over the JSON of chunks and answers, one file per task. From the bottom up: `document`
//! has the text, `shape` and `fields` describe its contents, `node` is one of its JSON objects, `plain`,
//! `streamed`, `read` and `dump` convert it to Python values, `make` creates objects, and `methods`,
//! `computed` and `classes` are the interface for Python programs.

pub(crate) mod class;
#[rustfmt::skip] // generated
pub(crate) mod classes;
pub(crate) mod computed;
pub(crate) mod document;
pub(crate) mod dump;
pub(crate) mod events;
#[rustfmt::skip] // generated
pub(crate) mod fields;
pub(crate) mod make;
pub(crate) mod methods;
pub(crate) mod node;
pub(crate) mod plain;
pub(crate) mod read;
pub(crate) mod shape;
pub(crate) mod streamed;
