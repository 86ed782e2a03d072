//! reqwest and serde_json, written by hand: lines are split off a buffer, each event is parsed into
//! a struct of the fields that are read.

use std::error::Error;

use reqwest::Client;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use tokio::task::JoinSet;

#[path = "../../../src/measure.rs"]
#[allow(dead_code)]
mod measure;
use measure::{CHAT, CHAT_STREAM, Found, Seen, Task, measure};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[derive(Deserialize)]
struct Chunk {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(alias = "message")]
    delta: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

fn main() {
    measure(|task| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        (runtime.block_on(run(task)).unwrap(), Found::new())
    });
}

async fn run(task: &Task) -> Outcome<Seen> {
    let client = Client::builder().no_proxy().build()?;
    let url = format!("{}/chat/completions", task.base_url);
    let is_stream = task.work == "stream";
    let mut workers = JoinSet::new();
    for _ in 0..task.at_once {
        let (client, url, calls) = (client.clone(), url.clone(), task.operations / task.at_once);
        workers.spawn(async move {
            match is_stream {
                true => stream(&client, &url).await,
                false => chat(&client, &url, calls).await,
            }
        });
    }
    let mut seen = Seen::default();
    for other in workers.join_all().await {
        seen.join(other?);
    }
    Ok(seen)
}

async fn chat(client: &Client, url: &str, calls: u64) -> Outcome<Seen> {
    let mut seen = Seen::default();
    for _ in 0..calls {
        let request =
            client.post(url).bearer_auth("sk-test").header(CONTENT_TYPE, "application/json");
        let answer: Chunk = request.body(CHAT).send().await?.error_for_status()?.json().await?;
        seen.add(text_of(&answer));
    }
    Ok(seen)
}

async fn stream(client: &Client, url: &str) -> Outcome<Seen> {
    let request = client.post(url).bearer_auth("sk-test").header(CONTENT_TYPE, "application/json");
    let mut response = request.body(CHAT_STREAM).send().await?.error_for_status()?;
    let (mut seen, mut buffer) = (Seen::default(), Vec::new());
    while let Some(piece) = response.chunk().await? {
        buffer.extend_from_slice(&piece);
        let mut used = 0;
        while let Some(end) = buffer[used..].iter().position(|byte| *byte == b'\n') {
            let line = &buffer[used..used + end];
            used += end + 1;
            match line.strip_prefix(b"data: ") {
                None => {}
                Some(b"[DONE]") => return Ok(seen),
                Some(data) => seen.add(text_of(&serde_json::from_slice(data)?)),
            }
        }
        buffer.drain(..used);
    }
    Err("no [DONE]".into())
}

fn text_of(chunk: &Chunk) -> &str {
    let choice = chunk.choices.first();
    choice.and_then(|choice| choice.delta.content.as_deref()).unwrap_or_default()
}
