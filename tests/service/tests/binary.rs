//! The command, seen as a process.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod client;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use client::call;

fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_modelwire-service"))
}

#[test]
fn the_service_runs_until_stdin_ends() {
    let mut child = command()
        .args(["--key", "sk-other", "--word-pause-ms", "1", "--port", "0", "--exit-with-stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    let address = line
        .strip_prefix("modelwire-service listening on http://")
        .and_then(|rest| rest.strip_suffix("/v1\n"))
        .unwrap()
        .parse()
        .unwrap();
    let headers = [("Authorization", "Bearer sk-other")];
    assert_eq!(call(address, "GET", "/v1/models", &headers, "").status, 200);
    drop(child.stdin.take());
    assert!(child.wait().unwrap().success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn a_port_in_use_is_named() {
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port().to_string();
    let output = command().args(["--port", &port]).output().unwrap();
    assert!(!output.status.success());
    let stderr = String::from_utf8(output.stderr).unwrap();
    let begin = format!("modelwire-service: port {port} of 127.0.0.1 cannot be had: ");
    assert!(stderr.starts_with(&begin) && stderr.contains("choose another --port"), "{stderr}");
}

#[test]
fn help_and_usage_errors_explain_the_arguments() {
    let help = command().arg("--help").output().unwrap();
    assert!(help.status.success());
    assert!(String::from_utf8(help.stdout).unwrap().starts_with("usage: modelwire-service"));
    let check = |arguments: &[&str], reason: &str| {
        let output = command().args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(reason) && stderr.contains("usage:"), "{stderr}");
    };
    check(&["--nonsense"], "unknown argument --nonsense");
    check(&["extra"], "unknown argument extra");
    check(&["--port"], "--port needs a value");
    check(&["--port", "70000"], "--port needs a number");
    check(&["--load", "at-once"], "must be NAME=VALUE");
    check(&["--load", "at-once=0"], "at-once needs a whole number of at least 1");
    check(&["--load", "speed=1"], "unknown load speed; known are requests-per-second");
}
