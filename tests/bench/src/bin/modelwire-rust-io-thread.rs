//! The same with the I/O on the library's thread, as it is where nothing is configured.

fn main() {
    modelwire_bench::works::run(|config| config);
}
