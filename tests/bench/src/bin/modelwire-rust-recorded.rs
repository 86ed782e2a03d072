//! modelwire's async Rust API with all that a call can tell: the time of each chunk is kept, and the records
//! of all calls are collected.

fn main() {
    let told = |config: modelwire::Config| {
        config.runtime(tokio::runtime::Handle::current()).chunk_times(true)
    };
    modelwire_bench::works::run_told(told, true);
}
