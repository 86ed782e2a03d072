//! Instructions of the hot path and of whole calls, counted by callgrind: a slow-down is noticed, whatever the machine
//! does meanwhile. Not a part of `make test`: it needs a release build and valgrind.
//!
//! `cargo test --release -p modelwire-bench --test instructions`
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests fail by panicking, with the reason"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// Half as much again as was counted when the bounds were set: compilers differ.
const CHAT_MAX: u64 = 7500;
const RESPONSES_MAX: u64 = 7500;

/// A twenty-fifth more than was counted when the bounds were set: a whole call on the program's runtime and on the
/// I/O thread, and a chunk from the socket to the program. Nearly all that others add to it is reqwest's.
const CALL_MAX: u64 = 95_100;
const CALL_ON_IO_THREAD_MAX: u64 = 103_200;
const CHUNK_MAX: u64 = 4_650;

/// What callgrind counts of this program.
fn instructions(program: &str, args: &[&str]) -> u64 {
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--", program])
        .args(args)
        .output()
        .expect("valgrind is missing: apt-get install valgrind");
    let told = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{told}");
    let line = told.lines().find(|line| line.contains("Collected :")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

fn check(kind: &str, max: u64) {
    if cfg!(debug_assertions) {
        panic!("without --release the count says nothing");
    }
    // The difference leaves out what starting costs.
    let of = |events: &str| instructions(env!("CARGO_BIN_EXE_hot-path"), &[kind, events]);
    judge(kind, (of("3000") - of("1000")) / 2000, max);
}

fn judge(what: &str, each: u64, max: u64) {
    println!("{what}: {each} instructions each, at most {max}");
    assert!(each <= max, "{what}: {each} instructions each, at most {max}");
    assert!(each > max / 20, "{what}: {each} instructions each: is it still read?");
}

/// The benchmark's server, which ends with its standard input.
struct Server(Child, String);

impl Server {
    fn start() -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bench-server"));
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut address = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut address).unwrap();
        Server(child, address.trim().to_owned())
    }

    /// The instructions of a client for each of these calls, or for each of the events of one.
    fn each(&self, program: &str, work: &str, counts: [u32; 2]) -> u64 {
        let [few, many] = counts.map(|count| {
            let route = match work {
                "chat" => "plain/1/1/230/0".to_owned(),
                _ => format!("chat/{count}/1/230/0"),
            };
            let url = format!("http://{}/{route}/v1", self.1);
            instructions(program, &[work, &url, &count.to_string(), "1"])
        });
        (many - few) / u64::from(counts[1] - counts[0])
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        self.0.wait().unwrap();
    }
}

#[test]
fn a_whole_call_stays_cheap() {
    let server = Server::start();
    let on_runtime = env!("CARGO_BIN_EXE_modelwire-rust");
    let on_io_thread = env!("CARGO_BIN_EXE_modelwire-rust-io-thread");
    judge("a call", server.each(on_runtime, "chat", [200, 1200]), CALL_MAX);
    let each = server.each(on_io_thread, "chat", [200, 1200]);
    judge("a call on the I/O thread", each, CALL_ON_IO_THREAD_MAX);
    let chunk = server.each(on_runtime, "stream", [20_000, 120_000]);
    judge("a chunk from the socket", chunk, CHUNK_MAX);
}

#[test]
fn a_chat_chunk_stays_cheap() {
    check("chat", CHAT_MAX);
}

#[test]
fn a_response_event_stays_cheap() {
    check("responses", RESPONSES_MAX);
}
