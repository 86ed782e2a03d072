//! A TLS server of this process's own that reads a request, says what it is told to and then does
//! what no real server does when asked to.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, Stream};

use crate::programs::Certificates;

/// What ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// As it should be.
    Close,
    /// A record that nobody can decrypt.
    Garbage,
    /// Bytes that are no record.
    NoRecord,
    /// A fatal alert.
    Alert,
}

/// A server until the process ends.
pub struct Secure {
    pub url: String,
    requests: Arc<AtomicUsize>,
}

impl Secure {
    /// How many requests it read whole.
    pub fn requests(&self) -> usize {
        self.requests.load(Ordering::SeqCst)
    }
}

/// Answers each request with the beginning of an answer and this.
pub fn secure(made: &Certificates, beginning: &str, fault: Fault) -> Secure {
    let (chain, key) = (made.pem("server"), made.folder.read("server.key"));
    let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(builder.with_single_cert(chain, key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/v1", listener.local_addr().unwrap());
    let requests = Arc::<AtomicUsize>::default();
    let (count, beginning) = (requests.clone(), beginning.to_owned());
    thread::spawn(move || {
        for peer in listener.incoming() {
            let (config, count, beginning) = (config.clone(), count.clone(), beginning.clone());
            // A peer that goes away is no fault of this server.
            thread::spawn(move || {
                serve(config, peer?, &count, &beginning, fault)?;
                Ok::<_, std::io::Error>(())
            });
        }
    });
    Secure { url, requests }
}

fn serve(
    config: Arc<ServerConfig>,
    mut peer: TcpStream,
    count: &AtomicUsize,
    beginning: &str,
    fault: Fault,
) -> std::io::Result<()> {
    let mut tls = ServerConnection::new(config).unwrap();
    let mut stream = Stream::new(&mut tls, &mut peer);
    let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
    while !is_whole(&said) {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        said.extend_from_slice(&buffer[..read]);
    }
    count.fetch_add(1, Ordering::SeqCst);
    stream.write_all(beginning.as_bytes())?;
    stream.flush()?;
    match fault {
        Fault::Close => {
            tls.send_close_notify();
            tls.write_tls(&mut peer)?;
        }
        Fault::Garbage => {
            let record = [&[23, 3, 3, 0, 64][..], &[0x5a; 64]].concat();
            peer.write_all(&record)?;
        }
        Fault::NoRecord => peer.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")?,
        Fault::Alert => {
            // What it cannot read itself it answers so.
            let record = [&[23, 3, 3, 0, 64][..], &[0x5a; 64]].concat();
            tls.read_tls(&mut record.as_slice())?;
            tls.process_new_packets().unwrap_err();
            tls.write_tls(&mut peer)?;
        }
    }
    // Until the peer has seen it: bytes that were not read would reset the connection.
    while peer.read(&mut buffer)? > 0 {}
    Ok(())
}

/// Whether a request has come to the end that its head tells.
fn is_whole(said: &[u8]) -> bool {
    let text = String::from_utf8_lossy(said).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.map_or(0, |length| length.parse().unwrap())
}
