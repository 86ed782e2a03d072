//! https in front of the loopback service: what is trusted, what is refused and how it is told.

use std::time::{Duration, Instant};

use modelwire::{Call, Client, Config, Error, ErrorKind, Event, Metered, Pop};
use modelwire_testing::Service;

use crate::programs::{Certificates, EXPIRED, Running, VALID, certificates, nginx};
use crate::secure::{Fault, secure};
use crate::support::{config, eventually, hello, in_child, is_child, read, works};

/// What a scenario in a child finds its parent's things by.
const URL: &str = "MODELWIRE_TEST_URL";

/// How a child says that it was too slow, which a stall of the machine may be the reason of.
const LATE: &str = "too slow: ";

/// Runs the child of a test up to three times, until it is not too slow.
fn in_one_of_three_children(name: &str, variables: &[(&str, &str)]) {
    let mut late = Vec::new();
    let is_prompt = (0..3).any(|_| {
        let told = in_child(name, variables, || {}).unwrap();
        let lines = told.lines().filter(|line| line.starts_with(LATE) || line.contains("measured"));
        late.extend(lines.map(str::to_owned));
        !told.contains(LATE)
    });
    assert!(is_prompt, "three times: {late:#?}");
}

fn front(service: &Service, made: &Certificates, name: &str, more: &str) -> (Running, String) {
    let server = made.server(name) + more;
    let running = nginx("127.0.0.1", "ssl", service.address(), &server);
    let url = format!("https://{}/v1", running.address);
    (running, url)
}

fn trusting(made: &Certificates, url: &str) -> Config {
    config(url).add_ca_pem(made.pem("ca"))
}

/// The same refusal from a plain call and from a stream; nothing was sent.
fn refused(client: &Client, check: impl Fn(&Error)) {
    for error in [
        client.blocking().send(hello()).unwrap_err(),
        client.blocking().stream(hello()).err().unwrap(),
    ] {
        check(&error);
        assert_eq!((error.metered(), error.attempts()), (Metered::NotSent, 1), "{error:?}");
    }
}

/// And HTTP/1.1 is spoken where HTTP/2 was not asked for.
#[test]
fn an_added_authority_is_trusted() {
    let (service, made) = (Service::start().unwrap(), certificates());
    let running = nginx("127.0.0.1", "ssl http2", service.address(), &made.server("server"));
    let url = format!("https://{}/v1", running.address);
    // Another authority before it and after it does no harm.
    let all = trusting(&made, &url).add_ca_pem(made.pem("other"));
    for config in [trusting(&made, &url), all] {
        works(&Client::new(config).unwrap());
    }
    // nginx writes its log when it is done with a request, which is after the answer.
    eventually("nginx logs all six", || running.accesses().len() >= 6);
    let seen = running.accesses();
    assert_eq!(seen.len(), 6, "{seen:?}");
    assert!(seen.iter().all(|access| access[0] == "HTTP/1.1"), "{seen:?}");
}

/// Where the service keeps sessions: each later connection of a client costs one exchange less.
#[test]
fn a_later_connection_resumes_the_session() {
    let (service, made) = (Service::start().unwrap(), certificates());
    for version in ["TLSv1.2", "TLSv1.3"] {
        let more = format!(
            "ssl_protocols {version};\nssl_session_cache shared:sessions:1m;\nkeepalive_timeout 0;\n"
        );
        let (running, url) = front(&service, &made, "server", &more);
        works(&Client::new(trusting(&made, &url)).unwrap());
        eventually("nginx logs all three", || running.accesses().len() >= 3);
        let reused: Vec<_> = running.accesses().iter().map(|access| access[5].clone()).collect();
        assert_eq!(reused, [".", "r", "r"], "{version}");
    }
}

/// Design: the system's certificates are read on a thread where nobody waits: not on the one that
/// starts the call, and not where the I/O of others is done.
#[test]
fn reading_the_certificates_blocks_no_other_call() {
    const CERTIFICATES: usize = 12_000;
    let name = "tls::reading_the_certificates_blocks_no_other_call";
    if is_child() {
        in_child(name, &[], || {
            let service = Service::start().unwrap();
            let plain = Client::new(config(service.base_url())).unwrap();
            works(&plain);
            let secure = Client::new(config("https://127.0.0.1:1/v1")).unwrap();
            let call = Call::new(&secure, hello());
            let start = Instant::now();
            call.start(false).unwrap();
            let started = start.elapsed();
            let (mut longest, mut calls) = (Duration::ZERO, 0);
            let error = loop {
                if let Pop::Event(Event::Done(outcome)) = call.try_pop().unwrap() {
                    break outcome.unwrap_err();
                }
                let before = Instant::now();
                read(&plain, hello()).unwrap();
                longest = longest.max(before.elapsed());
                calls += 1;
            };
            let took = start.elapsed();
            assert_eq!(error.kind(), ErrorKind::Connect, "{error:?}");
            println!("\nmeasured: started in {started:?}, read in {took:?}, {calls} calls beside");
            // clock: a ratio within one run, which one of three processes has to meet
            if started > took / 4 || calls <= 4 || longest > took / 2 {
                println!("\n{LATE}a call took {longest:?}");
            }
        });
        return;
    }
    let made = certificates();
    let store = made.folder.write("store.pem", &made.pem("ca").repeat(CERTIFICATES));
    in_one_of_three_children(name, &[("SSL_CERT_FILE", store.as_str()), ("SSL_CERT_DIR", "")]);
}

