//! Levels, the bound, the wait, the stop. One test, because the collector is global to the process.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use super::*;

const NOW: Duration = Duration::ZERO;

/// One test logs more than any buffer takes, so that no other may collect at the same time.
static COLLECTING: Mutex<()> = Mutex::new(());

#[test]
fn records_wait_in_order_within_the_bound() {
    let _alone = lock(&COLLECTING);
    start(Level::Info).unwrap();
    tracing::info!(target: "modelwire", attempt = 2, "first");
    tracing::debug!(target: "modelwire", "below the level");
    ::log::warn!(target: "below::connect", "second");
    assert!(has_records());
    let records = take(10, Duration::from_secs(10)).unwrap();
    // Other tests of this process may log too.
    let of = |text: &str| {
        let found = records.iter().find(|record| record.message.starts_with(text));
        found.map(|record| (record.level, record.target.as_str(), record.message.as_str()))
    };
    assert!(
        of("first")
            .is_some_and(|(level, _, text)| { level == Level::Info && text.contains("attempt=2") })
    );
    assert_eq!(of("second"), Some((Level::Warn, "below::connect", "second")));
    assert_eq!(of("below"), None);
    // Trace records of the underlying libraries may contain request heads.
    start(Level::Trace).unwrap();
    ::log::trace!(target: "below::proto", "authorization: ...");
    ::log::trace!(target: "modelwire", "{}", "x".repeat(RECORD_BYTES_MAX + 1));
    let records = take(RECORDS_MAX, NOW).unwrap();
    assert!(records.iter().all(|record| record.target != "below::proto"));
    assert_eq!(records.iter().map(|record| record.message.len()).max(), Some(RECORD_BYTES_MAX));
    (0..RECORDS_MAX + 7).for_each(|_| ::log::error!(target: "other", "again"));
    let records = take(RECORDS_MAX, NOW).unwrap();
    let last = &records.last().unwrap().message;
    assert!(
        last.contains("records were dropped: the queue was full (RECORDS_MAX = 4096)"),
        "{last}"
    );
    // A wait ends when a record arrives, and when collecting stops.
    let start = Instant::now();
    let waiter = std::thread::spawn(|| while take(10, Duration::from_secs(60)).is_some() {});
    ::log::error!(target: "modelwire", "third");
    stop();
    waiter.join().unwrap();
    // clock: half of the wait that is not to be waited for
    assert!(start.elapsed() < Duration::from_secs(30));
    ::log::error!(target: "modelwire", "nobody listens");
    assert!(take(10, NOW).is_none());
    assert!(!has_records());
}

/// A logging thread may read that records are collected just before the stop.
#[test]
fn a_record_that_comes_after_the_stop_is_dropped() {
    let collected = Collected::new(None);
    let record = |message: &str| Record {
        level: Level::Info,
        target: "modelwire".to_owned(),
        message: message.to_owned(),
        time: SystemTime::now(),
    };
    collected.put(record("before"));
    collected.stop();
    assert_eq!(collected.take(10, Duration::MAX).unwrap().len(), 1);
    collected.put(record("after"));
    assert!(collected.take(10, Duration::MAX).is_none());

    let collected = Arc::new(Collected::new(None));
    ignore(&collected);
    collected.put(record("ignored"));
    assert!(collected.next().is_none());
    listen(Level::Info, &collected).unwrap();
    collected.put(record("listened to"));
    // Other tests of this process may log too.
    let mut rest = std::iter::from_fn(|| collected.next());
    assert!(rest.any(|record| record.message == "listened to"));
    end(&collected);
}

#[test]
fn a_warning_is_logged_once() {
    let _alone = lock(&COLLECTING);
    let collected = Arc::new(Collected::new(None));
    listen(Level::Warn, &collected).unwrap();
    let is_warned = AtomicBool::new(false);
    for _ in 0..3 {
        process::warn_once(&is_warned, "a warning of this test");
    }
    end(&collected);
    // Other tests of this process may log too.
    let records = std::iter::from_fn(|| collected.next());
    let ours = records.filter(|record| record.message == "a warning of this test");
    let found: Vec<_> = ours.map(|record| (record.level, record.target)).collect();
    assert_eq!(found, [(Level::Warn, "modelwire".to_owned())]);
}

#[test]
fn a_log_record_is_written_as_json() {
    let time = SystemTime::UNIX_EPOCH + Duration::from_millis(7);
    let (target, message) = ("modelwire".to_owned(), "a \"b\"\n\0".to_owned());
    let record = Record { level: Level::Warn, target, message, time };
    let expected =
        r#"{"level":"warn","target":"modelwire","message":"a \"b\"\n\u0000","unix_ms":7}"#;
    assert_eq!(record.to_json(), expected);
}
