//! What tests of the command share: running it as a process with a clean environment, in pipes or on a
//! terminal, and folders that go away.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "each test uses a part of it, and fails by panicking"
)]

pub mod job;

use std::fs::File;
use std::io::{PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use modelwire_testing::Service;
use rustix::event::{PollFd, PollFlags, Timespec};

/// The longest that anything may take before a test gives up on it.
pub const LONGEST: Duration = Duration::from_secs(600);
/// Between two looks at something that is waited for.
const LOOK_PAUSE: Duration = Duration::from_millis(5);
/// The key that the service accepts.
pub const KEY: &str = "sk-test";

/// The command with nothing but PATH in its environment, no standard input, and as the mutant that the test is
/// (tests/mutants).
pub fn modelwire<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    // A shell that starts tests in the background has SIGINT ignored in all that they start, `nohup` SIGHUP.
    let mut command = Command::new("env");
    command.args(["--default-signal=INT,HUP", env!("CARGO_BIN_EXE_modelwire")]);
    command.args(arguments).env_clear().stdin(Stdio::null());
    for name in ["PATH", "MUTANT", "MUTANTS_REACHED"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command
}

/// The same, with a base URL and the key in the environment.
pub fn modelwire_at(base_url: &str, arguments: &[&str]) -> Command {
    let mut command = modelwire(arguments);
    command.env("MODELWIRE_BASE_URL", base_url).env("MODELWIRE_API_KEY", KEY);
    command
}

/// The same, at a service.
pub fn modelwire_to(service: &Service, arguments: &[&str]) -> Command {
    modelwire_at(&service.base_url(), arguments)
}

/// How a process ended, and what it wrote.
#[derive(Debug)]
pub struct Ran {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Ran {
    /// Its code; 128 and the signal's number where a signal ended it, as shells have it.
    pub fn code(&self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let of_signal = || 128 + self.status.signal().unwrap();
        self.status.code().unwrap_or_else(of_signal)
    }

    /// What it wrote to standard output, as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).unwrap()
    }
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Ran {
    run_with(command, None)
}

/// The same, with this on standard input.
pub fn run_with_input(command: &mut Command, input: impl Into<Vec<u8>>) -> Ran {
    run_with(command, Some(input.into()))
}

fn run_with(command: &mut Command, input: Option<Vec<u8>>) -> Ran {
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let feeder = input.map(|input| {
        let mut stdin = child.stdin.take().unwrap();
        // Whoever refuses its arguments reads nothing.
        std::thread::spawn(move || stdin.write_all(&input))
    });
    let stdout = drain(child.stdout.take().unwrap());
    let stderr = drain(child.stderr.take().unwrap());
    let status = wait(&mut child);
    if let Some(feeder) = feeder {
        let _ = feeder.join().unwrap();
    }
    let stderr = String::from_utf8(stderr.join().unwrap()).unwrap();
    Ran { status, stdout: stdout.join().unwrap(), stderr }
}

fn drain(mut from: impl Read + Send + 'static) -> std::thread::JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        let mut some = [0; 65536];
        // The other end of a terminal fails when nobody has it open any more: that is its end.
        while let Ok(count @ 1..) = from.read(&mut some) {
            all.extend_from_slice(&some[..count]);
        }
        all
    })
}

/// A pipe that nobody reads: a process that another test starts holds the other end until its `exec`.
pub fn closed_pipe() -> PipeWriter {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut closed = [PollFd::new(&writer, PollFlags::empty())];
    let longest = Timespec { tv_sec: LONGEST.as_secs().cast_signed(), tv_nsec: 0 };
    assert_eq!(rustix::event::poll(&mut closed, Some(&longest)), Ok(1), "somebody holds the pipe");
    writer
}

/// Waits for the end of a process, not for ever.
pub fn wait(child: &mut Child) -> ExitStatus {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if begun.elapsed() > LONGEST {
            let _ = child.kill();
            panic!("the command did not end within {LONGEST:?}");
        }
        // clock: between two looks
        std::thread::sleep(LOOK_PAUSE);
    }
}

