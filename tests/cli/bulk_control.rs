//! Bulk jobs that other processes watch and change while they run, and the command at their end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::fmt::Write;
use std::process::Command;

use modelwire_testing::load::Load;
use modelwire_testing::{Fault, Options, Point, Reply, Says, Service, Step};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::job::Job;
use support::{Ran, modelwire, modelwire_to, run, signal, until, wait};

impl Job {
    /// This many rows, for a service under this load.
    fn under_load(rows: usize, load: &str) -> Job {
        let load = Load::parse(load).unwrap();
        let service = Service::start_with(Options { load, ..Options::default() }).unwrap();
        let mut lines = String::new();
        for number in 1..=rows {
            let messages = json!([{"role": "user", "content": "a b c"}]);
            let row = json!({"custom_id": format!("r{number}"), "model": "echo", "max_tokens": 10, "messages": messages});
            let _ = writeln!(lines, "{row}");
        }
        Job::at(service, &lines)
    }

    /// One whose calls never get an answer.
    fn stalled(rows: usize) -> Job {
        let job = Job::under_load(rows, "");
        let faults = vec![Fault::At(Point::Start, Step::StallForever)];
        job.service.answer_otherwise(Some(Reply { says: Says::Played, faults }));
        job
    }

    fn has(&self, name: &str) -> bool {
        self.folder.path().join(name).exists()
    }

    /// Another process, which has neither the service nor the key.
    fn other(&self, arguments: &[&str]) -> Command {
        let mut command = modelwire([&["bulk"], arguments].concat());
        command.current_dir(self.folder.path());
        command
    }

    fn set(&self, limits: &[&str]) -> Ran {
        run(&mut self.other(&[&["set", "out.jsonl"], limits].concat()))
    }

    fn status(&self) -> Value {
        let ran = run(&mut self.other(&["status", "out.jsonl", "--json"]));
        assert_eq!((ran.code(), &*ran.stderr), (0, ""));
        serde_json::from_str(ran.text()).unwrap()
    }

    fn status_text(&self) -> String {
        let ran = run(&mut self.other(&["status", "out.jsonl"]));
        assert_eq!((ran.code(), &*ran.stderr), (0, ""));
        ran.text().to_owned()
    }

    /// Waits until the run publishes this many rows in flight.
    fn until_in_flight(&self, count: u64) {
        until("rows are in flight", || {
            self.has("out.jsonl.journal.status") && self.status()["progress"]["in_flight"] == count
        });
    }
}

#[test]
fn a_running_job_is_watched_and_changed() {
    let job = Job::under_load(100_000, "latency-ms=700");
    let mut child = job.begin(&["--max-concurrency", "3", "--json-progress"]);
    until("results arrive", || {
        job.has("out.jsonl.journal.status") && job.status()["progress"]["done"].as_u64() > Some(0)
    });
    let status = job.status();
    assert_eq!((&status["running"], &status["pid"]), (&json!(true), &json!(child.id())));
    assert_eq!(status["progress"]["total"], 100_000);
    assert_eq!(status["limits"]["max_concurrency"], 3);
    let text = job.status_text();
    for says in [&format!("process {}\n", child.id()), " of 100,000 ended", "--max-concurrency 3\n"]
    {
        assert!(text.contains(says), "{says}: {text}");
    }
    assert!(job.service.load_counts().at_once <= 3, "{:?}", job.service.load_counts());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = job.folder.path().join("out.jsonl.journal.status").metadata().unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600);
    }

    // More than at the start.
    let set = job.set(&["--max-concurrency", "40", "--rpm", "600000"]);
    assert_eq!((set.code(), &*set.stderr), (0, ""));
    assert_eq!(set.text(), "--max-concurrency 3 -> 40\n--rpm none -> 600000\n");
    assert!(!job.has("out.jsonl.journal.set"));
    until("more are at the service", || job.service.load_counts().at_once > 20);
    let most = job.service.load_counts().at_once;
    assert!(most <= 40, "{most}");

    // Fewer than are in flight.
    let set = job.set(&["--max-concurrency", "2", "--rpm", "none"]);
    assert_eq!(set.text(), "--max-concurrency 40 -> 2\n--rpm 600000 -> none\n");
    until("those in flight have finished", || {
        let progress = &job.status()["progress"];
        progress["concurrency_limit"] == 2 && progress["in_flight"].as_u64() <= Some(2)
    });

    // What is exceeded already ends the run.
    let set = job.set(&["--max-rows", "1"]);
    assert_eq!((set.code(), set.text()), (0, "--max-rows none -> 1\n"), "{}", set.stderr);
    assert_eq!(wait(&mut child).code(), Some(4), "{}", job.said());
    let notes: Vec<Value> = job
        .said()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|event: &Value| event["event"] == "note")
        .map(|event| event["text"].clone())
        .collect();
    assert_eq!(notes[0], "bulk set: --max-concurrency 3 -> 40, --rpm none -> 600000");
    assert_eq!(notes.len(), 3, "{notes:?}");
    let metered = job.service.metered()["echo"].calls;
    let status = job.status();
    assert_eq!((&status["running"], &status["progress"]), (&json!(false), &Value::Null));
    assert_eq!((&status["done"], &status["unknown"]), (&json!(metered), &json!(0)));
    assert!(!job.has("out.jsonl.journal.status"));
}

