//! HTTP/2 through nginx: asked for by option, many slow streams on one connection, and its ends.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use modelwire::{Client, Config, ErrorKind, RetryPolicy};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::programs::{Certificates, Running, certificates, nginx};
use crate::support::{DONE, KEY, SAID, config, eventually, hello, in_child, piece, read, works};

const GENEROUS: Duration = Duration::from_secs(60);

struct Front {
    service: Service,
    made: Certificates,
    nginx: Running,
}

impl Front {
    fn new(more: &str) -> Front {
        let (service, made) = (Service::start().unwrap(), certificates());
        let server = made.server("server") + more;
        let nginx = nginx("127.0.0.1", "ssl http2", service.address(), &server);
        Front { service, made, nginx }
    }

    /// A client of a place that the service knows by this URL of its own.
    fn config(&self, base_url: &str) -> Config {
        let url =
            base_url.replace(&self.service.address().to_string(), &self.nginx.address.to_string());
        config(url.replace("http:", "https:")).add_ca_pem(self.made.pem("ca")).http2(true)
    }

    fn client(&self, base_url: &str) -> Client {
        Client::new(self.config(base_url)).unwrap()
    }

    fn protocols(&self) -> BTreeSet<String> {
        self.nginx.accesses().into_iter().map(|access| access[0].clone()).collect()
    }

    fn connections(&self) -> BTreeSet<String> {
        self.nginx.accesses().into_iter().map(|access| access[4].clone()).collect()
    }
}

/// Negotiated where it is asked for, by one connection.
#[test]
fn http2_is_an_option() {
    let front = Front::new("");
    let client = front.client(&front.service.base_url());
    works(&client);
    works(&client);
    eventually("all six are logged", || front.nginx.accesses().len() == 6);
    assert_eq!(front.protocols(), BTreeSet::from(["HTTP/2.0".to_owned()]));
    assert_eq!(front.connections().len(), 1);
    let without = Client::new(front.config(&front.service.base_url()).http2(false)).unwrap();
    works(&without);
    eventually("HTTP/1.1 is logged", || front.protocols().contains("HTTP/1.1"));
    // A service that offers HTTP/1.1 alone is spoken to in that.
    let old = nginx("127.0.0.1", "ssl", front.service.address(), &front.made.server("server"));
    let url = format!("https://{}/v1", old.address);
    works(&Client::new(config(url).add_ca_pem(front.made.pem("ca")).http2(true)).unwrap());
    eventually("the call is logged", || !old.accesses().is_empty());
    assert_eq!(old.accesses()[0][0], "HTTP/1.1");
}

/// Design: windows are sized for many slow streams on one connection.
#[test]
fn slow_consumers_do_not_hold_up_the_others() {
    const STREAMS: usize = 100;
    const EVENTS: usize = 64;
    const EVENT_BYTES: usize = 16 << 10;
    let front = Front::new("");
    let flood = Exchange::pre_rendered_stream(&piece(&"x".repeat(EVENT_BYTES)), EVENTS, 1);
    let slow = front.client(&front.service.script("flood", Script::one(flood)));
    let start = Instant::now();
    let streams: Vec<_> = (0..STREAMS).map(|_| slow.blocking().stream(hello()).unwrap()).collect();
    eventually("all are open", || front.service.recorded("flood").len() == STREAMS);
    // Each has more than its window and its queue hold; nobody reads them now.
    // clock: connections settle, and nothing tells of it
    std::thread::sleep(Duration::from_millis(500));
    let one_more = Instant::now();
    let whole: usize = read(&slow, hello()).unwrap().len();
    assert_eq!(whole, EVENTS * EVENT_BYTES);
    slow.blocking().send(hello().stream_only(true)).unwrap();
    println!("measured: two calls beside {STREAMS} stalled ones took {:?}", one_more.elapsed());
    // clock: bounds a hang
    assert!(one_more.elapsed() < GENEROUS);
    for stream in streams {
        let bytes: usize = stream.map(|chunk| chunk.unwrap().text().len()).sum();
        assert_eq!(bytes, EVENTS * EVENT_BYTES);
    }
    println!(
        "measured: {STREAMS} streams of {} MiB in all in {:?}",
        (STREAMS * EVENTS * EVENT_BYTES) >> 20,
        start.elapsed()
    );
    assert_eq!(front.connections().len(), 1, "all on one connection");
    assert_eq!(front.protocols(), BTreeSet::from(["HTTP/2.0".to_owned()]));
}

