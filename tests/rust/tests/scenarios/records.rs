//! What calls tell at their ends: one record for each, whatever happens.

use std::ops::ControlFlow;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use modelwire::limits::RECORDS_WAITING_MAX;
use modelwire::{
    Bottleneck, Call, CallEnded, CallRecord, CancelledBy, Client, CompletionQueue, ErrorKind,
    Event, Limits, Metered, Next, Pop, Request, Response, RetryPolicy, WaitReason,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::ended::{self, Ended};
use crate::processes::in_child_at;
use crate::support::{
    CHAT_ANSWER, DONE, WAYS, Way, block_on, client, config, event, eventually, hello, opening,
    piece, silence, stalled_after, within_three_tries,
};
use crate::system::forked;

const SOON: Option<Duration> = Some(Duration::from_secs(20));

/// Ended calls of a client, out of a queue: each is there before the consumer of its call can see the end.
struct Records(CompletionQueue);

impl Records {
    fn of(client: &Client) -> Records {
        let queue = CompletionQueue::new(None);
        client.follow_calls(&queue, Some(0)).unwrap();
        Records(queue)
    }

    /// Those that wait; waits for the first one.
    fn take(&self, mut timeout: Option<Duration>) -> Vec<CallEnded> {
        let mut taken = Vec::new();
        while let Next::Call(_, ended) = self.0.next(timeout).unwrap() {
            taken.push(ended);
            timeout = Some(Duration::ZERO);
        }
        taken
    }
}

fn listen(client: &Client) -> Records {
    Records::of(client)
}

/// The one record that there is.
fn one(records: &Records) -> CallEnded {
    let mut told = records.take(SOON);
    let one = told.pop().unwrap();
    assert!(told.is_empty(), "{told:?}");
    assert!(records.take(Some(Duration::ZERO)).is_empty(), "one record for each call");
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

/// Every vector: the record of the answer, of the error and of the observer.
#[test]
fn call_records_match_the_vectors() {
    let service = Service::start().unwrap();
    let mut wrong = Vec::new();
    for vector in ended::vectors() {
        for way in WAYS {
            let client = client(vector.script(&service, "s"));
            let records = listen(&client);
            let outcome = run(&vector, way, &client);
            let ended = one(&records);
            let json = ended.record.to_json();
            let (record, info) = match &outcome {
                Ok(answer) => (answer.record().unwrap(), answer.info_json()),
                Err(error) => (error.record().unwrap(), error.to_json()),
            };
            assert_eq!(record.to_json(), json);
            assert!(info.ends_with(&format!(r#","timing":{json}}}"#)));
            let whole = outcome.as_ref().ok().filter(|answer| !answer.json().is_empty());
            assert_eq!(ended.response.as_ref().map(Response::json), whole.map(Response::json));
            if let [first, .., last] = record.chunk_times() {
                assert_eq!(
                    (record.first_chunk(), record.last_chunk()),
                    (Some(*first), Some(*last))
                );
                assert!(record.chunk_times().is_sorted());
            }
            let sent: usize = service.recorded("s").iter().map(|sent| sent.body.len()).sum();
            assert_eq!(record.bytes_out(), sent as u64, "{}", vector.name);
            let mut addresses = record.attempts().iter().map(|attempt| attempt.address);
            assert!(addresses.all(|address| address == Some(service.address())));
            wrong.extend(vector.judge(&json));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run(vector: &Ended, way: Way, client: &Client) -> modelwire::Result<Response> {
    let mut request = match vector.operation.as_str() {
        "models" => Request::models(),
        "chat" => Request::chat_json(&vector.body),
        _ => Request::responses_json(&vector.body),
    };
    request.set_options(&vector.options).unwrap();
    match vector.way.as_str() {
        "whole" => way.send(client, request),
        "underneath" => way.send(client, request.stream_only(true)),
        "stream" => {
            let read = way.read(client, request);
            if let Ok(answer) = &read.outcome {
                assert_eq!(answer.record().unwrap().chunks(), read.chunks.len() as u64);
            }
            read.outcome
        }
        "gather" => way.read(client, request.gather(true)).outcome,
        _ => {
            let call = Call::new(client, request);
            call.start(true).unwrap();
            while !matches!(call.pop(SOON).unwrap(), Pop::Event(Event::Chunk(_))) {}
            call.cancel();
            match call.pop(SOON).unwrap() {
                Pop::Event(Event::Done(outcome)) => outcome,
                other => panic!("{other:?}"),
            }
        }
    }
}

/// What is refused before anything is sent was started all the same.
#[test]
fn a_call_that_fails_to_start_is_recorded() {
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
    assert!(records.take(Some(Duration::ZERO)).is_empty());
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
fn a_record_names_who_ended_the_call() {
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
    assert!(records.take(Some(Duration::ZERO)).is_empty());
}

/// A function on a thread of the library: one that panics or blocks changes no call.
#[test]
fn an_observer_gets_each_call_on_one_thread() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (send, ended) = mpsc::channel();
    let guard = Arc::new(());
    let held = guard.clone();
    client
        .on_call(move |call| {
            let _ = &held;
            assert_eq!(call.dropped, 0);
            let answer = call.response.unwrap().json().len() as u64;
            assert_eq!(answer, call.record.bytes_in());
            send.send((call.tag, std::thread::current().id())).unwrap();
            assert!(call.tag != 1, "the first one panics");
            ControlFlow::Continue(())
        })
        .unwrap();
    for tag in 1..=3 {
        block_on(client.send(hello().tag(tag))).unwrap();
    }
    assert!(client.close(SOON).unwrap());
    let ended: Vec<_> = ended.iter().collect();
    assert_eq!(ended.iter().map(|(tag, _)| *tag).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(ended.iter().all(|(_, thread)| *thread == ended[0].1));
    assert_ne!(ended[0].1, std::thread::current().id());
    assert_eq!(Arc::strong_count(&guard), 1, "it was dropped");
}

/// Calls of two clients in one queue, beside the events of calls.
#[test]
fn a_queue_follows_the_calls_of_clients() {
    let service = Service::start().unwrap();
    let (first, second) = (client(service.base_url()), client(service.base_url()));
    let queue = CompletionQueue::new(None);
    first.follow_calls(&queue, Some(10)).unwrap();
    second.follow_calls(&queue, Some(20)).unwrap();
    first.follow_calls(&queue, Some(20)).unwrap(); // as the other one: no tag is taken
    first.follow_calls(&queue, Some(10)).unwrap();
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
    second.follow_calls(&queue, None).unwrap();
    block_on(second.send(hello())).unwrap();
    assert!(matches!(queue.next(Some(Duration::ZERO)).unwrap(), Next::Empty), "lost with its end");
    // A close loses nothing of what was told, and then nothing more comes.
    let silent = client(service.script("s", Script::one(silence())));
    silent.follow_calls(&queue, Some(30)).unwrap();
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
    assert!(first.follow_calls(&queue, Some(10)).is_err());
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
fn a_client_has_one_on_call_callback_at_a_time() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let (send, told) = mpsc::channel();
    let telling = |name: &'static str, over: &'static str| {
        let says = Says(send.clone(), over);
        move |told: CallEnded| {
            // clock: the slowness itself
            std::thread::sleep(Duration::from_millis(5 * (3 - told.tag)));
            says.0.send(name).unwrap();
            ControlFlow::Continue(())
        }
    };
    client.on_call(telling("first", "first over")).unwrap();
    block_on(client.send(hello().tag(0))).unwrap();
    client.on_call(telling("second", "second over")).unwrap();
    block_on(client.send(hello().tag(3))).unwrap();
    client.clear_on_call().unwrap();
    block_on(client.send(hello().tag(3))).unwrap();
    client.clear_on_call().unwrap();
    let next = || told.recv_timeout(SOON.unwrap()).unwrap();
    assert_eq!([(); 4].map(|()| next()), ["first", "first over", "second", "second over"]);
    // One that has had enough, and sets another from inside.
    let (inner, again) = (client.clone(), telling("third", "third over"));
    let (mut again, says) = (Some(again), Says(send.clone(), "broke"));
    let breaks = move |_| {
        let _ = &says;
        inner.on_call(again.take().unwrap()).unwrap();
        assert_eq!(inner.close(None).unwrap_err().kind(), ErrorKind::Callback);
        ControlFlow::Break(())
    };
    client.on_call(breaks).unwrap();
    block_on(client.send(hello().tag(3))).unwrap();
    assert_eq!(next(), "broke");
    // A close waits for what is due, that of a call under way too.
    let call = Call::new(&client, hello().tag(3));
    call.start(true).unwrap();
    assert!(client.close(SOON).unwrap());
    assert_eq!(told.try_iter().collect::<Vec<_>>(), ["third", "third over"]);
    assert!(client.on_call(|_| ControlFlow::Continue(())).is_err());
    client.clear_on_call().unwrap();
}

/// It lives as long as the client and its calls.
#[test]
fn the_last_call_of_a_dropped_client_is_recorded() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let (send, told) = mpsc::channel();
    let says = Says(send, "over");
    let tell = move |told: CallEnded| {
        says.0.send(told.record.cancelled_by().map_or("", CancelledBy::name)).unwrap();
        ControlFlow::Continue(())
    };
    client.on_call(tell).unwrap();
    let call = Call::new(&client, hello());
    call.start(true).unwrap();
    drop(client);
    assert!(told.try_recv().is_err());
    call.cancel();
    assert_eq!(told.recv_timeout(SOON.unwrap()), Ok("program"));
    drop(call);
    assert_eq!(told.recv_timeout(SOON.unwrap()), Ok("over"));
}

/// Above the bound of what waits, for an observer that blocks and in a queue.
#[test]
fn dropped_call_records_are_counted() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let records = listen(&client);
    let (entered, begins) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let (send, ended) = mpsc::channel();
    client
        .on_call(move |call| {
            if call.tag == 1 {
                entered.send(()).unwrap();
                released.recv().unwrap();
            }
            send.send(call.dropped).unwrap();
            ControlFlow::Continue(())
        })
        .unwrap();
    block_on(client.send(Request::chat("").tag(1))).unwrap_err();
    begins.recv_timeout(SOON.unwrap()).unwrap(); // so that the thread holds this one alone
    let beside = client.beside(config(service.base_url())).unwrap();
    for _ in 0..RECORDS_WAITING_MAX + 2 {
        block_on(beside.send(Request::chat(""))).unwrap_err();
    }
    release.send(()).unwrap();
    assert!(client.close(SOON).unwrap());
    let above = |dropped: u64| dropped > 0;
    let ended: Vec<_> = ended.iter().collect();
    assert_eq!(ended.len(), RECORDS_WAITING_MAX + 1);
    assert_eq!(ended.into_iter().filter(|it| above(*it)).collect::<Vec<_>>(), [2], "once");
    let taken = records.take(SOON);
    assert_eq!(taken.len(), RECORDS_WAITING_MAX);
    let dropped = taken.iter().map(|call| call.dropped).filter(|it| above(*it));
    assert_eq!(dropped.collect::<Vec<_>>(), [3], "once");
}

/// The service chooses the names in an answer, and programs keep records.
#[test]
fn the_texts_of_a_record_are_bounded() {
    const MAX: usize = 1024;
    let service = Service::start().unwrap();
    for length in [MAX, MAX + 1, 10 * MAX] {
        let [id, model, reason, request_id] = ["i", "m", "r", "q"].map(|text| text.repeat(length));
        let answer = format!(
            r#"{{"id":"{id}","model":"{model}","choices":[{{"message":{{"content":"a"}},"finish_reason":"{reason}"}}]}}"#
        );
        let answer = Exchange::json_with_headers(200, &[("x-request-id", &request_id)], &answer);
        let client = client(service.script("s", Script::one(answer)));
        for way in WAYS {
            let answer = way.send(&client, Request::chat(&model).user("Hello")).unwrap();
            let record = answer.record().unwrap();
            let texts = [
                record.model(),
                record.response_id(),
                record.response_model(),
                record.finish_reason(),
                record.request_id(),
            ];
            assert_eq!(texts.map(|text| text.unwrap().len()), [MAX; 5]);
        }
    }
}

/// A deadline in a wait for a connection, and a call that never got one.
#[test]
fn a_wait_that_ends_in_a_timeout_is_recorded() {
    let service = Service::start().unwrap();
    let mut config = config(service.script("s", Script::one(silence())));
    config.set_options(r#"{"connections_max": 1}"#).unwrap();
    let client = Client::new(config).unwrap();
    let holder = Call::new(&client, hello());
    holder.start(false).unwrap();
    eventually("it is on its way", || service.recorded("s").len() == 1);
    let records = listen(&client);
    within_three_tries(|| {
        let timeout = Some(Duration::from_millis(100));
        block_on(client.send(hello().total_timeout(timeout))).unwrap_err();
        let record = one(&records).record;
        assert_eq!((record.attempts_count(), record.metered()), (0, Metered::NotSent));
        let told = || format!("{record:?}");
        let [wait] = record.waits() else { return Err(told()) };
        assert_eq!(wait.reason, WaitReason::Connection);
        // It begins late where the machine stalls.
        (wait.length >= Duration::from_millis(75)).then_some(()).ok_or_else(told)
    });
}

/// Which connection an attempt got, and what it took to open it: as the service counts them.
#[test]
fn an_attempt_records_its_connection() {
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
fn an_attempt_without_a_connection_records_how_far_it_got() {
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
fn each_call_is_recorded_once_whoever_ends_it() {
    const CALLS: u64 = 400;
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let records = listen(&client);
    let mut told: Vec<CallEnded> = Vec::new();
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
        let now = records.take(Some(Duration::ZERO));
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
    assert!(records.take(Some(Duration::ZERO)).is_empty());
    told.iter().for_each(|told| check(&told.record));
    let good = told.iter().filter(|told| told.record.kind().is_none()).count() as u64;
    assert_eq!(client.usage().get("echo").map_or(0, |sum| sum.calls), good, "counted as told");
}

/// A call that waits its turn behind a refusal, and the moment in which a connection may be closed.
#[test]
fn waits_for_admission_and_for_safe_reuse_are_recorded() {
    let service = Service::start().unwrap();
    let refusal = Exchange::json_with_headers(429, &[("retry-after-ms", "30000")], "{}");
    let policy = RetryPolicy::default().adaptive(true);
    let refusing = config(service.script("s", Script::one(refusal))).retry(policy);
    let refusing = Client::new(refusing).unwrap();
    let records = listen(&refusing);
    let first = Call::new(&refusing, hello().tag(1));
    first.start(false).unwrap();
    eventually("refused", || service.recorded("s").len() == 1);
    // The client may have yet to read the refusal: until then a call is sent. And it may begin late to
    // wait its turn.
    let told = loop {
        let second = Call::new(&refusing, hello().tag(2));
        second.start(false).unwrap();
        assert!(matches!(second.pop(Some(Duration::from_millis(200))), Ok(Pop::Empty)));
        second.cancel();
        let told = one(&records);
        assert_eq!(told.tag, 2);
        let waits = told.record.waits();
        if told.record.attempts_count() == 0
            && waits.first().is_some_and(|wait| wait.length >= Duration::from_millis(150))
        {
            break told;
        }
    };
    let [wait] = told.record.waits() else { panic!("{told:?}") };
    assert_eq!(wait.reason, WaitReason::Turn);
    drop(first);
    let record = one(&records).record;
    assert_eq!(record.cancelled_by(), Some(CancelledBy::Dropped));
    assert_eq!(record.attempts()[0].kind, Some(ErrorKind::RateLimited));
    assert!(record.attempts()[0].end < record.elapsed());
    assert_eq!(record.waits().last().unwrap().reason, WaitReason::Retry);
    // Calls that share one connection follow each other in the moment in which it is free, unless
    // the machine is too busy just then.
    eventually("a wait for a connection to be safe", || {
        let limits = Limits::default().connections_max(1);
        let client = Client::new(config(service.base_url()).limits(limits)).unwrap();
        let records = listen(&client);
        let calls: Vec<_> = (0..6).map(|_| Call::new(&client, hello())).collect();
        calls.iter().for_each(|call| call.start(false).unwrap());
        let mut taken = Vec::new();
        while taken.len() < calls.len() {
            taken.extend(records.take(SOON));
        }
        let waits = taken.iter().flat_map(|call| call.record.waits());
        let reasons: Vec<_> = waits.map(|wait| wait.reason).collect();
        let expected = [WaitReason::Connection, WaitReason::Reuse];
        assert!(reasons.iter().all(|reason| expected.contains(reason)), "{reasons:?}");
        reasons.contains(&WaitReason::Reuse)
    });
}

/// Panics where a call says that it is tried again.
struct Panics;

impl log::Log for Panics {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        assert!(!record.args().to_string().contains("retrying after"), "a logger that breaks");
    }

    fn flush(&self) {}
}

/// Design: whatever happens, also to the task of a call.
#[test]
fn panics_runtime_ends_and_shutdowns_are_recorded() {
    in_child_at("records::panics_runtime_ends_and_shutdowns_are_recorded", &[], || {
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

/// A forked child observes nothing until it asks for that itself, and the parent's calls go on telling.
#[test]
fn a_forked_child_must_subscribe_again() {
    in_child_at("records::a_forked_child_must_subscribe_again", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let records = listen(&client);
        let guard = Arc::new(());
        let held = guard.clone();
        client
            .on_call(move |_| {
                let _ = &held;
                ControlFlow::Continue(())
            })
            .unwrap();
        let slow = Call::new(&client, Request::chat("slow").user("one two").tag(1));
        slow.start(true).unwrap();
        assert!(forked(|| {
            assert!(records.0.next(SOON).is_err(), "it is the parent's");
            slow.cancel();
            block_on(client.send(hello())).unwrap();
            let own = listen(&client);
            let (send, ended) = mpsc::channel();
            client
                .on_call(move |call| {
                    send.send(call.tag).unwrap();
                    ControlFlow::Continue(())
                })
                .unwrap();
            block_on(client.send(hello().tag(9))).unwrap();
            assert_eq!(one(&own).tag, 9);
            assert_eq!(ended.recv_timeout(SOON.unwrap()), Ok(9));
            assert_eq!(Arc::strong_count(&guard), 2, "it is the parent's");
            drop((records, slow));
        }));
    });
}

fn under_way(client: &Client) -> Call {
    let call = Call::new(client, hello());
    call.start(true).unwrap();
    while !matches!(call.pop(SOON).unwrap(), Pop::Event(Event::Chunk(_))) {}
    call
}

/// Each place where the time of a call can go, with a second where it goes and little elsewhere; and where
/// it fails, however long that took.
#[test]
fn the_bottleneck_of_a_call_is_named() {
    const LONG: Duration = Duration::from_secs(2);
    let service = Service::start().unwrap();
    let quick = Exchange::events(&[&piece("a"), DONE]);
    let then = |steps: Vec<Step>| Exchange { steps };
    let after =
        |wait: Step| then(vec![wait, opening(&[&piece("a"), DONE]), Step::send("0\r\n\r\n")]);
    let within =
        vec![opening(&[&piece("a")]), Step::Pause(LONG), event(DONE), Step::send("0\r\n\r\n")];
    let busy = Exchange::json_with_headers(429, &[("retry-after", "2")], "{}");
    let invalid = then(vec![
        Step::Pause(Duration::from_millis(1)),
        Step::send("HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n"),
    ]);
    let cut = then(vec![Step::Pause(LONG), opening(&[&piece("a")]), Step::Close]);
    for (name, exchanges, expected) in [
        ("late", vec![after(Step::Pause(LONG))], Bottleneck::Service),
        ("slow", vec![then(within)], Bottleneck::Stream),
        ("busy", vec![busy, quick], Bottleneck::Retry),
        ("failed", vec![invalid], Bottleneck::Service),
        ("cut", vec![cut], Bottleneck::Stream),
    ] {
        let base_url = service.script(name, Script::sequence(exchanges));
        let client = Client::new(config(base_url)).unwrap();
        let read = Way::Async.read(&client, hello());
        let record = match &read.outcome {
            Ok(answer) => answer.record().unwrap(),
            Err(error) => error.record().unwrap(),
        };
        assert_eq!(record.bottleneck(), Some(expected), "{name}: {record:?}");
    }
    let silent = service.script("silent", Script::one(silence()));
    let client = Client::new(config(silent)).unwrap();
    let error = client.blocking().send(hello().total_timeout(Some(LONG / 4))).unwrap_err();
    assert_eq!(error.record().unwrap().bottleneck(), Some(Bottleneck::Service));
    let stalled = service.script("stalled", Script::one(stalled_after(&[&piece("a")])));
    let limits = Limits::default().connections_max(1);
    let client = Client::new(config(stalled).limits(limits)).unwrap();
    let mut holds_it = client.blocking().stream(hello()).unwrap();
    holds_it.next().unwrap().unwrap();
    let error = client.blocking().send(hello().pool_timeout(Some(LONG / 4))).unwrap_err();
    assert_eq!(error.record().unwrap().bottleneck(), Some(Bottleneck::Queue));
    let nobody = Client::new(config("http://127.0.0.1:9/v1")).unwrap();
    let error = nobody.blocking().models().unwrap_err();
    assert_eq!(error.record().unwrap().bottleneck(), Some(Bottleneck::Connect));
    let nobody = config("http://host.example/v1").proxy("http://127.0.0.1:9");
    let error = Client::new(nobody).unwrap().blocking().models().unwrap_err();
    assert_eq!(error.record().unwrap().bottleneck(), Some(Bottleneck::Proxy));
}

/// A full queue waits for its consumer; the record says how long.
#[test]
fn the_time_of_a_slow_consumer_is_its_own() {
    let service = Service::start().unwrap();
    let exchange = Exchange::pre_rendered_stream(&piece(&"x".repeat(64 << 10)), 60, 1);
    let base_url = service.script("s", Script::one(exchange));
    let limits = Limits::default().queue_events_max(1).queue_bytes_max(1);
    let client = Client::new(config(base_url).limits(limits)).unwrap();
    let mut stream = client.blocking().stream(hello()).unwrap();
    stream.next().unwrap().unwrap();
    // clock: the slowness itself
    std::thread::sleep(Duration::from_secs(2));
    for chunk in stream.by_ref() {
        chunk.unwrap();
    }
    let record = stream.response().unwrap().record().unwrap();
    assert_eq!(record.bottleneck(), Some(Bottleneck::Consumer), "{record:?}");
    assert!(record.consumer_wait() > Duration::from_secs(1), "{record:?}");
}
