//! What belongs to a process: environment, shutdown, fork. Each test runs in a process of its own.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use modelwire::{
    Call, Client, Config, ErrorKind, Event, Metered, Pop, shutdown, shutdown_for_good,
};
use modelwire_testing::{Exchange, Script, Service, Step};

use crate::support::{
    DONE, WAYS, client, config, event, eventually, hello, http_chunk, piece, silence,
    stalled_after, stream_head,
};
use crate::system::forked;

const MARKER: &str = "MODELWIRE_TEST_IN_CHILD";
const VARIABLES: [&str; 4] =
    ["MODELWIRE_BASE_URL", "OPENAI_BASE_URL", "MODELWIRE_API_KEY", "OPENAI_API_KEY"];

/// This program once more. Where it runs in an emulator, `MODELWIRE_TESTS_EMULATOR` says in which.
pub fn this_program() -> Command {
    let program = std::env::current_exe().unwrap();
    let Ok(emulator) = std::env::var("MODELWIRE_TESTS_EMULATOR") else {
        return Command::new(program);
    };
    let mut words = emulator.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    command.args(words).arg(program);
    command
}

/// Runs `test`, which is the rest of the test function of this name, in a process of its own with
/// these variables of ours and no others.
fn in_child(name: &str, variables: &[(&str, &str)], test: impl FnOnce()) {
    in_child_at(&format!("processes::{name}"), variables, test);
}

/// The same for a test of any file.
pub fn in_child_at(path: &str, variables: &[(&str, &str)], test: impl FnOnce()) {
    if std::env::var_os(MARKER).is_some() {
        return test();
    }
    let mut command = this_program();
    command.args([path, "--exact", "--nocapture", "--test-threads=1"]);
    for variable in VARIABLES {
        command.env_remove(variable);
    }
    command.envs(variables.iter().copied()).env(MARKER, "1");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let said = [drain(child.stdout.take().unwrap()), drain(child.stderr.take().unwrap())];
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(300) {
            child.kill().unwrap();
        }
        // clock: between two looks
        std::thread::sleep(Duration::from_millis(2));
    };
    let told: String = said.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(status.success(), "{status}: {told}");
    assert!(told.contains("1 passed"), "the test of that name did not run: {told}");
}

