//! The text of summaries.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::sync::LazyLock;

use modelwire_bulk::prices::{Money, Tokens};

use super::*;

fn tally() -> Tally {
    let mut tally = Tally { done: 49_988, perhaps: 3, ..Tally::default() };
    for _ in 0..9 {
        tally.failure("invalid_request", Some(400), || {
            (
                31_234,
                "row-31234",
                "messages: must not\nbe empty",
                "Reproduce it with a minimal request.",
            )
        });
    }
    for _ in 0..3 {
        tally.failure("server", Some(500), || (7, "row-7", "overloaded", ""));
    }
    tally.bad_line(12, "not JSON");
    tally
}

fn spent() -> Spent {
    Spent {
        tokens: Tokens { input: 12_345_678, cached: 0, output: 1_234_567 },
        cost: Some(Money::new(1.82)),
        perhaps: 3,
        perhaps_cost: Money::new(0.5),
        ..Spent::default()
    }
}

fn summary<'a>(tally: &'a Tally, names: &'a [String]) -> Summary<'a> {
    static SOURCES: LazyLock<Sources> =
        LazyLock::new(|| Sources::of(&["in.jsonl"], |_| false).unwrap());
    Summary {
        sources: &SOURCES,
        tally,
        spent: spent(),
        elapsed: Duration::from_millis(41_500),
        before: 0,
        left: Some(0),
        equal: 0,
        reused: 0,
        attempts: 50_204,
        rate_limited: 201,
        asked_again: 0,
        unknown: names.len() as u64,
        unknown_names: names,
        unknown_sent_again: true,
        stopped: None,
        output: Some("out.jsonl"),
        command: Some("modelwire bulk in.jsonl -o out.jsonl"),
    }
}

#[test]
fn the_summary_is_formatted_as_text() {
    let names = ["row-1".to_owned(), "row-2".to_owned()];
    let text = summary(&tally(), &names).text(80, false);
    assert_eq!(
        text,
        "\
\x20     done  49,988 rows in 41.5 s   1,205 rows/s
\x20   failed  13 rows
\x20           9 × 400 invalid_request   line 31,234, row-31234
\x20             messages: must not be empty
\x20             Reproduce it with a minimal request.
\x20           3 × 500 server   line 7, row-7
\x20             overloaded
\x20           1 × bad_line   line 12
\x20             not JSON
\x20  billed?  3 rows failed after they were sent: they may have been billed
\x20  unknown  2 rows sent by an interrupted run, now again: perhaps billed twice
\x20             row-1, row-2
\x20   tokens  12,345,678 in   1,234,567 out
\x20     cost  1.82   at most 2.32 including what may have been metered
\x20     429s  201 of 50,204 requests, 0.4 %
\x20  results  out.jsonl
\x20    retry  modelwire bulk in.jsonl -o out.jsonl --retry-failed
"
    );
}

#[test]
fn a_good_run_is_three_lines() {
    let tally = Tally { done: 1, ..Tally::default() };
    let spent = Spent { tokens: Tokens { input: 5, cached: 2, output: 1 }, ..Spent::default() };
    let good = Summary { spent, rate_limited: 0, ..summary(&tally, &[]) };
    assert_eq!(
        good.text(80, false),
        "      done  1 row in 41.5 s   0.02 rows/s\n    tokens  5 in (2 cached)   1 out\n   results  out.jsonl\n"
    );
}

#[test]
fn copied_rows_have_a_line() {
    let tally = tally();
    let copied = Summary { equal: 1_200, reused: 3, ..summary(&tally, &[]) }.text(80, false);
    let line = "\n    copied  1,200 equal to another row   3 from other jobs\n";
    assert!(copied.contains(line), "{copied}");
}

#[test]
fn a_run_that_stopped_says_how_to_go_on() {
    let tally = Tally { done: 10, ..Tally::default() };
    let stopped = Summary {
        left: Some(40),
        before: 5,
        stopped: Some("stopped by --max-rows 10"),
        ..summary(&tally, &[])
    };
    let text = stopped.text(80, false);
    assert!(text.contains("   5 before\n"), "{text}");
    assert!(text.contains("      left  40 rows\n"), "{text}");
    assert!(text.contains("   stopped  by --max-rows 10\n"), "{text}");
    assert!(text.ends_with("    resume  modelwire bulk in.jsonl -o out.jsonl\n"), "{text}");
}

#[test]
fn many_unknown_rows_are_counted_and_some_named() {
    let names: Vec<String> = (0..25).map(|number| format!("row-{number}")).collect();
    let text = Summary { unknown_sent_again: false, ..summary(&tally(), &names) }.text(80, false);
    assert!(text.contains("row-19 and 5 more, in the file .unknown"), "{text}");
    assert!(text.contains("left out of this one"), "{text}");
}

#[test]
fn only_commands_are_wider_than_the_terminal() {
    let names = vec!["row".to_owned(); 20];
    let tally = tally();
    for width in [20, 40, 80, 120] {
        let text = summary(&tally, &names).text(width, false);
        for line in text.lines().filter(|line| !line.contains("modelwire bulk")) {
            assert!(line.chars().count() <= width.max(WIDTH_MIN), "{width}: {line}");
            assert_eq!(line.trim_end(), line);
        }
        let coloured = summary(&tally, &names).text(width, true);
        assert_eq!(console::strip_ansi_codes(&coloured), text);
    }
}

#[test]
fn kinds_are_bounded_and_messages_cut() {
    let mut tally = Tally::default();
    for status in 400..500 {
        tally.failure("status", Some(status), || (1, "key", "\u{1b}[31mred\r\nand more", ""));
    }
    assert_eq!((tally.failures.len(), tally.failed()), (KINDS_MAX, 100));
    assert_eq!(tally.failures.iter().map(|known| known.count).sum::<u64>(), 100);
    assert_eq!(tally.failures.first().unwrap().message, "[31mred and more");
    assert_eq!(one_line(&"é".repeat(500)).chars().count(), MESSAGE_LETTERS_MAX + 1);
}

#[test]
fn an_option_is_added_once() {
    assert_eq!(with_option("a --retry-failed", "--retry-failed"), "a --retry-failed");
}

#[test]
fn the_json_summary_has_the_same_values() {
    let members = summary(&tally(), &[]).members();
    let failures = &members.iter().find(|(name, _)| *name == "failures").unwrap().1;
    assert_eq!(failures.pointer("/0/count").unwrap(), 9);
    assert_eq!(failures.pointer("/1/kind").unwrap(), "server");
}
