//! What each room never names, and that the documents draw every room.

use std::collections::BTreeSet;

use super::{code, files, read};

fn assert_absent(path: &str, words: &[&str], because: &str) {
    for (number, line) in code(path) {
        for word in words {
            assert!(!line.contains(word), "{path}:{number} names {word}: {because}\n  {line}");
        }
    }
}

#[test]
fn each_core_module_uses_only_its_own_dependencies() {
    for path in files("core/src", ".rs") {
        let below = ["http/transport.rs", "http/opening.rs", "http/failure.rs"];
        if !below.iter().any(|one| path.ends_with(one)) {
            let names = ["reqwest::", "hyper::", "hyper_util::", "h2::", "tower::"];
            assert_absent(&path, &names, "only transport, opening and failure of http do");
            if !path.ends_with("http/tls.rs") {
                assert_absent(&path, &["rustls"], "only http/tls.rs and http/failure.rs do");
            }
        }
        if !path.starts_with("core/src/system/") {
            let because = "the unsafe code of the core stands in system/";
            assert_absent(&path, &["unsafe "], because);
        }
        if path.starts_with("core/src/protocol") && !path.ends_with("_tests.rs") {
            let outside = ["tokio", "std::io", "std::net", "std::thread", "std::env", "Instant"];
            assert_absent(&path, &outside, "protocol is bytes and text, without I/O or a clock");
        }
    }
    let foreign = ["serde", "http", "[DONE]"];
    assert_absent("core/src/protocol/sse.rs", &foreign, "it parses bytes and knows nothing else");
    let clocks = ["tokio", "Instant", "now()"];
    assert_absent("core/src/call/retry.rs", &clocks, "it knows no clock");
    assert_absent("core/src/http/reuse.rs", &clocks, "it knows no clock");
    assert_absent("core/src/driver/state.rs", &clocks, "it knows no clock and no thread");
    assert_absent("core/src/call/queue.rs", &["tokio", "http"], "any consumer sits on it");
    for path in files("ffi-c/src", ".rs") {
        if !path.ends_with("boundary.rs") {
            for (number, line) in code(&path) {
                let is_signature =
                    line.contains("unsafe extern \"C\"") || line.contains("#[unsafe(");
                let is_callback = line.contains("unsafe { on_event(");
                assert!(
                    !line.contains("unsafe") || is_signature || is_callback,
                    "{path}:{number}: unsafe stands in boundary.rs and in signatures\n  {line}"
                );
            }
        }
    }
}

/// Each crate asks in one place which system it runs on; the C library and the extension of Python in none.
#[test]
fn platform_code_is_in_one_place_per_crate() {
    let names = [
        "cfg(unix",
        "cfg(windows",
        "cfg(not(unix",
        "cfg(not(windows",
        "cfg_attr(windows",
        "cfg_attr(unix",
        "target_os",
        "target_family",
        "std::os::",
        "libc::",
        "windows_sys::",
        "rustix::",
    ];
    for crate_source in
        ["core/src", "bulk/src", "cli/src", "ffi-c/src", "py/src", "tests/service/src"]
    {
        for path in files(crate_source, ".rs") {
            if !path.starts_with(&format!("{crate_source}/system")) {
                assert_absent(&path, &names, "what differs between systems stands in system/");
            }
        }
    }
}

/// A thread begins with the signal mask of the one that starts it, which may be a thread of the program.
#[test]
fn threads_start_with_signals_blocked() {
    let mut seen = 0;
    for path in files("core/src", ".rs").into_iter().filter(|path| !path.ends_with("_tests.rs")) {
        for (number, line) in code(&path) {
            let starts = ["spawn_blocking(", "thread::Builder", "resolver.call("];
            if starts.iter().any(|start| line.contains(start)) {
                let blocks = ["with_signals_blocked(", "with_helper_thread("];
                let is_blocked = blocks.iter().any(|block| line.contains(block));
                assert!(is_blocked, "{path}:{number}: neither of {blocks:?}\n  {line}");
                seen += 1;
            }
        }
    }
    assert!(seen >= 3, "the core starts threads in other ways than are looked for here");
    let mut system = code("core/src/system.rs").into_iter();
    assert!(
        system.any(|(_, line)| line.contains("with_signals_blocked(spawn)")),
        "`with_helper_thread` blocks signals itself"
    );
}

/// A child that is forked while a thread fills a cell that others wait for waits for ever: `py/src/kept.rs`.
#[test]
fn python_values_are_cached_only_in_kept() {
    for path in files("py/src", ".rs") {
        let cells = ["PyOnceLock", "pyo3::intern", "LazyLock", "sync::OnceCell", "sync::Lazy"];
        assert_absent(&path, &cells, "what is kept for the process stands in `Kept`");
    }
}

/// A daemon thread that Python ends within what runs otherwise ends the process: `py/src/run.rs`.
#[test]
fn python_code_is_run_only_in_run_rs() {
    for path in files("py/src", ".rs").into_iter().filter(|path| !path.ends_with("/run.rs")) {
        let others = [
            ".call0(",
            ".call1(",
            ".call_method",
            "getattr(",
            "hasattr(",
            "try_iter(",
            "py.import(",
            ".is_truthy(",
            ".getattr_opt(",
        ];
        assert_absent(&path, &others, "what may be Python's code is run by `Run`");
    }
}

/// The keys of the hot fields, from the lists in `protocol/offsets.rs`.
fn hot_fields() -> Vec<String> {
    let text = read("core/src/protocol/offsets.rs");
    let lists = text.split("\nfields! {").skip(1).map(|list| list.split("\n}").next().unwrap());
    let keys = lists.flat_map(|list| list.split(" = \"").skip(1));
    keys.map(|key| key.split('"').next().unwrap().to_owned()).collect()
}

/// The fuzzer compares each field with what serde_json reads.
#[test]
fn the_fuzzer_knows_every_hot_field() {
    // It has no accessor; what comes of it is judged by the fuzzer of errors.
    let excused = ["error"];
    let fields = hot_fields();
    assert!(fields.len() >= 11 && fields.contains(&"content".to_owned()), "{fields:?}");
    let oracle = read("tests/fuzz/src/bin/view.rs");
    let is_unknown = |field: &&String| !oracle.contains(&format!("\"{field}\""));
    let unknown: Vec<_> = fields.iter().filter(is_unknown).collect();
    assert_eq!(unknown, excused, "compare these in tests/fuzz/src/bin/view.rs");
}

/// The page is for people: it names the folders of the core, not each of their files.
#[test]
fn the_architecture_names_every_folder_of_the_core() {
    let text = read("docs/architecture.md");
    let folder =
        |path: &String| Some(path.strip_prefix("core/src/")?.split_once('/')?.0.to_owned());
    let folders: BTreeSet<String> = files("core/src", ".rs").iter().filter_map(folder).collect();
    assert!(folders.len() >= 8, "{folders:?}");
    let missing: Vec<_> =
        folders.iter().filter(|name| !text.contains(&format!("{name}/"))).collect();
    assert!(missing.is_empty(), "docs/architecture.md: draw {missing:?}");
}
