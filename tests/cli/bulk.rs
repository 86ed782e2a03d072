//! Bulk jobs from end to end, by the binary: rows in, results out, what stops a job and how it goes on.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::collections::BTreeMap;
#[cfg(unix)]
use std::fs::Permissions;
use std::process::Command;
use std::time::Duration;

use modelwire_testing::{Fault, Options, Point, Reply, Says, Service, Step};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::job::{Job, results};
use support::{modelwire_at, modelwire_to, run, run_with_input, signal, until, wait};

/// A chat row of this name.
fn row(name: &str, model: &str) -> String {
    let messages = json!([{"role": "user", "content": format!("say {name}")}]);
    format!("{}\n", json!({"custom_id": name, "model": model, "messages": messages}))
}

/// This many rows of a model, `r1`, `r2` and so on.
fn rows(count: usize, model: &str) -> String {
    (1..=count).map(|number| row(&format!("r{number}"), model)).collect()
}

impl Job {
    /// Calls that the service metered, of all models.
    fn metered(&self) -> u64 {
        self.service.metered().values().map(|metered| metered.calls).sum()
    }
}

fn text(result: &Value) -> &str {
    let body = &result["response"]["body"];
    body["choices"][0]["message"]["content"].as_str().unwrap()
}

/// A text without its line ends.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the service says, after something.
fn late(step: Step) -> Option<Reply> {
    Some(Reply { says: Says::Played, faults: vec![Fault::At(Point::Start, step)] })
}

fn refusal(status: u16) -> Reply {
    let body = br#"{"error":{"message":"not now","type":"t","code":"c"}}"#.to_vec();
    Reply { says: Says::Document { status, headers: Vec::new(), body }, faults: Vec::new() }
}

/// What answers say is as private as what was asked.
#[cfg(unix)]
#[test]
fn files_are_as_readable_as_the_input() {
    use std::os::unix::fs::PermissionsExt;
    for (mode, options, files) in [
        (0o600, &[][..], &["out.jsonl", "out.jsonl.journal"][..]),
        (0o644, &["--errors", "errors"], &["out.jsonl", "out.jsonl.journal", "errors"]),
        (0o644, &["--csv", "table"], &["out.jsonl", "out.jsonl.journal", "table"]),
        (0o640, &["in.jsonl", "other.jsonl"], &["out.jsonl", "out.jsonl.journal"]),
        (0o400, &["--ordered"], &["out.jsonl", "out.jsonl.journal"]),
        (0o777, &["--ordered"], &["out.jsonl", "out.jsonl.journal"]),
    ] {
        let job = Job::new(&rows(2, "echo"));
        std::fs::set_permissions(job.path("in.jsonl"), Permissions::from_mode(mode)).unwrap();
        // One that everybody may read does not open the other.
        std::fs::write(job.path("other.jsonl"), row("other", "echo")).unwrap();
        std::fs::set_permissions(job.path("other.jsonl"), Permissions::from_mode(0o644)).unwrap();
        assert_eq!(job.run(options).code(), 0);
        // A file of this process that anybody may read shows what the umask leaves.
        std::fs::write(job.path("any"), "").unwrap();
        let mode_of = |name: &str| job.path(name).metadata().unwrap().permissions().mode() & 0o777;
        for file in files {
            let expected = (0o600 | mode & 0o066) & (mode_of("any") | 0o600);
            assert_eq!(mode_of(file), expected, "{file} of {mode:o}");
        }
    }
    let job = Job::new("");
    let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "out.jsonl"]);
    let ran = run_with_input(command.current_dir(job.folder.path()), rows(2, "echo"));
    assert_eq!(ran.code(), 0);
    let mode = job.path("out.jsonl").metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600, "of standard input nothing is known");
}

