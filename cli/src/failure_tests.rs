//! The codes, and the translation of the library's hints.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::path::Path;

use modelwire::ERROR_KINDS;

use super::*;

/// The sources of the library, with string continuations joined as by the compiler.
fn library(folder: &Path) -> String {
    let mut all = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => all.push_str(&library(&path)),
            false => all.push_str(&std::fs::read_to_string(&path).unwrap()),
        }
    }
    all.split("\\\n").map(str::trim_start).collect()
}

#[test]
fn every_reworded_message_still_exists_in_the_core() {
    let library = library(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/src"));
    for (theirs, _) in WORDS {
        assert!(library.contains(theirs), "{theirs:?} is no longer in core: update WORDS");
    }
}

#[test]
fn exit_codes_ascend_and_every_error_has_a_nonzero_one() {
    let codes: Vec<u8> = Exit::ALL.iter().map(|exit| *exit as u8).collect();
    assert!(codes.is_sorted() && codes.first() == Some(&0), "{codes:?}");
    for kind in ERROR_KINDS {
        assert_ne!(Exit::of(kind), Exit::Done, "{kind:?}");
    }
}

#[test]
fn sentences_end_once() {
    for (message, expected) in [
        ("It broke", "It broke. Mend it."),
        ("It broke.", "It broke. Mend it."),
        ("It broke?", "It broke? Mend it."),
    ] {
        assert_eq!(Failure::usage(message).and("Mend it.").message, expected);
    }
}