/// Each reason is told, and the key was not sent.
#[test]
fn untrusted_certificates_are_refused() {
    let (service, made) = (Service::start().unwrap(), certificates());
    made.sign("elsewhere", "subjectAltName = DNS:elsewhere.example\n", VALID);
    made.sign("expired", "subjectAltName = IP:127.0.0.1\n", EXPIRED);
    made.sign("early", "subjectAltName = IP:127.0.0.1\n", ["490101000000Z", "491231000000Z"]);
    let cases = [
        ("server", "other", "UnknownIssuer"),
        ("elsewhere", "ca", "not valid for name"),
        ("expired", "ca", "expired"),
        ("early", "ca", "not valid yet"),
    ];
    for (server, authority, reason) in cases {
        let (running, url) = front(&service, &made, server, "");
        let client = Client::new(config(&url).add_ca_pem(made.pem(authority))).unwrap();
        refused(&client, |error| {
            assert_eq!(error.kind(), ErrorKind::Tls, "{server}: {error:?}");
            assert!(error.message().contains(reason), "{reason}: {error:?}");
            assert!(error.message().contains(&running.address.to_string()), "{error:?}");
            assert!(error.hint().contains("SSL_CERT_FILE"), "{error:?}");
        });
    }
    assert_eq!(service.connections(), 0);
}

/// The two mix-ups of http and https.
#[test]
fn a_mixed_up_http_or_https_scheme_is_reported() {
    let (service, made) = (Service::start().unwrap(), certificates());
    let (running, url) = front(&service, &made, "server", "");
    let plain = Client::new(config(url.replace("https", "http"))).unwrap();
    let error = plain.blocking().send(hello()).unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::InvalidRequest, Some(400)));
    assert!(error.message().contains("HTTPS port"), "{error:?}");
    drop(running);
    let url = service.base_url().replace("http", "https");
    let secure = Client::new(trusting(&made, &url)).unwrap();
    refused(&secure, |error| {
        assert_eq!(error.kind(), ErrorKind::Tls, "{error:?}");
        assert!(error.hint().contains("base_url"), "{error:?}");
    });
    assert!(service.recorded("").is_empty());
}

/// Design: the variable names the store, in place of the system's.
#[test]
fn ssl_cert_file_is_honoured() {
    let name = "tls::ssl_cert_file_is_honoured";
    if is_child() {
        in_child(name, &[], || works(&Client::new(config(std::env::var(URL).unwrap())).unwrap()));
        return;
    }
    let (service, made) = (Service::start().unwrap(), certificates());
    let (_running, url) = front(&service, &made, "server", "");
    let file = made.path("ca", "pem");
    let variables = [("SSL_CERT_FILE", file.as_str()), ("SSL_CERT_DIR", ""), (URL, url.as_str())];
    in_child(name, &variables, || {});
}

/// Design: without any store https says what to install, and plain http works, and fast.
#[test]
fn without_a_store_of_certificates_plain_http_works() {
    let name = "tls::without_a_store_of_certificates_plain_http_works";
    if is_child() {
        in_child(name, &[], || {
            let base_url = std::env::var(URL).unwrap();
            let start = Instant::now();
            let client = Client::new(config(&base_url)).unwrap();
            let call = modelwire::Call::new(&client, hello());
            // Makes the transport, which is what a certificate store would hold up.
            call.start(false).unwrap();
            let took = start.elapsed();
            println!("\nmeasured: a plain http client is built and started in {took:?}");
            // clock: a store of certificates takes seconds in a debug build; one of three processes counts
            if took > Duration::from_millis(500) {
                println!("\n{LATE}{took:?}");
            }
            works(&client);
            let secure = Client::new(config(base_url.replace("http", "https")));
            let error = secure.and_then(|client| client.blocking().models()).unwrap_err();
            assert_eq!((error.kind(), error.metered()), (ErrorKind::Config, Metered::NotSent));
            assert!(error.hint().contains("ca-certificates"), "{error:?}");
            assert!(error.hint().contains("SSL_CERT_FILE"), "{error:?}");
        });
        return;
    }
    let (service, made) = (Service::start().unwrap(), certificates());
    let empty = made.folder.write("empty", "");
    let folder = made.folder.file("none");
    std::fs::create_dir(&folder).unwrap();
    let url = service.base_url();
    let variables = [
        ("SSL_CERT_FILE", empty.as_str()),
        ("SSL_CERT_DIR", folder.as_str()),
        ("HTTP_PROXY", ""),
        (URL, url.as_str()),
    ];
    in_one_of_three_children(name, &variables);
}