#[test]
fn rows_go_in_and_results_come_out() {
    let job = Job::new(&rows(300, "echo"));
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(ran.stdout.is_empty());
    let results = job.results();
    assert_eq!(results.len(), 300);
    for (key, result) in &results {
        assert_eq!(text(result), format!("say {key}"));
        assert_eq!(
            (&result["response"]["status_code"], &result["error"]),
            (&json!(200), &Value::Null)
        );
        assert!(result["response"]["request_id"].is_string());
    }
    assert!(ran.stderr.contains("300 rows"), "{}", ran.stderr);
    // Again: there is nothing to do.
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing to run: 300 rows are done already"), "{}", ran.stderr);
    assert_eq!((job.results().len(), job.metered()), (300, 300));
    // More rows: those alone.
    job.folder.file("in.jsonl", rows(310, "echo"));
    assert_eq!(job.run(&[]).code(), 0);
    assert_eq!((job.results().len(), job.metered()), (310, 310));
}

#[test]
fn the_three_forms_of_rows() {
    let chat = json!({"model": "echo", "messages": [{"role": "user", "content": "from a batch"}]});
    let response = json!({"model": "echo", "input": "from a batch"});
    let batch = format!(
        "{}\n{}\n",
        json!({"custom_id": "c", "method": "POST", "url": "/v1/chat/completions", "body": chat}),
        json!({"custom_id": "r", "method": "POST", "url": "/v1/responses", "body": response}),
    );
    let job = Job::new(&batch);
    assert_eq!(job.run(&[]).code(), 0);
    let results = job.results();
    assert_eq!(text(&results["c"]), "from a batch");
    assert_eq!(results["r"]["response"]["body"]["object"], "response");

    let job =
        Job::new("{\"question\":\"What is it?\",\"n\":1}\n{\"question\":\"And why?\",\"n\":2}\n");
    let ran =
        job.run(&["--prompt", "{question}", "-m", "echo", "-s", "Be brief.", "--id-field", "n"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let results = job.results();
    assert_eq!(results.keys().collect::<Vec<_>>(), ["1", "2"]);
    let asked = job.service.recorded("");
    assert!(asked.iter().all(|asked| String::from_utf8_lossy(&asked.body).contains("Be brief.")));

    let bare = "{\"messages\":[{\"role\":\"user\",\"content\":\"the same\"}]}\n".repeat(3);
    let job = Job::new(&bare);
    let defaults = ["--model", "echo", "--default", "max_tokens=7", "--default", "seed=1"];
    assert_eq!(job.run(&defaults).code(), 0);
    let again = job.run(&defaults);
    assert_eq!((again.code(), job.metered()), (0, 3), "{}", again.stderr);
    let changed = job.run(&["--model", "echo", "--default", "max_tokens=7", "--default", "seed=2"]);
    assert_eq!(changed.code(), 2);
    assert!(
        changed.stderr.contains("with --default seed=1, but this run has --default seed=2"),
        "{}",
        changed.stderr
    );
    assert_eq!((job.results().len(), job.metered()), (3, 3), "equal rows are rows");
    let asked = job.service.recorded("");
    assert!(
        asked.iter().all(|asked| String::from_utf8_lossy(&asked.body).contains("\"max_tokens\":7"))
    );
}

#[test]
fn standard_input_and_output() {
    let job = Job::new("");
    let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "-"]);
    let ran = run_with_input(&mut command, rows(200, "echo"));
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(ran.text().lines().count(), 200);
    assert!(ran.text().lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(!job.path("-").exists());
}

#[test]
fn rows_run_while_standard_input_is_open() {
    use std::io::Write;
    let job = Job::new("");
    let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "out.jsonl"]);
    command.current_dir(job.folder.path()).stdin(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for number in 1..=3 {
        stdin.write_all(row(&format!("r{number}"), "echo").as_bytes()).unwrap();
        until("the row ran", || job.metered() == number);
    }
    drop(stdin);
    assert_eq!(wait(&mut child).code(), Some(0));
    assert_eq!(job.results().len(), 3);
}

