//! Builds the library with cargo and C programs with cc, for the tests.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What a C programmer would switch on, and treats as errors.
const C_FLAGS: [&str; 6] = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"];

/// The top of the project.
pub fn root() -> PathBuf {
    // Not "../..", which the kernel would resolve through a symbolic link.
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// The target directory of the running test.
fn target() -> PathBuf {
    // TARGET/debug/deps/NAME-HASH
    std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned()
}

/// A tool of the system; one that is missing fails the test and says how to get it.
pub(crate) fn tool(name: &str) -> Command {
    let package = match name {
        "cc" => "gcc",
        "c++" => "g++",
        "nm" | "readelf" => "binutils",
        "musl-gcc" => "musl-tools",
        "aarch64-linux-gnu-gcc" => "gcc-aarch64-linux-gnu",
        "aarch64-linux-gnu-g++" => "g++-aarch64-linux-gnu",
        "qemu-aarch64" => "qemu-user",
        "x86_64-w64-mingw32-gcc-posix" => "gcc-mingw-w64-x86-64-posix",
        "x86_64-w64-mingw32-g++-posix" => "g++-mingw-w64-x86-64-posix",
        other => other,
    };
    let asked = if name == "python-zig" { "version" } else { "--version" };
    let found = Command::new(name).arg(asked).output();
    assert!(
        found.is_ok_and(|output| output.status.success()),
        "`{name}` is missing: apt-get install {package}"
    );
    Command::new(name)
}

/// Runs a command that has to succeed; gives what it printed.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// Runs a compiler whose arguments name all files that it reads but those of the project; panics with
/// what it printed unless it succeeds. As make would, it runs again only if something changed since the
/// last time: an argument, a file that one names, a file of `include` or of the tests of C and C++.
fn compile(command: &mut Command) {
    static OF_PROJECT: OnceLock<u64> = OnceLock::new();
    let of_project = OF_PROJECT.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        for folder in ["include", "tests/c", "tests/cpp"] {
            hash_folder(&root().join(folder), &mut hasher);
        }
        hasher.finish()
    });
    let arguments: Vec<PathBuf> = command.get_args().map(PathBuf::from).collect();
    let mut which = DefaultHasher::new();
    (command.get_program(), &arguments).hash(&mut which);
    let mut inputs = DefaultHasher::new();
    of_project.hash(&mut inputs);
    let out = arguments.iter().position(|argument| argument == Path::new("-o"));
    let out = out.and_then(|at| arguments.get(at + 1));
    for file in arguments.iter().filter(|file| Some(*file) != out && file.is_file()) {
        hash_file(file, &mut inputs);
    }
    let folder = target().join("compiled");
    let stamp = folder.join(format!("{:016x}", which.finish()));
    let inputs = format!("{:016x}", inputs.finish());
    let last = std::fs::read_to_string(&stamp).unwrap_or_default();
    let printed = match last.strip_prefix(&inputs) {
        Some(printed) if out.is_none_or(|out| out.exists()) => printed.to_owned(),
        _ => {
            let output = command.output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
            let mut printed = String::from_utf8_lossy(&output.stderr).into_owned();
            if !output.status.success() {
                printed = format!("{}\n{printed}", output.status);
            } else {
                printed.clear();
            }
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&stamp, format!("{inputs}{printed}")).unwrap();
            printed
        }
    };
    assert!(printed.is_empty(), "{command:?}: {printed}");
}

/// A source by its text, which a test may just have written again; what was built by its time.
fn hash_file(path: &Path, hasher: &mut DefaultHasher) {
    let is_source = path.extension().is_some_and(|ending| ending == "c" || ending == "cpp");
    if is_source {
        std::fs::read(path).unwrap().hash(hasher);
    } else {
        let of = path.metadata().unwrap();
        (of.len(), of.modified().unwrap()).hash(hasher);
    }
}

fn hash_folder(folder: &Path, hasher: &mut DefaultHasher) {
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        path.hash(hasher);
        if path.is_dir() { hash_folder(&path, hasher) } else { hash_file(&path, hasher) }
    }
}

/// Cargo, without the variables that `cargo test` set for this test: build scripts look at some of
/// them (ring's does), and would run again each time.
fn cargo() -> Command {
    let mut command = Command::new(env!("CARGO"));
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_"].iter().any(|prefix| text.starts_with(prefix)) {
            command.env_remove(&name);
        }
    }
    command
}

/// Whether whoever started the tests built the library and the examples before, as `make test` does. To
/// build these packages alone would compile their dependencies again, with other features.
fn is_built() -> bool {
    std::env::var_os("MODELWIRE_TESTS_BUILT").is_some()
}

/// A folder for each test binary: two of them may run at the same time.
fn own_folder(name: &str) -> PathBuf {
    let exe = std::env::current_exe().unwrap();
    let folder = target().join(name).join(exe.file_name().unwrap());
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The library as it was just built, and a folder for what is built against it.
pub struct Library {
    folder: PathBuf,
    path: PathBuf,
    /// Compiler flags for every program that is linked with it.
    flags: Vec<String>,
    /// The compilers of C and of C++ for it, with the arguments that choose a target.
    compilers: [&'static [&'static str]; 2],
    /// What a program is linked with.
    link: Vec<String>,
}

