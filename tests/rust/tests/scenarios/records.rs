//! What calls tell at their ends: one record for each, whatever happens. Knows no clock but the order of
//! things.

use std::ops::ControlFlow;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use modelwire::{
    Call, CallRecord, CancelledBy, Client, Collector, CompletionQueue, ErrorKind, Event, Metered,
    Next, Pop, RECORDS_WAITING_MAX, Records, RecordsOptions, Request, RetryPolicy, Told,
    WaitReason,
};
use modelwire_service::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    CHAT_ANSWER, DONE, WAYS, at_once, block_on, client, config, event, eventually, finish, hello,
    piece, silence, stalled_after, stream_head,
};
use crate::system::forked;

const SOON: Option<Duration> = Some(Duration::from_secs(20));

fn listen(client: &Client) -> Records {
    client.records(RecordsOptions { responses: true }).unwrap()
}

/// The one record that there is.
fn one(records: &Records) -> Told {
    let mut told = records.take(10, SOON).unwrap();
    let one = told.pop().unwrap();
    assert!(told.is_empty(), "{told:?}");
    assert!(records.take(10, Some(Duration::ZERO)).unwrap().is_empty(), "one record for each call");
    check(&one.record);
    one
}

/// What holds of every record.
fn check(record: &CallRecord) {
    let mut last = Duration::ZERO;
    for attempt in record.attempts() {
        let times = [Some(attempt.start), attempt.head, attempt.first_byte, Some(attempt.end)];
        for time in times.into_iter().flatten() {
            assert!(time >= last, "{record:?}");
            last = time;
        }
    }
    assert!(record.elapsed() >= last, "{record:?}");
    assert!(record.first_chunk() <= record.last_chunk(), "{record:?}");
    assert_eq!(record.first_chunk().is_some(), record.chunks() > 0, "{record:?}");
    let waits = record.waits().iter().map(|wait| wait.start + wait.length);
    assert!(waits.max().unwrap_or_default() <= record.elapsed(), "{record:?}");
    assert!(!format!("{record:?}{}", record.to_json()).contains("sk-test"));
}

/// An answer tells what it took, and so does who listens, with the tag.
#[test]
fn an_answer_tells() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let records = listen(&client);
        let answer = way.send(&client, hello().tag(7)).unwrap();
        let told = one(&records);
        let record = answer.record().unwrap();
        assert_eq!(record.to_json(), told.record.to_json());
        assert_eq!((told.tag, told.response.unwrap().json()), (7, answer.json()));
        assert_eq!(record.operation().name(), "chat");
        assert_eq!((record.path(), record.model()), ("/v1/chat/completions", Some("echo")));
        assert_eq!((record.streamed(), record.chunks(), record.chunk_times().len()), (false, 0, 0));
        assert_eq!((record.kind(), record.status()), (None, Some(200)));
        assert_eq!(record.finish_reason(), Some("stop"));
        assert_eq!(record.response_model(), Some("echo"));
        assert_eq!(record.usage(), answer.usage());
        assert_eq!((record.metered(), record.cancelled_by()), (Metered::Entered, None));
        assert_eq!(record.bytes_in(), answer.json().len() as u64);
        let sent = service.recorded("").first().map_or(0, |sent| sent.body.len()) as u64;
        assert!(sent == 0 || record.bytes_out() == sent);
        let [attempt] = record.attempts() else { panic!("{record:?}") };
        assert_eq!((attempt.status, attempt.kind), (Some(200), None));
        assert_eq!(attempt.address, Some(service.address()));
        assert_eq!(attempt.end, record.elapsed());
        assert!(attempt.head.is_some() && attempt.first_byte.is_some());
        assert!(answer.info_json().ends_with(&format!(r#","timing":{}}}"#, record.to_json())));
    }
}

/// A stream tells of its chunks, gathered or not.
#[test]
fn a_stream_tells_of_its_chunks() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let records = listen(&client);
        let read = way.read(&client, hello().chunk_times(true));
        let told = one(&records);
        let record = read.response().record().unwrap();
        assert_eq!(record.to_json(), told.record.to_json());
        assert!(told.response.is_none(), "its chunks were the answer");
        assert_eq!((record.streamed(), record.chunks()), (true, read.chunks.len() as u64));
        assert_eq!(record.chunk_times().len(), read.chunks.len());
        assert_eq!(record.chunk_times().first().copied(), record.first_chunk());
        assert_eq!(record.chunk_times().last().copied(), record.last_chunk());
        assert_eq!(record.finish_reason(), Some("stop"));
        assert_eq!(record.response_id(), read.chunks[0].id().as_deref());
        assert!(record.chunk_times().is_sorted());
        let gathered = way.read(&client, hello().gather(true));
        let told = one(&records);
        assert_eq!(told.response.unwrap().json(), gathered.response().json());
        assert!(told.record.chunk_times().is_empty(), "off by default");
    }
}

