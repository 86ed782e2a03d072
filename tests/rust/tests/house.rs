//! What the README says of the architecture, checked: forbidden dependencies, rooms, `unsafe`,
//! first lines, and every rule with its tests. Knows no behaviour.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// Every file below a folder whose name ends in `end`, relative to the project.
fn files(folder: &str, end: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in
            fs::read_dir(&folder).unwrap_or_else(|cause| panic!("{}: {cause}", folder.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.to_string_lossy().ends_with(end) {
                found.push(path.strip_prefix(root()).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {end} files below the folder {folder}");
    found
}

/// The lines of a file that are code and not comment.
fn code(path: &str) -> Vec<(usize, String)> {
    let text = read(path);
    let lines = text.lines().enumerate();
    let code = lines.filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.map(|(number, line)| (number + 1, line.to_owned())).collect()
}

fn assert_absent(path: &str, words: &[&str], because: &str) {
    for (number, line) in code(path) {
        for word in words {
            assert!(!line.contains(word), "{path}:{number} names {word}: {because}\n  {line}");
        }
    }
}

#[test]
fn the_faces_depend_on_the_core_alone() {
    for manifest in ["ffi-c/Cargo.toml", "py/Cargo.toml"] {
        let text = read(manifest);
        for name in ["reqwest", "tokio", "serde_json", "hyper", "rustls"] {
            assert!(!text.contains(name), "{manifest} names {name}: the core knows the service");
        }
    }
    assert!(!read("ffi-c/Cargo.toml").contains("pyo3"), "the faces do not know each other");
}

#[test]
fn each_room_knows_only_what_is_its_own() {
    for path in files("core/src", ".rs") {
        if !path.ends_with("transport.rs") {
            assert_absent(
                &path,
                &["reqwest::", "hyper::", "hyper_util::"],
                "only transport.rs does",
            );
            if !path.ends_with("tls.rs") {
                assert_absent(&path, &["rustls"], "only tls.rs and transport.rs do");
            }
        }
        if !path.ends_with("runtime.rs") {
            assert_absent(&path, &["unsafe "], "the core's unsafe stands in runtime.rs");
        }
    }
    let foreign = ["crate::", "serde", "tokio", "http"];
    assert_absent("core/src/sse.rs", &foreign, "it parses bytes and knows nothing else");
    assert_absent("core/src/sse.rs", &["[DONE]"], "the end mark is reading.rs's");
    assert_absent("core/src/retry.rs", &["tokio", "Instant", "now()"], "it knows no clock");
    assert_absent("core/src/queue.rs", &["tokio", "http"], "any consumer sits on it");
    assert_absent("core/src/view.rs", &["tokio", "header", "queue::"], "it knows text");
    for path in files("ffi-c/src", ".rs") {
        if !path.ends_with("boundary.rs") {
            for (number, line) in code(&path) {
                let is_signature =
                    line.contains("unsafe extern \"C\"") || line.contains("#[unsafe(");
                let is_callback = line.contains("unsafe { on_event(");
                assert!(
                    !line.contains("unsafe") || is_signature || is_callback,
                    "{path}:{number}: unsafe stands in boundary.rs and in signatures\n  {line}"
                );
            }
        }
    }
}

#[test]
fn the_readme_draws_every_room() {
    let readme = read("README.md");
    let table =
        readme.split("Rooms of the core").nth(1).unwrap().split("Four things").next().unwrap();
    let mut drawn = BTreeSet::new();
    for line in table.lines().filter(|line| line.starts_with("| `")) {
        let cell = line.split('|').nth(1).unwrap();
        drawn.extend(cell.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    let rooms: BTreeSet<String> = files("core/src", ".rs")
        .iter()
        .filter_map(|path| Some(Path::new(path).file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "lib" && !name.ends_with("_tests"))
        .collect();
    assert_eq!(drawn, rooms);
}

#[test]
fn every_file_says_its_job_first() {
    for folder in [
        "core",
        "ffi-c",
        "py/src",
        "tests/service",
        "tests/rust",
        "tests/c",
        "tests/cpp",
        "tests/bench",
    ] {
        for path in files(folder, ".rs") {
            assert!(read(&path).starts_with("//!"), "{path} does not say what it is for");
        }
    }
    for path in files("py/python", ".py").into_iter().chain(files("tests/python", ".py")) {
        assert!(read(&path).starts_with("\"\"\""), "{path} does not say what it is for");
    }
}

#[test]
fn nothing_is_left_undone() {
    // In two parts, so that this file does not find itself.
    let left = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
    ];
    for folder in ["core", "ffi-c", "py", "tests"] {
        for path in files(folder, ".rs") {
            let text = read(&path);
            let found = left.iter().find(|word| text.contains(**word));
            assert!(found.is_none(), "{path} says {found:?}");
        }
    }
}

/// R-CFG2: the product names no model and no vendor's limits; `model` is a string everywhere.
#[test]
fn no_model_is_named_in_the_product() {
    let names = ["gpt-", "claude", "gemini", "mistral", "llama", "deepseek", "qwen", "o1-mini"];
    for (folder, end) in
        [("core/src", ".rs"), ("ffi-c/src", ".rs"), ("py/src", ".rs"), ("py/python", ".py")]
    {
        for path in files(folder, end).iter().filter(|path| !path.ends_with("_tests.rs")) {
            for (number, line) in code(path) {
                let lower = line.to_lowercase();
                let found = names.iter().find(|name| lower.contains(**name));
                assert!(found.is_none(), "{path}:{number} names a model: {line}");
            }
        }
    }
}

/// The rules of the service. A new one is added here; RULES.md follows.
const RULES: [&str; 33] = [
    "R-OP1", "R-OP2", "R-OP3", "R-OP4", "R-OP5", "R-F1", "R-F2", "R-F3", "R-CFG1", "R-CFG2",
    "R-AUTH1", "R-AUTH2", "R-AUTH3", "R-AUTH4", "R-STR1", "R-STR2", "R-STR3", "R-STR4", "R-STR5",
    "R-STR6", "R-STR7", "R-ERR1", "R-ERR2", "R-ERR3", "R-ERR4", "R-ERR5", "R-ERR6", "R-ERR7",
    "R-LIM1", "R-LIM2", "R-LIM3", "R-MET1", "R-MET2",
];

/// The columns of RULES.md, and where the tests of each stand.
const COLUMNS: [(&str, &[&str]); 5] = [
    ("Rust core", &["core/src", "tests/rust"]),
    ("C", &["tests/c/tests"]),
    ("C++", &["tests/cpp/tests"]),
    ("Python sync", &["tests/python"]),
    ("Python async", &["tests/python"]),
];

/// Python's files for an asynchronous client begin like this; most of what they have they import
/// from the files for a synchronous one.
const ASYNC: &str = "/test_async_";

/// What no test proves yet, and why; everything else must be proved.
const LATER: [(&str, &str, &str); 1] = [("R-LIM3", "*", "later: the bulk runner's pilot")];

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
         Made from the doc comments of the tests by `make rules`; a test compares it. A cell says which tests prove a rule, or `later`.\n\n",
    );
    let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
    table.push_str(&format!("| rule | {} |\n|{}\n", names.join(" | "), "---|".repeat(6)));
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
                let later = LATER.iter().find(|(of, at, _)| {
                    (*of == rule || *of == "*") && (at == column || *at == "*")
                });
                match (proving.is_empty(), later) {
                    (false, _) => proving.into_iter().collect::<Vec<_>>().join(" "),
                    (true, Some((_, _, why))) => (*why).to_owned(),
                    (true, None) => {
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

#[test]
fn the_project_speaks_of_itself_alone() {
    let paths = ["core", "ffi-c", "py/src", "py/python", "include", "tests"];
    let ends = [".rs", ".py", ".c", ".h", ".cpp", ".hpp", ".md", ".toml", "Makefile"];
    for folder in paths {
        for end in ends {
            let mut folders = vec![root().join(folder)];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(&folder).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        folders.push(path);
                    } else if path.to_string_lossy().ends_with(end) && !path.ends_with("house.rs") {
                        let text = fs::read_to_string(&path).unwrap();
                        for foreign in ["/work/", "/root/", "/home/", "../shared"] {
                            assert!(!text.contains(foreign), "{} names {foreign}", path.display());
                        }
                    }
                }
            }
        }
    }
}
