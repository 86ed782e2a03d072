//! A compact table of all rows of a job, done or not: 12 bytes per row.
//!
//! # How rows are distinguished
//!
//! A row is stored as 64 bits of its key and the [`CHECK_BITS`] bits of its check, not as its text. Two
//! `custom_id`s have the same 64 bits with a chance of 1 to 37 million in a job of a million rows; such
//! a row counts as a duplicate or as changed, which is reported, and is not sent. Rows named by their
//! hash are not affected: their key is their content, and their check is compared as well; the two are
//! 92 independent bits, which a million rows share with a chance of 1 to 10^16.
//!
//! A `custom_id`'s 64 bits come from the standard library's keyed hash, so nobody can choose ids that
//! collide.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use crate::row::{BodyHash, CHECK_BITS, Key};

/// What is known of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It was not sent, or was refused for the rate: it has no outcome.
    New,
    /// It was answered.
    Done,
    /// It failed permanently.
    Failed,
    /// It was sent, and its outcome is unknown.
    Unknown,
}

/// The status of a row when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KnownState {
    /// It is to do.
    New,
    /// It was done before.
    AlreadyDone,
    /// It failed before.
    AlreadyFailed,
    /// It was sent before, and its outcome is unknown.
    Unknown,
    /// Another content was sent under its `custom_id` before, with this outcome.
    Changed(State),
    /// A row with its `custom_id` was already read in this pass.
    Twice,
}

/// The number of rows in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Of [`State::New`].
    pub new: u64,
    /// Of [`State::Done`].
    pub done: u64,
    /// Of [`State::Failed`].
    pub failed: u64,
    /// Of [`State::Unknown`].
    pub unknown: u64,
    /// Rows known from before, except new ones, that were not read in this pass.
    pub vanished: u64,
}

/// The number of parts of the table. They grow one by one, so that growing needs little extra memory.
const PARTS: usize = 64;
const PART_BITS: u32 = PARTS.ilog2();

/// The initial capacity of a part.
const PART_SLOTS_MIN: usize = 64;

/// The percentage of used slots at which a part grows by half.
const LOAD_MAX_PERCENT: usize = 85;

/// One row, or the count of a content that was read more than once.
#[derive(Clone, Copy, Default)]
struct Slot {
    /// The two halves of the fingerprint; both are zero if the slot is free.
    high: u32,
    low: u32,
    /// From the lowest bit: check or count, whether it is a count, whether it was read in this pass, the
    /// state.
    rest: u32,
}

const CHECK_MASK: u32 = (1 << CHECK_BITS) - 1;
const IS_COUNT: u32 = 1 << CHECK_BITS;
const IS_MET: u32 = 1 << (CHECK_BITS + 1);
const STATE_SHIFT: u32 = CHECK_BITS + 2;

/// Equal rows beyond this are not counted, but searched one by one.
const EQUAL_COUNTED_MAX: u32 = CHECK_MASK;

/// What to look for in a slot.
#[derive(Clone, Copy)]
struct Sought {
    fingerprint: u64,
    /// Bits that must be equal, besides the fingerprint.
    mask: u32,
    rest: u32,
}

/// The table of all rows of a job.
pub struct Ledger {
    parts: Vec<Part>,
    keyed: RandomState,
}

#[derive(Default)]
struct Part {
    slots: Vec<Slot>,
    used: usize,
}

impl Ledger {
    /// Creates an empty ledger.
    pub fn new() -> Ledger {
        let mut parts = Vec::new();
        parts.resize_with(PARTS, Part::default);
        Ledger { parts, keyed: RandomState::new() }
    }

    /// Records an entry of a journal for a row. The last one counts.
    pub fn mark(&mut self, key: &str, check: u32, state: State) {
        let (place, mut slot) = self.find(self.sought(key, check));
        slot.rest = slot.rest & IS_MET | check & CHECK_MASK | bits(state);
        self.put(place, slot);
    }

    /// The last entry for a row, and the check of the content that it had then.
    pub fn known(&self, key: &str, check: u32) -> (State, u32) {
        let sought = self.sought(key, check);
        let part = self.parts.get(sought.part());
        let rest = part
            .and_then(|part| part.look_up(sought).ok())
            .map_or(sought.rest, |(_, slot)| slot.rest);
        (state(rest), rest & CHECK_MASK)
    }

