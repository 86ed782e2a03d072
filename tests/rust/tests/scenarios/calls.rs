//! The three operations, what goes over the wire, and what is refused before.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{
    Client, Config, End, Endpoint, ErrorKind, Metered, RateLimits, Request, RetryPolicy, UsageSum,
    VERSION,
};
use modelwire_testing::{Exchange, Options, Recorded, Reported, Script, Service, Step};

use crate::support::{
    CHAT_ANSWER, DONE, WAYS, client, config, event, finish, hello, opening, piece, respond,
    stream_head,
};

const SAID: &str = "Hello from both sides.";

#[test]
fn three_operations_plain_and_streamed() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for way in WAYS {
        let list = way.models(&client).unwrap();
        assert!(list.model_ids().contains(&"echo".to_owned()), "{way:?}");
        assert!(list.json().contains("owned_by"), "unknown fields are kept");
        for (request, reason) in [(hello(), "stop"), (respond(), "completed")] {
            let plain = way.send(&client, request.clone()).unwrap();
            assert_eq!((&*plain.text(), plain.end()), (SAID, End::Document));
            assert_eq!(plain.document().unwrap().finish_reason().unwrap(), reason);
            assert_eq!(plain.head().status(), 200);
            assert!(plain.head().request_id().unwrap().starts_with("req-"));
            let read = way.read(&client, request);
            assert_eq!(read.text(), SAID, "{way:?}");
            assert!(read.chunks.len() > 4);
            // As services do: in a streamed chat only to who asks.
            let is_reported = read.response().endpoint() == Endpoint::Responses;
            assert_eq!(read.response().usage(), plain.usage().filter(|_| is_reported));
        }
        assert_eq!(way.read(&client, hello()).response().end(), End::DoneMark);
        assert_eq!(way.read(&client, respond()).response().end(), End::FinalEvent);
        let short = way.send(&client, hello().max_tokens(1)).unwrap();
        assert_eq!(short.document().unwrap().finish_reason().unwrap(), "length");
        let short = way.send(&client, respond().max_output_tokens(1)).unwrap();
        assert_eq!(short.document().unwrap().finish_reason().unwrap(), "incomplete");
    }
}

