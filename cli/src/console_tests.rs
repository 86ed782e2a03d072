//! Output to standard error and to a terminal.

use super::*;

#[test]
fn control_characters_are_shown() {
    for (text, expected) in [
        ("plain, \u{e9}\u{1f600}\n\tmore", "plain, \u{e9}\u{1f600}\n\tmore"),
        ("\u{1b}[31mred\u{1b}[0m", "\\u{1b}[31mred\\u{1b}[0m"),
        ("bell \u{7} back \u{8} return \r.", "bell \\u{7} back \\u{8} return \\r."),
        ("eight bits \u{9b}2J \u{7f}", "eight bits \\u{9b}2J \\u{7f}"),
        ("\0", "\\u{0}"),
        ("a\u{202e}cba\u{202c}\u{2066}\u{2069}", "a\\u{202e}cba\\u{202c}\\u{2066}\\u{2069}"),
        ("\u{61c}\u{200e}\u{200f}\u{202a}", "\\u{61c}\\u{200e}\\u{200f}\\u{202a}"),
        (
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{645}\u{631}\u{62d}\u{628}\u{627}",
            "\u{5e9}\u{5dc}\u{5d5}\u{5dd} \u{645}\u{631}\u{62d}\u{628}\u{627}",
        ),
        ("joined\u{200d}\u{200b}", "joined\u{200d}\u{200b}"),
    ] {
        assert_eq!(shown(text), expected);
    }
}

#[test]
fn a_message_is_one_short_line() {
    for (text, expected) in [
        ("one", "one"),
        ("one\ntwo\r\n  three\n", "one two  three"),
        ("a\tb\u{1b}c", "a b\\u{1b}c"),
        ("", ""),
    ] {
        assert_eq!(one_line(text), expected);
    }
    let long = one_line(&"\u{e9}".repeat(1_000_000));
    assert_eq!(long.chars().count(), MESSAGE_CHARS_MAX + 4);
}
