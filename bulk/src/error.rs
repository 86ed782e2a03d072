//! The errors of a bulk job, as data: an error describes what happened and what to do, and a program
//! with its own vocabulary (options, commands) builds its message from the same data.

use std::fmt;
use std::io::{self, ErrorKind as Io};
use std::path::{Path, PathBuf};

use crate::input::NAMES_SHOWN_MAX;
use crate::money::{Money, invalid_price};

/// The category of an error for the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Options or rows are invalid; nothing was sent for them.
    Argument,
    /// A budget is used up.
    Budget,
    /// A file cannot be read or written, or differs from what an earlier run left, or the system has no room
    /// for a thread.
    File,
    /// The reader of the results closed them.
    Closed,
    /// A bug in this crate.
    Internal,
}

/// Why a job, or a part of it, cannot continue.
#[derive(Debug)]
pub enum Error {
    /// Options of rows contradict each other.
    Options(OptionsError),
    /// There is a price for one direction and none for the other.
    PriceMissing(Direction),
    /// A number is not a valid price.
    PriceInvalid {
        /// Which of the two prices.
        direction: Direction,
        /// The number.
        price: f64,
    },
    /// A price file cannot be read.
    PricesUnreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A price file is invalid: where, and how.
    PricesInvalid(String),
    /// The maximum cost is not a number.
    CostInvalid,
    /// There is a maximum cost but no price.
    CostWithoutPrices,
    /// There is a maximum cost but no price for this model.
    PriceUnknown(String),
    /// The maximum number of rows has begun.
    RowsMax(u64),
    /// The next row may use more tokens than remain.
    TokensMax {
        /// The maximum.
        most: u64,
        /// The tokens that the next row may use.
        needs: u64,
        /// The remainder.
        left: u64,
    },
    /// The next row may cost more than remains.
    CostMax {
        /// The maximum.
        most: Money,
        /// The cost that the next row may have.
        needs: Money,
        /// The remainder.
        left: Money,
    },
    /// The input and the results are the same file.
    SameFile(PathBuf),
    /// The results to be reused are those of this job.
    ReuseOfResults(PathBuf),
    /// A file to be reused has no result.
    NothingToReuse(PathBuf),
    /// The input cannot be opened.
    Input {
        /// Its name in messages.
        name: String,
        /// Why.
        error: io::Error,
    },
    /// The input is a columnar file, not lines.
    InputColumns {
        /// The file; `None` is standard input.
        path: Option<PathBuf>,
        /// The name of its format.
        format: &'static str,
    },
    /// An input is given twice.
    InputTwice(String),
    /// A pattern names no files.
    InputPattern {
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// The header of a table cannot name fields.
    InputHeader {
        /// The table's name in messages.
        name: String,
        /// The line.
        line: u64,
        /// What is wrong with it.
        fault: String,
    },
    /// The input is a table, whose rows need a prompt.
    TableWithoutPrompt {
        /// Its name in messages.
        name: String,
        /// Its columns.
        columns: Vec<String>,
    },
    /// The name of the input implies a compression that it does not have.
    InputPacking {
        /// Its name in messages.
        name: String,
        /// The implied compression.
        promised: &'static str,
    },
    /// The input is packed in a way that is not read.
    InputForeign {
        /// Its name in messages.
        name: String,
        /// The name of that format.
        format: &'static str,
    },
    /// The input ended unexpectedly.
    InputBroken {
        /// Its name in messages.
        name: String,
        /// Its compression, if any.
        packing: Option<&'static str>,
        /// The number of whole lines before that.
        lines: u64,
        /// Why.
        error: io::Error,
    },
    /// The file for results is named like a table.
    ResultsForm {
        /// The file.
        path: PathBuf,
        /// The name of that format.
        format: &'static str,
    },
    /// A file that is made of the results cannot be used.
    ExtractFile {
        /// What it has.
        extract: Extract,
        /// The file.
        path: PathBuf,
        /// Why.
        fault: &'static str,
    },
    /// A file cannot be opened, created or written.
    Unusable(PathBuf, io::Error),
    /// A file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The folder of a file does not exist.
    FolderMissing {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// Every name in this folder that was tried is taken.
    NamesTaken(PathBuf),
    /// Standard output cannot be used.
    StandardOutput(io::Error),
    /// Results in the order of the input, with a journal, need a file.
    OrderWithoutFile,
    /// There are results but no journal.
    JournalMissing {
        /// The results.
        results: PathBuf,
        /// The path of their journal.
        journal: PathBuf,
    },
    /// Another run holds the journal.
    JournalHeld {
        /// The journal.
        path: PathBuf,
        /// The process, as named in the journal.
        process: Option<u64>,
    },
    /// The journal file is not a journal.
    JournalForeign(PathBuf),
    /// The journal was written by a version of this crate with another format.
    JournalVersion(PathBuf),
    /// A line of the journal is damaged, or is not the one that was written there.
    JournalDamaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Where it begins, in bytes.
        at: u64,
        /// What is wrong with it.
        fault: String,
    },
    /// The journal belongs to other results; a name is empty for standard output.
    ResultsDiffer {
        /// The journal.
        journal: PathBuf,
        /// The results that it names.
        before: String,
        /// The results of this run.
        now: String,
    },
    /// The journal belongs to a job with another setting.
    SettingDiffers {
        /// The journal.
        journal: PathBuf,
        /// The setting of that job.
        before: String,
        /// The setting of this run.
        now: String,
    },
    /// Another run holds the results.
    ResultsHeld(PathBuf),
    /// The journal lists results in a file that is missing.
    ResultsGone(PathBuf),
    /// The results have fewer bytes than the journal lists.
    ResultsShorter {
        /// The results.
        path: PathBuf,
        /// The actual size, in bytes.
        found: u64,
        /// The size in the journal.
        known: u64,
    },
    /// Results are not those that the journal lists.
    ResultsChanged {
        /// The results.
        path: PathBuf,
        /// Where the first of them begins, in bytes.
        from: u64,
        /// Where it ends.
        to: u64,
    },
    /// Ordered results have another size than when they were written.
    ResultsResized {
        /// The results.
        path: PathBuf,
        /// The actual size, in bytes.
        found: u64,
        /// The size in the journal.
        known: u64,
    },
    /// The results are followed by other data.
    ResultsForeign {
        /// The results.
        path: PathBuf,
        /// Where that data begins, in bytes.
        at: u64,
    },
    /// Results that the journal does not list have a second result of a row.
    ResultsTwice {
        /// The results.
        path: PathBuf,
        /// The row.
        key: String,
        /// Where the results that the journal lists end, in bytes.
        at: u64,
    },
    /// Results that are not in a file cannot be repaired.
    RepairWithoutFile,
    /// Neither the results nor their journal have anything intact.
    NothingIntact(PathBuf),
    /// The failed rows cannot be removed from the results.
    Rewriting(PathBuf, io::Error),
    /// Results or journal cannot be written any more.
    Unwritten {
        /// The file's name in messages.
        name: String,
        /// Why.
        error: io::Error,
        /// Where the results are that arrived and could not be written to their place.
        kept: Kept,
    },
    /// Results cannot be put in order.
    Unordered {
        /// Their intended place; `None` is standard output.
        path: Option<PathBuf>,
        /// The place of the unordered results.
        arrivals: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The reader of the results closed them.
    Closed,
    /// A thread cannot be started.
    Thread(io::Error),
    /// The thread that writes results ended unexpectedly.
    WriterLost,
}

/// Which options of rows contradict each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionsError {
    /// Prompts without a model, which their requests need.
    PromptWithoutModel,
    /// A system message without prompts.
    SystemWithoutPrompt,
    /// The model has no name.
    ModelEmpty,
    /// A default member for bodies is invalid.
    Member {
        /// Its name.
        name: String,
        /// Its JSON.
        json: String,
        /// Its error.
        fault: MemberFault,
    },
}

/// The error of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberFault {
    /// It is given twice.
    Twice,
    /// It has no name.
    Unnamed,
    /// It is the model, which has its own option.
    Model,
    /// It is `stream`, which the client sets.
    Stream,
    /// It is not JSON.
    NotJson,
}

