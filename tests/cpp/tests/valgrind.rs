//! The main scenarios under valgrind: no error, no leak.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_testing::Service;
use modelwire_tests_c::{Program, stalling};
use modelwire_tests_cpp::scenarios;

/// Scenarios that talk to the played service.
fn check_played(names: &[&str]) {
    for name in names {
        let service = Service::start().unwrap();
        Program::under_valgrind(scenarios(false)).arg(name).at(&service).run().succeeded();
    }
}

/// Scenarios that end an exchange, and stay until the connection was seen to close.
fn check_closing(names: &[&str]) {
    for name in names {
        let service = Service::start().unwrap();
        Program::under_valgrind(scenarios(false))
            .arg(name)
            .at_url(&service.script("s", stalling(&["one ", "two "])))
            .run_with_cue(|| service.connections() == 1 && service.open_connections() == 0)
            .succeeded();
    }
}

#[test]
#[ignore = "a minute under valgrind: `make test-deep` runs it"]
fn answers_and_errors() {
    check_played(&[
        "chat",
        "tools",
        "problems",
        "errors_outlive_their_client",
        "values",
        "options",
    ]);
}

#[test]
#[ignore = "a minute under valgrind: `make test-deep` runs it"]
fn streams() {
    check_played(&["pull_twice", "pull_failures", "visit_nested"]);
    check_closing(&["pull_break", "visit_throw"]);
}

#[test]
#[ignore = "a minute under valgrind: `make test-deep` runs it"]
fn callbacks_and_queues() {
    check_played(&["start_throw_at_end", "start_detach", "start_inside", "queue_epoll"]);
    check_played(&["queue_tags", "queue_pause", "queue_log", "start_wait"]);
    check_closing(&["start_destroy", "queue_close"]);
}

#[test]
#[ignore = "a minute under valgrind: `make test-deep` runs it"]
fn handle_lifetimes_are_clean_under_valgrind() {
    check_played(&["moves", "adoption", "shut_down"]);
}
