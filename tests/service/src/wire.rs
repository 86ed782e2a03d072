//! One connection: reads requests and plays steps.

use std::future::pending;
use std::io;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::http::{Dechunker, Framing, REQUEST_HEAD_BYTES_MAX, Request, parse_head};
use crate::problem::Problem;
use crate::script::{Exchange, Step};

/// The block size of repeated bytes.
const BLOCK_BYTES: usize = 64 << 10;
/// Maximum bytes of one read: most requests are smaller, and each of thousands of connections holds this
/// much.
const READ_BYTES: usize = 8 << 10;
/// The pause between the pieces of a split: enough for a waiting peer to read the first one.
const SPLIT_PAUSE: Duration = Duration::from_millis(2);
/// How long to drain a connection after a refusal, so that the answer is not lost to a reset.
const LINGER: Duration = Duration::from_secs(1);

/// Why there is no next request.
pub(crate) enum NoRequest {
    /// The peer disconnected.
    Gone,
    /// The peer sent something that is not a request, or that exceeds a limit.
    Refused(Problem),
}

impl From<io::Error> for NoRequest {
    fn from(_: io::Error) -> NoRequest {
        NoRequest::Gone
    }
}

impl From<Problem> for NoRequest {
    fn from(problem: Problem) -> NoRequest {
        NoRequest::Refused(problem)
    }
}

/// Whether a connection can carry another exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    Open,
    Closed,
}

/// A connection, and the bytes that were read but not used yet.
pub(crate) struct Wire {
    stream: TcpStream,
    unused: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(stream: TcpStream) -> Wire {
        Wire { stream, unused: Vec::new() }
    }

    /// Waits for the next request and reads all of it.
    pub(crate) async fn next_request(&mut self) -> Result<Request, NoRequest> {
        let head = loop {
            match parse_head(&self.unused)? {
                Some(head) => break head,
                None => self.read().await?,
            }
        };
        self.unused.drain(..head.bytes);
        let mut request = head.request;
        request.body = match head.framing {
            Framing::Length(length) => self.read_exact(length).await?,
            Framing::Chunked => self.read_chunked().await?,
        };
        Ok(request)
    }

    async fn read(&mut self) -> Result<(), NoRequest> {
        self.unused.reserve(READ_BYTES);
        match self.stream.read_buf(&mut self.unused).await? {
            0 => Err(NoRequest::Gone),
            _ => Ok(()),
        }
    }

    async fn read_exact(&mut self, length: usize) -> Result<Vec<u8>, NoRequest> {
        let here = self.unused.len().min(length);
        let mut body: Vec<u8> = self.unused.drain(..here).collect();
        let missing = u64::try_from(length - here).unwrap_or(u64::MAX);
        // Read with a limit instead of into a buffer of the declared length, which may be false.
        (&mut self.stream).take(missing).read_to_end(&mut body).await?;
        if body.len() < length { Err(NoRequest::Gone) } else { Ok(body) }
    }

    async fn read_chunked(&mut self) -> Result<Vec<u8>, NoRequest> {
        let mut dechunker = Dechunker::default();
        loop {
            let taken = dechunker.feed(&self.unused)?;
            self.unused.drain(..taken);
            if dechunker.is_done() {
                return Ok(dechunker.body);
            }
            self.read().await?;
        }
    }

    /// Plays one exchange, until the peer disconnects.
    pub(crate) async fn play(&mut self, exchange: &Exchange) -> After {
        for step in &exchange.steps {
            let played = match step {
                Step::Send { bytes, times } => self.send(bytes, *times).await,
                Step::SendSplit { bytes, at } => self.send_split(bytes, at).await,
                Step::Pause(duration) => self.pause(*duration).await,
                Step::Reset => self.stream.set_zero_linger().and(Err(closing())),
                Step::Close => Err(self.close().await),
                Step::StallForever => Err(self.gone().await),
            };
            if played.is_err() {
                return After::Closed;
            }
        }
        After::Open
    }

    /// Writes bytes of another service.
    pub(crate) async fn pass(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Ready when the peer has disconnected.
    pub(crate) async fn is_gone(&mut self) {
        self.gone().await;
    }

    /// Ends the connection.
    pub(crate) async fn end(&mut self) {
        self.close().await;
    }

    async fn send(&mut self, bytes: &[u8], times: usize) -> io::Result<()> {
        if times == 1 {
            return self.stream.write_all(bytes).await;
        }
        let per_block = (BLOCK_BYTES / bytes.len().max(1)).clamp(1, times.max(1));
        let block = bytes.repeat(per_block);
        for _ in 0..times / per_block {
            self.stream.write_all(&block).await?;
        }
        let rest = block.get(..times % per_block * bytes.len()).unwrap_or_default();
        self.stream.write_all(rest).await
    }

    async fn send_split(&mut self, bytes: &[u8], at: &[usize]) -> io::Result<()> {
        let mut start = 0;
        for &end in at.iter().chain([&bytes.len()]) {
            let Some(piece) = bytes.get(start..end).filter(|piece| !piece.is_empty()) else {
                continue;
            };
            if start > 0 {
                self.pause(SPLIT_PAUSE).await?;
            }
            self.stream.write_all(piece).await?;
            start = end;
        }
        Ok(())
    }

    async fn pause(&mut self, duration: Duration) -> io::Result<()> {
        match timeout(duration, self.gone()).await {
            Ok(gone) => Err(gone),
            Err(_elapsed) => Ok(()),
        }
    }

    async fn close(&mut self) -> io::Error {
        // Shut down explicitly: a forked process may hold the socket, too, so dropping ours would not close
        // it. A failure means that it is already closed.
        let _ = self.stream.shutdown().await;
        closing()
    }

    /// Waits until the peer disconnects. Data from it is kept for the next request.
    async fn gone(&mut self) -> io::Error {
        while self.unused.len() <= REQUEST_HEAD_BYTES_MAX {
            match self.stream.read_buf(&mut self.unused).await {
                Ok(0) => return closing(),
                Ok(_) => {}
                Err(error) => return error,
            }
        }
        pending().await
    }

    /// Ends a connection whose peer may still be sending: reads on briefly, so that the kernel does not
    /// answer unread bytes with a reset that overtakes our answer.
    pub(crate) async fn linger(mut self) {
        if self.stream.shutdown().await.is_err() {
            return;
        }
        let mut sink = tokio::io::sink();
        // The end of the peer's data and the timeout are treated alike.
        let _ = timeout(LINGER, tokio::io::copy(&mut self.stream, &mut sink)).await;
    }
}

fn closing() -> io::Error {
    io::Error::from(io::ErrorKind::ConnectionAborted)
}
