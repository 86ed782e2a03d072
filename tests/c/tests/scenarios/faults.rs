//! What processes do to a library: load and unload it, call it before and after main, end in the
//! middle of a call, allow no thread, send signals.

use std::path::Path;
use std::time::{Duration, Instant};

use modelwire_testing::{Exchange, Script, Service};
use modelwire_tests_c::{Library, Program, chat_chunk, played, scenario, stalling};

const EXITS: usize = 17;

#[test]
fn loaded_and_unloaded() {
    let library = Library::built();
    let plugin = library.compile_alone("plugin", &["plugin.c"]);
    let service = Service::start().unwrap();
    let path = library.path().to_str().unwrap();
    Program::new(&plugin).arg(path).at(&service).run().succeeded();
    assert!(service.recorded("").len() >= 52);
}

/// Plugins that are unloaded as soon as the library says that it is done with their callbacks, and
/// two in one process that do not end each other.
#[test]
fn plugins() {
    let library = Library::built();
    let host = library.compile_alone("host", &["host.c"]);
    let paths = ["first.so", "second.so"].map(|name| library.compile_plugin(name, &["plugged.c"]));
    let service = Service::start().unwrap();
    let program =
        paths.iter().fold(Program::new(&host), |program, path| program.arg(path.to_str().unwrap()));
    program.at(&service).run().succeeded();
}

/// Two copies of one library, and all that they could share by mistake. Both give their symbols to
/// everybody, as where a host is linked with one.
#[test]
fn copies() {
    let library = Library::built();
    let program = library.compile_alone("copies", &["copies.c"]);
    let service = Service::start().unwrap();
    let paths = ["one", "two"].map(|name| library.file(&format!("copy-{name}.so")));
    for path in &paths {
        std::fs::copy(library.path(), path).unwrap();
    }
    let start = Instant::now();
    let program = paths
        .iter()
        .fold(Program::new(&program), |program, path| program.arg(path.to_str().unwrap()));
    // It frees nothing at its end, so a leak checker would find something.
    let stalling = service.script("stalls", stalling(&["a"]));
    let program = program.at(&service).env("STALLING_URL", &stalling);
    let ended = program.env("ASAN_OPTIONS", "detect_leaks=0").run();
    assert_eq!(ended.status.code(), Some(5), "{ended:?}");
    assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended:?}");
    // clock: it ends at once, or after the timeouts of calls: ten minutes
    assert!(start.elapsed() < Duration::from_secs(120), "{:?}", start.elapsed());
}

/// The program keeps its exit status, and nothing is printed.
fn check_exit(name: &str, script: Script) {
    let service = Service::start().unwrap();
    let base_url = service.script("s", script);
    for _ in 0..EXITS {
        // It frees nothing, so a leak checker would find something.
        let program = scenario(name).at_url(&base_url).env("ASAN_OPTIONS", "detect_leaks=0");
        let ended = program.run();
        assert_eq!(ended.status.code(), Some(7), "{ended:?}");
        assert!(ended.stdout.is_empty() && ended.stderr.is_empty(), "{ended:?}");
    }
}

/// Streams that stall.
#[test]
fn exit_with_silent_streams() {
    check_exit("exit_streaming", stalling(&["one "]));
}

/// Streams whose chunks keep every thread of the library busy.
#[test]
fn exit_with_busy_streams() {
    let busy = Exchange::pre_rendered_stream(&chat_chunk("x"), 1_000_000, 64);
    check_exit("exit_streaming", Script::one(busy.clone()));
    check_exit("exit_waiting", Script::one(busy));
}

/// What a program told of its calls before main and after it.
fn around_main(program: &Path, argument: Option<&str>) -> Vec<String> {
    let service = Service::start().unwrap();
    let mut program = Program::new(program).at(&service);
    if let Some(argument) = argument {
        program = program.arg(argument);
    }
    let ended = program.run();
    assert_eq!(ended.status.code(), Some(5), "{ended:?}");
    assert!(ended.stderr.is_empty(), "{ended:?}");
    ended.stdout.lines().map(str::to_owned).collect()
}

const WAYS: [&str; 9] =
    ["client", "request", "run", "stream", "start", "wait", "submit", "next", "end"];

fn check_around_main(program: &Path) {
    let ok = |place: &str| WAYS.map(|way| format!("{place} {way}: ok"));
    assert_eq!(around_main(program, None), [ok("before"), ok("after")].concat());
    // After an end of the library each way starts it afresh.
    let mut expected = ok("before").to_vec();
    expected.push("main shutdown: ok".to_owned());
    expected.extend(ok("after"));
    assert_eq!(around_main(program, Some("shutdown")), expected);
}

#[test]
fn constructors_and_destructors_of_c() {
    check_around_main(&Library::built().compile("early", &["early.c"]));
}

#[test]
fn static_objects_of_cpp() {
    check_around_main(&Library::built().compile_cpp("early-cpp", &["early.c"]));
}

#[test]
fn signals() {
    played("signals");
}

#[test]
fn signals_pending() {
    played_by_name("signals_pending");
}

#[test]
fn no_threads() {
    let service = played("no_threads");
    assert_eq!(service.recorded("").len(), 4);
}

#[test]
fn no_threads_for_names() {
    let service = played_by_name("no_threads_for_names");
    assert_eq!(service.recorded("").len(), 6);
}

/// Plays a scenario that knows the service by its name, too.
fn played_by_name(name: &str) -> Service {
    let service = Service::start().unwrap();
    let by_name = service.base_url().replace("127.0.0.1", "localhost");
    scenario(name).at(&service).env("TEST_BY_NAME", &by_name).run().succeeded();
    service
}
