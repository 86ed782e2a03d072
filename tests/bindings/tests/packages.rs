//! The packages of a library for musl have the names and the fields by which package managers tell them from
//! those for glibc. `tests/release/test-musl` runs them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use modelwire_tests_bindings::{folder, text};
use modelwire_tests_c::root;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// `e_machine` of an ELF file.
const MACHINE: usize = 18;

/// A shared library without functions that needs the C library of this name, for x86-64 or arm64.
fn library(folder: &Path, needed: &str, is_arm64: bool) -> PathBuf {
    let (libc, path) = (folder.join("stub.so"), folder.join("libmodelwire.so"));
    let link = |out: &Path, arguments: &[&str]| {
        let mut cc = Command::new("cc");
        cc.args(["-shared", "-nostdlib", "-xc", "/dev/null", "-o"]).arg(out).args(arguments);
        assert!(cc.status().unwrap().success(), "{cc:?}");
    };
    link(&libc, &[&format!("-Wl,-soname,{needed}")]);
    link(&path, &["-Wl,--no-as-needed", "-xnone", text(&libc)]);
    if is_arm64 {
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[MACHINE] = 183;
        std::fs::write(&path, bytes).unwrap();
    }
    path
}

/// In place of a .NET SDK: packs the libraries alone.
fn packer(folder: &Path) -> PathBuf {
    let path = folder.join("dotnet");
    let pack = format!("python3 -m zipfile -c $8/Modelwire.{VERSION}.nupkg $9/runtimes");
    std::fs::write(&path, format!("#!/bin/sh\n{pack}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Builds the package of a language into `made` of an empty folder, and gives that.
fn packaged(language: &str, needed: &str, is_arm64: bool) -> (PathBuf, Output) {
    let folder = folder(&format!("packages/{language}-{needed}-{is_arm64}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let output = Command::new(root().join("ffi-c/bindings/package"))
        .args([language, text(&folder.join("made"))])
        .env("MODELWIRE_LIBRARY", library(&folder, needed, is_arm64))
        .env("JAVAC", "true") // the classes are those of any platform
        .env("DOTNET", packer(&folder))
        .env("CC", "true") // no NIF: the library has no functions
        .output()
        .unwrap();
    (folder.join("made"), output)
}

/// What a command prints about a file.
fn told(command: &[&str], file: &Path) -> String {
    let output = Command::new(command[0]).args(&command[1..]).arg(file).output().unwrap();
    assert!(output.status.success(), "{command:?} {}", file.display());
    String::from_utf8(output.stdout).unwrap()
}

/// Builds the package for the C library of this name, on x86-64 and on arm64, as which it is named in this
/// order, and checks what `show` prints of it.
fn named(language: &str, needed: &str, names: [&str; 2], show: &[&str], has: [&str; 2]) {
    for ((name, has), is_arm64) in names.into_iter().zip(has).zip([false, true]) {
        let (made, output) = packaged(language, needed, is_arm64);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let file = made.join(name.replace("VERSION", VERSION));
        assert!(file.is_file(), "no {}:\n{}", file.display(), told(&["ls", "-R"], &made));
        let shown = told(show, &file).split_whitespace().collect::<String>();
        assert!(shown.contains(has), "{has} is not in {shown}");
    }
}

const LISTED: [&str; 4] = ["python3", "-m", "zipfile", "-l"];
const DESCRIBED: [&str; 4] = ["tar", "-xzO", "package/package.json", "-f"];

mod node {
    use super::*;

    #[test]
    fn package_for_musl() {
        let names =
            ["modelwire-linux-x64-musl-VERSION.tgz", "modelwire-linux-arm64-musl-VERSION.tgz"];
        named("node", "libc.so", names, &DESCRIBED, [r#""libc":["musl"]"#; 2]);
        named("node", "libc.musl-x86_64.so.1", names, &DESCRIBED, [r#""libc":["musl"]"#; 2]);
        let named_by = [r#""@modelwire/linux-x64-musl":"#, r#""@modelwire/linux-arm64-musl":"#];
        named("node", "libc.so", ["modelwire-VERSION.tgz"; 2], &DESCRIBED, named_by);
    }

    #[test]
    fn package_for_glibc() {
        let names =
            ["modelwire-linux-x64-gnu-VERSION.tgz", "modelwire-linux-arm64-gnu-VERSION.tgz"];
        named("node", "libc.so.6", names, &DESCRIBED, [r#""libc":["glibc"]"#; 2]);
    }
}

mod ruby {
    use super::*;

    const OLDEST: [&str; 3] = ["sh", "-c", "gem specification $0 required_rubygems_version"];

    #[test]
    fn package_for_musl() {
        let names =
            ["modelwire-VERSION-x86_64-linux-musl.gem", "modelwire-VERSION-aarch64-linux-musl.gem"];
        named("ruby", "libc.so", names, &OLDEST, ["version:3.3.22"; 2]);
    }

    #[test]
    fn package_for_glibc() {
        let names = ["modelwire-VERSION-x86_64-linux.gem", "modelwire-VERSION-aarch64-linux.gem"];
        named("ruby", "libc.so.6", names, &OLDEST, ["version:'0'"; 2]);
    }
}

mod python_cffi {
    use super::*;

    #[test]
    fn package_for_musl() {
        let name = |arch| format!("modelwire_cffi-VERSION-py3-none-musllinux_1_2_{arch}.whl");
        let names = [&*name("x86_64"), &*name("aarch64")];
        named("python-cffi", "libc.so", names, &LISTED, ["modelwire_cffi/libmodelwire.so"; 2]);
    }
}

mod java {
    use super::*;

    #[test]
    fn package_for_musl() {
        let names = ["x86_64", "arm64"].map(|arch| {
            format!("dev/modelwire/modelwire/VERSION/modelwire-VERSION-linux-{arch}-musl.jar")
        });
        let has =
            ["native/linux-x86_64-musl/libmodelwire.so", "native/linux-arm64-musl/libmodelwire.so"];
        named("java", "libc.so", [&names[0], &names[1]], &LISTED, has);
    }
}

mod dotnet {
    use super::*;

    #[test]
    fn package_for_each_libc() {
        let names = ["Modelwire.VERSION.nupkg"; 2];
        let has = ["x64", "arm64"]
            .map(|arch| format!("runtimes/linux-musl-{arch}/native/libmodelwire.so"));
        named("dotnet", "libc.so", names, &LISTED, [&has[0], &has[1]]);
        let has =
            ["x64", "arm64"].map(|arch| format!("runtimes/linux-{arch}/native/libmodelwire.so"));
        named("dotnet", "libc.so.6", names, &LISTED, [&has[0], &has[1]]);
    }
}

mod elixir {
    use super::*;

    #[test]
    fn package_for_musl() {
        let minor = VERSION.rsplit_once('.').unwrap().0;
        let names = ["x86_64", "arm64"].map(|arch| {
            format!("modelwire-VERSION/native/linux-{arch}-musl/libmodelwire.so.{minor}")
        });
        named("elixir", "libc.so", [&names[0], &names[1]], &["ls"], ["libmodelwire"; 2]);
    }
}

mod php {
    use super::*;

    #[test]
    fn package_for_musl() {
        let has =
            ["native/linux-x86_64-musl/libmodelwire.so", "native/linux-arm64-musl/libmodelwire.so"];
        named("php", "libc.so", ["modelwire-VERSION.zip"; 2], &LISTED, has);
    }
}

mod perl {
    use super::*;

    #[test]
    fn package_for_musl() {
        let names = [
            "Modelwire-VERSION-linux-x86_64-musl.tar.gz",
            "Modelwire-VERSION-linux-arm64-musl.tar.gz",
        ];
        named("perl", "libc.so", names, &["tar", "-tzf"], ["native/libmodelwire.so"; 2]);
    }

    #[test]
    fn no_package_without_a_c_library() {
        let (made, output) = packaged("perl", "libm.so.6", false);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("needs neither glibc nor musl"), "{said}");
        assert!(!output.status.success() && !made.exists());
    }
}
