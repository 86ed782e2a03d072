//! The marker by which a program that was built for a later header finds out that it has the older
//! library.

use std::process::Command;

use modelwire_tests_c::{Library, Program};

use crate::prefix::{lib, pkg_config, prefix, run};

/// A program that calls one function, compiled against the header of the next version and linked with
/// a library of that version.
fn later(name: &str, flags: &[&str]) -> Program {
    let library = Library::built();
    let folder = library.file(&format!("later-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    let header = std::fs::read_to_string(prefix().join("include/modelwire.h")).unwrap();
    let header = header.replace("modelwire_needs_0_1", "modelwire_needs_0_2");
    std::fs::write(folder.join("modelwire.h"), header).unwrap();
    let (stub, shared) = (folder.join("stub.c"), folder.join("libmodelwire.so"));
    std::fs::write(
        &stub,
        "const unsigned char modelwire_needs_0_2 = 1;\n\
         unsigned modelwire_version_number(void) { return 0; }\n",
    )
    .unwrap();
    run(Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,-soname,libmodelwire.so.0.1"])
        .arg(&stub)
        .arg("-o")
        .arg(&shared));
    let (main, program) = (folder.join("main.c"), folder.join("main"));
    std::fs::write(&main, MAIN).unwrap();
    run(Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-pedantic"])
        .args(flags)
        .arg("-I")
        .args([&folder, &main, &shared])
        .arg("-o")
        .arg(&program));
    // Where the library is this one.
    Program::new(&program).env("LD_LIBRARY_PATH", &lib())
}

const MAIN: &str = r#"#include <modelwire.h>
#include <stdio.h>
int main(void) {
  unsigned number = modelwire_version_number();
  return printf("%u.%u.%u\n", number / 1000000, number / 1000 % 1000, number % 1000) < 0;
}
"#;

#[test]
fn a_program_for_a_later_header_does_not_start() {
    let sections = ["-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"];
    for (name, flags) in [
        ("plain", &[][..]),
        ("optimised", &["-O2"]),
        // As many projects do.
        ("sections", &sections),
        ("whole", &["-O2", "-flto", "-Wl,--gc-sections"]),
        ("lazy", &["-Wl,-z,lazy"]),
    ] {
        let ended = later(name, flags).run();
        assert!(ended.status.code().is_some_and(|code| code != 0), "{name}: {ended:?}");
        let said = "undefined symbol: modelwire_needs_0_2";
        assert!(ended.stderr.contains(said), "{name}: {ended:?}");
        assert_eq!(ended.stdout, "", "{name}");
    }
}

/// Who asks by itself, or loads the library later, does without.
#[test]
fn a_program_without_the_marker_starts() {
    let ended = later("without", &["-DMODELWIRE_DLOPEN"]).run().succeeded();
    assert_eq!(ended.stdout.trim_end(), env!("CARGO_PKG_VERSION"));
}

/// A static library that is too old is found out by the linker.
#[test]
fn a_program_for_a_later_header_does_not_link_with_the_archive() {
    let library = Library::built();
    let (main, program) = (library.file("marked.c"), library.file("marked"));
    let link = |needs: &str| {
        std::fs::write(&main, MAIN).unwrap();
        let output = Command::new("cc")
            .arg(format!("-Dmodelwire_needs_0_1={needs}"))
            .arg(&main)
            .args(pkg_config(&["--cflags", "--libs", "modelwire-static"]))
            .arg("-o")
            .arg(&program)
            .output()
            .unwrap();
        (output.status.success(), String::from_utf8(output.stderr).unwrap())
    };
    let (is_linked, said) = link("modelwire_needs_0_2");
    assert!(!is_linked && said.contains("undefined reference to `modelwire_needs_0_2'"), "{said}");
    let (is_linked, said) = link("modelwire_needs_0_1");
    assert!(is_linked, "{said}");
    let ended = Program::new(&program).run().succeeded();
    assert_eq!(ended.stdout.trim_end(), env!("CARGO_PKG_VERSION"));
}
