//! The progress of a job on standard error: a bar on a terminal, JSON lines for programs, otherwise
//! nothing.
//!
//! # How the job uses it
//!
//! ```text
//! let mut progress = Progress::new(How::choose(quiet, json_progress));
//! loop {
//!     engine.turn(progress.interval());
//!     if progress.is_due(Instant::now()) {             // cheap: ask each turn
//!         progress.show(Instant::now(), &state);       // the sums, from tally, budget and engine
//!     }
//!     while let Some(line) = budget.notice() { progress.note(&line); }
//! }
//! progress.end(Instant::now(), &state);                // the bar goes; then print the summary
//! ```
//!
//! While the bar is shown, ask and print nothing directly: [`Progress::note`] prints above it, and
//! [`Progress::aside`] hides it during other output or a question.
//!
//! # `--json-progress`
//!
//! One object per line, each second and at the end:
//!
//! | member | meaning |
//! |---|---|
//! | `event` | `progress`; `note`, with `text`; `pilot`, with its results; `end`, the last, with more members (see `summary`) |
//! | `phase` | `reading` (the input, before anything is sent; then with `rows_read` and `share_read`), `running`, `pilot`, `pausing` (the service is unreachable, or fails every row), `draining` (nothing new is sent), `writing` |
//! | `elapsed_s` | seconds since the run began |
//! | `total` | rows of the job; null if the input cannot be counted in advance |
//! | `before` | of those, rows that earlier runs ended |
//! | `done`, `failed` | rows that succeeded and failed in this run |
//! | `equal`, `reused` | of those, rows that were not sent: they got a copy of the outcome of an equal row; of an answer of another job |
//! | `in_flight`, `concurrency_limit`, `starts_per_s` | requests in flight (a row that waits for its retry is not in flight); the concurrency limit; the rate limit of starts (null if none was found) |
//! | `attempts`, `rate_limited` | attempts sent; those that were rate limited (429) |
//! | `asked_again` | answers that failed a check and were asked again |
//! | `tokens_in`, `tokens_cached_in`, `tokens_out` | as the answers report them |
//! | `cost` | of these, in the currency of the prices; null without prices |
//! | `rows_per_s`, `tokens_per_s` | over the last 20 seconds |
//! | `eta_s` | seconds to the end at this rate; null if unknown |

mod rate;
mod text;

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use console::Term;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use modelwire_bulk::prices::{Money, Tokens};

use self::rate::Rate;
use self::text::{Speed, details, members, object, position, reading, reading_members};

/// Minimum interval between redraws of the bar.
pub const DRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Minimum interval between JSON lines.
pub const JSON_INTERVAL: Duration = Duration::from_secs(1);

/// How long the input is read before that is shown.
const READING_QUIET: Duration = Duration::from_secs(1);

/// Maximum wait between turns if there is nothing to show.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// More than `DRAW_INTERVAL` needs, so that indicatif skips no redraw.
const DRAWS_PER_SECOND_MAX: u8 = 20;

/// Maximum width of the bar, on any terminal.
const WIDTH_MAX: usize = 120;

/// The length of the bar while the input is read.
const SHARE_PARTS: u64 = 1_000;

/// Minimum width of the bar: numbers are shortened first.
const BAR_WIDTH_MIN: usize = 10;

/// The width if that of the terminal is unknown.
const WIDTH_UNKNOWN: usize = 80;

/// Members of a JSON object, in order; the names need no escape.
pub type Members = Vec<(&'static str, serde_json::Value)>;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing, not even notes.
    Quiet,
    /// Only notes, as lines.
    Notes,
    /// A bar that is redrawn.
    Bar,
    /// JSON lines.
    Json,
}

impl How {
    /// From the options and standard error: a bar needs a terminal that can move its cursor.
    pub fn choose(quiet: bool, json: bool) -> How {
        match (json, quiet) {
            (true, _) => How::Json,
            (false, true) => How::Quiet,
            (false, false) if std::io::stderr().is_terminal() && !console::is_dumb() => How::Bar,
            (false, false) => How::Notes,
        }
    }
}

/// The phase of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// It reads its input, before anything is sent.
    Reading,
    /// It runs its rows.
    #[default]
    Running,
    /// It runs the sample.
    Pilot,
    /// The service is unreachable, or fails every row; the job waits.
    Pausing,
    /// Nothing new is sent; rows in flight finish.
    Draining,
    /// All rows are answered; results are being written.
    Writing,
}

impl Phase {
    /// A stable name in snake case.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Running => "running",
            Phase::Pilot => "pilot",
            Phase::Pausing => "pausing",
            Phase::Draining => "draining",
            Phase::Writing => "writing",
        }
    }
}

