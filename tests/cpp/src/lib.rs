//! Compiles C++ programs against libmodelwire, and runs their scenarios: what the tests of C++
//! share.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use modelwire_testing::{Script, Service};
use modelwire_tests_c::{Ended, Library, Program, compile_with, root};

/// What a C++ programmer would switch on, and treats as errors.
pub const STRICT: [&str; 7] =
    ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wundef", "-Wshadow"];

/// Any error that a sanitizer finds ends the program.
const SANITIZED: [&str; 3] =
    ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];

const SCENARIOS: [&str; 12] = [
    "scenarios/main.cpp",
    "scenarios/answers.cpp",
    "scenarios/texts.cpp",
    "scenarios/accessors.cpp",
    "scenarios/streams.cpp",
    "scenarios/callbacks.cpp",
    "scenarios/queues.cpp",
    "scenarios/records.cpp",
    "scenarios/errors.cpp",
    "scenarios/handles.cpp",
    "scenarios/stopping.cpp",
    "scenarios/told.cpp",
];

/// The compilers that are here: g++ has to be, clang++ may be.
pub fn compilers() -> Vec<&'static str> {
    let clang = Command::new("clang++").arg("--version").output();
    let has_clang = clang.is_ok_and(|output| output.status.success());
    if has_clang { vec!["c++", "clang++"] } else { vec!["c++"] }
}

/// Compiles C++ files, named from tests/cpp, with warnings as errors, and links them with the
/// library into one program.
pub fn compile(compiler: &str, flags: &[&str], name: &str, sources: &[&str]) -> PathBuf {
    let library = Library::built();
    let program = library.file(name);
    let sources = sources.iter().map(|source| root().join("tests/cpp").join(source));
    let rpath = format!("-Wl,-rpath,{}", library.file("").display());
    let mut arguments: Vec<String> = Vec::new();
    arguments.extend(STRICT.iter().chain(flags).map(|flag| (*flag).to_owned()));
    arguments.extend(["-g".to_owned(), "-pthread".to_owned(), rpath]);
    arguments
        .extend(sources.chain([library.path().to_owned()]).map(|path| path.display().to_string()));
    arguments.extend(["-o".to_owned(), program.display().to_string()]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    compile_with(compiler, &arguments);
    program
}

/// The program of all scenarios, compiled the first time that a process asks: with sanitizers in
/// C++20, without them in C++17.
pub fn scenarios(is_sanitized: bool) -> &'static Path {
    static PLAIN: OnceLock<PathBuf> = OnceLock::new();
    static SANITIZED_TOO: OnceLock<PathBuf> = OnceLock::new();
    if is_sanitized {
        let flags = [&["-std=c++20"], SANITIZED.as_slice()].concat();
        SANITIZED_TOO.get_or_init(|| compile("c++", &flags, "sanitized", &SCENARIOS))
    } else {
        PLAIN.get_or_init(|| compile("c++", &["-std=c++17"], "scenarios", &SCENARIOS))
    }
}

/// One scenario under AddressSanitizer and UndefinedBehaviorSanitizer, ready to be run.
pub fn scenario(name: &str) -> Program {
    Program::new(scenarios(true)).arg(name).env("ASAN_OPTIONS", "detect_leaks=1")
}

/// Runs a scenario, which has to succeed, against the loopback service; gives the service, so that
/// the test can look at what it recorded.
pub fn played(name: &str) -> Service {
    let service = Service::start().unwrap();
    scenario(name).at(&service).run().succeeded();
    service
}

/// The same against a script.
pub fn scripted(name: &str, script: Script) -> Service {
    let service = Service::start().unwrap();
    scenario(name).at_url(&service.script("s", script)).run().succeeded();
    service
}

/// Runs a scenario that ends an exchange itself, and stays until the connection was seen to
/// close.
pub fn closing(name: &str, script: Script) {
    let service = Service::start().unwrap();
    scenario(name)
        .at_url(&service.script("s", script))
        .run_with_cue(|| service.connections() == 1 && service.open_connections() == 0)
        .succeeded();
}

/// Runs a scenario that is given its cue when the service has the request.
pub fn asked(name: &str, script: Script) {
    let service = Service::start().unwrap();
    scenario(name)
        .at_url(&service.script("s", script))
        .run_with_cue(|| service.recorded("s").len() == 1)
        .succeeded();
}

/// Fails unless each of the lines begins somewhere in the output, in this order.
#[track_caller]
pub fn check_order(ended: &Ended, expected: &[&str]) {
    let mut from = 0;
    for line in expected {
        let found = ended.stdout[from..].find(line);
        let at = found.unwrap_or_else(|| panic!("no {line:?} from byte {from} of\n{ended:?}"));
        from += at + line.len();
    }
}
