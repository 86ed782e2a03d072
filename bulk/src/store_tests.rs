//! Tests of the store on real files: what a run leaves is what the next one finds.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use modelwire::Endpoint;

use super::journal::Header;
use super::*;
use crate::ledger::{Counts, State};
use crate::row::BodyHash;

#[path = "store_crash_tests.rs"]
mod crash;
#[path = "store_damage_tests.rs"]
mod damage;
#[path = "store/extracts_tests.rs"]
mod extracts_files;
#[path = "store_trouble_tests.rs"]
mod trouble;

impl Ledger {
    fn of(&self, key: &str) -> State {
        self.known(key, 0).0
    }

    /// The number of rows that it knows.
    fn rows(&self) -> u64 {
        let Counts { new, done, failed, unknown, .. } = self.counts();
        new + done + failed + unknown
    }
}

/// A folder that is removed after the test.
pub(super) struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        Folder::within(&std::env::temp_dir())
    }

    /// In memory if possible: thousands of files are opened and closed.
    pub(super) fn in_memory() -> Folder {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Folder::within(memory) } else { Folder::new() }
    }

    fn within(parent: &Path) -> Folder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("modelwire-store-test-{}-{number}", std::process::id()));
        let _ = fs::remove_dir_all(&path); // left by a killed process with this ID
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn options(&self, name: &str) -> StoreOptions {
        StoreOptions {
            results: Some(self.path(name)),
            temp_folder: self.0.clone(),
            room_wait: Duration::from_millis(300),
            ..StoreOptions::default()
        }
    }

    /// The files except those that name rows.
    fn kept(&self) -> Vec<String> {
        self.names().into_iter().filter(|name| !name.ends_with(".unknown")).collect()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn row(key: &str) -> Row {
    let hash = BodyHash::of(Endpoint::Chat, &"x".repeat(key.len()));
    Row {
        key: Key::new(key, hash.check()),
        number: 1,
        hash,
        endpoint: Endpoint::Chat,
        body: Arc::from("{}"),
        model: Arc::from("echo"),
    }
}

/// The store tells answers from failures only by the line, and lines of answers need a service: here they
/// are made by hand.
impl Store {
    fn done(&mut self, key: &str) {
        self.lines.clear();
        self.lines.extend_from_slice(done_line(key).as_bytes());
        self.add(&row(key).key, Outcome::Done);
    }

    fn fail(&mut self, key: &str) {
        let outcome = Err(modelwire::Error::argument("no"));
        self.finished(&Finished {
            row: row(key),
            outcome,
            rejected: None,
            attempts: 1,
            elapsed: Duration::ZERO,
        });
    }

    /// Records rows and waits until they may be sent.
    fn send(&self, keys: &[&str]) {
        let mut book = self.book();
        let ticket = keys.iter().map(|key| book.sending(&row(key))).max().unwrap();
        eventually("rows are recorded", || {
            assert!(!self.is_failed(), "{:?}", self.shared.trouble());
            book.durable() >= ticket
        });
    }
}

/// Waits for a condition, however busy the machine is.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        // clock: bounds a hang, and between two looks
        assert!(begun.elapsed() < Duration::from_secs(120), "never: {what}");
        std::thread::sleep(Duration::from_micros(100)); // clock: between two looks
    }
}

fn done_line(key: &str) -> String {
    let mut line = Vec::new();
    output::begin(&row(key).key, Some(row(key).hash), &mut line);
    let begin = String::from_utf8(line).unwrap();
    format!(
        "{begin}{{\"status_code\":200,\"request_id\":null,\"body\":{{\"n\":{}}}}},\"error\":null}}\n",
        key.len()
    )
}

fn open(options: &StoreOptions) -> (Store, Ledger) {
    try_open(options).unwrap()
}

fn try_open(options: &StoreOptions) -> Result<(Store, Ledger), Error> {
    Store::open(options, None, Box::new(|| {}))
}

/// A folder with the files of a run that answered one row, "a".
fn with_one_result(name: &str) -> (Folder, StoreOptions) {
    let folder = Folder::new();
    let options = folder.options(name);
    let (mut store, _) = open(&options);
    store.send(&["a"]);
    store.done("a");
    store.close(None).unwrap();
    (folder, options)
}

fn refusal(options: &StoreOptions) -> String {
    match try_open(options) {
        Ok(_) => panic!("it opened"),
        Err(error) => error.to_string(),
    }
}

