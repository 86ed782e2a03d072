//! What the command asks of Unix systems.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The terminal to read from and to write to, whatever standard input and standard output are.
pub(crate) const TERMINAL: (&str, &str) = ("/dev/tty", "/dev/tty");

/// Raises how many descriptors this process may have, up to this many, as far as that is allowed; how many
/// there may be then. That it cannot be raised is no failure.
pub(crate) fn raise_descriptors(wanted: u64) -> u64 {
    let before = getrlimit(Resource::Nofile);
    let raised = before.maximum.unwrap_or(wanted).min(wanted);
    if before.current.is_some_and(|current| current < raised) {
        let raised = Rlimit { current: Some(raised), maximum: before.maximum };
        let _ = setrlimit(Resource::Nofile, raised);
    }
    getrlimit(Resource::Nofile).current.unwrap_or(wanted).min(wanted)
}
