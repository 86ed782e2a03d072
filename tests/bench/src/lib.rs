//! What the programs of the benchmark share.

pub mod measure;
pub mod render;
pub mod works;
