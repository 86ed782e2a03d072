//! A byte in a pair of sockets: what an event loop can watch. A socket and not an eventfd, because
//! some loops take nothing else; sent without raising SIGPIPE, because the program may have closed
//! its end. Knows no queue.

use std::os::fd::RawFd;

use crate::error::Result;

#[cfg(not(modelwire_loom))]
mod wire {
    use std::fs::File;
    use std::io::{ErrorKind as IoErrorKind, Read, Result as IoResult};
    use std::os::fd::{AsFd, AsRawFd};
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::net::UnixStream;

    use super::{RawFd, Result};
    use crate::error::Error;

    pub(crate) struct Wire {
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

    impl Wire {
        pub(super) fn new() -> Result<Wire> {
            let made = || {
                let (send, receive) = UnixStream::pair()?;
                send.set_nonblocking(true)?;
                receive.set_nonblocking(true)?;
                let given = receive.try_clone()?;
                let inode = inode(&given)?;
                Ok(Wire { send, receive, given: Some(given), inode })
            };
            made().map_err(|cause: std::io::Error| {
                Error::internal(format!("no descriptor for an event loop: {cause}"))
                    .with_hint("Raise the limit of open files (ulimit -n) or close some.")
            })
        }

        pub(super) fn send(&self) {
            // Full means that bytes wait already.
            let socket = socket2::SockRef::from(&self.send);
            let _ = socket.send_with_flags(&[1], libc::MSG_NOSIGNAL);
        }

        /// Reads all that waits; how much it was.
        pub(super) fn empty(&mut self) -> usize {
            let mut bytes = [0; 16];
            let mut count = 0;
            loop {
                match self.receive.read(&mut bytes) {
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

        pub(super) fn fd(&self) -> RawFd {
            self.given.as_ref().map_or(-1, AsRawFd::as_raw_fd)
        }
    }

    impl Drop for Wire {
        fn drop(&mut self) {
            // A number that the program closed may stand for a file of the program's by now.
            if let Some(given) = self.given.take()
                && !inode(&given).is_ok_and(|inode| inode == self.inode)
            {
                std::mem::forget(given);
            }
        }
    }
}

/// The model of the sockets: loom cannot look into the kernel.
#[cfg(modelwire_loom)]
mod wire {
    use super::{RawFd, Result};

    #[derive(Default)]
    pub(crate) struct Wire {
        bytes: std::cell::Cell<usize>,
    }

    impl Wire {
        pub(super) fn new() -> Result<Wire> {
            Ok(Wire::default())
        }

        pub(super) fn send(&self) {
            self.bytes.set(self.bytes.get() + 1);
        }

        pub(super) fn empty(&mut self) -> usize {
            self.bytes.take()
        }

        pub(super) fn fd(&self) -> RawFd {
            -1
        }
    }
}

/// A descriptor that is readable from when it is raised until it is cleared.
pub(crate) struct WakeFd {
    wire: wire::Wire,
    is_raised: bool,
}

impl WakeFd {
    pub(crate) fn new() -> Result<WakeFd> {
        Ok(WakeFd { wire: wire::Wire::new()?, is_raised: false })
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

    pub(crate) fn fd(&self) -> RawFd {
        self.wire.fd()
    }
}

#[cfg(test)]
impl WakeFd {
    /// How many bytes a program would find.
    pub(crate) fn bytes_waiting(&mut self) -> usize {
        let count = self.wire.empty();
        (0..count).for_each(|_| self.wire.send());
        count
    }

    /// Reads the byte as a program may.
    pub(crate) fn steal(&mut self) {
        self.wire.empty();
    }
}
