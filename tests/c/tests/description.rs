//! include/modelwire.json and include/modelwire.ffi.h: that they are fresh, and say what the header
//! says, as a compiler sees it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use modelwire_header::{
    DESCRIPTION, HEADER, PLAIN, TABLE, abi, accessors, described, generate, lines, name, plain,
    root,
};
use modelwire_tests_c::{Library, compile_with, difference};
use serde_json::Value;

const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

fn description() -> Value {
    serde_json::from_str(&read(DESCRIPTION)).unwrap()
}

fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().unwrap()
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name:?} in {value}"))
}

/// Compiles a C unit of these lines.
fn compiled(unit: &str, lines: &[String]) {
    let path = Library::built().file(unit);
    std::fs::write(&path, lines.join("\n") + "\n").unwrap();
    compile_with("cc", &[&STRICT, ["-std=c11", path.to_str().unwrap()].as_slice()].concat());
}

#[test]
fn committed_descriptions_match_the_generated_ones() {
    let fresh = described(&generate().unwrap(), &read(TABLE)).unwrap();
    for (path, current) in [(DESCRIPTION, fresh.json().unwrap()), (PLAIN, plain(&fresh))] {
        let committed = read(path);
        assert!(
            committed == current,
            "{path} is stale: run `make generate`\n{}",
            difference(committed.lines(), current.lines())
        );
    }
}

/// What follows from the table of accessors alone.
#[test]
fn committed_accessors_match_the_generated_ones() {
    for (path, current) in accessors().unwrap() {
        let committed = read(path);
        assert!(
            committed == current,
            "{path} is stale: run `make generate`\n{}",
            difference(committed.lines(), current.lines())
        );
    }
}

/// Every function, type and constant of the table of the ABI, and nothing else; each with a comment.
#[test]
fn the_description_has_everything() {
    let description = description();
    let mut found = Vec::new();
    for kind in ["functions", "callbacks", "handles", "types", "constants"] {
        for one in items(&description, kind) {
            assert!(!text(one, "doc").is_empty(), "{one}");
            if text(one, "name") != "MODELWIRE_VERSION_NUMBER" {
                assert!(!text(one, "since").is_empty(), "{one}");
                found.push(text(one, "name").to_owned());
            }
        }
    }
    found.push("modelwire_needs_0_1".to_owned());
    found.sort();
    let mut listed: Vec<String> =
        lines(&read(TABLE)).iter().map(|line| name(line).to_owned()).collect();
    listed.sort();
    assert!(found == listed, "{}", difference(&listed, &found));
}

/// A C compiler takes each function for what the description says of it: every type, and their order.
/// And each constant for its number.
#[test]
fn the_description_agrees_with_the_header() {
    let description = description();
    let mut unit = vec!["#include <modelwire.h>".to_owned()];
    for (number, one) in items(&description, "functions").iter().enumerate() {
        let parameters: Vec<&str> =
            items(one, "parameters").iter().map(|parameter| text(parameter, "type")).collect();
        let parameters = if parameters.is_empty() { "void".into() } else { parameters.join(", ") };
        let (returns, name) = (text(&one["returns"], "type"), text(one, "name"));
        unit.push(format!("extern {returns} (*f{number})({parameters});"));
        unit.push(format!("{returns} (*f{number})({parameters}) = {name};"));
    }
    for one in items(&description, "constants") {
        let value =
            one["value"].as_i64().map_or_else(|| text(one, "value").into(), |n| n.to_string());
        let (name, kind) = (text(one, "name"), text(one, "type"));
        unit.push(format!("_Static_assert(({kind}){name} == ({kind})({value}), \"{name}\");"));
    }
    for one in items(&description, "types") {
        let (name, is) = (text(one, "name"), text(one, "is"));
        unit.push(format!("_Static_assert(_Generic(({name})0, {is}: 1), \"{name}\");"));
    }
    compiled("described.c", &unit);
}

