//! The doctor's calls, one attempt each (the list of models, a short chat, a stream, a response), and the
//! checks of their answers.

use std::net::SocketAddr;
use std::net::TcpStream;
use std::time::{Duration, Instant, SystemTime};

use modelwire::{Client, Config, End, Error, Head, Request, Response, RetryPolicy};

use crate::doctor::causes::{Fault, Scene, of_error};
use crate::doctor::certificate;
use crate::doctor::network::CONNECT_TIME_MAX;
use crate::doctor::report::{Finding, time};
use crate::doctor::streaming::{self, Delivery};

/// Time to the first byte from which an answer is slow.
const FIRST_BYTE_SLOW: Duration = Duration::from_secs(5);

/// The short prompt, and the maximum tokens of its answer.
const SHORT_PROMPT: &str = "Say hello.";
const SHORT_TOKENS_MAX: u32 = 1;
/// Some services reject a lower limit for a response.
const RESPONSE_TOKENS_MAX: u32 = 16;

/// The prompt for the stream: long enough for several chunks.
const LONG_PROMPT: &str = "Count from 1 to 20 in words, one number a line: one, two, three, and so on up \
    to twenty. Write nothing else.";
const LONG_TOKENS_MAX: u32 = 120;

/// Maximum chunks that are timed; further ones are only read.
const CHUNKS_TIMED_MAX: usize = 10_000;

/// Makes the calls.
pub(crate) struct Caller {
    client: Client,
    scene: Scene,
    /// Where a plain-http service listens, to check whether its port speaks TLS.
    plain: Option<(SocketAddr, String)>,
    time_max: Duration,
}

/// An answer or an error, and when the call began.
pub(crate) struct CallResult<T> {
    pub(crate) outcome: Result<T, Error>,
    pub(crate) asked: SystemTime,
}

impl Caller {
    /// Creates a caller whose single calls take at most about `time_max`.
    pub(crate) fn new(
        config: Config,
        scene: Scene,
        plain: Option<(SocketAddr, String)>,
        time_max: Duration,
    ) -> Result<Caller, Error> {
        let mut config = config.retry(RetryPolicy::default().max_retries(0));
        let timeouts = config.timeouts_mut();
        timeouts.connect = Some(time_max.min(CONNECT_TIME_MAX));
        timeouts.first_byte = Some(time_max);
        timeouts.idle = Some(time_max);
        timeouts.total = Some(time_max.saturating_mul(2));
        Ok(Caller { client: Client::new(config)?, scene, plain, time_max })
    }

    /// `GET /models`.
    pub(crate) fn models(&self) -> CallResult<Response> {
        self.send(Request::models())
    }

    /// A chat with a one-token answer.
    pub(crate) fn chat(&self, model: &str, stream_only: bool) -> CallResult<Response> {
        let request = Request::chat(model).user(SHORT_PROMPT).max_tokens(SHORT_TOKENS_MAX);
        self.send(request.stream_only(stream_only))
    }

    /// A short response.
    pub(crate) fn response(&self, model: &str, stream_only: bool) -> CallResult<Response> {
        let request = Request::responses(model).input(SHORT_PROMPT);
        self.send(request.max_output_tokens(RESPONSE_TOKENS_MAX).stream_only(stream_only))
    }

    fn send(&self, request: Request) -> CallResult<Response> {
        let asked = SystemTime::now();
        CallResult { outcome: self.client.blocking().send(request), asked }
    }

    /// A stream long enough to judge.
    pub(crate) fn stream(&self, model: &str) -> Streamed {
        let start = Instant::now();
        let request = Request::chat(model).user(LONG_PROMPT).max_tokens(LONG_TOKENS_MAX);
        let mut streamed = Streamed::default();
        let mut stream = match self.client.blocking().stream(request) {
            Ok(stream) => stream,
            Err(error) => return Streamed { error: Some(error), ..streamed },
        };
        streamed.head = Some(stream.head().clone());
        for chunk in stream.by_ref() {
            match chunk {
                Ok(_) if streamed.arrivals.len() < CHUNKS_TIMED_MAX => {
                    streamed.arrivals.push(start.elapsed());
                }
                Ok(_) => {}
                Err(error) => streamed.error = Some(error),
            }
        }
        streamed.end = stream.response().map(Response::end);
        streamed
    }

    /// Classifies an error; if a plain-http service answered oddly, also checks for TLS.
    pub(crate) fn fault(&self, error: &Error, has_chunks: bool) -> Fault {
        let mut scene = Scene { has_chunks, ..self.scene };
        // Only after an odd answer, because the check opens another connection.
        let found = of_error(error, scene);
        let is_odd = matches!(
            found,
            Fault::NotHttp | Fault::ClosedWithoutAnswer | Fault::Status400 | Fault::Page
        );
        if let (true, Some((address, host))) = (is_odd, &self.plain) {
            scene.speaks_tls = self.port_speaks_tls(*address, host);
            return of_error(error, scene);
        }
        found
    }

