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
use crate::call::listeners::Told;
use crate::call::queue::{Event, Pop};
use crate::call::session::Session;
use crate::delivery::callbacks;
use crate::delivery::collector::Collector;
use crate::delivery::completion::CompletionQueue;
use crate::delivery::records::{Records, RecordsOptions};
use crate::delivery::teller::{self, Teller};
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

    /// From now on what the calls of this client tell at their ends is collected, and of those that share
    /// its sums ([`Client::beside`]): one [`CallRecord`](crate::CallRecord) for each started call, there
    /// before the consumer of the call can see its end. In a forked child nothing is collected until it
    /// asks for itself.
    pub fn records(&self, options: RecordsOptions) -> Result<Records> {
        Records::of(&self.session, options, None)
    }

    /// The same, collected beside what other clients tell, each record with this number. Of answers, those
    /// of calls with a [tag](Request::tag) are kept, where the options ask for them.
    pub fn records_into(
        &self,
        collector: &Collector,
        options: RecordsOptions,
        number: u64,
    ) -> Result<()> {
        collector.follow(&self.session, options, number)
    }

    /// The same, told to a function one by one on a thread of the library's own. It may block, call
    /// and panic: no call is changed by that, and what finds no room meanwhile is counted. It is dropped
    /// on that thread once the [`Teller`] has ended, or at [`shutdown`](crate::shutdown), behind what is
    /// due.
    ///
    /// ```no_run
    /// # fn run(client: modelwire::Client) -> modelwire::Result<()> {
    /// let teller = client.tell(modelwire::RecordsOptions::default(), |told| {
    ///     println!("{:?} {:?}", told.record.elapsed(), told.record.usage());
    /// })?;
    /// # Ok(()) }
    /// ```
    pub fn tell(
        &self,
        options: RecordsOptions,
        mut tell: impl FnMut(Told) + Send + 'static,
    ) -> Result<Teller> {
        let tell = move |told| {
            tell(told);
            ControlFlow::Continue(())
        };
        Teller::new(&self.session, options, tell)
    }

    /// The same for a function that lives as long as the client and its calls, in place of an earlier
    /// one, which is told first what ended before; [`ControlFlow::Break`] ends it. It is dropped on its
    /// thread once it was told what is due: when another one comes, at [`Client::tell_end`], when the
    /// client and all its calls are gone, at [`shutdown`](crate::shutdown), and at [`Client::close`],
    /// which waits for that and fails inside it. Fails where the client was closed. A forked child has none.
    pub fn tell_on(
        &self,
        options: RecordsOptions,
        tell: impl FnMut(Told) -> ControlFlow<()> + Send + 'static,
    ) -> Result<()> {
        teller::replace(&self.session, options, tell)
    }

    /// Ends what [`Client::tell_on`] set; waits for nothing.
    pub fn tell_end(&self) -> Result<()> {
        teller::end(&self.session)
    }

    /// The same as [`Next::Call`](crate::Next::Call) of a queue, with this tag, in place of what was set
    /// there for this client before; without options no more, and what waits is lost. Clients may have
    /// the same tag. When the queue is closed it ends behind what the calls of the queue told.
    pub fn follow_calls(
        &self,
        queue: &CompletionQueue,
        options: Option<RecordsOptions>,
        tag: u64,
    ) -> Result<()> {
        queue.follow_calls(&self.session, options, tag)
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
