//! Unix sockets and TCP keepalive.
#![cfg(target_os = "linux")]

use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use modelwire::{Client, ErrorKind, Metered};
use modelwire_testing::{Script, Service};

use crate::support::{WAYS, config, eventually, hello, piece, stalled_after};

/// Serves a Unix socket by passing each connection on to the service.
fn front(path: &Path, service: &Service) {
    let (listener, address) = (UnixListener::bind(path).unwrap(), service.address());
    let pass = move |mut from: UnixStream| {
        let mut to = TcpStream::connect(address)?;
        let (mut back_from, mut back_to) = (to.try_clone()?, from.try_clone()?);
        std::thread::spawn(move || io::copy(&mut back_from, &mut back_to));
        io::copy(&mut from, &mut to)?;
        to.shutdown(Shutdown::Write)
    };
    std::thread::spawn(move || {
        for from in listener.incoming().map_while(io::Result::ok) {
            std::thread::spawn(move || pass(from));
        }
    });
}

#[test]
fn a_unix_socket_is_reached_by_the_base_url() {
    let service = Service::start().unwrap();
    let path = std::env::temp_dir().join(format!("models % {}.sock", std::process::id()));
    let _ = std::fs::remove_file(&path); // of an earlier process of this number
    front(&path, &service);
    let encoded =
        path.to_str().unwrap().replace('%', "%25").replace('/', "%2F").replace(' ', "%20");
    let client = Client::new(config(format!("http+unix://{encoded}/v1"))).unwrap();
    assert_eq!(client.base_url(), format!("http+unix://{encoded}/v1"));
    for way in WAYS {
        assert_eq!(way.send(&client, hello()).unwrap().text(), "Hello from both sides.");
        assert_eq!(way.read(&client, hello()).text(), "Hello from both sides.");
        way.models(&client).unwrap();
    }
    let sent = service.recorded("");
    assert!(sent.iter().all(|request| request.header("host") == Some("localhost")));
    assert_eq!(sent.len(), 6);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_unix_socket_that_is_not_there_is_named() {
    let client = Client::new(config("http+unix://%2Fnowhere%2Fm.sock/v1")).unwrap();
    let error = client.blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.metered()), (ErrorKind::Connect, Metered::NotSent));
    assert!(error.message().starts_with("cannot connect to /nowhere/m.sock: "), "{error}");
}

#[test]
fn an_invalid_unix_socket_is_refused() {
    let long = format!("http+unix://%2F{}/v1", "x".repeat(200));
    for base_url in ["http+unix:///run/m.sock/v1", "http+unix://run%2Fm.sock/v1", &long] {
        let error = Client::new(config(base_url)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{base_url}");
        assert!(error.hint().contains("http+unix://%2Frun"), "{error}");
    }
    let config = config("http+unix://%2Frun%2Fm.sock/v1").proxy("http://127.0.0.1:9");
    assert!(Client::new(config).unwrap_err().message().contains("proxy"));
}

/// The timers of the connections to a port: 2 is the keepalive timer (proc(5)).
fn timers(port: u16) -> Vec<u8> {
    let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let remote = format!(":{port:04X}");
    let timer = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields[2].ends_with(&remote) && fields[3] == "01")
            .then(|| fields[5].split(':').next().unwrap().parse().unwrap())
    };
    table.lines().skip(1).filter_map(timer).collect()
}

#[test]
fn a_silent_connection_is_probed() {
    for (time, timer) in [(Some(Duration::from_secs(60)), 2), (None, 0)] {
        let service = Service::start().unwrap();
        let base_url = service.script("s", Script::one(stalled_after(&[&piece("a")])));
        let client = Client::new(config(base_url).tcp_keepalive(time)).unwrap();
        let mut stream = client.blocking().stream(hello()).unwrap();
        stream.next().unwrap().unwrap();
        eventually("its timer", || timers(service.address().port()) == [timer]);
    }
}

#[test]
fn a_keepalive_that_the_system_does_not_take_is_refused() {
    for seconds in [0.0, 0.5, 32_768.0] {
        let time = Duration::from_secs_f64(seconds);
        let config = config("http://127.0.0.1:9/v1").tcp_keepalive(time);
        let error = Client::new(config).unwrap_err();
        assert!(error.message().starts_with("tcp_keepalive"), "{error}");
    }
}
