//! Signals and waits through C programs: what interrupts what, and what a handler may do.

use std::time::Duration;

use modelwire_testing::{Exchange, Script, Service, Step};
use modelwire_tests_c::{chat_chunk, scenario, scripted, silent, stalling};

/// A stream that begins late.
fn late() -> Script {
    let events = Exchange::events(&[chat_chunk("late"), "[DONE]".to_owned()]);
    let pause = Step::Pause(Duration::from_millis(500));
    Script::one(Exchange { steps: [vec![pause], events.steps].concat() })
}

#[test]
fn interrupted() {
    scripted("interrupted", late());
}

#[test]
fn interrupted_with_restart() {
    scripted("interrupted_with_restart", late());
}

#[test]
fn wakeup_in_handler() {
    scripted("wakeup_in_handler", late());
}

#[test]
fn cancel_after_signal() {
    scripted("cancel_after_signal", silent());
}

#[test]
fn wakeup_before_wait() {
    scripted("wakeup_before_wait", silent());
}

#[test]
fn interrupted_call_keeps_its_mode() {
    scripted("interrupted_call_keeps_its_mode", stalling(&["one ", "two ", "three "]));
}

/// A thread that is cancelled loses no call and ends no process.
#[test]
fn cancelled_threads() {
    scripted("cancelled_threads", stalling(&["one "]));
}

#[test]
fn cancelled_thread_in_the_middle() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", silent());
    scenario("cancelled_thread_in_the_middle")
        .at_url(&base_url)
        .run_with_cue(|| service.recorded("s").len() == 1)
        .succeeded();
}
