//! One plain call after another: the caller does the I/O itself, and nothing else suffers from it.
//! Each test runs in a process of its own. Knows no answer.

use std::sync::Arc;
use std::time::Duration;

use modelwire::{Answer, Call, Client, ErrorKind, Event, Pop, Timeouts, shutdown};
use modelwire_service::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{CHAT_ANSWER, block_on, client, config, eventually, hello, silence};

/// Plain calls until the I/O thread has stood aside.
fn alone(service: &Service) -> Client {
    let client = client(service.base_url());
    (0..20).for_each(|_| drop(client.blocking().send(hello()).unwrap()));
    client
}

/// How long the I/O thread has run on a processor, in nanoseconds.
fn io_thread_ran() -> u64 {
    for entry in std::fs::read_dir("/proc/self/task").unwrap() {
        let path = entry.unwrap().path();
        if std::fs::read_to_string(path.join("comm")).unwrap().starts_with("mw-io-") {
            let told = std::fs::read_to_string(path.join("schedstat")).unwrap();
            return told.split_whitespace().next().unwrap().parse().unwrap();
        }
    }
    panic!("there is no I/O thread");
}

#[test]
fn calls_in_a_row_leave_the_io_thread_asleep() {
    in_child_at("turns::calls_in_a_row_leave_the_io_thread_asleep", &[], || {
        const CALLS: u64 = 300;
        let service = Service::start().unwrap();
        let client = alone(&service);
        let ran_for = |call: &dyn Fn() -> Answer| {
            let before = io_thread_ran();
            (0..CALLS).for_each(|_| assert_eq!(call().text(), "Hello from both sides."));
            io_thread_ran() - before
        };
        // It looks up now and then, and no more.
        let aside = ran_for(&|| client.blocking().send(hello()).unwrap());
        let at_work = ran_for(&|| block_on(client.send(hello())).unwrap());
        assert!(aside * 3 < at_work, "{aside} ns beside {at_work} ns for {CALLS} calls");
        assert_eq!(client.usage()["echo"].calls, 2 * CALLS + 20);
    });
}

#[test]
fn work_beside_a_waiting_caller_goes_on() {
    in_child_at("turns::work_beside_a_waiting_caller_goes_on", &[], || {
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
        // And nobody is left without a thread that turns.
        let stream = client.blocking().stream(hello()).unwrap();
        assert_eq!(stream.map(|chunk| chunk.unwrap().text().len()).sum::<usize>(), 22);
    });
}

fn client_of_silence(service: &Service) -> Client {
    client(service.script("s", Script::one(silence())))
}

/// Nothing turns the runtime between calls, so a close is noticed when the next one begins.
#[test]
fn a_connection_that_was_closed_between_calls_is_not_used() {
    in_child_at("turns::a_connection_that_was_closed_between_calls_is_not_used", &[], || {
        let service = Service::start().unwrap();
        let _with_its_connection = alone(&service);
        let answer = Exchange::json(200, CHAT_ANSWER);
        let pause = Step::Pause(Duration::from_millis(20));
        let steps = answer.steps.into_iter().chain([pause, Step::Close]).collect();
        let client = client(service.script("s", Script::one(Exchange { steps })));
        for _ in 0..20 {
            assert_eq!(client.blocking().send(hello()).unwrap().text(), "Yes.");
            eventually("closed by the service", || service.open_connections() <= 1);
        }
        assert_eq!(service.recorded("s").len(), 20);
    });
}

#[test]
fn timeouts_run_while_the_caller_turns() {
    in_child_at("turns::timeouts_run_while_the_caller_turns", &[], || {
        let service = Service::start().unwrap();
        alone(&service);
        let first_byte = Some(Duration::from_millis(100));
        let timeouts = Timeouts { first_byte, ..Timeouts::default() };
        let url = service.script("s", Script::one(silence()));
        let client = Client::new(config(url).timeouts(timeouts)).unwrap();
        for _ in 0..3 {
            let error = client.blocking().send(hello()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Timeout);
        }
        // A wait of the caller's ends too, and the call goes on without it.
        let call = Call::new(&client, hello());
        call.start_to_wait(false).unwrap();
        let waited = call.pop(Some(Duration::from_millis(10))).unwrap();
        assert!(matches!(waited, Pop::Empty), "{waited:?}");
        let waited = call.pop(None).unwrap();
        assert!(matches!(waited, Pop::Event(Event::Done(Err(_)))), "{waited:?}");
    });
}

#[test]
fn a_caller_that_never_waits_has_its_call_done() {
    in_child_at("turns::a_caller_that_never_waits_has_its_call_done", &[], || {
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
fn shutdown_takes_the_turn_from_a_caller() {
    in_child_at("turns::shutdown_takes_the_turn_from_a_caller", &[], || {
        let service = Service::start().unwrap();
        alone(&service);
        let stuck = client_of_silence(&service);
        let waiter = std::thread::spawn(move || stuck.blocking().send(hello()));
        eventually("sent", || service.recorded("s").len() == 1);
        assert!(shutdown(Duration::from_secs(10)));
        assert_eq!(waiter.join().unwrap().unwrap_err().kind(), ErrorKind::Shutdown);
    });
}

/// Threads of other languages have small stacks, and async programs a runtime of their own.
#[test]
fn threads_that_cannot_turn_only_wait() {
    in_child_at("turns::threads_that_cannot_turn_only_wait", &[], || {
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
    in_child_at("turns::many_callers_at_once_all_get_their_answers", &[], || {
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
