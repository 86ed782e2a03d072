//! The example with nlohmann::json: a request and an answer as its values, and what fails.

use modelwire_testing::Service;

use crate::build::example;
use crate::running::{Running, at};

#[test]
fn nlohmann_json_makes_requests_and_reads_answers() {
    let service = Service::start().unwrap();
    let ask = |model: &str, text: &str| {
        Running::start(at(example("json.cpp"), &service.base_url()).args([model, text])).end()
    };
    let (status, lines) = ask("echo", r#"{"city":"Rome","people":2800000}"#);
    assert!(status.success(), "{status}: {lines:?}");
    assert_eq!(lines, [r#"Rome: 2800000 people ("echo")"#]);
    let sent = String::from_utf8(service.recorded("")[0].body.clone()).unwrap();
    for part in ["\"stop\":[\"\\u000a\\u000a\",\"###\"]", r#""people":{"type":"integer"}"#] {
        assert!(sent.contains(part), "{sent}");
    }
    for (model, text, why) in [("none", "{}", "does not exist"), ("echo", "no JSON", "parse error")]
    {
        let (status, lines) = ask(model, text);
        assert_eq!(status.code(), Some(1), "{lines:?}");
        assert!(lines.iter().any(|line| line.contains(why)), "{lines:?}");
    }
}