/// The compilers of C and of C++ for a target of packages, by its name as rustc says it; what programs
/// run on is in `Program::new`. Debian has no C++ for musl.
fn compilers_for(target: &str) -> [&'static [&'static str]; 2] {
    match target {
        "x86_64-unknown-linux-gnu" => [&["cc"], &["c++"]],
        "x86_64-unknown-linux-musl" => [
            &["musl-gcc", "-static"],
            &["python-zig", "c++", "-target", "x86_64-linux-musl", "-static"],
        ],
        "aarch64-unknown-linux-gnu" => [&["aarch64-linux-gnu-gcc"], &["aarch64-linux-gnu-g++"]],
        // The threads of C and C++ are those of POSIX, by a library of mingw's; so is printf.
        "x86_64-pc-windows-gnu" => [
            &["x86_64-w64-mingw32-gcc-posix", "-D__USE_MINGW_ANSI_STDIO=1"],
            &["x86_64-w64-mingw32-g++-posix", "-static-libgcc", "-static-libstdc++"],
        ],
        other => panic!("no compilers for {other}"),
    }
}

impl Library {
    /// Builds the library, the first time that a process asks. `MODELWIRE_TESTS_SANITIZER`,
    /// "address" or "thread", builds it and every program with that sanitizer of the compilers,
    /// in a target directory of its own. `MODELWIRE_TESTS_PACKAGE` builds nothing: it is an archive
    /// that `tests/release/tarballs` packed, for this machine or for another one.
    pub fn built() -> &'static Library {
        static LIBRARY: OnceLock<Library> = OnceLock::new();
        let asked = |name: &str| std::env::var(name).ok();
        let (sanitizer, package) =
            (asked("MODELWIRE_TESTS_SANITIZER"), asked("MODELWIRE_TESTS_PACKAGE"));
        LIBRARY.get_or_init(|| match (sanitizer, package) {
            (Some(sanitizer), _) => Library::sanitized(&sanitizer),
            (None, Some(package)) => Library::packed(&root().join(package)),
            (None, None) => {
                if !is_built() {
                    run(cargo()
                        .args(["build", "--quiet", "-p", "modelwire-ffi", "--target-dir"])
                        .arg(target())
                        .current_dir(root()));
                }
                Library::at(target().join("debug/libmodelwire.so"), "tests-c", &[])
            }
        })
    }

    fn sanitized(sanitizer: &str) -> Library {
        const TRIPLE: &str = "x86_64-unknown-linux-gnu";
        let folder = target().join(format!("sanitized-{sanitizer}"));
        let mut build = cargo();
        build
            .args(["build", "--quiet", "-p", "modelwire-ffi", "--target", TRIPLE, "--target-dir"])
            .arg(&folder)
            // Lets a stable compiler take -Z flags. Only these test builds do that.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", format!("-Zsanitizer={sanitizer}"))
            .current_dir(root());
        if sanitizer == "thread" {
            // The standard library gets the sanitizer too, which would not see its locks otherwise.
            build.arg("-Zbuild-std");
        }
        run(&mut build);
        let path = folder.join(TRIPLE).join("debug/libmodelwire.so");
        let flag = format!("-fsanitize={sanitizer}");
        let missing = root().join("tests/c/thread_sanitizer.c");
        let mut flags = vec![flag.as_str()];
        if sanitizer == "thread" {
            flags.push(missing.to_str().unwrap());
        }
        Library::at(path, &format!("tests-c-{sanitizer}"), &flags)
    }

    /// The library of an archive: the shared one, but for musl, where a program shares nothing.
    fn packed(archive: &Path) -> Library {
        let name = archive.file_name().unwrap().to_str().unwrap();
        let name = name.strip_suffix(".tar.gz").unwrap();
        let target = name.splitn(3, '-').nth(2).unwrap();
        let folder = own_folder(&format!("tests-c-{target}"));
        let unpacked = folder.join(name);
        let _ = std::fs::remove_dir_all(&unpacked);
        run(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&folder));
        let (is_shared, is_windows) = (!target.ends_with("-musl"), target.contains("-windows-"));
        let package = if is_shared { "modelwire" } else { "modelwire-static" };
        let said = run(tool("pkg-config")
            .args(["--libs", package])
            .env("PKG_CONFIG_PATH", unpacked.join("lib/pkgconfig")));
        let mut link: Vec<String> = said.split_whitespace().map(str::to_owned).collect();
        let mut path =
            unpacked.join(if is_shared { "lib/libmodelwire.so" } else { "lib/libmodelwire.a" });
        if is_windows {
            // Beside the programs, where their loader looks.
            path = folder.join("modelwire.dll");
            std::fs::copy(unpacked.join("bin/modelwire.dll"), &path).unwrap();
        } else if is_shared {
            link.push(format!("-Wl,-rpath,{}", path.parent().unwrap().display()));
        }
        Library { folder, path, flags: Vec::new(), compilers: compilers_for(target), link }
    }

    fn at(path: PathBuf, folder: &str, flags: &[&str]) -> Library {
        let folder = own_folder(folder);
        // The loader looks for the SONAME, under which cargo does not store the library.
        let link = folder.join("libmodelwire.so.0.1");
        let _ = std::fs::remove_file(&link);
        std::fs::hard_link(&path, &link).unwrap();
        let link = vec![path.display().to_string(), format!("-Wl,-rpath,{}", folder.display())];
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        Library { folder, path, flags, compilers: [&["cc"], &["c++"]], link }
    }

    /// Whether its programs run on Windows.
    pub fn is_for_windows(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "dll")
    }

    /// The shared library.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A place for a test's own files.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// What a tool says about the library.
    pub fn inspect(&self, name: &str, arguments: &[&str]) -> String {
        run(tool(name).args(arguments).arg(self.path()))
    }

    /// Compiles C files below tests/c, and links them with the library into one program.
    pub fn compile(&self, name: &str, sources: &[&str]) -> PathBuf {
        self.compiled(self.compilers[0], &C_FLAGS, name, sources, true)
    }

    /// As `compile`, into a shared object that a program may load.
    pub fn compile_plugin(&self, name: &str, sources: &[&str]) -> PathBuf {
        let flags = [&C_FLAGS[..], &["-shared", "-fPIC"]].concat();
        self.compiled(self.compilers[0], &flags, name, sources, true)
    }

    /// As `compile`, of C++17 files.
    pub fn compile_cpp(&self, name: &str, sources: &[&str]) -> PathBuf {
        let mut flags = C_FLAGS.to_vec();
        flags[0] = "-std=c++17";
        flags.extend(["-x", "c++"]);
        self.compiled(self.compilers[1], &flags, name, sources, true)
    }

    /// Compiles C files into a program that is not linked with the library, but may load it.
    pub fn compile_alone(&self, name: &str, sources: &[&str]) -> PathBuf {
        self.compiled(self.compilers[0], &C_FLAGS, name, sources, false)
    }

    fn compiled(
        &self,
        compiler: &[&str],
        flags: &[&str],
        name: &str,
        sources: &[&str],
        is_linked: bool,
    ) -> PathBuf {
        let (ending, system): (&str, &[&str]) = match self.is_for_windows() {
            true => (".exe", &["-lws2_32", "-lpsapi"]),
            false => ("", &["-ldl"]),
        };
        let program = self.folder.join(format!("{name}{ending}"));
        let below = root().join("tests/c");
        let mut command = tool(compiler[0]);
        command
            .args(&compiler[1..])
            .args(flags)
            .args(&self.flags)
            .args(["-g", "-pthread", "-I"])
            .arg(root().join("include"))
            .args(sources.iter().map(|source| below.join(source)))
            .args(["-x", "none", "-o"])
            .arg(&program)
            .args(system);
        if is_linked {
            command.args(&self.link);
        }
        compile(&mut command);
        program
    }
}