/// The tokens that a price is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Input tokens.
    In,
    /// Output tokens.
    Out,
}

/// What a file has that is made of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extract {
    /// The failed rows, as OpenAI's batches write them.
    Errors,
    /// A table with a line for each result, in CSV (RFC 4180).
    Csv,
}

impl Extract {
    fn name(self) -> &'static str {
        match self {
            Extract::Errors => "the file for failed rows",
            Extract::Csv => "the file for the table",
        }
    }
}

/// Where results are that arrived and could not be written to their place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There are none: all that arrived are written.
    All,
    /// They are in another file.
    File {
        /// How many.
        count: usize,
        /// The file.
        path: PathBuf,
        /// The file to which they can be added.
        belongs: Option<PathBuf>,
    },
    /// They are on standard error.
    StandardError {
        /// How many.
        count: usize,
    },
}

/// What to do if the files of a job are damaged.
const REPAIR: &str = "Restore the original files, or repair these: `modelwire bulk - -o OUT --repair`, with the \
    path of the results, keeps what is intact and sends nothing";

/// What to do if the files of a job are not to be continued.
macro_rules! begin_again {
    () => {
        "or start over without these files: every row is then sent and billed again"
    };
}

impl Error {
    /// Its category for the caller.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Options(_)
            | Error::PriceMissing(_)
            | Error::PriceInvalid { .. }
            | Error::PricesInvalid(_)
            | Error::CostInvalid
            | Error::CostWithoutPrices
            | Error::PriceUnknown(_)
            | Error::SameFile(_)
            | Error::ReuseOfResults(_)
            | Error::NothingToReuse(_)
            | Error::InputColumns { .. }
            | Error::InputTwice(_)
            | Error::InputPattern { .. }
            | Error::InputHeader { .. }
            | Error::TableWithoutPrompt { .. }
            | Error::ResultsForm { .. }
            | Error::ExtractFile { .. }
            | Error::OrderWithoutFile
            | Error::RepairWithoutFile
            | Error::ResultsDiffer { .. }
            | Error::SettingDiffers { .. } => ErrorKind::Argument,
            Error::RowsMax(_) | Error::TokensMax { .. } | Error::CostMax { .. } => {
                ErrorKind::Budget
            }
            Error::Unwritten { error, .. } if error.kind() == Io::BrokenPipe => ErrorKind::Closed,
            Error::Closed => ErrorKind::Closed,
            Error::PricesUnreadable { .. }
            | Error::Input { .. }
            | Error::InputPacking { .. }
            | Error::InputForeign { .. }
            | Error::InputBroken { .. }
            | Error::Unusable(..)
            | Error::Unreadable(..)
            | Error::FolderMissing { .. }
            | Error::NamesTaken(_)
            | Error::StandardOutput(_)
            | Error::JournalMissing { .. }
            | Error::JournalHeld { .. }
            | Error::JournalForeign(_)
            | Error::JournalVersion(_)
            | Error::JournalDamaged { .. }
            | Error::ResultsHeld(_)
            | Error::ResultsGone(_)
            | Error::ResultsShorter { .. }
            | Error::ResultsChanged { .. }
            | Error::ResultsTwice { .. }
            | Error::NothingIntact(_)
            | Error::ResultsResized { .. }
            | Error::ResultsForeign { .. }
            | Error::Rewriting(..)
            | Error::Unwritten { .. }
            | Error::Unordered { .. }
            | Error::Thread(_) => ErrorKind::File,
            Error::WriterLost => ErrorKind::Internal,
        }
    }

    /// What happened, without the hint.
    pub fn what(&self) -> String {
        self.parts().0
    }

    /// The hint, if there is one; otherwise empty.
    fn parts(&self) -> (String, &'static str) {
        let here = |path: &Path| path.display().to_string();
        match self {
            Error::Options(error) => (error.to_string(), ""),
            Error::PriceMissing(direction) => {
                let (one, other) = match direction {
                    Direction::In => ("output", "input"),
                    Direction::Out => ("input", "output"),
                };
                (
                    format!(
                        "there is a price for {one} tokens, but none for {other} tokens; 0 is allowed"
                    ),
                    "",
                )
            }
            Error::PriceInvalid { direction, price } => {
                let name = match direction {
                    Direction::In => "input",
                    Direction::Out => "output",
                };
                (format!("price of {name} tokens: {}", invalid_price(*price)), "")
            }
            Error::PricesUnreadable { path, reason } => {
                (format!("{}: the prices cannot be read: {reason}", here(path)), "")
            }
            Error::PricesInvalid(what) => (what.clone(), ""),
            Error::CostInvalid => ("the maximum cost must be a number, 0 or more".to_owned(), ""),
            Error::CostWithoutPrices => (
                "a maximum cost needs prices, and there are no defaults".to_owned(),
                "Give prices, per million tokens",
            ),
            Error::PriceUnknown(model) => {
                (format!("there is a maximum cost, but no price for model \"{model}\""), "")
            }
            Error::RowsMax(most) => (format!("stopped by the maximum of {most} rows"), ""),
            Error::TokensMax { most, needs, left } => (
                format!(
                    "stopped by the maximum of {most} tokens: the next row may use {needs} and {left} are left"
                ),
                "",
            ),
            Error::CostMax { most, needs, left } => (
                format!(
                    "stopped by the maximum cost, {most}: the next row may cost {needs} and {left} is left"
                ),
                "",
            ),
            Error::SameFile(path) => (
                format!("{} is both the input and the output", here(path)),
                "Name another file for the results",
            ),
            Error::ReuseOfResults(path) => (
                format!("{} cannot be reused: it has the results of this job", here(path)),
                "Name the results of another job",
            ),
            Error::NothingToReuse(path) => (
                format!("{} cannot be reused: no line of it is a result of modelwire", here(path)),
                "Name the results of another job",
            ),
            Error::Input { name, error } => match error.kind() {
                Io::IsADirectory => (format!("{name} is a folder; name a file in it"), ""),
                Io::NotFound => (format!("{name} does not exist; check the name of the input"), ""),
                _ => (format!("cannot read {name}: {error}"), ""),
            },
            Error::InputColumns { path, format } => {
                let name = path.as_deref().map_or_else(|| "standard input".to_owned(), here);
                (format!("{name} is {format}, not JSON lines"), "")
            }
            Error::InputTwice(name) => (format!("{name} is given twice"), "Name each input once"),
            Error::InputPattern { pattern, reason } => (format!("{pattern}: {reason}"), ""),
            Error::InputHeader { name, line, fault } => (format!("{name}:{line}: {fault}"), ""),
            Error::TableWithoutPrompt { name, columns } => {
                let shown = columns.iter().take(NAMES_SHOWN_MAX).map(|name| format!("{name:?}"));
                let shown = shown.collect::<Vec<_>>().join(", ");
                let more = if columns.len() > NAMES_SHOWN_MAX { ", ..." } else { "" };
                (
                    format!("{name} is a table with the columns {shown}{more}"),
                    "Give a prompt with its columns in braces",
                )
            }
            Error::InputPacking { name, promised } => (
                format!(
                    "{name} has the file name of {promised} data, but is not {promised} data; decompress or rename it"
                ),
                "",
            ),
            Error::InputForeign { name, format } => (
                format!("{name} is {format} data"),
                "Decompress it; of packed files, gzip and zstd data are read",
            ),
            Error::InputBroken { name, packing, lines, error } => {
                let behind = match lines {
                    0 => "before its first line ended".to_owned(),
                    _ => format!("after line {lines}, the last complete one"),
                };
                let what = match (packing, error.kind()) {
                    (None, _) => format!("cannot read {name} {behind}: {error}"),
                    (Some(packing), Io::UnexpectedEof) => format!(
                        "{name} ends {behind}: its {packing} data is incomplete; it was truncated, or is \
                         still being written; get the whole file"
                    ),
                    (Some(packing), _) => format!(
                        "{name} cannot be decompressed {behind}: {error}; its {packing} data is damaged, get the \
                         file again"
                    ),
                };
                (what, "")
            }
            Error::ResultsForm { path, format } => (
                format!("{} is named like {format}, but results are JSON lines", here(path)),
                "Name a .jsonl file",
            ),
            Error::ExtractFile { extract, path, fault } => {
                (format!("{}, {}, {fault}", here(path), extract.name()), "Name another file")
            }
            Error::Unusable(path, error) => match error.kind() {
                Io::IsADirectory => (format!("{} is a folder. Name a file", here(path)), ""),
                Io::PermissionDenied | Io::ReadOnlyFilesystem => (
                    format!("{}: {error}", here(path)),
                    match path.exists() {
                        true => "Get permission to read and write it, or name another file",
                        false => "Name a file in a folder that you may write to",
                    },
                ),
                _ => (format!("{}: {error}", here(path)), ""),
            },
            Error::Unreadable(path, error) => (format!("{}: {error}", here(path)), ""),
            Error::FolderMissing { path, folder } => (
                format!(
                    "{}: there is no folder {}. Create it, or name another file",
                    here(path),
                    here(folder)
                ),
                "",
            ),
            Error::NamesTaken(folder) => {
                (format!("{}: every file name that was tried exists", here(folder)), "")
            }
            Error::StandardOutput(error) => (format!("standard output: {error}"), ""),
            Error::OrderWithoutFile => (
                "results in order, with a journal, need a file for the results".to_owned(),
                "Name one",
            ),
            Error::JournalMissing { results, journal } => (
                format!(
                    "{} already exists and has no journal ({}), so it is unknown which rows were sent",
                    here(results),
                    here(journal)
                ),
                concat!(
                    "Name another file, repair these (`modelwire bulk - -o OUT --repair`), ",
                    begin_again!()
                ),
            ),
            Error::JournalHeld { path, process } => {
                let who =
                    process.map_or_else(String::new, |process| format!(" (process {process})"));
                (
                    format!("{}: another run{who} is writing to it", here(path)),
                    "Wait until it ends, or name another file",
                )
            }
            Error::JournalForeign(path) => (
                format!("{} is not a journal of modelwire", here(path)),
                "Name another file for the journal or for the results",
            ),
            Error::JournalVersion(path) => (
                format!("{} was written by another version of modelwire", here(path)),
                concat!("Complete the job with that version, ", begin_again!()),
            ),
            Error::JournalDamaged { path, line, at, fault } => (
                format!("{}:{line}: this line, at byte {at}, is damaged: {fault}", here(path)),
                REPAIR,
            ),
            Error::ResultsDiffer { journal, before, now } => {
                let said = |name: &str| match name {
                    "" => "standard output".to_owned(),
                    name => name.to_owned(),
                };
                (
                    format!(
                        "{} is the journal of {}, but the results are to go to {}",
                        here(journal),
                        said(before),
                        said(now)
                    ),
                    "Name the same results as before, or another journal; if you renamed both files, give them \
                     their old names",
                )
            }
            Error::SettingDiffers { journal, before, now } => (
                format!("{} belongs to a job with {before}, but this run has {now}", here(journal)),
                concat!("Run it as before, or write to another file, ", begin_again!()),
            ),
            Error::ResultsHeld(path) => (
                format!("{}: another run, or the journal, already uses this file", here(path)),
                "Wait until it ends, or name another file",
            ),
            Error::ResultsGone(path) => (
                format!("{} is missing, but its journal lists results in it", here(path)),
                concat!("Restore it to continue; ", begin_again!()),
            ),
            Error::ResultsShorter { path, found, known } => (
                format!(
                    "{} has {found} bytes, but its journal lists {known}: results were removed from it",
                    here(path)
                ),
                REPAIR,
            ),
            Error::ResultsChanged { path, from, to } => (
                format!(
                    "{} was changed: bytes {from} to {to} are not the result that its journal lists",
                    here(path)
                ),
                REPAIR,
            ),
            Error::ResultsResized { path, found, known } => (
                format!(
                    "{} has {found} bytes, but its journal lists {known}: it was changed",
                    here(path)
                ),
                REPAIR,
            ),
            Error::ResultsForeign { path, at } => (
                format!("{}: after byte {at} there is something that is not a result", here(path)),
                REPAIR,
            ),
            Error::ResultsTwice { path, key, at } => (
                format!("{}: after byte {at} there is a second result of row {key:?}", here(path)),
                REPAIR,
            ),
            Error::NothingIntact(path) => (
                format!(
                    "{} has no intact result, and no journal: it cannot be repaired",
                    here(path)
                ),
                "",
            ),
            Error::RepairWithoutFile => (
                "only results in a file, with their journal, can be repaired".to_owned(),
                "Name the file",
            ),
            Error::Rewriting(path, error) => {
                (format!("{}: {error}, while removing failed rows from it", here(path)), "")
            }
            Error::Unwritten { name, error, kept } => {
                (format!("{name}: {}{kept}", said(error)), "")
            }
            Error::Unordered { path, arrivals, error } => {
                let (name, advice) = match path {
                    Some(path) => {
                        (here(path), "Fix that, and run the job again: it puts them in order")
                    }
                    None => ("standard output".to_owned(), ""),
                };
                let (said, arrivals) = (said(error), here(arrivals));
                (
                    format!("{name}: {said}. All results are in {arrivals}, in order of arrival"),
                    advice,
                )
            }
            Error::Closed => (String::new(), ""),
            Error::Thread(error) => (
                format!("a thread cannot be started: {error}"),
                "Raise the limit on threads (ulimit -u), or end some",
            ),
            Error::WriterLost => {
                ("the thread that writes results ended unexpectedly".to_owned(), "")
            }
        }
    }
}

