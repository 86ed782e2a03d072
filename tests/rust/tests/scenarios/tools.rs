//! Conversations with tools: what goes back to the model, and what is kept when they break off.

use std::error::Error;
use std::io::ErrorKind as SystemError;

use modelwire::{CalledTool, ErrorKind, Request, RetryPolicy, Tool, ToolRun, ToolRunError, Value};
use modelwire_testing::{Exchange, Script, Service};

use crate::support::{CHAT_ANSWER, block_on, client, config};

const CHAT_CALLS: &str = r#"{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant",
    "content":null,"tool_calls":[
    {"id":"call-1","type":"function","function":{"name":"sum","arguments":"[1,2]"}},
    {"id":"call-2","type":"function","function":{"name":"none","arguments":""}}]}}]}"#;

const RESPONSE_CALLS: &str = r#"{"status":"completed","output":[{"type":"reasoning","id":"r"},
    {"type":"function_call","call_id":"call-1","name":"sum","arguments":"[1,2]"}]}"#;

const RESPONSE_ANSWER: &str = r#"{"status":"completed","output":[{"type":"message",
    "role":"assistant","content":[{"type":"output_text","text":"3"}]}]}"#;

fn run(call: CalledTool) -> Result<String, String> {
    match &*call.name {
        "sum" => {
            let numbers: Vec<i64> = call.parse().map_err(|cause| cause.to_string())?;
            Ok(numbers.into_iter().sum::<i64>().to_string())
        }
        other => Err(format!("no tool is called {other}")),
    }
}

/// The items of a field in the last request to this script.
fn last(service: &Service, script: &str, field: &str) -> Vec<String> {
    let requests = service.recorded(script);
    let text = String::from_utf8(requests.last().unwrap().body.clone()).unwrap();
    let items = Value::parse(&text).unwrap().get(field).unwrap().items();
    items.into_iter().map(|item| item.text().to_owned()).collect()
}

/// The same conversation, asynchronous and blocking.
fn both(
    service: &Service,
    name: &str,
    script: &[Exchange],
    request: &Request,
    turns: u32,
) -> [Result<ToolRun, ToolRunError>; 2] {
    let url =
        |way: &str| service.script(&format!("{name}-{way}"), Script::sequence(script.to_vec()));
    let at = |url| {
        let config = config(url).retry(RetryPolicy::default().max_retries(0));
        modelwire::Client::new(config).unwrap()
    };
    let (first, second) = (at(url("async")), at(url("blocking")));
    [
        block_on(first.run_tools(request.clone(), turns, async |call| run(call))),
        second.blocking().run_tools(request.clone(), turns, run),
    ]
}

#[test]
fn tools_run_until_the_model_answers() {
    let service = Service::start().unwrap();
    let tool = Tool::new("sum").parameters_json(r#"{"type":"array"}"#);
    let request = Request::chat("m").user("1 and 2?").tool(tool.clone());
    let script = [Exchange::json(200, CHAT_CALLS), Exchange::json(200, CHAT_ANSWER)];
    let runs = both(&service, "chat", &script, &request, 10);
    for (run, name) in runs.into_iter().zip(["chat-async", "chat-blocking"]) {
        let run = run.unwrap();
        assert!(!run.answer.text().is_empty());
        run.conversation.user("Thank you.").check().unwrap();
        let sent = last(&service, name, "messages");
        assert_eq!(sent.len(), 4, "{sent:?}");
        assert!(sent[1].contains(r#""tool_calls":["#) && sent[1].contains("call-2"), "{sent:?}");
        assert_eq!(sent[2], r#"{"role":"tool","tool_call_id":"call-1","content":"3"}"#);
        let failed =
            r#"{"role":"tool","tool_call_id":"call-2","content":"Error: no tool is called none"}"#;
        assert_eq!(sent[3], failed);
    }
    let request = Request::responses("m").input("1 and 2?").tool(tool);
    let script = [Exchange::json(200, RESPONSE_CALLS), Exchange::json(200, RESPONSE_ANSWER)];
    let runs = both(&service, "response", &script, &request, 2);
    for (run, name) in runs.into_iter().zip(["response-async", "response-blocking"]) {
        assert_eq!(run.unwrap().answer.text(), "3");
        let sent = last(&service, name, "input");
        assert_eq!(sent.len(), 4, "{sent:?}");
        assert_eq!(sent[0], r#"{"role":"user","content":"1 and 2?"}"#);
        assert_eq!(sent[1], r#"{"type":"reasoning","id":"r"}"#);
        assert_eq!(sent[3], r#"{"type":"function_call_output","call_id":"call-1","output":"3"}"#);
    }
}

/// Some services omit the ids of calls, and take results in order.
#[test]
fn a_call_without_an_id_gets_its_result() {
    let service = Service::start().unwrap();
    let request = Request::chat("m").user("1 and 2?");
    let calls = CHAT_CALLS.replace(r#""id":"call-1","#, "");
    let script = [Exchange::json(200, calls), Exchange::json(200, CHAT_ANSWER)];
    for run in both(&service, "no-id", &script, &request, 10) {
        run.unwrap().conversation.check().unwrap();
    }
    let sent = last(&service, "no-id-blocking", "messages");
    assert_eq!(sent[2], r#"{"role":"tool","tool_call_id":"","content":"3"}"#);
}

/// Whole JSON cannot be extended, which is said before anything is sent.
#[test]
fn a_conversation_of_whole_json_is_refused_unsent() {
    let service = Service::start().unwrap();
    let request = Request::chat_json(r#"{"model":"m","messages":[]}"#);
    let script = [Exchange::json(200, CHAT_ANSWER)];
    for run in both(&service, "whole", &script, &request, 10) {
        let Err(ToolRunError::Call { error, .. }) = run else { panic!("{run:?}") };
        assert!(error.message().contains("whole JSON"), "{error}");
    }
    assert!(service.recorded("whole-async").is_empty());
    assert!(service.recorded("whole-blocking").is_empty());
}

/// What was paid for is kept: the conversation with all answers and results.
#[test]
fn a_conversation_that_breaks_off_is_kept() {
    let service = Service::start().unwrap();
    let request = Request::chat("m").user("1 and 2?");
    let script = [Exchange::json(200, CHAT_CALLS), Exchange::json(500, "{}")];
    for run in both(&service, "failed", &script, &request, 10) {
        let Err(ToolRunError::Call { error, conversation }) = run else { panic!("{run:?}") };
        assert_eq!(error.kind(), ErrorKind::Server);
        let failed = ToolRunError::Call { error, conversation: conversation.clone() };
        assert!(failed.source().is_some_and(|cause| cause.to_string() == failed.to_string()));
        let url = service.script("on", Script::one(Exchange::json(200, CHAT_ANSWER)));
        client(url).blocking().send(*conversation).unwrap();
        assert_eq!(last(&service, "on", "messages").len(), 4);
    }
    let script = [Exchange::json(200, CHAT_CALLS)];
    for run in both(&service, "endless", &script, &request, 1) {
        let Err(error @ ToolRunError::MaxTurns { turns: 1, .. }) = run else { panic!("{run:?}") };
        assert!(error.to_string().contains("after 1 turns"), "{error}");
        assert!(error.source().is_none());
    }
}

/// Programs tell by the system's error what is wrong with a connection.
#[test]
fn a_connection_error_has_the_systems_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = client(format!("http://{address}/v1")).blocking().models().unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    let system = source.downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(system.kind(), SystemError::ConnectionRefused);
    assert!(system.raw_os_error().is_some());
}
