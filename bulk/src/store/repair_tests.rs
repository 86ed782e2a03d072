//! What a repair takes from a journal whose lines are damaged, removed or moved.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

use std::io::Write;

use super::super::tests::Folder;
use super::*;

const END: End = End { at: 70, crc: 8 };

/// How a line stands in the journal.
#[derive(Clone, Copy, PartialEq)]
enum As {
    Next,
    /// With this number, as if it had been moved, and intact.
    Number(u64),
    Damaged,
    NoRecord,
}

fn journal(folder: &Folder, lines: &[(Record<'_>, As)]) -> File {
    let (mut seal, mut text) = (Seal::default(), Vec::new());
    for (record, how) in lines {
        let mut written = Vec::new();
        record.write(&mut written);
        match how {
            As::Next => {}
            As::Number(number) => seal.number = number - 1,
            As::Damaged => seal.sum ^= 1,
            As::NoRecord => {
                text.extend_from_slice(b"{\"sent\n");
                continue;
            }
        }
        seal.write(&written, &mut text);
    }
    let path = folder.path("journal");
    File::create(&path).unwrap().write_all(&text).unwrap();
    File::open(&path).unwrap()
}

fn sent(key: &str) -> Record<'_> {
    Record::Sent { key: key.into(), check: 1 }
}

fn back(key: &str) -> Record<'_> {
    Record::Back { key: key.into(), check: 1 }
}

fn ended(key: &str, outcome: Outcome) -> Record<'_> {
    Record::Ended { key: key.into(), outcome, check: 1, end: Some(END) }
}

