//! What a bulk job says of tokens, cost and time, and how it is stopped: pilots, budgets, progress and the
//! summary of the command as a process; knows nothing of what the engine does.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::fmt::Write;
use std::process::Command;

use modelwire_testing::{Reply, Says, Service};

#[path = "support/screen.rs"]
mod screen;
#[path = "support/mod.rs"]
mod support;

use screen::Screen;
use support::{Folder, Ran, modelwire_to, run, until};

/// Chats with the model that repeats what it is told, each bounded.
fn rows(count: usize, max_tokens: u32) -> String {
    let mut lines = String::new();
    for number in 1..=count {
        let words = "word ".repeat(5 + number * 7 % 40);
        let _ = writeln!(
            lines,
            r#"{{"custom_id":"row-{number}","body":{{"model":"echo","max_tokens":{max_tokens},"messages":[{{"role":"user","content":"{words}"}}]}}}}"#
        );
    }
    lines
}

fn bulk(service: &Service, folder: &Folder, more: &[&str]) -> Command {
    let mut arguments = vec!["bulk", "in.jsonl", "-o", "out.jsonl"];
    arguments.extend(more);
    let mut command = modelwire_to(service, &arguments);
    command.current_dir(folder.path());
    command
}

fn ran(service: &Service, folder: &Folder, more: &[&str]) -> Ran {
    run(&mut bulk(service, folder, more))
}

fn results(folder: &Folder) -> usize {
    let file = folder.path().join("out.jsonl");
    std::fs::read_to_string(file).unwrap_or_default().lines().count()
}

/// Calls that the service metered, and tokens of both directions.
fn calls(service: &Service) -> u64 {
    service.metered().values().map(|metered| metered.calls).sum()
}

fn used(service: &Service) -> u64 {
    service.metered().values().map(|metered| metered.input_tokens + metered.output_tokens).sum()
}

#[test]
fn a_pilot_asks_on_the_terminal_and_obeys_the_answer() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(1_500, 100));
    let prices = ["--price-in", "1", "--price-out", "2"];
    let mut screen = Screen::start(&bulk(&service, &folder, &prices), 30, 100);
    screen.wait_for("Continue with 1,480 rows? [y/N]");
    let text = screen.text();
    for says in [
        "20 of 1,500 rows, drawn at random",
        "tokens in",
        "tokens out",
        "cost",
        "0 of 20",
        "likely: true in 95 of 100 jobs",
        // Each row has a max_tokens of 100.
        "at most 14",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    screen.press("n\r");
    assert_eq!(screen.end().code(), Some(4), "{}", screen.text());
    assert!(screen.text().contains("stopped  after the pilot"), "{}", screen.text());
    assert!(
        screen.text().contains("resume  modelwire bulk in.jsonl -o out.jsonl"),
        "{}",
        screen.text()
    );
    assert_eq!(results(&folder), 20);
    // The rows of the pilot are done; those that are left run now, with a pilot again.
    let mut screen = Screen::start(&bulk(&service, &folder, &prices), 30, 100);
    screen.wait_for("Continue with 1,460 rows? [y/N]");
    screen.press("y\r");
    assert_eq!(screen.end().code(), Some(0), "{}", screen.text());
    assert!(screen.text().contains("1,480 rows in"), "{}", screen.text());
    assert!(screen.text().contains("20 before"), "{}", screen.text());
    assert_eq!(results(&folder), 1_500);
    assert_eq!(calls(&service), 1_500);
}

#[test]
fn an_interrupt_at_the_question_ends_the_job() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(1_100, 100));
    let mut screen = Screen::start(&bulk(&service, &folder, &[]), 30, 80);
    screen.wait_for("[y/N]");
    screen.press("\u{3}");
    assert_eq!(screen.end().code(), Some(130), "{}", screen.text());
    assert_eq!(results(&folder), 20);
}

