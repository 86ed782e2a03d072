//! What is read, to JSON and back.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::sync::Arc;

use serde_json::{from_str, to_string};

use crate::answer::error::Error;
use crate::answer::head::Head;
use crate::answer::response::{CalledTool, End, Response};
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::endpoint::Endpoint;
use crate::protocol::usage::Usage;
use crate::protocol::value::Value;

/// Every kind of value, an escape, a name twice, and the ends of 64 bits.
const ALL: &str = r#"{"a":null,"b":[true,false,{}],"a":"\"\n\u0001é","n":[-9223372036854775808,18446744073709551615,-0.5,1e300],"":[]}"#;

#[test]
fn values_serialize_as_they_were_sent() {
    assert_eq!(to_string(&Value::validated(ALL)).unwrap(), ALL.replace("1e300", "1e+300"));
    for text in ["null", "7", "-0.0", "\"\"", "[[[]]]", "1.0"] {
        assert_eq!(to_string(&Value::validated(text)).unwrap(), text);
    }
}

/// To pass over all that is below for each level would take minutes.
#[test]
fn values_are_read_once_whatever_their_nesting() {
    let text = format!("{}{}0{}", "[".repeat(300), "0,".repeat(3 << 20), "]".repeat(300));
    assert!(to_string(&Value::validated(&text)).unwrap() == text);
}

#[test]
fn answers_and_chunks_survive_the_way_there_and_back() {
    let text = r#"{"choices":[{"finish_reason":"stop","message":{"content":"Hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}"#;
    let document = Document::scan(text).unwrap();
    assert_eq!(to_string(&document).unwrap(), text);
    let again: Document = from_str(&to_string(&document).unwrap()).unwrap();
    assert_eq!((&*again.text(), again.usage()), ("Hi", document.usage()));
    let head = || Arc::new(Head::new(200, None::<(&str, &str)>));
    let whole = Response::whole(Endpoint::Chat, head(), document);
    assert_eq!(to_string(&whole).unwrap(), text);
    assert_eq!(whole.answered().usage, whole.usage());
    let lost = Response::streamed(Endpoint::Chat, head(), Default::default(), End::DoneMark, None);
    assert_eq!(to_string(&lost).unwrap(), "null");

    let text = r#"{"type":"response.output_text.delta","delta":"Hi"}"#;
    let chunk = Chunk::scan("response.output_text.delta", text).unwrap();
    assert_eq!(to_string(&chunk).unwrap(), text);
    let again: Chunk = from_str(text).unwrap();
    assert_eq!((again.event(), &*again.text()), (chunk.event(), "Hi"));
}

#[test]
fn plain_data_survives_the_way_there_and_back() {
    let usage = Usage { input_tokens: 3, total_tokens: 3, ..Usage::default() };
    let text = to_string(&usage).unwrap();
    assert!(text.starts_with(r#"{"input_tokens":3,"output_tokens":0,"#), "{text}");
    assert_eq!(from_str::<Usage>(&text).unwrap(), usage);
    assert_eq!(from_str::<Usage>(r#"{"input_tokens":3,"total_tokens":3,"new":1}"#).unwrap(), usage);

    let text = r#"{"id":"1","name":"f","arguments":"{}"}"#;
    let call: CalledTool = from_str(text).unwrap();
    assert_eq!((&*call.id, &*call.name, &*call.arguments), ("1", "f", "{}"));
    assert_eq!(to_string(&call).unwrap(), text);
    let missing = from_str::<CalledTool>(r#"{"id":"1","name":"f"}"#).unwrap_err();
    assert!(missing.to_string().contains("arguments"), "{missing}");

    let error = Error::argument("it is wrong");
    assert_eq!(to_string(&error).unwrap(), error.to_json());
}
