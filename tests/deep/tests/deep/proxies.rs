//! Proxies by option and by environment: HTTP, CONNECT, SOCKS5, passwords, exceptions.

use std::net::SocketAddr;

use modelwire::{Client, Error, ErrorKind, Metered, Request};
use modelwire_testing::Service;

use crate::programs::{
    Certificates, Running, certificates, free_port, microsocks, nginx, own_address, tinyproxy,
};
use crate::support::{SAID, config, eventually, hello, in_child, is_child, read, works};

const PASSWORD: &str = "hush-hush-1";

/// The loopback service at this machine's own address, plain and behind TLS.
struct Target {
    service: Service,
    made: Certificates,
    plain: Running,
    secure: Running,
}

impl Target {
    fn new() -> Target {
        let (service, made) = (Service::start().unwrap(), certificates());
        let host = own_address().unwrap_or_else(|| "127.0.0.1".to_owned());
        let plain = nginx(&host, "", service.address(), "");
        let secure = nginx(&host, "ssl", service.address(), &made.server("server"));
        Target { service, made, plain, secure }
    }

    fn urls(&self) -> [String; 2] {
        [format!("http://{}/v1", self.plain.address), format!("https://{}/v1", self.secure.address)]
    }

    fn client(&self, url: &str, proxy: &str) -> Client {
        Client::new(config(url).add_ca_pem(self.made.pem("ca")).proxy(proxy)).unwrap()
    }
}

/// Fails unless the proxy has spoken of this address.
fn passed(proxy: &Running, address: SocketAddr) {
    let port = address.port().to_string();
    eventually("the proxy logs it", || proxy.log().contains(&port));
}

/// The same as `works` for a proxy that closes each connection soon after its answer, without a
/// word: each call waits until that was seen.
fn works_gently(client: &Client) {
    // clock: nothing tells that a connection is back
    let pause = || std::thread::sleep(std::time::Duration::from_millis(50));
    client.blocking().models().unwrap();
    pause();
    assert_eq!(client.blocking().send(hello()).unwrap().text(), SAID);
    pause();
    assert_eq!(read(client, hello()).unwrap(), SAID);
    pause();
}

/// Design: a connection that its peer closes after each answer fails no call. A proxy that a busy
/// machine keeps waiting closes it later, while the next request is already written: such calls are
/// lost, and are few.
#[test]
fn a_proxy_that_closes_without_a_word_fails_no_call() {
    const ROUNDS: usize = 300;
    const LOST_MAX: usize = 6;
    let (target, proxy) = (Target::new(), tinyproxy(""));
    let [plain, _] = target.urls();
    let client = target.client(&plain, &format!("http://{}", proxy.address));
    let mut errors = Vec::new();
    for round in 0..ROUNDS {
        let numbered = |how: &str| Request::chat("echo").user(&format!("{how} {round}"));
        errors.extend(client.blocking().send(numbered("plain")).err());
        errors.extend(read(&client, numbered("streamed")).err());
    }
    let lost = errors.iter().filter(|error| error.kind() == ErrorKind::Disconnected).count();
    let first = errors.first();
    assert!(
        errors.len() == lost && lost <= LOST_MAX,
        "{} of {} calls failed, the first: {first:?}",
        errors.len(),
        2 * ROUNDS
    );
    let mut bodies: Vec<_> = target.service.recorded("").into_iter().map(|it| it.body).collect();
    let sent = bodies.len();
    assert!((2 * ROUNDS - lost..=2 * ROUNDS).contains(&sent), "{sent} reached the service");
    bodies.sort_unstable();
    bodies.dedup();
    assert_eq!(bodies.len(), sent, "none was sent twice");
}

/// Plain and streamed calls to http and https go through an HTTP proxy.
#[test]
fn an_http_proxy_by_option() {
    let (target, proxy) = (Target::new(), tinyproxy(""));
    for (url, address) in target.urls().iter().zip([target.plain.address, target.secure.address]) {
        works_gently(&target.client(url, &format!("http://{}", proxy.address)));
        passed(&proxy, address);
    }
    // By option loopback addresses go through it, too.
    works_gently(&target.client(&target.service.base_url(), &format!("http://{}", proxy.address)));
    passed(&proxy, target.service.address());
}

