//! `modelwire bulk set`: changes the limits of a running job, through the files next to its journal.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use modelwire_bulk::store::control::{ControlFiles, write_new_line};
use modelwire_bulk::store::is_running;
use serde_json::{Map, Value, json};

use super::arguments::positive;
use super::status::{no_journal, options_of};
use crate::console::Output;
use crate::failure::Failure;

/// How long to wait for the answer; a run looks every second.
const WAIT: Duration = Duration::from_secs(15);

/// Between two looks for it.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Change limits of a running job; `none` removes a limit
///
/// New limits take effect within a second or two; rows in flight finish. A later run uses the limits in
/// its own options.
#[derive(Clone, Debug, clap::Args)]
#[command(override_usage = "modelwire bulk set [OPTIONS] <OUT.jsonl>")]
pub(crate) struct Set {
    /// The results of the job
    #[arg(value_name = "OUT.jsonl")]
    output: PathBuf,

    /// The file of its journal [default: OUT.jsonl.journal]
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,

    #[command(flatten)]
    limits: Limits,
}

#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
#[group(required = true, multiple = true)]
struct Limits {
    /// Maximum rows of one model in flight
    #[arg(long, value_name = "N", value_parser = |given: &str| limit(given, rows_in_flight))]
    max_concurrency: Option<Value>,

    /// Maximum requests per minute, for each model
    #[arg(long, value_name = "N", value_parser = |given: &str| limit(given, positive))]
    rpm: Option<Value>,

    /// Maximum tokens per minute, input and output, for each model
    #[arg(long, value_name = "N", value_parser = |given: &str| limit(given, positive))]
    tpm: Option<Value>,

    /// Stop before the run costs more than this, including what it has already cost; needs prices
    #[arg(long, value_name = "COST", value_parser = |given: &str| limit(given, cost))]
    max_cost: Option<Value>,

    /// Stop before the run uses more than N tokens, including those already used
    #[arg(long, value_name = "N", value_parser = |given: &str| limit(given, count))]
    max_total_tokens: Option<Value>,

    /// Stop after N rows, including those already run
    #[arg(long, value_name = "N", value_parser = |given: &str| limit(given, count))]
    max_rows: Option<Value>,
}

/// A limit, or null for `none`.
fn limit<T: Into<Value>>(
    given: &str,
    parse: fn(&str) -> Result<T, String>,
) -> Result<Value, String> {
    match given {
        "none" => Ok(Value::Null),
        _ => parse(given).map(T::into).map_err(|error| format!("{error}, or none")),
    }
}

fn count(given: &str) -> Result<u64, String> {
    given.parse().map_err(|_| "give a whole number, 0 or more".to_owned())
}

fn rows_in_flight(given: &str) -> Result<u32, String> {
    let number = given.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| format!("give a whole number from 1 to {}", u32::MAX))
}

fn cost(given: &str) -> Result<f64, String> {
    let number = given.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "give a number, 0 or more".to_owned())
}

impl Limits {
    /// The given limits, by the names of their options.
    fn request(&self) -> Map<String, Value> {
        let given = [
            ("max_concurrency", &self.max_concurrency),
            ("rpm", &self.rpm),
            ("tpm", &self.tpm),
            ("max_cost", &self.max_cost),
            ("max_total_tokens", &self.max_total_tokens),
            ("max_rows", &self.max_rows),
        ];
        let named = |(name, limit): (&str, &Option<Value>)| Some((name.to_owned(), limit.clone()?));
        given.into_iter().filter_map(named).collect()
    }
}

impl Set {
    /// Asks the run, and prints what it changed.
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let options = options_of(&self.output, self.journal.as_deref());
        let Some(files) = ControlFiles::of(&options) else { return Err(no_journal(&self.output)) };
        let request = json!({ "set": self.limits.request() }).to_string();
        let answer = self.ask(&files, &request, || is_running(&options) != Some(false))?;
        if let Some(why) = answer.get("refused").and_then(Value::as_str) {
            return Err(Failure::usage(why));
        }
        let mut out = Output::standard();
        for line in answer.get("changed").and_then(Value::as_array).into_iter().flatten() {
            out.line(line.as_str().unwrap_or_default())?;
        }
        out.flush()
    }

    /// Writes the request when nobody else waits for an answer, and waits for its own.
    fn ask(
        &self,
        files: &ControlFiles,
        request: &str,
        goes_on: impl Fn() -> bool,
    ) -> Result<Value, Failure> {
        let (begun, path) = (Instant::now(), &files.request);
        let mut is_written = false;
        let failure = loop {
            // A run that ends may have answered before.
            let goes_on = goes_on();
            if is_written && let Some(answer) = answer(files) {
                let _ = fs::remove_file(path);
                return Ok(answer);
            }
            if !goes_on {
                break Failure::usage(format!(
                    "no run of {} is in progress: start one with the new limits",
                    self.output.display()
                ));
            }
            if begun.elapsed() >= WAIT {
                let seconds = WAIT.as_secs();
                break match is_written {
                    true => Failure::file(format!(
                        "the run did not answer within {seconds} s: it is still reading its input, is \
                         waiting for an answer to its question, or was started from Python"
                    )),
                    false => Failure::file(format!(
                        "another `bulk set` has waited for at least {seconds} s: try again, or remove {} if no other one \
                         is running",
                        path.display()
                    )),
                };
            }
            if !is_written {
                is_written = write_new_line(path, request).map_err(|error| {
                    Failure::file(format!("{} cannot be written: {error}", path.display()))
                })?;
            }
            std::thread::sleep(LOOK_INTERVAL);
        };
        if is_written {
            let _ = fs::remove_file(path);
        }
        Err(failure)
    }
}

/// What the run wrote in place of the request.
fn answer(files: &ControlFiles) -> Option<Value> {
    let answer: Value = serde_json::from_str(&files.read(&files.request)?).ok()?;
    answer.get("set").is_none().then_some(answer)
}
