//! The PostgreSQL extension: what it answers, and how fast a backend that waits does what it is
//! told.

use std::time::{Duration, Instant};

use modelwire_testing::Service;

use crate::postgres_server::{Load, Postgres, Session};
use crate::running::{check_idle, middle, wait_until};
use crate::scripts::{cut, silent_service, stalling_service};

/// How fast a backend that waits has to do what it is told, on an idle machine.
const AT_ONCE: Duration = Duration::from_millis(150);
const TRIES: usize = 7;
const BACKENDS: usize = 20;

#[test]
fn sql_has_answers_and_failures() {
    let service = Service::start().unwrap();
    let postgres = Postgres::start(&service.base_url(), Load::AtUse);
    let mut session = postgres.session();
    session.ask("SET modelwire.model = 'echo'").unwrap();
    let told = session.ask("SELECT modelwire_chat('grüße') || '!', modelwire_chat(NULL) IS NULL");
    assert_eq!(told.unwrap(), ["grüße!|t"]);
    let told = session.ask("SELECT string_agg(p, '') FROM modelwire_stream('a b c') AS p");
    assert_eq!(told.unwrap(), ["a b c"]);
    let told = session.ask(
        "SELECT modelwire_chat(n::text), string_agg(p, '') \
         FROM generate_series(1, 3) AS n, LATERAL modelwire_stream(n || ' x') AS p GROUP BY n \
         ORDER BY n",
    );
    assert_eq!(told.unwrap(), ["1|1 x", "2|2 x", "3|3 x"]);
    let failure = session.ask("SET modelwire.model = 'none'; SELECT modelwire_chat('x')");
    let failure = failure.unwrap_err();
    for part in ["38000", "The model \"none\" does not exist", "HINT:"] {
        assert!(failure.contains(part), "{failure}");
    }
    // Nothing of it is left behind.
    session.ask("SET modelwire.model = 'echo'").unwrap();
    assert_eq!(session.ask("SELECT modelwire_chat('again')").unwrap(), ["again"]);
}

#[test]
fn databases_have_other_encodings_and_other_users() {
    let service = Service::start().unwrap();
    let postgres = Postgres::start(&service.base_url(), Load::AtUse);
    let mut session = postgres.session();
    let create = "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' \
                  TEMPLATE template0; CREATE ROLE other LOGIN";
    session.ask(create).unwrap();
    let mut latin = postgres.session_in("latin");
    let sql = "SET client_encoding = 'UTF8'; SET modelwire.model = 'echo'; \
               CREATE FUNCTION chat(text) RETURNS text AS 'modelwire_pg', 'modelwire_chat' \
               LANGUAGE C; SELECT chat('grüße'), length(chat('grüße'))";
    assert_eq!(latin.ask(sql).unwrap(), ["grüße|5"]);
    // Who was not granted it cannot spend money.
    let refused = session.ask("SET ROLE other; SELECT modelwire_chat('x')").unwrap_err();
    assert!(refused.contains("permission denied for function modelwire_chat"), "{refused}");
    session.ask("RESET ROLE; LOAD 'modelwire_pg'; SET ROLE other").unwrap();
    let refused = session.ask("SHOW modelwire.options").unwrap_err();
    assert!(refused.contains("42501"), "{refused}");
}

/// The stream never ends.
#[test]
fn rows_come_as_they_are_written() {
    let (service, url) = stalling_service(&["a ", "b ", "c "]);
    let postgres = Postgres::start(&url, Load::AtUse);
    let mut session = postgres.session();
    session.ask("BEGIN; DECLARE c CURSOR FOR SELECT modelwire_stream('x')").unwrap();
    assert_eq!(session.ask("FETCH 1 FROM c").unwrap(), ["a "]);
    assert_eq!(session.ask("FETCH 1 FROM c").unwrap(), ["b "]);
    assert_eq!(service.open_connections(), 1);
    session.ask("COMMIT").unwrap();
    wait_until("the rest is not waited for", || service.open_connections() == 0);
    let told = session.ask("SELECT modelwire_stream('x') LIMIT 2").unwrap();
    assert_eq!(told, ["a ", "b "]);
    wait_until("the rest is not waited for", || service.open_connections() == 0);
}

/// A chat that never ends, in a backend that waits for it.
struct Waiting<'a> {
    service: &'a Service,
    postgres: &'a Postgres,
    boss: Session,
    statement: String,
}

impl Waiting<'_> {
    fn wait_in(&self, session: &mut Session) {
        let before = self.service.recorded("silent").len();
        session.send(&self.statement);
        wait_until("it is asked", || self.service.recorded("silent").len() > before);
    }

    /// How long it takes until the statement fails with this, once the act is done.
    #[track_caller]
    fn fails(&self, session: &mut Session, with: &str, start: Instant) -> Duration {
        let told = session.told();
        let took = start.elapsed();
        assert!(matches!(&told, Err(failure) if failure.contains(with)), "{told:?}");
        wait_until("the exchange is closed", || self.service.open_connections() == 0);
        took
    }

    fn tell(&mut self, act: &str, process: u32) -> Instant {
        let start = Instant::now();
        self.boss.ask(&format!("SELECT {act}({process})")).unwrap();
        start
    }

    fn cancel(&mut self) -> Duration {
        let mut session = self.postgres.session();
        let mut descriptors = Vec::new();
        let tries = (0..TRIES).map(|_| {
            self.wait_in(&mut session);
            let start = self.tell("pg_cancel_backend", session.process);
            let took = self.fails(&mut session, "57014", start);
            descriptors.push(session.descriptors());
            took
        });
        let tries = tries.collect();
        let fewest = descriptors.into_iter().min().unwrap();
        // The client hears of an error before all of it is over.
        wait_until("nothing is left", || session.descriptors() <= fewest);
        middle(&format!("pg_cancel_backend in {}", self.statement), tries)
    }

    fn terminate(&mut self) -> Duration {
        let tries = (0..TRIES).map(|_| {
            let mut session = self.postgres.session();
            self.wait_in(&mut session);
            let start = self.tell("pg_terminate_backend", session.process);
            self.fails(&mut session, "57P01", start)
        });
        let tries = tries.collect();
        middle(&format!("pg_terminate_backend in {}", self.statement), tries)
    }

    fn time_out(&mut self) -> Duration {
        let mut session = self.postgres.session();
        session.ask("SET statement_timeout = 300").unwrap();
        let tries = (0..TRIES).map(|_| {
            let start = Instant::now();
            session.send(&self.statement);
            let took = self.fails(&mut session, "statement timeout", start);
            took.saturating_sub(Duration::from_millis(300))
        });
        let tries = tries.collect();
        middle(&format!("after statement_timeout in {}", self.statement), tries)
    }
}

