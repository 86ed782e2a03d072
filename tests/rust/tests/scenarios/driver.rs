//! A thread that took the I/O over and then does something else does not hold up the I/O of the
//! others, nor its own. Each test runs in a process of its own.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{Call, Client, CompletionQueue, Event, Next, Request, Timeouts};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    CHAT_ANSWER, DONE, client, config, event, eventually, finish, hello, piece, stream_head,
    within_three_tries,
};
use crate::system::is_readable;

/// Waits that are enough for a thread to do the I/O itself from then on.
const WAITS: u64 = 16;
/// Between two calls of a program that polls.
const PACE: Duration = Duration::from_millis(10);
const PATIENCE: Duration = Duration::from_secs(120);

/// The service, when it began to count time, and a client of it.
fn started() -> (Service, Instant, Client) {
    let born = Instant::now();
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    (service, born, client)
}

/// A request that is told apart from others on the wire.
fn numbered(number: u64) -> Request {
    Request::chat("echo").user(&format!("call {number}."))
}

/// How long after it was submitted each of these requests reached the service.
fn arrivals(service: &Service, name: &str, born: Instant, submitted: &[Instant]) -> Vec<Duration> {
    let mut late = Vec::new();
    eventually("all requests reach the service", || {
        let recorded = service.recorded(name);
        let arrived = |number: usize| {
            let said = format!("call {number}.");
            let is_it = |body: &[u8]| String::from_utf8_lossy(body).contains(&said);
            Some(born + recorded.iter().find(|sent| is_it(&sent.body))?.at)
        };
        let waited = |(number, at): (usize, &Instant)| {
            arrived(number).map(|arrived| arrived.saturating_duration_since(*at))
        };
        late = submitted.iter().enumerate().map_while(waited).collect();
        late.len() == submitted.len()
    });
    late
}

/// Whether half of the requests were sent within a part of the time in which they were submitted, and nine
/// of ten within another: a busy machine lengthens both, and a stall spoils one measurement.
fn sent_within(mut waits: Vec<Duration>, half: Duration, most: Duration) -> Result<(), String> {
    waits.sort_unstable();
    let (median, ninth) = (waits[waits.len() / 2], waits[waits.len() * 9 / 10]);
    println!("\nmeasured: sent after {median:?}, nine of ten within {ninth:?}");
    // clock: parts of the time that the same run took
    let is_prompt = median < half && ninth < most;
    let told = || format!("median {median:?} of {half:?}, nine of ten {ninth:?} of {most:?}");
    is_prompt.then_some(()).ok_or_else(told)
}

/// A queue whose one thread has waited so often, for one call after another, that it does the I/O
/// itself.
fn taken_over(client: &Client) -> CompletionQueue {
    let queue = CompletionQueue::new(None);
    for tag in 0..WAITS {
        let call = Call::new(client, hello());
        queue.submit(&call, false, tag).unwrap();
        let next = queue.next(None).unwrap();
        assert!(matches!(next, Next::Event(_, Event::Done(Ok(_)))), "{next:?}");
    }
    queue
}

/// Submits a call every `PACE` for some seconds, and takes what is there after each `pause`; how many
/// of the calls that were submitted in time are not done, even after more polling.
fn polled(client: &Client, queue: &CompletionQueue, pause: impl Fn()) -> (usize, usize) {
    const TIME: Duration = Duration::from_secs(4);
    /// What was submitted so late need not be done yet.
    const LATE: Duration = Duration::from_secs(2);
    /// A stall of the machine is over by then.
    const END: Duration = Duration::from_secs(16);
    let start = Instant::now();
    let (mut calls, mut done) = (Vec::new(), Vec::new());
    let missing = |calls: &[(Call, Duration)], done: &[bool]| {
        let in_time = calls.iter().take_while(|(_, at)| *at < TIME - LATE).count();
        (done[..in_time].iter().filter(|done| !**done).count(), in_time)
    };
    loop {
        // clock: how long a pattern of a program is played
        let submits = start.elapsed() < TIME;
        if submits {
            let call = Call::new(client, hello());
            queue.submit(&call, false, calls.len() as u64).unwrap();
            calls.push((call, start.elapsed()));
            done.push(false);
        }
        pause();
        while let Next::Event(tag, Event::Done(outcome)) = queue.next(Some(Duration::ZERO)).unwrap()
        {
            outcome.unwrap();
            done[tag as usize] = true;
        }
        let missing = missing(&calls, &done);
        if !submits && (missing.0 == 0 || start.elapsed() > END) {
            return missing;
        }
    }
}

