//! The lines about jobs that run, that were killed, and that are done.

use super::*;

const JOB: JobReport = JobReport {
    is_running: Some(false),
    runs: 2,
    last_run: Some((1234, 1_790_000_000)),
    done: 48_201,
    failed: 12,
    unknown: 3,
    bytes: 27_512_120,
};

fn text(job: &JobReport, live: Option<&Value>) -> String {
    let lines = lines(job, live, 1_790_000_187);
    lines.iter().map(|(name, text)| format!("{name}: {text}\n")).collect()
}

#[test]
fn a_job_without_a_run_is_what_its_journal_says() {
    assert_eq!(
        text(&JOB, None),
        "not running: the last run began 3 min 07 s ago\n\
         done: 48,201 rows\n\
         failed: 12 rows\n\
         unknown: 3 rows sent, and without a recorded outcome\n\
         results: 27,512,120 bytes\n"
    );
    let whole = JobReport { failed: 0, unknown: 0, ..JOB };
    assert_eq!(
        text(&whole, None),
        "not running: the last run began 3 min 07 s ago\ndone: 48,201 rows\nresults: 27,512,120 bytes\n"
    );
}

#[test]
fn a_run_that_publishes_nothing_is_what_its_journal_says() {
    let running = text(&JobReport { is_running: Some(true), ..JOB }, None);
    assert!(running.starts_with("running: for 3 min 07 s, process 1234\ndone: "), "{running}");
    assert!(running.contains("unknown: 3 rows in flight, or about to be sent\n"), "{running}");
    let not_known = text(&JobReport { is_running: None, ..JOB }, None);
    assert!(not_known.contains("this file system has no locks"), "{not_known}");
    let started = JobReport { is_running: Some(true), ..JobReport::default() };
    assert_eq!(text(&started, None), "running: it has just started\ndone: 0 rows\n");
}

#[test]
fn a_run_shows_its_progress_and_its_limits() {
    let live = json!({
        "progress": {
            "phase": "pausing", "total": 50_000, "before": 10_000, "done": 21_204, "failed": 12,
            "in_flight": 64, "concurrency_limit": 96, "attempts": 21_400, "rate_limited": 86,
            "tokens_in": 4_000_000, "tokens_out": 1_000_000, "cost": 1.82,
            "rows_per_s": 1_203.4, "tokens_per_s": 48_123.0, "eta_s": 41.5,
        },
        "limits": {"max_cost": 2.5, "max_rows": null, "rpm": 3000.0},
    });
    assert_eq!(
        text(&JobReport { is_running: Some(true), ..JOB }, Some(&live)),
        "running: for 3 min 07 s, process 1234\n\
         phase: pausing\n\
         rows: 31,216 of 50,000 ended, 62 %, 0:42 left\n\
         : 21,216 in this run, 10,000 before\n\
         failed: 12 rows in this run\n\
         rate: 1,203 rows/s, 48.1k tokens/s\n\
         in flight: 64 of 96\n\
         429s: 0.4 %\n\
         tokens: 4,000,000 in, 1,000,000 out\n\
         cost: 1.82\n\
         limits: --max-cost 2.5 --rpm 3000\n\
         results: 27,512,120 bytes\n"
    );
}
