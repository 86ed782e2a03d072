//! Equal rows are sent once, and answers of other jobs are reused. The service's records are the witness.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use modelwire_testing::load::Load;
use modelwire_testing::{Options, Reply, Says, Service};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::job::Job;
use support::{Dice, run_with_input, signal, unpacked, wait};

/// A row with this name that asks this.
fn row(name: &str, ask: &str) -> String {
    let messages = json!([{"role": "user", "content": ask}]);
    format!("{}\n", json!({"custom_id": name, "model": "echo", "messages": messages}))
}

/// `count` rows that ask `distinct` things, in turns.
fn rows(count: usize, distinct: usize) -> String {
    (0..count).map(|number| row(&name(number), &ask(number, distinct))).collect()
}

fn name(number: usize) -> String {
    format!("row-{number:06}")
}

fn ask(number: usize, distinct: usize) -> String {
    format!("say {}", number % distinct)
}

impl Job {
    /// The names of its files.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// How many requests reached the service, by what they asked.
    fn reached(&self) -> BTreeMap<String, usize> {
        let mut reached = BTreeMap::new();
        for request in self.service.recorded("") {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let ask = body["messages"][0]["content"].as_str().unwrap().to_owned();
            *reached.entry(ask).or_default() += 1;
        }
        reached
    }

    /// Asserts that this many things were asked, each once.
    fn assert_asked_once(&self, distinct: usize) {
        let reached = self.reached();
        assert_eq!(reached.len(), distinct, "{reached:?}");
        assert!(reached.values().all(|times| *times == 1), "{reached:?}");
    }
}

/// The results of a text in their order: name and answer, or the kind of the error.
fn results_in(text: &str) -> Vec<(String, String)> {
    let result = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        let answer = match &line["error"] {
            Value::Null => &line["response"]["body"]["choices"][0]["message"]["content"],
            error => &error["kind"],
        };
        (line["custom_id"].as_str().unwrap().to_owned(), answer.as_str().unwrap().to_owned())
    };
    text.lines().map(result).collect()
}

fn results(path: &Path) -> Vec<(String, String)> {
    results_in(&unpacked(path))
}

/// Asserts that each of `count` rows has its own answer, once.
fn assert_answered(mut results: Vec<(String, String)>, count: usize, distinct: usize) {
    results.sort();
    let expected: Vec<_> = (0..count).map(|number| (name(number), ask(number, distinct))).collect();
    assert_eq!(results, expected);
}

fn refusal(status: u16) -> Reply {
    let body = br#"{"error":{"message":"not now","type":"t","code":"c"}}"#.to_vec();
    Reply { says: Says::Document { status, headers: Vec::new(), body }, faults: Vec::new() }
}

#[test]
fn equal_rows_are_sent_once_into_any_output() {
    for (output, arguments) in [
        ("out.jsonl", &[][..]),
        ("out.jsonl", &["--ordered"]),
        ("out.jsonl.gz", &[]),
        ("out.jsonl.zst", &["--ordered"]),
        ("out.jsonl", &["--max-concurrency", "1"]),
    ] {
        let job = Job::new(&rows(300, 7));
        let all = [&["in.jsonl", "-o", output, "--once"], arguments].concat();
        let dry = job.run(&[&all[..], &["--dry-run"]].concat());
        assert!(dry.text().contains("to run         7 rows"), "{}", dry.text());
        assert!(dry.text().contains("equal          293 rows"), "{}", dry.text());
        let ran = job.run(&all);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("293 equal to another row"), "{}", ran.stderr);
        let results = results(&job.path(output));
        if arguments.contains(&"--ordered") {
            assert!(results.is_sorted(), "in the order of the input");
        }
        assert_answered(results, 300, 7);
        job.assert_asked_once(7);
        let files = ["in.jsonl", output, &format!("{output}.journal")].map(str::to_owned);
        assert_eq!(job.files(), files, "no temporary file is left");
        let again = job.run(&all);
        assert!(again.stderr.contains("nothing to run: 300 rows"), "{}", again.stderr);
        job.assert_asked_once(7);
    }
}

#[test]
fn equal_rows_of_a_stream_are_sent_once() {
    for arguments in [&[][..], &["--ordered"]] {
        let job = Job::new("");
        let mut command = job.command(&[&["-", "-o", "-", "--once"], arguments].concat());
        let ran = run_with_input(command.env("TMPDIR", job.folder.path()), rows(300, 7));
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        assert_answered(results_in(ran.text()), 300, 7);
        job.assert_asked_once(7);
        assert_eq!(job.files(), ["in.jsonl"], "no temporary file is left");
    }
}

