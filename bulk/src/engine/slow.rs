//! Notices rows that take much longer than the others: most often the service has forgotten them.

use std::time::Duration;

use super::attempt::Attempt;

/// A row that took no longer is not slow.
const SLOW_MIN: Duration = Duration::from_secs(60);

/// How much longer than the slowest answer so far.
const TIMES: u32 = 10;

/// The time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What is known of how long rows take.
#[derive(Debug, Default)]
pub(super) struct SlowRows {
    /// The longest time of an attempt that was answered.
    longest: Duration,
    looks_at: Duration,
    /// The age of the oldest row when it was last reported.
    reported: Duration,
}

impl SlowRows {
    /// Records an answer.
    pub(super) fn answered(&mut self, took: Duration) {
        self.longest = self.longest.max(took);
    }

    /// A notice for the user, if there are such rows; again when the oldest is twice as old.
    pub(super) fn notice<'a>(
        &mut self,
        in_flight: impl Iterator<Item = &'a Attempt>,
        now: Duration,
    ) -> Option<String> {
        if now < self.looks_at {
            return None;
        }
        self.looks_at = now + LOOK_EVERY;
        let bound = SLOW_MIN.max(self.longest * TIMES);
        let age = |attempt: &Attempt| now.saturating_sub(attempt.begun);
        let mut slow: Vec<_> = in_flight.filter(|attempt| age(attempt) >= bound).collect();
        slow.sort_by_key(|attempt| (attempt.begun, attempt.row.number));
        let Some(oldest) = slow.first() else {
            self.reported = Duration::ZERO;
            return None;
        };
        if age(oldest) < self.reported * 2 {
            return None;
        }
        self.reported = age(oldest);
        let name = oldest.row.key.text();
        let rows = match slow.len() {
            1 => format!("row {name} has"),
            count => format!("{count} rows, the first {name}, have"),
        };
        let others = match self.longest {
            Duration::ZERO => "and no row has been answered yet".to_owned(),
            longest => {
                format!("and no answer so far took longer than {:.1} s", longest.as_secs_f64())
            }
        };
        let so_long = bound.as_secs();
        Some(format!(
            "{rows} been in flight for {so_long} s or more, {others}; a shorter timeout would end such rows"
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use std::sync::Arc;

    use modelwire::Endpoint;

    use super::*;
    use crate::row::{BodyHash, Key, Row};

    fn begun(number: u64, at: u64) -> Attempt {
        let row = Row {
            key: Key::new(format!("r{number}"), 0),
            number,
            hash: BodyHash::of(Endpoint::Chat, "{}"),
            endpoint: Endpoint::Chat,
            body: Arc::from("{}"),
            model: Arc::from("echo"),
        };
        let mut attempt = Attempt::of(row, 0, 0);
        attempt.begins(Duration::from_secs(at));
        attempt
    }

    #[test]
    fn only_rows_far_slower_than_the_others_are_named() {
        let mut slow = SlowRows::default();
        let look = |slow: &mut SlowRows, rows: &[Attempt], at| {
            slow.notice(rows.iter(), Duration::from_secs(at))
        };
        let rows = [begun(1, 10), begun(2, 0)];
        assert_eq!(look(&mut slow, &rows, 59), None);
        let notice = look(&mut slow, &rows, 60).unwrap();
        assert!(
            notice.starts_with("row r2 has been in flight for 60 s or more, and no row"),
            "{notice}"
        );
        // Not again before it is twice as old, and with both rows then.
        assert_eq!(look(&mut slow, &rows, 119), None);
        slow.answered(Duration::from_millis(2500));
        let notice = look(&mut slow, &rows, 120).unwrap();
        assert!(notice.starts_with("2 rows, the first r2, have been"), "{notice}");
        assert!(notice.contains("longer than 2.5 s"), "{notice}");
        // Where answers take that long, nothing is slow.
        slow.answered(Duration::from_secs(30));
        assert_eq!(look(&mut slow, &rows, 290), None);
        assert!(look(&mut slow, &rows, 300).is_some());
        // The next slow row is reported as the first was.
        assert_eq!(look(&mut slow, &[], 400), None);
        assert!(look(&mut slow, &[begun(3, 400)], 700).is_some());
    }

    #[test]
    fn it_looks_once_a_second() {
        let mut slow = SlowRows::default();
        let rows = [begun(1, 0)];
        assert_eq!(slow.notice(rows.iter(), Duration::from_millis(59_500)), None);
        assert_eq!(slow.notice(rows.iter(), Duration::from_millis(60_200)), None);
        assert!(slow.notice(rows.iter(), Duration::from_millis(60_500)).is_some());
    }
}
