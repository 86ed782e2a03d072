//! Options of clients and requests, and the log, through C programs.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use modelwire_testing::{Exchange, Script, Service, Step};
use modelwire_tests_c::{
    chat_answer, chat_chunk, played, scenario, scripted, silent, stalling_at_once,
};

fn both(first: Script, second: Script) -> Script {
    Script::sequence([first.exchanges, second.exchanges].concat())
}

#[test]
fn limits() {
    let long = "x".repeat(300);
    let many: Vec<String> = (0..20).map(|number| format!("x-{number}")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (name.as_str(), "y")).collect();
    scripted(
        "limits",
        Script::sequence(vec![
            Exchange::events(&[chat_chunk("before "), chat_chunk(&long)]),
            Exchange::json(200, chat_answer(&long)),
            Exchange::json(500, format!(r#"{{"error":"{long}"}}"#)),
            Exchange::json_with_headers(200, &many, chat_answer("x")),
        ]),
    );
}

/// What is refused leaves the bound that was set.
#[test]
fn limits_refused() {
    played("limits_refused");
}

/// Of 50 calls each is made once.
#[test]
fn few_connections() {
    let service = played("few_connections");
    assert_eq!(service.metered()["echo"].calls, 50);
    // A server that has not shown that it keeps connections is given a few fresh ones.
    assert!(service.connections() <= 8, "{} connections for 4 at once", service.connections());
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

#[test]
fn through_proxy() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("http://{}", listener.local_addr().unwrap());
    let played = std::thread::spawn(move || {
        let (mut connection, _) = listener.accept().unwrap();
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            connection.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let body = chat_answer("by proxy");
        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        connection.write_all(answer.as_bytes()).unwrap();
        // The client closes first: nothing of its request is left unread and reset.
        let _ = connection.read_to_end(&mut Vec::new());
        String::from_utf8(head).unwrap()
    });
    let program = scenario("through_proxy").at_url("http://nowhere.invalid/v1");
    program.env("TEST_PROXY", &proxy).run().succeeded();
    let head = played.join().unwrap();
    assert!(head.starts_with("POST http://nowhere.invalid/v1/chat/completions HTTP/1.1"), "{head}");
}

#[test]
fn without_proxy() {
    let service = played("without_proxy");
    assert_eq!(service.recorded("").len(), 1);
}

#[test]
fn certificates_refused() {
    let service = played("certificates_refused");
    assert_eq!(service.connections(), 0);
}

#[test]
fn request_timeouts() {
    let pause = Step::Pause(Duration::from_millis(200));
    let late = Exchange::json(200, chat_answer("late"));
    let late = Script::one(Exchange { steps: [vec![pause], late.steps].concat() });
    let script = both(both(silent(), stalling_at_once(&["one "])), both(silent(), late));
    scripted("request_timeouts", script);
}

#[test]
fn request_retries() {
    let service = played("request_retries");
    assert_eq!(service.recorded("").len(), 5);
}

/// Only if it is wanted.
#[test]
fn connect_errors() {
    // Nothing listens on port 1, and no test will be given it.
    scenario("connect_errors").at_url("http://127.0.0.1:1/v1").run().succeeded();
}

/// Only if it is wanted, for the call may be metered twice then.
#[test]
fn lost_connections() {
    let of_clients = 1 + 1 + 3 + 3;
    let of_requests = 2 + 2 + 2 + 2 + 1 + 2 + 3 + 2 + 2 + 3;
    let closes = of_clients + of_requests + 1;
    let mut exchanges = vec![Exchange { steps: vec![Step::Close] }; closes];
    exchanges.push(Exchange::json(200, chat_answer("at last")));
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::sequence(exchanges));
    scenario("lost_connections").at_url(&base_url).run().succeeded();
    assert_eq!(service.recorded("s").len(), closes + 1);
}

/// A wait gets longer by chance, up to the part that is set, and never shorter.
#[test]
fn retry_jitter() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(429, "{}")));
    let told = scenario("retry_jitter").at_url(&base_url).run().succeeded().stdout;
    let waits: Vec<u64> = told
        .split("wait_ms=")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap())
        .collect();
    // That all of 20 random waits stay within the default's quarter happens once in 10^12 runs.
    let check = |waits: &[u64], from: u64, to: u64| {
        assert!(waits.iter().all(|wait| (20..=to).contains(wait)), "{waits:?}");
        assert!(waits.iter().any(|wait| *wait >= from), "{waits:?}");
    };
    assert_eq!(waits.len(), 66, "{told}");
    check(&waits[..3], 20, 20);
    check(&waits[3..23], 26, 40);
    check(&waits[23..26], 20, 20);
    check(&waits[26..46], 26, 40);
    check(&waits[46..], 21, 25);
}