/// What was asked for and what came may differ.
#[test]
fn a_plain_call_that_is_streamed_tells_of_chunks_and_a_document_as_a_stream_does() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let client_ = client(service.base_url());
        let records = listen(&client_);
        way.send(&client_, hello().stream_only(true)).unwrap();
        let record = one(&records).record;
        assert!(!record.streamed() && record.chunks() > 1);
        let document = Script::one(Exchange::json(200, CHAT_ANSWER));
        let client = client(service.script("document", document));
        let records = listen(&client);
        let read = way.read(&client, hello());
        let told = one(&records);
        assert!(told.record.streamed());
        assert_eq!(told.record.chunks(), read.chunks.len() as u64);
        assert_eq!(read.response().record().unwrap().to_json(), told.record.to_json());
        assert_eq!(told.response.unwrap().json(), CHAT_ANSWER);
        assert_eq!(told.record.finish_reason(), Some("stop"));
    }
}

/// Each attempt and each wait before another.
#[test]
fn retries_tell_of_each_attempt() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let refusal = Exchange::json(429, r#"{"error":{"message":"slow down"}}"#);
        let answer = Exchange::json(200, CHAT_ANSWER);
        let script = Script::sequence(vec![refusal.clone(), refusal.clone(), answer]);
        let client_ = Client::new(config(service.script("s", script)).retry(at_once())).unwrap();
        let records = listen(&client_);
        way.send(&client_, hello()).unwrap();
        let record = one(&records).record;
        let statuses: Vec<_> = record.attempts().iter().map(|attempt| attempt.status).collect();
        assert_eq!(statuses, [Some(429), Some(429), Some(200)]);
        let kinds: Vec<_> = record.attempts().iter().map(|attempt| attempt.kind).collect();
        let refused = Some(ErrorKind::RateLimited);
        assert_eq!((kinds, record.attempts_count()), (vec![refused, refused, None], 3));
        let reasons: Vec<_> = record.waits().iter().map(|wait| wait.reason).collect();
        assert_eq!(reasons, [WaitReason::Retry; 2]);
        let body = service.recorded("s")[0].body.len() as u64;
        assert_eq!(record.bytes_out(), 3 * body);
        assert!(record.bytes_in() > CHAT_ANSWER.len() as u64, "the refusals too");
        let client = client(service.script("never", Script::one(refusal)));
        let records = listen(&client);
        let error = way.send(&client, hello().retry(at_once().retries_max(1))).unwrap_err();
        let record = one(&records).record;
        assert_eq!((record.kind(), record.status()), (refused, Some(429)));
        assert_eq!(error.record().unwrap().to_json(), record.to_json());
        assert!(error.to_json().ends_with(&format!(r#","timing":{}}}"#, record.to_json())));
    }
}

/// What is refused before anything is sent was started all the same.
#[test]
fn a_start_that_fails_tells() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let records = listen(&client);
    let error = block_on(client.send(Request::chat(""))).unwrap_err();
    let record = one(&records).record;
    assert_eq!((record.kind(), record.attempts_count()), (Some(ErrorKind::Argument), 0));
    assert_eq!((record.metered(), record.cancelled_by()), (Metered::NotSent, None));
    assert_eq!(error.record().unwrap().to_json(), record.to_json());
    let queue = CompletionQueue::new(None);
    queue.submit_owned(Call::new(&client, Request::chat("").tag(3)), true, 5).unwrap();
    let told = one(&records);
    assert_eq!((told.tag, told.record.kind()), (3, Some(ErrorKind::Argument)));
    // Cancelled before it is started: told once it is, and of no call that never is.
    let call = Call::new(&client, hello());
    call.cancel();
    assert!(records.take(1, Some(Duration::ZERO)).unwrap().is_empty());
    let error = call.start(false).unwrap_err();
    assert_eq!(error.record().unwrap().kind(), Some(ErrorKind::Cancelled));
    assert_eq!(one(&records).record.cancelled_by(), Some(CancelledBy::Program));
    drop(call);
    drop(Call::new(&client, hello()));
    client.close(None).unwrap();
    let error = block_on(client.send(hello())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert_eq!(one(&records).record.cancelled_by(), None, "it never began");
}

/// Every way of giving up a call.
#[test]
fn it_tells_who_ended_a_call() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(stalled_after(&[&piece("a")])));
    let client_ = client(&*base_url);
    let records = listen(&client_);
    let call = under_way(&client_);
    call.canceller().cancel();
    let record = one(&records).record;
    assert_eq!(record.cancelled_by(), Some(CancelledBy::Program));
    assert_eq!((record.kind(), record.status()), (Some(ErrorKind::Cancelled), Some(200)));
    assert_eq!((record.chunks(), record.metered()), (1, Metered::Entered));
    assert_eq!(record.attempts()[0].kind, Some(ErrorKind::Cancelled));
    call.cancel();
    drop(call);
    drop(under_way(&client_));
    assert_eq!(one(&records).record.cancelled_by(), Some(CancelledBy::Dropped));
    let call = under_way(&client_);
    client_.close(None).unwrap();
    let record = one(&records).record;
    assert_eq!(record.cancelled_by(), Some(CancelledBy::Closed));
    assert_eq!(record.kind(), Some(ErrorKind::Closed));
    drop(call);
    assert!(records.take(1, Some(Duration::ZERO)).unwrap().is_empty());
}

