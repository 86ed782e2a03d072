//! A descriptor that an event loop can watch, and at which a thread sleeps whom signals may wake. An
//! eventfd, or a pair of sockets for loops that take nothing else. Knows no queue.

use std::os::fd::RawFd;
use std::sync::Arc;
use std::task::Wake;
use std::time::Duration;

use crate::driver::thread::{Polled, keeping_errno, poll_readable};
use crate::error::Result;
use crate::process;
use crate::sync::{AtomicBool, Ordering};

/// A wait that signals may interrupt ends after this time at the latest: a signal that came just
/// before the thread slept wakes nobody, so whoever waits looks for itself as often as this.
pub(crate) const INTERRUPTIBLE_MAX: Duration = Duration::from_millis(100);

/// What the descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireKind {
    /// One descriptor, where there is such a thing.
    Event,
    /// A socket, beside two that stay ours. Sent without raising SIGPIPE, because the program may
    /// have closed its end.
    Socket,
}

#[cfg(not(modelwire_loom))]
mod wire {
    use std::fs::File;
    use std::io::{ErrorKind as IoErrorKind, Read, Result as IoResult, Write};
    use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    use super::{RawFd, Result, WireKind};
    use crate::driver::thread::event_fd;
    use crate::error::Error;

    pub(crate) enum Wire {
        Event(File),
        Sockets(Sockets),
    }

    pub(crate) struct Sockets {
        send: UnixStream,
        receive: UnixStream,
        /// What the program watches: the same socket as `receive` under another number, so that a
        /// program that closes it, against its documentation, makes us read nobody else's file.
        given: Option<UnixStream>,
        inode: u64,
    }

    /// Which socket a number stands for now.
    fn inode(socket: &UnixStream) -> IoResult<u64> {
        Ok(File::from(socket.as_fd().try_clone_to_owned()?).metadata()?.ino())
    }

    impl Sockets {
        fn new() -> IoResult<Sockets> {
            let (send, receive) = UnixStream::pair()?;
            send.set_nonblocking(true)?;
            receive.set_nonblocking(true)?;
            let given = receive.try_clone()?;
            let inode = inode(&given)?;
            Ok(Sockets { send, receive, given: Some(given), inode })
        }

        /// Reads all that waits; how much it was.
        fn empty(&self) -> usize {
            let mut bytes = [0; 16];
            let mut count = 0;
            loop {
                match (&self.receive).read(&mut bytes) {
                    Ok(read) => {
                        count += read;
                        if read < bytes.len() {
                            return count; // no need to be told that nothing is left
                        }
                    }
                    Err(error) if error.kind() == IoErrorKind::Interrupted => {}
                    Err(_) => return count,
                }
            }
        }
    }

    impl Drop for Sockets {
        fn drop(&mut self) {
            // A number that the program closed may stand for a file of the program's by now.
            if let Some(given) = self.given.take()
                && !inode(&given).is_ok_and(|inode| inode == self.inode)
            {
                std::mem::forget(given);
            }
        }
    }

    impl Wire {
        pub(super) fn new(kind: WireKind) -> Result<Wire> {
            let event = match kind {
                WireKind::Event => event_fd(),
                WireKind::Socket => None,
            };
            let made = match event {
                Some(made) => made.map(Wire::Event),
                None => Sockets::new().map(Wire::Sockets),
            };
            made.map_err(|cause: std::io::Error| {
                Error::internal(format!("no descriptor for an event loop: {cause}"))
                    .with_hint("Raise the limit of open files (ulimit -n) or close some.")
            })
        }

        /// System calls only: also from inside a signal handler. Full means that it is readable.
        pub(super) fn send(&self) {
            match self {
                Wire::Event(file) => drop((&mut &*file).write(&1u64.to_ne_bytes())),
                Wire::Sockets(sockets) => {
                    let socket = socket2::SockRef::from(&sockets.send);
                    let _ = socket.send_with_flags(&[1], libc::MSG_NOSIGNAL);
                }
            }
        }

        /// Reads all that waits; how much it was.
        pub(super) fn empty(&self) -> usize {
            match self {
                Wire::Event(file) => {
                    let mut count = [0; 8];
                    let read = (&mut &*file).read(&mut count);
                    read.map_or(0, |_| u64::from_ne_bytes(count) as usize)
                }
                Wire::Sockets(sockets) => sockets.empty(),
            }
        }

        /// What a thread of ours sleeps at.
        pub(super) fn end(&self) -> BorrowedFd<'_> {
            match self {
                Wire::Event(file) => file.as_fd(),
                Wire::Sockets(sockets) => sockets.receive.as_fd(),
            }
        }

        /// What the program watches.
        pub(super) fn fd(&self) -> RawFd {
            match self {
                Wire::Event(file) => file.as_raw_fd(),
                Wire::Sockets(sockets) => sockets.given.as_ref().map_or(-1, AsRawFd::as_raw_fd),
            }
        }
    }
}

/// The model of the descriptor: loom cannot look into the kernel.
#[cfg(modelwire_loom)]
mod wire {
    use std::os::fd::{AsFd, BorrowedFd};

