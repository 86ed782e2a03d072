//! Whether `metered` is true of calls that end at any moment: a service counts which requests reached it, and
//! no call may say `not_sent` of one that did. `TEST_CALLS` sets about how many calls are made in all (20,000
//! by default; 1,000,000 by hand), `TEST_SEED` the moments at which they end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod service;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use modelwire::{
    BaseUrl, Call, Client, CompletionQueue, Config, ErrorKind, Event, Limits, Metered, Next, Pop,
    Request, RetryPolicy, Timeouts, shutdown,
};

use crate::service::Counting;

const LONG: Duration = Duration::from_secs(60);
/// Connections that are open before calls begin: a request is written at once on those.
const WARM: u64 = 4;
/// Calls of one round, which a close or a shutdown ends.
const ROUND: u64 = 16;

/// A shutdown ends the calls of the whole process: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |number| number.parse().unwrap())
}

fn seed() -> u64 {
    number("TEST_SEED", 17)
}

/// This part of all calls, in percent.
fn calls(percent: u64) -> u64 {
    (number("TEST_CALLS", 20_000) * percent / 100).max(ROUND)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new(stream: u64) -> Random {
        Random(seed() ^ (stream << 32))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Of every size up to about a quarter of a millisecond as often.
    fn moment(&mut self) -> Duration {
        let size = 8 + self.next() % 11;
        Duration::from_nanos(self.next() % (1 << size))
    }
}

fn spin(length: Duration) {
    let begun = Instant::now();
    while begun.elapsed() < length {
        std::hint::spin_loop();
    }
}

/// What calls tell and what the service received of them.
struct Book {
    service: Counting,
    next: AtomicU64,
    told: Mutex<HashMap<u64, (Metered, u64)>>,
}

/// What a test found, beside that nothing of it is wrong.
#[derive(Debug, Default)]
struct Found {
    not_sent: u64,
    received: u64,
}

impl Book {
    fn new() -> Book {
        let (next, told) = (AtomicU64::new(1), Mutex::default());
        Book { service: Counting::start(), next, told }
    }

    fn config(&self) -> Config {
        Config::new().base_url(self.service.base_url()).api_key("sk-test")
    }

    fn client(&self, config: Config) -> (Client, CompletionQueue) {
        let client = Client::new(config).unwrap();
        let records = CompletionQueue::new(None);
        client.follow_calls(&records, Some(0)).unwrap();
        (client, records)
    }

    /// A call that is known by its number.
    fn request(&self) -> Request {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        Request::chat("echo").user("Hello.").query("id", id.to_string()).tag(id)
    }

    /// Opens connections.
    fn warm(&self, client: &Client) {
        let calls: Vec<_> = (0..WARM).map(|_| Call::new(client, self.request())).collect();
        calls.iter().for_each(|call| call.start(false).unwrap());
        assert!(calls.iter().all(|call| end_of(call).is_none()));
    }

    fn note(&self, records: &CompletionQueue) {
        while let Next::Call(_, ended) = records.next(Some(Duration::ZERO)).unwrap() {
            assert_eq!(ended.dropped, 0);
            let attempts = ended.record.attempts_count();
            let ended_as = (ended.record.metered(), attempts);
            let earlier = self.told.lock().unwrap().insert(ended.tag, ended_as);
            assert!(earlier.is_none(), "call {} ended twice", ended.tag);
        }
    }

    /// Compares, once no client has a connection any more.
    fn close(self) -> Found {
        let received = self.service.settled();
        let told = self.told.into_inner().unwrap();
        let mut found = Found { received: received.len() as u64, ..Found::default() };
        let wrong: Vec<_> = received
            .iter()
            .filter(|(id, count)| match told.get(id) {
                Some((metered, attempts)) => *metered == Metered::NotSent || **count > *attempts,
                None => true,
            })
            .map(|(id, count)| format!("call {id} came {count} times, told {:?}", told.get(id)))
            .collect();
        found.not_sent =
            told.values().filter(|(metered, _)| *metered == Metered::NotSent).count() as u64;
        println!("measured: of {} calls {found:?}, {} wrong", told.len(), wrong.len());
        assert!(wrong.is_empty(), "TEST_SEED={}: {} wrong: {wrong:?}", seed(), wrong.len());
        found
    }
}

impl Found {
    /// Ends fell before the sending of some and after that of others.
    fn is_of_both(&self) {
        assert!(self.not_sent > 0 && self.received > 0, "{self:?} shows nothing");
    }
}

/// How a call ended; its error says of `metered` what its record does.
fn end_of(call: &Call) -> Option<ErrorKind> {
    loop {
        match call.pop(Some(LONG)).unwrap() {
            Pop::Event(Event::Done(Ok(_))) | Pop::End => return None,
            Pop::Event(Event::Done(Err(error))) => {
                let record = error.record().unwrap();
                assert_eq!(error.metered(), record.metered());
                assert_eq!(u64::from(error.attempts()), record.attempts_count());
                return Some(error.kind());
            }
            Pop::Event(Event::Open(_) | Event::Chunk(_)) => {}
            Pop::Empty => panic!("a call does not end"),
        }
    }
}

/// Calls that are cancelled at any moment after their start: by a cancel, or by dropping them.
fn cancels(
    book: &Book,
    client: &Client,
    records: &CompletionQueue,
    count: u64,
    random: &mut Random,
) {
    for each in 0..count {
        let moment = random.moment();
        let request = book.request();
        match random.next() % 4 {
            0 => {
                let mut future = Box::pin(client.send(request));
                let _ = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                spin(moment);
            }
            1 => {
                let call = Call::new(client, request);
                call.start(true).unwrap();
                spin(moment);
            }
            _ => {
                let call = Call::new(client, request);
                call.start(false).unwrap();
                spin(moment);
                call.cancel();
                let kind = end_of(&call);
                assert!(matches!(kind, None | Some(ErrorKind::Cancelled)), "{kind:?}");
            }
        }
        if each % WARM == 0 {
            book.note(records);
            // A cancelled call takes its connection with it.
            assert_eq!(client.blocking().send(book.request()).unwrap().text(), "Yes.");
        }
    }
    book.note(records);
}

/// A cancel beside the sending of a request.
#[test]
fn a_cancelled_call_that_was_sent_is_not_reported_as_not_sent() {
    let _alone = alone();
    let book = Book::new();
    let (client, records) = book.client(book.config());
    cancels(&book, &client, &records, calls(40), &mut Random::new(1));
    client.close(None).unwrap();
    book.close().is_of_both();
}

/// The same on a runtime of the program's own, with several threads.
#[test]
fn a_call_cancelled_on_another_runtime_is_not_reported_as_not_sent() {
    let _alone = alone();
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    let book = Book::new();
    let (client, records) = book.client(book.config().runtime(runtime.handle().clone()));
    cancels(&book, &client, &records, calls(10), &mut Random::new(2));
    client.close(None).unwrap();
    drop(client);
    drop(runtime);
    book.close().is_of_both();
}

/// A deadline, and a wait for a connection that ends, beside the sending of a request.
#[test]
fn a_timed_out_call_that_was_sent_is_not_reported_as_not_sent() {
    const THREADS: u64 = 4;
    let _alone = alone();
    let book = Book::new();
    let mut limits = Limits::default();
    limits.connections_max = 2;
    let (client, records) = book.client(book.config().limits(limits));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (book, client, records) = (&book, client.clone(), &records);
            scope.spawn(move || {
                let mut random = Random::new(10 + thread);
                for _ in 0..calls(15) / THREADS {
                    let bound = Some(random.moment() * 8 + Duration::from_micros(1));
                    let request = match random.next() % 4 {
                        0 => book.request().pool_timeout(bound),
                        1 => book.request().first_byte_timeout(bound),
                        _ => book.request().total_timeout(bound),
                    };
                    if let Err(error) = client.blocking().send(request) {
                        assert_eq!(error.kind(), ErrorKind::Timeout, "{error}");
                    }
                    if thread == 0 {
                        book.note(records);
                    }
                }
            });
        }
    });
    book.note(&records);
    client.close(None).unwrap();
    book.close().is_of_both();
}

