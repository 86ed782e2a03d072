//! The client handle.

use std::fmt;
use std::future::Future;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::answer::error::Result;
use crate::answer::response::{CalledTool, Response};
use crate::answer::usage_sums::{UsageByKey, UsageSums, usage_by_model};
use crate::call::before_attempt::{BeforeAttempt, Hook};
use crate::call::call::Call;
use crate::call::observers::CallEnded;
use crate::call::queue::{Event, Pop};
use crate::call::session::Session;
use crate::delivery::callbacks;
use crate::delivery::completion::CompletionQueue;
use crate::delivery::observer;
use crate::http::transport::Transport;
use crate::options::config::{Config, Settings};
use crate::request::request::Request;
use crate::request::run_tools::{ToolRun, ToolRunError, run_tools};
use crate::stream::{Blocking, Stream, ended_early};
use crate::system::process::warn_once;

/// A client of one service. Cheap to clone and safe to share between threads; calls do not wait for
/// each other. It connects at its first call, and again in a forked child.
///
/// ```no_run
/// # async fn run() -> modelwire::Result<()> {
/// use modelwire::{Client, Request};
///
/// let client = Client::from_env()?;
/// let answer = client.send(Request::chat("a-model").user("Say hello.")).await?;
/// println!("{}", answer.text());
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Client {
    session: Arc<Session>,
}

impl Client {
    /// Creates a client with this configuration. Fails if the configuration is invalid. Does not
    /// connect.
    ///
    /// ```
    /// use modelwire::{Client, Config};
    ///
    /// let client = Client::new(Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test"))?;
    /// assert_eq!(client.base_url(), "http://127.0.0.1:9/v1");
    /// assert!(Client::new(Config::new().base_url("127.0.0.1")).is_err());
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn new(config: Config) -> Result<Client> {
        Ok(Client { session: Arc::new(Session::new(checked(config)?)) })
    }

    /// Creates a client with another configuration and its own connections that shares the usage sums
    /// of this one: [`usage`](Client::usage) of either includes both.
    ///
    /// ```
    /// use modelwire::{Client, Config};
    ///
    /// let config = || Config::new().api_key("sk-test");
    /// let client = Client::new(config().base_url("http://127.0.0.1:9/v1"))?;
    /// let other = client.beside(config().base_url("http://127.0.0.1:9/v2"))?;
    /// assert_eq!(client.usage(), other.usage()); // of the calls of both
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn beside(&self, config: Config) -> Result<Client> {
        Ok(Client { session: Arc::new(self.session.beside(checked(config)?)) })
    }

    /// Creates a client configured from the environment (see [`Config`]).
    pub fn from_env() -> Result<Client> {
        Client::new(Config::new())
    }

    /// The list of models.
    ///
    /// ```no_run
    /// # async fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// for id in client.models().await?.model_ids() {
    ///     println!("{id}");
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn models(&self) -> Result<Response> {
        self.send(Request::models()).await
    }

    /// Sends a request without streaming. Works under any async runtime; on the multi-threaded tokio runtime
    /// on which the client was created, the I/O is done there (see [`Config::runtime`]). Dropping the future
    /// cancels the call.
    pub async fn send(&self, request: Request) -> Result<Response> {
        let call = Call::awaited(self.session.clone(), request);
        call.start(false)?;
        loop {
            match std::future::poll_fn(|cx| call.poll_pop(cx)).await? {
                Pop::Event(Event::Done(outcome)) => return outcome,
                Pop::Event(Event::Open(_) | Event::Chunk(_)) | Pop::Empty => {}
                Pop::End => return Err(ended_early()),
            }
        }
    }

    /// Sends a request with streaming. Returns when the service has accepted it; an earlier error is
    /// returned here. Works under any async runtime.
    ///
    /// ```no_run
    /// # async fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// use modelwire::Request;
    ///
    /// let mut stream = client.stream(Request::responses("a-model").input("Say hello.")).await?;
    /// while let Some(chunk) = stream.next().await {
    ///     print!("{}", chunk?.text());
    /// }
    /// # Ok(()) }
    /// ```
    pub async fn stream(&self, request: Request) -> Result<Stream> {
        Stream::open(Call::awaited(self.session.clone(), request)).await
    }

