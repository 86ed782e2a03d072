//! PostgreSQL with the extension, in a folder and on a socket of its own; sessions by psql.

use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};

use modelwire_tests_c::root;

use crate::build::{lib, run, shell};
use crate::running::{Running, at, wait_until};

/// Who runs the server where the test is root, which PostgreSQL refuses to be.
const USER: &str = "postgres";
/// What psql says after each statement of a test.
const MARK: &str = "-- that was it --";

/// A server that ends with its owner, and its folder with it.
pub struct Postgres {
    child: Child,
    folder: PathBuf,
    bin: PathBuf,
}

/// Whether the server loads the extension before it forks its backends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Load {
    AtUse,
    BeforeFork,
}

impl Postgres {
    /// A server for which the service is at this URL.
    pub fn start(base_url: &str, load: Load) -> Postgres {
        let bin = PathBuf::from(run(Command::new("pg_config").arg("--bindir")).trim());
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("modelwire-hosts-{}-{number}", std::process::id());
        // Not below the target folder, which the other user may not be able to reach.
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
        for file in modules().into_iter().chain([lib().join("libmodelwire.so.0.1")]) {
            std::fs::copy(&file, folder.join(file.file_name().unwrap())).unwrap();
        }
        let data = folder.join("data");
        std::fs::create_dir(&data).unwrap();
        own(&data);
        let mut made = as_user(Command::new(bin.join("initdb")));
        run(made
            .args(["--no-sync", "-A", "trust", "-U", "postgres", "-E", "UTF8", "-D"])
            .arg(&data));
        let preloaded = match load {
            Load::AtUse => "",
            Load::BeforeFork => "modelwire_pg",
        };
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let mut server = as_user(at(bin.join("postgres"), base_url));
        server
            .env("LD_LIBRARY_PATH", &folder)
            .arg("-D")
            .arg(&data)
            .args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=40"])
            .args(["-c", &format!("unix_socket_directories={}", data.display())])
            .args(["-c", &format!("dynamic_library_path={}:$libdir", folder.display())])
            .args(["-c", &format!("shared_preload_libraries={preloaded}")])
            .args(["-c", "modelwire.model=slow", "-c", "client_connection_check_interval=50"])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let child = server.spawn().unwrap();
        let mut postgres = Postgres { child, folder, bin };
        wait_until("the server is up", || {
            let ended = postgres.child.try_wait().unwrap();
            assert!(ended.is_none(), "{}", postgres.log());
            postgres.data().join(".s.PGSQL.5432").exists() && postgres.is_ready()
        });
        let sql =
            std::fs::read_to_string(extension_folder().join("modelwire_pg--0.1.sql")).unwrap();
        // As CREATE EXTENSION does, which reads the system's folder only.
        postgres.session().ask(&sql.replace("MODULE_PATHNAME", "modelwire_pg")).unwrap();
        postgres
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn is_ready(&self) -> bool {
        let mut command = self.psql("postgres");
        command.args(["-c", "SELECT 1"]).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().unwrap().success()
    }

    fn psql(&self, database: &str) -> Command {
        let mut command = Command::new(self.bin.join("psql"));
        command.arg("-h").arg(self.data());
        command.args(["-U", "postgres", "-qAtX", "-v", "VERBOSITY=verbose", "-d", database]);
        command
    }

    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap()
    }

    /// The threads of the server's first process.
    pub fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().count()
    }

    pub fn session(&self) -> Session {
        self.session_in("postgres")
    }

    pub fn session_in(&self, database: &str) -> Session {
        let running = Running::start(&mut self.psql(database));
        let mut session = Session { running, process: 0 };
        session.process = session.ask("SELECT pg_backend_pid()").unwrap()[0].parse().unwrap();
        session
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // At once: nobody needs the data.
        crate::running::signal(self.child.id(), libc::SIGQUIT);
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn extension_folder() -> PathBuf {
    root().join("ffi-c/examples/postgresql")
}

/// The extension, and a module of the tests' own, built by the extension's Makefile.
fn modules() -> [PathBuf; 2] {
    static BUILT: Once = Once::new();
    let made = lib().join("../examples/postgresql");
    BUILT.call_once(|| {
        std::fs::copy(root().join("tests/hosts/blocking_pg.c"), made.join("blocking_pg.c"))
            .unwrap();
        let make = "make --quiet -C postgresql with_llvm=no PG_CFLAGS=-Werror >/dev/null";
        shell(make);
        shell(&format!("{make} MODULE_big=blocking_pg OBJS=blocking_pg.o"));
    });
    ["modelwire_pg.so", "blocking_pg.so"].map(|name| made.join(name))
}

/// The user and group of the server, where the test is root.
fn user() -> Option<(u32, u32)> {
    // SAFETY: it takes and gives numbers.
    if unsafe { libc::geteuid() } != 0 {
        return None;
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap();
    let of = |line: &str| {
        let fields: Vec<&str> = line.split(':').collect();
        (fields[0] == USER).then(|| (fields[2].parse().unwrap(), fields[3].parse().unwrap()))
    };
    let found = users.lines().find_map(of);
    Some(found.unwrap_or_else(|| panic!("there is no user {USER}: apt-get install postgresql")))
}

fn own(path: &Path) {
    if let Some((user, group)) = user() {
        std::os::unix::fs::chown(path, Some(user), Some(group)).unwrap();
    }
}

fn as_user(mut command: Command) -> Command {
    if let Some((user, group)) = user() {
        command.uid(user).gid(group).current_dir("/");
    }
    command
}

/// One backend, and psql that speaks with it.
pub struct Session {
    running: Running,
    /// The backend's process.
    pub process: u32,
}

impl Session {
    /// Sends a statement; its end is waited for by `told`.
    pub fn send(&mut self, statement: &str) {
        self.running.type_in(&format!("{statement};\n\\echo '{MARK}'\n"));
    }

    /// What came of the statement: its lines, or those of a failure.
    pub fn told(&mut self) -> Result<Vec<String>, String> {
        let mut lines = Vec::new();
        let last = loop {
            match self.next() {
                ControlFlow::Continue(line) => lines.push(line),
                ControlFlow::Break(last) => break last,
            }
        };
        let failed = lines.iter().any(|line| line.contains("ERROR:") || line.contains("FATAL:"));
        if failed || !last { Err(lines.join("\n")) } else { Ok(lines) }
    }

    /// The next line; at the end whether it is the statement's, and not the session's.
    fn next(&self) -> ControlFlow<bool, String> {
        match self.running.line() {
            Some(line) if line == MARK => ControlFlow::Break(true),
            Some(line) => ControlFlow::Continue(line),
            None => ControlFlow::Break(false),
        }
    }

    pub fn ask(&mut self, statement: &str) -> Result<Vec<String>, String> {
        self.send(statement);
        self.told()
    }

    /// The descriptors that the backend has.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.process)).unwrap().count()
    }
}
