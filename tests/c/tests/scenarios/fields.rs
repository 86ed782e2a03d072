//! Requests that are built field by field, as the service gets them, and every way of looking into
//! a response. The scripts say what the service sends; the scenarios use the header.

use modelwire_testing::{Exchange, Script, Service};
use modelwire_tests_c::{
    accessor_samples, chat_answer, chat_chunk, detailed_usage, played, scenario, scripted,
    text_samples,
};

/// The bodies of the requests that a scenario sent.
fn bodies(name: &str) -> Vec<String> {
    let service = Service::start().unwrap();
    let answer = chat_answer("x").replacen('{', r#"{"output":[],"#, 1);
    let base_url = service.script("s", Script::one(Exchange::json(200, answer)));
    scenario(name).at_url(&base_url).run().succeeded();
    let sent = service.recorded("s").into_iter();
    sent.map(|request| String::from_utf8(request.body).unwrap()).collect()
}

#[test]
fn built_chat() {
    let first = [
        r#"{"model":"a \"model\"","max_tokens":2147483647,"reasoning_effort":"low","#,
        r#""seed":-9223372036854775808,"temperature":0.1,"top_p":1.0,"store":false,"#,
        r#""parallel":true,"tools":[ {"type":"function"} ],"#,
        r#""big":123456789012345678901234567890.10,"#,
        r#""messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}"#,
    ];
    let first = first.concat();
    let second = first
        .replace("2147483647", "1")
        .replace("-9223372036854775808", "7")
        .replace(r#"[ {"type":"function"} ]"#, "null")
        .replace(r#""messages""#, r#""Seed":"","messages""#);
    assert_eq!(bodies("built_chat"), [first, second.clone(), second]);
}

#[test]
fn built_response() {
    let first = r#"{"model":"m","input":"second","max_output_tokens":5}"#;
    let items = r#"[{"role":"user","content":"third"}]"#;
    assert_eq!(bodies("built_response"), [first, &first.replace(r#""second""#, items)]);
}

#[test]
fn finish_and_tokens() {
    let chat = |choice: &str, more: &str| format!(r#"{{"choices":[{choice}]{more}}}"#);
    let calls = r#""message":{"tool_calls":[{"id":"1","function":{"name":"f"}}]}"#;
    let usage = r#","usage":{"prompt_tokens":9,"completion_tokens":5,
        "prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":3}}"#;
    let of =
        |reason: &str| format!(r#"{{"finish_reason":"{reason}","message":{{"content":"x"}}}}"#);
    let chats = [
        chat(&of("stop"), usage),
        chat(&of("length"), ""),
        chat(&format!(r#"{{"finish_reason":"tool_calls",{calls}}}"#), ""),
        chat(&format!(r#"{{"finish_reason":"stop",{calls}}}"#), ""),
        chat(&of("content_filter"), ""),
        chat(&of("eos"), ""),
        chat(r#"{"message":{"content":"x"}}"#, ""),
    ];
    let item = r#"{"type":"function_call","call_id":"1","name":"f","arguments":"{}"}"#;
    let because = |reason: &str| {
        format!(r#"{{"output":[],"status":"incomplete","incomplete_details":{reason}}}"#)
    };
    let responses = [
        r#"{"output":[],"status":"completed"}"#.to_owned(),
        format!(r#"{{"output":[{item}],"status":"completed"}}"#),
        because(r#"{"reason":"max_output_tokens"}"#),
        because(r#"{"reason":"content_filter"}"#),
        because("null"),
        r#"{"output":[],"status":"in_progress"}"#.to_owned(),
    ];
    let bodies = chats.into_iter().chain(responses);
    let script = Script::sequence(bodies.map(|body| Exchange::json(200, body)).collect());
    scripted("finish_and_tokens", script);
}

/// A conversation with a tool in each operation's form: the question, then with the answer as the
/// service sent it, and the result.
#[test]
fn built_tools() {
    let service = Service::start().unwrap();
    let message = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"call-1"}]}"#;
    let item = r#"{"type":"function_call","call_id":"call-1"}"#;
    let answer = format!(r#"{{"choices":[{{"message":{message}}}],"output":[{item}]}}"#);
    let base_url = service.script("s", Script::one(Exchange::json(200, answer)));
    scenario("built_tools").at_url(&base_url).run().succeeded();
    let sent = service.recorded("s").into_iter();
    let sent: Vec<_> = sent.map(|request| String::from_utf8(request.body).unwrap()).collect();
    let chat = concat!(
        r#"{"model":"m","tools":[{"type":"function"}],"messages":[{"role":"user","content":["#,
        r#"{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"https://x/a"}},"#,
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,/wA="}}]}]}"#
    );
    let response = concat!(
        r#"{"model":"m","tools":[{"type":"web_search"}],"input":[{"role":"user","content":["#,
        r#"{"type":"input_text","text":"See"},{"type":"input_image","detail":"auto","image_url":"https://x/a"},"#,
        r#"{"type":"input_image","detail":"auto","image_url":"data:image/png;base64,/wA="}]}]}"#
    );
    let then =
        |first: &str, rest: String| format!("{},{rest}]}}", first.strip_suffix("]}").unwrap());
    let told = r#"{"role":"tool","tool_call_id":"call-1","content":"3"}"#;
    let output = r#"{"type":"function_call_output","call_id":"call-1","output":"3"}"#;
    let chat_then = then(chat, format!("{message},{told}"));
    let response_then = then(response, format!("{item},{output}"));
    assert_eq!(sent, [chat, &*chat_then, response, &*response_then]);
}

#[test]
fn built_escapes() {
    let bodies = bodies("built_escapes");
    let text = "\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}\0 é\u{2028}😀";
    let expected = serde_json::json!({
        "model": "m", "n\n": text, "messages": [{"role": "\"", "content": text}],
    });
    assert_eq!(serde_json::from_str::<serde_json::Value>(&bodies[0]).unwrap(), expected);
}

#[test]
fn built_refused() {
    let expected = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
    assert_eq!(bodies("built_refused"), [expected]);
}

#[test]
fn fields() {
    let answer = [
        r#"{"choices":[{}],"text":"caf\u00e9 \"q\" \ud83d\ude00","list":[0, {"deep":"found"}],"#,
        r#""a/b":"slash","m~n":"tilde","":"empty name","é":"accent","none":"","#,
        r#""nul":"a\u0000b","big":123456789012345678901234567890.10,"null":null,"#,
        r#""int":-9223372036854775808,"half":0.5,"true":true,"false":false}"#,
    ];
    scripted("fields", Script::one(Exchange::json(200, answer.concat())));
}

#[test]
fn values() {
    played("values");
}

#[test]
fn fields_stay() {
    let items: Vec<String> = (0..200).map(|item| format!(r#""item {item}""#)).collect();
    let answer = format!(r#"{{"choices":[{{}}],"items":[{}]}}"#, items.join(","));
    scripted("fields_stay", Script::one(Exchange::json(200, answer)));
}

/// One line for each function that gives a text.
#[test]
fn texts() {
    scripted("texts", text_samples());
}

/// Every row of the table of accessors.
#[test]
fn accessors() {
    scripted("accessors", accessor_samples());
}

#[test]
fn fields_of_chunks() {
    let chunks = [&chat_chunk(r#"a\"b\n"#), r#"{"flag":true,"half":0.5}"#, "[DONE]"];
    scripted("fields_of_chunks", Script::one(Exchange::events(&chunks)));
}

#[test]
fn tool_calls() {
    let chat = [
        r#"{"choices":[{"message":{"content":null,"tool_calls":["#,
        r#"{"id":"call_1","type":"function","function":{"name":"search","#,
        r#""arguments":"{\"q\":\"caf\u00e9\"}"}},"#,
        r#"{"type":"function","function":{"name":"now"}}]},"finish_reason":"tool_calls"}]}"#,
    ];
    let response = [
        r#"{"object":"response","output":[{"type":"reasoning"},"#,
        r#"{"type":"function_call","id":"x","call_id":"call_a","name":"search","arguments":"{}"},"#,
        r#"{"type":"function_call","call_id":"call_b","name":"now","arguments":"[1]"}]}"#,
    ];
    let answers = [chat.concat(), response.concat(), chat_answer("none")];
    scripted(
        "tool_calls",
        Script::sequence(answers.map(|answer| Exchange::json(200, answer)).to_vec()),
    );
}

#[test]
fn tool_call_pieces() {
    let piece = |calls: &str| {
        format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{calls}]}}}}]}}"#)
    };
    let chunks = [
        piece(r#"{"index":0,"id":"call_1","function":{"name":"search","arguments":""}}"#),
        piece(r#"{"index":0,"function":{"arguments":"{\"q\""}}"#),
        piece(
            r#"{"index":0,"function":{"arguments":":1}"}},{"index":1,"id":"call_2","function":{"name":"now"}}"#,
        ),
        piece(r#"{"index":1,"function":{"arguments":"{}"}}"#),
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#.to_owned(),
        "[DONE]".to_owned(),
    ];
    scripted("tool_call_pieces", Script::one(Exchange::events(&chunks)));
}

#[test]
fn headers() {
    let service = Service::start().unwrap();
    let headers = [("X-Twice", "one"), ("X-Between", ""), ("x-twice", "two")];
    let exchange = Exchange::json_with_headers(200, &headers, r#"{"choices":[{}]}"#);
    let base_url = service.script("s", Script::one(exchange));
    let ended = scenario("headers").at_url(&base_url).run().succeeded();
    let told: Vec<&str> = ended.stdout.lines().collect();
    let expected = ["content-type: application/json", "x-twice: one", "x-twice: two"];
    assert!(expected.iter().all(|line| told.contains(line)), "{told:?}");
    assert!(told.contains(&"x-between: ") && told.contains(&"content-length: 16"), "{told:?}");
    let place = |line| told.iter().position(|told| *told == line).unwrap();
    assert!(place("x-twice: one") < place("x-twice: two"));
}

#[test]
fn usage_of_events() {
    played("usage_of_events");
}

/// A call that reported no usage is counted apart; none is asked for by itself.
#[test]
fn usage_by_model() {
    let service = played("usage_by_model");
    let last = String::from_utf8(service.recorded("").last().unwrap().body.clone()).unwrap();
    assert!(last.contains(r#""stream":true"#) && !last.contains("stream_options"), "{last}");
}

/// What a service reports is not trusted to stay within 64 bits.
#[test]
fn usage_saturates() {
    let most = i64::MAX;
    let answer = format!(
        r#"{{"choices":[{{"message":{{"content":"x"}}}}],"usage":{{"prompt_tokens":{most},"completion_tokens":{most},"total_tokens":{most}}}}}"#
    );
    scripted("usage_saturates", Script::one(Exchange::json(200, answer)));
}

/// By key and by model, and never a key.
#[test]
fn usage_taken() {
    scripted("usage_taken", detailed_usage());
}

#[test]
fn ends() {
    let finish = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    let mut chunks = vec![chat_chunk("one "), chat_chunk("two"), finish];
    let by_reason = Exchange::events(&chunks);
    chunks.push("[DONE]".to_owned());
    let response = [
        r#"{"type":"response.output_text.delta","delta":"one two"}"#,
        r#"{"type":"response.completed","response":{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"one two"}]}]}}"#,
    ];
    scripted(
        "ends",
        Script::sequence(vec![
            Exchange::json(200, chat_answer("x")),
            Exchange::events(&chunks),
            by_reason,
            Exchange::events(&response),
        ]),
    );
}
