//! The same with the I/O on the library's thread, as it is on a runtime of one thread by default.

fn main() {
    modelwire_bench::works::run(|config| config);
}
