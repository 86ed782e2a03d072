//! Command lines in messages: quoting for a shell, and the command that resumes a job, which is the given
//! one without the options that would start over.

use std::ffi::{OsStr, OsString};

/// Options to leave out of the command that resumes.
const NOT_REPEATED: [&str; 3] = ["--overwrite", "--retry-failed", "--repair"];

/// The command line that resumes, with another option, quoted for a shell.
pub(super) fn to_go_on(
    arguments: impl IntoIterator<Item = OsString>,
    added: Option<&str>,
) -> String {
    let all: Vec<_> = arguments.into_iter().collect();
    // Skip the interpreter and script, if any.
    let own = all.iter().position(|argument| argument == "bulk").unwrap_or(1);
    let rest = all.into_iter().skip(own);
    let mut repeated = rest.filter(|word| !NOT_REPEATED.iter().any(|option| word == option));
    let command = std::iter::once(OsString::from("modelwire")).chain(repeated.next());
    // Before all others: after `--`, it would be an input.
    quoted(command.chain(added.map(OsString::from)).chain(repeated))
}

/// A command quoted for a shell, so that it can be copied.
pub(crate) fn quoted<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> String {
    let quoted = |word: S| {
        let word = word.as_ref().to_string_lossy();
        let is_plain = |letter: char| letter.is_alphanumeric() || "-_./=:,@%+".contains(letter);
        match !word.is_empty() && word.chars().all(is_plain) {
            true => word.into_owned(),
            false => format!("'{}'", word.replace('\'', r"'\''")),
        }
    };
    words.into_iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resume_command_omits_options_that_restart() {
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
            assert_eq!(to_go_on(given.iter().map(OsString::from), None), expected);
        }
    }

    #[test]
    fn an_option_is_added_before_the_inputs() {
        let given = ["modelwire", "bulk", "-o", "out.jsonl", "--", "in.jsonl"];
        assert_eq!(
            to_go_on(given.iter().map(OsString::from), Some("--yes")),
            "modelwire bulk --yes -o out.jsonl -- in.jsonl"
        );
    }

    #[test]
    fn commands_can_be_copied() {
        assert_eq!(
            quoted(["modelwire", "bulk", "my rows.jsonl", "-o", "it's"]),
            r"modelwire bulk 'my rows.jsonl' -o 'it'\''s'"
        );
        assert_eq!(quoted([""]), "''");
    }
}
