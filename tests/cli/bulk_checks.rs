//! Checked answers by the binary: what fails, what is asked again, what it costs, and what a kill leaves.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::collections::BTreeSet;
use std::time::Duration;

use modelwire_testing::{Fault, Finish, Point, Reply, Says, Step, Text};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::job::Job;
use support::{modelwire_to, run_with_input, signal, until, wait};

impl Job {
    /// The names of the rows that reached the service.
    fn sent(&self) -> BTreeSet<String> {
        let name = |body: &[u8]| {
            let body: Value = serde_json::from_slice(body).unwrap();
            let asked: Value =
                serde_json::from_str(body["messages"][0]["content"].as_str().unwrap()).unwrap();
            format!("r{}", asked["age"])
        };
        self.service.recorded("").iter().map(|request| name(&request.body)).collect()
    }

    /// Calls and tokens that the service billed.
    fn billed(&self) -> (u64, u64) {
        let of_models = self.service.metered();
        of_models.values().fold((0, 0), |(calls, tokens), of_model| {
            (calls + of_model.calls, tokens + of_model.input_tokens + of_model.output_tokens)
        })
    }
}

/// A row that is answered with what it says.
fn says(name: &str, content: &str) -> String {
    let messages = json!([{"role": "user", "content": content}]);
    let schema =
        json!({"type": "object", "required": ["age"], "properties": {"age": {"type": "integer"}}});
    let form = json!({"type": "json_schema", "json_schema": {"name": "person", "schema": schema}});
    let row = json!({
        "custom_id": name, "model": "echo", "messages": messages, "max_tokens": 20,
        "response_format": form,
    });
    format!("{row}\n")
}

fn rows(count: usize) -> String {
    (1..=count)
        .map(|number| says(&format!("r{number}"), &json!({"age": number}).to_string()))
        .collect()
}

fn cut(after: Duration) -> Reply {
    let text = Text {
        pieces: vec!["{\"age\"".to_owned()],
        finish: Finish::Length,
        usage: Some((10, 20)),
        ..Text::default()
    };
    let faults = match after {
        Duration::ZERO => Vec::new(),
        after => vec![Fault::At(Point::Start, Step::Pause(after))],
    };
    Reply { says: Says::Text(text), faults }
}

