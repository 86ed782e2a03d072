//! Every sleep of a test, and every bound from above on a time that was measured, says why no state could be
//! waited for in its place: in a comment on its line or on the line above.

use std::fs;

use super::{files, read, root};

/// Where tests are, and how their files end.
const FOLDERS: [(&str, &str); 19] = [
    ("bulk/src", "_tests.rs"),
    ("cli/src", "_tests.rs"),
    ("core/src", "_tests.rs"),
    ("tests/c", ".c"),
    ("tests/c", ".h"),
    ("tests/c", ".rs"),
    ("tests/cli", ".rs"),
    ("tests/cpp", ".cpp"),
    ("tests/cpp", ".hpp"),
    ("tests/cpp", ".rs"),
    ("tests/deep", ".rs"),
    ("tests/hosts", ".c"),
    ("tests/hosts", ".rs"),
    ("tests/python", ".py"),
    ("tests/rust/src", ".rs"),
    ("tests/rust/tests/scenarios", ".rs"),
    ("tests/service/tests", ".rs"),
    ("tests/soak", ".py"),
    ("tests/soak", ".rs"),
];

/// What sleeps.
const SLEEPS: [&str; 4] = ["sleep(", "sleep_ms(", "nanosleep(", "sleep_for("];
/// What a time that was measured is read from. A bound from below needs no reason: a busy machine only
/// lengthens what is measured.
const CLOCKS: [&str; 6] =
    ["elapsed()", "now_ms()", "monotonic()", "perf_counter()", "steady_clock::now()", "took"];
const MARK: &str = "clock: ";

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// What stands behind each place of a word in a line.
fn behind<'a>(line: &'a str, word: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    let places = line.match_indices(word);
    let whole = places.filter(|(at, _)| !line[..*at].ends_with(is_word));
    whole.map(move |(at, _)| (&line[..at], &line[at + word.len()..]))
}

/// Whether a line sleeps. Functions of that name, and turns of an event loop, do not.
fn sleeps(line: &str) -> bool {
    SLEEPS.iter().flat_map(|word| behind(line, word)).any(|(before, after)| {
        let is_named = ["fn ", "void ", "def "].iter().any(|kind| before.ends_with(kind));
        !is_named && !after.starts_with("0)")
    })
}

/// Whether a line bounds a time from above.
fn bounds(line: &str) -> bool {
    let is_less = |after: &str| after.contains(" < ") || after.contains(" <= ");
    CLOCKS.iter().any(|word| behind(line, word).any(|(_, after)| is_less(after)))
        || line.contains(".elapsed() < ")
        || (line.contains(".contains(&") && line.contains("elapsed()"))
}

fn is_comment(line: &str, path: &str) -> bool {
    let starts: &[&str] = if path.ends_with(".py") { &["#"] } else { &["//", "/*", "*"] };
    starts.iter().any(|start| line.trim_start().starts_with(start))
}

/// The reason that a line names.
fn reason(line: &str) -> Option<&str> {
    let (_, reason) = line.split_once(MARK)?;
    let reason = reason.split("*/").next().unwrap();
    Some(reason.trim_end_matches(['\\', ' ']))
}

/// A line without its comment.
fn bare(line: &str) -> String {
    let end = ["//", "/*", "# "].iter().filter_map(|start| line.find(&format!("{start} {MARK}")));
    let end = end.chain(line.find(&format!("# {MARK}"))).min().unwrap_or(line.len());
    line[..end].trim().trim_end_matches('\\').trim_end().replace('|', "\\|")
}

/// What CLOCK.md must say.
fn clock_table() -> String {
    let mut table = String::from(
        "# Where tests look at a clock\n\n\
         Made from the comments `clock: ...` beside each sleep of a test and each bound from above on a time \
         that was measured, by `make generate`; a test compares it. Everything else waits for a state.\n\n\
         | file | what | why |\n|---|---|---|\n",
    );
    let mut unexplained = Vec::new();
    for path in FOLDERS.iter().flat_map(|(folder, end)| files(folder, end)) {
        let text = read(&path);
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate().filter(|(_, line)| !is_comment(line, &path))
        {
            // A mark counts also where the time was measured elsewhere.
            let above = number.checked_sub(1).map(|above| lines[above]);
            let above = above.filter(|above| is_comment(above, &path));
            let why = reason(line).or(above.and_then(reason));
            if let Some(why) = why {
                table.push_str(&format!("| {path} | `{}` | {why} |\n", bare(line)));
            } else if sleeps(line) || bounds(line) {
                unexplained.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    let hint = "Wait for a state, or say `clock: why` there";
    assert!(unexplained.is_empty(), "{hint}:\n{}", unexplained.join("\n"));
    table
}

#[test]
fn the_table_of_clock_uses_is_up_to_date() {
    let table = clock_table();
    if std::env::var_os("UPDATE_RULES").is_some() {
        fs::write(root().join("tests/CLOCK.md"), &table).unwrap();
    }
    assert!(table == read("tests/CLOCK.md"), "tests/CLOCK.md is stale: run `make generate`");
}

#[test]
fn sleeps_and_bounds_are_found() {
    for line in [
        "std::thread::sleep(PAUSE);",
        "await asyncio.sleep(0.1)",
        "while (nanosleep(&moment, &moment) != 0) continue;",
        "assert!(start.elapsed() < LONG);",
        "CHECK(now_ms() - asked_ms < PROMPT_MS);",
        "assert time.monotonic() - before <= 2",
        "assert 1.0 <= took < 7.0",
    ] {
        assert!(sleeps(line) || bounds(line), "{line}");
    }
    for line in [
        "fn sleep(ms: u64) {",
        "void sleep_ms(int64_t milliseconds);",
        "await trio.sleep(0)",
        "assert!(start.elapsed() >= LONG);",
        "falls_asleep(now)",
        "let mistook = a < b;",
    ] {
        assert!(!sleeps(line) && !bounds(line), "{line}");
    }
}
