//! What bulk jobs leave on disk, by the binary: the lines of results to the byte, packed and in order, and
//! what is told where files cannot be written.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod support;

use std::process::{Command, Stdio};
use std::time::Duration;

use modelwire_testing::load::Load;
use modelwire_testing::{Exchange, Options, Script, Service};
use rustix::process::Signal;
use serde_json::{Value, json};
use support::{Folder, Ran, modelwire_at, modelwire_to, run, signal, unpacked, until, wait};

/// Rows `r0`, `r1` and so on; the service echoes their names.
fn rows(count: usize) -> String {
    let line = |number: usize| {
        let messages = json!([{"role": "user", "content": format!("r{number}")}]);
        format!(
            "{}\n",
            json!({"custom_id": format!("r{number}"), "model": "echo", "messages": messages})
        )
    };
    (0..count).map(line).collect()
}

fn slow_service(load: &str) -> Service {
    let load = Load::parse(load).unwrap();
    Service::start_with(Options { load, ..Options::default() }).unwrap()
}

fn bulk(service: &Service, folder: &Folder, arguments: &[&str]) -> Command {
    let mut command =
        modelwire_to(service, &[&["bulk", "in.jsonl", "--quiet"], arguments].concat());
    command.current_dir(folder.path());
    command
}

fn ended_well(ran: &Ran) {
    assert!(ran.status.success(), "{}", ran.stderr);
}

fn custom_ids(text: &str) -> Vec<String> {
    let id = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["custom_id"].as_str().unwrap().to_owned()
    };
    text.lines().map(id).collect()
}

/// The body is the service's, byte for byte, but for line ends between values.
#[test]
fn an_answer_is_kept_to_the_byte() {
    let service = Service::start().unwrap();
    let body = "{\r\n  \"choices\": [ {\"message\": {\"content\": \"a\\nb \\u00fc ü\", \"role\":\"assistant\"},\n\
        \t\"finish_reason\": \"stop\", \"index\": 0} ],\n  \"odd\": 1.0e2, \"odd\": 12345678901234567890123\n}\n";
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req \"7\"\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let script = Script::one(Exchange::raw(format!("{head}{body}")));
    let base_url = service.script("pretty", script);
    let folder = Folder::new();
    folder.file("in.jsonl", rows(1));
    let arguments = ["bulk", "in.jsonl", "-o", "out.jsonl", "--quiet"];
    let ran = run(modelwire_at(&base_url, &arguments).current_dir(folder.path()));
    ended_well(&ran);
    let line = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let kept = body.trim_end().replace(['\r', '\n'], " ");
    let (begin, end) = line.split_once(",\"custom_id\"").unwrap();
    assert!(begin.starts_with("{\"id\":\"modelwire-"), "{line}");
    let expected = format!(
        ":\"r0\",\"response\":{{\"status_code\":200,\"request_id\":\"req \\\"7\\\"\",\"body\":{kept}}},\"error\":null}}\n"
    );
    assert_eq!(end, expected);
}

#[test]
fn rows_that_failed_run_again_where_that_is_asked_for() {
    let service = slow_service("fault-share=0.5,seed=7");
    let folder = Folder::new();
    folder.file("in.jsonl", rows(40));
    let out = folder.path().join("out.jsonl");
    let ran = run(&mut bulk(&service, &folder, &["-o", "out.jsonl"]));
    assert_eq!(ran.code(), 3, "{}", ran.stderr);
    let failed =
        |text: &str| text.lines().filter(|line| !line.ends_with("\"error\":null}")).count();
    let text = std::fs::read_to_string(&out).unwrap();
    let first = failed(&text);
    assert!((1..40).contains(&first) && text.lines().count() == 40, "{first}");
    let line = text.lines().find(|line| !line.ends_with("\"error\":null}")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(line["response"]["status_code"], 500);
    assert!(line["response"]["body"]["error"].is_object(), "{line}");
    assert_eq!(
        (line["error"]["kind"].as_str(), line["error"]["http_status"].as_u64()),
        (Some("server"), Some(500))
    );
    // They are not sent again unasked.
    let sent = service.recorded("").len();
    assert_eq!(run(&mut bulk(&service, &folder, &["-o", "out.jsonl"])).code(), 3);
    assert_eq!(service.recorded("").len(), sent);
    service.set_load(Load::default());
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl", "--retry-failed"])));
    assert_eq!(service.recorded("").len(), sent + first);
    let text = std::fs::read_to_string(&out).unwrap();
    let mut ids = custom_ids(&text);
    ids.sort();
    ids.dedup();
    assert_eq!((failed(&text), text.lines().count(), ids.len()), (0, 40, 40));
}

/// As a tool for OpenAI's batches reads an error file: what the service said, or what went wrong before.
fn batch_errors(path: &std::path::Path) -> Vec<(String, Option<u64>, String)> {
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        let names: Vec<&String> = line.as_object().unwrap().keys().collect();
        assert_eq!(names, ["custom_id", "error", "id", "response"]);
        let error = line["error"].as_object().unwrap();
        assert!(error.len() == 2 && error["code"].is_string(), "{line}");
        let message = match &line["response"] {
            Value::Null => &line["error"]["message"],
            response => &response["body"]["error"]["message"],
        };
        let id = line["custom_id"].as_str().unwrap().to_owned();
        (id, line["response"]["status_code"].as_u64(), message.as_str().unwrap().to_owned())
    };
    unpacked(path).lines().map(line).collect()
}

