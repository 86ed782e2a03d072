//! How a stream ends, well or badly, and that everything before its end is delivered.

use modelwire::{End, ErrorKind, Metered, Request};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::support::{
    DONE, Read, WAYS, client, event, finish, hello, http_chunk, piece, respond, stream_head,
};

/// Reads the exchange in both ways; the two must agree.
fn read(exchange: &Exchange, request: &Request) -> Read {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(exchange.clone())));
    let [first, second] = WAYS.map(|way| way.read(&client, request.clone()));
    assert_eq!(first.text(), second.text());
    assert_eq!(first.chunks.len(), second.chunks.len());
    match (&first.outcome, &second.outcome) {
        (Ok(one), Ok(other)) => assert_eq!((one.end(), one.usage()), (other.end(), other.usage())),
        (Err(one), Err(other)) => {
            assert_eq!((one.kind(), one.message()), (other.kind(), other.message()));
        }
        (one, other) => panic!("the twins disagree: {one:?} {other:?}"),
    }
    first
}

fn check_fails(exchange: &Exchange, request: &Request, text: &str, kind: ErrorKind) -> Read {
    let read = read(exchange, request);
    assert_eq!((read.text().as_str(), read.error().kind()), (text, kind));
    // Part of an answer arrived, or nothing that is one.
    let metered = if read.chunks.is_empty() { Metered::Unknown } else { Metered::Entered };
    assert_eq!((read.error().status(), read.error().metered()), (Some(200), metered));
    read
}

fn check_ends(exchange: &Exchange, request: &Request, text: &str, end: End) -> Read {
    let read = read(exchange, request);
    assert_eq!((read.text().as_str(), read.response().end()), (text, end));
    read
}

fn events(data: &[String]) -> Exchange {
    Exchange::events(data)
}

#[test]
fn a_cut_stream_never_looks_finished() {
    let data = [piece("a"), piece("b"), finish(0)];
    let cut = check_fails(&Exchange::events_cut(&data), &hello(), "ab", ErrorKind::Disconnected);
    assert_eq!(cut.chunks.len(), 3);
    // In the middle of an event, too.
    let steps = vec![stream_head(), event(&data[0]), http_chunk("data: {\"cho"), Step::Close];
    let cut = check_fails(&Exchange { steps }, &hello(), "a", ErrorKind::Disconnected);
    assert_eq!(cut.chunks.len(), 1);
    // And in the middle of an HTTP chunk.
    let steps = vec![stream_head(), event(&data[0]), Step::send("ff\r\ndata: {\"x"), Step::Close];
    check_fails(&Exchange { steps }, &hello(), "a", ErrorKind::Disconnected);
    check_fails(&Exchange::events_cut::<&str>(&[]), &hello(), "", ErrorKind::Disconnected);
}

/// The kernel may lose what came just before a reset, but nothing is made up.
#[test]
fn a_reset_stream_is_broken_off() {
    let service = Service::start().unwrap();
    let mut exchange = Exchange::events(&[piece("a"), piece("b")]);
    exchange.steps.pop();
    exchange.steps.push(Step::Pause(std::time::Duration::from_millis(300)));
    exchange.steps.push(Step::Reset);
    let client = client(service.script("s", Script::one(exchange)));
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!(read.error().kind(), ErrorKind::Disconnected);
        assert!("ab".starts_with(&read.text()));
        assert_eq!(read.error().attempts(), 1);
    }
}

#[test]
fn a_clean_end_without_a_mark_needs_every_finish_reason() {
    let two = hello().set("n", 2);
    let (a, b) = (piece("a"), piece("b"));
    let open = events(&[a.clone(), b.clone()]);
    let incomplete = check_fails(&open, &hello(), "ab", ErrorKind::Incomplete);
    assert!(incomplete.error().message().contains("2 events"), "{:?}", incomplete.error());
    let finished = events(&[a.clone(), b.clone(), finish(0)]);
    check_ends(&finished, &hello(), "ab", End::FinishReasons);
    check_fails(&finished, &two, "ab", ErrorKind::Incomplete);
    let both = events(&[a.clone(), finish(1), finish(0)]);
    check_ends(&both, &two, "a", End::FinishReasons);
    let twice = events(&[a.clone(), finish(0), finish(0)]);
    check_fails(&twice, &two, "a", ErrorKind::Incomplete);
    // Asking for no choice at all does not make an empty stream whole.
    check_fails(&events(&[]), &hello().set("n", 0), "", ErrorKind::Incomplete);
    // The mark says complete whatever the reasons say.
    check_ends(&events(&[a, DONE.to_owned()]), &two, "a", End::DoneMark);
}

