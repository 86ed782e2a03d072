//! The lines of the progress display at any width. Pure.

use std::time::Duration;

use serde_json::json;

use super::{Members, Phase, State};
use crate::bulk::numbers::{clock, grouped, percent, short};

/// The separator between parts of a line.
const BETWEEN: &str = "   ";

/// Values derived from two states.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Speed {
    pub(super) rows: f64,
    pub(super) tokens: f64,
    pub(super) left: Option<Duration>,
}

/// The text after the bar: the count, the total and the time left, shortened so that it never exceeds
/// `width`.
pub(super) fn position(state: &State, speed: &Speed, width: usize) -> String {
    let ended = state.ended();
    let Some(total) = state.total else {
        return longest(width, &[counted_rows(ended), grouped(ended)]);
    };
    let of = format!("{} / {}", grouped(ended), grouped(total));
    let share = share_of(ended as f64 / (total as f64).max(1.0));
    let left = speed.left.map(clock);
    let mut forms = Vec::new();
    if let Some(left) = &left {
        forms.push(format!("{of}  {share}  {left} left"));
        forms.push(format!("{share}  {left} left"));
        forms.push(format!("{share} {left}"));
    } else {
        forms.push(format!("{of}  {share}"));
    }
    forms.push(share);
    longest(width, &forms)
}

/// The same while the input is read.
pub(super) fn reading(rows: u64, share: f64, width: usize) -> String {
    longest(width, &[format!("{}  {}", counted_rows(rows), share_of(share)), share_of(share)])
}

fn share_of(share: f64) -> String {
    format!("{:>3.0} %", (share * 100.0).min(100.0).floor())
}

fn counted_rows(count: u64) -> String {
    crate::bulk::numbers::counted(count, "row", "rows")
}

/// The first that fits; the last, if none does.
fn longest(width: usize, forms: &[String]) -> String {
    let fits = forms.iter().find(|form| form.chars().count() <= width);
    fits.or(forms.last()).cloned().unwrap_or_default()
}

/// The line below the bar, without the least important parts if they do not fit.
pub(super) fn details(state: &State, speed: &Speed, width: usize) -> String {
    // In display order. Parts with the highest number are dropped first.
    let mut parts: Vec<(u8, String)> = Vec::new();
    match state.phase {
        Phase::Reading | Phase::Running => {}
        Phase::Pilot => parts.push((0, "pilot".to_owned())),
        Phase::Pausing => parts.push((0, "pausing".to_owned())),
        Phase::Draining => parts.push((0, "finishing".to_owned())),
        Phase::Writing => parts.push((0, "writing".to_owned())),
    }
    parts.push((2, format!("{} rows/s", short(speed.rows))));
    if state.tokens.total() > 0 {
        parts.push((6, format!("{} tokens/s", short(speed.tokens))));
    }
    let mut in_flight = format!(
        "{} of {} in flight",
        grouped(state.in_flight.into()),
        grouped(state.concurrency_limit.into())
    );
    if let Some(rate) = state.rate {
        in_flight.push_str(&format!(" ({} starts/s)", short(rate)));
    }
    parts.push((4, in_flight));
    if state.rate_limited > 0 {
        parts.push((5, format!("429s {}", percent(state.rate_limited, state.attempts))));
    }
    if state.equal + state.reused > 0 {
        parts.push((5, format!("{} copied", grouped(state.equal + state.reused))));
    }
    if state.asked_again > 0 {
        parts.push((7, format!("{} asked again", grouped(state.asked_again))));
    }
    if state.failed > 0 {
        parts.push((1, format!("{} failed", grouped(state.failed))));
    }
    if let Some(cost) = state.cost {
        parts.push((3, format!("cost {cost}")));
    }
    loop {
        let line = parts.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(BETWEEN);
        if line.chars().count() <= width {
            return line;
        }
        let Some(last) = parts.iter().map(|(order, _)| *order).max() else { return String::new() };
        parts.retain(|(order, _)| *order != last);
    }
}

/// The members of one line of `--json-progress`, in order.
pub(super) fn members(
    event: &'static str,
    elapsed: Duration,
    state: &State,
    speed: &Speed,
) -> Members {
    vec![
        ("event", json!(event)),
        ("phase", json!(state.phase.name())),
        ("elapsed_s", json!(rounded(elapsed.as_secs_f64()))),
        ("total", json!(state.total)),
        ("before", json!(state.before)),
        ("done", json!(state.done)),
        ("failed", json!(state.failed)),
        ("equal", json!(state.equal)),
        ("reused", json!(state.reused)),
        ("in_flight", json!(state.in_flight)),
        ("concurrency_limit", json!(state.concurrency_limit)),
        ("starts_per_s", json!(state.rate.map(rounded))),
        ("attempts", json!(state.attempts)),
        ("rate_limited", json!(state.rate_limited)),
        ("asked_again", json!(state.asked_again)),
        ("tokens_in", json!(state.tokens.input)),
        ("tokens_cached_in", json!(state.tokens.cached)),
        ("tokens_out", json!(state.tokens.output)),
        ("cost", json!(state.cost.map(|cost| cost.units()))),
        ("rows_per_s", json!(rounded(speed.rows))),
        ("tokens_per_s", json!(rounded(speed.tokens))),
        ("eta_s", json!(speed.left.map(|left| rounded(left.as_secs_f64())))),
    ]
}

/// The further members while the input is read.
pub(super) fn reading_members(rows: u64, share: f64) -> Members {
    vec![("rows_read", json!(rows)), ("share_read", json!(rounded(share.min(1.0))))]
}

/// Rounded to three decimals.
fn rounded(number: f64) -> f64 {
    (number * 1e3).round() / 1e3
}

/// A JSON object on one line.
pub(super) fn object(members: &[(&'static str, serde_json::Value)]) -> String {
    let members = members.iter().map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}
