//! What the records of ended calls say together: which calls failed and where, and where the time went.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Duration;

use modelwire::{ERROR_KINDS, ErrorKind};
use serde_json::Value;

use crate::bulk::numbers::{grouped, percent};
use crate::doctor::report::{Check, Finding, State, time};
use crate::failure::Failure;

/// Maximum bytes of a line.
const LINE_BYTES_MAX: u64 = 16 << 20;
/// Maximum records; further ones are not read.
const RECORDS_MAX: u64 = 10_000_000;
/// From this share of the calls on, a bottleneck outside of the service is a warning.
const MUCH: f64 = 0.1;

/// The bottlenecks of records, what they mean, and what to do.
const BOTTLENECKS: [(&str, &str, &str); 9] = [
    (
        "queue",
        "calls waited in the client: for a connection, or behind others (retry_adaptive)",
        "Raise connections_max, or make fewer calls at once.",
    ),
    (
        "retry",
        "calls waited between attempts, as the service refused them or asked to wait",
        "Make fewer calls at once; set retry_adaptive, or ask the service for a higher limit.",
    ),
    (
        "dns",
        "the lookup of the service's name",
        "Check the DNS servers of this machine; keep one client, whose connections are reused.",
    ),
    (
        "connect",
        "opening connections to the service",
        "Check the network; keep one client, whose connections are reused.",
    ),
    (
        "proxy",
        "opening connections through the proxy",
        "Check the proxy; keep one client, whose connections are reused.",
    ),
    (
        "tls",
        "the TLS handshake",
        "Check certificates and clock (modelwire doctor); keep one client, whose connections are reused.",
    ),
    (
        "service",
        "the service, before it began to answer",
        "Ask its operator; shorter prompts, another model, or several services (base_urls) may help.",
    ),
    (
        "stream",
        "the answer, from its first piece to its end",
        "Fewer output tokens (max_tokens) make answers shorter.",
    ),
    (
        "consumer",
        "the program, which read streams more slowly than they came",
        "Do less between two chunks, or raise queue_events_max and queue_bytes_max.",
    ),
];

fn meaning(bottleneck: &str) -> (&'static str, &'static str) {
    let known = BOTTLENECKS.iter().find(|(name, ..)| *name == bottleneck);
    known.map_or(("", ""), |(_, cause, action)| (cause, action))
}

/// The sums over all records.
#[derive(Default)]
struct Sums {
    calls: u64,
    others: u64,
    cancelled: u64,
    failed: u64,
    /// Of failed calls.
    kinds: BTreeMap<String, u64>,
    failed_at: BTreeMap<String, u64>,
    /// Of the other calls.
    bottlenecks: BTreeMap<String, u64>,
    elapsed: Vec<u64>,
    first_chunks: Vec<u64>,
    repeated: u64,
    more_attempts: u64,
    /// Attempts and failures by base URL.
    places: BTreeMap<String, (u64, u64)>,
}

/// A time of a record in microseconds: its JSON form has those, Python's dictionary has seconds.
fn micros(record: &Value, name: &str) -> Option<u64> {
    let exact = record.get(format!("{name}_us")).and_then(Value::as_u64);
    exact.or_else(|| Some((record.get(name)?.as_f64()? * 1e6) as u64))
}

fn text<'a>(record: &'a Value, name: &str) -> Option<&'a str> {
    record.get(name).and_then(Value::as_str)
}

impl Sums {
    /// Adds a record, alone or as the member `timing` of an answer's or an error's description.
    fn add(&mut self, line: &Value) {
        let record = line.get("timing").filter(|timing| timing.is_object()).unwrap_or(line);
        let (Some(_), Some(elapsed)) = (text(record, "operation"), micros(record, "elapsed"))
        else {
            self.others += 1;
            return;
        };
        self.calls += 1;
        let bottleneck = text(record, "bottleneck").map(str::to_owned);
        match text(record, "kind") {
            Some("cancelled" | "closed" | "shutdown") => self.cancelled += 1,
            Some(kind) => {
                self.failed += 1;
                *self.kinds.entry(kind.to_owned()).or_default() += 1;
                if let Some(bottleneck) = bottleneck {
                    *self.failed_at.entry(bottleneck).or_default() += 1;
                }
            }
            None => {
                self.elapsed.push(elapsed);
                self.first_chunks.extend(micros(record, "first_chunk"));
                if let Some(bottleneck) = bottleneck {
                    *self.bottlenecks.entry(bottleneck).or_default() += 1;
                }
            }
        }
        let attempts = record.get("attempts_count").and_then(Value::as_u64).unwrap_or_default();
        self.repeated += u64::from(attempts > 1);
        self.more_attempts += attempts.saturating_sub(1);
        for attempt in record.get("attempts").and_then(Value::as_array).into_iter().flatten() {
            if let Some(base_url) = text(attempt, "base_url") {
                let place = self.places.entry(base_url.to_owned()).or_default();
                place.0 += 1;
                place.1 += u64::from(text(attempt, "kind").is_some());
            }
        }
    }

