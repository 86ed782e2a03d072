//! The raw declarations of the bindings: that they are fresh, and that no generator is forgotten.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_tests_c::{difference, root};

/// Lines of code of a file that a person wrote of a binding, without comments and empty ones; and
/// lines of a generator.
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
            "{} is stale: run `make generate`\n{}",
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

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// A binding is to be read and copied: each file that a person wrote stays small.
#[test]
fn bindings_stay_small() {
    for folder in bindings() {
        let generator = folder.join("generate.py");
        let raw = generator.exists().then(|| written(&generator));
        for file in files(&folder) {
            let is_code = file.extension().is_some_and(|kind| kind != "json" && kind != "md");
            if file.to_str().unwrap().contains("/node_modules/")
                || !is_code
                || raw.as_ref() == Some(&file)
            {
                continue;
            }
            let (lines, most) = match file == generator {
                true => (read(&file).lines().count(), GENERATOR_MAX),
                false => (code_lines(&read(&file)), BINDING_MAX),
            };
            assert!(lines <= most, "{} has {lines} lines, {most} at most", file.display());
        }
    }
}
