//! The completion queue through C programs, for threads and for event loops.

use modelwire_testing::{Exchange, Script, Service};
use modelwire_tests_c::{chat_chunk, check_adaptive, played, scenario, scripted, silent, stalling};

/// The scenario is given its cue when the service has so many requests.
fn with_cue(name: &str, script: Script, requests: usize) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", script);
    let is_so = || service.recorded("s").len() == requests;
    scenario(name).at_url(&base_url).run_with_cue(is_so).succeeded();
}

#[test]
fn queue() {
    played("queue");
}

#[test]
fn queue_operations() {
    let service = played("queue_operations");
    assert_eq!(service.recorded("").len(), 6);
}

/// Of what is wrong nothing is sent.
#[test]
fn queue_failures() {
    let service = played("queue_failures");
    assert_eq!(service.recorded("").len(), 3);
}

#[test]
fn queue_tags() {
    scripted("queue_tags", stalling(&["one "]));
}

#[test]
fn queue_boolean_arguments() {
    let service = played("queue_boolean_arguments");
    assert_eq!(service.recorded("").len(), 1);
}

#[test]
fn queue_flags() {
    played("queue_flags");
}

#[test]
fn queue_events_stay() {
    played("queue_events_stay");
}

#[test]
fn queue_take() {
    played("queue_take");
}

#[test]
fn queue_read_all() {
    played("queue_read_all");
}

#[test]
fn queue_timeout() {
    played("queue_timeout");
}

#[test]
fn queue_wakeup() {
    played("queue_wakeup");
}

#[test]
fn queue_close() {
    with_cue("queue_close", silent(), 3);
}

#[test]
fn queue_freed() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", stalling(&["one "]));
    let are_closed = || service.connections() == 3 && service.open_connections() == 0;
    scenario("queue_freed").at_url(&base_url).run_with_cue(are_closed).succeeded();
}

#[test]
fn queue_shutdown() {
    with_cue("queue_shutdown", silent(), 1);
}

#[test]
fn queue_fd_poll() {
    played("queue_fd_poll");
}

#[test]
fn queue_fd_select() {
    played("queue_fd_select");
}

#[test]
fn queue_fd_epoll() {
    played("queue_fd_epoll");
}

#[test]
fn queue_fd_edges() {
    played("queue_fd_edges");
}

#[test]
fn queue_fd_late() {
    played("queue_fd_late");
}

#[test]
fn queue_fd_closed() {
    played("queue_fd_closed");
}

#[test]
fn queue_fd_stolen() {
    played("queue_fd_stolen");
}

/// A small stream, then a huge one of 40,000 chunks of about a kilobyte.
fn small_then_huge() -> Script {
    let huge = Exchange::pre_rendered_stream(&chat_chunk(&"x".repeat(1000)), 40_000, 64);
    Script::sequence(vec![Exchange::events(&[chat_chunk("x"), "[DONE]".to_owned()]), huge])
}

#[test]
fn queue_backpressure() {
    scripted("queue_backpressure", small_then_huge());
}

#[test]
fn queue_backpressure_two_events() {
    scripted("queue_backpressure_two_events", small_then_huge());
}

#[test]
fn queue_is_fair() {
    let mut script = small_then_huge();
    script.exchanges.reverse();
    scripted("queue_is_fair", script);
}

/// A warm-up, then one that is huge, then many that are not.
#[test]
fn queue_paused() {
    let chunk = chat_chunk(&"x".repeat(1000));
    let [small, huge] = small_then_huge().exchanges.try_into().unwrap();
    let others = Exchange::pre_rendered_stream(&chunk, 20, 64);
    scripted("queue_paused", Script::sequence(vec![small, huge, others]));
}

#[test]
fn queue_pause_holds() {
    played("queue_pause_holds");
}

#[test]
fn queue_pause_in_the_middle() {
    played("queue_pause_in_the_middle");
}

#[test]
fn queue_pause_ends() {
    scripted("queue_pause_ends", stalling(&["one "]));
}

#[test]
fn queue_freed_under_threads() {
    scripted("queue_freed_under_threads", silent());
}

#[test]
fn queue_owns_calls() {
    played("queue_owns_calls");
}

#[test]
fn freed_in_any_order() {
    played("freed_in_any_order");
}

#[test]
fn queue_forked() {
    let service = played("queue_forked");
    assert_eq!(service.recorded("").len(), 2);
}

/// `make test-deep` has a larger crowd.
#[test]
fn queue_many_threads() {
    let each = std::env::var("TEST_CALLS").map_or(25, |calls| calls.parse().unwrap());
    let service = played("queue_many_threads");
    assert_eq!(service.metered()["echo"].calls, 4 * each);
}

/// What a call says that was refused too often.
const LOST: &str = "is rate_limited, not ok";

#[test]
fn queue_adaptive() {
    check_adaptive(|| scenario("queue_adaptive"), LOST);
}

/// A request can say it in place of its client.
#[test]
fn queue_adaptive_requests() {
    check_adaptive(|| scenario("queue_adaptive_requests"), LOST);
}

#[test]
fn queue_hundred_streams() {
    let service = played("queue_hundred_streams");
    assert_eq!(service.metered()["slow"].calls, 100);
}
