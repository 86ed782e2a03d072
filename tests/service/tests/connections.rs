//! Connections and requests as HTTP: framing, bounds, counts, thousands.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod client;

use std::io::Write;
use std::net::TcpStream;

use client::{AUTH, Client, End, eventually};
use modelwire_testing::{Exchange, Script, Service, Step};

#[test]
fn a_connection_carries_many_requests() {
    let service = Service::start().unwrap();
    let mut client = Client::connect(service.address());
    let ids: Vec<String> = (0..5)
        .map(|_| {
            let answer = client.call("GET", "/v1/models", AUTH, "");
            assert_eq!(answer.status, 200);
            answer.header("x-request-id").unwrap().to_owned()
        })
        .collect();
    assert_eq!(ids, ["req-1", "req-2", "req-3", "req-4", "req-5"]);
    assert_eq!((service.connections(), service.open_connections()), (1, 1));
    assert!(service.recorded("").iter().all(|request| request.connection == 1));
    drop(client);
    eventually("the connection is closed", || service.open_connections() == 0);
    Client::connect(service.address()).call("GET", "/v1/models", AUTH, "");
    assert_eq!(service.connections(), 2);
    assert_eq!(service.recorded("")[5].connection, 2);
}

#[test]
fn a_client_that_wants_to_close_is_obeyed() {
    let service = Service::start().unwrap();
    let mut client = Client::connect(service.address());
    client.send("GET", "/v1/models", &[AUTH[0], ("Connection", "close")], "");
    assert_eq!(client.drain().1, End::Eof);
    let mut client = Client::connect(service.address());
    client.stream.write_all(b"GET /v1/models HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(client.drain().1, End::Eof);
}

#[test]
fn head_has_no_body() {
    let service = Service::start().unwrap();
    let mut client = Client::connect(service.address());
    client.send("HEAD", "/v1/models", &[AUTH[0], ("Connection", "close")], "");
    let text = String::from_utf8(client.drain().0).unwrap();
    assert!(text.starts_with("HTTP/1.1 405 ") && text.ends_with("\r\n\r\n"), "{text}");
}

#[test]
fn request_bodies_come_whole() {
    let service = Service::start().unwrap();
    service.script("s", Script::one(Exchange::json(200, "{}")));
    let mut client = Client::connect(service.address());
    let big: String = "0123456789".repeat(400_000);
    assert_eq!(client.call("POST", "/scripts/s/v1", &[], &big).status, 200);
    // Chunked, in pieces of bytes, with an extension and a trailer, and a request behind it.
    let chunked = "POST /scripts/s/v1 HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n\
                   3;x=y\r\nabc\r\n0A\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n";
    for byte in chunked.bytes() {
        client.stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(client.answer().status, 200);
    client.stream.write_all([chunked, chunked].concat().as_bytes()).unwrap();
    assert_eq!((client.answer().status, client.answer().status), (200, 200));
    let bodies: Vec<Vec<u8>> =
        service.recorded("s").into_iter().map(|request| request.body).collect();
    assert_eq!(bodies[0], big.as_bytes());
    assert!(bodies[1..].iter().all(|body| body == b"abc0123456789"));
    assert_eq!(bodies.len(), 4);
}

#[test]
fn requests_beyond_the_bounds_are_refused() {
    let service = Service::start().unwrap();
    let check = |request: &str, status: u16| {
        let mut client = Client::connect(service.address());
        client.stream.write_all(request.as_bytes()).unwrap();
        let answer = client.answer();
        assert_eq!((answer.status, answer.end), (status, End::Length), "{:.60}", request);
        assert!(!answer.error("message").is_empty());
        assert_eq!(answer.header("connection"), Some("close"));
        assert!(answer.header("x-request-id").is_some());
        client.stream.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(client.drain(), (vec![], End::Eof));
    };
    let post = |headers: &str, body: &str| {
        format!("POST /v1/responses HTTP/1.1\r\n{headers}\r\n\r\n{body}")
    };
    check("nonsense\r\n\r\n", 400);
    check(&post("Content-Length: x", ""), 400);
    check(&post("Content-Length: +1", ""), 400);
    check(&post("Content-Length: 1\r\nContent-Length: 2", ""), 400);
    check(&post("Content-Length: 1\r\nTransfer-Encoding: chunked", ""), 400);
    check(&post("Transfer-Encoding: gzip", ""), 400);
    check(&post("Transfer-Encoding: chunked", "zz\r\n"), 400);
    check(&post("Transfer-Encoding: chunked", "1\r\naXX\r\n"), 400);
    check(&post(&format!("Content-Length: {}", (64 << 20) + 1), ""), 413);
    // The client is still sending when it is refused; the answer must survive that.
    let sending = "x".repeat(4 << 20);
    check(&post("Content-Length: 99999999", &sending), 413);
    check(&post("Content-Length: 99999999999999999999999999", ""), 413);
    check(&post("Transfer-Encoding: chunked", "4000001\r\n"), 413);
    check(&post(&format!("X: {}", "x".repeat(64 << 10)), ""), 431);
    check(&format!("GET /v1/models HTTP/1.1\r\nX: {}", "x".repeat(80 << 10)), 431);
    check(&post(&vec!["X: y"; 129].join("\r\n"), ""), 431);
    assert!(service.recorded("").is_empty());
}

#[test]
fn thousands_of_streams_are_open_at_once() {
    const STREAMS: usize = 2_100;
    let service = Service::start().unwrap();
    let stall = vec![Step::send("a"), Step::StallForever];
    service.script("stall", Script::one(Exchange { steps: stall }));
    let mut clients: Vec<Client> =
        (0..STREAMS).map(|_| Client::connect(service.address())).collect();
    for client in &mut clients {
        client.send("POST", "/scripts/stall/v1/x", &[], "{}");
    }
    for client in &mut clients {
        assert_eq!(client.read().unwrap(), b"a");
    }
    assert_eq!(service.open_connections(), 2_100);
    assert_eq!(service.recorded("stall").len(), STREAMS);
    // The service goes on answering others.
    let answer = client::call(service.address(), "GET", "/v1/models", AUTH, "");
    assert_eq!(answer.status, 200);
    drop(clients);
    eventually("all are closed", || service.open_connections() == 0);
}

#[test]
fn the_handle_can_be_shared_between_threads() {
    fn check<T: Send + Sync + 'static>(_: &T) {}
    check(&Service::start().unwrap());
}

#[test]
fn dropping_the_service_closes_everything() {
    let service = Service::start().unwrap();
    let address = service.address();
    let mut idle = Client::connect(address);
    assert_eq!(idle.call("GET", "/v1/models", AUTH, "").status, 200);
    drop(service);
    assert_eq!(idle.drain(), (vec![], End::Eof));
    assert!(TcpStream::connect(address).is_err());
    // The port is free again at once.
    let options = modelwire_testing::Options { port: address.port(), ..Default::default() };
    let again = Service::start_with(options.clone()).unwrap();
    assert_eq!(again.address(), address);
    assert!(Service::start_with(options).is_err());
}