    fn port_speaks_tls(&self, address: SocketAddr, host: &str) -> bool {
        let time_max = self.time_max.min(CONNECT_TIME_MAX);
        TcpStream::connect_timeout(&address, time_max)
            .is_ok_and(|mut socket| certificate::speaks_tls(&mut socket, host, time_max))
    }

    /// A failed call as a finding: the service's words, the cause, what to do.
    pub(crate) fn failed(&self, error: &Error, has_chunks: bool) -> Finding {
        let fault = self.fault(error, has_chunks);
        let finding = Finding::failed(fault, words_of(error));
        match fault {
            Fault::ClientFailed | Fault::OptionWrong => {
                finding.because(error.message()).so_do(error.hint())
            }
            Fault::Status429 => match error.retry_after() {
                Some(wait) => finding.so_do(format!(
                    "{} The service asks to wait {} s.",
                    Fault::Status429.action(),
                    wait.as_secs_f64().ceil()
                )),
                None => finding,
            },
            _ => finding,
        }
    }
}

/// The message of the service, or of the client.
pub(crate) fn words_of(error: &Error) -> String {
    let status = error.status().map_or(String::new(), |status| format!("status {status}: "));
    let mut words = format!("{status}{}", error.message());
    let details = [
        ("type", error.error_type()),
        ("code", error.code()),
        ("param", error.param()),
        ("request id", error.request_id()),
    ];
    let details =
        details.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", value?)));
    let details: Vec<String> = details.collect();
    if !details.is_empty() {
        words = format!("{words} ({})", details.join(", "));
    }
    words
}

/// A whole answer: its time and usage. `member` is a member that answers of this operation have.
pub(crate) fn answered(answer: &Response, member: &str) -> Finding {
    if answer.document().is_none_or(|document| document.value().get(member).is_none()) {
        let saw = format!("an answer without {member}: {}", answer.json());
        return Finding::failed(Fault::NotJson, saw);
    }
    let used = answer.usage().map_or("no usage reported".to_owned(), |usage| {
        format!("{} tokens in, {} out", usage.input_tokens, usage.output_tokens)
    });
    let finish = answer.finish_reason();
    let finish = finish.map_or(String::new(), |reason| format!(", finish reason {reason}"));
    let took = answer.elapsed();
    let saw = format!("answered in {}, {used}{finish}", time(took));
    match took >= FIRST_BYTE_SLOW {
        true => Finding::warning(Fault::FirstByteSlow, saw),
        false => Finding::ok(saw),
    }
}

/// A received stream.
#[derive(Default)]
pub(crate) struct Streamed {
    pub(crate) head: Option<Head>,
    /// When the chunks arrived, from the start of the call.
    pub(crate) arrivals: Vec<Duration>,
    pub(crate) end: Option<End>,
    pub(crate) error: Option<Error>,
}

impl Streamed {
    /// What arrived, in words.
    pub(crate) fn words(&self) -> String {
        let count = self.arrivals.len();
        let span = match (self.arrivals.first(), self.arrivals.last()) {
            (Some(first), Some(last)) => {
                let over = time(last.saturating_sub(*first));
                format!(", the first after {}, all within {over}", time(*first))
            }
            _ => String::new(),
        };
        let lumps = match streaming::lumps(&self.arrivals) {
            1 if count > 1 => " in one burst".to_owned(),
            lumps if lumps * 2 < count => format!(" in {lumps} bursts"),
            _ => String::new(),
        };
        format!("{count} chunks{lumps}{span}")
    }

    /// Judges a stream that arrived without an error.
    pub(crate) fn judge(&self) -> Finding {
        let words = self.words();
        let content_type =
            self.head.as_ref().and_then(|head| head.header("content-type")).unwrap_or("none");
        let essence = content_type.split(';').next().unwrap_or_default().trim();
        if self.end == Some(End::Document) {
            let saw = format!("one document, content type {content_type}");
            return Finding::warning(Fault::NotStreamed, saw);
        }
        if !essence.eq_ignore_ascii_case("text/event-stream") {
            let saw = format!("{words}, content type {content_type}");
            return Finding::warning(Fault::WrongContentType, saw);
        }
        if self.end != Some(End::DoneMark) {
            return Finding::warning(Fault::EndMarkMissing, format!("{words}, no [DONE]"));
        }
        let is_slow = self.arrivals.first().is_some_and(|first| *first >= FIRST_BYTE_SLOW);
        let saw = format!("{words}, [DONE]");
        match streaming::judge(&self.arrivals) {
            Delivery::HeldBack => Finding::warning(Fault::HeldBack, saw),
            Delivery::Streams if is_slow => Finding::warning(Fault::FirstByteSlow, saw),
            Delivery::Streams => Finding::ok(format!("{saw}: it streams")),
            Delivery::FewChunks => {
                Finding::ok(format!("{saw}; cannot tell whether they arrive over time: too few"))
            }
            Delivery::Fast => {
                Finding::ok(format!("{saw}; cannot tell whether they arrive over time: too fast"))
            }
        }
    }
}
