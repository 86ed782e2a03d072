//! How Rust callers consume a call: an async stream, an iterator, and the same calls blocking the
//! calling thread. All use the call's event queue.

use std::fmt;
use std::future::{self, Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use crate::answer::error::{Error, Result};
use crate::answer::head::Head;
use crate::answer::response::{CalledTool, Response};
use crate::call::call::Call;
use crate::call::queue::{Event, Pop};
use crate::call::session::Session;
use crate::protocol::chunk::Chunk;
use crate::request::request::Request;
use crate::request::run_tools::{ToolRun, ToolRunError, run_tools};

/// The queue ended where an event was expected; only a bug in this library causes this.
pub(crate) fn ended_early() -> Error {
    Error::internal("the call's queue ended without Done")
}

/// An accepted stream and how it ended.
struct Accepted {
    call: Call,
    head: Arc<Head>,
    answer: Option<Response>,
    is_over: bool,
}

impl Accepted {
    /// The outcome of a stream's first event: accepted or failed.
    fn new(call: Call, first: Pop) -> Result<Accepted> {
        match first {
            Pop::Event(Event::Open(head)) => {
                Ok(Accepted { call, head, answer: None, is_over: false })
            }
            Pop::Event(Event::Done(Err(error))) => Err(error),
            Pop::Event(Event::Done(Ok(_)) | Event::Chunk(_)) | Pop::Empty | Pop::End => {
                Err(ended_early())
            }
        }
    }

    /// The item of an iterator for the next pop; `None` is its end.
    fn step(&mut self, popped: Result<Pop>) -> Option<Result<Chunk>> {
        match popped {
            Ok(Pop::Event(Event::Chunk(chunk))) => return Some(Ok(chunk)),
            Ok(Pop::Event(Event::Done(Ok(answer)))) => self.answer = Some(answer),
            Ok(Pop::Event(Event::Done(Err(error)))) | Err(error) => {
                self.is_over = true;
                return Some(Err(error));
            }
            Ok(Pop::Event(Event::Open(_)) | Pop::Empty | Pop::End) => {}
        }
        self.is_over = true;
        None
    }
}

macro_rules! accessors {
    () => {
        /// Status and headers of the answer.
        pub fn head(&self) -> &Head {
            &self.accepted.head
        }

        /// How the stream ended, and its usage; `None` before its end and after an error.
        pub fn response(&self) -> Option<&Response> {
            self.accepted.answer.as_ref()
        }

        /// Ends the stream and its call now. Dropping it does the same.
        ///
        /// ```no_run
        /// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
        /// use modelwire::Request;
        ///
        /// let mut stream = client.blocking().stream(Request::chat("a-model").user("Tell me a story."))?;
        /// if let Some(chunk) = stream.next() {
        ///     print!("{}", chunk?.text());
        ///     stream.cancel(); // the next item is an error of the kind `Cancelled`
        /// }
        /// # Ok(()) }
        /// ```
        pub fn cancel(&self) {
            self.accepted.call.cancel();
        }
    };
}

/// The chunks of an answer as they arrive. An error is the last item.
///
/// ```no_run
/// # async fn run(client: modelwire::Client) -> modelwire::Result<()> {
/// use modelwire::Request;
///
/// let mut stream = client.stream(Request::chat("a-model").user("Tell me a story.")).await?;
/// while let Some(chunk) = stream.next().await {
///     print!("{}", chunk?.text());
/// }
/// # Ok(()) }
/// ```
pub struct Stream {
    accepted: Accepted,
}

impl Stream {
    pub(crate) async fn open(call: Call) -> Result<Stream> {
        call.start(true)?;
        let first = poll_fn(|cx| call.poll_pop(cx)).await?;
        Ok(Stream { accepted: Accepted::new(call, first)? })
    }

    /// The next chunk; `None` after the end or after an error. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Result<Chunk>> {
        poll_fn(|cx| self.poll_chunk(cx)).await
    }

    fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Chunk>>> {
        if self.accepted.is_over {
            return Poll::Ready(None);
        }
        let popped = ready!(self.accepted.call.poll_pop(cx));
        Poll::Ready(self.accepted.step(popped))
    }

    accessors!();
}

impl futures_core::Stream for Stream {
    type Item = Result<Chunk>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Chunk>>> {
        self.poll_chunk(cx)
    }
}

/// A client's calls, blocking the calling thread: not for async code.
///
/// ```no_run
/// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
/// use modelwire::Request;
///
/// for chunk in client.blocking().stream(Request::responses("a-model").input("Hello"))? {
///     print!("{}", chunk?.text());
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Copy)]
pub struct Blocking<'a> {
    session: &'a Arc<Session>,
}

impl fmt::Debug for Blocking<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let base_url = self.session.base_url();
        f.debug_struct("Blocking").field("base_url", &base_url).finish_non_exhaustive()
    }
}