/// Rounds of calls that are started while another thread ends them all with this.
fn rounds(book: &Book, count: u64, random: &mut Random, end: impl Fn(&Client) + Sync) {
    for _ in 0..count / (WARM + ROUND) {
        let (client, records) = book.client(book.config().timeouts(Timeouts::default()));
        book.warm(&client);
        let moment = random.moment() * 8;
        std::thread::scope(|scope| {
            let (client, end) = (&client, &end);
            let ends = scope.spawn(move || {
                spin(moment);
                end(client);
            });
            let calls: Vec<_> = (0..ROUND)
                .map(|_| Call::new(client, book.request()))
                .filter(|call| call.start(false).is_ok())
                .collect();
            for call in &calls {
                let _ = end_of(call);
            }
            ends.join().unwrap();
        });
        client.close(None).unwrap();
        book.note(&records);
    }
}

/// The close of the client beside the sending of requests.
#[test]
fn a_call_sent_before_a_close_is_not_reported_as_not_sent() {
    let _alone = alone();
    let book = Book::new();
    rounds(&book, calls(15), &mut Random::new(3), |client| assert!(client.close(None).unwrap()));
    book.close().is_of_both();
}

/// A shutdown of the library beside the sending of requests.
#[test]
fn a_call_sent_before_a_shutdown_is_not_reported_as_not_sent() {
    let _alone = alone();
    let book = Book::new();
    rounds(&book, calls(15), &mut Random::new(4), |_| assert!(shutdown(LONG)));
    book.close().is_of_both();
}

