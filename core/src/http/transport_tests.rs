//! Which connection a request takes, what is counted of it, and how its answer is read.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::Command;
use std::task::Waker;
use std::thread;

use super::*;

const HOUR: Duration = Duration::from_secs(3600);
const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/// Those of a client of this service.
fn settings_of(base_url: &str) -> Settings {
    let mut settings = Settings::for_tests("sk-test");
    settings.base_url = Url::parse(base_url).unwrap();
    settings.timeouts.connect = None; // virtual time passes while a connection is opened
    settings
}

fn transport_of(settings: &Settings) -> Transport {
    Transport::new(settings, Arc::new(Connections::new(4, 1).unwrap())).unwrap()
}

/// A service that gives this answer to every request; an empty one breaks the connection off.
fn service(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            let mut connection = connection.unwrap();
            thread::spawn(move || {
                let reader = BufReader::new(connection.try_clone().unwrap());
                let mut lines = reader.lines().map_while(Result::ok);
                // An empty line ends a head.
                while lines.any(|line| line.is_empty())
                    && !answer.is_empty()
                    && connection.write_all(answer.as_bytes()).is_ok()
                {}
            });
        }
    });
    format!("http://{address}")
}

/// Sends a request; returns its timing too.
async fn send(
    transport: &Transport,
    settings: &Settings,
    text: Option<&str>,
) -> (Result<Box<Reply>, Failure>, Arc<AttemptTiming>) {
    let endpoint = if text.is_some() { Endpoint::Chat } else { Endpoint::Models };
    let text = text.map(str::to_owned);
    let prepared = Prepared::new(endpoint, text, Default::default(), false, false).unwrap();
    let (body, moved, more) = (prepared.body.as_ref(), None, &[][..]);
    let redactor = &Redactor::for_tests("sk-test", 100);
    let to_send = ToSend { prepared: &prepared, body, moved, more, redactor };
    let permit = transport.connections.try_get().unwrap();
    let seen = Arc::new(AttemptTiming::new(Instant::now()));
    (transport.send(settings, to_send, permit, &seen).await, seen)
}

#[tokio::test(start_paused = true)]
async fn a_request_shortly_after_a_document_opens_a_connection() {
    let settings = settings_of(&service(ANSWER));
    let transport = transport_of(&settings);
    let (reply, seen) = send(&transport, &settings, None).await;
    assert!(reply.ok().unwrap().body.port.is_some());
    assert!(transport.fresh.get().is_none());
    assert_eq!(seen.wait(), None);
    transport.reuse().ended(false, 1, transport.made.elapsed() + HOUR);
    let (reply, seen) = send(&transport, &settings, None).await;
    assert_eq!(reply.ok().unwrap().body.port, None, "it does not return to the pool");
    assert!(transport.fresh.get().is_some());
    assert_eq!(seen.wait(), None);
}

#[tokio::test(start_paused = true)]
async fn a_request_shortly_after_a_stream_waits() {
    let settings = settings_of(&service(ANSWER));
    let mut transport = transport_of(&settings);
    transport.made -= Duration::from_secs(1);
    transport.reuse().ended(true, 1, Duration::ZERO);
    let (reply, seen) = send(&transport, &settings, None).await;
    assert!(reply.is_ok());
    assert_eq!(seen.wait(), None, "the time is over");
    transport.reuse().ended(true, 1, transport.made.elapsed() + HOUR);
    let (reply, seen) = send(&transport, &settings, None).await;
    assert!(reply.is_ok());
    assert!(seen.wait().is_some());
}

#[tokio::test]
async fn the_next_request_considers_how_the_last_answer_ended() {
    let settings = settings_of(&service(ANSWER));
    let transport = transport_of(&settings);
    let reply = send(&transport, &settings, None).await.0.ok().unwrap();
    let chosen = || transport.reuse().choose(false, transport.made.elapsed());
    let closes = Head::new(200, [("connection", "keep-alive, Close")]);
    transport.answer_ended(true, &closes, &reply.body);
    assert_eq!(chosen(), Connection::Pooled);
    transport.answer_ended(true, &reply.head, &reply.body);
    assert!(matches!(chosen(), Connection::PooledAfter(_)));
}

