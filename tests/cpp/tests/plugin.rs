//! A plugin in C++ that is unloaded right behind the end of its calls.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_testing::Service;
use modelwire_tests_c::Program;
use modelwire_tests_cpp::compile;

/// Nothing of a callback runs behind `join`, `wait`, a destructor and `client.close`.
#[test]
fn a_plugin_can_be_unloaded_after_its_calls_ended() {
    // Unique symbols, which the compiler makes of the standard library's, would keep it loaded.
    let flags = ["-std=c++17", "-O1", "-shared", "-fPIC", "-fno-gnu-unique"];
    let plugin = compile("c++", &flags, "plugin-cpp.so", &["plugin.cpp"]);
    // One that has the library of C++ itself, which would use the plugin's copies otherwise.
    let loader = compile("c++", &["-std=c++17", "-Wl,--no-as-needed"], "loader", &["loader.cpp"]);
    let service = Service::start().unwrap();
    let program = Program::new(&loader).arg(plugin.to_str().unwrap());
    program.at(&service).run().succeeded();
    // Half of them are waited for, and the others end as they are on their way.
    assert!(service.recorded("").len() >= 20);
}
