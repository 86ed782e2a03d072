//! Random jobs under random failures, signals and resumes: in the end each row has its one result, in its
//! place, and nothing reached the service but what the journal owns up to.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use modelwire_testing::load::Load;
use modelwire_testing::{Options, Service};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::{Dice, Folder, modelwire_to, run, signal, unpacked, wait};

/// A run lives at most so long before it gets a signal.
const LIFE_MAX: Duration = Duration::from_millis(500);

/// What the service does: each row fails with a 500 by chance, or is refused, or none of it.
const LOADS: [&str; 5] = [
    "latency-ms=15",
    "latency-ms=20,fault-share=0.01",
    "latency-ms=20,at-once=6,retry-after=none",
    "latency-ms=10,requests-per-second=300,burst=20,retry-after=none,fault-share=0.01",
    "latency-ms=20,at-once=8,retry-after=none,fault-share=0.05",
];

/// A row as the test knows it.
struct Known {
    /// Stands in what it asks, and so in its answer; rows of one content have one.
    question: String,
    custom_id: Option<String>,
    /// So many rows without a custom_id and of the same content came before it.
    equal: usize,
}

/// A job.
struct Job {
    folder: Folder,
    service: Service,
    rows: Vec<Known>,
    output: &'static str,
    is_ordered: bool,
}

impl Job {
    fn new(dice: &mut Dice) -> Job {
        let service = Service::start_with(Options::default()).unwrap();
        let folder = Folder::new();
        let mut rows: Vec<Known> = Vec::new();
        let mut lines = String::new();
        let mut equal: BTreeMap<String, usize> = BTreeMap::new();
        for number in 0..100 + dice.below(301) {
            // Some ask what a row before them asked.
            let asked = if dice.below(5) == 0 { dice.below(number + 1) } else { number };
            let question = format!("question-{asked:05}");
            let model = ["echo", "echo-reasoning"][asked as usize % 2];
            let messages = json!([{"role": "user", "content": question}]);
            let mut body = json!({"model": model, "messages": messages});
            let custom_id = format!("row {number} \u{e9}\"");
            let line = match dice.below(3) {
                0 => {
                    let before = equal.entry(question.clone()).or_default();
                    rows.push(Known { question, custom_id: None, equal: *before });
                    *before += 1;
                    body
                }
                form => {
                    rows.push(Known { question, custom_id: Some(custom_id.clone()), equal: 0 });
                    if form == 1 {
                        body["custom_id"] = custom_id.into();
                        body
                    } else {
                        json!({"custom_id": custom_id, "method": "POST", "url": "/v1/chat/completions",
                            "body": body})
                    }
                }
            };
            lines.push_str(&format!("{line}\n"));
        }
        folder.file("in.jsonl", lines);
        let is_ordered = dice.below(2) == 0;
        let output = ["out.jsonl", "out.jsonl.gz"][dice.below(2) as usize];
        Job { folder, service, rows, output, is_ordered }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut all = vec!["bulk", "in.jsonl", "-o", self.output, "--quiet"];
        if self.is_ordered {
            all.push("--ordered");
        }
        let mut command = modelwire_to(&self.service, &[&all, arguments].concat());
        command.current_dir(self.folder.path());
        command
    }

    /// A run of any options that gets a signal within its life.
    fn disturbed(&self, dice: &mut Dice) {
        self.service.set_load(Load::parse(LOADS[dice.below(LOADS.len() as u64) as usize]).unwrap());
        let concurrency = (1 + dice.below(40)).to_string();
        let mut arguments = Vec::new();
        for (chance, option) in [
            (2, &["--max-concurrency", &concurrency][..]),
            (3, &["--may-pay-twice"]),
            (3, &["--retry-failed"]),
            (4, &["--attempts", "2"]),
        ] {
            if dice.below(chance) == 0 {
                arguments.extend_from_slice(option);
            }
        }
        let mut command = self.command(&arguments);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let life = Duration::from_millis(1 + dice.below(LIFE_MAX.as_millis() as u64));
        let begun = Instant::now();
        // clock: a life by chance
        while begun.elapsed() < life && child.try_wait().unwrap().is_none() {
            // clock: between two looks
            std::thread::sleep(Duration::from_millis(1));
        }
        if child.try_wait().unwrap().is_none() {
            let how = [Signal::KILL, Signal::TERM, Signal::INT][dice.below(3) as usize];
            signal(&child, how);
            if dice.below(3) == 0 {
                // clock: any moment will do
                std::thread::sleep(Duration::from_millis(dice.below(30)));
                signal(&child, [Signal::INT, Signal::KILL][dice.below(2) as usize]);
            }
        }
        let status = wait(&mut child);
        let code = status.code();
        assert!(matches!(code, None | Some(0 | 3 | 130)), "{arguments:?}: {status}");
    }

