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

use modelwire_header::{HEADER, TABLE, abi, functions, generate, lines, name, root};
use modelwire_tests_c::{Library, compile_with, difference, forgotten_scenarios};

const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wundef"];
const NULL_SCENARIO: &str = include_str!("../scenarios/null.c");
const FUZZ_SCENARIO: &str = include_str!("../scenarios/fuzz.c");
const TEXTS_SCENARIO: &str = include_str!("../scenarios/texts.c");

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn the_committed_header_is_what_is_generated() {
    let (committed, current) = (read(HEADER), generate().unwrap());
    // Not assert_eq: two whole headers would hide the message.
    assert!(
        committed == current,
        "{HEADER} is stale: run `make generate`\n{}",
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

/// The lines of the committed table.
fn listed() -> Vec<String> {
    lines(&read(TABLE))
}

/// What of a table the linker sees: functions, and what is exported beside them.
fn exported(lines: &[String]) -> BTreeSet<String> {
    let is_type_or_constant = |line: &String| line.starts_with("typedef ") || line.starts_with('#');
    lines.iter().filter(|line| !is_type_or_constant(line)).map(|line| name(line).into()).collect()
}

/// What to do about a line that is gone or another one; one that is new is added by `make generate`.
const GONE: &str = "A line that is gone or changed (-) breaks compiled programs: put it back, and add \
    a function or a constant beside it. If it was never released, take its line out of the table by \
    hand.";

#[test]
fn the_header_is_what_the_table_says() {
    let (listed, declared) = (listed(), abi(&read(HEADER)));
    assert!(
        declared == listed,
        "{HEADER} is another ABI than {TABLE} (+ is declared only, - is listed only).\n\
         One that is new (+) is added by `make generate`. {GONE}\n{}",
        difference(&listed, &declared)
    );
}

#[test]
fn exported_symbols_are_the_listed_ones() {
    let output = Library::built().inspect("nm", &["-D", "--defined-only"]);
    let found: BTreeSet<String> =
        output.lines().map(|line| line.rsplit(' ').next().unwrap().to_owned()).collect();
    let listed = exported(&listed());
    assert!(
        found == listed,
        "the library exports others than {TABLE} lists (+ is exported only, - is listed only).\n\
         {GONE}\n{}",
        difference(&listed, &found)
    );
}

/// Small enough to be read, and to be bound by hand.
#[test]
fn the_abi_stays_small() {
    let functions = functions(&read(HEADER));
    assert!((60..=80).contains(&functions.len()), "{} functions", functions.len());
    // No function returns what only another one of these can say.
    let listed = exported(&listed());
    let names: BTreeSet<String> = functions.into_iter().map(|one| one.name).collect();
    let others: Vec<&String> = listed.difference(&names).collect();
    assert_eq!(others, ["modelwire_needs_0_1"]);
}

/// The functions that the header's first page names as the least that a binding needs are there, and
/// they are what the example of a binding uses.
#[test]
fn the_binding_example_uses_the_fifteen_documented_functions() {
    let header = read(HEADER);
    let (_, page) = header.split_once("A COMPLETE BINDING").unwrap();
    let (page, _) = page.split_once("WAYS TO RUN").unwrap();
    let all: BTreeSet<String> = functions(&header).into_iter().map(|one| one.name).collect();
    let named: BTreeSet<String> = words(page).intersection(&all).cloned().collect();
    let example = read("ffi-c/examples/queue_asyncio.py");
    let is_used = |name: &&String| {
        let short = name.trim_start_matches("modelwire_");
        example.contains(&format!("(\"{short}\", "))
    };
    let used: BTreeSet<String> = all.iter().filter(is_used).cloned().collect();
    assert_eq!(named.len(), 15, "{named:?}");
    assert_eq!(used, named, "{}", difference(&named, &used));
}

/// The words of a C file.
fn words(source: &str) -> BTreeSet<String> {
    source.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_owned).collect()
}

fn forgotten(sources: &str) -> Vec<String> {
    let called = words(sources);
    let all = functions(&read(HEADER)).into_iter().map(|one| one.name);
    all.filter(|name| !called.contains(name)).collect()
}

#[test]
fn every_function_is_called_with_null() {
    let forgotten = forgotten(&[NULL_SCENARIO, TEXTS_SCENARIO].concat());
    assert!(
        forgotten.is_empty(),
        "no test calls these with NULL: add a line to tests/c/scenarios/texts.c for one that gives \
         a text of a handle, and to null.c for any other\n{forgotten:#?}"
    );
}

#[test]
fn the_fuzzer_calls_every_function() {
    let forgotten = forgotten(FUZZ_SCENARIO);
    assert!(forgotten.is_empty(), "tests/c/scenarios/fuzz.c does not call {forgotten:#?}");
}

#[test]
fn every_scenario_is_run() {
    let forgotten = forgotten_scenarios(
        "tests/c/scenarios/list.h",
        &["tests/c/tests/scenarios", "tests/c/src"],
    );
    assert!(forgotten.is_empty(), "no #[test] in tests/c/tests runs {forgotten:#?}");
}

/// Two copies may be in one process: what a sanitizer puts in between is another matter.
#[test]
fn the_library_calls_its_own_functions_without_symbol_lookup() {
    let relocations = Library::built().inspect("readelf", &["-rW"]);
    assert!(relocations.lines().count() > 100 && !relocations.contains("modelwire_"));
}

#[test]
fn the_soname_and_nodelete_are_set() {
    let dynamic = Library::built().inspect("readelf", &["-d", "-W"]);
    assert!(dynamic.contains("Library soname: [libmodelwire.so.0.1]"), "{dynamic}");
    let flags = dynamic.lines().find(|line| line.contains("(FLAGS_1)")).unwrap_or_default();
    assert!(flags.contains("NODELETE"), "{dynamic}");
}
