//! The installed library: what `make install` copies, and the examples built against it through pkg-config
//! and CMake, run as their readers would run them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod marker;
mod prefix;
mod static_library;
mod targets;

use std::path::{Path, PathBuf};
use std::process::Command;

use modelwire_testing::Service;
use modelwire_tests_c::{Ended, Library, Program, check_wrong_key, root};

use prefix::{lib, pkg_config, prefix, run, symbols};

const STRICT: [&str; 7] =
    ["-std=c99", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion"];

fn example(name: &str) -> PathBuf {
    root().join("ffi-c/examples").join(name)
}

/// An example as its first lines say, through pkg-config.
fn compiled(name: &str) -> PathBuf {
    let program = Library::built().file(name);
    run(Command::new("cc")
        .args(STRICT)
        .arg(example(&format!("{name}.c")))
        .arg("-o")
        .arg(&program)
        .args(pkg_config(&["--cflags", "--libs", "modelwire"]))
        .arg(format!("-Wl,-rpath,{}", lib())));
    program
}

fn run_example(program: &Path, service: &Service, arguments: &[&str]) -> Ended {
    let start = Program::new(program).at(service);
    arguments.iter().fold(start, |program, argument| program.arg(argument)).run().succeeded()
}

#[test]
fn everything_is_where_programs_look_for_it() {
    let read = |name: &str| std::fs::read_link(prefix().join("lib").join(name)).unwrap();
    assert_eq!(read("libmodelwire.so"), Path::new("libmodelwire.so.0.1"));
    assert_eq!(read("libmodelwire.so.0.1"), Path::new("libmodelwire.so.0.1.0"));
    let headers = std::fs::read_dir(root().join("include")).unwrap();
    let headers: Vec<_> = headers.map(|header| header.unwrap().file_name()).collect();
    assert!(headers.len() >= 2, "{headers:?}");
    for header in headers {
        assert!(prefix().join("include").join(&header).is_file(), "{header:?}");
    }
    for file in [
        "lib/libmodelwire.a",
        "lib/pkgconfig/modelwire.pc",
        "lib/pkgconfig/modelwire-static.pc",
        "lib/cmake/modelwire/modelwire-config.cmake",
        "lib/cmake/modelwire/modelwire-config-version.cmake",
    ] {
        assert!(prefix().join(file).is_file(), "{file}");
    }
    let shared = prefix().join("lib/libmodelwire.so");
    let dynamic = run(Command::new("readelf").args(["-dW"]).arg(&shared));
    assert!(dynamic.contains("libmodelwire.so.0.1]") && dynamic.contains("NODELETE"), "{dynamic}");
    let sections = run(Command::new("readelf").args(["-SW"]).arg(&shared));
    assert!(!sections.contains(".symtab") && !sections.contains(".debug_info"), "{sections}");
    for package in ["modelwire", "modelwire-static"] {
        assert_eq!(pkg_config(&["--modversion", package]), [env!("CARGO_PKG_VERSION")]);
    }
    let exported = symbols(&["-D", "--defined-only"], &shared);
    assert!(exported.len() > 40, "{exported:?}");
    let others: Vec<_> = exported.iter().filter(|name| !name.starts_with("modelwire_")).collect();
    assert!(others.is_empty(), "exported too: {others:?}");
}

#[test]
fn destdir_moves_the_files_without_changing_their_contents() {
    let library = Library::built();
    let stage = library.file("stage");
    let _ = std::fs::remove_dir_all(&stage);
    let built = library.path().parent().unwrap().to_owned();
    let install = root().join("ffi-c/install/install");
    run(Command::new(&install)
        .arg(&built)
        .env("PREFIX", "/opt/it")
        .env("DESTDIR", &stage)
        .env("LIBDIR", "lib/x86_64-linux-gnu"));
    let at = stage.join("opt/it/lib/x86_64-linux-gnu");
    let pc = std::fs::read_to_string(at.join("pkgconfig/modelwire.pc")).unwrap();
    assert!(pc.contains("prefix=/opt/it\n"), "{pc}");
    assert!(pc.contains("libdir=${prefix}/lib/x86_64-linux-gnu\n"), "{pc}");
    let cmake = std::fs::read_to_string(at.join("cmake/modelwire/modelwire-config.cmake")).unwrap();
    assert!(cmake.contains("${_modelwire_lib}/../..\""), "{cmake}");
    assert!(!pc.contains('@') && !cmake.contains('@'), "{pc}{cmake}");
    let refused = Command::new(&install).arg(&built).env("PREFIX", "here").output();
    let refused = refused.unwrap();
    assert!(!refused.status.success());
    assert!(String::from_utf8_lossy(&refused.stderr).contains("must begin with /"));
}

#[test]
fn models_lists_what_the_service_has() {
    let service = Service::start().unwrap();
    let ended = run_example(&compiled("models"), &service, &[]);
    assert_eq!(ended.stdout.lines().next(), Some("echo"), "{ended:?}");
}

#[test]
fn chat_shows_text_usage_and_any_field() {
    let service = Service::start().unwrap();
    let program = compiled("chat");
    let ended = run_example(&program, &service, &["echo", "say \"hi\""]);
    assert_eq!(ended.stdout.lines().next(), Some("say \"hi\""), "{ended:?}");
    assert!(ended.stdout.contains("(stop; ") && ended.stdout.contains("(role: assistant)"));
    let failed = Program::new(&program).at(&service).arg("none").arg("hi").run();
    assert_eq!(failed.status.code(), Some(1));
    assert!(failed.stderr.contains("kind: not_found"), "{failed:?}");
}

#[test]
fn stream_prints_the_pieces() {
    let service = Service::start().unwrap();
    let ended = run_example(&compiled("stream"), &service, &["echo", "once upon a time"]);
    assert_eq!(ended.stdout, "once upon a time\n");
}

#[test]
fn tools_runs_what_the_model_calls() {
    let service = Service::start().unwrap();
    let ended = run_example(&compiled("tools"), &service, &["echo-tools", "Rome"]);
    assert_eq!(ended.stdout, "\nSunny in Rome.\nIt is 14:05.\n");
    assert_eq!(service.recorded("").len(), 2);
}

#[test]
fn many_runs_a_hundred_streams_in_one_epoll_loop() {
    let service = Service::start().unwrap();
    let ended = run_example(&compiled("many"), &service, &["echo", "a b c"]);
    assert!(ended.stdout.starts_with("100 of 100 streams complete: "), "{ended:?}");
}

#[test]
fn asyncio_drives_calls_through_the_c_library() {
    let service = Service::start().unwrap();
    let program = || {
        let python = Program::new(Path::new("python3")).env("LD_LIBRARY_PATH", &lib()).at(&service);
        let program = python.arg(&example("queue_asyncio.py").display().to_string());
        program.arg("echo").arg("one two").arg("20")
    };
    check_wrong_key(program(), &service);
    let ended = program().run().succeeded();
    let lines: Vec<_> = ended.stdout.lines().collect();
    assert_eq!(lines.len(), 20);
    assert!(lines.iter().all(|line| line.ends_with(": one two")), "{lines:?}");
}

#[test]
fn cmake_builds_every_example() {
    let service = Service::start().unwrap();
    let build = Library::built().file("cmake");
    let _ = std::fs::remove_dir_all(&build);
    run(Command::new("cmake")
        .arg("-S")
        .arg(root().join("ffi-c/examples"))
        .arg("-B")
        .arg(&build)
        .arg(format!("-DCMAKE_PREFIX_PATH={}", prefix().display())));
    run(Command::new("cmake").arg("--build").arg(&build));
    assert_eq!(run_example(&build.join("stream"), &service, &["echo", "hello"]).stdout, "hello\n");
    for name in ["chat", "chat_static"] {
        let ended = run_example(&build.join(name), &service, &["echo", "hello"]);
        assert!(ended.stdout.starts_with("hello\n"), "{ended:?}");
    }
    let talk = run_example(&build.join("talk"), &service, &["echo", "hello"]);
    assert!(talk.stdout.starts_with("hello\n"), "{talk:?}");
    let needed = run(Command::new("readelf").arg("-dW").arg(build.join("chat_static")));
    assert!(!needed.contains("libmodelwire"), "{needed}");
    // Whichever need nothing else than the library: what they say of a failure is copied, too.
    let sources = std::fs::read_dir(root().join("ffi-c/examples")).unwrap();
    let programs: Vec<PathBuf> = sources
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "c" || end == "cpp"))
        .map(|source| build.join(source.file_stem().unwrap()))
        .filter(|program| program.is_file())
        .collect();
    assert!(programs.len() >= 5, "{programs:?}");
    for program in programs {
        check_wrong_key(Program::new(&program).arg("echo").arg("hello"), &service);
    }
}