/// An example of the Rust crate, as `make demo` builds it.
pub fn rust_example(name: &str) -> PathBuf {
    if !is_built() {
        run(cargo()
            .args(["build", "--quiet", "-p", "modelwire", "--example", name, "--target-dir"])
            .arg(target())
            .current_dir(root()));
    }
    target().join("debug/examples").join(name)
}

/// Compiles against the header, with a compiler and flags of the test's choice.
pub fn compile_with(compiler: &str, arguments: &[&str]) {
    compile(tool(compiler).args(arguments).arg("-I").arg(root().join("include")));
}

/// What stands in one list and not in the other, to be shown by a test that compares them: "- " for
/// what is only in the first, "+ " for what is only in the second, in their order.
pub fn difference<S: AsRef<str>>(
    first: impl IntoIterator<Item = S>,
    second: impl IntoIterator<Item = S>,
) -> String {
    let collect = |lines: &mut dyn Iterator<Item = S>| -> Vec<String> {
        lines.map(|line| line.as_ref().to_owned()).collect()
    };
    let (first, second) = (collect(&mut first.into_iter()), collect(&mut second.into_iter()));
    let only = |mark: &str, lines: &[String], others: &[String]| -> String {
        let others: BTreeSet<&String> = others.iter().collect();
        let only = lines.iter().filter(|line| !others.contains(line));
        only.map(|line| format!("{mark} {line}\n")).collect()
    };
    let all = only("-", &first, &second) + &only("+", &second, &first);
    if all.is_empty() {
        "only the order differs, or how often a line stands there".into()
    } else {
        all
    }
}

/// The scenarios of a list (`NAME(scenario)`) that no file of these folders names: they are compiled
/// and never run. The paths begin at the top of the project.
pub fn forgotten_scenarios(list: &str, tests: &[&str]) -> Vec<String> {
    let list = std::fs::read_to_string(root().join(list)).unwrap();
    let names = list.split("NAME(").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0));
    let entries = tests.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).unwrap());
    let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let is_run = |name: &str| texts.iter().any(|text| text.contains(&format!("\"{name}\"")));
    let names: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    assert!(names.len() > 50, "only {names:?} were found");
    names.into_iter().filter(|name| !is_run(name)).map(str::to_owned).collect()
}
