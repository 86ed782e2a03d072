//! The archives of `tests/release/tarballs`: what is in them, what the libraries in them ask for, and that another
//! build gives the same bytes. Links nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_tests_c::root;

use crate::{VERSION, empty_folder, packed, run};

pub const TARGETS: [&str; 4] = [
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "aarch64-unknown-linux-musl",
];

pub fn name(target: &str) -> String {
    format!("modelwire-{VERSION}-{target}")
}

/// The archive, unpacked into a folder that was empty and then moved.
pub fn unpacked(target: &str, purpose: &str) -> PathBuf {
    let folder = empty_folder(&format!("{purpose}-{target}"));
    let archive = packed(&format!("{}.tar.gz", name(target)));
    run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder));
    let moved = folder.join("somewhere else");
    std::fs::rename(folder.join(name(target)), &moved).unwrap();
    moved
}

#[test]
#[ignore = "tests/release/test-targets"]
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
                "/lib/libmodelwire.a",
                "/lib/libmodelwire.so",
                "/lib/libmodelwire.so.0.1",
                "/lib/pkgconfig/modelwire.pc",
                "/lib/pkgconfig/modelwire-static.pc",
            ],
        );
        check_no_trace(&unpacked(target, "trace"));
    }
}

/// It holds these files, in order, all of one time and nobody's.
#[track_caller]
pub fn check_list(target: &str, files: &[&str]) {
    let archive = packed(&format!("{}.tar.gz", name(target)));
    let list = run(Command::new("tar").args(["--full-time", "-tvzf"]).arg(&archive));
    let mut names = Vec::new();
    let mut times = Vec::new();
    for line in list.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [mode, owner, _size, day, time, path, ..] = fields[..] else { panic!("{line}") };
        assert_eq!(owner, "0/0", "{line}");
        assert!(["drwxr-xr-x", "-rwxr-xr-x", "-rw-r--r--", "lrwxrwxrwx"].contains(&mode), "{line}");
        names.push(path.strip_prefix(&name(target)).unwrap());
        times.push((day, time));
    }
    assert!(names.is_sorted(), "{names:?}");
    times.dedup();
    assert_eq!(times.len(), 1, "{times:?}");
    for file in files {
        assert!(names.contains(file), "{target}: {file} is missing in {names:?}");
    }
}

/// No file says where it was made: not the project's folder, not the home with the crates.
pub fn check_no_trace(folder: &Path) {
    let home = std::env::var("HOME").unwrap();
    for trace in [root().to_str().unwrap(), &format!("{home}/.")] {
        let found = Command::new("grep").args(["-rlF", "--", trace]).arg(folder).output().unwrap();
        let found = String::from_utf8(found.stdout).unwrap();
        assert_eq!(found, "", "{trace} stands in them");
    }
}

/// The versions of glibc that a library asks for.
fn glibc_versions(library: &Path) -> Vec<(u32, u32)> {
    let said = run(Command::new("readelf").args(["-VW"]).arg(library));
    let named = said.split("GLIBC_").skip(1);
    let numbers = named.map(|rest| {
        let end = rest.find(|character: char| character != '.' && !character.is_ascii_digit());
        let mut parts = rest[..end.unwrap()].split('.').map(|part| part.parse().unwrap());
        (parts.next().unwrap(), parts.next().unwrap())
    });
    numbers.collect()
}

/// The functions that a library shows are those of the header.
pub fn check_shown(target: &str, names: &[&str]) {
    assert!(names.len() > 70, "{names:?}");
    let others: Vec<_> = names.iter().filter(|name| !name.starts_with("modelwire_")).collect();
    assert!(others.is_empty(), "{target} shows {others:?}");
}

/// The floor that the script of the build says.
fn floor() -> (u32, u32) {
    let said = run(&mut Command::new(root().join("ffi-c/package/floor")));
    let (major, minor) = said.trim_end().split_once('.').unwrap();
    (major.parse().unwrap(), minor.parse().unwrap())
}

#[test]
#[ignore = "tests/release/test-targets"]
fn each_library_needs_no_newer_glibc_and_exports_its_functions_only() {
    for target in TARGETS {
        let folder = unpacked(target, "floor");
        let library = folder.join("lib/libmodelwire.so");
        let versions = glibc_versions(&library);
        if target.ends_with("-gnu") {
            let newest = *versions.iter().max().unwrap();
            assert!(newest <= floor(), "{target} asks for glibc {newest:?}");
        } else {
            assert_eq!(versions, [], "{target}");
        }
        let dynamic = run(Command::new("readelf").arg("-dW").arg(&library));
        assert!(dynamic.contains("soname: [libmodelwire.so.0.1]") && dynamic.contains("NODELETE"));
        assert!(!dynamic.contains("RPATH") && !dynamic.contains("RUNPATH"), "{dynamic}");
        for line in dynamic.lines().filter(|line| line.contains("(NEEDED)")) {
            let needed = line.split('[').nth(1).unwrap().trim_end_matches(']');
            // Parts of glibc, and musl's only one.
            let names: &[&str] = if target.ends_with("-gnu") {
                &["libc.so.", "libm.so.", "libpthread.so.", "libdl.so.", "librt.so.", "ld-linux"]
            } else {
                &["libc.so"]
            };
            assert!(names.iter().any(|name| needed.starts_with(name)), "{target} needs {needed}");
        }
        let symbols = run(Command::new("nm").args(["-D", "--defined-only"]).arg(&library));
        let names: Vec<&str> = symbols.lines().filter_map(|line| line.rsplit(' ').next()).collect();
        check_shown(target, &names);
    }
}

/// The check above can fail: a program of this machine asks for more.
#[test]
#[ignore = "tests/release/test-targets"]
fn a_library_of_this_machine_asks_for_more_than_the_floor() {
    let folder = empty_folder("machine");
    let (source, library) = (folder.join("new.c"), folder.join("libnew.so"));
    // Its version is of 2.34, when it came into libc.
    let text = "#include <pthread.h>\nint start(pthread_t *thread, void *(*run)(void *)) \
                { return pthread_create(thread, 0, run, 0); }\n";
    std::fs::write(&source, text).unwrap();
    run(Command::new("cc").args(["-shared", "-fPIC"]).arg(&source).arg("-o").arg(&library));
    assert!(glibc_versions(&library).iter().max().unwrap() > &floor());
}

#[test]
#[ignore = "tests/release/test-targets"]
fn another_build_gives_the_same_bytes() {
    check_again(TARGETS[0]);
}

/// Of a copy of the project in another folder, in another target directory.
pub fn check_again(target: &str) {
    let folder = empty_folder("again");
    let copy = folder.join("project");
    std::fs::create_dir(&copy).unwrap();
    let copied = "git ls-files -z | xargs -0 cp -P --parents -t \"$0\"";
    run(Command::new("sh").args(["-ec", copied]).arg(&copy).current_dir(root()));
    let last_commit =
        run(Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()));
    run(Command::new(copy.join("ffi-c/package/tarball"))
        .arg(target)
        .arg(folder.join("dist"))
        .env("PACKAGE_TARGET_DIR", folder.join("target"))
        .env("CARGO_TARGET_DIR", folder.join("tools"))
        .env("SOURCE_DATE_EPOCH", last_commit.trim_end()));
    let archive = format!("{}.tar.gz", name(target));
    let first = std::fs::read(packed(&archive)).unwrap();
    let second = std::fs::read(folder.join("dist").join(&archive)).unwrap();
    assert!(first == second, "{archive} differs from {}/dist/{archive}", folder.display());
    std::fs::remove_dir_all(&folder).unwrap();
}
