//! What can go wrong with a bulk job, as data: an error says what happened and what to do in plain words,
//! and a program with words of its own (options, commands) builds its message from the same data.

use std::fmt;
use std::io::{self, ErrorKind as Io};
use std::path::{Path, PathBuf};

use crate::money::{Money, invalid_price};

/// What an error is for whoever called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// Options or rows are wrong; nothing was sent on their account.
    Argument,
    /// A budget is used up.
    Budget,
    /// A file cannot be read or written, or is not as an earlier run left it.
    File,
    /// Whoever read the results closed them.
    Closed,
    /// A fault of the system or of this crate.
    Internal,
}

/// Why a job, or a part of it, cannot go on.
#[derive(Debug)]
pub enum Error {
    /// Options of rows do not fit each other.
    Options(OptionsError),
    /// There is a price for one direction, and none for the other.
    PriceMissing(Direction),
    /// A number is no price.
    PriceInvalid {
        /// Which of the two prices.
        direction: Direction,
        /// The number.
        price: f64,
    },
    /// A file of prices cannot be read.
    PricesUnreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A file of prices says something else: where, and what.
    PricesInvalid(String),
    /// The maximum of cost is no number.
    CostInvalid,
    /// There is a maximum of cost and no price.
    CostWithoutPrices,
    /// There is a maximum of cost and no price for this model.
    PriceUnknown(String),
    /// As many rows began as may.
    RowsMax(u64),
    /// The next row may use more tokens than are left.
    TokensMax {
        /// The maximum.
        most: u64,
        /// What the next row may use.
        needs: u64,
        /// What is left.
        left: u64,
    },
    /// The next row may cost more than is left.
    CostMax {
        /// The maximum.
        most: Money,
        /// What the next row may cost.
        needs: Money,
        /// What is left.
        left: Money,
    },
    /// The input and the results are one file.
    SameFile(PathBuf),
    /// The input cannot be opened.
    Input {
        /// As messages name it.
        name: String,
        /// Why.
        error: io::Error,
    },
    /// The input is a file of columns, and no lines.
    InputColumns {
        /// The file; `None` is standard input.
        path: Option<PathBuf>,
        /// The name of its format.
        format: &'static str,
    },
    /// The name of the input promises a packing that it does not have.
    InputPacking {
        /// As messages name it.
        name: String,
        /// What it promises.
        promised: &'static str,
    },
    /// The input broke off.
    InputBroken {
        /// As messages name it.
        name: String,
        /// How it is packed, where it is.
        packing: Option<&'static str>,
        /// Its whole lines before that.
        lines: u64,
        /// Why.
        error: io::Error,
    },
    /// A file cannot be opened, made or written.
    Unusable(PathBuf, io::Error),
    /// A file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The folder of a file is not there.
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
    /// There are results and no journal beside them.
    JournalMissing {
        /// The results.
        results: PathBuf,
        /// Where their journal would be.
        journal: PathBuf,
    },
    /// Another run holds the journal.
    JournalHeld {
        /// The journal.
        path: PathBuf,
        /// The process, as the journal names it.
        process: Option<u64>,
    },
    /// The file of the journal is none.
    JournalForeign(PathBuf),
    /// A line of the journal is damaged.
    JournalDamaged {
        /// The journal.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// The journal is that of other results; a name is empty for standard output.
    ResultsDiffer {
        /// The journal.
        journal: PathBuf,
        /// The results that it names.
        before: String,
        /// Those of this run.
        now: String,
    },
    /// The journal is that of a job with another setting.
    SettingDiffers {
        /// The journal.
        journal: PathBuf,
        /// What that job had.
        before: String,
        /// What this run has.
        now: String,
    },
    /// Another run holds the results.
    ResultsHeld(PathBuf),
    /// The journal knows of results in a file that is gone.
    ResultsGone(PathBuf),
    /// The results have fewer bytes than the journal knows of.
    ResultsShorter {
        /// The results.
        path: PathBuf,
        /// What there is, in bytes.
        found: u64,
        /// What the journal knows of.
        known: u64,
    },
    /// What the journal knows of is not where it was.
    ResultsChanged(PathBuf),
    /// Results that were put in order have another size than then.
    ResultsResized {
        /// The results.
        path: PathBuf,
        /// What there is, in bytes.
        found: u64,
        /// What the journal knows of.
        known: u64,
    },
    /// Behind the results stands something else.
    ResultsForeign {
        /// The results.
        path: PathBuf,
        /// Where that begins, in bytes.
        at: u64,
    },
    /// The rows that failed cannot be taken out of the results.
    Rewriting(PathBuf, io::Error),
    /// Results or journal cannot be written any more.
    Unwritten {
        /// The file, as messages name it.
        name: String,
        /// Why.
        error: io::Error,
        /// What became of results that came nevertheless.
        kept: Kept,
    },
    /// Results cannot be put in order.
    Unordered {
        /// Where they should be; `None` is standard output.
        path: Option<PathBuf>,
        /// Where they are as they came.
        arrivals: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Whoever read the results closed them.
    Closed,
    /// A thread cannot be started.
    Thread(io::Error),
    /// The thread that writes results broke off.
    WriterLost,
}

/// Which options of rows do not fit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionsError {
    /// Prompts become requests, which need a model.
    PromptWithoutModel,
    /// A system message goes with prompts alone.
    SystemWithoutPrompt,
    /// The model has no name.
    ModelEmpty,
    /// A member that is set where a body lacks it.
    Member {
        /// Its name.
        name: String,
        /// Its JSON.
        json: String,
        /// What is wrong with it.
        fault: MemberFault,
    },
}

/// What is wrong with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberFault {
    /// It is given twice.
    Twice,
    /// It has no name.
    Unnamed,
    /// It is the model, which has an option of its own.
    Model,
    /// It is `stream`, which the client sets.
    Stream,
    /// It is no JSON.
    NotJson,
}

