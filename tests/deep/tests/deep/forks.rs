//! Forks and shutdowns while calls are under way, many times over.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use modelwire::{
    Call, Client, Error, ErrorKind, Event, Pop, Timeouts, shutdown, shutdown_for_good,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::programs::certificates;
use crate::secure::{Fault, secure};
use crate::support::{config, eventually, hello, in_child, is_child, piece, works};

const FORKS: usize = 50;
const THREADS: usize = 6;
/// A child that takes longer hangs, and its alarm ends it.
const CHILD_SECONDS_MAX: u32 = 60;
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs `child` in a forked process that has so many seconds; its id.
fn begin_fork(seconds_max: u32, child: impl FnOnce()) -> libc::pid_t {
    // SAFETY: the child uses the library under test, which promises to work there, and leaves
    // through _exit. Only this thread lives on in it.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "no fork");
    if id == 0 {
        // SAFETY: no handler is installed; the default action ends the process.
        unsafe { libc::alarm(seconds_max) };
        let outcome = catch_unwind(AssertUnwindSafe(child));
        // SAFETY: leaves at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    id
}

/// The exit status of a forked process as the system tells it.
fn end_of_fork(id: libc::pid_t) -> libc::c_int {
    let mut status = 0;
    // SAFETY: `status` is ours; `id` is our child.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    status
}

/// Runs `child` in a forked process; how it ended.
fn forked(child: impl FnOnce()) -> libc::c_int {
    end_of_fork(begin_fork(CHILD_SECONDS_MAX, child))
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
fn forks_and_shutdowns_during_calls_end_every_call() {
    in_child("forks::forks_and_shutdowns_during_calls_end_every_call", &[], || {
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
                works(&client); // afresh
                assert!(shutdown_for_good(PATIENCE), "the child's I/O thread is gone");
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

/// What the process that forks finds its server by.
const URL: &str = "MODELWIRE_TEST_URL";

/// Design: a fork while another thread reads the system's certificates, which takes long, leaves a
/// child that reads them itself.
#[test]
fn forks_during_the_first_https_call() {
    let name = "forks::forks_during_the_first_https_call";
    if is_child() {
        in_child(name, &[], fork_while_certificates_are_read);
        return;
    }
    let made = certificates();
    let server = secure(&made, ANSWER, Fault::Close);
    // Reading so many takes about half a second, where nothing is optimized.
    let store = made.folder.write("store.pem", &made.pem("ca").repeat(CERTIFICATES));
    let variables =
        [("SSL_CERT_FILE", store.as_str()), ("SSL_CERT_DIR", ""), (URL, server.url.as_str())];
    in_child(name, &variables, || {});
}

const CERTIFICATES: usize = 12_000;
const ANSWER: &str = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 16\r\n\r\n\
                      {\"choices\":[{}]}";

fn fork_while_certificates_are_read() {
    const CHILDREN: usize = 12;
    const GAP: Duration = Duration::from_millis(25);
    const CHILD_SECONDS: u32 = 20;
    let url = std::env::var(URL).unwrap();
    let call = move |seconds: u64| {
        let bound = Some(Duration::from_secs(seconds));
        let timeouts =
            Timeouts::OFF.pool(bound).connect(bound).first_byte(bound).idle(bound).total(bound);
        let client = Client::new(config(&url).timeouts(timeouts)).unwrap();
        client.blocking().send(hello())
    };
    let (begin, begun) = std::sync::mpsc::channel();
    let first = {
        let call = call.clone();
        std::thread::spawn(move || {
            begin.send(()).unwrap();
            call(60)
        })
    };
    begun.recv().unwrap();
    let start = Instant::now();
    let mut during = 0;
    let children: Vec<libc::pid_t> = (0..CHILDREN)
        .map(|_| {
            // clock: the pace of what happens beside
            std::thread::sleep(GAP);
            during += usize::from(!first.is_finished());
            begin_fork(CHILD_SECONDS, || {
                let outcome = call(5);
                let timed_out = |error: &Error| error.kind() == ErrorKind::Timeout;
                // On a machine that is busy enough any timeout may run out.
                assert!(outcome.as_ref().err().is_none_or(timed_out), "{outcome:?}");
            })
        })
        .collect();
    let statuses: Vec<libc::c_int> = children.into_iter().map(end_of_fork).collect();
    println!("\nmeasured: {CHILDREN} children in {:?}, {during} in time", start.elapsed());
    first.join().unwrap().unwrap();
    assert!(during > 0, "no fork fell into the first call");
    let hung = statuses.iter().filter(|status| **status != 0).count();
    assert_eq!(hung, 0, "of {CHILDREN} children that never ended: {statuses:?}");
}
