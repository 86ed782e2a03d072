//! The cap on connections: calls beyond it wait in order, under timeouts of their own, and take the
//! first connection that gets idle.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use modelwire::{Call, Client, Config, Error, ErrorKind, Event, Limits, Metered, Pop};
use modelwire::{Request, TimeoutPhase, Timeouts, log};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{CHAT_ANSWER, WAYS, block_on, client, config, eventually, hello, silence};
use crate::system::{limit_descriptors, shorten_queue};

const SHORT: Duration = Duration::from_millis(300);
/// Far beyond every bound of these tests.
const LONG: Duration = Duration::from_secs(30);

fn capped(base_url: String, connections_max: usize) -> Config {
    config(base_url).limits(Limits::default().connections_max(connections_max))
}

/// An answer after a pause.
fn late(pause: Duration) -> Exchange {
    let answer = Exchange::json(200, CHAT_ANSWER);
    Exchange { steps: [vec![Step::Pause(pause)], answer.steps].concat() }
}

/// So many calls, started at once, in this order.
fn started(client: &Client, calls: usize, stream: bool) -> Vec<Call> {
    let start = |number: usize| {
        let call = Call::new(client, Request::chat("echo").user(&format!("number {number}.")));
        call.start(stream).unwrap();
        call
    };
    (0..calls).map(start).collect()
}

/// The end of a call.
fn end_of(call: &Call) -> Result<(), Error> {
    loop {
        match call.pop(Some(LONG)).unwrap() {
            Pop::Event(Event::Done(outcome)) => return outcome.map(drop),
            Pop::Event(Event::Open(_) | Event::Chunk(_)) => {}
            other @ (Pop::Empty | Pop::End) => panic!("{other:?}"),
        }
    }
}

/// How many connections wait for later calls, and for how long, are bounds.
#[test]
fn idle_connections_are_bounded() {
    const CALLS: u64 = 4;
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(late(Duration::from_millis(200))));
    for (limits, least, most) in [
        (Limits::default().idle_connection_ms_max(60_000), CALLS, CALLS),
        (Limits::default().idle_connection_ms_max(60_000).idle_connections_max(1), 1, 1),
        (Limits::default().idle_connection_ms_max(1), 0, 0),
    ] {
        let client = Client::new(config(&base_url).limits(limits)).unwrap();
        let before = service.connections();
        let calls = started(&client, CALLS as usize, false);
        calls.iter().for_each(|call| end_of(call).unwrap());
        // Where the machine stalls, a call may follow another one on its connection.
        let least = least.min(service.connections() - before);
        eventually("the others are closed", || service.open_connections() <= most);
        // clock: they stay, however long it is waited for
        std::thread::sleep(SHORT);
        assert!(service.open_connections() >= least, "{limits:?}");
        drop((calls, client));
        eventually("all are closed", || service.open_connections() == 0);
    }
}

#[test]
fn many_calls_share_few_connections() {
    const MAX: usize = 8;
    for stream in [false, true] {
        let service = Service::start().unwrap();
        let client = Client::new(capped(service.base_url(), MAX)).unwrap();
        let calls = started(&client, 400, stream);
        calls.iter().for_each(|call| end_of(call).unwrap());
        assert_eq!(client.usage()["echo"].calls, 400);
        // A server that has not shown that it keeps connections is given a few fresh ones.
        let connections = service.connections();
        assert!(connections <= 2 * MAX as u64, "{connections} connections for {MAX} at once");
    }
}

#[test]
fn calls_wait_in_their_order() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(late(Duration::from_millis(5))));
    let client = Client::new(capped(base_url, 1)).unwrap();
    let calls = started(&client, 30, false);
    calls.iter().for_each(|call| end_of(call).unwrap());
    let asked: Vec<String> = service
        .recorded("s")
        .iter()
        .map(|request| {
            let body = String::from_utf8_lossy(&request.body).into_owned();
            body.split("number ").nth(1).unwrap().split('.').next().unwrap().to_owned()
        })
        .collect();
    let expected: Vec<String> = (0..30).map(|number: usize| number.to_string()).collect();
    assert_eq!(asked, expected);
}

