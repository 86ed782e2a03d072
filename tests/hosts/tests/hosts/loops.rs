//! The examples for event loops: they do the same job, and are tried in the same way.

use std::time::{Duration, Instant};

use modelwire_testing::Service;

use crate::build::example;
use crate::running::{Running, at, check_idle, middle, wait_until};
use crate::scripts::silent_service;

/// How fast a program has to end its chats once it is told to, on an idle machine.
const AT_ONCE: Duration = Duration::from_millis(150);

fn libuv() -> std::path::PathBuf {
    example("libuv.c")
}

fn glib() -> std::path::PathBuf {
    example("glib.c")
}

fn sdl() -> std::path::PathBuf {
    example("sdl.c")
}

fn qt() -> std::path::PathBuf {
    example("qt.cpp")
}

fn ask(program: &std::path::Path, base_url: &str, model: &str, texts: &[&str]) -> Running {
    // SDL, without a screen.
    Running::start(at(program, base_url).env("SDL_VIDEODRIVER", "dummy").arg(model).args(texts))
}

/// What came of each chat, its pieces put together.
fn by_chat(lines: &[String]) -> Vec<(String, String)> {
    let mut chats: Vec<(String, String)> = Vec::new();
    for line in lines {
        let (name, piece) = line.split_once(": ").unwrap_or_else(|| panic!("{lines:?}"));
        match chats.iter_mut().find(|(chat, _)| chat == name) {
            Some((_, text)) => text.push_str(piece),
            None => chats.push((name.to_owned(), piece.to_owned())),
        }
    }
    chats.sort();
    chats
}

/// Twenty chats are asked while none of them is answered; and each has its own answer.
fn chats_run_beside_each_other(program: &std::path::Path) {
    let service = Service::start().unwrap();
    let texts: Vec<String> = (10..30).map(|number| format!("a b c d e{number}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let (silent, url) = silent_service();
    let running = ask(program, &url, "any", &texts);
    wait_until("all are asked", || silent.recorded("silent").len() == texts.len());
    drop(running);
    let (status, lines) = ask(program, &service.base_url(), "slow", &texts).end();
    assert!(status.success(), "{status}: {lines:?}");
    let told: Vec<String> = by_chat(&lines).into_iter().map(|(_, text)| text).collect();
    let mut told: Vec<&str> = told.iter().map(String::as_str).collect();
    told.sort_unstable();
    assert_eq!(told, texts);
}

fn a_failure_is_told(program: &std::path::Path) {
    let service = Service::start().unwrap();
    let (status, lines) = ask(program, &service.base_url(), "none", &["x"]).end();
    assert_eq!(status.code(), Some(1), "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("The model \"none\"")), "{lines:?}");
}

/// Waits idly, then ends its chats when it is told to, and closes their exchanges.
fn ends_when_told(name: &str, program: &std::path::Path, tell: fn(&mut Running)) {
    let mut tries = Vec::new();
    for round in 0..5 {
        let (service, url) = silent_service();
        let mut running = ask(program, &url, "any", &["a", "b"]);
        wait_until("both are asked", || service.recorded("silent").len() == 2);
        // A game draws its frames all the time.
        if round == 0 && name != "SDL" {
            check_idle(name, running.id());
        }
        let start = Instant::now();
        tell(&mut running);
        let (status, lines) = running.end();
        tries.push(start.elapsed());
        assert_eq!(status.code(), Some(1), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| line.contains("cancelled")).count(), 2, "{lines:?}");
        wait_until("the exchanges are closed", || service.open_connections() == 0);
    }
    let took = middle(&format!("{name} told to end"), tries);
    // clock: beside what they take one after another
    assert!(took < AT_ONCE, "{took:?}");
}

fn interrupt(running: &mut Running) {
    running.signal(libc::SIGINT);
}

fn press_return(running: &mut Running) {
    running.type_in("\n");
}

#[test]
fn libuv_runs_chats_concurrently() {
    chats_run_beside_each_other(&libuv());
}

#[test]
fn libuv_reports_a_failure() {
    a_failure_is_told(&libuv());
}

#[test]
fn libuv_ends_at_ctrl_c() {
    ends_when_told("libuv", &libuv(), interrupt);
}

#[test]
fn glib_runs_chats_concurrently() {
    chats_run_beside_each_other(&glib());
}

#[test]
fn glib_reports_a_failure() {
    a_failure_is_told(&glib());
}

#[test]
fn glib_ends_at_ctrl_c() {
    ends_when_told("glib", &glib(), interrupt);
}

#[test]
fn sdl_runs_chats_concurrently() {
    chats_run_beside_each_other(&sdl());
}

#[test]
fn sdl_reports_a_failure() {
    a_failure_is_told(&sdl());
}

#[test]
fn sdl_ends_at_ctrl_c() {
    ends_when_told("SDL", &sdl(), interrupt);
}

#[test]
fn qt_runs_chats_concurrently() {
    chats_run_beside_each_other(&qt());
}

#[test]
fn qt_reports_a_failure() {
    a_failure_is_told(&qt());
}

#[test]
fn qt_cancels_by_number() {
    ends_when_told("qt", &qt(), press_return);
}
