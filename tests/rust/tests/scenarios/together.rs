//! Many calls in one place: the completion queue and the callback thread, on real connections.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use modelwire::{
    Call, CompletionQueue, ErrorKind, Event, Handler, Limits, Next, Ready, Request, Taken,
};
use modelwire_testing::{Exchange, Script, Service};

use crate::support::{client, config, eventually, hello, piece, silence, stalled_after};

const SOON: Option<Duration> = Some(Duration::from_secs(20));
const NOW: Option<Duration> = Some(Duration::ZERO);

/// What came of each call: texts and ends.
#[derive(Default)]
struct Seen {
    texts: HashMap<u64, String>,
    ends: HashMap<u64, Vec<Option<ErrorKind>>>,
}

impl Seen {
    fn add(&mut self, tag: u64, event: Event) {
        assert!(!self.ends.contains_key(&tag), "nothing follows Done");
        match event {
            Event::Open(head) => assert_eq!(head.status(), 200),
            Event::Chunk(chunk) => self.texts.entry(tag).or_default().push_str(&chunk.text()),
            Event::Done(outcome) => {
                self.ends.entry(tag).or_default().push(outcome.err().map(|error| error.kind()));
            }
        }
    }
}

#[test]
fn taking_no_events_is_an_error() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let queue = CompletionQueue::new(None);
    queue.submit_owned(Call::new(&client, hello()), false, 1).unwrap();
    let error = queue.next_many(0, SOON, &mut Vec::new()).unwrap_err();
    assert_eq!(
        (error.kind(), error.message()),
        (ErrorKind::Argument, "max is 0: take at least one event")
    );
    assert!(matches!(queue.next(SOON).unwrap(), Next::Event(1, Event::Done(Ok(_)))));
}

/// Many streams on one thread, each whole and in order.
#[test]
fn fifty_streams_come_out_of_one_queue() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let queue = CompletionQueue::new(Some(2));
    let calls: Vec<Call> = (0..50)
        .map(|number| {
            let call = Call::new(&client, Request::chat("echo").user(&format!("a b c {number}")));
            queue.submit(&call, true, number).unwrap();
            call
        })
        .collect();
    let mut seen = Seen::default();
    while seen.ends.len() < calls.len() {
        match queue.next(SOON).unwrap() {
            Next::Event(tag, event) => seen.add(tag, event),
            other => panic!("{other:?}"),
        }
    }
    assert!((0..50).all(|tag| seen.texts[&tag] == format!("a b c {tag}")), "{:?}", seen.texts);
    assert!(seen.ends.values().all(|ends| ends == &[None]));
    assert!(matches!(queue.next(NOW).unwrap(), Next::Empty));
    assert_eq!(client.usage()["echo"].calls, 50);
}

#[test]
fn a_call_that_cannot_start_leaves_nothing_behind() {
    let client = client("http://127.0.0.1:1/v1");
    let queue = CompletionQueue::new(None);
    let call = Call::new(&client, Request::chat_json("{"));
    assert_eq!(queue.submit(&call, false, 1).unwrap_err().kind(), ErrorKind::Argument);
    let call = Call::new(&client, hello());
    call.cancel();
    assert_eq!(queue.submit(&call, false, 1).unwrap_err().kind(), ErrorKind::Cancelled);
    queue.close();
    let call = Call::new(&client, hello());
    assert_eq!(queue.submit(&call, false, 1).unwrap_err().kind(), ErrorKind::Closed);
    assert!(matches!(queue.next(None).unwrap(), Next::Closed));
    // The call was not used up by that.
    let other = CompletionQueue::new(None);
    other.submit(&call, false, 2).unwrap();
    let Next::Event(2, Event::Done(Err(error))) = other.next(SOON).unwrap() else { panic!() };
    assert_eq!(error.kind(), ErrorKind::Connect);
}