/// What one parameter says of another is there, and so is every function that frees.
#[test]
fn the_description_names_existing_functions_and_parameters() {
    let description = description();
    let functions = items(&description, "functions");
    let is_function = |name: &str| functions.iter().any(|one| text(one, "name") == name);
    let is_handle =
        |name: &str| items(&description, "handles").iter().any(|one| text(one, "name") == name);
    for one in items(&description, "handles") {
        // Callbacks are lent an attempt, which nobody owns.
        match text(one, "name") {
            "modelwire_attempt" => assert!(one["free"].is_null()),
            _ => assert!(is_function(text(one, "free"))),
        }
    }
    for one in functions {
        let parameters = items(one, "parameters");
        let is_parameter =
            |name: &str| name.is_empty() || parameters.iter().any(|one| text(one, "name") == name);
        for part in parameters.iter().chain([&one["returns"]]) {
            for of in ["length_in", "length_of", "max_in", "count_in"] {
                assert!(part[of].as_str().is_none_or(is_parameter), "{of} of {part} in {one}");
            }
            assert!(
                part["from"].as_str().is_none_or(|name| name == "static" || is_parameter(name))
            );
            assert!(part["free"].as_str().is_none_or(is_function), "{one}");
            assert!(part["handle"].as_str().is_none_or(is_handle), "{one}");
            // A text that goes in has a length, and what comes out and is owned is freed somehow.
            let is_text = part["role"] == "text" && part.get("name").is_some();
            assert!(!is_text || part["length_in"].is_string(), "{part} in {one}");
            assert!(part["owned"] != true || part["free"].is_string(), "{part} in {one}");
        }
    }
}

/// What is only in the comments: samples of each kind, which nothing else would miss.
#[test]
fn the_description_knows_what_comments_say() {
    let description = description();
    let function = |name: &str| {
        let all = items(&description, "functions");
        all.iter().find(|one| text(one, "name") == name).unwrap_or_else(|| panic!("no {name}"))
    };
    let of = |member: &str, value: &Value| -> Vec<String> {
        let all = items(&description, "functions").iter();
        all.filter(|one| &one[member] == value).map(|one| text(one, "name").to_owned()).collect()
    };
    assert_eq!(of("blocks", &"call".into()), ["modelwire_call_run", "modelwire_call_stream"]);
    assert_eq!(
        of("signal_safe", &true.into()),
        ["modelwire_queue_wakeup", "modelwire_call_wakeup"]
    );
    let waits = ["modelwire_queue_next", "modelwire_queue_take"];
    let runs = ["modelwire_call_run", "modelwire_call_stream", "modelwire_call_wait"];
    assert_eq!(of("interruptible", &true.into()), [&waits[..], &runs].concat());
    assert!(of("blocks", &"timeout_ms".into()).contains(&"modelwire_shutdown".into()));
    assert!(of("threads", &"one".into()).contains(&"modelwire_request_set_json".into()));
    assert!(of("threads", &"any".into()).contains(&"modelwire_queue_submit".into()));
    let submit = items(function("modelwire_queue_submit"), "parameters");
    assert_eq!((&submit[1]["nullable"], &submit[3]["nullable"]), (&false.into(), &true.into()));
    let value = &function("modelwire_value_text")["returns"];
    assert_eq!((&value["nullable"], text(value, "from")), (&true.into(), "value"));
    assert_eq!(text(&function("modelwire_status_name")["returns"], "from"), "static");
    assert_eq!(
        text(&function("modelwire_client_usage")["returns"], "free"),
        "modelwire_value_free"
    );
}

/// The plain header declares the same, compiles where the types of C99 are known, and has neither a
/// directive nor an attribute.
#[test]
fn the_plain_header_declares_the_same_as_the_header() {
    let (plain, header) = (read(PLAIN), read(HEADER));
    assert!(!plain.contains('#') && !plain.contains("__") && !plain.contains("MODELWIRE_API"));
    let marked = |line: &str| {
        let is_function = line.ends_with(");") && !line.starts_with("typedef ");
        format!("{}{line}\n", if is_function { "MODELWIRE_API " } else { "" })
    };
    let is_in_both = |line: &String| !line.starts_with(['#', 'e']);
    let in_both = |header: &str| abi(header).into_iter().filter(is_in_both).collect::<Vec<_>>();
    let (ours, theirs) =
        (in_both(&plain.lines().map(marked).collect::<String>()), in_both(&header));
    assert!(ours.len() > 70 && ours == theirs, "{}", difference(&theirs, &ours));
    let path = root().join(PLAIN);
    let mut unit = vec![
        "#include <stddef.h>".to_owned(),
        "#include <stdint.h>".to_owned(),
        format!("#include \"{}\"", path.display()),
    ];
    for one in items(&description(), "constants").iter().filter(|one| one["value"].is_number()) {
        let (name, value) = (text(one, "name"), &one["value"]);
        unit.push(format!("_Static_assert({name} == ({value}), \"{name}\");"));
    }
    compiled("plain.c", &unit);
}
