//! Ways of giving up a call, and that the service notices each.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use modelwire::{Call, ErrorKind, Event, Metered, Pop, Request};
use modelwire_testing::{Exchange, Script, Service};

use crate::support::{block_on, client, eventually, hello, piece, silence, stalled_after, until};

fn closed(service: &Service) {
    eventually("the service sees the close", || service.open_connections() == 0);
}

/// Design: dropping the future cancels the call.
#[test]
fn a_dropped_future_cancels() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let arrived = |count| move |service: &Service| service.recorded("s").len() == count;
    block_on(async {
        tokio::select! {
            _ = client.send(hello()) => panic!("nobody answered"),
            () = until("sent", || arrived(1)(&service)) => {}
        }
        assert_eq!(service.recorded("s").len(), 1);
        until("closed", || service.open_connections() == 0).await;
        tokio::select! {
            _ = client.stream(hello()) => panic!("nobody answered"),
            () = until("sent", || arrived(2)(&service)) => {}
        }
    });
    closed(&service);
    assert!(client.usage().is_empty());
}

/// A chunk is here while the service has not said the next.
#[test]
fn a_stream_dropped_in_the_middle_closes() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    block_on(async {
        let mut stream = client.stream(hello()).await.unwrap();
        assert_eq!(stream.next().await.unwrap().unwrap().text(), "a");
        assert_eq!(service.open_connections(), 1);
    });
    closed(&service);
    let mut stream = client.blocking().stream(hello()).unwrap();
    assert_eq!(stream.next().unwrap().unwrap().text(), "a");
    assert_eq!(service.open_connections(), 1);
    drop(stream);
    closed(&service);
}

/// A cancelled wait for the next chunk loses nothing: the stream goes on.
#[test]
fn a_wait_that_is_dropped_loses_no_chunk() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let request = Request::chat("slow").user("one two three");
    let text = block_on(async {
        let mut stream = client.stream(request).await.unwrap();
        let mut text = String::new();
        loop {
            // Far shorter than the 200 ms between two words, so most waits are given up.
            let wait = Duration::from_millis(7);
            match tokio::time::timeout(wait, stream.next()).await {
                Err(_) => {}
                Ok(Some(chunk)) => text.push_str(&chunk.unwrap().text()),
                Ok(None) => return text,
            }
        }
    });
    assert_eq!(text, "one two three");
}

/// Design: cancel works from any thread, at any time.
#[test]
fn another_thread_cancels_a_waiting_one() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let call = Arc::new(Call::new(&client, hello()));
    call.start(true).unwrap();
    assert!(matches!(call.pop(None), Ok(Pop::Event(Event::Open(_)))));
    assert!(matches!(call.pop(None), Ok(Pop::Event(Event::Chunk(_)))));
    let waiter = std::thread::spawn({
        let call = call.clone();
        move || call.pop(None)
    });
    call.cancel();
    let Ok(Pop::Event(Event::Done(Err(error)))) = waiter.join().unwrap() else {
        panic!("a cancelled call ends with an error");
    };
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(matches!(call.pop(None), Ok(Pop::End)));
    closed(&service);
}

/// The beginning of a document is a part of an answer. More was sent than the system holds between the two, so
/// the client has read some of it.
#[test]
fn a_cancel_within_a_document_counts_what_arrived() {
    for stream in [false, true] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let client = client(format!("http://{}/v1", listener.local_addr().unwrap()));
        let call = Call::new(&client, hello());
        call.start(stream).unwrap();
        let (mut socket, _) = listener.accept().unwrap();
        assert!(socket.read(&mut [0; 4096]).unwrap() > 0);
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"id\":\"";
        socket.write_all(head.as_bytes()).unwrap();
        socket.write_all(&vec![b'a'; 64 << 20]).unwrap();
        call.cancel();
        let error = std::iter::from_fn(|| match call.pop(None).unwrap() {
            Pop::Event(Event::Done(ended)) => Some(ended.err()),
            Pop::Event(_) => Some(None),
            _ => None,
        });
        let error = error.flatten().next().unwrap();
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert_eq!(error.metered(), Metered::Entered);
        assert_eq!(error.record().unwrap().metered(), Metered::Entered);
    }
}

#[test]
fn a_stream_can_be_cancelled_before_its_next_item() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let mut stream = client.blocking().stream(hello()).unwrap();
    stream.cancel();
    let kinds: Vec<ErrorKind> = stream.by_ref().filter_map(Result::err).map(|e| e.kind()).collect();
    assert_eq!(kinds, [ErrorKind::Cancelled]);
    assert!(stream.next().is_none() && stream.response().is_none());
    closed(&service);
}

#[test]
fn a_call_cancelled_before_its_start_is_not_sent() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let call = Call::new(&client, hello());
    call.cancel();
    assert_eq!(call.start(false).unwrap_err().kind(), ErrorKind::Cancelled);
    assert_eq!(service.connections(), 0);
}

/// Cancelling what waits to be tried again ends it at once.
#[test]
fn a_wait_for_a_retry_is_cancelled() {
    let service = Service::start().unwrap();
    let answer = Exchange::json_with_headers(429, &[("Retry-After", "50")], "");
    let client = client(service.script("s", Script::one(answer)));
    let call = Call::new(&client, hello());
    call.start(false).unwrap();
    eventually("sent", || service.recorded("s").len() == 1);
    call.cancel();
    let Ok(Pop::Event(Event::Done(Err(error)))) = call.pop(None) else { panic!("not done") };
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

/// Whatever the call is doing when it is cancelled: nothing hangs, and Done comes exactly once.
#[test]
fn cancelling_at_any_moment_ends_the_call_once() {
    let service = Service::start().unwrap();
    let flood = Exchange::pre_rendered_stream(&piece("x"), 2_000, 3);
    let client = client(service.script("s", Script::one(flood)));
    for moment in 0..300 {
        let call = Arc::new(Call::new(&client, hello()));
        let canceller = std::thread::spawn({
            let call = call.clone();
            move || {
                (0..moment * 50).for_each(|_| std::hint::spin_loop());
                call.cancel();
            }
        });
        let started = call.start(true).is_ok();
        let mut ends = 0;
        loop {
            match call.pop(Some(Duration::from_secs(30))).unwrap() {
                Pop::Event(Event::Done(_)) => ends += 1,
                Pop::Event(Event::Open(_) | Event::Chunk(_)) => {}
                Pop::End => break,
                Pop::Empty => panic!("a wait of 30 s for a cancelled call"),
            }
        }
        assert!(ends == 1 || !started, "{ends} ends");
        canceller.join().unwrap();
    }
    closed(&service);
}
