//! The raw declarations of the bindings: that they are fresh, and that no generator is forgotten.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
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

/// The generators of a binding.
fn generators(binding: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(binding).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| is_generator(path)).collect()
}

fn is_generator(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.starts_with("generate") && path.extension().is_some_and(|kind| kind == "py")
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
    for generator in bindings().iter().flat_map(|folder| generators(folder)) {
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
    assert!(count >= 5, "{count} generators");
}

/// The members of a Go struct as JSON names them: by their tags, or by their names in small letters.
fn members(source: &str, name: &str) -> BTreeSet<String> {
    let body = source.split(&format!("\ntype {name} struct {{\n")).nth(1).unwrap();
    let names = |line: &str| match line.split_once("json:\"") {
        Some((_, tag)) => tag.split('"').next().unwrap().to_owned(),
        None => line.replace(", ", ",").split_whitespace().next().unwrap().to_lowercase(),
    };
    let lines = body.split("\n}").next().unwrap().lines().map(names);
    lines.flat_map(|names| names.split(',').map(str::to_owned).collect::<Vec<_>>()).collect()
}

/// Go alone names them; the other bindings give the JSON object.
#[test]
fn go_has_every_accessor() {
    let source = read(&root().join("ffi-c/bindings/go/modelwire.go"));
    let description = read(&root().join("include/modelwire.json"));
    for (of, name) in [("response", "Info"), ("error", "Error")] {
        let known = &members(&source, name) | &members(&source, "Exchange");
        let rows: Vec<_> = description.split(&format!("\"of\": \"{of}\",\n")).skip(1).collect();
        assert!(rows.len() > 10, "{} rows of {of}", rows.len());
        for row in rows {
            let accessor = row.split('"').nth(3).unwrap();
            assert!(known.contains(accessor), "the struct {name} has no {accessor}");
            if accessor == "usage" {
                let example = row.lines().find(|line| line.contains("\"gives\"")).unwrap();
                let counts = example.split("\\\"").skip(1).step_by(2).map(str::to_owned).collect();
                assert_eq!(members(&source, "Usage"), counts);
            }
        }
    }
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

/// A binding is to be read: each file that a person wrote stays small.
#[test]
fn bindings_stay_small() {
    for folder in bindings() {
        let generated: Vec<_> = generators(&folder).iter().map(|path| written(path)).collect();
        for file in files(&folder) {
            let is_code = file.extension().is_some_and(|kind| kind != "json" && kind != "md");
            if file.to_str().unwrap().contains("/node_modules/")
                || !is_code
                || generated.contains(&file)
            {
                continue;
            }
            let (lines, most) = match is_generator(&file) {
                true => (read(&file).lines().count(), GENERATOR_MAX),
                false => (code_lines(&read(&file)), BINDING_MAX),
            };
            assert!(lines <= most, "{} has {lines} lines, {most} at most", file.display());
        }
    }
}
