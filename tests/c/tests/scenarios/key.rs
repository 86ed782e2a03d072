//! The API key is in nothing that an error object tells, wherever a service echoes it.

use modelwire_testing::{Exchange, Script, Service};
use modelwire_tests_c::scenario;

/// With a slash, which some services escape in JSON.
const KEY: &str = "sk-secret/0123456789abcdef";
/// What a service's bound of 64 KiB leaves of a body.
const BODY_BYTES_MAX: usize = 64 << 10;

/// Plays the exchange to a scenario that prints every field of its error; nothing of that may
/// hold the key.
fn check(name: &str, exchange: Exchange) {
    let told = told(name, exchange);
    assert!(!told.contains(KEY), "the key is shown:\n{told}");
    assert!(told.contains("[key]"), "the mask is not shown:\n{told}");
}

fn told(name: &str, exchange: Exchange) -> String {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(exchange));
    let program = scenario(name).at_url(&base_url).env("MODELWIRE_API_KEY", KEY);
    program.run().succeeded().stdout
}

fn error_object(message: &str) -> String {
    format!(r#"{{"error":{{"message":"{message}","type":"t","param":"{message}","code":"c"}}}}"#)
}

#[test]
fn key_in_a_failed_answer_is_masked() {
    let headers = [("x-request-id", KEY), ("Retry-After", "0")];
    for status in [400, 401, 403, 404, 500, 418] {
        let body = error_object(&format!("bad key {KEY}"));
        check("report_chat", Exchange::json_with_headers(status, &headers, body));
    }
    check("report_stream", Exchange::json_with_headers(401, &headers, KEY));
}

#[test]
fn key_in_response_headers_is_masked() {
    let headers = [("x-request-id", KEY), ("x-echo", KEY)];
    check("report_headers", Exchange::json_with_headers(200, &headers, r#"{"choices":[{}]}"#));
}

#[test]
fn key_in_an_error_with_status_200_is_masked() {
    check("report_chat", Exchange::json(200, error_object(KEY)));
    check("report_stream", Exchange::events(&[error_object(KEY)]));
}

#[test]
fn key_in_an_answer_that_is_not_a_stream_is_masked() {
    check("report_stream", Exchange::json_with_headers(200, &[("content-type", KEY)], KEY));
}

#[test]
fn key_in_an_answer_that_is_not_json_is_masked() {
    check("report_chat", Exchange::json(200, format!("<p>{KEY}</p>")));
}

#[test]
fn key_in_a_list_without_models_is_masked() {
    check("report_models", Exchange::json(200, format!(r#"{{"key":"{KEY}"}}"#)));
}

#[test]
fn key_in_an_event_that_is_not_json_is_masked() {
    check("report_stream", Exchange::events(&[KEY]));
}

#[test]
fn key_in_a_redirect_is_masked() {
    let location = format!("https://elsewhere/{KEY}/v1");
    check("report_chat", Exchange::json_with_headers(302, &[("Location", &location)], ""));
}

/// User info and query of a URL are masked like the key.
#[test]
fn other_secrets_in_a_redirect_are_masked() {
    let headers = [("Location", "https://user:secret@elsewhere/v1?token=secret")];
    let told = told("report_chat", Exchange::json_with_headers(302, &headers, ""));
    assert!(told.contains("elsewhere/v1"), "the place is not shown:\n{told}");
    assert!(!told.contains("secret"), "a secret is shown:\n{told}");
}

/// Escaped in JSON, so that the body does not hold it byte for byte, but the message does.
#[test]
fn key_escaped_in_json_is_masked() {
    let escaped = KEY.replace('/', r"\/");
    check("report_chat", Exchange::json(401, error_object(&escaped)));
    let escaped = KEY.replace('s', r"\u0073");
    check("report_chat", Exchange::json(401, error_object(&escaped)));
}

/// Half of it behind the bound of a body.
#[test]
fn key_cut_by_the_body_limit_is_masked() {
    let half = KEY.len() / 2;
    let body = format!("{}{KEY}", " x".repeat((BODY_BYTES_MAX - half) / 2));
    let told = told("report_chat", Exchange::json(400, body));
    assert!(!told.contains(&KEY[..half]), "half of the key is shown");
}
