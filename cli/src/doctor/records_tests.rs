//! What doctor says of records.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
use serde_json::json;

use super::*;

fn lines(records: &[Value]) -> Vec<String> {
    let mut sums = Sums::default();
    records.iter().for_each(|record| sums.add(record));
    let shown = |check: Check| {
        let Finding { state, saw, cause, action, .. } = check.finding;
        format!("{state:?} {}: {saw}|{cause}|{action}", check.name)
    };
    sums.checks().into_iter().map(shown).collect()
}

fn answered(elapsed_us: u64, bottleneck: &str) -> Value {
    json!({"operation": "chat", "elapsed_us": elapsed_us, "bottleneck": bottleneck, "kind": null,
        "first_chunk_us": elapsed_us / 2, "attempts_count": 1, "attempts": [{"kind": null}]})
}

#[test]
fn fast_and_successful_calls_are_fine() {
    let records: Vec<_> = (1..=100).map(|number| answered(number * 1_000, "service")).collect();
    assert_eq!(
        lines(&records),
        [
            "Ok records: 100 calls||",
            "Ok failures: no call failed||",
            "Ok time: calls took 50 ms (median), 95 ms (95 %), at most 100 ms; the first chunk came after \
             25 ms (median), 47 ms (95 %), at most 50 ms||",
            "Ok bottleneck: most of the time went to: service 100||",
        ]
    );
}

/// The most frequent kind and place of failures; Python's form of a record, and one within an error.
#[test]
fn failures_name_their_kinds_and_where_they_happened() {
    let failed = |kind: &str, at: &str| {
        json!({"operation": "chat", "elapsed": 0.5, "bottleneck": at, "kind": kind,
            "attempts_count": 3, "attempts": []})
    };
    let records = [
        failed("connect", "dns"),
        json!({"kind": "connect", "timing": failed("connect", "dns")}),
        failed("rate_limited", "retry"),
        failed("cancelled", "service"),
        json!({"no": "record"}),
    ];
    let lines = lines(&records);
    assert_eq!(lines[0], "Warning records: 4 calls; 1 lines are no records||");
    assert_eq!(
        lines[1],
        "Failed failures: 3 calls failed (75 %): connect 2, rate_limited 1|most failed at this: the lookup of \
         the service's name|Check base_url, and that the service is reachable from here."
    );
    assert_eq!(lines[2], "Ok attempts: 4 of 4 calls took more than one attempt, 8 more in all||");
}

#[test]
fn time_lost_outside_of_the_service_is_a_warning() {
    let mut records: Vec<_> = (0..80).map(|_| answered(1, "service")).collect();
    records.extend((0..20).map(|_| answered(1, "queue")));
    let lines = lines(&records);
    let line = lines.iter().find(|line| line.contains("bottleneck")).unwrap();
    assert!(line.starts_with(
        "Warning bottleneck: most of the time went to: service 80, queue 20|calls waited"
    ));
    assert!(line.ends_with("Raise connections_max, or make fewer calls at once."), "{line}");
}

#[test]
fn each_base_url_has_its_counts() {
    let attempt = |url: &str, kind: Option<&str>| json!({"base_url": url, "kind": kind});
    let record = json!({"operation": "chat", "elapsed_us": 1, "attempts_count": 2, "attempts":
        [attempt("http://a/v1", Some("connect")), attempt("http://b/v1", None)]});
    let lines = lines(&[record.clone(), record]);
    assert_eq!(lines[lines.len() - 2], "Ok base_url: http://a/v1: 2 attempts, 2 failed||");
    assert_eq!(lines[lines.len() - 1], "Ok base_url: http://b/v1: 2 attempts, 0 failed||");
}

/// Each name that the core gives has a meaning here.
#[test]
fn every_bottleneck_is_explained() {
    use modelwire::Bottleneck as B;
    let opening = [B::Queue, B::Retry, B::Dns, B::Connect, B::Proxy, B::Tls];
    let all = [&opening[..], &[B::Service, B::Stream, B::Consumer]].concat();
    let names = BOTTLENECKS.map(|(name, ..)| name);
    assert_eq!(all.into_iter().map(B::name).collect::<Vec<_>>(), names);
}
