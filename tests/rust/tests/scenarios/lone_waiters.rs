//! Whoever waits alone, for answers, streams or a queue of calls, does the I/O itself, and nothing
//! else suffers from it. Each test runs in a process of its own.

use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{
    Call, Client, CompletionQueue, ErrorKind, Event, Next, Pop, Response, Timeouts, shutdown,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    CHAT_ANSWER, DONE, block_on, client, config, event, eventually, finish, hello, http_chunk,
    piece, silence, stalled_after, stream_head, within_three_tries,
};
use crate::system::io_thread_ran;

/// Plain calls until the I/O thread has stood aside.
fn alone(service: &Service) -> Client {
    let client = client(service.base_url());
    (0..20).for_each(|_| drop(client.blocking().send(hello()).unwrap()));
    client
}

/// How many calls of a client were answered.
fn answered(client: &Client) -> u64 {
    client.usage().get("echo").map_or(0, |sum| sum.calls)
}

/// The CPU time of the I/O thread while somebody else does the I/O, and while it does it itself. On a
/// machine that leaves the waiter without a processor, it hands the I/O over: one of some rounds is
/// enough.
fn leaves_the_io_thread_asleep(mut round: impl FnMut() -> (Duration, Duration)) {
    const ROUNDS_MAX: usize = 20;
    let mut ran = Vec::new();
    let is_asleep = (0..ROUNDS_MAX).any(|_| {
        let (aside, at_work) = round();
        ran.push((aside, at_work));
        aside * 3 < at_work
    });
    assert!(is_asleep, "the I/O thread ran for (aside, at work): {ran:?}");
}

#[test]
fn calls_in_a_row_leave_the_io_thread_asleep() {
    in_child_at("lone_waiters::calls_in_a_row_leave_the_io_thread_asleep", &[], || {
        const CALLS: u64 = 300;
        let service = Service::start().unwrap();
        let client = alone(&service);
        let ran_for = |call: &dyn Fn() -> Response| {
            let before = io_thread_ran();
            (0..CALLS).for_each(|_| assert_eq!(call().text(), "Hello from both sides."));
            io_thread_ran() - before
        };
        let mut calls = 20;
        leaves_the_io_thread_asleep(|| {
            calls += 2 * CALLS;
            // It looks up now and then, and no more.
            let aside = ran_for(&|| client.blocking().send(hello()).unwrap());
            (aside, ran_for(&|| block_on(client.send(hello())).unwrap()))
        });
        assert_eq!(client.usage()["echo"].calls, calls);
    });
}

#[test]
fn other_calls_progress_while_a_caller_waits() {
    in_child_at("lone_waiters::other_calls_progress_while_a_caller_waits", &[], || {
        let service = Service::start().unwrap();
        let client = alone(&service);
        let stuck = client_of_silence(&service);
        let call = Arc::new(Call::new(&stuck, hello()));
        let waiter = {
            let call = call.clone();
            std::thread::spawn(move || {
                call.start_to_wait(false).unwrap();
                call.pop(None).unwrap()
            })
        };
        eventually("sent", || service.recorded("s").len() == 1);
        // Turned by the thread that waits for something else.
        for _ in 0..20 {
            let stream = client.blocking().stream(hello()).unwrap();
            let texts = stream.map(|chunk| chunk.unwrap().text().into_owned());
            assert_eq!(texts.collect::<String>(), "Hello from both sides.");
        }
        assert_eq!(block_on(client.send(hello())).unwrap().text(), "Hello from both sides.");
        call.cancel();
        let popped = waiter.join().unwrap();
        let Pop::Event(Event::Done(Err(error))) = popped else { panic!("{popped:?}") };
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        eventually("closed", || service.open_connections() <= 1);
        // And nobody is left without a thread that does the I/O.
        let stream = client.blocking().stream(hello()).unwrap();
        assert_eq!(stream.map(|chunk| chunk.unwrap().text().len()).sum::<usize>(), 22);
    });
}

