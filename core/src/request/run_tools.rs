//! The loop of a conversation with tools: send, run what the model calls, send the results, and so on.

use std::fmt::Display;
use std::future::Future;

use crate::answer::error::Error;
use crate::answer::response::{CalledTool, Response};
use crate::request::request::Request;

/// How a conversation with tools ended: the answer that calls no more tools, and everything before it.
///
/// ```no_run
/// # async fn run(client: modelwire::Client) -> Result<(), modelwire::ToolRunError> {
/// use modelwire::{CalledTool, Request, Tool, ToolRun};
///
/// let request = Request::chat("a-model").user("What time is it?").tool(Tool::new("time"));
/// let noon = async |_: CalledTool| Ok::<_, String>("noon".to_owned());
/// let run: ToolRun = client.run_tools(request, 10, noon).await?;
/// let next = run.conversation.user("And in an hour?");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ToolRun {
    /// The last answer.
    pub answer: Response,
    /// The conversation with all answers and results, to go on from.
    pub conversation: Request,
}

/// Why a conversation with tools did not end: what was paid for is in it.
///
/// ```no_run
/// # fn run(client: modelwire::Client, request: modelwire::Request) {
/// use modelwire::ToolRunError;
///
/// match client.blocking().run_tools(request, 10, |_| Ok::<_, String>("noon".to_owned())) {
///     Ok(run) => println!("{}", run.answer.text()),
///     Err(ToolRunError::Call { error, conversation }) => {
///         eprintln!("{error}"); // send the conversation again later
///     }
///     Err(error) => eprintln!("{error}"),
/// }
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ToolRunError {
    /// A call to the service failed.
    Call {
        /// Its error.
        error: Error,
        /// The conversation so far, to go on from.
        conversation: Box<Request>,
    },
    /// The model still calls tools after the last turn.
    MaxTurns {
        /// The number of turns.
        turns: u32,
        /// The conversation, with the results of the last turn.
        conversation: Box<Request>,
    },
}

impl Display for ToolRunError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ToolRunError::Call { error, .. } => error.fmt(f),
            ToolRunError::MaxTurns { turns, .. } => {
                write!(
                    f,
                    "the model still calls tools after {turns} turns; allow more, or change the request"
                )
            }
        }
    }
}

impl std::error::Error for ToolRunError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ToolRunError::Call { error, .. } => Some(error),
            ToolRunError::MaxTurns { .. } => None,
        }
    }
}

/// Sends and runs tools until an answer calls none, for at most `max_turns` calls to the service.
pub(crate) async fn run_tools<S, T, E>(
    mut conversation: Request,
    max_turns: u32,
    send: impl Fn(Request) -> S,
    mut tool: impl FnMut(CalledTool) -> T,
) -> Result<ToolRun, ToolRunError>
where
    S: Future<Output = Result<Response, Error>>,
    T: Future<Output = Result<String, E>>,
    E: Display,
{
    if let Err(error) = conversation.can_be_built() {
        return Err(broken_off(error, conversation)); // before anything is paid for
    }
    for _ in 0..max_turns {
        let answer = match send(conversation.clone()).await {
            Ok(answer) => answer,
            Err(error) => return Err(broken_off(error, conversation)),
        };
        let calls = answer.tool_calls();
        let added = conversation.try_change(|request| request.add_response(&answer));
        if calls.is_empty() {
            return Ok(ToolRun { answer, conversation }); // even if the answer has no message to add
        }
        if let Err(error) = added {
            return Err(broken_off(error, conversation));
        }
        for call in calls {
            let id = call.id.clone();
            let output = tool(call).await.unwrap_or_else(|why| format!("Error: {why}"));
            conversation = conversation.result_of_call(&id, &output);
        }
    }
    let conversation = Box::new(conversation);
    Err(ToolRunError::MaxTurns { turns: max_turns, conversation })
}

fn broken_off(error: Error, conversation: Request) -> ToolRunError {
    ToolRunError::Call { error, conversation: Box::new(conversation) }
}
