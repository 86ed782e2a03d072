//! Programs that were built for older headers, with this library: they run, or the loader says what they
//! miss.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::PathBuf;
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Ended, Library, Program, compile_with, root};

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn header_of(age: &str) -> PathBuf {
    root().join("tests/c/upgrade").join(age)
}

/// The program for a header of some age, built and linked as in its days: with a library that has
/// what it uses, under the SONAME of today's. Run with today's.
fn run_today(age: &str, name: &str, flags: &[&str]) -> Ended {
    let library = Library::built();
    let folder = library.file(&format!("upgrade-{age}-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    let (object, program) = (folder.join("main.o"), folder.join("main"));
    let then = folder.join("libmodelwire.so.0.1");
    run(Command::new("cc")
        .args(["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-c", "-I"])
        .args([header_of(age), header_of(age).join("main.c")])
        .arg("-o")
        .arg(&object));
    let used = run(Command::new("nm").arg("-u").arg(&object));
    let names = used.split_whitespace().filter(|name| name.starts_with("modelwire_"));
    let stub: String = names.map(|name| format!("const unsigned char {name} = 1;\n")).collect();
    assert!(stub.lines().count() > 8, "{stub}");
    let source = folder.join("then.c");
    std::fs::write(&source, stub).unwrap();
    run(Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,-soname,libmodelwire.so.0.1"])
        .arg(&source)
        .arg("-o")
        .arg(&then));
    run(Command::new("cc").args(flags).args([&object, &then]).arg("-o").arg(&program));
    std::fs::remove_file(&then).unwrap();
    std::os::unix::fs::symlink(library.path(), &then).unwrap();
    let service = Service::start().unwrap();
    Program::new(&program).env("LD_LIBRARY_PATH", folder.to_str().unwrap()).at(&service).run()
}

/// Both kinds of linking that distributions have as their default.
const WAYS: [(&str, &[&str]); 2] = [("now", &["-Wl,-z,now"]), ("lazy", &["-Wl,-z,lazy"])];

#[test]
fn a_program_for_the_oldest_header_of_this_abi_runs() {
    for (name, flags) in WAYS {
        assert_eq!(run_today("marked", name, flags).succeeded().stdout, "runs\n", "{name}");
    }
}

/// Every declaration and every constant of that header stands in today's: the compiler takes both.
#[test]
fn the_oldest_header_of_this_abi_is_part_of_todays() {
    let both = Library::built().file("both.c");
    std::fs::write(
        &both,
        format!(
            "#include \"{}/modelwire.h\"\n#undef MODELWIRE_H\n#undef MODELWIRE_VERSION_NUMBER\n\
             #include <modelwire.h>\n",
            header_of("marked").display()
        ),
    )
    .unwrap();
    let strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-DMODELWIRE_DLOPEN", "-fsyntax-only"];
    compile_with("cc", &[&strict[..], &[both.to_str().unwrap()]].concat());
    let exported = Library::built().inspect("nm", &["-D", "--defined-only"]);
    let header = std::fs::read_to_string(header_of("marked").join("modelwire.h")).unwrap();
    let functions: Vec<&str> = header
        .split(|character: char| !character.is_ascii_alphanumeric() && !"_(".contains(character))
        .filter_map(|word| word.split_once('(').map(|(name, _)| name))
        .filter(|name| name.starts_with("modelwire_"))
        .collect();
    assert!(functions.len() > 60, "{functions:?}");
    for function in functions {
        let is_there = exported.lines().any(|line| line.ends_with(&format!(" {function}")));
        assert!(is_there, "{function} is gone");
    }
}

/// The header before the first release whose functions are gone. Whatever makes a call misses some.
#[test]
fn a_program_for_a_removed_abi_names_the_missing_symbol() {
    for (name, flags) in WAYS {
        let ended = run_today("first", name, flags);
        assert_eq!(ended.status.code(), Some(127), "{name}: {ended:?}");
        let missing = "undefined symbol: modelwire_";
        assert!(ended.stderr.contains(missing), "{name}: {ended:?}");
        assert_eq!(ended.stdout, "", "{name}");
    }
}