/// A proxy's password is sent to the proxy alone and never told.
#[test]
fn a_proxy_may_ask_for_a_password() {
    let target = Target::new();
    let proxy = tinyproxy(&format!("BasicAuth user {PASSWORD}"));
    for url in target.urls() {
        works_gently(&target.client(&url, &format!("http://user:{PASSWORD}@{}", proxy.address)));
        let reached = target.service.recorded("");
        assert!(reached.iter().all(|sent| sent.header("proxy-authorization").is_none()));
        let wrong = PASSWORD.replace('1', "2");
        for proxy_url in
            [format!("http://user:{wrong}@{}", proxy.address), format!("http://{}", proxy.address)]
        {
            let client = target.client(&url, &proxy_url);
            for error in [
                client.blocking().send(hello()).unwrap_err(),
                client.blocking().stream(hello()).err().unwrap(),
            ] {
                let told = format!("{error} {error:?}");
                assert!(!told.contains("hush"), "{told}");
                // base64 of "user:hush-hush-"
                assert!(!told.contains("dXNlcjpodXNoLWh1c2gt"), "{told}");
                assert!(told.to_lowercase().contains("proxy"), "{told}");
                println!(
                    "measured: wrong proxy password for {}: {:?}: {error}",
                    &url[..5],
                    error.kind()
                );
                // tinyproxy says 407 where a password is missing and 401 where it is wrong.
                match url.starts_with("https") {
                    true => assert_eq!(error.metered(), Metered::NotSent, "{told}"),
                    false => assert!(matches!(error.status(), Some(401 | 407)), "{told}"),
                }
            }
        }
        assert_eq!(target.service.recorded("").len(), reached.len());
    }
}

/// Who cannot be reached is named.
#[test]
fn a_proxy_that_is_down_is_named() {
    let target = Target::new();
    let port = free_port("127.0.0.1");
    for scheme in ["http", "socks5h"] {
        for url in target.urls() {
            let proxy = format!("{scheme}://user:{PASSWORD}@127.0.0.1:{port}");
            let check = |error: Error| {
                assert_eq!(error.kind(), ErrorKind::Connect, "{scheme}: {error:?}");
                assert_eq!(error.metered(), Metered::NotSent);
                // What hyper-util says of a SOCKS proxy does not carry the system's reason.
                let why = if scheme == "http" { "refused" } else { "SOCKS error" };
                assert!(error.message().contains(why), "{error:?}");
                assert!(!error.report().contains("hush"), "{error:?}");
                assert!(error.message().contains(&format!("127.0.0.1:{port}")), "{error:?}");
                assert!(error.message().contains("proxy"), "{error:?}");
            };
            let client = target.client(&url, &proxy);
            check(client.blocking().send(hello()).unwrap_err());
            check(client.blocking().stream(hello()).err().unwrap());
        }
    }
}

/// What a proxy says instead of the service.
#[test]
fn a_target_that_a_proxy_cannot_reach_is_an_error() {
    let (target, proxy) = (Target::new(), tinyproxy(""));
    let host = own_address().unwrap_or_else(|| "127.0.0.1".to_owned());
    let port = free_port(&host);
    for scheme in ["http", "https"] {
        let url = format!("{scheme}://{host}:{port}/v1");
        let client = target.client(&url, &format!("http://{}", proxy.address));
        let error = client.blocking().send(hello()).unwrap_err();
        println!("measured: unreachable through a proxy, {scheme}: {:?}: {error}", error.kind());
        let told = (error.kind(), error.metered());
        match scheme {
            "http" => assert_eq!(told, (ErrorKind::Server, Metered::Unknown), "{error:?}"),
            _ => assert_eq!(told, (ErrorKind::Connect, Metered::NotSent), "{error:?}"),
        }
    }
}

