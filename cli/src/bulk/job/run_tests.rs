//! The turns of a run: how many rows each takes.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::{Path, PathBuf};

use indicatif::InMemoryTerm;
use modelwire::{Config, Endpoint};
use modelwire_bulk::ledger::KnownState;
use modelwire_bulk::row::BodyHash;

use super::super::tests::planned;
use super::*;

const ROWS: usize = 3 * ROWS_A_TURN;

/// Rows with the same content.
fn equal(number: usize) -> InputRow {
    let hash = BodyHash::of(Endpoint::Chat, "{}");
    InputRow::Row(Row {
        key: hash.key(u32::try_from(number).unwrap()),
        number: number as u64,
        hash,
        endpoint: Endpoint::Chat,
        body: Arc::from("{}"),
        model: Arc::from("echo"),
    })
}

fn bad(number: usize) -> InputRow {
    InputRow::Bad(Box::new(BadRow {
        place: Arc::from("in.jsonl"),
        number: number as u64,
        key: Key::new(format!("bad-{number}"), 0),
        met: KnownState::New,
        is_twice: false,
        reason: "it is no JSON".to_owned(),
        advice: "remove it".to_owned(),
    }))
}

/// A new folder for the files of a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("modelwire-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A run without a service that writes there.
fn run(folder: &Path, output: &str) -> Run {
    let config = Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    let client = Client::new(config).unwrap();
    let output = folder.join(output);
    let (mut plan, _) = planned(&["-", "-o", output.to_str().unwrap(), "--once"]);
    plan.store.temp_folder = folder.to_owned();
    let progress = Progress::in_memory(&InMemoryTerm::new(10, 80), Instant::now());
    let none = None::<fn() -> Option<String>>;
    let (mut run, _) = Run::open(&plan, None, client, none, progress).unwrap();
    run.set_answers(plan.answers().unwrap());
    run
}

#[test]
fn rows_that_are_not_sent_are_taken_in_turns() {
    let folder = folder("turns");
    for (name, row) in [("equal", equal as fn(usize) -> InputRow), ("bad", bad)] {
        let mut run = run(&folder, name);
        run.fed.extend((0..ROWS).map(row));
        for turn in 1..=3 {
            assert!(run.fill(), "{name}: it may take more");
            assert_eq!(run.fed.len(), ROWS - turn * ROWS_A_TURN, "{name}");
        }
        assert!(!run.fill(), "{name}: nothing is left");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn invalid_lines_wait_for_results_that_cannot_be_written() {
    let folder = folder("full");
    let mut run = run(&folder, "/dev/full");
    run.fed.push_back(bad(0));
    assert!(!run.fill() && run.fed.is_empty());
    while !run.store.is_behind() {
        std::thread::yield_now();
    }
    run.fed.push_back(bad(1));
    assert!(!run.fill());
    assert_eq!((run.fed.len(), run.tally.failed()), (1, 1));
    run.store.hurry();
    drop(run);
    std::fs::remove_dir_all(&folder).unwrap();
}