#[test]
fn failed_rows_have_a_file_of_their_own() {
    let service = slow_service("fault-share=0.5,seed=7");
    let folder = Folder::new();
    folder.file("in.jsonl", format!("{}{{\n", rows(40)));
    let arguments = ["-o", "out.jsonl", "--skip-bad-lines", "--errors", "errors.jsonl.gz"];
    let errors = folder.path().join("errors.jsonl.gz");
    assert_eq!(run(&mut bulk(&service, &folder, &arguments)).code(), 3);
    let found = batch_errors(&errors);
    let text = std::fs::read_to_string(folder.path().join("out.jsonl")).unwrap();
    let failed = |line: &&str| !line.ends_with("\"error\":null}");
    let expected: Vec<&str> = text.lines().filter(failed).collect();
    assert!(found.len() == expected.len() && found.len() > 2, "{found:?}");
    let names = custom_ids(&expected.join("\n"));
    assert!(found.iter().map(|(name, ..)| name).eq(&names), "{found:?}");
    assert!(found.iter().any(|(_, status, _)| *status == Some(500)), "{found:?}");
    assert!(found.iter().any(|(_, _, said)| said.contains("in.jsonl:41: not valid")), "{found:?}");
    // It is written again by each run, also by one that has nothing to do or is interrupted.
    std::fs::remove_file(&errors).unwrap();
    assert_eq!(run(&mut bulk(&service, &folder, &arguments)).code(), 3);
    assert_eq!(batch_errors(&errors), found);
    let again = [&arguments[..], &["--retry-failed"]].concat();
    service.set_load(Load::parse("latency-ms=600000").unwrap());
    let sent = service.recorded("").len();
    let mut child = bulk(&service, &folder, &again).stderr(Stdio::null()).spawn().unwrap();
    until("rows are sent again", || service.recorded("").len() > sent);
    signal(&child, Signal::INT);
    until("it ends", || {
        child.try_wait().unwrap().is_some() || {
            signal(&child, Signal::INT);
            false
        }
    });
    assert_eq!(wait(&mut child).code(), Some(130));
    let found = batch_errors(&errors);
    assert!(found.iter().all(|(_, status, _)| status.is_none()), "{found:?}");
    service.set_load(Load::default());
    folder.file("in.jsonl", rows(40));
    ended_well(&run(&mut bulk(&service, &folder, &again)));
    assert_eq!(unpacked(&errors), "");
}

/// The records of a CSV file, as RFC 4180 has them.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let (mut letters, mut is_quoted) = (text.chars().peekable(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' | '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                if letter == '\n' {
                    records.push(std::mem::take(&mut record));
                }
            }
            _ => field.push(letter),
        }
    }
    assert!(field.is_empty() && record.is_empty() && !is_quoted, "{text}");
    records
}

