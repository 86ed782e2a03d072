//! How a job goes on: the command that was given, without what would begin anew. Knows no option's meaning
//! but that.

use std::ffi::OsString;

use crate::bulk::summary;

/// Options that are not repeated when a job goes on.
const NOT_REPEATED: [&str; 2] = ["--overwrite", "--retry-failed"];

/// The command line that goes on, as a shell reads it.
pub(super) fn to_go_on(arguments: impl IntoIterator<Item = OsString>) -> String {
    let all: Vec<_> = arguments.into_iter().collect();
    // Whatever interpreter and script came before it.
    let own = all.iter().position(|argument| argument == "bulk").unwrap_or(1);
    let rest = all.into_iter().skip(own);
    let repeated = rest.filter(|word| !NOT_REPEATED.iter().any(|option| word == option));
    summary::command_line(std::iter::once(OsString::from("modelwire")).chain(repeated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_anew_is_left_out() {
        for (given, expected) in [
            (
                &["modelwire", "bulk", "in.jsonl", "-o", "out.jsonl"][..],
                "modelwire bulk in.jsonl -o out.jsonl",
            ),
            (
                &["python3", "/x/modelwire", "bulk", "my rows", "--overwrite", "-o", "it's"],
                r"modelwire bulk 'my rows' -o 'it'\''s'",
            ),
            (&["modelwire", "bulk", "in", "--retry-failed", "--yes"], "modelwire bulk in --yes"),
        ] {
            assert_eq!(to_go_on(given.iter().map(OsString::from)), expected);
        }
    }
}
