//! The errors of bulk jobs as failures of the command, with its exit codes, options and command lines.

use std::io::ErrorKind as Io;
use std::path::Path;

use modelwire_bulk::prices::invalid_price;
use modelwire_bulk::{Direction, Error, ErrorKind, Extract, Kept, MemberFault, OptionsError, said};

use super::job::command_line;
use crate::failure::{Exit, Failure};

/// How to resume.
const GO_ON: &str = "run the same command again: it resumes from there";

/// What to do if a job's files are damaged.
const REPAIR: &str = "Restore the original files, or run the job's command with --repair: it rebuilds them from \
    what is intact, and sends nothing";

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let exit = match error.kind() {
            ErrorKind::Argument => Exit::Usage,
            ErrorKind::Budget => Exit::Budget,
            ErrorKind::File => Exit::File,
            ErrorKind::Closed => Exit::BrokenPipe,
            ErrorKind::Internal => Exit::Internal,
        };
        Failure::new(exit, message(&error))
    }
}

/// The message of an error, in the command's own words if it has any.
fn message(error: &Error) -> String {
    let do_this = |advice: &str| format!("{}. {advice}", error.what());
    match error {
        Error::Options(error) => options_message(error),
        Error::PriceMissing(Direction::Out) => {
            "--price-in needs --price-out; 0 is allowed".to_owned()
        }
        Error::PriceMissing(Direction::In) => {
            "--price-out needs --price-in; 0 is allowed".to_owned()
        }
        Error::PriceInvalid { direction: Direction::In, price } => {
            format!("--price-in: {}", invalid_price(*price))
        }
        Error::PriceInvalid { direction: Direction::Out, price } => {
            format!("--price-out: {}", invalid_price(*price))
        }
        Error::CostInvalid => {
            "--max-cost: give a number, in the currency of the prices".to_owned()
        }
        Error::CostWithoutPrices => {
            "--max-cost needs prices, and there are no defaults: give --price-in and --price-out, per \
             million tokens, or --prices FILE"
                .to_owned()
        }
        Error::PriceUnknown(model) => format!(
            "--max-cost: there is no price for model \"{model}\": name it in --prices, or give --price-in and \
             --price-out for every other model"
        ),
        Error::RowsMax(most) => format!("stopped by --max-rows {most}"),
        Error::TokensMax { most, needs, left } => format!(
            "stopped by --max-total-tokens {most}: the next row may use {needs} and {left} are left"
        ),
        Error::CostMax { most, needs, left } => format!(
            "stopped by --max-cost {most}: the next row may cost {needs} and {left} is left"
        ),
        Error::ReuseOfResults(_) => format!(
            "--reuse: {}: give the results of another job, or --once for the equal rows of this one",
            error.what()
        ),
        Error::NothingToReuse(_) => {
            format!("--reuse: {}: give the results of another job", error.what())
        }
        Error::SameFile(_) => format!("{}: name another file for the results (-o)", error.what()),
        Error::InputColumns { path, format } => {
            let rows = match path {
                Some(path) if *format == "Parquet" => format!("bulk.read_parquet({path:?})"),
                Some(_) | None => "a pyarrow.Table".to_owned(),
            };
            do_this(&format!(
                "The Python package takes such rows: `from modelwire import bulk`, then `for result in \
                 bulk({rows}, prompt=\"{{COLUMN}}\", model=\"MODEL\", output=\"OUT.jsonl\"): \
                 print(result.text)`; it needs `pip install pyarrow`"
            ))
        }
        Error::ResultsForm { path, format } => do_this(&results_as_table(path, format)),
        Error::ExtractFile { extract, path, fault } => {
            let option = match extract {
                Extract::Errors => "--errors",
                Extract::Csv => "--csv",
            };
            format!("{option} {} {fault}. Name another file", path.display())
        }
        Error::TableWithoutPrompt { .. } => {
            do_this("Give --prompt \"... {COLUMN} ...\", with its columns in braces")
        }
        Error::Unusable(path, cause)
            if matches!(cause.kind(), Io::PermissionDenied | Io::ReadOnlyFilesystem)
                && !path.exists() =>
        {
            do_this("Name a file (-o) in a folder that you may write to")
        }
        Error::OrderWithoutFile => {
            "--ordered with a journal needs a file for the results: name one (-o OUT.jsonl)".to_owned()
        }
        Error::JournalMissing { .. } => {
            do_this("Name another file (-o), discard it with --overwrite, or rebuild the journal with --repair")
        }
        Error::JournalHeld { .. } => do_this("Wait until it ends, or name another file (-o)"),
        Error::JournalForeign(_) => do_this(
            "Name another file for the journal (--journal) or for the results (-o)",
        ),
        Error::JournalVersion(_) => {
            do_this("Complete the job with that version, or start over with --overwrite")
        }
        Error::JournalDamaged { .. }
        | Error::ResultsShorter { .. }
        | Error::ResultsChanged { .. }
        | Error::ResultsResized { .. }
        | Error::ResultsForeign { .. }
        | Error::ResultsTwice { .. } => do_this(REPAIR),
        Error::ResultsGone(_) => do_this(
            "Restore it to continue, or start over with --overwrite: every row is then sent and billed again",
        ),
        Error::RepairWithoutFile => {
            "--repair needs results in a file (-o OUT.jsonl), with their journal".to_owned()
        }
        Error::ResultsDiffer { .. } => {
            do_this(
                "Name the same results as before (-o), or another journal (--journal); if you renamed both files, \
                 give them their old names",
            )
        }
        Error::SettingDiffers { .. } => do_this(
            "Run it as before, or write to another file (-o), or start over with --overwrite",
        ),
        Error::ResultsHeld(path) => format!(
            "{}: another run, or the journal (--journal), already uses this file. Wait until it ends, or name \
             another file (-o)",
            path.display()
        ),
        Error::Unwritten { name, error, kept } => {
            format!("{name}: {}{}", said(error), kept_message(kept))
        }
        Error::Unordered { path: Some(_), .. } => do_this(
            "Fix that, and run the same command again: it puts them in order",
        ),
        // These name no option and no command.
        Error::PricesUnreadable { .. }
        | Error::PricesInvalid(_)
        | Error::Input { .. }
        | Error::InputTwice(_)
        | Error::InputPattern { .. }
        | Error::InputHeader { .. }
        | Error::InputPacking { .. }
        | Error::InputForeign { .. }
        | Error::InputBroken { .. }
        | Error::Unusable(..)
        | Error::Unreadable(..)
        | Error::FolderMissing { .. }
        | Error::NamesTaken(_)
        | Error::StandardOutput(_)
        | Error::NothingIntact(_)
        | Error::Rewriting(..)
        | Error::Unordered { path: None, .. }
        | Error::Closed
        | Error::Thread(_)
        | Error::WriterLost => error.to_string(),
    }
}

