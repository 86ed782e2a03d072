//! The end of a handler, of a client, of the library, and what begins after it.

use std::fs;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{
    Call, Client, CompletionQueue, ErrorKind, Event, Handler, Next, Pop, Ready, RetryPolicy,
    shutdown,
};
use modelwire_testing::{Script, Service};

use crate::processes::in_child_at;
use crate::support::{client, config, eventually, hello, piece, silence, stalled_after};
use crate::system::forked;

const PATIENCE: Duration = Duration::from_secs(30);
const LONG: Option<Duration> = Some(PATIENCE);
const NOW: Option<Duration> = Some(Duration::ZERO);

/// A handler whose drop takes long, as a finalizer of another language may.
struct SlowToDrop {
    is_gone: Arc<AtomicBool>,
}

impl Handler for SlowToDrop {
    fn on_event(&mut self, _: Event) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl Drop for SlowToDrop {
    fn drop(&mut self) {
        // clock: the slowness itself
        thread::sleep(Duration::from_millis(200));
        self.is_gone.store(true, Ordering::SeqCst);
    }
}

fn slow_to_drop() -> (SlowToDrop, Arc<AtomicBool>) {
    let is_gone = Arc::new(AtomicBool::new(false));
    (SlowToDrop { is_gone: is_gone.clone() }, is_gone)
}

/// The end of a call that pops.
fn end_of(call: &Call) -> modelwire::Result<modelwire::Response> {
    loop {
        match call.pop(LONG).unwrap() {
            Pop::Event(Event::Done(outcome)) => return outcome,
            Pop::Event(_) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_wait_for_a_handlers_end_returns_when_its_drop_has() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    let call = Call::new(&client, hello());
    assert!(call.wait_over(None).unwrap(), "it was never started");
    let (handler, is_gone) = slow_to_drop();
    call.start_with(true, handler).unwrap();
    while !call.wait_over(Some(Duration::from_millis(1))).unwrap() {
        assert!(!is_gone.load(Ordering::SeqCst) || call.wait_over(NOW).is_ok());
    }
    assert!(is_gone.load(Ordering::SeqCst), "it is over, and its drop has not returned");
    assert!(call.wait_over(None).unwrap(), "it stays over");
    // A start that fails drops its handler at once: it is no handler of the first start.
    let (handler, is_gone) = slow_to_drop();
    assert!(call.start_with(true, handler).is_err());
    assert!(is_gone.load(Ordering::SeqCst));
    assert!(call.wait_over(NOW).unwrap());
}

#[test]
fn a_wait_that_could_not_end_is_refused() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let popped = Call::new(&client, hello());
    popped.start(true).unwrap();
    let error = popped.wait_over(None).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Argument, "{error}");
    assert!(error.to_string().contains("not started with a callback"), "{error}");
    // Inside a handler of the same client: for itself, for another, and for the client.
    let call = Arc::new(Call::new(&client, hello()));
    let (inside, own, of) = (call.clone(), client.clone(), mpsc::channel());
    call.start_with(true, move |_: Event| {
        let waits = [inside.wait_over(None), own.close(None)];
        let _ = of.0.send(waits.map(|waited| waited.unwrap_err()));
        ControlFlow::Break(())
    })
    .unwrap();
    for told in of.1.recv_timeout(PATIENCE).unwrap() {
        assert_eq!(told.kind(), ErrorKind::Callback);
        assert!(told.message().contains("its own client's callbacks"), "{told}");
    }
    assert!(call.wait_over(LONG).unwrap());
    // The close inside did nothing.
    Call::new(&client, hello()).start(false).unwrap();
}

#[test]
fn a_closed_client_refuses_ends_and_waits() {
    let service = Service::start().unwrap();
    let stalled = Script::one(stalled_after(&[&piece("a")]));
    let (client, other) = (client(service.script("s", stalled)), client(service.base_url()));
    let queue = CompletionQueue::new(None);
    let popped = Call::new(&client, hello());
    popped.start(true).unwrap();
    queue.submit_owned(Call::new(&client, hello()), true, 7).unwrap();
    let (handler, is_gone) = slow_to_drop();
    let handled = Call::new(&client, hello());
    handled.start_with(true, handler).unwrap();
    eventually("sent", || service.recorded("s").len() == 3);
    assert!(!client.close(NOW).unwrap(), "its handler is not over");
    assert!(client.close(None).unwrap());
    assert!(is_gone.load(Ordering::SeqCst));
    assert_eq!(end_of(&popped).unwrap_err().kind(), ErrorKind::Closed);
    let mut ends = Vec::new();
    while queue.unfinished() > 0 {
        if let Next::Event(7, Event::Done(outcome)) = queue.next(LONG).unwrap() {
            ends.push(outcome.unwrap_err().kind());
        }
    }
    assert_eq!(ends, [ErrorKind::Closed]);
    eventually("all connections closed", || service.open_connections() == 0);
    // By every way, of every clone; and a child has no other client.
    for refused in [
        client.clone().blocking().send(hello()).unwrap_err(),
        Call::new(&client, hello()).start(true).unwrap_err(),
        Call::new(&client, hello()).start_with(true, slow_to_drop().0).unwrap_err(),
    ] {
        assert_eq!(refused.kind(), ErrorKind::Closed);
        assert!(refused.to_string().contains("the client was closed"), "{refused}");
    }
    queue.submit_owned(Call::new(&client, hello()), false, 8).unwrap();
    let Next::Event(8, Event::Done(Err(error))) = queue.next(LONG).unwrap() else { panic!() };
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(client.close(NOW).unwrap(), "again is harmless");
    other.blocking().send(hello()).unwrap();
}

/// Calls that begin while their client is closed are refused, or ended: none goes on.
#[test]
fn no_call_slips_through_a_close() {
    let service = Service::start().unwrap();
    let url = service.script("s", Script::one(silence()));
    for _ in 0..30 {
        let client = Client::new(config(url.clone())).unwrap();
        let starters: Vec<_> = (0..3)
            .map(|_| {
                let client = client.clone();
                thread::spawn(move || {
                    let mut calls = Vec::new();
                    loop {
                        let call = Call::new(&client, hello());
                        match call.start(false) {
                            Ok(()) => calls.push(call),
                            Err(error) => {
                                assert_eq!(error.kind(), ErrorKind::Closed);
                                return calls;
                            }
                        }
                    }
                })
            })
            .collect();
        // clock: any moment will do
        thread::sleep(Duration::from_micros(300));
        assert!(client.close(None).unwrap());
        for starter in starters {
            for call in starter.join().unwrap() {
                let Pop::Event(Event::Done(Err(error))) = call.try_pop().unwrap() else {
                    panic!("a call of a closed client goes on")
                };
                assert_eq!(error.kind(), ErrorKind::Closed);
            }
        }
    }
}

/// How many threads and descriptors this process has, and how many KiB of memory.
fn resources() -> (usize, usize, usize) {
    let count = |folder| fs::read_dir(folder).unwrap().count();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    let memory = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    (count("/proc/self/task"), count("/proc/self/fd"), memory)
}

/// Clients, queues and ready lists that were made once go on working from cycle to cycle, in every
/// way of calling; nothing is left of a cycle, although what it made is kept.
#[test]
fn the_library_starts_afresh_after_each_shutdown() {
    in_child_at("lifecycle::the_library_starts_afresh_after_each_shutdown", &[], || {
        let service = Service::start().unwrap();
        let stalled = Script::one(stalled_after(&[&piece("a")]));
        let stalling = client(service.script("s", stalled));
        let steady = client(service.base_url());
        let adaptive = RetryPolicy::default().adaptive(true);
        let adaptive = Client::new(config(service.base_url()).retry(adaptive)).unwrap();
        let (queue, ready) = (CompletionQueue::new(None), Ready::new());
        queue.fd().unwrap();
        let unstarted: Vec<Call> = (0..100).map(|_| Call::new(&steady, hello())).collect();
        let (mut kept, mut after_ten) = (Vec::new(), (0, 0, 0));
        for (cycle, early) in (1..).zip(&unstarted) {
            let held = Arc::new(AtomicUsize::new(0));
            let (handles, ended) = (held.clone(), held.clone());
            let handled = Call::new(&steady, hello());
            handled
                .start_with(true, move |event: Event| {
                    handles.fetch_add(
                        usize::from(matches!(event, Event::Done(Ok(_)))),
                        Ordering::SeqCst,
                    );
                    ControlFlow::Continue(())
                })
                .unwrap();
            early.start_with(false, |_: Event| ControlFlow::Continue(())).unwrap();
            assert!(handled.wait_over(LONG).unwrap() && early.wait_over(LONG).unwrap());
            assert_eq!(ended.load(Ordering::SeqCst), 1);
            queue.submit_owned(Call::new(&adaptive, hello()), true, 1).unwrap();
            while queue.unfinished() > 0 {
                match queue.next(LONG).unwrap() {
                    Next::Event(1, Event::Done(outcome)) => drop(outcome.unwrap()),
                    Next::Event(1, _) => {}
                    other => panic!("{other:?}"),
                }
            }
            steady.blocking().send(hello()).unwrap();
            // Under way at the shutdown: popped, cancelled, watched, in the queue.
            let (popped, cancelled) =
                (Call::new(&stalling, hello()), Call::new(&stalling, hello()));
            popped.start(true).unwrap();
            cancelled.start(true).unwrap();
            let waker = ready.waker(1);
            while popped.poll_pop(&mut std::task::Context::from_waker(&waker)).is_ready() {}
            queue.submit_owned(Call::new(&stalling, hello()), true, 2).unwrap();
            eventually("sent", || service.recorded("s").len() == 3 * cycle);
            cancelled.cancel();
            assert!(shutdown(PATIENCE), "cycle {cycle}");
            assert_eq!(end_of(&popped).unwrap_err().kind(), ErrorKind::Shutdown);
            while queue.unfinished() > 0 {
                if let Next::Event(2, Event::Done(outcome)) = queue.next(LONG).unwrap() {
                    assert_eq!(outcome.unwrap_err().kind(), ErrorKind::Shutdown);
                }
            }
            kept.push((popped, cancelled, handled));
            if cycle == 10 {
                eventually("all connections closed", || service.open_connections() == 0);
                after_ten = resources();
            }
        }
        eventually("all connections closed", || service.open_connections() == 0);
        let (threads, descriptors, memory) = resources();
        println!("measured: {after_ten:?} after 10 cycles, {:?} after 100", resources());
        assert!(threads <= after_ten.0 + 2, "{after_ten:?}, then {threads} threads");
        assert!(descriptors <= after_ten.1 + 2, "{after_ten:?}, then {descriptors} descriptors");
        // 90 cycles; what is kept of each is four calls and their answers.
        assert!(memory <= after_ten.2 + 90 * 64, "{after_ten:?}, then {memory} KiB");
        assert!(forked(|| drop(steady.blocking().send(hello()).unwrap())));
    });
}

/// A handler that hangs makes a shutdown false and holds up nothing that comes after it.
#[test]
fn a_handler_hanging_at_a_shutdown_is_awaited_by_the_next() {
    in_child_at("lifecycle::a_handler_hanging_at_a_shutdown_is_awaited_by_the_next", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let (release, held) = mpsc::channel::<()>();
        let is_in = Arc::new(AtomicBool::new(false));
        let (enters, inside) = (is_in.clone(), client.clone());
        let hanging = Call::new(&client, hello());
        hanging
            .start_with(false, move |_: Event| {
                enters.store(true, Ordering::SeqCst);
                let _ = held.recv();
                // Long after its own run is over.
                assert!(inside.blocking().send(hello()).is_ok());
                ControlFlow::Continue(())
            })
            .unwrap();
        eventually("the handler runs", || is_in.load(Ordering::SeqCst));
        assert!(!shutdown(Duration::from_millis(50)));
        client.blocking().send(hello()).unwrap();
        let (handler, is_gone) = slow_to_drop();
        let next = Call::new(&client, hello());
        next.start_with(true, handler).unwrap();
        assert!(next.wait_over(LONG).unwrap() && is_gone.load(Ordering::SeqCst));
        assert!(!hanging.wait_over(NOW).unwrap());
        assert!(!shutdown(Duration::from_millis(50)), "the first one still hangs");
        client.blocking().send(hello()).unwrap();
        release.send(()).unwrap();
        assert!(hanging.wait_over(LONG).unwrap());
        let start = Instant::now();
        assert!(shutdown(PATIENCE), "nothing is left after {:?}", start.elapsed());
    });
}