/// Reads on a thread of its own, so that no pipe ever fills.
fn drain(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

#[test]
fn without_configuration_nothing_is_sent() {
    in_child("without_configuration_nothing_is_sent", &[("OPENAI_BASE_URL", " ")], || {
        let check = |config: Config, missing: &str| {
            let error = Client::new(config).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(error.message().contains(missing), "{error:?}");
            assert!(error.hint().contains("MODELWIRE_API_KEY"), "{error:?}");
            assert_eq!((error.metered(), error.attempts()), (Metered::NotSent, 0));
        };
        check(Config::new(), "base URL");
        check(Config::new().api_key("sk-test"), "base URL");
        check(Config::new().base_url("http://127.0.0.1:1/v1"), "API key");
        assert_eq!(Client::from_env().unwrap_err().kind(), ErrorKind::Config);
    });
}

#[test]
fn configuration_comes_from_the_environment() {
    let service = Service::start().unwrap();
    let base_url = service.script("s", Script::one(Exchange::json(200, "[]")));
    let variables = [
        ("MODELWIRE_BASE_URL", " "),
        ("OPENAI_BASE_URL", base_url.as_str()),
        ("MODELWIRE_API_KEY", "sk-ours\n"),
        ("OPENAI_API_KEY", "sk-theirs"),
    ];
    in_child("configuration_comes_from_the_environment", &variables, || {
        let client = Client::from_env().unwrap();
        client.blocking().models().unwrap();
        assert!(!format!("{client:?}").contains("sk-ours"));
    });
    if std::env::var_os(MARKER).is_none() {
        assert_eq!(service.recorded("s")[0].header("authorization"), Some("Bearer sk-ours"));
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

/// Pops until the end; its error's kind and how many chunks came before.
fn end_of(call: &Call) -> (ErrorKind, usize) {
    let mut chunks = 0;
    loop {
        match call.pop(Some(PATIENCE)).unwrap() {
            Pop::Event(Event::Done(outcome)) => return (outcome.unwrap_err().kind(), chunks),
            Pop::Event(Event::Chunk(_)) => chunks += 1,
            Pop::Event(Event::Open(_)) => {}
            Pop::Empty | Pop::End => panic!("a call has to end"),
        }
    }
}

/// Who shuts down beside somebody else waits as well: when it returns, nothing runs any more.
#[test]
fn shutdowns_at_once_all_wait() {
    in_child("shutdowns_at_once_all_wait", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let (is_in, is_over) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (enters, leaves) = (is_in.clone(), is_over.clone());
        let call = Call::new(&client, hello());
        call.start_with(false, move |_: Event| {
            enters.store(true, Ordering::SeqCst);
            // clock: the slowness itself
            std::thread::sleep(Duration::from_millis(300));
            leaves.store(true, Ordering::SeqCst);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        eventually("the handler runs", || is_in.load(Ordering::SeqCst));
        let shut_down = || {
            let is_over = is_over.clone();
            std::thread::spawn(move || (shutdown(PATIENCE), is_over.load(Ordering::SeqCst)))
        };
        for thread in [shut_down(), shut_down(), shut_down()] {
            assert_eq!(thread.join().unwrap(), (true, true), "gone, and the handler over");
        }
    });
}

/// What did not end in time is waited for by the next shutdown.
#[test]
fn a_shutdown_that_ran_out_of_time_is_done_again() {
    in_child("a_shutdown_that_ran_out_of_time_is_done_again", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let is_in = Arc::new(AtomicBool::new(false));
        let enters = is_in.clone();
        let (release, held) = std::sync::mpsc::channel::<()>();
        let call = Call::new(&client, hello());
        call.start_with(false, move |_: Event| {
            enters.store(true, Ordering::SeqCst);
            let _ = held.recv();
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        eventually("the handler runs", || is_in.load(Ordering::SeqCst));
        assert!(!shutdown(Duration::from_millis(10)), "the handler still runs");
        release.send(()).unwrap();
        assert!(shutdown(PATIENCE));
    });
}

/// Design: every started call ends with Done, whatever happens.
#[test]
fn shutdown_ends_every_call() {
    in_child("shutdown_ends_every_call", &[], || {
        let service = Service::start().unwrap();
        let busy = Exchange::json_with_headers(429, &[("Retry-After", "50")], "");
        let flood = Exchange::pre_rendered_stream(&piece("x"), 1_000_000, 1);
        // In one HTTP chunk, so that both events enter the queue together.
        let both = format!("data: {}\n\ndata: {}\n\n", piece("a"), piece("b"));
        let both = Exchange { steps: vec![stream_head(), http_chunk(&both), Step::StallForever] };
        let scripts = [
            ("silent", silence(), false),
            ("busy", busy, false),
            ("waiting", stalled_after(&[]), true),
            ("stalled", both, true),
            ("full", flood, true),
        ];
        let calls = scripts.map(|(name, exchange, streams)| {
            let client = client(service.script(name, Script::one(exchange)));
            let call = Arc::new(Call::new(&client, hello()));
            call.start(streams).unwrap();
            eventually("sent", || service.recorded(name).len() == 1);
            call
        });
        for streaming in &calls[2..] {
            let opened = streaming.pop(Some(PATIENCE));
            assert!(matches!(opened, Ok(Pop::Event(Event::Open(_)))));
        }
        for streaming in &calls[3..] {
            let first = streaming.pop(Some(PATIENCE));
            assert!(matches!(first, Ok(Pop::Event(Event::Chunk(_)))));
        }
        let waiting = calls[2].clone();
        let waiter = std::thread::spawn(move || end_of(&waiting));
        let not_started = Call::new(&client(service.base_url()), hello());
        assert!(shutdown(Duration::from_secs(20)), "the I/O thread is gone");
        assert_eq!(waiter.join().unwrap(), (ErrorKind::Shutdown, 0));
        assert_eq!(end_of(&calls[0]), (ErrorKind::Shutdown, 0));
        assert_eq!(end_of(&calls[1]), (ErrorKind::Shutdown, 0));
        assert_eq!(end_of(&calls[3]), (ErrorKind::Shutdown, 1), "what came stays to be popped");
        assert_eq!(end_of(&calls[4]).0, ErrorKind::Shutdown);
        eventually("all connections closed", || service.open_connections() == 0);
        assert!(shutdown(Duration::ZERO), "again is harmless");
        not_started.start(false).unwrap(); // the library starts afresh
        for way in WAYS {
            way.models(&client(service.base_url())).unwrap();
        }
        assert!(shutdown_for_good(Duration::from_secs(20)));
        for way in WAYS {
            let error = way.models(&client(service.base_url())).unwrap_err();
            assert_eq!((error.kind(), error.metered()), (ErrorKind::Shutdown, Metered::NotSent));
        }
    });
}

fn works(client: &Client) {
    for way in WAYS {
        assert_eq!(way.send(client, hello()).unwrap().text(), "Hello from both sides.");
        assert_eq!(way.read(client, hello()).text(), "Hello from both sides.");
    }
}

/// Design: a child finds a new runtime and a new connection pool on first use.
#[test]
fn a_client_made_before_a_fork_works_in_both() {
    in_child("a_client_made_before_a_fork_works_in_both", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        assert!(forked(|| works(&client)));
        works(&client);
        assert!(forked(|| works(&client)));
        assert_eq!(client.usage()["echo"].calls, 4, "each process sums its own");
    });
}

/// Design: what a child inherited is leaked, and never used.
#[test]
fn a_client_used_before_a_fork_works_in_both() {
    in_child("a_client_used_before_a_fork_works_in_both", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        works(&client);
        let before = service.connections();
        assert!(forked(|| {
            assert!(client.usage().is_empty());
            works(&client);
            // A grandchild is a process of its own, too.
            assert!(forked(|| works(&client)));
            works(&client);
            drop(client.clone());
        }));
        assert!(service.connections() >= before + 2, "the child shares no connection");
        let after = service.connections();
        client.blocking().models().unwrap();
        assert_eq!(service.connections(), after, "the parent keeps its own");
    });
}

/// Design: streams inherited mid-flight give a clear error; the parent's go on.
#[test]
fn a_fork_in_mid_stream_leaves_the_stream_to_the_parent() {
    in_child("a_fork_in_mid_stream_leaves_the_stream_to_the_parent", &[], || {
        let service = Service::start().unwrap();
        let pause = Step::Pause(Duration::from_millis(500));
        let last = vec![pause, event(&piece("b")), event(DONE), Step::send("0\r\n\r\n")];
        let exchange = Exchange { steps: [vec![stream_head(), event(&piece("a"))], last].concat() };
        let streaming = Client::new(config(service.script("s", Script::one(exchange)))).unwrap();
        let fresh = client(service.base_url());
        let mut stream = Some(streaming.blocking().stream(hello()).unwrap());
        let call = Call::new(&streaming, hello());
        call.start(true).unwrap();
        let idle = Call::new(&streaming, hello());
        assert_eq!(stream.as_mut().unwrap().next().unwrap().unwrap().text(), "a");
        assert!(forked(|| {
            let error = stream.as_mut().unwrap().next().unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Forked);
            assert!(error.hint().contains("child"), "{error:?}");
            assert!(stream.as_mut().unwrap().next().is_none());
            assert_eq!(call.pop(None).unwrap_err().kind(), ErrorKind::Forked);
            assert_eq!(call.try_pop().unwrap_err().kind(), ErrorKind::Forked);
            assert_eq!(idle.start(false).unwrap_err().kind(), ErrorKind::Forked);
            call.cancel();
            drop(stream.take());
            drop((call, idle));
            works(&fresh);
            assert_eq!(streaming.blocking().stream(hello()).unwrap().count(), 2);
        }));
        let stream = stream.as_mut().unwrap();
        assert_eq!(stream.next().unwrap().unwrap().text(), "b");
        assert!(stream.next().is_none());
        assert_eq!(stream.response().unwrap().end(), modelwire::End::DoneMark);
    });
}

/// Design: locks that other threads hold at the fork are never touched by the child.
#[test]
fn a_fork_during_traffic_works_in_the_child() {
    in_child("a_fork_during_traffic_works_in_the_child", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        let stop = Arc::new(AtomicBool::new(false));
        let traffic: Vec<_> = (0..3)
            .map(|_| {
                let (client, stop) = (client.clone(), stop.clone());
                std::thread::spawn(move || {
                    while !stop.load(Ordering::SeqCst) {
                        works(&client);
                    }
                })
            })
            .collect();
        for round in 0..30 {
            assert!(forked(|| works(&client)), "fork {round}");
        }
        stop.store(true, Ordering::SeqCst);
        traffic.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

/// Design: a child that never calls may drop everything it inherited.
#[test]
fn a_child_may_drop_what_it_inherited() {
    in_child("a_child_may_drop_what_it_inherited", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.script("s", Script::one(stalled_after(&[&piece("a")]))));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut stream = runtime.block_on(client.stream(hello())).unwrap();
        runtime.block_on(stream.next()).unwrap().unwrap();
        let mut inherited = Some((client, stream));
        assert!(forked(|| {
            let (client, mut stream) = inherited.take().unwrap();
            let error = runtime.block_on(stream.next()).unwrap().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Forked);
            drop((client, stream));
            assert!(shutdown(Duration::ZERO), "nothing runs here");
        }));
        assert_eq!(service.open_connections(), 1, "the parent's connection is as it was");
    });
}

/// The parent's shutdown is none of the child's.
#[test]
fn a_child_may_work_after_its_parents_shutdown() {
    in_child("a_child_may_work_after_its_parents_shutdown", &[], || {
        let service = Service::start().unwrap();
        let client = client(service.base_url());
        works(&client);
        assert!(shutdown_for_good(Duration::from_secs(20)));
        assert_eq!(client.blocking().models().unwrap_err().kind(), ErrorKind::Shutdown);
        assert!(forked(|| works(&client)));
        assert!(forked(|| {
            works(&client);
            assert!(shutdown(Duration::from_secs(20)));
        }));
    });
}
