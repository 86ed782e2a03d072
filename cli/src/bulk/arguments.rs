//! The arguments of `modelwire bulk`, in the groups of its help.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use modelwire::Endpoint;
use modelwire_bulk::checks::Check;
use modelwire_bulk::input::Template;
use modelwire_bulk::row::Shard;

/// Maximum seconds of an option: a month.
const SECONDS_MAX: f64 = 31.0 * 24.0 * 3600.0;

/// Run every request in files, and write the results
///
/// Each row is recorded before it is sent and when it ends: a run that was stopped for any reason resumes
/// when it is started again with the same output. No row is lost, and rows whose outcome is unknown
/// are listed in OUT.jsonl.unknown.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Bulk {
    /// The rows. Each line is a JSON object: a request or a line of OpenAI's batch format; with --prompt, any
    /// object, or a record of a .csv or .tsv file. `-` is standard input; files ending in .gz or .zst are
    /// decompressed; a pattern such as 'part-*.jsonl' is expanded
    #[arg(value_name = "IN.jsonl", required = true)]
    pub(crate) inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) writing: Writing,
    #[command(flatten)]
    pub(crate) rate: Rate,
    #[command(flatten)]
    pub(crate) answers: Answers,
    #[command(flatten)]
    pub(crate) money: Money,
    #[command(flatten)]
    pub(crate) resume: Resume,
    #[command(flatten)]
    pub(crate) shown: Shown,
}

/// How lines become requests.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct Reading {
    /// The model for rows that name none
    #[arg(short, long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// The operation of rows that do not imply one: chat or responses
    #[arg(long, value_name = "OPERATION")]
    pub(crate) operation: Option<Operation>,

    /// The prompt, with fields of the line in braces, `Translate {text}` for instance; each line is then
    /// any object
    #[arg(long, value_name = "TEXT")]
    pub(crate) prompt: Option<Template>,

    /// The system message for each prompt
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) system: Option<String>,

    /// The field that names each row [default: custom_id, or else a hash of the row's content]
    #[arg(long, value_name = "FIELD")]
    pub(crate) id_field: Option<String>,

    /// A field to add to requests that lack it, `max_tokens=100` for instance; may be repeated
    #[arg(long, value_name = "NAME=JSON", value_parser = member)]
    pub(crate) default: Vec<(String, String)>,

    /// Send rows with the same operation and body once, and copy the outcome to the others
    #[arg(long)]
    pub(crate) once: bool,

    /// Do not send rows whose operation and body are answered in these results of another job, and copy the
    /// answers; may be repeated
    #[arg(long, value_name = "OLD.jsonl")]
    pub(crate) reuse: Vec<PathBuf>,

    /// Run part i of n, for n machines; a row is always in the same part
    #[arg(long, value_name = "i/n")]
    pub(crate) shard: Option<Shard>,

    /// Report invalid lines as failures instead of stopping
    #[arg(long)]
    pub(crate) skip_bad_lines: bool,

    /// Accept an input without rows, which is otherwise an error
    #[arg(long)]
    pub(crate) allow_empty: bool,
}

/// The operation of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Operation {
    /// Chat completions
    Chat,
    /// Responses
    Responses,
}

impl From<Operation> for Endpoint {
    fn from(operation: Operation) -> Endpoint {
        match operation {
            Operation::Chat => Endpoint::Chat,
            Operation::Responses => Endpoint::Responses,
        }
    }
}

/// Where results go.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct Writing {
    /// The file for results, in OpenAI's batch output format; the journal is next to it. `-` is standard
    /// output; a file ending in .gz or .zst is compressed
    #[arg(short, long, value_name = "OUT.jsonl")]
    pub(crate) output: PathBuf,

    /// The file for the failed rows, in the form of the error file of OpenAI's batches; replaced at the
    /// end of each run. OUT.jsonl has them, too
    #[arg(long, value_name = "FILE")]
    pub(crate) errors: Option<PathBuf>,

    /// A CSV file of the results, for a spreadsheet: custom_id, answer, error and more; replaced at the end of
    /// each run
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) csv: Option<PathBuf>,

    /// Write results in the order of the input, once all have arrived
    #[arg(long)]
    pub(crate) ordered: bool,

    /// Start over: discard the results and journal of earlier runs
    #[arg(long)]
    pub(crate) overwrite: bool,

    /// The file for the journal [default: OUT.jsonl.journal]
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
}

/// How fast, and how often.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Rate")]
pub(crate) struct Rate {
    /// Maximum rows of one model in flight (at each service); the job adapts to the service below that
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_concurrency: Option<u32>,

    /// Maximum requests per minute, for each model (at each service)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) rpm: Option<f64>,

