//! What tests ask of Unix systems.

use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use modelwire::Descriptor;

pub type Thread = libc::pthread_t;

/// Whether a descriptor is readable now, or within this time.
pub fn is_readable(fd: Descriptor, within: Duration) -> bool {
    let mut entry = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    let millis = i32::try_from(within.as_millis()).unwrap();
    // SAFETY: one entry, which is ours.
    let found = unsafe { libc::poll(&raw mut entry, 1, millis) };
    assert!(found >= 0);
    found == 1
}

/// How long the I/O thread has run on a processor.
pub fn io_thread_ran() -> Duration {
    for folder in threads() {
        if name_of(&folder).is_some_and(|name| name.starts_with("mw-io-")) {
            let told = std::fs::read_to_string(folder.join("schedstat")).unwrap();
            return Duration::from_nanos(told.split_whitespace().next().unwrap().parse().unwrap());
        }
    }
    panic!("there is no I/O thread");
}

/// Whether a thread of this process has a name that begins so.
pub fn has_thread(name: &str) -> bool {
    threads().iter().any(|folder| name_of(folder).is_some_and(|found| found.starts_with(name)))
}

fn threads() -> Vec<PathBuf> {
    let folders = std::fs::read_dir("/proc/self/task").unwrap();
    folders.map(|folder| folder.unwrap().path()).collect()
}

/// One that has ended meanwhile has none.
fn name_of(thread: &Path) -> Option<String> {
    std::fs::read_to_string(thread.join("comm")).ok()
}

/// The memory that this process has, and the most that it ever had, in bytes.
pub fn memory() -> (usize, usize) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let bytes = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
    };
    (bytes("VmRSS:"), bytes("VmHWM:"))
}

/// Makes the queue of who waits to be accepted as short as it can be.
pub fn shorten_queue(listener: &TcpListener) {
    // SAFETY: the descriptor is open; listening again only sets the length of the queue.
    assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), 0) }, 0);
}

/// A port of this machine on which nobody listens. This process keeps it until its end, so that nobody
/// else gets it; a service of this process may listen there nevertheless.
pub fn closed_port() -> u16 {
    // SAFETY: a socket that is never closed, options of it, and addresses that are plain data.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, 0);
        assert!(socket >= 0);
        let (on, size) = (1_i32, size_of::<i32>() as u32);
        let option = (&raw const on).cast();
        let set = libc::setsockopt(socket, libc::SOL_SOCKET, libc::SO_REUSEADDR, option, size);
        assert_eq!(set, 0);
        let mut address: libc::sockaddr_in = std::mem::zeroed();
        address.sin_family = libc::AF_INET as libc::sa_family_t;
        address.sin_addr.s_addr = u32::from(std::net::Ipv4Addr::LOCALHOST).to_be();
        let mut size = size_of::<libc::sockaddr_in>() as libc::socklen_t;
        assert_eq!(libc::bind(socket, (&raw const address).cast(), size), 0);
        assert_eq!(libc::getsockname(socket, (&raw mut address).cast(), &raw mut size), 0);
        u16::from_be(address.sin_port)
    }
}

/// Lets this process have so many descriptors and no more.
pub fn limit_descriptors(max: u64) {
    let limit = libc::rlimit { rlim_cur: max, rlim_max: max };
    // SAFETY: the limit is plain data.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit) }, 0);
}

/// Has SIGUSR1 run this, as programs that want their waits to go on install handlers.
pub fn handle_signals(handler: extern "C" fn(i32)) {
    // SAFETY: the handler touches an atomic and what may be called inside of one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()), 0);
    }
}

pub fn this_thread() -> Thread {
    // SAFETY: the call has no preconditions.
    unsafe { libc::pthread_self() }
}

pub fn send_signal(to: Thread) {
    // SAFETY: the thread waits to be joined.
    assert_eq!(unsafe { libc::pthread_kill(to, libc::SIGUSR1) }, 0);
}

/// Runs `child` in a forked process; true if it neither panicked nor hung.
pub fn forked(child: impl FnOnce()) -> bool {
    // SAFETY: the child uses the library under test, which promises to work there, and leaves
    // through _exit. Only this thread lives on in it.
    let id = unsafe { libc::fork() };
    assert!(id >= 0, "no fork");
    if id == 0 {
        // A child that hangs is ended by its alarm.
        // SAFETY: no handler is installed; the default action ends the process.
        unsafe { libc::alarm(30) };
        let outcome = catch_unwind(AssertUnwindSafe(child));
        // SAFETY: leaves at once, without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(outcome.is_err())) };
    }
    let mut status = 0;
    // SAFETY: `status` is ours; `id` is our child.
    assert_eq!(unsafe { libc::waitpid(id, &raw mut status, 0) }, id);
    libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0
}
