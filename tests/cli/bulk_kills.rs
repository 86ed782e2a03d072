//! Bulk jobs that are killed at random moments and go on: no row is lost, and none is paid twice but those
//! that are named. The service's own records are the witness.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use modelwire_testing::load::Load;
use modelwire_testing::{Options, Service};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::{Dice, Folder, modelwire_to, run, signal, unpacked, until, wait};

/// Rows of a job: more than a run ends before it is killed, fewer than the service remembers.
const ROWS: usize = 600;

/// A run lives at most so long before it is killed.
const LIFE_MAX: Duration = Duration::from_millis(500);

/// A job and its service.
struct Job {
    folder: Folder,
    service: Service,
    output: &'static str,
    arguments: Vec<&'static str>,
}

impl Job {
    fn new(load: &str, output: &'static str, arguments: &[&'static str]) -> Job {
        let load = Load::parse(load).unwrap();
        let service = Service::start_with(Options { load, ..Options::default() }).unwrap();
        let folder = Folder::new();
        let line = |number: usize| {
            let messages = json!([{"role": "user", "content": name(number)}]);
            format!(
                "{}\n",
                json!({"custom_id": name(number), "model": "echo", "messages": messages})
            )
        };
        folder.file("in.jsonl", (0..ROWS).map(line).collect::<String>());
        Job { folder, service, output, arguments: arguments.to_vec() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self) -> Command {
        let all = [&["bulk", "in.jsonl", "-o", self.output, "--quiet"], &*self.arguments].concat();
        let mut command = modelwire_to(&self.service, &all);
        command.current_dir(self.folder.path());
        command
    }

    /// Begins a run and kills it within its life. Says whether it came to its end before.
    fn run_and_kill(&self, life: Duration) -> bool {
        let mut child: Child =
            self.command().stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        // clock: a life by chance
        while begun.elapsed() < life {
            if let Some(status) = child.try_wait().unwrap() {
                use std::io::Read;
                let mut said = String::new();
                child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
                assert!(status.success(), "{status}: {said}");
                return true;
            }
            // clock: between two looks
            std::thread::sleep(Duration::from_millis(1));
        }
        signal(&child, Signal::KILL);
        wait(&mut child);
        false
    }

    /// How often each row reached the service, by what it asks.
    fn reached(&self) -> BTreeMap<String, usize> {
        let mut reached = BTreeMap::new();
        for request in self.service.recorded("") {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let name = body["messages"][0]["content"].as_str().unwrap().to_owned();
            *reached.entry(name).or_default() += 1;
        }
        reached
    }

    /// Every row of the results, in their order, each with the answer to its own question.
    fn results(&self) -> Vec<String> {
        let text = unpacked(&self.path(self.output));
        let key = |line: &str| {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            let key = line["custom_id"].as_str().unwrap().to_owned();
            assert!(line["error"].is_null(), "{line}");
            let answer = &line["response"]["body"]["choices"][0]["message"]["content"];
            assert!(answer.as_str().unwrap().contains(&key), "{line}");
            key
        };
        text.lines().map(key).collect()
    }

    /// The rows that were named because their outcome was unknown at some moment.
    fn named(&self) -> BTreeSet<String> {
        let path = self.path(&format!("{}.unknown", self.output));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

fn name(number: usize) -> String {
    format!("row-{number:05}")
}

/// Jobs that are killed so many times in all, each until it is done.
fn kill(times: usize, seed: u64, is_kept_out: bool) {
    let mut dice = Dice::of(seed);
    // The packer of the system may not be there.
    let has_zstd = Command::new("zstd").arg("--version").output().is_ok();
    let mut outputs = vec!["out.jsonl", "ordered", "out.jsonl.gz"];
    if has_zstd {
        outputs.push("out.jsonl.zst");
    }
    let (mut killed, mut sent_again, mut jobs) = (0, 0, 0);
    while killed < times {
        let output = outputs[jobs % outputs.len()];
        jobs += 1;
        let mut arguments = vec!["--max-concurrency", "24"];
        if is_kept_out {
            arguments.extend(["--unknown", "skip"]);
        }
        let is_ordered = output == "ordered";
        if is_ordered {
            arguments.push("--ordered");
        }
        let output = if is_ordered { "out.jsonl" } else { output };
        let job = Job::new("latency-ms=25", output, &arguments);
        while killed < times {
            let life = Duration::from_millis(1 + dice.below(LIFE_MAX.as_millis() as u64));
            if job.run_and_kill(life) {
                break;
            }
            killed += 1;
        }
        // The last word, with nobody to disturb it.
        let ran = run(&mut job.command());
        assert!(ran.status.success(), "{}", ran.stderr);
        let reached = job.reached();
        let results = job.results();
        let named = job.named();
        let all: Vec<_> = (0..ROWS).map(name).collect();
        let mut found = results.clone();
        found.sort();
        if is_kept_out {
            let twice: Vec<_> = reached.iter().filter(|(_, times)| **times > 1).collect();
            assert!(twice.is_empty(), "paid twice: {twice:?}");
            let mut known: Vec<_> = found.into_iter().chain(named.iter().cloned()).collect();
            known.sort();
            assert_eq!(known, all, "each row has its result, or is named");
        } else {
            assert_eq!(found, all, "each row has one result");
            for (row, times) in reached.iter().filter(|(_, times)| **times > 1) {
                assert!(named.contains(row), "{row} was sent {times} times and is not named");
                sent_again += times - 1;
            }
            assert!(all.iter().all(|row| reached.contains_key(row)));
        }
        if is_ordered {
            assert!(results.is_sorted(), "in the order of the input");
        }
    }
    println!(
        "{killed} kills in {jobs} jobs of {ROWS} rows: none lost, {sent_again} sent again, all named"
    );
}

#[test]
fn a_killed_job_resumes_and_names_rows_sent_twice() {
    kill(14, 0x0DD5, false);
}

#[test]
fn a_killed_job_sends_no_row_twice_if_unknown_rows_are_skipped() {
    kill(10, 0xEE11, true);
}

#[test]
#[ignore = "takes minutes: run by name"]
fn two_hundred_kills() {
    kill(200, 0xC0FFEE, false);
}

#[test]
#[ignore = "takes minutes: run by name"]
fn two_hundred_kills_where_unknown_rows_are_kept_out() {
    kill(200, 0xBEE5, true);
}

/// What the service refuses for its rate was not processed: after a kill it is no unknown row. What is
/// metered is what was processed.
#[test]
fn rate_limited_requests_are_not_unknown_after_a_kill() {
    let job = Job::new("at-once=4,latency-ms=20", "out.jsonl", &[]);
    let mut dice = Dice::of(0xACE);
    let mut kills = 0;
    while kills < 6 && !job.run_and_kill(Duration::from_millis(150 + dice.below(300))) {
        kills += 1;
    }
    let ran = run(&mut job.command());
    assert!(ran.status.success(), "{}", ran.stderr);
    let mut found = job.results();
    found.sort();
    assert_eq!(found, (0..ROWS).map(name).collect::<Vec<_>>());
    let metered: u64 = job.service.metered().values().map(|metered| metered.calls).sum();
    let named = job.named().len() as u64;
    assert!(metered >= ROWS as u64, "{metered}");
    assert!(metered <= ROWS as u64 + named * kills.max(1), "{metered} paid, {named} named");
}

/// Two runs on one output: the second one is told, and disturbs nothing.
#[test]
fn a_second_run_on_the_same_output_is_refused() {
    let job = Job::new("latency-ms=60000", "out.jsonl", &["--max-concurrency", "8"]);
    let mut first = job.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    until("it sends", || !job.service.recorded("").is_empty());
    let second = run(&mut job.command());
    assert_eq!(second.code(), 5, "{}", second.stderr);
    assert_eq!(second.stderr.lines().count(), 1, "{}", second.stderr);
    let said = format!("out.jsonl.journal: another run (process {})", first.id());
    assert!(second.stderr.contains(&said), "{}", second.stderr);
    signal(&first, Signal::KILL);
    wait(&mut first);
    job.service.set_load(Load::default());
    let third = run(&mut job.command());
    assert!(third.status.success(), "{}", third.stderr);
    assert_eq!(job.results().len(), ROWS);
}

/// A limit of the size of files: what came in is kept elsewhere, and the job goes on with it.
#[test]
fn a_job_at_the_file_size_limit_says_where_its_results_are() {
    let job = Job::new("latency-ms=5", "out.jsonl", &["--max-concurrency", "64"]);
    let command = job.command();
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -f 128; exec \"$0\" \"$@\""]).arg(command.get_program());
    limited.args(command.get_args()).current_dir(job.folder.path()).env_clear();
    for (name, value) in command.get_envs() {
        limited.env(name, value.unwrap_or_default());
    }
    limited.env("TMPDIR", job.folder.path());
    let ran = run(&mut limited);
    assert_eq!(ran.code(), 5, "{}", ran.stderr);
    let said = ran.stderr.trim_end();
    assert!(said.contains("the file may not grow"), "{said}");
    // What the error says is done word for word.
    if let Some(place) = said.find("(cat ") {
        let end = said[place..].find(')').unwrap();
        let mut add = Command::new("sh");
        add.args(["-c", &said[place + 1..place + end]]).current_dir(job.folder.path());
        assert!(run(&mut add).status.success());
    }
    let ran = run(&mut job.command());
    assert!(ran.status.success(), "{}", ran.stderr);
    let mut found = job.results();
    found.sort();
    assert_eq!(found, (0..ROWS).map(name).collect::<Vec<_>>());
    assert_eq!(job.reached().values().sum::<usize>(), ROWS, "nothing was sent twice");
}

/// A folder that takes no file: told before anything is sent.
#[test]
fn a_missing_output_folder_is_reported_before_anything_is_sent() {
    let job = Job::new("latency-ms=5", "no/such/out.jsonl", &[]);
    let ran = run(&mut job.command());
    assert_eq!(ran.code(), 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("there is no folder no/such"), "{}", ran.stderr);
    assert!(job.service.recorded("").is_empty());
}
