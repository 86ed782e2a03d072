//! The demo, whatever language it is written in: what it prints stands once for all languages, in
//! tests/demo.

use std::path::Path;

use modelwire_testing::{Exchange, Script, Service};

use crate::build::root;
use crate::{Ended, Program};

/// What the hint of a wrong key begins with.
const KEY_HINT: &str = "Copy the whole API key again";

/// What a demo must print, but for the number of the request id.
#[track_caller]
fn check_text(ended: &Ended, name: &str) {
    let expected = std::fs::read_to_string(root().join("tests/demo").join(name)).unwrap();
    let mut printed = String::new();
    for line in ended.stdout.lines() {
        let id = line.rfind("req-").filter(|_| line.starts_with("  request id"));
        printed += id.map_or(line, |at| &line[..at]);
        printed += if id.is_some() { "req-N\n" } else { "\n" };
    }
    assert!(printed == expected, "this is not what tests/demo/{name} says:\n{printed}");
    assert_eq!(ended.stderr, "");
}

/// As tests/demo/run starts it: with the models that only the loopback service has.
fn shown(program: &Path, service: &Service) -> Program {
    Program::new(program)
        .at(service)
        .env("MODELWIRE_DEMO_STREAM_ONLY_MODEL", "echo-stream-only")
        .env("MODELWIRE_DEMO_REFUSED_MODEL", "recovers")
}

/// Everything, in its order.
#[track_caller]
pub fn demo_shows_everything_in_order(program: &Path) {
    let service = Service::start().unwrap();
    check_text(&shown(program, &service).run().succeeded(), "expected.txt");
    // One list, six calls that are answered, two of them refused before, and an unknown model.
    assert_eq!(service.recorded("").len(), 10);
}

/// A plain call that is refused is made again with `stream_only`: it may be refused for that.
#[track_caller]
pub fn demo_goes_on_where_the_model_only_streams(program: &Path) {
    let service = Service::start().unwrap();
    let program = shown(program, &service).env("MODELWIRE_MODEL", "echo-stream-only");
    check_text(&program.run().succeeded(), "only_streams.txt");
    // The chat twice; the response streams at once.
    assert_eq!(service.recorded("").len(), 11);
}

/// There is no /responses, an unknown model is answered all the same, and no variable names a model
/// that answers 429 at first.
#[track_caller]
pub fn demo_goes_on_where_responses_are_not_served(program: &Path) {
    let service = Service::start().unwrap();
    let chat = r#"{"choices":[{"message":{"content":"Hello!"},"finish_reason":"stop"}]}"#;
    let stream = Exchange::events(&[
        r#"{"choices":[{"delta":{"content":"Hel"}}]}"#,
        r#"{"choices":[{"delta":{"content":"lo!"},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]);
    let exchanges = vec![
        Exchange::json(200, r#"{"data":[{"id":"only"}]}"#),
        Exchange::json(200, chat),
        stream.clone(),
        Exchange::json(404, "no such path"),
        stream,
        Exchange::json(200, chat),
    ];
    let base_url = service.script("s", Script::sequence(exchanges));
    let ended = Program::new(program).at_url(&base_url).run().succeeded();
    check_text(&ended, "without_responses.txt");
    assert_eq!(service.recorded("s").len(), 6);
}

/// A model that is named; one whose name has to be escaped is unknown, and no broken request.
#[track_caller]
pub fn demo_takes_the_model_from_the_environment(program: &Path) {
    let service = Service::start().unwrap();
    let named = |name| Program::new(program).at(&service).env("MODELWIRE_MODEL", name).run();
    let ended = named("echo-reasoning").succeeded();
    assert!(ended.stdout.lines().any(|line| line == "Chat (echo-reasoning)"), "{ended:?}");
    assert_eq!(service.metered()["echo-reasoning"].calls, 5);
    let ended = named("a\"\\\n\u{1}b");
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    assert!(ended.stderr.contains("does not exist"), "{ended:?}");
}

/// What is wrong and what to do about it, each once, and a code that is not 0.
#[track_caller]
pub fn demo_tells_a_failure(program: &Path) {
    let service = Service::start().unwrap();
    let none = service.script("none", Script::one(Exchange::json(200, r#"{"data":[]}"#)));
    let named = |name| Program::new(program).at(&service).env("MODELWIRE_MODEL", name);
    for (program, said) in [
        (Program::new(program), ["no base URL is configured", "Set MODELWIRE_BASE_URL"]),
        (Program::new(program).at_url("http://127.0.0.1:1/v1"), ["refused", "Check base_url"]),
        (Program::new(program).at_url(&none), ["the service lists no model", "MODELWIRE_MODEL"]),
        (
            named("forbidden"),
            [
                "The balance of this account",
                "Check in the service's control panel: the account's balance",
            ],
        ),
        (named("broken"), ["The server had an error", "A temporary fault"]),
    ] {
        let ended = program.run();
        assert_eq!(ended.status.code(), Some(1), "{ended:?}");
        for part in said {
            assert_eq!(ended.stderr.matches(part).count(), 1, "{part:?} in {ended:?}");
        }
    }
    check_wrong_key(Program::new(program), &service);
}

/// A program whose key is wrong says so, says once what to do, and does not end with 0.
#[track_caller]
pub fn check_wrong_key(program: Program, service: &Service) {
    let ended = program.at(service).env("MODELWIRE_API_KEY", "sk-wrong").run();
    assert!(ended.status.code().is_some_and(|code| code != 0), "{ended:?}");
    // A report has the message a second time, in the body.
    assert!(ended.stderr.contains("Incorrect API key provided"), "{ended:?}");
    assert_eq!(ended.stderr.matches(KEY_HINT).count(), 1, "{ended:?}");
}