/// The lines of a file, decompressed by the system's gzip and zstd.
fn lines(path: &Path) -> Vec<String> {
    let program = match Format::of(path) {
        Format::Plain => {
            return fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect();
        }
        Format::Gzip => "gzip",
        Format::Zstd => "zstd",
    };
    let read = std::process::Command::new(program).arg("-dc").arg(path).output();
    let text = match read {
        Ok(read) => {
            assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
            String::from_utf8(read.stdout).unwrap()
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let file = fs::File::open(path).unwrap();
            io::read_to_string(Format::of(path).reader(file).unwrap()).unwrap()
        }
        Err(error) => panic!("{error}"),
    };
    text.lines().map(str::to_owned).collect()
}

/// A journal, with one more record.
fn followed_by(journal: &[u8], record: &Record<'_>) -> Vec<u8> {
    let last = journal.split_inclusive(|byte| *byte == b'\n').next_back().unwrap();
    let mut seal = journal::Seal::read(last.trim_ascii_end()).unwrap().seal;
    let (mut text, mut journal) = (Vec::new(), journal.to_vec());
    record.write(&mut text);
    seal.write(&text, &mut journal);
    journal
}

fn keys(path: &Path) -> Vec<String> {
    lines(path)
        .iter()
        .map(|line| output::read_line(line.as_bytes()).expect("a result").0.text().to_owned())
        .collect()
}

#[test]
fn the_next_run_knows_what_became_of_each_row() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        let folder = Folder::new();
        let options = folder.options(name);
        let (mut store, told) = open(&options);
        assert_eq!(told.rows(), 0);
        store.send(&["a", "b", "c", "d"]);
        store.done("b");
        store.fail("a");
        store.book().refused(&row("c"));
        store.close(None).unwrap();
        assert_eq!(keys(&folder.path(name)), ["b", "a"]);

        let (mut store, told) = open(&options);
        let states = ["a", "b", "c", "d", "e"].map(|key| told.of(key));
        assert_eq!(states, [State::Failed, State::Done, State::New, State::Unknown, State::New]);
        assert_eq!(store.resumed().unknown, ["d"]);
        assert_eq!((store.resumed().runs, store.resumed().notes.len()), (1, 0));
        store.send(&["c", "d"]);
        store.done("d");
        store.done("c");
        store.close(None).unwrap();
        assert_eq!(keys(&folder.path(name)), ["b", "a", "d", "c"]);

        let (store, told) = open(&options);
        assert_eq!((told.counts().new, told.counts().unknown), (0, 0));
        assert_eq!(store.resumed().sent_again, ["d"]);
        assert!(store.resumed().unknown.is_empty());
    }
}

#[test]
fn a_second_run_on_the_same_files_is_refused_with_the_process_id() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (store, _) = open(&options);
    let said = refusal(&options);
    let pid = std::process::id();
    assert!(said.contains(&format!("out.jsonl.journal: another run (process {pid})")), "{said}");
    drop(store);
    open(&options);
}

#[test]
fn one_file_under_two_names_or_with_two_journals_has_one_run() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (store, _) = open(&options);
    fs::hard_link(folder.path("out.jsonl"), folder.path("hard.jsonl")).unwrap();
    let other = StoreOptions { journal: Some(folder.path("other")), ..options.clone() };
    for options in [other, folder.options("hard.jsonl")] {
        let said = refusal(&options);
        assert!(said.contains("another run"), "{said}");
        assert!(folder.path("out.jsonl").exists(), "the other run's file is kept");
    }
    drop(store);
    open(&options);
    let one = folder.path("one");
    let same = StoreOptions { results: Some(one.clone()), journal: Some(one), ..options };
    refusal(&same);
}

#[test]
fn a_symlink_to_a_missing_file_creates_and_resumes_it() {
    let folder = Folder::new();
    fs::create_dir(folder.path("deep")).unwrap();
    crate::system::symlink("deep/out.jsonl", folder.path("link.jsonl")).unwrap();
    crate::system::symlink("link.jsonl", folder.path("second.jsonl")).unwrap();
    let (mut store, _) = open(&folder.options("second.jsonl"));
    store.send(&["a"]);
    store.done("a");
    store.close(None).unwrap();
    for name in ["second.jsonl", "link.jsonl", "deep/out.jsonl"] {
        let (_, told) = open(&folder.options(name));
        assert_eq!(told.of("a"), State::Done, "{name}");
    }
}

