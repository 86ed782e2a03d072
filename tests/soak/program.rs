//! The soak in Rust: `soak-program MODE NUMBER SECONDS AT_ONCE` makes calls, and says how each ended as `judge.rs`
//! reads it. MODE is `runtime` (the program's own does the I/O), `thread` (the library's does, and threads wait) or
//! `open`, where AT_ONCE streams are open at the same time.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test that fails should stop with its reason"
)]

#[allow(dead_code, reason = "the answers are the server's")]
mod plays;

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use modelwire::{Call, Client, Config, Event, Pop, Request};
use plays::{Dice, crc32};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const PACED_CHUNKS: u32 = 30;

fn add<const N: usize>(sums: &[AtomicU64; N], counts: [u64; N]) {
    sums.iter().zip(counts).for_each(|(sum, count)| _ = sum.fetch_add(count, Relaxed));
}

struct Work {
    program: u64,
    clients: [Client; 2],
    next: AtomicU64,
    until: Instant,
    counted: [AtomicU64; 3],
    used: [AtomicU64; 4],
}

/// A call under way, and what has come of it.
struct Talk {
    number: u64,
    call: Call,
    is_stream: bool,
    cancel_after: Option<u32>,
    is_cancelled: bool,
    chunks: u32,
    sum: u32,
}

impl Talk {
    /// Takes one step; whether it was the last.
    fn step(&mut self, pop: Pop) -> bool {
        let (kind, metered, attempts) = match pop {
            Pop::Event(Event::Chunk(chunk)) => {
                let text = chunk.text();
                if !text.is_empty() {
                    self.sum = crc32(self.sum, text.as_bytes());
                    self.chunks += 1;
                    self.cancel_at(self.chunks);
                }
                return false;
            }
            Pop::Event(Event::Done(Ok(response))) => {
                if !self.is_stream || response.is_gathered() {
                    let sum = crc32(0, response.text().as_bytes());
                    assert!(
                        self.chunks == 0 || sum == self.sum,
                        "{} was gathered otherwise",
                        self.number
                    );
                    self.sum = sum;
                }
                ("ok", "-", response.record().map_or(0, |record| record.attempts_count()))
            }
            Pop::Event(Event::Done(Err(error))) => {
                let attempts = error.record().map_or(0, |record| record.attempts_count());
                (error.kind().name(), error.metered().name(), attempts)
            }
            Pop::Event(Event::Open(_)) | Pop::Empty => return false,
            Pop::End => panic!("{} has no end", self.number),
        };
        let Talk { number, chunks, sum, is_cancelled, .. } = self;
        println!("{number} {kind} {metered} {attempts} {chunks} {sum} {}", u8::from(*is_cancelled));
        true
    }

    fn wait(mut self) {
        loop {
            let pop = self.call.pop(None).unwrap();
            if self.step(pop) {
                return;
            }
        }
    }

    fn cancel_at(&mut self, chunks: u32) {
        if self.cancel_after == Some(chunks) {
            self.is_cancelled = true;
            self.call.cancel();
        }
    }
}

fn client(options: &str, configure: impl Fn(Config) -> Config) -> Client {
    let mut config = Config::new();
    config.set_options(&std::env::var(options).unwrap()).unwrap();
    Client::new(configure(config)).unwrap()
}

impl Work {
    fn new(program: u64, seconds: u64, configure: impl Fn(Config) -> Config) -> Arc<Work> {
        let until = Instant::now() + Duration::from_secs(seconds);
        let clients = ["SOAK_OPTIONS", "SOAK_GENEROUS"].map(|name| client(name, &configure));
        let (next, counted, used) = (AtomicU64::new(0), Default::default(), Default::default());
        let work = Arc::new(Work { program, clients, next, until, counted, used });
        work.clients.iter().for_each(|client| work.follow(client));
        work
    }

    fn follow(self: &Arc<Self>, client: &Client) {
        let work = self.clone();
        let callback = move |ended: modelwire::CallEnded| {
            add(&work.counted, [1, ended.record.attempts_count(), ended.dropped]);
            ControlFlow::Continue(())
        };
        client.on_call(callback).unwrap();
    }

    /// Closes a client, and adds up what it has used.
    fn close(&self, client: &Client) {
        client.close(None).unwrap();
        for sum in client.usage().values() {
            let (without, tokens) = (sum.calls_without_usage, sum.tokens);
            let used = [sum.calls - without, without, tokens.input_tokens, tokens.output_tokens];
            add(&self.used, used);
        }
    }

    /// Clients that come and go, with calls under way.
    fn come_and_go(self: &Arc<Self>, configure: impl Fn(Config) -> Config) {
        let mut dice = Dice(self.program);
        loop {
            let client = client("SOAK_OPTIONS", &configure);
            self.follow(&client);
            let talks: Vec<_> = (0..8).map_while(|_| self.begin(Some(&client))).collect();
            let is_over = talks.is_empty();
            // clock: anywhere in a call
            std::thread::sleep(Duration::from_micros(dice.roll(5000)));
            self.close(&client);
            talks.into_iter().for_each(Talk::wait);
            if is_over {
                return;
            }
        }
    }

