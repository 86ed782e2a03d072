//! Started calls through C programs: the order of their events and every way in which they end.

use std::time::Duration;

use modelwire_testing::{Exchange, Options, Script, Service};
use modelwire_tests_c::{chat_answer, played, root, scenario, scripted, silent, stalling};

/// The scenario is given its cue when the service has so many requests.
fn with_cue(name: &str, script: Script, requests: usize) -> Service {
    let service = Service::start().unwrap();
    let base_url = service.script("s", script);
    let is_so = || service.recorded("s").len() == requests;
    scenario(name).at_url(&base_url).run_with_cue(is_so).succeeded();
    service
}

#[test]
fn started() {
    played("started");
}

#[test]
fn started_models() {
    played("started_models");
}

#[test]
fn started_refused() {
    scenario("started_refused").at_url("http://127.0.0.1:1/v1").run().succeeded();
}

#[test]
fn started_timeout() {
    scripted("started_timeout", silent());
}

#[test]
fn started_cancelled() {
    with_cue("started_cancelled", silent(), 1);
}

#[test]
fn started_cancelled_inside() {
    scripted("started_cancelled_inside", stalling(&["one "]));
}

#[test]
fn started_stopped() {
    scripted("started_stopped", stalling(&["one "]));
}

#[test]
fn started_freed_inside() {
    scripted("started_freed_inside", stalling(&["one "]));
}

/// A callback that ends its call sees no chunk more, although more came.
#[test]
fn started_stopped_early() {
    scripted("started_stopped", stalling(&["one ", "two ", "three "]));
    scripted("started_cancelled_inside", stalling(&["one ", "two ", "three "]));
    scripted("started_freed_inside", stalling(&["one ", "two ", "three "]));
}

#[test]
fn started_freed() {
    scripted("started_freed", silent());
}

#[test]
fn start_fails() {
    let service = played("start_fails");
    assert_eq!(service.recorded("").len(), 2);
}

#[test]
fn started_without_client() {
    played("started_without_client");
}

#[test]
fn started_shutdown() {
    with_cue("started_shutdown", silent(), 3);
}

#[test]
fn shutdown_inside() {
    played("shutdown_inside");
}

#[test]
fn shutdown_with_hanging_callback() {
    played("shutdown_with_hanging_callback");
}

#[test]
fn started_calls_inside() {
    played("started_calls_inside");
}

#[test]
fn started_serial() {
    played("started_serial");
}

#[test]
fn started_parallel() {
    played("started_parallel");
}

#[test]
fn call_waits() {
    played("call_waits");
}

#[test]
fn call_waits_cancelled() {
    scripted("call_waits_cancelled", stalling(&["one "]));
}

#[test]
fn waits_inside_callbacks_refused() {
    played("waits_inside_callbacks_refused");
}

#[test]
fn client_closes() {
    with_cue("client_closes", stalling(&["one "]), 6);
}

#[test]
fn client_closes_with_hanging_callback() {
    played("client_closes_with_hanging_callback");
}

/// Each cell of the header's table of callbacks, which is the table of the scenario.
#[test]
fn inside_callbacks() {
    let word_pause = Duration::from_millis(30);
    let service = Service::start_with(Options { word_pause, ..Options::default() }).unwrap();
    let ended = scenario("inside_callbacks").at(&service).run().succeeded();
    let header = std::fs::read_to_string(root().join("include/modelwire.h")).unwrap();
    assert!(ended.stdout.lines().count() > 10);
    for row in ended.stdout.lines() {
        let line = format!(" *   {}", row.trim_end());
        assert!(header.lines().any(|found| found == line), "the header has no line {line:?}");
    }
}

#[test]
fn freed_in_finalizer_of_failure() {
    let service = played("freed_in_finalizer_of_failure");
    assert_eq!(service.connections(), 0);
}

#[test]
fn independent() {
    let [hanging] = stalling(&["one "]).exchanges.try_into().unwrap();
    let answer = Exchange::json(200, chat_answer("others"));
    with_cue("independent", Script::sequence(vec![hanging.clone(), hanging, answer]), 2);
}
