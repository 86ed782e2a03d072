//! Resolves names and opens connections, each with a timeout.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

/// Maximum wait for a look-up: the system's own takes 10 s and more if name servers are silent.
pub(crate) const LOOK_UP_TIME_MAX: Duration = Duration::from_secs(15);

/// Time from which a look-up is slow.
pub(crate) const LOOK_UP_SLOW: Duration = Duration::from_secs(1);

/// Maximum time of a connection attempt: by then, three packets have gone unanswered.
pub(crate) const CONNECT_TIME_MAX: Duration = Duration::from_secs(8);

/// Maximum addresses to try per host.
pub(crate) const ADDRESSES_MAX: usize = 8;

/// The result of a look-up.
pub(crate) enum LookedUp {
    /// The host is an IP address.
    Literal(SocketAddr),
    /// Its addresses, at least one.
    Found(Vec<SocketAddr>),
    /// The look-up failed.
    Failed(io::Error),
    /// There was no answer in time.
    TimedOut,
}

/// Resolves a host. The resolver's thread cannot be stopped; on timeout it is abandoned.
pub(crate) fn look_up(host: &str, port: u16, time_max: Duration) -> LookedUp {
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return LookedUp::Literal(SocketAddr::new(address, port));
    }
    let (tell, told) = mpsc::channel();
    let name = host.to_owned();
    let asked = thread::Builder::new().name("doctor-dns".to_owned()).spawn(move || {
        // The receiver may be gone.
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

/// A connection attempt.
pub(crate) struct Tried {
    pub(crate) address: SocketAddr,
    pub(crate) connection: io::Result<TcpStream>,
    pub(crate) took: Duration,
}

/// Tries the first [`ADDRESSES_MAX`] addresses in parallel.
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
