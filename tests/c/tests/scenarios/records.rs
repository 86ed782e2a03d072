//! What calls tell at their ends, through C programs: to a function, and out of a queue.

#[path = "../../../rust/tests/ended/mod.rs"]
mod ended;

use modelwire_tests_c::{played, scenario, scripted, stalling};

#[test]
fn the_records_of_the_vectors() {
    ended::check(|input| {
        scenario("records_of_the_vectors").run_with_input(input).succeeded().stdout
    });
}

#[test]
fn a_start_that_fails_tells() {
    let service = played("a_start_that_fails_tells");
    assert_eq!(service.connections(), 0);
}

#[test]
fn it_tells_who_ended_a_call() {
    scripted("it_tells_who_ended_a_call", stalling(&["one "]));
}

#[test]
fn a_function_is_told_on_a_thread_of_its_own() {
    played("a_function_is_told_on_a_thread_of_its_own");
}

#[test]
fn a_client_has_a_function_of_its_own() {
    played("a_client_has_a_function_of_its_own");
}

#[test]
fn a_client_that_is_dropped_tells_of_its_last_call() {
    scripted("a_client_that_is_dropped_tells_of_its_last_call", stalling(&["one "]));
}

#[test]
fn what_finds_no_room_is_counted() {
    let service = played("what_finds_no_room_is_counted");
    assert_eq!(service.connections(), 0);
}

#[test]
fn a_queue_follows_the_calls_of_clients() {
    played("a_queue_follows_the_calls_of_clients");
}

#[test]
fn a_forked_child_is_told_nothing() {
    let service = played("a_forked_child_is_told_nothing");
    assert_eq!(service.recorded("").len(), 4);
}
