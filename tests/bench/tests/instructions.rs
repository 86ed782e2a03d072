//! Instructions of the hot path, counted by callgrind: a slow-down is noticed, whatever the machine
//! does meanwhile. Not a part of `make test`: it needs a release build and valgrind.
//!
//! `cargo test --release -p modelwire-bench --test instructions`
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking, with the reason"
)]

use std::process::Command;

/// Half as much again as was counted when the bounds were set: compilers differ.
const CHAT_MAX: u64 = 7500;
const RESPONSES_MAX: u64 = 7500;

/// What callgrind counts for so many events.
fn instructions(kind: &str, events: u32) -> u64 {
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--"])
        .arg(env!("CARGO_BIN_EXE_hot-path"))
        .args([kind, &events.to_string()])
        .output()
        .expect("valgrind is missing: apt-get install valgrind");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{told}");
    let line = told.lines().find(|line| line.contains("Collected :")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn check(kind: &str, max: u64) {
    if cfg!(debug_assertions) {
        panic!("without --release the count says nothing");
    }
    // The difference leaves out what starting costs.
    let each = (instructions(kind, 3000) - instructions(kind, 1000)) / 2000;
    println!("{kind}: {each} instructions an event, at most {max}");
    assert!(each <= max, "{kind}: {each} instructions an event, at most {max}");
    assert!(each > max / 20, "{kind}: {each} instructions an event: is it still read?");
}

#[test]
fn a_chat_chunk_stays_cheap() {
    check("chat", CHAT_MAX);
}

#[test]
fn a_response_event_stays_cheap() {
    check("responses", RESPONSES_MAX);
}
