//! What tests ask of Windows, and what it has not.

use std::net::TcpListener;
use std::os::windows::io::{AsRawHandle, AsRawSocket, FromRawHandle, OwnedHandle};
use std::time::Duration;

use modelwire::Descriptor;
use windows_sys::Win32::Foundation::{FILETIME, INVALID_HANDLE_VALUE, LocalFree};
use windows_sys::Win32::Networking::WinSock::{POLLRDNORM, WSAPOLLFD, WSAPoll, listen};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::ProcessStatus::{K32GetProcessMemoryInfo, PROCESS_MEMORY_COUNTERS};
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetThreadDescription, GetThreadTimes, OpenThread, THREAD_QUERY_INFORMATION,
};

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

/// How long the I/O thread has run on a processor, as it is counted here: in steps of 10 or 16 ms.
pub fn io_thread_ran() -> Duration {
    let found = threads().into_iter().find(|thread| thread.name().starts_with("mw-io-"));
    found.expect("there is no I/O thread").ran()
}

/// Whether a thread of this process has a name that begins so.
pub fn has_thread(name: &str) -> bool {
    threads().iter().any(|thread| thread.name().starts_with(name))
}

struct OtherThread(OwnedHandle);

/// The threads of this process; not one that has ended meanwhile.
fn threads() -> Vec<OtherThread> {
    let mut entry =
        THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..Default::default() };
    let mut found = Vec::new();
    // SAFETY: the list is one that was just made, and is ours like the entry that is filled in; a thread's
    // handle is one that was just opened.
    unsafe {
        let list = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
        assert_ne!(list, INVALID_HANDLE_VALUE);
        let list = OwnedHandle::from_raw_handle(list);
        let mut more = Thread32First(list.as_raw_handle(), &raw mut entry);
        while more != 0 {
            if entry.th32OwnerProcessID == std::process::id() {
                let thread = OpenThread(THREAD_QUERY_INFORMATION, 0, entry.th32ThreadID);
                if !thread.is_null() {
                    found.push(OtherThread(OwnedHandle::from_raw_handle(thread)));
                }
            }
            more = Thread32Next(list.as_raw_handle(), &raw mut entry);
        }
    }
    assert!(!found.is_empty());
    found
}

impl OtherThread {
    fn name(&self) -> String {
        let mut text = std::ptr::null_mut();
        // SAFETY: the text is given back to where it came from.
        unsafe {
            assert!(GetThreadDescription(self.0.as_raw_handle(), &raw mut text) >= 0);
            let length = (0..).take_while(|&at| *text.add(at) != 0).count();
            let name = String::from_utf16_lossy(std::slice::from_raw_parts(text, length));
            LocalFree(text.cast());
            name
        }
    }

    fn ran(&self) -> Duration {
        let [mut made, mut ended, mut in_kernel, mut in_program] = [FILETIME::default(); 4];
        // SAFETY: the handle is open; the call fills in what it is given.
        let found = unsafe {
            GetThreadTimes(
                self.0.as_raw_handle(),
                &raw mut made,
                &raw mut ended,
                &raw mut in_kernel,
                &raw mut in_program,
            )
        };
        assert_ne!(found, 0);
        let ticks = [in_kernel, in_program].map(|time| {
            u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime) // of 100 ns
        });
        Duration::from_nanos(ticks.iter().sum::<u64>() * 100)
    }
}

/// The memory that this process has, and the most that it ever had, in bytes.
pub fn memory() -> (usize, usize) {
    let size = size_of::<PROCESS_MEMORY_COUNTERS>() as u32;
    let mut counters = PROCESS_MEMORY_COUNTERS { cb: size, ..Default::default() };
    // SAFETY: the process's own handle; the call fills in what it is given.
    let found = unsafe { K32GetProcessMemoryInfo(GetCurrentProcess(), &raw mut counters, size) };
    assert_ne!(found, 0);
    (counters.WorkingSetSize, counters.PeakWorkingSetSize)
}

/// Makes the queue of who waits to be accepted as short as it can be.
pub fn shorten_queue(listener: &TcpListener) {
    // SAFETY: the socket is open; listening again only sets the length of the queue.
    assert_eq!(unsafe { listen(listener.as_raw_socket() as usize, 0) }, 0);
}

/// A port of this machine on which nobody listens.
pub fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
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
