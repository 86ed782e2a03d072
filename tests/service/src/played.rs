//! The played service: authentication, refusals, metering.

use std::time::Duration;

use crate::answer::Answer;
use crate::ask::{Ask, Operation};
use crate::chat::Chat;
use crate::http::Request;
use crate::load::Admission;
use crate::model::Model;
use crate::problem::Problem;
use crate::response::Response;
use crate::script::{Exchange, Step, answer_head};
use crate::state::Shared;
use crate::ticket::{Ticket, request_id};

/// The answer of the played service to a request.
pub(crate) fn answer(shared: &Shared, request: &Request) -> Exchange {
    let number = shared.next_answer();
    let exchange = respond(shared, request, number)
        .unwrap_or_else(|problem| problem.exchange(&request_id(number)));
    // A client that sent HEAD reads no body: it would take one for the next answer.
    if request.method == "HEAD" { without_body(&exchange) } else { exchange }
}

fn respond(shared: &Shared, request: &Request, number: u64) -> Result<Exchange, Problem> {
    let path = request.path();
    let wrong_url = || {
        let message = format!("Invalid URL ({} {path})", request.method);
        Problem::new(404, message)
    };
    let Some(operation) = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/')) else {
        return Err(wrong_url());
    };
    authenticate(&shared.options.key, &request.headers)?;
    let (allowed, called) = match operation {
        "/models" => ("GET", None),
        "/chat/completions" => ("POST", Some(Operation::Chat)),
        "/responses" => ("POST", Some(Operation::Response)),
        _ => return Err(wrong_url()),
    };
    if request.method != allowed {
        let message = format!("Not allowed to {} on {path}", request.method);
        return Err(Problem::new(405, message)
            .code("method_not_supported")
            .header("Allow", allowed));
    }
    match called {
        None => {
            let id = request_id(number);
            Ok(Exchange::json_with_headers(200, &[("x-request-id", &id)], Model::list()))
        }
        Some(operation) => generate(shared, &Ask::read(operation, &request.body)?, number),
    }
}

/// Whether a request reaches the operations: below `/v1` and with the key.
pub(crate) fn lets_in(shared: &Shared, request: &Request) -> bool {
    request.path().starts_with("/v1/")
        && authenticate(&shared.options.key, &request.headers).is_ok()
}

/// The model operation of a request.
pub(crate) fn operation(request: &Request) -> Option<Operation> {
    match (request.method.as_str(), request.path()) {
        ("POST", "/v1/chat/completions") => Some(Operation::Chat),
        ("POST", "/v1/responses") => Some(Operation::Response),
        _ => None,
    }
}

/// Accepts exactly `Bearer KEY`.
fn authenticate(key: &str, headers: &[(String, String)]) -> Result<(), Problem> {
    let mut given = headers
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        .map(|(_, value)| value.as_str());
    let wrong = match (given.next(), given.next()) {
        (None, _) => "No API key was provided: send it as 'Authorization: Bearer KEY'.",
        (Some(_), Some(_)) => "More than one Authorization header was sent.",
        (Some(value), None) => match value.strip_prefix("Bearer ") {
            Some(given) if given == key => return Ok(()),
            Some("") => "The API key is empty.",
            Some(given) if given.contains(char::is_whitespace) => {
                "The API key has stray whitespace: copy it again."
            }
            Some(_) => "Incorrect API key provided.",
            None => "The Authorization header is malformed: it must be 'Bearer KEY'.",
        },
    };
    Err(Problem::new(401, wrong).code("invalid_api_key"))
}

