//! modelwire's async Rust API as a tokio program uses it: by default the I/O is done on its runtime.

fn main() {
    modelwire_bench::works::run(|config| config);
}
