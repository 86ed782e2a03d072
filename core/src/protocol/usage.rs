//! The tokens that an answer reports, by whatever names. Knows no sums.

use crate::protocol::value::Value;

/// Tokens that an answer reports (R-MET1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Usage {
    /// `prompt_tokens` or `input_tokens`.
    pub input_tokens: u64,
    /// `completion_tokens` or `output_tokens`.
    pub output_tokens: u64,
    /// `total_tokens`, or the sum of the two where it is absent.
    pub total_tokens: u64,
}

impl Usage {
    pub(crate) fn read(value: Value<'_>) -> Option<Usage> {
        let (mut input, mut output, mut total) = (None, None, None);
        for (name, value) in value.members() {
            let count = match &*name {
                "prompt_tokens" | "input_tokens" => &mut input,
                "completion_tokens" | "output_tokens" => &mut output,
                "total_tokens" => &mut total,
                _ => continue,
            };
            *count = value.as_i64().and_then(|tokens| u64::try_from(tokens).ok()).or(*count);
        }
        if input.is_none() && output.is_none() && total.is_none() {
            return None;
        }
        let (input_tokens, output_tokens) = (input.unwrap_or(0), output.unwrap_or(0));
        let total_tokens = total.unwrap_or(input_tokens.saturating_add(output_tokens));
        Some(Usage { input_tokens, output_tokens, total_tokens })
    }
}