    /// Runs tools until the model answers: sends the request, passes each tool call to `tool`, sends the
    /// results, and so on, for at most `max_turns` calls to the service, each of which costs what its
    /// conversation costs. The calls of one answer are run in their order. An error of `tool` is sent to
    /// the model, which may try again.
    ///
    /// ```no_run
    /// # async fn run(client: modelwire::Client) -> Result<(), modelwire::ToolRunError> {
    /// use modelwire::{Request, Tool};
    ///
    /// let weather = Tool::new("weather").description("The weather of a city.").parameters_json(
    ///     r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#,
    /// );
    /// let request = Request::chat("a-model").user("Is it raining in Rome?").tool(weather);
    /// let run = client.run_tools(request, 10, async |call| match &*call.name {
    ///     "weather" => Ok("sunny".to_owned()),
    ///     other => Err(format!("no tool is called {other}")),
    /// });
    /// println!("{}", run.await?.answer.text());
    /// # Ok(()) }
    /// ```
    pub async fn run_tools<T, E>(
        &self,
        request: Request,
        max_turns: u32,
        tool: impl FnMut(CalledTool) -> T,
    ) -> Result<ToolRun, ToolRunError>
    where
        T: Future<Output = Result<String, E>>,
        E: std::fmt::Display,
    {
        run_tools(request, max_turns, |request| self.send(request), tool).await
    }

