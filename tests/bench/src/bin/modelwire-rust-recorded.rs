//! modelwire's async Rust API with all that a call can tell: the time of each chunk is kept, and the records
//! of all calls are collected.

fn main() {
    modelwire_bench::works::run_told(|config| config.chunk_times(true), true);
}