#[test]
fn results_have_a_table() {
    let (service, folder) = (slow_service("latency-ms=1"), Folder::new());
    let said = "a \"quoted\", comma\r\nand line; äöü";
    let chat = |id: &str, model: &str| {
        let messages = json!([{"role": "user", "content": said}]);
        json!({"custom_id": id, "method": "POST", "url": "/v1/chat/completions",
            "body": {"model": model, "messages": messages}})
    };
    let response = json!({"custom_id": "r", "method": "POST", "url": "/v1/responses",
        "body": {"model": "echo", "input": said}});
    let rows = [chat("c", "echo"), response, chat("no, \"no\"", "no-such-model")];
    folder.file("in.jsonl", rows.map(|row| format!("{row}\n")).concat());
    for (out, table, order) in
        [("out.jsonl", "table.csv", &[][..]), ("other.jsonl", "table.csv.gz", &["--ordered"])]
    {
        let arguments = [&["-o", out, "--csv", table][..], order].concat();
        assert_eq!(run(&mut bulk(&service, &folder, &arguments)).code(), 3);
        let path = folder.path().join(table);
        let found = records(&unpacked(&path));
        let mut found: Vec<Vec<&str>> =
            found.iter().map(|record| record.iter().map(String::as_str).collect()).collect();
        let head = found.remove(0);
        assert_eq!(head, ["custom_id", "answer", "error", "error_kind", "metered", "total_tokens"]);
        found.sort_unstable();
        let [chat, failed, response] = &found[..] else { panic!("{found:?}") };
        let words = said.split_whitespace().count() * 2;
        assert_eq!(chat[..], ["c", said, "", "", "", &words.to_string()]);
        assert_eq!(response[..2], ["r", said]);
        assert!(response[2..5].iter().all(|field| field.is_empty()), "{response:?}");
        assert_eq!((failed[0], failed[1], failed[3]), ("no, \"no\"", "", "not_found"));
        assert!(failed[2].contains("no-such-model") && failed[5].is_empty(), "{failed:?}");
        assert_eq!(failed[4], "unknown");
        // A finished job sends nothing, and writes it again.
        let (sent, before) = (service.recorded("").len(), unpacked(&path));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(run(&mut bulk(&service, &folder, &arguments)).code(), 3);
        assert_eq!((service.recorded("").len(), unpacked(&path)), (sent, before));
    }
}

fn names(folder: &Folder) -> Vec<String> {
    let entries = std::fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Whatever refuses a run before anything was sent.
#[test]
fn a_run_that_is_refused_leaves_no_files() {
    let service = Service::start().unwrap();
    let folder = Folder::new();
    folder.file("in.jsonl", format!("{}no request\n", rows(3)));
    folder.file("taken", "");
    for (more, code) in [
        (&["-o", "out.jsonl"][..], 2),
        (&["-o", "out.jsonl", "--overwrite"], 2),
        (&["-o", "out.jsonl", "--ordered"], 2),
        (&["-o", "out.jsonl.zst", "--journal", "noted"], 2),
        (&["-o", "-", "--ordered"], 2),
        (&["-o", "taken/out.jsonl", "--journal", "noted"], 5),
        (&["-o", "out.jsonl", "--max-cost", "1"], 2),
    ] {
        let mut command = bulk(&service, &folder, more);
        let ran = run(command.env("TMPDIR", folder.path()));
        assert_eq!(ran.code(), code, "{more:?} {}", ran.stderr);
        assert_eq!(names(&folder), ["in.jsonl", "taken"], "{more:?}");
    }
    folder.file("in.jsonl", "");
    assert_eq!(run(&mut bulk(&service, &folder, &["-o", "out.jsonl"])).code(), 2);
    assert_eq!(names(&folder), ["in.jsonl", "taken"]);
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl", "--allow-empty"])));
    assert_eq!(names(&folder), ["in.jsonl", "out.jsonl", "out.jsonl.journal", "taken"]);
}

#[test]
fn results_are_not_thrown_away_for_an_input_that_is_refused() {
    let service = Service::start().unwrap();
    let folder = Folder::new();
    folder.file("in.jsonl", rows(3));
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl"])));
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    let before = (read("out.jsonl"), read("out.jsonl.journal"));
    folder.file("in.jsonl", format!("{}no request\n", rows(5)));
    let ran = run(&mut bulk(&service, &folder, &["-o", "out.jsonl", "--overwrite"]));
    assert_eq!(ran.code(), 2, "{}", ran.stderr);
    assert_eq!((read("out.jsonl"), read("out.jsonl.journal")), before);
    folder.file("in.jsonl", rows(5));
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl", "--overwrite"])));
    assert_eq!(custom_ids(&String::from_utf8(read("out.jsonl")).unwrap()).len(), 5);
    assert_eq!(service.recorded("").len(), 8);
}

#[test]
fn existing_results_are_not_overwritten_by_default() {
    let service = Service::start().unwrap();
    let folder = Folder::new();
    folder.file("in.jsonl", rows(3));
    let out = folder.file("out.jsonl", "my results\n");
    let ran = run(&mut bulk(&service, &folder, &["-o", "out.jsonl"]));
    assert_eq!(ran.code(), 5);
    assert!(ran.stderr.contains("out.jsonl already exists and has no journal"), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1);
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "my results\n");
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl", "--overwrite"])));
    assert_eq!(custom_ids(&std::fs::read_to_string(&out).unwrap()).len(), 3);
    // Cut by hand.
    std::fs::write(&out, "").unwrap();
    let ran = run(&mut bulk(&service, &folder, &["-o", "out.jsonl"]));
    assert_eq!(ran.code(), 5);
    assert!(ran.stderr.contains("results were removed from it"), "{}", ran.stderr);
}

