//! The destination of results: a file, plain or compressed, whose commits are synced to disk before they
//! are reported; or a stream such as standard output.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::bufread::{GzDecoder, MultiGzDecoder};
use flate2::write::GzEncoder;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::journal::{End, crc_of, crc_of_next};
use super::journal_file::{has_name, unusable};
use super::replace::replace;
use crate::error::Error;
use crate::output::{self, Outcome};
use crate::row::Key;
use crate::system::{readers_of, write_all_at};

/// The zstd compression level: zstd's own default.
const ZSTD_LEVEL: i32 = 3;

/// Delay before retrying a stream that would block.
const STREAM_WAIT: Duration = Duration::from_millis(5);

/// No result is longer: an answer has less than 2 GiB.
const RESULT_BYTES_MAX: u64 = 4 << 30;

/// The encoding of a results file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Lines.
    Plain,
    /// Gzip members, one per commit.
    Gzip,
    /// Zstd frames, one per commit.
    Zstd,
}

impl Format {
    /// From the extension of the file name.
    pub fn of(path: &Path) -> Format {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("gz") => Format::Gzip,
            Some("zst" | "zstd") => Format::Zstd,
            _ => Format::Plain,
        }
    }

    /// The first bytes of a member.
    pub(crate) fn magic(self) -> &'static [u8] {
        match self {
            Format::Plain => b"{",
            Format::Gzip => &[0x1F, 0x8B, 8],
            Format::Zstd => &[0x28, 0xB5, 0x2F, 0xFD],
        }
    }

    /// Encodes lines independently of anything before them, so that they can be appended.
    pub fn encode(self, lines: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Format::Plain => Ok(lines.to_vec()),
            Format::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(lines)?;
                encoder.finish()
            }
            Format::Zstd => {
                let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                encoder.write_all(lines)?;
                encoder.finish()
            }
        }
    }

    /// Reads the lines of a whole file; of none that is empty, which is no member for a decoder.
    pub fn reader<'a>(self, file: impl Read + 'a) -> io::Result<Box<dyn BufRead + 'a>> {
        let mut file = BufReader::new(file);
        let is_empty = file.fill_buf()?.is_empty();
        Ok(match self {
            Format::Gzip if !is_empty => Box::new(BufReader::new(MultiGzDecoder::new(file))),
            Format::Zstd if !is_empty => Box::new(BufReader::new(ZstdDecoder::with_buffer(file)?)),
            _ => Box::new(file),
        })
    }

    /// Reads the lines of the next member.
    pub(crate) fn of_member<'a>(
        self,
        input: &'a mut impl BufRead,
    ) -> io::Result<Box<dyn Read + 'a>> {
        Ok(match self {
            Format::Plain => Box::new(input),
            Format::Gzip => Box::new(GzDecoder::new(input)),
            Format::Zstd => Box::new(ZstdDecoder::with_buffer(input)?.single_frame()),
        })
    }
}

/// Calls a function with each line of a member, ended by a line feed, and with what it says if it is a result.
/// What begins as no result, or is too long for one, is not held: a member may decompress to any length.
pub(crate) fn each_result(
    mut lines: impl BufRead,
    mut take: impl FnMut(&[u8], Option<(Key, Outcome)>) -> io::Result<()>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        let bytes = next_line(&mut lines, &mut line)?;
        if bytes == 0 {
            return Ok(());
        }
        let is_whole = bytes == line.len();
        set_end(&mut line);
        take(&line, output::read_line(line.trim_ascii_end()).filter(|_| is_whole))?;
    }
}

/// Reads the next line as far as it may be a result. Returns the bytes of all of it; 0 at the end.
pub(crate) fn next_line(lines: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    line.clear();
    lines.by_ref().take(output::HEAD.len() as u64).read_until(b'\n', line)?;
    if line == output::HEAD {
        lines.by_ref().take(RESULT_BYTES_MAX).read_until(b'\n', line)?;
    }
    let rest = if line.ends_with(b"\n") { 0 } else { lines.skip_until(b'\n')? };
    Ok(line.len() + rest)
}

/// Ends a line as it was written: editors and file transfers change line ends, or leave out the last one.
pub(crate) fn set_end(line: &mut Vec<u8>) {
    line.truncate(line.trim_ascii_end().len());
    line.push(b'\n');
}

/// Where results go.
#[derive(Debug)]
pub(crate) enum Results {
    File(ResultsFile),
    Stream(ResultsStream),
    Frozen(Frozen),
}

/// Results already in input order. If more arrive, they become a file of arrivals again.
#[derive(Debug)]
pub(crate) struct Frozen {
    whole: PathBuf,
    arrivals: PathBuf,
    /// Total bytes of the lines.
    end: u64,
}

