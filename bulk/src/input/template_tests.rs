//! Prompts with fields in braces: their text, rows that do not fit, invalid templates.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use super::*;

fn prompt(template: &str, line: &str) -> Result<String, String> {
    let template: Template = template.parse().unwrap();
    let line = Value::parse(line).unwrap();
    let made = template.prompt(&line.members());
    made.map(|json| Value::parse(&json).unwrap().as_str().unwrap().into_owned())
        .map_err(|fault| format!("{}; {}", fault.reason, fault.advice))
}

#[test]
fn fields_stand_in_the_text() {
    let line = r#"{"text":"a \"b\"\n\u00e9","n":1.50,"is":true,"a b":"c"}"#;
    for (template, expected) in [
        ("{text}", "a \"b\"\n\u{e9}"),
        ("Say \"{text}\"!\n", "Say \"a \"b\"\n\u{e9}\"!\n"),
        ("{n}, {is}; {a b}{n}", "1.50, true; c1.50"),
        ("{{{n}}} {{text}} }}{{", "{1.50} {text} }{"),
    ] {
        assert_eq!(prompt(template, line).as_deref(), Ok(expected), "{template}");
    }
}

#[test]
fn the_last_of_equal_members_counts() {
    assert_eq!(prompt("{a}", r#"{"a":"1","a":"2"}"#).as_deref(), Ok("2"));
}

#[test]
fn a_row_without_the_field_is_a_fault() {
    let missing = prompt("{a} {b}", r#"{"a":"1","c":2}"#).unwrap_err();
    assert_eq!(
        missing,
        "\"b\" is missing (--prompt); it has \"a\", \"c\"; add it, or correct --prompt"
    );
    for (value, kind) in [("null", "null"), ("[1]", "an array"), ("{}", "an object")] {
        let wrong = prompt("{a}", &format!("{{\"a\":{value}}}")).unwrap_err();
        assert!(wrong.contains(&format!("must be a string or a number, not {kind}")), "{wrong}");
    }
}

#[test]
fn a_wrong_template_is_refused() {
    for (template, expected) in [
        ("text", "names no field of the rows; write {text}"),
        ("Translate it", "names no field of the rows; write {FIELD}"),
        ("{{text}}", "names no field of the rows; write {FIELD}"),
        ("", "names no field of the rows; write {FIELD}"),
        ("a {", "single brace"),
        ("a } {b}", "single brace"),
        ("{a{b}}", "single brace"),
        ("{}", "without a name"),
    ] {
        let error = template.parse::<Template>().unwrap_err();
        assert!(error.contains(expected), "{template}: {error}");
    }
}

#[test]
fn it_is_shown_as_it_was_given() {
    let template: Template = "Say {text}, {{please}}".parse().unwrap();
    assert_eq!(template.to_string(), "Say {text}, {{please}}");
}
