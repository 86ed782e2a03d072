//! `make install` for other targets than the machine of the tests. Needs their compilers, and builds the
//! library anew for each: `tests/release/test-targets` runs these tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Ended, Library, Program, root};

use crate::prefix::{documented, other_rust, run, shortest};

/// The block of the page that begins with the compiler of this target, run as it stands, but for
/// the folder that it installs into. Gives that folder, and the program.
fn followed(target: &str, compiler: &str) -> (PathBuf, PathBuf) {
    let [block] = &documented(compiler)[..] else { panic!("there is one block for {compiler}") };
    let folder = Library::built().file(target);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(shortest(), folder.join("chat.c")).unwrap();
    let place = block.split("PREFIX=").nth(1).unwrap().split_whitespace().next().unwrap();
    let prefix = folder.join("prefix");
    let block = block
        .replace(place, prefix.to_str().unwrap())
        .replace("make install", &format!("make -C {} install", root().display()));
    assert!(block.contains("rustup target add"), "{block}");
    run(Command::new("sh")
        .args(["-ec", &block])
        .current_dir(&folder)
        .env_remove("DESTDIR")
        .env_remove("LIBDIR"));
    (prefix, folder.join("chat"))
}

/// As `modelwire-static` says it.
fn static_flags(prefix: &Path) -> Vec<String> {
    let said = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", "modelwire-static"])
        .env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")));
    said.split_whitespace().map(str::to_owned).collect()
}

/// Another Rust library, treated by `make install` as if it were ours: into a prefix of its own.
fn installed(target: &str) -> PathBuf {
    let folder = Library::built().file(&format!("{target}-other-built"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(other_rust(&["--target", target]), folder.join("libmodelwire.a")).unwrap();
    let prefix = Library::built().file(&format!("{target}-other-prefix"));
    run(Command::new(root().join("ffi-c/install/install"))
        .arg(&folder)
        .env("PREFIX", &prefix)
        .env("TARGET", target)
        .env_remove("DESTDIR")
        .env_remove("LIBDIR"));
    prefix
}

/// A program with this Rust library in it, which starts a thread and catches a panic. No function
/// of ours does that by itself.
fn catching(compiler: &str, target: &str, libraries: &[String]) -> PathBuf {
    let library = Library::built();
    let main = library.file(&format!("{target}-catching.c"));
    let program = library.file(&format!("{target}-catching"));
    std::fs::write(
        &main,
        "#include <stdio.h>\n\
         unsigned modelwire_test_sum(unsigned count);\n\
         int main(void) { return printf(\"%u\\n\", modelwire_test_sum(5)) < 0; }\n",
    )
    .unwrap();
    run(Command::new(compiler).arg(&main).args(libraries).arg("-o").arg(&program));
    program
}

fn said(program: Program) -> String {
    let service = Service::start().unwrap();
    let ended: Ended = program.at(&service).run().succeeded();
    ended.stdout
}

#[test]
#[ignore = "tests/release/test-targets"]
fn musl() {
    const TARGET: &str = "x86_64-unknown-linux-musl";
    let (prefix, program) = followed(TARGET, "musl-gcc");
    let headers = run(Command::new("readelf").args(["-ldW"]).arg(&program));
    assert!(headers.contains("LOAD") && !headers.contains("INTERP"), "{headers}");
    assert!(!headers.contains("NEEDED"), "{headers}");
    assert_eq!(said(Program::new(&program)), "Say hello.\n");
    assert!(!prefix.join("lib/libmodelwire.so").exists());
    // With the same unwinder, found by the same flags.
    let mut flags = static_flags(&installed(TARGET));
    flags.push("-static".into());
    let catching = catching("musl-gcc", TARGET, &flags);
    assert_eq!(said(Program::new(&catching)), "11\n");
}

#[test]
#[ignore = "tests/release/test-targets"]
fn arm64() {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    let (prefix, program) = followed(TARGET, "aarch64-linux-gnu-gcc");
    // The emulator gives it to the program, whose loader looks there.
    let emulated = |program: &Path| {
        Program::new(program).env("LD_LIBRARY_PATH", prefix.join("lib").to_str().unwrap())
    };
    assert_eq!(said(emulated(&program)), "Say hello.\n");
    // And the static library: its archive is changed by a program of this machine.
    let program = Library::built().file("arm64-static");
    run(Command::new("aarch64-linux-gnu-gcc")
        .arg(shortest())
        .args(static_flags(&prefix))
        .arg("-o")
        .arg(&program));
    let needed = run(Command::new("readelf").arg("-dW").arg(&program));
    assert!(needed.contains("NEEDED") && !needed.contains("libmodelwire"), "{needed}");
    assert_eq!(said(emulated(&program)), "Say hello.\n");
}
