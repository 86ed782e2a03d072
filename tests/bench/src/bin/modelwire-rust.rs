//! modelwire's async Rust API as a tokio program uses it: the I/O is done on the program's runtime.

fn main() {
    modelwire_bench::works::run(|config| config.runtime(tokio::runtime::Handle::current()));
}
