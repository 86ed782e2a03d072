//! Tests of the store when files cannot be written: full disks, limits, devices. What would harm other
//! tests of this process runs in a child process: this program again, with one test.

use std::process::Command;

use super::*;
use crate::error::ErrorKind;

/// The environment variable that marks a child process and names its folder.
const CHILD: &str = "MODELWIRE_STORE_TEST";

/// Runs a test of this file in a child process, after this shell line.
fn in_a_process(test: &str, program: &[&str], line: &str, folder: &Folder) {
    let this = std::env::current_exe().unwrap();
    let name = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    let line = format!("{line} && exec \"$0\" --exact --nocapture {name}");
    let mut command = Command::new(program[0]);
    command.args(&program[1..]).args(["sh", "-c"]).arg(line).arg(this).env(CHILD, &folder.0);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The folder, if this is the child process.
fn child() -> Option<Folder> {
    std::env::var_os(CHILD).map(|folder| Folder(PathBuf::from(folder)))
}

/// Ends rows one at a time, each once the previous one is written, until the store reports a problem.
fn until(store: &mut Store, is_reached: impl Fn(&Store) -> bool) -> Vec<String> {
    let mut ended = Vec::new();
    while !is_reached(store) {
        let key = format!("row-{}", ended.len());
        store.done(&key);
        ended.push(key);
        eventually("a row is written", || store.shared.bytes() == 0 || is_reached(store));
    }
    ended
}

/// The path of the rescue file that an error names.
fn rescue_in(message: &str) -> PathBuf {
    let place = message.find("are in ").unwrap_or_else(|| panic!("{message}")) + "are in ".len();
    let path = message[place..].split(['.', ' ']).next().unwrap();
    let ending = message[place + path.len()..].split([' ', ',']).next().unwrap();
    PathBuf::from(format!("{path}{}", ending.trim_end_matches('.')))
}

/// Appends the rescue file as the error says, and checks that every row is known.
fn add_and_look(options: &StoreOptions, message: &str, rows: &[String]) {
    // If few rows are compressed together, the results are larger than the journal. Otherwise the journal
    // is full first, and all results are in their place.
    let lines = match message.contains("All results that arrived are written") {
        true => Vec::new(),
        false => fs::read(rescue_in(message)).unwrap(),
    };
    let results = options.results.clone().unwrap();
    use std::io::Write;
    let mut file = OpenOptions::new().append(true).create(true).open(&results).unwrap();
    file.write_all(&lines).unwrap();
    let (store, told) = open(options);
    assert!(store.resumed().notes.is_empty(), "{:?}", store.resumed().notes);
    for row in rows {
        assert_eq!(told.of(row), State::Done, "{row}");
    }
    assert_eq!(told.counts().done, rows.len() as u64);
    let mut found = keys(&results);
    found.sort();
    let mut rows = rows.to_vec();
    rows.sort();
    assert_eq!(found, rows);
}

#[test]
fn a_file_size_limit_is_reported_and_later_results_are_kept() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        if let Some(folder) = child() {
            // The limit applies to this process only: the parent checks the files.
            let options = folder.options(&std::env::var("NAME").unwrap());
            let (mut store, _) = open(&options);
            let mut rows = until(&mut store, Store::is_failed);
            for number in 0..5 {
                let key = format!("late-{number}");
                store.done(&key);
                rows.push(key);
            }
            assert!(store.is_behind());
            let error = store.close(None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::File);
            fs::write(folder.path("rows"), rows.join("\n")).unwrap();
            fs::write(folder.path("message"), error.to_string()).unwrap();
            std::mem::forget(folder);
            return;
        }
        let folder = Folder::new();
        // 16 or 32 KiB, depending on the unit of the shell.
        let line = format!("ulimit -f 32 && export NAME={name}");
        in_a_process(
            "a_file_size_limit_is_reported_and_later_results_are_kept",
            &["env"],
            &line,
            &folder,
        );
        let message = fs::read_to_string(folder.path("message")).unwrap();
        assert!(message.contains("the file may not grow"), "{message}");
        let rows = fs::read_to_string(folder.path("rows")).unwrap();
        let rows: Vec<_> = rows.lines().map(str::to_owned).collect();
        add_and_look(&folder.options(name), &message, &rows);
    }
}

