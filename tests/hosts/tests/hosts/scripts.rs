//! What the loopback service plays to the hosts.

use modelwire_testing::{Exchange, Script, Service, Step};
use modelwire_tests_c::{chat_chunk, silent};

/// A service that never answers, and its base URL.
pub fn silent_service() -> (Service, String) {
    let service = Service::start().unwrap();
    let url = service.script("silent", silent());
    (service, url)
}

/// A stream of so many bytes of text, in pieces of about a kilobyte.
pub fn long_stream(bytes: usize) -> Script {
    let piece = "x".repeat(1024);
    Script::one(Exchange::pre_rendered_stream(&chat_chunk(&piece), bytes / piece.len(), 1))
}

/// A stream that gives these pieces and then nothing more.
pub fn stalling_service(pieces: &[&str]) -> (Service, String) {
    let service = Service::start().unwrap();
    let url = service.script("stalling", modelwire_tests_c::stalling(pieces));
    (service, url)
}

/// A stream that breaks off.
pub fn cut() -> Script {
    let mut exchange = Exchange::events(&[chat_chunk("half")]);
    exchange.steps.pop();
    exchange.steps.push(Step::Close);
    Script::one(exchange)
}