    fn checks(mut self) -> Vec<Check> {
        let mut checks = Vec::new();
        let mut add = |name, finding| {
            checks.push(Check { name, finding, took: Duration::ZERO });
        };
        add("records", self.read());
        add("failures", self.failures());
        if !self.elapsed.is_empty() {
            add("time", self.times());
            add("bottleneck", self.slow());
        }
        if self.repeated > 0 {
            let saw = format!(
                "{} of {} calls took more than one attempt, {} more in all",
                grouped(self.repeated),
                grouped(self.calls),
                grouped(self.more_attempts)
            );
            add("attempts", Finding::ok(saw));
        }
        for (base_url, (attempts, failed)) in std::mem::take(&mut self.places) {
            let (attempts, failed) = (grouped(attempts), grouped(failed));
            add(
                "base_url",
                Finding::ok(format!("{base_url}: {attempts} attempts, {failed} failed")),
            );
        }
        checks
    }

    fn read(&self) -> Finding {
        let calls = grouped(self.calls);
        match (self.others, self.cancelled) {
            (0, 0) => Finding::ok(format!("{calls} calls")),
            (0, cancelled) => {
                Finding::ok(format!("{calls} calls, {} cancelled", grouped(cancelled)))
            }
            (others, _) => Finding {
                state: State::Warning,
                ..Finding::ok(format!("{calls} calls; {} lines are no records", grouped(others)))
            },
        }
    }

    fn failures(&self) -> Finding {
        if self.failed == 0 {
            return Finding::ok("no call failed");
        }
        let share = percent(self.failed, self.calls);
        let saw =
            format!("{} calls failed ({share}): {}", grouped(self.failed), listed(&self.kinds));
        let (place, _) = most(&self.failed_at).map_or(("", ""), meaning);
        let cause = match place.is_empty() {
            true => String::new(),
            false => format!("most failed at this: {place}"),
        };
        let is_most = |kind: &&ErrorKind| Some(kind.name()) == most(&self.kinds);
        let hint = ERROR_KINDS.iter().find(is_most).map(|kind| kind.hint()).unwrap_or_default();
        let finding = Finding { state: State::Failed, ..Finding::ok(saw) };
        finding.because(cause).so_do(hint)
    }

    fn times(&mut self) -> Finding {
        let mut saw = format!("calls took {}", spread(&mut self.elapsed));
        if !self.first_chunks.is_empty() {
            saw += &format!("; the first chunk came after {}", spread(&mut self.first_chunks));
        }
        Finding::ok(saw)
    }

    /// Where the time of successful calls went.
    fn slow(&self) -> Finding {
        let saw = format!("most of the time went to: {}", listed(&self.bottlenecks));
        let is_own = |name: &str| !matches!(name, "service" | "stream");
        let own = self.bottlenecks.iter().filter(|(name, _)| is_own(name));
        let much = self.elapsed.len() as f64 * MUCH;
        match own.max_by_key(|(_, count)| **count).filter(|(_, count)| **count as f64 > much) {
            None => Finding::ok(saw),
            Some((name, _)) => {
                let (cause, action) = meaning(name);
                let finding = Finding { state: State::Warning, ..Finding::ok(saw) };
                finding.because(cause).so_do(action)
            }
        }
    }
}

fn most(counts: &BTreeMap<String, u64>) -> Option<&str> {
    counts.iter().max_by_key(|(_, count)| **count).map(|(name, _)| name.as_str())
}

/// The counts, the largest first.
fn listed(counts: &BTreeMap<String, u64>) -> String {
    let mut all: Vec<_> = counts.iter().collect();
    all.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let all: Vec<_> =
        all.into_iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
    all.join(", ")
}

/// The median, the 95th percentile and the longest of some times in microseconds.
fn spread(times: &mut [u64]) -> String {
    times.sort_unstable();
    let at = |percent: usize| {
        let place = (times.len() * percent).div_ceil(100).saturating_sub(1);
        time(Duration::from_micros(times.get(place).copied().unwrap_or_default()))
    };
    format!("{} (median), {} (95 %), at most {}", at(50), at(95), at(100))
}

/// The findings about the records in a file: JSON lines, each a record or an object with one as `timing`.
pub(crate) fn examine(path: &Path) -> Result<Vec<Check>, Failure> {
    let unread = |cause: std::io::Error| {
        Failure::file(format!("{} cannot be read: {cause}", path.display()))
    };
    let mut file = BufReader::new(File::open(path).map_err(unread)?);
    let mut sums = Sums::default();
    let mut line = Vec::new();
    while sums.calls < RECORDS_MAX {
        line.clear();
        let read = file.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
        if read.map_err(unread)? == 0 {
            break;
        }
        if !line.trim_ascii().is_empty() {
            sums.add(&serde_json::from_slice(&line).unwrap_or_default());
        }
    }
    if sums.calls == 0 {
        let message = format!(
            "{} has no call records: it must have one on each line, as on_call callbacks get them \
             (record.to_json() in Rust, json.dumps(record.to_dict()) in Python)",
            path.display()
        );
        return Err(Failure::file(message));
    }
    Ok(sums.checks())
}

#[cfg(test)]
#[path = "records_tests.rs"]
mod tests;
