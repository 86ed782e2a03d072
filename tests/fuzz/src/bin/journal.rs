//! Any history of a bulk job's files, with any damage at its end, is refused, or opened: then it says of its
//! rows what a look says that changes nothing, and says the same when it is opened again.
#![no_main]

use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use modelwire_bulk::ledger::{Counts, Ledger};
use modelwire_bulk::output::Outcome;
use modelwire_bulk::store::journal::{End, Header, Record, Seal};
use modelwire_bulk::store::{Store, StoreOptions, look};
use modelwire_fuzz::{crc, memory};

/// The files of a job as they are written.
#[derive(Default)]
struct Files {
    journal: Vec<u8>,
    seal: Seal,
    results: Vec<u8>,
}

impl Files {
    fn record(&mut self, record: &Record<'_>) {
        let mut text = Vec::new();
        record.write(&mut text);
        self.seal.write(&text, &mut self.journal);
    }

    /// Where the results end; `since` is where the last of them begins.
    fn end(&self, since: usize) -> End {
        End { at: self.results.len() as u64, crc: crc(&self.results[since..]) }
    }

    fn ended(&mut self, key: &str, outcome: Outcome, is_recorded: bool) {
        let since = self.results.len();
        let answer = match outcome {
            Outcome::Done => r#"{"status_code":200,"request_id":"r","body":{}},"error":null"#,
            Outcome::Failed => r#"null,"error":{"kind":"server","message":"no"}"#,
        };
        let name = modelwire::parse::quoted(key);
        let line = format!(
            r#"{{"id":"modelwire-000000000000000000000000-00000000000000000000000000000007","custom_id":{name},"response":{answer}}}"#
        );
        self.results.extend_from_slice(line.as_bytes());
        self.results.push(b'\n');
        let end = is_recorded.then(|| self.end(since));
        if end.is_some() {
            self.record(&Record::Ended { key: key.into(), outcome, check: 7, end });
        }
    }

    /// What the next byte says happened.
    fn step(&mut self, byte: u8) {
        let key = ["a", "b", "row \"3\"", "d"][usize::from(byte >> 4 & 3)];
        let is_recorded = byte & 0x40 == 0;
        match byte & 0x0f {
            0 => self.record(&Record::Run { pid: 1, began: 2 }),
            1 | 2 => self.record(&Record::Sent { key: key.into(), check: 7 }),
            3 => self.record(&Record::Back { key: key.into(), check: 7 }),
            4 | 5 => self.ended(key, Outcome::Done, is_recorded),
            6 | 7 => self.ended(key, Outcome::Failed, is_recorded),
            8 => self.record(&Record::Rewritten { end: self.end(0) }),
            9 => self.record(&Record::Replaced { end: self.end(0) }),
            10 => self.record(&Record::Assembled { end: self.end(0) }),
            11 => _ = self.results.pop(),
            12 => {
                self.journal.truncate(self.journal.len().saturating_sub(usize::from(byte >> 4) + 1))
            }
            13 => self.results.extend_from_slice(b"{\"custom_id\":\"a\"}\n"),
            14 => self.results.clear(),
            _ => self.journal.push(byte),
        }
    }
}

fn looked(options: &StoreOptions) -> Result<Counts, String> {
    let mut ledger = Ledger::new();
    look(options, &mut ledger).map_err(|error| error.to_string())?;
    Ok(ledger.counts())
}

fn opened(options: &StoreOptions) -> Result<Counts, String> {
    let (store, ledger) =
        Store::open(options, None, Box::new(|| {})).map_err(|error| error.to_string())?;
    let counts = ledger.counts();
    store.close(None).map_err(|error| error.to_string())?;
    Ok(counts)
}

fuzz_target!(|input: &[u8]| {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| memory("journal"));
    let options =
        StoreOptions { results: Some(folder.join("out.jsonl")), ..StoreOptions::default() };
    let mut files = Files::default();
    files.record(&Record::Header(Header { results: "out.jsonl".into(), settings: Vec::new() }));
    // What follows 0xff is damage, as it is, to the end of both.
    let (steps, damage) = match input.iter().position(|byte| *byte == 0xff) {
        Some(at) => (&input[..at], &input[at + 1..]),
        None => (input, &[][..]),
    };
    steps.iter().for_each(|byte| files.step(*byte));
    let (journal, results) = damage.split_at(damage.len() / 2);
    files.journal.extend_from_slice(journal);
    files.results.extend_from_slice(results);
    for entry in std::fs::read_dir(folder).expect("a folder in memory").flatten() {
        std::fs::remove_file(entry.path()).expect("a file in memory");
    }
    std::fs::write(folder.join("out.jsonl.journal"), &files.journal).expect("a file in memory");
    std::fs::write(folder.join("out.jsonl"), &files.results).expect("a file in memory");

    let before = looked(&options);
    let first = opened(&options);
    let Ok(counts) = &first else {
        assert!(!first.unwrap_err().is_empty());
        return;
    };
    assert_eq!(before.as_ref(), Ok(counts), "a look says the same");
    assert_eq!(looked(&options).as_ref(), Ok(counts), "and after it was opened");
    assert_eq!(opened(&options).as_ref(), Ok(counts), "and opened again");
});
