//! Answers that are large, dense or without an end hold up nobody's I/O and fill no memory. Each
//! runs in a process of its own, beside plain calls to a good service.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use modelwire::{Client, Config, Error, ErrorKind, Limits, Result, TimeoutPhase, Timeouts};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::processes::in_child_at;
use crate::support::{
    DONE, Way, block_on, client, config, event, finish, hello, http_chunk, opening, piece, respond,
    stream_head,
};
use crate::system::{io_thread_ran, memory};

/// How long the I/O thread may work while a plain call to a good service, which takes 2 ms, waits
/// for it. On a processor, so that a busy machine makes no difference.
const HELD_UP_MAX: Duration = Duration::from_millis(400);
/// And how long such a call may take, on the busiest machine.
const CALL_MAX: Duration = Duration::from_secs(30);
/// More memory at the peak than before.
const GROWTH_MAX: usize = 150 << 20;
/// Whatever is read is over by then.
const LATE: Duration = Duration::from_secs(120);
const OFF: Timeouts = Timeouts::OFF;
/// As good as endless.
const FOR_EVER: usize = 1 << 28;
const MIB: usize = 1 << 20;

/// In a process of its own, one such process at a time.
fn alone(name: &str, test: impl FnOnce()) {
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    in_child_at(&format!("transport::endless::{name}"), &[], test);
}

/// What calls to a good service met meanwhile.
#[derive(Debug, Default)]
struct Met {
    /// The longest that the I/O thread worked during one of them.
    worked: Duration,
    /// The longest that one of them took.
    took: Duration,
    /// More memory at the peak than before, in bytes.
    growth: usize,
}

/// Does this while another thread makes one plain call after another to a good service, on the I/O
/// thread; what was done, and what these calls met.
fn beside<T>(work: impl FnOnce() -> T) -> (T, Met) {
    struct Over<'a>(&'a AtomicBool);
    impl Drop for Over<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let service = Service::start().unwrap();
    let good = client(service.base_url());
    let call = |met: &mut Met| {
        let (start, before) = (Instant::now(), io_thread_ran());
        block_on(good.send(hello())).unwrap();
        met.took = met.took.max(start.elapsed());
        met.worked = met.worked.max(io_thread_ran() - before);
    };
    block_on(good.send(hello())).unwrap(); // the I/O thread is there
    (0..10).for_each(|_| call(&mut Met::default()));
    let before = memory().1;
    let is_over = AtomicBool::new(false);
    let (done, mut met) = thread::scope(|scope| {
        let over = Over(&is_over);
        let neighbour = scope.spawn(|| {
            let mut met = Met::default();
            while !is_over.load(Ordering::SeqCst) {
                call(&mut met);
                // clock: the pace of what happens beside
                thread::sleep(Duration::from_millis(2));
            }
            met
        });
        let done = work();
        drop(over);
        (done, neighbour.join().unwrap())
    });
    met.growth = memory().1.saturating_sub(before);
    println!("\nmeasured: {met:?}");
    (done, met)
}

/// The same, and nobody was held up.
fn harmless<T>(work: impl FnOnce() -> T) -> T {
    let (done, met) = beside(work);
    assert!(met.worked < HELD_UP_MAX, "a call to a good service was held up: {met:?}");
    // clock: many times what such a call takes; what counts is the time on a processor
    assert!(met.took < CALL_MAX, "a call to a good service was held up: {met:?}");
    done
}

/// The same, and the memory stays small.
fn small<T>(work: impl FnOnce() -> T) -> T {
    let (done, met) = beside(work);
    assert!(met.growth < GROWTH_MAX, "{} MiB more at the peak: {met:?}", met.growth / MIB);
    assert!(met.worked < HELD_UP_MAX, "a call to a good service was held up: {met:?}");
    // clock: many times what such a call takes; what counts is the time on a processor
    assert!(met.took < CALL_MAX, "a call to a good service was held up: {met:?}");
    done
}

