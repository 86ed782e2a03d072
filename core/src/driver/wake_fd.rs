//! A descriptor that an event loop can watch, and on which a thread can sleep until a signal. An eventfd,
//! or a socket pair for event loops that accept nothing else.

use std::sync::Arc;
use std::task::Wake;
use std::time::Duration;

use crate::answer::error::Result;
use crate::system::process;
use crate::system::sync::{AtomicBool, Ordering};
use crate::system::{Descriptor, Polled, keeping_errno};

/// The longest interruptible sleep: a signal just before the sleep does not end it, so the waiter checks for
/// itself at this interval.
pub(crate) const INTERRUPTIBLE_MAX: Duration = Duration::from_millis(100);

/// The type of the descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WireKind {
    /// A single descriptor, if the system has eventfd.
    Event,
    /// A socket, in addition to two that the library keeps. Written without raising SIGPIPE, because the
    /// program may have closed its end.
    Socket,
}

#[cfg(not(modelwire_loom))]
mod wire {
    use std::io::{ErrorKind as IoErrorKind, Result as IoResult};
    use std::time::Duration;

    use super::{Descriptor, Polled, Result, WireKind};
    use crate::answer::error::Error;
    use crate::answer::error_kind::Metered;
    use crate::system::{EventFd, Socket, poll_readable};

    pub(crate) enum Wire {
        Event(EventFd),
        Sockets(Sockets),
    }

    pub(crate) struct Sockets {
        send: Socket,
        receive: Socket,
        /// The program's descriptor: a duplicate of `receive`. If the program closes it, contrary to the
        /// documentation, we do not read another file.
        given: Option<Socket>,
    }

    impl Sockets {
        fn new() -> IoResult<Sockets> {
            let (send, receive) = Socket::pair()?;
            let given = Some(receive.try_clone()?);
            Ok(Sockets { send, receive, given })
        }

