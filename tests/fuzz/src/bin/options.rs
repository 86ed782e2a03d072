//! Any text is options: refused with an error that says why and never shows a key, or taken, and then it is a
//! JSON object that is taken again.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use modelwire::{Client, Config, ErrorKind, Request};
use modelwire_fuzz::{Json, is_json, json};

fn is_object(text: &str) -> bool {
    is_json(text) && text.trim_start().starts_with('{')
}

fn refused(text: &str, error: &modelwire::Error) {
    assert!(matches!(error.kind(), ErrorKind::Argument | ErrorKind::Config), "{error}");
    assert!(!error.message().is_empty(), "an error without a message");
    let key =
        json(text).and_then(|all| all.get("api_key").and_then(Json::as_str).map(str::to_owned));
    // A key that is shorter is a word of any message.
    if let Some(key) = key.filter(|key| key.len() >= 12) {
        assert!(!error.report().contains(&key), "the key is shown: {error}");
    }
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else { return Corpus::Reject };
    let mut config = Config::new();
    match config.set_options(text) {
        Err(error) => refused(text, &error),
        Ok(()) => {
            assert!(is_object(text), "taken for JSON");
            // What was taken is taken again.
            config.set_options(text).expect("the same options");
            if let Err(error) = Client::new(config) {
                refused(text, &error);
            }
        }
    }
    let mut request = Request::chat("m").user("x");
    match request.set_options(text) {
        Err(error) => refused(text, &error),
        Ok(()) => {
            assert!(is_object(text), "taken for JSON");
            request.set_options(text).expect("the same options");
        }
    }
    Corpus::Keep
});