fn packed(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

/// gzip of a beginning, of so many times the same, and of an end, each a member of its own.
fn packed_parts(beginning: &str, (again, times): (&str, usize), end: &str) -> Vec<u8> {
    let again = packed(again.as_bytes()).repeat(times);
    [packed(beginning.as_bytes()), again, packed(end.as_bytes())].concat()
}

fn packed_json(body: &[u8]) -> Exchange {
    Exchange::json_with_headers(200, &[("Content-Encoding", "gzip")], body)
}

fn times(bytes: impl Into<Vec<u8>>, times: usize) -> Step {
    Step::Send { bytes: bytes.into(), times }
}

fn bytes_of(step: Step) -> Vec<u8> {
    let Step::Send { bytes, .. } = step else { unreachable!() };
    bytes
}

/// A client of a service that answers everything with this, and the service.
fn hostile(exchange: Exchange, with: impl Fn(Config) -> Config) -> (Service, Client) {
    let service = Service::start().unwrap();
    let timeouts = OFF.total(Some(LATE));
    let config = config(service.script("s", Script::one(exchange))).timeouts(timeouts);
    let client = Client::new(with(config)).unwrap();
    (service, client)
}

/// How many chunks a stream had, and how it ended.
fn read(client: &Client) -> (usize, Result<()>) {
    block_on(async {
        let mut stream = match client.stream(hello()).await {
            Ok(stream) => stream,
            Err(error) => return (0, Err(error)),
        };
        let mut count = 0;
        while let Some(chunk) = stream.next().await {
            if let Err(error) = chunk {
                return (count, Err(error));
            }
            count += 1;
        }
        (count, Ok(()))
    })
}

fn protocol(error: &Error, named: &str) {
    assert_eq!(error.kind(), ErrorKind::Protocol, "{}", error.report());
    assert!(error.message().contains(named), "{named:?} in {error:?}");
}

fn idle(error: &Error, within: Duration) {
    let told = (error.kind(), error.timeout());
    assert_eq!(told, (ErrorKind::Timeout, Some(TimeoutPhase::Idle)), "{}", error.report());
    // clock: bounds a hang; the total timeout is longer
    assert!(error.elapsed() < within, "late: {error:?}");
}

/// White space counts, too: 300 MiB of it are 0.3 MB on the wire.
#[test]
fn a_bomb_of_white_space_meets_the_bound_of_an_answer() {
    alone("a_bomb_of_white_space_meets_the_bound_of_an_answer", || {
        let body = packed_parts("", (&" ".repeat(MIB), 300), "{}");
        let (_service, client) = hostile(packed_json(&body), |config| config);
        let outcome = small(|| Way::Async.send(&client, hello()));
        protocol(&outcome.unwrap_err(), "response_bytes_max = 268435456");
    });
}

/// Nor does what can be held hold up the others, although a few bytes of it become many.
#[test]
fn a_bomb_that_begins_like_a_document_blocks_no_other_call() {
    alone("a_bomb_that_begins_like_a_document_blocks_no_other_call", || {
        let body = packed_parts("{", (&" ".repeat(MIB), 1024), "}");
        let (_service, client) = hostile(packed_json(&body), |config| config);
        let outcome = harmless(|| Way::Async.send(&client, hello()));
        protocol(&outcome.unwrap_err(), "response_bytes_max = 268435456");
    });
}

/// Nor does it help to send it as it is, whatever was asked for.
#[test]
fn endless_white_space_meets_the_bound_of_an_answer() {
    alone("endless_white_space_meets_the_bound_of_an_answer", || {
        let limits = Limits::default().response_bytes_max(8 * MIB);
        let timeouts = OFF.total(Some(Duration::from_secs(90)));
        for space in [" ", "\r\n"] {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                            Transfer-Encoding: chunked\r\n\r\n";
            let chunk = bytes_of(http_chunk(&space.repeat(2000)));
            let steps = vec![Step::send(head), times(chunk, FOR_EVER)];
            let (_service, client) =
                hostile(Exchange { steps }, |config| config.limits(limits).timeouts(timeouts));
            let (plain, streamed) = small(|| (Way::Async.send(&client, hello()), read(&client).1));
            protocol(&plain.unwrap_err(), "response_bytes_max = 8388608");
            protocol(&streamed.unwrap_err(), "response_bytes_max = 8388608");
        }
    });
}

/// The events of a stream, many in an HTTP chunk, and its end.
fn stream_of(events: impl Iterator<Item = String>) -> Exchange {
    let mut steps = vec![stream_head()];
    let mut block = String::new();
    for data in events {
        block += &format!("data: {data}\n\n");
        if block.len() > 30_000 {
            steps.push(http_chunk(&std::mem::take(&mut block)));
        }
    }
    let rest = format!("{block}data: {DONE}\n\n");
    steps.extend([http_chunk(&rest), Step::send("0\r\n\r\n")]);
    Exchange { steps }
}

/// Each of the choices is noted once, in no time.
#[test]
fn a_stream_of_ever_new_choices_blocks_no_other_call() {
    alone("a_stream_of_ever_new_choices_blocks_no_other_call", || {
        const CHOICES: u32 = 200_000;
        let (_service, client) = hostile(stream_of((0..CHOICES).map(finish)), |config| config);
        let start = Instant::now();
        let (count, outcome) = harmless(|| read(&client));
        println!("measured: {count} chunks in {:?}: {outcome:?}", start.elapsed());
        // A bound on the choices of a stream would be fine, too.
        match outcome {
            Ok(()) => assert_eq!(count, CHOICES as usize),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Protocol, "{error:?}"),
        }
    });
}

