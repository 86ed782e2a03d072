//! modelwire's blocking Rust API.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark that fails should stop with its reason"
)]

use std::thread;

use modelwire::{Client, Config, Request};
use modelwire_bench::measure::{CHAT, Found, Seen, measure};

fn main() {
    measure(|task| {
        let client =
            Client::new(Config::new().base_url(&task.base_url).api_key("sk-test")).unwrap();
        let calls = task.operations / task.at_once;
        let work = match task.work.as_str() {
            "chat" => chat,
            "stream" => stream,
            other => panic!("no work {other}"),
        };
        if task.at_once == 1 {
            return (work(&client, calls), Found::new());
        }
        let mut seen = Seen::default();
        thread::scope(|scope| {
            let threads: Vec<_> =
                (0..task.at_once).map(|_| scope.spawn(|| work(&client, calls))).collect();
            threads.into_iter().for_each(|thread| seen.join(thread.join().unwrap()));
        });
        (seen, Found::new())
    });
}

fn chat(client: &Client, calls: u64) -> Seen {
    let mut seen = Seen::default();
    for _ in 0..calls {
        seen.add(&client.blocking().send(Request::chat_json(CHAT)).unwrap().text());
    }
    seen
}

fn stream(client: &Client, _chunks: u64) -> Seen {
    let mut seen = Seen::default();
    for chunk in client.blocking().stream(Request::chat_json(CHAT)).unwrap() {
        seen.add(&chunk.unwrap().text());
    }
    seen
}