    /// The same calls, blocking the calling thread.
    pub fn blocking(&self) -> Blocking<'_> {
        Blocking::new(&self.session)
    }

    /// The usage of this client's answered calls so far, in this process. Models beyond
    /// [`USAGE_MODELS_MAX`](crate::limits::USAGE_MODELS_MAX) are added up under
    /// [`OTHER_MODELS`](crate::limits::OTHER_MODELS).
    ///
    /// ```
    /// # use std::io::{Read, Write};
    /// # let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    /// # let base_url = format!("http://{}/v1", listener.local_addr()?);
    /// # std::thread::spawn(move || -> std::io::Result<u64> {
    /// #     let mut connection = listener.accept()?.0;
    /// #     connection.read(&mut [0; 4096])?;
    /// #     let body = r#"{"model":"a-model","usage":{"prompt_tokens":3,"completion_tokens":1},
    /// #         "choices":[{"finish_reason":"stop","message":{"content":"Hello"}}]}"#;
    /// #     let head = format!("content-length: {}\r\nx-request-id: req-1", body.len());
    /// #     write!(connection, "HTTP/1.1 200 OK\r\n{head}\r\n\r\n{body}")?;
    /// #     std::io::copy(&mut connection, &mut std::io::sink())
    /// # });
    /// # let config = modelwire::Config::new().base_url(base_url).api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::Request;
    ///
    /// client.blocking().send(Request::chat("a-model").user("Say hello."))?;
    /// assert_eq!(client.usage()["a-model"].tokens.total_tokens, 4);
    /// assert_eq!(client.usage_by_key()[client.key_id()]["a-model"].calls, 1);
    ///
    /// client.take_usage(); // starts again from 0
    /// assert!(client.usage().is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn usage(&self) -> UsageSums {
        usage_by_model(&self.session.usage())
    }

    /// The same by the id of each call's key, and by model.
    pub fn usage_by_key(&self) -> UsageByKey {
        self.session.usage()
    }

    /// Returns what [`Client::usage_by_key`] returns and resets it in one atomic step: a call that ends
    /// at the same time is counted once, in this sum or in the next one.
    pub fn take_usage(&self) -> UsageByKey {
        self.session.take_usage()
    }

    /// The [id](crate::key_id) of this client's own key, as in the usage sums.
    pub fn key_id(&self) -> &str {
        self.session.settings.api_key.id()
    }

    /// Sets the callback that runs once for each call of this client that was started, after it has
    /// ended, however it ended; also for calls of clients that share its sums ([`Client::beside`]). It
    /// replaces an earlier callback, which first receives what ended before. [`ControlFlow::Break`]
    /// ends it.
    ///
    /// It runs on one thread of the library, in the order in which calls ended. It may block, make
    /// calls and panic: no call waits for it. At most
    /// [`RECORDS_WAITING_MAX`](crate::limits::RECORDS_WAITING_MAX) ended calls are queued for it;
    /// further ones are dropped, and the next event reports how many ([`CallEnded::dropped`]). Queued
    /// answers take at most [`RECORDS_WAITING_BYTES_MAX`](crate::limits::RECORDS_WAITING_BYTES_MAX)
    /// bytes.
    ///
    /// The callback is dropped on its thread, after everything queued for it: when another one replaces
    /// it, at [`Client::clear_on_call`], when the client and all its calls are dropped, at
    /// [`shutdown`](crate::shutdown), and at [`Client::close`]; the last two wait for that. Inside the
    /// callback `close` fails with [`ErrorKind::Callback`](crate::ErrorKind::Callback). In a forked
    /// child the callback is neither called nor dropped; the child may set its own.
    ///
    /// Fails if the client was closed, and during a shutdown.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// use std::ops::ControlFlow;
    ///
    /// client.on_call(|ended| {
    ///     println!("{:?} {:?}", ended.record.elapsed(), ended.record.usage());
    ///     ControlFlow::Continue(())
    /// })?;
    /// # Ok(()) }
    /// ```
    pub fn on_call(
        &self,
        function: impl FnMut(CallEnded) -> ControlFlow<()> + Send + 'static,
    ) -> Result<()> {
        observer::replace(&self.session, function)
    }

    /// Ends what [`Client::on_call`] set: calls that end from now on are not reported. Does not wait.
    pub fn clear_on_call(&self) -> Result<()> {
        observer::end(&self.session);
        Ok(())
    }

    /// Sets the function that runs before each attempt of each call, also before retries and moves to another
    /// base URL: to sign requests, audit them, or add headers. It replaces an earlier one.
    ///
    /// `Err` refuses the attempt with a reason: the call ends with
    /// [`ErrorKind::Callback`](crate::ErrorKind::Callback), and nothing more is sent. A function that takes
    /// longer than [`BEFORE_ATTEMPT_TIME_MAX`](crate::limits::BEFORE_ATTEMPT_TIME_MAX), or than the call has
    /// left, ends the call as well. It runs on a helper thread of the library, never on the I/O thread, while its
    /// call holds a connection's permit; several calls run it at the same time, in the process at most
    /// [`BEFORE_ATTEMPTS_MAX`](crate::limits::BEFORE_ATTEMPTS_MAX). It may make calls; those of this client run it
    /// as well. It can neither wait for its own call nor close this client: [`Client::close`] waits until it has
    /// returned, and drops it; [`shutdown`](crate::shutdown()) waits for it too. It is dropped on no I/O thread.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// client.before_attempt(|attempt| {
    ///     if attempt.body().len() > 1_000_000 {
    ///         return Err("the body is larger than a megabyte".to_owned());
    ///     }
    ///     attempt.set_header("x-attempt", attempt.number().to_string()).map_err(|error| error.to_string())
    /// })?;
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn before_attempt(
        &self,
        function: impl Fn(&Arc<BeforeAttempt>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<()> {
        self.session.set_hook(Some(Hook::new(function)))
    }

    /// Removes what [`Client::before_attempt`] set; does not wait.
    pub fn clear_before_attempt(&self) -> Result<()> {
        self.session.set_hook(None)
    }

    /// Delivers the ended calls of this client through the queue as [`Next::Call`](crate::Next::Call)
    /// with this tag, which replaces an earlier one; each is in the queue before the consumer of the
    /// call can see its end. `None` ends this and discards queued events. Several clients may have the
    /// same tag. The limits of [`Client::on_call`] apply to all clients of the queue together. A closed
    /// queue ends it after the records of its own calls.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use modelwire::{CompletionQueue, Next};
    ///
    /// let queue = CompletionQueue::new(None);
    /// client.follow_calls(&queue, Some(7))?;
    /// let _ = client.blocking().models(); // nothing listens there
    /// let Next::Call(7, ended) = queue.next(None)? else { return Err("no ended call".into()) };
    /// assert_eq!(ended.record.path(), "/v1/models");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn follow_calls(&self, queue: &CompletionQueue, tag: Option<u64>) -> Result<()> {
        queue.follow_calls(&self.session, tag)
    }

    /// Rejects new calls ([`ErrorKind::Closed`](crate::ErrorKind::Closed)), ends those in flight with
    /// the same error, closes idle connections, and waits until every callback of its started calls is
    /// dropped: then no code of the program runs for this client, whatever other clients do. Returns
    /// false on timeout; a later close continues the wait. The client stays closed, as do all its
    /// clones and every copy in a forked child. Inside one of its own callbacks it fails and does
    /// nothing.
    ///
    /// ```
    /// # let config = modelwire::Config::new().base_url("http://127.0.0.1:9/v1").api_key("sk-test");
    /// # let client = modelwire::Client::new(config)?;
    /// use std::time::Duration;
    ///
    /// assert!(client.close(Some(Duration::from_secs(5)))?);
    /// let error = client.blocking().models().unwrap_err();
    /// assert_eq!(error.kind(), modelwire::ErrorKind::Closed);
    /// # Ok::<(), modelwire::Error>(())
    /// ```
    pub fn close(&self, timeout: Option<Duration>) -> Result<bool> {
        callbacks::close(&self.session, timeout)
    }

    /// The configured base URL, with its query redacted.
    pub fn base_url(&self) -> String {
        self.session.base_url()
    }

    /// The number of its base URLs: for bulk jobs, which choose one for each attempt.
    #[doc(hidden)]
    pub fn services(&self) -> usize {
        self.session.settings.upstreams.as_ref().map_or(1, |several| several.all.len())
    }

    /// Whether this one has an API key of its own.
    #[doc(hidden)]
    pub fn service_has_own_key(&self, number: usize) -> bool {
        let several = self.session.settings.upstreams.as_ref();
        several.and_then(|several| several.all.get(number)).is_some_and(|one| one.has_own_key)
    }

    /// Whether the client has [`Config::idempotency_header`]: for bulk jobs, whose rows have their own keys.
    #[doc(hidden)]
    pub fn sends_idempotency_keys(&self) -> bool {
        self.session.settings.idempotency_header.is_some()
    }
}

