//! The SQLite extension, in its shell and in a program's connections.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use modelwire_testing::Service;

use crate::build::{example, program};
use crate::running::{Running, at, check_idle, middle, wait_until};
use crate::scripts::{silent_service, stalling_service};

/// How fast a statement has to end once it is interrupted, on an idle machine.
const AT_ONCE: Duration = Duration::from_millis(150);

fn extension() -> PathBuf {
    example("sqlite.c")
}

fn shell(base_url: &str, statements: &[&str]) -> Running {
    let load = format!(".load {}", extension().with_extension("").display());
    Running::start(at("sqlite3", base_url).args(["-bail", ":memory:", &load]).args(statements))
}

/// What the statements print, or what they fail with.
fn told(base_url: &str, statements: &[&str]) -> String {
    shell(base_url, statements).end().1.join("\n")
}

#[test]
fn sql_has_answers_and_failures() {
    let service = Service::start().unwrap();
    let url = service.base_url();
    assert_eq!(told(&url, &["SELECT modelwire_chat('echo', 'grüße') || '!'"]), "grüße!");
    let stream = "SELECT piece FROM modelwire_stream('echo', 'a b c')";
    assert_eq!(told(&url, &[stream]), "a \nb \nc");
    let joined = "SELECT group_concat(piece, '') FROM (VALUES ('a b'), ('c d')) AS q, \
                  modelwire_stream('echo', q.column1) GROUP BY q.column1";
    assert_eq!(told(&url, &[joined]), "a b\nc d");
    for sql in
        ["SELECT modelwire_chat('none', 'x')", "SELECT piece FROM modelwire_stream('none', 'x')"]
    {
        assert!(told(&url, &[sql]).contains("The model \"none\" does not exist"), "{sql}");
    }
    assert!(told(&url, &["SELECT piece FROM modelwire_stream('echo')"]).contains("rror"));
    assert!(told(&url, &["SELECT modelwire_chat(NULL, 'x')"]).contains("rror"));
    let view = ["CREATE VIEW v AS SELECT modelwire_chat('echo', 'x')", "SELECT * FROM v"];
    assert!(told(&url, &view).contains("unsafe use of modelwire_chat()"));
    let failed = told("not a url", &["SELECT 1"]);
    assert!(failed.contains("base_url"), "{failed}");
}

/// The stream never ends.
#[test]
fn rows_come_as_they_are_written() {
    let (service, url) = stalling_service(&["a ", "b ", "c "]);
    let sql = "SELECT piece FROM modelwire_stream('any', 'x') LIMIT 2";
    assert_eq!(told(&url, &[sql]), "a \nb ");
    wait_until("the rest is not waited for", || service.open_connections() == 0);
}

#[test]
fn ctrl_c_ends_a_statement_at_once() {
    for sql in ["SELECT modelwire_chat('a', 'b')", "SELECT piece FROM modelwire_stream('a', 'b')"] {
        let tries = (0..7).map(|round| {
            let (service, url) = silent_service();
            let running = shell(&url, &[sql]);
            wait_until("it is asked", || service.recorded("silent").len() == 1);
            if round == 0 {
                check_idle("sqlite3", running.id());
            }
            let start = Instant::now();
            running.signal(libc::SIGINT);
            let (status, lines) = running.end();
            let took = start.elapsed();
            assert!(!status.success() && lines.join(" ").contains("interrupted"), "{lines:?}");
            took
        });
        let took = middle("sqlite3, Ctrl-C", tries.collect());
        // clock: beside what they take one after another
        assert!(took < AT_ONCE, "{took:?}");
    }
}

fn connections(base_url: &str, what: &str) -> Vec<String> {
    let program = program("connections.c", "$(pkg-config --cflags --libs sqlite3)");
    let running = Running::start(at(program, base_url).arg(what).arg(extension()));
    let (status, lines) = running.end();
    assert!(status.success(), "{status}: {lines:?}");
    lines
}

#[test]
fn another_thread_interrupts_a_statement_at_once() {
    let (_service, url) = silent_service();
    let tries = connections(&url, "interrupt");
    assert!(tries.len() > 10, "{tries:?}");
    let tries = tries.iter().map(|seconds| Duration::from_secs_f64(seconds.parse().unwrap()));
    let took = middle("sqlite3_interrupt", tries.collect());
    // clock: beside what they take one after another
    assert!(took < AT_ONCE, "{took:?}");
}

/// An extension is unloaded with its connection.
#[test]
fn closing_a_connection_unloads_the_extension() {
    let service = Service::start().unwrap();
    connections(&service.base_url(), "close");
}
