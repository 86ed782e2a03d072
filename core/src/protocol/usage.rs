//! The tokens that an answer reports, under any names.

use crate::protocol::value::{Kind, Value};

/// The position of a number in a usage object.
#[derive(Clone, Copy)]
enum Group {
    /// In the object itself.
    Whole,
    /// In its details of the input tokens.
    Input,
    /// In its details of the output tokens.
    Output,
}

use Group::{Input, Output, Whole};

/// The token counts, from one list: the struct, the places where services put each, and all of them by
/// name. If several places have one, the largest counts: services that know two names send the same
/// number in both, or 0 in the one that they do not use.
macro_rules! counts {
    ($($(#[$meta:meta])+ $name:ident: $(($group:ident, $key:literal))|+;)*) => {
        /// The tokens that an answer reports (R-MET1); 0 for counts that it does not report.
        ///
        /// ```
        /// let text = r#"{"choices":[],"usage":{"prompt_tokens":30,"completion_tokens":12,
        ///     "prompt_tokens_details":{"cached_tokens":20}}}"#;
        /// let usage = modelwire::parse::document(text)?.usage().unwrap_or_default();
        /// assert_eq!((usage.input_tokens, usage.output_tokens, usage.total_tokens), (30, 12, 42));
        /// assert_eq!(usage.cached_input_tokens, 20);
        /// for (name, tokens) in usage.counts().filter(|(_, tokens)| *tokens > 0) {
        ///     println!("{name}: {tokens}");
        /// }
        /// # Ok::<(), modelwire::JsonError>(())
        /// ```
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Usage {
            $($(#[$meta])+ pub $name: u64,)*
        }

        impl Usage {
            /// Every count with its name, in order.
            pub fn counts(self) -> impl Iterator<Item = (&'static str, u64)> {
                [$((stringify!($name), self.$name)),*].into_iter()
            }

            /// The counts of [`Usage::counts`]; absent ones are 0.
            pub(crate) fn of_counts(counts: &std::collections::HashMap<String, u64>) -> Usage {
                let count = |name| counts.get(name).copied().unwrap_or_default();
                Usage { $($name: count(stringify!($name)),)* }
            }

            /// Adds the usage of other calls, without overflow.
            pub(crate) fn add(&mut self, other: &Usage) {
                $(self.$name = self.$name.saturating_add(other.$name);)*
            }

            /// The meaning of a member of a usage object.
            fn count(&mut self, group: Group, key: &str) -> Option<&mut u64> {
                match (group, key) {
                    $($(($group, $key))|+ => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }
    };
}

counts! {
    /// `prompt_tokens` or `input_tokens`.
    input_tokens: (Whole, "prompt_tokens") | (Whole, "input_tokens");

    /// `completion_tokens` or `output_tokens`.
    output_tokens: (Whole, "completion_tokens") | (Whole, "output_tokens");

    /// `total_tokens`, or the sum of the two where it is absent.
    total_tokens: (Whole, "total_tokens");

    /// Input tokens that the service read from its cache.
    cached_input_tokens: (Input, "cached_tokens") | (Input, "cache_read_tokens")
        | (Whole, "cached_tokens") | (Whole, "prompt_cache_hit_tokens")
        | (Whole, "cache_read_input_tokens");

    /// Input tokens that the service wrote to its cache.
    cache_write_tokens: (Input, "cache_write_tokens") | (Input, "cache_creation_tokens")
        | (Whole, "cache_write_tokens") | (Whole, "cache_creation_input_tokens");

    /// Output tokens for reasoning.
    reasoning_tokens: (Output, "reasoning_tokens") | (Whole, "reasoning_tokens");

    /// Audio input tokens.
    audio_input_tokens: (Input, "audio_tokens");

    /// Audio output tokens.
    audio_output_tokens: (Output, "audio_tokens");
}

impl Usage {
    pub(crate) fn read(value: Value<'_>) -> Option<Usage> {
        let mut usage = Usage::default();
        let mut has_total = false;
        let mut has_any = false;
        value.each_member(|name, value| {
            let group = match name {
                "prompt_tokens_details" | "input_tokens_details" => Input,
                "completion_tokens_details" | "output_tokens_details" => Output,
                _ => {
                    let is_read = usage.take(Whole, name, value);
                    has_total |= is_read && name == "total_tokens";
                    has_any |= is_read && HEADLINES.contains(&name);
                    return;
                }
            };
            if value.kind() == Kind::Object {
                value.each_member(|name, value| {
                    usage.take(group, name, value);
                });
            }
        });
        if !has_any {
            return None;
        }
        if !has_total {
            usage.total_tokens = usage.input_tokens.saturating_add(usage.output_tokens);
        }
        Some(usage)
    }

    /// Reads a member, if it is a count of tokens.
    fn take(&mut self, group: Group, name: &str, value: Value<'_>) -> bool {
        let tokens = || u64::try_from(value.as_i64()?).ok();
        let Some((count, tokens)) =
            self.count(group, name).and_then(|count| Some((count, tokens()?)))
        else {
            return false;
        };
        *count = tokens.max(*count);
        true
    }
}

/// An object without any of these reports no usage.
const HEADLINES: [&str; 5] =
    ["prompt_tokens", "input_tokens", "completion_tokens", "output_tokens", "total_tokens"];
