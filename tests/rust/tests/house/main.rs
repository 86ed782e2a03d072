//! What the documents say of the architecture, checked: who imports whom, forbidden dependencies,
//! rooms, `unsafe`, first lines, and every rule with its tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod clock_rules;
mod examples;
mod imports;
mod options;
mod rooms;
mod rules;
mod versions;

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

#[test]
fn the_bindings_depend_on_the_core_alone() {
    for manifest in ["ffi-c/Cargo.toml", "py/Cargo.toml"] {
        let text = read(manifest);
        for name in ["reqwest", "tokio", "serde_json", "hyper", "rustls"] {
            assert!(!text.contains(name), "{manifest} names {name}: the core knows the service");
        }
    }
    assert!(!read("ffi-c/Cargo.toml").contains("pyo3"), "the bindings do not know each other");
}

#[test]
fn the_command_and_bulk_jobs_call_through_the_core() {
    for manifest in ["bulk/Cargo.toml", "cli/Cargo.toml"] {
        let text = read(manifest);
        for name in ["reqwest", "tokio", "hyper", "pyo3"] {
            assert!(
                !text.contains(&format!("\n{name} ")),
                "{manifest} names {name}: the core knows it"
            );
        }
    }
}

/// `modelwire-bulk` is under every program that runs bulk jobs: it knows no terminal, no arguments and no exit
/// code.
#[test]
fn the_bulk_crate_does_not_depend_on_the_command() {
    let text = read("bulk/Cargo.toml");
    for name in ["modelwire-cli", "clap", "console", "indicatif", "rustix"] {
        assert!(!text.contains(&format!("\n{name} ")), "bulk/Cargo.toml names {name}");
    }
    let names = [
        "modelwire_cli",
        "clap",
        "console::",
        "indicatif",
        "process::exit",
        "ExitCode",
        "IsTerminal",
    ];
    for path in files("bulk/src", ".rs") {
        for (number, line) in code(&path) {
            let found = names.iter().find(|name| line.contains(**name));
            assert!(found.is_none(), "{path}:{number} names {found:?}: that is the command's");
        }
    }
}

/// The Python package brings the command: one file of its extension runs it.
#[test]
fn one_file_imports_the_command() {
    for source in ["core/src", "bulk/src", "ffi-c/src", "py/src"] {
        for path in files(source, ".rs").into_iter().filter(|path| path != "py/src/command.rs") {
            for (number, line) in code(&path) {
                assert!(!line.contains("modelwire_cli::"), "{path}:{number} imports the command");
            }
        }
    }
}

#[test]
fn every_file_says_its_job_first() {
    for folder in [
        "core",
        "bulk/src",
        "cli/src",
        "ffi-c",
        "py/src",
        "tests/service",
        "tests/rust",
        "tests/cli",
        "tests/c",
        "tests/cpp",
        "tests/bench",
        "tests/soak",
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
fn no_todo_marker_is_left() {
    // In two parts, so that this file does not find itself.
    let left = [
        concat!("TO", "DO"),
        concat!("FIX", "ME"),
        concat!("XX", "X"),
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
    ];
    for folder in ["core", "bulk", "cli", "ffi-c", "py", "tests"] {
        for path in files(folder, ".rs") {
            let text = read(&path);
            let found = left.iter().find(|word| text.contains(**word));
            assert!(found.is_none(), "{path} says {found:?}");
        }
    }
}

/// The product names no model and no vendor's limits; `model` is a string everywhere.
#[test]
fn no_model_is_named_in_the_product() {
    let names = ["gpt-", "claude", "gemini", "mistral", "llama", "deepseek", "qwen", "o1-mini"];
    for (folder, end) in [
        ("core/src", ".rs"),
        ("bulk/src", ".rs"),
        ("cli/src", ".rs"),
        ("ffi-c/src", ".rs"),
        ("py/src", ".rs"),
        ("py/python", ".py"),
    ] {
        for path in files(folder, end).iter().filter(|path| !path.ends_with("_tests.rs")) {
            for (number, line) in code(path) {
                let lower = line.to_lowercase();
                let found = names.iter().find(|name| lower.contains(**name));
                assert!(found.is_none(), "{path}:{number} names a model: {line}");
            }
        }
    }
}

#[test]
fn no_file_contains_a_local_path() {
    let paths = ["core", "bulk", "cli", "ffi-c", "py/src", "py/python", "include", "tests"];
    let ends = [
        ".rs", ".py", ".c", ".h", ".cpp", ".hpp", ".md", ".toml", ".json", ".go", ".js", ".java",
        ".rb", ".lua", ".php", ".ex", ".exs", ".pl", ".pm", "Makefile",
    ];
    for folder in paths {
        for end in ends {
            let mut folders = vec![root().join(folder)];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(&folder).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        folders.push(path);
                    } else if path.to_string_lossy().ends_with(end)
                        && !path.ends_with("house/main.rs")
                    {
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