/// Runs a test in a process with a small disk.
fn on_a_small_disk(test: &str) {
    let folder = Folder::new();
    let can_mount = Command::new("unshare").args(["-m", "true"]).output();
    if !can_mount.is_ok_and(|output| output.status.success()) {
        eprintln!("not run: this user may not mount");
        return;
    }
    let disk = folder.path("disk");
    fs::create_dir(&disk).unwrap();
    let line = format!("mount -t tmpfs -o size=128k none {}", disk.display());
    in_a_process(test, &["unshare", "-m"], &line, &folder);
}

#[test]
fn a_full_disk_is_waited_for() {
    let Some(folder) = child() else {
        on_a_small_disk("a_full_disk_is_waited_for");
        return;
    };
    let options =
        StoreOptions { room_wait: Duration::from_secs(20), ..folder.options("disk/out.jsonl") };
    let filler = folder.path("disk/filler");
    fs::write(&filler, vec![1; 64 * 1024]).unwrap();
    let (mut store, _) = open(&options);
    let mut rows = until(&mut store, |store| store.waits_for_room().is_some());
    assert!(store.is_behind() && !store.is_failed());
    let said = store.waits_for_room().unwrap();
    assert!(said.contains("out.jsonl") && said.contains("No space left"), "{said}");
    store.done("late");
    rows.push("late".to_owned());
    // clock: time in which it asks for room twice and finds none
    std::thread::sleep(Duration::from_millis(600));
    fs::remove_file(&filler).unwrap();
    eventually("there is space again", || !store.is_behind());
    store.close(None).unwrap();
    let (_, told) = open(&options);
    assert!(rows.iter().all(|row| told.of(row) == State::Done));
    assert_eq!(keys(&folder.path("disk/out.jsonl")).len(), rows.len());
    std::mem::forget(folder);
}

#[test]
fn the_wait_of_the_last_results_for_room_is_seen_and_can_end() {
    let test = "the_wait_of_the_last_results_for_room_is_seen_and_can_end";
    let Some(folder) = child() else {
        on_a_small_disk(test);
        return;
    };
    let options =
        StoreOptions { room_wait: Duration::from_secs(600), ..folder.options("disk/out.jsonl") };
    fs::write(folder.path("disk/filler"), vec![1; 64 * 1024]).unwrap();
    let (mut store, _) = open(&options);
    until(&mut store, |store| store.waits_for_room().is_some());
    store.finish_writing();
    // clock: time in which it asks for room twice and finds none
    std::thread::sleep(Duration::from_millis(600));
    assert!(!store.is_written() && store.waits_for_room().is_some());
    store.hurry();
    eventually("it gives up", || store.is_written());
    let error = store.close(None).unwrap_err();
    assert!(error.to_string().contains("no space left"), "{error}");
    std::mem::forget(folder);
}

#[test]
fn a_disk_that_stays_full_is_reported_and_later_results_are_kept() {
    let test = "a_disk_that_stays_full_is_reported_and_later_results_are_kept";
    let Some(folder) = child() else {
        on_a_small_disk(test);
        return;
    };
    let room_wait = Duration::from_secs(6);
    let options = StoreOptions { room_wait, ..folder.options("disk/out.jsonl") };
    let filler = folder.path("disk/filler");
    fs::write(&filler, vec![1; 64 * 1024]).unwrap();
    let (mut store, _) = open(&options);
    let mut rows = until(&mut store, |store| store.waits_for_room().is_some());
    // Fill the rest of the disk, so that the journal has no space either.
    let mut rest = fs::File::create(folder.path("disk/rest")).unwrap();
    while io::Write::write(&mut rest, &[1; 512]).is_ok() {}
    let mut book = store.book();
    (0..1_000).for_each(|number| _ = book.sending(&row(&format!("never-{number}"))));
    rows.extend((0..100).map(|number| format!("more-{number}")));
    rows.iter().skip_while(|row| !row.starts_with("more")).for_each(|row| store.done(row));
    let begun = Instant::now();
    let error = store.close(None).unwrap_err();
    // clock: a second wait would make it twice as long; a busy machine adds 1 to 3 s of these 4.5 s
    assert!(begun.elapsed() < room_wait * 7 / 4, "waits for space once");
    assert!(error.to_string().contains("no space left"), "{error}");
    assert!(fs::read(folder.path("disk/out.jsonl")).unwrap().ends_with(b"\n"), "whole lines");
    fs::remove_file(&filler).unwrap();
    fs::remove_file(folder.path("disk/rest")).unwrap();
    add_and_look(&options, &error.to_string(), &rows);
    std::mem::forget(folder);
}

