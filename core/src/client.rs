//! The handle that users hold. Knows no language.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::answer::error::Result;
use crate::answer::response::Response;
use crate::answer::usage_sums::{UsageByKey, UsageSums, usage_by_model};
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
use crate::stream::{Blocking, Stream, ended_early};

/// A client of one service. Cheap to clone, free to share between threads; calls do not wait for
/// each other. It connects at its first call, and anew in a forked child.
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
    /// A client with this configuration. Fails if the configuration is wrong; connects to
    /// nothing.
    pub fn new(config: Config) -> Result<Client> {
        Ok(Client { session: Arc::new(Session::new(checked(config)?)) })
    }

    /// A client with another configuration, and connections of its own, whose calls are counted in
    /// the sums of this one: [`usage`](Client::usage) of either has both.
    pub fn beside(&self, config: Config) -> Result<Client> {
        Ok(Client { session: Arc::new(self.session.beside(checked(config)?)) })
    }

    /// A client of the service that the environment names (see [`Config`]).
    pub fn from_env() -> Result<Client> {
        Client::new(Config::new())
    }

    /// The list of models.
    pub async fn models(&self) -> Result<Response> {
        self.send(Request::models()).await
    }

    /// A call that is answered whole. Works under any async runtime. Dropping the future cancels
    /// the call.
    pub async fn send(&self, request: Request) -> Result<Response> {
        let call = Call::new(self, request);
        call.start(false)?;
        loop {
            match std::future::poll_fn(|cx| call.poll_pop(cx)).await? {
                Pop::Event(Event::Done(outcome)) => return outcome,
                Pop::Event(Event::Open(_) | Event::Chunk(_)) | Pop::Empty => {}
                Pop::End => return Err(ended_early()),
            }
        }
    }

    /// A call that is answered piece by piece. Returns when the service has accepted it; an
    /// error that comes before is returned here. Works under any async runtime.
    pub async fn stream(&self, request: Request) -> Result<Stream> {
        Stream::open(Call::new(self, request)).await
    }

    /// The same calls, waiting on the calling thread.
    pub fn blocking(&self) -> Blocking<'_> {
        Blocking::new(&self.session)
    }

    /// What the answered calls of this client used so far, in this process. Models beyond
    /// [`USAGE_MODELS_MAX`](crate::USAGE_MODELS_MAX) are summed up under
    /// [`OTHER_MODELS`](crate::OTHER_MODELS).
    pub fn usage(&self) -> UsageSums {
        usage_by_model(&self.session.usage())
    }

    /// The same by the id of the key that each call was made with, and by model.
    pub fn usage_by_key(&self) -> UsageByKey {
        self.session.usage()
    }

    /// What [`Client::usage_by_key`] gives, and sets it back to nothing in one step: a call that ends
    /// meanwhile is in this sum or in the next one, never in both and never in none.
    pub fn take_usage(&self) -> UsageByKey {
        self.session.take_usage()
    }

    /// The [id](crate::key_id) of this client's own key, by which sums name it.
    pub fn key_id(&self) -> &str {
        self.session.settings.api_key.id()
    }

    /// Calls the function once for each call of this client that was started, after it has ended, however it
    /// ended; also for calls of clients that share its sums ([`Client::beside`]). It replaces an earlier
    /// function, which first gets what ended before. [`ControlFlow::Break`] ends it.
    ///
    /// It runs on one thread of the library, in the order in which calls ended. It may block, make calls and
    /// panic: no call waits for it. At most [`RECORDS_WAITING_MAX`](crate::RECORDS_WAITING_MAX) ended calls
    /// wait for it; further ones are dropped, and the next event has their number
    /// ([`CallEnded::dropped`]). Answers that wait take at most
    /// [`RECORDS_WAITING_BYTES_MAX`](crate::RECORDS_WAITING_BYTES_MAX) bytes.
    ///
    /// The function is dropped on its thread, after everything that waits for it: when another one replaces
    /// it, at [`Client::clear_on_call`], when the client and all its calls are dropped, at
    /// [`shutdown`](crate::shutdown), and at [`Client::close`], which both wait for that. Inside the function
    /// `close` fails with [`ErrorKind::Callback`](crate::ErrorKind::Callback). In a forked child the
    /// function is neither called nor dropped; the child may set one of its own.
    ///
    /// Fails where the client was closed, and during a shutdown.
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
        observer::end(&self.session)
    }

    /// Ended calls of this client come out of the queue as [`Next::Call`](crate::Next::Call) with this tag,
    /// which replaces an earlier one; each is in the queue before the consumer of the call can see its end.
    /// `None` ends that, and what waits is lost. Several clients may have the same tag. What
    /// [`Client::on_call`] says of bounds holds for all clients of the queue together. A closed queue
    /// ends it after the records of its own calls.
    pub fn follow_calls(&self, queue: &CompletionQueue, tag: Option<u64>) -> Result<()> {
        queue.follow_calls(&self.session, tag)
    }

    /// Refuses calls from now on ([`ErrorKind::Closed`](crate::ErrorKind::Closed)), ends those under
    /// way with the same, and waits until every handler of its started calls was dropped: nothing of
    /// the program's runs for this client any more, whatever other clients do. False if the time
    /// ran out; a later close goes on waiting. Idle connections are closed. It stays closed, as
    /// every clone of it and every copy in a forked child. Inside a handler of its own it fails and
    /// does nothing.
    pub fn close(&self, timeout: Option<Duration>) -> Result<bool> {
        callbacks::close(&self.session, timeout)
    }

    /// The configured base URL, its query masked.
    pub fn base_url(&self) -> String {
        self.session.base_url()
    }
}

impl Call {
    /// A call that is not started yet.
    pub fn new(client: &Client, request: Request) -> Call {
        Call::of(client.session.clone(), request)
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
}

/// The settings of a client, with what can be wrong with them told now.
fn checked(config: Config) -> Result<Settings> {
    let settings = config.validate()?;
    Transport::check(&settings)?;
    if settings.base_url.scheme() == "http" && !settings.is_loopback() {
        warn_of_plain_http();
    }
    Ok(settings)
}

fn warn_of_plain_http() {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if !WARNED.swap(true, Ordering::Relaxed) {
        tracing::warn!(
            target: "modelwire",
            "base_url is plain http to another machine: the API key travels unencrypted"
        );
    }
}