fn client_of_silence(service: &Service) -> Client {
    client(service.script("s", Script::one(silence())))
}

/// Nobody does the I/O between calls, so a close is noticed when the next one begins.
#[test]
fn a_connection_that_was_closed_between_calls_is_not_used() {
    in_child_at(
        "lone_waiters::a_connection_that_was_closed_between_calls_is_not_used",
        &[],
        || {
            let service = Service::start().unwrap();
            let _with_its_connection = alone(&service);
            let answer = Exchange::json(200, CHAT_ANSWER);
            let pause = Step::Pause(Duration::from_millis(20));
            let steps = answer.steps.into_iter().chain([pause, Step::Close]).collect();
            let client = client(service.script("s", Script::one(Exchange { steps })));
            for round in 1..=42 {
                let answer = match round % 7 {
                    0 => block_on(client.send(hello())),
                    _ => client.blocking().send(hello()),
                };
                assert_eq!(answer.unwrap().text(), "Yes.");
                eventually("closed by the service", || service.open_connections() <= 1);
                if round % 2 == 0 {
                    // clock: any moment will do, also while the I/O thread comes back
                    thread::sleep(Duration::from_micros(500 * round));
                }
            }
            assert_eq!(service.recorded("s").len(), 42);
        },
    );
}

#[test]
fn timeouts_run_while_the_caller_does_the_io() {
    in_child_at("lone_waiters::timeouts_run_while_the_caller_does_the_io", &[], || {
        let service = Service::start().unwrap();
        alone(&service);
        let first_byte = Some(Duration::from_millis(100));
        let timeouts = Timeouts::default().first_byte(first_byte);
        let url = service.script("s", Script::one(silence()));
        let client = Client::new(config(url).timeouts(timeouts)).unwrap();
        for _ in 0..3 {
            let error = client.blocking().send(hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout);
        }
        // A wait of the caller's ends too, and the call goes on without it.
        within_three_tries(|| {
            let call = Call::new(&client, hello());
            call.start_to_wait(false).unwrap();
            match call.pop(Some(Duration::from_millis(10))).unwrap() {
                Pop::Empty => {}
                other => return Err(format!("{other:?}")), // both ended while the machine stalled
            }
            let waited = call.pop(None).unwrap();
            assert!(matches!(waited, Pop::Event(Event::Done(Err(_)))), "{waited:?}");
            Ok(())
        });
    });
}

#[test]
fn a_caller_that_never_waits_has_its_call_done() {
    in_child_at("lone_waiters::a_caller_that_never_waits_has_its_call_done", &[], || {
        let service = Service::start().unwrap();
        let client = alone(&service);
        let call = Call::new(&client, hello());
        call.start_to_wait(false).unwrap();
        eventually("done", || client.usage()["echo"].calls == 21);
        drop(call);
        let call = Call::new(&client_of_silence(&service), hello());
        call.start_to_wait(false).unwrap();
        eventually("sent", || service.recorded("s").len() == 1);
        drop(call);
        eventually("closed", || service.open_connections() <= 1);
    });
}

#[test]
fn shutdown_takes_the_io_from_a_caller() {
    in_child_at("lone_waiters::shutdown_takes_the_io_from_a_caller", &[], || {
        let service = Service::start().unwrap();
        alone(&service);
        let stuck = client_of_silence(&service);
        let waiter = std::thread::spawn(move || stuck.blocking().send(hello()));
        eventually("sent", || service.recorded("s").len() == 1);
        assert!(shutdown(Duration::from_secs(60)));
        assert_eq!(waiter.join().unwrap().unwrap_err().kind(), ErrorKind::Shutdown);
    });
}

