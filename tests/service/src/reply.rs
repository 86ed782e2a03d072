//! Scripted answers at the service's own address: what the next request is told, in the shape that
//! it asks for.

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

/// One scripted answer, in place of what the played service would say.
///
/// It is given to a request below `/v1` that carries the right key, whatever it asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What is answered.
    pub says: Says,
    /// What goes wrong with it, in the order in which it is worked in.
    pub faults: Vec<Fault>,
}

/// What a scripted answer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Says {
    /// What the played service says.
    Played,
    /// The words of a model: as a chat or a response, whole or streamed, as the request asks.
    Text(Text),
    /// A whole body.
    Document {
        /// The HTTP status.
        status: u16,
        /// Further headers; a `Content-Type` among them replaces `application/json`.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// A stream of exactly these events.
    Events(Vec<Event>),
    /// Exactly these bytes, head and all; then the connection is closed.
    Raw(Vec<u8>),
    /// What is no JSON: a body, or the only event of a stream.
    Garbage,
}

/// What a model says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// The pieces in which it is streamed.
    pub pieces: Vec<String>,
    /// The pieces of what it thinks before, as `reasoning_content` of chats.
    pub reasoning: Vec<String>,
    /// The calls it wants to be made.
    pub tool_calls: Vec<ToolCall>,
    /// Why it stops.
    pub finish: Finish,
    /// Tokens in and out; otherwise words are counted.
    pub usage: Option<(u64, u64)>,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The `event:` line, if there is one.
    pub name: Option<String>,
    /// The `data:` line, put on the wire as it is.
    pub data: String,
}

/// What is sent for JSON that is none.
const GARBAGE: &str = "{\"garbage\": <this is not JSON>";

/// The scripted answer to a request; `None` when the played service is to answer.
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
            // What a script sets wins over what is set for it.
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

/// Text as the request wants it: a request that the played service would refuse is refused.
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
        // Whoever says what was used means it to be reported.
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
