//! `modelwire bulk status`: what the journal of a job says, and what its run publishes next to it.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use modelwire_bulk::prices::Money;
use modelwire_bulk::store::control::ControlFiles;
use modelwire_bulk::store::{JobReport, StoreOptions, report};
use serde_json::{Value, json};

use super::limits;
use super::numbers::{clock, counted, grouped, percent, short, time};
use crate::console::Output;
use crate::failure::Failure;

/// Show how far a job is, while it runs or afterwards
///
/// Changes nothing, and needs neither the service nor the input.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Status {
    /// The results of the job
    #[arg(value_name = "OUT.jsonl")]
    output: PathBuf,

    /// The file of its journal [default: OUT.jsonl.journal]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

impl Status {
    /// Prints it.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let options = options_of(&self.output, self.journal.as_deref());
        let files = ControlFiles::of(&options);
        let published = files.and_then(|files| files.read(&files.status));
        let Some(job) = report(&options)? else { return Err(no_journal(&self.output)) };
        let published = published.and_then(|line| serde_json::from_str::<Value>(&line).ok());
        let live = published.filter(|published| {
            // A run that was killed left its file.
            let pid = published.get("pid").and_then(Value::as_u64);
            job.is_running != Some(false) && pid == job.last_run.map(|(pid, _)| pid)
        });
        let mut out = Output::standard();
        match self.json {
            true => out.line(&json_of(&job, live.as_ref()).to_string())?,
            false => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                for (name, text) in lines(&job, live.as_ref(), now.as_secs()) {
                    out.line(&format!("{name:<15}{text}"))?;
                }
            }
        }
        out.flush()
    }
}

/// The files of a job with these results.
pub(super) fn options_of(output: &Path, journal: Option<&Path>) -> StoreOptions {
    let results = (output.as_os_str() != "-").then(|| output.to_owned());
    StoreOptions { results, journal: journal.map(Path::to_owned), ..StoreOptions::default() }
}

/// The error for results without a journal.
pub(super) fn no_journal(output: &Path) -> Failure {
    Failure::file(format!(
        "{} has no journal, so no job has written to it; name the journal with --journal if it is elsewhere",
        output.display()
    ))
}

fn json_of(job: &JobReport, live: Option<&Value>) -> Value {
    let of_run = |name: &str| live.and_then(|live| live.get(name)).cloned().unwrap_or_default();
    json!({
        "running": job.is_running,
        "pid": job.last_run.map(|(pid, _)| pid),
        "began_unix": job.last_run.map(|(_, began)| began),
        "runs": job.runs,
        "done": job.done,
        "failed": job.failed,
        "unknown": job.unknown,
        "result_bytes": job.bytes,
        "progress": of_run("progress"),
        "limits": of_run("limits"),
    })
}

/// The lines for people: their names, and their text. `now`: seconds since 1970 UTC.
fn lines(job: &JobReport, live: Option<&Value>, now: u64) -> Vec<(&'static str, String)> {
    let since = |began: u64| time(Duration::from_secs(now.saturating_sub(began)));
    let mut lines = vec![match (job.is_running, job.last_run) {
        (Some(true), Some((pid, began))) => {
            ("running", format!("for {}, process {pid}", since(began)))
        }
        (Some(true), None) => ("running", "it has just started".to_owned()),
        (Some(false), Some((_, began))) => {
            ("not running", format!("the last run began {} ago", since(began)))
        }
        (None, Some((pid, began))) => (
            "running?",
            format!(
                "not known, as this file system has no locks; the last run, process {pid}, began {} ago",
                since(began)
            ),
        ),
        (Some(false) | None, None) => ("not running", "no run is recorded".to_owned()),
    }];
    match live.and_then(|live| live.get("progress")) {
        Some(progress) => live_lines(progress, &mut lines),
        None => {
            lines.push(("done", counted(job.done, "row", "rows")));
            if job.failed > 0 {
                lines.push(("failed", counted(job.failed, "row", "rows")));
            }
            if job.unknown > 0 {
                let what = match job.is_running {
                    Some(false) => "sent, and without a recorded outcome",
                    Some(true) | None => "in flight, or about to be sent",
                };
                lines.push(("unknown", format!("{} {what}", counted(job.unknown, "row", "rows"))));
            }
        }
    }
    if let Some(limits) = live.and_then(|live| live.get("limits")?.as_object()) {
        let set = limits.iter().filter(|(_, limit)| !limit.is_null());
        let set: Vec<_> = set
            .map(|(name, limit)| format!("{} {}", limits::option(name), limits::value(Some(limit))))
            .collect();
        if !set.is_empty() {
            lines.push(("limits", set.join(" ")));
        }
    }
    if job.bytes > 0 {
        lines.push(("results", counted(job.bytes, "byte", "bytes")));
    }
    lines
}

/// Those about the progress of a run.
fn live_lines(progress: &Value, lines: &mut Vec<(&'static str, String)>) {
    let count = |name: &str| progress.get(name).and_then(Value::as_u64);
    let number = |name: &str| progress.get(name).and_then(Value::as_f64);
    let known = |name: &str| count(name).unwrap_or(0);
    if let Some(phase) = progress.get("phase").and_then(Value::as_str).filter(|it| *it != "running")
    {
        lines.push(("phase", phase.to_owned()));
    }
    let (before, done, failed) = (known("before"), known("done"), known("failed"));
    let ended = before + done + failed;
    let mut rows = match count("total") {
        Some(total) => {
            format!("{} of {} ended, {}", grouped(ended), grouped(total), percent(ended, total))
        }
        None => format!("{} ended", grouped(ended)),
    };
    if let Some(left) = number("eta_s").and_then(|left| Duration::try_from_secs_f64(left).ok()) {
        rows.push_str(&format!(", {} left", clock(left)));
    }
    lines.push(("rows", rows));
    lines.push(("", format!("{} in this run, {} before", grouped(done + failed), grouped(before))));
    if failed > 0 {
        lines.push(("failed", format!("{} in this run", counted(failed, "row", "rows"))));
    }
    let per_second = |name: &str| short(number(name).unwrap_or(0.0));
    lines.push((
        "rate",
        format!("{} rows/s, {} tokens/s", per_second("rows_per_s"), per_second("tokens_per_s")),
    ));
    let (in_flight, limit) = (known("in_flight"), known("concurrency_limit"));
    lines.push(("in flight", format!("{} of {}", grouped(in_flight), grouped(limit))));
    if known("rate_limited") > 0 {
        lines.push(("429s", percent(known("rate_limited"), known("attempts"))));
    }
    let (input, output) = (known("tokens_in"), known("tokens_out"));
    lines.push(("tokens", format!("{} in, {} out", grouped(input), grouped(output))));
    if let Some(cost) = number("cost") {
        lines.push(("cost", Money::new(cost).to_string()));
    }
}

#[cfg(test)]
#[path = "status_tests.rs"]
mod tests;
