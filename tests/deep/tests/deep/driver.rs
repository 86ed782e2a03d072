//! Whatever is ready on a socket is handled within 25 ms, whoever does the I/O and whatever the
//! program's threads do: tried with thousands of made-up programs, each in a process of its own.
//! `DRIVER_PROGRAMS` is how many, `DRIVER_SEED` runs one alone.

mod actor;
mod clock;
mod ledger;
mod programs;
mod server;

use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use modelwire::{CompletionQueue, ErrorKind, Next, shutdown};

use self::actor::{Actor, Stage, client, request};
use self::clock::{Canary, Nanos, in_ms, now};
use self::ledger::{Late, Ledger, Taker};
use self::programs::{End, Program};
use self::server::Plan;
use crate::support::{is_child, myself};

const NAME: &str = "driver::random_programs_get_their_events_in_time";
const PROGRAMS: u64 = 1800;
/// Programs that run beside each other: they sleep most of the time.
const JOBS: usize = 8;
/// So many programs that failed tell enough.
const FAILED_MAX: usize = 10;
/// Runs that a late program gets to be late in again, when no other program runs any more.
const AGAIN: usize = 6;
const PATIENCE: Duration = Duration::from_secs(20);
const SHUTDOWN_TIME: Duration = Duration::from_secs(10);
const SERVER: &str = "DRIVER_SERVER";
const SEED: &str = "DRIVER_SEED";

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap())
}

/// Design: no thread has to wait, or to come back, for the I/O of the others to go on.
#[test]
fn random_programs_get_their_events_in_time() {
    if is_child() {
        return play(number(SEED).unwrap());
    }
    let (server, canary, start) = (server::start(), Canary::of_machine(), Instant::now());
    if let Some(seed) = number(SEED) {
        println!("{:#?}", Program::of(seed));
        let told = run(seed, server, canary);
        return assert!(told.is_good(), "seed {seed}:\n{}{}", told.faults, told.late);
    }
    let (wanted, failed_max) = match number("DRIVER_PROGRAMS") {
        Some(programs) => (programs, usize::MAX),
        None => (PROGRAMS, FAILED_MAX),
    };
    let (next, failed) = (AtomicU64::new(0), Mutex::new(0));
    let (sums, late) = (Mutex::new([0; 3]), Mutex::new(Vec::new()));
    let fails = |seed: u64, told: &Told| {
        *failed.lock().unwrap() += 1;
        println!("{SEED}={seed} fails:\n{}{}", told.faults, told.late);
    };
    thread::scope(|scope| {
        for _ in 0..JOBS {
            scope.spawn(|| {
                while *failed.lock().unwrap() < failed_max {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= wanted {
                        return;
                    }
                    let told = run(seed, server, canary);
                    let mut sums = sums.lock().unwrap();
                    for (sum, more) in sums.iter_mut().zip([1, told.calls, told.events]) {
                        *sum += more;
                    }
                    if !told.faults.is_empty() {
                        fails(seed, &told);
                    } else if !told.is_good() {
                        late.lock().unwrap().push((seed, told));
                    }
                }
            });
        }
    });
    for (seed, told) in late.lock().unwrap().drain(..).take(FAILED_MAX) {
        match (0..AGAIN).map(|_| run(seed, server, canary)).find(|again| !again.is_good()) {
            Some(again) => fails(seed, &again),
            // It met a machine that stood still where no canary sat, or had no processor left.
            None => println!("{SEED}={seed} was late once, and {AGAIN} times not:\n{}", told.late),
        }
    }
    let [programs, calls, events] = *sums.lock().unwrap();
    let (failed, noise) = (*failed.lock().unwrap(), in_ms(canary.worst(0, Nanos::MAX)));
    println!(
        "\nmeasured: {programs} programs, {calls} calls, {events} pieces in {:?}; the machine woke \
         a thread up to {noise} ms late; {failed} programs failed",
        start.elapsed()
    );
    assert_eq!(failed, 0, "of {programs} programs failed; {SEED}=n runs one alone");
}

/// What a program's process told.
#[derive(Default)]
struct Told {
    faults: String,
    late: String,
    calls: u64,
    events: u64,
}

impl Told {
    fn is_good(&self) -> bool {
        self.faults.is_empty() && self.late.is_empty()
    }
}

/// Runs a program in a process of its own and judges what it told.
fn run(seed: u64, server: SocketAddr, canary: &Canary) -> Told {
    let mut command = myself(NAME);
    let output = command.env(SEED, seed.to_string()).env(SERVER, server.to_string()).output();
    let output = output.unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let (mut told, mut has_ended) = (Told::default(), false);
    for line in text.lines() {
        if let Some(fault) = line.strip_prefix("fault ") {
            writeln!(told.faults, "  {fault}").unwrap();
        } else if let Some(late) = line.strip_prefix("late ") {
            let (busy, noise, late) = parse_late(late);
            let excuse = busy + 3 * noise.max(canary.worst(late.from, late.to));
            if late.is_fault(excuse) {
                let excuse = in_ms(excuse);
                writeln!(told.late, "  took {late} ({excuse} ms are excused)").unwrap();
            }
        } else if let Some(sums) = line.strip_prefix("sums ") {
            has_ended = true;
            let (calls, events) = sums.split_once(' ').unwrap();
            (told.calls, told.events) = (calls.parse().unwrap(), events.parse().unwrap());
        }
    }
    if told.faults.is_empty() && !(has_ended && output.status.success()) {
        writeln!(told.faults, "  {}: {text}", output.status).unwrap();
    }
    told
}