/// The same in one chunk.
#[test]
fn a_chunk_of_many_finished_choices_blocks_no_other_call() {
    alone("a_chunk_of_many_finished_choices_blocks_no_other_call", || {
        let choice = |index| format!(r#"{{"index":{index},"delta":{{}},"finish_reason":"stop"}}"#);
        let choices: Vec<String> = (0..60_000).map(choice).collect();
        let chunk = format!(r#"{{"choices":[{}]}}"#, choices.join(","));
        let (_service, client) = hostile(stream_of([chunk].into_iter()), |config| config);
        let (count, outcome) = harmless(|| read(&client));
        outcome.unwrap();
        assert_eq!(count, 1);
    });
}

/// Reading a large document is not the I/O thread's work.
#[test]
fn a_large_document_blocks_no_other_call() {
    alone("a_large_document_blocks_no_other_call", || {
        let zeros = ",0".repeat(MIB / 2);
        let body = packed_parts("[0", (&zeros, 32), "]");
        let (_service, client) = hostile(packed_json(&body), |config| config);
        let (plain, streamed) = harmless(|| (Way::Async.send(&client, hello()), read(&client).1));
        // A list is no chat.
        protocol(&plain.unwrap_err(), "");
        protocol(&streamed.unwrap_err(), "");
    });
}

const IDLE: Duration = Duration::from_millis(300);

/// An event without anything in it is no sign of life, however it is sent.
#[test]
fn endless_empty_events_run_into_the_idle_timeout() {
    alone("endless_empty_events_run_into_the_idle_timeout", || {
        let empty = "data: \n\n";
        let begin = || vec![opening(&[&piece("a")])];
        let drip = [Step::Pause(Duration::from_millis(50)), http_chunk(empty)];
        let drip = drip.into_iter().cycle().take(2000);
        let flood = |payload: &str| times(bytes_of(http_chunk(payload)), FOR_EVER);
        let paced: Vec<Step> = begin().into_iter().chain(drip).collect();
        let one_by_one = begin().into_iter().chain([flood(empty)]).collect();
        let by_many = begin().into_iter().chain([flood(&empty.repeat(100))]).collect();
        let timeouts = OFF.idle(Some(IDLE)).total(Some(Duration::from_secs(90)));
        for steps in [paced, one_by_one, by_many] {
            let (_service, client) =
                hostile(Exchange { steps }, |config| config.timeouts(timeouts));
            let (count, outcome) = harmless(|| read(&client));
            assert_eq!(count, 1);
            idle(&outcome.unwrap_err(), IDLE * 100);
        }
    });
}

/// An event may take its time, and not for ever: eight idle timeouts from its first byte.
#[test]
fn an_endlessly_dripping_event_hits_the_idle_timeout() {
    alone("an_endlessly_dripping_event_hits_the_idle_timeout", || {
        let drip = [Step::Pause(Duration::from_millis(20)), http_chunk("x")];
        let begin = [opening(&[&piece("a")]), http_chunk("data: ")];
        let steps = begin.into_iter().chain(drip.into_iter().cycle().take(4000)).collect();
        let idle_max = Duration::from_millis(200);
        let total = Some(Duration::from_secs(60));
        let timeouts = OFF.idle(Some(idle_max)).total(total);
        let (_service, client) = hostile(Exchange { steps }, |config| config.timeouts(timeouts));
        let (count, outcome) = harmless(|| read(&client));
        assert_eq!(count, 1);
        idle(&outcome.unwrap_err(), idle_max * 8 + Duration::from_secs(20));
    });
}

/// Each byte is looked at once, also those of an `id`.
#[test]
fn blank_lines_after_a_long_id_block_no_other_call() {
    alone("blank_lines_after_a_long_id_block_no_other_call", || {
        const BLANK_LINES: usize = 10_000;
        let id = format!("id: {}\n", "x".repeat(8 * MIB));
        let blank = "\n".repeat(BLANK_LINES);
        let end = format!("data: {DONE}\n\n");
        let steps = vec![
            stream_head(),
            event(&piece("a")),
            http_chunk(&id),
            http_chunk(&blank),
            http_chunk(&end),
            Step::send("0\r\n\r\n"),
        ];
        let (_service, client) = hostile(Exchange { steps }, |config| config);
        let (count, outcome) = harmless(|| read(&client));
        outcome.unwrap();
        assert_eq!(count, 1);
    });
}

/// What a document is made of has a bound, for each part of it costs more than its text.
#[test]
fn a_document_of_too_many_choices_is_refused() {
    alone("a_document_of_too_many_choices_is_refused", || {
        let begin = r#"{"choices":[{}"#;
        let body = packed_parts(begin, (&",{}".repeat(MIB / 3), 20), "]}");
        let (_service, client) = hostile(packed_json(&body), |config| config);
        let (chat, response) =
            small(|| (Way::Async.send(&client, hello()), Way::Async.send(&client, respond())));
        protocol(&chat.unwrap_err(), "ELEMENTS_MAX");
        protocol(&response.unwrap_err(), "ELEMENTS_MAX");
    });
}

/// The same inside one event.
#[test]
fn an_event_of_too_many_tool_calls_is_refused() {
    alone("an_event_of_too_many_tool_calls_is_refused", || {
        let calls = ",{}".repeat(4 * MIB);
        let chunk =
            format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{{}}{calls}]}}}}]}}"#);
        let (_service, client) = hostile(stream_of([chunk].into_iter()), |config| config);
        let (_, outcome) = small(|| read(&client));
        protocol(&outcome.unwrap_err(), "ELEMENTS_MAX");
    });
}
