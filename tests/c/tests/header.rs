//! The header and the exported symbols, as generated and as compilers take them. Knows no service.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Once;

use modelwire_tests_c::{Library, compile_with, root};

const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wundef"];
const SYMBOLS: &str = include_str!("../symbols.txt");
const NULL_SCENARIO: &str = include_str!("../scenarios/null.c");

fn header_path() -> PathBuf {
    root().join("include/modelwire.h")
}

fn header() -> String {
    settle();
    std::fs::read_to_string(header_path()).unwrap()
}

fn generated() -> String {
    let ffi = root().join("ffi-c");
    let config = cbindgen::Config::from_file(ffi.join("cbindgen.toml")).unwrap();
    // Source files, not the crate: no `cargo metadata`, and nothing that a build would write.
    let mut builder = cbindgen::Builder::new().with_config(config);
    for module in modules() {
        builder = builder.with_src(ffi.join("src").join(module));
    }
    let mut text = Vec::new();
    builder.generate().unwrap().write(&mut text);
    let text = String::from_utf8(text).unwrap();
    // Negative numbers in parentheses, which cbindgen leaves out.
    let line = |line: &str| match line.strip_prefix("#define ").and_then(|d| d.split_once(" -")) {
        Some((name, number)) => format!("#define {name} (-{number})\n"),
        None => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// The files of ffi-c in the order in which `lib.rs` names them, which is the header's order.
fn modules() -> Vec<String> {
    let lib = std::fs::read_to_string(root().join("ffi-c/src/lib.rs")).unwrap();
    lib.lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(|name| format!("{name}.rs"))
        .collect()
}

/// With `UPDATE_HEADER=1`, which is what `make header` sets, the header is written before any
/// test reads it, and so is what every test is about.
fn settle() {
    static SETTLED: Once = Once::new();
    SETTLED.call_once(|| {
        if std::env::var_os("UPDATE_HEADER").is_some_and(|value| value == "1") {
            std::fs::write(header_path(), generated()).unwrap();
        }
    });
}

#[test]
fn the_committed_header_is_what_cbindgen_generates() {
    // Not assert_eq: two whole headers would hide the message.
    let (committed, current) = (header(), generated());
    let differing = committed.lines().zip(current.lines()).position(|(old, new)| old != new);
    assert!(
        committed == current,
        "include/modelwire.h is not what ffi-c/src gives (first at line {:?}): run `make header`",
        differing.map(|line| line + 1)
    );
}

/// One language standard: the header alone, and twice in two units that link.
fn check_standard(compiler: &str, standard: &str) {
    settle();
    let library = Library::built();
    let suffix = if compiler == "cc" { "c" } else { "cc" };
    let name = |part: &str| library.file(&format!("{}-{part}", standard.replace("-std=", "")));
    let units = [
        ("alone", "#include <modelwire.h>\n"),
        (
            "other",
            "#include <modelwire.h>\n#include <modelwire.h>\nint other(void);\n\
             int other(void) { return MODELWIRE_OK; }\n",
        ),
        (
            "main",
            "#include <modelwire.h>\n#include <modelwire.h>\nint other(void);\n\
             int main(void) { return other() + (int)modelwire_check_abi(MODELWIRE_ABI); }\n",
        ),
    ];
    let mut paths = Vec::new();
    for (part, text) in units {
        let path = name(part).with_extension(suffix);
        std::fs::write(&path, text).unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    let with_strict = |arguments: &[&str]| {
        let all = [&[standard], STRICT.as_slice(), arguments].concat();
        compile_with(compiler, &all);
    };
    with_strict(&["-fsyntax-only", &paths[0]]);
    let (shared, program) = (library.path(), name("program"));
    with_strict(&[&paths[1], &paths[2], shared.to_str().unwrap(), "-o", program.to_str().unwrap()]);
}

#[test]
fn the_header_is_c99() {
    check_standard("cc", "-std=c99");
}

#[test]
fn the_header_is_c11() {
    check_standard("cc", "-std=c11");
}

#[test]
fn the_header_is_c17() {
    check_standard("cc", "-std=c17");
}

#[test]
fn the_header_is_cpp11() {
    check_standard("c++", "-std=c++11");
}

#[test]
fn the_header_is_cpp17() {
    check_standard("c++", "-std=c++17");
}

#[test]
fn the_header_is_cpp20() {
    check_standard("c++", "-std=c++20");
}

#[test]
fn the_version_number_is_cargos() {
    let parts: Vec<u32> =
        env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse().unwrap()).collect();
    let number = parts[0] * 1_000_000 + parts[1] * 1_000 + parts[2];
    let line = format!("#define MODELWIRE_VERSION_NUMBER {number}");
    assert!(header().lines().any(|found| found == line), "no line {line:?} in the header");
}

fn listed() -> BTreeSet<String> {
    SYMBOLS.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

/// The functions that the header declares: each follows MODELWIRE_API on its line or the next.
fn declared() -> BTreeSet<String> {
    let header = header();
    let code: Vec<&str> = header.lines().filter(|line| !line.starts_with('#')).collect();
    // The space tells it from MODELWIRE_API_KEY.
    let code = code.join(" ");
    code.split("MODELWIRE_API ")
        .skip(1)
        .map(|text| {
            let before = text.split('(').next().unwrap();
            before.rsplit([' ', '*']).next().unwrap().to_owned()
        })
        .collect()
}

#[test]
fn exported_symbols_are_the_listed_ones() {
    let output = Library::built().inspect("nm", &["-D", "--defined-only"]);
    let exported: BTreeSet<String> =
        output.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
    assert_eq!(
        exported,
        listed(),
        "left: exported, right: tests/c/symbols.txt (functions are only ever added)"
    );
}

#[test]
fn every_exported_symbol_is_declared_and_every_declared_one_exported() {
    assert_eq!(declared(), listed(), "left: include/modelwire.h, right: tests/c/symbols.txt");
}

#[test]
fn every_function_is_called_with_null() {
    for symbol in listed() {
        let is_called = NULL_SCENARIO.split(|c: char| !c.is_alphanumeric() && c != '_');
        assert!(
            is_called.clone().any(|word| word == symbol),
            "scenarios/null.c does not name {symbol}"
        );
    }
}

#[test]
fn the_soname_and_nodelete_are_set() {
    let dynamic = Library::built().inspect("readelf", &["-d", "-W"]);
    assert!(dynamic.contains("Library soname: [libmodelwire.so.0.1]"), "{dynamic}");
    let flags = dynamic.lines().find(|line| line.contains("(FLAGS_1)")).unwrap_or_default();
    assert!(flags.contains("NODELETE"), "{dynamic}");
}
