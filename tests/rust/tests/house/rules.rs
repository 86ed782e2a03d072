//! The table of the rules and the tests that prove them (tests/RULES.md), checked: no rule or language is
//! missing, and every test that it names is there and runs.

use std::collections::BTreeMap;

use super::{files, read};

const TABLE: &str = "tests/RULES.md";

/// The languages of the table, and where the tests of each are.
const LANGUAGES: [(&str, &[&str]); 6] = [
    ("Rust core", &["core/src", "tests/rust"]),
    ("Command", &["bulk/src", "cli/src", "tests/cli"]),
    ("C", &["tests/c/tests"]),
    ("C++", &["tests/cpp/tests"]),
    ("Python sync", &["tests/python"]),
    ("Python async", &["tests/python"]),
];

/// Python's files for an asynchronous client alone begin like this; the others run with both.
const ASYNC: &str = "/test_async_";

/// What may stand in place of tests, and where.
fn is_reason(cell: &str, rule: &str, language: &str) -> bool {
    match cell {
        "the core" => language == "Command",
        "the command's pilot" => language != "Command" && rule == "R-LIM3",
        _ => false,
    }
}

/// The cells of the rows of a table whose first one is a rule.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = table.lines().filter(|line| line.starts_with("| R-"));
    rows.map(|row| row.trim_matches('|').split('|').map(str::trim).collect())
}

/// The tests of a Rust file that run without being asked for.
fn rust_tests(text: &str) -> Vec<String> {
    let (mut tests, mut attributes, mut is_comment) = (Vec::new(), String::new(), false);
    for line in text.lines().map(str::trim) {
        is_comment |= line.starts_with("/*");
        if is_comment {
            is_comment = !line.contains("*/");
        } else if line.starts_with("#[") {
            attributes.push_str(line);
        } else if let Some(function) = line.strip_prefix("async fn ").or(line.strip_prefix("fn ")) {
            let is_test = attributes.contains("test]") || attributes.contains("::test(");
            if is_test && !attributes.contains("ignore") {
                tests.push(function.split(['(', '<']).next().unwrap().to_owned());
            }
            attributes.clear();
        }
    }
    tests
}

/// The tests of a Python file that run without being asked for; of an asynchronous client, those that
/// are not marked as synchronous alone.
fn python_tests(text: &str, is_async: bool) -> Vec<String> {
    // Documentation and other long texts are no code.
    let code: String = text.split("\"\"\"").step_by(2).collect();
    let lines = || code.lines().map(|line| line.split('#').next().unwrap());
    let is_left_out = |mark: &str| {
        let marks = ["mark.deep", "mark.skip("];
        marks.iter().any(|word| mark.contains(word)) || is_async && mark.contains("mark.sync_alone")
    };
    if lines().any(|line| line.starts_with("pytestmark") && is_left_out(line)) {
        return Vec::new();
    }
    let (mut tests, mut decorators) = (Vec::new(), String::new());
    for line in lines() {
        if line.starts_with('@') {
            decorators.push_str(line);
        } else if let Some(function) = line.strip_prefix("def ") {
            if function.starts_with("test_") && !is_left_out(&decorators) {
                tests.push(function.split('(').next().unwrap().to_owned());
            }
            decorators.clear();
        }
    }
    tests
}

/// The files of a language with their tests.
type Tests = BTreeMap<String, Vec<String>>;

fn tests_of(language: &str, folders: &[&str]) -> Tests {
    let mut tests = Tests::new();
    for folder in folders {
        let is_python = language.starts_with("Python");
        for path in files(folder, if is_python { ".py" } else { ".rs" }) {
            if !is_python {
                let found = rust_tests(&read(&path));
                tests.insert(path, found);
            } else if language == "Python async" || !path.contains(ASYNC) {
                let found = python_tests(&read(&path), language == "Python async");
                tests.insert(path, found);
            }
        }
    }
    tests
}

/// What does not hold of a cell of tests, if anything.
fn wrong_cell(cell: &str, tests: &Tests) -> Option<String> {
    let named: Vec<&str> = cell.split(", ").collect();
    if named.len() > 3 {
        return Some("names more than three tests".to_owned());
    }
    named.into_iter().find_map(|test| {
        let plain = test.strip_prefix('`').and_then(|test| test.strip_suffix('`'));
        let Some((file, name)) = plain.and_then(|test| test.split_once("::")) else {
            return Some(format!("{test:?} is neither a test nor a reason for none"));
        };
        let end = format!("/{file}");
        let files = || tests.iter().filter(|(path, _)| path.ends_with(&end));
        match files().filter(|(_, tests)| tests.iter().any(|test| test == name)).count() {
            1 => None,
            0 if files().count() == 0 => Some(format!("no file {file}")),
            0 => Some(format!("no test {name} runs in {file}")),
            several => Some(format!("{several} files {file} have a test {name}")),
        }
    })
}

fn all_tests() -> [Tests; 6] {
    LANGUAGES.map(|(language, folders)| tests_of(language, folders))
}

