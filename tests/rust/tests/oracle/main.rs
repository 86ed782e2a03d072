//! A short judge that shares no code with the core, beside the core, on made-up answers. `ORACLE_CASES` sets how
//! many (10,000 by default), `TEST_SEED` which, `ORACLE_CASE` the only one to run.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod cases;
mod events;
mod messages;
mod oracle;
mod service;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use modelwire::{Client, Config, Error, Request, RetryPolicy};
use serde_json::Value;

use crate::cases::{Case, Ending, case};
use crate::oracle::{Answer, Operation, Verdict, judge};

/// Calls in flight of each client.
const IN_FLIGHT: usize = 16;
const CLIENTS: usize = 2;
/// Differences that are shown.
const SHOWN: usize = 12;

/// Every outcome that a case can have.
const OUTCOMES: [&str; 12] = [
    "whole",
    "incomplete",
    "disconnected",
    "protocol",
    "stream",
    "invalid_request",
    "authentication",
    "permission",
    "not_found",
    "rate_limited",
    "server",
    "status",
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |number| number.parse().unwrap())
}

/// What the core makes of a case.
#[derive(Debug)]
struct Seen {
    outcome: &'static str,
    text: String,
    message: String,
}

impl Seen {
    fn failed(error: &Error, text: String) -> Seen {
        Seen { outcome: error.kind().name(), text, message: error.message().to_owned() }
    }
}

/// The text of an answer that was gathered before it failed.
fn partial(error: &Error) -> String {
    let value: Value =
        error.partial().map_or(Value::Null, |text| serde_json::from_str(text).unwrap());
    let chat = value["choices"][0]["message"]["content"].as_str();
    let output = value["output"].as_array().into_iter().flatten();
    let parts = output.filter_map(|item| item["content"].as_array()).flatten();
    let texts = parts.filter(|part| part["type"] == "output_text");
    chat.map_or_else(|| texts.filter_map(|part| part["text"].as_str()).collect(), str::to_owned)
}

async fn ask(client: &Client, number: u64, case: &Case) -> Seen {
    let request = match case.operation {
        Operation::Models => Request::models(),
        Operation::Response => Request::responses("a-model").input("Hello."),
        Operation::Chat if case.choices > 1 => {
            Request::chat("a-model").user("Hello.").set("n", case.choices)
        }
        Operation::Chat => Request::chat("a-model").user("Hello."),
    };
    let request = request.query("case", number.to_string());
    if !case.is_streamed {
        return match client.send(request).await {
            Ok(answer) if case.operation == Operation::Models => Seen {
                outcome: "whole",
                text: answer.model_ids().join(" "),
                message: String::new(),
            },
            Ok(answer) => {
                Seen { outcome: "whole", text: answer.text().into(), message: String::new() }
            }
            Err(error) if case.operation == Operation::Models => {
                Seen::failed(&error, String::new())
            }
            Err(error) => Seen::failed(&error, partial(&error)),
        };
    }
    let mut stream = match client.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return Seen::failed(&error, String::new()),
    };
    let mut text = String::new();
    while let Some(chunk) = stream.next().await {
        match chunk {
            Ok(chunk) => text += &chunk.text(),
            Err(error) => return Seen::failed(&error, text),
        }
    }
    Seen { outcome: "whole", text, message: String::new() }
}

/// What differs, if anything.
fn difference(
    seed: u64,
    number: u64,
    case: &Case,
    seen: &Seen,
    verdict: &Verdict,
) -> Option<String> {
    let is_message = verdict.message.as_ref().is_none_or(|message| *message == seen.message);
    let is_alike = verdict.outcomes.contains(&seen.outcome)
        && verdict.text.as_ref().is_none_or(|text| *text == seen.text)
        && is_message;
    (!is_alike).then(|| {
        let bytes = case.bytes().escape_ascii().to_string();
        let Case { operation, is_streamed, choices, ending, pieces, .. } = case;
        format!(
            "TEST_SEED={seed} ORACLE_CASE={number}: {operation:?}, streamed {is_streamed}, n {choices}, {ending:?}, {pieces:?}\n  \
             {bytes}\n  oracle {verdict:?}\n  core   {seen:?}"
        )
    })
}

#[test]
fn the_core_judges_made_up_answers_as_the_oracle_does() {
    let seed = number("TEST_SEED", 1);
    let only = std::env::var("ORACLE_CASE").ok().map(|only| only.parse::<u64>().unwrap());
    let (first, count) = only.map_or((0, number("ORACLE_CASES", 10_000)), |only| (only, 1));
    println!("TEST_SEED={seed}");
    let begun = Instant::now();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let next = Arc::new(AtomicU64::new(first));
    let (mut outcomes, mut pieces) = (BTreeMap::<_, u64>::new(), BTreeMap::<_, u64>::new());
    let mut differences = Vec::new();
    runtime.block_on(async {
        let mut tasks = Vec::new();
        for _ in 0..CLIENTS {
            let base_url = service::start(seed).await;
            let retry = RetryPolicy::default().max_retries(0);
            let config = Config::new().base_url(base_url).api_key("sk-test").retry(retry);
            let client = Client::new(config.runtime(tokio::runtime::Handle::current())).unwrap();
            for _ in 0..IN_FLIGHT {
                tasks.push(tokio::spawn(run(client.clone(), seed, next.clone(), first + count)));
            }
        }
        for task in tasks {
            let found = task.await.unwrap();
            found
                .outcomes
                .into_iter()
                .for_each(|(name, count)| *outcomes.entry(name).or_default() += count);
            found
                .pieces
                .into_iter()
                .for_each(|(name, count)| *pieces.entry(name).or_default() += count);
            differences.extend(found.differences);
        }
    });
    println!("measured: {count} cases in {:.1?}: {outcomes:?}", begun.elapsed());
    let shown = differences.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {count} differ:\n{shown}", differences.len());
    if only.is_none() {
        let all = Case::all_pieces();
        assert_eq!(outcomes.keys().copied().collect::<Vec<_>>(), sorted(OUTCOMES.to_vec()));
        assert_eq!(pieces.keys().copied().collect::<Vec<_>>(), all);
    }
}

fn sorted(mut names: Vec<&str>) -> Vec<&str> {
    names.sort_unstable();
    names
}

/// What one task found.
#[derive(Default)]
struct Found {
    outcomes: BTreeMap<&'static str, u64>,
    pieces: BTreeMap<&'static str, u64>,
    differences: Vec<String>,
}

/// Compares cases until none is left.
async fn run(client: Client, seed: u64, next: Arc<AtomicU64>, end: u64) -> Found {
    let mut found = Found::default();
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= end {
            return found;
        }
        let case = case(seed, number);
        let seen = ask(&client, number, &case).await;
        let verdict = judge(&Answer {
            operation: case.operation,
            is_streamed: case.is_streamed,
            choices: case.choices,
            status: case.status,
            content_type: case.content_type,
            body: &case.body,
            is_cut: case.ending != Ending::Whole,
        });
        *found.outcomes.entry(seen.outcome).or_default() += 1;
        for piece in &case.pieces {
            *found.pieces.entry(*piece).or_default() += 1;
        }
        found.differences.extend(difference(seed, number, &case, &seen, &verdict));
    }
}