#[test]
fn socks5_by_option() {
    let target = Target::new();
    let (open, closed) = (microsocks(&[]), microsocks(&["-u", "user", "-P", PASSWORD]));
    for (url, address) in target.urls().iter().zip([target.plain.address, target.secure.address]) {
        for scheme in ["socks5", "socks5h"] {
            works(&target.client(url, &format!("{scheme}://{}", open.address)));
            let proxy = format!("{scheme}://user:{PASSWORD}@{}", closed.address);
            works(&target.client(url, &proxy));
        }
        passed(&open, address);
        passed(&closed, address);
        let wrong = format!("socks5h://user:hush-hush-2@{}", closed.address);
        let error = target.client(url, &wrong).blocking().send(hello()).unwrap_err();
        println!("measured: wrong SOCKS password: {:?}: {error}", error.kind());
        assert_eq!((error.kind(), error.metered()), (ErrorKind::Connect, Metered::NotSent));
        assert!(!error.report().contains("hush"), "{error:?}");
    }
}

/// A proxy that is no URL is refused when the client is made, and not shown.
#[test]
fn an_invalid_proxy_url_is_refused_at_configuration() {
    for proxy in
        [format!("http://user:{PASSWORD}@"), format!("::{PASSWORD}"), format!("ftp://{PASSWORD}")]
    {
        let made = Client::new(config("http://127.0.0.1:1/v1").proxy(&proxy));
        let error = made.expect_err("told only at the first call, or not at all");
        assert_eq!(error.kind(), ErrorKind::Config, "{error:?}");
        assert!(!error.report().contains("hush"), "{error:?}");
    }
}

const PLAIN: &str = "MODELWIRE_TEST_PLAIN";
const SECURE: &str = "MODELWIRE_TEST_SECURE";
const LOOPBACK: &str = "MODELWIRE_TEST_LOOPBACK";
const AUTHORITY: &str = "MODELWIRE_TEST_CA";

/// Calls all places that the environment names.
fn call_all(off: bool) {
    let authority = std::fs::read_to_string(std::env::var(AUTHORITY).unwrap()).unwrap();
    for place in [PLAIN, SECURE, LOOPBACK] {
        let config = config(std::env::var(place).unwrap()).add_ca_pem(authority.as_str());
        let config = if off { config.no_proxy() } else { config };
        works_gently(&Client::new(config).unwrap());
    }
}

/// The variables that name the proxy, further ones, and which of the two targets go through it.
type Case<'a> = (&'a [&'a str], &'a [(&'a str, &'a str)], [bool; 2]);

/// Design: the environment's proxies are used, with their exceptions, and never for loopback.
#[test]
fn the_environment_names_proxies() {
    let name = "proxies::the_environment_names_proxies";
    if is_child() {
        in_child(name, &[], || call_all(std::env::var("MODELWIRE_TEST_OFF").is_ok()));
        return;
    }
    let Some(host) = own_address() else {
        panic!("this test needs an address of this machine that is not loopback: hostname -I");
    };
    let target = Target::new();
    let [plain, secure] = target.urls();
    let (loopback, authority) = (target.service.base_url(), target.made.path("ca", "pem"));
    let none = [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
    ]
    .map(|name| (name, ""));
    let places = [
        (PLAIN, plain.as_str()),
        (SECURE, secure.as_str()),
        (LOOPBACK, loopback.as_str()),
        (AUTHORITY, authority.as_str()),
    ];
    let cases: [Case; 6] = [
        (&["http_proxy"], &[], [true, false]),
        (&["HTTPS_PROXY"], &[], [false, true]),
        (&["HTTP_PROXY", "https_proxy"], &[], [true, true]),
        (&["ALL_PROXY"], &[], [true, true]),
        (&["ALL_PROXY"], &[("NO_PROXY", &host)], [false, false]),
        (&["ALL_PROXY"], &[("MODELWIRE_TEST_OFF", "1")], [false, false]),
    ];
    for (set, more, through) in cases {
        let proxy = tinyproxy("");
        let url = format!("http://{}", proxy.address);
        let set = set.iter().map(|name| (*name, url.as_str()));
        let variables: Vec<_> =
            none.into_iter().chain(set).chain(places).chain(more.iter().copied()).collect();
        in_child(name, &variables, || {});
        let log = proxy.log();
        let ports = [target.plain.address, target.secure.address].map(|a| format!(":{}", a.port()));
        let seen = ports.each_ref().map(|port| log.contains(port.as_str()));
        assert_eq!(seen, through, "{variables:?}: {log}");
        let port = format!(":{}", target.service.address().port());
        assert!(!log.contains(&port), "loopback went through the proxy: {log}");
    }
}
