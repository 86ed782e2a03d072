//! A row in flight, and the table of all rows in flight.

use std::cmp::Ordering;
use std::time::Duration;

use modelwire::Response;

use super::classify::Tries;
use crate::checks::Rejection;
use crate::row::{BodyHash, Row};

/// A row and its attempts so far.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) row: Row,
    /// The lane whose controller admits it.
    pub(super) lane: usize,
    /// The service to which it is sent.
    pub(super) service: usize,
    /// The service that refused it last (429), of several.
    pub(super) refused_at: Option<usize>,
    /// The services that refused it otherwise, as bits.
    pub(super) refused_by: u64,
    /// The number of times it was sent.
    pub(super) sent: u32,
    /// The number of the API key with which it was sent last.
    pub(super) key: u32,
    pub(super) tries: Tries,
    /// Its last answer, if that failed a check.
    pub(super) answer: Option<(Response, Rejection)>,
    /// When it was first admitted, and when last.
    pub(super) first_begun: Option<Duration>,
    pub(super) begun: Duration,
    /// Estimated tokens, before the correction of its lane.
    pub(super) estimate: u64,
}

impl Attempt {
    pub(super) fn of(row: Row, lane: usize, estimate: u64) -> Attempt {
        let (tries, begun) = (Tries::default(), Duration::ZERO);
        Attempt {
            row,
            lane,
            service: 0,
            refused_at: None,
            refused_by: 0,
            sent: 0,
            key: 0,
            tries,
            answer: None,
            first_begun: None,
            begun,
            estimate,
        }
    }

    /// The same for all attempts of the row, in later runs as well, until its answer fails a check: then it
    /// is asked for another one.
    pub(super) fn idempotency_key(&self) -> String {
        let (row, rejected) = (&self.row, self.tries.rejected);
        let body: String = row.hash.digits().collect();
        let whole = format!("{body} {rejected} {}", row.key.text());
        BodyHash::of_bytes(whole.as_bytes()).digits().collect()
    }

    /// Whether the book has it as sent, and nothing more than that is to be known: it was answered, and is
    /// asked again.
    pub(super) fn is_recorded(&self) -> bool {
        self.answer.is_some() && self.tries.paid == 0
    }

    /// Records that it was admitted.
    pub(super) fn begins(&mut self, now: Duration) {
        self.first_begun = self.first_begun.or(Some(now));
        self.begun = now;
    }
}

/// A row to retry, not before `due`.
#[derive(Debug)]
pub(super) struct Delayed {
    pub(super) due: Duration,
    pub(super) attempt: Attempt,
}

/// Reversed, so that the heap's greatest is the earliest.
impl Ord for Delayed {
    fn cmp(&self, other: &Delayed) -> Ordering {
        other
            .due
            .cmp(&self.due)
            .then_with(|| other.attempt.row.number.cmp(&self.attempt.row.number))
    }
}

impl PartialOrd for Delayed {
    fn partial_cmp(&self, other: &Delayed) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Delayed {
    fn eq(&self, other: &Delayed) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Delayed {}

/// Attempts in flight, by the tags of their calls.
#[derive(Debug, Default)]
pub(super) struct Flights {
    places: Vec<Option<Attempt>>,
    free: Vec<usize>,
}

impl Flights {
    pub(super) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Attempt> {
        self.places.iter().flatten()
    }

    pub(super) fn for_each(self, each: impl FnMut(Attempt)) {
        self.places.into_iter().flatten().for_each(each);
    }

    pub(super) fn put(&mut self, attempt: Attempt) -> u64 {
        let place = match self.free.pop() {
            Some(place) => place,
            None => {
                self.places.push(None);
                self.places.len() - 1
            }
        };
        if let Some(free) = self.places.get_mut(place) {
            *free = Some(attempt);
        }
        place as u64
    }

    pub(super) fn take(&mut self, tag: u64) -> Option<Attempt> {
        let place = usize::try_from(tag).ok()?;
        let attempt = self.places.get_mut(place)?.take()?;
        self.free.push(place);
        Some(attempt)
    }
}
