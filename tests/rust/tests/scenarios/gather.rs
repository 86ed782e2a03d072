//! What was asked for and what came differ: streams that answer plain calls, documents that answer
//! streamed ones, models that only stream, and gathering.

use modelwire::{Client, End, ErrorKind, Metered, Request, Usage};
use modelwire_testing::{Exchange, Script, Service};

use crate::support::{CHAT_ANSWER, DONE, WAYS, client, config, finish, hello, piece, respond};

fn scripted(exchange: Exchange) -> (Service, Client) {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(exchange)));
    (service, client)
}

fn usage_chunk() -> String {
    r#"{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}"#
        .to_owned()
}

#[test]
fn a_stream_that_answers_a_plain_call_is_gathered() {
    let data = [piece("a"), piece("b"), finish(0), usage_chunk(), DONE.to_owned()];
    let (service, client) = scripted(Exchange::events(&data));
    for way in WAYS {
        let answer = way.send(&client, hello()).unwrap();
        assert_eq!((&*answer.text(), answer.end()), ("ab", End::DoneMark));
        assert!(answer.is_gathered());
        assert_eq!(answer.document().unwrap().finish_reason().unwrap(), "stop");
        let mut usage = Usage::default();
        (usage.input_tokens, usage.output_tokens, usage.total_tokens) = (3, 2, 5);
        assert_eq!(
            (answer.usage(), answer.document().unwrap().usage()),
            (Some(usage), Some(usage))
        );
    }
    let sent = String::from_utf8(service.recorded("s")[0].body.clone()).unwrap();
    assert!(!sent.contains("stream"), "it was a plain call: {sent}");
}

/// Services get the content type wrong, too.
#[test]
fn events_are_recognized_despite_a_wrong_content_type() {
    let body = format!(": hi\n\ndata: {}\n\ndata: {}\n\ndata: [DONE]\n\n", piece("a"), finish(0));
    for kind in ["application/json", "text/plain", ""] {
        let headers: &[(&str, &str)] =
            if kind.is_empty() { &[] } else { &[("Content-Type", kind)] };
        let (_service, client) = scripted(Exchange::json_with_headers(200, headers, &body));
        for way in WAYS {
            assert_eq!(way.send(&client, hello()).unwrap().text(), "a", "{kind}");
            assert_eq!(way.read(&client, hello()).text(), "a", "{kind}");
        }
    }
}

#[test]
fn a_document_that_answers_a_streamed_call_is_a_finished_stream() {
    let (_service, client) = scripted(Exchange::json(200, CHAT_ANSWER));
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!(read.chunks.len(), 1);
        let plain = client.blocking().send(hello()).unwrap();
        assert_eq!(read.text(), plain.text());
        assert_eq!((read.response().json(), read.response().end()), (CHAT_ANSWER, End::Document));
        assert_eq!(read.response().usage(), plain.usage());
        assert!(!read.response().is_gathered(), "the service sent it as it is");
    }
    for choice in
        [r#""message":{"content":"Hi"},"delta":{}"#, r#""delta":{},"message":{"content":"Hi"}"#]
    {
        let both = format!(r#"{{"choices":[{{{choice},"finish_reason":"stop"}}]}}"#);
        let (_service, client) = scripted(Exchange::json(200, &both));
        let read = WAYS[0].read(&client, hello());
        assert_eq!((&*read.text(), &*read.response().text()), ("Hi", "Hi"), "{choice}");
    }
    let response = r#"{"object":"response","status":"completed","output":[{"type":"message","id":"m",
        "content":[{"type":"output_text","text":"one"},{"type":"output_text","text":" two"}]}],
        "usage":{"input_tokens":1,"output_tokens":2}}"#;
    let (_service, client) = scripted(Exchange::json(200, response));
    let read = WAYS[0].read(&client, respond());
    assert_eq!(read.text(), "one two");
    let kinds: Vec<_> =
        read.chunks.iter().map(|chunk| chunk.kind().unwrap().into_owned()).collect();
    let delta = "response.output_text.delta";
    assert_eq!(kinds, [delta, delta, "response.completed"]);
    assert_eq!(read.response().json(), response);
}

