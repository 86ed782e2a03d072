//! Python objects over the JSON text of chunks and answers, a file for each job. From the bottom up:
//! `document` has the text, `shape` and `fields` say what is in it, `node` is one JSON object of it, `plain`,
//! `streamed`, `read` and `dump` turn that into Python values, `make` makes objects, and `methods`,
//! `computed` and `classes` are what Python programs see.

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