#[test]
fn a_pilot_without_a_terminal_reports_and_stops() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(1_100, 100));
    let stopped = ran(&service, &folder, &["--pilot", "5"]);
    assert_eq!(stopped.code(), 4, "{}", stopped.stderr);
    assert!(stopped.stderr.contains("5 of 1,100 rows"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("no interval: 5 rows are too few"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("--yes continues"), "{}", stopped.stderr);
    assert_eq!(results(&folder), 5);
    let json = ran(&service, &folder, &["--pilot", "5", "--yes", "--json-progress"]);
    assert_eq!(json.code(), 0, "{}", json.stderr);
    let lines: Vec<serde_json::Value> =
        json.stderr.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let pilot = lines.iter().find(|line| line["event"] == "pilot").unwrap();
    assert_eq!(pilot["pilot_rows"], 5);
    for name in ["tokens_in", "tokens_out"] {
        let of = |end: &str| pilot[name][end].as_f64().unwrap();
        let (point, most) = (of("point"), of("most"));
        // Every row has between 5 and 44 words, each of them a token or two, and a few of a template.
        assert!((1_095.0 * 5.0..1_095.0 * 200.0).contains(&point) && point <= most, "{pilot}");
        // Five rows are too few for an interval.
        assert!(pilot[name]["low"].is_null() && pilot[name]["high"].is_null(), "{pilot}");
    }
    assert!(pilot["time_s"].is_f64(), "{pilot}");
    let end = lines.last().unwrap();
    assert_eq!(
        (&end["event"], &end["done"], &end["left"]),
        (&"end".into(), &1_095.into(), &0.into())
    );
    assert_eq!(end["before"], 5);
    assert_eq!(results(&folder), 1_100);
}

/// Half of the answers are as long as `max_tokens` allows.
#[test]
fn a_pilot_of_twenty_rows_has_an_interval_by_the_limits_of_all_rows() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    let unlimited = rows(1, 20).replace("\"max_tokens\":20,", "").replace("row-1", "row-0");
    for (more, is_limited) in [(String::new(), true), (unlimited, false)] {
        folder.file("in.jsonl", rows(400, 20) + &more);
        let options = ["--pilot", "40", "--overwrite", "--json-progress"];
        let stopped = ran(&service, &folder, &options);
        assert_eq!(stopped.code(), 4, "{}", stopped.stderr);
        let mut lines = stopped.stderr.lines();
        let pilot = lines.find(|line| line.contains("\"event\":\"pilot\"")).unwrap();
        let pilot: serde_json::Value = serde_json::from_str(pilot).unwrap();
        let of = |end: &str| pilot["tokens_out"][end].as_f64();
        assert!(of("low") < of("point") && of("low") > Some(0.0), "{pilot}");
        if is_limited {
            assert!(of("point") < of("high") && of("high") < of("most"), "{pilot}");
            assert!(of("most") <= Some(400.0 * 20.0), "{pilot}");
        } else {
            assert_eq!((of("high"), of("most")), (None, None), "{pilot}");
        }
    }
}

#[test]
fn without_a_terminal_there_is_no_pilot_unless_asked_for() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(1_100, 100));
    let whole = ran(&service, &folder, &[]);
    assert_eq!(whole.code(), 0, "{}", whole.stderr);
    assert!(!whole.stderr.contains("pilot"), "{}", whole.stderr);
    assert!(whole.stderr.contains("done  1,100 rows in"), "{}", whole.stderr);
    assert!(!whole.stderr.contains('\u{1b}'), "{}", whole.stderr);
}

#[test]
fn a_maximum_stops_the_run_before_it_is_exceeded() {
    for (option, most) in [("--max-total-tokens", 20_000.0), ("--max-cost", 0.02)] {
        let (service, folder) = (Service::start().unwrap(), Folder::new());
        folder.file("in.jsonl", rows(2_000, 60));
        let most_text = most.to_string();
        let more = [option, &most_text, "--price-in", "1", "--price-out", "1"];
        let stopped = ran(&service, &folder, &more);
        assert_eq!(stopped.code(), 4, "{}", stopped.stderr);
        assert!(
            stopped.stderr.contains(&format!("stopped  by {option} {most_text}")),
            "{}",
            stopped.stderr
        );
        let used = used(&service) as f64;
        // Both prices are 1 for a million.
        let used = if option == "--max-cost" { used / 1e6 } else { used };
        assert!(used <= most, "{used} of {most}");
        assert!(used > most * 0.9, "{used} of {most}");
    }
}

