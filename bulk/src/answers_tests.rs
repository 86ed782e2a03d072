//! Tests of the answers, without a service: what a row gets, and what is kept for it.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::fs;

use super::*;

/// A hash with these two halves.
fn hash(high: u64, low: u64) -> BodyHash {
    BodyHash::of_digits(&format!("{high:016x}{low:016x}")).unwrap()
}

fn row(number: u64, hash: BodyHash) -> Row {
    Row {
        key: Key::new(format!("row-{number}"), hash.check()),
        number,
        hash,
        endpoint: Endpoint::Chat,
        body: Arc::from("{}"),
        model: Arc::from("echo"),
    }
}

fn ended(row: Row, outcome: modelwire::Result<Response>) -> Finished {
    Finished { row, outcome, rejected: None, attempts: 1, elapsed: Duration::from_secs(1) }
}

fn answered(row: Row, text: &str) -> Finished {
    let json = format!("{{\"text\":\"{text}\"}}");
    let response = Response::saved(Endpoint::Chat, 200, Some("req-1".to_owned()), &json).unwrap();
    ended(row, Ok(response))
}

fn failed(row: Row) -> Finished {
    ended(row, Err(modelwire::Error::argument("no").with_metered(Metered::Unknown)))
}

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        let name = format!("modelwire-answers-{}-{:x}", std::process::id(), fastrand::u64(..));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    fn results(&self, name: &str, rows: &[Finished]) -> PathBuf {
        let mut lines = Vec::new();
        rows.iter().for_each(|row| _ = output::write_line(row, &mut lines));
        let path = self.0.join(name);
        fs::write(&path, lines).unwrap();
        path
    }

    fn open(&self, reuse: &[PathBuf], once: bool) -> Answers {
        let results = Some(self.0.join("out.jsonl"));
        let options =
            crate::store::StoreOptions { results, ..crate::store::StoreOptions::default() };
        let answers = crate::store::answers(reuse, once, &options).unwrap().unwrap();
        Arc::into_inner(answers).unwrap().into_inner().unwrap()
    }

    fn names(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The copies of a row that is taken.
fn copies(answers: &mut Answers, row: &Row) -> Vec<Finished> {
    match answers.take(row).unwrap() {
        Taken::Copies(copies) => copies.collect(),
        other => panic!("{other:?}"),
    }
}

fn is_sent(answers: &mut Answers, row: &Row) -> bool {
    matches!(answers.take(row).unwrap(), Taken::Send)
}

#[test]
fn rows_wait_for_the_first_one_and_later_ones_read_its_answer() {
    let folder = Folder::new();
    let mut answers = folder.open(&[], true);
    let (one, two) = (hash(1, 1), hash(2, 2));
    for hash in [one, two] {
        // Offered again before it is passed on: it does not wait for itself.
        assert!(is_sent(&mut answers, &row(1, hash)) && is_sent(&mut answers, &row(1, hash)));
        answers.sends(&row(1, hash));
    }
    for number in 2..5 {
        assert!(matches!(answers.take(&row(number, one)).unwrap(), Taken::Waits));
    }
    // The engine gave it back.
    assert!(is_sent(&mut answers, &row(1, one)));
    answers.sends(&row(1, one));
    let waited: Vec<_> = answers.ended(&answered(row(1, one), "a")).unwrap().collect();
    assert_eq!(waited.iter().map(|copy| copy.row.number).collect::<Vec<_>>(), [2, 3, 4]);
    assert!(answers.ended(&answered(row(1, two), "b")).is_none(), "nobody waits");
    let late = [(5, one, "a"), (6, two, "b"), (7, one, "a")];
    let late = late.map(|(number, hash, text)| (copies(&mut answers, &row(number, hash)), text));
    let all = late.into_iter().chain([(waited, "a")]);
    for (copies, text) in all {
        for copy in copies {
            let response = copy.outcome.unwrap();
            assert_eq!(response.json(), format!("{{\"text\":\"{text}\"}}"));
            let head = response.head();
            assert_eq!((head.status(), head.request_id()), (200, Some("req-1")));
            assert_eq!((copy.attempts, copy.elapsed, copy.row.body.len()), (0, Duration::ZERO, 0));
            assert_eq!(copy.row.key.text(), format!("row-{}", copy.row.number));
        }
    }
    assert_eq!(folder.names(), 0, "the temporary file has no name");
}

#[test]
fn a_failure_is_copied_as_unsent_and_few_are_kept() {
    let folder = Folder::new();
    let mut answers = folder.open(&[], true);
    for number in 0..=FAILURES_MAX as u64 {
        let first = row(number, hash(number, 0));
        assert!(is_sent(&mut answers, &first));
        answers.sends(&first);
        assert!(answers.ended(&failed(first)).is_none());
    }
    let last = FAILURES_MAX as u64;
    let copy = copies(&mut answers, &row(5_000, hash(last - 1, 0))).pop().unwrap();
    let error = copy.outcome.unwrap_err();
    assert_eq!((error.message(), error.metered()), ("no", Metered::NotSent));
    assert!(is_sent(&mut answers, &row(5_001, hash(last, 0))), "one more is sent");
}

/// A wrong answer is worse than one that is paid twice.
#[test]
fn rows_whose_hashes_share_a_half_are_not_equal() {
    let folder = Folder::new();
    let old = folder.results("old.jsonl", &[answered(row(1, hash(7, 1)), "old")]);
    let mut answers = folder.open(&[old], true);
    assert_eq!(copies(&mut answers, &row(2, hash(7, 1))).len(), 1);
    let (two, three) = (hash(7, 2), hash(7, 3));
    assert!(is_sent(&mut answers, &row(3, two)));
    answers.sends(&row(3, two));
    assert!(is_sent(&mut answers, &row(4, three)), "it does not wait for another");
    answers.sends(&row(4, three));
    assert!(matches!(answers.take(&row(5, two)).unwrap(), Taken::Waits));
    answers.ended(&answered(row(3, two), "two"));
    answers.ended(&failed(row(4, three)));
    assert!(copies(&mut answers, &row(6, two))[0].outcome.is_ok());
    assert!(copies(&mut answers, &row(7, three))[0].outcome.is_err());
}

#[test]
fn a_survey_leaves_rows_with_equals_in_mind() {
    let folder = Folder::new();
    let old = folder.results("old.jsonl", &[answered(row(1, hash(9, 0)), "old")]);
    let mut answers = folder.open(&[old], true);
    let seen = [1, 2, 1, 9, 1].map(|high| answers.see(hash(high, 0)));
    assert_eq!(seen, [Seen::First, Seen::First, Seen::Equal, Seen::Reused, Seen::Equal]);
    answers.end_survey();
    assert_eq!(answers.places.len(), 2);
    for high in [1, 2] {
        assert!(is_sent(&mut answers, &row(high, hash(high, 0))));
        answers.sends(&row(high, hash(high, 0)));
    }
    assert_eq!(answers.in_flight.len(), 1, "the other one has no equal");
    answers.ended(&answered(row(2, hash(2, 0)), "b"));
    assert!(answers.files.last().unwrap().end == 0, "its answer is not kept");
    assert!(answers.ended(&answered(row(1, hash(1, 0)), "a")).is_none());
    assert_eq!(copies(&mut answers, &row(3, hash(1, 0))).len(), 1);
}

#[test]
fn only_answers_are_reused_and_the_first_file_counts() {
    let folder = Folder::new();
    let rows = [answered(row(1, hash(1, 0)), "first"), failed(row(2, hash(2, 0)))];
    let first = folder.results("first.jsonl", &rows);
    let rows = [answered(row(3, hash(1, 0)), "second"), answered(row(4, hash(2, 0)), "second")];
    let second = folder.results("second.jsonl", &rows);
    let mut answers = folder.open(&[first, second], false);
    for (high, text) in [(1, "first"), (2, "second")] {
        let copy = copies(&mut answers, &row(9, hash(high, 0))).pop().unwrap();
        assert_eq!(copy.outcome.unwrap().json(), format!("{{\"text\":\"{text}\"}}"));
    }
    for number in 1..3 {
        let new = row(number, hash(3, 0));
        assert!(is_sent(&mut answers, &new), "equal rows are sent without `once`");
        answers.sends(&new);
    }
}

/// They were taken for failed rows, and all were sent and billed again without a word.
#[test]
fn answers_with_the_line_ends_of_windows_are_reused() {
    let folder = Folder::new();
    let rows = [answered(row(1, hash(1, 0)), "first"), answered(row(2, hash(2, 0)), "second")];
    let old = folder.results("old.jsonl", &rows);
    fs::write(&old, fs::read_to_string(&old).unwrap().replace('\n', "\r\n")).unwrap();
    let mut answers = folder.open(&[old], false);
    for (high, text) in [(1, "first"), (2, "second")] {
        let copy = copies(&mut answers, &row(9, hash(high, 0))).pop().unwrap();
        assert_eq!(copy.outcome.unwrap().json(), format!("{{\"text\":\"{text}\"}}"));
    }
}

/// Lines that are no results are not held, and move those that are.
#[test]
fn answers_between_long_lines_of_something_else_are_reused() {
    let folder = Folder::new();
    let rows = [answered(row(1, hash(1, 0)), "first"), answered(row(2, hash(2, 0)), "second")];
    let old = folder.results("old.jsonl", &rows);
    let other = format!("{}\n", "x".repeat(100_000));
    let text = fs::read_to_string(&old).unwrap().replace('\n', &format!("\n\n{other}"));
    fs::write(&old, format!("{other}{text}")).unwrap();
    let mut answers = folder.open(&[old], false);
    for (high, text) in [(1, "first"), (2, "second")] {
        let copy = copies(&mut answers, &row(9, hash(high, 0))).pop().unwrap();
        assert_eq!(copy.outcome.unwrap().json(), format!("{{\"text\":\"{text}\"}}"));
    }
}

#[test]
fn a_file_that_changes_while_it_is_reused_is_an_error() {
    let folder = Folder::new();
    let rows: Vec<_> =
        (0..2).map(|high| answered(row(high, hash(high, 0)), &"x".repeat(20_000))).collect();
    let old = folder.results("old.jsonl", &rows);
    let mut answers = folder.open(std::slice::from_ref(&old), false);
    assert_eq!(copies(&mut answers, &row(5, hash(0, 0))).len(), 1);
    fs::write(&old, "y".repeat(50_000)).unwrap();
    let error = answers.take(&row(6, hash(1, 0))).unwrap_err();
    assert!(error.to_string().contains("old.jsonl"), "{error}");
    fs::write(&old, "").unwrap();
    assert!(answers.take(&row(6, hash(1, 0))).is_err());
}
