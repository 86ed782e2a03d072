//! A prefix with the debug build in it, installed by the script that `make install` runs, and how
//! programs find it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use modelwire_tests_c::{Library, root};

/// Runs a command that has to succeed; gives what it printed.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// Where everything was installed, the first time that a process asks.
pub fn prefix() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| {
        let library = Library::built();
        let prefix = library.file("prefix");
        let _ = std::fs::remove_dir_all(&prefix);
        let built = library.path().parent().unwrap().to_owned();
        run(Command::new(root().join("ffi-c/install/install"))
            .arg(&built)
            .env("PREFIX", &prefix)
            .env_remove("DESTDIR")
            .env_remove("LIBDIR"));
        prefix
    })
}

/// The folder of the libraries.
pub fn lib() -> String {
    prefix().join("lib").display().to_string()
}

/// What pkg-config says, in pieces. The last argument names the package.
pub fn pkg_config(arguments: &[&str]) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    let said = run(command.args(arguments).env("PKG_CONFIG_PATH", prefix().join("lib/pkgconfig")));
    said.split_whitespace().map(str::to_owned).collect()
}

/// The names in one column of `nm`'s lines, without the versions of symbols.
pub fn symbols(arguments: &[&str], file: &Path) -> Vec<String> {
    let output = run(Command::new("nm").args(arguments).arg(file));
    let names = output.lines().filter_map(|line| line.rsplit(' ').next());
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// The programs and commands of the page for readers.
fn page() -> String {
    std::fs::read_to_string(root().join("docs/c.md")).unwrap()
}

/// The page's first program, which names a model that the loopback service has.
pub fn shortest() -> PathBuf {
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    FILE.get_or_init(|| {
        let page = page();
        let program = page.split("## The shortest program").nth(1).unwrap();
        let program = program.split("```c\n").nth(1).unwrap().split("```").next().unwrap();
        let file = Library::built().file("shortest.c");
        std::fs::write(&file, program).unwrap();
        file
    })
    .clone()
}

/// The blocks of commands in the page's chapter on installing in which a line begins with this.
pub fn documented(begin: &str) -> Vec<String> {
    let page = page();
    let chapter = page.split("\n## ").find(|chapter| chapter.starts_with("Install")).unwrap();
    let blocks = chapter.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks
        .filter(|block| block.lines().any(|line| line.starts_with(begin)))
        .map(str::to_owned)
        .collect()
}

/// A static library of Rust that has nothing to do with ours, for one target or this machine. Its
/// `modelwire_test_sum` starts a thread and catches a panic.
pub fn other_rust(target: &[&str]) -> PathBuf {
    let library = Library::built();
    let name = target.last().unwrap_or(&"here");
    // Tests of one process run at the same time.
    static ONE_AT_A_TIME: std::sync::Mutex<()> = std::sync::Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock();
    let source = library.file("other.rs");
    std::fs::write(
        &source,
        "#[unsafe(no_mangle)]\n\
         pub extern \"C\" fn modelwire_test_sum(count: u32) -> u32 {\n\
             let thread = std::thread::spawn(move || (0..count).collect::<Vec<_>>().iter().sum());\n\
             let caught = std::panic::catch_unwind(|| std::panic::panic_any(1_u32));\n\
             let one = *caught.unwrap_err().downcast::<u32>().unwrap();\n\
             thread.join().unwrap_or(0) + one\n\
         }\n",
    )
    .unwrap();
    let other = library.file(&format!("libother-{name}.a"));
    run(Command::new("rustc")
        .args(["--edition=2024", "--crate-type=staticlib", "-O"])
        .args(target)
        .arg("-o")
        .args([&other, &source]));
    other
}
