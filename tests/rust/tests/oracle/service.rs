//! A server that answers the case whose number stands in the query, byte for byte.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::cases::{Ending, case};

/// Serves the cases of this seed; the base URL.
pub async fn start(seed: u64) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            // Too many descriptors for a moment: the queue keeps it.
            if let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, seed));
            }
        }
    });
    format!("http://{address}/v1")
}

/// Answers the requests of one connection.
async fn serve(mut stream: TcpStream, seed: u64) {
    stream.set_nodelay(true).unwrap();
    let mut received = Vec::new();
    loop {
        let Some((number, length)) = request(&received) else {
            match stream.read_buf(&mut received).await {
                Ok(count) if count > 0 => continue,
                Ok(_) | Err(_) => return,
            }
        };
        received.drain(..length);
        let case = case(seed, number);
        // A client that has the end of its answer may be gone.
        let is_written = stream.write_all(&case.bytes()).await.is_ok();
        if case.ending == Ending::Reset {
            let _ = stream.set_zero_linger();
        }
        if case.closes() || !is_written {
            return;
        }
    }
}

/// Number and length of a request, once it is whole.
fn request(bytes: &[u8]) -> Option<(u64, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).unwrap().to_ascii_lowercase();
    let digits = |after: &str| {
        let tail = head.split_once(after)?.1;
        tail.split(|letter: char| !letter.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let length = end + digits("content-length: ").unwrap_or(0) as usize;
    (bytes.len() >= length).then(|| (digits("case=").unwrap(), length))
}
