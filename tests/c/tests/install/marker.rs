//! The marker by which a program that was built for a later header finds out that it has the older
//! library. Knows no function of the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_tests_c::{Library, Program};

use crate::prefix::{pkg_config, prefix, run};

/// A program that calls one function, against this folder of headers.
fn built(name: &str, include: &Path, more: &[&str]) -> PathBuf {
    let library = Library::built();
    let source = library.file("marked.c");
    std::fs::write(
        &source,
        "#include <modelwire.h>\n#include <stdio.h>\n\
         int main(void) { return puts(modelwire_version()) < 0; }\n",
    )
    .unwrap();
    let program = library.file(name);
    run(Command::new("cc")
        .arg("-I")
        .arg(include)
        .arg(&source)
        // Linked where the later library is, and started where the older one is.
        .args(["-O2", "-Wl,--gc-sections", "-Wl,--unresolved-symbols=ignore-all"])
        .args(pkg_config(&["--libs", "modelwire"]))
        .arg(format!("-Wl,-rpath,{}", prefix().join("lib").display()))
        .args(more)
        .arg("-o")
        .arg(&program));
    program
}

/// The header of the next version: the same one but for its marker.
fn later() -> PathBuf {
    let folder = Library::built().file("later");
    std::fs::create_dir_all(&folder).unwrap();
    let header = std::fs::read_to_string(prefix().join("include/modelwire.h")).unwrap();
    let later = header.replace("modelwire_needs_0_1", "modelwire_needs_0_2");
    assert!(later != header);
    std::fs::write(folder.join("modelwire.h"), later).unwrap();
    folder
}

#[test]
fn a_program_for_a_later_header_does_not_start() {
    let ended = Program::new(&built("later-program", &later(), &[])).run();
    assert!(ended.status.code().is_some_and(|code| code != 0), "{ended:?}");
    assert!(ended.stderr.contains("undefined symbol: modelwire_needs_0_2"), "{ended:?}");
    assert_eq!(ended.stdout, "");
}

#[test]
fn a_program_for_this_header_starts() {
    let include = prefix().join("include");
    let ended = Program::new(&built("same-program", &include, &[])).run().succeeded();
    assert_eq!(ended.stdout.trim_end(), env!("CARGO_PKG_VERSION"));
}

/// Who asks by itself needs no marker.
#[test]
fn a_program_that_loads_the_library_does_without_the_marker() {
    let program = built("without-marker", &later(), &["-DMODELWIRE_DLOPEN"]);
    assert_eq!(Program::new(&program).run().succeeded().stdout.trim_end(), "0.1.0");
}