#[test]
fn closing_a_queue_cancels_its_calls() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let queue = CompletionQueue::new(None);
    let calls: Vec<Call> = (0..3).map(|_| Call::new(&client, hello())).collect();
    for (tag, call) in (0..).zip(&calls) {
        queue.submit(call, true, tag).unwrap();
    }
    eventually("sent", || service.recorded("s").len() == 3);
    queue.close();
    let mut seen = Seen::default();
    while let Next::Event(tag, event) = queue.next(SOON).unwrap() {
        seen.add(tag, event);
    }
    assert_eq!(seen.ends.len(), 3);
    assert!(seen.ends.values().all(|ends| ends == &[Some(ErrorKind::Cancelled)]));
    eventually("closed", || service.open_connections() == 0);
}

#[test]
fn dropping_a_submitted_call_or_the_queue_closes_the_exchange() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let queue = CompletionQueue::new(None);
    let call = Call::new(&client, hello());
    queue.submit(&call, false, 7).unwrap();
    eventually("sent", || service.recorded("s").len() == 1);
    drop(call);
    let Next::Event(7, Event::Done(Err(error))) = queue.next(SOON).unwrap() else { panic!() };
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    let call = Call::new(&client, hello());
    queue.submit(&call, false, 8).unwrap();
    eventually("sent", || service.recorded("s").len() == 2);
    drop(queue);
    eventually("closed", || service.open_connections() == 0);
}

/// Design: any event loop watches one descriptor for many calls, each popped by its owner.
#[test]
fn a_ready_list_gives_the_calls_to_pop() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let ready = Ready::new();
    let calls: Vec<Call> = (0..20).map(|_| Call::new(&client, hello())).collect();
    let mut seen = Seen::default();
    for (number, call) in (0..).zip(&calls) {
        call.start(true).unwrap();
        ready.note(number);
    }
    while seen.ends.len() < calls.len() {
        assert!(ready.wait(SOON), "nothing came");
        while let Some(number) = ready.take() {
            let waker = ready.waker(number);
            let mut cx = std::task::Context::from_waker(&waker);
            while let std::task::Poll::Ready(pop) = calls[number as usize].poll_pop(&mut cx) {
                match pop.unwrap() {
                    modelwire::Pop::Event(event) => seen.add(number, event),
                    modelwire::Pop::Empty | modelwire::Pop::End => break,
                }
            }
        }
    }
    assert!(seen.texts.values().all(|text| text == "Hello from both sides."));
}

/// Notes what it sees, and when it is dropped.
struct Noting {
    seen: mpsc::Sender<String>,
    stop_at: usize,
    count: usize,
}

