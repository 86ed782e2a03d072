//! The API key of a job that outlives it: after a 401 it is asked for again, and the row sent again.

/// After this many new keys that the service rejected, without an accepted row in between, the run ends.
const REJECTED_KEYS_MAX: u32 = 3;

/// Where the key of later attempts comes from.
#[derive(Default)]
pub(super) struct Keys {
    renew: Option<Box<dyn FnMut() -> Option<String> + Send>>,
    /// The renewed key, and the number of renewals.
    current: Option<String>,
    number: u32,
    rejected: u32,
}

impl Keys {
    pub(super) fn renewed_by(renew: impl FnMut() -> Option<String> + Send + 'static) -> Keys {
        Keys { renew: Some(Box::new(renew)), ..Keys::default() }
    }

    /// The key of an attempt that begins, and its number; `None` is the client's.
    pub(super) fn current(&self) -> (Option<&str>, u32) {
        (self.current.as_deref(), self.number)
    }

    /// A row with this key was accepted.
    pub(super) fn accepted(&mut self, number: u32) {
        if number == self.number {
            self.rejected = 0;
        }
    }

    /// Whether there is another key than that of an attempt that got a 401, which its row got `rejected`
    /// times: a row that is rejected with every key ends the run, too.
    pub(super) fn has_other_than(&mut self, number: u32, rejected: u32) -> bool {
        if rejected > REJECTED_KEYS_MAX {
            return false;
        }
        if number < self.number {
            return true;
        }
        if self.rejected >= REJECTED_KEYS_MAX {
            return false;
        }
        let Some(key) = self.renew.as_mut().and_then(|renew| renew()) else { return false };
        self.current = Some(key);
        self.number += 1;
        self.rejected += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_key_is_renewed_once_for_all_its_attempts() {
        let mut given = vec!["third", "second"];
        let mut keys = Keys::renewed_by(move || given.pop().map(str::to_owned));
        assert_eq!(keys.current(), (None, 0));
        assert!(keys.has_other_than(0, 1));
        assert_eq!(keys.current(), (Some("second"), 1));
        assert!(keys.has_other_than(0, 1), "of an attempt that was in flight meanwhile");
        assert_eq!(keys.current().1, 1);
        assert!(keys.has_other_than(1, 2));
        assert!(!keys.has_other_than(2, 3), "there is no other");
    }

    #[test]
    fn ever_new_keys_that_are_rejected_end_the_run() {
        let mut keys = Keys::renewed_by(|| Some("sk-test".to_owned()));
        for number in 0..REJECTED_KEYS_MAX {
            assert!(keys.has_other_than(number, 1));
        }
        assert!(!keys.has_other_than(REJECTED_KEYS_MAX, 1));
        keys.accepted(0);
        assert!(!keys.has_other_than(REJECTED_KEYS_MAX, 1), "an old one");
        keys.accepted(REJECTED_KEYS_MAX);
        assert!(keys.has_other_than(REJECTED_KEYS_MAX, 1));
        assert!(keys.has_other_than(REJECTED_KEYS_MAX + 1, REJECTED_KEYS_MAX));
        assert!(!keys.has_other_than(REJECTED_KEYS_MAX, REJECTED_KEYS_MAX + 1), "for one row");
    }
}