fn scan(lines: &[(Record<'_>, As)]) -> (Scan, u64) {
    let mut lost = 0;
    let scan = Scan::of(&journal(&Folder::in_memory(), lines), &mut lost).unwrap();
    (scan, lost)
}

fn open(lines: &[(Record<'_>, As)], has: &[(&str, u32)]) -> Vec<String> {
    let has = has.iter().map(|(key, check)| id_of(key, *check)).collect();
    let open = open_rows(&journal(&Folder::in_memory(), lines), &has).unwrap();
    open.into_iter().map(|(key, _)| key).collect()
}

#[test]
fn only_an_intact_header_counts() {
    let header = || Record::Header(Header { results: "out".to_owned(), settings: Vec::new() });
    assert!(scan(&[(header(), As::Next)]).0.header.is_some());
    let (scan, lost) = scan(&[(header(), As::Damaged)]);
    assert_eq!((scan.header, scan.lines, lost), (None, 1, 1));
}

#[test]
fn lines_that_are_none_or_missing_are_lost() {
    let header = || Record::Header(Header::default());
    let lost = |lines: &[(Record<'_>, As)]| scan(lines).1;
    assert_eq!(lost(&[(header(), As::Next), (sent("a"), As::Next)]), 0);
    let none = (sent("a"), As::NoRecord);
    assert_eq!(lost(&[(header(), As::Next), none.clone(), none.clone(), none]), 3);
    assert_eq!(lost(&[(header(), As::Next), (sent("a"), As::Number(7))]), 5);
    let damaged = (sent("a"), As::Damaged);
    assert_eq!(lost(&[(header(), As::Next), damaged.clone(), damaged]), 2);
}

#[test]
fn a_rewrite_leaves_the_checksums_of_answers() {
    let before = [(ended("a", Outcome::Done), As::Next), (ended("b", Outcome::Failed), As::Next)];
    let after = |record, how| scan(&[&before[..], &[(record, how)]].concat()).0;
    let known = |scan: &Scan, key| scan.crcs.contains_key(&output::name_of(key));
    let found = after(Record::Rewritten { end: END }, As::Next);
    assert_eq!((found.rewritten, known(&found, "a"), known(&found, "b")), (Some(END), true, false));
    let found = after(Record::Rewritten { end: END }, As::Damaged);
    assert_eq!((found.rewritten, known(&found, "a"), known(&found, "b")), (None, true, true));
    let found = after(Record::Replaced { end: END }, As::Next);
    assert_eq!((found.rewritten, known(&found, "b")), (Some(END), true));
    assert_eq!(after(Record::Replaced { end: END }, As::Damaged).rewritten, None);
    let rewritten = (Record::Rewritten { end: END }, As::Next);
    for later in [Record::Assembled { end: END }, ended("c", Outcome::Done)] {
        assert_eq!(scan(&[rewritten.clone(), (later, As::Next)]).0.rewritten, None);
    }
    let doubtful = after(ended("c", Outcome::Done), As::Damaged);
    assert!(doubtful.doubtful.contains(&output::name_of("c")) && !known(&doubtful, "c"));
}

#[test]
fn rows_without_a_result_are_open_in_the_order_in_which_they_were_sent() {
    let lines = [sent("a"), sent("b"), sent("c"), sent("a")].map(|record| (record, As::Next));
    assert_eq!(open(&lines, &[("c", 1)]), ["b", "a"]);
    assert_eq!(open(&lines, &[("c", 2)]), ["b", "c", "a"], "the result of another body");
    let ended = [ended("d", Outcome::Done), ended("e", Outcome::Failed)];
    assert_eq!(open(&ended.map(|record| (record, As::Next)), &[]), ["d", "e"]);
}

#[test]
fn a_row_that_came_back_is_not_open() {
    let first = (sent("a"), As::Number(5));
    for (how, is_open) in
        [(As::Next, false), (As::Damaged, true), (As::Number(4), true), (As::Number(5), true)]
    {
        let found = open(&[first.clone(), (back("a"), how)], &[]);
        assert_eq!(!found.is_empty(), is_open);
    }
}

#[test]
fn failed_rows_before_a_rewrite_are_not_open() {
    let rewritten = |how| {
        let rows = [
            (ended("failed", Outcome::Failed), As::Number(3)),
            (ended("later", Outcome::Failed), As::Number(9)),
            (ended("done", Outcome::Done), As::Number(4)),
            (sent("sent"), As::Next),
        ];
        open(&[&rows[..], &[(Record::Rewritten { end: END }, how)]].concat(), &[])
    };
    assert_eq!(rewritten(As::Number(8)), ["done", "sent", "later"]);
    assert_eq!(rewritten(As::Number(9)), ["done", "sent"]);
    assert_eq!(rewritten(As::Damaged), ["failed", "done", "sent", "later"]);
}

#[test]
fn rows_that_others_replaced_are_not_open() {
    let replaced = |how| {
        let rows = [(sent("a"), As::Number(3)), (sent("b"), As::Next), (sent("c"), As::Number(9))];
        let lines = [&rows[..], &[(Record::Replaced { end: END }, how)]].concat();
        open(&lines, &[("a", 2), ("c", 2)])
    };
    assert_eq!(replaced(As::Number(8)), ["b", "c"]);
    assert_eq!(replaced(As::Number(9)), ["b"]);
    assert_eq!(replaced(As::Damaged), ["a", "b", "c"]);
}

#[test]
fn of_two_records_of_a_row_the_later_one_counts() {
    let lines =
        [(sent("a"), As::Number(9)), (sent("b"), As::Number(5)), (sent("a"), As::Number(3))];
    assert_eq!(open(&lines, &[]), ["b", "a"]);
    // A damaged record of a row that another one names says nothing.
    let other = Record::Sent { key: "a".into(), check: 2 };
    assert_eq!(open(&[(sent("a"), As::Next), (other.clone(), As::Damaged)], &[]), ["a"]);
    assert_eq!(open(&[(other.clone(), As::Damaged)], &[("a", 1)]), [""; 0]);
    assert_eq!(open(&[(other, As::Damaged), (sent("b"), As::Next)], &[]), ["a", "b"]);
}