/// A function on a thread of its own: one that panics or blocks changes no call.
#[test]
fn a_function_is_told_on_a_thread_of_its_own() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (send, told) = mpsc::channel();
    let guard = Arc::new(());
    let held = guard.clone();
    let teller = client.tell(RecordsOptions::default(), move |told| {
        let _ = &held;
        let tag = told.tag;
        assert!(told.response.is_none());
        send.send((tag, std::thread::current().id())).unwrap();
        assert!(tag != 1, "the first one breaks");
    });
    let teller = teller.unwrap();
    for tag in 1..=3 {
        block_on(client.send(hello().tag(tag))).unwrap();
    }
    assert!(teller.end_within(SOON));
    let told: Vec<_> = told.iter().collect();
    assert_eq!(told.iter().map(|(tag, _)| *tag).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(told.iter().all(|(_, thread)| *thread != std::thread::current().id()));
    assert_eq!(Arc::strong_count(&guard), 1, "it was dropped");
    assert_eq!(teller.dropped(), 0);
}

/// Calls of two clients in one queue, beside the events of calls.
#[test]
fn a_queue_follows_the_calls_of_clients() {
    let service = Service::start().unwrap();
    let (first, second) = (client(service.base_url()), client(service.base_url()));
    let queue = CompletionQueue::new(None);
    let options = Some(RecordsOptions::default());
    first.follow_calls(&queue, options, 10).unwrap();
    second.follow_calls(&queue, options, 20).unwrap();
    first.follow_calls(&queue, options, 20).unwrap(); // as the other one: no tag is taken
    first.follow_calls(&queue, options, 10).unwrap();
    let next = || match queue.next(SOON).unwrap() {
        Next::Call(tag, told) => (tag, told.tag),
        other => panic!("{other:?}"),
    };
    block_on(second.send(hello().tag(2))).unwrap();
    assert_eq!(next(), (20, 2));
    block_on(first.send(hello().tag(1))).unwrap();
    assert_eq!(next(), (10, 1));
    assert!(matches!(queue.next(Some(Duration::ZERO)).unwrap(), Next::Empty));
    let request = hello().tag(5);
    queue.submit_owned(Call::new(&first, request), false, 7).unwrap();
    let mut seen = Vec::new();
    while seen.len() < 2 {
        match queue.next(SOON).unwrap() {
            Next::Event(tag, _) | Next::Call(tag, _) => seen.push(tag),
            other => panic!("{other:?}"),
        }
    }
    seen.sort();
    assert_eq!(seen, [7, 10]);
    block_on(second.send(hello())).unwrap();
    second.follow_calls(&queue, None, 0).unwrap();
    block_on(second.send(hello())).unwrap();
    assert!(matches!(queue.next(Some(Duration::ZERO)).unwrap(), Next::Empty), "lost with its end");
    // A close loses nothing of what was told, and then nothing more comes.
    let silent = client(service.script("s", Script::one(silence())));
    silent.follow_calls(&queue, options, 30).unwrap();
    queue.submit_owned(Call::new(&silent, hello().tag(3)), false, 8).unwrap();
    block_on(first.send(hello().tag(4))).unwrap();
    queue.close();
    let mut told = Vec::new();
    loop {
        match queue.next(SOON).unwrap() {
            Next::Event(8, modelwire::Event::Done(_)) => {
                block_on(first.send(hello())).map(drop).unwrap()
            }
            Next::Call(tag, one) => told.push((tag, one.tag, one.record.cancelled_by())),
            Next::Closed => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(&told[..2], [(10, 4, None), (30, 3, Some(CancelledBy::Program))]);
    assert!(matches!(queue.next(SOON).unwrap(), Next::Closed));
    assert!(first.follow_calls(&queue, options, 10).is_err());
    assert_eq!(queue.calls_dropped(), 0);
}

/// Says when it is dropped.
struct Says(mpsc::Sender<&'static str>, &'static str);

impl Drop for Says {
    fn drop(&mut self) {
        let _ = self.0.send(self.1);
    }
}

/// The function of a client's own: one at a time, each told what is due before the next one begins.
#[test]
fn a_client_has_a_function_of_its_own() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (send, told) = mpsc::channel();
    let telling = |name: &'static str, over: &'static str| {
        let says = Says(send.clone(), over);
        move |told: Told| {
            // clock: the slowness itself
            std::thread::sleep(Duration::from_millis(5 * (3 - told.tag)));
            says.0.send(name).unwrap();
            ControlFlow::Continue(())
        }
    };
    let options = RecordsOptions::default();
    client.tell_on(options, telling("first", "first over")).unwrap();
    block_on(client.send(hello().tag(0))).unwrap();
    client.tell_on(options, telling("second", "second over")).unwrap();
    block_on(client.send(hello().tag(3))).unwrap();
    client.tell_end().unwrap();
    block_on(client.send(hello().tag(3))).unwrap();
    client.tell_end().unwrap();
    let next = || told.recv_timeout(SOON.unwrap()).unwrap();
    assert_eq!([(); 4].map(|()| next()), ["first", "first over", "second", "second over"]);
    // One that has had enough, and sets another from inside.
    let (inner, again) = (client.clone(), telling("third", "third over"));
    let (mut again, says) = (Some(again), Says(send.clone(), "broke"));
    let breaks = move |_| {
        let _ = &says;
        inner.tell_on(options, again.take().unwrap()).unwrap();
        assert_eq!(inner.close(None).unwrap_err().kind(), ErrorKind::Callback);
        ControlFlow::Break(())
    };
    client.tell_on(options, breaks).unwrap();
    block_on(client.send(hello().tag(3))).unwrap();
    assert_eq!(next(), "broke");
    // A close waits for what is due, that of a call under way too.
    let call = Call::new(&client, hello().tag(3));
    call.start(true).unwrap();
    assert!(client.close(SOON).unwrap());
    assert_eq!(told.try_iter().collect::<Vec<_>>(), ["third", "third over"]);
    assert!(client.tell_on(options, |_| ControlFlow::Continue(())).is_err());
    client.tell_end().unwrap();
}

/// It lives as long as the client and its calls.
#[test]
fn a_client_that_is_dropped_tells_of_its_last_call() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let (send, told) = mpsc::channel();
    let says = Says(send, "over");
    let tell = move |told: Told| {
        says.0.send(told.record.cancelled_by().map_or("", CancelledBy::name)).unwrap();
        ControlFlow::Continue(())
    };
    client.tell_on(RecordsOptions::default(), tell).unwrap();
    let call = Call::new(&client, hello());
    call.start(true).unwrap();
    drop(client);
    assert!(told.try_recv().is_err());
    call.cancel();
    assert_eq!(told.recv_timeout(SOON.unwrap()), Ok("program"));
    drop(call);
    assert_eq!(told.recv_timeout(SOON.unwrap()), Ok("over"));
}

