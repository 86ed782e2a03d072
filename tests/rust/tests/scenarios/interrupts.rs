//! Waits that a signal or a wakeup ends, and the descriptors of queues. Each test that takes a signal runs in
//! a process of its own.

use std::fs;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{
    Call, CompletionQueue, Descriptor, ErrorKind, Event, Next, Pop, QueueOptions, Taken,
};
use modelwire_testing::{Script, Service};

use crate::processes::in_child_at;
use crate::support::{client, eventually, hello, piece, silence, stalled_after};
use crate::system::{self, forked, handle_signals, send_signal, this_thread};

/// Far longer than anything here takes, and no wait may last so long.
const LONG: Option<Duration> = Some(Duration::from_secs(40));
const NOW: Option<Duration> = Some(Duration::ZERO);

static SIGNALS: AtomicUsize = AtomicUsize::new(0);
/// What the handler wakes.
static WAKES: OnceLock<CompletionQueue> = OnceLock::new();

extern "C" fn on_signal(_: i32) {
    SIGNALS.fetch_add(1, Ordering::SeqCst);
    if let Some(queue) = WAKES.get() {
        queue.wakeup();
    }
}

/// Runs this on a thread that is sent a signal every few milliseconds until it returns.
fn amid_signals<T: Send + 'static>(waits: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = mpsc::channel();
    let waiter = thread::spawn(move || {
        tell.send(this_thread()).unwrap();
        waits()
    });
    let thread = told.recv().unwrap();
    while !waiter.is_finished() {
        // clock: the pace of the signals
        thread::sleep(Duration::from_millis(5));
        send_signal(thread);
    }
    waiter.join().unwrap()
}

/// Waits until one returned interrupted, much sooner than by itself: by the signal.
fn soon(what: &str, mut wait: impl FnMut() -> bool) {
    let mut shortest = Duration::MAX;
    for _ in 0..20 {
        let start = Instant::now();
        assert!(wait(), "{what} was not interrupted");
        shortest = shortest.min(start.elapsed());
    }
    // clock: by itself each returns after 100 ms; one of twenty is enough
    assert!(shortest < Duration::from_millis(60), "{what}: {shortest:?}");
}

#[test]
fn a_signal_ends_every_interruptible_wait() {
    in_child_at("interrupts::a_signal_ends_every_interruptible_wait", &[], || {
        handle_signals(on_signal);
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(silence())));
        let queue = CompletionQueue::interruptible().unwrap();
        queue.submit_owned(Call::new(&client, hello()), false, 1).unwrap();
        let call = Call::new(&client, hello());
        call.make_interruptible().unwrap();
        call.start_to_wait(false).unwrap();
        let handled = Call::new(&client, hello());
        handled.make_interruptible().unwrap();
        handled.start_with(false, |_: Event| ControlFlow::Continue(())).unwrap();
        amid_signals(move || {
            soon("next", || matches!(queue.next(None).unwrap(), Next::Interrupted));
            let mut taken = Vec::new();
            soon("next_many", || {
                queue.next_many(9, LONG, &mut taken).unwrap() == Taken::Interrupted
            });
            soon("a pop", || call.pop_interruptible(LONG).unwrap().is_none());
            soon("a wait for the end", || handled.wait_over_interruptible(None).unwrap().is_none());
            // What was waited for went on.
            assert!(queue.cancel(1));
            call.cancel();
            handled.cancel();
            let Some(Pop::Event(Event::Done(Err(error)))) = call.pop_interruptible(LONG).unwrap()
            else {
                panic!("no end")
            };
            assert_eq!(error.kind(), ErrorKind::Cancelled);
            while handled.wait_over_interruptible(None).unwrap() != Some(true) {}
            loop {
                match queue.next(None).unwrap() {
                    Next::Event(1, Event::Done(_)) => break,
                    Next::Interrupted => {}
                    other => panic!("{other:?}"),
                }
            }
        });
        assert!(SIGNALS.load(Ordering::SeqCst) > 0);
    });
}

/// A signal that comes just before the wait wakes nobody: so the wait ends by itself, soon.
#[test]
fn an_interruptible_wait_is_never_long() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(silence())));
    let queue = CompletionQueue::interruptible().unwrap();
    let call = Call::new(&client, hello());
    call.make_interruptible().unwrap();
    call.start(false).unwrap();
    let start = Instant::now();
    assert!(matches!(queue.next(None).unwrap(), Next::Interrupted));
    assert!(call.pop_interruptible(None).unwrap().is_none());
    let waited = start.elapsed();
    // clock: bounds a hang; the waits end after a fraction of a second each
    assert!(waited < Duration::from_secs(60), "{waited:?}");
    assert!(waited >= Duration::from_millis(100), "it spins: {waited:?}");
    let short = Some(Duration::from_millis(30));
    assert!(matches!(queue.next(short).unwrap(), Next::Empty));
    assert!(matches!(call.pop_interruptible(short).unwrap(), Some(Pop::Empty)));
    let not = Call::new(&client, hello());
    not.start(false).unwrap();
    assert_eq!(not.pop_interruptible(NOW).unwrap_err().kind(), ErrorKind::Argument);
    not.wakeup(); // nothing
}

