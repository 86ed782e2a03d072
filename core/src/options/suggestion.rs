//! Suggests a known name for a mistyped one.

use strsim::levenshtein as distance;

/// The known name closest to this one, if one is close enough: up to a third of its letters may differ,
/// or its words may be in another order.
pub(crate) fn suggestion<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let far = name.chars().count().max(6) / 3;
    let found = known.map(|known| (distance(name, known).min(as_words(name, known)), known));
    let suggestion = found.filter(|(distance, _)| *distance <= far).min_by_key(|(far, _)| *far);
    suggestion.map(|(_, known)| known)
}

/// The edit distance when the order of words does not matter.
fn as_words(one: &str, other: &str) -> usize {
    let sorted = |name: &str| {
        let mut words: Vec<_> = name.split('_').collect();
        words.sort_unstable();
        words.join("_")
    };
    distance(&sorted(one), &sorted(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_option_gets_a_suggestion() {
        let known = ["headers", "max_retries", "idle_timeout_ms", "total_timeout_ms", "http2"];
        for (name, expected) in [
            ("idle_timeout", Some("idle_timeout_ms")),
            ("Idle_Timeout_Ms", Some("idle_timeout_ms")),
            ("total_timeut_ms", Some("total_timeout_ms")),
            ("header", Some("headers")),
            ("retries_max", Some("max_retries")),
            ("retry_max", Some("max_retries")),
            ("http", Some("http2")),
            ("", None),
            ("temperature", None),
            ("x", None),
        ] {
            assert_eq!(suggestion(name, known.into_iter()), expected, "{name}");
        }
        assert_eq!(suggestion("a", [].into_iter()), None);
    }
}
