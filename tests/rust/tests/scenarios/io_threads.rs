//! Several I/O threads: how calls are spread, and what holds for all of them together. Each test runs in a
//! process of its own; the threads are named by the order in which they started.

use std::time::Duration;

use modelwire::{
    Call, Client, CompletionQueue, ErrorKind, Event, Limits, Next, Pop, TimeoutPhase, Timeouts,
    set_io_threads, shutdown,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    DONE, client, config, event, eventually, finish, hello, http_chunk, piece, stalled_after,
    stream_head,
};
use crate::system::{forked, has_thread};

const PATIENCE: Duration = Duration::from_secs(120);

fn in_child(name: &str, variables: &[(&str, &str)], test: impl FnOnce()) {
    in_child_at(&format!("io_threads::{name}"), variables, test);
}

/// Whether exactly this many threads were started so far, and all run.
fn are_running(count: usize) -> bool {
    (0..count).all(|number| has_thread(&format!("mw-io-{number}")))
        && !has_thread(&format!("mw-io-{count}"))
}

fn has_chunk(call: &Call) -> bool {
    loop {
        match call.pop(Some(PATIENCE)).unwrap() {
            Pop::Event(Event::Chunk(_)) => return true,
            Pop::Event(Event::Open(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn calls_at_once_are_spread_and_calls_in_turn_use_one_connection() {
    in_child("calls_at_once_are_spread_and_calls_in_turn_use_one_connection", &[], || {
        set_io_threads(3).unwrap();
        let service = Service::start().unwrap();
        let one = client(service.base_url());
        for _ in 0..20 {
            one.blocking().send(hello()).unwrap();
        }
        assert!(are_running(1));
        // The first answers open one more: until the server has proved that it keeps connections.
        let before = service.connections();
        for _ in 0..20 {
            one.blocking().send(hello()).unwrap();
        }
        assert_eq!(service.connections(), before);

        let url =
            service.script("s", Script::one(stalled_after(&["{\"choices\":[{\"delta\":{}}]}"])));
        let streams = client(url);
        let calls: Vec<_> = (1..=9)
            .map(|number| {
                let call = Call::new(&streams, hello());
                call.start(true).unwrap();
                assert!(are_running(number.min(3)), "call {number}");
                call
            })
            .collect();
        assert!(calls.iter().all(has_chunk));
        drop(calls);
        eventually("closed", || service.open_connections() <= before);
        assert!(shutdown(PATIENCE));
        assert!(!has_thread("mw-"));
    });
}

/// The choice counts the calls that are being started on other threads.
#[test]
fn calls_that_start_at_the_same_moment_are_spread() {
    in_child("calls_that_start_at_the_same_moment_are_spread", &[], || {
        set_io_threads(8).unwrap();
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(stalled_after(&["{}"]))));
        let together = std::sync::Barrier::new(8);
        let calls: Vec<_> = (0..8).map(|_| Call::new(&client, hello())).collect();
        std::thread::scope(|scope| {
            for call in &calls {
                scope.spawn(|| {
                    together.wait();
                    call.start(true).unwrap();
                });
            }
        });
        assert!(are_running(8));
    });
}

/// Also while the rest of the body of the one before is read.
#[test]
fn streams_one_after_another_use_the_first_thread() {
    in_child("streams_one_after_another_use_the_first_thread", &[], || {
        set_io_threads(4).unwrap();
        let service = Service::start().unwrap();
        let steps = vec![
            stream_head(),
            event(&piece("x")),
            event(&finish(0)),
            event(DONE),
            Step::StallForever, // the body does not end
        ];
        let client = client(service.script("s", Script::one(Exchange { steps })));
        for _ in 0..10 {
            let stream = client.blocking().stream(hello()).unwrap();
            let texts = stream.map(|chunk| chunk.unwrap().text().into_owned());
            assert_eq!(texts.collect::<String>(), "x");
        }
        assert!(are_running(1));
    });
}

/// Every chunk of every stream arrives in order, whichever thread carries it and however it is consumed.
#[test]
fn streams_on_all_threads_are_whole() {
    in_child("streams_on_all_threads_are_whole", &[], || {
        set_io_threads(4).unwrap();
        let service = Service::start().unwrap();
        let pieces = (0..300).map(|number| event(&piece(&format!("{number},"))));
        let steps: Vec<Step> = std::iter::once(stream_head())
            .chain(pieces)
            .chain([event(&finish(0)), event(DONE), http_chunk("")])
            .collect();
        let client = client(service.script("s", Script::one(Exchange { steps })));
        let whole: String = (0..300).map(|number| format!("{number},")).collect();
        let queue = CompletionQueue::new(None);
        for tag in 0..40 {
            queue.submit_owned(Call::new(&client, hello()), true, tag).unwrap();
        }
        let threads: Vec<_> = (0..8)
            .map(|_| {
                let (client, whole) = (client.clone(), whole.clone());
                std::thread::spawn(move || {
                    let stream = client.blocking().stream(hello()).unwrap();
                    let text: String =
                        stream.map(|chunk| chunk.unwrap().text().into_owned()).collect();
                    assert_eq!(text, whole);
                })
            })
            .collect();
        let mut texts = vec![String::new(); 40];
        let mut ended = 0;
        while ended < 40 {
            match queue.next(Some(PATIENCE)).unwrap() {
                Next::Event(tag, Event::Chunk(chunk)) => texts[tag as usize] += &chunk.text(),
                Next::Event(_, Event::Done(outcome)) => {
                    outcome.unwrap();
                    ended += 1;
                }
                Next::Event(_, Event::Open(_)) => {}
                other => panic!("{other:?}"),
            }
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(texts.iter().all(|text| *text == whole));
        assert!(are_running(4));
    });
}

#[test]
fn connections_max_holds_for_all_threads_together() {
    in_child("connections_max_holds_for_all_threads_together", &[], || {
        set_io_threads(3).unwrap();
        let service = Service::start().unwrap();
        let url = service.script("s", Script::one(stalled_after(&["{}"])));
        let timeouts = Timeouts::default().pool(Some(Duration::from_millis(50)));
        let limits = Limits::default().connections_max(2);
        let client = Client::new(config(url).limits(limits).timeouts(timeouts)).unwrap();
        let calls = [Call::new(&client, hello()), Call::new(&client, hello())];
        calls.iter().for_each(|call| call.start(true).unwrap());
        eventually("both are sent", || service.recorded("s").len() == 2);
        let error = client.blocking().send(hello()).unwrap_err();
        assert_eq!(error.timeout(), Some(TimeoutPhase::Pool));
        assert!(are_running(3));
    });
}

#[test]
fn the_number_is_set_before_the_first_call() {
    in_child("the_number_is_set_before_the_first_call", &[], || {
        for wrong in [0, 17, usize::MAX] {
            let error = set_io_threads(wrong).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.message().contains("must be 1 to 16"), "{error}");
        }
        set_io_threads(16).unwrap();
        set_io_threads(2).unwrap();
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        client.blocking().models().unwrap();
        let error = set_io_threads(3).unwrap_err();
        assert!(error.to_string().contains("Set it before the first call"), "{error}");
        set_io_threads(2).unwrap(); // that many there are
        assert!(shutdown(PATIENCE));
        set_io_threads(1).unwrap();
        client.blocking().models().unwrap();
    });
}

#[test]
fn the_environment_gives_the_number() {
    let variables = [("MODELWIRE_IO_THREADS", "2")];
    in_child("the_environment_gives_the_number", &variables, || {
        let service = Service::start().unwrap();
        let url = service.script("s", Script::one(stalled_after(&["{}"])));
        let client = client(url);
        let calls: Vec<_> = (0..5).map(|_| Call::new(&client, hello())).collect();
        calls.iter().for_each(|call| call.start(true).unwrap());
        eventually("all are sent", || service.recorded("s").len() == 5);
        assert!(are_running(2));
    });
}

#[test]
fn a_wrong_number_in_the_environment_is_an_error_that_names_it() {
    let variables = [("MODELWIRE_IO_THREADS", "many")];
    in_child("a_wrong_number_in_the_environment_is_an_error_that_names_it", &variables, || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let error = client.blocking().models().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains("MODELWIRE_IO_THREADS"), "{error}");
        assert!(error.message().contains("many"), "{error}");
        assert!(service.recorded("").is_empty());
        set_io_threads(1).unwrap(); // the program's own word counts
        client.blocking().models().unwrap();
    });
}

/// As if it were not set.
#[test]
fn an_empty_number_in_the_environment_is_none() {
    let variables = [("MODELWIRE_IO_THREADS", "")];
    in_child("an_empty_number_in_the_environment_is_none", &variables, || {
        let service = Service::start().unwrap();
        client(service.base_url()).blocking().models().unwrap();
        assert!(are_running(1));
    });
}

#[cfg(unix)]
#[test]
fn a_forked_child_has_as_many_of_its_own() {
    in_child("a_forked_child_has_as_many_of_its_own", &[], || {
        set_io_threads(2).unwrap();
        let service = Service::start().unwrap();
        let url = service.script("s", Script::one(stalled_after(&["{}"])));
        let client = client(url);
        let under_way = Call::new(&client, hello());
        under_way.start(true).unwrap();
        assert!(has_chunk(&under_way));
        assert!(forked(|| {
            let calls = [Call::new(&client, hello()), Call::new(&client, hello())];
            for call in &calls {
                call.start(true).unwrap();
                assert!(has_chunk(call));
            }
            assert!(has_thread("mw-io-1") && has_thread("mw-io-2") && !has_thread("mw-io-0"));
        }));
        under_way.cancel();
    });
}