impl<'a> Blocking<'a> {
    pub(crate) fn new(session: &'a Arc<Session>) -> Blocking<'a> {
        Blocking { session }
    }

    /// The list of models.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// match client.blocking().models() {
    ///     Ok(answer) => println!("{}", answer.model_ids().join("\n")),
    ///     Err(error) => eprintln!("{error}"),
    /// }
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn models(self) -> Result<Response> {
        self.send(Request::models())
    }

    /// Sends a request without streaming.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// use modelwire::Request;
    ///
    /// let answer = client.blocking().send(Request::chat("a-model").user("Say hello."))?;
    /// println!("{}", answer.text());
    /// # Ok(()) }
    /// ```
    pub fn send(self, request: Request) -> Result<Response> {
        let call = Call::of(self.session.clone(), request);
        call.start_to_wait(false)?;
        loop {
            match call.pop(None)? {
                Pop::Event(Event::Done(outcome)) => return outcome,
                Pop::Event(Event::Open(_) | Event::Chunk(_)) | Pop::Empty => {}
                Pop::End => return Err(ended_early()),
            }
        }
    }

    /// Runs tools until the model answers, see [`Client::run_tools`](crate::Client::run_tools).
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> Result<(), modelwire::ToolRunError> {
    /// use modelwire::{Request, Tool};
    ///
    /// let request = Request::chat("a-model").user("What time is it?").tool(Tool::new("time"));
    /// let run = client.blocking().run_tools(request, 10, |_| Ok::<_, String>("noon".to_owned()))?;
    /// println!("{}", run.answer.text());
    /// # Ok(()) }
    /// ```
    pub fn run_tools<E: fmt::Display>(
        self,
        request: Request,
        max_turns: u32,
        mut tool: impl FnMut(CalledTool) -> Result<String, E>,
    ) -> Result<ToolRun, ToolRunError> {
        let send = |request| future::ready(self.send(request));
        let run = pin!(run_tools(request, max_turns, send, |call| future::ready(tool(call))));
        match run.poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(ended) => ended,
            Poll::Pending => unreachable!("each of its steps is ready"),
        }
    }

    /// Sends a request with streaming.
    pub fn stream(self, request: Request) -> Result<BlockingStream> {
        let call = Call::of(self.session.clone(), request);
        call.start_to_wait(true)?;
        let first = call.pop(None)?;
        Ok(BlockingStream { accepted: Accepted::new(call, first)? })
    }
}

/// The chunks of an answer as an iterator that waits for each. An error is the last item.
///
/// ```
/// # use std::io::{Read, Write};
/// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
/// # let base_url = format!("http://{}/v1", listener.local_addr()?);
/// # std::thread::spawn(move || -> std::io::Result<u64> {
/// #     let mut connection = listener.accept()?.0;
/// #     connection.read(&mut [0; 4096])?;
/// #     let body = "data: {\"choices\":[{\"delta\":{\"content\":\"Hello\"}}]}\n\n\
/// #         data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":1}}\n\n\
/// #         data: [DONE]\n\n";
/// #     let head = format!("content-length: {}\r\nx-request-id: req-1", body.len());
/// #     write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")?;
/// #     std::io::copy(&mut connection, &mut std::io::sink())
/// # });
/// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
/// # let client = modelwire::Client::new(config)?;
/// use modelwire::Request;
///
/// let mut stream = client.blocking().stream(Request::chat("a-model").user("Say hello."))?;
/// assert_eq!(stream.head().status(), 200);
/// for chunk in &mut stream {
///     print!("{}", chunk?.text());
/// }
/// let usage = stream.response().and_then(|response| response.usage());
/// assert_eq!(usage.map(|usage| usage.total_tokens), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BlockingStream {
    accepted: Accepted,
}

impl BlockingStream {
    accessors!();
}

impl Iterator for BlockingStream {
    type Item = Result<Chunk>;

    fn next(&mut self) -> Option<Result<Chunk>> {
        if self.accepted.is_over {
            return None;
        }
        let popped = self.accepted.call.pop(None);
        self.accepted.step(popped)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use std::collections::VecDeque;

    use super::*;
    use crate::answer::error_kind::ErrorKind;
    use crate::client::Client;
    use crate::options::config::Config;

    #[test]
    fn a_stream_yields_its_chunks_and_then_its_error() {
        let config = Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
        let call = Call::new(&Client::new(config).unwrap(), Request::chat("m").user("q"));
        let head = Arc::new(Head::new(200, None::<(&str, &str)>));
        let mut stream =
            Stream { accepted: Accepted::new(call, Pop::Event(Event::Open(head))).unwrap() };
        let mut cx = Context::from_waker(Waker::noop());
        let mut poll = |stream: &mut Stream| {
            let polled = futures_core::Stream::poll_next(Pin::new(stream), &mut cx);
            polled.map(|next| next.map(|chunk| chunk.map(|chunk| chunk.json().to_owned())))
        };
        assert!(poll(&mut stream).is_pending());
        let chunk = Event::Chunk(Chunk::scan("", "{}").unwrap());
        let queue = &stream.accepted.call.shared().queue;
        let pushed =
            queue.poll_push(&mut VecDeque::from([chunk]), &Context::from_waker(Waker::noop()));
        assert!(pushed.is_ready());
        let Poll::Ready(Some(Ok(json))) = poll(&mut stream) else { unreachable!() };
        assert_eq!(json, "{}");
        stream.cancel();
        let Poll::Ready(Some(Err(error))) = poll(&mut stream) else { unreachable!() };
        assert_eq!(error.kind(), ErrorKind::Cancelled);
        assert!(matches!(poll(&mut stream), Poll::Ready(None)));
    }
}