/// A connection that is given up after so many requests loses no call in silence.
#[test]
fn a_connection_that_ends_after_some_requests_is_replaced() {
    const THREADS: usize = 8;
    const CALLS: usize = 25;
    let front = Front::new("keepalive_requests 10;");
    let again = RetryPolicy::default().connect_errors(true).first_wait(Duration::from_millis(1));
    let client = Client::new(front.config(&front.service.base_url()).retry(again)).unwrap();
    for _ in 0..30 {
        assert_eq!(client.blocking().send(hello()).unwrap().text(), SAID);
    }
    eventually("three connections are logged", || front.connections().len() >= 3);
    let before = front.service.recorded("").len();
    assert_eq!(before, 30, "none was sent twice");
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let client = client.clone();
            std::thread::spawn(move || {
                let calls = (0..CALLS).map(|_| client.blocking().send(hello()));
                calls.filter_map(Result::err).collect::<Vec<_>>()
            })
        })
        .collect();
    let errors: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let reached = front.service.recorded("").len() - before;
    let calls = THREADS * CALLS;
    println!("measured: of {calls} calls {} failed, {reached} were sent", errors.len());
    assert!(reached >= calls - errors.len() && reached <= calls, "none twice: {reached}");
    // nginx had not begun them and said so, hence each could be tried again on another connection.
    assert!(errors.is_empty(), "{} calls failed: {:?}", errors.len(), errors.first());
}

/// A dropped stream ends at the service, and its connection goes on.
#[test]
fn a_dropped_stream_is_reset() {
    let front = Front::new("");
    let first = format!("data: {}\n\n", piece("a"));
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let stalled =
        Exchange { steps: vec![Step::send(head.to_owned() + &first), Step::StallForever] };
    let client = front.client(&front.service.script("s", Script::one(stalled)));
    for round in 1..=5 {
        let mut stream = client.blocking().stream(hello()).unwrap();
        assert_eq!(stream.next().unwrap().unwrap().text(), "a");
        drop(stream);
        eventually("the service sees the end", || front.service.open_connections() == 0);
        eventually("nginx logs it", || front.nginx.accesses().len() == round);
    }
    assert_eq!(front.connections().len(), 1, "{:?}", front.nginx.accesses());
    // Cut below the service: an error, not an end.
    let cut = Exchange { steps: vec![Step::send(head.to_owned() + &first), Step::Reset] };
    let client = front.client(&front.service.script("t", Script::one(cut)));
    let error = read(&client, hello()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Disconnected | ErrorKind::Incomplete), "{error:?}");
}

/// HTTP/2 logs its frames, at the finest level.
#[test]
fn the_trace_log_of_http2_does_not_contain_the_key() {
    const SECRET: &str = "sk-never-to-be-seen-0123456789";
    let told = in_child("http2::the_trace_log_of_http2_does_not_contain_the_key", &[], || {
        tracing_subscriber::fmt()
            .with_max_level(tracing_subscriber::filter::LevelFilter::TRACE)
            .with_ansi(false)
            .with_writer(std::io::stderr)
            .init();
        let front = Front::new("");
        let echo = [("x-request-id", SECRET)];
        let answer = Exchange::json_with_headers(500, &echo, format!("{{\"error\":\"{SECRET}\"}}"));
        for script in [Exchange::events(&[DONE]), answer] {
            let config = front.config(&front.service.script("s", Script::one(script)));
            let client = Client::new(config.api_key(SECRET)).unwrap();
            for _ in 0..3 {
                let _ = read(&client, hello());
                let _ = client.blocking().send(hello());
            }
        }
        let client = front.client(&front.service.base_url());
        works(&client);
    });
    if let Some(told) = told {
        assert!(told.contains(" h2::"), "HTTP/2 said nothing at all");
        // What the service echoes stands in the frames that came, which only h2 itself logs.
        let sent = told.lines().filter(|line| !line.contains("received") && !line.contains("recv"));
        let leak = sent.into_iter().find(|line| line.contains(SECRET));
        assert_eq!(leak, None);
        assert!(!told.contains(&format!("Bearer {KEY}")));
        assert!(!told.contains(&format!("Bearer {SECRET}")));
    }
}