#[test]
fn retrying_failed_rows_removes_their_results() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        let folder = Folder::new();
        let options = folder.options(name);
        let (mut store, _) = open(&options);
        store.send(&["a", "b", "c"]);
        for key in ["a", "c"] {
            store.fail(key);
        }
        store.done("b");
        store.close(None).unwrap();
        let again = StoreOptions { retries_failed: true, ..options.clone() };
        let (mut store, told) = open(&again);
        assert_eq!(["a", "b", "c"].map(|key| told.of(key)), [State::New, State::Done, State::New]);
        assert_eq!(keys(&folder.path(name)), ["b"]);
        store.send(&["a"]);
        store.done("a");
        store.close(None).unwrap();
        let (_, told) = open(&options);
        assert_eq!(["a", "b", "c"].map(|key| told.of(key)), [State::Done, State::Done, State::New]);
        assert_eq!(keys(&folder.path(name)), ["b", "a"]);
        assert_eq!(folder.kept(), [name.to_owned(), format!("{name}.journal")]);
    }
}

/// Also those that a run left which was killed before its end.
#[test]
fn a_changed_row_keeps_its_last_result_alone() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        let folder = Folder::new();
        let options = folder.options(name);
        let (mut store, _) = open(&options);
        store.send(&["a", "b"]);
        ["a", "b"].iter().for_each(|key| store.done(key));
        store.close(None).unwrap();
        let (mut store, _) = open(&options);
        let hash = BodyHash::of(Endpoint::Chat, "changed");
        let changed = Row { key: Key::new("a", hash.check()), hash, ..row("a") };
        store.book().sending(&changed);
        let outcome = Err(modelwire::Error::argument("no"));
        store.finished(&Finished {
            row: changed,
            outcome,
            rejected: None,
            attempts: 1,
            elapsed: Duration::ZERO,
        });
        store.close(None).unwrap();
        assert_eq!(keys(&folder.path(name)), ["a", "b", "a"]);
        let report = report(&options).unwrap().unwrap();
        assert_eq!((report.done, report.failed), (1, 1), "rows, not results");
        let mut copy =
            StoreOptions { results: Some(folder.path(&format!("copy-{name}"))), ..options.clone() };
        copy.journal = Some(folder.path("copy.journal"));
        fs::copy(folder.path(name), copy.results.as_ref().unwrap()).unwrap();
        let repaired = repair(&copy).unwrap();
        assert_eq!((repaired.results, repaired.dropped, repaired.unknown.len()), (2, 1, 0));
        let left = lines(copy.results.as_ref().unwrap());
        assert_eq!(left, lines(&folder.path(name))[1..]);
        // The next run replaces it, whatever its options.
        for _ in 0..2 {
            let (store, told) = open(&options);
            assert_eq!(["a", "b"].map(|key| told.of(key)), [State::Failed, State::Done]);
            store.close(None).unwrap();
            let left = lines(&folder.path(name));
            let read = |line: &String| output::read_line(line.as_bytes()).unwrap();
            let left: Vec<_> = left.iter().map(read).collect();
            assert_eq!(left[0], (row("b").key, Outcome::Done));
            assert_eq!(left[1..], [(Key::new("a", hash.check()), Outcome::Failed)]);
        }
        let journal = folder.path(&format!("{name}.journal"));
        let text = fs::read_to_string(&journal).unwrap();
        assert_eq!(text.matches("replaced").count(), 1, "{text}");
        // A repair does not take the row that was replaced for one without a result.
        fs::write(&journal, text.replacen("\"run\":", "\"ran\":", 1)).unwrap();
        let repaired = repair(&options).unwrap();
        assert_eq!((repaired.results, repaired.dropped, repaired.unknown.len()), (2, 0, 0));
    }
}

