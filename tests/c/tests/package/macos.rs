//! The archives of `tests/release/tarballs` for macOS, which nothing here can run: what is in them, what the
//! library takes of the system, that another build gives the same bytes, that programs in C and C++ can be
//! linked.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_tests_c::root;

use crate::archive::{check_again, check_list, check_no_trace, check_shown, unpacked};
use crate::linking::link_by_pkg_config;
use crate::run;

const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-apple-darwin"];
const FRAMEWORKS: &str = "/System/Library/Frameworks";

/// What LLVM says of a file, without its name.
fn said(how: &str, file: &Path) -> String {
    let said = run(Command::new("llvm-objdump").args(["--macho", how]).arg(file));
    said.split_once('\n').unwrap().1.to_owned()
}

/// The libraries that a file asks for, itself included.
fn asked(file: &Path) -> Vec<String> {
    let list = said("--dylibs-used", file);
    list.lines().map(|line| line.split(" (").next().unwrap().trim().to_owned()).collect()
}

fn library(purpose: &str, target: &str) -> PathBuf {
    unpacked(target, purpose).join("lib/libmodelwire.dylib")
}

#[test]
#[ignore = "tests/release/test-macos"]
fn each_package_is_complete_and_has_no_trace_of_its_builder() {
    for target in TARGETS {
        check_list(
            target,
            &[
                "/LICENSE-APACHE",
                "/LICENSE-MIT",
                "/README.md",
                "/THIRD-PARTY-NOTICES",
                "/include/modelwire.h",
                "/include/modelwire.hpp",
                "/include/modelwire.json",
                "/lib/cmake/modelwire/modelwire-config.cmake",
                "/lib/libmodelwire.0.1.dylib",
                "/lib/libmodelwire.dylib",
                "/lib/pkgconfig/modelwire.pc",
            ],
        );
        check_no_trace(&unpacked(target, "trace"));
    }
}

#[test]
#[ignore = "tests/release/test-macos"]
fn each_library_needs_system_libraries_only_and_is_signed() {
    let floor = run(Command::new(root().join("ffi-c/package/floor")).arg(TARGETS[0]));
    for target in TARGETS {
        let library = library("asks", target);
        assert_eq!(said("--dylib-id", &library).trim(), "@rpath/libmodelwire.0.1.dylib");
        let mut found = asked(&library);
        found.sort();
        let wanted = [
            format!("{FRAMEWORKS}/CoreFoundation.framework/Versions/A/CoreFoundation"),
            format!("{FRAMEWORKS}/Security.framework/Versions/A/Security"),
            "/usr/lib/libSystem.B.dylib".to_owned(),
            "@rpath/libmodelwire.0.1.dylib".to_owned(),
        ];
        assert_eq!(found, wanted, "{target}");
        let commands = said("--private-headers", &library);
        assert!(commands.contains(&format!("minos {}", floor.trim())), "{target}: {commands}");
        // A processor of Apple's runs nothing else.
        assert!(commands.contains("LC_CODE_SIGNATURE"), "{target}");
    }
}

#[test]
#[ignore = "tests/release/test-macos"]
fn each_library_shows_its_functions_only() {
    for target in TARGETS {
        let shown = said("--exports-trie", &library("shows", target));
        let lines = shown.lines().filter(|line| line.starts_with("0x"));
        let names = lines.filter_map(|line| line.split_whitespace().nth(1));
        // Its linkers begin each name with that.
        let names: Vec<&str> = names.map(|name| name.strip_prefix('_').unwrap()).collect();
        check_shown(target, &names);
    }
}

#[test]
#[ignore = "tests/release/test-macos"]
fn another_build_for_macos_gives_the_same_bytes() {
    check_again(TARGETS[0]);
}

#[test]
#[ignore = "tests/release/test-macos"]
fn programs_for_macos_are_linked_by_pkg_config() {
    for target in TARGETS {
        let folder = unpacked(target, "linked");
        let machine = target.replace("-apple-darwin", "-macos");
        for (source, compiler) in [("chat.c", "cc"), ("talk.cpp", "c++ -std=c++17")] {
            let program = folder.with_file_name(source.replace('.', "-"));
            let compiler = format!("python-zig {compiler} -target {machine} -Wall -Wextra -Werror");
            link_by_pkg_config(&compiler, "modelwire", &folder, source, &program);
            let found = asked(&program);
            assert!(found.contains(&"@rpath/libmodelwire.0.1.dylib".to_owned()), "{found:?}");
        }
    }
}