        /// Reads everything; returns the number of bytes.
        fn empty(&self) -> usize {
            let mut bytes = [0; 16];
            let mut count = 0;
            loop {
                match self.receive.receive(&mut bytes) {
                    Ok(read) => {
                        count += read;
                        if read < bytes.len() {
                            return count; // saves the call that would return nothing
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
            // A number that the program closed may refer to a file of the program by now.
            let is_ours = |given: &Socket| {
                given
                    .identity()
                    .is_ok_and(|one| self.receive.identity().is_ok_and(|own| own == one))
            };
            if let Some(given) = self.given.take_if(|given| !is_ours(given)) {
                std::mem::forget(given);
            }
        }
    }

    impl Wire {
        pub(super) fn new(kind: WireKind) -> Result<Wire> {
            let event = match kind {
                WireKind::Event => EventFd::new(),
                WireKind::Socket => None,
            };
            let made = match event {
                Some(made) => made.map(Wire::Event),
                None => Sockets::new().map(Wire::Sockets),
            };
            made.map_err(|cause: std::io::Error| {
                // A call may be in flight that is waited for from now on.
                Error::no_room("a descriptor for an event loop cannot be created", &cause)
                    .with_metered(Metered::Unknown)
            })
        }

        /// Makes it readable. System calls only, so it may run in a signal handler. A full buffer is
        /// readable anyway.
        pub(super) fn send(&self) {
            match self {
                Wire::Event(event) => event.add(),
                Wire::Sockets(sockets) => drop(sockets.send.send(&[1])),
            }
        }

        /// Reads everything; returns the count.
        pub(super) fn empty(&self) -> usize {
            match self {
                Wire::Event(event) => event.take(),
                Wire::Sockets(sockets) => sockets.empty(),
            }
        }

        /// Blocks the calling thread until it is readable.
        pub(super) fn poll(&self, timeout: Duration) -> Polled {
            let end = match self {
                Wire::Event(event) => event.borrowed(),
                Wire::Sockets(sockets) => sockets.receive.borrowed(),
            };
            poll_readable(end, timeout)
        }

        /// The descriptor that the program watches.
        pub(super) fn fd(&self) -> Descriptor {
            match self {
                Wire::Event(event) => event.raw(),
                Wire::Sockets(sockets) => sockets.given.as_ref().unwrap_or(&sockets.receive).raw(),
            }
        }
    }
}

/// A model of the descriptor, because loom cannot see into the kernel.
#[cfg(modelwire_loom)]
mod wire {
    use std::time::Duration;

    use loom::sync::atomic::{AtomicUsize, Ordering};

    use super::{Descriptor, Polled, Result, WireKind};

    pub(crate) struct Wire {
        count: AtomicUsize,
    }

    impl Wire {
        pub(super) fn new(_: WireKind) -> Result<Wire> {
            Ok(Wire { count: AtomicUsize::new(0) })
        }

        pub(super) fn send(&self) {
            self.count.fetch_add(1, Ordering::SeqCst);
        }

        pub(super) fn empty(&self) -> usize {
            self.count.swap(0, Ordering::SeqCst)
        }

        /// No model sleeps here.
        pub(super) fn poll(&self, _: Duration) -> Polled {
            unreachable!("a sleep at a descriptor, which loom cannot wake")
        }

        pub(super) fn fd(&self) -> Descriptor {
            -1
        }
    }
}

/// A descriptor that is readable from `raise` until `clear`.
pub(crate) struct WakeFd {
    wire: Arc<wire::Wire>,
    is_raised: bool,
}

impl WakeFd {
    pub(crate) fn new(kind: WireKind) -> Result<WakeFd> {
        Ok(WakeFd { wire: Arc::new(wire::Wire::new(kind)?), is_raised: false })
    }

    /// Shares the descriptor of a bell.
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

    /// Clears it even if it was made readable by other means.
    pub(crate) fn clear_all(&mut self) {
        self.is_raised = false;
        self.wire.empty();
    }

    pub(crate) fn fd(&self) -> Descriptor {
        self.wire.fd()
    }
}

/// Wakes a thread that sleeps on a descriptor, from anywhere, including a signal handler: atomics and one
/// system call. Once rung, bell and descriptor stay so until taken. Whoever empties the descriptor checks the
/// bell after that, never before.
pub(crate) struct Bell {
    /// The process that created it: in another one, the descriptor is the parent's.
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

    /// Only makes the descriptor readable: a thread that sleeps there checks what it waits for.
    pub(crate) fn nudge(&self) {
        if process::generation() == self.generation {
            self.wire.send();
        }
    }

    pub(crate) fn is_rung(&self) -> bool {
        self.is_rung.load(Ordering::SeqCst)
    }

    /// Resets the bell; returns whether it was rung.
    pub(crate) fn take(&self) -> bool {
        self.is_rung() && self.is_rung.swap(false, Ordering::SeqCst)
    }

    /// Empties the descriptor; until then, every sleep on it returns at once.
    pub(crate) fn empty(&self) {
        self.wire.empty();
    }

    /// Sleeps until the descriptor is readable or a signal handler has run on this thread.
    pub(crate) fn sleep(&self, timeout: Option<Duration>) -> Slept {
        let time = timeout.map_or(INTERRUPTIBLE_MAX, |timeout| timeout.min(INTERRUPTIBLE_MAX));
        match self.wire.poll(time) {
            Polled::Readable => Slept::Noted,
            Polled::Signal => Slept::Interrupted,
            Polled::TimedOut if timeout.is_some_and(|timeout| timeout <= time) => Slept::InVain,
            Polled::TimedOut => Slept::Interrupted, // a signal may have arrived before
        }
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.nudge();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.nudge();
    }
}

/// The result of a sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slept {
    /// There may be a result.
    Noted,
    /// The timeout expired, or the wait is to return without a result.
    InVain,
    /// A signal handler has run or may have run.
    Interrupted,
}

impl Slept {
    pub(crate) fn of(is_noted: bool) -> Slept {
        if is_noted { Slept::Noted } else { Slept::InVain }
    }
}

#[cfg(test)]
impl WakeFd {
    /// The number of bytes that the program would read.
    pub(crate) fn bytes_waiting(&mut self) -> usize {
        let count = self.wire.empty();
        (0..count).for_each(|_| self.wire.send());
        count
    }

    /// Empties the descriptor as the program may.
    pub(crate) fn steal(&mut self) {
        self.wire.empty();
    }
}

#[cfg(test)]
#[cfg(not(modelwire_loom))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests fail by panicking")]
    use super::*;

    const KINDS: [WireKind; 2] = [WireKind::Event, WireKind::Socket];
    const AT_ONCE: Option<Duration> = Some(Duration::ZERO);

    #[test]
    fn a_descriptor_is_emptied_whatever_is_in_it() {
        for kind in KINDS {
            let wire = wire::Wire::new(kind).unwrap();
            for count in [0, 1, 15, 16, 17, 32, 40] {
                (0..count).for_each(|_| wire.send());
                assert_eq!(wire.empty(), count, "{kind:?}");
                assert_eq!(wire.poll(Duration::ZERO), Polled::TimedOut, "{kind:?}: {count}");
            }
        }
    }

    #[test]
    fn a_nudge_ends_every_sleep_until_the_descriptor_is_emptied() {
        for kind in KINDS {
            let bell = Arc::new(Bell::new(kind).unwrap());
            for nudge in [&|| bell.nudge(), &|| bell.wake_by_ref(), &|| bell.clone().wake()]
                as [&dyn Fn(); 3]
            {
                assert_eq!(bell.sleep(AT_ONCE), Slept::InVain, "{kind:?}");
                nudge();
                assert_eq!(bell.sleep(None), Slept::Noted, "{kind:?}");
                assert_eq!(bell.sleep(AT_ONCE), Slept::Noted, "{kind:?}");
                assert!(!bell.is_rung());
                bell.empty();
            }
        }
    }
}
