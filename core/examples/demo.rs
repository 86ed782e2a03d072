//! The example: models; a chat and a response, whole and streamed; a model that only streams; a call that is
//! refused at first; an error; and what it cost. Takes everything from the environment:
//!
//! | variable | says |
//! |---|---|
//! | `MODELWIRE_BASE_URL` | where the service is, `https://host/v1` for instance |
//! | `MODELWIRE_API_KEY` | the key |
//! | `MODELWIRE_MODEL` | the model to ask; the first that the service lists if it is not set |
//! | `MODELWIRE_DEMO_STREAM_ONLY_MODEL` | one that only streams; the same one if it is not set |
//! | `MODELWIRE_DEMO_REFUSED_MODEL` | one that answers 429 at first; without it that part is left out |

use std::io::Write;
use std::process::ExitCode;

use modelwire::{BlockingStream, Client, Error, ErrorKind, Metered, Request, Response, Result};

/// A model that echoes gives a good answer to it, too.
const PROMPT: &str = "Hello, and good morning to you!";
const TOKENS_MAX: u32 = 40;
const MODELS_SHOWN_MAX: usize = 8;

fn main() -> ExitCode {
    match show_everything() {
        Ok(()) => ExitCode::SUCCESS,
        // An error of the library says what to do about it, too.
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn show_everything() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let client = Client::from_env()?;
    let ids = client.blocking().models()?.model_ids();
    show_models(&ids);
    let model = setting("MODELWIRE_MODEL").or_else(|| ids.first().cloned());
    let model = model.ok_or("the service lists no model: set MODELWIRE_MODEL")?;
    let chat = |model: &str| Request::chat(model).user(PROMPT).max_tokens(TOKENS_MAX);
    let response = || Request::responses(&model).input(PROMPT).max_output_tokens(TOKENS_MAX);

    println!("Chat ({model})");
    println!("  asked:    {PROMPT}");
    let stream_only = show_chat(&client, chat(&model))?;
    println!("Chat, streamed");
    show_stream(client.blocking().stream(chat(&model))?)?;

    println!("Response");
    match client.blocking().send(response().stream_only(stream_only)) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            println!("  (404: this service has no /responses)");
        }
        answer => {
            show_answer(&answer?);
            println!("Response, streamed");
            show_stream(client.blocking().stream(response())?)?;
        }
    }

    let streaming = setting("MODELWIRE_DEMO_STREAM_ONLY_MODEL").unwrap_or_else(|| model.clone());
    println!("Chat with the option stream_only, for models that only stream ({streaming})");
    show_answer(&client.blocking().send(chat(&streaming).stream_only(true))?);

    if let Some(refused) = setting("MODELWIRE_DEMO_REFUSED_MODEL") {
        println!("Chat that is refused with 429 at first ({refused})");
        // Nothing to do here: the retry policy of the client waits and tries again.
        let answer = client.blocking().send(chat(&refused))?;
        show_answer(&answer);
        println!("  (answered after {} attempts)", answer.attempts());
    }

    println!("An error");
    match client.blocking().send(chat("no-such-model")) {
        Ok(_) => println!("  none: the service answered for \"no-such-model\" all the same"),
        Err(error) => show_error(&error),
    }
    show_cost(&client);
    Ok(())
}

/// A variable of the environment that is set, and not to nothing.
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn show_models(ids: &[String]) {
    println!("Models");
    for id in ids.iter().take(MODELS_SHOWN_MAX) {
        println!("  {id}");
    }
    if ids.len() > MODELS_SHOWN_MAX {
        println!("  ... and {} more", ids.len() - MODELS_SHOWN_MAX);
    }
}

/// A chat that is answered whole; gives whether that takes the option `stream_only`.
fn show_chat(client: &Client, request: Request) -> Result<bool> {
    let answer = client.blocking().send(request.clone());
    let status = answer.as_ref().err().and_then(Error::status);
    // The service tells in no agreed way that a model only streams. It may be that, unless the
    // status speaks of the key or of a limit.
    let may_only_stream =
        status.is_some_and(|status| status >= 400 && status != 401 && status != 429);
    if let (true, Some(status)) = (may_only_stream, status) {
        println!("  (status {status}: asked again with stream_only, as by the plain calls below)");
        show_answer(&client.blocking().send(request.stream_only(true))?);
    } else {
        show_answer(&answer?);
    }
    Ok(may_only_stream)
}

fn show_answer(answer: &Response) {
    let reason = answer.document().and_then(|document| document.finish_reason());
    println!("  answered: {}", answer.text());
    println!("  (finished: {})", reason.as_deref().unwrap_or("unknown"));
}

/// A call that is answered piece by piece; each piece is shown as soon as it is there.
fn show_stream(stream: BlockingStream) -> Result<()> {
    let mut pieces = 0;
    print!("  answered: ");
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

fn show_error(error: &Error) {
    let status = error.status().map(|status| status.to_string());
    let metered = match error.metered() {
        Metered::NotSent => "nothing was sent",
        Metered::NormallyNot => "it normally did not reach processing",
        Metered::Entered => "the service processed it, at least in part",
        Metered::Unknown => "the service may or may not have processed it",
    };
    let metered = format!("{}: {metered}", error.metered().name());
    for (name, value) in [
        ("kind", Some(error.kind().name())),
        ("http status", status.as_deref()),
        ("message", Some(error.message())),
        ("type", error.error_type()),
        ("code", error.code()),
        ("model", error.model()),
        ("path", Some(error.path())),
        ("request id", error.request_id()),
        ("metered", Some(&metered)),
        ("hint", Some(error.hint())),
    ] {
        println!("  {name:<11} {}", value.unwrap_or("-"));
    }
}

/// Chats and responses that were answered; lists and failures are not counted.
fn show_cost(client: &Client) {
    let sums: Vec<_> = client.usage().into_values().collect();
    let calls: u64 = sums.iter().map(|sum| sum.calls).sum();
    let silent: u64 = sums.iter().map(|sum| sum.calls_without_usage).sum();
    let input: u64 = sums.iter().map(|sum| sum.tokens.input_tokens).sum();
    let output: u64 = sums.iter().map(|sum| sum.tokens.output_tokens).sum();
    let total: u64 = sums.iter().map(|sum| sum.tokens.total_tokens).sum();
    println!("What it cost");
    println!("  calls: {calls}");
    println!("  of these {silent} reported no usage: what they used is not among the tokens");
    println!("  tokens: {input} in, {output} out, {total} in all");
}
