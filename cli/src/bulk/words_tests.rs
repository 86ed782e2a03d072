//! The exact messages and codes of the errors of bulk jobs.

use std::io;
use std::path::{Path, PathBuf};

use modelwire_bulk::prices::Money;

use super::*;

fn path(name: &str) -> PathBuf {
    PathBuf::from(name)
}

fn full() -> io::Error {
    Io::StorageFull.into()
}

fn unwritten(kept: Kept) -> Error {
    Error::Unwritten { name: "out.jsonl".to_owned(), error: full(), kept }
}

fn member(name: &str, json: &str, fault: MemberFault) -> Error {
    let (name, json) = (name.to_owned(), json.to_owned());
    Error::Options(OptionsError::Member { name, json, fault })
}

fn check(error: Error, exit: Exit, message: &str) {
    let failure = Failure::from(error);
    assert_eq!((failure.exit, failure.message.as_str()), (exit, message));
}

#[test]
fn wrong_options_are_named_as_they_are_given() {
    for (error, message) in [
        (
            Error::Options(OptionsError::PromptWithoutModel),
            "--prompt needs a model for its requests; give --model",
        ),
        (
            Error::Options(OptionsError::SystemWithoutPrompt),
            "--system needs --prompt; a row that is a whole request has its own messages",
        ),
        (
            Error::Options(OptionsError::ModelEmpty),
            "--model is empty; give the name of a model, `modelwire models` lists them",
        ),
        (
            member("user", "me", MemberFault::NotJson),
            "--default user=me has no JSON after its =; a string needs quotes: 'user=\"me\"'",
        ),
        (member("n", "2", MemberFault::Twice), "--default n=2 is given twice; remove one of them"),
        (member("", "1", MemberFault::Unnamed), "--default =1 has no name; write NAME=JSON"),
        (
            member("model", "\"a\"", MemberFault::Model),
            "--default model=\"a\" is set by --model; give --model",
        ),
        (
            member("stream", "true", MemberFault::Stream),
            "--default stream=true cannot be set; see --option stream_only=true",
        ),
        (Error::PriceMissing(Direction::Out), "--price-in needs --price-out; 0 is allowed"),
        (Error::PriceMissing(Direction::In), "--price-out needs --price-in; 0 is allowed"),
        (
            Error::PriceInvalid { direction: Direction::In, price: -1.0 },
            "--price-in: invalid price -1: give a number from 0 to 1000000000, per million tokens",
        ),
        (
            Error::PriceInvalid { direction: Direction::Out, price: f64::NAN },
            "--price-out: invalid price NaN: give a number from 0 to 1000000000, per million tokens",
        ),
        (Error::CostInvalid, "--max-cost: give a number, in the currency of the prices"),
        (
            Error::CostWithoutPrices,
            "--max-cost needs prices, and there are no defaults: give --price-in and --price-out, per \
             million tokens, or --prices FILE",
        ),
        (
            Error::PriceUnknown("echo".to_owned()),
            "--max-cost: there is no price for model \"echo\": name it in --prices, or give --price-in and \
             --price-out for every other model",
        ),
        (
            Error::SameFile(path("rows.jsonl")),
            "rows.jsonl is both the input and the output: name another file for the results (-o)",
        ),
        (
            Error::OrderWithoutFile,
            "--ordered with a journal needs a file for the results: name one (-o OUT.jsonl)",
        ),
        (
            Error::RepairWithoutFile,
            "--repair needs results in a file (-o OUT.jsonl), with their journal",
        ),
        (
            Error::InputColumns { path: Some(path("rows.parquet")), format: "Parquet" },
            "rows.parquet is Parquet, not JSON lines. The Python package takes such rows: \
             `from modelwire import bulk`, then `for result in bulk(bulk.read_parquet(\"rows.parquet\"), \
             prompt=\"{COLUMN}\", model=\"MODEL\", output=\"OUT.jsonl\"): print(result.text)`; it needs \
             `pip install pyarrow`",
        ),
        (
            Error::InputColumns { path: None, format: "Parquet" },
            "standard input is Parquet, not JSON lines. The Python package takes such rows: \
             `from modelwire import bulk`, then `for result in bulk(a pyarrow.Table, \
             prompt=\"{COLUMN}\", model=\"MODEL\", output=\"OUT.jsonl\"): print(result.text)`; it needs \
             `pip install pyarrow`",
        ),
        (
            Error::TableWithoutPrompt {
                name: "a.csv".to_owned(),
                columns: ["id", "a text"].map(str::to_owned).to_vec(),
            },
            "a.csv is a table with the columns \"id\", \"a text\". Give --prompt \"... {COLUMN} ...\", with its \
             columns in braces",
        ),
        (
            Error::ResultsForm { path: path("my out.tsv.gz"), format: "TSV" },
            "my out.tsv.gz is named like TSV, but results are JSON lines. Give -o 'my out.jsonl' --csv 'my out.csv'",
        ),
        (
            Error::ResultsForm { path: path("out.parquet"), format: "Parquet" },
            "out.parquet is named like Parquet, but results are JSON lines. The Python package writes such \
             files: `from modelwire import bulk`, then `bulk.write_parquet(bulk(ROWS, prompt=\"{COLUMN}\", \
             model=\"MODEL\"), \"out.parquet\")`; it needs `pip install pyarrow`",
        ),
        (
            Error::ExtractFile {
                extract: Extract::Errors,
                path: path("a.jsonl"),
                fault: "is also the input",
            },
            "--errors a.jsonl is also the input. Name another file",
        ),
        (
            Error::ResultsDiffer {
                journal: path("out.jsonl.journal"),
                before: "other.jsonl".to_owned(),
                now: String::new(),
            },
            "out.jsonl.journal is the journal of other.jsonl, but the results are to go to standard output. \
             Name the same results as before (-o), or another journal (--journal); if you renamed both files, \
             give them their old names",
        ),
        (
            Error::SettingDiffers {
                journal: path("out.jsonl.journal"),
                before: "no --ordered".to_owned(),
                now: "--ordered".to_owned(),
            },
            "out.jsonl.journal belongs to a job with no --ordered, but this run has --ordered. Run it as \
             before, or write to another file (-o), or start over with --overwrite",
        ),
    ] {
        check(error, Exit::Usage, message);
    }
}

