//! The packages of `tests/release/deb`: what lintian says, what they need, and a program that is built and run with
//! them in a Debian that has nothing else of ours. Needs to be root there.

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Program, root};

use crate::{VERSION, empty_folder, packed, run};

/// The policy names a library after its SONAME.
const RUNTIME: &str = "libmodelwire0.1";
const DEVELOPMENT: &str = "libmodelwire-dev";

fn package(name: &str) -> PathBuf {
    packed(&format!("{name}_{VERSION}-0upstream1_amd64.deb"))
}

fn field(package: &Path, name: &str) -> String {
    run(Command::new("dpkg-deb").arg("-f").arg(package).arg(name)).trim_end().to_owned()
}

/// Nothing is overridden: the sources have no file that could.
#[test]
#[ignore = "tests/release/test-deb"]
fn lintian_has_nothing_to_say() {
    let changes = packed(&format!("modelwire_{VERSION}-0upstream1_amd64.changes"));
    let output = Command::new("lintian")
        .args(["--fail-on", "error,warning", "--display-info", "--no-override", "--allow-root"])
        .arg(&changes)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(!said.contains("E: ") && !said.contains("W: "), "{said}");
}

/// They fit every Debian whose glibc is not older than the floor.
#[test]
#[ignore = "tests/release/test-deb"]
fn packages_depend_on_an_old_glibc_and_on_each_other() {
    let said = run(&mut Command::new(root().join("ffi-c/package/floor")));
    let floor: u32 = said.trim_end().strip_prefix("2.").unwrap().parse().unwrap();
    let needs = field(&package(RUNTIME), "Depends");
    let glibc = needs.split("libc6 (>= 2.").nth(1).unwrap().split(')').next().unwrap();
    assert!(glibc.parse::<u32>().unwrap() <= floor, "{needs}");
    assert!(!needs.contains(','), "{needs}");
    let needs = field(&package(DEVELOPMENT), "Depends");
    assert!(needs.contains(&format!("{RUNTIME} (= {VERSION}-0upstream1)")), "{needs}");
    for name in [RUNTIME, DEVELOPMENT] {
        assert_eq!(field(&package(name), "Multi-Arch"), "same");
    }
}

/// A Debian with compilers, unpacked anew; it is made once. `MODELWIRE_TESTS_DEBIAN` is another release
/// than this machine's.
fn clean_root() -> PathBuf {
    let own = run(Command::new("sh").args(["-ec", ". /etc/os-release; echo $VERSION_CODENAME"]));
    let own = own.trim_end();
    let release = std::env::var("MODELWIRE_TESTS_DEBIAN").unwrap_or(own.to_owned());
    let folder = empty_folder(&release);
    let base = folder.with_file_name(format!("{release}.tar"));
    if !base.is_file() {
        // Where this machine gets its packages from.
        let places = run(Command::new("apt-get").args([
            "indextargets",
            "--format",
            "$(REPO_URI) $(RELEASE)",
            "Created-By: Packages",
            "Origin: Debian",
            "Component: main",
        ]));
        let place = places.lines().find_map(|line| line.strip_suffix(&format!(" {own}")));
        let unfinished = base.with_extension("part.tar");
        run(Command::new("mmdebstrap")
            .args(["--variant=minbase", "--include=gcc,g++,pkg-config,cmake,make"])
            .arg(&release)
            .arg(&unfinished)
            .arg(place.expect("no Debian in /etc/apt")));
        std::fs::rename(unfinished, &base).unwrap();
    }
    run(Command::new("tar").arg("-xf").arg(base).arg("-C").arg(&folder));
    folder
}

/// A command in the clean root, which has the network of this machine and none of its files.
fn inside(folder: &Path, line: &str) -> String {
    run(Command::new("chroot").arg(folder).args([
        "env",
        "-i",
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "sh",
        "-ec",
        line,
    ]))
}

#[test]
#[ignore = "tests/release/test-deb"]
fn a_program_is_built_and_runs_in_a_clean_debian() {
    let folder = clean_root();
    for name in [RUNTIME, DEVELOPMENT] {
        std::fs::copy(package(name), folder.join(format!("{name}.deb"))).unwrap();
    }
    let before = inside(&folder, "find /usr /etc /var/lib/dpkg/info | sort");
    assert!(!before.contains("modelwire"));
    inside(&folder, &format!("dpkg -i /{RUNTIME}.deb /{DEVELOPMENT}.deb"));
    // The examples as they come with the package, by their own project.
    inside(
        &folder,
        "cp -r /usr/share/doc/libmodelwire-dev/examples /tried && cd /tried && \
         cmake -S . -B build && cmake --build build && \
         cc chat.c -o shared $(pkg-config --cflags --libs modelwire) && \
         cc chat.c -o static $(pkg-config --cflags --libs modelwire-static) && \
         c++ -std=c++17 talk.cpp -o talk $(pkg-config --cflags --libs modelwire)",
    );
    let service = Service::start().unwrap();
    for program in ["shared", "static", "talk", "build/chat", "build/chat_static", "build/talk"] {
        let ended = Program::new(Path::new("chroot"))
            .arg(folder.to_str().unwrap())
            .arg(&format!("/tried/{program}"))
            .arg("echo")
            .arg("one two")
            .at(&service)
            .run()
            .succeeded();
        assert_eq!(ended.stdout.lines().next(), Some("one two"), "{program}: {ended:?}");
    }
    // A program that was linked with the shared one needs the other package no more.
    inside(
        &folder,
        &format!("dpkg -P {DEVELOPMENT} && ldd /tried/shared | grep libmodelwire.so.0.1"),
    );
    inside(&folder, &format!("dpkg -P {RUNTIME}"));
    let after = inside(&folder, "find /usr /etc /var/lib/dpkg/info | sort");
    let left: Vec<&str> = after.lines().filter(|line| line.contains("modelwire")).collect();
    assert!(left.is_empty(), "{left:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}
