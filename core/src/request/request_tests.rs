//! What is checked before sending, and what is sent.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use super::*;
use crate::answer::error_kind::ErrorKind;
use crate::answer::parsed::NotParsed;

fn text(request: Request) -> String {
    request.text().unwrap().unwrap().into_owned()
}

fn body(request: Request, stream: bool) -> String {
    String::from_utf8(request.prepare(stream, false).unwrap().body.unwrap().to_vec()).unwrap()
}

#[test]
fn a_built_request_is_the_json_one_would_write() {
    let chat =
        Request::chat("m").system("s").user("say \"hi\"\n").max_tokens(5).set("temperature", 0.5);
    assert_eq!(
        body(chat, false),
        r#"{"model":"m","max_tokens":5,"temperature":0.5,"messages":[{"role":"system","content":"s"},{"role":"user","content":"say \"hi\"\n"}]}"#
    );
    let response = Request::responses("m").input("hi").max_output_tokens(9);
    assert_eq!(body(response, false), r#"{"model":"m","input":"hi","max_output_tokens":9}"#);
}

#[test]
fn any_serialize_value_is_a_request() {
    #[derive(serde::Serialize)]
    struct Chat {
        model: &'static str,
        messages: Vec<std::collections::BTreeMap<&'static str, &'static str>>,
    }
    let message = [("role", "user"), ("content", "hi")].into_iter().collect();
    let chat = Chat { model: "m", messages: vec![message] };
    assert_eq!(
        body(Request::chat_from(&chat), false),
        r#"{"model":"m","messages":[{"content":"hi","role":"user"}]}"#
    );
    let infinite = std::collections::BTreeMap::from([((1, 2), "not a string key")]);
    let error = Request::chat_from(&infinite).prepare(false, false).unwrap_err();
    assert!(error.message().contains("does not serialise"), "{error}");
}

#[test]
fn the_callers_bytes_are_untouched_but_for_stream() {
    let text = "{ \"model\" : \"m\", \"seed\": 123456789012345678901234567890.10,\n \"input\":\"\\u00e9\" }";
    assert_eq!(body(Request::responses_json(text), false), text);
    assert_eq!(
        body(Request::responses_json(text), true),
        text.replacen('{', "{\"stream\":true,", 1)
    );
}

#[test]
fn stream_agrees_with_the_way_of_calling() {
    let text = |stream: &str| format!(r#"{{"model":"m","input":"x","stream":{stream}}}"#);
    assert_eq!(body(Request::responses_json(text("true")), true), text("true"));
    assert_eq!(body(Request::responses_json(text("null")), true), text("true"));
    assert_eq!(body(Request::responses_json(text("false")), false), text("false"));
    assert_eq!(body(Request::responses_json(text("null")), false), text("null"));
    for (given, stream) in [("false", true), ("true", false)] {
        let error = Request::responses_json(text(given)).prepare(stream, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.message().contains("stream"), "{error}");
    }
}

#[test]
fn a_stream_only_call_always_sends_stream_true() {
    let text = |stream: &str| format!(r#"{{"model":"m","input":"x"{stream}}}"#);
    for given in ["", r#","stream":false"#, r#","stream":true"#, r#","stream":null"#] {
        let prepared = Request::responses_json(text(given)).stream_only(true).prepare(false, false);
        let prepared = prepared.unwrap();
        let sent = String::from_utf8(prepared.body.unwrap().to_vec()).unwrap();
        assert!(prepared.stream && sent.contains(r#""stream":true"#), "{sent}");
        assert_eq!(sent.matches("stream").count(), 1, "{sent}");
    }
    assert!(Request::responses_json(text("")).prepare(false, true).unwrap().stream);
    let off = Request::responses_json(text("")).stream_only(false).prepare(false, true).unwrap();
    assert!(!off.stream);
    assert!(!Request::models().prepare(false, true).unwrap().stream);
}

/// To move what is behind each of them would take minutes.
#[test]
fn each_of_many_duplicate_members_is_replaced_in_one_pass() {
    let count = 1 << 20;
    let streams = |value| {
        format!(r#"{{{}"model":"m","input":"x"}}"#, format!(r#""stream":{value},"#).repeat(count))
    };
    let request = Request::responses_json(streams("null")).stream_only(true);
    assert!(*request.prepare(false, false).unwrap().body.unwrap() == *streams("true").as_bytes());

    let names = [("m".to_owned(), "model-of-there".to_owned())];
    let models =
        |model| format!(r#"{{{}"input":7}}"#, format!(r#""model":"{model}","#).repeat(count));
    let renamed = crate::request::prepared::with_model(models("m").as_bytes(), &names);
    assert!(renamed.is_some_and(|renamed| renamed == models("model-of-there")));
}

#[test]
fn options_of_a_call_are_checked() {
    for (request, said) in [
        (Request::models().idle_timeout(Some(Duration::ZERO)), "idle_timeout is zero"),
        (Request::models().header("a b", "x"), "not a header name"),
        (Request::models().retry(RetryPolicy::default().jitter(2.0)), "jitter"),
    ] {
        let error = request.prepare(false, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.message().contains(said), "{error}");
    }
}

#[test]
fn invalid_requests_are_refused_with_the_reason() {
    for (endpoint, text, said) in [
        (Endpoint::Chat, "", "not a JSON object: expected an object at byte 0"),
        (Endpoint::Chat, "[]", "expected an object at byte 0"),
        (Endpoint::Chat, r#"{"model":"m",}"#, "expected a string at byte 13"),
        (Endpoint::Chat, r#"{"model":"m"} x"#, "the end of the text at byte 14"),
        (Endpoint::Chat, r#"{"messages":[]}"#, "model is missing"),
        (Endpoint::Chat, r#"{"model":"","messages":[]}"#, "non-empty string"),
        (Endpoint::Chat, r#"{"model":5,"messages":[]}"#, "model must be a non-empty string, not 5"),
        (Endpoint::Chat, r#"{"model":"m"}"#, "messages is missing"),
        (Endpoint::Chat, r#"{"model":"m","messages":"hi"}"#, "messages must be an array"),
        (Endpoint::Chat, r#"{"model":"m","messages":["hi"]}"#, "messages[0] must be an object"),
        (
            Endpoint::Chat,
            r#"{"model":"m","messages":[{"role":"user","content":"x"},{}]}"#,
            "messages[1].role is missing",
        ),
        (
            Endpoint::Chat,
            r#"{"model":"m","messages":[{"role":1}]}"#,
            "messages[0].role must be a string, not 1",
        ),
        (
            Endpoint::Chat,
            r#"{"model":"m","messages":[],"max_tokens":1.5}"#,
            "max_tokens must be an integer",
        ),
        (Endpoint::Responses, r#"{"model":"m"}"#, "input is missing"),
        (
            Endpoint::Responses,
            r#"{"model":"m","input":"x","stream":"yes"}"#,
            "stream must be a boolean",
        ),
        (
            Endpoint::Responses,
            r#"{"model":"m","input":"x","max_output_tokens":"9"}"#,
            "must be an integer",
        ),
    ] {
        let request = match endpoint {
            Endpoint::Chat => Request::chat_json(text),
            _ => Request::responses_json(text),
        };
        let error = request.prepare(false, false).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument, "{text}");
        assert!(error.message().contains(said), "{text}: {error}");
    }
}

fn refused(request: Request) -> Error {
    let error = request.prepare(false, false).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
    error
}

fn chat_of(messages: &str) -> Request {
    Request::chat_json(format!(r#"{{"model":"m","messages":[{messages}]}}"#))
}

#[test]
fn a_message_that_must_have_content_is_refused_without() {
    for role in ["user", "system", "developer", "tool", r"t\u006fol"] {
        for (content, said) in [("", "is missing"), (r#","content":null"#, "not null")] {
            let first = r#"{"role":"user","content":"x"}"#;
            let error = refused(chat_of(&format!(r#"{first},{{"role":"{role}"{content}}}"#)));
            assert!(error.message().starts_with("messages[1].content"), "{error}");
            assert!(error.message().contains(said), "{error}");
            assert!(error.hint().contains(r#""""#), "{}", error.hint());
        }
    }
}

#[test]
fn content_that_the_service_may_take_is_left_to_it() {
    for message in [
        r#"{"role":"assistant","content":null}"#,
        r#"{"role":"assistant","tool_calls":[]}"#,
        r#"{"content":"x","role":"assistant","content":null}"#,
        r#"{"role":"function","name":"f","content":null}"#,
        r#"{"role":"novel"}"#,
        r#"{"role":"user","content":""}"#,
        r#"{"role":"user","content":[]}"#,
        r#"{"role":"user","content":["text",7,{"type":"text","text":"x"}]}"#,
        r#"{"role":"user","content":null,"content":"x"}"#,
        r#"{"role":"user","role":"assistant"}"#,
    ] {
        let text = format!("{{ \"model\":\"m\",\"messages\" : [ {message} , {message} ] }}");
        assert_eq!(body(Request::chat_json(text.clone()), false), text);
    }
}

#[test]
fn content_that_is_neither_a_string_nor_an_array_is_refused() {
    for role in ["user", "assistant", "function", "novel"] {
        for content in ["7", "true", "{}", r#"{"type":"text","text":"x"}"#] {
            let message = format!(r#"{{"content":{content},"role":"{role}"}}"#);
            let error = refused(chat_of(&message));
            let said =
                format!("messages[0].content must be a string or an array of parts, not {content}");
            assert_eq!(error.message(), said);
            let is_part = content.starts_with('{');
            assert_eq!(error.hint().contains("[{...}]"), is_part, "{}", error.hint());
        }
    }
    let long = format!(r#"{{"role":"user","content":{{"x":"{}"}}}}"#, "é".repeat(5000));
    let error = refused(chat_of(&long));
    assert!(error.message().chars().count() < 100 + SHOWN, "{error}");
}

/// The maximum number of characters of a value that a message shows.
const SHOWN: usize = 40;

#[test]
fn the_first_wrong_message_of_the_last_messages_is_named() {
    let error =
        refused(chat_of(r#"{"role":"user","content":"x"},{"role":"tool"},{"role":"user"}"#));
    assert!(error.message().starts_with("messages[1].content"), "{error}");
    let twice = |first: &str, second: &str| {
        Request::chat_json(format!(r#"{{"model":"m","messages":[{first}],"messages":[{second}]}}"#))
    };
    let (right, wrong) = (r#"{"role":"user","content":"x"}"#, r#"{"role":"user"}"#);
    assert!(twice(wrong, right).check().is_ok());
    assert!(refused(twice(right, wrong)).message().starts_with("messages[0].content"));
    // Text that is not JSON is reported before any invalid field.
    let cut = Request::chat_json(format!(r#"{{"model":"m","messages":[{wrong},"#));
    assert!(refused(cut).message().contains("not a JSON object"));
    // Only a chat has messages.
    let other = r#"{"model":"m","input":"x","messages":[{"role":"user"}]}"#;
    assert_eq!(body(Request::responses_json(other), false), other);
}

#[test]
fn an_input_is_a_string_or_an_array() {
    for input in ["null", "7", "true", r#"{"role":"user","content":"x"}"#] {
        let error = refused(Request::responses_json(format!(r#"{{"model":"m","input":{input}}}"#)));
        let said = format!("input must be a string or an array of items, not {input}");
        assert_eq!(error.message(), said);
        let is_item = input.starts_with('{');
        assert_eq!(error.hint().contains("[{...}]"), is_item, "{}", error.hint());
    }
    for input in [r#""""#, "[]", r#"[{"type":"novel"},"x"]"#] {
        let text = format!(r#"{{"model":"m","input":{input}}}"#);
        assert_eq!(body(Request::responses_json(text.clone()), false), text);
    }
    let chat = r#"{"model":"m","messages":[],"input":7}"#;
    assert_eq!(body(Request::chat_json(chat), false), chat);
}

#[test]
fn the_bound_of_the_output_is_at_least_one_and_has_its_own_name() {
    let asked = |is_chat: bool, fields: &str| match is_chat {
        true => Request::chat_json(format!(r#"{{"model":"m","messages":[]{fields}}}"#)),
        false => Request::responses_json(format!(r#"{{"model":"m","input":"x"{fields}}}"#)),
    };
    for (is_chat, right, wrong) in
        [(true, "max_tokens", "max_output_tokens"), (false, "max_output_tokens", "max_tokens")]
    {
        for tokens in ["0", "-0", "-1", "-99999999999999999999999"] {
            let error = refused(asked(is_chat, &format!(r#","{right}":{tokens}"#)));
            assert_eq!(error.message(), format!("{right} must be at least 1, not {tokens}"));
            assert!(error.hint().contains(right), "{}", error.hint());
        }
        for tokens in ["1", "null", "99999999999999999999999"] {
            assert!(asked(is_chat, &format!(r#","{right}":{tokens}"#)).check().is_ok());
        }
        for tokens in ["7", "0", r#""7""#] {
            let error = refused(asked(is_chat, &format!(r#","{wrong}":{tokens}"#)));
            let said = error.message();
            assert!(said.starts_with(wrong) && said.contains(&format!(" {tokens}")), "{said}");
            assert!(error.hint().contains(&format!("Write {right} ")), "{}", error.hint());
        }
        let both = format!(r#","{right}":5,"{wrong}":null,"max_completion_tokens":-1"#);
        assert!(asked(is_chat, &both).check().is_ok());
    }
    assert!(refused(Request::chat("m").user("x").max_tokens(0)).message().contains("at least 1"));
    let built = refused(Request::responses("m").input("x").max_tokens(5));
    assert!(built.hint().contains("max_output_tokens"), "{}", built.hint());
}

#[test]
fn the_model_list_has_no_body() {
    let prepared = Request::models().prepare(false, false).unwrap();
    assert!(prepared.body.is_none() && prepared.model.is_none());
    assert!(Request::models().prepare(true, false).is_err());
    assert!(
        Request::models()
            .user("hi")
            .prepare(false, false)
            .unwrap_err()
            .message()
            .contains("no body")
    );
    assert!(
        Request::chat_json("{}")
            .user("hi")
            .prepare(false, false)
            .unwrap_err()
            .message()
            .contains("whole JSON")
    );
}

#[test]
fn how_many_choices_are_awaited_is_read_from_n() {
    let choices = |n: &str| {
        let text = format!(r#"{{"model":"m","messages":[]{n}}}"#);
        Request::chat_json(text).prepare(true, false).unwrap().choices
    };
    assert_eq!((choices(""), choices(r#","n":3"#), choices(r#","n":null"#)), (1, 3, 1));
}

#[test]
fn a_field_that_is_set_again_is_replaced() {
    let request = Request::chat("m").user("a").set("seed", 1).set("n", 2).set("seed", 3);
    let prepared = request.prepare(false, false).unwrap();
    let text = String::from_utf8(prepared.body.unwrap().to_vec()).unwrap();
    assert_eq!(text, r#"{"model":"m","seed":3,"n":2,"messages":[{"role":"user","content":"a"}]}"#);
}

#[test]
fn a_request_of_an_operation_is_filled_field_by_field() {
    let chat = Request::empty(Endpoint::Chat).message("user", "hi").set("model", "m");
    assert_eq!(body(chat, false), r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#);
    let response = Request::empty(Endpoint::Responses).set("model", "m").input("hi");
    assert_eq!(body(response, false), r#"{"model":"m","input":"hi"}"#);
    assert!(refused(Request::empty(Endpoint::Chat)).message().contains("model is missing"));
    let list = Request::empty(Endpoint::Models);
    assert!(list.can_be_built().is_err() && list.prepare(false, false).unwrap().body.is_none());
}

#[test]
fn a_request_of_an_operation_is_taken_as_text() {
    let chat = r#"{"model":"m","messages":[]}"#;
    let request = Request::of_json(Endpoint::Chat, chat);
    assert_eq!((request.endpoint(), body(request, false)), (Endpoint::Chat, chat.to_owned()));
    let response = r#"{"model":"m","input":"x"}"#;
    let request = Request::of_json(Endpoint::Responses, response);
    assert_eq!(request.endpoint(), Endpoint::Responses);
    assert_eq!(body(request, false), response);
    for nothing in ["", " \n", "{}", " { } "] {
        let list = Request::of_json(Endpoint::Models, nothing);
        assert!(list.check().is_ok() && list.prepare(false, false).unwrap().body.is_none());
    }
    for something in ["[]", "null", "{", r#"{"model":"m"}"#] {
        let error = refused(Request::of_json(Endpoint::Models, something));
        assert_eq!(error.message(), "the model list takes no body", "{something}");
    }
}

/// A message is appended to those set as JSON; a second "messages" replaces the first.
#[test]
fn messages_are_one_list_however_they_were_given() {
    let one = r#"{"role":"tool","tool_call_id":"c","content":"1"}"#;
    let two = r#"{"role":"user","content":"2"}"#;
    for (given, all) in [
        ("[]".to_owned(), format!("[{two}]")),
        ("[ ]".to_owned(), format!("[{two}]")),
        (format!("[{one}]"), format!("[{one},{two}]")),
        (format!(" [{one} ] "), format!("[{one},{two}]")),
    ] {
        let request = Request::chat("m").set_json("messages", &given).user("2");
        assert_eq!(text(request), format!(r#"{{"model":"m","messages":{all}}}"#));
    }
    let again = Request::chat("m").user("2").set_json("messages", &format!("[{one}]"));
    assert_eq!(text(again), format!(r#"{{"model":"m","messages":[{one}]}}"#));
    for wrong in ["\"x]\"", "{}", "null"] {
        let error = Request::chat("m").set_json("messages", wrong).user("2").check().unwrap_err();
        assert!(error.message().contains("messages is not an array"), "{error}");
    }
}

/// A message with parts, a tool, its result and a schema take the form of the operation.
#[test]
fn one_builder_writes_both_operations() {
    let ask = |request: Request| {
        let message = Message::user("see").image_url("https://x/a.png").image("image/png", b"png");
        let tool = Tool::new("f").description("d").parameters_json("{}").strict(true);
        request.add_message(message).tool(tool).tool_result("1", "ok").response_schema("s", &7)
    };
    assert_eq!(
        text(ask(Request::chat("m"))),
        concat!(
            r#"{"model":"m","tools":[{"type":"function","function":{"name":"f","description":"d","#,
            r#""parameters":{},"strict":true}}],"response_format":{"type":"json_schema","#,
            r#""json_schema":{"name":"s","strict":true,"schema":7}},"#,
            r#""messages":[{"role":"user","content":[{"type":"text","text":"see"},"#,
            r#"{"type":"image_url","image_url":{"url":"https://x/a.png"}},"#,
            r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,cG5n"}}]},"#,
            r#"{"role":"tool","tool_call_id":"1","content":"ok"}]}"#
        )
    );
    let verbose = Request::responses("m").input("first").set_json("text", r#"{"verbosity":"low"}"#);
    assert_eq!(
        text(ask(verbose)),
        concat!(
            r#"{"model":"m","text":{"format":{"type":"json_schema","name":"s","strict":true,"#,
            r#""schema":7},"verbosity":"low"},"tools":[{"type":"function","name":"f","#,
            r#""description":"d","parameters":{},"strict":true}],"#,
            r#""input":[{"role":"user","content":"first"},"#,
            r#"{"role":"user","content":[{"type":"input_text","text":"see"},"#,
            r#"{"type":"input_image","detail":"auto","image_url":"https://x/a.png"},"#,
            r#"{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,cG5n"}]},"#,
            r#"{"type":"function_call_output","call_id":"1","output":"ok"}]}"#
        )
    );
}

/// What openai's types for requests require: both fields in a response's definition; no parts of an
/// assistant that have no id.
#[test]
fn a_response_has_what_its_types_require() {
    let written = |request: Request| {
        let words = Message::new("assistant", "a").text("b");
        text(request.add_message(words).tool(Tool::new("f")))
    };
    assert_eq!(
        written(Request::responses("m")),
        concat!(
            r#"{"model":"m","tools":[{"type":"function","name":"f","parameters":null,"#,
            r#""strict":false}],"input":[{"role":"assistant","content":"ab"}]}"#
        )
    );
    assert_eq!(
        written(Request::chat("m")),
        concat!(
            r#"{"model":"m","tools":[{"type":"function","function":{"name":"f"}}],"messages":"#,
            r#"[{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}"#
        )
    );
}

/// The answer is put back as it was sent, with a role, and without halves of surrogate pairs.
#[test]
fn an_answer_goes_back_into_the_conversation() {
    let saved = |endpoint, json: &str| Response::saved(endpoint, 200, None, json).unwrap();
    let half =
        r#"{"choices":[{"message":{"content":"a\ud800b","tool_calls":[{"id":"1"}],"x":1e999}}]}"#;
    assert_eq!(
        text(Request::chat("m").user("q").add_response(&saved(Endpoint::Chat, half))),
        concat!(
            r#"{"model":"m","messages":[{"role":"user","content":"q"},"#,
            "{\"role\":\"assistant\",\"content\":\"a\u{fffd}b\",",
            r#""tool_calls":[{"id":"1"}],"x":1e999}]}"#
        )
    );
    let items = r#"{"output":[{"type":"reasoning"},{"type":"function_call"}]}"#;
    let items = saved(Endpoint::Responses, items);
    assert_eq!(
        text(Request::responses("m").input("q").add_response(&items)),
        concat!(
            r#"{"model":"m","input":[{"role":"user","content":"q"},"#,
            r#"{"type":"reasoning"},{"type":"function_call"}]}"#
        )
    );
    let empty = saved(Endpoint::Chat, r#"{"choices":[]}"#);
    for (answer, why) in
        [(&items, "the operation of the answer is responses"), (&empty, "no message")]
    {
        let error = Request::chat("m").user("q").add_response(answer).check().unwrap_err();
        assert!(error.message().contains(why), "{error}");
    }
}

/// What cannot be added is named, and leaves the request as it was.
#[test]
fn a_refused_addition_changes_nothing() {
    type Change = fn(Request) -> Request;
    let wrong: [(Change, &str); 6] = [
        (|request| request.message("tool", "x"), "needs the id"),
        (|request| request.tool_result("", "x"), "needs the id"),
        (|request| request.add_json("tools", "{"), "tools is not JSON"),
        (|request| request.add_json("model", "{}"), "model is not an array"),
        (|request| request.tool_result("1", "x").add_text("y"), "add the message first"),
        (|request| request.set("messages", "x").user("y"), "messages is not an array"),
    ];
    for (change, why) in wrong {
        let mut request = Request::chat("m").user("q");
        let error = request.try_change(change).unwrap_err();
        assert!(error.message().contains(why), "{error}");
        assert!(request.can_be_built().is_ok());
        let error = change(Request::chat("m").user("q")).check().unwrap_err();
        assert!(error.message().contains(why), "{error}");
    }
    let mut request = Request::chat("m").user("q");
    request.try_change(|request| request.message("tool", "x")).unwrap_err();
    assert_eq!(text(request), text(Request::chat("m").user("q")));
}

/// To its own list, and to any other that is there or not.
#[test]
fn json_is_appended_to_any_array() {
    let appended = |request: Request, name: &str, texts: &[&str]| {
        text(texts.iter().fold(request, |request, text| request.add_json(name, text)))
    };
    let chat = || Request::chat("m").user("q");
    for (before, texts, expected) in [
        (None, &["1"] as &[&str], "[1]"),
        (None, &["1", "2", "3"], "[1,2,3]"),
        (Some("[]"), &["1", "2"], "[1,2]"),
        (Some(" [ ] "), &["1"], "[1]"),
        (Some("[[0]]"), &["[1]"], "[[0],[1]]"),
    ] {
        let request = before.map_or_else(chat, |before| chat().set_json("x", before));
        let body: serde_json::Value = serde_json::from_str(&appended(request, "x", texts)).unwrap();
        assert_eq!(body["x"].to_string(), expected, "{before:?} {texts:?}");
    }
    let message = r#"{"role":"user","content":"r"}"#;
    let expected = text(chat().user("r"));
    assert_eq!(appended(chat(), "messages", &[message]), expected);
    for (before, text) in [("5", "1"), ("{}", "1"), ("[]", "no JSON")] {
        let error = chat().set_json("x", before).add_json("x", text).check().unwrap_err();
        assert!(error.message().contains('x'), "{error}");
    }
}

/// Beside what else is said of the text of a response; only one format has room.
#[test]
fn a_schema_joins_what_is_said_of_the_text() {
    let request = |given: Option<&str>| {
        let request = Request::responses("m").input("q");
        let request =
            given.into_iter().fold(request, |request, given| request.set_json("text", given));
        request.response_schema("s", &serde_json::json!({"type": "object"}))
    };
    for (given, others) in [
        (None, 0),
        (Some("{}"), 0),
        (Some(r#" { "verbosity" : "low" } "#), 1),
        (Some(r#"{"verbosity":"low","x":1}"#), 2),
    ] {
        let body: serde_json::Value = serde_json::from_str(&text(request(given))).unwrap();
        assert_eq!(body["text"]["format"]["type"], "json_schema", "{given:?}");
        assert_eq!(body["text"]["format"]["schema"]["type"], "object", "{given:?}");
        assert_eq!(body["text"].as_object().unwrap().len(), 1 + others, "{given:?}");
    }
    for given in [r#"{"format":{"type":"text"}}"#, "5", "[]"] {
        let error = request(Some(given)).check().unwrap_err();
        assert!(error.message().contains(&format!("text is already {given}")), "{error}");
    }
}

/// Only for the member that takes a list: nothing else can be put into one.
#[test]
fn the_hint_for_an_object_is_that_of_its_member() {
    for (request, hint) in [
        (r#"{"model":"m","messages":{}}"#, "Put the message into an array"),
        (r#"{"model":{},"messages":[{"role":"user","content":"q"}]}"#, ""),
    ] {
        let error = Request::chat_json(request).check().unwrap_err();
        assert_eq!(
            error.hint().contains("into an array"),
            !hint.is_empty(),
            "{error}: {}",
            error.hint()
        );
        assert!(error.hint().contains(hint), "{error}: {}", error.hint());
    }
}

/// All members are required and no others allowed, at every depth, also where a member has the name of
/// a keyword.
#[cfg(feature = "schemars")]
#[test]
fn the_schema_of_a_type_is_strict() {
    #[derive(schemars::JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Inner {
        properties: Option<u8>,
    }
    #[derive(schemars::JsonSchema)]
    #[allow(dead_code, reason = "only its schema is used")]
    struct Outer {
        required: Vec<Inner>,
    }
    let text = text(Request::chat("m").user("q").response_type::<Outer>());
    let value = Value::validated(&text);
    let schema = value.pointer("/response_format/json_schema/schema").unwrap();
    assert_eq!(value.pointer("/response_format/json_schema/name").unwrap().text(), "\"Outer\"");
    for (object, name) in
        [(schema, "required"), (schema.pointer("/$defs/Inner").unwrap(), "properties")]
    {
        assert_eq!(object.get("required").unwrap().text(), format!("[\"{name}\"]"));
        assert_eq!(object.get("additionalProperties").unwrap().as_bool(), Some(false));
        assert!(object.pointer(&format!("/properties/{name}")).is_some(), "{text}");
    }
}

/// `parse` returns a different error for a truncated answer, a refusal and a mismatch.
#[test]
fn an_answer_is_parsed() {
    let parsed = |endpoint, json: &str| {
        Response::saved(endpoint, 200, None, json).unwrap().parse::<Vec<u8>>()
    };
    let chat = |message: &str, reason: &str| {
        let json = format!(r#"{{"choices":[{{"message":{message},"finish_reason":"{reason}"}}]}}"#);
        parsed(Endpoint::Chat, &json)
    };
    assert_eq!(chat(r#"{"content":"[1,2]"}"#, "stop").unwrap(), [1, 2]);
    assert!(matches!(chat(r#"{"content":"[1,2]"}"#, "length"), Err(NotParsed::Truncated(_))));
    assert!(matches!(chat(r#"{"content":"[1,300]"}"#, "stop"), Err(NotParsed::Mismatch { .. })));
    let refused = chat(r#"{"content":null,"refusal":"no"}"#, "stop").unwrap_err();
    assert_eq!(refused.to_string(), "the model refused: no");
    let response = |part: &str, status: &str| {
        let output = format!(r#"[{{"type":"message","content":[{part}]}}]"#);
        parsed(Endpoint::Responses, &format!(r#"{{"status":"{status}","output":{output}}}"#))
    };
    let text = r#"{"type":"output_text","text":"[3]"}"#;
    assert_eq!(response(text, "completed").unwrap(), [3]);
    assert!(matches!(response(text, "incomplete"), Err(NotParsed::Truncated(_))));
    let refusal = r#"{"type":"refusal","refusal":"no"}"#;
    assert!(matches!(response(refusal, "completed"), Err(NotParsed::Refused(_))));
}

/// Nothing else comes into the request with it, whoever wrote the text.
#[test]
fn a_field_is_one_json_value() {
    let with = |text: &str| Request::responses("a-model").input("Hello").set_json("x", text);
    for text in
        ["", "nul", "[1", "1 2", "1,\"stream\":true", "1,\"a\":2", "1}", "\"o\",\"s\":true,"]
    {
        let error = with(text).check().unwrap_err();
        let says = "the field x cannot be added: the value is not JSON: ";
        assert!(error.message().starts_with(says), "{text:?}: {error}");
    }
    for text in ["1", " null\n", "{\"a\":[1]}"] {
        assert!(with(text).check().is_ok(), "{text:?}");
    }
}