/// Who waited long before and now only looks has its calls done all the same.
#[test]
fn calls_progress_when_a_queue_is_polled_after_waits() {
    in_child_at("driver::calls_progress_when_a_queue_is_polled_after_waits", &[], || {
        let (_service, _, client) = started();
        let queue = taken_over(&client);
        // clock: the pace of what happens beside
        let (missing, of) = polled(&client, &queue, || thread::sleep(PACE));
        assert_eq!(missing, 0, "of {of} calls that were submitted in time");
    });
}

/// The same in an event loop, which sleeps at the descriptor.
#[test]
fn calls_progress_when_a_queue_descriptor_is_polled_after_waits() {
    in_child_at(
        "driver::calls_progress_when_a_queue_descriptor_is_polled_after_waits",
        &[],
        || {
            let (_service, _, client) = started();
            let queue = taken_over(&client);
            let fd = queue.fd().unwrap();
            let (missing, of) = polled(&client, &queue, || {
                let start = Instant::now();
                is_readable(fd, Duration::from_millis(10));
                // clock: the pace of what happens beside
                thread::sleep(PACE.saturating_sub(start.elapsed()));
            });
            assert_eq!(missing, 0, "of {of} calls that were submitted in time");
        },
    );
}

/// What a busy worker submits is sent when it is submitted, not when it has nothing else to do.
#[test]
fn calls_of_a_busy_worker_are_sent_at_once() {
    in_child_at("driver::calls_of_a_busy_worker_are_sent_at_once", &[], || {
        const CALLS: u64 = 50;
        const HANDLED: usize = 120;
        const WORK: Duration = Duration::from_millis(15);
        within_three_tries(|| {
            let (service, born, plain) = started();
            let steps = [Step::Pause(Duration::from_millis(20))].into_iter();
            let steps = steps.chain(Exchange::json(200, CHAT_ANSWER).steps).collect();
            let client = client(service.script("s", Script::one(Exchange { steps })));
            let queue = taken_over(&plain);
            let (mut calls, mut submitted) = (Vec::new(), Vec::new());
            let mut submit = |number: u64| {
                let call = Call::new(&client, numbered(number));
                submitted.push(Instant::now());
                queue.submit(&call, false, number).unwrap();
                calls.push(call);
            };
            (0..CALLS).for_each(&mut submit);
            let begun = Instant::now();
            for handled in 0..HANDLED as u64 {
                let next = queue.next(Some(PATIENCE)).unwrap();
                assert!(matches!(next, Next::Event(_, Event::Done(Ok(_)))), "{next:?}");
                // clock: the pace of what happens beside
                thread::sleep(WORK);
                submit(CALLS + handled);
            }
            let took = begun.elapsed(); // 1.8 s where nothing else runs
            let came = arrivals(&service, "s", born, &submitted);
            // The first ones come all at once, and the last ones while the worker does nothing else.
            let came = came[CALLS as usize..][..HANDLED - 30].to_vec();
            sent_within(came, took / 22, took * 2 / 9)
        });
    });
}