fn parse_late(line: &str) -> (Nanos, Nanos, Late) {
    let mut words = line.splitn(6, ' ');
    let [busy, noise, from, to, spare] = [(); 5].map(|()| words.next().unwrap().parse().unwrap());
    (busy, noise, Late { from, to, spare, what: words.next().unwrap().to_owned() })
}

/// A program, in its own process.
fn play(seed: u64) {
    let canary = Canary::of_process();
    let program = Program::of(seed);
    let base_url = format!("http://{}/v1", std::env::var(SERVER).unwrap());
    let stage = Arc::new(Stage {
        clients: (0..program.clients).map(|_| client(&base_url)).collect(),
        base_url,
        shared: CompletionQueue::new(program.call_events_max),
        ledger: Ledger::default(),
        doing: Mutex::new(vec!["begins".into(); program.threads.len() + program.readers.len() + 1]),
        program,
    });
    let (over, watched) = mpsc::channel::<()>();
    let watchdog = {
        let stage = stage.clone();
        thread::spawn(move || {
            if watched.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let doing = stage.doing.lock().unwrap();
                println!(); // the test harness may have begun the line
                for (thread, what) in doing.iter().enumerate() {
                    println!("fault hangs: thread {thread} {what}");
                }
                let calls = stage.ledger.under_way();
                calls.iter().for_each(|call| println!("fault hangs: {call}"));
                // SAFETY: leaves at once; handlers could hang, too.
                unsafe { libc::_exit(1) };
            }
        })
    };
    // What a client makes at its first call is no delay.
    for client in &stage.clients {
        client.blocking().send(request(0, Plan::default())).unwrap();
    }
    perform(&stage);
    drop(over);
    watchdog.join().unwrap();
    let is_cut = matches!(stage.program.end, End::ShutdownAt(_));
    let (faults, late, calls, events) = stage.ledger.judge(is_cut);
    println!(); // as above
    faults.iter().for_each(|fault| println!("fault {fault}"));
    for Late { from, to, spare, what } in late {
        let (busy, noise) = (canary.busiest(from, to), canary.worst(from, to));
        println!("late {busy} {noise} {from} {to} {spare} {what}");
    }
    println!("sums {calls} {events}");
}

/// All threads of a program, from their start to the end of all calls.
fn perform(stage: &Arc<Stage>) {
    let program = &stage.program;
    let spawn_actor = |(thread, (delay, habits)): (usize, &(u64, Vec<_>))| {
        let (actor, delay, habits) = (Actor::new(stage, thread), *delay, habits.clone());
        thread::spawn(move || actor.run(delay, &habits))
    };
    let spawn_reader = |(at, nap): (usize, &u64)| {
        let (stage, at, nap) = (stage.clone(), at + stage.program.threads.len(), *nap);
        thread::spawn(move || stage.read(at, nap))
    };
    let actors: Vec<_> = program.threads.iter().enumerate().map(spawn_actor).collect();
    let readers: Vec<_> = program.readers.iter().enumerate().map(spawn_reader).collect();
    let this = actors.len() + readers.len();
    if let End::ShutdownAt(time) = program.end {
        // clock: the pace of what happens beside
        thread::sleep(Duration::from_millis(time));
        shut_down(stage, this);
    }
    stage.does(this, "waits for the others".into());
    actors.into_iter().for_each(|actor| actor.join().unwrap());
    stage.does(this, "waits for the ends of all calls".into());
    while !stage.ledger.all_are_over() {
        if readers.is_empty() {
            let since = now();
            let next = stage.shared.next(Some(Duration::from_millis(20)));
            stage.note(next, Taker::Waiting(since));
        } else {
            // clock: the pace of what happens beside
            thread::sleep(Duration::from_millis(1));
        }
    }
    stage.does(this, "closes the shared queue".into());
    stage.shared.close();
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    let last = stage.shared.next(None);
    if !matches!(last, Ok(Next::Closed)) {
        stage.ledger.fault(format!("a closed queue gave {last:?}"));
    }
    if program.end == End::Shutdown {
        shut_down(stage, this);
    }
}

fn shut_down(stage: &Stage, this: usize) {
    stage.does(this, "shuts the library down".into());
    stage.ledger.is_shut.store(true, Ordering::SeqCst);
    if !shutdown(SHUTDOWN_TIME) {
        stage.ledger.fault("the shutdown took too long");
    }
    // The library starts afresh, on connections of its own.
    let late = stage.clients[0].blocking().send(request(0, Plan::default()));
    // It may be slow on a machine that stands still; it may not fail with the shutdown.
    if let Err(error) = late
        && error.kind() != ErrorKind::Timeout
    {
        stage.ledger.fault(format!("after the shutdown a call gave {error:?}"));
    }
}
