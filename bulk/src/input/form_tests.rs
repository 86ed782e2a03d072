//! Lines in every form, valid and invalid.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use super::*;
use crate::error::ErrorKind;

fn options(edit: impl FnOnce(&mut RowOptions)) -> RowOptions {
    let mut options = RowOptions::default();
    edit(&mut options);
    options
}

fn plain() -> RowOptions {
    RowOptions::default()
}

fn with_model() -> RowOptions {
    options(|options| options.model = Some("echo".to_owned()))
}

fn prompts() -> RowOptions {
    options(|options| {
        options.model = Some("echo".to_owned());
        options.prompt = "{q}".parse().ok();
    })
}

const CHAT: &str = r#"{"model":"echo","messages":[{"role":"user","content":"Hi"}]}"#;
const RESPONSE: &str = r#"{"model":"echo","input":"Hi"}"#;

/// Checks what is sent for a line: operation, body, `custom_id`.
fn check(
    options: &RowOptions,
    line: &str,
    endpoint: Endpoint,
    body: &str,
    custom_id: Option<&str>,
) {
    options.check().unwrap();
    let draft = match Forms::new(options).read(line) {
        Ok(draft) => draft,
        Err(fault) => panic!("{line}: {fault:?}"),
    };
    assert_eq!(draft.body, body, "{line}");
    assert_eq!((draft.endpoint, draft.custom_id.as_deref()), (endpoint, custom_id), "{line}");
    assert_eq!(draft.hash, BodyHash::of(endpoint, body));
    let model = Value::parse(body).unwrap().get("model").unwrap();
    assert_eq!(*draft.model, *model.as_str().unwrap());
}

/// Checks the error of a line: the exact reason, and a part of the hint.
fn refuse(options: &RowOptions, line: &str, reason: &str, advice: &str) {
    options.check().unwrap();
    let fault = match Forms::new(options).read(line) {
        Ok(draft) => panic!("{line}: {draft:?}"),
        Err(fault) => fault,
    };
    assert_eq!(fault.reason, reason, "{line}");
    assert!(fault.advice.contains(advice), "{line}: {}", fault.advice);
}

#[test]
fn a_request_body_is_sent_as_it_stands() {
    check(&plain(), CHAT, Endpoint::Chat, CHAT, None);
    check(&plain(), RESPONSE, Endpoint::Responses, RESPONSE, None);
    let odd = r#"{ "seed" : 1e2, "input":"\u0048\/é" ,"model":"echo","x":{"messages":1} }"#;
    check(&plain(), odd, Endpoint::Responses, odd, None);
    check(&plain(), &format!(" \t{CHAT} "), Endpoint::Chat, CHAT, None);
    let both = r#"{"model":"echo","messages":[],"input":"Hi"}"#;
    for (operation, endpoint) in [("chat", Endpoint::Chat), ("responses", Endpoint::Responses)] {
        let asked = options(|options| options.operation = Some(endpoint));
        check(&asked, both, endpoint, both, None);
        assert_eq!(operation_name(endpoint), operation);
    }
    let nothing = r#"{"model":"echo","stream":false,"messages":[]}"#;
    check(&plain(), nothing, Endpoint::Chat, nothing, None);
    let streams = r#"{"model":"echo","stream":true,"messages":[]}"#;
    let asked = options(|options| options.stream_only = true);
    check(&asked, streams, Endpoint::Chat, streams, None);
}

#[test]
fn a_batch_line_is_read_with_its_body_and_custom_id() {
    let line = |rest: &str| format!("{{\"custom_id\":\"a\",{rest}\"body\": {CHAT} }}");
    for rest in [
        "",
        r#""method":"POST","url":"/v1/chat/completions","#,
        r#""method":null,"url":"/chat/completions","#,
        r#""url":"\/v1\/chat\/completions","other":[{}],"#,
    ] {
        check(&plain(), &line(rest), Endpoint::Chat, CHAT, Some("a"));
    }
    let response = format!("{{\"body\":{RESPONSE},\"url\":\"/v1/responses\",\"custom_id\":7}}");
    check(&plain(), &response, Endpoint::Responses, RESPONSE, Some("7"));
    let inner = r#"{"body":{"model":"echo","custom_id":"b","input":"Hi"},"custom_id":"a"}"#;
    let body = r#"{"model":"echo","custom_id":"b","input":"Hi"}"#;
    check(&plain(), inner, Endpoint::Responses, body, Some("a"));
}