/// The bound of what waits, and the end of a listener.
#[test]
fn what_finds_no_room_is_counted_and_a_stop_drains() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let records = listen(&client);
    let beside = client.beside(config(service.base_url())).unwrap();
    for _ in 0..modelwire::RECORDS_WAITING_MAX + 2 {
        block_on(beside.send(Request::chat(""))).unwrap_err();
    }
    assert_eq!(records.dropped(), 2);
    records.stop();
    block_on(client.send(Request::chat(""))).unwrap_err();
    let (mut taken, mut dropped) = (0, Vec::new());
    while let Some(told) = records.take(1000, None) {
        taken += told.len();
        dropped.extend(told.iter().map(|told| told.dropped).filter(|dropped| *dropped > 0));
    }
    assert_eq!(taken, modelwire::RECORDS_WAITING_MAX);
    assert_eq!(dropped, [2], "told once");
}

/// A deadline in a wait for a connection, and a call that never got one.
#[test]
fn a_wait_that_ends_the_call_is_told() {
    let service = Service::start().unwrap();
    let mut config = config(service.script("s", Script::one(silence())));
    config.set_options(r#"{"connections_max": 1}"#).unwrap();
    let client = Client::new(config).unwrap();
    let holder = Call::new(&client, hello());
    holder.start(false).unwrap();
    eventually("it is on its way", || service.recorded("s").len() == 1);
    let records = listen(&client);
    let timeout = Some(Duration::from_millis(20));
    block_on(client.send(hello().total_timeout(timeout))).unwrap_err();
    let record = one(&records).record;
    let [wait] = record.waits() else { panic!("{record:?}") };
    assert_eq!(wait.reason, WaitReason::Connection);
    assert!(wait.length >= Duration::from_millis(15), "{record:?}");
    assert_eq!((record.attempts_count(), record.metered()), (0, Metered::NotSent));
}

/// A stream that breaks tells what came before.
#[test]
fn a_stream_that_breaks_tells_what_came() {
    for way in WAYS {
        let service = Service::start().unwrap();
        let script = Script::one(Exchange::events_cut(&[piece("a"), piece("b"), finish(0)]));
        let client = client(service.script("s", script));
        let records = listen(&client);
        let read = way.read(&client, hello());
        let record = one(&records).record;
        assert_eq!(record.kind(), Some(read.error().kind()));
        assert_eq!((record.chunks(), record.finish_reason()), (3, Some("stop")));
        assert_eq!(read.error().record().unwrap().to_json(), record.to_json());
    }
}

/// What echoes the key is masked.
#[test]
fn a_record_shows_no_key() {
    let service = Service::start().unwrap();
    let odd = r#"{"id":"sk-test","model":"sk-test","choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"sk-test"}]}"#;
    let steps = vec![stream_head(), event(odd), event(DONE), Step::send("0\r\n\r\n")];
    let client = client(service.script("s", Script::one(Exchange { steps })));
    let records = listen(&client);
    client.blocking().stream(hello().field("model", "sk-test")).unwrap().for_each(drop);
    let record = one(&records).record;
    let names = (record.model(), record.response_id(), record.response_model());
    assert_eq!(names, (Some("[key]"), Some("[key]"), Some("[key]")));
    assert_eq!(record.finish_reason(), Some("[key]"));
}

/// Which connection an attempt got, and what it took to open it: as the service counts them.
#[test]
fn an_attempt_tells_of_its_connection() {
    for way in WAYS {
        for (host, is_looked_up) in [("127.0.0.1", false), ("localhost", true)] {
            let service = Service::start().unwrap();
            let client = client(service.base_url().replace("127.0.0.1", host));
            let records = listen(&client);
            let mut opened = 0;
            for count in 0..10 {
                match count % 2 {
                    0 => drop(way.send(&client, hello()).unwrap()),
                    _ => drop(way.read(&client, hello())),
                }
                let attempt = one(&records).record.attempts()[0].clone();
                assert_eq!((attempt.address, attempt.tls), (Some(service.address()), None));
                if attempt.reused == Some(true) {
                    assert_eq!((attempt.dns, attempt.connect), (None, None));
                    continue;
                }
                opened += 1;
                assert_eq!(attempt.reused, Some(false));
                assert_eq!(attempt.dns.is_some(), is_looked_up, "{attempt:?}");
                let took = attempt.dns.unwrap_or_default() + attempt.connect.unwrap();
                // clock: the order of instants of one call
                assert!(attempt.start + took <= attempt.head.unwrap(), "{attempt:?}");
            }
            assert!((1..10).contains(&opened), "{opened}");
            assert_eq!(service.connections(), opened);
        }
    }
}

/// What never came to a connection says how far it came.
#[test]
fn an_attempt_without_a_connection_tells_how_far_it_came() {
    let port = crate::system::closed_port();
    for way in WAYS {
        for (host, is_looked_up) in [("127.0.0.1", false), ("localhost", true)] {
            let client = client(format!("http://{host}:{port}/v1"));
            let records = listen(&client);
            way.send(&client, hello()).unwrap_err();
            let record = one(&records).record;
            let [attempt] = record.attempts() else { panic!("{record:?}") };
            assert_eq!((attempt.reused, attempt.address), (None, None));
            assert_eq!(attempt.dns.is_some(), is_looked_up, "{attempt:?}");
            assert_eq!((attempt.connect, attempt.head), (None, None));
            assert_eq!(attempt.kind, Some(ErrorKind::Connect));
            assert_eq!((record.bytes_out(), record.metered()), (0, Metered::NotSent));
        }
    }
}

/// A redirect is part of its attempt: its connection is the last one, its bodies are all.
#[test]
fn a_redirect_is_one_attempt() {
    let service = Service::start().unwrap();
    let to = service.script("to", Script::one(Exchange::json(200, CHAT_ANSWER)));
    let place = format!("{to}/chat/completions");
    let moved = Exchange::json_with_headers(307, &[("Location", &place)], "{}");
    let client = client(service.script("from", Script::one(moved)));
    let records = listen(&client);
    for way in WAYS {
        way.send(&client, hello()).unwrap();
        let record = one(&records).record;
        let body = service.recorded("to")[0].body.len() as u64;
        assert_eq!((record.attempts_count(), record.bytes_out()), (1, 2 * body));
        assert_eq!((record.status(), record.attempts()[0].status), (Some(200), Some(200)));
    }
}

/// Design: of those who end a call at once one wins, and the call tells once, before its end is seen.
#[test]
fn each_call_tells_once_whoever_ends_it() {
    const CALLS: u64 = 400;
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let records = listen(&client);
    let mut told: Vec<Told> = Vec::new();
    for tag in 0..CALLS {
        let call = Call::new(&client, hello().tag(tag));
        call.start(tag % 2 == 0).unwrap();
        let canceller = call.canceller();
        let other = std::thread::spawn(move || {
            // clock: any moment will do
            std::thread::sleep(Duration::from_micros(tag * 5));
            canceller.cancel();
        });
        let outcome = loop {
            match call.pop(SOON).unwrap() {
                Pop::Event(Event::Done(outcome)) => break outcome,
                Pop::Event(_) => {}
                other => panic!("{other:?}"),
            }
        };
        let now = records.take(10, Some(Duration::ZERO)).unwrap();
        assert_eq!(
            now.iter().map(|told| told.tag).collect::<Vec<_>>(),
            [tag],
            "told before the end"
        );
        let record = match &outcome {
            Ok(answer) => answer.record(),
            Err(error) => error.record(),
        };
        assert_eq!(record.unwrap().to_json(), now[0].record.to_json());
        assert_eq!(outcome.is_err(), now[0].record.cancelled_by().is_some());
        told.extend(now);
        other.join().unwrap();
    }
    assert!(records.take(10, Some(Duration::ZERO)).unwrap().is_empty());
    told.iter().for_each(|told| check(&told.record));
    let good = told.iter().filter(|told| told.record.kind().is_none()).count() as u64;
    assert_eq!(client.usage().get("echo").map_or(0, |sum| sum.calls), good, "counted as told");
}

/// A call that waits its turn behind a refusal, and the moment in which a connection may be closed.
#[test]
fn waits_for_a_turn_and_for_a_connection_to_be_safe_are_told() {
    let service = Service::start().unwrap();
    let refusal = Exchange::json_with_headers(429, &[("retry-after-ms", "30000")], "{}");
    let policy = RetryPolicy::default().adaptive(true);
    let refusing = config(service.script("s", Script::one(refusal))).retry(policy);
    let refusing = Client::new(refusing).unwrap();
    let records = listen(&refusing);
    let first = Call::new(&refusing, hello().tag(1));
    first.start(false).unwrap();
    eventually("refused", || service.recorded("s").len() == 1);
    assert!(matches!(first.pop(Some(Duration::from_millis(200))), Ok(Pop::Empty)));
    let second = Call::new(&refusing, hello().tag(2));
    second.start(false).unwrap();
    assert!(matches!(second.pop(Some(Duration::from_millis(200))), Ok(Pop::Empty)));
    second.cancel();
    let told = one(&records);
    assert_eq!((told.tag, told.record.attempts_count()), (2, 0));
    let [wait] = told.record.waits() else { panic!("{told:?}") };
    assert_eq!(wait.reason, WaitReason::Turn);
    assert!(wait.length >= Duration::from_millis(150), "as long as it lasted: {told:?}");
    drop(first);
    let record = one(&records).record;
    assert_eq!(record.cancelled_by(), Some(CancelledBy::Dropped));
    assert_eq!(record.attempts()[0].kind, Some(ErrorKind::RateLimited));
    assert!(record.attempts()[0].end < record.elapsed());
    assert_eq!(record.waits().last().unwrap().reason, WaitReason::Retry);
    // Calls that follow each other so fast that one of them waits.
    eventually("a wait for a connection to be safe", || {
        let client = client(service.base_url());
        let calls = (0..6).map(|_| client.blocking().send(hello()).unwrap());
        let waits = calls.flat_map(|answer| answer.record().unwrap().waits().to_vec());
        let waits: Vec<_> = waits.collect();
        assert!(waits.iter().all(|wait| wait.reason == WaitReason::Reuse));
        !waits.is_empty()
    });
}

/// Panics where a call says that it is tried again.
struct Panics;

impl log::Log for Panics {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        assert!(!record.args().to_string().contains("trying again"), "a logger that breaks");
    }

    fn flush(&self) {}
}