#[test]
fn a_limit_that_stops_a_run_names_its_option() {
    for (error, message) in [
        (Error::RowsMax(2), "stopped by --max-rows 2"),
        (
            Error::TokensMax { most: 1000, needs: 300, left: 200 },
            "stopped by --max-total-tokens 1000: the next row may use 300 and 200 are left",
        ),
        (
            Error::CostMax {
                most: Money::new(2.0),
                needs: Money::new(0.5),
                left: Money::new(0.25),
            },
            "stopped by --max-cost 2.00: the next row may cost 0.5000 and 0.2500 is left",
        ),
    ] {
        check(error, Exit::Budget, message);
    }
}

#[test]
fn file_errors_say_how_to_fix_them() {
    let denied = Error::Unusable(path("out.jsonl"), Io::PermissionDenied.into());
    let repair = |what: &str| {
        format!(
            "{what}. Restore the original files, or run the job's command with --repair: it rebuilds them from \
             what is intact, and sends nothing"
        )
    };
    for (error, message) in [
        (
            denied,
            "out.jsonl: permission denied. Name a file (-o) in a folder that you may write to",
        ),
        (Error::Unusable(path("out"), Io::IsADirectory.into()), "out is a folder. Name a file"),
        (
            Error::FolderMissing { path: path("no/out.jsonl"), folder: path("no") },
            "no/out.jsonl: there is no folder no. Create it, or name another file",
        ),
        (
            Error::Input { name: "rows.jsonl".to_owned(), error: Io::NotFound.into() },
            "rows.jsonl does not exist; check the name of the input",
        ),
        (
            Error::JournalMissing {
                results: path("out.jsonl"),
                journal: path("out.jsonl.journal"),
            },
            "out.jsonl already exists and has no journal (out.jsonl.journal), so it is unknown which rows \
             were sent. Name another file (-o), discard it with --overwrite, or rebuild the journal with --repair",
        ),
        (
            Error::JournalHeld { path: path("out.jsonl.journal"), process: Some(12) },
            "out.jsonl.journal: another run (process 12) is writing to it. Wait until it ends, or name another \
             file (-o)",
        ),
        (
            Error::JournalForeign(path("diary")),
            "diary is not a journal of modelwire. Name another file for the journal (--journal) or for the \
             results (-o)",
        ),
        (
            Error::JournalVersion(path("out.jsonl.journal")),
            "out.jsonl.journal was written by another version of modelwire. Complete the job with that \
             version, or start over with --overwrite",
        ),
        (
            Error::JournalDamaged {
                path: path("out.jsonl.journal"),
                line: 4,
                at: 212,
                fault: "its checksum is wrong".to_owned(),
            },
            &repair(
                "out.jsonl.journal:4: this line, at byte 212, is damaged: its checksum is wrong",
            ),
        ),
        (
            Error::ResultsHeld(path("out.jsonl")),
            "out.jsonl: another run, or the journal (--journal), already uses this file. Wait until it ends, or name another file (-o)",
        ),
        (
            Error::ResultsGone(path("out.jsonl")),
            "out.jsonl is missing, but its journal lists results in it. Restore it to continue, or start over \
             with --overwrite: every row is then sent and billed again",
        ),
        (
            Error::ResultsShorter { path: path("out.jsonl"), found: 5, known: 9 },
            &repair("out.jsonl has 5 bytes, but its journal lists 9: results were removed from it"),
        ),
        (
            Error::ResultsChanged { path: path("out.jsonl"), from: 70, to: 140 },
            &repair(
                "out.jsonl was changed: bytes 70 to 140 are not the result that its journal lists",
            ),
        ),
        (
            Error::ResultsResized { path: path("out.jsonl"), found: 5, known: 9 },
            &repair("out.jsonl has 5 bytes, but its journal lists 9: it was changed"),
        ),
        (
            Error::ResultsForeign { path: path("out.jsonl"), at: 70 },
            &repair("out.jsonl: after byte 70 there is something that is not a result"),
        ),
        (
            Error::ResultsTwice { path: path("out.jsonl"), key: "row-7".to_owned(), at: 70 },
            &repair("out.jsonl: after byte 70 there is a second result of row \"row-7\""),
        ),
        (
            Error::Unordered { path: None, arrivals: path("a.part"), error: full() },
            "standard output: no space left on the device. All results are in a.part, in order of arrival",
        ),
        (
            Error::Unordered {
                path: Some(path("out.jsonl")),
                arrivals: path("out.jsonl.part"),
                error: full(),
            },
            "out.jsonl: no space left on the device. All results are in out.jsonl.part, in order of arrival. \
             Fix that, and run the same command again: it puts them in order",
        ),
    ] {
        check(error, Exit::File, message);
    }
}