fn check(error: &Error, phase: TimeoutPhase, named: &[&str]) {
    assert_eq!((error.kind(), error.timeout()), (ErrorKind::Timeout, Some(phase)), "{error:?}");
    assert_eq!((error.metered(), error.attempts()), (Metered::NotSent, 0), "{error:?}");
    // clock: bounds a hang
    assert!(error.elapsed() >= SHORT && error.elapsed() < LONG, "{error:?}");
    for name in named {
        assert!(error.message().contains(name), "{name:?} in {error:?}");
    }
}

/// A wait for a connection has a timeout of its own, and nothing was sent.
#[test]
fn a_wait_for_a_connection_has_its_own_timeout() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(silence()));
    let pool = Timeouts::default().pool(Some(SHORT));
    let total = Timeouts::default().total(Some(SHORT));
    for (timeouts, phase) in [(pool, TimeoutPhase::Pool), (total, TimeoutPhase::Total)] {
        let client = Client::new(capped(base_url.clone(), 1)).unwrap();
        let before = service.recorded("s").len();
        let first = started(&client, 1, false);
        eventually("sent", || service.recorded("s").len() == before + 1);
        let hello = || match phase {
            TimeoutPhase::Pool => hello().pool_timeout(timeouts.pool),
            _ => hello().total_timeout(timeouts.total),
        };
        for way in WAYS {
            let named = [phase.name(), "300 ms", "connections_max = 1"];
            let error = way.send(&client, hello()).unwrap_err();
            check(&error, phase, &named);
            assert!(error.hint().contains("connections_max"), "{error:?}");
            check(way.read(&client, hello()).error(), phase, &named);
        }
        assert_eq!(service.recorded("s").len(), before + 1, "nothing more was sent");
        drop(first);
    }
    // The same for a whole client.
    let client = Client::new(capped(base_url, 1).timeouts(pool)).unwrap();
    let _first = started(&client, 1, false);
    eventually("sent", || service.recorded("s").len() == 3);
    check(&WAYS[0].send(&client, hello()).unwrap_err(), TimeoutPhase::Pool, &["pool_timeout"]);
}

#[test]
fn a_wait_that_is_cancelled_leaves_its_place_to_the_next() {
    let service = Service::start().unwrap();
    let stuck = service.script("s", Script::sequence(vec![silence(), late(Duration::ZERO)]));
    let client = Client::new(capped(stuck, 1)).unwrap();
    let calls = started(&client, 4, false);
    eventually("sent", || service.recorded("s").len() == 1);
    calls[1].cancel();
    assert_eq!(end_of(&calls[1]).unwrap_err().kind(), ErrorKind::Cancelled);
    calls[0].cancel(); // which gives its connection back
    end_of(&calls[2]).unwrap();
    end_of(&calls[3]).unwrap();
    assert_eq!(service.recorded("s").len(), 3);
}

/// A wait between two attempts holds no connection.
#[test]
fn a_call_that_waits_to_try_again_leaves_its_connection_to_others() {
    let service = Service::start().unwrap();
    let busy = Exchange::json_with_headers(429, &[("Retry-After", "1")], "{}");
    let script = Script::sequence(vec![busy, late(Duration::ZERO)]);
    let client = Client::new(capped(service.script("s", script), 1)).unwrap();
    let calls = started(&client, 2, false);
    calls.iter().for_each(|call| end_of(call).unwrap());
    let asked: Vec<bool> = service
        .recorded("s")
        .iter()
        .map(|request| String::from_utf8_lossy(&request.body).contains("number 1."))
        .collect();
    assert_eq!(asked, [false, true, false], "the other one's turn is while the first one waits");
}

/// However many calls are made at once, the process keeps half of its descriptors.
#[test]
fn connections_take_no_more_than_half_of_the_descriptors() {
    let service = Service::start().unwrap();
    let base_url = service.script("slow", Script::one(late(Duration::from_millis(20))));
    let path = "transport::cap::connections_take_no_more_than_half_of_the_descriptors";
    let variables = [("MODELWIRE_BASE_URL", base_url.as_str()), ("MODELWIRE_API_KEY", "sk-test")];
    in_child_at(path, &variables, || {
        limit_descriptors(128);
        // Two clients: what they have together counts.
        let clients = [Client::from_env().unwrap(), Client::from_env().unwrap()];
        let calls: Vec<Call> =
            clients.iter().flat_map(|client| started(client, 300, false)).collect();
        let mut most = 0;
        for call in &calls {
            loop {
                most = most.max(std::fs::read_dir("/proc/self/fd").unwrap().count());
                match call.pop(Some(Duration::from_millis(1))).unwrap() {
                    Pop::Event(Event::Done(outcome)) => break drop(outcome.unwrap()),
                    Pop::Event(Event::Open(_) | Event::Chunk(_)) | Pop::Empty => {}
                    Pop::End => panic!("ended without Done"),
                }
            }
        }
        assert!(most < 100, "{most} of 128 descriptors were in use");
    });
}