/// Which tokens a price is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Those that go in.
    In,
    /// Those that come out.
    Out,
}

/// What became of results that came and could not be written where they belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// There are none: all that came are written.
    All,
    /// They are in another file.
    File {
        /// How many.
        count: usize,
        /// The file.
        path: PathBuf,
        /// What they can be added to.
        belongs: Option<PathBuf>,
    },
    /// They are on standard error.
    StandardError {
        /// How many.
        count: usize,
    },
}

/// What to do where files of a job are not as it left them.
macro_rules! begin_again {
    () => {
        "or begin again without these files, which sends and pays every row again"
    };
}

impl Error {
    /// What it is for whoever called.
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
            | Error::InputColumns { .. }
            | Error::OrderWithoutFile
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
            | Error::InputBroken { .. }
            | Error::Unusable(..)
            | Error::Unreadable(..)
            | Error::FolderMissing { .. }
            | Error::NamesTaken(_)
            | Error::StandardOutput(_)
            | Error::JournalMissing { .. }
            | Error::JournalHeld { .. }
            | Error::JournalForeign(_)
            | Error::JournalDamaged { .. }
            | Error::ResultsHeld(_)
            | Error::ResultsGone(_)
            | Error::ResultsShorter { .. }
            | Error::ResultsChanged(_)
            | Error::ResultsResized { .. }
            | Error::ResultsForeign { .. }
            | Error::Rewriting(..)
            | Error::Unwritten { .. }
            | Error::Unordered { .. } => ErrorKind::File,
            Error::Thread(_) | Error::WriterLost => ErrorKind::Internal,
        }
    }

    /// What happened, without what to do.
    pub fn what(&self) -> String {
        self.parts().0
    }

    /// What happened, and what to do where that is more; empty otherwise.
    fn parts(&self) -> (String, &'static str) {
        let here = |path: &Path| path.display().to_string();
        match self {
            Error::Options(error) => (error.to_string(), ""),
            Error::PriceMissing(direction) => {
                let (one, other) = match direction {
                    Direction::In => ("out", "in"),
                    Direction::Out => ("in", "out"),
                };
                (
                    format!(
                        "there is a price of tokens {one}, and none of tokens {other}; 0 is a price"
                    ),
                    "",
                )
            }
            Error::PriceInvalid { direction, price } => {
                let name = match direction {
                    Direction::In => "in",
                    Direction::Out => "out",
                };
                (format!("price of tokens {name}: {}", invalid_price(*price)), "")
            }
            Error::PricesUnreadable { path, reason } => {
                (format!("{}: the prices cannot be read: {reason}", here(path)), "")
            }
            Error::PricesInvalid(what) => (what.clone(), ""),
            Error::CostInvalid => ("the maximum of cost is not a number from 0".to_owned(), ""),
            Error::CostWithoutPrices => (
                "a maximum of cost needs prices, and none are built in".to_owned(),
                "Give prices, for a million tokens",
            ),
            Error::PriceUnknown(model) => {
                (format!("there is a maximum of cost, and no price for model \"{model}\""), "")
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
                    "stopped by the maximum of cost, {most}: the next row may cost {needs} and {left} is left"
                ),
                "",
            ),
            Error::SameFile(path) => (
                format!("{} is the input and the output", here(path)),
                "Name another file for the results",
            ),
            Error::Input { name, error } => match error.kind() {
                Io::IsADirectory => (format!("{name} is a folder; name a file in it"), ""),
                Io::NotFound => (format!("{name} is not there; check the name of the input"), ""),
                _ => (format!("cannot read {name}: {error}"), ""),
            },
            Error::InputColumns { path, format } => {
                let name = path.as_deref().map_or_else(|| "standard input".to_owned(), here);
                (format!("{name} is {format}, not JSON lines"), "")
            }
            Error::InputPacking { name, promised } => (
                format!(
                    "{name} is named as {promised}, but does not begin as {promised} does; unpack it or name \
                     it otherwise"
                ),
                "",
            ),
            Error::InputBroken { name, packing, lines, error } => {
                let behind = match lines {
                    0 => "before its first line ended".to_owned(),
                    _ => format!("after line {lines}, the last whole one"),
                };
                let what = match (packing, error.kind()) {
                    (None, _) => format!("cannot read {name} {behind}: {error}"),
                    (Some(packing), Io::UnexpectedEof) => format!(
                        "{name} breaks off {behind}: its {packing} data has no end; it was cut, or is still \
                         being written; get the whole file"
                    ),
                    (Some(packing), _) => format!(
                        "{name} cannot be unpacked {behind}: {error}; its {packing} data is damaged, get the \
                         file again"
                    ),
                };
                (what, "")
            }
            Error::Unusable(path, error) => match error.kind() {
                Io::IsADirectory => (format!("{} is a folder. Name a file", here(path)), ""),
                Io::PermissionDenied | Io::ReadOnlyFilesystem => (
                    format!("{}: {error}", here(path)),
                    "Name a file in a folder that you may write to",
                ),
                _ => (format!("{}: {error}", here(path)), ""),
            },
            Error::Unreadable(path, error) => (format!("{}: {error}", here(path)), ""),
            Error::FolderMissing { path, folder } => (
                format!(
                    "{}: there is no folder {}. Make it, or name another file",
                    here(path),
                    here(folder)
                ),
                "",
            ),
            Error::NamesTaken(folder) => (format!("{}: no name is free", here(folder)), ""),
            Error::StandardOutput(error) => (format!("standard output: {error}"), ""),
            Error::OrderWithoutFile => (
                "results in order, with a journal, need a file for the results".to_owned(),
                "Name one",
            ),
            Error::JournalMissing { results, journal } => (
                format!(
                    "{} is there already and has no journal ({}), so it is not known which rows were sent",
                    here(results),
                    here(journal)
                ),
                concat!("Name another file, ", begin_again!()),
            ),
            Error::JournalHeld { path, process } => {
                let who =
                    process.map_or_else(String::new, |process| format!(" (process {process})"));
                (
                    format!("{}: another run{who} is writing to it", here(path)),
                    "Wait for its end, or name another file",
                )
            }
            Error::JournalForeign(path) => (
                format!("{} is no journal of modelwire", here(path)),
                "Name another file for the journal or for the results",
            ),
            Error::JournalDamaged { path, line } => (
                format!(
                    "{}:{line}: this line is damaged, so it is not known which rows were sent",
                    here(path)
                ),
                concat!("Put back an intact copy of the journal; ", begin_again!()),
            ),
            Error::ResultsDiffer { journal, before, now } => {
                let said = |name: &str| match name {
                    "" => "standard output".to_owned(),
                    name => name.to_owned(),
                };
                (
                    format!(
                        "{} is the journal of {}, and the results are to go to {}",
                        here(journal),
                        said(before),
                        said(now)
                    ),
                    "Name the same results as before, or another journal",
                )
            }
            Error::SettingDiffers { journal, before, now } => (
                format!("{} belongs to a job with {before}, and this run has {now}", here(journal)),
                concat!("Run it as before, or write to another file, ", begin_again!()),
            ),
            Error::ResultsHeld(path) => (
                format!(
                    "{}: another run, or the journal, has this file under this name or another",
                    here(path)
                ),
                "Wait for its end, or name another file",
            ),
            Error::ResultsGone(path) => (
                format!("{} is gone, and its journal knows of results in it", here(path)),
                concat!("Put it back to go on; ", begin_again!()),
            ),
            Error::ResultsShorter { path, found, known } => (
                format!(
                    "{} has {found} bytes, and its journal knows of {known}: results were taken out of it",
                    here(path)
                ),
                concat!("Put them back to go on; ", begin_again!()),
            ),
            Error::ResultsChanged(path) => (
                format!(
                    "{} was changed: what its journal knows of is not where it was",
                    here(path)
                ),
                concat!("Put back the results as they were to go on; ", begin_again!()),
            ),
            Error::ResultsResized { path, found, known } => (
                format!(
                    "{} has {found} bytes, and its journal knows of {known}: it was changed",
                    here(path)
                ),
                concat!("Put back the results as they were to go on; ", begin_again!()),
            ),
            Error::ResultsForeign { path, at } => (
                format!("{}: behind byte {at} stands something that is no result", here(path)),
                "Take it out, and run the job again",
            ),
            Error::Rewriting(path, error) => (
                format!("{}: {error}, while the rows that failed were taken out of it", here(path)),
                "",
            ),
            Error::Unwritten { name, error, kept } => {
                (format!("{name}: {}{kept}", said(error)), "")
            }
            Error::Unordered { path, arrivals, error } => {
                let (name, advice) = match path {
                    Some(path) => {
                        (here(path), "Put that right, and run the job again: it puts them in order")
                    }
                    None => ("standard output".to_owned(), ""),
                };
                let (said, arrivals) = (said(error), here(arrivals));
                (format!("{name}: {said}. All results are in {arrivals}, as they came"), advice)
            }
            Error::Closed => (String::new(), ""),
            Error::Thread(error) => (format!("no thread: {error}"), ""),
            Error::WriterLost => ("the thread that writes results broke off".to_owned(), ""),
        }
    }
}

