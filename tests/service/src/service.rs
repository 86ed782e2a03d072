//! The handle: starts the service on its own thread, and stops it.

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
use crate::record::Upstream;
use crate::recording::{Pace, Replay};
use crate::reply::Reply;
use crate::script::Script;
use crate::state::{Metered, OpenConnection, Recorded, Shared};

/// The accept backlog: in tests of concurrency, thousands of connections arrive at once.
const BACKLOG: u32 = 4096;
/// The pause after a failed accept (usually no file descriptor was left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// The options of the service.
#[derive(Clone, Debug)]
pub struct Options {
    /// The API key that the played service accepts. Default `sk-test`.
    pub key: String,
    /// The port on 127.0.0.1; 0, the default, takes a free one.
    pub port: u16,
    /// Whether answers report usage. Default: as real services do.
    pub usage: Reported,
    /// The pause between the words of a streamed answer. Default zero.
    pub word_pause: Duration,
    /// Calls to model `limited` in each window. Default 2.
    pub rate_limit_calls: u32,
    /// The window of model `limited`, which slides. Default 1 s.
    pub rate_limit_window: Duration,
    /// The load of the played service, over all of its models. Default: everything is admitted at once.
    /// Scripted answers are not subject to it.
    pub load: Load,
    /// Passes requests on to this service, and records them. Default: none.
    pub record: Option<Arc<Upstream>>,
    /// Answers with these recorded exchanges, instead of the played service. Default: none.
    pub replay: Option<Arc<Replay>>,
    /// How fast they are replayed.
    pub pace: Pace,
    /// Cuts answers of the service after this many events. Default: none.
    pub cut_after: Option<usize>,
    /// Answers with this status instead. Default: none.
    pub status: Option<u16>,
    /// Only each so manieth request gets these faults. Default 1: all of them.
    pub every: u64,
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
            record: None,
            replay: None,
            pace: Pace::default(),
            cut_after: None,
            status: None,
            every: 1,
        }
    }
}

/// A running service. Dropping it stops its thread and closes all its connections.
///
/// After a fork, the service runs in the parent; dropping the child's copy does nothing.
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
        // The thread reports before it serves; a closed channel means that it has died.
        let address = address.recv().map_err(io::Error::other)??;
        let thread = Some(Thread { stop, handle });
        Ok(Service { shared, address, thread, process: std::process::id() })
    }

    /// Its address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL of the played service: `http://127.0.0.1:PORT/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Registers a script and returns its base URL, `http://127.0.0.1:PORT/scripts/NAME/v1`. A name has
    /// letters, digits, `-`, `_` and `.`; an existing script of that name is replaced, and its recorded
    /// requests are forgotten. A script requires no key.
    pub fn script(&self, name: &str, script: Script) -> String {
        self.shared.register(name, script);
        format!("http://{}/scripts/{name}/v1", self.address)
    }

    /// Queues these answers for the next requests to the played service.
    pub fn queue(&self, replies: Vec<Reply>) {
        self.shared.queue(replies);
    }

    /// Sets the answer for an empty queue; `None`, the default, is the played service's.
    pub fn answer_otherwise(&self, reply: Option<Reply>) {
        self.shared.answer_otherwise(reply);
    }

    /// The number of queued answers that no request has taken yet.
    pub fn replies_waiting(&self) -> usize {
        self.shared.replies_waiting()
    }

    /// The requests that reached a script, in order; `""` is the played service. The latest 10,000 of each
    /// name are kept, with at most 256 MiB of bodies.
    pub fn recorded(&self, name: &str) -> Vec<Recorded> {
        self.shared.recorded(name)
    }

    /// The number of accepted connections.
    pub fn connections(&self) -> u64 {
        self.shared.connections()
    }

    /// The number of open connections. One that the client closed counts until the service notices.
    pub fn open_connections(&self) -> u64 {
        self.shared.open_connections()
    }

    /// The metered usage, by model.
    pub fn metered(&self) -> BTreeMap<String, Metered> {
        self.shared.metered()
    }

    /// Plays another load from now on. Admitted calls are still answered at their time.
    pub fn set_load(&self, load: Load) {
        self.shared.set_load(load);
    }

    /// The load's results so far.
    pub fn load_counts(&self) -> Counts {
        self.shared.load_counts()
    }

    /// Forgets recorded requests, meters, the counters of models and the queued answers, but not the
    /// scripts.
    pub fn clear(&self) {
        self.shared.clear();
    }

    /// Stops the thread and closes all connections. Recorded data remains readable.
    pub fn stop(&mut self) {
        let Some(thread) = self.thread.take() else {
            return;
        };
        if std::process::id() != self.process {
            // A forked child has no such thread: joining it would wait forever.
            std::mem::forget(thread);
            return;
        }
        // If either fails, the thread has already ended.
        let _ = thread.stop.send(());
        let _ = thread.handle.join();
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The main function of the service's thread.
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
                // A leaked handle, or one that lost its sender, also stops the service.
                let _ = stopped.await;
            }
            Err(error) => report(listening, Err(error)),
        }
    });
    // Dropping the runtime drops every task, and with it every socket.
}

fn report(listening: &mpsc::Sender<io::Result<SocketAddr>>, address: io::Result<SocketAddr>) {
    // The starting thread waits for this; otherwise there is nowhere to report it.
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
