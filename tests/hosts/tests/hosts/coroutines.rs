//! The example with asio's coroutines: chats beside each other on one thread, and what fails.

use std::time::{Duration, Instant};

use modelwire_testing::Service;

use crate::build::example;
use crate::running::{Running, at, check_idle, wait_until};
use crate::scripts::silent_service;

fn ask(base_url: &str, model: &str, texts: &[&str]) -> Running {
    Running::start(at(example("asio_coroutines.cpp"), base_url).arg(model).args(texts))
}

#[test]
fn asio_runs_chats_concurrently() {
    let service = Service::start().unwrap();
    let texts: Vec<String> = (10..30).map(|number| format!("a{number} b c d e f g")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    example("asio_coroutines.cpp");
    let start = Instant::now();
    let (status, lines) = ask(&service.base_url(), "slow", &texts).end();
    let took = start.elapsed();
    assert!(status.success(), "{status}: {lines:?}");
    // Pieces of all of them are mixed, and each is told whole at its end.
    let whole = |text: &str| format!("and whole: {text}");
    for text in texts {
        assert!(lines.iter().any(|line| line.ends_with(&whole(text))), "no {text} in {lines:?}");
    }
    let pieces: usize = lines.iter().map(|line| line.matches("e").count()).sum();
    assert!(pieces >= 40, "{lines:?}");
    // clock: beside what they take one after another
    assert!(took < Duration::from_secs(20), "{took:?}: one after another they take 48 s");
}

#[test]
fn asio_reports_a_failure() {
    let service = Service::start().unwrap();
    let (status, lines) = ask(&service.base_url(), "none", &["x", "y"]).end();
    assert_eq!(status.code(), Some(1), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("The model \"none\"")), "{lines:?}");
}

#[test]
fn asio_waits_idly() {
    let (service, url) = silent_service();
    let texts = ["a"; 20];
    let running = ask(&url, "any", &texts);
    wait_until("all are asked", || service.recorded("silent").len() == texts.len());
    check_idle("asio", running.id());
}