/// Design: whatever happens, also to the task of a call.
#[test]
fn a_panic_a_runtime_that_ends_and_a_shutdown_are_told() {
    in_child_at("records::a_panic_a_runtime_that_ends_and_a_shutdown_are_told", &[], || {
        log::set_logger(&Panics).unwrap();
        log::set_max_level(log::LevelFilter::Info);
        let service = Service::start().unwrap();
        let refusal = Script::one(Exchange::json(429, "{}"));
        let client_ = client(service.script("refusal", refusal));
        let records = listen(&client_);
        let error = block_on(client_.send(hello())).unwrap_err();
        let record = one(&records).record;
        assert_eq!((error.kind(), record.kind()), (ErrorKind::Internal, Some(ErrorKind::Internal)));
        assert_eq!((record.cancelled_by(), record.attempts_count()), (None, 1));
        let stalled = service.script("s", Script::one(stalled_after(&[&piece("a")])));
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let lent = Client::new(config(&*stalled).runtime(runtime.handle().clone())).unwrap();
        let records = listen(&lent);
        let call = under_way(&lent);
        drop(runtime);
        assert_eq!(one(&records).record.cancelled_by(), Some(CancelledBy::Shutdown));
        drop(call);
        let client_ = client(&*stalled);
        let records = listen(&client_);
        let (call, queue) = (under_way(&client_), CompletionQueue::new(None));
        queue.submit_owned(Call::new(&client_, hello().tag(5)), true, 1).unwrap();
        while !matches!(queue.next(SOON).unwrap(), Next::Event(1, Event::Chunk(_))) {}
        drop(queue);
        let told = one(&records);
        assert_eq!((told.tag, told.record.cancelled_by()), (5, Some(CancelledBy::Dropped)));
        assert!(modelwire::shutdown(Duration::from_secs(20)));
        let record = one(&records).record;
        assert_eq!(record.cancelled_by(), Some(CancelledBy::Shutdown));
        assert_eq!((record.kind(), record.chunks()), (Some(ErrorKind::Shutdown), 1));
        drop(call);
        // It listens on in the next run of the library.
        block_on(client_.send(Request::chat(""))).unwrap_err();
        assert_eq!(one(&records).record.kind(), Some(ErrorKind::Argument));
    });
}