#[test]
fn a_response_stream_ends_with_its_final_event() {
    let delta = r#"{"type":"response.output_text.delta","delta":"a"}"#.to_owned();
    let fields = r#""error":{"message":"m"},"usage":{"input_tokens":1,"output_tokens":2}"#;
    for status in ["completed", "failed", "incomplete"] {
        let last = format!(
            r#"{{"type":"response.{status}","response":{{"status":"{status}",{fields}}}}}"#
        );
        let late = piece("late");
        let read = check_ends(
            &events(&[delta.clone(), last.clone(), late]),
            &respond(),
            "a",
            End::FinalEvent,
        );
        assert_eq!(read.chunks.last().unwrap().json(), last);
        assert_eq!(read.response().usage().unwrap().total_tokens, 3);
    }
    check_fails(&Exchange::events(&[&delta]), &respond(), "a", ErrorKind::Incomplete);
    check_ends(&events(&[delta, DONE.to_owned()]), &respond(), "a", End::DoneMark);
}

#[test]
fn a_stream_without_events_is_not_an_answer() {
    for body in ["", "\n\n\n", ": ping\n\n", "event: x\nid: 7\n\n", "data:\n\n"] {
        let mut steps = vec![stream_head()];
        if !body.is_empty() {
            steps.push(http_chunk(body));
        }
        steps.push(Step::send("0\r\n\r\n"));
        let read = check_fails(&Exchange { steps }, &hello(), "", ErrorKind::Incomplete);
        assert!(read.error().message().contains("single event"), "{:?}", read.error());
    }
}

#[test]
fn an_error_in_a_stream_comes_after_the_chunks_before_it() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let chat = Request::chat("error-in-stream").user("one two three four five");
    let response = Request::responses("error-in-stream").input("one two three four five");
    for way in WAYS {
        for request in [chat.clone(), response.clone()] {
            let read = way.read(&client, request);
            assert_eq!(read.text(), "one two three ");
            let error = read.error();
            assert_eq!((error.kind(), error.status()), (ErrorKind::Stream, Some(200)));
            assert_eq!(error.message(), "The upstream provider failed.");
            assert_eq!(error.code(), Some("upstream_failed"));
            assert!(error.body().unwrap().contains("upstream_failed"));
            assert_eq!((error.metered(), error.attempts()), (Metered::Entered, 1));
        }
        assert_eq!(way.read(&client, chat.clone()).error().error_type(), Some("server_error"));
    }
}

/// As they were met: FastChat's worker out of memory, LitServe's error event, Portkey with its upstream cut.
#[test]
fn streams_that_real_servers_broke_are_never_whole() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for way in WAYS {
        for (model, kind, code) in [
            ("flat-error", ErrorKind::Stream, Some("50002")),
            ("unended-error", ErrorKind::Stream, Some("upstream_failed")),
            ("no-mark", ErrorKind::Incomplete, None),
        ] {
            let text = "one two three four";
            for request in [Request::chat(model).user(text), Request::responses(model).input(text)]
            {
                let read = way.read(&client, request);
                assert_eq!(read.text(), "one two three ", "{model}");
                let error = read.error();
                assert_eq!((error.kind(), error.code()), (kind, code), "{model}: {error:?}");
                assert_eq!(error.metered(), Metered::Entered, "{model}");
            }
        }
        let read = way.read(&client, Request::chat("no-reason").user("one two three four"));
        assert_eq!(
            (read.text().as_str(), read.response().end()),
            ("one two three ", End::DoneMark)
        );
        let read = way.read(&client, Request::chat("late-end").user("one two three four"));
        assert_eq!(read.text(), "one two three four");
    }
    let error = client.blocking().send(Request::chat("flat-error").user("x")).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Stream, Some("50002")));
}

