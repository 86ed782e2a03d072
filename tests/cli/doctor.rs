//! `modelwire doctor` as a process: every fault that it knows is made by a script, a server or a
//! certificate, and has to be recognised.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

#[path = "doctor/cases.rs"]
mod cases;
#[path = "doctor/servers.rs"]
mod servers;
mod support;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use modelwire_cli::doctor::causes::FAULTS;
use modelwire_testing::{Exchange, Options, Script, Service, Step};
use serde_json::{Value, json};

use crate::cases::{
    PACED_TRIES, answers, certificates, configurations, named, places, proxied, secured, streams,
};
use crate::servers::{Full, can_replace_files, only, serve};
use crate::support::{
    Folder, closed_pipe, modelwire_at, modelwire_to, run, run_on_terminal, signal, wait,
};

/// Faults that no test of a whole run can make, and where they are proven.
const ELSEWHERE: [(&str, &str); 3] = [
    ("connect_failed", "what the system says is rare: a unit test of the causes"),
    ("name_slow", "needs a name server that is slow and then answers"),
    ("client_failed", "faults of the client itself"),
];

#[test]
fn every_fault_is_recognised() {
    let service = Service::start().unwrap();
    let made = certificates();
    let full = Full::new();
    let folder = Folder::new();
    let mut cases = Vec::new();
    // First, for it takes longest.
    let can_replace = can_replace_files();
    if can_replace {
        cases.extend(named(&service, &folder));
    }
    cases.extend(configurations(&service, &folder));
    cases.extend(places(&service, &full));
    cases.extend(secured(&service, &made, &folder));
    cases.extend(proxied(&made));
    cases.extend(answers(&service));
    cases.extend(streams(&service));
    let (next, wrong, seen) =
        (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(BTreeSet::new()));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (why, faults) = case.check(&service);
                    seen.lock().unwrap().extend(faults);
                    if let Some(why) = why {
                        wrong.lock().unwrap().push(format!("{}: {why}", case.what));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let mut seen = seen.into_inner().unwrap();
    seen.extend(ELSEWHERE.iter().map(|(name, _)| (*name).to_owned()));
    if !can_replace {
        eprintln!("not proven here, for want of a mount namespace: names");
        seen.extend(["name_server_silent", "addresses_fail"].map(str::to_owned));
    }
    let unseen: Vec<_> = FAULTS.iter().filter(|name| !seen.contains(**name)).collect();
    assert!(unseen.is_empty(), "no script makes {unseen:?}");
}

/// The lines of a service that is well, with the times left out.
#[test]
fn a_healthy_service_gives_one_line_per_check() {
    let word_pause = Duration::from_millis(20);
    let play = || {
        let service = Service::start_with(Options { word_pause, ..Options::default() }).unwrap();
        let ran = run(&mut modelwire_to(&service, &["doctor"]));
        (service, ran)
    };
    let (mut service, mut ran) = play();
    // A machine that is busy holds a stream back, or pulls it together.
    for _ in 1..PACED_TRIES {
        if !ran.text().contains("it streams") {
            (service, ran) = play();
        }
    }
    let lines: Vec<&str> = ran.text().lines().collect();
    let begin =
        |line: &&str| line.split_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>();
    let begins: Vec<_> = lines.iter().map(begin).map(|words| words.join(" ")).collect();
    assert_eq!(
        begins,
        [
            "ok configuration",
            "ok base_url",
            "ok proxy",
            "ok dns",
            "ok tcp",
            "skipped tls",
            "ok models",
            "ok key",
            "ok permission",
            "ok model",
            "ok chat",
            "ok streaming",
            "ok responses",
            "skipped clock",
            "ok versions",
            "passed (2",
        ],
        "{}",
        ran.text()
    );
    assert_eq!(ran.code(), 0);
    assert!(lines[11].contains("it streams"), "{}", lines[11]);
    assert!(ran.stderr.contains("billed") && ran.stderr.contains("--no-calls"), "{}", ran.stderr);
    assert_eq!(service.metered()["echo"].calls, 3);
}

/// Nothing is spent where nothing is to be.
#[test]
fn without_calls_nothing_is_metered() {
    let service = Service::start().unwrap();
    let ran = run(&mut modelwire_to(&service, &["doctor", "--no-calls", "--json"]));
    assert_eq!((ran.code(), ran.stderr.as_str()), (0, ""));
    assert!(service.metered().is_empty());
    assert_eq!(service.recorded("").len(), 1, "the list of models alone");
    let document: Value = serde_json::from_str(ran.text()).unwrap();
    let state = |name: &str| {
        let checks = document["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["name"] == name).unwrap();
        format!("{} {}", check["state"].as_str().unwrap(), check["saw"].as_str().unwrap())
    };
    for name in ["chat", "streaming", "responses"] {
        assert_eq!(state(name), "skipped --no-calls: it would be billed");
    }
}

#[test]
fn colours_are_for_terminals_without_no_color() {
    let service = Service::start().unwrap();
    let command = || modelwire_to(&service, &["doctor", "--no-calls"]);
    assert!(!run(&mut command()).text().contains('\x1b'));
    assert!(run_on_terminal(&mut command()).text().contains("\x1b[32mok"));
    assert!(!run_on_terminal(command().env("NO_COLOR", "1")).text().contains('\x1b'));
}

/// What a service says is shown, and steers no terminal.
#[test]
fn control_characters_from_the_service_are_removed() {
    let service = Service::start().unwrap();
    let body = "{\"error\":{\"message\":\"no\\u001b]0;title\\u0007\\nways\"}}";
    let url = service.script("steers", Script::one(Exchange::json(500, body)));
    let ran = run_on_terminal(modelwire_at(&url, &["doctor"]).env("NO_COLOR", "1"));
    assert!(!ran.text().contains(['\x1b', '\x07']), "{:?}", ran.text());
    assert!(ran.text().contains("no ]0;title ways"), "{:?}", ran.text());
}

/// Wherever it waits: here for the head of an answer.
#[test]
fn an_interrupt_ends_doctor_at_once() {
    let service = Service::start().unwrap();
    let url = service.script("for-ever", Script::one(only(Step::StallForever)));
    for by in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let mut command = modelwire_at(&url, &["doctor"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // The line before the one that never comes.
        assert!(lines.any(|line| line.unwrap().contains("tls")));
        let begun = Instant::now();
        signal(&child, by);
        assert_eq!(wait(&mut child).signal(), Some(by.as_raw()));
        // clock: bounds a hang
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
    }
}

/// Ctrl-Z and `fg` interrupt a read of the handshake, which goes on.
#[test]
fn a_doctor_that_was_stopped_continues_its_handshake() {
    let (tell, asked) = mpsc::channel();
    let silent = serve(move |mut peer| {
        tell.send(peer.read(&mut [0; 9])?).map_err(std::io::Error::other)?;
        thread::park();
        Ok(())
    });
    let url = format!("https://{silent}/v1");
    let mut command = modelwire_at(&url, &["doctor", "--json", "--timeout", "4"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    asked.recv().unwrap();
    for _ in 0..3 {
        // clock: so that it waits for the answer; if it does not yet, this round proves nothing
        thread::sleep(Duration::from_millis(100));
        signal(&child, rustix::process::Signal::STOP);
        signal(&child, rustix::process::Signal::CONT);
    }
    let report: Value = serde_json::from_reader(child.stdout.take().unwrap()).unwrap();
    wait(&mut child);
    let checks = report["checks"].as_array().unwrap();
    let tls = checks.iter().find(|check| check["name"] == "tls").unwrap();
    assert_eq!(tls["fault"], "tls_timeout", "{tls}");
}

#[test]
fn a_closed_pipe_ends_doctor_silently() {
    let service = Service::start().unwrap();
    let mut command = modelwire_to(&service, &["doctor", "--no-calls"]);
    let mut child = command.stdout(closed_pipe()).stderr(Stdio::piped()).spawn().unwrap();
    assert_eq!(wait(&mut child).code(), Some(141));
    let mut told = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut told).unwrap();
    assert_eq!(told, "");
}

/// Its calls are tried; a name, an address and a proxy there are not.
#[cfg(unix)]
#[test]
fn a_service_at_a_unix_socket_is_called() {
    let ask = ["doctor", "--no-calls"];
    let ran = run(&mut modelwire_at("http+unix://%2Fnowhere%2Fm.sock/v1", &ask));
    for step in ["proxy", "dns", "tcp", "tls"] {
        let line = ran.text().lines().find(|line| line.contains(step)).unwrap();
        assert!(line.starts_with("skipped") && line.ends_with("a Unix socket"), "{line}");
    }
    let models = ran.text().lines().find(|line| line.contains(" models ")).unwrap();
    assert!(models.starts_with("failed") && models.contains("/nowhere/m.sock"), "{models}");
}

/// Without a service: the records say what happened.
#[test]
fn records_of_a_program_are_read() {
    let folder = Folder::new();
    let record = |kind: &str| {
        let kind = (!kind.is_empty()).then_some(kind);
        json!({"operation": "chat", "elapsed_us": 5, "bottleneck": "service", "kind": kind})
            .to_string()
    };
    let text = [record(""), record("server"), String::new()].join("\n");
    folder.file("records.jsonl", &text);
    let file = folder.path().join("records.jsonl");
    let mut command = modelwire_at("http://127.0.0.1:1/v1", &["doctor", "--json", "--from"]);
    let ran = run(command.arg(&file));
    assert_eq!(ran.code(), 6, "{ran:?}");
    let report: Value = serde_json::from_str(ran.text()).unwrap();
    let failures = &report["checks"][1];
    assert_eq!(failures["saw"], "1 calls failed (50 %): server 1", "{report}");
    assert_eq!(failures["state"], "failed");
    folder.file("none.jsonl", "{}\n");
    let none = folder.path().join("none.jsonl");
    let mut command = modelwire_at("http://127.0.0.1:1/v1", &["doctor", "--from"]);
    let ran = run(command.arg(&none));
    assert!(ran.code() != 0 && ran.stderr.contains("has no call records"), "{ran:?}");
}
