//! async-openai, as its README shows: typed requests, a stream of typed chunks.

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{
    ChatCompletionRequestUserMessageArgs, CreateChatCompletionRequest,
    CreateChatCompletionRequestArgs,
};
use futures::StreamExt;
use tokio::task::JoinSet;

#[path = "../../../src/measure.rs"]
#[allow(dead_code)]
mod measure;
use measure::{Found, Seen, Task, measure};

fn main() {
    measure(|task| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        (runtime.block_on(run(task)).unwrap(), Found::new())
    });
}

async fn run(task: &Task) -> Result<Seen, OpenAIError> {
    let config = OpenAIConfig::new().with_api_base(&task.base_url).with_api_key("sk-test");
    let client = Client::with_config(config);
    let is_stream = task.work == "stream";
    let mut workers = JoinSet::new();
    for _ in 0..task.at_once {
        let (client, calls) = (client.clone(), task.operations / task.at_once);
        workers.spawn(async move {
            match is_stream {
                true => stream(&client).await,
                false => chat(&client, calls).await,
            }
        });
    }
    let mut seen = Seen::default();
    for other in workers.join_all().await {
        seen.join(other?);
    }
    Ok(seen)
}

fn request() -> Result<CreateChatCompletionRequest, OpenAIError> {
    let message = ChatCompletionRequestUserMessageArgs::default().content("hello").build()?;
    CreateChatCompletionRequestArgs::default().model("bench").messages([message.into()]).build()
}

async fn chat(client: &Client<OpenAIConfig>, calls: u64) -> Result<Seen, OpenAIError> {
    let mut seen = Seen::default();
    for _ in 0..calls {
        let answer = client.chat().create(request()?).await?;
        let choice = answer.choices.first();
        seen.add(choice.and_then(|choice| choice.message.content.as_deref()).unwrap_or_default());
    }
    Ok(seen)
}

async fn stream(client: &Client<OpenAIConfig>) -> Result<Seen, OpenAIError> {
    let mut chunks = client.chat().create_stream(request()?).await?;
    let mut seen = Seen::default();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk?;
        let choice = chunk.choices.first();
        seen.add(choice.and_then(|choice| choice.delta.content.as_deref()).unwrap_or_default());
    }
    Ok(seen)
}