/// A service may ask for a certificate of the client's.
#[test]
fn a_client_certificate_is_shown() {
    let (service, made) = (Service::start().unwrap(), certificates());
    made.sign("client", "extendedKeyUsage = clientAuth\n", VALID);
    made.sign("late", "extendedKeyUsage = clientAuth\n", EXPIRED);
    let verify =
        format!("ssl_verify_client on;\nssl_client_certificate {};", made.path("ca", "pem"));
    let (_running, url) = front(&service, &made, "server", &verify);
    let with = |name| trusting(&made, &url).client_certificate_pem(made.pair(name));
    works(&Client::new(with("client")).unwrap());
    for (config, reason) in
        [(trusting(&made, &url), "certificate was sent"), (with("late"), "certificate error")]
    {
        let client = Client::new(config).unwrap();
        let before = service.recorded("").len();
        let error = client.blocking().send(hello()).unwrap_err();
        assert_eq!((error.kind(), error.status()), (ErrorKind::InvalidRequest, Some(400)));
        assert!(error.message().contains(reason), "{error:?}");
        assert_eq!(read(&client, hello()).unwrap_err().status(), Some(400));
        assert_eq!(service.recorded("").len(), before);
    }
}

/// What can be known without a connection is told when the client is made.
#[test]
fn broken_certificates_are_refused_at_configuration() {
    let made = certificates();
    let broken = "-----BEGIN CERTIFICATE-----\nnot base64 !\n-----END CERTIFICATE-----\n";
    let no_certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let base = || config("https://127.0.0.1:1/v1");
    let (certificate, key) = (made.pem("server"), made.folder.read("server.key"));
    let other_key = made.folder.read("other.key");
    let cases = [
        ("ca_pem", base().add_ca_pem("garbage")),
        ("ca_pem", base().add_ca_pem("")),
        ("ca_pem", base().add_ca_pem(broken)),
        ("ca_pem", base().add_ca_pem(no_certificate)),
        ("ca_pem", base().add_ca_pem(key.clone())),
        ("client_certificate_pem", base().client_certificate_pem("garbage")),
        ("client_certificate_pem", base().client_certificate_pem(certificate.clone())),
        ("client_certificate_pem", base().client_certificate_pem(key)),
        ("client_certificate_pem", base().client_certificate_pem(certificate + &other_key)),
    ];
    let (mut late, mut astray) = (Vec::new(), Vec::new());
    for (number, (option, config)) in cases.into_iter().enumerate() {
        let error = match Client::new(config) {
            Err(error) => error,
            Ok(client) => {
                late.push(number);
                client.blocking().models().unwrap_err()
            }
        };
        let told = (error.kind(), error.metered());
        assert_eq!(told, (ErrorKind::Config, Metered::NotSent), "{number}: {error:?}");
        assert!(error.message().contains(option), "{number}: {error:?}");
        assert!(!error.report().contains("PRIVATE KEY"), "{number}");
        if error.hint().contains("MODELWIRE_BASE_URL") {
            astray.push(number);
        }
    }
    let none: Vec<usize> = Vec::new();
    assert_eq!((late, astray), (none.clone(), none), "told at the first call; a hint leads astray");
}

/// A fault of TLS after the request was delivered does not say that it was not processed.
#[test]
fn a_fault_after_the_request_may_have_been_metered() {
    let made = certificates();
    let beginnings = ["", "HTTP/1.1 200 OK\r\nContent-Le"];
    let mut wrong = Vec::new();
    for fault in [Fault::Garbage, Fault::NoRecord, Fault::Alert] {
        for beginning in beginnings {
            let server = secure(&made, beginning, fault);
            let client = Client::new(trusting(&made, &server.url)).unwrap();
            let errors = [
                client.blocking().send(hello()).unwrap_err(),
                client.blocking().stream(hello()).err().unwrap(),
            ];
            assert_eq!(server.requests(), 2, "both were delivered");
            for (error, how) in errors.iter().zip(["plain", "streamed"]) {
                assert_ne!(error.kind(), ErrorKind::Internal, "{error:?}");
                if error.metered() != Metered::Unknown {
                    let told = (error.kind(), error.metered());
                    wrong.push(format!("{fault:?} after {beginning:?}, {how}: {told:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of 12: {wrong:#?}", wrong.len());
}
