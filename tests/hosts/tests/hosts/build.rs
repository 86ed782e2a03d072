//! Builds the examples by the very commands that their first lines give, against an installed
//! library. Runs none of them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

use modelwire_tests_c::{Library, root};

/// What the documented commands get on top.
const STRICT: &str = "-Wall -Wextra -Werror -pedantic -g";

#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let said = String::from_utf8_lossy(&output.stderr);
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {}\n{printed}\n{said}", output.status);
    printed
}

/// Where the debug build was installed, by the script that `make install` runs, and a copy of the
/// examples beside it.
fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let library = Library::built();
        let prefix = library.file("prefix");
        let _ = std::fs::remove_dir_all(&prefix);
        let built = library.path().parent().unwrap().to_owned();
        run(Command::new(root().join("ffi-c/install/install"))
            .args([&built, &built])
            .env("PREFIX", &prefix)
            .env_remove("DESTDIR")
            .env_remove("LIBDIR"));
        run(Command::new("cp").arg("-r").arg(root().join("ffi-c/examples")).arg(examples(&prefix)));
        prefix
    })
}

fn examples(prefix: &Path) -> PathBuf {
    prefix.join("examples")
}

/// The installed shared library's folder.
pub fn lib() -> PathBuf {
    prefix().join("lib")
}

/// A shell in the folder of the examples, for which the library is installed.
pub fn shell(line: &str) -> String {
    // A function of the shell, so that the line stays as it is documented.
    let strict = format!("cc() {{ command cc {STRICT} \"$@\"; }}");
    let strict = format!("{strict}; c++() {{ command c++ {STRICT} \"$@\"; }}");
    run(Command::new("bash")
        .args(["-euc", &format!("{strict}\n{line}")])
        .current_dir(examples(prefix()))
        .env("PKG_CONFIG_PATH", lib().join("pkgconfig"))
        .env("LD_RUN_PATH", lib()))
}

/// The command in an example's first comment that builds it.
fn documented(file: &str) -> String {
    let text = std::fs::read_to_string(root().join("ffi-c/examples").join(file)).unwrap();
    let lines = text.lines().map(|line| line.trim_start_matches([' ', '*', '/']));
    let command = lines.take(20).find(|line| line.starts_with("cc ") || line.starts_with("c++ "));
    command.unwrap_or_else(|| panic!("{file} does not say how it is built")).to_owned()
}

/// Builds something the first time that a test asks for it; another one that asks meanwhile waits.
fn once(made: &Path, command: &str) {
    static BUILT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
    // A build that failed fails every test that needs it, and no other one.
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    if !built.iter().any(|path| path == made) {
        shell(command);
        built.push(made.to_owned());
    }
}

/// Builds an example and gives what `-o` names.
pub fn example(file: &str) -> PathBuf {
    let command = documented(file);
    let mut words = command.split_whitespace().skip_while(|word| *word != "-o").skip(1);
    let made = examples(prefix()).join(words.next().unwrap());
    once(&made, &command);
    made
}

/// A program of the tests' own that is not linked with our library.
pub fn program(file: &str, flags: &str) -> PathBuf {
    let source = root().join("tests/hosts").join(file);
    let made = Library::built().file(file.trim_end_matches(".c"));
    once(&made, &format!("cc {} -o {} -pthread -ldl {flags}", source.display(), made.display()));
    made
}
