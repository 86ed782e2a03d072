//! The estimate of a pilot, as lines for people and as members for `--json-progress`.

use std::time::Duration;

use modelwire_bulk::pilot::{Estimate, Projection, ROWS_MIN};
use modelwire_bulk::prices::Money;
use serde_json::json;

use crate::bulk::numbers::{counted, grouped, short, time};
use crate::bulk::progress::Members;

/// The lines, each with a line feed.
pub(crate) fn text(projection: &Projection, colours: bool) -> String {
    let table = table(projection);
    let width = |text: fn(&Line) -> &str| {
        table.iter().map(|line| text(line).chars().count()).max().unwrap_or_default()
    };
    let (point, likely) = (width(|line| &line.point), width(|line| &line.likely));
    let dim = |text: &str| {
        if colours { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    };
    let mut text = format!(
        "{}  {} of {} rows, drawn at random, in {}. Estimates for all rows:\n",
        dim("     pilot"),
        grouped(projection.ended),
        grouped(projection.extent.rows),
        time(projection.elapsed),
    );
    for line in &table {
        let columns = format!("{:<point$}   {:<likely$}   {}", line.point, line.likely, line.more);
        let name = dim(&format!("{:>10}", line.name));
        text.push_str(&format!("{name}  {}\n", columns.trim_end()));
    }
    for note in notes(projection) {
        text.push_str(&format!("{}  {note}\n", dim("      note")));
    }
    text
}

/// A line of the table.
struct Line {
    name: &'static str,
    point: String,
    /// The interval.
    likely: String,
    /// The worst case, or what the figure is from.
    more: String,
}

fn table(projection: &Projection) -> Vec<Line> {
    let of = |name, estimate: Option<Estimate>, show: fn(f64) -> String| {
        let Estimate { point, low, high, most } = estimate?;
        let likely = match (low, high) {
            (Some(low), Some(high)) => format!("likely {} to {}", show(low), show(high)),
            (Some(low), None) => format!("likely at least {}", show(low)),
            (None, _) => String::new(),
        };
        let more = most.map(|most| format!("at most {}", show(most))).unwrap_or_default();
        Some(Line { name, point: show(point), likely, more })
    };
    let money = |units| Money::new(units).to_string();
    let per_cent = |share| format!("{:.1} %", share * 100.0);
    let failed = of("failed", projection.failed_share, per_cent).map(|line| {
        let more = format!("{} of {}", projection.failed, projection.ended);
        Line { more, ..line }
    });
    let time = projection.time.map(|seconds| Line {
        name: "time",
        point: time(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
        likely: String::new(),
        more: format!("with {} in flight, as in the pilot", grouped(projection.at_once)),
    });
    [
        of("tokens in", projection.tokens_in, short),
        of("tokens out", projection.tokens_out, short),
        of("cost", projection.cost, money),
        failed,
        time,
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What the table means, and why it lacks something.
fn notes(projection: &Projection) -> impl Iterator<Item = String> {
    let Projection { extent, ended, with_usage, tokens_in, tokens_out, .. } = *projection;
    let is_known = tokens_in.is_some();
    let sample = if is_known { with_usage } else { ended };
    let is_large = sample >= ROWS_MIN as u64;
    let lacks_most = |of: Option<Estimate>| of.is_some_and(|of| of.most.is_none());
    let (open_in, open_out) = (lacks_most(tokens_in), lacks_most(tokens_out));
    let without_usage = ended - with_usage;
    let why_in = match extent.open {
        0 => "an answer reported more input tokens than its row has bytes".to_owned(),
        rows => format!("rows with an image, a file or a conversation: {}", grouped(rows)),
    };
    let why_out = match extent.unlimited {
        0 => "an answer used more output tokens than its row allows".to_owned(),
        rows => {
            format!("rows without max_tokens: {}; --default max_tokens=N adds it", grouped(rows))
        }
    };
    let silent = match is_known {
        true => "are assumed to use what the others do",
        false => "tokens are unknown",
    };
    [
        (is_large, "likely: true in 95 of 100 jobs; a larger --pilot narrows it".to_owned()),
        (
            !is_large,
            format!(
                "no interval{}: {} too few; --pilot {ROWS_MIN} or more gives one",
                if ended >= ROWS_MIN as u64 { " of tokens" } else { "" },
                counted(sample, "row is", "rows are")
            ),
        ),
        (
            is_known && !(open_in && open_out),
            "at most: an input token per byte, max_tokens output tokens per row".to_owned(),
        ),
        (open_in, format!("input tokens have no upper bound: {why_in}")),
        (open_out, format!("output tokens have no upper bound: {why_out}")),
        (
            without_usage > 0,
            format!("{without_usage} of {ended} answers report no usage: {silent}"),
        ),
        (
            !is_known && without_usage == 0,
            "tokens are unknown: too few rows were answered".to_owned(),
        ),
        (
            projection.time.is_some(),
            "the time is a guess: the job raises its concurrency, and a limit may slow it"
                .to_owned(),
        ),
    ]
    .into_iter()
    .filter_map(|(applies, note)| applies.then_some(note))
}

/// For `--json-progress`: `rows`, `pilot_rows`, `failed`, `without_usage`, `elapsed_s`, `concurrency`,
/// `time_s`, and for each of `failed_share`, `tokens_in`, `tokens_out`, `cost` an object of `point`,
/// `low`, `high` and `most`, each null if unknown.
pub(crate) fn members(projection: &Projection) -> Members {
    let estimate = |estimate: Option<Estimate>| {
        json!(estimate.map(|Estimate { point, low, high, most }| {
            json!({"point": point, "low": low, "high": high, "most": most})
        }))
    };
    vec![
        ("rows", json!(projection.extent.rows)),
        ("pilot_rows", json!(projection.ended)),
        ("failed", json!(projection.failed)),
        ("without_usage", json!(projection.ended - projection.with_usage)),
        ("elapsed_s", json!(projection.elapsed.as_secs_f64())),
        ("concurrency", json!(projection.at_once)),
        ("time_s", json!(projection.time)),
        ("failed_share", estimate(projection.failed_share)),
        ("tokens_in", estimate(projection.tokens_in)),
        ("tokens_out", estimate(projection.tokens_out)),
        ("cost", estimate(projection.cost)),
    ]
}

#[cfg(test)]
#[path = "projection_tests.rs"]
mod tests;