#[test]
fn results_that_cannot_be_written_come_with_the_command_that_adds_them() {
    for (kept, message) in [
        (
            Kept::All,
            "out.jsonl: no space left on the device. All results that arrived are written. Fix that, and \
             run the same command again: it resumes from there",
        ),
        (
            Kept::File {
                count: 3,
                path: path("/rescue/my rows.jsonl"),
                belongs: Some(path("out.jsonl")),
            },
            "out.jsonl: no space left on the device. 3 results that arrived but could not be written there are in '/rescue/my \
             rows.jsonl'. Fix that, add them (cat '/rescue/my rows.jsonl' >> out.jsonl), and \
             run the same command again: it resumes from there",
        ),
        (
            Kept::File { count: 3, path: path("rescue.jsonl"), belongs: None },
            "out.jsonl: no space left on the device. 3 results that arrived but could not be written there are in rescue.jsonl",
        ),
        (
            Kept::StandardError { count: 3 },
            "out.jsonl: no space left on the device. 3 results that arrived but could not be written there are above, on standard \
             error: add them to the results, fix that, and run the same command again: it \
             resumes from there",
        ),
    ] {
        check(unwritten(kept), Exit::File, message);
    }
}

#[test]
fn a_closed_reader_exits_as_a_broken_pipe() {
    check(Error::Closed, Exit::BrokenPipe, "");
    let name = Path::new("out.jsonl").display().to_string();
    let error = Error::Unwritten { name, error: Io::BrokenPipe.into(), kept: Kept::All };
    assert_eq!(Failure::from(error).exit, Exit::BrokenPipe);
    check(Error::WriterLost, Exit::Internal, "the thread that writes results ended unexpectedly");
}