/// Threads of other languages have small stacks, and async programs a runtime of their own.
#[test]
fn threads_that_cannot_do_the_io_only_wait() {
    in_child_at("lone_waiters::threads_that_cannot_do_the_io_only_wait", &[], || {
        let service = Service::start().unwrap();
        let client = alone(&service);
        let (other, inside) = (client.clone(), client.clone());
        let small = std::thread::Builder::new().stack_size(160 << 10).spawn(move || {
            (0..20).for_each(|_| drop(other.blocking().send(hello()).unwrap()));
        });
        small.unwrap().join().unwrap();
        (0..5).for_each(|_| drop(client.blocking().send(hello()).unwrap()));
        block_on(async move {
            (0..20).for_each(|_| drop(inside.blocking().send(hello()).unwrap()));
        });
        assert_eq!(client.usage()["echo"].calls, 65);
    });
}

/// Callers beside each other, starting and ending at any moment.
#[test]
fn many_callers_at_once_all_get_their_answers() {
    in_child_at("lone_waiters::many_callers_at_once_all_get_their_answers", &[], || {
        let service = Service::start().unwrap();
        let client = alone(&service);
        for threads in [2, 8] {
            let callers: Vec<_> = (0..threads)
                .map(|_| {
                    let client = client.clone();
                    std::thread::spawn(move || {
                        for round in 0..100 {
                            let answer = client.blocking().send(hello()).unwrap();
                            assert_eq!(answer.text(), "Hello from both sides.");
                            if round % 10 == 0 {
                                // clock: any moment will do
                                std::thread::sleep(Duration::from_millis(1));
                            }
                        }
                    })
                })
                .collect();
            callers.into_iter().for_each(|caller| caller.join().unwrap());
        }
        assert_eq!(client.usage()["echo"].calls, 20 + 1000);
    });
}

/// A stream of this many events, each after a pause.
fn paced(events: usize, pause: Duration) -> Exchange {
    let event = |_| [Step::Pause(pause), event(&piece("x"))];
    let end = [event_of_end(), http_chunk(&format!("data: {DONE}\n\n")), Step::send("0\r\n\r\n")];
    let steps = [stream_head()].into_iter().chain((0..events).flat_map(event)).chain(end);
    Exchange { steps: steps.collect() }
}

fn event_of_end() -> Step {
    event(&finish(0))
}

const PAUSE: Duration = Duration::from_millis(2);

#[test]
fn a_lone_reader_of_a_stream_leaves_the_io_thread_asleep() {
    in_child_at("lone_waiters::a_lone_reader_of_a_stream_leaves_the_io_thread_asleep", &[], || {
        const EVENTS: usize = 300;
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(paced(EVENTS, PAUSE))));
        let ran_for = |read: &dyn Fn() -> usize| {
            let before = io_thread_ran();
            assert_eq!(read(), EVENTS + 1);
            io_thread_ran() - before
        };
        let read_by_task = || {
            block_on(async {
                let mut stream = client.stream(hello()).await.unwrap();
                let mut count = 0;
                while let Some(chunk) = stream.next().await {
                    chunk.unwrap();
                    count += 1;
                }
                count
            })
        };
        drop(client.blocking().stream(hello()).unwrap()); // the thread is there
        leaves_the_io_thread_asleep(|| {
            let aside = ran_for(&|| client.blocking().stream(hello()).unwrap().count());
            (aside, ran_for(&read_by_task))
        });
    });
}

