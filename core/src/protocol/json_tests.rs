//! What the JSON cursor accepts, rejects and reads.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::borrow::Cow;

use super::*;
use crate::protocol::chunk::Chunk;
use crate::protocol::document::Document;
use crate::protocol::escapes::write_str;
use crate::protocol::value::Value;

#[test]
fn agrees_with_serde_json_about_what_is_json() {
    let texts = [
        "null",
        "true",
        "false",
        "0",
        "-0",
        "1.5e-3",
        "1E+9",
        "\"\"",
        "\"a\\n\\u00e9\"",
        "[]",
        "{}",
        " [ 1 , {\"a\" : [ ] } ] ",
        "{\"a\":{\"b\":[1,2,[3]]},\"c\":\"]}\"}",
        "\"\u{2028}\"",
        "123456789012345678901234567890",
        "\"\\ud83d\\ude00\"",
        "",
        " ",
        "tru",
        "nul",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "[1,]",
        "[,1]",
        "{\"a\":1,}",
        "{a:1}",
        "{\"a\" 1}",
        "[1 2]",
        "\"",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\t\"",
        "\"\u{1}\"",
        "[}",
        "{]",
        "[1}",
        "{} {}",
        "1 1",
        "nan",
        "\"abcdefgh\u{1f}\"",
        "\"abcdefghijklmnop\\q\"",
        "[[[[]]]",
        "{\"a\":{}}}",
        "'a'",
    ];
    for text in texts {
        let ours = Value::parse(text).is_ok();
        let theirs = serde_json::from_str::<serde_json::Value>(text).is_ok();
        assert_eq!(ours, theirs, "{text:?}");
    }
}

#[test]
fn every_damaged_byte_is_judged_as_serde_json_judges_it() {
    let whole = r#"{"id":"c-1","choices":[{"index":0,"delta":{"content":"h\u00e9\n\"x"}}],"n":-1.5e3,"t":[true,null]}"#;
    for at in 0..whole.len() {
        for byte in [b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b'0', b'a', b' ', b'\n'] {
            let mut damaged = whole.as_bytes().to_vec();
            damaged[at] = byte;
            let text = String::from_utf8(damaged).unwrap();
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            // We accept a lone surrogate (it reads as U+FFFD); this text has none.
            assert_eq!(Value::parse(&text).is_ok(), theirs.is_ok(), "{text}");
        }
        let cut = &whole[..at];
        assert!(Value::parse(cut).is_err(), "{cut}");
    }
}

#[test]
fn strings_read_as_serde_json_reads_them() {
    for raw in [
        r#""""#,
        r#""plain""#,
        r#""a\tb\\c\/d\"e""#,
        r#""\u00e9\u20ac""#,
        r#""\ud83d\ude00!""#,
        r#""ünï😀""#,
    ] {
        let expected: String = serde_json::from_str(raw).unwrap();
        assert_eq!(Value::parse(raw).unwrap().as_str().unwrap(), expected, "{raw}");
    }
}

/// Characters are skipped eight at a time: each ends a string, or does not, at each place in the eight.
#[test]
fn each_character_is_judged_wherever_it_stands() {
    for character in (0..=0xFFu8).map(char::from) {
        for (before, after) in (0..9).flat_map(|before| [(before, 0), (before, 9)]) {
            let (before, after) = ("a".repeat(before), "\u{80}b".repeat(after));
            let text = format!("\"{before}{character}{after}\"");
            let theirs = serde_json::from_str::<String>(&text).ok();
            let ours = Value::parse(&text).ok().and_then(Value::as_str).map(Cow::into_owned);
            assert_eq!(ours, theirs, "{text:?}");
        }
    }
}