#[test]
fn a_model_list_is_a_list_or_an_error() {
    let service = Service::start().unwrap();
    let list = |body: &str| {
        let base_url = service.script("list", Script::one(Exchange::json(200, body)));
        client(base_url).blocking().models()
    };
    assert_eq!(list(r#"[{"id":"a"},{"id":"b","odd":{}}]"#).unwrap().model_ids(), ["a", "b"]);
    assert!(list(r#"{"data":[]}"#).unwrap().model_ids().is_empty());
    for odd in
        ["{}", r#"{"models":[{"id":"a"}]}"#, r#"{"data":{}}"#, r#"{"data":5}"#, "7", "null", ""]
    {
        assert_eq!(list(odd).unwrap_err().kind(), ErrorKind::Protocol, "{odd}");
    }
}

fn header_count(request: &Recorded, name: &str) -> usize {
    request.headers.iter().filter(|(found, _)| found.eq_ignore_ascii_case(name)).count()
}

#[test]
fn headers_on_the_wire() {
    let service = Service::start().unwrap();
    let client = Client::new(config(service.base_url()).header("X-Team", "blue")).unwrap();
    for way in WAYS {
        service.clear();
        way.models(&client).unwrap();
        way.send(&client, hello()).unwrap();
        way.read(&client, respond()).outcome.unwrap();
        let requests = service.recorded("");
        let targets: Vec<String> =
            requests.iter().map(|it| format!("{} {}", it.method, it.target)).collect();
        let expected = ["GET /v1/models", "POST /v1/chat/completions", "POST /v1/responses"];
        assert_eq!(targets, expected, "{way:?}");
        for request in &requests {
            assert_eq!(request.header("authorization"), Some("Bearer sk-test"));
            assert_eq!(header_count(request, "authorization"), 1);
            assert_eq!(request.header("user-agent").unwrap(), format!("modelwire/{VERSION}"));
            assert_eq!(request.header("x-team"), Some("blue"));
            assert_eq!(request.header("host").unwrap(), service.address().to_string());
            let version = |name: &str| name.to_lowercase().contains("version");
            assert!(!request.headers.iter().any(|(name, _)| version(name)), "no version header");
        }
        assert!(requests[0].body.is_empty());
        for name in ["content-type", "content-length", "transfer-encoding"] {
            assert_eq!(header_count(&requests[0], name), 0, "{name} of a GET");
        }
        for request in &requests[1..] {
            assert_eq!(request.header("content-type"), Some("application/json"));
            assert_eq!(header_count(request, "content-type"), 1);
            assert_eq!(header_count(request, "transfer-encoding"), 0);
        }
        assert!(requests[2].header("accept").unwrap().starts_with("text/event-stream"));
    }
}

/// One that says what is sent anyway is neither refused nor sent twice.
#[test]
fn the_content_type_of_all_requests_may_be_set() {
    let service = Service::start().unwrap();
    let config = config(service.base_url()).header("content-type", "application/json");
    let client = Client::new(config).unwrap();
    for way in WAYS {
        service.clear();
        way.models(&client).unwrap();
        way.send(&client, hello().header("Content-Type", "Application/JSON")).unwrap();
        let counts = service
            .recorded("")
            .iter()
            .map(|it| header_count(it, "content-type"))
            .collect::<Vec<_>>();
        assert_eq!(counts, [0, 1], "{way:?}");
        let error = way.send(&client, hello().header("Content-Type", "text/plain")).unwrap_err();
        assert!(error.to_string().contains("cannot be set"), "{error}");
    }
}

#[test]
fn the_callers_json_is_sent_byte_for_byte() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(200, CHAT_ANSWER)));
    let client = client(base_url);
    let body = "{ \"model\":\"m\",\"messages\":[{\"role\":\"assistant\",\"content\":null}],\
                \"seed\":123456789012345678901234567890,\"temperature\":0.10000000000000000555,\
                \"x\":{\"deep\":[1e400,\"\\ud83d\"]} }";
    for way in WAYS {
        way.send(&client, Request::chat_json(body)).unwrap();
        assert_eq!(String::from_utf8_lossy(&service.recorded("s").last().unwrap().body), body);
    }
    let _ = client.blocking().stream(Request::chat_json(body));
    let sent = service.recorded("s").last().unwrap().body.clone();
    let spliced = body.replacen('{', "{\"stream\":true,", 1);
    assert_eq!(String::from_utf8(sent).unwrap(), spliced);
}

#[test]
fn a_base_url_may_have_a_slash_and_a_query() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(200, CHAT_ANSWER)));
    let check = |suffix: &str, target: &str| {
        let client = client(format!("{base_url}{suffix}"));
        client.blocking().send(hello()).unwrap();
        assert_eq!(service.recorded("s").last().unwrap().target, target, "{suffix}");
        assert!(!client.base_url().contains("secret"));
    };
    check("", "/scripts/s/v1/chat/completions");
    check("/", "/scripts/s/v1/chat/completions");
    check("//", "/scripts/s/v1/chat/completions");
    check("?api-version=7", "/scripts/s/v1/chat/completions?api-version=7");
    check("/?sig=secret%2F1&b", "/scripts/s/v1/chat/completions?sig=secret%2F1&b");
}

