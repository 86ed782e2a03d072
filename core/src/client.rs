//! The handle that users hold: its settings, its connections in each process, and the sums of
//! what its calls used. Knows no language.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell as AsyncOnceCell;

use crate::call::call::Call;
use crate::call::queue::{Event, Pop};
use crate::config::{Config, SharedSettings};
use crate::delivery::callbacks::Dispatcher;
use crate::driver::offload::offload;
use crate::driver::runtime::PerProcess;
use crate::error::Result;
use crate::http::transport::Transport;
use crate::protocol::usage::Usage;
use crate::request::Request;
use crate::response::Response;
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
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) settings: SharedSettings,
    transport: PerProcess<AsyncOnceCell<Arc<Transport>>>,
    usage: PerProcess<Mutex<UsageSums>>,
    dispatcher: PerProcess<Dispatcher>,
}

/// What the calls of a client used, by requested model (R-MET1).
pub type UsageSums = BTreeMap<String, UsageSum>;

/// What the calls of one model used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UsageSum {
    /// Answered calls.
    pub calls: u64,
    /// Tokens as the answers reported them.
    pub tokens: Usage,
}

impl Client {
    /// A client with this configuration. Fails if the configuration is wrong; connects to
    /// nothing.
    pub fn new(config: Config) -> Result<Client> {
        let settings = config.validate()?;
        Transport::check(&settings)?;
        if settings.base_url.scheme() == "http" && !settings.is_loopback() {
            warn_of_plain_http();
        }
        let inner = Inner {
            settings: Arc::new(settings),
            transport: PerProcess::new(),
            usage: PerProcess::new(),
            dispatcher: PerProcess::new(),
        };
        Ok(Client { inner: Arc::new(inner) })
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
        Stream::open(self, request).await
    }

    /// The same calls, waiting on the calling thread.
    pub fn blocking(&self) -> Blocking<'_> {
        Blocking::new(self)
    }

    /// What the answered calls of this client used so far, in this process.
    pub fn usage(&self) -> UsageSums {
        match self.inner.usage.get() {
            Some(sums) => sums.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            None => UsageSums::new(),
        }
    }

    /// The configured base URL, its query masked.
    pub fn base_url(&self) -> String {
        let mut url = self.inner.settings.base_url.clone();
        if url.query().is_some() {
            url.set_query(Some("[query]"));
        }
        url.to_string()
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.inner
    }
}

impl Inner {
    fn transport_cell(&self) -> Result<&AsyncOnceCell<Arc<Transport>>> {
        self.transport.get_or_try_init(|| Ok(AsyncOnceCell::new()))
    }

    /// The connections of this process, where they are made already or cost nothing to make.
    pub(crate) fn transport_if_cheap(&self) -> Option<Result<Arc<Transport>>> {
        let found = || {
            let cell = self.transport_cell()?;
            if cell.get().is_none() && !self.settings.needs_tls() {
                // Two threads may both make one: the first is kept.
                let _ = cell.set(Arc::new(Transport::new(&self.settings)?));
            }
            Ok(cell.get().cloned())
        };
        found().transpose()
    }

    /// The same. Where TLS is spoken the first call makes them on a helper thread: reading the
    /// system's certificates takes milliseconds. Others wait for that and keep no thread.
    pub(crate) async fn transport(&self) -> Result<Arc<Transport>> {
        let settings = self.settings.clone();
        let make = || offload(usize::MAX, move || Transport::new(&settings).map(Arc::new));
        self.transport_cell()?.get_or_try_init(make).await.cloned()
    }

    /// The callback thread, started if need be.
    pub(crate) fn dispatcher(&self) -> Result<&Dispatcher> {
        self.dispatcher.get_or_try_init(Dispatcher::new)
    }

    pub(crate) fn count(&self, model: &str, usage: Usage) {
        let Ok(sums) = self.usage.get_or_try_init(|| Ok(Mutex::default())) else { return };
        let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = match sums.get_mut(model) {
            Some(sum) => sum,
            None => sums.entry(model.to_owned()).or_default(),
        };
        sum.calls += 1;
        let add = |sum: &mut u64, tokens: u64| *sum = sum.saturating_add(tokens);
        add(&mut sum.tokens.input_tokens, usage.input_tokens);
        add(&mut sum.tokens.output_tokens, usage.output_tokens);
        add(&mut sum.tokens.total_tokens, usage.total_tokens);
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("base_url", &self.base_url()).finish_non_exhaustive()
    }
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
