//! Splits bytes into lines of limited length.

use std::io::{self, BufRead, BufReader, Read};

use crate::input::fault::Fault;

/// The longest line, in bytes: a prompt with a few pictures fits.
pub const ROW_BYTES_MAX: usize = 64 << 20;

/// The number of bytes read at once.
pub(crate) const READ_BYTES: usize = 256 << 10;

/// The buffer of a longer line is shrunk afterwards.
pub(crate) const LINE_BYTES_KEPT_MAX: usize = 1 << 20;

pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The lines of a text, one after another. Empty ones are skipped, but counted.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    number: u64,
    bytes_max: usize,
}

/// A line that is not empty.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Without its line end.
    Whole(&'a [u8]),
    /// The beginning of a line that exceeds [`ROW_BYTES_MAX`].
    TooLong(&'a [u8]),
    /// What could not be read as a record of a table, and why.
    Bad(&'a [u8], &'a Fault),
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Lines<R> {
        Lines::with_bounds(reader, READ_BYTES, ROW_BYTES_MAX)
    }

    fn with_bounds(reader: R, read_bytes: usize, bytes_max: usize) -> Lines<R> {
        let reader = BufReader::with_capacity(read_bytes, reader);
        Lines { reader, line: Vec::new(), number: 0, bytes_max }
    }

    /// The number of the last line read, from 1. If reading fails, that of the last whole line.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Reads the next line; false at the end. A last line without a line end counts, unless reading fails
    /// after it: it may be incomplete.
    pub(crate) fn advance(&mut self) -> io::Result<bool> {
        loop {
            self.line.clear();
            self.line.shrink_to(LINE_BYTES_KEPT_MAX);
            let bound = self.bytes_max as u64 + 2; // and a line end
            if self.reader.by_ref().take(bound).read_until(b'\n', &mut self.line)? == 0 {
                return Ok(false);
            }
            let is_first = self.number == 0;
            let has_end = self.line.last() == Some(&b'\n');
            let is_too_long = without_end(&self.line).len() > self.bytes_max;
            if is_too_long && !has_end {
                self.reader.skip_until(b'\n')?;
            }
            self.number += 1;
            if is_first && self.line.starts_with(BYTE_ORDER_MARK) {
                self.line.drain(..BYTE_ORDER_MARK.len());
            }
            if !self.line.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    /// The line that was read.
    pub(crate) fn line(&self) -> Line<'_> {
        let line = without_end(&self.line);
        if line.len() > self.bytes_max { Line::TooLong(line) } else { Line::Whole(line) }
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
#[path = "lines_tests.rs"]
mod tests;
