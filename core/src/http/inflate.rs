//! Decompresses a gzip body piece by piece as it arrives, in bounded steps.

use std::io::Write;

use bytes::{Buf, Bytes};
use flate2::write::GzDecoder;

/// The maximum compressed input of one step, in bytes: gzip expands at most about a thousandfold, so a step
/// yields at most a few hundred KiB.
const STEP_BYTES_MAX: usize = 256;

/// The first byte of a member (RFC 1952).
const MEMBER_BEGINS: u8 = 0x1f;

/// A body being decompressed: one member or several. What is behind them and is none is ignored, as by other
/// clients: some servers pad. A body without a byte is empty, whatever its header says.
pub(crate) struct Inflate {
    /// Of the current member; `None` before the first one, and behind the last.
    member: Option<GzDecoder<Vec<u8>>>,
    packed: Bytes,
    is_padding: bool,
}

impl Inflate {
    pub(crate) fn new() -> Inflate {
        Inflate { member: None, packed: Bytes::new(), is_padding: false }
    }

    /// Sets the next compressed piece. The previous one must have been consumed.
    pub(crate) fn put(&mut self, packed: Bytes) {
        self.packed = packed;
    }

    /// Decompresses a part of the current piece; the result may be empty. `None` if the piece is used up.
    /// Output is not held back to fill a buffer.
    #[inline(never)] // it would make the read of a plain body slower
    pub(crate) fn take(&mut self) -> std::io::Result<Option<Bytes>> {
        if self.packed.is_empty() {
            return Ok(None);
        }
        let mut step = self.packed.split_to(self.packed.len().min(STEP_BYTES_MAX));
        let mut out = Vec::new();
        while !step.is_empty() && !self.is_padding {
            let member = self.member.get_or_insert_with(|| GzDecoder::new(Vec::new()));
            match member.write(&step)? {
                0 => {
                    out.append(member.get_mut());
                    self.finish()?;
                    self.is_padding = step.first() != Some(&MEMBER_BEGINS);
                }
                written => step.advance(written),
            }
        }
        if let Some(member) = &mut self.member {
            member.flush()?;
            out.append(member.get_mut());
        }
        Ok(Some(out.into()))
    }

    /// Ends the compressed body: an error if it was cut off.
    pub(crate) fn finish(&mut self) -> std::io::Result<()> {
        self.member.take().map_or(Ok(()), |mut member| member.try_finish())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn unpack(pieces: &[&[u8]]) -> std::io::Result<Vec<u8>> {
        let mut inflate = Inflate::new();
        let mut all = Vec::new();
        for piece in pieces {
            inflate.put(Bytes::copy_from_slice(piece));
            while let Some(part) = inflate.take()? {
                all.extend_from_slice(&part);
            }
        }
        inflate.finish().map(|()| all)
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn every_split_gives_the_same() {
        let text = b"data: {\"a\":1}\n\n".repeat(20);
        let gzip = packed(&text);
        assert_eq!(unpack(&[&gzip]).unwrap(), text);
        let bytes: Vec<&[u8]> = gzip.chunks(1).collect();
        assert_eq!(unpack(&bytes).unwrap(), text);
        for at in 0..gzip.len() {
            assert_eq!(unpack(&[&gzip[..at], &gzip[at..]]).unwrap(), text);
            assert_eq!(unpack(&[&gzip[..at]]).is_err(), at > 0, "cut at {at}");
        }
    }

    #[test]
    fn what_was_flushed_is_handed_out_at_once() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        let mut inflate = Inflate::new();
        for text in ["one", "two"] {
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.flush().unwrap();
            inflate.put(std::mem::take(encoder.get_mut()).into());
            assert_eq!(inflate.take().unwrap().unwrap(), text.as_bytes());
            assert!(inflate.take().unwrap().is_none());
        }
    }

    #[test]
    fn a_bomb_comes_out_in_parts() {
        let gzip = packed(&vec![0; 8 << 20]);
        let mut inflate = Inflate::new();
        inflate.put(gzip.into());
        let part = inflate.take().unwrap().unwrap();
        assert!(part.len() <= STEP_BYTES_MAX * 1100, "{} bytes in one step", part.len());
    }

    #[test]
    fn behind_the_last_member_anything_is_ignored() {
        let (one, two) = (packed(b"one"), packed(b"two"));
        for (behind, all) in
            [(&two[..], "onetwo"), (b"junk", "one"), (b"\0\0", "one"), (b"\r\n", "one")]
        {
            let gzip = [&one, behind].concat();
            assert_eq!(unpack(&[&gzip]).unwrap(), all.as_bytes());
            for at in 0..gzip.len() {
                assert_eq!(unpack(&[&gzip[..at], &gzip[at..]]).unwrap(), all.as_bytes());
            }
        }
        let padded = [&one[..], b"\0", &two].concat();
        assert_eq!(unpack(&[&padded]).unwrap(), b"one");
        assert!(unpack(&[&one, &two[..9]]).is_err(), "a member that is cut");
        let mut wrong = one;
        *wrong.iter_mut().rev().nth(6).unwrap() ^= 1;
        assert!(unpack(&[&wrong]).is_err() && unpack(&[&wrong, b"junk"]).is_err(), "its checksum");
    }

    #[test]
    fn what_is_not_gzip_is_an_error() {
        assert!(unpack(&[b"not gzip at all"]).is_err());
    }
}