impl Handler for Noting {
    fn on_event(&mut self, event: Event) -> ControlFlow<()> {
        let text = match event {
            Event::Open(_) => "open".to_owned(),
            Event::Chunk(chunk) => chunk.text().into_owned(),
            Event::Done(Ok(_)) => "done".to_owned(),
            Event::Done(Err(error)) => error.kind().name().to_owned(),
        };
        let thread = std::thread::current();
        assert!(thread.name().unwrap().starts_with("mw-cb-"), "{thread:?}");
        self.seen.send(text).unwrap();
        self.count += 1;
        assert!(self.count < 100, "a panic must not end the thread");
        if self.count == self.stop_at { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

impl Drop for Noting {
    fn drop(&mut self) {
        self.seen.send("dropped".to_owned()).unwrap();
    }
}

/// A handler that notes, and what it noted, to the end.
fn noting(stop_at: usize) -> (Noting, mpsc::Receiver<String>) {
    let (seen, notes) = mpsc::channel();
    (Noting { seen, stop_at, count: 0 }, notes)
}

fn all(notes: &mpsc::Receiver<String>) -> Vec<String> {
    let mut all = Vec::new();
    while let Ok(note) = notes.recv_timeout(Duration::from_secs(20)) {
        all.push(note);
        if all.last().is_some_and(|note| note == "dropped") {
            break;
        }
    }
    all
}

#[test]
fn a_handler_sees_all_in_order_then_is_dropped() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (handler, notes) = noting(usize::MAX);
    let call = Call::new(&client, Request::chat("echo").user("one two"));
    call.start_with(true, handler).unwrap();
    let notes = all(&notes);
    assert_eq!(notes.first().unwrap(), "open");
    assert_eq!(notes[notes.len() - 2..], ["done", "dropped"]);
    assert_eq!(notes[1..notes.len() - 2].concat(), "one two");
    let (handler, plain) = noting(usize::MAX);
    Call::new(&client, hello()); // never started: nothing comes
    let call = Call::new(&client, hello());
    call.start_with(false, handler).unwrap();
    assert_eq!(all(&plain), ["done", "dropped"]);
    // A second start is refused, and its handler is gone at once.
    let (handler, refused) = noting(usize::MAX);
    assert_eq!(call.start_with(true, handler).unwrap_err().kind(), ErrorKind::Argument);
    assert_eq!(all(&refused), ["dropped"]);
}

#[test]
fn a_handler_that_breaks_or_panics_cancels_its_call_alone() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let (handler, notes) = noting(2);
    let call = Call::new(&client, hello());
    call.start_with(true, handler).unwrap();
    assert_eq!(all(&notes), ["open", "a", "cancelled", "dropped"]);
    eventually("closed", || service.open_connections() == 0);
    let dropped = Arc::new(AtomicUsize::new(0));
    struct Panics(Arc<AtomicUsize>);
    impl Handler for Panics {
        fn on_event(&mut self, _: Event) -> ControlFlow<()> {
            panic!("of the program");
        }
    }
    impl Drop for Panics {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let call = Call::new(&client, hello());
    call.start_with(true, Panics(dropped.clone())).unwrap();
    eventually("dropped", || dropped.load(Ordering::SeqCst) == 1);
    // The thread lives on.
    let (handler, notes) = noting(2);
    let call = Call::new(&client, hello());
    call.start_with(true, handler).unwrap();
    assert_eq!(all(&notes).last().unwrap(), "dropped");
}

#[test]
fn handlers_may_block_or_drop_their_client_without_affecting_others() {
    let service = Service::start().unwrap();
    let (one, other) = (client(service.base_url()), client(service.base_url()));
    let (release, held) = mpsc::channel::<()>();
    let call = Call::new(&one, hello());
    let mut inner = Some(one.clone());
    let answers = Arc::new(Mutex::new(Vec::new()));
    let kept = answers.clone();
    call.start_with(false, move |event: Event| {
        if let (Event::Done(_), Some(client)) = (event, inner.take()) {
            // A whole call inside a callback, then the last handle of the client but `call`'s.
            kept.lock().unwrap().push(client.blocking().send(hello()).unwrap().text().into_owned());
            drop(client);
            held.recv().unwrap();
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    drop(one);
    eventually("inside", || !answers.lock().unwrap().is_empty());
    // While that callback hangs, those of another client run.
    let (handler, notes) = noting(usize::MAX);
    let second = Call::new(&other, hello());
    second.start_with(false, handler).unwrap();
    assert_eq!(all(&notes), ["done", "dropped"]);
    release.send(()).unwrap();
    assert_eq!(answers.lock().unwrap().concat(), "Hello from both sides.");
}

/// Producers that wait for room all the time lose nothing.
#[test]
fn a_tight_limit_loses_nothing() {
    let service = Service::start().unwrap();
    let events: Vec<String> = (0..200).map(|n| piece(&"x".repeat(1000 + n))).collect();
    let texts: Vec<&str> = events.iter().map(String::as_str).chain(["[DONE]"]).collect();
    let url = service.script("s", Script::one(Exchange::events(&texts)));
    let limits = Limits::default().queue_bytes_max(1 << 30);
    let client = modelwire::Client::new(config(url).limits(limits)).unwrap();
    let queue = CompletionQueue::new(Some(4));
    let calls: Vec<Call> = (0..4).map(|_| Call::new(&client, hello())).collect();
    for (tag, call) in (0..).zip(&calls) {
        queue.submit(call, true, tag).unwrap();
    }
    let mut seen = Seen::default();
    let mut counts = HashMap::new();
    while seen.ends.len() < 4 {
        let mut events = Vec::new();
        assert_eq!(queue.next_many(1000, SOON, &mut events).unwrap(), Taken::Something);
        for taken in events {
            let Next::Event(tag, event) = taken else { panic!("{taken:?}") };
            *counts.entry(tag).or_insert(0) += usize::from(matches!(event, Event::Chunk(_)));
            seen.add(tag, event);
        }
    }
    assert!(counts.values().all(|count| *count == 200), "{counts:?}");
}
