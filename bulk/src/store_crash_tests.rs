//! Tests of the store after a crash: at every byte that a kill can leave, at many states that a power
//! failure can leave, and at many that neither can.

use std::collections::BTreeMap;

use super::*;

/// A run, with the contents of its files and the order of its writes.
struct Recorded {
    results: Vec<u8>,
    journal: Vec<u8>,
    /// For each write, the sizes of both files after it. One of them grew.
    writes: Vec<(usize, usize)>,
}

const KEYS: [&str; 6] = ["a", "b", "c", "row-4", "e \"5\"", "sixth"];

/// Six rows: four ended, one was refused, one is in flight.
fn recorded(folder: &Folder) -> Recorded {
    let options = folder.options("out.jsonl");
    let (mut store, _) = open(&options);
    let (results, journal) = (folder.path("out.jsonl"), folder.path("out.jsonl.journal"));
    // Reads the journal first: results are never behind it.
    let read = || {
        let journal = fs::read(&journal).unwrap();
        (fs::read(&results).unwrap(), journal)
    };
    let mut writes = vec![(0, 0)];
    let mut note = |ended: usize| {
        eventually("the journal knows of the row", || {
            let (results, journal) = read();
            let text = String::from_utf8(journal).unwrap();
            let told = text.matches("{\"done\"").count() + text.matches("{\"failed\"").count();
            if told == ended {
                let (before, _) = *writes.last().unwrap();
                if results.len() > before {
                    writes.push((results.len(), writes.last().unwrap().1));
                }
                writes.push((results.len(), text.len()));
            }
            told == ended
        });
    };
    note(0);
    store.send(&KEYS[..3]);
    note(0);
    store.done("b");
    note(1);
    store.book().refused(&row("a"));
    store.send(&KEYS[3..4]);
    note(1);
    store.fail("c");
    note(2);
    store.done(KEYS[3]);
    note(3);
    store.send(&KEYS[4..]);
    note(3);
    store.done(KEYS[4]);
    note(4);
    drop(store);
    let (results, journal) = read();
    assert_eq!(*writes.last().unwrap(), (results.len(), journal.len()));
    Recorded { results, journal, writes }
}

/// The expected state of each row from these files, derived independently.
fn expected(results: &[u8], journal: &[u8]) -> BTreeMap<String, State> {
    let mut states = BTreeMap::new();
    let whole = |bytes: &[u8]| -> Vec<serde_json::Value> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let end = text.rfind('\n').map_or(0, |end| end + 1);
        let lines = text[..end].lines();
        lines.map_while(|line| serde_json::from_str(line).ok()).collect()
    };
    for record in whole(journal) {
        for (name, state) in [("sent", State::Unknown), ("back", State::New)] {
            if let Some(key) = record[name].as_str() {
                states.insert(key.to_owned(), state);
            }
        }
    }
    for line in whole(results) {
        let state = if line["error"].is_null() { State::Done } else { State::Failed };
        states.insert(line["custom_id"].as_str().unwrap().to_owned(), state);
    }
    states
}

/// Opens a job with these files, checks its state, and completes it.
fn check(results: &[u8], journal: &[u8], what: &str) {
    let folder = Folder::in_memory();
    let options = folder.options("out.jsonl");
    fs::write(folder.path("out.jsonl"), results).unwrap();
    fs::write(folder.path("out.jsonl.journal"), journal).unwrap();
    let (mut store, told) = try_open(&options).unwrap_or_else(|error| panic!("{what}: {error}"));
    let expected = expected(results, journal);
    for key in KEYS {
        let wanted = expected.get(key).copied().unwrap_or(State::New);
        assert_eq!(told.of(key), wanted, "{what}: {key}");
        let is_named = store.resumed().unknown.iter().any(|name| name == key);
        assert_eq!(is_named, wanted == State::Unknown, "{what}: {key}");
    }
    let open: Vec<_> = KEYS
        .into_iter()
        .filter(|key| matches!(told.of(key), State::New | State::Unknown))
        .collect();
    if !open.is_empty() {
        store.send(&open);
    }
    open.iter().for_each(|key| store.done(key));
    store.close(None).unwrap();
    let mut found = keys(&folder.path("out.jsonl"));
    found.sort();
    let mut all = KEYS;
    all.sort_unstable();
    assert_eq!(found, all, "{what}: each row has one result");
    let (_, told) = super::open(&options);
    assert!(KEYS.iter().all(|key| matches!(told.of(key), State::Done | State::Failed)), "{what}");
}