    use loom::sync::atomic::{AtomicUsize, Ordering};

    use super::{RawFd, Result, WireKind};

    pub(crate) struct Wire {
        count: AtomicUsize,
        nothing: std::io::Stdin,
    }

    impl Wire {
        pub(super) fn new(_: WireKind) -> Result<Wire> {
            Ok(Wire { count: AtomicUsize::new(0), nothing: std::io::stdin() })
        }

        pub(super) fn send(&self) {
            self.count.fetch_add(1, Ordering::SeqCst);
        }

        pub(super) fn empty(&self) -> usize {
            self.count.swap(0, Ordering::SeqCst)
        }

        pub(super) fn end(&self) -> BorrowedFd<'_> {
            self.nothing.as_fd()
        }

        pub(super) fn fd(&self) -> RawFd {
            -1
        }
    }
}

/// A descriptor that is readable from when it is raised until it is cleared.
pub(crate) struct WakeFd {
    wire: Arc<wire::Wire>,
    is_raised: bool,
}

impl WakeFd {
    pub(crate) fn new(kind: WireKind) -> Result<WakeFd> {
        Ok(WakeFd { wire: Arc::new(wire::Wire::new(kind)?), is_raised: false })
    }

    /// The one that a bell makes readable as well.
    pub(crate) fn of(bell: &Bell) -> WakeFd {
        WakeFd { wire: bell.wire.clone(), is_raised: false }
    }

    pub(crate) fn raise(&mut self) {
        if !self.is_raised {
            self.is_raised = true;
            self.wire.send();
        }
    }

    pub(crate) fn clear(&mut self) {
        if self.is_raised {
            self.is_raised = false;
            self.wire.empty();
        }
    }

    /// The same where it may have been made readable past this.
    pub(crate) fn clear_all(&mut self) {
        self.is_raised = false;
        self.wire.empty();
    }

    pub(crate) fn fd(&self) -> RawFd {
        self.wire.fd()
    }
}

/// Wakes who sleeps at a descriptor, from anywhere, also from inside a signal handler: atomics and one
/// system call. Rung, it stays rung until somebody takes it, and its descriptor readable; whoever
/// empties the descriptor looks at the bell after that, never before.
pub(crate) struct Bell {
    /// The process that made it: to another one the descriptor is its parent's.
    generation: u64,
    wire: Arc<wire::Wire>,
    is_rung: AtomicBool,
}

impl Bell {
    pub(crate) fn new(kind: WireKind) -> Result<Bell> {
        let wire = Arc::new(wire::Wire::new(kind)?);
        Ok(Bell { generation: process::generation(), wire, is_rung: AtomicBool::new(false) })
    }

    pub(crate) fn ring(&self) {
        if process::generation() == self.generation {
            self.is_rung.store(true, Ordering::SeqCst);
            keeping_errno(|| self.wire.send());
        }
    }

    /// Makes the descriptor readable, and no more: who sleeps there looks for what it waits for.
    pub(crate) fn nudge(&self) {
        if process::generation() == self.generation {
            self.wire.send();
        }
    }

    pub(crate) fn is_rung(&self) -> bool {
        self.is_rung.load(Ordering::SeqCst)
    }

    /// Whether it was rung; not any more.
    pub(crate) fn take(&self) -> bool {
        self.is_rung() && self.is_rung.swap(false, Ordering::SeqCst)
    }

    /// Until the descriptor is emptied it wakes everybody at once.
    pub(crate) fn empty(&self) {
        self.wire.empty();
    }

    /// Sleeps until the descriptor is readable or a signal handler has run on this thread.
    pub(crate) fn sleep(&self, timeout: Option<Duration>) -> Slept {
        let time = timeout.map_or(INTERRUPTIBLE_MAX, |timeout| timeout.min(INTERRUPTIBLE_MAX));
        match poll_readable(self.wire.end(), time) {
            Polled::Readable => Slept::Noted,
            Polled::Signal => Slept::Interrupted,
            Polled::TimedOut if timeout.is_some_and(|timeout| timeout <= time) => Slept::InVain,
            Polled::TimedOut => Slept::Interrupted, // a signal may have come before
        }
    }
}

/// Nudges.
impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.nudge();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.nudge();
    }
}

/// How a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slept {
    /// There may be something.
    Noted,
    /// The time ran out, or a waiter was to return with nothing.
    InVain,
    /// A signal handler may have run, or asked for it.
    Interrupted,
}

impl Slept {
    pub(crate) fn of(is_noted: bool) -> Slept {
        if is_noted { Slept::Noted } else { Slept::InVain }
    }
}

#[cfg(test)]
impl WakeFd {
    /// How much a program would find.
    pub(crate) fn bytes_waiting(&mut self) -> usize {
        let count = self.wire.empty();
        (0..count).for_each(|_| self.wire.send());
        count
    }

    /// Reads what waits as a program may.
    pub(crate) fn steal(&mut self) {
        self.wire.empty();
    }
}