#[test]
fn bad_rows_are_outcomes_after_one_attempt() {
    let input = [rows(20, "echo"), row("none", "no-such-model"), row("stream", "echo-stream-only")]
        .concat();
    let job = Job::new(&[input, row("broken", "broken")].concat());
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    let results = job.results();
    assert_eq!(results.len(), 23);
    for (key, status) in [("none", 404), ("stream", 400), ("broken", 500)] {
        let result = &results[key];
        assert_eq!(result["response"]["status_code"], status, "{result}");
        assert_eq!(result["error"]["http_status"], status, "{result}");
        assert!(!result["error"]["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(job.service.recorded("").len(), 23);
    assert!(
        ran.stderr.contains("billed?"),
        "what may have been billed is reported: {}",
        ran.stderr
    );
    assert!(ran.stderr.contains("retry  modelwire bulk"), "{}", ran.stderr);
    // They stand, until they are to run again.
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    assert_eq!(job.service.recorded("").len(), 23);
    let fixed =
        [rows(20, "echo"), row("none", "echo"), row("stream", "echo"), row("broken", "echo")];
    job.folder.file("in.jsonl", fixed.concat());
    let ran = job.run(&["--retry-failed"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!((job.results().len(), job.metered()), (23, 23));
}

#[test]
fn possibly_metered_failures_are_retried_only_if_allowed() {
    let job = Job::new(&rows(3, "echo"));
    job.service.queue(vec![refusal(503), refusal(500)]);
    let ran = job.run(&["--may-pay-twice"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(job.service.recorded("").len(), 5);
    assert_eq!(job.results().len(), 3);
}

#[test]
fn rate_limited_rows_are_retried() {
    let options = Options { rate_limit_calls: 4, ..Options::default() };
    let input = [rows(10, "limited"), row("other", "echo")].concat();
    let job = Job::at(Service::start_with(options).unwrap(), &input);
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!((job.results().len(), job.metered()), (11, 11));
    assert!(job.results().values().all(|result| result["error"].is_null()));
    assert!(ran.stderr.contains("429s"), "{}", ran.stderr);
}

#[test]
fn a_wrong_key_stops_the_job_and_fails_no_row() {
    let job = Job::new(&rows(5_000, "echo"));
    let ran = run(job.command(&[]).env("MODELWIRE_API_KEY", "sk-wrong"));
    assert_eq!(ran.code(), 11, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("401") && ran.stderr.contains("resume  modelwire bulk"),
        "{}",
        ran.stderr
    );
    assert!(job.service.recorded("").len() < 100);
    assert!(job.results().is_empty());
    let ran = job.run(&["--quiet"]);
    assert_eq!((ran.code(), &*ran.stderr), (0, ""));
    assert_eq!((job.results().len(), job.metered()), (5_000, 5_000));
}

#[test]
fn a_forbidden_model_stops_the_job_and_is_named() {
    let job = Job::new(&[rows(50, "echo"), row("no", "forbidden"), row("last", "echo")].concat());
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 12, "{}", ran.stderr);
    assert!(ran.stderr.contains("\"forbidden\""), "{}", ran.stderr);
    assert!(!job.results().contains_key("no"));
    job.folder.file("in.jsonl", [rows(50, "echo"), row("last", "echo")].concat());
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!((job.results().len(), job.metered()), (51, 51));
}

#[test]
fn a_refusal_of_all_rows_stops_the_job() {
    for (status, expected) in [
        (
            402,
            "the service asks for payment: not now (status 402). Hint: Check the account's balance",
        ),
        (405, "the service refuses the first rows, and so probably all: not now (status 405)."),
    ] {
        let job = Job::new(&rows(500, "echo"));
        job.service.answer_otherwise(Some(refusal(status)));
        let ran = job.run(&[]);
        assert_eq!(ran.code(), 16, "{}", ran.stderr);
        assert!(words(&ran.stderr).contains(expected), "{}", ran.stderr);
        assert!(job.service.recorded("").len() < 100 && job.results().is_empty());
        job.service.answer_otherwise(None);
        assert_eq!(job.run(&[]).code(), 0);
        assert_eq!((job.results().len(), job.metered()), (500, 500));
    }
}

#[test]
fn an_unreachable_service_stops_the_job() {
    let job = Job::new(&rows(100, "echo"));
    let nowhere = Service::start().unwrap().base_url();
    let mut command = modelwire_at(&nowhere, &["bulk", "in.jsonl", "-o", "out.jsonl"]);
    let ran = run(command.current_dir(job.folder.path()));
    assert_eq!(ran.code(), 20, "{}", ran.stderr);
    assert!(ran.stderr.contains("cannot be reached"), "{}", ran.stderr);
    assert_eq!(job.run(&[]).code(), 0);
    assert_eq!((job.results().len(), job.metered()), (100, 100));
}

#[test]
fn one_signal_finishes_requests_in_flight() {
    for which in [Signal::INT, Signal::TERM, Signal::HUP] {
        let job = Job::new(&rows(200, "echo"));
        job.service.answer_otherwise(late(Step::Pause(Duration::from_millis(700))));
        let mut child = job.begin(&[]);
        until("a row is on its way", || !job.service.recorded("").is_empty());
        signal(&child, which);
        if which == Signal::HUP {
            // The kernel and a shell both tell of a closed terminal.
            until("it waits", || job.said().contains("interrupt again to stop at once"));
            signal(&child, which);
        }
        assert_eq!(wait(&mut child).code(), Some(130), "{}", job.said());
        let said = job.said();
        assert!(said.contains("resume  modelwire bulk in.jsonl -o out.jsonl\n"), "{said}");
        let came_in = job.results().len();
        assert!(came_in > 0 && came_in < 200, "{came_in}: {said}");
        assert_eq!(job.metered(), came_in as u64);
        job.service.answer_otherwise(None);
        let ran = job.run(&[]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        assert_eq!((job.results().len(), job.metered()), (200, 200), "nothing twice");
        assert!(!ran.stderr.contains("unknown"), "{}", ran.stderr);
    }
}

/// Opening a pipe blocks until another process opens it to write.
#[test]
fn a_signal_ends_a_job_that_opens_its_files() {
    let job = Job::new(&rows(3, "echo"));
    let made = Command::new("mkfifo").arg(job.folder.path().join("old.jsonl")).status();
    assert!(made.unwrap().success());
    let mut child = job.begin(&["--reuse", "old.jsonl"]);
    until("it opens them", || job.folder.path().join("out.jsonl.journal").exists());
    signal(&child, Signal::INT);
    assert_eq!(wait(&mut child).code(), Some(130), "{}", job.said());
    let ran = job.run(&[]);
    assert_eq!((ran.code(), job.results().len(), job.metered()), (0, 3, 3), "{}", ran.stderr);
}

/// POSIX `nohup`: a signal that is ignored stays so.
#[test]
fn a_job_under_nohup_outlives_its_terminal() {
    let job = Job::new(&rows(3, "echo"));
    job.service.answer_otherwise(late(Step::Pause(Duration::from_millis(300))));
    let inner = job.command(&["--max-concurrency", "1"]);
    let mut command = std::process::Command::new("nohup");
    // Without the program and the option that restore the signal.
    command.args(inner.get_args().skip(1)).current_dir(job.folder.path());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let said = std::fs::File::create(job.path("said")).unwrap();
    let mut child = command.stdin(std::process::Stdio::null()).stderr(said).spawn().unwrap();
    until("a row was sent", || !job.service.recorded("").is_empty());
    signal(&child, Signal::HUP);
    assert_eq!(wait(&mut child).code(), Some(0), "{}", job.said());
    assert_eq!((job.results().len(), job.metered()), (3, 3));
}

#[test]
fn a_signal_ends_a_job_that_waits_for_its_input() {
    let job = Job::new("");
    let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "out.jsonl"]);
    command.current_dir(job.folder.path()).stdin(std::process::Stdio::piped());
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    until("it has begun", || job.path("out.jsonl.journal").exists());
    // clock: before or in the wait, both are to end the same
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, Signal::INT);
    assert_eq!(wait(&mut child).code(), Some(130));
    drop(stdin);
}

#[test]
fn two_signals_stop_at_once_and_unknown_rows_are_named() {
    for how in ["send", "skip"] {
        let job = Job::new(&rows(50, "echo"));
        job.service.answer_otherwise(late(Step::StallForever));
        let mut child = job.begin(&[]);
        until("a row is on its way", || !job.service.recorded("").is_empty());
        signal(&child, Signal::INT);
        until("it says what it waits for", || {
            job.said().contains("interrupt again to stop at once")
        });
        signal(&child, Signal::INT);
        assert_eq!(wait(&mut child).code(), Some(130), "{}", job.said());
        let said = job.said();
        assert!(words(&said).contains("unknown outcome"), "{said}");
        let sent = job.service.recorded("").len();
        job.service.answer_otherwise(None);
        let ran = job.run(&["--unknown", how]);
        assert!(ran.stderr.contains("unknown") && ran.stderr.contains("r1"), "{}", ran.stderr);
        match how {
            "send" => {
                assert_eq!(ran.code(), 0, "{}", ran.stderr);
                assert_eq!(job.results().len(), 50);
            }
            _ => assert_eq!(job.results().len(), 50 - sent, "{}", ran.stderr),
        }
    }
}

#[test]
fn changed_rows_are_refused_unless_allowed() {
    for how in ["run", "skip"] {
        let job = Job::new(&rows(10, "echo"));
        assert_eq!(job.run(&[]).code(), 0);
        let changed = rows(11, "echo").replace("say r3", "say something else");
        job.folder.file("in.jsonl", &changed);
        let ran = job.run(&[]);
        assert_eq!(ran.code(), 2, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("in.jsonl:3: \"r3\"") && ran.stderr.contains("--changed"),
            "{}",
            ran.stderr
        );
        assert_eq!(job.metered(), 10, "nothing was sent");
        let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "out.jsonl"]);
        let ran = run_with_input(command.current_dir(job.folder.path()), &*changed);
        assert_eq!(ran.code(), 2, "{}", ran.stderr);
        let ran = job.run(&["--changed", how]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        assert_eq!(job.metered(), if how == "run" { 12 } else { 11 });
        // One result a row: the last.
        let said = if how == "run" { "say something else" } else { "say r3" };
        let results = job.results();
        assert_eq!((results.len(), text(&results["r3"])), (11, said));
        assert_eq!(job.run(&["--changed", how]).code(), 0);
        assert_eq!((job.results().len(), job.metered()), (11, if how == "run" { 12 } else { 11 }));
    }
}

#[test]
fn a_bad_line_is_reported_before_anything_is_sent() {
    let job = Job::new(&[rows(3, "echo"), "{\"model\": \n".to_owned(), row("r5", "echo")].concat());
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 2, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("modelwire: in.jsonl:4: "), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    assert_eq!(job.metered(), 0);
    let ran = job.run(&["--skip-bad-lines"]);
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    let results = job.results();
    assert_eq!((results.len(), job.metered()), (5, 4));
    assert_eq!(results.values().filter(|result| result["error"].is_object()).count(), 1);
    let ran = job.run(&["--skip-bad-lines"]);
    assert_eq!((ran.code(), job.results().len()), (3, 5), "{}", ran.stderr);
}

#[test]
fn a_bad_line_with_the_name_of_another_row_has_no_result() {
    let bad = |name: &str| row(name, "echo").replace("\"echo\"", "2");
    let lines = [row("r1", "echo"), bad("r1"), bad("r2"), row("r2", "echo")].concat();
    let job = Job::new(&lines);
    for options in [&[][..], &["--overwrite", "--ordered"]] {
        for run in 1..=3 {
            let options = if run == 1 { options } else { options.get(1..).unwrap_or_default() };
            let ran = job.run(&[&["--skip-bad-lines"], options].concat());
            assert_eq!(ran.code(), 3, "{run}: {}", ran.stderr);
            let results = job.results();
            assert_eq!((results.len(), text(&results["r1"])), (2, "say r1"), "{run}");
            assert!(results["r2"]["error"].is_object(), "{run}");
        }
    }
    assert_eq!(job.metered(), 2);
    let ran = job.run(&["-o", "other.jsonl"]);
    let said = "in.jsonl:2: model must be a non-empty string, not 2, and custom_id \"r1\" was used before, \
                in line 1; correct the line";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn bad_lines_that_are_skipped_are_rows_of_the_job() {
    let bad = "nothing\n".to_owned();
    let job = Job::new(&[bad.clone(), rows(10, "echo"), bad, row("r1", "echo")].concat());
    // Without --max-rows, the row that is there twice is reported by each run.
    for (options, expected) in [
        (&["--max-rows", "3"][..], json!([13, 0, 3, 1, 9])),
        (&["--max-rows", "3"], json!([13, 4, 3, 0, 6])),
        (&[], json!([13, 7, 4, 2, 0])),
        (&[], json!([13, 12, 0, 1, 0])),
    ] {
        let ran = job.run(&[&["--skip-bad-lines", "--json-progress"], options].concat());
        let end: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
        let found = ["total", "before", "done", "failed", "left"].map(|name| end[name].clone());
        assert_eq!(json!(found), expected, "{}", ran.stderr);
    }
}

#[test]
fn a_bad_line_of_standard_input_ends_the_job_there() {
    let job = Job::new("");
    let input = [rows(30, "echo"), "nothing\n".to_owned(), row("r32", "echo")].concat();
    let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "out.jsonl"]);
    let ran = run_with_input(command.current_dir(job.folder.path()), input);
    assert_eq!(ran.code(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("standard input:31: "), "{}", ran.stderr);
    assert!(ran.stderr.contains("resume  modelwire bulk"), "{}", ran.stderr);
    assert_eq!(job.results().len() as u64, job.metered());
    let mut command = modelwire_to(&job.service, &["bulk", "-", "-o", "out.jsonl"]);
    let ran = run_with_input(command.current_dir(job.folder.path()), rows(32, "echo"));
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!((job.results().len(), job.metered()), (32, 32));
}

#[test]
fn a_budget_stops_in_time_and_the_job_goes_on() {
    let job = Job::new(&rows(100, "echo"));
    let ran = job.run(&["--max-rows", "30"]);
    assert_eq!(ran.code(), 4, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("--max-rows 30") && ran.stderr.contains("70 rows"),
        "{}",
        ran.stderr
    );
    assert_eq!((job.results().len(), job.metered()), (30, 30));
    assert_eq!(job.run(&["--max-cost", "1"]).code(), 2, "without prices");
    let prices = ["--price-in", "1", "--price-out", "1"];
    let ran = job.run(&[&["--max-cost", "0.00004"][..], &prices].concat());
    assert_eq!(ran.code(), 4, "{}", ran.stderr);
    let (calls, tokens) = (job.metered(), job.service.metered()["echo"]);
    let spent = tokens.input_tokens + tokens.output_tokens - 30 * 4;
    assert!(calls < 100 && spent <= 40, "{calls} {spent}");
    assert_eq!(job.run(&prices).code(), 0);
    assert_eq!((job.results().len(), job.metered()), (100, 100));
}

/// A small part of a large job runs first, and says what the rest will use.
#[test]
fn a_pilot_without_a_terminal_stops_after_the_sample() {
    let job = Job::new(&rows(200, "echo"));
    let ran = job.run(&["--pilot", "10"]);
    assert_eq!(ran.code(), 4, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("10 of 200 rows") && ran.stderr.contains("--yes"),
        "{}",
        ran.stderr
    );
    let resume = "resume modelwire bulk --yes in.jsonl -o out.jsonl --pilot 10";
    assert!(words(&ran.stderr).ends_with(resume), "{}", ran.stderr);
    assert_eq!(job.results().len(), 10);
    let ran = job.run(&["--pilot", "10", "--yes"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!((job.results().len(), job.metered()), (200, 200));
    let ran = run_with_input(
        &mut modelwire_to(&job.service, &["bulk", "-", "-o", "-", "--pilot", "10"]),
        rows(20, "echo"),
    );
    assert_eq!(ran.code(), 2, "{}", ran.stderr);
}

#[test]
fn results_in_the_order_of_the_input() {
    let job = Job::new(&rows(500, "echo"));
    let ran = job.run(&["--ordered"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let text = std::fs::read_to_string(job.path("out.jsonl")).unwrap();
    let names =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["custom_id"].clone());
    let expected: Vec<Value> = (1..=500).map(|number| json!(format!("r{number}"))).collect();
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert!(!job.path("out.jsonl.part").exists());
    assert_eq!(job.run(&["--ordered"]).code(), 0);
}

#[test]
fn models_that_only_stream() {
    let job = Job::new(&rows(20, "echo-stream-only"));
    let ran = job.run(&["--option", "stream_only=true"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(job.results().iter().all(|(key, result)| text(result) == format!("say {key}")));
}

#[test]
fn shards_together_contain_every_row() {
    let job = Job::new(&rows(300, "echo"));
    let mut all = BTreeMap::new();
    for part in ["1/3", "2/3", "3/3"] {
        let name = format!("out-{}.jsonl", &part[..1]);
        let arguments = ["bulk", "in.jsonl", "-o", &name, "--shard", part];
        let ran = run(modelwire_to(&job.service, &arguments).current_dir(job.folder.path()));
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        let part = results(&job.path(&name));
        assert!(part.len() > 50 && part.len() < 150, "{}", part.len());
        all.extend(part);
    }
    assert_eq!((all.len(), job.metered()), (300, 300));
}

#[test]
fn a_dry_run_sends_nothing_and_writes_nothing() {
    let job = Job::new(&[rows(7, "echo"), row("other", "echo-reasoning")].concat());
    let ran = job.run(&["--dry-run"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(
        ran.text().contains("8 rows") && ran.text().contains("7 rows of echo"),
        "{}",
        ran.text()
    );
    assert!(!job.path("out.jsonl").exists() && !job.path("out.jsonl.journal").exists());
    assert!(job.service.recorded("").is_empty());
}

#[test]
fn a_dry_run_during_a_run_calls_no_row_interrupted() {
    let job = Job::new(&rows(3, "echo"));
    job.service.answer_otherwise(late(Step::StallForever));
    let mut child = job.begin(&[]);
    until("the rows are sent", || job.service.recorded("").len() == 3);
    let ran = job.run(&["--dry-run"]);
    child.kill().unwrap();
    wait(&mut child);
    let expected = "unknown        3 rows, sent by the run that goes on, or by one that";
    assert!(ran.text().contains(expected), "{}", ran.text());
    let ran = job.run(&["--dry-run"]);
    assert!(ran.text().contains("3 rows, sent by a run that was interrupted"), "{}", ran.text());
}

#[test]
fn a_file_of_results_that_cannot_be_written_is_refused_before_anything_is_sent() {
    let job = Job::new(&rows(3, "echo"));
    for option in ["--errors", "--csv"] {
        // Where nobody can create a file.
        let ran = job.run(&[option, "/proc/self/of-results.csv"]);
        assert_eq!(ran.code(), 2, "{}", ran.stderr);
        let expected = format!("{option} /proc/self/of-results.csv is in a folder where no file");
        assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
        assert!(job.service.recorded("").is_empty());
    }
}

/// Results that went to standard output are out of reach; their rows run again all the same.
#[test]
fn rows_that_failed_on_standard_output_run_again() {
    let job = Job::new(&[rows(2, "echo"), row("r3", "no-such-model")].concat());
    let arguments = ["-o", "-", "--journal", "journal"];
    assert_eq!(job.run(&arguments).code(), 3);
    let again = [&arguments[..], &["--retry-failed"]].concat();
    for _ in 0..2 {
        let before = job.service.recorded("").len();
        let ran = job.run(&again);
        assert_eq!(ran.code(), 3, "{}", ran.stderr);
        assert_eq!(ran.text().lines().count(), 1, "{}", ran.text());
        assert_eq!(job.service.recorded("").len(), before + 1);
    }
    let ran = job.run(&arguments);
    assert_eq!((ran.code(), ran.text()), (3, ""), "{}", ran.stderr);
}

/// Also what the journal does not say yet, by whichever name the results are called.
#[test]
fn a_dry_run_knows_what_a_run_would() {
    for arguments in [&[][..], &["--ordered"]] {
        let job = Job::new(&[rows(7, "echo"), row("r8", "no-such-model")].concat());
        assert_eq!(job.run(arguments).code(), 3);
        let journal = std::fs::read_to_string(job.path("out.jsonl.journal")).unwrap();
        let is_told =
            |line: &&str| !line.starts_with("{\"done\"") && !line.starts_with("{\"failed\"");
        let told: String =
            journal.lines().take_while(is_told).map(|line| format!("{line}\n")).collect();
        std::fs::write(job.path("out.jsonl.journal"), &told).unwrap();
        if !arguments.is_empty() {
            std::fs::rename(job.path("out.jsonl"), job.path("out.jsonl.part")).unwrap();
        }
        std::os::unix::fs::symlink("out.jsonl", job.path("link.jsonl")).unwrap();
        for output in ["out.jsonl", "link.jsonl"] {
            let ran = job.run(&[&["--dry-run", "-o", output][..], arguments].concat());
            assert_eq!(ran.code(), 0, "{}", ran.stderr);
            for wanted in
                ["to run         0 rows", "done before    7 rows", "failed before  1 row,"]
            {
                assert!(ran.text().contains(wanted), "{output}: {}", ran.text());
            }
        }
        let journal = std::fs::read_to_string(job.path("out.jsonl.journal")).unwrap();
        assert_eq!(journal, told, "nothing is touched");
    }
}

#[test]
fn json_progress_is_json_only() {
    let job = Job::new(&[rows(50, "echo"), row("none", "no-such-model")].concat());
    let ran = job.run(&["--json-progress"]);
    assert_eq!(ran.code(), 3);
    let events: Vec<Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let end = events.last().unwrap();
    assert_eq!(
        (&end["event"], &end["done"], &end["failed"]),
        (&json!("end"), &json!(50), &json!(1))
    );
}

#[test]
fn usage_errors_are_one_line() {
    let job = Job::new(&rows(2, "echo"));
    for (arguments, code, says) in [
        (&["bulk", "in.jsonl", "-o", "in.jsonl"][..], 2, "is both the input and the output"),
        (&["bulk", "none.jsonl", "-o", "out.jsonl"], 5, "none.jsonl"),
        (&["bulk", "in.jsonl", "-o", "no/such/folder/out.jsonl"], 5, "no/such/folder"),
        (&["bulk", "in.jsonl"], 2, "--output"),
        (&["bulk", "in.jsonl", "-o", "out.jsonl", "--rpm", "0"], 2, "--rpm"),
        (&["bulk", "in.jsonl", "-o", "out.jsonl", "--shard", "3/2"], 2, "3/2"),
        (&["bulk", "in.jsonl", "-o", "out.jsonl", "--price-in", "1"], 2, "--price-out"),
        (
            &["bulk", "in.jsonl", "-o", "out.jsonl", "--max-tokens", "5"],
            2,
            "'--max-tokens' found; give --default max_tokens=N, for requests that lack it (see",
        ),
        (&["chat", "--api-key", "sk-test"], 2, "found; set MODELWIRE_API_KEY to the key, or give"),
    ] {
        let ran = run(modelwire_to(&job.service, arguments).current_dir(job.folder.path()));
        assert_eq!(ran.code(), code, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{arguments:?}: {}", ran.stderr);
    }
    assert_eq!(std::fs::read_dir(job.folder.path()).unwrap().count(), 1, "no file is left");
}

#[test]
fn two_runs_on_one_output_are_refused() {
    let job = Job::new(&rows(10, "echo"));
    job.service.answer_otherwise(late(Step::StallForever));
    let mut child = job.begin(&[]);
    until("a row is on its way", || !job.service.recorded("").is_empty());
    let ran = job.run(&[]);
    assert_eq!(ran.code(), 5, "{}", ran.stderr);
    child.kill().unwrap();
    wait(&mut child);
}

/// Nothing listens at one of the services; the other answers all rows.
#[test]
fn rows_go_to_several_services() {
    let job = Job::new(&rows(100, "echo"));
    let urls = json!(["http://127.0.0.1:1/v1", job.service.base_url()]).to_string();
    let ran = job.run(&["--option", &format!("base_urls={urls}")]);
    assert_eq!(ran.code(), 0, "{ran:?}");
    assert_eq!((job.results().len(), job.metered()), (100, 100));
}