#[tokio::test]
async fn a_body_of_a_request_that_was_written_is_counted() {
    let settings = settings_of(&service(""));
    let transport = transport_of(&settings);
    let text = r#"{"model":"m","messages":[{"role":"user","content":"x"}]}"#;
    let (reply, seen) = send(&transport, &settings, Some(text)).await;
    let failure = reply.err().unwrap();
    assert_eq!(
        (failure.error.kind(), failure.metered),
        (ErrorKind::Disconnected, Metered::Unknown)
    );
    assert_eq!(seen.bytes_out(), text.len() as u64);
}

#[test]
fn a_large_piece_is_split() {
    const MAX: usize = PIECE_BYTES_MAX;
    let mut cx = Context::from_waker(Waker::noop());
    for (bytes, expected) in
        [(MAX, &[MAX][..]), (MAX + 1, &[MAX, 1]), (2 * MAX + 1, &[MAX, MAX, 1])]
    {
        let mut body = Body::for_tests([Body::gives(vec![0; bytes]), Poll::Ready(None)]);
        let mut sizes = Vec::new();
        while let Poll::Ready(Ok(Some(piece))) = body.poll_piece(&mut cx) {
            sizes.push(piece.len());
        }
        assert_eq!(sizes, expected);
    }
}

#[test]
fn http_1_names_the_host_and_http_2_does_not() {
    let mut settings = settings_of("http://service.test:81/v1");
    let host = |settings: &Settings| header_map(settings, false).unwrap().get(HOST).cloned();
    assert_eq!(host(&settings).unwrap(), "service.test:81");
    settings.http2 = true;
    assert_eq!(host(&settings), None);
}

/// In a process of its own, because the environment belongs to the whole process.
#[test]
fn loopback_addresses_bypass_the_proxy_of_the_environment() {
    const PROXY: &str = "MODELWIRE_PROXY_OF_TEST";
    let Ok(proxy) = std::env::var(PROXY) else {
        let test = "loopback_addresses_bypass_the_proxy_of_the_environment";
        let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
        let mut command = Command::new(std::env::current_exe().unwrap());
        for name in ["NO_PROXY", "ALL_PROXY", "HTTP_PROXY", "HTTPS_PROXY", "REQUEST_METHOD"] {
            command.env_remove(name).env_remove(name.to_lowercase());
        }
        let proxy = service(ANSWER);
        command.args([&*name, "--exact"]).env(PROXY, &proxy).env("http_proxy", &proxy);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    };
    let proxy = proxy.strip_prefix("http://").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let settings = settings_of("http://service.invalid/v1");
    let transport = transport_of(&settings);
    let place = format!("service.invalid:80 through the proxy {proxy} of the environment");
    assert_eq!((transport.is_proxied, &transport.place), (true, &place));
    assert!(runtime.block_on(send(&transport, &settings, None)).0.is_ok());

    let settings = settings_of("http://127.0.0.1:9/v1"); // nothing listens there
    let transport = transport_of(&settings);
    assert_eq!((transport.is_proxied, &*transport.place), (false, "127.0.0.1:9"));
    let failure = runtime.block_on(send(&transport, &settings, None)).0.err().unwrap();
    assert_eq!(failure.error.kind(), ErrorKind::Connect);
}

/// Names are in lower case. A short key may be a word of a name.
#[test]
fn the_keys_of_all_services_are_redacted_in_names_and_values_of_headers() {
    let answer = played::answer_with(&[
        ("x-sk-test-0123-sk-test-0123", "Sk-Test-0123"),
        ("x-request-id", "sk-other-0123 sk-no%2Done-0123"),
    ]);
    let keys = ["Sk-Test-0123", "sk-other-0123", "sk-no-one-0123", "id"];
    let [key, others @ ..] = keys.map(|key| Settings::for_tests(key).api_key);
    let redactor = Redactor { key, others: Some(others.into()), bytes_max: 100 };
    let head = head_of(&answer, &redactor);
    let masked = [("x-[key]-[key]", "[key]"), ("x-request-id", "[key] [key]")];
    assert_eq!(head, Head::new(200, masked));
}
