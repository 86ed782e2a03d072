//! The example: models, a chat and a response, whole and streamed, an error, and what it cost.
//! Knows no service: it takes everything from the environment.
//!
//! `MODELWIRE_BASE_URL` says where the service is, `MODELWIRE_API_KEY` is the key, and
//! `MODELWIRE_MODEL` the model to ask (the first that the service lists if it is not set).

use std::io::Write;

use modelwire::{BlockingStream, Client, Error, ErrorKind, Request, Result};

const PROMPT: &str = "Say hello in five words.";
const MODELS_SHOWN_MAX: usize = 8;

fn main() -> Result<()> {
    let client = Client::from_env()?;

    println!("Models");
    let ids = client.blocking().models()?.model_ids();
    for id in ids.iter().take(MODELS_SHOWN_MAX) {
        println!("  {id}");
    }
    if ids.len() > MODELS_SHOWN_MAX {
        println!("  ... and {} more", ids.len() - MODELS_SHOWN_MAX);
    }
    let wanted = std::env::var("MODELWIRE_MODEL").ok();
    let Some(model) = wanted.or_else(|| ids.first().cloned()) else {
        println!("the service lists no model: set MODELWIRE_MODEL");
        return Ok(());
    };

    let chat = || Request::chat(&model).user(PROMPT).max_tokens(40);
    let response = || Request::response(&model).input(PROMPT).max_output_tokens(40);
    println!("Chat ({model})");
    show_whole(&client, chat())?;
    println!("Chat, streamed");
    show_stream(client.blocking().stream(chat())?)?;
    println!("Response");
    match show_whole(&client, response()) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("  (404: this service has no /responses)");
        }
        other => {
            other?;
            println!("Response, streamed");
            show_stream(client.blocking().stream(response())?)?;
        }
    }

    println!("An error");
    match client.blocking().send(Request::chat("no-such-model").user(PROMPT).max_tokens(40)) {
        Ok(_) => println!("  none: the service answered for \"no-such-model\" all the same"),
        Err(error) => show_error(&error),
    }

    println!("What it cost");
    let sums: Vec<_> = client.usage().into_values().collect();
    println!("  calls: {}", sums.iter().map(|sum| sum.calls).sum::<u64>());
    println!(
        "  tokens: {} in, {} out, {} in all",
        sums.iter().map(|sum| sum.tokens.input_tokens).sum::<u64>(),
        sums.iter().map(|sum| sum.tokens.output_tokens).sum::<u64>(),
        sums.iter().map(|sum| sum.tokens.total_tokens).sum::<u64>(),
    );
    Ok(())
}

fn show_error(error: &Error) {
    let status = error.status().map(|status| status.to_string());
    for (name, value) in [
        ("status", Some(error.kind().name())),
        ("http status", status.as_deref()),
        ("message", Some(error.message())),
        ("type", error.error_type()),
        ("code", error.code()),
        ("model", error.model()),
        ("path", Some(error.path())),
        ("request id", error.request_id()),
        ("metered", Some(error.metered().name())),
        ("hint", Some(error.hint())),
    ] {
        println!("  {name:<11} {}", value.unwrap_or("-"));
    }
}

/// A call that is answered whole.
fn show_whole(client: &Client, request: Request) -> Result<()> {
    let answer = client.blocking().send(request)?;
    let reason = answer.document().and_then(|document| document.finish_reason());
    println!("  {}", answer.text());
    println!("  (finished: {})", reason.as_deref().unwrap_or("unknown"));
    Ok(())
}

/// A call that is answered piece by piece; each piece is shown as soon as it is there.
fn show_stream(stream: BlockingStream) -> Result<()> {
    let mut pieces = 0;
    print!("  ");
    for chunk in stream {
        let chunk = chunk?;
        if !chunk.text().is_empty() {
            pieces += 1;
            print!("{}", chunk.text());
            // Shown or not, the call goes on.
            let _ = std::io::stdout().flush();
        }
    }
    println!("\n  ({pieces} pieces)");
    Ok(())
}
