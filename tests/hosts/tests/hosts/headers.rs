//! Our headers among those of hosts that have plain words as macros: Qt, Python, PostgreSQL, curses and
//! X11. Compiles only, and runs nothing.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use modelwire_tests_c::{Library, root};

use crate::build::run;

/// A host: what its programs include, and the command that tells where that is. In this order they
/// can be included together.
const HOSTS: [(&str, &str, &str); 5] = [
    ("python", "#include <Python.h>\n", "pkg-config --cflags python3"),
    ("qt", "#include <QtCore>\n", "pkg-config --cflags Qt5Core"),
    (
        "postgresql",
        "extern \"C\" {\n#include <postgres.h>\n#include <fmgr.h>\n#include <miscadmin.h>\n\
         #include <utils/builtins.h>\n}\n",
        "echo -I$(pg_config --includedir-server)",
    ),
    ("curses", "#include <curses.h>\n", "true"),
    ("x11", "#include <X11/Xlib.h>\n#include <X11/Xutil.h>\n", "pkg-config --cflags x11"),
];

const OURS: &str = "#include <modelwire_coro.hpp>\n#include <modelwire.h>\n";

/// Macros over names of the standard library, which our headers set aside while they last.
const SET_ASIDE: &str = "snprintf";

/// Uses the names that a program meets first; templates are made.
const USE: &str = r#"
int use(const modelwire::client& client);
int use(const modelwire::client& client) {
  const auto request = modelwire::request::chat("m").user("x").idle_timeout(modelwire::no_timeout);
  for (auto&& chunk : client.stream(request)) (void)chunk.text();
  const modelwire::queue queue(modelwire::wait_flags::none);
  queue.submit(client, request, 1);
  const auto event = queue.next(modelwire::unlimited);
  const auto call = client.start(request, [](const modelwire::event_view&) {});
  const auto failed = client.try_run(request);
  return failed ? failed->http_status() : static_cast<int>(failed.error().kind());
}
"#;

/// Flags of the hosts, whose folders hold no code of ours to warn of.
fn flags<'a>(commands: impl Iterator<Item = &'a str>) -> Vec<String> {
    let told = commands.map(|command| run(Command::new("sh").args(["-c", command])));
    let words: Vec<String> = told
        .flat_map(|told| told.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    let system = |word: String| match word.strip_prefix("-I") {
        Some(folder) => format!("-isystem{folder}"),
        None => word,
    };
    words.into_iter().map(system).collect()
}

fn compiler(standard: &str, flags: &[String]) -> Command {
    let mut command = Command::new("c++");
    command.args([standard, "-fPIC", "-x", "c++"]).arg("-I").arg(root().join("include"));
    command.args(flags);
    command
}

fn check(name: &str, standard: &str, flags: &[String], text: &str) {
    let source = Library::built().file(&format!("among-{name}.cpp"));
    std::fs::write(&source, text).unwrap();
    let mut command = compiler(standard, flags);
    run(command.args(["-Wall", "-Wextra", "-Werror", "-Wundef", "-fsyntax-only"]).arg(source));
}

/// Each alone, so that it is known which one it is, and all together.
#[test]
fn host_headers_compile_before_and_after_ours() {
    let all: String = HOSTS.iter().map(|(_, includes, _)| *includes).collect();
    let together = flags(HOSTS.iter().map(|(_, _, command)| *command));
    let each = HOSTS.iter().map(|(name, includes, command)| {
        (*name, (*includes).to_owned(), flags([*command].into_iter()))
    });
    for (name, includes, flags) in each.chain([("all", all, together)]) {
        check(name, "-std=c++20", &flags, &format!("{includes}{OURS}{USE}"));
        check(name, "-std=c++20", &flags, &format!("{OURS}{includes}{USE}"));
        let older = OURS.replace("modelwire_coro", "modelwire");
        check(name, "-std=c++17", &flags, &format!("{includes}{older}{USE}"));
    }
}

/// The macros that a text defines.
fn macros(name: &str, flags: &[String], text: &str) -> BTreeSet<String> {
    let source = Library::built().file(&format!("macros-{name}.cpp"));
    std::fs::write(&source, text).unwrap();
    let told = run(compiler("-std=c++20", flags).args(["-E", "-dM"]).arg(source));
    let names = told.lines().filter_map(|line| line.strip_prefix("#define "));
    let name = |rest: &str| rest.split([' ', '(']).next().unwrap_or_default().to_owned();
    names.map(name).collect()
}

/// A header without its comments, its texts and what it includes.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let mut code = String::new();
    for (number, part) in text.split("/*").enumerate() {
        let kept =
            if number == 0 { Some(part) } else { part.split_once("*/").map(|(_, kept)| kept) };
        code += kept.unwrap_or_default();
    }
    let lines = code.lines().filter(|line| !line.trim_start().starts_with('#'));
    let lines = lines.map(|line| line.split("//").next().unwrap_or_default());
    let texts = |line: &str| line.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    lines.map(texts).collect::<Vec<_>>().join("\n")
}

/// Also where no test's text leads: in templates that nobody makes, in parameters, in what is behind an
/// `#if`.
#[test]
fn no_name_in_our_headers_is_a_host_macro() {
    let standard = "#include <memory>\n#include <string>\n#include <vector>\n#include <chrono>\n\
        #include <functional>\n#include <cstdio>\n#include <cstdint>\n#include <coroutine>\n";
    let known = macros("standard", &[], standard);
    let headers = std::fs::read_dir(root().join("include")).unwrap();
    let headers = headers.map(|entry| entry.unwrap().path());
    // The description in JSON is no code, and its texts hold quotes.
    let ours: String = headers
        .filter(|path| path.extension() != Some("json".as_ref()))
        .map(|path| code(&path))
        .collect();
    let ours: BTreeSet<&str> = ours.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    assert!(ours.len() > 500, "only {ours:?} were found");
    for (name, includes, command) in HOSTS {
        let theirs = macros(name, &flags([command].into_iter()), includes);
        let more: Vec<_> = theirs.difference(&known).collect();
        assert!(more.len() > 300, "{name} has only {more:?}");
        let both: Vec<_> = more.into_iter().filter(|word| ours.contains(word.as_str())).collect();
        let both: Vec<_> = both.into_iter().filter(|word| *word != SET_ASIDE).collect();
        assert!(both.is_empty(), "{name} has these names of ours as macros: {both:?}");
    }
}
