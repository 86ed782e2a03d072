//! A host that runs: its lines as they come, signals to it, and what it costs.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Nothing here takes nearly as long, not even on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// What a host may use while it waits, of the time that it waits.
const IDLE_SHARE: f64 = 0.02;

/// A program with its output and its errors as one stream of lines. It ends with its owner.
pub struct Running {
    child: Child,
    lines: Receiver<String>,
}

/// A command that knows of no service but this one.
pub fn at(program: impl AsRef<Path>, base_url: &str) -> Command {
    let mut command = Command::new(program.as_ref());
    for (name, _) in std::env::vars() {
        let is_ours = name.starts_with("MODELWIRE_") || name.starts_with("OPENAI_");
        if is_ours || name.to_lowercase().ends_with("_proxy") || name == "LD_LIBRARY_PATH" {
            command.env_remove(&name);
        }
    }
    command.env("MODELWIRE_BASE_URL", base_url).env("MODELWIRE_API_KEY", "sk-test");
    command
}

impl Running {
    pub fn start(command: &mut Command) -> Running {
        let (reader, writer) = std::io::pipe().unwrap();
        command.stdin(Stdio::piped()).stdout(writer.try_clone().unwrap()).stderr(writer);
        let child = command.spawn().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
        // The command keeps the pipe's other end, which must end with the program.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines() {
                let line = line.unwrap_or_else(|cause| format!("({cause})"));
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Running { child, lines }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next line, or None at the end.
    #[track_caller]
    pub fn line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("nothing came within {PATIENCE:?}"),
        }
    }

    pub fn type_in(&mut self, text: &str) {
        self.child.stdin.as_mut().unwrap().write_all(text.as_bytes()).unwrap();
    }

    pub fn signal(&self, number: i32) {
        signal(self.id(), number);
    }

    /// The rest of its lines, and how it ended.
    #[track_caller]
    pub fn end(mut self) -> (ExitStatus, Vec<String>) {
        drop(self.child.stdin.take());
        let lines = std::iter::from_fn(|| self.line()).collect();
        (self.child.wait().unwrap(), lines)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn signal(process: u32, number: i32) {
    // SAFETY: no pointer is passed; the process is one that the test started.
    assert_eq!(unsafe { libc::kill(process.try_into().unwrap(), number) }, 0);
}

/// The processor time of all threads that a process has now.
fn processor_time(process: u32) -> Duration {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).unwrap();
    let nanoseconds = tasks.filter_map(|task| {
        let text = std::fs::read_to_string(task.unwrap().path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

/// Fails if a process is busy while all that it does is wait.
#[track_caller]
pub fn check_idle(name: &str, process: u32) {
    let second = Duration::from_secs(1);
    // clock: the clock of the host is what is tested
    std::thread::sleep(second / 4);
    let before = processor_time(process);
    assert!(!before.is_zero(), "nothing is measured here");
    // clock: the clock of the host is what is tested
    std::thread::sleep(second);
    let used = processor_time(process) - before;
    println!("{name}: {used:?} of processor time in a second of waiting");
    assert!(used < second.mul_f64(IDLE_SHARE), "{name} used {used:?} in {second:?}");
}

/// Waits until something is so.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        // clock: bounds a hang
        assert!(start.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        // clock: between two looks
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// How long it takes from an act to the end of what it ends; the middle one of several tries, which
/// are told. One that is late may have met a busy machine; half of them would be the host's.
pub fn middle(name: &str, mut tries: Vec<Duration>) -> Duration {
    tries.sort();
    println!("{name}: {tries:.1?}");
    tries[tries.len() / 2]
}
