//! Any text is a recording of `modelwire serve`: refused with the number of its line, or every line of it is
//! JSON that says what was exchanged.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use modelwire_fuzz::{json, memory};
use modelwire_testing::Replay;

fuzz_target!(|input: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(input) else { return Corpus::Reject };
    static FILE: OnceLock<PathBuf> = OnceLock::new();
    let file = FILE.get_or_init(|| memory("recordings").join("it"));
    std::fs::write(file, text).expect("a file in memory");
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    match Replay::read(file) {
        Ok(_) => {
            for (_, line) in lines {
                let line = json(line).expect("taken for JSON");
                assert!(line["method"].is_string() && line["path"].is_string(), "{line}");
                assert!(line["answer"].as_array().is_some_and(|all| !all.is_empty()), "{line}");
            }
        }
        Err(error) => {
            let said = error.to_string();
            let mut numbers = lines.map(|(number, _)| format!("line {} is", number + 1));
            assert!(
                said == "it has no recorded exchange" || numbers.any(|one| said.contains(&one))
            );
        }
    }
    Corpus::Keep
});