/// All that comes out of a queue, by tag, until every call is done.
fn drain(queue: &CompletionQueue, calls: usize) -> Vec<usize> {
    let mut chunks = vec![0; calls];
    let mut done = 0;
    while done < calls {
        match queue.next(Some(Duration::from_secs(20))).unwrap() {
            Next::Event(tag, Event::Chunk(_)) => chunks[tag as usize] += 1,
            Next::Event(_, Event::Done(outcome)) => done += usize::from(outcome.is_ok()),
            Next::Event(_, Event::Open(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    chunks
}

fn submit(queue: &CompletionQueue, client: &Client, calls: usize) -> Vec<Call> {
    let submitted = (0..calls).map(|tag| {
        let call = Call::new(client, hello());
        queue.submit(&call, true, tag as u64).unwrap();
        call
    });
    submitted.collect()
}

/// A queue with this many streams under way.
fn queue_of(client: &Client, calls: usize) -> (CompletionQueue, Vec<Call>) {
    let queue = CompletionQueue::new(None);
    let calls = submit(&queue, client, calls);
    (queue, calls)
}

#[test]
fn a_lone_reader_of_a_queue_leaves_the_io_thread_asleep() {
    in_child_at("lone_waiters::a_lone_reader_of_a_queue_leaves_the_io_thread_asleep", &[], || {
        const EVENTS: usize = 300;
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(paced(EVENTS, PAUSE))));
        let ran_for = |queue: &CompletionQueue| {
            let _calls = submit(queue, &client, 4);
            let before = io_thread_ran();
            assert_eq!(drain(queue, 4), [EVENTS + 1; 4]);
            io_thread_ran() - before
        };
        leaves_the_io_thread_asleep(|| {
            let aside = ran_for(&CompletionQueue::new(None));
            let watched = CompletionQueue::new(None);
            watched.fd().unwrap(); // a program that watches it may not wait here again
            (aside, ran_for(&watched))
        });
    });
}

#[test]
fn a_reader_that_stays_away_has_its_calls_done() {
    in_child_at("lone_waiters::a_reader_that_stays_away_has_its_calls_done", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(paced(60, PAUSE))));
        let (queue, _calls) = queue_of(&client, 2);
        for _ in 0..20 {
            assert!(matches!(queue.next(None).unwrap(), Next::Event(..)));
        }
        // It did the I/O, and now does something else: the answers come to their ends all the same.
        eventually("both are answered", || answered(&client) == 2);
        let mut stream = client.blocking().stream(hello()).unwrap();
        (0..20).for_each(|_| drop(stream.next().unwrap().unwrap()));
        eventually("the third too", || answered(&client) == 3);
        assert_eq!(stream.count(), 41);
    });
}

/// What a reader that does the I/O submits itself is sent when it waits again.
#[test]
fn a_reader_that_submits_again_keeps_the_io_to_itself() {
    in_child_at("lone_waiters::a_reader_that_submits_again_keeps_the_io_to_itself", &[], || {
        const CALLS: u32 = 20;
        /// On a machine that leaves the reader without a processor, most rounds hand its part over.
        const ROUNDS_MAX: usize = 500;
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let queue = CompletionQueue::new(None);
        let calls = std::cell::RefCell::new(Vec::new());
        let submit = |tag: u64| {
            let call = Call::new(&client, hello());
            queue.submit(&call, false, tag).unwrap();
            calls.borrow_mut().push(call);
        };
        (0..8).for_each(submit);
        let round = || {
            let before = io_thread_ran();
            for _ in 0..CALLS {
                let Next::Event(tag, Event::Done(outcome)) = queue.next(None).unwrap() else {
                    panic!("a plain call has one event");
                };
                assert_eq!(outcome.unwrap().text(), "Hello from both sides.");
                submit(tag + 8);
            }
            io_thread_ran() - before
        };
        let mut ran = Vec::new();
        let went_on_alone = (0..ROUNDS_MAX).any(|_| {
            ran.push(round());
            ran[ran.len() - 1] < Duration::from_micros(10) * CALLS
        });
        assert!(went_on_alone, "the I/O thread ran {ran:?} for {CALLS} calls each");
    });
}