/// Waits until something is so.
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        // clock: bounds a hang
        assert!(begun.elapsed() < LONGEST, "not within {LONGEST:?}: {what}");
        // clock: between two looks
        std::thread::sleep(LOOK_PAUSE);
    }
}

/// Sends a signal to a process.
pub fn signal(child: &Child, signal: rustix::process::Signal) {
    let id = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(id, signal).unwrap();
}

/// A terminal of its own: the end that a person has, and the end that a command gets.
pub struct Terminal {
    person: File,
    command: OwnedFd,
}

impl Terminal {
    /// A terminal that does not turn line ends into two characters.
    pub fn new() -> Terminal {
        use rustix::pty;
        use rustix::termios::{OptionalActions, OutputModes, tcgetattr, tcsetattr};
        let flags = pty::OpenptFlags::RDWR | pty::OpenptFlags::NOCTTY;
        let person = pty::openpt(flags).unwrap();
        pty::grantpt(&person).unwrap();
        pty::unlockpt(&person).unwrap();
        let name = pty::ptsname(&person, Vec::new()).unwrap();
        let open = rustix::fs::OFlags::RDWR | rustix::fs::OFlags::NOCTTY;
        let command = rustix::fs::open(&name, open, rustix::fs::Mode::empty()).unwrap();
        let mut modes = tcgetattr(&command).unwrap();
        modes.output_modes.remove(OutputModes::OPOST);
        tcsetattr(&command, OptionalActions::Now, &modes).unwrap();
        Terminal { person: File::from(person), command }
    }

    /// The end of a command, as one of its standard streams.
    pub fn end(&self) -> Stdio {
        Stdio::from(self.command.try_clone().unwrap())
    }

    /// What the command wrote to it, when all of its ends are closed.
    pub fn seen(self) -> String {
        drop(self.command);
        String::from_utf8(drain(self.person).join().unwrap()).unwrap()
    }
}

/// Runs a command with its standard output, and standard input, on a terminal; what it showed there is
/// its standard output.
pub fn run_on_terminal(command: &mut Command) -> Ran {
    let terminal = Terminal::new();
    command.stdin(terminal.end()).stdout(terminal.end()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The command holds ends of the terminal, too.
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let Terminal { person, command: end } = terminal;
    drop(end);
    let stdout = drain(person);
    let stderr = drain(child.stderr.take().unwrap());
    let status = wait(&mut child);
    let stderr = String::from_utf8(stderr.join().unwrap()).unwrap();
    Ran { status, stdout: stdout.join().unwrap(), stderr }
}

/// A port on which nothing listens. This process keeps it until its end, so that nobody else gets it; a
/// command may listen there nevertheless.
pub fn closed_port() -> u16 {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.set_reuse_address(true).unwrap();
    let any: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
    socket.bind(&any.into()).unwrap();
    let port = socket.local_addr().unwrap().as_socket().unwrap().port();
    std::mem::forget(socket);
    port
}

/// A folder that goes away with it.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("modelwire-cli-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&path); // of a process of this number that was killed
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A file in it with this content.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Any numbers: xorshift.
pub struct Dice(u64);

impl Dice {
    /// The numbers of TEST_SEED, or of this seed; a test that fails says which.
    pub fn of(seed: u64) -> Dice {
        let wanted = std::env::var("TEST_SEED").ok();
        let seed = wanted.map_or(seed, |seed| seed.parse().expect("TEST_SEED is a number"));
        println!("TEST_SEED={seed}");
        Dice(seed.max(1))
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end.max(1)
    }
}

/// The text of a file, by gzip and zstd of the system where it is packed.
pub fn unpacked(path: &Path) -> String {
    let program = match path.extension().and_then(|ending| ending.to_str()) {
        Some("gz") => "gzip",
        Some("zst") => "zstd",
        _ => return std::fs::read_to_string(path).unwrap(),
    };
    let ran = run(Command::new(program).arg("-dc").arg(path));
    assert!(ran.status.success(), "{}", ran.stderr);
    ran.text().to_owned()
}
