//! The same with the I/O on the library's thread, as it is under any other runtime.

fn main() {
    modelwire_bench::works::run(modelwire::Config::io_thread);
}
