//! Programs in C and C++ against an unpacked archive, by pkg-config and by CMake, shared and static, for each
//! target, and run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::archive::unpacked;
use crate::{check_runs, example, run};

/// Who compiles for a target, each with what chooses it.
struct Toolchain {
    target: &'static str,
    c: &'static [&'static str],
    cpp: &'static [&'static str],
}

const TOOLCHAINS: [Toolchain; 4] = [
    Toolchain { target: "x86_64-unknown-linux-gnu", c: &["cc"], cpp: &["c++"] },
    Toolchain {
        target: "aarch64-unknown-linux-gnu",
        c: &["aarch64-linux-gnu-gcc"],
        cpp: &["aarch64-linux-gnu-g++"],
    },
    // Debian has no C++ for musl; zig has, and brings its own musl for what is linked with all of it.
    Toolchain {
        target: "x86_64-unknown-linux-musl",
        c: &["musl-gcc"],
        cpp: &["python-zig", "c++", "-target", "x86_64-linux-musl"],
    },
    Toolchain {
        target: "aarch64-unknown-linux-musl",
        c: &["python-zig", "cc", "-target", "aarch64-linux-musl"],
        cpp: &["python-zig", "c++", "-target", "aarch64-linux-musl"],
    },
];

const PROGRAMS: [&str; 2] = ["chat.c", "talk.cpp"];

impl Toolchain {
    fn compiler(&self, source: &str) -> &'static [&'static str] {
        if source.ends_with(".c") { self.c } else { self.cpp }
    }

    #[track_caller]
    fn check(&self, program: &Path, source: &str, is_shared: bool) {
        let dynamic = run(Command::new("readelf").arg("-dW").arg(program));
        assert_eq!(dynamic.contains("[libmodelwire.so.0.1]"), is_shared, "{dynamic}");
        if !is_shared && self.target.ends_with("-musl") {
            assert!(!dynamic.contains("NEEDED"), "{dynamic}");
        }
        // What zig links with musl asks for a later one than Debian's, and of arm64 there is none.
        if is_shared && self.compiler(source)[0] == "python-zig" {
            println!("{}: linked, not run", program.display());
        } else {
            check_runs(program);
        }
    }

    fn by_pkg_config(&self, folder: &Path, source: &str, is_shared: bool) {
        let package = if is_shared { "modelwire" } else { "modelwire-static" };
        let program = folder.with_file_name(format!("{source}-{package}"));
        let mut compiler = self.compiler(source).join(" ");
        if !is_shared && self.target.ends_with("-musl") {
            compiler += " -static";
        }
        if source.ends_with(".cpp") {
            compiler += " -std=c++17";
        }
        compiler += &format!(" '-Wl,-rpath,{}/lib'", folder.display());
        link_by_pkg_config(&compiler, package, folder, source, &program);
        self.check(&program, source, is_shared);
    }

    fn by_cmake(&self, folder: &Path) {
        let is_static = if self.target.ends_with("-musl") { "-static" } else { "" };
        let more = format!(
            "set_target_properties(chat_static talk_static PROPERTIES LINK_FLAGS \"{is_static}\")\n"
        );
        let compilers = [self.c.join(";"), self.cpp.join(";")];
        let processor = self.target.split('-').next().unwrap();
        let build = build_by_cmake(folder, ["Linux", processor], &compilers, &more);
        for kind in ["shared", "static"] {
            for source in PROGRAMS {
                let name = source.split('.').next().unwrap();
                self.check(&build.join(format!("{name}_{kind}")), source, kind == "shared");
            }
        }
    }
}

/// Builds one of the examples with what a package of pkg-config says.
pub fn link_by_pkg_config(
    compiler: &str,
    package: &str,
    folder: &Path,
    source: &str,
    program: &Path,
) {
    let flags = run(Command::new("pkg-config")
        .args(["--cflags", "--libs", package])
        .env("PKG_CONFIG_PATH", folder.join("lib/pkgconfig")));
    // As a shell takes them: pkg-config quotes the blank in the folder's name.
    let line = format!(
        "{compiler} '{}' -o '{}' {}",
        example(source).display(),
        program.display(),
        flags.trim()
    );
    run(Command::new("sh").args(["-ec", &line]));
}

/// Builds the examples by CMake, each with the shared and with the static library; gives the folder with
/// chat_shared, chat_static, talk_shared, talk_static. `more` stands at the end of the project.
pub fn build_by_cmake(
    folder: &Path,
    [system, processor]: [&str; 2],
    [c, cpp]: &[String; 2],
    more: &str,
) -> PathBuf {
    let project = folder.with_file_name("project");
    std::fs::create_dir(&project).unwrap();
    let text = format!(
        "cmake_minimum_required(VERSION 3.16)\n\
         project(packed LANGUAGES C CXX)\n\
         find_package(modelwire 0.1 REQUIRED)\n\
         foreach(kind shared static)\n\
           add_executable(chat_${{kind}} {})\n\
           add_executable(talk_${{kind}} {})\n\
           foreach(name chat talk)\n\
             target_link_libraries(${{name}}_${{kind}} PRIVATE modelwire::${{kind}})\n\
           endforeach()\n\
         endforeach()\n\
         set_target_properties(talk_shared talk_static PROPERTIES CXX_STANDARD 17)\n\
         {more}",
        example("chat.c").display(),
        example("talk.cpp").display()
    );
    std::fs::write(project.join("CMakeLists.txt"), text).unwrap();
    let build = project.join("build");
    run(Command::new("cmake")
        .arg("-S")
        .arg(&project)
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", folder.display()))
        .arg(format!("-DCMAKE_SYSTEM_NAME={system}"))
        .arg(format!("-DCMAKE_SYSTEM_PROCESSOR={processor}"))
        .arg(format!("-DCMAKE_C_COMPILER={c}"))
        .arg(format!("-DCMAKE_CXX_COMPILER={cpp}")));
    run(Command::new("cmake").arg("--build").arg(&build));
    build
}

fn check_target(target: &str) {
    let toolchain = TOOLCHAINS.iter().find(|toolchain| toolchain.target == target).unwrap();
    let folder = unpacked(target, "linked");
    for source in PROGRAMS {
        for is_shared in [true, false] {
            toolchain.by_pkg_config(&folder, source, is_shared);
        }
    }
    toolchain.by_cmake(&folder);
}

#[test]
#[ignore = "tests/release/test-targets"]
fn with_glibc_on_x86_64() {
    check_target("x86_64-unknown-linux-gnu");
}

#[test]
#[ignore = "tests/release/test-targets"]
fn with_glibc_on_arm64() {
    check_target("aarch64-unknown-linux-gnu");
}

#[test]
#[ignore = "tests/release/test-targets"]
fn with_musl_on_x86_64() {
    check_target("x86_64-unknown-linux-musl");
}

#[test]
#[ignore = "tests/release/test-targets"]
fn with_musl_on_arm64() {
    check_target("aarch64-unknown-linux-musl");
}
