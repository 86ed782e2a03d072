//! The ledger against a reference map that keeps everything.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::HashMap;
use std::time::Instant;

use modelwire::Endpoint;

use super::*;

const STATES: [State; 4] = [State::New, State::Done, State::Failed, State::Unknown];

fn hash(content: u64) -> BodyHash {
    BodyHash::of(Endpoint::Chat, &content.to_string())
}

#[test]
fn a_row_has_the_state_that_the_journal_records() {
    let check = |journal: &[(&str, u32, State)], id: &str, body: u32, expected: KnownState| {
        let mut ledger = Ledger::new();
        for (id, check, state) in journal {
            ledger.mark(id, *check, *state);
        }
        assert_eq!(ledger.meet(&Key::new(id, body)), expected, "{journal:?} {id}");
        assert_eq!(ledger.meet(&Key::new(id, body)), KnownState::Twice, "{journal:?} {id}");
        ledger.begin_again();
        let again = if expected == KnownState::New { KnownState::New } else { expected };
        assert_eq!(ledger.meet(&Key::new(id, body)), again, "{journal:?} {id}");
    };
    check(&[], "a", 1, KnownState::New);
    check(&[("b", 1, State::Done)], "a", 1, KnownState::New);
    check(&[("a", 1, State::New)], "a", 1, KnownState::New);
    check(&[("a", 1, State::Done)], "a", 1, KnownState::AlreadyDone);
    check(&[("a", 1, State::Failed)], "a", 1, KnownState::AlreadyFailed);
    check(&[("a", 1, State::Unknown)], "a", 1, KnownState::Unknown);
    check(&[("a", 1, State::Unknown), ("a", 1, State::Done)], "a", 1, KnownState::AlreadyDone);
    check(&[("a", 1, State::Unknown), ("a", 1, State::New)], "a", 1, KnownState::New);
    check(&[("a", 1, State::Done)], "a", 2, KnownState::Changed(State::Done));
    check(&[("a", 1, State::Failed)], "a", 2, KnownState::Changed(State::Failed));
    check(&[("a", 1, State::Unknown)], "a", 2, KnownState::Changed(State::Unknown));
    check(&[("a", 1, State::New)], "a", 2, KnownState::New); // never sent: nothing has changed
    check(&[("a", 1, State::Done), ("a", 2, State::Done)], "a", 2, KnownState::AlreadyDone);
}

#[test]
fn rows_that_failed_may_come_again_with_another_content() {
    let mut ledger = Ledger::new();
    for (key, state) in [("a", State::Failed), ("b", State::Done), ("c", State::Unknown)] {
        ledger.mark(key, 1, state);
    }
    let own = hash(1).key(0);
    ledger.settle(&own, State::Failed);
    ledger.forget_failed();
    let counts = ledger.counts();
    assert_eq!((counts.new, counts.done, counts.failed, counts.unknown), (2, 1, 0, 1));
    assert_eq!(ledger.meet(&Key::new("a", 2)), KnownState::New);
    assert_eq!(ledger.meet(&Key::new("b", 1)), KnownState::AlreadyDone);
    assert_eq!(ledger.meet(&Key::new("c", 1)), KnownState::Unknown);
    assert_eq!(ledger.meet_unnamed(hash(1)), (own, KnownState::New));
}

#[test]
fn a_row_is_known_with_the_content_of_its_last_entry() {
    let mut ledger = Ledger::new();
    assert_eq!(ledger.known("a", 5).0, State::New);
    for (check, state) in [(5, State::Unknown), (CHECK_MASK, State::Done), (9, State::Failed)] {
        ledger.mark("a", check, state);
        assert_eq!(ledger.known("a", 1), (state, check));
    }
    // Also after the row was read, whatever its content is now.
    assert_eq!(ledger.meet(&Key::new("a", 3)), KnownState::Changed(State::Failed));
    assert_eq!(ledger.known("a", 3), (State::Failed, 9));
    ledger.mark("a", 3, State::Done);
    assert_eq!(ledger.known("a", 3), (State::Done, 3));
    assert_eq!(ledger.meet(&Key::new("a", 3)), KnownState::Twice, "it was read");
}

#[test]
fn equal_rows_are_named_in_their_order() {
    let mut ledger = Ledger::new();
    for pass in 0..2 {
        for equal in 0..5 {
            for content in 0..3 {
                let (key, met) = ledger.meet_unnamed(hash(content));
                assert_eq!(key, hash(content).key(equal));
                let before = if pass == 0 || equal % 2 == 0 {
                    KnownState::New
                } else {
                    KnownState::AlreadyDone
                };
                assert_eq!(met, before, "{equal} {content}");
            }
        }
        for equal in [1, 3] {
            (0..3).for_each(|content| ledger.settle(&hash(content).key(equal), State::Done));
        }
        let counts = ledger.counts();
        assert_eq!((counts.new, counts.done, counts.vanished), (9, 6, 0));
        ledger.begin_again();
        assert_eq!(ledger.counts().vanished, 6);
    }
}