#[test]
fn a_lone_surrogate_reads_as_the_replacement_character() {
    for (raw, expected) in [
        (r#""\ud83d""#, "\u{fffd}"),
        (r#""\ude00x""#, "\u{fffd}x"),
        (r#""\ud83d\u0041""#, "\u{fffd}A"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\u0041\ude00""#, "A\u{fffd}"),
        (r#""\ud83dxxde00""#, "\u{fffd}xxde00"),
    ] {
        assert_eq!(Value::parse(raw).unwrap().as_str().unwrap(), expected, "{raw}");
    }
}

#[test]
fn nesting_is_bounded_by_name_and_not_by_the_stack() {
    let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(Value::parse(&nest(JSON_DEPTH_MAX)).is_ok());
    let error = Value::parse(&nest(JSON_DEPTH_MAX + 1)).unwrap_err();
    assert!(error.to_string().contains("JSON_DEPTH_MAX"), "{error}");
    assert!(Value::parse(&"[{\"a\":".repeat(1_000_000)).is_err());
}

/// In any member of an answer.
#[test]
fn nesting_is_bounded_alike_in_documents_and_their_members() {
    let nest = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (before, after, outer) in [
        ("{\"other\":", "}", 1),
        ("{\"response\":", "}", 1),
        ("{\"choices\":[{\"other\":", "}]}", 3),
        ("{\"choices\":[{\"delta\":{\"other\":", "}}]}", 4),
        ("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"other\":", "}]}}]}", 6),
    ] {
        for (depth, fits) in [(JSON_DEPTH_MAX, true), (JSON_DEPTH_MAX + 1, false)] {
            let text = format!("{before}{}{after}", nest(depth - outer));
            assert_eq!(Value::parse(&text).is_ok(), fits, "{before} {depth}");
            assert_eq!(Chunk::scan("", &text).is_ok(), fits, "{before} {depth}");
            assert_eq!(Document::scan(&text).is_ok(), fits, "{before} {depth}");
        }
    }
}

#[test]
fn an_error_names_the_place() {
    let error = Value::parse(r#"{"a": tru}"#).unwrap_err();
    assert_eq!(error, JsonError { offset: 6, expected: "true" });
}

#[test]
fn values_are_found_by_key_index_and_pointer() {
    let text = r#"{"a":[10,{"b/c":"x","~":1}],"d":1,"d":2,"\u0065":true}"#;
    let value = Value::parse(text).unwrap();
    assert_eq!(value.pointer("/a/0").unwrap().as_i64(), Some(10));
    assert_eq!(value.pointer("/a/1/b~1c").unwrap().as_str().unwrap(), "x");
    assert_eq!(value.pointer("/a/1/~0").unwrap().as_i64(), Some(1));
    assert_eq!(value.get("d").unwrap().as_i64(), Some(2), "the last duplicate wins");
    assert_eq!(value.get("e").unwrap().as_bool(), Some(true), "an escaped key");
    assert_eq!(value.pointer("").unwrap().text(), text);
    assert!(value.pointer("/a/01").is_none() && value.pointer("/a/+1").is_none());
    assert!(value.pointer("/a/9").is_none() && value.pointer("a").is_none());
    assert_eq!(value.members().len(), 4);
    let names: Vec<_> = (0..5).map(|index| value.member_name(index)).collect();
    assert_eq!(names[..3], ["a", "d", "d"].map(|name| Some(name.to_owned())));
    assert_eq!(
        (names[3].as_deref(), &names[4]),
        (Some("e"), &None),
        "decoded, and no more members"
    );
    assert_eq!(value.pointer("/a").unwrap().member_name(0), None, "an array has no members");
}

#[test]
fn numbers_keep_every_digit() {
    let value = Value::parse("123456789012345678901234567890.000").unwrap();
    assert_eq!(value.text(), "123456789012345678901234567890.000");
    assert_eq!(value.as_i64(), None);
}

#[test]
fn written_strings_come_back() {
    for text in ["", "plain", "\"\\\n\r\t\u{0}\u{1f}", "ünï\u{2028}😀"] {
        let mut out = String::new();
        write_str(text, &mut out);
        assert_eq!(Value::parse(&out).unwrap().as_str().unwrap(), text);
    }
}