#[test]
fn a_prompt_becomes_a_request() {
    let line = r#"{"custom_id":"a","id":5,"q":"Say \"h\u00e9\"\n"}"#;
    let user = r#"{"role":"user","content":"Say \"h\u00e9\"\n"}"#;
    let body = format!(r#"{{"model":"echo","messages":[{user}]}}"#);
    check(&prompts(), line, Endpoint::Chat, &body, Some("a"));

    let mut asked = prompts();
    asked.system = Some("Be \"brief\".\n".to_owned());
    let system = r#"{"role":"system","content":"Be \"brief\".\n"}"#;
    let body = format!(r#"{{"model":"echo","messages":[{system},{user}]}}"#);
    check(&asked, line, Endpoint::Chat, &body, Some("a"));

    asked.operation = Some(Endpoint::Responses);
    asked.id = Some("id".to_owned());
    asked.set = vec![("max_output_tokens".to_owned(), "50".to_owned())];
    let body = r#"{"model":"echo","max_output_tokens":50,"instructions":"Be \"brief\".\n","input":"Say \"h\u00e9\"\n"}"#;
    check(&asked, line, Endpoint::Responses, body, Some("5"));

    // Columns of a table may have any name.
    let table = r#"{"q":"Hi","input":"","messages":3,"body":4,"model":"other","stream":true}"#;
    let body = r#"{"model":"echo","messages":[{"role":"user","content":"Hi"}]}"#;
    check(&prompts(), table, Endpoint::Chat, body, None);
}

#[test]
fn missing_members_are_filled_in_and_the_rest_is_unchanged() {
    let mut asked = with_model();
    asked.set = vec![
        ("max_output_tokens".to_owned(), "50".to_owned()),
        ("a\"b".to_owned(), "[1, 2]".to_owned()),
    ];
    let filled = r#"{"model":"echo","max_output_tokens":50,"a\"b":[1, 2], "input" : "Hi" }"#;
    check(&asked, r#"{ "input" : "Hi" }"#, Endpoint::Responses, filled, None);
    check(&asked, r#"{"body":{ "input" : "Hi" }}"#, Endpoint::Responses, filled, None);
    let has_all = r#"{"input":"Hi","a\u0022b":null,"model":"other","max_output_tokens":1}"#;
    check(&asked, has_all, Endpoint::Responses, has_all, None);
}

#[test]
fn a_custom_id_inside_a_body_is_taken_out() {
    let body = |line: &str, id: &str| line.replace("ID", id);
    for line in [
        "{ID,\"model\":\"echo\",\"input\":\"a,b\"}",
        "{\"model\":\"echo\",ID,\"input\":\"a,b\"}",
        "{\"model\":\"echo\",\"input\":\"a,b\",ID}",
    ] {
        let id = "\"custom_id\" : \"x,y\"";
        check(
            &plain(),
            &body(line, id),
            Endpoint::Responses,
            r#"{"model":"echo","input":"a,b"}"#,
            Some("x,y"),
        );
    }
    let twice = r#"{ "custom_id":"a" , "model":"echo","custom\u005fid":"b", "input":[ ] }"#;
    let left = r#"{ "model":"echo", "input":[ ]}"#;
    check(&plain(), twice, Endpoint::Responses, left, Some("b"));
    let by_id = options(|options| options.id = Some("n\"o".to_owned()));
    let line = r#"{"n\"o":12,"model":"echo","input":""}"#;
    check(&by_id, line, Endpoint::Responses, r#"{"model":"echo","input":""}"#, Some("12"));
}

#[test]
fn names_of_rows_are_short_texts() {
    let line = |id: &str| format!("{{\"custom_id\":{id},\"body\":{CHAT}}}");
    let long = "x".repeat(CUSTOM_ID_BYTES_MAX);
    for (id, text) in
        [("\"é \\\"1\\\"\"", "é \"1\""), ("-1.50", "-1.50"), (&*format!("\"{long}\""), &*long)]
    {
        check(&plain(), &line(id), Endpoint::Chat, CHAT, Some(text));
    }
    check(&plain(), &line("null"), Endpoint::Chat, CHAT, None);
    for (id, reason) in [
        ("\"\"", "custom_id is empty"),
        ("\"a\\n\"", "custom_id has control characters"),
        ("\"\\u0085\"", "custom_id has control characters"),
        ("true", "custom_id must be a string or a number, not a boolean"),
        ("[1]", "custom_id must be a string or a number, not an array"),
        (&*format!("\"{long}y\""), "custom_id has 513 bytes, more than CUSTOM_ID_BYTES_MAX = 512"),
    ] {
        refuse(&plain(), &line(id), reason, "no other row has");
    }
    let by_id = options(|options| options.id = Some("key".to_owned()));
    let reason =
        r#""key" is missing, which names each row (--id-field); it has "custom_id", "body""#;
    refuse(&by_id, &line("1"), reason, "add it");
    let reason = r#""key" is null, which names each row (--id-field); it has "key""#;
    refuse(&by_id, r#"{"key":null}"#, reason, "write a string or a number");
    let one = r#"it has "id;key", which is one field: separate fields by commas in .csv, by tabs in .tsv"#;
    let reason = format!(r#""key" is missing, which names each row (--id-field); {one}"#);
    refuse(&by_id, r#"{"id;key":"1"}"#, &reason, "add it");
}

#[test]
fn a_line_that_is_not_a_request_is_refused_with_the_reason() {
    let none = "correct the line";
    let cases: &[(&str, &str, &str)] = &[
        ("{\"a\":1,}", "not valid JSON at column 8: expected a string", none),
        ("{\"é\":é}", "not valid JSON at column 6: expected a JSON value", none),
        ("{} {}", "not valid JSON at column 4: expected the end of the text", none),
        ("[", "not valid JSON at column 2: expected a JSON value", "jq -c '.[]'"),
        ("{", "not valid JSON at column 2: expected a string", "jq -c ."),
        ("[{}]", "each line must be an object, not an array", "jq -c '.[]'"),
        ("\"Hi\"", "each line must be an object, not a string", none),
        (
            "{}",
            "neither a request (messages or input) nor a batch line (body); it is empty",
            "--prompt",
        ),
        (
            "{\"question\":\"Hi\",\"\\u001b[2J\":1}",
            "neither a request (messages or input) nor a batch line (body); it has \
             \"question\", \"\\u{1b}[2J\"",
            "--prompt",
        ),
        (
            "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1}",
            "neither a request (messages or input) nor a batch line (body); it has \"a\", \
             \"b\", \"c\", \"d\", \"e\", \"f\", \"g\", \"h\" and 2 more",
            "--prompt",
        ),
        (
            "{\"messages\":[]}",
            "no model: neither the row nor --model names one",
            "add \"model\" to the body, or give --model",
        ),
        ("{\"model\":5,\"messages\":[]}", "model must be a non-empty string, not 5", none),
        ("{\"model\":\"\",\"messages\":[]}", "model must be a non-empty string, not \"\"", none),
        (
            "{\"model\":\"echo\",\"messages\":{\"role\":\"user\"}}",
            "messages must be an array, not {\"role\":\"user\"}",
            "put the message into an array: [{...}]",
        ),
        (
            "{\"model\":\"echo\",\"messages\":[{\"content\":\"\"}]}",
            "messages[0].role is missing",
            none,
        ),
        (
            "{\"model\":\"echo\",\"input\":\"\",\"max_tokens\":5}",
            "max_tokens is 5, but it is a parameter of a chat; a response takes \
             max_output_tokens",
            "write max_output_tokens instead of max_tokens",
        ),
        (
            "{\"model\":\"echo\",\"messages\":[],\"stream\":true}",
            "the body says \"stream\": true, but results are whole answers",
            "--option stream_only=true",
        ),
        (
            "{\"model\":\"echo\",\"messages\":[],\"input\":\"\"}",
            "the body has messages (chat) and input (responses)",
            "--operation chat",
        ),
        ("{\"body\":{}}", "the body has neither messages nor input", none),
        (
            "{\"body\":\"{}\"}",
            "body must be an object, not a string",
            "write the request as an object",
        ),
        (
            "{\"body\":{},\"url\":\"/v1/embeddings\"}",
            "url is \"/v1/embeddings\", which bulk does not support",
            "/v1/chat/completions",
        ),
        ("{\"body\":{},\"url\":5}", "url is \"5\", which bulk does not support", "/v1/responses"),
        ("{\"body\":{},\"method\":\"GET\"}", "method is \"GET\"", "POST"),
        (
            "{\"body\":{\"model\":\"echo\",\"input\":\"\"},\"url\":\"/v1/chat/completions\"}",
            "the field messages is missing",
            none,
        ),
    ];
    for (line, reason, advice) in cases {
        refuse(&plain(), line, reason, advice);
    }
    let deep = format!("{}{}", "[".repeat(2000), "]".repeat(2000));
    let reason = "nested too deep at column 1025: JSON_DEPTH_MAX is 1024";
    refuse(&plain(), &deep, reason, "reduce its nesting");
    let reason = "\"q\" must be a string or a number, not null";
    refuse(&prompts(), "{\"q\":null}", reason, "needs no --prompt");
    let reason = "\"q\" is missing (--prompt); it has \"messages\"";
    refuse(&prompts(), "{\"messages\":[]}", reason, "correct --prompt");
}

/// A list of them takes eight times the text.
#[test]
fn a_row_has_a_bound_of_members() {
    let object = |members| format!("{{{}\"input\":\"\"}}", "\"\":0,".repeat(members - 1));
    let reason = "it has 65537 members, more than ROW_MEMBERS_MAX = 65536";
    let body = |members| format!("{{\"body\":{}}}", object(members));
    let read = |line: String| Forms::new(&with_model()).read(&line).err().map(|it| it.reason);
    for line in [object(ROW_MEMBERS_MAX + 1), body(ROW_MEMBERS_MAX + 1)] {
        assert_eq!(read(line).as_deref(), Some(reason));
    }
    for line in [object(ROW_MEMBERS_MAX), body(ROW_MEMBERS_MAX)] {
        assert_eq!(read(line), None);
    }
}

#[test]
fn a_row_that_contradicts_the_operation_option_is_refused() {
    let chat = options(|options| options.operation = Some(Endpoint::Chat));
    let responses = options(|options| options.operation = Some(Endpoint::Responses));
    let advice = "leave --operation out";
    refuse(&chat, RESPONSE, "it is responses, but --operation is chat", advice);
    refuse(&responses, CHAT, "it is chat, but --operation is responses", advice);
    let line = format!("{{\"url\":\"/v1/chat/completions\",\"body\":{CHAT}}}");
    refuse(&responses, &line, "its url says chat, but --operation is responses", advice);
    check(&chat, &line, Endpoint::Chat, CHAT, None);
}

#[test]
fn a_fault_knows_the_name_of_its_row() {
    let line = "{\"custom_id\":\"a\",\"body\":{\"model\":\"echo\",\"messages\":[{}]}}";
    let fault = Forms::new(&plain()).read(line).unwrap_err();
    assert_eq!(fault.custom_id.as_deref(), Some("a"));
}

#[test]
fn inconsistent_row_options_are_refused() {
    let check = |edit: fn(&mut RowOptions), part: &str| {
        let error = options(edit).check().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Argument);
        assert!(error.to_string().contains(part), "{error}");
    };
    check(|options| options.prompt = "{q}".parse().ok(), "prompts need a model");
    check(|options| options.system = Some("Be brief.".to_owned()), "needs prompts");
    check(|options| options.model = Some(String::new()), "the model is empty");
    check(|options| options.set.push(("user".to_owned(), "me".to_owned())), "user=me has no JSON");
    check(|options| options.set.push(("model".to_owned(), "\"a\"".to_owned())), "is the model");
    check(|options| options.set.push(("stream".to_owned(), "true".to_owned())), "cannot be set");
    let twice = |options: &mut RowOptions| {
        options.set = vec![("n".to_owned(), "1".to_owned()), ("n".to_owned(), "2".to_owned())];
    };
    check(twice, "member n=2 is given twice");
    check(|options| options.set.push((String::new(), "1".to_owned())), "has no name");
}

/// No line makes the reader panic, and every accepted line is sent as JSON.
#[test]
fn mangled_lines_are_rows_or_faults() {
    let seeds = [
        CHAT,
        RESPONSE,
        r#"{"custom_id":"a","method":"POST","url":"/v1/responses","body":{"model":"echo","input":"é"}}"#,
        r#"{"q":"Hi","custom_id":3}"#,
    ];
    let mut random: u64 = std::env::var("TEST_SEED").map_or(1, |seed| seed.parse().unwrap());
    println!("TEST_SEED={random}");
    let mut below = |bound: usize| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % bound
    };
    let mut all = [plain(), with_model(), prompts()];
    all.iter_mut().for_each(|options| options.set.push(("n".to_owned(), "1".to_owned())));
    let mut taken = 0;
    for _ in 0..20_000 {
        let mut line: Vec<char> = seeds.get(below(seeds.len())).unwrap().chars().collect();
        for _ in 0..below(4) {
            let at = below(line.len());
            match below(3) {
                0 => drop(line.remove(at)),
                1 => line.insert(at, *['"', '{', '}', ',', '\\', 'x', ' '].get(below(7)).unwrap()),
                _ => line.swap(at, 0),
            }
        }
        let line: String = line.into_iter().collect();
        for options in &all {
            if let Ok(draft) = Forms::new(options).read(&line) {
                let body = Value::parse(&draft.body).unwrap();
                assert!(body.get("model").is_some() && body.get("custom_id").is_none(), "{line}");
                taken += 1;
            }
        }
    }
    assert!(taken > 5000, "{taken}");
}