/// A forked child hears of nothing until it listens itself, and the parent's calls go on telling.
#[test]
fn a_forked_child_listens_anew() {
    in_child_at("records::a_forked_child_listens_anew", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let records = listen(&client);
        let teller = client.tell(RecordsOptions::default(), drop).unwrap();
        let slow = Call::new(&client, Request::chat("slow").user("one two").tag(1));
        slow.start(true).unwrap();
        assert!(forked(|| {
            assert!(records.take(10, SOON).is_none(), "it is the parent's");
            assert_eq!(records.dropped(), 0);
            assert!(teller.end_within(SOON));
            slow.cancel();
            block_on(client.send(hello())).unwrap();
            let own = listen(&client);
            block_on(client.send(hello().tag(9))).unwrap();
            assert_eq!(one(&own).tag, 9);
            drop((records, teller, slow));
        }));
    });
}

fn under_way(client: &Client) -> Call {
    let call = Call::new(client, hello());
    call.start(true).unwrap();
    while !matches!(call.pop(SOON).unwrap(), Pop::Event(Event::Chunk(_))) {}
    call
}

/// Many clients tell into one buffer, each with its number, in the order of the ends; a client that is
/// gone is named once its last call is over.
#[test]
fn one_collects_what_many_tell() {
    let service = Service::start().unwrap();
    let collector = Collector::new();
    let both = [client(service.base_url()), client(service.base_url())];
    for (client, number) in both.iter().zip([3, 4]) {
        let options = RecordsOptions { responses: true };
        client.records_into(&collector, options, number).unwrap();
    }
    let asked = [(0, 0), (1, 5), (0, 6)];
    for (which, tag) in asked {
        block_on(both[which].send(hello().tag(tag))).unwrap();
    }
    assert_eq!(collector.heard(), 3);
    let told = collector.take(10, SOON).unwrap();
    let told = told.iter().map(|(number, told)| (*number, told.tag, told.response.is_some()));
    let told: Vec<_> = told.collect();
    assert_eq!(told, [(3, 0, false), (4, 5, true), (3, 6, true)], "answers of tagged calls alone");

    let [first, second] = both;
    assert!(collector.take_gone().is_empty());
    let call = Call::new(&first, hello());
    drop((first, second));
    eventually("the second one is gone", || collector.take_gone() == [4]);
    assert!(collector.take_gone().is_empty(), "a call of the first one may still be made");
    drop(call);
    eventually("the first one is gone", || collector.take_gone() == [3]);
}

