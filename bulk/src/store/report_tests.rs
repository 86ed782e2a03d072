//! Reports on journals as runs leave them, and while a run holds them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::path::PathBuf;

use super::*;
use crate::output::Outcome;
use crate::store::journal::{End, Header, Record, Seal};
use crate::store::journal_file::JournalFile;
use crate::system::Readers;

/// A journal in a folder of its own, which is removed with it.
struct Journal(PathBuf);

impl Journal {
    /// Two runs: of three rows of the second one, one succeeded and one is open; the first one failed a row.
    fn new(name: &str) -> Journal {
        let name = format!("modelwire-report-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder); // left by a killed process with this ID
        std::fs::create_dir_all(&folder).unwrap();
        let journal = Journal(folder);
        let ended = |key: &'static str, outcome, at| {
            let end = Some(End { at, crc: 1 });
            Record::Ended { key: key.into(), outcome, check: 1, end }
        };
        let sent = |key: &'static str| Record::Sent { key: key.into(), check: 1 };
        let records = [
            Record::Header(Header { results: "out.jsonl".to_owned(), settings: Vec::new() }),
            Record::Run { pid: 7, began: 1_790_000_000 },
            sent("a"),
            ended("a", Outcome::Failed, 50),
            Record::Run { pid: 8, began: 1_790_000_100 },
            sent("b"),
            sent("c"),
            sent("d"),
            ended("c", Outcome::Done, 120),
            Record::Back { key: "b".into(), check: 1 },
        ];
        let (mut text, mut lines) = (Vec::new(), Vec::new());
        records.iter().for_each(|record| record.write(&mut text));
        Seal::default().write(&text, &mut lines);
        std::fs::write(journal.path(), lines).unwrap();
        journal
    }

    fn path(&self) -> PathBuf {
        self.0.join("out.jsonl.journal")
    }

    fn report(&self) -> Result<Option<JobReport>, Error> {
        let results = Some(self.0.join("out.jsonl"));
        report(&StoreOptions { results, ..StoreOptions::default() })
    }

    /// The same, after this change to the text.
    fn report_of(&self, change: impl FnOnce(String) -> String) -> Result<Option<JobReport>, Error> {
        let text = std::fs::read_to_string(self.path()).unwrap();
        std::fs::write(self.path(), change(text)).unwrap();
        self.report()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const WHOLE: JobReport = JobReport {
    is_running: Some(false),
    runs: 2,
    last_run: Some((8, 1_790_000_100)),
    done: 1,
    failed: 1,
    unknown: 1,
    bytes: 120,
};

#[test]
fn a_journal_is_counted_and_not_changed() {
    let journal = Journal::new("whole");
    let before = std::fs::read(journal.path()).unwrap();
    assert_eq!(journal.report().unwrap(), Some(WHOLE));
    assert_eq!(std::fs::read(journal.path()).unwrap(), before);
    assert_eq!(std::fs::read_dir(&journal.0).unwrap().count(), 1, "no file is made");
}

#[test]
fn a_running_job_is_known_by_its_lock() {
    let journal = Journal::new("held");
    let (held, is_locked) = JournalFile::hold(&journal.path(), Readers::OWNER).unwrap();
    assert!(is_locked);
    assert_eq!(journal.report().unwrap(), Some(JobReport { is_running: Some(true), ..WHOLE }));
    drop(held);
    assert_eq!(journal.report().unwrap(), Some(WHOLE));
}

/// Others who look do not take each other for a run.
#[test]
fn two_may_look_at_once() {
    let journal = Journal::new("shared");
    let other = File::open(journal.path()).unwrap();
    system::try_lock_shared(&other).unwrap();
    assert_eq!(journal.report().unwrap(), Some(WHOLE));
}

#[test]
fn a_line_that_is_cut_off_is_left_out() {
    let journal = Journal::new("cut");
    let cut = journal.report_of(|text| text.trim_end().trim_end_matches('}').to_owned());
    assert_eq!(cut.unwrap(), Some(JobReport { unknown: 2, ..WHOLE }));
    let cut = journal.report_of(|text| text.lines().next().unwrap().to_owned() + "\n{\"ru");
    let empty = JobReport { is_running: Some(false), ..JobReport::default() };
    assert_eq!(cut.unwrap(), Some(empty), "no run is recorded");
    assert_eq!(journal.report_of(|_| String::new()).unwrap(), Some(empty));
}

#[test]
fn a_damaged_line_is_an_error() {
    let journal = Journal::new("damaged");
    let damaged = journal.report_of(|text| text.replace("\"sent\":\"c\"", "\"sent\":\"x\""));
    assert!(matches!(damaged, Err(Error::JournalDamaged { line: 7, .. })), "{damaged:?}");
    let foreign = journal.report_of(|_| "a shopping list\n".to_owned());
    assert!(matches!(foreign, Err(Error::JournalForeign(_))), "{foreign:?}");
}

#[test]
fn without_a_journal_there_is_nothing_to_report() {
    let journal = Journal::new("none");
    std::fs::remove_file(journal.path()).unwrap();
    assert_eq!(journal.report().unwrap(), None);
    assert_eq!(report(&StoreOptions::default()).unwrap(), None, "standard output");
}

/// What cannot be looked at is not taken for absent: here a file stands where a folder should.
#[test]
fn a_journal_that_cannot_be_opened_is_an_error() {
    let journal = Journal::new("unreadable");
    let options =
        StoreOptions { results: Some(journal.path().join("out.jsonl")), ..StoreOptions::default() };
    assert!(matches!(report(&options), Err(Error::Unreadable(..))));
    assert_eq!(is_running(&options), None);
    let none =
        StoreOptions { results: Some(journal.0.join("other.jsonl")), ..StoreOptions::default() };
    assert_eq!((report(&none).unwrap(), is_running(&none)), (None, Some(false)));
}
