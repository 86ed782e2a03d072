//! The handle: starts the service on its own thread and stops it.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::oneshot;

use crate::answer::Reported;
use crate::connection::serve;
use crate::load::{Counts, Load};
use crate::reply::Reply;
use crate::script::Script;
use crate::state::{Metered, OpenConnection, Recorded, Shared};

/// Connections that may wait to be accepted: thousands come at once in tests of concurrency.
const BACKLOG: u32 = 4096;
/// After a failed accept (mostly: no file descriptor left), before the next.
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// How the service is played.
#[derive(Clone, Debug)]
pub struct Options {
    /// The API key that the played service accepts. Default `sk-test`.
    pub key: String,
    /// The port on 127.0.0.1; 0, the default, takes a free one.
    pub port: u16,
    /// Whether answers report usage. Default: as real services do.
    pub usage: Reported,
    /// Between the words of a streamed answer. Default zero.
    pub word_pause: Duration,
    /// Calls to model `limited` in each window. Default 2.
    pub rate_limit_calls: u32,
    /// The window of model `limited`, which slides. Default 1 s.
    pub rate_limit_window: Duration,
    /// What the played service does under load, for all of its models together. Default: it admits
    /// everything at once. Scripted answers are not subject to it.
    pub load: Load,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            key: "sk-test".to_owned(),
            port: 0,
            usage: Reported::default(),
            word_pause: Duration::ZERO,
            rate_limit_calls: 2,
            rate_limit_window: Duration::from_secs(1),
            load: Load::default(),
        }
    }
}

/// A running service. Dropping it stops its thread and closes all its connections.
///
/// A process that forks keeps the service in the parent; dropping the child's copy does nothing.
#[derive(Debug)]
pub struct Service {
    shared: Arc<Shared>,
    address: SocketAddr,
    thread: Option<Thread>,
    process: u32,
}

#[derive(Debug)]
struct Thread {
    stop: oneshot::Sender<()>,
    handle: JoinHandle<()>,
}

impl Service {
    /// Starts a service with the default options.
    pub fn start() -> io::Result<Service> {
        Service::start_with(Options::default())
    }

    /// Starts a service; it accepts connections when this returns.
    pub fn start_with(options: Options) -> io::Result<Service> {
        let shared = Arc::new(Shared::new(options));
        let (stop, stopped) = oneshot::channel();
        let (listening, address) = mpsc::channel();
        let of_thread = Arc::clone(&shared);
        let handle = std::thread::Builder::new()
            .name("modelwire-service".to_owned())
            .spawn(move || run(of_thread, &listening, stopped))?;
        // The thread reports before it serves; a closed channel means that it died before.
        let address = address.recv().map_err(io::Error::other)??;
        let thread = Some(Thread { stop, handle });
        Ok(Service { shared, address, thread, process: std::process::id() })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL of the played service: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Registers a script and returns its base URL, `http://127.0.0.1:PORT/scripts/NAME/v1`.
    /// A name has letters, digits, `-`, `_` and `.`; a script of that name is replaced, and its
    /// recorded requests are forgotten. A script asks for no key.
    pub fn script(&self, name: &str, script: Script) -> String {
        self.shared.register(name, script);
        format!("http://{}/scripts/{name}/v1", self.address)
    }

    /// Lets the next requests to the played service take these answers in their order.
    pub fn queue(&self, replies: Vec<Reply>) {
        self.shared.queue(replies);
    }

    /// What such a request is told when no answer is queued; `None`, as at the start, is what the
    /// played service says.
    pub fn answer_otherwise(&self, reply: Option<Reply>) {
        self.shared.answer_otherwise(reply);
    }

    /// The queued answers that no request has taken yet.
    pub fn replies_waiting(&self) -> usize {
        self.shared.replies_waiting()
    }

    /// The requests that reached a script, in order; those to the played service for `""`.
    /// The latest 10,000 of each name are kept, and of them at most 256 MiB of bodies.
    pub fn recorded(&self, name: &str) -> Vec<Recorded> {
        self.shared.recorded(name)
    }

    /// Connections accepted so far.
    pub fn connections(&self) -> u64 {
        self.shared.connections()
    }

    /// Connections open now. A connection that the client closed counts until the service
    /// noticed, which takes a moment.
    pub fn open_connections(&self) -> u64 {
        self.shared.open_connections()
    }

    /// What was metered, by model.
    pub fn metered(&self) -> BTreeMap<String, Metered> {
        self.shared.metered()
    }

    /// Plays another load from now on. What was let in is still answered when it was said.
    pub fn set_load(&self, load: Load) {
        self.shared.set_load(load);
    }

    /// What the load made of the calls so far.
    pub fn load_counts(&self) -> Counts {
        self.shared.load_counts()
    }

    /// Forgets recorded requests, meters, the counters of models and the queued answers, but not
    /// the scripts.
    pub fn clear(&self) {
        self.shared.clear();
    }

    /// Stops the thread and closes all connections. What was recorded can still be read.
    pub fn stop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        if std::process::id() != self.process {
            // A forked child has no such thread: to join it would wait forever.
            std::mem::forget(thread);
            return;
        }
        // Neither can fail in a way that leaves something to do: the thread is over then.
        let _ = thread.stop.send(());
        let _ = thread.handle.join();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The whole life of the service's thread.
fn run(
    shared: Arc<Shared>,
    listening: &mpsc::Sender<io::Result<SocketAddr>>,
    stopped: oneshot::Receiver<()>,
) {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return report(listening, Err(error)),
    };
    runtime.block_on(async {
        let bound =
            listen(shared.options.port).and_then(|listener| Ok((listener.local_addr()?, listener)));
        match bound {
            Ok((address, listener)) => {
                tokio::spawn(accept(shared, listener));
                report(listening, Ok(address));
                // A handle that was leaked or lost its sender stops the service as well.
                let _ = stopped.await;
            }
            Err(error) => report(listening, Err(error)),
        }
    });
    // Dropping the runtime here drops every task, and with it every socket.
}

fn report(listening: &mpsc::Sender<io::Result<SocketAddr>>, address: io::Result<SocketAddr>) {
    // Whoever started the thread waits for this; if not, nobody is left to be told.
    let _ = listening.send(address);
}

fn listen(port: u16) -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port)))?;
    socket.listen(BACKLOG)
}

async fn accept(shared: Arc<Shared>, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let open = OpenConnection::count(Arc::clone(&shared));
                tokio::spawn(serve(Arc::clone(&shared), open, stream));
            }
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}
