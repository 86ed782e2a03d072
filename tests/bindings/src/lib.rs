//! Plays the scenarios of the bindings: makes a language's programs ready, runs one scenario against the
//! loopback service, and looks at what the service saw. Each language has two programs in a folder:
//! `prepare` and `run SCENARIO`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use modelwire_testing::{Exchange, Script, Service};
use modelwire_tests_c::{Ended, Library, Program, chat_chunk, root};

/// As many chunks are the large stream of `slow_reader`, and the others.
const LARGE: usize = 64_000;
const SMALL: usize = 20;

/// A scenario of one language that its programs play.
pub struct Scenario {
    language: &'static str,
    name: &'static str,
}

impl Scenario {
    /// A scenario, with the language made ready.
    pub fn new(language: &'static str, name: &'static str) -> Scenario {
        Language::prepared(language);
        allow_descriptors();
        Scenario { language, name }
    }

    fn program(&self) -> Program {
        Language::program(self.language, "run").arg(self.name)
    }

    fn ended(&self, ended: &Ended) {
        let Ended { status, stdout, stderr } = ended;
        assert!(status.success(), "{} {}: {status}\n{stdout}{stderr}", self.language, self.name);
        assert!(!stderr.contains("sk-test"), "the key is in what it said:\n{stderr}");
    }

    /// Plays it against the service; gives that.
    pub fn played(&self) -> Service {
        let service = Service::start().unwrap();
        self.ended(&self.program().at(&service).run());
        service
    }

    /// Plays it against the service, and writes the cue once the service has this many requests.
    pub fn played_with_cue(&self, requests: usize) {
        let service = Service::start().unwrap();
        let are_heard = || service.recorded("").len() == requests;
        self.ended(&self.program().at(&service).run_with_cue(are_heard));
    }

    /// Plays it against the service without a key.
    pub fn without_key(&self) -> Service {
        let service = Service::start().unwrap();
        self.ended(&self.program().env("MODELWIRE_BASE_URL", &service.base_url()).run());
        service
    }

    /// Plays it against a script. The program gets its cue when so many requests came and all of
    /// their connections are closed.
    pub fn scripted(&self, script: Script, requests: usize) {
        assert_eq!(self.heard(script, requests), requests);
    }

    /// Plays a scenario whose two calls are interrupted: of one, at least, the service heard. On a machine
    /// that is busy both may end before they are sent; then it is played again.
    pub fn interrupted(&self, script: Script) {
        let mut heard = (0..3).map(|_| self.heard(script.clone(), 2));
        let heard = heard.find(|heard| *heard > 0);
        assert!(heard.is_some_and(|heard| heard <= 2), "{heard:?} requests");
    }

    /// As `scripted`; gives how many requests there were in the end.
    pub fn heard(&self, script: Script, requests: usize) -> usize {
        let service = Service::start().unwrap();
        let program = self.program().at_url(&service.script("s", script));
        let are_closed =
            || service.recorded("s").len() == requests && service.open_connections() == 0;
        self.ended(&program.run_with_cue(are_closed));
        service.recorded("s").len()
    }
}

/// As many descriptors as this process may have, and the programs that it starts: a thousand streams
/// need more than what is usual.
fn allow_descriptors() {
    // SAFETY: both functions are given a limit of this frame.
    unsafe {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
        limit.rlim_cur = limit.rlim_max;
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
    }
}

/// A stream of one piece whose connection ends too soon.
pub fn cut() -> Script {
    Script::one(Exchange::events_cut(&[chat_chunk("half ")]))
}

/// One stream of 64 MB, then small ones.
pub fn large_then_small() -> Script {
    let chunk = chat_chunk(&"x".repeat(1000));
    let stream = |chunks| Exchange::pre_rendered_stream(&chunk, chunks, 64);
    Script::sequence(vec![stream(LARGE), stream(SMALL)])
}

/// What a first preparation may take: packages come from registries.
const PREPARATION: Duration = Duration::from_secs(600);

struct Language;

impl Language {
    /// A program of a language: with the library, and a folder for what is built.
    fn program(language: &str, name: &str) -> Program {
        let (library, folder) = (Library::built(), folder(language));
        std::fs::create_dir_all(&folder).unwrap();
        Program::new(&root().join("tests/bindings").join(language).join(name))
            .env("MODELWIRE_LIBRARY", text(&library_by_name(library)))
            .env("BUILD", text(&folder))
    }

    /// Made ready, the first time that a process asks. Each language at its own time: the lock of all
    /// is not held meanwhile.
    fn prepared(language: &'static str) {
        static PREPARED: Mutex<BTreeMap<&str, Arc<OnceLock<()>>>> = Mutex::new(BTreeMap::new());
        let own = PREPARED.lock().unwrap().entry(language).or_default().clone();
        own.get_or_init(|| {
            let Ended { status, stdout, stderr } =
                Language::program(language, "prepare").patience(PREPARATION).run();
            assert!(status.success(), "{language}: {status}\n{stdout}{stderr}");
        });
    }
}

/// The library in a folder that holds it under its own names.
fn library_by_name(library: &Library) -> PathBuf {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    let make = || {
        let link = library.file("libmodelwire.so");
        let _ = std::fs::remove_file(&link);
        // Of a package for musl it is the static one.
        let shared = library.path().with_extension("so");
        std::os::unix::fs::symlink(shared, &link).unwrap();
        link
    };
    PLACE.get_or_init(make).clone()
}

/// A folder for what is built.
pub fn folder(name: &str) -> PathBuf {
    // TARGET/debug/deps/NAME-HASH
    let target = std::env::current_exe().unwrap().ancestors().nth(3).unwrap().to_owned();
    target.join("bindings").join(name)
}

/// A path, which is UTF-8.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