/// What is intact is kept, nothing is sent, and the rows of which nothing is known are named.
#[test]
fn damaged_files_are_repaired() {
    for more in
        [&["-o", "out.jsonl"][..], &["-o", "out.jsonl", "--ordered"], &["-o", "out.jsonl.zst"]]
    {
        let service = Service::start().unwrap();
        let folder = Folder::new();
        private(&folder.file("in.jsonl", rows(20)));
        ended_well(&run(&mut bulk(&service, &folder, more)));
        let journal = folder.path().join(format!("{}.journal", more[1]));
        let text = std::fs::read_to_string(&journal).unwrap();
        let lines: Vec<_> = text.split_inclusive('\n').collect();
        std::fs::write(&journal, [&lines[..30], &lines[31..]].concat().concat()).unwrap();
        let ran = run(&mut bulk(&service, &folder, more));
        assert_eq!(ran.code(), 5, "{}", ran.stderr);
        let said = format!("{}.journal:31: this line, at byte ", more[1]);
        assert!(ran.stderr.contains(&said) && ran.stderr.contains("--repair"), "{}", ran.stderr);
        let ran = run(&mut bulk(&service, &folder, &[more, &["--repair"]].concat()));
        ended_well(&ran);
        for wanted in
            ["kept           20 results", "lost           1 line of the journal", "damaged-1"]
        {
            assert!(ran.text().contains(wanted), "{}", ran.text());
        }
        ended_well(&run(&mut bulk(&service, &folder, more)));
        assert_eq!(service.recorded("").len(), 20);
        let kept = folder.path().join(format!("{}.journal.damaged-1", more[1]));
        assert_eq!(std::fs::read_to_string(kept).unwrap().lines().count(), lines.len() - 1);
        #[cfg(unix)]
        for name in names(&folder) {
            use std::os::unix::fs::PermissionsExt;
            let mode = folder.path().join(&name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
    }
    let service = Service::start().unwrap();
    let folder = Folder::new();
    private(&folder.file("in.jsonl", rows(20)));
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl"])));
    // An edited result is not kept, though it is JSON.
    let out = folder.path().join("out.jsonl");
    let text = std::fs::read_to_string(&out).unwrap();
    std::fs::write(&out, text.replacen("\"content\":\"r7\"", "\"content\":\"r8\"", 1)).unwrap();
    let ran = run(&mut bulk(&service, &folder, &["-o", "out.jsonl"]));
    assert!(ran.stderr.contains("out.jsonl was changed: bytes"), "{}", ran.stderr);
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl", "--repair"])));
    let unknown = std::fs::read_to_string(folder.path().join("out.jsonl.unknown")).unwrap();
    assert_eq!(unknown, "r7\n");
    ended_well(&run(&mut bulk(&service, &folder, &["-o", "out.jsonl"])));
    let mut ids = custom_ids(&std::fs::read_to_string(&out).unwrap());
    ids.sort();
    ids.dedup();
    assert_eq!((ids.len(), service.recorded("").len()), (20, 21));
}

/// Only the owner may read it.
fn private(path: &std::path::Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).unwrap();
    }
}

#[test]
fn ordered_standard_output_leaves_no_files() {
    let service = slow_service("latency-ms=20");
    let folder = Folder::new();
    folder.file("in.jsonl", rows(60));
    let mut command = bulk(&service, &folder, &["-o", "-", "--ordered"]);
    let ran = run(command.env("TMPDIR", folder.path()));
    ended_well(&ran);
    assert_eq!(
        custom_ids(ran.text()),
        (0..60).map(|number| format!("r{number}")).collect::<Vec<_>>()
    );
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["in.jsonl"]);
}

/// What came in is given out, also where Ctrl-C ended the job.
#[test]
fn ordered_standard_output_has_all_results_before_an_interrupt() {
    let service = slow_service("latency-ms=100");
    let folder = Folder::new();
    folder.file("in.jsonl", rows(5_000));
    let mut command = bulk(&service, &folder, &["-o", "-", "--ordered", "--max-concurrency", "4"]);
    command.env("TMPDIR", folder.path()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    until("some came", || service.metered().values().map(|metered| metered.calls).sum::<u64>() > 8);
    signal(&child, Signal::INT);
    wait(&mut child);
    let mut text = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut text).unwrap();
    let metered: u64 = service.metered().values().map(|metered| metered.calls).sum();
    assert_eq!(custom_ids(&text).len() as u64, metered);
}

