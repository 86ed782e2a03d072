//! `make install` for other targets than the machine of the tests. Needs their compilers, and builds
//! the library anew for each: `make test-targets` runs these tests. Knows no function of the library.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_service::Service;
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

/// Another Rust library, treated by `make install` as if it were ours: with the same unwinder.
fn installed(target: &str) -> PathBuf {
    let folder = Library::built().file(&format!("{target}-other-built"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(other_rust(&["--target", target]), folder.join("libmodelwire.a")).unwrap();
    let prefix = Library::built().file(&format!("{target}-other-prefix"));
    run(Command::new(root().join("ffi-c/install/install"))
        .arg("")
        .arg(&folder)
        .env("PREFIX", &prefix)
        .env("TARGET", target)
        .env_remove("DESTDIR")
        .env_remove("LIBDIR"));
    prefix.join("lib/libmodelwire.a")
}

/// A program with another Rust library in it, which starts a thread and catches a panic.
fn with_other(compiler: &str, target: &str, other: &Path, prefix: &Path, more: &[&str]) -> PathBuf {
    let library = Library::built();
    let main = library.file(&format!("{target}-other.c"));
    let program = library.file(&format!("{target}-other"));
    std::fs::write(
        &main,
        "#include <modelwire.h>\n#include <stdio.h>\n\
         uint32_t modelwire_test_sum(uint32_t count);\n\
         int main(void) {\n\
           modelwire_client *client;\n\
           modelwire_status status = modelwire_client_new(\"{\", 1, &client, NULL);\n\
           printf(\"%s %u\\n\", modelwire_status_name(status), modelwire_test_sum(5));\n\
           return 0;\n\
         }\n",
    )
    .unwrap();
    run(Command::new(compiler)
        .args(more)
        .arg(&main)
        .arg(other)
        .args(static_flags(prefix))
        .arg("-o")
        .arg(&program));
    program
}

fn said(program: Program) -> String {
    let service = Service::start().unwrap();
    let ended: Ended = program.at(&service).run().succeeded();
    ended.stdout
}

#[test]
#[ignore = "make test-targets"]
fn musl() {
    const TARGET: &str = "x86_64-unknown-linux-musl";
    let (prefix, program) = followed(TARGET, "musl-gcc");
    let headers = run(Command::new("readelf").args(["-ldW"]).arg(&program));
    assert!(headers.contains("LOAD") && !headers.contains("INTERP"), "{headers}");
    assert!(!headers.contains("NEEDED"), "{headers}");
    assert_eq!(said(Program::new(&program)), "Say hello.\n");
    assert!(!prefix.join("lib/libmodelwire.so").exists());
    // The unwinder in an archive is for that archive alone.
    let other = installed(TARGET);
    let other = with_other("musl-gcc", TARGET, &other, &prefix, &["-static"]);
    assert_eq!(said(Program::new(&other)), "config 11\n");
}

#[test]
#[ignore = "make test-targets"]
fn arm64() {
    const TARGET: &str = "aarch64-unknown-linux-gnu";
    let (prefix, program) = followed(TARGET, "aarch64-linux-gnu-gcc");
    let emulated = |program: &Path| {
        let emulator =
            Program::new(Path::new("qemu-aarch64")).arg("-L").arg("/usr/aarch64-linux-gnu");
        let library = format!("LD_LIBRARY_PATH={}", prefix.join("lib").display());
        emulator.arg("-E").arg(&library).arg(&program.display().to_string())
    };
    assert_eq!(said(emulated(&program)), "Say hello.\n");
    let other = other_rust(&["--target", TARGET]);
    let other = with_other("aarch64-linux-gnu-gcc", TARGET, &other, &prefix, &[]);
    assert_eq!(said(emulated(&other)), "config 11\n");
}