#[test]
fn an_answer_that_fails_its_check_is_a_failed_row() {
    let input = [
        says("good", r#"{"age": 7}"#),
        says("wrong", r#"{"age": "7"}"#),
        says("long", &format!(r#"{{"age": 7, "x": "{}"}}"#, "word ".repeat(30))),
        json!({"custom_id": "none", "model": "echo", "messages": [{"role": "user", "content": "x"}]})
            .to_string(),
    ];
    let job = Job::new(&input.concat());
    let ran = job.run(&["--check", "schema,length", "--check", "refusal", "--json-progress"]);
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    let results = job.results();
    for (key, kind, message) in [
        (
            "wrong",
            "check_schema",
            "the answer failed the check schema: at /age: want integer, but got string",
        ),
        ("long", "check_length", "the answer failed the check length: it ended at its token limit"),
    ] {
        let result = &results[key];
        assert_eq!(
            (&result["error"]["kind"], &result["error"]["message"]),
            (&json!(kind), &json!(message))
        );
        assert!(result["error"]["hint"].as_str().unwrap().ends_with('.'), "{result}");
        assert_eq!(result["response"]["status_code"], 200);
        assert!(result["response"]["body"]["choices"][0]["message"]["content"].is_string());
    }
    assert!(results["good"]["error"].is_null() && results["none"]["error"].is_null());
    let end: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&end["done"], &end["failed"], &end["asked_again"]),
        (&json!(2), &json!(2), &json!(0))
    );
    let kinds: Vec<&str> = end["failures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert!(kinds.contains(&"check_schema") && kinds.contains(&"check_length"), "{kinds:?}");
    let tokens = end["tokens_in"].as_u64().unwrap() + end["tokens_out"].as_u64().unwrap();
    assert_eq!((4, tokens), job.billed());
    // They stand, until they are to run again; without the check they are right.
    assert_eq!((job.run(&["--check", "schema"]).code(), job.billed().0), (3, 4));
    let ran = job.run(&["--retry-failed", "--check", "schema"]);
    assert_eq!((ran.code(), job.billed().0), (3, 6), "{}", ran.stderr);
    assert_eq!(job.run(&["--retry-failed"]).code(), 0);
    assert!(job.results().values().all(|result| result["error"].is_null()));
}

#[test]
fn an_answer_that_fails_its_check_is_asked_again() {
    let job = Job::new(&rows(20));
    job.service.queue(vec![cut(Duration::ZERO); 7]);
    let ran = job.run(&["--check", "schema", "--ask-again", "7"]);
    assert_eq!(ran.code(), 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("7 answers failed a check, asked again"), "{}", ran.stderr);
    assert_eq!((job.results().len(), job.billed().0), (20, 27));
    let job = Job::new(&rows(1));
    job.service.queue(vec![cut(Duration::ZERO); 3]);
    let ran = job.run(&["--check", "schema,length", "--ask-again", "2"]);
    assert_eq!((ran.code(), job.billed().0), (3, 3), "{}", ran.stderr);
    for said in
        ["1 × check_length", "line 1, r1", "token limit", "Raise or remove", "--retry-failed"]
    {
        assert!(ran.stderr.contains(said), "{said}: {}", ran.stderr);
    }
}

#[test]
fn a_budget_is_not_exceeded_by_asking_again() {
    let job = Job::new(&rows(100));
    job.service.answer_otherwise(Some(cut(Duration::ZERO)));
    let most = 3_000;
    let limit = most.to_string();
    let ran = job.run(&["--check", "length", "--ask-again", "2", "--max-total-tokens", &limit]);
    assert_eq!(ran.code(), 4, "{}", ran.stderr);
    let (calls, tokens) = job.billed();
    assert!((most / 2..=most).contains(&tokens), "{tokens}");
    assert_eq!(job.results().len() as u64 * 3, calls);
}

/// The service bills each answer; a row that was in flight is unknown, and nothing else is.
#[test]
fn a_kill_while_rows_are_asked_again_loses_and_doubles_none() {
    for waited in [3, 11, 23] {
        let job = Job::new(&rows(12));
        job.service.answer_otherwise(Some(cut(Duration::from_millis(10))));
        let options = ["--check", "length", "--ask-again", "1000", "--max-concurrency", "4"];
        let mut child = job.command(&[&options[..], &["--quiet"]].concat()).spawn().unwrap();
        until("rows are asked again", || job.billed().0 > waited);
        signal(&child, Signal::KILL);
        wait(&mut child);
        assert!(job.results().is_empty(), "none has an outcome");
        job.service.answer_otherwise(None);
        let sent = job.sent();
        let ran = job.run(&options);
        assert_eq!(ran.code(), 0, "{}", ran.stderr);
        let named = job.text("out.jsonl.unknown");
        assert!(!sent.is_empty(), "{named}");
        assert!(sent.iter().all(|name| named.lines().any(|line| line == name)), "{named}");
        let results = job.results();
        assert_eq!(results.len(), 12);
        assert!(results.values().all(|result| result["error"].is_null()));
    }
}

/// The last answer is kept, although the row was to be asked again.
#[test]
fn a_signal_while_rows_are_asked_again_keeps_their_answers() {
    let job = Job::new(&rows(12));
    job.service.answer_otherwise(Some(cut(Duration::from_millis(10))));
    let options = ["--check", "length", "--ask-again", "1000", "--max-concurrency", "4"];
    let mut child = job.command(&[&options[..], &["--quiet"]].concat()).spawn().unwrap();
    until("rows are asked again", || job.billed().0 > 20);
    signal(&child, Signal::TERM);
    assert_eq!(wait(&mut child).code(), Some(130));
    let results = job.results();
    assert!((4..12).contains(&results.len()), "{}", results.len());
    assert!(results.values().all(|result| result["error"]["kind"] == "check_length"));
    job.service.answer_otherwise(None);
    let ran = job.run(&[&options[..], &["--retry-failed"]].concat());
    assert_eq!((ran.code(), job.results().len()), (0, 12), "{}", ran.stderr);
    assert!(!ran.stderr.contains("unknown"), "{}", ran.stderr);
}

#[test]
fn a_schema_that_is_invalid_is_a_bad_line() {
    let bad = says("r3", "x").replace("\"integer\"", "\"whole\"");
    let remote =
        says("r4", "x").replace("\"type\":\"integer\"", "\"$ref\":\"http://127.0.0.1:9/s\"");
    for (line, says) in [
        (bad, "the schema is invalid: at /properties/age/type: "),
        (
            remote,
            "the schema refers to \"http://127.0.0.1:9/s\", and nothing is fetched: put that under $defs",
        ),
    ] {
        let job = Job::new(&[rows(2), line.clone()].concat());
        let ran = job.run(&["--check", "schema"]);
        assert_eq!((ran.code(), job.billed().0), (2, 0), "{}", ran.stderr);
        assert!(
            ran.stderr.starts_with("modelwire: in.jsonl:3: ") && ran.stderr.contains(says),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        let ran = job.run(&["--check", "schema", "--skip-bad-lines"]);
        assert_eq!((ran.code(), job.billed().0), (3, 2), "{}", ran.stderr);
        // From standard input it ends the job there; without the check the service judges it.
        let mut command =
            modelwire_to(&job.service, &["bulk", "-", "-o", "-", "--check", "schema"]);
        let ran = run_with_input(&mut command, [rows(2), line].concat());
        assert!(ran.code() == 2 && ran.stderr.contains("standard input:3: "), "{}", ran.stderr);
        assert_eq!(job.run(&["--overwrite", "--check", "length"]).code(), 0);
    }
}

#[test]
fn usage_errors_are_one_line() {
    let job = Job::new(&rows(1));
    for (arguments, says) in [
        (&["--check", "json"][..], "schema, length, refusal"),
        (&["--ask-again", "2"], "--check"),
        (&["--check", "schema", "--ask-again", "x"], "--ask-again"),
    ] {
        let ran = job.run(arguments);
        assert_eq!(ran.code(), 2, "{arguments:?}: {}", ran.stderr);
        assert!(ran.stderr.contains(says), "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1, "{arguments:?}: {}", ran.stderr);
    }
}
