//! The prompt for a model: the argument, standard input, or both.

use std::io::{self, IsTerminal, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::console;
use crate::failure::Failure;

/// Maximum bytes of a prompt from standard input.
const PROMPT_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// The prompt argument that means only standard input.
const STANDARD_INPUT: &str = "-";
/// How long to wait silently for the end of standard input, which may be open by accident.
const SILENCE_MAX: Duration = Duration::from_secs(3);

/// The prompt of these arguments. If standard input is not a terminal, its text follows the argument after
/// a blank line.
pub(crate) fn read(given: Option<&str>) -> Result<String, Failure> {
    let is_terminal = io::stdin().is_terminal();
    let prompt = match given {
        Some(STANDARD_INPUT) => of_standard_input()?,
        Some(prompt) if is_terminal => prompt.to_owned(),
        Some(prompt) => join(prompt, &aloud(of_standard_input)?),
        None if is_terminal => {
            let message = "no prompt: give a PROMPT, in quotes, or a file, `< FILE`; the prompt `-` reads \
                           what you type, up to Ctrl-D";
            return Err(Failure::usage(message));
        }
        None => of_standard_input()?,
    };
    if prompt.trim().is_empty() {
        let is_argument = given.is_some_and(|given| given != STANDARD_INPUT);
        let what = if is_argument { "the prompt" } else { "standard input" };
        return Err(Failure::usage(format!("{what} is empty: there is nothing to ask")));
    }
    Ok(prompt)
}

fn join(prompt: &str, input: &str) -> String {
    match (prompt.trim().is_empty(), input.trim().is_empty()) {
        (_, true) => prompt.to_owned(),
        (true, false) => input.to_owned(),
        (false, false) => format!("{prompt}\n\n{input}"),
    }
}

/// Reads, and after `SILENCE_MAX` reports the wait.
fn aloud<T>(read: impl FnOnce() -> T) -> T {
    let (done, waiting) = mpsc::channel::<()>();
    let tell = move || {
        if waiting.recv_timeout(SILENCE_MAX) == Err(RecvTimeoutError::Timeout) {
            console::say(
                "waiting for the end of standard input, which follows the prompt; `< /dev/null` leaves it \
                 out",
            );
        }
    };
    // Without a thread, it waits silently.
    let _ = thread::Builder::new().spawn(tell);
    let result = read();
    drop(done);
    result
}

fn of_standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    // One byte more, to detect input that is too long.
    let mut input = io::stdin().lock().take(PROMPT_BYTES_MAX + 1);
    input
        .read_to_end(&mut bytes)
        .map_err(|cause| Failure::file(format!("standard input cannot be read: {cause}")))?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > PROMPT_BYTES_MAX {
        return Err(Failure::usage(format!(
            "standard input is larger than {PROMPT_BYTES_MAX} bytes: no model takes that much"
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::usage(format!("standard input is not UTF-8 at byte {at}"))
    })
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_prompt_precedes_standard_input() {
        for (prompt, input, expected) in [
            ("Sum it up:", "a file\n", "Sum it up:\n\na file\n"),
            ("Hello", "", "Hello"),
            ("Hello", "\n", "Hello"),
            ("", "a file", "a file"),
            ("", "", ""),
        ] {
            assert_eq!(join(prompt, input), expected);
        }
    }
}