/// Streams that nobody reads keep their connections; plain calls of another client go on.
#[test]
fn the_cap_is_of_one_client() {
    let service = Service::start().unwrap();
    let stuck = Client::new(capped(service.script("s", Script::one(silence())), 2)).unwrap();
    let _calls = started(&stuck, 10, true);
    let other = client(service.base_url());
    block_on(other.send(hello())).unwrap();
    assert!(service.recorded("s").len() <= 2);
}

#[test]
fn waits_for_a_connection_are_in_the_log() {
    in_child_at("transport::cap::waits_for_a_connection_are_in_the_log", &[], || {
        log::start(log::Level::Debug).unwrap();
        let service = Service::start().unwrap();
        let script = Script::sequence(vec![silence(), late(Duration::ZERO)]);
        let client = Client::new(capped(service.script("s", script), 1)).unwrap();
        let mut said: Vec<String> = Vec::new();
        let mut is_said = |expected: &[&str]| {
            let records = log::take(usize::MAX, Duration::ZERO).unwrap();
            said.extend(records.iter().map(|record| record.message.clone()));
            said.iter().any(|said| expected.iter().all(|part| said.contains(part)))
        };
        let calls = started(&client, 1, false);
        eventually("sent", || service.recorded("s").len() == 1);
        let second = started(&client, 1, false);
        eventually("the wait is said", || is_said(&["waiting for one", "connections_max=1"]));
        calls[0].cancel(); // which gives its connection back
        end_of(&second[0]).unwrap();
        assert!(is_said(&["is free", "waited_ms="]), "{said:#?}");
    });
}

/// A call that finds no idle connection begins one, and may get another meanwhile: what was begun is
/// capped, too. The server takes one connection, and leaves all others without an answer.
#[test]
fn connections_that_are_being_opened_are_capped() {
    const MAX: usize = 4;
    in_child_at("transport::cap::connections_that_are_being_opened_are_capped", &[], || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        shorten_queue(&listener);
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 4096];
            while stream.read(&mut bytes).unwrap_or(0) > 0 {
                let head = "HTTP/1.1 200 OK\r\nContent-Length:";
                let _ = write!(stream, "{head} {}\r\n\r\n{CHAT_ANSWER}", CHAT_ANSWER.len());
            }
        });
        let client = Client::new(capped(base_url, MAX)).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let callers: Vec<_> = (0..2 * MAX)
            .map(|_| {
                let (client, is_over) = (client.clone(), is_over.clone());
                std::thread::spawn(move || {
                    while !is_over.load(Ordering::SeqCst) {
                        let hello = hello().total_timeout(Some(Duration::from_secs(5)));
                        let _ = client.blocking().send(hello);
                    }
                })
            })
            .collect();
        let calls = || client.usage().values().map(|sum| sum.calls).sum::<u64>();
        let (mut most, mut looks) = (0, 0);
        eventually("200 looks, and a call is answered", || {
            // clock: between two looks
            std::thread::sleep(Duration::from_millis(5));
            looks += 1;
            let links = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
            let targets = links.filter_map(|link| std::fs::read_link(link.path()).ok());
            let sockets = targets.filter(|target| target.to_string_lossy().starts_with("socket:"));
            most = most.max(sockets.count());
            looks >= 200 && calls() > 0
        });
        is_over.store(true, Ordering::SeqCst);
        let calls = calls();
        // In use, idle, being opened, and the server's own two and the runtime's.
        assert!(most <= 3 * MAX + 6, "{most} sockets for {MAX} connections after {calls} calls");
        drop(client);
        callers.into_iter().for_each(|caller| caller.join().unwrap());
        drop(server); // ends with the process
    });
}
