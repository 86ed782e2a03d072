//! C++ programs against the loopback service, one scenario a test, under AddressSanitizer and
//! UndefinedBehaviorSanitizer.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "../../rust/tests/ended/mod.rs"]
mod ended;
#[path = "../../rust/tests/told/mod.rs"]
mod vectors;

use modelwire_testing::{Exchange, Script, Service, Step};
use modelwire_tests_c::{
    accessor_samples, chat_answer, chat_chunk, check_adaptive, detailed_usage, silent, stalling,
    stalling_at_once, text_samples,
};
use modelwire_tests_cpp::{asked, closing, played, scenario, scripted};

#[test]
fn models() {
    let service = played("models");
    let requests = service.recorded("");
    assert_eq!((requests[0].method.as_str(), requests[0].target.as_str()), ("GET", "/v1/models"));
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-test"));
    assert_eq!(requests[0].header("content-type"), None);
    assert!(requests[0].body.is_empty());
}

#[test]
fn chat() {
    let service = played("chat");
    let requests = service.recorded("");
    assert_eq!(requests[0].target, "/v1/chat/completions");
    assert_eq!(requests[0].header("authorization"), Some("Bearer sk-test"));
    assert_eq!(requests[0].header("content-type"), Some("application/json"));
    let body = String::from_utf8(requests[2].body.clone()).unwrap();
    assert!(body.contains(r#""max_tokens":2"#), "{body}");
}

#[test]
fn response() {
    let service = played("response");
    assert_eq!(service.recorded("")[0].target, "/v1/responses");
    let body = String::from_utf8(service.recorded("")[1].body.clone()).unwrap();
    assert!(body.contains(r#""max_output_tokens":2"#), "{body}");
}

#[test]
fn fields() {
    let novel = r#"[1.10,null,true,"a\u00e9",{"big":123456789012345678901}]"#;
    let answer = format!(r#"{{"choices":[{{}}],"novel":{novel},"":7,"a/b":-3}}"#);
    scripted("fields", Script::one(Exchange::json(200, answer)));
}

/// One line for each text.
#[test]
fn texts() {
    scripted("texts", text_samples());
}

/// By key and by model, and never a key.
#[test]
fn usage_taken() {
    scripted("usage_taken", detailed_usage());
}

/// Every row of the table of accessors.
#[test]
fn accessors() {
    scripted("accessors", accessor_samples());
}

/// What accessors tell of odd chunks and of what they add up to.
#[test]
fn told() {
    let service = Service::start().unwrap();
    let (mut input, vectors) = (String::new(), vectors::vectors());
    for vector in &vectors {
        let mut chunks: Vec<&str> = vector.chunks.iter().map(String::as_str).collect();
        chunks.push("[DONE]");
        let base_url = service.script(&vector.name, Script::one(Exchange::events(&chunks)));
        input.push_str(&format!("{base_url} {}\n", vector.endpoint));
    }
    let printed = scenario("told").run_with_input(input.into_bytes()).succeeded().stdout;
    let calls = modelwire_tests_c::told(&printed);
    assert_eq!(calls.len(), vectors.len());
    let judged = vectors.iter().zip(&calls);
    let wrong: Vec<String> =
        judged.filter_map(|(vector, told)| vector.judge_fields(told.fields())).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), vectors.len(), wrong.join("\n"));
}

#[test]
fn values() {
    played("values");
}

#[test]
fn accessors_of_temporaries_copy() {
    played("accessors_of_temporaries_copy");
}

#[test]
fn nul_and_unicode() {
    played("nul_and_unicode");
}

#[test]
fn tools() {
    played("tools");
}

#[test]
fn usage() {
    let service = played("usage");
    assert_eq!(service.metered()["echo"].calls, 1);
}

/// Every field as it was given, numbers to their last digit.
#[test]
fn request_fields() {
    let service = scripted(
        "request_fields",
        Script::one(Exchange::json(200, r#"{"choices":[{}],"output":[]}"#)),
    );
    let bodies: Vec<String> = service
        .recorded("s")
        .into_iter()
        .map(|request| String::from_utf8(request.body).unwrap())
        .collect();
    let messages = [("system", "s"), ("user", "u"), ("assistant", "a"), ("developer", "t")]
        .map(|(role, content)| format!(r#"{{"role":"{role}","content":"{content}"}}"#))
        .join(",");
    let pieces = [
        r#""model":"m""#,
        &format!(r#""messages":[{messages}]"#),
        r#""text":"v""#,
        r#""string":"w""#,
        r#""view":"x""#,
        r#""true":true"#,
        r#""false":false"#,
        r#""int":-1"#,
        r#""long":5000000000"#,
        r#""short":2"#,
        r#""unsigned":3"#,
        r#""float":0.5"#,
        r#""double":1e+100"#,
        r#""huge":18446744073709551615"#,
        r#""raw":{"n": 1.10, "l": [ ]}"#,
        r#""nothing":null"#,
        r#""max_tokens":9"#,
    ];
    for piece in pieces {
        assert!(bodies[0].contains(piece), "no {piece} in {}", bodies[0]);
    }
    assert_eq!(service.recorded("s")[0].header("x-request"), Some("one"));
    let whole = r#"{ "novel":1.10, "model":"m","messages":[{"role":"user","content":[1]}]}"#;
    assert_eq!(bodies[1], whole);
    for piece in [r#""input":"i""#, r#""max_output_tokens":8"#, r#""raw":[]"#] {
        assert!(bodies[2].contains(piece), "no {piece} in {}", bodies[2]);
    }
    assert!(bodies.iter().all(|body| !body.contains("stream")), "{bodies:?}");
}

/// The question with its parts, then the answer as the service sent it, and the result.
#[test]
fn request_tools() {
    let message = r#"{"role":"assistant","tool_calls":[{"id":"call-1"}]}"#;
    let answer = format!(r#"{{"choices":[{{"message":{message}}}]}}"#);
    let service = scripted("request_tools", Script::one(Exchange::json(200, answer)));
    let first = concat!(
        r#"{"model":"m","tools":[{"type":"function"}],"seed":1,"temperature":0.7,"stop":["a","\"b\""],"#,
        r#""messages":[{"role":"system","content":"brief"},{"role":"user","content":["#,
        r#"{"type":"text","text":"see"},{"type":"text","text":"and"},"#,
        r#"{"type":"image_url","image_url":{"url":"https://x/a"}},"#,
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,/wA="}}]}"#
    );
    let result = r#"{"role":"tool","tool_call_id":"call-1","content":"3"}"#;
    let sent = service.recorded("s").into_iter();
    let sent: Vec<_> = sent.map(|request| String::from_utf8(request.body).unwrap()).collect();
    assert_eq!(sent, [format!("{first}]}}"), format!("{first},{message},{result}]}}")]);
}

#[test]
fn options() {
    let service = played("options");
    let request = &service.recorded("")[0];
    assert_eq!(request.header("x-config"), Some("one"));
    assert_eq!(request.header("x-both"), Some("request"));
    assert_eq!(request.header("x-gone"), None);
    assert_eq!(request.header("x-json"), None);
    assert!(request.target.ends_with("?q=a%26b&r=2"), "{}", request.target);
    assert_eq!(service.recorded("")[1].header("x-json"), Some("1"));
}

#[test]
fn stream_only() {
    played("stream_only");
}

#[test]
fn plain_and_streamed_answers_swapped() {
    let finish = r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#.to_owned();
    scripted(
        "plain_and_streamed_answers_swapped",
        Script::sequence(vec![
            Exchange::events(&[chat_chunk("one "), chat_chunk("two"), finish]),
            Exchange::json(200, chat_answer("whole")),
            Exchange::events_cut(&[chat_chunk("one ")]),
        ]),
    );
}

#[test]
fn pull() {
    let service = played("pull");
    let body = String::from_utf8(service.recorded("")[0].body.clone()).unwrap();
    assert_eq!(body.matches(r#""stream":true"#).count(), 1, "{body}");
    assert_eq!(body.matches("stream_options").count(), 1, "{body}");
}

#[test]
fn pull_response() {
    let service = Service::start().unwrap();
    let ended = scenario("pull_response").at(&service).run().succeeded();
    let names: Vec<&str> = ended.stdout.lines().collect();
    assert_eq!(names.first(), Some(&"response.created"));
    assert_eq!(names.iter().filter(|name| **name == "response.output_text.delta").count(), 2);
    assert_eq!(names.last(), Some(&"response.completed"));
}

#[test]
fn pull_twice() {
    played("pull_twice");
}

/// The loop has the first chunk although the service never sends another; and an early break closes
/// the exchange.
#[test]
fn pull_break() {
    closing("pull_break", stalling(&["one "]));
}

#[test]
fn pull_close() {
    closing("pull_close", stalling(&["one "]));
}

#[test]
fn pull_throw() {
    closing("pull_throw", stalling(&["one ", "two "]));
}

#[test]
fn pull_cancel() {
    asked("pull_cancel", stalling(&["one "]));
}

#[test]
fn pull_slowly() {
    let chunk = chat_chunk(&"x".repeat(1000));
    scripted("pull_slowly", Script::one(Exchange::pre_rendered_stream(&chunk, 65_536, 8)));
}

#[test]
fn pull_failures() {
    let service = played("pull_failures");
    // One each: nothing is tried again once a stream is open.
    assert_eq!(service.recorded("").len(), 3);
}

#[test]
fn pull_grammar() {
    let one = chat_chunk("one ");
    let two = chat_chunk("two ");
    // Between two tokens: the lines of one event are joined by a line feed.
    let (before, behind) = two.split_at(1);
    let text = format!(
        "\u{feff}: a comment\r\n\
         data:{one}\r\rid: 7\nretry: 10\nunknown: x\n\
         event: message\ndata: {before}\ndata: {behind}\n\n\
         data: {three}\r\n\r\n:\n\n\
         data: {four}\n\ndata: [DONE]\n\ndata: behind the end\n\n",
        three = chat_chunk("three "),
        four = chat_chunk("four"),
    );
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let at = (1..text.len()).collect();
    let split = Step::SendSplit { bytes: text.into_bytes(), at };
    scripted(
        "pull_grammar",
        Script::one(Exchange { steps: vec![Step::send(head), split, Step::Close] }),
    );
}

/// The same words in lines that leave the grammar, and an end mark without its line end on a connection
/// that stays open.
#[test]
fn pull_lines() {
    let [one, two, three, four] = ["one ", "two ", "three ", "four"].map(chat_chunk);
    let text = format!("data: {one}\n{two}\n\n{three}\ndata: {four}\n\ndata: [DONE]");
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let steps = vec![Step::send(head), Step::send(text), Step::StallForever];
    scripted("pull_grammar", Script::one(Exchange { steps }));
}

/// What is no JSON is told, and not dropped.
#[test]
fn pull_bare_lines() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let text = "[1.10]\n\"text\"\n{\"novel\":true}\n{<html>\n\ndata: [DONE]\n\n";
    let steps = vec![Step::send(head), Step::send(text), Step::Close];
    scripted("pull_novel", Script::one(Exchange { steps }));
}

#[test]
fn pull_novel() {
    let events = ["[1.10]", "\"text\"", r#"{"novel":true}"#, "<html>", "[DONE]"];
    scripted("pull_novel", Script::one(Exchange::events(&events)));
}

#[test]
fn gathered() {
    played("gathered");
}

#[test]
fn visit() {
    played("visit");
}

#[test]
fn visit_stop() {
    closing("visit_stop", stalling(&["one ", "two ", "three ", "four "]));
}

#[test]
fn visit_throw() {
    closing("visit_throw", stalling(&["one ", "two ", "three "]));
}

#[test]
fn visit_destroy() {
    closing("visit_destroy", stalling(&["one ", "two "]));
}

#[test]
fn visit_nested() {
    played("visit_nested");
}

#[test]
fn pull_poll() {
    let service = Service::start().unwrap();
    let stalling = service.script("stalling", stalling(&["one "]));
    let program = scenario("pull_poll").at(&service);
    program.env("MODELWIRE_STALLING_URL", &stalling).run().succeeded();
}

#[test]
fn start() {
    played("start");
}

#[test]
fn start_whole() {
    played("start_whole");
}

#[test]
fn start_throw() {
    closing("start_throw", stalling(&["one ", "two "]));
}

#[test]
fn start_throw_at_end() {
    played("start_throw_at_end");
}

#[test]
fn start_stop() {
    closing("start_stop", stalling(&["one ", "two "]));
}

#[test]
fn start_cancel() {
    closing("start_cancel", stalling(&["one "]));
}

#[test]
fn start_destroy() {
    closing("start_destroy", stalling(&["one "]));
}

#[test]
fn start_detach() {
    played("start_detach");
}

#[test]
fn start_twice() {
    played("start_twice");
}

#[test]
fn start_inside() {
    played("start_inside");
}

#[test]
fn start_fork() {
    played("start_fork");
}

#[test]
fn start_wait() {
    played("start_wait");
}

#[test]
fn closing_client() {
    scripted("closing_client", stalling(&["one "]));
}

#[test]
fn call_records_match_the_vectors() {
    ended::check(|input| {
        scenario("records_of_the_vectors").run_with_input(input).succeeded().stdout
    });
}

#[test]
fn a_record_names_who_ended_the_call() {
    scripted("a_record_names_who_ended_the_call", stalling(&["one "]));
}

#[test]
fn on_call_runs_on_a_separate_thread() {
    played("on_call_runs_on_a_separate_thread");
}

#[test]
fn a_client_has_one_on_call_callback_at_a_time() {
    played("a_client_has_one_on_call_callback_at_a_time");
}

#[test]
fn a_queue_follows_the_calls_of_clients() {
    played("a_queue_follows_the_calls_of_clients");
}

#[test]
fn a_function_runs_before_each_attempt() {
    let service = played("a_function_runs_before_each_attempt");
    let sent = service.recorded("");
    let seen: Vec<_> = sent.iter().map(|sent| sent.header("x-seen")).collect();
    assert_eq!(seen, [Some("1"), None]);
}

#[test]
fn a_forked_child_gets_no_records_of_its_parent() {
    played("a_forked_child_gets_no_records_of_its_parent");
}

#[test]
fn queue_epoll() {
    let service = played("queue_epoll");
    assert_eq!(service.metered()["echo"].calls, 100);
}

#[test]
fn queue_take() {
    played("queue_take");
}

#[test]
fn queue_wakeup() {
    played("queue_wakeup");
}

#[test]
fn queue_close() {
    closing("queue_close", stalling(&["one "]));
}

#[test]
fn queue_threads() {
    played("queue_threads");
}

#[test]
fn queue_limit() {
    played("queue_limit");
}

#[test]
fn queue_tags() {
    played("queue_tags");
}

#[test]
fn queue_pause() {
    played("queue_pause");
}

#[test]
fn queue_log() {
    played("queue_log");
}

#[test]
fn queue_interrupted() {
    played("queue_interrupted");
}

/// Of 50 calls each is made once.
#[test]
fn queue_capped() {
    let service = played("queue_capped");
    assert_eq!(service.metered()["echo"].calls, 50);
    // A server that has not shown that it keeps connections is given a few fresh ones.
    assert!(service.connections() <= 8, "{} connections for 4 at once", service.connections());
}

#[test]
fn queue_adaptive() {
    check_adaptive(|| scenario("queue_adaptive"), "event && event->is_last() && !event->error()");
}

#[test]
fn wrong_key() {
    let service = Service::start().unwrap();
    scenario("wrong_key").at(&service).env("MODELWIRE_API_KEY", "sk-wrong").run().succeeded();
    assert_eq!(service.recorded("").len(), 1);
}

#[test]
fn no_key() {
    let service = Service::start().unwrap();
    scenario("no_key").env("MODELWIRE_BASE_URL", &service.base_url()).run().succeeded();
    assert_eq!(service.connections(), 0);
}

#[test]
fn not_found() {
    played("not_found");
}

#[test]
fn refused() {
    // Nothing listens on port 1, and no test will be given it.
    scenario("refused").at_url("http://127.0.0.1:1/v1").run().succeeded();
}

#[test]
fn statuses() {
    let answers = [400, 401, 403, 404, 429, 429, 500, 503, 418];
    let service = scripted(
        "statuses",
        Script::sequence(answers.map(|status| Exchange::json(status, "{}")).to_vec()),
    );
    assert_eq!(service.recorded("s").len(), answers.len());
}

#[test]
fn recovers() {
    let service = played("recovers");
    let requests = service.recorded("");
    let taken = service.metered()["limited"].calls;
    assert!(taken >= 2);
    assert_eq!(requests.len() as u64, 3 + taken + 1);
    assert!(requests[..3].iter().all(|request| request.body == requests[0].body));
}

/// A Retry-After beyond the bound is an error at once.
#[test]
fn waits_too_long() {
    let refusal = Exchange::json_with_headers(429, &[("Retry-After", "50")], "{}");
    let service = scripted("waits_too_long", Script::one(refusal));
    assert_eq!(service.recorded("s").len(), 1);
}

/// Only if it is wanted, for the call may be metered twice then.
#[test]
fn lost_connections() {
    let closes = 1 + 1 + 3 + 3 + 2 + 3 + 1 + 1;
    let mut exchanges = vec![Exchange { steps: vec![Step::Close] }; closes];
    exchanges.push(Exchange::json(200, chat_answer("at last")));
    let service = scripted("lost_connections", Script::sequence(exchanges));
    assert_eq!(service.recorded("s").len(), closes + 1);
}

/// Only if it is wanted.
#[test]
fn connect_errors() {
    // Nothing listens on port 1, and no test will be given it.
    scenario("connect_errors").at_url("http://127.0.0.1:1/v1").run().succeeded();
}

/// The hint.
#[test]
fn stream_only_hint() {
    played("stream_only_hint");
}

#[test]
fn envelopes() {
    let bodies = [
        r#"{"message":"flat","type":"t"}"#,
        r#"{"error":"text"}"#,
        r#"{"detail":"detail"}"#,
        "plain",
        r#"[{"error":{"message":"in an array"}}]"#,
    ];
    let answers = bodies.map(|body| Exchange::json(500, body));
    scripted("envelopes", Script::sequence(answers.to_vec()));
}

#[test]
fn key_forms() {
    let service = played("key_forms");
    assert_eq!(service.recorded("").len(), 1);
    assert_eq!(service.recorded("")[0].header("authorization"), Some("Bearer sk-test"));
}

#[test]
fn bad_json() {
    let service = played("bad_json");
    assert_eq!(service.connections(), 0);
}

#[test]
fn arguments_refused() {
    let service = played("arguments_refused");
    assert!(service.recorded("").is_empty());
    assert_eq!(service.connections(), 0);
}

#[test]
fn problems() {
    let service = played("problems");
    assert_eq!(service.connections(), 0);
}

#[test]
fn timeouts() {
    let service = Service::start().unwrap();
    let stalling = service.script("stalling", stalling_at_once(&["one "]));
    scenario("timeouts")
        .at_url(&service.script("s", silent()))
        .env("MODELWIRE_STALLING_URL", &stalling)
        .run()
        .succeeded();
}

/// Nothing is sent of a call that gets no connection.
#[test]
fn pool_timeout() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", silent());
    let are_stuck = || service.recorded("s").len() == 2;
    scenario("pool_timeout").at_url(&base_url).run_with_cue(are_stuck).succeeded();
    assert_eq!((service.recorded("s").len(), service.connections()), (2, 2));
}

/// With a slash, which some services escape in JSON.
const KEY: &str = "sk-secret/0123456789abcdef";

/// Plays the exchange to a scenario that prints every field of its error; nothing of that may hold
/// the key.
fn check_masked(name: &str, exchange: Exchange) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(exchange));
    let program = scenario(name).at_url(&base_url).env("MODELWIRE_API_KEY", KEY);
    let told = program.run().succeeded().stdout;
    assert!(!told.contains(KEY), "the key is shown:\n{told}");
    assert!(told.contains("[key]"), "the mask is not shown:\n{told}");
}

#[test]
fn the_key_is_masked_everywhere() {
    let error = format!(r#"{{"error":{{"message":"{KEY}","param":"{KEY}","type":"{KEY}"}}}}"#);
    let headers = [("x-request-id", KEY)];
    check_masked("report", Exchange::json_with_headers(401, &headers, &error));
    check_masked("report", Exchange::json(200, format!("<p>{KEY}</p>")));
    check_masked("report_stream", Exchange::events(&[chat_chunk("one"), error]));
    check_masked("report_stream", Exchange::events(&[KEY]));
}

#[test]
fn errors_outlive_their_client() {
    played("errors_outlive_their_client");
}

#[test]
fn moves() {
    played("moves");
}

#[test]
fn adoption() {
    played("adoption");
}

#[test]
fn nothing() {
    let service = played("nothing");
    assert_eq!(service.connections(), 0);
}

#[test]
fn cancel_before() {
    let service = played("cancel_before");
    assert_eq!(service.connections(), 0);
}

#[test]
fn run_twice() {
    let service = played("run_twice");
    assert_eq!(service.recorded("").len(), 1);
}

#[test]
fn threads() {
    let service = played("threads");
    assert_eq!(service.metered()["echo"].calls, 160);
}

#[test]
fn free_order() {
    played("free_order");
}

#[test]
fn shut_down() {
    played("shut_down");
}

#[test]
fn interrupted() {
    scripted("interrupted", stalling(&["one "]));
}

#[test]
fn stopping() {
    asked("stopping", stalling(&["one "]));
}

#[test]
fn awaited() {
    played("awaited");
}