/// The state of a job: sums over all its models.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// The phase.
    pub phase: Phase,
    /// Rows of the job, including those of earlier runs; `None` if the input cannot be counted in advance.
    pub total: Option<u64>,
    /// Rows that earlier runs ended.
    pub before: u64,
    /// Rows that succeeded in this run.
    pub done: u64,
    /// Rows that failed in this run.
    pub failed: u64,
    /// Of those, rows that were not sent, because an equal row of this job was.
    pub equal: u64,
    /// Of those, rows that were not sent, because another job has their answer.
    pub reused: u64,
    /// Attempts in flight.
    pub in_flight: u32,
    /// The concurrency limit.
    pub concurrency_limit: u32,
    /// Starts per second, if the service was found to limit them.
    pub rate: Option<f64>,
    /// Attempts sent.
    pub attempts: u64,
    /// Attempts that were rate limited (429).
    pub rate_limited: u64,
    /// Answers that failed a check and were asked again.
    pub asked_again: u64,
    /// As the answers report them.
    pub tokens: Tokens,
    /// The cost of these tokens, if prices are known.
    pub cost: Option<Money>,
}

impl State {
    /// Rows that have an outcome.
    pub fn ended(&self) -> u64 {
        self.before.saturating_add(self.done).saturating_add(self.failed)
    }
}

/// The lines that the bar's style reads when it is drawn.
#[derive(Debug, Default)]
struct Lines {
    position: String,
    details: String,
}

#[derive(Debug)]
struct Bar {
    bar: ProgressBar,
    lines: Arc<Mutex<Lines>>,
    width: fn() -> usize,
    /// Whether the current style is that for a known total.
    is_counted: Option<bool>,
}

/// Shows the progress of a job.
#[derive(Debug)]
pub struct Progress {
    how: How,
    bar: Option<Bar>,
    begun: Instant,
    due: Instant,
    rows: Rate,
    tokens: Rate,
}

impl Progress {
    /// Creates a display on standard error.
    pub fn new(how: How) -> Progress {
        let target = || ProgressDrawTarget::stderr_with_hz(DRAWS_PER_SECOND_MAX);
        Progress::on(how, target, terminal_width)
    }

    fn on(how: How, target: impl FnOnce() -> ProgressDrawTarget, width: fn() -> usize) -> Progress {
        let now = Instant::now();
        let bar = (how == How::Bar).then(|| Bar {
            bar: ProgressBar::with_draw_target(None, target()),
            lines: Arc::default(),
            width,
            is_counted: None,
        });
        Progress { how, bar, begun: now, due: now, rows: Rate::default(), tokens: Rate::default() }
    }

    /// A bar of a job that began then, on a terminal in memory.
    #[cfg(test)]
    pub(crate) fn in_memory(term: &indicatif::InMemoryTerm, begun: Instant) -> Progress {
        let target = || ProgressDrawTarget::term_like(Box::new(term.clone()));
        let mut progress = Progress::on(How::Bar, target, || WIDTH_UNKNOWN);
        progress.begun = begun;
        progress
    }

    /// How progress is shown.
    pub fn how(&self) -> How {
        self.how
    }

    /// The maximum wait before the next check whether it is due.
    pub fn interval(&self) -> Duration {
        match self.how {
            How::Bar => DRAW_INTERVAL,
            How::Json => JSON_INTERVAL / 4,
            How::Quiet | How::Notes => IDLE_INTERVAL,
        }
    }

    /// Whether [`Progress::show`] would show anything.
    pub fn is_due(&self, now: Instant) -> bool {
        match self.how {
            How::Bar | How::Json => now >= self.due,
            How::Quiet | How::Notes => false,
        }
    }

    /// Shows the state, if it is due.
    pub fn show(&mut self, now: Instant, state: &State) {
        if !self.is_due(now) {
            return;
        }
        match self.how {
            How::Bar => {
                self.due = now + DRAW_INTERVAL;
                let speed = self.speed(now, state);
                self.draw(state, &speed);
            }
            How::Json => {
                self.due = now + JSON_INTERVAL;
                say(&self.json(now, state));
            }
            How::Quiet | How::Notes => {}
        }
    }

    /// The state as one JSON object, as `--json-progress` shows it.
    pub fn json(&mut self, now: Instant, state: &State) -> String {
        let speed = self.speed(now, state);
        let elapsed = now.saturating_duration_since(self.begun);
        object(&members("progress", elapsed, state, &speed))
    }

    /// Shows how much of the input was read: rows, and the share of its bytes. Nothing at first, since most
    /// files are read at once.
    pub fn reading(&mut self, now: Instant, rows: u64, share: f64) {
        let elapsed = now.saturating_duration_since(self.begun);
        if elapsed < READING_QUIET || !self.is_due(now) {
            return;
        }
        match self.how {
            How::Bar => {
                self.due = now + DRAW_INTERVAL;
                let parts = (share * SHARE_PARTS as f64) as u64;
                self.draw_lines(parts, Some(SHARE_PARTS), |width| {
                    let beside = width.saturating_sub(BAR_WIDTH_MIN + 1);
                    (reading(rows, share, beside), "reading the input".to_owned())
                });
            }
            How::Json => {
                self.due = now + JSON_INTERVAL;
                let state = State { phase: Phase::Reading, ..State::default() };
                let mut all = members("progress", elapsed, &state, &Speed::default());
                all.extend(reading_members(rows, share));
                say(&object(&all));
            }
            How::Quiet | How::Notes => {}
        }
    }

