//! Messages and codes of the errors of bulk jobs, to the letter.

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
            "--prompt makes requests of its own, and they need a model; give --model",
        ),
        (
            Error::Options(OptionsError::SystemWithoutPrompt),
            "--system goes with --prompt; a row that is a whole request has its own messages",
        ),
        (
            Error::Options(OptionsError::ModelEmpty),
            "--model is empty; give the name of a model, `modelwire models` lists them",
        ),
        (
            member("user", "me", MemberFault::NotJson),
            "--set user=me has no JSON behind its =; a text has quotes: 'user=\"me\"'",
        ),
        (member("n", "2", MemberFault::Twice), "--set n=2 is given twice; leave one of them out"),
        (member("", "1", MemberFault::Unnamed), "--set =1 has no name; write NAME=JSON"),
        (
            member("model", "\"a\"", MemberFault::Model),
            "--set model=\"a\" is what --model does; give --model",
        ),
        (
            member("stream", "true", MemberFault::Stream),
            "--set stream=true is not for you to choose; see --option stream_only=true",
        ),
        (Error::PriceMissing(Direction::Out), "--price-in needs --price-out; 0 is a price"),
        (Error::PriceMissing(Direction::In), "--price-out needs --price-in; 0 is a price"),
        (
            Error::PriceInvalid { direction: Direction::In, price: -1.0 },
            "--price-in: -1 is no price: give a number from 0 to 1000000000, for a million tokens",
        ),
        (
            Error::PriceInvalid { direction: Direction::Out, price: f64::NAN },
            "--price-out: NaN is no price: give a number from 0 to 1000000000, for a million tokens",
        ),
        (Error::CostInvalid, "--max-cost: give a number, in the currency of the prices"),
        (
            Error::CostWithoutPrices,
            "--max-cost needs prices, and none are built in: give --price-in and --price-out, for a \
             million tokens, or --prices FILE",
        ),
        (
            Error::PriceUnknown("echo".to_owned()),
            "--max-cost: there is no price for model \"echo\": name it in --prices, or give --price-in and \
             --price-out for every other model",
        ),
        (
            Error::SameFile(path("rows.jsonl")),
            "rows.jsonl is the input and the output: name another file for the results (-o)",
        ),
        (
            Error::OrderWithoutFile,
            "--ordered with a journal needs a file for the results: name one (-o OUT.jsonl)",
        ),
        (
            Error::InputColumns { path: Some(path("rows.parquet")), format: "Parquet" },
            "rows.parquet is Parquet, not JSON lines. The Python package takes such rows: \
             `from modelwire import bulk`, then `for result in bulk(bulk.read_parquet(\"rows.parquet\"), \
             prompt=\"COLUMN\", model=\"MODEL\", output=\"OUT.jsonl\")`; it needs `pip install pyarrow`",
        ),
        (
            Error::InputColumns { path: None, format: "Parquet" },
            "standard input is Parquet, not JSON lines. The Python package takes such rows: \
             `from modelwire import bulk`, then `for result in bulk(a pyarrow.Table, \
             prompt=\"COLUMN\", model=\"MODEL\", output=\"OUT.jsonl\")`; it needs `pip install pyarrow`",
        ),
        (
            Error::ResultsDiffer {
                journal: path("out.jsonl.journal"),
                before: "other.jsonl".to_owned(),
                now: String::new(),
            },
            "out.jsonl.journal is the journal of other.jsonl, and the results are to go to standard output. \
             Name the same results as before (-o), or another journal (--journal)",
        ),
        (
            Error::SettingDiffers {
                journal: path("out.jsonl.journal"),
                before: "no --ordered".to_owned(),
                now: "--ordered".to_owned(),
            },
            "out.jsonl.journal belongs to a job with no --ordered, and this run has --ordered. Run it as \
             before, or write to another file (-o), or begin anew with --overwrite",
        ),
    ] {
        check(error, Exit::Usage, message);
    }
}

