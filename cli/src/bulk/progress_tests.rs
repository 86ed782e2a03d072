//! The bar on terminals of any width, read from an in-memory terminal.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use indicatif::InMemoryTerm;

use super::*;

fn state() -> State {
    State {
        total: Some(50_000),
        before: 10_000,
        done: 21_204,
        failed: 12,
        in_flight: 64,
        concurrency_limit: 96,
        rate: Some(128.4),
        attempts: 21_400,
        rate_limited: 86,
        tokens: Tokens { input: 4_000_000, cached: 0, output: 1_000_000 },
        cost: Some(Money::new(1.82)),
        ..State::default()
    }
}

fn speed() -> Speed {
    Speed { rows: 1_203.4, tokens: 48_123.0, left: Some(Duration::from_secs(42)) }
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for (width, behind, below) in [
        (
            120,
            "31,216 / 50,000   62 %  0:42 left",
            "1,203 rows/s   48.1k tokens/s   64 of 96 in flight (128 starts/s)   429s 0.4 %   12 failed   cost 1.82",
        ),
        (
            80,
            "31,216 / 50,000   62 %  0:42 left",
            "1,203 rows/s   64 of 96 in flight (128 starts/s)   12 failed   cost 1.82",
        ),
        (40, " 62 %  0:42 left", "1,203 rows/s   12 failed   cost 1.82"),
        (20, " 62 %", "12 failed"),
        (5, " 62 %", ""),
    ] {
        assert_eq!(
            position(&state(), &speed(), usize::saturating_sub(width, 11)),
            behind,
            "{width}"
        );
        assert_eq!(details(&state(), &speed(), width), below, "{width}");
    }
}

#[test]
fn unknown_values_are_omitted() {
    let state = State { in_flight: 3, concurrency_limit: 4, done: 1, ..State::default() };
    let speed = Speed::default();
    assert_eq!(position(&state, &speed, 60), "1 row");
    assert_eq!(details(&state, &speed, 60), "0 rows/s   3 of 4 in flight");
    let state = State { total: Some(0), phase: Phase::Draining, ..State::default() };
    assert_eq!(position(&state, &speed, 60), "0 / 0    0 %");
    assert_eq!(details(&state, &speed, 60), "finishing   0 rows/s   0 of 0 in flight");
}

#[test]
fn a_bar_is_drawn_and_goes_away() {
    for (width, columns) in [(40_u16, (|| 40) as fn() -> usize), (80, || 80), (120, || 120)] {
        let term = InMemoryTerm::new(10, width);
        let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
        let mut progress = Progress::on(How::Bar, || target, columns);
        progress.show(Instant::now(), &state());
        let shown = term.contents();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines.len(), 2, "{shown}");
        assert!(lines.iter().all(|line| line.chars().count() <= width.into()), "{shown}");
        assert!(shown.contains("━"), "{shown}");
        assert!(shown.contains("62 %"), "{shown}");
        assert!(!progress.is_due(Instant::now()));
        progress.aside(|| assert_eq!(term.contents(), ""));
        assert!(term.contents().contains("62 %"), "{}", term.contents());
        progress.end(Instant::now(), &state(), Vec::new());
        assert_eq!(term.contents(), "");
    }
}

#[test]
fn without_a_total_rows_are_counted() {
    let term = InMemoryTerm::new(10, 80);
    let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
    let mut progress = Progress::on(How::Bar, || target, || 80);
    progress.show(Instant::now(), &State { total: None, ..state() });
    assert!(term.contents().contains("31,216 rows"), "{}", term.contents());
}

#[test]
fn the_input_is_shown_while_it_is_read_for_long() {
    let term = InMemoryTerm::new(10, 60);
    let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
    let mut progress = Progress::on(How::Bar, || target, || 60);
    let begun = progress.begun;
    progress.reading(begun + READING_QUIET - Duration::from_millis(1), 4_096, 0.1);
    assert_eq!(term.contents(), "");
    progress.reading(begun + READING_QUIET, 1_234_567, 0.456);
    let shown = term.contents();
    assert!(shown.contains("╸") && shown.contains(" 1,234,567 rows   45 %\n"), "{shown}");
    assert!(shown.ends_with("\nreading the input"), "{shown}");
    progress.show(begun + 2 * READING_QUIET, &state());
    let shown = term.contents();
    assert!(shown.contains("31,216 / 50,000") && !shown.contains("reading"), "{shown}");
    assert_eq!(text::reading(1_234_567, 1.7, 21), "1,234,567 rows  100 %");
    assert_eq!(text::reading(1_234_567, 0.5, 9), " 50 %");
    let members = object(&reading_members(1_234_567, 0.4567));
    assert_eq!(members, r#"{"rows_read":1234567,"share_read":0.457}"#);
}

#[test]
fn json_has_every_member_in_its_order() {
    let all = members("progress", Duration::from_millis(1_500), &state(), &speed());
    let line = object(&all);
    assert!(
        line.starts_with(r#"{"event":"progress","phase":"running","elapsed_s":1.5,"total":50000,"#),
        "{line}"
    );
    assert!(
        line.ends_with(r#""cost":1.82,"rows_per_s":1203.4,"tokens_per_s":48123.0,"eta_s":42.0}"#),
        "{line}"
    );
    let parsed: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(parsed.as_object().unwrap().len(), all.len());
    let nothing =
        object(&members("progress", Duration::ZERO, &State::default(), &Speed::default()));
    for unknown in ["total", "starts_per_s", "cost", "eta_s"] {
        assert!(nothing.contains(&format!("\"{unknown}\":null")), "{unknown}");
    }
}

#[test]
fn quiet_progress_is_never_drawn() {
    let progress = Progress::new(How::Quiet);
    assert!(!progress.is_due(Instant::now() + Duration::from_secs(9)));
    assert_eq!(progress.interval(), IDLE_INTERVAL);
}
