//! Every rule of the service with the tests that prove it, in each language. Knows no test's content.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{files, read, root};

/// The rules of the service. A new one is added here; RULES.md follows.
const RULES: [&str; 33] = [
    "R-OP1", "R-OP2", "R-OP3", "R-OP4", "R-OP5", "R-F1", "R-F2", "R-F3", "R-CFG1", "R-CFG2",
    "R-AUTH1", "R-AUTH2", "R-AUTH3", "R-AUTH4", "R-STR1", "R-STR2", "R-STR3", "R-STR4", "R-STR5",
    "R-STR6", "R-STR7", "R-ERR1", "R-ERR2", "R-ERR3", "R-ERR4", "R-ERR5", "R-ERR6", "R-ERR7",
    "R-LIM1", "R-LIM2", "R-LIM3", "R-MET1", "R-MET2",
];

/// The columns of RULES.md, and where the tests of each stand.
const COLUMNS: [(&str, &[&str]); 6] = [
    ("Rust core", &["core/src", "tests/rust"]),
    (COMMAND, &["bulk/src", "cli/src", "tests/cli"]),
    ("C", &["tests/c/tests"]),
    ("C++", &["tests/cpp/tests"]),
    ("Python sync", &["tests/python"]),
    ("Python async", &["tests/python"]),
];

/// Python's files for an asynchronous client begin like this; most of what they have they import
/// from the files for a synchronous one.
const ASYNC: &str = "/test_async_";

/// The command calls through the core, which proves the rules: its tests name those that it adds to.
const COMMAND: &str = "Command";

/// What no test proves there, and why; everything else must be proved.
const ELSEWHERE: [(&str, &str); 1] = [("R-LIM3", "the command's pilot")];

/// The rules that a text names.
fn rules_in(text: &str) -> Vec<&str> {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '-');
    words.filter(|word| RULES.contains(word)).collect()
}

/// Tests with the rules that their doc comments name; a file of unit tests names them at its head.
fn rust_tests(path: &str) -> Vec<(String, String)> {
    let text = read(path);
    if path.ends_with("_tests.rs") {
        let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let name = Path::new(path).file_stem().unwrap().to_string_lossy().into_owned();
        return vec![(name, head)];
    }
    let (mut tests, mut doc, mut is_test) = (Vec::new(), String::new(), false);
    for line in text.lines().map(str::trim) {
        if let Some(comment) = line.strip_prefix("///") {
            doc.push_str(comment);
        } else if line.starts_with("#[") {
            is_test |= line.contains("test]") || line.contains("::test(");
        } else if let Some(function) = line.strip_prefix("async fn ").or(line.strip_prefix("fn ")) {
            if is_test {
                tests.push((function.split('(').next().unwrap().to_owned(), doc.clone()));
            }
            (doc, is_test) = (String::new(), false);
        } else {
            (doc, is_test) = (String::new(), false);
        }
    }
    tests
}

fn python_tests(path: &str) -> Vec<(String, String)> {
    let text = read(path);
    let functions = text.split("\ndef test_").skip(1);
    let tests = functions.map(|function| {
        let name = function.split('(').next().unwrap();
        let doc = function.split("\"\"\"").nth(1).unwrap_or_default();
        (format!("test_{name}"), doc.to_owned())
    });
    tests.collect()
}

/// The tests that a file imports from another one: the same scenario in another way.
fn imported_tests(path: &str) -> Vec<(String, String)> {
    let text = read(path);
    let mut tests = Vec::new();
    for import in text.split("\nfrom test_").skip(1) {
        let (module, names) = import.split_once(" import ").unwrap();
        let names = names.split_once(')').map_or(names, |(names, _)| names);
        let names: Vec<&str> =
            names.split(|char: char| !char.is_alphanumeric() && char != '_').collect();
        let folder = path.rsplit_once('/').unwrap().0;
        let own = python_tests(&format!("{folder}/test_{module}.py"));
        tests.extend(own.into_iter().filter(|(name, _)| names.contains(&name.as_str())));
    }
    tests
}

/// What RULES.md must say.
fn rules_table() -> String {
    let mut table = String::from(
        "# The rules of the service and the tests that prove them\n\n\
         Made from the doc comments of the tests by `make rules`; a test compares it. A cell says which tests prove a rule, or what does instead.\n\n",
    );
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    table.push_str(&format!(
        "| rule | {} |\n|{}\n",
        names.join(" | "),
        "---|".repeat(COLUMNS.len() + 1)
    ));
    let columns: Vec<Vec<(String, String)>> = COLUMNS
        .iter()
        .map(|(column, folders)| {
            let paths = |end: &'static str| {
                folders
                    .iter()
                    .filter(move |folder| (end == ".py") == folder.contains("python"))
                    .flat_map(move |folder| files(folder, end))
            };
            let rust = paths(".rs").flat_map(|path| rust_tests(&path));
            let is_async = *column == "Python async";
            let python = paths(".py").filter(|path| path.contains(ASYNC) == is_async);
            let both = |path: String| [python_tests(&path), imported_tests(&path)].concat();
            rust.chain(python.flat_map(both)).collect()
        })
        .collect();
    let mut unproved = Vec::new();
    for rule in RULES {
        let cells: Vec<String> = columns
            .iter()
            .zip(names.iter())
            .map(|(tests, column)| {
                let proving: BTreeSet<String> = tests
                    .iter()
                    .filter(|(_, doc)| rules_in(doc).contains(&rule))
                    .map(|(name, _)| format!("`{name}`"))
                    .collect();
                let elsewhere = ELSEWHERE.iter().find(|(of, _)| *of == rule);
                match (proving.is_empty(), elsewhere) {
                    (false, _) => proving.into_iter().collect::<Vec<_>>().join(" "),
                    (true, Some((_, what))) if **column != *COMMAND => (*what).to_owned(),
                    (true, None) if **column == *COMMAND => "the core".to_owned(),
                    (true, _) => {
                        unproved.push(format!("{rule} in {column}"));
                        String::new()
                    }
                }
            })
            .collect();
        table.push_str(&format!("| {rule} | {} |\n", cells.join(" | ")));
    }
    assert!(unproved.is_empty(), "no test proves {unproved:?}");
    table
}

#[test]
fn every_rule_has_its_tests_or_says_later() {
    let table = rules_table();
    if std::env::var_os("UPDATE_RULES").is_some() {
        fs::write(root().join("tests/RULES.md"), &table).unwrap();
    }
    let hint = "tests/RULES.md is stale: run `make rules`";
    assert!(table == read("tests/RULES.md"), "{hint}");
}