fn check_at_once(postgres: &Postgres, service: &Service, statement: &str) {
    let mut waiting =
        Waiting { service, postgres, boss: postgres.session(), statement: statement.to_owned() };
    let mut session = postgres.session();
    waiting.wait_in(&mut session);
    check_idle(&format!("PostgreSQL in {statement}"), session.process);
    // It does what every backend has to do before a database is dropped.
    let start = Instant::now();
    waiting.boss.ask("CREATE DATABASE other").unwrap();
    waiting.boss.ask("DROP DATABASE other").unwrap();
    // clock: beside what they take one after another
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
    drop(session);
    wait_until("who has gone waits no more", || service.open_connections() == 0);
    for took in [waiting.cancel(), waiting.time_out(), waiting.terminate()] {
        // clock: beside what they take one after another
        assert!(took < AT_ONCE, "{took:?}");
    }
}

/// While a chat and while a stream is waited for; and the backend is idle meanwhile.
#[test]
fn cancel_terminate_and_timeout_act_at_once() {
    let (service, url) = silent_service();
    let postgres = Postgres::start(&url, Load::AtUse);
    check_at_once(&postgres, &service, "SELECT modelwire_chat('x')");
    check_at_once(&postgres, &service, "SELECT modelwire_stream('x')");
}

/// Without queue and latch: a blocking call whose waits end when a signal comes.
#[test]
fn cancel_terminate_and_timeout_end_a_blocking_call() {
    let (service, url) = silent_service();
    let postgres = Postgres::start(&url, Load::AtUse);
    let sql = "CREATE FUNCTION modelwire_blocking(text) RETURNS text AS 'blocking_pg' LANGUAGE C";
    postgres.session().ask(sql).unwrap();
    check_at_once(&postgres, &service, "SELECT modelwire_blocking('x')");
}

#[test]
fn twenty_backends_wait_at_once() {
    let service = Service::start().unwrap();
    let postgres = Postgres::start(&service.base_url(), Load::AtUse);
    check_backends(&postgres);
}

fn check_backends(postgres: &Postgres) {
    let mut sessions: Vec<_> = (0..BACKENDS).map(|_| postgres.session()).collect();
    let start = Instant::now();
    let words = |number| format!("a b c d e f g h i j {number}");
    for (number, session) in sessions.iter_mut().enumerate() {
        let stream = words(number);
        let stream = format!("SELECT string_agg(p, '') FROM modelwire_stream('{stream}') AS p");
        session.send(&format!("{stream}; SELECT modelwire_chat('c {number}')"));
    }
    for (number, session) in sessions.iter_mut().enumerate() {
        let told = session.told().unwrap();
        assert_eq!(told, [words(number), format!("c {number}")]);
    }
    // clock: beside what they take one after another
    assert!(start.elapsed() < Duration::from_secs(20), "one after another they take 40 s and more");
}

/// The client is made in the server's first process and used in those that it forks.
#[test]
fn the_extension_can_be_preloaded() {
    let service = Service::start().unwrap();
    let postgres = Postgres::start(&service.base_url(), Load::BeforeFork);
    check_backends(&postgres);
    assert_eq!(postgres.threads(), 1, "what is forked must have no threads");
    drop(service);
    // Said once, and in no backend's way: where nothing is configured, the server starts all the
    // same.
    let postgres = Postgres::start("not a url", Load::BeforeFork);
    assert!(postgres.log().contains("WARNING"), "{}", postgres.log());
    let failure = postgres.session().ask("SELECT modelwire_chat('x')").unwrap_err();
    assert!(failure.contains("38000"), "{failure}");
}

/// Errors that SQL catches, and rows that nobody reads on, leave nothing behind.
#[test]
fn failed_calls_leave_no_descriptor_in_a_backend() {
    let service = Service::start().unwrap();
    let postgres = Postgres::start(&service.script("cut", cut()), Load::AtUse);
    let mut session = postgres.session();
    let failing = "DO $$ BEGIN FOR n IN 1..20 LOOP \
                     BEGIN PERFORM modelwire_chat('x'); EXCEPTION WHEN OTHERS THEN NULL; END; \
                     BEGIN PERFORM * FROM modelwire_stream('x'); \
                       EXCEPTION WHEN OTHERS THEN NULL; END; \
                     PERFORM modelwire_stream('x') LIMIT 1; \
                   END LOOP; END $$";
    session.ask(failing).unwrap();
    let before = session.descriptors();
    session.ask(failing).unwrap();
    wait_until("nothing is left", || session.descriptors() <= before);
}
