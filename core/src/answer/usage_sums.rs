//! The usage of a client's calls, by key and by requested model (R-MET1).

use std::collections::BTreeMap;

use crate::answer::record::RECORD_TEXT_BYTES_MAX;
use crate::protocol::usage::Usage;

/// Usage by requested model (R-MET1).
///
/// ```
/// fn print(sums: &modelwire::UsageSums) {
///     for (model, sum) in sums {
///         println!("{model}: {} calls, {} tokens", sum.calls, sum.tokens.total_tokens);
///     }
/// }
/// ```
pub type UsageSums = BTreeMap<String, UsageSum>;

/// Usage by the [id of the key](crate::key_id), and by requested model.
///
/// ```
/// fn print(sums: &modelwire::UsageByKey) {
///     for (key_id, models) in sums {
///         let tokens: u64 = models.values().map(|sum| sum.tokens.total_tokens).sum();
///         println!("key {key_id}: {tokens} tokens");
///     }
/// }
/// ```
pub type UsageByKey = BTreeMap<String, UsageSums>;

/// The maximum number of keys counted separately; further keys are summed up under `OTHER_KEYS`.
pub const USAGE_KEYS_MAX: usize = 4096;
/// In place of an id: the calls of all keys beyond [`USAGE_KEYS_MAX`].
pub const OTHER_KEYS: &str = "other";
/// The maximum number of pairs of key and model counted separately. Further models, and names of more
/// than 1,024 bytes, are summed up under [`OTHER_MODELS`] of their key.
pub const USAGE_MODELS_MAX: usize = 16_384;
/// In place of a name: the calls of all models beyond [`USAGE_MODELS_MAX`].
pub const OTHER_MODELS: &str = "(other)";

/// The usage of all keys, by requested model.
pub fn usage_by_model(sums: &UsageByKey) -> UsageSums {
    let mut all = UsageSums::new();
    for (model, sum) in sums.values().flatten() {
        all.entry(model.clone()).or_default().add(sum);
    }
    all
}

/// The sums of a client, with bounded size.
#[derive(Default)]
pub(crate) struct Sums {
    by_key: UsageByKey,
    /// Models in the sums of all keys, except `OTHER_MODELS`.
    models: usize,
}

impl Sums {
    pub(crate) fn by_key(&self) -> UsageByKey {
        self.by_key.clone()
    }

    /// Returns the sums, and restarts from 0.
    pub(crate) fn take(&mut self) -> UsageByKey {
        std::mem::take(self).by_key
    }

    /// Counts the usage of a call.
    pub(crate) fn count(&mut self, key_id: &str, model: &str, used: &UsageSum) {
        let is_known = self.by_key.len() < USAGE_KEYS_MAX || self.by_key.contains_key(key_id);
        let key_id = if is_known { key_id } else { OTHER_KEYS };
        // Nearly every call finds its key and its model without a copy.
        let models = match self.by_key.get_mut(key_id) {
            Some(models) => models,
            None => self.by_key.entry(key_id.to_owned()).or_default(),
        };
        if let Some(sum) = models.get_mut(model) {
            return sum.add(used);
        }
        let has_room = self.models < USAGE_MODELS_MAX && model.len() <= RECORD_TEXT_BYTES_MAX;
        if has_room && model != OTHER_MODELS {
            self.models += 1;
            models.insert(model.to_owned(), *used);
        } else {
            models.entry(OTHER_MODELS.to_owned()).or_default().add(used);
        }
    }
}

/// The usage of one model's calls.
///
/// ```
/// use modelwire::UsageSum;
///
/// fn tokens_per_call(sum: &UsageSum) -> Option<u64> {
///     sum.tokens.total_tokens.checked_div(sum.calls - sum.calls_without_usage)
/// }
///
/// assert_eq!(tokens_per_call(&UsageSum::default()), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UsageSum {
    /// Answered calls.
    pub calls: u64,
    /// The number of these whose answers reported no usage: `tokens` does not include them. Many
    /// services report none in a stream unless `stream_options` requests it.
    pub calls_without_usage: u64,
    /// Tokens as the answers reported them.
    pub tokens: Usage,
}

impl UsageSum {
    /// Adds the usage of other calls, without overflow.
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

    fn one() -> UsageSum {
        UsageSum { calls: 1, ..UsageSum::default() }
    }

    /// No call is lost if there are too many keys.
    #[test]
    fn keys_are_bounded() {
        let mut sums = Sums::default();
        for key in 0..USAGE_KEYS_MAX + 3 {
            sums.count(&key.to_string(), "m", &one());
            sums.count("0", "n", &one());
        }
        let sums = sums.by_key();
        assert_eq!(sums.len(), USAGE_KEYS_MAX + 1);
        assert_eq!(sums[OTHER_KEYS]["m"].calls, 3);
        let all = usage_by_model(&sums);
        let calls = USAGE_KEYS_MAX as u64 + 3;
        assert_eq!((all["m"].calls, all["n"].calls), (calls, calls));
    }

    /// No call is lost if there are too many models, over all keys.
    #[test]
    fn models_are_bounded() {
        let mut sums = Sums::default();
        let more = 5;
        for model in 0..USAGE_MODELS_MAX + more {
            let key = if model % 2 == 0 { "a" } else { "b" };
            sums.count(key, &model.to_string(), &one());
            sums.count("a", "0", &one());
        }
        let found = sums.by_key();
        assert_eq!(found["a"].len() + found["b"].len(), USAGE_MODELS_MAX + 2);
        assert_eq!((found["a"][OTHER_MODELS].calls, found["b"][OTHER_MODELS].calls), (3, 2));
        let all = usage_by_model(&found);
        let calls: u64 = all.values().map(|sum| sum.calls).sum();
        assert_eq!(calls, 2 * (USAGE_MODELS_MAX + more) as u64);
        assert_eq!(all["0"].calls, (USAGE_MODELS_MAX + more) as u64 + 1, "a known one goes on");
        // Reset sums have room again.
        assert_eq!(sums.take(), found);
        sums.count("a", "new", &one());
        assert_eq!(sums.by_key()["a"].keys().collect::<Vec<_>>(), ["new"]);
    }

    /// Nor if a name is longer than the limit.
    #[test]
    fn names_of_models_are_bounded() {
        let mut sums = Sums::default();
        let longest = "x".repeat(1024);
        sums.count("a", &longest, &one());
        sums.count("a", &format!("{longest}x"), &one());
        sums.count("a", OTHER_MODELS, &one());
        let found = sums.by_key();
        assert_eq!((found["a"].len(), found["a"][&longest].calls), (2, 1));
        assert_eq!(found["a"][OTHER_MODELS].calls, 2);
    }
}
