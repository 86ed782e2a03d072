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
fn what_is_given_back_was_wiped() {
    let program = compile("c++", &["-std=c++17", "-O2"], "wiped", &["wiped.cpp"]);
    Program::new(&program).run().succeeded();
}
