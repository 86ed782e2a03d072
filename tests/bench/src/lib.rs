//! What the programs of the benchmark share. Knows no client.

pub mod measure;
pub mod render;
pub mod works;
