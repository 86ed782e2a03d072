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
        (&["serve", "--usage", "x"], "--usage takes asked, always or never, not \"x\""),
    ] {
        let all = ["modelwire"].iter().chain(arguments);
        let error = Arguments::try_parse_from(all).unwrap_err();
        assert_eq!(in_a_line(&error.render().to_string()), expected);
    }
}