#[test]
fn invalid_requests_are_not_sent() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let messages = r#""messages":[{"role":"user","content":"a"}]"#;
    let chat = |body: String| Request::chat_json(body);
    let refused = [
        (chat(String::new()), "JSON"),
        (chat("[]".into()), "JSON"),
        (chat(format!("{{{messages}}}")), "model"),
        (chat(format!(r#"{{"model":"",{messages}}}"#)), "model"),
        (chat(format!(r#"{{"model":7,{messages}}}"#)), "model"),
        (chat(r#"{"model":"m"}"#.into()), "messages"),
        (chat(r#"{"model":"m","messages":"a"}"#.into()), "messages"),
        (chat(r#"{"model":"m","messages":["a"]}"#.into()), "messages[0]"),
        (chat(r#"{"model":"m","messages":[{"content":"a"}]}"#.into()), "role"),
        (chat(format!(r#"{{"model":"m","max_tokens":"7",{messages}}}"#)), "max_tokens"),
        (chat(format!(r#"{{"model":"m","max_tokens":0,{messages}}}"#)), "max_tokens"),
        (chat(format!(r#"{{"model":"m","max_output_tokens":7,{messages}}}"#)), "max_tokens"),
        (chat(r#"{"model":"m","messages":[{"role":"user"}]}"#.into()), "messages[0].content"),
        (
            chat(r#"{"model":"m","messages":[{"role":"tool","content":null}]}"#.into()),
            "messages[0].content",
        ),
        (
            chat(r#"{"model":"m","messages":[{"role":"assistant","content":{}}]}"#.into()),
            "messages[0].content",
        ),
        (hello().max_tokens(0), "max_tokens must be at least 1, not 0"),
        (hello().max_output_tokens(7), "max_tokens"),
        (respond().max_output_tokens(0), "max_output_tokens must be at least 1, not 0"),
        (respond().max_tokens(7), "max_output_tokens"),
        (Request::responses("m").set("input", 7), "input must be a string or an array"),
        (Request::responses("m").set_json("input", "null"), "input"),
        (chat(format!(r#"{{"model":"m","stream":"no",{messages}}}"#)), "stream"),
        (chat(format!(r#"{{"model":"m","stream":true,{messages}}}"#)), "stream"),
        (Request::responses_json(r#"{"model":"m"}"#), "input"),
        (Request::responses_json(r#"{"input":"a"}"#), "model"),
        (Request::models().set("a", 1), "body"),
    ];
    for (request, named) in refused {
        for way in WAYS {
            let error = way.send(&client, request.clone()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Argument, "{error:?}");
            assert!(error.message().contains(named), "{error:?} names {named}");
            assert_eq!((error.metered(), error.attempts()), (Metered::NotSent, 0));
            // "stream": true is right where the call streams.
            if named != "stream" {
                let read = way.read(&client, request.clone());
                assert_eq!(read.error().kind(), ErrorKind::Argument, "{request:?}");
            }
        }
    }
    let streamed = client.blocking().stream(Request::models());
    assert_eq!(streamed.err().unwrap().kind(), ErrorKind::Argument);
    let plain = format!(r#"{{"model":"m","stream":false,{messages}}}"#);
    let streamed = client.blocking().stream(chat(plain));
    assert_eq!(streamed.err().unwrap().kind(), ErrorKind::Argument);
    assert!(service.recorded("").is_empty());
    assert_eq!(service.connections(), 0);
}

#[test]
fn a_key_is_cleaned_or_refused() {
    let service = Service::start().unwrap();
    for key in ["sk-test\n", "\u{a0}sk-test\u{2003}", "\t sk-test \r\n"] {
        let config = Config::new().base_url(service.base_url()).api_key(key);
        Client::new(config).unwrap().blocking().models().unwrap();
    }
    for (key, named) in [
        ("sk-te st", "character"),
        ("not  sk-test", "character"),
        ("two abcdefghijklmnopqrstuvwxyz", "character"),
        ("not\nsk-test", "character"),
        ("sk-te\u{fc}st", "character"),
        ("Bearer sk-test", "Bearer"),
        ("\"sk-test\"", "quotes"),
        ("\u{201c}sk-test\u{201d}", "quotes"),
        ("<sk-test>", "angle brackets"),
        ("OPENAI_API_KEY=sk-test", "equals sign"),
        ("${KEY:-sk-test}", "variable"),
        ("sk-te...st", "incomplete"),
        ("sk-te\u{2026}st", "incomplete"),
        ("sk-te***st", "incomplete"),
        (" ", "empty"),
    ] {
        let config = Config::new().base_url(service.base_url()).api_key(key);
        let error = Client::new(config).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.message().contains(named), "{error:?}");
        assert!(error.hint().contains("control panel"), "{error:?}");
        let shown = format!("{error} {error:?} {}", error.report());
        assert!(!shown.contains("sk-te"), "{shown}");
    }
    assert_eq!(service.recorded("").len(), 3, "nothing was sent with what is no key");
    // Short words of letters are a dummy, for services that need no key.
    for key in
        ["c2stdGVzdA==", "sk-key=test", "$2b$10$test", "sk.te..st", "not needed", "My API Key"]
    {
        Client::new(Config::new().base_url(service.base_url()).api_key(key)).unwrap();
    }
}

/// A call that reported nothing is not a call that used nothing.
#[test]
fn calls_that_reported_no_usage_are_counted_apart() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for way in WAYS {
        way.send(&client, hello()).unwrap();
        way.read(&client, hello()).outcome.unwrap();
        way.send(&client, hello().stream_only(true)).unwrap();
        way.read(&client, respond()).outcome.unwrap();
        way.models(&client).unwrap();
    }
    let sum = client.usage()["echo"];
    assert_eq!((sum.calls, sum.calls_without_usage), (8, 4));
    assert_eq!((sum.tokens.total_tokens, service.metered()["echo"].calls), (4 * 8, 8));
    let never = Options { usage: Reported::Never, ..Options::default() };
    let service = Service::start_with(never).unwrap();
    let client = self::client(service.base_url());
    client.blocking().send(hello()).unwrap();
    client.blocking().send(respond()).unwrap();
    let sum = client.usage()["echo"];
    assert_eq!((sum.calls, sum.calls_without_usage, sum.tokens), (2, 2, Default::default()));
}

#[test]
fn usage_is_summed_by_model_as_the_service_meters_it() {
    let always = Options { usage: Reported::Always, ..Options::default() };
    let service = Service::start_with(always).unwrap();
    let client = client(service.base_url());
    assert!(client.usage().is_empty());
    for way in WAYS {
        way.send(&client, hello()).unwrap();
        way.read(&client, hello()).outcome.unwrap();
        way.send(&client, respond()).unwrap();
        way.read(&client, respond()).outcome.unwrap();
        way.send(&client, Request::chat("echo-reasoning").user("one two")).unwrap();
        way.send(&client, Request::chat("forbidden").user("one two")).unwrap_err();
    }
    let asked = hello().set_json("stream_options", r#"{"include_usage":true}"#);
    client.blocking().stream(asked).unwrap().for_each(|chunk| drop(chunk.unwrap()));
    let body = &service.recorded("").last().unwrap().body.clone();
    assert!(String::from_utf8_lossy(body).contains("stream_options"));
    let sums = client.usage();
    let metered = service.metered();
    assert_eq!(sums.keys().collect::<Vec<_>>(), ["echo", "echo-reasoning"]);
    assert_eq!(metered.keys().collect::<Vec<_>>(), ["echo", "echo-reasoning"]);
    for (model, UsageSum { calls, calls_without_usage, tokens, .. }) in sums {
        let metered = metered[&model];
        assert_eq!((calls, calls_without_usage), (metered.calls, 0), "{model}");
        assert_eq!(
            (tokens.input_tokens, tokens.output_tokens),
            (metered.input_tokens, metered.output_tokens),
            "{model}"
        );
        assert_eq!(tokens.total_tokens, tokens.input_tokens + tokens.output_tokens);
    }
    let added = service.recorded("").iter().any(|request| {
        String::from_utf8_lossy(&request.body).contains("stream_options")
            && !String::from_utf8_lossy(&request.body).contains("include_usage")
    });
    assert!(!added);
}

/// Calls are summed by key, and no sum shows one. What is taken is taken once, whoever takes it and
/// whatever ends meanwhile.
#[test]
fn usage_taken() {
    const CALLS: u64 = 40;
    let service = Service::start().unwrap();
    let answer = r#"{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":5,"completion_tokens":7,
        "prompt_tokens_details":{"cached_tokens":1},"completion_tokens_details":{"reasoning_tokens":3}}}"#;
    let script = Script::one(Exchange::json(200, answer));
    let client = client(service.script("s", script));
    assert_eq!(client.key_id(), modelwire::key_id("sk-test"));
    assert_eq!(client.key_id(), "ff95f1fb950e0b2b");
    let taken = std::thread::scope(|scope| {
        let calls: Vec<_> = ["sk-test", "sk-other-key"]
            .into_iter()
            .map(|key| {
                let client = &client;
                scope.spawn(move || {
                    for _ in 0..CALLS {
                        client.blocking().send(hello().api_key(key)).unwrap();
                    }
                })
            })
            .collect();
        let mut taken = Vec::new();
        while calls.iter().any(|calls| !calls.is_finished()) {
            taken.push(client.take_usage());
            // clock: the pace of what happens beside
            std::thread::sleep(Duration::from_millis(1));
        }
        taken.push(client.take_usage());
        taken
    });
    assert!(client.usage().is_empty());
    for key in ["sk-test", "sk-other-key"] {
        let sums = taken.iter().filter_map(|sums| sums.get(&modelwire::key_id(key))?.get("echo"));
        let sums: Vec<&UsageSum> = sums.collect();
        let sum = |count: fn(&UsageSum) -> u64| sums.iter().map(|sum| count(sum)).sum::<u64>();
        assert_eq!(sum(|sum| sum.calls), CALLS);
        assert_eq!(sum(|sum| sum.tokens.cached_input_tokens), CALLS);
        assert_eq!(sum(|sum| sum.tokens.reasoning_tokens), 3 * CALLS);
    }
    let shown = format!("{taken:?}");
    assert!(!shown.contains("sk-"), "{shown}");
}

/// What the headers say of limits is told on an answer, on a stream and on an error.
#[test]
fn rate_limits_are_reported_on_answers_streams_and_errors() {
    let headers = [
        ("x-ratelimit-limit-requests", "60"),
        ("x-ratelimit-remaining-requests", "59"),
        ("x-ratelimit-reset-requests", "6m0s"),
        ("x-ratelimit-remaining-tokens", "-"),
        ("retry-after", "2"),
    ];
    let service = Service::start().unwrap();
    let whole = r#"{"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]}"#;
    let lines: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let mut stream = Exchange::raw(format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{lines}Connection: close\r\n\r\ndata: {}\n\ndata: [DONE]\n\n",
        finish(0)
    ));
    stream.steps.push(Step::Close);
    let script = Script::sequence(vec![
        Exchange::json_with_headers(200, &headers, whole),
        stream,
        Exchange::json_with_headers(429, &headers, "{}"),
        Exchange::json(200, whole),
    ]);
    let client = client(service.script("s", script));
    let check = |limits: Option<RateLimits>| {
        let limits = limits.unwrap();
        assert_eq!((limits.requests.limit, limits.requests.remaining), (Some(60), Some(59)));
        assert_eq!(limits.requests.reset, Some(Duration::from_secs(360)));
        assert_eq!(
            (limits.tokens, limits.retry_after),
            (Default::default(), Some(Duration::from_secs(2)))
        );
    };
    check(client.blocking().send(hello()).unwrap().rate_limits());
    let stream = client.blocking().stream(hello()).unwrap();
    check(stream.head().rate_limits());
    stream.for_each(|chunk| drop(chunk.unwrap()));
    let once = RetryPolicy::default().max_retries(0);
    check(client.blocking().send(hello().retry(once)).unwrap_err().rate_limits());
    assert_eq!(client.blocking().send(hello()).unwrap().rate_limits(), None);
}

/// A whole stream and its end in a single write, with these events after the mark.
fn one_write(after_the_mark: &[Step]) -> Exchange {
    let before = [stream_head(), event(&piece("a")), event(&finish(0)), event(DONE)];
    let end = [Step::send("0\r\n\r\n")];
    let mut bytes = Vec::new();
    for step in before.iter().chain(after_the_mark).chain(&end) {
        let Step::Send { bytes: sent, .. } = step else { panic!("only bytes") };
        bytes.extend_from_slice(sent);
    }
    Exchange::raw(bytes)
}

#[test]
fn many_streams_one_after_another_use_one_connection() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(one_write(&[]))));
        for _ in 0..50 {
            let read = way.read(&client, hello());
            assert_eq!((read.text().as_str(), read.response().end()), ("a", End::DoneMark));
        }
        assert_eq!((service.recorded("s").len(), service.connections()), (50, 1), "{way:?}");
    }
}

/// Calls until eight in a row have made one connection at most. On a busy machine the end of a body may
/// come so late that a call does not wait for it, and takes a new connection.
fn eight_in_a_row_share_a_connection(service: &Service, mut call: impl FnMut()) {
    let shares = |_| {
        let before = service.connections();
        (0..8).for_each(|_| call());
        service.connections() <= before + 1
    };
    assert!((0..100).any(shares), "{} connections for 800 calls", service.connections());
}

/// The end of each body comes a moment after its end mark.
#[test]
fn streams_whose_bodies_end_late_share_connections() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let mut late = Exchange::events(&[piece("a"), finish(0), DONE.to_owned()]);
        let end = late.steps.pop().unwrap();
        late.steps.extend([Step::Pause(Duration::from_millis(2)), end]);
        let client = client(service.script("s", Script::one(late)));
        eight_in_a_row_share_a_connection(&service, || {
            assert_eq!(way.read(&client, hello()).response().end(), End::DoneMark);
        });
    }
}

#[test]
fn bytes_after_the_end_mark_are_ignored() {
    let service = Service::start().unwrap();
    let late = [event("not JSON"), event(&piece("late")), event(r#"{"error":"late"}"#)];
    let client = client(service.script("s", Script::one(one_write(&late))));
    for way in WAYS {
        let read = way.read(&client, hello());
        assert_eq!((read.text().as_str(), read.response().end()), ("a", End::DoneMark));
    }
}

/// The same against the played service, whose events and end come in writes of their own.
#[test]
fn streams_of_many_writes_hardly_ever_need_a_new_connection() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    eight_in_a_row_share_a_connection(&service, || {
        client.blocking().stream(hello()).unwrap().for_each(|chunk| drop(chunk.unwrap()));
    });
}

#[test]
fn an_endless_body_after_done_delays_no_call() {
    let service = Service::start().unwrap();
    let data = [piece("a"), DONE.to_owned()];
    let data: Vec<&str> = data.iter().map(String::as_str).collect();
    let script = Script::one(crate::support::stalled_after(&data));
    let client = client(service.script("s", script));
    for way in WAYS {
        let call = |_| {
            let start = std::time::Instant::now();
            assert_eq!(way.read(&client, hello()).text(), "a");
            start.elapsed()
        };
        let shortest = (0..20).map(call).min().unwrap();
        // Each would take the 250 ms of the drain if its caller waited for it.
        // clock: one of twenty is enough
        assert!(shortest < Duration::from_millis(200), "{way:?}: {shortest:?}");
    }
    crate::support::eventually("given up by us", || service.open_connections() == 0);
}

/// Whether a request came with its body.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    text.split_once("\r\n\r\n").is_some_and(|(head, body)| {
        let (_, length) = head.split_once("content-length: ").unwrap();
        length.lines().next().unwrap().parse() == Ok(body.len())
    })
}

/// A server that closes each connection so long after the stream that it answered with; how many
/// requests it read, and when it closed each connection.
fn closing(wait: Duration) -> (String, Arc<AtomicUsize>, mpsc::Receiver<Instant>) {
    let mut bytes = Vec::new();
    for step in [opening(&[&piece("a"), &finish(0), DONE]), Step::send("0\r\n\r\n")] {
        let Step::Send { bytes: more, .. } = step else { unreachable!() };
        bytes.extend(more);
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let (asked, (tell, closed)) = (Arc::new(AtomicUsize::new(0)), mpsc::channel());
    let count = asked.clone();
    let serve = move |mut peer: TcpStream| {
        let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
        while !is_whole(&said) {
            match peer.read(&mut buffer) {
                Ok(read @ 1..) => said.extend_from_slice(&buffer[..read]),
                _ => return, // a connection that was opened in reserve
            }
        }
        count.fetch_add(1, Ordering::SeqCst);
        peer.write_all(&bytes).unwrap();
        // clock: this is the close that comes a moment later
        thread::sleep(wait);
        drop(peer);
        let _ = tell.send(Instant::now());
    };
    thread::spawn(move || {
        for peer in listener.incoming() {
            let serve = serve.clone();
            thread::spawn(move || serve(peer.unwrap()));
        }
    });
    (base_url, asked, closed)
}

/// Some servers promise keep-alive and close a moment after each stream. A call proves something where
/// the connection before it was closed before that moment was over.
#[test]
fn a_connection_that_is_closed_right_after_a_stream_fails_no_call() {
    const MOMENT: Duration = Duration::from_millis(10); // REUSE_GRACE of the core
    for wait_ms in [0, 1, 2] {
        let (base_url, asked, closed) = closing(Duration::from_millis(wait_ms));
        let client = client(base_url);
        let (mut proved, mut answered, mut in_time) = (0, 0, true);
        crate::support::eventually("calls after a close in time", || {
            let begun = Instant::now();
            let read = WAYS[1].read(&client, hello());
            if in_time {
                let outcome = &read.outcome;
                assert!(outcome.is_ok(), "{wait_ms} ms, call {proved}: {outcome:?}");
                proved += 1;
            }
            in_time = true; // after a lost call there is no connection
            if read.outcome.is_ok() {
                assert_eq!(read.text(), "a");
                answered += 1;
                in_time = closed.recv().unwrap() < begun + MOMENT;
            }
            proved == 10
        });
        assert_eq!(asked.load(Ordering::SeqCst), answered, "none was sent twice");
    }
}

/// Keys and headers of single calls travel on the client's connections, and an echo of such a key
/// is masked as the client's is.
#[test]
fn a_call_may_have_its_own_key_and_headers() {
    let service = Service::start().unwrap();
    let echo = Exchange::json(401, r#"{"error":{"message":"bad key sk-other-key here"}}"#);
    let base_url = service.script("echo", Script::one(echo));
    let refused = client(base_url);
    let client = Client::new(config(service.base_url()).header("X-Team", "blue")).unwrap();
    for way in WAYS {
        for _ in 0..6 {
            way.send(&client, hello()).unwrap(); // connections, as many as such calls take
        }
        service.clear();
        let before = service.connections();
        for _ in 0..3 {
            let request =
                hello().api_key(" sk-test\n").without_header("x-team").header("X-Own", "1");
            way.send(&client, request).unwrap();
            way.send(&client, hello()).unwrap();
        }
        assert!(service.connections() - before <= 1, "{way:?}");
        let team: Vec<_> =
            service.recorded("").iter().map(|it| it.header("x-team").map(str::to_owned)).collect();
        let blue = Some("blue".to_owned());
        assert_eq!(team, [None, blue.clone(), None, blue.clone(), None, blue]);
        let error = way.send(&refused, hello().api_key("sk-other-key")).unwrap_err();
        let sent = service.recorded("echo");
        assert_eq!(sent.last().unwrap().header("authorization"), Some("Bearer sk-other-key"));
        assert!(!error.report().contains("sk-other"), "{}", error.report());
        let error = way.send(&client, hello().api_key("\"sk-test\"")).unwrap_err();
        assert!(error.hint().contains("control panel"), "{error}");
        let error = way.send(&client, hello().without_header("Authorization")).unwrap_err();
        assert!(error.to_string().contains("cannot be left out"), "{error}");
    }
    assert!(Request::models().api_key("").check().is_err());
}

#[test]
fn variants_of_a_client_share_one_usage_sum() {
    let service = Service::start().unwrap();
    let first = client(service.base_url());
    let second = first.beside(config(format!("{}/", service.base_url()))).unwrap();
    first.blocking().send(hello()).unwrap();
    second.blocking().send(hello()).unwrap();
    assert_eq!(first.usage()["echo"].calls, 2);
    assert_eq!(first.usage(), second.usage());
}
