//! Any text is a request: refused where serde_json or the service would refuse it, sent byte for
//! byte but for `stream` where not.
#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use modelwire::parse::body;
use modelwire::{ErrorKind, Request};
use modelwire_fuzz::{Json, is_json, json};

fn is_object(text: &str) -> bool {
    is_json(text) && text.trim_start().starts_with('{')
}

/// A message of a chat: its role, and content where the role says nothing without.
fn is_message(message: &Json) -> bool {
    let has_role = message.get("role").is_some_and(Json::is_string);
    let may_be_null =
        !["user", "system", "developer", "tool"].iter().any(|role| message["role"] == *role);
    let content = message.get("content").unwrap_or(&Json::Null);
    has_role && (content.is_string() || content.is_array() || (content.is_null() && may_be_null))
}

/// The fields that are checked before sending, as serde_json reads them.
fn is_right(request: &Json, is_chat: bool) -> bool {
    let has_model = request["model"].as_str().is_some_and(|model| !model.is_empty());
    let messages = request["messages"].as_array();
    let has_content = match is_chat {
        true => messages.is_some_and(|messages| messages.iter().all(is_message)),
        false => request["input"].is_string() || request["input"].is_array(),
    };
    let or_null = |name: &str, is: fn(&Json) -> bool| {
        request.get(name).is_none_or(|value| value.is_null() || is(value))
    };
    let (own, other) = match is_chat {
        true => ("max_tokens", "max_output_tokens"),
        false => ("max_output_tokens", "max_tokens"),
    };
    has_model
        && has_content
        && or_null("stream", Json::is_boolean)
        && or_null(own, |value| value.as_u64().is_some_and(|tokens| tokens > 0))
        && or_null(other, |_| false)
}

/// Every duplicate is checked, where serde_json sees the last; and -0 and digits beyond 64 bits are
/// integers, where serde_json sees fractions. All are rare: such a text is not compared.
fn is_plain(text: &str) -> bool {
    let names = ["model", "messages", "input", "stream", "max_tokens", "max_output_tokens"];
    let members = modelwire::Value::parse(text).map(|value| value.members()).unwrap_or_default();
    names.iter().all(|name| {
        let own: Vec<_> = members.iter().filter(|(own, _)| own == name).collect();
        let is_odd = |text: &str| text.len() > 17 || text == "-0";
        own.len() <= 1 && !(name.starts_with("max") && own.iter().any(|(_, v)| is_odd(v.text())))
    })
}

fn check(text: &str, request: Request, is_chat: bool) {
    let checked = request.check();
    if let Err(error) = &checked {
        assert_eq!(error.kind(), ErrorKind::Argument);
        let is_syntax = error.message().starts_with("the request is not a JSON object");
        let is_deep = error.message().contains("JSON_DEPTH_MAX");
        assert!(is_deep || is_syntax != is_object(text), "{error}");
    } else {
        assert!(is_object(text), "taken for JSON");
    }
    let theirs = json(text).filter(Json::is_object);
    if let Some(theirs) = theirs.as_ref().filter(|_| is_plain(text)) {
        assert_eq!(checked.is_ok(), is_right(theirs, is_chat), "{:?}", checked.err());
    }
    for stream in [false, true] {
        let Ok(sent) = body(request.clone(), stream) else { continue };
        assert!(checked.is_ok(), "what is refused is not sent");
        let sent = String::from_utf8(sent).unwrap();
        assert!(is_json(&sent), "what is sent is not JSON: {sent}");
        if !stream {
            assert_eq!(sent, text, "sent byte for byte");
        } else if let Some(mut theirs) = theirs.clone() {
            theirs["stream"] = true.into();
            assert_eq!(json(&sent), Some(theirs), "one edit");
        }
    }
}

/// Whatever is put into a request that is built, what comes out is JSON that says it.
fn check_built(text: &str) {
    if ["", "tool"].contains(&text) {
        return; // no role of a message
    }
    let built = Request::chat("m").message(text, text).set(&format!("x{text}"), text);
    built.check().expect("a request that was built");
    let sent = String::from_utf8(body(built, true).unwrap()).unwrap();
    let sent = json(&sent).expect("JSON");
    assert_eq!(sent["messages"][0]["role"], text);
    assert_eq!(sent["messages"][0]["content"], text);
    assert_eq!(sent[format!("x{text}")], text);
    let raw = Request::responses("m").input("").set_json("x", text);
    if raw.check().is_ok() {
        assert!(is_json(text), "other fields came in with it");
        let sent = String::from_utf8(body(raw, false).unwrap()).unwrap();
        assert!(is_json(&sent), "what is sent is not JSON: {sent}");
    } else {
        assert!(!is_json(text) || modelwire::Value::parse(text).is_err());
    }
}

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else { return Corpus::Reject };
    check(text, Request::chat_json(text), true);
    check(text, Request::responses_json(text), false);
    check_built(text);
    Corpus::Keep
});