    /// Starts the next call, while there is time; with a client that will be closed, or one that stays.
    fn begin(&self, closing: Option<&Client>) -> Option<Talk> {
        if Instant::now() > self.until {
            return None;
        }
        let number = self.next.fetch_add(1, Relaxed);
        let mut dice = Dice(self.program << 40 | number);
        let is_stream = dice.roll(5) < 3;
        let chunks = if dice.roll(100) == 0 { 1 + dice.roll(2000) } else { 1 + dice.roll(32) };
        let name = format!("{}.{number}.{chunks}", self.program);
        let option = dice.roll(32);
        let is_stream_only = option == 0 && !is_stream;
        let name = format!("{name}{}", if is_stream_only { ".o" } else { "" });
        let mut request = match dice.roll(4) {
            0 => Request::responses("soak").input(&name),
            _ => Request::chat("soak").user(&name),
        };
        request = match option {
            0 => request.stream_only(is_stream_only),
            1 => request.gather(true),
            2 => request.total_timeout(Some(Duration::from_micros(1 << dice.roll(15)))),
            _ => request,
        };
        let own = &self.clients[usize::from(number % 4 == 3)];
        let call = Call::new(closing.unwrap_or(own), request);
        let cancel_after = (dice.roll(50) == 0).then(|| dice.roll(chunks + 1) as u32);
        let mut talk = Talk {
            number,
            call,
            is_stream,
            cancel_after,
            is_cancelled: option == 2 || closing.is_some(),
            chunks: 0,
            sum: 0,
        };
        if talk.cancel_after == Some(0) && number.is_multiple_of(2) {
            talk.cancel_at(0); // before it starts
        }
        if let Err(error) = talk.call.start(is_stream) {
            assert!(talk.is_cancelled, "{error}");
        }
        talk.cancel_at(0);
        Some(talk)
    }

    async fn run_async(self: Arc<Self>) {
        while let Some(mut talk) = self.begin(None) {
            loop {
                let pop = poll_fn(|cx| talk.call.poll_pop(cx)).await.unwrap();
                if talk.step(pop) {
                    break;
                }
            }
        }
    }

    fn run_blocking(&self) {
        while let Some(talk) = self.begin(None) {
            talk.wait();
        }
    }

    /// Closes the clients and says the sums.
    fn end(&self, before: usize) {
        self.clients.iter().for_each(|client| self.close(client));
        assert!(modelwire::shutdown(Duration::from_secs(60)), "a thread does not end");
        let [used, unused, input, output] = self.used.each_ref().map(|sum| sum.load(Relaxed));
        let [records, attempts, dropped] = self.counted.each_ref().map(|count| count.load(Relaxed));
        println!(
            "said calls={} records={records} dropped={dropped} attempts={attempts} used={used} unused={unused} \
             input={input} output={output} before={before} after={}",
            self.next.load(Relaxed),
            settled(before)
        );
    }
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

/// How many are open when those that are being closed are gone.
fn settled(wanted: usize) -> usize {
    let end = Instant::now() + Duration::from_secs(20);
    while descriptors() > wanted && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(10)); // clock: between two looks
    }
    descriptors()
}

/// Streams that are all open at the same time, and then end.
async fn open(program: u64, at_once: u64) {
    let client = client("SOAK_OPTIONS", |config| {
        let limits = modelwire::Limits::default().connections_max(at_once as usize);
        config.limits(limits).runtime(tokio::runtime::Handle::current())
    });
    let barrier = Arc::new(Barrier::new(at_once as usize + 1));
    let mut streams = JoinSet::new();
    for number in 0..at_once {
        let name = format!("{program}.{number}.{PACED_CHUNKS}");
        let call = Call::new(&client, Request::chat("soak").user(&name));
        let mut talk = Talk {
            number,
            call,
            is_stream: true,
            cancel_after: None,
            is_cancelled: false,
            chunks: 0,
            sum: 0,
        };
        let barrier = barrier.clone();
        streams.spawn(async move {
            talk.call.start(true).unwrap();
            let mut is_counted = false;
            loop {
                let pop = poll_fn(|cx| talk.call.poll_pop(cx)).await.unwrap();
                let is_over = talk.step(pop);
                if !is_counted && (is_over || talk.chunks > 0) {
                    is_counted = true;
                    barrier.wait().await;
                }
                if is_over {
                    break;
                }
            }
        });
    }
    barrier.wait().await;
    println!("release");
    streams.join_all().await;
    println!("said calls={at_once}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, numbers @ ..] = arguments.as_slice() else {
        panic!("usage: MODE NUMBER SECONDS AT_ONCE")
    };
    let numbers: Vec<u64> = numbers.iter().map(|number| number.parse().unwrap()).collect();
    let (program, seconds, at_once) = (numbers[0], numbers[1], numbers[2]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let handle = runtime.handle().clone();
    let before = descriptors();
    match mode.as_str() {
        "runtime" => {
            let work = Work::new(program, seconds, |config| config.runtime(handle.clone()));
            runtime.block_on(async {
                let mut tasks = JoinSet::new();
                (0..at_once).for_each(|_| drop(tasks.spawn(work.clone().run_async())));
                tasks.join_all().await;
            });
            std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
            work.end(before);
        }
        "thread" => {
            let work = Work::new(program, seconds, Config::io_thread);
            std::thread::scope(|scope| {
                (0..at_once).for_each(|_| drop(scope.spawn(|| work.run_blocking())));
                scope.spawn(|| work.come_and_go(Config::io_thread));
            });
            work.end(before);
        }
        _ => runtime.block_on(open(program, at_once)),
    }
}