#[test]
fn rows_are_not_sent_where_the_journal_cannot_be_written() {
    let test = "rows_are_not_sent_where_the_journal_cannot_be_written";
    let Some(folder) = child() else {
        on_a_small_disk(test);
        return;
    };
    let options =
        StoreOptions { journal: Some(folder.path("disk/journal")), ..folder.options("out.jsonl") };
    let (mut store, _) = open(&options);
    store.send(&["before"]);
    fs::write(folder.path("disk/filler"), vec![1; 64 * 1024]).unwrap();
    let mut book = store.book();
    let mut tickets = Vec::new();
    while !store.is_failed() {
        let ticket = book.sending(&row(&format!("row-{}", tickets.len())));
        tickets.push(ticket);
        let is_over = || book.durable() >= ticket || store.is_failed();
        eventually("a row is noted", is_over);
    }
    assert!(book.durable() < *tickets.last().unwrap());
    // Results of rows in flight are written all the same.
    store.done("before");
    let error = store.close(None).unwrap_err();
    assert!(error.to_string().contains("All results that arrived are written"), "{error}");
    fs::remove_file(folder.path("disk/filler")).unwrap();
    let (store, told) = open(&options);
    assert_eq!(told.of("before"), State::Done);
    let unknown = store.resumed().unknown.len() as u64;
    assert!(unknown >= book.durable() - 1, "rows that may have been sent are named");
    std::mem::forget(folder);
}

#[test]
fn a_full_device_is_reported_and_results_are_rescued() {
    let folder = Folder::new();
    let options = StoreOptions { results: Some(PathBuf::from("/dev/full")), ..folder.options("") };
    let (mut store, told) = open(&options);
    assert_eq!(told.rows(), 0);
    assert_eq!(folder.names().len(), 0, "no journal next to a device");
    let rows = until(&mut store, Store::is_failed);
    let error = store.close(None).unwrap_err();
    assert!(error.to_string().starts_with("/dev/full: no space left"), "{error}");
    assert_eq!(keys(&rescue_in(&error.to_string())), rows);
}