#[test]
fn every_form_of_error_event_is_raised_and_nothing_else_is() {
    let a = http_chunk(&format!("data: {}\n\n", piece("a")));
    let raised = [
        "event: error\ndata: {\"message\":\"m\",\"code\":7}\n\n",
        "data: {\"type\":\"error\",\"message\":\"m\",\"code\":7}\n\n",
        "data: {\"error\":{\"message\":\"m\",\"code\":7}}\n\n",
        "data: {\"error\":{\"message\":\"m\",\"code\":7},\"choices\":[]}\n\n",
        "data: {\"code\":7,\"error\":\"m\"}\n\n",
    ];
    for error in raised {
        let steps = vec![stream_head(), a.clone(), http_chunk(error)];
        let read = check_fails(&Exchange { steps }, &hello(), "a", ErrorKind::Stream);
        assert_eq!((read.error().message(), read.error().code()), ("m", Some("7")), "{error}");
    }
    let delivered = ["{\"error\":null}", "{\"type\":\"x\"}", "7", "null", "[]", "\"text\"", "{}"];
    for data in delivered {
        let exchange = events(&[data.to_owned(), piece("a"), DONE.to_owned()]);
        let read = check_ends(&exchange, &hello(), "a", End::DoneMark);
        assert_eq!(read.chunks[0].json(), data);
    }
}

#[test]
fn data_that_is_not_json_ends_the_stream_and_is_quoted() {
    let odd = format!("{{nope {}", "x".repeat(300));
    let exchange = events(&[piece("a"), odd.clone(), piece("b")]);
    let read = check_fails(&exchange, &hello(), "a", ErrorKind::Protocol);
    assert!(read.error().message().contains(&odd[..200]), "{:?}", read.error());
    assert!(!read.error().message().contains(&odd[..201]));
}

#[test]
fn the_whole_grammar_arrives() {
    let json = piece("a");
    let (head, tail) = json.split_at(json.find(',').unwrap_or(1));
    let body = format!(
        "\u{feff}: hi\r\nretry: 10\rid: 1\nevent:x\ndata:{json}\n\n\
         data: {head}\r\ndata: {tail}\r\n\r\ndata: [DONE]\r\r"
    );
    // One HTTP chunk for each byte: HTTP's framing and that of events have nothing in common.
    let bytes = body.bytes().map(|byte| Step::send([b"1\r\n", &[byte][..], b"\r\n"].concat()));
    let steps: Vec<Step> =
        [stream_head()].into_iter().chain(bytes).chain([Step::send("0\r\n\r\n")]).collect();
    let read = check_ends(&Exchange { steps }, &hello(), "aa", End::DoneMark);
    assert_eq!(read.chunks[0].event(), "x");
    assert_eq!(read.chunks[1].json(), format!("{head}\n{tail}"));
}

/// The last blank line may be missing; what it would have ended is whole or was cut.
#[test]
fn an_end_mark_without_its_blank_line_counts() {
    let ended = |last: &str| {
        let steps = vec![stream_head(), event(&piece("a")), http_chunk(last)];
        Exchange { steps: [steps, vec![Step::send("0\r\n\r\n")]].concat() }
    };
    check_ends(&ended("data: [DONE]"), &hello(), "a", End::DoneMark);
    check_ends(&ended("data: [DONE]\n"), &hello(), "a", End::DoneMark);
    let finish = format!("data: {}", finish(0));
    check_ends(&ended(&finish), &hello(), "a", End::FinishReasons);
    check_fails(&ended(&finish[..finish.len() - 4]), &hello(), "a", ErrorKind::Incomplete);
}

/// The finish reasons are there, but what came after them was cut.
#[test]
fn a_half_event_after_the_finish_reasons_is_not_a_clean_end() {
    let steps = vec![
        stream_head(),
        event(&piece("a")),
        event(&finish(0)),
        http_chunk("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1"),
        Step::send("0\r\n\r\n"),
    ];
    check_fails(&Exchange { steps }, &hello(), "a", ErrorKind::Incomplete);
}
