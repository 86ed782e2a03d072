//! Tests of the store with damaged files: whatever is damaged is refused with its place, and repaired; or
//! the job resumes, and no row has two results and no broken one is accepted.

use std::collections::{BTreeMap, BTreeSet};

use super::crash::Dice;
use super::*;

const ROWS: usize = 12;

/// Two runs of a job with these rows, in this order; the second is killed with rows in flight.
struct Job {
    name: &'static str,
    is_ordered: bool,
    files: BTreeMap<String, Vec<u8>>,
}

fn names() -> Vec<String> {
    (0..ROWS).map(|number| format!("row-{}", "x".repeat(number))).collect()
}

fn options(folder: &Folder, job: &Job) -> StoreOptions {
    StoreOptions { is_ordered: job.is_ordered, ..folder.options(job.name) }
}

fn order() -> Order {
    let mut order = Order::new();
    names().iter().for_each(|key| order.push(&row(key).key));
    order
}

impl Job {
    fn new(name: &'static str, is_ordered: bool, is_whole: bool, rotation: usize) -> Job {
        let folder = Folder::in_memory();
        let mut job = Job { name, is_ordered, files: BTreeMap::new() };
        let mut names = names();
        names.rotate_left(rotation);
        let keys: Vec<_> = names.iter().map(String::as_str).collect();
        let (first, second) = keys.split_at(ROWS / 2);
        let (mut store, _) = open(&options(&folder, &job));
        store.send(first);
        store.book().refused(&row(first[0]));
        let end = |store: &mut Store, key: &str| {
            if key.len().is_multiple_of(5) {
                store.fail(key)
            } else {
                store.done(key)
            }
            eventually("a row is written", || store.shared.bytes() == 0);
        };
        first[1..].iter().for_each(|key| end(&mut store, key));
        store.close(None).unwrap();
        let (mut store, _) = open(&options(&folder, &job));
        store.send(&[&first[..1], second].concat());
        let ended = if is_whole { ROWS / 2 } else { ROWS / 4 };
        if is_whole {
            end(&mut store, first[0]);
        }
        second[..ended].iter().for_each(|key| end(&mut store, key));
        store.close((is_whole && is_ordered).then(order).as_ref()).unwrap();
        job.files = read(&folder);
        job
    }

    fn journal(&self) -> String {
        format!("{}.journal", self.name)
    }

    /// The lines of results that are not broken.
    fn genuine(&self) -> BTreeSet<String> {
        let failed = |key: &String| {
            let mut line = Vec::new();
            let outcome = Err(modelwire::Error::argument("no"));
            let finished = Finished {
                row: row(key),
                outcome,
                rejected: None,
                attempts: 1,
                elapsed: Duration::ZERO,
            };
            output::write_line(&finished, &mut line);
            String::from_utf8(line).unwrap()
        };
        names().iter().flat_map(|key| [done_line(key), failed(key)]).collect()
    }
}

fn read(folder: &Folder) -> BTreeMap<String, Vec<u8>> {
    let names = folder.names().into_iter();
    names.map(|name| (name.clone(), fs::read(folder.path(&name)).unwrap())).collect()
}

const KINDS: [&str; 12] = [
    "a bit",
    "a byte",
    "a line removed",
    "a line doubled",
    "two lines swapped",
    "zeros",
    "a piece removed",
    "a piece inserted",
    "a line edited",
    "two runs mixed",
    "lines of another run",
    "cut off",
];

/// The bytes after a damage of this kind.
fn damaged(kind: &str, bytes: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut new = bytes.to_vec();
    let at = dice.below(bytes.len());
    let piece = at..(at + 1 + dice.below(64)).min(bytes.len());
    let split = |bytes: &[u8]| -> Vec<Vec<u8>> {
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
    };
    let mut lines = split(bytes);
    let other_lines = split(other);
    let (line, other_line) = (dice.below(lines.len()), dice.below(lines.len()));
    match kind {
        "a bit" => new[at] ^= 1 << dice.below(8),
        "a byte" => new[at] = new[at].wrapping_add(1 + dice.below(255) as u8),
        "zeros" => new[piece].fill(0),
        "a piece removed" => drop(new.drain(piece)),
        "a piece inserted" => {
            let inserted = other[dice.below(other.len())..].iter().copied().take(piece.len());
            drop(new.splice(at..at, inserted.collect::<Vec<_>>()));
        }
        "cut off" => new.truncate(at),
        "two runs mixed" => {
            let other_at = other.len().min(at);
            new = [&bytes[..at], &other[other_at..]].concat();
        }
        "a line edited" => {
            // Another digit: still JSON.
            let digits = bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_digit());
            let digits: Vec<_> = digits.map(|(at, _)| at).collect();
            let at = digits[dice.below(digits.len())];
            new[at] = b'1' + (new[at] - b'0' + dice.below(8) as u8) % 9;
        }
        _ => {
            match kind {
                "a line removed" => drop(lines.remove(line)),
                "a line doubled" => lines.insert(line, lines[line].clone()),
                "two lines swapped" => lines.swap(line, other_line),
                "lines of another run" => {
                    let from = line.min(other_lines.len());
                    lines.truncate(line);
                    lines.extend_from_slice(&other_lines[from..]);
                }
                _ => panic!("{kind}"),
            }
            new = lines.concat();
        }
    }
    new
}

