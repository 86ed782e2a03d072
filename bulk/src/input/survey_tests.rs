//! Surveys of files.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::row::BodyHash;

/// A file that is removed after the test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(lines: impl AsRef<[String]>) -> Temporary {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("modelwire-survey-{}-{number}.jsonl", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, lines.as_ref().join("\n")).unwrap();
        Temporary(path)
    }

    fn survey(&self, options: &RowOptions, ledger: &mut Ledger, wish: Wish) -> Survey {
        survey(&Sources::of(&[&self.0], |_| false).unwrap(), options, ledger, None, wish, |_| true)
            .unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const WISH: Wish =
    Wish { sample: 5, seed: 1, wants: |met| matches!(met, KnownState::New | KnownState::Unknown) };

fn plain() -> RowOptions {
    RowOptions::default()
}

fn line(id: u32, prompt: &str) -> String {
    format!(
        "{{\"custom_id\":\"{id}\",\"body\":{{\"model\":\"m{}\",\"input\":\"{prompt}\"}}}}",
        id % 2
    )
}

#[test]
fn a_survey_counts_all_rows_and_those_left_to_do() {
    let mut lines: Vec<_> = (0..100).map(|id| line(id, "Hi")).collect();
    let mut ledger = Ledger::new();
    let first = Temporary::new(&lines).survey(&plain(), &mut ledger, WISH);
    assert_eq!((first.rows, first.new, first.wanted, first.bad), (100, 100, 100, 0));
    assert_eq!(first.extent.bytes, 100 * 27);
    let by_model: Vec<_> =
        first.models.iter().map(|(model, extent)| (&**model, extent.rows)).collect();
    assert_eq!(by_model, [("m0", 50), ("m1", 50)]);
    assert!(first.is_whole && first.vanished == 0 && first.sample.len() == 5);

    let mut ledger = Ledger::new();
    let check =
        BodyHash::of(modelwire::Endpoint::Responses, r#"{"model":"m0","input":"Hi"}"#).check();
    for id in (0..20).step_by(2) {
        ledger.mark(&id.to_string(), check, State::Done);
    }
    ledger.mark("20", check, State::Failed);
    ledger.mark("22", check, State::Unknown);
    ledger.mark("24", check ^ 1, State::Done);
    ledger.mark("gone", check, State::Done);
    lines.extend(["".to_owned(), "{".to_owned(), line(7, "Ho"), line(200, "Hi")]);
    lines.insert(0, line(100, "Ho"));
    let found = Temporary::new(&lines).survey(&plain(), &mut ledger, WISH);
    assert_eq!((found.rows, found.done, found.failed, found.unknown), (102, 10, 1, 1));
    assert_eq!((found.changed, found.vanished, found.new, found.wanted), (1, 1, 89, 90));
    assert_eq!(found.changed_shown, [(26, Key::new("24", check))]);
    assert_eq!(found.bad, 2);
    let shown: Vec<_> = found.bad_shown.iter().map(|bad| (bad.number, &*bad.reason)).collect();
    let expected = [
        (103, "not valid JSON at column 2: expected a string"),
        (104, "custom_id \"7\" was used before, in line 9"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn the_run_after_a_survey_meets_the_same() {
    let equal = r#"{"model":"m","input":"Hi"}"#.to_owned();
    let lines: Vec<_> = (0..20).map(|id| line(id, "Hi")).chain(vec![equal; 20]).collect();
    let (file, mut ledger) = (Temporary::new(&lines), Ledger::new());
    let all = Wish { sample: 40, ..WISH };
    let found = file.survey(&plain(), &mut ledger, all);
    assert_eq!((found.rows, found.sample.len()), (40, 40));
    let mut rows = Rows::open(&Sources::of(&[&file.0], |_| false).unwrap(), &plain()).unwrap();
    for expected in &found.sample {
        let InputItem::Row(row, met) = rows.next(&mut ledger).unwrap().unwrap() else {
            unreachable!()
        };
        assert_eq!(
            (row.key, row.number, met),
            (expected.key.clone(), expected.number, KnownState::New)
        );
    }
    assert!(rows.next(&mut ledger).unwrap().is_none());
    assert!(rows.next(&mut ledger).unwrap().is_none(), "and again");
}

#[test]
fn rows_of_several_files_are_the_rows_of_one() {
    let lines: Vec<_> = (0..30).map(|id| line(id, "Hi")).collect();
    let whole = Temporary::new(&lines);
    let (first, rest) = lines.split_at(7);
    let again = [&[line(3, "Hi"), "{".to_owned()], rest].concat();
    let files = [first, &[], &again].map(Temporary::new);
    let sources = Sources::of(&files.each_ref().map(|file| &file.0), |_| false).unwrap();
    let all = Wish { sample: 40, ..WISH };
    let (mut ledger, mut one) = (Ledger::new(), Ledger::new());
    let found = survey(&sources, &plain(), &mut ledger, None, all, |_| true).unwrap();
    let expected = whole.survey(&plain(), &mut one, all);
    assert_eq!((found.rows, found.bad, found.extent), (30, 2, expected.extent));
    let keys = |found: &Survey| found.sample.iter().map(|row| row.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&found), keys(&expected));
    let last = found.sample.last().unwrap();
    assert_eq!(sources.place(last.number), format!("{}:25", files[2].0.display()));
    let shown: Vec<_> = found.bad_shown.iter().map(|bad| bad.to_string()).collect();
    let [first, _, third] = files.each_ref().map(|file| file.0.display());
    let twice = "custom_id \"3\" was used before, in";
    assert!(shown[0].starts_with(&format!("{third}:1: {twice} {first}:4;")), "{shown:?}");
    assert!(shown[1].starts_with(&format!("{third}:2: not valid JSON")), "{shown:?}");
    let mut rows = Rows::open(&sources, &plain()).unwrap();
    let mut count = 0;
    while rows.next(&mut ledger).unwrap().is_some() {
        count += 1;
    }
    assert_eq!((count, rows.is_empty(), rows.bytes_read()), (32, false, sources.bytes()));
}

#[test]
fn each_row_is_as_likely_in_the_sample_as_any_other() {
    let lines: Vec<_> = (0..50).map(|id| line(id, "Hi")).collect();
    let file = Temporary::new(&lines);
    let mut counts = vec![0; 50];
    // Random seeds, because neighbouring ones begin alike.
    let mut seeds = fastrand::Rng::with_seed(1);
    for seed in std::iter::repeat_with(|| seeds.u64(..)).take(1000) {
        let mut ledger = Ledger::new();
        let found = file.survey(&plain(), &mut ledger, Wish { seed, ..WISH });
        assert!(found.sample.is_sorted_by_key(|row| row.number) && found.sample.len() == 5);
        for row in &found.sample {
            *counts.get_mut(row.number as usize - 1).unwrap() += 1;
        }
    }
    // 100 each are expected, with a standard deviation below 10.
    assert!(counts.iter().all(|count| (50..150).contains(count)), "{counts:?}");
}

#[test]
fn few_bad_lines_are_kept_and_shards_are_counted_apart() {
    let lines: Vec<_> =
        (0..1000).map(|id| if id < 900 { line(id, "Hi") } else { "5".into() }).collect();
    let file = Temporary::new(&lines);
    let found = file.survey(&plain(), &mut Ledger::new(), WISH);
    assert_eq!((found.bad, found.bad_shown.len()), (100, SHOWN_MAX));
    let parts = ["1/3", "2/3", "3/3"].map(|part| {
        let options = RowOptions { shard: part.parse().ok(), ..plain() };
        file.survey(&options, &mut Ledger::new(), WISH)
    });
    for part in &parts {
        assert_eq!(part.rows + part.bad + part.elsewhere, 1000);
    }
    assert_eq!(parts.iter().map(|part| part.rows).sum::<u64>(), 900);
    assert_eq!(parts.iter().map(|part| part.bad).sum::<u64>(), 100);
}

#[test]
fn a_survey_can_be_stopped_by_its_caller() {
    let lines: Vec<_> = (0..10_000).map(|id| line(id, "Hi")).collect();
    let file = Temporary::new(&lines);
    let source = Sources::of(&[&file.0], |_| false).unwrap();
    let found =
        survey(&source, &plain(), &mut Ledger::new(), None, WISH, |read| read.rows < 8192).unwrap();
    assert_eq!((found.rows, found.is_whole), (8192, false));
}

#[test]
fn a_survey_with_a_sample_counts_what_rows_may_use() {
    let body =
        |model: &str, more: &str| format!("{{\"model\":\"{model}\",\"input\":\"Hi\"{more}}}");
    let lines = [
        body("a", ",\"max_output_tokens\":50"),
        body("a", ",\"max_output_tokens\":70"),
        body("b", ""),
        body("b", ",\"max_output_tokens\":5,\"previous_response_id\":\"r\""),
    ];
    let found = Temporary::new(&lines).survey(&plain(), &mut Ledger::new(), WISH);
    let all = found.extent;
    assert_eq!((all.rows, all.output, all.unlimited, all.open), (4, 125, 1, 1));
    assert_eq!((all.input_most(), all.output_most()), (None, None));
    let of_a = found.models.iter().find(|(model, _)| &**model == "a").unwrap().1;
    let bytes = (lines[0].len() + lines[1].len()) as u64;
    assert_eq!((of_a.input_most(), of_a.output_most()), (Some(bytes), Some(120)));
}

/// `cargo test --release -p modelwire-bulk --lib -- --ignored --nocapture a_million_rows`
#[test]
#[ignore = "measures; by hand: cargo test -p modelwire-bulk --release --lib a_million_rows -- --ignored --nocapture"]
fn a_million_rows_take_seconds_and_little_memory() {
    let prompt = "x".repeat(220);
    let with_ids = |row: u64| {
        format!(
            "{{\"custom_id\":\"row-{row}\",\"body\":{{\"model\":\"echo\",\"input\":\"{prompt}\"}}}}"
        )
    };
    let bodies = |row: u64| {
        let message = format!("{{\"role\":\"user\",\"content\":\"{row} {prompt}\"}}");
        format!("{{\"model\":\"echo\",\"messages\":[{message}],\"max_tokens\":50}}")
    };
    let equal = |_: u64| bodies(0);
    let forms: [(&str, &dyn Fn(u64) -> String); 3] =
        [("batch lines", &with_ids), ("bodies", &bodies), ("equal bodies", &equal)];
    for (name, line) in forms {
        let file = Temporary::new(&[]);
        let mut out = std::io::BufWriter::new(std::fs::File::create(&file.0).unwrap());
        for row in 0..1_000_000 {
            std::io::Write::write_all(&mut out, (line(row) + "\n").as_bytes()).unwrap();
        }
        drop(out);
        let mut ledger = Ledger::new();
        let begun = cpu();
        let found = file.survey(&plain(), &mut ledger, WISH);
        assert_eq!((found.rows, found.bad), (1_000_000, 0));
        let surveyed = cpu();
        let mut rows = Rows::open(&Sources::of(&[&file.0], |_| false).unwrap(), &plain()).unwrap();
        while rows.next(&mut ledger).unwrap().is_some() {}
        println!(
            "{name} of {} bytes: {:.2} us in the survey, {:.2} us in the run; peak of the process {} KiB",
            line(0).len(),
            surveyed - begun,
            cpu() - surveyed,
            memory_peak()
        );
    }
}

/// Seconds of CPU of this thread.
fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn memory_peak() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap().to_owned();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

#[test]
fn models_are_named_up_to_a_maximum() {
    let mut survey = Survey::default();
    assert!(survey.is_empty());
    for number in 0..=MODELS_MAX {
        survey.count_model(&format!("model-{number}").into(), Bounds::of_size("{}"));
    }
    assert_eq!((survey.models.len(), survey.is_empty()), (MODELS_MAX, true));
    for counted in [
        Survey { rows: 1, ..Survey::default() },
        Survey { elsewhere: 1, ..Survey::default() },
        Survey { bad: 1, ..Survey::default() },
    ] {
        assert!(!counted.is_empty());
    }
}