#[test]
fn concurrent_readers_do_not_block_each_other() {
    in_child_at("lone_waiters::concurrent_readers_do_not_block_each_other", &[], || {
        let service = Service::start().unwrap();
        let paced = client(service.script("s", Script::one(paced(200, PAUSE))));
        let stalled = client(service.script("stalled", Script::one(stalled_after(&[&piece("x")]))));
        let (queue, _calls) = queue_of(&paced, 2);
        for _ in 0..20 {
            assert!(matches!(queue.next(None).unwrap(), Next::Event(..)));
        }
        // The one that did the I/O is busy for long; others come meanwhile, in every way.
        let (told, busy_until) = mpsc::channel::<()>();
        let reader = {
            let queue = queue.clone();
            thread::spawn(move || {
                busy_until.recv().unwrap();
                drain(&queue, 2)
            })
        };
        let start = Instant::now();
        for _ in 0..5 {
            assert_eq!(paced.blocking().stream(hello()).unwrap().take(3).count(), 3);
            let mut stream = stalled.blocking().stream(hello()).unwrap();
            assert_eq!(stream.next().unwrap().unwrap().text(), "x");
            block_on(async {
                let mut stream = paced.stream(hello()).await.unwrap();
                stream.next().await.unwrap().unwrap();
            });
        }
        // clock: bounds a hang
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
        told.send(()).unwrap();
        let chunks = reader.join().unwrap();
        assert_eq!(chunks.iter().sum::<usize>(), 2 * 201 - 20 + 2, "two of the first were Open");
    });
}

/// Two threads at one queue: while one looks at what it got the other is not left asleep.
#[test]
fn two_readers_of_a_queue_share_it() {
    in_child_at("lone_waiters::two_readers_of_a_queue_share_it", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(paced(100, PAUSE))));
        let (queue, _calls) = queue_of(&client, 8);
        let readers: Vec<_> = (0..2)
            .map(|_| {
                let queue = queue.clone();
                thread::spawn(move || {
                    let (mut chunks, mut done) = (0, 0);
                    while let Next::Event(_, event) = queue.next(None).unwrap() {
                        match event {
                            Event::Chunk(_) => chunks += 1,
                            Event::Done(outcome) => done += usize::from(outcome.is_ok()),
                            Event::Open(_) => {}
                        }
                        // clock: who looks at what it got
                        thread::sleep(Duration::from_micros(200));
                    }
                    (chunks, done)
                })
            })
            .collect();
        eventually("all are answered", || answered(&client) == 8);
        queue.close();
        let read: Vec<_> = readers.into_iter().map(|reader| reader.join().unwrap()).collect();
        let sum = |of: fn(&(usize, usize)) -> usize| read.iter().map(of).sum::<usize>();
        assert_eq!((sum(|read| read.0), sum(|read| read.1)), (8 * 101, 8));
    });
}

#[test]
fn shutdown_and_wakeup_reach_a_reader_that_does_the_io() {
    in_child_at("lone_waiters::shutdown_and_wakeup_reach_a_reader_that_does_the_io", &[], || {
        let service = Service::start().unwrap();
        let texts: Vec<String> = (0..20).map(|_| piece("x")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let client = client(service.script("s", Script::one(stalled_after(&texts))));
        let (queue, _calls) = queue_of(&client, 1);
        let (tell, told) = mpsc::channel();
        let reader = {
            let queue = queue.clone();
            thread::spawn(move || {
                loop {
                    match queue.next(None).unwrap() {
                        Next::Event(_, Event::Done(outcome)) => return outcome.unwrap_err().kind(),
                        other => tell.send(format!("{other:?}")).unwrap(),
                    }
                }
            })
        };
        let hears = |what: &str| loop {
            let heard = told.recv_timeout(Duration::from_secs(60)).unwrap();
            if heard.starts_with(what) {
                break;
            }
        };
        (0..20).for_each(|_| hears("Event(0, Chunk"));
        for _ in 0..3 {
            // clock: before or in the wait, where it does the I/O: both are to end the same
            thread::sleep(Duration::from_millis(50));
            queue.wakeup();
            hears("Empty");
        }
        assert!(shutdown(Duration::from_secs(60)));
        assert_eq!(reader.join().unwrap(), ErrorKind::Shutdown);
    });
}