/// Opens a job, runs the rows that have no result, and checks the results. Returns the rows that were sent
/// again as if they were new: all of them were sent before.
fn resume(job: &Job, folder: &Folder, what: &str) -> Vec<String> {
    let options = options(folder, job);
    let (mut store, told) = try_open(&options).unwrap_or_else(|error| panic!("{what}: {error}"));
    let names = names();
    let is_open = |key: &&str| matches!(told.of(key), State::New | State::Unknown);
    let open: Vec<_> = names.iter().map(String::as_str).filter(is_open).collect();
    let undeclared = names.iter().filter(|key| told.of(key) == State::New).cloned().collect();
    if !open.is_empty() {
        store.send(&open);
    }
    open.iter().for_each(|key| store.done(key));
    store.close(job.is_ordered.then(order).as_ref()).unwrap();
    let genuine = job.genuine();
    let mut found = Vec::new();
    for line in lines(&folder.path(job.name)) {
        assert!(genuine.contains(&format!("{line}\n")), "{what}: a broken result: {line}");
        found.push(output::read_line(line.as_bytes()).unwrap().0.text().to_owned());
    }
    found.sort();
    assert_eq!(found, names, "{what}: each row has one result");
    super::open(&options);
    undeclared
}

fn damage(count: usize) {
    let mut jobs = Vec::new();
    for name in ["out.jsonl", "out.jsonl.gz", "out.jsonl.zst"] {
        for is_ordered in [false, true] {
            for is_whole in [false, true] {
                let of = |rotation| Job::new(name, is_ordered, is_whole, rotation);
                jobs.push((of(0), of(5)));
            }
        }
    }
    let mut dice = Dice::of(0xDA3A6E);
    let (mut refused, mut resumed, mut undeclared_cut, mut undeclared_lost) = (0, 0, 0, 0);
    let mut number = 0;
    while refused + resumed < count {
        number += 1;
        let kind = KINDS[number % KINDS.len()];
        let (job, other) = &jobs[dice.below(jobs.len())];
        let files: Vec<_> = job.files.keys().filter(|name| !name.ends_with(".unknown")).collect();
        let name = files[dice.below(files.len())];
        let whole = &job.files[name];
        let new = damaged(kind, whole, &other.files[name], &mut dice);
        if new == *whole {
            continue;
        }
        let folder = Folder::in_memory();
        job.files.iter().for_each(|(name, bytes)| fs::write(folder.path(name), bytes).unwrap());
        fs::write(folder.path(name), &new).unwrap();
        let what = format!("damage {number}, {kind}, of {name}");
        let before = read(&folder);
        let options = options(&folder, job);
        let opened = try_open(&options);
        match opened.map(drop) {
            Ok(()) => {
                resumed += 1;
                let is_cut = is_cut_off(&new, whole) && *name == job.journal();
                before
                    .iter()
                    .for_each(|(name, bytes)| fs::write(folder.path(name), bytes).unwrap());
                let undeclared = resume(job, &folder, &what);
                assert!(undeclared.is_empty() || is_cut, "{what}: sent again: {undeclared:?}");
                undeclared_cut += undeclared.len();
            }
            Err(error) => {
                refused += 1;
                let said = error.to_string();
                let file = folder.path(name).display().to_string();
                // Also results of another job are only known to differ from what the journal lists.
                assert!(said.contains(&file) || said.contains(job.name), "{what}: {said}");
                assert_eq!(read(&folder), before, "{what}: nothing is changed");
                let repaired =
                    repair(&options).unwrap_or_else(|error| panic!("{what}: {said}: {error}"));
                let undeclared = resume(job, &folder, &format!("{what}, repaired"));
                assert!(
                    undeclared.is_empty() || repaired.lost > 0,
                    "{what}: sent again: {undeclared:?}, {repaired:?}"
                );
                undeclared_lost += undeclared.len();
                assert_eq!(repaired.saved.len(), 2, "{what}");
            }
        }
    }
    println!(
        "{refused} refused and repaired, {resumed} resumed; sent again without being named: \
         {undeclared_cut} rows after a cut end, {undeclared_lost} after a repair that reported lost lines"
    );
    assert!(refused > count / 2);
}

/// Whether nothing but the end is missing or unreadable.
fn is_cut_off(new: &[u8], whole: &[u8]) -> bool {
    let end = new.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    whole.starts_with(&new[..end])
}

#[test]
fn damaged_files_are_refused_and_repaired() {
    damage(300);
}

#[test]
#[ignore = "ten seconds: make test-deep, with a new seed"]
fn a_thousand_damages_are_refused_and_repaired() {
    damage(1_000);
}