#[test]
fn rows_are_bounded_and_the_rest_runs_next_time() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(100, 60));
    let first = ran(&service, &folder, &["--max-rows", "30"]);
    assert_eq!((first.code(), results(&folder)), (4, 30), "{}", first.stderr);
    assert!(first.stderr.contains("stopped  by --max-rows 30"), "{}", first.stderr);
    assert!(first.stderr.contains("left  70 rows"), "{}", first.stderr);
    let second = ran(&service, &folder, &[]);
    assert_eq!((second.code(), results(&folder)), (0, 100), "{}", second.stderr);
}

#[test]
fn a_maximum_of_cost_without_a_price_is_refused_before_anything_is_sent() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(10, 60));
    folder.file("prices.json", r#"{"another": {"in": 1, "out": 2}}"#);
    folder.file("wrong.json", "{\"echo\": {\"in\": 1,\n\"out\": -2}}");
    for (more, says) in [
        (&["--max-cost", "1"][..], "--max-cost needs prices"),
        (&["--max-cost", "1", "--prices", "prices.json"], "there is no price for model \"echo\""),
        (&["--prices", "wrong.json"], "wrong.json:1:10: model \"echo\": \"out\": invalid price -2"),
        (&["--price-in", "1"], "--price-in needs --price-out"),
    ] {
        let refused = ran(&service, &folder, more);
        assert_eq!(refused.code(), 2, "{}", refused.stderr);
        assert!(refused.stderr.contains(says), "{}", refused.stderr);
        assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    }
    assert_eq!(calls(&service), 0);
    let absent = ran(&service, &folder, &["--prices", "absent.json"]);
    assert_eq!(absent.code(), 5, "{}", absent.stderr);
}

#[test]
fn a_bar_fits_into_every_window() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(2_500, 100));
    let options = ["--no-pilot", "--rpm", "12000"];
    let mut screen = Screen::start(&bulk(&service, &folder, &options), 24, 120);
    screen.wait_for("rows/s");
    for columns in [40, 80, 30, 100] {
        screen.resize(24, columns);
        // A bar with its numbers, and the line below: neither is broken in two.
        until("the bar fits", || {
            let text = screen.text();
            let is_whole =
                text.lines().count() == 2 && text.contains("rows/s") && text.contains(" %");
            is_whole || !screen.is_running()
        });
    }
    assert_eq!(screen.end().code(), Some(0), "{}", screen.text());
    assert!(!screen.text().contains('━'), "{}", screen.text());
    assert!(screen.text().contains("done  2,500 rows in"), "{}", screen.text());
}

#[test]
fn a_dumb_terminal_gets_plain_lines() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(50, 100));
    let quiet = ran(&service, &folder, &["--quiet"]);
    assert_eq!((quiet.code(), quiet.stderr.as_str()), (0, ""));
}

/// The service fails three times: rows go again as the user allows, and each time counts.
#[test]
fn each_attempt_of_a_retried_row_is_counted() {
    let (service, folder) = (Service::start().unwrap(), Folder::new());
    folder.file("in.jsonl", rows(40, 60));
    let body = br#"{"error":{"message":"not now","type":"t","code":"c"}}"#.to_vec();
    let failure = Reply {
        says: Says::Document { status: 500, headers: Vec::new(), body },
        faults: Vec::new(),
    };
    service.queue(vec![failure; 3]);
    let options =
        ["--may-pay-twice", "--price-in", "1", "--price-out", "1", "--max-total-tokens", "100000"];
    let again = ran(&service, &folder, &options);
    assert_eq!(again.code(), 0, "{}", again.stderr);
    assert!(again.stderr.contains("3 attempts failed after they were sent"), "{}", again.stderr);
    assert!(again.stderr.contains("including what may have been metered"), "{}", again.stderr);
    assert_eq!(results(&folder), 40);
}
