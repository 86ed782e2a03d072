//! Scripted answers at the played service's address: the answer to the next request, in the form that it
//! asks for.

use crate::answer::{Answer, Finish, Reported, ToolCall, Usage};
use crate::ask::{Ask, Operation};
use crate::chat::Chat;
use crate::event_stream::{DONE, EventStream};
use crate::fault::Fault;
use crate::http::Request;
use crate::played;
use crate::problem::Problem;
use crate::response::Response;
use crate::script::{Exchange, Step};
use crate::state::Shared;
use crate::ticket::Ticket;

/// A scripted answer instead of the played service's.
///
/// It goes to the next request below `/v1` with the right key, whatever that asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The content.
    pub says: Says,
    /// The faults, in the order of their application.
    pub faults: Vec<Fault>,
}

/// The content of a scripted answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// The played service's answer.
    Played,
    /// A model's answer: a chat or a response, whole or streamed, as the request asks.
    Text(Text),
    /// A whole body.
    Document {
        /// The HTTP status.
        status: u16,
        /// Additional headers; a `Content-Type` replaces `application/json`.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// A stream of exactly these events.
    Events(Vec<Event>),
    /// Exactly these bytes, including the head; then the connection is closed.
    Raw(Vec<u8>),
    /// Invalid JSON: a body, or the only event of a stream.
    Garbage,
}

/// A model's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The pieces of the text, as streamed.
    pub pieces: Vec<String>,
    /// The pieces of the reasoning before it, as `reasoning_content` of chats.
    pub reasoning: Vec<String>,
    /// The tool calls.
    pub tool_calls: Vec<ToolCall>,
    /// The finish reason.
    pub finish: Finish,
    /// Input and output tokens; by default, words are counted.
    pub usage: Option<(u64, u64)>,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The `event:` line, if there is one.
    pub name: Option<String>,
    /// The `data:` line, sent unchanged.
    pub data: String,
}

/// The invalid JSON.
const GARBAGE: &str = "{\"garbage\": <this is not JSON>";

/// The scripted answer to a request; `None` if the played service is to answer.
pub(crate) fn answer(shared: &Shared, request: &Request) -> Option<Exchange> {
    if !played::lets_in(shared, request) {
        return None;
    }
    let reply = shared.next_reply()?;
    let exchange = match &reply.says {
        Says::Played => played::answer(shared, request),
        says => {
            let ticket = Ticket::new(shared.next_answer(), shared.options.word_pause);
            say(shared, request, says, &ticket)
                .unwrap_or_else(|problem| problem.exchange(&ticket.request_id()))
        }
    };
    Some(reply.faults.iter().fold(exchange, |exchange, fault| fault.strike(exchange)))
}

fn say(
    shared: &Shared,
    request: &Request,
    says: &Says,
    ticket: &Ticket,
) -> Result<Exchange, Problem> {
    let id = ticket.request_id();
    match says {
        Says::Played => Ok(played::answer(shared, request)),
        Says::Text(text) => speak(shared, request, text, ticket),
        Says::Document { status, headers, body } => {
            let mut all = vec![("x-request-id", id.as_str())];
            // A script's headers replace the defaults.
            all.retain(|(ours, _)| {
                !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(ours))
            });
            all.extend(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
            Ok(Exchange::json_with_headers(*status, &all, body))
        }
        Says::Events(events) => {
            let mut stream = EventStream::open(&[("x-request-id", &id)]);
            for event in events {
                match &event.name {
                    Some(name) => stream.named(name, &event.data),
                    None => stream.data(&event.data),
                }
            }
            Ok(stream.end())
        }
        Says::Raw(bytes) => Ok(Exchange { steps: vec![Step::send(bytes.clone()), Step::Close] }),
        Says::Garbage => {
            let wants_stream = played::operation(request)
                .and_then(|operation| Ask::read_any(operation, &request.body).ok())
                .is_some_and(|ask| ask.stream);
            if !wants_stream {
                return Ok(Exchange::json_with_headers(200, &[("x-request-id", &id)], GARBAGE));
            }
            let mut stream = EventStream::open(&[("x-request-id", &id)]);
            stream.data(GARBAGE);
            stream.data(DONE);
            Ok(stream.end())
        }
    }
}

/// Text in the form of the request; a request that the played service would refuse is refused.
fn speak(
    shared: &Shared,
    request: &Request,
    text: &Text,
    ticket: &Ticket,
) -> Result<Exchange, Problem> {
    let Some(operation) = played::operation(request) else {
        let message = format!(
            "The next scripted answer is the text of a model, but the request is {} {}: script an answer \
             for it, or let the played service answer it.",
            request.method,
            request.path()
        );
        return Err(Problem::new(500, message).kind("server_error").code("script_does_not_fit"));
    };
    let ask = Ask::read_any(operation, &request.body)?;
    let mut usage = Usage::count(&ask, &text.reasoning, &text.pieces);
    if let Some((input, output)) = text.usage {
        usage = Usage { input, output, reasoning: usage.reasoning.min(output) };
    }
    let answer = Answer {
        reasoning: text.reasoning.clone(),
        words: text.pieces.clone(),
        finish: text.finish,
        tool_calls: text.tool_calls.clone(),
        usage,
        // A script that sets usage wants it reported.
        reported: if text.usage.is_some() { Reported::Always } else { shared.options.usage },
    };
    shared.meter(&ask.name, usage.input, usage.output);
    let (id, answer) = (ticket.request_id(), &answer);
    let ask = &ask;
    let body = match operation {
        Operation::Chat => {
            let chat = Chat { ask, answer, ticket };
            if ask.stream {
                return Ok(chat.stream());
            }
            chat.body()
        }
        Operation::Response => {
            let response = Response { ask, answer, ticket };
            if ask.stream {
                return Ok(response.stream());
            }
            response.body()
        }
    };
    Ok(Exchange::json_with_headers(200, &[("x-request-id", &id)], body))
}