/// The time in which a consumer looks at what it got is not the service's silence.
#[test]
fn a_busy_consumer_of_many_streams_meets_no_false_timeout() {
    in_child_at("driver::a_busy_consumer_of_many_streams_meets_no_false_timeout", &[], || {
        const STREAMS: u64 = 10;
        /// Fifty times the pause of the streams, and less than the worker looks away.
        const IDLE: Duration = Duration::from_secs(1);
        /// The streams last 1.2 s; what they leave behind is taken fast.
        const BUSY: Duration = Duration::from_secs(4);
        within_three_tries(|| {
            let (service, _, plain) = started();
            let paced = (0..60).flat_map(|_| [Step::Pause(PACE * 2), event(&piece("x"))]);
            let end = [event(&finish(0)), event(DONE), Step::send("0\r\n\r\n")];
            let steps = [stream_head()].into_iter().chain(paced).chain(end).collect();
            let url = service.script("s", Script::one(Exchange { steps }));
            let timeouts = Timeouts::default().idle(Some(IDLE));
            let paced = Client::new(config(url).timeouts(timeouts)).unwrap();
            let queue = taken_over(&plain);
            let streams: Vec<Call> = (0..STREAMS)
                .map(|tag| {
                    let call = Call::new(&paced, hello());
                    queue.submit(&call, true, tag).unwrap();
                    call
                })
                .collect();
            let (start, mut events) = (Instant::now(), 0);
            let (mut failed, mut asked, mut done) = (Vec::new(), Vec::new(), 0);
            while done < STREAMS {
                let Next::Event(tag, event) = queue.next(Some(PATIENCE)).unwrap() else { break };
                if tag == STREAMS {
                    continue;
                }
                if let Event::Done(outcome) = event {
                    done += 1;
                    failed.extend(outcome.err().map(|error| error.report()));
                }
                events += 1;
                // clock: how long it is busy
                if start.elapsed() < BUSY && events % 15 == 0 {
                    // What a worker does with some chunks: it asks others about them.
                    for _ in 0..150 {
                        let call = Call::new(&plain, hello());
                        queue.submit(&call, false, STREAMS).unwrap();
                        asked.push(call);
                        // clock: the pace of what happens beside
                        thread::sleep(PACE);
                    }
                }
            }
            assert_eq!(done, STREAMS);
            drop((streams, asked));
            match failed.first() {
                // The service is silent where the machine stalls.
                Some(first) => Err(format!("{} of {STREAMS}: {first}", failed.len())),
                None => Ok(()),
            }
        });
    });
}

/// Calls that a handler starts are sent while it still runs.
#[test]
fn calls_that_a_handler_starts_do_not_wait_for_its_end() {
    in_child_at("driver::calls_that_a_handler_starts_do_not_wait_for_its_end", &[], || {
        const STARTS: u64 = 80;
        within_three_tries(|| {
            let (service, born, _) = started();
            let paced = (0..40).flat_map(|_| [Step::Pause(PACE / 5), event(&piece("x"))]);
            let end = [event(&finish(0)), event(DONE), Step::send("0\r\n\r\n")];
            let steps = [stream_head()].into_iter().chain(paced).chain(end).collect();
            let answers = vec![Exchange { steps }, Exchange::json(200, CHAT_ANSWER)];
            let client = client(service.script("s", Script::sequence(answers)));
            let (tell, told) = mpsc::channel();
            let inside = client.clone();
            let call = Call::new(&client, hello());
            let seen = Cell::new(0);
            let handler = move |event: Event| {
                if let Event::Chunk(_) = event {
                    seen.set(seen.get() + 1);
                }
                if seen.get() == 30 {
                    seen.set(31);
                    // The thread has waited often by now.
                    let (begun, mut started) = (Instant::now(), Vec::new());
                    let calls: Vec<Call> = (0..STARTS)
                        .map(|number| {
                            let call = Call::new(&inside, numbered(number));
                            started.push(Instant::now());
                            call.start_with(false, |_: Event| ControlFlow::Continue(())).unwrap();
                            // clock: the pace of what happens beside
                            thread::sleep(PACE);
                            call
                        })
                        .collect();
                    tell.send((started, calls, begun.elapsed())).unwrap();
                }
                ControlFlow::Continue(())
            };
            call.start_with(true, handler).unwrap();
            let (started, _calls, took) = told.recv_timeout(PATIENCE).unwrap(); // 0.8 s, as above
            sent_within(arrivals(&service, "s", born, &started), took / 5, took * 3 / 5)
        });
    });
}