/// A rewrite that a crash cut off is not taken for the one before it, which the journal ends with.
#[test]
fn half_a_rewrite_is_not_the_one_before() {
    for record in [|end| Record::Rewritten { end }, |end| Record::Replaced { end }] {
        let folder = Folder::new();
        let options = folder.options("out.jsonl");
        let (results, journal) = (folder.path("out.jsonl"), folder.path("out.jsonl.journal"));
        let (mut store, _) = open(&options);
        store.send(&["a", "b"]);
        ["a", "b"].iter().for_each(|key| store.done(key));
        store.close(None).unwrap();
        let whole = fs::read(&results).unwrap();
        let end = journal::End { at: whole.len() as u64, crc: journal::crc_of(&whole) };
        let text = fs::read(&journal).unwrap();
        fs::write(&journal, followed_by(&text, &record(end))).unwrap();
        for half in [&whole[..10], &whole[..whole.len() - 1], b""] {
            fs::write(places::temporary(&results), half).unwrap();
            let mut told = Ledger::new();
            look(&options, &mut told).unwrap();
            assert_eq!(["a", "b"].map(|key| told.of(key)), [State::Done; 2]);
            let (store, told) = open(&options);
            assert_eq!(["a", "b"].map(|key| told.of(key)), [State::Done; 2]);
            store.close(None).unwrap();
            assert_eq!(fs::read(&results).unwrap(), whole);
            assert!(!places::temporary(&results).exists());
        }
    }
}

/// A row that was put back is what it was before it was sent.
#[test]
fn a_row_that_was_put_back_is_not_new_if_it_was_not() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (mut store, _) = open(&options);
    store.send(&["done", "lost", "new"]);
    store.done("done");
    store.book().refused(&row("new"));
    store.close(None).unwrap();
    let (store, told) = open(&options);
    let states = [State::Done, State::Unknown, State::New];
    assert_eq!(["done", "lost", "new"].map(|key| told.of(key)), states);
    // Sent again, the first with another content, and put back.
    let changed = Row { key: Key::new("done", 9), ..row("done") };
    store.book().sending(&changed);
    store.book().refused(&changed);
    store.send(&["lost", "new"]);
    ["lost", "new"].iter().for_each(|key| store.book().refused(&row(key)));
    store.close(None).unwrap();
    let (store, told) = open(&options);
    assert_eq!(["done", "lost", "new"].map(|key| told.of(key)), states);
    assert_eq!(told.known("done", 9), (State::Done, row("done").key.check()));
    assert_eq!(store.resumed().unknown, ["lost"]);
    assert!(store.resumed().sent_again.is_empty());
    store.close(None).unwrap();
    // Sent again, and lost again: it may be billed twice.
    let (store, _) = open(&options);
    store.send(&["lost"]);
    store.close(None).unwrap();
    let (store, _) = open(&options);
    assert_eq!(store.resumed().sent_again, ["lost"]);
}

#[test]
fn a_crash_while_results_are_rewritten_is_recovered() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (mut store, _) = open(&options);
    store.send(&["a", "b"]);
    store.fail("a");
    store.done("b");
    store.close(None).unwrap();
    let (results, journal) = (folder.path("out.jsonl"), folder.path("out.jsonl.journal"));
    let before = (fs::read(&results).unwrap(), fs::read(&journal).unwrap());
    let rewritten = done_line("b");
    let end =
        journal::End { at: rewritten.len() as u64, crc: journal::crc_of(rewritten.as_bytes()) };
    let with_record = followed_by(&before.1, &Record::Rewritten { end });
    let temporary = folder.path("out.jsonl.rewriting");
    // Before the record is written, renamed or not: the old file counts.
    for new in [&rewritten[..10], &rewritten] {
        fs::write(&temporary, new).unwrap();
        let (_, told) = open(&options);
        assert_eq!(told.of("a"), State::Failed);
        assert_eq!(keys(&results), ["a", "b"]);
        assert!(!temporary.exists());
        fs::write(&journal, &before.1).unwrap();
    }
    // After the record, renamed or not: the new file counts.
    for is_renamed in [false, true] {
        fs::write(&journal, &with_record).unwrap();
        fs::write(&results, if is_renamed { rewritten.as_bytes() } else { &before.0 }).unwrap();
        if !is_renamed {
            fs::write(&temporary, &rewritten).unwrap();
        }
        let (_, told) = open(&options);
        assert_eq!(["a", "b"].map(|key| told.of(key)), [State::New, State::Done]);
        assert_eq!(keys(&results), ["b"]);
        assert!(!temporary.exists());
    }
}

/// After a power failure a file may have its new length and none of its new bytes.
#[test]
fn zeros_behind_the_results_are_cut_off() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        let (folder, options) = with_one_result(name);
        let path = folder.path(name);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&*whole, &[0; 100]].concat()).unwrap();
        let (mut store, told) = open(&options);
        assert_eq!(told.of("a"), State::Done, "{name}");
        store.send(&["b"]);
        store.done("b");
        store.close(None).unwrap();
        assert_eq!(keys(&path), ["a", "b"], "{name}");
    }
}

