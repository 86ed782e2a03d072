//! Which of many known names a mistyped one is like. Knows no option.

/// The known name that is nearest to this one, where one is near enough to be meant: a third of its
/// letters may be others, or its words stand in another order.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let far = name.chars().count().max(6) / 3;
    let found = known.map(|known| (distance(name, known).min(as_words(name, known)), known));
    let nearest = found.filter(|(distance, _)| *distance <= far).min_by_key(|(far, _)| *far);
    nearest.map(|(_, known)| known)
}

/// How far they are from each other when the order of their words does not matter.
fn as_words(one: &str, other: &str) -> usize {
    let sorted = |name: &str| {
        let mut words: Vec<_> = name.split('_').collect();
        words.sort_unstable();
        words.join("_")
    };
    distance(&sorted(one), &sorted(other))
}

/// How many letters have to be put in, left out or replaced to make the other of one (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    // How far the beginning of one is from each beginning of the other.
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (before, letter) in one.chars().enumerate() {
        let mut last = before + 1;
        let mut next = vec![last];
        for (pair, theirs) in row.windows(2).zip(&other) {
            let [diagonal, above] = pair else { continue };
            last = (diagonal + usize::from(letter != *theirs)).min(above + 1).min(last + 1);
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_distance_counts_letters() {
        for (one, other, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "abc", 0),
            ("abc", "abd", 1),
            ("abc", "ac", 1),
            ("abc", "xabc", 1),
            ("kitten", "sitting", 3),
            ("idle_timeout", "idle_timeout_ms", 3),
            ("h\u{e9}", "he", 1),
        ] {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn what_was_meant_is_found() {
        let known = ["headers", "retries_max", "idle_timeout_ms", "total_timeout_ms", "http2"];
        for (name, expected) in [
            ("idle_timeout", Some("idle_timeout_ms")),
            ("Idle_Timeout_Ms", Some("idle_timeout_ms")),
            ("total_timeut_ms", Some("total_timeout_ms")),
            ("header", Some("headers")),
            ("max_retries", Some("retries_max")),
            ("retry_max", Some("retries_max")),
            ("http", Some("http2")),
            ("", None),
            ("temperature", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
        assert_eq!(nearest("a", [].into_iter()), None);
    }
}
