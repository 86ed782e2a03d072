//! The same with the I/O on the library's thread, as it is where nothing is configured. Knows no
//! other client.

fn main() {
    modelwire_bench::works::run(|config| config);
}