/// Others are not: in compressed results they are no member.
#[test]
fn other_bytes_behind_the_results_are_refused() {
    for name in ["out.jsonl.gz", "out.jsonl.zst"] {
        let (folder, options) = with_one_result(name);
        let path = folder.path(name);
        let whole = fs::read(&path).unwrap();
        for at in [0, 1, 29] {
            let mut more = [0; 30];
            more[at] = 7;
            fs::write(&path, [&*whole, &more].concat()).unwrap();
            let expected = format!("after byte {}", whole.len());
            let refusal = refusal(&options);
            assert!(refusal.contains(&expected), "{name} {at}: {refusal}");
        }
    }
}

#[test]
fn results_come_in_the_order_of_the_input() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        let folder = Folder::new();
        let options = StoreOptions { is_ordered: true, ..folder.options(name) };
        let all = ["a", "b", "c", "d"];
        let order = |keys: &[&str]| {
            let mut order = Order::new();
            keys.iter().for_each(|key| order.push(&row(key).key));
            order
        };
        let (mut store, _) = open(&options);
        store.send(&all);
        store.done("c");
        store.done("a");
        store.close(None).unwrap();
        assert_eq!(keys(&folder.path(&format!("{name}.part"))), ["c", "a"]);

        let (mut store, told) = open(&options);
        assert_eq!(all.map(|key| told.of(key) == State::Done), [true, false, true, false]);
        store.send(&["d", "b"]);
        store.done("d");
        store.fail("b");
        store.close(Some(&order(&all))).unwrap();
        assert_eq!(keys(&folder.path(name)), all);
        assert_eq!(folder.kept(), [name.to_owned(), format!("{name}.journal")]);

        // Nothing is added: the results stay as they are.
        let (store, told) = open(&options);
        assert_eq!(told.rows(), 4);
        store.close(Some(&order(&all))).unwrap();
        assert_eq!(keys(&folder.path(name)), all);

        // One more row, and one that is no longer in the input.
        let (mut store, _) = open(&options);
        store.send(&["0"]);
        store.done("0");
        store.close(Some(&order(&["0", "a", "b", "d"]))).unwrap();
        assert_eq!(keys(&folder.path(name)), ["0", "a", "b", "d", "c"]);
        let (_, told) = open(&options);
        assert_eq!(told.rows(), 5);
        let again = StoreOptions { retries_failed: true, ..options.clone() };
        let (mut store, told) = open(&again);
        assert_eq!(told.of("b"), State::New);
        store.send(&["b"]);
        store.done("b");
        store.close(Some(&order(&all))).unwrap();
        assert_eq!(keys(&folder.path(name)), ["a", "b", "c", "d", "0"]);
    }
}