/// How results become a table.
fn results_as_table(path: &Path, format: &str) -> String {
    let is_packed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    let path = if is_packed { path.with_extension("") } else { path.to_owned() };
    if format == "Parquet" {
        return format!(
            "The Python package writes such files: `from modelwire import bulk`, then \
             `bulk.write_parquet(bulk(ROWS, prompt=\"{{COLUMN}}\", model=\"MODEL\"), {path:?})`; it needs \
             `pip install pyarrow`"
        );
    }
    let lines = command_line::quoted([path.with_extension("jsonl")]);
    let table = command_line::quoted([path.with_extension("csv")]);
    format!("Give -o {lines} --csv {table}")
}

fn options_message(error: &OptionsError) -> String {
    match error {
        OptionsError::PromptWithoutModel => {
            "--prompt needs a model for its requests; give --model".to_owned()
        }
        OptionsError::SystemWithoutPrompt => {
            "--system needs --prompt; a row that is a whole request has its own messages".to_owned()
        }
        OptionsError::ModelEmpty => {
            "--model is empty; give the name of a model, `modelwire models` lists them".to_owned()
        }
        OptionsError::Member { name, json, fault } => {
            let fault = match fault {
                MemberFault::Twice => "is given twice; remove one of them",
                MemberFault::Unnamed => "has no name; write NAME=JSON",
                MemberFault::Model => "is set by --model; give --model",
                MemberFault::Stream => "cannot be set; see --option stream_only=true",
                MemberFault::NotJson => {
                    "has no JSON after its =; a string needs quotes: 'user=\"me\"'"
                }
            };
            format!("--default {name}={json} {fault}")
        }
    }
}

/// Where results were saved that could not be written, and the command that adds them.
fn kept_message(kept: &Kept) -> String {
    match kept {
        Kept::All => format!(". All results that arrived are written. Fix that, and {GO_ON}"),
        Kept::File { count, path, belongs } => {
            let path = command_line::quoted([path]);
            let add = belongs.as_ref().map_or_else(String::new, |results| {
                let results = command_line::quoted([results]);
                format!(". Fix that, add them (cat {path} >> {results}), and {GO_ON}")
            });
            format!(
                ". {count} results that arrived but could not be written there are in {path}{add}"
            )
        }
        Kept::StandardError { count } => format!(
            ". {count} results that arrived but could not be written there are above, on standard error: add them to the results, \
             fix that, and {GO_ON}"
        ),
    }
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