#[test]
fn a_wakeup_inside_a_signal_handler_wakes_the_waiting_thread() {
    in_child_at(
        "interrupts::a_wakeup_inside_a_signal_handler_wakes_the_waiting_thread",
        &[],
        || {
            handle_signals(on_signal);
            let queue = CompletionQueue::interruptible().unwrap();
            assert!(WAKES.set(queue.clone()).is_ok());
            // The handler runs on this thread, the wait is another's.
            for _ in 0..20 {
                let waiter = {
                    let queue = queue.clone();
                    thread::spawn(move || {
                        let start = Instant::now();
                        assert!(matches!(queue.next(None).unwrap(), Next::Interrupted));
                        start.elapsed()
                    })
                };
                send_signal(this_thread());
                let waited = waiter.join().unwrap();
                // clock: bounds a hang
                assert!(waited < Duration::from_secs(60), "{waited:?}");
            }
            // A wakeup is kept until it is taken, and makes the descriptor readable.
            while is_readable(queue.fd().unwrap()) {
                let _ = queue.next(NOW).unwrap();
            }
            send_signal(this_thread());
            assert!(is_readable(queue.fd().unwrap()));
            assert!(matches!(queue.next(NOW).unwrap(), Next::Interrupted));
            assert!(matches!(queue.next(NOW).unwrap(), Next::Empty));
            assert!(!is_readable(queue.fd().unwrap()));
            // A child's handler does not wake its parent.
            assert!(forked(|| send_signal(this_thread())));
            assert!(!is_readable(queue.fd().unwrap()));
        },
    );
}

#[test]
fn a_call_is_woken_from_another_thread() {
    let service = Service::start().unwrap();
    let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
    let call = Arc::new(Call::new(&client, hello()));
    call.make_interruptible().unwrap();
    call.start(true).unwrap();
    let mut events = 0;
    while events < 2 {
        match call.pop_interruptible(LONG).unwrap() {
            Some(Pop::Event(_)) => events += 1,
            None => {}
            other => panic!("{other:?}"),
        }
    }
    soon("one that was woken before, which sticks", || {
        call.wakeup();
        call.pop_interruptible(None).unwrap().is_none()
    });
    assert!(matches!(call.pop_interruptible(NOW).unwrap(), Some(Pop::Empty)));
}

fn is_readable(fd: Descriptor) -> bool {
    system::is_readable(fd, Duration::ZERO)
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// What stands behind a number, as the system names it.
fn kind_of(fd: Descriptor) -> String {
    fs::read_link(format!("/proc/self/fd/{fd}")).unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_queue_has_one_descriptor() {
    in_child_at("interrupts::a_queue_has_one_descriptor", &[], || {
        let before = descriptors();
        let plain = CompletionQueue::new(None);
        assert_eq!(descriptors(), before, "none before it is asked for");
        assert!(kind_of(plain.fd().unwrap()).contains("eventfd"));
        assert_eq!(descriptors(), before + 1);
        let interruptible = CompletionQueue::interruptible().unwrap();
        assert!(kind_of(interruptible.fd().unwrap()).contains("eventfd"));
        assert_eq!(descriptors(), before + 2);
        for interruptible in [false, true] {
            let options = QueueOptions { socket: true, interruptible, ..QueueOptions::default() };
            let queue = CompletionQueue::with(options).unwrap();
            assert!(kind_of(queue.fd().unwrap()).starts_with("socket:"));
            queue.wakeup();
            assert!(is_readable(queue.fd().unwrap()));
        }
        drop((plain, interruptible));
        assert_eq!(descriptors(), before);
    });
}

/// A loop that looks only while the descriptor is readable gets everything, of every kind of queue,
/// and does not spin.
#[test]
fn a_loop_at_the_descriptor_gets_everything() {
    let service = Service::start().unwrap();
    let client = client(service.base_url());
    for (interruptible, socket) in [(false, false), (false, true), (true, false), (true, true)] {
        let options = QueueOptions { interruptible, socket, ..QueueOptions::default() };
        let queue = CompletionQueue::with(options).unwrap();
        for tag in 0..20 {
            queue.submit_owned(Call::new(&client, hello()), true, tag).unwrap();
        }
        let (mut ended, mut looks) = (0, 0);
        eventually("all are over", || {
            while is_readable(queue.fd().unwrap()) {
                looks += 1;
                loop {
                    match queue.next(NOW).unwrap() {
                        Next::Event(_, Event::Done(outcome)) => {
                            outcome.unwrap();
                            ended += 1;
                        }
                        Next::Event(..) => {}
                        Next::Empty => break,
                        other => panic!("{other:?}"),
                    }
                }
            }
            ended == 20
        });
        assert!(!is_readable(queue.fd().unwrap()));
        assert!(looks < 5000, "{looks} looks for 20 calls");
        queue.close();
        assert!(is_readable(queue.fd().unwrap()));
        assert!(matches!(queue.next(NOW).unwrap(), Next::Closed));
    }
}
