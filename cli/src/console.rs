//! The output of a command: data goes to standard output, byte for byte; everything else to standard error.
//!
//! A terminal obeys control characters, and a model may write any. On a terminal they are shown escaped,
//! including those that change the direction of text. To a pipe or a file, every byte is written unchanged.

use std::io::{self, ErrorKind, IsTerminal, Stdout, Write};
use std::time::Duration;

use crate::failure::{Exit, Failure};

/// Maximum bytes in the buffer.
const WAITING_BYTES_MAX: usize = 64 * 1024;
/// Maximum characters of a message on standard error: a service may send a page instead of a line.
const MESSAGE_CHARS_MAX: usize = 2000;
/// Delay before a retry if standard output is non-blocking and full.
const FULL_PAUSE: Duration = Duration::from_millis(5);

/// Standard output.
pub(crate) struct Output {
    to: Stdout,
    waiting: Vec<u8>,
    is_terminal: bool,
    /// The last byte written or buffered.
    last: Option<u8>,
}

impl Output {
    /// The standard output of the process.
    pub(crate) fn standard() -> Output {
        let to = io::stdout();
        let is_terminal = to.is_terminal();
        Output { to, waiting: Vec::new(), is_terminal, last: None }
    }

    /// Whether anything was written.
    pub(crate) fn has_begun(&self) -> bool {
        self.last.is_some()
    }

    /// Writes text; on a terminal, control characters except line feeds and tabs are escaped.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        match self.is_terminal {
            true => self.bytes(shown(text).as_bytes()),
            false => self.bytes(text.as_bytes()),
        }
    }

    /// Writes text and a line feed.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        self.text(text)?;
        self.bytes(b"\n")
    }

    /// On a terminal, ends the last line if it has no line feed.
    pub(crate) fn end_line(&mut self) -> Result<(), Failure> {
        if self.is_terminal && self.last.is_some_and(|last| last != b'\n') {
            self.bytes(b"\n")?;
        }
        self.flush()
    }

    fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.last = bytes.last().copied().or(self.last);
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= WAITING_BYTES_MAX { self.flush() } else { Ok(()) }
    }

    /// Writes the buffer.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        let waiting = std::mem::take(&mut self.waiting);
        let mut left = waiting.as_slice();
        let to = &mut self.to;
        while !left.is_empty() {
            let written = patiently(|| to.write(left))?;
            left = left.get(written..).unwrap_or_default();
        }
        patiently(|| to.flush())
    }
}

/// Retries while the output is full.
fn patiently<T>(mut write: impl FnMut() -> io::Result<T>) -> Result<T, Failure> {
    loop {
        match write() {
            Ok(done) => return Ok(done),
            Err(error) if error.kind() == ErrorKind::WouldBlock => std::thread::sleep(FULL_PAUSE),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(unwritten(&error)),
        }
    }
}

/// The failure of a write to standard output.
pub(crate) fn unwritten(error: &io::Error) -> Failure {
    match error.kind() {
        // The reader has closed the pipe: print nothing.
        ErrorKind::BrokenPipe => Failure::new(Exit::BrokenPipe, ""),
        _ => Failure::file(format!("standard output cannot be written: {error}")),
    }
}

/// Prints a message for the user on one line of standard error.
pub(crate) fn say(message: &str) {
    tell(&format!("modelwire: {}\n", one_line(message)));
}

/// Writes text of several lines to standard error.
pub(crate) fn say_lines(text: &str) {
    tell(&format!("{}\n", shown(text)));
}

fn tell(text: &str) {
    // If this fails, there is nowhere to report it.
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Whether a character controls a terminal or the direction of the text after it (bidirectional controls,
/// which make a line look like another one). Letters of right-to-left scripts do not count.
pub(crate) fn is_control(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
        )
}

/// The text with escaped control characters, except line feeds and tabs.
pub(crate) fn shown(text: &str) -> String {
    let is_shown = |letter: char| is_control(letter) && letter != '\n' && letter != '\t';
    if !text.contains(is_shown) {
        return text.to_owned();
    }
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_shown(letter) {
            true => safe.extend(letter.escape_default()),
            false => safe.push(letter),
        }
    }
    safe
}

/// The text on one line, up to the maximum length of a message.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split(['\n', '\r', '\t']).map(str::trim).collect();
    let line = shown(words.join(" ").trim());
    match line.char_indices().nth(MESSAGE_CHARS_MAX) {
        Some((at, _)) => format!("{} ...", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
#[path = "console_tests.rs"]
mod tests;