#[test]
fn a_budget_set_in_the_middle_is_kept() {
    let job = Job::under_load(100_000, "latency-ms=20");
    let mut child = job.begin(&["--rpm", "60", "--price-in", "1", "--price-out", "1"]);
    until("results arrive", || {
        job.has("out.jsonl.journal.status") && job.status()["progress"]["done"].as_u64() > Some(0)
    });
    let set = job.set(&["--max-cost", "0.01", "--rpm", "none"]);
    let changed = "--max-cost none -> 0.01\n--rpm 60 -> none\n";
    assert_eq!(set.text(), changed, "{}", set.stderr);
    assert_eq!(wait(&mut child).code(), Some(4), "{}", job.said());
    assert!(job.said().contains("stopped  by --max-cost 0.01"), "{}", job.said());
    let used = job.service.metered()["echo"];
    let cost = (used.input_tokens + used.output_tokens) as f64 / 1e6;
    assert!((0.009..=0.01).contains(&cost), "{cost}");
    assert_eq!(job.text("out.jsonl").lines().count() as u64, used.calls);
}

#[test]
fn limits_are_refused_as_at_the_start() {
    let job = Job::stalled(50);
    let set = job.set(&["--rpm", "60"]);
    assert_eq!(set.code(), 2);
    assert_eq!(
        set.stderr,
        "modelwire: no run of out.jsonl is in progress: start one with the new limits\n"
    );
    let mut child = job.begin(&["--max-concurrency", "2"]);
    job.until_in_flight(2);
    for (limits, expected) in [
        (&["--max-cost", "5"][..], "A run keeps the prices that it began with."),
        (&["--max-concurrency", "4000000", "--rpm", "1"], "--max-concurrency can be at most "),
        (&["--max-concurrency", "0"], "give a whole number from 1 to 4294967295, or none"),
        (&["--tpm", "0"], "give a number above 0, or none"),
        (&["--max-cost", "inf"], "give a number, 0 or more, or none"),
        (&["--max-rows", "some"], "give a whole number, 0 or more, or none"),
        (&[], "required arguments were not provided"),
    ] {
        let set = job.set(limits);
        assert_eq!(set.code(), 2, "{limits:?}: {set:?}");
        assert!(set.stderr.contains(expected), "{limits:?}: {}", set.stderr);
    }
    assert_eq!(job.status()["limits"]["rpm"], Value::Null, "none of two limits is changed");
    // Two at once: each has its own answer.
    let [one, other] = [&["--rpm", "60"], &["--tpm", "1000"]].map(|limits| {
        let mut command = job.other(&[&["set", "out.jsonl"], &limits[..]].concat());
        std::thread::spawn(move || run(&mut command))
    });
    assert_eq!(one.join().unwrap().text(), "--rpm none -> 60\n");
    assert_eq!(other.join().unwrap().text(), "--tpm none -> 1000\n");
    // The run ends, and changes nothing more.
    signal(&child, Signal::INT);
    until("nothing new is sent", || job.status()["progress"]["phase"] == "draining");
    let set = job.set(&["--rpm", "none"]);
    assert_eq!(set.code(), 2, "{set:?}");
    assert!(set.stderr.contains("the run is ending: interrupted"), "{}", set.stderr);
    signal(&child, Signal::INT);
    assert_eq!(wait(&mut child).code(), Some(130), "{}", job.said());
}