#[test]
fn files_changed_since_the_last_run_are_refused() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (results, journal) = (folder.path("out.jsonl"), folder.path("out.jsonl.journal"));
    let (mut store, _) = open(&options);
    store.send(&["a", "b"]);
    store.done("a");
    store.done("b");
    store.close(None).unwrap();
    let whole = (fs::read(&results).unwrap(), fs::read(&journal).unwrap());
    let expect = |what: &[&str]| {
        let said = refusal(&options);
        assert!(what.iter().all(|what| said.contains(what)), "{said}");
        fs::write(&results, &whole.0).unwrap();
        fs::write(&journal, &whole.1).unwrap();
    };
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();

    fs::write(&results, done_line("a")).unwrap();
    expect(&["out.jsonl has", "removed from it", "--repair"]);
    fs::remove_file(&results).unwrap();
    expect(&["out.jsonl is missing", "start over"]);
    fs::write(&results, done_line("c").repeat(3)).unwrap();
    expect(&["out.jsonl was changed: bytes 0 to 170", "--repair"]);
    fs::write(&results, text(&whole.0).replacen("\"n\":1", "\"n\":2", 1)).unwrap();
    expect(&["out.jsonl was changed: bytes 0 to 170", "--repair"]);
    fs::write(&results, format!("{}hello\n", text(&whole.0))).unwrap();
    expect(&["out.jsonl: after byte 340", "not a result", "--repair"]);
    fs::write(&results, format!("{}{}", text(&whole.0), done_line("b"))).unwrap();
    expect(&["out.jsonl: after byte 340 there is a second result of row \"b\"", "--repair"]);
    fs::remove_file(&journal).unwrap();
    expect(&["out.jsonl already exists and has no journal", "start over"]);
    fs::write(&journal, "my diary\nof today\n").unwrap();
    expect(&["out.jsonl.journal is not a journal of modelwire"]);
    let old = "{\"modelwire_journal\":1,\"results\":\"out.jsonl\",\"settings\":{}}\n";
    fs::write(&journal, old).unwrap();
    expect(&["out.jsonl.journal was written by another version of modelwire", "start over"]);
    let lines: Vec<_> = text(&whole.1).split_inclusive('\n').map(str::to_owned).collect();
    let at = lines[..3].concat().len();
    let place = format!("out.jsonl.journal:4: this line, at byte {at}, is damaged: ");
    for (damaged, fault) in [
        (text(&whole.1).replace("{\"sent\":\"b\"", "{\"sen"), "it is not a record"),
        (text(&whole.1).replace("{\"sent\":\"b\"", "{\"sent\":\"c\""), "its checksum is wrong"),
        ([&lines[..3], &lines[4..]].concat().concat(), "its number is 5, not 4"),
        ([&lines[..3], &lines[2..]].concat().concat(), "its number is 3, not 4"),
    ] {
        fs::write(&journal, damaged).unwrap();
        expect(&[&place, fault, "--repair"]);
    }
    let other = Header { results: "other.jsonl".to_owned(), settings: Vec::new() };
    let (mut record, mut other_journal) = (Vec::new(), Vec::new());
    Record::Header(other).write(&mut record);
    journal::Seal::default().write(&record, &mut other_journal);
    fs::write(&journal, other_journal).unwrap();
    expect(&["is the journal of other.jsonl", "another journal"]);

    let sharded = StoreOptions {
        settings: vec![("--shard".to_owned(), "1/2".to_owned())],
        ..options.clone()
    };
    let said = refusal(&sharded);
    assert!(said.contains("a job with no --shard, but this run has --shard 1/2"), "{said}");
    let said = refusal(&StoreOptions { is_ordered: true, ..options.clone() });
    assert!(said.contains("a job with no --ordered, but this run has --ordered."), "{said}");
    let said = refusal(&folder.options("no/out.jsonl"));
    assert!(said.contains("there is no folder"), "{said}");
    let said = refusal(&StoreOptions { results: Some(folder.0.clone()), ..options.clone() });
    assert!(said.contains("is a folder"), "{said}");

    fs::remove_file(&journal).unwrap();
    let (store, told) = open(&StoreOptions { is_overwriting: true, ..options.clone() });
    assert_eq!(told.rows(), 0);
    store.close(None).unwrap();
    assert_eq!(fs::read(&results).unwrap(), b"");
    fs::write(&journal, "my diary\nof today\n").unwrap();
    refusal(&StoreOptions { is_overwriting: true, ..options });
    assert_eq!(fs::read(&journal).unwrap(), b"my diary\nof today\n");
}

#[test]
fn rows_of_unknown_outcome_are_named_in_a_file() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let names: Vec<String> = (0..30).map(|number| format!("row-{number}")).collect();
    let (store, _) = open(&options);
    store.send(&names.iter().map(String::as_str).collect::<Vec<_>>());
    drop(store);
    let (store, _) = open(&options);
    assert_eq!(store.resumed().unknown, names);
    let file = store.resumed().unknown_file.clone().unwrap();
    assert_eq!(file, folder.path("out.jsonl.unknown"));
    assert_eq!(fs::read_to_string(file).unwrap().lines().collect::<Vec<_>>(), names);
}

/// A row failed, and was answered when it ran again; the record of the answer is damaged.
#[test]
fn a_repair_keeps_the_result_of_a_retried_row() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let journal = folder.path("out.jsonl.journal");
    let (mut store, _) = open(&options);
    store.send(&["a", "b"]);
    store.fail("a");
    store.done("b");
    store.close(None).unwrap();
    let again = StoreOptions { retries_failed: true, ..options.clone() };
    let (mut store, _) = open(&again);
    store.send(&["a"]);
    store.done("a");
    store.close(None).unwrap();
    let text = fs::read_to_string(&journal).unwrap();
    let at = text.rfind("\"n\":").unwrap() + "\"n\":".len();
    fs::write(&journal, format!("{}9{}", &text[..at], &text[at..])).unwrap();
    let repaired = repair(&options).unwrap();
    assert_eq!((repaired.results, repaired.dropped), (2, 0));
    assert!(repaired.unknown.is_empty() && repaired.lost < 3, "{repaired:?}");
    let (_, told) = open(&options);
    assert_eq!(["a", "b"].map(|key| told.of(key)), [State::Done; 2]);
}

