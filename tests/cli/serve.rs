//! `serve` as a process: what it prints, how it is played, and how it ends.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use modelwire_cli::Exit;
use rustix::process::Signal;
use support::{closed_port, modelwire, modelwire_at, run, signal};

/// A stand-in that ends with this.
struct Serving {
    child: Child,
    url: String,
}

impl Serving {
    fn start(arguments: &[&str]) -> Serving {
        Serving::of(modelwire(["serve"]).args(arguments))
    }

    fn of(command: &mut Command) -> Serving {
        let mut child = command
            .arg("--exit-with-stdin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
        Serving { child, url: url.trim_end().to_owned() }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        assert!(support::wait(&mut self.child).success());
    }
}

#[test]
fn serve_runs_the_fake_service_until_standard_input_ends() {
    let mut serving = Serving::start(&[]);
    assert!(serving.url.starts_with("http://127.0.0.1:") && serving.url.ends_with("/v1"));
    let ran = run(&mut modelwire_at(&serving.url, &["chat", "-m", "echo", "Hello"]));
    assert_eq!((ran.code(), ran.text()), (0, "Hello"));
    let mut said = String::new();
    drop(serving.child.stdin.take());
    serving.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(
        said,
        "modelwire: a mock service for tests, without a model; its key is sk-test; Ctrl-C ends it\n"
    );
}

#[test]
fn serve_takes_the_arguments_of_the_service() {
    let port = closed_port().to_string();
    let serving = Serving::start(&["--port", &port, "--key", "sk-other", "--usage", "never"]);
    assert_eq!(serving.url, format!("http://127.0.0.1:{port}/v1"));
    let ask = ["chat", "-m", "echo", "--usage", "Hello"];
    assert_eq!(run(&mut modelwire_at(&serving.url, &ask)).code(), Exit::Authentication as i32);
    let ran = run(modelwire_at(&serving.url, &ask).env("MODELWIRE_API_KEY", "sk-other"));
    assert_eq!((ran.text(), &*ran.stderr), ("Hello", "modelwire: the service reported no usage\n"));
    let help = run(&mut modelwire(["serve", "--help"]));
    for argument in modelwire_testing::ARGUMENTS {
        assert!(help.text().contains(&format!("--{} <{}>", argument.name, argument.value)));
    }
    let taken = run(&mut modelwire(["serve", "--port", &port]));
    assert_eq!((taken.code(), taken.text()), (Exit::File as i32, ""));
    let expected = format!("modelwire: cannot listen on port {port} of 127.0.0.1: ");
    assert!(taken.stderr.starts_with(&expected), "{}", taken.stderr);
    for (arguments, expected) in [
        (&["--port", "x"][..], "--port needs a number, not \"x\""),
        (&["--usage", "often"], "--usage takes asked, always or never, not \"often\""),
        (&["--prot", "1"], "a similar argument exists: '--port'"),
    ] {
        let ran = run(modelwire(["serve"]).args(arguments));
        assert_eq!((ran.code(), ran.stderr.lines().count()), (Exit::Usage as i32, 1));
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
        assert!(ran.stderr.contains("(see `modelwire serve --help`)"), "{}", ran.stderr);
    }
}

#[test]
fn serve_simulates_limits_and_failures() {
    let ask = ["chat", "-m", "echo", "--retries", "0", "Hello"];
    for (load, arguments, codes) in [
        ("fault-share=1", &[][..], [Exit::Server, Exit::Server]),
        (
            "requests-per-second=0.001,burst=1,retry-after=none",
            &[],
            [Exit::Done, Exit::RateLimited],
        ),
        ("latency-ms=60000", &["--timeout", "0.3"], [Exit::Timeout, Exit::Timeout]),
    ] {
        let serving = Serving::start(&["--load", load]);
        for code in codes {
            let ran = run(modelwire_at(&serving.url, &ask).args(arguments));
            assert_eq!(ran.code(), code as i32, "{load}: {}", ran.stderr);
        }
    }
    let wrong = run(&mut modelwire(["serve", "--load", "speed=1"]));
    assert_eq!((wrong.code(), wrong.stderr.lines().count()), (Exit::Usage as i32, 1));
    assert!(wrong.stderr.contains("--load is wrong: unknown load speed"), "{}", wrong.stderr);
}

#[test]
fn ctrl_c_ends_serve() {
    let mut child =
        modelwire(["serve"]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut url).unwrap();
    signal(&child, Signal::INT);
    assert!(!support::wait(&mut child).success());
}

/// A recorder before a service, and what it recorded replayed: the same bytes, without keys; then with
/// faults.
#[test]
fn exchanges_are_recorded_and_replayed() {
    let folder = support::Folder::new();
    let file = folder.path().join("exchanges.jsonl");
    let path = file.to_str().unwrap();
    let real = Serving::start(&["--key", "sk-real"]);
    let mut recorder = modelwire(["serve", "--record", &real.url, "--to", path]);
    let recorder = Serving::of(recorder.env("MODELWIRE_API_KEY", "sk-real"));
    let asks = [
        &["models"][..],
        &["chat", "-m", "echo", "Hello"],
        &["chat", "-m", "echo", "--no-stream", "Hello"],
        &["respond", "-m", "echo", "one two"],
        &["chat", "-m", "cut", "a b c d"],
        &["chat", "-m", "nobody", "Hello"],
    ];
    let ask = |url: &str, arguments: &[&str]| {
        let ran = run(&mut modelwire_at(url, arguments));
        (ran.code(), ran.text().to_owned(), ran.stderr.clone())
    };
    let recorded: Vec<_> = asks.iter().map(|one| ask(&recorder.url, one)).collect();
    let real_ones: Vec<_> = recorded.iter().map(|(code, ..)| *code).collect();
    assert_eq!(real_ones, [0, 0, 0, 0, Exit::Disconnected as i32, Exit::NotFound as i32]);
    let wrong_key =
        run(modelwire_at(&recorder.url, &["models"]).env("MODELWIRE_API_KEY", "sk-bad"));
    assert_eq!(wrong_key.code(), Exit::Authentication as i32);
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text.lines().count(), asks.len());
    assert!(!text.contains("sk-"), "{text}");

