//! Plugins that are unloaded while their calls are under way, as docs/embedding.md says.

use std::path::PathBuf;

use modelwire_testing::{Script, Service};
use modelwire_tests_c::{Library, chat_chunk, root};

use crate::build::{program, shell};
use crate::running::{Running, at};

/// Streams that go on for as long as anybody listens: an event every few milliseconds.
pub fn endless() -> Script {
    use modelwire_testing::{Exchange, Step};
    let mut exchange = Exchange::events(&[chat_chunk("x")]);
    let end = exchange.steps.pop().unwrap();
    let piece = exchange.steps.last().unwrap().clone();
    for _ in 0..3_000 {
        exchange.steps.push(Step::Pause(std::time::Duration::from_millis(3)));
        exchange.steps.push(piece.clone());
    }
    exchange.steps.push(end);
    Script::one(exchange)
}

/// Plugins of these names, built with these flags.
fn plugins(names: &[&str], flags: &str) -> Vec<PathBuf> {
    let source = root().join("tests/hosts/plugin.c");
    let made = |name: &&str| Library::built().file(&format!("plugin_{name}.so"));
    for path in names.iter().map(made) {
        let (source, path) = (source.display(), path.display());
        shell(&format!("cc -std=gnu11 -shared -fPIC {source} -o {path} {flags}"));
    }
    names.iter().map(made).collect()
}

fn told(who: &str, plugins: &[PathBuf]) -> Vec<String> {
    let service = Service::start().unwrap();
    let host = program("plugins.c", "");
    let url = service.script("endless", endless());
    let (status, lines) = Running::start(at(host, &url).arg(who).args(plugins)).end();
    assert!(status.success(), "{status}: {lines:?}");
    lines
}

/// The library stays, with the thread that does the I/O; the plugins' own code goes.
#[test]
fn plugins_that_share_the_library_come_and_go() {
    let plugins = plugins(&["a", "b", "c"], "$(pkg-config --cflags --libs modelwire)");
    assert_eq!(told("main", &plugins), ["50 of 50 unmapped; threads: plugins mw-io-0"]);
    assert_eq!(told("thread", &plugins), ["50 of 50 unmapped; threads: plugins mw-io-0"]);
}

/// Copies know nothing of each other: one that is shut down takes no thread of another. glibc
/// unmaps one when the threads that used it have ended.
#[test]
fn plugins_with_a_copy_each_come_and_go() {
    let flags = "-DPLUGIN_STATIC $(pkg-config --cflags --libs --static modelwire | \
                 sed 's/-lmodelwire/-l:libmodelwire.a/')";
    let plugins = plugins(&["d", "e", "f"], flags);
    let here = told("main", &plugins).concat();
    assert!(here.ends_with("; threads: plugins"), "{here}");
    assert_eq!(told("thread", &plugins), ["50 of 50 unmapped; threads: plugins"]);
}