/// A description of a file error.
pub fn said(error: &io::Error) -> String {
    match error.kind() {
        Io::StorageFull => "no space left on the device".to_owned(),
        Io::QuotaExceeded => "the disk quota is exceeded".to_owned(),
        Io::FileTooLarge => {
            "the file may not grow: a limit of this process (ulimit -f) or of the file system"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

/// What happened, and what to do.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (what, "") => f.write_str(&what),
            (what, advice) => write!(f, "{what}. {advice}"),
        }
    }
}

impl std::error::Error for Error {}

impl fmt::Display for OptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionsError::PromptWithoutModel => f.write_str("prompts need a model; give one"),
            OptionsError::SystemWithoutPrompt => f.write_str(
                "a system message needs prompts; a row that is a whole request has its own messages",
            ),
            OptionsError::ModelEmpty => f.write_str("the model is empty; give the name of one"),
            OptionsError::Member { name, json, fault } => {
                let fault = match fault {
                    MemberFault::Twice => "is given twice; remove one of them",
                    MemberFault::Unnamed => "has no name",
                    MemberFault::Model => "is the model; set it with the option for it",
                    MemberFault::Stream => "cannot be set",
                    MemberFault::NotJson => "has no JSON after its =; a string needs quotes",
                };
                write!(f, "member {name}={json} {fault}")
            }
        }
    }
}

