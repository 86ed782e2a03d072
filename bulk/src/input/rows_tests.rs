//! Lines to rows, and invalid lines.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use super::*;
use crate::ledger::State;

fn maker() -> RowMaker {
    RowMaker::new(&RowOptions::default(), "in.jsonl")
}

fn line(id: &str, prompt: &str) -> String {
    format!("{{\"custom_id\":\"{id}\",\"body\":{}}}", body(prompt))
}

fn body(prompt: &str) -> String {
    format!("{{\"model\":\"echo\",\"input\":\"{prompt}\"}}")
}

fn row(come: Option<InputItem>) -> (Row, KnownState) {
    match come {
        Some(InputItem::Row(row, met)) => (row, met),
        other => panic!("{other:?}"),
    }
}

fn bad(come: Option<InputItem>) -> BadRow {
    match come {
        Some(InputItem::Bad(bad)) => bad,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_row_has_all_that_is_needed_to_send_it() {
    let (mut maker, mut ledger) = (maker(), Ledger::new());
    let (named, met) = row(maker.make(&line("a", "Hi"), 7, &mut ledger));
    assert_eq!((named.key.text(), named.number, met), ("a", 7, KnownState::New));
    assert_eq!((&*named.body, &*named.model), (&*body("Hi"), "echo"));
    for equal in 0..3 {
        let (unnamed, _) = row(maker.make(&body("Hi"), 8, &mut ledger));
        let hash = BodyHash::of(modelwire::Endpoint::Responses, &body("Hi"));
        assert_eq!(unnamed.key, hash.key(equal));
        assert_eq!(unnamed.key.check(), named.key.check(), "it is the same content");
        assert!(Arc::ptr_eq(&unnamed.model, &named.model));
    }
}

#[test]
fn a_row_comes_with_its_state_from_earlier_runs() {
    let check = |state: State, prompt: &str, expected: KnownState| {
        let (mut maker, mut ledger) = (maker(), Ledger::new());
        let (known, _) = row(maker.make(&line("a", "Hi"), 1, &mut ledger));
        ledger.settle(&known.key, state);
        ledger.begin_again();
        assert_eq!(row(maker.make(&line("a", prompt), 1, &mut ledger)).1, expected);
    };
    check(State::Done, "Hi", KnownState::AlreadyDone);
    check(State::Failed, "Hi", KnownState::AlreadyFailed);
    check(State::Unknown, "Hi", KnownState::Unknown);
    check(State::Done, "Ho", KnownState::Changed(State::Done));
    check(State::New, "Ho", KnownState::New);
}

#[test]
fn a_bad_line_is_reported_with_file_and_line_number() {
    let (mut maker, mut ledger) = (maker(), Ledger::new());
    let found = bad(maker.make("{\"messages\":[}", 31234, &mut ledger));
    let expected = "in.jsonl:31234: not valid JSON at column 14: expected a JSON value; correct the \
                    line";
    assert_eq!(found.to_string(), expected);
    assert!(found.key.text().starts_with("sha256-") && found.key.text().ends_with("-0"));
    assert!(bad(maker.make("{\"messages\":[}", 9, &mut ledger)).key.text().ends_with("-1"));
    let found = bad(maker.make("{\"custom_id\":\"a\",\"messages\":5}", 1, &mut ledger));
    assert_eq!((found.key.text(), found.met, found.is_twice), ("a", KnownState::New, false));
    let found = bad(maker.make(&line("a", "Hi"), 2, &mut ledger));
    assert_eq!((found.key.text(), found.met, found.is_twice), ("a", KnownState::Twice, true));
    let expected = "in.jsonl:2: custom_id \"a\" was used before; give each row a different one";
    assert_eq!(found.to_string(), expected);
}

#[test]
fn bytes_that_are_not_utf8_are_reported() {
    let check = |bytes: &[u8], reason: &str, advice: &str| {
        let judged = maker().judge(Line::Whole(bytes), 1, &mut Ledger::new());
        let found = bad(judged.map(Checked::come));
        assert_eq!(found.reason, reason);
        assert!(found.advice.contains(advice), "{found}");
    };
    check(b"{\"\xC3\xA9\":\"\xFF\"}", "not valid UTF-8 at column 7", "correct the line");
    check(b"\xFF\xFE{\0}\0", "not valid UTF-8 at column 1", "iconv -f UTF-16");
    let too_long = vec![b'x'; ROW_BYTES_MAX + 1];
    let text = std::str::from_utf8(&too_long).unwrap();
    let found = bad(maker().make(text, 1, &mut Ledger::new()));
    assert!(found.reason.contains("ROW_BYTES_MAX = 67108864"), "{found}");
}

#[test]
fn shards_together_contain_every_row_once() {
    let texts: Vec<String> = (0..300)
        .map(|row| match row % 3 {
            0 => line(&row.to_string(), "Hi"),
            1 => body(&(row % 50).to_string()),
            _ => format!("{{{row}"),
        })
        .collect();
    let all = |shard: Option<Shard>| {
        let options = RowOptions { shard, ..RowOptions::default() };
        let (mut maker, mut ledger) = (RowMaker::new(&options, "in"), Ledger::new());
        let comes = texts.iter().filter_map(|text| maker.make(text, 1, &mut ledger));
        let keys = comes.map(|come| match come {
            InputItem::Row(row, _) => row.key.text().to_owned(),
            InputItem::Bad(bad) => bad.key.text().to_owned(),
        });
        keys.collect::<Vec<_>>()
    };
    let mut whole = all(None);
    let mut parts: Vec<_> = (1..=4).flat_map(|index| all(Shard::new(index, 4))).collect();
    whole.sort();
    parts.sort();
    assert_eq!(whole, parts);
    parts.dedup();
    assert_eq!(parts.len(), 300);
}

#[test]
fn random_bytes_are_lines_and_no_panic() {
    let mut random: u64 = 7;
    let mut byte = || {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let number = (random >> 33) as usize;
        *b"{}[]\",:\\u0e-1 \n\r\xEF\xBB\xBF\xC3\xA9\xFFabody"
            .get(number % 30)
            .unwrap_or(&(number as u8))
    };
    let bytes: Vec<u8> = (0..200_000).map(|_| byte()).collect();
    let (mut maker, mut ledger, mut count) = (maker(), Ledger::new(), 0);
    let mut lines = Lines::new(&*bytes);
    while lines.advance().unwrap() {
        assert!(maker.judge(lines.line(), lines.number(), &mut ledger).is_some());
        count += 1;
    }
    assert!(count > 1000, "{count}");
}