    /// Prints an important line, above the bar.
    pub fn note(&self, line: &str) {
        match self.how {
            How::Quiet => {}
            How::Json => self.json_event("note", vec![("text", line.into())]),
            How::Bar | How::Notes => self.aside(|| crate::console::say(line)),
        }
    }

    /// Writes a JSON line of another kind, if progress is JSON.
    pub fn json_event(&self, event: &'static str, more: Members) {
        if self.how == How::Json {
            let mut all: Members = vec![("event", event.into())];
            all.extend(more);
            say(&object(&all));
        }
    }

    /// Hides the bar while `does` prints or asks something.
    pub fn aside<T>(&self, does: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(Bar { bar, .. }) => bar.suspend(does),
            None => does(),
        }
    }

    /// Ends the display: removes the bar, or writes the last JSON line with the members of the summary.
    pub fn end(&mut self, now: Instant, state: &State, summary: Members) {
        match self.how {
            How::Bar => {
                if let Some(Bar { bar, .. }) = &self.bar {
                    bar.finish_and_clear();
                }
            }
            How::Json => {
                let elapsed = now.saturating_duration_since(self.begun);
                // At the end, rates are those of the whole run, and nothing is left.
                let rate = |count: u64| count as f64 / elapsed.as_secs_f64().max(1e-3);
                let rows = rate(state.done.saturating_add(state.failed));
                let speed = Speed { rows, tokens: rate(state.tokens.total()), left: None };
                let mut all = members("end", elapsed, state, &speed);
                all.extend(summary);
                say(&object(&all));
            }
            How::Quiet | How::Notes => {}
        }
    }

    fn speed(&mut self, now: Instant, state: &State) -> Speed {
        let now = now.saturating_duration_since(self.begun);
        let rows = self.rows.look(now, state.done.saturating_add(state.failed));
        let tokens = self.tokens.look(now, state.tokens.total());
        let left = state.total.map(|total| total.saturating_sub(state.ended()));
        let left = left.filter(|_| rows > 0.0).map(|left| left as f64 / rows);
        let left = left.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Speed { rows, tokens, left }
    }

    fn draw(&mut self, state: &State, speed: &Speed) {
        self.draw_lines(state.ended(), state.total, |width| {
            let beside = width.saturating_sub(BAR_WIDTH_MIN + 1);
            (position(state, speed, beside), details(state, speed, width))
        });
    }

    /// Draws a bar of this length, with the text after it and the line below.
    fn draw_lines(
        &mut self,
        place: u64,
        length: Option<u64>,
        text: impl FnOnce(usize) -> (String, String),
    ) {
        let Some(bar) = &mut self.bar else { return };
        let width = (bar.width)().min(WIDTH_MAX);
        {
            let mut lines = bar.lines.lock().unwrap_or_else(PoisonError::into_inner);
            (lines.position, lines.details) = text(width);
        }
        let is_counted = length.is_some();
        if bar.is_counted != Some(is_counted) {
            bar.is_counted = Some(is_counted);
            bar.bar.set_style(style(is_counted, &bar.lines));
        }
        bar.bar.update(|inner| {
            if let Some(length) = length {
                inner.set_len(length);
            }
            inner.set_pos(place);
        });
    }
}

impl Drop for Progress {
    /// Removes the bar, however a job ends.
    fn drop(&mut self) {
        if let Some(Bar { bar, .. }) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// The bar, or a spinner without a total; its numbers after it, and a line below. Indicatif omits colours
/// if `NO_COLOR` is set.
fn style(is_counted: bool, lines: &Arc<Mutex<Lines>>) -> ProgressStyle {
    let template = match is_counted {
        true => "{wide_bar:.cyan/dim} {position}\n{details:.dim}",
        false => "{spinner:.cyan} {position}\n{details:.dim}",
    };
    let line = |choose: fn(&Lines) -> &String| {
        let lines = Arc::clone(lines);
        move |_: &ProgressState, out: &mut dyn std::fmt::Write| {
            let lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = out.write_str(choose(&lines));
        }
    };
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style
        .progress_chars("━╸─")
        .with_key("position", line(|lines| &lines.position))
        .with_key("details", line(|lines| &lines.details))
}

pub(crate) fn terminal_width() -> usize {
    match Term::stderr().size_checked() {
        // A terminal that reports 0 does not know its width.
        Some((_, columns)) if columns > 0 => columns.into(),
        _ => WIDTH_UNKNOWN,
    }
}

/// A closed or full standard error must not stop a job.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

#[cfg(test)]
#[path = "progress_tests.rs"]
mod tests;