impl Frozen {
    /// `expected` is the size of the ordered file and the checksum of its lines, and `end` their size.
    pub(crate) fn new(
        whole: &Path,
        arrivals: &Path,
        expected: End,
        end: u64,
    ) -> Result<Frozen, Error> {
        let found = std::fs::metadata(whole).map_or(0, |found| found.len());
        if found != expected.at {
            return Err(Error::ResultsResized {
                path: whole.to_owned(),
                found,
                known: expected.at,
            });
        }
        let file = File::open(whole).map_err(|error| unusable(whole, error))?;
        let read = || {
            let mut lines = Format::of(whole).reader(file)?;
            let crc = crc_of_next(&mut lines, end)?;
            Ok::<_, io::Error>(crc.filter(|_| lines.fill_buf().is_ok_and(<[u8]>::is_empty)))
        };
        // Data that cannot be decompressed is changed data.
        if read().ok().flatten() != Some(expected.crc) {
            return Err(Error::ResultsChanged { path: whole.to_owned(), from: 0, to: found });
        }
        Ok(Frozen { whole: whole.to_owned(), arrivals: arrivals.to_owned(), end })
    }

    fn thaw(&self) -> io::Result<ResultsFile> {
        let mut reader = Format::of(&self.whole).reader(File::open(&self.whole)?)?;
        let readers = readers_of(&std::fs::metadata(&self.whole)?);
        let (file, end) =
            replace(&self.arrivals, readers, |mut file| match io::copy(&mut reader, &mut file)? {
                end if end == self.end => Ok(end),
                _ => Err(io::Error::new(ErrorKind::InvalidData, "its lines were changed")),
            })?;
        Ok(ResultsFile { file, format: Format::Plain, end })
    }
}

/// A file, and where its last commit ends: bytes after that do not count.
#[derive(Debug)]
pub(crate) struct ResultsFile {
    pub(crate) file: File,
    pub(crate) format: Format,
    pub(crate) end: u64,
}

/// An output that is written once and never read: a terminal, a pipe, a device.
#[derive(Debug)]
pub(crate) struct ResultsStream<W = File> {
    out: W,
    /// Bytes of the next line that were written before an error.
    ahead: usize,
}

/// Why a commit did not happen.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) error: io::Error,
    /// Bytes of whole lines that went to a stream before the error.
    pub(crate) lines_out: usize,
}

impl Results {
    /// Writes whole lines and syncs them to disk. After an error, the file is as it was before. Returns the
    /// end of the member, if the lines are compressed into one.
    pub(crate) fn commit(&mut self, lines: &[u8]) -> Result<Option<End>, Refused> {
        match self {
            Results::File(file) => {
                file.commit(lines).map_err(|error| Refused { error, lines_out: 0 })
            }
            Results::Stream(stream) => stream.commit(lines).map(|()| None),
            Results::Frozen(_) => {
                self.thaw().map_err(|error| Refused { error, lines_out: 0 })?;
                self.commit(lines)
            }
        }
    }

    /// Makes results that were put in order appendable again.
    pub(crate) fn thaw(&mut self) -> io::Result<()> {
        if let Results::Frozen(frozen) = self {
            *self = Results::File(frozen.thaw()?);
        }
        Ok(())
    }

    /// Where the next committed line will begin; `None` for a stream.
    pub(crate) fn end(&self) -> Option<u64> {
        match self {
            Results::File(file) => Some(file.end),
            Results::Frozen(frozen) => Some(frozen.end),
            Results::Stream(_) => None,
        }
    }

    /// An error if something else removed, replaced or cut the file since it was opened.
    pub(crate) fn check_file(&self, path: &Path) -> io::Result<()> {
        let Results::File(ResultsFile { file, end, .. }) = self else { return Ok(()) };
        let what = match has_name(file, path) {
            true if file.metadata()?.len() >= *end => return Ok(()),
            true => "cut",
            false => "removed or replaced",
        };
        Err(io::Error::other(format!("the file was {what} while the job ran")))
    }

    pub(crate) fn format(&self) -> Format {
        match self {
            Results::File(file) => file.format,
            Results::Stream(_) | Results::Frozen(_) => Format::Plain,
        }
    }
}

impl ResultsFile {
    /// Its bytes, from the first to the last commit.
    pub(crate) fn bytes(&self) -> io::Result<impl Read> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        Ok(file.take(self.end))
    }

    pub(crate) fn lines(&self) -> io::Result<Box<dyn BufRead + '_>> {
        self.format.reader(self.bytes()?)
    }

    fn commit(&mut self, lines: &[u8]) -> io::Result<Option<End>> {
        let encoded = match self.format {
            Format::Plain => None,
            Format::Gzip | Format::Zstd => Some(self.format.encode(lines)?),
        };
        let bytes = encoded.as_deref().unwrap_or(lines);
        let written =
            write_all_at(&self.file, bytes, self.end).and_then(|()| self.file.sync_data());
        match written {
            Ok(()) => {
                self.end += bytes.len() as u64;
                Ok(encoded.map(|member| End { at: self.end, crc: crc_of(&member) }))
            }
            Err(error) => {
                let _ = self.file.set_len(self.end);
                Err(error)
            }
        }
    }
}

