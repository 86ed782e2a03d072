//! The example that C programmers copy, run as they would run it; its output is compared.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use modelwire_service::{Exchange, Script, Service};
use modelwire_tests_c::{Ended, Library, Program};

fn demo() -> &'static Path {
    static DEMO: OnceLock<PathBuf> = OnceLock::new();
    DEMO.get_or_init(|| Library::built().compile("demo", &["demo.c"]))
}

/// The lines of an output, and where each of these begins, in this order.
#[track_caller]
fn check_order(ended: &Ended, expected: &[&str]) {
    let mut from = 0;
    for line in expected {
        let found = ended.stdout[from..].find(line);
        let at = found.unwrap_or_else(|| panic!("no {line:?} from byte {from} of\n{ended:?}"));
        from += at + line.len();
    }
}

/// R-OP1, R-F1, R-STR1, R-ERR3, R-MET1
#[test]
fn shows_everything_in_order() {
    let service = Service::start().unwrap();
    let ended = Program::new(demo()).at(&service).run().succeeded();
    check_order(
        &ended,
        &[
            "Models",
            "echo\n",
            "... and 3 more\n",
            "Chat (echo)",
            "Say hello in five words.\n",
            "Chat, streamed",
            "Say hello in five words.\n",
            "Response",
            "Say hello in five words.\n",
            "Response, streamed",
            "Say hello in five words.\n",
            "An error",
            "not_found",
            "404",
            "model_not_found",
            "hint",
            "What it cost",
            "calls: 4",
            "tokens",
        ],
    );
    assert_eq!(service.recorded("").len(), 6);
}

/// R-CFG2
#[test]
fn takes_the_model_from_the_environment() {
    let service = Service::start().unwrap();
    let program = Program::new(demo()).at(&service).env("MODELWIRE_MODEL", "echo-reasoning");
    check_order(&program.run().succeeded(), &["Chat (echo-reasoning)", "tokens"]);
    // A name that has to be escaped in JSON is unknown, not a broken request.
    let program = Program::new(demo()).at(&service).env("MODELWIRE_MODEL", "a\"\\\n\u{1}b");
    let ended = program.run();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("does not exist"), "{ended:?}");
}

#[test]
fn goes_on_where_responses_are_not_served() {
    let service = Service::start().unwrap();
    let chat = r#"{"choices":[{"message":{"content":"hello"}}]}"#;
    let exchanges = vec![
        Exchange::json(200, r#"{"data":[{"id":"only"}]}"#),
        Exchange::json(200, chat),
        Exchange::events(&[r#"{"choices":[{"delta":{"content":"hello"}}]}"#, "[DONE]"]),
        Exchange::json(404, "no such path"),
        Exchange::json(404, "no such path"),
        // The unknown model is answered all the same.
        Exchange::json(200, chat),
    ];
    let base_url = service.script("s", Script::sequence(exchanges));
    let ended = Program::new(demo()).at_url(&base_url).run().succeeded();
    check_order(&ended, &["only", "hello", "hello", "404", "404", "An error", "answered", "calls"]);
}

/// R-CFG1
#[test]
fn fails_without_a_service() {
    let ended = Program::new(demo()).run();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("MODELWIRE_BASE_URL"), "{ended:?}");
    let ended = Program::new(demo()).at_url("http://127.0.0.1:1/v1").run();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("refused"), "{ended:?}");
}