/// Several services that refuse, close, cut, lie, hang and do not exist, at random: no call is sent again, to
/// whichever of them, once one may have processed it.
#[test]
fn a_call_to_several_services_is_never_paid_twice() {
    const IN_A_ROUND: u64 = 25; // a new client has no service that rests
    let _alone = alone();
    let services: Vec<_> = (0..3).map(|each| Counting::with_moods(seed() + (each << 40))).collect();
    let nobody = "127.0.0.1:9"; // a port that was free a moment ago may be another test's by now
    let urls: Vec<_> = services.iter().map(Counting::base_url).collect();
    let mut told = HashMap::new();
    let mut random = Random::new(7);
    let total = calls(20);
    for round in 0..total / IN_A_ROUND {
        let mut urls: Vec<_> = urls.iter().map(BaseUrl::new).collect();
        urls.insert((random.next() % 4) as usize, BaseUrl::new(format!("http://{nobody}/v1")));
        urls.rotate_left((random.next() % 4) as usize);
        let retry = RetryPolicy::default().first_wait(Duration::from_micros(1));
        let retry = retry.max_retries(u32::from(round % 8 == 0)).adaptive(round % 5 == 0);
        let timeouts = Timeouts::default().first_byte(Duration::from_millis(20));
        let config = Config::new().api_key("sk-test").base_urls(urls).balance(round % 2 == 0);
        let client = Client::new(config.retry(retry).timeouts(timeouts)).unwrap();
        for each in 0..IN_A_ROUND {
            let id = round * IN_A_ROUND + each;
            let request = Request::chat("echo").user("Hello.").query("id", id.to_string());
            let (is_ok, record) = match client.blocking().send(request) {
                Ok(answer) => (true, answer.record().cloned()),
                Err(error) => (false, error.record().cloned()),
            };
            told.insert(id, (is_ok, record.unwrap()));
        }
        client.close(None).unwrap();
    }
    let mut received = HashMap::<u64, [u64; 2]>::new();
    for service in &services {
        for (all, which) in [(service.settled(), 0), (service.refused(), 1)] {
            all.into_iter().for_each(|(id, count)| received.entry(id).or_default()[which] += count);
        }
    }
    let (mut moved, mut paid) = (0, 0);
    for (id, (is_ok, record)) in &told {
        let [came, refused] = received.get(id).copied().unwrap_or_default();
        let may_be_paid = came - refused;
        assert!(may_be_paid <= 1, "call {id} came {came} times: {record:?}");
        assert!(!is_ok || may_be_paid == 1, "call {id} has no answer: {record:?}");
        assert!(came == 0 || record.metered() != Metered::NotSent, "call {id}: {record:?}");
        assert!(came <= record.attempts_count(), "call {id} came {came} times: {record:?}");
        moved += u64::from(record.attempts_count() > 1);
        paid += may_be_paid;
    }
    println!("measured: of {} calls {moved} moved on, {paid} may have been paid", told.len());
    assert!(moved > 0 && paid > 0);
}

/// Forks beside calls that are cancelled; and a child does not say `not_sent` of a call of its parent.
#[cfg(unix)]
#[test]
fn a_call_sent_during_a_fork_is_not_reported_as_not_sent() {
    let _alone = alone();
    let book = Book::new();
    let (client, records) = book.client(book.config());
    let total = calls(5);
    let mut random = Random::new(5);
    std::thread::scope(|scope| {
        let (book, client, records) = (&book, &client, &records);
        let cancels =
            scope.spawn(move || cancels(book, client, records, total, &mut Random::new(6)));
        let mut forks = 0;
        while forks < total / 50 || !cancels.is_finished() {
            spin(random.moment());
            let call = Call::new(client, book.request());
            call.start(false).unwrap();
            let is_right = forked(|| {
                let error = call.try_pop().unwrap_err();
                assert_eq!((error.kind(), error.metered()), (ErrorKind::Forked, Metered::Unknown));
            });
            assert!(is_right, "TEST_SEED={}: the child failed", seed());
            assert_eq!(end_of(&call), None);
            forks += 1;
        }
    });
    book.note(&records);
    client.close(None).unwrap();
    book.close().is_of_both();
}

/// Whether what a child does is right.
#[cfg(unix)]
fn forked(child: impl FnOnce()) -> bool {
    // SAFETY: the child uses the library under test, which promises to work there, and leaves
    // through _exit. Only this thread lives on in it.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "no fork");
    if id == 0 {
        // SAFETY: no handler is installed; the default action ends a child that hangs.
        unsafe { libc::alarm(30) };
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
        // SAFETY: leaves at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    let mut status = 0;
    // SAFETY: `status` is ours; `id` is our child.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}
