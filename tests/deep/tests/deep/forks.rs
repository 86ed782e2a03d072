//! Forks and shutdowns while calls are under way, many times over. Knows no TLS.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use modelwire::{Call, Client, ErrorKind, Event, Pop, shutdown};
use modelwire_service::{Exchange, Script, Service, Step};

use crate::support::{config, eventually, hello, in_child, piece, works};

const FORKS: usize = 50;
const THREADS: usize = 6;
/// A child that takes longer hangs, and its alarm ends it.
const CHILD_SECONDS_MAX: u32 = 60;
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs `child` in a forked process; its exit status as the system tells it.
fn forked(child: impl FnOnce()) -> libc::c_int {
    // SAFETY: the child uses the library under test, which promises to work there, and leaves
    // through _exit. Only this thread lives on in it.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "no fork");
    if id == 0 {
        // SAFETY: no handler is installed; the default action ends the process.
        unsafe { libc::alarm(CHILD_SECONDS_MAX) };
        let outcome = catch_unwind(AssertUnwindSafe(child));
        // SAFETY: leaves at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    let mut status = 0;
    // SAFETY: `status` is ours; `id` is our child.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    status
}

/// Calls that are in mid-stream and stay there.
fn held(client: &Client, count: usize) -> Vec<Call> {
    let open = |_| {
        let call = Call::new(client, hello());
        call.start(true).unwrap();
        assert!(matches!(call.pop(Some(PATIENCE)), Ok(Pop::Event(Event::Open(_)))));
        assert!(matches!(call.pop(Some(PATIENCE)), Ok(Pop::Event(Event::Chunk(_)))));
        call
    };
    (0..count).map(open).collect()
}

fn ends_with(call: &Call, kind: ErrorKind) {
    match call.pop(Some(PATIENCE)) {
        Ok(Pop::Event(Event::Done(Err(error)))) => assert_eq!(error.kind(), kind, "{error:?}"),
        other => panic!("a call has to end, not {}", other.is_ok()),
    }
}

/// Design: locks that other threads hold at the fork are never touched by the child; every started
/// call ends, whatever happens.
#[test]
fn forks_and_shutdowns_amid_calls() {
    in_child("forks::forks_and_shutdowns_amid_calls", &[], || {
        let service = Service::start().unwrap();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let first = format!("{head}data: {}\n\n", piece("a"));
        let stalled = Exchange { steps: vec![Step::send(first), Step::StallForever] };
        let stalling = Client::new(config(service.script("s", Script::one(stalled)))).unwrap();
        let client = Client::new(config(service.base_url())).unwrap();
        let (stop, rounds) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let traffic: Vec<_> = (0..THREADS)
            .map(|_| {
                let (client, stop, rounds) = (client.clone(), stop.clone(), rounds.clone());
                std::thread::spawn(move || {
                    while !stop.load(Ordering::SeqCst) {
                        works(&client);
                        rounds.fetch_add(1, Ordering::SeqCst);
                    }
                })
            })
            .collect();
        let parents = held(&stalling, 10);
        for round in 0..FORKS {
            let status = forked(|| {
                assert_eq!(parents[0].try_pop().unwrap_err().kind(), ErrorKind::Forked);
                works(&client);
                let own = held(&stalling, 10);
                assert!(shutdown(PATIENCE), "the child's I/O thread is gone");
                own.iter().for_each(|call| ends_with(call, ErrorKind::Shutdown));
                let late = client.blocking().send(hello()).unwrap_err();
                assert_eq!(late.kind(), ErrorKind::Shutdown);
            });
            assert_eq!(status, 0, "fork {round}");
        }
        eventually("the parent's calls go on", || rounds.load(Ordering::SeqCst) > THREADS);
        assert!(parents.iter().all(|call| matches!(call.try_pop(), Ok(Pop::Empty))));
        stop.store(true, Ordering::SeqCst);
        traffic.into_iter().for_each(|thread| thread.join().unwrap());
        println!("\nmeasured: {} rounds beside {FORKS} forks", rounds.load(Ordering::SeqCst));
        assert!(shutdown(PATIENCE), "the I/O thread is gone");
        parents.iter().for_each(|call| ends_with(call, ErrorKind::Shutdown));
    });
}
