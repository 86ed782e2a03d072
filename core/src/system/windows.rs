//! What Windows has instead of Unix features: a pair of loopback sockets to sleep on, no forks, and no signal
//! that interrupts a thread (a Ctrl-C handler runs on its own thread).

use std::io::{Read, Result as IoResult, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::windows::io::{AsRawSocket, AsSocket};
use std::path::Path;
use std::time::Duration;

use windows_sys::Win32::Networking::WinSock::{POLLRDNORM, WSAPOLLFD, WSAPoll};
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleExW,
};
use windows_sys::Win32::System::Threading::GetCurrentThreadStackLimits;

pub(crate) use super::no_event_fd::EventFd;
use super::{Polled, poll_millis};

pub type RawDescriptor = std::os::windows::io::RawSocket;
pub(crate) type BorrowedDescriptor<'a> = std::os::windows::io::BorrowedSocket<'a>;

/// Windows has no thread cancellation.
pub fn without_thread_cancellation<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// Windows has no forks.
pub(crate) fn on_fork(_: extern "C" fn()) {}

/// Keeps the library's code loaded, whatever the program frees, because the library's threads run in it.
/// Other systems have a linker flag for that.
pub(crate) fn keep_loaded() {
    let here = keep_loaded as *const () as *const u16;
    let how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    let mut module = std::ptr::null_mut();
    // SAFETY: the address lies in the requested module, and is not read as text.
    let found = unsafe { GetModuleHandleExW(how, here, &raw mut module) };
    debug_assert_ne!(found, 0);
}

/// Whether the process has no descriptor left; Windows has room for millions.
pub(crate) fn lacks_descriptors(_: &std::io::Error) -> bool {
    false
}

/// The maximum number of handles of a process: 2^24, not configurable.
pub(crate) fn descriptors_max() -> usize {
    1 << 24
}

/// Windows has no SIGPIPE.
pub(crate) fn without_sigpipe<T>(io: impl FnOnce() -> T) -> T {
    io()
}

/// Waits until a socket is readable, or closed.
pub(crate) fn poll_readable(socket: BorrowedDescriptor<'_>, timeout: Duration) -> Polled {
    let fd = socket.as_raw_socket() as usize;
    let mut entry = WSAPOLLFD { fd, events: POLLRDNORM, revents: 0 };
    // SAFETY: one entry, which we own.
    match unsafe { WSAPoll(&raw mut entry, 1, poll_millis(timeout)) } {
        0 => Polled::TimedOut,
        _ => Polled::Readable, // the read reports any error
    }
}

/// One end of a connected pair.
pub(crate) struct Socket(TcpStream);

impl Socket {
    /// Creates a pair, non-blocking and not inherited by child processes.
    pub(crate) fn pair() -> IoResult<(Socket, Socket)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let one = TcpStream::connect(listener.local_addr()?)?;
        let address = one.local_addr()?;
        let other = loop {
            let (other, from) = listener.accept()?;
            if from == address {
                break other; // not another process that connected in between
            }
        };
        for socket in [&one, &other] {
            socket.set_nonblocking(true)?;
            socket.set_nodelay(true)?;
        }
        Ok((Socket(one), Socket(other)))
    }

    /// A duplicate: the same socket under another number.
    pub(crate) fn try_clone(&self) -> IoResult<Socket> {
        self.0.try_clone().map(Socket)
    }

    /// Identifies the socket to which the number refers now.
    pub(crate) fn identity(&self) -> IoResult<impl PartialEq + use<>> {
        Ok((self.0.local_addr()?, self.0.peer_addr()?))
    }

    pub(crate) fn send(&self, bytes: &[u8]) -> IoResult<usize> {
        (&self.0).write(bytes)
    }

    pub(crate) fn receive(&self, bytes: &mut [u8]) -> IoResult<usize> {
        (&self.0).read(bytes)
    }

    pub(crate) fn borrowed(&self) -> BorrowedDescriptor<'_> {
        self.0.as_socket()
    }

    pub(crate) fn raw(&self) -> RawDescriptor {
        self.0.as_raw_socket()
    }
}

/// No signal handler interrupts a thread here.
pub(crate) fn keeping_errno(calls: impl FnOnce()) {
    calls();
}

/// There are no signals to block.
pub(crate) fn with_signals_blocked<T>(start: impl FnOnce() -> T) -> T {
    start()
}

/// Only needed for leak checkers, which there are none for here.
pub(crate) fn is_main_thread() -> bool {
    false
}

/// The lowest address of the calling thread's stack.
#[expect(clippy::unnecessary_wraps, reason = "other systems may not tell")]
pub(crate) fn stack_bottom() -> Option<usize> {
    let (mut bottom, mut top) = (0, 0);
    // SAFETY: the call fills in its arguments.
    unsafe { GetCurrentThreadStackLimits(&raw mut bottom, &raw mut top) };
    Some(bottom)
}

/// The CPU time of the calling thread.
#[cfg(test)]
pub(crate) fn processor_time() -> Duration {
    use windows_sys::Win32::Foundation::FILETIME;
    use windows_sys::Win32::System::Threading::{GetCurrentThread, GetThreadTimes};

    let zero = FILETIME { dwLowDateTime: 0, dwHighDateTime: 0 };
    let [mut made, mut ended, mut in_kernel, mut in_program] = [zero; 4];
    // SAFETY: the calling thread's own handle; the call fills in its arguments.
    let found = unsafe {
        GetThreadTimes(
            GetCurrentThread(),
            &raw mut made,
            &raw mut ended,
            &raw mut in_kernel,
            &raw mut in_program,
        )
    };
    assert_ne!(found, 0);
    let ticks = [in_kernel, in_program].map(|time| {
        u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime) // units of 100 ns
    });
    Duration::from_nanos(ticks.iter().sum::<u64>() * 100)
}

/// There are no signals.
#[cfg(test)]
pub(crate) fn takes_signals() -> bool {
    false
}

/// The transport has no Unix sockets there.
pub(crate) fn check_socket_path(_: &Path) -> IoResult<()> {
    Err(std::io::Error::other("this system has no Unix sockets"))
}

/// See `check_socket_path`.
macro_rules! at_unix_socket {
    ($builder:expr, $path:expr) => {
        $builder
    };
}
pub(crate) use at_unix_socket;