impl Call {
    /// Creates a call without starting it.
    pub fn new(client: &Client, request: Request) -> Call {
        Call::of(client.session.clone(), request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}

/// The settings of a client, checked for errors.
fn checked(config: Config) -> Result<Settings> {
    let settings = config.validate()?;
    Transport::check(&settings)?;
    if is_sent_in_clear(&settings) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        let text = "base_url uses plain http to another machine: the API key is sent unencrypted";
        warn_once(&WARNED, text);
    }
    Ok(settings)
}

fn is_sent_in_clear(settings: &Settings) -> bool {
    settings.base_url.scheme() == "http" && !settings.is_loopback()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

    use super::*;

    fn config(base_url: &str) -> Config {
        Config::new().base_url(base_url).api_key("sk-test")
    }

    #[test]
    fn only_plain_http_to_another_machine_is_in_clear() {
        for (base_url, is_in_clear) in [
            ("http://h/v1", true),
            ("https://h/v1", false),
            ("http://127.0.0.1/v1", false),
            ("https://127.0.0.1/v1", false),
        ] {
            let settings = config(base_url).validate().unwrap();
            assert_eq!(is_sent_in_clear(&settings), is_in_clear, "{base_url}");
        }
    }

    #[test]
    fn a_client_knows_whether_it_sends_idempotency_keys() {
        let client = |config| Client::new(config).unwrap();
        let without = client(config("http://127.0.0.1/v1"));
        assert!(!without.sends_idempotency_keys());
        let with = client(config("http://127.0.0.1/v1").idempotency_header("Idempotency-Key"));
        assert!(with.sends_idempotency_keys());
    }
}

#[cfg(all(test, not(feature = "http2"), not(feature = "socks")))]
mod tests_without_features {
    use super::Client;
    use crate::options::config::Config;

    #[test]
    fn an_option_of_a_feature_that_is_not_built_in_is_refused() {
        let config = || Config::new().base_url("https://127.0.0.1:1").api_key("sk-test");
        for (config, name) in
            [(config().http2(true), "http2"), (config().proxy("socks5h://127.0.0.1:1"), "socks")]
        {
            let error = Client::new(config).err().map(|error| error.message().to_owned());
            let expected = format!("needs the feature {name:?}, which this build does not have");
            assert!(error.as_ref().is_some_and(|error| error.contains(&expected)), "{error:?}");
        }
    }
}