    let replayed = Serving::start(&["--replay", path]);
    for (one, expected) in asks.iter().zip(&recorded).rev() {
        assert_eq!(ask(&replayed.url, one), *expected, "in any order");
        assert_eq!(ask(&replayed.url, one), *expected, "and again");
    }
    let (code, _, stderr) = ask(&replayed.url, &["respond", "-m", "echo", "other"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "the next one with this path");

    let faulty = ["--replay", path, "--pace", "fast", "--status", "503", "--every", "2"];
    let faulty = Serving::start(&faulty);
    let codes: Vec<_> = (0..4).map(|_| ask(&faulty.url, asks[1]).0).collect();
    assert_eq!(codes, [0, Exit::Server as i32, 0, Exit::Server as i32]);
    let cut = Serving::start(&["--replay", path, "--cut-after", "1"]);
    assert_eq!(ask(&cut.url, asks[1]).0, Exit::Disconnected as i32);

    for (arguments, expected) in [
        (&["--record", &real.url][..], "--to <FILE>"),
        (&["--to", path], "--record <URL>"),
        (&["--record", "ftp://h/v1", "--to", path], "write it as https://host/v1"),
        (&["--record", "http://a:b@h/v1", "--to", path], "leave out user"),
        (&["--record", &real.url, "--to", path, "--replay", path], "cannot be used with"),
        (&["--replay", "/none/such"], "No such file"),
        (&["--replay", "Cargo.toml"], "line 1 is no recorded exchange"),
        (&["--status", "200"], "an error status from 400 to 599, not 200"),
        (&["--every", "0"], "a number above 0"),
    ] {
        let ran = run(modelwire(["serve"]).args(arguments));
        assert_eq!(ran.code(), Exit::Usage as i32, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    }
}
