//! The example and the plainest scenarios under valgrind: no error, no leak. `make test-deep` runs the
//! others so (`MODELWIRE_TESTS_VALGRIND`).

use modelwire_testing::Service;
use modelwire_tests_c::{Library, Program, scenarios};

#[test]
fn the_demo_is_clean_under_valgrind() {
    let service = Service::start().unwrap();
    let demo = Library::built().compile("demo", &["demo.c"]);
    Program::under_valgrind(&demo).at(&service).run().succeeded();
}

#[test]
fn answers_and_streams() {
    for name in ["chat", "stream"] {
        let service = Service::start().unwrap();
        Program::under_valgrind(scenarios()).arg(name).at(&service).run().succeeded();
    }
}
