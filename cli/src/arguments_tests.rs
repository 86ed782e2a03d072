//! Properties of the whole table of arguments.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use clap::CommandFactory;

use super::*;

#[test]
fn clap_accepts_the_argument_definitions() {
    Arguments::command().debug_assert();
}

#[test]
fn argument_errors_fit_on_one_line() {
    for (arguments, expected) in [
        (&["chta"][..], "unrecognized subcommand 'chta'; tip: a similar subcommand exists: 'chat'"),
        (
            &["chat", "--modle", "x"],
            "unexpected argument '--modle' found; tip: a similar argument exists: '--model'",
        ),
        (&["chat", "two", "words"], "unexpected argument 'words' found"),
        (
            &["chat", "--max-tokens", "0"],
            "invalid value '0' for '--max-tokens <N>': 0 is not in 1..=4294967295",
        ),
        (
            &["chat", "--temperature", "hot"],
            "invalid value 'hot' for '--temperature <X>': it must be a number",
        ),
        (&["models", "--json", "--curl"], "the argument '--json' cannot be used with '--curl'"),
        (
            &["models", "--timeout", "0"],
            "invalid value '0' for '--timeout <SECONDS>': it must be seconds, above 0 and up to 31536000",
        ),
        (
            &["bulk", "in", "-o", "out", "--rpm", "-1"],
            "invalid value '-1' for '--rpm <N>': give a number above 0",
        ),
        (
            &["bulk", "set", "out", "--max-cost", "-0.5"],
            "invalid value '-0.5' for '--max-cost <COST>': give a number, 0 or more, or none",
        ),
        (&["serve", "--usage", "x"], "--usage takes asked, always or never, not \"x\""),
    ] {
        let all = ["modelwire"].iter().chain(arguments);
        let error = parsed(all).unwrap_err();
        assert_eq!(in_a_line(&error.render().to_string()), expected);
    }
}