impl<W: Write> ResultsStream<W> {
    pub(crate) fn new(out: W) -> ResultsStream<W> {
        ResultsStream { out, ahead: 0 }
    }

    /// After an error, the lines that are not out are committed again: the first continues where the
    /// error cut it.
    fn commit(&mut self, lines: &[u8]) -> Result<(), Refused> {
        let mut out = std::mem::take(&mut self.ahead);
        while let Some(rest) = lines.get(out..).filter(|rest| !rest.is_empty()) {
            match self.out.write(rest) {
                Ok(0) => return Err(self.refused(lines, out, ErrorKind::WriteZero.into())),
                Ok(some) => out += some,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    std::thread::sleep(STREAM_WAIT)
                }
                Err(error) => return Err(self.refused(lines, out, error)),
            }
        }
        Ok(())
    }

    fn refused(&mut self, lines: &[u8], out: usize, error: io::Error) -> Refused {
        let written = lines.get(..out).unwrap_or_default();
        let lines_out = written.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        self.ahead = out - lines_out;
        Refused { error, lines_out }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use super::*;

    #[test]
    fn a_member_begins_with_its_magic_and_is_read_only_as_a_whole() {
        for format in [Format::Plain, Format::Gzip, Format::Zstd] {
            let member = format.encode(b"{}\n").unwrap();
            assert!(member.starts_with(format.magic()) && !format.magic().is_empty());
            let read = |member: &[u8]| {
                let mut lines = Vec::new();
                format.of_member(&mut &member[..])?.read_to_end(&mut lines).map(|_| lines)
            };
            assert_eq!(read(&member).unwrap(), b"{}\n");
            if format != Format::Plain {
                let cut = &member[..member.len() - 2];
                assert_eq!(read(cut).unwrap_err().kind(), ErrorKind::UnexpectedEof, "{format:?}");
            }
        }
    }

    /// A member may decompress to any length.
    #[test]
    fn results_are_taken_one_by_one_and_what_is_none_is_not_held() {
        let key = Key::new("a", 1);
        let mut result = Vec::new();
        output::write_unsent(&key, &modelwire::Error::argument("no"), &mut result);
        let taken = std::cell::Cell::new(0);
        let after_first = std::iter::once_with(|| {
            assert_eq!(taken.get(), 1, "taken before the rest is read");
            b'x'
        });
        let rest = after_first.chain(std::iter::repeat_n(b'x', 1 << 20));
        let lines = BufReader::with_capacity(1, Bytes(rest));
        each_result(result.as_slice().chain(lines), |line, read| {
            taken.set(taken.get() + 1);
            match taken.get() {
                1 => assert!(line == result && read.is_some()),
                _ => assert!(line.len() <= output::HEAD.len() + 1 && read.is_none()),
            }
            Ok(())
        })
        .unwrap();
        assert_eq!(taken.get(), 2);
    }

    struct Bytes<T>(T);

    impl<T: Iterator<Item = u8>> Read for Bytes<T> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            Ok(out.iter_mut().zip(&mut self.0).map(|(to, from)| *to = from).count())
        }
    }

    /// Takes bytes while there is room.
    #[derive(Default)]
    struct SmallDisk {
        written: Vec<u8>,
        room: usize,
    }

    impl Write for SmallDisk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let some = bytes.len().min(self.room);
            if some == 0 {
                return Err(ErrorKind::StorageFull.into());
            }
            self.room -= some;
            self.written.extend_from_slice(&bytes[..some]);
            Ok(some)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_a_stream_took_is_counted_in_whole_lines() {
        for (room, lines_out) in [(0, 0), (3, 0), (4, 4), (7, 4), (8, 8)] {
            let mut stream = ResultsStream::new(SmallDisk { room, ..SmallDisk::default() });
            let refused = stream.commit(b"one\ntwo\nthree\n").unwrap_err();
            assert_eq!(refused.lines_out, lines_out, "{room}");
        }
    }

    #[test]
    fn a_line_that_a_full_disk_cut_is_continued_where_it_was_cut() {
        for cut in 0..8 {
            let mut stream = ResultsStream::new(SmallDisk::default());
            let mut lines = b"one\ntwo\n".to_vec();
            for room in [cut, 0, 2, 0] {
                stream.out.room = room;
                let refused = stream.commit(&lines).unwrap_err();
                lines.drain(..refused.lines_out);
                // A row that ends while there is no space.
                lines.extend_from_slice(b"late\n");
            }
            stream.out.room = usize::MAX;
            stream.commit(&lines).unwrap();
            stream.commit(b"last\n").unwrap();
            let written = String::from_utf8(stream.out.written).unwrap();
            assert_eq!(written, format!("one\ntwo\n{}last\n", "late\n".repeat(4)), "{cut}");
        }
    }
}