/// A job of three rows, of which one failed, one is answered and one was sent.
fn stopped_after_two(options: &StoreOptions) {
    let (mut store, _) = open(options);
    store.send(&["a", "b", "c"]);
    store.fail("a");
    store.done("b");
    store.close(None).unwrap();
}

/// Also without a journal; and files that are not those of a job are left alone.
#[test]
fn files_are_rebuilt_from_what_is_intact() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (results, journal) = (folder.path("out.jsonl"), folder.path("out.jsonl.journal"));
    stopped_after_two(&options);
    // A line in the middle of the results is edited.
    let text = fs::read_to_string(&results).unwrap();
    fs::write(&results, text.replacen("argument", "Argument", 1)).unwrap();
    let repaired = repair(&options).unwrap();
    assert_eq!((repaired.results, repaired.dropped, repaired.lost), (1, 1, 0));
    assert_eq!(repaired.unknown, ["c", "a"]);
    let (store, told) = open(&options);
    let states = ["a", "b", "c"].map(|key| told.of(key));
    assert_eq!(states, [State::Unknown, State::Done, State::Unknown]);
    assert_eq!(store.resumed().runs, 1);
    drop(store);

    fs::remove_file(&journal).unwrap();
    let repaired = repair(&options).unwrap();
    assert_eq!((repaired.results, repaired.lost, repaired.unknown.len()), (1, 1, 0));
    let (store, told) = open(&options);
    assert_eq!(["a", "b"].map(|key| told.of(key)), [State::New, State::Done]);
    drop(store);

    fs::remove_file(&results).unwrap();
    assert!(repair(&options).unwrap_err().to_string().contains("is missing"));
    fs::write(&results, "my results\n").unwrap();
    fs::remove_file(&journal).unwrap();
    let before = folder.names();
    assert!(repair(&options).unwrap_err().to_string().contains("has no intact result"));
    assert_eq!(folder.names(), before);
    for diary in ["my diary\nof today\n", "my diary"] {
        fs::write(&journal, diary).unwrap();
        assert!(repair(&options).unwrap_err().to_string().contains("not a journal"));
        refusal(&StoreOptions {
            results: Some(folder.path("new.jsonl")),
            journal: Some(journal.clone()),
            ..options.clone()
        });
        assert_eq!(fs::read_to_string(&journal).unwrap(), diary);
    }
}

/// As editors and file transfers save text: with other line ends, a byte order mark, no last line end.
#[test]
fn results_with_other_line_ends_are_repaired() {
    let saved = |text: &str, how: &str| match how {
        "line ends" => text.replace('\n', "\r\n"),
        "mark" => format!("\u{FEFF}{text}"),
        "last line" => text.trim_end().to_owned(),
        _ => text.to_owned(),
    };
    let check = |of_results: &str, of_journal: &str| {
        let what = format!("results: {of_results}, journal: {of_journal}");
        let folder = Folder::new();
        let options = folder.options("out.jsonl");
        let (results, journal) = (folder.path("out.jsonl"), folder.path("out.jsonl.journal"));
        stopped_after_two(&options);
        let text = fs::read_to_string(&results).unwrap();
        fs::write(&results, saved(&text, of_results)).unwrap();
        let records = fs::read_to_string(&journal).unwrap();
        fs::write(&journal, saved(&records, of_journal)).unwrap();
        refusal(&options);
        let repaired = repair(&options).unwrap();
        assert_eq!((repaired.results, repaired.dropped, repaired.lost), (2, 0, 0), "{what}");
        assert_eq!(repaired.unknown, ["c"], "{what}");
        assert_eq!(fs::read_to_string(&results).unwrap(), text, "{what}");
        let (_, told) = open(&options);
        let states = ["a", "b", "c"].map(|key| told.of(key));
        assert_eq!(states, [State::Failed, State::Done, State::Unknown], "{what}");
    };
    check("line ends", "");
    check("mark", "");
    check("last line", "");
    check("", "line ends");
    check("line ends", "line ends");
}

