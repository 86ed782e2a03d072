//! What attempts tell of their connections where those speak TLS or HTTP/2, or go through a proxy.

use std::collections::BTreeSet;
use std::io::copy;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use modelwire::{AttemptRecord, Call, Client, Event, Pop, Request, Response};
use modelwire_testing::Service;

use crate::programs::{certificates, nginx, tinyproxy};
use crate::support::{config, eventually, hello};

fn attempt_of(answer: &Response) -> AttemptRecord {
    let record = answer.record().unwrap();
    let [attempt] = record.attempts() else { panic!("{record:?}") };
    assert!(!record.to_json().contains("sk-test"));
    attempt.clone()
}

fn opened(attempt: &AttemptRecord) {
    assert_eq!(attempt.reused, Some(false), "{attempt:?}");
    let took = [attempt.dns, attempt.connect, attempt.tls].into_iter().flatten().sum::<Duration>();
    assert!(attempt.connect.is_some() && attempt.tls > Some(Duration::ZERO), "{attempt:?}");
    // clock: the order of instants of one call
    assert!(attempt.start + took <= attempt.head.unwrap(), "{attempt:?}");
}

fn reused(attempt: &AttemptRecord) {
    assert_eq!(attempt.reused, Some(true), "{attempt:?}");
    assert_eq!((attempt.dns, attempt.connect, attempt.tls), (None, None, None));
}

/// The handshake of a connection of its own, also one that goes on with an earlier session.
#[test]
fn call_records_contain_the_tls_handshake() {
    let (service, made) = (Service::start().unwrap(), certificates());
    let nginx = nginx("127.0.0.1", "ssl", service.address(), &made.server("server"));
    let url = format!("https://{}/v1", nginx.address);
    let client = Client::new(config(&url).add_ca_pem(made.pem("ca"))).unwrap();
    let first = attempt_of(&client.blocking().send(hello()).unwrap());
    opened(&first);
    assert_eq!(first.address, Some(nginx.address));
    reused(&attempt_of(&client.blocking().send(hello()).unwrap()));
    // Idle ones are dropped after a moment.
    let short = r#"{"idle_connection_ms_max": 1}"#;
    let mut config = config(&url).add_ca_pem(made.pem("ca"));
    config.set_options(short).unwrap();
    let client = Client::new(config).unwrap();
    for _ in 0..3 {
        opened(&attempt_of(&client.blocking().send(hello()).unwrap()));
        // clock: the slowness itself
        thread::sleep(Duration::from_millis(50));
    }
}

/// Calls that share a connection: one of them opened it.
#[test]
fn call_records_contain_shared_http2_connections() {
    let (service, made) = (Service::start().unwrap(), certificates());
    let nginx = nginx("127.0.0.1", "ssl http2", service.address(), &made.server("server"));
    let url = format!("https://{}/v1", nginx.address);
    let client = Client::new(config(url).add_ca_pem(made.pem("ca")).http2(true)).unwrap();
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let call = Call::new(&client, hello());
            call.start(false).unwrap();
            call
        })
        .collect();
    let mut count = 0;
    for call in calls {
        let Pop::Event(Event::Done(answer)) = call.pop(None).unwrap() else { panic!("no answer") };
        let attempt = attempt_of(&answer.unwrap());
        assert_eq!(attempt.address, Some(nginx.address));
        match attempt.reused {
            Some(false) => {
                opened(&attempt);
                count += 1;
            }
            _ => reused(&attempt),
        }
    }
    eventually("all are logged", || nginx.accesses().len() == 8);
    let connections: BTreeSet<_> = nginx.accesses().iter().map(|one| one[4].clone()).collect();
    assert_eq!(connections.len(), count);
}

/// A tunnel: what is connected to is the proxy, and the handshake is that with the service.
#[test]
fn call_records_contain_the_proxy_address() {
    let (service, made, proxy) = (Service::start().unwrap(), certificates(), tinyproxy(""));
    let nginx = nginx("127.0.0.1", "ssl", service.address(), &made.server("server"));
    let url = format!("https://{}/v1", nginx.address);
    let config = config(url).add_ca_pem(made.pem("ca"));
    let client = Client::new(config.proxy(format!("http://{}", proxy.address))).unwrap();
    let attempt = attempt_of(&client.blocking().send(hello()).unwrap());
    opened(&attempt);
    assert_eq!(attempt.address, Some(proxy.address));
}

/// Lets the first connection through, and says nothing on all others.
fn first_only(to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        let mut silent = Vec::new();
        for (number, peer) in listener.incoming().map(Result::unwrap).enumerate() {
            if number > 0 {
                silent.push(peer);
                continue;
            }
            let there = TcpStream::connect(to).unwrap();
            for (mut from, mut into) in
                [(peer.try_clone().unwrap(), there.try_clone().unwrap()), (there, peer)]
            {
                thread::spawn(move || {
                    let _ = copy(&mut from, &mut into);
                    let _ = into.shutdown(Shutdown::Write);
                });
            }
        }
    });
    address
}

/// A call that began to open a connection, and got one that another call was done with.
#[test]
fn a_connection_freed_while_opening_another_is_recorded_as_reused() {
    let (service, made) = (Service::start().unwrap(), certificates());
    let nginx = nginx("127.0.0.1", "ssl", service.address(), &made.server("server"));
    let url = format!("https://{}/v1", first_only(nginx.address));
    let client = Client::new(config(url).add_ca_pem(made.pem("ca"))).unwrap();
    // Long enough for the second call to begin in it on a busy machine.
    let text = "word ".repeat(22);
    let mut slow = client.blocking().stream(Request::chat("slow").user(&text)).unwrap();
    slow.next().unwrap().unwrap();
    let second = Call::new(&client, hello());
    second.start(false).unwrap();
    slow.by_ref().for_each(drop);
    opened(&attempt_of(slow.response().unwrap()));
    let Pop::Event(Event::Done(answer)) = second.pop(None).unwrap() else { panic!("no answer") };
    let attempt = attempt_of(&answer.unwrap());
    reused(&attempt);
    assert!(attempt.head.unwrap() > Duration::from_millis(100), "it waited: {attempt:?}");
}