/// What begins in the middle of a shutdown fails with it, whatever way it begins.
#[test]
fn calls_that_begin_during_a_shutdown_fail() {
    in_child_at("lifecycle::calls_that_begin_during_a_shutdown_fail", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let (release, held) = mpsc::channel::<()>();
        let is_in = Arc::new(AtomicBool::new(false));
        let enters = is_in.clone();
        let hanging = Call::new(&client, hello());
        hanging
            .start_with(false, move |_: Event| {
                enters.store(true, Ordering::SeqCst);
                let _ = held.recv();
                ControlFlow::Continue(())
            })
            .unwrap();
        eventually("the handler runs", || is_in.load(Ordering::SeqCst));
        let ending = thread::spawn(|| shutdown(PATIENCE));
        let mut begun = 0;
        let refused = loop {
            match client.blocking().send(hello()) {
                Ok(_) => begun += 1,
                Err(error) => break error,
            }
            assert!(begun < 100_000);
        };
        assert_eq!(refused.kind(), ErrorKind::Shutdown);
        for _ in 0..50 {
            let error = Call::new(&client, hello()).start_with(true, slow_to_drop().0);
            assert_eq!(error.unwrap_err().kind(), ErrorKind::Shutdown);
            if begun == 0 {
                break;
            }
            begun = 0;
        }
        let queue = CompletionQueue::new(None);
        queue.submit_owned(Call::new(&client, hello()), true, 3).unwrap();
        let Next::Event(3, Event::Done(Err(error))) = queue.next(LONG).unwrap() else { panic!() };
        assert_eq!(error.kind(), ErrorKind::Shutdown);
        release.send(()).unwrap();
        assert!(ending.join().unwrap());
        client.blocking().send(hello()).unwrap();
    });
}

