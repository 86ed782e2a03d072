//! What calls tell at their ends, through C programs: to a function, and out of a queue.

#[path = "../../../rust/tests/ended/mod.rs"]
mod ended;

use modelwire_tests_c::{played, scenario, scripted, stalling};

#[test]
fn call_records_match_the_vectors() {
    ended::check(|input| {
        scenario("records_of_the_vectors").run_with_input(input).succeeded().stdout
    });
}

#[test]
fn a_callback_runs_before_each_attempt() {
    let service = played("a_callback_runs_before_each_attempt");
    let sent = service.recorded("");
    let seen: Vec<_> = sent.iter().map(|sent| sent.header("x-seen")).collect();
    assert_eq!(seen, [Some("yes"), None]);
}

#[test]
fn a_call_that_fails_to_start_is_recorded() {
    let service = played("a_call_that_fails_to_start_is_recorded");
    assert_eq!(service.connections(), 0);
}

#[test]
fn a_record_names_who_ended_the_call() {
    scripted("a_record_names_who_ended_the_call", stalling(&["one "]));
}

#[test]
fn on_call_runs_on_a_separate_thread() {
    played("on_call_runs_on_a_separate_thread");
}

#[test]
fn a_client_has_one_on_call_callback_at_a_time() {
    played("a_client_has_one_on_call_callback_at_a_time");
}

#[test]
fn the_last_call_of_a_dropped_client_is_recorded() {
    scripted("the_last_call_of_a_dropped_client_is_recorded", stalling(&["one "]));
}

#[test]
fn dropped_call_records_are_counted() {
    let service = played("dropped_call_records_are_counted");
    assert_eq!(service.connections(), 0);
}

#[test]
fn a_queue_follows_the_calls_of_clients() {
    played("a_queue_follows_the_calls_of_clients");
}

#[test]
fn a_forked_child_gets_no_records_of_its_parent() {
    let service = played("a_forked_child_gets_no_records_of_its_parent");
    assert_eq!(service.recorded("").len(), 4);
}
