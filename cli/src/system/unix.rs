//! Unix.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::process::Command;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The terminal for input and output, whatever standard input and output are.
pub(crate) const TERMINAL: (&str, &str) = ("/dev/tty", "/dev/tty");

/// Raises the limit of file descriptors of this process up to `wanted`, as far as allowed, and returns the
/// new limit. A failure to raise it is ignored.
pub(crate) fn raise_descriptors(wanted: u64) -> u64 {
    let before = getrlimit(Resource::Nofile);
    let raised = before.maximum.unwrap_or(wanted).min(wanted);
    if before.current.is_some_and(|current| current < raised) {
        let raised = Rlimit { current: Some(raised), maximum: before.maximum };
        let _ = setrlimit(Resource::Nofile, raised);
    }
    getrlimit(Resource::Nofile).current.unwrap_or(wanted).min(wanted)
}

/// A command line for the system's shell.
pub(crate) fn shell(line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]);
    command
}

/// Makes a file that is created with these options readable for its owner alone: prompts are private.
pub(crate) fn private(options: &mut OpenOptions) {
    options.mode(0o600);
}

/// The signal of a closed terminal, unless it is ignored, as under `nohup`.
pub(crate) fn hang_up() -> Option<i32> {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: without a new action it only writes the current one.
    let known = unsafe { libc::sigaction(libc::SIGHUP, std::ptr::null(), action.as_mut_ptr()) };
    // SAFETY: written where the call succeeded.
    let is_ignored = known == 0 && unsafe { action.assume_init() }.sa_sigaction == libc::SIG_IGN;
    (!is_ignored).then_some(libc::SIGHUP)
}