/// Threads that call, threads that shut down: every call ends, and the last one works.
#[test]
fn shutdowns_during_traffic_end_every_call() {
    in_child_at("lifecycle::shutdowns_during_traffic_end_every_call", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let stop = Arc::new(AtomicBool::new(false));
        let good = Arc::new(AtomicUsize::new(0));
        let callers: Vec<_> = (0..4)
            .map(|way| {
                let (client, stop, good) = (client.clone(), stop.clone(), good.clone());
                thread::spawn(move || {
                    let queue = CompletionQueue::new(None);
                    while !stop.load(Ordering::SeqCst) {
                        let outcome = match way {
                            0 | 1 => client.blocking().send(hello()).map(drop),
                            2 => {
                                queue.submit_owned(Call::new(&client, hello()), true, 1).unwrap();
                                loop {
                                    match queue.next(LONG).unwrap() {
                                        Next::Event(1, Event::Done(outcome)) => {
                                            break outcome.map(drop);
                                        }
                                        Next::Event(1, _) => {}
                                        other => panic!("{other:?}"),
                                    }
                                }
                            }
                            _ => {
                                let call = Call::new(&client, hello());
                                let begun =
                                    call.start_with(true, |_: Event| ControlFlow::Continue(()));
                                assert!(call.wait_over(LONG).unwrap());
                                begun
                            }
                        };
                        match outcome {
                            Ok(()) => drop(good.fetch_add(1, Ordering::SeqCst)),
                            Err(error) => {
                                assert_eq!(error.kind(), ErrorKind::Shutdown, "{error:?}")
                            }
                        }
                    }
                })
            })
            .collect();
        for _ in 0..40 {
            // clock: any moment will do
            thread::sleep(Duration::from_millis(10));
            assert!(shutdown(PATIENCE));
        }
        let before = good.load(Ordering::SeqCst);
        eventually("calls go on", || good.load(Ordering::SeqCst) > before);
        stop.store(true, Ordering::SeqCst);
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        client.blocking().send(hello()).unwrap();
    });
}