/// An error of a file in words.
pub fn said(error: &io::Error) -> String {
    match error.kind() {
        Io::StorageFull => "there is no room left on the device".to_owned(),
        Io::QuotaExceeded => "the quota of disk space is used up".to_owned(),
        Io::FileTooLarge => {
            "the file may not become larger: a limit of this process (ulimit -f) or of the file system".to_owned()
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
                "a system message goes with prompts; a row that is a whole request has its own messages",
            ),
            OptionsError::ModelEmpty => f.write_str("the model is empty; give the name of one"),
            OptionsError::Member { name, json, fault } => {
                let fault = match fault {
                    MemberFault::Twice => "is given twice; leave one of them out",
                    MemberFault::Unnamed => "has no name",
                    MemberFault::Model => "is the model; give that by itself",
                    MemberFault::Stream => "is not for you to choose",
                    MemberFault::NotJson => "has no JSON behind its =; a text has quotes",
                };
                write!(f, "member {name}={json} {fault}")
            }
        }
    }
}

/// Behind what could not be written.
impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let go_on = "run the job again: it goes on from there";
        match self {
            Kept::All => {
                write!(f, ". All results that came are written. Put that right, and {go_on}")
            }
            Kept::File { count, path, belongs: Some(results) } => write!(
                f,
                ". {count} results that came nevertheless are in {}. Put that right, add them to {}, and {go_on}",
                path.display(),
                results.display()
            ),
            Kept::File { count, path, belongs: None } => {
                write!(f, ". {count} results that came nevertheless are in {}", path.display())
            }
            Kept::StandardError { count } => write!(
                f,
                ". {count} results that came nevertheless stand above, on standard error: add them to the \
                 results, put that right, and {go_on}"
            ),
        }
    }
}
