//! The header and the exported symbols, as generated and as compilers take them; and that no
//! function is forgotten by the tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;

use modelwire_header::{Function, HEADER, SYMBOLS, WRAPPER, functions, generate, root, wrapper};
use modelwire_tests_c::{Library, compile_with, difference, forgotten_scenarios};

const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wundef"];
const NULL_SCENARIO: &str = include_str!("../scenarios/null.c");
const TEXTS_SCENARIO: &str =
    concat!(include_str!("../scenarios/texts.h"), include_str!("../scenarios/texts.c"));

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn the_committed_header_is_what_is_generated() {
    let (committed, current) = (read(HEADER), generate().unwrap());
    // Not assert_eq: two whole headers would hide the message.
    assert!(
        committed == current,
        "{HEADER} is stale: run `make header`\n{}",
        difference(committed.lines(), current.lines())
    );
    let (committed, current) = (read(WRAPPER), wrapper().unwrap());
    assert!(
        committed == current,
        "{WRAPPER} is stale: run `make header`\n{}",
        difference(committed.lines(), current.lines())
    );
}

/// One language standard: the header alone, and twice in two units that link.
fn check_standard(compiler: &str, standard: &str) {
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
    assert!(read(HEADER).lines().any(|found| found == line), "no line {line:?} in the header");
}

fn listed() -> BTreeSet<String> {
    read(SYMBOLS).lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn names<'a>(functions: impl IntoIterator<Item = &'a Function>) -> BTreeSet<String> {
    functions.into_iter().map(|function| function.name.clone()).collect()
}

/// What to do about a symbol that is gone; one that is new is added by `make header`.
const GONE: &str = "A function that is gone (-) breaks compiled programs: put it back. If it was \
    never released, take its line out of tests/c/symbols.txt by hand.";

#[test]
fn exported_symbols_are_the_listed_ones() {
    let output = Library::built().inspect("nm", &["-D", "--defined-only"]);
    let exported: BTreeSet<String> =
        output.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
    assert!(
        exported == listed(),
        "the library exports others than {SYMBOLS} lists (+ is exported only, - is listed only).\n\
         One that is new (+) is added by `make header`. {GONE}\n{}",
        difference(&listed(), &exported)
    );
}

#[test]
fn every_exported_symbol_is_declared_and_every_declared_one_exported() {
    let declared = names(&functions(&read(HEADER)));
    assert!(
        declared == listed(),
        "{HEADER} declares others than {SYMBOLS} lists (+ is declared only, - is listed only).\n\
         One that is new (+) is added by `make header`. {GONE}\n{}",
        difference(&listed(), &declared)
    );
}

/// The words of a C file.
fn words(source: &str) -> BTreeSet<String> {
    source.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
}

#[test]
fn every_function_is_called_with_null() {
    let called = words(&[NULL_SCENARIO, TEXTS_SCENARIO].concat());
    let listed = listed();
    let forgotten: Vec<&String> = listed.difference(&called).collect();
    assert!(
        forgotten.is_empty(),
        "no test calls these with NULL: add a line to tests/c/scenarios/texts.h for one that gives \
         a text of a handle, and to null.c for any other\n{forgotten:#?}"
    );
}

/// `texts!` of ffi-c makes them, and one line of the scenario tests each.
#[test]
fn every_text_is_tested_with_data() {
    let header = functions(&read(HEADER));
    let texts = header.iter().filter(|function| {
        // They are lent to a callback; scenarios/log.c tests them.
        function.is_text() && !function.name.starts_with("modelwire_log_batch_")
    });
    let (texts, tested) = (names(texts), words(TEXTS_SCENARIO));
    assert!(texts.len() > 30, "only {texts:?} were found");
    let forgotten: Vec<&String> = texts.difference(&tested).collect();
    assert!(
        forgotten.is_empty(),
        "add a line to tests/c/scenarios/texts.h for each of {forgotten:#?}"
    );
}

#[test]
fn every_scenario_is_run() {
    let forgotten =
        forgotten_scenarios("tests/c/scenarios/list.h", &["tests/c/tests", "tests/c/src"]);
    assert!(forgotten.is_empty(), "no #[test] in tests/c/tests runs {forgotten:#?}");
}

#[test]
fn the_soname_and_nodelete_are_set() {
    let dynamic = Library::built().inspect("readelf", &["-d", "-W"]);
    assert!(dynamic.contains("Library soname: [libmodelwire.so.0.1]"), "{dynamic}");
    let flags = dynamic.lines().find(|line| line.contains("(FLAGS_1)")).unwrap_or_default();
    assert!(flags.contains("NODELETE"), "{dynamic}");
}
