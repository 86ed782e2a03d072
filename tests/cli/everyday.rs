//! `chat`, `respond` and `models` as processes at a real service: what is asked, and what is printed where.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::io::{Read, Write};
use std::process::Stdio;

use modelwire_testing::{Exchange, Script, Service, Step};
use support::{
    Folder, Ran, modelwire, modelwire_at, modelwire_to, run, run_on_terminal, run_with_input,
};

/// All is well, and nothing was said beside the answer.
fn said(ran: &Ran, expected: &str) {
    assert_eq!((ran.code(), ran.text(), &*ran.stderr), (0, expected, ""));
}

/// The arguments were refused, with this in the one line.
fn refused(ran: &Ran, expected: &str) {
    assert_eq!((ran.code(), ran.text()), (2, ""), "{}", ran.stderr);
    assert!(ran.stderr.starts_with("modelwire: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

/// The bodies of the requests that reached a name, as text.
fn bodies(service: &Service, name: &str) -> Vec<String> {
    let recorded = service.recorded(name).into_iter();
    recorded.map(|request| String::from_utf8(request.body).unwrap()).collect()
}

#[test]
fn an_answer_is_its_text_to_the_byte() {
    let service = Service::start().unwrap();
    for text in [
        "Hello",
        "two words\n",
        "  lines\n\nand \u{1b}[31mred\u{1b}[0m \u{7} \r\n\ttabs \u{e9}\u{1f600} \u{9b} ",
        "it's \"quoted\" \\ $HOME `x` %s",
    ] {
        for command in ["chat", "respond"] {
            for model in ["echo", "echo-stream-only"] {
                let arguments = [command, "--model", model, text];
                said(&run(&mut modelwire_to(&service, &arguments)), text);
            }
            let whole = [command, "--no-stream", "-m", "echo", text];
            said(&run(&mut modelwire_to(&service, &whole)), text);
        }
    }
}

#[test]
fn words_are_printed_as_they_come() {
    let service = Service::start().unwrap();
    for command in ["chat", "respond"] {
        let words = "one two three four five six seven eight nine ten";
        let mut child = modelwire_to(&service, &[command, "-m", "slow", words])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let mut first = [0; 4];
        stdout.read_exact(&mut first).unwrap();
        assert_eq!(&first, b"one ");
        assert!(child.try_wait().unwrap().is_none(), "the rest takes two seconds");
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, words[4..]);
        assert!(support::wait(&mut child).success());
    }
}

#[test]
fn a_prompt_is_an_argument_or_standard_input_or_both() {
    let service = Service::start().unwrap();
    let ask = |arguments: &[&str], input: &[u8]| {
        let all = [&["chat", "-m", "echo"], arguments].concat();
        run_with_input(&mut modelwire_to(&service, &all), input)
    };
    said(&ask(&["Sum it up:"], b"a file\n"), "Sum it up:\n\na file\n");
    said(&ask(&["Hello"], b""), "Hello");
    said(&ask(&["-"], b"a file\n"), "a file\n");
    said(&ask(&[], b"a file\n"), "a file\n");
    refused(&ask(&["-"], b""), "standard input is empty");
    refused(&ask(&[], b" \n"), "standard input is empty");
    refused(&ask(&[""], b""), "the prompt is empty");
    refused(&ask(&["Hello"], b"caf\xe9"), "standard input is not UTF-8 at byte 3");
    refused(&ask(&["two", "words"], b""), "quote a value that contains spaces");
    let ran = run_on_terminal(&mut modelwire_to(&service, &["chat", "-m", "echo"]));
    refused(&ran, "no prompt: give a PROMPT");
}

#[test]
fn waiting_for_standard_input_is_announced() {
    let service = Service::start().unwrap();
    let mut child = modelwire_to(&service, &["chat", "-m", "echo", "Hello"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = [0; 62];
    child.stderr.as_mut().unwrap().read_exact(&mut told).unwrap();
    let expected = "modelwire: waiting for the end of standard input, which follow";
    assert_eq!(std::str::from_utf8(&told).unwrap(), expected);
    drop(child.stdin.take());
    let mut answer = String::new();
    child.stdout.take().unwrap().read_to_string(&mut answer).unwrap();
    assert_eq!(answer, "Hello");
    assert!(support::wait(&mut child).success());
}

#[test]
fn a_large_prompt_is_sent_whole() {
    let service = Service::start().unwrap();
    let megabyte = "0123456789abcde ".repeat(65536);
    let mut command = modelwire_to(&service, &["chat", "-m", "echo", "-"]);
    assert_eq!(megabyte.len(), 1 << 20);
    said(&run_with_input(&mut command, megabyte.clone()), &megabyte);
    // The longest argument that the system takes is 128 KiB.
    let argument = &megabyte[..120_000];
    said(&run(&mut modelwire_to(&service, &["respond", "-m", "echo", argument])), argument);
}

#[test]
fn a_full_nonblocking_pipe_is_waited_for() {
    let service = Service::start().unwrap();
    let megabyte = "0123456789abcde ".repeat(65536);
    let (mut reader, writer) = std::io::pipe().unwrap();
    rustix::fs::fcntl_setfl(&writer, rustix::fs::OFlags::NONBLOCK).unwrap();
    let mut command = modelwire_to(&service, &["chat", "-m", "echo", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(writer).spawn().unwrap();
    drop(command); // which has an end of the pipe as well
    child.stdin.take().unwrap().write_all(megabyte.as_bytes()).unwrap();
    // clock: the slowness itself
    std::thread::sleep(std::time::Duration::from_millis(300));
    let mut answer = String::new();
    reader.read_to_string(&mut answer).unwrap();
    assert_eq!((answer == megabyte, support::wait(&mut child).code()), (true, Some(0)));
}

#[test]
fn a_question_becomes_the_request() {
    let service = Service::start().unwrap();
    let arguments = [
        &["--model", "echo", "--system", "Be brief.", "--max-tokens", "50"][..],
        &["--temperature", "0", "--set", "seed=7", "--set", "user=bob", "Hello"],
    ]
    .concat();
    for (command, expected) in [
        (
            "chat",
            r#"{"model":"echo","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hello"}],"max_tokens":50,"temperature":0,"stream":true,"seed":7,"user":"bob"}"#,
        ),
        (
            "respond",
            r#"{"model":"echo","instructions":"Be brief.","input":"Hello","max_output_tokens":50,"temperature":0,"stream":true,"seed":7,"user":"bob"}"#,
        ),
    ] {
        service.clear();
        let ran = run(&mut modelwire_to(&service, &[&[command], &*arguments].concat()));
        assert_eq!((ran.code(), &*ran.stderr), (0, ""));
        assert_eq!(bodies(&service, ""), [expected]);
    }
}

#[test]
fn a_model_is_named_or_the_only_one() {
    let service = Service::start().unwrap();
    let unnamed = run(&mut modelwire_to(&service, &["chat", "Hello"]));
    refused(&unnamed, "the service lists 11 (echo, echo-stream-only, ");
    refused(&unnamed, "name one with --model, or in MODELWIRE_MODEL");
    let mut of_environment = modelwire_to(&service, &["chat", "Hello"]);
    said(&run(of_environment.env("MODELWIRE_MODEL", "echo\n")), "Hello");
    said(&run(&mut modelwire_to(&service, &["chat", "--set", "model=echo", "Hello"])), "Hello");

    let list = |ids: &[&str]| {
        let ids: Vec<_> = ids.iter().map(|id| format!("{{\"id\":\"{id}\"}}")).collect();
        Exchange::json(200, format!("{{\"object\":\"list\",\"data\":[{}]}}", ids.join(",")))
    };
    let answer = Exchange::events(&[
        r#"{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}"#,
        "[DONE]",
    ]);
    let only = service.script("only", Script::sequence(vec![list(&["a-model"]), answer]));
    said(&run(&mut modelwire_at(&only, &["chat", "Hello"])), "Hi");
    assert!(bodies(&service, "only")[1].starts_with(r#"{"model":"a-model","#));
    let none = service.script("none", Script::one(list(&[])));
    refused(&run(&mut modelwire_at(&none, &["chat", "Hello"])), "the service lists none");
    let unlisted = service.script("unlisted", Script::one(Exchange::json(404, "{}")));
    let ran = run(&mut modelwire_at(&unlisted, &["chat", "Hello"]));
    assert_eq!(ran.code(), 13);
    assert!(
        ran.stderr.contains("no model is named, and listing the models failed"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("--model"), "{}", ran.stderr);
}

#[test]
fn json_is_what_the_service_sent() {
    let service = Service::start().unwrap();
    let events = [
        r#"{"id":"1","choices":[{"index":0,"delta":{"content":"Hi","new":1.50}}]}"#,
        r#"{"choices": [ {"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f"}}]},"finish_reason":"tool_calls"}]}"#,
    ];
    let url =
        service.script("events", Script::one(Exchange::events(&[events[0], events[1], "[DONE]"])));
    let ran = run(&mut modelwire_at(&url, &["chat", "--json", "-m", "echo", "Hello"]));
    said(&ran, &format!("{}\n{}\n", events[0], events[1]));
    // Data of two lines is JSON of two lines, and one line here.
    let raw = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"type\":\"response.completed\",\ndata: \"response\":{}}\n\ndata: [DONE]\n\n";
    let exchange = Exchange { steps: vec![Step::send(raw), Step::Close] };
    let url = service.script("lines", Script::one(exchange));
    let ran = run(&mut modelwire_at(&url, &["respond", "--json", "-m", "echo", "Hello"]));
    said(&ran, "{\"type\":\"response.completed\", \"response\":{}}\n");

    let document = "{\"choices\": [{\"index\": 0,\n \"message\": {\"content\": \"Hi\"}, \"finish_reason\": \"stop\"}], \"new\": 1.50}\n";
    let url = service.script("document", Script::one(Exchange::json(200, document)));
    let arguments = ["chat", "--json", "--no-stream", "-m", "echo", "Hello"];
    said(&run(&mut modelwire_at(&url, &arguments)), document);
    // A service that does not stream answers with its document.
    said(&run(&mut modelwire_at(&url, &["chat", "-m", "echo", "Hello"])), "Hi");
}

#[test]
fn usage_and_tool_calls_are_noted_on_standard_error() {
    let service = Service::start().unwrap();
    let ask = |arguments: &[&str]| {
        let ran = run(&mut modelwire_to(&service, &[arguments, &["one two three"]].concat()));
        assert_eq!(ran.code(), 0);
        (ran.text().to_owned(), ran.stderr)
    };
    let usage = "modelwire: 3 tokens in, 3 out, 6 in all\n";
    for command in ["chat", "respond"] {
        for way in [&["--usage"][..], &["--usage", "--no-stream"]] {
            let (text, said) = ask(&[&[command, "-m", "echo"], way].concat());
            assert_eq!((&*text, &*said), ("one two three", usage));
        }
        for way in [&[][..], &["--no-stream"]] {
            let (text, said) = ask(&[&[command, "-m", "echo", "--max-tokens", "2"], way].concat());
            assert_eq!(text.trim_end(), "one two");
            assert!(
                said.starts_with("modelwire: the answer was cut at its token limit ("),
                "{said}"
            );
        }
    }
    // What a model thinks is not what it says.
    assert_eq!(ask(&["chat", "-m", "echo-reasoning"]), ("one two three".to_owned(), String::new()));
    for way in [&[][..], &["--no-stream"]] {
        let (text, said) = ask(&[&["chat", "-m", "echo-tools"], way].concat());
        assert_eq!(text, "");
        assert_eq!(said, "modelwire: the model called tools: --json shows the calls\n");
    }
}

#[test]
fn of_several_choices_the_first_is_printed() {
    let service = Service::start().unwrap();
    for way in [&[][..], &["--no-stream"]] {
        let all = [&["chat", "-m", "echo", "--set", "n=3", "one two three"], way].concat();
        said(&run(&mut modelwire_to(&service, &all)), "one two three");
    }
}

#[test]
fn models_are_listed() {
    let service = Service::start().unwrap();
    let ran = run(&mut modelwire_to(&service, &["models"]));
    assert_eq!((ran.code(), &*ran.stderr), (0, ""));
    let models: Vec<_> = ran.text().lines().collect();
    assert_eq!((models.len(), models[0], models[10]), (11, "echo", "slow"));
    let list = "{\"data\": [ {\"id\": \"a-model\", \"new\": 1.50} ]}\n";
    let url = service.script("list", Script::one(Exchange::json(200, list)));
    said(&run(&mut modelwire_at(&url, &["models"])), "a-model\n");
    said(&run(&mut modelwire_at(&url, &["models", "--json"])), list);
}

#[test]
fn a_connection_comes_from_arguments_or_the_environment() {
    let service = Service::start().unwrap();
    let url = service.base_url();
    let folder = Folder::new();
    let key = folder.file("key", "sk-test\n");
    let key = key.to_str().unwrap();
    let ask = ["chat", "-m", "echo", "Hello"];
    said(&run(modelwire(ask).args(["--base-url", &url, "--key-file", key])), "Hello");
    let option = format!("base_url={url}");
    said(&run(modelwire(ask).args(["--option", &option, "--key-file", key])), "Hello");
    let mut other = modelwire(ask);
    other.env("OPENAI_BASE_URL", &url).env("OPENAI_API_KEY", "sk-test");
    said(&run(&mut other), "Hello");
    // An argument is before the environment.
    let mut both = modelwire_at("http://127.0.0.1:1/v1", &ask);
    both.env("MODELWIRE_API_KEY", "sk-wrong").args(["--base-url", &url, "--key-file", key]);
    said(&run(&mut both), "Hello");
    service.clear();
    let headers = folder.file("headers", "{\"x-one\": \"1\"}\n");
    let headers = format!("headers=@{}", headers.display());
    let mut options = modelwire_to(&service, &ask);
    options.args([
        "--option",
        &headers,
        "--option",
        "headers={\"x-two\": \"2\"}",
        "--timeout",
        "30",
    ]);
    said(&run(&mut options), "Hello");
    let sent = service.recorded("").remove(0).headers;
    for header in [("x-one", "1"), ("x-two", "2")] {
        assert!(sent.contains(&(header.0.to_owned(), header.1.to_owned())), "{sent:?}");
    }
}