#[test]
fn a_model_that_only_streams_answers_a_plain_call_by_an_option() {
    let service = Service::start().unwrap();
    let plain = || Request::chat("echo-stream-only").user("one two three");
    let of_client = config(service.base_url()).stream_only(true);
    let of_client = Client::new(of_client).unwrap();
    let client = client(service.base_url());
    assert_eq!(client.blocking().send(plain()).unwrap_err().kind(), ErrorKind::InvalidRequest);
    for way in WAYS {
        for (client, request) in [(&client, plain().stream_only(true)), (&of_client, plain())] {
            let answer = way.send(client, request.clone()).unwrap();
            assert_eq!((&*answer.text(), answer.is_gathered()), ("one two three", true));
            assert_eq!(answer.usage(), None, "nothing is asked for behind the caller's back");
            let asked = request.set_json("stream_options", r#"{"include_usage":true}"#);
            assert_eq!(way.send(client, asked).unwrap().usage().unwrap().output_tokens, 3);
        }
        let response = Request::responses("echo-stream-only").input("four five").stream_only(true);
        let answer = way.send(&client, response).unwrap();
        assert_eq!((&*answer.text(), answer.end()), ("four five", End::FinalEvent));
    }
    let listed = of_client.blocking().models().unwrap();
    assert!(listed.model_ids().contains(&"echo-stream-only".to_owned()));
}

/// Off by default, so that memory stays flat.
#[test]
fn a_streamed_call_gathers_if_asked() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for way in WAYS {
        assert!(way.read(&client, hello()).response().document().is_none());
        let read = way.read(&client, hello().gather(true));
        assert_eq!(read.response().text(), read.text());
        assert!(read.response().is_gathered());
        let tools = Request::chat("echo-tools").user("hi").gather(true);
        let tools = way.read(&client, tools);
        let whole = tools.response().document().unwrap().value();
        let call = whole.pointer("/choices/0/message/tool_calls/0/function").unwrap();
        assert_eq!(call.get("arguments").unwrap().as_str().unwrap(), r#"{"text":"hi"}"#);
    }
}

#[test]
fn what_was_gathered_before_a_cut_is_not_lost() {
    let data = [piece("a"), piece("b")];
    for exchange in [Exchange::events_cut(&data), Exchange::events(&data)] {
        let (_service, client) = scripted(exchange);
        for way in WAYS {
            let error = way.send(&client, hello()).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Disconnected | ErrorKind::Incomplete));
            assert_eq!(error.metered(), Metered::Entered);
            let partial = error.partial().unwrap();
            assert!(partial.contains(r#""content":"ab""#), "{partial}");
        }
    }
}

#[test]
fn a_gathered_answer_is_bounded_by_name() {
    let service = Service::start().unwrap();
    let data: Vec<String> = (0..100).map(|_| piece("0123456789")).collect();
    let base_url = service.script("s", Script::one(Exchange::events(&data)));
    let limits = modelwire::Limits::default().response_bytes_max(500);
    let client = Client::new(config(base_url).limits(limits)).unwrap();
    let error = client.blocking().send(hello()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.message().contains("response_bytes_max"), "{error}");
    assert!(error.partial().is_some_and(|partial| partial.contains("0123456789")));
}

#[test]
fn an_error_in_a_gathered_stream_is_raised_with_what_came_before() {
    let data = [piece("a"), r#"{"error":{"message":"m","type":"t"}}"#.to_owned()];
    let (_service, client) = scripted(Exchange::events(&data));
    let error = client.blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.message()), (ErrorKind::Stream, "m"));
    assert!(error.partial().unwrap().contains(r#""content":"a""#));
}

/// What a gathered message says goes back by its JSON as it came, whatever it is.
#[test]
fn a_gathered_message_is_sent_back_unchanged() {
    let delta = |delta: &str| format!(r#"{{"choices":[{{"index":0,"delta":{delta}}}]}}"#);
    let call = r#""id":"x","type":"function","function":{"name":"f","arguments":"{}"},"extra":{"s" : 1.50}"#;
    let data = [
        delta(r#"{"role":"assistant","reasoning_content":"w\ud83d"}"#),
        delta(r#"{"reasoning_content":"\ude00\n","reasoning_details":[{"type":"t","text":"a"}]}"#),
        delta(&format!(r#"{{"content":"\u0061","tool_calls":[{{"index":0,{call}}}],"new":1e+2}}"#)),
        finish(0),
        DONE.to_owned(),
    ];
    let said = format!(
        r#"{{"role":"assistant","content":"\u0061","reasoning_content":"w\ud83d\ude00\n","reasoning_details":[{{"type":"t","text":"a"}}],"tool_calls":[{{{call}}}],"new":1e+2}}"#
    );
    let (service, client) = scripted(Exchange::events(&data));
    for (count, way) in WAYS.into_iter().enumerate() {
        let answer = way.send(&client, hello()).unwrap();
        let message = answer.document().unwrap().value().pointer("/choices/0/message").unwrap();
        assert_eq!(message.text(), said);
        let messages = format!(r#"[{{"role":"user","content":"x"}},{}]"#, message.text());
        let next = Request::chat("a-model").set_json("messages", &messages);
        way.send(&client, next).unwrap();
        let sent = service.recorded("s")[2 * count + 1].body.clone();
        assert!(String::from_utf8(sent).unwrap().contains(&messages));
    }
}
