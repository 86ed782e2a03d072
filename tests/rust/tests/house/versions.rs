//! One version in every place that has to say it; a release forgets none.

use std::fs;

use crate::{files, read};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn minor() -> &'static str {
    VERSION.rsplit_once('.').unwrap().0
}

/// What follows these words wherever they stand in a text: a version, or the beginning of a file name.
fn behind<'a>(text: &'a str, words: &'a str) -> impl Iterator<Item = &'a str> {
    let is_of_version = |byte: char| byte.is_ascii_digit() || byte == '.';
    text.split(words).skip(1).map(move |rest| {
        rest.split(|byte| !is_of_version(byte)).next().unwrap_or("").trim_end_matches('.')
    })
}

#[test]
fn published_crates_name_the_version_of_their_dependencies() {
    let text = read("Cargo.toml");
    let is_own = |line: &&str| line.starts_with("modelwire") && line.contains(" = { path = ");
    let own: Vec<&str> = text.lines().filter(is_own).collect();
    assert_eq!(own.len(), 4);
    for line in own {
        assert!(line.contains(&format!("version = \"{VERSION}\"")), "Cargo.toml: {line}");
    }
}

#[test]
fn the_number_of_the_header_is_the_version() {
    let parts: Vec<u32> = VERSION.split('.').map(|part| part.parse().unwrap()).collect();
    let number = parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2];
    for (file, words) in [
        ("ffi-c/src/library.rs", "MODELWIRE_VERSION_NUMBER: u32 = "),
        ("include/modelwire.h", "#define MODELWIRE_VERSION_NUMBER "),
    ] {
        let text = read(file);
        let found: Vec<_> = behind(&text, words).collect();
        assert_eq!(found, [number.to_string()], "{file}");
    }
}

/// Programs and pages name the library by its minor version.
#[test]
fn the_library_version_is_the_same_everywhere() {
    let ends = ["Makefile", "README.md", "CONTRIBUTING.md"].map(str::to_owned).into_iter();
    let texts = ["ffi-c", "docs", "include"].into_iter().flat_map(|folder| files(folder, ""));
    let mut found = 0;
    for path in ends.chain(texts) {
        // What is no text names nothing.
        let Ok(text) = fs::read_to_string(crate::root().join(&path)) else { continue };
        for words in ["libmodelwire.so.", "find_package(modelwire "] {
            for version in behind(&text, words).filter(|version| !version.is_empty()) {
                assert!(
                    version == minor() || version == VERSION,
                    "{path} names {words}{version}, and the version is {VERSION}"
                );
                found += 1;
            }
        }
    }
    assert!(found > 10, "only {found} places name the library: is this looking at them?");
}

#[test]
fn the_packages_of_the_bindings_have_the_version() {
    for (file, words) in [
        ("ffi-c/bindings/node/package.json", "\"version\": \""),
        ("ffi-c/bindings/ruby/modelwire.gemspec", "spec.version = \""),
        ("ffi-c/bindings/elixir/mix.exs", "version: \""),
        ("ffi-c/bindings/elixir/README.md", "../modelwire-"),
        ("ffi-c/bindings/luajit/modelwire.rockspec", "\nversion = \""),
        ("ffi-c/bindings/perl/lib/Modelwire.pm", "our $VERSION = '"),
        ("ffi-c/bindings/python-cffi/pyproject.toml", "\nversion = \""),
        ("ffi-c/bindings/java/pom.xml", "<artifactId>modelwire</artifactId>\n  <version>"),
        ("ffi-c/bindings/dotnet/Modelwire.csproj", "\n    <Version>"),
        ("tests/bindings/dotnet/Scenarios.csproj", "Include=\"Modelwire\" Version=\""),
        ("ffi-c/bindings/java/README.md", "<artifactId>modelwire</artifactId>\n  <version>"),
    ] {
        let text = read(file);
        let found: Vec<_> = behind(&text, words).collect();
        assert!(!found.is_empty() && found.iter().all(|one| *one == VERSION), "{file}: {found:?}");
    }
}

/// On top is what is unreleased, or the version that is being released.
#[test]
fn the_changelog_has_the_version() {
    let text = read("CHANGELOG.md");
    let heads: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    let newest = heads.iter().find(|head| **head != "unreleased");
    let newest = newest.expect("CHANGELOG.md has no version");
    let rest = newest.strip_prefix(VERSION).unwrap_or_else(|| {
        panic!("the newest version of CHANGELOG.md is {newest}, not {VERSION}");
    });
    let date = rest.trim_start_matches(" (").trim_end_matches(')');
    let is_date = date.len() == 10 && date.split('-').all(|part| part.parse::<u32>().is_ok());
    assert!(date == "unreleased" || is_date, "{newest}: neither unreleased nor a date");
    assert!(heads.iter().skip(1).all(|head| *head != "unreleased"), "unreleased is on top");
}