/// All that does not hold of a table.
fn wrong(table: &str, rules: &[&str], tests: &[Tests; 6]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut cells: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for row in rows(table) {
        let [rule, language, cell] = row[..] else {
            wrong.push(format!("{row:?}: a row is a rule, a language and tests"));
            continue;
        };
        if !rules.contains(&rule) || !LANGUAGES.iter().any(|(name, _)| *name == language) {
            wrong.push(format!("{rule}, {language}: unknown"));
        } else if cells.insert((rule, language), cell).is_some() {
            wrong.push(format!("{rule}, {language}: twice"));
        }
    }
    for ((language, _), tests) in LANGUAGES.iter().zip(tests) {
        for rule in rules {
            let says = match cells.get(&(*rule, *language)) {
                None => Some("no row".to_owned()),
                Some(cell) if is_reason(cell, rule, language) => None,
                Some(cell) => wrong_cell(cell, tests),
            };
            wrong.extend(says.map(|says| format!("{rule}, {language}: {says}")));
        }
    }
    wrong
}

#[test]
fn every_rule_has_its_tests() {
    let documented = read("docs/rules.md");
    let rules: Vec<&str> = rows(&documented).map(|row| row[0]).collect();
    assert!(!rules.is_empty(), "docs/rules.md has no rules");
    let wrong = wrong(&read(TABLE), &rules, &all_tests());
    assert!(wrong.is_empty(), "{TABLE}:\n{}", wrong.join("\n"));
}

#[test]
fn errors_in_the_rules_table_are_found() {
    let test = "`house/rules.rs::every_rule_has_its_tests`";
    let reason = "the command's pilot";
    let others: String = LANGUAGES[1..]
        .iter()
        .map(|(name, _)| match *name {
            "Command" => "| R-LIM3 | Command | the core |\n".to_owned(),
            _ => format!("| R-LIM3 | {name} | {reason} |\n"),
        })
        .collect();
    let tests = all_tests();
    let found = |rows: &str| wrong(&format!("{rows}\n{others}"), &["R-LIM3"], &tests);
    let cell = |cell: &str| found(&format!("| R-LIM3 | Rust core | {cell} |"));
    assert!(cell(test).is_empty());
    assert!(cell(reason).is_empty());
    for (text, expected) in [
        ("`house/rules.rs::no_such_test`", "no test no_such_test runs in"),
        // A function that is no test, and one in another language.
        ("`house/rules.rs::wrong_cell`", "no test wrong_cell runs in"),
        ("`scenarios.rs::models`", "no file scenarios.rs"),
        ("`no_such_file.rs::a`", "no file no_such_file.rs"),
        ("every_rule_has_its_tests", "neither a test nor a reason"),
        ("the core", "neither a test nor a reason"),
        ("", "neither a test nor a reason"),
        (&[test; 4].join(", "), "more than three"),
    ] {
        let wrong = cell(text);
        assert!(wrong.len() == 1 && wrong[0].contains(expected), "{text}: {wrong:?}");
    }
    let two = ["tests/a/x.rs", "tests/b/x.rs"].map(|path| (path.to_owned(), vec!["a".to_owned()]));
    let says = wrong_cell("`x.rs::a`", &Tests::from(two.clone()));
    assert_eq!(says.unwrap(), "2 files x.rs have a test a");
    assert_eq!(wrong_cell("`b/x.rs::a`", &Tests::from(two)), None);
    let row = format!("| R-LIM3 | Rust core | {test} |\n");
    assert_eq!(found(""), ["R-LIM3, Rust core: no row"]);
    assert_eq!(found(&row.repeat(2)), ["R-LIM3, Rust core: twice"]);
    assert_eq!(found(&format!("{row}{}", row.replace("LIM3", "LIM4"))).len(), 1);
    assert_eq!(found(&format!("{row}{}", row.replace("Rust core", "Ada"))).len(), 1);
}

#[test]
fn only_tests_that_run_count_as_tests() {
    let rust = "#[test]\nfn a() {}\n// #[test]\nfn b() {}\n/* #[test]\nfn c() {} */\n#[test]\n\
                #[ignore = \"deep\"]\nfn d() {}\n// fn e() {}\n#[tokio::test(flavor = \"x\")]\n\
                async fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() {}\n    #[test]\n    fn h() {}\n}\n";
    assert_eq!(rust_tests(rust), ["a", "f", "h"]);
    let python = "\"\"\"\ndef test_a(): pass\n\"\"\"\n\n\ndef test_b(): pass\n\n\n# def test_c(): pass\n\n\n\
                  @pytest.mark.skip(\"x\")\ndef test_d(): pass\n\n\ndef helper(): pass\n\n\n\
                  @pytest.mark.sync_alone(\"x\")\ndef test_e(): pass\n";
    assert_eq!(python_tests(python, false), ["test_b", "test_e"]);
    assert_eq!(python_tests(python, true), ["test_b"]);
    for (mark, both) in [("deep", [0, 0]), ("sync_alone(\"x\")", [2, 0])] {
        let marked = format!("pytestmark = pytest.mark.{mark}\n{python}");
        assert_eq!([false, true].map(|is_async| python_tests(&marked, is_async).len()), both);
    }
}