/// With a journal, standard output goes on where it was.
#[test]
fn standard_output_resumes_with_a_journal() {
    let service = Service::start().unwrap();
    let folder = Folder::new();
    folder.file("in.jsonl", rows(20));
    let first =
        run(&mut bulk(&service, &folder, &["-o", "-", "--journal", "journal", "--max-rows", "8"]));
    assert_eq!(first.code(), 4, "{}", first.stderr);
    let second = run(&mut bulk(&service, &folder, &["-o", "-", "--journal", "journal"]));
    ended_well(&second);
    let mut all = [custom_ids(first.text()), custom_ids(second.text())].concat();
    assert_eq!(service.recorded("").len(), 20);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 20);
}

#[test]
fn results_that_are_removed_during_a_run_are_saved_and_it_goes_on() {
    let service = slow_service("latency-ms=20");
    let folder = Folder::new();
    folder.file("in.jsonl", rows(200));
    let arguments = ["-o", "out.jsonl", "--max-concurrency", "2"];
    let mut command = bulk(&service, &folder, &arguments);
    let said = std::fs::File::create(folder.path().join("said")).unwrap();
    let mut child = command.env("TMPDIR", folder.path()).stderr(said).spawn().unwrap();
    let out = folder.path().join("out.jsonl");
    until("a row is done", || std::fs::metadata(&out).is_ok_and(|found| found.len() > 0));
    std::fs::remove_file(&out).unwrap();
    let status = wait(&mut child);
    let said = std::fs::read_to_string(folder.path().join("said")).unwrap();
    assert_eq!(status.code(), Some(5), "{said}");
    assert!(
        said.contains("out.jsonl: the file was removed or replaced while the job ran"),
        "{said}"
    );
    let add = said.split("(cat ").nth(1).and_then(|rest| rest.split(')').next()).expect(&said);
    let mut cat = Command::new("sh");
    cat.args(["-c", &format!("cat {add}")]).current_dir(folder.path());
    assert!(wait(&mut cat.spawn().unwrap()).success());
    ended_well(&run(&mut bulk(&service, &folder, &arguments)));
    assert_eq!(custom_ids(&std::fs::read_to_string(&out).unwrap()).len(), 200);
    assert_eq!(service.metered()["echo"].calls, 200);
}

/// A device that takes nothing: what came in is elsewhere, and the error says where.
#[test]
fn a_full_device_is_reported_and_no_result_is_lost() {
    let service = slow_service("latency-ms=20");
    let folder = Folder::new();
    folder.file("in.jsonl", rows(2_000));
    let line = "exec \"$0\" \"$@\" > /dev/full";
    let inner = bulk(&service, &folder, &["-o", "-", "--max-concurrency", "8"]);
    let mut command = Command::new("sh");
    command.args(["-c", line]).arg(inner.get_program()).args(inner.get_args()).env_clear();
    inner.get_envs().for_each(|(name, value)| _ = command.env(name, value.unwrap_or_default()));
    command.current_dir(folder.path()).env("TMPDIR", folder.path());
    command.stderr(Stdio::piped()).stdout(Stdio::null()).stdin(Stdio::null());
    let mut child = command.spawn().unwrap();
    // Nothing more is sent while there is no room; whoever does not want to wait says so.
    let sent = || service.metered().values().map(|metered| metered.calls).sum::<u64>();
    until("some were sent", || sent() > 0);
    // clock: what was in flight comes in
    std::thread::sleep(Duration::from_secs(1));
    let before = sent();
    // clock: nothing more is sent, however long it is waited for
    std::thread::sleep(Duration::from_millis(500));
    assert!(sent() <= before + 8 && before < 200, "{before}");
    signal(&child, Signal::INT);
    let status = wait(&mut child);
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert_eq!(status.code(), Some(5), "{said}");
    assert!(said.contains("no space left"), "{said}");
    let rescue = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let rescue = rescue.filter(|path| path.to_string_lossy().contains("modelwire-rescue-"));
    let rescued: Vec<_> = rescue.collect();
    assert_eq!(rescued.len(), 1, "{said}");
    assert!(said.contains(&rescued[0].display().to_string()), "{said}");
    let text = std::fs::read_to_string(&rescued[0]).unwrap();
    assert_eq!(custom_ids(&text).len() as u64, sent());
}
