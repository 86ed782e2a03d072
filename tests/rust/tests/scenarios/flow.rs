//! Back-pressure and many calls at once.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use modelwire::{Client, End, Limits, TimeoutPhase, Timeouts};
use modelwire_testing::{Exchange, Options, Script, Service};

use crate::support::{block_on, client, config, eventually, hello, piece, within_three_tries};

const EVENTS: usize = 4096;
const EVENT_BYTES: usize = 16 << 10;

/// Writes a stream of 64 MiB to one connection as fast as it is taken, and counts.
fn flood(sent: Arc<AtomicUsize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut peer, _) = listener.accept().unwrap();
        let mut request = [0; 4096];
        assert!(peer.read(&mut request).unwrap() > 0);
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        peer.write_all(head.as_bytes()).unwrap();
        let padding = "x".repeat(EVENT_BYTES);
        for number in 0..EVENTS {
            let event = format!(
                "data: {{\"choices\":[{{}}],\"number\":{number},\"padding\":\"{padding}\"}}\n\n"
            );
            peer.write_all(event.as_bytes()).unwrap();
            sent.fetch_add(event.len(), Ordering::SeqCst);
        }
        peer.write_all(b"data: [DONE]\n\n").unwrap();
    });
    address
}

/// Waits until the count has not moved for a while: the peer is held up.
fn settled(sent: &AtomicUsize) -> usize {
    let start = Instant::now();
    let (mut last, mut since) = (0, Instant::now());
    // clock: held up is who does not move; a pause that is none makes the test weaker
    while since.elapsed() < Duration::from_millis(500) {
        // clock: bounds a hang
        assert!(start.elapsed() < Duration::from_secs(120), "never held up");
        let now = sent.load(Ordering::SeqCst);
        if now != last || now == 0 {
            (last, since) = (now, Instant::now());
        }
        // clock: between two looks
        std::thread::sleep(Duration::from_millis(5));
    }
    last
}

/// The design's bound: a consumer that does not read holds up the service.
#[test]
fn a_consumer_that_does_not_read_holds_up_the_service() {
    let sent = Arc::new(AtomicUsize::new(0));
    let address = flood(sent.clone());
    let limits = Limits::default().queue_events_max(4).queue_bytes_max(4096);
    let client = Client::new(config(format!("http://{address}/v1")).limits(limits)).unwrap();
    let mut stream = client.blocking().stream(hello()).unwrap();
    // What the kernel buffers for two sockets on loopback; the rest of 64 MiB stays with the peer.
    let held = settled(&sent);
    assert!(held < 24 << 20, "{held} bytes were taken from the service");
    for number in 0..EVENTS {
        let chunk = stream.next().unwrap().unwrap();
        let found = chunk.value().get("number").unwrap().as_i64();
        assert_eq!(found, i64::try_from(number).ok());
        assert!(chunk.json().len() > EVENT_BYTES);
    }
    assert!(stream.next().is_none());
    assert_eq!(stream.response().unwrap().end(), End::DoneMark);
}

/// The deadline goes on while the consumer does not read; what was received is still there.
#[test]
fn the_deadline_ends_a_stream_under_backpressure() {
    let events: Vec<String> = (0..400).map(|_| piece(&"x".repeat(64 << 10))).collect();
    let texts: Vec<&str> = events.iter().map(String::as_str).chain(["[DONE]"]).collect();
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(Exchange::events(&texts)));
    let limits = Limits::default().queue_events_max(4);
    let total = Some(Duration::from_millis(300));
    let timeouts = Timeouts::default().total(total);
    let client = Client::new(config(url).limits(limits).timeouts(timeouts)).unwrap();
    within_three_tries(|| {
        let mut stream = client.blocking().stream(hello()).map_err(|error| error.report())?;
        // Nobody reads, and the exchange is over all the same.
        eventually("closed", || service.open_connections() == 0);
        let (mut chunks, mut end) = (0, None);
        for chunk in stream.by_ref() {
            match chunk {
                Ok(_) => chunks += 1,
                Err(error) => end = Some(error),
            }
        }
        assert!(chunks < 400, "{chunks}");
        assert_eq!(end.unwrap().timeout(), Some(TimeoutPhase::Total));
        (chunks > 0).then_some(()).ok_or_else(|| "no chunk came in time".to_owned())
    });
}

/// A stream that nobody reads does not keep another from flowing.
#[test]
fn a_stream_under_backpressure_does_not_block_others() {
    let address = flood(Arc::new(AtomicUsize::new(0)));
    let idle = client(format!("http://{address}/v1"));
    let stuck = idle.blocking().stream(hello()).unwrap();
    let service = Service::start().unwrap();
    let other = client(service.base_url());
    for _ in 0..20 {
        let stream = other.blocking().stream(hello()).unwrap();
        let texts: Vec<String> = stream.map(|chunk| chunk.unwrap().text().into_owned()).collect();
        assert_eq!(texts.concat(), "Hello from both sides.");
    }
    drop(stuck);
}

/// Many streams of one client at once, on one consumer thread.
#[test]
fn many_streams_flow_at_once() {
    let pause = Duration::from_millis(20);
    let options = Options { word_pause: pause, ..Options::default() };
    let service = Service::start_with(options).unwrap();
    let client = client(service.base_url());
    let text = block_on(async {
        let mut streams = Vec::new();
        for _ in 0..50 {
            streams.push(client.stream(hello()).await.unwrap());
        }
        let mut text = String::new();
        for stream in &mut streams {
            while let Some(chunk) = stream.next().await {
                text.push_str(&chunk.unwrap().text());
            }
        }
        text
    });
    assert_eq!(text, "Hello from both sides.".repeat(50));
    assert_eq!(client.usage()["echo"].calls, 50);
}

/// A stream needs its client no longer once it is open.
#[test]
fn a_stream_outlives_its_client() {
    let service = Service::start().unwrap();
    let stream = client(service.base_url()).blocking().stream(hello()).unwrap();
    let text: String = stream.map(|chunk| chunk.unwrap().text().into_owned()).collect();
    assert_eq!(text, "Hello from both sides.");
}