    /// Maximum tokens per minute, input and output, for each model (at each service)
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) tpm: Option<f64>,

    /// Maximum attempts of a row that is rate-limited (429), the first included
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) attempts: u32,

    /// The longest Retry-After that is obeyed; a row for which the service asks for more fails
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub(crate) retry_after_max: Duration,

    /// How long the service may be unreachable, or rate-limit (429) or fail every row, before the run stops
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = seconds)]
    pub(crate) patience: Duration,

    /// Retry rows after 5xx, lost connections and timeouts, up to 5 attempts in all: they may be billed
    /// more than once
    #[arg(long)]
    pub(crate) may_pay_twice: bool,
}

/// Which answers are accepted.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Answers")]
pub(crate) struct Answers {
    /// Fail answers that do not match the response_format of their row (schema), end at their token limit
    /// (length) or are refusals (refusal); may be repeated
    #[arg(long, value_name = "CHECK", value_delimiter = ',', value_parser = check())]
    pub(crate) check: Vec<Check>,

    /// Send a row again, up to N times, if its answer fails a check; each answer is billed [default: 0]
    #[arg(long, value_name = "N", requires = "check")]
    pub(crate) ask_again: Option<u32>,
}

/// What it may cost.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Money")]
pub(crate) struct Money {
    /// Run a sample of N rows first, estimate what all of them will use, and ask before the rest
    /// [default: 20 on a terminal, for more than 1000 rows]
    #[arg(long, value_name = "N")]
    pub(crate) pilot: Option<u64>,

    /// Skip the pilot
    #[arg(long, conflicts_with = "pilot")]
    pub(crate) no_pilot: bool,

    /// Continue after the pilot without asking
    #[arg(short, long)]
    pub(crate) yes: bool,

    /// The price per million input tokens
    #[arg(long, value_name = "PRICE")]
    pub(crate) price_in: Option<f64>,

    /// The price per million output tokens
    #[arg(long, value_name = "PRICE")]
    pub(crate) price_out: Option<f64>,

    /// Prices by model: {"a-model": {"in": 0.5, "out": 1.5, "cached_in": 0.1}}
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,

    /// Stop before the run costs more than this; needs prices
    #[arg(long, value_name = "COST")]
    pub(crate) max_cost: Option<f64>,

    /// Stop before the run uses more than N tokens, input and output, all rows together
    #[arg(long, value_name = "N")]
    pub(crate) max_total_tokens: Option<u64>,

    /// Stop after N rows
    #[arg(long, value_name = "N")]
    pub(crate) max_rows: Option<u64>,
}

/// What becomes of the rows of earlier runs.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Resume")]
pub(crate) struct Resume {
    /// What to do with rows that an earlier run sent and whose outcome is unknown: send them again (they may
    /// be billed twice), or skip them
    #[arg(long, value_name = "HOW", default_value = "send")]
    pub(crate) unknown: Unknown,

    /// What to do with rows whose custom_id had different content in an earlier run: stop before anything is
    /// sent, run them (the new
    /// results replace the old ones), or skip them
    #[arg(long, value_name = "HOW", default_value = "refuse")]
    pub(crate) changed: Changed,

    /// Run failed rows again; their old results are removed
    #[arg(long)]
    pub(crate) retry_failed: bool,

    /// Print what would be run, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Rebuild damaged results and their journal from what is intact, and send nothing; the damaged files are
    /// kept, and IN.jsonl is not read
    #[arg(long, conflicts_with_all = ["dry_run", "overwrite", "retry_failed"])]
    pub(crate) repair: bool,
}

/// What becomes of rows that were sent without a known outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unknown {
    /// Send them again
    Send,
    /// Do not send them: they stay unknown
    Skip,
}

/// What becomes of rows whose content is another than before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Changed {
    /// End before anything is sent
    Refuse,
    /// Run them as new rows
    Run,
    /// Skip them
    Skip,
}

/// What is shown meanwhile.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Progress")]
pub(crate) struct Shown {
    /// Show no progress and no notes
    #[arg(short, long)]
    pub(crate) quiet: bool,

    /// Write progress as JSON lines to standard error
    #[arg(long)]
    pub(crate) json_progress: bool,

    /// Run this with the shell when the run has ended, however it ended; variables MODELWIRE_BULK_... say how
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_end: Option<String>,
}

fn check() -> impl TypedValueParser<Value = Check> {
    let names = Check::NAMED.map(Check::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

fn member(given: &str) -> Result<(String, String), String> {
    let pair = given.split_once('=').map(|(name, json)| (name.to_owned(), json.to_owned()));
    pair.ok_or_else(|| "write NAME=JSON, max_tokens=100 for instance".to_owned())
}

pub(super) fn positive(given: &str) -> Result<f64, String> {
    let number = given.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "give a number above 0".to_owned())
}

fn seconds(given: &str) -> Result<Duration, String> {
    let seconds = given.parse().ok().filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds));
    let wrong = || format!("give seconds, from 0 to {SECONDS_MAX}");
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(wrong)
}
