//! What `tests/release/tarballs` and `tests/release/deb` pack, as users get it. Needs what they left in
//! dist/, and tools that `make test` does without: `tests/release/test-targets`, `-deb`, `-windows` and
//! `-macos` run these tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod archive;
mod debian;
mod linking;
mod macos;
mod windows;

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Program, root};

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs a command that has to succeed; gives what it printed.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let all = [output.stdout.as_slice(), &output.stderr].concat();
    let status = output.status;
    assert!(status.success(), "{command:?}: {status}\n{}", String::from_utf8_lossy(&all));
    String::from_utf8(output.stdout).unwrap()
}

/// What stands in dist/ under this name.
#[track_caller]
fn packed(name: &str) -> PathBuf {
    let path = root().join("dist").join(name);
    assert!(path.is_file(), "{} is missing: `tests/release/tarballs deb`", path.display());
    path
}

/// A folder of these tests, empty.
fn empty_folder(name: &str) -> PathBuf {
    let folder = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join("tests-package");
    let folder = folder.join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The example chat.c or talk.cpp.
fn example(name: &str) -> PathBuf {
    root().join("ffi-c/examples").join(name)
}

/// Runs what was built of one of the two examples.
#[track_caller]
fn check_runs(program: &Path) {
    let service = Service::start().unwrap();
    let ended = Program::new(program).arg("echo").arg("one two").at(&service).run().succeeded();
    assert_eq!(ended.stdout.lines().next(), Some("one two"), "{ended:?}");
}
