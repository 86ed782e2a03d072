//! What tests ask of Windows, and what it has not. Knows no scenario.

use std::net::TcpListener;
use std::os::windows::io::AsRawSocket;
use std::time::Duration;

use modelwire::Descriptor;
use windows_sys::Win32::Networking::WinSock::{POLLRDNORM, WSAPOLLFD, WSAPoll, listen};

pub type Thread = ();

/// Whether a socket is readable now, or within this time.
pub fn is_readable(socket: Descriptor, within: Duration) -> bool {
    let mut entry = WSAPOLLFD { fd: socket as usize, events: POLLRDNORM, revents: 0 };
    let millis = i32::try_from(within.as_millis()).unwrap();
    // SAFETY: one entry, which is ours.
    let found = unsafe { WSAPoll(&raw mut entry, 1, millis) };
    assert!(found >= 0);
    found == 1
}

/// Makes the queue of who waits to be accepted as short as it can be.
pub fn shorten_queue(listener: &TcpListener) {
    // SAFETY: the socket is open; listening again only sets the length of the queue.
    assert_eq!(unsafe { listen(listener.as_raw_socket() as usize, 0) }, 0);
}

pub fn limit_descriptors(_: u64) {
    panic!("Windows has no limit of descriptors that a process could set");
}

pub fn handle_signals(_: extern "C" fn(i32)) {
    panic!("Windows has no signals");
}

pub fn this_thread() -> Thread {}

pub fn send_signal(_: Thread) {
    panic!("Windows has no signals");
}

pub fn forked(_: impl FnOnce()) -> bool {
    panic!("Windows has no forks");
}
