//! How the command ends: a code for each kind of error, one line that says what to do, and never the key.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

use modelwire_cli::Exit;
use modelwire_testing::{Exchange, Script, Service, Step};
use rustix::process::Signal;
use support::{
    Folder, KEY, Ran, modelwire, modelwire_at, modelwire_to, run, run_on_terminal, signal,
};

/// A chunk of a chat with this text.
fn chunk(text: &str) -> String {
    format!("{{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}")
}

/// The run ended with this code, and one line that has this.
fn ended(ran: &Ran, exit: Exit, expected: &str) {
    assert_eq!(ran.code(), exit as i32, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("modelwire: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    assert!(!ran.stderr.contains(KEY), "{}", ran.stderr);
}

/// Asks at a script of this one exchange.
fn ask(service: &Service, exchange: Exchange, arguments: &[&str]) -> Ran {
    let url = service.script("one", Script::one(exchange));
    let all = [&["chat", "-m", "echo", "--retries", "0"], arguments, &["Hello"]].concat();
    run(&mut modelwire_at(&url, &all))
}

#[test]
fn every_status_has_its_code() {
    let service = Service::start().unwrap();
    for (status, exit) in [
        (400, Exit::Request),
        (401, Exit::Authentication),
        (403, Exit::Permission),
        (404, Exit::NotFound),
        (429, Exit::RateLimited),
        (500, Exit::Server),
        (503, Exit::Server),
        (418, Exit::Status),
        (422, Exit::Status),
        (302, Exit::Status),
    ] {
        let body = format!("{{\"error\":{{\"message\":\"Your key {KEY}\\nis\\u001b[31m odd.\"}}}}");
        for way in [&[][..], &["--no-stream"], &["--json"]] {
            let ran = ask(&service, Exchange::json(status, &body), way);
            ended(&ran, exit, "Your key [key] is\\u{1b}[31m odd (status");
            assert!(ran.stderr.contains(&format!("(status {status})")), "{}", ran.stderr);
            assert!(ran.stdout.is_empty());
        }
    }
}

#[test]
fn failures_of_each_model_have_their_exit_code() {
    let service = Service::start().unwrap();
    for (arguments, exit, expected) in [
        (&["-m", "forbidden"][..], Exit::Permission, "control panel"),
        (&["-m", "broken"], Exit::Server, "(status 500)"),
        (&["-m", "unknown"], Exit::NotFound, "model name"),
        (&["-m", "echo-stream-only", "--no-stream"], Exit::Request, "stream"),
        (&["-m", "echo", "--set", "messages=7"], Exit::Usage, "messages must be an array"),
    ] {
        let all = [&["chat"], arguments, &["one two three four five"]].concat();
        let ran = run(&mut modelwire_to(&service, &all));
        ended(&ran, exit, expected);
        assert!(ran.stdout.is_empty());
    }
    let wrong = run(modelwire_to(&service, &["models"]).env("MODELWIRE_API_KEY", "sk-wrong"));
    ended(&wrong, Exit::Authentication, "control panel");
    let limited = ["chat", "-m", "limited", "--retries", "0", "Hello"];
    let codes: Vec<i32> =
        (0..3).map(|_| run(&mut modelwire_to(&service, &limited)).code()).collect();
    assert!(codes.iter().all(|code| matches!(code, 0 | 14)), "{codes:?}");
    // Tried again, as long as the service says.
    let patient = ["chat", "-m", "limited", "Hello"];
    assert_eq!(run(&mut modelwire_to(&service, &patient)).text(), "Hello");
}

#[test]
fn a_cut_answer_is_never_a_whole_one() {
    let service = Service::start().unwrap();
    let part = "The printed answer is incomplete.";
    for (model, exit) in [
        ("cut", Exit::Disconnected),
        ("error-in-stream", Exit::Stream),
        ("flat-error", Exit::Stream),
        ("unended-error", Exit::Stream),
        ("no-mark", Exit::Incomplete),
    ] {
        for command in ["chat", "respond"] {
            let ask = [command, "-m", model, "one two three four five"];
            let ran = run(&mut modelwire_to(&service, &ask));
            ended(&ran, exit, part);
            assert_eq!(ran.text(), "one two three ");
        }
    }
    let hello = chunk("Hel");
    let reset = Exchange::events_reset(&[&hello]);
    for (exchange, exit) in [
        (Exchange::events(&[&hello]), Exit::Incomplete),
        (Exchange::events_cut(&[&hello]), Exit::Disconnected),
        (Exchange::events(&[&hello, "{\"error\":{\"message\":\"Overloaded.\"}}"]), Exit::Stream),
        (Exchange::events(&[&hello, "<no JSON>"]), Exit::Protocol),
    ] {
        let ran = ask(&service, exchange, &[]);
        ended(&ran, exit, part);
        assert_eq!(ran.text(), "Hel");
    }
    // What the reset leaves of the bytes is up to the kernel.
    assert_eq!(ask(&service, reset, &[]).code(), Exit::Disconnected as i32);
    let failed = "{\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"message\":\"No luck.\"}}}";
    let url = service.script("failed", Script::one(Exchange::events(&[failed])));
    let ran = run(&mut modelwire_at(&url, &["respond", "-m", "echo", "Hello"]));
    ended(&ran, Exit::Stream, "the answer failed: No luck.");
}

#[test]
fn a_refusal_is_no_answer() {
    let service = Service::start().unwrap();
    let streamed = [
        r#"{"choices":[{"index":0,"delta":{"refusal":"I "}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"refusal":"will not."},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ];
    let whole = r#"{"choices":[{"index":0,"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}"#;
    let events = [
        r#"{"type":"response.refusal.delta","delta":"I "}"#,
        r#"{"type":"response.refusal.delta","delta":"will not."}"#,
        r#"{"type":"response.completed","response":{"status":"completed"}}"#,
    ];
    let response = r#"{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}]}"#;
    for (command, way, exchange) in [
        ("chat", "--usage", Exchange::events(&streamed)),
        ("chat", "--no-stream", Exchange::json(200, whole)),
        ("respond", "--usage", Exchange::events(&events)),
        ("respond", "--no-stream", Exchange::json(200, response)),
    ] {
        let url = service.script("refusal", Script::one(exchange));
        let ran = run(&mut modelwire_at(&url, &[command, way, "-m", "echo", "Hello"]));
        assert_eq!((ran.code(), ran.text()), (Exit::Refused as i32, ""));
        assert!(
            ran.stderr.ends_with("modelwire: the model refused: I will not.\n"),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn every_connection_failure_has_its_exit_code() {
    let service = Service::start().unwrap();
    let at = |url: &str, arguments: &[&str]| {
        run(&mut modelwire_at(url, &[&["chat", "-m", "echo", "Hello"], arguments].concat()))
    };
    ended(&at("http://127.0.0.1:9/v1", &[]), Exit::Connect, "reachable");
    ended(&at("http://no-such-host.invalid/v1", &[]), Exit::Connect, "reachable");
    let https = service.base_url().replace("http:", "https:");
    ended(&at(&https, &[]), Exit::Tls, "Check the base URL");
    for (step, exit) in [(Step::Close, Exit::Disconnected), (Step::Reset, Exit::Disconnected)] {
        ended(&ask(&service, Exchange { steps: vec![step] }, &[]), exit, "");
    }
    let stall = || Exchange { steps: vec![Step::StallForever] };
    ended(&ask(&service, stall(), &["--timeout", "0.2"]), Exit::Timeout, "total_timeout of 200 ms");
    let first_byte = ["--option", "first_byte_timeout_ms=100"];
    ended(&ask(&service, stall(), &first_byte), Exit::Timeout, "first_byte_timeout of 100 ms");
    ended(&ask(&service, Exchange::raw("no HTTP\r\n\r\n"), &[]), Exit::Protocol, "");
    ended(&ask(&service, Exchange::json(200, "<html>"), &[]), Exit::Protocol, "");
}

#[test]
fn missing_configuration_is_named() {
    let ask = ["chat", "-m", "echo", "Hello"];
    ended(
        &run(&mut modelwire(ask)),
        Exit::Config,
        "no base URL: give --base-url https://host/v1, or set",
    );
    let mut no_key = modelwire(ask);
    no_key.args(["--base-url", "http://127.0.0.1:1/v1"]);
    ended(&run(&mut no_key), Exit::Config, "no API key: set MODELWIRE_API_KEY");
    no_key.env("MODELWIRE_API_KEY", " ");
    ended(&run(&mut no_key), Exit::Config, "no API key: set MODELWIRE_API_KEY");
    for (url, expected) in [
        ("127.0.0.1:1/v1", "base_url is not a URL"),
        ("ftp://host/v1", "not http or https"),
        ("", "base_url is empty"),
    ] {
        ended(&run(modelwire_at(url, &ask).args(["--base-url", url])), Exit::Config, expected);
    }
    let service = Service::start().unwrap();
    for (arguments, exit, expected) in [
        (&["--option", "htp2=true"][..], Exit::Usage, "did you mean \"http2\"?"),
        (&["--option", "api_key=sk-test"], Exit::Usage, "the key must not be an argument"),
        (&["--option", "http2"], Exit::Usage, "takes NAME=VALUE"),
        (&["--option", "total_timeout_ms=0"], Exit::Usage, "total_timeout is zero"),
        (&["--key-file", "/none/such"], Exit::File, "/none/such cannot be read: No such file"),
        (&["--key-file", "/"], Exit::File, "/ cannot be read: Is a directory"),
        (&["--key-file", "/dev/null"], Exit::Config, "/dev/null is empty"),
        (&["--api-key", "sk-test"], Exit::Usage, "--api-key"),
        (&["--max-tokens", "0"], Exit::Usage, "--max-tokens"),
        (&["--set", "stop=[1"], Exit::Usage, "the value is not JSON"),
    ] {
        ended(&run(modelwire_to(&service, &ask).args(arguments)), exit, expected);
    }
    let folder = Folder::new();
    let key = folder.file("key", "Bearer sk-test");
    let mut with_file = modelwire_to(&service, &ask);
    with_file.arg("--key-file").arg(&key);
    ended(&run(&mut with_file), Exit::Config, "has white space in its line");
    assert!(service.recorded("").is_empty(), "nothing was sent");
}

#[test]
fn a_report_has_everything_but_the_key() {
    let service = Service::start().unwrap();
    let exchange = Exchange::json_with_headers(
        404,
        &[("x-request-id", "req-7")],
        "{\"error\":{\"message\":\"No sk-test here.\",\"code\":\"gone\"}}",
    );
    let ran = ask(&service, exchange, &["--report"]);
    assert_eq!(ran.code(), Exit::NotFound as i32);
    for expected in
        ["modelwire: No [key] here (status 404)", "request id: req-7", "code: gone", "attempts: 1"]
    {
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
    assert!(!ran.stderr.contains(KEY), "{}", ran.stderr);
}

#[test]
fn ctrl_c_is_silent_and_at_once() {
    let service = Service::start().unwrap();
    let stall = Step::StallForever;
    let hello = Exchange::events(&[chunk("Hel")]).steps;
    for steps in
        [vec![stall.clone()], [&hello[..hello.len() - 1], std::slice::from_ref(&stall)].concat()]
    {
        for (number, name) in [(Signal::INT, 130), (Signal::TERM, 143)] {
            let url = service.script("stall", Script::one(Exchange { steps: steps.clone() }));
            let mut child = modelwire_at(&url, &["chat", "-m", "echo", "Hello"])
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            support::until("the request came", || !service.recorded("stall").is_empty());
            let begun = Instant::now();
            signal(&child, number);
            let status = support::wait(&mut child);
            // clock: bounds a hang
            assert!(begun.elapsed() < Duration::from_secs(60));
            let mut said = String::new();
            child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
            let ran = Ran { status, stdout: Vec::new(), stderr: said };
            assert_eq!((ran.code(), &*ran.stderr), (name, ""));
        }
    }
}

#[test]
fn a_closed_pipe_is_silent() {
    let service = Service::start().unwrap();
    let long = "word ".repeat(20_000);
    for arguments in [
        &["chat", "-m", "echo", &long[..100_000]][..],
        &["chat", "-m", "echo", "--no-stream", "Hello"],
        &["chat", "-m", "echo", "--json", "Hello"],
        &["models"],
        &["man"],
        &["completion", "zsh"],
        &["chat", "--help"],
    ] {
        let mut command = modelwire_to(&service, arguments);
        let mut child =
            command.stdout(support::closed_pipe()).stderr(Stdio::piped()).spawn().unwrap();
        let status = support::wait(&mut child);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((status.code(), &*said), (Some(Exit::BrokenPipe as i32), ""), "{arguments:?}");
    }
}

#[test]
fn a_full_disk_is_reported() {
    let service = Service::start().unwrap();
    for arguments in [
        &["chat", "-m", "echo", "Hello"][..],
        &["models"],
        &["man"],
        &["--version"],
        &["bulk", "--help"],
        &["help"],
    ] {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut child =
            modelwire_to(&service, arguments).stdout(full).stderr(Stdio::piped()).spawn().unwrap();
        let status = support::wait(&mut child);
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!(status.code(), Some(Exit::File as i32), "{said}");
        assert!(said.contains("standard output cannot be written: No space left"), "{said}");
    }
}

#[test]
fn nothing_breaks_where_standard_error_is_closed() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut child =
        modelwire(["chat", "Hello"]).stderr(writer).stdout(Stdio::null()).spawn().unwrap();
    assert_eq!(support::wait(&mut child).code(), Some(Exit::Config as i32));
}

#[test]
fn control_characters_of_an_answer_are_escaped_on_a_terminal() {
    let service = Service::start().unwrap();
    let text = "one\u{1b}[2J two\u{7}\n\tthree\u{9b}31m\rfour";
    let shown = "one\\u{1b}[2J two\\u{7}\n\tthree\\u{9b}31m\\rfour\n";
    for way in [&[][..], &["--no-stream"]] {
        for command in ["chat", "respond"] {
            let all = [&[command, "-m", "echo", text], way].concat();
            let ran = run_on_terminal(&mut modelwire_to(&service, &all));
            assert_eq!((ran.code(), ran.text(), &*ran.stderr), (0, shown, ""));
        }
    }
    // A line that ends is not ended again; one that was cut off is, before the error.
    let whole = run_on_terminal(&mut modelwire_to(&service, &["chat", "-m", "echo", "line\n"]));
    assert_eq!(whole.text(), "line\n");
    let cut = ["chat", "-m", "cut", "one two three four"];
    let ran = run_on_terminal(&mut modelwire_to(&service, &cut));
    assert_eq!((ran.code(), ran.text()), (Exit::Disconnected as i32, "one two three \n"));
    let url = service
        .script("models", Script::one(Exchange::json(200, "{\"data\":[{\"id\":\"a\\u001bc\"}]}")));
    let ran = run_on_terminal(&mut modelwire_at(&url, &["models"]));
    assert_eq!(ran.text(), "a\\u{1b}c\n");
}

#[test]
fn the_page_of_the_program_has_every_code() {
    let page = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/command/reference.md"
    ))
    .unwrap();
    let rows: String = Exit::ALL
        .iter()
        .map(|exit| format!("| {} | {} |\n", *exit as u8, exit.meaning()))
        .collect();
    assert!(page.contains(&rows), "docs/command/reference.md must have these rows:\n{rows}");
}
