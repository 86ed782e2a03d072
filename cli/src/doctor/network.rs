//! Names to addresses, and addresses to connections, each within a time.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest look-up of a name that is waited for: the system's own ends after 10 s and more where its
/// servers are silent.
pub(crate) const LOOK_UP_TIME_MAX: Duration = Duration::from_secs(15);

/// A look-up that takes longer is slow.
pub(crate) const LOOK_UP_SLOW: Duration = Duration::from_secs(1);

/// Longest attempt to connect: three packets without an answer are dropped by then.
pub(crate) const CONNECT_TIME_MAX: Duration = Duration::from_secs(8);

/// So many addresses of a host are tried.
pub(crate) const ADDRESSES_MAX: usize = 8;

/// What a look-up gave.
pub(crate) enum LookedUp {
    /// The host is an address itself.
    Literal(SocketAddr),
    /// Its addresses, at least one.
    Found(Vec<SocketAddr>),
    /// There are none.
    Failed(io::Error),
    /// Nobody answered within the time.
    TimedOut,
}

/// The addresses of a host. The thread that asks the system cannot be stopped; it is left behind where
/// the time runs out.
pub(crate) fn look_up(host: &str, port: u16, time_max: Duration) -> LookedUp {
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return LookedUp::Literal(SocketAddr::new(address, port));
    }
    let (tell, told) = mpsc::channel();
    let name = host.to_owned();
    let asked = thread::Builder::new().name("doctor-dns".to_owned()).spawn(move || {
        // Whoever waited may be gone.
        let _ = tell.send((name.as_str(), port).to_socket_addrs().map(Vec::from_iter));
    });
    if let Err(error) = asked {
        return LookedUp::Failed(error);
    }
    match told.recv_timeout(time_max.min(LOOK_UP_TIME_MAX)) {
        Ok(Ok(found)) if found.is_empty() => {
            LookedUp::Failed(io::Error::other("the name has no address"))
        }
        Ok(Ok(mut found)) => {
            found.sort();
            found.dedup();
            LookedUp::Found(found)
        }
        Ok(Err(error)) => LookedUp::Failed(error),
        Err(RecvTimeoutError::Timeout) => LookedUp::TimedOut,
        Err(RecvTimeoutError::Disconnected) => {
            LookedUp::Failed(io::Error::other("the lookup ended without an answer"))
        }
    }
}

/// An attempt to connect.
pub(crate) struct Tried {
    pub(crate) address: SocketAddr,
    pub(crate) connection: io::Result<TcpStream>,
    pub(crate) took: Duration,
}

/// Tries the first [`ADDRESSES_MAX`] addresses side by side.
pub(crate) fn connect(addresses: &[SocketAddr], time_max: Duration) -> Vec<Tried> {
    let time_max = time_max.min(CONNECT_TIME_MAX);
    thread::scope(|scope| {
        let attempts: Vec<_> = addresses
            .iter()
            .take(ADDRESSES_MAX)
            .map(|&address| (address, scope.spawn(move || connect_one(address, time_max))))
            .collect();
        let ended = attempts.into_iter().map(|(address, attempt)| {
            attempt.join().unwrap_or_else(|_| Tried {
                address,
                connection: Err(io::Error::other("the attempt ended without an answer")),
                took: Duration::ZERO,
            })
        });
        ended.collect()
    })
}

fn connect_one(address: SocketAddr, time_max: Duration) -> Tried {
    let start = Instant::now();
    let connection = TcpStream::connect_timeout(&address, time_max);
    Tried { address, connection, took: start.elapsed() }
}