#[test]
fn what_killed_processes_left_misleads_nobody() {
    let job = Job::stalled(50);
    let mut child = job.begin(&["--max-concurrency", "2"]);
    job.until_in_flight(2);
    // Of a `bulk set` that was killed when it had its answer.
    job.folder.file("out.jsonl.journal.set", "{\"changed\":[]}\n");
    let set = job.set(&["--rpm", "60"]);
    assert_eq!(set.text(), "--rpm none -> 60\n", "{}", set.stderr);
    child.kill().unwrap();
    wait(&mut child);
    assert!(job.has("out.jsonl.journal.status"));
    let status = job.status();
    assert_eq!((&status["running"], &status["progress"]), (&json!(false), &Value::Null));
    assert_eq!(status["done"], 0);
    assert!(status["unknown"].as_u64() >= Some(2), "{status}");
    assert!(job.status_text().contains("sent, and without a recorded outcome"));
    // Of one that was killed before it had an answer; it was for the run before.
    job.folder.file("out.jsonl.journal.set", "{\"set\":{\"max_rows\":0}}\n");
    job.service.answer_otherwise(None);
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(job.status()["done"], 50);
    assert!(!job.has("out.jsonl.journal.set") && !job.has("out.jsonl.journal.status"));
}

/// The folder of the results may be one in which everybody writes.
#[test]
fn a_request_of_another_user_is_ignored() {
    let job = Job::stalled(50);
    let mut child = job.begin(&["--max-concurrency", "2"]);
    job.until_in_flight(2);
    let request = job.folder.path().join("out.jsonl.journal.set");
    let theirs = job.folder.file("theirs", "{\"set\":{\"max_rows\":0}}\n");
    let is_owned = std::os::unix::fs::chown(&theirs, Some(54321), None).is_ok();
    std::fs::rename(&theirs, &request).unwrap();
    if !is_owned {
        // Only the administrator can write as another user: a link is no file of the user's either.
        std::fs::rename(&request, &theirs).unwrap();
        std::os::unix::fs::symlink(&theirs, &request).unwrap();
    }
    let published = || job.status()["progress"]["elapsed_s"].as_f64().unwrap();
    let before = published();
    until("the run has looked twice", || published() > before + 2.0);
    assert_eq!(job.status()["limits"]["max_rows"], Value::Null);
    child.kill().unwrap();
    wait(&mut child);
}

#[test]
fn a_job_is_found_by_its_output_or_its_journal() {
    let job = Job::under_load(3, "");
    for command in ["status", "set"] {
        let more = if command == "set" { &["--rpm", "1"][..] } else { &[] };
        let ran = run(&mut job.other(&[&[command, "-"], more].concat()));
        assert_eq!(ran.code(), 5);
        assert!(ran.stderr.contains("name the journal with --journal"), "{}", ran.stderr);
    }
    assert_eq!(job.run(&["--journal", "elsewhere"]).code(), 0);
    let ran = run(&mut job.other(&["status", "out.jsonl"]));
    assert_eq!(ran.code(), 5);
    let ran = run(&mut job.other(&["status", "out.jsonl", "--journal", "elsewhere"]));
    assert!(ran.text().contains("done           3 rows\n"), "{ran:?}");
    // A file with the name of a command.
    std::fs::rename(job.folder.path().join("in.jsonl"), job.folder.path().join("status")).unwrap();
    let mut command = modelwire_to(&job.service, &["bulk", "./status", "-o", "other.jsonl"]);
    let ran = run(command.current_dir(job.folder.path()));
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
}

/// What the command of `--on-end` sees, as one line.
const ON_END: &str = "echo $MODELWIRE_BULK_EXIT $MODELWIRE_BULK_OUTPUT $MODELWIRE_BULK_DONE \
     $MODELWIRE_BULK_FAILED left=$MODELWIRE_BULK_LEFT stopped=$MODELWIRE_BULK_STOPPED > end";