    /// How often each question reached the service.
    fn reached(&self) -> BTreeMap<String, usize> {
        let mut reached = BTreeMap::new();
        for request in self.service.recorded("") {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            let question = body["messages"][0]["content"].as_str().unwrap().to_owned();
            *reached.entry(question).or_default() += 1;
        }
        reached
    }

    /// Each row has its one result with the answer to its question. Gives the question of each key.
    fn see_results(&self) -> BTreeMap<String, String> {
        let text = unpacked(&self.folder.path().join(self.output));
        let mut questions = BTreeMap::new();
        let mut found = Vec::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
            assert!(line["error"].is_null(), "{line}");
            let key = line["custom_id"].as_str().unwrap().to_owned();
            let answer = line["response"]["body"].to_string();
            let place = answer.find("question-").unwrap_or_else(|| panic!("{line}"));
            let question = answer[place..place + "question-00000".len()].to_owned();
            let is_hash = key.starts_with("sha256-");
            let equal = key.rsplit('-').next().filter(|_| is_hash).map(|n| n.parse().unwrap());
            found.push((question.clone(), (!is_hash).then(|| key.clone()), equal.unwrap_or(0)));
            assert!(questions.insert(key, question).is_none(), "two results: {line}");
        }
        let wanted = self.rows.iter();
        let mut wanted: Vec<_> =
            wanted.map(|row| (row.question.clone(), row.custom_id.clone(), row.equal)).collect();
        if !self.is_ordered {
            found.sort();
            wanted.sort();
        }
        assert!(found == wanted, "found {found:?}\nwanted {wanted:?}");
        questions
    }

    /// Nothing reached the service that the journal does not know of, and what may be paid twice is named.
    /// Gives how many rows are.
    fn see_requests(&self, questions: &BTreeMap<String, String>) -> usize {
        let beside = |ending| self.folder.path().join(format!("{}.{ending}", self.output));
        let journal = std::fs::read_to_string(beside("journal")).unwrap();
        let named = std::fs::read_to_string(beside("unknown")).unwrap_or_default();
        let named: BTreeSet<&str> = named.lines().collect();
        let mut last: BTreeMap<String, &str> = BTreeMap::new();
        let mut sent: BTreeMap<&str, usize> = BTreeMap::new();
        let mut processed = 0;
        for record in journal.lines() {
            let record: Value = serde_json::from_str(record).unwrap();
            let events = ["sent", "back", "done", "failed"];
            let Some(event) = events.into_iter().find(|event| record[event].is_string()) else {
                continue;
            };
            let key = record[event].as_str().unwrap();
            let before = last.insert(key.to_owned(), event);
            assert!(before != Some("done"), "{key} was done, and then {record}");
            if event == "sent" {
                *sent.entry(&questions[key]).or_default() += 1;
                let is_named = before != Some("sent") || named.contains(key);
                assert!(is_named, "{key} was sent again and is not named");
            }
            processed += i64::from(event == "sent") - i64::from(event == "back");
        }
        let reached = self.reached();
        for (question, times) in &reached {
            let sent = sent.get(question.as_str()).copied().unwrap_or(0);
            assert!(*times <= sent, "{question} came {times} times, the journal has {sent}");
        }
        for question in self.rows.iter().map(|row| &row.question) {
            let rows = self.rows.iter().filter(|row| row.question == *question).count();
            assert!(reached[question] >= rows, "{question}: {rows} rows");
        }
        let counts = self.service.load_counts();
        let admitted = i64::try_from(counts.answered + counts.failed).unwrap();
        assert!(admitted <= processed, "{admitted} admitted, {processed} in the journal");
        named.len()
    }
}

fn disturb(jobs: usize, seed: u64) {
    let mut dice = Dice::of(seed);
    let mut named = 0;
    for number in 0..jobs {
        let job = Job::new(&mut dice);
        for _ in 0..1 + dice.below(4) {
            job.disturbed(&mut dice);
        }
        job.service.set_load(Load::default());
        let ran = run(&mut job.command(&["--retry-failed"]));
        assert!(ran.status.success(), "job {number}: {}", ran.stderr);
        let questions = job.see_results();
        // Nothing is left to do, and who was sent again is named.
        let before = job.service.recorded("").len();
        let ran = run(&mut job.command(&["--retry-failed"]));
        assert!(ran.status.success(), "{}", ran.stderr);
        assert_eq!(job.service.recorded("").len(), before);
        assert_eq!(job.see_results(), questions);
        named += job.see_requests(&questions);
    }
    println!("{jobs} jobs: each row once, {named} rows perhaps paid twice and named");
}

#[test]
fn random_jobs_come_to_their_end_exactly() {
    disturb(8, 0x0E5AC7);
}

#[test]
#[ignore = "takes minutes: run by name, with TEST_SEED for another one"]
fn many_random_jobs_come_to_their_end_exactly() {
    disturb(150, 0xD1CE);
}