#[test]
fn a_custom_id_may_look_like_or_equal_a_generated_key() {
    let (mut ledger, own, other) = (Ledger::new(), hash(1), hash(2));
    let look_alike = Key::new(own.key(0).text(), other.check());
    assert_eq!(ledger.meet(&look_alike), KnownState::New);
    assert_eq!(ledger.meet_unnamed(own).1, KnownState::New, "its content is different");
    assert_eq!(ledger.meet(&look_alike), KnownState::Twice);
    // The same name and the same content: a line of the results whose body became that of its row.
    assert_eq!(ledger.meet(&other.key(0)), KnownState::New);
    assert_eq!(ledger.meet(&other.key(1)), KnownState::New);
    assert_eq!(ledger.meet_unnamed(other), (other.key(2), KnownState::New));
    assert_eq!(ledger.meet_unnamed(other), (other.key(3), KnownState::New));
    assert_eq!(ledger.meet(&other.key(3)), KnownState::Twice);
}

/// A reference model of the ledger, with texts and lists.
#[derive(Default)]
struct Model {
    rows: HashMap<String, (u32, State, bool)>,
    equal: HashMap<u64, u32>,
}

impl Model {
    fn meet(&mut self, key: &Key) -> KnownState {
        let fresh = (key.check(), State::New, false);
        let (check, state, is_met) = self.rows.entry(key.text().to_owned()).or_insert(fresh);
        if std::mem::replace(is_met, true) {
            return KnownState::Twice;
        }
        match *state {
            State::New => {
                *check = key.check();
                KnownState::New
            }
            state if *check != key.check() => KnownState::Changed(state),
            State::Done => KnownState::AlreadyDone,
            State::Failed => KnownState::AlreadyFailed,
            State::Unknown => KnownState::Unknown,
        }
    }

    fn counts(&self) -> Counts {
        let count =
            |wanted| self.rows.values().filter(|(_, state, _)| *state == wanted).count() as u64;
        let is_gone = |(_, state, is_met): &&(u32, State, bool)| *state != State::New && !is_met;
        Counts {
            new: count(State::New),
            done: count(State::Done),
            failed: count(State::Failed),
            unknown: count(State::Unknown),
            vanished: self.rows.values().filter(is_gone).count() as u64,
        }
    }
}

#[test]
fn random_operations_do_what_a_map_does() {
    for seed in 1..=6_u64 {
        let mut random = seed;
        let mut below = |bound: u64| {
            random = random.wrapping_add(ODD);
            mixed(random) % bound
        };
        let (mut ledger, mut model) = (Ledger::new(), Model::default());
        let ids = *[20, 1000, 30_000].get(seed as usize % 3).unwrap();
        for _ in 0..60_000 {
            let id = below(ids);
            match below(100) {
                0..30 => {
                    let key = Key::new(format!("id-{id}"), below(2) as u32);
                    assert_eq!(ledger.meet(&key), model.meet(&key));
                }
                30..60 => {
                    let equal = model.equal.entry(id).or_default();
                    let key = hash(id).key(*equal);
                    *equal += 1;
                    let met = model.meet(&key);
                    assert_eq!(ledger.meet_unnamed(hash(id)), (key, met));
                }
                60..99 => {
                    let state = *STATES.get(below(4) as usize).unwrap();
                    let key = match below(2) {
                        0 => Key::new(format!("id-{id}"), below(2) as u32),
                        _ => hash(id).key(below(3) as u32),
                    };
                    ledger.mark(key.text(), key.check(), state);
                    let is_met = model.rows.get(key.text()).is_some_and(|(_, _, is_met)| *is_met);
                    model.rows.insert(key.text().to_owned(), (key.check(), state, is_met));
                }
                _ if below(100) == 0 => {
                    ledger.begin_again();
                    model.equal.clear();
                    model.rows.values_mut().for_each(|(_, _, is_met)| *is_met = false);
                }
                _ => {}
            }
        }
        assert_eq!(ledger.counts(), model.counts(), "seed {seed}");
    }
}

#[test]
fn a_million_equal_rows_take_no_longer_than_others() {
    let rows = 200_000; // more in the release build, by hand
    let time = |content: fn(u64) -> u64| {
        let (mut ledger, begun) = (Ledger::new(), Instant::now());
        for row in 0..rows {
            assert_eq!(ledger.meet_unnamed(hash(content(row))).1, KnownState::New);
        }
        begun.elapsed()
    };
    // A stall of the machine spoils one measurement, and three are tried.
    let mut measured = Vec::new();
    let is_linear = (0..3).any(|_| {
        let (different, equal) = (time(|row| row), time(|_| 0));
        measured.push((different, equal));
        equal < different * 20
    });
    assert!(is_linear, "different and equal rows: {measured:?}");
}

#[test]
fn a_row_takes_about_12_bytes() {
    let mut ledger = Ledger::new();
    for row in 0..100_000 {
        ledger.mark(&format!("row-{row}"), 0, State::Done);
    }
    let bytes: usize = ledger.parts.iter().map(|part| part.slots.len() * size_of::<Slot>()).sum();
    assert!((1_200_000..2_200_000).contains(&bytes), "{bytes}");
}
