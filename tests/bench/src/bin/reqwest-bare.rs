//! The floor: reqwest drains the body on one runtime thread and counts bytes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a benchmark that fails should stop with its reason"
)]

use std::sync::Arc;
use std::time::Instant;

use modelwire_bench::measure::{
    CHAT, CHAT_STREAM, Found, Seen, Task, measure, median_us, memory_of_open,
};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::task::JoinSet;

fn main() {
    measure(|task| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            match task.work.as_str() {
                "chat" => chat(task).await,
                "stream" | "responses" => stream(task).await,
                "first" => first(task).await,
                "open" => open(task).await,
                other => panic!("no work {other}"),
            }
        })
    });
}

fn client() -> reqwest::Client {
    let mut roots = rustls::RootCertStore::empty();
    if let Some(file) = std::env::var_os("SSL_CERT_FILE") {
        let found = CertificateDer::pem_file_iter(file).unwrap();
        roots.add_parsable_certificates(found.map(Result::unwrap));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let builder = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy();
    builder.http1_only().build().unwrap()
}

async fn post(client: &reqwest::Client, url: &str, body: &'static str) -> reqwest::Response {
    client.post(url).header("content-type", "application/json").body(body).send().await.unwrap()
}

fn url(task: &Task) -> String {
    format!("{}/chat/completions", task.base_url)
}

async fn drain(mut response: reqwest::Response) -> u64 {
    let mut bytes = 0;
    while let Some(piece) = response.chunk().await.unwrap() {
        bytes += piece.len() as u64;
    }
    bytes
}

/// It knows of no events: it tells bytes, and the harness holds them against a lower bound.
fn bytes_only(bytes: u64) -> (Seen, Found) {
    (Seen::default(), vec![("body_bytes", bytes as f64)])
}

async fn chat(task: &Task) -> (Seen, Found) {
    let (client, url) = (client(), url(task));
    let mut workers = JoinSet::new();
    for _ in 0..task.at_once {
        let (client, url, calls) = (client.clone(), url.clone(), task.operations / task.at_once);
        workers.spawn(async move {
            let mut bytes = 0;
            for _ in 0..calls {
                bytes += drain(post(&client, &url, CHAT).await).await;
            }
            bytes
        });
    }
    bytes_only(workers.join_all().await.iter().sum())
}

async fn stream(task: &Task) -> (Seen, Found) {
    let (client, url) = (client(), url(task));
    let mut streams = JoinSet::new();
    for _ in 0..task.at_once {
        let (client, url) = (client.clone(), url.clone());
        streams.spawn(async move { drain(post(&client, &url, CHAT_STREAM).await).await });
    }
    bytes_only(streams.join_all().await.iter().sum())
}

async fn first(task: &Task) -> (Seen, Found) {
    let (client, url) = (client(), url(task));
    let mut times = Vec::new();
    let mut bytes = 0;
    for _ in 0..task.operations {
        let start = Instant::now();
        let mut response = post(&client, &url, CHAT_STREAM).await;
        bytes += response.chunk().await.unwrap().unwrap().len() as u64;
        times.push(start.elapsed());
        bytes += drain(response).await;
    }
    let (seen, mut found) = bytes_only(bytes);
    found.push(("first_us", median_us(&mut times)));
    (seen, found)
}

async fn open(task: &Task) -> (Seen, Found) {
    let (client, url) = (client(), url(task));
    memory_of_open(task, || {
        let (client, url) = (client.clone(), url.clone());
        async move {
            let mut response = post(&client, &url, CHAT_STREAM).await;
            response.chunk().await.unwrap().unwrap();
            response
        }
    })
    .await
}
