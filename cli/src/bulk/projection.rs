//! The estimate of a pilot, as lines for people and as members for `--json-progress`.

use std::time::Duration;

use modelwire_bulk::pilot::{Interval, Projection};
use modelwire_bulk::prices::Money;
use serde_json::json;

use crate::bulk::numbers::{grouped, short, time};
use crate::bulk::progress::Members;

/// The lines, each with a line feed.
pub(crate) fn text(projection: &Projection, colours: bool) -> String {
    let seconds =
        |seconds: f64| time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let money = |units: f64| Money::new(units).to_string();
    let per_cent = |share: f64| format!("{:.1} %", share * 100.0);
    let mut table: Vec<(&str, String, String, String)> = Vec::new();
    let mut add = |name, interval: Option<Interval>, show: &dyn Fn(f64) -> String, more: String| {
        if let Some(Interval { point, low, high }) = interval {
            table.push((name, show(point), format!("{} to {}", show(low), show(high)), more));
        }
    };
    add("tokens in", projection.tokens_in, &short, String::new());
    add("tokens out", projection.tokens_out, &short, String::new());
    add("cost", projection.cost, &money, String::new());
    let at_once = format!("with {} in flight, as in the pilot", grouped(projection.at_once));
    add("time", projection.time, &seconds, at_once);
    add(
        "failed",
        Some(projection.failed_share),
        &per_cent,
        format!("{} of {}", projection.failed, projection.ended),
    );
    let point = table.iter().map(|row| row.1.chars().count()).max().unwrap_or(0);
    let range = table.iter().map(|row| row.2.chars().count()).max().unwrap_or(0);
    let dim = |text: &str| {
        if colours { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    };
    let mut text = format!(
        "{}  {} of {} rows, drawn at random, in {}. All rows, with 95 % intervals:\n",
        dim("     pilot"),
        grouped(projection.ended),
        grouped(projection.rows),
        time(projection.elapsed),
    );
    for (name, value, interval, more) in &table {
        let line = format!("{value:<point$}   {interval:<range$}   {more}");
        text.push_str(&format!("{}  {}\n", dim(&format!("{name:>10}")), line.trim_end()));
    }
    let mut say = |line: &str| text.push_str(&format!("{}  {line}\n", dim("      note")));
    if projection.without_usage > 0 {
        let tokens = if projection.tokens_in.is_some() {
            "are assumed to use what the others do"
        } else {
            "tokens are unknown"
        };
        say(&format!(
            "{} of {} answers report no usage: {tokens}",
            projection.without_usage, projection.ended
        ));
    }
    if projection.tokens_in.is_none() && projection.without_usage == 0 {
        say("tokens are unknown: too few rows were answered");
    }
    if projection.time.is_some() {
        say("the time is a guess: the job raises its concurrency, and a limit may slow it");
    }
    text
}

/// For `--json-progress`: `rows`, `pilot_rows`, `failed`, `without_usage`, `elapsed_s`, `at_once`, and for
/// each of `failed_share`, `tokens_in`, `tokens_out`, `cost`, `time_s` an object of `point`, `low` and
/// `high`, or null if unknown.
pub(crate) fn members(projection: &Projection) -> Members {
    let interval = |interval: Option<Interval>| {
        json!(interval.map(|of| json!({"point": of.point, "low": of.low, "high": of.high})))
    };
    vec![
        ("rows", json!(projection.rows)),
        ("pilot_rows", json!(projection.ended)),
        ("failed", json!(projection.failed)),
        ("without_usage", json!(projection.without_usage)),
        ("elapsed_s", json!(projection.elapsed.as_secs_f64())),
        ("at_once", json!(projection.at_once)),
        ("failed_share", interval(Some(projection.failed_share))),
        ("tokens_in", interval(projection.tokens_in)),
        ("tokens_out", interval(projection.tokens_out)),
        ("cost", interval(projection.cost)),
        ("time_s", interval(projection.time)),
    ]
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
