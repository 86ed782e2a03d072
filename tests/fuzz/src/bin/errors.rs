//! Any body under any status, and any event, is an error that says something, keeps what was sent
//! and never shows the key.
#![no_main]

use libfuzzer_sys::fuzz_target;
use modelwire::parse::error_of;
use modelwire::{Config, ErrorKind};
use modelwire_fuzz::steered;

/// Plain, and with what JSON may write in several ways.
const KEYS: [&str; 4] = ["sk-test", "sk/te\"st\\u", "\\\\k\\/u0", "sk-test-sk-tes"];

fuzz_target!(|input: &[u8]| {
    let ([high, low, choice], body) = steered::<3>(input);
    let body = String::from_utf8_lossy(body);
    let key = KEYS[usize::from(choice & 3)];
    let status = u16::from_be_bytes([high, low]);
    let status = (choice & 4 == 0).then_some(status);
    let config = Config::new().base_url("http://127.0.0.1/v1").api_key(key);
    let error = error_of(config, status, &body).unwrap();

    assert!(!error.message().is_empty(), "an error without a message");
    assert_eq!(error.status(), status);
    let kind = status.map_or(ErrorKind::Stream, ErrorKind::of_status);
    assert_eq!(error.kind(), kind);
    let kept = error.body().expect("the body is kept");
    if !body.contains('\\') && !body.contains(key) {
        assert_eq!(kept, body);
    }
    let fields = [error.error_type(), error.code(), error.param()];
    for text in fields.into_iter().flatten().chain([error.message(), kept]) {
        assert!(!text.contains(key), "the key is shown: {text}");
    }
    for text in [error.to_string(), error.report()] {
        assert!(text.contains(error.message()));
        assert!(!text.contains(key), "the key is shown: {text}");
    }
    // What a message was made from, said twice, is said the same way.
    assert!(error.message().len() <= body.len().max(80) * 6);
});
