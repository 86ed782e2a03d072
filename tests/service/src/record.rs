//! The recorder: stands before a real service, passes its bytes on as they come, and writes them to a file.

use std::fmt;
use std::fs::File;
use std::future::poll_fn;
use std::io::{self, Read, Write};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::http::Request;
use crate::problem::Problem;
use crate::recording::Recorded;
use crate::ticket::request_id;
use crate::wire::{After, Wire};

/// How long the rest of an answer is read after its client is gone.
const REST_TIME_MAX: Duration = Duration::from_millis(250);
/// How many reads may wait for a slow client.
const READS_WAITING_MAX: usize = 64;
/// The bytes of one read.
const READ_BYTES: usize = 64 << 10;
/// A longer answer is passed on and recorded only up to here, as one that was cut.
const ANSWER_BYTES_MAX: usize = 256 << 20;

/// A connection to the service.
pub trait Connection: Read + Write + Send {}
impl<T: Read + Write + Send> Connection for T {}

/// The recorded service, and the file.
pub struct Upstream {
    /// The value of the header `Host`.
    pub host: String,
    /// The path of its base URL, which ends in `/v1`.
    pub path: String,
    /// Its key, which is not written to the file.
    pub key: String,
    /// Opens a connection, which may block.
    pub connect: Box<dyn Fn() -> io::Result<Box<dyn Connection>> + Send + Sync>,
    /// Where exchanges are written, one line each.
    pub to: Mutex<File>,
}

impl fmt::Debug for Upstream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upstream").field("host", &self.host).finish_non_exhaustive()
    }
}

/// One read of the answer, or why there is none.
type Piece = io::Result<(Duration, Vec<u8>)>;

impl Upstream {
    /// Passes a request on, and its answer back; then the connection is closed, as the service's is.
    pub(crate) async fn pass(
        self: &Arc<Self>,
        request: &Request,
        own_key: &str,
        wire: &mut Wire,
        number: u64,
    ) -> After {
        let below = request.target.strip_prefix("/v1").unwrap_or(&request.target).to_owned();
        let (send, mut receive) = mpsc::channel(READS_WAITING_MAX);
        let (upstream, bytes) = (self.clone(), self.request(request, &below));
        // It ends with the answer, or when nobody takes the next piece.
        std::thread::spawn(move || upstream.ask(&bytes, &send));
        let (mut answer, mut taken, mut is_reset) = (Vec::new(), 0, false);
        loop {
            // The next piece, or none once either side has ended.
            let piece = {
                let mut gone = pin!(wire.is_gone());
                poll_fn(|cx| match receive.poll_recv(cx) {
                    Poll::Ready(piece) => Poll::Ready(piece),
                    Poll::Pending => gone.as_mut().poll(cx).map(|()| None),
                })
                .await
            };
            match piece {
                // The client may close at the end mark, before the end of the body.
                None => {
                    while let Ok(Some(Ok((at, bytes)))) =
                        timeout(REST_TIME_MAX, receive.recv()).await
                    {
                        answer.push((at, bytes));
                    }
                    break;
                }
                Some(Err(cause)) if answer.is_empty() => {
                    let message = format!("the recorded service gave no answer: {cause}");
                    let problem = Problem::new(502, message).kind("server_error");
                    return wire.play(&problem.exchange(&request_id(number))).await;
                }
                Some(Err(_)) => {
                    is_reset = true;
                    break;
                }
                Some(Ok((at, bytes))) => {
                    taken += bytes.len();
                    let passed = wire.pass(&bytes).await;
                    answer.push((at, bytes));
                    if passed.is_err() || taken > ANSWER_BYTES_MAX {
                        break;
                    }
                }
            }
        }
        if !answer.is_empty() {
            let (method, body) = (request.method.clone(), request.body.clone());
            let recorded = Recorded { method, path: below, body, answer, is_reset };
            let (upstream, own_key) = (self.clone(), own_key.to_owned());
            // Large answers take long, and other clients do not wait.
            let _ = spawn_blocking(move || upstream.write(&recorded, &own_key)).await;
        }
        wire.end().await;
        After::Closed
    }

    fn write(&self, recorded: &Recorded, own_key: &str) {
        let line = recorded.line(&[&self.key, own_key]);
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(cause) = to.write_all(line.as_bytes()) {
            // There is nobody else to tell.
            let _ = writeln!(io::stderr(), "an exchange cannot be written: {cause}");
        }
    }

    /// The request with the service's own key, on a connection of its own.
    fn request(&self, request: &Request, below: &str) -> Vec<u8> {
        // A compressed answer could not be searched for keys.
        const OWN: [&str; 7] = [
            "host",
            "authorization",
            "connection",
            "content-length",
            "transfer-encoding",
            "expect",
            "accept-encoding",
        ];
        let mut head = format!(
            "{} {}{below} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\nconnection: close\r\n",
            request.method, self.path, self.host, self.key
        );
        for (name, value) in &request.headers {
            if !OWN.iter().any(|own| name.eq_ignore_ascii_case(own)) {
                head.push_str(&format!("{name}: {value}\r\n"));
            }
        }
        if request.method != "GET" || !request.body.is_empty() {
            head.push_str(&format!("content-length: {}\r\n", request.body.len()));
        }
        [head.as_bytes(), b"\r\n", &request.body].concat()
    }

    fn ask(&self, request: &[u8], to: &mpsc::Sender<Piece>) {
        let begun = Instant::now();
        let read = || {
            let mut connection = (self.connect)()?;
            connection.write_all(request)?;
            connection.flush()?;
            let mut buffer = vec![0; READ_BYTES];
            loop {
                let count = match connection.read(&mut buffer) {
                    Err(cause) if cause.kind() == io::ErrorKind::Interrupted => continue,
                    // TLS without its closing message: the answer's own framing says whether it is whole.
                    Err(cause) if cause.kind() == io::ErrorKind::UnexpectedEof => 0,
                    read => read?,
                };
                let piece = buffer.get(..count).unwrap_or_default().to_vec();
                if piece.is_empty() || to.blocking_send(Ok((begun.elapsed(), piece))).is_err() {
                    return Ok(());
                }
            }
        };
        if let Err(cause) = read() {
            let _ = to.blocking_send(Err(cause));
        }
    }
}
