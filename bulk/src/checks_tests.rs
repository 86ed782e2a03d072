//! Checks of answers as services send them.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use modelwire::parse::document;
use serde_json::{Value as Json, json};

use super::*;

const ALL: [Check; 3] = Check::NAMED;

fn asks_for(schema: &Json) -> Json {
    json!({"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": schema}}})
}

fn person() -> Json {
    json!({
        "type": "object", "required": ["name", "age"], "additionalProperties": false,
        "properties": {"name": {"type": "string", "pattern": "^[A-Z]"}, "age": {"$ref": "#/$defs/age"}},
        "$defs": {"age": {"type": "integer", "minimum": 0}},
    })
}

/// What is wrong with a chat whose choices these are.
fn chat(checks: &[Check], body: &Json, choices: &Json) -> Option<(&'static str, String)> {
    let answer = json!({"choices": choices}).to_string();
    let judged =
        Checks::new(checks).judge(Endpoint::Chat, &body.to_string(), &document(&answer).unwrap());
    judged.map(|rejection| (rejection.check.name(), rejection.reason))
}

fn says(text: &str) -> Json {
    json!([{"index": 0, "finish_reason": "stop", "message": {"content": text}}])
}

#[test]
fn an_answer_must_match_the_schema_of_its_row() {
    let body = asks_for(&person());
    for (text, reason) in [
        (r#"{"name": "Ann", "age": 7}"#, None),
        ("  {\"name\": \"Ann\",\n\"age\": 0}\n", None),
        (r#"{"name": "Ann"}"#, Some("missing properties 'age'")),
        (r#"{"name": "Ann", "age": "7"}"#, Some("at /age: want integer, but got string")),
        (r#"{"name": "ann", "age": -1}"#, Some("at /age: must be >=0, but got -1")),
        (r#"{"name": "Ann", "age": 7, "x": 1}"#, Some("additionalProperties 'x' not allowed")),
        ("```json\n{}\n```", Some("it is not JSON: ")),
        (r#"{"name": "Ann", "age": 7"#, Some("it is not JSON: EOF")),
        ("", Some("it has no text")),
    ] {
        let found = chat(&[Check::Schema], &body, &says(text));
        match (reason, found) {
            (None, None) => {}
            (Some(reason), Some(("schema", found))) => assert!(found.contains(reason), "{found}"),
            (_, found) => panic!("{text}: {found:?}"),
        }
    }
}

#[test]
fn a_row_may_ask_for_other_forms_or_none() {
    let object = json!({"response_format": {"type": "json_object"}});
    let any = json!({"response_format": {"type": "json_schema", "json_schema": {"name": "s"}}});
    let text = json!({"response_format": {"type": "text"}});
    for (body, answer, is_right) in [
        (&object, "{}", true),
        (&object, "[]", false),
        (&object, "{", false),
        (&any, "[]", true),
        (&any, "no", false),
        (&text, "no", true),
        (&json!({}), "no", true),
        (&json!({}), "", true),
    ] {
        let found = chat(&ALL, body, &says(answer));
        assert_eq!(found.is_none(), is_right, "{body} {answer} {found:?}");
    }
}

#[test]
fn the_cause_is_named_before_the_schema() {
    let body = asks_for(&person());
    let cut = json!([{"finish_reason": "length", "message": {"content": "{\"name\":"}}]);
    assert_eq!(chat(&ALL, &body, &cut), Some(("length", "it ended at its token limit".to_owned())));
    let refusal =
        json!([{"finish_reason": "stop", "message": {"content": null, "refusal": "No."}}]);
    assert_eq!(
        chat(&ALL, &body, &refusal),
        Some(("refusal", "the model declined: No.".to_owned()))
    );
    let filtered = json!([{"finish_reason": "content_filter", "message": {"content": ""}}]);
    assert_eq!(
        chat(&ALL, &body, &filtered),
        Some(("refusal", "a content filter cut it".to_owned()))
    );
    for (check, choices) in [(Check::Schema, &cut), (Check::Schema, &refusal)] {
        assert_eq!(chat(&[check], &body, choices).unwrap().0, "schema");
    }
    for (check, choices) in [(Check::Refusal, &cut), (Check::Length, &refusal)] {
        assert_eq!(chat(&[check], &body, choices), None);
    }
    assert_eq!(chat(&[], &body, &cut), None);
}

#[test]
fn every_choice_is_checked_and_named() {
    let body = asks_for(&json!({"type": "integer"}));
    let choice = |text| json!({"finish_reason": "stop", "message": {"content": text}});
    let found = chat(&ALL, &body, &json!([choice("1"), choice("2"), choice("three")]));
    let (check, reason) = found.unwrap();
    assert!(check == "schema" && reason.starts_with("choice 2: it is not JSON"), "{reason}");
    assert_eq!(chat(&ALL, &body, &json!([choice("1"), choice("2")])), None);
}

#[test]
fn tool_calls_need_no_text() {
    let body = asks_for(&person());
    let call =
        json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
    let with = |text: Json| json!([{"finish_reason": "tool_calls", "message": {"content": text, "tool_calls": call}}]);
    for text in [json!(null), json!("")] {
        assert_eq!(chat(&ALL, &body, &with(text)), None);
    }
    assert_eq!(chat(&ALL, &body, &with(json!("no"))).unwrap().0, "schema");
}

#[test]
fn responses_are_checked_alike() {
    let body =
        json!({"text": {"format": {"type": "json_schema", "name": "s", "schema": person()}}});
    let message = |part: Json| json!([{"type": "message", "role": "assistant", "content": [part]}]);
    let text = |text| message(json!({"type": "output_text", "text": text}));
    for (answer, check) in [
        (json!({"status": "completed", "output": text(r#"{"name":"Ann","age":1}"#)}), None),
        (json!({"status": "completed", "output": text("{}")}), Some("schema")),
        (
            json!({
                "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"},
                "output": text("{"),
            }),
            Some("length"),
        ),
        (
            json!({
                "status": "incomplete", "incomplete_details": {"reason": "content_filter"},
                "output": [],
            }),
            Some("refusal"),
        ),
        (
            json!({"status": "completed", "output": message(json!({"type": "refusal", "refusal": "No."}))}),
            Some("refusal"),
        ),
        (
            json!({"status": "completed", "output": [
                {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
            ]}),
            None,
        ),
        (json!({"status": "completed", "output": []}), Some("schema")),
    ] {
        let text = answer.to_string();
        let found = Checks::new(&ALL).judge(
            Endpoint::Responses,
            &body.to_string(),
            &document(&text).unwrap(),
        );
        assert_eq!(found.as_ref().map(|found| found.check.name()), check, "{answer} {found:?}");
    }
}

#[test]
fn an_invalid_schema_is_named_before_anything_is_sent() {
    for (schema, reason) in [
        (json!({"type": "objekt"}), "the schema is invalid: at /type: "),
        (json!({"properties": {"a": {"minimum": "1"}}}), "at /properties/a/minimum: "),
        (json!({"pattern": "("}), "the schema is invalid: "),
        (json!([1]), "it is not an object"),
        (json!({"$ref": "#/$defs/none"}), "the schema is invalid: "),
        (
            json!({"$ref": "https://host.example/s.json"}),
            "refers to \"https://host.example/s.json\"",
        ),
        (json!({"$ref": "other.json"}), "refers to \"other.json\", and nothing is fetched"),
        (json!({"$ref": "file:///etc/hostname"}), "nothing is fetched"),
        (json!({"$schema": "https://host.example/draft"}), "nothing is fetched"),
    ] {
        let mut schemas = Schemas::default();
        let body = asks_for(&schema).to_string();
        for _ in 0..2 {
            let found = schemas.check(Endpoint::Chat, &body).unwrap_err();
            assert!(found.contains(reason) && !found.contains("schema:/"), "{schema}: {found}");
        }
    }
    for schema in [
        person(),
        json!(true),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "string"}),
        json!({"type": ["string", "null"], "format": "date", "$id": "https://host.example/own"}),
    ] {
        let body = asks_for(&schema).to_string();
        assert_eq!(Schemas::default().check(Endpoint::Chat, &body), Ok(()), "{schema}");
    }
}

#[test]
fn compiled_schemas_are_bounded() {
    let mut schemas = Schemas::default();
    let mut kept = |schema: Json| {
        let body = asks_for(&schema).to_string();
        assert_eq!(schemas.check(Endpoint::Chat, &body), Ok(()));
        schemas.kept()
    };
    for number in 0..SCHEMAS_MAX * 3 {
        assert_eq!(kept(json!({"minimum": number})), number % SCHEMAS_MAX + 1);
        assert_eq!(kept(json!({"minimum": number})), number % SCHEMAS_MAX + 1, "the same one");
    }
    // In bytes: three of a third each have room, and four have none.
    let large =
        |number: usize| json!({"title": "x".repeat(SCHEMAS_BYTES_MAX / 3 - 50), "minimum": number});
    assert_eq!([0, 1, 2, 3, 4, 5].map(|number| kept(large(number))), [1, 2, 3, 1, 2, 3]);
    let larger = |number: usize| json!({"title": "x".repeat(SCHEMAS_BYTES_MAX), "minimum": number});
    assert_eq!([0, 1, 2].map(|number| kept(larger(number))), [1, 1, 1]);
}

#[test]
fn schemas_of_the_largest_size_together_are_kept() {
    for (more, kept) in [(0, 2), (1, 1)] {
        let mut schemas = Schemas::default();
        let mut add = |schema: &Json| {
            let body = asks_for(schema).to_string();
            assert_eq!(schemas.check(Endpoint::Chat, &body), Ok(()));
            schemas.kept()
        };
        let [small, empty] = [json!({"minimum": 1}), json!({"title": ""})];
        let rest = SCHEMAS_BYTES_MAX - small.to_string().len() - empty.to_string().len();
        assert_eq!(add(&small), 1);
        assert_eq!(add(&json!({"title": "x".repeat(rest + more)})), kept);
    }
}

#[test]
fn a_check_works_alone() {
    let refused = json!([{"index": 0, "finish_reason": "stop", "message": {"refusal": "No."}}]);
    let cut = json!([{"index": 0, "finish_reason": "length", "message": {"content": "Hel"}}]);
    let failing =
        |check: Check, choices: &Json| chat(&[check], &json!({}), choices).map(|one| one.0);
    assert_eq!(failing(Check::Refusal, &refused), Some("refusal"));
    assert_eq!(failing(Check::Length, &cut), Some("length"));
    assert_eq!(failing(Check::Refusal, &cut), None);
}

#[test]
fn reasons_are_bounded() {
    let rejection = Rejection::new(Check::Refusal, "é".repeat(10_000));
    assert_eq!(rejection.reason.chars().count(), REASON_CHARS_MAX + 1);
    let error: Json = serde_json::from_str(&rejection.to_json()).unwrap();
    assert_eq!(error.get("kind"), Some(&json!("check_refusal")));
}

#[test]
fn checks_are_found_by_name() {
    for check in Check::NAMED {
        assert_eq!(check.name().parse(), Ok(check));
    }
    let error = "json".parse::<Check>().unwrap_err();
    assert_eq!(error, "unknown check \"json\": it is schema, length or refusal");
}

/// A part that two others refer to is checked twice, and its faults are one.
#[test]
fn a_fault_is_named_once() {
    let age = json!({"$ref": "#/$defs/age"});
    let schema = json!({"properties": {"age": {"allOf": [age, age]}}, "$defs": {"age": {"type": "integer"}}});
    let found = chat(&[Check::Schema], &asks_for(&schema), &says(r#"{"age": "7"}"#));
    assert_eq!(found.unwrap().1, "at /age: want integer, but got string");
}

/// Of each form of an expression, both sides are expressions: the work doubles with each level.
#[test]
fn an_answer_whose_check_would_not_end_fails() {
    let side = json!({"$ref": "#/$defs/side"});
    let form = |name| {
        json!({
            "type": "object", "required": ["form", "left"],
            "properties": {"form": {"const": name}, "left": side, "right": {"$ref": "#side"}},
        })
    };
    let side =
        json!({"$anchor": "side", "anyOf": [{"type": "integer"}, form("sum"), form("product")]});
    let schema = json!({"$ref": "#/$defs/side", "$defs": {"side": side}});
    let answer = |depth, leaf: &str| {
        (0..depth).fold(leaf.to_owned(), |left, _| format!(r#"{{"form":"product","left":{left}}}"#))
    };
    let found = |text: &str| chat(&[Check::Schema], &asks_for(&schema), &says(text));
    assert_eq!(found(&answer(8, "1")), None);
    assert!(found(&answer(8, r#""1""#)).unwrap().1.contains("want integer"));
    for leaf in ["1", r#""1""#] {
        let reason = found(&answer(50, leaf)).unwrap().1;
        assert!(reason.contains("the references of the schema multiply"), "{reason}");
    }
    // Many values are no reason.
    let many =
        json!({"type": "array", "items": {"$ref": "#/$defs/side"}, "$defs": schema.get("$defs")});
    let answers = json!(vec![json!({"form": "sum", "left": 1, "right": 2}); 20_000]).to_string();
    assert_eq!(chat(&[Check::Schema], &asks_for(&many), &says(&answers)), None);
}

#[test]
fn a_schema_whose_check_would_not_end_is_refused() {
    let refers = |number: usize| json!({"$ref": format!("#/$defs/{}", number + 1)});
    let chain = |levels: usize, of: &dyn Fn(usize) -> Json| {
        let mut defs: serde_json::Map<_, _> =
            (0..levels).map(|number| (number.to_string(), of(number))).collect();
        defs.insert(levels.to_string(), json!({"type": "integer"}));
        json!({"$ref": "#/$defs/0", "$defs": defs})
    };
    let check =
        |schema: &Json| Schemas::default().check(Endpoint::Chat, &asks_for(schema).to_string());
    let doubled = chain(40, &|number| json!({"allOf": [refers(number), refers(number)]}));
    assert!(check(&doubled).unwrap_err().contains("multiply"));
    let long = chain(5_000, &refers);
    assert!(check(&long).unwrap_err().contains("levels"));
    check(&chain(400, &refers)).unwrap();
}

/// Threads that Rust starts have a stack of 2 MiB.
#[test]
fn deep_schemas_and_answers_fit_the_stack() {
    let deep = |levels, form: &dyn Fn(Json) -> Json| {
        (0..levels).fold(json!({"type": "integer"}), |inner, _| form(inner))
    };
    let within = |text: &str, levels| {
        (0..levels).fold(text.to_owned(), |inner, _| format!(r#"{{"a":{inner}}}"#))
    };
    let all = deep(58, &|inner| json!({"allOf": [inner]}));
    let objects = deep(58, &|inner| json!({"properties": {"a": inner}}));
    let node = json!({"anyOf": [{"type": "integer"}, {"allOf": [{"type": "object", "properties": {"a": {"$ref": "#"}}}]}]});
    let judge = move || {
        for (schema, levels) in [(&all, 0), (&objects, 58), (&node, 100)] {
            for (text, is_right) in [("1", true), (r#""1""#, false)] {
                let found = chat(&[Check::Schema], &asks_for(schema), &says(&within(text, levels)));
                assert_eq!(found.is_none(), is_right, "{found:?}");
            }
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(judge).unwrap().join().unwrap();
}