#[test]
fn retries_refused() {
    let service = played("retries_refused");
    assert_eq!(service.connections(), 0);
}

/// What is refused changes nothing of a request.
#[test]
fn refused_changes_nothing() {
    let service = Service::start().unwrap();
    let script = Script::one(Exchange::json(200, chat_answer("x")));
    let base_url = service.script("s", script);
    // Nothing listens on port 1.
    let program = scenario("refused_changes_nothing").at_url("http://127.0.0.1:1/v1");
    program.env("TEST_BASE_URL", &base_url).run().succeeded();
    let sent = service.recorded("s");
    assert_eq!(sent.len(), 1);
    for (name, value) in
        [("authorization", "Bearer sk-kept"), ("x-kept", "kept"), ("x-own", "kept")]
    {
        assert_eq!(sent[0].header(name), Some(value), "{name}");
    }
    assert_eq!(sent[0].header("x-more"), None);
}

#[test]
fn options_as_json() {
    let service = Service::start().unwrap();
    let script = Script::one(Exchange::json(200, chat_answer("x")));
    let base_url = service.script("s", script);
    let program = scenario("options_as_json").at_url("http://127.0.0.1:1/v1");
    program.env("TEST_BASE_URL", &base_url).run().succeeded();
    let sent = service.recorded("s");
    assert_eq!(sent.len(), 2, "one by base_url, one by base_urls");
    for sent in sent {
        for (name, value) in [("authorization", "Bearer sk-kept"), ("x-kept", "kept")] {
            assert_eq!(sent.header(name), Some(value), "{name}");
        }
        assert!(sent.target.ends_with("?api-version=1&a+b=c%26d"), "{}", sent.target);
    }
}

/// A key of one call, a header that is left out, a query.
#[test]
fn request_options() {
    let service = Service::start().unwrap();
    let script = Script::one(Exchange::json(200, chat_answer("x")));
    let base_url = service.script("s", script);
    scenario("request_options").at_url(&base_url).run().succeeded();
    let sent = service.recorded("s");
    assert_eq!(sent[0].header("authorization"), Some("Bearer sk-own"));
    assert_eq!((sent[0].header("x-a"), sent[0].header("x-b")), (None, Some("client")));
    assert!(sent[0].target.ends_with("?a=1&b=2&b=3+4"), "{}", sent[0].target);
}

#[test]
fn retry_after() {
    let refusal = Exchange::json_with_headers(429, &[("Retry-After", "7")], "{}");
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(refusal));
    scenario("retry_after").at_url(&base_url).run().succeeded();
    assert_eq!(service.recorded("s").len(), 1);
}

#[test]
fn request_headers() {
    let service = played("request_headers");
    let requests = service.recorded("");
    let told = |at: usize, name| requests[at].header(name);
    assert_eq!((told(0, "x-a"), told(0, "x-b")), (Some("request"), Some("client")));
    assert_eq!((told(1, "x-a"), told(1, "x-b")), (Some("client"), Some("client")));
    assert_eq!(requests.len(), 2);
}

#[test]
fn request_stream_only() {
    played("request_stream_only");
}

#[test]
fn request_gather() {
    played("request_gather");
}

#[test]
fn log_levels() {
    played("log_levels");
}

#[test]
fn log_queue() {
    played("log_queue");
}

#[test]
fn log_queue_full() {
    played("log_queue_full");
}

/// Not even in the finest log, not even where the service echoes it.
#[test]
fn log_key() {
    let key = "sk-secret-0123456789abcdef";
    let echo = format!(r#"{{"error":{{"message":"bad key {key}","code":"{key}"}}}}"#);
    let chunks = [chat_chunk("x"), "[DONE]".to_owned()];
    let script = Script::sequence(vec![
        Exchange::json_with_headers(500, &[("x-request-id", key), ("x-echo", key)], echo),
        Exchange::events(&chunks),
    ]);
    let service = Service::start().unwrap();
    let program = scenario("log_key").at_url(&service.script("s", script));
    let told = program.env("MODELWIRE_API_KEY", key).run().succeeded().stdout;
    assert!(told.contains("modelwire"), "{told}");
    assert!(!told.contains("sk-secret"), "the key is shown:\n{told}");
}
