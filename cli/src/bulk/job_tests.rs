//! The survey of a job as the job makes it.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::time::Duration;

use clap::Parser;
use indicatif::InMemoryTerm;

use super::*;

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    bulk: Bulk,
}

/// The plan of these arguments, and the arguments.
pub(super) fn planned(arguments: &[&str]) -> (Plan, Bulk) {
    let Arguments { bulk } = Arguments::parse_from([&["bulk"], arguments].concat());
    (Plan::of(&bulk, &Connection::default()).unwrap(), bulk)
}

#[test]
fn a_survey_that_takes_long_is_shown() {
    let path = std::env::temp_dir().join(format!("modelwire-job-{}.jsonl", std::process::id()));
    let line = format!("{{\"model\":\"echo\",\"input\":\"{}\"}}\n", "x".repeat(400));
    std::fs::write(&path, line.repeat(5_000)).unwrap();
    let input = path.to_str().unwrap();
    let (plan, bulk) = planned(&[input, "-o", "out.jsonl"]);
    let term = InMemoryTerm::new(10, 80);
    let (now, long) = (Instant::now(), Duration::from_secs(3_600));
    let shown = "4,096 rows   85 %\nreading the input";
    for (begun, expected) in [(now + long, ""), (now.checked_sub(long).unwrap_or(now), shown)] {
        let mut progress = Progress::in_memory(&term, begun);
        let mut signals = Signals::take_over();
        let mut ledger = Ledger::new();
        let found = survey(&bulk, &plan, &mut ledger, None, &mut signals, &mut progress).unwrap();
        assert_eq!(found.unwrap().rows, 5_000);
        let shown = term.contents();
        assert!(shown.ends_with(expected) && shown.is_empty() == expected.is_empty(), "{shown}");
    }
    std::fs::remove_file(&path).unwrap();
}
