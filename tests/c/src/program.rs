//! Runs one C program: its environment, its cue (a line on its standard input that lets it go on),
//! and what it printed at its end.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use modelwire_testing::Service;

use crate::build::tool;

/// No test takes nearly as long, not even under valgrind on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);
const LOOK_AGAIN: Duration = Duration::from_millis(5);

/// Variables that would change what the library does, or which library it is: cargo leads programs
/// to its own folder, where `make demo` puts one that has no sanitizer.
const AMBIENT: [&str; 14] = [
    "LD_LIBRARY_PATH",
    "MODELWIRE_BASE_URL",
    "MODELWIRE_API_KEY",
    "MODELWIRE_MODEL",
    "MODELWIRE_DEMO_STREAM_ONLY_MODEL",
    "MODELWIRE_DEMO_REFUSED_MODEL",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
];

/// A program to be run.
pub struct Program {
    command: Command,
    patience: Duration,
}

/// How a program ended and what it printed.
#[derive(Debug)]
pub struct Ended {
    /// Its exit status.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Program {
    /// A program with nothing of ours in its environment; one that was built for arm64 runs in an
    /// emulator, with the libraries of Debian's cross compiler, and one for Windows in Wine, with those of
    /// mingw (`tests/release/windows` says where its system is).
    pub fn new(path: &Path) -> Program {
        let header = header_of(path);
        if header.starts_with(b"\x7fELF")
            && header[18..20] == ARM64
            && !cfg!(target_arch = "aarch64")
        {
            let mut command = tool("qemu-aarch64");
            command.args(["-L", "/usr/aarch64-linux-gnu"]).arg(path);
            return Program::wrap(command);
        }
        if header.starts_with(b"MZ") {
            let mut command = tool("wine");
            command
                .arg(path)
                .env("WINEDEBUG", "-all")
                .env("WINEPATH", "Z:/usr/x86_64-w64-mingw32/lib");
            return Program::wrap(command);
        }
        Program::wrap(Command::new(path))
    }

    /// A program under valgrind, which ends with 99 where there was an error or a leak. Nothing is
    /// suppressed.
    pub fn under_valgrind(path: &Path) -> Program {
        let mut command = tool("valgrind");
        command
            .args(["--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite,possible"])
            .args(["--error-exitcode=99", "--fair-sched=yes"])
            .arg(path);
        Program::wrap(command)
    }

    fn wrap(mut command: Command) -> Program {
        for name in AMBIENT {
            command.env_remove(name);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Program { command, patience: PATIENCE }
    }

    /// An argument.
    pub fn arg(mut self, argument: &str) -> Program {
        self.command.arg(argument);
        self
    }

    /// A variable of its environment.
    pub fn env(mut self, name: &str, value: &str) -> Program {
        self.command.env(name, value);
        self
    }

    /// With the loopback service as its service, and its key.
    pub fn at(self, service: &Service) -> Program {
        self.at_url(&service.base_url())
    }

    /// With any base URL, and the key of the loopback service.
    pub fn at_url(self, base_url: &str) -> Program {
        self.env("MODELWIRE_BASE_URL", base_url).env("MODELWIRE_API_KEY", "sk-test")
    }

    /// Allows it so much time.
    pub fn patience(mut self, patience: Duration) -> Program {
        self.patience = patience;
        self
    }

    /// Runs it to its end.
    pub fn run(self) -> Ended {
        self.run_with_cue(|| true)
    }

    /// Runs it to its end, and writes a line, the cue, to its standard input once `is_so` returns
    /// true. A program may end before that, or never read it: the caller checks its status.
    pub fn run_with_cue(self, is_so: impl FnMut() -> bool) -> Ended {
        self.run_to_its_end(b"go\n".to_vec(), is_so)
    }

    /// Runs it to its end with this on its standard input.
    pub fn run_with_input(self, input: Vec<u8>) -> Ended {
        self.run_to_its_end(input, || true)
    }

    fn run_to_its_end(mut self, input: Vec<u8>, mut is_so: impl FnMut() -> bool) -> Ended {
        let mut running = Running(self.command.spawn().unwrap());
        let stdout = drain(running.0.stdout.take().unwrap());
        let stderr = drain(running.0.stderr.take().unwrap());
        let mut stdin = running.0.stdin.take();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = running.0.try_wait().unwrap() {
                break status;
            }
            if stdin.is_some() && is_so() {
                // On a thread of its own: the program may print more than a pipe holds before it
                // reads. A program that waits for no cue may have ended, so errors are ignored.
                let (mut stdin, input) = (stdin.take().unwrap(), input.clone());
                std::thread::spawn(move || {
                    let _ = stdin.write_all(&input);
                });
            }
            if start.elapsed() > self.patience {
                break running.end();
            }
            // clock: between two looks
            std::thread::sleep(LOOK_AGAIN);
        };
        Ended { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() }
    }
}

/// The machine of an ELF file.
const ARM64: [u8; 2] = [183, 0];

/// How a file begins, by which its system is known; what is no file is a tool that stands in PATH.
fn header_of(path: &Path) -> [u8; 20] {
    let mut header = [0; 20];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut header));
    read.map_or([0; 20], |()| header)
}

/// A child process that does not outlive its test.
struct Running(Child);

impl Running {
    fn end(&mut self) -> ExitStatus {
        // An error means that the process has ended already, which is what is wanted.
        let _ = self.0.kill();
        self.0.wait().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

impl Ended {
    /// Fails, with all that was printed, if the program did.
    pub fn succeeded(self) -> Ended {
        let Ended { status, stdout, stderr } = &self;
        assert!(status.success(), "{status}\n--- stdout\n{stdout}\n--- stderr\n{stderr}");
        self
    }
}

/// Reads on a thread of its own, so that no pipe ever fills.
fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}
