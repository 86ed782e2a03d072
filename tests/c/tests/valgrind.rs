//! The example and the main scenarios under valgrind: no error, no leak. `make test-deep` runs all
//! scenarios so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_service::{Exchange, Script, Service};
use modelwire_tests_c::{Library, Program, scenarios, silent, stalling};

fn under_valgrind(name: &str) -> Program {
    Program::under_valgrind(scenarios()).arg(name)
}

/// Scenarios that talk to the played service.
fn check_played(names: &[&str]) {
    for name in names {
        let service = Service::start().unwrap();
        under_valgrind(name).at(&service).run().succeeded();
    }
}

fn check_scripted(name: &str, script: Script) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", script);
    under_valgrind(name)
        .at_url(&base_url)
        .run_with_cue(|| service.recorded("s").len() == 1)
        .succeeded();
}

#[test]
fn the_example() {
    let service = Service::start().unwrap();
    let demo = Library::built().compile("demo", &["demo.c"]);
    Program::under_valgrind(&demo).at(&service).run().succeeded();
}

#[test]
fn answers() {
    check_played(&["models", "chat", "response", "usage"]);
}

#[test]
fn streams() {
    check_played(&["stream", "response_stream", "stream_cut", "stream_error", "nested_call"]);
    check_scripted("stream_stopped", stalling(&["one ", "two ", "three "]));
}

#[test]
fn errors() {
    check_played(&["unknown_model", "bad_json", "bad_text", "not_retried", "null_arguments"]);
    check_played(&["arguments_refused", "key_forms"]);
    // Its 100 ms are over before valgrind has sent anything, so no cue.
    let service = Service::start().unwrap();
    let base_url = service.script("s", silent());
    under_valgrind("timeout_first_byte").at_url(&base_url).run().succeeded();
}

#[test]
fn cancelling() {
    check_played(&["cancel_before", "cancel_done"]);
    check_scripted("cancel_blocked", silent());
    check_scripted("cancel_stream", stalling(&["one "]));
    check_scripted("cancel_in_callback", stalling(&["one ", "two "]));
}

#[test]
fn texts() {
    check_played(&["log_changes"]);
    let answer = Exchange::json(200, modelwire_tests_c::chat_answer("x"));
    check_scripted("built_refused", Script::one(answer));
}

#[test]
fn started() {
    check_played(&["started", "started_without_client"]);
    check_scripted("started_freed", silent());
}

#[test]
fn queues() {
    check_played(&["queue", "queue_events_stay"]);
    check_scripted("queue_shutdown", silent());
}

#[test]
fn lives() {
    check_played(&["threads", "free_order", "shutdown_then_call"]);
    check_scripted("shutdown_blocked", silent());
}
