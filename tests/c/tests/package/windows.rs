//! The archive of `tests/release/tarballs` for Windows: what is in it, what its library takes of the system,
//! that another build gives the same bytes; programs in C and C++ by pkg-config and by CMake, shared and
//! static, under Wine.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Program, root};

use crate::archive::{check_again, check_list, check_no_trace, check_shown, unpacked};
use crate::linking::{build_by_cmake, link_by_pkg_config};
use crate::{check_runs, run};

const TARGET: &str = "x86_64-pc-windows-gnu";
const C: &str = "x86_64-w64-mingw32-gcc";
// The other one of Debian's has no threads of C++.
const CPP: &str = "x86_64-w64-mingw32-g++-posix";
/// What Windows 10 has.
const SYSTEM: [&str; 9] = [
    "advapi32.dll",
    "api-ms-win-core-synch-l1-2-0.dll",
    "bcrypt.dll",
    "bcryptprimitives.dll",
    "crypt32.dll",
    "kernel32.dll",
    "msvcrt.dll",
    "ntdll.dll",
    "ws2_32.dll",
];

/// What a program or a library takes of others, in small letters.
fn needed(file: &Path) -> Vec<String> {
    let said = run(Command::new("x86_64-w64-mingw32-objdump").arg("-p").arg(file));
    let names = said.lines().filter_map(|line| line.trim().strip_prefix("DLL Name: "));
    names.map(str::to_lowercase).collect()
}

#[test]
#[ignore = "tests/release/test-windows"]
fn the_package_is_complete_and_has_no_trace_of_its_builder() {
    check_list(
        TARGET,
        &[
            "/LICENSE-APACHE",
            "/LICENSE-MIT",
            "/README.md",
            "/THIRD-PARTY-NOTICES",
            "/bin/modelwire.dll",
            "/include/modelwire.h",
            "/include/modelwire.hpp",
            "/include/modelwire.json",
            "/lib/cmake/modelwire/modelwire-config.cmake",
            "/lib/libmodelwire.a",
            "/lib/libmodelwire.dll.a",
            "/lib/pkgconfig/modelwire.pc",
            "/lib/pkgconfig/modelwire-static.pc",
        ],
    );
    check_no_trace(&unpacked(TARGET, "trace"));
}

#[test]
#[ignore = "tests/release/test-windows"]
fn the_dll_needs_windows_only_and_exports_its_functions_only() {
    let library = unpacked(TARGET, "needs").join("bin/modelwire.dll");
    let needed = needed(&library);
    assert!(needed.contains(&"kernel32.dll".to_owned()), "{needed:?}");
    for name in needed {
        assert!(SYSTEM.contains(&name.as_str()), "{name}");
    }
    let said = run(Command::new("x86_64-w64-mingw32-objdump").arg("-p").arg(&library));
    let (_, table) = said.split_once("[Ordinal/Name Pointer] Table").unwrap();
    let entries = table.lines().filter(|line| line.contains("[ "));
    let names: Vec<&str> = entries.filter_map(|line| line.split_whitespace().last()).collect();
    check_shown(TARGET, &names);
}

#[test]
#[ignore = "tests/release/test-windows"]
fn another_build_for_windows_gives_the_same_bytes() {
    check_again(TARGET);
}

/// A program that was linked runs, with the library beside it if it is the shared one.
#[track_caller]
fn check(folder: &Path, program: &Path, is_shared: bool) {
    assert_eq!(needed(program).contains(&"modelwire.dll".to_owned()), is_shared);
    if is_shared {
        let beside = program.with_file_name("modelwire.dll");
        std::fs::copy(folder.join("bin/modelwire.dll"), beside).unwrap();
    }
    check_runs(program);
}

#[test]
#[ignore = "tests/release/test-windows"]
fn programs_are_linked_by_pkg_config() {
    let folder = unpacked(TARGET, "linked");
    for (source, compiler, more) in
        [("chat.c", C, ""), ("talk.cpp", CPP, "-std=c++17 -static-libgcc -static-libstdc++")]
    {
        for package in ["modelwire", "modelwire-static"] {
            let place = folder.with_file_name(format!("{source}-{package}"));
            std::fs::create_dir(&place).unwrap();
            let program = place.join("program.exe");
            let compiler = format!("{compiler} -Wall -Wextra -Werror {more}");
            link_by_pkg_config(&compiler, package, &folder, source, &program);
            check(&folder, &program, package == "modelwire");
        }
    }
}

#[test]
#[ignore = "tests/release/test-windows"]
fn programs_are_linked_by_cmake() {
    let folder = unpacked(TARGET, "cmake");
    let more = "target_link_options(talk_shared PRIVATE -static-libgcc -static-libstdc++)\n\
                target_link_options(talk_static PRIVATE -static-libgcc -static-libstdc++)\n";
    let compilers = [C.to_owned(), CPP.to_owned()];
    let build = build_by_cmake(&folder, ["Windows", "x86_64"], &compilers, more);
    for kind in ["shared", "static"] {
        for name in ["chat", "talk"] {
            check(&folder, &build.join(format!("{name}_{kind}.exe")), kind == "shared");
        }
    }
}

/// Compiles a program that loads the library by itself.
fn loader(folder: &Path, source: &str) -> PathBuf {
    let program = folder.with_file_name("loader.exe");
    run(Command::new(C)
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror"])
        .arg(root().join("tests/c/windows").join(source))
        .arg("-I")
        .arg(folder.join("include"))
        .arg("-o")
        .arg(&program));
    program
}

#[test]
#[ignore = "tests/release/test-windows"]
fn the_dll_stays_loaded_after_free_library() {
    let folder = unpacked(TARGET, "freed");
    let program = loader(&folder, "unloaded.c");
    let library = folder.join("bin/modelwire.dll");
    let service = Service::start().unwrap();
    let library = format!("Z:{}", library.display());
    Program::new(&program).arg(&library).at(&service).run().succeeded();
}