/// Removed between two results, or after the last; the rescue file has those of earlier runs as well.
#[test]
fn results_that_are_removed_during_a_run_are_rescued() {
    for (name, is_last) in [("out.jsonl", false), ("out.jsonl", true), ("out.jsonl.gz", false)] {
        let (folder, options) = with_one_result(name);
        let (mut store, _) = open(&options);
        store.send(&["b", "c"]);
        store.done("b");
        eventually("it is written", || store.shared.bytes() == 0);
        fs::remove_file(folder.path(name)).unwrap();
        if !is_last {
            store.done("c");
            eventually("it is noticed", || store.is_failed());
        }
        let message = store.close(None).unwrap_err().to_string();
        assert!(message.contains("removed or replaced while the job ran"), "{message}");
        let rows: Vec<_> = ["a", "b", "c"].into_iter().take(if is_last { 2 } else { 3 }).collect();
        assert!(message.contains(&format!("{} results", rows.len())), "{message}");
        add_and_look(
            &options,
            &message,
            &rows.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn results_that_are_replaced_during_a_run_are_rescued() {
    let (folder, options) = with_one_result("out.jsonl");
    let (mut store, _) = open(&options);
    fs::write(folder.path("other"), "other").unwrap();
    fs::rename(folder.path("other"), folder.path("out.jsonl")).unwrap();
    store.done("b");
    let message = store.close(None).unwrap_err().to_string();
    assert!(message.contains("2 results") && !message.contains("add them"), "{message}");
    assert_eq!(keys(&rescue_in(&message)), ["a", "b"]);
    assert_eq!(fs::read_to_string(folder.path("out.jsonl")).unwrap(), "other");
}

#[test]
fn results_that_are_cut_during_a_run_are_reported() {
    let (folder, options) = with_one_result("out.jsonl");
    let cut = || fs::write(folder.path("out.jsonl"), "").unwrap();
    let (mut store, _) = open(&options);
    cut();
    store.done("b");
    let message = store.close(None).unwrap_err().to_string();
    assert!(message.contains("the file was cut while the job ran. 1 results"), "{message}");
    assert_eq!(keys(&rescue_in(&message)), ["b"]);
    assert!(fs::read(folder.path("out.jsonl")).unwrap().is_empty(), "no hole");
    let (folder, options) = with_one_result("out.jsonl");
    let (store, _) = open(&options);
    fs::write(folder.path("out.jsonl"), "").unwrap();
    let message = store.close(None).unwrap_err().to_string();
    assert!(message.contains("has 0 bytes, but its journal lists"), "{message}");
}

#[test]
fn output_to_a_device_is_recorded_in_a_given_journal() {
    let folder = Folder::new();
    let options = StoreOptions {
        results: Some(PathBuf::from("/dev/null")),
        journal: Some(folder.path("journal")),
        ..folder.options("")
    };
    let (mut store, _) = open(&options);
    store.send(&["a", "b"]);
    store.done("a");
    store.close(None).unwrap();
    let (_, told) = open(&options);
    assert_eq!(["a", "b"].map(|key| told.of(key)), [State::Done, State::Unknown]);
}

/// Their end would not come.
#[test]
fn a_device_or_a_pipe_is_no_journal() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for device in ["/dev/full", "/dev/zero", "/dev/null", pipe.to_str().unwrap()] {
        let journal = Some(PathBuf::from(device));
        let options = StoreOptions { journal, ..folder.options("out.jsonl") };
        let expected = format!("{device} is not a journal of modelwire");
        assert!(refusal(&options).starts_with(&expected), "{}", refusal(&options));
        let report = report(&options);
        assert!(matches!(report, Err(Error::JournalForeign(_))), "{report:?}");
        assert_eq!(is_running(&options), Some(false));
        let repaired = repair(&options);
        assert!(matches!(repaired, Err(Error::JournalForeign(_))), "{repaired:?}");
        let overwriting = StoreOptions { is_overwriting: true, ..options };
        assert!(refusal(&overwriting).starts_with(&expected), "{}", refusal(&overwriting));
    }
    assert_eq!(folder.names(), ["pipe"]);
}

#[test]
fn a_closed_output_pipe_ends_the_job_silently() {
    let folder = Folder::new();
    let pipe = folder.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(fs::File::open(pipe).unwrap())
    });
    let options = StoreOptions { results: Some(pipe), ..folder.options("") };
    let (mut store, _) = open(&options);
    reader.join().unwrap();
    until(&mut store, Store::is_failed);
    let error = store.close(None).unwrap_err();
    assert!(matches!(error, Error::Closed), "{error}");
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Closed, ""));
}

/// The temporary files of a folder.
fn temporary(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.contains(".rewriting") || name.contains(".repairing")).collect()
}

#[test]
fn no_temporary_file_is_left_where_results_cannot_be_put_in_order() {
    let folder = Folder::new();
    let options = StoreOptions { is_ordered: true, ..folder.options("out.jsonl") };
    let (mut store, _) = open(&options);
    store.done("a");
    fs::create_dir(folder.path("out.jsonl")).unwrap();
    let error = store.close(Some(&Order::new())).unwrap_err();
    assert!(matches!(error, Error::Unordered { .. }), "{error}");
    assert_eq!(temporary(&folder.0), [""; 0]);
}

#[test]
fn no_temporary_file_is_left_where_ordered_results_were_changed() {
    let folder = Folder::new();
    let options = StoreOptions { is_ordered: true, ..folder.options("out.jsonl") };
    let (mut store, _) = open(&options);
    store.done("a");
    store.close(Some(&Order::new())).unwrap();
    let (mut store, _) = open(&options);
    fs::write(folder.path("out.jsonl"), "").unwrap();
    store.done("b");
    assert!(store.close(None).unwrap_err().to_string().contains("its lines were changed"));
    assert_eq!(temporary(&folder.0), [""; 0]);
}

