//! Flags and switches of calls and queues. Knows neither.

use modelwire_core::Error;

/// Waits return MODELWIRE_INTERRUPTED when a signal handler ran on the thread that waits, with or without
/// SA_RESTART, or a wakeup came from inside one; and at the latest after 100 ms without anything else, so
/// that a signal is noticed that came just before the wait. Look at your own flags then, and wait on.
pub const MODELWIRE_INTERRUPTIBLE: u32 = 1;
/// Of a queue: its descriptor is a socket, for event loops that take nothing else. It needs more
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

/// Refuses what is not known.
pub(crate) fn check_flags(flags: u32, known: u32) -> Result<(), Error> {
    match flags & !known {
        0 => Ok(()),
        unknown => Err(Error::argument(format!("flags has unknown bits: {unknown:#x}"))),
    }
}