    /// Records the outcome of a row of this run.
    pub fn settle(&mut self, key: &Key, state: State) {
        self.mark(key.text(), key.check(), state);
    }

    /// Marks all failed rows as new; they may return with another content.
    pub fn forget_failed(&mut self) {
        for slot in self.parts.iter_mut().flat_map(|part| &mut part.slots) {
            if slot.rest & IS_COUNT == 0 && state(slot.rest) == State::Failed {
                slot.rest = slot.rest & !bits(State::Unknown) | bits(State::New);
            }
        }
    }

    /// Looks up a row, and names it if it has no `custom_id`.
    pub fn meet_row(&mut self, custom_id: Option<&str>, hash: BodyHash) -> (Key, KnownState) {
        let Some(id) = custom_id else { return self.meet_unnamed(hash) };
        let key = Key::new(id, hash.check());
        let met = self.meet(&key);
        (key, met)
    }

    /// Looks up a row with a `custom_id`, or one that was named before.
    pub fn meet(&mut self, key: &Key) -> KnownState {
        self.meet_sought(self.sought(key.text(), key.check()))
    }

    /// Names a row without `custom_id`.
    fn meet_unnamed(&mut self, hash: BodyHash) -> (Key, KnownState) {
        let mut equal = 0;
        loop {
            let met = self.meet_sought(named(hash, equal));
            if met != KnownState::Twice || equal == u32::MAX {
                return (hash.key(equal), met);
            }
            // Also if a row has this name as its `custom_id`: then the next name is free.
            equal = self.count(hash).max(equal.saturating_add(1));
        }
    }

    fn meet_sought(&mut self, sought: Sought) -> KnownState {
        let (place, mut slot) = self.find(sought);
        let is_same = (slot.rest ^ sought.rest) & CHECK_MASK == 0;
        let met = match state(slot.rest) {
            _ if slot.rest & IS_MET != 0 => return KnownState::Twice,
            State::New => KnownState::New,
            state if !is_same => KnownState::Changed(state),
            State::Done => KnownState::AlreadyDone,
            State::Failed => KnownState::AlreadyFailed,
            State::Unknown => KnownState::Unknown,
        };
        if met == KnownState::New {
            slot.rest = sought.rest;
        }
        slot.rest |= IS_MET;
        self.put(place, slot);
        met
    }

    /// Starts a new pass over the rows: after a survey, after a pilot.
    pub fn begin_again(&mut self) {
        for slot in self.parts.iter_mut().flat_map(|part| &mut part.slots) {
            slot.rest &= if slot.rest & IS_COUNT != 0 { !CHECK_MASK } else { !IS_MET };
        }
    }

    /// The number of rows in each state. Walks all of them: a few milliseconds for a million.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for slot in self.parts.iter().flat_map(|part| &part.slots) {
            if slot.is_free() || slot.rest & IS_COUNT != 0 {
                continue;
            }
            let state = state(slot.rest);
            let count = match state {
                State::New => &mut counts.new,
                State::Done => &mut counts.done,
                State::Failed => &mut counts.failed,
                State::Unknown => &mut counts.unknown,
            };
            *count += 1;
            counts.vanished += u64::from(state != State::New && slot.rest & IS_MET == 0);
        }
        counts
    }

    /// Counts one more row of this content; returns how many came before it.
    fn count(&mut self, hash: BodyHash) -> u32 {
        let fingerprint = not_zero(mixed(!hash.high()));
        let (place, mut slot) = self.find(Sought { fingerprint, mask: IS_COUNT, rest: IS_COUNT });
        let equal = (slot.rest & CHECK_MASK).saturating_add(1).min(EQUAL_COUNTED_MAX);
        slot.rest = IS_COUNT | equal;
        self.put(place, slot);
        equal
    }

    fn sought(&self, key: &str, check: u32) -> Sought {
        match BodyHash::of_key(key, check) {
            Some((hash, equal)) => named(hash, equal),
            None => Sought {
                fingerprint: not_zero(self.keyed.hash_one(key)),
                mask: IS_COUNT,
                rest: check & CHECK_MASK,
            },
        }
    }

    /// The position of this entry, existing or new, and its contents.
    fn find(&mut self, sought: Sought) -> ((usize, usize), Slot) {
        let index = sought.part();
        let (at, slot) =
            self.parts.get_mut(index).map(|part| part.find(sought)).unwrap_or_default();
        ((index, at), slot)
    }

    fn put(&mut self, (index, at): (usize, usize), slot: Slot) {
        if let Some(part) = self.parts.get_mut(index) {
            part.put(at, slot);
        }
    }
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger::new()
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.counts().fmt(f)
    }
}

