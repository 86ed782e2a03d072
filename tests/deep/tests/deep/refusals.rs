//! Requests that an HTTP/2 service refuses unprocessed or leaves behind, from a server of frames that counts
//! what it received: what `metered` says, and that each sending is an attempt.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use modelwire::{CallEnded, Client, CompletionQueue, Error, ErrorKind, Metered, Next, RetryPolicy};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::programs::{Certificates, certificates};
use crate::support::{config, hello};

const NOW: Option<Duration> = Some(Duration::ZERO);
/// Of frames.
const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const ACK: u8 = 1;
/// Of errors.
const NO_ERROR: u32 = 0;
const INTERNAL_ERROR: u32 = 2;
const REFUSED_STREAM: u32 = 7;
const ENHANCE_YOUR_CALM: u32 = 11;
/// As the last stream of a GOAWAY: the stream of the request itself.
const OWN: u32 = u32::MAX;

const JSON: &str = concat!(
    r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},"#,
    r#""finish_reason":"stop"}]}"#
);

/// What is done with a request that came whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Answer,
    /// RST_STREAM with this error.
    Reset(u32),
    /// GOAWAY with this last stream and error; then the connection is left open.
    Leave(u32, u32),
    /// The same, and the connection is closed.
    LeaveAndClose(u32, u32),
    Close,
}

/// These and no others say that nothing was processed (RFC 9113, sections 6.8 and 8.7).
const REFUSALS: [Act; 4] = [
    Act::Reset(REFUSED_STREAM),
    Act::Leave(0, NO_ERROR),
    Act::Leave(0, ENHANCE_YOUR_CALM),
    Act::LeaveAndClose(0, NO_ERROR),
];

/// It may have been processed.
const LOSSES: [Act; 4] = [
    Act::Reset(INTERNAL_ERROR),
    Act::LeaveAndClose(OWN, NO_ERROR),
    Act::LeaveAndClose(OWN, ENHANCE_YOUR_CALM),
    Act::Close,
];

/// A server until the process ends.
struct Frames {
    made: Certificates,
    url: String,
    received: Arc<AtomicUsize>,
}

impl Frames {
    /// One act for each request; the last one for all that follow.
    fn start(acts: &[Act]) -> Frames {
        let made = certificates();
        let (chain, key) = (made.pem("server"), made.folder.read("server.key"));
        let chain = CertificateDer::pem_slice_iter(chain.as_bytes()).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
        let mut config = builder.with_single_cert(chain, key).unwrap();
        config.alpn_protocols = vec![b"h2".to_vec()];
        let config = Arc::new(config);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}/v1", listener.local_addr().unwrap());
        let received = Arc::<AtomicUsize>::default();
        let (count, acts) = (received.clone(), acts.to_vec());
        thread::spawn(move || {
            for peer in listener.incoming() {
                let (config, count, acts) = (config.clone(), count.clone(), acts.clone());
                // A peer that goes away is no fault of this server.
                thread::spawn(move || serve(config, peer?, &count, &acts));
            }
        });
        Frames { made, url, received }
    }

    fn client(&self, policy: RetryPolicy) -> Client {
        let config = config(self.url.as_str()).add_ca_pem(self.made.pem("ca")).http2(true);
        Client::new(config.retry(policy.first_wait(Duration::from_millis(1)))).unwrap()
    }

    fn received(&self) -> usize {
        self.received.load(Ordering::SeqCst)
    }
}