#[test]
fn a_command_runs_at_the_end() {
    let no = |status: u16| {
        let body = br#"{"error":{"message":"no","type":"t","code":"c"}}"#.to_vec();
        Reply { says: Says::Document { status, headers: Vec::new(), body }, faults: Vec::new() }
    };
    let played = || Reply { says: Says::Played, faults: Vec::new() };
    for (options, replies, expected) in [
        (&[][..], vec![], "0 out.jsonl 20 0 left=0 stopped="),
        (&["--json-progress"], vec![], "0 out.jsonl 20 0 left=0 stopped="),
        (&["--quiet"], vec![played(), no(500)], "3 out.jsonl 19 1 left=0 stopped="),
        (&["--max-rows", "5"], vec![], "4 out.jsonl 5 0 left=15 stopped=budget"),
        (&["--pilot", "2"], vec![], "4 out.jsonl 2 0 left=18 stopped=budget"),
        (&[], vec![no(401); 20], "11 out.jsonl 0 0 left=20 stopped=key"),
    ] {
        let job = Job::under_load(20, "");
        job.service.queue(replies);
        let ran = job.run(&[&["--max-concurrency", "1", "--on-end", ON_END], options].concat());
        assert_eq!(job.text("end"), format!("{expected}\n"), "{options:?}: {ran:?}");
        assert_eq!(expected.split(' ').next(), Some(&*ran.code().to_string()), "{options:?}");
        // Nothing to run is an end, too.
        if ran.code() == 0 {
            assert_eq!(job.run(&["--on-end", ON_END]).code(), 0);
            assert_eq!(job.text("end"), "0 out.jsonl 0 0 left=0 stopped=\n");
        }
    }

    let job = Job::stalled(20);
    let mut child = job.begin(&["--max-concurrency", "2", "--timeout", "1", "--on-end", ON_END]);
    until("rows are in flight", || job.service.recorded("").len() == 2);
    signal(&child, Signal::INT);
    assert_eq!(wait(&mut child).code(), Some(130), "{}", job.said());
    assert_eq!(job.text("end"), "130 out.jsonl 0 2 left=18 stopped=interrupted\n");
}

#[test]
fn a_command_at_the_end_changes_no_code_and_runs_only_after_a_run() {
    let job = Job::under_load(3, "");
    let on_end = "echo said; touch end; exit 7";
    for options in
        [&["--dry-run"][..], &["--repair"], &["--default", "no json"], &["--max-cost", "1"]]
    {
        let _ = job.run(&[options, &["--on-end", on_end]].concat());
        assert!(!job.has("end"), "{options:?}");
    }
    let ran = job.run(&["--on-end", on_end, "--overwrite"]);
    assert_eq!((ran.code(), ran.text()), (0, ""), "{}", ran.stderr);
    assert!(ran.stderr.ends_with("said\nmodelwire: --on-end: exit status: 7\n"), "{}", ran.stderr);
    assert!(job.has("end"));
}

/// A key that expires in the middle of the night: the command prints another one.
#[cfg(unix)]
#[test]
fn a_key_is_asked_for_again_after_a_401() {
    let job = Job::under_load(50, "");
    let command = "if [ -e seen ]; then echo sk-test; else touch seen; echo sk-wrong; fi";
    assert_eq!(job.run(&["--key-command", command]).code(), 0);
    assert_eq!(job.results().len(), 50);
    assert_eq!(job.service.metered()["echo"].calls, 50);

    let wrong = Job::under_load(50, "");
    std::fs::write(wrong.path("key"), "sk-wrong\n").unwrap();
    let ran = wrong.run(&["--key-file", "key"]);
    assert_eq!(ran.code(), 11, "{ran:?}");
    let failing = Job::under_load(50, "");
    let ran = failing.run(&["--key-command", "echo trouble >&2; exit 3"]);
    assert!(ran.stderr.contains("--key-command: the command failed: exit status: 3"), "{ran:?}");
    assert!(failing.service.recorded("").is_empty());
}