/// What to look for: a row without `custom_id`.
fn named(hash: BodyHash, equal: u32) -> Sought {
    let fingerprint = match equal {
        0 => hash.high(),
        _ => mixed(hash.high().wrapping_add(u64::from(equal).wrapping_mul(ODD))),
    };
    Sought {
        fingerprint: not_zero(fingerprint),
        mask: IS_COUNT | CHECK_MASK,
        rest: hash.check() & CHECK_MASK,
    }
}

const ODD: u64 = 0x9E37_79B9_7F4A_7C15;

/// A bijective mix in which every output bit depends on every input bit (splitmix64).
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}

fn not_zero(fingerprint: u64) -> u64 {
    fingerprint.max(1)
}

fn bits(state: State) -> u32 {
    let number = match state {
        State::New => 0,
        State::Done => 1,
        State::Failed => 2,
        State::Unknown => 3,
    };
    number << STATE_SHIFT
}

fn state(rest: u32) -> State {
    match rest >> STATE_SHIFT {
        0 => State::New,
        1 => State::Done,
        2 => State::Failed,
        _ => State::Unknown,
    }
}

impl Sought {
    /// The index of its part.
    fn part(self) -> usize {
        (self.fingerprint >> (u64::BITS - PART_BITS)) as usize
    }
}

impl Slot {
    fn new(fingerprint: u64, rest: u32) -> Slot {
        Slot { high: (fingerprint >> 32) as u32, low: fingerprint as u32, rest }
    }

    fn fingerprint(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }

    fn is_free(self) -> bool {
        self.fingerprint() == 0
    }
}

impl Part {
    fn find(&mut self, sought: Sought) -> (usize, Slot) {
        if (self.used + 1) * 100 > self.slots.len() * LOAD_MAX_PERCENT {
            self.grow();
        }
        self.look_up(sought)
            .unwrap_or_else(|free| (free, Slot::new(sought.fingerprint, sought.rest)))
    }

    fn look_up(&self, sought: Sought) -> Result<(usize, Slot), usize> {
        self.probe(sought.fingerprint, |slot| (slot.rest ^ sought.rest) & sought.mask == 0)
    }

    /// The slot with this fingerprint that `is_right`, or the free slot where it would be.
    fn probe(
        &self,
        fingerprint: u64,
        is_right: impl Fn(Slot) -> bool,
    ) -> Result<(usize, Slot), usize> {
        let size = self.slots.len();
        // By the lower half: all fingerprints of a part have the same highest bits.
        let start = ((fingerprint as u32 as u64 * size as u64) >> 32) as usize;
        for at in (start..size).chain(0..start) {
            match self.slots.get(at) {
                Some(slot) if slot.is_free() => return Err(at),
                Some(slot) if slot.fingerprint() == fingerprint && is_right(*slot) => {
                    return Ok((at, *slot));
                }
                _ => {}
            }
        }
        Err(size) // never: a part is never full
    }

    fn put(&mut self, at: usize, slot: Slot) {
        if let Some(place) = self.slots.get_mut(at) {
            self.used += usize::from(place.is_free());
            *place = slot;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() + self.slots.len() / 2).max(PART_SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![Slot::default(); size]);
        self.used = 0;
        for slot in old.into_iter().filter(|slot| !slot.is_free()) {
            if let Err(free) = self.probe(slot.fingerprint(), |_| false) {
                self.put(free, slot);
            }
        }
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
