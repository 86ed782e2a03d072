//! The key in the memory of a program in C++.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_tests_c::Program;
use modelwire_tests_cpp::compile;

#[test]
fn freed_memory_does_not_contain_the_key() {
    let program = compile("c++", &["-std=c++17", "-O2"], "wiped", &["wiped.cpp"]);
    Program::new(&program).run().succeeded();
}
