//! Flags and switches of calls and queues.

use modelwire_core::Error;

/// Waits return MODELWIRE_INTERRUPTED when a signal handler has run on the waiting thread, with or
/// without SA_RESTART, or when a handler called a wakeup function; and at the latest after 100 ms
/// without any event, so that a signal that arrived just before the wait is noticed. Check your own
/// flags then, and wait again.
pub const MODELWIRE_INTERRUPTIBLE: u32 = 1;
/// For a queue: its descriptor is a socket, for event loops that accept only sockets. This uses more
/// descriptors.
pub const MODELWIRE_SOCKET: u32 = 2;

/// An argument that is 1 or 0.
pub(crate) fn check_switch(name: &str, given: i32) -> Result<bool, Error> {
    match given {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Error::argument(format!("{name} is {other}: 1 and 0 are allowed"))),
    }
}

/// Rejects unknown flags.
pub(crate) fn check_flags(flags: u32, known: u32) -> Result<(), Error> {
    match flags & !known {
        0 => Ok(()),
        unknown => Err(Error::argument(format!("flags has unknown bits: {unknown:#x}"))),
    }
}