#[test]
fn what_stops_a_run_names_its_option() {
    for (error, message) in [
        (Error::RowsMax(2), "stopped by --max-rows 2"),
        (
            Error::TokensMax { most: 1000, needs: 300, left: 200 },
            "stopped by --max-tokens 1000: the next row may use 300 and 200 are left",
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
fn what_is_wrong_with_files_comes_with_what_mends_it() {
    let denied = Error::Unusable(path("out.jsonl"), Io::PermissionDenied.into());
    for (error, message) in [
        (
            denied,
            "out.jsonl: permission denied. Name a file (-o) in a folder that you may write to",
        ),
        (Error::Unusable(path("out"), Io::IsADirectory.into()), "out is a folder. Name a file"),
        (
            Error::FolderMissing { path: path("no/out.jsonl"), folder: path("no") },
            "no/out.jsonl: there is no folder no. Make it, or name another file",
        ),
        (
            Error::Input { name: "rows.jsonl".to_owned(), error: Io::NotFound.into() },
            "rows.jsonl is not there; check the name of the input",
        ),
        (
            Error::JournalMissing {
                results: path("out.jsonl"),
                journal: path("out.jsonl.journal"),
            },
            "out.jsonl is there already and has no journal (out.jsonl.journal), so it is not known which rows \
             were sent. Name another file (-o), or throw it away with --overwrite",
        ),
        (
            Error::JournalHeld { path: path("out.jsonl.journal"), process: Some(12) },
            "out.jsonl.journal: another run (process 12) is writing to it. Wait for its end, or name another \
             file (-o)",
        ),
        (
            Error::JournalForeign(path("diary")),
            "diary is no journal of modelwire. Name another file for the journal (--journal) or for the \
             results (-o)",
        ),
        (
            Error::JournalDamaged { path: path("out.jsonl.journal"), line: 4 },
            "out.jsonl.journal:4: this line is damaged, so it is not known which rows were sent. Put back an \
             intact copy of the journal; or begin anew with --overwrite, which sends and pays every row again",
        ),
        (
            Error::ResultsHeld(path("out.jsonl")),
            "out.jsonl: another run, or the journal (--journal), has this file under this name or another. \
             Wait for its end, or name another file (-o)",
        ),
        (
            Error::ResultsGone(path("out.jsonl")),
            "out.jsonl is gone, and its journal knows of results in it. Put it back to go on; or begin anew \
             with --overwrite, which sends and pays every row again",
        ),
        (
            Error::ResultsShorter { path: path("out.jsonl"), found: 5, known: 9 },
            "out.jsonl has 5 bytes, and its journal knows of 9: results were taken out of it. Put them back \
             to go on; or begin anew with --overwrite, which sends and pays every row again",
        ),
        (
            Error::ResultsChanged(path("out.jsonl")),
            "out.jsonl was changed: what its journal knows of is not where it was. Put back the results as \
             they were to go on; or begin anew with --overwrite, which sends and pays every row again",
        ),
        (
            Error::ResultsResized { path: path("out.jsonl"), found: 5, known: 9 },
            "out.jsonl has 5 bytes, and its journal knows of 9: it was changed. Put back the results as they \
             were to go on; or begin anew with --overwrite, which sends and pays every row again",
        ),
        (
            Error::ResultsForeign { path: path("out.jsonl"), at: 70 },
            "out.jsonl: behind byte 70 stands something that is no result. Take it out (truncate -s 70 cuts \
             everything behind it), and run the same command again",
        ),
        (
            Error::Unordered { path: None, arrivals: path("a.part"), error: full() },
            "standard output: there is no room left on the device. All results are in a.part, as they came",
        ),
        (
            Error::Unordered {
                path: Some(path("out.jsonl")),
                arrivals: path("out.jsonl.part"),
                error: full(),
            },
            "out.jsonl: there is no room left on the device. All results are in out.jsonl.part, as they came. \
             Put that right, and run the same command again: it puts them in order",
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
            "out.jsonl: there is no room left on the device. All results that came are written. Put that right, \
             and run the same command again: it goes on from there",
        ),
        (
            Kept::File {
                count: 3,
                path: path("/tmp/my rescue.jsonl"),
                belongs: Some(path("out.jsonl")),
            },
            "out.jsonl: there is no room left on the device. 3 results that came nevertheless are in \
             '/tmp/my rescue.jsonl'. Put that right, add them (cat '/tmp/my rescue.jsonl' >> out.jsonl), and \
             run the same command again: it goes on from there",
        ),
        (
            Kept::File { count: 3, path: path("rescue.jsonl"), belongs: None },
            "out.jsonl: there is no room left on the device. 3 results that came nevertheless are in \
             rescue.jsonl",
        ),
        (
            Kept::StandardError { count: 3 },
            "out.jsonl: there is no room left on the device. 3 results that came nevertheless stand above, on \
             standard error: add them to the results, put that right, and run the same command again: it goes \
             on from there",
        ),
    ] {
        check(unwritten(kept), Exit::File, message);
    }
}

#[test]
fn a_reader_that_went_is_a_broken_pipe() {
    check(Error::Closed, Exit::BrokenPipe, "");
    let name = Path::new("out.jsonl").display().to_string();
    let error = Error::Unwritten { name, error: Io::BrokenPipe.into(), kept: Kept::All };
    assert_eq!(Failure::from(error).exit, Exit::BrokenPipe);
    check(Error::WriterLost, Exit::Internal, "the thread that writes results broke off");
}
