//! Bulk jobs in real time before services with limits: nothing is lost, few are refused, and the limit is
//! used.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::time::{Duration, Instant};

use modelwire_testing::load::{Counts, Load};
use modelwire_testing::{Options, Service};
use serde_json::json;
use support::{Folder, modelwire_to, run};

/// So many rows to a service under this load: how long they took, and what the load let in.
fn job(load: &str, rows: u64) -> (Duration, Counts) {
    let load = Load::parse(load).unwrap();
    let service = Service::start_with(Options { load, ..Options::default() }).unwrap();
    let folder = Folder::new();
    let row = |number: u64| {
        let messages = json!([{"role": "user", "content": "a b c"}]);
        let row = json!({"custom_id": number.to_string(), "model": "echo", "messages": messages});
        format!("{row}\n")
    };
    folder.file("in.jsonl", (0..rows).map(row).collect::<String>());
    let mut command = modelwire_to(&service, &["bulk", "in.jsonl", "-o", "out.jsonl"]);
    let start = Instant::now();
    let ran = run(command.current_dir(folder.path()));
    let took = start.elapsed();
    assert_eq!(ran.code(), 0, "{ran:?}");
    let results = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    assert_eq!(results.lines().count() as u64, rows);
    let counts = service.load_counts();
    println!("{took:?}, {counts:?}");
    assert_eq!(counts.answered, rows, "each once");
    assert_eq!(service.metered()["echo"].calls, rows);
    (took, counts)
}

/// Three such jobs at once, each before a service of its own: the share of refusals in one is chance, more so on a
/// busy machine.
fn three_jobs(load: &str, rows: u64) -> Vec<(Duration, Counts)> {
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..3).map(|_| scope.spawn(|| job(load, rows))).collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    })
}

/// At most three in twenty of what was sent were refused.
fn few_are_refused(jobs: &[(Duration, Counts)]) {
    let refused: u64 = jobs.iter().map(|(_, counts)| counts.refused).sum();
    let answered: u64 = jobs.iter().map(|(_, counts)| counts.answered).sum();
    assert!(refused * 20 <= (answered + refused) * 3, "{jobs:?}");
}

/// A job of some seconds has hardly found the limit; what it must not do is hammer or stand still.
#[test]
fn a_rate_limited_job_finishes_with_few_refusals() {
    let jobs = three_jobs("requests-per-second=100,burst=50,latency-ms=50", 1000);
    let longest = jobs.iter().map(|(took, _)| *took).max().unwrap();
    // clock: bounds a job that stands still; ten times what is possible and more
    assert!(longest < Duration::from_secs(120), "{longest:?}; ten seconds were possible");
    few_are_refused(&jobs);
}

#[test]
fn a_concurrency_limited_job_finishes_with_few_refusals() {
    let jobs = three_jobs("at-once=20,latency-ms=100", 1500);
    let longest = jobs.iter().map(|(took, _)| *took).max().unwrap();
    // clock: bounds a job that stands still; ten times what is possible and more
    assert!(longest < Duration::from_secs(120), "{longest:?}; eight seconds were possible");
    few_are_refused(&jobs);
    assert!(jobs.iter().all(|(_, counts)| counts.at_once == 20), "{jobs:?}");
}

#[test]
fn long_waits_of_some_do_not_stop_the_rest() {
    let load = "at-once=20,latency-ms=100,retry-after=4,retry-after-share=0.5";
    let (took, _) = job(load, 1000);
    // clock: bounds a job that stands still; ten times what is possible and more
    assert!(took < Duration::from_secs(120), "{took:?}; five seconds were possible");
}

/// A quota that is used up: the run ends, no row is burnt, and the next run goes on.
#[test]
fn a_service_that_takes_nothing_ends_the_run() {
    let load = Load::parse("requests-per-second=0.001,burst=5").unwrap();
    let service = Service::start_with(Options { load, ..Options::default() }).unwrap();
    let folder = Folder::new();
    let row = |number: usize| {
        let messages = json!([{"role": "user", "content": "a"}]);
        format!(
            "{}\n",
            json!({"custom_id": number.to_string(), "model": "echo", "messages": messages})
        )
    };
    folder.file("in.jsonl", (0..500).map(row).collect::<String>());
    let job = ["bulk", "in.jsonl", "-o", "out.jsonl", "--patience", "2"];
    let ran = run(modelwire_to(&service, &job).current_dir(folder.path()));
    assert_eq!(ran.code(), 14, "{ran:?}");
    let said = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("a quota may be used up; --patience waits longer"), "{said}");
    assert!(said.contains(". It asks to wait") && !said.contains(".. It"), "{said}");
    assert!(said.contains("left 495 rows") && said.contains("resume modelwire bulk"), "{said}");
    let out = || std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    assert_eq!(out().matches("\"error\":null").count(), 5);
    assert_eq!(out().lines().count(), 5);
    service.set_load(Load::default());
    let ran = run(modelwire_to(&service, &job).current_dir(folder.path()));
    assert_eq!(ran.code(), 0, "{ran:?}");
    assert_eq!(out().lines().count(), 500);
    assert_eq!(service.metered()["echo"].calls, 500);
}
