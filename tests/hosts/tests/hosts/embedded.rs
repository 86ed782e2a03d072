//! A program of C that embeds Python: the library beside the package, which has its own copy of the core.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Library, root};

use crate::build::{program, run};
use crate::plugins::endless;
use crate::running::{Running, at};

/// A folder with the package as `make dev` builds it.
fn package() -> PathBuf {
    let library = Library::built();
    let target = library.path().parent().unwrap().parent().unwrap();
    run(Command::new("cargo")
        .args(["build", "--quiet", "--locked", "-p", "modelwire-py", "--target-dir"])
        .arg(target)
        .env("PYO3_BUILD_EXTENSION_MODULE", "1")
        .current_dir(root()));
    let folder = library.file("embedded-package");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    run(Command::new("cp").arg("-r").arg(root().join("py/python/modelwire")).arg(&folder));
    fs::copy(target.join("debug/lib_native.so"), folder.join("modelwire/_native.abi3.so")).unwrap();
    folder
}

/// Calls, streams, forks, Ctrl-C, the logs and the ends of both, in either order: neither disturbs the
/// other.
#[test]
fn a_host_with_the_library_embeds_python_with_the_package() {
    let flags = "$(pkg-config --cflags --libs python3-embed) \
                 $(pkg-config --cflags --libs modelwire)";
    let host = program("embedded.c", flags);
    let package = package();
    for first in ["python", "c"] {
        let service = Service::start().unwrap();
        let url = service.script("endless", endless());
        let (status, lines) = Running::start(at(&host, &url).arg(&package).arg(first)).end();
        assert!(status.success(), "{first}: {status}: {lines:?}");
        assert_eq!(lines, ["both ended"], "{first} first");
    }
}
