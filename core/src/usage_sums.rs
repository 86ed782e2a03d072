//! What the calls of a client used, by requested model (R-MET1). Knows no call.

use std::collections::BTreeMap;

use crate::protocol::usage::Usage;

/// What the calls of a client used, by requested model (R-MET1).
pub type UsageSums = BTreeMap<String, UsageSum>;

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
        let (tokens, others) = (&mut self.tokens, &other.tokens);
        for (sum, more) in [
            (&mut self.calls, other.calls),
            (&mut self.calls_without_usage, other.calls_without_usage),
            (&mut tokens.input_tokens, others.input_tokens),
            (&mut tokens.output_tokens, others.output_tokens),
            (&mut tokens.total_tokens, others.total_tokens),
        ] {
            *sum = sum.saturating_add(more);
        }
    }
}
