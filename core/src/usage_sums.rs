//! What the calls of a client used, by key and by requested model (R-MET1). Knows no call.

use std::collections::BTreeMap;

use crate::protocol::usage::Usage;

/// What calls used, by requested model (R-MET1).
pub type UsageSums = BTreeMap<String, UsageSum>;

/// What calls used, by the [id of their key](crate::key_id), and by requested model.
pub type UsageByKey = BTreeMap<String, UsageSums>;

/// Most keys whose calls are told apart; those of further ones are summed up under `OTHER_KEYS`.
pub const USAGE_KEYS_MAX: usize = 4096;
/// In the place of an id: the calls of all keys beyond [`USAGE_KEYS_MAX`].
pub const OTHER_KEYS: &str = "other";

/// What the calls of all keys used, by requested model.
pub fn usage_by_model(sums: &UsageByKey) -> UsageSums {
    let mut all = UsageSums::new();
    for (model, sum) in sums.values().flatten() {
        all.entry(model.clone()).or_default().add(sum);
    }
    all
}

/// Counts what a call used.
pub(crate) fn count(sums: &mut UsageByKey, key_id: &str, model: &str, used: &UsageSum) {
    let is_known = sums.len() < USAGE_KEYS_MAX || sums.contains_key(key_id);
    let key_id = if is_known { key_id } else { OTHER_KEYS };
    // Nearly every call finds its key and its model: nothing is copied for them.
    let models = match sums.get_mut(key_id) {
        Some(models) => models,
        None => sums.entry(key_id.to_owned()).or_default(),
    };
    match models.get_mut(model) {
        Some(sum) => sum.add(used),
        None => drop(models.insert(model.to_owned(), *used)),
    }
}

/// What the calls of one model used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageSum {
    /// Answered calls.
    pub calls: u64,
    /// Those among them whose answers reported no usage: what they used is not in `tokens`. Many
    /// services report none in a stream unless `stream_options` asks for it.
    pub calls_without_usage: u64,
    /// Tokens as the answers reported them.
    pub tokens: Usage,
}

impl UsageSum {
    /// Adds what other calls used. No sum runs over.
    pub(crate) fn add(&mut self, other: &UsageSum) {
        self.calls = self.calls.saturating_add(other.calls);
        self.calls_without_usage =
            self.calls_without_usage.saturating_add(other.calls_without_usage);
        self.tokens.add(&other.tokens);
    }
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    /// R-MET1: no call is lost where keys are too many to be told apart.
    #[test]
    fn keys_are_bounded() {
        let mut sums = UsageByKey::new();
        let used = UsageSum { calls: 1, ..UsageSum::default() };
        for key in 0..USAGE_KEYS_MAX + 3 {
            count(&mut sums, &key.to_string(), "m", &used);
            count(&mut sums, "0", "n", &used);
        }
        assert_eq!(sums.len(), USAGE_KEYS_MAX + 1);
        assert_eq!(sums[OTHER_KEYS]["m"].calls, 3);
        let all = usage_by_model(&sums);
        let calls = USAGE_KEYS_MAX as u64 + 3;
        assert_eq!((all["m"].calls, all["n"].calls), (calls, calls));
    }
}
