//! The handle that users hold. Knows no language.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::call::call::Call;
use crate::call::queue::{Event, Pop};
use crate::call::session::Session;
use crate::config::{Config, Settings};
use crate::delivery::callbacks;
use crate::error::Result;
use crate::http::transport::Transport;
use crate::request::Request;
use crate::response::Response;
use crate::stream::{Blocking, Stream, ended_early};
use crate::usage_sums::UsageSums;

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

    /// What the answered calls of this client used so far, in this process.
    pub fn usage(&self) -> UsageSums {
        self.session.usage()
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