#[test]
fn a_kill_at_any_byte_loses_nothing() {
    let folder = Folder::in_memory();
    let recorded = recorded(&folder);
    let mut before = (0, 0);
    for after in &recorded.writes {
        let states: Vec<_> = match after.0 > before.0 {
            true => (before.0..after.0).map(|results| (results, before.1)).collect(),
            false => (before.1..after.1).map(|journal| (before.0, journal)).collect(),
        };
        for (results, journal) in states {
            let what = format!("{results} of the results, {journal} of the journal");
            check(&recorded.results[..results], &recorded.journal[..journal], &what);
        }
        before = *after;
    }
    check(&recorded.results, &recorded.journal, "all");
}

/// A pseudo-random generator: xorshift.
pub(super) struct Dice(u64);

impl Dice {
    /// Seeded from TEST_SEED, or else from `seed`; a failing test prints which.
    pub(super) fn of(seed: u64) -> Dice {
        let wanted = std::env::var("TEST_SEED").ok();
        let seed = wanted.map_or(seed, |seed| seed.parse().unwrap());
        println!("TEST_SEED={seed}");
        Dice(seed.max(1))
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

/// Any part of the unsynced data may be there, and holes in it read as zeros. Outcome records are never
/// awaited: they may be missing although later results are there.
#[test]
fn a_power_failure_loses_nothing() {
    let folder = Folder::in_memory();
    let recorded = recorded(&folder);
    let mut dice = Dice::of(0x5EED);
    for _ in 0..300 {
        let at = 1 + dice.below(recorded.writes.len() - 1);
        let (before, after) = (recorded.writes[at - 1], recorded.writes[at]);
        // The data written by now is cut anywhere, or has a hole up to its end.
        let mut left = |from: usize, to: usize, bytes: &[u8]| {
            let end = from + dice.below(to - from + 1);
            let mut left = bytes[..end].to_vec();
            let hole = end - dice.below((end - from).min(40) + 1);
            if dice.below(2) == 0 {
                left[hole..].fill(0);
            }
            left
        };
        let results = left(before.0, after.0, &recorded.results);
        let journal = left(before.1, after.1, &recorded.journal);
        if journal.first() == Some(&0) {
            continue;
        }
        let what = format!("{} and {}", results.escape_ascii(), journal.escape_ascii());
        check(&results, &journal, &what);
    }
}

/// Files that no crash leaves: a disk that did not keep what it confirmed. Either all is well, or the store
/// rejects them with a hint.
#[test]
fn files_that_no_crash_could_leave_are_refused() {
    let folder = Folder::in_memory();
    let recorded = recorded(&folder);
    let mut dice = Dice::of(0xD15C);
    let mut refused = 0;
    for _ in 0..300 {
        let results = &recorded.results[..dice.below(recorded.results.len() + 1)];
        let journal = &recorded.journal[..dice.below(recorded.journal.len() + 1)];
        let text = String::from_utf8_lossy(journal);
        let known = text[..text.rfind('\n').map_or(0, |end| end + 1)].lines().filter_map(|line| {
            let record: serde_json::Value = serde_json::from_str(line).unwrap();
            record["end"].as_u64()
        });
        let is_missing = known.max().unwrap_or(0) > results.len() as u64;
        let is_headless = !text.contains('\n') && !results.is_empty();
        if is_missing || is_headless {
            refused += 1;
            let folder = Folder::in_memory();
            fs::write(folder.path("out.jsonl"), results).unwrap();
            fs::write(folder.path("out.jsonl.journal"), journal).unwrap();
            let said = refusal(&folder.options("out.jsonl"));
            assert!(said.contains("--repair") || said.contains("start over"), "{said}");
            assert_eq!(
                fs::read(folder.path("out.jsonl")).unwrap(),
                results,
                "the results are unchanged"
            );
        } else {
            check(results, journal, &format!("{} and {}", results.len(), journal.len()));
        }
    }
    assert!(refused > 10);
}

/// A second rewrite of failed results, which the journal does not record yet, is interrupted: its partial
/// file is not taken for new results.
#[test]
fn a_second_rewrite_that_is_cut_off_is_not_taken_for_the_first() {
    let folder = Folder::in_memory();
    let options = folder.options("out.jsonl.gz");
    let (results, journal) = (folder.path("out.jsonl.gz"), folder.path("out.jsonl.gz.journal"));
    let (mut store, _) = open(&options);
    store.send(&["a", "b"]);
    store.done("a");
    store.fail("b");
    store.close(None).unwrap();
    let again = StoreOptions { retries_failed: true, ..options.clone() };
    let (mut store, _) = open(&again);
    store.send(&["b"]);
    let before = fs::read(&journal).unwrap();
    store.fail("b");
    store.close(None).unwrap();
    // Killed between the result and its journal record; then again, in the middle of the second rewrite. The
    // results are unreadable there: their folder stands in for that.
    fs::write(&journal, before).unwrap();
    let mut opened = open::open(&options, None, &mut Ledger::new()).unwrap();
    let (Results::File(file), Some(held)) = (&mut opened.results, &mut opened.journal) else {
        panic!("a file and its journal")
    };
    let said = rewrite::without_failed(file, &folder.0, held).unwrap_err().to_string();
    assert!(said.contains("removing failed rows from it"), "{said}");
    drop(opened);
    fs::write(folder.path("out.jsonl.gz.rewriting"), &fs::read(&results).unwrap()[..20]).unwrap();

    let (store, told) = open(&options);
    assert_eq!((told.of("a"), told.of("b")), (State::Done, State::Failed));
    drop(store);
    assert_eq!(keys(&results), ["a", "b"]);
}

/// A member of compressed results has many rows: if the journal is cut among their outcomes, the others are
/// recovered all the same.
#[test]
fn a_journal_that_is_cut_among_the_rows_of_one_member_loses_none() {
    for name in ["out.jsonl.gz", "out.jsonl.zst", "out.jsonl"] {
        let folder = Folder::in_memory();
        let options = folder.options(name);
        let journal = folder.path(&format!("{name}.journal"));
        let names: Vec<_> = (0..40).map(|number| format!("row-{number}")).collect();
        let all: Vec<_> = names.iter().map(String::as_str).collect();
        let (mut store, _) = open(&options);
        store.send(&all);
        all.iter().for_each(|key| store.done(key));
        store.close(None).unwrap();
        let (results, whole) = (fs::read(folder.path(name)).unwrap(), fs::read(&journal).unwrap());
        let begin = String::from_utf8_lossy(&whole).find("{\"done\"").unwrap();
        for cut in (begin..whole.len()).step_by(23) {
            fs::write(folder.path(name), &results).unwrap();
            fs::write(&journal, &whole[..cut]).unwrap();
            let (store, told) = open(&options);
            assert!(all.iter().all(|key| told.of(key) == State::Done), "{name}, {cut}: {told:?}");
            let resumed = store.resumed();
            assert!(resumed.unknown.is_empty(), "{name}, {cut}: {:?}", resumed.unknown);
            let is_twice = resumed.notes.iter().any(|note| note.contains("more than one"));
            assert!(!is_twice, "{name}, {cut}: {:?}", resumed.notes);
            store.close(None).unwrap();
            let (_, told) = open(&options);
            assert!(all.iter().all(|key| told.of(key) == State::Done), "{name}, {cut}, again");
            let text = fs::read_to_string(&journal).unwrap();
            assert_eq!(text.matches("{\"done\"").count(), 40, "{name}, {cut}");
        }
    }
}