/// The sentence after a write error.
impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let go_on = "run the job again: it resumes from there";
        match self {
            Kept::All => {
                write!(f, ". All results that arrived are written. Fix that, and {go_on}")
            }
            Kept::File { count, path, belongs: Some(results) } => write!(
                f,
                ". {count} results that arrived but could not be written there are in {}. Fix that, add them to {}, \
                 and {go_on}",
                path.display(),
                results.display()
            ),
            Kept::File { count, path, belongs: None } => {
                write!(
                    f,
                    ". {count} results that arrived but could not be written there are in {}",
                    path.display()
                )
            }
            Kept::StandardError { count } => write!(
                f,
                ". {count} results that arrived but could not be written there are above, on standard error: \
                 add them to the results, fix that, and {go_on}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bare messages of the system do not say what limits there are.
    #[test]
    fn a_limit_on_what_is_written_is_named() {
        for (kind, says) in [
            (Io::StorageFull, "no space left on the device"),
            (Io::QuotaExceeded, "the disk quota is exceeded"),
            (Io::FileTooLarge, "ulimit -f"),
        ] {
            assert!(said(&kind.into()).contains(says), "{kind:?}");
        }
    }

    #[test]
    fn a_folder_that_may_not_be_written_to_has_an_advice() {
        for kind in [Io::PermissionDenied, Io::ReadOnlyFilesystem] {
            let error = Error::Unusable("out.jsonl".into(), kind.into());
            assert!(error.to_string().contains("a folder that you may write to"), "{error}");
            let error = Error::Unusable("Cargo.toml".into(), kind.into());
            assert!(error.to_string().contains("permission to read and write it"), "{error}");
        }
        let error = Error::Unusable("out.jsonl".into(), Io::IsADirectory.into());
        assert!(error.to_string().contains("is a folder"), "{error}");
    }

    #[test]
    fn what_cannot_be_written_beside_the_results_is_named() {
        for (extract, name) in [
            (Extract::Errors, "the file for failed rows"),
            (Extract::Csv, "the file for the table"),
        ] {
            assert_eq!(extract.name(), name);
        }
    }

    #[test]
    fn an_input_that_breaks_off_says_where() {
        for (lines, says) in [(0, "in before its first line ended"), (3, "in after line 3, ")] {
            let error = Io::ConnectionReset.into();
            let broken = Error::InputBroken { name: "in".to_owned(), packing: None, lines, error };
            assert!(broken.to_string().contains(says), "{broken}");
        }
    }

    #[test]
    fn a_reader_that_went_away_is_no_failure_of_a_file() {
        let unwritten = |kind: Io| Error::Unwritten {
            name: "-".to_owned(),
            error: kind.into(),
            kept: Kept::All,
        };
        assert_eq!(unwritten(Io::BrokenPipe).kind(), ErrorKind::Closed);
        assert_eq!(unwritten(Io::StorageFull).kind(), ErrorKind::File);
    }

    #[test]
    fn as_many_columns_as_fit_are_named() {
        let named = |count: usize| {
            let columns = (0..count).map(|number| format!("c{number}")).collect();
            Error::TableWithoutPrompt { name: "rows.csv".to_owned(), columns }.to_string()
        };
        let last = format!("\"c{}\"", NAMES_SHOWN_MAX - 1);
        assert!(named(NAMES_SHOWN_MAX).contains(&last) && !named(NAMES_SHOWN_MAX).contains("..."));
        let more = named(NAMES_SHOWN_MAX + 1);
        assert!(more.contains(&format!("{last}, ...")), "{more}");
    }
}
