//! The life cycle of one connection: request, answer, request.

use std::sync::Arc;

use tokio::net::TcpStream;

use crate::fault::{Fault, Point};
use crate::http::Request;
use crate::problem::Problem;
use crate::script::{Exchange, Step};
use crate::service::Options;
use crate::state::{OpenConnection, Shared};
use crate::ticket::request_id;
use crate::wire::{After, NoRequest, Wire};
use crate::{control, played, reply};

/// Serves requests until either side ends the connection.
pub(crate) async fn serve(shared: Arc<Shared>, open: OpenConnection, stream: TcpStream) {
    // Without this, small events would wait for each other's acknowledgement.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let mut wire = Wire::new(stream);
    loop {
        let request = match wire.next_request().await {
            Ok(request) => request,
            Err(NoRequest::Gone) => return,
            Err(NoRequest::Refused(problem)) => {
                let id = request_id(shared.next_answer());
                let answer = problem.header("Connection", "close").exchange(&id);
                if wire.play(&answer).await == After::Open {
                    wire.linger().await;
                }
                return;
            }
        };
        if let Some(upstream) = shared.options.record.as_ref()
            && played::lets_in(&shared, &request)
            && !request.path().to_ascii_lowercase().replace("%2e", ".").contains("/..")
        {
            let (key, number) = (&shared.options.key, shared.next_answer());
            shared.record("", &request, open.number);
            match upstream.pass(&request, key, &mut wire, number).await {
                After::Open => continue,
                After::Closed => return,
            }
        }
        let (exchange, may_close) = answer(&shared, &request, open.number);
        let after = wire.play(&exchange).await;
        if after == After::Closed || (may_close && request.last) {
            return;
        }
    }
}

/// The answer, and whether the server may close the connection after it: a script controls this itself.
fn answer(shared: &Shared, request: &Request, connection: u64) -> (Arc<Exchange>, bool) {
    if let Some(rest) = under(request.path(), "/_control") {
        return (Arc::new(control::answer(shared, request, rest)), true);
    }
    if let Some(rest) = under(request.path(), "/scripts") {
        let name = rest.trim_start_matches('/').split('/').next().unwrap_or_default();
        shared.record(name, request, connection);
        return match shared.next_exchange(name) {
            Some(exchange) => (exchange, false),
            None => (Arc::new(no_script(shared, name)), true),
        };
    }
    shared.record("", request, connection);
    let exchange = match reply::answer(shared, request) {
        Some(scripted) => scripted,
        None => with_faults(shared, request),
    };
    (Arc::new(exchange), true)
}

/// The answer of the played or the recorded service, with the faults of the options.
fn with_faults(shared: &Shared, request: &Request) -> Exchange {
    let Options { replay, pace, cut_after, status, .. } = &shared.options;
    let reaches_service = played::lets_in(shared, request);
    let is_struck = reaches_service && shared.is_struck();
    if let Some(status) = status.filter(|_| is_struck) {
        let id = request_id(shared.next_answer());
        return Problem::new(status, "This request was chosen to fail.").exchange(&id);
    }
    let exchange = match replay {
        Some(replay) if reaches_service => {
            let cut_after = cut_after.filter(|_| is_struck);
            let answer = replay.answer(request, *pace, cut_after);
            return answer
                .unwrap_or_else(|problem| problem.exchange(&request_id(shared.next_answer())));
        }
        _ => played::answer(shared, request),
    };
    match cut_after.filter(|_| is_struck) {
        Some(events) => Fault::At(Point::Events(events), Step::Close).strike(exchange),
        None => exchange,
    }
}

/// The rest of a path after `prefix`, if the path equals it or is below it.
fn under<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn no_script(shared: &Shared, name: &str) -> Exchange {
    let message = format!("no script named {name:?} with an exchange is registered");
    Problem::new(404, message).exchange(&request_id(shared.next_answer()))
}
