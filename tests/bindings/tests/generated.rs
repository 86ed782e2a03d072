//! The raw declarations of the bindings: that they are fresh, and that no generator is forgotten.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_tests_c::{difference, root};

/// Lines of code that a person wrote of a binding, without comments and empty ones; and lines of a
/// generator.
const BINDING_MAX: usize = 250;
const GENERATOR_MAX: usize = 300;

fn bindings() -> Vec<PathBuf> {
    let folder = root().join("ffi-c/bindings");
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found: Vec<PathBuf> = all.filter(|path| path.is_dir()).collect();
    assert!(found.len() >= 8, "{found:?}");
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// The file that a generator writes.
fn written(generator: &Path) -> PathBuf {
    let text = read(generator);
    let name = text.lines().find_map(|line| line.strip_prefix("# writes: "));
    generator
        .with_file_name(name.unwrap_or_else(|| panic!("{} names no file", generator.display())))
}

#[test]
fn raw_declarations_are_fresh() {
    let mut count = 0;
    for generator in bindings().iter().map(|folder| folder.join("generate.py")) {
        if !generator.exists() {
            continue;
        }
        count += 1;
        let output = Command::new("python3").arg(&generator).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let (fresh, file) = (String::from_utf8(output.stdout).unwrap(), written(&generator));
        let committed = read(&file);
        assert!(
            committed.trim_end() == fresh.trim_end(),
            "{} is stale: run `make header`\n{}",
            file.display(),
            difference(committed.lines(), fresh.lines())
        );
    }
    assert!(count >= 3, "{count} generators");
}

/// Lines that are neither empty nor a comment from end to end, in any of the languages.
fn code_lines(text: &str) -> usize {
    let is_comment = |line: &&str| {
        ["//", "/*", "* ", "*/", "#!", "# ", "-- "].iter().any(|start| line.starts_with(start))
            || ["*", "#", "--"].contains(line)
    };
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !is_comment(line)).count()
}

/// A binding is to be read and copied: what a person wrote of it stays small. A C file beside it is
/// counted by itself.
#[test]
fn bindings_stay_small() {
    for folder in bindings() {
        let generator = folder.join("generate.py");
        let mut lines: BTreeMap<String, usize> = BTreeMap::new();
        for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            let kind = file.extension().unwrap_or_default().to_str().unwrap().to_owned();
            let is_raw = generator.exists() && file == written(&generator);
            let is_code = file.is_file() && !["json", "md", "mod"].contains(&kind.as_str());
            let is_example = file.file_stem().is_some_and(|stem| stem == "example");
            if is_code && !is_raw && !is_example && file != generator {
                *lines.entry(kind).or_default() += code_lines(&read(&file));
            }
        }
        let most = lines.values().max().unwrap();
        assert!(*most <= BINDING_MAX, "{}: {lines:?}, {BINDING_MAX} at most", folder.display());
        if generator.exists() {
            let count = read(&generator).lines().count();
            assert!(count <= GENERATOR_MAX, "{}: {count} lines", generator.display());
        }
    }
}