#[test]
fn what_a_killed_repair_left_is_removed_by_the_next_run() {
    for is_ordered in [false, true] {
        let folder = Folder::new();
        let options = StoreOptions { is_ordered, ..folder.options("out.jsonl") };
        let (mut store, _) = open(&options);
        store.send(&["a"]);
        store.done("a");
        store.close(None).unwrap();
        let before = folder.names();
        for name in before.iter().map(|name| format!("{name}.repairing")) {
            fs::write(folder.path(&name), "half").unwrap();
            fs::write(folder.path(&format!("{name}.rewriting")), "half").unwrap();
        }
        open(&options);
        assert_eq!(folder.names(), before);
    }
}

/// An empty file has no member that a decoder could read.
#[test]
fn results_cut_to_nothing_are_repaired_in_every_format() {
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        let (folder, options) = with_one_result(name);
        fs::write(folder.path(name), "").unwrap();
        assert!(refusal(&options).contains("has 0 bytes"), "{name}");
        let repaired = repair(&options).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((repaired.results, repaired.lost), (0, 0), "{name}");
        assert_eq!(repaired.unknown, ["a"], "{name}");
        assert_eq!(open(&options).1.of("a"), State::Unknown, "{name}");
    }
}

/// Each of many magic numbers begins a member that goes on to the end of the file, and is cut there. To read
/// all of them to their end would take minutes.
#[test]
fn a_repair_does_not_read_the_rest_again_for_each_magic_number() {
    let gzip = |chain: &mut Vec<u8>| {
        // Headers with a stored block each, which ends where the next 64 KiB begin.
        let begin = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0];
        for _ in 0..64 {
            let end = chain.len() + 5 + 65_535;
            chain.extend([0, 0xFF, 0xFF, 0, 0]);
            while chain.len() + 15 < end {
                chain.extend(begin);
                let left = ((end - chain.len() - 5) as u16).to_le_bytes();
                chain.extend([0, left[0], left[1], !left[0], !left[1]]);
            }
            chain.resize(end, 0);
        }
    };
    let zstd = |chain: &mut Vec<u8>| {
        // Frames of empty raw blocks, of which each is skipped as part of one before it.
        for _ in 0..16_384 {
            chain.extend([(39 << 3 & 0xFF) as u8, 1, 0]);
            chain.extend([0x28, 0xB5, 0x2F, 0xFD, 0, 0x58]);
            chain.resize(chain.len() + 33, 0);
        }
    };
    for name in ["out.jsonl.gz", "out.jsonl.zst"] {
        let (folder, options) = with_one_result(name);
        let format = Format::of(&folder.path(name));
        let result = fs::read(folder.path(name)).unwrap();
        let mut bytes = format.encode(b"").unwrap();
        bytes.truncate(format.magic().len());
        bytes.extend(if format == Format::Gzip { &[0; 7][..] } else { &[0, 0x58] });
        if format == Format::Gzip {
            gzip(&mut bytes)
        } else {
            zstd(&mut bytes)
        }
        bytes.extend(result);
        fs::write(folder.path(name), bytes).unwrap();
        let repaired = repair(&options).unwrap();
        assert!(repaired.dropped > 1, "{name}");
    }
}

/// As if another program had compressed the results again.
#[test]
fn a_repair_ends_the_last_line_of_a_member() {
    for name in ["out.jsonl.gz", "out.jsonl.zst"] {
        let (folder, options) = with_one_result(name);
        let path = folder.path(name);
        let line = lines(&path).remove(0);
        fs::write(&path, Format::of(&path).encode(line.as_bytes()).unwrap()).unwrap();
        assert_eq!(repair(&options).unwrap().results, 1, "{name}");
        let (mut store, _) = open(&options);
        store.send(&["b"]);
        store.done("b");
        store.close(None).unwrap();
        assert_eq!(lines(&path).len(), 2, "{name}");
        assert_eq!(lines(&path)[0], line);
    }
}

#[test]
fn an_invalid_row_is_recorded_as_failed() {
    let folder = Folder::new();
    let options = folder.options("out.jsonl");
    let (mut store, _) = open(&options);
    store.unsent(&Key::new("bad", 5), &modelwire::Error::argument("no JSON"));
    store.close(None).unwrap();
    // As if the journal did not record the result.
    let journal = folder.path("out.jsonl.journal");
    let text = fs::read_to_string(&journal).unwrap();
    let end = text.find("{\"failed\"").unwrap();
    for text in [text.as_str(), &text[..end]] {
        fs::write(&journal, text).unwrap();
        let (store, told) = open(&options);
        assert_eq!(told.of("bad"), State::Failed);
        assert!(store.resumed().notes.is_empty() && store.resumed().unknown.is_empty());
    }
}