#[test]
fn no_temporary_file_is_left_where_failed_rows_cannot_be_written() {
    let folder = Folder::new();
    let options =
        StoreOptions { errors: Some(folder.path("errors.jsonl")), ..folder.options("out.jsonl") };
    let (mut store, _) = open(&options);
    store.fail("a");
    eventually("a row is written", || store.shared.bytes() == 0);
    let mut results = OpenOptions::new().append(true).open(folder.path("out.jsonl")).unwrap();
    io::Write::write_all(&mut results, b"no result\n").unwrap();
    assert!(store.close(None).unwrap_err().to_string().contains("errors.jsonl"));
    assert_eq!(temporary(&folder.0), [""; 0]);
}

#[test]
fn a_repair_on_a_full_disk_leaves_no_temporary_file() {
    let Some(folder) = child() else {
        on_a_small_disk("a_repair_on_a_full_disk_leaves_no_temporary_file");
        return;
    };
    let options = folder.options("disk/out.jsonl");
    let (mut store, _) = open(&options);
    (0..200).for_each(|number| store.done(&format!("row-{number}")));
    store.close(None).unwrap();
    // The results fit, and not the journal.
    let mut rest = fs::File::create(folder.path("disk/rest")).unwrap();
    while io::Write::write(&mut rest, &[1; 512]).is_ok() {}
    let results = fs::metadata(folder.path("disk/out.jsonl")).unwrap().len();
    let length = rest.metadata().unwrap().len();
    rest.set_len(length - results.next_multiple_of(4_096) - 8_192).unwrap();
    let error = repair(&options).unwrap_err();
    assert!(error.to_string().contains("No space left"), "{error}");
    assert_eq!(temporary(&folder.path("disk")), [""; 0]);
    std::mem::forget(folder);
}

fn pop_if(sent: &mut std::collections::VecDeque<(u64, Row)>, durable: u64) -> Option<(u64, Row)> {
    let is_durable = sent.front().is_some_and(|(ticket, _)| *ticket <= durable);
    if is_durable { sent.pop_front() } else { None }
}

/// The CPU seconds of this process.
fn cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// Not a test: the CPU cost of the store alone. `cargo test --release -- --ignored --nocapture cpu_a_row`
#[test]
#[ignore = "measures; by hand: cargo test -p modelwire-bulk --release --lib cpu_a_row -- --ignored --nocapture"]
fn cpu_a_row() {
    const ROWS: usize = 300_000;
    let body = "x".repeat(300);
    for name in ["out.jsonl", "out.jsonl.zst", "out.jsonl.gz"] {
        let folder = Folder::new();
        let (mut store, _) = Store::open(&folder.options(name), None, Box::new(|| {})).unwrap();
        let mut book = store.book();
        let (begun, cpu_before) = (Instant::now(), self::cpu());
        let mut sent = std::collections::VecDeque::new();
        let mut ended = 0;
        let mut next = 0;
        while ended < ROWS {
            while next < ROWS && sent.len() < 1_000 && !store.is_behind() {
                let row = row(&format!("request-{next}"));
                sent.push_back((book.sending(&row), row));
                next += 1;
            }
            let durable = book.durable();
            while let Some((_, row)) = pop_if(&mut sent, durable) {
                store.lines.clear();
                output::begin(&row.key, Some(row.hash), &mut store.lines);
                store.lines.extend_from_slice(
                    b"{\"status_code\":200,\"request_id\":\"1\",\"body\":{\"text\":\"",
                );
                store.lines.extend_from_slice(body.as_bytes());
                store.lines.extend_from_slice(b"\"}},\"error\":null}\n");
                store.add(&row.key, Outcome::Done);
                ended += 1;
            }
            // clock: the pace of a measurement that is made by hand
            std::thread::sleep(Duration::from_micros(500));
        }
        store.close(None).unwrap();
        let (seconds, cpu) = (begun.elapsed().as_secs_f64(), self::cpu() - cpu_before);
        let micros = cpu * 1e6 / ROWS as f64;
        println!("{name}: {:.0} rows/s, {micros:.2} us CPU a row", ROWS as f64 / seconds);
        let (begun, cpu_before) = (Instant::now(), self::cpu());
        let (_, ledger) = Store::open(&folder.options(name), None, Box::new(|| {})).unwrap();
        let (seconds, cpu) = (begun.elapsed().as_secs_f64(), self::cpu() - cpu_before);
        println!("  opened again in {seconds:.2} s, {cpu:.2} s CPU: {ledger:?}");
    }
}