#[test]
fn without_the_option_equal_rows_are_sent() {
    let job = Job::new(&rows(30, 3));
    assert_eq!(job.run(&["in.jsonl", "-o", "out.jsonl"]).code(), 0);
    assert_eq!(job.reached().values().sum::<usize>(), 30);
}

/// Equal means the same operation and body; rows without a name stay different rows.
#[test]
fn rows_are_equal_if_operation_and_body_are() {
    let body = |more: &str| {
        format!(r#"{{"model":"echo","messages":[{{"role":"user","content":"a"}}]{more}}}"#)
    };
    let lines = [body(""), body(""), body(r#","temperature":1"#), body(r#","n":1"#), body("")];
    let job = Job::new(&(lines.join("\n") + "\n" + &row("named", "a")));
    let ran = job.run(&["in.jsonl", "-o", "out.jsonl", "--once"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_eq!(results(&job.path("out.jsonl")).len(), 6);
    // The last one has its members in another order.
    assert_eq!(job.reached().values().sum::<usize>(), 4);
}

#[test]
fn a_custom_id_that_comes_twice_is_still_refused() {
    let job = Job::new(&(row("a", "x") + &row("a", "x")));
    let ran = job.run(&["in.jsonl", "-o", "out.jsonl", "--once"]);
    assert_eq!(ran.code(), 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("\"a\" was used before"), "{}", ran.stderr);
}

#[test]
fn a_hundred_thousand_equal_rows_are_one_request() {
    const ROWS: usize = 100_000;
    let job = Job::new(&rows(ROWS, 1));
    let ran = job.run(&["in.jsonl", "-o", "out.jsonl", "--once"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_answered(results(&job.path("out.jsonl")), ROWS, 1);
    job.assert_asked_once(1);
}

/// A failure is copied, too, and counts as charged once. When it is tried again, it is so once.
#[test]
fn equal_rows_fail_with_the_first_one() {
    let job = Job::new(&rows(40, 2));
    job.service.queue(vec![refusal(500)]);
    let all = ["in.jsonl", "-o", "out.jsonl", "--once", "--max-concurrency", "1"];
    let ran = job.run(&all);
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("20 × 500 server"), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 row failed after it was sent"), "{}", ran.stderr);
    let found = results(&job.path("out.jsonl"));
    assert_eq!(found.iter().filter(|(_, kind)| kind == "server").count(), 20);
    let text = unpacked(&job.path("out.jsonl"));
    assert_eq!(text.matches(r#""metered":"not_sent""#).count(), 19);
    let ran = job.run(&[&all[..], &["--retry-failed"]].concat());
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_answered(results(&job.path("out.jsonl")), 40, 2);
    assert_eq!(job.reached(), BTreeMap::from([("say 0".to_owned(), 2), ("say 1".to_owned(), 1)]));
}

/// What earlier runs left is not asked again, also for rows that are new in the input.
#[test]
fn a_resumed_job_copies_from_its_own_results() {
    for (output, arguments) in [
        ("out.jsonl", &[][..]),
        ("out.jsonl", &["--ordered"]),
        ("out.jsonl.gz", &[]),
        ("out.jsonl.zst", &["--ordered"]),
    ] {
        let job = Job::new(&rows(60, 6));
        let all = [&["in.jsonl", "-o", output, "--once"], arguments].concat();
        let ran = job.run(&[&all[..], &["--max-rows", "2"]].concat());
        assert_eq!(ran.code(), 4, "{}", ran.stderr);
        assert!(ran.stderr.contains("left"), "{}", ran.stderr);
        let ran = job.run(&all);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        job.assert_asked_once(6);
        // In front of the rows that were sent, with an answer that is known and one that is not.
        let text = row("new-1", "say 3") + &row("new-2", "say 99") + &rows(60, 6);
        job.folder.file("in.jsonl", text);
        let dry = job.run(&[&all[..], &["--dry-run"]].concat());
        assert!(dry.text().contains("to run         1 row\n"), "{}", dry.text());
        assert!(dry.text().contains("equal          1 row,"), "{}", dry.text());
        let ran = job.run(&all);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        job.assert_asked_once(7);
        let found = results(&job.path(output));
        assert_eq!(found.len(), 62);
        assert!(found.contains(&("new-1".to_owned(), "say 3".to_owned())));
        assert!(!arguments.contains(&"--ordered") || found[0].0 == "new-1");
    }
}

#[test]
fn each_shard_asks_once() {
    let job = Job::new(&rows(100, 2));
    for part in ["1/2", "2/2"] {
        let output = format!("out-{}.jsonl", &part[..1]);
        let ran = job.run(&["in.jsonl", "-o", &output, "--once", "--shard", part]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
    }
    let both = [results(&job.path("out-1.jsonl")), results(&job.path("out-2.jsonl"))].concat();
    assert_answered(both, 100, 2);
    assert_eq!(job.reached().values().sum::<usize>(), 4);
}

/// The pilot, its estimate and the budget are about the rows that are sent.
#[test]
fn a_pilot_counts_rows_that_are_sent() {
    let job = Job::new(&rows(500, 50));
    job.folder.file("old-in.jsonl", rows(10, 10));
    assert_eq!(job.run(&["old-in.jsonl", "-o", "old.jsonl"]).code(), 0);
    let options = ["--once", "--reuse", "old.jsonl", "--pilot", "20", "--yes", "--json-progress"];
    let all = [&["in.jsonl", "-o", "out.jsonl"], &options[..]].concat();
    let ran = job.run(&all);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    let events: Vec<Value> =
        ran.stderr.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let pilot = events.iter().find(|event| event["event"] == "pilot").unwrap();
    assert_eq!((&pilot["rows"], &pilot["pilot_rows"]), (&json!(40), &json!(20)));
    let end = events.last().unwrap();
    let counts = ["total", "done", "equal", "reused", "attempts", "left"].map(|name| &end[name]);
    assert_eq!(json!(counts), json!([500, 500, 360, 100, 40, 0]));
    assert_answered(results(&job.path("out.jsonl")), 500, 50);
    job.assert_asked_once(50);
}

#[test]
fn answers_of_other_jobs_are_reused() {
    for (output, ordered) in
        [("old.jsonl", false), ("old.jsonl.gz", false), ("old.jsonl.zst", true)]
    {
        let job = Job::new(&rows(90, 9));
        job.folder.file("old-in.jsonl", row("x", "say 1") + &row("y", "say 2") + &row("z", "no"));
        job.service.queue(vec![refusal(400)]);
        let mut first = vec!["old-in.jsonl", "-o", output, "--max-concurrency", "1"];
        first.extend(ordered.then_some("--ordered"));
        assert_eq!(job.run(&first).code(), 3);
        // The journal is not needed.
        std::fs::remove_file(job.path(&format!("{output}.journal"))).unwrap();
        let before = std::fs::read(job.path(output)).unwrap();
        let all = ["in.jsonl", "-o", "out.jsonl", "--reuse", output];
        let dry = job.run(&[&all[..], &["--dry-run"]].concat());
        assert!(dry.text().contains("to run         80 rows"), "{}", dry.text());
        assert!(dry.text().contains("reused         10 rows"), "{}", dry.text());
        let ran = job.run(&all);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        assert!(ran.stderr.contains("10 from other jobs"), "{}", ran.stderr);
        assert_answered(results(&job.path("out.jsonl")), 90, 9);
        // Of the two that were sent before, "say 1" failed.
        assert_eq!((job.reached()["say 1"], job.reached()["say 2"]), (11, 1));
        assert_eq!(std::fs::read(job.path(output)).unwrap(), before, "it is only read");
        // All is there: nothing is sent, and the copies are reused, too.
        let third = job.run(&["in.jsonl", "-o", "third.jsonl", "--reuse", "out.jsonl"]);
        assert_eq!(third.code(), 0, "{}", third.stderr);
        assert_answered(results(&job.path("third.jsonl")), 90, 9);
        assert_eq!(job.reached().values().sum::<usize>(), 3 + 80);
    }
}

#[test]
fn several_results_are_reused_and_nothing_else() {
    let job = Job::new(&rows(30, 3));
    for number in 0..2 {
        let ask = row("x", &format!("say {number}"));
        job.folder.file("old-in.jsonl", ask);
        let old = format!("old-{number}.jsonl");
        assert_eq!(job.run(&["old-in.jsonl", "-o", &old]).code(), 0);
    }
    let reuse = ["--reuse", "old-0.jsonl", "--reuse", "old-1.jsonl", "--max-cost", "1"];
    let prices = ["--price-in", "1", "--price-out", "1", "--default", "max_tokens=9"];
    let all = [&["in.jsonl", "-o", "out.jsonl", "--once"], &reuse[..]].concat();
    // Another body, by a default.
    let ran = job.run(&[&all[..], &prices, &["--dry-run"]].concat());
    assert!(ran.text().contains("to run         3 rows"), "{}", ran.text());
    let ran = job.run(&[&all[..], &prices[..4]].concat());
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert_answered(results(&job.path("out.jsonl")), 30, 3);
    job.assert_asked_once(3);
}

/// An answer of another job that fails a check of this one is not reused; the failure of a check is copied.
#[test]
fn checks_apply_to_copied_answers() {
    let job = Job::new(&rows(20, 2));
    let short = ["--default", "max_tokens=1"];
    assert_eq!(
        job.run(&[&["in.jsonl", "-o", "old.jsonl", "--once"], &short[..]].concat()).code(),
        0
    );
    job.assert_asked_once(2);
    let reuse = ["in.jsonl", "-o", "out.jsonl", "--once", "--reuse", "old.jsonl"];
    let ran = job.run(&[&reuse[..], &short, &["--check", "length"]].concat());
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    assert!(ran.stderr.contains("18 equal to another row"), "{}", ran.stderr);
    let failed = results(&job.path("out.jsonl"));
    assert!(
        failed.len() == 20 && failed.iter().all(|(_, kind)| kind == "check_length"),
        "{failed:?}"
    );
    assert_eq!(job.reached().values().sum::<usize>(), 4);
}

/// Lines that are not whole results of ours are not reused, and are counted in one line.
#[test]
fn damaged_results_are_not_reused() {
    let job = Job::new(&rows(6, 6));
    assert_eq!(job.run(&["in.jsonl", "-o", "old.jsonl"]).code(), 0);
    let old = unpacked(&job.path("old.jsonl"));
    let lines: Vec<_> = old.lines().collect();
    let damaged = [
        lines[0].to_owned(),
        lines[1].replace("\"usage\"", "\"usage"),
        lines[2].replacen("row-", "raw-", 1),
        "{\"id\":\"batch_req_1\",\"custom_id\":\"a\",\"response\":{},\"error\":null}".to_owned(),
        "\u{0}\u{1}".to_owned(),
        lines[3].to_owned(),
        // The hash of the body is cut.
        [&lines[5][..50], &lines[5][lines[5].find("\",\"custom_id").unwrap()..]].concat(),
        lines[4][..lines[4].len() / 2].to_owned(),
    ];
    job.folder.file("damaged.jsonl", damaged.join("\n"));
    let sent = |name: &str, notice: &str| {
        let before = job.reached().values().sum::<usize>();
        let output = format!("{name}.out.jsonl");
        let ran = job.run(&["in.jsonl", "-o", &output, "--reuse", name]);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        assert!(ran.stderr.contains(notice), "{}", ran.stderr);
        assert_answered(results(&job.path(&output)), 6, 6);
        job.reached().values().sum::<usize>() - before
    };
    let notice = "damaged.jsonl: not reused, because they are not whole results: 6 of its lines";
    assert_eq!(sent("damaged.jsonl", notice), 4);
    // Compressed, and cut within its second member.
    let mut packed = Vec::new();
    for half in [&lines[..3], &lines[3..]] {
        let text = half.join("\n") + "\n";
        let ran = run_with_input(Command::new("gzip").arg("-c").stdout(Stdio::piped()), text);
        packed.push(ran.stdout);
    }
    let half = packed[1].len() / 2;
    job.folder.file("cut.jsonl.gz", [&packed[0][..], &packed[1][..half]].concat());
    assert_eq!(sent("cut.jsonl.gz", "cannot be decompressed to its end"), 3);
}

#[test]
fn what_cannot_be_reused_is_refused_before_anything_is_sent() {
    let job = Job::new(&rows(3, 3));
    job.folder.file("empty.jsonl", "");
    job.folder.file("text.jsonl", "hello\n");
    assert_eq!(job.run(&["in.jsonl", "-o", "old.jsonl"]).code(), 0);
    let before = std::fs::read(job.path("old.jsonl")).unwrap();
    std::os::unix::fs::symlink("old.jsonl", job.path("link.jsonl")).unwrap();
    for (output, reuse, code, what) in [
        ("out.jsonl", "none.jsonl", 5, "none.jsonl: No such file"),
        ("out.jsonl", ".", 5, "directory"),
        ("out.jsonl", "empty.jsonl", 2, "no line of it is a result of modelwire"),
        ("out.jsonl", "text.jsonl", 2, "no line of it is a result of modelwire"),
        ("out.jsonl", "/dev/zero", 2, "no line of it is a result of modelwire"),
        ("out.jsonl", "in.jsonl", 2, "no line of it is a result of modelwire"),
        ("old.jsonl", "old.jsonl", 2, "it has the results of this job"),
        ("old.jsonl", "link.jsonl", 2, "it has the results of this job"),
    ] {
        for more in [&[][..], &["--overwrite"]] {
            let all = [&["in.jsonl", "-o", output, "--reuse", reuse], more].concat();
            let ran = job.run(&all);
            assert_eq!(ran.code(), code, "{reuse}: {}", ran.stderr);
            assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
            assert!(ran.stderr.contains(what), "{reuse}: {}", ran.stderr);
            assert!(!job.path("out.jsonl").exists());
        }
    }
    assert_eq!(std::fs::read(job.path("old.jsonl")).unwrap(), before);
    job.assert_asked_once(3);
}

/// Jobs that are killed at random moments until they are done: each row has its answer once, and what was
/// sent twice is named.
fn kill(times: usize, seed: u64) {
    const ROWS: usize = 2_000;
    const DISTINCT: usize = 60;
    let mut dice = Dice::of(seed);
    let has_zstd = Command::new("zstd").arg("--version").output().is_ok();
    let outputs = ["out.jsonl", "ordered", "out.jsonl.gz", "out.jsonl.zst"];
    let outputs = &outputs[..if has_zstd { 4 } else { 3 }];
    let (mut killed, mut jobs, mut in_copies) = (0, 0, 0);
    while killed < times {
        let load = Load::parse("latency-ms=10").unwrap();
        let service = Service::start_with(Options { load, ..Options::default() }).unwrap();
        let job = Job::at(service, &rows(ROWS, DISTINCT));
        // Half of what is asked was asked before.
        job.folder.file("old-in.jsonl", rows(DISTINCT / 4, DISTINCT));
        assert_eq!(job.run(&["old-in.jsonl", "-o", "old.jsonl"]).code(), 0);
        let is_ordered = outputs[jobs % outputs.len()] == "ordered";
        let output = if is_ordered { "out.jsonl" } else { outputs[jobs % outputs.len()] };
        let mut all = vec!["in.jsonl", "-o", output, "--once", "--quiet", "--reuse", "old.jsonl"];
        all.extend(["--max-concurrency", "8"]);
        all.extend(is_ordered.then_some("--ordered"));
        jobs += 1;
        while killed < times {
            let mut child =
                job.command(&all).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // It is killed when its journal has grown by chance: among the first records, and while copies
            // are written.
            let journal = || {
                std::fs::metadata(job.path(&format!("{output}.journal")))
                    .map_or(0, |found| found.len())
            };
            let most = if dice.below(3) == 0 { 2_000 } else { 60_000 };
            let target = journal() + dice.below(most);
            let mut has_ended = false;
            while !has_ended && journal() < target {
                // clock: between two looks
                std::thread::sleep(Duration::from_micros(200));
                has_ended = child.try_wait().unwrap().is_some();
            }
            if has_ended {
                break;
            }
            signal(&child, Signal::KILL);
            wait(&mut child);
            killed += 1;
            in_copies += usize::from(job.reached().len() == DISTINCT);
        }
        let ran = job.run(&all);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        let found = results(&job.path(output));
        assert!(!is_ordered || found.is_sorted());
        assert_answered(found, ROWS, DISTINCT);
        let named = std::fs::read_to_string(job.path(&format!("{output}.unknown")));
        let named = named.unwrap_or_default();
        let reached = job.reached();
        assert_eq!(reached.len(), DISTINCT);
        for (ask, times) in reached.iter().filter(|(_, times)| **times > 1) {
            let number: usize = ask.trim_start_matches("say ").parse().unwrap();
            assert!(named.contains(&name(number)), "{ask}, sent {times} times, is not named");
        }
    }
    println!("{killed} kills in {jobs} jobs, {in_copies} of them with copies left to write");
}

#[test]
fn a_killed_job_resumes_and_sends_nothing_twice() {
    kill(12, 0x0ECE);
}

#[test]
#[ignore = "takes minutes: run by name"]
fn two_hundred_kills_of_jobs_with_equal_rows() {
    kill(200, 0xE0A1);
}