fn serve(
    config: Arc<ServerConfig>,
    peer: TcpStream,
    received: &AtomicUsize,
    acts: &[Act],
) -> std::io::Result<()> {
    let mut stream = StreamOwned::new(ServerConnection::new(config).unwrap(), peer);
    stream.read_exact(&mut [0; 24])?; // the preface
    send(&mut stream, SETTINGS, 0, 0, &[])?;
    loop {
        let mut head = [0; 9];
        stream.read_exact(&mut head)?;
        let [a, b, c, kind, flags, rest @ ..] = head;
        let (length, id) = (u32::from_be_bytes([0, a, b, c]), u32::from_be_bytes(rest));
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload)?;
        match kind {
            SETTINGS if flags & ACK == 0 => send(&mut stream, SETTINGS, ACK, 0, &[])?,
            PING if flags & ACK == 0 => send(&mut stream, PING, ACK, 0, &payload)?,
            HEADERS | DATA if flags & END_STREAM != 0 => {
                let number = received.fetch_add(1, Ordering::SeqCst);
                let act = acts[number.min(acts.len() - 1)];
                act.does(&mut stream, id)?;
                if matches!(act, Act::Close | Act::LeaveAndClose(..)) {
                    stream.conn.send_close_notify();
                    stream.flush()?;
                    stream.sock.shutdown(std::net::Shutdown::Write)?;
                    // Bytes that were not read would reset the connection.
                    while stream.sock.read(&mut [0; 4096])? > 0 {}
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

impl Act {
    fn does(self, stream: &mut impl Write, id: u32) -> std::io::Result<()> {
        match self {
            Act::Answer => {
                // Status 200, and the content type by its number in the static table.
                let kind = b"application/json";
                let fields = [&[0x88, 0x0f, 0x10, kind.len() as u8][..], kind].concat();
                send(stream, HEADERS, END_HEADERS, id, &fields)?;
                send(stream, DATA, END_STREAM, id, JSON.as_bytes())
            }
            Act::Reset(error) => send(stream, RST_STREAM, 0, id, &error.to_be_bytes()),
            Act::Leave(last, error) | Act::LeaveAndClose(last, error) => {
                let last = if last == OWN { id } else { last };
                let payload = [last.to_be_bytes(), error.to_be_bytes()].concat();
                send(stream, GOAWAY, 0, 0, &payload)
            }
            Act::Close => Ok(()),
        }
    }
}

fn send(
    stream: &mut impl Write,
    kind: u8,
    flags: u8,
    id: u32,
    payload: &[u8],
) -> std::io::Result<()> {
    let [_, a, b, c] = (payload.len() as u32).to_be_bytes();
    let frame = [&[a, b, c, kind, flags][..], &id.to_be_bytes(), payload].concat();
    stream.write_all(&frame)?;
    stream.flush()
}

fn records_of(client: &Client) -> CompletionQueue {
    let queue = CompletionQueue::new(None);
    client.follow_calls(&queue, Some(0)).unwrap();
    queue
}

/// The ended calls that wait in it.
fn take(records: &CompletionQueue) -> Vec<CallEnded> {
    let next = || match records.next(NOW).unwrap() {
        Next::Call(_, ended) => Some(ended),
        _ => None,
    };
    std::iter::from_fn(next).collect()
}

/// A call that fails; its record says what its error does.
fn fails(frames: &Frames, policy: RetryPolicy) -> Error {
    let client = frames.client(policy);
    let records = records_of(&client);
    let error = client.blocking().send(hello()).unwrap_err();
    let told = take(&records);
    let [told] = told.as_slice() else { panic!("one record, not {}", told.len()) };
    assert_eq!(told.record.attempts_count(), u64::from(error.attempts()));
    assert_eq!(told.record.attempts().len(), error.attempts() as usize);
    assert_eq!(told.record.metered(), error.metered());
    // It was written whole each time, processed or not.
    let body = told.record.bytes_out() / told.record.attempts_count();
    assert!(body > 0 && told.record.bytes_out() == body * told.record.attempts_count());
    error
}

/// Without retries a request is sent once, and says whether it may have been processed.
#[test]
fn a_refused_request_is_sent_once_and_says_not_sent() {
    let once = [RetryPolicy::default().max_retries(0).connect_errors(true), RetryPolicy::default()];
    for policy in once {
        for act in REFUSALS {
            let frames = Frames::start(&[act]);
            let error = fails(&frames, policy.clone());
            assert_eq!((frames.received(), error.attempts()), (1, 1), "{act:?}: {error:?}");
            assert_eq!((error.kind(), error.metered()), (ErrorKind::Connect, Metered::NotSent));
            assert!(error.message().contains("processed"), "{act:?}: {error}");
        }
        for act in LOSSES {
            let frames = Frames::start(&[act]);
            let error = fails(&frames, policy.clone());
            assert_eq!((frames.received(), error.attempts()), (1, 1), "{act:?}: {error:?}");
            assert_eq!(
                (error.kind(), error.metered()),
                (ErrorKind::Disconnected, Metered::Unknown),
                "{act:?}: {error:?}"
            );
        }
    }
}

/// A refused request is tried again where connect errors are, each time as an attempt.
#[test]
fn a_refused_request_is_tried_again_by_the_policy_of_connect_errors() {
    let policy = RetryPolicy::default().max_retries(2).connect_errors(true);
    for act in REFUSALS {
        let frames = Frames::start(&[act]);
        let error = fails(&frames, policy.clone());
        assert_eq!((frames.received(), error.attempts()), (3, 3), "{act:?}: {error:?}");
        assert_eq!(error.metered(), Metered::NotSent, "{act:?}");
        let frames = Frames::start(&[act, act, Act::Answer]);
        let answer = frames.client(policy.clone()).blocking().send(hello()).unwrap();
        assert_eq!((answer.text().as_ref(), frames.received()), ("Yes.", 3), "{act:?}");
        assert_eq!(answer.attempts(), 3, "{act:?}");
    }
    for act in LOSSES {
        let frames = Frames::start(&[Act::Reset(REFUSED_STREAM), act]);
        let error = fails(&frames, policy.clone());
        assert_eq!((frames.received(), error.attempts()), (2, 2), "{act:?}: {error:?}");
        assert_eq!(error.metered(), Metered::Unknown, "{act:?}");
    }
}

/// A service that leaves after each few requests, beside many calls: none is sent that is not counted.
#[test]
fn calls_during_goaway_count_every_request_sent() {
    const THREADS: usize = 6;
    const CALLS: usize = 20;
    let mut acts = Vec::new();
    for each in 0..THREADS * CALLS {
        acts.push(match each % 9 {
            4 => Act::Reset(REFUSED_STREAM),
            8 => Act::Leave(0, NO_ERROR),
            _ => Act::Answer,
        });
    }
    acts.push(Act::Answer);
    let frames = Frames::start(&acts);
    let client = frames.client(RetryPolicy::default().max_retries(0));
    let records = records_of(&client);
    let threads = (0..THREADS).map(|_| {
        let client = client.clone();
        thread::spawn(move || {
            let calls = (0..CALLS).map(|_| client.blocking().send(hello()));
            calls.filter_map(Result::err).collect::<Vec<_>>()
        })
    });
    let threads: Vec<_> = threads.collect();
    let errors: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let told = take(&records);
    assert_eq!(told.len(), THREADS * CALLS);
    let attempts: u64 = told.iter().map(|told| told.record.attempts_count()).sum();
    let received = frames.received();
    println!("measured: {received} received, {attempts} attempts, {} errors", errors.len());
    assert!(!errors.is_empty(), "nothing was refused");
    assert_eq!(attempts, (THREADS * CALLS) as u64, "one each");
    assert!(received as u64 <= attempts, "{received} received of {attempts} attempts");
}