fn generate(shared: &Shared, ask: &Ask, number: u64) -> Result<Exchange, Problem> {
    admit(shared, ask)?;
    let word_pause = ask.model.word_pause(shared.options.word_pause);
    let ticket = Ticket::new(number, word_pause);
    let answer = Answer::to(ask, shared.options.usage);
    let (admission, wait) = shared.arrive(answer.usage.input + answer.usage.output);
    match admission {
        Admission::Answered(_) => {}
        Admission::Fails(_) => {
            let exchange = internal_error().exchange(&ticket.request_id());
            return Ok(after(wait, exchange));
        }
        Admission::Refused(retry_after) => {
            let problem = rate_limited();
            return Err(match retry_after {
                Some(wait) => problem.header("Retry-After", wait.as_secs().to_string()),
                None => problem,
            });
        }
    }
    shared.meter(&ask.name, answer.usage.input, answer.usage.output);
    let (ask, answer, ticket) = (ask, &answer, &ticket);
    let exchange = match ask.operation {
        Operation::Chat => {
            let chat = Chat { ask, answer, ticket };
            if ask.stream { chat.stream() } else { plain(ask, answer, ticket, &chat.body()) }
        }
        Operation::Response => {
            let response = Response { ask, answer, ticket };
            if ask.stream {
                response.stream()
            } else {
                plain(ask, answer, ticket, &response.body())
            }
        }
    };
    Ok(after(wait, exchange))
}

/// Delays the answer.
fn after(wait: Duration, mut exchange: Exchange) -> Exchange {
    if wait > Duration::ZERO {
        exchange.steps.insert(0, Step::Pause(wait));
    }
    exchange
}

/// Applies the refusals of the model, and meters accepted calls.
fn admit(shared: &Shared, ask: &Ask) -> Result<(), Problem> {
    match ask.model {
        Model::Echo
        | Model::EchoReasoning
        | Model::EchoTools
        | Model::Cut
        | Model::Slow
        | Model::FlatError
        | Model::NoMark
        | Model::NoReason
        | Model::LateEnd => Ok(()),
        Model::EchoStreamOnly if ask.stream => Ok(()),
        Model::EchoStreamOnly => {
            let message = "This model only supports streaming: stream must be true.";
            Err(Problem::field("stream", message).code("stream_required"))
        }
        Model::Limited => shared.pass_rate_limit().map_err(|wait| {
            // Rounded up, so that a client that waits this long is admitted.
            let seconds = wait.as_nanos().div_ceil(1_000_000_000).to_string();
            rate_limited().header("Retry-After", seconds)
        }),
        Model::Recovers if shared.has_recovered() => Ok(()),
        Model::Recovers => Err(rate_limited()),
        Model::Forbidden => {
            let message = "The balance of this account is insufficient.";
            let problem = Problem::new(403, message).kind("permission_error");
            Err(problem.code("insufficient_balance"))
        }
        Model::Broken => Err(internal_error()),
        Model::ErrorInStream | Model::UnendedError if ask.stream => Ok(()),
        Model::ErrorInStream | Model::UnendedError => Err(Problem::upstream_failed()),
    }
}

fn internal_error() -> Problem {
    let message = "The server had an error while processing the request.";
    Problem::new(500, message).kind("server_error").code("internal_error")
}

fn rate_limited() -> Problem {
    Problem::new(429, "Rate limit reached: slow down and try again.")
        .kind("requests")
        .code("rate_limit_exceeded")
}

/// A plain answer. `slow` takes as long as for a stream; `cut` breaks off halfway; `flat-error` is an error
/// with the status 200.
fn plain(ask: &Ask, answer: &Answer, ticket: &Ticket, body: &str) -> Exchange {
    let id = ticket.request_id();
    let headers = [("x-request-id", id.as_str())];
    let flat = (ask.model == Model::FlatError).then(|| Problem::upstream_failed().flat_body());
    let body = flat.as_deref().unwrap_or(body);
    let mut exchange = Exchange::json_with_headers(200, &headers, body);
    if ask.model == Model::Slow {
        let pauses = u32::try_from(answer.words.len().saturating_sub(1)).unwrap_or(u32::MAX);
        exchange.steps.insert(0, Step::Pause(ticket.word_pause.saturating_mul(pauses)));
    }
    if ask.model == Model::Cut {
        let mut bytes = answer_head(200, &headers, body.len()).into_bytes();
        bytes.extend(body.bytes().take(body.len() / 2));
        exchange = Exchange { steps: vec![Step::send(bytes), Step::Close] };
    }
    exchange
}

fn without_body(exchange: &Exchange) -> Exchange {
    let Some(Step::Send { bytes, .. }) = exchange.steps.first() else {
        return exchange.clone();
    };
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    Exchange::raw(bytes.get(..end.map_or(bytes.len(), |end| end + 4)).unwrap_or_default())
}