/// What finds no room is counted, and known by its tag; who waits can be interrupted, and stopped.
#[test]
fn a_collector_that_is_full_names_the_tags() {
    let collector = Collector::new();
    let client = Client::new(config("http://127.0.0.1:9/v1")).unwrap();
    client.records_into(&collector, RecordsOptions::default(), 1).unwrap();
    let most = u64::try_from(RECORDS_WAITING_MAX).unwrap();
    for tag in 1..=most + 2 {
        let call = Call::new(&client, Request::chat_json("[]").tag(tag));
        assert_eq!(call.start(false).unwrap_err().kind(), ErrorKind::Argument);
    }
    assert_eq!((collector.heard(), collector.dropped()), (most, 2));
    assert_eq!(collector.take_dropped(), [most + 1, most + 2]);
    assert_eq!(collector.take_dropped(), [0; 0]);
    let told = collector.take(usize::MAX, None).unwrap();
    assert_eq!((told.len(), told[0].1.tag), (RECORDS_WAITING_MAX, 1));
    collector.interrupt();
    assert!(collector.take(1, None).unwrap().is_empty());
    collector.stop();
    assert!(collector.take(1, None).is_none());
    let call = Call::new(&client, Request::chat_json("[]"));
    assert!(call.start(false).is_err());
    assert_eq!(collector.heard(), most, "nothing more is collected");
}
