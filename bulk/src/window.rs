//! Reads single lines of a file by their offsets.

use std::fs::File;
use std::io;

use crate::system::read_exact_at;

/// The bytes of a file that were read last.
#[derive(Debug)]
pub(crate) struct Window {
    size: usize,
    bytes: Vec<u8>,
    start: u64,
}

impl Window {
    /// Reads `size` bytes at once, or more for a longer line.
    pub(crate) fn new(size: usize) -> Window {
        Window { size, bytes: Vec::new(), start: 0 }
    }

    /// The line of the file that begins at this offset, line feed included. The lines end at `end`.
    pub(crate) fn line(&mut self, file: &File, end: u64, place: u64) -> io::Result<&[u8]> {
        let mut size = self.size;
        loop {
            let from = place.checked_sub(self.start).and_then(|from| usize::try_from(from).ok());
            let found = from.and_then(|from| {
                let length = self.bytes.get(from..)?.iter().position(|byte| *byte == b'\n')?;
                Some(from..from + length + 1)
            });
            if let Some(range) = found {
                return self.bytes.get(range).ok_or_else(|| io::ErrorKind::UnexpectedEof.into());
            }
            let rest = usize::try_from(end.saturating_sub(place)).unwrap_or(usize::MAX);
            if from == Some(0) && self.bytes.len() >= rest {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            size = size.max(if from == Some(0) { self.bytes.len() * 2 } else { 0 }).min(rest);
            self.bytes.resize(size, 0);
            read_exact_at(file, &mut self.bytes, place)?;
            self.start = place;
        }
    }
}
