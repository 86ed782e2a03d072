//! Connections: IPv6, and those that a service closed while nobody used them.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use modelwire::ErrorKind;
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{CHAT_ANSWER, WAYS, client, eventually, hello};

/// Answers a request on a connection of its own, which is still open; what it said.
fn answer(listener: &TcpListener, header: &str) -> (TcpStream, String) {
    let (mut peer, _) = listener.accept().unwrap();
    let (mut said, mut buffer) = (Vec::new(), [0; 4096]);
    // Each request is small and ends in this.
    while !said.ends_with(b"}]}") {
        let read = peer.read(&mut buffer).unwrap();
        assert!(read > 0, "the request was cut");
        said.extend_from_slice(&buffer[..read]);
    }
    let length = CHAT_ANSWER.len();
    write!(peer, "HTTP/1.1 200 OK\r\n{header}Content-Length: {length}\r\n\r\n").unwrap();
    peer.write_all(CHAT_ANSWER.as_bytes()).unwrap();
    (peer, String::from_utf8(said).unwrap())
}

/// An IPv6 address in a base URL stands in brackets, on the wire, too.
#[test]
fn ipv6_is_spoken() {
    let listener = TcpListener::bind((Ipv6Addr::LOCALHOST, 0))
        .expect("this test needs the IPv6 loopback address: the machine has no ::1");
    let address = listener.local_addr().unwrap();
    let served =
        std::thread::spawn(move || [(); 2].map(|()| answer(&listener, "Connection: close\r\n").1));
    let client = client(format!("http://{address}/v1"));
    for way in WAYS {
        assert_eq!(way.send(&client, hello()).unwrap().text(), "Yes.");
    }
    for said in served.join().unwrap() {
        assert!(said.to_lowercase().contains(&format!("host: {address}\r\n")), "{said}");
    }
}

/// Design: only a connection that died before anything was written is replaced, silently.
#[test]
fn a_connection_that_the_service_closed_is_replaced() {
    let service = Service::start().unwrap();
    let mut exchange = Exchange::json(200, CHAT_ANSWER);
    exchange.steps.extend([Step::Pause(Duration::from_millis(20)), Step::Close]);
    let client = client(service.script("s", Script::one(exchange)));
    let mut calls = 0;
    for _ in 0..10 {
        for way in WAYS {
            assert_eq!(way.send(&client, hello()).unwrap().text(), "Yes.");
            calls += 1;
            eventually("the service closed", || service.open_connections() == 0);
            // The close is on its way to the client's own loop.
            // clock: the close is on its way to the client's own loop, and nothing tells that it is there
            std::thread::sleep(Duration::from_millis(50));
        }
    }
    let sent = service.recorded("s");
    assert_eq!(sent.len(), calls, "each call was sent once");
    assert_eq!(service.connections(), calls as u64, "each on a connection of its own");
}

/// Whether the service keeps its connections is not known yet: a fresh one costs less than waiting.
#[test]
fn the_second_call_of_a_client_starts_without_delay() {
    /// As many as one that waits needs to be told from one that a busy machine kept waiting.
    const CLIENTS: usize = 100;
    const BOUND: Duration = Duration::from_millis(8);
    let service = Service::start().unwrap();
    for way in WAYS {
        let second = |_| {
            let client = client(service.base_url());
            assert_eq!(way.send(&client, hello()).unwrap().text(), "Hello from both sides.");
            let start = Instant::now();
            assert_eq!(way.send(&client, hello()).unwrap().text(), "Hello from both sides.");
            start.elapsed()
        };
        // clock: one of a hundred is enough
        assert!((0..CLIENTS).map(second).any(|took| took < BOUND), "{way:?}: all took longer");
    }
}

/// And loses no call to a service that closes a moment after it has answered, and does not say so.
/// A pair of calls proves something where the service had closed before the moment was over.
#[test]
fn a_second_call_is_not_lost_to_an_unannounced_close() {
    const PAIRS: usize = 20;
    const MOMENT: Duration = Duration::from_millis(10); // REUSE_GRACE of the core
    for wait_ms in [3, 1, 0] {
        let mut proved = 0;
        eventually("pairs that were closed in time", || {
            let way = &WAYS[proved % WAYS.len()];
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let address = listener.local_addr().unwrap();
            let served = std::thread::spawn(move || {
                let (mut peer, _) = answer(&listener, "");
                // clock: this is the close that comes a moment later
                std::thread::sleep(Duration::from_millis(wait_ms));
                peer.set_nonblocking(true).unwrap();
                let lost = peer.read(&mut [0]);
                drop(peer);
                let closed = Instant::now();
                answer(&listener, "");
                (lost, closed)
            });
            let client = client(format!("http://{address}/v1"));
            let begun = Instant::now();
            assert_eq!(way.send(&client, hello()).unwrap().text(), "Yes.");
            let second = way.send(&client, hello());
            // Open until it was answered.
            let in_its_place = second.is_err().then(|| {
                let mut connection = TcpStream::connect(address).unwrap();
                connection.write_all(b"}]}").unwrap();
                connection
            });
            let (lost, closed) = served.join().unwrap();
            drop(in_its_place);
            if closed < begun + MOMENT {
                assert!(lost.is_err(), "{wait_ms} ms: a request was written into the moment");
                let answer = second.unwrap_or_else(|error| panic!("{wait_ms} ms: {error}"));
                assert_eq!(answer.text(), "Yes.");
                proved += 1;
            }
            proved == PAIRS
        });
    }
}

/// A proxy of the environment that refuses is named, without its password, and one that NO_PROXY
/// leaves out is not.
#[test]
fn a_proxy_of_the_environment_that_refuses_is_named() {
    const NAME: &str = "transport::connections::a_proxy_of_the_environment_that_refuses_is_named";
    let bound = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).unwrap();
    let port = bound.local_addr().unwrap().port();
    drop(bound); // refuses from now on
    let proxy = format!("http://me:secret@[::1]:{port}");
    in_child_at(NAME, &[("HTTP_PROXY", &proxy), ("NO_PROXY", "left.out.invalid")], || {
        let through = std::env::var("HTTP_PROXY").unwrap();
        let (_, place) = through.split_once('@').unwrap();
        for way in WAYS {
            let error = way.send(&client("http://service.invalid/v1"), hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
            let named = format!("through the proxy {place} of the environment: ");
            assert!(error.message().contains(&named), "{error}");
            assert!(!error.report().contains("secret"), "{}", error.report());
            let error = way.send(&client("http://left.out.invalid/v1"), hello()).unwrap_err();
            assert!(!error.message().contains("proxy"), "{error}");
        }
    });
}
